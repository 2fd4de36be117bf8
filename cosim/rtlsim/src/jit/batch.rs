//! Batch mode: four copies of the design advanced by one run of the code, each value a vector with a lane for each copy ([`super::vector`]); more copies
//! than four are several groups, run one after the other. Plan, regions and branches are those of the single engine: a region runs if any of its
//! copies needs it, a branch is taken if any copy takes it, and what a copy must not do (load a register, write a memory) is masked by
//! its own enable. The copies never see each other. Lanes without a copy do what the first copy of their group does, so that they cost nothing.
//!
//! It can be wrong by forgetting the mask somewhere: a copy then does what its neighbour wanted. The test runs copies with different inputs against as many
//! interpreters.

use std::collections::HashMap;

use cranelift_codegen::ir::types::{I32, I32X4, I64, I8};
use cranelift_codegen::ir::{Block as IrBlock, Function, InstBuilder, UserFuncName, Value};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext, Variable};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Linkage, Module as _};
use rayon::prelude::*;

use super::call::Module;
use super::code::{flags, Code};
use super::ops::{Operand, Ops, Val};
use super::schedule::{bases, cheap, schedule, Guard, Schedule, Step};
use super::vector::{limbs_of, Arg, Lanes, Vector, LANES};
use super::{compile, internal, isa, signature, Piece};
use crate::bits::Bits;
use crate::graph::{NodeId, Op, RegId};
use crate::plan::{slot_bytes, word_bytes, Block, Kind, Plan, NONE};
use crate::Error;

/// Sets of (word, mask) that a change sets.
type Marks = Vec<(u32, u64)>;

/// A branch that is open (the first is the function itself).
#[derive(Default)]
struct Frame {
    values: HashMap<u32, Lanes>,
    /// Where the branch ends.
    join: Option<IrBlock>,
    /// Copies that are in the branch (`None`: all).
    path: Option<Lanes>,
    /// Changes not yet written: who must know, and differing bits.
    dirty: Vec<(Marks, Value)>,
    /// Blocks of registers under the enable that is open.
    blocks: Vec<u32>,
}

/// The function in hand.
struct Region<'c, 'f, 'b> {
    code: &'c Code<'c>,
    b: &'f mut FunctionBuilder<'b>,
    state: Value,
    region: u32,
    frames: Vec<Frame>,
    /// Items computed behind a condition and read after it: one variable for each limb.
    escaping: HashMap<u32, Vec<Variable>>,
}

/// Adds a bit to a set of marks.
fn mark(marks: &mut Marks, bit: u32) {
    let (word, mask) = (bit / 64, 1u64 << (bit % 64));
    match marks.iter_mut().find(|m| m.0 == word) {
        Some(m) => m.1 |= mask,
        None => marks.push((word, mask)),
    }
}

fn entry(b: &mut FunctionBuilder) -> Value {
    let block = b.create_block();
    b.append_block_params_for_function_params(block);
    b.switch_to_block(block);
    b.seal_block(block);
    b.block_params(block)[0]
}

fn begin(b: &mut FunctionBuilder, block: IrBlock) {
    b.switch_to_block(block);
    b.seal_block(block);
}

fn band(b: &mut FunctionBuilder, v: Value, mask: u64) -> Value {
    let m = b.ins().iconst(I64, mask as i64);
    b.ins().band(v, m)
}

fn set_bits(b: &mut FunctionBuilder, state: Value, at: u32, mask: u64) {
    let old = b.ins().load(I64, flags(), state, at as i32);
    let mask = b.ins().iconst(I64, mask as i64);
    let new = b.ins().bor(old, mask);
    b.ins().store(flags(), new, state, at as i32);
}

/// `words[w] |= change ? mask : 0` for every mark.
fn set_marks(b: &mut FunctionBuilder, state: Value, words: u32, marks: &Marks, change: Value) {
    for &(word, mask) in marks {
        let at = (words + word * 8) as i32;
        let zero = b.ins().iconst(I64, 0);
        let mask = b.ins().iconst(I64, mask as i64);
        let bits = b.ins().select(change, mask, zero);
        let old = b.ins().load(I64, flags(), state, at);
        let new = b.ins().bor(old, bits);
        b.ins().store(flags(), new, state, at);
    }
}

