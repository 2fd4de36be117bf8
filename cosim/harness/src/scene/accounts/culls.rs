//! What Hi-Z hides, in numbers: pairs of a triangle and a group of 8 by 8 pixels in which it covers
//! a sample, each once. The machine says where it culls and where its windows end; the model says
//! what is covered and at which depth. The *oracle* is what could be hidden (HZ, "What the report
//! must show"): a pair of a draw that may be culled, in which each covered sample fails its test in
//! its turn, or is strictly behind what the window and its opaque run leave there.
//!
//! A window is told by its last triangle. If that goes on in the next window, all of it counts for
//! the first. Without windows each triangle is one. So the machine can find more than the oracle
//! allows: its bounds also know triangles of the window that fills. Those are `beyond`.
//!
//! Pieces of a clipped triangle have one number and are one triangle here. A pair of it is culled
//! if each piece that covers a sample is: by the unit in the tile, or by the rasteriser, and then
//! nothing of the triangle was drawn in the group.
//!
//! [`super::ideal`] is the oracle that knows nothing of the machine's windows; its figures stand
//! beside.
//!
//! Wrong would be to take a depth from the machine: only the places of its culls count here. That
//! they are right is judged elsewhere, by `lockstep/frame/culls.rs`.

use std::collections::{HashMap, HashSet};

use bitvec::prelude::BitArray;
use quadlock_golden::frame_log::{FrameLog, LoggedProgram};
use serde::Serialize;

use super::ideal::{Ideal, IdealFigures};
use super::newest::Newest;
use super::visits::{Unseen, VISIBILITY};
use crate::base::bits::BitSet;
use crate::lockstep::submitted::Submitted;
use crate::machine::ports::{is_skipped, CullEvent, GraphicsOutputs};

/// A group of 8 by 8 pixels.
type Group = (u16, u16);
/// A sample: pixel and number.
type Place = (u16, u16, u8);

/// Pairs by who culled them first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CullsBy {
    pub cull_pipeline: u64,
    pub visibility: u64,
    pub binner: u64,
    pub rasteriser: u64,
    /// Nobody culled them, and no sample passes its test.
    pub early_z: u64,
}

/// Quads that the rasteriser leaves out, by the level that says so: pairs of a triangle and a quad
/// in which it covers a sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CullLevels {
    #[serde(rename = "8x8")]
    pub groups: u64,
    #[serde(rename = "4x4")]
    pub blocks: u64,
    #[serde(rename = "2x2")]
    pub quads: u64,
    pub pixels: u64,
}

/// What the report says of culls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CullFigures {
    /// All pairs.
    pub submitted: u64,
    /// Those that could be culled, and of these those that were, before the depth test.
    pub oracle: u64,
    pub found: u64,
    /// Those that were culled beside.
    pub beyond: u64,
    /// The same by the oracle that does not follow the machine's windows; the report has it apart.
    #[serde(skip)]
    pub ideal: IdealFigures,
    /// Where bounds come from: `forward`, or `back` from depths that were written (HZ-22).
    pub update: &'static str,
    /// Those that were not culled, although each sample fails in its turn: what was known of their
    /// depths was too old, or not enough.
    pub stale: u64,
    pub by: CullsBy,
    pub levels: CullLevels,
    /// Triangles with a pair: all, and what is left behind the cull pipeline, the visibility unit,
    /// the binner, the rasteriser and the depth test.
    #[serde(skip)]
    pub triangles: [u64; 6],
    /// Windows, by the reason of their end, in the order of the event's causes.
    pub windows: [u64; 9],
}

/// The rasteriser, among those who cull.
const RASTERISER: u8 = 3;

/// Collects what the machine tells.
#[derive(Clone, Debug, Default)]
pub struct Culls {
    newest: Newest,
    /// Who culled a triangle in a square, by its first group: the first of the pipeline.
    culled: HashMap<(usize, Group), u8>,
    /// Triangles that replay skipped.
    skipped: BitSet,
    /// Single quads that were, by log2 of the side of what was hidden; 0: by their pixels.
    quads: HashMap<(usize, Group), u8>,
    /// How many pieces of a triangle the rasteriser culled in a group.
    pieces: HashMap<(usize, Group), usize>,
    /// Groups in which something of a triangle was drawn.
    drawn: HashSet<(usize, Group)>,
    /// Last triangles of windows.
    ends: Vec<usize>,
    windows: [u64; 9],
}

