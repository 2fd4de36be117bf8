//! What a random scene is made of. Formats and samples that are drawn stand here.

use std::collections::BTreeMap;

use super::programs::Program;
use crate::machine::memory::MemoryConfig;

/// Build parameters of a machine, in which it differs from the default.
pub type Machine = &'static [(&'static str, &'static str)];

/// Stands for the scene's seed in an option.
pub const SEED: &str = "SEED";

/// Formats of colour targets.
pub const FORMATS: &[&str] = &["rgba8unorm", "rgba8unorm", "rgba8unorm-srgb", "rgba16float", "r32float"];
/// Samples of scenes with a colour target, which is resolved.
pub const SAMPLES: &[u32] = &[1, 1, 2, 4];
/// Samples of scenes with depth only.
pub const DEPTH_SAMPLES: &[u32] = &[1, 2, 4];

/// A corner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Vertex {
    /// Clip coordinates.
    pub position: [f32; 4],
    /// Of 255.
    pub colour: [u8; 4],
}

/// A draw with a mesh of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct Draw {
    pub vertices: Vec<Vertex>,
    /// Three for each triangle, or those of a strip.
    pub corners: Vec<u32>,
    pub strip: bool,
    /// Bytes of an index, if there are indices.
    pub indexed: Option<u32>,
    /// Places in `corners` before which an index ends the strip.
    pub ends: Vec<u32>,
    /// Indices or vertices that are there and not drawn.
    pub first: u32,
    pub base_vertex: u32,
    pub vertex: Program,
    pub fragment: Program,
    pub colour_format: &'static str,
    pub instances: u32,
    pub first_instance: u32,
    /// What the scene says of the cull pipeline; `None` leaves it to the driver.
    pub bypass: Option<bool>,
    /// TOML values by key of `[draw.state]`.
    pub state: BTreeMap<&'static str, String>,
}

/// A scene.
#[derive(Clone, Debug, PartialEq)]
pub struct RandomScene {
    pub seed: u64,
    pub width: u32,
    pub height: u32,
    pub samples: u32,
    /// Of colour targets, at most 4; without one depth only.
    pub formats: Vec<&'static str>,
    pub tile: Option<u32>,
    pub keep_tiles: bool,
    /// Of each target.
    pub clear: [[f64; 4]; 4],
    pub clear_depth: f64,
    pub clear_stencil: u8,
    pub frames: u32,
    pub machine: Machine,
    /// Machines of which it is one; the first is what a failing scene is shrunk to.
    pub machines: &'static [Machine],
    /// What a set of options adds to it.
    pub options: Machine,
    /// The machine is built for no more samples and targets than the scene has.
    pub limited: bool,
    pub memory: MemoryConfig,
    pub draws: Vec<Draw>,
}

impl RandomScene {
    /// Most samples and targets of the machine, if it has no more of them than the scene.
    pub fn limits(&self) -> Option<(u32, usize)> {
        let samples = if self.samples > 1 { 4 } else { 1 };
        self.limited.then(|| (samples, self.formats.len().max(1)))
    }

    /// The scene's tiles of that side fit in a tile buffer.
    pub fn fits(&self, side: u32) -> bool {
        let words: u32 = self.formats.iter().map(|&f| 1 + u32::from(f == "rgba16float")).sum();
        side * side / 4 * self.samples * words.max(1) <= TILE_WORDS
    }
}

/// Words of a tile buffer's memories.
const TILE_WORDS: u32 = 1024;