fn load(b: &mut FunctionBuilder, state: Value, offset: u32, width: u32) -> Lanes {
    let limbs = 0..limbs_of(width);
    Lanes::new(limbs.map(|i| b.ins().load(I32X4, flags(), state, (offset + 16 * i) as i32)).collect())
}

fn store(b: &mut FunctionBuilder, state: Value, offset: u32, limbs: &[Value]) {
    for (i, &v) in limbs.iter().enumerate() {
        b.ins().store(flags(), v, state, offset as i32 + 16 * i as i32);
    }
}

/// One copy of a value in memory, in scalar form.
fn load_lane(b: &mut FunctionBuilder, base: Value, offset: u32, width: u32, lane: u32) -> Operand {
    let mut word = |i: u32| b.ins().load(I32, flags(), base, (offset + 16 * i + 4 * lane) as i32);
    let words: Vec<Value> = (0..limbs_of(width)).map(&mut word).collect();
    let val = match width {
        1 => {
            let v = b.ins().ireduce(I8, words[0]);
            Val::Narrow(b.ins().band_imm_u(v, 1))
        }
        2..=32 => Val::Narrow(words[0]),
        _ => {
            let mut whole = Vec::new();
            for pair in words.chunks(2) {
                let mut v = b.ins().uextend(I64, pair[0]);
                if let Some(&high) = pair.get(1) {
                    let high = b.ins().uextend(I64, high);
                    let high = b.ins().ishl_imm_u(high, 32);
                    v = b.ins().bor(v, high);
                }
                whole.push(v);
            }
            if width <= 64 {
                Val::Narrow(whole[0])
            } else {
                Val::Wide(whole)
            }
        }
    };
    Operand { val, width, constant: None }
}

/// The opposite.
fn store_lane(b: &mut FunctionBuilder, base: Value, width: u32, lane: u32, val: &Val) {
    let whole = match val {
        Val::Narrow(v) | Val::Pack(v) => vec![*v],
        Val::Wide(l) => l.clone(),
    };
    for i in 0..limbs_of(width) {
        let word = match width {
            1 => {
                let v = b.ins().uextend(I32, whole[0]);
                b.ins().ineg(v)
            }
            2..=32 => whole[0],
            _ => {
                let mut v = whole[i as usize / 2];
                if i % 2 == 1 {
                    v = b.ins().ushr_imm_u(v, 32);
                }
                b.ins().ireduce(I32, v)
            }
        };
        b.ins().store(flags(), word, base, (16 * i + 4 * lane) as i32);
    }
}

/// Bits of a node that can be other than zero.
fn bits_of(plan: &Plan, node: NodeId) -> u32 {
    let n = plan.graph.node(node);
    match &n.op {
        Op::ZExt => bits_of(plan, n.args[0]),
        Op::Const(v) if n.width <= 64 => 64 - v.to_u64().leading_zeros(),
        _ => n.width,
    }
}

/// Body of the function of a region.
fn region(code: &Code, b: &mut FunctionBuilder, region: u32) {
    let state = entry(b);
    let order = schedule(code.plan, region, code.options.lazy);
    let mut r = Region { code, b, state, region, frames: vec![Frame::default()], escaping: HashMap::new() };
    r.find_escaping(&order);
    r.clear_commits();
    for &step in &order.steps {
        match step {
            Step::Enter(g) => r.enter(&order.guards[g as usize]),
            Step::Exit => r.exit(),
            Step::Item(i) => r.item(i),
        }
    }
    r.flush();
    r.b.ins().return_(&[]);
}

