//! The result store against a model of docs/graphics-blocks.md ("Results"): quads of random
//! contexts, words and ends of their fragments in any order and with lanes of several quads in a
//! warp, stalls on all sides. Every beat that commits and every handle that is free again is
//! compared. Rates are counted in cycles. Each planted fault is found.

use std::collections::{HashMap, VecDeque};

use quadlock_hdl::base::testing::Bench;
use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::fault::Fault;
use quadlock_hdl::output::ResultStore;
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::common::machine::{Machine, On};

/// Cycles in which nothing happens after which the block is taken to hang.
const HANG: u32 = 3000;
/// Places of the store.
const PLACES: usize = 64;

/// Contexts and pass.
#[derive(Clone, Copy, Debug)]
struct Setting {
    samples: usize,
    targets: usize,
    /// Word 6 of each context.
    modes: [u64; 8],
}

impl Setting {
    fn plain(samples: usize, targets: usize) -> Self {
        Self { samples, targets, modes: [0; 8] }
    }

    fn random(rng: &mut impl Rng) -> Self {
        // What the program may do, and whether early tests are asked for.
        let mode = |rng: &mut dyn rand::RngCore| {
            let program = if rng.random_bool(0.5) { rng.random_range(0..16) << 16 } else { 0 };
            program | rng.random_range(0..2) << 11 | rng.random_range(0..32) << 5
        };
        Self {
            samples: [1, 2, 4][rng.random_range(0..3)],
            targets: rng.random_range(0..=4),
            modes: std::array::from_fn(|_| mode(rng) | if rng.random_bool(0.3) { 1 << 12 } else { 0 }),
        }
    }

    fn single(&self, context: u64) -> bool {
        self.modes[context as usize] >> 12 & 1 != 0
    }

    /// It discards, writes depth or masks; or has stores, and nobody asked for early tests.
    fn late(&self, context: u64) -> bool {
        let word = self.modes[context as usize];
        let bit = |n: u32| word >> n & 1 != 0;
        (bit(16) || bit(17) || bit(18) || bit(19)) && !bit(11)
    }
}

/// A quad as the collector tells it.
#[derive(Clone, Debug)]
struct Quad {
    context: u64,
    handle: u64,
    order: u64,
    back: u64,
    buffer: u64,
    x: u64,
    y: u64,
    lanes: Vec<u64>,
    depths: Vec<[u64; 4]>,
    /// It keeps its ticket; or is dropped.
    kept: bool,
    /// A warp has to end for it.
    shaded: bool,
}

/// What the collector says in a cycle.
#[derive(Clone, Debug)]
enum Tell {
    /// A sample of that quad, and whether it is complete.
    Sample(usize, usize, bool),
    /// A handle, and how many quads had been kept.
    End(u64, usize),
}

/// A lane of a warp: quad, lane of it, its sample if it is shaded alone.
type Lane = (usize, usize, Option<usize>);

#[derive(Clone, Debug)]
struct Warp {
    lanes: [Lane; 4],
    /// Mask, number, data of each `OUT`.
    words: VecDeque<(u64, u64, [u64; 4])>,
    covered: u64,
}

/// A beat of `Commit`.
#[derive(Clone, Debug, Default, PartialEq)]
struct Beat {
    owner: [u64; 6],
    sample: u64,
    target: u64,
    first: bool,
    last: bool,
    late: bool,
    coverage: u64,
    depth: [u64; 4],
    low: [u64; 4],
    high: [u64; 4],
}

/// All that happens, but for when.
#[derive(Clone, Debug, Default)]
struct Story {
    quads: Vec<Quad>,
    tells: Vec<Tell>,
    warps: Vec<Warp>,
    beats: Vec<Beat>,
    /// Kept quads before each quad.
    tickets: Vec<usize>,
}

