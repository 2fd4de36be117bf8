//! SPIR-V types as shapes with memory layouts. A layout comes from decorations (Offset,
//! ArrayStride, MatrixStride, RowMajor); a type without them, as variables of a work group have, is
//! laid out tightly: words behind each other. A matrix's layout stands on the member that holds it,
//! so one SPIR-V type may have several shapes. Values have no layout: their words are packed.

use super::lower::{Lower, MatrixLayout};
use super::module::Res;
use crate::front::emit::types::{Member, NumberKind as Kind, Scalar, Shape, MAX_VALUE_WORDS};
use rspirv::spirv::{Decoration, Op, StorageClass};

const USE_32: &str = "use 32-bit numbers";

impl Lower<'_, '_> {
    /// The shape of a type.
    pub fn ty(&mut self, id: u32) -> Res<Shape> {
        self.ty_laid(id, None, 0)
    }

    fn ty_laid(&mut self, id: u32, matrix: MatrixLayout, depth: u32) -> Res<Shape> {
        if let Some(&ty) = self.tys.get(&(id, matrix)) {
            return Ok(ty);
        }
        let m = self.m;
        let Some(def) = m.def(id).filter(|_| depth < 64) else {
            return Err(m.invalid(self.n, format!("{} is no type", m.called(id))));
        };
        let number = m.number(id).unwrap_or(0);
        let a = &def.args;
        let shape = match def.op {
            Op::TypeBool => Shape::Scalar(Scalar { kind: Kind::Bool, bits: 32 }),
            Op::TypeInt if matches!(a[0], 8 | 16 | 32 | 64) => {
                Shape::Scalar(Scalar { kind: if a[1] != 0 { Kind::Sint } else { Kind::Uint }, bits: a[0] })
            }
            Op::TypeFloat if matches!(a[0], 16 | 32) => Shape::Scalar(Scalar { kind: Kind::Float, bits: a[0] }),
            Op::TypeInt | Op::TypeFloat => {
                return Err(m.error(number, format!("numbers of {} bits are not supported", a[0]), USE_32))
            }
            Op::TypeVector if (2..=4).contains(&a[1]) => {
                let scalar = self.scalar_of(a[0], depth)?;
                Shape::Vector { size: a[1], scalar, stride: bytes(scalar) }
            }
            Op::TypeMatrix if (2..=4).contains(&a[1]) => {
                let column = self.ty_laid(a[0], None, depth + 1)?;
                let Shape::Vector { size, scalar, .. } = column else {
                    return Err(m.invalid(number, "a matrix of something else than vectors"));
                };
                let (stride, row_major) = matrix.unwrap_or((size * bytes(scalar), false));
                Shape::Matrix { columns: a[1], rows: size, scalar, stride, row_major }
            }
            Op::TypeArray | Op::TypeRuntimeArray => {
                let base = self.ty_laid(a[0], matrix, depth + 1)?;
                let count = match def.op {
                    Op::TypeArray => Some(self.length(number, a[1])?),
                    _ => None,
                };
                let stride = match m.decoration(id, Decoration::ArrayStride) {
                    Some(stride) => stride,
                    None => self.tight(base),
                };
                Shape::Array { base: self.e.p.types.intern(base), count, stride }
            }
            Op::TypeStruct => {
                let mut members = vec![];
                let mut end = 0u32;
                for (k, &member) in a.iter().enumerate() {
                    let k = k as u32;
                    let row_major = m.member(id, k, Decoration::RowMajor).is_some();
                    let layout = m.member(id, k, Decoration::MatrixStride).map(|stride| (stride, row_major));
                    let ty = self.ty_laid(member, layout, depth + 1)?;
                    let offset = m.member(id, k, Decoration::Offset).unwrap_or(end);
                    end = end.max(offset.saturating_add(self.tight(ty)));
                    members.push(Member { shape: ty, offset });
                }
                self.e.p.types.structure(members)
            }
            // A variable of it holds nothing.
            Op::TypeVoid => self.e.p.types.structure(vec![]),
            // As a value: an address, and the bytes from there to the buffer's end.
            Op::TypePointer if self.pointer(id).is_some_and(|p| has_words(p.0)) => {
                Shape::Vector { size: 2, scalar: Scalar { kind: Kind::Uint, bits: 32 }, stride: 4 }
            }
            other => {
                let what = opaque(other);
                let help = "use storage buffers, uniform buffers and work-group memory";
                return Err(m.error(number, format!("{what} are not supported"), help));
            }
        };
        self.tys.insert((id, matrix), shape);
        Ok(shape)
    }

