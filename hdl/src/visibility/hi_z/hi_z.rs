//! Hi-Z: what is known of the depths of groups of 8 by 8 pixels, and of their pixels (HZ-20 to
//! HZ-23). Quads come from the depth rasteriser of the visibility unit, in order of submission.
//! Each sample is compared with its bound and lowers it; a group's bound is the greatest of its
//! quads. So a bound is what the depth buffer will hold, or is farther.
//!
//! | memory | of | word |
//! | --- | --- | --- |
//! | pixels | each sample of each quad | four depths |
//! | quads | each group | the greatest depth of each of its 16 quads |
//! | records | each group | which quads are known, last run, pass, direction, whether it was reset |
//! | bounds | each group and reader | greatest depth, last run, pass, direction |
//!
//! Depths that grow (`down`) are stored inverted. What is not known is as far as the clear value,
//! or, in a pass that loads depth and in a group that was reset, as far as can be. A pass has a
//! number, so that nothing is cleared; every 1,023 passes the records are.
//!
//! ```text
//! beat        its group is here, else it waits: the group that was here is written, its own is read
//! cycle 1     depths beside bounds; pixels are written
//! cycle 2     the quad's greatest depth
//! then, when nothing waits, or another group comes: greatest of four blocks, of the group, written
//! ```
//!
//! What is known of a quad's pixels can be looked up, too (`look_*`), a cycle later, by copies of
//! pixels and records. The group that is here has newer facts in registers, and these count.
//!
//! One beat per cycle within a group; another group costs 2 cycles, and 2 more if the one before
//! has changed. A query is answered after one cycle, by a copy of the bounds for each reader. If
//! nobody looks up pixels there are no copies of these.
//!
//! With `hi_z_memory` the places on the chip are a cache of all groups (`memory`). A record then
//! says whose it is, and bounds and records of those who ask do, too. When a group's first beat
//! finds another one at its place, both are swapped before it is taken. What comes back is the
//! group's bound, and stands for quads that are not known.
//!
//! It can be wrong by a bound that is too near, which hides what is seen. Planted faults:
//! `hi-z-uncovered`, `hi-z-reset`, `hi-z-unknown`, `hi-z-pass`, `hi-z-sweep`, `hi-z-quad`,
//! `hi-z-turned`, `hi-z-claimed`, `hi-z-tag`, `hi-z-copy`, `late-update`, `late-way`.

mod compares;
mod readers;
mod swaps;
mod writes;

use quadlock_hdl_macros::{parts, QuietBlock};
use quadlock_isa::records::pass;
use rust_hdl::prelude::*;

use crate::base::{vector, Each, Fitted, Parameter, Planted};
use crate::cell::DeepRam;
use crate::config::{GpuConfig, HiZ as Use};
use crate::fault::Fault;
use crate::ports::{DrawClassIn, GroupAskIn, GroupBoundOut, LineIn, LineRequestOut, QuadIn, StateWriteIn};
use crate::visibility::{GroupPlace, HiZMemory};
use crate::{comment, fields, kernel_of};

fields! {
    /// What is known of a group.
    trait GroupRecord: 41 {
        /// Quads whose depths are known.
        quads_known: 16 @ 0,
        /// Run of the triangle that changed it last.
        record_run: 13 @ 16,
        /// The pass that this is of.
        record_pass: 10 @ 29,
        /// Depths grow.
        record_down: bit @ 39,
        /// What is not known is as far as can be.
        record_reset: bit @ 40,
    }
}

