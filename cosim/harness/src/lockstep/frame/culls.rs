//! The judge of culls: a quad that the machine does not draw must be one that nobody sees (HZ-13,
//! HZ-21). The machine says where a triangle is not drawn, and who decided it. What it says is
//! looked at when another quad of the place commits in its turn, and at the end. Whoever comes
//! behind the binner's window may know of later triangles (`FrameLaunch::ahead`); the unit before
//! it does not. With `hi-z = rasteriser`, and with `hi-z-update = back`, nobody does.
//!
//! Wrong would be to ask the machine why. Only the model's log counts, which drew everything in
//! order. A wrong cull may show first in what it lets through, and another checker tells of that.

use std::collections::VecDeque;

use quadlock_golden::frame_log::{LoggedProgram, LoggedSample};

use quadlock_golden::Tags;
use quadlock_isa::abi::LANES;

use super::{found, Concern, Found, FrameFollow, Place, Ticket, What};
use crate::machine::ports::{CullEvent, GraphicsLaunched};

/// Quads of a cull in a part of a group: a block of 4 by 4 pixels has four of them.
fn quads_of(event: &CullEvent) -> impl Iterator<Item = Place> {
    let (x, y) = (u32::from(event.x) >> 1, u32::from(event.y) >> 1);
    let side = if event.side == 2 { 2 } else { 1 };
    (0..side).flat_map(move |row| (0..side).map(move |column| (x + column, y + row)))
}

impl FrameFollow {
    /// Something is not drawn.
    ///
    /// # Errors
    /// A sample of it fails its tests, and changes the stencil (HZ-25). Of a triangle in pieces it
    /// is not known which one is not drawn, and memory tells.
    pub(super) fn culls(&mut self, event: &CullEvent) -> Found {
        let triangle = self.number(event.order);
        let whole = self.log.triangles.get(triangle).is_none_or(|t| t.primitives.len() < 2);
        if whole && !self.log.marked.is_empty() {
            let side = 1 << event.side.saturating_sub(1);
            let (x, y) = (u32::from(event.x) >> 1, u32::from(event.y) >> 1);
            let of_triangle = self.log.marked.range((triangle, (x, 0))..(triangle, (x + side, 0)));
            if let Some(&(_, at)) = of_triangle.clone().find(|m| (y..y + side).contains(&m.1 .1)) {
                return found(Concern::Quad, What::CullWrong { kind: event.kind }, self.key_at(triangle, at));
            }
        }
        if event.side < 3 {
            for at in quads_of(event) {
                self.culled_quads.insert((triangle, at), event.kind);
            }
            return Ok(());
        }
        let groups = 1 << event.side.saturating_sub(3);
        let (x, y) = (u32::from(event.x) >> 3, u32::from(event.y) >> 3);
        for at in (0..groups).flat_map(|row| (0..groups).map(move |column| (x + column, y + row))) {
            self.culled.entry((triangle, at)).and_modify(|k| *k = (*k).max(event.kind)).or_insert(event.kind);
        }
        Ok(())
    }

    /// Quads that are next at a place, before that of `next`, and were culled. Each must be one
    /// that nobody sees: all its samples fail their test, or, if a later one could say so, each is
    /// drawn over by a later triangle of its opaque run (HZ-13).
    ///
    /// # Errors
    /// One that is seen.
    pub(super) fn skip(&mut self, at: Place, next: Option<usize>) -> Found {
        while let Some(ticket) = self.uncommitted.get(&at).and_then(VecDeque::front) {
            let (triangle, quads) = (ticket.triangle, ticket.quads.clone());
            let Some(kind) = self.who_culled(triangle, at) else { break };
            let key = |n: usize| (triangle, at, self.log.quads[n].tags.sample[0]);
            let waits = |n: usize| self.unshaded.get(&key(n)).is_some_and(|q| q.contains(&n));
            let empty = self.log.programs.get(self.log.quads[quads.start].program).is_some_and(LoggedProgram::is_empty);
            let is_next = next == Some(triangle);
            if ticket.beats > 0 || if empty { is_next } else { !quads.clone().all(waits) } {
                break;
            }
            if !self.is_unseen(at, kind) {
                return found(Concern::Quad, What::CullWrong { kind }, self.key_at(triangle, at));
            }
            for n in quads {
                let key = (triangle, at, self.log.quads[n].tags.sample[0]);
                if let Some(waiting) = self.unshaded.get_mut(&key) {
                    waiting.retain(|&q| q != n);
                }
            }
            if let Some(tickets) = self.uncommitted.get_mut(&at) {
                tickets.pop_front();
            }
        }
        Ok(())
    }

