//! Random expressions. They are free of x: every variable index is inside its vector or guarded,
//! every divisor is odd. All else that Verilog allows is allowed: operands of any widths and signs
//! side by side, amounts of shifts beyond the width, comparisons of signed with unsigned.

use rand::seq::IndexedRandom;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::build::{bin, call, concat, cond, index, indexed, int, lit, name, number, part, repeat, un};
use crate::ast::{BinaryOp, Expr, UnaryOp};
use crate::bits::Bits;

/// Widest expression that is made on purpose.
pub(super) const WIDEST: u32 = 140;

/// Widest expression in which Icarus 11 divides rightly (its quotients of more than a machine word
/// are often 0).
pub(super) const NARROW: u32 = 64;

/// A readable name.
#[derive(Clone, Debug)]
pub(super) struct Var {
    pub name: String,
    pub width: u32,
    pub signed: bool,
    /// Number of the least significant bit.
    pub lsb: i64,
    /// `[0:7]`: the least significant bit has the highest number.
    pub ascending: bool,
    /// Bits can be selected (not of parameters).
    pub select: bool,
}

impl Var {
    pub fn new(name: String, width: u32, signed: bool) -> Self {
        Self { name, width, signed, lsb: 0, ascending: false, select: true }
    }

    /// Declared bounds, left and right.
    pub fn bounds(&self) -> (i64, i64) {
        let span = i64::from(self.width) - 1;
        match self.ascending {
            false => (self.lsb + span, self.lsb),
            true => (self.lsb, self.lsb + span),
        }
    }

    /// Declared number of bit `bit` counted from the least significant.
    pub fn number(&self, bit: u32) -> i64 {
        let (_, right) = self.bounds();
        if self.ascending {
            right - i64::from(bit)
        } else {
            right + i64::from(bit)
        }
    }

    /// `v[left:right]` of bits `lo .. lo + width`.
    pub fn part(&self, lo: u32, width: u32) -> Expr {
        part(name(&self.name), self.number(lo + width - 1), self.number(lo))
    }
}

/// A memory that can be read.
#[derive(Clone, Debug)]
pub(super) struct Mem {
    pub name: String,
    pub width: u32,
    pub signed: bool,
    pub depth: u32,
}

/// What can be read at some place.
#[derive(Clone, Debug, Default)]
pub(super) struct Pool {
    pub vars: Vec<Var>,
    pub mems: Vec<Mem>,
    /// Loop counter and how far it counts.
    pub counter: Option<(String, u32)>,
}

/// An expression with its self-determined width and sign.
#[derive(Clone, Debug)]
pub(super) struct Made {
    pub e: Expr,
    pub width: u32,
    pub signed: bool,
    /// May stand in a concatenation.
    pub sized: bool,
}

fn made(e: Expr, width: u32, signed: bool) -> Made {
    Made { e, width, signed, sized: true }
}

/// A width: mostly small, sometimes at the edges of a machine word, sometimes several words.
pub(super) fn width(rng: &mut ChaCha8Rng) -> u32 {
    match rng.random_range(0..100) {
        0..=14 => 1,
        15..=44 => rng.random_range(2..=8),
        45..=69 => rng.random_range(9..=33),
        70..=84 => rng.random_range(34..=62),
        85..=92 => rng.random_range(63..=66),
        _ => rng.random_range(67..=130),
    }
}

/// A value: random, or one of those that break things.
pub(super) fn value(rng: &mut ChaCha8Rng, width: u32) -> Bits {
    let limbs: Vec<u64> = (0..3).map(|_| rng.random()).collect();
    match rng.random_range(0..8) {
        0 => Bits::zero(width),
        1 => Bits::ones(width),
        2 => Bits::new(width, 1),
        3 => Bits::new(width, 1).shl(u64::from(width) - 1),
        4 => Bits::new(width, rng.random_range(0..8)),
        _ => Bits::from_limbs(width, &limbs),
    }
}

/// Makes expressions over a pool.
pub(super) struct Exprs<'a> {
    pub rng: &'a mut ChaCha8Rng,
    pub pool: &'a Pool,
    /// Nothing is wider than [`NARROW`], nor is the target: divisions take their width from the
    /// context.
    pub narrow: bool,
}

