//! Our own functions in SPIR-V: semaphores, dependencies, atomics and locks of the warp
//! (docs/semaphores.md, docs/warp-wide.md). A module calls them by an instruction of the set
//! `Quadlock.1`, whose numbers are the table's, or by a call of a function that it imports
//! (`LinkageAttributes` Import) or declares with an empty body under their name. An optimiser may
//! remove calls of functions with empty bodies; it keeps the other two.

use crate::front::emit::semaphores::{self, Call};
use crate::ssa::AtomicOp;

/// What a function does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    Semaphore(Call),
    /// An atomic of the warp on so many words; `by_type`: signed if the memory's type is.
    Atomic {
        op: AtomicOp,
        words: u32,
        by_type: bool,
    },
    Lock {
        take: bool,
    },
}

/// The functions in the order of their numbers in the set, from 7 on; 1 to 6 are the semaphores'.
const ATOMICS: [(&str, Function); 22] = [
    ("warpAtomicAdd", word(AtomicOp::Add)),
    ("warpAtomicSub", word(AtomicOp::Sub)),
    ("warpAtomicAnd", word(AtomicOp::And)),
    ("warpAtomicOr", word(AtomicOp::Or)),
    ("warpAtomicXor", word(AtomicOp::Xor)),
    ("warpAtomicMin", Function::Atomic { op: AtomicOp::UMin, words: 1, by_type: true }),
    ("warpAtomicMax", Function::Atomic { op: AtomicOp::UMax, words: 1, by_type: true }),
    ("warpAtomicExchange", word(AtomicOp::Xchg)),
    ("warpAtomicCompareExchange", word(AtomicOp::Cas)),
    ("warpLock", Function::Lock { take: true }),
    ("warpUnlock", Function::Lock { take: false }),
    ("warpAtomicAdd64", pair(AtomicOp::Add)),
    ("warpAtomicSub64", pair(AtomicOp::Sub)),
    ("warpAtomicAnd64", pair(AtomicOp::And)),
    ("warpAtomicOr64", pair(AtomicOp::Or)),
    ("warpAtomicXor64", pair(AtomicOp::Xor)),
    ("warpAtomicMinU64", pair(AtomicOp::UMin)),
    ("warpAtomicMinI64", pair(AtomicOp::SMin)),
    ("warpAtomicMaxU64", pair(AtomicOp::UMax)),
    ("warpAtomicMaxI64", pair(AtomicOp::SMax)),
    ("warpAtomicExchange64", pair(AtomicOp::Xchg)),
    ("warpAtomicCompareExchange64", pair(AtomicOp::Cas)),
];

const fn word(op: AtomicOp) -> Function {
    Function::Atomic { op, words: 1, by_type: false }
}
const fn pair(op: AtomicOp) -> Function {
    Function::Atomic { op, words: 2, by_type: false }
}

/// The function of that name; compilers of GLSL write its parameters' types behind it.
pub fn by_name(name: &str) -> Option<Function> {
    let name = name.split('(').next().unwrap_or(name);
    let semaphore = semaphores::FUNCTIONS.iter().find(|f| f.0 == name).map(|f| Function::Semaphore(f.1));
    semaphore.or_else(|| ATOMICS.iter().find(|f| f.0 == name).map(|f| f.1))
}

/// The function of a number of the set.
pub fn by_number(number: u32) -> Option<Function> {
    let at = (number as usize).checked_sub(1)?;
    let semaphore = semaphores::FUNCTIONS.get(at).map(|f| Function::Semaphore(f.1));
    semaphore.or_else(|| ATOMICS.get(at.checked_sub(semaphores::FUNCTIONS.len())?).map(|f| f.1))
}
