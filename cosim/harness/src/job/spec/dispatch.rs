//! Uniforms of a job, and its dispatches, as they are written: each runs the program again, with
//! uniforms of its own. Wrong would be a uniform that goes to no buffer of the program: the job is
//! refused when it is bound to one.

use serde::Deserialize;
use toml::Spanned;

use crate::job::data;

/// Which resource of the program: `name`, or `binding` (with `group`, default 0).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Key {
    /// As the program declares it; `None`: by `binding`.
    pub name: Option<String>,
    /// Used with `binding`.
    pub group: u32,
    /// `None`: by `name`.
    pub binding: Option<u32>,
}

impl Key {
    /// For messages: "`name`", or "group 0 binding 2".
    pub fn describe(&self) -> String {
        match (&self.name, self.binding) {
            (Some(name), _) => format!("`{name}`"),
            (None, Some(binding)) => format!("group {} binding {binding}", self.group),
            (None, None) => "(neither name nor binding)".to_owned(),
        }
    }
}

/// A uniform buffer's words.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UniformSpec {
    /// Name in the program; otherwise `binding`.
    pub name: Option<String>,
    /// With `binding`; 0 if not given.
    #[serde(default)]
    pub group: u32,
    /// Number in the program; otherwise `name`.
    pub binding: Option<u32>,
    /// One for each 32-bit word, from the start of the buffer.
    pub values: Vec<data::Number>,
    /// How the values become words; not given: f32 if one has a point, otherwise u32.
    #[serde(rename = "type")]
    pub kind: Option<data::Types>,
}

impl UniformSpec {
    /// The resource that it fills.
    pub fn key(&self) -> Key {
        Key { name: self.name.clone(), group: self.group, binding: self.binding }
    }
}

/// A run of the program, behind those before it: buffers hold what they left.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct DispatchSpec {
    /// Work groups along x, y, z, in place of the job's.
    #[serde(default, deserialize_with = "data::sizes")]
    pub grid: Option<[u32; 3]>,
    /// Invocations along x, y, z, in place of the job's.
    #[serde(default, deserialize_with = "data::sizes")]
    pub threads: Option<[u32; 3]>,
    /// Each in place of the job's uniform of the same key.
    #[serde(default)]
    pub uniform: Vec<Spanned<UniformSpec>>,
}
