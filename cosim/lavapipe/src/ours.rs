//! The same run on us: the compiler, then the golden model, with memory laid out as a job's is
//! (docs/machine.md).

use crate::vulkan::Buffer;
use quadlock_golden::{Config, Golden, Grid, Memory};
use quadlock_isa::abi;
use quadlock_shader::front::Lang;
use quadlock_shader::interface::{BindingKind, PUSH_CONSTANTS};
use quadlock_shader::{compile, CompileRequest, Compiled, Options};

/// Instructions of all warps that a run may take.
const LIMIT: u64 = 50_000_000;

/// Compiles a source for a run.
pub fn compiled(path: &str, source: &[u8], lang: Lang, entry: Option<&str>) -> Result<Compiled, String> {
    // lavapipe fuses nothing; nor do we, so that words can be compared.
    let options = Options { exact: true, ..Options::default() };
    let request = CompileRequest { lang: Some(lang), entry, options, ..CompileRequest::new(path, source) };
    compile(&request).map_err(|e| e.to_string())
}

/// Runs a program on `groups` work groups; gives back the words of each buffer. Errors: a binding
/// without a buffer, traps, accesses outside the memory, endless runs.
pub fn run(c: &Compiled, groups: [u32; 3], buffers: &[Buffer], push: &[u32]) -> Result<Vec<Vec<u32>>, String> {
    let i = &c.binary.interface;
    let config = Config { units: 2, warps: 16, shared_words: 8192, ..Config::default() };
    let mut memory = vec![0u8; 0x1000];
    let mut constants = vec![0u32; abi::CONST_WORDS];
    constants[abi::CONST_GRID..abi::CONST_GRID + 3].copy_from_slice(&groups);
    let mut places: Vec<Option<u32>> = vec![None; buffers.len()];
    for b in &i.bindings {
        let found = buffers.iter().position(|d| (d.set, d.binding) == (b.group, b.binding));
        let data: &[u32] = match found {
            Some(n) => &buffers[n].words,
            None if (b.group, b.binding) == PUSH_CONSTANTS => push,
            None => return Err(format!("no data for {}", b.name)),
        };
        let at = memory.len() as u32;
        memory.extend(data.iter().flat_map(|w| w.to_le_bytes()));
        if let Some(n) = found {
            places[n] = Some(at);
        }
        constants[abi::CONST_BUFFERS + 2 * b.index as usize] = at;
        constants[abi::CONST_BUFFERS + 2 * b.index as usize + 1] = data.len() as u32 * 4;
        if b.kind == BindingKind::Uniform {
            for w in 0..b.const_words as usize {
                constants[b.const_at as usize + w] = data.get(w).copied().unwrap_or(0);
            }
        }
        memory.resize(memory.len().next_multiple_of(64) + 64, 0);
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
    let stats = golden.run_grid(&grid, LIMIT).map_err(|e| e.to_string())?;
    if stats.traps + stats.memory_faults > 0 {
        return Err(format!("traps {:?}, memory faults {:?}", golden.traps(), golden.memory_faults()));
    }
    let words = |(b, at): (&Buffer, &Option<u32>)| match at {
        Some(at) => (0..b.words.len() as u32).map(|w| golden.memory().read32(at + 4 * w)).collect(),
        // A buffer that the program does not use stays as it was.
        None => b.words.clone(),
    };
    Ok(buffers.iter().zip(&places).map(words).collect())
}
