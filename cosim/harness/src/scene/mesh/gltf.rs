//! glTF 2.0, by the crate `gltf`. What the crate believes of a file is checked before.

use std::path::Path;

use super::placement::Placement;
use super::shape::{wrong, Mesh, MOST, MOST_ELEMENTS};
use crate::base::error::Input;
use crate::base::files::read;

pub(super) fn gltf(path: &Path, data: &[u8]) -> Input<Mesh> {
    // The crate subtracts the bytes of the header from the length that it names.
    if data.starts_with(b"glTF") && data.get(8..12).is_some_and(|n| n[0] < 12 && n[1..] == [0; 3]) {
        return wrong(path, "its header names a length that does not hold the header");
    }
    let gltf::Gltf { document, blob } = gltf::Gltf::from_slice_without_validation(data).or_else(|e| wrong(path, e))?;
    let document = document.into_json();
    // The crate's own checks believe the numbers of accessors.
    for (m, mesh) in document.meshes.iter().enumerate() {
        for (p, primitive) in mesh.primitives.iter().enumerate() {
            let mut named = primitive.attributes.values().chain(&primitive.indices).map(|a| a.value());
            if let Some(number) = named.find(|&a| a >= document.accessors.len()) {
                let known = document.accessors.len();
                return wrong(path, format!("mesh {m}, primitive {p}: accessor {number}, and there are {known}"));
            }
        }
    }
    let document = gltf::Document::from_json(document).or_else(|e| wrong(path, e))?;
    let buffers = gltf_buffers(path, &document, blob.as_deref())?;
    let mut mesh = Mesh { indices: Some(vec![]), ..Mesh::default() };
    let mut names: Option<Vec<&'static str>> = None;
    let scene = document.default_scene().or(document.scenes().next());
    // The last of the list is drawn next: so the nodes of a parent stand in it from the last on.
    let roots: Vec<gltf::Node> = scene.iter().flat_map(|s| s.nodes()).collect();
    let mut work: Vec<(gltf::Node, Placement)> = roots.into_iter().rev().map(|n| (n, Placement::default())).collect();
    let mut seen = 0;
    while let Some((node, above)) = work.pop() {
        seen += 1;
        if seen > 100_000 {
            return wrong(path, "more than 100,000 nodes, or nodes in a circle");
        }
        let here = above.child(&node.transform().matrix());
        let children: Vec<gltf::Node> = node.children().collect();
        work.extend(children.into_iter().rev().map(|n| (n, here)));
        for (m, primitive) in node.mesh().iter().flat_map(|m| m.primitives().map(move |p| (m.index(), p))) {
            let place = |what: String| format!("mesh {m}, primitive {}: {what}", primitive.index());
            let added = part(&primitive, &buffers, &here, &mut mesh).or_else(|e| wrong(path, place(e)))?;
            match &names {
                Some(known) if *known != added => {
                    let what = format!("it has the attributes {added:?}, parts before it {known:?}");
                    return wrong(path, place(what));
                }
                _ => names = Some(added),
            }
        }
    }
    Ok(mesh)
}

