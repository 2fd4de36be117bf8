//! The names of atomic functions and locks, and what is declared to naga for those that it lacks.
//! What they do is the lowering's ([`crate::front::lower::warp_atomics`],
//! [`crate::front::lower::glsl_atomics`]).
//!
//! GLSL's atomics are declared as ordinary functions with an `inout` first parameter, in text put
//! behind the directives at the head of the source. Those of two words are declared in both
//! languages.

use super::edit::{blank_comments, mentions, Mark};
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

/// GLSL name, operation.
const FUNCTIONS: [(&str, AtomicOp); 8] = [
    ("atomicAdd", AtomicOp::Add),
    ("atomicMin", AtomicOp::UMin),
    ("atomicMax", AtomicOp::UMax),
    ("atomicAnd", AtomicOp::And),
    ("atomicOr", AtomicOp::Or),
    ("atomicXor", AtomicOp::Xor),
    ("atomicExchange", AtomicOp::Xchg),
    ("atomicCompSwap", AtomicOp::Cas),
];

/// The same for those of the whole warp.
const WARP: [(&str, AtomicOp, Mark); 11] = [
    ("warpAtomicAdd", AtomicOp::Add, Mark::Warp),
    ("warpAtomicSub", AtomicOp::Sub, Mark::Warp),
    ("warpAtomicAnd", AtomicOp::And, Mark::Warp),
    ("warpAtomicOr", AtomicOp::Or, Mark::Warp),
    ("warpAtomicXor", AtomicOp::Xor, Mark::Warp),
    ("warpAtomicMin", AtomicOp::UMin, Mark::Warp),
    ("warpAtomicMax", AtomicOp::UMax, Mark::Warp),
    ("warpAtomicExchange", AtomicOp::Xchg, Mark::Warp),
    ("warpAtomicCompareExchange", AtomicOp::Cas, Mark::Warp),
    ("warpLock", AtomicOp::Lock, Mark::Lock(true)),
    ("warpUnlock", AtomicOp::Lock, Mark::Lock(false)),
];

/// Operation and mark of a function.
pub fn by_name(name: &str) -> Option<(AtomicOp, Option<Mark>)> {
    let plain = FUNCTIONS.iter().find(|(n, _)| *n == name).map(|&(_, op)| (op, None));
    let warp = || WARP.iter().find(|(n, ..)| *n == name).map(|&(_, op, mark)| (op, Some(mark)));
    plain.or_else(warp).or_else(|| wide(name).map(|op| (op, Some(Mark::Wide(op)))))
}

/// Whether it is the name of one of them.
pub fn is_function(name: &str) -> bool {
    by_name(name).is_some()
}

/// The declarations that a text needs: none of the atomics to one that does not say `atomic`, and
/// those of warps that it names.
pub fn declare(text: &str) -> String {
    let mut stubs = String::new();
    let wanted = if text.contains("atomic") { &FUNCTIONS[..] } else { &[] };
    let plain = if text.contains("warp") { blank_comments(text) } else { String::new() };
    let warp = WARP.iter().map(|&(name, op, _)| (name, op)).chain(WIDE).filter(|(name, _)| mentions(&plain, name));
    for (name, op) in wanted.iter().copied().chain(warp) {
        let types: &[&str] = match op {
            AtomicOp::Lock => &["uint"],
            _ if wide(name).is_some() => &["uvec2"],
            _ => &["uint", "int"],
        };
        for ty in types {
            let more = match op {
                AtomicOp::Lock => String::new(),
                AtomicOp::Cas => format!(", {ty} c, {ty} v"),
                _ => format!(", {ty} v"),
            };
            stubs += &format!("{ty} {name}(inout {ty} m{more}) {{ return m; }} ");
        }
    }
    stubs
}

/// Where declarations may stand: behind the last directive of the head (`#extension` must come
/// before any declaration). `plain`: the text with comments blanked, since one may stand before
/// `#version`.
pub fn head(plain: &str) -> usize {
    let (mut at, mut end) = (0, 0);
    for line in plain.split_inclusive('\n') {
        end += line.len();
        let line = line.trim_start();
        if ["#version", "#extension", "#pragma"].iter().any(|d| line.starts_with(d)) {
            at = end;
        } else if !line.is_empty() {
            break;
        }
    }
    at
}
