//! Tile buffers against an image in memory that knows no tiles: passes of random sizes, formats,
//! samples and load operations, tiles opened in any order and again, writes and reads at the ports
//! of the back end, a memory of random timing. After a pass all memory is compared, and what is
//! resolved with the mean of what was drawn.

use std::collections::VecDeque;

use crate::memory_model::{Memory, Timing};
use crate::resolve_model::mean;
use quadlock_hdl::base::testing::Bench;
use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::fault::Fault;
use quadlock_hdl::output::TileBuffers;
use quadlock_testkit::tier;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rust_hdl::prelude::*;

const UNORM: u32 = 0;
const SRGB: u32 = 1;
const HALF: u32 = 2;
const R32: u32 = 3;

/// What the pass record says of a target, or of depth (format 0, `resolve`: stencil is loaded).
#[derive(Clone, Copy, Debug, Default)]
struct Target {
    format: u32,
    load: bool,
    store: bool,
    resolve: bool,
    base: u32,
    resolved: u32,
    clear: [u32; 2],
}

impl Target {
    fn words(&self) -> u32 {
        1 + u32::from(self.format == HALF)
    }

    fn flags(&self) -> u32 {
        self.format | u32::from(self.load) << 4 | u32::from(self.store) << 5 | u32::from(self.resolve) << 6
    }
}

#[derive(Clone, Debug, Default)]
struct Pass {
    width: u32,
    height: u32,
    /// log2.
    samples: u32,
    /// log2.
    side: u32,
    row: u32,
    plane: u32,
    targets: Vec<Target>,
    /// Log2 of the slots of a bank, and whether tiles stay there.
    slots: u32,
    keeps: bool,
    depth: Option<Target>,
}

impl Pass {
    fn quads(&self) -> (u32, u32) {
        (self.width.div_ceil(2), self.height.div_ceil(2))
    }

    fn tiles(&self) -> (u32, u32) {
        (self.width.div_ceil(1 << self.side), self.height.div_ceil(1 << self.side))
    }

    /// Byte address of the line of a quad in plane `p`.
    fn line(&self, base: u32, p: u32, x: u32, y: u32) -> u32 {
        base + 16 * (p * self.plane + y * self.row + x)
    }

    /// All planes of the buffer's colour memory: target, plane of the target.
    fn planes(&self) -> Vec<(usize, u32)> {
        let of = |(t, target): (usize, &Target)| (0..target.words() << self.samples).map(move |p| (t, p));
        self.targets.iter().enumerate().flat_map(of).collect()
    }
}

/// A pass that fits a tile buffer, with its targets in memory one behind the other.
fn random_pass(rng: &mut ChaCha8Rng) -> Pass {
    loop {
        let samples = rng.random_range(0..3);
        let mut pass = Pass {
            width: rng.random_range(1..if samples > 0 { 40 } else { 70 }),
            height: rng.random_range(1..if samples > 0 { 24 } else { 50 }),
            samples,
            side: rng.random_range(3..6),
            ..Pass::default()
        };
        pass.row = pass.quads().0 + rng.random_range(0..3);
        pass.plane = pass.row * pass.quads().1 + rng.random_range(0..5);
        let mut at = 0x100;
        let mut place = |planes: u32, rng: &mut ChaCha8Rng| {
            let base = at;
            at += 16 * (planes * pass.plane + rng.random_range(0..4));
            base
        };
        for _ in 0..rng.random_range(0..5) {
            let format = [UNORM, SRGB, HALF, R32][rng.random_range(0..4)];
            let words = 1 + u32::from(format == HALF);
            pass.targets.push(Target {
                format,
                load: rng.random_bool(0.4),
                store: rng.random_bool(0.8),
                resolve: samples > 0 && rng.random_bool(0.6),
                base: place(words << samples, rng),
                resolved: place(words, rng),
                clear: [rng.random(), rng.random()],
            });
        }
        pass.depth = rng.random_bool(0.7).then(|| Target {
            format: UNORM,
            load: rng.random_bool(0.5),
            store: rng.random_bool(0.8),
            resolve: rng.random_bool(0.5),
            base: place(1 << samples, rng),
            resolved: 0,
            clear: [rng.random(), 0],
        });
        let words = pass.planes().len().max(1 << samples) << (2 * (pass.side - 1));
        if words <= 1024 && at < 0x40000 {
            pass.keeps = rng.random_bool(0.6);
            pass.slots = if pass.keeps { rng.random_range(0..=(1024 / words).ilog2().min(2)) } else { 0 };
            return pass;
        }
    }
}

