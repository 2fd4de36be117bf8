//! Gives stack and work-group accesses their machine addresses, in SSA.
//!
//! A stack access at frame offset x goes to global address
//! `c[CONST_STACK_BASE] + thread_slot * c[CONST_STACK_SIZE] + x`; a work-group access at offset x
//! goes to shared address `shared_base + x`. The two bases are made once, in the entry block. The
//! sum of a base and a computed offset is made once, right behind the definition of the offset, so
//! that every access with that offset uses it and it is never inside a loop that the offset is not
//! in. Constant parts of an offset end in the instruction's own offset field. If the computed part
//! is itself a sum of something that changes in a loop and something that does not, the base goes
//! to the latter. Wrong if two slots overlap: the frame's test forbids it.

use super::cfg::{successors, Cfg};
use crate::ssa::{Block, Func, Inst, Kind, Loc, Space, Value, Width};
use quadlock_isa::{abi, Op, Special};
use std::collections::HashMap;

/// What the lowering added.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lowered {
    /// Bytes of the thread's frame taken by slots.
    pub frame: u32,
    /// The frame's address.
    pub stack_pointer: Option<Value>,
}

/// Rewrites `func`; afterwards no slot operation is left, and all addresses are machine addresses.
/// `Space::Stack` still marks the stores that helpers do too.
pub fn run(func: &mut Func) -> Lowered {
    let (offsets, frame) = frame_layout(func);
    let known = known(func, &offsets);
    let mut bases = Bases { depth: depths(func), stack: None, shared: None, sums: HashMap::new() };
    for b in func.layout.clone() {
        let mut insts = std::mem::take(&mut func.blocks[b.index()].insts);
        for inst in &mut insts {
            lower_inst(func, inst, &offsets, &known, &mut bases);
        }
        func.blocks[b.index()].insts = insts;
    }
    place(func, &bases);
    Lowered { frame, stack_pointer: bases.stack }
}

struct Bases {
    /// Loops around the definition of each value.
    depth: Vec<u32>,
    stack: Option<Value>,
    shared: Option<Value>,
    /// (offset value, stack or shared) -> the sum with the base, and its operands.
    sums: HashMap<(Value, bool), (Value, [Value; 2])>,
}

impl Bases {
    fn base(&mut self, func: &mut Func, stack: bool) -> Value {
        let slot = if stack { &mut self.stack } else { &mut self.shared };
        *slot.get_or_insert_with(|| func.new_value())
    }

    /// The base plus `x`.
    fn sum(&mut self, func: &mut Func, known: &HashMap<Value, Known>, x: Value, stack: bool) -> Value {
        if let Some(&(sum, _)) = self.sums.get(&(x, stack)) {
            return sum;
        }
        let outer =
            |v: Value| self.depth[v.index()] < self.depth[x.index()] && !matches!(known.get(&v), Some(Known::Const(_)));
        let operands = match known.get(&x) {
            Some(&Known::Sum(a, b)) if outer(b) => [a, self.sum(func, known, b, stack)],
            Some(&Known::Sum(a, b)) if outer(a) => [b, self.sum(func, known, a, stack)],
            _ => [x, self.base(func, stack)],
        };
        let sum = func.new_value();
        self.sums.insert((x, stack), (sum, operands));
        sum
    }
}

fn depths(func: &Func) -> Vec<u32> {
    let cfg = Cfg::new(&successors(func), 0);
    let mut depth = vec![0; func.values as usize];
    for (b, d) in func.layout.iter().zip(cfg.depth) {
        let data = &func.blocks[b.index()];
        let values = data.params.iter().chain(data.insts.iter().flat_map(|i| &i.results));
        values.for_each(|v| depth[v.index()] = d);
    }
    depth
}

/// Byte offset of each slot that some instruction mentions, and the size of the frame. Slots of
/// four words and more begin at multiples of 16.
fn frame_layout(func: &Func) -> (Vec<u32>, u32) {
    let mut used = vec![false; func.slots.len()];
    for inst in func.layout.iter().flat_map(|b| &func.blocks[b.index()].insts) {
        if let Kind::SlotLoad { slot, .. } | Kind::SlotStore { slot, .. } | Kind::SlotAddr(slot) = inst.kind {
            used[slot.index()] = true;
        }
    }
    let mut at = 0u32;
    let offsets = (func.slots.iter().zip(used))
        .map(|(slot, used)| {
            let align: u32 = if slot.words >= 4 { 16 } else { 8 };
            let offset = at.next_multiple_of(align);
            if used {
                at = offset + 4 * slot.words;
            }
            offset
        })
        .collect();
    (offsets, at)
}

