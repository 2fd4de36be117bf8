//! First half of the attribute unit: it takes an instruction, gives the words of `OUT` away, asks
//! the store, and tells the second half ([`super::back`]) what to make of the answers.
//!
//! | cycle | what |
//! | --- | --- |
//! | 0 | an instruction is taken; its slot's tags are read |
//! | 1 | `OUT`: the word is offered. Else the first question is |
//! | 1 | the instruction is offered to the second half; of `OUT` one cycle after its word was taken |
//!
//! Questions go out one in a cycle, corner by corner or edge by edge, of each for every active
//! lane. If the active lanes have one triangle each is asked once. There are 16 places for answers;
//! a question waits for a place. The next instruction is taken when all questions of this one are
//! taken and the second half has it.
//!
//! An instruction without lanes, `OUT` of a compute warp, and `BARY` and `ATTR` of a warp that has
//! no triangles only complete.
//!
//! It can be wrong in whose triangle is asked for, and in a place given twice;
//! `tests/attribute_unit.rs` has a store that answers late, and counts.
//!
//! Planted faults: `attribute-handle`, `attribute-overflow`, `bary-centroid`, `bary-sample`,
//! `out-sample`.

use quadlock_hdl_macros::QuietBlock;
use rust_hdl::prelude::*;

use crate::base::{vector, Planted};
use crate::cell::{DeepRam, FragmentPlace, Ram};
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::kernel_of;
use crate::ports::{
    AttributeJobOut, RequestIn, ResultWordOut, StateWriteIn, StoreReadOut, TagsIn, UnitLaunchIn, VertexWordOut,
};

mod kernel;

/// Warp slots of a unit.
const SLOTS: usize = 16;

