//! Bit, part and word selects, read and written: `a`, `a[i]`, `a[7:4]`, `a[i +: 4]`, `m[i]`,
//! `m[i][3:0]`. Bits outside a vector read as zero and are not written, words outside a memory
//! likewise (Verilog's x, in a two-state world). Offsets count from the least significant bit
//! whichever way the declared range runs; an index below the range becomes a huge offset, never a
//! small one, which is what the widths below are for.

use super::unit::{Name, Result, Unit, Wires};
use crate::ast::{Expr, ExprKind, Span};
use crate::bits::Bits;
use crate::graph::{MemId, NodeId, Op};

/// What is selected from.
#[derive(Clone, Copy)]
pub(super) enum Base {
    Net(u32),
    Word { memory: u32, addr: NodeId },
    Value(NodeId),
}

/// Which bits of it.
#[derive(Clone, Copy)]
pub(super) enum Select {
    Whole,
    /// From offset `lo`, which may be negative or beyond the end.
    Fixed {
        lo: i64,
    },
    /// From offset `offset - bias`.
    Moving {
        offset: NodeId,
        bias: u32,
    },
}

/// A select with names resolved.
pub(super) struct Reference {
    pub base: Base,
    pub select: Select,
    /// Of the selected bits.
    pub width: u32,
}

/// Declared range.
#[derive(Clone, Copy)]
struct Dimensions {
    left: i64,
    right: i64,
}

impl Dimensions {
    fn width(self) -> u32 {
        (self.left - self.right).unsigned_abs() as u32 + 1
    }

    /// Offset of an index from the least significant bit.
    fn offset(self, index: i64) -> i64 {
        if self.left >= self.right {
            index - self.right
        } else {
            self.right - index
        }
    }
}

impl Unit<'_, '_> {
    pub fn reference(&mut self, e: &Expr) -> Result<Reference> {
        let (base_text, chosen) = match &e.kind {
            ExprKind::Name(_) => (e, false),
            ExprKind::Index(b, _) | ExprKind::Part(b, _, _) | ExprKind::Indexed { base: b, .. } => (&**b, true),
            _ => return self.error(e.span, "a name was expected here"),
        };
        let (base, dims) = match &base_text.kind {
            ExprKind::Name(n) => match self.lookup(n) {
                Some(Name::Net(id)) => {
                    let net = &self.nets[id as usize];
                    (Base::Net(id), Dimensions { left: net.left, right: net.right })
                }
                Some(Name::Constant(c)) => {
                    let value = self.b.constant(c.bits.clone());
                    (Base::Value(value), Dimensions { left: c.left, right: c.right })
                }
                Some(Name::Memory(memory)) => {
                    let ExprKind::Index(_, index) = &e.kind else {
                        return self.error(e.span, format!("memory {n} needs one address here"));
                    };
                    let addr = self.address(memory, index)?;
                    let width = self.memories[memory as usize].width;
                    return Ok(Reference { base: Base::Word { memory, addr }, select: Select::Whole, width });
                }
                Some(Name::Wires(wires)) => {
                    let ExprKind::Index(_, index) = &e.kind else {
                        return self.error(e.span, format!("array {n} needs one index here"));
                    };
                    return self.wire(wires, index);
                }
                None => return self.error(base_text.span, format!("{n} is not declared")),
            },
            ExprKind::Index(inner, _) => {
                let r = self.nested(e.span, |u| u.reference(base_text))?;
                let array = |u: &Self, n: &str| match u.lookup(n) {
                    Some(Name::Memory(m)) => {
                        let m = &u.memories[m as usize];
                        Some(Dimensions { left: m.left, right: m.right })
                    }
                    Some(Name::Wires(w)) => {
                        let net = &u.nets[w.net as usize];
                        Some(Dimensions { left: net.left, right: net.right })
                    }
                    _ => None,
                };
                let dims = match &inner.kind {
                    ExprKind::Name(n) => array(self, n),
                    _ => None,
                };
                let Some(dims) = dims else {
                    return self.error(e.span, "only a word of an array can be selected from twice");
                };
                (r.base, dims)
            }
            _ => return self.error(base_text.span, "only names can be selected from"),
        };
        if !chosen {
            return Ok(Reference { base, select: Select::Whole, width: dims.width() });
        }
        let (select, width) = self.select(e, dims)?;
        Ok(Reference { base, select, width })
    }

