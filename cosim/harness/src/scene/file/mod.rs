//! A scene file as it is read: what is drawn, with which meshes, programs and state, and what must
//! come out (docs/scenes.md). Nothing here knows the machine or a picture.
//!
//! [`spec`] is the file, [`changed`] what of it is changed for a run, [`values`] numbers and
//! matrices, [`mesh`] meshes, [`constants`] what programs leave open, [`shown`] names of pictures,
//! [`keys`] the names that a file's claims may use. Failure modes: a key that is accepted and means
//! nothing; so unknown keys are errors.

pub(crate) mod changed;
pub(super) mod constants;
pub mod keys;
pub mod mesh;
pub mod shown;
pub(super) mod spec;
pub(super) mod values;

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use quadlock_shader::front::constants::Given;

use crate::base::error::{Input, InputError};
use crate::base::files::read_text;
use crate::job::claims::Claimant;
use changed::Changes;
use mesh::Mesh;
use spec::Joining;
pub use spec::SceneSpec;

/// A scene file that was read.
#[derive(Clone, Debug)]
pub struct Scene {
    pub path: PathBuf,
    pub spec: SceneSpec,
    /// The file's text.
    pub(super) text: String,
    /// What of it is otherwise.
    changes: Changes,
    pub(super) meshes: BTreeMap<String, Mesh>,
    /// Values of `--constant`.
    pub(super) given: Vec<Given>,
}

/// Whether a file is a scene: it says what is drawn, or what to.
pub fn is_scene(text: &str) -> bool {
    // A text that is no TOML is what it looks like, so that its error is told of the right file.
    let looks =
        || text.lines().any(|l| ["[target]", "[[draw]]", "[[pass]]"].iter().any(|t| l.trim_start().starts_with(t)));
    toml::from_str::<toml::Table>(text)
        .map_or_else(|_| looks(), |t| ["target", "draw", "pass"].iter().any(|k| t.contains_key(*k)))
}

impl Scene {
    /// Reads a scene, with the keys of `[small]` if it is asked for and then `sets` (`KEY=VALUE`, a
    /// path of keys) changed, and its meshes.
    ///
    /// # Errors
    /// What cannot be used, with its place.
    pub fn read(path: &Path, small: bool, sets: &[String]) -> Input<Scene> {
        let text = read_text(path)?;
        let (spec, changes) = changed::read(path, &text, small, sets)?;
        let mut scene = Scene { path: path.to_owned(), spec, text, changes, meshes: BTreeMap::new(), given: vec![] };
        scene.check()?;
        for (name, mesh) in &scene.spec.mesh {
            let loaded = mesh::load(name, mesh.get_ref(), &|p| scene.resolve(p)).map_err(|e| {
                if e.location().is_some() {
                    e
                } else {
                    scene.place(mesh.span(), *e)
                }
            })?;
            scene.meshes.insert(name.clone(), loaded);
        }
        scene.make_normals()?;
        scene.check_sizes()?;
        Ok(scene)
    }

    /// Makes smooth normals. A mesh's draws say which triangles it has, so all of them have to put
    /// its indices together in the same way.
    fn make_normals(&mut self) -> Input<()> {
        let mut all: BTreeMap<&str, (usize, Joining)> = BTreeMap::new();
        for (n, draw) in self.spec.draws().enumerate() {
            let d = draw.get_ref();
            let name = d.mesh.get_ref().as_str();
            // Of other bytes the draw's own commands tell.
            let joining = d.joining(self.spec.mesh[name].get_ref(), self.meshes[name].indices.as_deref());
            let here = joining.unwrap_or(Joining { topology: d.state.topology, restart: None });
            let wants = self.meshes[name].wants_normals(self.spec.mesh[name].get_ref());
            let &mut (first, known) = all.entry(name).or_insert((n, here));
            if wants && known != here {
                let message = format!(
                    "mesh `{name}` has smooth normals, draw {first} takes it as {}, draw {n} as {}",
                    known.words(),
                    here.words()
                );
                let help = "give each of these draws a mesh of its own, or draw both in the same way";
                return Err(self.error(d.mesh.span(), message, help));
            }
        }
        for (name, mesh) in &mut self.meshes {
            if mesh.wants_normals(self.spec.mesh[name].get_ref()) {
                mesh.smooth(all.get(name.as_str()).map_or(Joining::LIST, |a| a.1));
            }
        }
        Ok(())
    }

