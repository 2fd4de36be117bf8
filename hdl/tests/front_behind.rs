//! The vertex front end behind a cull pipeline: triangles of lists and strips, of which some are
//! left out by a bit. An assembly in little puts triangles together from corners and marks. All of
//! a draw must come in order, as docs/graphics.md numbers and winds them, left out or whole. Of
//! those with bits a vertex must be shaded only if a triangle needs it that is not left out.
//!
//! Wrong would be an assembly that knows which triangle is next; it only knows what it holds, and
//! how many triangles of its instance have come.

use std::collections::{HashSet, VecDeque};

use quadlock_hdl::base::testing::Bench;
use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::fault::Fault;
use quadlock_hdl::vertex::{FrontRole, VertexFrontEnd};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Entries that are offered.
const OFFERED: usize = 40;
const BYTES: usize = 1 << 15;
/// Contexts with an odd number are strips.
const STRIPS: u64 = 0xAAAA;

/// A vertex: index and instance.
type Vertex = (u32, u32);

#[derive(Clone, Debug)]
struct Draw {
    context: u64,
    indexed: bool,
    bypass: bool,
    restart: bool,
    count: u32,
    first: u32,
    instances: u32,
    base: u32,
    address: u32,
}

/// What assembly must see next.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Due {
    Triangle([Vertex; 3]),
    LeftOut,
    End(u64),
}

struct World {
    block: Bench<VertexFrontEnd>,
    rng: ChaCha8Rng,
    memory: Vec<u8>,
    draws: VecDeque<Draw>,
    bits: VecDeque<bool>,
    due: VecDeque<Due>,
    /// Vertices that may be shaded.
    needed: HashSet<Vertex>,
    lines: VecDeque<(u64, usize)>,
    free: VecDeque<usize>,
    count: [u32; OFFERED],
    vertex: [Option<Vertex>; OFFERED],
    waiting: VecDeque<(u64, [bool; 3], usize)>,
    held: Vec<usize>,
    odd: bool,
    shaded: usize,
    left_out: usize,
    now: u64,
}

impl World {
    fn new(fault: Option<Fault>, seed: u64) -> Self {
        let config = GpuConfig { fault, ..GpuConfig::default() };
        Self {
            block: Bench::new(VertexFrontEnd::new(&config, FrontRole::Behind), |b| &mut b.clock),
            rng: ChaCha8Rng::seed_from_u64(seed),
            memory: vec![0; BYTES],
            draws: VecDeque::new(),
            bits: VecDeque::new(),
            due: VecDeque::new(),
            needed: HashSet::new(),
            lines: VecDeque::new(),
            free: (0..OFFERED).collect(),
            count: [0; OFFERED],
            vertex: [None; OFFERED],
            waiting: VecDeque::new(),
            held: vec![],
            odd: false,
            shaded: 0,
            left_out: 0,
            now: 0,
        }
    }

    /// Draws by chance; each has indices of its own.
    fn scene(&mut self, draws: u32) {
        for n in 0..draws {
            let rng = &mut self.rng;
            let strip = rng.random_range(0..3) > 0;
            let indexed = rng.random();
            let count = [0, 1, 2, 3, 4, 5, 9, 30][rng.random_range(0..8)];
            let draw = Draw {
                context: u64::from(2 * rng.random_range(0..4u32) + u32::from(strip)),
                indexed,
                restart: strip && indexed && rng.random(),
                bypass: rng.random_range(0..6) == 0,
                count,
                first: rng.random_range(0..4),
                instances: rng.random_range(0..4),
                base: 1000 * (n + 1),
                address: 320 * n,
            };
            let near = rng.random_range(1..20);
            let mut some: Vec<u32> = (0..count).map(|k| (k + rng.random_range(0..near)) % 64).collect();
            for index in some.iter_mut().filter(|_| draw.restart) {
                if rng.random_range(0..5) == 0 {
                    *index = u32::MAX;
                }
            }
            let shows = [0.1, 0.5, 0.9][rng.random_range(0..3)];
            let indices: Vec<u32> =
                (0..count).map(|k| if draw.indexed { some[k as usize] } else { draw.first + k }).collect();
            for (k, index) in indices.iter().enumerate().filter(|_| draw.indexed) {
                let at = draw.address as usize + 4 * (draw.first as usize + k);
                self.memory[at..at + 4].copy_from_slice(&index.to_le_bytes());
            }
            for instance in 0..draw.instances {
                self.instance(&draw, strip, &indices, instance, shows);
            }
            self.due.push_back(Due::End(draw.context));
            self.draws.push_back(draw);
        }
    }

