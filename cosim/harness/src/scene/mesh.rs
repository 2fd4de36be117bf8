//! Meshes: arrays of numbers by name, and indices. From OBJ (crate `tobj`), glTF 2.0 (crate `gltf`)
//! or the scene file. All primitives of a file become one mesh; a glTF node's transforms are
//! applied to positions and normals.
//!
//! What a file can have wrong is an error with the file's name and the place: an index without a
//! vertex, a number that is none, an attribute that some parts lack. Wrong would be to believe a
//! file; the tests damage some at random.

use std::collections::BTreeMap;
use std::path::Path;

use toml::Value;

use super::spec::MeshSpec;
use crate::base::error::{bad, Input};
use crate::base::files::read;

/// The most bytes of a mesh file.
const MOST: u64 = 1 << 28;
/// The most vertices or indices.
const MOST_ELEMENTS: usize = 1 << 24;

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
}

/// A mesh.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// By name: position, normal, uv, colour, or those of the scene file.
    pub attributes: BTreeMap<String, Array>,
    /// Vertices.
    pub vertices: usize,
    pub indices: Option<Vec<u32>>,
}

/// An error about a mesh file.
fn wrong<T>(path: &Path, what: impl std::fmt::Display) -> Input<T> {
    bad(format!("{}: {what}", path.display()), "mend the mesh, or choose another file")
}

