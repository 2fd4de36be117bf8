//! A machine of warps for SSA, for tests: four lanes run together, those with the lowest place in
//! the layout first, as the hardware does (docs/machine.md).
//!
//! The interpreter of this directory runs one invocation after the other, so it cannot show what
//! lanes that are active together have in common, nor what an operation across lanes gives under a
//! partial mask. Here warps take turns instruction by instruction in an order drawn from a seed,
//! which makes races visible, and an observer sees every execution with its mask. It runs one
//! function without calls; accesses outside of memory are errors.
//!
//! When an instruction is executed, its registers in the lanes that are not active become *poison*,
//! unless such a lane still has to read them: it left a loop in an earlier turn. A read of poison
//! by an operation across lanes is counted. A pass may not bring one about: it would have moved
//! what the operation reads to where lanes may pass by.

use super::interp::words::{self, atomic, atomic_width};
use super::interp::Launch;
use super::{AtomicOp, Block, Func, Inst, Kind, Space, Target, Width};
use crate::ops::eval::eval;
use quadlock_isa::{Op, Special};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Running,
    Blocked,
    Ended,
}

/// A lane of the warp as an observer sees it.
pub struct Lane {
    /// Layout position and instruction.
    at: (usize, usize),
    state: State,
    /// By value: its word in this lane.
    pub values: Vec<u32>,
    /// By value: the lane was not there when it was computed last.
    poison: Vec<bool>,
    stack: Vec<u8>,
    index: u32,
}

/// Called before each instruction: block, its index in the block, the lanes and which are active.
pub type Observer<'a> = &'a mut dyn FnMut(Block, usize, &[Lane], &[usize]);

/// What the run did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Instructions of the warp.
    pub steps: u64,
    /// Atomics on global memory as the memory port sees them: one for each lane, or one for a
    /// warp-wide one.
    pub atomics: u64,
    /// Operations across lanes that read a register of a lane that was not there when it was
    /// computed.
    pub poisoned: u64,
}

struct Machine<'a> {
    func: &'a Func,
    launch: &'a Launch,
    group: [u32; 3],
    position: Vec<usize>,
    slots: Vec<u32>,
    memory: &'a mut [u8],
    shared: Vec<u8>,
    counts: Counts,
    /// By layout position, instruction and value: whether it is read from there on.
    live: Vec<Vec<Vec<bool>>>,
}

/// Runs the grid, group by group.
pub fn run(func: &Func, launch: &Launch, memory: &mut [u8], seed: u64, observe: Observer) -> Result<Counts, String> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut position = vec![usize::MAX; func.blocks.len()];
    func.layout.iter().enumerate().for_each(|(i, b)| position[b.index()] = i);
    let mut slots = vec![];
    let mut frame = 0;
    for s in &func.slots {
        slots.push(frame);
        frame += (s.words * 4).next_multiple_of(16);
    }
    let live = live(func, &position);
    let (group, shared, counts) = ([0; 3], vec![], Counts::default());
    let mut m = Machine { func, launch, group, position, slots, memory, shared, counts, live };
    let [gx, gy, gz] = launch.grid;
    for g in 0..gx * gy * gz {
        m.group = [g % gx, g / gx % gy, g / (gx * gy)];
        m.shared = vec![0; launch.shared_bytes as usize];
        m.run_group(frame, &mut rng, observe)?;
    }
    Ok(m.counts)
}

/// Whether an operation across lanes reads what a lane has not computed.
fn reads_poison(inst: &Inst, lanes: &[Lane], active: &[usize]) -> bool {
    let poisoned = |l: usize, v: super::Value| lanes.get(l).is_some_and(|l| l.poison[v.index()]);
    active.iter().any(|&l| match &inst.kind {
        Kind::CrossLane { op: Op::QShuf, args } => {
            poisoned((lanes[l].values[args[1].index()] & 3) as usize, args[0]) || poisoned(l, args[1])
        }
        Kind::Alu(Op::Ddx, a) => poisoned(l | 1, a[0]) || poisoned(l & 2, a[0]),
        Kind::Alu(Op::Ddy, a) => poisoned(l | 2, a[0]) || poisoned(l & 1, a[0]),
        Kind::CrossLane { args, .. } => args.iter().any(|a| poisoned(l, *a)),
        _ => false,
    })
}

