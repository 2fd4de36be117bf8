//! Result store: places for the results of 64 quads, and the order in which they are blended
//! (docs/graphics-blocks.md, "Results"; docs/graphics.md, "Order"). Page:
//! docs/blocks/result-store.md.
//!
//! The collector gives a quad the next place of a ring, its ticket, before it is shaded. Words and
//! ends of fragments come in any order and are never held up by an older fragment. The oldest quad
//! leaves when all its lanes have ended, as beats of `Commit`.
//!
//! Words and ends go through one pipeline, in the order in which they came: in a cycle the lanes of
//! one quad and sample. Depth, coverage and the sample mask stand by samples. What changes them for
//! a quad whose samples are shaded together takes a cycle for each sample, and waits while the
//! collector writes there. A word of a colour is written once.
//!
//! Whether a word was written is told by two bits that differ: whoever writes the word makes them
//! so, whoever commits it makes them equal. So nothing has to be cleared for a new quad.
//!
//! Latency 6 cycles from the last end at its port to the first beat; from the collector to the beat
//! of a quad that needs no warp 3. Throughput: a beat per cycle, a word per cycle if its lanes are
//! those of one quad, an end every second cycle.
//!
//! It can be wrong in a quad that leaves before a word has come, and in what an older quad has left
//! in its place. Planted faults: `result-*`.

mod give;
mod take;

use quadlock_hdl_macros::QuietBlock;
use rust_hdl::prelude::*;

use crate::base::{vector, Planted};
use crate::cell::{AsyncRam, Ram, RamByte};
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::memory::NumberQueue;
use crate::ports::{CollectedIn, CommitOut, FragmentEndIn, FreedHandleOut, ResultWordIn, StateWriteIn};
use crate::raster::modes::ContextModes;
use crate::{fields, kernel_of};

/// Tickets.
const TICKETS: usize = 64;

fields! {
    /// Lanes that a quad still waits for.
    trait Expected: 6 {
        /// Lanes that have to end, counted on from quad to quad.
        expected_ends: 5 @ 0,
        /// Samples are shaded one by one.
        expected_alone: bit @ 5,
    }
}

fields! {
    /// A triangle that has given its last quad.
    trait Ended: 32 {
        /// Place of its record.
        ended_handle: 12 @ 0,
        /// Quads that had got a ticket by then.
        ended_mark: 8 @ 12,
    }
}

fields! {
    /// First word of what a quad is.
    trait ResultName: 32 {
        /// Context.
        name_context: 4 @ 0,
        /// Order number.
        name_order: 16 @ 4,
        /// Back.
        name_back: bit @ 20,
        /// Tile buffer.
        name_buffer: 3 @ 21,
    }
}