fields! {
    /// A group's bound.
    trait GroupBound: 48 {
        /// No sample is farther.
        bound_depth: 24 @ 0,
        /// Run of the triangle that changed it last.
        bound_run: 13 @ 24,
        /// The pass that this is of.
        bound_pass: 10 @ 37,
        /// Depths grow.
        bound_down: bit @ 47,
    }
}

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct HiZ {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Words of state; of the pass: width, samples, how depth begins.
    pub state: StateWriteIn,
    // The draw of the quads: steady while one of them is here.
    /// What the state of a draw means for Hi-Z.
    pub class_ports: DrawClassIn,
    /// What fails its test is not seen.
    pub culls: Signal<In, bool>,
    /// Run of the triangle.
    pub run: Signal<In, Bits<13>>,
    /// With a cull pipeline: nothing is known any more. Heard while nothing is under way. One, or
    /// none.
    pub forget: Vec<Signal<In, bool>>,
    /// With a cull pipeline: the quad is of a draw before some that are known already. It lowers
    /// bounds of its direction, and nothing else. One, or none.
    pub late: Vec<Signal<In, bool>>,
    // With a cull pipeline, one each, or none: triangles that never come here may change a group of
    // which nothing is known.
    /// There may be some.
    pub past_moves: Vec<Signal<In, bool>>,
    /// Their depths grow.
    pub past_down: Vec<Signal<In, bool>>,
    /// There is a beat.
    pub quad: QuadIn,
    /// A sample of the beat that was taken in the cycle before may be seen.
    pub seen: Signal<Out, bool>,
    /// Number of the beat's tile buffer.
    pub seen_buffer: Signal<Out, Bits<3>>,
    /// Nothing is under way, and all bounds are written.
    pub idle: Signal<Out, bool>,
    /// Event: a record is cleared.
    pub sweeps: Signal<Out, bool>,
    /// The group of quads whose bound a test reads.
    pub read: Each<GroupAskIn>,
    /// The bound of a group of quads in Hi-Z.
    pub bound_ports: Each<GroupBoundOut>,
    /// With a cull pipeline, if the binner asks: the last reader's group has no bound, and could
    /// have one on the chip. One, or none.
    pub unknown: Vec<Signal<Out, bool>>,
    /// Quad whose pixels are looked up, in units of two pixels.
    pub lookup_x: Signal<In, Bits<11>>,
    /// In y.
    pub lookup_y: Signal<In, Bits<11>>,
    /// Number of the sample.
    pub lookup_sample: Signal<In, Bits<2>>,
    /// A cycle later: the quad is known.
    pub lookup_known: Signal<Out, bool>,
    /// Bound of lane i.
    pub lookup_bound: Vec<Signal<Out, Bits<24>>>,
    /// Bounds are minima, inverted.
    pub lookup_down: Signal<Out, bool>,
    /// The run of the triangle that changed the group last.
    pub lookup_run: Signal<Out, Bits<13>>,
    /// Bounds may be newer than that: the group is resident and being updated.
    pub lookup_resident: Signal<Out, bool>,
    // With four levels: one each, or none.
    /// The group is written.
    pub part_write: Vec<Signal<Out, bool>>,
    /// Its place.
    pub part_group: Vec<Signal<Out, Bits<13>>>,
    /// Bounds of its quads 2 i and 2 i + 1: 8, or none.
    pub part: Vec<Signal<Out, Bits<48>>>,
    /// Place of the group that reader i looks up: the first two readers, or none.
    pub part_asked: Vec<Signal<Out, Bits<13>>>,
    // Of bounds in memory: one each, or none.
    /// A line of memory is read or written.
    pub m_req: Each<LineRequestOut>,
    /// Memory answers, a write too; always taken.
    pub m_rsp: Each<LineIn>,
    pixels: Vec<DeepRam<18>>,
    /// Of lanes 0 and 1, of 2 and 3, for those who look up pixels; none if nobody does.
    left_copies: Vec<DeepRam<18>>,
    right_copies: Vec<DeepRam<18>>,
    record_copies: Vec<DeepRam>,
    quads: Vec<DeepRam>,
    records: Vec<DeepRam>,
    bounds: Vec<DeepRam>,
    // Of bounds in memory.
    memory: Fitted<HiZMemory>,
    /// A copy of the bounds, for groups that leave.
    leaves: Vec<DeepRam>,
    /// Of each place: bound of quads that are not known in 23:0; 24 there is one.
    bases: Vec<DeepRam>,
    /// The group that is here is read from memory.
    missing: Vec<DFF<bool>>,
    /// What is said of its place in a record beyond its 41 bits.
    spilled: Vec<DFF<bool>>,
    dirty: Vec<DFF<bool>>,
    based: Vec<DFF<bool>>,
    base: Vec<DFF<Bits<24>>>,
    read_tag: Vec<DFF<Bits<16>>>,
    lookup_tag: Vec<DFF<Bits<18>>>,
    mask: Vec<Signal<Local, Bits<18>>>,
    slot: Vec<Signal<Local, Bits<18>>>,
    low_mask: Vec<Signal<Local, Bits<13>>>,
    resident_slot: Vec<Signal<Local, Bits<13>>>,
    read_slot: Vec<Signal<Local, Bits<13>>>,
    lookup_slot: Vec<Signal<Local, Bits<18>>>,
    slot_word: Vec<Signal<Local, Bits<21>>>,
    tag: Vec<Signal<Local, Bits<18>>>,
    slot_pass: Vec<Signal<Local, bool>>,
    fits: Vec<Signal<Local, bool>>,
    victim: Vec<Signal<Local, bool>>,
    saves: Vec<Signal<Local, bool>>,
    was_spilled: Vec<Signal<Local, bool>>,
    now_spilled: Vec<Signal<Local, bool>>,
    fetches: Vec<Signal<Local, bool>>,
    clears: Vec<Signal<Local, bool>>,
    extra: Vec<Signal<Local, Bits<64>>>,
    lower: Vec<Signal<Local, Bits<4>>>,
    lookup_copy: Vec<Signal<Local, Bits<18>>>,
    // Of late quads: by how many runs the group is newer, it is, it has moved depths back.
    run_step: Vec<Signal<Local, Bits<13>>>,
    newer: Vec<Signal<Local, bool>>,
    moved: Vec<Signal<Local, bool>>,
    fault_late_update: Vec<Planted>,
    fault_late_way: Vec<Planted>,
    fault_hi_z_tag: Vec<Planted>,
    fault_hi_z_copy: Vec<Planted>,
    place: GroupPlace,
    read_place: Vec<GroupPlace>,
    lookup_place: GroupPlace,
    lookup_kept: DFF<bool>,
    lookup_quad_r: DFF<Bits<4>>,
    lookup_resident_r: DFF<bool>,
    lookup_valid_r: DFF<bool>,
    lookup_down_r: DFF<bool>,
    lookup_run_r: DFF<Bits<13>>,
    lookup_moves_r: DFF<bool>,
    read_kept: Vec<DFF<bool>>,
    words: Parameter<18>,
    // The pass.
    pitch: DFF<Bits<4>>,
    samples: DFF<Bits<2>>,
    loads: DFF<bool>,
    clear: DFF<Bits<24>>,
    pass: DFF<Bits<10>>,
    sweeping: DFF<bool>,
    sweep: DFF<Bits<13>>,
    // The group that is here.
    /// 0 beats are taken, 1 a group is read, 2 and 3 it is written.
    phase: DFF<Bits<2>>,
    resident: DFF<bool>,
    group: DFF<Bits<18>>,
    valid: DFF<Bits<16>>,
    group_run: DFF<Bits<13>>,
    group_down: DFF<bool>,
    reset: DFF<bool>,
    changed: DFF<bool>,
    /// Farthest depths of quads 2 h and 2 h + 1.
    even: Vec<DFF<Bits<24>>>,
    odd: Vec<DFF<Bits<24>>>,
    block: Vec<DFF<Bits<24>>>,
    // Cycle 1.
    one: DFF<bool>,
    one_kept: DFF<bool>,
    one_quad: DFF<Bits<4>>,
    one_first: DFF<bool>,
    one_last: DFF<bool>,
    one_cover: DFF<Bits<4>>,
    one_buffer: DFF<Bits<3>>,
    one_word: DFF<Bits<18>>,
    one_depth: Vec<DFF<Bits<24>>>,
    // Cycle 2.
    two: DFF<bool>,
    two_quad: DFF<Bits<4>>,
    two_first: DFF<bool>,
    two_last: DFF<bool>,
    two_most: DFF<Bits<24>>,
    so_far: DFF<Bits<24>>,
    // Named intermediate values.
    columns: Signal<Local, Bits<13>>,
    wide: Signal<Local, Bits<10>>,
    opens: Signal<Local, bool>,
    last_sample: Signal<Local, Bits<3>>,
    is_beat: Signal<Local, bool>,
    same: Signal<Local, bool>,
    turned: Signal<Local, bool>,
    under_way: Signal<Local, bool>,
    take: Signal<Local, bool>,
    turns: Signal<Local, bool>,
    quad_now: Signal<Local, Bits<4>>,
    group_word: Signal<Local, Bits<18>>,
    word: Signal<Local, Bits<18>>,
    record: Signal<Local, Bits<41>>,
    record_new: Signal<Local, Bits<41>>,
    bound_new: Signal<Local, Bits<48>>,
    bound_word: Vec<Signal<Local, Bits<48>>>,
    of_pass: Signal<Local, bool>,
    other_way: Signal<Local, bool>,
    invert: Signal<Local, bool>,
    depth: Vec<Signal<Local, Bits<24>>>,
    blank: Signal<Local, bool>,
    far: Signal<Local, Bits<24>>,
    one_bit: Signal<Local, Bits<16>>,
    is_known: Signal<Local, bool>,
    foreign: Signal<Local, bool>,
    old: Vec<Signal<Local, Bits<24>>>,
    new: Vec<Signal<Local, Bits<24>>>,
    less: Signal<Local, Bits<4>>,
    level: Signal<Local, Bits<4>>,
    passes: Signal<Local, Bits<4>>,
    takes_level: Signal<Local, bool>,
    pair: Vec<Signal<Local, Bits<24>>>,
    four: Signal<Local, Bits<24>>,
    total: Signal<Local, Bits<24>>,
    held_even: Vec<Signal<Local, Bits<24>>>,
    held_odd: Vec<Signal<Local, Bits<24>>>,
    two_half: Signal<Local, Bits<3>>,
    half: Vec<Signal<Local, Bits<24>>>,
    eight: Signal<Local, Bits<24>>,
    lookup_quad: Signal<Local, Bits<4>>,
    lookup_group: Signal<Local, Bits<18>>,
    lookup_word: Signal<Local, Bits<18>>,
    lookup_record: Signal<Local, Bits<41>>,
    lookup_bit: Signal<Local, Bits<16>>,
    lookup_valid: Signal<Local, Bits<16>>,
    writes: Signal<Local, bool>,
    at: Signal<Local, Bits<13>>,
    fault_hi_z_uncovered: Planted,
    fault_hi_z_reset: Planted,
    fault_hi_z_turned: Planted,
    fault_hi_z_claimed: Planted,
    fault_hi_z_unknown: Planted,
    fault_hi_z_pass: Planted,
    fault_hi_z_sweep: Planted,
    fault_hi_z_quad: Planted,
    _parts: usize,
    _part_readers: usize,
    _readers: usize,
    _forgets: bool,
    _late: usize,
    _unknown: usize,
    _looks: usize,
    /// 1: groups beyond are in memory; of those who ask so many.
    _memory: usize,
    _tagged: usize,
    _active: bool,
}

