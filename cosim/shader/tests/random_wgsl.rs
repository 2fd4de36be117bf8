//! Random WGSL shaders through the whole compiler: what the binary does on the golden model is what
//! the SSA of the front end does in the interpreter.
//!
//! Interpreter and golden model share no arithmetic but the float unit's, so this checks passes,
//! selection, scheduling, registers and layout at once, and the two arithmetics against each other.
//! Each shader is compiled with all registers, with eight (spills everywhere), and without the
//! passes.

use crate::common::{compiled, try_run};
use quadlock_shader::compile::{compile_linked, Uniforms};
use quadlock_shader::fault::CompilerFault;
use quadlock_shader::front::{self, Lang};
use quadlock_shader::random::wgsl::{generate, RandomShader};
use quadlock_shader::{CompileRequest, Options};
use quadlock_testkit::tier;

fn expected(shader: &RandomShader) -> Vec<Vec<u32>> {
    let parsed =
        front::parse("random.wgsl", shader.wgsl.as_bytes(), Lang::Wgsl, None).unwrap_or_else(|e| panic!("{e}"));
    let lowered = front::lower(&parsed, &Default::default()).unwrap_or_else(|e| panic!("{e}"));
    let result = shader.interpret(&lowered, &lowered.module);
    result.unwrap_or_else(|e| panic!("seed {}: {e}\n{}", shader.seed, shader.wgsl)).0
}

/// Runs the seeds, compiled with `options`, and returns the number of spilled values.
fn check(seeds: std::ops::Range<u64>, options: &Options) -> usize {
    // The interpreter rounds each operation.
    let options = &Options { exact: true, ..options.clone() };
    let mut spilled = 0;
    for seed in seeds {
        let shader = generate(seed);
        let want = expected(&shader);
        let c = compiled("random.wgsl", &shader.wgsl, options.clone());
        spilled += c.report.back.spilled;
        let buffers: Vec<(u32, Vec<u32>)> = shader.buffers.iter().map(|b| (b.binding, b.words.clone())).collect();
        let run = try_run(&c, shader.grid, &buffers);
        let run = run.unwrap_or_else(|e| panic!("seed {seed}: {e}\n{}\n{}", shader.wgsl, c.asm));
        // A buffer that the shader does not use is not bound.
        for (binding, got) in &run.buffers {
            let want = &want[*binding as usize];
            if let Some(i) = got.iter().zip(want).position(|(g, w)| g != w) {
                let (g, w) = (got[i], want[i]);
                panic!("seed {seed}: word {i} of binding {binding} is {g:#x}, not {w:#x}\n{}\n{}", shader.wgsl, c.asm);
            }
        }
    }
    spilled
}

#[test]
fn all_registers() {
    check(0..24, &Options::default());
}

#[test]
fn eight_registers() {
    let spilled = check(40..52, &Options { max_registers: 8, ..Options::default() });
    assert!(spilled > 0, "eight registers are enough for every shader: the test proves nothing about spills");
}

#[test]
fn without_passes() {
    let skip = ["const-fold", "copy-prop", "cse", "range", "unroll", "strength", "licm", "schedule", "rotate"];
    check(60..68, &Options { skip_passes: skip.map(String::from).to_vec(), ..Options::default() });
}

/// Each planted fault of the passes changes what some shader computes.
#[test]
fn planted_faults_are_seen() {
    use quadlock_shader::fault::CompilerFault::*;
    for fault in [FoldSub, CseLoadAcrossStore, DceDropsStore, Mem2RegWrongPhi] {
        let options = Options { fault: Some(fault), exact: true, ..Options::default() };
        let seen = (0..30).any(|seed| {
            let shader = generate(seed);
            let c = compiled("random.wgsl", &shader.wgsl, options.clone());
            let buffers: Vec<(u32, Vec<u32>)> = shader.buffers.iter().map(|b| (b.binding, b.words.clone())).collect();
            let want = expected(&shader);
            try_run(&c, shader.grid, &buffers)
                .map_or(true, |r| r.buffers.iter().any(|(b, got)| *got != want[*b as usize]))
        });
        assert!(seen, "{} changes nothing", fault.name());
    }
}

/// Words before the parameters of a shader that is padded: more than a constant bank takes of one
/// buffer.
const PADDING: usize = 320;

