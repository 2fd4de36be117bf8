//! By how much the cull pipeline's command streamer is ahead of the one that draws: in commands and
//! in states (HZ-31). The one that follows begins a command when the other one is done with it. So
//! it finds the state of that command written, and the draw looked at.
//!
//! Both go through the ring of contexts. The next state would be written over the context of draws
//! that are still to be offered if it came a whole round ahead; `state_room` forbids that.
//!
//! All outputs come from registers, but `may_follow`, which hears whether the one ahead is at work.
//! It can be wrong in a count of two events in one cycle. Planted faults: `lead-state`, `lead-met`.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::base::{Parameter, Planted};
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct CommandLead {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// A list is begun; by both.
    pub start: Signal<In, bool>,
    /// The one that leads begins a command.
    pub leads: Signal<In, bool>,
    /// It is not at the list's end.
    pub leader_busy: Signal<In, bool>,
    /// It has written a state.
    pub wrote: Signal<In, bool>,
    /// The one that follows begins a command.
    pub follows: Signal<In, bool>,
    /// It is between two commands.
    pub between: Signal<In, bool>,
    /// It takes a state.
    pub takes: Signal<In, bool>,
    /// The one that leads may begin a command.
    pub may_lead: Signal<Out, bool>,
    /// The one that follows may.
    pub may_follow: Signal<Out, bool>,
    /// The one that follows is done with all that the other one is done with.
    pub met: Signal<Out, bool>,
    /// There is a context for another state.
    pub state_room: Signal<Out, bool>,
    /// Commands that were begun by one and not by the other.
    commands: DFF<Bits<6>>,
    /// States that are written and not taken.
    states: DFF<Bits<5>>,
    more: Signal<Local, Bits<6>>,
    more_states: Signal<Local, Bits<5>>,
    most_states: Parameter<5>,
    fault_lead_state: Planted,
    fault_lead_met: Planted,
    _active: bool,
}

impl CommandLead {
    /// For that configuration's contexts, with its planted fault.
    pub fn new(config: &GpuConfig) -> Self {
        Self {
            most_states: Parameter::new(config.contexts as u64 - 1),
            fault_lead_state: Planted::new(config.has(Fault::LeadState)),
            fault_lead_met: Planted::new(config.has(Fault::LeadMet)),
            _active: true,
            ..Default::default()
        }
    }
}

impl Logic for CommandLead {
    #[kernel]
    fn update(&mut self) {
        comment!("module: command_lead");
        dff_setup!(self, clock, commands, states);
        self.more.next = self.commands.q.val();
        if self.leads.val() {
            self.more.next = self.commands.q.val() + bits::<6>(1);
        }
        self.commands.d.next = self.more.val();
        if self.follows.val() {
            self.commands.d.next = self.more.val() - bits::<6>(1);
        }
        if self.start.val() {
            self.commands.d.next = bits::<6>(0);
        }
        self.more_states.next = self.states.q.val();
        if self.wrote.val() {
            self.more_states.next = self.states.q.val() + bits::<5>(1);
        }
        self.states.d.next = self.more_states.val();
        if self.takes.val() {
            self.states.d.next = self.more_states.val() - bits::<5>(1);
        }
        self.may_lead.next = !self.commands.q.val().get_bits::<5>(1).all();
        self.may_follow.next = (self.commands.q.val().get_bits::<5>(1).any() && self.leader_busy.val())
            || (self.commands.q.val().any() && !self.leader_busy.val());
        self.met.next = self.between.val() && ((self.commands.q.val() == bits::<6>(1)) || self.fault_lead_met.val());
        self.state_room.next = (self.states.q.val() < self.most_states.val()) || self.fault_lead_state.val();
    }
}
