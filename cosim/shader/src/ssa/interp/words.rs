//! Words and bytes of the interpreter: accesses of memory, atomics, and reductions of lanes.
//!
//! Pure functions, which [`crate::ssa::lockstep`] shares. A mistake here is one of both, so the
//! golden model has its own.

use crate::ssa::{AtomicOp, Width};
use quadlock_isa::{CrossLane, Op};

/// Little-endian value of `bytes` (1, 2, 4) at `at`, and whether all of it is inside.
pub(in crate::ssa) fn read(memory: &[u8], at: u32, bytes: u32) -> (u32, bool) {
    let mut v = 0;
    let mut inside = true;
    for i in 0..bytes {
        match memory.get(at as usize + i as usize) {
            Some(b) => v |= u32::from(*b) << (8 * i),
            None => inside = false,
        }
    }
    (v, inside)
}

pub(in crate::ssa) fn write(memory: &mut [u8], at: u32, bytes: u32, v: u32) -> bool {
    let mut inside = true;
    for i in 0..bytes {
        match memory.get_mut(at as usize + i as usize) {
            Some(b) => *b = (v >> (8 * i)) as u8,
            None => inside = false,
        }
    }
    inside
}

/// WRED, WSCAN and WBALLOT of the active lanes' values, in lane order: one result per active lane.
pub(in crate::ssa) fn across(op: Op, values: &[(usize, u32)]) -> Option<Vec<u32>> {
    let all = |r: u32| vec![r; values.len()];
    Some(match op.cross_lane()? {
        CrossLane::Ballot => all(values.iter().filter(|(_, v)| *v != 0).map(|(l, _)| 1 << l).sum()),
        CrossLane::Reduce(kind) => all(values.iter().map(|(_, v)| *v).reduce(|a, b| combine(kind, a, b)).unwrap_or(0)),
        CrossLane::Scan(kind) => {
            let start = identity(kind);
            values.iter().scan(start, |sum, (_, v)| Some(std::mem::replace(sum, combine(kind, *sum, *v)))).collect()
        }
    })
}

fn combine(kind: quadlock_isa::AtomicOp, a: u32, b: u32) -> u32 {
    use quadlock_isa::AtomicOp as K;
    match kind {
        K::And => a & b,
        K::Or => a | b,
        K::Xor => a ^ b,
        K::SMin => (a as i32).min(b as i32) as u32,
        K::SMax => (a as i32).max(b as i32) as u32,
        K::UMin => a.min(b),
        K::UMax => a.max(b),
        _ => a.wrapping_add(b),
    }
}

fn identity(kind: quadlock_isa::AtomicOp) -> u32 {
    use quadlock_isa::AtomicOp as K;
    match kind {
        K::And | K::UMin => u32::MAX,
        K::SMin => i32::MAX as u32,
        K::SMax => i32::MIN as u32,
        _ => 0,
    }
}

/// The access of an atomic with these operands.
pub(in crate::ssa) fn atomic_width<T>(operands: &[T]) -> Width {
    if operands.len() == 2 {
        Width::W64
    } else {
        Width::W32
    }
}

/// What an atomic leaves behind: one word, or two. One word is computed in the upper half of 64
/// bits, where it wraps, and has its sign, as 64 bits do.
pub fn atomic(op: AtomicOp, old: &[u32], value: &[u32], expected: &[u32]) -> Vec<u32> {
    let number = |words: &[u32]| match *words {
        [low, high] => u64::from(high) << 32 | u64::from(low),
        [word] => u64::from(word) << 32,
        _ => 0,
    };
    let (x, y) = (number(old), number(value));
    let new = match op {
        AtomicOp::Add => x.wrapping_add(y),
        AtomicOp::Sub => x.wrapping_sub(y),
        AtomicOp::And => x & y,
        AtomicOp::Or => x | y,
        AtomicOp::Xor => x ^ y,
        AtomicOp::SMin => (x as i64).min(y as i64) as u64,
        AtomicOp::SMax => (x as i64).max(y as i64) as u64,
        AtomicOp::UMin => x.min(y),
        AtomicOp::UMax => x.max(y),
        AtomicOp::Xchg => y,
        AtomicOp::Cas if old == expected => y,
        AtomicOp::Cas => x,
        AtomicOp::Lock if old[0] == 1 - (value[0] & 1) => number(&[value[0] & 1]),
        AtomicOp::Lock => x,
    };
    let high = (new >> 32) as u32;
    if old.len() == 2 {
        vec![new as u32, high]
    } else {
        vec![high]
    }
}
