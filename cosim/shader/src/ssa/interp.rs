//! Interpreter of SSA modules: what a program means before and after each pass, independent of the
//! back end and of the golden model.
//!
//! A launch walks the grid group by group. In a group each invocation runs until it ends, meets a
//! barrier or meets an operation on its quad (derivatives); a barrier releases when every
//! invocation that has not ended is at one, a quad operation when all four lanes of the quad are at
//! the same one. A module with an operation of which it matters which lanes execute it together
//! (`Kind::is_convergent`, derivatives apart) is run otherwise: the four lanes of a warp step by
//! step, always those at the lowest place of the layout, as the machine does; such an operation is
//! done for the lanes that stand at it, and QSHUF of another lane gives 0 (on the machine: what
//! stands there). The order is fixed, so a program that races gives *one* of its legal results; the
//! generators do not race where it could be seen. Memory rules are those of the machine page
//! (alignment down to the access's size, bytes outside read zero); a stack access outside the
//! thread's frames is an error, and so is running out of steps, which catches loops that a pass
//! made endless. Local slots start as zero, which is one legal choice for undefined values.

use super::{AtomicOp, Block, Func, FuncId, Inst, Kind, Module, Slot, Space, Target, Value, Width};
use crate::ops::eval::eval;
use crate::ops::float::canonical;
use crate::ops::predicate::cross_lane;
use quadlock_isa::{CrossLane, Op, Special};
use std::collections::HashMap;

/// What is run: sizes as on the host port, constant bank, and the limit of steps (instructions of
/// one invocation between two stops, summed over all).
#[derive(Clone, Debug)]
pub struct Launch {
    /// Groups along x, y, z.
    pub grid: [u32; 3],
    /// Invocations of a group along x, y, z.
    pub group_size: [u32; 3],
    /// Constant bank; words beyond the end read zero.
    pub constants: Vec<u32>,
    /// Bytes of work-group memory.
    pub shared_bytes: u32,
    /// Instructions over the whole launch after which the run is given up as endless.
    pub step_limit: u64,
}

impl Default for Launch {
    fn default() -> Launch {
        Launch { grid: [1; 3], group_size: [1; 3], constants: vec![], shared_bytes: 0, step_limit: 100_000_000 }
    }
}

/// Counts of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// SSA instructions executed, over all invocations.
    pub steps: u64,
    /// Global accesses with a byte outside the memory.
    pub faults: u64,
}

/// Runs `entry` over the grid on `memory` (byte 0 is address 0). Errors are faults of the program
/// or of the compiler, never of the input data alone.
pub fn run(module: &Module, entry: FuncId, launch: &Launch, memory: &mut [u8]) -> Result<Outcome, String> {
    run_joined(module, entry, launch, memory, &[])
}

/// As [`run`], but each sum of the entry function that is named with one of its products is
/// computed of the exact product and rounded once.
///
/// # Errors
/// As of [`run`]; also a pair that is no sum and product.
pub fn run_joined(
    module: &Module,
    entry: FuncId,
    launch: &Launch,
    memory: &mut [u8],
    joined: &[(Value, Value)],
) -> Result<Outcome, String> {
    let lockstep = Lockstep::new(module);
    let joined = joined_sums(&module.funcs[entry.index()], joined)?;
    let joined = (entry, joined);
    let outcome = Outcome::default();
    let mut machine = Machine { module, launch, lockstep, global: memory, shared: vec![], outcome, joined };
    let [gx, gy, gz] = launch.grid;
    for z in 0..gz {
        for y in 0..gy {
            for x in 0..gx {
                machine.group(entry, [x, y, z])?;
            }
        }
    }
    Ok(machine.outcome)
}

/// For modules in which it matters which lanes are together: the place of each block in its
/// function's layout.
struct Lockstep(Vec<Vec<usize>>);

impl Lockstep {
    fn new(module: &Module) -> Option<Lockstep> {
        let insts = |f: &Func| f.blocks.iter().flat_map(|b| &b.insts).any(|i| Machine::is_for_warp(&i.kind));
        module.funcs.iter().any(insts).then(|| {
            let places = |f: &Func| {
                let mut at = vec![0; f.blocks.len()];
                f.layout.iter().enumerate().for_each(|(i, b)| at[b.index()] = i);
                at
            };
            Lockstep(module.funcs.iter().map(places).collect())
        })
    }
    /// Ordered as the instructions will be in memory when calls are inlined.
    fn place(&self, t: &Thread) -> Vec<(usize, usize)> {
        t.frames.iter().map(|f| (self.0[f.func.index()][f.block.index()], f.at)).collect()
    }
}

