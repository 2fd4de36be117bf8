//! Blending of 16 bits: rgba8unorm-srgb, and rgba16float that blends. Four components of a pixel
//! per cycle, or one.
//!
//! ```text
//! beat -> pixels -> colours of 16 bits -> components -> codes, pairs of halves -> two writes
//!      '-> equation, constant -^                                                     ^
//!      '-> place, lanes ------------------------------------------------------------'
//! ```
//!
//! A pipeline that nothing holds up: a step is in it for 16 cycles, and the last write of a beat is
//! 17 cycles behind its last step. A beat keeps an entry of a small table until then, by which
//! others see that they must wait. What belongs to a beat and not to a step waits in small memories
//! until the step comes by that needs it.
//!
//! It can be wrong in an entry that is freed early, and in what is taken of the next beat;
//! `tests/blend.rs` blends at one place without a pause, and mixes formats and contexts.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use super::component::BlendComponent;
use super::feed::BlendFeed;
use super::gather::BlendGather;
use super::word::Equation;
use crate::base::{vector, Parameter, Planted};
use crate::cell::blend::{FactorChoice, FactorStart, HalfLesser, HalfScale};
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::memory::LutRam;
use crate::ports::LineDataIn;
use crate::{comment, fields};

fields! {
    /// What goes along with a step.
    trait StepTag: 8 {
        /// There is one.
        step_valid: bit @ 0,
        /// Its pixel.
        step_lane: 2 @ 1,
        /// Its component, of one at a time.
        step_component: 2 @ 3,
        /// It is of halves.
        step_halves: bit @ 5,
        /// Last step of its beat.
        step_last: bit @ 6,
        /// Last step of its pixel.
        step_ends: bit @ 7,
    }
}

