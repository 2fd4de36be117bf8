//! Cutting and merging: the next line transaction of the instruction in the load/store/atomic
//! pipeline. Combinational, from the pipeline's registers to its memory port.
//!
//! The *leader* is the lowest remaining lane; the group are all remaining lanes whose address lies
//! in the leader's 16-byte line, of an atomic the leader alone. The line's bytes are chosen lane by
//! lane, a later lane over an earlier one, from data that acceptance has replicated over the line;
//! an atomic's from its new value.
//!
//! It can be wrong in who shares a line and in which byte is whose; `tests/lsa.rs` compares memory
//! with a byte-wise model.
//!
//! Planted faults: `coalesce-line` and `store-mask`.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::base::{vector, Planted};
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct Cut {
    /// Lanes that have not gone to memory yet.
    pub remaining: Signal<In, Bits<4>>,
    /// The instruction is an atomic.
    pub atomic: Signal<In, bool>,
    /// It is a store.
    pub store: Signal<In, bool>,
    /// Log2 of the access size in bytes.
    pub size: Signal<In, Bits<3>>,
    /// Byte address per lane, a multiple of the size.
    pub address: Vec<Signal<In, Bits<32>>>,
    /// Words for the line per lane, element word * 4 + lane.
    pub data: Vec<Signal<In, Bits<32>>>,
    /// New value of the leader's atomic, bits 31:0.
    pub new_lo: Signal<In, Bits<32>>,
    /// New value of the leader's atomic, bits 63:32.
    pub new_hi: Signal<In, Bits<32>>,
    /// The leader's byte address.
    pub lead_address: Signal<Out, Bits<32>>,
    /// Words of the leader: of an atomic 0 and 1 the operand, 2 and 3 the expected value.
    pub lead_word: Vec<Signal<Out, Bits<32>>>,
    /// Lanes of the transaction.
    pub group: Signal<Out, Bits<4>>,
    /// Lanes that remain after it.
    pub left: Signal<Out, Bits<4>>,
    /// Bytes of the line that it writes, if it writes.
    pub enable: Signal<Out, Bits<16>>,
    /// Words of the line that it writes.
    pub line: Vec<Signal<Out, Bits<32>>>,
    found: Signal<Local, bool>,
    leader: Signal<Local, Bits<32>>,
    leader_word: Vec<Signal<Local, Bits<32>>>,
    /// The leader, and all lanes whose line it is.
    leader_lane: Signal<Local, Bits<4>>,
    lanes: Signal<Local, Bits<4>>,
    span: Signal<Local, Bits<16>>,
    bytes: Vec<Signal<Local, Bits<16>>>,
    all_bytes: Signal<Local, Bits<16>>,
    merged: Vec<Signal<Local, Bits<32>>>,
    fault_coalesce_line: Planted,
    fault_store_mask: Planted,
    _active: bool,
}

impl Cut {
    /// The cutting of that configuration (only its planted fault matters here).
    pub fn new(config: &GpuConfig) -> Self {
        Self {
            address: vector(4),
            data: vector(16),
            lead_word: vector(4),
            line: vector(4),
            leader_word: vector(4),
            bytes: vector(4),
            merged: vector(4),
            fault_coalesce_line: Planted::new(config.has(Fault::CoalesceLine)),
            fault_store_mask: Planted::new(config.has(Fault::StoreMask)),
            _active: true,
            ..Default::default()
        }
    }
}

#[kernel]
impl Cut {
    /// The lowest remaining lane leads, and lanes in its line go with it.
    fn leader(&mut self) {
        comment!("module: lsa_cut");
        // The leader's line, and who else is in it.
        self.found.next = false;
        self.leader_lane.next = bits::<4>(0);
        self.leader.next = self.address[0].val();
        for k in 0..4 {
            self.leader_word[k].next = self.data[4 * k].val();
        }
        for i in 0..4 {
            if self.remaining.val().get_bit(i) && !self.found.val() {
                self.found.next = true;
                self.leader_lane.next = bits::<4>(1) << i.to_bits::<4>();
                self.leader.next = self.address[i].val();
                for k in 0..4 {
                    self.leader_word[k].next = self.data[4 * k + i].val();
                }
            }
        }
        self.lanes.next = self.leader_lane.val();
        if !self.atomic.val() {
            for i in 0..4 {
                if self.remaining.val().get_bit(i)
                    && (self.address[i].val().get_bits::<27>(5) == self.leader.val().get_bits::<27>(5))
                    && ((self.address[i].val().get_bit(4) == self.leader.val().get_bit(4))
                        || self.fault_coalesce_line.val())
                {
                    self.lanes.next = self.lanes.val() | (bits::<4>(1) << i.to_bits::<4>());
                }
            }
        }
        self.lead_address.next = self.leader.val();
        self.group.next = self.lanes.val();
        self.left.next = self.remaining.val() & !self.lanes.val();
    }

    /// The bytes of the group's lanes are enabled.
    fn byte_enables(&mut self) {
        // Byte enables and data of the line.
        self.span.next = bits::<16>(0x1);
        if self.size.val() == bits::<3>(1) {
            self.span.next = bits::<16>(0x3);
            if self.fault_store_mask.val() {
                self.span.next = bits::<16>(0x1);
            }
        }
        if self.size.val() == bits::<3>(2) {
            self.span.next = bits::<16>(0xF);
        }
        if self.size.val() == bits::<3>(3) {
            self.span.next = bits::<16>(0xFF);
        }
        if self.size.val() == bits::<3>(4) {
            self.span.next = bits::<16>(0xFFFF);
        }
        self.all_bytes.next = bits::<16>(0);
        for i in 0..4 {
            self.bytes[i].next = bits::<16>(0);
            if self.lanes.val().get_bit(i) {
                self.bytes[i].next = self.span.val() << self.address[i].val().get_bits::<4>(0);
            }
            self.all_bytes.next = self.all_bytes.val() | self.bytes[i].val();
        }
        self.enable.next = self.all_bytes.val();
    }

    /// A later lane's bytes go over an earlier one's, or the new value fills the line.
    fn line_data(&mut self) {
        for k in 0..4 {
            self.merged[k].next = bits::<32>(0);
        }
        if self.atomic.val() {
            self.merged[0].next = self.new_lo.val();
            self.merged[1].next = self.new_lo.val();
            self.merged[2].next = self.new_lo.val();
            self.merged[3].next = self.new_lo.val();
            if self.size.val() == bits::<3>(3) {
                self.merged[1].next = self.new_hi.val();
                self.merged[3].next = self.new_hi.val();
            }
        } else if self.store.val() {
            for i in 0..4 {
                for k in 0..4 {
                    for b in 0..4 {
                        if self.bytes[i].val().get_bit(4 * k + b) {
                            self.merged[k].next = (self.merged[k].val()
                                & !(bits::<32>(0xFF) << (8 * b).to_bits::<5>()))
                                | (self.data[k * 4 + i].val() & (bits::<32>(0xFF) << (8 * b).to_bits::<5>()));
                        }
                    }
                }
            }
        }
        for k in 0..4 {
            self.lead_word[k].next = self.leader_word[k].val();
            self.line[k].next = self.merged[k].val();
        }
    }
}
