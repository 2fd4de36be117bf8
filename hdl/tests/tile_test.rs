//! The test of a triangle in a tile: hidden exactly if it is hidden in each group of 8 by 8 pixels
//! in which its box meets the tile, by the rules of an opaque run. What Hi-Z knows is made up here,
//! small numbers, so that depths are often level with bounds. The rules are written down a second
//! time; that they are right is judged in lockstep.
//!
//! Pairs follow each other with and without a gap; an answer stays until its pair is taken.

use std::collections::HashMap;

use quadlock_hdl::base::testing::Bench;
use quadlock_hdl::config::{GpuConfig, HiZ};
use quadlock_hdl::fault::Fault;
use quadlock_hdl::visibility::TileTest;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::common::machine::{Machine, On};

const FAR: u64 = 0xFF_FFFF;

/// What Hi-Z says of a group.
#[derive(Clone, Copy, Debug)]
struct Known {
    known: bool,
    bound: u64,
    down: bool,
    run: u64,
}

/// A triangle in a tile, and what is known of the groups of the tile.
#[derive(Debug)]
struct Pair {
    context: u64,
    handle: u64,
    order: u64,
    run: u64,
    tile: (u64, u64),
    bounds: [u64; 4],
    /// How near its nearest corner is, and its farthest: less is nearer.
    near: [u64; 2],
    groups: HashMap<(u64, u64), Known>,
}

impl Pair {
    fn make(rng: &mut ChaCha8Rng, side: u64, order: u64) -> Self {
        let tile = (side * rng.random_range(0..4), side * rng.random_range(0..4));
        let mut span = |from: u64| {
            let ends = [0; 2].map(|_| (from + rng.random_range(0..3 * side)).saturating_sub(side));
            // The box meets the tile.
            (ends[0].min(ends[1]).min(from + side - 1), ends[0].max(ends[1]).max(from))
        };
        let ((x0, x1), (y0, y1)) = (span(tile.0), span(tile.1));
        let context = rng.random_range(0..6u64).saturating_sub(2);
        let run = rng.random_range(0..3);
        let near = rng.random_range(1..5);
        // Most groups say hidden, else whole tiles never are.
        let sure = rng.random_bool(0.6);
        let mut groups = HashMap::new();
        for (x, y) in (0..side / 8).flat_map(|x| (0..side / 8).map(move |y| (x, y))) {
            let is = |rng: &mut ChaCha8Rng| rng.random_bool(if sure { 0.995 } else { 0.9 });
            let known = Known {
                known: is(rng),
                bound: if is(rng) { rng.random_range(0..near) } else { near + rng.random_range(0..2) },
                down: (context == 1) == is(rng),
                run: if is(rng) { run } else { rng.random_range(0..3) },
            };
            groups.insert((tile.0 / 8 + x, tile.1 / 8 + y), known);
        }
        let far = near + rng.random_range(0..3);
        let handle = rng.random_range(0..4096);
        Self { context, handle, order, run, tile, bounds: [x0, y0, x1, y1], near: [near, far], groups }
    }

    /// Groups in which the box meets the tile.
    fn met(&self) -> Vec<&Known> {
        let [x0, y0, x1, y1] = self.bounds;
        let meets = |g: &(u64, u64)| x0 >> 3 <= g.0 && g.0 <= x1 >> 3 && y0 >> 3 <= g.1 && g.1 <= y1 >> 3;
        self.groups.iter().filter(|(g, _)| meets(g)).map(|(_, known)| known).collect()
    }

    /// The same rules again.
    fn hidden(&self) -> bool {
        let of = |k: &&Known| k.known && k.down == (self.context == 1) && k.run == self.run && self.near[0] > k.bound;
        self.context < 2 && self.met().iter().all(of)
    }

    fn offer(&self, m: &mut Machine) {
        let [near, far] = self.near;
        let (low, high) = if self.context == 1 { (FAR - far, FAR - near) } else { (near, far) };
        let [x0, y0, x1, y1] = self.bounds;
        for (name, value) in [
            ("context", self.context),
            ("handle", self.handle),
            ("order", self.order),
            ("x0", x0),
            ("y0", y0),
            ("x1", x1),
            ("y1", y1),
            ("z_low", low),
            ("z_high", high),
        ] {
            m.set(&format!("triangle_{name}"), value);
        }
        m.set("query_x", self.tile.0);
        m.set("query_y", self.tile.1);
    }
}

