//! What a mesh is, for all who read or change one.

use std::collections::BTreeMap;
use std::path::Path;

use crate::base::error::{bad, Input};

/// The most bytes of a mesh file.
pub(super) const MOST: u64 = 1 << 28;
/// The most vertices or indices.
pub(super) const MOST_ELEMENTS: usize = 1 << 24;

/// An array: components of an element, and the numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Array {
    /// 1 to 4.
    pub components: usize,
    pub numbers: Vec<f64>,
}

impl Array {
    /// How many.
    pub fn elements(&self) -> usize {
        self.numbers.len() / self.components.max(1)
    }

    /// Gives each element more components, with `fill` in them.
    #[cfg(feature = "gltf")]
    pub(super) fn widen(&mut self, components: usize, fill: f64) {
        if components <= self.components {
            return;
        }
        let elements = self.numbers.chunks(self.components.max(1));
        let wide = elements.flat_map(|e| e.iter().copied().chain(std::iter::repeat(fill)).take(components));
        (self.numbers, self.components) = (wide.collect(), components);
    }
}

/// A mesh.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// By name: position, normal, uv, colour, or those of the scene file.
    pub attributes: BTreeMap<String, Array>,
    /// Vertices.
    pub vertices: usize,
    pub indices: Option<Vec<u32>>,
    /// What its file has and nobody draws.
    pub warnings: Vec<String>,
    /// Of each vertex whether it has no normal, while others have one; empty if none is so.
    pub(super) bare: Vec<bool>,
}

/// What stands for an attribute that a part of a file has not, and others have.
pub(super) fn absent(name: &str) -> f64 {
    if name == "colour" {
        1.0
    } else {
        0.0
    }
}

/// An error about a mesh file.
pub(super) fn wrong<T>(path: &Path, what: impl std::fmt::Display) -> Input<T> {
    bad(format!("{}: {what}", path.display()), "mend the mesh, or choose another file")
}
