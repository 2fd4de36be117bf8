//! Visits of tiles, reckoned beside the tile buffers: which tiles each window of triangles draws
//! in, and how often a tile must come back from memory if none stays in a buffer. `tile_reloads` is
//! what the machine did.
//!
//! The boxes of triangles are the model's. The machine says which of their tiles it passes over
//! (`cull`), and where its windows end and how many pairs of triangle and tile each has (`window`).
//! So this knows the rules of the binner (docs/blocks/binner.md) and nothing of tile buffers.
//!
//! ```text
//! boxes - culled tiles -> pairs, in order -> cut where windows end -> tiles, once for a window
//! ```
//!
//! Wrong would be a number that was not measured. The pairs that come out here must be as many as
//! the windows say, the last triangle of each must be theirs, and no window may go on behind its
//! pass; else there is no number at all. One thing cannot be told: pieces of a clipped triangle
//! have one number. A piece that covers nothing in a tile is passed over there. If several cover it
//! and only some are hidden, the first are taken. Which tiles a window has is right all the same,
//! but their order may be another one.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use quadlock_golden::frame_log::FrameLog;
use quadlock_hdl::config::Tbimr;
use serde::Serialize;

use super::newest::Newest;
use crate::base::bits::BitSet;
use crate::lockstep::submitted::{DrawAt, PassAt, Submitted};
use crate::machine::ports::{is_skipped, GraphicsOutputs};

/// First pixel of a tile.
type Tile = (u32, u32);

/// What the report says of visits. Each is a pair of a window and a tile; without windows, of a
/// triangle and a tile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct VisitFigures {
    /// All visits.
    pub all: u64,
    /// The first of a tile in its pass.
    pub first: u64,
    /// Others, of a tile that is still open: the visit before was in it, too.
    pub open: u64,
    /// The rest: the tile was closed meanwhile.
    pub again: u64,
}

/// Windows by the reason of their end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct WindowCounts {
    pub all: u64,
    /// They have as many triangles as there may be.
    pub triangles: u64,
    /// As many pairs, or all of their memory.
    pub pairs: u64,
    /// A tile finds no place.
    pub places: u64,
    /// Geometry has no free entry or record.
    pub starved: u64,
    /// The command list waits.
    pub list: u64,
    pub time: u64,
    /// An opaque run of Hi-Z waits until the window is drawn.
    pub run: u64,
    /// The list waits for a context.
    pub contexts: u64,
    /// Geometry has no number for a triangle.
    pub numbers: u64,
}

/// A window that has ended.
#[derive(Clone, Copy, Debug)]
struct Window {
    /// Pairs of triangle and tile.
    pairs: usize,
    /// The last triangle that was begun in it.
    last: usize,
    /// A pair has no place in it, and is the first of the next one.
    full: bool,
}

/// Collects what the machine tells.
#[derive(Clone, Debug, Default)]
pub struct Visits {
    newest: Newest,
    /// Tiles that a triangle is not binned in, in order.
    culled: HashMap<usize, Vec<Tile>>,
    /// Triangles that the cull pipeline lets the other one skip: they do not come to the binner.
    skipped: BitSet,
    windows: Vec<Window>,
    counts: WindowCounts,
}

/// Kind of a cull of a tile before it is binned.
pub(super) const VISIBILITY: u8 = 1;

/// Groups of 8 by 8 pixels in which a piece of a triangle is not binned, by its number in the log.
pub(super) type Unseen = HashSet<(u32, (u16, u16))>;

impl Visits {
    /// What a cycle showed.
    pub fn cycle(&mut self, events: &GraphicsOutputs) {
        if let Some(t) = &events.triangle {
            let triangle = self.newest.number(t.order);
            if is_skipped(t) {
                self.skipped.insert(triangle);
            }
        }
        for cull in events.culls.iter().filter(|c| c.kind == VISIBILITY) {
            let triangle = self.newest.number(cull.order);
            self.culled.entry(triangle).or_default().push((cull.x.into(), cull.y.into()));
        }
        if let Some(w) = &events.window {
            let last = self.newest.number(w.order);
            let c = &mut self.counts;
            let full = [&mut c.triangles, &mut c.pairs, &mut c.places];
            let waits = [&mut c.starved, &mut c.list, &mut c.time, &mut c.run, &mut c.contexts, &mut c.numbers];
            full.into_iter().chain(waits).nth(w.cause.into()).into_iter().for_each(|n| *n += 1);
            c.all += 1;
            self.windows.push(Window { pairs: w.pairs as usize, last, full: matches!(w.cause, 1 | 2) });
        }
    }

