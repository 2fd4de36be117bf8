//! The names of the warp's atomics on two words, and what is declared of them to naga, which has
//! none. What they do is the lowering's ([`crate::front::lower::warp_atomics`]).

use crate::ssa::AtomicOp;

/// Atomics of the warp on two words: name, operation. The names say what the types of 32-bit ones
/// do: whether a comparison is signed.
pub const WIDE: [(&str, AtomicOp); 11] = [
    ("warpAtomicAdd64", AtomicOp::Add),
    ("warpAtomicSub64", AtomicOp::Sub),
    ("warpAtomicAnd64", AtomicOp::And),
    ("warpAtomicOr64", AtomicOp::Or),
    ("warpAtomicXor64", AtomicOp::Xor),
    ("warpAtomicMinU64", AtomicOp::UMin),
    ("warpAtomicMinI64", AtomicOp::SMin),
    ("warpAtomicMaxU64", AtomicOp::UMax),
    ("warpAtomicMaxI64", AtomicOp::SMax),
    ("warpAtomicExchange64", AtomicOp::Xchg),
    ("warpAtomicCompareExchange64", AtomicOp::Cas),
];

/// The operation of a function of [`WIDE`].
pub fn wide(name: &str) -> Option<AtomicOp> {
    WIDE.iter().find(|(n, _)| *n == name).map(|&(_, op)| op)
}

/// The name of the function of [`WIDE`] for an operation.
pub fn wide_name(op: AtomicOp) -> &'static str {
    WIDE.iter().find(|(_, o)| *o == op).map_or("", |&(name, _)| name)
}

/// What operands a function of [`WIDE`] takes, for a message.
pub fn wide_types(op: AtomicOp) -> String {
    let values = if op == AtomicOp::Cas { "what is expected and a value, both" } else { "a value" };
    format!("{} takes a pointer to a vec2<u32> and {values} of type vec2<u32>", wide_name(op))
}

/// What is declared to the parser of WGSL for a function of [`WIDE`].
pub fn declare_wgsl(name: &str, op: AtomicOp) -> String {
    let expected = if op == AtomicOp::Cas { ", c: vec2<u32>" } else { "" };
    format!("\nfn {name}(m: vec2<u32>{expected}, v: vec2<u32>) -> vec2<u32> {{ return m; }}")
}
