//! The rasteriser against exact integers: which samples a triangle covers in each of its tiles, and
//! every depth. Triangles of all sizes over the whole guard band, at 1, 2 and 4 samples, in tiles
//! of each side, with stalls; meshes whose triangles share edges; how many cycles it takes. Each
//! planted fault is found.

use std::collections::HashMap;

use quadlock_hdl::base::testing::Bench;
use quadlock_hdl::config::{GpuConfig, HiZ, HiZLevels};
use quadlock_hdl::fault::Fault;
use quadlock_hdl::raster::Rasteriser;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::common::machine::{Machine, On};
use crate::raster::reference::{quads, wrap, Area, Depth, Shape};
use crate::raster::run::{Pace, Pass, Run, Triangle, FULL};

fn rasteriser(on: On, config: &GpuConfig) -> Machine {
    Machine::new(on, config, "rasteriser", Bench::new(Rasteriser::new(config), |b| &mut b.clock))
}

/// The greatest depth, in units of 1/64.
const Z_MOST: i128 = 64 * ((1 << 24) - 1);
/// Coordinates of corners, in fixed.
const GUARD: std::ops::Range<i128> = -(1 << 21)..1 << 21;
const TARGET: Area = Area { x0: 0, y0: 0, x1: 4095, y1: 4095 };
const ALL: [u64; 8] = [15; 8];

const PASSES: [Pass; 9] = {
    let mut passes = [Pass { samples: 0, side: 3 }; 9];
    let mut i = 0;
    while i < 9 {
        passes[i] = Pass { samples: i / 3, side: 3 + i as u32 % 3 };
        i += 1;
    }
    passes
};

/// A place of a corner `reach` around `centre`; every other one on a sixteenth of a pixel, so that
/// samples lie on edges.
fn corner(rng: &mut ChaCha8Rng, centre: i128, reach: i128, grid: i128) -> i128 {
    let at = centre + rng.random_range(-reach..=reach);
    (at.div_euclid(grid) * grid).clamp(GUARD.start, GUARD.end - 1)
}

fn depths(rng: &mut ChaCha8Rng) -> [i128; 3] {
    match rng.random_range(0..4) {
        0 => [rng.random_range(0..=Z_MOST); 3],
        1 => [0, 1, 2].map(|_| [0, Z_MOST][rng.random_range(0..2)]),
        2 => {
            let z = rng.random_range(64..=Z_MOST - 64);
            [0, 1, 2].map(|_| z + rng.random_range(-64..=64))
        }
        _ => [0, 1, 2].map(|_| rng.random_range(0..=Z_MOST)),
    }
}

