//! Hi-Z in the rasteriser alone, beside a depth buffer that knows everything. A stand-in for the
//! rasteriser asks about each group of triangles in tiles, and gives the quads of those that are
//! not hidden some time later; the depth test takes its time. Draws are of every kind, as in
//! `hi_z.rs`, whose classes count here, too.
//!
//! A group may be hidden only if no sample that the triangle covers there passes in its turn. Every
//! query is answered, and everything ends.

use std::collections::{BTreeMap, VecDeque};

use quadlock_hdl::base::testing::Bench;
use quadlock_hdl::config::{GpuConfig, HiZ, HiZLevels};
use quadlock_hdl::fault::Fault;
use quadlock_hdl::visibility::RasterHiZ;
use quadlock_testkit::tier;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::common::machine::{Machine, On};
use crate::hi_z::{Draw, FAR, HEIGHT, WIDTH};
use crate::raster::reference::{quads, wrap, Area, Shape};
use crate::raster::run::Triangle;

/// What the rasteriser gives.
enum Item {
    /// Context, place, sample, last, coverage, depths.
    Beat(u64, (i128, i128), (u64, bool, u64), [u64; 4]),
    End(u64),
    Done,
}

struct World {
    machine: Machine,
    rng: ChaCha8Rng,
    samples: usize,
    side: u32,
    draws: [Draw; 8],
    depth: BTreeMap<(i128, i128, u64), u64>,
    clear: u64,
    on_way: VecDeque<Item>,
    /// How often the rasteriser gives, and the depth test takes.
    pace: (f64, f64),
    /// A beat is at the port: it stays.
    shown: bool,
    asked: u64,
    hidden: u64,
    hidden_quads: u64,
    /// Parts of groups are tested.
    parts: bool,
    waited: u64,
    /// Pixels in x and y around which triangles lie.
    area: (i128, i128),
    /// How far their vertices lie from there, in 256ths of a pixel.
    reach: [i128; 3],
}

impl World {
    fn new(fault: Option<Fault>, on: On, seed: u64) -> Self {
        Self::with_levels(HiZLevels::Two, fault, on, seed)
    }

    fn with_levels(hi_z_levels: HiZLevels, fault: Option<Fault>, on: On, seed: u64) -> Self {
        let config = GpuConfig {
            graphics: true,
            hi_z: HiZ::Rasteriser,
            hi_z_groups: 256,
            hi_z_levels,
            fault,
            ..GpuConfig::default()
        };
        let machine = Machine::new(on, &config, "raster_hi_z", Bench::new(RasterHiZ::new(&config), |b| &mut b.clock));
        Self {
            machine,
            rng: ChaCha8Rng::seed_from_u64(seed),
            samples: 0,
            side: 4,
            draws: [Draw::default(); 8],
            depth: BTreeMap::new(),
            clear: 0,
            on_way: VecDeque::new(),
            pace: (1.0, 1.0),
            shown: false,
            asked: 0,
            hidden: 0,
            hidden_quads: 0,
            parts: hi_z_levels == HiZLevels::Four,
            waited: 0,
            area: (WIDTH, HEIGHT),
            reach: [1500, 6000, 30_000],
        }
    }

    fn pass(&mut self, number: usize) {
        self.samples = number % 3;
        self.side = 3 + (number / 3 % 3) as u32;
        let plain = number.is_multiple_of(2);
        let loads = !plain && self.rng.random_range(0..3) == 0;
        self.clear = [FAR, 0, 0x80_0000, 1000][self.rng.random_range(0..4)];
        let way = self.rng.random_range(0..2);
        for draw in &mut self.draws {
            *draw = if plain || self.rng.random() {
                Draw::plain([[1, 3], [4, 6]][way][self.rng.random_range(0..2)])
            } else {
                Draw::any(&mut self.rng)
            };
        }
        if plain {
            self.clear = [FAR, 0][way];
        }
        self.pace = [(1.0, 1.0), (0.2, 1.0), (1.0, 0.3), (0.3, 0.9)][self.rng.random_range(0..4)];
        let m = &mut self.machine;
        m.state(true, 0, 0, WIDTH as u64 | (HEIGHT as u64) << 16);
        m.state(true, 0, 1, self.samples as u64 | u64::from(self.side) << 4 | 2 << 8 | 1 << 12);
        m.state(true, 0, 21, u64::from(loads) << 4);
        m.state(true, 0, 22, self.clear | 0x5A00_0000);
        for (context, draw) in self.draws.iter().enumerate() {
            m.state(false, context, 6, draw.word());
            for (word, data) in draw.stencil_words() {
                m.state(false, context, word, data);
            }
            m.state(false, context, 28, 15);
            m.state(false, context, 29, 15);
        }
        m.set("state_valid", 0);
        m.set("state_pass", 0);
        self.depth = BTreeMap::new();
        if loads {
            for (y, x) in (0..HEIGHT).flat_map(|y| (0..WIDTH).map(move |x| (y, x))) {
                for s in 0..1 << self.samples {
                    self.depth.insert((x, y, s), self.rng.random_range(0..=FAR));
                }
            }
        }
    }