impl Culls {
    /// What a cycle showed.
    pub fn cycle(&mut self, events: &GraphicsOutputs) {
        if let Some(t) = &events.triangle {
            let triangle = self.newest.number(t.order);
            if is_skipped(t) {
                self.skipped.insert(triangle);
            }
        }
        if let Some(c) = &events.commit {
            let triangle = self.newest.number(c.order);
            self.drawn.insert((triangle, (c.x >> 2, c.y >> 2)));
        }
        for &CullEvent { kind, order, x, y, side } in &events.culls {
            let triangle = self.newest.number(order);
            if kind == RASTERISER && side == 3 {
                *self.pieces.entry((triangle, (x >> 3, y >> 3))).or_default() += 1;
            }
            if side < 3 {
                let across = if side == 2 { 2 } else { 1 };
                for (row, column) in (0..across).flat_map(|row| (0..across).map(move |column| (row, column))) {
                    let at = ((x >> 1) + column, (y >> 1) + row);
                    self.quads.entry((triangle, at)).and_modify(|s| *s = (*s).max(side)).or_insert(side);
                }
                continue;
            }
            let groups = 1 << side.saturating_sub(3);
            for (row, column) in (0..groups).flat_map(|row| (0..groups).map(move |column| (row, column))) {
                let at = ((x >> 3) + column, (y >> 3) + row);
                self.culled.entry((triangle, at)).and_modify(|k| *k = (*k).min(kind)).or_insert(kind);
            }
        }
        if let Some(w) = &events.window {
            let last = self.newest.number(w.order);
            self.ends.push(last);
            self.windows[usize::from(w.cause).min(8)] += 1;
        }
    }

    /// The window of a triangle: the first that ends with it or behind it.
    fn window(&self, triangle: usize) -> usize {
        if self.ends.is_empty() {
            return triangle;
        }
        self.ends.partition_point(|&end| end < triangle)
    }

    /// The figures, with the log of the model that drew the same list, and what the unit passed
    /// over.
    pub(crate) fn figures(&self, log: &FrameLog, list: &Submitted, unseen: &Unseen) -> CullFigures {
        let pairs = self.pairs(log, list);
        // By triangle, how far a pair of it comes.
        let mut reached: HashMap<usize, usize> = HashMap::new();
        let mut figures = CullFigures { submitted: pairs.len() as u64, windows: self.windows, ..Default::default() };
        for (pair, known) in &pairs {
            let of = &mut figures.by;
            let who = self.who(log, pair, known, unseen);
            let (stage, by) = match who {
                Some(0) => (0, Some(&mut of.cull_pipeline)),
                Some(1) => (1, Some(&mut of.visibility)),
                Some(2) => (2, Some(&mut of.binner)),
                Some(_) => (3, Some(&mut of.rasteriser)),
                None if known.passes => (5, None),
                None => (4, Some(&mut of.early_z)),
            };
            by.into_iter().for_each(|by| *by += 1);
            if stage >= 3 {
                self.levels(pair, known, unseen, &mut figures.levels);
            }
            let furthest = reached.entry(pair.0).or_default();
            *furthest = (*furthest).max(stage);
            figures.oracle += u64::from(!known.shows);
            figures.found += u64::from(who.is_some() && !known.shows);
            figures.beyond += u64::from(who.is_some() && known.shows);
            figures.stale += u64::from(who.is_none() && !known.shows && !known.passes);
        }
        let culled: HashSet<&(usize, Group)> =
            pairs.iter().filter(|(pair, known)| self.who(log, pair, known, unseen).is_some()).map(|p| p.0).collect();
        figures.ideal = Ideal::new(log, list).figures(list, |pair| culled.contains(pair));
        for (stage, count) in figures.triangles.iter_mut().enumerate() {
            *count = reached.values().filter(|&&furthest| furthest >= stage).count() as u64;
        }
        figures
    }

    /// First pixels of the groups of pairs that were culled before the depth test.
    pub(crate) fn squares(&self, log: &FrameLog, list: &Submitted, unseen: &Unseen) -> Vec<(u32, u32)> {
        let pairs = self.pairs(log, list);
        let culled = pairs.iter().filter(|(pair, known)| self.who(log, pair, known, unseen).is_some());
        culled.map(|((_, (x, y)), _)| (8 * u32::from(*x), 8 * u32::from(*y))).collect()
    }