/// Body of the edge of a domain: next values become current ones, write ports write. `masked`: only
/// in the copies of the mask in the state, as copies share their clocks but not their asynchronous
/// edges. The others wait: what has a next value keeps its mark.
fn commit(code: &Code, b: &mut FunctionBuilder, domain: u32, masked: bool) {
    let state = entry(b);
    let l = &code.plan.layout;
    let mask = masked.then(|| b.ins().load(I32X4, flags(), state, l.asynchronous_mask as i32));
    for block in code.plan.blocks.iter().filter(|block| block.always && block.domains.contains(&domain)) {
        copy(code, b, state, block, mask);
    }
    for word in 0..l.commit_words {
        let at = (l.commit + word * 8) as i32;
        let blocks = code.plan.blocks.iter().enumerate().skip(word as usize * 64).take(64);
        let mine: Vec<_> = blocks.filter(|(_, block)| block.domains.contains(&domain) && !block.always).collect();
        if mine.is_empty() {
            continue;
        }
        let (some, next) = (b.create_block(), b.create_block());
        let bits = b.ins().load(I64, flags(), state, at);
        b.ins().brif(bits, some, &[], next, &[]);
        begin(b, some);
        let mut clear = u64::MAX;
        for (k, block) in mine {
            clear &= !(1 << (k % 64));
            let (run, skip) = (b.create_block(), b.create_block());
            let bit = band(b, bits, 1 << (k % 64));
            b.ins().brif(bit, run, &[], skip, &[]);
            begin(b, run);
            copy(code, b, state, block, mask);
            b.ins().jump(skip, &[]);
            begin(b, skip);
        }
        if !masked {
            let rest = if clear == 0 { b.ins().iconst(I64, 0) } else { band(b, bits, clear) };
            b.ins().store(flags(), rest, state, at);
        }
        b.ins().jump(next, &[]);
        begin(b, next);
    }
    for word in 0..l.port_words {
        commit_ports(code, b, state, domain, word, masked);
    }
    b.ins().return_(&[]);
}

/// Next values to current ones, with the marks of those that change.
fn copy(code: &Code, b: &mut FunctionBuilder, state: Value, block: &Block, mask: Option<Value>) {
    for &(offset, bytes, source) in &block.groups {
        let marks = if source == NONE { Marks::new() } else { code.marks(source) };
        let mut changes = None;
        for at in (offset..offset + bytes).step_by(16) {
            let mut next = b.ins().load(I32X4, flags(), state, (block.next + at) as i32);
            if !marks.is_empty() || mask.is_some() {
                let old = b.ins().load(I32X4, flags(), state, (block.current + at) as i32);
                if let Some(mask) = mask {
                    next = b.ins().bitselect(mask, next, old);
                }
                let change = b.ins().bxor(next, old);
                changes = Some(match changes {
                    Some(other) => b.ins().bor(other, change),
                    None => change,
                });
            }
            b.ins().store(flags(), next, state, (block.current + at) as i32);
        }
        if let Some(changes) = changes {
            let change = b.ins().vany_true(changes);
            set_marks(b, state, code.plan.layout.dirty, &marks, change);
        }
    }
}

fn commit_ports(code: &Code, b: &mut FunctionBuilder, state: Value, domain: u32, word: u32, masked: bool) {
    let l = &code.plan.layout;
    let (some, next) = (b.create_block(), b.create_block());
    let bits = b.ins().load(I64, flags(), state, (l.ports + word * 8) as i32);
    b.ins().brif(bits, some, &[], next, &[]);
    begin(b, some);
    for (k, &(m, p)) in code.plan.ports.iter().enumerate().skip(word as usize * 64).take(64) {
        let port = &code.plan.graph.memories[m.index()].writes[p as usize];
        if !code.plan.domains_of(port.edges()).contains(&domain) {
            continue;
        }
        let (run, skip) = (b.create_block(), b.create_block());
        let bit = band(b, bits, 1 << (k % 64));
        b.ins().brif(bit, run, &[], skip, &[]);
        begin(b, run);
        for lane in 0..LANES {
            write(code, b, state, k, lane, masked);
        }
        b.ins().jump(skip, &[]);
        begin(b, skip);
    }
    b.ins().jump(next, &[]);
    begin(b, next);
}

