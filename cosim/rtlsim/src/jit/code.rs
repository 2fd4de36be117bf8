//! Machine code of a plan: one function for each region, one that calls the dirty regions in order,
//! one for the clock edge of each domain. All take the address of the state and nothing else.
//! Within a region every value is computed once and stays in registers; what others read is stored,
//! and compared with what was there to find out who has to be evaluated.

use rustc_hash::FxHashMap as HashMap;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I32, I32X4, I64, I64X2, I8};
use cranelift_codegen::ir::{Block as IrBlock, FuncRef, InstBuilder, MemFlagsData, Value};
use cranelift_frontend::{FunctionBuilder, Variable};

use super::ops::{ty, Operand, Ops, Val};
use super::pack::{self, Lanes};
use super::schedule::{bases, cheap, schedule, Guard, Schedule, Step};
use crate::bits::Bits;
use crate::graph::{NodeId, Op, RegId};
use crate::plan::{word_bytes, Block, BlockId, DirtyBit, DomainId, ItemId, Kind, Offset, Plan, PlanOptions, RegionId};

/// Sets of (word, mask) that a change sets: the readers of a value.
type Marks = Vec<(u32, u64)>;

/// Emits functions of one plan.
pub struct Code<'p> {
    pub plan: &'p Plan,
    pub options: &'p PlanOptions,
}

/// A branch that is open (the first is the function itself).
struct Frame {
    values: HashMap<ItemId, Val>,
    /// Members of packs taken out, and packs made of scalars.
    lanes: HashMap<(ItemId, u8), Value>,
    gathered: HashMap<[NodeId; 4], Value>,
    /// Where the branch ends.
    join: Option<IrBlock>,
    /// Changes not yet written: who must know, and whether.
    dirty: Vec<(Marks, Value)>,
    /// Blocks of registers under the enable that is open.
    blocks: Vec<BlockId>,
}

impl Frame {
    fn new(join: Option<IrBlock>) -> Self {
        Self {
            values: HashMap::default(),
            lanes: HashMap::default(),
            gathered: HashMap::default(),
            join,
            dirty: Vec::new(),
            blocks: Vec::new(),
        }
    }
}

