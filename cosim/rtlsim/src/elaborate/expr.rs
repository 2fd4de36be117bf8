//! Expressions, by the standard's rules of width and sign (IEEE 1364-2005, 5.4 and 5.5): first the
//! width and sign an expression has by itself, then its value in the width and sign of its context.
//! Operands of `+ - * / % & | ^ ~^ ~` and both branches of `?:` take the context; the left side of
//! shifts and `**` takes it, the right side stands alone; comparisons size their two sides to each
//! other; everything else stands alone. An operand is extended by the sign of the context, which is
//! signed only if all its operands are. Chains of operators and of `?:` are walked, not recursed
//! into.

use super::unit::{Name, Result, Unit};
use crate::ast::{BinaryOp, Expr, ExprKind, UnaryOp};
use crate::bits::Bits;
use crate::graph::{NodeId, Op};

/// Deepest nesting of expressions and statements.
const MAX_DEPTH: u32 = 400;
/// Widest concatenation or replication: as wide as the widest vector.
const MAX_WIDTH: u64 = 1 << 16;
/// Deepest nesting of constant bounds and counts in one another.
const MAX_CONSTANT_DEPTH: u32 = 4;
/// Widest product, quotient, remainder and power: code (and time, for constants) grows with the
/// square of the width.
const MAX_PRODUCT: u32 = 1 << 12;

/// Operators whose operands take the context's width and sign (the left one only, for shifts and
/// power).
fn takes_context(op: BinaryOp) -> bool {
    use BinaryOp::*;
    matches!(op, Add | Sub | Mul | Div | Rem | Power | And | Or | Xor | Xnor | Shl | Shr | ShlA | ShrA)
}

/// Operators whose right operand stands alone.
fn right_alone(op: BinaryOp) -> bool {
    use BinaryOp::*;
    matches!(op, Power | Shl | Shr | ShlA | ShrA)
}

/// A constant as a number, if it is of a size that indices and counts may have (40 bits).
pub(super) fn number(v: &Bits, signed: bool) -> Option<i64> {
    let width = v.width().max(64);
    let wide = if signed { v.sext(width) } else { v.zext(width) };
    let n = wide.to_u64() as i64;
    let same = Bits::new(64, n as u64).sext(width) == wide && (signed || n >= 0);
    (same && n.unsigned_abs() < 1 << 40).then_some(n)
}

impl Unit<'_, '_> {
    /// Counts nesting, so that no text can exhaust the stack.
    pub fn nested<T>(&mut self, span: crate::ast::Span, f: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth >= MAX_DEPTH {
            return self.unsupported(span, "nesting", "more than 400 levels deep: split it with a wire");
        }
        self.depth += 1;
        let out = f(self);
        self.depth -= 1;
        out
    }

    /// Width and sign of an expression by itself.
    pub fn size(&mut self, e: &Expr) -> Result<(u32, bool)> {
        let mut work = vec![e];
        let mut out = (0, true);
        while let Some(e) = work.pop() {
            match &e.kind {
                ExprKind::Binary(op, l, r) if takes_context(*op) => {
                    work.push(l);
                    if !right_alone(*op) {
                        work.push(r);
                    }
                }
                ExprKind::Conditional(_, a, b) => work.extend([&**b, &**a]),
                ExprKind::Unary(UnaryOp::Plus | UnaryOp::Minus | UnaryOp::Not, a) => work.push(a),
                _ => {
                    let (width, signed) = self.nested(e.span, |u| u.size_alone(e))?;
                    out = (out.0.max(width), out.1 && signed);
                }
            }
        }
        Ok(out)
    }

