//! Constant folding and algebra that is exact bit for bit.
//!
//! Blocks are walked in reverse post-order, so operands are simplified before their users (except
//! around loops, which the pipeline's next round gets). An operation whose operands are constants
//! becomes its value (`eval`). Constants move to operand B, where the machine takes them for
//! nothing. Integer identities and re-association hold modulo 2^32. For f32 only what is exact is
//! done: an operand that may be a NaN with a payload must not pass through, since arithmetic
//! returns *the* NaN, so `x * 1` is `x` only when `x` itself comes from arithmetic; `x + 0` is
//! never `x` (x = -0). A wrong rule computes something else for some operand: the unit test tries
//! every rule's pattern on corner values, the property test whole programs, and `FoldSub` plants a
//! wrong one. Branches on constants become jumps.

use super::algebra::{self, New};
use super::facts::Facts;
use super::{Options, Replace};
use crate::fault::CompilerFault;
use crate::ssa::dominance::Cfg;
use crate::ssa::{Func, Inst, Kind, Loc, Value};
use quadlock_isa::Op;

/// Does it to a function; whether anything changed.
pub fn run(func: &mut Func, options: &Options) -> bool {
    let mut folder = Folder {
        facts: Facts::new(func),
        values: func.values,
        replace: Replace::default(),
        out: vec![],
        changed: false,
        wrong_sub: options.fault == Some(CompilerFault::FoldSub),
    };
    for b in Cfg::new(func).order {
        for inst in std::mem::take(&mut func.blocks[b.index()].insts) {
            folder.inst(inst);
        }
        func.blocks[b.index()].insts = std::mem::take(&mut folder.out);
    }
    func.values = folder.values;
    folder.replace.apply(func);
    folder.changed
}

struct Folder {
    facts: Facts,
    values: u32,
    replace: Replace,
    out: Vec<Inst>,
    changed: bool,
    wrong_sub: bool,
}

impl Folder {
    fn inst(&mut self, mut inst: Inst) {
        inst.kind.map_uses(&mut |v| self.replace.get(v));
        while let Kind::Alu(op, args) = &inst.kind {
            let new = match self.planted(*op, args) {
                Some(new) => Some(new),
                None => algebra::simplify(&self.facts, *op, args),
            };
            let Some(new) = new else { break };
            self.changed = true;
            match new {
                New::Const(c) => inst.kind = Kind::Const(c),
                New::Copy(v) => return self.replace.add(inst.results[0], v),
                New::Alu(op, args) => {
                    let args = args.iter().map(|a| self.operand(*a, inst.loc)).collect();
                    inst.kind = Kind::Alu(op, args);
                }
            }
        }
        if let Some(kind) = self.branch(&inst.kind) {
            inst.kind = kind;
            self.changed = true;
        }
        self.facts.learn(&inst);
        self.out.push(inst);
    }

    fn planted(&self, op: Op, args: &[Value]) -> Option<New> {
        let zero_minus = self.wrong_sub && op == Op::ISub && self.facts.constant(args[0]) == Some(0);
        zero_minus.then(|| New::Copy(args[1]))
    }

    fn operand(&mut self, a: algebra::Operand, loc: Loc) -> Value {
        match a {
            algebra::Operand::Value(v) => v,
            algebra::Operand::Const(c) => {
                let v = Value(self.values);
                self.values += 1;
                let inst = Inst { exact: true, kind: Kind::Const(c), results: vec![v], loc };
                self.facts.grow();
                self.facts.learn(&inst);
                self.out.push(inst);
                v
            }
        }
    }

