//! What lockstep knows of the cull pipeline while a frame runs. `ahead` judges by it.
//!
//! Wrong would be a number of a draw that the pipeline leaves alone: its triangles count only those
//! that it looks at, and `places` gives their numbers in the frame.

use std::collections::{BTreeMap, HashSet};

use quadlock_isa::abi::LANES;

use crate::base::bits::BitSet;
use crate::lockstep::submitted::Submitted;

/// A warp of the cull pipeline that runs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Running {
    pub(super) state: usize,
    pub(super) mask: u8,
    pub(super) index: [u32; LANES],
    pub(super) instance: [u32; LANES],
}

/// What is known of the cull pipeline.
#[derive(Clone, Debug, Default)]
pub(super) struct Following {
    /// Vertices of draws that it looks at, as (state, instance, index).
    pub(super) vertices: HashSet<(usize, u32, u32)>,
    /// Its warps, by unit and slot.
    pub(super) running: BTreeMap<(usize, usize), Running>,
    /// Triangles of those draws, by their numbers in the frame.
    pub(super) places: Vec<usize>,
    /// The newest of the triangles that it looks at of which it has said something.
    pub(super) newest: usize,
    /// What it has said of triangles, by their number in the frame.
    pub(super) said: BTreeMap<usize, u8>,
    /// Triangles that are skipped.
    pub(super) skipped: BitSet,
}

impl Following {
    pub(super) fn new(list: &Submitted) -> Self {
        Self { vertices: list.vertices_ahead(), places: list.places_ahead(), ..Self::default() }
    }
}