    fn size_alone(&mut self, e: &Expr) -> Result<(u32, bool)> {
        match &e.kind {
            ExprKind::Literal(l) => Ok((l.value.width(), l.signed)),
            ExprKind::Str(s) => Ok(((s.len() as u32 * 8).max(8), false)),
            ExprKind::Name(n) => match self.lookup(n) {
                Some(Name::Net(id)) => {
                    let net = &self.nets[id as usize];
                    Ok((net.width, net.signed))
                }
                Some(Name::Constant(c)) => Ok((c.bits.width(), c.signed)),
                Some(Name::Memory(_)) => self.error(e.span, format!("memory {n} is used without an address")),
                Some(Name::Wires(_)) => self.error(e.span, format!("array {n} is used without an index")),
                None => self.error(e.span, format!("{n} is not declared")),
            },
            ExprKind::Index(base, _) => {
                if let ExprKind::Name(n) = &base.kind {
                    match self.lookup(n) {
                        Some(Name::Memory(m)) => {
                            let m = &self.memories[m as usize];
                            return Ok((m.width, m.signed));
                        }
                        Some(Name::Wires(w)) => {
                            let net = &self.nets[w.net as usize];
                            return Ok((net.width, net.signed));
                        }
                        _ => {}
                    }
                }
                Ok((1, false))
            }
            ExprKind::Part(_, l, r) => {
                let (l, r) = (self.integer(l)?, self.integer(r)?);
                let width = (l - r).unsigned_abs() + 1;
                self.checked_width(e, width)
            }
            ExprKind::Indexed { width, .. } => {
                let width = self.integer(width)?;
                if width < 1 {
                    return self.error(e.span, format!("a part select of {width} bits"));
                }
                self.checked_width(e, width as u64)
            }
            ExprKind::Concat(parts) => {
                let width = self.total_width(parts)?;
                self.checked_width(e, width)
            }
            ExprKind::Repeat(count, parts) => {
                let count = self.integer(count)?;
                if count < 1 {
                    let help = "0 times is possible beside something else in a concatenation only";
                    return self.error(e.span, format!("replication {count} times: {help}"));
                }
                let width = self.total_width(parts)?.saturating_mul(count as u64);
                self.checked_width(e, width)
            }
            ExprKind::Call(name, _) if !name.starts_with('$') => self.size_of_function(e, name),
            ExprKind::Call(name, args) => self.size_of_call(e, name, args),
            _ => Ok((1, false)),
        }
    }

    fn checked_width(&self, e: &Expr, width: u64) -> Result<(u32, bool)> {
        if width > MAX_WIDTH {
            return self.error(e.span, format!("a value of {width} bits; at most {MAX_WIDTH} are supported"));
        }
        Ok((width as u32, false))
    }

    fn total_width(&mut self, parts: &[Expr]) -> Result<u64> {
        let mut sum = 0;
        for p in parts {
            // The last one speaks if all are nothing.
            if !self.nothing(p)? || (sum == 0 && std::ptr::eq(p, &parts[parts.len() - 1])) {
                sum += u64::from(self.size(p)?.0);
            }
        }
        Ok(sum)
    }

    /// Is this part of a concatenation a replication of zero times, which is no part of it (IEEE
    /// 1364-2005 5.1.14)?
    fn nothing(&mut self, e: &Expr) -> Result<bool> {
        let ExprKind::Repeat(count, parts) = &e.kind else { return Ok(false) };
        if self.integer(count)? != 0 {
            return Ok(false);
        }
        self.total_width(parts)?;
        Ok(true)
    }

    fn size_of_call(&mut self, e: &Expr, name: &str, args: &[Expr]) -> Result<(u32, bool)> {
        let [arg] = args else {
            return self.error(e.span, format!("{name} takes one argument"));
        };
        match name {
            "$signed" => Ok((self.size(arg)?.0, true)),
            "$unsigned" => Ok((self.size(arg)?.0, false)),
            "$clog2" | "$bits" => Ok((32, true)),
            _ => self.unsupported(e.span, name, "only $signed, $unsigned, $clog2 and $bits are known in expressions"),
        }
    }

    /// Value for an assignment to `width` bits.
    pub fn assigned(&mut self, e: &Expr, width: u32) -> Result<NodeId> {
        let (own, signed) = self.size(e)?;
        let value = self.eval(e, own.max(width), signed)?;
        Ok(self.b.slice(value, 0, width))
    }

    /// Value by itself.
    pub fn alone(&mut self, e: &Expr) -> Result<NodeId> {
        let (width, signed) = self.size(e)?;
        self.eval(e, width, signed)
    }

    /// As a condition: one bit.
    pub fn condition(&mut self, e: &Expr) -> Result<NodeId> {
        let value = self.alone(e)?;
        Ok(self.b.truth(value))
    }

    /// A constant number.
    pub fn integer(&mut self, e: &Expr) -> Result<i64> {
        // Sizing and evaluating an expression each evaluate the bounds in it: the work is
        // exponential in this depth.
        if self.constant_depth >= MAX_CONSTANT_DEPTH {
            let help = "bounds and counts inside bounds and counts, more than 4 deep: give it a name with localparam";
            return self.unsupported(e.span, "nesting", help);
        }
        self.constant_depth += 1;
        let value = self.integer_inside(e);
        self.constant_depth -= 1;
        value
    }

