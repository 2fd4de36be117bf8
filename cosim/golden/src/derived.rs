//! Derived uniforms (LP-13): the golden model's own evaluation of the program that computes them.
//!
//! A step gives one word, with the arithmetic of [`crate::alu`], and so as a lane would have given
//! it. The host's words come from the compiler's arithmetic; the two are compared wherever a
//! constant bank is filled. Wrong would be to take the other's words.

use quadlock_isa::Op;

use crate::alu::lane_fn;
use crate::lanes::Lanes;

/// What a step computes its word from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DerivedStep {
    /// It is this word.
    Word(u32),
    /// An operation on earlier steps.
    Op(Op, Vec<usize>),
}

/// The word of every step; none if a step is none that a lane could do.
pub fn derive(steps: &[DerivedStep]) -> Option<Vec<u32>> {
    let mut words: Vec<u32> = vec![];
    for step in steps {
        let word = match step {
            DerivedStep::Word(w) => *w,
            DerivedStep::Op(op, args) => {
                let mut operands = [Lanes::default(); 3];
                for (operand, a) in operands.iter_mut().zip(args) {
                    *operand = [*words.get(*a)?; 4];
                }
                lane_fn(*op, None)?(&operands[0], &operands[1], &operands[2])[0]
            }
        };
        words.push(word);
    }
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_read_earlier_ones() {
        let one = DerivedStep::Word(1f32.to_bits());
        let half = DerivedStep::Op(Op::FMul, vec![0, 1]);
        let all = [one, DerivedStep::Word(0.5f32.to_bits()), half];
        assert_eq!(derive(&all), Some(vec![1f32.to_bits(), 0.5f32.to_bits(), 0.5f32.to_bits()]));
        assert_eq!(derive(&[DerivedStep::Op(Op::FMul, vec![0, 0])]), None);
        assert_eq!(derive(&[DerivedStep::Op(Op::Bar, vec![])]), None);
    }
}
