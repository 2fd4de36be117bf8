//! Shapes of naga types: how many words a value takes (packed, for SSA values and local variables)
//! and where its words lie in memory (naga's layout). Types that the machine has no arithmetic for
//! (64-bit and 16-bit numbers) and opaque types (textures, samplers, ...) have no shape and are
//! refused by name.

use naga::{ArraySize, Handle, Module, Scalar, ScalarKind, Type, TypeInner, VectorSize};

/// A type without its names. Handles lead back to naga's types.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    Scalar(Scalar),
    Vector {
        size: u32,
        scalar: Scalar,
    },
    Matrix {
        columns: u32,
        rows: u32,
        scalar: Scalar,
    },
    Atomic(Scalar),
    /// `count` is `None` for a run-time array.
    Array {
        base: Handle<Type>,
        count: Option<u32>,
        stride: u32,
    },
    Struct(Handle<Type>),
    /// Pointer to a value of a type that has a handle, or to a scalar or vector inside a vector or
    /// matrix.
    Pointer(Handle<Type>),
    ValuePointer {
        size: Option<u32>,
        scalar: Scalar,
    },
}

/// One word of a value as it lies in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// Byte offset from the start of the value.
    pub offset: u32,
    /// 4, or 1 for a boolean (work-group memory only: booleans are not host-shareable).
    pub bytes: u32,
}

/// The most words that one value may have: larger arrays must be used through pointers.
pub const MAX_VALUE_WORDS: u32 = 4096;
/// The most words of one local or private variable: every thread of the machine has its own on its
/// stack.
pub const MAX_VARIABLE_WORDS: u32 = 16384;
/// The most bytes of work-group memory: byte addresses of shared storage have 16 bits.
pub const MAX_SHARED_BYTES: u32 = 65536;

pub fn size_of(size: VectorSize) -> u32 {
    size as u32
}

