//! Hi-Z from written depths, beside a depth buffer that knows everything. A stand-in for all that
//! lies between the visibility unit and the tile buffers: triangles enter, wait, are drawn tile by
//! tile and group by group, and their depths are written some time later. What is written is told,
//! all lanes of a sample as they are then. Records are freed in any order.
//!
//! The oracle draws each triangle at once when it enters, sample by sample, from exact integers. A
//! tile, a pair of the binner or a group may be hidden only if no covered sample passes there in
//! its turn (HZ-21). So it knows nothing of what is written when. A window of triangles enters
//! while the one before is being drawn, and draws are of every kind.

use std::collections::{BTreeMap, VecDeque};

use quadlock_hdl::base::testing::Bench;
use quadlock_hdl::config::{GpuConfig, HiZ, HiZUpdate};
use quadlock_hdl::fault::Fault;
use quadlock_hdl::visibility::BackVisibility;
use quadlock_testkit::tier;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::common::machine::{Machine, On};
use crate::hi_z::{Draw, FAR, HEIGHT, WIDTH};
use crate::raster::reference::{quads, wrap, Area, Shape};
use crate::raster::run::Triangle;

type At = (i128, i128, u64);

/// What is on its way to the tile buffers.
enum Item {
    /// A sample of a quad: its place, its lanes, what they write.
    Beat((i128, i128, u64), u64, [Option<u64>; 4]),
    /// All of a triangle was given.
    End(u64),
}

/// A triangle that entered: what each covered sample does in its turn.
struct Entered {
    triangle: Triangle,
    shows: Vec<bool>,
    /// Of each covered sample: its test passes, and what it writes.
    turns: BTreeMap<At, (bool, Option<u64>)>,
}

struct World {
    machine: Machine,
    rng: ChaCha8Rng,
    samples: usize,
    side: u32,
    draws: [Draw; 8],
    /// Depths in the order of triangles; those that are written.
    turn: BTreeMap<At, u64>,
    written: BTreeMap<At, u64>,
    clear: u64,
    on_way: VecDeque<Item>,
    frees: Vec<u64>,
    handles: Vec<u64>,
    /// How often something is written.
    pace: f64,
    /// One large, level triangle after the other, each drawn at once. There are two draws; one of
    /// them moves depths against the bounds of the other.
    duel: bool,
    asked: u64,
    /// Of tiles, pairs, groups.
    hidden: [u64; 3],
}

impl World {
    fn new(fault: Option<Fault>, on: On, seed: u64) -> Self {
        let config = GpuConfig {
            graphics: true,
            hi_z: HiZ::VisibilityBinner,
            hi_z_update: HiZUpdate::Back,
            hi_z_groups: 256,
            fault,
            ..GpuConfig::default()
        };
        let bench = Bench::new(BackVisibility::new(&config), |b| &mut b.clock);
        Self {
            machine: Machine::new(on, &config, "back_visibility", bench),
            rng: ChaCha8Rng::seed_from_u64(seed),
            samples: 0,
            side: 4,
            draws: [Draw::default(); 8],
            turn: BTreeMap::new(),
            written: BTreeMap::new(),
            clear: 0,
            on_way: VecDeque::new(),
            frees: vec![],
            handles: (0..64).collect(),
            pace: 1.0,
            duel: false,
            asked: 0,
            hidden: [0; 3],
        }
    }

    fn pass(&mut self, number: usize) {
        self.samples = number % 3;
        self.side = 3 + (number / 3 % 3) as u32;
        let plain = number.is_multiple_of(2);
        let loads = !plain && self.rng.random_range(0..3) == 0;
        self.clear = [FAR, 0, 0x80_0000, 1000][self.rng.random_range(0..4)];
        let way = self.rng.random_range(0..2);
        // One draw that is not plain, or many.
        let few = self.rng.random();
        for (n, draw) in self.draws.iter_mut().enumerate() {
            *draw = if plain || (if few { n > 0 } else { self.rng.random() }) {
                Draw::plain([[1, 3], [4, 6]][way][self.rng.random_range(0..2)])
            } else {
                Draw::any(&mut self.rng)
            };
        }
        if plain {
            self.clear = [FAR, 0][way];
        }
        self.duel = number % 4 == 3;
        if self.duel {
            self.draws = [0; 8].map(|_| Draw::plain([1, 4][way]));
            // The other one.
            self.draws[1] = Draw::plain([7, [4, 1][way]][number / 4 % 2]);
        }
        self.pace = [1.0, 0.9, 0.5, 0.2][if self.duel { 0 } else { self.rng.random_range(0..4) }];
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
        self.turn = BTreeMap::new();
        if loads {
            for (y, x) in (0..HEIGHT).flat_map(|y| (0..WIDTH).map(move |x| (y, x))) {
                for s in 0..1 << self.samples {
                    self.turn.insert((x, y, s), self.rng.random_range(0..=FAR));
                }
            }
        }
        self.written = self.turn.clone();
    }

