//! Instruction selection: SSA instructions to machine instructions.
//!
//! First every SSA instruction is given its machine form ([`Selector::form`]), with what it can
//! swallow: constants and constant-bank words into operand B (operands are swapped and comparisons
//! mirrored to get them there), a multiplication into IMAD, constant parts of an address into the
//! offset, comparisons with zero into branches and SEL. Then only forms that something needs are
//! emitted. A constant that must stand in a register is made once, in the nearest block that
//! dominates its uses and lies in no loop that does not need it. Wrong if a rewriting is not exact:
//! integer ones wrap (all are identities modulo 2^32), and no float operation is contracted or
//! reordered. Compiled random programs are compared with the SSA interpreter.

use super::cfg::Cfg;
use super::error::BackError;
use super::mir::{MBlock, MFunc, MInst, Operand, Term, VReg};
use crate::ssa::{AtomicOp, Func, Kind, Loc, MessageOp, Space, Target, Value, Width};
use quadlock_isa::{Class, Op, Special};
use std::collections::{BTreeMap, HashMap};

/// Selects for `func`, whose memory operations and edges are lowered. `depth` and dominators come
/// from `cfg`, by position in the layout.
pub fn run(func: &Func, cfg: &Cfg) -> Result<MFunc, BackError> {
    let mut s = Selector::new(func, cfg);
    let mut forms: Vec<Vec<Option<MInst>>> = Vec::new();
    let mut ends = Vec::new();
    for (at, &b) in func.layout.iter().enumerate() {
        let insts = &func.blocks[b.index()].insts;
        let Some((last, body)) = insts.split_last() else {
            return Err(BackError { message: format!("block {} is empty", b.0), loc: Loc::default() });
        };
        let mut row = Vec::new();
        let mut fenced = false;
        for inst in body {
            let sticky = inst.kind.has_effect();
            s.moves.clear();
            let mut form = s.form(at, inst)?;
            fenced |= matches!(inst.kind, Kind::Fence { .. });
            if let Some(f) = form.as_mut().filter(|f| ordered(f)) {
                f.fenced = std::mem::take(&mut fenced);
            }
            row.extend(s.moves.drain(..).map(Some));
            if let (true, Some(f)) = (sticky, &form) {
                s.roots.extend(f.uses());
            }
            row.push(form);
        }
        forms.push(row);
        ends.push(s.terminator(&last.kind, last.loc)?);
    }
    s.finish(forms, ends)
}

/// How a block ends.
struct BlockEnd {
    term: Term,
    copies: Vec<(VReg, Operand)>,
    loc: Loc,
}

/// Machine form of an operation that a pool register holds: a constant or a constant-bank word.
type Pool = BTreeMap<Operand, VReg>;

struct Selector<'a> {
    func: &'a Func,
    cfg: &'a Cfg,
    /// Defining instruction of each value, and the layout position of its block.
    def: Vec<Option<&'a Kind>>,
    uses: Vec<u32>,
    /// Multiplications all of whose uses swallow them into an IMAD.
    fused: Vec<bool>,
    position: HashMap<crate::ssa::Block, usize>,
    pool: Pool,
    vregs: u32,
    /// Moves that gather the data of the store or atomic being selected.
    moves: Vec<MInst>,
    /// Registers needed whatever becomes of their readers.
    roots: Vec<VReg>,
    copies: Vec<(VReg, Operand)>,
}

