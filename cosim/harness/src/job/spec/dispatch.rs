//! Uniforms of a job, and its dispatches, as they are written: each runs the program again, with
//! uniforms of its own. Wrong would be a uniform that goes to no buffer of the program: the job is
//! refused when it is bound to one.

use std::collections::BTreeSet;

use quadlock_shader::interface::{buffer_at, Binding, PUSH_CONSTANTS};
use serde::Deserialize;
use toml::Spanned;

use crate::job::data;

/// Which resource of the program: `name`, or `binding` (with `group`, default 0). Push constants
/// have no number.
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

    /// What is wrong with it, whatever the program has, and what to do.
    pub fn wrong(&self) -> Option<(&'static str, &'static str)> {
        let both = self.name.is_some() == self.binding.is_some();
        both.then_some(("a buffer is chosen by `name` or by `binding`", "give one of the two"))
    }

    /// The resource among all that there are; `said` are the words of an error.
    ///
    /// # Errors
    /// There is none, or a name stands for several: what is wrong, and what to do.
    pub fn find<'b>(&self, all: &[&'b Binding], said: &Words) -> Result<&'b Binding, (String, String)> {
        let is = |b: &&&Binding| match (&self.name, self.binding) {
            (Some(name), _) => b.name == *name,
            (None, number) => Some(b.binding) == number && b.group == self.group && b.at() != PUSH_CONSTANTS,
        };
        let found: Vec<&Binding> = all.iter().filter(is).copied().collect();
        let Some(&first) = found.first() else {
            let known: BTreeSet<String> = all.iter().map(|b| b.describe()).collect();
            let known: Vec<String> = known.into_iter().collect();
            let known = if known.is_empty() { "no buffers".to_owned() } else { known.join("; ") };
            let push = all.iter().find(|b| b.at() == PUSH_CONSTANTS);
            let by_name = push.map_or(String::new(), |b| format!("; push constants are chosen by {}", b.key()));
            return Err((format!("{} {}", said.none, self.describe()), format!("{}: {known}{by_name}", said.all)));
        };
        match found.iter().find(|b| b.at() != first.at()) {
            None => Ok(first),
            Some(other) => {
                let places = [first, *other].map(|b| buffer_at(b.at())).join(" and ");
                let key = |b: &Binding| match b.at() == PUSH_CONSTANTS {
                    true => "give the push constants another name in their program".to_owned(),
                    false => format!("write {}", b.key()),
                };
                let help = format!("{}, or {}", key(first), key(other));
                Err((format!("the name {} stands for {places}", self.describe()), help))
            }
        }
    }
}

/// How an error names the programs that a key is looked for in.
#[derive(Clone, Copy, Debug)]
pub struct Words {
    /// Before the key that is not there.
    pub none: &'static str,
    /// Before the list of what is there.
    pub all: &'static str,
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