/// A write port of one copy.
fn write(code: &Code, b: &mut FunctionBuilder, state: Value, k: usize, lane: u32, masked: bool) {
    let l = &code.plan.layout;
    let (m, p) = code.plan.ports[k];
    let memory = &code.plan.graph.memories[m.index()];
    let (width, slots) = (memory.width, l.port_slots[k]);
    let (enabled, inside, skip) = (b.create_block(), b.create_block(), b.create_block());
    let mut enable = b.ins().load(I32, flags(), state, (l.port_enables[k] + 4 * lane) as i32);
    if masked {
        let mask = b.ins().load(I32, flags(), state, (l.asynchronous_mask + 4 * lane) as i32);
        enable = b.ins().band(enable, mask);
    }
    b.ins().brif(enable, enabled, &[], skip, &[]);
    begin(b, enabled);
    let address = load_lane(b, state, slots[0], code.plan.graph.width(memory.writes[p as usize].addr), lane);
    let depth = Bits::new(address.width.max(64), u64::from(memory.depth));
    let wide = Ops { b }.op(&Op::ZExt, depth.width(), &[address]);
    let limit = Operand { val: Ops { b }.constant(&depth), width: depth.width(), constant: None };
    let index = Operand { val: wide, width: depth.width(), constant: None };
    let Val::Narrow(valid) = Ops { b }.op(&Op::LtU, 1, &[index.clone(), limit]) else { return };
    b.ins().brif(valid, inside, &[], skip, &[]);
    begin(b, inside);
    let offset = b.ins().imul_imm_u(index.narrow(), i64::from(slot_bytes(width, LANES)));
    let place = b.ins().iadd(state, offset);
    let place = b.ins().iadd_imm_u(place, i64::from(l.memories[m.index()]));
    let old = load_lane(b, place, 0, width, lane);
    let mut data = load_lane(b, state, slots[1], width, lane);
    if slots[2] != NONE {
        let mask = load_lane(b, state, slots[2], width, lane);
        let operand = |val: Val| Operand { val, width, constant: None };
        let mut ops = Ops { b };
        let keep = ops.op(&Op::Not, width, std::slice::from_ref(&mask));
        let kept = ops.op(&Op::And, width, &[old.clone(), operand(keep)]);
        let new = ops.op(&Op::And, width, &[data, mask]);
        data = operand(ops.op(&Op::Or, width, &[operand(kept), operand(new)]));
    }
    if !code.plan.memory_readers[m.index()].is_empty() {
        if let Val::Narrow(change) = (Ops { b }.op(&Op::Ne, 1, &[old, data.clone()])) {
            let mut marks = Marks::new();
            for &r in &code.plan.memory_readers[m.index()] {
                mark(&mut marks, r);
            }
            set_marks(b, state, l.dirty, &marks, change);
        }
    }
    store_lane(b, place, width, lane, &data.val);
    b.ins().jump(skip, &[]);
    begin(b, skip);
}

