//! Sets of bits of one variable: which of them a process assigns. Most are all or none, and cost
//! nothing.

use crate::bits::Bits;

/// A set of bits.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Cover {
    None,
    All,
    /// Neither none nor all.
    Some(Bits),
}

impl Cover {
    fn of(bits: Bits) -> Self {
        if bits.is_zero() {
            Self::None
        } else if bits.is_ones() {
            Self::All
        } else {
            Self::Some(bits)
        }
    }

    /// Bits `lo .. lo + len` of a variable `width` wide.
    pub fn range(width: u32, lo: u32, len: u32) -> Self {
        if lo == 0 && len == width {
            return Self::All;
        }
        Self::of(Bits::ones(len).zext(width).shl(u64::from(lo)))
    }

    pub fn get(&self, bit: u32) -> bool {
        match self {
            Self::None => false,
            Self::All => true,
            Self::Some(b) => b.get(bit),
        }
    }

    pub fn or(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::None, x) | (x, Self::None) => x.clone(),
            (Self::All, _) | (_, Self::All) => Self::All,
            (Self::Some(a), Self::Some(b)) => Self::of(a.or(b)),
        }
    }

    pub fn and(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::All, x) | (x, Self::All) => x.clone(),
            (Self::None, _) | (_, Self::None) => Self::None,
            (Self::Some(a), Self::Some(b)) => Self::of(a.and(b)),
        }
    }
}

/// Runs `(lo, width)` of neighbouring bits of one signature; bits without a signature are in none.
pub(super) fn runs<S: PartialEq>(width: u32, signature: impl Fn(u32) -> Option<S>) -> Vec<(u32, u32)> {
    let mut out: Vec<(u32, u32)> = Vec::new();
    let mut last: Option<S> = None;
    for bit in 0..width {
        let s = signature(bit);
        match (&s, out.last_mut()) {
            (Some(_), Some(run)) if s == last => run.1 += 1,
            (Some(_), _) => out.push((bit, 1)),
            (None, _) => {}
        }
        last = s;
    }
    out
}
