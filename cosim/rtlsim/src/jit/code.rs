//! Machine code of a plan: one function for each region, one that calls the dirty regions in order, one for the clock edge of each domain. All take the address of the state and
//! nothing else. Within a region every value is computed once and stays in registers; what others read is stored, and compared with what was there to find
//! out who has to be evaluated.

use std::collections::HashMap;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I64, I64X2, I8};
use cranelift_codegen::ir::{Block as IrBlock, FuncRef, InstBuilder, MemFlagsData, Value};
use cranelift_frontend::FunctionBuilder;

use super::ops::{ty, Operand, Ops, Val};
use crate::graph::{NodeId, Op, RegId};
use crate::plan::{word_bytes, Kind, Plan, PlanOptions, NONE};

/// Sets of (word, mask) that a change sets: the readers of a value.
type Marks = Vec<(u32, u64)>;

/// Emits functions of one plan.
pub struct Code<'p> {
    pub plan: &'p Plan,
    pub options: &'p PlanOptions,
    /// By register: the item that is its current value (`NONE`: nobody reads it).
    pub source_of: &'p [u32],
}

/// The function in hand.
struct Region<'c, 'f, 'b> {
    code: &'c Code<'c>,
    b: &'f mut FunctionBuilder<'b>,
    state: Value,
    region: u32,
    outer: HashMap<u32, Val>,
    /// Values of the guarded cluster in hand.
    inner: Option<HashMap<u32, Val>>,
    /// Changes not yet written: who must know, and whether.
    dirty: Vec<(Marks, Value)>,
    pending: Vec<((u32, Marks), Value)>,
    /// Changed flags of the block of free registers, by domain.
    commits: Vec<(u32, Value)>,
    ports: Vec<(u32, Value)>,
}

pub fn flags() -> MemFlagsData {
    MemFlagsData::trusted()
}

/// Adds a bit to a set of marks.
fn mark(marks: &mut Marks, bit: u32) {
    let (word, mask) = (bit / 64, 1u64 << (bit % 64));
    match marks.iter_mut().find(|m| m.0 == word) {
        Some(m) => m.1 |= mask,
        None => marks.push((word, mask)),
    }
}