struct Machine<'a> {
    module: &'a Module,
    launch: &'a Launch,
    lockstep: Option<Lockstep>,
    global: &'a mut [u8],
    shared: Vec<u8>,
    outcome: Outcome,
    /// Of a function: by sum, the product with its factors.
    joined: (FuncId, HashMap<Value, (Value, [Value; 2])>),
}

/// The products of sums that are rounded once.
fn joined_sums(func: &Func, joined: &[(Value, Value)]) -> Result<HashMap<Value, (Value, [Value; 2])>, String> {
    let mut out = HashMap::new();
    for &(sum, product) in joined {
        let mut insts = func.layout.iter().flat_map(|b| &func.blocks[b.index()].insts);
        let factors = insts.find_map(|i| match &i.kind {
            Kind::Alu(Op::FMul, args) if i.results == [product] => Some([args[0], args[1]]),
            _ => None,
        });
        let factors = factors.ok_or_else(|| format!("{product} is no product"))?;
        out.insert(sum, (product, factors));
    }
    Ok(out)
}

/// `x + y` or `x - y`, of which one is `a * b`, with one rounding.
fn once(op: Op, [x, y]: [u32; 2], product_is_y: bool, factors: [u32; 2]) -> Option<u32> {
    let [x, y, a, b] = [x, y, factors[0], factors[1]].map(f32::from_bits);
    match (op, product_is_y) {
        (Op::FAdd, true) => Some(canonical(a.mul_add(b, x))),
        (Op::FAdd, false) => Some(canonical(a.mul_add(b, y))),
        (Op::FSub, true) => Some(canonical((-a).mul_add(b, x))),
        (Op::FSub, false) => Some(canonical(a.mul_add(b, -y))),
        _ => None,
    }
}

/// One activation of a function.
struct Frame {
    func: FuncId,
    block: Block,
    /// Index of the next instruction.
    at: usize,
    values: Vec<u32>,
    /// Byte offset on the stack of each slot.
    slots: Vec<u32>,
    base: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Running,
    Barrier,
    Quad,
    Ended,
}

struct Thread {
    frames: Vec<Frame>,
    stack: Vec<u8>,
    state: State,
    group: [u32; 3],
    /// Linear invocation number in the group.
    index: u32,
    /// It changes no memory but its own.
    helper: bool,
}