    /// Who culled a pair: its group, or the last of its quads.
    fn who(&self, log: &FrameLog, pair: &(usize, Group), known: &Known, unseen: &Unseen) -> Option<u8> {
        if self.skipped.contains(pair.0) {
            return Some(0);
        }
        let quads = || known.places(pair).all(|quad| self.quads.contains_key(&quad)).then_some(RASTERISER);
        if log.triangles.get(pair.0).is_none_or(|t| t.primitives.len() < 2) {
            return self.culled.get(pair).copied().or_else(quads);
        }
        let left = known.pieces.iter().filter(|&&piece| !unseen.contains(&(piece, pair.1))).count();
        if left == 0 {
            return Some(VISIBILITY);
        }
        if self.drawn.contains(pair) {
            return None;
        }
        let groups = self.pieces.get(pair).is_some_and(|&count| count >= left);
        if groups {
            Some(RASTERISER)
        } else {
            quads()
        }
    }

    /// Quads of a pair that came to the rasteriser, by the level at which it left them out.
    fn levels(&self, pair: &(usize, Group), known: &Known, unseen: &Unseen, levels: &mut CullLevels) {
        let left = known.pieces.iter().filter(|&&piece| !unseen.contains(&(piece, pair.1))).count();
        if left > 0 && self.pieces.get(pair).is_some_and(|&count| count >= left) {
            levels.groups += known.quads.count_ones() as u64;
            return;
        }
        for quad in known.places(pair) {
            match self.quads.get(&quad) {
                Some(2) => levels.blocks += 1,
                Some(1) => levels.quads += 1,
                Some(_) => levels.pixels += 1,
                None => (),
            }
        }
    }

    /// Every pair, and what the model says of it.
    fn pairs(&self, log: &FrameLog, list: &Submitted) -> HashMap<(usize, Group), Known> {
        let mut pairs: HashMap<(usize, Group), Known> = HashMap::new();
        let mut segment = Segment::default();
        let mut draw = 0;
        for cover in &log.covers {
            let triangle = cover.triangle as usize;
            while list.draws.get(draw).is_some_and(|d| d.triangles.end <= triangle) {
                draw += 1;
            }
            let Some(d) = list.draws.get(draw) else { break };
            let key = d.run.map(|run| (run, self.window(triangle)));
            if key != segment.key {
                segment.resolve(&mut pairs);
                segment.key = key;
            }
            let pair = (triangle, (cover.x >> 3, cover.y >> 3));
            let known = pairs.entry(pair).or_default();
            known.passes |= cover.passes;
            if known.pieces.last() != Some(&cover.primitive) {
                known.pieces.push(cover.primitive);
            }
            known.quads.set(usize::from((cover.x >> 1 & 3) | (cover.y >> 1 & 3) << 2), true);
            if !cover.passes {
                known.shows |= !d.may_cull;
            } else if key.is_none() || !d.may_cull {
                known.shows = true;
            } else {
                let nearness = if d.grows { cover.depth } else { !cover.depth };
                let place = (cover.x, cover.y, cover.sample);
                segment.open.push((pair, place, nearness));
                segment.last.insert(place, nearness);
            }
        }
        segment.resolve(&mut pairs);
        pairs
    }
}

/// What the model says of a pair.
#[derive(Clone, Debug, Default)]
struct Known {
    /// A sample passes its test in its turn.
    passes: bool,
    /// Quads of the group in which the triangle covers a sample.
    quads: BitArray<[u16; 1]>,
    /// Pieces of the triangle that cover a sample.
    pieces: Vec<u32>,
    /// It must be drawn: it could not be known that nobody sees it.
    shows: bool,
}

impl Known {
    /// The covered quads of a pair, with the triangle.
    fn places<'a>(&'a self, pair: &'a (usize, Group)) -> impl Iterator<Item = (usize, Group)> + 'a {
        let &(triangle, (x, y)) = pair;
        self.quads.iter_ones().map(move |k| (triangle, (x << 2 | k as u16 & 3, y << 2 | k as u16 >> 2)))
    }
}

