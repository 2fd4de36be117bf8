//! A scene as both renderers get it: targets, draws, state. One pass clears and stores all targets,
//! and there is always depth and stencil.
//!
//! [`Draw::triangles`] assembles: it is written from the tables of primitive topologies in Vulkan's
//! chapter on drawing. It can be wrong in the order of vertices; then both pictures differ from
//! their replays.

use serde::{Deserialize, Serialize};

/// Form of a colour target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)] // WebGPU's names.
pub enum Format {
    Unorm8,
    Srgb8,
    Float16,
    Float32,
}

/// Where in a pixel a varying is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum Place {
    Centre,
    Centroid,
    Sample,
}

/// How a varying is interpolated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum Interpolation {
    Perspective(Place),
    Linear(Place),
    Flat,
}

/// What the fragment program does besides passing varyings on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kind {
    /// Nothing.
    Plain,
    /// Discards where the second word of the pair is below 1/2.
    Discard,
    /// That word is the fragment's depth.
    Depth,
    /// The number is the sample mask.
    Mask,
    /// It computes, so its pictures are compared and not judged; which one of several.
    Computing(u8),
}

/// A vertex, with the words that it passes on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Vertex {
    /// Clip coordinates; y points up.
    pub position: [f32; 4],
    /// Location 1.
    pub colour: [f32; 4],
    /// Location 2.
    pub pair: [f32; 2],
    /// Location 3, flat; below 2^24.
    pub number: u32,
}

/// Indices of a draw.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Indices {
    /// Bytes of an index: 2 or 4.
    pub bytes: u32,
    /// All bits set: the strip begins again, where the draw says so.
    pub values: Vec<u32>,
}

/// A comparison of a new value with a stored one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum Compare {
    Never,
    Less,
    Equal,
    LessEqual,
    Greater,
    NotEqual,
    GreaterEqual,
    Always,
}

/// What becomes of a stencil value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum StencilOp {
    Keep,
    Zero,
    Replace,
    Invert,
    IncrementClamp,
    DecrementClamp,
    IncrementWrap,
    DecrementWrap,
}

/// The stencil test of one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct StencilFace {
    pub compare: Compare,
    pub fail: StencilOp,
    pub depth_fail: StencilOp,
    pub pass: StencilOp,
}

/// The stencil test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Stencil {
    pub front: StencilFace,
    pub back: StencilFace,
    pub read: u8,
    pub write: u8,
    pub reference: u8,
}

/// What a colour is multiplied by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum Factor {
    Zero,
    One,
    Src,
    OneMinusSrc,
    SrcAlpha,
    OneMinusSrcAlpha,
    Dst,
    OneMinusDst,
    DstAlpha,
    OneMinusDstAlpha,
    SrcAlphaSaturated,
    Constant,
    OneMinusConstant,
}

/// How two products become one colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum Operation {
    Add,
    Subtract,
    ReverseSubtract,
    Min,
    Max,
}

/// Blending of colour or of alpha.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Equation {
    pub src: Factor,
    pub dst: Factor,
    pub operation: Operation,
}

/// How a target is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Write {
    /// Components, red in bit 0.
    pub mask: u8,
    /// Colour, then alpha; without it the fragment replaces.
    pub blend: Option<[Equation; 2]>,
}

/// State of a draw.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// Which side is culled: true is the front.
    pub cull: Option<bool>,
    /// Clockwise triangles, as seen, show their front.
    pub front_clockwise: bool,
    /// Depth test.
    pub depth: Option<Compare>,
    /// Depth is written, if there is a test.
    pub depth_write: bool,
    /// Constant in units of 24-bit depth, slope, clamp in depth.
    pub bias: [f32; 3],
    /// Stencil test.
    pub stencil: Option<Stencil>,
    /// Of each target.
    pub writes: Vec<Write>,
    /// The blend constant.
    pub constant: [f32; 4],
    /// x, y, width, height in pixels.
    pub viewport: [f32; 4],
    /// Near, far.
    pub range: [f32; 2],
    /// x, y, width, height in pixels.
    pub scissor: [u32; 4],
    /// Samples that may be covered.
    pub mask: u32,
}

/// A draw with its mesh.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Draw {
    /// All vertices.
    pub vertices: Vec<Vertex>,
    /// Without them vertices come in order.
    pub indices: Option<Indices>,
    /// A strip, else a list.
    pub strip: bool,
    /// An index with all bits set begins the strip again.
    pub restart: bool,
    /// First index or vertex.
    pub first: u32,
    /// Added to each index.
    pub base_vertex: i32,
    /// Of colour and pair.
    pub interpolation: [Interpolation; 2],
    /// The fragment program.
    pub kind: Kind,
    /// Its state.
    pub state: State,
}

/// A scene.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scene {
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// Samples of a pixel: 1 or 4.
    pub samples: u32,
    /// Colour targets, at most 4; none: depth and stencil alone.
    pub formats: Vec<Format>,
    /// Of all targets: multiples of 1/255.
    pub clear: [f32; 4],
    /// 0 or 1.
    pub clear_depth: u32,
    /// Stencil.
    pub clear_stencil: u8,
    /// In order.
    pub draws: Vec<Draw>,
    /// Vertices lie on the grid of 1/256 pixel, so coverage has no tolerance.
    pub on_grid: bool,
}

