//! glTF 2.0, by the crate `gltf`: nodes, their transforms, and the triangles of primitives.
//!
//! What the crate believes of a file is checked before ([`super::accessor`]). Materials, skins and
//! the like are not drawn, and a warning names them. It can be wrong about what a node's transform
//! does to normals and to the order of corners; the tests have exact values of glTF 2.0, section
//! 3.7.4.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use gltf::json::validation::{Error, Validate};
use gltf::mesh::Mode;
use gltf::{Primitive, Semantic};
use percent_encoding::percent_decode_str;

use super::accessor::{Source, Use};
use super::assembly::{Assembly, Part};
use super::placement::Placement;
use super::shape::{wrong, Array, Mesh, MOST, MOST_ELEMENTS};
use crate::base::error::{bad, Input};
use crate::base::files::read;

/// The extension that adds forms of accessors.
const QUANTIZATION: &str = "KHR_mesh_quantization";
/// Beginnings of the names of extensions that change nothing but materials, textures and lights.
const LOOKS: [&str; 6] =
    ["KHR_materials_", "EXT_materials_", "KHR_texture_", "EXT_texture_", "MSFT_texture_", "KHR_lights_"];

/// Reads a file.
///
/// # Errors
/// What is wrong with it, with the part.
pub(super) fn gltf(path: &Path, data: &[u8]) -> Input<Mesh> {
    let (document, blob) = document(path, data)?;
    let buffers = buffers(path, &document, blob.as_deref())?;
    let used = &document.as_json().extensions_used;
    let required = &document.as_json().extensions_required;
    let quantization = used.iter().chain(required).any(|e| e == QUANTIZATION);
    let source = Source { buffers: &buffers, quantization };
    let mut assembly = Assembly::default();
    let mut ignored = Ignored::of(&document);
    let scene = document.default_scene().or(document.scenes().next());
    // The last of the list is drawn next: so the nodes of a parent stand in it from the last on.
    let roots: Vec<gltf::Node> = scene.iter().flat_map(|s| s.nodes()).collect();
    let mut work: Vec<(gltf::Node, Placement)> = roots.into_iter().rev().map(|n| (n, Placement::default())).collect();
    let mut seen = work.len();
    while let Some((node, above)) = work.pop() {
        seen += node.children().len();
        if seen > 100_000 {
            return wrong(path, "more than 100,000 nodes, or nodes in a circle");
        }
        let here = above.child(&node.transform().matrix());
        let children: Vec<gltf::Node> = node.children().collect();
        work.extend(children.into_iter().rev().map(|n| (n, here)));
        for (m, primitive) in node.mesh().iter().flat_map(|m| m.primitives().map(move |p| (m.index(), p))) {
            let place = |what: String| format!("mesh {m}, primitive {}: {what}", primitive.index());
            let triangles = matches!(primitive.mode(), Mode::Triangles | Mode::TriangleStrip | Mode::TriangleFan);
            if !triangles {
                ignored.lines += 1;
                continue;
            }
            let part = part(&primitive, &source, &here, &mut ignored);
            part.and_then(|p| assembly.add(p)).or_else(|e| wrong(path, place(e)))?;
        }
    }
    let mut mesh = assembly.finish();
    if mesh.vertices == 0 && ignored.lines > 0 {
        return wrong(path, "it has no triangles, only lines and points");
    }
    mesh.warnings.extend(ignored.warning(path));
    Ok(mesh)
}

