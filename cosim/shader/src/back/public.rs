//! Where public registers are (MS-20). The allocator puts them below the cutoff. A machine may
//! have them at the upper end: then the numbers of a finished program turn round by the cutoff, so
//! public ones end at the last register and private ones begin at 0. Rows of registers keep their
//! order, since none is on both sides of a cutoff.
//!
//! It can be wrong in an operand that is no register. `Instr::canonical` knows which are.

use quadlock_isa::abi::{PublicRegisters, REGISTERS};
use quadlock_isa::{decode, encode, Instr};

/// Turns the registers of a program with `cutoff` public ones, the lowest, to where they are on a
/// machine with that option.
pub fn place(code: &mut [u64], cutoff: u32, option: PublicRegisters) {
    if option != PublicRegisters::Above {
        return;
    }
    let all = REGISTERS as u8;
    let turned = |r: u8| (r + all - cutoff as u8) % all;
    for word in code {
        if let Ok(i) = decode(*word) {
            let turned = Instr { d: turned(i.d), a: turned(i.a), b: turned(i.b), c: turned(i.c), ..i };
            *word = encode(&turned.canonical());
        }
    }
}

/// Which registers those are, in words.
pub fn words(cutoff: u32, option: PublicRegisters) -> String {
    match option {
        _ if cutoff == 0 => "below 0".into(),
        PublicRegisters::Below => format!("below {cutoff}"),
        PublicRegisters::Above => format!("from {} up", REGISTERS as u32 - cutoff),
        PublicRegisters::Half => format!("below {}", REGISTERS / 2),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quadlock_isa::assemble;

    /// The two public registers become the last ones, in order; constants and targets stay.
    #[test]
    fn ms_20_registers_turn_round_by_the_cutoff() {
        let turned = |text: &str, option| {
            let mut code = assemble("t", text).unwrap().code;
            place(&mut code, 2, option);
            code
        };
        let (before, after) = (
            "IADD r0, r1, r2\nLD.128 r4, [r31+16]\nBZ r1, @1\n",
            "IADD r30, r31, r0\nLD.128 r2, [r29+16]\nBZ r31, @1\n",
        );
        assert_eq!(turned(before, PublicRegisters::Above), assemble("t", after).unwrap().code);
        for option in [PublicRegisters::Below, PublicRegisters::Half] {
            assert_eq!(turned(before, option), assemble("t", before).unwrap().code);
        }
        assert_eq!(words(2, PublicRegisters::Above), "from 30 up");
    }
}