impl HiZ {
    /// For as many groups as that configuration stores, with its planted fault; so many ask about
    /// groups, and pixels are looked up.
    pub fn new(config: &GpuConfig, readers: usize, looks: bool) -> Self {
        let planted = |fault| Planted::new(config.has(fault));
        let groups = config.hi_z_groups;
        let looks = usize::from(looks);
        let parts = usize::from(config.tests_parts());
        let memory = usize::from(config.spills());
        let late = usize::from(config.culls_depth());
        let unknown = late * usize::from(config.hi_z == Use::VisibilityBinner);
        let word = if memory == 1 { 62 } else { 41 };
        let bound = if memory == 1 { 64 } else { 48 };
        Self {
            m_req: Each::new(memory),
            m_rsp: Each::new(memory),
            memory: Fitted::new(HiZMemory::new(config), memory == 1),
            leaves: (0..memory).map(|_| DeepRam::new(groups, 48)).collect(),
            bases: (0..memory).map(|_| DeepRam::new(groups, 25)).collect(),
            missing: vector(memory),
            spilled: vector(memory),
            dirty: vector(memory),
            based: vector(memory),
            base: vector(memory),
            read_tag: vector(memory * readers),
            lookup_tag: vector(memory),
            mask: vector(memory),
            slot: vector(memory),
            low_mask: vector(memory),
            resident_slot: vector(memory),
            read_slot: vector(memory * readers),
            lookup_slot: vector(memory),
            slot_word: vector(memory),
            tag: vector(memory),
            slot_pass: vector(memory),
            fits: vector(memory),
            victim: vector(memory),
            saves: vector(memory),
            was_spilled: vector(memory),
            now_spilled: vector(memory),
            fetches: vector(memory),
            clears: vector(memory),
            extra: vector(memory),
            lower: vector(memory),
            lookup_copy: vector(memory),
            fault_hi_z_tag: (0..memory).map(|_| planted(Fault::HiZTag)).collect(),
            fault_hi_z_copy: (0..memory).map(|_| planted(Fault::HiZCopy)).collect(),
            _memory: memory,
            _tagged: memory * readers,
            forget: vector(usize::from(config.culls_depth())),
            _forgets: config.culls_depth(),
            late: vector(late),
            past_moves: vector(late),
            past_down: vector(late),
            unknown: vector(unknown),
            _unknown: unknown,
            run_step: vector(late),
            newer: vector(late),
            moved: vector(late),
            fault_late_way: (0..late).map(|_| planted(Fault::LateWay)).collect(),
            fault_late_update: (0..late).map(|_| planted(Fault::LateUpdate)).collect(),
            _late: late,
            part_write: vector(parts),
            part_group: vector(parts),
            part: vector(8 * parts),
            part_asked: vector(readers.min(2) * parts),
            _parts: parts,
            _part_readers: readers.min(2) * parts,
            read: Each::new(readers),
            bound_ports: Each::new(readers),
            bound_word: vector(readers),
            read_kept: vector(readers),
            pixels: (0..2).map(|_| DeepRam::new(16 * groups, 48)).collect(),
            left_copies: (0..looks).map(|_| DeepRam::new(16 * groups, 48)).collect(),
            right_copies: (0..looks).map(|_| DeepRam::new(16 * groups, 48)).collect(),
            record_copies: (0..looks).map(|_| DeepRam::new(groups, word)).collect(),
            lookup_place: GroupPlace::new(config),
            lookup_bound: vector(4),
            quads: (0..8).map(|_| DeepRam::new(groups, 48)).collect(),
            records: vec![DeepRam::new(groups, word)],
            bounds: (0..readers).map(|_| DeepRam::new(groups, bound)).collect(),
            place: GroupPlace::new(config),
            read_place: (0..readers).map(|_| GroupPlace::new(config)).collect(),
            words: Parameter::new(groups as u64 - 1),
            even: vector(8),
            odd: vector(8),
            block: vector(4),
            one_depth: vector(4),
            depth: vector(4),
            old: vector(4),
            new: vector(4),
            pair: vector(2),
            held_even: vector(8),
            held_odd: vector(8),
            half: vector(8),
            fault_hi_z_uncovered: planted(Fault::HiZUncovered),
            fault_hi_z_reset: planted(Fault::HiZReset),
            fault_hi_z_turned: planted(Fault::HiZTurned),
            fault_hi_z_claimed: planted(Fault::HiZClaimed),
            fault_hi_z_unknown: planted(Fault::HiZUnknown),
            fault_hi_z_pass: planted(Fault::HiZPass),
            fault_hi_z_sweep: planted(Fault::HiZSweep),
            fault_hi_z_quad: planted(Fault::HiZQuad),
            _readers: readers,
            _looks: looks,
            _active: true,
            ..Default::default()
        }
    }
}

