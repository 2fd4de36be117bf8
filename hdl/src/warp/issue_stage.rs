//! The register between issue and operands of a warp unit: the instruction of the last cycle. Later
//! stages read the instruction here; its covered lanes and its flip are registers of the unit
//! beside it. An instruction stays for one cycle. It can be wrong in a swapped field, which
//! lockstep finds.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::comment;
use crate::ports::{IssuedIn, IssuedOut};

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct IssueStage {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// The instruction that is issued in this cycle.
    pub issue: IssuedIn,
    /// The instruction that was issued in the previous cycle.
    pub out: IssuedOut,
    valid: DFF<bool>,
    warp: DFF<Bits<4>>,
    seq: DFF<Bits<8>>,
    mask: DFF<Bits<4>>,
    pc: DFF<Bits<16>>,
    lo: DFF<Bits<32>>,
    hi: DFF<Bits<32>>,
    kind: DFF<Bits<21>>,
    _active: bool,
}

impl IssueStage {
    /// The block at rest, before the first edge.
    pub fn new() -> Self {
        Self { _active: true, ..Default::default() }
    }
}

impl Logic for IssueStage {
    #[kernel]
    fn update(&mut self) {
        comment!("module: issue_stage");
        clock!(self, clock, valid, warp, seq, mask, pc, lo, hi, kind);
        self.valid.d.next = self.issue.valid.val();
        self.warp.d.next = self.issue.warp.val();
        self.seq.d.next = self.issue.seq.val();
        self.mask.d.next = self.issue.mask.val();
        self.pc.d.next = self.issue.pc.val();
        self.lo.d.next = self.issue.lo.val();
        self.hi.d.next = self.issue.hi.val();
        self.kind.d.next = self.issue.kind.val();
        self.out.valid.next = self.valid.q.val();
        self.out.warp.next = self.warp.q.val();
        self.out.seq.next = self.seq.q.val();
        self.out.mask.next = self.mask.q.val();
        self.out.pc.next = self.pc.q.val();
        self.out.lo.next = self.lo.q.val();
        self.out.hi.next = self.hi.q.val();
        self.out.kind.next = self.kind.q.val();
    }
}