    /// Triangles of an instance (docs/graphics.md): 3k, 3k+1, 3k+2 of a list; of a strip k, k+1,
    /// k+2, or k, k+2, k+1 for odd k.
    fn instance(&mut self, draw: &Draw, strip: bool, indices: &[u32], instance: u32, shows: f64) {
        if draw.restart {
            for part in indices.split(|&index| index == u32::MAX) {
                self.instance(&Draw { restart: false, ..draw.clone() }, strip, part, instance, shows);
            }
            return;
        }
        let n = indices.len();
        let vertex = |k: usize| (indices[k] + draw.base, instance);
        let triangles = if strip { n.saturating_sub(2) } else { n / 3 };
        for k in 0..triangles {
            let corners = match (strip, k % 2) {
                (false, _) => [3 * k, 3 * k + 1, 3 * k + 2],
                (true, 0) => [k, k + 1, k + 2],
                (true, _) => [k, k + 2, k + 1],
            };
            let seen = draw.bypass || self.rng.random_bool(shows);
            if !draw.bypass {
                self.bits.push_back(seen);
            }
            self.left_out += usize::from(!seen);
            self.due.push_back(if seen { Due::Triangle(corners.map(vertex)) } else { Due::LeftOut });
            self.needed.extend(corners.map(vertex).into_iter().filter(|_| seen));
        }
        // What is left over of a list is read, too, and all of a draw without bits.
        let over = if draw.bypass { 0 } else { 3 * triangles };
        self.needed.extend((over..n).filter(|_| draw.bypass || !strip).map(vertex));
    }

    fn give_back(&mut self, entry: usize) -> Result<(), String> {
        self.count[entry] = self.count[entry].checked_sub(1).ok_or("given back once too often")?;
        if self.count[entry] == 0 {
            self.vertex[entry] = None;
            self.free.push_back(entry);
        }
        Ok(())
    }

    fn see(&mut self, seen: &Due) -> Result<(), String> {
        match self.due.pop_front() {
            Some(due) if due == *seen => Ok(()),
            due => Err(format!("{seen:?} comes, {due:?} is due")),
        }
    }

    /// Corners, ends and marks that wait are assembled in order, each when its vertex is shaded.
    fn assemble(&mut self) -> Result<(), String> {
        while let Some(&(context, [skip, end, restart], entry)) = self.waiting.front() {
            let strip = STRIPS >> context & 1 == 1;
            if !skip && !end && self.vertex[entry].is_none() {
                break;
            }
            self.waiting.pop_front();
            if skip || end || restart {
                for entry in std::mem::take(&mut self.held) {
                    self.give_back(entry)?;
                }
            }
            if end {
                self.see(&Due::End(context))?;
                continue;
            }
            if skip {
                self.odd = (self.odd && entry == 0) ^ strip;
                self.see(&Due::LeftOut)?;
                continue;
            }
            self.odd &= !restart;
            self.held.push(entry);
            if self.held.len() < 3 {
                continue;
            }
            let of = |k: usize| self.vertex[self.held[k]].ok_or_else(|| format!("entry {} is free", self.held[k]));
            let [a, b, c] = [of(0)?, of(1)?, of(2)?];
            self.see(&Due::Triangle(if self.odd && strip { [a, c, b] } else { [a, b, c] }))?;
            self.odd ^= strip;
            let gone: Vec<usize> = self.held.drain(..if strip { 1 } else { 3 }).collect();
            gone.into_iter().try_for_each(|entry| self.give_back(entry))?;
        }
        Ok(())
    }

    fn drive(&mut self) -> Option<(u64, usize)> {
        let rng = &mut self.rng;
        let b = &mut self.block;
        b.strips[0].next = STRIPS.into();
        b.draw.valid.next = !self.draws.is_empty();
        if let Some(draw) = self.draws.front() {
            b.draw.context.next = draw.context.into();
            (b.draw.indexed.next, b.draw.wide.next, b.draw.restart.next) = (draw.indexed, true, draw.restart);
            b.draw.count.next = u64::from(draw.count).into();
            b.draw.first.next = u64::from(draw.first).into();
            b.draw.instances.next = u64::from(draw.instances).into();
            b.draw.base.next = u64::from(draw.base).into();
            b.draw.first_instance.next = 0u64.into();
            b.draw.address.next = u64::from(draw.address).into();
            b.draw_bypass[0].next = draw.bypass;
        }
        b.m_req.ready.next = rng.random();
        let answer = self.lines.front().filter(|l| l.0 <= self.now).copied();
        b.m_rsp.valid.next = answer.is_some();
        for k in 0..4 {
            let at = answer.map_or(0, |a| a.1) + 4 * k;
            let bytes: [u8; 4] = self.memory[at..at + 4].try_into().unwrap();
            b.m_rsp.data[k].next = u64::from(u32::from_le_bytes(bytes)).into();
        }
        b.entry_ports.entry_valid.next = !self.free.is_empty();
        b.entry_ports.entry.next = (self.free.front().copied().unwrap_or_default() as u64).into();
        b.drop_ready.next = rng.random();
        b.batch.ready.next = rng.random();
        b.corner.ready.next = self.waiting.len() < 4 && rng.random();
        // Sometimes the cull pipeline is long in coming.
        b.cull_bit_valid[0].next = !self.bits.is_empty() && !(self.now / 64).is_multiple_of(3) && rng.random();
        b.cull_bit_visible[0].next = self.bits.front().copied().unwrap_or_default();
        b.settle();
        answer
    }

