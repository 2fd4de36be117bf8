//! Parts of groups, with made-up bounds of quads and made-up triangles: a quad inside the box is
//! hidden exactly if the nearest of the plane's depths at its four corners, held between the
//! vertices' depths, is behind its bound. That rule is written down a second time, in exact
//! integers, for all corners and without blocks. So a block that is hidden wrongly shows, and one
//! that is not hidden shows by its events.
//!
//! A stand-in for the rasteriser asks about groups, covers some of them row by row as soon as a row
//! is known, and drops others, some of them late. Bounds of other groups change meanwhile.

use std::collections::BTreeSet;

use quadlock_hdl::base::testing::Bench;
use quadlock_hdl::config::{GpuConfig, HiZ, HiZLevels};
use quadlock_hdl::fault::Fault;
use quadlock_hdl::visibility::HideParts;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::common::machine::{Machine, On};

const FAR: i128 = 0xFF_FFFF;
const GROUPS: usize = 16;

/// Quads of block b of 4 by 4 pixels.
const BLOCKS: [u64; 4] = [0x0033, 0x00CC, 0x3300, 0xCC00];

/// Squares that are told of: place in pixels and log2 of the side.
type Squares = BTreeSet<(u64, u64, u64)>;

/// A group of a triangle.
#[derive(Clone, Debug)]
struct Group {
    order: u64,
    place: usize,
    at: (u64, u64),
    z: i128,
    slope: (i128, i128),
    low: i128,
    high: i128,
    columns: u64,
    top: u64,
    rows: u64,
    may: bool,
    level: bool,
    down: bool,
    /// Cycles until it is answered, and until the answer is that it is hidden, if it is.
    wait: u64,
    hidden: Option<u64>,
    /// Only says that its triangle ends.
    empty: bool,
}

impl Group {
    fn any(rng: &mut ChaCha8Rng, order: u64) -> Self {
        let level: i128 = [20, 5000, 0x80_0000, FAR - 20][rng.random_range(0..4)];
        let most = [0, 1, 3, 40][rng.random_range(0..4)];
        let slope = |rng: &mut ChaCha8Rng| rng.random_range(-most..=most) << 16 | i128::from(rng.random::<u16>());
        let steep = |rng: &mut ChaCha8Rng, flat| if rng.random_range(0..30) == 0 { 1 << 40 } else { flat };
        let (x, y) = (slope(rng), slope(rng));
        let (x, y) = (steep(rng, x), steep(rng, y));
        let around = |rng: &mut ChaCha8Rng, reach: i128| (level + rng.random_range(-reach..=reach)).clamp(0, FAR);
        let (a, b) = (around(rng, 8), around(rng, 8));
        let wide = rng.random_range(0..3) == 0;
        let whole = rng.random();
        let columns = (255u64 << rng.random_range(0..8)) & (255 >> rng.random_range(0..8));
        Self {
            order,
            place: rng.random_range(0..GROUPS),
            at: (4 * rng.random_range(0..100), 4 * rng.random_range(0..100)),
            z: around(rng, 6) << 19 | i128::from(rng.random::<u16>()),
            slope: (x, y),
            low: if wide { 0 } else { a.min(b) },
            high: if wide { FAR } else { a.max(b) },
            columns: if whole || columns == 0 { 255 } else { columns },
            top: if whole { 0 } else { rng.random_range(0..8) },
            rows: if whole { 7 } else { rng.random_range(0..20) },
            may: rng.random_range(0..8) > 0,
            level: rng.random(),
            down: rng.random(),
            wait: rng.random_range(1..4),
            hidden: (rng.random_range(0..5) == 0).then(|| rng.random_range(0..12)),
            empty: rng.random_range(0..10) == 0,
        }
    }

    /// Quads inside the box. The last row of pixels is at least as low as the first.
    fn inside(&self) -> u64 {
        let bottom = self.rows.max(self.top);
        let of = |q: u64| {
            let column = self.columns >> (2 * (q & 3)) & 3 != 0;
            column && [0, 1].iter().any(|r| (self.top..=bottom).contains(&(2 * (q >> 2) + r)))
        };
        (0..16).filter(|&q| of(q)).map(|q| 1 << q).sum()
    }