    fn select(&mut self, e: &Expr, dims: Dimensions) -> Result<(Select, u32)> {
        match &e.kind {
            ExprKind::Index(_, index) => Ok((self.offset(index, dims, 1, true)?, 1)),
            ExprKind::Part(_, left, right) => {
                let (l, r) = (dims.offset(self.integer(left)?), dims.offset(self.integer(right)?));
                if l < r {
                    return self.error(e.span, "the bounds of this part select run against the declared range");
                }
                Ok((Select::Fixed { lo: r }, self.size(e)?.0))
            }
            ExprKind::Indexed { start, up, .. } => {
                let width = self.size(e)?.0;
                Ok((self.offset(start, dims, width, *up)?, width))
            }
            _ => Ok((Select::Whole, dims.width())),
        }
    }

    /// Offset of the low end of `width` bits whose lowest (`up`) or highest index is `index`.
    fn offset(&mut self, index: &Expr, dims: Dimensions, width: u32, up: bool) -> Result<Select> {
        let (own, signed) = self.size(index)?;
        let node = self.eval(index, own, signed)?;
        let descending = dims.left >= dims.right;
        // the end nearest the least significant bit is `index` itself, or `width - 1` further on
        let further = up != descending;
        if let Some(v) = self.b.as_const(node) {
            let index = super::expr::number(v, signed).unwrap_or(1 << 40);
            let lo = dims.offset(index) - if further { i64::from(width) - 1 } else { 0 };
            return Ok(Select::Fixed { lo });
        }
        if descending && dims.right == 0 && !signed {
            return Ok(Select::Moving { offset: node, bias: if further { width - 1 } else { 0 } });
        }
        // wide enough that an index below the range wraps to beyond its end
        let reach =
            dims.left.unsigned_abs().max(dims.right.unsigned_abs()) + u64::from(width) + u64::from(dims.width());
        let wide = own.max(64 - reach.leading_zeros()) + 2;
        let index = self.b.resize(node, wide, signed);
        let number = |n: i64| Bits::new(64, n as u64).sext(wide.max(64)).zext(wide);
        let bias = width.saturating_sub(1);
        let lift = i64::from(if further { 0 } else { bias });
        let offset = if descending {
            let by = self.b.constant(number(lift - dims.right));
            self.b.make(Op::Add, wide, &[index, by])
        } else {
            let from = self.b.constant(number(lift + dims.right));
            self.b.make(Op::Sub, wide, &[from, index])
        };
        Ok(Select::Moving { offset, bias })
    }

    /// A word of an array of wires: the net, or with a moving index its value, zero outside.
    fn wire(&mut self, wires: Wires, index: &Expr) -> Result<Reference> {
        let Wires { net, depth, first } = wires;
        let width = self.nets[net as usize].width;
        let (own, signed) = self.size(index)?;
        let node = self.eval(index, own, signed)?;
        let whole = |base| Ok(Reference { base, select: Select::Whole, width });
        if let Some(v) = self.b.as_const(node) {
            let at = super::expr::number(v, signed).map(|i| i - first).filter(|i| (0..i64::from(depth)).contains(i));
            return match at {
                Some(at) => whole(Base::Net(net + at as u32)),
                None => {
                    let zero = self.b.zero(width);
                    whole(Base::Value(zero))
                }
            };
        }
        let reach = first.unsigned_abs() + u64::from(depth);
        let wide = own.max(64 - reach.leading_zeros()) + 2;
        let index_node = self.b.resize(node, wide, signed);
        let mut value = self.b.zero(width);
        for k in 0..depth {
            let number = Bits::new(64, (first + i64::from(k)) as u64).sext(wide.max(64)).zext(wide);
            let number = self.b.constant(number);
            let hit = self.b.make(Op::Eq, 1, &[index_node, number]);
            let word = self.read_net(net + k, 0, width, index.span)?;
            value = self.b.mux(hit, word, value);
        }
        whole(Base::Value(value))
    }