impl Region<'_, '_, '_> {
    /// Finds values that are computed in one stretch of code behind a condition and read in another.
    fn find_escaping(&mut self, order: &Schedule) {
        let plan = self.code.plan;
        // Number of the stretch in which each item is computed, and the stretches that are open where it is read.
        let (mut open, mut count) = (vec![0u32], 0u32);
        let mut home: HashMap<u32, u32> = HashMap::new();
        for &step in &order.steps {
            let reads = match step {
                Step::Enter(g) => vec![plan.item_of[order.guards[g as usize].condition.index()]],
                Step::Exit => Vec::new(),
                Step::Item(i) => plan.items[i as usize].args.clone(),
            };
            let mut read = Vec::new();
            for item in reads {
                bases(plan, item, &mut |b| read.push(b));
            }
            for item in read {
                if home.get(&item).is_some_and(|h| !open.contains(h)) && !self.escaping.contains_key(&item) {
                    let limbs = 0..limbs_of(plan.items[item as usize].width);
                    let variables = limbs.map(|_| self.b.declare_var(I32X4)).collect();
                    self.escaping.insert(item, variables);
                }
            }
            match step {
                Step::Enter(_) => {
                    count += 1;
                    open.push(count);
                }
                Step::Exit => {
                    open.pop();
                }
                Step::Item(i) => {
                    home.insert(i, open.last().copied().unwrap_or(0));
                }
            }
        }
    }

    fn enter(&mut self, guard: &Guard) {
        let mut condition = self.operand(guard.condition).val;
        condition.inverted ^= !guard.value;
        if let Some(path) = self.frame().path.clone() {
            condition = Vector { b: self.b }.both_of(&path, &condition);
        }
        let any = Vector { b: self.b }.any(&condition);
        let (run, join) = (self.b.create_block(), self.b.create_block());
        self.b.ins().brif(any, run, &[], join, &[]);
        begin(self.b, run);
        self.frames.push(Frame { join: Some(join), path: Some(condition), ..Frame::default() });
    }

    fn exit(&mut self) {
        self.flush();
        let join = self.frames.pop().and_then(|f| f.join);
        if let Some(join) = join {
            self.b.ins().jump(join, &[]);
            begin(self.b, join);
        }
    }

    fn frame(&mut self) -> &mut Frame {
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    /// At an edge the registers without enable are to be looked at; those with one, and ports, only if their enable is found to be 1.
    fn clear_commits(&mut self) {
        let plan = self.code.plan;
        let l = &plan.layout;
        let (mut blocks, mut free, mut ports) = (Marks::new(), Marks::new(), Marks::new());
        for &(cluster, block) in &plan.regions[self.region as usize].blocks {
            if plan.blocks[block as usize].always {
                continue;
            }
            mark(&mut blocks, block);
            if cluster == NONE {
                mark(&mut free, block);
            }
        }
        for k in 0..plan.ports.len() {
            if plan.port_regions[k] == self.region {
                mark(&mut ports, k as u32);
            }
        }
        for (base, marks, set) in [(l.commit, blocks, free), (l.ports, ports, Marks::new())] {
            for (word, mask) in marks {
                let at = (base + 8 * word) as i32;
                let set = set.iter().find(|s| s.0 == word).map_or(0, |s| s.1);
                let mut bits = self.b.ins().load(I64, flags(), self.state, at);
                if mask != set {
                    bits = band(self.b, bits, !(mask & !set));
                }
                if set != 0 {
                    let set = self.b.ins().iconst(I64, set as i64);
                    bits = self.b.ins().bor(bits, set);
                }
                self.b.ins().store(flags(), bits, self.state, at);
            }
        }
    }

    fn value(&mut self, item: u32) -> Lanes {
        if let Some(v) = self.frames.iter().rev().find_map(|f| f.values.get(&item)) {
            return v.clone();
        }
        let it = &self.code.plan.items[item as usize];
        if let (Kind::Node(n), true) = (&it.kind, cheap(self.code.plan, item)) {
            let node = &self.code.plan.graph.nodes[n.index()];
            let argument = self.operand(node.args[0]);
            let v = Vector { b: self.b }.op(&node.op, node.width, &[argument]);
            self.frame().values.insert(item, v.clone());
            return v;
        }
        let v = match self.escaping.get(&item) {
            Some(variables) => Lanes::new(variables.iter().map(|&v| self.b.use_var(v)).collect()),
            None => load(self.b, self.state, it.slot, it.width),
        };
        self.frame().values.insert(item, v.clone());
        v
    }

    fn remember(&mut self, item: u32, v: Lanes) {
        if let Some(variables) = self.escaping.get(&item) {
            let limbs = Vector { b: self.b }.stored(&v);
            for (&variable, &x) in variables.iter().zip(&limbs) {
                self.b.def_var(variable, x);
            }
        }
        self.frame().values.insert(item, v);
    }

    fn operand(&mut self, node: NodeId) -> Arg {
        let plan = self.code.plan;
        let constant = plan.graph.as_const(node).cloned();
        let val = match &constant {
            Some(c) => Vector { b: self.b }.constant(c),
            None => self.value(plan.item_of[node.index()]),
        };
        Arg { val, width: plan.graph.width(node), constant, bits: bits_of(plan, node) }
    }

    fn item(&mut self, item: u32) {
        match self.code.plan.items[item as usize].kind {
            Kind::Source(_) => {}
            // The planner makes packs for single states only.
            Kind::Pack(_) | Kind::PackSource(_) | Kind::PackRegister(_) => {}
            Kind::Node(n) => self.node(item, n),
            Kind::Register(r) => self.register(item, r),
            Kind::Port(..) => self.port(item),
        }
    }

    fn node(&mut self, item: u32, n: NodeId) {
        let plan = self.code.plan;
        let node = &plan.graph.nodes[n.index()];
        let args: Vec<Arg> = node.args.iter().map(|&a| self.operand(a)).collect();
        let val = match node.op {
            Op::MemRead(m) => {
                let memory = &plan.graph.memories[m.index()];
                let word = slot_bytes(memory.width, LANES);
                self.read(&args[0], plan.layout.memories[m.index()], (memory.depth, word), memory.width, (16, 4))
            }
            Op::Table(t) => {
                let table = &plan.graph.tables[t.index()];
                let shape = (table.words.len() as u32, word_bytes(table.width));
                self.read(&args[0], plan.layout.tables[t.index()], shape, table.width, (4, 0))
            }
            _ => Vector { b: self.b }.op(&node.op, node.width, &args),
        };
        let it = &plan.items[item as usize];
        if it.slot != NONE {
            let limbs = Vector { b: self.b }.stored(&val);
            let marks = self.code.marks(item);
            if !marks.is_empty() {
                let old = load(self.b, self.state, it.slot, it.width);
                let mut change = None;
                for (&x, &y) in old.limbs.iter().zip(&limbs) {
                    let d = self.b.ins().bxor(x, y);
                    change = Some(change.map_or(d, |c| self.b.ins().bor(c, d)));
                }
                if let Some(change) = change {
                    self.note_dirty(marks, change);
                }
            }
            store(self.b, self.state, it.slot, &limbs);
        }
        self.remember(item, val);
    }

    /// A word of a memory or table for each copy. `shape`: depth and bytes of a word; `step`: bytes from limb to limb and from copy to copy.
    fn read(&mut self, address: &Arg, base: u32, shape: (u32, u32), width: u32, step: (u32, u32)) -> Lanes {
        let indices = Vector { b: self.b }.indices(address, shape.0, shape.1);
        let places = indices.map(|i| self.b.ins().iadd(self.state, i));
        let limbs = 0..limbs_of(width);
        Lanes::new(
            limbs
                .map(|limb| {
                    let mut lanes = Vec::with_capacity(places.len());
                    for (lane, &place) in places.iter().enumerate() {
                        let at = base + step.0 * limb + step.1 * lane as u32;
                        lanes.push(self.b.ins().load(I32, flags(), place, at as i32));
                    }
                    Vector { b: self.b }.gather(&lanes)
                })
                .collect(),
        )
    }

    fn note_dirty(&mut self, marks: Marks, change: Value) {
        match self.frame().dirty.iter().position(|d| d.0 == marks) {
            Some(k) => {
                let old = self.frame().dirty[k].1;
                let both = self.b.ins().bor(old, change);
                self.frame().dirty[k].1 = both;
            }
            None => self.frame().dirty.push((marks, change)),
        }
    }

    fn register(&mut self, item: u32, r: RegId) {
        let plan = self.code.plan;
        let it = &plan.items[item as usize];
        let mut new = self.operand(plan.nexts[r.index()].data);
        if let Some(enable) = it.enable {
            // Copies that are not enabled hold.
            let enable = self.operand(enable);
            let old = load(self.b, self.state, it.slot, it.width);
            let old = Arg { val: old, width: it.width, constant: None, bits: it.width };
            new.val = Vector { b: self.b }.op(&Op::Mux, it.width, &[enable, new.clone(), old]);
        }
        let limbs = Vector { b: self.b }.stored(&new.val);
        store(self.b, self.state, plan.next_slots[r.index()], &limbs);
        let block = plan.block_of[r.index()];
        if it.enable.is_some() && !self.frame().blocks.contains(&block) {
            self.frame().blocks.push(block);
        }
    }

    fn port(&mut self, item: u32) {
        let plan = self.code.plan;
        let Kind::Port(m, p) = plan.items[item as usize].kind else { return };
        let k = plan.ports.iter().position(|x| *x == (m, p)).unwrap_or(0);
        let port = &plan.graph.memories[m.index()].writes[p as usize];
        if plan.graph.as_const(port.enable).is_some_and(Bits::is_zero) {
            return;
        }
        let l = &plan.layout;
        let slots = l.port_slots[k];
        let enables = l.port_enables[k];
        let parts = [(port.enable, enables), (port.addr, slots[0]), (port.data, slots[1])];
        for (node, slot) in parts.into_iter().chain(port.mask.map(|mask| (mask, slots[2]))) {
            let v = self.operand(node);
            let limbs = Vector { b: self.b }.stored(&v.val);
            store(self.b, self.state, slot, &limbs);
        }
        // Only reached while the port is enabled in some copy.
        set_bits(self.b, self.state, l.ports + k as u32 / 64 * 8, 1 << (k % 64));
    }

    /// Writes what the open branch noted.
    fn flush(&mut self) {
        let l = &self.code.plan.layout;
        let frame = self.frame();
        let (blocks, dirty) = (std::mem::take(&mut frame.blocks), std::mem::take(&mut frame.dirty));
        let mut bits = Marks::new();
        for block in blocks {
            mark(&mut bits, block);
        }
        for (word, mask) in bits {
            set_bits(self.b, self.state, l.commit + 8 * word, mask);
        }
        for (marks, change) in dirty {
            let change = self.b.ins().vany_true(change);
            set_marks(self.b, self.state, l.dirty, &marks, change);
        }
    }
}

