//! Shared storage of one warp unit: a load/store/atomic pipeline ([`Lsa`]) on a line RAM of its
//! own. One line is read or written per cycle with one cycle of latency, so a load or store whose
//! lanes share a line takes one cycle. Addresses wrap at the size. The `shw_*` event port shows
//! every line write in the cycle in which the RAM takes it. It can be wrong where a response waits:
//! the RAM then has to keep showing the line.
//!
//! Warp-wide atomics (WW-26) are executed as those of global memory: by the pipeline, or with
//! `warp-wide = scalar` by a [`ScalarUnit`] of the storage's own in front of it. It is not the
//! core's: that one reaches global memory only, and a way from it into the storage of every unit
//! would have to keep the order of the unit's other accesses.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use super::{Lsa, ScalarUnit};
use crate::base::Parameter;
use crate::cell::RamByte;
use crate::comment;
use crate::config::{GpuConfig, WarpWide};
use crate::ports::{BeatOut, RequestIn, SharedWriteOut};

/// Ports `req_*`, `rsp_*` as [`Lsa`]; `shw_*`: byte address of the written line, byte enables,
/// data.
#[derive(Default, QuietBlock)]
pub struct SharedStorage {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Memory instruction: number of the warp unit.
    pub req_unit: Signal<In, Bits<3>>,
    /// Memory instruction: the bundle holds one in this cycle.
    pub req: RequestIn,
    /// Completion of a memory instruction: number of the warp unit.
    pub rsp_unit: Signal<Out, Bits<3>>,
    /// Completion of a memory instruction: the bundle holds one in this cycle.
    /// A beat of its answer.
    pub rsp: BeatOut,
    /// Event: a line of shared storage is written.
    pub shw: SharedWriteOut,
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

#[kernel]
impl SharedStorage {
    /// Requests go to the pipeline, through the scalar execution unit if there is one.
    fn requests(&mut self) {
        comment!("module: shared_storage");
        dff_setup!(self, clock, waiting, held);
        clock!(self, clock, lsa);
        self.lsa.req_unit.next = self.req_unit.val();
        RequestIn::link(&mut self.req, &mut self.lsa.req);
        self.lsa.req_lock.next = false;
        self.rsp_unit.next = self.lsa.rsp_unit.val();
        BeatOut::link(&mut self.rsp, &mut self.lsa.rsp);

        // The scalar execution unit, between requests and pipeline: it takes warp-wide atomics and
        // passes everything else.
        for k in 0..self._scalars {
            clock!(self, clock, scalar[k]);
            self.scalar[k].req_unit.next = self.req_unit.val();
            RequestIn::link(&mut self.req, &mut self.scalar[k].req);
            self.lsa.req.valid.next = self.scalar[k].l_req_valid.val();
            self.lsa.req_lock.next = self.scalar[k].l_req_lock.val();
            self.scalar[k].l_req_ready.next = self.lsa.req.ready.val();
            self.lsa.req_unit.next = self.scalar[k].l_req_unit.val();
            self.lsa.req.warp.next = self.scalar[k].l_req_warp.val();
            self.lsa.req.seq.next = self.scalar[k].l_req_seq.val();
            self.lsa.req.mask.next = self.scalar[k].l_req_mask.val();
            self.lsa.req.dst.next = self.scalar[k].l_req_dst.val();
            self.lsa.req.op.next = self.scalar[k].l_req_op.val();
            self.lsa.req.addr[0].next = self.scalar[k].l_req_addr0.val();
            self.lsa.req.w0_[0].next = self.scalar[k].l_req_w0_0.val();
            self.lsa.req.w1_[0].next = self.scalar[k].l_req_w1_0.val();
            self.scalar[k].l_rsp_unit.next = self.lsa.rsp_unit.val();
            BeatOut::join(&mut self.lsa.rsp, &mut self.scalar[k].l_rsp);
            self.rsp_unit.next = self.scalar[k].rsp_unit.val();
            BeatOut::link(&mut self.rsp, &mut self.scalar[k].rsp);
        }
    }

    /// The line RAM accepts when no response waits, or the one that waits is taken.
    fn line_ram(&mut self) {
        self.accept.next = self.lsa.m_req.valid.val() && (!self.waiting.q.val() || self.lsa.m_rsp.ready.val());
        self.lsa.m_req.ready.next = !self.waiting.q.val() || self.lsa.m_rsp.ready.val();
        self.line.next = self.lsa.m_req.addr.val().get_bits::<12>(4) & self.line_mask.val();
        self.write.next = self.accept.val() && self.lsa.m_req.write.val();
        self.mask.next = bits::<16>(0);
        if self.write.val() {
            self.mask.next = self.lsa.m_req.mask.val();
        }
        if !self.waiting.q.val() || self.lsa.m_rsp.ready.val() {
            self.waiting.d.next = self.accept.val();
        }
        if self.accept.val() {
            self.held.d.next = self.line.val();
        }
        for i in 0..4 {
            clock!(self, clock, storage[i]);
            self.storage[i].read_address.next = self.held.q.val();
            if self.accept.val() {
                self.storage[i].read_address.next = self.line.val();
            }
            self.storage[i].write_address.next = self.line.val();
            self.storage[i].write_mask.next = self.mask.val().get_bits::<4>(4 * i);
        }
        for i in 0..4 {
            self.storage[i].write_data.next = self.lsa.m_req.data[i].val();
        }
        self.lsa.m_rsp.valid.next = self.waiting.q.val();
        for i in 0..4 {
            self.lsa.m_rsp.data[i].next = self.storage[i].read_data.val();
        }

        self.shw.valid.next = self.write.val();
        self.shw.addr.next = bit_cast::<16, 12>(self.line.val()) << 4;
        self.shw.mask.next = self.mask.val();
        for i in 0..4 {
            self.shw.data[i].next = self.lsa.m_req.data[i].val();
        }
    }
}
