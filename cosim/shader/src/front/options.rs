//! What the front end is asked for, and what it gives.

use crate::interface::{Interface, Stage};
use crate::ssa::{FuncId, Loc, Module};
use std::collections::BTreeSet;
use std::path::Path;

/// Language of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lang {
    /// GLSL as glslang reads it for Vulkan; the stage is not written in the text.
    Glsl(Stage),
    /// WGSL text.
    Wgsl,
    /// A SPIR-V binary.
    Spirv,
}

impl Lang {
    /// The language that a file name's ending stands for: `.wgsl`, `.spv`, `.comp`, `.vert`,
    /// `.frag`. `.glsl` is a compute shader, unless one of the last three stands before it. Capital
    /// letters count as small ones.
    pub fn from_path(path: &str) -> Option<Lang> {
        let lower = path.to_lowercase();
        let path = Path::new(&lower);
        let ending = |p: &Path| p.extension().and_then(|e| e.to_str().map(str::to_owned)).unwrap_or_default();
        let stage = |ending: &str| match ending {
            "comp" => Some(Stage::Compute),
            "vert" => Some(Stage::Vertex),
            "frag" => Some(Stage::Fragment),
            _ => None,
        };
        match ending(path).as_str() {
            "wgsl" => Some(Lang::Wgsl),
            "spv" => Some(Lang::Spirv),
            "glsl" => Some(Lang::Glsl(stage(&ending(&path.with_extension(""))).unwrap_or(Stage::Compute))),
            other => stage(other).map(Lang::Glsl),
        }
    }
}

/// Choices of the front end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Clamp dynamic indices to the last element (WGSL's robust access). Without it an index out of
    /// bounds reads or writes somewhere else.
    pub clamp_indices: bool,
    /// Use the float unit's instructions. Without them (a machine that lacks the unit, or a
    /// comparison) the prelude computes division, roots, exp2 and so on.
    pub float_unit: bool,
    /// Semaphore functions spin on words in memory instead of sending messages (SE-63).
    pub polling: bool,
    /// Use warp-wide atomics. Without them one lane does an atomic of its own for the others.
    pub warp_wide: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options { clamp_indices: true, float_unit: true, polling: false, warp_wide: true }
    }
}

/// A lowered entry point.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// The functions.
    pub module: Module,
    /// The one that is executed.
    pub entry: FuncId,
    /// Registers, stack and cutoff are zero: the back end fills them in.
    pub interface: Interface,
    /// Where each of its bindings is declared.
    pub declared: Vec<Loc>,
    /// Location and component of a vertex program's outputs that are declared and never written.
    pub unwritten: BTreeSet<(u32, u32)>,
}