/// A tile in a buffer.
#[derive(Clone, Copy, Debug)]
struct Open {
    buffer: usize,
    x: u32,
    y: u32,
    /// Quads still to enter; then it is closed.
    left: u32,
    /// Quads that have not left.
    inside: u32,
    closed: bool,
}

#[derive(Default)]
struct Counts {
    written: u64,
    reloaded: u64,
    lines: [u64; 8],
}

struct Harness {
    bench: Bench<TileBuffers>,
    memory: Memory,
    wanted: Memory,
    pass: Pass,
    opens: Vec<Open>,
    asked: VecDeque<(u32, u32)>,
    counts: Counts,
    opened: Option<usize>,
    done: bool,
    cycles: u64,
    error: Option<String>,
}

const BYTES: usize = 0x40000;

impl Harness {
    fn new(fault: Option<Fault>, timing: Timing, rng: &mut ChaCha8Rng) -> Self {
        let config = GpuConfig { fault, ..GpuConfig::default() };
        let mut memory = Memory::new(BYTES, timing);
        rng.fill(&mut memory.bytes[..]);
        let mut wanted = Memory::new(BYTES, Timing::FAST);
        wanted.bytes.clone_from(&memory.bytes);
        Self {
            bench: Bench::new(TileBuffers::new(&config), |b| &mut b.clock),
            memory,
            wanted,
            pass: Pass::default(),
            opens: Vec::new(),
            asked: VecDeque::new(),
            counts: Counts::default(),
            opened: None,
            done: false,
            cycles: 0,
            error: None,
        }
    }

    fn word(&mut self, word: u32, data: u32) {
        self.bench.state.pass.next = true;
        self.bench.state.word.next = bits(word.into());
        self.bench.state.data.next = bits(data.into());
        self.cycle();
        self.bench.state.pass.next = false;
    }

    /// The pass record, and what its clears mean for memory.
    fn begin(&mut self, pass: Pass) {
        self.pass = pass.clone();
        self.word(0, pass.width | pass.height << 16);
        let depth = u32::from(pass.depth.is_some()) << 12;
        let kept = pass.slots << 16 | u32::from(pass.keeps) << 18;
        self.word(1, pass.samples | pass.side << 4 | (pass.targets.len() as u32) << 8 | depth | kept);
        self.word(2, pass.row);
        self.word(3, pass.plane);
        for (t, target) in (0..).zip(&pass.targets) {
            self.word(4 + 4 * t, target.base);
            self.word(5 + 4 * t, target.flags());
            self.word(6 + 4 * t, target.resolved);
            self.word(24 + 2 * t, target.clear[0]);
            self.word(25 + 2 * t, target.clear[1]);
        }
        let (quads_x, quads_y) = pass.quads();
        let places = || (0..quads_y).flat_map(|y| (0..quads_x).map(move |x| (x, y)));
        for (t, p) in pass.planes() {
            let target = pass.targets[t];
            for (x, y) in places().filter(|_| !target.load) {
                self.set(pass.line(target.base, p, x, y), 0xF, [target.clear[(p >> pass.samples) as usize]; 4]);
            }
        }
        if let Some(depth) = pass.depth {
            self.word(20, depth.base);
            self.word(21, depth.flags());
            self.word(22, depth.clear[0]);
            let keep = if depth.load { 0x00FF_FFFF } else { 0 } | if depth.resolve { 0xFF00_0000 } else { 0 };
            for p in 0..1 << pass.samples {
                for (x, y) in places() {
                    let at = pass.line(depth.base, p, x, y);
                    let line = self.wanted.line(at).map(|w| w & keep | depth.clear[0] & !keep);
                    self.set(at, 0xF, line);
                }
            }
        }
        self.bench.pass_ports.begin_pass.next = true;
        self.cycle();
        self.bench.pass_ports.begin_pass.next = false;
    }

