//! The pass record and the state record in memory, read as docs/graphics.md states them. A number
//! that the page does not list is an error here, though the machine would trust it: whoever wrote
//! the record made a mistake.

use quadlock_isa::records::{pass, state, Field, Words};

use super::blend::{Equation, Factor, Operation};
use super::samples::Samples;
use crate::config::Fault;
use crate::memory::Memory;

/// How a target's samples are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Four bytes.
    Unorm8,
    /// Four bytes, three of them codes of sRGB.
    Srgb8,
    /// Four halves.
    Float16,
    /// One word.
    Float32,
}

impl Format {
    /// Words of a sample in memory.
    pub fn words(self) -> usize {
        1 + usize::from(self == Format::Float16)
    }
}

/// One colour target of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// Byte address.
    pub address: u32,
    /// Form of its samples.
    pub format: Format,
    /// Its old content is kept, else it is cleared.
    pub load: bool,
    /// It is written at the end.
    pub store: bool,
    /// Byte address of the means of its samples, if they are wanted.
    pub resolve: Option<u32>,
    /// What it is cleared with.
    pub clear: [u32; 2],
}

/// Depth and stencil of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DepthTarget {
    /// Byte address.
    pub address: u32,
    /// Depth is kept, else cleared.
    pub load_depth: bool,
    /// Stencil is kept, else cleared.
    pub load_stencil: bool,
    /// Both are written at the end.
    pub store: bool,
    /// What both are cleared with, as in memory.
    pub clear: u32,
}

/// The pass record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pass {
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// Samples of a pixel.
    pub samples: Samples,
    /// Lines of a row of quads.
    pub row: u32,
    /// Lines of a plane.
    pub plane: u32,
    /// Colour targets.
    pub targets: Vec<Target>,
    /// Depth and stencil, if there are any.
    pub depth: Option<DepthTarget>,
}

/// A comparison of a new value with a stored one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compare {
    /// Never true.
    Never,
    /// New below stored.
    Less,
    /// Equal.
    Equal,
    /// New not above stored.
    LessEqual,
    /// New above stored.
    Greater,
    /// Different.
    NotEqual,
    /// New not below stored.
    GreaterEqual,
    /// Always true.
    Always,
}

impl Compare {
    fn of(bits: u32) -> Compare {
        use Compare::*;
        [Never, Less, Equal, LessEqual, Greater, NotEqual, GreaterEqual, Always][bits as usize & 7]
    }

    /// Whether `new` passes against `stored`.
    pub fn passes(self, new: u32, stored: u32) -> bool {
        match self {
            Compare::Never => false,
            Compare::Less => new < stored,
            Compare::Equal => new == stored,
            Compare::LessEqual => new <= stored,
            Compare::Greater => new > stored,
            Compare::NotEqual => new != stored,
            Compare::GreaterEqual => new >= stored,
            Compare::Always => true,
        }
    }
}

/// What becomes of a stencil value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StencilOperation {
    /// It stays.
    Keep,
    /// 0.
    Zero,
    /// The reference.
    Replace,
    /// All bits turned.
    Invert,
    /// One more, at most 255.
    Increment,
    /// One less, at least 0.
    Decrement,
    /// One more, modulo 256.
    IncrementWrap,
    /// One less, modulo 256.
    DecrementWrap,
}

impl StencilOperation {
    fn of(bits: u32) -> StencilOperation {
        use StencilOperation::*;
        [Keep, Zero, Replace, Invert, Increment, Decrement, IncrementWrap, DecrementWrap][bits as usize & 7]
    }

    /// The new value.
    pub fn apply(self, old: u8, reference: u8) -> u8 {
        match self {
            StencilOperation::Keep => old,
            StencilOperation::Zero => 0,
            StencilOperation::Replace => reference,
            StencilOperation::Invert => !old,
            StencilOperation::Increment => old.saturating_add(1),
            StencilOperation::Decrement => old.saturating_sub(1),
            StencilOperation::IncrementWrap => old.wrapping_add(1),
            StencilOperation::DecrementWrap => old.wrapping_sub(1),
        }
    }
}

/// The stencil test of one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stencil {
    /// Reference against stored value.
    pub compare: Compare,
    /// If that fails.
    pub fail: StencilOperation,
    /// If that passes and depth fails.
    pub depth_fail: StencilOperation,
    /// If both pass.
    pub pass: StencilOperation,
}