/// Places of samples in sixteenths of a pixel: Vulkan's standard ones.
const FOUR: [[i32; 2]; 4] = [[6, 2], [14, 6], [2, 10], [10, 14]];

impl Scene {
    /// Samples of the whole target.
    pub fn count(&self) -> usize {
        (self.width * self.height * self.samples) as usize
    }

    /// Pixel and number of a sample of the target.
    pub fn sample(&self, n: usize) -> (u32, u32, u32) {
        let n = n as u32;
        let pixel = n / self.samples;
        (pixel % self.width, pixel / self.width, n % self.samples)
    }

    /// Where a sample is, in sixteenths of a pixel.
    pub fn place(&self, n: usize) -> [i32; 2] {
        let (x, y, s) = self.sample(n);
        let [dx, dy] = if self.samples == 1 { [8, 8] } else { FOUR[s as usize & 3] };
        [16 * x as i32 + dx, 16 * y as i32 + dy]
    }

    /// Nothing in it computes.
    pub fn is_judged(&self) -> bool {
        !self.draws.iter().any(|d| matches!(d.kind, Kind::Computing(_)))
    }

    /// Triangles of all draws.
    pub fn triangles(&self) -> usize {
        self.draws.iter().map(|d| d.triangles().len()).sum()
    }
}

impl Draw {
    /// Triangles in order, each with the numbers of its vertices. The first one is the provoking
    /// vertex. Vulkan 1.3, 21.1.4 and 21.1.5: triangle k of a strip is k, k+1, k+2, or for odd k
    /// k, k+2, k+1.
    pub fn triangles(&self) -> Vec<[u32; 3]> {
        let all: Vec<u32> = match &self.indices {
            Some(indices) => indices.values.clone(),
            None => (0..self.vertices.len() as u32).collect(),
        };
        let most = match &self.indices {
            Some(Indices { bytes: 2, .. }) => 0xFFFF,
            _ => u32::MAX,
        };
        let drawn = all.get(self.first as usize..).unwrap_or_default();
        let again = |index: &u32| self.indices.is_some() && self.restart && *index == most;
        let mut out = vec![];
        for part in drawn.split(again) {
            let vertex = |n: usize| part[n].wrapping_add_signed(self.base_vertex);
            if self.strip {
                let three = |k: usize| if k.is_multiple_of(2) { [k, k + 1, k + 2] } else { [k, k + 2, k + 1] };
                out.extend((0..part.len().saturating_sub(2)).map(|k| three(k).map(vertex)));
            } else {
                out.extend((0..part.len() / 3).map(|k| [3 * k, 3 * k + 1, 3 * k + 2].map(vertex)));
            }
        }
        out
    }

    /// The fragment program runs for each sample.
    pub fn is_per_sample(&self) -> bool {
        let sample = |i: &Interpolation| {
            matches!(i, Interpolation::Perspective(Place::Sample) | Interpolation::Linear(Place::Sample))
        };
        self.interpolation.iter().any(sample)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A scene of one draw, a list, without tests and blending.
    pub(crate) fn plain(positions: &[[f32; 4]]) -> Scene {
        let vertex = |(k, position): (usize, &[f32; 4])| Vertex {
            position: *position,
            colour: [k as f32, 0.25, 0.5, 1.0],
            pair: [k as f32, 1.0],
            number: k as u32,
        };
        let state = State {
            cull: None,
            front_clockwise: false,
            depth: None,
            depth_write: false,
            bias: [0.0; 3],
            stencil: None,
            writes: vec![Write { mask: 15, blend: None }],
            constant: [0.0; 4],
            viewport: [0.0, 0.0, 8.0, 8.0],
            range: [0.0, 1.0],
            scissor: [0, 0, 8, 8],
            mask: 15,
        };
        let centre = Interpolation::Perspective(Place::Centre);
        let draw = Draw {
            vertices: positions.iter().enumerate().map(vertex).collect(),
            indices: None,
            strip: false,
            restart: false,
            first: 0,
            base_vertex: 0,
            interpolation: [centre; 2],
            kind: Kind::Plain,
            state,
        };
        Scene {
            width: 8,
            height: 8,
            samples: 1,
            formats: vec![Format::Unorm8],
            clear: [0.0; 4],
            clear_depth: 1,
            clear_stencil: 0,
            draws: vec![draw],
            on_grid: false,
        }
    }

    #[test]
    fn strips_turn_and_begin_again() {
        let mut draw = plain(&[[0.0; 4]; 8]).draws.remove(0);
        assert_eq!(draw.triangles(), [[0, 1, 2], [3, 4, 5]]);
        (draw.strip, draw.first) = (true, 4);
        assert_eq!(draw.triangles(), [[4, 5, 6], [5, 7, 6]]);
        draw.first = 0;
        draw.indices = Some(Indices { bytes: 2, values: vec![0, 1, 2, 0xFFFF, 3, 4, 5, 6] });
        draw.restart = true;
        assert_eq!(draw.triangles(), [[0, 1, 2], [3, 4, 5], [4, 6, 5]]);
        draw.base_vertex = 1;
        assert_eq!(draw.triangles()[0], [1, 2, 3]);
    }

    #[test]
    fn samples_have_places() {
        let mut scene = plain(&[]);
        assert_eq!(scene.place(9), [16 + 8, 16 + 8]);
        scene.samples = 4;
        assert_eq!((scene.sample(37), scene.place(37)), ((1, 1, 1), [16 + 14, 16 + 6]));
    }
}
