//! Hi-Z's records in memory: those of groups that had to leave the chip. A record is 8 bytes, so a
//! line has those of two neighbours. Whoever swaps a group writes one record, reads one, or both;
//! the read goes first, since somebody waits for it.
//!
//! | bits of a record | |
//! | --- | --- |
//! | 23:0 | no sample of the group is farther |
//! | 36:24 | run of the triangle that changed it last |
//! | 37 | depths grow |
//! | 63:38 | number of the pass |
//!
//! The area begins where that of full binning ends (word 23 of the pass record). A group's record
//! is at 8 times its number. Memory is zero when the machine starts, and no pass has number 0. So
//! a record of another pass is none. After 67,108,862 passes numbers would come again: from then on
//! memory is not used, until reset.
//!
//! Latency is memory's, and 3 cycles. One swap at a time; the next one may begin when both are
//! answered. Nothing here waits for anything but memory. It can be wrong in a record of another
//! pass. Planted fault: `hi-z-stale-record`.

use quadlock_hdl_macros::{kernel, QuietBlock};
use quadlock_isa::records::pass;
use rust_hdl::prelude::*;

use crate::base::Planted;
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::ports::{LineIn, LineRequestOut, StateWriteIn};

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct HiZMemory {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Words of state; the pass and its area are kept.
    pub state: StateWriteIn,
    /// Nothing is known any more: another pass, as far as records go.
    pub forget: Signal<In, bool>,
    /// The pass has an area, and a number.
    pub usable: Signal<Out, bool>,
    /// A swap may begin.
    pub ready: Signal<Out, bool>,
    /// A record is read; never unless ready.
    pub reads: Signal<In, bool>,
    /// The group's number.
    pub wanted: Signal<In, Bits<18>>,
    /// A record is written; never unless ready.
    pub writes: Signal<In, bool>,
    /// The group's number.
    pub left: Signal<In, Bits<18>>,
    /// No sample of that one is farther.
    pub left_bound: Signal<In, Bits<24>>,
    /// Run of the triangle that changed it last.
    pub left_run: Signal<In, Bits<13>>,
    /// Its depths grow.
    pub left_down: Signal<In, bool>,
    /// What was read is here, in this cycle.
    pub done: Signal<Out, bool>,
    /// It is of this pass.
    pub found: Signal<Out, bool>,
    /// No sample of the group is farther.
    pub found_bound: Signal<Out, Bits<24>>,
    /// Run of the triangle that changed it last.
    pub found_run: Signal<Out, Bits<13>>,
    /// Its depths grow.
    pub found_down: Signal<Out, bool>,
    /// Bound of quads that are not known, of the group that is here; there is one.
    pub base: Signal<In, Bits<24>>,
    /// There is one.
    pub based: Signal<In, bool>,
    /// Both as a word: 23:0, 24.
    pub base_word: Signal<Out, Bits<64>>,
    /// A line of memory is read or written.
    pub m_req: LineRequestOut,
    /// Memory answers, a write too; always taken.
    pub m_rsp: LineIn,
    named: DFF<bool>,
    first: DFF<Bits<28>>,
    pass: DFF<Bits<26>>,
    /// Requests that wait for the port.
    asks: DFF<bool>,
    puts: DFF<bool>,
    /// Answers that are to come.
    awaits: DFF<bool>,
    owes: DFF<bool>,
    came: DFF<bool>,
    ask_number: DFF<Bits<18>>,
    put_number: DFF<Bits<18>>,
    put_low: DFF<Bits<32>>,
    put_high: DFF<Bits<32>>,
    came_low: DFF<Bits<32>>,
    came_high: DFF<Bits<32>>,
    other_pass: Signal<Local, bool>,
    area_first: Signal<Local, Bits<28>>,
    area_lines: Signal<Local, Bits<28>>,
    can: Signal<Local, bool>,
    number: Signal<Local, Bits<18>>,
    line: Signal<Local, Bits<28>>,
    record_low: Signal<Local, Bits<32>>,
    record_high: Signal<Local, Bits<32>>,
    fault_hi_z_stale_record: Planted,
    _active: bool,
}

impl HiZMemory {
    /// With that configuration's planted fault.
    pub fn new(config: &GpuConfig) -> Self {
        Self {
            fault_hi_z_stale_record: Planted::new(config.has(Fault::HiZStaleRecord)),
            _active: true,
            ..Default::default()
        }
    }
}

