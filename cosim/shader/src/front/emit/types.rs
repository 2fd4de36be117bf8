//! Shapes of types: how many words a value takes (packed, for SSA values and local variables) and
//! where its words lie in memory. The front ends make them of their languages' types. A number of
//! 64 bits is two words, the low one first; one of 8 or 16 bits is a word whose upper bits mean
//! nothing. Wrong would be a layout that is not the host's.

use std::collections::HashMap;

/// How the bits of a number are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NumberKind {
    Bool,
    Sint,
    Uint,
    Float,
}

/// A number, or a boolean, which takes one byte in memory or a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Scalar {
    pub kind: NumberKind,
    /// Bits in memory: 8, 16, 32 or 64.
    pub bits: u32,
}

impl Scalar {
    /// Bytes in memory.
    pub fn bytes(self) -> u32 {
        self.bits / 8
    }
    /// Words of a value.
    pub fn words(self) -> u32 {
        self.bits.div_ceil(32)
    }
}

/// A shape that is part of another one, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ty(u32);

/// A struct's members, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StructId(u32);

/// A member of a struct.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Member {
    pub shape: Shape,
    /// Byte offset in memory.
    pub offset: u32,
}

/// A type without its names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    Scalar(Scalar),
    /// `stride`: bytes from one component to the next; a row of a matrix of rows has more than a
    /// number's.
    Vector {
        size: u32,
        scalar: Scalar,
        stride: u32,
    },
    /// `stride`: bytes from one column to the next, or with `row_major` from one row.
    Matrix {
        columns: u32,
        rows: u32,
        scalar: Scalar,
        stride: u32,
        row_major: bool,
    },
    Atomic(Scalar),
    /// `count` is `None` for a run-time array.
    Array {
        base: Ty,
        count: Option<u32>,
        stride: u32,
    },
    Struct(StructId),
    /// What has no words.
    Pointer,
    /// A part that is not supported, by the number of its message: an error only where it is used.
    Unsupported(u32),
}

/// The shapes of a program that are parts of others.
#[derive(Clone, Debug, Default)]
pub struct Types {
    shapes: Vec<Shape>,
    by_shape: HashMap<Shape, Ty>,
    structs: Vec<Vec<Member>>,
    by_members: HashMap<Vec<Member>, StructId>,
    messages: Vec<String>,
}

impl Types {
    /// The number of a shape.
    pub fn intern(&mut self, shape: Shape) -> Ty {
        let shapes = &mut self.shapes;
        *self.by_shape.entry(shape).or_insert_with(|| {
            shapes.push(shape);
            Ty(shapes.len() as u32 - 1)
        })
    }
    /// The shape of a number.
    pub fn get(&self, ty: Ty) -> Shape {
        self.shapes[ty.0 as usize]
    }
    /// A struct of these members.
    pub fn structure(&mut self, members: Vec<Member>) -> Shape {
        let structs = &mut self.structs;
        let id = self.by_members.entry(members).or_insert_with_key(|members| {
            structs.push(members.clone());
            StructId(structs.len() as u32 - 1)
        });
        Shape::Struct(*id)
    }
    /// The shape of a part that is not supported.
    pub fn unsupported(&mut self, message: String) -> Shape {
        let known = self.messages.iter().position(|m| *m == message);
        let number = known.unwrap_or_else(|| {
            self.messages.push(message);
            self.messages.len() - 1
        });
        Shape::Unsupported(number as u32)
    }
    /// The members of a struct; none of another shape.
    pub fn members(&self, shape: Shape) -> &[Member] {
        match shape {
            Shape::Struct(id) => &self.structs[id.0 as usize],
            _ => &[],
        }
    }
}

/// One word of a value as it lies in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// Byte offset from the start of the value.
    pub offset: u32,
    /// 4, 2, or 1; a boolean has 1 in work-group memory of WGSL, and is nowhere host-shareable.
    pub bytes: u32,
}

/// The most words that one value may have: larger arrays must be used through pointers.
pub const MAX_VALUE_WORDS: u32 = 4096;
/// The most words of one local or private variable: every thread of the machine has its own on its
/// stack.
pub const MAX_VARIABLE_WORDS: u32 = 16384;
/// The most bytes of work-group memory: byte addresses of shared storage have 16 bits.
pub const MAX_SHARED_BYTES: u32 = 65536;

impl Shape {
    /// The scalar of a scalar, vector, matrix or atomic.
    pub fn scalar(self) -> Option<Scalar> {
        match self {
            Shape::Scalar(s) | Shape::Atomic(s) => Some(s),
            Shape::Vector { scalar, .. } | Shape::Matrix { scalar, .. } => Some(scalar),
            _ => None,
        }
    }