/// The document, of which everything names what there is.
fn document(path: &Path, data: &[u8]) -> Input<(gltf::Document, Option<Vec<u8>>)> {
    // The crate subtracts the bytes of the header from the length that it names.
    if data.starts_with(b"glTF") && data.get(8..12).is_some_and(|n| n[0] < 12 && n[1..] == [0; 3]) {
        return wrong(path, "its header names a length that does not hold the header");
    }
    let gltf::Gltf { document, blob } = gltf::Gltf::from_slice_without_validation(data).or_else(|e| wrong(path, e))?;
    let root = document.into_json();
    // Section 3.2: a file may need a newer minor version than the one that it is written for.
    let needed = root.asset.min_version.as_deref().unwrap_or(&root.asset.version);
    let (major, minor) = needed.split_once('.').unwrap_or((needed, "0"));
    if major != "2" || root.asset.min_version.is_some() && minor != "0" {
        return bad(format!("{}: it is glTF {needed}", path.display()), "convert it to glTF 2.0");
    }
    // The crate's own checks believe the numbers of accessors.
    for (m, mesh) in root.meshes.iter().enumerate() {
        for (p, primitive) in mesh.primitives.iter().enumerate() {
            let mut named = primitive.attributes.values().chain(&primitive.indices).map(|a| a.value());
            if let Some(number) = named.find(|&a| a >= root.accessors.len()) {
                let known = root.accessors.len();
                return wrong(path, format!("mesh {m}, primitive {p}: accessor {number}, and there are {known}"));
            }
        }
    }
    for name in &root.extensions_required {
        if name != QUANTIZATION && !LOOKS.iter().any(|l| name.starts_with(l)) {
            let message = format!("{}: it requires the extension {name}, which is not supported", path.display());
            return bad(message, "convert the mesh to a file without that extension");
        }
    }
    let mut found = None;
    root.validate(&root, gltf::json::Path::new, &mut |place, error| {
        // Extensions: above. An accessor without a view is full of zeros.
        let legal = match error {
            Error::Unsupported => true,
            Error::Missing => place().as_str().starts_with("accessors[") && place().as_str().ends_with(".bufferView"),
            _ => false,
        };
        if !legal && found.is_none() {
            found = Some(format!("{}: {error}", place()));
        }
    });
    match found {
        Some(what) => wrong(path, what),
        None => Ok((gltf::Document::from_json_without_validation(root), blob)),
    }
}

/// The bytes of all buffers.
fn buffers(path: &Path, document: &gltf::Document, blob: Option<&[u8]>) -> Input<Vec<Vec<u8>>> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut buffers = vec![];
    for buffer in document.buffers() {
        let bytes = match buffer.source() {
            gltf::buffer::Source::Bin => match blob {
                Some(blob) => blob.to_vec(),
                None => return wrong(path, format!("buffer {}: the file has no binary part", buffer.index())),
            },
            gltf::buffer::Source::Uri(uri) => match uri.strip_prefix("data:") {
                Some(rest) => match data_of(rest) {
                    Some(bytes) => bytes,
                    None => return wrong(path, format!("buffer {}: its data URI is no base64", buffer.index())),
                },
                None => match file_of(uri) {
                    Some(file) => read(&folder.join(file), MOST)?,
                    None => {
                        let what = format!("buffer {}: `{uri}` is not a file beside the mesh's", buffer.index());
                        return wrong(path, what);
                    }
                },
            },
        };
        if bytes.len() < buffer.length() {
            let what = format!("buffer {} has {} bytes, {} are named", buffer.index(), bytes.len(), buffer.length());
            return wrong(path, what);
        }
        buffers.push(bytes);
    }
    Ok(buffers)
}

/// The file that a relative URI names, which is in the folder of the mesh or below.
fn file_of(uri: &str) -> Option<PathBuf> {
    let name = percent_decode_str(uri).decode_utf8().ok().filter(|_| !uri.contains(':'))?;
    let file = PathBuf::from(name.into_owned());
    let inside = |part| matches!(part, Component::Normal(_) | Component::CurDir);
    (!file.as_os_str().is_empty() && file.components().all(inside)).then_some(file)
}

/// The bytes of a data URI behind `data:`.
fn data_of(rest: &str) -> Option<Vec<u8>> {
    let (_, data) = rest.split_once(";base64,")?;
    base64(&percent_decode_str(data).decode_utf8_lossy())
}

/// The triangles of a primitive in a node.
fn part(primitive: &Primitive, source: &Source, node: &Placement, ignored: &mut Ignored) -> Result<Part, String> {
    let Some(positions) = primitive.get(&Semantic::Positions) else { return Err("it has no positions".into()) };
    let vertices = positions.count();
    let mut attributes = BTreeMap::new();
    for (semantic, accessor) in primitive.attributes() {
        let (name, of): (Cow<str>, Use) = match &semantic {
            Semantic::Positions => ("position".into(), Use::Position),
            Semantic::Normals => ("normal".into(), Use::Normal),
            Semantic::TexCoords(0) => ("uv".into(), Use::Uv),
            Semantic::Colors(0) => ("colour".into(), Use::Colour),
            Semantic::Extras(name) => (format!("_{name}").into(), Use::Own),
            other => {
                ignored.attribute(other);
                continue;
            }
        };
        if accessor.count() != vertices {
            let (number, count) = (accessor.index(), accessor.count());
            return Err(format!("accessor {number} has {count} elements, that of positions {vertices}"));
        }
        let mut array = source.array(&accessor, of)?;
        match of {
            Use::Position => each(&mut array, |p| node.position(p)),
            Use::Normal => each(&mut array, |n| node.normal(n)),
            Use::Colour => array.widen(4, 1.0),
            _ => {}
        }
        attributes.insert(name.into_owned(), array);
    }
    let corners: Vec<u32> = match primitive.indices() {
        Some(accessor) => source.array(&accessor, Use::Indices)?.numbers.into_iter().map(|n| n as u32).collect(),
        None => (0..vertices as u32).collect(),
    };
    if let Some(k) = corners.iter().position(|&i| i as usize >= vertices) {
        return Err(format!("index {k} is {}, and there are {vertices} vertices", corners[k]));
    }
    let mut indices = triangles(primitive.mode(), &corners)?;
    if node.mirrors() {
        indices.chunks_exact_mut(3).for_each(|t| t.swap(1, 2));
    }
    Ok(Part { attributes, vertices, indices })
}

