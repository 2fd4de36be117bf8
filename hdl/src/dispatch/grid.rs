//! Grid dispatcher: host registers, and the walk over work groups and their warps (`docs/machine.md`, "Work groups and dispatch").
//!
//! Walk. Groups in linear order, warps in order inside a group. Invocation numbers are kept by counters that step from one lane to the next, one lane
//! per cycle (no multipliers or dividers): a launch takes six cycles (four lanes, placing, launch), five for the later warps of a pinned group.
//! Placing a free warp looks at one unit per cycle, in turn, and takes the unit's lowest free slot. Placing a pinned group looks at one group slot (a window of
//! adjacent warp slots of one unit) per cycle, in turn, and takes the first one that is entirely free; the group's warps then follow without placing.
//! A unit must show a launched slot as occupied within four cycles.
//!
//! The warps of a pinned group arrive some cycles apart, first slot first; the warp unit holds the group's barrier until the last one has come.
//! It can be wrong at the edges: partial last warps, wrapping of the counters, a slot given twice. Planted faults: 37, 38 (38: free programs only).

use rust_hdl::prelude::*;

use crate::config::GpuConfig;
use crate::{comment, quiet_block, state_words};

/// Where the dispatcher stands.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum GridState {
    /// Nothing to do.
    Idle,
    /// Invocation numbers of lane `lane` of the next warp.
    Fill,
    /// Looking for a free slot or group slot.
    Place,
    /// The warp is launched in this cycle.
    Launch,
    /// All launched: waiting until all warps have ended.
    Drain,
}

state_words!(GridState { Idle, Fill, Place, Launch, Drain });

/// The dispatcher. `host_*`, `busy`: host port. `slot_free[i]`: free warp slots of unit i. `launch_*`: one launch in a cycle with `launch_valid`.
pub struct Grid {
    pub clock: Signal<In, Clock>,
    pub host_valid: Signal<In, bool>,
    pub host_addr: Signal<In, Bits<16>>,
    pub host_data: Signal<In, Bits<32>>,
    /// Bit s: warp slot s of the unit can be launched.
    pub slot_free: Vec<Signal<In, Bits<16>>>,
    /// Nothing on its way to or from memory.
    pub memory_idle: Signal<In, bool>,
    /// From the start until every group has been dispatched and every warp has ended.
    pub busy: Signal<Out, bool>,
    /// One cycle: a new run begins; code registers are valid.
    pub start: Signal<Out, bool>,
    /// Byte address of instruction 0.
    pub code_base: Signal<Out, Bits<32>>,
    /// Instructions of the program.
    pub code_length: Signal<Out, Bits<32>>,
    pub launch_valid: Signal<Out, bool>,
    pub launch_unit: Signal<Out, Bits<3>>,
    pub launch_warp: Signal<Out, Bits<4>>,
    pub launch_mask: Signal<Out, Bits<4>>,
    pub launch_group_x: Signal<Out, Bits<32>>,
    pub launch_group_y: Signal<Out, Bits<32>>,
    pub launch_group_z: Signal<Out, Bits<32>>,
    pub launch_warp_in_group: Signal<Out, Bits<8>>,
    pub launch_group_slot: Signal<Out, Bits<4>>,
    /// First warp slot of the group's window and their number.
    pub launch_first: Signal<Out, Bits<4>>,
    pub launch_warps: Signal<Out, Bits<5>>,
    pub launch_shared_base: Signal<Out, Bits<16>>,
    pub launch_local_id0: Signal<Out, Bits<30>>,
    pub launch_local_id1: Signal<Out, Bits<30>>,
    pub launch_local_id2: Signal<Out, Bits<30>>,
    pub launch_local_id3: Signal<Out, Bits<30>>,
    pub launch_index0: Signal<Out, Bits<10>>,
    pub launch_index1: Signal<Out, Bits<10>>,
    pub launch_index2: Signal<Out, Bits<10>>,
    pub launch_index3: Signal<Out, Bits<10>>,