fields! {
    /// What a beat's writes need.
    trait BeatWord: 32 {
        /// Place of its first word.
        beat_low: 10 @ 0,
        /// Place of its second word.
        beat_high: 10 @ 10,
        /// Lanes that are covered.
        beat_lanes: 4 @ 20,
        /// Number of the tile buffer.
        beat_buffer: 3 @ 24,
    }
}

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct BlendWide {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// A step of the beat in the issue stage.
    pub step: Signal<In, bool>,
    /// Its first one.
    pub first: Signal<In, bool>,
    /// Its last one.
    pub last: Signal<In, bool>,
    /// The step's pixel.
    pub lane: Signal<In, Bits<2>>,
    /// The step's component, if one is done at a time.
    pub component: Signal<In, Bits<2>>,
    /// The beat is of halves, else of sRGB.
    pub halves: Signal<In, bool>,
    /// Its equation.
    pub equation: Signal<In, Bits<32>>,
    /// Its constant: red and green.
    pub constant_low: Signal<In, Bits<32>>,
    /// Blue and alpha.
    pub constant_high: Signal<In, Bits<32>>,
    /// Its colours: first words of the lanes, then second words.
    pub word: Vec<Signal<In, Bits<32>>>,
    /// Number of the tile buffer, whether wide or not.
    pub buffer: Signal<In, Bits<3>>,
    /// Place of its first word, whether wide or not.
    pub low_address: Signal<In, Bits<10>>,
    /// Place of its second word.
    pub high_address: Signal<In, Bits<10>>,
    /// Lanes that are covered, whether wide or not.
    pub lanes: Signal<In, Bits<4>>,
    /// An older beat of one of these lanes has still to be written there.
    pub conflict: Signal<Out, bool>,
    /// No further beat may begin.
    pub full: Signal<Out, bool>,
    /// The word of the tile buffer that was read a cycle before.
    pub line: LineDataIn,
    /// In five cycles something is written.
    pub writes_soon: Signal<Out, bool>,
    /// Lanes that are written.
    pub mask: Signal<Out, Bits<4>>,
    /// Number of the tile buffer that is written.
    pub write_buffer: Signal<Out, Bits<3>>,
    /// Word that is written.
    pub write_address: Signal<Out, Bits<10>>,
    /// Word of lanes 0 and 2.
    pub even: Signal<Out, Bits<32>>,
    /// Word of lanes 1 and 3.
    pub odd: Signal<Out, Bits<32>>,

    // Beats under way: `tail` is the next, `turn` the one whose step is in cycle 5, `head` the one
    // that is written.
    tail: DFF<Bits<4>>,
    turn: DFF<Bits<4>>,
    head: DFF<Bits<4>>,
    under_way: Signal<Local, Bits<4>>,
    most: Parameter<4>,
    /// Their entries.
    tail_slot: DFF<Bits<3>>,
    head_slot: DFF<Bits<3>>,
    last_slot: Parameter<3>,
    key: Signal<Local, Bits<13>>,
    place: Vec<DFF<Bits<13>>>,
    waiting: Vec<DFF<Bits<4>>>,
    beat: Signal<Local, Bits<32>>,
    beats: LutRam,
    equations: LutRam,
    constants_low: LutRam,
    constants_high: LutRam,
    begins: Signal<Local, bool>,
    ends: Signal<Local, bool>,

    // Steps: element i of the tags is cycle i + 1.
    tag: Signal<Local, Bits<8>>,
    tag_p: Vec<DFF<Bits<8>>>,
    feed: BlendFeed,
    source5: Vec<DFF<Bits<16>>>,
    destination5: Vec<DFF<Bits<16>>>,
    start: FactorStart,
    sum5: DFF<Bits<27>>,
    scale: HalfScale,
    magnitude5: DFF<Bits<27>>,
    huge5: DFF<bool>,
    negative5: DFF<bool>,
    half_lesser: HalfLesser,
    source_alpha: Signal<Local, Bits<16>>,
    destination_alpha: Signal<Local, Bits<16>>,
    alphas: Signal<Local, Bits<17>>,
    lesser: Signal<Local, bool>,
    is_alpha: Signal<Local, bool>,
    source_code: Signal<Local, Bits<4>>,
    destination_code: Signal<Local, Bits<4>>,
    operation: Vec<Signal<Local, Bits<3>>>,
    choice: Vec<FactorChoice>,
    takes: Vec<Signal<Local, bool>>,
    written: Signal<Local, Bits<4>>,
    constant: Vec<Signal<Local, Bits<16>>>,
    // Cycle 6, of each component.
    source6: Vec<DFF<Bits<16>>>,
    destination6: Vec<DFF<Bits<16>>>,
    constant6: Vec<DFF<Bits<16>>>,
    source_alpha6: DFF<Bits<16>>,
    destination_alpha6: DFF<Bits<16>>,
    alpha6: Vec<DFF<Bits<16>>>,
    takes6: Vec<DFF<bool>>,
    choice6: Vec<DFF<Bits<7>>>,
    operation6: Vec<DFF<Bits<3>>>,
    written6: Vec<DFF<bool>>,
    part: Vec<BlendComponent>,
    gather: BlendGather,
    pair_made: Signal<Local, bool>,
    second: DFF<bool>,
    upper: DFF<bool>,
    is_upper: Signal<Local, bool>,
    pair_lanes: Signal<Local, Bits<4>>,
    #[size]
    _lanes: usize,
    /// 1 if these are a pixel.
    #[size]
    _pixel: usize,
    /// Entries of the table.
    #[size]
    _entries: usize,
    fault_blend_wait: Planted,
    fault_blend_saturate: Planted,
    _active: bool,
}