/// See the module documentation. Elements of the vectors are lanes.
#[derive(Default, QuietBlock)]
pub struct AttributeFront {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Number of the core.
    pub source: Signal<In, Bits<4>>,
    /// A warp of a unit of the core is launched.
    pub launch_ports: UnitLaunchIn,
    /// What it is.
    pub tags: TagsIn,
    /// Merging: lanes of unit i's slots whose tags are those of member 1, bits 4 s + 3 : 4 s of
    /// slot s; none without it.
    pub mates: Vec<Signal<In, Bits<64>>>,
    /// Splitting into pixels: slots of unit i that stand for pixels and will be one of them.
    pub whole: Vec<Signal<In, Bits<16>>>,
    whole_shifted: Vec<Signal<Local, Bits<16>>>,
    /// The slot that is looked at is one, with what the RAMs read.
    is_whole: Vec<DFF<bool>>,
    fault_shape_bary: Vec<Planted>,
    _turns: usize,
    _whole: usize,
    /// Pairs of groups: slots whose lanes have tags of the second group, two slots behind 15:0,
    /// four behind 31:16.
    pub twins: Vec<Signal<In, Bits<32>>>,
    /// Groups of more than two: bit 1 of the members' numbers, where `mates` is bit 0.
    pub mates_high: Vec<Signal<In, Bits<64>>>,
    /// State of the pipeline: the pass's number of samples is kept.
    pub state: StateWriteIn,
    /// Its unit in the core.
    pub req_unit: Signal<In, Bits<3>>,
    /// An instruction is offered.
    pub req: RequestIn,
    /// Word of vertices, written by a vertex warp.
    pub vertex_word: VertexWordOut,
    /// With a cull pipeline: the word is of the cull pipeline's vertices. One element, or none.
    pub vertex_word_cull: Vec<Signal<Out, bool>>,
    /// Word of fragments, written by a fragment warp.
    pub result_word: ResultWordOut,
    /// Request for an edge or a word of a triangle's record.
    pub store_req: StoreReadOut,
    /// The second half has used an answer.
    pub used: Signal<In, bool>,
    // To the second half.
    /// A step for the second half of an attribute unit.
    pub job: AttributeJobOut,
    /// First words of the tags of all slots, one RAM for each lane.
    places: Vec<Ram>,
    /// Tickets and handles of lanes 0 and 1, and of 2 and 3.
    pairs: Vec<DeepRam>,
    /// With merging the tags of member 1 stand in second places, 16 behind the slot of member 0, so
    /// that they are there for the merged warp. Tickets and handles there.
    mate_low: Vec<DeepRam>,
    mate_high: Vec<DeepRam>,
    /// Lanes that look there, with what the RAMs read.
    mate: Vec<DFF<Bits<4>>>,
    place_cell: Vec<FragmentPlace>,
    samples: DFF<Bits<2>>,
    // The instruction.
    busy: DFF<bool>,
    unit: DFF<Bits<3>>,
    warp: DFF<Bits<4>>,
    seq: DFF<Bits<8>>,
    mask: DFF<Bits<4>>,
    dst: DFF<Bits<5>>,
    op: DFF<Bits<8>>,
    number: DFF<Bits<6>>,
    data: Vec<DFF<Bits<32>>>,
    /// The word of OUT is taken.
    out_sent: DFF<bool>,
    /// The second half has it.
    job_sent: DFF<bool>,
    /// All questions are taken.
    reqs_sent: DFF<bool>,
    corner: DFF<Bits<2>>,
    /// Lanes still to be asked for at this corner.
    todo: DFF<Bits<4>>,
    /// Places for answers that are given.
    places_given: DFF<Bits<5>>,
    // Named intermediate values.
    /// Place of the slot that is looked at, if a unit has 16 of them; as many as it has.
    plain_slot: Signal<Local, Bits<12>>,
    slot: Signal<Local, Bits<12>>,
    /// Where a launch writes, where second places are; unit and slot that are looked at.
    launched: Signal<Local, Bits<12>>,
    second: Signal<Local, Bits<12>>,
    looked_unit: Signal<Local, Bits<3>>,
    looked_warp: Signal<Local, Bits<4>>,
    mates_shifted: Signal<Local, Bits<64>>,
    mates_now: Signal<Local, Bits<4>>,
    // Groups of more than two: words of members 2 and 3, and lanes of them.
    deep_low: Vec<DeepRam>,
    deep_high: Vec<DeepRam>,
    high: Vec<DFF<Bits<4>>>,
    highs_now: Vec<Signal<Local, Bits<4>>>,
    high_shifted: Vec<Signal<Local, Bits<64>>>,
    third: Vec<Signal<Local, Bits<12>>>,
    fourth: Vec<Signal<Local, Bits<12>>>,
    deep: Vec<Signal<Local, Bits<12>>>,
    /// The word of third or fourth members that has the tag of lane 0, 1, 2, 3.
    deep_word0: Signal<Local, Bits<64>>,
    deep_word1: Signal<Local, Bits<64>>,
    deep_word2: Signal<Local, Bits<64>>,
    deep_word3: Signal<Local, Bits<64>>,
    deep_ticket: Vec<Signal<Local, Bits<8>>>,
    deep_handle: Vec<Signal<Local, Bits<12>>>,
    ticket: Vec<Signal<Local, Bits<8>>>,
    word_low: Signal<Local, Bits<64>>,
    word_high: Signal<Local, Bits<64>>,
    take: Signal<Local, bool>,
    pair_low: Signal<Local, Bits<64>>,
    pair_high: Signal<Local, Bits<64>>,
    kind: Signal<Local, Bits<2>>,
    handle: Vec<Signal<Local, Bits<12>>>,
    reqs_sent_handle: Signal<Local, Bits<12>>,
    same: Signal<Local, bool>,
    first: Signal<Local, bool>,
    first_handle: Signal<Local, Bits<12>>,
    lowest: Signal<Local, Bits<4>>,
    left: Signal<Local, Bits<4>>,
    last_corner: Signal<Local, Bits<2>>,
    is_out: Signal<Local, bool>,
    needs_store: Signal<Local, bool>,
    requesting: Signal<Local, bool>,
    room: Signal<Local, bool>,
    taken: Signal<Local, bool>,
    job_given: Signal<Local, bool>,
    offered: Signal<Local, bool>,
    full: Signal<Local, Bits<4>>,
    covered: Vec<Signal<Local, Bits<4>>>,
    /// By lane: the sample, before the planted fault and after it; some samples are covered, not
    /// all.
    lane_sample: Vec<Signal<Local, Bits<2>>>,
    sample: Vec<Signal<Local, Bits<2>>>,
    partly: Vec<Signal<Local, bool>>,
    fault_attribute_handle: Planted,
    fault_attribute_overflow: Planted,
    fault_bary_centroid: Planted,
    fault_bary_sample: Planted,
    fault_out_sample: Planted,
    fault_pair_attributes: Vec<Planted>,
    _culls: bool,
    _merges: usize,
    twins_now: Vec<Signal<Local, Bits<32>>>,
    fault_twin_attributes: Vec<Planted>,
    _twins: usize,
    _twins_units: usize,
    _mates: usize,
    _threes: usize,
    _deep: usize,
    _mates_high: usize,
    _lanes: usize,
    _active: bool,
}

