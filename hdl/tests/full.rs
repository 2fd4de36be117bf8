//! Full binning between a geometry that answers questions about the triangle at the port, a memory
//! that takes its time, a rasteriser, tile buffers, and fragments that ask about what is drawn. The
//! oracle knows nothing of windows, lists or packages: every pair of triangle and tile that may be
//! seen comes once, in the order of triangles for each tile, with every bit of its triangle but the
//! handle. Until the handle is given back every word of the triangle is answered under it, and its
//! context is in use. Memory is touched inside of the area only.

use std::collections::{BTreeMap, VecDeque};

use quadlock_hdl::base::bundle::Bundle;
use quadlock_hdl::base::testing::Bench;
use quadlock_hdl::config::{GpuConfig, Tbimr};
use quadlock_hdl::fault::Fault;
use quadlock_hdl::ports::{TriangleDataIn, TriangleDataOut, TriangleIn};
use quadlock_hdl::visibility::FullBinner;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

type Tile = (u64, u64);

/// Words of a corner, by context.
const WORDS: [u64; 16] = [0, 1, 2, 3, 4, 5, 8, 7, 4, 4, 2, 11, 16, 20, 23, 59];
/// Begin of the area, in bytes.
const AREA: u64 = 0x5_4000;
/// Every so many triangles a run of Hi-Z begins, in some tests.
const RUN: usize = 25;

/// A triangle: all its bits, in the order of the bundle.
struct Triangle {
    bits: Vec<u64>,
    context: u64,
    /// Tiles of the box, whether it may be seen there, and whether the output's query says hidden.
    tiles: Vec<(Tile, bool, bool)>,
    /// What must still be given: visible tiles that are not hidden.
    due: Vec<Tile>,
    /// What must still be drawn, or asked about.
    undecided: usize,
}

/// What geometry knows of a triangle's corner.
fn word_of(triangle: usize, corner: u64, word: u64) -> u64 {
    let mix = (triangle as u64) << 8 | corner << 6 | word;
    mix.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32
}

fn port(name: &str) -> usize {
    TriangleIn::TABLE.ports.iter().position(|p| p.name == name).unwrap()
}

struct Harness {
    binner: Bench<FullBinner>,
    rng: ChaCha8Rng,
    side: u64,
    /// Lines of the area.
    lines: u64,
    /// Runs of Hi-Z begin.
    runs: bool,
    triangles: Vec<Triangle>,
    told: usize,
    next_tile: usize,
    delay: u32,
    newest: BTreeMap<Tile, usize>,
    /// Buffer, triangle and handle.
    rasteriser: VecDeque<(u64, usize, u64)>,
    /// Drawn, and asked about: triangle by handle.
    alive: BTreeMap<u64, usize>,
    done: Vec<u64>,
    buffers: [Option<Tile>; 2],
    closed: [u32; 2],
    memory: BTreeMap<u64, [u64; 4]>,
    /// Answers of memory under way, with the cycles that they still take.
    answers: VecDeque<(u32, [u64; 4])>,
    /// Questions of geometry and of fragments: cycles, triangle, corner, word.
    asked: VecDeque<(u32, usize, u64, u64)>,
    questions: VecDeque<(u32, usize, u64, u64)>,
    answered: u64,
    windows: [u64; 9],
    reads: u64,
}

/// The oldest one, if its time has come.
fn due<T>(queue: &mut VecDeque<T>, left: impl Fn(&T) -> u32) -> Option<T> {
    if left(queue.front()?) == 0 {
        queue.pop_front()
    } else {
        None
    }
}

