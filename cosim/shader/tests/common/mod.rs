//! A host for tests: puts buffers, uniforms and stacks into memory as the machine page says, runs a
//! binary on the golden model, reads buffers back.

pub mod atomics;
pub mod draw;

use quadlock_golden::{Config, Golden, Grid, Memory, RunStats};
use quadlock_isa::abi;
use quadlock_shader::interface::BindingKind;
use quadlock_shader::{compile, CompileRequest, Compiled, Options};

/// Compiles with options; a failure prints its messages.
pub fn compiled(path: &str, source: &str, options: Options) -> Compiled {
    let request = CompileRequest { options, ..CompileRequest::new(path, source.as_bytes()) };
    compile(&request).unwrap_or_else(|e| panic!("{e}"))
}

/// The text of an example's shader.
pub fn example(path: &str) -> String {
    let full = format!("{}/../../examples/{path}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&full).unwrap_or_else(|e| panic!("{full}: {e}"))
}

pub struct Run {
    /// Contents of each buffer afterwards, by binding number, as words.
    pub buffers: Vec<(u32, Vec<u32>)>,
    pub stats: RunStats,
}

impl Run {
    pub fn buffer(&self, binding: u32) -> &[u32] {
        let found = self.buffers.iter().find(|b| b.0 == binding);
        &found.unwrap_or_else(|| panic!("no binding {binding}")).1
    }
}

/// Runs `c` on `groups` work groups with the given buffers (binding number, words).
pub fn run(c: &Compiled, groups: [u32; 3], buffers: &[(u32, Vec<u32>)]) -> Run {
    try_run(c, groups, buffers).unwrap_or_else(|e| panic!("{e}\n{}", c.asm))
}

/// As [`run`], with traps, memory faults and endless runs as errors.
pub fn try_run(c: &Compiled, groups: [u32; 3], buffers: &[(u32, Vec<u32>)]) -> Result<Run, String> {
    let i = &c.binary.interface;
    let config = Config { units: 2, warps: 16, shared_words: 4096, ..Config::default() };
    let mut memory = vec![0u8; 0x1000];
    let mut constants = vec![0u32; abi::CONST_WORDS];
    constants[abi::CONST_GRID..abi::CONST_GRID + 3].copy_from_slice(&groups);
    let mut places = Vec::new();
    for b in &i.bindings {
        let (_, data) = buffers.iter().find(|d| d.0 == b.binding).ok_or(format!("no data for {}", b.name))?;
        let at = memory.len() as u32;
        memory.extend(data.iter().flat_map(|w| w.to_le_bytes()));
        places.push((b.binding, at, data.len()));
        constants[abi::CONST_BUFFERS + 2 * b.index as usize] = at;
        constants[abi::CONST_BUFFERS + 2 * b.index as usize + 1] = data.len() as u32 * 4;
        if b.kind == BindingKind::Uniform {
            for w in 0..b.const_words as usize {
                constants[b.const_at as usize + w] = data.get(w).copied().unwrap_or(0);
            }
        }
        memory.resize(memory.len().next_multiple_of(64) + 64, 0);
    }
    if let Some(derived) = &i.derived {
        let known = |_, binding, word: u32| buffers.iter().find(|d| d.0 == binding)?.1.get(word as usize).copied();
        for (word, value) in quadlock_shader::derived::words(derived, &known)? {
            constants[word as usize] = value;
        }
    }
    constants[abi::CONST_STACK_BASE] = memory.len() as u32;
    constants[abi::CONST_STACK_SIZE] = i.stack_bytes;
    memory.resize(memory.len() + config.units * config.warps * abi::LANES * i.stack_bytes as usize, 0xA5);
    for &(word, value) in &i.constants {
        constants[word as usize] = value;
    }
    let grid =
        Grid { groups, group_size: i.group_size, pinned: i.pinned, group_slots: 0, shared_bytes: i.shared_bytes };
    let mut golden = Golden::new(config, c.binary.code.clone(), constants, Memory::from_bytes(memory));
    let stats = golden.run_grid(&grid, 50_000_000).map_err(|e| e.to_string())?;
    if stats.traps + stats.memory_faults > 0 {
        return Err(format!("traps {:?}, memory faults {:?}", golden.traps(), golden.memory_faults()));
    }
    let read = |&(binding, at, words): &(u32, u32, usize)| {
        let words = (0..words as u32).map(|w| golden.memory().read32(at + 4 * w)).collect();
        (binding, words)
    };
    Ok(Run { buffers: places.iter().map(read).collect(), stats })
}