    /// What files of meshes have and nobody draws, each once.
    pub(super) fn mesh_warnings(&self) -> Vec<String> {
        let mut all: Vec<String> = vec![];
        for warning in self.meshes.values().flat_map(|m| &m.warnings) {
            if !all.contains(warning) {
                all.push(warning.clone());
            }
        }
        all
    }

    /// No draw takes so long that it seems to have no end.
    fn check_sizes(&self) -> Input<()> {
        for draw in self.spec.draws() {
            let d = draw.get_ref();
            let mesh = &self.meshes[d.mesh.get_ref()];
            let all = mesh.indices.as_ref().map_or(mesh.vertices, Vec::len) as u64;
            if d.count.map_or(all, u64::from).max(1) * u64::from(d.instances) > MOST_VERTICES {
                let message = format!("{} instances: more than {MOST_VERTICES} vertices in a draw", d.instances);
                return Err(self.error(d.mesh.span(), message, "draw fewer instances"));
            }
        }
        Ok(())
    }

    /// A file that is named relative to the scene file.
    pub fn resolve(&self, path: &Path) -> PathBuf {
        self.path.parent().unwrap_or(Path::new(".")).join(path)
    }

    /// Width by height.
    pub(super) fn aspect(&self) -> f64 {
        f64::from(self.spec.target.width) / f64::from(self.spec.target.height)
    }

    pub(super) fn place(&self, span: Range<usize>, error: InputError) -> Box<InputError> {
        changed::place(&self.path, &self.text, &self.changes, span, error)
    }

    /// Where a table, or the file before its first one, gives a key; its head if it does not. What
    /// has changed the key goes before the file.
    pub(super) fn key(&self, table: &str, key: &str) -> Range<usize> {
        let path = format!("{}.{key}", table.trim_matches(['[', ']']));
        if let Some(changed) = self.changes.of(path.trim_start_matches('.')) {
            return changed;
        }
        let text = &self.text;
        let (mut at, mut inside, mut head) = (0, table.is_empty(), 0..0);
        for line in text.split_inclusive('\n') {
            let (start, word) = (at, line.trim());
            at += line.len();
            if word.starts_with('[') {
                inside = word == table;
                if inside {
                    head = start..start + word.len();
                }
            } else if inside && word.split(['=', ' ', '\t']).next() == Some(key) {
                return start..start + line.trim_end().len();
            }
        }
        head
    }

    /// The line on which the table that stands at `span`, or one below it, gives a key; `span` if
    /// none does.
    pub(super) fn key_of(&self, span: Range<usize>, key: &str) -> Range<usize> {
        if let Some(changed) = self.changes.below(&span, key) {
            return changed;
        }
        let text = &self.text;
        let Some(rest) = text.get(span.start..) else { return span };
        let mut at = span.start;
        let name = |line: &str| line.trim().trim_matches(['[', ']']).to_owned();
        let below = rest.lines().next().map(|head| name(head) + ".").unwrap_or_default();
        for (n, line) in rest.split_inclusive('\n').enumerate() {
            let start = at;
            at += line.len();
            if n > 0 && line.starts_with('[') && !name(line).starts_with(&below) {
                break;
            }
            let gives = |(place, _): &(usize, &str)| {
                let word = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
                let before = line[..*place].chars().next_back();
                !before.is_some_and(word) && line[place + key.len()..].trim_start().starts_with('=')
            };
            if let Some((place, _)) = line.match_indices(key).find(gives) {
                return start + place..start + line.trim_end().len();
            }
        }
        span
    }