impl<'a> Selector<'a> {
    fn new(func: &'a Func, cfg: &'a Cfg) -> Selector<'a> {
        let mut def = vec![None; func.values as usize];
        let mut uses = vec![0; func.values as usize];
        let mut position = HashMap::new();
        for (at, &b) in func.layout.iter().enumerate() {
            position.insert(b, at);
            for inst in &func.blocks[b.index()].insts {
                for r in &inst.results {
                    def[r.index()] = Some(&inst.kind);
                }
                for u in inst.kind.uses() {
                    uses[u.index()] += 1;
                }
            }
        }
        let mut s = Selector {
            func,
            cfg,
            def,
            uses,
            fused: vec![false; func.values as usize],
            position,
            pool: Pool::new(),
            vregs: func.values,
            moves: Vec::new(),
            roots: Vec::new(),
            copies: Vec::new(),
        };
        s.find_fused();
        s
    }

    fn constant(&self, v: Value) -> Option<u32> {
        match self.def[v.index()] {
            Some(Kind::Const(c)) => Some(*c),
            _ => None,
        }
    }

    /// The value as operand B.
    fn operand(&mut self, v: Value) -> Operand {
        match self.def[v.index()] {
            Some(Kind::Const(c)) => Operand::Imm(*c),
            Some(Kind::ConstWord(w)) => Operand::Const(*w),
            _ => Operand::Reg(VReg(v.0)),
        }
    }

    fn is_foldable(&self, v: Value) -> bool {
        matches!(self.def[v.index()], Some(Kind::Const(_) | Kind::ConstWord(_)))
    }

    /// The value in a register; constants come from the pool.
    fn reg(&mut self, v: Value) -> VReg {
        match self.operand(v) {
            Operand::Reg(r) => r,
            o => self.pooled(o),
        }
    }

    fn pooled(&mut self, o: Operand) -> VReg {
        let next = &mut self.vregs;
        *self.pool.entry(o).or_insert_with(|| {
            *next += 1;
            VReg(*next - 1)
        })
    }

    /// The factors of `v` if it is a product an IMAD can take over: (register, constant or value).
    fn product(&self, v: Value) -> Option<(Value, Factor)> {
        match self.def[v.index()] {
            Some(Kind::Alu(Op::IMul, a)) if self.is_foldable(a[0]) => Some((a[1], Factor::Value(a[0]))),
            Some(Kind::Alu(Op::IMul, a)) => Some((a[0], Factor::Value(a[1]))),
            Some(Kind::Alu(Op::Shl, a)) => self.constant(a[1]).map(|c| (a[0], Factor::Const(1 << (c & 31)))),
            _ => None,
        }
    }

    /// The operands of an addition as (product, addend) if an IMAD could do it. A constant addend
    /// costs a MOV, which pays only outside the loop that the addition is in.
    fn multiply_add_operands(&self, at: usize, args: &[Value]) -> Option<(Value, Value)> {
        let (a, b) = (args[0], args[1]);
        let mut pairs = [(b, a), (a, b)];
        pairs.sort_by_key(|(p, _)| self.uses[p.index()] != 1);
        pairs.into_iter().find(|&(p, addend)| {
            self.product(p).is_some() && (self.constant(addend).is_none() || self.cfg.depth[at] > 0)
        })
    }

    /// A product vanishes into IMADs if it has one use; in a loop, also if all of its uses are
    /// additions (each becomes an IMAD, and the bases move out of the loop).
    fn find_fused(&mut self) {
        let mut added = vec![0u32; self.func.values as usize];
        let mut depth = vec![0u32; self.func.values as usize];
        for (at, &b) in self.func.layout.iter().enumerate() {
            for inst in &self.func.blocks[b.index()].insts {
                if let Kind::Alu(Op::IAdd, args) = &inst.kind {
                    if let Some((v, _)) = self.multiply_add_operands(at, args) {
                        added[v.index()] += 1;
                        depth[v.index()] = depth[v.index()].max(self.cfg.depth[at]);
                    }
                }
            }
        }
        for v in 0..self.fused.len() {
            self.fused[v] = added[v] > 0 && added[v] == self.uses[v] && (self.uses[v] == 1 || depth[v] > 0);
        }
    }

    /// Splits an address into a register and an offset.
    fn address(&mut self, addr: Value, offset: i32) -> (VReg, u32) {
        let (mut v, mut offset) = (addr, offset as u32);
        loop {
            if let Some(c) = self.constant(v) {
                return (self.pooled(Operand::Imm(0)), offset.wrapping_add(c));
            }
            let next = match self.def[v.index()] {
                Some(Kind::Alu(Op::IAdd, a)) => match (self.constant(a[0]), self.constant(a[1])) {
                    (_, Some(c)) => Some((a[0], c)),
                    (Some(c), None) => Some((a[1], c)),
                    _ => None,
                },
                Some(Kind::Alu(Op::ISub, a)) => self.constant(a[1]).map(|c| (a[0], c.wrapping_neg())),
                _ => None,
            };
            match next {
                Some((x, c)) => (v, offset) = (x, offset.wrapping_add(c)),
                None => return (self.reg(v), offset),
            }
        }
    }

    /// A condition as (value to test against zero, whether zero means true).
    fn condition(&self, cond: Value) -> (Value, bool) {
        let (mut v, mut negate) = (cond, false);
        loop {
            let Some(Kind::Alu(op, a)) = self.def[v.index()] else { return (v, negate) };
            let flips = match (op, a.get(1).and_then(|&b| self.constant(b))) {
                (Op::ISetNe | Op::USetGt, Some(0)) => false,
                (Op::ISetEq | Op::USetLe, Some(0)) => true,
                (Op::USetGe, Some(1)) => false,
                (Op::USetLt, Some(1)) => true,
                (Op::Xor, Some(1)) if self.is_bool(a[0]) => true,
                _ => return (v, negate),
            };
            v = a[0];
            negate ^= flips;
        }
    }

    fn is_bool(&self, v: Value) -> bool {
        match self.def[v.index()] {
            Some(Kind::Alu(op, a)) => match op {
                Op::And | Op::Or | Op::Xor => self.is_bool(a[0]) && self.is_bool(a[1]),
                _ => is_comparison(*op),
            },
            Some(Kind::Const(c)) => *c <= 1,
            _ => false,
        }
    }

    fn form(&mut self, at: usize, inst: &crate::ssa::Inst) -> Result<Option<MInst>, BackError> {
        let defs: Vec<VReg> = inst.results.iter().map(|v| VReg(v.0)).collect();
        let mut m = MInst::new(Op::Mov, defs, inst.loc);
        match &inst.kind {
            Kind::Const(_) | Kind::ConstWord(_) => return Ok(None),
            Kind::Alu(op, args) => self.alu_form(at, *op, args, &mut m),
            Kind::Special(s) => {
                m.op = Op::S2R;
                m.imm = *s as u32;
            }
            Kind::Load { space, width, addr, offset } => {
                m.op = load_op(*space, *width);
                m.read_only = *space == Space::ReadOnly;
                let (a, imm) = self.address(*addr, *offset);
                (m.a, m.imm) = (Some(a), imm);
            }
            Kind::Store { space, width, addr, offset, values } => {
                m.op = store_op(*space, *width);
                m.own = *space == Space::Stack;
                let (a, imm) = self.address(*addr, *offset);
                (m.a, m.imm) = (Some(a), imm);
                m.data = self.gather(values, inst.loc);
            }
            Kind::CrossLane { op, args } => self.alu_form(at, *op, args, &mut m),
            Kind::Atomic { space, warp_wide, op, addr, offset, values, expected } => {
                let wide = values.len() == 2;
                m.op = atomic_op(*space, *op, *warp_wide, wide).ok_or_else(|| {
                    let message = format!("internal error: no instruction for {}", inst.kind);
                    BackError { message, loc: inst.loc }
                })?;
                let (a, imm) = self.address(*addr, *offset);
                (m.a, m.imm) = (Some(a), imm);
                m.data = self.gather(values, inst.loc);
                m.c = self.gather(expected, inst.loc);
            }
            Kind::Barrier => m.op = Op::Bar,
            Kind::Demote => m.op = Op::Demote,
            Kind::Helper => (m.op, m.imm) = (Op::S2R, Special::Helper as u32),
            Kind::Fetch { op, number } => (m.op, m.imm) = (*op, *number),
            Kind::Output { word, value } => {
                (m.op, m.imm) = (Op::Out, *word);
                m.a = Some(self.reg(*value));
            }
            Kind::Message { op, id } => {
                m.op = message_op(*op);
                m.done = *op == MessageOp::Done;
                m.b = id.map_or(Operand::None, |id| self.operand(id));
            }
            // The next memory operation of the block keeps the place ([`MInst::fenced`]); none
            // moves to another block.
            Kind::Fence { .. } => return Ok(None),
            other => {
                let message = format!("internal error: {other:?} in block {at} reached instruction selection");
                return Err(BackError { message, loc: inst.loc });
            }
        }
        Ok(Some(m))
    }

    /// Data registers of a store or an atomic: a wide one gets moves into fresh registers, which
    /// the allocator makes consecutive and coalesces.
    fn gather(&mut self, values: &[Value], loc: Loc) -> Vec<VReg> {
        if let [one] = values {
            return vec![self.reg(*one)];
        }
        values
            .iter()
            .map(|&v| {
                let source = self.operand(v);
                self.vregs += 1;
                let d = VReg(self.vregs - 1);
                self.moves.push(MInst::mov(d, source, loc));
                d
            })
            .collect()
    }

    fn alu_form(&mut self, at: usize, op: Op, args: &[Value], m: &mut MInst) {
        m.op = op;
        match *args {
            [a] => m.a = Some(self.reg(a)),
            [_, _] if op == Op::IAdd && self.multiply_add(at, args, m) => {}
            [mut a, mut b] => {
                if self.is_foldable(a) && !self.is_foldable(b) {
                    if let Some(mirror) = mirrored(op) {
                        m.op = mirror;
                        std::mem::swap(&mut a, &mut b);
                    }
                }
                m.a = Some(self.reg(a));
                m.b = self.operand(b);
            }
            [a, b, c] if op == Op::Sel => self.select_form(a, b, c, m),
            [mut a, mut b, c] => {
                let commutes = matches!(op, Op::IMad | Op::FFma | Op::FNma);
                if commutes && self.is_foldable(a) && !self.is_foldable(b) {
                    std::mem::swap(&mut a, &mut b);
                }
                m.a = Some(self.reg(a));
                m.b = self.operand(b);
                m.c = vec![self.reg(c)];
            }
            _ => {}
        }
    }

    fn multiply_add(&mut self, at: usize, args: &[Value], m: &mut MInst) -> bool {
        let Some((product, addend)) = self.multiply_add_operands(at, args) else { return false };
        let (true, Some((x, factor))) = (self.fused[product.index()], self.product(product)) else { return false };
        m.op = Op::IMad;
        m.a = Some(self.reg(x));
        m.b = match factor {
            Factor::Const(c) => Operand::Imm(c),
            Factor::Value(v) => self.operand(v),
        };
        m.c = vec![self.reg(addend)];
        true
    }

    /// `SEL d, a, B, c`: a condition that only negates another one goes away.
    fn select_form(&mut self, a: Value, b: Value, cond: Value, m: &mut MInst) {
        let (test, negate) = self.condition(cond);
        let (a, b) = if negate { (b, a) } else { (a, b) };
        m.op = Op::Sel;
        m.a = Some(self.reg(a));
        m.b = self.operand(b);
        m.c = vec![self.reg(test)];
    }

    fn terminator(&mut self, kind: &Kind, loc: Loc) -> Result<BlockEnd, BackError> {
        let place = |s: &Self, t: &Target| s.position[&t.block];
        self.copies.clear();
        let term = match kind {
            Kind::Jump(t) => {
                for (&p, &v) in self.func.blocks[t.block.index()].params.iter().zip(&t.args) {
                    let source = self.operand(v);
                    self.copies.push((VReg(p.0), source));
                }
                Term::Jump(place(self, t))
            }
            Kind::Branch { cond, then, other } => {
                let (v, negate) = self.condition(*cond);
                let (then, other) = (place(self, then), place(self, other));
                match self.constant(v) {
                    Some(c) => Term::Jump(if (c != 0) != negate { then } else { other }),
                    None => {
                        let cond = self.reg(v);
                        self.roots.push(cond);
                        Term::Branch { cond, negate, then, other }
                    }
                }
            }
            Kind::Return(_) | Kind::Unreachable => Term::End,
            Kind::Discard => Term::Discard,
            other => return Err(BackError { message: format!("internal error: {other:?} ends a block"), loc }),
        };
        Ok(BlockEnd { term, copies: self.copies.clone(), loc })
    }

    fn finish(self, forms: Vec<Vec<Option<MInst>>>, ends: Vec<BlockEnd>) -> Result<MFunc, BackError> {
        let needed = mark(&forms, &ends, &self.roots, self.vregs);
        let mut blocks: Vec<MBlock> = Vec::new();
        for (at, (row, end)) in forms.into_iter().zip(ends).enumerate() {
            let keep = |m: &MInst| is_effect(m.op) || m.defs.iter().any(|d| needed[d.index()]);
            // The place behind a fence goes from an instruction that is not kept to the next one.
            let mut fenced = false;
            let insts = row.into_iter().flatten().filter_map(|mut m| {
                fenced |= m.fenced;
                let kept = keep(&m);
                if kept && ordered(&m) {
                    m.fenced = std::mem::take(&mut fenced);
                }
                kept.then_some(m)
            });
            let insts = insts.collect();
            let source = &self.func.blocks[self.func.layout[at].index()];
            blocks.push(MBlock {
                name: format!("block{}", self.func.layout[at].0),
                polling: source.insts.iter().any(|i| i.kind == Kind::Fence { polling: true }),
                insts,
                copies: end.copies.into_iter().filter(|(d, _)| needed[d.index()]).collect(),
                term: end.term,
                term_loc: end.loc,
                depth: self.cfg.depth[at],
            });
        }
        let mut mfunc = MFunc { blocks, vregs: self.vregs, frame: 0, stack_pointer: None };
        for (source, d) in self.pool {
            place_constant(&mut mfunc, self.cfg, d, source);
        }
        Ok(mfunc)
    }
}

