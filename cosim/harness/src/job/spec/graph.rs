//! `[graph]` as it is written.

use serde::{Deserialize, Deserializer};

use crate::job::data::{exactly, Source};
use crate::job::own::Numbers;
use crate::threads::pattern::Pattern;

/// A named pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PatternName {
    Chain,
    FanOut,
    FanIn,
    AllToAll,
    FanInOut,
    Wavefront,
}

/// A data word of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Coordinate {
    X,
    Y,
}

/// Which semaphore a dependency uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MappingSpec {
    Least,
    /// By the hash of a data word of the successor.
    Hash(Coordinate),
}

/// `[graph]`: a pattern, or explicit edges.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct GraphSpec {
    pub pattern: Option<PatternName>,
    pub length: Option<u32>,
    pub count: Option<u32>,
    pub from: Option<u32>,
    pub to: Option<u32>,
    #[serde(default, deserialize_with = "exactly")]
    pub size: Option<[u32; 2]>,
    pub copies: Option<u32>,
    pub threads: Option<u32>,
    /// Predecessor, successor.
    pub edges: Option<Vec<Edge>>,
    pub edges_from: Option<Source>,
    /// x, y of each thread.
    pub data: Option<Source>,
    /// The most semaphores to use.
    pub semaphores: Option<usize>,
    /// Semaphores that the plan leaves to the program.
    #[serde(default)]
    pub reserve: Vec<Numbers>,
    pub mapping: Option<MappingSpec>,
}

/// Predecessor and successor in a job file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Edge(#[serde(deserialize_with = "edge")] pub [u32; 2]);

fn edge<'de, D: Deserializer<'de>>(deserializer: D) -> Result<[u32; 2], D::Error> {
    exactly(deserializer).map(Option::unwrap_or_default)
}

impl GraphSpec {
    pub fn parameters(&self) -> [(&'static str, bool); 6] {
        [
            ("length", self.length.is_some()),
            ("count", self.count.is_some()),
            ("from", self.from.is_some()),
            ("to", self.to.is_some()),
            ("size", self.size.is_some()),
            ("copies", self.copies.is_some()),
        ]
    }

    /// The pattern with its parameters: all that it has, and no others.
    pub fn pattern(&self, name: PatternName) -> Result<Pattern, String> {
        let need = |what: &str, value: Option<u32>| value.ok_or_else(|| format!("the pattern needs `{what}`"));
        let (pattern, takes): (Pattern, &[&str]) = match name {
            PatternName::Chain => (Pattern::Chain { length: need("length", self.length)? }, &["length"]),
            PatternName::FanOut => (Pattern::FanOut { count: need("count", self.count)? }, &["count"]),
            PatternName::FanIn => (Pattern::FanIn { count: need("count", self.count)? }, &["count"]),
            PatternName::AllToAll => {
                (Pattern::AllToAll { from: need("from", self.from)?, to: need("to", self.to)? }, &["from", "to"])
            }
            PatternName::FanInOut => {
                (Pattern::FanInOut { from: need("from", self.from)?, to: need("to", self.to)? }, &["from", "to"])
            }
            PatternName::Wavefront => {
                let [width, height] = self.size.ok_or("the pattern needs `size` = [width, height]")?;
                (Pattern::Wavefront { width, height }, &["size"])
            }
        };
        match self.parameters().iter().find(|(name, given)| *given && *name != "copies" && !takes.contains(name)) {
            Some((name, _)) => Err(format!("the pattern has no `{name}`")),
            None => Ok(pattern),
        }
    }
}