#[parts]
impl HiZ {
    fn opening(&mut self) {
        comment!("module: hi_z");
        dff_setup!(self, clock, pitch, samples, loads, clear, pass, sweeping, sweep, phase, resident, group, valid);
        dff_setup!(self, clock, group_run, group_down, reset, changed, one, one_kept, one_quad, one_first, one_last);
        dff_setup!(self, clock, one_cover, one_buffer, one_word, two, two_quad, two_first, two_last, two_most, so_far);
        self.columns.next = self.state.data.val().get_bits::<13>(0) + bits::<13>(7);
        self.wide.next = self.columns.val().get_bits::<10>(3);
        self.opens.next = self.state.pass.val() && (self.state.word.val() == bits::<6>(pass::SIZE));
        if self.opens.val() {
            self.pitch.d.next = bits::<4>(9);
            if self.wide.val() <= bits::<10>(256) {
                self.pitch.d.next = bits::<4>(8);
            }
            if self.wide.val() <= bits::<10>(128) {
                self.pitch.d.next = bits::<4>(7);
            }
            if self.wide.val() <= bits::<10>(64) {
                self.pitch.d.next = bits::<4>(6);
            }
            if self.wide.val() <= bits::<10>(32) {
                self.pitch.d.next = bits::<4>(5);
            }
            if self.wide.val() <= bits::<10>(16) {
                self.pitch.d.next = bits::<4>(4);
            }
            if self.wide.val() <= bits::<10>(8) {
                self.pitch.d.next = bits::<4>(3);
            }
            if self.wide.val() <= bits::<10>(4) {
                self.pitch.d.next = bits::<4>(2);
            }
            if self.wide.val() <= bits::<10>(2) {
                self.pitch.d.next = bits::<4>(1);
            }
            if self.wide.val() <= bits::<10>(1) {
                self.pitch.d.next = bits::<4>(0);
            }
            if !self.fault_hi_z_pass.val() {
                self.pass.d.next = self.pass.q.val() + bits::<10>(1);
            }
            self.resident.d.next = false;
            self.changed.d.next = false;
            if self.pass.q.val().all() || !self.pass.q.val().any() {
                self.pass.d.next = bits::<10>(1);
                self.sweeping.d.next = self.pass.q.val().any() && !self.fault_hi_z_sweep.val();
                self.sweep.d.next = bits::<13>(0);
            }
        }
    }

