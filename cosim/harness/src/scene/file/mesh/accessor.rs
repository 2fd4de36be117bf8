//! Numbers of glTF accessors: which forms each use may have, and whether all bytes are there.
//!
//! The crate reads strides, types and sparse accessors, and believes what they say of themselves.
//! So each is measured before. Wrong would be a form that is taken for another one: `normalized`
//! decides whether an integer stands for itself or for a part of its range.

use gltf::accessor::sparse::{IndexType, Sparse};
use gltf::accessor::{DataType, Dimensions, Item, Iter};
use gltf::{buffer::View, Accessor};

use super::shape::{Array, MOST_ELEMENTS};

/// What an accessor of a primitive is for.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Use {
    Indices,
    Position,
    Normal,
    Uv,
    Colour,
    /// An attribute whose name begins with `_`, of any form but matrices.
    Own,
}

impl Use {
    fn name(self) -> &'static str {
        match self {
            Use::Indices => "indices",
            Use::Position => "position",
            Use::Normal => "normal",
            Use::Uv => "uv",
            Use::Colour => "colour",
            Use::Own => "its own attribute",
        }
    }

    /// The forms of glTF 2.0, section 3.7.2.1, in words.
    fn takes(self) -> &'static str {
        match self {
            Use::Indices => "a scalar of u8, u16 or u32",
            Use::Position | Use::Normal => "a vec3 of f32",
            Use::Uv => "a vec2 of f32, or of normalized u8 or u16",
            Use::Colour => "a vec3 or vec4 of f32, or of normalized u8 or u16",
            Use::Own => "a scalar or a vector",
        }
    }

    /// Whether it takes a form, by glTF 2.0 alone.
    fn plain(self, shape: Dimensions, kind: DataType, normalized: bool) -> bool {
        use DataType::{F32, U16, U32, U8};
        use Dimensions::{Scalar, Vec2, Vec3, Vec4};
        let number = kind == F32 || matches!(kind, U8 | U16) && normalized;
        match self {
            Use::Indices => shape == Scalar && matches!(kind, U8 | U16 | U32) && !normalized,
            Use::Position | Use::Normal => shape == Vec3 && kind == F32,
            Use::Uv => shape == Vec2 && number,
            Use::Colour => matches!(shape, Vec3 | Vec4) && number,
            Use::Own => matches!(shape, Scalar | Vec2 | Vec3 | Vec4),
        }
    }

    /// Whether `KHR_mesh_quantization` adds that form.
    fn quantized(self, shape: Dimensions, kind: DataType, normalized: bool) -> bool {
        use DataType::{I16, I8, U16, U8};
        use Dimensions::{Vec2, Vec3};
        match self {
            Use::Position => shape == Vec3 && matches!(kind, I8 | U8 | I16 | U16),
            Use::Normal => shape == Vec3 && matches!(kind, I8 | I16) && normalized,
            Use::Uv => shape == Vec2 && matches!(kind, I8 | U8 | I16 | U16),
            _ => false,
        }
    }
}

/// The binary data of a file, and what its extensions allow.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub buffers: &'a [Vec<u8>],
    /// The file names `KHR_mesh_quantization`.
    pub quantization: bool,
}