impl BlendWide {
    /// At rest, with as many components per cycle and the planted faults of that configuration.
    pub fn new(config: &GpuConfig) -> Self {
        let lanes = config.blend_lanes;
        // As many beats as can be under way: in 21 cycles by 4, in 33 by 16.
        let entries = if lanes == 4 { 6 } else { 3 };
        Self {
            word: vector(8),
            most: Parameter::new(entries as u64),
            last_slot: Parameter::new(entries as u64 - 1),
            place: vector(entries),
            waiting: vector(entries),
            tag_p: vector(17),
            feed: BlendFeed::new(config),
            source5: vector(4),
            destination5: vector(4),
            operation: vector(2),
            // Of colour, then of alpha; of one component at a time of what it is.
            choice: vector(if lanes == 4 { 4 } else { 2 }),
            takes: vector(2),
            constant: vector(4),
            source6: vector(lanes),
            destination6: vector(lanes),
            constant6: vector(lanes),
            alpha6: vector(2),
            takes6: vector(2),
            choice6: vector(if lanes == 4 { 4 } else { 2 }),
            operation6: vector(2),
            written6: vector(lanes),
            part: (0..lanes).map(|_| BlendComponent::new(config)).collect(),
            gather: BlendGather::new(config),
            _lanes: lanes,
            _pixel: lanes / 4,
            _entries: entries,
            fault_blend_wait: Planted::new(config.has(Fault::BlendWait)),
            fault_blend_saturate: Planted::new(config.has(Fault::BlendSaturate)),
            _active: true,
            ..Default::default()
        }
    }
}

#[kernel(wired)]
impl BlendWide {
    /// Beats under way are counted from their first step to their last write.
    #[allow(clippy::collapsible_if)]
    fn beat_ring(&mut self) {
        comment!("module: blend_wide");
        dff_setup!(
            self, clock, tail, turn, head, tail_slot, head_slot, sum5, magnitude5, huge5, negative5, second, upper
        );
        dff_setup!(self, clock, source_alpha6, destination_alpha6);
        clock!(self, clock, beats, equations, constants_low, constants_high, feed, gather);
        // Beats.
        self.begins.next = self.step.val() && self.first.val();
        self.ends.next = self.tag_p[16].q.val().get_value_step_valid() && self.tag_p[16].q.val().get_value_step_last();
        self.under_way.next = self.tail.q.val() - self.head.q.val();
        self.full.next = self.under_way.val() == self.most.val();
        if self.begins.val() {
            self.tail.d.next = self.tail.q.val() + bits::<4>(1);
            self.tail_slot.d.next = self.tail_slot.q.val() + bits::<3>(1);
            if self.tail_slot.q.val() == self.last_slot.val() {
                self.tail_slot.d.next = bits::<3>(0);
            }
        }
        if self.ends.val() {
            self.head.d.next = self.head.q.val() + bits::<4>(1);
            self.head_slot.d.next = self.head_slot.q.val() + bits::<3>(1);
            if self.head_slot.q.val() == self.last_slot.val() {
                self.head_slot.d.next = bits::<3>(0);
            }
        }
    }

    /// A table says which lanes of a place have still to be written.
    fn conflicts(&mut self) {
        self.key.next =
            bit_cast::<13, 10>(self.low_address.val()) | (bit_cast::<13, 3>(self.buffer.val()) << bits::<4>(10));
        self.conflict.next = false;
        for i in 0..self._entries {
            dff_setup!(self, clock, place[i], waiting[i]);
            if self.ends.val() && (self.head_slot.q.val() == i.to_bits::<3>()) {
                self.waiting[i].d.next = bits::<4>(0);
            }
            if self.begins.val() && (self.tail_slot.q.val() == i.to_bits::<3>()) {
                self.place[i].d.next = self.key.val();
                self.waiting[i].d.next = self.lanes.val();
            }
            if (self.place[i].q.val() == self.key.val())
                && (self.waiting[i].q.val() & self.lanes.val()).any()
                && !self.fault_blend_wait.val()
            {
                self.conflict.next = true;
            }
        }
    }