enum Factor {
    Value(Value),
    Const(u32),
}

fn is_effect(op: Op) -> bool {
    op.is_store() || op.is_atomic() || matches!(op, Op::Bar | Op::Demote | Op::Out) || op.class() == Class::Message
}

/// Whether fences keep its place: a memory operation, but no load of what nobody writes.
fn ordered(m: &MInst) -> bool {
    m.op.is_memory() && !m.read_only
}

/// Which registers are read by something that counts: stores, atomics, branches, and what these
/// need, through the copies too.
fn mark(forms: &[Vec<Option<MInst>>], ends: &[BlockEnd], roots: &[VReg], vregs: u32) -> Vec<bool> {
    let mut feeds: Vec<Vec<VReg>> = vec![Vec::new(); vregs as usize];
    let mut work = roots.to_vec();
    for m in forms.iter().flatten().flatten() {
        let uses: Vec<VReg> = m.uses().collect();
        if is_effect(m.op) {
            work.extend(&uses);
        }
        for d in &m.defs {
            feeds[d.index()].extend(&uses);
        }
    }
    for (d, s) in ends.iter().flat_map(|e| &e.copies) {
        feeds[d.index()].extend(s.reg());
    }
    let mut needed = vec![false; vregs as usize];
    while let Some(r) = work.pop() {
        if !std::mem::replace(&mut needed[r.index()], true) {
            work.extend(&feeds[r.index()]);
        }
    }
    needed
}

