//! Unsigned upper bounds: clamps and comparisons that can only come out one way disappear.
//!
//! The front end clamps computed indices, and most of them are in bounds anyway: a loop counter
//! below a constant, a bit field, a local invocation number. For each value an upper bound is
//! derived from its operation, and on the far side of a branch from the comparison that led there;
//! a walk over the dominator tree keeps the second kind to the blocks where it holds. A bound that
//! is too small removes a clamp that was needed, so every rule must hold for wrapping arithmetic: a
//! sum that could wrap has no bound. Parameters of loop headers have none (beyond what a branch
//! says).

use super::{Options, Replace};
use crate::ssa::dominance::Dominance;
use crate::ssa::{Block, Func, Inst, Kind, Value, Width};
use quadlock_isa::{Op, Special};

/// Does it to a function; whether anything changed.
pub fn run(func: &mut Func, options: &Options) -> bool {
    let dom = Dominance::new(func);
    let mut r = Ranges {
        kinds: kinds(func),
        max: vec![u32::MAX; func.values as usize],
        undo: vec![],
        group_size: options.group_size,
        replace: Replace::default(),
        changed: false,
    };
    let mut stack = vec![(func.entry(), None)];
    while let Some((b, leave)) = stack.pop() {
        if let Some(length) = leave {
            r.undo.drain(length..).rev().for_each(|(v, old): (Value, u32)| r.max[v.index()] = old);
            continue;
        }
        stack.push((b, Some(r.undo.len())));
        r.enter(func, b, &dom);
        for inst in &mut func.blocks[b.index()].insts {
            r.inst(inst);
        }
        stack.extend(dom.children[b.index()].iter().rev().map(|&c| (c, None)));
    }
    r.replace.apply(func);
    r.changed
}

fn kinds(func: &Func) -> Vec<Option<Kind>> {
    let mut out = vec![None; func.values as usize];
    for inst in func.layout.iter().flat_map(|b| &func.blocks[b.index()].insts) {
        if let [r] = inst.results[..] {
            out[r.index()] = Some(inst.kind.clone());
        }
    }
    out
}

struct Ranges {
    kinds: Vec<Option<Kind>>,
    /// Largest number the value can be, at the current point.
    max: Vec<u32>,
    undo: Vec<(Value, u32)>,
    group_size: Option<[u32; 3]>,
    replace: Replace,
    changed: bool,
}

impl Ranges {
    fn max(&self, v: Value) -> u32 {
        self.max[v.index()]
    }
    fn constant(&self, v: Value) -> Option<u32> {
        match self.kinds[v.index()] {
            Some(Kind::Const(c)) => Some(c),
            _ => None,
        }
    }
    fn limit(&mut self, v: Value, max: u32) {
        if max < self.max(v) {
            self.undo.push((v, self.max(v)));
            self.max[v.index()] = max;
        }
    }

    /// What the way into the block says.
    fn enter(&mut self, func: &Func, b: Block, dom: &Dominance) {
        let preds = &dom.cfg.preds[b.index()];
        if let [p] = preds[..] {
            if let Some(Kind::Branch { cond, then, other }) = func.blocks[p.index()].insts.last().map(|i| &i.kind) {
                if then.block != other.block {
                    self.learn(*cond, then.block == b, 4);
                }
            }
        }
        // Arguments of forward jumps have been seen; a loop's latch has not.
        if preds.iter().any(|p| dom.cfg.position[p.index()] >= dom.cfg.position[b.index()]) {
            return;
        }
        for (i, &param) in func.blocks[b.index()].params.iter().enumerate() {
            let targets =
                preds.iter().filter_map(|p| func.blocks[p.index()].insts.last()).flat_map(|l| l.kind.targets());
            // Only bounds that hold everywhere: constants and what operations say, which is not
            // undone by leaving a subtree.
            let bound = targets.filter(|t| t.block == b).map(|t| self.own(t.args[i])).max();
            self.limit(param, bound.unwrap_or(u32::MAX));
        }
    }

    /// Bound of a value from its operation alone, whatever branches were taken.
    fn own(&self, v: Value) -> u32 {
        match &self.kinds[v.index()] {
            Some(Kind::Const(c)) => *c,
            Some(Kind::Alu(op, _)) => op.row().greatest,
            _ => u32::MAX,
        }
    }

