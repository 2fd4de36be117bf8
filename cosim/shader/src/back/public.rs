//! Where public registers are (MS-20). The allocator puts them below the cutoff. A machine may
//! have them at the upper end: then the numbers of a finished program turn round by the cutoff, so
//! public ones end at the last register and private ones begin at 0. Or a word of bits says which
//! they are: then public and private ones take turns. Rows of registers keep their order, since
//! none is on both sides of a cutoff.
//!
//! It can be wrong in an operand that is no register. `Instr::canonical` knows which are.

use super::code::{lowest, rows};
use quadlock_isa::abi::{PublicRegisters, REGISTERS};
use quadlock_isa::{decode, encode, Instr};

/// Turns the registers of a program with `cutoff` public ones, the lowest, to where they are on a
/// machine with that option. Returns the public registers, as bits.
pub fn place(code: &mut [u64], cutoff: u32, option: PublicRegisters) -> u32 {
    let all = REGISTERS as u8;
    let to: Vec<u8> = match option {
        PublicRegisters::Below => return lowest(cutoff),
        PublicRegisters::Half => return if cutoff == 0 { 0 } else { lowest(u32::from(all) / 2) },
        PublicRegisters::Above => (0..all).map(|r| (r + all - cutoff as u8) % all).collect(),
        PublicRegisters::Bitmap => in_turns(code, cutoff as usize),
    };
    let moved = |r: u8| to[usize::from(r)];
    for word in code {
        if let Ok(i) = decode(*word) {
            let i = Instr { d: moved(i.d), a: moved(i.a), b: moved(i.b), c: moved(i.c), ..i };
            *word = encode(&i.canonical());
        }
    }
    to.iter().take(cutoff as usize).fold(0, |public, r| public | 1 << r)
}

/// A new number for each register, so that public ones, the lowest, and private ones take turns.
/// Registers of a row, and of rows that share one, stay together.
fn in_turns(code: &[u64], cutoff: usize) -> Vec<u8> {
    // Register r follows the one before it.
    let mut follows = [false; REGISTERS];
    for row in code.iter().filter_map(|&word| decode(word).ok()).flat_map(|i| rows(&i)) {
        row.iter().skip(1).for_each(|&r| follows[usize::from(r)] = true);
    }
    let runs = |from: usize, to: usize| {
        let mut runs: Vec<Vec<usize>> = vec![];
        for (r, &follows) in follows.iter().enumerate().take(to).skip(from) {
            match runs.last_mut().filter(|_| follows) {
                Some(run) => run.push(r),
                None => runs.push(vec![r]),
            }
        }
        runs.into_iter()
    };
    let (mut public, mut private) = (runs(0, cutoff.min(REGISTERS)), runs(cutoff.min(REGISTERS), REGISTERS));
    let mut to = vec![0; REGISTERS];
    let mut next = 0;
    for _ in 0..REGISTERS {
        for r in private.next().into_iter().chain(public.next()).flatten() {
            to[r] = next;
            next += 1;
        }
    }
    to
}

/// Which registers those are, in words.
pub fn words(cutoff: u32, bitmap: u32, option: PublicRegisters) -> String {
    match option {
        _ if cutoff == 0 => "below 0".into(),
        PublicRegisters::Below => format!("below {cutoff}"),
        PublicRegisters::Above => format!("from {} up", REGISTERS as u32 - cutoff),
        PublicRegisters::Half => format!("below {}", REGISTERS / 2),
        PublicRegisters::Bitmap => {
            let numbers: Vec<String> = (0..REGISTERS).filter(|r| bitmap >> r & 1 == 1).map(|r| r.to_string()).collect();
            numbers.join(", ")
        }
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
        assert_eq!(words(2, 0, PublicRegisters::Above), "from 30 up");
    }

    /// Private and public registers take turns, rows stay together, and the bits say which are
    /// public.
    #[test]
    fn ms_20_a_bitmap_names_public_registers_among_others() {
        // r0 is public, and the row r1 to r4; r5 is private, and the row r6, r7.
        let mut code = assemble("t", "LD.128 r1, [r5]\nLD.64 r6, [r0]\nIADD r0, r6, r8\n").unwrap().code;
        let public = place(&mut code, 5, PublicRegisters::Bitmap);
        let after = "LD.128 r4, [r0]\nLD.64 r2, [r1]\nIADD r1, r2, r8\n";
        assert_eq!(code, assemble("t", after).unwrap().code);
        assert_eq!(public, 0b1111_0010);
        assert_eq!(words(5, public, PublicRegisters::Bitmap), "1, 4, 5, 6, 7");
        for cutoff in [0, 32] {
            let before = assemble("t", "IADD r0, r31, r8\n").unwrap().code;
            let mut code = before.clone();
            assert_eq!(place(&mut code, cutoff, PublicRegisters::Bitmap).count_ones(), cutoff);
            assert_eq!(code, before);
        }
    }
}