    // Host registers.
    base: DFF<Bits<32>>,
    length: DFF<Bits<32>>,
    grid_x: DFF<Bits<32>>,
    grid_y: DFF<Bits<32>>,
    grid_z: DFF<Bits<32>>,
    size_x: DFF<Bits<11>>,
    size_y: DFF<Bits<11>>,
    size_z: DFF<Bits<11>>,
    warps: DFF<Bits<9>>,
    pinned: DFF<bool>,
    group_slots: DFF<Bits<5>>,
    shared_bytes: DFF<Bits<16>>,
    cutoff: DFF<Bits<6>>,

    // The walk: group, warp in group, next invocation, the warp being prepared.
    state: DFF<GridState>,
    group_x: DFF<Bits<32>>,
    group_y: DFF<Bits<32>>,
    group_z: DFF<Bits<32>>,
    warp: DFF<Bits<9>>,
    x: DFF<Bits<11>>,
    y: DFF<Bits<11>>,
    z: DFF<Bits<11>>,
    lane: DFF<Bits<2>>,
    lane_id: Vec<DFF<Bits<30>>>,
    lane_mask: DFF<Bits<4>>,
    // Placing: unit looked at, group slot, its first warp slot, window of warp slots, shared base.
    unit: DFF<Bits<3>>,
    group_slot: DFF<Bits<5>>,
    first: DFF<Bits<4>>,
    window: DFF<Bits<16>>,
    shared_base: DFF<Bits<16>>,
    slot: DFF<Bits<4>>,
    settle: DFF<Bits<3>>,
    repeated: DFF<bool>,

    next_x: Signal<Local, Bits<11>>,
    next_y: Signal<Local, Bits<11>>,
    next_z: Signal<Local, Bits<11>>,
    next_group_x: Signal<Local, Bits<32>>,
    next_group_y: Signal<Local, Bits<32>>,
    next_group_z: Signal<Local, Bits<32>>,
    limit_x: Signal<Local, Bits<32>>,
    next_warp: Signal<Local, Bits<9>>,
    next_unit: Signal<Local, Bits<3>>,
    next_slot: Signal<Local, Bits<5>>,
    free: Signal<Local, Bits<16>>,
    found: Signal<Local, bool>,
    all_free: Signal<Local, bool>,
    first_window: Signal<Local, Bits<32>>,
    in_group: Signal<Local, bool>,
    go: Signal<Local, bool>,
    index: Signal<Local, Bits<10>>,
    slots: Constant<Bits<16>>,
    last_unit: Constant<Bits<3>>,
    fault: Constant<Bits<8>>,
    _units: usize,
    _active: bool,
}

quiet_block!(Grid {
    inputs: clock, host_valid, host_addr, host_data, slot_free, memory_idle;
    inner: busy, start, code_base, code_length, launch_valid, launch_unit, launch_warp, launch_mask, launch_group_x, launch_group_y, launch_group_z, launch_warp_in_group, launch_group_slot, launch_first, launch_warps, launch_shared_base, launch_local_id0, launch_local_id1, launch_local_id2, launch_local_id3, launch_index0, launch_index1, launch_index2, launch_index3, base, length, grid_x, grid_y, grid_z, size_x, size_y, size_z, warps, pinned, group_slots, shared_bytes, cutoff, state, group_x, group_y, group_z, warp, x, y, z, lane, lane_id, lane_mask, unit, group_slot, first, window, shared_base, slot, settle, repeated, next_x, next_y, next_z, next_group_x, next_group_y, next_group_z, limit_x, next_warp, next_unit, next_slot, free, found, all_free, first_window, in_group, go, index, slots, last_unit, fault
});

