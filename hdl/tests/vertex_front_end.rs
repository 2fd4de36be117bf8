//! The vertex front end with a memory of indices, an attribute store that counts references, vertex
//! warps that take their time, and an assembly that waits for each corner. Every corner's vertex
//! must have its index and instance, no count may be negative, nothing may be kept at the end, and
//! the cache must miss as often as a ring of 16 does.

use std::collections::VecDeque;

use quadlock_hdl::base::testing::Bench;
use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::fault::Fault;
use quadlock_hdl::vertex::{FrontRole, VertexFrontEnd};
use quadlock_testkit::tier;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Entries that are offered.
const OFFERED: usize = 48;
/// Bytes of memory.
const BYTES: usize = 1 << 16;

#[derive(Clone, Debug)]
struct Draw {
    context: u64,
    indexed: bool,
    wide: bool,
    restart: bool,
    count: u32,
    first: u32,
    instances: u32,
    base: u32,
    first_instance: u32,
    address: u32,
}

/// A corner that must come: context, end, restart; index and instance.
type Due = (u64, bool, bool, (u32, u32));

/// A vertex: its entry, and its index and instance.
type Shaded = (usize, (u32, u32));

struct Harness {
    block: Bench<VertexFrontEnd>,
    rng: ChaCha8Rng,
    memory: Vec<u8>,
    draws: VecDeque<Draw>,
    /// Draws inside by context.
    inside: [u32; 8],
    due: VecDeque<Due>,
    lines: VecDeque<(u64, u64)>,
    stalls: bool,
    free: VecDeque<usize>,
    count: [i32; OFFERED],
    /// What an entry is: index and instance, from the cycle in which its warp has ended.
    vertex: [Option<(u32, u32)>; OFFERED],
    /// Batches that are shaded: when, entry, index and instance.
    shading: VecDeque<(u64, Vec<Shaded>)>,
    /// Corners that assembly has: entry and what it must be.
    corners: VecDeque<Shaded>,
    /// How many it may have.
    room: usize,
    batches: u64,
    full: u64,
    vertices: u64,
    misses: u64,
    first_corner: u64,
    last_corner: u64,
    now: u64,
}