impl Story {
    fn random(rng: &mut impl Rng, setting: &Setting, quads: usize) -> Self {
        let mut story = Self::default();
        let mut handle = 0;
        for _ in 0..quads {
            let lanes: Vec<u64> = (0..setting.samples).map(|_| rng.random_range(0..16)).collect();
            let quad = Quad {
                context: rng.random_range(0..8),
                handle,
                order: rng.random_range(0..1 << 16),
                back: rng.random_range(0..2),
                buffer: rng.random_range(0..8),
                x: rng.random_range(0..1 << 11),
                y: rng.random_range(0..1 << 11),
                kept: rng.random_bool(0.85),
                lanes,
                depths: (0..setting.samples).map(|_| std::array::from_fn(|_| rng.random_range(0..1 << 24))).collect(),
                shaded: rng.random_bool(0.9),
            };
            story.quad(setting, quad);
            while rng.random_bool(0.3) {
                story.end(handle);
                handle = (handle + 61) % 4096;
            }
        }
        story.end(handle);
        story.random_warps(rng, setting);
        story.commits(setting);
        story
    }

    fn kept(&self) -> usize {
        self.quads.iter().filter(|q| q.kept).count()
    }

    fn end(&mut self, handle: u64) {
        self.tells.push(Tell::End(handle, self.kept()));
    }

    fn quad(&mut self, setting: &Setting, quad: Quad) {
        self.tickets.push(self.kept());
        let number = self.quads.len();
        // Beats of the centre say nothing to the store.
        self.tells.extend((0..setting.samples).map(|s| Tell::Sample(number, s, s + 1 == setting.samples)));
        self.quads.push(quad);
    }

    /// Lanes of up to four quads in a row share four warps.
    fn random_warps(&mut self, rng: &mut impl Rng, setting: &Setting) {
        let mut lanes: Vec<Lane> = vec![];
        let mut few = rng.random_range(1..=4);
        for (n, quad) in self.quads.iter().enumerate().filter(|(_, q)| q.kept && q.shaded) {
            if setting.single(quad.context) {
                let covered = (0..setting.samples).filter(|&s| quad.lanes[s] != 0);
                lanes.extend(covered.flat_map(|s| (0..4).map(move |k| (n, k, Some(s)))));
            } else {
                lanes.extend((0..4).map(|k| (n, k, None)));
            }
            few -= 1;
            if few == 0 {
                if rng.random_bool(0.6) {
                    lanes.shuffle(rng);
                }
                self.warps.extend(lanes.chunks(4).map(|l| Warp::random(rng, setting, l)));
                lanes.clear();
                few = rng.random_range(1..=4);
            }
        }
        self.warps.extend(lanes.chunks(4).map(|l| Warp::random(rng, setting, l)));
    }

    fn commits(&mut self, setting: &Setting) {
        let mut words: HashMap<(usize, usize, usize, u64), u64> = HashMap::new();
        let mut lost: HashMap<(usize, usize, usize), bool> = HashMap::new();
        for warp in &self.warps {
            for (k, &(quad, lane, sample)) in warp.lanes.iter().enumerate() {
                let samples = sample.map_or(0..setting.samples, |s| s..s + 1);
                for s in samples {
                    for (_, number, data) in warp.words.iter().filter(|w| w.0 >> k & 1 != 0) {
                        words.insert((quad, lane, s, *number), data[k]);
                    }
                    lost.insert((quad, lane, s), warp.covered >> k & 1 == 0);
                }
            }
        }
        for (n, q) in self.quads.iter().enumerate().filter(|(_, q)| q.kept) {
            for s in 0..setting.samples {
                for t in 0..setting.targets.max(1) {
                    let word = |lane: usize, number: u64| words.get(&(n, lane, s, number)).copied();
                    let there = |k: usize| {
                        q.lanes[s] >> k & 1 != 0
                            && !lost.get(&(n, k, s)).copied().unwrap_or_default()
                            && word(k, 9).is_none_or(|mask| mask >> s & 1 != 0)
                    };
                    self.beats.push(Beat {
                        owner: [q.context, q.order, q.back, q.buffer, q.x, q.y],
                        sample: s as u64,
                        target: t as u64,
                        first: t == 0,
                        last: s + 1 == setting.samples && t + 1 == setting.targets.max(1),
                        late: setting.late(q.context),
                        coverage: (0..4).filter(|&k| there(k)).map(|k| 1 << k).sum(),
                        depth: std::array::from_fn(|k| word(k, 8).map_or(q.depths[s][k], |z| z & 0xFF_FFFF)),
                        low: std::array::from_fn(|k| word(k, 2 * t as u64).unwrap_or_default()),
                        high: std::array::from_fn(|k| word(k, 2 * t as u64 + 1).unwrap_or_default()),
                    });
                }
            }
        }
    }
}

