//! Command streamer: reads the command list (docs/graphics.md) and does one command after the
//! other. A pass record and a state record go to all blocks, a word per cycle; the constant-bank
//! images of both stages fill the windows of the state's context, a word per cycle. A draw goes to
//! the vertex front end.
//!
//! A state takes the next of eight contexts and waits only until nothing names that one any more.
//! It waits for four cycles in which that holds, because what leaves one block may be seen in the
//! next a cycle later. `wait` and the end of a pass wait for 15 such cycles. The end of a pass then
//! lets `finish` stand, tells `end_pass` once, and waits for `pass_done`. After `begin_pass` there
//! is nothing to wait for: the tile buffers hold back what comes while they make their list empty.
//!
//! With a cull pipeline there are two of them, and both read the list ([`CommandRole`]). The one
//! that leads serves the cull pipeline. It alone writes states, windows and the pass record, once
//! for both. It waits only for what is drawn: at `wait` and at a pass record until the other one is
//! there, too. The one that follows begins a command when the other one is done with it. It serves
//! the pipeline that draws, and does everything else. [`CommandLead`](super::CommandLead) counts.
//!
//! Sixteen lines are on their way at most. A state takes 512 cycles for its windows, 44 for its
//! record, and three times the memory's latency. A draw takes twice the latency and a few cycles:
//! commands are not read ahead, because the line after the last one may be outside the memory.
//!
//! Everything that leaves the block comes from registers, but the request's `valid`, which also
//! knows whether there is a place for the answer. It can be wrong in the number of a word, in a
//! context that is filled too early, and in what it waits for; `tests/command_streamer.rs` compares
//! everything that goes out with the list.
//!
//! Planted faults: `command-*`, eight.

use quadlock_hdl_macros::{kernel, QuietBlock, StateWord};
use quadlock_isa::records::{command, pass, state};
use rust_hdl::prelude::*;

use crate::base::{vector, Parameter, Planted};
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::memory::ResponseQueue;
use crate::ports::{DrawOut, LineFetchOut, LineIn, PassEdgeOut, StateWriteOut};

/// What the streamer is at.
#[derive(Copy, Clone, Debug, PartialEq, LogicState, StateWord)]
pub enum CommandStep {
    /// No list runs.
    Idle,
    /// The next line of the list is asked for.
    Ask,
    /// It comes.
    Command,
    /// Words of a pass record.
    Pass,
    /// The other streamer is still at commands before.
    Meet,
    /// The pass begins.
    Begin,
    /// The context is still in use.
    Context,
    /// Words of a state record.
    State,
    /// Words of the constant-bank images.
    Windows,
    /// The second line of a draw.
    Draw,
    /// The draw is offered.
    Offer,
    /// All before is to be in memory.
    Wait,
    /// All triangles of the pass are to be drawn.
    Drain,
    /// The last tile is closed.
    Finish,
    /// The pass is written to memory.
    Done,
}