impl Grid {
    /// A dispatcher for `config.units` units of `config.warps` warp slots.
    pub fn new(config: &GpuConfig) -> Self {
        let n = config.units;
        Self {
            clock: Signal::default(),
            host_valid: Signal::default(),
            host_addr: Signal::default(),
            host_data: Signal::default(),
            slot_free: (0..n).map(|_| Signal::default()).collect(),
            memory_idle: Signal::default(),
            busy: Signal::default(),
            start: Signal::default(),
            code_base: Signal::default(),
            code_length: Signal::default(),
            launch_valid: Signal::default(),
            launch_unit: Signal::default(),
            launch_warp: Signal::default(),
            launch_mask: Signal::default(),
            launch_group_x: Signal::default(),
            launch_group_y: Signal::default(),
            launch_group_z: Signal::default(),
            launch_warp_in_group: Signal::default(),
            launch_group_slot: Signal::default(),
            launch_first: Signal::default(),
            launch_warps: Signal::default(),
            launch_shared_base: Signal::default(),
            launch_local_id0: Signal::default(),
            launch_local_id1: Signal::default(),
            launch_local_id2: Signal::default(),
            launch_local_id3: Signal::default(),
            launch_index0: Signal::default(),
            launch_index1: Signal::default(),
            launch_index2: Signal::default(),
            launch_index3: Signal::default(),
            base: DFF::default(),
            length: DFF::default(),
            grid_x: DFF::default(),
            grid_y: DFF::default(),
            grid_z: DFF::default(),
            size_x: DFF::default(),
            size_y: DFF::default(),
            size_z: DFF::default(),
            warps: DFF::default(),
            pinned: DFF::default(),
            group_slots: DFF::default(),
            shared_bytes: DFF::default(),
            cutoff: DFF::default(),
            state: DFF::default(),
            group_x: DFF::default(),
            group_y: DFF::default(),
            group_z: DFF::default(),
            warp: DFF::default(),
            x: DFF::default(),
            y: DFF::default(),
            z: DFF::default(),
            lane: DFF::default(),
            lane_id: (0..4).map(|_| DFF::default()).collect(),
            lane_mask: DFF::default(),
            unit: DFF::default(),
            group_slot: DFF::default(),
            first: DFF::default(),
            window: DFF::default(),
            shared_base: DFF::default(),
            slot: DFF::default(),
            settle: DFF::default(),
            repeated: DFF::default(),
            next_x: Signal::default(),
            next_y: Signal::default(),
            next_z: Signal::default(),
            next_group_x: Signal::default(),
            next_group_y: Signal::default(),
            next_group_z: Signal::default(),
            limit_x: Signal::default(),
            next_warp: Signal::default(),
            next_unit: Signal::default(),
            next_slot: Signal::default(),
            free: Signal::default(),
            found: Signal::default(),
            all_free: Signal::default(),
            first_window: Signal::default(),
            in_group: Signal::default(),
            go: Signal::default(),
            index: Signal::default(),
            slots: Constant::new(bits((1 << config.warps) - 1)),
            last_unit: Constant::new(bits(n as u64 - 1)),
            fault: Constant::new(bits(config.fault_code())),
            _units: n,
            _active: true,
        }
    }
}

impl Logic for Grid {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: grid_dispatcher");
        dff_setup!(
            self,
            clock,
            base,
            length,
            grid_x,
            grid_y,
            grid_z,
            size_x,
            size_y,
            size_z,
            warps,
            pinned,
            group_slots,
            shared_bytes,
            cutoff
        );
        dff_setup!(
            self,
            clock,
            state,
            group_x,
            group_y,
            group_z,
            warp,
            x,
            y,
            z,
            lane,
            lane_mask,
            unit,
            group_slot,
            first,
            window,
            shared_base
        );
        dff_setup!(self, clock, slot, settle, repeated);
        for i in 0..4 {
            self.lane_id[i].clock.next = self.clock.val();
            self.lane_id[i].d.next = self.lane_id[i].q.val();
        }