/// A triangle of some kind, and a window around some point of it.
fn random(rng: &mut ChaCha8Rng) -> Option<Triangle> {
    let centre = [0, 1].map(|_| rng.random_range(0..4096 * 256));
    let reach = [40, 256, 1024, 6000, 20_000, 1 << 21][rng.random_range(0..6)];
    let grid = [1, 16, 32, 128, 256][rng.random_range(0..5)];
    let mut x = [0, 1, 2].map(|_| corner(rng, centre[0], reach, grid));
    let mut y = [0, 1, 2].map(|_| corner(rng, centre[1], reach, grid));
    match rng.random_range(0..6) {
        // Slivers: two corners are near, or the third is near the line.
        0 => {
            x[1] = corner(rng, x[0], 20, 1);
            y[1] = corner(rng, y[0], 20, 1);
        }
        1 => {
            x[2] = corner(rng, (x[0] + x[1]) / 2, 8, 1);
            y[2] = corner(rng, (y[0] + y[1]) / 2, 8, 1);
        }
        // Horizontal and vertical edges.
        2 => {
            y[1] = y[0];
            x[2] = x[rng.random_range(0..2)];
        }
        // Corners at the ends of the guard band.
        3 if reach == 1 << 21 => {
            x = x.map(|v| if v < 0 { GUARD.start } else { GUARD.end - 1 });
            y[0] = GUARD.start;
        }
        _ => {}
    }
    let mut triangle = {
        let shape = Shape::new(x, y, depths(rng))?;
        // A point of the triangle, near a corner or an edge as often as inside.
        let mut weights = [0, 1, 2].map(|_| rng.random_range(0..=8i128));
        weights[rng.random_range(0..3)] += 1;
        let total: i128 = weights.iter().sum();
        let point = |v: [i128; 3]| (v.iter().zip(weights).map(|(v, w)| v * w).sum::<i128>() / total) >> 8;
        let (px, py) = (point(shape.x), point(shape.y));
        let (w, h) = (rng.random_range(0..40), rng.random_range(0..40));
        let (dx, dy) = (rng.random_range(0..=w), rng.random_range(0..=h));
        let window = Area { x0: px - dx, y0: py - dy, x1: px - dx + w, y1: py - dy + h };
        Triangle::new(shape, window.and(TARGET), rng)?
    };
    // Any plane: what set-up gives is not this block's to judge.
    if rng.random_range(0..3) == 0 {
        let bits = [20, 49, 50][rng.random_range(0..3)];
        let any = |rng: &mut ChaCha8Rng, bits| wrap(i128::from(rng.random::<u64>()), bits);
        let (gx, gy, z) = (any(rng, bits), any(rng, bits), any(rng, 60));
        let bounds = [0, 1].map(|_| rng.random_range(0..1 << 24));
        let (low, high) = (bounds[0].min(bounds[1]), bounds[0].max(bounds[1]));
        triangle.depth = Depth { z, gx, gy, low, high };
    }
    Some(triangle)
}

fn some(rng: &mut ChaCha8Rng, count: usize) -> Vec<Triangle> {
    let mut found = Vec::new();
    while found.len() < count {
        found.extend(random(rng));
    }
    found
}

/// Random triangles with random masks, in batches of another pass each.
fn batches(machine: &mut Machine, seed: u64, batches: usize, count: usize) -> Result<(u64, usize), String> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (mut quads, mut tiles) = (0, 0);
    for batch in 0..batches {
        let pass = PASSES[(batch + seed as usize) % 9];
        let masks = [0; 8].map(|_| if rng.random() { 15 } else { rng.random_range(0..16) });
        let paces =
            [FULL, Pace { offer: 0.1, take: 1.0 }, Pace { offer: 1.0, take: 0.3 }, Pace { offer: 0.4, take: 0.6 }];
        let pace = paces[rng.random_range(0..4)];
        let triangles = some(&mut rng, count);
        let seen = Run::new(machine, pass, masks, pace).triangles(&triangles, &mut rng)?;
        quads += seen.quads;
        tiles = tiles.max(seen.most_tiles);
    }
    Ok((quads, tiles))
}

#[test]
fn random_triangles_become_exactly_their_quads() {
    let mut machine = rasteriser(On::Verilog, &GpuConfig::default());
    let (quads, tiles) = batches(&mut machine, 1, 90, 120).unwrap_or_else(|e| panic!("{e}"));
    assert!(quads > 100_000 && tiles >= 30, "{quads} quads, up to {tiles} tiles");
}

#[test]
fn the_kernels_give_the_same() {
    let mut machine = rasteriser(On::RustHdl, &GpuConfig::default());
    batches(&mut machine, 2, 9, 40).unwrap_or_else(|e| panic!("{e}"));
}

/// A tile that the box does not touch gives nothing but the `end`.
#[test]
fn a_tile_beside_the_box_is_empty() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let mut machine = rasteriser(On::Verilog, &GpuConfig::default());
    for pass in PASSES {
        for triangle in some(&mut rng, 12) {
            let Area { x0, y0, x1, y1 } = triangle.area;
            let side = 1 << pass.side;
            let near = |v: i128| (v.clamp(0, 4095) >> pass.side) << pass.side;
            for tile in [(near(x0 - side), near(y0)), (near(x1 + side), near(y1)), (near(x1), near(y1 + side))] {
                let seen = Run::new(&mut machine, pass, ALL, FULL).tile(&triangle, tile, &mut rng);
                seen.unwrap_or_else(|e| panic!("{e}"));
            }
        }
    }
}