    fn triangle(&mut self, before: Option<&Triangle>) -> Triangle {
        loop {
            let rng = &mut self.rng;
            let reach = [1500, 6000, 30_000][if self.duel { 2 } else { rng.random_range(0..3) }];
            let (cx, cy) = (rng.random_range(0..WIDTH << 8), rng.random_range(0..HEIGHT << 8));
            let near = |rng: &mut ChaCha8Rng, c: i128| c + rng.random_range(-reach..=reach);
            let x = [0, 1, 2].map(|_| near(rng, cx));
            let y = [0, 1, 2].map(|_| near(rng, cy));
            let level = 64 * [1000, 1001, 0x40_0000, 0x80_0000, 0xFF_FFFF][rng.random_range(0..5)];
            let z = match rng.random_range(0..3) {
                _ if self.duel => [level; 3],
                0 => [level; 3],
                1 => [0, 1, 2].map(|_| (level + rng.random_range(-9000..9000)).clamp(0, 64 * 0xFF_FFFF)),
                _ => [0, 1, 2].map(|_| rng.random_range(0..=64 * 0xFF_FFFF)),
            };
            let window = Area { x0: 0, y0: 0, x1: WIDTH - 1, y1: HEIGHT - 1 };
            let Some(shape) = Shape::new(x, y, z) else { continue };
            let Some(mut triangle) = Triangle::new(shape, window, rng) else { continue };
            if self.duel {
                let kept = before.map(|t| t.context).filter(|_| rng.random_range(0..8) > 0);
                triangle.context = kept.unwrap_or_else(|| rng.random_range(0..2));
            } else if rng.random_range(0..4) > 0 {
                triangle.context = before.map_or(triangle.context, |t| t.context);
            }
            return triangle;
        }
    }

    /// A cycle: something may be written, and a record freed.
    fn cycle(&mut self) {
        let goes = self.rng.random_bool(self.pace);
        let frees = !self.frees.is_empty() && (self.duel || self.rng.random_range(0..4) == 0);
        self.machine.set("free_valid", frees.into());
        if frees {
            let at = self.rng.random_range(0..self.frees.len());
            let handle = self.frees.swap_remove(at);
            self.machine.set("free_handle", handle);
            self.handles.push(handle);
        }
        self.machine.settle();
        let mut beat = None;
        if goes {
            match self.on_way.front() {
                Some(Item::End(handle)) => {
                    self.frees.push(*handle);
                    self.on_way.pop_front();
                }
                Some(Item::Beat(..)) if self.machine.get("update_room") == 1 => {
                    if let Some(Item::Beat(place, lanes, depths)) = self.on_way.pop_front() {
                        beat = Some((place, lanes, depths));
                    }
                }
                _ => (),
            }
        }
        self.machine.set("update_valid", beat.is_some().into());
        if let Some(((qx, qy, sample), lanes, depths)) = beat {
            for (name, value) in [("x", qx as u64), ("y", qy as u64), ("sample", sample), ("lanes", lanes)] {
                self.machine.set(&format!("update_{name}"), value);
            }
            for (lane, depth) in depths.iter().enumerate() {
                let at = (2 * qx + (lane & 1) as i128, 2 * qy + (lane >> 1) as i128, sample);
                if let Some(z) = *depth {
                    self.written.insert(at, z);
                }
                let now = *self.written.get(&at).unwrap_or(&self.clear);
                self.machine.set(&format!("update_depth{lane}"), now);
            }
        }
        self.machine.settle();
        self.machine.cycle();
        self.machine.set("update_valid", 0);
        self.machine.set("free_valid", 0);
    }

