//! The built-in functions. What is one or a few instructions is written here; everything longer is
//! a function of the prelude, taken component by component. Sums of products (dot, matrix products)
//! use fused multiply-add from the second term on.

use super::cx::{Cx, Res};
use super::types::Shape;
use crate::ssa::Value;
use naga::{Expression, Handle, MathFunction as M};
use quadlock_isa::Op;

/// Arguments of a built-in function: packed words of each.
type Args = Vec<Vec<Value>>;

impl<'a> Cx<'_, 'a> {
    pub fn math(&mut self, fun: M, args: &[Handle<Expression>]) -> Res<Vec<Value>> {
        let shape = self.shape(args[0])?;
        let mut words: Args = Vec::new();
        for &arg in args {
            words.push(self.words(arg)?);
        }
        match fun {
            M::Dot | M::Distance | M::Length | M::Normalize | M::Cross | M::FaceForward | M::Reflect | M::Refract => {
                self.geometry(fun, shape, &words)
            }
            M::Outer => Ok(self.outer(&words[0], &words[1])),
            M::Transpose => Ok(self.transpose(shape, &words[0])),
            M::Determinant => self.determinant(shape, &words[0]).map(|d| vec![d]),
            M::Inverse => self.inverse(shape, &words[0]),
            M::Modf => self.modf(&words[0]),
            M::Frexp => self.frexp(&words[0]),
            M::Dot4I8Packed => Ok(vec![self.dot4(Op::SBfe, words[0][0], words[1][0])]),
            M::Dot4U8Packed => Ok(vec![self.dot4(Op::UBfe, words[0][0], words[1][0])]),
            M::Pack4x8snorm
            | M::Pack4x8unorm
            | M::Pack2x16snorm
            | M::Pack2x16unorm
            | M::Pack2x16float
            | M::Pack4xI8
            | M::Pack4xU8
            | M::Pack4xI8Clamp
            | M::Pack4xU8Clamp
            | M::Unpack4x8snorm
            | M::Unpack4x8unorm
            | M::Unpack2x16snorm
            | M::Unpack2x16unorm
            | M::Unpack2x16float
            | M::Unpack4xI8
            | M::Unpack4xU8 => self.prelude(&prelude_name(fun), &words[0]),
            _ => {
                let count = words.iter().map(Vec::len).max().unwrap_or(1);
                let component = |w: &Vec<Value>, i: usize| if w.len() == 1 { w[0] } else { w[i] };
                (0..count)
                    .map(|i| {
                        let args: Vec<Value> = words.iter().map(|w| component(w, i)).collect();
                        self.math1(fun, shape, &args)
                    })
                    .collect()
            }
        }
    }

    /// One component of a component-wise function.
    fn math1(&mut self, fun: M, shape: Shape, args: &[Value]) -> Res<Value> {
        let (float, signed) = (shape.is_float(), shape.is_signed());
        let choose = |f: Op, s: Op, u: Op| {
            if float {
                f
            } else if signed {
                s
            } else {
                u
            }
        };
        let x = args[0];
        Ok(match fun {
            M::Abs if float => self.b.alu_imm(Op::And, x, 0x7FFF_FFFF),
            M::Abs if signed => {
                let zero = self.b.constant(0);
                let negated = self.b.alu2(Op::ISub, zero, x);
                self.b.alu2(Op::SMax, x, negated)
            }
            M::Abs => x,
            M::Min => self.b.alu2(choose(Op::FMin, Op::SMin, Op::UMin), x, args[1]),
            M::Max => self.b.alu2(choose(Op::FMax, Op::SMax, Op::UMax), x, args[1]),
            M::Clamp => {
                let low = self.b.alu2(choose(Op::FMax, Op::SMax, Op::UMax), x, args[1]);
                self.b.alu2(choose(Op::FMin, Op::SMin, Op::UMin), low, args[2])
            }
            M::Saturate => self.saturate(x),
            M::Sign => self.sign(x, float),
            M::Radians => self.times(x, std::f32::consts::PI / 180.0),
            M::Degrees => self.times(x, 180.0 / std::f32::consts::PI),
            M::Fma => self.b.alu3(Op::FFma, x, args[1], args[2]),
            M::Mix => {
                let one = self.b.float(1.0);
                let rest = self.b.alu2(Op::FSub, one, args[2]);
                let start = self.b.alu2(Op::FMul, x, rest);
                self.b.alu3(Op::FFma, args[1], args[2], start)
            }
            M::Step => {
                let (one, zero) = (self.b.float(1.0), self.b.constant(0));
                let beyond = self.b.alu2(Op::FSetLe, x, args[1]);
                self.b.select(beyond, one, zero)
            }
            M::SmoothStep => self.smooth_step(x, args[1], args[2])?,
            M::CountTrailingZeros
            | M::CountLeadingZeros
            | M::CountOneBits
            | M::ReverseBits
            | M::ExtractBits
            | M::InsertBits
            | M::FirstTrailingBit
            | M::FirstLeadingBit => self.bits(fun, signed, args),
            _ => self.prelude1(&prelude_name(fun), args)?,
        })
    }

    fn times(&mut self, x: Value, factor: f32) -> Value {
        let factor = self.b.float(factor);
        self.b.alu2(Op::FMul, x, factor)
    }

    fn saturate(&mut self, x: Value) -> Value {
        let (zero, one) = (self.b.constant(0), self.b.float(1.0));
        let low = self.b.alu2(Op::FMax, x, zero);
        self.b.alu2(Op::FMin, low, one)
    }

    fn sign(&mut self, x: Value, float: bool) -> Value {
        if !float {
            let (one, minus) = (self.b.constant(1), self.b.constant(u32::MAX));
            let low = self.b.alu2(Op::SMax, x, minus);
            return self.b.alu2(Op::SMin, low, one);
        }
        let (zero, one, minus) = (self.b.constant(0), self.b.float(1.0), self.b.float(-1.0));
        let above = self.b.alu2(Op::FSetGt, x, zero);
        let below = self.b.alu2(Op::FSetLt, x, zero);
        let rest = self.b.select(below, minus, zero);
        self.b.select(above, one, rest)
    }

    fn smooth_step(&mut self, low: Value, high: Value, x: Value) -> Res<Value> {
        let above = self.b.alu2(Op::FSub, x, low);
        let span = self.b.alu2(Op::FSub, high, low);
        let t = self.prelude1("ql_div", &[above, span])?;
        let t = self.saturate(t);
        let (three, minus_two) = (self.b.float(3.0), self.b.float(-2.0));
        let slope = self.b.alu3(Op::FFma, t, minus_two, three);
        let square = self.b.alu2(Op::FMul, t, t);
        Ok(self.b.alu2(Op::FMul, square, slope))
    }

    fn bits(&mut self, fun: M, signed: bool, args: &[Value]) -> Value {
        let x = args[0];
        match fun {
            M::CountTrailingZeros => self.b.alu1(Op::Ctz, x),
            M::CountLeadingZeros => self.b.alu1(Op::Clz, x),
            M::CountOneBits => self.b.alu1(Op::Popc, x),
            M::ReverseBits => self.b.alu1(Op::Brev, x),
            M::FirstTrailingBit => {
                let (zero, none) = (self.b.constant(0), self.b.constant(u32::MAX));
                let empty = self.b.alu2(Op::ISetEq, x, zero);
                let bit = self.b.alu1(Op::Ctz, x);
                self.b.select(empty, none, bit)
            }
            M::FirstLeadingBit => {
                let x = match signed {
                    true => {
                        let sign = self.b.alu_imm(Op::Sar, x, 31);
                        self.b.alu2(Op::Xor, x, sign)
                    }
                    false => x,
                };
                let zeros = self.b.alu1(Op::Clz, x);
                let top = self.b.constant(31);
                self.b.alu2(Op::ISub, top, zeros)
            }
            M::ExtractBits => {
                let field = self.field(args[1], args[2]);
                self.b.alu2(if signed { Op::SBfe } else { Op::UBfe }, x, field)
            }
            _ => {
                let field = self.field(args[2], args[3]);
                self.b.alu3(Op::Bfi, args[1], field, x)
            }
        }
    }

    /// Field operand of UBFE, SBFE and BFI: offset in bits 4:0, count in 13:8. An offset of 32 or
    /// more leaves a count of 0.
    fn field(&mut self, offset: Value, count: Value) -> Value {
        if let (Some(offset), Some(count)) = (self.b.known(offset), self.b.known(count)) {
            let offset = offset.min(32);
            return self.b.constant(offset | count.min(32 - offset) << 8);
        }
        let width = self.b.constant(32);
        let offset = self.b.alu2(Op::UMin, offset, width);
        let room = self.b.alu2(Op::ISub, width, offset);
        let count = self.b.alu2(Op::UMin, count, room);
        let high = self.b.alu_imm(Op::Shl, count, 8);
        self.b.alu2(Op::Or, offset, high)
    }

    fn dot4(&mut self, extract: Op, a: Value, b: Value) -> Value {
        let mut sum = self.b.constant(0);
        for byte in 0..4 {
            let field = self.b.constant((byte * 8) | (8 << 8));
            let x = self.b.alu2(extract, a, field);
            let y = self.b.alu2(extract, b, field);
            sum = self.b.alu3(Op::IMad, x, y, sum);
        }
        sum
    }

    pub fn dot(&mut self, a: &[Value], b: &[Value], float: bool) -> Value {
        let (first, more) = if float { (Op::FMul, Op::FFma) } else { (Op::IMul, Op::IMad) };
        let mut sum = self.b.alu2(first, a[0], b[0]);
        for (&x, &y) in a.iter().zip(b).skip(1) {
            sum = self.b.alu3(more, x, y, sum);
        }
        sum
    }

    fn length(&mut self, v: &[Value]) -> Res<Value> {
        if let [x] = v {
            return Ok(self.b.alu_imm(Op::And, *x, 0x7FFF_FFFF));
        }
        let square = self.dot(v, v, true);
        self.prelude1("ql_sqrt", &[square])
    }

    fn geometry(&mut self, fun: M, shape: Shape, args: &Args) -> Res<Vec<Value>> {
        let a = &args[0];
        Ok(match fun {
            M::Dot => vec![self.dot(a, &args[1], shape.is_float())],
            M::Length => vec![self.length(a)?],
            M::Distance => {
                let difference: Vec<Value> =
                    a.iter().zip(&args[1]).map(|(&x, &y)| self.b.alu2(Op::FSub, x, y)).collect();
                vec![self.length(&difference)?]
            }
            M::Normalize => {
                let square = self.dot(a, a, true);
                let inverse = self.prelude1("ql_inversesqrt", &[square])?;
                a.iter().map(|&x| self.b.alu2(Op::FMul, x, inverse)).collect()
            }
            M::Cross => (0..3)
                .map(|i| {
                    let (j, k) = ((i + 1) % 3, (i + 2) % 3);
                    let minus = self.b.alu2(Op::FMul, a[k], args[1][j]);
                    let plus = self.b.alu2(Op::FMul, a[j], args[1][k]);
                    self.b.alu2(Op::FSub, plus, minus)
                })
                .collect(),
            M::FaceForward => {
                let facing = self.dot(&args[2], &args[1], true);
                let zero = self.b.constant(0);
                let front = self.b.alu2(Op::FSetLt, facing, zero);
                a.iter()
                    .map(|&x| {
                        let back = self.negate(x);
                        self.b.select(front, x, back)
                    })
                    .collect()
            }
            M::Reflect => {
                let dot = self.dot(&args[1], a, true);
                let twice = self.b.alu2(Op::FAdd, dot, dot);
                a.iter().zip(&args[1]).map(|(&x, &n)| self.b.alu3(Op::FNma, twice, n, x)).collect()
            }
            _ => self.refract(a, &args[1], args[2][0])?,
        })
    }

    fn refract(&mut self, incident: &[Value], normal: &[Value], eta: Value) -> Res<Vec<Value>> {
        let (zero, one) = (self.b.constant(0), self.b.float(1.0));
        let dot = self.dot(normal, incident, true);
        let sine2 = self.b.alu3(Op::FNma, dot, dot, one);
        let eta2 = self.b.alu2(Op::FMul, eta, eta);
        let k = self.b.alu3(Op::FNma, eta2, sine2, one);
        let total = self.b.alu2(Op::FSetLt, k, zero);
        let root = self.prelude1("ql_sqrt", &[k])?;
        let along = self.b.alu3(Op::FFma, eta, dot, root);
        Ok(incident
            .iter()
            .zip(normal)
            .map(|(&i, &n)| {
                let bent = self.b.alu2(Op::FMul, eta, i);
                let bent = self.b.alu3(Op::FNma, along, n, bent);
                self.b.select(total, zero, bent)
            })
            .collect())
    }

    /// The result struct: fractions, then whole parts.
    fn modf(&mut self, x: &[Value]) -> Res<Vec<Value>> {
        let mut fractions = Vec::new();
        let mut wholes = Vec::new();
        for &x in x {
            let whole = self.prelude1("ql_trunc", &[x])?;
            fractions.push(self.b.alu2(Op::FSub, x, whole));
            wholes.push(whole);
        }
        fractions.extend(wholes);
        Ok(fractions)
    }

    /// The result struct: fractions, then exponents.
    fn frexp(&mut self, x: &[Value]) -> Res<Vec<Value>> {
        let mut fractions = Vec::new();
        let mut exponents = Vec::new();
        for &x in x {
            fractions.push(self.prelude1("ql_frexp_fract", &[x])?);
            exponents.push(self.prelude1("ql_frexp_exp", &[x])?);
        }
        fractions.extend(exponents);
        Ok(fractions)
    }
}

/// The prelude's function for a built-in: `ql_` and its WGSL name in lower case.
fn prelude_name(fun: M) -> String {
    format!("ql_{fun:?}").to_lowercase()
}