    fn set(&mut self, line: u32, mask: u32, data: [u32; 4]) {
        for lane in (0..4).filter(|lane| mask >> lane & 1 == 1) {
            self.wanted.set_word(line + 4 * lane, data[lane as usize]);
        }
    }

    fn cycle(&mut self) {
        let response = self.memory.response();
        let b = &mut self.bench;
        b.m_req.ready.next = self.memory.ready;
        b.m_rsp.valid.next = response.is_some();
        for (i, word) in response.unwrap_or_default().into_iter().enumerate() {
            b.m_rsp.data[i].next = bits(word.into());
        }
        b.settle();
        let request = b.m_req.valid.val().then(|| {
            let r = &b.m_req;
            let data = [&r.data[0], &r.data[1], &r.data[2], &r.data[3]].map(|w| w.val().to_u32());
            (r.addr.val().to_u32(), r.write.val(), r.mask.val().to_u16(), data)
        });
        let taken = b.m_rsp.ready.val();
        self.opened = b.opened.val().then(|| b.opened_buffer.val().index());
        self.done |= b.done.val();
        self.counts.written += u64::from(b.tile_written.val());
        self.counts.reloaded += u64::from(b.tile_reloaded.val());
        if b.line_moved.val() {
            self.counts.lines[b.line_kind.val().index()] += 1;
        }
        b.cycle();
        self.memory.edge(request, taken);
        self.cycles += 1;
    }

    /// A word of a tile, its line in memory: (depth, address in the buffer, line).
    fn place(&self, open: &Open, rng: &mut ChaCha8Rng) -> Option<(bool, u32, u32)> {
        let pass = &self.pass;
        let half = 1 << (pass.side - 1);
        let (quads_x, quads_y) = pass.quads();
        let x = rng.random_range(0..half.min(quads_x - open.x * half));
        let y = rng.random_range(0..half.min(quads_y - open.y * half));
        let (image_x, image_y) = (open.x * half + x, open.y * half + y);
        let planes = pass.planes();
        let depth = pass.depth.filter(|_| planes.is_empty() || rng.random_bool(0.3));
        let (n, base, p) = match depth {
            Some(depth) => {
                let sample = rng.random_range(0..1 << pass.samples);
                (sample, depth.base, sample)
            }
            None => {
                let n = rng.random_range(0..planes.len().max(1));
                let &(t, p) = planes.get(n)?;
                (n as u32, pass.targets[t].base, p)
            }
        };
        Some((depth.is_some(), n * half * half + y * half + x, pass.line(base, p, image_x, image_y)))
    }