impl Code<'_> {
    /// Dirty and change bits that a change of an item's value sets.
    pub fn marks(&self, item: u32) -> Marks {
        let it = &self.plan.items[item as usize];
        let mut marks = Marks::new();
        if self.options.gating {
            for &r in &it.readers {
                mark(&mut marks, r);
            }
        }
        if it.observed != NONE {
            mark(&mut marks, self.plan.layout.region_words * 64 + it.observed);
        }
        marks
    }

    /// Body of the function of a region.
    pub fn region(&self, b: &mut FunctionBuilder, region: u32) {
        let state = entry(b);
        let mut r = Region {
            code: self,
            b,
            state,
            region,
            outer: HashMap::new(),
            inner: None,
            dirty: Vec::new(),
            pending: Vec::new(),
            commits: Vec::new(),
            ports: Vec::new(),
        };
        r.clear_commits();
        for &c in &self.plan.regions[region as usize].clusters {
            let cluster = &self.plan.clusters[c as usize];
            match cluster.enable {
                Some(e) => r.guarded(c, e),
                None => {
                    for &i in &cluster.items {
                        r.item(i);
                    }
                }
            }
        }
        r.flush();
        r.b.ins().return_(&[]);
    }

    /// Body of the function that calls the dirty regions.
    pub fn evaluate(&self, b: &mut FunctionBuilder, regions: &[FuncRef]) {
        let state = entry(b);
        if !self.options.gating {
            for &f in regions {
                b.ins().call(f, &[state]);
            }
            b.ins().return_(&[]);
            return;
        }
        for word in 0..self.plan.layout.region_words {
            let at = (self.plan.layout.dirty + word * 8) as i32;
            let (some, next) = (b.create_block(), b.create_block());
            let bits = b.ins().load(I64, flags(), state, at);
            b.ins().brif(bits, some, &[], next, &[]);
            begin(b, some);
            let first = word as usize * 64;
            for (k, &f) in regions.iter().enumerate().skip(first).take(64) {
                let (run, skip) = (b.create_block(), b.create_block());
                // Earlier regions of the word may have set later bits.
                let byte = b.ins().load(I8, flags(), state, at + (k - first) as i32 / 8);
                let bit = b.ins().band_imm_u(byte, 1 << (k % 8));
                b.ins().brif(bit, run, &[], skip, &[]);
                begin(b, run);
                b.ins().call(f, &[state]);
                b.ins().jump(skip, &[]);
                begin(b, skip);
            }
            let zero = b.ins().iconst(I64, 0);
            b.ins().store(flags(), zero, state, at);
            b.ins().jump(next, &[]);
            begin(b, next);
        }
        b.ins().return_(&[]);
    }

    /// Body of the edge of a domain: next values become current ones, write ports write.
    pub fn commit(&self, b: &mut FunctionBuilder, domain: u32) {
        let state = entry(b);
        let l = &self.plan.layout;
        for word in 0..l.commit_words {
            let at = (l.commit + word * 8) as i32;
            let blocks = self.plan.blocks.iter().enumerate().skip(word as usize * 64).take(64);
            let mine: Vec<_> = blocks.filter(|(_, block)| block.domain == domain).collect();
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
                test_bit(b, bits, k as u32 % 64, run, skip);
                begin(b, run);
                for offset in (0..block.bytes).step_by(16) {
                    let v = b.ins().load(I64X2, flags(), state, (block.next + offset) as i32);
                    b.ins().store(flags(), v, state, (block.current + offset) as i32);
                }
                b.ins().jump(skip, &[]);
                begin(b, skip);
            }
            let rest = if clear == 0 { b.ins().iconst(I64, 0) } else { band(b, bits, clear) };
            b.ins().store(flags(), rest, state, at);
            b.ins().jump(next, &[]);
            begin(b, next);
        }
        for word in 0..l.port_words {
            self.commit_ports(b, state, domain, word);
        }
        b.ins().return_(&[]);
    }

    fn commit_ports(&self, b: &mut FunctionBuilder, state: Value, domain: u32, word: u32) {
        let l = &self.plan.layout;
        let (some, next) = (b.create_block(), b.create_block());
        let bits = b.ins().load(I64, flags(), state, (l.ports + word * 8) as i32);
        b.ins().brif(bits, some, &[], next, &[]);
        begin(b, some);
        for (k, &(m, p)) in self.plan.ports.iter().enumerate().skip(word as usize * 64).take(64) {
            let memory = &self.plan.graph.memories[m.index()];
            let port = &memory.writes[p as usize];
            if self.plan.domain(port.edge) != domain {
                continue;
            }
            let (run, inside, skip) = (b.create_block(), b.create_block(), b.create_block());
            test_bit(b, bits, k as u32 % 64, run, skip);
            begin(b, run);
            let slots = l.port_slots[k];
            let address_width = self.plan.graph.width(port.addr);
            let address = load(b, state, slots[0], address_width);
            let index = self.index(b, address, address_width, memory.depth);
            let valid = b.ins().icmp_imm_u(IntCC::UnsignedLessThan, index, i64::from(memory.depth));
            b.ins().brif(valid, inside, &[], skip, &[]);
            begin(b, inside);
            let place = self.word(b, state, index, l.memories[m.index()], memory.width);
            let old = load_at(b, place, 0, memory.width);
            let operand = |val: Val| Operand { val, width: memory.width, constant: None };
            let mut data = load(b, state, slots[1], memory.width);
            if slots[2] != NONE {
                let mask = load(b, state, slots[2], memory.width);
                let mut ops = Ops { b };
                let keep = ops.op(&Op::Not, memory.width, &[operand(mask.clone())]);
                let kept = ops.op(&Op::And, memory.width, &[operand(old.clone()), operand(keep)]);
                let new = ops.op(&Op::And, memory.width, &[operand(data), operand(mask)]);
                data = ops.op(&Op::Or, memory.width, &[operand(kept), operand(new)]);
            }
            if self.options.gating && !self.plan.memory_readers[m.index()].is_empty() {
                let (change, _) = (Ops { b }.op(&Op::Ne, 1, &[operand(old), operand(data.clone())]), ());
                let Val::Narrow(change) = change else { continue };
                let mut marks = Marks::new();
                for &r in &self.plan.memory_readers[m.index()] {
                    mark(&mut marks, r);
                }
                set_marks(b, state, l.dirty, &marks, change);
            }
            store_at(b, place, 0, memory.width, &data);
            b.ins().jump(skip, &[]);
            begin(b, skip);
        }
        b.ins().jump(next, &[]);
        begin(b, next);
    }

    /// Word index as an `i64` that is at most `depth`.
    fn index(&self, b: &mut FunctionBuilder, address: Val, width: u32, depth: u32) -> Value {
        let (low, high) = match &address {
            Val::Narrow(v) => (Ops { b }.cast(*v, ty(width), I64), None),
            Val::Wide(l) => {
                let high = l[1..].iter().copied().reduce(|x, y| b.ins().bor(x, y));
                (l[0], high)
            }
        };
        if width < 32 && (1u64 << width) <= u64::from(depth) {
            return low;
        }
        let limit = b.ins().iconst(I64, i64::from(depth));
        let index = b.ins().umin(low, limit);
        match high {
            Some(high) => b.ins().select(high, limit, index),
            None => index,
        }
    }

    /// Address of a word.
    fn word(&self, b: &mut FunctionBuilder, state: Value, index: Value, base: u32, width: u32) -> Value {
        let bytes = word_bytes(width);
        let offset = if bytes.is_power_of_two() {
            b.ins().ishl_imm_u(index, i64::from(bytes.trailing_zeros()))
        } else {
            b.ins().imul_imm_u(index, i64::from(bytes))
        };
        let at = b.ins().iadd(state, offset);
        b.ins().iadd_imm_u(at, i64::from(base))
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

fn test_bit(b: &mut FunctionBuilder, bits: Value, k: u32, run: IrBlock, skip: IrBlock) {
    let bit = band(b, bits, 1 << k);
    b.ins().brif(bit, run, &[], skip, &[]);
}

fn load(b: &mut FunctionBuilder, state: Value, offset: u32, width: u32) -> Val {
    load_at(b, state, offset, width)
}

fn load_at(b: &mut FunctionBuilder, base: Value, offset: u32, width: u32) -> Val {
    if width <= 64 {
        return Val::Narrow(b.ins().load(ty(width), flags(), base, offset as i32));
    }
    Val::Wide((0..width.div_ceil(64)).map(|i| b.ins().load(I64, flags(), base, (offset + 8 * i) as i32)).collect())
}

fn store_at(b: &mut FunctionBuilder, base: Value, offset: u32, _width: u32, val: &Val) {
    match val {
        Val::Narrow(v) => {
            b.ins().store(flags(), *v, base, offset as i32);
        }
        Val::Wide(l) => {
            for (i, v) in l.iter().enumerate() {
                b.ins().store(flags(), *v, base, offset as i32 + 8 * i as i32);
            }
        }
    }
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

impl Region<'_, '_, '_> {
    fn plan(&self) -> &Plan {
        self.code.plan
    }

    /// Blocks of this region are clean until something changes.
    fn clear_commits(&mut self) {
        let l = &self.code.plan.layout;
        let mut marks = Marks::new();
        for &(_, _, block) in &self.code.plan.regions[self.region as usize].blocks {
            mark(&mut marks, block);
        }
        for (word, mask) in marks {
            let at = (l.commit + 8 * word) as i32;
            let old = self.b.ins().load(I64, flags(), self.state, at);
            let new = band(self.b, old, !mask);
            self.b.ins().store(flags(), new, self.state, at);
        }
    }

    fn value(&mut self, item: u32) -> Val {
        if let Some(v) = self.inner.as_ref().and_then(|m| m.get(&item)).or_else(|| self.outer.get(&item)) {
            return v.clone();
        }
        let it = &self.code.plan.items[item as usize];
        let v = load(self.b, self.state, it.slot, it.width);
        self.remember(item, v.clone());
        v
    }

    fn remember(&mut self, item: u32, v: Val) {
        self.inner.as_mut().unwrap_or(&mut self.outer).insert(item, v);
    }

    fn operand(&mut self, node: NodeId) -> Operand {
        let width = self.plan().graph.width(node);
        let constant = self.plan().graph.as_const(node).cloned();
        let val = match &constant {
            Some(c) => Ops { b: self.b }.constant(c),
            None => {
                let item = self.plan().item_of[node.index()];
                self.value(item)
            }
        };
        Operand { val, width, constant }
    }

    fn item(&mut self, item: u32) {
        match self.code.plan.items[item as usize].kind {
            Kind::Source(_) => {}
            Kind::Node(n) => self.node(item, n),
            Kind::Register(r) => self.register(item, r),
            Kind::Port(..) => self.port(item),
        }
    }

    fn node(&mut self, item: u32, n: NodeId) {
        let node = &self.code.plan.graph.nodes[n.index()];
        let args: Vec<Operand> = node.args.iter().map(|&a| self.operand(a)).collect();
        let val = match node.op {
            Op::MemRead(m) => {
                let memory = &self.code.plan.graph.memories[m.index()];
                self.read(&args[0], self.code.plan.layout.memories[m.index()], memory.depth, memory.width)
            }
            Op::Table(t) => {
                let table = &self.code.plan.graph.tables[t.index()];
                self.read(&args[0], self.code.plan.layout.tables[t.index()], table.words.len() as u32, table.width)
            }
            _ => Ops { b: self.b }.op(&node.op, node.width, &args),
        };
        let it = &self.code.plan.items[item as usize];
        if it.slot != NONE {
            let marks = self.code.marks(item);
            if !marks.is_empty() {
                let old = load(self.b, self.state, it.slot, it.width);
                let change = self.differs(&old, &val, it.width);
                self.note_dirty(marks, change);
            }
            store_at(self.b, self.state, it.slot, it.width, &val);
        }
        self.remember(item, val);
    }

    fn read(&mut self, address: &Operand, base: u32, depth: u32, width: u32) -> Val {
        let index = self.code.index(self.b, address.val.clone(), address.width, depth);
        let place = self.code.word(self.b, self.state, index, base, width);
        load_at(self.b, place, 0, width)
    }

    fn differs(&mut self, a: &Val, b: &Val, width: u32) -> Value {
        let operand = |val: &Val| Operand { val: val.clone(), width, constant: None };
        match (Ops { b: self.b }).op(&Op::Ne, 1, &[operand(a), operand(b)]) {
            Val::Narrow(v) => v,
            Val::Wide(l) => l[0],
        }
    }

    fn or(&mut self, a: Value, b: Value) -> Value {
        self.b.ins().bor(a, b)
    }

    fn note_dirty(&mut self, marks: Marks, change: Value) {
        match self.dirty.iter().position(|d| d.0 == marks) {
            Some(k) => self.dirty[k].1 = self.or(self.dirty[k].1, change),
            None => self.dirty.push((marks, change)),
        }
    }

    fn register(&mut self, item: u32, r: RegId) {
        let plan = self.code.plan;
        let next = plan.nexts[r.index()].data;
        let new = self.operand(next).val;
        let it = &plan.items[item as usize];
        let domain = plan.domain(plan.graph.registers[r.index()].edge);
        // Not through `value`: whoever reads the register may be elsewhere, and the load is needed here anyway.
        let source = self.code.source_of[r.index()];
        let old = if source == NONE { load(self.b, self.state, it.slot, it.width) } else { self.value(source) };
        let change = self.differs(&old, &new, it.width);
        store_at(self.b, self.state, plan.next_slots[r.index()], it.width, &new);
        match self.commits.iter().position(|c| c.0 == domain) {
            Some(k) => self.commits[k].1 = self.or(self.commits[k].1, change),
            None => self.commits.push((domain, change)),
        }
        if source == NONE {
            return;
        }
        let marks = self.code.marks(source);
        if marks.is_empty() {
            return;
        }
        let key = (domain, marks);
        match self.pending.iter().position(|d| d.0 == key) {
            Some(k) => self.pending[k].1 = self.or(self.pending[k].1, change),
            None => self.pending.push((key, change)),
        }
    }

    fn port(&mut self, item: u32) {
        let plan = self.code.plan;
        let Kind::Port(m, p) = plan.items[item as usize].kind else { return };
        let k = plan.ports.iter().position(|x| *x == (m, p)).unwrap_or(0);
        let port = &plan.graph.memories[m.index()].writes[p as usize];
        let enable = self.operand(port.enable).narrow();
        let slots = plan.layout.port_slots[k];
        for (node, slot) in [(Some(port.addr), slots[0]), (Some(port.data), slots[1]), (port.mask, slots[2])] {
            let Some(node) = node else { continue };
            let v = self.operand(node);
            store_at(self.b, self.state, slot, v.width, &v.val);
        }
        self.ports.push((k as u32, enable));
    }

    /// A cluster under an enable: evaluated only if that is 1.
    fn guarded(&mut self, cluster: u32, enable: NodeId) {
        let plan = self.code.plan;
        let condition = self.operand(enable).narrow();
        let (run, skip) = (self.b.create_block(), self.b.create_block());
        self.b.ins().brif(condition, run, &[], skip, &[]);
        begin(self.b, run);
        let commits = std::mem::take(&mut self.commits);
        let pending = std::mem::take(&mut self.pending);
        let dirty = std::mem::take(&mut self.dirty);
        let ports = std::mem::take(&mut self.ports);
        self.inner = Some(HashMap::new());
        for &i in &plan.clusters[cluster as usize].items {
            self.item(i);
        }
        self.flush_commits(cluster);
        self.flush();
        self.inner = None;
        self.commits = commits;
        self.pending = pending;
        self.dirty = dirty;
        self.ports = ports;
        self.b.ins().jump(skip, &[]);
        begin(self.b, skip);
    }

    fn flush_commits(&mut self, cluster: u32) {
        let plan = self.code.plan;
        for (domain, change) in std::mem::take(&mut self.commits) {
            let blocks = &plan.regions[self.region as usize].blocks;
            let Some(block) = blocks.iter().find(|b| b.0 == cluster && b.1 == domain) else { continue };
            let marks = vec![(block.2 / 64, 1u64 << (block.2 % 64))];
            set_marks(self.b, self.state, plan.layout.commit, &marks, change);
        }
    }

    /// Writes what was noted.
    fn flush(&mut self) {
        let l = &self.code.plan.layout;
        self.flush_commits(NONE);
        for (marks, change) in std::mem::take(&mut self.dirty) {
            set_marks(self.b, self.state, l.dirty, &marks, change);
        }
        for ((domain, marks), change) in std::mem::take(&mut self.pending) {
            set_marks(self.b, self.state, l.pending + domain * l.dirty_words * 8, &marks, change);
        }
        for (port, enable) in std::mem::take(&mut self.ports) {
            let at = (l.ports + port / 64 * 8) as i32;
            let old = self.b.ins().load(I64, flags(), self.state, at);
            let kept = band(self.b, old, !(1 << (port % 64)));
            let wide = self.b.ins().uextend(I64, enable);
            let bit = self.b.ins().ishl_imm_u(wide, i64::from(port % 64));
            let new = self.or(kept, bit);
            self.b.ins().store(flags(), new, self.state, at);
        }
    }
}