    /// `cond` is true (or false) here.
    fn learn(&mut self, cond: Value, truth: bool, depth: u32) {
        let Some(Kind::Alu(op, args)) = self.kinds[cond.index()].clone() else { return };
        let zero = |r: &Ranges, v: Value| r.constant(v) == Some(0);
        match (op, truth) {
            _ if depth == 0 => {}
            (Op::And, true) | (Op::Or, false) if args.iter().all(|a| self.own(*a) == 1) => {
                args.iter().for_each(|a| self.learn(*a, truth, depth - 1));
            }
            (Op::ISetEq, _) if zero(self, args[1]) && self.own(args[0]) == 1 => self.learn(args[0], !truth, depth - 1),
            (Op::USetLt, true) | (Op::USetGe, false) => self.limit(args[0], self.max(args[1]).saturating_sub(1)),
            (Op::USetLe, true) | (Op::USetGt, false) | (Op::ISetEq, true) | (Op::ISetNe, false) => {
                self.limit(args[0], self.max(args[1]));
            }
            (Op::USetGt, true) | (Op::USetLe, false) => self.limit(args[1], self.max(args[0]).saturating_sub(1)),
            (Op::USetGe, true) | (Op::USetLt, false) => self.limit(args[1], self.max(args[0])),
            _ => {}
        }
    }

    fn inst(&mut self, inst: &mut Inst) {
        let [result] = inst.results[..] else { return };
        if let Kind::Alu(op, args) = &inst.kind {
            match self.simplify(*op, args) {
                Some(Simpler::Const(c)) => {
                    inst.kind = Kind::Const(c);
                    self.changed = true;
                }
                // The instruction stays, dead, until the next DCE.
                Some(Simpler::Copy(v)) => {
                    self.replace.add(result, v);
                    inst.kind = Kind::Const(0);
                    self.changed = true;
                    return self.limit(result, self.max(v));
                }
                None => {}
            }
        }
        let bound = self.bound(&inst.kind);
        if bound == 0 && matches!(inst.kind, Kind::Alu(..) | Kind::Special(_)) {
            inst.kind = Kind::Const(0);
            self.changed = true;
        }
        self.kinds[result.index()] = Some(inst.kind.clone());
        self.limit(result, bound);
    }

    fn bound(&self, kind: &Kind) -> u32 {
        match kind {
            Kind::Const(c) => *c,
            Kind::Alu(op, args) => self.bound_of(*op, args),
            Kind::Special(s) => match (s, self.group_size) {
                (Special::LocalIndex, Some([x, y, z])) => (x * y * z).saturating_sub(1),
                (s, _) => s.greatest(),
            },
            Kind::CrossLane { op, .. } => op.row().greatest,
            Kind::Load { width: Width::U8, .. } => 0xFF,
            Kind::Load { width: Width::U16, .. } => 0xFFFF,
            _ => u32::MAX,
        }
    }

    fn bound_of(&self, op: Op, args: &[Value]) -> u32 {
        let max = |i: usize| self.max(args[i]);
        let c = |i: usize| args.get(i).and_then(|a| self.constant(*a));
        // A bound beyond 32 bits means that the operation may wrap.
        let wide = |x: u64| u32::try_from(x).unwrap_or(u32::MAX);
        let product = || u64::from(max(0)) * u64::from(max(1));
        let ones = |x: u32| if x == 0 { 0 } else { u32::MAX >> x.leading_zeros() };
        match op {
            Op::And => max(0).min(max(1)),
            Op::Or | Op::Xor => ones(max(0) | max(1)),
            Op::UMin => max(0).min(max(1)),
            Op::UMax => max(0).max(max(1)),
            Op::Sel => max(0).max(max(1)),
            Op::IAdd => wide(u64::from(max(0)) + u64::from(max(1))),
            Op::IMul => wide(product()),
            Op::IMad => wide(product().saturating_add(u64::from(max(2)))),
            Op::UMulHi => (product() >> 32) as u32,
            Op::Shr => max(0) >> c(1).map_or(0, |k| k & 31),
            Op::Shl => c(1).map_or(u32::MAX, |k| wide(u64::from(max(0)) << (k & 31))),
            Op::UBfe => self.field(args[0], c(1)),
            op => op.row().greatest,
        }
    }

