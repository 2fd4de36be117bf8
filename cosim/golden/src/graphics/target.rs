//! Targets of a pass: colours of all samples, depth and stencil, as words; loading, clearing,
//! testing, blending, storing and resolving them.
//!
//! In memory a line of 16 bytes is a quad and a plane is an image of lines. Here a sample's words
//! stand together, because the model goes pixel by pixel. Wrong would be a plane taken for another;
//! the harness reads images by its own reading of the page.

use super::arith::{add, mul, sub};
use super::blend::{resolve, unorm, Colours, Equation, Factor, Operation};
use super::records::{Compare, Format, Pass, State, Write};
use super::srgb;
use crate::config::Fault;
use crate::float::{f16_to_f32, pack2x16float};
use crate::memory::Memory;

const ONE: u32 = 0x3F80_0000;

/// The targets of a pass that is open.
#[derive(Clone, Debug)]
pub struct Targets {
    pass: Pass,
    samples: usize,
    /// Of each target, by pixel and sample.
    colours: Vec<Vec<[u32; 2]>>,
    /// By pixel and sample: depth in 23:0, stencil in 31:24.
    depth: Vec<u32>,
}

/// What a test leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tested {
    /// The sample is still covered.
    pub passes: bool,
    /// Depth or stencil has been written anew.
    pub written: bool,
}

impl Targets {
    /// Opens a pass: loads or clears.
    pub fn open(pass: Pass, memory: &Memory) -> Targets {
        let samples = pass.samples.places().len();
        let count = (pass.width * pass.height) as usize * samples;
        let mut out = Targets { samples, colours: vec![], depth: vec![], pass };
        for t in 0..out.pass.targets.len() {
            let target = out.pass.targets[t];
            let mut colours = vec![target.clear; count];
            if target.load {
                out.each(|out, place, x, y, s| {
                    let words = target.format.words();
                    for (w, word) in colours[place].iter_mut().enumerate().take(words) {
                        *word = memory.read32(out.address(target.address, w * samples + s, x, y));
                    }
                });
            }
            out.colours.push(colours);
        }
        if let Some(d) = out.pass.depth {
            let mut depth = vec![d.clear; count];
            let keep = if d.load_depth { 0xFF_FFFF } else { 0 } | if d.load_stencil { 0xFF00_0000 } else { 0 };
            if keep != 0 {
                out.each(|out, place, x, y, s| {
                    let word = memory.read32(out.address(d.address, s, x, y));
                    depth[place] = d.clear & !keep | word & keep;
                });
            }
            out.depth = depth;
        }
        out
    }

    /// The pass.
    pub fn pass(&self) -> &Pass {
        &self.pass
    }

    fn each(&self, mut act: impl FnMut(&Targets, usize, u32, u32, usize)) {
        for y in 0..self.pass.height {
            for x in 0..self.pass.width {
                for s in 0..self.samples {
                    act(self, self.place(x, y, s), x, y, s);
                }
            }
        }
    }

    fn place(&self, x: u32, y: u32, sample: usize) -> usize {
        (y * self.pass.width + x) as usize * self.samples + sample
    }

    /// Byte address of a word of a sample in memory.
    fn address(&self, base: u32, plane: usize, x: u32, y: u32) -> u32 {
        let line = plane as u32 * self.pass.plane + (y / 2) * self.pass.row + x / 2;
        base.wrapping_add(16 * line + 4 * (2 * (y & 1) + (x & 1)))
    }

    /// Stencil test, depth test and their writes at a sample.
    pub fn test(&mut self, state: &State, front: bool, (x, y, sample): (u32, u32, usize), depth: u32) -> Tested {
        if self.depth.is_empty() {
            return Tested { passes: true, written: false };
        }
        let place = self.place(x, y, sample);
        let old = self.depth[place];
        let (stored, stencil) = (old & 0xFF_FFFF, (old >> 24) as u8);
        let side = &state.stencil[usize::from(!front && !state.has(Fault::RuleStencilBack))];
        let read = |v: u8| u32::from(v & state.stencil_read);
        let stencil_ok = !state.stencil_test || side.compare.passes(read(state.stencil_reference), read(stencil));
        let compare = match state.depth_compare {
            Compare::LessEqual if state.has(Fault::RuleLessEqual) => Compare::Less,
            compare => compare,
        };
        let depth_ok = !state.depth_test || compare.passes(depth, stored);
        let mut new = old;
        if state.stencil_test {
            let operation = match (stencil_ok, depth_ok) {
                (false, _) => side.fail,
                (true, false) if state.has(Fault::RuleStencilFail) => side.fail,
                (true, false) => side.depth_fail,
                (true, true) => side.pass,
            };
            let value = operation.apply(stencil, state.stencil_reference);
            let mask = state.stencil_write;
            new = stored | u32::from(stencil & !mask | value & mask) << 24;
        }
        let passes = stencil_ok && depth_ok;
        if passes && state.depth_test && state.depth_write {
            new = new & 0xFF00_0000 | depth;
        }
        self.depth[place] = new;
        Tested { passes, written: new != old }
    }

