//! Bounds of draws that bypassed the cull pipeline (HZ-24, HZ-33): the visibility unit of such a
//! machine beside a depth buffer that knows everything. Draws are random. Some are the unit's own
//! triangles; the quads of others come late, one by one, while the unit is at work on later draws.
//! Of a third kind the unit sees nothing, and the binner asks about their pairs (HZ-23).
//!
//! The oracle draws everything in the order of the list, from exact integers. A triangle of the
//! unit's may be hidden only if each of its samples fails in its turn. If quads come at once, and
//! all draws are of one direction, the answer must be exact: then everything was learned. Wrong
//! would be an oracle that knows when a quad came.

use std::collections::{BTreeMap, VecDeque};

use quadlock_hdl::base::testing::Bench;
use quadlock_hdl::config::{CullPipeline, GpuConfig, HiZ, HiZLevels, HiZStructures};
use quadlock_hdl::fault::Fault;
use quadlock_hdl::visibility::DepthVisibility;
use quadlock_testkit::tier;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::common::machine::{Machine, On};
use crate::hi_z::memory::{Served, AREA};
use crate::hi_z::{offer, Draw, FAR};
use crate::raster::reference::{quads, Area, Beat, Shape};
use crate::raster::run::Triangle;

const WIDTH: i128 = 48;
const HEIGHT: i128 = 32;
const CONTEXTS: usize = 8;

fn config(fault: Option<Fault>) -> GpuConfig {
    GpuConfig {
        graphics: true,
        hi_z: HiZ::VisibilityBinner,
        cull_pipeline: CullPipeline::Depth,
        hi_z_groups: 256,
        fault,
        ..GpuConfig::default()
    }
}

/// A beat on its way to the depth test.
struct Due {
    context: usize,
    order: u64,
    place: (i128, i128),
    beat: Beat,
}

struct World {
    machine: Served,
    rng: ChaCha8Rng,
    samples: usize,
    draws: [Draw; CONTEXTS],
    depth: BTreeMap<(i128, i128, u64), u64>,
    clear: u64,
    due: VecDeque<Due>,
    /// Beats come while anything else happens. A quad that has begun ends in any case.
    feeds: bool,
    begun: bool,
    /// All draws are plain and of one direction, and quads come at once.
    plain: bool,
    way: usize,
    /// The direction of the newest state that has one.
    turned: Option<usize>,
    next: usize,
    orders: u64,
    hidden: u64,
    /// Groups leave the chip, and come back with less than was known.
    loses: bool,
}

impl World {
    fn new(fault: Option<Fault>, seed: u64) -> Self {
        Self::of(&config(fault), On::Verilog, seed)
    }

    fn of(config: &GpuConfig, on: On, seed: u64) -> Self {
        let bench = Bench::new(DepthVisibility::new(config), |b: &mut DepthVisibility| &mut b.clock);
        let mut machine = Served::new(Machine::new(on, config, "depth_visibility", bench), config.hi_z_memory);
        machine.set("visible_ready", 1);
        machine.set("triangle_ready", 1);
        machine.set("drained_0", 1);
        Self {
            machine,
            rng: ChaCha8Rng::seed_from_u64(seed),
            samples: 0,
            draws: [Draw::default(); CONTEXTS],
            depth: BTreeMap::new(),
            clear: 0,
            due: VecDeque::new(),
            feeds: false,
            begun: false,
            plain: false,
            way: 0,
            turned: None,
            next: 0,
            orders: 0,
            hidden: 0,
            loses: config.hi_z_memory,
        }
    }

    /// A new pass. What was to come of the one before has been drawn.
    fn pass(&mut self, number: usize) {
        self.flush();
        self.samples = number % 3;
        self.plain = number.is_multiple_of(2);
        self.way = self.rng.random_range(0..2);
        self.clear = if self.plain { [FAR, 0][self.way] } else { [FAR, 0, 0x80_0000][self.rng.random_range(0..3)] };
        let m = &mut self.machine;
        m.state(true, 0, 0, WIDTH as u64 | (HEIGHT as u64) << 16);
        m.state(true, 0, 1, self.samples as u64 | 3 << 4 | 2 << 8 | 1 << 12);
        m.state(true, 0, 21, 0);
        m.state(true, 0, 22, self.clear | 0x5A00_0000);
        m.state(true, 0, 23, AREA);
        m.set("state_valid", 0);
        m.set("state_pass", 0);
        self.depth = BTreeMap::new();
        self.turned = None;
    }