    fn passes(&mut self) {
        if self.state.pass.val() && (self.state.word.val() == bits::<6>(pass::KIND)) {
            self.samples.d.next = self.state.data.val().get_bits::<2>(0);
        }
        if self.state.pass.val() && (self.state.word.val() == bits::<6>(pass::DEPTH_FLAGS)) {
            self.loads.d.next = self.state.data.val().get_bit(4);
        }
        // As a pass that loads depth.
        if self._forgets {
            if self.forget[0].val() {
                self.loads.d.next = true;
                self.pass.d.next = self.pass.q.val() + bits::<10>(1);
                self.resident.d.next = false;
                self.changed.d.next = false;
                if self.pass.q.val().all() {
                    self.pass.d.next = bits::<10>(1);
                    self.sweeping.d.next = true;
                    self.sweep.d.next = bits::<13>(0);
                }
            }
        }
        if self.state.pass.val() && (self.state.word.val() == bits::<6>(pass::DEPTH_CLEAR)) {
            self.clear.d.next = self.state.data.val().get_bits::<24>(0);
        }
    }

    fn sweeping(&mut self) {
        self.sweeps.next = self.sweeping.q.val();
        if self.sweeping.q.val() {
            self.sweep.d.next = self.sweep.q.val() + bits::<13>(1);
            if bit_cast::<18, 13>(self.sweep.q.val()) == self.words.val() {
                self.sweeping.d.next = false;
            }
        }
    }

