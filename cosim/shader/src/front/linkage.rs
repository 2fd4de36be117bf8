//! What a vertex or fragment program is compiled for: where its inputs come from and what form its
//! outputs have. A compute program has none of it.

use crate::fault::CompilerFault;
use crate::interface::{Numbers, Varying};
use std::collections::BTreeSet;

/// The most words of a vertex, position included; one number more stands for reciprocals.
pub const MOST_WORDS: u32 = 63;

/// How a component of an attribute is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stored {
    /// f32.
    Float32,
    /// f16.
    Float16,
    /// A byte, 0 to 1.
    Unorm8,
    /// A signed byte, -1 to 1.
    Snorm8,
    /// A byte.
    Uint8,
    /// A signed byte.
    Sint8,
    /// Two bytes, 0 to 1.
    Unorm16,
    /// Two signed bytes, -1 to 1.
    Snorm16,
    /// Two bytes.
    Uint16,
    /// Two signed bytes.
    Sint16,
    /// A word.
    Uint32,
    /// A signed word.
    Sint32,
    /// Four components in a word, 0 to 1: from the lowest bit on three of ten bits and one of two.
    Unorm10_10_10_2,
    /// Four bytes, 0 to 1, in the order blue, green, red, alpha.
    Unorm8Bgra,
}

/// How an attribute is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AttributeFormat {
    /// Each component.
    pub stored: Stored,
    /// Components, 1 to 4.
    pub count: u32,
}

impl Attribute {
    /// What is taken for an input of a vertex program of which nothing is known.
    pub fn assumed(location: u32, words: u32, numbers: Numbers) -> Attribute {
        let stored = match numbers {
            Numbers::Float => Stored::Float32,
            Numbers::Int => Stored::Sint32,
            Numbers::Uint => Stored::Uint32,
        };
        let format = AttributeFormat { stored, count: words.clamp(1, 4) };
        let slot = location % quadlock_isa::abi::MAX_BUFFERS as u32;
        Attribute { location, format, slot, offset: 0, stride: format.bytes(), per_instance: false }
    }
}

impl AttributeFormat {
    /// The format of one of WebGPU's names: `float32x3`, `unorm8x4`, `sint16`, and so on.
    pub fn from_name(name: &str) -> Option<AttributeFormat> {
        match name {
            "unorm10-10-10-2" => return Some(AttributeFormat { stored: Stored::Unorm10_10_10_2, count: 4 }),
            "unorm8x4-bgra" => return Some(AttributeFormat { stored: Stored::Unorm8Bgra, count: 4 }),
            _ => {}
        }
        let (kind, count) = match name.split_once('x') {
            Some((kind, count)) => (kind, count.parse().ok().filter(|n| (2..=4).contains(n))?),
            None => (name, 1),
        };
        let stored = match kind {
            "float32" => Stored::Float32,
            "float16" => Stored::Float16,
            "unorm8" => Stored::Unorm8,
            "snorm8" => Stored::Snorm8,
            "uint8" => Stored::Uint8,
            "sint8" => Stored::Sint8,
            "unorm16" => Stored::Unorm16,
            "snorm16" => Stored::Snorm16,
            "uint16" => Stored::Uint16,
            "sint16" => Stored::Sint16,
            "uint32" => Stored::Uint32,
            "sint32" => Stored::Sint32,
            _ => return None,
        };
        let format = AttributeFormat { stored, count };
        (count != 3 || format.component_bits(0).1 == 32).then_some(format)
    }

    /// Where component `c` of an element is, the element being a little-endian number: its lowest
    /// bit, and how many bits it has.
    pub fn component_bits(self, c: u32) -> (u32, u32) {
        let bits = match self.stored {
            Stored::Float32 | Stored::Uint32 | Stored::Sint32 => 32,
            Stored::Float16 | Stored::Unorm16 | Stored::Snorm16 | Stored::Uint16 | Stored::Sint16 => 16,
            Stored::Unorm8 | Stored::Snorm8 | Stored::Uint8 | Stored::Sint8 => 8,
            Stored::Unorm10_10_10_2 => return (10 * c, if c == 3 { 2 } else { 10 }),
            // Blue is the lowest byte and red the third; green and alpha are where rgba has them.
            Stored::Unorm8Bgra => return (8 * if c.is_multiple_of(2) { 2 - c } else { c }, 8),
        };
        (bits * c, bits)
    }

    /// Whether the components have no bytes in their own order: all are taken from one word.
    pub fn is_packed(self) -> bool {
        matches!(self.stored, Stored::Unorm10_10_10_2 | Stored::Unorm8Bgra)
    }

    /// Bytes of all.
    pub fn bytes(self) -> u32 {
        (0..self.count).map(|c| self.component_bits(c).1).sum::<u32>() / 8
    }
}

/// An attribute of vertices or instances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attribute {
    /// Location of the vertex program's input.
    pub location: u32,
    /// How it is stored.
    pub format: AttributeFormat,
    /// Number of the vertex buffer: entry `MAX_BUFFERS - 1 - slot` of the buffer table.
    pub slot: u32,
    /// Bytes from the start of an element.
    pub offset: u32,
    /// Bytes from one element to the next.
    pub stride: u32,
    /// An element for each instance, else for each vertex.
    pub per_instance: bool,
}

/// Form of a colour target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetFormat {
    /// Four bytes, 0 to 1.
    Rgba8Unorm,
    /// The same, red, green and blue as codes of sRGB.
    Rgba8UnormSrgb,
    /// Four halves.
    Rgba16Float,
    /// One f32.
    R32Float,
}

/// What must be equal of an output and the input that takes it, beside their numbers
/// (docs/scenes.md, "What fits").
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rule {
    /// WebGPU's, of two WGSL programs: number of components, interpolation and sampling.
    #[default]
    WebGpu,
    /// Vulkan's, of two programs in GLSL or SPIR-V: the input decides how it is interpolated, and
    /// may have fewer components.
    Vulkan,
    /// One of each: interpolation and sampling as WebGPU, components as Vulkan.
    Mixed,
}

/// What a stage is linked with.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Linkage {
    /// Of a vertex program.
    pub attributes: Vec<Attribute>,
    /// Of a fragment program: what the vertex program gives, and its name for messages.
    pub varyings: Vec<Varying>,
    /// Location and component of those that the vertex program declares and never writes.
    pub unwritten: BTreeSet<(u32, u32)>,
    /// The programs will be linked, and limits checked then (LP-11): numbers of outputs may go
    /// beyond what a vertex has.
    pub wide: bool,
    /// The vertex program, for messages.
    pub vertex: String,
    /// How they have to fit.
    pub rule: Rule,
    /// Of a fragment program: the depth that it writes is held in the viewport's range (WebGPU).
    pub holds_depth: bool,
    /// Of a fragment program: its targets.
    pub targets: Vec<TargetFormat>,
    /// Whether the draw writes some component of each target; one that is not named is written.
    pub written: Vec<bool>,
    /// Samples of a pixel.
    pub samples: u32,
    /// The first target's alpha makes coverage.
    pub alpha_to_coverage: bool,
    /// Attributes and targets are not known: each input has an attribute of its type in a vertex
    /// buffer of its own, and each output a target of four bytes.
    pub assumed: bool,
    /// A bug that is planted.
    pub fault: Option<CompilerFault>,
}