    /// A simpler form of a branch: known condition, or the condition's comparison with zero taken
    /// into the branch.
    fn branch(&self, kind: &Kind) -> Option<Kind> {
        let Kind::Branch { cond, then, other } = kind else { return None };
        if let Some(c) = self.facts.constant(*cond) {
            return Some(Kind::Jump(if c != 0 { then } else { other }.clone()));
        }
        let (x, inverted) = algebra::zero_test(&self.facts, *cond)?;
        let (then, other) = if inverted { (other, then) } else { (then, other) };
        Some(Kind::Branch { cond: x, then: then.clone(), other: other.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::mem2reg;
    use crate::random::ssa::check;
    use crate::ssa::Block;

    /// Parameters p0, p1, p2, and the result of `op` on operands that are parameters (`Err`) or
    /// constants (`Ok`).
    fn function(build: &dyn Fn(&mut Func, Block, &[Value]) -> Value) -> Func {
        let mut f = Func { name: "f".into(), results: 1, ..Default::default() };
        let b = f.new_block();
        let params: Vec<Value> = (0..3).map(|_| f.new_value()).collect();
        f.blocks[0].params.clone_from(&params);
        let r = build(&mut f, b, &params);
        f.push(b, Kind::Return(vec![r]), 0, Loc::default());
        f
    }
    fn constant(f: &mut Func, b: Block, c: u32) -> Value {
        f.push(b, Kind::Const(c), 1, Loc::default())[0]
    }
    fn alu(f: &mut Func, b: Block, op: Op, args: &[Value]) -> Value {
        f.push(b, Kind::Alu(op, args.to_vec()), 1, Loc::default())[0]
    }
    /// What the function returns, as text of its last operation.
    fn folded(build: &dyn Fn(&mut Func, Block, &[Value]) -> Value) -> String {
        let mut f = function(build);
        run(&mut f, &Options::default());
        let Kind::Return(r) = &f.blocks[0].insts.last().unwrap().kind else { panic!() };
        let of = |v: Value| f.blocks[0].insts.iter().find(|i| i.results.contains(&v)).map(|i| i.kind.clone());
        let text = |v: Value| match of(v) {
            Some(Kind::Const(c)) => format!("{c:#x}"),
            _ => v.to_string(),
        };
        match of(r[0]) {
            Some(Kind::Alu(op, args)) => {
                format!("{op:?} {}", args.iter().map(|a| text(*a)).collect::<Vec<_>>().join(" "))
            }
            _ => text(r[0]),
        }
    }

    #[test]
    fn rules_do_what_they_say() {
        let with = |op: Op, c: u32| {
            folded(&move |f, b, p| {
                let c = constant(f, b, c);
                alu(f, b, op, &[p[0], c])
            })
        };
        let left = |op: Op, c: u32| {
            folded(&move |f, b, p| {
                let c = constant(f, b, c);
                alu(f, b, op, &[c, p[0]])
            })
        };
        assert_eq!(with(Op::IAdd, 0), "v0");
        assert_eq!(with(Op::ISub, 3), "IAdd v0 0xfffffffd");
        assert_eq!(left(Op::ISub, 0), "ISub 0x0 v0");
        assert_eq!(left(Op::IAdd, 5), "IAdd v0 0x5");
        assert_eq!(left(Op::SSetLt, 5), "SSetGt v0 0x5");
        assert_eq!(left(Op::FSetLe, 0x3f80_0000), "FSetGe v0 0x3f800000");
        assert_eq!(with(Op::And, 0), "0x0");
        assert_eq!(with(Op::USetLt, 0), "0x0");
        assert_eq!(with(Op::FMul, 0x3f80_0000), "FMul v0 0x3f800000", "a NaN's payload must not pass");
        assert_eq!(with(Op::FAdd, 0), "FAdd v0 0x0", "-0 + 0 is 0");
        // Exact only for a power of two with a normal or subnormal reciprocal.
        assert_eq!(with(Op::FDiv, 0x4080_0000), "FMul v0 0x3e800000");
        assert_eq!(with(Op::FDiv, 0xFF00_0000), "FMul v0 0x80400000");
        assert_eq!(with(Op::FDiv, 0x0040_0000), "FMul v0 0x7f000000");
        assert_eq!(with(Op::FDiv, 0x0020_0000), "FDiv v0 0x200000");
        assert_eq!(with(Op::FDiv, 0x4040_0000), "FDiv v0 0x40400000");
        assert_eq!(with(Op::FDiv, 0x7F80_0000), "FDiv v0 0x7f800000");
        assert_eq!(with(Op::FDiv, 0), "FDiv v0 0x0");
        let fma = |op: Op, factor: u32, addend: Option<u32>| {
            folded(&move |f, b, p| {
                let factor = constant(f, b, factor);
                let addend = addend.map_or(p[1], |c| constant(f, b, c));
                alu(f, b, op, &[p[0], factor, addend])
            })
        };
        let (one, minus_one) = (0x3f80_0000, 0xbf80_0000);
        assert_eq!(fma(Op::FFma, one, None), "FAdd v0 v1");
        assert_eq!(fma(Op::FFma, minus_one, None), "FSub v1 v0");
        assert_eq!(fma(Op::FNma, one, None), "FSub v1 v0");
        assert_eq!(fma(Op::FNma, minus_one, None), "FAdd v0 v1");
        assert_eq!(fma(Op::FFma, 0x4000_0000, Some(0x8000_0000)), "FMul v0 0x40000000");
        assert_eq!(fma(Op::FFma, 0x4000_0000, Some(0)), "FFma v0 0x40000000 0x0", "-0 + 0 is 0");
        let of = |outer: Op, inner: Op| {
            folded(&move |f, b, p| {
                let x = alu(f, b, inner, &p[..1]);
                alu(f, b, outer, &[x])
            })
        };
        assert_eq!(of(Op::FFloor, Op::FCeil), "FCeil v0");
        assert_eq!(of(Op::FRne, Op::I2F), "I2F v0");
        assert_eq!(of(Op::F2I, Op::FTrunc), "F2I v0");
        assert_eq!(of(Op::F2I, Op::FFloor), "F2I v3");
        let sum = |f: &mut Func, b: Block, p: &[Value], op: Op, c: u32| {
            let s = alu(f, b, Op::FAdd, &p[..2]);
            let c = constant(f, b, c);
            alu(f, b, op, &[s, c])
        };
        assert_eq!(folded(&|f, b, p| sum(f, b, p, Op::FMul, 0x3f80_0000)), "FAdd v0 v1");
        assert_eq!(folded(&|f, b, p| sum(f, b, p, Op::FAdd, 0x8000_0000)), "FAdd v0 v1");
        assert_eq!(folded(&|f, b, p| sum(f, b, p, Op::FSub, 0)), "FAdd v0 v1");
        let not_not = |f: &mut Func, b: Block, p: &[Value]| {
            let c = alu(f, b, Op::SSetLt, &p[..2]);
            let zero = constant(f, b, 0);
            alu(f, b, Op::ISetEq, &[c, zero])
        };
        assert_eq!(folded(&not_not), "SSetGe v0 v1");
        let select = |f: &mut Func, b: Block, p: &[Value]| {
            let c = alu(f, b, Op::SSetLt, &p[..2]);
            alu(f, b, Op::Sel, &[p[0], p[1], c])
        };
        assert_eq!(folded(&select), "SMin v0 v1");
        // Value 3 is the comparison, 4 its opposite, 5 another boolean.
        let short = |arms: fn([Value; 3]) -> [Value; 2]| {
            folded(&|f, b, p| {
                let c = alu(f, b, Op::SSetLt, &p[..2]);
                let not = alu(f, b, Op::SSetGe, &p[..2]);
                let other = alu(f, b, Op::ISetEq, &p[..2]);
                let [x, y] = arms([c, not, other]);
                alu(f, b, Op::Sel, &[x, y, c])
            })
        };
        let all = [
            short(|[c, _, v]| [c, v]),
            short(|[_, not, v]| [not, v]),
            short(|[c, _, v]| [v, c]),
            short(|[_, not, v]| [v, not]),
        ];
        assert_eq!(all, ["Or v3 v5", "And v4 v5", "And v3 v5", "Or v4 v5"]);
    }

    #[test]
    fn known_branches_become_jumps() {
        use crate::ssa::Target;
        let loc = Loc::default();
        let mut f = Func { name: "f".into(), ..Default::default() };
        let b: Vec<Block> = (0..3).map(|_| f.new_block()).collect();
        let t = |b| Target { block: b, args: vec![] };
        let x = f.push(b[0], Kind::ConstWord(1), 1, loc)[0];
        let zero = constant(&mut f, b[0], 0);
        let cond = alu(&mut f, b[0], Op::ISetEq, &[x, zero]);
        f.push(b[0], Kind::Branch { cond, then: t(b[1]), other: t(b[2]) }, 0, loc);
        f.push(b[1], Kind::Branch { cond: zero, then: t(b[1]), other: t(b[2]) }, 0, loc);
        f.push(b[2], Kind::Return(vec![]), 0, loc);
        assert!(run(&mut f, &Options::default()));
        let branch = Kind::Branch { cond: x, then: t(b[2]), other: t(b[1]) };
        assert_eq!(f.blocks[0].insts.last().unwrap().kind, branch);
        assert_eq!(f.blocks[1].insts.last().unwrap().kind, Kind::Jump(t(b[2])));
    }

    #[test]
    fn random_programs_do_the_same() {
        check::same_behaviour(&[mem2reg::run], run, 0..300);
    }

    /// Two operations over corner values with constants mixed in: every rule meets every corner.
    #[test]
    fn pairs_of_operations_keep_their_value() {
        for seed in 0..40 {
            algebra::tests::pair_of_operations(seed, &mut |f| {
                run(f, &Options::default());
            });
        }
    }

    #[test]
    fn the_planted_fault_is_found() {
        let options = Options { fault: Some(CompilerFault::FoldSub), ..Default::default() };
        assert!(check::run(&[mem2reg::run], run, 0..600, &options).1.is_some());
    }
}
