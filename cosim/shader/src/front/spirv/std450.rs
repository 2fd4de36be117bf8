//! The instructions of GLSL.std.450, by number. Signs are the instruction's, not the type's.

use super::arith::Read;
use super::lower::Lower;
use super::module::{Res, Set};
use crate::ssa::Value;
use quadlock_isa::Op as M;
use rspirv::spirv::GlslStd450Op as G;

/// Functions of the prelude that are taken component by component.
fn prelude(op: G) -> Option<&'static str> {
    Some(match op {
        G::Round | G::RoundEven => "ql_round",
        G::Trunc => "ql_trunc",
        G::Floor => "ql_floor",
        G::Ceil => "ql_ceil",
        G::Fract => "ql_fract",
        G::Sin => "ql_sin",
        G::Cos => "ql_cos",
        G::Tan => "ql_tan",
        G::Asin => "ql_asin",
        G::Acos => "ql_acos",
        G::Atan => "ql_atan",
        G::Sinh => "ql_sinh",
        G::Cosh => "ql_cosh",
        G::Tanh => "ql_tanh",
        G::Asinh => "ql_asinh",
        G::Acosh => "ql_acosh",
        G::Atanh => "ql_atanh",
        G::Atan2 => "ql_atan2",
        G::Pow => "ql_pow",
        G::Exp => "ql_exp",
        G::Log => "ql_log",
        G::Exp2 => "ql_exp2",
        G::Log2 => "ql_log2",
        G::Sqrt => "ql_sqrt",
        G::InverseSqrt => "ql_inversesqrt",
        G::Ldexp => "ql_ldexp",
        _ => return None,
    })
}

/// Functions of the prelude of a whole value.
fn packing(op: G) -> Option<&'static str> {
    Some(match op {
        G::PackSnorm4x8 => "ql_pack4x8snorm",
        G::PackUnorm4x8 => "ql_pack4x8unorm",
        G::PackSnorm2x16 => "ql_pack2x16snorm",
        G::PackUnorm2x16 => "ql_pack2x16unorm",
        G::PackHalf2x16 => "ql_pack2x16float",
        G::UnpackSnorm4x8 => "ql_unpack4x8snorm",
        G::UnpackUnorm4x8 => "ql_unpack4x8unorm",
        G::UnpackSnorm2x16 => "ql_unpack2x16snorm",
        G::UnpackUnorm2x16 => "ql_unpack2x16unorm",
        G::UnpackHalf2x16 => "ql_unpack2x16float",
        _ => return None,
    })
}

/// Instructions that are one of the machine's for each component.
fn one(op: G) -> Option<(M, Read)> {
    Some(match op {
        G::FMin | G::NMin => (M::FMin, Read::Any),
        G::FMax | G::NMax => (M::FMax, Read::Any),
        G::UMin => (M::UMin, Read::Unsigned),
        G::UMax => (M::UMax, Read::Unsigned),
        G::SMin => (M::SMin, Read::Signed),
        G::SMax => (M::SMax, Read::Signed),
        G::Fma => (M::FFma, Read::Any),
        _ => return None,
    })
}

impl Lower<'_, '_> {
    /// OpExtInst: none of a set that says nothing about values.
    pub fn extended_instruction(&mut self) -> Res<Option<Vec<Value>>> {
        let i = &self.m.insts[self.n];
        match self.m.sets.get(&i.args[0]) {
            Some(Set::Glsl) => {}
            Some(Set::Debug | Set::NonSemantic) => return Ok(None),
            Some(Set::Quadlock) => return self.quadlock(i.args[1], &i.args[2..]).map(Some),
            Some(Set::Trinary) => return self.trinary(i.args[1], &i.args[2..]).map(Some),
            _ => return self.refuse("this extended instruction set is not supported", "use GLSL.std.450"),
        }
        let Some(op) = G::from_u32(i.args[1]) else {
            return self.invalid(format!("GLSL.std.450 has no instruction {}", i.args[1]));
        };
        let least = match op {
            G::FClamp | G::NClamp | G::UClamp | G::SClamp | G::FMix | G::SmoothStep | G::Fma | G::FaceForward => 3,
            G::Refract => 3,
            G::Atan2 | G::Pow | G::FMin | G::FMax | G::NMin | G::NMax | G::UMin | G::UMax | G::SMin | G::SMax => 2,
            G::Step | G::Ldexp | G::Distance | G::Cross | G::Reflect | G::Modf | G::Frexp => 2,
            _ => 1,
        };
        let a = &i.args[2..];
        if a.len() < least {
            return self.invalid(format!("{op:?} has {} operands, not {least}", a.len()));
        }
        self.std450(op, a).map(Some)
    }

