//! Cheaper forms of the same operation: shifts for multiplications, multiply-add, bit-field
//! extract, offsets in the address of loads and stores.
//!
//! All of it is integer arithmetic modulo 2^32 and exact. What takes in another operation does so
//! only if that one has no other use, so that nothing is computed twice; a product that is only
//! ever added to something goes into all of these additions. FMUL and FADD are not
//! fused: the result would be rounded once instead of twice. An address is added to its offset
//! before it is aligned and wraps at 2^32, so a constant may stand in either; a wrong sign or scale
//! of an offset would read a neighbour, which the property test sees.

use super::facts::Facts;
use super::{use_counts, Options};
use crate::ssa::dominance::Cfg;
use crate::ssa::{Func, Inst, Kind, Loc, Space, Value};
use quadlock_isa::Op;

/// Does it to a function; whether anything changed.
pub fn run(func: &mut Func, _: &Options) -> bool {
    let mut r = Reducer {
        facts: Facts::new(func),
        uses: use_counts(func),
        addends: addends(func),
        values: func.values,
        out: vec![],
        loc: Loc::default(),
        changed: false,
    };
    for b in Cfg::new(func).order {
        for mut inst in std::mem::take(&mut func.blocks[b.index()].insts) {
            r.loc = inst.loc;
            while let Some(kind) = r.cheaper(&inst.kind) {
                inst.kind = kind;
                r.changed = true;
            }
            r.facts.learn(&inst);
            r.out.push(inst);
        }
        func.blocks[b.index()].insts = std::mem::take(&mut r.out);
    }
    func.values = r.values;
    r.changed
}

/// By value, how many additions read it beside something that may be the addend of a multiply-add:
/// neither a constant, nor a word of the bank, nor a product, which would stay.
fn addends(func: &Func) -> Vec<u32> {
    let facts = Facts::new(func);
    let mut counts = vec![0; func.values as usize];
    let product = |v: Value| matches!(facts.alu(v), Some((Op::IMul | Op::Shl, _)));
    for inst in func.layout.iter().flat_map(|b| &func.blocks[b.index()].insts) {
        if let Kind::Alu(Op::IAdd, a) = &inst.kind {
            for (x, y) in [(a[0], a[1]), (a[1], a[0])] {
                let other = facts.constant(y).is_some() || facts.word(y) || product(y);
                counts[x.index()] += u32::from(!other);
            }
        }
    }
    counts
}

struct Reducer {
    facts: Facts,
    uses: Vec<u32>,
    /// How many of the uses are additions to what may be the addend of a multiply-add.
    addends: Vec<u32>,
    values: u32,
    out: Vec<Inst>,
    loc: Loc,
    changed: bool,
}

impl Reducer {
    fn emit(&mut self, kind: Kind) -> Value {
        let v = Value(self.values);
        self.values += 1;
        let inst = Inst { exact: true, kind, results: vec![v], loc: self.loc };
        self.facts.grow();
        self.facts.learn(&inst);
        self.uses.push(1);
        self.addends.push(0);
        self.out.push(inst);
        v
    }
    fn constant(&mut self, c: u32) -> Value {
        self.emit(Kind::Const(c))
    }

    /// Operands of `v` if it is an `op` that only its one user reads.
    fn single(&self, v: Value, op: Op) -> Option<Vec<Value>> {
        match self.facts.alu(v) {
            Some((o, args)) if o == op && self.uses[v.index()] == 1 => Some(args.to_vec()),
            _ => None,
        }
    }
    /// Whether nothing but additions that can take in the product reads `v`.
    fn only_added(&self, v: Value) -> bool {
        self.uses[v.index()] == self.addends[v.index()]
    }
    /// `x` and `c` of `x op c`, `c` constant, read once.
    fn single_constant(&self, v: Value, op: Op) -> Option<(Value, u32)> {
        let args = self.single(v, op)?;
        Some((args[0], self.facts.constant(args[1])?))
    }

