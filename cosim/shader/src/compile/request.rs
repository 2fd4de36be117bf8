//! What the compiler is asked for: a source, and choices.
//!
//! It can be wrong in a default that a caller does not expect; `quadlock` sets each from the job or
//! the machine.

use crate::fault::CompilerFault;
use crate::front::{Given, Lang};
use quadlock_isa::abi::{EventForm, PrivateSet, PublicRegisters};

/// What to compile.
#[derive(Clone, Debug)]
pub struct CompileRequest<'a> {
    /// Name for messages and the source map; its extension decides the language unless `lang` does.
    pub path: &'a str,
    /// Contents of the file: text, or SPIR-V words in bytes.
    pub source: &'a [u8],
    /// Its language; found by name and contents if it is not given.
    pub lang: Option<Lang>,
    /// Entry point; not needed if the source has only one.
    pub entry: Option<&'a str>,
    /// Choices of the compiler.
    pub options: Options,
}

impl<'a> CompileRequest<'a> {
    /// A request with default options.
    pub fn new(path: &'a str, source: &'a [u8]) -> CompileRequest<'a> {
        CompileRequest { path, source, lang: None, entry: None, options: Options::default() }
    }
}

/// Compiler options.
#[derive(Clone, Debug)]
pub struct Options {
    /// Keep dynamic indices inside their array (WGSL's robust access).
    pub clamp_bounds: bool,
    /// Names of passes that are left out (see `passes::pipeline::PIPELINE`, `warp-aggregate`,
    /// `schedule` and `rotate` of the back end, and `float-unit`, without which the front end uses
    /// none of the float unit's instructions).
    pub skip_passes: Vec<String>,
    /// Registers per lane that may be used, 8 to 32.
    pub max_registers: usize,
    /// Semaphore functions spin on words in memory instead of sending messages (SE-63).
    pub polling: bool,
    /// Warp-wide operations may be used; if not, the functions by that name do the same with an
    /// atomic of one lane (WW-40).
    pub warp_wide: bool,
    /// The machine gives lanes that come late to a warp-wide atomic its kept result (WW-27): the
    /// compiler makes none of its own where lanes can.
    pub late_stored: bool,
    /// The machine merges sparse fragment warps: fragment programs get merge points (MS-30).
    pub merge: bool,
    /// The most instructions that a program with a merge point and one for warps without a partner
    /// may have together (MS-12); 0: there is no such second program. Best is what the machine's
    /// instruction caches hold.
    pub alone: usize,
    /// Which registers a cutoff makes public on the machine (MS-20).
    pub public_registers: PublicRegisters,
    /// How the machine knows merge and split points (MS-10).
    pub event_form: EventForm,
    /// What the private registers of a merged warp are (MS-22).
    pub merge_private: PrivateSet,
    /// Helpers end at a merge point in every warp (MS-35).
    pub merge_helpers_end: bool,
    /// The machine splits fragment warps: fragment programs that run once for each sample get a
    /// split point (MS-43), and then a merge point only before it, with `merge_split`.
    pub split: bool,
    /// The machine merges what splits: a merge point before the split point, if that pays (MS-43).
    pub merge_split: bool,
    /// The machine has a cull pipeline: vertex programs get a position part (HZ-30).
    pub position: bool,
    /// Every float operation is rounded as it stands in the source: no product and sum become one
    /// operation (LP-18). Without it that is done where the language allows it.
    pub exact: bool,
    /// Values of WGSL's overrides or SPIR-V's specialisation constants.
    pub constants: Vec<Given>,
    /// A planted fault, for tests that must fail.
    pub fault: Option<CompilerFault>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            clamp_bounds: true,
            skip_passes: vec![],
            max_registers: quadlock_isa::abi::REGISTERS,
            polling: false,
            warp_wide: true,
            late_stored: false,
            merge: false,
            alone: 512,
            public_registers: PublicRegisters::Below,
            event_form: EventForm::Instruction,
            merge_private: PrivateSet::Old,
            merge_helpers_end: false,
            split: false,
            merge_split: false,
            position: false,
            exact: false,
            constants: vec![],
            fault: None,
        }
    }
}