    /// What the triangle does in its turn.
    fn turns(&mut self, t: &Triangle) -> BTreeMap<At, (bool, Option<u64>)> {
        let draw = self.draws[t.context as usize];
        let mut turns = BTreeMap::new();
        for ((qy, qx), beats) in quads(&t.shape, &t.depth, t.area, self.samples, 15) {
            for (sample, _, coverage, depths) in beats {
                for lane in (0..4).filter(|lane| coverage >> lane & 1 == 1) {
                    let at = (2 * qx + (lane & 1) as i128, 2 * qy + (lane >> 1) as i128, sample);
                    let d = *self.turn.get(&at).unwrap_or(&self.clear);
                    let z = if draw.moves { self.rng.random_range(0..=FAR) } else { depths[lane] };
                    let kept = draw.passes(z, d) && !(draw.loses() && self.rng.random());
                    let writes = (kept && draw.test && draw.write).then_some(z);
                    if let Some(z) = writes {
                        self.turn.insert(at, z);
                    }
                    turns.insert(at, (draw.passes(depths[lane], d) || !draw.may_go(), writes));
                }
            }
        }
        turns
    }

    /// Whether something of it is seen in that square.
    fn is_seen(turns: &BTreeMap<At, (bool, Option<u64>)>, square: Area) -> bool {
        let within = |at: &At| (square.x0..=square.x1).contains(&at.0) && (square.y0..=square.y1).contains(&at.1);
        turns.iter().any(|(at, turn)| within(at) && turn.0)
    }

    fn facts(&mut self, prefix: &str, suffix: &str, t: &Triangle) {
        let m = &mut self.machine;
        for (port, value) in [
            ("x0", t.area.x0 as u64),
            ("y0", t.area.y0 as u64),
            ("x1", t.area.x1 as u64),
            ("y1", t.area.y1 as u64),
            ("z_low", t.depth.low as u64),
            ("z_high", t.depth.high as u64),
            ("context", t.context),
            ("handle", t.handle),
            ("order", t.order),
        ] {
            m.set(&format!("{prefix}{port}{suffix}"), value);
        }
    }

    fn square((x0, y0): (i128, i128), log: u32) -> Area {
        Area { x0, y0, x1: x0 + (1 << log) - 1, y1: y0 + (1 << log) - 1 }
    }

    /// A triangle through the unit.
    fn enter(&mut self, mut t: Triangle) -> Result<Entered, String> {
        let mut patience = 200_000;
        while self.handles.len() < 8 {
            self.cycle();
            patience -= 1;
            if patience == 0 {
                return Err("nothing is drawn".into());
            }
        }
        let at = self.rng.random_range(0..self.handles.len());
        t.handle = self.handles.swap_remove(at);
        self.facts("in_triangle_", "", &t);
        self.machine.set("in_triangle_valid", 1);
        let tiles = t.tiles(self.side);
        let (mut shows, mut patience) = (vec![], 20_000);
        while shows.len() < tiles.len() {
            let ready = self.rng.random_range(0..4) > 0;
            self.machine.set("visible_ready", ready.into());
            self.machine.settle();
            let told = ready && self.machine.get("visible_valid") == 1;
            if told {
                let shown = self.machine.get("visible") == 1;
                if (self.machine.get("culls_valid_1") == 1) == shown {
                    return Err(format!("no event of a tile that is hidden, or one where it is seen: {t:?}"));
                }
                shows.push(shown);
            }
            self.cycle();
            patience -= 1;
            if patience == 0 {
                return Err(format!("no bit: {t:?}"));
            }
        }
        self.machine.set("visible_ready", 0);
        for _ in 0..self.rng.random_range(0..3) {
            self.cycle();
        }
        self.machine.set("triangle_ready", 1);
        self.cycle();
        self.machine.set("triangle_ready", 0);
        self.machine.set("in_triangle_valid", 0);
        let turns = self.turns(&t);
        for (&tile, &shown) in tiles.iter().zip(&shows) {
            let square = Self::square(tile, self.side);
            if !shown && Self::is_seen(&turns, square) {
                return Err(format!("a tile is hidden where it is seen: {square:?} {t:?}"));
            }
            self.hidden[0] += u64::from(!shown);
        }
        Ok(Entered { triangle: t, shows, turns })
    }