impl Machine<'_> {
    fn group(&mut self, entry: FuncId, group: [u32; 3]) -> Result<(), String> {
        self.shared = vec![0; self.launch.shared_bytes as usize];
        let count: u32 = self.launch.group_size.iter().product();
        let mut threads = Vec::new();
        for index in 0..count {
            let mut t = Thread { frames: vec![], stack: vec![], state: State::Running, group, index, helper: false };
            t.frames.push(enter(self.function(entry)?, entry, &[], &mut t.stack)?);
            threads.push(t);
        }
        loop {
            for quad in threads.chunks_mut(4) {
                match self.lockstep {
                    Some(_) => self.warp(quad)?,
                    None => self.quad(quad)?,
                }
            }
            if threads.iter().all(|t| t.state == State::Ended) {
                return Ok(());
            }
            threads.iter_mut().filter(|t| t.state == State::Barrier).for_each(|t| t.state = State::Running);
        }
    }

    /// Runs the lanes of a quad until each has ended or is at a barrier.
    fn quad(&mut self, quad: &mut [Thread]) -> Result<(), String> {
        loop {
            for t in quad.iter_mut() {
                while t.state == State::Running {
                    self.step(t)?;
                }
            }
            if quad.iter().all(|t| t.state != State::Quad) {
                return Ok(());
            }
            self.quad_operation(quad)?;
        }
    }

    fn is_for_warp(kind: &Kind) -> bool {
        matches!(kind, Kind::CrossLane { .. } | Kind::Atomic { warp_wide: true, .. })
    }

    /// As `quad`, in the order of the machine: the lanes at the lowest place do one instruction,
    /// together.
    fn warp(&mut self, warp: &mut [Thread]) -> Result<(), String> {
        loop {
            let Some(lockstep) = &self.lockstep else { return Err("not a program for warps".into()) };
            let places: Vec<_> = warp.iter().map(|t| (t.state == State::Running).then(|| lockstep.place(t))).collect();
            let Some(lowest) = places.iter().flatten().min() else { return Ok(()) };
            let active: Vec<usize> = (0..warp.len()).filter(|&l| places[l].as_ref() == Some(lowest)).collect();
            let Some(frame) = warp[active[0]].frames.last() else { return Err("a thread without a frame".into()) };
            let module = self.module;
            let func = &module.funcs[frame.func.index()];
            match func.blocks[frame.block.index()].insts.get(frame.at) {
                Some(inst) if Self::is_for_warp(&inst.kind) => self.warp_operation(inst, warp, &active)?,
                Some(Inst { kind: Kind::Alu(op, _), .. }) if cross_lane(*op) => {
                    active.iter().for_each(|&l| warp[l].state = State::Quad);
                    self.quad_operation(warp)?;
                }
                _ => active.iter().try_for_each(|&l| self.step(&mut warp[l]))?,
            }
        }
    }

    /// Does `inst` for the lanes `active`, which stand at it.
    fn warp_operation(&mut self, inst: &Inst, warp: &mut [Thread], active: &[usize]) -> Result<(), String> {
        self.outcome.steps += active.len() as u64;
        if self.outcome.steps > self.launch.step_limit {
            return Err(format!("no end after {} steps", self.launch.step_limit));
        }
        let read = |lane: usize, v: Value| warp[lane].frames.last().map_or(0, |f| f.values[v.index()]);
        let one = |v: u32| vec![v];
        // By lane, then by result.
        let results: Vec<Vec<u32>> = match &inst.kind {
            Kind::CrossLane { op: Op::QShuf, args } => {
                let value = |&l: &usize| {
                    let from = (read(l, args[1]) & 3) as usize;
                    if active.contains(&from) {
                        read(from, args[0])
                    } else {
                        0
                    }
                };
                active.iter().map(value).map(one).collect()
            }
            Kind::CrossLane { op, args } => {
                let values: Vec<(usize, u32)> = active.iter().map(|&l| (l, read(l, args[0]))).collect();
                let each = across(*op, &values).ok_or_else(|| format!("{inst}: not an operation across lanes"))?;
                each.into_iter().map(one).collect()
            }
            Kind::Atomic { space, op, addr, offset, values, expected, .. } => {
                let leader = active[0];
                let at = read(leader, *addr).wrapping_add(*offset as u32);
                let all = |v: &[Value]| v.iter().map(|v| read(leader, *v)).collect::<Vec<u32>>();
                let (values, expected) = (all(values), all(expected));
                let width = atomic_width(&values);
                let old = self.load(*space, width, at, &[])?;
                let new = atomic(*op, &old, &values, &expected);
                self.store(*space, width, at, &new, &mut [])?;
                let result = if *op == AtomicOp::Lock { one(u32::from(old[0] == 1 - (values[0] & 1))) } else { old };
                vec![result; active.len()]
            }
            _ => return Err(format!("{inst}: not an operation of the warp")),
        };
        for (&l, r) in active.iter().zip(results) {
            if let Some(f) = warp[l].frames.last_mut() {
                inst.results.iter().zip(r).for_each(|(v, word)| f.values[v.index()] = word);
                f.at += 1;
            }
        }
        Ok(())
    }

    /// All four lanes are at the same derivative; anything else is refused.
    fn quad_operation(&mut self, quad: &mut [Thread]) -> Result<(), String> {
        let place = |t: &Thread| t.frames.iter().map(|f| (f.func, f.block, f.at)).collect::<Vec<_>>();
        if quad.len() != 4 || quad.iter().any(|t| t.state != State::Quad || place(t) != place(&quad[0])) {
            return Err(
                "an operation on the quad is reached by some of its lanes only: not run by the interpreter".into()
            );
        }
        let Some(frame) = quad[0].frames.last() else { return Err("a thread without a frame".into()) };
        let inst = &self.function(frame.func)?.blocks[frame.block.index()].insts[frame.at];
        let Kind::Alu(op, args) = &inst.kind else { return Err(format!("{inst}: not a quad operation")) };
        let read = |lane: usize, v: Value| quad[lane].frames.last().map_or(0, |f| f.values[v.index()]);
        let a: Vec<u32> = (0..4).map(|l| read(l, args[0])).collect();
        let sub = |x: usize, y: usize| eval(Op::FSub, &[a[x], a[y]]).unwrap_or(0);
        let results: Vec<u32> = (0..4)
            .map(|l| match op {
                Op::Ddx => sub(l | 1, l & 2),
                _ => sub(l | 2, l & 1),
            })
            .collect();
        for (t, r) in quad.iter_mut().zip(results) {
            t.state = State::Running;
            if let Some(f) = t.frames.last_mut() {
                f.values[inst.results[0].index()] = r;
                f.at += 1;
            }
        }
        Ok(())
    }

    fn function(&self, id: FuncId) -> Result<&Func, String> {
        self.module.funcs.get(id.index()).ok_or_else(|| format!("no function f{}", id.0))
    }

    fn step(&mut self, t: &mut Thread) -> Result<(), String> {
        self.outcome.steps += 1;
        if self.outcome.steps > self.launch.step_limit {
            return Err(format!("no end after {} steps", self.launch.step_limit));
        }
        let module = self.module;
        let Some(frame) = t.frames.last_mut() else { return Err("a thread without a frame".into()) };
        let func = &module.funcs[frame.func.index()];
        let block = &func.blocks[frame.block.index()];
        let Some(inst) = block.insts.get(frame.at) else {
            return Err(format!("{}: {} has no end", func.name, frame.block));
        };
        let fail = |e: &str| format!("{}: {inst}: {e}", func.name);
        let results = &inst.results;
        let get = |v: Value| frame.values[v.index()];
        let mut set = None;
        match &inst.kind {
            Kind::Const(c) => set = Some(*c),
            Kind::Alu(op, _) if cross_lane(*op) => {
                t.state = State::Quad;
                return Ok(());
            }
            Kind::Alu(op, args) => {
                let mut v = [0; 3];
                args.iter().zip(&mut v).for_each(|(a, v)| *v = get(*a));
                let joined = self.joined.1.get(&results[0]).filter(|_| frame.func == self.joined.0);
                let value = match joined {
                    Some(&(product, factors)) => once(*op, [v[0], v[1]], args[1] == product, factors.map(get)),
                    None => eval(*op, &v),
                };
                set = Some(value.ok_or_else(|| fail("not a pure operation"))?);
            }
            Kind::Special(s) => set = Some(self.special(*s, t.group, t.index)),
            Kind::ConstWord(w) => set = Some(self.launch.constants.get(*w as usize).copied().unwrap_or(0)),
            Kind::SlotLoad { slot, word } => set = Some(read(&t.stack, frame.slots[slot.index()] + word * 4, 4).0),
            Kind::SlotStore { slot, word, value } => {
                write(&mut t.stack, frame.slots[slot.index()] + word * 4, 4, get(*value));
            }
            Kind::SlotAddr(slot) => set = Some(frame.slots[slot.index()]),
            Kind::Load { space, width, addr, offset } => {
                let at = get(*addr).wrapping_add(*offset as u32);
                let values = self.load(*space, *width, at, &t.stack).map_err(|e| fail(&e))?;
                results.iter().zip(values).for_each(|(r, v)| frame.values[r.index()] = v);
            }
            Kind::Store { space, width, addr, offset, values } => {
                let at = get(*addr).wrapping_add(*offset as u32);
                let values: Vec<u32> = values.iter().map(|v| get(*v)).collect();
                if !t.helper || *space == Space::Stack {
                    self.store(*space, *width, at, &values, &mut t.stack).map_err(|e| fail(&e))?;
                }
            }
            Kind::Atomic { space, warp_wide: _, op, addr, offset, values, expected } => {
                let at = get(*addr).wrapping_add(*offset as u32);
                let all = |v: &[Value]| v.iter().map(|v| get(*v)).collect::<Vec<u32>>();
                let (operands, expected, width) = (all(values), all(expected), atomic_width(values));
                let old = self.load(*space, width, at, &t.stack).map_err(|e| fail(&e))?;
                let new = atomic(*op, &old, &operands, &expected);
                if !t.helper {
                    self.store(*space, width, at, &new, &mut t.stack).map_err(|e| fail(&e))?;
                }
                results.iter().zip(old).for_each(|(r, v)| frame.values[r.index()] = v);
            }
            Kind::CrossLane { .. } => return Err(fail("only a warp can do that")),
            Kind::Barrier => t.state = State::Barrier,
            // Invocations run one after the other: whoever asks for a semaphore finds it free.
            Kind::Message { .. } | Kind::Fence { .. } => {}
            // Nothing is drawn here.
            Kind::Fetch { .. } | Kind::Input { .. } => results.iter().for_each(|r| frame.values[r.index()] = 0),
            Kind::Output { .. } => {}
            Kind::Demote => t.helper = true,
            Kind::Helper => set = Some(u32::from(t.helper)),
            Kind::Call { func: callee, args } => {
                let args: Vec<u32> = args.iter().map(|v| get(*v)).collect();
                let callee_func = self.function(*callee)?;
                if t.frames.len() > 100 {
                    return Err(fail("calls nested too deep"));
                }
                t.frames.push(enter(callee_func, *callee, &args, &mut t.stack)?);
                return Ok(());
            }
            Kind::Jump(target) => {
                jump(func, frame, target);
                return Ok(());
            }
            Kind::Branch { cond, then, other } => {
                let target = if get(*cond) != 0 { then } else { other };
                jump(func, frame, target);
                return Ok(());
            }
            Kind::Return(values) => {
                let values = values.iter().map(|v| get(*v)).collect();
                return self.leave(t, values);
            }
            Kind::Discard => t.state = State::Ended,
            Kind::Unreachable => return Err(fail("reached")),
        }
        if let (Some(v), Some(r)) = (set, results.first()) {
            frame.values[r.index()] = v;
        }
        frame.at += 1;
        Ok(())
    }

    fn leave(&self, t: &mut Thread, values: Vec<u32>) -> Result<(), String> {
        if let Some(f) = t.frames.pop() {
            t.stack.truncate(f.base);
        }
        let Some(caller) = t.frames.last_mut() else {
            t.state = State::Ended;
            return Ok(());
        };
        let func = self.module.funcs.get(caller.func.index()).ok_or("no caller")?;
        let inst = &func.blocks[caller.block.index()].insts[caller.at];
        inst.results.iter().zip(values).for_each(|(r, v)| caller.values[r.index()] = v);
        caller.at += 1;
        Ok(())
    }

    fn special(&self, s: Special, group: [u32; 3], index: u32) -> u32 {
        let [sx, sy, sz] = self.launch.group_size;
        let count = sx * sy * sz;
        match s {
            Special::Lane => index & 3,
            Special::LocalId => (index % sx) | ((index / sx % sy) << 10) | ((index / (sx * sy)) << 20),
            Special::GroupX => group[0],
            Special::GroupY => group[1],
            Special::GroupZ => group[2],
            Special::LocalIndex => index,
            Special::Coverage => (1 << (count - (index & !3)).min(4)) - 1,
            Special::Warp => (index / 4) & 15,
            Special::ThreadSlot => index,
            // Of vertices and fragments.
            _ => 0,
        }
    }

    fn load(&mut self, space: Space, width: Width, at: u32, stack: &[u8]) -> Result<Vec<u32>, String> {
        let at = at & !(width.bytes() - 1);
        let each = width.bytes().min(4);
        let mut out = Vec::with_capacity(width.words());
        for i in 0..width.words() as u32 {
            let at = self.place(space, at.wrapping_add(i * 4));
            let (v, inside) = match space {
                Space::Global | Space::ReadOnly => read(self.global, at, each),
                Space::Shared => read(&self.shared, at, each),
                Space::Stack => read(stack, at, each),
            };
            self.check(space, inside, at)?;
            out.push(match width {
                Width::S8 => v as u8 as i8 as u32,
                Width::S16 => v as u16 as i16 as u32,
                _ => v,
            });
        }
        Ok(out)
    }

    fn store(&mut self, space: Space, width: Width, at: u32, values: &[u32], stack: &mut [u8]) -> Result<(), String> {
        let at = at & !(width.bytes() - 1);
        let each = width.bytes().min(4);
        for (i, v) in values.iter().enumerate() {
            let at = self.place(space, at.wrapping_add(i as u32 * 4));
            let inside = match space {
                Space::Global | Space::ReadOnly => write(self.global, at, each, *v),
                Space::Shared => write(&mut self.shared, at, each, *v),
                Space::Stack => write(stack, at, each, *v),
            };
            self.check(space, inside, at)?;
        }
        Ok(())
    }

    /// Shared addresses wrap at the size of the window (the machine's wrap at the storage's size;
    /// programs may rely on neither).
    fn place(&self, space: Space, at: u32) -> u32 {
        match space {
            Space::Shared if !self.shared.is_empty() => at % self.shared.len() as u32,
            _ => at,
        }
    }

    fn check(&mut self, space: Space, inside: bool, at: u32) -> Result<(), String> {
        if !inside && matches!(space, Space::Global | Space::ReadOnly) {
            self.outcome.faults += 1;
        } else if !inside {
            return Err(format!("address {at:#x} is outside of {space}"));
        }
        Ok(())
    }
}