    /// A cycle, and a beat if one is due.
    fn tick(&mut self) {
        let m = &mut self.machine;
        let ready = self.rng.random_range(0..4) > 0;
        m.set("quad_ready", ready.into());
        let due = self.due.front().filter(|_| self.feeds || self.begun);
        let offered = due.is_some();
        m.set("raster_quad_valid", offered.into());
        if let Some(Due { context, order, place: (y, x), beat: (sample, last, coverage, depths) }) = due {
            let values = [
                ("context", *context as u64),
                ("order", *order),
                ("x", *x as u64),
                ("y", *y as u64),
                ("sample", *sample),
                ("last", u64::from(*last)),
                ("coverage", *coverage),
                ("end", 0),
            ];
            for (port, value) in values {
                m.set(&format!("raster_quad_{port}"), value);
            }
            for (k, depth) in depths.iter().enumerate() {
                m.set(&format!("raster_quad_depth{k}"), *depth);
            }
        }
        m.settle();
        if offered && m.get("raster_quad_ready") == 1 {
            self.begun = self.due.pop_front().is_some_and(|due| !due.beat.1);
        }
        m.cycle();
        // Nothing comes while the list writes a state.
        m.set("raster_quad_valid", 0);
    }

    /// All that is due comes, and is in the bounds.
    fn flush(&mut self) {
        let feeds = std::mem::replace(&mut self.feeds, true);
        let (mut left, mut patience) = (self.due.len(), 2000);
        while !self.due.is_empty() {
            self.tick();
            patience = if self.due.len() < left { 2000 } else { patience - 1 };
            left = self.due.len();
            assert!(patience > 0, "the depth test waits for ever");
        }
        for _ in 0..80 {
            self.tick();
        }
        self.feeds = feeds;
    }

    fn triangle(&mut self, context: usize) -> Triangle {
        loop {
            let rng = &mut self.rng;
            let reach = [2000, 8000, 30_000][rng.random_range(0..3)];
            let (cx, cy) = (rng.random_range(0..WIDTH << 8), rng.random_range(0..HEIGHT << 8));
            let x = [0; 3].map(|_| cx + rng.random_range(-reach..=reach));
            let y = [0; 3].map(|_| cy + rng.random_range(-reach..=reach));
            let level = 64 * [1000, 0x40_0000, 0x80_0000, 0xFF_0000][rng.random_range(0..4)];
            let z = match rng.random_range(0..2) {
                0 => [level; 3],
                _ => [0; 3].map(|_| (level + rng.random_range(-90_000..90_000)).clamp(0, 64 * 0xFF_FFFF)),
            };
            let window = Area { x0: 0, y0: 0, x1: WIDTH - 1, y1: HEIGHT - 1 };
            let Some(shape) = Shape::new(x, y, z) else { continue };
            let Some(mut triangle) = Triangle::new(shape, window, rng) else { continue };
            triangle.context = context as u64;
            self.orders += 1;
            triangle.order = self.orders % 0x1_0000;
            return triangle;
        }
    }

    /// The next context takes a state. What was drawn with the one before is through.
    fn state(&mut self) -> usize {
        self.state_of(None)
    }

    fn state_of(&mut self, draw: Option<Draw>) -> usize {
        let context = self.next;
        self.next = (context + 1) % CONTEXTS;
        while self.due.iter().any(|due| due.context == context) {
            self.flush();
        }
        let plain = self.plain || self.rng.random();
        let of_way = |way: usize, rng: &mut ChaCha8Rng| Draw::plain([[1, 3], [4, 6]][way][rng.random_range(0..2)]);
        self.draws[context] = match (plain, self.rng.random_range(0..6)) {
            (true, 0) if !self.plain => of_way(1 - self.way, &mut self.rng),
            (true, _) => of_way(self.way, &mut self.rng),
            _ => Draw::any(&mut self.rng),
        };
        if let Some(draw) = draw {
            self.draws[context] = draw;
        }
        let Draw { function, test, write, .. } = self.draws[context];
        if test && write && [1, 3, 4, 6].contains(&function) {
            self.turned = Some(usize::from(function > 3));
        }
        self.draws[context].write(&mut self.machine, context);
        context
    }

