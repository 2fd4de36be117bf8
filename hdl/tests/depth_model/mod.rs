//! Depth and stencil as docs/graphics.md says it, sample by sample in order of quads, and random
//! quads for it. Written from the page; nothing is shared with the RTL or the golden model.

use rand::seq::IndexedRandom;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

/// The words of a context that depth and stencil know.
#[derive(Clone, Copy, Debug, Default)]
pub struct Context {
    pub word6: u32,
    pub front: u32,
    pub back: u32,
    pub masks: u32,
}

impl Context {
    pub fn bit(&self, n: u32) -> bool {
        self.word6 >> n & 1 != 0
    }
    pub fn late(&self) -> bool {
        (self.bit(16) || self.bit(17) || self.bit(18) || self.bit(19)) && !self.bit(11)
    }
    pub fn tests(&self) -> bool {
        self.bit(8) || self.bit(10)
    }
    /// A random one; tests, functions and programs of all kinds.
    pub fn random(rng: &mut ChaCha8Rng) -> Self {
        let mut word6 = rng.random::<u32>() & 0x1FFF;
        if rng.random_bool(0.5) {
            word6 |= 0x100;
        }
        if rng.random_bool(0.7) {
            word6 &= !0x1000;
        }
        for (bit, p) in [(16, 0.2), (17, 0.15), (18, 0.15), (19, 0.2)] {
            word6 |= u32::from(rng.random_bool(p)) << bit;
        }
        let small = |rng: &mut ChaCha8Rng| *[0, 1, 0x7F, 0xFF, 0xFE, 0x0F].choose(rng).unwrap();
        let masks = if rng.random_bool(0.6) { 0xFFFF } else { rng.random::<u32>() & 0xFFFF };
        Self { word6, front: rng.random(), back: rng.random(), masks: masks | small(rng) << 16 }
    }
}

/// What is compared: `new` function `old`, by number.
fn passes(function: u32, new: u32, old: u32) -> bool {
    match function {
        0 => false,
        1 => new < old,
        2 => new == old,
        3 => new <= old,
        4 => new > old,
        5 => new != old,
        6 => new >= old,
        _ => true,
    }
}

fn operate(operation: u32, old: u32, reference: u32) -> u32 {
    match operation {
        0 => old,
        1 => 0,
        2 => reference,
        3 => !old & 0xFF,
        4 => (old + 1).min(255),
        5 => old.saturating_sub(1),
        6 => (old + 1) & 0xFF,
        _ => old.wrapping_sub(1) & 0xFF,
    }
}

/// Tests a covered sample and writes its word; whether it passes.
pub fn test(context: &Context, back: bool, depth: u32, word: &mut u32) -> bool {
    let (old_depth, old_stencil) = (*word & 0xFF_FFFF, *word >> 24);
    let stencil = if back { context.back } else { context.front };
    let (read, write, reference) = (context.masks & 0xFF, context.masks >> 8 & 0xFF, context.masks >> 16 & 0xFF);
    let stencil_passes = !context.bit(10) || passes(stencil & 7, reference & read, old_stencil & read);
    let depth_passes = !context.bit(8) || passes(context.word6 >> 5 & 7, depth, old_depth);
    let at = match (stencil_passes, depth_passes) {
        (false, _) => 4,
        (true, false) => 8,
        (true, true) => 12,
    };
    let mut new_stencil = old_stencil;
    if context.bit(10) {
        new_stencil = old_stencil & !write | operate(stencil >> at & 7, old_stencil, reference) & write;
    }
    let left = stencil_passes && depth_passes;
    let new_depth = if left && context.bit(8) && context.bit(9) { depth } else { old_depth };
    *word = new_stencil << 24 | new_depth;
    left
}