    /// Windows that have ended.
    pub fn windows(&self) -> WindowCounts {
        self.counts
    }

    /// The figures, with the log of the model that drew the same list; `sorts`: which windows the
    /// machine has. None if what the machine tells does not add up.
    pub(crate) fn figures(&self, log: &FrameLog, list: &Submitted, sorts: Tbimr) -> Option<VisitFigures> {
        let mut out = VisitFigures::default();
        let mut windows = self.windows.iter();
        let covered = covered(log, list);
        for (number, pass) in list.passes.iter().enumerate() {
            let mut pieces = vec![];
            for draw in list.draws.iter().filter(|d| d.pass == number) {
                for triangle in draw.triangles.clone().take_while(|&t| t < log.triangles.len()) {
                    pieces.extend(self.pieces(triangle, draw, pass, log, &covered)?);
                }
            }
            let mut visited = Visited { figures: &mut out, seen: HashSet::new(), at: None };
            match sorts {
                Tbimr::Off => pieces.iter().for_each(|piece| visited.immediate(piece)),
                Tbimr::Window => visited.sorted(&pieces, &mut windows)?,
                // What is seen nowhere is in no window.
                Tbimr::Full => {
                    pieces.retain(|piece| !piece.tiles.is_empty());
                    visited.sorted(&pieces, &mut windows)?;
                }
            }
        }
        windows.next().is_none().then_some(out)
    }

    /// Where pieces were passed over, of all triangles.
    pub(crate) fn unseen(&self, log: &FrameLog, list: &Submitted) -> Unseen {
        let covered = covered(log, list);
        let mut out = Unseen::new();
        for &triangle in self.culled.keys() {
            let Some(draw) = list.draw_of(triangle).map(|n| &list.draws[n]) else { continue };
            let pass = &list.passes[draw.pass];
            let pieces = self.pieces(triangle, draw, pass, log, &covered).unwrap_or_default();
            for (piece, &(x, y)) in pieces.iter().flat_map(|p| p.hidden.iter().map(move |tile| (p.primitive, tile))) {
                let groups = |at: u32| (at >> 3) as u16..((at + pass.side) >> 3) as u16;
                out.extend(groups(y).flat_map(|y| groups(x).map(move |x| (piece, (x, y)))));
            }
        }
        out
    }

    /// The pieces of a triangle that come to the binner. None if a tile is culled more often than
    /// pieces have it.
    fn pieces(
        &self,
        triangle: usize,
        draw: &DrawAt,
        pass: &PassAt,
        log: &FrameLog,
        covered: &HashSet<(u32, Tile)>,
    ) -> Option<Vec<Piece>> {
        let mut out = vec![];
        if self.skipped.contains(triangle) {
            return Some(out);
        }
        for primitive in log.triangles.get(triangle)?.primitives.clone() {
            let [x0, x1, y0, y1] = log.primitives[primitive].triangle.bounds().map(|bound| bound.div_euclid(256));
            let [left, top, right, bottom] = draw.scissor;
            let columns = tiles([x0, x1], left..right.min(pass.width), pass.side);
            let rows = tiles([y0, y1], top..bottom.min(pass.height), pass.side);
            let walk: Vec<Tile> = rows.flat_map(|y| columns.clone().map(move |x| (x, y))).collect();
            // One without a pixel does not come.
            let Some(&last) = walk.last() else { continue };
            out.push(Piece { triangle, primitive: primitive as u32, tiles: walk, hidden: vec![], last });
        }
        for culled in self.culled.get(&triangle).into_iter().flatten() {
            let has = |p: &Piece| p.tiles.contains(culled);
            let empty = |p: &Piece| has(p) && !covered.contains(&(p.primitive, *culled));
            let which = out.iter().position(empty).or_else(|| out.iter().position(has))?;
            let piece = &mut out[which];
            piece.tiles.retain(|tile| tile != culled);
            piece.hidden.push(*culled);
        }
        Some(out)
    }
}

