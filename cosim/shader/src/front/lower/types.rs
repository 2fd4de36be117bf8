//! Shapes of naga types. Types that the machine has no arithmetic for (64-bit and 16-bit numbers)
//! and opaque types (textures, samplers, ...) have no shape and are refused by name. Memory layouts
//! are naga's.

use crate::front::emit::types::{Member, NumberKind, Scalar, Shape, Types};
use naga::proc::IndexableLength;
use naga::{ArraySize, Handle, Module, ScalarKind, Type, TypeInner, VectorSize};

pub fn size_of(size: VectorSize) -> u32 {
    size as u32
}

pub fn number_kind(kind: ScalarKind) -> NumberKind {
    match kind {
        ScalarKind::Bool => NumberKind::Bool,
        ScalarKind::Sint | ScalarKind::AbstractInt => NumberKind::Sint,
        ScalarKind::Uint => NumberKind::Uint,
        ScalarKind::Float | ScalarKind::AbstractFloat => NumberKind::Float,
    }
}

fn scalar_shape(scalar: naga::Scalar) -> Result<Scalar, String> {
    match (scalar.kind, scalar.width) {
        (ScalarKind::Bool, _) | (ScalarKind::Sint | ScalarKind::Uint | ScalarKind::Float, 4) => {
            Ok(Scalar { kind: number_kind(scalar.kind), bits: u32::from(scalar.width) * 8 })
        }
        (kind, width) => {
            let letter = match kind {
                ScalarKind::Sint => 'i',
                ScalarKind::Uint => 'u',
                _ => 'f',
            };
            Err(format!("the type {letter}{} is not supported", u32::from(width) * 8))
        }
    }
}

fn vector(size: u32, scalar: Scalar) -> Shape {
    Shape::Vector { size, scalar, stride: scalar.bytes() }
}

/// Shape of a type; the error names what is not supported.
pub fn shape(types: &mut Types, module: &Module, inner: &TypeInner) -> Result<Shape, String> {
    let shape = match *inner {
        TypeInner::Scalar(scalar) => Shape::Scalar(scalar_shape(scalar)?),
        TypeInner::Vector { size, scalar } => vector(size_of(size), scalar_shape(scalar)?),
        TypeInner::Matrix { columns, rows, scalar } => {
            let (rows, scalar) = (size_of(rows), scalar_shape(scalar)?);
            let stride = if rows == 2 { 2 } else { 4 } * scalar.bytes();
            Shape::Matrix { columns: size_of(columns), rows, scalar, stride, row_major: false }
        }
        TypeInner::Atomic(scalar) => {
            let scalar = scalar_shape(scalar)?;
            if scalar.kind == NumberKind::Float {
                return Err("atomics on f32 are not supported".into());
            }
            Shape::Atomic(scalar)
        }
        TypeInner::Array { base, size, stride } => {
            let count = match size {
                ArraySize::Dynamic => None,
                // One of an override has its value by now.
                size => match size.resolve(module.to_ctx()) {
                    Ok(IndexableLength::Known(n)) => Some(n),
                    _ => return Err("an array whose length depends on an override without a value".into()),
                },
            };
            let base = part(types, module, base);
            Shape::Array { base: types.intern(base), count, stride }
        }
        TypeInner::Struct { ref members, .. } => {
            let mut all = vec![];
            for member in members {
                all.push(Member { shape: part(types, module, member.ty), offset: member.offset });
            }
            types.structure(all)
        }
        TypeInner::Pointer { .. } | TypeInner::ValuePointer { .. } => Shape::Pointer,
        TypeInner::Image { .. } => return Err("textures and images are not supported".into()),
        TypeInner::Sampler { .. } => return Err("samplers are not supported".into()),
        TypeInner::AccelerationStructure { .. } | TypeInner::RayQuery { .. } => {
            return Err("ray queries are not supported".into())
        }
        TypeInner::BindingArray { .. } => return Err("binding arrays are not supported".into()),
        TypeInner::CooperativeMatrix { .. } => return Err("cooperative matrices are not supported".into()),
    };
    Ok(shape)
}

/// The shape of a part, which may be one that is not supported as long as nobody uses it.
fn part(types: &mut Types, module: &Module, handle: Handle<Type>) -> Shape {
    shape_of(types, module, handle).unwrap_or_else(|message| types.unsupported(message))
}

pub fn shape_of(types: &mut Types, module: &Module, handle: Handle<Type>) -> Result<Shape, String> {
    shape(types, module, &module.types[handle].inner)
}
