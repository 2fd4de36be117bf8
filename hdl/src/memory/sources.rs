//! Who asks the memory port: the one table of requester numbers, which `mem_req_source` shows and
//! the arbiter routes responses by. Numbers of clients that are not built yet are given out here,
//! so that traces keep their meaning when they come. It can be wrong in two clients of one number,
//! which a test refuses.

use crate::config::GpuConfig;

/// A requester of the memory port, or a row of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemorySource {
    /// Its number; the least of a row.
    pub number: u8,
    /// How many there are at most.
    pub count: u8,
    /// What it is called in waves and reports; `#` is the number in the row.
    pub name: &'static str,
    /// What it reads and writes.
    pub what: &'static str,
    /// The machine has it today.
    pub built: bool,
}

const fn source(number: u8, count: u8, name: &'static str, what: &'static str) -> MemorySource {
    MemorySource { number, count, name, what, built: true }
}

const fn coming(number: u8, name: &'static str, what: &'static str) -> MemorySource {
    MemorySource { number, count: 1, name, what, built: false }
}

/// Number of core 0's load/store/atomic pipeline; those of the others follow.
pub const LSA_ID: u64 = 32;
/// Number of the first graphics client: the command streamer; index fetch and tile buffers follow.
pub const GRAPHICS_ID: u64 = 48;
/// Clients of graphics of every machine that has it; with a cull pipeline [`CULL_CLIENTS`] more.
pub const GRAPHICS_CLIENTS: usize = 3;
/// Clients that a cull pipeline adds, with the numbers behind those.
pub const CULL_CLIENTS: usize = 2;
/// Client of full binning. A machine without a cull pipeline has the ports of its clients, too, and
/// nobody at them.
pub const BINS_CLIENT: usize = GRAPHICS_CLIENTS + CULL_CLIENTS;

/// Client of Hi-Z's bounds in memory; the same goes for the ports before it.
pub const HI_Z_CLIENT: usize = BINS_CLIENT + 1;

/// Clients of graphics of a machine of that configuration.
pub fn graphics_clients(config: &GpuConfig) -> usize {
    if config.spills() {
        return HI_Z_CLIENT + 1;
    }
    if config.bins() {
        return BINS_CLIENT + 1;
    }
    usize::from(config.graphics) * GRAPHICS_CLIENTS + usize::from(config.culls()) * CULL_CLIENTS
}

/// Number of the thread dispatcher.
pub const DISPATCHER_ID: u64 = 63;

/// Every requester, by number.
pub const SOURCES: &[MemorySource] = &[
    source(0, 32, "fetch of unit #", "reads instructions"),
    source(32, 16, "pipeline of core #", "loads, stores and atomics of programs"),
    source(48, 1, "command streamer", "reads command list, records, constant-bank images"),
    source(49, 1, "index fetch", "reads indices of draws"),
    source(50, 1, "tile buffers", "writes tiles, reads those that are loaded"),
    source(51, 1, "second command streamer", "reads the same list behind the cull pipeline, for the one that draws"),
    source(52, 1, "cull index fetch", "reads indices for the cull pipeline"),
    source(53, 1, "bins", "writes and reads triangles of a pass and lists of tiles, with full binning"),
    source(54, 1, "Hi-Z", "bounds of depth that do not fit on chip"),
    coming(55, "visibility records", "the cull pipeline writes them, replay reads them"),
    coming(56, "spilled attributes", "words of vertices that leave the attribute store"),
    coming(57, "cull depth", "depth of the cull pipeline's own rasteriser"),
    source(63, 1, "dispatcher", "reads the thread list"),
];

/// The requester of that number, and its name; `None` of a number that is not given out.
pub fn source_of(number: u8) -> Option<(&'static MemorySource, String)> {
    let row = SOURCES.iter().find(|s| (s.number..s.number + s.count).contains(&number))?;
    Some((row, row.name.replace('#', &(number - row.number).to_string())))
}

/// The table as Markdown.
pub fn markdown() -> String {
    let mut text = String::from("| number | requester | what | built |\n| --- | --- | --- | --- |\n");
    for s in SOURCES {
        let last = s.number + s.count - 1;
        let number = if s.count == 1 { s.number.to_string() } else { format!("{} to {last}", s.number) };
        let built = if s.built { "yes" } else { "number only" };
        text += &format!("| {number} | {} | {} | {built} |\n", s.name.trim_end_matches(" #"), s.what);
    }
    text
}