impl Harness {
    fn new(config: &GpuConfig, side: u64, units: u64, epochs: u64, seed: u64) -> Self {
        let mut binner = Bench::new(FullBinner::with_epochs(config, epochs), |b| &mut b.clock);
        let pass = [(0, 336 | 4000 << 16), (1, (u64::from(side.ilog2()) << 4) | 2), (23, AREA | units)];
        binner.state.pass.next = true;
        for (word, data) in pass {
            binner.state.word.next = u64::into(word);
            binner.state.data.next = u64::into(data);
            binner.cycle();
        }
        binner.state.pass.next = false;
        for (context, words) in WORDS.into_iter().enumerate() {
            binner.state.valid.next = true;
            binner.state.word.next = 7u64.into();
            binner.state.context.next = (context as u64).into();
            binner.state.data.next = (words | 0xFF_3F00).into();
            binner.cycle();
        }
        binner.state.valid.next = false;
        Self {
            binner,
            rng: ChaCha8Rng::seed_from_u64(seed),
            side,
            lines: units << 10,
            runs: seed % 3 == 2,
            triangles: vec![],
            told: 0,
            next_tile: 0,
            delay: 0,
            newest: BTreeMap::new(),
            rasteriser: VecDeque::new(),
            alive: BTreeMap::new(),
            done: vec![],
            buffers: [None; 2],
            closed: [0; 2],
            memory: BTreeMap::new(),
            answers: VecDeque::new(),
            asked: VecDeque::new(),
            questions: VecDeque::new(),
            answered: 0,
            windows: [0; 9],
            reads: 0,
        }
    }

    fn make(&mut self, count: usize) {
        let mut near = (0, 0);
        for n in 0..count {
            let wide = [6, 20, 40, 110][self.rng.random_range(0..4)];
            if self.rng.random_range(0..3) == 0 {
                near = (self.rng.random_range(0..130), 3500 + self.rng.random_range(0..300));
            }
            let (x1, y1) = (near.0 + self.rng.random_range(0..wide), near.1 + self.rng.random_range(0..wide));
            let mut bits: Vec<u64> = TriangleIn::TABLE
                .ports
                .iter()
                .map(|p| self.rng.random::<u64>() & (u64::MAX >> (64 - p.width)))
                .collect();
            for (name, value) in [("x0", near.0), ("y0", near.1), ("x1", x1), ("y1", y1), ("order", n as u64)] {
                bits[port(name)] = value;
            }
            let side = self.side;
            let row = |y| (near.0 / side..=x1 / side).map(move |x| (x * side, y * side));
            let places: Vec<Tile> = (near.1 / side..=y1 / side).flat_map(row).collect();
            let (all, none) = (self.rng.random(), self.rng.random_range(0..8) == 0);
            let tiles: Vec<_> = places
                .into_iter()
                .map(|t| (t, !none && (all || self.rng.random()), self.rng.random_range(0..4) == 0))
                .collect();
            let due: Vec<Tile> = tiles.iter().filter(|t| t.1 && !t.2).map(|t| t.0).collect();
            let context = bits[port("context")];
            self.triangles.push(Triangle { bits, context, tiles, undecided: due.len(), due });
        }
    }