/// Contexts: 0 opaque with less, 1 opaque with greater, 2 blends, 3 does not write depth.
fn contexts(m: &mut Machine, side: u64) {
    let open = u64::from(side.ilog2());
    m.state(true, 0, 1, 1 << 8 | 1 << 12 | open << 4);
    for (context, modes, target) in
        [(0, 1 << 5 | 3 << 8, 15), (1, 4 << 5 | 3 << 8, 15), (2, 1 << 5 | 3 << 8, 31), (3, 1 << 5 | 1 << 8, 15)]
    {
        m.state(false, context, 6, modes);
        m.state(false, context, 28, target);
    }
    m.set("state_valid", 0);
    m.set("state_pass", 0);
}

/// That many pairs; how many were hidden, and most cycles for a pair beyond its groups.
fn run(m: &mut Machine, pairs: u64, side: u64, seed: u64) -> Result<(u64, u64), String> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    contexts(m, side);
    let (mut hidden, mut most) = (0, 0);
    for order in 0..pairs {
        let pair = Pair::make(&mut rng, side, order);
        pair.offer(m);
        m.set("query_valid", 1);
        let (mut cycles, mut holds, mut said) = (0, rng.random_range(0..3) * rng.random_range(0..3), None);
        loop {
            m.settle();
            let answer = (m.get("answer_valid") == 1).then(|| m.get("hidden") == 1);
            if said.is_some() && said != answer {
                return Err(format!("an answer does not stay: {pair:?}"));
            }
            said = answer;
            let taken = said.is_some() && holds == 0;
            if said.is_some() && !taken {
                holds -= 1;
            }
            m.set("query_taken", u64::from(taken));
            m.settle();
            let told = m.get("cull_valid") == 1;
            if told != (taken && said == Some(true)) {
                return Err(format!("a cull is told of: {told}, {pair:?}"));
            }
            let event = ["kind", "order", "x", "y", "side"].map(|n| m.get(&format!("cull_{n}")));
            if told && event != [2, order, pair.tile.0, pair.tile.1, u64::from(side.ilog2())] {
                return Err(format!("{event:?} is told of {pair:?}"));
            }
            // What is asked is answered a cycle later.
            let asked = (m.get("read_x"), m.get("read_y"));
            let other = Known { known: true, bound: 0, down: pair.context == 1, run: pair.run };
            let known = pair.groups.get(&asked).copied().unwrap_or(other);
            let run = if m.get("read_run") == pair.context { pair.run } else { known.run };
            m.cycle();
            for (name, value) in [
                ("known", u64::from(known.known)),
                ("bound", known.bound),
                ("bound_down", u64::from(known.down)),
                ("bound_run", known.run),
                ("run", run),
            ] {
                m.set(name, value);
            }
            if taken {
                break;
            }
            cycles += u64::from(said.is_none());
            if cycles > 100 {
                return Err("no answer".into());
            }
        }
        if said != Some(pair.hidden()) {
            return Err(format!("hidden {said:?}: {pair:?}"));
        }
        hidden += u64::from(pair.hidden());
        most = most.max(cycles.saturating_sub(pair.met().len() as u64));
        m.set("query_taken", 0);
        if rng.random() {
            m.set("query_valid", 0);
            m.settle();
            m.cycle();
        }
    }
    Ok((hidden, most))
}

fn test(on: On, fault: Option<Fault>) -> Machine {
    let config = GpuConfig { graphics: true, hi_z: HiZ::VisibilityBinner, fault, ..GpuConfig::default() };
    Machine::new(on, &config, "tile_test", Bench::new(TileTest::new(&config), |b| &mut b.clock))
}

#[test]
fn hz_13_a_triangle_is_hidden_in_a_tile_by_what_comes_later() {
    for side in [8, 16, 32] {
        for (on, pairs) in [(On::Verilog, 3000), (On::RustHdl, 200)] {
            let (hidden, most) = run(&mut test(on, None), pairs, side, side).unwrap_or_else(|e| panic!("{on:?}: {e}"));
            assert!(hidden > pairs / 20, "side {side}: {hidden} of {pairs} are hidden");
            assert_eq!(most, 1, "cycles beyond one for each group");
        }
    }
}

#[test]
fn planted_faults_are_caught() {
    for (fault, message) in [
        (Fault::TileTestGroup, "hidden"),
        (Fault::TileTestRun, "hidden"),
        (Fault::TileTestLevel, "hidden"),
        (Fault::TileTestStale, "hidden"),
    ] {
        let problem = run(&mut test(On::Verilog, Some(fault)), 3000, 16, 5).expect_err("not caught");
        assert!(problem.contains(message), "{fault:?}: {problem}");
    }
}
