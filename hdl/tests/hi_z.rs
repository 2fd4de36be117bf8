//! The visibility unit with Hi-Z beside a depth buffer that knows everything. Passes of random
//! triangles, of draws of every depth function and of those that may take samples away or move
//! depths. The oracle draws each triangle at once, sample by sample, from exact integers. What a
//! program could do (discard, mask, its own depth, stencil) it does at random.
//!
//! A tile's bit may be 0 only if no covered sample passes there (HZ-21), and must be 0 if none is
//! covered (HZ-11). In passes of plain draws the bit must be exact. An answer "hidden" to the
//! rasteriser is right only if each sample that the triangle wrote was written again by a later
//! triangle of its opaque run (HZ-13). Wrong would be an oracle that shares a class of draws with
//! the unit: classes are written from the page here. Each planted fault is found.

pub(crate) mod memory;

use std::collections::BTreeMap;

use quadlock_hdl::base::testing::Bench;
use quadlock_hdl::config::{GpuConfig, HiZ, HiZLevels};
use quadlock_hdl::fault::Fault;
use quadlock_hdl::visibility::DepthVisibility;
use quadlock_testkit::tier;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use self::memory::{Served, AREA};
use crate::common::machine::{Machine, On};
use crate::raster::reference::{quads, wrap, Area, Shape};
use crate::raster::run::Triangle;

pub(crate) const WIDTH: i128 = 120;
pub(crate) const HEIGHT: i128 = 72;
pub(crate) const FAR: u64 = 0xFF_FFFF;

fn config(fault: Option<Fault>, hi_z_levels: HiZLevels) -> GpuConfig {
    GpuConfig { graphics: true, hi_z: HiZ::Visibility, hi_z_groups: 256, hi_z_levels, fault, ..GpuConfig::default() }
}

/// A draw: what its state record says.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Draw {
    pub(crate) function: u64,
    pub(crate) test: bool,
    pub(crate) write: bool,
    stencil: bool,
    early: bool,
    discards: bool,
    pub(crate) moves: bool,
    masks: bool,
    stores: bool,
    blends: bool,
    partial: bool,
    looks: bool,
}

impl Draw {
    pub(crate) fn plain(function: u64) -> Self {
        Self { function, test: true, write: true, ..Self::default() }
    }

    pub(crate) fn any(rng: &mut ChaCha8Rng) -> Self {
        let one_in = |rng: &mut ChaCha8Rng, n: u32| rng.random_range(0..n) == 0;
        Self {
            function: rng.random_range(0..8),
            test: !one_in(rng, 8),
            write: !one_in(rng, 6),
            stencil: one_in(rng, 8),
            early: one_in(rng, 4),
            discards: one_in(rng, 6),
            moves: one_in(rng, 10),
            masks: one_in(rng, 10),
            stores: one_in(rng, 6),
            blends: one_in(rng, 4),
            partial: one_in(rng, 8),
            looks: one_in(rng, 4),
        }
    }

    pub(crate) fn word(self) -> u64 {
        let bits = [
            (8, self.test),
            (9, self.write),
            (10, self.stencil),
            (11, self.early),
            (15, self.looks),
            (16, self.discards),
            (17, self.moves),
            (18, self.masks),
            (19, self.stores),
        ];
        bits.iter().fold(self.function << 5, |word, &(at, is)| word | u64::from(is) << at)
    }

    /// What fails its depth test changes the stencil.
    fn marks(self) -> bool {
        self.stencil && !self.looks
    }

    /// Words 21 to 23, by number.
    pub(crate) fn stencil_words(self) -> [(u64, u64); 3] {
        let side = 1 | 2 << 12 | if self.marks() { 3 << 8 } else { 0 };
        [(21, side), (22, side), (23, 0x01_FFFF)]
    }

    pub(crate) fn passes(self, z: u64, d: u64) -> bool {
        match self.function {
            _ if !self.test => true,
            0 => false,
            1 => z < d,
            2 => z == d,
            3 => z <= d,
            4 => z > d,
            5 => z != d,
            6 => z >= d,
            _ => true,
        }
    }

    /// What fails its test does nothing at all.
    pub(crate) fn may_go(self) -> bool {
        self.test && !self.marks() && !self.moves && (!self.stores || self.early)
    }