fields! {
    /// Second word.
    trait ResultPlace: 32 {
        /// Place in x.
        place_x: 11 @ 0,
        /// Place in y.
        place_y: 11 @ 11,
    }
}

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct ResultStore {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Words of state: 6 of contexts, 1 of the pass.
    pub state: StateWriteIn,
    /// There is room for three more quads than those that have been collected.
    pub room: Signal<Out, bool>,
    /// What the collector has.
    pub collected: CollectedIn,
    /// Lanes write a word.
    pub word: ResultWordIn,
    /// A warp has ended.
    pub end: FragmentEndIn,
    /// A beat goes to the late tests and blending.
    pub commit: CommitOut,
    /// All beats of the oldest quad that has left are blended and written.
    pub written_quad: Signal<In, bool>,
    /// The record of a triangle is free again.
    pub free_ports: FreedHandleOut,
    /// No quad has a ticket, and no end of a triangle is pending.
    pub idle: Signal<Out, bool>,
    modes: ContextModes,

    // Memories. A row of samples is ticket, sample; one of words is target, ticket, sample. A
    // machine for one sample has no bits of the sample.
    /// Context, order, back, buffer by ticket.
    names: Ram,
    /// Place by ticket.
    places: Ram,
    /// Depth and coverage of lane #, by sample.
    lines: Vec<RamByte>,
    /// Sample mask of the four lanes, a byte for each, by sample.
    masks: RamByte,
    /// Words 0, 2, 4, 6 of lane #.
    lows: Vec<Ram>,
    /// Words 1, 3, 5, 7 of lane #.
    highs: Vec<Ram>,
    /// Bits of who writes even words, a byte for each lane.
    low_marks: RamByte,
    /// The same of odd words.
    high_marks: RamByte,
    /// Bits of who commits: even words of the four lanes, then odd ones. For who writes.
    seen_write: Ram,
    /// The same for who commits.
    seen_commit: Ram,

    // Ends.
    expected_in: AsyncRam,
    expected_head: AsyncRam,
    arrived_take: AsyncRam,
    arrived_head: AsyncRam,
    /// Samples shaded alone, for words and ends.
    alones: AsyncRam,

    // Ring: quads counted on.
    quads_in: DFF<Bits<8>>,
    head: DFF<Bits<8>>,
    committed: DFF<Bits<8>>,
    /// Those that are in the tile: until then blending reads the state of their context.
    blended: DFF<Bits<8>>,
    room_r: DFF<bool>,
    inside: Signal<Local, Bits<8>>,

    // An end that waits.
    held: DFF<bool>,
    held_covered: DFF<Bits<4>>,
    held_ticket: Vec<DFF<Bits<8>>>,
    held_sample: Vec<DFF<Bits<2>>>,

    // A word or an end whose lanes go on one quad and sample at a time.
    pending: DFF<Bits<4>>,
    is_end: DFF<bool>,
    number: DFF<Bits<4>>,
    ticket: Vec<DFF<Bits<8>>>,
    sample: Vec<DFF<Bits<2>>>,
    data: Vec<DFF<Bits<32>>>,
    first: Signal<Local, Bits<2>>,
    first_ticket: Signal<Local, Bits<8>>,
    first_sample: Signal<Local, Bits<2>>,
    first_data: Signal<Local, Bits<32>>,
    first_mask: Signal<Local, Bits<4>>,
    swapped: Signal<Local, bool>,
    group: Signal<Local, Bits<4>>,
    group_count: Signal<Local, Bits<3>>,
    own_lane: Signal<Local, Bits<4>>,
    rest: Signal<Local, Bits<4>>,
    empty: Signal<Local, bool>,
    load: Signal<Local, bool>,
    /// A word may come.
    welcome: Signal<Local, bool>,

    // The lanes of one quad and sample that are written.
    busy: DFF<bool>,
    x_end: DFF<bool>,
    x_number: DFF<Bits<4>>,
    x_ticket: DFF<Bits<6>>,
    x_sample: DFF<Bits<2>>,
    x_alone: DFF<bool>,
    x_lanes: DFF<Bits<4>>,
    x_count: DFF<Bits<3>>,
    x_data: Vec<DFF<Bits<32>>>,
    colour: Signal<Local, bool>,
    lost: Signal<Local, Bits<4>>,
    line_write: Signal<Local, bool>,
    last_write: Signal<Local, bool>,
    done: Signal<Local, bool>,
    moves: Signal<Local, bool>,
    colour_row: Signal<Local, Bits<12>>,
    line_row: Signal<Local, Bits<12>>,
    depth_lanes: Signal<Local, Bits<4>>,
    lost_lanes: Signal<Local, Bits<4>>,
    mask_lanes: Signal<Local, Bits<4>>,
    even_lanes: Signal<Local, Bits<4>>,
    odd_lanes: Signal<Local, Bits<4>>,
    mask_word: Signal<Local, Bits<32>>,
    shifted: Vec<Signal<Local, Bits<32>>>,
    depth_word: Vec<Signal<Local, Bits<32>>>,
    seen_bits: Signal<Local, Bits<4>>,
    mark_word: Signal<Local, Bits<32>>,
    expected_now: Signal<Local, Bits<6>>,
    expected_new: Signal<Local, Bits<6>>,
    arrived_new: Signal<Local, Bits<5>>,
    name: Signal<Local, Bits<32>>,
    place: Signal<Local, Bits<32>>,

    // The beat whose words are asked for.
    beat_sample: DFF<Bits<2>>,
    beat_target: DFF<Bits<2>>,
    expected_out: Signal<Local, Bits<6>>,
    ready: Signal<Local, bool>,
    last_target: Signal<Local, bool>,
    last_sample: Signal<Local, bool>,
    advance: Signal<Local, bool>,
    leave: Signal<Local, bool>,
    word_row: Signal<Local, Bits<12>>,
    sample_row: Signal<Local, Bits<12>>,
    name_row: Signal<Local, Bits<12>>,
    // The beat whose words are there.
    valid1: DFF<bool>,
    sample1: DFF<Bits<2>>,
    target1: DFF<Bits<2>>,
    first1: DFF<bool>,
    last1: DFF<bool>,
    final1: DFF<bool>,
    word_row1: DFF<Bits<12>>,
    sample_row1: DFF<Bits<12>>,
    name_row1: DFF<Bits<12>>,
    name1: Signal<Local, Bits<32>>,
    place1: Signal<Local, Bits<32>>,
    written: Signal<Local, Bits<8>>,
    marked: Signal<Local, Bits<8>>,
    covered: Signal<Local, Bits<4>>,
    masked: Signal<Local, Bits<4>>,
    // The beat at the port.
    valid2: DFF<bool>,
    name2: DFF<Bits<32>>,
    place2: DFF<Bits<32>>,
    sample2: DFF<Bits<2>>,
    target2: DFF<Bits<2>>,
    first2: DFF<bool>,
    last2: DFF<bool>,
    late2: DFF<bool>,
    coverage2: DFF<Bits<4>>,
    depth2: Vec<DFF<Bits<24>>>,
    low2: Vec<DFF<Bits<32>>>,
    high2: Vec<DFF<Bits<32>>>,

    // Triangles that have ended and whose quads are not all in the tile.
    ended: NumberQueue,
    free: DFF<bool>,
    free_place: DFF<Bits<12>>,
    ended_new: Signal<Local, Bits<32>>,
    ended_word: Signal<Local, Bits<32>>,
    since_end: Signal<Local, Bits<8>>,
    frees: Signal<Local, bool>,

    fault_result_order: Planted,
    fault_result_stale: Planted,
    fault_result_swap: Planted,
    fault_result_mask: Planted,
    fault_result_depth: Planted,
    fault_result_helper: Planted,
    fault_result_alone: Planted,
    fault_result_forget: Planted,
    fault_result_free: Planted,
    fault_result_early: Planted,
    fault_result_late: Planted,
    fault_result_target: Planted,
    fault_result_waits: Planted,
    _one_sample: bool,
    _active: bool,
}