/// By layout position, instruction and value: whether some way from there reads it.
fn live(func: &Func, position: &[usize]) -> Vec<Vec<Vec<bool>>> {
    let values = func.values as usize;
    let mut out: Vec<Vec<Vec<bool>>> =
        func.layout.iter().map(|b| vec![vec![false; values]; func.blocks[b.index()].insts.len()]).collect();
    let mut changed = true;
    while changed {
        changed = false;
        for (at, b) in func.layout.iter().enumerate().rev() {
            let mut now = vec![false; values];
            for (i, inst) in func.blocks[b.index()].insts.iter().enumerate().rev() {
                for t in inst.kind.targets() {
                    let params = &func.blocks[t.block.index()].params;
                    let there = &out[position[t.block.index()]][0];
                    (0..values)
                        .filter(|&v| there[v] && params.iter().all(|p| p.index() != v))
                        .for_each(|v| now[v] = true);
                }
                inst.results.iter().for_each(|r| now[r.index()] = false);
                inst.kind.uses().iter().for_each(|v| now[v.index()] = true);
                changed |= out[at][i] != now;
                out[at][i].clone_from(&now);
            }
        }
    }
    out
}

impl Machine<'_> {
    fn run_group(&mut self, frame: u32, rng: &mut ChaCha8Rng, observe: Observer) -> Result<(), String> {
        let count: u32 = self.launch.group_size.iter().product();
        let lane = |index| Lane {
            at: (0, 0),
            state: State::Running,
            values: vec![0xDEAD_BEEF ^ index; self.func.values as usize],
            poison: vec![true; self.func.values as usize],
            stack: vec![0; frame as usize],
            index,
        };
        let mut warps: Vec<Vec<Lane>> =
            (0..count.div_ceil(4)).map(|w| (4 * w..(4 * w + 4).min(count)).map(lane).collect()).collect();
        loop {
            let running: Vec<usize> =
                (0..warps.len()).filter(|&w| warps[w].iter().any(|l| l.state == State::Running)).collect();
            if running.is_empty() {
                let blocked = warps.iter_mut().flatten().filter(|l| l.state == State::Blocked);
                if blocked.map(|l| l.state = State::Running).count() == 0 {
                    return Ok(());
                }
                continue;
            }
            let w = running[rng.random_range(0..running.len())];
            self.step(&mut warps[w], observe)?;
        }
    }

    fn step(&mut self, lanes: &mut [Lane], observe: Observer) -> Result<(), String> {
        self.counts.steps += 1;
        if self.counts.steps > self.launch.step_limit {
            return Err("no end".into());
        }
        let Some(at) = lanes.iter().filter(|l| l.state == State::Running).map(|l| l.at).min() else { return Ok(()) };
        let active: Vec<usize> =
            (0..lanes.len()).filter(|&i| lanes[i].state == State::Running && lanes[i].at == at).collect();
        let block = self.func.layout[at.0];
        observe(block, at.1, lanes, &active);
        let inst = &self.func.blocks[block.index()].insts[at.1];
        self.counts.poisoned += u64::from(reads_poison(inst, lanes, &active));
        if let Some(results) = self.across(inst, lanes, &active)? {
            for (&l, r) in active.iter().zip(results) {
                inst.results.iter().zip(r).for_each(|(v, word)| lanes[l].values[v.index()] = word);
            }
        } else {
            for &l in &active {
                self.lane(inst, &mut lanes[l])?;
            }
        }
        if !inst.kind.is_terminator() {
            active.iter().for_each(|&l| lanes[l].at.1 += 1);
        }
        self.poison(inst, lanes, &active);
        Ok(())
    }

    /// What lanes that were not there have of the results, parameters of blocks included.
    fn poison(&self, inst: &Inst, lanes: &mut [Lane], active: &[usize]) {
        for (l, lane) in lanes.iter_mut().enumerate() {
            let unread = |lane: &Lane, v: super::Value| {
                lane.state == State::Ended || !self.live[lane.at.0][lane.at.1][v.index()]
            };
            for &r in &inst.results {
                lane.poison[r.index()] = !active.contains(&l) && (lane.poison[r.index()] || unread(lane, r));
            }
            for t in inst.kind.targets() {
                let came = active.contains(&l) && lane.at.0 == self.position[t.block.index()];
                for &p in &self.func.blocks[t.block.index()].params {
                    lane.poison[p.index()] = !came && (lane.poison[p.index()] || unread(lane, p));
                }
            }
        }
    }

    /// Operations whose lanes depend on each other: the results of each active lane.
    fn across(&mut self, inst: &Inst, lanes: &[Lane], active: &[usize]) -> Result<Option<Vec<Vec<u32>>>, String> {
        let value = |l: usize, v: super::Value| lanes.get(l).map_or(0, |l| l.values[v.index()]);
        let sub = |x: u32, y: u32| eval(Op::FSub, &[x, y]).unwrap_or(0);
        let each: Option<Vec<u32>> = match &inst.kind {
            Kind::CrossLane { op: Op::QShuf, args: a } => {
                Some(active.iter().map(|&l| value((value(l, a[1]) & 3) as usize, a[0])).collect())
            }
            Kind::Alu(Op::Ddx, a) => {
                Some(active.iter().map(|&l| sub(value(l | 1, a[0]), value(l & 2, a[0]))).collect())
            }
            Kind::Alu(Op::Ddy, a) => {
                Some(active.iter().map(|&l| sub(value(l | 2, a[0]), value(l & 1, a[0]))).collect())
            }
            Kind::CrossLane { op, args } => {
                let values: Vec<(usize, u32)> = active.iter().map(|&l| (l, value(l, args[0]))).collect();
                words::across(*op, &values)
            }
            Kind::Atomic { space, warp_wide: true, op, addr, offset, values, expected } => {
                let of = |v: &[super::Value]| v.iter().map(|v| value(active[0], *v)).collect::<Vec<u32>>();
                let at = value(active[0], *addr).wrapping_add(*offset as u32);
                let old = self.atomic(*space, at, *op, &of(values), &of(expected), &mut [])?;
                return Ok(Some(vec![old; active.len()]));
            }
            _ => None,
        };
        Ok(each.map(|results| results.into_iter().map(|r| vec![r]).collect()))
    }

    /// One read, one write: the old words.
    fn atomic(
        &mut self,
        space: Space,
        at: u32,
        op: AtomicOp,
        values: &[u32],
        expected: &[u32],
        stack: &mut [u8],
    ) -> Result<Vec<u32>, String> {
        let old = self.load(space, atomic_width(values), at, stack)?;
        let new = atomic(op, &old, values, expected);
        self.store(space, atomic_width(values), at, &new, stack)?;
        self.counts.atomics += u64::from(space == Space::Global);
        Ok(old)
    }

    fn lane(&mut self, inst: &Inst, l: &mut Lane) -> Result<(), String> {
        let get = |v: super::Value| l.values[v.index()];
        let mut set = vec![];
        match &inst.kind {
            Kind::Const(c) => set = vec![*c],
            Kind::Alu(op, args) => {
                let args: Vec<u32> = args.iter().map(|a| get(*a)).collect();
                set = vec![eval(*op, &args).ok_or("not pure")?];
            }
            Kind::Special(s) => set = vec![self.special(*s, l.index)],
            Kind::ConstWord(w) => set = vec![self.launch.constants.get(*w as usize).copied().unwrap_or(0)],
            Kind::SlotAddr(s) => set = vec![self.slots[s.index()]],
            Kind::SlotLoad { slot, word } => {
                set = self.load(Space::Stack, Width::W32, self.slots[slot.index()] + 4 * word, &l.stack)?;
            }
            Kind::SlotStore { slot, word, value } => {
                let (at, value) = (self.slots[slot.index()] + 4 * word, get(*value));
                self.store(Space::Stack, Width::W32, at, &[value], &mut l.stack)?;
            }
            Kind::Load { space, width, addr, offset } => {
                set = self.load(*space, *width, get(*addr).wrapping_add(*offset as u32), &l.stack)?;
            }
            Kind::Store { space, width, addr, offset, values } => {
                let values: Vec<u32> = values.iter().map(|v| get(*v)).collect();
                self.store(*space, *width, get(*addr).wrapping_add(*offset as u32), &values, &mut l.stack)?;
            }
            Kind::Atomic { space, op, addr, offset, values, expected, .. } => {
                let all = |v: &[super::Value]| v.iter().map(|v| get(*v)).collect::<Vec<u32>>();
                let (at, values, expected) = (get(*addr).wrapping_add(*offset as u32), all(values), all(expected));
                set = self.atomic(*space, at, *op, &values, &expected, &mut l.stack)?;
            }
            Kind::Barrier => l.state = State::Blocked,
            Kind::Message { .. } | Kind::Fence { .. } => {}
            Kind::Jump(t) => self.jump(l, t),
            Kind::Branch { cond, then, other } => {
                let t = if get(*cond) != 0 { then } else { other };
                self.jump(l, t);
            }
            Kind::Return(_) | Kind::Discard => l.state = State::Ended,
            k => return Err(format!("{k:?} is not run here")),
        }
        inst.results.iter().zip(set).for_each(|(r, v)| l.values[r.index()] = v);
        Ok(())
    }

    fn jump(&self, l: &mut Lane, t: &Target) {
        let args: Vec<u32> = t.args.iter().map(|v| l.values[v.index()]).collect();
        let params = &self.func.blocks[t.block.index()].params;
        params.iter().zip(args).for_each(|(p, a)| l.values[p.index()] = a);
        l.at = (self.position[t.block.index()], 0);
    }

    fn special(&self, s: Special, index: u32) -> u32 {
        let [sx, sy, sz] = self.launch.group_size;
        match s {
            Special::Lane => index & 3,
            Special::LocalId => (index % sx) | ((index / sx % sy) << 10) | ((index / (sx * sy)) << 20),
            Special::GroupX => self.group[0],
            Special::GroupY => self.group[1],
            Special::GroupZ => self.group[2],
            Special::LocalIndex | Special::ThreadSlot => index,
            Special::Coverage => (1 << (sx * sy * sz - (index & !3)).min(4)) - 1,
            Special::Warp => (index / 4) & 15,
            // Of vertices and fragments too.
            _ => 0,
        }
    }

    fn load(&self, space: Space, width: Width, at: u32, stack: &[u8]) -> Result<Vec<u32>, String> {
        let memory: &[u8] = match space {
            Space::Global | Space::ReadOnly => self.memory,
            Space::Shared => &self.shared,
            Space::Stack => stack,
        };
        let at = at & !(width.bytes() - 1);
        let each = (0..width.words() as u32).map(|i| words::read(memory, at + 4 * i, width.bytes().min(4)));
        each.map(|(v, inside)| match width {
            _ if !inside => Err(format!("load from {at:#x}")),
            Width::S8 => Ok(v as u8 as i8 as u32),
            Width::S16 => Ok(v as u16 as i16 as u32),
            _ => Ok(v),
        })
        .collect()
    }

    fn store(&mut self, space: Space, width: Width, at: u32, v: &[u32], stack: &mut [u8]) -> Result<(), String> {
        let memory: &mut [u8] = match space {
            Space::Global | Space::ReadOnly => self.memory,
            Space::Shared => &mut self.shared,
            Space::Stack => stack,
        };
        let at = at & !(width.bytes() - 1);
        let inside =
            v.iter().enumerate().all(|(i, v)| words::write(memory, at + 4 * i as u32, width.bytes().min(4), *v));
        inside.then_some(()).ok_or(format!("store to {at:#x}"))
    }
}
