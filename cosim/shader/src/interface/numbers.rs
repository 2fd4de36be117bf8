//! What the bits of a word are, and how people read them. A word of a buffer, a varying and an
//! operand have numbers; a register has none.
//!
//! Failure modes: an operand of a float operation printed as an integer, or the other way round.
//! What an operation does not say is guessed by the bits ([`Numbers::text`]).

use quadlock_isa::Op;
use serde::{Deserialize, Serialize};

/// What the bits of a word are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Numbers {
    /// f32.
    Float,
    /// Signed.
    Int,
    /// Unsigned.
    Uint,
}

impl Numbers {
    /// Whether it is an integer, with a sign or without.
    pub fn is_integer(self) -> bool {
        self != Numbers::Float
    }

    /// What operand `k` of an operation is; none where any bits may be. Of an operation that is the
    /// same with and without a sign it is signed.
    pub fn of_operand(op: Op, k: usize) -> Option<Numbers> {
        Some(match op {
            _ if op.row().float => Numbers::Float,
            Op::FFract | Op::FFloor | Op::FCeil | Op::FTrunc | Op::FRne | Op::F2I | Op::F2U => Numbers::Float,
            Op::PkF16 | Op::F2UN8 | Op::F2UN16 | Op::F2SN8 | Op::F2SN16 | Op::Ddx | Op::Ddy => Numbers::Float,
            Op::FDiv | Op::FSqrt | Op::FRcp | Op::FRsq | Op::FExp2 | Op::FLog2 | Op::FSin | Op::FCos => Numbers::Float,
            Op::I2F | Op::SMin | Op::SMax | Op::SMulHi => Numbers::Int,
            Op::SSetLt | Op::SSetLe | Op::SSetGt | Op::SSetGe => Numbers::Int,
            Op::IAdd | Op::ISub | Op::IMul | Op::IMad | Op::ISetEq | Op::ISetNe => Numbers::Int,
            Op::U2F | Op::UMin | Op::UMax | Op::UMulHi => Numbers::Uint,
            Op::USetLt | Op::USetLe | Op::USetGt | Op::USetGe => Numbers::Uint,
            Op::Shl | Op::Shr | Op::Sar if k == 1 => Numbers::Uint,
            Op::Sar => Numbers::Int,
            _ => return None,
        })
    }

    /// Whether its operands may have a sign or not: the result has the same bits.
    pub fn is_signless(op: Op) -> bool {
        matches!(op, Op::IAdd | Op::ISub | Op::IMul | Op::IMad | Op::ISetEq | Op::ISetNe)
    }

    /// Bits as that number; if nobody says what they are, as what they most likely are: small whole
    /// numbers are integers.
    pub fn text(numbers: Option<Numbers>, bits: u32) -> String {
        let f = f32::from_bits(bits);
        match (numbers, bits) {
            (Some(Numbers::Float), _) => format!("{f:?}"),
            (Some(Numbers::Int), _) => (bits as i32).to_string(),
            (Some(Numbers::Uint), _) | (None, 0..=0xFFFF) => bits.to_string(),
            _ if f.is_finite() && (1e-6..1e9).contains(&f.abs()) => format!("{f:?}"),
            _ => format!("{bits:#x}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_printed_as_what_they_are() {
        let half = 0.5f32.to_bits();
        let text = |numbers| [half, 0, u32::MAX - 6].map(|bits| Numbers::text(numbers, bits));
        assert_eq!(text(Some(Numbers::Float)), ["0.5", "0.0", "NaN"]);
        assert_eq!(text(Some(Numbers::Int)), ["1056964608", "0", "-7"]);
        assert_eq!(text(Some(Numbers::Uint)), ["1056964608", "0", "4294967289"]);
        assert_eq!(text(None), ["0.5", "0", "0xfffffff9"]);
    }

    #[test]
    fn operations_say_what_their_operands_are() {
        let of = |op| Numbers::of_operand(op, 0);
        assert_eq!([Op::FSetGt, Op::FMul, Op::FRcp].map(of), [Some(Numbers::Float); 3]);
        assert_eq!([Op::SSetGt, Op::I2F, Op::ISetEq].map(of), [Some(Numbers::Int); 3]);
        assert_eq!([Op::USetGt, Op::U2F].map(of), [Some(Numbers::Uint); 2]);
        assert_eq!([Op::And, Op::Sel, Op::Mov].map(of), [None; 3]);
    }
}
