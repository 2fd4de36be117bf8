//! Fetch and decode: chooses a warp that needs an instruction, looks its counter up in the
//! instruction cache, decodes the word and fills the warp's buffer.
//!
//! Direct mapped, lines of 16 bytes (two instructions), tag and data in synchronous RAM. Cycle 3
//! (numbers as in [`super::unit`]): round robin over the warps that need an instruction, RAM
//! address; cycle 4: tag compare, decode, fill. One lookup per cycle. A miss makes the warp wait
//! and starts the one outstanding line fetch, unless that is busy; the others may hit meanwhile.
//! When the line arrives all waiting warps look up again, so a warp that missed another line starts
//! its own fetch then.
//!
//! `start` makes every line stale by a new epoch in the tag; when the epoch wraps (every 64th
//! start) the tags are walked and cleared, one line per cycle, before any fetch. A counter at or
//! above `code_length` is never looked up: it fills an undefined word (zero), which traps.
//!
//! It can be wrong where a lookup meets the arrival of its own line: the RAM returns the old word
//! then, the lookup misses, and the line is fetched once more, which costs time only. The waiting
//! mark must not be set in that cycle, or the warp would wait for ever.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use super::words::Kind;
use crate::base::{vector, Parameter, Planted};
use crate::cell::{Decoder, Ram};
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::ports::{CodePlaceIn, FilledInstructionOut, LineFetchOut, LineIn};

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct InstructionCache {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    // Program.
    /// Pulse: invalidates every line. The code registers are valid.
    pub start: Signal<In, bool>,
    /// Place of the code in memory.
    pub code: CodePlaceIn,
    // Warps.
    /// Bit s: slot s needs an instruction.
    pub need: Signal<In, Bits<16>>,
    /// Program counter of each slot.
    pub pc: Vec<Signal<In, Bits<16>>>,
    /// A slot's buffer is filled in this cycle.
    pub fill_valid: Signal<Out, bool>,
    /// Fetched instruction: warp slot in the unit.
    pub fill_warp: Signal<Out, Bits<4>>,
    /// A fetched instruction, decoded.
    pub fill_ports: FilledInstructionOut,
    // Memory.
    /// A read of a line of memory.
    pub f_req: LineFetchOut,
    /// Instruction fetch, response: the bundle holds one in this cycle.
    /// Data of the fetched line.
    pub f_rsp: LineIn,
    tag: Ram,
    data0: Ram,
    data1: Ram,
    data2: Ram,
    data3: Ram,
    decoder: Decoder,
    /// The lookup of this cycle.
    looking: DFF<bool>,
    warp: DFF<Bits<4>>,
    looked_pc: DFF<Bits<16>>,
    /// Warps that missed and wait for a line to arrive.
    waiting: DFF<Bits<16>>,
    /// A line fetch is outstanding; its request has not been taken yet; its line number.
    missing: DFF<bool>,
    requesting: DFF<bool>,
    line: DFF<Bits<16>>,
    epoch: DFF<Bits<6>>,
    clearing: DFF<bool>,
    clear_index: DFF<Bits<12>>,
    /// Warps without an instruction whose line is not on its way; those that may be looked up.
    needing: Signal<Local, Bits<16>>,
    candidates: Signal<Local, Bits<16>>,
    /// Candidates behind the last choice: they come first.
    above: Signal<Local, Bits<16>>,
    /// Those, or all if there are none.
    first_candidates: Signal<Local, Bits<16>>,
    any: Signal<Local, bool>,
    pick: Signal<Local, Bits<4>>,
    pick_pc: Signal<Local, Bits<16>>,
    looked_line: Signal<Local, Bits<16>>,
    index: Signal<Local, Bits<12>>,
    outside: Signal<Local, bool>,
    hit: Signal<Local, bool>,
    write_index: Signal<Local, Bits<12>>,
    /// By operand: as many low bits as it has registers; places from its number to the end; its
    /// registers, which go on at 0 behind the last one.
    group_b: Signal<Local, Bits<32>>,
    group_c: Signal<Local, Bits<32>>,
    group_d: Signal<Local, Bits<32>>,
    wrap_b: Signal<Local, Bits<6>>,
    wrap_c: Signal<Local, Bits<6>>,
    wrap_d: Signal<Local, Bits<6>>,
    set_a: Signal<Local, Bits<32>>,
    set_b: Signal<Local, Bits<32>>,
    set_c: Signal<Local, Bits<32>>,
    sets: Signal<Local, Bits<32>>,
    kind: Signal<Local, Bits<21>>,
    index_mask: Parameter<12>,
    last_index: Parameter<12>,
    fault_stale_operand: Planted,
    fault_wide_destination: Planted,
    fault_release_early: Planted,
    /// Graphics: the instruction waits as END does. One, or none.
    demotes: Vec<Signal<Local, bool>>,
    fault_demote_early: Vec<Planted>,
    _graphics: bool,
    _warps: usize,
    _active: bool,
}