        // Host registers.
        self.go.next = false;
        self.first_window.next = (bits::<32>(1) << self.warps.q.val().get_bits::<5>(0)) - bits::<32>(1);
        if self.host_valid.val() && (self.state.q.val() == GridState::Idle) {
            if self.host_addr.val() == bits::<16>(0x1000) {
                self.go.next = self.host_data.val().get_bit(0);
            }
            if self.host_addr.val() == bits::<16>(0x1001) {
                self.base.d.next = self.host_data.val();
            }
            if self.host_addr.val() == bits::<16>(0x1002) {
                self.length.d.next = self.host_data.val();
            }
            if self.host_addr.val() == bits::<16>(0x1003) {
                self.grid_x.d.next = self.host_data.val();
            }
            if self.host_addr.val() == bits::<16>(0x1004) {
                self.grid_y.d.next = self.host_data.val();
            }
            if self.host_addr.val() == bits::<16>(0x1005) {
                self.grid_z.d.next = self.host_data.val();
            }
            if self.host_addr.val() == bits::<16>(0x1006) {
                self.size_x.d.next = self.host_data.val().get_bits::<11>(0);
            }
            if self.host_addr.val() == bits::<16>(0x1007) {
                self.size_y.d.next = self.host_data.val().get_bits::<11>(0);
            }
            if self.host_addr.val() == bits::<16>(0x1008) {
                self.size_z.d.next = self.host_data.val().get_bits::<11>(0);
            }
            if self.host_addr.val() == bits::<16>(0x1009) {
                self.warps.d.next = self.host_data.val().get_bits::<9>(0);
            }
            if self.host_addr.val() == bits::<16>(0x100A) {
                self.pinned.d.next = self.host_data.val().get_bit(0);
            }
            if self.host_addr.val() == bits::<16>(0x100B) {
                self.group_slots.d.next = self.host_data.val().get_bits::<5>(0);
            }
            if self.host_addr.val() == bits::<16>(0x100C) {
                self.shared_bytes.d.next = self.host_data.val().get_bits::<16>(0);
            }
            if self.host_addr.val() == bits::<16>(0x100D) {
                self.cutoff.d.next = self.host_data.val().get_bits::<6>(0);
            }
        }

        // The next invocation, group and unit.
        self.next_x.next = self.x.q.val() + bits::<11>(1);
        self.next_y.next = self.y.q.val();
        self.next_z.next = self.z.q.val();
        if self.next_x.val() == self.size_x.q.val() {
            self.next_x.next = bits::<11>(0);
            self.next_y.next = self.y.q.val() + bits::<11>(1);
            if self.next_y.val() == self.size_y.q.val() {
                self.next_y.next = bits::<11>(0);
                self.next_z.next = self.z.q.val() + bits::<11>(1);
            }
        }
        self.in_group.next = self.z.q.val() < self.size_z.q.val();
        self.limit_x.next = self.grid_x.q.val();
        if (self.fault.val() == bits::<8>(37)) && (self.grid_x.q.val() != bits::<32>(1)) {
            self.limit_x.next = self.grid_x.q.val() - bits::<32>(1);
        }
        self.next_group_x.next = self.group_x.q.val() + bits::<32>(1);
        self.next_group_y.next = self.group_y.q.val();
        self.next_group_z.next = self.group_z.q.val();
        if self.next_group_x.val() == self.limit_x.val() {
            self.next_group_x.next = bits::<32>(0);
            self.next_group_y.next = self.group_y.q.val() + bits::<32>(1);
            if self.next_group_y.val() == self.grid_y.q.val() {
                self.next_group_y.next = bits::<32>(0);
                self.next_group_z.next = self.group_z.q.val() + bits::<32>(1);
            }
        }
        self.next_warp.next = self.warp.q.val() + bits::<9>(1);
        self.next_unit.next = self.unit.q.val() + bits::<3>(1);
        if self.unit.q.val() == self.last_unit.val() {
            self.next_unit.next = bits::<3>(0);
        }
        self.next_slot.next = self.group_slot.q.val() + bits::<5>(1);
        self.free.next = bits::<16>(0);
        self.all_free.next = true;
        for i in 0..self._units {
            if self.unit.q.val() == i.to_bits::<3>() {
                self.free.next = self.slot_free[i].val();
            }
            if (self.slot_free[i].val() & self.slots.val()) != self.slots.val() {
                self.all_free.next = false;
            }
        }

