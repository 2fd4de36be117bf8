//! What a frame that stands still lacks, by the stage that gives it. Streams name blocks that offer
//! something ([`crate::lockstep::stalled`]); a block that keeps what it has offers nothing, and is
//! found by what has not come out of it. Wrong would be a stage that the machine may skip: quads
//! that something later hides are among those that are not shaded.

use std::collections::HashSet;

use super::{FrameFollow, Ticket};
use crate::lockstep::finding::Key;

/// Something that the model did and the machine has not.
#[derive(Clone, Debug)]
pub struct Left {
    /// In words: "triangles are not assembled".
    pub what: &'static str,
    pub count: usize,
    /// The first of them.
    pub first: Key,
    /// Blocks that it comes from.
    pub from: &'static str,
}

impl FrameFollow {
    /// What is left, in the order of the pipeline.
    pub fn left(&self) -> Vec<Left> {
        let mut out = vec![];
        let mut tell = |what, count, first: Option<Key>, from| {
            out.extend(first.map(|first| Left { what, count, first, from }));
        };
        let triangles = self.log.triangles.len().saturating_sub(self.triangle);
        let first = (triangles > 0).then(|| self.key(self.triangle));
        tell("triangles have not come out of geometry", triangles, first, "vertex front end, geometry");
        let vertex = self.unshaded_vertices.iter().min().map(|&(state, instance, index)| Key {
            draw: self.list.draw_with(state),
            instance: Some(instance),
            index: Some(index),
            ..Key::default()
        });
        tell("vertices are not shaded", self.unshaded_vertices.len(), vertex, "vertex front end, warp units");
        // Of triangles that are there.
        let waiting = self.unshaded.iter().filter(|(key, quads)| key.0 < self.triangle && !quads.is_empty());
        let quad = waiting.clone().map(|(key, _)| *key).min();
        let quad = quad.map(|(triangle, at, sample)| Key { sample: Some(sample), ..self.key_at(triangle, at) });
        tell("quads are not shaded", waiting.count(), quad, "binner, rasteriser, early tests, merge queue");
        let unshaded: HashSet<usize> = self.unshaded.values().flatten().copied().collect();
        let is_shaded = |t: &Ticket| t.triangle < self.triangle && t.quads.clone().all(|n| !unshaded.contains(&n));
        let tickets = self.uncommitted.iter().flat_map(|(at, all)| all.iter().map(move |t| (t, *at)));
        let tickets = tickets.filter(|(t, _)| is_shaded(t)).map(|(t, at)| (t.triangle, at));
        let ticket = tickets.clone().min().map(|(triangle, at)| self.key_at(triangle, at));
        tell("quads are shaded and not written", tickets.count(), ticket, "warp units, result store, blending");
        out
    }
}