    /// The triangle in its turn: something is covered, and passes. Its quads are kept if `late`.
    fn drawn(&mut self, t: &Triangle, late: bool) -> bool {
        let draw = self.draws[t.context as usize];
        let mut passed = false;
        // Group by group, as the rasteriser gives them.
        let mut all: Vec<_> = quads(&t.shape, &t.depth, t.area, self.samples, 15).into_iter().collect();
        all.sort_by_key(|&((y, x), _)| (y >> 2, x >> 2));
        for (place, beats) in all {
            for &(sample, _, coverage, depths) in &beats {
                for lane in (0..4).filter(|lane| coverage >> lane & 1 == 1) {
                    let at = (2 * place.1 + (lane & 1) as i128, 2 * place.0 + (lane >> 1) as i128, sample);
                    let d = *self.depth.get(&at).unwrap_or(&self.clear);
                    let z = if draw.moves { self.rng.random_range(0..=FAR) } else { depths[lane] };
                    passed |= draw.passes(depths[lane], d) || !draw.may_go();
                    if draw.passes(z, d) && !(draw.loses() && self.rng.random()) && draw.test && draw.write {
                        self.depth.insert(at, z);
                    }
                }
            }
            if late {
                let context = t.context as usize;
                self.due.extend(beats.into_iter().map(|beat| Due { context, order: t.order, place, beat }));
            }
        }
        passed
    }

    /// A draw goes past the unit, and its quads come when they come.
    fn past(&mut self) -> Result<(), String> {
        let context = self.state();
        // Quads that come without a gap keep the unit busy.
        let feeds = std::mem::take(&mut self.feeds);
        for patience in 0.. {
            self.machine.settle();
            if self.machine.get("idle_0") == 1 {
                break;
            }
            self.tick();
            if patience == 9000 {
                return Err("the unit is never idle".into());
            }
        }
        self.feeds = feeds;
        self.machine.set("bypass_context_0", context as u64);
        self.machine.settle();
        if self.machine.get("bypass_waits_0") == 1 {
            self.flush();
        }
        self.machine.set("bypass_0", 1);
        self.tick();
        self.machine.set("bypass_0", 0);
        for _ in 0..self.rng.random_range(1..3) {
            let t = self.triangle(context);
            self.drawn(&t, true);
        }
        if self.plain {
            self.flush();
        }
        Ok(())
    }

    /// Whether the unit says that a triangle may be seen.
    fn shows(&mut self, t: &Triangle) -> Result<bool, String> {
        offer(&mut self.machine, t);
        self.machine.set("in_triangle_valid", 1);
        for _ in 0..20_000 {
            self.machine.settle();
            if self.machine.get("triangle_valid") == 1 {
                let seen = self.machine.get("seen_0") == 1;
                self.tick();
                self.machine.set("in_triangle_valid", 0);
                return Ok(seen);
            }
            self.tick();
        }
        Err(format!("no bit: {t:?}"))
    }

    fn own(&mut self) -> Result<(), String> {
        let context = self.state();
        for _ in 0..self.rng.random_range(1..4) {
            let t = self.triangle(context);
            let seen = self.shows(&t)?;
            let passed = self.drawn(&t, false);
            if passed && !seen {
                return Err(format!("hidden where it is seen: {:?} {t:?}", self.draws[context]));
            }
            if self.plain && !self.loses && seen != passed {
                return Err(format!("seen although it is hidden: {t:?}"));
            }
            self.hidden += u64::from(!seen);
        }
        Ok(())
    }