    /// A sample may be lost behind its test.
    pub(crate) fn loses(self) -> bool {
        self.discards || self.masks || self.stencil
    }

    /// Its state record's words go to a context.
    pub(crate) fn write(self, m: &mut Served, context: usize) {
        m.state(false, context, 6, self.word());
        for (word, data) in self.stencil_words() {
            m.state(false, context, word, data);
        }
        m.state(false, context, 28, 15 | u64::from(self.blends) << 4);
        m.state(false, context, 29, if self.partial { 7 } else { 15 });
        m.state(false, context, 32, 15);
        m.state(false, context, 39, 0);
        m.set("state_valid", 0);
        m.settle();
        m.cycle();
    }

    /// It is of an opaque run.
    fn opaque(self) -> bool {
        let sure = !(self.stencil || self.discards || self.moves || self.masks || self.stores || self.looks);
        self.test && self.write && matches!(self.function, 1 | 3 | 4 | 6) && sure && !self.blends && !self.partial
    }
}

/// A triangle is at the unit's port.
pub(crate) fn offer(m: &mut Served, t: &Triangle) {
    let field = |value: i128, width: u32| (value as u64) & u64::MAX >> (64 - width);
    for i in 0..3 {
        let (a, b) = t.shape.slopes(i);
        m.set(&format!("in_triangle_a{i}"), field(a, 24));
        m.set(&format!("in_triangle_b{i}"), field(b, 24));
        m.set(&format!("in_triangle_c{i}"), field(t.shape.edge(i, 0, 0), 48));
    }
    m.set("in_triangle_z", field(t.depth.z, 60));
    m.set("in_triangle_gx", field(t.depth.gx, 50));
    m.set("in_triangle_gy", field(t.depth.gy, 50));
    m.set("in_triangle_z_low", t.depth.low as u64);
    m.set("in_triangle_z_high", t.depth.high as u64);
    for (port, value) in [("x0", t.area.x0), ("y0", t.area.y0), ("x1", t.area.x1), ("y1", t.area.y1)] {
        m.set(&format!("in_triangle_{port}"), value as u64);
    }
    for (port, value) in [("context", t.context), ("handle", t.handle), ("order", t.order)] {
        m.set(&format!("in_triangle_{port}"), value);
    }
}

/// A triangle that was drawn.
struct Drawn {
    triangle: Triangle,
    run: Option<usize>,
    /// How often its context had been taken.
    state: usize,
    /// Samples that it wrote, by pixel and sample.
    wrote: Vec<(i128, i128, u64)>,
}

struct World {
    machine: Served,
    rng: ChaCha8Rng,
    samples: usize,
    side: u32,
    draws: [Draw; 8],
    /// How often each context was taken.
    states: [usize; 8],
    depth: BTreeMap<(i128, i128, u64), u64>,
    /// Triangles that wrote a sample, in order.
    writers: BTreeMap<(i128, i128, u64), Vec<usize>>,
    clear: u64,
    drawn: Vec<Drawn>,
    runs: usize,
    last: Option<u64>,
    /// The pass is of plain draws of one direction.
    plain: bool,
    hidden_tiles: u64,
    hidden_groups: u64,
    hidden_quads: u64,
    /// Parts of groups are tested.
    parts: bool,
    /// Groups of which everything is known.
    kept: i128,
    /// The pass record's word of the area.
    area: u64,
    /// Pixels in x and y around which triangles lie.
    around: (i128, i128),
    /// How far their vertices lie from there, in 256ths of a pixel.
    reach: [i128; 3],
}

impl World {
    fn new(fault: Option<Fault>, on: On, seed: u64) -> Self {
        Self::with_levels(HiZLevels::Two, fault, on, seed)
    }

    fn with_levels(levels: HiZLevels, fault: Option<Fault>, on: On, seed: u64) -> Self {
        Self::of(config(fault, levels), on, seed)
    }

    /// With 16 groups on the chip, and the others in memory.
    fn with_memory(fault: Option<Fault>, on: On, seed: u64) -> Self {
        Self::of(GpuConfig { hi_z_groups: 16, hi_z_memory: true, ..config(fault, HiZLevels::Two) }, on, seed)
    }