    /// What belongs to a beat waits in memories for the step that needs it.
    fn beat_memories(&mut self) {
        self.beat.next = bits::<32>(0);
        self.beat.next.set_value_beat_low(self.low_address.val());
        self.beat.next.set_value_beat_high(self.high_address.val());
        self.beat.next.set_value_beat_lanes(self.lanes.val());
        self.beat.next.set_value_beat_buffer(self.buffer.val());
        self.beats.write_enable.next = self.begins.val();
        self.beats.write_address.next = self.tail.q.val();
        self.beats.write_data.next = self.beat.val();
        self.beats.read_address.next = self.head.q.val();
        self.equations.write_enable.next = self.begins.val();
        self.equations.write_address.next = self.tail.q.val();
        self.equations.write_data.next = self.equation.val();
        self.equations.read_address.next = self.turn.q.val();
        self.constants_low.write_enable.next = self.begins.val();
        self.constants_low.write_address.next = self.tail.q.val();
        self.constants_low.write_data.next = self.constant_low.val();
        self.constants_low.read_address.next = self.turn.q.val();
        self.constants_high.write_enable.next = self.begins.val();
        self.constants_high.write_address.next = self.tail.q.val();
        self.constants_high.write_data.next = self.constant_high.val();
        self.constants_high.read_address.next = self.turn.q.val();
    }

    /// A tag goes along with each step.
    fn tag_pipeline(&mut self) {
        self.tag.next = bits::<8>(0);
        self.tag.next.set_value_step_valid(self.step.val());
        self.tag.next.set_value_step_lane(self.lane.val());
        self.tag.next.set_value_step_component(self.component.val());
        self.tag.next.set_value_step_halves(self.halves.val());
        self.tag.next.set_value_step_last(self.last.val());
        if self._lanes == 4 {
            self.tag.next.set_value_step_ends(true);
        }
        if self._lanes == 1 {
            self.tag.next.set_value_step_ends(self.component.val().all());
        }
        for i in 0..17 {
            self.tag_p[i].clock.next = self.clock.val();
        }
        self.tag_p[0].d.next = self.tag.val();
        for i in 0..16 {
            self.tag_p[i + 1].d.next = self.tag_p[i].q.val();
        }
    }

    /// Cycles 0 to 4 make colours of words, and cycle 4 prepares the alphas.
    fn colours(&mut self) {
        // Cycles 0 to 4: colours.
        self.feed.first.next = self.begins.val();
        self.feed.lane.next = self.lane.val();
        self.feed.ends.next = self.tag.val().get_value_step_ends();
        self.feed.halves.next = self.halves.val();
        for i in 0..8 {
            self.feed.word[i].next = self.word[i].val();
        }
        LineDataIn::link(&mut self.line, &mut self.feed.line);
        // Cycle 4: one less the target's alpha, and the fragment's in its units.
        self.start.half.next = self.feed.destination[3].val();
        self.start.inverts.next = true;
        self.sum5.d.next = self.start.sum.val();
        self.scale.half.next = self.feed.source[3].val();
        self.scale.exponent.next = self.start.exponent.val();
        self.magnitude5.d.next = self.scale.magnitude.val();
        self.huge5.d.next = self.scale.huge.val();
        self.negative5.d.next = self.start.negative.val();
        for i in 0..4 {
            self.source5[i].clock.next = self.clock.val();
            self.source5[i].d.next = self.feed.source[i].val();
            self.destination5[i].clock.next = self.clock.val();
            self.destination5[i].d.next = self.feed.destination[i].val();
        }
    }

    /// Source alpha is compared with one minus target alpha, for the saturate factor.
    fn saturate_factor(&mut self) {
        // Cycle 5: whether it is the lesser alpha; what factors ask for.
        self.source_alpha.next = self.source5[3].q.val();
        self.destination_alpha.next = self.destination5[3].q.val();
        self.half_lesser.own.next = self.source_alpha.val();
        self.half_lesser.other.next = self.destination_alpha.val();
        self.half_lesser.sum.next = self.sum5.q.val();
        self.half_lesser.magnitude.next = self.magnitude5.q.val();
        self.half_lesser.huge.next = self.huge5.q.val();
        self.half_lesser.negative.next = self.negative5.q.val();
        self.alphas.next =
            bit_cast::<17, 16>(self.source_alpha.val()) + bit_cast::<17, 16>(self.destination_alpha.val());
        self.lesser.next = self.alphas.val().get_bit(16);
        if self.tag_p[4].q.val().get_value_step_halves() {
            self.lesser.next = self.half_lesser.lesser.val() && !self.fault_blend_saturate.val();
        }
    }