/// A beat of either stream; `sample`, `last`, `coverage` and `depth` as in `Quad`, the others of
/// `Commit` only.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Beat {
    pub end: bool,
    pub context: u64,
    pub handle: u64,
    pub order: u64,
    pub back: bool,
    pub buffer: u64,
    pub x: u64,
    pub y: u64,
    pub sample: u64,
    pub last: bool,
    pub coverage: u32,
    pub depth: [u64; 4],
    pub target: u64,
    pub first: bool,
    pub late: bool,
    pub low: [u64; 4],
    pub high: [u64; 4],
}

/// The pass.
#[derive(Clone, Copy, Debug)]
pub struct Pass {
    pub samples: u64,
    pub side: u32,
    pub targets: u64,
    pub depth: bool,
}

impl Pass {
    pub fn word1(&self) -> u32 {
        let samples = [0, 0, 1, 0, 2][self.samples as usize];
        samples | self.side << 4 | (self.targets as u32) << 8 | u32::from(self.depth) << 12
    }
    pub fn quads(&self) -> u64 {
        1 << (2 * (self.side - 1))
    }
    /// The word of a sample of a quad in the depth memory.
    pub fn address(&self, x: u64, y: u64, sample: u64) -> usize {
        let row = 1 << (self.side - 1);
        (sample * self.quads() + y % row * row + x % row) as usize
    }
    pub fn random(rng: &mut ChaCha8Rng) -> Self {
        let samples = *[1, 1, 2, 4].choose(rng).unwrap();
        let side = rng.random_range(3..=5);
        Self { samples, side, targets: rng.random_range(0..=4), depth: rng.random_bool(0.9) }
    }
}

/// Words of the depth memory: buffer, word, lane.
pub type Memory = Vec<[[u32; 4]; 1024]>;

/// What goes in and what must come out, by quads in order.
pub struct Story {
    pub pass: Pass,
    pub contexts: Vec<Context>,
    /// The first quad of the tile that each buffer has.
    tiles: [(u64, u64); 8],
    pub start: Memory,
    /// Beats of the rasteriser, and the same as they must leave.
    pub early: Vec<(Beat, Beat)>,
    /// Beats of the result store, with the number of early beats that must have left before.
    pub late: Vec<(usize, Beat, Beat)>,
    pub end: Memory,
}

impl Story {
    /// So many quads of random contexts at `places` places.
    pub fn random(rng: &mut ChaCha8Rng, pass: Pass, contexts: Vec<Context>, quads: usize, places: u64) -> Self {
        let start: Memory = (0..8).map(|_| std::array::from_fn(|_| std::array::from_fn(|_| depth_word(rng)))).collect();
        let end = start.clone();
        let row = 1 << (pass.side - 1);
        let mut tile = || (rng.random_range(0..2048 / row) * row, rng.random_range(0..2048 / row) * row);
        let tiles = std::array::from_fn(|_| tile());
        let mut story = Self { pass, contexts, tiles, start, early: vec![], late: vec![], end };
        for order in 0..quads {
            if rng.random_bool(0.15) {
                let beat = Beat { end: true, ..story.named(rng, order as u64, places) };
                story.early.push((beat.clone(), beat));
            }
            story.quad(rng, order as u64, places);
        }
        story
    }

    fn named(&self, rng: &mut ChaCha8Rng, order: u64, places: u64) -> Beat {
        let row = 1 << (self.pass.side - 1);
        let place = rng.random_range(0..places.min(row * row));
        let buffer = rng.random_range(0..8);
        Beat {
            context: rng.random_range(0..self.contexts.len() as u64),
            handle: rng.random_range(0..4096),
            order: order & 0xFFFF,
            back: rng.random(),
            buffer,
            x: self.tiles[buffer as usize].0 + place % row,
            y: self.tiles[buffer as usize].1 + place / row,
            ..Beat::default()
        }
    }

