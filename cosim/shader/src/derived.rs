//! The host's side of derived uniforms (LP-13): runs their program with the compiler's arithmetic,
//! and asks whether what a program takes for granted holds (LP-14).
//!
//! The golden model has an evaluator of its own; whoever fills a constant bank runs both and
//! compares. A step that reads one behind it, or an operation that is none, is an error and no
//! panic, because the steps come from a file.

use crate::interface::{Derived, Specialisation, Step};
use crate::ops::eval::eval;
use quadlock_isa::Op;

/// Looks up a word of a uniform buffer: group, binding, number of the word.
pub type Words<'a> = &'a dyn Fn(u32, u32, u32) -> Option<u32>;

/// The value of every step; none where a word is not known.
///
/// # Errors
/// Steps that are no program.
pub fn steps(steps: &[Step], words: Words) -> Result<Vec<Option<u32>>, String> {
    let mut values: Vec<Option<u32>> = Vec::with_capacity(steps.len());
    for (n, step) in steps.iter().enumerate() {
        let value = match step {
            Step::Const(c) => Some(*c),
            Step::Uniform(group, binding, word) => words(*group, *binding, *word),
            Step::Op(name, args) => {
                let op = Op::from_name(name).filter(|_| args.len() <= 3);
                let op = op.ok_or_else(|| format!("step {n}: there is no operation {name} of {}", args.len()))?;
                let mut operands = vec![];
                for a in args {
                    let earlier = values.get(*a as usize).ok_or_else(|| format!("step {n} reads step {a}"))?;
                    operands.push(*earlier);
                }
                match operands.into_iter().collect::<Option<Vec<u32>>>() {
                    Some(all) => Some(eval(op, &all).ok_or_else(|| format!("step {n}: {name} is not pure"))?),
                    None => None,
                }
            }
        };
        values.push(value);
    }
    Ok(values)
}

/// (constant word, value) of each derived uniform.
///
/// # Errors
/// As [`steps`]; or a word that is not known.
pub fn words(derived: &Derived, known: Words) -> Result<Vec<(u32, u32)>, String> {
    let values = steps(&derived.steps, known)?;
    let word = |&(word, step): &(u32, u32)| {
        let value = values.get(step as usize).copied().flatten();
        Ok((word, value.ok_or_else(|| format!("constant word {word}: a uniform that it needs has no data"))?))
    };
    derived.words.iter().map(word).collect()
}

/// Whether everything holds that a program takes for granted.
///
/// # Errors
/// As [`steps`].
pub fn holds(s: &Specialisation, known: Words) -> Result<bool, String> {
    let values = steps(&s.steps, known)?;
    Ok(s.assumptions.iter().all(|a| {
        let value = values.get(a.step as usize).copied().flatten();
        value.is_some_and(|v| (v != 0) == a.holds)
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interface::Assumption;

    #[test]
    fn steps_are_computed_in_order() {
        let op = |name: &str, args: &[u32]| Step::Op(name.into(), args.to_vec());
        let all = vec![Step::Uniform(0, 1, 2), Step::Const(3), op("IADD", &[0, 1]), op("IMUL", &[2, 2])];
        let known = |g: u32, b: u32, w: u32| (g == 0 && b == 1).then_some(w + 5);
        assert_eq!(steps(&all, &known).unwrap(), [Some(7), Some(3), Some(10), Some(100)]);
        let derived = Derived { steps: all.clone(), words: vec![(50, 3), (51, 0)], ..Default::default() };
        assert_eq!(words(&derived, &known).unwrap(), [(50, 100), (51, 7)]);
        assert!(words(&derived, &|_, _, _| None).unwrap_err().contains("constant word 50"));
        assert!(steps(&[op("IADD", &[1, 0])], &known).unwrap_err().contains("reads step 1"));
        assert!(steps(&[op("NONE", &[])], &known).unwrap_err().contains("NONE"));
        assert!(steps(&[Step::Const(1), op("LD", &[0])], &known).is_err());
        let a = |holds| Assumption { step: 1, holds, place: String::new(), text: String::new() };
        let s = |holds| Specialisation { steps: all.clone(), assumptions: vec![a(holds)] };
        assert_eq!((holds(&s(true), &known), holds(&s(false), &known)), (Ok(true), Ok(false)));
    }
}
