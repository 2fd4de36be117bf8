//! A mesh that is put together from parts with different attributes.
//!
//! A part without an attribute that others have gets what glTF says of its absence: colours are
//! white, other numbers are 0. Its normals are made later ([`super::normals`]), so it is kept which
//! vertices have none. Wrong would be an array that is shorter than the vertices.

use std::collections::BTreeMap;

use super::shape::{absent, Array, Mesh, MOST_ELEMENTS};

/// Vertices with attributes of their own, and their triangles.
#[derive(Debug, Default)]
pub(super) struct Part {
    pub attributes: BTreeMap<String, Array>,
    pub vertices: usize,
    pub indices: Vec<u32>,
}

/// Parts so far.
#[derive(Debug, Default)]
pub(super) struct Assembly {
    mesh: Mesh,
    indices: Vec<u32>,
    /// Of each vertex whether its part has normals.
    normals: Vec<bool>,
}

impl Assembly {
    /// Adds a part behind the others.
    ///
    /// # Errors
    /// It makes the mesh too large.
    pub fn add(&mut self, part: Part) -> Result<(), String> {
        let (before, all) = (self.mesh.vertices, self.mesh.vertices + part.vertices);
        if all > MOST_ELEMENTS || self.indices.len() + part.indices.len() > MOST_ELEMENTS {
            return Err(format!("more than {MOST_ELEMENTS} vertices or indices"));
        }
        self.normals.resize(all, part.attributes.contains_key("normal"));
        for (name, mut array) in part.attributes {
            let fill = absent(&name);
            let known = self.mesh.attributes.entry(name).or_insert_with(|| Array {
                components: array.components,
                numbers: vec![fill; before * array.components],
            });
            let components = known.components.max(array.components);
            known.widen(components, fill);
            array.widen(components, fill);
            known.numbers.extend(array.numbers);
        }
        for (name, array) in &mut self.mesh.attributes {
            array.numbers.resize(all * array.components, absent(name));
        }
        self.indices.extend(part.indices.iter().map(|i| i + before as u32));
        self.mesh.vertices = all;
        Ok(())
    }

    pub fn finish(self) -> Mesh {
        let some = self.normals.contains(&true) && self.normals.contains(&false);
        let bare = if some { self.normals.into_iter().map(|has| !has).collect() } else { vec![] };
        Mesh { indices: Some(self.indices), bare, ..self.mesh }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(attributes: &[(&str, usize, &[f64])], vertices: usize) -> Part {
        let array = |&(name, components, numbers): &(&str, usize, &[f64])| {
            (name.to_owned(), Array { components, numbers: numbers.to_vec() })
        };
        Part {
            attributes: attributes.iter().map(array).collect(),
            vertices,
            indices: (0..vertices as u32).rev().collect(),
        }
    }

    #[test]
    fn what_a_part_has_not_is_filled_in_before_and_behind() {
        let mut all = Assembly::default();
        all.add(part(&[("position", 1, &[1.0, 2.0])], 2)).unwrap();
        all.add(part(
            &[("position", 1, &[3.0]), ("colour", 2, &[0.25, 0.5]), ("normal", 1, &[7.0]), ("_ID", 1, &[9.0])],
            1,
        ))
        .unwrap();
        all.add(part(&[("position", 1, &[4.0]), ("_ID", 2, &[5.0, 6.0])], 1)).unwrap();
        let mesh = all.finish();
        assert_eq!((mesh.vertices, mesh.indices), (4, Some(vec![1, 0, 2, 3])));
        let numbers = |name: &str| mesh.attributes[name].numbers.as_slice();
        assert_eq!(numbers("position"), [1.0, 2.0, 3.0, 4.0]);
        assert_eq!(numbers("colour"), [1.0, 1.0, 1.0, 1.0, 0.25, 0.5, 1.0, 1.0]);
        assert_eq!(numbers("_ID"), [0.0, 0.0, 0.0, 0.0, 9.0, 0.0, 5.0, 6.0]);
        assert_eq!(numbers("normal"), [0.0, 0.0, 7.0, 0.0]);
        assert_eq!(mesh.bare, [true, true, false, true]);
    }

    #[test]
    fn nothing_is_bare_where_all_or_none_have_normals() {
        for names in [&["normal", "normal"][..], &["uv", "position"]] {
            let mut all = Assembly::default();
            names.iter().for_each(|name| all.add(part(&[(name, 1, &[1.0])], 1)).unwrap());
            assert!(all.finish().bare.is_empty());
        }
    }
}
