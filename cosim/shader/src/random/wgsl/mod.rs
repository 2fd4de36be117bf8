//! Random structured WGSL compute shaders with their input data, for the whole compiler and for
//! lockstep.
//!
//! Every shader is valid, ends, and gives one result whatever the order of its invocations: each
//! writes its own window of the output, shared counters are updated by operations that commute and
//! whose old value is not used, work-group memory is read only between barriers in uniform control
//! flow. Literal operands are kept away from what WGSL forbids in constant expressions (shifts by
//! 32, division by zero): the left operand of every operation is a run-time value. What it does not
//! make: textures, pointers as parameters, recursion, structs beyond the uniform one. A mistake
//! here is a shader that the front end refuses, which is tested over many seeds.

mod expr;
mod generator;
mod stmt;

use crate::front::Lowered;
use crate::interface::BindingKind;
use crate::ssa::interp::{self, Launch, Outcome};
use crate::ssa::Module;
use generator::{Generator, COUNTERS, INPUT};
use quadlock_isa::abi;
use rand::Rng;

pub use generator::WINDOW;

/// A buffer of the shader, in group 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RandomBuffer {
    /// Name of the variable.
    pub name: &'static str,
    /// Number of the binding in group 0.
    pub binding: u32,
    /// Contents before the run.
    pub words: Vec<u32>,
    /// Whether the shader may write it.
    pub written: bool,
}

/// A shader with everything a run needs. Its entry point is `main`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RandomShader {
    /// Seed that it was drawn from.
    pub seed: u64,
    /// Source text.
    pub wgsl: String,
    /// Work groups along x, y, z.
    pub grid: [u32; 3],
    /// In order of binding.
    pub buffers: Vec<RandomBuffer>,
}

/// Written between the buffers; a changed byte is a stray write.
const GUARD: u8 = 0xEE;

impl RandomShader {
    /// Runs `module`, the lowered one or what the passes made of it, in the SSA interpreter; the
    /// host's part is as on the machine page. Returns the words of each buffer afterwards. Errors:
    /// those of the interpreter, accesses outside the memory, writes between the buffers.
    pub fn interpret(&self, lowered: &Lowered, module: &Module) -> Result<(Vec<Vec<u32>>, Outcome), String> {
        let mut constants = vec![0; abi::CONST_WORDS];
        constants[abi::CONST_GRID..abi::CONST_GRID + 3].copy_from_slice(&self.grid);
        let mut memory = vec![0; 0x1000];
        let mut places = vec![];
        for buffer in &self.buffers {
            places.push(memory.len());
            memory.extend(buffer.words.iter().flat_map(|w| w.to_le_bytes()));
            memory.resize((memory.len() + 16).next_multiple_of(16), GUARD);
        }
        for b in &lowered.interface.bindings {
            let at = b.binding as usize;
            let words = &self.buffers.get(at).ok_or_else(|| format!("no buffer for binding {at}"))?.words;
            constants[abi::CONST_BUFFERS + 2 * b.index as usize] = places[at] as u32;
            constants[abi::CONST_BUFFERS + 2 * b.index as usize + 1] = words.len() as u32 * 4;
            if b.kind == BindingKind::Uniform {
                let n = (b.const_words as usize).min(words.len());
                constants[b.const_at as usize..b.const_at as usize + n].copy_from_slice(&words[..n]);
            }
        }
        lowered.interface.constants.iter().for_each(|(w, v)| constants[*w as usize] = *v);
        let launch = Launch {
            grid: self.grid,
            group_size: lowered.interface.group_size,
            constants,
            shared_bytes: lowered.interface.shared_bytes,
            step_limit: 50_000_000,
        };
        let outcome = interp::run(module, lowered.entry, &launch, &mut memory)?;
        if outcome.faults > 0 {
            return Err(format!("{} accesses outside the memory", outcome.faults));
        }
        let mut out = vec![];
        for (buffer, &at) in self.buffers.iter().zip(&places) {
            let end = at + buffer.words.len() * 4;
            if memory[end..end + 16] != [GUARD; 16] {
                return Err(format!("write behind buffer `{}`", buffer.name));
            }
            let words = memory[at..end].chunks(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]]));
            out.push(words.collect());
        }
        Ok((out, outcome))
    }
}

/// The shader of a seed.
pub fn generate(seed: u64) -> RandomShader {
    draw(Generator::new(seed))
}

/// The shader of a seed, with floats that every implementation computes alike, for runs beside
/// another one: operations that are rounded correctly everywhere, results that are neither
/// subnormal nor infinite nor NaN nor -0, conversions to integers within their range.
pub fn generate_exact(seed: u64) -> RandomShader {
    draw(Generator { exact: true, ..Generator::new(seed) })
}

fn draw(mut g: Generator) -> RandomShader {
    let seed = g.seed;
    let size: [u32; 2] = [[4, 1], [8, 1], [4, 2], [3, 2], [16, 1]][g.rng.random_range(0..5)];
    let groups = g.rng.random_range(1..3);
    let wgsl = g.shader(size);
    let invocations = size[0] * size[1] * groups;
    let words = |g: &mut Generator, n: u32| (0..n).map(|_| g.word()).collect::<Vec<u32>>();
    let buffer = |name, binding, words, written| RandomBuffer { name, binding, words, written };
    let buffers = vec![
        buffer("params", 0, words(&mut g, 4), false),
        buffer("input", 1, words(&mut g, INPUT), false),
        buffer("output", 2, words(&mut g, invocations * WINDOW), true),
        buffer("counters", 3, words(&mut g, COUNTERS as u32), true),
    ];
    RandomShader { seed, wgsl, grid: [groups, 1, 1], buffers }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::front::{self, Lang};
    use crate::passes::{pipeline, Options};

    fn lower(shader: &RandomShader) -> Lowered {
        let parsed = front::parse("random.wgsl", shader.wgsl.as_bytes(), Lang::Wgsl, None);
        let lowered = parsed.and_then(|p| front::lower(&p, &Default::default()));
        lowered.unwrap_or_else(|e| panic!("seed {}: {e}\n{}", shader.seed, shader.wgsl))
    }

    #[test]
    fn the_front_end_accepts_every_shader() {
        for seed in 0..300 {
            lower(&generate(seed));
        }
    }

    #[test]
    fn shaders_do_the_same_before_and_after_the_passes() {
        let (mut before, mut after) = (0, 0);
        for seed in 0..60 {
            let shader = generate(seed);
            let lowered = lower(&shader);
            let run = |module| {
                let result = shader.interpret(&lowered, module);
                result.unwrap_or_else(|e| panic!("seed {seed}: {e}\n{}", shader.wgsl))
            };
            let (want, outcome) = run(&lowered.module);
            before += outcome.steps;
            let mut module = lowered.module.clone();
            pipeline::optimise(&mut module, lowered.entry, &Options::default())
                .unwrap_or_else(|e| panic!("seed {seed}: {e}"));
            let (got, outcome) = run(&module);
            after += outcome.steps;
            assert!(got == want, "seed {seed} computes something else\n{}", shader.wgsl);
        }
        assert!(after * 2 < before, "{before} steps became {after}");
    }
}