    fn of(config: GpuConfig, on: On, seed: u64) -> Self {
        let machine =
            Machine::new(on, &config, "depth_visibility", Bench::new(DepthVisibility::new(&config), |b| &mut b.clock));
        let machine = Served::new(machine, config.hi_z_memory);
        Self {
            machine,
            rng: ChaCha8Rng::seed_from_u64(seed),
            samples: 0,
            side: 4,
            draws: [Draw::default(); 8],
            states: [0; 8],
            depth: BTreeMap::new(),
            writers: BTreeMap::new(),
            clear: 0,
            drawn: vec![],
            runs: 0,
            last: None,
            plain: false,
            hidden_tiles: 0,
            hidden_groups: 0,
            hidden_quads: 0,
            parts: config.hi_z_levels == HiZLevels::Four,
            kept: if config.hi_z_memory { 0 } else { config.hi_z_groups as i128 },
            area: AREA,
            around: (WIDTH, HEIGHT),
            reach: [1500, 6000, 30_000],
        }
    }

    /// A new pass; what is loaded is anything.
    fn pass(&mut self, number: usize) {
        self.samples = number % 3;
        self.side = 3 + (number / 3 % 3) as u32;
        self.plain = number.is_multiple_of(2);
        let loads = !self.plain && self.rng.random_range(0..3) == 0;
        self.clear = [FAR, 0, 0x80_0000, 1000][self.rng.random_range(0..4)];
        let way = self.rng.random_range(0..2);
        for draw in &mut self.draws {
            *draw = if self.plain || self.rng.random() {
                let function = [[1, 3], [4, 6]][way][self.rng.random_range(0..2)];
                Draw { looks: !self.plain && self.rng.random_range(0..3) == 0, ..Draw::plain(function) }
            } else {
                Draw::any(&mut self.rng)
            };
        }
        if self.plain {
            self.clear = [FAR, 0][way];
        }
        let m = &mut self.machine;
        m.state(true, 0, 0, WIDTH as u64 | (HEIGHT as u64) << 16);
        m.state(true, 0, 1, self.samples as u64 | u64::from(self.side) << 4 | 2 << 8 | 1 << 12);
        m.state(true, 0, 21, u64::from(loads) << 4);
        m.state(true, 0, 22, self.clear | 0x5A00_0000);
        m.state(true, 0, 23, self.area);
        m.set("state_valid", 0);
        m.set("state_pass", 0);
        self.states = [0; 8];
        (self.depth, self.writers, self.drawn) = (BTreeMap::new(), BTreeMap::new(), vec![]);
        (self.last, self.runs) = (None, self.runs + 1);
        if loads {
            for (y, x) in (0..HEIGHT).flat_map(|y| (0..WIDTH).map(move |x| (y, x))) {
                for s in 0..1 << self.samples {
                    self.depth.insert((x, y, s), self.rng.random_range(0..=FAR));
                }
            }
        }
    }

    fn triangle(&mut self) -> Triangle {
        loop {
            let rng = &mut self.rng;
            let reach = self.reach[rng.random_range(0..3)];
            let (cx, cy) = (rng.random_range(0..self.around.0 << 8), rng.random_range(0..self.around.1 << 8));
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
            triangle.handle = self.drawn.len() as u64 % 64;
            triangle.order = self.drawn.len() as u64;
            // A draw has several triangles.
            if rng.random_range(0..4) > 0 {
                triangle.context = self.drawn.last().map_or(triangle.context, |d| d.triangle.context);
            }
            return triangle;
        }
    }

    fn offer(&mut self, t: &Triangle) {
        offer(&mut self.machine, t);
    }

    /// A triangle through the unit: its bits.
    fn bits(&mut self, t: &Triangle, tiles: usize) -> Result<Vec<bool>, String> {
        self.offer(t);
        let (mut bits, mut patience) = (vec![], 6000);
        while bits.len() < tiles {
            let ready = self.rng.random_range(0..4) > 0;
            self.machine.set("in_triangle_valid", 1);
            self.machine.set("visible_ready", ready.into());
            self.machine.settle();
            if ready && self.machine.get("visible_valid") == 1 {
                bits.push(self.machine.get("visible") == 1);
                patience = 6000;
            }
            self.machine.cycle();
            patience -= 1;
            if patience == 0 {
                return Err(format!("no bit: {t:?}"));
            }
        }
        self.machine.set("visible_ready", 0);
        self.machine.set("triangle_ready", 1);
        self.machine.settle();
        self.machine.cycle();
        self.machine.set("triangle_ready", 0);
        self.machine.set("in_triangle_valid", 0);
        self.end();
        for _ in 0..self.rng.random_range(0..12) {
            self.machine.settle();
            self.machine.cycle();
        }
        Ok(bits)
    }