    /// The equation of the step's beat says its operations and factors.
    fn equations(&mut self) {
        if self.tag_p[4].q.val().get_value_step_valid() && self.tag_p[4].q.val().get_value_step_last() {
            self.turn.d.next = self.turn.q.val() + bits::<4>(1);
        }
        self.is_alpha.next = false;
        if self._lanes == 1 {
            self.is_alpha.next = self.tag_p[4].q.val().get_value_step_component().all();
        }
        self.source_code.next = self.equations.read_data.val().get_value_source();
        self.destination_code.next = self.equations.read_data.val().get_value_destination();
        self.operation[0].next = self.equations.read_data.val().get_value_operation();
        self.operation[1].next = self.equations.read_data.val().get_value_alpha_operation();
        for k in 0..self._pixel {
            self.choice[k + 2].code.next = self.equations.read_data.val().get_value_alpha_source();
            self.choice[k + 2].alpha.next = true;
            self.choice[k + 3].code.next = self.equations.read_data.val().get_value_alpha_destination();
            self.choice[k + 3].alpha.next = true;
            self.choice6[k + 2].clock.next = self.clock.val();
            self.choice6[k + 2].d.next = self.choice[k + 2].choice.val();
            self.choice6[k + 3].clock.next = self.clock.val();
            self.choice6[k + 3].d.next = self.choice[k + 3].choice.val();
        }
        if self._lanes == 1 {
            if self.is_alpha.val() {
                self.source_code.next = self.equations.read_data.val().get_value_alpha_source();
                self.destination_code.next = self.equations.read_data.val().get_value_alpha_destination();
                self.operation[0].next = self.equations.read_data.val().get_value_alpha_operation();
            }
        }
        self.choice[0].code.next = self.source_code.val();
        self.choice[0].alpha.next = self.is_alpha.val();
        self.choice[1].code.next = self.destination_code.val();
        self.choice[1].alpha.next = self.is_alpha.val();
    }

    /// Alphas, factors and components go into the registers of cycle 6.
    fn step_operands(&mut self) {
        for j in 0..2 {
            if !self.equations.read_data.val().get_value_blends() {
                self.operation[j].next = bits::<3>(7);
            }
            self.takes[j].next = self.choice[j].choice.val().get_bit(6) && self.lesser.val();
            self.takes6[j].clock.next = self.clock.val();
            self.takes6[j].d.next = self.takes[j].val();
            self.alpha6[j].clock.next = self.clock.val();
            self.alpha6[j].d.next = self.source_alpha.val();
            if self.takes[j].val() {
                self.alpha6[j].d.next = self.destination_alpha.val();
            }
            self.choice6[j].clock.next = self.clock.val();
            self.choice6[j].d.next = self.choice[j].choice.val();
            self.operation6[j].clock.next = self.clock.val();
            self.operation6[j].d.next = self.operation[j].val();
        }
        self.source_alpha6.d.next = self.source_alpha.val();
        self.destination_alpha6.d.next = self.destination_alpha.val();
        self.constant[0].next = self.constants_low.read_data.val().get_bits::<16>(0);
        self.constant[1].next = self.constants_low.read_data.val().get_bits::<16>(16);
        self.constant[2].next = self.constants_high.read_data.val().get_bits::<16>(0);
        self.constant[3].next = self.constants_high.read_data.val().get_bits::<16>(16);
        self.written.next = self.equations.read_data.val().get_value_mask();
        for i in 0..self._lanes {
            self.source6[i].clock.next = self.clock.val();
            self.source6[i].d.next = self.source5[i].q.val();
            self.destination6[i].clock.next = self.clock.val();
            self.destination6[i].d.next = self.destination5[i].q.val();
            self.constant6[i].clock.next = self.clock.val();
            self.constant6[i].d.next = self.constant[i].val();
            self.written6[i].clock.next = self.clock.val();
            self.written6[i].d.next = self.written.val().get_bit(i);
        }
        if self._lanes == 1 {
            for k in 1..4 {
                if self.tag_p[4].q.val().get_value_step_component() == k.to_bits::<2>() {
                    self.source6[0].d.next = self.source5[k].q.val();
                    self.destination6[0].d.next = self.destination5[k].q.val();
                    self.constant6[0].d.next = self.constant[k].val();
                    self.written6[0].d.next = self.written.val().get_bit(k);
                }
            }
        }
    }

