//! Split points: up to where a fragment program that runs once for each sample runs once for all
//! samples of a pixel (MS-40 to MS-44).
//!
//! [`samples`] says what is per sample, [`place`] orders the program and finds the place,
//! [`relieve`] lets fewer values live across it, [`classes`] says which registers are public. This
//! file weighs what a point gains and costs. All of it works on selected instructions, before the
//! scheduler, which moves nothing across `SPLIT`. A wrong choice here costs time; wrong code is
//! what `split_check` looks for.

pub mod classes;
pub mod place;
mod relieve;
mod samples;

use super::both::{self, Both};
use super::merge::needs::forbidden;
use super::merge::place::Flow;
use super::merge::Point;
use super::mir::MFunc;
use crate::fault::CompilerFault;
use crate::ssa::Loc;
use place::{Blocked, Placed, Search};
use samples::Samples;

pub use classes::Classed;
pub use samples::Root;

/// Cycles until the pixel's warp has drained and the samples' warps go on.
const WAIT: f64 = 4.0;
/// Places for which programs with less across the point are made, the best first.
const PLACES: usize = 3;
/// Programs that are given registers, the best first.
const TRIES: usize = 10;
/// Most registers across the point that are tried, in eighths of all.
const EIGHTHS: [usize; 5] = [7, 6, 4, 3, 2];

/// What became of split points in a program.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Splits {
    /// The point, if there is one.
    pub point: Option<Point>,
    /// Instructions before it, and those that may run behind it.
    pub before: usize,
    /// Behind.
    pub after: usize,
    /// Moves behind the point from what lives across it.
    pub moves: usize,
    /// Where values of samples begin.
    pub roots: Vec<Root>,
    /// Why there is no point.
    pub none: Option<String>,
    /// The place that this is about, if it is one.
    pub at: Loc,
}

/// A program with a split point, and what that is worth, in instructions of the samples' warps.
struct Weighed {
    placed: Placed,
    /// Whether operations of later blocks moved up.
    up: bool,
    moves: usize,
    gain: f64,
    cost: f64,
}

/// A program with a split point that has no registers yet.
pub struct Candidate {
    /// With a merge point before the split point, or why there is none; if it was asked for.
    pub both: Option<Result<Both, Blocked>>,
    pub classed: Classed,
    pub moves: usize,
    pub roots: Vec<Root>,
}

/// What the search is for.
struct Weigher<'a> {
    flow: &'a Flow,
    /// Samples of a pixel.
    samples: u32,
}

impl Weigher<'_> {
    fn weigh(&self, placed: Placed, up: bool) -> Weighed {
        let public = classes::across(&placed);
        let (moves, often) = classes::moves(&placed, self.flow, &public);
        let samples = f64::from(self.samples);
        let gain = (samples - 1.0) * place::before(&placed, self.flow);
        let cost = 1.0 + WAIT + samples * (often + placed.again as f64);
        Weighed { placed, up, moves, gain, cost }
    }
}

impl Weighed {
    fn net(&self) -> f64 {
        self.gain - self.cost
    }
}

/// The programs with a split point, best first, or why there is none. `registers` is how many there
/// are; `merges`: a merge point before is wanted.
pub fn candidates(
    f: &MFunc,
    samples: u32,
    (registers, merges): (usize, bool),
    fault: Option<CompilerFault>,
) -> Result<Vec<Candidate>, Blocked> {
    if let Some(why) = forbidden(f) {
        return Err(why);
    }
    let flow = Flow::new(f);
    let own = Samples::find(f, &flow);
    let weigher = Weigher { flow: &flow, samples };
    let mut blocked: Option<Blocked> = None;
    let mut all = vec![];
    for up in [true, false] {
        for &gate in &flow.gates {
            match (Search { flow: &flow, up }).place(f, &own, gate) {
                Ok(placed) => all.push(weigher.weigh(placed, up)),
                Err(why) => blocked = blocked.or(Some(why)),
            }
        }
    }
    best_first(&mut all);
    for k in 0..PLACES.min(all.len()) {
        let (gate, up) = (all[k].placed.block, all[k].up);
        let across = classes::across(&all[k].placed).len();
        let wanted = EIGHTHS.iter().map(|part| registers * part / 8).filter(|&most| most < across);
        let less = relieve::run(&Search { flow: &flow, up }, f.clone(), &own, gate, wanted);
        all.extend(less.into_iter().map(|placed| weigher.weigh(placed, up)));
    }
    best_first(&mut all);
    plant(&mut all, f, fault);
    match all.first() {
        None => Err(blocked.unwrap_or_else(|| ("no block is passed once by all lanes".into(), Loc::default()))),
        Some(best) if best.net() <= 0.0 => {
            let Weighed { gain, cost, .. } = best;
            let why = format!("splitting saves about {gain:.1} instructions of a quad's samples, and costs {cost:.1}");
            let (more, loc) = blocked.map_or((String::new(), Loc::default()), |(why, loc)| (format!("; {why}"), loc));
            Err((why + &more, loc))
        }
        Some(_) => Ok(with_classes(all, &flow, &own, (registers, merges), fault)),
    }
}

fn best_first(all: &mut [Weighed]) {
    all.sort_by(|a, b| b.net().total_cmp(&a.net()));
}

fn with_classes(
    all: Vec<Weighed>,
    flow: &Flow,
    samples: &Samples,
    (registers, merges): (usize, bool),
    fault: Option<CompilerFault>,
) -> Vec<Candidate> {
    let worth = all.into_iter().filter(|w| w.net() > 0.0);
    let classed = worth.filter_map(|w| {
        let moves = w.moves;
        let both = merges.then(|| both::run(&w.placed, flow, fault));
        Some(Candidate { both, classed: classes::run(w.placed, flow, fault)?, moves, roots: samples.roots.clone() })
    });
    classed.filter(|c| c.classed.least < registers).take(TRIES).collect()
}

/// Makes the mistakes that are about the place.
fn plant(all: &mut Vec<Weighed>, f: &MFunc, fault: Option<CompilerFault>) {
    match fault {
        Some(CompilerFault::SplitTooLate) => {
            for p in all.iter_mut().map(|w| &mut w.placed) {
                let late = p.f.blocks[p.block].insts[p.at..].iter().position(|m| samples::root(m).is_some());
                p.at += late.map_or(0, |i| i + 1);
            }
        }
        Some(CompilerFault::SplitInLoop) => {
            if let Some(block) = (0..f.blocks.len()).find(|&b| f.blocks[b].depth > 0) {
                let placed = Placed { f: f.clone(), block, at: 0, again: 0 };
                *all = vec![Weighed { placed, up: false, moves: 0, gain: 1.0, cost: 0.0 }];
            }
        }
        _ => {}
    }
}