/// How a target is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Write {
    /// Components, red in bit 0.
    pub mask: u32,
    /// Blending of colour and of alpha; without it the colour replaces.
    pub blend: Option<(Equation, Equation)>,
}

/// A stage's program in the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProgramAt {
    /// Number of its first instruction in the code.
    pub first: u32,
    /// Instructions.
    pub length: u32,
    /// Byte address of its constants.
    pub constants: u32,
}

/// Points that stand beside a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Events {
    /// Of the merge point.
    pub merge: u16,
    /// Of the split point.
    pub split: u16,
}

impl Events {
    /// As a state record has them.
    fn of(w: &state::Words) -> Self {
        Events { merge: w.get(state::MERGE_AT) as u16, split: w.get(state::SPLIT_AT) as u16 }
    }
}

/// The state record.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Of vertices.
    pub vertex: ProgramAt,
    /// Where the position part of the vertex program begins, if it has one.
    pub position: Option<u32>,
    /// Of fragments.
    pub fragment: ProgramAt,
    /// Triangles of a strip, else of a list.
    pub strip: bool,
    /// Triangles that are clockwise as seen are culled.
    pub cull_clockwise: bool,
    /// Counter-clockwise ones are.
    pub cull_counter_clockwise: bool,
    /// Clockwise ones show their front.
    pub front_clockwise: bool,
    /// Depth test.
    pub depth_compare: Compare,
    /// Whether it is on.
    pub depth_test: bool,
    /// Depth is written.
    pub depth_write: bool,
    /// The stencil test is on.
    pub stencil_test: bool,
    /// Tests come before the program.
    pub early: bool,
    /// One fragment per sample.
    pub per_sample: bool,
    /// The program writes depth.
    pub writes_depth: bool,
    /// The program writes the sample mask.
    pub writes_mask: bool,
    /// Words of varyings.
    pub varyings: usize,
    /// First private register of the fragment program (MS-20); 63: it has no merge point.
    pub cutoff: u32,
    /// Bit r: register r of the fragment program is public, on a machine that goes by that.
    pub bitmap: u32,
    /// Where a fragment warp begins that is no member of a pair, and it has no public registers;
    /// else where all do.
    pub alone: Option<u32>,
    /// Where the fragment program merges and splits, of machines to which that is told.
    pub events: Events,
    /// The fragment program has a split point, and the cutoff is of that (MS-42).
    pub splits: bool,
    /// Behind its split points no lane looks at another (MS-41).
    pub apart: bool,
    /// cx, cy, hx, hy, z0, dz, gx, gy, as bits.
    pub viewport: [u32; 8],
    /// x0, y0, x1, y1.
    pub scissor: [u32; 4],
    /// Constant, slope, clamp, as bits.
    pub bias: [u32; 3],
    /// Least and greatest depth that a triangle has, of 24 bits.
    pub depth_range: [u32; 2],
    /// Front, back.
    pub stencil: [Stencil; 2],
    /// Bits of the stencil that are compared.
    pub stencil_read: u8,
    /// Bits that are written.
    pub stencil_write: u8,
    /// What is compared.
    pub stencil_reference: u8,
    /// The blend constant, as in memory.
    pub constant: [u32; 4],
    /// Of each target.
    pub writes: [Write; 4],
    /// Samples that may be covered.
    pub sample_mask: u32,
    /// Words of varyings that are flat.
    pub flat: u64,
    /// Words that are linear.
    pub linear: u64,
    /// A planted bug; no record has one.
    pub fault: Option<Fault>,
}

fn words<const N: usize>(memory: &Memory, address: u32) -> Words<N> {
    Words(std::array::from_fn(|k| memory.read32(address.wrapping_add(4 * k as u32))))
}