    /// Minimum, maximum or median of three.
    fn trinary(&mut self, number: u32, a: &[u32]) -> Res<Vec<Value>> {
        self.no_half()?;
        let (min, max, read) = match number % 3 {
            1 => (M::FMin, M::FMax, Read::Any),
            2 => (M::UMin, M::UMax, Read::Unsigned),
            _ => (M::SMin, M::SMax, Read::Signed),
        };
        if !(1..=9).contains(&number) || a.len() != 3 || self.bits_of(a[0]) == 64 {
            return self.refuse("this minimum, maximum or median of three is not supported", "compare in pairs");
        }
        let args = self.all(a, read)?;
        self.zipped(args, |l, x| {
            let b = &mut l.e.b;
            Ok(match number {
                1..=3 => {
                    let least = b.alu2(min, x[0], x[1]);
                    b.alu2(min, least, x[2])
                }
                4..=6 => {
                    let most = b.alu2(max, x[0], x[1]);
                    b.alu2(max, most, x[2])
                }
                _ => {
                    let (least, most) = (b.alu2(min, x[0], x[1]), b.alu2(max, x[0], x[1]));
                    let upper = b.alu2(min, most, x[2]);
                    b.alu2(max, least, upper)
                }
            })
        })
    }

    fn std450(&mut self, op: G, a: &[u32]) -> Res<Vec<Value>> {
        self.no_half()?;
        let interpolation = matches!(op, G::InterpolateAtCentroid | G::InterpolateAtSample | G::InterpolateAtOffset);
        if interpolation || self.bits_of(a[0]) == 64 {
            let what = if interpolation { "" } else { " on 64 bits" };
            return self.refuse(format!("{op:?} of GLSL.std.450{what} is not supported"), "write it in another way");
        }
        if let Some(name) = prelude(op) {
            let args = self.all(a, Read::Any)?;
            return self.zipped(args, |l, x| l.e.prelude1(name, x));
        }
        if let Some(name) = packing(op) {
            let words = self.words(a[0])?;
            return self.e.prelude(name, &words);
        }
        if let Some((machine, read)) = one(op) {
            let args = self.all(a, read)?;
            return self.zipped(args, |l, x| Ok(l.e.b.alu(machine, x)));
        }
        let signed = matches!(op, G::SAbs | G::SSign | G::SClamp | G::FindSMsb);
        let read = if signed { Read::Signed } else { Read::Unsigned };
        let args = self.all(a, if self.bits_of(a[0]) < 32 { read } else { Read::Any })?;
        let x = &args[0];
        let same = |args: &[Vec<Value>]| args.iter().all(|a| a.len() == args[0].len());
        Ok(match op {
            G::FAbs => self.zipped(args, |l, x| Ok(l.e.b.alu_imm(M::And, x[0], 0x7FFF_FFFF)))?,
            G::SAbs => self.zipped(args, |l, x| Ok(l.e.magnitude(x[0])))?,
            G::FSign | G::SSign => self.zipped(args, |l, x| Ok(l.e.sign(x[0], op == G::FSign)))?,
            G::Radians => self.zipped(args, |l, x| Ok(l.e.times(x[0], std::f32::consts::PI / 180.0)))?,
            G::Degrees => self.zipped(args, |l, x| Ok(l.e.times(x[0], 180.0 / std::f32::consts::PI)))?,
            G::FClamp | G::NClamp => self.clamp(args, M::FMax, M::FMin)?,
            G::UClamp => self.clamp(args, M::UMax, M::UMin)?,
            G::SClamp => self.clamp(args, M::SMax, M::SMin)?,
            G::FMix => self.zipped(args, |l, x| Ok(l.e.mix(x[0], x[1], x[2])))?,
            G::Step => self.zipped(args, |l, x| Ok(l.e.step(x[0], x[1])))?,
            G::SmoothStep => self.zipped(args, |l, x| l.e.smooth_step(x[0], x[1], x[2]))?,
            G::FindILsb => self.zipped(args, |l, x| Ok(l.e.first_bit(x[0])))?,
            G::FindSMsb | G::FindUMsb => self.zipped(args, |l, x| Ok(l.e.last_bit(x[0], op == G::FindSMsb)))?,
            G::Length => vec![self.e.length(x)?],
            G::Distance => vec![self.e.distance(x, &args[1])?],
            G::Normalize if x.len() == 1 => vec![self.e.sign(x[0], true)],
            G::Normalize => self.e.normalize(x)?,
            G::Cross if x.len() == 3 && args[1].len() == 3 => self.e.cross(x, &args[1]),
            G::FaceForward if same(&args) => self.e.face_forward(x, &args[1], &args[2]),
            G::Reflect if same(&args) => self.e.reflect(x, &args[1]),
            G::Refract if x.len() == args[1].len() && !args[2].is_empty() => self.e.refract(x, &args[1], args[2][0])?,
            G::Determinant => {
                let order = self.order(a[0], x)?;
                vec![self.e.determinant(order, x)]
            }
            G::MatrixInverse => {
                let order = self.order(a[0], x)?;
                self.e.inverse(order, x)?
            }
            G::ModfStruct => self.e.modf(x)?,
            G::FrexpStruct => self.e.frexp(x)?,
            G::Modf | G::Frexp => {
                let both = if op == G::Modf { self.e.modf(x)? } else { self.e.frexp(x)? };
                let (first, second) = both.split_at(both.len() / 2);
                let place = self.place(a[1])?;
                self.store(place, second)?;
                first.to_vec()
            }
            _ => {
                let help = "write it by other functions";
                return self.refuse(format!("{op:?} of GLSL.std.450 is not supported"), help);
            }
        })
    }