/// Values known as constants, slot addresses among them.
fn known(func: &Func, offsets: &[u32]) -> HashMap<Value, Known> {
    let mut known = HashMap::new();
    for inst in func.layout.iter().flat_map(|b| &func.blocks[b.index()].insts) {
        let k = match &inst.kind {
            Kind::Const(c) => Known::Const(*c),
            Kind::SlotAddr(s) => Known::Const(offsets[s.index()]),
            Kind::Alu(Op::IAdd, args) => Known::Sum(args[0], args[1]),
            _ => continue,
        };
        known.insert(inst.results[0], k);
    }
    known
}

#[derive(Clone, Copy)]
enum Known {
    Const(u32),
    Sum(Value, Value),
}

/// Splits an address into a computed part and a constant part.
fn split(known: &HashMap<Value, Known>, addr: Value) -> (Option<Value>, u32) {
    match known.get(&addr) {
        Some(Known::Const(c)) => (None, *c),
        Some(&Known::Sum(x, y)) => match (split(known, x), split(known, y)) {
            ((a, c), (None, d)) | ((None, c), (a, d)) => (a, c.wrapping_add(d)),
            _ => (Some(addr), 0),
        },
        None => (Some(addr), 0),
    }
}

fn lower_inst(func: &mut Func, inst: &mut Inst, offsets: &[u32], known: &HashMap<Value, Known>, bases: &mut Bases) {
    let access = |slot: usize, word: u32| (offsets[slot] + 4 * word) as i32;
    if let Kind::Load { space, addr, offset, .. }
    | Kind::Store { space, addr, offset, .. }
    | Kind::Atomic { space, addr, offset, .. } = &mut inst.kind
    {
        if matches!(space, Space::Global | Space::ReadOnly) {
            return;
        }
        let stack = *space == Space::Stack;
        let (computed, constant) = split(known, *addr);
        *offset = offset.wrapping_add(constant as i32);
        *addr = match computed {
            None => bases.base(func, stack),
            Some(x) => bases.sum(func, known, x, stack),
        };
        if stack && !matches!(inst.kind, Kind::Store { .. }) {
            set_global(&mut inst.kind);
        }
        return;
    }
    match &mut inst.kind {
        Kind::SlotAddr(s) => inst.kind = Kind::Const(offsets[s.index()]),
        Kind::SlotLoad { slot, word } => {
            let (addr, offset) = (bases.base(func, true), access(slot.index(), *word));
            inst.kind = Kind::Load { space: Space::Global, width: Width::W32, addr, offset };
        }
        Kind::SlotStore { slot, word, value } => {
            let (addr, offset, values) = (bases.base(func, true), access(slot.index(), *word), vec![*value]);
            inst.kind = Kind::Store { space: Space::Stack, width: Width::W32, addr, offset, values };
        }
        _ => {}
    }
}

fn set_global(kind: &mut Kind) {
    if let Kind::Load { space, .. } | Kind::Atomic { space, .. } = kind {
        *space = Space::Global;
    }
}

/// Puts the definitions of the bases at the start of the entry block and those of the sums behind
/// the definitions of their offsets.
fn place(func: &mut Func, bases: &Bases) {
    for b in func.layout.clone() {
        let old = std::mem::take(&mut func.blocks[b.index()].insts);
        let mut new = Vec::with_capacity(old.len());
        if b == func.entry() {
            place_bases(func, bases, &mut new);
        }
        for p in func.blocks[b.index()].params.clone() {
            place_sums(bases, p, Loc::default(), &mut new);
        }
        for inst in old {
            let (results, loc) = (inst.results.clone(), inst.loc);
            new.push(inst);
            for r in results {
                place_sums(bases, r, loc, &mut new);
            }
        }
        func.blocks[b.index()].insts = new;
    }
}

fn place_sums(bases: &Bases, x: Value, loc: Loc, out: &mut Vec<Inst>) {
    for stack in [true, false] {
        if let Some(&(sum, operands)) = bases.sums.get(&(x, stack)) {
            out.push(Inst { exact: true, kind: Kind::Alu(Op::IAdd, operands.to_vec()), results: vec![sum], loc });
        }
    }
}

fn place_bases(func: &mut Func, bases: &Bases, out: &mut Vec<Inst>) {
    let loc = Loc::default();
    let mut push = |kind, result| out.push(Inst { exact: true, kind, results: vec![result], loc });
    if let Some(sp) = bases.stack {
        let [thread, size, product, base] = [0; 4].map(|_| func.new_value());
        push(Kind::Special(Special::ThreadSlot), thread);
        push(Kind::ConstWord(abi::CONST_STACK_SIZE as u32), size);
        push(Kind::Alu(Op::IMul, vec![thread, size]), product);
        push(Kind::ConstWord(abi::CONST_STACK_BASE as u32), base);
        push(Kind::Alu(Op::IAdd, vec![product, base]), sp);
    }
    if let Some(sb) = bases.shared {
        push(Kind::Special(Special::SharedBase), sb);
    }
}

