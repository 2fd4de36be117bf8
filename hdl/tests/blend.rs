//! Blending against exact arithmetic, pixel by pixel in order: random states, formats, samples,
//! sides of tiles and stalls; the rate; each planted fault.

#[path = "blend/exact.rs"]
pub mod exact;

use std::collections::VecDeque;

use exact::{Tables, HALF, R32, SRGB, UNORM};
use quadlock_hdl::base::testing::Bench;
use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::fault::Fault;
use quadlock_hdl::output::Blend;
use quadlock_testkit::tier;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rust_hdl::prelude::*;

/// A beat.
#[derive(Clone, Copy, Debug)]
struct Beat {
    context: u32,
    buffer: usize,
    x: u32,
    y: u32,
    sample: u32,
    target: u32,
    last: bool,
    coverage: u32,
    low: [u32; 4],
    high: [u32; 4],
}

/// Cycles that a beat may take, all waiting included, and after which everything is written.
const LONGEST: u64 = 60;

/// The pass: log2 of samples, log2 of the side, format of each target.
#[derive(Clone, Debug)]
struct Pass {
    samples: u32,
    side: u32,
    formats: Vec<u32>,
}

impl Pass {
    fn quads(&self) -> u32 {
        1 << (2 * (self.side - 1))
    }

    fn planes(&self) -> u32 {
        self.formats.iter().map(|&f| 1 + u32::from(f == HALF)).sum()
    }

    fn fits(&self) -> bool {
        (self.planes() * self.quads()) << self.samples <= 1024
    }

    /// Addresses of a sample's words for a target.
    fn words(&self, b: &Beat) -> Vec<usize> {
        let target = b.target as usize;
        let plane: u32 = self.formats[..target].iter().map(|&f| 1 + u32::from(f == HALF)).sum();
        let side = 1 << (self.side - 1);
        let quad = b.y % side * side + b.x % side;
        let count = 1 + u32::from(self.formats[target] == HALF);
        (plane..plane + count).map(|p| (((p << self.samples) + b.sample) * self.quads() + quad) as usize).collect()
    }
}

/// Components per cycle of 16 bits, and a planted fault.
#[derive(Clone, Copy, Debug)]
struct Machine {
    lanes: usize,
    fault: Option<Fault>,
}

type Buffers = Vec<Vec<[u32; 4]>>;

struct Harness {
    bench: Bench<Blend>,
    pass: Pass,
    state: Vec<[u32; 64]>,
    memory: Buffers,
    wanted: Buffers,
    read: [u32; 4],
    tables: Tables,
    /// Buffer, context of quads whose last beat was taken.
    done: VecDeque<(usize, u32)>,
    lost: bool,
    cycles: u64,
}

impl Harness {
    fn new(machine: Machine, pass: Pass, rng: &mut ChaCha8Rng) -> Self {
        assert!(pass.fits());
        let config = GpuConfig { fault: machine.fault, blend_lanes: machine.lanes, ..GpuConfig::default() };
        let memory: Buffers =
            (0..8).map(|_| (0..1024).map(|_| std::array::from_fn(|_| colour(rng))).collect()).collect();
        let mut h = Self {
            bench: Bench::new(Blend::new(&config), |b| &mut b.clock),
            state: vec![[0; 64]; 8],
            wanted: memory.clone(),
            memory,
            read: [0; 4],
            tables: Tables::new(),
            done: VecDeque::new(),
            lost: false,
            cycles: 0,
            pass,
        };
        let words = h.pass.clone();
        h.write(true, 0, 1, words.samples | words.side << 4 | (words.formats.len() as u32) << 8);
        for (t, &format) in words.formats.iter().enumerate() {
            h.write(true, 0, 5 + 4 * t as u32, format | rng.random_range(0..16) << 4);
        }
        h
    }

    fn write(&mut self, pass: bool, context: u32, word: u32, data: u32) {
        let state = &mut self.bench.state;
        state.valid.next = !pass;
        state.pass.next = pass;
        state.context.next = bits(context.into());
        state.word.next = bits(word.into());
        state.data.next = bits(data.into());
        if !pass {
            self.state[context as usize][word as usize] = data;
        }
        self.cycle(None);
        self.bench.state.valid.next = false;
        self.bench.state.pass.next = false;
    }

