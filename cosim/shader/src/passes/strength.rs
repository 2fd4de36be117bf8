//! Cheaper forms of the same operation: shifts for multiplications, multiply-add, bit-field
//! extract, offsets in the address of loads and stores.
//!
//! All of it is integer arithmetic modulo 2^32 and exact. Words that are put together of parts, a
//! colour of four bytes for one, are sums where no two parts have a bit in common, so a shift and
//! an OR are one multiply-add. With a common bit the sum would carry, which the planted fault does.
//! What takes in another operation does so only if that one has no other use, so that nothing is
//! computed twice; a product that is only ever added to something goes into all of these additions.
//! FMUL and FADD are not fused: the result would be rounded once instead of twice. An address is
//! added to its offset before it is aligned and wraps at 2^32, so a constant may stand in either; a
//! wrong sign or scale of an offset would read a neighbour, which the property test sees.

use super::facts::Facts;
use super::{use_counts, Options};
use crate::fault::CompilerFault;
use crate::ssa::dominance::Cfg;
use crate::ssa::{Func, Inst, Kind, Loc, Space, Value};
use quadlock_isa::Op;

/// Does it to a function; whether anything changed.
pub fn run(func: &mut Func, options: &Options) -> bool {
    let mut r = Reducer {
        facts: Facts::new(func),
        uses: use_counts(func),
        addends: addends(func),
        values: func.values,
        out: vec![],
        loc: Loc::default(),
        changed: false,
        overlaps: options.fault == Some(CompilerFault::StrengthOverlap),
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
    /// A planted fault: bits in common count for nothing.
    overlaps: bool,
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
            Kind::Alu(Op::Or, a) => self.part(a[0], a[1]).or_else(|| self.part(a[1], a[0])),
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

    /// (x << k) | y without a common bit is x * 2^k + y. A constant y or a word of the bank would
    /// need a register.
    fn part(&mut self, shifted: Value, y: Value) -> Option<Kind> {
        let (x, k) = self.single_constant(shifted, Op::Shl)?;
        let common = self.facts.possible_bits(shifted) & self.facts.possible_bits(y);
        if common != 0 && !self.overlaps || self.facts.constant(y).is_some() || self.facts.word(y) {
            return None;
        }
        let scale = self.constant(1 << (k & 31));
        Some(Kind::Alu(Op::IMad, vec![x, scale, y]))
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
    use rand::{Rng, SeedableRng};

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

    /// A word of two random parts of some bits each, at random places, of random words.
    fn parts(seed: u64) -> Func {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
        let mut f = Func { name: "f".into(), results: 1, ..Default::default() };
        let b = f.new_block();
        let words: Vec<Value> = (0..3).map(|_| f.new_value()).collect();
        f.blocks[0].params.clone_from(&words);
        let mut word = None;
        for x in words {
            let bits = rng.random_range(1..20);
            let part = match rng.random_range(0..5) {
                0 => alu(&mut f, [Op::F2UN8, Op::F2UN16, Op::Popc, Op::Clz][rng.random_range(0..4)], &[x]),
                1 => {
                    let field = constant(&mut f, bits << 8 | rng.random_range(0..32));
                    alu(&mut f, Op::UBfe, &[x, field])
                }
                2 => {
                    let k = constant(&mut f, 32 - bits);
                    alu(&mut f, Op::Shr, &[x, k])
                }
                3 => x,
                _ => {
                    let mask = constant(&mut f, (1 << bits) - 1);
                    alu(&mut f, Op::And, &[x, mask])
                }
            };
            let k = constant(&mut f, rng.random_range(0..32));
            let part = if rng.random() { alu(&mut f, Op::Shl, &[part, k]) } else { part };
            let other = word.unwrap_or(part);
            word = Some(alu(&mut f, Op::Or, &if rng.random() { [part, other] } else { [other, part] }));
        }
        f.push(b, Kind::Return(word.into_iter().collect()), 0, LOC);
        f
    }

    /// How many programs of parts became multiply-adds, and how many of those give another word.
    fn put_together(fault: Option<CompilerFault>) -> (usize, usize) {
        let (mut changed, mut wrong) = (0, 0);
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
        for seed in 0..2000 {
            let before = parts(seed);
            let mut after = before.clone();
            run(&mut after, &Options { fault, ..Default::default() });
            crate::ssa::verify::verify(&after).unwrap();
            if !after.to_string().contains("imad") {
                continue;
            }
            changed += 1;
            let given = |f: &Func, args: [u32; 3]| {
                let mut words = vec![0; f.values as usize];
                f.blocks[0].params.iter().zip(args).for_each(|(p, a)| words[p.index()] = a);
                for inst in &f.blocks[0].insts {
                    let word = match &inst.kind {
                        Kind::Const(c) => *c,
                        Kind::Alu(op, args) => {
                            let args: Vec<u32> = args.iter().map(|a: &Value| words[a.index()]).collect();
                            crate::ops::eval::eval(*op, &args).unwrap()
                        }
                        Kind::Return(r) => return words[r[0].index()],
                        other => unreachable!("{other:?}"),
                    };
                    words[inst.results[0].index()] = word;
                }
                unreachable!()
            };
            let differs = (0..40).any(|_| {
                let args = [0; 3].map(|_| match rng.random_range(0..3) {
                    0 => u32::MAX,
                    1 => rng.random_range(0f32..1.0).to_bits(),
                    _ => rng.random(),
                });
                given(&before, args) != given(&after, args)
            });
            wrong += usize::from(differs);
        }
        (changed, wrong)
    }

    #[test]
    fn a_word_of_parts_is_a_sum_where_no_bit_is_in_common() {
        let (changed, wrong) = put_together(None);
        assert_eq!(wrong, 0);
        assert!(changed > 300, "{changed}");
    }

    #[test]
    fn a_planted_sum_of_common_bits_is_found() {
        assert!(put_together(Some(CompilerFault::StrengthOverlap)).1 > 100);
    }

    /// Four bytes of a colour take three operations, of whose sums none is an OR.
    #[test]
    fn a_colour_of_four_bytes_is_put_together_by_three_operations() {
        let mut f = Func { name: "f".into(), results: 1, ..Default::default() };
        let b = f.new_block();
        let c: Vec<Value> = (0..4).map(|_| f.new_value()).collect();
        f.blocks[0].params.clone_from(&c);
        let c: Vec<Value> = c.iter().map(|c| alu(&mut f, Op::F2UN8, &[*c])).collect();
        let (eight, sixteen) = (constant(&mut f, 8), constant(&mut f, 16));
        let [low, high] = [0, 2].map(|n| {
            let up = alu(&mut f, Op::Shl, &[c[n + 1], eight]);
            alu(&mut f, Op::Or, &[c[n], up])
        });
        let up = alu(&mut f, Op::Shl, &[high, sixteen]);
        let word = alu(&mut f, Op::Or, &[low, up]);
        f.push(b, Kind::Return(vec![word]), 0, LOC);
        run(&mut f, &Options::default());
        crate::passes::dce::run(&mut f, &Options::default());
        let count =
            |op: Op| f.blocks[0].insts.iter().filter(|i| matches!(&i.kind, Kind::Alu(o, _) if *o == op)).count();
        assert_eq!((count(Op::IMad), count(Op::Shl), count(Op::Or)), (3, 0, 0), "{f}");
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