        self.found.next = false;
        if self.go.val() {
            self.state.d.next = GridState::Fill;
            self.group_x.d.next = bits::<32>(0);
            self.group_y.d.next = bits::<32>(0);
            self.group_z.d.next = bits::<32>(0);
            self.warp.d.next = bits::<9>(0);
            self.x.d.next = bits::<11>(0);
            self.y.d.next = bits::<11>(0);
            self.z.d.next = bits::<11>(0);
            self.lane.d.next = bits::<2>(0);
            self.unit.d.next = bits::<3>(0);
            self.group_slot.d.next = bits::<5>(0);
            self.first.d.next = bits::<4>(0);
            self.window.d.next = self.first_window.val().get_bits::<16>(0);
            self.shared_base.d.next = bits::<16>(0);
            self.repeated.d.next = false;
        }
        if self.state.q.val() == GridState::Fill {
            for i in 0..4 {
                if self.lane.q.val() == i.to_bits::<2>() {
                    self.lane_id[i].d.next = bit_cast::<30, 10>(self.x.q.val().get_bits::<10>(0))
                        | (bit_cast::<30, 10>(self.y.q.val().get_bits::<10>(0)) << 10)
                        | (bit_cast::<30, 10>(self.z.q.val().get_bits::<10>(0)) << 20);
                }
            }
            self.lane_mask.d.next = self.lane_mask.q.val() >> 1;
            if self.in_group.val() {
                self.lane_mask.d.next = (self.lane_mask.q.val() >> 1) | bits::<4>(8);
            }
            self.x.d.next = self.next_x.val();
            self.y.d.next = self.next_y.val();
            self.z.d.next = self.next_z.val();
            self.lane.d.next = self.lane.q.val() + bits::<2>(1);
            if self.lane.q.val() == bits::<2>(3) {
                self.state.d.next = GridState::Place;
                if self.pinned.q.val() && self.warp.q.val().any() {
                    self.state.d.next = GridState::Launch;
                }
            }
        }
        if self.state.q.val() == GridState::Place {
            if self.pinned.q.val() {
                if (self.free.val() & self.window.q.val()) == self.window.q.val() {
                    self.state.d.next = GridState::Launch;
                    self.slot.d.next = self.first.q.val();
                } else {
                    self.group_slot.d.next = self.next_slot.val();
                    self.first.d.next = self.first.q.val() + self.warps.q.val().get_bits::<4>(0);
                    self.window.d.next = self.window.q.val() << self.warps.q.val().get_bits::<5>(0);
                    self.shared_base.d.next = self.shared_base.q.val() + self.shared_bytes.q.val();
                    if self.next_slot.val() == self.group_slots.q.val() {
                        self.unit.d.next = self.next_unit.val();
                        self.group_slot.d.next = bits::<5>(0);
                        self.first.d.next = bits::<4>(0);
                        self.window.d.next = self.first_window.val().get_bits::<16>(0);
                        self.shared_base.d.next = bits::<16>(0);
                    }
                }
            } else {
                for i in 0..16 {
                    if self.free.val().get_bit(i) && self.slots.val().get_bit(i) && !self.found.val() {
                        self.found.next = true;
                        self.slot.d.next = i.to_bits::<4>();
                        self.first.d.next = i.to_bits::<4>();
                        self.group_slot.d.next = i.to_bits::<5>();
                    }
                }
                self.shared_base.d.next = bits::<16>(0);
                if self.found.val() {
                    self.state.d.next = GridState::Launch;
                } else {
                    self.unit.d.next = self.next_unit.val();
                }
            }
        }
        if self.state.q.val() == GridState::Launch {
            self.state.d.next = GridState::Fill;
            self.warp.d.next = self.next_warp.val();
            self.slot.d.next = self.slot.q.val() + bits::<4>(1);
            if !self.pinned.q.val() {
                self.unit.d.next = self.next_unit.val();
            }
            if self.next_warp.val() == self.warps.q.val() {
                self.warp.d.next = bits::<9>(0);
                self.x.d.next = bits::<11>(0);
                self.y.d.next = bits::<11>(0);
                self.z.d.next = bits::<11>(0);
                self.group_x.d.next = self.next_group_x.val();
                self.group_y.d.next = self.next_group_y.val();
                self.group_z.d.next = self.next_group_z.val();
                self.unit.d.next = self.next_unit.val();
                self.group_slot.d.next = bits::<5>(0);
                self.first.d.next = bits::<4>(0);
                self.window.d.next = self.first_window.val().get_bits::<16>(0);
                self.shared_base.d.next = bits::<16>(0);
                self.repeated.d.next = false;
                if self.next_group_z.val() == self.grid_z.q.val() {
                    self.state.d.next = GridState::Drain;
                    self.settle.d.next = bits::<3>(0);
                }
            }
            if (self.fault.val() == bits::<8>(38))
                && (self.warp.q.val() == bits::<9>(1))
                && !self.repeated.q.val()
                && !self.pinned.q.val()
            {
                self.repeated.d.next = true;
                self.state.d.next = GridState::Place;
                self.warp.d.next = self.warp.q.val();
                self.x.d.next = self.x.q.val();
                self.y.d.next = self.y.q.val();
                self.z.d.next = self.z.q.val();
                self.group_x.d.next = self.group_x.q.val();
                self.group_y.d.next = self.group_y.q.val();
                self.group_z.d.next = self.group_z.q.val();
            }
        }
        if self.state.q.val() == GridState::Drain {
            // The last launch shows in slot_free after a few cycles.
            if self.settle.q.val() != bits::<3>(7) {
                self.settle.d.next = self.settle.q.val() + bits::<3>(1);
            } else if self.all_free.val() && self.memory_idle.val() {
                self.state.d.next = GridState::Idle;
            }
        }