/// New activation; slots are placed on the stack, each at a multiple of 16 bytes.
fn enter(func: &Func, id: FuncId, args: &[u32], stack: &mut Vec<u8>) -> Result<Frame, String> {
    let Some(&block) = func.layout.first() else { return Err(format!("{} has no blocks", func.name)) };
    let base = stack.len();
    let mut slots = Vec::with_capacity(func.slots.len());
    for s in &func.slots {
        slots.push(stack.len() as u32);
        stack.resize(stack.len() + (s.words as usize * 4).next_multiple_of(16), 0);
    }
    let mut values = vec![0; func.values as usize];
    func.blocks[block.index()].params.iter().zip(args).for_each(|(p, a)| values[p.index()] = *a);
    Ok(Frame { func: id, block, at: 0, values, slots, base })
}

/// Goes to the target; its parameters are written all at once.
fn jump(func: &Func, frame: &mut Frame, target: &Target) {
    let args: Vec<u32> = target.args.iter().map(|v| frame.values[v.index()]).collect();
    for (p, a) in func.blocks[target.block.index()].params.iter().zip(args) {
        frame.values[p.index()] = a;
    }
    frame.block = target.block;
    frame.at = 0;
}

/// Little-endian value of `bytes` (1, 2, 4) at `at`, and whether all of it is inside.
pub(super) fn read(memory: &[u8], at: u32, bytes: u32) -> (u32, bool) {
    let mut v = 0;
    let mut inside = true;
    for i in 0..bytes {
        match memory.get(at as usize + i as usize) {
            Some(b) => v |= u32::from(*b) << (8 * i),
            None => inside = false,
        }
    }
    (v, inside)
}