    fn triangle(&mut self, before: Option<&Triangle>) -> Triangle {
        loop {
            let rng = &mut self.rng;
            let reach = self.reach[rng.random_range(0..3)];
            let (cx, cy) = (rng.random_range(0..self.area.0 << 8), rng.random_range(0..self.area.1 << 8));
            let near = |rng: &mut ChaCha8Rng, c: i128| c + rng.random_range(-reach..=reach);
            let x = [0, 1, 2].map(|_| near(rng, cx));
            let y = [0, 1, 2].map(|_| near(rng, cy));
            let level = 64 * [1000, 1001, 0x40_0000, 0x80_0000, 0xFF_FFFF][rng.random_range(0..5)];
            let z = match rng.random_range(0..3) {
                0 => [level; 3],
                1 => [0, 1, 2].map(|_| (level + rng.random_range(-9000..9000)).clamp(0, 64 * 0xFF_FFFF)),
                _ => [0, 1, 2].map(|_| rng.random_range(0..=64 * 0xFF_FFFF)),
            };
            let window = Area { x0: 0, y0: 0, x1: WIDTH - 1, y1: HEIGHT - 1 };
            let Some(shape) = Shape::new(x, y, z) else { continue };
            let Some(mut triangle) = Triangle::new(shape, window, rng) else { continue };
            if rng.random_range(0..4) > 0 {
                triangle.context = before.map_or(triangle.context, |t| t.context);
            }
            return triangle;
        }
    }

    /// A cycle: something may be given.
    fn cycle(&mut self) {
        let (give, take) = (self.rng.random_bool(self.pace.0), self.rng.random_bool(self.pace.1));
        let m = &mut self.machine;
        self.shown |= give && !self.on_way.is_empty();
        let done = self.shown && matches!(self.on_way.front(), Some(Item::Done));
        m.set("tile_done", u64::from(done));
        m.set("in_quad_valid", u64::from(self.shown && !done));
        m.set("in_quad_end", 0);
        match self.on_way.front() {
            Some(&Item::Beat(context, (x, y), (sample, last, coverage), depths)) => {
                let place = [("in_quad_context", context), ("in_quad_x", x as u64), ("in_quad_y", y as u64)];
                let beat = [("in_quad_sample", sample), ("in_quad_last", last.into()), ("in_quad_coverage", coverage)];
                for (name, value) in place.into_iter().chain(beat) {
                    m.set(name, value);
                }
                depths.iter().enumerate().for_each(|(k, &z)| m.set(&format!("in_quad_depth{k}"), z));
            }
            Some(&Item::End(context)) => {
                m.set("in_quad_context", context);
                m.set("in_quad_end", 1);
            }
            _ => (),
        }
        m.set("quad_ready", u64::from(take));
        m.settle();
        let taken = self.shown && (done || take && m.get("in_quad_ready") == 1);
        assert_eq!(self.shown && !done && m.get("in_quad_ready") == 1, taken && !done);
        m.cycle();
        m.set("tile_done", 0);
        if taken {
            self.on_way.pop_front();
            self.shown = false;
        }
    }