/// A random shader, with its parameters at the start of their buffer or far behind.
fn padded(seed: u64, far: bool) -> RandomShader {
    let mut shader = generate(seed);
    if far {
        let start = "struct Params {";
        assert!(shader.wgsl.contains(start), "{}", shader.wgsl);
        shader.wgsl = shader.wgsl.replacen(start, "struct Params { padding: array<vec4u, 80>,", 1);
        shader.buffers[0].words.splice(0..0, [0; PADDING]);
    }
    shader
}

/// Linked as chains of one program, with no word of the parameters known, or with all: every word
/// of every buffer is what it is unlinked. How many words the host derives, how many conditions are
/// assumed, and warp instructions alone and linked.
fn linked(seeds: std::ops::Range<u64>, far: bool, fault: Option<CompilerFault>) -> Result<[u64; 4], String> {
    let mut counts = [0; 4];
    for seed in seeds {
        let shader = padded(seed, far);
        let options = Options { exact: true, fault, ..Options::default() };
        let buffers: Vec<(u32, Vec<u32>)> = shader.buffers.iter().map(|b| (b.binding, b.words.clone())).collect();
        let alone = compiled("random.wgsl", &shader.wgsl, Options { fault: None, ..options.clone() });
        let want = try_run(&alone, shader.grid, &buffers)?;
        let parameters = shader.buffers[0].words.iter().copied().map(Some).collect();
        for known in [Uniforms::new(), Uniforms::from([((0, 0), parameters)])] {
            let request = CompileRequest {
                options: options.clone(),
                ..CompileRequest::new("random.wgsl", shader.wgsl.as_bytes())
            };
            let c = compile_linked(&request, &known).map_err(|e| format!("seed {seed}: {e}"))?;
            let interface = &c.binary.interface;
            counts[0] += interface.derived.as_ref().map_or(0, |d| d.words.len() as u64);
            counts[1] += interface.specialisation.as_ref().map_or(0, |s| s.assumptions.len() as u64);
            let got = try_run(&c, shader.grid, &buffers).map_err(|e| format!("seed {seed}: {e}\n{}", c.asm))?;
            if got.buffers != want.buffers {
                return Err(format!("seed {seed}: another buffer\n{}\n{}", shader.wgsl, c.asm));
            }
            counts[2] += want.stats.warp_instructions;
            counts[3] += got.stats.warp_instructions;
        }
    }
    Ok(counts)
}

#[test]
fn linked_programs_do_the_same() {
    let count = tier::cases(20, 60);
    for far in [false, true] {
        let [derived, assumed, alone, linked] = linked(100..100 + count, far, None).unwrap_or_else(|e| panic!("{e}"));
        assert!(derived > count && assumed > count / 6 && linked < alone, "{derived} {assumed} {linked} {alone}");
    }
}

#[test]
fn a_linker_that_decides_wrongly_is_found() {
    let found = linked(100..160, false, Some(CompilerFault::LinkOtherArm));
    assert!(found.is_err_and(|e| e.contains("another buffer")));
}

/// Words behind those in the bank are uniforms as those in it: no load of them is left, and a
/// branch on one is decided.
#[test]
fn words_behind_the_bank_are_uniforms() {
    let source = "
struct U { a: array<vec4f, 100>, b: vec4f }
@group(0) @binding(0) var<uniform> u: U;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
  if (u.b.w > 1.0) { out[i] = f32(i) * (u.b.x * u.b.y + u.a[99].z); } else { out[i] = u.a[98].x + u.b.z; }
}
";
    let words: Vec<u32> = (0..404).map(|i| (i as f32 * 0.25).to_bits()).collect();
    let buffers = [(0, words.clone()), (1, vec![0; 4])];
    let options = Options { exact: true, ..Options::default() };
    let alone = compiled("a.wgsl", source, options.clone());
    let want = try_run(&alone, [1; 3], &buffers).unwrap();
    let request = CompileRequest { options, ..CompileRequest::new("a.wgsl", source.as_bytes()) };
    let known = Uniforms::from([((0, 0), words.iter().copied().map(Some).collect())]);
    for (known, derived) in [(Uniforms::new(), 3), (known, 1)] {
        let c = compile_linked(&request, &known).unwrap();
        let interface = &c.binary.interface;
        assert_eq!(interface.derived.as_ref().unwrap().words.len(), derived, "{}", c.ir_after);
        assert_eq!(interface.specialisation.is_some(), !known.is_empty());
        assert!(!c.ir_after.contains("load"), "{}", c.ir_after);
        assert_eq!(try_run(&c, [1; 3], &buffers).unwrap().buffers, want.buffers);
    }
}