    fn last_row(&self) -> u64 {
        (self.rows.max(self.top) >> 1).min(3)
    }

    /// Nearest depth in a square of quads: of all four corners.
    fn nearest(&self, (x, y): (i128, i128), side: i128) -> i128 {
        let inverted = |d: i128| if self.down { FAR - d } else { d };
        let (least, most) = match self.down {
            false => (self.low, self.high),
            true => (FAR - self.high, FAR - self.low),
        };
        let corner = |cx: i128, cy: i128| {
            let value = self.z + self.slope.0 * (16 * cx - 4) + self.slope.1 * (16 * cy - 4);
            inverted((value >> 19).clamp(0, FAR))
        };
        let steep = |s: i128| !(-(1 << 38)..1 << 38).contains(&s);
        if steep(self.slope.0) || steep(self.slope.1) {
            return least;
        }
        let corners = [corner(x, y), corner(x + side, y), corner(x, y + side), corner(x + side, y + side)];
        corners.into_iter().min().unwrap_or_default().clamp(least, most)
    }

    fn is_hidden(&self, near: i128, bound: i128) -> bool {
        self.may && (near > bound || self.level && near == bound)
    }

    /// Quads that are hidden.
    fn mask(&self, bounds: &[i128; 16]) -> u64 {
        let of = |q: i128| self.is_hidden(self.nearest((q & 3, q >> 2), 1), bounds[q as usize]);
        (0..16).filter(|&q| of(q)).map(|q| 1 << q).sum::<u64>() & self.inside()
    }

    /// Squares that are told of: place in pixels and log2 of the side.
    fn told(&self, bounds: &[i128; 16]) -> Squares {
        let place = |q: u64| (2 * (self.at.0 + (q & 3)), 2 * (self.at.1 + (q >> 2)));
        let mut told = BTreeSet::new();
        for (b, quads) in BLOCKS.into_iter().enumerate() {
            let within = quads & self.inside();
            let bound = (0..16).filter(|q| quads >> q & 1 == 1).map(|q| bounds[q]).max().unwrap_or_default();
            let at = (2 * (b as i128 & 1), 2 * (b as i128 >> 1));
            if within.count_ones() > 1 && self.is_hidden(self.nearest(at, 2), bound) {
                let (x, y) = place(u64::from(quads.trailing_zeros()));
                told.insert((x, y, 2));
            } else {
                let hidden = within & self.mask(bounds);
                told.extend((0..16).filter(|q| hidden >> q & 1 == 1).map(place).map(|(x, y)| (x, y, 1)));
            }
        }
        told
    }
}

struct World {
    machine: Machine,
    rng: ChaCha8Rng,
    bounds: Vec<[i128; 16]>,
    /// Events, by order.
    told: Vec<(u64, (u64, u64, u64))>,
    quads: u64,
    blocks: u64,
}

impl World {
    fn new(fault: Option<Fault>, on: On, seed: u64) -> Self {
        let config = GpuConfig {
            graphics: true,
            hi_z: HiZ::Visibility,
            hi_z_levels: HiZLevels::Four,
            hi_z_groups: GROUPS,
            fault,
            ..GpuConfig::default()
        };
        let machine = Machine::new(on, &config, "hide_parts", Bench::new(HideParts::new(&config), |b| &mut b.clock));
        let rng = ChaCha8Rng::seed_from_u64(seed);
        Self { machine, rng, bounds: vec![[0; 16]; GROUPS], told: vec![], quads: 0, blocks: 0 }
    }

    /// Bounds around the depths of a group, or anything.
    fn learns(&mut self, place: usize, like: &Group) {
        let near = like.nearest((0, 0), 4);
        let reach = [1, 6, 60][self.rng.random_range(0..3)];
        let even = self.rng.random_range(-reach..=reach);
        let same = self.rng.random_range(0..4) == 0;
        for q in 0..16 {
            let off = if same { even } else { self.rng.random_range(-reach..=reach) };
            self.bounds[place][q] = (near + off).clamp(0, FAR);
        }
        self.machine.set("write", 1);
        self.machine.set("write_group", place as u64);
        for h in 0..8 {
            let word = self.bounds[place][2 * h] | self.bounds[place][2 * h + 1] << 24;
            self.machine.set(&format!("part_{h}"), word as u64);
        }
    }

