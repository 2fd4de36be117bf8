//! Scene files (docs/scenes.md): what is drawn, with which meshes, programs and state, and what
//! must come out. `quadlock run` draws one as it runs a job.
//!
//! [`spec`] is the file, [`values`] numbers and matrices, [`mesh`] meshes, [`pipeline`] the
//! programs of a draw, [`constants`] what these leave open, [`bindings`] buffers, [`passes`]
//! passes, [`bypass`] what the cull pipeline leaves alone, [`layout`] everything in [`memory`],
//! [`run`] the golden model, [`machine`] the RTL, [`shown`] and [`image`] pictures, [`heat`] and
//! [`funnel`] pictures of the work, [`culls`] and [`visits`] its figures, [`conclude`] what must
//! come out, [`keys`] the report's keys. It can be wrong where its reading of docs/graphics.md
//! differs from the model's and the RTL's; then nothing is drawn right.

pub mod ahead;
mod bindings;
pub mod bypass;
pub mod conclude;
mod constants;
pub mod culls;
pub mod funnel;
pub mod heat;
pub mod image;
pub mod keys;
pub mod layout;
pub mod machine;
mod matching;
mod memory;
mod merging;
pub mod mesh;
mod newest;
mod occupancy;
pub mod passes;
mod pipeline;
mod records;
pub mod roundings;
pub mod run;
pub mod shown;
mod spec;
mod splitting;
mod values;
pub mod visits;
pub mod weave;

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use quadlock_shader::front::constants::Given;
use toml::Value;

use crate::base::error::{bad, Input, InputError};
use crate::base::files::read_text;
use crate::job::claims::Claimant;
use mesh::Mesh;
pub use spec::SceneSpec;

/// A scene file that was read.
#[derive(Clone, Debug)]
pub struct Scene {
    pub path: PathBuf,
    pub spec: SceneSpec,
    /// The file's text; none if keys were changed, for then places mean nothing.
    text: Option<String>,
    meshes: BTreeMap<String, Mesh>,
    /// Values of `--constant`.
    given: Vec<Given>,
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
        let spec = parse(path, &text)?;
        let changed = small && !spec.small.is_empty() || !sets.is_empty();
        let (spec, text) = match changed {
            true => (change(path, &text, small, sets)?, None),
            false => (spec, Some(text)),
        };
        let mut scene = Scene { path: path.to_owned(), spec, text, meshes: BTreeMap::new(), given: vec![] };
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
        scene.check_sizes()?;
        Ok(scene)
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
    fn aspect(&self) -> f64 {
        f64::from(self.spec.target.width) / f64::from(self.spec.target.height)
    }

    fn place(&self, span: Range<usize>, error: InputError) -> Box<InputError> {
        match &self.text {
            Some(text) => Box::new(error.at(&self.path, text, span, "here")),
            None => Box::new(error),
        }
    }

    /// Where a table, or the file before its first one, gives a key; its head if it does not.
    fn key(&self, table: &str, key: &str) -> Range<usize> {
        let text = self.text.as_deref().unwrap_or_default();
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
    fn key_of(&self, span: Range<usize>, key: &str) -> Range<usize> {
        let text = self.text.as_deref().unwrap_or_default();
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

/// Keys of `[target]` that are told of if they are given alone.
const TARGET_KEYS: &[&str] = &["width", "height", "samples", "formats", "clear", "depth", "tile", "frames"];

/// Vertices of a draw: the model draws the whole frame before the machine begins, and no limit of a
/// run ends it.
const MOST_VERTICES: u64 = 1 << 24;

fn parse(path: &Path, text: &str) -> Input<SceneSpec> {
    toml::from_str(text).map_err(|e| {
        let help = match e.message() {
            m if m.contains("`target`") => "add [target] with width and height; more is in docs/scenes.md",
            _ => "the keys of scene files are in docs/scenes.md",
        };
        let error = InputError::new(e.message().trim()).help(help);
        Box::new(error.at(path, text, e.span().unwrap_or(0..0), "here"))
    })
}

/// The scene with changed keys.
fn change(path: &Path, text: &str, small: bool, sets: &[String]) -> Input<SceneSpec> {
    let table: toml::Table = toml::from_str(text).or_else(|e| bad(format!("{}: {e}", path.display()), "correct it"))?;
    let mut root = Value::Table(table);
    if small {
        let part = root.get("small").cloned().unwrap_or(Value::Table(toml::Table::new()));
        merge(&mut root, &part);
    }
    for set in sets {
        let Some((key, value)) = set.split_once('=') else {
            return bad(format!("--set {set}: not KEY=VALUE"), "for example --set target.width=64");
        };
        let parsed = toml::from_str::<toml::Table>(&format!("v = {value}")).ok().and_then(|mut t| t.remove("v"));
        let value = parsed.unwrap_or_else(|| Value::String(value.into()));
        // A build parameter alone is one of the scene's machine, as `--set merge=off` of jobs is.
        let of_machine = !key.contains('.') && quadlock_hdl::parameters::by_key(key).is_some();
        let path_of = if of_machine { format!("machine.{key}") } else { key.to_owned() };
        assign(&mut root, &path_of, value)
            .or_else(|e| bad(format!("--set {set}: {e}"), "keys are those of docs/scenes.md"))?;
    }
    // A key without its table is likely to be one of jobs.
    for key in sets.iter().filter_map(|set| set.split('=').next()).filter(|key| !key.contains('.')) {
        let under = ["target", "memory", "limits"].into_iter().find(|table| match *table {
            "target" => TARGET_KEYS.contains(&key),
            "memory" => ["latency", "jitter", "stall", "seed"].contains(&key),
            _ => ["cycles", "idle"].contains(&key),
        });
        if let Some(table) = under {
            let help = format!("keys of a scene have a path: --set {table}.{key}=..");
            return bad(format!("--set {key}: no key of a scene"), &help);
        }
    }
    // By way of a text, because places are wanted of a text only.
    let wrong = |e: String| {
        let error = InputError::new(format!("{}, with its keys changed: {e}", path.display()));
        Box::new(error.help("correct --set or [small]"))
    };
    let changed = toml::to_string(&root).map_err(|e| wrong(e.to_string()))?;
    toml::from_str(&changed).map_err(|e| wrong(e.message().to_owned()))
}

fn merge(into: &mut Value, from: &Value) {
    match (into, from) {
        (Value::Table(into), Value::Table(from)) => {
            for (key, value) in from {
                merge(into.entry(key.clone()).or_insert(Value::Table(toml::Table::new())), value);
            }
        }
        (into, from) => *into = from.clone(),
    }
}

/// Sets the value at a path such as `draw.0.state.cull`.
fn assign(root: &mut Value, path: &str, value: Value) -> Result<(), String> {
    let mut at = root;
    for key in path.split('.') {
        at = match at {
            Value::Table(table) => table.entry(key).or_insert(Value::Table(toml::Table::new())),
            Value::Array(all) => {
                let count = all.len();
                let place = key.parse::<usize>().ok().and_then(|n| all.get_mut(n));
                place.ok_or(format!("`{key}` is none of {count} entries"))?
            }
            _ => return Err(format!("`{key}` is below a value")),
        };
    }
    *at = value;
    Ok(())
}
