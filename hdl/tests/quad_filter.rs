//! The filter of quads: a quad is dropped exactly if each sample that it covers is strictly behind
//! its bound, by the rules of an opaque run; all others leave in order, unchanged, each once. That
//! a triangle is done in a tile is told as often as it was, never before its quads have left.
//!
//! What Hi-Z knows is made up here, small numbers, so that depths are often level with bounds. The
//! rules are written down a second time; that they are right is judged in lockstep.

use std::collections::VecDeque;

use quadlock_hdl::base::testing::Bench;
use quadlock_hdl::config::{GpuConfig, HiZ};
use quadlock_hdl::fault::Fault;
use quadlock_hdl::visibility::QuadFilter;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::common::machine::{Machine, On};

const FIELDS: [&str; 15] = [
    "end", "context", "handle", "order", "back", "buffer", "x", "y", "sample", "last", "coverage", "depth0", "depth1",
    "depth2", "depth3",
];
const SAMPLE: usize = 8;
const LAST: usize = 9;
const COVERAGE: usize = 10;
const DEPTH: usize = 11;

/// What leaves, in order.
#[derive(Clone, Debug, PartialEq)]
enum Item {
    Beat(Vec<u64>),
    Done,
}

/// What Hi-Z says of a beat.
#[derive(Clone, Copy, Debug)]
struct Known {
    known: bool,
    bound: [u64; 4],
    down: bool,
    runs: [u64; 3],
    here: bool,
}

fn write(m: &mut Machine, pass: u64, context: u64, word: u64, data: u64) {
    for (name, value) in [
        ("state_valid", 1),
        ("state_pass", pass),
        ("state_context", context),
        ("state_word", word),
        ("state_data", data),
    ] {
        m.set(name, value);
    }
    m.settle();
    m.cycle();
    m.set("state_valid", 0);
    m.set("state_pass", 0);
}

/// Contexts: 0 opaque with less, 1 opaque with greater, 2 blends, 3 looks at coverage.
fn contexts(m: &mut Machine) {
    write(m, 1, 0, 1, 1 << 8 | 1 << 12 | 4 << 4);
    for (context, modes, target) in [(0, 1 << 5, 15), (1, 4 << 5, 15), (2, 1 << 5, 31), (3, 1 << 5 | 1 << 15, 15)]
        .map(|(c, m, t)| (c, m | 3 << 8, t))
    {
        write(m, 0, context, 6, modes);
        write(m, 0, context, 28, target);
    }
}

/// One beat, or an end.
fn beat(rng: &mut ChaCha8Rng, quad: &[u64], sample: u64, count: u64) -> Vec<u64> {
    let mut beat = quad.to_vec();
    beat[SAMPLE] = sample;
    beat[LAST] = u64::from(sample + 1 == if count > 1 { count + 1 } else { 1 });
    beat[COVERAGE] = if sample < count { rng.random_range(0..16) } else { 0 };
    for k in 0..4 {
        let depth = rng.random_range(0..6);
        beat[DEPTH + k] = if quad[1] == 1 { 0xFF_FFFF - depth } else { depth };
    }
    beat
}

/// The same rules again.
fn hidden(beat: &[u64], k: &Known) -> bool {
    let down = beat[1] == 1;
    let near = |lane: usize| if down { 0xFF_FFFF - beat[DEPTH + lane] } else { beat[DEPTH + lane] };
    let [run, newest, of_bound] = k.runs;
    beat[1] < 2
        && k.known
        && k.down == down
        && (newest == run || of_bound == run && !k.here)
        && (0..4).all(|l| beat[COVERAGE] >> l & 1 == 0 || near(l) > k.bound[l])
}