impl Harness {
    fn new(config: &GpuConfig, seed: u64, room: usize, stalls: bool) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        Self {
            block: Bench::new(VertexFrontEnd::new(config, FrontRole::Plain), |b| &mut b.clock),
            memory: (0..BYTES).map(|_| rng.random()).collect(),
            rng,
            draws: VecDeque::new(),
            inside: [0; 8],
            due: VecDeque::new(),
            lines: VecDeque::new(),
            stalls,
            free: (0..OFFERED).collect(),
            count: [0; OFFERED],
            vertex: [None; OFFERED],
            shading: VecDeque::new(),
            corners: VecDeque::new(),
            room,
            batches: 0,
            full: 0,
            vertices: 0,
            misses: 0,
            first_corner: 0,
            last_corner: 0,
            now: 0,
        }
    }

    /// The draw's corners, and the misses of a ring of 16.
    fn add(&mut self, draw: Draw, indices: &[u32]) {
        let size = if draw.wide { 4 } else { 2 };
        if draw.indexed {
            for (n, index) in indices.iter().enumerate() {
                let at = draw.address as usize + (draw.first as usize + n) * size;
                self.memory[at..at + size].copy_from_slice(&index.to_le_bytes()[..size]);
            }
        }
        for instance in 0..draw.instances {
            let mut ring = VecDeque::new();
            let mut begins = true;
            for n in 0..draw.count {
                let index = if draw.indexed { indices[n as usize] } else { draw.first.wrapping_add(n) };
                if draw.restart && index == if draw.wide { u32::MAX } else { 0xFFFF } {
                    begins = true;
                    continue;
                }
                let vertex = (index.wrapping_add(draw.base), draw.first_instance.wrapping_add(instance));
                self.due.push_back((draw.context, false, std::mem::take(&mut begins), vertex));
                if !ring.contains(&vertex) {
                    self.misses += 1;
                    ring.push_back(vertex);
                    if ring.len() > 16 {
                        ring.pop_front();
                    }
                }
            }
        }
        self.due.push_back((draw.context, true, false, (0, 0)));
        self.draws.push_back(draw);
    }

    /// Draws by chance, each with its own piece of memory.
    fn scene(&mut self, draws: u32) {
        let mut at = 0;
        for k in 0..draws {
            let (indexed, wide) = (self.rng.random_range(0..4) > 0, self.rng.random());
            let count = [0, 1, 3, 50, 90][self.rng.random_range(0..5)];
            let near = self.rng.random_range(2..40);
            let top = if wide { 0xFFFF_0000 } else { 0xFF00 };
            let any = self.rng.random::<u32>() & top;
            let mut indices: Vec<u32> = (0..count).map(|n| any + (n / 3 + self.rng.random_range(0..near))).collect();
            // The queue becomes full of these with one batch that is not.
            if k % 5 == 4 {
                indices = (0..count).map(|n| any + n % 3).collect();
            }
            // Ends of strips, two of them together sometimes; without restart they are indices.
            let restart = indexed && self.rng.random();
            for index in &mut indices {
                if self.rng.random_range(0..8) == 0 {
                    *index = if wide { u32::MAX } else { 0xFFFF };
                }
            }
            let first = self.rng.random_range(0..20);
            let draw = Draw {
                restart,
                context: u64::from(k / 2 % 8),
                indexed,
                wide,
                count,
                first,
                instances: self.rng.random_range(0..4),
                base: self.rng.random(),
                first_instance: self.rng.random(),
                address: at + 4 * self.rng.random_range(0..4u32),
            };
            at += 640;
            self.add(draw, &indices);
        }
    }

    fn drive(&mut self) -> Option<(u64, u64)> {
        let chance = |rng: &mut ChaCha8Rng, stalls: bool| !stalls || rng.random();
        let (rng, stalls) = (&mut self.rng, self.stalls);
        let b = &mut self.block;
        b.draw.valid.next = !self.draws.is_empty();
        if let Some(draw) = self.draws.front() {
            b.draw.context.next = draw.context.into();
            (b.draw.indexed.next, b.draw.wide.next, b.draw.restart.next) = (draw.indexed, draw.wide, draw.restart);
            b.draw.count.next = u64::from(draw.count).into();
            b.draw.first.next = u64::from(draw.first).into();
            b.draw.instances.next = u64::from(draw.instances).into();
            b.draw.base.next = u64::from(draw.base).into();
            b.draw.first_instance.next = u64::from(draw.first_instance).into();
            b.draw.address.next = u64::from(draw.address).into();
        }
        b.m_req.ready.next = chance(rng, stalls);
        let answer = self.lines.front().filter(|l| l.0 <= self.now).copied();
        b.m_rsp.valid.next = answer.is_some();
        for k in 0..4 {
            let at = answer.map_or(0, |a| a.1 as usize) + 4 * k;
            let bytes: [u8; 4] = self.memory[at..at + 4].try_into().unwrap();
            b.m_rsp.data[k].next = u64::from(u32::from_le_bytes(bytes)).into();
        }
        b.entry_ports.entry_valid.next = !self.free.is_empty();
        b.entry_ports.entry.next = (self.free.front().copied().unwrap_or_default() as u64).into();
        b.drop_ready.next = chance(rng, stalls);
        b.batch.ready.next = chance(rng, stalls);
        b.corner.ready.next = self.corners.len() < self.room && chance(rng, stalls);
        b.settle();
        answer
    }

    fn give_back(&mut self, entry: usize) -> Result<(), String> {
        self.count[entry] -= 1;
        if self.count[entry] < 0 {
            return Err(format!("entry {entry} is given back once too often"));
        }
        if self.count[entry] == 0 {
            if self.vertex[entry].take().is_none() {
                return Err(format!("entry {entry} is free before its warp has ended"));
            }
            self.free.push_back(entry);
        }
        Ok(())
    }

    fn corner(&mut self, context: u64, end: bool, restart: bool, entry: usize) -> Result<(), String> {
        let due = self.due.pop_front();
        if due.map(|d| (d.0, d.1, d.2)) != Some((context, end, restart)) {
            return Err(format!("corner {context} {end} {restart}, {due:?} is due"));
        }
        if end {
            self.inside[context as usize] -= 1;
            return Ok(());
        }
        if self.count[entry] == 0 {
            return Err(format!("corner of entry {entry}, which is free"));
        }
        if self.first_corner == 0 {
            self.first_corner = self.now;
        }
        self.last_corner = self.now;
        self.count[entry] += 1;
        self.corners.push_back((entry, due.unwrap().3));
        Ok(())
    }

    /// Warps end; assembly is done with its oldest corner.
    fn behind(&mut self) -> Result<(), String> {
        while self.shading.front().is_some_and(|b| b.0 <= self.now) {
            for (entry, vertex) in self.shading.pop_front().unwrap().1 {
                self.vertex[entry] = Some(vertex);
            }
        }
        while let Some(&(entry, due)) = self.corners.front() {
            let Some(vertex) = self.vertex[entry] else { break };
            if vertex != due {
                return Err(format!("entry {entry} is {vertex:x?}, {due:x?} is due"));
            }
            if self.stalls && self.rng.random() {
                break;
            }
            self.corners.pop_front();
            self.give_back(entry)?;
        }
        Ok(())
    }

    fn cycle(&mut self) -> Result<(), String> {
        let answer = self.drive();
        let b = &mut self.block;
        let request = (b.m_req.valid.val() && b.m_req.ready.val()).then(|| b.m_req.addr.val().to_u64());
        let drawn = b.draw.valid.val() && b.draw.ready.val();
        let taken = b.entry_ports.entry_take.val();
        let drop = (b.drop.valid.val() && b.drop_ready.val()).then(|| b.drop.entry.val().to_u64() as usize);
        let batch = (b.batch.valid.val() && b.batch.ready.val()).then(|| {
            let mask = b.batch.mask.val().to_u64();
            let lane = |k: usize| {
                let word = |w: u64| w as u32;
                let vertex = (word(b.batch.index[k].val().to_u64()), word(b.batch.instance[k].val().to_u64()));
                (b.batch.entry[k].val().to_u64() as usize, vertex)
            };
            (0..4).filter(|k| mask >> k & 1 == 1).map(lane).collect::<Vec<_>>()
        });
        let c = &b.corner;
        let corner = (b.corner.valid.val() && b.corner.ready.val())
            .then(|| (c.context.val().to_u64(), c.end.val(), c.restart.val(), c.entry.val().to_u64() as usize));
        let contexts = b.contexts.val().to_u64();
        b.cycle();
        if let Some(k) = (0..8).find(|&k| self.inside[k] > 0 && contexts >> k & 1 == 0) {
            return Err(format!("context {k} counts as free"));
        }
        if answer.is_some() {
            self.lines.pop_front();
        }
        if let Some(address) = request {
            let wait = if self.stalls { self.rng.random_range(0..40) } else { 5 };
            let at = self.lines.back().map_or(0, |l| l.0 + 1).max(self.now + 1 + wait);
            self.lines.push_back((at, address));
        }
        if drawn {
            let draw = self.draws.pop_front().unwrap();
            self.inside[draw.context as usize] += 1;
        }
        if taken {
            let entry = self.free.pop_front().ok_or("an entry is taken that is not offered")?;
            self.count[entry] = 1;
        }
        if let Some((context, end, restart, entry)) = corner {
            self.corner(context, end, restart, entry)?;
        }
        if let Some(entry) = drop {
            self.give_back(entry)?;
        }
        if let Some(lanes) = batch {
            self.batches += 1;
            self.full += u64::from(lanes.len() == 4);
            self.vertices += lanes.len() as u64;
            let wait = if self.stalls { self.rng.random_range(1..200) } else { 1 };
            let at = self.shading.back().map_or(0, |s| s.0).max(self.now + wait);
            self.shading.push_back((at, lanes));
        }
        self.behind()?;
        self.now += 1;
        Ok(())
    }

    fn run(&mut self) -> Result<(), String> {
        for _ in 0..200_000 {
            self.cycle()?;
            let done = self.draws.is_empty() && self.due.is_empty() && self.corners.is_empty();
            if done && self.block.idle.val() && self.shading.is_empty() {
                self.cycle()?;
                return match (self.free.len(), self.vertices == self.misses, self.block.contexts.val().to_u64()) {
                    (OFFERED, true, 0) => Ok(()),
                    (free, ..) => {
                        Err(format!("at the end {free} are free, {} of {} were shaded", self.vertices, self.misses))
                    }
                };
            }
        }
        Err(format!("it does not end: {:?}, {} corners with assembly", self.due.front(), self.corners.len()))
    }
}

