//! Merge points and split points of a program for people, with places of the source.

use crate::back;
use crate::ssa::Loc;
use std::fmt::{self, Display, Formatter};

/// Merge points of a program (MS-30), with places of the source.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct Merge {
    /// Instruction number and place of each point; none if there is no point.
    pub points: Vec<(u32, String)>,
    /// So many registers are public.
    pub cutoff: u32,
    /// Which, in words: `below 9`.
    pub public: String,
    /// Instructions that run before a point only.
    pub before: usize,
    /// Instructions that may run behind a point.
    pub after: usize,
    /// Instructions of the program for warps that are no members of a pair; 0: there is none.
    pub alone: usize,
    /// Moves from private to public registers.
    pub moves: usize,
    /// Instructions that end helpers behind the point.
    pub ends: usize,
    /// Operations before the point that need helper lanes: place, and what for.
    pub helpers: Vec<(String, String)>,
    /// Why there is no point.
    pub none: Option<String>,
}

impl Merge {
    pub(super) fn new(merged: &back::Merged, (cutoff, public): (u32, &str), place: &dyn Fn(Loc) -> String) -> Merge {
        let mut helpers: Vec<(String, String)> = vec![];
        for n in &merged.needs {
            let what = match n.why {
                back::Why::Neighbours => format!("{} looks at the lane's neighbours", n.op.name()),
                back::Why::Branch => "a branch tests a value".into(),
                back::Why::Address => format!("{} has an address", n.op.name()),
            };
            let entry = (place(n.loc), what);
            if !helpers.contains(&entry) {
                helpers.push(entry);
            }
        }
        let none = merged.none.as_ref().map(|why| reason(why, merged.at, place));
        Merge {
            points: merged.points.iter().map(|p| (p.pc, place(p.loc))).collect(),
            cutoff,
            public: public.into(),
            before: merged.before,
            after: merged.after,
            alone: merged.alone,
            moves: merged.moves,
            ends: merged.ends,
            helpers,
            none,
        }
    }
}

impl Display for Merge {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        if let Some(why) = &self.none {
            return writeln!(f, "no merge point: {why}");
        }
        self.points.iter().try_for_each(|(pc, place)| writeln!(f, "merge point at instruction {pc}, {place}"))?;
        writeln!(f, "{} instructions before it, {} behind it", self.before, self.after)?;
        if self.alone > 0 {
            writeln!(f, "{} instructions of a program of its own for warps without a partner", self.alone)?;
        }
        writeln!(f, "registers {} are public from the start", self.public)?;
        writeln!(f, "{} moves to public registers, {} instructions to end helpers", self.moves, self.ends)?;
        self.helpers.iter().try_for_each(|(place, what)| writeln!(f, "helper lanes are needed at {place}: {what}"))
    }
}

/// Operations of samples that a report names.
const ROOTS: usize = 6;

/// The split point of a program (MS-40), with places of the source.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize)]
pub struct Split {
    /// Instruction number and place of the point, if there is one.
    pub point: Option<(u32, String)>,
    /// So many registers are public.
    pub cutoff: u32,
    /// Which, in words: `below 9`.
    pub public: String,
    /// Instructions before the point, with it.
    pub before: usize,
    /// Instructions that may run behind it.
    pub after: usize,
    /// Moves behind the point from public registers.
    pub moves: usize,
    /// The first operations that are per sample: place, and why.
    pub samples: Vec<(String, String)>,
    /// How many more there are.
    pub more: usize,
    /// Why there is no point.
    pub none: Option<String>,
}

impl Split {
    pub(super) fn new(splits: &back::Splits, (cutoff, public): (u32, &str), place: &dyn Fn(Loc) -> String) -> Split {
        let mut samples: Vec<(String, String)> = vec![];
        for root in &splits.roots {
            let entry = (place(root.loc), root.what.clone());
            if !samples.contains(&entry) {
                samples.push(entry);
            }
        }
        let more = samples.len().saturating_sub(ROOTS);
        samples.truncate(ROOTS);
        Split {
            point: splits.point.map(|p| (p.pc, place(p.loc))),
            cutoff,
            public: public.into(),
            before: splits.before,
            after: splits.after,
            moves: splits.moves,
            samples,
            more,
            none: splits.none.as_ref().map(|why| reason(why, splits.at, place)),
        }
    }

    /// Of a program that has no samples.
    pub(super) fn once_for_each_pixel() -> Split {
        Split { none: Some("it runs once for each pixel".into()), ..Split::default() }
    }
}

/// Why there is no point, with the place that it is about.
fn reason(why: &str, at: Loc, place: &dyn Fn(Loc) -> String) -> String {
    match at.line {
        0 => why.into(),
        _ => format!("{why} ({})", place(at)),
    }
}

impl Display for Split {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        if let Some(why) = &self.none {
            return writeln!(f, "no split point: {why}");
        }
        self.point.iter().try_for_each(|(pc, place)| writeln!(f, "split point at instruction {pc}, {place}"))?;
        writeln!(f, "{} instructions before it, {} behind it", self.before, self.after)?;
        writeln!(f, "registers {} are public, and only read behind it", self.public)?;
        writeln!(f, "{} moves from public registers behind it", self.moves)?;
        self.samples.iter().try_for_each(|(place, what)| writeln!(f, "per sample is {what}, {place}"))?;
        match self.more {
            0 => Ok(()),
            more => writeln!(f, "and {more} more"),
        }
    }
}