pub(super) fn write(memory: &mut [u8], at: u32, bytes: u32, v: u32) -> bool {
    let mut inside = true;
    for i in 0..bytes {
        match memory.get_mut(at as usize + i as usize) {
            Some(b) => *b = (v >> (8 * i)) as u8,
            None => inside = false,
        }
    }
    inside
}

/// WRED, WSCAN and WBALLOT of the active lanes' values, in lane order: one result per active lane.
pub(super) fn across(op: Op, values: &[(usize, u32)]) -> Option<Vec<u32>> {
    let all = |r: u32| vec![r; values.len()];
    Some(match op.cross_lane()? {
        CrossLane::Ballot => all(values.iter().filter(|(_, v)| *v != 0).map(|(l, _)| 1 << l).sum()),
        CrossLane::Reduce(kind) => all(values.iter().map(|(_, v)| *v).reduce(|a, b| combine(kind, a, b)).unwrap_or(0)),
        CrossLane::Scan(kind) => {
            let start = identity(kind);
            values.iter().scan(start, |sum, (_, v)| Some(std::mem::replace(sum, combine(kind, *sum, *v)))).collect()
        }
    })
}

fn combine(kind: quadlock_isa::AtomicOp, a: u32, b: u32) -> u32 {
    use quadlock_isa::AtomicOp as K;
    match kind {
        K::And => a & b,
        K::Or => a | b,
        K::Xor => a ^ b,
        K::SMin => (a as i32).min(b as i32) as u32,
        K::SMax => (a as i32).max(b as i32) as u32,
        K::UMin => a.min(b),
        K::UMax => a.max(b),
        _ => a.wrapping_add(b),
    }
}