impl Warp {
    fn random(rng: &mut impl Rng, setting: &Setting, lanes: &[Lane]) -> Self {
        let numbers: Vec<u64> = (0..2 * setting.targets as u64).chain([8, 9]).collect();
        let words = (0..rng.random_range(0..8)).map(|_| {
            let number = numbers[rng.random_range(0..numbers.len())];
            (rng.random_range(1..16), number, std::array::from_fn(|_| rng.random_range(0..1 << 32)))
        });
        Self { lanes: lanes.try_into().unwrap(), words: words.collect(), covered: rng.random_range(0..16) | 8 }
    }
}

/// How often each side is willing.
#[derive(Clone, Copy)]
struct Will {
    tell: f64,
    word: f64,
    end: f64,
    commit: f64,
    blend: f64,
    /// Warps that may run at the same time.
    warps: usize,
    /// The oldest of them goes first.
    oldest: bool,
}

const ALWAYS: Will = Will { tell: 1.0, word: 1.0, end: 1.0, commit: 1.0, blend: 1.0, warps: 1, oldest: true };

fn store(on: On, config: &GpuConfig) -> Machine {
    Machine::new(on, config, "result_store", Bench::new(ResultStore::new(config), |b| &mut b.clock))
}

struct Run<'a> {
    m: &'a mut Machine,
    story: &'a Story,
    told: usize,
    /// Kept quads that the store knows, and which of all quads are kept and known.
    kept: usize,
    known: Vec<bool>,
    beats: usize,
    committed: usize,
    /// Quads that blending has written, and whether it says so of one now.
    blended: usize,
    written: bool,
    /// Handles that are to be free, and after how many quads.
    ended: VecDeque<(u64, usize)>,
    /// Warps that have not begun, and those that run.
    waiting: VecDeque<Warp>,
    running: Vec<Warp>,
    /// The port of words, of ends: the warp that stands there.
    word: Option<usize>,
    end: Option<Warp>,
    most: usize,
    /// Cycles in which a quad was complete, an end was taken, a beat left.
    kept_at: Vec<u64>,
    ended_at: Vec<u64>,
    cycles: Vec<u64>,
}

impl<'a> Run<'a> {
    fn new(m: &'a mut Machine, setting: &Setting, story: &'a Story) -> Self {
        let samples = u64::from((setting.samples as u64).ilog2());
        m.state(true, 2, 1, samples | (setting.targets as u64) << 8 | 1 << 12 | 5 << 4);
        for (c, &mode) in setting.modes.iter().enumerate() {
            m.state(false, c, 6, mode);
            m.state(false, c, 7, !mode & 0xFFFF_FFFF);
            m.state(true, c, 6, !mode & 0xFFFF_FFFF);
        }
        Self {
            m,
            story,
            told: 0,
            kept: 0,
            known: vec![false; story.quads.len()],
            beats: 0,
            committed: 0,
            blended: 0,
            written: false,
            ended: VecDeque::new(),
            waiting: story.warps.iter().cloned().collect(),
            running: vec![],
            word: None,
            end: None,
            most: 0,
            kept_at: vec![],
            ended_at: vec![],
            cycles: vec![],
        }
    }