impl Source<'_> {
    /// The numbers of an accessor; normalized integers as parts of 1.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub fn array(&self, accessor: &Accessor, of: Use) -> Result<Array, String> {
        self.measure(accessor, of)?;
        let components = accessor.dimensions().multiplicity();
        let Some(mut numbers) = self.numbers(accessor) else {
            return Err(format!("accessor {} reaches beyond its buffer", accessor.index()));
        };
        if let Some(most) = most(accessor.data_type()).filter(|_| accessor.normalized()) {
            // The least of a signed type stands for -1 as the one above it does.
            numbers.iter_mut().for_each(|n| *n = (*n / most).max(-1.0));
        }
        Ok(Array { components, numbers })
    }

    fn numbers(&self, accessor: &Accessor) -> Option<Vec<f64>> {
        if accessor.view().is_none() && accessor.sparse().is_none() {
            return Some(vec![0.0; accessor.count() * accessor.dimensions().multiplicity()]);
        }
        match accessor.data_type() {
            DataType::I8 => self.of_type::<i8>(accessor),
            DataType::U8 => self.of_type::<u8>(accessor),
            DataType::I16 => self.of_type::<i16>(accessor),
            DataType::U16 => self.of_type::<u16>(accessor),
            DataType::U32 => self.of_type::<u32>(accessor),
            DataType::F32 => self.of_type::<f32>(accessor),
        }
    }

    fn of_type<T: Item + Copy + Into<f64>>(&self, accessor: &Accessor) -> Option<Vec<f64>> {
        match accessor.dimensions() {
            Dimensions::Scalar => Some(self.items::<T>(accessor)?.map(Into::into).collect()),
            Dimensions::Vec2 => Some(self.items::<[T; 2]>(accessor)?.flatten().map(Into::into).collect()),
            Dimensions::Vec3 => Some(self.items::<[T; 3]>(accessor)?.flatten().map(Into::into).collect()),
            Dimensions::Vec4 => Some(self.items::<[T; 4]>(accessor)?.flatten().map(Into::into).collect()),
            _ => None,
        }
    }

    fn items<T: Item>(&self, accessor: &Accessor) -> Option<Iter<'_, T>> {
        Iter::new(accessor.clone(), |b: gltf::Buffer| self.buffers.get(b.index()).map(Vec::as_slice))
    }

    /// Whether an accessor has a form that its use takes, and all its bytes are there.
    fn measure(&self, accessor: &Accessor, of: Use) -> Result<(), String> {
        let number = accessor.index();
        let (shape, kind, normalized) = (accessor.dimensions(), accessor.data_type(), accessor.normalized());
        if !of.plain(shape, kind, normalized) {
            let form = format!("{shape:?} of {}{kind:?}", if normalized { "normalized " } else { "" });
            if !of.quantized(shape, kind, normalized) {
                return Err(format!("accessor {number} of {} is {form}: it has to be {}", of.name(), of.takes()));
            }
            if !self.quantization {
                let need = "extensionsRequired has to name KHR_mesh_quantization";
                return Err(format!("accessor {number} of {} is {form}: {need}", of.name()));
            }
        }
        let (count, size) = (accessor.count(), accessor.size());
        if count == 0 {
            return Err(format!("accessor {number} has no elements"));
        }
        if count > MOST_ELEMENTS {
            return Err(format!("accessor {number} reaches beyond its buffer, or has over {MOST_ELEMENTS} elements"));
        }
        if let Some(view) = accessor.view() {
            self.inside(&view, accessor.offset(), size, count).map_err(|e| format!("accessor {number} {e}"))?;
        }
        match accessor.sparse() {
            Some(sparse) => self.measure_sparse(&sparse, size, count).map_err(|e| format!("accessor {number} {e}")),
            None => Ok(()),
        }
    }

    /// Whether so many elements of so many bytes are in a view, from an offset on.
    fn inside(&self, view: &View, offset: usize, size: usize, count: usize) -> Result<(), String> {
        let stride = view.stride().unwrap_or(size);
        if stride < size {
            return Err(format!("has elements of {size} bytes, {stride} bytes from each other"));
        }
        let last = (count - 1).checked_mul(stride);
        let last = last.and_then(|n| n.checked_add(offset)).and_then(|n| n.checked_add(size));
        let end = view.offset().checked_add(view.length());
        let there = |end: usize| self.buffers.get(view.buffer().index()).is_some_and(|b| end <= b.len());
        match last.is_some_and(|last| last <= view.length()) && end.is_some_and(there) {
            true => Ok(()),
            false => Err("reaches beyond its buffer".into()),
        }
    }

    /// The crate stops at an index that does not increase, and leaves out the values behind it.
    fn measure_sparse(&self, sparse: &Sparse, size: usize, of: usize) -> Result<(), String> {
        let (indices, values, count) = (sparse.indices(), sparse.values(), sparse.count());
        if count == 0 || count > of {
            return Err(format!("is sparse with {count} of {of} elements"));
        }
        let each = match indices.index_type() {
            IndexType::U8 => 1,
            IndexType::U16 => 2,
            IndexType::U32 => 4,
        };
        self.inside(&indices.view(), indices.offset(), each, count).map_err(|e| format!("is sparse; its list {e}"))?;
        self.inside(&values.view(), values.offset(), size, count)
            .map_err(|e| format!("is sparse; its list of values {e}"))?;
        let view = indices.view();
        let stride = view.stride().unwrap_or(each);
        let bytes = &self.buffers[view.buffer().index()][view.offset() + indices.offset()..];
        let mut above = None;
        for k in 0..count {
            let index = bytes[k * stride..][..each].iter().rev().fold(0usize, |n, &b| n << 8 | usize::from(b));
            if index >= of || above.is_some_and(|above| index <= above) {
                return Err(format!("is sparse; index {k} of its list is {index}: they increase, up to {}", of - 1));
            }
            above = Some(index);
        }
        Ok(())
    }
}

/// The number of an integer type that stands for 1 if it is normalized.
fn most(kind: DataType) -> Option<f64> {
    match kind {
        DataType::I8 => Some(127.0),
        DataType::U8 => Some(255.0),
        DataType::I16 => Some(32_767.0),
        DataType::U16 => Some(65_535.0),
        DataType::U32 => Some(4_294_967_295.0),
        DataType::F32 => None,
    }
}
