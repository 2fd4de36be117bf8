//! Wavefront OBJ, by the crate `tobj`. What the crate believes of a file is checked before.

use std::path::Path;

use super::shape::{wrong, Array, Mesh};
use crate::base::error::{bad, Input};

pub(super) fn obj(path: &Path, data: &[u8]) -> Input<Mesh> {
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