    /// The collector: it looks at `room` a cycle before.
    fn tell(&mut self, room: bool, will: Will, rng: &mut impl Rng) {
        for port in ["sample", "keep", "end"] {
            self.m.set(&format!("collected_{port}"), 0);
        }
        let Some(tell) = self.story.tells.get(self.told).filter(|_| room && rng.random_bool(will.tell)) else { return };
        match *tell {
            Tell::Sample(number, sample, complete) => {
                let q = &self.story.quads[number];
                let keep = complete && q.kept;
                let single = self.story.warps.iter().flat_map(|w| w.lanes).any(|l| l.0 == number && l.2.is_some());
                let warps = self.story.warps.iter().flat_map(|w| w.lanes).filter(|l| l.0 == number).count() / 4;
                for (port, value) in [
                    ("sample", 1),
                    ("keep", keep.into()),
                    ("ticket", (self.story.tickets[number] % PLACES) as u64),
                    ("number", sample as u64),
                    ("lanes", q.lanes[sample]),
                    ("context", q.context),
                    ("handle", q.handle),
                    ("order", q.order),
                    ("back", q.back),
                    ("buffer", q.buffer),
                    ("x", q.x),
                    ("y", q.y),
                    ("warps", warps as u64),
                    ("alone", single.into()),
                ] {
                    self.m.set(&format!("collected_{port}"), value);
                }
                for k in 0..4 {
                    self.m.set(&format!("collected_depth{k}"), q.depths[sample][k]);
                }
                if keep {
                    self.kept += 1;
                    self.kept_at.push(self.m.cycles);
                    self.known[number] = true;
                    self.most = self.most.max(self.kept - self.committed);
                }
            }
            Tell::End(..) if self.ended.len() > 60 => return,
            Tell::End(handle, after) => {
                self.m.set("collected_end", 1);
                self.m.set("collected_handle", handle);
                self.ended.push_back((handle, after));
            }
        }
        self.told += 1;
    }

    fn fragments(&mut self, bundle: &str, lanes: &[Lane; 4]) {
        for (k, &(quad, lane, sample)) in lanes.iter().enumerate() {
            let ticket = (self.story.tickets[quad] % PLACES) << 2 | lane;
            self.m.set(&format!("{bundle}_ticket{k}"), ticket as u64);
            self.m.set(&format!("{bundle}_sample{k}"), sample.unwrap_or_default() as u64);
        }
    }

    /// The warps: each writes its words, and ends when they are taken.
    fn run_warps(&mut self, will: Will, rng: &mut impl Rng) {
        while self.running.len() < will.warps {
            let ready = self.waiting.front().is_some_and(|w| w.lanes.iter().all(|l| self.known[l.0]));
            match ready {
                true => self.running.push(self.waiting.pop_front().unwrap()),
                false => break,
            }
        }
        let (writes, stops) = (rng.random_bool(will.word), rng.random_bool(will.end));
        let mut any = |of: &[usize]| if will.oldest { of[0] } else { of[rng.random_range(0..of.len())] };
        let writers: Vec<usize> = (0..self.running.len()).filter(|&w| !self.running[w].words.is_empty()).collect();
        if self.word.is_none() && !writers.is_empty() && writes {
            self.word = Some(any(&writers));
        }
        let done: Vec<usize> = (0..self.running.len()).filter(|&w| self.running[w].words.is_empty()).collect();
        if self.end.is_none() && !done.is_empty() && stops {
            let ends = any(&done);
            self.end = Some(self.running.remove(ends));
            self.word = self.word.map(|w| w - usize::from(w > ends));
        }
        self.m.set("word_valid", self.word.is_some().into());
        if let Some(warp) = self.word {
            let (mask, number, data) = self.running[warp].words[0];
            self.m.set("word_mask", mask);
            self.m.set("word_word", number);
            (0..4).for_each(|k| self.m.set(&format!("word_data{k}"), data[k]));
            let lanes = self.running[warp].lanes;
            self.fragments("word", &lanes);
        }
        self.m.set("end_valid", self.end.is_some().into());
        if let Some(warp) = self.end.clone() {
            self.m.set("end_covered", warp.covered);
            self.fragments("end", &warp.lanes);
        }
    }