    fn beats(&mut self) {
        self.last_sample.next = bits::<3>(0);
        if self.samples.q.val() == bits::<2>(1) {
            self.last_sample.next = bits::<3>(1);
        }
        if self.samples.q.val().get_bit(1) {
            self.last_sample.next = bits::<3>(3);
        }
        self.place.place_ports.x.next = self.quad.x.val().get_bits::<9>(2);
        self.place.place_ports.y.next = self.quad.y.val().get_bits::<9>(2);
        self.place.pitch.next = self.pitch.q.val();
        self.place.samples.next = self.samples.q.val();
        // Neither an end nor the centre.
        self.is_beat.next =
            self.quad.valid.val() && !self.quad.end.val() && (self.quad.sample.val() <= self.last_sample.val());
        // A group that is here is read again by a draw that takes its bounds of the other
        // direction.
        self.turned.next = self.class_ports.claims.val() && (self.group_down.q.val() != self.class_ports.down.val());
        self.same.next = self.resident.q.val()
            && (self.group.q.val() == self.place.number.val())
            && (!self.turned.val() || self.fault_hi_z_turned.val());
        self.under_way.next = self.one.q.val() || self.two.q.val();
        self.quad.ready.next = !self.sweeping.q.val()
            && (self.phase.q.val() == bits::<2>(0))
            && (!self.is_beat.val() || !self.place.kept.val() || self.same.val());
        for _m in 0..self._memory {
            self.slot[0].next = self.place.number.val() & self.mask[0].val();
            if self.missing[0].q.val() {
                self.quad.ready.next = false;
            }
        }
        self.take.next = self.quad.ready.val() && self.is_beat.val();
    }

    fn group_turns(&mut self) {
        // A record that is not swept yet may have the number of this pass.
        self.turns.next = (self.phase.q.val() == bits::<2>(0))
            && !self.sweeping.q.val()
            && !self.under_way.val()
            && self.is_beat.val()
            && self.place.kept.val()
            && !self.same.val();
        for _m in 0..self._memory {
            if self.missing[0].q.val() || !self.memory.ready.val() {
                self.turns.next = false;
            }
        }
        if self.turns.val() {
            self.phase.d.next = bits::<2>(1);
        }
        if (self.phase.q.val() == bits::<2>(0))
            && !self.under_way.val()
            && self.changed.q.val()
            && (self.turns.val() || !self.quad.valid.val())
        {
            self.phase.d.next = bits::<2>(2);
        }
        if self.phase.q.val() == bits::<2>(2) {
            self.phase.d.next = bits::<2>(3);
        }
    }

