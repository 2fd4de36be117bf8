//! Spill code: values that find no register live in the thread's frame.
//!
//! Spilled everywhere: a store behind every definition, a load in front of every use. What one
//! instruction can make again (a constant, a special register) is made again instead. Members of
//! one coalesced cell never live at the same time, so they share a slot and copies among them
//! vanish. The stack pointer is made in the entry block the first time something spills, and is
//! never spilled. Wrong if two values that live together share a slot: that is the planted fault
//! `spill-slot-clash`, and the property test with eight registers finds it.

use super::mir::{MBlock, MFunc, MInst, Operand, Term, VReg};
use super::parallel::{sequence, Step};
use crate::fault::CompilerFault;
use crate::ssa::Loc;
use quadlock_isa::{abi, Op, Special};
use std::collections::HashMap;

/// Instructions that spilling added.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct SpillCode {
    /// Stores to the stack.
    pub stores: usize,
    /// Loads from it.
    pub reloads: usize,
    /// Values made again.
    pub again: usize,
    /// Stores and reloads, each counted ten times for each loop around it, four loops at most.
    pub weighted: usize,
}

impl SpillCode {
    /// Counts it.
    pub(super) fn of(f: &MFunc) -> SpillCode {
        let mut all = SpillCode::default();
        for b in &f.blocks {
            for m in b.insts.iter().filter(|m| m.spill) {
                let count = match m.op {
                    op if op.is_store() => &mut all.stores,
                    op if op.is_load() => &mut all.reloads,
                    _ => &mut all.again,
                };
                *count += 1;
                all.weighted += usize::from(m.op.is_memory()) * 10usize.pow(b.depth.min(4));
            }
        }
        all
    }
}

/// What is remembered from one round of spilling to the next.
pub struct State {
    /// Registers made by spill code: their lives are short already.
    temporaries: Vec<VReg>,
    fault: Option<CompilerFault>,
    /// The slot that the planted fault gives to everybody.
    clash: Option<u32>,
    has_stack_pointer: bool,
}

impl State {
    pub fn new(fault: Option<CompilerFault>) -> State {
        State { temporaries: Vec::new(), fault, clash: None, has_stack_pointer: false }
    }
}

/// Executions of spill code that spilling each register would add, with a factor of ten per loop;
/// infinite where spilling cannot help.
pub fn costs(f: &MFunc, state: &State) -> Vec<f64> {
    let mut cost = vec![0.0; f.vregs as usize];
    for b in &f.blocks {
        let weight = 10f64.powi(b.depth.min(8) as i32);
        let mut add = |r: VReg| cost[r.index()] += weight;
        b.insts.iter().for_each(|m| m.uses().chain(m.defs.iter().copied()).for_each(&mut add));
        b.copies.iter().flat_map(|&(d, s)| [Some(d), s.reg()]).flatten().chain(b.term.cond()).for_each(&mut add);
    }
    for (r, m) in cheap(f) {
        // No store, and the definition goes away. A constant is dearer than a special register only
        // in size.
        cost[r.index()] *= if m.op == Op::Mov { 0.4 } else { 0.5 };
    }
    for r in state.temporaries.iter().chain(&f.stack_pointer) {
        cost[r.index()] = f64::INFINITY;
    }
    cost
}

/// What an access to the frame costs, in issue slots: its own, and a transaction for each lane of
/// the warp. The frames of the lanes lie in lines of their own, and the pipeline of memory makes
/// one transaction after the other.
const ACCESS: f64 = 1.0 + abi::LANES as f64;

/// How often a block counts: ten times for each loop around it.
fn weight(b: &MBlock) -> f64 {
    10f64.powi(b.depth.min(8) as i32)
}

/// What the spill code of a program costs, in issue slots. To make a value again is one.
pub fn paid(f: &MFunc) -> f64 {
    let blocks = f.blocks.iter().map(|b| {
        let each = |m: &MInst| if m.op.is_memory() { ACCESS } else { 1.0 };
        weight(b) * b.insts.iter().filter(|m| m.spill).map(each).sum::<f64>()
    });
    blocks.sum()
}