    /// A cycle of the back end: a random write and a random read at each port, quads that come and
    /// go, tiles that close.
    fn draw(&mut self, rng: &mut ChaCha8Rng) {
        self.bench.enter.next = false;
        self.bench.leave.next = false;
        self.bench.close.next = false;
        self.bench.colour_write.mask.next = bits(0);
        self.bench.depth_write.mask.next = bits(0);
        let mut read = None;
        if !self.opens.is_empty() {
            let at = rng.random_range(0..self.opens.len());
            let mut open = self.opens[at];
            if open.inside > 0 {
                if let Some((depth, address, line)) = self.place(&open, rng) {
                    let mask = rng.random_range(0..16);
                    let data: [u32; 4] = rng.random();
                    let b = &mut *self.bench;
                    let port = if depth { &mut b.depth_write } else { &mut b.colour_write };
                    port.buffer.next = bits(open.buffer as u64);
                    port.address.next = bits(address.into());
                    port.mask.next = bits(mask.into());
                    for (i, word) in data.into_iter().enumerate() {
                        port.data[i].next = bits(word.into());
                    }
                    self.set(line, mask, data);
                }
                if rng.random_bool(0.4) {
                    open.inside -= 1;
                    self.bench.leave.next = true;
                    self.bench.leave_buffer.next = bits(open.buffer as u64);
                }
            }
            if open.left > 0 {
                open.left -= 1;
                open.inside += 1;
                self.bench.enter.next = true;
                self.bench.enter_buffer.next = bits(open.buffer as u64);
            } else if !open.closed {
                open.closed = true;
                self.bench.close.next = true;
                self.bench.close_buffer.next = bits(open.buffer as u64);
            }
            self.opens[at] = open;
            // What is read is what stood there before this cycle.
            let other = self.opens[rng.random_range(0..self.opens.len())];
            if other.inside > 0 {
                read = self.place(&other, rng).map(|(depth, address, line)| (depth, other.buffer, address, line));
            }
        }
        if let Some((depth, buffer, address, _)) = read {
            let b = &mut *self.bench;
            let port = if depth { &mut b.depth_read } else { &mut b.colour_read };
            port.buffer.next = bits(buffer as u64);
            port.address.next = bits(address.into());
        }
        let writes = self.bench.colour_write.mask.next != bits(0) || self.bench.depth_write.mask.next != bits(0);
        self.cycle();
        if let (Some((depth, _, _, line)), false) = (read, writes) {
            let b = &self.bench;
            let port = if depth { &b.depth_line } else { &b.colour_line };
            let seen = [&port.data[0], &port.data[1], &port.data[2], &port.data[3]].map(|w| w.val().to_u32());
            if seen != self.wanted.line(line) && self.error.is_none() {
                self.error =
                    Some(format!("read {seen:08x?} for line {line:x}, {:08x?} is there", self.wanted.line(line)));
            }
        }
        self.opens.retain(|o| !o.closed || o.inside > 0);
        if let Some(buffer) = self.opened {
            let Some((x, y)) = self.asked.pop_front() else {
                self.error = Some("a tile is opened that nobody asked for".into());
                return;
            };
            self.opens.push(Open { buffer, x, y, left: rng.random_range(0..12), inside: 0, closed: false });
        }
    }

    /// A pass with these tiles.
    fn run(&mut self, pass: Pass, visits: &[(u32, u32)], rng: &mut ChaCha8Rng) -> Result<(), String> {
        self.begin(pass);
        let mut visits: VecDeque<(u32, u32)> = visits.iter().copied().collect();
        let start = self.cycles;
        while !visits.is_empty() || !self.asked.is_empty() || !self.opens.is_empty() {
            // A tile that is open and not closed is not asked for.
            let drawn =
                |v: &(u32, u32)| self.asked.contains(v) || self.opens.iter().any(|o| (o.x, o.y) == *v && !o.closed);
            let next = visits.front().copied().filter(|v| !drawn(v) && rng.random_bool(0.5));
            self.bench.open_valid.next = next.is_some();
            if let Some((x, y)) = next {
                self.bench.open_x.next = bits(x.into());
                self.bench.open_y.next = bits(y.into());
                if self.bench.open_ready.val() {
                    visits.pop_front();
                    self.asked.push_back((x, y));
                }
            }
            self.draw(rng);
            if self.cycles - start > 400_000 {
                return Err(format!("it hangs: {:?} are left, {:?} asked for, {:?}", visits, self.asked, self.opens));
            }
            if let Some(error) = self.error.take() {
                return Err(error);
            }
        }
        self.bench.open_valid.next = false;
        self.end()?;
        self.compare()
    }