    fn beat(&self) -> Beat {
        let get = |port: &str| self.m.get(&format!("commit_{port}"));
        let lanes = |port: &str| std::array::from_fn(|k| get(&format!("{port}{k}")));
        Beat {
            owner: ["context", "order", "back", "buffer", "x", "y"].map(get),
            sample: get("sample"),
            target: get("target"),
            first: get("first") != 0,
            last: get("last") != 0,
            late: get("late") != 0,
            coverage: get("coverage"),
            depth: lanes("depth"),
            low: lanes("low"),
            high: lanes("high"),
        }
    }

    /// What leaves in this cycle, if blending is open.
    fn leave(&mut self, open: bool, targets: usize) -> Result<(), String> {
        if self.m.get("free_valid") != 0 {
            let (handle, want) = (self.m.get("free_handle"), self.ended.pop_front());
            if want.is_none_or(|w| w.0 != handle || self.blended < w.1) {
                return Err(format!("handle {handle} is free after {} quads, wanted {want:?}", self.blended));
            }
        }
        self.blended += usize::from(std::mem::take(&mut self.written));
        if self.m.get("commit_valid") == 0 || !open {
            return Ok(());
        }
        let mut beat = self.beat();
        if targets == 0 {
            (beat.low, beat.high) = ([0; 4], [0; 4]);
        }
        let want = self.story.beats.get(self.beats);
        if want != Some(&beat) {
            return Err(format!("beat {}: {beat:?}, wanted {want:?}", self.beats));
        }
        self.beats += 1;
        self.committed += usize::from(beat.last);
        self.cycles.push(self.m.cycles);
        Ok(())
    }

    fn all(&mut self, setting: &Setting, will: Will, seed: u64) -> Result<(), String> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let (mut room, mut quiet) = (false, 0);
        while self.told < self.story.tells.len()
            || self.beats < self.story.beats.len()
            || !self.ended.is_empty()
            || self.m.get("idle") == 0
        {
            self.tell(room, will, &mut rng);
            self.run_warps(will, &mut rng);
            let open = rng.random_bool(will.commit);
            self.m.set("commit_ready", open.into());
            // Behind the store are queues for 56 quads at most.
            let inside = self.committed - self.blended;
            self.written = inside > 0 && (inside >= 56 || rng.random_bool(will.blend));
            self.m.set("written_quad", self.written.into());
            self.m.settle();
            let before = (self.told, self.beats);
            room = self.m.get("room") != 0;
            if let Some(warp) = self.word.filter(|_| self.m.get("word_ready") != 0) {
                self.running[warp].words.pop_front();
                self.word = None;
                quiet = 0;
            }
            if self.end.is_some() && self.m.get("end_ready") != 0 {
                self.end = None;
                self.ended_at.push(self.m.cycles);
                quiet = 0;
            }
            self.leave(open, setting.targets)?;
            if self.kept - self.committed > PLACES {
                return Err("more tickets than places".into());
            }
            self.m.cycle();
            self.m.settle();
            quiet = if before == (self.told, self.beats) { quiet + 1 } else { 0 };
            if quiet > HANG {
                return Err(format!("it hangs after {} quads of {}", self.committed, self.story.kept()));
            }
        }
        Ok(())
    }
}

fn wills(seed: u64) -> Will {
    let some = |k: u64| [1.0f64, 0.8, 0.4, 0.15][(seed / 3 + k * (seed % 5)) as usize % 4];
    let warps = [1, 4, 8, 16][seed as usize % 4];
    Will { tell: some(0), word: some(1), end: some(2), commit: some(3), blend: some(4), warps, oldest: false }
}