/// The same with the moves that are left in the program with these registers, one slot each.
pub fn cost(f: &MFunc, colour: &[Option<u8>]) -> f64 {
    let moves = f.blocks.iter().map(|b| {
        let moves = b.insts.iter().filter_map(MInst::as_move).map(|(d, s)| (d, Operand::Reg(s)));
        let stays = |d: VReg, s: Operand| s.reg().is_none_or(|s| colour[s.index()] != colour[d.index()]);
        weight(b) * moves.chain(b.copies.iter().copied()).filter(|&(d, s)| stays(d, s)).count() as f64
    });
    paid(f) + moves.sum::<f64>()
}

/// Values that one instruction makes again, with it.
pub type Cheap = HashMap<VReg, MInst>;

/// Registers with one definition, which is cheap.
pub fn cheap(f: &MFunc) -> Cheap {
    let mut count: HashMap<VReg, u32> = HashMap::new();
    let mut found = HashMap::new();
    for b in &f.blocks {
        for m in &b.insts {
            m.defs.iter().for_each(|d| *count.entry(*d).or_default() += 1);
            if m.is_cheap() {
                found.insert(m.defs[0], m.clone());
            }
        }
        b.copies.iter().for_each(|(d, _)| *count.entry(*d).or_default() += 1);
    }
    found.retain(|r, _| count[r] == 1);
    found
}

/// Where a spilled value is.
#[derive(Clone)]
enum Home {
    /// Byte offset in the frame.
    Slot(u32),
    /// Made again by this instruction.
    Again(MInst),
}

/// Spills registers, each given with the cell it was coalesced into.
pub fn spill(f: &mut MFunc, victims: &[(VReg, usize)], state: &mut State) {
    sequence_copies(f);
    let cheap = cheap(f);
    let mut slots: HashMap<usize, u32> = HashMap::new();
    let mut homes: HashMap<VReg, Home> = HashMap::new();
    for &(r, cell) in victims {
        let home = match cheap.get(&r) {
            Some(m) => Home::Again(m.clone()),
            None => Home::Slot(*slots.entry(cell).or_insert_with(|| new_slot(f, state))),
        };
        homes.insert(r, home);
    }
    if !slots.is_empty() {
        make_stack_pointer(f, state);
    }
    let stack_pointer = f.stack_pointer;
    for b in 0..f.blocks.len() {
        let old = std::mem::take(&mut f.blocks[b].insts);
        let mut r = Rewriter { f, homes: &homes, state, stack_pointer, out: Vec::with_capacity(old.len()) };
        old.into_iter().for_each(|m| r.inst(m));
        r.terminator(b);
        f.blocks[b].insts = r.out;
    }
}

pub fn new_slot(f: &mut MFunc, state: &mut State) -> u32 {
    if let (Some(CompilerFault::SpillSlotClash), Some(slot)) = (state.fault, state.clash) {
        return slot;
    }
    let slot = f.frame.next_multiple_of(4);
    f.frame = slot + 4;
    state.clash = Some(slot);
    slot
}

/// The frame's address in a register, made at the very start of the program: the scheduler may have
/// put its first definition behind what is now spilled.
pub fn make_stack_pointer(f: &mut MFunc, state: &mut State) {
    if std::mem::replace(&mut state.has_stack_pointer, true) {
        return;
    }
    let [thread, product] = [0; 2].map(|_| f.new_vreg());
    let sp = match f.stack_pointer {
        Some(sp) => {
            remove_definition(f, sp);
            sp
        }
        None => f.new_vreg(),
    };
    let loc = Loc::default();
    let special = MInst { imm: Special::ThreadSlot as u32, ..MInst::new(Op::S2R, vec![thread], loc) };
    let size = Operand::Const(abi::CONST_STACK_SIZE as u32);
    let multiply = MInst { a: Some(thread), b: size, ..MInst::new(Op::IMul, vec![product], loc) };
    let base = Operand::Const(abi::CONST_STACK_BASE as u32);
    let add = MInst { a: Some(product), b: base, ..MInst::new(Op::IAdd, vec![sp], loc) };
    f.blocks[0].insts.splice(0..0, [special, multiply, add]);
    f.stack_pointer = Some(sp);
    state.temporaries.extend([thread, product]);
}