#[test]
fn every_corner_is_its_vertex() {
    for (seed, room) in [(1, 1), (2, 2), (3, 3), (4, 20)] {
        let mut harness = Harness::new(&GpuConfig::default(), seed, room, true);
        harness.scene(60);
        harness.run().unwrap_or_else(|e| panic!("seed {seed}: {e}"));
    }
}

fn plain(indices: &[u32], instances: u32) -> Harness {
    let mut harness = Harness::new(&GpuConfig::default(), 9, 1000, false);
    let draw = Draw {
        context: 3,
        indexed: true,
        wide: true,
        restart: false,
        count: indices.len() as u32,
        first: 1,
        instances,
        base: 5,
        first_instance: 2,
        address: 0x100,
    };
    harness.add(draw, indices);
    harness.run().unwrap();
    harness
}

/// 16 misses of two cycles, then a corner in each cycle.
#[test]
fn a_hit_takes_one_cycle() {
    let indices: Vec<u32> = (0..1000).map(|n| n % 16).collect();
    let harness = plain(&indices, 1);
    let cycles = harness.last_corner - harness.first_corner + 1;
    assert!(cycles <= 1016, "{cycles} cycles for 1000 corners");
}

/// Two cycles for each vertex, and one more for each batch; all batches but the last are full.
#[test]
fn a_miss_takes_two_cycles() {
    let indices: Vec<u32> = (0..400).collect();
    let harness = plain(&indices, 1);
    let cycles = harness.last_corner - harness.first_corner + 1;
    assert!(cycles <= 900, "{cycles} cycles for 400 vertices");
    assert_eq!(harness.full, 100, "{} batches", harness.batches);
}

/// Three vertices of an instance: two cycles each, one to drop each, and the steps between.
#[test]
fn instances_follow_each_other() {
    let harness = plain(&[0, 1, 2], 50);
    let cycles = harness.last_corner - harness.first_corner + 1;
    assert!(cycles <= 50 * 18, "{cycles} cycles for 50 instances");
}

#[test]
fn planted_faults_are_caught() {
    let faults = [
        (Fault::FrontBase, "is due"),
        (Fault::FrontWide, "is due"),
        (Fault::FrontRestart, "is due"),
        (Fault::FrontSeparate, ""),
        (Fault::FrontStale, ""),
        (Fault::FrontDrop, ""),
        (Fault::FrontStall, "does not end"),
        (Fault::FrontLine, "is due"),
        (Fault::FrontInstance, "is due"),
        (Fault::FrontContext, ""),
    ];
    for (fault, message) in tier::first(3, faults) {
        let config = GpuConfig { fault: Some(fault), ..GpuConfig::default() };
        let mut harness = Harness::new(&config, 2, 2, true);
        harness.scene(60);
        let problem = harness.run().err().unwrap_or_else(|| panic!("{fault:?} is not caught"));
        assert!(problem.contains(message), "{fault:?}: {problem}");
    }
}