    fn cycle(&mut self) -> Result<(), String> {
        self.delay = self.delay.saturating_sub(1);
        let b = &mut self.binner;
        let busy = b.busy.val();
        // The first of a run comes when nothing is left.
        let begins = self.runs && self.told % RUN == RUN - 1 && self.next_tile == 0;
        let left = self.told < self.triangles.len();
        let there = left && self.delay == 0 && (self.next_tile > 0 || !begins || !busy || b.in_triangle.valid.val());
        b.starved.next = left && begins && !there;
        let (mut visible, waits) = (false, self.rng.random_range(0..8) > 0);
        if there {
            let t = &self.triangles[self.told];
            let mut values = t.bits.iter().copied();
            let data: &mut TriangleDataIn = &mut b.in_triangle;
            for port in data.ports_mut() {
                port.set(&mut values);
            }
            visible = t.tiles.get(self.next_tile).is_some_and(|t| t.1);
        }
        b.in_triangle.valid.next = there;
        b.visible_ports.visible_valid.next = there && waits && self.next_tile < self.triangles[self.told].tiles.len();
        b.visible_ports.visible.next = visible;
        let answers = self.rng.random_range(0..3) > 0;
        b.answer_valid.next = answers;
        b.triangle.ready.next = self.rng.random_range(0..3) == 0;
        let done = !self.rasteriser.is_empty() && self.rng.random_range(0..5) == 0;
        b.tile_done.next = done;
        let free = (0..2).find(|&k| self.buffers[k].is_none() && self.closed[k] == 0);
        b.open_ready.next = free.is_some() && self.rng.random();
        b.open_buffer.next = (free.unwrap_or_default() as u64).into();
        // Geometry's answer.
        b.geometry_req.ready.next = self.rng.random_range(0..4) > 0;
        self.asked.iter_mut().for_each(|a| a.0 -= 1);
        let answer = due(&mut self.asked, |a| a.0);
        b.geometry_rsp.valid.next = answer.is_some();
        b.geometry_rsp.data.next = answer.map_or(0, |(_, n, corner, word)| word_of(n, corner, word)).into();
        // Memory.
        b.m_req.ready.next = self.rng.random();
        self.answers.iter_mut().for_each(|a| a.0 = a.0.saturating_sub(1));
        let line = due(&mut self.answers, |a| a.0);
        b.m_rsp.valid.next = line.is_some();
        let words = line.map_or([self.rng.random::<u32>().into(); 4], |a| a.1);
        (0..4).for_each(|k| b.m_rsp.data[k].next = words[k].into());
        // A fragment asks; a handle is given back when nobody asks about it any more.
        let handles: Vec<u64> = self.alive.keys().copied().collect();
        let asks = !handles.is_empty() && self.rng.random();
        b.store_req.valid.next = asks;
        if asks {
            let handle = handles[self.rng.random_range(0..handles.len())];
            let n = self.alive[&handle];
            let count = WORDS[self.triangles[n].context as usize];
            let special = count == 0 || self.rng.random_range(0..4) == 0;
            let word = if special { 63 } else { 4 + self.rng.random_range(0..count) };
            let corner = self.rng.random_range(0..if special { 4 } else { 3 });
            b.store_req.handle.next = handle.into();
            b.store_req.corner.next = corner.into();
            b.store_req.word.next = word.into();
            self.questions.push_back((3, n, corner, word));
        }
        let freed = self.done.first().copied().filter(|_| !asks && self.rng.random_range(0..9) == 0);
        b.free_ports.free_valid.next = freed.is_some();
        b.free_ports.free_handle.next = freed.unwrap_or_default().into();
        b.settle();
        // The answer depends on what is asked.
        let number = b.triangle.order.val().to_u64() as usize;
        let tile = (b.query_x.val().to_u64(), b.query_y.val().to_u64());
        let answer = self.triangles.get(number).and_then(|t| t.tiles.iter().find(|t| t.0 == tile)).is_some_and(|t| t.2);
        b.hidden.next = if answers { answer } else { self.rng.random() };
        b.settle();
        let given = b.triangle.valid.val() && b.triangle.ready.val();
        let given_tile = (b.tile.x.val().to_u64(), b.tile.y.val().to_u64());
        let mut bits = vec![];
        let data: &TriangleDataOut = &b.triangle;
        for port in data.ports() {
            port.read_outputs(&mut bits);
        }
        let (last, hidden, buffer) = (b.tile.last.val(), b.tile.hidden.val(), b.tile.buffer.val().to_u64());
        let opened = b.open_valid.val() && b.open_ready.val();
        let open_at = (b.open_x.val().to_u64(), b.open_y.val().to_u64());
        let closed = b.close_valid.val().then(|| b.close_buffer.val().to_u64());
        let bit_taken = b.visible_ports.visible_ready.val() && b.visible_ports.visible_valid.val();
        let gone = b.in_triangle.ready.val() && there;
        let left = b.record_free_valid.val().then(|| b.record_free_handle.val().to_u64());
        let window = b.window.event().map(|w| u64::from(w.cause));
        let asked = (b.geometry_req.valid.val() && b.geometry_req.ready.val()).then(|| {
            [
                b.geometry_req.handle.val().to_u64(),
                b.geometry_req.corner.val().to_u64(),
                b.geometry_req.word.val().to_u64(),
            ]
        });
        let request = (b.m_req.valid.val() && b.m_req.ready.val()).then(|| {
            let data: Vec<u64> = (0..4).map(|k| b.m_req.data[k].val().to_u64()).collect();
            (b.m_req.addr.val().to_u64(), b.m_req.write.val(), b.m_req.mask.val().to_u64(), data)
        });
        let contexts = b.contexts.val().to_u64();
        let answer = b.store_rsp.valid.val().then(|| {
            let edge = [b.store_rsp.a.val().to_u64(), b.store_rsp.b.val().to_u64(), b.store_rsp.c.val().to_u64()];
            (edge, b.store_rsp.data.val().to_u64())
        });
        b.cycle();
        self.windows[window.unwrap_or(5) as usize] += u64::from(window.is_some());
        if let Some([handle, corner, word]) = asked {
            if handle != self.triangles[self.told].bits[port("handle")] {
                return Err(format!("geometry is asked about {handle} while triangle {} is told", self.told));
            }
            self.asked.push_back((2, self.told, corner, word));
        }
        if let Some((address, write, mask, data)) = request {
            if !(AREA..AREA + 16 * self.lines).contains(&address) || address % 16 != 0 {
                return Err(format!("memory is touched at {address:#x}"));
            }
            let mut words = self.memory.get(&address).copied().unwrap_or([0xDEAD; 4]);
            if write {
                if mask != 0xFFFF {
                    return Err(format!("mask {mask:#x}"));
                }
                self.memory.insert(address, [data[0], data[1], data[2], data[3]]);
                words = [0xBAD; 4];
            }
            self.reads += u64::from(!write);
            self.answers.push_back((self.rng.random_range(1..30), words));
            if self.answers.len() > 16 {
                return Err("more than 16 lines are under way".into());
            }
        }
        self.questions.iter_mut().for_each(|q| q.0 -= 1);
        if let Some((_, n, corner, word)) = due(&mut self.questions, |q| q.0) {
            let Some((edge, data)) = answer else { return Err(format!("triangle {n}: no answer")) };
            let t = &self.triangles[n];
            if data != word_of(n, corner, word) {
                return Err(format!("triangle {n} answers {data:#x} for word {word} of corner {corner}"));
            }
            if corner < 3 {
                let own = ["a", "b", "c"].map(|e| t.bits[port(&format!("{e}{corner}"))]);
                if edge != own {
                    return Err(format!("triangle {n} answers {edge:x?} for edge {corner}, {own:x?}"));
                }
            }
            self.answered += 1;
        } else if answer.is_some() {
            return Err("an answer to no question".into());
        }
        if let Some(handle) = freed {
            self.done.remove(0);
            let n = self.alive.remove(&handle).unwrap();
            let t = &mut self.triangles[n];
            t.undecided -= 1;
            if contexts >> t.context & 1 == 0 {
                return Err(format!("context {} of triangle {n} is not in use", t.context));
            }
        }
        if let Some(k) = closed {
            if self.rasteriser.iter().any(|r| r.0 == k) || self.buffers[k as usize].is_none() {
                return Err(format!("buffer {k} is closed: {:?}, rasteriser {:?}", self.buffers, self.rasteriser));
            }
            self.buffers[k as usize] = None;
            self.closed[k as usize] = self.rng.random_range(0..20);
        }
        self.closed = self.closed.map(|left: u32| left.saturating_sub(1));
        if done {
            let (_, _, handle) = self.rasteriser.pop_front().unwrap();
            let at = self.rng.random_range(0..=self.done.len());
            self.done.insert(at, handle);
        }
        if given {
            if !last || hidden {
                return Err("a triangle without its end".into());
            }
            self.given(number, given_tile, &bits, buffer)?;
        }
        if let (true, Some(k)) = (opened, free) {
            if self.buffers.contains(&Some(open_at)) {
                return Err(format!("{open_at:?} is open: {:?}", self.buffers));
            }
            self.buffers[k] = Some(open_at);
        }
        self.next_tile += usize::from(bit_taken);
        if gone != left.is_some() {
            return Err(format!("triangle {} goes: {gone}, its record: {left:?}", self.told));
        }
        if let Some(handle) = left {
            let t = &self.triangles[self.told];
            if self.next_tile != t.tiles.len() || handle != t.bits[port("handle")] {
                return Err(format!("triangle {} goes before its tiles, or another's record", self.told));
            }
            (self.told, self.next_tile) = (self.told + 1, 0);
            self.delay = [0, 0, 3, 100][self.rng.random_range(0..4)];
        }
        Ok(())
    }