/// Which of a machine's streamers it is.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum CommandRole {
    /// The only one.
    Alone,
    /// That of the cull pipeline, which is ahead.
    Leads,
    /// That of the pipeline that draws, behind the other one.
    Follows,
}

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct CommandStreamer {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Starts a command list. Ignored while `busy` is high.
    pub start: Signal<In, bool>,
    /// Byte address of the list, a multiple of 16.
    pub list: Signal<In, Bits<32>>,
    /// From the cycle after `start` to the end of the list.
    pub busy: Signal<Out, bool>,
    /// A read of a line of memory.
    pub m_req: LineFetchOut,
    /// The answer to the oldest request comes; it is always taken.
    pub m_rsp: LineIn,
    /// Words of pass and state records.
    pub state: StateWriteOut,
    /// A word of a constant window is written. No back-pressure.
    pub constant_write_valid: Signal<Out, bool>,
    /// Number of the window: 2 * context + stage.
    pub constant_write_window: Signal<Out, Bits<5>>,
    /// Number of the word in the window.
    pub constant_write_word: Signal<Out, Bits<8>>,
    /// The word.
    pub constant_write_data: Signal<Out, Bits<32>>,
    /// There is a draw.
    pub draw: DrawOut,
    /// Bit # is set while context # is in use by a draw that has been taken.
    pub contexts_busy: Signal<In, Bits<16>>,
    /// No draw, triangle, quad or result is under way.
    pub pipe_idle: Signal<In, bool>,
    /// All writes are in memory.
    pub memory_idle: Signal<In, bool>,
    /// The list waits until what was drawn is done, or until a context is free.
    pub waits: Signal<Out, bool>,
    /// It waits for a context.
    pub contextless: Signal<Out, bool>,
    /// A pass begins or ends.
    pub pass_ports: PassEdgeOut,
    /// The pass has no more triangles: the last tile is to be closed.
    pub finish: Signal<Out, bool>,
    /// The pass is in memory; a pulse.
    pub pass_done: Signal<In, bool>,
    // With a cull pipeline: one each, or none.
    /// A command is begun.
    pub begins: Vec<Signal<Out, bool>>,
    /// It may be.
    pub may_begin: Vec<Signal<In, bool>>,
    /// The draw streamer has finished all commands before this one.
    pub met: Vec<Signal<In, bool>>,
    /// There is a place for another state.
    pub state_room: Vec<Signal<In, bool>>,
    /// A state is written.
    pub wrote: Vec<Signal<Out, bool>>,
    /// Nothing is in the cull pipeline.
    pub cull_idle: Vec<Signal<In, bool>>,
    /// A draw bypasses the cull pipeline, and all draws before it have passed. Its context is that
    /// of `draw`.
    pub draw_bypasses: Vec<Signal<Out, bool>>,
    /// The draw waits until all draws before it are drawn.
    pub bypass_waits: Vec<Signal<In, bool>>,
    /// The draw streamer is between two commands.
    pub between: Vec<Signal<Out, bool>>,
    /// It takes the next state.
    pub takes: Vec<Signal<Out, bool>>,
    /// The cull pipeline does not look at the draw.
    pub draw_bypass: Vec<Signal<Out, bool>>,

    queue: ResponseQueue,
    step: DFF<CommandStep>,
    /// The next line of the list.
    at: DFF<Bits<28>>,
    /// The next line to be asked for.
    read_at: DFF<Bits<28>>,
    /// Lines to be asked for.
    read_left: DFF<Bits<8>>,
    /// Number of the word that is next.
    count: DFF<Bits<9>>,
    /// Cycles in which what is waited for held.
    settled: DFF<Bits<4>>,
    /// The state's context.
    context_now: DFF<Bits<4>>,
    /// The context of the next state.
    fresh: DFF<Bits<4>>,
    /// Lines of the record, then of the first image; of the second one.
    record: DFF<Bits<28>>,
    image: DFF<Bits<28>>,
    indexed: DFF<bool>,
    wide: DFF<bool>,
    restart: DFF<bool>,
    indices: DFF<Bits<32>>,
    first: DFF<Bits<32>>,
    instances: DFF<Bits<32>>,
    base: DFF<Bits<32>>,
    first_instance: DFF<Bits<32>>,
    address: DFF<Bits<32>>,
    bypass: Vec<DFF<bool>>,
    // What goes out.
    state_valid_r: DFF<bool>,
    pass_r: DFF<bool>,
    window_r: DFF<bool>,
    word_r: DFF<Bits<9>>,
    data_r: DFF<Bits<32>>,
    begin_r: DFF<bool>,
    end_r: DFF<bool>,
    accept: Signal<Local, bool>,
    code: Signal<Local, Bits<8>>,
    target: Signal<Local, Bits<28>>,
    word: Signal<Local, Bits<32>>,
    place: Signal<Local, Bits<2>>,
    emits: Signal<Local, bool>,
    ends_line: Signal<Local, bool>,
    in_use: Signal<Local, Bits<16>>,
    calm: Signal<Local, bool>,
    window: Signal<Local, Bits<5>>,
    stage: Signal<Local, bool>,
    /// The next command may be begun.
    goes: Signal<Local, bool>,
    /// A draw that goes past waits.
    bypass_blocked: Signal<Local, bool>,
    /// Contexts that there are, less one.
    last_context: Parameter<4>,
    fault_command_last_word: Planted,
    fault_command_context: Planted,
    fault_command_window: Planted,
    fault_command_drain: Planted,
    fault_command_wait: Planted,
    fault_command_base: Planted,
    fault_command_begin: Planted,
    fault_command_image: Planted,
    /// 1: it writes states and passes; it serves the pipeline that draws; and beside those the
    /// roles.
    _writes: usize,
    _draws: usize,
    _pairs: usize,
    _leads: usize,
    _follows: usize,
    _active: bool,
}