    /// A cycle with this beat at the port; true if it is taken.
    fn cycle(&mut self, beat: Option<&Beat>) -> bool {
        let b = &mut self.bench;
        b.in_valid.next = beat.is_some();
        if let Some(beat) = beat {
            b.commit.context.next = bits(beat.context.into());
            b.commit.buffer.next = bits(beat.buffer as u64);
            b.commit.x.next = bits(beat.x.into());
            b.commit.y.next = bits(beat.y.into());
            b.commit.sample.next = bits(beat.sample.into());
            b.commit.target.next = bits(beat.target.into());
            b.commit.last.next = beat.last;
            b.commit.coverage.next = bits(beat.coverage.into());
            for i in 0..4 {
                b.commit.low[i].next = bits(beat.low[i].into());
                b.commit.high[i].next = bits(beat.high[i].into());
            }
        }
        for i in 0..4 {
            b.read_line.data[i].next = bits(self.read[i].into());
        }
        b.settle();
        let taken = beat.is_some() && b.in_ready.val();
        // A lane that is read and written at one place keeps what it read before.
        let from = (b.read.buffer.val().index(), b.read.address.val().index());
        let to = (b.write.buffer.val().index(), b.write.address.val().index());
        for i in 0..4 {
            let writes = b.write.mask.val().get_bit(i);
            if !writes || from != to {
                self.read[i] = self.memory[from.0][from.1][i];
            }
            if writes {
                self.memory[to.0][to.1][i] = b.write.data[i].val().to_u32();
            }
        }
        if b.done.val() {
            let seen = (b.done_buffer.val().index(), b.done_context.val().to_u32());
            self.lost |= self.done.pop_front() != Some(seen);
        }
        b.cycle();
        self.cycles += 1;
        if let (true, Some(beat)) = (taken, beat) {
            self.expect(beat);
        }
        taken
    }

    fn expect(&mut self, beat: &Beat) {
        if beat.last {
            self.done.push_back((beat.buffer, beat.context));
        }
        let Some(&format) = self.pass.formats.get(beat.target as usize) else { return };
        let words = self.pass.words(beat);
        let state = &self.state[beat.context as usize];
        let constant = if format == HALF { [state[26], state[27]] } else { [state[24], state[25]] };
        for lane in (0..4).filter(|lane| beat.coverage >> lane & 1 == 1) {
            let old: Vec<u32> = words.iter().map(|&w| self.wanted[beat.buffer][w][lane]).collect();
            let d = [old[0], *old.get(1).unwrap_or(&0)];
            let s = [beat.low[lane], beat.high[lane]];
            let new = exact::pixel(&self.tables, format, state[28 + beat.target as usize], s, d, constant);
            for (&word, new) in words.iter().zip(new) {
                self.wanted[beat.buffer][word][lane] = new;
            }
        }
    }

    /// All of the beats, with idle cycles between them at random; then until nothing moves.
    fn run(&mut self, beats: &[Beat], idle: f64, rng: &mut ChaCha8Rng) -> u64 {
        let start = self.cycles;
        for beat in beats {
            while rng.random_bool(idle) {
                self.cycle(None);
            }
            while !self.cycle(Some(beat)) {
                assert!(self.cycles - start < 100 + LONGEST * beats.len() as u64, "it hangs");
            }
        }
        let cycles = self.cycles - start;
        let end = self.cycles + 20 * LONGEST;
        while !self.done.is_empty() && self.cycles < end {
            self.cycle(None);
        }
        (0..LONGEST).for_each(|_| {
            self.cycle(None);
        });
        cycles
    }

    fn verdict(&self) -> Result<(), String> {
        if self.lost || !self.done.is_empty() {
            return Err(format!("quads are told as committed in another order; left {:?}", self.done));
        }
        for (buffer, (seen, wanted)) in self.memory.iter().zip(&self.wanted).enumerate() {
            if let Some(word) = (0..1024).find(|&w| seen[w] != wanted[w]) {
                let (seen, wanted) = (seen[word], wanted[word]);
                return Err(format!(
                    "buffer {buffer}, word {word}: {seen:08x?}, wanted {wanted:08x?}; {:?}",
                    self.pass
                ));
            }
        }
        Ok(())
    }
}