    /// A triangle in a tile.
    fn given(&mut self, n: usize, tile: Tile, bits: &[u64], buffer: u64) -> Result<(), String> {
        let Some(t) = self.triangles.get_mut(n) else { return Err(format!("triangle {n} is none")) };
        let mut own = t.bits.clone();
        own[port("handle")] = bits[port("handle")];
        if own != bits {
            return Err(format!("triangle {n} has other bits"));
        }
        if self.buffers[buffer as usize] != Some(tile) {
            return Err(format!("triangle {n} in {tile:?}, buffer {buffer} of {:?}", self.buffers));
        }
        let Some(k) = t.due.iter().position(|&d| d == tile) else {
            return Err(format!("triangle {n} is not due in {tile:?}"));
        };
        t.due.swap_remove(k);
        if self.newest.insert(tile, n).is_some_and(|before| before >= n) {
            return Err(format!("triangle {n} comes too late in {tile:?}"));
        }
        let handle = bits[port("handle")];
        if self.alive.insert(handle, n).is_some() {
            return Err(format!("triangle {n} has a handle that is in use"));
        }
        self.rasteriser.push_back((buffer, n, handle));
        Ok(())
    }

    /// All triangles, then the end of the pass.
    fn run(&mut self, count: usize) -> Result<(), String> {
        self.make(count);
        for _ in 0..3000 * count {
            self.cycle()?;
            let told = self.told == self.triangles.len();
            self.binner.waits.next = told;
            self.binner.finish.next = told && !self.binner.busy.val();
            if told && !self.binner.busy.val() && self.buffers == [None; 2] && self.questions.is_empty() {
                let lost = self.triangles.iter().position(|t| !t.due.is_empty() || t.undecided > 0);
                let due = lost.map(|n| &self.triangles[n].due);
                return due.map_or(Ok(()), |due| Err(format!("triangle {lost:?} is still due in {due:?}")));
            }
        }
        Err(format!("triangles do not end: {} of {count} are told", self.told))
    }
}