    /// Columns of a square matrix.
    fn order(&self, id: u32, words: &[Value]) -> Res<usize> {
        match self.size_of(id) {
            (columns, rows) if columns == rows && words.len() == columns * rows => Ok(rows),
            _ => self.invalid("a matrix that is not square"),
        }
    }

    /// The words of each operand; a pointer is left empty.
    fn all(&mut self, ids: &[u32], read: Read) -> Res<Vec<Vec<Value>>> {
        let mut out = vec![];
        for &id in ids {
            let pointer = self.pointer(self.type_of(id)).is_some();
            out.push(if pointer { vec![] } else { self.read(id, read)? });
        }
        if out[0].is_empty() {
            return self.invalid("a pointer, or nothing, is used as a value");
        }
        Ok(out)
    }

    /// Component by component; an operand of one component goes with each.
    fn zipped(
        &mut self,
        args: Vec<Vec<Value>>,
        mut f: impl FnMut(&mut Self, &[Value]) -> Res<Value>,
    ) -> Res<Vec<Value>> {
        let count = args.iter().map(Vec::len).max().unwrap_or(0);
        if args.iter().any(|a| a.len() != 1 && a.len() != count) {
            return self.invalid("operands of different sizes");
        }
        let of = |a: &Vec<Value>, k: usize| if a.len() == 1 { a[0] } else { a[k] };
        (0..count)
            .map(|k| {
                let x: Vec<Value> = args.iter().map(|a| of(a, k)).collect();
                f(self, &x)
            })
            .collect()
    }

    fn clamp(&mut self, args: Vec<Vec<Value>>, max: M, min: M) -> Res<Vec<Value>> {
        self.zipped(args, |l, x| {
            let low = l.e.b.alu2(max, x[0], x[1]);
            Ok(l.e.b.alu2(min, low, x[2]))
        })
    }
}