    fn beat_depths(&mut self) {
        self.quad_now.next = bit_cast::<4, 2>(self.quad.x.val().get_bits::<2>(0))
            | (bit_cast::<4, 2>(self.quad.y.val().get_bits::<2>(0)) << bits::<4>(2));
        self.group_word.next = (self.place.number.val() << bits::<18>(4)) | bit_cast::<18, 4>(self.quad_now.val());
        for _m in 0..self._memory {
            self.group_word.next = (self.slot[0].val() << bits::<18>(4)) | bit_cast::<18, 4>(self.quad_now.val());
        }
        self.word.next = (self.group_word.val() << bit_cast::<18, 2>(self.samples.q.val()))
            | bit_cast::<18, 2>(self.quad.sample.val().get_bits::<2>(0));
        // Equality asks in the group's own direction.
        self.invert.next = self.class_ports.down.val();
        if self.class_ports.function.val() == bits::<3>(2) {
            self.invert.next = self.group_down.q.val();
        }
        for k in 0..4 {
            self.depth[k].next = self.quad.depth[k].val();
            if self.invert.val() {
                self.depth[k].next = !self.quad.depth[k].val();
            }
            self.one_depth[k].clock.next = self.clock.val();
            self.one_depth[k].d.next = self.depth[k].val();
        }
        self.one.d.next = self.take.val();
        self.one_kept.d.next = self.place.kept.val();
        self.one_quad.d.next = self.quad_now.val();
        self.one_first.d.next = !self.quad.sample.val().any();
        self.one_last.d.next = self.quad.sample.val() == self.last_sample.val();
        self.one_cover.d.next = self.quad.coverage.val();
        self.one_buffer.d.next = self.quad.buffer.val();
        self.one_word.d.next = self.word.val();
    }

    fn group_reads(&mut self) {
        self.at.next = self.place.number.val().get_bits::<13>(0);
        for _m in 0..self._memory {
            self.at.next = self.slot[0].val().get_bits::<13>(0);
        }
        clock!(self, clock, records[0]);
        self.records[0].read_address.next = self.at.val();
        for k in 0..8 {
            clock!(self, clock, quads[k]);
            self.quads[k].read_address.next = self.at.val();
        }
        self.record.next = self.records[0].read_data.val().get_bits::<41>(0);
        self.of_pass.next = self.record.val().get_value_record_pass() == self.pass.q.val();
        for _m in 0..self._memory {
            // Whose the place is: bits 17:0 its group, 18 there is one, 19 it says what memory does
            // not know, 20 a group of this place is in memory. They are above the record.
            clock!(self, clock, leaves[0], bases[0]);
            self.leaves[0].read_address.next = self.at.val();
            self.bases[0].read_address.next = self.at.val();
            self.slot_word[0].next = self.records[0].read_data.val().get_bits::<21>(41);
            self.tag[0].next = self.slot_word[0].val().get_bits::<18>(0);
            self.slot_pass[0].next = self.record.val().get_value_record_pass() == self.pass.q.val();
            self.fits[0].next = self.slot_pass[0].val()
                && self.slot_word[0].val().get_bit(18)
                && ((self.tag[0].val() == self.place.number.val()) || self.fault_hi_z_tag[0].val());
            self.victim[0].next = self.slot_pass[0].val() && self.slot_word[0].val().get_bit(18) && !self.fits[0].val();
            self.saves[0].next = self.victim[0].val() && self.slot_word[0].val().get_bit(19);
            self.was_spilled[0].next = self.slot_pass[0].val() && self.slot_word[0].val().get_bit(20);
            self.now_spilled[0].next = self.was_spilled[0].val() || self.saves[0].val();
            self.clears[0].next = (self.phase.q.val() == bits::<2>(1)) && self.victim[0].val();
            self.fetches[0].next =
                (self.phase.q.val() == bits::<2>(1)) && !self.fits[0].val() && self.was_spilled[0].val();
            self.memory.reads.next = self.fetches[0].val() && self.memory.usable.val();
            self.memory.wanted.next = self.place.number.val();
            self.memory.writes.next =
                (self.phase.q.val() == bits::<2>(1)) && self.saves[0].val() && self.memory.usable.val();
            self.memory.left.next = self.tag[0].val();
            self.memory.left_bound.next = self.leaves[0].read_data.val().get_bits::<24>(0);
            self.memory.left_run.next = self.leaves[0].read_data.val().get_bits::<13>(24);
            self.memory.left_down.next = self.leaves[0].read_data.val().get_bit(47);
            self.of_pass.next = self.fits[0].val();
        }
    }

