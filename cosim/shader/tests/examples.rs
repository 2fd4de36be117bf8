//! The example shaders, from source to the golden model, against results computed here in Rust, bit
//! for bit.
//!
//! Each is also compiled with few registers and without optimisation: the results must not depend
//! on either. The instruction counts per thread are limited, because a compiler that gets worse
//! would not be noticed otherwise (the limits are the measured figures with little room).

use crate::common::{compiled, example, run};
use quadlock_shader::{Compiled, Options};
use rand::{Rng, SeedableRng};

fn random_words(seed: u64, n: usize, below: u32) -> Vec<u32> {
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
    (0..n).map(|_| rng.random_range(0..below)).collect()
}

/// The ways of compiling that every example must survive.
fn variants(path: &str) -> Vec<Compiled> {
    variants_of(path, false)
}

/// The same; `exact` if what is expected is computed with each operation rounded.
fn variants_of(path: &str, exact: bool) -> Vec<Compiled> {
    let source = example(path);
    let name = path.rsplit('/').next().unwrap();
    let skip = |names: &[&str]| names.iter().map(|s| s.to_string()).collect();
    let unoptimised = skip(&["const-fold", "copy-prop", "cse", "strength", "licm", "schedule", "rotate", "float-unit"]);
    vec![
        compiled(name, &source, Options { exact, ..Options::default() }),
        compiled(name, &source, Options { max_registers: 8, exact, ..Options::default() }),
        compiled(name, &source, Options { skip_passes: unoptimised, exact, ..Options::default() }),
    ]
}

/// Checks the active lane instructions per invocation of the optimised variant.
fn check_cost(c: &Compiled, run: &crate::common::Run, threads: usize, limit: f64) {
    let cost = run.stats.lane_instructions as f64 / threads as f64;
    println!("{}{}\n{cost} instructions per thread", c.asm, c.report);
    assert!(cost <= limit, "{cost} instructions per thread, the limit is {limit}\n{}", c.asm);
}

#[test]
fn store_ids() {
    let source = "
        @group(0) @binding(0) var<storage, read_write> out: array<u32>;
        @compute @workgroup_size(8) fn main(@builtin(global_invocation_id) id: vec3<u32>) { out[id.x] = id.x; }";
    let c = compiled("ids.wgsl", source, Options::default());
    let r = run(&c, [3, 1, 1], &[(0, vec![0; 24])]);
    assert_eq!(r.buffer(0), (0..24).collect::<Vec<u32>>());
}

#[test]
fn sobel_edge_filter() {
    let (w, h) = (37usize, 21usize);
    let pixels = random_words(1, w * h, 256);
    let at = |x: i32, y: i32| {
        let clamp = |v: i32, n: usize| v.clamp(0, n as i32 - 1) as usize;
        pixels[clamp(y, h) * w + clamp(x, w)] as i32
    };
    let mut expected = Vec::new();
    for y in 0..h as i32 {
        for x in 0..w as i32 {
            let column = |x| at(x, y - 1) + 2 * at(x, y) + at(x, y + 1);
            let row = |y| at(x - 1, y) + 2 * at(x, y) + at(x + 1, y);
            let (gx, gy) = (column(x + 1) - column(x - 1), row(y + 1) - row(y - 1));
            expected.push((((gx * gx + gy * gy) as f32).sqrt() + 0.5).min(255.0) as u32);
        }
    }
    let texts = ["edge-detect/sobel.wgsl", "edge-detect/sobel.comp"].map(variants);
    assert_eq!(texts[0][0].binary.code.len(), texts[1][0].binary.code.len());
    for (i, c) in texts.iter().flat_map(|t| t.iter().enumerate()) {
        let buffers = [(0, vec![w as u32, h as u32]), (1, pixels.clone()), (2, vec![0; w * h])];
        let r = run(c, [3, 2, 1], &buffers);
        assert_eq!(r.buffer(2), expected, "variant {i}");
        if i == 0 {
            check_cost(c, &r, w * h, 100.0);
        }
    }
}

#[test]
fn tiled_matrix_multiply() {
    let n = 16usize;
    let values = |seed| random_words(seed, n * n, 2001).iter().map(|&v| v as f32 / 1000.0 - 1.0).collect::<Vec<f32>>();
    let (a, b) = (values(2), values(3));
    let mut expected = vec![0u32; n * n];
    for row in 0..n {
        for col in 0..n {
            let sum = (0..n).fold(0.0f32, |s, k| a[row * n + k].mul_add(b[k * n + col], s));
            expected[row * n + col] = sum.to_bits();
        }
    }
    let bits = |m: &[f32]| m.iter().map(|v| v.to_bits()).collect::<Vec<u32>>();
    for (i, c) in variants("matrix-multiply/matmul.wgsl").iter().enumerate() {
        let buffers = [(0, vec![n as u32, n as u32]), (1, bits(&a)), (2, bits(&b)), (3, vec![0; n * n])];
        let r = run(c, [4, 4, 1], &buffers);
        assert_eq!(r.buffer(3), expected, "variant {i}");
        assert!(c.binary.interface.pinned && c.binary.interface.shared_bytes >= 128);
        if i == 0 {
            check_cost(c, &r, n * n, 168.0);
        }
    }
}

#[test]
fn mandelbrot() {
    let (w, h, limit) = (32usize, 24usize, 60u32);
    let (left, top, step) = (-2.2f32, -1.2f32, 0.1f32);
    let mut expected = Vec::new();
    for py in 0..h {
        for px in 0..w {
            let (cx, cy) = (left + px as f32 * step, top + py as f32 * step);
            let (mut x, mut y, mut n) = (0.0f32, 0.0f32, 0);
            while n < limit && x * x + y * y <= 4.0 {
                let (xx, yy) = (x * x, y * y);
                y = 2.0 * x * y + cy;
                x = xx - yy + cx;
                n += 1;
            }
            expected.push(n);
        }
    }
    let view = vec![w as u32, h as u32, limit, left.to_bits(), top.to_bits(), step.to_bits()];
    for (i, c) in variants_of("mandelbrot/mandelbrot.wgsl", true).iter().enumerate() {
        let r = run(c, [4, 3, 1], &[(0, view.clone()), (1, vec![0; w * h])]);
        assert_eq!(r.buffer(1), expected, "variant {i}");
        if i == 0 {
            check_cost(c, &r, w * h, 256.0);
        }
    }
}

/// Ordinary atomics, one transaction per lane (WW-10).
#[test]
fn histogram() {
    let (w, h) = (29usize, 14usize);
    let luma = random_words(4, w * h, 300);
    let mut expected = vec![0u32; 64];
    luma.iter().for_each(|&v| expected[(v.min(255) / 4) as usize] += 1);
    for (i, c) in variants("histogram/histogram.wgsl").iter().enumerate() {
        let r = run(c, [4, 4, 1], &[(0, vec![w as u32, h as u32]), (1, luma.clone()), (2, vec![0; 64])]);
        assert_eq!(r.buffer(2), expected, "variant {i}");
        if i == 0 {
            check_cost(c, &r, w * h, 32.0);
        }
    }
}