    /// Bound of a bit field; a component of the local invocation number is below the size of the
    /// group.
    fn field(&self, a: Value, place: Option<u32>) -> u32 {
        let Some(place) = place else { return u32::MAX };
        let (offset, count) = (place & 31, (place >> 8) & 63);
        let bits = if count >= 32 { u32::MAX } else { (1 << count) - 1 };
        let whole = (self.max(a) >> offset).min(bits);
        match (&self.kinds[a.index()], self.group_size, offset) {
            (Some(Kind::Special(Special::LocalId)), Some(size), 0 | 10 | 20) if count == 10 => {
                whole.min(size[offset as usize / 10].saturating_sub(1))
            }
            _ => whole,
        }
    }

    fn simplify(&self, op: Op, args: &[Value]) -> Option<Simpler> {
        let &[a, b] = args else { return None };
        let (max, c) = (self.max(a), self.constant(b)?);
        let positive = max <= i32::MAX as u32 && c <= i32::MAX as u32;
        let copy = Some(Simpler::Copy(a));
        match op {
            Op::UMin if max <= c => copy,
            Op::SMin if positive && max <= c => copy,
            Op::SMax if c == 0 && positive => copy,
            Op::UMax if max <= c => Some(Simpler::Const(c)),
            Op::And if c & c.wrapping_add(1) == 0 && max <= c => copy,
            Op::UBfe if c & 31 == 0 && max <= low(c) => copy,
            Op::USetLt | Op::ISetNe if max < c => Some(Simpler::Const(1)),
            Op::USetGe | Op::ISetEq if max < c => Some(Simpler::Const(0)),
            Op::USetLe if max <= c => Some(Simpler::Const(1)),
            Op::USetGt if max <= c => Some(Simpler::Const(0)),
            Op::SSetLt if positive && max < c => Some(Simpler::Const(1)),
            Op::SSetGe if positive && max < c => Some(Simpler::Const(0)),
            Op::SSetLe if positive && max <= c => Some(Simpler::Const(1)),
            Op::SSetGt if positive && max <= c => Some(Simpler::Const(0)),
            Op::SSetLt if positive && c == 0 => Some(Simpler::Const(0)),
            Op::SSetGe if positive && c == 0 => Some(Simpler::Const(1)),
            _ => None,
        }
    }
}

/// Largest field of a UBFE with this place.
fn low(place: u32) -> u32 {
    match (place >> 8) & 63 {
        count @ 0..=31 => (1 << count) - 1,
        _ => u32::MAX,
    }
}

enum Simpler {
    Const(u32),
    Copy(Value),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::{const_fold, copy_prop, cse, mem2reg};
    use crate::random::ssa::check;
    use crate::ssa::{Loc, Target};
    use quadlock_isa::SPECIALS;

    const LOC: Loc = Loc::at(0, 0, 0);
    fn alu(f: &mut Func, b: Block, op: Op, args: &[Value]) -> Value {
        f.push(b, Kind::Alu(op, args.to_vec()), 1, LOC)[0]
    }
    fn constant(f: &mut Func, b: Block, c: u32) -> Value {
        f.push(b, Kind::Const(c), 1, LOC)[0]
    }

    /// if x < 4 { y = min(x, limit) } y
    fn guarded(limit: u32) -> Func {
        let mut f = Func { name: "f".into(), results: 1, ..Default::default() };
        let b: Vec<Block> = (0..3).map(|_| f.new_block()).collect();
        let x = f.new_value();
        f.blocks[0].params = vec![x];
        let four = constant(&mut f, b[0], 4);
        let limit = constant(&mut f, b[0], limit);
        let cond = alu(&mut f, b[0], Op::USetLt, &[x, four]);
        let t = |b| Target { block: b, args: vec![] };
        f.push(b[0], Kind::Branch { cond, then: t(b[1]), other: t(b[2]) }, 0, LOC);
        let y = alu(&mut f, b[1], Op::UMin, &[x, limit]);
        f.push(b[1], Kind::Return(vec![y]), 0, LOC);
        let z = alu(&mut f, b[2], Op::UMin, &[x, limit]);
        f.push(b[2], Kind::Return(vec![z]), 0, LOC);
        f
    }