    fn cheaper(&mut self, kind: &Kind) -> Option<Kind> {
        match kind {
            Kind::Alu(Op::IAdd, a) => self.add(a[0], a[1]),
            Kind::Alu(Op::IMul, a) => {
                let c = self.facts.constant(a[1])?;
                (c.is_power_of_two() && c > 1).then(|| {
                    let k = self.constant(c.trailing_zeros());
                    Kind::Alu(Op::Shl, vec![a[0], k])
                })
            }
            Kind::Alu(Op::IMad, a) => self.mad(a[0], a[1], a[2]),
            Kind::Alu(Op::Shl, a) => {
                // (x + c) << k is (x << k) + (c << k): the constant ends up in an address.
                let k = self.facts.constant(a[1])? & 31;
                let (x, c) = self.single_constant(a[0], Op::IAdd)?;
                let shifted = self.emit(Kind::Alu(Op::Shl, vec![x, a[1]]));
                let c = self.constant(c << k);
                Some(Kind::Alu(Op::IAdd, vec![shifted, c]))
            }
            Kind::Alu(Op::And, a) => self.mask(a[0], a[1]),
            Kind::Load { .. } | Kind::Store { .. } | Kind::Atomic { .. } => self.address(kind),
            _ => None,
        }
    }

    fn add(&mut self, a: Value, b: Value) -> Option<Kind> {
        if self.facts.constant(b).is_some() {
            return None;
        }
        for (x, y) in [(a, b), (b, a)] {
            // Constants go outwards.
            if let Some((x, c)) = self.single_constant(x, Op::IAdd) {
                let sum = self.emit(Kind::Alu(Op::IAdd, vec![x, y]));
                let c = self.constant(c);
                return Some(Kind::Alu(Op::IAdd, vec![sum, c]));
            }
            if self.facts.word(y) {
                continue;
            }
            match self.facts.alu(x).filter(|_| self.uses[x.index()] == 1 || self.only_added(x)) {
                Some((Op::IMul, m)) => return Some(Kind::Alu(Op::IMad, vec![m[0], m[1], y])),
                Some((Op::Shl, &[x, k])) => {
                    if let Some(k) = self.facts.constant(k) {
                        let scale = self.constant(1 << (k & 31));
                        return Some(Kind::Alu(Op::IMad, vec![x, scale, y]));
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// a * b + c: constants inside go outwards.
    fn mad(&mut self, a: Value, b: Value, c: Value) -> Option<Kind> {
        if let Some(k) = self.facts.constant(c) {
            let product = self.emit(Kind::Alu(Op::IMul, vec![a, b]));
            let k = self.constant(k);
            return Some(Kind::Alu(Op::IAdd, vec![product, k]));
        }
        if let Some((x, k)) = self.single_constant(c, Op::IAdd) {
            let sum = self.emit(Kind::Alu(Op::IMad, vec![a, b, x]));
            let k = self.constant(k);
            return Some(Kind::Alu(Op::IAdd, vec![sum, k]));
        }
        let scale = self.facts.constant(b)?;
        let (x, k) = self.single_constant(a, Op::IAdd)?;
        let sum = self.emit(Kind::Alu(Op::IMad, vec![x, b, c]));
        let k = self.constant(k.wrapping_mul(scale));
        Some(Kind::Alu(Op::IAdd, vec![sum, k]))
    }

    /// (x >> k) & (2^n - 1) is a bit field.
    fn mask(&mut self, a: Value, b: Value) -> Option<Kind> {
        let mask = self.facts.constant(b)?;
        let (x, k) = self.single_constant(a, Op::Shr)?;
        if mask == 0 || mask & mask.wrapping_add(1) != 0 {
            return None;
        }
        let field = self.constant((k & 31) | (mask.count_ones() << 8));
        Some(Kind::Alu(Op::UBfe, vec![x, field]))
    }

    /// A constant in the address moves to the offset.
    fn address(&mut self, kind: &Kind) -> Option<Kind> {
        let mut new = kind.clone();
        let (Kind::Load { space, addr, offset, .. }
        | Kind::Store { space, addr, offset, .. }
        | Kind::Atomic { space, addr, offset, .. }) = &mut new
        else {
            return None;
        };
        let Some((Op::IAdd, args)) = self.facts.alu(*addr) else { return None };
        let c = self.facts.constant(args[1])?;
        // The window of shared storage starts at `shared_base`, added by the back end: still one
        // sum.
        debug_assert!(matches!(space, Space::Global | Space::Shared | Space::Stack | Space::ReadOnly));
        *addr = args[0];
        *offset = offset.wrapping_add(c as i32);
        Some(new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::{algebra, const_fold, mem2reg};
    use crate::random::ssa::check;
    use crate::ssa::{Block, Width};

    const LOC: Loc = Loc::at(0, 0, 0);
    fn alu(f: &mut Func, op: Op, args: &[Value]) -> Value {
        f.push(Block(0), Kind::Alu(op, args.to_vec()), 1, LOC)[0]
    }
    fn constant(f: &mut Func, c: u32) -> Value {
        f.push(Block(0), Kind::Const(c), 1, LOC)[0]
    }

    /// base + (i + 2) * 4, loaded: one multiply-add, and 8 in the offset.
    #[test]
    fn an_array_element_costs_one_operation() {
        let mut f = Func { name: "f".into(), results: 1, ..Default::default() };
        let b = f.new_block();
        let (base, i) = (f.new_value(), f.new_value());
        f.blocks[0].params = vec![base, i];
        let (two, four) = (constant(&mut f, 2), constant(&mut f, 4));
        let j = alu(&mut f, Op::IAdd, &[i, two]);
        let at = alu(&mut f, Op::IMul, &[j, four]);
        let addr = alu(&mut f, Op::IAdd, &[base, at]);
        let load = Kind::Load { space: Space::Global, width: Width::W32, addr, offset: 0 };
        let x = f.push(b, load, 1, LOC)[0];
        f.push(b, Kind::Return(vec![x]), 0, LOC);
        for _ in 0..3 {
            run(&mut f, &Options::default());
            const_fold::run(&mut f, &Options::default());
            crate::passes::cse::run(&mut f, &Options::default());
            crate::passes::dce::run(&mut f, &Options::default());
        }
        crate::ssa::verify::verify(&f).unwrap();
        let kinds: Vec<&Kind> =
            f.blocks[0].insts.iter().map(|i| &i.kind).filter(|k| !matches!(k, Kind::Const(_))).collect();
        assert!(matches!(kinds[0], Kind::Alu(Op::IMad, a) if a[0] == i && a[2] == base), "{f}");
        assert!(matches!(kinds[1], Kind::Load { offset: 8, .. }), "{f}");
        assert_eq!(kinds.len(), 3);
    }

    #[test]
    fn shift_and_mask_is_a_bit_field() {
        let mut f = Func { name: "f".into(), results: 1, ..Default::default() };
        let b = f.new_block();
        let x = f.new_value();
        f.blocks[0].params = vec![x];
        let (ten, mask) = (constant(&mut f, 10), constant(&mut f, 0x3FF));
        let s = alu(&mut f, Op::Shr, &[x, ten]);
        let r = alu(&mut f, Op::And, &[s, mask]);
        f.push(b, Kind::Return(vec![r]), 0, LOC);
        assert!(run(&mut f, &Options::default()));
        assert!(f.to_string().contains("ubfe v0"), "{f}");
    }

    #[test]
    fn random_programs_do_the_same() {
        check::same_behaviour(&[mem2reg::run, const_fold::run], run, 0..300);
        for seed in 100..120 {
            algebra::tests::pair_of_operations(seed, &mut |f| {
                run(f, &Options::default());
            });
        }
    }
}
