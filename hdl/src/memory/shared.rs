//! Shared storage of one warp unit: a load/store/atomic pipeline ([`Lsa`]) on a line RAM of its own. One line is read or written per cycle with
//! one cycle of latency, so a load or store whose lanes share a line takes one cycle. Addresses wrap at the size. The `shw_*` event port shows every
//! line write in the cycle in which the RAM takes it. It can be wrong where a response waits: the RAM then has to keep showing the line.
//!
//! Warp-wide atomics (WW-26) are executed as those of global memory: by the pipeline, or with `warp-wide = scalar` by a [`ScalarUnit`] of the storage's own in front of it.
//! It is not the core's: that one reaches global memory only, and a way from it into the storage of every unit would have to keep the order of the unit's other accesses.

use quadlock_hdl_macros::QuietBlock;
use rust_hdl::prelude::*;

use super::{Lsa, ScalarUnit};
use crate::base::Parameter;
use crate::cell::RamByte;
use crate::comment;
use crate::config::{GpuConfig, WarpWide};

/// Ports `req_*`, `rsp_*` as [`Lsa`]; `shw_*`: byte address of the written line, byte enables, data.
#[derive(Default, QuietBlock)]
pub struct SharedStorage {
    pub clock: Signal<In, Clock>,
    pub req_valid: Signal<In, bool>,
    pub req_ready: Signal<Out, bool>,
    pub req_unit: Signal<In, Bits<3>>,
    pub req_warp: Signal<In, Bits<4>>,
    pub req_seq: Signal<In, Bits<8>>,
    pub req_mask: Signal<In, Bits<4>>,
    pub req_dst: Signal<In, Bits<5>>,
    pub req_op: Signal<In, Bits<8>>,
    pub req_addr0: Signal<In, Bits<32>>,
    pub req_addr1: Signal<In, Bits<32>>,
    pub req_addr2: Signal<In, Bits<32>>,
    pub req_addr3: Signal<In, Bits<32>>,
    pub req_w0_0: Signal<In, Bits<32>>,
    pub req_w0_1: Signal<In, Bits<32>>,
    pub req_w0_2: Signal<In, Bits<32>>,
    pub req_w0_3: Signal<In, Bits<32>>,
    pub req_w1_0: Signal<In, Bits<32>>,
    pub req_w1_1: Signal<In, Bits<32>>,
    pub req_w1_2: Signal<In, Bits<32>>,
    pub req_w1_3: Signal<In, Bits<32>>,
    pub req_w2_0: Signal<In, Bits<32>>,
    pub req_w2_1: Signal<In, Bits<32>>,
    pub req_w2_2: Signal<In, Bits<32>>,
    pub req_w2_3: Signal<In, Bits<32>>,
    pub req_w3_0: Signal<In, Bits<32>>,
    pub req_w3_1: Signal<In, Bits<32>>,
    pub req_w3_2: Signal<In, Bits<32>>,
    pub req_w3_3: Signal<In, Bits<32>>,
    pub rsp_valid: Signal<Out, bool>,
    pub rsp_ready: Signal<In, bool>,
    pub rsp_unit: Signal<Out, Bits<3>>,
    pub rsp_warp: Signal<Out, Bits<4>>,
    pub rsp_seq: Signal<Out, Bits<8>>,
    pub rsp_mask: Signal<Out, Bits<4>>,
    pub rsp_dst: Signal<Out, Bits<5>>,
    pub rsp_wen: Signal<Out, bool>,
    pub rsp_last: Signal<Out, bool>,
    pub rsp_value0: Signal<Out, Bits<32>>,
    pub rsp_value1: Signal<Out, Bits<32>>,
    pub rsp_value2: Signal<Out, Bits<32>>,
    pub rsp_value3: Signal<Out, Bits<32>>,
    pub shw_valid: Signal<Out, bool>,
    pub shw_addr: Signal<Out, Bits<16>>,
    pub shw_mask: Signal<Out, Bits<16>>,
    pub shw_data0: Signal<Out, Bits<32>>,
    pub shw_data1: Signal<Out, Bits<32>>,
    pub shw_data2: Signal<Out, Bits<32>>,
    pub shw_data3: Signal<Out, Bits<32>>,
    lsa: Lsa,
    /// One if warp-wide atomics are executed by a scalar unit (WW-32), else none.
    scalar: Vec<ScalarUnit>,
    storage: Vec<RamByte>,
    /// A response is on the RAM's outputs.
    waiting: DFF<bool>,
    /// The line read last, to show it again while the response waits.
    held: DFF<Bits<12>>,
    line: Signal<Local, Bits<12>>,
    accept: Signal<Local, bool>,
    write: Signal<Local, bool>,
    mask: Signal<Local, Bits<16>>,
    line_mask: Parameter<12>,
    _scalars: usize,
    _active: bool,
}

