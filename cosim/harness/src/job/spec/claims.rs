//! `[claims]` as it is written: runs of the job, each with its settings and its verdict, and
//! figures of their reports against numbers or against each other. Wrong would be a demand that
//! cannot fail.

use serde::Deserialize;
use toml::Spanned;

use crate::report::Verdict;
use crate::simulate::EngineKind;

/// The table.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ClaimsSpec {
    /// The runs; at least one.
    pub run: Vec<Spanned<RunSpec>>,
    #[serde(default)]
    pub figure: Vec<Spanned<FigureSpec>>,
}

/// A run of the job.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RunSpec {
    /// Its name: letters, digits and `-`.
    pub name: String,
    /// The job's small size.
    #[serde(default)]
    pub small: bool,
    /// Settings, as of `--set`.
    #[serde(default)]
    pub set: Vec<Spanned<String>>,
    #[serde(default = "lockstep")]
    pub engine: EngineKind,
    /// The verdict that it must have.
    #[serde(default)]
    pub verdict: Verdict,
}

fn lockstep() -> EngineKind {
    EngineKind::Lockstep
}

impl RunSpec {
    /// Its settings as text.
    pub fn sets(&self) -> Vec<String> {
        self.set.iter().map(|s| s.get_ref().clone()).collect()
    }
}

/// A claim about a figure of the report of one or several runs.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct FigureSpec {
    /// Key of the report, as in `issue_slots.used`.
    pub figure: Spanned<String>,
    /// The run or runs whose figure it is.
    pub of: OneOrMore,
    /// The run whose figure it is divided by; without it the figure itself is meant.
    pub against: Option<Spanned<String>>,
    pub at_least: Option<f64>,
    pub at_most: Option<f64>,
    pub equal: Option<f64>,
}

/// A name, or several.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum OneOrMore {
    One(String),
    More(Vec<String>),
}

impl OneOrMore {
    pub fn names(&self) -> &[String] {
        match self {
            Self::One(name) => std::slice::from_ref(name),
            Self::More(names) => names,
        }
    }
}

/// What a figure or ratio must be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Demand {
    AtLeast(f64),
    AtMost(f64),
    Equal(f64),
}

impl Demand {
    /// Whether it holds of `figure / against`; both are whole numbers or shares, so that the
    /// rounding of the product is far below a difference.
    pub fn holds(self, figure: f64, against: f64) -> bool {
        let slack = 1e-9 * figure.abs().max(against.abs());
        match self {
            Self::AtLeast(x) => figure >= x * against - slack,
            Self::AtMost(x) => figure <= x * against + slack,
            Self::Equal(x) => (figure - x * against).abs() <= slack,
        }
    }
}

impl std::fmt::Display for Demand {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::AtLeast(x) => write!(f, "at least {x}"),
            Self::AtMost(x) => write!(f, "at most {x}"),
            Self::Equal(x) => write!(f, "equal to {x}"),
        }
    }
}

impl FigureSpec {
    /// The one demand; `None` if there is none or more than one, or one that is no number.
    pub fn demand(&self) -> Option<Demand> {
        let all = [self.at_least.map(Demand::AtLeast), self.at_most.map(Demand::AtMost), self.equal.map(Demand::Equal)];
        let numbers = [self.at_least, self.at_most, self.equal];
        let mut given = all.into_iter().flatten();
        let first = given.next()?;
        (given.next().is_none() && numbers.into_iter().flatten().all(|x| x.is_finite() && x >= 0.0)).then_some(first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn demands_hold_at_their_ends_and_not_beyond() {
        assert!(Demand::AtLeast(1.8).holds(18.0, 10.0) && !Demand::AtLeast(1.8).holds(17.0, 10.0));
        assert!(Demand::AtMost(0.1).holds(1.0, 10.0) && !Demand::AtMost(0.1).holds(2.0, 10.0));
        assert!(Demand::Equal(0.25).holds(9216.0, 36864.0) && !Demand::Equal(0.25).holds(9217.0, 36864.0));
    }
}
