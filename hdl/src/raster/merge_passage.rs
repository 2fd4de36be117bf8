//! Merge passage: quads on their way from the collector to the graphics dispatcher, in a machine
//! that does not merge. No quad waits for a partner, and [`Pairing`](crate::ports::Pairing) is 0
//! throughout.
//!
//! Its ports are those of the [queue](super::merge_queue) that searches (MS-2). `drain` stands when
//! a draw or the visit of a tile has ended: what waits for a partner goes out unmerged (MS-7).
//! `limit` bounds the time of waiting. `state` says which contexts have a merge point. To a passage
//! only a `limit` of 0 says something. A pair is named by the ticket of its first member, so
//! numbers need no account: the result store gives a ticket again only when its quad has committed.
//! An `end` passes in its place, behind the quads that came before it.
//!
//! A quad passes in its cycle if it is taken, and else waits in the one place here. So the latency
//! is 0, the throughput a quad per cycle, and `in_quad_ready` comes from a register. With a `limit`
//! of 0 none waits: the machine is, cycle for cycle, the one without the queue.
//!
//! It can be wrong in a quad that comes while another one waits: it must neither go first nor take
//! its place. Planted faults: `merge-overtake`, `merge-lost`.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::base::{vector, Planted};
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::ports::{PairingOut, ShadeDataIn, ShadeIn, ShadeOut, StateWriteIn};

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct MergePassage {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Words of state: 2 of contexts, where programs merge.
    pub state: StateWriteIn,
    /// A draw or the visit of a tile has ended: nothing waits for a partner while it stands.
    pub drain: Signal<In, bool>,
    /// Cycles in which the output is ready that a quad waits at most; 0: none waits.
    pub limit: Signal<In, Bits<16>>,
    /// A quad or the end of a triangle is offered. Held until `in_quad_ready`.
    pub in_quad: ShadeIn,
    /// A quad, or the end of a triangle, is to be shaded.
    pub shade: ShadeOut,
    /// With whom it is shaded.
    pub pairing: PairingOut,
    /// Nothing is here.
    pub idle: Signal<Out, bool>,
    // The place.
    kept: DFF<bool>,
    ends: DFF<bool>,
    context: DFF<Bits<4>>,
    handle: DFF<Bits<12>>,
    order: DFF<Bits<16>>,
    back: DFF<bool>,
    buffer: DFF<Bits<3>>,
    x: DFF<Bits<11>>,
    y: DFF<Bits<11>>,
    ticket: DFF<Bits<6>>,
    single: DFF<bool>,
    sample: DFF<Bits<2>>,
    splits: DFF<bool>,
    coverage: DFF<Bits<16>>,
    depth: Vec<DFF<Bits<24>>>,
    fault_merge_lost: Planted,
    fault_merge_overtake: Planted,
    _active: bool,
}

impl MergePassage {
    /// Empty, with the planted faults of that configuration.
    pub fn new(config: &GpuConfig) -> Self {
        Self {
            depth: vector(4),
            fault_merge_lost: Planted::new(config.has(Fault::MergeLost)),
            fault_merge_overtake: Planted::new(config.has(Fault::MergeOvertake)),
            _active: true,
            ..Default::default()
        }
    }
}

impl Logic for MergePassage {
    #[kernel]
    fn update(&mut self) {
        comment!("module: merge_passage");
        dff_setup!(self, clock, kept, ends, context, handle, order, back, buffer, x, y, ticket, single, sample);
        dff_setup!(self, clock, coverage, splits);
        ShadeDataIn::join(&mut self.in_quad, &mut self.shade);
        self.in_quad.ready.next =
            (!self.kept.q.val() && (self.limit.val().any() || self.shade.ready.val())) || self.fault_merge_lost.val();
        self.shade.valid.next = self.kept.q.val() || self.in_quad.valid.val();
        self.kept.d.next =
            !self.shade.ready.val() && (self.kept.q.val() || (self.limit.val().any() && self.in_quad.valid.val()));
        self.idle.next = !self.kept.q.val();
        if !self.kept.q.val() || self.fault_merge_lost.val() {
            self.ends.d.next = self.in_quad.end.val();
            self.context.d.next = self.in_quad.context.val();
            self.handle.d.next = self.in_quad.handle.val();
            self.order.d.next = self.in_quad.order.val();
            self.back.d.next = self.in_quad.back.val();
            self.buffer.d.next = self.in_quad.buffer.val();
            self.x.d.next = self.in_quad.x.val();
            self.y.d.next = self.in_quad.y.val();
            self.ticket.d.next = self.in_quad.ticket.val();
            self.single.d.next = self.in_quad.single.val();
            self.sample.d.next = self.in_quad.sample.val();
            self.splits.d.next = self.in_quad.splits.val();
            self.coverage.d.next = self.in_quad.coverage.val();
        }
        for k in 0..4 {
            dff_setup!(self, clock, depth[k]);
            if !self.kept.q.val() || self.fault_merge_lost.val() {
                self.depth[k].d.next = self.in_quad.depth[k].val();
            }
        }
        if self.kept.q.val() && (!self.fault_merge_overtake.val() || !self.in_quad.valid.val()) {
            self.shade.end.next = self.ends.q.val();
            self.shade.context.next = self.context.q.val();
            self.shade.handle.next = self.handle.q.val();
            self.shade.order.next = self.order.q.val();
            self.shade.back.next = self.back.q.val();
            self.shade.buffer.next = self.buffer.q.val();
            self.shade.x.next = self.x.q.val();
            self.shade.y.next = self.y.q.val();
            self.shade.ticket.next = self.ticket.q.val();
            self.shade.single.next = self.single.q.val();
            self.shade.sample.next = self.sample.q.val();
            self.shade.splits.next = self.splits.q.val();
            self.shade.coverage.next = self.coverage.q.val();
            for k in 0..4 {
                self.shade.depth[k].next = self.depth[k].q.val();
            }
        }
        // A passage merges nothing.
        self.pairing.mergeable.next = false;
        self.pairing.pair.next = bits::<6>(0);
        self.pairing.member.next = bits::<2>(0);
        self.pairing.others.next = bits::<2>(0);
        self.pairing.flip.next = bits::<2>(0);
    }
}
