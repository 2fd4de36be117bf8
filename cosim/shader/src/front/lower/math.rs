//! naga's built-in functions, by name and type: which of `emit`'s functions, or which of the
//! prelude's, and whether component by component.

use super::cx::{Cx, Res};
use crate::front::emit::types::Shape;
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
            M::Transpose => Ok(self.transpose(size(shape), &words[0])),
            M::Determinant => {
                let order = self.square(shape)?;
                Ok(vec![self.determinant(order, &words[0])])
            }
            M::Inverse => {
                let order = self.square(shape)?;
                self.inverse(order, &words[0])
            }
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
            M::Abs if signed => self.magnitude(x),
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
            M::Mix => self.mix(x, args[1], args[2]),
            M::Step => self.step(x, args[1]),
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

    fn bits(&mut self, fun: M, signed: bool, args: &[Value]) -> Value {
        let x = args[0];
        match fun {
            M::CountTrailingZeros => self.b.alu1(Op::Ctz, x),
            M::CountLeadingZeros => self.b.alu1(Op::Clz, x),
            M::CountOneBits => self.b.alu1(Op::Popc, x),
            M::ReverseBits => self.b.alu1(Op::Brev, x),
            M::FirstTrailingBit => self.first_bit(x),
            M::FirstLeadingBit => self.last_bit(x, signed),
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

    fn geometry(&mut self, fun: M, shape: Shape, args: &Args) -> Res<Vec<Value>> {
        let a = &args[0];
        Ok(match fun {
            M::Dot => vec![self.dot(a, &args[1], shape.is_float())],
            M::Length => vec![self.length(a)?],
            M::Distance => vec![self.distance(a, &args[1])?],
            M::Normalize => self.normalize(a)?,
            M::Cross => self.cross(a, &args[1]),
            M::FaceForward => self.face_forward(a, &args[1], &args[2]),
            M::Reflect => self.reflect(a, &args[1]),
            _ => self.refract(a, &args[1], args[2][0])?,
        })
    }

    /// Columns of a square matrix.
    fn square(&self, shape: Shape) -> Res<usize> {
        match size(shape) {
            (columns, rows) if columns == rows => Ok(columns),
            _ => Err(self.refuse("the determinant of a matrix that is not square")),
        }
    }

    /// Every product in which at least one side is a matrix.
    pub fn matrix_multiply(&mut self, ls: Shape, a: &[Value], rs: Shape, b: &[Value]) -> Vec<Value> {
        match (ls, rs) {
            (Shape::Scalar(_), _) => b.iter().map(|&x| self.b.written(Op::FMul, &[a[0], x], false)).collect(),
            (_, Shape::Scalar(_)) => a.iter().map(|&x| self.b.written(Op::FMul, &[x, b[0]], false)).collect(),
            (Shape::Vector { .. }, _) => self.row_product(a, size(rs), b),
            _ => self.matrix_product(size(ls), a, size(rs), b),
        }
    }
}

/// Columns and rows; a vector is a single column, a scalar 1 by 1.
fn size(shape: Shape) -> (usize, usize) {
    match shape {
        Shape::Matrix { columns, rows, .. } => (columns as usize, rows as usize),
        Shape::Vector { size, .. } => (1, size as usize),
        _ => (1, 1),
    }
}

/// The prelude's function for a built-in: `ql_` and its WGSL name in lower case.
fn prelude_name(fun: M) -> String {
    format!("ql_{fun:?}").to_lowercase()
}