    /// Word number in a memory.
    fn address(&mut self, memory: u32, index: &Expr) -> Result<NodeId> {
        let (own, signed) = self.size(index)?;
        let node = self.eval(index, own, signed)?;
        let m = &self.memories[memory as usize];
        let (first, depth) = (m.first, m.depth);
        if first == 0 && (!signed || self.b.as_const(node).is_some_and(|v| !v.sign())) {
            return Ok(node);
        }
        let reach = first.unsigned_abs() + u64::from(depth);
        let wide = own.max(64 - reach.leading_zeros()) + 2;
        let index = self.b.resize(node, wide, signed);
        let by = self.b.constant(Bits::new(64, first as u64).sext(wide.max(64)).zext(wide));
        Ok(self.b.make(Op::Sub, wide, &[index, by]))
    }

    /// Value of a select.
    pub fn read(&mut self, r: &Reference, span: Span) -> Result<NodeId> {
        let whole = match r.base {
            Base::Net(net) => {
                let total = self.nets[net as usize].width;
                let (lo, len) = match r.select {
                    Select::Fixed { lo } => clip(lo, r.width, total),
                    _ => (0, total),
                };
                if len == 0 {
                    return Ok(self.b.zero(r.width));
                }
                let bits = self.read_net(net, lo, len, span)?;
                if let Select::Fixed { lo: wanted } = r.select {
                    return Ok(self.place_in(bits, i64::from(lo) - wanted, r.width));
                }
                bits
            }
            Base::Word { memory, addr } => self.read_word(memory, addr, span)?,
            Base::Value(value) => value,
        };
        let total = self.b.width(whole);
        match r.select {
            Select::Whole => Ok(whole),
            Select::Fixed { lo } => {
                let (from, len) = clip(lo, r.width, total);
                if len == 0 {
                    return Ok(self.b.zero(r.width));
                }
                let bits = self.b.slice(whole, from, len);
                Ok(self.place_in(bits, i64::from(from) - lo, r.width))
            }
            Select::Moving { offset, bias } => {
                let mut from = whole;
                if bias > 0 {
                    let below = self.b.zero(bias);
                    from = self.b.concat(&[whole, below]);
                }
                let wide = self.b.width(from).max(r.width);
                let from = self.b.zext(from, wide);
                let moved = self.b.make(Op::Shr, wide, &[from, offset]);
                Ok(self.b.slice(moved, 0, r.width))
            }
        }
    }

    /// `bits` at offset `at` (not negative) of `width` zeros.
    fn place_in(&mut self, bits: NodeId, at: i64, width: u32) -> NodeId {
        let mut value = bits;
        if at > 0 {
            let below = self.b.zero(at as u32);
            value = self.b.concat(&[value, below]);
        }
        self.b.zext(value, width)
    }

    fn read_word(&mut self, memory: u32, addr: NodeId, span: Span) -> Result<NodeId> {
        let m = &self.memories[memory as usize];
        let (width, depth) = (m.width, m.depth);
        let known = self.b.as_const(addr).map(|a| a.small().filter(|&a| a < u64::from(depth)));
        if known == Some(None) {
            return Ok(self.b.zero(width));
        }
        if let Some(p) = &self.process {
            if p.initial {
                let word = known.flatten().and_then(|a| self.memories[memory as usize].init.get(a as usize)?.clone());
                return match word {
                    Some(w) => Ok(self.b.constant(w)),
                    None => self.error(span, "this word of the memory has no initial value yet"),
                };
            }
            if p.blocking_writes.contains(&memory) {
                let help = "use a non-blocking assignment to the memory";
                return self.unsupported(span, "reading a memory after a blocking assignment to it", help);
            }
        }
        Ok(self.b.intern(Op::MemRead(MemId(memory)), width, &[addr]))
    }
}

/// The part of `lo .. lo + width` that is inside `total` bits: (from, length).
pub(super) fn clip(lo: i64, width: u32, total: u32) -> (u32, u32) {
    let from = lo.clamp(0, i64::from(total));
    let to = (lo.saturating_add(i64::from(width))).clamp(0, i64::from(total));
    (from as u32, (to - from).max(0) as u32)
}
