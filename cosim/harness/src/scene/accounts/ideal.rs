//! The oracle of culls that does not follow the machine: which pairs of a triangle and a group of 8
//! by 8 pixels a window of 1,024 triangles could hide, wherever the machine's own windows end.
//!
//! Triangles that the model sets up are counted from the start of their pass, and [`BLOCK`] of them
//! are a block. A pair may be left out if its draw may be culled (HZ-25), and each sample that it
//! covers fails in its turn, or is strictly behind what its opaque run leaves there by the end of
//! the block (HZ-13). A draw that bypasses the cull pipeline ends no run here: whether there is
//! such a pipeline is the machine's affair.
//!
//! ```text
//! submission order  0 1 2 ... 1023 | 1024 ...        blocks, from the start of the pass
//! runs              <--- less ---><-- less-equal --> opaque draws of one depth function
//! of a sample       hidden by what passes later in both, strictly nearer
//! ```
//!
//! [`pairs`] is the same for quads that merge. Everything here is of the model's log and of the
//! submitted list. Wrong would be to ask the machine anything; tests compare with the definition,
//! written down pair by pair, and plant faults.

pub mod pairs;

use std::collections::HashMap;

use quadlock_golden::frame_log::{FrameLog, LoggedCover};
use serde::Serialize;

use crate::lockstep::submitted::{DrawAt, DrawClass, Submitted};

/// Triangles of an ideal window.
pub const BLOCK: usize = 1024;

/// A pair: the number of a triangle in the frame, and a group of 8 by 8 pixels.
pub type Pair = (usize, (u16, u16));

/// Pairs that may be culled, and those of them that were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Share {
    pub allowed: u64,
    pub found: u64,
}

/// The same by the class of the pair's draw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Classes {
    /// It is in an opaque run.
    pub opaque: Share,
    pub blended: Share,
    pub discard: Share,
    pub stencil: Share,
    /// Its depth is not written.
    pub read_only: Share,
    /// None of these: `equal`, a write mask, coverage that is looked at.
    pub other: Share,
}

impl Classes {
    fn of(&mut self, class: DrawClass) -> &mut Share {
        match class {
            DrawClass::Opaque => &mut self.opaque,
            DrawClass::Blended => &mut self.blended,
            DrawClass::Discard => &mut self.discard,
            DrawClass::Stencil => &mut self.stencil,
            DrawClass::ReadOnly => &mut self.read_only,
            DrawClass::Other => &mut self.other,
        }
    }
}

/// What the report says of the oracle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct IdealFigures {
    /// Pairs that may be culled.
    pub allowed: u64,
    /// Those that were, before the depth test. It is 0 where no machine ran.
    pub found: u64,
    /// Pairs that were culled and that the oracle does not allow. They count nowhere.
    pub beyond: u64,
    /// Blocks of triangles, of all passes.
    pub blocks: u64,
    /// Of a machine that merges: the most pairs of the quads that the model shades in each draw.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pairs: Option<u64>,
    pub classes: Classes,
}

/// What the oracle goes by: the definition, but for a fault that a test plants.
#[derive(Clone, Copy, Debug, Default)]
struct Rules<'a> {
    fault: &'static str,
    /// Last triangles of the machine's windows, for the fault that follows them.
    ends: &'a [usize],
}

impl Rules<'_> {
    /// `follows-windows`: blocks are the machine's windows. `counts-culled`: triangles that are not
    /// set up count for blocks. `counts-on`: blocks go on from one pass to the next. `level`: what
    /// is level counts as behind. `any-draw`: what may not be culled may. `long-runs`: another
    /// depth function does not end a run. `one-sample`: one hidden sample is enough.
    fn has(&self, fault: &str) -> bool {
        self.fault == fault
    }
}

/// The oracle of one frame: each pair, and whether it may be culled.
#[derive(Clone, Debug, Default)]
pub struct Ideal {
    pairs: HashMap<Pair, bool>,
    blocks: u64,
}

impl Ideal {
    /// Of the model's log of a frame, with what its triangles cover.
    pub fn new(log: &FrameLog, list: &Submitted) -> Self {
        Self::by(log, list, Rules::default())
    }

    fn by(log: &FrameLog, list: &Submitted, rules: Rules<'_>) -> Self {
        let blocks = blocks(log, list, rules);
        let mut out = Self { pairs: HashMap::new(), blocks: blocks.count };
        let mut nearest = Nearest::of(&log.covers);
        let runs = runs(list, rules);
        // From the last cover to the first, so that what comes later is known.
        let mut before = None;
        for cover in log.covers.iter().rev() {
            let triangle = cover.triangle as usize;
            let Some(n) = list.draw_of(triangle) else { continue };
            let draw = &list.draws[n];
            let segment = runs[n].map(|run| (run, blocks.of(triangle)));
            if segment != before {
                nearest.forget();
                before = segment;
            }
            let may = draw.may_cull || rules.has("any-draw");
            let hidden = match (cover.passes, segment) {
                (false, _) => true,
                (true, None) => false,
                (true, Some(_)) => nearest.hides(cover, draw.grows, rules.has("level")),
            };
            let pair = (triangle, (cover.x >> 3, cover.y >> 3));
            let new = !rules.has("one-sample");
            let all = out.pairs.entry(pair).or_insert(new);
            if rules.has("one-sample") {
                *all |= may && hidden;
            } else {
                *all &= may && hidden;
            }
        }
        out
    }