/// Compiles every function of a plan for four copies; also says how many bytes of code there are.
pub fn generate(code: &Code) -> Result<(Module, usize), Error> {
    let isa = isa()?;
    let mut module = JITModule::new(JITBuilder::with_isa(isa.clone(), cranelift_module::default_libcall_names()));
    let call_conv = isa.default_call_conv();
    let declare = |module: &mut JITModule, name: String| {
        module.declare_function(&name, Linkage::Local, &signature(call_conv)).map_err(internal)
    };
    let regions = code.plan.regions.len();
    let ids: Vec<FuncId> =
        (0..regions).map(|r| declare(&mut module, format!("region{r}"))).collect::<Result<_, _>>()?;
    let new = |id: FuncId| Function::with_name_signature(UserFuncName::user(0, id.as_u32()), signature(call_conv));
    let build = |mut func: Function, f: &dyn Fn(&mut FunctionBuilder)| {
        let mut context = FunctionBuilderContext::new();
        let mut builder = FunctionBuilder::new(&mut func, &mut context);
        f(&mut builder);
        builder.seal_all_blocks();
        builder.finalize(isa.frontend_config());
        func
    };
    let compiled: Vec<Piece> = (0..regions)
        .into_par_iter()
        .map(|r| compile(&isa, build(new(ids[r]), &|b| region(code, b, r as u32)), ids[r]))
        .collect::<Result<_, _>>()?;
    let mut size = 0;
    let mut define = |module: &mut JITModule, id, c: &Piece| {
        size += c.bytes.len();
        module.define_function_bytes(id, c.align, &c.bytes, &c.relocs).map_err(internal)
    };
    for (id, c) in ids.iter().zip(&compiled) {
        define(&mut module, *id, c)?;
    }
    let evaluate = declare(&mut module, "evaluate".into())?;
    let mut func = new(evaluate);
    let refs: Vec<_> = ids.iter().map(|&id| module.declare_func_in_func(id, &mut func)).collect();
    let func = build(func, &|b| code.evaluate(b, &refs));
    define(&mut module, evaluate, &compile(&isa, func, evaluate)?)?;
    let mut commits = Vec::new();
    // Of every domain for all copies, then of the asynchronous ones for some.
    let all = (0..code.plan.domains.len()).map(|domain| (domain, false));
    let some = (0..code.plan.domains.len()).filter(|&d| code.plan.asynchronous[d]).map(|domain| (domain, true));
    for (domain, masked) in all.chain(some) {
        let id = declare(&mut module, format!("commit{domain}_{masked}"))?;
        let func = build(new(id), &|b| commit(code, b, domain as u32, masked));
        define(&mut module, id, &compile(&isa, func, id)?)?;
        commits.push(id);
    }
    module.finalize_definitions().map_err(internal)?;
    Ok((Module::new(module, evaluate, &commits, code.plan.layout.bytes), size))
}