    /// The rasteriser gives the triangle's end, so that the next run may begin.
    fn end(&mut self) {
        self.machine.set("quad_ready", 1);
        self.machine.set("raster_quad_end", 1);
        self.machine.set("raster_quad_valid", 1);
        for _ in 0..6 {
            self.machine.settle();
            self.machine.cycle();
            self.machine.set("raster_quad_valid", 0);
        }
    }

    /// The list takes a context anew for each state.
    fn state(&mut self, context: usize) {
        self.draws[context].write(&mut self.machine, context);
        self.states[context] += 1;
    }

    /// Draws a triangle, and looks at its bits.
    fn draw(&mut self) -> Result<(), String> {
        let t = self.triangle();
        if self.drawn.last().is_none_or(|d| d.triangle.context != t.context) {
            self.state(t.context as usize);
        }
        let draw = self.draws[t.context as usize];
        let run = draw.opaque().then(|| {
            self.runs += usize::from(self.last != Some(draw.function));
            self.runs
        });
        self.last = draw.opaque().then_some(draw.function);
        let tiles = t.tiles(self.side);
        let bits = self.bits(&t, tiles.len())?;
        let mut wrote = vec![];
        for (&(x0, y0), bit) in tiles.iter().zip(bits) {
            let side = 1 << self.side;
            let tile = Area { x0, y0, x1: x0 + side - 1, y1: y0 + side - 1 };
            let (mut covered, mut passed) = (false, false);
            for ((qy, qx), beats) in quads(&t.shape, &t.depth, t.area.and(tile), self.samples, 15) {
                for (sample, _, coverage, depths) in beats {
                    for lane in (0..4).filter(|lane| coverage >> lane & 1 == 1) {
                        let at = (2 * qx + (lane & 1) as i128, 2 * qy + (lane >> 1) as i128, sample);
                        let d = *self.depth.get(&at).unwrap_or(&self.clear);
                        covered = true;
                        let passes = draw.passes(depths[lane], d);
                        passed |= passes || !draw.may_go();
                        self.writes(draw, at, (depths[lane], d), &mut wrote);
                    }
                }
            }
            if !bit && passed {
                return Err(format!("hidden where it is seen: {draw:?} {t:?} in {tile:?}"));
            }
            if bit && !covered {
                return Err(format!("seen where it covers nothing: {t:?} in {tile:?}"));
            }
            // Groups beyond what is stored are never hidden.
            let kept = (tile.y1 >> 3) * 16 + (tile.x1 >> 3) < self.kept >> self.samples;
            if self.plain && kept && bit != passed {
                return Err(format!("seen although it is hidden: {draw:?} {t:?} in {tile:?}"));
            }
            self.hidden_tiles += u64::from(covered && !bit);
        }
        for at in &wrote {
            self.writers.entry(*at).or_default().push(self.drawn.len());
        }
        let state = self.states[t.context as usize];
        self.drawn.push(Drawn { triangle: t, run, state, wrote });
        Ok(())
    }

    /// What a covered sample does to the depth.
    fn writes(&mut self, draw: Draw, at: (i128, i128, u64), (z, d): (u64, u64), wrote: &mut Vec<(i128, i128, u64)>) {
        let z = if draw.moves { self.rng.random_range(0..=FAR) } else { z };
        if draw.passes(z, d) && !(draw.loses() && self.rng.random()) {
            wrote.push(at);
            if draw.test && draw.write {
                self.depth.insert(at, z);
            }
        }
    }