/// The function in hand.
struct Region<'c, 'f, 'b> {
    code: &'c Code<'c>,
    b: &'f mut FunctionBuilder<'b>,
    state: Value,
    region: RegionId,
    frames: Vec<Frame>,
    /// Items computed behind a condition and read after it: one variable for each limb.
    escaping: HashMap<ItemId, Vec<Variable>>,
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
    pub fn marks(&self, item: ItemId) -> Marks {
        let it = &self.plan.items[item];
        let mut marks = Marks::new();
        for bit in &it.readers {
            mark(&mut marks, bit.number());
        }
        if let Some(observed) = it.observed {
            mark(&mut marks, self.plan.layout.region_words * 64 + observed.number());
        }
        marks
    }

    /// Body of the function of a region.
    pub fn region(&self, b: &mut FunctionBuilder, region: RegionId) {
        let state = entry(b);
        let order = schedule(self.plan, region, self.options.lazy);
        let mut r =
            Region { code: self, b, state, region, frames: vec![Frame::new(None)], escaping: HashMap::default() };
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

    /// Body of the function that calls the dirty regions.
    pub fn evaluate(&self, b: &mut FunctionBuilder, functions: &[FuncRef]) {
        let state = entry(b);
        let regions: Vec<(RegionId, Option<DirtyBit>, FuncRef)> =
            self.plan.regions.entries().zip(functions).map(|((id, region), &f)| (id, region.bit, f)).collect();
        let mut rest = &regions[..];
        while let Some(&(region, bit, f)) = rest.first() {
            let Some(first) = bit else {
                self.call(b, state, f, region);
                rest = &rest[1..];
                continue;
            };
            // Regions that follow with bits of the same word.
            let same = |bit: &Option<DirtyBit>| bit.is_some_and(|bit| bit.word() == first.word());
            let (run, behind) = rest.split_at(rest.iter().take_while(|(_, bit, _)| same(bit)).count());
            rest = behind;
            let at = self.plan.layout.dirty.word(first.word()).displacement();
            let (some, next) = (b.create_block(), b.create_block());
            let bits = b.ins().load(I64, flags(), state, at);
            b.ins().brif(bits, some, &[], next, &[]);
            begin(b, some);
            for &(region, bit, f) in run {
                let bit = bit.map_or(0, DirtyBit::number);
                let (go, skip) = (b.create_block(), b.create_block());
                // Earlier regions may have set later bits.
                let byte = b.ins().load(I8, flags(), state, at + bit as i32 % 64 / 8);
                let test = b.ins().band_imm_u(byte, 1 << (bit % 8));
                b.ins().brif(test, go, &[], skip, &[]);
                begin(b, go);
                self.call(b, state, f, region);
                b.ins().jump(skip, &[]);
                begin(b, skip);
            }
            if !rest.iter().any(|(_, bit, _)| same(bit)) {
                let zero = b.ins().iconst(I64, 0);
                b.ins().store(flags(), zero, state, at);
            }
            b.ins().jump(next, &[]);
            begin(b, next);
        }
        b.ins().return_(&[]);
    }

    fn call(&self, b: &mut FunctionBuilder, state: Value, f: FuncRef, region: RegionId) {
        if self.options.count {
            let at = (self.plan.layout.counters + 4 * region.number()).displacement();
            let old = b.ins().load(I32, flags(), state, at);
            let new = b.ins().iadd_imm_u(old, 1);
            b.ins().store(flags(), new, state, at);
        }
        b.ins().call(f, &[state]);
    }

    /// Body of the edge of a domain: next values become current ones, write ports write.
    pub fn commit(&self, b: &mut FunctionBuilder, domain: DomainId) {
        let state = entry(b);
        let l = &self.plan.layout;
        for block in self.plan.blocks.iter().filter(|block| block.always && block.domains.contains(&domain)) {
            self.copy(b, state, block);
        }
        for word in 0..l.commit_words {
            let at = l.commit.word(word).displacement();
            let blocks = self.plan.blocks.of_word(word);
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
                let bit = k.number() % 64;
                clear &= !(1 << bit);
                let (run, skip) = (b.create_block(), b.create_block());
                test_bit(b, bits, bit, run, skip);
                begin(b, run);
                self.copy(b, state, block);
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

    /// Next values to current ones, with the marks of those that change.
    fn copy(&self, b: &mut FunctionBuilder, state: Value, block: &Block) {
        for group in &block.groups {
            let marks = group.source.map_or(Marks::new(), |source| self.marks(source));
            let step = if group.bytes == 8 { 8 } else { 16 };
            let mut changes = None;
            for at in (group.start..group.start + group.bytes).step_by(step) {
                let t = if step == 8 { I64 } else { I64X2 };
                let next = b.ins().load(t, flags(), state, (block.next + at).displacement());
                if !marks.is_empty() {
                    let old = b.ins().load(t, flags(), state, (block.current + at).displacement());
                    let change = b.ins().bxor(next, old);
                    changes = Some(match changes {
                        Some(other) => b.ins().bor(other, change),
                        None => change,
                    });
                }
                b.ins().store(flags(), next, state, (block.current + at).displacement());
            }
            if let Some(changes) = changes {
                let change = if step == 8 {
                    b.ins().icmp_imm_u(IntCC::NotEqual, changes, 0)
                } else {
                    b.ins().vany_true(changes)
                };
                set_marks(b, state, self.plan.layout.dirty, &marks, change);
            }
        }
    }

    fn commit_ports(&self, b: &mut FunctionBuilder, state: Value, domain: DomainId, word: u32) {
        let l = &self.plan.layout;
        let (some, next) = (b.create_block(), b.create_block());
        let bits = b.ins().load(I64, flags(), state, l.ports.word(word).displacement());
        b.ins().brif(bits, some, &[], next, &[]);
        begin(b, some);
        for (k, &(m, p)) in self.plan.ports.of_word(word) {
            let memory = &self.plan.graph.memories[m.index()];
            let port = &memory.writes[p as usize];
            if !self.plan.domains_of(port.edges()).contains(&domain) {
                continue;
            }
            let (run, inside, skip) = (b.create_block(), b.create_block(), b.create_block());
            test_bit(b, bits, k.number() % 64, run, skip);
            begin(b, run);
            let slots = l.port_slots[k];
            let address_width = self.plan.graph.width(port.addr);
            let address = load_at(b, state, slots.address, address_width);
            let index = self.index(b, address, address_width, memory.depth);
            let valid = b.ins().icmp_imm_u(IntCC::UnsignedLessThan, index, i64::from(memory.depth));
            b.ins().brif(valid, inside, &[], skip, &[]);
            begin(b, inside);
            let place = self.word(b, state, index, l.memories[m.index()], memory.width);
            let old = load_at(b, place, Offset::default(), memory.width);
            let operand = |val: Val| Operand { val, width: memory.width, constant: None };
            let mut data = load_at(b, state, slots.data, memory.width);
            if let Some(mask) = slots.mask {
                let mask = load_at(b, state, mask, memory.width);
                let mut ops = Ops { b };
                let keep = ops.op(&Op::Not, memory.width, &[operand(mask.clone())]);
                let kept = ops.op(&Op::And, memory.width, &[operand(old.clone()), operand(keep)]);
                let new = ops.op(&Op::And, memory.width, &[operand(data), operand(mask)]);
                data = ops.op(&Op::Or, memory.width, &[operand(kept), operand(new)]);
            }
            if !self.plan.memory_readers[m.index()].is_empty() {
                let (change, _) = (Ops { b }.op(&Op::Ne, 1, &[operand(old), operand(data.clone())]), ());
                let Val::Narrow(change) = change else { continue };
                let mut marks = Marks::new();
                for bit in &self.plan.memory_readers[m.index()] {
                    mark(&mut marks, bit.number());
                }
                set_marks(b, state, l.dirty, &marks, change);
            }
            store_at(b, place, Offset::default(), &data);
            b.ins().jump(skip, &[]);
            begin(b, skip);
        }
        b.ins().jump(next, &[]);
        begin(b, next);
    }

    /// Word index as an `i64` that is at most `depth`.
    fn index(&self, b: &mut FunctionBuilder, address: Val, width: u32, depth: u32) -> Value {
        let (low, high) = match &address {
            Val::Narrow(v) | Val::Pack(v) => (Ops { b }.cast(*v, ty(width), I64), None),
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
    fn word(&self, b: &mut FunctionBuilder, state: Value, index: Value, base: Offset, width: u32) -> Value {
        let bytes = word_bytes(width);
        let offset = if bytes.is_power_of_two() {
            b.ins().ishl_imm_u(index, i64::from(bytes.trailing_zeros()))
        } else {
            b.ins().imul_imm_u(index, i64::from(bytes))
        };
        let at = b.ins().iadd(state, offset);
        b.ins().iadd_imm_u(at, i64::from(base.number()))
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

/// A place that the layout has given out.
fn kept(slot: Option<Offset>) -> Offset {
    debug_assert!(slot.is_some(), "read or written without a place");
    slot.unwrap_or_default()
}

fn load_at(b: &mut FunctionBuilder, base: Value, offset: Offset, width: u32) -> Val {
    if width <= 64 {
        return Val::Narrow(b.ins().load(ty(width), flags(), base, offset.displacement()));
    }
    let limb = |i| b.ins().load(I64, flags(), base, offset.word(i).displacement());
    Val::Wide((0..width.div_ceil(64)).map(limb).collect())
}

fn store_at(b: &mut FunctionBuilder, base: Value, offset: Offset, val: &Val) {
    match val {
        Val::Narrow(v) | Val::Pack(v) => {
            b.ins().store(flags(), *v, base, offset.displacement());
        }
        Val::Wide(l) => {
            for (i, v) in (0..).zip(l) {
                b.ins().store(flags(), *v, base, offset.word(i).displacement());
            }
        }
    }
}

/// `words[w] |= change ? mask : 0` for every mark.
fn set_marks(b: &mut FunctionBuilder, state: Value, words: Offset, marks: &Marks, change: Value) {
    for &(word, mask) in marks {
        let at = words.word(word).displacement();
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

    /// Finds values that are computed in one stretch of code behind a condition and read in
    /// another.
    fn find_escaping(&mut self, order: &Schedule) {
        let plan = self.code.plan;
        // Number of the stretch in which each item is computed, and the stretches that are open
        // where it is read.
        let (mut open, mut count) = (vec![0u32], 0u32);
        let mut home: HashMap<ItemId, u32> = HashMap::default();
        for &step in &order.steps {
            let reads = match step {
                Step::Enter(g) => plan.item_of[order.guards[g as usize].condition.index()].into_iter().collect(),
                Step::Exit => Vec::new(),
                Step::Item(i) => plan.items[i].args.clone(),
            };
            let mut read = Vec::new();
            for item in reads {
                bases(plan, item, &mut |b| read.push(b));
            }
            for item in read {
                if home.get(&item).is_some_and(|h| !open.contains(h)) && !self.escaping.contains_key(&item) {
                    let width = plan.items[item].width;
                    let vector = plan.items[item].kind.is_pack();
                    let (limbs, t) = if vector {
                        (1, I32X4)
                    } else if width <= 64 {
                        (1, ty(width))
                    } else {
                        (width.div_ceil(64), I64)
                    };
                    let variables = (0..limbs).map(|_| self.b.declare_var(t)).collect();
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
        let condition = self.operand(guard.condition).narrow();
        let (run, join) = (self.b.create_block(), self.b.create_block());
        if guard.value {
            self.b.ins().brif(condition, run, &[], join, &[]);
        } else {
            self.b.ins().brif(condition, join, &[], run, &[]);
        }
        begin(self.b, run);
        self.frames.push(Frame::new(Some(join)));
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

    /// At an edge the registers without enable are to be looked at; those with one, and ports, only
    /// if their enable is found to be 1.
    fn clear_commits(&mut self) {
        let plan = self.code.plan;
        let l = &plan.layout;
        let (mut blocks, mut free, mut ports) = (Marks::new(), Marks::new(), Marks::new());
        for &(cluster, block) in &plan.regions[self.region].blocks {
            if plan.blocks[block].always {
                continue;
            }
            mark(&mut blocks, block.number());
            if cluster.is_none() {
                mark(&mut free, block.number());
            }
        }
        for (k, _) in plan.port_regions.entries().filter(|(_, &region)| region == Some(self.region)) {
            mark(&mut ports, k.number());
        }
        for (base, marks, set) in [(l.commit, blocks, free), (l.ports, ports, Marks::new())] {
            for (word, mask) in marks {
                let at = base.word(word).displacement();
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

    fn value(&mut self, item: ItemId) -> Val {
        if let Some(v) = self.frames.iter().rev().find_map(|f| f.values.get(&item)) {
            return v.clone();
        }
        let it = &self.code.plan.items[item];
        if cheap(self.code.plan, item) {
            let Kind::Node(n) = it.kind else { unreachable!("only nodes are cheap") };
            let node = &self.code.plan.graph.nodes[n.index()];
            let argument = self.operand(node.args[0]);
            let v = Ops { b: self.b }.op(&node.op, node.width, &[argument]);
            self.frame().values.insert(item, v.clone());
            return v;
        }
        let v = match self.escaping.get(&item) {
            Some(variables) => {
                let limbs: Vec<Value> = variables.clone().iter().map(|&v| self.b.use_var(v)).collect();
                if it.kind.is_pack() {
                    Val::Pack(limbs[0])
                } else if it.width <= 64 {
                    Val::Narrow(limbs[0])
                } else {
                    Val::Wide(limbs)
                }
            }
            None if it.kind.is_pack() => {
                let v = self.b.ins().load(I32X4, flags(), self.state, kept(it.slot).displacement());
                Val::Pack(if it.width == 1 { pack::mask_of_bit(self.b, v) } else { v })
            }
            None => load_at(self.b, self.state, kept(it.slot), it.width),
        };
        self.frame().values.insert(item, v.clone());
        v
    }

    /// One member of a pack as a scalar.
    fn lane(&mut self, item: ItemId, lane: u8) -> Val {
        if let Some(&v) = self.frames.iter().rev().find_map(|f| f.lanes.get(&(item, lane))) {
            return Val::Narrow(v);
        }
        let it = &self.code.plan.items[item];
        let here = self.frames.iter().any(|f| f.values.contains_key(&item)) || self.escaping.contains_key(&item);
        let v = if let Some(slot) = it.slot.filter(|_| !here) {
            self.b.ins().load(ty(it.width), flags(), self.state, (slot + 4 * u32::from(lane)).displacement())
        } else {
            let Val::Pack(vector) = self.value(item) else { return Val::Wide(Vec::new()) };
            let v = self.b.ins().extractlane(vector, lane);
            if it.width == 1 {
                let bit = self.b.ins().ireduce(I8, v);
                self.b.ins().band_imm_u(bit, 1)
            } else {
                v
            }
        };
        self.frame().lanes.insert((item, lane), v);
        Val::Narrow(v)
    }

    /// Four nodes as a vector.
    fn lanes(&mut self, nodes: &[NodeId; 4]) -> Value {
        let plan = self.code.plan;
        let item = plan.item_of[nodes[0].index()];
        let whole = (0..4).all(|k| {
            let n = nodes[k].index();
            plan.item_of[n] == item && plan.lane_of[n] == Some(k as u8)
        });
        if let Some(item) = item.filter(|_| whole) {
            if let Val::Pack(v) = self.value(item) {
                return v;
            }
        }
        if let Some(&v) = self.frames.iter().rev().find_map(|f| f.gathered.get(nodes)) {
            return v;
        }
        let width = plan.graph.width(nodes[0]);
        let constants = nodes.map(|n| plan.graph.as_const(n).map(|c| c.to_u64() as u32));
        let v = if let [Some(a), Some(b), Some(c), Some(d)] = constants {
            let lanes = [a, b, c, d].map(|l| if width == 1 { 0u32.wrapping_sub(l) } else { l });
            pack::constant(self.b, lanes)
        } else {
            let mut scalars = [self.state; 4];
            for (s, &n) in scalars.iter_mut().zip(nodes) {
                let v = self.operand(n).narrow();
                *s = Ops { b: self.b }.cast(v, ty(width), I32);
            }
            let mut v = self.b.ins().splat(I32X4, scalars[0]);
            for k in 1..4 {
                if nodes[k] != nodes[0] {
                    v = self.b.ins().insertlane(v, scalars[k], k as u8);
                }
            }
            if width == 1 {
                pack::mask_of_bit(self.b, v)
            } else {
                v
            }
        };
        self.frame().gathered.insert(*nodes, v);
        v
    }

    fn pack(&mut self, item: ItemId, members: &[NodeId; 4]) {
        let graph = &self.code.plan.graph;
        let nodes = members.map(|n| graph.node(n));
        let (op, width) = (&nodes[0].op, nodes[0].width);
        let select = nodes[0].args[0];
        let v = if *op == Op::Mux && nodes.iter().all(|n| n.args[0] == select) {
            let condition = self.operand(select).narrow();
            let (t, e) = (self.lanes(&nodes.map(|n| n.args[1])), self.lanes(&nodes.map(|n| n.args[2])));
            self.b.ins().select(condition, t, e)
        } else {
            let shift = matches!(op, Op::Shl | Op::Shr | Op::Sar);
            let amount =
                if shift { graph.as_const(nodes[0].args[1]).and_then(Bits::small).unwrap_or(u64::MAX) } else { 0 };
            let count = if shift { 1 } else { nodes[0].args.len() };
            let args: Vec<Lanes> = (0..count)
                .map(|k| Lanes { value: self.lanes(&nodes.map(|n| n.args[k])), width: graph.width(nodes[0].args[k]) })
                .collect();
            pack::operation(self.b, op, width, &args, amount.min(64) as u32)
        };
        let it = &self.code.plan.items[item];
        if let Some(slot) = it.slot {
            let slot = slot.displacement();
            let stored = if width == 1 { pack::bit_of_mask(self.b, v) } else { v };
            let marks = self.code.marks(item);
            if !marks.is_empty() {
                let old = self.b.ins().load(I32X4, flags(), self.state, slot);
                let difference = self.b.ins().bxor(old, stored);
                let change = self.b.ins().vany_true(difference);
                self.note_dirty(marks, change);
            }
            self.b.ins().store(flags(), stored, self.state, slot);
        }
        self.remember(item, Val::Pack(v));
    }

    fn pack_register(&mut self, item: ItemId, registers: [RegId; 4]) {
        let plan = self.code.plan;
        let v = self.lanes(&registers.map(|r| plan.nexts[r.index()].data));
        let it = &plan.items[item];
        let stored = if it.width == 1 { pack::bit_of_mask(self.b, v) } else { v };
        let next = kept(plan.next_slots[registers[0].index()]);
        self.b.ins().store(flags(), stored, self.state, next.displacement());
        self.commit_later(item, registers[0]);
    }

    /// The block of a register under an enable is to be looked at in the next edge.
    fn commit_later(&mut self, item: ItemId, register: RegId) {
        let Some(block) = self.code.plan.block_of[register.index()] else { return };
        if self.code.plan.items[item].enable.is_some() && !self.frame().blocks.contains(&block) {
            self.frame().blocks.push(block);
        }
    }

    fn remember(&mut self, item: ItemId, v: Val) {
        if let Some(variables) = self.escaping.get(&item) {
            match &v {
                Val::Narrow(x) | Val::Pack(x) => self.b.def_var(variables[0], *x),
                Val::Wide(l) => {
                    for (&variable, &x) in variables.iter().zip(l) {
                        self.b.def_var(variable, x);
                    }
                }
            }
        }
        self.frame().values.insert(item, v);
    }

    fn operand(&mut self, node: NodeId) -> Operand {
        let width = self.plan().graph.width(node);
        let constant = self.plan().graph.as_const(node).cloned();
        let val = match &constant {
            Some(c) => Ops { b: self.b }.constant(c),
            None => {
                let (item, lane) = (self.plan().item_of[node.index()], self.plan().lane_of[node.index()]);
                let Some(item) = item else { unreachable!("what is read is planned") };
                match lane {
                    None => self.value(item),
                    Some(lane) => self.lane(item, lane),
                }
            }
        };
        Operand { val, width, constant }
    }

    fn item(&mut self, item: ItemId) {
        match self.code.plan.items[item].kind {
            Kind::Source(_) | Kind::PackSource(_) => {}
            Kind::Node(n) => self.node(item, n),
            Kind::Pack(pack) => self.pack(item, &pack),
            Kind::Register(r) => self.register(item, r),
            Kind::PackRegister(rs) => self.pack_register(item, rs),
            Kind::Port(..) => self.port(item),
        }
    }

    fn node(&mut self, item: ItemId, n: NodeId) {
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
        let it = &self.code.plan.items[item];
        if let Some(slot) = it.slot {
            let marks = self.code.marks(item);
            if !marks.is_empty() {
                let old = load_at(self.b, self.state, slot, it.width);
                let change = self.differs(&old, &val, it.width);
                self.note_dirty(marks, change);
            }
            store_at(self.b, self.state, slot, &val);
        }
        self.remember(item, val);
    }

    fn read(&mut self, address: &Operand, base: Offset, depth: u32, width: u32) -> Val {
        let index = self.code.index(self.b, address.val.clone(), address.width, depth);
        let place = self.code.word(self.b, self.state, index, base, width);
        load_at(self.b, place, Offset::default(), width)
    }

    fn differs(&mut self, a: &Val, b: &Val, width: u32) -> Value {
        let operand = |val: &Val| Operand { val: val.clone(), width, constant: None };
        match (Ops { b: self.b }).op(&Op::Ne, 1, &[operand(a), operand(b)]) {
            Val::Narrow(v) | Val::Pack(v) => v,
            Val::Wide(l) => l[0],
        }
    }

    fn or(&mut self, a: Value, b: Value) -> Value {
        self.b.ins().bor(a, b)
    }

    fn note_dirty(&mut self, marks: Marks, change: Value) {
        match self.frame().dirty.iter().position(|d| d.0 == marks) {
            Some(k) => {
                let old = self.frame().dirty[k].1;
                self.frame().dirty[k].1 = self.or(old, change);
            }
            None => self.frame().dirty.push((marks, change)),
        }
    }

    fn register(&mut self, item: ItemId, r: RegId) {
        let plan = self.code.plan;
        let next = plan.nexts[r.index()].data;
        let new = self.operand(next).val;
        store_at(self.b, self.state, kept(plan.next_slots[r.index()]), &new);
        self.commit_later(item, r);
    }

    fn port(&mut self, item: ItemId) {
        let plan = self.code.plan;
        let Kind::Port(m, p) = plan.items[item].kind else { return };
        let Some((k, _)) = plan.ports.entries().find(|(_, x)| **x == (m, p)) else { return };
        let port = &plan.graph.memories[m.index()].writes[p as usize];
        if plan.graph.as_const(port.enable).is_some_and(Bits::is_zero) {
            return;
        }
        let slots = plan.layout.port_slots[k];
        let mask = port.mask.zip(slots.mask);
        for (node, slot) in [(port.addr, slots.address), (port.data, slots.data)].into_iter().chain(mask) {
            let v = self.operand(node);
            store_at(self.b, self.state, slot, &v.val);
        }
        // Only reached while the port is enabled.
        let at = plan.layout.ports.word(k.number() / 64).displacement();
        let old = self.b.ins().load(I64, flags(), self.state, at);
        let bit = self.b.ins().iconst(I64, 1i64 << (k.number() % 64));
        let new = self.or(old, bit);
        self.b.ins().store(flags(), new, self.state, at);
    }

    /// Writes what the open branch noted.
    fn flush(&mut self) {
        let l = &self.code.plan.layout;
        let frame = self.frame();
        let (blocks, dirty) = (std::mem::take(&mut frame.blocks), std::mem::take(&mut frame.dirty));
        let mut bits = Marks::new();
        for block in blocks {
            mark(&mut bits, block.number());
        }
        for (word, mask) in bits {
            let at = l.commit.word(word).displacement();
            let old = self.b.ins().load(I64, flags(), self.state, at);
            let mask = self.b.ins().iconst(I64, mask as i64);
            let new = self.b.ins().bor(old, mask);
            self.b.ins().store(flags(), new, self.state, at);
        }
        for (marks, change) in dirty {
            set_marks(self.b, self.state, l.dirty, &marks, change);
        }
    }
}