        self.busy.next = self.state.q.val() != GridState::Idle;
        self.start.next = self.go.val();
        self.code_base.next = self.base.q.val();
        self.code_length.next = self.length.q.val();
        self.launch_valid.next = self.state.q.val() == GridState::Launch;
        self.launch_unit.next = self.unit.q.val();
        self.launch_warp.next = self.slot.q.val();
        self.launch_mask.next = self.lane_mask.q.val();
        self.launch_group_x.next = self.group_x.q.val();
        self.launch_group_y.next = self.group_y.q.val();
        self.launch_group_z.next = self.group_z.q.val();
        self.launch_warp_in_group.next = self.warp.q.val().get_bits::<8>(0);
        self.launch_group_slot.next = self.group_slot.q.val().get_bits::<4>(0);
        self.launch_first.next = self.first.q.val();
        self.launch_warps.next = bits::<5>(1);
        if self.pinned.q.val() {
            self.launch_warps.next = self.warps.q.val().get_bits::<5>(0);
        }
        self.launch_shared_base.next = self.shared_base.q.val();
        self.launch_local_id0.next = self.lane_id[0].q.val();
        self.launch_local_id1.next = self.lane_id[1].q.val();
        self.launch_local_id2.next = self.lane_id[2].q.val();
        self.launch_local_id3.next = self.lane_id[3].q.val();
        self.index.next = bit_cast::<10, 8>(self.warp.q.val().get_bits::<8>(0)) << 2;
        self.launch_index0.next = self.index.val();
        self.launch_index1.next = self.index.val() | bits::<10>(1);
        self.launch_index2.next = self.index.val() | bits::<10>(2);
        self.launch_index3.next = self.index.val() | bits::<10>(3);
    }
}