    fn end(&mut self) -> Result<(), String> {
        self.bench.enter.next = false;
        self.bench.leave.next = false;
        self.bench.close.next = false;
        self.bench.colour_write.mask.next = bits(0);
        self.bench.depth_write.mask.next = bits(0);
        self.bench.pass_ports.end_pass.next = true;
        self.cycle();
        self.bench.pass_ports.end_pass.next = false;
        let start = self.cycles;
        self.done = false;
        while !self.done {
            self.cycle();
            if self.cycles - start > 200_000 {
                return Err("the pass does not end".into());
            }
        }
        Ok(())
    }

    /// What is resolved, from what was drawn. Lines outside of the target may be anything.
    fn resolve(&mut self) {
        let pass = self.pass.clone();
        for target in pass.targets.iter().filter(|t| t.resolve && pass.samples > 0) {
            for w in 0..target.words() {
                for n in 0..pass.plane {
                    let at = |base: u32, p: u32| base + 16 * (p * pass.plane + n);
                    let (x, y) = (n % pass.row, n / pass.row);
                    let to = at(target.resolved, w);
                    if x >= pass.quads().0 || y >= pass.quads().1 {
                        self.set(to, 0xF, self.memory.line(to));
                        continue;
                    }
                    let from = |s| self.wanted.line(at(target.base, (w << pass.samples) + s));
                    let lines: Vec<[u32; 4]> = (0..1 << pass.samples).map(from).collect();
                    let lane = |k: usize| mean(target.format, &lines.iter().map(|l| l[k]).collect::<Vec<_>>());
                    self.set(to, 0xF, [lane(0), lane(1), lane(2), lane(3)]);
                }
            }
        }
    }

    /// All memory; what was not stored may be anything, and is taken over.
    fn compare(&mut self) -> Result<(), String> {
        self.resolve();
        let pass = self.pass.clone();
        let depth = pass.depth.iter().map(|d| (*d, 1 << pass.samples));
        let colours = pass.targets.iter().map(|t| (*t, t.words() << pass.samples));
        for (target, planes) in colours.chain(depth).filter(|(t, _)| !t.store) {
            for p in 0..planes {
                for y in 0..pass.quads().1 {
                    for x in 0..pass.quads().0 {
                        let at = pass.line(target.base, p, x, y);
                        self.set(at, 0xF, self.memory.line(at));
                    }
                }
            }
        }
        match (0..BYTES as u32 / 16).map(|n| 16 * n).find(|&at| self.memory.line(at) != self.wanted.line(at)) {
            None => Ok(()),
            Some(at) => Err(format!(
                "line {at:x}: {:08x?}, wanted {:08x?}; {pass:x?}",
                self.memory.line(at),
                self.wanted.line(at)
            )),
        }
    }
}

/// Tiles in random order, some of them again and again.
fn visits(pass: &Pass, count: usize, rng: &mut ChaCha8Rng) -> Vec<(u32, u32)> {
    let (x, y) = pass.tiles();
    let few = rng.random_bool(0.5);
    let one = |rng: &mut ChaCha8Rng| match few {
        true => (rng.random_range(0..x.min(2)), rng.random_range(0..y.min(2))),
        false => (rng.random_range(0..x), rng.random_range(0..y)),
    };
    (0..count).map(|_| one(rng)).collect()
}

fn random(fault: Option<Fault>, seed: u64, passes: usize) -> Result<Counts, String> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let timing = if seed.is_multiple_of(3) { Timing::FAST } else { Timing::rough(seed) };
    let mut h = Harness::new(fault, timing, &mut rng);
    for n in 0..passes {
        let pass = random_pass(&mut rng);
        let count = rng.random_range(0..12);
        let visits = visits(&pass, count, &mut rng);
        h.run(pass, &visits, &mut rng).map_err(|e| format!("seed {seed}, pass {n}: {e}"))?;
    }
    Ok(h.counts)
}

