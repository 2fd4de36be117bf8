//! Names of values for wave viewers. A [`Table`] says once which value of which width has which
//! name and colour; the translate files of GTKWave, the mapping files of Surfer and the tables of
//! an FST file are made from it. A viewer compares what it would show, so a table is only right for
//! a row of its width in its radix: [`Table::gtkwave`] writes the digits that GTKWave shows.

use std::fmt::Write as _;

use quadlock_hdl::memory::sources;
use quadlock_isa::records::{pass, state, Record};
use quadlock_isa::wave::opcode_name;
use quadlock_rtlsim::design::Enumeration;

use crate::view::lists;

/// Thread numbers that a machine can have: 32 units of 16 warps.
const THREADS: u16 = 512;
/// Semaphores that a machine can have.
const SEMAPHORES: u16 = 1024;
/// Entries that a pool can have.
const ENTRIES: u16 = 4096;

/// How a name stands out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    Plain,
    Green,
    Orange,
    Gold,
    Gray,
    Red,
}

impl Colour {
    fn gtkwave(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Green => "?LimeGreen?",
            Self::Orange => "?Orange?",
            Self::Gold => "?Gold?",
            Self::Gray => "?DimGray?",
            Self::Red => "?Red?",
        }
    }

    fn surfer(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Green => "[green]",
            Self::Orange => "[orange]",
            Self::Gold => "[gold]",
            Self::Gray => "[gray]",
            Self::Red => "[error]",
        }
    }
}

/// Names of the values of one kind of variable.
#[derive(Clone, Debug)]
pub struct Table {
    /// Name of its files, without an ending.
    pub file: String,
    /// What its values are, as a viewer's list of formats shows it.
    pub title: String,
    pub width: u32,
    /// Shown in binary without the names, else in hexadecimal.
    pub binary: bool,
    /// The values are parts of variables, which GTKWave alone shows as rows.
    pub of_part: bool,
    pub labels: Vec<(u64, String, Colour)>,
}

impl Table {
    fn new(file: &str, title: &str, width: u32) -> Self {
        Self {
            file: file.to_owned(),
            title: title.to_owned(),
            width,
            binary: false,
            of_part: false,
            labels: Vec::new(),
        }
    }

    fn with(mut self, value: u64, name: impl Into<String>, colour: Colour) -> Self {
        self.labels.push((value, name.into(), colour));
        self
    }

    fn all(mut self, labels: impl IntoIterator<Item = (u64, String, Colour)>) -> Self {
        self.labels.extend(labels);
        self
    }

    /// "-" and then these names from a value on.
    fn list(self, first: u64, names: &[(&str, Colour)]) -> Self {
        let labels = names.iter().zip(first..).map(|((name, colour), value)| (value, (*name).to_owned(), *colour));
        self.with(0, "-", Colour::Plain).all(labels)
    }

    /// "-" and then so many numbers from a value on.
    fn numbers(self, first: u64, count: u16, name: &dyn Fn(u16) -> String) -> Self {
        self.with(0, "-", Colour::Plain).all((0..count).map(|n| (first + u64::from(n), name(n), Colour::Plain)))
    }

    /// States of an enum of the design, by value.
    pub fn of_states(name: &str, states: &[String]) -> Self {
        let width = usize::BITS - (states.len().max(2) - 1).leading_zeros();
        let labels = states.iter().zip(0..).map(|(s, i)| (i, s.clone(), Colour::Plain)).collect();
        let (file, title) = (format!("state-{name}"), format!("Quadlock {name}"));
        Self { file, title, width, binary: true, of_part: false, labels }
    }

    /// Name of the translate file of GTKWave.
    pub fn translate_file(&self) -> String {
        format!("{}.txt", self.file)
    }

    /// Translate file of GTKWave: a line for each value, as a row of this width and radix shows it.
    pub fn gtkwave(&self) -> String {
        self.labels.iter().fold(String::new(), |mut text, (value, name, colour)| {
            let (width, digits) = (self.width as usize, self.width.div_ceil(4) as usize);
            let value = if self.binary { format!("{value:0width$b}") } else { format!("{value:0digits$X}") };
            let _ = writeln!(text, "{value} {}{name}", colour.gtkwave());
            text
        })
    }