fn config(tiles: usize, fault: Option<Fault>) -> GpuConfig {
    GpuConfig { graphics: true, tbimr: Tbimr::Full, tbimr_tiles: tiles, fault, ..GpuConfig::default() }
}

/// HZ-10: as one window, and as partial renders for want of lines, of places, and of patience.
#[test]
fn every_pair_comes_once_with_every_word() {
    let mut windows = [0; 9];
    let (mut answered, mut reads) = (0, 0);
    for (seed, side, tiles, units) in
        [(1, 16, 1024, 2), (2, 16, 1024, 16), (3, 32, 1024, 2), (4, 16, 16, 16), (5, 16, 64, 1)]
    {
        // The table is swept often, or never.
        let epochs = if seed % 2 == 0 { 3 } else { (1 << 14) - 1 };
        let mut harness = Harness::new(&config(tiles, None), side, units, epochs, seed);
        harness.run(60).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        (0..9).for_each(|k| windows[k] += harness.windows[k]);
        (answered, reads) = (answered + harness.answered, reads + harness.reads);
    }
    assert!([1, 2, 4, 6].iter().all(|&k| windows[k] > 0), "windows by cause: {windows:?}");
    assert!(answered > 5_000 && reads > 5_000, "{answered} answers, {reads} lines");
}

#[test]
fn planted_faults_are_caught() {
    // Lines that are read too early, or are of another window, may be wrong in any way.
    for (fault, tiles, units, message) in [
        (Fault::FullLink, 1024, 16, "is not due in"),
        (Fault::FullRest, 1024, 16, "is still due"),
        (Fault::FullEarly, 16, 16, ""),
        (Fault::FullCut, 16, 16, "goes before its tiles"),
        (Fault::FullContext, 1024, 16, "is not in use"),
        (Fault::FullStale, 64, 1, ""),
        (Fault::FullCorner, 1024, 16, "of corner 1"),
    ] {
        let mut harness = Harness::new(&config(tiles, Some(fault)), 16, units, 100, 4);
        let problem = harness.run(45).err().unwrap_or_else(|| panic!("{fault:?} is not caught"));
        assert!(problem.contains(message), "{fault:?}: {problem}");
    }
}