impl Exprs<'_> {
    /// An expression at most `depth` operators deep.
    pub fn any(&mut self, depth: u32) -> Made {
        let widest = if self.narrow { NARROW } else { WIDEST };
        for _ in 0..8 {
            let m = if depth == 0 { self.leaf() } else { self.operator(depth) };
            if m.width <= widest {
                return m;
            }
        }
        made(lit(value(self.rng, 4), true), 4, true)
    }

    fn sized(&mut self, depth: u32) -> Made {
        for _ in 0..4 {
            let m = self.any(depth);
            if m.sized {
                return m;
            }
        }
        made(lit(value(self.rng, 4), true), 4, true)
    }

    /// A sized literal.
    pub fn literal(&mut self) -> Made {
        let (w, signed) = (width(self.rng), self.rng.random_bool(0.4));
        made(lit(value(self.rng, w), signed), w, signed)
    }

    fn leaf(&mut self) -> Made {
        match self.rng.random_range(0..100) {
            0..=49 => self.whole(),
            50..=63 => self.literal(),
            64..=68 => {
                let n = self.rng.random_range(0..40);
                Made { e: int(n), width: 32, signed: true, sized: false }
            }
            69..=92 => self.selected(),
            _ => self.memory(),
        }
    }

    fn whole(&mut self) -> Made {
        if let Some((counter, _)) = &self.pool.counter {
            if self.rng.random_bool(0.2) {
                return made(name(counter), 32, true);
            }
        }
        match self.pool.vars.choose(self.rng) {
            Some(v) => made(name(&v.name), v.width, v.signed),
            None => self.literal(),
        }
    }

    /// A vector that bits can be selected of.
    pub fn vector(&mut self) -> Option<Var> {
        (0..8).find_map(|_| self.pool.vars.choose(self.rng).filter(|v| v.select && v.width > 1)).cloned()
    }

    /// Bit and part selects, all inside the vector.
    fn selected(&mut self) -> Made {
        let Some(v) = self.vector() else { return self.literal() };
        let w = self.rng.random_range(1..=v.width);
        let lo = self.rng.random_range(0..=v.width - w);
        match self.rng.random_range(0..6) {
            0 => made(v.part(lo, w), w, false),
            1 => made(index(name(&v.name), number(v.number(lo))), 1, false),
            2 => {
                // A constant indexed part select.
                let up = self.rng.random_bool(0.5);
                let first = v.number(lo).min(v.number(lo + w - 1));
                let start = if up { first } else { first + i64::from(w) - 1 };
                made(indexed(name(&v.name), number(start), w, up), w, false)
            }
            3 if v.lsb == 0 => {
                // An index of so few bits that it cannot leave the vector.
                let bits = v.width.ilog2();
                match self.small(bits) {
                    Some(at) => made(index(name(&v.name), at), 1, false),
                    None => made(v.part(lo, w), w, false),
                }
            }
            _ => self.guarded(&v, w),
        }
    }

    /// `(i <= limit) ? v[i +: w] : literal`
    fn guarded(&mut self, v: &Var, w: u32) -> Made {
        let Some(i) = self.index_name() else { return made(name(&v.name), v.width, v.signed) };
        let up = self.rng.random_bool(0.5);
        let (left, right) = v.bounds();
        let (mut low, mut high) = (left.min(right), left.max(right));
        let single = self.rng.random_bool(0.4);
        let w = if single { 1 } else { w };
        if up {
            high -= i64::from(w) - 1;
        } else {
            low += i64::from(w) - 1;
        }
        let i_name = name(&i.name);
        let mut guard = bin(BinaryOp::Le, i_name.clone(), number(high));
        if low > 0 || i.signed {
            guard = bin(BinaryOp::LogicalAnd, bin(BinaryOp::Ge, i_name.clone(), number(low)), guard);
        }
        let base = name(&v.name);
        let read = if single { index(base, i_name) } else { indexed(base, i_name, w, up) };
        let signed = false;
        let otherwise = lit(value(self.rng, w), self.rng.random());
        made(cond(guard, read, otherwise), w, signed)
    }

    /// A narrow variable to index with. Below 32 bits: what peers do with the rest is not the
    /// question here.
    fn index_name(&mut self) -> Option<Var> {
        (0..8).find_map(|_| self.pool.vars.choose(self.rng).filter(|v| v.select && v.width <= 24)).cloned()
    }

    /// An unsigned expression of exactly `bits` bits.
    fn small(&mut self, bits: u32) -> Option<Expr> {
        let v = (0..8).find_map(|_| self.pool.vars.choose(self.rng).filter(|v| v.select && v.width > bits))?;
        let lo = self.rng.random_range(0..=v.width - bits);
        Some(v.part(lo, bits))
    }

    fn memory(&mut self) -> Made {
        let Some(m) = self.pool.mems.choose(self.rng).cloned() else { return self.whole() };
        let word = |at| index(name(&m.name), at);
        if m.depth.is_power_of_two() {
            if let Some(at) = self.small(m.depth.ilog2()) {
                if m.width > 1 && self.rng.random_bool(0.2) {
                    let w = self.rng.random_range(1..m.width);
                    return made(part(word(at), i64::from(w) - 1, 0), w, false);
                }
                return made(word(at), m.width, m.signed);
            }
        }
        let Some(i) = self.index_name().filter(|i| !i.signed) else { return self.whole() };
        let guard = bin(BinaryOp::Lt, name(&i.name), int(m.depth));
        let signed = m.signed && self.rng.random_bool(0.5);
        made(cond(guard, word(name(&i.name)), lit(value(self.rng, m.width), signed)), m.width, signed)
    }

    fn operator(&mut self, depth: u32) -> Made {
        let d = depth - 1;
        match self.rng.random_range(0..100) {
            0..=7 => self.leaf(),
            8..=15 => {
                let a = self.any(d);
                let op = *[UnaryOp::Not, UnaryOp::Minus, UnaryOp::Plus, UnaryOp::Not]
                    .choose(self.rng)
                    .unwrap_or(&UnaryOp::Not);
                Made { e: un(op, a.e), ..a }
            }
            16..=22 => self.reduction(d),
            23..=47 => self.arithmetic(d),
            48..=59 => self.shift(d),
            60..=69 => self.comparison(d),
            70..=73 => {
                let (a, b) = (self.any(d), self.any(d));
                let op = if self.rng.random() { BinaryOp::LogicalAnd } else { BinaryOp::LogicalOr };
                made(bin(op, a.e, b.e), 1, false)
            }
            74..=83 => {
                let (c, a, b) = (self.any(d), self.any(d), self.any(d));
                let sized = a.sized && b.sized;
                Made { e: cond(c.e, a.e, b.e), width: a.width.max(b.width), signed: a.signed && b.signed, sized }
            }
            84..=88 => {
                let list: Vec<Made> = (0..self.rng.random_range(1..4)).map(|_| self.sized(d)).collect();
                let w = list.iter().map(|m| m.width).sum();
                made(concat(list.into_iter().map(|m| m.e).collect()), w, false)
            }
            89..=91 => {
                let (n, m) = (self.rng.random_range(1..5), self.sized(d));
                made(repeat(n, vec![m.e]), n * m.width, false)
            }
            _ => {
                let (a, signed) = (self.any(d), self.rng.random_bool(0.6));
                Made { e: call(if signed { "$signed" } else { "$unsigned" }, a.e), signed, ..a }
            }
        }
    }

    fn reduction(&mut self, d: u32) -> Made {
        use UnaryOp::*;
        let a = self.any(d);
        let op = *[And, Nand, Or, Nor, Xor, Xnor, LogicalNot, LogicalNot].choose(self.rng).unwrap_or(&Or);
        made(un(op, a.e), 1, false)
    }

    fn arithmetic(&mut self, d: u32) -> Made {
        use BinaryOp::*;
        let op = *[Add, Add, Sub, Sub, Mul, And, Or, Xor, Xnor, Div, Rem].choose(self.rng).unwrap_or(&Add);
        if matches!(op, Div | Rem) {
            return self.division(op, d);
        }
        let (a, b) = (self.any(d), self.any(d));
        let (width, signed) = (a.width.max(b.width), a.signed && b.signed);
        Made { e: bin(op, a.e, b.e), width, signed, sized: a.sized && b.sized }
    }

    /// A division that the context may widen only if nothing around is wide; otherwise in braces,
    /// which fix its width.
    fn division(&mut self, op: BinaryOp, d: u32) -> Made {
        let narrow = std::mem::replace(&mut self.narrow, true);
        let (a, b) = (self.sized(d), self.sized(d));
        self.narrow = narrow;
        let (width, signed) = (a.width.max(b.width).max(2), a.signed && b.signed);
        // Bit 0 is set at every width the context can give. A signed one keeps a signed division
        // signed.
        let divisor = bin(BinaryOp::Or, b.e, lit(Bits::new(2, 1), b.signed));
        let e = bin(op, a.e, divisor);
        if narrow {
            return made(e, width, signed);
        }
        let e = concat(vec![e]);
        if signed {
            return made(call("$signed", e), width, true);
        }
        made(e, width, false)
    }

    fn shift(&mut self, d: u32) -> Made {
        use BinaryOp::*;
        let op = *[Shl, Shr, ShlA, ShrA, ShrA].choose(self.rng).unwrap_or(&Shl);
        let a = self.any(d);
        let by = match self.rng.random_range(0..10) {
            0..=3 => self.small(3).unwrap_or_else(|| int(3)),
            4..=5 => int(self.rng.random_range(0..WIDEST)),
            6..=7 => self.amount(),
            _ => {
                let by = self.any(d);
                if by.width <= 32 {
                    by.e
                } else {
                    self.amount()
                }
            }
        };
        Made { e: bin(op, a.e, by), ..a }
    }

    /// A variable amount of a shift. Verilator refuses constant ones of more than 32 bits, also
    /// when it finds out only later that they are constant, so wide ones are inputs and registers.
    fn amount(&mut self) -> Expr {
        match self.pool.vars.choose(self.rng) {
            Some(v) if v.width <= 32 || v.name.starts_with(['i', 'r']) => name(&v.name),
            _ => int(self.rng.random_range(0..WIDEST)),
        }
    }

    fn comparison(&mut self, d: u32) -> Made {
        use BinaryOp::*;
        let op = *[Eq, Ne, Lt, Le, Gt, Ge, Lt, Ge, CaseEq, CaseNe].choose(self.rng).unwrap_or(&Eq);
        let (a, b) = (self.any(d), self.any(d));
        made(bin(op, a.e, b.e), 1, false)
    }
}