    /// Samples that the machine's quad covers and the model's does not. They may be there if the
    /// triangle covers them and a later one of its opaque run draws over them.
    pub(super) fn more_is_covered(
        &mut self,
        (triangle, at): (usize, Place),
        tags: &mut Tags,
        event: &GraphicsLaunched,
        primitive: usize,
    ) {
        if self.frame.ahead == 0 || self.culled.is_empty() && self.culled_quads.is_empty() {
            return;
        }
        let run = |t: usize| self.list.draw_of(t).and_then(|d| self.list.draws[d].run);
        let Some(tickets) = self.uncommitted.get(&at).filter(|_| run(triangle).is_some()) else { return };
        let later =
            || tickets.iter().skip_while(|t| t.triangle <= triangle).take_while(|t| run(t.triangle) == run(triangle));
        let over = |lane: usize, sample: usize| {
            let of = |t: &Ticket| self.log.quads[t.quads.clone()].iter().map(|q| q.samples.clone()).collect::<Vec<_>>();
            let hits = |s: &LoggedSample| !s.lost && (s.lane, s.sample) == (lane, sample);
            later().any(|t| of(t).into_iter().any(|samples| self.log.samples[samples].iter().any(hits)))
        };
        let shape = &self.log.primitives[primitive].triangle;
        let mut extra = [0u8; LANES];
        let mut coverage = tags.coverage;
        for (lane, covered) in coverage.iter_mut().enumerate() {
            let own = lane ^ usize::from(event.flip & 3);
            let pixel = (i64::from(tags.x[lane]), i64::from(tags.y[lane]));
            for s in 0..tags.samples.places().len() {
                let seen = event.place[lane] >> (26 + s) & 1 == 1;
                if seen && *covered >> s & 1 == 0 && shape.covers(tags.samples.at(pixel, s)) && over(own, s) {
                    *covered |= 1 << s;
                    extra[own] |= 1 << s;
                }
            }
        }
        tags.coverage = coverage;
        if extra != [0; LANES] {
            self.extra.insert((triangle, at), extra);
        }
    }

    /// Who decided that a quad is not drawn. Pieces of a clipped triangle have one number: the unit
    /// passes over a piece that covers nothing in a tile, and another piece is culled there later.
    fn who_culled(&self, triangle: usize, at: Place) -> Option<u8> {
        let group = self.culled.get(&(triangle, (at.0 >> 2, at.1 >> 2)));
        group.into_iter().chain(self.culled_quads.get(&(triangle, at))).copied().max()
    }