    /// Whether a depth passes the depth test at a sample; changes nothing.
    pub fn depth_passes(&self, state: &State, (x, y, sample): (u32, u32, usize), depth: u32) -> bool {
        let stored = self.depth.get(self.place(x, y, sample)).map(|old| old & 0xFF_FFFF);
        !state.depth_test || stored.is_none_or(|stored| state.depth_compare.passes(depth, stored))
    }

    /// Writes a fragment's colours at a sample; word 2 t + k of `words` is word k of target t.
    pub fn write(&mut self, state: &State, (x, y, sample): (u32, u32, usize), words: &[u32; 8]) {
        let place = self.place(x, y, sample);
        for (t, target) in self.pass.targets.iter().enumerate() {
            let old = self.colours[t][place];
            let new = [words[2 * t], words[2 * t + 1]];
            let write = planted(state, &state.writes[t]);
            if state.has(Fault::RuleSrgb) && target.format == Format::Srgb8 && write.blend.is_some() {
                let codes = |words: [u32; 2]| [to_codes(halves(words)), 0];
                let [code, _] = codes([state.constant[0], state.constant[1]]);
                self.colours[t][place] = written(Format::Unorm8, &write, &[code; 4], codes(new), old);
                continue;
            }
            self.colours[t][place] = written(target.format, &write, &state.constant, new, old);
        }
    }

    /// Ends the pass: stores and resolves.
    pub fn close(self, memory: &mut Memory) {
        for (t, target) in self.pass.targets.iter().enumerate() {
            let words = target.format.words();
            if target.store {
                self.each(|this, place, x, y, s| {
                    for w in 0..words {
                        let at = this.address(target.address, w * this.samples + s, x, y);
                        memory.write32(at, this.colours[t][place][w]);
                    }
                });
            }
            let Some(base) = target.resolve else { continue };
            for (y, x) in (0..self.pass.height).flat_map(|y| (0..self.pass.width).map(move |x| (y, x))) {
                let place = self.place(x, y, 0);
                let mean = mean(target.format, &self.colours[t][place..place + self.samples]);
                for (w, word) in mean.into_iter().enumerate().take(words) {
                    memory.write32(self.address(base, w, x, y), word);
                }
            }
        }
        if let Some(d) = self.pass.depth.filter(|d| d.store) {
            self.each(|this, place, x, y, s| memory.write32(this.address(d.address, s, x, y), this.depth[place]));
        }
    }
}

fn bytes(word: u32) -> [u32; 4] {
    word.to_le_bytes().map(u32::from)
}

fn of_bytes(b: [u32; 4]) -> u32 {
    u32::from_le_bytes(b.map(|b| b as u8))
}

fn halves(words: [u32; 2]) -> [u32; 4] {
    [words[0] & 0xFFFF, words[0] >> 16, words[1] & 0xFFFF, words[1] >> 16]
}

fn to_light(word: u32) -> [u32; 4] {
    let b = bytes(word);
    [srgb::decode(b[0]), srgb::decode(b[1]), srgb::decode(b[2]), srgb::widen(b[3])]
}

fn to_codes(light: [u32; 4]) -> u32 {
    of_bytes([srgb::encode(light[0]), srgb::encode(light[1]), srgb::encode(light[2]), srgb::narrow(light[3])])
}

/// How a target is written, with the planted bugs of that.
fn planted(state: &State, write: &Write) -> Write {
    let mut out = *write;
    if state.has(Fault::RuleWriteMask) {
        out.mask = out.mask & 0b1010 | (out.mask & 1) << 2 | out.mask >> 2 & 1;
    }
    if state.has(Fault::RuleBlendAlpha) {
        out.blend = out.blend.map(|(colour, _)| (colour, colour));
    }
    out
}

