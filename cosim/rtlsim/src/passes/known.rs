//! What is known of a node's bits whatever the state: bits of the low 64 that are always 0 or
//! always 1, and from which bit on all are 0. A fact follows from the facts of the arguments in one
//! step, so it is computed when a node is made. Wrong facts make wrong rewrites: every rule here
//! must hold for all values that fit the arguments' facts.

use crate::bits::Bits;
use crate::graph::{Node, Op};

/// Facts about a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    /// Bits of the low 64 that are 0 (those at and above the width are).
    pub zeros: u64,
    /// Bits of the low 64 that are 1.
    pub ones: u64,
    /// All bits from this one on are 0; at most the width.
    pub top: u32,
}

/// Ones in the low `width` bits.
pub fn mask(width: u32) -> u64 {
    if width >= 64 {
        u64::MAX
    } else {
        (1 << width) - 1
    }
}

impl Known {
    /// Nothing but the width.
    pub fn nothing(width: u32) -> Self {
        Self { zeros: !mask(width), ones: 0, top: width }
    }

    /// A constant.
    pub fn of(value: &Bits) -> Self {
        let low = value.to_u64();
        let top = value.limbs().iter().rposition(|&l| l != 0);
        let top = top.map_or(0, |i| (i as u32 + 1) * 64 - value.limbs()[i].leading_zeros());
        Self { zeros: !low, ones: low, top }
    }

    /// The value, where all bits are known.
    pub fn value(&self, width: u32) -> Option<Bits> {
        let all = self.zeros | self.ones == u64::MAX && self.top <= 64;
        all.then(|| Bits::new(width, self.ones))
    }

    /// Largest value of the low 64 bits.
    pub fn max(&self) -> u64 {
        !self.zeros
    }

    /// What holds for both.
    pub fn either(self, other: Self) -> Self {
        Self { zeros: self.zeros & other.zeros, ones: self.ones & other.ones, top: self.top.max(other.top) }
    }

    fn below(top: u32, width: u32) -> Self {
        let top = top.min(width);
        Self { zeros: !mask(top), ones: 0, top }
    }

    /// `top` from `zeros` where that says more.
    fn tight(mut self) -> Self {
        if self.top <= 64 {
            self.top = self.top.min(64 - self.max().leading_zeros());
            self.zeros |= !mask(self.top);
        }
        self
    }

    fn trailing_zeros(&self) -> u32 {
        self.max().trailing_zeros()
    }

    fn sliced(self, lo: u32, width: u32) -> Self {
        let unknown = Self::nothing(width);
        let top = self.top.saturating_sub(lo).min(width);
        if lo >= 64 {
            return Self { top, zeros: unknown.zeros | !mask(top), ones: 0 };
        }
        // bits shifted in from above the low 64 are not known unless `top` says so
        let zeros = self.zeros >> lo | unknown.zeros | !mask(top);
        Self { zeros, ones: self.ones >> lo & mask(width), top }
    }

    fn shifted(self, by: u32, width: u32) -> Self {
        let top = if self.top == 0 { 0 } else { (self.top + by).min(width) };
        if by >= 64 {
            return Self { zeros: u64::MAX, ones: 0, top };
        }
        Self { zeros: self.zeros << by | mask(by) | !mask(width), ones: self.ones << by & mask(width), top }
    }
}

/// Facts of a node from those of its arguments (tables: see the builder).
pub fn transfer(node: &Node, nodes: &[Node], known: &[Known]) -> Known {
    let w = node.width;
    let k = |i: usize| known[node.args[i].index()];
    let arg_width = |i: usize| nodes[node.args[i].index()].width;
    let amount = |i: usize| match &nodes[node.args[i].index()].op {
        Op::Const(v) => v.small(),
        _ => None,
    };
    let out = match &node.op {
        Op::Const(v) => Known::of(v),
        Op::Not => Known { zeros: k(0).ones | !mask(w), ones: k(0).zeros & mask(w), top: w },
        Op::And => {
            let (a, b) = (k(0), k(1));
            Known { zeros: a.zeros | b.zeros, ones: a.ones & b.ones, top: a.top.min(b.top) }
        }
        Op::Or => {
            let (a, b) = (k(0), k(1));
            Known { zeros: a.zeros & b.zeros, ones: a.ones | b.ones, top: a.top.max(b.top) }
        }
        Op::Xor => {
            let (a, b) = (k(0), k(1));
            let zeros = a.zeros & b.zeros | a.ones & b.ones;
            Known { zeros, ones: a.zeros & b.ones | a.ones & b.zeros, top: a.top.max(b.top) }
        }
        Op::Add => {
            let (a, b) = (k(0), k(1));
            let low = mask(a.trailing_zeros().min(b.trailing_zeros()));
            let sum = Known::below(a.top.max(b.top) + 1, w);
            Known { zeros: sum.zeros | low, ..sum }
        }
        Op::Mul => {
            let (a, b) = (k(0), k(1));
            let low = mask((a.trailing_zeros() + b.trailing_zeros()).min(64));
            let product = Known::below(a.top + b.top, w);
            Known { zeros: product.zeros | low, ..product }
        }
        Op::DivU => Known::below(k(0).top, w),
        Op::RemU => Known::below(k(0).top.min(k(1).top), w),
        Op::Mux => k(1).either(k(2)),
        Op::Slice(lo) => k(0).sliced(*lo, w),
        Op::Concat => {
            let (mut out, mut at) = (Known { zeros: u64::MAX, ones: 0, top: 0 }, 0);
            for i in (0..node.args.len()).rev() {
                let part = k(i).shifted(at, w);
                out = Known { zeros: out.zeros & part.zeros, ones: out.ones | part.ones, top: out.top.max(part.top) };
                at += arg_width(i);
            }
            out
        }
        Op::ZExt => k(0),
        Op::SExt => {
            let (a, from) = (k(0), arg_width(0));
            if a.top < from {
                a
            } else if from > 64 {
                Known { zeros: a.zeros, ones: a.ones, top: w }
            } else {
                let above = !mask(from);
                let sign = a.ones >> (from - 1) & 1 == 1;
                let ones = a.ones | if sign { above & mask(w) } else { 0 };
                Known { zeros: a.zeros & !above | !mask(w), ones, top: w }
            }
        }
        Op::Shl => match amount(1) {
            Some(by) if by < u64::from(w) => k(0).shifted(by as u32, w),
            _ => Known { zeros: Known::nothing(w).zeros | mask(k(0).trailing_zeros().min(w)), ones: 0, top: w },
        },
        Op::Shr => Known::below(k(0).top, w),
        _ => Known::nothing(w),
    };
    out.tight()
}