/// Reads a mesh. `resolve` finds a file that is named relative to the scene file.
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
                "obj" => obj(&path, &data)?,
                "gltf" | "glb" => gltf(&path, &data)?,
                other => return wrong(&path, format!("a file of kind `{other}` is no mesh (obj, gltf, glb)")),
            };
            check(&mesh).or_else(|e| wrong(&path, e))?;
            smooth(&mut mesh, spec);
            Ok(mesh)
        }
        (None, false) => {
            let mut mesh = inline(name, spec)?;
            check(&mesh).or_else(|e| bad(format!("mesh `{name}`: {e}"), "correct its arrays"))?;
            smooth(&mut mesh, spec);
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

/// Gives a mesh without normals those that the scene file asks for.
fn smooth(mesh: &mut Mesh, spec: &MeshSpec) {
    let Some(positions) = mesh.attributes.get("position").filter(|p| p.components >= 3) else { return };
    if spec.normals.is_none() || mesh.attributes.contains_key("normal") {
        return;
    }
    let at = |i: usize| -> [f64; 3] { std::array::from_fn(|k| positions.numbers[i * positions.components + k]) };
    let indices: Vec<usize> = match &mesh.indices {
        Some(all) => all.iter().map(|&i| i as usize).collect(),
        None => (0..mesh.vertices).collect(),
    };
    let mut normals = vec![[0.0; 3]; mesh.vertices];
    for t in indices.chunks_exact(3) {
        let [a, b, c] = [at(t[0]), at(t[1]), at(t[2])];
        let [u, v]: [[f64; 3]; 2] = [std::array::from_fn(|k| b[k] - a[k]), std::array::from_fn(|k| c[k] - a[k])];
        let cross = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
        t.iter().for_each(|&i| (0..3).for_each(|k| normals[i][k] += cross[k]));
    }
    let numbers = normals.iter().flat_map(|n| {
        let length = n.iter().map(|x| x * x).sum::<f64>().sqrt();
        n.map(|x| if length > 0.0 { x / length } else { 0.0 })
    });
    let array = Array { components: 3, numbers: numbers.collect() };
    mesh.attributes.insert("normal".into(), array);
}

fn obj(path: &Path, data: &[u8]) -> Input<Mesh> {
    let text = std::str::from_utf8(data).or_else(|e| {
        let line = data[..e.valid_up_to()].iter().filter(|&&b| b == b'\n').count() + 1;
        at_line(path, line, "no UTF-8 text")
    })?;
    // A line that ends with a backslash goes on in the next one; the numbers of lines stay.
    let (mut joined, mut owed) = (String::with_capacity(text.len()), 0);
    for line in text.lines() {
        match line.trim_end().strip_suffix('\\') {
            Some(part) => {
                joined.push_str(part);
                joined.push(' ');
                owed += 1;
            }
            None => {
                joined.push_str(line);
                joined.extend(std::iter::repeat_n('\n', 1 + std::mem::take(&mut owed)));
            }
        }
    }
    let (text, data) = (joined.as_str(), joined.as_bytes());
    obj_lines(path, text)?;
    let options = tobj::LoadOptions { triangulate: true, single_index: true, ..tobj::LoadOptions::default() };
    let loaded = tobj::load_obj_buf(&mut &*data, &options, |_| Err(tobj::LoadError::OpenFileFailed));
    let (models, _) = loaded.or_else(|e| wrong(path, e))?;
    let mut mesh = Mesh { indices: Some(vec![]), ..Mesh::default() };
    let parts: Vec<_> = models.iter().map(|m| &m.mesh).filter(|m| !m.indices.is_empty()).collect();
    for (name, components, of) in [
        ("position", 3, (|m| &m.positions) as fn(&tobj::Mesh) -> &Vec<f32>),
        ("normal", 3, |m| &m.normals),
        ("uv", 2, |m| &m.texcoords),
    ] {
        let have = parts.iter().filter(|m| !of(m).is_empty()).count();
        if have == 0 {
            continue;
        }
        if have < parts.len() {
            return wrong(path, format!("some faces have the attribute `{name}` and some have not"));
        }
        let numbers = parts.iter().flat_map(|m| of(m)).map(|&x| f64::from(x)).collect();
        mesh.attributes.insert(name.into(), Array { components, numbers });
    }
    for part in parts {
        let base = mesh.vertices as u32;
        mesh.indices.iter_mut().for_each(|all| all.extend(part.indices.iter().map(|i| i + base)));
        mesh.vertices += part.positions.len() / 3;
    }
    Ok(mesh)
}

/// An error at a line of a mesh file, counted from 1.
fn at_line<T>(path: &Path, line: usize, what: impl std::fmt::Display) -> Input<T> {
    bad(format!("{}:{line}: {what}", path.display()), "mend the mesh, or choose another file")
}

/// What the reader of the crate takes without looking, or refuses without a line: told here.
fn obj_lines(path: &Path, text: &str) -> Input<()> {
    let count = |tag: &str| text.lines().filter(|l| l.split_whitespace().next() == Some(tag)).count() as u64;
    let all = [count("v"), count("vt"), count("vn")];
    let (mut above, mut form) = ([0; 3], None);
    for (n, line) in text.lines().enumerate() {
        let mut words = line.split_whitespace();
        let tag = words.next().unwrap_or_default();
        let words: Vec<&str> = words.collect();
        let checked = match tag {
            "v" | "vt" | "vn" => {
                above[["v", "vt", "vn"].iter().position(|t| *t == tag).unwrap_or(0)] += 1;
                coordinates(tag, &words)
            }
            "f" => face(&words, all, above, &mut form),
            "l" | "p" => Err("lines and points are not drawn, only faces".into()),
            _ => Ok(()),
        };
        checked.or_else(|what| at_line(path, n + 1, what))?;
    }
    Ok(())
}

/// The numbers of a position, a texture coordinate or a normal.
fn coordinates(tag: &str, words: &[&str]) -> Result<(), String> {
    if let Some(w) = words.iter().find(|w| !w.parse::<f32>().is_ok_and(f32::is_finite)) {
        return Err(format!("`{w}` is no number"));
    }
    match (tag, words.len()) {
        // Three of a position, and its weight or its colour.
        ("v", 3 | 6) | ("vt", 2..) | ("vn", 3..) => Ok(()),
        ("v", 4) if words[3].parse::<f32>().is_ok_and(|w| w != 0.0) => Ok(()),
        ("v", 4) => Err("a position of the weight 0".into()),
        ("v", n) => Err(format!("a position has 3, 4 or 6 numbers, not {n}")),
        (_, n) => Err(format!("`{tag}` has {} numbers or more, not {n}", if tag == "vt" { 2 } else { 3 })),
    }
}

/// The corners of a face. `all` and `above` are positions, texture coordinates and normals of the
/// file and of the lines above; `form` says which of them the corners above name.
fn face(corners: &[&str], all: [u64; 3], above: [u64; 3], form: &mut Option<[bool; 2]>) -> Result<(), String> {
    if corners.len() < 3 {
        return Err("a face of fewer than three corners".into());
    }
    for corner in corners {
        let mut has = [false; 3];
        for (k, part) in corner.split('/').enumerate() {
            let ok = match part.parse::<i64>() {
                // Below zero they count back from the line.
                Ok(i) => k < 3 && i != 0 && i.unsigned_abs() <= if i < 0 { above[k] } else { all[k] },
                Err(_) => part.is_empty() && k == 1,
            };
            if !ok {
                return Err(format!("corner `{corner}` names what there is not"));
            }
            has[k] = !part.is_empty();
        }
        let [_, uv, normal] = has;
        let [uv_above, normal_above] = *form.get_or_insert([uv, normal]);
        for (name, here, before) in [("texture coordinate", uv, uv_above), ("normal", normal, normal_above)] {
            match (here, before) {
                (true, false) => return Err(format!("corner `{corner}` has a {name}, corners above have none")),
                (false, true) => return Err(format!("corner `{corner}` has no {name}, corners above have one")),
                _ => {}
            }
        }
    }
    Ok(())
}

fn gltf(path: &Path, data: &[u8]) -> Input<Mesh> {
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
    let mut work: Vec<(gltf::Node, [[f32; 4]; 4])> = roots.into_iter().rev().map(|n| (n, IDENTITY)).collect();
    let mut seen = 0;
    while let Some((node, above)) = work.pop() {
        seen += 1;
        if seen > 100_000 {
            return wrong(path, "more than 100,000 nodes, or nodes in a circle");
        }
        let here = product(&above, &node.transform().matrix());
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

const IDENTITY: [[f32; 4]; 4] =
    [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]];

fn product(a: &[[f32; 4]; 4], b: &[[f32; 4]; 4]) -> [[f32; 4]; 4] {
    std::array::from_fn(|c| std::array::from_fn(|r| (0..4).map(|k| a[k][r] * b[c][k]).sum()))
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
    matrix: &[[f32; 4]; 4],
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
    let place = |v: [f32; 3], w: f32| -> [f64; 3] {
        std::array::from_fn(|r| {
            f64::from(matrix[0][r] * v[0] + matrix[1][r] * v[1] + matrix[2][r] * v[2] + matrix[3][r] * w)
        })
    };
    let mut names = vec!["position"];
    let mut add = |name: &'static str, components: usize, numbers: Vec<f64>| {
        let array = mesh.attributes.entry(name.into()).or_default();
        array.components = components;
        array.numbers.extend(numbers);
    };
    add("position", 3, positions.iter().flat_map(|&p| place(p, 1.0)).collect());
    if let Some(normals) = reader.read_normals() {
        names.push("normal");
        add("normal", 3, normals.flat_map(|n| place(n, 0.0)).collect());
    }
    if let Some(uv) = reader.read_tex_coords(0) {
        names.push("uv");
        add("uv", 2, uv.into_f32().flatten().map(f64::from).collect());
    }
    if let Some(colours) = reader.read_colors(0) {
        names.push("colour");
        add("colour", 4, colours.into_rgba_f32().flatten().map(f64::from).collect());
    }
    let indices: Vec<u32> = match reader.read_indices() {
        Some(indices) => indices.into_u32().collect(),
        None => (0..positions.len() as u32).collect(),
    };
    if let Some(k) = indices.iter().position(|&i| i as usize >= positions.len()) {
        return Err(format!("index {k} is {}, and there are {} vertices", indices[k], positions.len()));
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