impl SharedStorage {
    /// Storage of `config.shared_words` words.
    pub fn new(config: &GpuConfig) -> Self {
        let lines = config.shared_words / 4;
        let scalars = usize::from(config.warp_wide == WarpWide::Scalar);
        Self {
            lsa: Lsa::new(config),
            scalar: (0..scalars).map(|_| ScalarUnit::new(config)).collect(),
            _scalars: scalars,
            storage: (0..4).map(|_| RamByte::new(lines)).collect(),
            line_mask: Parameter::new(lines as u64 - 1),
            _active: true,
            ..Default::default()
        }
    }
}

impl Logic for SharedStorage {
    #[hdl_gen]
    fn update(&mut self) {
        comment!("module: shared_storage");
        dff_setup!(self, clock, waiting, held);
        self.lsa.clock.next = self.clock.val();
        self.lsa.req_valid.next = self.req_valid.val();
        self.req_ready.next = self.lsa.req_ready.val();
        self.lsa.req_unit.next = self.req_unit.val();
        self.lsa.req_warp.next = self.req_warp.val();
        self.lsa.req_seq.next = self.req_seq.val();
        self.lsa.req_mask.next = self.req_mask.val();
        self.lsa.req_dst.next = self.req_dst.val();
        self.lsa.req_op.next = self.req_op.val();
        self.lsa.req_lock.next = false;
        self.lsa.req_addr0.next = self.req_addr0.val();
        self.lsa.req_addr1.next = self.req_addr1.val();
        self.lsa.req_addr2.next = self.req_addr2.val();
        self.lsa.req_addr3.next = self.req_addr3.val();
        self.lsa.req_w0_0.next = self.req_w0_0.val();
        self.lsa.req_w0_1.next = self.req_w0_1.val();
        self.lsa.req_w0_2.next = self.req_w0_2.val();
        self.lsa.req_w0_3.next = self.req_w0_3.val();
        self.lsa.req_w1_0.next = self.req_w1_0.val();
        self.lsa.req_w1_1.next = self.req_w1_1.val();
        self.lsa.req_w1_2.next = self.req_w1_2.val();
        self.lsa.req_w1_3.next = self.req_w1_3.val();
        self.lsa.req_w2_0.next = self.req_w2_0.val();
        self.lsa.req_w2_1.next = self.req_w2_1.val();
        self.lsa.req_w2_2.next = self.req_w2_2.val();
        self.lsa.req_w2_3.next = self.req_w2_3.val();
        self.lsa.req_w3_0.next = self.req_w3_0.val();
        self.lsa.req_w3_1.next = self.req_w3_1.val();
        self.lsa.req_w3_2.next = self.req_w3_2.val();
        self.lsa.req_w3_3.next = self.req_w3_3.val();
        self.rsp_valid.next = self.lsa.rsp_valid.val();
        self.lsa.rsp_ready.next = self.rsp_ready.val();
        self.rsp_unit.next = self.lsa.rsp_unit.val();
        self.rsp_warp.next = self.lsa.rsp_warp.val();
        self.rsp_seq.next = self.lsa.rsp_seq.val();
        self.rsp_mask.next = self.lsa.rsp_mask.val();
        self.rsp_dst.next = self.lsa.rsp_dst.val();
        self.rsp_wen.next = self.lsa.rsp_wen.val();
        self.rsp_last.next = self.lsa.rsp_last.val();
        self.rsp_value0.next = self.lsa.rsp_value0.val();
        self.rsp_value1.next = self.lsa.rsp_value1.val();
        self.rsp_value2.next = self.lsa.rsp_value2.val();
        self.rsp_value3.next = self.lsa.rsp_value3.val();

        // The scalar execution unit, between requests and pipeline: it takes warp-wide atomics and passes everything else.
        for k in 0..self._scalars {
            self.scalar[k].clock.next = self.clock.val();
            self.scalar[k].req_valid.next = self.req_valid.val();
            self.req_ready.next = self.scalar[k].req_ready.val();
            self.scalar[k].req_unit.next = self.req_unit.val();
            self.scalar[k].req_warp.next = self.req_warp.val();
            self.scalar[k].req_seq.next = self.req_seq.val();
            self.scalar[k].req_mask.next = self.req_mask.val();
            self.scalar[k].req_dst.next = self.req_dst.val();
            self.scalar[k].req_op.next = self.req_op.val();
            self.scalar[k].req_addr0.next = self.req_addr0.val();
            self.scalar[k].req_addr1.next = self.req_addr1.val();
            self.scalar[k].req_addr2.next = self.req_addr2.val();
            self.scalar[k].req_addr3.next = self.req_addr3.val();
            self.scalar[k].req_w0_0.next = self.req_w0_0.val();
            self.scalar[k].req_w0_1.next = self.req_w0_1.val();
            self.scalar[k].req_w0_2.next = self.req_w0_2.val();
            self.scalar[k].req_w0_3.next = self.req_w0_3.val();
            self.scalar[k].req_w1_0.next = self.req_w1_0.val();
            self.scalar[k].req_w1_1.next = self.req_w1_1.val();
            self.scalar[k].req_w1_2.next = self.req_w1_2.val();
            self.scalar[k].req_w1_3.next = self.req_w1_3.val();
            self.scalar[k].req_w2_0.next = self.req_w2_0.val();
            self.scalar[k].req_w2_1.next = self.req_w2_1.val();
            self.scalar[k].req_w2_2.next = self.req_w2_2.val();
            self.scalar[k].req_w2_3.next = self.req_w2_3.val();
            self.scalar[k].req_w3_0.next = self.req_w3_0.val();
            self.scalar[k].req_w3_1.next = self.req_w3_1.val();
            self.scalar[k].req_w3_2.next = self.req_w3_2.val();
            self.scalar[k].req_w3_3.next = self.req_w3_3.val();
            self.lsa.req_valid.next = self.scalar[k].l_req_valid.val();
            self.lsa.req_lock.next = self.scalar[k].l_req_lock.val();
            self.scalar[k].l_req_ready.next = self.lsa.req_ready.val();
            self.lsa.req_unit.next = self.scalar[k].l_req_unit.val();
            self.lsa.req_warp.next = self.scalar[k].l_req_warp.val();
            self.lsa.req_seq.next = self.scalar[k].l_req_seq.val();
            self.lsa.req_mask.next = self.scalar[k].l_req_mask.val();
            self.lsa.req_dst.next = self.scalar[k].l_req_dst.val();
            self.lsa.req_op.next = self.scalar[k].l_req_op.val();
            self.lsa.req_addr0.next = self.scalar[k].l_req_addr0.val();
            self.lsa.req_w0_0.next = self.scalar[k].l_req_w0_0.val();
            self.lsa.req_w1_0.next = self.scalar[k].l_req_w1_0.val();
            self.scalar[k].l_rsp_valid.next = self.lsa.rsp_valid.val();
            self.lsa.rsp_ready.next = self.scalar[k].l_rsp_ready.val();
            self.scalar[k].l_rsp_unit.next = self.lsa.rsp_unit.val();
            self.scalar[k].l_rsp_warp.next = self.lsa.rsp_warp.val();
            self.scalar[k].l_rsp_seq.next = self.lsa.rsp_seq.val();
            self.scalar[k].l_rsp_mask.next = self.lsa.rsp_mask.val();
            self.scalar[k].l_rsp_dst.next = self.lsa.rsp_dst.val();
            self.scalar[k].l_rsp_wen.next = self.lsa.rsp_wen.val();
            self.scalar[k].l_rsp_last.next = self.lsa.rsp_last.val();
            self.scalar[k].l_rsp_value0.next = self.lsa.rsp_value0.val();
            self.scalar[k].l_rsp_value1.next = self.lsa.rsp_value1.val();
            self.scalar[k].l_rsp_value2.next = self.lsa.rsp_value2.val();
            self.scalar[k].l_rsp_value3.next = self.lsa.rsp_value3.val();
            self.rsp_valid.next = self.scalar[k].rsp_valid.val();
            self.scalar[k].rsp_ready.next = self.rsp_ready.val();
            self.rsp_unit.next = self.scalar[k].rsp_unit.val();
            self.rsp_warp.next = self.scalar[k].rsp_warp.val();
            self.rsp_seq.next = self.scalar[k].rsp_seq.val();
            self.rsp_mask.next = self.scalar[k].rsp_mask.val();
            self.rsp_dst.next = self.scalar[k].rsp_dst.val();
            self.rsp_wen.next = self.scalar[k].rsp_wen.val();
            self.rsp_last.next = self.scalar[k].rsp_last.val();
            self.rsp_value0.next = self.scalar[k].rsp_value0.val();
            self.rsp_value1.next = self.scalar[k].rsp_value1.val();
            self.rsp_value2.next = self.scalar[k].rsp_value2.val();
            self.rsp_value3.next = self.scalar[k].rsp_value3.val();
        }

        // The line RAM: accept when no response waits, or the one that waits is taken.
        self.accept.next = self.lsa.m_req_valid.val() && (!self.waiting.q.val() || self.lsa.m_rsp_ready.val());
        self.lsa.m_req_ready.next = !self.waiting.q.val() || self.lsa.m_rsp_ready.val();
        self.line.next = self.lsa.m_req_addr.val().get_bits::<12>(4) & self.line_mask.val();
        self.write.next = self.accept.val() && self.lsa.m_req_write.val();
        self.mask.next = bits::<16>(0);
        if self.write.val() {
            self.mask.next = self.lsa.m_req_mask.val();
        }
        if !self.waiting.q.val() || self.lsa.m_rsp_ready.val() {
            self.waiting.d.next = self.accept.val();
        }
        if self.accept.val() {
            self.held.d.next = self.line.val();
        }
        for i in 0..4 {
            self.storage[i].clock.next = self.clock.val();
            self.storage[i].read_address.next = self.held.q.val();
            if self.accept.val() {
                self.storage[i].read_address.next = self.line.val();
            }
            self.storage[i].write_address.next = self.line.val();
            self.storage[i].write_mask.next = self.mask.val().get_bits::<4>(4 * i);
        }
        self.storage[0].write_data.next = self.lsa.m_req_data0.val();
        self.storage[1].write_data.next = self.lsa.m_req_data1.val();
        self.storage[2].write_data.next = self.lsa.m_req_data2.val();
        self.storage[3].write_data.next = self.lsa.m_req_data3.val();
        self.lsa.m_rsp_valid.next = self.waiting.q.val();
        self.lsa.m_rsp_data0.next = self.storage[0].read_data.val();
        self.lsa.m_rsp_data1.next = self.storage[1].read_data.val();
        self.lsa.m_rsp_data2.next = self.storage[2].read_data.val();
        self.lsa.m_rsp_data3.next = self.storage[3].read_data.val();

        self.shw_valid.next = self.write.val();
        self.shw_addr.next = bit_cast::<16, 12>(self.line.val()) << 4;
        self.shw_mask.next = self.mask.val();
        self.shw_data0.next = self.lsa.m_req_data0.val();
        self.shw_data1.next = self.lsa.m_req_data1.val();
        self.shw_data2.next = self.lsa.m_req_data2.val();
        self.shw_data3.next = self.lsa.m_req_data3.val();
    }
}