    /// The binner asks about a triangle that the unit has not seen, tile by tile. It is drawn, and
    /// may be hidden in a tile only if each of its samples fails there.
    fn asked(&mut self, t: &Triangle) -> Result<(), String> {
        let draw = self.draws[t.context as usize];
        for (x0, y0) in t.tiles(3) {
            let m = &mut self.machine;
            let boxes = [("x0", t.area.x0), ("y0", t.area.y0), ("x1", t.area.x1), ("y1", t.area.y1)];
            for (port, value) in boxes.into_iter().chain([("x", x0), ("y", y0)]) {
                m.set(&format!("pair_{port}_0"), value as u64);
            }
            let depths = [("z_low", t.depth.low as u64), ("z_high", t.depth.high as u64)];
            for (port, value) in depths.into_iter().chain([("context", t.context), ("order", t.order), ("valid", 1)]) {
                m.set(&format!("pair_{port}_0"), value);
            }
            let mut patience = 0;
            loop {
                self.machine.settle();
                if self.machine.get("pair_answer_0") == 1 {
                    break;
                }
                self.tick();
                patience += 1;
                if patience == 100 {
                    return Err("no answer to the binner".into());
                }
            }
            let hidden = self.machine.get("pair_hidden_0") == 1;
            self.machine.set("pair_taken_0", 1);
            self.tick();
            self.machine.set("pair_taken_0", 0);
            self.machine.set("pair_valid_0", 0);
            self.tick();
            let tile = Area { x0, y0, x1: x0 + 7, y1: y0 + 7 };
            for (place, beats) in quads(&t.shape, &t.depth, t.area.and(tile), self.samples, 15) {
                let seen = |&(sample, _, coverage, depths): &Beat| {
                    (0..4).filter(|lane| coverage >> lane & 1 == 1).any(|lane| {
                        let at = (2 * place.1 + (lane & 1) as i128, 2 * place.0 + (lane >> 1) as i128, sample);
                        draw.passes(depths[lane], *self.depth.get(&at).unwrap_or(&self.clear))
                    })
                };
                if hidden && beats.iter().any(seen) {
                    return Err(format!("hidden from the binner where it is seen: {draw:?} {t:?}"));
                }
            }
        }
        self.drawn(t, true);
        Ok(())
    }

    /// A draw of the direction that depths have: of the other one it would go past.
    fn cut(&mut self) -> Result<(), String> {
        let way = self.turned.unwrap_or(self.way);
        let context = self.state_of(Some(Draw::plain([[1, 3], [4, 6]][way][0])));
        let t = self.triangle(context);
        self.asked(&t)
    }

    fn run(&mut self, passes: usize, draws: usize) -> Result<u64, String> {
        for number in 0..passes {
            self.pass(number);
            for _ in 0..draws {
                self.feeds = self.rng.random();
                match self.rng.random_range(0..5) {
                    0 | 1 => self.past()?,
                    2 if !self.plain => self.cut()?,
                    _ => self.own()?,
                }
            }
        }
        Ok(self.hidden)
    }
}

#[test]
fn hz_33_draws_that_went_past_update_bounds() {
    let hidden = World::new(None, 1).run(12, 40).unwrap_or_else(|e| panic!("{e}"));
    assert!(hidden > 60, "{hidden} triangles are hidden");
}

/// Bounds in memory, four levels, two structures; and the kernels.
#[test]
fn hz_33_late_bounds_of_other_machines() {
    let memory = GpuConfig { hi_z_groups: 16, hi_z_memory: true, ..config(None) };
    let levels = GpuConfig { hi_z_levels: HiZLevels::Four, ..config(None) };
    let two = GpuConfig { hi_z_structures: HiZStructures::Two, ..config(None) };
    for (config, on) in tier::first(3, [(memory, On::Verilog), (levels, On::Verilog), (two, On::Verilog)]) {
        let mut world = World::of(&config, on, 3);
        world.run(6, 40).unwrap_or_else(|e| panic!("{config:?}: {e}"));
    }
    World::of(&config(None), On::RustHdl, 2).run(2, 8).unwrap_or_else(|e| panic!("{e}"));
}