    /// Elements of the array type `number`: one at least, as Vulkan demands.
    fn length(&mut self, number: usize, id: u32) -> Res<u32> {
        let length = self.constant_word(id)?;
        let signed = self.m.def(id).and_then(|d| self.m.def(d.ty)).is_some_and(|ty| ty.args.get(1) == Some(&1));
        if length == 0 || (signed && length as i32 <= 0) {
            let shown = if signed { i64::from(length as i32) } else { i64::from(length) };
            let help = "give an array one element at least: correct its length, or the constants it is made of";
            return Err(self.m.error(number, format!("an array of {shown} elements"), help));
        }
        Ok(length)
    }

    fn scalar_of(&mut self, id: u32, depth: u32) -> Res<Scalar> {
        match self.ty_laid(id, None, depth + 1)? {
            Shape::Scalar(scalar) => Ok(scalar),
            _ => Err(self.m.invalid(self.n, format!("{} is no scalar type", self.m.called(id)))),
        }
    }

    /// Bytes of a shape as it lies in memory, without padding behind it; of a run-time array none.
    pub fn tight(&self, shape: Shape) -> u32 {
        match shape {
            Shape::Scalar(s) | Shape::Atomic(s) => bytes(s),
            Shape::Vector { size, scalar, .. } => size * bytes(scalar),
            Shape::Matrix { columns, rows, stride, row_major, .. } => {
                stride.saturating_mul(if row_major { rows } else { columns })
            }
            Shape::Array { count, stride, .. } => stride.saturating_mul(count.unwrap_or(0)),
            Shape::Struct(_) => {
                let ends = self.e.p.types.members(shape).iter().map(|m| m.offset.saturating_add(self.tight(m.shape)));
                ends.max().unwrap_or(0)
            }
            Shape::Pointer | Shape::Unsupported(_) => 0,
        }
    }

    /// Words of a value of a type.
    pub fn words_of(&mut self, id: u32) -> Res<u32> {
        if self.pointer(id).is_some() {
            return Ok(2);
        }
        let shape = self.ty(id)?;
        match self.counted(shape)? {
            words if words > MAX_VALUE_WORDS => {
                self.refuse(format!("a value of {words} words is too large"), "use it through a pointer")
            }
            words => Ok(words),
        }
    }

    /// Words of a shape.
    pub fn counted(&self, shape: Shape) -> Res<u32> {
        shape.words(&self.e.p.types).map_err(|m| self.m.error(self.n, m, "use a smaller type, or a storage buffer"))
    }

    /// Storage class and type that a pointer type points to.
    pub fn pointer(&self, id: u32) -> Option<(StorageClass, u32)> {
        let def = self.m.def(id).filter(|d| d.op == Op::TypePointer)?;
        Some((StorageClass::from_u32(def.args[0])?, def.args[1]))
    }

    /// Bits of the numbers of a type: of a scalar, or a vector's component.
    pub fn bits(&self, id: u32) -> u32 {
        match self.m.scalar(id) {
            Some(d) if matches!(d.op, Op::TypeInt | Op::TypeFloat) => d.args[0],
            _ => 32,
        }
    }
}

/// Whether a pointer of the class can be a value that is kept and chosen at run time.
fn has_words(class: StorageClass) -> bool {
    matches!(class, StorageClass::StorageBuffer | StorageClass::Uniform | StorageClass::Workgroup)
}

/// Bytes of a scalar in memory.
fn bytes(scalar: Scalar) -> u32 {
    scalar.bytes()
}

fn opaque(op: Op) -> &'static str {
    match op {
        Op::TypeImage | Op::TypeSampledImage => "images and textures",
        Op::TypeSampler => "samplers",
        Op::TypeAccelerationStructureKHR | Op::TypeRayQueryKHR => "ray queries",
        Op::TypeCooperativeMatrixKHR | Op::TypeCooperativeMatrixNV => "cooperative matrices",
        Op::TypePointer => "pointers in memory",
        _ => "types of this kind",
    }
}