/// An opaque run within a window.
#[derive(Default)]
struct Segment {
    key: Option<(usize, usize)>,
    /// Samples that passed: their pair, their place, how near they are.
    open: Vec<((usize, Group), Place, u32)>,
    /// How near the last one of each place is.
    last: HashMap<Place, u32>,
}

impl Segment {
    /// At its end: what is not strictly behind shows.
    fn resolve(&mut self, pairs: &mut HashMap<(usize, Group), Known>) {
        for (pair, place, nearness) in self.open.drain(..) {
            if self.last.get(&place).is_none_or(|&last| last <= nearness) {
                pairs.entry(pair).or_default().shows = true;
            }
        }
        self.last.clear();
    }
}

/// Pairs of a triangle that has a fragment program and a pixel of which a sample is seen in the
/// end, in the targets of its pass: the least that must be shaded.
pub(crate) fn visible_samples(log: &FrameLog, list: &Submitted) -> u64 {
    let (mut seen, mut closed) = (HashSet::new(), HashSet::new());
    for quad in log.quads.iter().rev() {
        let Some(draw) = list.draw_of(quad.triangle).map(|n| &list.draws[n]) else { continue };
        let shaded = !log.programs.get(quad.program).is_some_and(LoggedProgram::is_empty);
        for sample in log.samples[quad.samples.clone()].iter().filter(|s| !s.lost) {
            let pixel = (quad.tags.x[sample.lane], quad.tags.y[sample.lane]);
            let place = (draw.pass, pixel, sample.sample);
            if closed.contains(&place) {
                continue;
            }
            if shaded {
                seen.insert((quad.triangle, pixel));
            }
            if draw.covers {
                closed.insert(place);
            }
        }
    }
    seen.len() as u64
}

#[cfg(test)]
mod tests {
    use quadlock_golden::frame_log::{LoggedCover, LoggedTriangle};

    use super::*;
    use crate::lockstep::submitted::DrawAt;

    fn draw(triangles: std::ops::Range<usize>, run: Option<usize>, may_cull: bool) -> DrawAt {
        DrawAt {
            triangles,
            instances: 0..1,
            written: 15,
            run,
            may_cull,
            covers: true,
            scissor: [0, 0, 16, 16],
            ..DrawAt::default()
        }
    }

    fn cover(triangle: u32, x: u16, depth: u32, passes: bool) -> LoggedCover {
        LoggedCover { triangle, primitive: triangle, x, y: 0, sample: 0, passes, depth }
    }

    /// Of triangles that cover pixels 0 and 1: who could be hidden, whom the machine hides.
    fn figures(covers: Vec<LoggedCover>, draws: Vec<DrawAt>, culls: &Culls) -> CullFigures {
        let log = FrameLog { covers, ..FrameLog::default() };
        let mut list = Submitted::default();
        list.draws.extend(draws);
        culls.figures(&log, &list, &Unseen::default())
    }

    fn windows(ends: &[usize]) -> Culls {
        Culls { ends: ends.to_vec(), ..Culls::default() }
    }

    /// Triangle 0 is far, 1 is near, and both pass in their turns.
    fn back_to_front() -> Vec<LoggedCover> {
        vec![cover(0, 0, 9, true), cover(0, 1, 9, true), cover(1, 0, 5, true), cover(1, 1, 5, true)]
    }

    #[test]
    fn what_a_window_hides_could_be_culled() {
        let of = |ends: &[usize], run| figures(back_to_front(), vec![draw(0..2, run, true)], &windows(ends)).oracle;
        assert_eq!(of(&[1], Some(1)), 1);
        // Another window, no run, no windows.
        assert_eq!(of(&[0, 1], Some(1)), 0);
        assert_eq!(of(&[1], None), 0);
        assert_eq!(of(&[], Some(1)), 0);
        // A sample is not drawn over.
        let covers = back_to_front()[..3].to_vec();
        assert_eq!(figures(covers, vec![draw(0..2, Some(1), true)], &windows(&[1])).oracle, 0);
        // What is level is not strictly behind.
        let level = vec![cover(0, 0, 5, true), cover(1, 0, 5, true)];
        assert_eq!(figures(level, vec![draw(0..2, Some(1), true)], &windows(&[1])).oracle, 0);
    }