impl CommandStreamer {
    /// The block with that configuration's planted fault.
    pub fn new(config: &GpuConfig, role: CommandRole) -> Self {
        let planted = |fault| Planted::new(config.has(fault));
        let is = |other| usize::from(role == other);
        let (leads, follows) = (is(CommandRole::Leads), is(CommandRole::Follows));
        Self {
            begins: vector(leads + follows),
            may_begin: vector(leads + follows),
            met: vector(leads),
            state_room: vector(leads),
            wrote: vector(leads),
            cull_idle: vector(leads),
            draw_bypasses: vector(leads),
            bypass_waits: vector(leads),
            between: vector(follows),
            takes: vector(follows),
            draw_bypass: vector(follows),
            bypass: vector(leads + follows),
            _writes: 1 - follows,
            _draws: 1 - leads,
            _pairs: leads + follows,
            _leads: leads,
            _follows: follows,
            queue: ResponseQueue::new(),
            last_context: Parameter::new(config.contexts as u64 - 1),
            fault_command_last_word: planted(Fault::CommandLastWord),
            fault_command_context: planted(Fault::CommandContext),
            fault_command_window: planted(Fault::CommandWindow),
            fault_command_drain: planted(Fault::CommandDrain),
            fault_command_wait: planted(Fault::CommandWait),
            fault_command_base: planted(Fault::CommandBase),
            fault_command_begin: planted(Fault::CommandBegin),
            fault_command_image: planted(Fault::CommandImage),
            _active: true,
            ..Default::default()
        }
    }
}