/// Tiles in which pieces of triangles cover a sample.
fn covered(log: &FrameLog, list: &Submitted) -> HashSet<(u32, Tile)> {
    let mut out = HashSet::new();
    let mut draw = 0;
    for cover in &log.covers {
        while list.draws.get(draw).is_some_and(|d| d.triangles.end <= cover.triangle as usize) {
            draw += 1;
        }
        let Some(pass) = list.draws.get(draw).and_then(|d| list.passes.get(d.pass)) else { break };
        let first = |at: u16| u32::from(at) & !(pass.side - 1);
        out.insert((cover.primitive, (first(cover.x), first(cover.y))));
    }
    out
}

/// First pixels of the tiles that pixels `from` to `to` of an axis are in, within a limit.
fn tiles([from, to]: [i64; 2], limit: Range<u32>, side: u32) -> impl Iterator<Item = u32> + Clone {
    let from = from.max(limit.start.into()) as u32;
    let end = (to + 1).clamp(0, limit.end.into()) as u32;
    (from & !(side - 1)..if from < end { end } else { 0 }).step_by(side as usize)
}

/// A triangle, or a piece of a clipped one, at the binner.
#[derive(Debug)]
struct Piece {
    triangle: usize,
    /// Its number in the log.
    primitive: u32,
    /// Tiles in which it may be seen.
    tiles: Vec<Tile>,
    /// Tiles in which it is not binned.
    hidden: Vec<Tile>,
    /// The last of its box, seen or not.
    last: Tile,
}

/// Tiles of a pass as they are visited.
struct Visited<'a> {
    figures: &'a mut VisitFigures,
    seen: HashSet<Tile>,
    /// The one that is open.
    at: Option<Tile>,
}

impl Visited<'_> {
    fn visit(&mut self, tile: Tile) {
        let f = &mut self.figures;
        f.all += 1;
        match (self.seen.insert(tile), self.at == Some(tile)) {
            (true, _) => f.first += 1,
            (_, true) => f.open += 1,
            _ => f.again += 1,
        }
        self.at = Some(tile);
    }

    /// A triangle of a machine without windows. Its end goes with the last tile of its box; if that
    /// is hidden, to any open one.
    fn immediate(&mut self, piece: &Piece) {
        piece.tiles.iter().for_each(|&tile| self.visit(tile));
        if self.at.is_none() {
            self.visit(piece.last);
        }
    }

    /// All triangles of the pass, in windows.
    fn sorted<'w>(&mut self, pieces: &[Piece], windows: &mut impl Iterator<Item = &'w Window>) -> Option<()> {
        let mut filling: Option<Filling> = None;
        for piece in pieces {
            // One that is seen nowhere has its end with the pair before, if its window has one.
            let before = filling.as_ref().filter(|f| f.pairs.len() < f.window.pairs || f.window.full);
            let end = before.and_then(|f| f.pairs.last()).map_or(piece.last, |pair| pair.1);
            let pairs = if piece.tiles.is_empty() { std::slice::from_ref(&end) } else { &piece.tiles };
            for &tile in pairs {
                if let Some(done) = filling.take_if(|f| f.pairs.len() == f.window.pairs) {
                    self.window(&done, Some(piece.triangle))?;
                }
                let filling = match &mut filling {
                    Some(f) => f,
                    none => none.insert(Filling { window: *windows.next()?, pairs: vec![] }),
                };
                filling.pairs.push((piece.triangle, tile));
            }
        }
        filling.map_or(Some(()), |last| self.window(&last, None))
    }

    /// A window is drawn: its tiles, in the order in which it touched them first. `next` is the
    /// triangle of the pair behind it. None if it is not as the machine said.
    fn window(&mut self, filled: &Filling, next: Option<usize>) -> Option<()> {
        let Filling { window, pairs } = filled;
        let last = pairs.last()?.0;
        let cut = window.full && next == Some(window.last);
        if pairs.len() != window.pairs || (window.last != last && !cut) {
            return None;
        }
        let mut own = HashSet::new();
        pairs.iter().filter(|pair| own.insert(pair.1)).for_each(|pair| self.visit(pair.1));
        Some(())
    }
}