    fn integer_inside(&mut self, e: &Expr) -> Result<i64> {
        if self.unknown(e) {
            return self.error(e.span, "x or z digits in a number that must be known: a bound, width or count");
        }
        let (width, signed) = self.size(e)?;
        let node = self.eval(e, width, signed)?;
        let Some(v) = self.b.as_const(node) else {
            return self.error(e.span, "this must be constant");
        };
        match number(v, signed) {
            Some(n) => Ok(n),
            None => self.error(e.span, format!("{v} is too large here")),
        }
    }

    /// Are there x or z digits in a constant expression?
    fn unknown(&self, e: &Expr) -> bool {
        let mut work = vec![e];
        while let Some(e) = work.pop() {
            let found = match &e.kind {
                ExprKind::Literal(l) => !(l.x.is_zero() && l.z.is_zero()),
                ExprKind::Name(n) => match self.lookup(n) {
                    Some(Name::Constant(c)) => c.unknown.is_some(),
                    _ => false,
                },
                ExprKind::Unary(_, a) => {
                    work.push(a);
                    false
                }
                ExprKind::Binary(_, a, b) => {
                    work.extend([&**a, &**b]);
                    false
                }
                ExprKind::Conditional(a, b, c) => {
                    work.extend([&**a, &**b, &**c]);
                    false
                }
                ExprKind::Concat(parts) | ExprKind::Repeat(_, parts) => {
                    work.extend(parts);
                    false
                }
                _ => false,
            };
            if found {
                return true;
            }
        }
        false
    }

    /// Value in a context of `width` bits (at least its own width) and that sign.
    pub fn eval(&mut self, e: &Expr, width: u32, signed: bool) -> Result<NodeId> {
        let mut chain = Vec::new();
        let mut e = e;
        while let ExprKind::Binary(op, l, r) = &e.kind {
            if !takes_context(*op) {
                break;
            }
            chain.push((*op, &**l, &**r));
            e = l;
        }
        let mut value = self.nested(e.span, |u| u.operand(e, width, signed))?;
        for (op, left, right) in chain.into_iter().rev() {
            value = self.nested(left.span, |u| u.arithmetic(op, (left, value), right, width, signed))?;
        }
        Ok(value)
    }

    fn operand(&mut self, e: &Expr, width: u32, signed: bool) -> Result<NodeId> {
        match &e.kind {
            ExprKind::Unary(UnaryOp::Plus, a) => self.eval(a, width, signed),
            ExprKind::Unary(UnaryOp::Minus, a) => {
                let a = self.eval(a, width, signed)?;
                Ok(self.b.make(Op::Neg, width, &[a]))
            }
            ExprKind::Unary(UnaryOp::Not, a) => {
                let a = self.eval(a, width, signed)?;
                Ok(self.b.not(a))
            }
            ExprKind::Conditional(..) => self.conditional(e, width, signed),
            _ => {
                let value = self.primary(e)?;
                Ok(self.b.resize(value, width, signed))
            }
        }
    }

    fn conditional(&mut self, e: &Expr, width: u32, signed: bool) -> Result<NodeId> {
        let mut arms = Vec::new();
        let mut e = e;
        while let ExprKind::Conditional(c, a, b) = &e.kind {
            let c = self.condition(c)?;
            match self.b.as_const(c).map(Bits::is_zero) {
                Some(true) => e = b,
                Some(false) => e = a,
                None => {
                    arms.push((c, self.eval(a, width, signed)?));
                    e = b;
                }
            }
        }
        let last = self.eval(e, width, signed)?;
        Ok(arms.into_iter().rev().fold(last, |rest, (c, a)| self.b.mux(c, a, rest)))
    }