#[test]
fn planted_faults_are_caught() {
    for fault in tier::first(1, [Fault::LateUpdate, Fault::LateWay]) {
        let problem = (3..9).find_map(|seed| World::new(Some(fault), seed).run(12, 40).err());
        let problem = problem.unwrap_or_else(|| panic!("{fault:?} is not caught"));
        assert!(problem.contains("hidden where it is seen"), "{fault:?}: {problem}");
    }
}

/// The binner finds no bound for a triangle that the unit has not seen. Its quads are learned, and
/// hide what comes behind it. Another triangle, for which it has found one, teaches nothing.
fn learns(fault: Option<Fault>) -> Result<(), &'static str> {
    let mut world = World::new(fault, 7);
    world.pass(2);
    let wall = |world: &mut World, depth: i128| loop {
        let context = world.next;
        world.next += 1;
        world.draws[context] = Draw::plain(1);
        world.draws[context].write(&mut world.machine, context);
        let [near, far] = [-100 << 8, 300 << 8];
        let shape = Shape::new([near, far, near], [near, near, far], [64 * depth; 3]).unwrap();
        let window = Area { x0: 0, y0: 0, x1: WIDTH - 1, y1: HEIGHT - 1 };
        let Some(mut t) = Triangle::new(shape, window, &mut world.rng) else { continue };
        t.context = context as u64;
        world.orders += 1;
        t.order = world.orders;
        break t;
    };
    world.clear = FAR;
    world.machine.state(true, 0, 22, FAR);
    world.machine.set("state_valid", 0);
    world.machine.set("state_pass", 0);
    let (first, second) = (wall(&mut world, 5000), wall(&mut world, 3000));
    world.asked(&first).unwrap();
    world.flush();
    world.asked(&second).unwrap();
    world.flush();
    let [behind, between] = [6000, 4000].map(|depth| wall(&mut world, depth));
    if world.shows(&behind).unwrap() {
        return Err("nothing was learned of the first one");
    }
    if !world.shows(&between).unwrap() {
        return Err("something was learned of the second one");
    }
    Ok(())
}

#[test]
fn hz_23_a_query_that_finds_nothing_learns() {
    learns(None).unwrap();
    assert_eq!(learns(Some(Fault::LateSought)), Err("nothing was learned of the first one"));
}

/// A draw that goes past is a run by itself: what comes behind it waits until all before it is
/// drawn, with the same function, too.
fn waits(fault: Option<Fault>) -> Result<(), String> {
    let mut world = World::new(fault, 5);
    world.pass(0);
    let shown = |world: &mut World, context: usize| {
        let t = world.triangle(context);
        offer(&mut world.machine, &t);
        world.machine.set("in_triangle_valid", 1);
        for _ in 0..2000 {
            world.machine.settle();
            let done = world.machine.get("triangle_valid") == 1;
            world.tick();
            if done {
                world.machine.set("in_triangle_valid", 0);
                return true;
            }
        }
        world.machine.set("in_triangle_valid", 0);
        false
    };
    let state = |world: &mut World| {
        let context = world.next;
        world.next += 1;
        world.draws[context] = Draw::plain(1);
        world.draws[context].write(&mut world.machine, context);
        context
    };
    let first = state(&mut world);
    if !shown(&mut world, first) {
        return Err("nothing begins".into());
    }
    world.machine.set("drained_0", 0);
    let second = state(&mut world);
    if !shown(&mut world, second) {
        return Err("a run does not go on".into());
    }
    let past = state(&mut world);
    world.machine.set("bypass_context_0", past as u64);
    world.machine.set("bypass_0", 1);
    world.tick();
    world.machine.set("bypass_0", 0);
    let behind = state(&mut world);
    if shown(&mut world, behind) {
        return Err("a run goes on over a draw that went past".into());
    }
    world.machine.set("drained_0", 1);
    if !shown(&mut world, behind) {
        return Err("the next run never begins".into());
    }
    Ok(())
}

#[test]
fn hz_13_a_draw_that_went_past_ends_the_run() {
    waits(None).unwrap_or_else(|e| panic!("{e}"));
    let problem = waits(Some(Fault::LateRun)).expect_err("the run goes on");
    assert!(problem.contains("a run goes on over"), "{problem}");
}