fn identity(kind: quadlock_isa::AtomicOp) -> u32 {
    use quadlock_isa::AtomicOp as K;
    match kind {
        K::And | K::UMin => u32::MAX,
        K::SMin => i32::MAX as u32,
        K::SMax => i32::MIN as u32,
        _ => 0,
    }
}

/// The access of an atomic with these operands.
pub(super) fn atomic_width<T>(operands: &[T]) -> Width {
    if operands.len() == 2 {
        Width::W64
    } else {
        Width::W32
    }
}

/// What an atomic leaves behind: one word, or two. One word is computed in the upper half of 64
/// bits, where it wraps, and has its sign, as 64 bits do.
pub fn atomic(op: AtomicOp, old: &[u32], value: &[u32], expected: &[u32]) -> Vec<u32> {
    let number = |words: &[u32]| match *words {
        [low, high] => u64::from(high) << 32 | u64::from(low),
        [word] => u64::from(word) << 32,
        _ => 0,
    };
    let (x, y) = (number(old), number(value));
    let new = match op {
        AtomicOp::Add => x.wrapping_add(y),
        AtomicOp::Sub => x.wrapping_sub(y),
        AtomicOp::And => x & y,
        AtomicOp::Or => x | y,
        AtomicOp::Xor => x ^ y,
        AtomicOp::SMin => (x as i64).min(y as i64) as u64,
        AtomicOp::SMax => (x as i64).max(y as i64) as u64,
        AtomicOp::UMin => x.min(y),
        AtomicOp::UMax => x.max(y),
        AtomicOp::Xchg => y,
        AtomicOp::Cas if old == expected => y,
        AtomicOp::Cas => x,
        AtomicOp::Lock if old[0] == 1 - (value[0] & 1) => number(&[value[0] & 1]),
        AtomicOp::Lock => x,
    };
    let high = (new >> 32) as u32;
    if old.len() == 2 {
        vec![new as u32, high]
    } else {
        vec![high]
    }
}