/// Puts `MOV d, source` where it dominates the uses of `d`: before the first use in the nearest
/// common dominator, outside loops.
fn place_constant(mfunc: &mut MFunc, cfg: &Cfg, d: VReg, source: Operand) {
    let reads = |b: &MBlock| {
        b.insts.iter().any(|m| m.uses().any(|u| u == d))
            || b.copies.iter().any(|c| c.1.reg() == Some(d))
            || b.term.cond() == Some(d)
    };
    let users = (0..mfunc.blocks.len()).filter(|&b| reads(&mfunc.blocks[b]));
    let Some(mut at) = users.reduce(|a, b| cfg.common_dominator(a, b)) else { return };
    // Out of loops: up the dominator tree to the last block of lowest depth.
    let mut up = at;
    while let Some(next) = cfg.idom[up].filter(|&n| n != up) {
        up = next;
        if cfg.depth[up] < cfg.depth[at] {
            at = up;
        }
    }
    let block = &mut mfunc.blocks[at];
    let first = block.insts.iter().position(|m| m.uses().any(|u| u == d)).unwrap_or(block.insts.len());
    let loc = block.insts.get(first).map_or(block.term_loc, |m| m.loc);
    block.insts.insert(first, MInst::mov(d, source, loc));
}

fn is_comparison(op: Op) -> bool {
    (Op::ISetEq as u8..=Op::FSetGe as u8).contains(&(op as u8))
}