/// Splits every edge that leaves a two-way branch and carries arguments, so that the copies for the
/// arguments have a block of their own; a block with a single predecessor gets its arguments by
/// renaming instead. A new block stands right behind the block it comes from: lanes that take the
/// edge run it before lanes waiting further on, and the merge point keeps its place in the layout.
pub fn split_edges(func: &mut Func) {
    rename_single_predecessors(func);
    let mut layout = Vec::new();
    for b in func.layout.clone() {
        layout.push(b);
        let Some(mut last) = func.blocks[b.index()].insts.pop() else { continue };
        if matches!(last.kind, Kind::Branch { .. }) {
            let loc = last.loc;
            for target in last.kind.targets_mut().into_iter().filter(|t| !t.args.is_empty()) {
                let edge: Block = func.new_detached_block();
                let through = std::mem::replace(target, crate::ssa::Target { block: edge, args: vec![] });
                func.blocks[edge.index()].insts.push(Inst {
                    exact: true,
                    kind: Kind::Jump(through),
                    results: vec![],
                    loc,
                });
                layout.push(edge);
            }
        }
        func.blocks[b.index()].insts.push(last);
    }
    func.layout = layout;
}

fn rename_single_predecessors(func: &mut Func) {
    let mut edges: HashMap<Block, usize> = HashMap::new();
    let each = |func: &Func| -> Vec<(Block, Block)> {
        let out = func.layout.iter().flat_map(|&b| {
            let last = func.blocks[b.index()].insts.last();
            last.map(|i| i.kind.targets()).unwrap_or_default().into_iter().map(move |t| (b, t.block))
        });
        out.collect()
    };
    for (_, to) in each(func) {
        *edges.entry(to).or_default() += 1;
    }
    let entry = func.entry();
    let mut rename: HashMap<Value, Value> = HashMap::new();
    for b in func.layout.clone() {
        let Some(last) = func.blocks[b.index()].insts.last_mut() else { continue };
        let mut taken = Vec::new();
        for t in last.kind.targets_mut() {
            if edges.get(&t.block) == Some(&1) && t.block != entry && t.block != b {
                taken.push((t.block, std::mem::take(&mut t.args)));
            }
        }
        for (block, args) in taken {
            let params = std::mem::take(&mut func.blocks[block.index()].params);
            rename.extend(params.into_iter().zip(args));
        }
    }
    let resolve = |v: Value| {
        // No chain is longer than the map; the bound keeps a cycle among unreachable blocks from
        // hanging the compiler.
        (0..rename.len()).fold(v, |v, _| *rename.get(&v).unwrap_or(&v))
    };
    for b in func.layout.clone() {
        for inst in &mut func.blocks[b.index()].insts {
            inst.kind.map_uses(&mut |v| resolve(v));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_do_not_overlap_and_constant_offsets_fold() {
        let mut f = Func::default();
        let b = f.new_block();
        let (small, large) = (f.new_slot(1, "s"), f.new_slot(5, "l"));
        let l = Loc::default();
        let x = f.push(b, Kind::Special(Special::Lane), 1, l)[0];
        f.push(b, Kind::SlotStore { slot: small, word: 0, value: x }, 0, l);
        let base = f.push(b, Kind::SlotAddr(large), 1, l)[0];
        let four = f.push(b, Kind::Const(4), 1, l)[0];
        let base4 = f.push(b, Kind::Alu(Op::IAdd, vec![base, four]), 1, l)[0];
        let addr = f.push(b, Kind::Alu(Op::IAdd, vec![base4, x]), 1, l)[0];
        let load = Kind::Load { space: Space::Stack, width: Width::W32, addr, offset: 8 };
        f.push(b, load, 1, l);
        f.push(b, Kind::Return(vec![]), 0, l);
        let lowered = run(&mut f);
        assert_eq!(lowered.frame, 36);
        let insts = &f.blocks[0].insts;
        let Some(Kind::Load { space: Space::Global, addr, offset, .. }) =
            insts.iter().map(|i| &i.kind).find(|k| matches!(k, Kind::Load { .. }))
        else {
            panic!("no load");
        };
        assert_eq!(*offset, 16 + 4 + 8);
        let def = insts.iter().find(|i| i.results.contains(addr)).map(|i| i.kind.clone());
        assert_eq!(def, lowered.stack_pointer.map(|sp| Kind::Alu(Op::IAdd, vec![x, sp])));
    }
}