/// A window, and its pairs of triangle and tile.
struct Filling {
    window: Window,
    pairs: Vec<(usize, Tile)>,
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use quadlock_golden::frame_log::{LoggedCover, LoggedTriangle};
    use quadlock_golden::graphics::primitive::Primitive;
    use quadlock_golden::graphics::triangle::{Corner, Triangle};

    use super::*;
    use crate::machine::ports::{CullEvent, TriangleEvent, WindowEvent};

    /// Of a target of 4 by 4 tiles of 8 pixels: triangles whose boxes are these tiles, from the
    /// first to the last.
    fn drawn(boxes: &[[i64; 4]]) -> (FrameLog, Submitted) {
        let mut log = FrameLog::default();
        for (n, &[x0, y0, x1, y1]) in boxes.iter().enumerate() {
            let corner = |x: i64, y: i64| Corner { x: 256 * x, y: 256 * y, z: 0 };
            let (left, top, right, bottom) = (8 * x0 + 1, 8 * y0 + 1, 8 * x1 + 4, 8 * y1 + 4);
            let triangle = Triangle::new([corner(left, top), corner(right, top), corner(left, bottom)]);
            log.primitives.push(Arc::new(Primitive {
                triangle: triangle.unwrap(),
                vertices: [[0; 64]; 3],
                first: [0; 64],
                reciprocals: [0; 3],
                inverse_area: 0,
                front: true,
            }));
            log.triangles.push(LoggedTriangle { culled: None, clipped: false, primitives: n..n + 1 });
        }
        let mut list = Submitted::default();
        list.passes.push(PassAt {
            width: 32,
            height: 32,
            samples: 1,
            side: 8,
            row: 16,
            plane: 256,
            targets: vec![],
            depth: None,
            depth_place: None,
        });
        list.draws.push(DrawAt {
            triangles: 0..boxes.len(),
            instances: 0..1,
            written: 15,
            may_cull: true,
            covers: true,
            scissor: [0, 0, 32, 32],
            ..DrawAt::default()
        });
        (log, list)
    }

    fn cull(order: u16, x: u16, y: u16) -> GraphicsOutputs {
        let event = CullEvent { kind: VISIBILITY, order, x: 8 * x, y: 8 * y, side: 3 };
        GraphicsOutputs { culls: vec![event], ..GraphicsOutputs::default() }
    }

    fn window(cause: u8, pairs: u32, order: u16) -> GraphicsOutputs {
        let window = WindowEvent { cause, triangles: 0, pairs, order };
        GraphicsOutputs { window: Some(window), ..GraphicsOutputs::default() }
    }

    fn told(events: &[GraphicsOutputs], boxes: &[[i64; 4]], sorts: bool) -> Option<[u64; 4]> {
        let mut visits = Visits::default();
        events.iter().for_each(|e| visits.cycle(e));
        let (log, list) = drawn(boxes);
        let sorts = if sorts { Tbimr::Window } else { Tbimr::Off };
        visits.figures(&log, &list, sorts).map(|f| [f.all, f.first, f.open, f.again])
    }

    /// Two tiles, their neighbour, the first again.
    const BOXES: [[i64; 4]; 3] = [[0, 0, 1, 0], [1, 0, 2, 0], [0, 0, 0, 0]];

    #[test]
    fn without_windows_each_triangle_visits_its_tiles() {
        // Tile 1 is still open when the second triangle comes.
        assert_eq!(told(&[], &BOXES, false), Some([5, 3, 1, 1]));
        // Hidden there the second triangle visits one tile.
        assert_eq!(told(&[cull(1, 1, 0)], &BOXES, false), Some([4, 3, 0, 1]));
        // Hidden everywhere, the first one ends in the last tile of its box, the others anywhere.
        let all = [cull(0, 0, 0), cull(0, 1, 0), cull(1, 1, 0), cull(1, 2, 0), cull(2, 0, 0)];
        assert_eq!(told(&all, &BOXES, false), Some([1, 1, 0, 0]));
        // A tile that is not in the box.
        assert_eq!(told(&[cull(1, 0, 0)], &BOXES, false), None);
    }

