//! The edge test of tiles against the definition of coverage, in exact integers. Two rules are
//! written down here. Soundness: a tile that has a covered sample is never left out; each sample of
//! it is looked at. Exactness: a tile is left out exactly if some edge takes no corner of the
//! square of its samples, and the box has more than one row and column of tiles.
//!
//! Triangles are small, large, thin or far beyond the target, with corners on and off a grid so
//! that edges touch samples. The binner that takes bits and triangles stalls at random.

use quadlock_hdl::base::testing::Bench;
use quadlock_hdl::config::{GpuConfig, Tbimr};
use quadlock_hdl::fault::Fault;
use quadlock_hdl::visibility::EdgeVisibility;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::common::machine::{Machine, On};

/// The target's size in pixels.
const SIZE: i64 = 4096;

/// An edge: its value is `a x + b y + c`, x and y in 1/256 pixel.
#[derive(Clone, Copy, Debug)]
struct Edge {
    a: i64,
    b: i64,
    c: i64,
}

impl Edge {
    /// From one corner to the next; docs/graphics.md, "Set-up and coverage".
    fn new(from: (i64, i64), to: (i64, i64)) -> Self {
        let (a, b) = (from.1 - to.1, to.0 - from.0);
        Self { a, b, c: -a * from.0 - b * from.1 }
    }

    /// It takes a sample there.
    fn takes(&self, (x, y): (i64, i64)) -> bool {
        let value = self.a * x + self.b * y + self.c;
        let top_or_left = self.a > 0 || (self.a == 0 && self.b > 0);
        value > 0 || (value == 0 && top_or_left)
    }
}

/// Places of samples in a pixel, in sixteenths, by the code of the pass record.
fn places(samples: u64) -> &'static [(i64, i64)] {
    [&[(8, 8)][..], &[(12, 12), (4, 4)], &[(6, 2), (14, 6), (2, 10), (10, 14)]][samples as usize]
}

#[derive(Debug)]
struct Triangle {
    edges: [Edge; 3],
    /// First and last pixel: x0, y0, x1, y1.
    bounds: [i64; 4],
}

impl Triangle {
    /// One with a pixel of its box in the target.
    fn make(rng: &mut ChaCha8Rng) -> Self {
        loop {
            let reach = [4, 40, 300, 1 << 13][rng.random_range(0..4)] * 256;
            let grid = [1, 16, 32, 128, 256, 2048][rng.random_range(0..6)];
            let centre = if reach > 1 << 20 { (0, 0) } else { (rng.random_range(0..1000), rng.random_range(0..1000)) };
            let mut corner = |_| {
                let mut place = |from: i64| (from * 256 + rng.random_range(-reach..reach)).div_euclid(grid) * grid;
                (place(centre.0), place(centre.1))
            };
            let mut at = [0, 1, 2].map(&mut corner);
            let area =
                |p: &[(i64, i64); 3]| (p[1].0 - p[0].0) * (p[2].1 - p[0].1) - (p[1].1 - p[0].1) * (p[2].0 - p[0].0);
            if area(&at) < 0 {
                at.swap(1, 2);
            }
            let pixel = |of: fn(&(i64, i64)) -> i64| {
                let all = at.each_ref().map(|p| of(p).div_euclid(256));
                (all.into_iter().min().unwrap().max(0), all.into_iter().max().unwrap().min(SIZE - 1))
            };
            let ((x0, x1), (y0, y1)) = (pixel(|p| p.0), pixel(|p| p.1));
            // Large ones are cut by a scissor, else their tiles are too many.
            let (left, top) = (rng.random_range(0..SIZE - 200), rng.random_range(0..SIZE - 200));
            let cut = x1 - x0 > 400 || y1 - y0 > 400;
            let bounds =
                if cut { [x0.max(left), y0.max(top), x1.min(left + 150), y1.min(top + 150)] } else { [x0, y0, x1, y1] };
            if area(&at) != 0 && bounds[0] <= bounds[2] && bounds[1] <= bounds[3] {
                let edges = [0, 1, 2].map(|i| Edge::new(at[(i + 1) % 3], at[(i + 2) % 3]));
                return Self { edges, bounds };
            }
        }
    }

    /// A sample of the tile is covered; not of pixels outside of the box.
    fn covers(&self, tile: (i64, i64), side: i64, samples: u64) -> bool {
        let [x0, y0, x1, y1] = self.bounds;
        let mut pixels = (y0.max(tile.1)..=y1.min(tile.1 + side - 1))
            .flat_map(|y| (x0.max(tile.0)..=x1.min(tile.0 + side - 1)).map(move |x| (x, y)));
        pixels.any(|(x, y)| {
            let at = |&(px, py): &(i64, i64)| (x * 256 + px * 16, y * 256 + py * 16);
            places(samples).iter().any(|place| self.edges.iter().all(|edge| edge.takes(at(place))))
        })
    }

    /// No edge leaves out the smallest square that has all samples of the tile.
    fn reaches(&self, tile: (i64, i64), side: i64, samples: u64) -> bool {
        let [x0, y0, x1, y1] = self.bounds;
        if x0 / side == x1 / side || y0 / side == y1 / side {
            return true;
        }
        let all = places(samples);
        let first = all.iter().map(|p| p.0.min(p.1)).min().unwrap() * 16;
        let last = (side - 1) * 256 + all.iter().map(|p| p.0.max(p.1)).max().unwrap() * 16;
        let mut corners = [(first, first), (last, first), (first, last), (last, last)];
        for corner in &mut corners {
            *corner = (tile.0 * 256 + corner.0, tile.1 * 256 + corner.1);
        }
        self.edges.iter().all(|edge| corners.iter().any(|&corner| edge.takes(corner)))
    }