/// Changes each vector of three.
fn each(array: &mut Array, change: impl Fn([f64; 3]) -> [f64; 3]) {
    for v in array.numbers.chunks_exact_mut(3) {
        v.copy_from_slice(&change([v[0], v[1], v[2]]));
    }
}

/// A list of triangles, as glTF 2.0, section 3.7.2.1, makes it of each mode.
fn triangles(mode: Mode, corners: &[u32]) -> Result<Vec<u32>, String> {
    let n = corners.len();
    let (kind, whole) = match mode {
        Mode::TriangleStrip => ("strip", n > 2),
        Mode::TriangleFan => ("fan", n > 2),
        _ => ("list", n.is_multiple_of(3)),
    };
    if !whole {
        return Err(format!("{n} corners are no {kind} of triangles"));
    }
    if n > MOST_ELEMENTS {
        return Err(format!("more than {MOST_ELEMENTS} corners"));
    }
    Ok(match mode {
        Mode::TriangleStrip => (0..n - 2).flat_map(|k| [k, k + 1 + k % 2, k + 2 - k % 2]).map(|k| corners[k]).collect(),
        Mode::TriangleFan => (1..n - 1).flat_map(|k| [k, k + 1, 0]).map(|k| corners[k]).collect(),
        _ => corners.to_vec(),
    })
}

/// What a file has and nobody draws.
#[derive(Default)]
struct Ignored {
    /// In words.
    things: Vec<String>,
    /// Names of attributes.
    attributes: Vec<String>,
    /// Primitives of lines or points.
    lines: usize,
}

impl Ignored {
    fn of(document: &gltf::Document) -> Ignored {
        let root = document.as_json();
        let morphs = |p: &gltf::json::mesh::Primitive| p.targets.as_ref().is_some_and(|t| !t.is_empty());
        let has = [
            ("materials", !root.materials.is_empty()),
            ("skins", !root.skins.is_empty()),
            ("morph targets", root.meshes.iter().flat_map(|m| &m.primitives).any(morphs)),
            ("animations", !root.animations.is_empty()),
            ("cameras", !root.cameras.is_empty()),
        ];
        let mut things: Vec<String> = has.iter().filter(|h| h.1).map(|h| h.0.to_owned()).collect();
        let mut extensions: Vec<&String> = root.extensions_used.iter().chain(&root.extensions_required).collect();
        extensions.sort_unstable();
        extensions.dedup();
        extensions.retain(|e| *e != QUANTIZATION);
        things.extend(extensions.iter().map(|e| format!("the extension {e}")));
        Ignored { things, ..Ignored::default() }
    }

    fn attribute(&mut self, semantic: &Semantic) {
        let name = semantic.to_string();
        if !self.attributes.contains(&name) {
            self.attributes.push(name);
        }
    }

    /// All of it in one line.
    fn warning(mut self, path: &Path) -> Option<String> {
        self.things.extend(self.attributes.iter().map(|a| format!("the attribute {a}")));
        match self.lines {
            0 => {}
            1 => self.things.push("1 primitive of lines or points".into()),
            n => self.things.push(format!("{n} primitives of lines or points")),
        }
        (!self.things.is_empty()).then(|| format!("{}: not drawn: {}", path.display(), self.things.join(", ")))
    }
}

fn base64(text: &str) -> Option<Vec<u8>> {
    let digit = |c: u8| match c {
        b'A'..=b'Z' => Some(c - b'A'),
        b'a'..=b'z' => Some(c - b'a' + 26),
        b'0'..=b'9' => Some(c - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let digits = text.trim_end_matches('=').bytes().map(digit).collect::<Option<Vec<u8>>>()?;
    let mut out = vec![];
    for four in digits.chunks(4) {
        let word = four.iter().enumerate().fold(0u32, |w, (k, &d)| w | u32::from(d) << (18 - 6 * k));
        out.extend(&word.to_be_bytes()[1..four.len()]);
    }
    Some(out)
}