impl InstructionCache {
    /// Sizes and planted faults as that configuration has them.
    pub fn new(gpu: &GpuConfig) -> Self {
        let ram = || Ram::new(gpu.icache_lines);
        Self {
            pc: (0..gpu.warps).map(|_| Signal::default()).collect(),
            tag: ram(),
            data0: ram(),
            data1: ram(),
            data2: ram(),
            data3: ram(),
            decoder: Decoder::new(gpu),
            index_mask: Parameter::new(gpu.icache_lines as u64 - 1),
            last_index: Parameter::new(gpu.icache_lines as u64 - 1),
            fault_stale_operand: Planted::new(gpu.has(Fault::StaleOperand)),
            fault_wide_destination: Planted::new(gpu.has(Fault::WideDestination)),
            fault_release_early: Planted::new(gpu.has(Fault::ReleaseEarly)),
            demotes: vector(usize::from(gpu.graphics)),
            fault_demote_early: gpu.of_graphics(Fault::DemoteEarly),
            _graphics: gpu.graphics,
            _warps: gpu.warps,
            _active: true,
            ..Default::default()
        }
    }
}

#[kernel]
impl InstructionCache {
    /// A warp that needs an instruction is chosen, in turn.
    fn warp_choice(&mut self) {
        comment!("module: instruction_cache");
        dff_setup!(
            self,
            clock,
            looking,
            warp,
            looked_pc,
            waiting,
            missing,
            requesting,
            line,
            epoch,
            clearing,
            clear_index
        );
        clock!(self, clock, tag, data0, data1, data2, data3);
        // Cycle 3: choose a warp.
        self.needing.next = self.need.val() & !self.waiting.q.val();
        self.candidates.next = self.needing.val();
        if self.looking.q.val() {
            self.candidates.next = self.needing.val() & !(bits::<16>(1) << self.warp.q.val());
        }
        if self.clearing.q.val() || self.start.val() {
            self.candidates.next = bits::<16>(0);
        }
        self.above.next = self.candidates.val() & (bits::<16>(0xFFFE) << self.warp.q.val());
        self.first_candidates.next = self.candidates.val();
        if self.above.val().any() {
            self.first_candidates.next = self.above.val();
        }
        self.any.next = false;
        self.pick.next = bits::<4>(0);
        for i in 0..self._warps {
            if !self.any.val() && self.first_candidates.val().get_bit(i) {
                self.any.next = true;
                self.pick.next = i.to_bits::<4>();
            }
        }
    }

    /// The line of the chosen warp is looked up.
    fn lookup(&mut self) {
        self.pick_pc.next = bits::<16>(0);
        for i in 0..self._warps {
            if self.pick.val() == i.to_bits::<4>() {
                self.pick_pc.next = self.pc[i].val();
            }
        }
        self.looking.d.next = self.any.val();
        if self.any.val() {
            self.warp.d.next = self.pick.val();
            self.looked_pc.d.next = self.pick_pc.val();
        }
        self.index.next = bit_cast::<12, 16>(self.pick_pc.val() >> bits::<16>(1)) & self.index_mask.val();
        self.tag.read_address.next = self.index.val();
        self.data0.read_address.next = self.index.val();
        self.data1.read_address.next = self.index.val();
        self.data2.read_address.next = self.index.val();
        self.data3.read_address.next = self.index.val();
    }

    /// The tag is compared; a warp that misses waits, and its line is requested.
    fn tag_compare(&mut self) {
        // Cycle 4: compare.
        self.looked_line.next = self.looked_pc.q.val() >> bits::<16>(1);
        self.outside.next = self.code.length.val() <= bit_cast::<32, 16>(self.looked_pc.q.val());
        self.hit.next = self.tag.read_data.val()
            == (bits::<32>(0x4000_0000)
                | (bit_cast::<32, 6>(self.epoch.q.val()) << bits::<32>(16))
                | bit_cast::<32, 16>(self.looked_line.val()));
        if self.f_rsp.valid.val() {
            self.waiting.d.next = bits::<16>(0);
            self.missing.d.next = false;
        }
        if self.requesting.q.val() && self.f_req.ready.val() {
            self.requesting.d.next = false;
        }
        if self.looking.q.val() && !self.outside.val() && !self.hit.val() {
            if !self.f_rsp.valid.val() {
                self.waiting.d.next = self.waiting.q.val() | (bits::<16>(1) << self.warp.q.val());
            }
            if !self.missing.q.val() {
                self.missing.d.next = true;
                self.requesting.d.next = true;
                self.line.d.next = self.looked_line.val();
            }
        }
        self.f_req.valid.next = self.requesting.q.val();
        self.f_req.addr.next = self.code.base.val() + (bit_cast::<32, 16>(self.line.q.val()) << bits::<32>(4));
    }