#[kernel]
impl HiZMemory {
    /// The pass has a number, and names its area.
    fn pass_area(&mut self) {
        comment!("module: hi_z_memory");
        dff_setup!(self, clock, named, first, pass, asks, puts, awaits, owes, came, ask_number, put_number);
        dff_setup!(self, clock, put_low, put_high, came_low, came_high);
        // The pass.
        self.other_pass.next =
            self.forget.val() || (self.state.pass.val() && (self.state.word.val() == bits::<6>(pass::SIZE)));
        if self.other_pass.val() && !self.pass.q.val().all() {
            self.pass.d.next = self.pass.q.val() + bits::<26>(1);
        }
        self.area_first.next = bit_cast::<28, 18>(self.state.data.val().get_bits::<18>(14)) << bits::<28>(10);
        self.area_lines.next = bit_cast::<28, 14>(self.state.data.val().get_bits::<14>(0)) << bits::<28>(10);
        if self.state.pass.val() && (self.state.word.val() == bits::<6>(pass::BIN_AREA)) {
            self.named.d.next = self.state.data.val().any();
            self.first.d.next = self.area_first.val() + self.area_lines.val();
        }
        self.can.next = self.named.q.val() && self.pass.q.val().any() && !self.pass.q.val().all();
        self.usable.next = self.can.val();
        self.ready.next = !self.awaits.q.val() && !self.owes.q.val();
        self.base_word.next = bit_cast::<64, 24>(self.base.val());
        if self.based.val() {
            self.base_word.next = bit_cast::<64, 24>(self.base.val()) | bits::<64>(0x100_0000);
        }
    }

    /// A swap says which records are read and written.
    fn group_swap(&mut self) {
        if self.reads.val() {
            self.awaits.d.next = true;
            self.ask_number.d.next = self.wanted.val();
        }
        if self.writes.val() {
            self.owes.d.next = true;
            self.put_number.d.next = self.left.val();
            self.put_low.d.next = bit_cast::<32, 24>(self.left_bound.val())
                | (bit_cast::<32, 8>(self.left_run.val().get_bits::<8>(0)) << bits::<32>(24));
            self.put_high.d.next = bit_cast::<32, 5>(self.left_run.val().get_bits::<5>(8))
                | (bit_cast::<32, 26>(self.pass.q.val()) << bits::<32>(6));
            if self.left_down.val() {
                self.put_high.d.next = bit_cast::<32, 5>(self.left_run.val().get_bits::<5>(8))
                    | (bit_cast::<32, 26>(self.pass.q.val()) << bits::<32>(6))
                    | bits::<32>(0x20);
            }
        }
    }

    /// The port has first what is read, then what is written.
    fn port_request(&mut self) {
        self.number.next = self.put_number.q.val();
        if self.asks.q.val() {
            self.number.next = self.ask_number.q.val();
        }
        self.line.next = self.first.q.val() + bit_cast::<28, 17>(self.number.val().get_bits::<17>(1));
        self.m_req.valid.next = self.asks.q.val() || self.puts.q.val();
        self.m_req.addr.next = bit_cast::<32, 28>(self.line.val()) << bits::<32>(4);
        self.m_req.write.next = !self.asks.q.val();
        self.m_req.lock.next = false;
        self.m_req.mask.next = bits::<16>(0);
        if !self.asks.q.val() {
            self.m_req.mask.next = bits::<16>(0x00FF);
            if self.number.val().get_bit(0) {
                self.m_req.mask.next = bits::<16>(0xFF00);
            }
        }
        self.m_req.data[0].next = self.put_low.q.val();
        self.m_req.data[1].next = self.put_high.q.val();
        self.m_req.data[2].next = self.put_low.q.val();
        self.m_req.data[3].next = self.put_high.q.val();
        if self.m_req.ready.val() {
            self.asks.d.next = false;
            if !self.asks.q.val() {
                self.puts.d.next = false;
            }
        }
        // A swap begins when nothing waits, so what it asks for is not taken in that cycle.
        if self.reads.val() {
            self.asks.d.next = true;
        }
        if self.writes.val() {
            self.puts.d.next = true;
        }
    }

    /// Answers come in their order, and a record of another pass is none.
    fn record_answer(&mut self) {
        // Answers, in their order.
        self.came.d.next = false;
        if self.m_rsp.valid.val() {
            if self.awaits.q.val() {
                self.awaits.d.next = false;
                self.came.d.next = true;
            } else {
                self.owes.d.next = false;
            }
            self.came_low.d.next = self.m_rsp.data[0].val();
            self.came_high.d.next = self.m_rsp.data[1].val();
            if self.ask_number.q.val().get_bit(0) {
                self.came_low.d.next = self.m_rsp.data[2].val();
                self.came_high.d.next = self.m_rsp.data[3].val();
            }
        }
        self.record_low.next = self.came_low.q.val();
        self.record_high.next = self.came_high.q.val();
        self.done.next = self.came.q.val();
        self.found.next = (self.record_high.val().get_bits::<26>(6) == self.pass.q.val())
            || (self.fault_hi_z_stale_record.val() && self.record_high.val().any());
        self.found_bound.next = self.record_low.val().get_bits::<24>(0);
        self.found_run.next = bit_cast::<13, 8>(self.record_low.val().get_bits::<8>(24))
            | (bit_cast::<13, 5>(self.record_high.val().get_bits::<5>(0)) << bits::<13>(8));
        self.found_down.next = self.record_high.val().get_bit(5);
    }
}
