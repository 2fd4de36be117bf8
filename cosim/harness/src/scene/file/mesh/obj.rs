//! Wavefront OBJ: positions, texture coordinates, normals, colours of vertices, and polygons.
//!
//! A statement is a line; one that ends with a backslash goes on in the next line. Names of groups,
//! objects and smoothing groups change nothing. Other statements are not drawn, and a warning names
//! them. An error names the line and the column of the word. It can be wrong about files that rely
//! on what one program alone writes; the tests have each form that is accepted.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::path::Path;

use super::polygon::{self, Triangles};
use super::shape::{absent, wrong, Array, Mesh, MOST_ELEMENTS};
use crate::base::error::{Input, InputError};

/// Stands for a texture coordinate or a normal that a corner has not.
const NONE: u32 = u32::MAX;
/// Statements that change nothing, and say nothing that could be drawn.
const NAMES: [&str; 4] = ["g", "o", "s", "mg"];

/// A file's text, for messages.
struct Text<'a> {
    path: &'a Path,
    text: &'a str,
}

impl Text<'_> {
    /// An error at a place.
    fn wrong<T>(&self, at: Range<usize>, what: impl Into<String>) -> Input<T> {
        let error = InputError::new(what).help("mend the mesh, or choose another file");
        Err(Box::new(error.at(self.path, self.text, at, "here")))
    }

    fn line(&self, at: usize) -> usize {
        self.text[..at].matches('\n').count() + 1
    }
}

/// A word and its place.
#[derive(Clone, Copy)]
struct Word<'a> {
    text: &'a str,
    at: usize,
}

impl Word<'_> {
    fn span(&self) -> Range<usize> {
        self.at..self.at + self.text.len()
    }
}

/// Reads a file.
///
/// # Errors
/// What is wrong with it, with line and column.
pub(super) fn obj(path: &Path, data: &[u8]) -> Input<Mesh> {
    // Files older than UTF-8 have names and remarks in Latin-1, whose characters are its bytes.
    let data = data.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(data);
    let text: Cow<str> = match std::str::from_utf8(data) {
        Ok(text) => text.into(),
        Err(_) => data.iter().map(|&b| char::from(b)).collect::<String>().into(),
    };
    // Lines of old programs end with a carriage return alone.
    let text = if text.contains('\n') { text } else { text.replace('\r', "\n").into() };
    let text = Text { path, text: &text };
    let mut reader = Reader::new(&text);
    statements(text.text, |words| reader.statement(words))?;
    if reader.faces.is_empty() {
        return wrong(path, "it has no faces");
    }
    Ok(reader.mesh())
}

/// Goes through the statements of a text.
fn statements<'a>(text: &'a str, mut each: impl FnMut(&[Word<'a>]) -> Input<()>) -> Input<()> {
    let mut words = vec![];
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let goes_on = split(line, at, &mut words);
        at += line.len();
        if !goes_on {
            each(&words)?;
            words.clear();
        }
    }
    each(&words)
}

/// Adds the words of a line; whether the statement goes on in the next one.
fn split<'a>(line: &'a str, at: usize, words: &mut Vec<Word<'a>>) -> bool {
    // A remark ends the statement, and a backslash in it is a part of it.
    let remark =
        line.char_indices().find(|&(k, c)| c == '#' && line[..k].chars().next_back().is_none_or(char::is_whitespace));
    let line = remark.map_or(line, |(k, _)| &line[..k]);
    let joined = line.trim_end().strip_suffix('\\').filter(|_| remark.is_none());
    let line = joined.unwrap_or(line);
    let place = |word: &str| word.as_ptr() as usize - line.as_ptr() as usize;
    words.extend(line.split_whitespace().map(|text| Word { text, at: at + place(text) }));
    joined.is_some()
}

/// What was read so far.
struct Reader<'a> {
    text: &'a Text<'a>,
    /// Positions, texture coordinates and normals of the whole file: a corner may name later ones.
    all: [u64; 3],
    positions: Vec<[f32; 3]>,
    /// Of each position, if its line has one.
    colours: Vec<Option<[f32; 3]>>,
    uvs: Vec<[f32; 2]>,
    normals: Vec<[f32; 3]>,
    /// Corners of all faces: numbers of position, texture coordinate and normal.
    corners: Vec<[u32; 3]>,
    /// Where each face begins in these, and in the text.
    faces: Vec<(usize, usize)>,
    /// Statements that are not drawn, and how many.
    ignored: BTreeMap<String, usize>,
}

