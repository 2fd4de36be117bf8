//! The walk over the work groups of a grid and their warps (`docs/machine.md`, "Work groups and
//! dispatch").
//!
//! Groups in linear order, warps in order inside a group. Invocation numbers are kept by counters
//! that step from one lane to the next, one lane per cycle (no multipliers or dividers): a launch
//! takes six cycles (four lanes, placing, launch), five for the later warps of a pinned group,
//! which has its whole window of slots from its first warp on.
//!
//! The warps of a pinned group arrive some cycles apart, first slot first; the warp unit holds the
//! group's barrier until the last one has come. It can be wrong at the edges: partial last warps,
//! wrapping of the counters. Planted faults: `dispatch-skip`, `dispatch-twice` (`dispatch-twice`:
//! free programs only).

use quadlock_hdl_macros::{kernel, QuietBlock, StateWord};
use rust_hdl::prelude::*;

use crate::base::Planted;
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::ports::{SlotOfferIn, WarpPlaceOut};

/// Where the walk stands.
#[derive(Copy, Clone, Debug, PartialEq, LogicState, StateWord)]
pub enum WalkState {
    /// Nothing to do.
    Idle,
    /// Invocation numbers of lane `lane` of the next warp.
    Fill,
    /// Waits for a free slot or window.
    Place,
    /// The warp is launched in this cycle.
    Launch,
}

/// See the module documentation. The registers' meaning is that of the host registers; they must
/// not change during a walk.
#[derive(Default, QuietBlock)]
pub struct GridWalker {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// One cycle: the walk begins.
    pub start: Signal<In, bool>,
    /// Groups of the grid in x.
    pub grid_x: Signal<In, Bits<32>>,
    /// Groups of the grid in y.
    pub grid_y: Signal<In, Bits<32>>,
    /// Groups of the grid in z.
    pub grid_z: Signal<In, Bits<32>>,
    /// Invocations of a group in x.
    pub size_x: Signal<In, Bits<11>>,
    /// Invocations of a group in y.
    pub size_y: Signal<In, Bits<11>>,
    /// Invocations of a group in z.
    pub size_z: Signal<In, Bits<11>>,
    /// Warps of a group.
    pub warps: Signal<In, Bits<9>>,
    /// Whole groups go to one unit.
    pub pinned: Signal<In, bool>,
    /// A warp slot that is free for a group.
    pub offer_ports: SlotOfferIn,
    /// The window's number in the unit, or the slot.
    pub offer_group_slot: Signal<In, Bits<4>>,
    /// The window's shared storage.
    pub offer_shared_base: Signal<In, Bits<16>>,
    /// A slot or window is wanted.
    pub seek: Signal<Out, bool>,
    /// It is taken.
    pub take: Signal<Out, bool>,
    /// Not every warp has been launched.
    pub active: Signal<Out, bool>,
    /// A warp is launched in this cycle.
    pub launch_valid: Signal<Out, bool>,
    /// Where a launched warp stands.
    pub place_ports: WarpPlaceOut,
    /// Its slot.
    pub launch_warp: Signal<Out, Bits<4>>,
    /// Its lanes.
    pub launch_mask: Signal<Out, Bits<4>>,
    /// Its group in x.
    pub launch_group_x: Signal<Out, Bits<32>>,
    /// Its group in y.
    pub launch_group_y: Signal<Out, Bits<32>>,
    /// Its group in z.
    pub launch_group_z: Signal<Out, Bits<32>>,
    /// First slot of the window.
    pub launch_first: Signal<Out, Bits<4>>,
    /// Slots of the window.
    pub launch_warps: Signal<Out, Bits<5>>,
    /// Byte address of the window's shared storage.
    pub launch_shared_base: Signal<Out, Bits<16>>,
    /// Invocation numbers of the lanes: x 9:0, y 19:10, z 29:20.
    pub launch_local_id: Vec<Signal<Out, Bits<30>>>,