    /// A group of a triangle: it is asked about, or, if empty, only told of. Its quads that are
    /// hidden.
    fn group(&mut self, t: &Triangle, (gx, gy): (i128, i128), asks: bool, last: bool) -> Result<u64, String> {
        let (px, py) = (8 * gx, 8 * gy);
        let plane = wrap(t.depth.z + t.depth.gx * (256 * px + 128) + t.depth.gy * (256 * py + 128), 60);
        let field = |value: i128, width: u32| (value as u64) & u64::MAX >> (64 - width);
        let m = &mut self.machine;
        m.set("query_z", field((plane + (1 << 23)) >> 5, 55));
        m.set("query_x", (px >> 1) as u64);
        m.set("query_y", (py >> 1) as u64);
        m.set("query_last", last.into());
        m.set("query_columns", 255);
        m.set("query_bottom", (py + 7) as u64);
        m.set("query_facts_gx", field(t.depth.gx, 55));
        m.set("query_facts_gy", field(t.depth.gy, 55));
        m.set("query_facts_low", t.depth.low as u64);
        m.set("query_facts_high", t.depth.high as u64);
        m.set("query_facts_owner", t.context | t.handle << 4 | t.order << 16);
        m.set("query_valid", asks.into());
        for wait in 0..100_000 {
            self.machine.settle();
            let there = !asks || self.machine.get("answer_valid") == 1;
            if there && self.rng.random_range(0..4) > 0 {
                let hidden = asks && self.machine.get("hidden") == 1;
                self.machine.set("query_taken", 1);
                if self.parts {
                    self.machine.set("part_begins_0", u64::from(!hidden));
                }
                self.machine.settle();
                assert_eq!(self.machine.get("cull_valid") == 1, hidden);
                self.cycle();
                self.machine.set("query_taken", 0);
                self.machine.set("query_valid", 0);
                let quads = self.quads(hidden)?;
                self.asked += u64::from(asks);
                self.waited += u64::from(wait > 20);
                self.hidden_quads += u64::from(if hidden { 0 } else { quads.count_ones() });
                return Ok(quads);
            }
            self.cycle();
        }
        Err(format!("no answer: {t:?}"))
    }

    /// The quads of a group that are hidden.
    fn quads(&mut self, hidden: bool) -> Result<u64, String> {
        if hidden || !self.parts {
            return Ok(if hidden { 0xFFFF } else { 0 });
        }
        self.machine.set("part_begins_0", 0);
        for _ in 0..30 {
            self.machine.settle();
            if self.machine.get("part_known_0") == 15 {
                return Ok(self.machine.get("part_hidden_0"));
            }
            self.cycle();
        }
        Err("parts are not known in time".into())
    }

    /// A triangle in a tile.
    fn tile(&mut self, t: &Triangle, tile: Area, end: bool) -> Result<(), String> {
        // The rasteriser has few triangles at a time.
        let mut patience = 200_000;
        while self.on_way.iter().filter(|i| matches!(i, Item::Done)).count() > 4 && patience > 0 {
            self.cycle();
            patience -= 1;
        }
        let draw = self.draws[t.context as usize];
        let area = t.area.and(tile);
        let groups: Vec<_> =
            (area.y0 >> 3..=area.y1 >> 3).flat_map(|y| (area.x0 >> 3..=area.x1 >> 3).map(move |x| (x, y))).collect();
        for (n, &(gx, gy)) in groups.iter().enumerate() {
            let square = Area { x0: 8 * gx, y0: 8 * gy, x1: 8 * gx + 7, y1: 8 * gy + 7 };
            let all = quads(&t.shape, &t.depth, area.and(square), self.samples, 15);
            let last = n + 1 == groups.len();
            let covers = all.values().flatten().any(|beat| beat.2 != 0);
            // The rasteriser does not know of each group whether it covers anything there.
            let asks = covers || self.rng.random();
            if !asks && !last {
                continue;
            }
            let hidden = self.group(t, (gx, gy), asks, last)?;
            self.hidden += u64::from(hidden == 0xFFFF);
            for ((qy, qx), beats) in all {
                let hidden = hidden >> ((qx & 3) | (qy & 3) << 2) & 1 == 1;
                for (sample, is_last, coverage, depths) in beats {
                    for lane in (0..4).filter(|lane| coverage >> lane & 1 == 1) {
                        let at = (2 * qx + (lane & 1) as i128, 2 * qy + (lane >> 1) as i128, sample);
                        let d = *self.depth.get(&at).unwrap_or(&self.clear);
                        if hidden && (draw.passes(depths[lane], d) || !draw.may_go()) {
                            return Err(format!("hidden where it is seen: {at:?} {draw:?} {t:?}"));
                        }
                        self.writes(draw, at, (depths[lane], d));
                    }
                    if !hidden {
                        self.on_way.push_back(Item::Beat(t.context, (qx, qy), (sample, is_last, coverage), depths));
                    }
                }
            }
        }
        if end {
            self.on_way.push_back(Item::End(t.context));
        }
        self.on_way.push_back(Item::Done);
        Ok(())
    }