    /// The rasteriser asks about a group of a triangle that was drawn.
    fn ask(&mut self) -> Result<(), String> {
        let newest = self.drawn.len();
        let n = self.rng.random_range(newest.saturating_sub(60)..newest);
        let t = &self.drawn[n].triangle;
        // A context is not taken again while something of it is drawn.
        if self.drawn[n].state != self.states[t.context as usize] {
            return Ok(());
        }
        let Area { x0, y0, x1, y1 } = t.area;
        let (gx, gy) = (self.rng.random_range(x0 >> 3..=x1 >> 3), self.rng.random_range(y0 >> 3..=y1 >> 3));
        let (px, py) = (8 * gx, 8 * gy);
        let plane = wrap(t.depth.z + t.depth.gx * (256 * px + 128) + t.depth.gy * (256 * py + 128), 60);
        let field = |value: i128, width: u32| (value as u64) & u64::MAX >> (64 - width);
        let m = &mut self.machine;
        m.set("query_z", field((plane + (1 << 23)) >> 5, 55));
        m.set("query_x", (px >> 1) as u64);
        m.set("query_y", (py >> 1) as u64);
        m.set("query_facts_gx", field(t.depth.gx, 55));
        m.set("query_facts_gy", field(t.depth.gy, 55));
        m.set("query_facts_low", t.depth.low as u64);
        m.set("query_facts_high", t.depth.high as u64);
        m.set("query_facts_owner", t.context | t.handle << 4 | t.order << 16);
        m.set("query_columns", 255);
        m.set("query_bottom", (py + 7) as u64);
        m.set("query_valid_0", 1);
        let mut hidden = None;
        for _ in 0..8 {
            m.settle();
            if m.get("answer_valid_0") == 1 {
                hidden = Some(m.get("hidden_0") == 1);
                m.set("query_taken_0", 1);
                if self.parts && hidden == Some(false) {
                    m.set("part_begins_0", 1);
                }
                m.settle();
                m.cycle();
                break;
            }
            m.cycle();
        }
        m.set("query_taken_0", 0);
        m.set("query_valid_0", 0);
        if self.parts {
            m.set("part_begins_0", 0);
        }
        m.settle();
        m.cycle();
        let hidden = hidden.ok_or("no answer")?;
        let mut quads = if hidden { 0xFFFF } else { 0 };
        if self.parts && !hidden {
            for _ in 0..24 {
                m.settle();
                m.cycle();
            }
            m.settle();
            if m.get("part_known_0") != 15 {
                return Err("parts are not known in time".into());
            }
            quads = m.get("part_hidden_0");
            self.hidden_quads += u64::from(quads.count_ones());
        }
        if quads == 0 {
            return Ok(());
        }
        self.hidden_groups += u64::from(hidden);
        let it = &self.drawn[n];
        if it.run.is_none() {
            return Err(format!("a group outside of opaque runs is hidden: {:?}", it.triangle));
        }
        let of_group = it.wrote.iter().filter(|at| at.0 >> 3 == gx && at.1 >> 3 == gy);
        for at in of_group.filter(|at| quads >> ((at.0 >> 1 & 3) | (at.1 >> 1 & 3) << 2) & 1 == 1) {
            if !self.writers[at].iter().any(|&later| later > n && self.drawn[later].run == it.run) {
                return Err(format!("hidden from the rasteriser where it is seen: {at:?} of {:?}", it.triangle));
            }
        }
        Ok(())
    }

    fn run(&mut self, passes: usize, triangles: usize) -> Result<(), String> {
        for number in 0..passes {
            self.pass(number);
            for _ in 0..triangles {
                self.draw()?;
                for _ in 0..3 {
                    self.ask()?;
                }
            }
        }
        Ok(())
    }
}

#[test]
fn hz_21_nothing_that_is_seen_is_hidden() {
    let mut world = World::new(None, On::Verilog, 1);
    world.run(36, 50).unwrap_or_else(|e| panic!("{e}"));
    let (tiles, groups) = (world.hidden_tiles, world.hidden_groups);
    assert!(tiles > 400 && groups > 100, "{tiles} tiles and {groups} groups are hidden");
}