impl Pass {
    /// The record at a byte address.
    ///
    /// # Errors
    /// A field holds what the page does not know.
    pub fn read(memory: &Memory, address: u32) -> Result<Pass, String> {
        let w: pass::Words = words(memory, address);
        let samples = match w.get(pass::SAMPLES) {
            0 => Samples::One,
            1 => Samples::Two,
            2 => Samples::Four,
            _ => return Err("pass record: samples is 3".into()),
        };
        let targets = u64::from(w.get(pass::TARGETS));
        if targets > 4 {
            return Err(format!("pass record: {targets} targets"));
        }
        let target = |t: u64| {
            let after = pass::TARGET_STEP * t;
            let format = w.get(pass::TARGET_FORMAT.after(after)) as usize;
            Target {
                address: w[pass::TARGET_ADDRESS + after],
                format: [Format::Unorm8, Format::Srgb8, Format::Float16, Format::Float32][format],
                load: w.has(pass::TARGET_LOADS.after(after)),
                store: w.has(pass::TARGET_STORES.after(after)),
                resolve: w.has(pass::TARGET_RESOLVES.after(after)).then_some(w[pass::RESOLVE_ADDRESS + after]),
                clear: w.array(pass::CLEAR_COLOUR + pass::CLEAR_STEP * t),
            }
        };
        let depth = w.has(pass::HAS_DEPTH).then_some(DepthTarget {
            address: w[pass::DEPTH_ADDRESS],
            load_depth: w.has(pass::DEPTH_LOADS),
            load_stencil: w.has(pass::STENCIL_LOADS),
            store: w.has(pass::DEPTH_STORES),
            clear: w[pass::DEPTH_CLEAR],
        });
        let pass = Pass {
            width: w.get(pass::WIDTH),
            height: w.get(pass::HEIGHT),
            samples,
            row: w[pass::ROW_LINES],
            plane: w[pass::PLANE_LINES],
            targets: (0..targets).map(target).collect(),
            depth,
        };
        let quads = (pass.width.div_ceil(2), pass.height.div_ceil(2));
        let small = pass.row < quads.0 || u64::from(pass.plane) < u64::from(pass.row) * u64::from(quads.1);
        match pass.width.min(pass.height) {
            0 => Err("pass record: a target without pixels".into()),
            _ if pass.width.max(pass.height) > 4096 => Err("pass record: more than 4096 pixels along an axis".into()),
            _ if small => Err("pass record: rows or planes are smaller than the target".into()),
            _ => Ok(pass),
        }
    }
}

impl State {
    /// That bug is planted.
    pub fn has(&self, fault: Fault) -> bool {
        self.fault == Some(fault)
    }

    /// There is a fragment program. Without one quads are not shaded: what the early tests leave
    /// of them commits, with 0 for each colour (docs/graphics-blocks.md, "Results").
    pub fn has_fragments(&self) -> bool {
        self.fragment.length > 0
    }