    fn show(&mut self, g: &Group) {
        let field = |value: i128| (value as u64) & ((1 << 55) - 1);
        let m = &mut self.machine;
        for (port, value) in [
            ("asked", g.place as u64),
            ("query_z", field(g.z)),
            ("query_x", g.at.0),
            ("query_y", g.at.1),
            ("query_columns", if g.empty { 0 } else { g.columns }),
            ("query_top", g.top),
            ("query_bottom", 2 * g.at.1 + g.rows.max(g.top)),
            ("facts_gx", field(g.slope.0)),
            ("facts_gy", field(g.slope.1)),
            ("facts_low", g.low as u64),
            ("facts_high", g.high as u64),
            ("facts_owner", g.order << 16),
            ("may", g.may.into()),
            ("level", g.level.into()),
            ("down", g.down.into()),
        ] {
            m.set(port, value);
        }
    }

    fn cycle(&mut self) {
        self.machine.settle();
        if self.machine.get("cull_valid") == 1 {
            let [order, x, y, side] = ["order", "x", "y", "side"].map(|f| self.machine.get(&format!("cull_{f}")));
            self.told.push((order, (x, y, side)));
        }
        self.machine.cycle();
    }

    /// So many groups.
    fn run(&mut self, count: u64) -> Result<(), String> {
        // The group that is covered, its hidden quads, what is told of it, the row that is next.
        let mut covered: Option<(Group, u64, u64)> = None;
        let mut next = 0;
        let mut asked: Option<(Group, [i128; 16], u64)> = None;
        let mut due: Vec<(u64, Squares, bool)> = vec![];
        let mut idle = 0;
        while next < count || asked.is_some() || covered.is_some() {
            for port in ["write", "answer_valid", "answer_hidden", "query_taken", "begins"] {
                self.machine.set(port, 0);
            }
            if asked.is_none() && next < count && self.rng.random_range(0..3) > 0 {
                let group = Group::any(&mut self.rng, next);
                self.learns(group.place, &group);
                self.cycle();
                self.machine.set("write", 0);
                self.show(&group);
                asked = Some((group.clone(), self.bounds[group.place], 0));
                next += 1;
            } else if self.rng.random_range(0..4) == 0 {
                let place = self.rng.random_range(0..GROUPS);
                if asked.as_ref().is_none_or(|(g, ..)| g.place != place) {
                    let like = Group::any(&mut self.rng, 0);
                    self.learns(place, &like);
                }
            }
            // A row of the group that is covered.
            self.machine.settle();
            let mut free = covered.is_none();
            if let Some((g, mask, row)) = &mut covered {
                let known = g.empty || self.machine.get("known") >> *row & 1 == 1;
                idle += 1;
                if idle > 40 {
                    return Err(format!("row {row} is not known: {g:?}"));
                }
                if known && self.rng.random_range(0..4) > 0 {
                    idle = 0;
                    let inside = if g.empty { 0 } else { g.inside() >> (4 * *row) & 15 };
                    let seen = self.machine.get("hidden") >> (4 * *row) & inside;
                    let expected = *mask >> (4 * *row) & inside;
                    if seen != expected {
                        return Err(format!(
                            "quads {seen:04b} are hidden instead of {expected:04b} in row {row}: {g:?}"
                        ));
                    }
                    if g.empty || *row == g.last_row() {
                        free = true;
                        covered = None;
                    } else {
                        *row += 1;
                    }
                }
            }
            // The group that is asked about.
            let (mut answers, mut hidden, mut taken, mut begins) = (false, false, false, false);
            if let Some((g, bounds, waited)) = &mut asked {
                answers = !g.empty && *waited >= g.wait;
                hidden = answers && g.hidden.is_some_and(|from| *waited >= g.wait + from);
                begins = (g.empty || answers) && !hidden && free && self.rng.random_range(0..4) > 0;
                taken = begins || hidden && self.rng.random_range(0..3) > 0;
                *waited += 1;
                if taken {
                    let told = if g.empty { BTreeSet::new() } else { g.told(bounds) };
                    self.quads += u64::from(if begins && !g.empty { g.mask(bounds).count_ones() } else { 0 });
                    self.blocks += told.iter().filter(|t| t.2 == 2).count() as u64;
                    due.push((g.order, told, begins));
                    if begins {
                        covered = Some((g.clone(), g.mask(bounds), 0));
                    }
                }
            }
            for (port, value) in
                [("answer_valid", answers), ("answer_hidden", hidden), ("query_taken", taken), ("begins", begins)]
            {
                self.machine.set(port, value.into());
            }
            if taken {
                asked = None;
            }
            self.cycle();
        }
        for port in ["write", "answer_valid", "query_taken", "begins"] {
            self.machine.set(port, 0);
        }
        for _ in 0..30 {
            self.cycle();
        }
        for (order, told, all) in due {
            let seen: Vec<_> = self.told.iter().filter(|t| t.0 == order).map(|t| t.1).collect();
            let set: BTreeSet<_> = seen.iter().copied().collect();
            if set.len() != seen.len() || all && set != told || !set.is_subset(&told) {
                return Err(format!("told of {seen:?} instead of {told:?}, group {order}"));
            }
        }
        self.told.clear();
        Ok(())
    }
}