impl AttributeFront {
    /// For the units and slots of that configuration.
    pub fn new(config: &GpuConfig) -> Self {
        let [merges, groups, turns, twins] =
            [config.merges(), config.groups(), config.turns(), config.twins()].map(usize::from);
        let ram = || Ram::new(SLOTS * config.units * (1 + merges));
        let pair = || DeepRam::new(SLOTS * config.units * (1 + merges), 42);
        Self {
            vertex_word_cull: vector(usize::from(config.culls())),
            _culls: config.culls(),
            mates: vector(merges * config.units),
            whole: vector(turns * config.units),
            whole_shifted: vector(turns),
            is_whole: vector(turns),
            fault_shape_bary: config.of_turning(Fault::ShapeBary),
            _turns: turns,
            _whole: turns * config.units,
            twins: vector(twins * config.units),
            twins_now: vector(twins),
            fault_twin_attributes: config.of_twins(Fault::TwinAttributes),
            _twins: twins,
            _twins_units: twins * config.units,
            mates_high: vector(groups * config.units),
            deep_low: (0..2 * groups).map(|_| pair()).collect(),
            deep_high: (0..2 * groups).map(|_| pair()).collect(),
            high: vector(groups),
            highs_now: vector(groups),
            high_shifted: vector(groups),
            third: vector(groups),
            fourth: vector(groups),
            deep: vector(2 * groups),
            deep_ticket: vector(4 * groups),
            deep_handle: vector(4 * groups),
            _threes: groups,
            _deep: 2 * groups,
            _mates_high: groups * config.units,
            mate_low: (0..merges).map(|_| pair()).collect(),
            mate_high: (0..merges).map(|_| pair()).collect(),
            mate: vector(merges),
            ticket: vector(4),
            fault_pair_attributes: config.of_merging(Fault::PairAttributes),
            _merges: merges,
            _mates: merges * config.units,
            places: (0..4).map(|_| ram()).collect(),
            pairs: (0..2).map(|_| pair()).collect(),
            place_cell: vector(4),
            data: vector(4),
            handle: vector(4),
            covered: vector(4),
            lane_sample: vector(4),
            sample: vector(4),
            partly: vector(4),
            fault_attribute_handle: Planted::new(config.has(Fault::AttributeHandle)),
            fault_attribute_overflow: Planted::new(config.has(Fault::AttributeOverflow)),
            fault_bary_centroid: Planted::new(config.has(Fault::BaryCentroid)),
            fault_bary_sample: Planted::new(config.has(Fault::BarySample)),
            fault_out_sample: Planted::new(config.has(Fault::OutSample)),
            _lanes: 4,
            _active: true,
            ..Default::default()
        }
    }
}

kernel_of! { AttributeFront:
    /// The slot that is looked at and the one that is launched have their numbers.
    Slots,
    /// A bit marks slots that stand for a pixel; twins and split warps have other places.
    SplitSlots,
    /// Members of a group have tags at second places, member 3 at the one of member 0.
    MemberSlots,
    /// Memories of tags are written at a launch, and read at the slot.
    Tags,
    /// Lanes of the other warp of a pair have the tags of that one.
    MateTags,
    /// Memories of the tags of further members of a group.
    DeepTags,
    /// Lanes of further members of a group have the tags of those.
    DeepWords,
    /// An instruction is taken.
    Take,
    /// The words of OUT.
    Words,
    /// Of each lane the sample at which the attribute is wanted, or the centre.
    LaneSamples,
    /// Places of the lanes.
    Places,
    /// Questions.
    Questions,
    /// The second half is told.
    Job,
}