fn random(on: On, config: &GpuConfig, seed: u64, quads: usize) -> Result<(), String> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut setting = Setting::random(&mut rng);
    (setting.samples, setting.targets) =
        (setting.samples.min(config.max_samples), setting.targets.min(config.max_targets));
    let story = Story::random(&mut rng, &setting, quads);
    let mut m = store(on, config);
    Run::new(&mut m, &setting, &story)
        .all(&setting, wills(seed), seed)
        .map_err(|e| format!("seed {seed}, {setting:?}: {e}"))
}

#[test]
fn random_fragments_commit_in_order() {
    for seed in 0..24 {
        random(On::Verilog, &GpuConfig::default(), seed, 200).unwrap();
    }
}

/// With fewer rows each quad still has its own.
#[test]
fn a_store_for_one_sample_does_the_same() {
    for seed in 0..24 {
        let config = GpuConfig { max_samples: 1, max_targets: 1 + seed as usize % 4, ..GpuConfig::default() };
        random(On::Verilog, &config, seed, 200).unwrap();
    }
}

#[test]
fn rust_hdl_says_the_same() {
    for seed in 0..4 {
        random(On::RustHdl, &GpuConfig::default(), seed, 20).unwrap();
    }
}

fn quad(context: u64, handle: u64, x: u64, lanes: u64, shaded: bool, samples: usize) -> Quad {
    let depths = vec![[handle + 100; 4]; samples];
    let (order, lanes) = (handle, vec![lanes; samples]);
    Quad { context, handle, order, back: 0, buffer: 0, x, y: 7, lanes, depths, kept: true, shaded }
}

/// Two triangles, H and V: H at P, V at R, V at P, H at R. The second and third are shaded
/// together, the first and fourth too, with lanes that have changed places, and either pair ends
/// first. They commit in the order of their tickets.
#[test]
fn mutually_ordered_pairs_commit_in_order() {
    for inner_first in [true, false] {
        let setting = Setting::plain(1, 1);
        let mut story = Story::default();
        for n in 0..40 {
            for (handle, x, lanes) in [(1, 10, 3), (2, 11, 3), (2, 10, 12), (1, 11, 12)] {
                story.quad(&setting, quad(1, handle, x, lanes, true, 1));
            }
            let lanes = |a: usize, b: usize| (0..8).map(move |i| (4 * n + [a, b][i / 4], i % 4, None));
            let mut pairs = [lanes(0, 3), lanes(1, 2)];
            if inner_first {
                pairs.reverse();
            }
            for pair in pairs {
                // Covered lanes of both in one warp, helpers in the other; in turned order.
                let (shown, hidden): (Vec<Lane>, Vec<Lane>) = pair
                    .map(|l: Lane| ((l.0, l.1, l.2), story.quads[l.0].lanes[0] >> l.1 & 1 != 0))
                    .fold((vec![], vec![]), |(mut s, mut h), (l, covered)| {
                        if covered { &mut s } else { &mut h }.insert(0, l);
                        (s, h)
                    });
                let data = std::array::from_fn(|k| (shown[k].0 * 16 + shown[k].1) as u64);
                let words = VecDeque::from([(15, 0, data)]);
                story.warps.push(Warp { lanes: shown.try_into().unwrap(), words, covered: 15 });
                story.warps.push(Warp { lanes: hidden.try_into().unwrap(), words: VecDeque::new(), covered: 0 });
            }
        }
        story.commits(&setting);
        assert_eq!(story.beats[2].low, [0, 0, 2 * 16 + 2, 2 * 16 + 3]);
        for (seed, will) in [ALWAYS, Will { warps: 4, commit: 0.5, oldest: false, ..ALWAYS }].into_iter().enumerate() {
            let mut m = store(On::Verilog, &GpuConfig::default());
            Run::new(&mut m, &setting, &story).all(&setting, will, seed as u64).unwrap();
        }
    }
}