    fn arithmetic(
        &mut self,
        op: BinaryOp,
        (left_text, left): (&Expr, NodeId),
        right: &Expr,
        width: u32,
        signed: bool,
    ) -> Result<NodeId> {
        if width > MAX_PRODUCT && matches!(op, BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem | BinaryOp::Power) {
            let help =
                format!("at most {MAX_PRODUCT} bits, operands and target together: use a narrower wire for the result");
            return self.unsupported(left_text.span, &format!("product, quotient or power of {width} bits"), &help);
        }
        let node = match op {
            BinaryOp::Power => return self.power((left_text, left), right, width, signed),
            BinaryOp::Shl | BinaryOp::ShlA => Op::Shl,
            BinaryOp::ShrA if signed => Op::Sar,
            BinaryOp::Shr | BinaryOp::ShrA => Op::Shr,
            BinaryOp::Add => Op::Add,
            BinaryOp::Sub => Op::Sub,
            BinaryOp::Mul => Op::Mul,
            BinaryOp::Div if signed => Op::DivS,
            BinaryOp::Div => Op::DivU,
            BinaryOp::Rem if signed => Op::RemS,
            BinaryOp::Rem => Op::RemU,
            BinaryOp::And => Op::And,
            BinaryOp::Or => Op::Or,
            _ => Op::Xor,
        };
        let r = if right_alone(op) { self.alone(right)? } else { self.eval(right, width, signed)? };
        let value = self.b.make(node, width, &[left, r]);
        Ok(if op == BinaryOp::Xnor { self.b.not(value) } else { value })
    }

    /// Constant exponents are unrolled (by squaring); a constant base of two is a shift.
    fn power(&mut self, left: (&Expr, NodeId), right: &Expr, width: u32, signed: bool) -> Result<NodeId> {
        let (left_text, base) = left;
        let (right_width, right_signed) = self.size(right)?;
        let exponent = self.eval(right, right_width, right_signed)?;
        let one = self.b.constant(Bits::new(width, 1));
        if let Some(v) = self.b.as_const(exponent).cloned() {
            if right_signed && v.sign() {
                return self.negative_power(left_text, base, width, signed, v.get(0));
            }
            let (mut result, mut square) = (one, base);
            for i in 0..v.width() {
                if v.get(i) {
                    result = self.b.make(Op::Mul, width, &[result, square]);
                }
                if v.shr(u64::from(i) + 1).is_zero() {
                    break;
                }
                square = self.b.make(Op::Mul, width, &[square, square]);
            }
            return Ok(result);
        }
        if self.b.as_const(base).is_some_and(|b| b.small() == Some(2)) && !right_signed {
            return Ok(self.b.make(Op::Shl, width, &[one, exponent]));
        }
        self.unsupported(
            right.span,
            "power operator",
            "the exponent must be constant, or the base 2 and the exponent unsigned",
        )
    }

    /// Table 5-6: 1 and -1 have inverses, the inverse of 0 is x (here zero), all others truncate to
    /// zero.
    fn negative_power(&mut self, text: &Expr, base: NodeId, width: u32, signed: bool, odd: bool) -> Result<NodeId> {
        let Some(b) = self.b.as_const(base) else {
            return self.unsupported(text.span, "power operator", "a negative exponent needs a constant base");
        };
        let value = if b.small() == Some(1) || (signed && b.is_ones() && !odd) {
            Bits::new(width, 1)
        } else if signed && b.is_ones() {
            Bits::ones(width)
        } else {
            Bits::zero(width)
        };
        Ok(self.b.constant(value))
    }

    /// Value of an expression that stands alone, in its own width.
    fn primary(&mut self, e: &Expr) -> Result<NodeId> {
        match &e.kind {
            ExprKind::Literal(l) => Ok(self.b.constant(l.value.clone())),
            ExprKind::Str(s) => {
                let mut value = Bits::zero((s.len() as u32 * 8).max(8));
                for byte in s.bytes() {
                    value = value.shl(8).or(&Bits::new(value.width(), u64::from(byte)));
                }
                Ok(self.b.constant(value))
            }
            ExprKind::Name(_) | ExprKind::Index(..) | ExprKind::Part(..) | ExprKind::Indexed { .. } => {
                let r = self.reference(e)?;
                self.read(&r, e.span)
            }
            ExprKind::Unary(op, a) => self.reduction(*op, a),
            ExprKind::Binary(op @ (BinaryOp::LogicalAnd | BinaryOp::LogicalOr), ..) => self.logical(*op, e),
            ExprKind::Binary(op, l, r) => self.comparison(*op, l, r),
            ExprKind::Conditional(..) => self.alone(e),
            ExprKind::Concat(parts) => self.concatenation(parts),
            ExprKind::Repeat(count, parts) => {
                self.size_alone(e)?; // width and count are sane
                let count = self.integer(count)? as usize;
                let inner = self.concatenation(parts)?;
                Ok(self.b.make(Op::Concat, self.b.width(inner) * count as u32, &vec![inner; count]))
            }
            ExprKind::Call(name, args) if !name.starts_with('$') => {
                self.nested(e.span, |u| u.call_function(e, name, args))
            }
            ExprKind::Call(name, args) => self.call(e, name, args),
            ExprKind::Null => self.error(e.span, "an argument is missing here"),
        }
    }