    #[test]
    fn a_window_visits_a_tile_once() {
        // One window.
        assert_eq!(told(&[window(4, 5, 2)], &BOXES, true), Some([3, 3, 0, 0]));
        // Two: tile 0 again. Three: tile 1 was the last of the first window.
        assert_eq!(told(&[window(0, 4, 1), window(4, 1, 2)], &BOXES, true), Some([4, 3, 0, 1]));
        let three = [window(0, 2, 0), window(0, 2, 1), window(4, 1, 2)];
        assert_eq!(told(&three, &BOXES, true), Some([5, 3, 1, 1]));
        // Cut within the second triangle, whose number the window has then.
        assert_eq!(told(&[window(1, 2, 1), window(4, 3, 2)], &BOXES, true), Some([5, 3, 1, 1]));
        assert_eq!(told(&[window(1, 3, 1), window(4, 2, 2)], &BOXES, true), Some([4, 3, 0, 1]));
    }

    /// The second triangle is skipped, and comes to no window.
    #[test]
    fn a_triangle_that_is_skipped_visits_nothing() {
        let triangle = TriangleEvent { context: 0, order: 1, what: 7, clipped: false, last: false, handle: 0 };
        let skip = GraphicsOutputs { triangle: Some(triangle), ..GraphicsOutputs::default() };
        assert_eq!(told(&[skip.clone(), window(4, 3, 2)], &BOXES, true), Some([2, 2, 0, 0]));
        assert_eq!(told(&[skip, window(4, 5, 2)], &BOXES, true), None);
    }

    #[test]
    fn what_does_not_add_up_is_no_number() {
        for events in [
            vec![],
            vec![window(4, 4, 2)],
            vec![window(4, 6, 2)],
            vec![window(4, 5, 1)],
            vec![window(4, 5, 2), window(4, 1, 2)],
            vec![window(0, 2, 1), window(4, 3, 2)],
        ] {
            assert_eq!(told(&events, &BOXES, true), None, "{events:?}");
        }
    }

    /// Two pieces share two tiles, and each covers something in one of them: it is passed over in
    /// the other one.
    #[test]
    fn pieces_of_a_triangle_are_told_apart() {
        let (mut log, mut list) = drawn(&[[0, 0, 1, 0], [0, 0, 1, 0]]);
        log.triangles = vec![LoggedTriangle { culled: None, clipped: true, primitives: 0..2 }];
        list.draws[0].triangles = 0..1;
        let cover = |primitive, x| LoggedCover { triangle: 0, primitive, x, y: 0, sample: 0, passes: true, depth: 0 };
        log.covers = vec![cover(0, 0), cover(1, 8)];
        let mut visits = Visits::default();
        [cull(0, 1, 0), cull(0, 0, 0)].iter().for_each(|e| visits.cycle(e));
        let f = visits.figures(&log, &list, Tbimr::Off).unwrap();
        assert_eq!([f.all, f.first, f.open, f.again], [2, 2, 0, 0]);
        assert_eq!(visits.unseen(&log, &list), Unseen::from([(0, (1, 0)), (1, (0, 0))]));
    }

    /// A triangle that is seen nowhere has a pair: with the one before, or the last of its box if
    /// it is the first of its window.
    #[test]
    fn an_end_has_a_pair() {
        let hidden = [cull(1, 1, 0), cull(1, 2, 0)];
        let of = |windows: &[GraphicsOutputs]| told(&[&hidden[..], windows].concat(), &BOXES, true);
        assert_eq!(of(&[window(4, 4, 2)]), Some([2, 2, 0, 0]));
        // Alone in its window it visits tile 2.
        assert_eq!(of(&[window(0, 2, 0), window(0, 1, 1), window(4, 1, 2)]), Some([4, 3, 0, 1]));
        // It was asked before the window was full.
        assert_eq!(of(&[window(1, 2, 1), window(4, 2, 2)]), Some([4, 2, 1, 1]));
    }
}