    #[test]
    fn what_fails_in_its_turn_could_be_culled_if_its_draw_may_be() {
        let covers = || vec![cover(0, 0, 5, true), cover(1, 0, 9, false)];
        let of = |may| figures(covers(), vec![draw(0..1, None, true), draw(1..2, None, may)], &windows(&[]));
        assert_eq!((of(true).oracle, of(true).submitted, of(true).by.early_z), (1, 2, 1));
        assert_eq!(of(true).stale, 1);
        assert_eq!((of(false).oracle, of(false).stale), (0, 0));
    }

    /// Of a clipped triangle one piece covers nothing where the other one is drawn.
    #[test]
    fn a_piece_that_is_passed_over_is_not_the_triangle() {
        let mut list = Submitted::default();
        list.draws.push(draw(0..1, Some(1), true));
        let mut log = FrameLog { covers: vec![cover(0, 0, 9, true)], ..FrameLog::default() };
        log.covers[0].primitive = 1;
        log.triangles.push(LoggedTriangle { culled: None, clipped: true, primitives: 0..2 });
        let mut culls = Culls::default();
        let passed_over = CullEvent { kind: 1, order: 0, x: 0, y: 0, side: 3 };
        culls.cycle(&GraphicsOutputs { culls: vec![passed_over], ..GraphicsOutputs::default() });
        let by = |unseen: &[(u32, Group)], culls: &Culls| {
            let by = culls.figures(&log, &list, &unseen.iter().copied().collect()).by;
            (by.visibility, by.rasteriser)
        };
        assert_eq!(by(&[(0, (0, 0))], &culls), (0, 0));
        assert_eq!(by(&[(0, (0, 0)), (1, (0, 0))], &culls), (1, 0));
        let hidden = CullEvent { kind: 3, ..passed_over };
        culls.cycle(&GraphicsOutputs { culls: vec![hidden], ..GraphicsOutputs::default() });
        assert_eq!(by(&[(0, (0, 0))], &culls), (0, 1));
        culls.drawn.insert((0, (0, 0)));
        assert_eq!(by(&[(0, (0, 0))], &culls), (0, 0));
    }

    #[test]
    fn culls_of_groups_and_of_all_quads_are_found() {
        let covers = || {
            let mut all = back_to_front();
            // A second quad of the first triangle.
            all.splice(2..2, [cover(0, 4, 9, true)]);
            all.push(cover(1, 4, 5, true));
            all
        };
        let list = || vec![draw(0..2, Some(1), true)];
        let mut culls = windows(&[1]);
        let quad = |x| CullEvent { kind: 3, order: 0, x, y: 0, side: 1 };
        let tell = |culls: &mut Culls, event| {
            culls.cycle(&GraphicsOutputs { culls: vec![event], ..GraphicsOutputs::default() });
        };
        tell(&mut culls, quad(0));
        let seen = figures(covers(), list(), &culls);
        assert_eq!((seen.found, seen.levels), (0, CullLevels { quads: 1, ..CullLevels::default() }));
        tell(&mut culls, quad(4));
        let seen = figures(covers(), list(), &culls);
        assert_eq!((seen.found, seen.by.rasteriser, seen.oracle, seen.beyond), (1, 1, 1, 0));
        // A block has both, and the group has all.
        let part = |side| CullEvent { kind: 3, order: 0, x: 0, y: 0, side };
        let mut more = culls.clone();
        tell(&mut more, part(2));
        let levels = figures(covers(), list(), &more).levels;
        assert_eq!(levels, CullLevels { blocks: 1, quads: 1, ..CullLevels::default() });
        tell(&mut more, part(3));
        assert_eq!(figures(covers(), list(), &more).levels, CullLevels { groups: 2, ..CullLevels::default() });
        assert_eq!(seen.triangles, [2, 2, 2, 2, 1, 1]);
        tell(&mut culls, CullEvent { kind: 1, order: 1, x: 0, y: 0, side: 4 });
        let seen = figures(covers(), list(), &culls);
        assert_eq!((seen.beyond, seen.by.visibility), (1, 1));
        assert_eq!(seen.triangles, [2, 2, 1, 1, 0, 0]);
        let mut list = Submitted::default();
        list.draws.push(draw(0..2, Some(1), true));
        // What covers nothing in the rest of the square of 16 is no pair.
        let log = FrameLog { covers: covers(), ..FrameLog::default() };
        assert_eq!(culls.squares(&log, &list, &Unseen::default()), [(0, 0); 2]);
    }
}