    /// Nobody sees the quad that is next at a place.
    fn is_unseen(&self, at: Place, kind: u8) -> bool {
        let Some(tickets) = self.uncommitted.get(&at) else { return false };
        let run = |ticket: &Ticket| self.list.draw_of(ticket.triangle).and_then(|d| self.list.draws[d].run);
        let samples = |ticket: &Ticket| {
            let quads = &self.log.quads[ticket.quads.clone()];
            quads.iter().flat_map(|q| &self.log.samples[q.samples.clone()]).filter(|s| !s.lost)
        };
        let ahead = self.frame.ahead >> kind & 1 == 1 && run(&tickets[0]).is_some();
        let later = |s: &LoggedSample| {
            let over = |t: &Ticket| samples(t).any(|o| (o.lane, o.sample) == (s.lane, s.sample));
            tickets.iter().skip(1).take_while(|t| run(t) == run(&tickets[0])).any(over)
        };
        tickets.front().is_some_and(|front| samples(front).all(|s| ahead && later(s)))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::tests::{commit_lanes, follow};
    use super::*;
    use crate::lockstep::submitted::{DrawAt, Submitted};
    use crate::machine::launch::FrameLaunch;

    /// The same two triangles of one draw; each covers a sample, which may be lost in the test.
    /// Triangle 0 is said to be hidden by `kind`, then triangle 1 commits.
    fn culled_by(kind: u8, lost: [bool; 2], run: Option<usize>, ahead: u8) -> Result<(), (Concern, What)> {
        culled_in(CullEvent { kind, order: 0, x: 0, y: 0, side: 3 }, lost, run, ahead)
    }

    fn culled_in(event: CullEvent, lost: [bool; 2], run: Option<usize>, ahead: u8) -> Result<(), (Concern, What)> {
        let mut follow = two(lost, run, ahead);
        follow.culls(&event).map_err(|(concern, finding)| (concern, finding.what))?;
        commit_lanes(&mut follow, 1, u8::from(!lost[1]))
    }

    /// The same, before anything happens.
    fn two(lost: [bool; 2], run: Option<usize>, ahead: u8) -> FrameFollow {
        let mut follow = follow();
        let mut log = (*follow.log).clone();
        log.samples = lost.map(|lost| LoggedSample { lane: 0, sample: 0, depth: 0, words: [0; 8], lost }).to_vec();
        log.quads.iter_mut().enumerate().for_each(|(n, q)| q.samples = n..n + 1);
        follow.log = Arc::new(log);
        let mut list = Submitted::default();
        list.draws.push(DrawAt {
            triangles: 0..2,
            instances: 0..1,
            written: 15,
            run,
            may_cull: true,
            covers: true,
            scissor: [0, 0, 8, 8],
            ..DrawAt::default()
        });
        follow.list = Arc::new(list);
        follow.frame = Arc::new(FrameLaunch { ahead, ..(*follow.frame).clone() });
        follow
    }

    fn culled(kind: u8, lost: [bool; 2], run: Option<usize>) -> Result<(), (Concern, What)> {
        culled_by(kind, lost, run, 12)
    }

    /// Hidden by what was drawn before: it must fail its test. Hidden by what comes later: or be
    /// drawn over, within an opaque run.
    #[test]
    fn hz_13_culls_are_judged() {
        let wrong = |kind| Err((Concern::Quad, What::CullWrong { kind }));
        assert_eq!(culled(1, [true, false], None), Ok(()));
        assert_eq!(culled(1, [false, false], Some(1)), wrong(1));
        assert_eq!(culled(3, [false, false], Some(1)), Ok(()));
        assert_eq!(culled(3, [false, false], None), wrong(3));
        assert_eq!(culled(3, [false, true], Some(1)), wrong(3));
        assert_eq!(culled(3, [true, true], None), Ok(()));
        // The binner is as the rasteriser.
        assert_eq!(culled(2, [false, false], Some(1)), Ok(()));
        assert_eq!(culled(2, [false, true], Some(1)), wrong(2));
        // With Hi-Z in the rasteriser alone, or from written depths, nobody knows of what comes
        // later: neither unit nor binner nor rasteriser.
        for kind in 1..4 {
            assert_eq!(culled_by(kind, [false, false], Some(1), 0), wrong(kind));
            assert_eq!(culled_by(kind, [true, false], Some(1), 0), Ok(()));
        }
        // Two structures: the binner's knows of later triangles, the rasteriser's does not.
        assert_eq!(culled_by(3, [false, false], Some(1), 4), wrong(3));
        assert_eq!(culled_by(2, [false, false], Some(1), 4), Ok(()));
    }

    /// HZ-25: a sample that fails its test, and changes the stencil. Only what is not drawn counts.
    #[test]
    fn hz_25_a_mark_in_the_stencil_is_missed() {
        let culled = |kind, at: (u32, u32), side, marked: (usize, (u32, u32))| {
            let mut follow = two([true, false], None, 0);
            let mut log = (*follow.log).clone();
            log.marked.insert(marked);
            follow.log = Arc::new(log);
            let (x, y) = (2 * at.0 as u16, 2 * at.1 as u16);
            let found = follow.culls(&CullEvent { kind, order: 0, x, y, side });
            found.map_err(|(concern, finding)| (concern, finding.what))
        };
        for kind in 1..4 {
            let wrong = Err((Concern::Quad, What::CullWrong { kind }));
            // A quad, a block, a group, a tile of 16 by 16 pixels.
            for (side, across) in [(1, 1), (2, 2), (3, 4), (4, 8)] {
                assert_eq!(culled(kind, (8, 8), side, (0, (8, 8))), wrong, "{side}");
                assert_eq!(culled(kind, (8, 8), side, (0, (7 + across, 7 + across))), wrong, "{side}");
                for beside in [(8 + across, 8), (8, 8 + across), (7, 8), (8, 7)] {
                    assert_eq!(culled(kind, (8, 8), side, (0, beside)), Ok(()), "{side} {beside:?}");
                }
                assert_eq!(culled(kind, (8, 8), side, (1, (8, 8))), Ok(()), "of another triangle");
            }
        }
    }

    /// Blocks and quads are judged as groups are; a quad beside the square is not culled.
    #[test]
    fn hz_20_culls_of_parts_are_judged() {
        let at = |x: u16, side| CullEvent { kind: 3, order: 0, x, y: 0, side };
        for side in 0..3 {
            let wrong = Err((Concern::Quad, What::CullWrong { kind: 3 }));
            assert_eq!(culled_in(at(0, side), [false, false], Some(1), 12), Ok(()), "side {side}");
            assert_eq!(culled_in(at(0, side), [false, false], None, 12), wrong, "side {side}");
            assert_ne!(culled_in(at(4, side), [false, false], Some(1), 12), Ok(()), "side {side}");
        }
        assert_eq!(quads_of(&at(4, 2)).collect::<Vec<_>>(), [(2, 0), (3, 0), (2, 1), (3, 1)]);
    }
}
