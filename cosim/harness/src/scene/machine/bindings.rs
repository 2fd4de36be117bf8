//! Buffers of a draw: which they are, what they hold before, where their contents go afterwards,
//! and what these must be. The words are those of jobs (docs/jobs.md); each draw has memory of its
//! own.
//!
//! Wrong would be an expectation that nobody compares: [`BufferAt`] keeps all that the file says,
//! and every run ends with it ([`crate::scene::pictures::conclude`]).

use std::ops::Range;

use quadlock_isa::abi::{
    CONST_BUFFERS, CONST_STACK_BASE, CONST_STACK_SIZE, LANES, MAX_BUFFERS, MAX_UNITS, MAX_WARPS, WINDOW_WORDS,
};
use quadlock_shader::compile::Uniforms;
use quadlock_shader::interface::{buffer_at, Binding, BindingKind, UNIFORM_WORDS};
use quadlock_shader::Compiled;
use toml::Spanned;

use super::memory::{BufferAt, Placing};
use crate::base::error::{Input, InputError};
use crate::job::spec::dispatch::{Key, Words};
use crate::linking;
use crate::scene::file::spec::{BindingSpec, DrawSpec};
use crate::scene::file::values;
use crate::scene::Scene;

/// Data of a binding, placed.
#[derive(Clone, Debug)]
pub(super) struct Region {
    key: (u32, u32),
    address: u32,
    bytes: Vec<u8>,
}

/// The most bytes of a buffer.
const MOST: u64 = 1 << 30;

impl Scene {
    /// Puts the buffers of a draw into memory: what both stages know is one.
    pub(super) fn regions(
        &self,
        number: usize,
        d: &DrawSpec,
        stages: &[&Compiled],
        memory: &mut Placing,
    ) -> Input<Vec<Region>> {
        let known: Vec<&Binding> = stages.iter().flat_map(|c| &c.binary.interface.bindings).collect();
        let mut regions: Vec<Region> = vec![];
        for binding in &d.binding {
            let b = binding.get_ref();
            let key = self.number(binding, &known)?;
            let name = format!("{} of draw {number}", buffer_at(key));
            if regions.iter().any(|r| r.key == key) {
                return Err(self.error(binding.span(), format!("{name} is given twice"), "remove one"));
            }
            let bytes = self.contents(binding)?;
            let address = memory.put(&bytes);
            let expect = b.expect.as_ref().map(|e| {
                let loaded = e.from.load(&|p| self.resolve(p), bytes.len() as u64);
                let loaded = loaded.map_err(|e| {
                    let message = format!("{name}: `expect`: {}", e.message());
                    self.error(binding.span(), message, "see `expect` in docs/jobs.md")
                })?;
                Ok::<_, Box<InputError>>((e.clone(), loaded))
            });
            let (size, span) = (bytes.len() as u32, binding.span());
            let expect = expect.transpose()?;
            memory.buffers.push(BufferAt { name, address, size, out: b.out.clone(), expect, span });
            regions.push(Region { key, address, bytes });
        }
        Ok(regions)
    }

    /// Group and binding of a buffer among those of the draw's programs. One that no program has is
    /// a mistake.
    fn number(&self, binding: &Spanned<BindingSpec>, known: &[&Binding]) -> Input<(u32, u32)> {
        const SAID: Words = Words {
            none: "no program of the draw has",
            all: "remove it, or correct its number or name; the programs have",
        };
        let key = binding.get_ref().key();
        if let Some((message, help)) = key.wrong() {
            return Err(self.error(binding.span(), message, help));
        }
        let found = key.find(known, &SAID).map_err(|(message, help)| self.error(binding.span(), message, help))?;
        Ok(found.at())
    }

    /// The words of a draw's buffers, as uniforms that are known when it is submitted: no program
    /// writes a uniform buffer. `programs` are the buffers that names are looked for in.
    pub(super) fn known(&self, d: &DrawSpec, programs: &[Binding]) -> Input<Uniforms> {
        let all: Vec<&Binding> = programs.iter().collect();
        let number = |b: &Spanned<BindingSpec>| match b.get_ref().key() {
            Key { name: None, group, binding: Some(binding) } => Ok((group, binding)),
            _ => self.number(b, &all),
        };
        d.binding.iter().map(|b| Ok((number(b)?, known_words(&self.contents(b)?)))).collect()
    }