    /// Mapping file of Surfer.
    pub fn surfer(&self) -> String {
        let head = format!("Name = {}\nBits = {}\n", self.title, self.width);
        self.labels.iter().fold(head, |mut text, (value, name, colour)| {
            let _ = writeln!(text, "0x{value:x}{} {name}", colour.surfer());
            text
        })
    }

    /// For the tables of an FST file.
    pub fn enumeration(&self) -> Enumeration {
        let values = self.labels.iter().map(|(value, name, _)| (name.clone(), *value)).collect();
        Enumeration { name: self.title.clone(), width: self.width, values }
    }
}

/// Kinds of values that have names beside the enums of the design. Where nothing happens the value
/// is 0, "-"; else the highest bit of the width is set. Opcodes and words of records are numbers
/// from 0 on, whether something happens or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Names {
    /// Bits 7:0 of an instruction word.
    Opcode,
    /// The same, of an instruction that retires.
    Retired,
    /// State of a thread as `thread_view` of the RTL has it.
    ThreadState,
    /// Place of a list ([`lists`]): of the owner, and of those behind it.
    Owner,
    Waiting,
    /// Number of a thread.
    Thread,
    Message,
    Flags,
    Semaphore,
    ListOperation,
    ListError,
    ListEntry,
    Warp,
    Lanes,
    Pipeline,
    Access,
    Requester,
    /// Of graphics ([`super::pipeline`]).
    Fate,
    Context,
    Handle,
    Stage,
    Sample,
    Flag,
    Tile,
    WindowEnd,
    Work,
    /// Number of a word of a state record, and of the pass record.
    StateWord,
    PassWord,
    /// Too many for names.
    Number,
    Pixel,
    Depth,
    Pairs,
    /// Numbers that may be 0: of events in a cycle, and up to it.
    Amount,
    Count,
}

/// All kinds whose values have names.
pub const ALL: [Names; 28] = [
    Names::Opcode,
    Names::Retired,
    Names::ThreadState,
    Names::Owner,
    Names::Waiting,
    Names::Thread,
    Names::Message,
    Names::Flags,
    Names::Semaphore,
    Names::ListOperation,
    Names::ListError,
    Names::ListEntry,
    Names::Warp,
    Names::Lanes,
    Names::Pipeline,
    Names::Access,
    Names::Requester,
    Names::Fate,
    Names::Context,
    Names::Handle,
    Names::Stage,
    Names::Sample,
    Names::Flag,
    Names::Tile,
    Names::WindowEnd,
    Names::Work,
    Names::StateWord,
    Names::PassWord,
];

/// Kinds of [`ALL`] that only a machine with graphics has.
pub const OF_GRAPHICS: [Names; 11] = [
    Names::Fate,
    Names::Context,
    Names::Handle,
    Names::Stage,
    Names::Sample,
    Names::Flag,
    Names::Tile,
    Names::WindowEnd,
    Names::Work,
    Names::StateWord,
    Names::PassWord,
];

/// Value of a semaphore's number; those that no machine has share one.
pub fn semaphore(number: u16) -> u64 {
    0x800 | u64::from(number.min(SEMAPHORES))
}

fn thread_name(thread: u16) -> String {
    format!("unit {} warp {}", thread / 16, thread % 16)
}

impl Names {
    /// Bits of a variable with such values.
    pub fn width(self) -> u32 {
        match self {
            Self::Opcode => 8,
            Self::Retired => 9,
            Self::ThreadState | Self::Owner | Self::Waiting | Self::Thread | Self::Semaphore => 12,
            Self::Message | Self::Flags | Self::ListOperation | Self::ListError | Self::Pipeline => 3,
            Self::ListEntry => 13,
            Self::Warp | Self::Lanes => 5,
            Self::Access => 2,
            Self::Requester => 7,
            Self::Fate => 5,
            Self::Context => 5,
            Self::Handle => 13,
            Self::Stage | Self::Sample => 3,
            Self::Flag => 1,
            Self::Tile => 2,
            Self::WindowEnd => 5,
            Self::Work | Self::StateWord | Self::PassWord => 6,
            Self::Number => 17,
            Self::Pixel => 13,
            Self::Depth | Self::Pairs => 25,
            Self::Amount => 6,
            Self::Count => 32,
        }
    }