    fn quad(&mut self, rng: &mut ChaCha8Rng, order: u64, places: u64) {
        let named = self.named(rng, order, places);
        let context = self.contexts[named.context as usize];
        let tests = self.pass.depth && context.tests();
        let n = self.pass.samples;
        let mut left = vec![];
        for sample in 0..n {
            let coverage = if rng.random_bool(0.2) { 0 } else { rng.random_range(0..16) };
            let depth = std::array::from_fn(|_| u64::from(depth_word(rng) & 0xFF_FFFF));
            let beat = Beat { sample, coverage, depth, last: n == 1, ..named.clone() };
            let mut out = beat.clone();
            if tests && !context.late() {
                out.coverage = self.test(&context, &beat, coverage, depth);
            }
            left.push((out.coverage, depth));
            self.early.push((beat, out));
        }
        if n > 1 {
            let beat = Beat {
                sample: n,
                last: true,
                depth: std::array::from_fn(|_| rng.random_range(0..1 << 24)),
                ..named.clone()
            };
            self.early.push((beat.clone(), beat));
        }
        if left.iter().any(|l| l.0 != 0) {
            self.commit(rng, &named, &left);
        }
    }

    fn test(&mut self, context: &Context, named: &Beat, coverage: u32, depth: [u64; 4]) -> u32 {
        let address = self.pass.address(named.x, named.y, named.sample);
        let words = &mut self.end[named.buffer as usize][address];
        let pass = |lane: &usize| {
            coverage >> lane & 1 != 0 && test(context, named.back, depth[*lane] as u32, &mut words[*lane])
        };
        (0..4usize).filter(pass).map(|lane| 1 << lane).sum()
    }

    /// The beats of a ticket: all samples, whatever is left of them.
    fn commit(&mut self, rng: &mut ChaCha8Rng, named: &Beat, left: &[(u32, [u64; 4])]) {
        let context = self.contexts[named.context as usize];
        let late = context.late();
        let after = self.early.len();
        // What the program leaves; only one that tests late takes anything away.
        let kept = |rng: &mut ChaCha8Rng| if late && rng.random_bool(0.5) { rng.random_range(0..16) } else { 15 };
        let beats: Vec<(u64, u32)> = (0..).zip(left).map(|(s, l)| (s, l.0 & kept(rng))).collect();
        let own: [u64; 4] = std::array::from_fn(|_| u64::from(depth_word(rng) & 0xFF_FFFF));
        let (last_sample, targets) = (beats.len() - 1, self.pass.targets.max(1));
        for (k, (sample, coverage)) in beats.into_iter().enumerate() {
            let depth = if context.bit(17) { own } else { left[sample as usize].1 };
            let mut named = named.clone();
            named.sample = sample;
            let mut now = coverage;
            if late && self.pass.depth && context.tests() {
                now = self.test(&context, &named, coverage, depth);
            }
            for target in 0..targets {
                let words = |rng: &mut ChaCha8Rng| std::array::from_fn(|_| u64::from(rng.random::<u32>()));
                let beat = Beat {
                    target,
                    first: target == 0,
                    last: k == last_sample && target == targets - 1,
                    late,
                    coverage,
                    depth,
                    low: words(rng),
                    high: words(rng),
                    ..named.clone()
                };
                let out = Beat { coverage: now, ..beat.clone() };
                self.late.push((after, beat, out));
            }
        }
    }
}

/// Words of which many are equal or next to each other.
fn depth_word(rng: &mut ChaCha8Rng) -> u32 {
    let depth = match rng.random_range(0..4) {
        0 => rng.random::<u32>() & 0xFF_FFFF,
        1 => *[0, 1, 0xFF_FFFF, 0xFF_FFFE, 0x80_0000, 0x7F_FFFF].choose(rng).unwrap(),
        _ => 0x40_0000 + rng.random_range(0..4),
    };
    let stencil = *[0, 1, 2, 0x7F, 0x80, 0xFE, 0xFF, 0x0F].choose(rng).unwrap();
    depth | stencil << 24
}