/// HZ-20: the same with 16 groups on the chip. Tiles are hidden by what came back from memory: more
/// than without it.
#[test]
fn hz_21_bounds_in_memory_hide_nothing_that_is_seen() {
    let mut world = World::with_memory(None, On::Verilog, 1);
    world.run(tier::cases(12, 36), 50).unwrap_or_else(|e| panic!("{e}"));
    let few = GpuConfig { hi_z_groups: 16, ..config(None, HiZLevels::Two) };
    let mut without = World::of(few, On::Verilog, 1);
    without.run(tier::cases(12, 36), 50).unwrap_or_else(|e| panic!("{e}"));
    let [read, written] = world.machine.lines();
    let hidden = |world: &World| (world.hidden_tiles, world.hidden_groups);
    let ((tiles, groups), before) = (hidden(&world), hidden(&without));
    println!("{tiles} tiles, {groups} groups; without memory {before:?}; {read} lines read, {written} written");
    assert!(tiles > 2 * before.0 && groups > before.1, "{tiles} tiles, {groups} groups; without {before:?}");
    let enough = tier::cases(300, 1000);
    assert!(read > enough && written > enough, "{read} lines read, {written} written");
    World::with_memory(None, On::RustHdl, 2).run(2, 4).unwrap_or_else(|e| panic!("{e}"));
}

/// A pass that names no area: what leaves the chip is lost, and nothing is asked of memory.
#[test]
fn hz_21_what_is_lost_without_an_area_hides_nothing_that_is_seen() {
    let mut world = World::with_memory(None, On::Verilog, 1);
    world.area = 0;
    world.run(tier::cases(12, 36), 50).unwrap_or_else(|e| panic!("{e}"));
    assert!(world.hidden_tiles > tier::cases(4, 20), "{} tiles are hidden", world.hidden_tiles);
    assert_eq!(world.machine.lines(), [0; 2]);
}

/// HZ-20: the same with blocks and quads. Bits stay exact: what the unit leaves out it would not
/// have seen, and it would have changed nothing.
#[test]
fn hz_20_four_levels_hide_nothing_that_is_seen() {
    let mut world = World::with_levels(HiZLevels::Four, None, On::Verilog, 1);
    world.run(tier::cases(12, 36), 50).unwrap_or_else(|e| panic!("{e}"));
    let (tiles, groups, quads) = (world.hidden_tiles, world.hidden_groups, world.hidden_quads);
    let enough = tier::cases(25, 100);
    assert!(
        tiles > 4 * enough && groups > enough && quads > 4 * enough,
        "{tiles} tiles, {groups} groups and {quads} quads of others are hidden"
    );
    World::with_levels(HiZLevels::Four, None, On::RustHdl, 2).run(2, 4).unwrap_or_else(|e| panic!("{e}"));
}

#[test]
fn the_kernels_hide_the_same() {
    World::new(None, On::RustHdl, 2).run(2, 4).unwrap_or_else(|e| panic!("{e}"));
}

/// Draws of both directions around three groups, some of which write nothing, or perhaps. A draw
/// that may write finds a group here that one which does not has read; then comes another group.
fn directions(fault: Option<Fault>, seed: u64) -> Result<(), String> {
    let mut world = World::new(fault, On::Verilog, seed);
    (world.around, world.reach) = ((10, 8), [500, 900, 1500]);
    for _ in 0..20 {
        world.pass(1);
        let looks = |function| Draw { write: false, ..Draw::plain(function) };
        let loses = |function| Draw { discards: true, ..Draw::plain(function) };
        world.draws = [looks(1), loses(1), looks(3), loses(3), loses(4), Draw::plain(4), Draw::plain(6), looks(6)];
        for _ in 0..24 {
            world.draw()?;
        }
    }
    Ok(())
}

#[test]
fn hz_21_a_draw_that_may_write_leaves_its_direction() {
    directions(None, 10).unwrap_or_else(|e| panic!("{e}"));
    let problem = directions(Some(Fault::HiZClaimed), 10).expect_err("bounds of the other direction are found");
    assert!(problem.contains("hidden where it is seen"), "{problem}");
}

/// A pass leaves bounds. 1,023 passes later its number comes again; four times, since what is old
/// shows only in a pass of its direction.
fn numbers_begin_again(fault: Option<Fault>) -> Result<(), String> {
    let mut world = World::new(fault, On::Verilog, 4);
    for _ in 0..4 {
        world.run(1, 25)?;
        for _ in 1..1023 {
            world.pass(0);
        }
    }
    Ok(())
}