    /// The binner asks about a triangle in a tile.
    fn pair(&mut self, t: &Triangle, (x0, y0): (i128, i128)) -> Result<bool, String> {
        self.facts("pair_", "_0", t);
        self.machine.set("pair_x_0", x0 as u64);
        self.machine.set("pair_y_0", y0 as u64);
        self.machine.set("pair_valid_0", 1);
        for _ in 0..1000 {
            self.machine.settle();
            if self.machine.get("pair_answer_0") == 1 && self.rng.random() {
                let hidden = self.machine.get("pair_hidden_0") == 1;
                self.machine.set("pair_taken_0", 1);
                self.cycle();
                self.machine.set("pair_taken_0", 0);
                self.machine.set("pair_valid_0", 0);
                return Ok(hidden);
            }
            self.cycle();
        }
        Err(format!("no answer for the binner: {t:?}"))
    }

    /// The rasteriser asks about a group of a triangle.
    fn group(&mut self, t: &Triangle, (gx, gy): (i128, i128), last: bool) -> Result<bool, String> {
        let (px, py) = (8 * gx, 8 * gy);
        let plane = wrap(t.depth.z + t.depth.gx * (256 * px + 128) + t.depth.gy * (256 * py + 128), 60);
        let field = |value: i128, width: u32| (value as u64) & u64::MAX >> (64 - width);
        let m = &mut self.machine;
        m.set("query_z", field((plane + (1 << 23)) >> 5, 55));
        m.set("query_x", (px >> 1) as u64);
        m.set("query_y", (py >> 1) as u64);
        m.set("query_last", last.into());
        m.set("query_facts_gx", field(t.depth.gx, 55));
        m.set("query_facts_gy", field(t.depth.gy, 55));
        m.set("query_facts_low", t.depth.low as u64);
        m.set("query_facts_high", t.depth.high as u64);
        m.set("query_facts_owner", t.context | t.handle << 4 | t.order << 16);
        m.set("query_valid", 1);
        for _ in 0..100 {
            self.machine.settle();
            if self.machine.get("answer_valid") == 1 && self.rng.random_range(0..4) > 0 {
                let hidden = self.machine.get("hidden") == 1;
                self.machine.set("query_taken", 1);
                self.machine.settle();
                assert_eq!(self.machine.get("culls_valid_0") == 1, hidden);
                self.cycle();
                self.machine.set("query_taken", 0);
                self.machine.set("query_valid", 0);
                self.asked += 1;
                return Ok(hidden);
            }
            self.cycle();
        }
        Err(format!("no answer: {t:?}"))
    }

    /// A triangle in a tile.
    fn tile(&mut self, e: &Entered, tile: (i128, i128)) -> Result<(), String> {
        let mut patience = 200_000;
        while self.on_way.len() > 400 && patience > 0 {
            self.cycle();
            patience -= 1;
        }
        if patience == 0 {
            return Err("nothing is written".into());
        }
        let t = &e.triangle;
        let square = Self::square(tile, self.side);
        if self.pair(t, tile)? {
            if Self::is_seen(&e.turns, square) {
                return Err(format!("a pair is hidden where it is seen: {square:?} {t:?}"));
            }
            self.hidden[1] += 1;
            return Ok(());
        }
        let draw = self.draws[t.context as usize];
        let area = t.area.and(square);
        let groups: Vec<_> =
            (area.y0 >> 3..=area.y1 >> 3).flat_map(|y| (area.x0 >> 3..=area.x1 >> 3).map(move |x| (x, y))).collect();
        for (n, &(gx, gy)) in groups.iter().enumerate() {
            let eight = Self::square((8 * gx, 8 * gy), 3);
            if self.group(t, (gx, gy), n + 1 == groups.len())? {
                if Self::is_seen(&e.turns, eight) {
                    return Err(format!("a group is hidden where it is seen: {eight:?} {draw:?} {t:?}"));
                }
                self.hidden[2] += 1;
                continue;
            }
            for ((qy, qx), beats) in quads(&t.shape, &t.depth, area.and(eight), self.samples, 15) {
                for (sample, _, coverage, _) in beats {
                    if coverage == 0 || !(draw.test || self.rng.random()) {
                        continue;
                    }
                    let mut depths = [None; 4];
                    for lane in (0..4).filter(|lane| coverage >> lane & 1 == 1) {
                        let at = (2 * qx + (lane & 1) as i128, 2 * qy + (lane >> 1) as i128, sample);
                        depths[lane] = e.turns[&at].1;
                    }
                    self.on_way.push_back(Item::Beat((qx, qy, sample), coverage, depths));
                }
            }
        }
        Ok(())
    }