/// A word whose bytes and halves are often at an end of their range.
fn colour(rng: &mut ChaCha8Rng) -> u32 {
    const HALVES: [u32; 16] = [
        0, 0x8000, 0x3C00, 0xBC00, 0x7C00, 0xFC00, 0x7E00, 0x0001, 0x8001, 0x03FF, 0x0400, 0x7BFF, 0xFBFF, 0x3BFF,
        0x3C01, 0x8200,
    ];
    match rng.random_range(0..4) {
        0 => (0..4).fold(0, |w, _| w << 8 | [0, 0xFF, 0x80, 1][rng.random_range(0..4)]),
        1 => HALVES[rng.random_range(0..16)] << 16 | HALVES[rng.random_range(0..16)],
        2 => {
            // Floats near 1.
            let half = |rng: &mut ChaCha8Rng| rng.random_range(0x3000..0x4800) | rng.random_range(0..2) << 15;
            half(rng) << 16 | half(rng)
        }
        _ => rng.random(),
    }
}

fn equation(rng: &mut ChaCha8Rng, blends: bool) -> u32 {
    let mask = if rng.random_bool(0.7) { 15 } else { rng.random_range(0..16) };
    let half = |rng: &mut ChaCha8Rng| {
        let operation = if rng.random_bool(0.6) { 0 } else { rng.random_range(1..5u32) };
        (rng.random_range(0..13u32), rng.random_range(0..13u32), operation)
    };
    let (a, b) = (half(rng), half(rng));
    mask | u32::from(blends) << 4 | a.0 << 5 | a.1 << 9 | a.2 << 13 | b.0 << 16 | b.1 << 20 | b.2 << 24
}

/// Beats of so many quads; `narrow` draws few places, so that quads meet.
fn quads(pass: &Pass, count: usize, narrow: bool, rng: &mut ChaCha8Rng) -> Vec<Beat> {
    let mut beats = Vec::new();
    for _ in 0..count {
        let (x, y) = match narrow {
            true => (rng.random_range(0..2) + 8, rng.random_range(0..2)),
            false => (rng.random_range(0..2048), rng.random_range(0..2048)),
        };
        let (context, buffer) = (rng.random_range(0..8), rng.random_range(0..8));
        let targets = pass.formats.len().max(1) as u32;
        for sample in 0..1 << pass.samples {
            let coverage = if rng.random_bool(0.6) { 15 } else { rng.random_range(0..16) };
            for target in 0..targets {
                beats.push(Beat {
                    context,
                    buffer,
                    x,
                    y,
                    sample,
                    target,
                    last: sample + 1 == 1 << pass.samples && target + 1 == targets,
                    coverage,
                    low: std::array::from_fn(|_| colour(rng)),
                    high: std::array::from_fn(|_| colour(rng)),
                });
            }
        }
    }
    beats
}

/// Random states for all contexts.
fn states(h: &mut Harness, blending: f64, rng: &mut ChaCha8Rng) {
    for context in 0..8 {
        for word in 24..28 {
            h.write(false, context, word, colour(rng));
        }
        for target in 0..4 {
            let blends = h.pass.formats.get(target).is_some_and(|&f| f != R32) && rng.random_bool(blending);
            h.write(false, context, 28 + target as u32, equation(rng, blends));
        }
    }
}

fn random(machine: Machine, seed: u64, pass: Pass, count: usize) -> Result<(), String> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut h = Harness::new(machine, pass, &mut rng);
    for round in 0..4 {
        states(&mut h, [1.0, 0.5, 0.9, 0.0][round], &mut rng);
        let beats = quads(&h.pass, count, round % 2 == 0, &mut rng);
        h.run(&beats, [0.0, 0.3, 0.1, 0.0][round], &mut rng);
        h.verdict()?;
    }
    Ok(())
}

fn pass(samples: u32, side: u32, formats: &[u32]) -> Pass {
    Pass { samples, side, formats: formats.to_vec() }
}

/// Passes of every number of samples, every side and up to four targets.
fn passes() -> Vec<Pass> {
    vec![
        pass(0, 5, &[UNORM]),
        pass(0, 4, &[UNORM, UNORM]),
        pass(0, 4, &[R32, UNORM, UNORM, R32]),
        pass(1, 4, &[UNORM, R32, UNORM]),
        pass(2, 3, &[UNORM, UNORM, UNORM, UNORM]),
        pass(2, 5, &[UNORM]),
        pass(0, 4, &[HALF, UNORM, HALF]),
        pass(1, 3, &[]),
        pass(0, 5, &[SRGB]),
        pass(2, 3, &[HALF, SRGB]),
        pass(1, 3, &[SRGB, UNORM, HALF, R32]),
    ]
}