    /// From cycle 6 on components blend.
    fn components(&mut self) {
        for i in 0..self._lanes {
            clock!(self, clock, part[i]);
            self.part[i].source.next = self.source6[i].q.val();
            self.part[i].destination.next = self.destination6[i].q.val();
            self.part[i].constant.next = self.constant6[i].q.val();
            self.part[i].destination_alpha.next = self.destination_alpha6.q.val();
            self.part[i].halves.next = self.tag_p[5].q.val().get_value_step_halves();
            self.part[i].operation.next = self.operation6[0].q.val();
            self.part[i].written.next = self.written6[i].q.val();
            for j in 0..2 {
                self.part[i].alpha[j].next = self.alpha6[j].q.val();
                self.part[i].lesser[j].next = self.takes6[j].q.val();
                self.part[i].choice[j].next = self.choice6[j].q.val();
            }
            self.gather.word[i].next = self.part[i].word.val();
            self.gather.is_float[i].next = self.part[i].is_float.val();
            self.gather.half[i].next = self.part[i].half.val();
        }
        for k in 0..self._pixel {
            self.part[k + 3].operation.next = self.operation6[1].q.val();
            for j in 0..2 {
                self.part[k + 3].alpha[j].next = self.source_alpha6.q.val();
                self.part[k + 3].lesser[j].next = false;
                self.part[k + 3].choice[j].next = self.choice6[j + 2].q.val();
            }
        }
    }

    /// Words are gathered from cycle 11 on, and written in cycles 16 and 17.
    fn writes(&mut self) {
        self.gather.halves.next = self.tag_p[10].q.val().get_value_step_halves();
        self.gather.component.next = self.tag_p[10].q.val().get_value_step_component();
        self.gather.keeps.next = self.tag_p[15].q.val().get_value_step_valid()
            && self.tag_p[15].q.val().get_value_step_ends()
            && !self.tag_p[15].q.val().get_bit(1);
        self.pair_made.next = self.tag_p[15].q.val().get_value_step_valid()
            && self.tag_p[15].q.val().get_value_step_ends()
            && self.tag_p[15].q.val().get_bit(1);
        self.second.d.next = self.pair_made.val() && self.tag_p[15].q.val().get_value_step_halves();
        self.upper.d.next = self.tag_p[15].q.val().get_bit(2);
        self.gather.second.next = self.second.q.val();
        self.even.next = self.gather.even.val();
        self.odd.next = self.gather.odd.val();
        self.write_buffer.next = self.beats.read_data.val().get_value_beat_buffer();
        self.write_address.next = self.beats.read_data.val().get_value_beat_low();
        self.is_upper.next = self.tag_p[15].q.val().get_bit(2);
        if self.second.q.val() {
            self.write_address.next = self.beats.read_data.val().get_value_beat_high();
            self.is_upper.next = self.upper.q.val();
        }
        self.pair_lanes.next = self.beats.read_data.val().get_value_beat_lanes() & bits::<4>(3);
        if self.is_upper.val() {
            self.pair_lanes.next = self.beats.read_data.val().get_value_beat_lanes() & bits::<4>(12);
        }
        self.mask.next = bits::<4>(0);
        if self.pair_made.val() || self.second.q.val() {
            self.mask.next = self.pair_lanes.val();
        }
        // What is now in cycle 11 is written in cycle 16, its second words in cycle 17.
        self.writes_soon.next = (self.tag_p[10].q.val().get_value_step_valid()
            && self.tag_p[10].q.val().get_value_step_ends()
            && self.tag_p[10].q.val().get_bit(1))
            || (self.tag_p[11].q.val().get_value_step_valid()
                && self.tag_p[11].q.val().get_value_step_ends()
                && self.tag_p[11].q.val().get_bit(1)
                && self.tag_p[11].q.val().get_value_step_halves());
    }
}