    /// The record at a byte address.
    ///
    /// # Errors
    /// A field holds what the page does not know.
    pub fn read(memory: &Memory, address: u32) -> Result<State, String> {
        let w: state::Words = words(memory, address);
        let has = |fields: &[Field]| fields.iter().any(|&field| w.has(field));
        let stencil = |word: u32| Stencil {
            compare: Compare::of(state::STENCIL_FUNCTION.of(word)),
            fail: StencilOperation::of(state::STENCIL_FAIL.of(word)),
            depth_fail: StencilOperation::of(state::STENCIL_DEPTH_FAIL.of(word)),
            pass: StencilOperation::of(state::STENCIL_PASS.of(word)),
        };
        // Early tests that are asked for are made early, whatever the program does.
        let moves = has(&[state::DISCARDS, state::WRITES_DEPTH, state::WRITES_MASK, state::STORES]);
        let late = moves && !w.has(state::EARLY_TESTS);
        if w[state::FRAGMENT_LENGTH] == 0 && (moves || w.has(state::PER_SAMPLE)) {
            return Err("state record: no fragment program, and bits of word 6 that only one has".into());
        }
        let depth_range = w.array(state::DEPTH_LEAST);
        if depth_range[0] > depth_range[1] || depth_range[1] > 0xFF_FFFF {
            return Err(format!("state record: depth range {:#x} to {:#x}", depth_range[0], depth_range[1]));
        }
        let splits = w.has(state::PER_SAMPLE) && w.has(state::SPLITS);
        let both = |low: u64| u64::from(w[low]) | u64::from(w[low + 1]) << 32;
        Ok(State {
            vertex: ProgramAt {
                first: w[state::VERTEX_FIRST],
                length: w.get(state::VERTEX_LENGTH),
                constants: w[state::VERTEX_CONSTANTS],
            },
            position: Some(w.get(state::VERTEX_POSITION)).filter(|&at| at != 0),
            fragment: ProgramAt {
                first: w[state::FRAGMENT_FIRST],
                length: w[state::FRAGMENT_LENGTH],
                constants: w[state::FRAGMENT_CONSTANTS],
            },
            strip: match w.get(state::TOPOLOGY) {
                n @ (0 | 1) => n == 1,
                n => return Err(format!("state record: topology {n}")),
            },
            cull_clockwise: w.has(state::CULL_CLOCKWISE),
            cull_counter_clockwise: w.has(state::CULL_COUNTER_CLOCKWISE),
            front_clockwise: w.has(state::FRONT_CLOCKWISE),
            depth_compare: Compare::of(w.get(state::DEPTH_FUNCTION)),
            depth_test: w.has(state::DEPTH_TEST),
            depth_write: w.has(state::DEPTH_WRITE),
            stencil_test: w.has(state::STENCIL_TEST),
            early: !late,
            per_sample: w.has(state::PER_SAMPLE),
            writes_depth: w.has(state::WRITES_DEPTH),
            writes_mask: w.has(state::WRITES_MASK),
            varyings: w.get(state::VARYING_WORDS) as usize,
            cutoff: w.get(state::FRAGMENT_CUTOFF),
            bitmap: w[state::PUBLIC_BITMAP],
            alone: w.has(state::HAS_UNPAIRED).then_some(w[state::UNPAIRED_FIRST]),
            events: Events::of(&w),
            splits,
            apart: splits && w.has(state::APART),
            viewport: w.array(state::VIEWPORT_X),
            scissor: [state::SCISSOR_LEFT, state::SCISSOR_TOP, state::SCISSOR_RIGHT, state::SCISSOR_BOTTOM]
                .map(|field| w.get(field)),
            bias: w.array(state::BIAS_CONSTANT),
            depth_range,
            stencil: [stencil(w[state::STENCIL_FRONT]), stencil(w[state::STENCIL_BACK])],
            stencil_read: w.get(state::STENCIL_READ) as u8,
            stencil_write: w.get(state::STENCIL_WRITE) as u8,
            stencil_reference: w.get(state::STENCIL_REFERENCE) as u8,
            constant: w.array(state::BLEND_CONSTANT),
            writes: writes(&w)?,
            sample_mask: w[state::SAMPLE_MASK],
            flat: both(state::FLAT_LOW),
            linear: both(state::LINEAR_LOW),
            fault: None,
        })
    }
}

fn writes(w: &state::Words) -> Result<[Write; 4], String> {
    let [a, b, c, d] = w.array(state::TARGET_BLEND).map(write);
    Ok([a?, b?, c?, d?])
}

fn write(word: u32) -> Result<Write, String> {
    let of = |fields: [Field; 3]| equation(fields.map(|field| field.of(word)));
    let blend = match state::BLENDS.is_set(word) {
        true => Some((
            of([state::COLOUR_SOURCE, state::COLOUR_DESTINATION, state::COLOUR_OPERATION])?,
            of([state::ALPHA_SOURCE, state::ALPHA_DESTINATION, state::ALPHA_OPERATION])?,
        )),
        false => None,
    };
    Ok(Write { mask: state::TARGET_MASK.of(word), blend })
}

fn equation([source, destination, operation]: [u32; 3]) -> Result<Equation, String> {
    const FACTORS: [Factor; 13] = [
        Factor::Zero,
        Factor::One,
        Factor::Source,
        Factor::OneMinusSource,
        Factor::SourceAlpha,
        Factor::OneMinusSourceAlpha,
        Factor::Destination,
        Factor::OneMinusDestination,
        Factor::DestinationAlpha,
        Factor::OneMinusDestinationAlpha,
        Factor::SourceAlphaSaturated,
        Factor::Constant,
        Factor::OneMinusConstant,
    ];
    const OPERATIONS: [Operation; 5] =
        [Operation::Add, Operation::Subtract, Operation::ReverseSubtract, Operation::Min, Operation::Max];
    let factor = |n: u32| FACTORS.get(n as usize).copied().ok_or_else(|| format!("state record: blend factor {n}"));
    let known = OPERATIONS.get(operation as usize).copied();
    Ok(Equation {
        source: factor(source)?,
        destination: factor(destination)?,
        operation: known.ok_or_else(|| format!("state record: blend operation {operation}"))?,
    })
}
