//! Meshes: arrays of numbers by name, and indices. From OBJ ([`obj`]), glTF 2.0 ([`gltf`]) or the
//! scene file. All parts of a file become one mesh of triangles.
//!
//! What a file can have wrong is an error with the file's name and the place: an index without a
//! vertex, a number that is none. What a file has and nobody draws is a warning. Wrong would be to
//! believe a file; the tests damage some at random.

#[cfg(feature = "gltf")]
mod accessor;
#[cfg(feature = "gltf")]
mod assembly;
#[cfg_attr(not(feature = "gltf"), path = "mesh/no_gltf.rs")]
mod gltf;
mod normals;
mod obj;
#[cfg(feature = "gltf")]
mod placement;
mod polygon;
mod shape;

use std::path::Path;

use toml::Value;

use shape::{wrong, MOST, MOST_ELEMENTS};
pub use shape::{Array, Mesh};

use super::spec::{Joining, MeshSpec};
use crate::base::error::{bad, Input};
use crate::base::files::read;

impl Mesh {
    /// Whether normals depend on how draws put indices together.
    pub fn wants_normals(&self, spec: &MeshSpec) -> bool {
        spec.normals.is_some() && normals::lacking(self)
    }

    /// Makes the normals that it wants, from the triangles of its draws.
    pub fn smooth(&mut self, joining: Joining) {
        normals::smooth(self, joining);
    }
}

/// Reads a mesh. `resolve` finds a file that is named relative to the scene file. Smooth normals
/// are made later ([`Mesh::smooth`]).
///
/// # Errors
/// As the module documentation says.
pub fn load(name: &str, spec: &MeshSpec, resolve: &dyn Fn(&Path) -> std::path::PathBuf) -> Input<Mesh> {
    match (&spec.file, spec.attributes.is_empty()) {
        (Some(file), true) if spec.indices.is_none() => {
            let path = resolve(file);
            let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_lowercase();
            let data = read(&path, MOST)?;
            let mut mesh = match extension.as_str() {
                "obj" => obj::obj(&path, &data)?,
                "gltf" | "glb" => gltf::gltf(&path, &data)?,
                other => return wrong(&path, format!("a file of kind `{other}` is no mesh (obj, gltf, glb)")),
            };
            check(&mesh).or_else(|e| wrong(&path, e))?;
            if spec.normals.is_none() {
                normals::flat(&mut mesh);
            }
            Ok(mesh)
        }
        (None, false) => {
            let mesh = inline(name, spec)?;
            check(&mesh).or_else(|e| bad(format!("mesh `{name}`: {e}"), "correct its arrays"))?;
            Ok(mesh)
        }
        _ => bad(format!("mesh `{name}` has neither a file nor attributes, or both"), "give it one of the two"),
    }
}

/// Elements of arrays in the scene file.
///
/// # Errors
/// What is no number, in words.
pub fn array(values: &[Value]) -> Result<Array, String> {
    let number = |v: &Value| v.as_float().or(v.as_integer().map(|n| n as f64)).ok_or(format!("`{v}` is no number"));
    let mut out = Array::default();
    for (k, v) in values.iter().enumerate() {
        let element = match v {
            Value::Array(all) => all.iter().map(number).collect::<Result<Vec<_>, _>>()?,
            v => vec![number(v)?],
        };
        if !(1..=4).contains(&element.len()) || k > 0 && element.len() != out.components {
            return Err(format!("element {k} has {} numbers: all have as many, 1 to 4", element.len()));
        }
        out.components = element.len();
        out.numbers.extend(element);
    }
    Ok(out)
}

fn inline(name: &str, spec: &MeshSpec) -> Input<Mesh> {
    let mut mesh = Mesh { indices: spec.indices.clone(), ..Mesh::default() };
    for (attribute, values) in &spec.attributes {
        let array = array(values).or_else(|e| {
            bad(format!("mesh `{name}`, attribute `{attribute}`: {e}"), "write numbers or lists of them")
        })?;
        mesh.vertices = mesh.vertices.max(array.elements());
        mesh.attributes.insert(attribute.clone(), array);
    }
    Ok(mesh)
}

fn check(mesh: &Mesh) -> Result<(), String> {
    if mesh.vertices == 0 {
        return Err("it has no vertices".into());
    }
    if mesh.vertices > MOST_ELEMENTS || mesh.indices.as_ref().is_some_and(|i| i.len() > MOST_ELEMENTS) {
        return Err(format!("more than {MOST_ELEMENTS} vertices or indices"));
    }
    for (name, array) in &mesh.attributes {
        if array.elements() != mesh.vertices {
            return Err(format!("attribute `{name}` has {} elements, others have {}", array.elements(), mesh.vertices));
        }
        if let Some(k) = array.numbers.iter().position(|&n| !(n as f32).is_finite()) {
            return Err(format!(
                "attribute `{name}`, vertex {}: {:?} is no finite f32",
                k / array.components,
                array.numbers[k]
            ));
        }
    }
    // Two numbers may end strips: each draw says whether they do.
    let outside = |i: &u32| *i as usize >= mesh.vertices && ![0xFFFF, u32::MAX].contains(i);
    match mesh.indices.as_ref().and_then(|all| all.iter().position(outside).map(|k| (k, all[k]))) {
        Some((k, index)) => Err(format!("index {k} is {index}, and there are {} vertices", mesh.vertices)),
        None => Ok(()),
    }
}