    fn concatenation(&mut self, parts: &[Expr]) -> Result<NodeId> {
        let mut nodes = Vec::with_capacity(parts.len());
        for p in parts {
            if !self.nothing(p)? {
                nodes.push(self.alone(p)?);
            }
        }
        Ok(self.b.concat(&nodes))
    }

    fn reduction(&mut self, op: UnaryOp, a: &Expr) -> Result<NodeId> {
        let a = self.alone(a)?;
        let (op, invert) = match op {
            UnaryOp::And => (Op::RedAnd, false),
            UnaryOp::Nand => (Op::RedAnd, true),
            UnaryOp::Or => (Op::RedOr, false),
            UnaryOp::Nor | UnaryOp::LogicalNot => (Op::RedOr, true),
            UnaryOp::Xor => (Op::RedXor, false),
            _ => (Op::RedXor, true),
        };
        let value = self.b.make(op, 1, &[a]);
        Ok(if invert { self.b.not(value) } else { value })
    }

    fn logical(&mut self, op: BinaryOp, e: &Expr) -> Result<NodeId> {
        let mut right = Vec::new();
        let mut e = e;
        while let ExprKind::Binary(o, l, r) = &e.kind {
            if *o != op {
                break;
            }
            right.push(&**r);
            e = l;
        }
        let mut value = self.condition(e)?;
        for r in right.into_iter().rev() {
            let r = self.condition(r)?;
            value = if op == BinaryOp::LogicalAnd { self.b.and(value, r) } else { self.b.or(value, r) };
        }
        Ok(value)
    }

    fn comparison(&mut self, op: BinaryOp, l: &Expr, r: &Expr) -> Result<NodeId> {
        let has_x = |e: &Expr| matches!(&e.kind, ExprKind::Literal(l) if !(l.x.is_zero() && l.z.is_zero()));
        let case = matches!(op, BinaryOp::CaseEq | BinaryOp::CaseNe);
        if case && has_x(l) != has_x(r) {
            // no two-state value is identical to x or z
            return Ok(self.b.bit(op == BinaryOp::CaseNe));
        }
        let ((lw, ls), (rw, rs)) = (self.size(l)?, self.size(r)?);
        let (width, signed) = (lw.max(rw), ls && rs);
        let l = self.eval(l, width, signed)?;
        let r = self.eval(r, width, signed)?;
        let (less, less_equal) = if signed { (Op::LtS, Op::LeS) } else { (Op::LtU, Op::LeU) };
        let (op, args) = match op {
            BinaryOp::Lt => (less, [l, r]),
            BinaryOp::Le => (less_equal, [l, r]),
            BinaryOp::Gt => (less, [r, l]),
            BinaryOp::Ge => (less_equal, [r, l]),
            BinaryOp::Eq | BinaryOp::CaseEq => (Op::Eq, [l, r]),
            _ => (Op::Ne, [l, r]),
        };
        Ok(self.b.make(op, 1, &args))
    }

    fn call(&mut self, e: &Expr, name: &str, args: &[Expr]) -> Result<NodeId> {
        self.size_of_call(e, name, args)?;
        let arg = &args[0];
        match name {
            "$bits" => {
                let width = self.size(arg)?.0;
                Ok(self.b.constant(Bits::new(32, u64::from(width))))
            }
            "$clog2" => {
                let node = self.alone(arg)?;
                let Some(v) = self.b.as_const(node) else {
                    return self.error(arg.span, "the argument of $clog2 must be constant");
                };
                let below = if v.is_zero() { v.clone() } else { v.sub(&Bits::new(v.width(), 1)) };
                let bits = (0..below.width()).rev().find(|&i| below.get(i)).map_or(0, |i| i + 1);
                Ok(self.b.constant(Bits::new(32, u64::from(bits))))
            }
            _ => self.alone(arg),
        }
    }
}