/// The bytes of all buffers.
fn gltf_buffers(path: &Path, document: &gltf::Document, blob: Option<&[u8]>) -> Input<Vec<Vec<u8>>> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut buffers = vec![];
    for buffer in document.buffers() {
        let bytes = match buffer.source() {
            gltf::buffer::Source::Bin => match blob {
                Some(blob) => blob.to_vec(),
                None => return wrong(path, format!("buffer {}: the file has no binary part", buffer.index())),
            },
            gltf::buffer::Source::Uri(uri) => match uri.strip_prefix("data:") {
                Some(rest) => match base64(rest.split_once(";base64,").map_or("", |(_, data)| data)) {
                    Some(bytes) => bytes,
                    None => return wrong(path, format!("buffer {}: its data URI is no base64", buffer.index())),
                },
                None if uri.contains("..") || uri.contains(':') || uri.starts_with('/') => {
                    return wrong(path, format!("buffer {}: `{uri}` is not a file beside the scene's", buffer.index()));
                }
                None => read(&folder.join(uri), MOST)?,
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

/// What an accessor of a primitive is for.
#[derive(Clone, Copy, PartialEq)]
enum Use {
    Indices,
    Attribute(&'static str),
    /// Of an attribute that is not read.
    Nothing,
}

/// Whether an accessor has the form that its use takes, and all its bytes are there. The reader of
/// the crate believes that.
fn measure(accessor: &gltf::Accessor, of: Use, buffers: &[Vec<u8>]) -> Result<(), String> {
    use gltf::accessor::DataType::{F32, U16, U32, U8};
    use gltf::accessor::Dimensions::{Scalar, Vec2, Vec3, Vec4};
    let (number, form) = (accessor.index(), (accessor.dimensions(), accessor.data_type()));
    let (name, allowed, takes) = match of {
        Use::Indices => ("indices", matches!(form, (Scalar, U8 | U16 | U32)), "a scalar of u8, u16 or u32"),
        Use::Attribute("uv") => ("uv", matches!(form, (Vec2, U8 | U16 | F32)), "a vec2 of u8, u16 or f32"),
        Use::Attribute("colour") => {
            ("colour", matches!(form, (Vec3 | Vec4, U8 | U16 | F32)), "a vec3 or vec4 of u8, u16 or f32")
        }
        Use::Attribute(name) => (name, form == (Vec3, F32), "a vec3 of f32"),
        Use::Nothing => ("", true, ""),
    };
    if !allowed {
        return Err(format!("accessor {number} of {name} is {:?} of {:?}: it has to be {takes}", form.0, form.1));
    }
    if accessor.sparse().is_some() {
        return Err(format!("accessor {number} is sparse, which is not supported"));
    }
    let Some(view) = accessor.view() else { return Err(format!("accessor {number} has no buffer view")) };
    if accessor.count() == 0 {
        return Err(format!("accessor {number} has no elements"));
    }
    let stride = view.stride().unwrap_or(accessor.size());
    if stride < accessor.size() {
        let size = accessor.size();
        return Err(format!("accessor {number} has elements of {size} bytes, {stride} bytes from each other"));
    }
    let last = (accessor.count() - 1).checked_mul(stride);
    let last = last.and_then(|n| n.checked_add(accessor.offset())).and_then(|n| n.checked_add(accessor.size()));
    let end = view.offset().checked_add(view.length());
    let fits = last.is_some_and(|last| last <= view.length())
        && end.is_some_and(|end| buffers.get(view.buffer().index()).is_some_and(|b| end <= b.len()));
    match fits && accessor.count() <= MOST_ELEMENTS {
        true => Ok(()),
        false => Err(format!("accessor {number} reaches beyond its buffer")),
    }
}

/// Measures the accessors of a primitive; its vertices.
fn measured(primitive: &gltf::Primitive, buffers: &[Vec<u8>]) -> Result<usize, String> {
    use gltf::Semantic;
    if primitive.mode() != gltf::mesh::Mode::Triangles {
        return Err(format!("the mode {:?}: only lists of triangles are drawn", primitive.mode()));
    }
    let Some(positions) = primitive.get(&Semantic::Positions) else { return Err("it has no positions".into()) };
    for (semantic, accessor) in primitive.attributes() {
        let of = match semantic {
            Semantic::Positions => Use::Attribute("position"),
            Semantic::Normals => Use::Attribute("normal"),
            Semantic::TexCoords(0) => Use::Attribute("uv"),
            Semantic::Colors(0) => Use::Attribute("colour"),
            _ => Use::Nothing,
        };
        measure(&accessor, of, buffers)?;
        if accessor.count() != positions.count() {
            let (number, count) = (accessor.index(), accessor.count());
            return Err(format!("accessor {number} has {count} elements, that of positions {}", positions.count()));
        }
    }
    if let Some(indices) = primitive.indices() {
        measure(&indices, Use::Indices, buffers)?;
    }
    let corners = primitive.indices().map_or(positions.count(), |i| i.count());
    match corners % 3 {
        0 => Ok(positions.count()),
        _ => Err(format!("{corners} corners are no list of triangles")),
    }
}

/// Adds a primitive; the names of its attributes.
fn part(
    primitive: &gltf::Primitive,
    buffers: &[Vec<u8>],
    node: &Placement,
    mesh: &mut Mesh,
) -> Result<Vec<&'static str>, String> {
    let vertices = measured(primitive, buffers)?;
    if mesh.vertices + vertices > MOST_ELEMENTS {
        return Err(format!("more than {MOST_ELEMENTS} vertices"));
    }
    let reader = primitive.reader(|b| buffers.get(b.index()).map(Vec::as_slice));
    let Some(positions) = reader.read_positions() else { return Err("it has no positions".into()) };
    let base = mesh.vertices as u32;
    let positions: Vec<[f32; 3]> = positions.collect();
    let mut names = vec!["position"];
    let mut add = |name: &'static str, components: usize, numbers: Vec<f64>| {
        let array = mesh.attributes.entry(name.into()).or_default();
        array.components = components;
        array.numbers.extend(numbers);
    };
    add("position", 3, positions.iter().flat_map(|p| node.position(p.map(f64::from))).collect());
    if let Some(normals) = reader.read_normals() {
        names.push("normal");
        add("normal", 3, normals.flat_map(|n| node.normal(n.map(f64::from))).collect());
    }
    if let Some(uv) = reader.read_tex_coords(0) {
        names.push("uv");
        add("uv", 2, uv.into_f32().flatten().map(f64::from).collect());
    }
    if let Some(colours) = reader.read_colors(0) {
        names.push("colour");
        add("colour", 4, colours.into_rgba_f32().flatten().map(f64::from).collect());
    }
    let mut indices: Vec<u32> = match reader.read_indices() {
        Some(indices) => indices.into_u32().collect(),
        None => (0..positions.len() as u32).collect(),
    };
    if let Some(k) = indices.iter().position(|&i| i as usize >= positions.len()) {
        return Err(format!("index {k} is {}, and there are {} vertices", indices[k], positions.len()));
    }
    if node.mirrors() {
        indices.chunks_exact_mut(3).for_each(|t| t.swap(1, 2));
    }
    mesh.indices.iter_mut().for_each(|all| all.extend(indices.iter().map(|i| i + base)));
    mesh.vertices += positions.len();
    Ok(names)
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