    /// What a covered sample does to the depth.
    fn writes(&mut self, draw: Draw, at: (i128, i128, u64), (z, d): (u64, u64)) {
        let z = if draw.moves { self.rng.random_range(0..=FAR) } else { z };
        let kept = draw.passes(z, d) && !(draw.loses() && self.rng.random());
        if kept && draw.test && draw.write {
            self.depth.insert(at, z);
        }
    }

    fn run(&mut self, passes: usize, windows: usize) -> Result<(), String> {
        for number in 0..passes {
            self.pass(number);
            for _ in 0..windows {
                let mut window: Vec<Triangle> = vec![];
                for _ in 0..6 {
                    let next = self.triangle(window.last());
                    window.push(next);
                }
                let log = self.side;
                let side = 1 << log;
                let mut tiles: Vec<_> = window.iter().flat_map(|t| t.tiles(log)).collect();
                tiles.sort_unstable();
                tiles.dedup();
                for (x0, y0) in tiles {
                    let tile = Area { x0, y0, x1: x0 + side - 1, y1: y0 + side - 1 };
                    for t in window.iter().filter(|t| t.tiles(log).contains(&(x0, y0))) {
                        let end = self.rng.random_range(0..4) == 0;
                        self.tile(t, tile, end)?;
                    }
                }
            }
            for _ in 0..200_000 {
                if self.on_way.is_empty() {
                    break;
                }
                self.cycle();
            }
            if !self.on_way.is_empty() {
                return Err("quads are not taken".into());
            }
            for _ in 0..self.rng.random_range(4..20) {
                self.cycle();
            }
        }
        Ok(())
    }
}

#[test]
fn hz_37_the_rasteriser_alone_hides_nothing_that_is_seen() {
    let mut world = World::new(None, On::Verilog, 1);
    world.run(tier::cases(12, 36), 6).unwrap_or_else(|e| panic!("{e}"));
    let World { asked, hidden, waited, .. } = world;
    assert!(hidden > asked / 20, "{hidden} of {asked} groups are hidden");
    // An answer that waits is the exception.
    assert!(waited > tier::cases(5, 20) && waited < asked / 5, "{waited} of {asked} wait");
}

/// HZ-20: the same with blocks and quads.
#[test]
fn hz_37_four_levels_hide_nothing_that_is_seen() {
    let mut world = World::with_levels(HiZLevels::Four, None, On::Verilog, 1);
    world.run(36, 6).unwrap_or_else(|e| panic!("{e}"));
    let World { hidden, hidden_quads, .. } = world;
    assert!(hidden > 100 && hidden_quads > 400, "{hidden} groups and {hidden_quads} quads of others are hidden");
    World::with_levels(HiZLevels::Four, None, On::RustHdl, 2).run(1, 1).unwrap_or_else(|e| panic!("{e}"));
}

/// Triangles of both directions in two groups, one after the other. A group stays here between
/// them.
#[test]
fn hz_21_a_group_that_is_here_changes_its_direction() {
    let directions = |fault, seed| {
        let mut world = World::new(fault, On::Verilog, seed);
        (world.area, world.reach) = ((10, 8), [500, 900, 1500]);
        world.run(36, 6)
    };
    for seed in [2, 11] {
        directions(None, seed).unwrap_or_else(|e| panic!("{e}"));
    }
    let problem = (13..30).find_map(|seed| directions(Some(Fault::HiZTurned), seed).err());
    let problem = problem.expect("bounds of the other direction are found");
    assert!(problem.contains("where it is seen"), "{problem}");
}

#[test]
fn the_kernels_hide_the_same() {
    World::new(None, On::RustHdl, 2).run(1, 1).unwrap_or_else(|e| panic!("{e}"));
}

#[test]
fn planted_faults_are_caught() {
    for fault in tier::first(1, [Fault::RasterHiZWait, Fault::RasterHiZDraw]) {
        let problem = [10, 11, 19, 3, 4, 5]
            .into_iter()
            .find_map(|seed| World::new(Some(fault), On::Verilog, seed).run(36, 6).err());
        let problem = problem.unwrap_or_else(|| panic!("{fault:?} is not caught"));
        assert!(problem.contains("where it is seen"), "{fault:?}: {problem}");
    }
}