#[test]
fn memory_is_that_of_an_image_without_tiles() {
    let mut reloaded = 0;
    for seed in 0..tier::cases(2, 6) {
        let counts = random(None, seed, 8).unwrap();
        reloaded += counts.reloaded;
        assert!(counts.written > 5, "seed {seed}: {} tiles were written", counts.written);
    }
    assert!(reloaded > tier::cases(10, 40), "{reloaded} tiles were loaded again");
}

/// The same bit says that samples of a target become one, and that stencil is loaded: behind four
/// targets depth and stencil are the next section, and are not resolved.
#[test]
fn loaded_stencil_behind_four_targets_is_not_resolved() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for samples in 0..3 {
        let mut pass = Pass { width: 15, height: 9, samples, side: 3, row: 9, plane: 46, ..Pass::default() };
        let mut at = 0x100;
        for n in 0..5 {
            let resolved = at + 16 * (pass.plane << samples);
            let resolve = n == 4 || samples > 0;
            let one = Target { store: true, resolve, base: at, resolved, clear: [n, 0], ..Target::default() };
            at = resolved + 16 * pass.plane;
            if n < 4 {
                pass.targets.push(one);
            } else {
                pass.depth = Some(one);
            }
        }
        let mut h = Harness::new(None, Timing::FAST, &mut rng);
        let visits = visits(&pass, 3, &mut rng);
        h.run(pass, &visits, &mut rng).unwrap();
    }
}

/// A pass of one target of one sample, with depth, whose tiles have 256 quads.
fn large(rng: &mut ChaCha8Rng) -> Pass {
    loop {
        let pass = random_pass(rng);
        let one = pass.targets.len() == 1 && pass.targets[0].format != HALF && pass.depth.is_some();
        if one && !pass.keeps && pass.samples == 0 && pass.side == 5 && pass.width >= 32 && pass.height >= 32 {
            return pass;
        }
    }
}

/// Cycles from a request until the tile is open, and from its close until it is written.
fn times(load: bool) -> (u64, u64) {
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let mut h = Harness::new(None, Timing::FAST, &mut rng);
    let mut pass = large(&mut rng);
    pass.targets[0].load = load;
    pass.depth.iter_mut().for_each(|d| (d.load, d.resolve) = (load, load));
    h.begin(pass);
    while h.cycles < 300 {
        h.cycle();
    }
    h.bench.open_valid.next = true;
    let start = h.cycles;
    h.cycle();
    h.bench.open_valid.next = false;
    while h.opened.is_none() {
        h.cycle();
    }
    let opened = h.cycles - start;
    h.bench.close_buffer.next = bits(h.opened.unwrap() as u64);
    h.bench.close.next = true;
    let start = h.cycles;
    h.cycle();
    h.bench.close.next = false;
    while h.counts.written == 0 {
        h.cycle();
    }
    let written = h.cycles - start;
    let kind = if load { h.counts.lines[0] + h.counts.lines[2] } else { 0 };
    assert_eq!(kind, if load { 512 } else { 0 });
    assert_eq!(h.counts.lines[1] + h.counts.lines[3], 512);
    (opened, written)
}

/// 512 lines of colours and depth go in at most 550 cycles, whichever way.
#[test]
fn a_line_per_cycle_while_memory_takes_them() {
    for load in [false, true] {
        let (opened, written) = times(load);
        assert!(opened <= 550 && written <= 550, "{opened} cycles to open, {written} to write");
    }
}

