//! GLSL's atomic functions, which naga's GLSL front end lacks. They are declared to it as ordinary functions with an `inout` first parameter, in text put
//! behind the directives at the head of the source; positions are corrected for it. For an argument in a buffer or in shared memory naga then emits
//!
//! ```text
//! store spill, load(memory);  call atomicAdd(spill, value);  store memory, load(spill)
//! ```
//!
//! with a nameless local `spill`. The lowering remembers what went into a spill, makes the call one atomic on that memory, and leaves the last store out.
//! Wrong it would be if naga changed this pattern; the tests would show it, and a call without a known spill is refused.

use super::lower::{Cx, Res};
use super::rewrite::{blank_comments, mentions, Mark};
use super::warp_atomics::{wide, WIDE};
use crate::ssa::{AtomicOp, Value};
use naga::{Expression, Handle, LocalVariable};

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
fn by_name(name: &str) -> Option<(AtomicOp, Option<Mark>)> {
    let plain = FUNCTIONS.iter().find(|(n, _)| *n == name).map(|&(_, op)| (op, None));
    let warp = || WARP.iter().find(|(n, ..)| *n == name).map(|&(_, op, mark)| (op, Some(mark)));
    plain.or_else(warp).or_else(|| wide(name).map(|op| (op, Some(Mark::Wide(op)))))
}

/// Whether it is the name of one of them.
pub fn is_function(name: &str) -> bool {
    by_name(name).is_some()
}

/// The declarations that a text needs: none of the atomics to one that does not say `atomic`, and those of warps that it names.
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

/// Where declarations may stand: behind the last directive of the head (`#extension` must come before any declaration). `plain`: the text with comments blanked, since one may stand before `#version`.
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

/// What the lowering of a function remembers.
#[derive(Default)]
pub struct Spills {
    /// Local variable and the pointer whose value was stored in it last.
    sources: Vec<(Handle<LocalVariable>, Handle<Expression>)>,
    /// The write-back to leave out: pointer, local variable.
    write_back: Option<(Handle<Expression>, Handle<LocalVariable>)>,
}

impl<'a> Cx<'_, 'a> {
    fn local_of(&self, expr: Handle<Expression>) -> Option<Handle<LocalVariable>> {
        match self.f.fun.expressions[expr] {
            Expression::LocalVariable(local) => Some(local),
            _ => None,
        }
    }

    /// Notes a store; whether it is the write-back of an atomic, which must not be made.
    pub fn note_store(&mut self, pointer: Handle<Expression>, value: Handle<Expression>) -> bool {
        let Expression::Load { pointer: source } = self.f.fun.expressions[value] else { return false };
        if let (Some(write_back), Some(local)) = (self.f.spills.write_back, self.local_of(source)) {
            if write_back == (pointer, local) {
                self.f.spills.write_back = None;
                return true;
            }
        }
        // naga's locals have no names; a variable of the source that was read from a buffer is no word of the buffer.
        let nameless = |l: &Handle<LocalVariable>| self.f.fun.local_variables[*l].name.is_none();
        if let Some(local) = self.local_of(pointer).filter(nameless) {
            self.f.spills.sources.retain(|(l, _)| *l != local);
            self.f.spills.sources.push((local, source));
        }
        false
    }

    /// A call of one of the declared functions: the old words. `None` if `name` is another function.
    pub fn glsl_atomic(&mut self, name: &str, arguments: &[Handle<Expression>]) -> Res<Option<Vec<Value>>> {
        let Some((op, mark)) = by_name(name) else { return Ok(None) };
        let local = arguments.first().and_then(|&a| self.local_of(a));
        let source = local.and_then(|l| self.f.spills.sources.iter().find(|(s, _)| *s == l).copied());
        let Some((local, source)) = source else {
            let message = format!("{name} on a variable that is not in a buffer or in shared memory is not supported");
            return Err(self.refuse_help(message, "name the word of the buffer itself as the first argument"));
        };
        self.f.spills.write_back = Some((source, local));
        if let Some(Mark::Wide(op)) = mark {
            return self.wide_on(source, op, &arguments[1..]).map(Some);
        }
        let place = self.place(source)?;
        let op = match op {
            AtomicOp::UMin if place.shape.is_signed() => AtomicOp::SMin,
            AtomicOp::UMax if place.shape.is_signed() => AtomicOp::SMax,
            op => op,
        };
        let mut words = Vec::new();
        for &argument in &arguments[1..] {
            words.push(self.word(argument)?);
        }
        let (value, expected) = match words[..] {
            [] if mark.is_some() => (self.b.constant(u32::from(mark == Some(Mark::Lock(true)))), vec![]),
            [value] => (value, vec![]),
            [expected, value] => (value, vec![expected]),
            _ => return Err(self.refuse(format!("internal: arguments of {name}"))),
        };
        self.atomic_on(place, op, vec![value], expected, mark).map(Some)
    }
}