impl Logic for CommandStreamer {
    #[kernel]
    fn update(&mut self) {
        comment!("module: command_streamer");
        dff_setup!(self, clock, step, at, read_at, read_left, count, settled, context_now, fresh, record, image);
        dff_setup!(self, clock, restart);
        dff_setup!(self, clock, indexed, wide, indices, first, instances, base, first_instance, address);
        dff_setup!(self, clock, state_valid_r, pass_r, window_r, word_r, data_r, begin_r, end_r);
        clock!(self, clock, queue);
        // Lines are asked for.
        self.queue.req_valid.next = self.read_left.q.val().any();
        self.queue.m_req_ready.next = self.m_req.ready.val();
        self.m_req.valid.next = self.queue.m_req_valid.val();
        self.m_req.addr.next = bit_cast::<32, 28>(self.read_at.q.val()) << bits::<32>(4);
        LineIn::link(&mut self.m_rsp, &mut self.queue.m_rsp);
        self.accept.next = self.read_left.q.val().any() && self.queue.req_ready.val();
        if self.accept.val() {
            self.read_at.d.next = self.read_at.q.val() + bits::<28>(1);
            self.read_left.d.next = self.read_left.q.val() - bits::<8>(1);
            // The second image follows the first one.
            if (self.step.q.val() == CommandStep::Windows) && (self.read_left.q.val() == bits::<8>(65)) {
                self.read_at.d.next = self.image.q.val();
                if self.fault_command_image.val() {
                    self.read_at.d.next = self.read_at.q.val() + bits::<28>(1);
                }
            }
        }
        // What comes.
        self.code.next = self.queue.rsp.data[0].val().get_bits::<8>(0);
        self.target.next = self.queue.rsp.data[1].val().get_bits::<28>(4);
        self.place.next = self.count.q.val().get_bits::<2>(0);
        self.word.next = self.queue.rsp.data[0].val();
        if self.place.val() == bits::<2>(1) {
            self.word.next = self.queue.rsp.data[1].val();
        }
        if self.place.val() == bits::<2>(2) {
            self.word.next = self.queue.rsp.data[2].val();
        }
        if self.place.val() == bits::<2>(3) {
            self.word.next = self.queue.rsp.data[3].val();
        }
        self.ends_line.next = self.place.val() == bits::<2>(3);
        self.emits.next = self.queue.rsp.valid.val()
            && ((self.step.q.val() == CommandStep::Pass)
                || (self.step.q.val() == CommandStep::State)
                || (self.step.q.val() == CommandStep::Windows));
        self.queue.rsp.ready.next = (self.emits.val() && self.ends_line.val())
            || (self.step.q.val() == CommandStep::Command)
            || (self.step.q.val() == CommandStep::Draw);
        // What is waited for.
        self.in_use.next = self.contexts_busy.val() >> bit_cast::<16, 4>(self.fresh.q.val());
        self.calm.next = self.pipe_idle.val() || self.fault_command_drain.val();
        if self.step.q.val() == CommandStep::Context {
            self.calm.next = !self.in_use.val().get_bit(0) || self.fault_command_context.val();
        }
        for k in 0..self._leads {
            if self.step.q.val() == CommandStep::Context {
                self.calm.next =
                    self.state_room[k].val() && (!self.in_use.val().get_bit(0) || self.fault_command_context.val());
            }
            if self.step.q.val() == CommandStep::Offer {
                self.calm.next = self.cull_idle[k].val()
                    && (!self.bypass_waits[k].val() || (self.met[k].val() && self.pipe_idle.val()));
            }
        }
        if self.step.q.val() == CommandStep::Wait {
            self.calm.next = (self.pipe_idle.val() && self.memory_idle.val()) || self.fault_command_wait.val();
            for k in 0..self._leads {
                self.calm.next = self.pipe_idle.val() && self.memory_idle.val() && self.met[k].val();
            }
        }
        self.settled.d.next = bits::<4>(0);
        if self.calm.val() {
            self.settled.d.next = self.settled.q.val() + bits::<4>(1);
        }
        // Words go out.
        self.state_valid_r.d.next = false;
        self.pass_r.d.next = false;
        self.window_r.d.next = false;
        self.word_r.d.next = self.count.q.val();
        self.data_r.d.next = self.word.val();
        if self.emits.val() {
            self.count.d.next = self.count.q.val() + bits::<9>(1);
        }
        self.begin_r.d.next = false;
        self.end_r.d.next = false;
        for k in 0..self._pairs {
            dff_setup!(self, clock, bypass[k]);
            self.begins[k].next = false;
        }
        for k in 0..self._leads {
            self.wrote[k].next = false;
            self.draw_bypasses[k].next = false;
        }
        for k in 0..self._follows {
            self.takes[k].next = false;
        }
        self.goes.next = true;
        for k in 0..self._pairs {
            self.goes.next = self.may_begin[k].val();
        }
        match self.step.q.val() {
            CommandStep::Idle => {
                self.at.d.next = self.list.val().get_bits::<28>(4);
                if self.start.val() {
                    self.step.d.next = CommandStep::Ask;
                }
            }
            CommandStep::Ask => {
                if self.goes.val() {
                    self.read_at.d.next = self.at.q.val();
                    self.read_left.d.next = bits::<8>(1);
                    self.at.d.next = self.at.q.val() + bits::<28>(1);
                    self.step.d.next = CommandStep::Command;
                    for k in 0..self._pairs {
                        self.begins[k].next = true;
                    }
                }
            }
            CommandStep::Command => {
                self.count.d.next = bits::<9>(0);
                self.settled.d.next = bits::<4>(0);
                if self.queue.rsp.valid.val() {
                    self.record.d.next = self.target.val();
                    self.indexed.d.next = self.queue.rsp.data[0].val().get_bit(8);
                    self.wide.d.next = self.queue.rsp.data[0].val().get_bit(9);
                    self.restart.d.next = self.queue.rsp.data[0].val().get_bit(11);
                    self.indices.d.next = self.queue.rsp.data[1].val();
                    self.first.d.next = self.queue.rsp.data[2].val();
                    self.instances.d.next = self.queue.rsp.data[3].val();
                    self.step.d.next = CommandStep::Idle;
                    for k in 0..self._pairs {
                        self.bypass[k].d.next = self.queue.rsp.data[0].val().get_bit(10);
                    }
                    if self.code.val() == bits::<8>(command::PASS) {
                        for _k in 0..self._writes {
                            self.step.d.next = CommandStep::Pass;
                            self.read_at.d.next = self.target.val();
                            self.read_left.d.next = bits::<8>(pass::LINES);
                        }
                        for _k in 0..self._leads {
                            self.step.d.next = CommandStep::Meet;
                            self.read_left.d.next = bits::<8>(0);
                        }
                        for _k in 0..self._follows {
                            self.step.d.next = CommandStep::Begin;
                        }
                    }
                    if self.code.val() == bits::<8>(command::STATE) {
                        self.step.d.next = CommandStep::Context;
                    }
                    if self.code.val() == bits::<8>(command::DRAW) {
                        self.step.d.next = CommandStep::Draw;
                        self.read_at.d.next = self.at.q.val();
                        self.read_left.d.next = bits::<8>(1);
                        self.at.d.next = self.at.q.val() + bits::<28>(1);
                    }
                    if self.code.val() == bits::<8>(command::WAIT) {
                        self.step.d.next = CommandStep::Wait;
                    }
                    if self.code.val() == bits::<8>(command::END_PASS) {
                        self.step.d.next = CommandStep::Drain;
                        for _k in 0..self._leads {
                            self.step.d.next = CommandStep::Ask;
                        }
                    }
                }
            }
            CommandStep::Meet => {
                for k in 0..self._leads {
                    if self.met[k].val() {
                        self.step.d.next = CommandStep::Pass;
                        self.read_at.d.next = self.record.q.val();
                        self.read_left.d.next = bits::<8>(pass::LINES);
                    }
                }
            }
            CommandStep::Pass => {
                self.pass_r.d.next = self.emits.val();
                if self.emits.val()
                    && ((self.count.q.val() == bits::<9>(pass::LAST))
                        || (self.fault_command_begin.val() && (self.count.q.val() == bits::<9>(pass::LAST - 1))))
                {
                    self.step.d.next = CommandStep::Begin;
                }
            }
            CommandStep::Begin => {
                self.begin_r.d.next = true;
                self.step.d.next = CommandStep::Ask;
            }
            CommandStep::Context => {
                for _k in 0..self._writes {
                    if self.settled.q.val().get_bit(2) {
                        self.context_now.d.next = self.fresh.q.val();
                        self.fresh.d.next = (self.fresh.q.val() + bits::<4>(1)) & self.last_context.val();
                        self.read_at.d.next = self.record.q.val();
                        self.read_left.d.next = bits::<8>(state::LINES);
                        self.step.d.next = CommandStep::State;
                    }
                }
                for k in 0..self._follows {
                    self.context_now.d.next = self.fresh.q.val();
                    self.fresh.d.next = (self.fresh.q.val() + bits::<4>(1)) & self.last_context.val();
                    self.step.d.next = CommandStep::Ask;
                    self.takes[k].next = true;
                }
            }
            CommandStep::State => {
                self.state_valid_r.d.next = self.emits.val();
                if self.fault_command_last_word.val() && (self.count.q.val() == bits::<9>(state::LINEAR_HIGH)) {
                    self.state_valid_r.d.next = false;
                }
                if self.emits.val() && (self.count.q.val() == bits::<9>(state::VERTEX_CONSTANTS)) {
                    self.record.d.next = self.word.val().get_bits::<28>(4);
                }
                if self.emits.val() && (self.count.q.val() == bits::<9>(state::FRAGMENT_CONSTANTS)) {
                    self.image.d.next = self.word.val().get_bits::<28>(4);
                }
                if self.emits.val() && (self.count.q.val() == bits::<9>(state::LAST)) {
                    self.count.d.next = bits::<9>(0);
                    self.read_at.d.next = self.record.q.val();
                    self.read_left.d.next = bits::<8>(128);
                    self.step.d.next = CommandStep::Windows;
                }
            }
            CommandStep::Windows => {
                self.window_r.d.next = self.emits.val();
                if self.emits.val() && self.count.q.val().all() {
                    self.step.d.next = CommandStep::Ask;
                    for k in 0..self._leads {
                        self.wrote[k].next = true;
                    }
                }
            }
            CommandStep::Draw => {
                for _k in 0..self._leads {
                    self.settled.d.next = bits::<4>(0);
                }
                self.base.d.next = self.queue.rsp.data[0].val();
                if self.fault_command_base.val() {
                    self.base.d.next = self.queue.rsp.data[1].val();
                }
                self.first_instance.d.next = self.queue.rsp.data[1].val();
                self.address.d.next = self.queue.rsp.data[2].val();
                if self.queue.rsp.valid.val() {
                    self.step.d.next = CommandStep::Offer;
                }
            }
            CommandStep::Offer => {
                for _k in 0..self._draws {
                    if self.draw.ready.val() {
                        self.step.d.next = CommandStep::Ask;
                    }
                }
                for k in 0..self._leads {
                    if self.draw.ready.val() && !self.bypass[k].q.val() {
                        self.step.d.next = CommandStep::Ask;
                    }
                    if self.bypass[k].q.val() && self.settled.q.val().get_bit(2) {
                        self.step.d.next = CommandStep::Ask;
                        self.draw_bypasses[k].next = true;
                    }
                }
            }
            CommandStep::Wait => {
                if self.settled.q.val().all() {
                    self.step.d.next = CommandStep::Ask;
                }
            }
            CommandStep::Drain => {
                if self.settled.q.val().all() {
                    self.settled.d.next = bits::<4>(0);
                    self.step.d.next = CommandStep::Finish;
                }
            }
            CommandStep::Finish => {
                // The binner closes its tile before `end_pass`.
                self.settled.d.next = self.settled.q.val() + bits::<4>(1);
                if self.settled.q.val().all() {
                    self.end_r.d.next = true;
                    self.step.d.next = CommandStep::Done;
                }
            }
            CommandStep::Done => {
                if self.pass_done.val() {
                    self.step.d.next = CommandStep::Ask;
                }
            }
        }
        // Ports.
        self.busy.next = self.step.q.val() != CommandStep::Idle;
        self.bypass_blocked.next = false;
        for k in 0..self._leads {
            self.bypass_blocked.next =
                (self.step.q.val() == CommandStep::Offer) && self.bypass[k].q.val() && self.bypass_waits[k].val();
        }
        self.waits.next = self.bypass_blocked.val()
            || (self.step.q.val() == CommandStep::Context)
            || (self.step.q.val() == CommandStep::Wait)
            || (self.step.q.val() == CommandStep::Meet)
            || (self.step.q.val() == CommandStep::Drain);
        self.contextless.next = self.step.q.val() == CommandStep::Context;
        self.state.valid.next = self.state_valid_r.q.val();
        self.state.pass.next = self.pass_r.q.val();
        self.state.context.next = self.context_now.q.val();
        self.state.word.next = self.word_r.q.val().get_bits::<6>(0);
        self.state.data.next = self.data_r.q.val();
        self.stage.next = self.word_r.q.val().get_bit(8);
        if self.fault_command_window.val() {
            self.stage.next = !self.word_r.q.val().get_bit(8);
        }
        self.window.next = bit_cast::<5, 4>(self.context_now.q.val()) << bits::<5>(1);
        self.constant_write_window.next = self.window.val();
        if self.stage.val() {
            self.constant_write_window.next = self.window.val() | bits::<5>(1);
        }
        self.constant_write_valid.next = self.window_r.q.val();
        self.constant_write_word.next = self.word_r.q.val().get_bits::<8>(0);
        self.constant_write_data.next = self.data_r.q.val();
        self.draw.valid.next = self.step.q.val() == CommandStep::Offer;
        for k in 0..self._leads {
            self.draw.valid.next = (self.step.q.val() == CommandStep::Offer) && !self.bypass[k].q.val();
        }
        for k in 0..self._follows {
            self.draw_bypass[k].next = self.bypass[k].q.val();
            self.between[k].next = self.step.q.val() == CommandStep::Ask;
        }
        self.draw.context.next = self.context_now.q.val();
        self.draw.indexed.next = self.indexed.q.val();
        self.draw.wide.next = self.wide.q.val();
        self.draw.restart.next = self.restart.q.val();
        self.draw.count.next = self.indices.q.val();
        self.draw.first.next = self.first.q.val();
        self.draw.instances.next = self.instances.q.val();
        self.draw.base.next = self.base.q.val();
        self.draw.first_instance.next = self.first_instance.q.val();
        self.draw.address.next = self.address.q.val();
        self.pass_ports.begin_pass.next = self.begin_r.q.val();
        self.finish.next = (self.step.q.val() == CommandStep::Finish) || (self.step.q.val() == CommandStep::Done);
        self.pass_ports.end_pass.next = self.end_r.q.val();
    }
}