#[test]
fn every_pixel_is_the_exact_one() {
    for (seed, pass) in (0..).zip(passes()) {
        for lanes in [4, 1] {
            let count = if lanes == 4 { tier::cases(50, 200) } else { tier::cases(15, 60) };
            random(Machine { lanes, fault: None }, seed, pass.clone(), count).unwrap();
        }
    }
}

/// Cycles for so many single-sample quads of that format, all blended or none, at places of their
/// own or at one.
fn cycles(lanes: usize, format: u32, blends: bool, apart: bool, count: u32) -> u64 {
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    let side = if format == HALF { 4 } else { 5 };
    let mut h = Harness::new(Machine { lanes, fault: None }, pass(0, side, &[format]), &mut rng);
    let equation = 15 | u32::from(blends) << 4 | 4 << 5 | 5 << 9 | 1 << 16 | 5 << 20;
    h.write(false, 0, 28, equation);
    let mut beats = quads(&h.pass, count as usize, false, &mut rng);
    let width = 1 << (side - 1);
    for (n, beat) in (0..).zip(&mut beats) {
        let place = if apart { n } else { 0 };
        (beat.x, beat.y, beat.buffer, beat.context) = (place % width, place / width % width, 0, 0);
        beat.coverage = 15;
    }
    let cycles = h.run(&beats, 0.0, &mut rng);
    h.verdict().unwrap();
    cycles
}

/// Bytes: one beat per cycle; six cycles for each where every beat blends with the one before. The
/// queue of 16 takes the last beats early.
#[test]
fn a_beat_per_cycle_is_sustained() {
    for (blends, apart) in [(true, true), (false, true), (false, false)] {
        let cycles = cycles(4, UNORM, blends, apart, 1000);
        assert!(cycles <= 1001, "{cycles} cycles for 1000 beats, blended {blends}, apart {apart}");
    }
    let cycles = cycles(4, UNORM, true, false, 1000);
    assert!((5800..=6000).contains(&cycles), "{cycles} cycles for 1000 beats at one place");
}

/// 16 bits: a pixel per cycle, or a component. What does not blend goes with the bytes. At one
/// place a beat waits for the one before.
#[test]
fn a_pixel_per_cycle_is_sustained() {
    for (lanes, quad, chain) in tier::first(1, [(4, 4, 21), (1, 16, 33)]) {
        for (format, blends, apart, wanted) in [
            (SRGB, true, true, quad),
            (SRGB, false, true, quad),
            (HALF, true, true, quad),
            (HALF, false, true, 2),
            (SRGB, true, false, chain),
            (HALF, true, false, chain),
            (HALF, false, false, 2),
        ] {
            let cycles = cycles(lanes, format, blends, apart, 500);
            let most = wanted * 500;
            assert!(
                (most - 17 * wanted..=most + 1).contains(&cycles),
                "{cycles} cycles for 500 beats of format {format}, {lanes} lanes, blended {blends}, apart {apart}"
            );
        }
    }
}

#[test]
fn planted_faults_are_caught() {
    let faults = [
        Fault::BlendAlphaOperation,
        Fault::BlendRound,
        Fault::BlendHazard,
        Fault::BlendCoverage,
        Fault::BlendMask,
        Fault::BlendSample,
        Fault::BlendPlane,
        Fault::BlendDone,
        Fault::BlendConstant,
        Fault::BlendCode,
        Fault::BlendHalf,
        Fault::BlendInvert,
        Fault::BlendSecond,
        Fault::BlendWait,
        Fault::BlendClash,
        Fault::BlendSaturate,
        Fault::BlendInfinite,
        Fault::BlendZero,
    ];
    for (n, fault) in tier::first(3, faults.into_iter().enumerate()) {
        // By day every second fault in the machine of one lane.
        for &lanes in tier::cases::<&[usize]>(&[[4], [1]][n % 2], &[4, 1]) {
            let machine = Machine { lanes, fault: Some(fault) };
            let caught = |(seed, pass): (u64, Pass)| random(machine, seed, pass, 60).is_err();
            assert!((0..).zip(passes()).any(caught), "{fault:?} is not caught with {lanes} lanes");
        }
    }
}