    fn group_load(&mut self) {
        self.other_way.next = self.of_pass.val()
            && (self.record.val().get_value_record_down() != self.class_ports.down.val())
            && (self.class_ports.function.val() != bits::<3>(2));
        for h in 0..8 {
            dff_setup!(self, clock, even[h], odd[h]);
        }
        if self.phase.q.val() == bits::<2>(1) {
            self.phase.d.next = bits::<2>(0);
            self.resident.d.next = true;
            self.group.d.next = self.place.number.val();
            self.valid.d.next = bits::<16>(0);
            self.reset.d.next = false;
            self.group_run.d.next = self.run.val();
            self.group_down.d.next = self.class_ports.down.val();
            for l in 0..self._late {
                if self.past_moves[l].val() && !self.fault_late_way[l].val() {
                    self.group_down.d.next = self.past_down[l].val();
                }
            }
            if self.of_pass.val() {
                self.valid.d.next = self.record.val().get_value_quads_known();
                self.reset.d.next = self.record.val().get_value_record_reset();
                self.group_run.d.next = self.record.val().get_value_record_run();
                self.group_down.d.next = self.record.val().get_value_record_down();
            }
            // Bounds of the other direction are not kept beside those of this one.
            if self.class_ports.claims.val() {
                self.changed.d.next = true;
            }
            if self.other_way.val() && self.class_ports.claims.val() {
                self.valid.d.next = bits::<16>(0);
                self.reset.d.next = true;
                self.group_down.d.next = self.class_ports.down.val();
            }
            for k in 0..8 {
                self.even[k].d.next = self.quads[k].read_data.val().get_bits::<24>(0);
                self.odd[k].d.next = self.quads[k].read_data.val().get_bits::<24>(24);
            }
        }
    }
}

kernel_of! { HiZ:
    /// A pass that opens gets a pitch and a number.
    Opening,
    /// Words of the pass are kept, and what is known may be forgotten.
    Passes,
    /// Places on the chip are a cache of groups in memory.
    CachePlaces,
    /// Records are swept when numbers of passes begin again.
    Sweeping,
    /// The beat at the port is taken if its group is here.
    Beats,
    /// The group that is here is written, and another one is read.
    GroupTurns,
    /// Depths of the beat go on with their place in the group.
    BeatDepths,
    /// The record of the beat's group is read, and whose its place is.
    GroupReads,
    /// The beat's group is loaded from its record and its quads.
    GroupLoad,
    /// The group comes as memory holds it.
    MemoryGroups,
    /// What is known of the pixels is read.
    Pixels,
    /// Depths are compared with those of the pixels, and passing lanes are found.
    Compares,
    /// A quad that is late changes no group that a later draw has moved back.
    LateQuads,
    /// Pixels get new depths, and bounds that hold no longer are given up.
    Updates,
    /// The farthest of the quad at the sample goes to the next cycle.
    Farthest,
    /// Quads have the farthest depth of all their samples.
    Quads,
    /// Blocks of 4 by 4 pixels, and the group, have the farthest of their quads.
    Blocks,
    /// The record of the group is written.
    Records,
    /// Farthest depths of quads are written.
    QuadWrites,
    /// The bound of the group is written for each reader.
    BoundWrites,
    /// Bounds of its parts are written.
    PartWrites,
    /// A sweep has the same ports, and the last phase of a group ends.
    Sweep,
    /// What is known, for those who ask.
    Readers,
    /// A pixel that is looked up has its group, its quad and its word.
    LookPlace,
    /// Copies of depths and records are written as these are, and read for looks.
    LookCopies,
    /// Registers hold the group that is here as it was when the memories were read.
    LookHere,
    /// The answer is what was read, or the newer state of the group that is here.
    LookAnswer,
}