    /// An error at a place of the file.
    pub(crate) fn error(
        &self,
        span: Range<usize>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Box<InputError> {
        self.place(span, InputError::new(message).help(help))
    }

    fn check_claims(&self) -> Input<()> {
        let Some(claims) = &self.spec.claims else { return Ok(()) };
        let error = |span: Range<usize>, what: String, help: String| self.error(span, what, help);
        let (small, table) = (!self.spec.small.is_empty(), claims.span());
        Claimant { small, is_figure: &keys::is_figure, error: &error, table }.check(claims.get_ref())
    }

    fn check(&self) -> Input<()> {
        let t = &self.spec.target;
        let odd = |c: char| c.is_control() || matches!(c, '/' | '\\');
        let name = &self.spec.name;
        if name.is_empty() || name.contains(odd) || name.starts_with('.') {
            let help = "outputs go to out/NAME: use letters, digits and -";
            return Err(self.error(self.key("", "name"), format!("`{name}` is no usable name of a scene"), help));
        }
        let fail = |key: &str, message: String, help: &str| Err(self.error(self.key("[target]", key), message, help));
        if !(1..=4096).contains(&t.width) || !(1..=4096).contains(&t.height) {
            return fail("width", format!("a target of {} x {} pixels", t.width, t.height), "both are 1 to 4096");
        }
        if ![1, 2, 4].contains(&t.samples) {
            return fail("samples", format!("{} samples", t.samples), "samples is 1, 2 or 4");
        }
        if t.formats.len() > 4 || t.formats.is_empty() && t.depth != Some(true) {
            return fail(
                "formats",
                format!("{} colour targets", t.formats.len()),
                "at most 4, and at least one or depth = true",
            );
        }
        if t.clear.len() > t.formats.len() {
            return fail("clear", "more clear colours than targets".into(), "remove some");
        }
        let finite = |c: &[f64; 4]| c.iter().all(|&n| (n as f32).is_finite());
        if !t.clear.iter().all(finite) {
            return fail("clear", "a clear colour with a number that is no finite f32".into(), "write finite numbers");
        }
        for pass in &self.spec.pass {
            if !pass.get_ref().clear.iter().all(finite) {
                let message = "a clear colour with a number that is no finite f32";
                return Err(self.error(self.key_of(pass.span(), "clear"), message, "write finite numbers"));
            }
        }
        for mesh in self.spec.mesh.values() {
            if let Some(bytes) = mesh.get_ref().index_bytes.filter(|n| ![2, 4].contains(n)) {
                let message = format!("indices of {bytes} bytes");
                return Err(self.error(self.key_of(mesh.span(), "index-bytes"), message, "index-bytes is 2 or 4"));
            }
        }
        if !(0.0..=1.0).contains(&t.clear_depth) {
            return fail("clear-depth", format!("clear-depth {}", t.clear_depth), "it is 0 to 1");
        }
        if t.tile.is_some_and(|side| ![8, 16, 32].contains(&side)) {
            return fail("tile", "a tile of that size".into(), "the side of a tile is 8, 16 or 32");
        }
        if !(1..=1000).contains(&t.frames) {
            return fail("frames", format!("{} frames", t.frames), "frames is 1 to 1000");
        }
        self.check_claims()?;
        for draw in self.spec.draws() {
            let d = draw.get_ref();
            if !self.spec.mesh.contains_key(d.mesh.get_ref()) {
                let known: Vec<&str> = self.spec.mesh.keys().map(String::as_str).collect();
                let help = format!("meshes: {}", known.join(", "));
                return Err(self.error(d.mesh.span(), format!("there is no mesh `{}`", d.mesh.get_ref()), help));
            }
        }
        Ok(())
    }
}

/// Vertices of a draw: the model draws the whole frame before the machine begins, and no limit of a
/// run ends it.
const MOST_VERTICES: u64 = 1 << 24;