/// A sum that goes round as 2^23 is added was above everything; the plane itself goes round before.
#[test]
fn depths_at_the_ends_of_their_range() {
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let mut machine = rasteriser(On::Verilog, &GpuConfig::default());
    for pass in [PASSES[1], PASSES[7]] {
        let mut triangles = some(&mut rng, 60);
        for (k, triangle) in triangles.iter_mut().enumerate() {
            let end = [1 << 59, 0, 1 << 23, -(1 << 23)][k % 4];
            let (gx, gy) = (rng.random_range(-9..9), rng.random_range(-9..9));
            let (x, y) = (triangle.area.x0 << 8, triangle.area.y0 << 8);
            let z = wrap(end - gx * x - gy * y + rng.random_range(-(1 << 24)..1 << 24), 60);
            triangle.depth = Depth { z, gx, gy, low: 1000, high: 0xFF_F000 };
        }
        Run::new(&mut machine, pass, ALL, FULL).triangles(&triangles, &mut rng).unwrap_or_else(|e| panic!("{e}"));
    }
}

/// A net of triangles that share their edges, as corners of a grid that are moved at random: every
/// sample inside is covered exactly once.
#[test]
fn meshes_cover_every_sample_once() {
    const CELLS: usize = 6;
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let mut machine = rasteriser(On::Verilog, &GpuConfig::default());
    for pass in PASSES {
        let grid = [1, 128, 256][pass.side as usize - 3];
        let origin = [0, 1].map(|_| rng.random_range(10..4000i128) << 8);
        let corner = |rng: &mut ChaCha8Rng, i: usize, j: usize| {
            let inner = |k: usize| (1..CELLS).contains(&k);
            let moved = |rng: &mut ChaCha8Rng, free: bool| if free { rng.random_range(-500..=500) } else { 0 };
            let x = origin[0] + 1536 * i as i128 + moved(rng, inner(i) && inner(j));
            let y = origin[1] + 1536 * j as i128 + moved(rng, inner(i) && inner(j));
            (x / grid * grid, y / grid * grid)
        };
        let corners: Vec<Vec<_>> = (0..=CELLS).map(|j| (0..=CELLS).map(|i| corner(&mut rng, i, j)).collect()).collect();
        let mut triangles = Vec::new();
        for j in 0..CELLS {
            for i in 0..CELLS {
                let (a, b, c, d) = (corners[j][i], corners[j][i + 1], corners[j + 1][i], corners[j + 1][i + 1]);
                let halves = if rng.random() { [[a, b, d], [a, d, c]] } else { [[a, b, c], [b, d, c]] };
                for half in halves {
                    let shape = Shape::new(half.map(|p| p.0), half.map(|p| p.1), [0; 3]).unwrap();
                    triangles.extend(Triangle::new(shape, TARGET, &mut rng));
                }
            }
        }
        // The machine gives what the reference says, and that is once for each sample.
        Run::new(&mut machine, pass, ALL, FULL).triangles(&triangles, &mut rng).unwrap_or_else(|e| panic!("{e}"));
        let mut covered: HashMap<(i128, i128, u64), u64> = HashMap::new();
        for t in &triangles {
            for (place, beats) in quads(&t.shape, &t.depth, t.area, pass.samples, 15) {
                for beat in beats {
                    for lane in (0..4).filter(|lane| beat.2 >> lane & 1 == 1) {
                        *covered.entry((2 * place.1 + lane % 2, 2 * place.0 + lane / 2, beat.0)).or_default() += 1;
                    }
                }
            }
        }
        let side = CELLS as i128 * 6;
        assert_eq!(covered.values().max(), Some(&1), "{pass:?}");
        let inside = |(x, y, _): &&(i128, i128, u64)| {
            (1..side - 1).contains(&(x - (origin[0] >> 8))) && (1..side - 1).contains(&(y - (origin[1] >> 8)))
        };
        let samples = [1, 2, 4][pass.samples] * (side - 2) * (side - 2);
        assert_eq!(covered.keys().filter(inside).count() as i128, samples, "{pass:?}");
    }
}