/// HZ-20: exactly the quads that the rule says are hidden, and blocks where all of one are.
#[test]
fn hz_20_parts_are_hidden_by_the_rule_and_no_others() {
    let mut world = World::new(None, On::Verilog, 1);
    world.run(6000).unwrap_or_else(|e| panic!("{e}"));
    let World { quads, blocks, .. } = world;
    assert!(quads > 4000 && blocks > 800, "{quads} quads are hidden, {blocks} blocks");
}

#[test]
fn the_kernels_hide_the_same() {
    World::new(None, On::RustHdl, 2).run(60).unwrap_or_else(|e| panic!("{e}"));
}

/// The rate of the page: a whole group of which all quads are tested is known after 22 cycles, one
/// of one quad after 3.
#[test]
fn parts_are_known_in_time() {
    let mut world = World::new(None, On::Verilog, 3);
    let mut known_after = |columns: u64, rows: u64| {
        let mut group = Group::any(&mut world.rng, 1);
        (group.may, group.level, group.down, group.empty, group.slope) = (true, false, false, false, (0, 0));
        (group.z, group.low, group.high, group.columns, group.top, group.rows) = (9 << 19, 0, FAR, columns, 0, rows);
        world.learns(group.place, &group.clone());
        world.bounds[group.place] = [9; 16];
        for h in 0..8 {
            world.machine.set(&format!("part_{h}"), 9 | 9 << 24);
        }
        world.cycle();
        world.machine.set("write", 0);
        world.show(&group);
        world.cycle();
        for (port, value) in [("answer_valid", 1), ("query_taken", 1), ("begins", 1)] {
            world.machine.set(port, value);
        }
        world.cycle();
        for port in ["answer_valid", "query_taken", "begins"] {
            world.machine.set(port, 0);
        }
        (1..40).find(|_| {
            world.machine.settle();
            let known = world.machine.get("known") == 15;
            world.cycle();
            known
        })
    };
    assert_eq!(known_after(255, 7), Some(22));
    assert_eq!(known_after(3, 1), Some(3));
}

#[test]
fn planted_faults_are_caught() {
    for fault in [Fault::HidePartsChild, Fault::HidePartsBound, Fault::HidePartsStale, Fault::HidePartsEarly] {
        let problem = World::new(Some(fault), On::Verilog, 5).run(3000).err();
        let problem = problem.unwrap_or_else(|| panic!("{fault:?} is not caught"));
        assert!(problem.contains("are hidden instead of"), "{fault:?}: {problem}");
    }
}