    /// The table, which has every value that there can be; of numbers that are too many for names
    /// it is empty.
    pub fn table(self) -> Table {
        use Colour::{Gold, Green, Orange, Plain, Red};
        let (list, numbers) = (Table::list, Table::numbers);
        let of = |file, title: &str| Table::new(file, &format!("Quadlock {title}"), self.width());
        match self {
            Self::Opcode => of("opcodes", "opcode").all(opcodes(0)),
            Self::Retired => of("retired", "retired instruction").with(0, "-", Plain).all(opcodes(0x100)),
            Self::ThreadState => {
                let waits = |n| (0x800 + n, format!("waits for semaphore {n}"), Orange);
                let states = of("threads", "state of a thread").with(0, "-", Plain).with(0x400, "running", Green);
                states.all((0..u64::from(SEMAPHORES)).map(waits))
            }
            Self::Owner => places(of("owners", "owner of a semaphore"), Green),
            Self::Waiting => places(of("entries", "entry of a list"), Orange),
            Self::Thread => numbers(of("thread-numbers", "thread"), 0x800, THREADS, &thread_name),
            Self::Message => {
                let kinds = [("ACQ_MSG", Plain), ("REL_MSG", Plain), ("ACK_MSG", Gold), ("undefined", Red)];
                list(of("messages", "message"), 4, &kinds)
            }
            Self::Flags => {
                let flags = ["plain", "auto-release", "acknowledge-suppress", "auto-release and suppress"];
                list(of("message-flags", "message flags"), 4, &flags.map(|f| (f, Plain)))
            }
            Self::Semaphore => {
                let known = numbers(of("semaphores", "semaphore"), 0x800, SEMAPHORES, &|n| n.to_string());
                known.with(semaphore(SEMAPHORES), "no such semaphore", Red)
            }
            Self::ListOperation => {
                let kinds = ["append", "remove head", "mark released", "pass"].map(|k| (k, Plain));
                let wrong = ["protocol error", "undefined"].map(|k| (k, Red));
                list(of("list-operations", "list operation"), 1, &[&kinds[..], &wrong[..]].concat())
            }
            Self::ListError => {
                let reasons = ["not in the list", "released before", "no such semaphore", "undefined"];
                list(of("list-errors", "protocol error"), 1, &reasons.map(|r| (r, Red)))
            }
            Self::ListEntry => numbers(of("list-entries", "entry of the pool"), 0x1000, ENTRIES, &|n| n.to_string()),
            Self::Warp => numbers(of("warps", "warp"), 0x10, 16, &|n| n.to_string()),
            Self::Lanes => numbers(of("lanes", "lanes 3210"), 0x10, 16, &|n| format!("{n:04b}")),
            Self::Pipeline => {
                list(of("pipelines", "pipeline"), 4, &["global", "shared", "function", "kept"].map(|p| (p, Plain)))
            }
            Self::Access => list(of("accesses", "memory access"), 2, &[("read", Plain), ("write", Gold)]),
            Self::Requester => numbers(of("requesters", "memory requester"), 0x40, 64, &requester),
            Self::Fate => {
                let fates = FATES.into_iter().zip(0u64..);
                let both = fates.flat_map(|((name, colour), n)| {
                    [(0x10 + 2 * n, name.to_owned(), colour), (0x11 + 2 * n, format!("{name}, clipped"), colour)]
                });
                of("fates", "fate of a triangle").with(0, "-", Plain).all(both)
            }
            Self::Context => numbers(of("contexts", "context"), 0x10, 16, &|n| n.to_string()),
            Self::Handle => numbers(of("handles", "triangle record"), 0x1000, 4096, &|n| n.to_string()),
            Self::Stage => {
                let stages =
                    [("compute", Plain), ("vertices", Green), ("quad", Gold), ("vertices of the cull pipeline", Green)];
                list(of("stages", "stage"), 4, &stages)
            }
            Self::Sample => numbers(of("samples", "sample or target"), 4, 4, &|n| n.to_string()),
            Self::Flag => list(of("flags", "flag"), 1, &[("yes", Plain)]),
            Self::Tile => list(of("tiles", "tile"), 2, &[("written", Plain), ("loaded again", Orange)]),
            Self::WindowEnd => list(of("window-ends", "end of a window"), 16, &WINDOW_ENDS.map(|why| (why, Plain))),
            Self::Work => numbers(of("steps", "step of work"), 0x20, 32, &steps),
            Self::StateWord => of("state-words", "word of a state record").all(words(&state::RECORD)),
            Self::PassWord => of("pass-words", "word of the pass record").all(words(&pass::RECORD)),
            Self::Number => of("numbers", "number"),
            Self::Pixel => of("pixels", "pixel"),
            Self::Depth => of("depths", "depth"),
            Self::Pairs => of("pairs", "pairs of triangle and tile"),
            Self::Amount => of("amounts", "events in a cycle"),
            Self::Count => of("counts", "events so far"),
        }
    }
}