/// The store fills up behind its oldest quad, and says so in time; the fragments of the others are
/// taken all the same.
#[test]
fn a_full_store_takes_fragments() {
    let setting = Setting::plain(1, 1);
    let mut story = Story::default();
    for n in 0..200 {
        story.quad(&setting, quad(0, 0, n, 15, true, 1));
    }
    // Quads of each 56 end in backward order: the oldest is the last one.
    for few in (0..200).collect::<Vec<usize>>().chunks(56) {
        let warp = |&n: &usize| {
            let words = VecDeque::from([(15, 0, [n as u64; 4])]);
            Warp { lanes: [0, 1, 2, 3].map(|k| (n, k, None)), words, covered: 15 }
        };
        story.warps.extend(few.iter().rev().map(warp));
    }
    story.commits(&setting);
    let mut m = store(On::Verilog, &GpuConfig::default());
    let mut run = Run::new(&mut m, &setting, &story);
    run.all(&setting, ALWAYS, 1).unwrap();
    assert!((56..=PLACES).contains(&run.most), "{} were inside", run.most);
}

/// Cycles between quads, everything ready: without a program one. An end is taken every second
/// cycle, and words go through the pipeline of the ends. Beats of targets and samples leave in a
/// cycle each.
#[test]
fn rates() {
    for (shaded, samples, targets, words, cycles) in [
        (false, 1, 1, 0, 1),
        (false, 1, 4, 0, 4),
        (false, 4, 1, 0, 4),
        (true, 1, 1, 0, 2),
        (true, 1, 1, 1, 2),
        (true, 4, 2, 2, 8),
    ] {
        let setting = Setting::plain(samples, targets);
        let mut story = Story::default();
        for n in 0..200 {
            story.quad(&setting, quad(0, 0, n as u64, 15, shaded, samples));
            if shaded {
                let words = (0..words).map(|w| (15, w, [n as u64; 4])).collect();
                story.warps.push(Warp { lanes: [0, 1, 2, 3].map(|k| (n, k, None)), words, covered: 15 });
            }
        }
        story.commits(&setting);
        let mut m = store(On::Verilog, &GpuConfig::default());
        let mut run = Run::new(&mut m, &setting, &story);
        run.all(&setting, Will { warps: 8, ..ALWAYS }, 1).unwrap();
        let of = run.cycles.len() / 200;
        let took = run.cycles[190 * of] - run.cycles[90 * of];
        assert_eq!(took, 100 * cycles, "shaded {shaded}, {samples} samples, {targets} targets, {words} words");
    }
}

/// Cycles from the collector, or from the last end, to the quad's first beat.
#[test]
fn latencies() {
    for (shaded, cycles) in [(false, 3), (true, 6)] {
        let setting = Setting::plain(1, 1);
        let mut story = Story::default();
        story.quad(&setting, quad(0, 0, 0, 15, shaded, 1));
        if shaded {
            let lanes = [0, 1, 2, 3].map(|k| (0, k, None));
            story.warps.push(Warp { lanes, words: VecDeque::new(), covered: 15 });
        }
        story.commits(&setting);
        let mut m = store(On::Verilog, &GpuConfig::default());
        let mut run = Run::new(&mut m, &setting, &story);
        run.all(&setting, ALWAYS, 1).unwrap();
        let from = if shaded { run.ended_at[0] } else { run.kept_at[0] };
        assert_eq!(run.cycles[0] - from, cycles, "shaded {shaded}");
    }
}

/// Each fault is found by the random fragments.
#[test]
fn planted_faults_are_caught() {
    for fault in [
        Fault::ResultOrder,
        Fault::ResultStale,
        Fault::ResultSwap,
        Fault::ResultMask,
        Fault::ResultDepth,
        Fault::ResultHelper,
        Fault::ResultAlone,
        Fault::ResultForget,
        Fault::ResultFree,
        Fault::ResultEarly,
        Fault::ResultLate,
        Fault::ResultTarget,
        Fault::ResultWaits,
    ] {
        let config = GpuConfig { fault: Some(fault), ..GpuConfig::default() };
        assert!((0..24).any(|seed| random(On::Verilog, &config, seed, 200).is_err()), "{fault:?}");
    }
}