/// Sends `quads` quads through it, each side willing with its probability; dropped quads.
fn run(m: &mut Machine, quads: u64, give: f64, take: f64, seed: u64) -> Result<u64, String> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    contexts(m);
    let mut due: VecDeque<Item> = VecDeque::new();
    let (mut todo, mut offered): (VecDeque<Vec<u64>>, Option<Vec<u64>>) = (VecDeque::new(), None);
    let (mut made, mut dropped, mut culled, mut owed) = (0, 0, 0, 0u64);
    // Beats of the quad that comes, and whether all of them are hidden.
    let mut coming: Vec<Vec<u64>> = vec![];
    let mut all = true;
    let mut said: Option<(Vec<u64>, Known)> = None;
    let start = m.cycles;
    loop {
        if todo.is_empty() && made < quads {
            made += 1;
            let count = [1, 2, 4][rng.random_range(0..3)];
            let mut quad = vec![0; FIELDS.len()];
            for (field, limit) in [(1, 4), (2, 4096), (3, 65536), (4, 2), (5, 8), (6, 2048), (7, 2048)] {
                quad[field] = rng.random_range(0..limit);
            }
            let beats = if count > 1 { count + 1 } else { 1 };
            todo.extend((0..beats).map(|s| beat(&mut rng, &quad, s, count)));
            if rng.random_bool(0.3) {
                quad[0] = 1;
                todo.push_back(quad);
            }
        }
        if offered.is_none() && rng.random_bool(give) {
            offered = todo.pop_front();
        }
        if offered.is_none() && todo.is_empty() && made == quads && due.is_empty() && owed == 0 && said.is_none() {
            // Nothing more comes.
            for _ in 0..8 {
                m.set("in_quad_valid", 0);
                m.set("in_done", 0);
                m.settle();
                if m.get("quad_valid") + m.get("tile_done") > 0 {
                    return Err("more leaves than came".into());
                }
                m.cycle();
            }
            return if culled == dropped { Ok(dropped) } else { Err(format!("{culled} of {dropped} are told of")) };
        }
        if m.cycles - start > 100 * quads + 1000 {
            return Err(format!("it stands still: {} are due", due.len()));
        }
        // Between two quads triangles are done with what has come.
        let done = coming.is_empty() && said.is_none() && owed < 100 && rng.random_bool(0.1);
        m.set("in_quad_valid", u64::from(offered.is_some()));
        m.set("in_done", u64::from(done));
        for (k, name) in FIELDS.iter().enumerate() {
            let value = offered.as_ref().map_or(0, |beat| beat[k]);
            m.set(&format!("in_quad_{name}"), value);
        }
        if let Some((_, k)) = &said {
            m.set("known", u64::from(k.known));
            m.set("bound_down", u64::from(k.down));
            m.set("bound_resident", u64::from(k.here));
            for (name, value) in ["run", "newest_run", "bound_run"].into_iter().zip(k.runs) {
                m.set(name, value);
            }
            for (lane, bound) in k.bound.into_iter().enumerate() {
                m.set(&format!("bound_{lane}"), bound);
            }
        }
        let taken = rng.random_bool(take);
        m.set("quad_ready", u64::from(taken));
        m.settle();
        // What came a cycle ago is decided.
        if let Some((beat, k)) = said.take() {
            if beat[0] == 1 {
                due.push_back(Item::Beat(beat));
            } else {
                all &= hidden(&beat, &k);
                let last = beat[LAST] == 1;
                coming.push(beat);
                if last {
                    dropped += u64::from(all);
                    let kept = if all { vec![] } else { std::mem::take(&mut coming) };
                    due.extend(kept.into_iter().map(Item::Beat));
                    coming.clear();
                    all = true;
                }
            }
        }
        if done {
            due.push_back(Item::Done);
            owed += 1;
        }
        if m.get("in_quad_ready") == 1 {
            if let Some(beat) = offered.take() {
                let run = rng.random_range(0..3);
                let mut of = || if rng.random_bool(0.7) { run } else { rng.random_range(0..3) };
                let runs = [run, of(), of()];
                let down = (beat[1] == 1) == rng.random_bool(0.95);
                let known = rng.random_bool(0.9);
                let bound = [0; 4].map(|_| rng.random_range(0..3));
                said = Some((beat, Known { known, bound, down, runs, here: rng.random_bool(0.3) }));
            }
        }
        culled += m.get("cull_valid");
        if m.get("tile_done") == 1 {
            // It may be told behind quads that came later, but not before those that came first.
            match due.iter().position(|item| *item == Item::Done) {
                Some(0) => due.pop_front(),
                _ => return Err("a triangle is done while its quads are here".into()),
            };
            owed -= 1;
        }
        if m.get("quad_valid") == 1 {
            let seen: Vec<u64> = FIELDS.iter().map(|name| m.get(&format!("quad_{name}"))).collect();
            let next = due.iter().position(|item| *item != Item::Done);
            if next.map(|n| &due[n]) != Some(&Item::Beat(seen.clone())) {
                return Err(format!("{seen:?} leaves, not {:?}", next.map(|n| &due[n])));
            }
            if taken {
                due.remove(next.unwrap_or_default());
            }
        }
        m.cycle();
    }
}

fn filter(on: On, fault: Option<Fault>) -> Machine {
    let config = GpuConfig { graphics: true, hi_z: HiZ::Visibility, fault, ..GpuConfig::default() };
    Machine::new(on, &config, "quad_filter", Bench::new(QuadFilter::new(&config), |b| &mut b.clock))
}

#[test]
fn hz_20_hidden_quads_are_dropped_and_nothing_else() {
    for (give, take) in [(1.0, 1.0), (1.0, 0.3), (0.3, 1.0), (0.8, 0.7)] {
        for (on, quads) in [(On::Verilog, 3000), (On::RustHdl, 200)] {
            let dropped = run(&mut filter(on, None), quads, give, take, 7);
            let dropped = dropped.unwrap_or_else(|e| panic!("{on:?}, given {give}, taken {take}: {e}"));
            assert!(dropped > quads / 40, "{dropped} of {quads} are dropped");
        }
    }
}

#[test]
fn planted_faults_are_caught() {
    for (fault, message) in [
        (Fault::FilterLevel, "leaves"),
        (Fault::FilterRun, "leaves"),
        (Fault::FilterUncovered, "leaves"),
        (Fault::FilterDone, "is done"),
    ] {
        let problem = run(&mut filter(On::Verilog, Some(fault)), 3000, 0.8, 0.5, 5).expect_err("not caught");
        assert!(problem.contains(message), "{fault:?}: {problem}");
    }
}