/// What becomes of a triangle, by its number in the event.
const FATES: [(&str, Colour); 8] = [
    ("set up", Colour::Green),
    ("out of range", Colour::Red),
    ("outside the frustum", Colour::Gray),
    ("without area", Colour::Gray),
    ("culled by its face", Colour::Gray),
    ("without a pixel", Colour::Gray),
    ("clipped away", Colour::Gray),
    ("skipped", Colour::Gray),
];

/// Why a window ends, by the number in the event.
const WINDOW_ENDS: [&str; 16] = [
    "all triangles",
    "all pairs",
    "no place for a tile",
    "starved of stores",
    "the list waits",
    "nothing comes for long",
    "a run waits",
    "no context is free",
    "starved of numbers",
    "undefined: 9",
    "undefined: 10",
    "undefined: 11",
    "undefined: 12",
    "undefined: 13",
    "undefined: 14",
    "undefined: 15",
];

/// Units that make a step of work in a cycle, by the bits of the event.
const STEPS: [&str; 5] = ["tile decided", "triangle rastered", "tile buffers", "clipper", "bound cleared"];

fn steps(bits: u16) -> String {
    let names: Vec<&str> = STEPS.into_iter().zip(0..).filter(|(_, bit)| bits >> bit & 1 != 0).map(|s| s.0).collect();
    match names.is_empty() {
        true => "none".into(),
        false => names.join(", "),
    }
}

/// Words of a record by name.
fn words(record: &Record) -> impl Iterator<Item = (u64, String, Colour)> + '_ {
    (0..64).map(|word| match record.name(word) {
        Some(name) => (word, name, Colour::Plain),
        None => (word, "no meaning".to_owned(), Colour::Gray),
    })
}

/// Number of `mem_req_source` of the machine.
fn requester(number: u16) -> String {
    let known = u8::try_from(number).ok().and_then(sources::source_of);
    known.map_or_else(|| format!("requester {number}"), |(_, name)| name)
}

/// Every opcode by name, as the value `first` + its number.
fn opcodes(first: u64) -> impl Iterator<Item = (u64, String, Colour)> {
    let colour = |code| match opcode_name(code) {
        "reserved" | "undefined" => Colour::Red,
        _ => Colour::Plain,
    };
    (0..=255).map(move |code| (first + u64::from(code), opcode_name(code).to_owned(), colour(code)))
}

/// Places of a list: a thread each, in that colour while it has not been released.
fn places(mut table: Table, colour: Colour) -> Table {
    table.of_part = true;
    let states = [(lists::PRESENT, "", colour), (lists::PRESENT | lists::RELEASED, " (released)", Colour::Gray)];
    table.with(0, "-", Colour::Plain).all((0..THREADS).flat_map(move |thread| {
        states.map(|(bits, end, colour)| (u64::from(bits | thread), thread_name(thread) + end, colour))
    }))
}