impl ResultStore {
    /// Empty, for the samples and targets of that configuration, with its planted faults.
    pub fn new(config: &GpuConfig) -> Self {
        let planted = |fault| Planted::new(config.has(fault));
        // Rows of all tickets: of samples, and of the even or of the odd words of a lane.
        let samples = config.max_samples * TICKETS;
        let words = config.max_targets.next_power_of_two() * samples;
        Self {
            modes: ContextModes::new(config),
            names: Ram::new(TICKETS),
            places: Ram::new(TICKETS),
            lines: (0..4).map(|_| RamByte::new(samples)).collect(),
            masks: RamByte::new(samples),
            lows: (0..4).map(|_| Ram::new(words)).collect(),
            highs: (0..4).map(|_| Ram::new(words)).collect(),
            low_marks: RamByte::new(words),
            high_marks: RamByte::new(words),
            seen_write: Ram::new(words),
            seen_commit: Ram::new(words),
            expected_in: AsyncRam::new(TICKETS, 6),
            expected_head: AsyncRam::new(TICKETS, 6),
            arrived_take: AsyncRam::new(TICKETS, 5),
            arrived_head: AsyncRam::new(TICKETS, 5),
            alones: AsyncRam::new(TICKETS, 1),
            ended: NumberQueue::new(config, config.records(), 20, 0),
            held_ticket: vector(4),
            held_sample: vector(4),
            ticket: vector(4),
            sample: vector(4),
            data: vector(4),
            x_data: vector(4),
            shifted: vector(4),
            depth_word: vector(4),
            depth2: vector(4),
            low2: vector(4),
            high2: vector(4),
            fault_result_order: planted(Fault::ResultOrder),
            fault_result_stale: planted(Fault::ResultStale),
            fault_result_swap: planted(Fault::ResultSwap),
            fault_result_mask: planted(Fault::ResultMask),
            fault_result_depth: planted(Fault::ResultDepth),
            fault_result_helper: planted(Fault::ResultHelper),
            fault_result_alone: planted(Fault::ResultAlone),
            fault_result_forget: planted(Fault::ResultForget),
            fault_result_free: planted(Fault::ResultFree),
            fault_result_early: planted(Fault::ResultEarly),
            fault_result_late: planted(Fault::ResultLate),
            fault_result_target: planted(Fault::ResultTarget),
            fault_result_waits: planted(Fault::ResultWaits),
            _one_sample: config.max_samples == 1,
            _active: true,
            ..Default::default()
        }
    }
}

kernel_of! { ResultStore:
    /// Clocks, and registers that keep what they have.
    Registers,
    /// The lanes of a word or an end that go on next.
    Choose,
    /// A word or an end is done in a cycle, or goes on with the next sample.
    Execute,
    /// Colours are written with their marks.
    Colours,
    /// Depth, lost coverage and sample mask say which lanes of a line they write.
    LineLanes,
    /// Lanes that have ended are counted.
    Arrivals,
    /// The next sample follows, or the next lanes.
    Succession,
    /// A line is written by a sample of the collector, or by results of the shader.
    LineWrite,
    /// A kept quad is entered under its ticket, and the end of a triangle is queued.
    QuadEntry,
    /// Words and ends that come.
    Come,
    /// The oldest quad is ready when all its lanes have ended.
    Head,
    /// The quad goes beat by beat, and each asks for its rows.
    Beat,
    /// Flags say which words of the quad are written; its last beat clears them.
    WrittenFlags,
    /// The lanes' sample masks and coverage come.
    Coverage,
    /// The beat at the port.
    Leave,
    /// Triangles that are done with.
    Free,
}
