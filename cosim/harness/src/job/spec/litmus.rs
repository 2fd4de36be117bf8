//! `[litmus]` as it is written.

use serde::Deserialize;
use toml::Spanned;

/// What a litmus test may show.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LitmusSpec {
    /// What it tests, for the table in docs/memory-model.md.
    pub about: String,
    /// How the run ends.
    #[serde(default)]
    pub end: End,
    /// Buffer of the outcomes, by name; none of a run that hangs.
    pub buffer: Option<Spanned<String>>,
    /// Names of the words of an outcome.
    #[serde(default)]
    pub columns: Vec<String>,
    /// Outcomes that the machine may show: one value for each column.
    #[serde(default)]
    pub allowed: Vec<Spanned<Vec<u32>>>,
    /// Those of the allowed that the test of all litmus tests does not demand to see.
    #[serde(default)]
    pub rare: Vec<Spanned<Vec<u32>>>,
}

/// The documented end of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum End {
    /// Every thread comes to its end.
    #[default]
    Pass,
    /// Some threads wait for ever: the test wants to see that.
    Hang,
}

impl LitmusSpec {
    /// Whether an outcome is one of the allowed ones.
    pub fn allows(&self, values: &[u32]) -> bool {
        self.allowed.iter().any(|row| row.get_ref() == values)
    }

    /// Allowed outcomes that have to be seen.
    pub fn demanded(&self) -> impl Iterator<Item = &Vec<u32>> {
        let rare = |row: &&Vec<u32>| self.rare.iter().any(|r| r.get_ref() == *row);
        self.allowed.iter().map(Spanned::get_ref).filter(move |row| !rare(row))
    }
}