fn scalar_ok(scalar: Scalar) -> Result<(), String> {
    match (scalar.kind, scalar.width) {
        (ScalarKind::Bool, _) => Ok(()),
        (ScalarKind::Sint | ScalarKind::Uint | ScalarKind::Float, 4) => Ok(()),
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

/// Shape of a type; the error names what is not supported. `handle` is the type's own handle if it
/// has one (structs always do).
pub fn shape(inner: &TypeInner, handle: Option<Handle<Type>>) -> Result<Shape, String> {
    let shape = match *inner {
        TypeInner::Scalar(scalar) => scalar_ok(scalar).map(|()| Shape::Scalar(scalar))?,
        TypeInner::Vector { size, scalar } => {
            scalar_ok(scalar).map(|()| Shape::Vector { size: size_of(size), scalar })?
        }
        TypeInner::Matrix { columns, rows, scalar } => {
            scalar_ok(scalar)?;
            Shape::Matrix { columns: size_of(columns), rows: size_of(rows), scalar }
        }
        TypeInner::Atomic(scalar) => {
            scalar_ok(scalar)?;
            if scalar.kind == ScalarKind::Float {
                return Err("atomics on f32 are not supported".into());
            }
            Shape::Atomic(scalar)
        }
        TypeInner::Array { base, size, stride } => {
            let count = match size {
                ArraySize::Constant(n) => Some(n.get()),
                ArraySize::Dynamic => None,
                ArraySize::Pending(_) => {
                    return Err("an array whose length depends on an override without a value is not supported".into())
                }
            };
            Shape::Array { base, count, stride }
        }
        TypeInner::Struct { .. } => match handle {
            Some(handle) => Shape::Struct(handle),
            None => return Err("a struct without a name in the module is not supported".into()),
        },
        TypeInner::Pointer { base, .. } => Shape::Pointer(base),
        TypeInner::ValuePointer { size, scalar, .. } => Shape::ValuePointer { size: size.map(size_of), scalar },
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

pub fn shape_of(module: &Module, handle: Handle<Type>) -> Result<Shape, String> {
    shape(&module.types[handle].inner, Some(handle))
}

impl Shape {
    /// The scalar of a scalar, vector, matrix or atomic.
    pub fn scalar(self) -> Option<Scalar> {
        match self {
            Shape::Scalar(s) | Shape::Atomic(s) => Some(s),
            Shape::Vector { scalar, .. } | Shape::Matrix { scalar, .. } | Shape::ValuePointer { scalar, .. } => {
                Some(scalar)
            }
            _ => None,
        }
    }

    pub fn is_float(self) -> bool {
        self.scalar().is_some_and(|s| s.kind == ScalarKind::Float)
    }
    pub fn is_signed(self) -> bool {
        self.scalar().is_some_and(|s| s.kind == ScalarKind::Sint)
    }
    pub fn is_bool(self) -> bool {
        self.scalar().is_some_and(|s| s.kind == ScalarKind::Bool)
    }

    /// Words of a packed value.
    pub fn words(self, module: &Module) -> Result<u32, String> {
        let words = match self {
            Shape::Scalar(_) | Shape::Atomic(_) => 1,
            Shape::Vector { size, .. } => size,
            Shape::Matrix { columns, rows, .. } => columns * rows,
            Shape::Array { base, count: Some(count), .. } => {
                shape_of(module, base)?.words(module)?.saturating_mul(count)
            }
            Shape::Array { count: None, .. } => return Err("a run-time array cannot be used as a value".into()),
            Shape::Struct(handle) => {
                let mut sum = 0u32;
                for member in members(module, handle) {
                    sum = sum.saturating_add(shape_of(module, member.ty)?.words(module)?);
                }
                sum
            }
            Shape::Pointer(_) | Shape::ValuePointer { .. } => {
                return Err("a pointer cannot be used as a value here".into())
            }
        };
        Ok(words)
    }

    /// Element `index` of a vector, matrix, array or struct: its shape, the packed word and the
    /// byte in memory where it begins.
    pub fn element(self, module: &Module, index: u32) -> Result<(Shape, u32, u32), String> {
        match self {
            Shape::Vector { scalar, .. } => Ok((Shape::Scalar(scalar), index, index * u32::from(scalar.width))),
            Shape::Matrix { rows, scalar, .. } => {
                Ok((Shape::Vector { size: rows, scalar }, index * rows, index * column_stride(rows, scalar)))
            }
            Shape::Array { base, stride, .. } => {
                let element = shape_of(module, base)?;
                let words = element.words(module)?;
                match (index.checked_mul(words), index.checked_mul(stride)) {
                    (Some(word), Some(byte)) => Ok((element, word, byte)),
                    _ => Err("the constant index is outside the address space".into()),
                }
            }
            Shape::Struct(handle) => {
                let mut word = 0;
                for (i, member) in members(module, handle).iter().enumerate() {
                    let shape = shape_of(module, member.ty)?;
                    if i as u32 == index {
                        return Ok((shape, word, member.offset));
                    }
                    word = word.saturating_add(shape.words(module)?);
                }
                Err("no such member".into())
            }
            _ => Err("this value has no elements".into()),
        }
    }

    /// Number of elements that an index may choose from; `None` for a run-time array.
    pub fn count(self, module: &Module) -> Option<u32> {
        match self {
            Shape::Vector { size, .. } => Some(size),
            Shape::Matrix { columns, .. } => Some(columns),
            Shape::Array { count, .. } => count,
            Shape::Struct(handle) => Some(members(module, handle).len() as u32),
            _ => Some(1),
        }
    }

    /// Every word of the value in packed order, with its place in memory relative to `base`.
    pub fn leaves(self, module: &Module, base: u32, out: &mut Vec<Leaf>) -> Result<(), String> {
        match self {
            Shape::Scalar(s) | Shape::Atomic(s) => out.push(Leaf { offset: base, bytes: u32::from(s.width) }),
            Shape::Vector { .. } | Shape::Matrix { .. } | Shape::Struct(_) | Shape::Array { .. } => {
                let words = self.words(module)?;
                if words > MAX_VALUE_WORDS {
                    return Err(format!("a value of {words} words is too large to be loaded or stored at once"));
                }
                for index in 0..self.count(module).unwrap_or(0) {
                    let (element, _, byte) = self.element(module, index)?;
                    element.leaves(module, base + byte, out)?;
                }
            }
            Shape::Pointer(_) | Shape::ValuePointer { .. } => return Err("a pointer cannot be stored".into()),
        }
        Ok(())
    }
}

/// Bytes from one column of a matrix to the next.
pub fn column_stride(rows: u32, scalar: Scalar) -> u32 {
    let rows = if rows == 2 { 2 } else { 4 };
    rows * u32::from(scalar.width)
}

pub fn members(module: &Module, handle: Handle<Type>) -> &[naga::StructMember] {
    match &module.types[handle].inner {
        TypeInner::Struct { members, .. } => members,
        _ => &[],
    }
}
