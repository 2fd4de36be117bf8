//! Tests of the front end: a small shader is lowered, verified and run by the SSA interpreter on
//! buffers, and the buffers are compared with what Rust computes. [`Run`] is the host: it binds
//! buffers, fills the buffer table and the uniform words, as `docs/machine.md` says.

mod accuracy;
mod basics;
mod constants;
mod contraction;
mod effects;
mod errors;
mod glsl;
mod glsl_values;
mod helpers;
mod math;
mod memory;
mod narrow;
mod numbers;
mod semaphores;
mod spirv;
mod spirv_more;
mod spirv_opcodes;
mod torture;
mod warps;
mod wgsl_values;

use super::{lower, parse, Lang, Lowered, Options};
use crate::interface::BindingKind;
use crate::ssa::interp::{self, Launch};
use crate::ssa::verify::verify_module;
use quadlock_isa::abi::{CONST_BUFFERS, CONST_GRID, CONST_USER};

/// Lowers and verifies; panics with the diagnostics.
pub fn compile(source: &str, lang: Lang) -> Lowered {
    compile_with(source, lang, &Options::default())
}

pub fn compile_with(source: &str, lang: Lang, options: &Options) -> Lowered {
    let parsed = parse("test", source.as_bytes(), lang, None).unwrap_or_else(|e| panic!("{e}"));
    let lowered = lower(&parsed, options).unwrap_or_else(|e| panic!("{e}"));
    if let Err(e) = verify_module(&lowered.module) {
        panic!("{e}\n{}", lowered.module);
    }
    lowered
}

/// The messages of a source that must be refused.
pub fn refused(source: &str, lang: Lang) -> Vec<String> {
    let result = parse("t.wgsl", source.as_bytes(), lang, None).and_then(|p| lower(&p, &Options::default()));
    match result {
        Ok(_) => panic!("accepted: {source}"),
        Err(e) => e.0.iter().map(|d| d.to_string()).collect(),
    }
}

/// A launch on buffers, in order of group and binding.
pub struct Run {
    pub lowered: Lowered,
    pub grid: [u32; 3],
    pub buffers: Vec<Vec<u32>>,
}

impl Run {
    pub fn wgsl(source: &str) -> Run {
        Run { lowered: compile(source, Lang::Wgsl), grid: [1; 3], buffers: vec![] }
    }
    pub fn glsl(source: &str) -> Run {
        Run { lowered: compile(source, Lang::Glsl(crate::interface::Stage::Compute)), grid: [1; 3], buffers: vec![] }
    }
    pub fn grid(mut self, x: u32, y: u32, z: u32) -> Run {
        self.grid = [x, y, z];
        self
    }
    pub fn words(mut self, words: &[u32]) -> Run {
        self.buffers.push(words.to_vec());
        self
    }
    pub fn floats(mut self, floats: &[f32]) -> Run {
        self.buffers.push(floats.iter().map(|f| f.to_bits()).collect());
        self
    }
    pub fn zeros(self, words: usize) -> Run {
        self.words(&vec![0; words])
    }

    /// Runs; the buffers hold the result.
    pub fn go(mut self) -> Run {
        let interface = &self.lowered.interface;
        assert_eq!(interface.bindings.len(), self.buffers.len(), "buffers of the test");
        let mut constants = vec![0u32; 1024];
        constants[CONST_GRID..CONST_GRID + 3].copy_from_slice(&self.grid);
        let mut memory = vec![0u8; 0x1000];
        let mut starts = Vec::new();
        for (binding, words) in interface.bindings.iter().zip(&self.buffers) {
            // A guard of 64 bytes between buffers shows stray writes.
            memory.resize((memory.len() + 64).next_multiple_of(16), 0xEE);
            let at = CONST_BUFFERS + 2 * binding.index as usize;
            constants[at] = memory.len() as u32;
            constants[at + 1] = words.len() as u32 * 4;
            starts.push(memory.len());
            memory.extend(words.iter().flat_map(|w| w.to_le_bytes()));
            if binding.kind == BindingKind::Uniform {
                assert!(binding.const_at >= CONST_USER as u32);
                for i in 0..binding.const_words as usize {
                    constants[binding.const_at as usize + i] = words.get(i).copied().unwrap_or(0);
                }
            }
        }
        memory.resize(memory.len() + 64, 0xEE);
        let launch = Launch {
            grid: self.grid,
            group_size: interface.group_size,
            constants,
            shared_bytes: interface.shared_bytes,
            ..Launch::default()
        };
        let outcome = interp::run(&self.lowered.module, self.lowered.entry, &launch, &mut memory);
        let outcome = outcome.unwrap_or_else(|e| panic!("{e}\n{}", self.lowered.module));
        assert_eq!(outcome.faults, 0, "accesses outside of memory");
        for (start, words) in starts.into_iter().zip(&mut self.buffers) {
            for (i, word) in words.iter_mut().enumerate() {
                let at = start + i * 4;
                *word = u32::from_le_bytes([memory[at], memory[at + 1], memory[at + 2], memory[at + 3]]);
            }
        }
        self
    }

    pub fn buffer(&self, index: usize) -> &[u32] {
        &self.buffers[index]
    }
    pub fn float_buffer(&self, index: usize) -> Vec<f32> {
        self.buffers[index].iter().map(|&w| f32::from_bits(w)).collect()
    }
}