/// The operation that gives the same result with A and B exchanged.
fn mirrored(op: Op) -> Option<Op> {
    use Op::*;
    Some(match op {
        IAdd | IMul | UMulHi | SMulHi | SMin | SMax | UMin | UMax | And | Or | Xor | ISetEq | ISetNe | FSetEq
        | FSetNe | FAdd | FMul | FMin | FMax => op,
        SSetLt => SSetGt,
        SSetGt => SSetLt,
        SSetLe => SSetGe,
        SSetGe => SSetLe,
        USetLt => USetGt,
        USetGt => USetLt,
        USetLe => USetGe,
        USetGe => USetLe,
        FSetLt => FSetGt,
        FSetGt => FSetLt,
        FSetLe => FSetGe,
        FSetGe => FSetLe,
        _ => return None,
    })
}

fn load_op(space: Space, width: Width) -> Op {
    let (global, shared) = match width {
        Width::U8 => (Op::LdU8, Op::LdsU8),
        Width::S8 => (Op::LdS8, Op::LdsS8),
        Width::U16 => (Op::LdU16, Op::LdsU16),
        Width::S16 => (Op::LdS16, Op::LdsS16),
        Width::W32 => (Op::Ld32, Op::Lds32),
        Width::W64 => (Op::Ld64, Op::Lds64),
        Width::W128 => (Op::Ld128, Op::Lds128),
    };
    if space == Space::Shared {
        shared
    } else {
        global
    }
}

