//! Random WGSL shaders through the whole compiler: what the binary does on the golden model is what
//! the SSA of the front end does in the interpreter.
//!
//! Interpreter and golden model share no arithmetic but the float unit's, so this checks passes,
//! selection, scheduling, registers and layout at once, and the two arithmetics against each other.
//! Each shader is compiled with all registers, with eight (spills everywhere), and without the
//! passes.

use crate::common::{compiled, try_run};
use quadlock_shader::front::{self, Lang};
use quadlock_shader::random::wgsl::{generate, RandomShader};
use quadlock_shader::Options;

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