    /// Something near, then something that raises depths, and at once the question whether a third
    /// triangle is hidden where the second was written last.
    fn raised(&mut self) -> Result<(), String> {
        let mut last = None;
        for context in [0, 1] {
            let mut t = self.triangle(None);
            t.context = context;
            let e = self.enter(t)?;
            for (tile, _) in e.triangle.tiles(self.side).into_iter().zip(&e.shows).filter(|(_, &shown)| shown) {
                self.tile(&e, tile)?;
            }
            self.on_way.push_back(Item::End(e.triangle.handle));
            if context == 0 {
                self.drain()?;
            }
            let mut groups = self.on_way.iter().filter_map(|i| match i {
                Item::Beat((qx, qy, _), ..) => Some((qx >> 2, qy >> 2)),
                Item::End(_) => None,
            });
            last = groups.next_back();
        }
        let mut t = self.triangle(None);
        t.context = 0;
        let e = self.enter(t)?;
        while !self.on_way.is_empty() {
            self.cycle();
        }
        if let Some(at) = last {
            for _ in 0..12 {
                let eight = Self::square((8 * at.0, 8 * at.1), 3);
                if self.group(&e.triangle, at, false)? && Self::is_seen(&e.turns, eight) {
                    return Err(format!("a group is hidden where it is seen: {eight:?} {:?}", e.triangle));
                }
            }
        }
        for (tile, _) in e.triangle.tiles(self.side).into_iter().zip(&e.shows).filter(|(_, &shown)| shown) {
            self.tile(&e, tile)?;
        }
        self.on_way.push_back(Item::End(e.triangle.handle));
        self.drain()
    }

    /// Until all is written and all records are free.
    fn drain(&mut self) -> Result<(), String> {
        for _ in 0..200_000 {
            if self.on_way.is_empty() && self.frees.is_empty() {
                break;
            }
            self.cycle();
        }
        if !self.on_way.is_empty() {
            return Err("depths are not written".into());
        }
        for _ in 0..self.rng.random_range(4..20) {
            self.cycle();
        }
        Ok(())
    }

    fn run(&mut self, passes: usize, windows: usize) -> Result<(), String> {
        for number in 0..passes {
            self.pass(number);
            let mut last = None;
            for _ in 0..if self.duel { 4 * windows } else { windows } {
                let mut window = vec![];
                for _ in 0..if self.duel { 1 } else { 6 } {
                    let next = self.triangle(last.as_ref());
                    last = Some(next.clone());
                    window.push(self.enter(next)?);
                }
                let log = self.side;
                let mut tiles: Vec<_> = window.iter().flat_map(|e| e.triangle.tiles(log)).collect();
                tiles.sort_unstable();
                tiles.dedup();
                for tile in tiles {
                    for e in &window {
                        let at = e.triangle.tiles(log).iter().position(|&t| t == tile);
                        if at.is_some_and(|at| e.shows[at]) {
                            self.tile(e, tile)?;
                        }
                    }
                }
                window.iter().for_each(|e| self.on_way.push_back(Item::End(e.triangle.handle)));
            }
            self.drain()?;
            for _ in 0..if self.duel { 3 * windows } else { 0 } {
                self.raised()?;
            }
        }
        Ok(())
    }
}
#[test]
fn hz_22_written_depths_hide_nothing_that_is_seen() {
    let mut world = World::new(None, On::Verilog, 1);
    world.run(18, 8).unwrap_or_else(|e| panic!("{e}"));
    let World { asked, hidden, .. } = world;
    assert!(hidden.iter().all(|&h| h > 50) && hidden[2] > asked / 50, "{hidden:?} of {asked} groups");
}

#[test]
fn the_kernels_hide_the_same() {
    World::new(None, On::RustHdl, 2).run(1, 1).unwrap_or_else(|e| panic!("{e}"));
}

#[test]
fn planted_faults_are_caught() {
    let faults = [
        Fault::BackTile,
        Fault::BackSettle,
        Fault::BackLane,
        Fault::BackUnknown,
        Fault::BackRow,
        Fault::BackTurn,
        Fault::BackLost,
        Fault::BackWait,
    ];
    for fault in tier::first(1, faults) {
        let problem = (3..9).find_map(|seed| World::new(Some(fault), On::Verilog, seed).run(16, 12).err());
        let problem = problem.unwrap_or_else(|| panic!("{fault:?} is not caught"));
        assert!(problem.contains("where it is seen"), "{fault:?}: {problem}");
    }
}