/// Removes the definition of `r` in the entry block, and what only it needed.
fn remove_definition(f: &mut MFunc, r: VReg) {
    let Some(at) = f.blocks[0].insts.iter().position(|m| m.defs == [r]) else { return };
    let gone = f.blocks[0].insts.remove(at);
    for u in gone.uses().collect::<Vec<_>>() {
        let reads = |b: &MBlock| {
            let copies = b.copies.iter().filter_map(|c| c.1.reg());
            b.insts.iter().flat_map(|m| m.uses()).chain(copies).chain(b.term.cond()).any(|x| x == u)
        };
        if !f.blocks.iter().any(reads) {
            remove_definition(f, u);
        }
    }
}

/// Rewrites one block.
struct Rewriter<'a> {
    f: &'a mut MFunc,
    homes: &'a HashMap<VReg, Home>,
    state: &'a mut State,
    stack_pointer: Option<VReg>,
    out: Vec<MInst>,
}

impl Rewriter<'_> {
    fn temporary(&mut self) -> VReg {
        let t = self.f.new_vreg();
        self.state.temporaries.push(t);
        t
    }

    fn reload(&mut self, r: VReg, loc: Loc) -> VReg {
        let homes = self.homes;
        let Some(home) = homes.get(&r) else { return r };
        let t = self.temporary();
        self.out.push(match home {
            Home::Again(m) => MInst { defs: vec![t], spill: true, loc, ..m.clone() },
            Home::Slot(s) => {
                MInst { a: self.stack_pointer, imm: *s, spill: true, ..MInst::new(Op::Ld32, vec![t], loc) }
            }
        });
        t
    }

    fn inst(&mut self, mut m: MInst) {
        let homes = self.homes;
        let home = |r: &VReg| homes.get(r);
        if matches!(m.defs.first().and_then(home), Some(Home::Again(_))) {
            return;
        }
        if let Some((d, s)) = m.as_move() {
            if let (Some(Home::Slot(a)), Some(Home::Slot(b))) = (home(&d), home(&s)) {
                if a == b && self.state.fault != Some(CompilerFault::SpillSlotClash) {
                    return;
                }
            }
        }
        let mut reads: Vec<VReg> = m.uses().collect();
        reads.sort_unstable();
        reads.dedup();
        let renamed: HashMap<VReg, VReg> = reads.into_iter().map(|r| (r, self.reload(r, m.loc))).collect();
        m.map_uses(&mut |r| renamed[&r]);
        let mut stores = Vec::new();
        for i in 0..m.defs.len() {
            if let Some(Home::Slot(s)) = homes.get(&m.defs[i]) {
                let t = self.temporary();
                m.defs[i] = t;
                stores.push(MInst {
                    a: self.stack_pointer,
                    imm: *s,
                    data: vec![t],
                    own: true,
                    spill: true,
                    ..MInst::new(Op::St32, vec![], m.loc)
                });
            }
        }
        self.out.push(m);
        self.out.extend(stores);
    }

    fn terminator(&mut self, b: usize) {
        let loc = self.f.blocks[b].term_loc;
        if let Term::Branch { cond, negate, then, other } = self.f.blocks[b].term {
            let cond = self.reload(cond, loc);
            self.f.blocks[b].term = Term::Branch { cond, negate, then, other };
        }
    }
}

/// Turns the parallel copies into moves, which spill code can be put between. A cycle is broken
/// with a temporary.
fn sequence_copies(f: &mut MFunc) {
    for b in 0..f.blocks.len() {
        let copies = std::mem::take(&mut f.blocks[b].copies);
        let loc = f.blocks[b].term_loc;
        for step in sequence(&copies, Operand::reg, Operand::Reg, || Some(f.new_vreg())) {
            if let Step::Copy(d, s) = step {
                f.blocks[b].insts.push(MInst::mov(d, s, loc));
            }
        }
    }
}