fn store_op(space: Space, width: Width) -> Op {
    let (global, shared) = match width {
        Width::U8 | Width::S8 => (Op::St8, Op::Sts8),
        Width::U16 | Width::S16 => (Op::St16, Op::Sts16),
        Width::W32 => (Op::St32, Op::Sts32),
        Width::W64 => (Op::St64, Op::Sts64),
        Width::W128 => (Op::St128, Op::Sts128),
    };
    if space == Space::Shared {
        shared
    } else {
        global
    }
}

/// The instruction of an atomic: in global or shared memory, of each lane or once for the warp
/// (WW-21, WW-26), on 32 bits or on 64. A lock is only one of the warp.
fn atomic_op(space: Space, op: AtomicOp, warp_wide: bool, wide: bool) -> Option<Op> {
    // By memory: of each lane and of the warp, on 32 bits; the same on 64.
    let [global, shared] = match op {
        AtomicOp::Add => {
            [[Op::AAdd, Op::WAAdd, Op::AAdd64, Op::WAAdd64], [Op::SAAdd, Op::WAAddS, Op::SAAdd64, Op::WAAdd64S]]
        }
        AtomicOp::Sub => {
            [[Op::ASub, Op::WASub, Op::ASub64, Op::WASub64], [Op::SASub, Op::WASubS, Op::SASub64, Op::WASub64S]]
        }
        AtomicOp::And => {
            [[Op::AAnd, Op::WAAnd, Op::AAnd64, Op::WAAnd64], [Op::SAAnd, Op::WAAndS, Op::SAAnd64, Op::WAAnd64S]]
        }
        AtomicOp::Or => [[Op::AOr, Op::WAOr, Op::AOr64, Op::WAOr64], [Op::SAOr, Op::WAOrS, Op::SAOr64, Op::WAOr64S]],
        AtomicOp::Xor => {
            [[Op::AXor, Op::WAXor, Op::AXor64, Op::WAXor64], [Op::SAXor, Op::WAXorS, Op::SAXor64, Op::WAXor64S]]
        }
        AtomicOp::SMin => {
            [[Op::ASMin, Op::WASMin, Op::ASMin64, Op::WASMin64], [Op::SASMin, Op::WASMinS, Op::SASMin64, Op::WASMin64S]]
        }
        AtomicOp::SMax => {
            [[Op::ASMax, Op::WASMax, Op::ASMax64, Op::WASMax64], [Op::SASMax, Op::WASMaxS, Op::SASMax64, Op::WASMax64S]]
        }
        AtomicOp::UMin => {
            [[Op::AUMin, Op::WAUMin, Op::AUMin64, Op::WAUMin64], [Op::SAUMin, Op::WAUMinS, Op::SAUMin64, Op::WAUMin64S]]
        }
        AtomicOp::UMax => {
            [[Op::AUMax, Op::WAUMax, Op::AUMax64, Op::WAUMax64], [Op::SAUMax, Op::WAUMaxS, Op::SAUMax64, Op::WAUMax64S]]
        }
        AtomicOp::Xchg => {
            [[Op::AXchg, Op::WAXchg, Op::AXchg64, Op::WAXchg64], [Op::SAXchg, Op::WAXchgS, Op::SAXchg64, Op::WAXchg64S]]
        }
        AtomicOp::Cas => {
            [[Op::ACas, Op::WACas, Op::ACas64, Op::WACas64], [Op::SACas, Op::WACasS, Op::SACas64, Op::WACas64S]]
        }
        AtomicOp::Lock if !warp_wide || wide => return None,
        AtomicOp::Lock => [[Op::WALock; 4], [Op::WALockS; 4]],
    };
    let form = usize::from(warp_wide) + 2 * usize::from(wide);
    Some(if space == Space::Shared { shared[form] } else { global[form] })
}

fn message_op(op: MessageOp) -> Op {
    match op {
        MessageOp::Acquire => Op::Acs,
        MessageOp::AcquireRelease => Op::Asr,
        MessageOp::Wait => Op::Wts,
        MessageOp::Release | MessageOp::Done => Op::Rls,
    }
}