    fn cycle(&mut self) -> Result<(), String> {
        let answer = self.drive();
        let b = &mut self.block;
        let request = (b.m_req.valid.val() && b.m_req.ready.val()).then(|| b.m_req.addr.val().to_u64() as usize);
        let drawn = b.draw.valid.val() && b.draw.ready.val();
        let (taken, bit_taken) = (b.entry_ports.entry_take.val(), b.cull_bit_take[0].val());
        let drop = (b.drop.valid.val() && b.drop_ready.val()).then(|| b.drop.entry.val().to_u64() as usize);
        let lane = |k: usize| {
            let word = |w: u64| w as u32;
            let vertex = (word(b.batch.index[k].val().to_u64()), word(b.batch.instance[k].val().to_u64()));
            (b.batch.entry[k].val().to_u64() as usize, vertex)
        };
        let mask = if b.batch.valid.val() && b.batch.ready.val() { b.batch.mask.val().to_u64() } else { 0 };
        let batch: Vec<(usize, Vertex)> = (0..4).filter(|k| mask >> k & 1 == 1).map(lane).collect();
        let c = &b.corner;
        let context = c.context.val().to_u64();
        let kind = [b.corner_skip[0].val(), c.end.val(), c.restart.val()];
        let corner = (b.corner.valid.val() && b.corner.ready.val()).then(|| c.entry.val().to_u64() as usize);
        let bit_there = b.cull_bit_valid[0].val();
        b.cycle();
        if answer.is_some() {
            self.lines.pop_front();
        }
        if let Some(at) = request {
            self.lines.push_back((self.now + 5, at));
        }
        if drawn {
            self.draws.pop_front();
        }
        if bit_taken {
            if !bit_there {
                return Err("a bit is taken that is not there".into());
            }
            self.bits.pop_front();
        }
        if taken {
            let entry = self.free.pop_front().ok_or("an entry is taken that is not offered")?;
            self.count[entry] = 1;
        }
        if let Some(entry) = corner {
            self.waiting.push_back((context, kind, entry));
            if !kind[0] && !kind[1] {
                self.count[entry] += 1;
            }
        }
        if let Some(entry) = drop {
            self.give_back(entry)?;
        }
        for (entry, vertex) in batch {
            if !self.needed.contains(&vertex) {
                return Err(format!("{vertex:?} is shaded, and nobody needs it"));
            }
            self.vertex[entry] = Some(vertex);
            self.shaded += 1;
        }
        self.assemble()?;
        self.now += 1;
        Ok(())
    }

    fn run(&mut self) -> Result<(), String> {
        for _ in 0..200_000 {
            self.cycle()?;
            if self.draws.is_empty() && self.due.is_empty() && self.block.idle.val() {
                return match (self.free.len(), self.bits.len()) {
                    (OFFERED, 0) => Ok(()),
                    (free, bits) => Err(format!("at the end {free} entries are free, {bits} bits are left")),
                };
            }
        }
        Err(format!("it does not end; {:?} is due", self.due.front()))
    }
}

#[test]
fn hz_31_what_is_left_out_is_counted_and_nothing_else() {
    let (mut left_out, mut shaded) = (0, 0);
    for seed in 0..6 {
        let mut world = World::new(None, seed);
        world.scene(60);
        world.run().unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        (left_out, shaded) = (left_out + world.left_out, shaded + world.shaded);
    }
    assert!(left_out > 500 && shaded > 500, "{left_out} are left out, {shaded} vertices are shaded");
}

#[test]
fn planted_faults_are_caught() {
    for (fault, message) in [(Fault::StripChain, "is due"), (Fault::StripRestart, ""), (Fault::FrontBit, "")] {
        let mut world = World::new(Some(fault), 1);
        world.scene(60);
        let problem = world.run().err().unwrap_or_else(|| panic!("{fault:?} is not caught"));
        assert!(problem.contains(message), "{fault:?}: {problem}");
    }
}