impl<'a> Reader<'a> {
    fn new(text: &'a Text<'a>) -> Self {
        let mut all = [0; 3];
        // Nothing is wrong with a statement that is only counted.
        let _ = statements(text.text, |words| {
            let tag = words.first().map_or("", |w| w.text);
            all.iter_mut().zip(["v", "vt", "vn"]).for_each(|(n, t)| *n += u64::from(tag == t));
            Ok(())
        });
        Self {
            text,
            all,
            positions: vec![],
            colours: vec![],
            uvs: vec![],
            normals: vec![],
            corners: vec![],
            faces: vec![],
            ignored: BTreeMap::new(),
        }
    }

    fn statement(&mut self, words: &[Word]) -> Input<()> {
        let Some((tag, rest)) = words.split_first() else { return Ok(()) };
        match tag.text {
            "v" => self.position(*tag, rest),
            "vt" => {
                // The second one is 0 if it is left out.
                let [u] = self.numbers(*tag, rest)?;
                let v = rest.get(1).map_or(Ok(0.0), |word| self.number(word))?;
                self.uvs.push([u, v]);
                Ok(())
            }
            "vn" => {
                let normal = self.numbers(*tag, rest)?;
                self.normals.push(normal);
                Ok(())
            }
            "f" => self.face(*tag, rest),
            // Without a name it has no material.
            "usemtl" if rest.is_empty() => Ok(()),
            name if NAMES.contains(&name) => Ok(()),
            name => {
                *self.ignored.entry(name.to_owned()).or_default() += 1;
                Ok(())
            }
        }
    }

    /// A word as a finite number.
    fn number(&self, word: &Word) -> Input<f32> {
        match word.text.parse::<f32>() {
            Ok(n) if n.is_finite() => Ok(n),
            _ => self.text.wrong(word.span(), format!("`{}` is no number", word.text)),
        }
    }

    /// The first N numbers of a texture coordinate or a normal.
    fn numbers<const N: usize>(&self, tag: Word, words: &[Word]) -> Input<[f32; N]> {
        let all = words.iter().map(|w| self.number(w)).collect::<Input<Vec<f32>>>()?;
        match all.first_chunk() {
            Some(first) => Ok(*first),
            None => {
                let numbers = if N == 1 { "number" } else { "numbers" };
                let what = format!("`{}` has {N} {numbers} or more, not {}", tag.text, all.len());
                self.text.wrong(tag.span(), what)
            }
        }
    }

    fn position(&mut self, tag: Word, words: &[Word]) -> Input<()> {
        let all = words.iter().map(|w| self.number(w)).collect::<Input<Vec<f32>>>()?;
        let (place, colour) = match all[..] {
            [x, y, z] => ([x, y, z], None),
            [_, _, _, 0.0] => return self.text.wrong(words[3].span(), "a position of the weight 0"),
            [x, y, z, w] => ([x / w, y / w, z / w], None),
            // Some programs write an alpha, too.
            [x, y, z, r, g, b] | [x, y, z, r, g, b, _] => ([x, y, z], Some([r, g, b])),
            _ => {
                let what = format!("a position has 3, 4, 6 or 7 numbers, not {}", all.len());
                return self.text.wrong(tag.span(), what);
            }
        };
        self.positions.push(place);
        self.colours.push(colour);
        Ok(())
    }

    /// A polygon. Its corners have all the same parts: OBJ allows no other ones in one face.
    fn face(&mut self, tag: Word, words: &[Word]) -> Input<()> {
        if words.len() < 3 {
            return self.text.wrong(tag.span(), "a face of fewer than three corners");
        }
        if self.corners.len() > MOST_ELEMENTS {
            return self.text.wrong(tag.span(), format!("more than {MOST_ELEMENTS} corners"));
        }
        self.faces.push((self.corners.len(), tag.at));
        let mut form = None;
        for word in words {
            let corner = self.corner(word)?;
            let [_, uv, normal] = corner.map(|n| n != NONE);
            let [uv_above, normal_above] = *form.get_or_insert([uv, normal]);
            for (name, here, above) in [("texture coordinate", uv, uv_above), ("normal", normal, normal_above)] {
                let what = match (here, above) {
                    (true, false) => format!("corner `{}` has a {name}, others of its face have none", word.text),
                    (false, true) => format!("corner `{}` has no {name}, others of its face have one", word.text),
                    _ => continue,
                };
                return self.text.wrong(word.span(), what);
            }
            self.corners.push(corner);
        }
        Ok(())
    }

