//! Our own functions in SPIR-V: semaphores, dependencies, atomics and locks of the warp
//! (docs/semaphores.md, docs/warp-wide.md). A module calls them by an instruction of the set
//! `Quadlock.1`, whose numbers are the table's ([`quadlock_set`]), or by a call of a function that
//! it imports (`LinkageAttributes` Import) or declares with an empty body under their name. An
//! optimiser may remove calls of functions with empty bodies; it keeps the other two.

use crate::front::emit::semaphores::{self, Call};
use crate::front::quadlock_set::{self, Instruction, INSTRUCTIONS};
use crate::ssa::AtomicOp;

/// What a function does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    Semaphore(Call),
    /// An atomic of the warp on so many words.
    Atomic {
        op: AtomicOp,
        words: u32,
    },
    Lock {
        take: bool,
    },
}

/// What an instruction of the set does; `signed`: of those that compare.
fn function(i: &Instruction, signed: bool) -> Option<Function> {
    if let Some((_, call)) = semaphores::FUNCTIONS.iter().find(|f| f.0 == i.name) {
        return Some(Function::Semaphore(*call));
    }
    let name = i.name.strip_prefix("warp")?;
    let words = if i.types.contains(&"uvec2") { 2 } else { 1 };
    let (min, max) = if signed { (AtomicOp::SMin, AtomicOp::SMax) } else { (AtomicOp::UMin, AtomicOp::UMax) };
    let op = match name {
        "Lock" => return Some(Function::Lock { take: true }),
        "Unlock" => return Some(Function::Lock { take: false }),
        "AtomicAdd" | "AtomicAdd64" => AtomicOp::Add,
        "AtomicSub" | "AtomicSub64" => AtomicOp::Sub,
        "AtomicAnd" | "AtomicAnd64" => AtomicOp::And,
        "AtomicOr" | "AtomicOr64" => AtomicOp::Or,
        "AtomicXor" | "AtomicXor64" => AtomicOp::Xor,
        "AtomicExchange" | "AtomicExchange64" => AtomicOp::Xchg,
        "AtomicCompareExchange" | "AtomicCompareExchange64" => AtomicOp::Cas,
        "AtomicMin" => min,
        "AtomicMax" => max,
        "AtomicMinU64" => AtomicOp::UMin,
        "AtomicMinI64" => AtomicOp::SMin,
        "AtomicMaxU64" => AtomicOp::UMax,
        "AtomicMaxI64" => AtomicOp::SMax,
        _ => return None,
    };
    Some(Function::Atomic { op, words })
}

/// The function of that name; compilers of GLSL write its parameters' types behind it, `i1` first
/// if its memory is signed. `signed`: whether it is, if the name does not say it.
pub fn of_sign(name: &str, signed: bool) -> Option<Function> {
    let (name, parameters) = name.split_once('(').unwrap_or((name, if signed { "i" } else { "" }));
    let instruction = INSTRUCTIONS.iter().find(|i| i.name == name)?;
    function(instruction, parameters.starts_with('i'))
}

/// The function of a number of the set.
pub fn by_number(number: u32) -> Option<Function> {
    let instruction = quadlock_set::by_id(number)?;
    function(instruction, instruction.types == ["int"])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_set_is_a_function() {
        for row in INSTRUCTIONS {
            assert!(by_number(row.id).is_some(), "{row:?}");
        }
        assert_eq!(by_number(7), Some(Function::Atomic { op: AtomicOp::SMin, words: 1 }));
        assert_eq!(of_sign("warpAtomicMax(i1;i1;", false), Some(Function::Atomic { op: AtomicOp::SMax, words: 1 }));
        assert_eq!(of_sign("warpAtomicMaximum", true), None);
        assert_eq!(of_sign("warpAtomicMin", true), Some(Function::Atomic { op: AtomicOp::SMin, words: 1 }));
        assert_eq!(of_sign("warpAtomicMin(u1;u1;", true), Some(Function::Atomic { op: AtomicOp::UMin, words: 1 }));
    }
}
