//! Random shaders by way of SPIR-V: naga writes the module, our reader lowers it, and it does what
//! the WGSL does that it was made from. Where `spirv-opt` is installed, also what that makes of it:
//! phis, straightened branches and switches, single-block loops.
//!
//! The writer and the optimiser are not ours. The WGSL's own lowering is the reference, so what
//! both readers share (the emitter) is not proved by this.

use quadlock_shader::front::{self, Lang};
use quadlock_shader::random::wgsl::{generate, RandomShader};
use std::process::Command;

/// The module that naga writes: no bounds checks and loop bounds of its own.
pub fn spirv(wgsl: &str) -> Vec<u8> {
    use naga::back::spv;
    use naga::valid::{Capabilities, ValidationFlags, Validator};
    let module = naga::front::wgsl::parse_str(wgsl).unwrap_or_else(|e| panic!("{e}"));
    let info = Validator::new(ValidationFlags::all(), Capabilities::all()).validate(&module).unwrap();
    let zeroed = spv::ZeroInitializeWorkgroupMemoryMode::Native;
    let mut options = spv::Options {
        lang_version: (1, 5),
        force_loop_bounding: false,
        zero_initialize_workgroup_memory: zeroed,
        ..Default::default()
    };
    options.flags.remove(spv::WriterFlags::ADJUST_COORDINATE_SPACE);
    // The depth that a program writes is held in its range by the compiler, not by naga.
    options.flags.set(spv::WriterFlags::CLAMP_FRAG_DEPTH, false);
    let words = spv::write_vec(&module, &info, &options, None).unwrap_or_else(|e| panic!("{e}\n{wgsl}"));
    set_right(words).iter().flat_map(|w| w.to_le_bytes()).collect()
}

fn results(shader: &RandomShader, source: &[u8], lang: Lang) -> Vec<Vec<u32>> {
    let parsed = front::parse("random", source, lang, None);
    let lowered = parsed.and_then(|p| front::lower(&p, &Default::default()));
    let lowered = lowered.unwrap_or_else(|e| panic!("seed {}: {e}\n{}", shader.seed, shader.wgsl));
    let result = shader.interpret(&lowered, &lowered.module);
    result.unwrap_or_else(|e| panic!("seed {}: {e}\n{}", shader.seed, shader.wgsl)).0
}

/// What naga's writer does in another way than WGSL says is set right. It clamps a float before it
/// is converted to an integer, to the greatest float below the integer's end, and a NaN to the
/// lower end; WGSL has the end itself. Its `!=` is false of a NaN.
fn set_right(mut words: Vec<u32>) -> Vec<u32> {
    let (mut at, mut clamped) = (5, std::collections::HashMap::new());
    while at < words.len() {
        let (count, op) = ((words[at] >> 16) as usize, words[at] & 0xFFFF);
        match op {
            // OpExtInst FClamp: type, result, set, number, operand.
            12 if words[at + 4] == 43 => drop(clamped.insert(words[at + 2], words[at + 5])),
            // OpConvertFToU, OpConvertFToS.
            109 | 110 => words[at + 3] = clamped.get(&words[at + 3]).copied().unwrap_or(words[at + 3]),
            // OpFOrdNotEqual, OpFUnordNotEqual.
            182 => words[at] += 1,
            _ => {}
        }
        at += count;
    }
    words
}

#[test]
fn naga_writes_and_we_read() {
    for seed in 0..150 {
        let shader = generate(seed);
        let want = results(&shader, shader.wgsl.as_bytes(), Lang::Wgsl);
        let got = results(&shader, &spirv(&shader.wgsl), Lang::Spirv);
        assert!(got == want, "seed {seed} computes something else by way of SPIR-V\n{}", shader.wgsl);
    }
}

/// What changes structure and makes phis; what folds floats does not keep NaNs.
const PASSES: [&str; 11] = [
    "--merge-return",
    "--inline-entry-points-exhaustive",
    "--eliminate-dead-functions",
    "--private-to-local",
    "--scalar-replacement=100",
    "--ssa-rewrite",
    "--if-conversion",
    "--local-redundancy-elimination",
    "--eliminate-dead-code-aggressive",
    "--merge-blocks",
    "--cfg-cleanup",
];

/// What the optimiser makes of a module; it is not installed everywhere.
fn optimised(bytes: &[u8], name: &str) -> Option<Vec<u8>> {
    let dir = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (from, to) = (dir.join(format!("{name}.spv")), dir.join(format!("{name}.opt.spv")));
    std::fs::write(&from, bytes).unwrap();
    let run = Command::new("spirv-opt").args(PASSES).arg(&from).arg("-o").arg(&to).output().ok()?;
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    Some(std::fs::read(to).unwrap())
}