/// Quads per cycle of big triangles, whose tiles come as the binner gives them: all of the box.
fn rate(pass: Pass, pixels: i128) -> f64 {
    let mut rng = ChaCha8Rng::seed_from_u64(6);
    let mut machine = rasteriser(On::Verilog, &GpuConfig::default());
    let mut triangles = Vec::new();
    while triangles.len() < 6 {
        let [x, y] = [0, 1].map(|_| [0, 1, 2].map(|_| rng.random_range(0..pixels << 8)));
        let Some(shape) = Shape::new(x, y, [0, Z_MOST, 5]) else { continue };
        // A third of the box at least; less is no big triangle.
        if shape.edge(0, shape.x[0], shape.y[0]) >> 16 > pixels * pixels / 3 {
            triangles.extend(Triangle::new(shape, TARGET, &mut rng));
        }
    }
    let seen = Run::new(&mut machine, pass, ALL, FULL).triangles(&triangles, &mut rng).unwrap();
    seen.quads as f64 / seen.cycles as f64
}

#[test]
fn big_triangles_give_a_quad_in_nearly_every_cycle() {
    for (side, least) in [(3, 0.70), (4, 0.93), (5, 0.95)] {
        let quads = rate(Pass { samples: 0, side }, 500);
        println!("side {}: {quads:.3} quads per cycle", 1 << side);
        assert!(quads > least, "side {}: {quads} quads per cycle", 1 << side);
    }
    // A quad of n samples takes n + 1 cycles.
    for (samples, least) in [(1, 0.93 / 3.0), (2, 0.93 / 5.0)] {
        let quads = rate(Pass { samples, side: 4 }, 200);
        assert!(quads > least, "samples {samples}: {quads} quads per cycle");
    }
}

/// A triangle of one quad every 4 cycles, each with its `end`.
#[test]
fn triangles_of_one_quad_come_every_four_cycles() {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let mut machine = rasteriser(On::Verilog, &GpuConfig::default());
    let mut triangles = Vec::new();
    for _ in 0..400 {
        // Around the centre of a pixel.
        let (x, y) = (256 * rng.random_range(0..4096i128) + 128, 256 * rng.random_range(0..4096i128) + 128);
        let shape = Shape::new([x - 60, x + 90, x], [y + 60, y + 70, y - 90], [5, 6, 7]).unwrap();
        triangles.extend(Triangle::new(shape, TARGET, &mut rng));
    }
    // The beat of the quad 16 cycles after the triangle's first one, then the `end`.
    let one = Run::new(&mut machine, PASSES[0], ALL, FULL).triangles(&triangles[..1], &mut rng).unwrap();
    assert_eq!((one.beats, one.cycles), (2, 17));
    for side in 3..6 {
        let seen = Run::new(&mut machine, Pass { samples: 0, side }, ALL, FULL).triangles(&triangles, &mut rng);
        let seen = seen.unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(seen.quads, 400);
        assert!(seen.cycles <= 4 * 400 + 20, "side {}: {} cycles", 1 << side, seen.cycles);
    }
}

/// Random triangles of which a stand-in hides groups and tiles.
fn with_hidden(machine: &mut Machine, count: usize) -> Result<(u64, u64), String> {
    let mut rng = ChaCha8Rng::seed_from_u64(8);
    let (mut quads, mut groups) = (0, 0);
    for (k, pass) in PASSES.into_iter().enumerate() {
        let triangles = some(&mut rng, count);
        let pace = [FULL, Pace { offer: 0.4, take: 0.6 }][k % 2];
        for hidden in [2, 5, 8] {
            let mut run = Run::new(machine, pass, ALL, pace);
            run.hidden = hidden;
            let seen = run.triangles(&triangles, &mut rng)?;
            if hidden == 8 && seen.quads > 0 {
                return Err(format!("{} quads although all is hidden", seen.quads));
            }
            (quads, groups) = (quads + seen.quads, groups + seen.hidden);
        }
    }
    Ok((quads, groups))
}

