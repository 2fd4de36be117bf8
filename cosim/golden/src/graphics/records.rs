//! The pass record and the state record in memory, read as docs/graphics.md states them. A number
//! that the page does not list is an error here, though the machine would trust it: whoever wrote
//! the record made a mistake.

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
    /// As word 37 of a state record has them.
    pub fn of(word: u32) -> Self {
        Events { merge: word as u16, split: (word >> 16) as u16 }
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

fn words<const N: usize>(memory: &Memory, address: u32) -> [u32; N] {
    std::array::from_fn(|k| memory.read32(address.wrapping_add(4 * k as u32)))
}

impl Pass {
    /// The record at a byte address.
    ///
    /// # Errors
    /// A field holds what the page does not know.
    pub fn read(memory: &Memory, address: u32) -> Result<Pass, String> {
        let w: [u32; 32] = words(memory, address);
        let samples = match w[1] & 3 {
            0 => Samples::One,
            1 => Samples::Two,
            2 => Samples::Four,
            _ => return Err("pass record: samples is 3".into()),
        };
        let targets = (w[1] >> 8 & 7) as usize;
        if targets > 4 {
            return Err(format!("pass record: {targets} targets"));
        }
        let target = |t: usize| {
            let flags = w[5 + 4 * t];
            let format = [Format::Unorm8, Format::Srgb8, Format::Float16, Format::Float32][flags as usize & 3];
            Target {
                address: w[4 + 4 * t],
                format,
                load: flags >> 4 & 1 == 1,
                store: flags >> 5 & 1 == 1,
                resolve: (flags >> 6 & 1 == 1).then_some(w[6 + 4 * t]),
                clear: [w[24 + 2 * t], w[25 + 2 * t]],
            }
        };
        let depth = (w[1] >> 12 & 1 == 1).then_some(DepthTarget {
            address: w[20],
            load_depth: w[21] >> 4 & 1 == 1,
            load_stencil: w[21] >> 6 & 1 == 1,
            store: w[21] >> 5 & 1 == 1,
            clear: w[22],
        });
        let pass = Pass {
            width: w[0] & 0x1FFF,
            height: w[0] >> 16 & 0x1FFF,
            samples,
            row: w[2],
            plane: w[3],
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
        let w: [u32; 44] = words(memory, address);
        let bit = |n: u32| w[6] >> n & 1 == 1;
        let stencil = |word: u32| Stencil {
            compare: Compare::of(word),
            fail: StencilOperation::of(word >> 4),
            depth_fail: StencilOperation::of(word >> 8),
            pass: StencilOperation::of(word >> 12),
        };
        // Early tests that are asked for are made early, whatever the program does.
        let late = (bit(16) || bit(17) || bit(18) || bit(19)) && !bit(11);
        if w[3] == 0 && (bit(16) || bit(17) || bit(18) || bit(19) || bit(12)) {
            return Err("state record: no fragment program, and bits of word 6 that only one has".into());
        }
        if w[40] > w[41] || w[41] > 0xFF_FFFF {
            return Err(format!("state record: depth range {:#x} to {:#x}", w[40], w[41]));
        }
        Ok(State {
            vertex: ProgramAt { first: w[0], length: w[1] & 0xFFFF, constants: w[4] },
            position: (w[1] >> 16 != 0).then_some(w[1] >> 16),
            fragment: ProgramAt { first: w[2], length: w[3], constants: w[5] },
            strip: match w[6] & 3 {
                n @ (0 | 1) => n == 1,
                n => return Err(format!("state record: topology {n}")),
            },
            cull_clockwise: bit(2),
            cull_counter_clockwise: bit(3),
            front_clockwise: bit(4),
            depth_compare: Compare::of(w[6] >> 5),
            depth_test: bit(8),
            depth_write: bit(9),
            stencil_test: bit(10),
            early: !late,
            per_sample: bit(12),
            writes_depth: bit(17),
            writes_mask: bit(18),
            varyings: (w[7] & 0x3F) as usize,
            cutoff: w[7] >> 16 & 0x3F,
            bitmap: w[38],
            alone: (w[7] >> 22 & 1 == 1).then_some(w[39]),
            events: Events::of(w[37]),
            splits: bit(12) && bit(13),
            apart: bit(12) && bit(13) && bit(14),
            viewport: std::array::from_fn(|k| w[8 + k]),
            scissor: [w[16] & 0xFFFF, w[16] >> 16, w[17] & 0xFFFF, w[17] >> 16],
            bias: [w[18], w[19], w[20]],
            depth_range: [w[40], w[41]],
            stencil: [stencil(w[21]), stencil(w[22])],
            stencil_read: w[23] as u8,
            stencil_write: (w[23] >> 8) as u8,
            stencil_reference: (w[23] >> 16) as u8,
            constant: std::array::from_fn(|k| w[24 + k]),
            writes: [write(w[28])?, write(w[29])?, write(w[30])?, write(w[31])?],
            sample_mask: w[32],
            flat: u64::from(w[33]) | u64::from(w[34]) << 32,
            linear: u64::from(w[35]) | u64::from(w[36]) << 32,
            fault: None,
        })
    }
}

fn write(word: u32) -> Result<Write, String> {
    let blend = match word >> 4 & 1 == 1 {
        true => Some((equation(word >> 5)?, equation(word >> 16)?)),
        false => None,
    };
    Ok(Write { mask: word & 15, blend })
}

fn equation(bits: u32) -> Result<Equation, String> {
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
    let factor =
        |n: u32| FACTORS.get(n as usize & 15).copied().ok_or_else(|| format!("state record: blend factor {}", n & 15));
    let operation = OPERATIONS.get(bits as usize >> 8 & 7).copied();
    Ok(Equation {
        source: factor(bits)?,
        destination: factor(bits >> 4)?,
        operation: operation.ok_or_else(|| format!("state record: blend operation {}", bits >> 8 & 7))?,
    })
}