    fn offer(&self, m: &mut Machine, order: u64) {
        for (name, value) in ["x0", "y0", "x1", "y1"].into_iter().zip(self.bounds) {
            m.set(&format!("in_triangle_{name}"), value as u64);
        }
        for (k, edge) in self.edges.iter().enumerate() {
            m.set(&format!("in_triangle_a{k}"), edge.a as u64 & 0xFF_FFFF);
            m.set(&format!("in_triangle_b{k}"), edge.b as u64 & 0xFF_FFFF);
            m.set(&format!("in_triangle_c{k}"), edge.c as u64 & 0xFFFF_FFFF_FFFF);
        }
        m.set("in_triangle_order", order);
    }
}

/// What was seen.
#[derive(Debug, Default)]
struct Found {
    tiles: u64,
    left_out: u64,
    /// Told to be reached, without a covered sample.
    empty: u64,
    /// Most cycles until the first bit.
    latency: u64,
}

/// That many triangles.
fn run(m: &mut Machine, triangles: u64, side: i64, samples: u64, seed: u64) -> Result<Found, String> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    m.state(true, 0, 1, 1 << 8 | 1 << 12 | u64::from(side.ilog2()) << 4 | samples);
    m.set("state_valid", 0);
    m.set("state_pass", 0);
    let mut found = Found::default();
    for order in 0..triangles {
        let triangle = Triangle::make(&mut rng);
        triangle.offer(m, order);
        m.set("in_triangle_valid", 1);
        let [x0, y0, x1, y1] = triangle.bounds.map(|p| p / side * side);
        let step = side as usize;
        let tiles: Vec<_> =
            (y0..=y1).step_by(step).flat_map(|y| (x0..=x1).step_by(step).map(move |x| (x, y))).collect();
        let (mut bits, mut cycles) = (Vec::new(), 0);
        while bits.len() < tiles.len() {
            let ready = rng.random_range(0..4) > 0;
            m.set("visible_ready", u64::from(ready));
            m.settle();
            let tile = tiles[bits.len()];
            let told = m.get("visible_valid") == 1;
            let bit = m.get("visible") == 1;
            let event = ["kind", "order", "x", "y", "side"].map(|n| m.get(&format!("cull_{n}")));
            let says = m.get("cull_valid") == 1;
            if says != (told && ready && !bit)
                || says && event != [1, order, tile.0 as u64, tile.1 as u64, u64::from(side.ilog2())]
            {
                return Err(format!("an event: {says} {event:?} for {tile:?}, bit {bit}"));
            }
            if told && ready {
                bits.push(bit);
            }
            if bits.is_empty() && !told {
                cycles += 1;
            }
            if cycles > 100 {
                return Err(format!("no bit: {triangle:?}"));
            }
            m.cycle();
        }
        m.set("visible_ready", 0);
        for wait in 0..=rng.random_range(0..3) {
            m.set("triangle_ready", u64::from(wait == 0));
            m.settle();
            if wait == 0
                && (m.get("triangle_valid"), m.get("in_triangle_ready"), m.get("triangle_order")) != (1, 1, order)
            {
                return Err("the triangle does not go".into());
            }
            m.cycle();
            m.set("in_triangle_valid", 0);
        }
        m.set("triangle_ready", 0);
        for (&tile, &bit) in tiles.iter().zip(&bits) {
            let covered = triangle.covers(tile, side, samples);
            if covered && !bit {
                return Err(format!("{tile:?} is left out and covered: {triangle:?}"));
            }
            if bit != triangle.reaches(tile, side, samples) {
                return Err(format!("{tile:?} is told {bit}: {triangle:?}"));
            }
            found.tiles += 1;
            found.left_out += u64::from(!bit);
            found.empty += u64::from(bit && !covered);
        }
        found.latency = found.latency.max(cycles);
    }
    Ok(found)
}

fn unit(on: On, fault: Option<Fault>) -> Machine {
    let config = GpuConfig { graphics: true, tbimr: Tbimr::Window, fault, ..GpuConfig::default() };
    Machine::new(on, &config, "edge_visibility", Bench::new(EdgeVisibility::new(&config), |b| &mut b.clock))
}

#[test]
fn hz_11_a_tile_is_left_out_exactly_if_an_edge_takes_none_of_it() {
    for (side, samples) in [(8, 0), (16, 0), (32, 0), (8, 1), (16, 2), (32, 2)] {
        for (on, triangles) in [(On::Verilog, 600), (On::RustHdl, 20)] {
            let seed = side as u64 + samples;
            let found = run(&mut unit(on, None), triangles, side, samples, seed)
                .unwrap_or_else(|e| panic!("{on:?}, {side}, {samples}: {e}"));
            assert!(found.left_out > found.tiles / 5, "{found:?}");
            // What no single edge shows is little.
            assert!(on == On::RustHdl || found.empty < found.tiles / 10, "{found:?}");
            assert!(found.latency <= 11, "{found:?}");
        }
    }
}

#[test]
fn planted_faults_are_caught() {
    for (fault, message) in [
        (Fault::EdgesCorner, "is left out and covered"),
        (Fault::EdgesSamples, "is left out and covered"),
        (Fault::EdgesRule, "is told true"),
        (Fault::EdgesRow, "is left out and covered"),
    ] {
        let problem = run(&mut unit(On::Verilog, Some(fault)), 2000, 8, 2, 5).expect_err("not caught");
        assert!(problem.contains(message), "{fault:?}: {problem}");
    }
}