    state: DFF<WalkState>,
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
    // The place: unit, window, its first slot and shared storage, the slot of the next warp.
    unit: DFF<Bits<6>>,
    group_slot: DFF<Bits<4>>,
    first: DFF<Bits<4>>,
    shared_base: DFF<Bits<16>>,
    slot: DFF<Bits<4>>,
    repeated: DFF<bool>,

    /// One further in each direction; the same, or 0 and one further in the next direction.
    x_plus: Signal<Local, Bits<11>>,
    y_plus: Signal<Local, Bits<11>>,
    next_x: Signal<Local, Bits<11>>,
    next_y: Signal<Local, Bits<11>>,
    next_z: Signal<Local, Bits<11>>,
    /// The same of groups.
    group_x_plus: Signal<Local, Bits<32>>,
    group_y_plus: Signal<Local, Bits<32>>,
    next_group_x: Signal<Local, Bits<32>>,
    next_group_y: Signal<Local, Bits<32>>,
    next_group_z: Signal<Local, Bits<32>>,
    limit_x: Signal<Local, Bits<32>>,
    next_warp: Signal<Local, Bits<9>>,
    in_group: Signal<Local, bool>,
    fault_dispatch_skip: Planted,
    fault_dispatch_twice: Planted,
    _active: bool,
}

impl GridWalker {
    /// Sizes, options and planted faults as that configuration has them.
    pub fn new(config: &GpuConfig) -> Self {
        Self {
            launch_local_id: (0..4).map(|_| Signal::default()).collect(),
            lane_id: (0..4).map(|_| DFF::default()).collect(),
            fault_dispatch_skip: Planted::new(config.has(Fault::DispatchSkip)),
            fault_dispatch_twice: Planted::new(config.has(Fault::DispatchTwice)),
            _active: true,
            ..Default::default()
        }
    }
}