impl Slot {
    /// Whether the address of the slot is taken anywhere: it then lives on the stack.
    pub fn address_taken(self, func: &Func) -> bool {
        let insts = func.layout.iter().flat_map(|b| &func.blocks[b.index()].insts);
        insts.into_iter().any(|i| i.kind == Kind::SlotAddr(self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ssa::Loc;

    const LOC: Loc = Loc::at(0, 0, 0);

    struct Builder {
        f: Func,
        b: Block,
    }
    impl Builder {
        fn new() -> Builder {
            let mut f = Func { name: "main".into(), ..Default::default() };
            let b = f.new_block();
            Builder { f, b }
        }
        fn one(&mut self, kind: Kind) -> Value {
            self.f.push(self.b, kind, 1, LOC)[0]
        }
        fn alu(&mut self, op: Op, args: &[Value]) -> Value {
            self.one(Kind::Alu(op, args.to_vec()))
        }
        fn none(&mut self, kind: Kind) {
            self.f.push(self.b, kind, 0, LOC);
        }
        fn store(&mut self, space: Space, addr: Value, value: Value) {
            self.none(Kind::Store { space, width: Width::W32, addr, offset: 0, values: vec![value] });
        }
        fn run(mut self, launch: &Launch, memory: &mut [u8]) -> Result<Outcome, String> {
            self.none(Kind::Return(vec![]));
            crate::ssa::verify::verify(&self.f)?;
            run(&Module { funcs: vec![self.f], files: vec![] }, FuncId(0), launch, memory)
        }
    }

    fn words(memory: &[u8]) -> Vec<u32> {
        memory.chunks(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect()
    }

    /// Each invocation writes its number to shared memory, and after the barrier reads its right
    /// neighbour's.
    #[test]
    fn barrier_lets_neighbours_talk() {
        let mut b = Builder::new();
        let four = b.one(Kind::Const(4));
        let i = b.one(Kind::Special(Special::LocalIndex));
        let at = b.alu(Op::IMul, &[i, four]);
        b.store(Space::Shared, at, i);
        b.none(Kind::Barrier);
        let load = Kind::Load { space: Space::Shared, width: Width::W32, addr: at, offset: 4 };
        let v = b.one(load);
        b.store(Space::Global, at, v);
        let launch = Launch { group_size: [6, 1, 1], shared_bytes: 24, ..Default::default() };
        let mut memory = vec![0; 24];
        b.run(&launch, &mut memory).unwrap();
        assert_eq!(words(&memory), [1, 2, 3, 4, 5, 0]);
    }

    #[test]
    fn quad_operations_see_all_four_lanes() {
        let mut b = Builder::new();
        let four = b.one(Kind::Const(4));
        let three = b.one(Kind::Const(3));
        let i = b.one(Kind::Special(Special::LocalIndex));
        let at = b.alu(Op::IMul, &[i, four]);
        let other = b.alu(Op::ISub, &[three, i]);
        let q = b.one(Kind::CrossLane { op: Op::QShuf, args: vec![i, other] });
        let f = b.alu(Op::U2F, &[i]);
        let dy = b.alu(Op::Ddy, &[f]);
        let n = b.alu(Op::F2I, &[dy]);
        let sum = b.alu(Op::IMad, &[n, at, q]);
        b.store(Space::Global, at, sum);
        let mut memory = vec![0; 16];
        b.run(&Launch { group_size: [4, 1, 1], ..Default::default() }, &mut memory).unwrap();
        assert_eq!(words(&memory), [3, 2 + 8, 1 + 16, 24], "dy is 2 everywhere");
    }

    /// Lanes 1 and 2 of four meet at the reductions; the others come to the warp-wide addition too,
    /// which is done once.
    #[test]
    fn operations_of_the_warp_take_in_the_lanes_that_are_there() {
        let mut b = Builder::new();
        let four = b.one(Kind::Const(4));
        let i = b.one(Kind::Special(Special::LocalIndex));
        let at = b.alu(Op::IMul, &[i, four]);
        let three = b.one(Kind::Const(3));
        let odd = b.alu(Op::IMul, &[i, three]);
        let odd = b.alu(Op::And, &[odd, three]);
        let cond = {
            let one = b.one(Kind::Const(1));
            b.alu(Op::Shr, &[odd, one])
        };
        let (inner, after) = (b.f.new_block(), b.f.new_block());
        let to = |block| Target { block, args: vec![] };
        b.none(Kind::Branch { cond, then: to(inner), other: to(after) });
        b.b = inner;
        let across = |b: &mut Builder, op, v| b.one(Kind::CrossLane { op, args: vec![v] });
        let sum = across(&mut b, Op::WRedAdd, i);
        let before = across(&mut b, Op::WScanAdd, i);
        let who = across(&mut b, Op::WBallot, four);
        let packed = b.alu(Op::IMad, &[sum, four, before]);
        let packed = b.alu(Op::IMad, &[packed, four, before]);
        let packed = b.alu(Op::IMad, &[packed, four, who]);
        b.store(Space::Global, at, packed);
        b.none(Kind::Jump(to(after)));
        b.b = after;
        let counter = b.one(Kind::Const(16));
        let add = |op| Kind::Atomic {
            space: Space::Global,
            warp_wide: true,
            op,
            addr: counter,
            offset: 0,
            values: vec![four],
            expected: vec![],
        };
        let old = b.one(add(AtomicOp::Add));
        let lock = b.one(add(AtomicOp::Lock));
        let both = b.alu(Op::IMad, &[old, four, lock]);
        let twenty = b.one(Kind::Const(20));
        let at = b.alu(Op::IAdd, &[at, twenty]);
        b.store(Space::Global, at, both);
        let mut memory = vec![0; 36];
        b.run(&Launch { group_size: [4, 1, 1], ..Default::default() }, &mut memory).unwrap();
        let packed = |before: u32| ((3 * 4 + before) * 4 + before) * 4 + 0b110;
        assert_eq!(words(&memory), [0, packed(0), packed(1), 0, 4, 0, 0, 0, 0]);
    }

    #[test]
    fn faults_and_limits_are_reported() {
        let mut b = Builder::new();
        let a = b.one(Kind::Const(100));
        b.store(Space::Global, a, a);
        assert_eq!(b.run(&Launch::default(), &mut [0; 8]).unwrap().faults, 1);
        let mut b = Builder::new();
        let s = b.f.new_slot(2, "x");
        let a = b.one(Kind::SlotAddr(s));
        b.none(Kind::Store { space: Space::Stack, width: Width::W32, addr: a, offset: 16, values: vec![a] });
        assert!(b.run(&Launch::default(), &mut []).unwrap_err().contains("outside of stack"));
        let mut b = Builder::new();
        let next = b.f.new_block();
        b.none(Kind::Jump(Target { block: next, args: vec![] }));
        b.b = next;
        b.none(Kind::Jump(Target { block: next, args: vec![] }));
        let m = Module { funcs: vec![b.f], files: vec![] };
        let e = run(&m, FuncId(0), &Launch { step_limit: 1000, ..Default::default() }, &mut []).unwrap_err();
        assert!(e.contains("no end"), "{e}");
    }

    #[test]
    fn narrow_accesses_extend_and_align() {
        let mut b = Builder::new();
        let zero = b.one(Kind::Const(0));
        let v = b.one(Kind::Load { space: Space::Global, width: Width::S16, addr: zero, offset: 3 });
        let u = b.one(Kind::Load { space: Space::Global, width: Width::U8, addr: zero, offset: 3 });
        let both = b.alu(Op::IAdd, &[v, u]);
        b.none(Kind::Store { space: Space::Global, width: Width::W64, addr: zero, offset: 13, values: vec![both, u] });
        let mut memory = vec![0x80, 0x81, 0x82, 0xFF, 0, 0, 0, 0, 9, 9, 9, 9, 9, 9, 9, 9];
        b.run(&Launch::default(), &mut memory).unwrap();
        assert_eq!(words(&memory)[2..], [0xFFFF_FF82_u32.wrapping_add(0xFF), 0xFF]);
    }

    #[test]
    fn calls_return_several_values_and_frames_are_apart() {
        let mut g = Func { name: "swap".into(), results: 2, ..Default::default() };
        let s = g.new_slot(1, "t");
        let b = g.new_block();
        let (x, y) = (g.new_value(), g.new_value());
        g.blocks[0].params = vec![x, y];
        g.push(b, Kind::SlotStore { slot: s, word: 0, value: x }, 0, LOC);
        let t = g.push(b, Kind::SlotLoad { slot: s, word: 0 }, 1, LOC)[0];
        g.push(b, Kind::Return(vec![y, t]), 0, LOC);
        let mut b = Builder::new();
        let s = b.f.new_slot(1, "t");
        let (p, q) = (b.one(Kind::Const(4)), b.one(Kind::Const(8)));
        b.none(Kind::SlotStore { slot: s, word: 0, value: q });
        let r = b.f.push(b.b, Kind::Call { func: FuncId(1), args: vec![p, q] }, 2, LOC);
        let kept = b.one(Kind::SlotLoad { slot: s, word: 0 });
        b.store(Space::Global, p, r[0]);
        b.store(Space::Global, q, r[1]);
        b.store(Space::Global, kept, kept);
        b.none(Kind::Return(vec![]));
        let m = Module { funcs: vec![b.f, g], files: vec![] };
        crate::ssa::verify::verify_module(&m).unwrap();
        let mut memory = vec![0; 12];
        run(&m, FuncId(0), &Launch::default(), &mut memory).unwrap();
        assert_eq!(words(&memory), [0, 8, 8]);
    }
}