    /// A line arrives, and a walk clears tags when the epoch wraps.
    fn line_fill(&mut self) {
        self.write_index.next = bit_cast::<12, 16>(self.line.q.val()) & self.index_mask.val();
        if self.clearing.q.val() {
            self.write_index.next = self.clear_index.q.val();
        }
        self.tag.write_address.next = self.write_index.val();
        self.data0.write_address.next = self.write_index.val();
        self.data1.write_address.next = self.write_index.val();
        self.data2.write_address.next = self.write_index.val();
        self.data3.write_address.next = self.write_index.val();
        self.tag.write_enable.next = self.f_rsp.valid.val() || self.clearing.q.val();
        fan_out!(self.f_rsp.valid =>
            self.data0.write_enable, self.data1.write_enable, self.data2.write_enable, self.data3.write_enable
        );
        self.data0.write_data.next = self.f_rsp.data[0].val();
        self.data1.write_data.next = self.f_rsp.data[1].val();
        self.data2.write_data.next = self.f_rsp.data[2].val();
        self.data3.write_data.next = self.f_rsp.data[3].val();
        self.tag.write_data.next = bits::<32>(0x4000_0000)
            | (bit_cast::<32, 6>(self.epoch.q.val()) << bits::<32>(16))
            | bit_cast::<32, 16>(self.line.q.val());
        if self.clearing.q.val() {
            self.tag.write_data.next = bits::<32>(0);
            self.clear_index.d.next = self.clear_index.q.val() + bits::<12>(1);
            if self.clear_index.q.val() == self.last_index.val() {
                self.clearing.d.next = false;
                self.clear_index.d.next = bits::<12>(0);
            }
        }
        if self.start.val() {
            self.epoch.d.next = self.epoch.q.val() + bits::<6>(1);
            if self.epoch.q.val() == bits::<6>(63) {
                self.clearing.d.next = true;
            }
        }
    }

    /// Half of the line goes to the decoder; outside of the code it is zeros.
    fn fill_words(&mut self) {
        self.fill_ports.fill_lo.next = self.data0.read_data.val();
        self.fill_ports.fill_hi.next = self.data1.read_data.val();
        if self.looked_pc.q.val().get_bit(0) {
            self.fill_ports.fill_lo.next = self.data2.read_data.val();
            self.fill_ports.fill_hi.next = self.data3.read_data.val();
        }
        if self.outside.val() {
            self.fill_ports.fill_lo.next = bits::<32>(0);
            self.fill_ports.fill_hi.next = bits::<32>(0);
        }
        self.decoder.lo.next = self.fill_ports.fill_lo.val();
        self.fill_valid.next = self.looking.q.val() && (self.outside.val() || self.hit.val());
        self.fill_warp.next = self.warp.q.val();
    }

    /// The registers are made into sets; a group of 2 or 4 wraps from 31 to 0.
    fn register_sets(&mut self) {
        self.set_a.next = bits::<32>(0);
        if self.decoder.reads_a.val() {
            self.set_a.next = bits::<32>(1) << self.decoder.a.val();
        }
        self.group_b.next = (bits::<32>(1) << self.decoder.b_count.val()) - bits::<32>(1);
        self.wrap_b.next = bits::<6>(32) - bit_cast::<6, 5>(self.decoder.b.val());
        self.set_b.next = self.group_b.val() << self.decoder.b.val();
        if self.decoder.b.val().any() {
            self.set_b.next = (self.group_b.val() << self.decoder.b.val()) | (self.group_b.val() >> self.wrap_b.val());
        }
        self.group_c.next = (bits::<32>(1) << self.decoder.c_count.val()) - bits::<32>(1);
        if self.fault_stale_operand.val() {
            self.group_c.next = bits::<32>(0);
        }
        self.wrap_c.next = bits::<6>(32) - bit_cast::<6, 5>(self.decoder.c.val());
        self.set_c.next = self.group_c.val() << self.decoder.c.val();
        if self.decoder.c.val().any() {
            self.set_c.next = (self.group_c.val() << self.decoder.c.val()) | (self.group_c.val() >> self.wrap_c.val());
        }
        self.group_d.next = (bits::<32>(1) << self.decoder.d_count.val()) - bits::<32>(1);
        if self.fault_wide_destination.val() {
            self.group_d.next = ((bits::<32>(1) << self.decoder.d_count.val()) - bits::<32>(1)) & bits::<32>(1);
        }
        self.wrap_d.next = bits::<6>(32) - bit_cast::<6, 5>(self.decoder.d.val());
        self.sets.next = self.group_d.val() << self.decoder.d.val();
        if self.decoder.d.val().any() {
            self.sets.next = (self.group_d.val() << self.decoder.d.val()) | (self.group_d.val() >> self.wrap_d.val());
        }
        self.fill_ports.fill_need.next = self.set_a.val() | self.set_b.val() | self.set_c.val() | self.sets.val();
        self.fill_ports.fill_sets.next = self.sets.val();
    }