    /// The bytes of a binding.
    fn contents(&self, binding: &Spanned<BindingSpec>) -> Input<Vec<u8>> {
        let b = binding.get_ref();
        let fail = |message: String, help: &str| Err(self.error(binding.span(), message, help));
        if let Some(from) = &b.from {
            if !b.values.is_empty() || b.zero.is_some() {
                return fail("a binding with `from` and with `values` or `zero`".into(), "write one of them");
            }
            let loaded = from.load(&|p| self.resolve(p), MOST);
            return loaded.map_err(|e| {
                let what = format!("`from`: {}", e.message());
                self.error(self.key_of(binding.span(), "from"), what, "see `from` in docs/jobs.md")
            });
        }
        let words = values::words(&b.values, self.aspect());
        let words = words.map_err(|e| {
            self.error(self.key_of(binding.span(), "values"), e, "docs/scenes.md lists what values can be")
        })?;
        let mut bytes: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
        bytes.resize(bytes.len().max(b.zero.unwrap_or(0) as usize), 0);
        match bytes.len() as u64 {
            0 => fail("a binding without contents".into(), "give it values, zero = BYTES or from = { .. }"),
            n if n > MOST => fail(format!("a binding of {n} bytes"), "use fewer"),
            _ => Ok(bytes),
        }
    }

    /// The constants of a stage: buffers, uniforms, stack.
    pub(super) fn window(
        &self,
        span: &Range<usize>,
        compiled: &Compiled,
        regions: &[Region],
        memory: &mut Placing,
    ) -> Input<[u32; WINDOW_WORDS]> {
        let fail = |message: String, help: &str| Err(self.error(span.clone(), message, help));
        let interface = &compiled.binary.interface;
        let mut window = [0u32; WINDOW_WORDS];
        let threads = (MAX_UNITS * MAX_WARPS * LANES) as u32;
        if interface.stack_bytes > 0 {
            let all = interface.stack_bytes * threads;
            window[CONST_STACK_BASE] = memory.zeros(all as usize);
            memory.scratch.push(window[CONST_STACK_BASE]..window[CONST_STACK_BASE] + all);
            window[CONST_STACK_SIZE] = interface.stack_bytes;
        }
        for (n, b) in interface.bindings.iter().enumerate() {
            if interface.bindings[..n].iter().any(|o| o.at() == b.at()) {
                let message = format!("{} is of an array of buffers", b.describe());
                return fail(message, "a binding of a scene is one buffer: give each its own number");
            }
            let Some(Region { address, bytes, .. }) = regions.iter().find(|r| r.key == b.at()) else {
                let table = if self.spec.pass.is_empty() { "draw.binding" } else { "pass.draw.binding" };
                let help = format!("add a [[{table}]] with {}", b.key());
                return fail(format!("{} has no data", b.describe()), &help);
            };
            if (bytes.len() as u32) < b.min_bytes {
                let message = format!("`{}` needs {} bytes, its binding has {}", b.name, b.min_bytes, bytes.len());
                return fail(message, "add values; vectors of 3 take the room of 4");
            }
            let entry = CONST_BUFFERS + 2 * b.index as usize;
            (window[entry], window[entry + 1]) = (*address, bytes.len() as u32);
            if b.kind == BindingKind::Uniform {
                for k in 0..b.const_words as usize {
                    let word = bytes.get(4 * k..4 * k + 4).map_or(0, |w| u32::from_le_bytes([w[0], w[1], w[2], w[3]]));
                    window[b.const_at as usize + k] = word;
                }
            }
        }
        if interface.derived.is_none() && interface.specialisation.is_none() {
            return Ok(window);
        }
        let known: Uniforms = regions.iter().map(|r| (r.key, known_words(&r.bytes))).collect();
        let wrong = |why: String| {
            let help = "this is a mistake of the compiler or of the golden model: please report it";
            self.error(span.clone(), why, help)
        };
        for (at, value) in linking::constants(interface, &known).map_err(wrong)? {
            window[at as usize % WINDOW_WORDS] = value;
        }
        Ok(window)
    }
}

/// The words of a buffer that can be uniforms.
fn known_words(bytes: &[u8]) -> Vec<Option<u32>> {
    let words = bytes.chunks(4).map(|c| c.iter().rev().fold(0u32, |w, b| w << 8 | u32::from(*b)));
    words.take(UNIFORM_WORDS as usize).map(Some).collect()
}

/// Names the vertex buffers (slot, byte address, bytes) in a window of constants.
pub(super) fn vertex_buffers(window: &mut [u32; WINDOW_WORDS], buffers: &[(u32, u32, u32)]) {
    for &(slot, address, bytes) in buffers {
        let entry = CONST_BUFFERS + 2 * (MAX_BUFFERS - 1 - slot as usize);
        (window[entry], window[entry + 1]) = (address, bytes);
    }
}
