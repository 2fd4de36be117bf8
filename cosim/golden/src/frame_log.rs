//! What the model did in a frame, for holding a machine to it: triangles, quads that are shaded,
//! samples that commit, each in order of submission.
//!
//! The model is in order and the machine is not, so whoever compares looks things up by triangle,
//! quad and sample. What is logged here is all that a frame leaves but its memory; wrong would be
//! to log what a machine may choose.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::sync::Arc;

use crate::config::Config;
use crate::graphics::primitive::{Cull, Primitive};
use crate::grid::Tags;
use crate::program::Program;

/// A triangle of a draw.
#[derive(Clone, Debug)]
pub struct LoggedTriangle {
    /// Nothing of it is left, and why.
    pub culled: Option<Cull>,
    /// It was cut by a plane.
    pub clipped: bool,
    /// What was set up of it, in [`FrameLog::primitives`].
    pub primitives: Range<usize>,
}

/// A quad that is shaded, or one sample of it; or one that commits without a program.
#[derive(Clone, Debug)]
pub struct LoggedQuad {
    /// Its triangle, in [`FrameLog::triangles`]: its number in the frame.
    pub triangle: usize,
    /// The piece of it, in [`FrameLog::primitives`].
    pub primitive: usize,
    /// Its program, in [`FrameLog::programs`].
    pub program: usize,
    /// Colour targets of its pass.
    pub targets: usize,
    /// What its lanes are.
    pub tags: Tags,
    /// What it commits, in [`FrameLog::samples`].
    pub samples: Range<usize>,
}

/// A sample that commits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoggedSample {
    /// Lane of its quad.
    pub lane: usize,
    /// Number of the sample.
    pub sample: usize,
    /// Of 24 bits.
    pub depth: u32,
    /// Words 2 t and 2 t + 1 are those of target t.
    pub words: [u32; 8],
    /// A late test fails: it writes nothing.
    pub lost: bool,
}

/// A sample that a primitive covers, before its tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoggedCover {
    /// Its triangle, in [`FrameLog::triangles`].
    pub triangle: u32,
    /// The piece of it, in [`FrameLog::primitives`].
    pub primitive: u32,
    /// Pixel.
    pub x: u16,
    /// Of the pixel.
    pub y: u16,
    /// Number of the sample.
    pub sample: u8,
    /// It passes the depth test in its turn, or there is none.
    pub passes: bool,
    /// Of 24 bits; not that of a program.
    pub depth: u32,
}

/// A program of a context.
#[derive(Clone, Debug)]
pub struct LoggedProgram {
    /// Code, constants, first instruction.
    pub(crate) program: Program,
    /// Of fragments, else of vertices.
    pub fragments: bool,
    /// First private register of members of pairs, if other warps have a program of their own.
    pub(crate) paired: Option<u32>,
    /// Of vertices: where the position part begins, if there is one.
    pub(crate) position: Option<u16>,
}

impl LoggedProgram {
    /// Of instructions that begin at number 0, without constants; for tests of what follows a log.
    pub fn of(code: Vec<u64>, fragments: bool, config: &Config) -> Self {
        Self { program: Program::new(code, &[], config), fragments, paired: None, position: None }
    }

    /// With a position part that begins there.
    #[must_use]
    pub fn with_position(self, position: u16) -> Self {
        Self { position: Some(position), ..self }
    }

    /// There is none: nothing is shaded.
    pub fn is_empty(&self) -> bool {
        self.program.words.is_empty()
    }

    /// First private register of a member of a pair, if other warps have a program of their own.
    pub fn paired_cutoff(&self) -> Option<u32> {
        self.paired
    }

    /// Number of the first instruction of a warp that is no member of a pair.
    pub fn alone(&self) -> u16 {
        self.program.alone.unwrap_or(self.program.first)
    }

    /// Number of the first instruction of its position part, if it has one.
    pub fn position(&self) -> Option<u16> {
        self.position
    }

    /// Number of its first instruction.
    pub fn first(&self) -> u16 {
        self.program.first
    }
}

/// See the module documentation.
#[derive(Clone, Debug, Default)]
pub struct FrameLog {
    /// In order of submission: the number in the frame is the index.
    pub triangles: Vec<LoggedTriangle>,
    /// Pieces of triangles that are set up, in order.
    pub primitives: Vec<Arc<Primitive>>,
    /// Quads, in order.
    pub quads: Vec<LoggedQuad>,
    /// Samples, by quad, lane and number.
    pub samples: Vec<LoggedSample>,
    /// Quads with a sample that fails its tests and changes the stencil all the same: number of the
    /// triangle, and the place in units of two pixels.
    pub marked: BTreeSet<(usize, (u32, u32))>,
    /// What primitives cover, in order, if that was asked for.
    pub covers: Vec<LoggedCover>,
    /// Programs of the states, vertices and fragments in turn.
    pub programs: Vec<LoggedProgram>,
    /// Clip positions of vertices whose program has a position part, by number of the state,
    /// instance and index.
    pub positions: HashMap<(usize, u32, u32), [u32; 4]>,
}