    pub fn is_float(self) -> bool {
        self.scalar().is_some_and(|s| s.kind == NumberKind::Float)
    }
    pub fn is_signed(self) -> bool {
        self.scalar().is_some_and(|s| s.kind == NumberKind::Sint)
    }
    pub fn is_bool(self) -> bool {
        self.scalar().is_some_and(|s| s.kind == NumberKind::Bool)
    }

    /// Words of a packed value.
    pub fn words(self, types: &Types) -> Result<u32, String> {
        let words = match self {
            Shape::Scalar(s) | Shape::Atomic(s) => s.words(),
            Shape::Vector { size, scalar, .. } => size * scalar.words(),
            Shape::Matrix { columns, rows, scalar, .. } => columns * rows * scalar.words(),
            Shape::Array { base, count: Some(count), .. } => types.get(base).words(types)?.saturating_mul(count),
            Shape::Array { count: None, .. } => return Err("a run-time array cannot be used as a value".into()),
            Shape::Struct(_) => {
                let mut sum = 0u32;
                for member in types.members(self) {
                    sum = sum.saturating_add(member.shape.words(types)?);
                }
                sum
            }
            Shape::Pointer => return Err("a pointer cannot be used as a value here".into()),
            Shape::Unsupported(number) => return Err(types.messages[number as usize].clone()),
        };
        Ok(words)
    }

    /// Element `index` of a vector, matrix, array or struct: its shape, the packed word and the
    /// byte in memory where it begins.
    pub fn element(self, types: &Types, index: u32) -> Result<(Shape, u32, u32), String> {
        let (element, words, stride) = match self {
            Shape::Vector { scalar, stride, .. } => (Shape::Scalar(scalar), scalar.words(), stride),
            Shape::Matrix { rows, scalar, stride, row_major, .. } => {
                let (across, step) = if row_major { (stride, scalar.bytes()) } else { (scalar.bytes(), stride) };
                (Shape::Vector { size: rows, scalar, stride: across }, rows * scalar.words(), step)
            }
            Shape::Array { base, stride, .. } => {
                let element = types.get(base);
                (element, element.words(types)?, stride)
            }
            Shape::Struct(_) => {
                let mut word = 0;
                for (i, member) in types.members(self).iter().enumerate() {
                    if i as u32 == index {
                        return Ok((member.shape, word, member.offset));
                    }
                    word = word.saturating_add(member.shape.words(types)?);
                }
                return Err("no such member".into());
            }
            Shape::Unsupported(number) => return Err(types.messages[number as usize].clone()),
            _ => return Err("this value has no elements".into()),
        };
        match (index.checked_mul(words), index.checked_mul(stride)) {
            (Some(word), Some(byte)) => Ok((element, word, byte)),
            _ => Err("the constant index is outside the address space".into()),
        }
    }

    /// Bytes between elements in memory.
    pub fn stride(self) -> u32 {
        match self {
            Shape::Matrix { scalar, row_major: true, .. } => scalar.bytes(),
            Shape::Vector { stride, .. } | Shape::Matrix { stride, .. } | Shape::Array { stride, .. } => stride,
            _ => 4,
        }
    }

    /// Number of elements that an index may choose from; `None` for a run-time array.
    pub fn count(self, types: &Types) -> Option<u32> {
        match self {
            Shape::Vector { size, .. } => Some(size),
            Shape::Matrix { columns, .. } => Some(columns),
            Shape::Array { count, .. } => count,
            Shape::Struct(_) => Some(types.members(self).len() as u32),
            _ => Some(1),
        }
    }

    /// Every word of the value in packed order, with its place in memory relative to `base`.
    pub fn leaves(self, types: &Types, base: u32, out: &mut Vec<Leaf>) -> Result<(), String> {
        match self {
            Shape::Scalar(s) | Shape::Atomic(s) => {
                let bytes = s.bytes().min(4);
                out.extend((0..s.words()).map(|k| Leaf { offset: base.wrapping_add(4 * k), bytes }));
            }
            Shape::Vector { .. } | Shape::Matrix { .. } | Shape::Struct(_) | Shape::Array { .. } => {
                let words = self.words(types)?;
                if words > MAX_VALUE_WORDS {
                    return Err(format!("a value of {words} words is too large to be loaded or stored at once"));
                }
                let count = self.count(types).unwrap_or(0);
                if count > MAX_VALUE_WORDS {
                    return Err(format!("a value of {count} elements is too large to be loaded or stored at once"));
                }
                for index in 0..count {
                    let (element, _, byte) = self.element(types, index)?;
                    element.leaves(types, base.wrapping_add(byte), out)?;
                }
            }
            Shape::Pointer => return Err("a pointer cannot be stored".into()),
            Shape::Unsupported(number) => return Err(types.messages[number as usize].clone()),
        }
        Ok(())
    }
}