    /// Numbers of what a corner names, from 0.
    fn corner(&self, word: &Word) -> Input<[u32; 3]> {
        let above = [self.positions.len(), self.uvs.len(), self.normals.len()];
        let mut corner = [NONE; 3];
        for (k, part) in word.text.split('/').enumerate() {
            let index = match part.parse::<i64>() {
                // Below zero they count back from the line.
                Ok(i) if k < 3 && i < 0 && i.unsigned_abs() <= above[k] as u64 => above[k] as i64 + i,
                Ok(i) if k < 3 && i > 0 && i.unsigned_abs() <= self.all[k] => i - 1,
                Err(_) if part.is_empty() && (k == 1 || k == 2) => continue,
                _ => return self.text.wrong(word.span(), format!("corner `{}` names what there is not", word.text)),
            };
            corner[k] = index as u32;
        }
        Ok(corner)
    }

    /// The mesh: a vertex for each combination that a corner names, in order of their first corner.
    fn mesh(self) -> Mesh {
        let mut numbers: HashMap<[u32; 3], u32> = HashMap::new();
        let mut vertices: Vec<[u32; 3]> = vec![];
        let mut of = |corner: &[u32; 3]| {
            *numbers.entry(*corner).or_insert_with(|| {
                vertices.push(*corner);
                vertices.len() as u32 - 1
            })
        };
        let mut indices = vec![];
        let mut crossing = vec![];
        let ends = self.faces.iter().skip(1).map(|f| f.0).chain([self.corners.len()]);
        for (&(first, at), end) in self.faces.iter().zip(ends) {
            let face = &self.corners[first..end];
            let named: Vec<u32> = face.iter().map(&mut of).collect();
            let polygon: Vec<[f64; 3]> = face.iter().map(|c| self.positions[c[0] as usize].map(f64::from)).collect();
            let Triangles { corners, whole } = polygon::triangles(&polygon);
            indices.extend(corners.iter().flatten().map(|&k| named[k as usize]));
            crossing.extend((!whole).then_some(at));
        }
        let mut mesh = Mesh { vertices: vertices.len(), indices: Some(indices), ..Mesh::default() };
        self.attributes(&vertices, &mut mesh);
        mesh.warnings.extend(self.warnings(&crossing));
        mesh
    }

    /// The arrays. What some faces or positions have and others have not is filled in.
    fn attributes(&self, vertices: &[[u32; 3]], mesh: &mut Mesh) {
        let array =
            |components, numbers: Vec<f32>| Array { components, numbers: numbers.into_iter().map(f64::from).collect() };
        let mut add = |name: &str, array| mesh.attributes.insert(name.to_owned(), array);
        let positions = vertices.iter().flat_map(|v| self.positions[v[0] as usize]).collect();
        add("position", array(3, positions));
        if vertices.iter().any(|v| v[1] != NONE) {
            let fill = [absent("uv") as f32; 2];
            let uvs = vertices.iter().flat_map(|v| *self.uvs.get(v[1] as usize).unwrap_or(&fill)).collect();
            add("uv", array(2, uvs));
        }
        if vertices.iter().any(|v| v[2] != NONE) {
            let fill = [absent("normal") as f32; 3];
            let normals = vertices.iter().flat_map(|v| *self.normals.get(v[2] as usize).unwrap_or(&fill)).collect();
            add("normal", array(3, normals));
            if vertices.iter().any(|v| v[2] == NONE) {
                mesh.bare = vertices.iter().map(|v| v[2] == NONE).collect();
            }
        }
        if vertices.iter().any(|v| self.colours[v[0] as usize].is_some()) {
            let fill = [absent("colour") as f32; 3];
            let colours = vertices.iter().flat_map(|v| self.colours[v[0] as usize].unwrap_or(fill)).collect();
            add("colour", array(3, colours));
        }
    }

    /// What is not drawn, and polygons that are no plain ones; each in one line.
    fn warnings(&self, crossing: &[usize]) -> Vec<String> {
        let path = self.text.path.display();
        let mut out = vec![];
        let name = |name: &str| name.chars().take(20).collect::<String>().escape_debug().to_string();
        let mut things: Vec<String> = self.ignored.iter().map(|(n, count)| format!("{count} `{}`", name(n))).collect();
        if things.len() > 8 {
            let more = things.len() - 8;
            things.truncate(8);
            things.push(format!("and {more} others"));
        }
        if !things.is_empty() {
            out.push(format!("{path}: statements that are not drawn: {}", things.join(", ")));
        }
        if let Some(&first) = crossing.first() {
            let (n, line) = (crossing.len(), self.text.line(first));
            let what = "polygons cross themselves, and may not be covered as they were meant";
            out.push(format!("{path}: {n} {what}; the first is in line {line}"));
        }
        out
    }
}
