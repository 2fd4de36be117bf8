//! Split points in the random programs of merging, which are made to run once for each sample.

use super::{compiled, drawing, left, split_of, splits_rightly, wrong};
use crate::common::draw::{Drawing, In, Source};
use crate::merge::Random;
use quadlock_testkit::tier;

/// The body with places in memory of each sample, and half of the programs without stores.
fn body(seed: u64) -> (String, &'static str) {
    let body = Random::body(seed).replace("let own = u32(p.x) + 16u * u32(p.y);", "");
    let body = body.replace("own + ", "own + 4u * ").replace("memory[3000]", "memory[12000]");
    let stores = |line: &&str| line.starts_with("memory[");
    match seed.is_multiple_of(2) && body.lines().any(|line| stores(&line)) {
        true => (body, "read_write"),
        false => (body.lines().filter(|line| !stores(line)).map(|line| format!("{line}\n")).collect(), "read"),
    }
}

fn program(seed: u64, split: bool) -> Drawing {
    let (body, access) = body(seed);
    // Sometimes one varying is the sample's, sometimes both are the pixel's.
    let sampling = ["perspective", "perspective, sample"][seed as usize / 2 % 2];
    let text = format!(
        "@group(0) @binding(0) var<storage, {access}> memory: array<u32>;
struct O {{ @location(0) a: f32, @location(1) b: f32, @location(2) c: f32, @location(3) d: f32 }}
@fragment fn main(@builtin(position) p: vec4f, @builtin(sample_index) s: u32,
    @location(0) v: vec4f, @location(1) @interpolate({sampling}) w: vec4f) -> O {{
    var a = 0.0; var b = 0.0; var c = 0.0; var d = 0.0; let u = w.zw * 2.0;
    let own = (u32(p.x) + 16u * u32(p.y)) * 4u + s;
    {body}
    d += f32(s);
    return O(a, b, c, d);
}}"
    );
    let vertex = format!(
        "struct V {{ @builtin(position) p: vec4f, @location(0) v: vec4f,
    @location(1) @interpolate({sampling}) w: vec4f }}
@vertex fn main(@location(0) p: vec4f, @location(1) v: vec4f) -> V {{ return V(p, v, v.wzyx * 1.5); }}"
    );
    let mut drawing = Drawing {
        vertex: Source::vertex(In::Wgsl, &vertex, ""),
        fragment: Source::fragment(In::Wgsl, &text, ""),
        ..drawing("", access, split, None)
    };
    drawing.options.max_registers = [32, 28, 24, 16][seed as usize / 4 % 4];
    drawing
}

#[test]
fn random_programs() {
    let (mut with, mut seen) = (0, 0);
    let count = tier::cases(30, 120);
    for seed in 0..count {
        let d = program(seed, true);
        let c = compiled(&d);
        assert_eq!(wrong(&c), [], "seed {seed}\n{}", c.asm);
        let off = left(&program(seed, false).draw(), 4);
        match split_of(&c).none {
            None => {
                with += 1;
                seen += splits_rightly(&d, &off, &format!("seed {seed}"));
            }
            Some(_) => assert!(left(&d.draw(), 4) == off, "seed {seed}\n{}", c.asm),
        }
    }
    println!("{with} programs with a point, {seen} samples came to it");
    assert!(with > count / 3 && seen > 80 * count as u32, "{with} {seen}");
}
