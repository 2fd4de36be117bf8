//! The judge of the cull pipeline (HZ-30 to HZ-36). It runs ahead and draws nothing: its warps give
//! positions, which must be those of the model's vertices to the bit. A triangle that the replay
//! pipeline skips must be one that the model culls, or of which no sample passes against what was
//! drawn before it. Vertices that only such triangles have may stay unshaded.
//!
//! Wrong would be to believe the pipeline's own decisions. They are compared with the model's, too,
//! but a triangle is skipped rightly only by the model's log.

use std::collections::HashSet;

use quadlock_golden::graphics::primitive::Cull;
use quadlock_golden::Golden;

use super::following::Running;
use super::{found, Concern, Finding, Found, FrameFollow, Key, Name, Value, What};
use crate::machine::lanes::lanes;
use crate::machine::ports::{AheadEvent, GraphicsLaunched};

/// At the port of the cull pipeline: it crosses a plane, and is left alone.
const CUT: u8 = 7;
/// Names of the words of a position.
const WORDS: [&str; 4] = ["x", "y", "z", "w"];

impl FrameFollow {
    /// Vertices that the cull pipeline shades.
    pub(super) fn shaded_ahead(&mut self, state: usize, event: &GraphicsLaunched) -> Found {
        let draw = self.list.draw_with(state);
        let part = self.log.programs.get(2 * state).and_then(|p| p.position());
        if part != Some(event.pc) {
            let key = Key { draw, ..Key::default() };
            let mut finding = Finding { key, ..Finding::new(What::WarpStart) };
            let value = |pc: u16| Value::Number(pc.into());
            finding.differ(Name::Of("pc of the position part"), part.map_or(Value::Nothing, value), value(event.pc));
            return Err((Concern::Vertex, Box::new(finding)));
        }
        for lane in lanes(event.mask) {
            let (index, instance) = (event.place[lane], event.depth[lane]);
            let vertex = (state, instance, index);
            if self.ahead.vertices.contains(&vertex) {
                continue;
            }
            let what = if self.vertices.contains(&vertex) { What::VertexBypassed } else { What::VertexUnknown };
            let key = Key { draw, instance: Some(instance), index: Some(index), ..Key::default() };
            return found(Concern::Vertex, what, key);
        }
        let running = Running { state, mask: event.mask, index: event.place, instance: event.depth };
        self.ahead.running.insert((event.unit.into(), event.warp.into()), running);
        Ok(())
    }

    /// The model has executed an instruction of that warp: if it has ended, and is one of the cull
    /// pipeline, its positions are those of the model's vertices (HZ-36).
    ///
    /// # Errors
    /// One is another, with the instruction that gives the word.
    pub fn executed(&mut self, unit: usize, warp: usize, golden: &Golden) -> Found {
        if self.ahead.running.is_empty() || !golden.warp(unit, warp).is_ended() {
            return Ok(());
        }
        let Some(running) = self.ahead.running.remove(&(unit, warp)) else { return Ok(()) };
        for lane in lanes(running.mask) {
            let (instance, index) = (running.instance[lane], running.index[lane]);
            let Some(expected) = self.log.positions.get(&(running.state, instance, index)) else { continue };
            for (word, name) in WORDS.into_iter().enumerate() {
                let seen = golden.warp(unit, warp).output(word)[lane];
                if seen != expected[word] {
                    let pc = self.known[2 * running.state].outputs.get(&(word as u32)).copied();
                    let draw = self.list.draw_with(running.state);
                    let key = Key { draw, instance: Some(instance), index: Some(index), pc, ..Key::default() };
                    let mut finding = Finding { key, ..Finding::new(What::PositionDiffers) };
                    finding.differ(Name::Of(name), Value::Hex(expected[word]), Value::Hex(seen));
                    return Err((Concern::Vertex, Box::new(finding)));
                }
            }
        }
        Ok(())
    }