#[kernel]
impl GridWalker {
    /// All registers keep what they have, and the lanes' numbers stand at the port.
    fn registers(&mut self) {
        comment!("module: grid_walker");
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
            shared_base
        );
        dff_setup!(self, clock, slot, repeated);
        for i in 0..4 {
            dff_setup!(self, clock, lane_id[i]);
            self.launch_local_id[i].next = self.lane_id[i].q.val();
        }
    }

    /// The next invocation, group and warp are calculated.
    fn next_position(&mut self) {
        self.x_plus.next = self.x.q.val() + bits::<11>(1);
        self.y_plus.next = self.y.q.val() + bits::<11>(1);
        self.next_x.next = self.x_plus.val();
        self.next_y.next = self.y.q.val();
        self.next_z.next = self.z.q.val();
        if self.x_plus.val() == self.size_x.val() {
            self.next_x.next = bits::<11>(0);
            self.next_y.next = self.y_plus.val();
            if self.y_plus.val() == self.size_y.val() {
                self.next_y.next = bits::<11>(0);
                self.next_z.next = self.z.q.val() + bits::<11>(1);
            }
        }
        self.in_group.next = self.z.q.val() < self.size_z.val();
        self.limit_x.next = self.grid_x.val();
        if self.fault_dispatch_skip.val() && (self.grid_x.val() != bits::<32>(1)) {
            self.limit_x.next = self.grid_x.val() - bits::<32>(1);
        }
        self.group_x_plus.next = self.group_x.q.val() + bits::<32>(1);
        self.group_y_plus.next = self.group_y.q.val() + bits::<32>(1);
        self.next_group_x.next = self.group_x_plus.val();
        self.next_group_y.next = self.group_y.q.val();
        self.next_group_z.next = self.group_z.q.val();
        if self.group_x_plus.val() == self.limit_x.val() {
            self.next_group_x.next = bits::<32>(0);
            self.next_group_y.next = self.group_y_plus.val();
            if self.group_y_plus.val() == self.grid_y.val() {
                self.next_group_y.next = bits::<32>(0);
                self.next_group_z.next = self.group_z.q.val() + bits::<32>(1);
            }
        }
        self.next_warp.next = self.warp.q.val() + bits::<9>(1);
    }

    /// A start resets the walk; in state Fill one lane in each cycle gets its number.
    fn filling(&mut self) {
        self.take.next = false;
        if self.start.val() {
            self.state.d.next = WalkState::Fill;
            self.group_x.d.next = bits::<32>(0);
            self.group_y.d.next = bits::<32>(0);
            self.group_z.d.next = bits::<32>(0);
            self.warp.d.next = bits::<9>(0);
            self.x.d.next = bits::<11>(0);
            self.y.d.next = bits::<11>(0);
            self.z.d.next = bits::<11>(0);
            self.lane.d.next = bits::<2>(0);
            self.repeated.d.next = false;
        }
        if self.state.q.val() == WalkState::Fill {
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
                self.state.d.next = WalkState::Place;
                if self.pinned.val() && self.warp.q.val().any() {
                    self.state.d.next = WalkState::Launch;
                }
            }
        }
    }

    /// The warp takes the slot or window that is offered.
    fn placing(&mut self) {
        if (self.state.q.val() == WalkState::Place) && self.offer_ports.offer.val() {
            self.take.next = true;
            self.state.d.next = WalkState::Launch;
            self.unit.d.next = self.offer_ports.offer_unit.val();
            self.slot.d.next = self.offer_ports.offer_warp.val();
            self.first.d.next = self.offer_ports.offer_warp.val();
            self.group_slot.d.next = self.offer_group_slot.val();
            self.shared_base.d.next = self.offer_shared_base.val();
        }
    }

    /// The warp is launched, and the walk goes on to the next one.
    fn launching(&mut self) {
        if self.state.q.val() == WalkState::Launch {
            self.state.d.next = WalkState::Fill;
            self.warp.d.next = self.next_warp.val();
            self.slot.d.next = self.slot.q.val() + bits::<4>(1);
            if self.next_warp.val() == self.warps.val() {
                self.warp.d.next = bits::<9>(0);
                self.x.d.next = bits::<11>(0);
                self.y.d.next = bits::<11>(0);
                self.z.d.next = bits::<11>(0);
                self.group_x.d.next = self.next_group_x.val();
                self.group_y.d.next = self.next_group_y.val();
                self.group_z.d.next = self.next_group_z.val();
                self.repeated.d.next = false;
                if self.next_group_z.val() == self.grid_z.val() {
                    self.state.d.next = WalkState::Idle;
                }
            }
            if self.fault_dispatch_twice.val()
                && (self.warp.q.val() == bits::<9>(1))
                && !self.repeated.q.val()
                && !self.pinned.val()
            {
                self.repeated.d.next = true;
                self.state.d.next = WalkState::Place;
                self.warp.d.next = self.warp.q.val();
                self.x.d.next = self.x.q.val();
                self.y.d.next = self.y.q.val();
                self.z.d.next = self.z.q.val();
                self.group_x.d.next = self.group_x.q.val();
                self.group_y.d.next = self.group_y.q.val();
                self.group_z.d.next = self.group_z.q.val();
            }
        }
    }

    /// The ports say what is launched and where.
    fn outputs(&mut self) {
        self.seek.next = self.state.q.val() == WalkState::Place;
        self.active.next = self.state.q.val() != WalkState::Idle;
        self.launch_valid.next = self.state.q.val() == WalkState::Launch;
        self.place_ports.launch_unit.next = self.unit.q.val();
        self.launch_warp.next = self.slot.q.val();
        self.launch_mask.next = self.lane_mask.q.val();
        self.launch_group_x.next = self.group_x.q.val();
        self.launch_group_y.next = self.group_y.q.val();
        self.launch_group_z.next = self.group_z.q.val();
        self.place_ports.launch_warp_in_group.next = self.warp.q.val().get_bits::<8>(0);
        self.place_ports.launch_group_slot.next = self.group_slot.q.val();
        self.launch_first.next = self.first.q.val();
        self.launch_warps.next = bits::<5>(1);
        if self.pinned.val() {
            self.launch_warps.next = self.warps.val().get_bits::<5>(0);
        }
        self.launch_shared_base.next = self.shared_base.q.val();
    }
}
