//! Numbers that host, compiler, golden model and RTL must agree on beside the instructions: sizes
//! of register file and constant bank, and where the host puts launch parameters in the constant
//! bank. Changing one changes every binary.

use crate::records::window;

/// Lanes of a warp (WW-1).
pub const LANES: usize = 4;
/// General registers per lane (WW-1 asks for at least 32). A program's cutoff says which of them
/// are *public* ([`PublicRegisters`]); the others are private (MS-20).
pub const REGISTERS: usize = 32;
/// Which registers a program's cutoff makes public (MS-20).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PublicRegisters {
    /// Those with numbers below it.
    #[default]
    Below,
    /// As many, at the upper end.
    Above,
    /// The lower half, whatever the cutoff is; none if it is 0.
    Half,
    /// Those of the bits of a word that comes with the program.
    Bitmap,
}

impl PublicRegisters {
    /// Every option with its name in job files and on the command line.
    pub const ALL: [(Self, &'static str); 4] =
        [(Self::Below, "below"), (Self::Above, "above"), (Self::Half, "half"), (Self::Bitmap, "bitmap")];

    /// The name in job files and on the command line.
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }
}

/// The private registers of a merged warp (MS-22, MS-35).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PrivateSet {
    /// Those of member 0.
    #[default]
    Old,
    /// It has none.
    None,
    /// Those of both members, as one set of twice as many.
    Joined,
    /// A set that is neither member's.
    New,
}

impl PrivateSet {
    /// Every option with its name in job files and on the command line.
    pub const ALL: [(Self, &'static str); 4] =
        [(Self::Old, "old"), (Self::None, "none"), (Self::Joined, "joined"), (Self::New, "new")];

    /// The name in job files and on the command line.
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }
}

/// How a program says where its lanes meet a merge or split event (MS-10, MS-35).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EventForm {
    /// By an instruction: MERGE, SPLIT.
    #[default]
    Instruction,
    /// By a modifier of an instruction: `.merge`, `.split`. They meet it behind that instruction.
    Modifier,
    /// By a program counter beside the program. They meet it before the instruction there.
    Counter,
    /// By the number of instructions that a lane has executed, beside the program.
    Count,
}

impl EventForm {
    /// Every form with its name in job files and on the command line.
    pub const ALL: [(Self, &'static str); 4] = [
        (Self::Instruction, "instruction"),
        (Self::Modifier, "modifier"),
        (Self::Counter, "counter"),
        (Self::Count, "count"),
    ];

    /// The name in job files and on the command line.
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }

    /// The event stands beside the program, not in it.
    pub fn is_beside(self) -> bool {
        matches!(self, Self::Counter | Self::Count)
    }
}

/// What the warps are that a warp of a quad becomes at a split point (MS-41).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SplitShape {
    /// One for each covered sample, with the quad's pixels as lanes.
    #[default]
    Samples,
    /// Of four samples one for each covered pixel, with its samples as lanes, if the program lets
    /// it; else as `Samples`.
    Pixels,
    /// Of each quad what makes fewer warps, if the program lets it.
    Either,
}

impl SplitShape {
    /// Every shape with its name in job files and on the command line.
    pub const ALL: [(Self, &'static str); 3] =
        [(Self::Samples, "samples"), (Self::Pixels, "pixels"), (Self::Either, "either")];

    /// The name in job files and on the command line.
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }
}

/// The most warp units of a machine, of all its cores together (SE-1).
pub const MAX_UNITS: usize = 32;
/// The most warp slots of a warp unit.
pub const MAX_WARPS: usize = 16;
/// The most 32-bit words of a warp unit's shared storage.
pub const MAX_SHARED_WORDS: usize = 4096;
/// The most invocations of a work group, and the most along each of its axes.
pub const MAX_GROUP: usize = 1024;
/// Words of the constant bank.
pub const CONST_WORDS: usize = 1024;
/// Words of the constant bank that a stage of a pipeline has (docs/graphics.md).
pub const WINDOW_WORDS: usize = window::WORDS;
/// Bytes of a memory line: the unit of a memory transaction and of coalescing.
pub const LINE_BYTES: u32 = 16;
/// The most instructions of a program; program counters are 16-bit instruction indices.
pub const MAX_PROGRAM: usize = 65_536;

/// Constant-bank words 0 and 1 of a fragment program: least and greatest depth that it may write,
/// of 24 bits. Programs of WGSL pipelines read them.
pub const CONST_DEPTH_RANGE: usize = window::DEPTH_RANGE as usize;
/// Constant-bank words 0, 1, 2 of a compute program: number of work groups along x, y, z.
pub const CONST_GRID: usize = window::GRID as usize;
/// Constant-bank word 3: byte address of the stacks (spills, indexed private arrays).
pub const CONST_STACK_BASE: usize = window::STACK_BASE as usize;
/// Constant-bank word 4: stack bytes per thread, a multiple of 16.
pub const CONST_STACK_SIZE: usize = window::STACK_SIZE as usize;
/// Constant-bank word 5: byte address of the lock table, a word per semaphore, of a program
/// compiled with polling semaphores.
pub const CONST_LOCKS: usize = window::LOCKS as usize;
/// First word of the buffer table: word `CONST_BUFFERS + 2*i` is the byte address of buffer i, the
/// next one its size in bytes.
pub const CONST_BUFFERS: usize = window::BUFFER_ADDRESS as usize;
/// Entries of the buffer table.
pub const MAX_BUFFERS: usize = 32;
/// First word free for uniform data and for constants that the compiler places.
pub const CONST_USER: usize = window::USER as usize;
const _: () = assert!(CONST_USER == CONST_BUFFERS + 2 * MAX_BUFFERS);