    /// What the cull pipeline says of a triangle.
    pub(super) fn said_ahead(&mut self, event: &AheadEvent) -> Found {
        let near = event.order.wrapping_sub(self.first[1]).wrapping_sub(self.ahead.newest as u16) as i16;
        let number = self.ahead.newest.saturating_add_signed(near.into());
        self.ahead.newest = self.ahead.newest.max(number);
        let Some(&triangle) = self.ahead.places.get(number) else {
            return found(Concern::Triangle, What::AheadUnknown, Key::default());
        };
        let Some(logged) = self.log.triangles.get(triangle) else {
            return found(Concern::Triangle, What::AheadUnknown, Key::default());
        };
        let own = logged.culled.filter(|_| !logged.clipped);
        let right = match event.what {
            1 => own == Some(Cull::Range),
            2 => own == Some(Cull::Frustum),
            3 => own == Some(Cull::Area),
            4 => own == Some(Cull::Face),
            CUT => logged.clipped,
            _ => true,
        };
        if !right {
            let mut finding = Finding { key: self.key(triangle), ..Finding::new(What::AheadFate) };
            let model = match (logged.clipped, logged.culled) {
                (true, _) => CUT,
                (_, None) => 0,
                (_, Some(Cull::Range)) => 1,
                (_, Some(Cull::Frustum)) => 2,
                (_, Some(Cull::Area)) => 3,
                (_, Some(Cull::Face)) => 4,
            };
            finding.differ(Name::Of("fate"), Value::FateAhead(model), Value::FateAhead(event.what));
            return Err((Concern::Triangle, Box::new(finding)));
        }
        self.ahead.said.insert(triangle, event.what);
        Ok(())
    }

    /// The replay pipeline skips a triangle.
    pub(super) fn skipped(&mut self, triangle: usize) -> Found {
        let fails = |this: &Self, what| found(Concern::Triangle, what, this.key(triangle));
        let Some(draw) = self.list.draw_of(triangle) else { return fails(self, What::SkipBypassed) };
        if self.list.draws[draw].bypassed {
            return fails(self, What::SkipBypassed);
        }
        if matches!(self.ahead.said.get(&triangle), Some(&(0 | CUT))) {
            return fails(self, What::SkipVisible);
        }
        let log = self.log.clone();
        // What fails its test may change the stencil: also where early tests leave no quad.
        if let Some(&(_, at)) = log.marked.range((triangle, (0, 0))..).next().filter(|m| m.0 == triangle) {
            return found(Concern::Triangle, What::SkipWrong, self.key_at(triangle, at));
        }
        let first = log.quads.partition_point(|q| q.triangle < triangle);
        let quads = first + log.quads[first..].iter().take_while(|q| q.triangle == triangle).count();
        for quad in &log.quads[first..quads] {
            let at = super::place(quad);
            // What fails its test may still store.
            let seen = log.samples[quad.samples.clone()].iter().find(|s| !s.lost);
            if seen.is_some() || !self.list.draws[draw].may_cull {
                let key = self.key_at(triangle, at);
                let sample = seen.map(|s| s.sample as u32);
                return found(Concern::Triangle, What::SkipWrong, Key { sample, ..key });
            }
            if let Some(waiting) = self.unshaded.get_mut(&(triangle, at, quad.tags.sample[0])) {
                waiting.retain(|&n| !(first..quads).contains(&n));
            }
            if let Some(tickets) = self.uncommitted.get_mut(&at) {
                tickets.retain(|t| t.triangle != triangle);
            }
        }
        self.ahead.skipped.insert(triangle);
        self.triangle += 1;
        Ok(())
    }

    /// Vertices of triangles that are not skipped.
    pub(super) fn vertices_of_others(&self) -> HashSet<(usize, u32, u32)> {
        let of = |n: usize| !self.ahead.skipped.contains(n);
        self.list.draws.iter().flat_map(|d| d.triangles.clone().filter(|&n| of(n)).flat_map(|n| d.corners(n))).collect()
    }

    /// No triangle is skipped.
    pub(super) fn skips_nothing(&self) -> bool {
        self.ahead.skipped.is_empty()
    }
}