#[test]
fn passes_are_told_apart_when_their_numbers_begin_again() {
    numbers_begin_again(None).unwrap_or_else(|e| panic!("{e}"));
    let problem = numbers_begin_again(Some(Fault::HiZSweep)).expect_err("records of old passes are found");
    assert!(problem.contains("hidden"), "{problem}");
}

/// A triangle of another run that changes depths waits for the `end` of all before it; how long the
/// unit took for the last one, if it waits for ever without them.
fn waits(fault: Option<Fault>) -> Result<(), String> {
    let mut world = World::new(fault, On::Verilog, 5);
    world.pass(0);
    world.draws = [Draw::plain(1), Draw::plain(3), Draw::plain(1), Draw::plain(1)].repeat(2).try_into().unwrap();
    for context in 0..8 {
        world.state(context);
    }
    let mut shown = |context: u64, cycles: usize| {
        let mut t = world.triangle();
        t.context = context;
        world.offer(&t);
        let m = &mut world.machine;
        m.set("in_triangle_valid", 1);
        m.set("visible_ready", 1);
        for _ in 0..cycles {
            m.settle();
            if m.get("triangle_valid") == 1 {
                m.set("triangle_ready", 1);
                m.settle();
                m.cycle();
                m.set("triangle_ready", 0);
                m.set("in_triangle_valid", 0);
                m.settle();
                m.cycle();
                return true;
            }
            m.cycle();
        }
        m.set("in_triangle_valid", 0);
        false
    };
    if !shown(0, 200) || !shown(0, 200) {
        return Err("a run does not go on".into());
    }
    if shown(1, 200) {
        return Err("a run begins while another is drawn".into());
    }
    world.end();
    world.end();
    Ok(())
}

#[test]
fn hz_13_a_run_waits_for_the_one_before() {
    waits(None).unwrap_or_else(|e| panic!("{e}"));
    let problem = waits(Some(Fault::HiZHold)).expect_err("nothing waits");
    assert!(problem.contains("begins while"), "{problem}");
}

#[test]
fn planted_faults_are_caught() {
    let faults = [
        (Fault::HiZDiscard, "where it is seen"),
        (Fault::HiZAlways, "where it is seen"),
        (Fault::HiZBlend, "hid"),
        (Fault::HiZCoverage, "hid"),
        (Fault::HiZClaims, "hidden where it is seen"),
        (Fault::HiZEqual, "hidden where it is seen"),
        (Fault::HiZCorner, "where it is seen"),
        (Fault::HiZRun, "hid"),
        (Fault::HiZRuns, "hidden from the rasteriser"),
        (Fault::HiZUncovered, "hidden where it is seen"),
        (Fault::HiZReset, "hidden where it is seen"),
        (Fault::HiZUnknown, "hidden where it is seen"),
        (Fault::HiZPass, "hidden where it is seen"),
        (Fault::HiZQuad, "where it is seen"),
        (Fault::HiZLate, "hidden where it is seen"),
    ];
    for (fault, message) in tier::first(2, faults) {
        // Some show in few scenes only.
        let problem = (3..9).find_map(|seed| World::new(Some(fault), On::Verilog, seed).run(36, 50).err());
        let problem = problem.unwrap_or_else(|| panic!("{fault:?} is not caught"));
        assert!(problem.contains(message), "{fault:?}: {problem}");
    }
    for fault in tier::first(1, [Fault::HiZTag, Fault::HiZCopy, Fault::HiZStaleRecord]) {
        let of = |seed| World::with_memory(Some(fault), On::Verilog, seed).run(36, 50).err();
        let problem = (3..9).find_map(of).unwrap_or_else(|| panic!("{fault:?} is not caught"));
        assert!(problem.contains("hid"), "{fault:?}: {problem}");
    }
    for fault in tier::first(1, [Fault::HidePartsChild, Fault::HidePartsBound]) {
        let of = |seed| World::with_levels(HiZLevels::Four, Some(fault), On::Verilog, seed).run(36, 50).err();
        let problem = (3..9).find_map(of).unwrap_or_else(|| panic!("{fault:?} is not caught"));
        assert!(problem.contains("hidden"), "{fault:?}: {problem}");
    }
}