/// A target's new words.
fn written(format: Format, write: &Write, constant: &[u32; 4], new: [u32; 2], old: [u32; 2]) -> [u32; 2] {
    let component =
        |bits: u32| (0..4).filter(|k| write.mask >> k & 1 == 1).fold(0, |m, k| m | bits << (bits.count_ones() * k));
    match format {
        Format::Unorm8 => {
            let colour = match write.blend {
                Some((colour, alpha)) => {
                    let c = Colours { source: bytes(new[0]), destination: bytes(old[0]), constant: bytes(constant[0]) };
                    of_bytes(unorm(&c, colour, alpha, 255))
                }
                None => new[0],
            };
            let mask = component(0xFF);
            [old[0] & !mask | colour & mask, old[1]]
        }
        Format::Srgb8 => {
            let source = halves(new);
            let light = match write.blend {
                Some((colour, alpha)) => {
                    let constant = halves([constant[0], constant[1]]);
                    unorm(&Colours { source, destination: to_light(old[0]), constant }, colour, alpha, 65535)
                }
                None => source,
            };
            let mask = component(0xFF);
            [old[0] & !mask | to_codes(light) & mask, old[1]]
        }
        Format::Float16 => {
            let colour = match write.blend {
                Some((colour, alpha)) => {
                    let [s, d, c] = [new, old, [constant[2], constant[3]]].map(|w| halves(w).map(f16_to_f32));
                    let out = float(s, d, c, colour, alpha);
                    [pack2x16float(out[0], out[1]), pack2x16float(out[2], out[3])]
                }
                None => new,
            };
            let component = |k: u32| if write.mask >> k & 1 == 1 { 0xFFFF } else { 0 };
            std::array::from_fn(|w| {
                let mask = component(2 * w as u32) | component(2 * w as u32 + 1) << 16;
                old[w] & !mask | colour[w] & mask
            })
        }
        Format::Float32 if write.mask & 1 == 1 => [new[0], old[1]],
        Format::Float32 => old,
    }
}

/// Blending of f32.
fn float(s: [u32; 4], d: [u32; 4], c: [u32; 4], colour: Equation, alpha: Equation) -> [u32; 4] {
    let minus = |v: u32| sub(ONE, v);
    let factor = |factor: Factor, k: usize| match factor {
        Factor::Zero => 0,
        Factor::One => ONE,
        Factor::Source => s[k],
        Factor::OneMinusSource => minus(s[k]),
        Factor::SourceAlpha => s[3],
        Factor::OneMinusSourceAlpha => minus(s[3]),
        Factor::Destination => d[k],
        Factor::OneMinusDestination => minus(d[k]),
        Factor::DestinationAlpha => d[3],
        Factor::OneMinusDestinationAlpha => minus(d[3]),
        Factor::SourceAlphaSaturated if k == 3 => ONE,
        Factor::SourceAlphaSaturated => least(s[3], minus(d[3])),
        Factor::Constant => c[k],
        Factor::OneMinusConstant => minus(c[k]),
    };
    std::array::from_fn(|k| {
        let e = if k == 3 { alpha } else { colour };
        let (ps, pd) = (mul(s[k], factor(e.source, k)), mul(d[k], factor(e.destination, k)));
        match e.operation {
            Operation::Add => add(ps, pd),
            Operation::Subtract => sub(ps, pd),
            Operation::ReverseSubtract => sub(pd, ps),
            Operation::Min => least(s[k], d[k]),
            Operation::Max => least(s[k] ^ 1 << 31, d[k] ^ 1 << 31) ^ 1 << 31,
        }
    })
}

/// FMIN: a NaN loses, -0 is below +0.
fn least(a: u32, b: u32) -> u32 {
    let (x, y) = (f32::from_bits(a), f32::from_bits(b));
    match (x.is_nan(), y.is_nan()) {
        (true, true) => 0x7FC0_0000,
        (true, false) => b,
        (false, true) => a,
        _ if x == y => a | b,
        _ if x < y => a,
        _ => b,
    }
}

/// The mean of a pixel's samples.
fn mean(format: Format, samples: &[[u32; 2]]) -> [u32; 2] {
    let integers = |of: &dyn Fn([u32; 2]) -> [u32; 4]| -> [u32; 4] {
        std::array::from_fn(|k| resolve(&samples.iter().map(|&s| of(s)[k]).collect::<Vec<_>>()))
    };
    let part = (1.0 / samples.len() as f32).to_bits();
    let floats = |of: &dyn Fn([u32; 2]) -> u32| {
        let sum = samples[1..].iter().fold(of(samples[0]), |sum, &s| add(sum, of(s)));
        mul(sum, part)
    };
    match format {
        Format::Unorm8 => [of_bytes(integers(&|s| bytes(s[0]))), 0],
        Format::Srgb8 => [to_codes(integers(&|s| to_light(s[0]))), 0],
        Format::Float16 => {
            let m: [u32; 4] = std::array::from_fn(|k| floats(&|s| f16_to_f32(halves(s)[k])));
            [pack2x16float(m[0], m[1]), pack2x16float(m[2], m[3])]
        }
        Format::Float32 => [floats(&|s| s[0]), 0],
    }
}