    #[test]
    fn a_clamp_that_a_branch_has_decided_goes() {
        let mut f = guarded(3);
        assert!(run(&mut f, &Options::default()));
        assert_eq!(f.blocks[1].insts[1].kind, Kind::Return(vec![f.blocks[0].params[0]]));
        assert!(matches!(f.blocks[2].insts[0].kind, Kind::Alu(Op::UMin, _)), "the other side knows nothing\n{f}");
        assert!(!run(&mut guarded(2), &Options::default()), "3 is above the limit");
    }

    #[test]
    fn local_numbers_are_below_the_size_of_the_group() {
        let build = || {
            let mut f = Func { name: "f".into(), results: 2, ..Default::default() };
            let b = f.new_block();
            let id = f.push(b, Kind::Special(Special::LocalId), 1, LOC)[0];
            let (at, limit) = (constant(&mut f, b, 10 | 10 << 8), constant(&mut f, b, 3));
            let y = alu(&mut f, b, Op::UBfe, &[id, at]);
            let y = alu(&mut f, b, Op::UMin, &[y, limit]);
            let at = constant(&mut f, b, 20 | 10 << 8);
            let z = alu(&mut f, b, Op::UBfe, &[id, at]);
            f.push(b, Kind::Return(vec![y, z]), 0, LOC);
            f
        };
        assert!(!run(&mut build(), &Options::default()));
        let mut f = build();
        assert!(run(&mut f, &Options { group_size: Some([8, 4, 1]), ..Default::default() }));
        let text = f.to_string();
        assert!(!text.contains("umin") && text.matches("ubfe").count() == 1, "{f}");
    }

    /// For every special register: a comparison with its greatest value stays, one with a greater
    /// value goes.
    #[test]
    fn special_registers_have_the_greatest_value_of_the_table() {
        for row in SPECIALS.iter().filter(|row| row.greatest < u32::MAX) {
            let build = |limit: u32| {
                let mut f = Func { name: "f".into(), results: 1, ..Default::default() };
                let b = f.new_block();
                let x = f.push(b, Kind::Special(row.special), 1, LOC)[0];
                let c = constant(&mut f, b, limit);
                let y = alu(&mut f, b, Op::USetLt, &[x, c]);
                f.push(b, Kind::Return(vec![y]), 0, LOC);
                f
            };
            assert!(!run(&mut build(row.greatest), &Options::default()), "{} can be {}", row.name, row.greatest);
            assert!(run(&mut build(row.greatest + 1), &Options::default()), "{}", row.name);
        }
    }

    #[test]
    fn a_unit_number_may_be_eight() {
        let mut f = Func { name: "f".into(), results: 1, ..Default::default() };
        let b = f.new_block();
        let unit = f.push(b, Kind::Special(Special::Unit), 1, LOC)[0];
        let eight = constant(&mut f, b, 8);
        let y = alu(&mut f, b, Op::USetLt, &[unit, eight]);
        f.push(b, Kind::Return(vec![y]), 0, LOC);
        assert!(!run(&mut f, &Options::default()), "{f}");
    }

    #[test]
    fn a_sum_that_may_wrap_has_no_bound() {
        let mut f = Func { name: "f".into(), results: 1, ..Default::default() };
        let b = f.new_block();
        let x = f.push(b, Kind::Special(Special::Lane), 1, LOC)[0];
        let c = constant(&mut f, b, 0xFFFF_FFFD);
        let sum = alu(&mut f, b, Op::IAdd, &[x, c]);
        let clamped = alu(&mut f, b, Op::UMin, &[sum, c]);
        f.push(b, Kind::Return(vec![clamped]), 0, LOC);
        assert!(!run(&mut f, &Options::default()), "{f}");
    }

    #[test]
    fn random_programs_do_the_same() {
        check::same_behaviour(&[mem2reg::run, const_fold::run, copy_prop::run, cse::run], run, 0..400);
    }
}
