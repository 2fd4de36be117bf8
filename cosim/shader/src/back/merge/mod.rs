//! Merge points: where fragment warps that are partly covered may become one (MS-30 to MS-32).
//!
//! [`needs`] says what needs helper lanes, [`place`] and [`sink`] order the program and find the
//! place, [`classes`] says which registers are public, [`arm`] adds a point in a branch, [`rules`]
//! is what the machine does there. This file weighs what a point gains and costs. All of it works
//! on selected instructions, before the scheduler, which moves nothing across `MERGE`. A wrong
//! choice here costs time; wrong code is what `merge_check` looks for.

pub mod arm;
pub mod classes;
pub mod needs;
pub mod place;
mod rules;
mod sink;

use super::mir::MFunc;
use crate::fault::CompilerFault;
use crate::ssa::Loc;
use classes::Classed;
use needs::Need;
use place::Flow;
pub use rules::MergeRules;

/// Share of warps that are expected to merge: each then costs half from the point on.
pub const SHARE: f64 = 0.5;
/// Cycles that a member is expected to wait for its partner.
pub const WAIT: f64 = 4.0;
/// Places that are tried, the best first.
const TRIES: usize = 4;

/// A merge point of a finished program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    /// Instruction number of `MERGE`.
    pub pc: u32,
    /// Its place in the source: that of the last operation before it, or of the first one.
    pub loc: Loc,
}

/// What became of merge points in a program.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Merged {
    /// In order of their counters; empty if there is none.
    pub points: Vec<Point>,
    /// Instructions that may run before a point, and that may run behind one.
    pub before: usize,
    /// Behind.
    pub after: usize,
    /// Instructions of the program for warps that are no members of a pair; 0: there is none.
    pub alone: usize,
    /// Moves from private to public registers.
    pub moves: usize,
    /// Instructions that end helpers, whose public registers read 0.
    pub ends: usize,
    /// Operations before the point that need helper lanes.
    pub needs: Vec<Need>,
    /// Why there is no point.
    pub none: Option<String>,
    /// The place that this is about, if it is one.
    pub at: Loc,
}

/// The programs with a merge point, best first, or why there is none.
///
/// `alone`: warps that are no members of a pair have a program of their own, and pay nothing.
pub fn candidates(
    f: &MFunc,
    alone: bool,
    rules: MergeRules,
    fault: Option<CompilerFault>,
) -> Result<Vec<Classed>, (String, Loc)> {
    if let Some(why) = needs::forbidden(f) {
        return Err(why);
    }
    let flow = Flow::new(f);
    let places = place::candidates(f, &flow, sink::run, fault);
    if places.is_empty() {
        return Err(("helper lanes are needed to the end".into(), Loc::default()));
    }
    let mut all = vec![];
    for placed in places {
        let mut behind = placed.behind;
        if fault.is_none() {
            if let Some((c, more)) = arm::run(&placed, &flow, rules) {
                all.push(Weighed::new(c, behind + more, 2, alone));
            }
        }
        if fault == Some(CompilerFault::MergeInLoop) && placed.f.blocks[placed.block].depth == 0 {
            behind = 0.0;
        }
        all.push(Weighed::new(classes::run(placed, &flow, rules, fault), behind, 1, alone));
    }
    all.sort_by(|a, b| b.net().total_cmp(&a.net()));
    match all.first() {
        Some(best) if best.net() <= 0.0 => {
            let Weighed { behind, gain, cost, .. } = best;
            let why = format!(
                "merging gains about {gain:.1} instructions of the {behind:.0} a warp has left, and costs {cost:.1}"
            );
            Err((why, Loc::default()))
        }
        _ => Ok(all.into_iter().take(TRIES).filter(|w| w.net() > 0.0).map(|w| w.classed).collect()),
    }
}

/// A program with a merge point, and what that is worth, in instructions of a warp.
struct Weighed {
    classed: Classed,
    behind: f64,
    gain: f64,
    cost: f64,
}

impl Weighed {
    fn new(classed: Classed, behind: f64, points: usize, alone: bool) -> Weighed {
        let gain = SHARE / 2.0 * behind;
        let who = if alone { SHARE } else { 1.0 };
        let cost = SHARE * WAIT + who * (points + classed.moves + classed.ends) as f64;
        Weighed { classed, behind, gain, cost }
    }

    fn net(&self) -> f64 {
        self.gain - self.cost
    }
}