/// Cycles from the end of a pass without a tile until it is done, of one target of 16 x 16 pixels.
fn resolving(format: u32, samples: u32) -> (u64, u64) {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let mut h = Harness::new(None, Timing::FAST, &mut rng);
    let words = 1 + u32::from(format == HALF);
    let resolved = 0x100 + 16 * 64 * (words << samples);
    let target = Target { format, load: true, resolve: true, base: 0x100, resolved, ..Target::default() };
    let pass =
        Pass { width: 16, height: 16, samples, side: 3, row: 8, plane: 64, targets: vec![target], ..Pass::default() };
    h.begin(pass);
    while h.cycles < 300 {
        h.cycle();
    }
    h.end().unwrap();
    h.compare().unwrap();
    assert_eq!(h.counts.lines[7], u64::from(64 * words));
    assert_eq!(h.counts.lines[6], u64::from((64 * words) << samples));
    (h.cycles, u64::from(64 * words))
}

/// As the block's page says, for each line of four pixels, and what the sweep takes.
#[test]
fn samples_are_resolved_at_the_stated_rate() {
    for (format, samples, cycles) in [
        (UNORM, 1, 4),
        (UNORM, 2, 8),
        (SRGB, 1, 4),
        (SRGB, 2, 8),
        (HALF, 1, 16),
        (HALF, 2, 32),
        (R32, 1, 16),
        (R32, 2, 32),
    ] {
        let (taken, lines) = resolving(format, samples);
        assert!(taken < lines * cycles + 400, "format {format}, {samples}: {taken} cycles for {lines} lines");
    }
}

/// Cycles and lines of a tile that is open again, with that many others in between.
fn again(slots: u32, others: u32) -> (u64, u64) {
    let mut rng = ChaCha8Rng::seed_from_u64(6);
    let mut h = Harness::new(None, Timing::FAST, &mut rng);
    let target = Target { format: UNORM, base: 0x100, store: true, ..Target::default() };
    let (row, plane) = (80, 80 * 8);
    let pass = Pass { width: 160, height: 16, side: 4, row, plane, targets: vec![target], ..Pass::default() };
    h.begin(Pass { keeps: true, slots, ..pass });
    while h.cycles < 300 {
        h.cycle();
    }
    let mut taken = (0, 0);
    for x in (0..=others).chain([0]) {
        h.bench.open_valid.next = true;
        h.bench.open_x.next = bits(x.into());
        let (start, lines) = (h.cycles, h.counts.lines.iter().sum::<u64>());
        h.cycle();
        h.bench.open_valid.next = false;
        while h.opened.is_none() {
            h.cycle();
        }
        taken = (h.cycles - start, h.counts.lines.iter().sum::<u64>() - lines);
        h.bench.close_buffer.next = bits(h.opened.unwrap() as u64);
        h.bench.close.next = true;
        h.cycle();
        h.bench.close.next = false;
    }
    h.end().unwrap();
    h.compare().unwrap();
    taken
}

/// A tile that is kept is open at once; the one that was opened longest ago goes first.
#[test]
fn kept_tiles_are_open_again_without_memory() {
    for (slots, others) in [(0, 1), (1, 3), (2, 7)] {
        let (cycles, lines) = again(slots, others);
        assert!(cycles <= 4 && lines == 0, "{slots}: {cycles} cycles, {lines} lines");
        // One tile more: it was written, and another is for it.
        let (cycles, lines) = again(slots, others + 1);
        assert!(cycles > 128 && lines == 128, "{slots}: {cycles} cycles, {lines} lines");
    }
}

#[test]
fn planted_faults_are_caught() {
    let faults = [
        Fault::TileCount,
        Fault::TileReload,
        Fault::TileEdge,
        Fault::TilePlane,
        Fault::TileStencil,
        Fault::TileSweep,
        Fault::TileSame,
        Fault::TileRoom,
        Fault::TileStall,
        Fault::ResolveRound,
        Fault::ResolveSample,
        Fault::ResolvePlane,
        Fault::ResolveOrder,
        Fault::ResolveEarly,
        Fault::ResolveAlpha,
        Fault::ResolveShare,
    ];
    for fault in tier::first(2, faults) {
        assert!((0..20).any(|seed| random(Some(fault), seed, 5).is_err()), "{fault:?} is not caught");
    }
}
