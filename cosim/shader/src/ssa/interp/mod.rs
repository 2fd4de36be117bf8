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

mod memory;
#[cfg(test)]
mod tests;
mod warp;
pub(super) mod words;

use super::{Block, Func, FuncId, Kind, Module, Slot, Space, Target, Value};
use crate::ops::eval::eval;
use crate::ops::float::canonical;
use crate::ops::predicate::cross_lane;
use quadlock_isa::{Op, Special};
use std::collections::HashMap;

pub use words::atomic;
use words::{atomic_width, read, write};

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

impl Slot {
    /// Whether the address of the slot is taken anywhere: it then lives on the stack.
    pub fn address_taken(self, func: &Func) -> bool {
        let insts = func.layout.iter().flat_map(|b| &func.blocks[b.index()].insts);
        insts.into_iter().any(|i| i.kind == Kind::SlotAddr(self))
    }
}