/// HZ-24: what is hidden is dropped. Every other quad comes, once, and every triangle ends.
#[test]
fn hidden_groups_are_dropped_and_nothing_else() {
    let mut machine = rasteriser(On::Verilog, &GpuConfig::default());
    let (quads, groups) = with_hidden(&mut machine, 80).unwrap_or_else(|e| panic!("{e}"));
    assert!(quads > 5_000 && groups > 5_000, "{quads} quads, {groups} hidden groups");
    with_hidden(&mut rasteriser(On::RustHdl, &GpuConfig::default()), 6).unwrap_or_else(|e| panic!("{e}"));
    for (fault, message) in [(Fault::RasterHeadless, "owner"), (Fault::RasterHiddenEnd, "owner")] {
        let mut machine = rasteriser(On::Verilog, &GpuConfig { fault: Some(fault), ..GpuConfig::default() });
        let problem = with_hidden(&mut machine, 40).err().unwrap_or_else(|| panic!("{fault:?} is not caught"));
        assert!(problem.contains(message), "{fault:?}: {problem}");
    }
}

/// The same with quads of groups that are not hidden.
fn with_hidden_quads(machine: &mut Machine, count: usize) -> Result<u64, String> {
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    let mut quads = 0;
    for (k, pass) in PASSES.into_iter().enumerate() {
        let triangles = some(&mut rng, count);
        let pace = [FULL, Pace { offer: 0.4, take: 0.6 }][k % 2];
        for (hidden, parts) in [(1, 2), (2, 6), (1, 8)] {
            let mut run = Run::new(machine, pass, ALL, pace);
            (run.hidden, run.parts) = (hidden, parts);
            let seen = run.triangles(&triangles, &mut rng)?;
            if parts == 8 && seen.quads > 0 {
                return Err(format!("{} quads although all are hidden", seen.quads));
            }
            quads += seen.quads;
        }
    }
    Ok(quads)
}

/// HZ-20: hidden quads of a group are left out, row by row. All else comes as ever.
#[test]
fn hidden_quads_are_left_out_and_nothing_else() {
    let config = |fault| GpuConfig {
        graphics: true,
        hi_z: HiZ::Visibility,
        hi_z_levels: HiZLevels::Four,
        fault,
        ..Default::default()
    };
    let mut machine = rasteriser(On::Verilog, &config(None));
    let quads = with_hidden_quads(&mut machine, 60).unwrap_or_else(|e| panic!("{e}"));
    assert!(quads > 2_000, "{quads} quads");
    with_hidden_quads(&mut rasteriser(On::RustHdl, &config(None)), 4).unwrap_or_else(|e| panic!("{e}"));
    let mut machine = rasteriser(On::Verilog, &config(Some(Fault::RasterPartRow)));
    let problem = with_hidden_quads(&mut machine, 40).expect_err("another row's quads are left out");
    assert!(problem.contains("is not due") || problem.contains("end before quads"), "{problem}");
}

#[test]
fn planted_faults_are_caught() {
    for (fault, message) in [
        (Fault::RasterTopRule, "instead of"),
        (Fault::RasterLeftRule, "end before quads"),
        (Fault::RasterSamplePlace, "instead of"),
        (Fault::RasterBoxRight, "is not due"),
        (Fault::RasterBoxTop, "instead of"),
        (Fault::RasterReach, "end before quads"),
        (Fault::RasterTurn, "is not due"),
        (Fault::RasterClamp, "instead of"),
        (Fault::RasterRounding, "instead of"),
        (Fault::RasterRowDepth, "instead of"),
        (Fault::RasterEndDropped, "is done while"),
        (Fault::RasterMaskIgnored, "is not due"),
        (Fault::RasterStaleFacts, "owner"),
        (Fault::RasterNoCentre, "instead of"),
    ] {
        let mut machine = rasteriser(On::Verilog, &GpuConfig { fault: Some(fault), ..GpuConfig::default() });
        let problem = batches(&mut machine, 1, 18, 60).err().unwrap_or_else(|| panic!("{fault:?} is not caught"));
        assert!(problem.contains(message), "{fault:?}: {problem}");
    }
}