    /// The kind tells memory accesses, barriers, ends and branches.
    fn flow_kind(&mut self) {
        // Kind: bits as in the module documentation of `warp`.
        self.kind.next = bits::<21>(0);
        if self.decoder.is_global.val() {
            self.kind.next.set_value_global(true);
        }
        if self.decoder.is_wide.val() {
            self.kind.next.set_value_wide(true);
        }
        if self.decoder.is_shared.val() {
            self.kind.next.set_value_shared(true);
        }
        if self.decoder.is_bar.val() {
            self.kind.next.set_value_drains(true);
            self.kind.next.set_value_barrier(true);
        }
        if self.decoder.is_end.val() {
            self.kind.next.set_value_drains(true);
            self.kind.next.set_value_ends(true);
        }
        if self.decoder.undefined.val() {
            self.kind.next.set_value_drains(true);
            self.kind.next.set_value_ends(true);
            self.kind.next.set_value_traps(true);
        }
        if self.decoder.is_bnz.val() {
            self.kind.next.set_value_conditional(true);
        }
        if self.decoder.is_bz.val() {
            self.kind.next.set_value_conditional(true);
            self.kind.next.set_value_if_zero(true);
        }
        if self.decoder.is_bra.val() {
            self.kind.next.set_value_jumps(true);
        }
    }

    /// The kind tells operands, and who executes.
    fn unit_kind(&mut self) {
        if self.decoder.two_beats.val() {
            self.kind.next.set_value_two_beats(true);
        }
        if bits::<3>(1) < self.decoder.b_count.val() {
            self.kind.next.set_value_reads_pair(true);
        }
        if self.decoder.is_s2r.val() {
            self.kind.next.set_value_special(true);
        }
        if self.decoder.is_qshuf.val() {
            self.kind.next.set_value_shuffles(true);
        }
        if self.decoder.is_ddx.val() {
            self.kind.next.set_value_ddx(true);
        }
        if self.decoder.is_ddy.val() {
            self.kind.next.set_value_ddy(true);
        }
        if self.decoder.is_alu.val() {
            self.kind.next.set_value_writes(true);
        }
        if self.decoder.is_function.val() {
            self.kind.next.set_value_function(true);
        }
    }

    /// The kind tells messages, and what waits for all that is in flight.
    fn wait_kind(&mut self) {
        if self.decoder.is_message.val() {
            // WTS only waits.
            self.kind.next.set_value_waits(true);
        }
        if self.decoder.is_acquire.val() {
            self.kind.next.set_value_message(true);
            self.kind.next.set_value_waits(true);
            self.kind.next.set_value_acquires(true);
        }
        if self.decoder.is_release.val() {
            // A release waits for the warp's stores: nothing may be in flight.
            self.kind.next = bits::<21>(0);
            self.kind.next.set_value_message(true);
            self.kind.next.set_value_drains(!self.fault_release_early.val());
        }
        if self._graphics {
            // DEMOTE, opcode 0x0A, waits for what is in flight.
            self.demotes[0].next = !self.decoder.undefined.val()
                && (self.fill_ports.fill_lo.val().get_bits::<8>(0) == bits::<8>(0x0A))
                && !self.fill_ports.fill_lo.val().get_bit(30);
            if self.demotes[0].val() && !self.fault_demote_early[0].val() {
                self.kind.next.set_value_drains(true);
            }
            // So do MERGE, 0x08, and SPLIT, 0x09.
            if !self.decoder.undefined.val()
                && ((self.fill_ports.fill_lo.val().get_bits::<8>(0) == bits::<8>(0x08))
                    || (self.fill_ports.fill_lo.val().get_bits::<8>(0) == bits::<8>(0x09)))
                && !self.fill_ports.fill_lo.val().get_bit(30)
            {
                self.kind.next.set_value_drains(true);
            }
        }
        self.fill_ports.fill_kind.next = self.kind.val();
    }
}