#[test]
fn what_an_optimiser_makes_of_it() {
    for seed in 200..300 {
        let shader = generate(seed);
        let Some(bytes) = optimised(&spirv(&shader.wgsl), "random") else { return };
        let want = results(&shader, shader.wgsl.as_bytes(), Lang::Wgsl);
        let got = results(&shader, &bytes, Lang::Spirv);
        assert!(got == want, "seed {seed} computes something else after spirv-opt\n{}", shader.wgsl);
    }
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect()
}

/// The instructions of a module.
fn instructions(words: &[u32]) -> Vec<Vec<u32>> {
    let (mut at, mut out) = (5, vec![]);
    while at < words.len() {
        let count = (words[at] >> 16) as usize;
        out.push(words[at..at + count].to_vec());
        at += count;
    }
    out
}

fn module(header: &[u32], instructions: &[Vec<u32>]) -> Vec<u8> {
    let all = [header, &instructions.concat()].concat();
    all.iter().flat_map(|w| w.to_le_bytes()).collect()
}

/// The program that the reader makes of a module; places are left out of it.
fn program(bytes: &[u8], seed: u64) -> String {
    let parsed = front::parse("random.spv", bytes, Lang::Spirv, None);
    let lowered = parsed.and_then(|p| front::lower(&p, &Default::default()));
    lowered.unwrap_or_else(|e| panic!("seed {seed}: {e}")).module.to_string()
}

/// An operation is chosen by its opcode: with the sign of every integer type turned round the
/// program is the same.
#[test]
fn signs_of_types_change_nothing() {
    let mut seen = 0;
    for seed in 400..600 {
        let bytes = spirv(&generate(seed).wgsl);
        let all = words(&bytes);
        let mut turned = instructions(&all);
        for i in turned.iter_mut().filter(|i| i[0] & 0xFFFF == 21) {
            i[3] ^= 1;
            seen += 1;
        }
        let turned = module(&all[..5], &turned);
        assert!(program(&turned, seed) == program(&bytes, seed), "seed {seed}");
    }
    assert!(seen > 200, "{seen} integer types were turned round");
}

/// The blocks of each function in the order in which a search finds them that takes successors as
/// it likes: a legal order, since what dominates a block is found before it.
fn shuffled(instructions: &[Vec<u32>], seed: u64) -> Vec<Vec<u32>> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut random = move |n: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % n as u64) as usize
    };
    let op = |i: &Vec<u32>| i[0] & 0xFFFF;
    let mut out: Vec<Vec<u32>> = vec![];
    let mut blocks: Vec<Vec<Vec<u32>>> = vec![];
    for i in instructions {
        match op(i) {
            248 => blocks.push(vec![i.clone()]),
            // OpFunctionEnd.
            56 => {
                let number = |label: u32| blocks.iter().position(|b| b[0][1] == label);
                let (mut work, mut seen) = (vec![0], vec![false; blocks.len()]);
                while !work.is_empty() {
                    let at = work.swap_remove(random(work.len()));
                    if std::mem::replace(&mut seen[at], true) {
                        continue;
                    }
                    out.extend(blocks[at].clone());
                    // The labels that a branch or a switch names.
                    let last = blocks[at].last().into_iter().filter(|i| [249, 250, 251].contains(&op(i)));
                    work.extend(last.flat_map(|i| &i[1..]).filter_map(|&w| number(w)).filter(|&b| !seen[b]));
                }
                let rest = blocks.iter().zip(&seen).filter(|(_, seen)| !**seen);
                out.extend(rest.flat_map(|(b, _)| b.clone()));
                out.push(i.clone());
                blocks.clear();
            }
            _ => match blocks.last_mut() {
                Some(block) => block.push(i.clone()),
                None => out.push(i.clone()),
            },
        }
    }
    out
}

/// The order of the blocks in the file is no part of the program.
#[test]
fn the_files_order_of_blocks_changes_nothing() {
    let mut moved = 0;
    for seed in 600..1100 {
        let bytes = spirv(&generate(seed).wgsl);
        let all = words(&bytes);
        let other = module(&all[..5], &shuffled(&instructions(&all), seed));
        moved += usize::from(other != bytes);
        assert!(program(&other, seed) == program(&bytes, seed), "seed {seed}");
    }
    assert!(moved > 400, "{moved} of 500 modules have another order");
}