    /// Whether a pair may be culled.
    fn allows(&self, pair: &Pair) -> bool {
        self.pairs.get(pair).copied().unwrap_or(false)
    }

    /// The figures, with whether the machine culled a pair.
    pub fn figures(&self, list: &Submitted, was_culled: impl Fn(&Pair) -> bool) -> IdealFigures {
        let mut figures = IdealFigures { blocks: self.blocks, ..IdealFigures::default() };
        for pair in self.pairs.keys() {
            let culled = was_culled(pair);
            if !self.allows(pair) {
                figures.beyond += u64::from(culled);
                continue;
            }
            let Some(draw) = list.draw_of(pair.0).map(|n| &list.draws[n]) else { continue };
            let of_class = figures.classes.of(draw.class);
            for share in [&mut figures.allowed, &mut of_class.allowed] {
                *share += 1;
            }
            for share in [&mut figures.found, &mut of_class.found] {
                *share += u64::from(culled);
            }
        }
        figures
    }
}

/// The opaque run of each draw (HZ-13), if it is in one.
fn runs(list: &Submitted, rules: Rules<'_>) -> Vec<Option<usize>> {
    let kind = |d: &DrawAt| if rules.has("long-runs") { d.opaque.map(|_| 0) } else { d.opaque };
    let (mut number, mut before) = (0, None);
    let mut out = vec![];
    for draw in &list.draws {
        let own = (draw.pass, kind(draw));
        number += usize::from(before != Some(own));
        before = Some(own);
        out.push(draw.opaque.map(|_| number));
    }
    out
}

/// Blocks of triangles.
struct Blocks {
    /// Of each triangle in the frame.
    of: Vec<u32>,
    count: u64,
}

impl Blocks {
    fn of(&self, triangle: usize) -> u32 {
        self.of.get(triangle).copied().unwrap_or(0)
    }
}

fn blocks(log: &FrameLog, list: &Submitted, rules: Rules<'_>) -> Blocks {
    if rules.has("follows-windows") {
        let all = list.draws.last().map_or(0, |d| d.triangles.end);
        let of = (0..all).map(|t| rules.ends.partition_point(|&end| end < t) as u32).collect();
        return Blocks { of, count: 0 };
    }
    let (mut of, mut first, mut seen, mut pass) = (vec![], 0u32, 0usize, 0);
    for draw in &list.draws {
        if draw.pass != pass && !rules.has("counts-on") {
            first += seen.div_ceil(BLOCK) as u32;
            seen = 0;
        }
        pass = draw.pass;
        for triangle in draw.triangles.clone() {
            of.push(first + (seen / BLOCK) as u32);
            let is_set_up = log.triangles.get(triangle).is_none_or(|t| !t.primitives.is_empty());
            seen += usize::from(is_set_up || rules.has("counts-culled"));
        }
    }
    Blocks { of, count: u64::from(first) + seen.div_ceil(BLOCK) as u64 }
}

/// How near the nearest sample of each place is, of those that pass later in a run and a block.
struct Nearest {
    /// Pixels of a row.
    width: usize,
    /// The segment in which it was written, and how near it is.
    places: Vec<(u32, u32)>,
    segment: u32,
}

impl Nearest {
    fn of(covers: &[LoggedCover]) -> Self {
        let most = |of: fn(&LoggedCover) -> u16| covers.iter().map(of).max().map_or(0, |n| usize::from(n) + 1);
        let width = most(|c| c.x);
        Self { width, places: vec![(0, 0); 4 * width * most(|c| c.y)], segment: 1 }
    }

    fn forget(&mut self) {
        self.segment += 1;
    }

    /// Whether a sample that passes is strictly behind a later one. It counts for those before.
    fn hides(&mut self, cover: &LoggedCover, grows: bool, level: bool) -> bool {
        let nearness = if grows { cover.depth } else { !cover.depth };
        let at = 4 * (usize::from(cover.y) * self.width + usize::from(cover.x)) + usize::from(cover.sample & 3);
        let (segment, nearest) = self.places[at];
        let known = segment == self.segment;
        let hidden = known && (nearest > nearness || level && nearest == nearness);
        self.places[at] = (self.segment, if known { nearest.max(nearness) } else { nearness });
        hidden
    }
}

#[cfg(test)]
mod tests;
