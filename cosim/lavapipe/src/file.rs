//! A compute shader of anybody's, with made-up inputs: its buffers hold small numbers, or floats.
//!
//! Nothing is known of the shader, so a difference need not be a mistake: results of floats may
//! differ where the specification leaves room, invocations may race, and inputs may be outside what
//! the shader is for. A person has to look. So this is a tool, not a test.

use crate::case::{Case, Judge, Source};
use crate::vulkan::Buffer;
use crate::{ours, wgsl};
use quadlock_shader::front::Lang;
use quadlock_shader::interface::{BindingKind, Stage, PUSH_CONSTANTS};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Words of each buffer.
const WORDS: usize = 4096;

/// The shader of a file, with inputs of a seed. Modulo 3 it says which: numbers below 8, floats
/// from 1 to 2 in steps of 1/16, numbers below 2.
///
/// # Errors
/// In words: the file cannot be read, it is not accepted, or is no compute shader.
pub fn case(path: &str, seed: u64) -> Result<Case, String> {
    let bytes = std::fs::read(path).map_err(|e| e.to_string())?;
    let lang = Lang::from_path(path).ok_or("no extension of a shader")?;
    let text = || String::from_utf8_lossy(&bytes).into_owned();
    let c = ours::compiled(path, &bytes, lang, None)?;
    let i = &c.binary.interface;
    if i.stage != Stage::Compute {
        return Err("no compute shader".into());
    }
    let module = match lang {
        Lang::Spirv => bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect(),
        Lang::Wgsl => wgsl::module(&text())?,
        Lang::Glsl(_) => quadlock_glsl::compile(path, &text(), quadlock_glsl::Stage::Compute, &|_, _| None)
            .map_err(|e| format!("{e:?}"))?,
    };
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut word = || match seed % 3 {
        0 => random.random_range(0..8),
        2 => random.random_range(0..2),
        _ => (1.0 + random.random_range(0..16) as f32 / 16.0).to_bits(),
    };
    let mut buffer = |b: &quadlock_shader::interface::Binding| Buffer {
        set: b.group,
        binding: b.binding,
        uniform: b.kind == BindingKind::Uniform,
        words: (0..WORDS).map(|_| word()).collect(),
    };
    let bound = |b: &&quadlock_shader::interface::Binding| (b.group, b.binding) != PUSH_CONSTANTS;
    let buffers = i.bindings.iter().filter(bound).map(&mut buffer).collect();
    Ok(Case {
        name: format!("file {path} {seed}"),
        ours: vec![Source { lang, bytes: bytes.clone() }],
        module,
        entry: i.entry.clone(),
        groups: [1, 1, 1],
        judge: Judge::Nobody,
        buffers,
        push: (0..32).map(|n| n % 8).collect(),
        text: if lang == Lang::Spirv { String::new() } else { text() },
    })
}
