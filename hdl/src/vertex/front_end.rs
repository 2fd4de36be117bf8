//! Vertex front end: reads the indices of a draw, asks its reuse cache for each, and makes batches
//! of vertices for vertex warps and corners for assembly (docs/graphics-blocks.md, "Vertices and
//! triangles").
//!
//! ```text
//! lines of indices -> raw index -> + base vertex -> 16 places -> hit or miss -> corners, drops
//! ```
//!
//! The cache has 16 places, found by index in one cycle; they are taken in a ring. A miss takes an
//! entry of the attribute store and a lane of the batch. Corners wait in a queue of 16, so that a
//! batch becomes full while assembly waits for a vertex of the batch before. What a miss replaces
//! is dropped through the same queue: behind every corner that names it, which holds it then.
//!
//! A batch goes when it has four vertices, when the instance ends, or when a vertex has waited 16
//! cycles in the last stage: assembly may wait for a vertex of the batch that is not full. At the
//! end of an instance the cache drops its vertices, one per cycle, and begins anew.
//!
//! One hit per cycle; a miss takes two. An instance takes five cycles more, and one for each
//! vertex in the cache. Up to 16 lines of indices are asked for ahead, over the instances' borders.
//! A draw comes in while corners of those before are still in the queue.
//!
//! Behind a cull pipeline ([`FrontRole`]) each triangle has a bit of the visibility record. If it
//! is 0 a mark goes in its place, so that assembly counts the triangle. Of a list its three indices
//! are read and go no further. A draw that passed the cull pipeline by looks for no bits.
//!
//! Of a strip the first two indices only wait. With each one that follows comes a triangle's bit:
//! 0 sends a mark, 1 sends the index. If the triangle before was left out, or there is none, the
//! two indices before go first. So an index that only such triangles name is never looked up. Marks
//! clear what assembly holds; the first item of an instance says so, corner or mark.
//!
//! Every `valid` and `ready` that leaves the block is made of registers, but two: the request's
//! `valid` is held while there is no place for the answer, and `entry_take` follows `entry_valid`.
//! It can be wrong in a vertex that is dropped before its last corner is taken, in a batch that
//! waits for ever, and in the place of an index in its line; `tests/vertex_front_end.rs` counts
//! references and compares every corner.
//!
//! In an indexed strip that restarts, the index of all ones ends the strip and goes no further. The
//! next index is the first one of a strip, as that of an instance is.
//!
//! Planted faults: `front-*`, eleven; `strip-chain`, `strip-restart`.

mod behind;

use quadlock_hdl_macros::{parts, QuietBlock, StateWord};
use rust_hdl::prelude::*;

use super::role::FrontRole;
use crate::base::{vector, Planted};
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::kernel_of;
use crate::memory::{LutRam, ResponseQueue};
use crate::ports::{CornerOut, DrawIn, DroppedEntryOut, FreeEntryIn, LineFetchOut, LineIn, VertexBatchOut};

/// Places of the reuse cache.
pub const PLACES: usize = 16;

/// What the front end is at.
#[derive(Copy, Clone, Debug, PartialEq, LogicState, StateWord)]
pub enum FrontStep {
    /// No draw.
    Idle,
    /// Where the indices begin and end.
    Place,
    /// An instance begins.
    Begin,
    /// Indices come.
    Run,
    /// The cache drops its vertices.
    Empty,
    /// The next instance, or none.
    Next,
    /// The draw's `end` goes into the queue.
    End,
}

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct VertexFrontEnd {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// There is a draw.
    pub draw: DrawIn,
    /// A read of a line of memory.
    pub m_req: LineFetchOut,
    /// The answer to the oldest request comes; it is always taken.
    pub m_rsp: LineIn,
    /// An entry of the vertex store for a vertex to be shaded.
    pub entry_ports: FreeEntryIn,
    /// An entry to which the front end gives up its reference.
    pub drop: DroppedEntryOut,
    /// It is taken in this cycle if valid.
    pub drop_ready: Signal<In, bool>,
    /// There is a batch.
    /// Vertices for a warp.
    pub batch: VertexBatchOut,
    /// There is a corner, or a draw's end.
    pub corner: CornerOut,
    // Behind a cull pipeline: one each, or none.
    /// Contexts whose draws are strips.
    pub strips: Vec<Signal<In, Bits<16>>>,
    /// The draw has no bits.
    pub draw_bypass: Vec<Signal<In, bool>>,
    /// The bit of the next triangle is there.
    pub cull_bit_valid: Vec<Signal<In, bool>>,
    /// The triangle may be visible.
    pub cull_bit_visible: Vec<Signal<In, bool>>,
    /// It is taken; never without `cull_bit_valid`.
    pub cull_bit_take: Vec<Signal<Out, bool>>,
    /// The front end waits for a visibility bit and holds nothing but the draw.
    pub cull_bit_waits: Vec<Signal<Out, bool>>,
    /// The corner is none: a triangle is left out. Its entry is 1 if an instance begins.
    pub corner_skip: Vec<Signal<Out, bool>>,
    /// Bit # is set while a draw or batch of context # is held.
    pub contexts: Signal<Out, Bits<16>>,
    /// Nothing is here.
    pub idle: Signal<Out, bool>,

    step: DFF<FrontStep>,
    // The draw.
    context_now: DFF<Bits<4>>,
    indexed: DFF<bool>,
    wide: DFF<bool>,
    restart: DFF<bool>,
    /// The index that is next ends a strip; behind a cull pipeline: it is known whether it does.
    separates: Signal<Local, bool>,
    knows: Vec<Signal<Local, bool>>,
    indices: DFF<Bits<32>>,
    first: DFF<Bits<32>>,
    base: DFF<Bits<32>>,
    address: DFF<Bits<32>>,
    instance_now: DFF<Bits<32>>,
    instances: DFF<Bits<32>>,
    /// Byte address of the first index; last line of indices.
    begin_at: DFF<Bits<32>>,
    last_line: DFF<Bits<28>>,
    // Lines that are asked for.
    queue: ResponseQueue,
    fetching: DFF<bool>,
    fetch_line: DFF<Bits<28>>,
    fetch_instances: DFF<Bits<32>>,
    // The index that is next: byte in its line, number, how many are left.
    at: DFF<Bits<4>>,
    number: DFF<Bits<32>>,
    left: DFF<Bits<32>>,
    opens: DFF<bool>,
    // Behind a cull pipeline: the draw has bits; it is a strip, too; corner of its triangle, of a
    // strip two from the third on; the triangle is left out.
    seeks: Vec<DFF<bool>>,
    winds: Vec<DFF<bool>>,
    third: Vec<DFF<Bits<2>>>,
    omits: Vec<DFF<bool>>,
    // Of a strip: the two indices before; how many of them went again; the triangle before goes;
    // nothing of the instance has gone.
    before: Vec<DFF<Bits<32>>>,
    two_before: Vec<DFF<Bits<32>>>,
    again: Vec<DFF<Bits<2>>>,
    chained: Vec<DFF<bool>>,
    untouched: Vec<DFF<bool>>,
    raw_skip: Vec<DFF<bool>>,
    sum_skip: Vec<DFF<bool>>,
    found_skip: Vec<DFF<bool>>,
    /// A triangle begins; its bit is missing; it is left out; this index goes no further.
    is_first: Vec<Signal<Local, bool>>,
    lacks: Vec<Signal<Local, bool>>,
    begins_omitted: Vec<Signal<Local, bool>>,
    sinks: Vec<Signal<Local, bool>>,
    /// Of a strip: an index before goes first.
    repeats: Vec<Signal<Local, bool>>,
    its_strips: Vec<Signal<Local, Bits<16>>>,
    // Stages: raw; with base vertex; looked up.
    raw_valid: DFF<bool>,
    raw: DFF<Bits<32>>,
    raw_opens: DFF<bool>,
    sum_valid: DFF<bool>,
    sum: DFF<Bits<32>>,
    sum_opens: DFF<bool>,
    found_valid: DFF<bool>,
    found: DFF<Bits<32>>,
    found_opens: DFF<bool>,
    found_hit: DFF<bool>,
    found_entry: DFF<Bits<12>>,
    /// Cycles that it has waited.
    waited: DFF<Bits<4>>,
    // The cache. Places below `used` are taken, `next` is the oldest if all are.
    place_index: Vec<DFF<Bits<32>>>,
    place_entry: Vec<DFF<Bits<12>>>,
    place_valid: Vec<DFF<bool>>,
    used: DFF<Bits<5>>,
    next: DFF<Bits<4>>,
    // The batch.
    batch_count: DFF<Bits<3>>,
    batch_closed: DFF<bool>,
    context_of_batch: DFF<Bits<4>>,
    batch_instance: DFF<Bits<32>>,
    batch_index: Vec<DFF<Bits<32>>>,
    batch_entry: Vec<DFF<Bits<12>>>,
    // Corners and drops on their way.
    items: LutRam,
    head: DFF<Bits<5>>,
    tail: DFF<Bits<5>>,
    corner_sent: DFF<bool>,
    drop_sent: DFF<bool>,
    /// Draws of each context that are here.
    draws: Vec<DFF<Bits<5>>>,
    contexts_r: DFF<Bits<16>>,

    size: Signal<Local, Bits<5>>,
    skip: Signal<Local, Bits<32>>,
    length: Signal<Local, Bits<32>>,
    start: Signal<Local, Bits<32>>,
    stop: Signal<Local, Bits<32>>,
    fetch_taken: Signal<Local, bool>,
    line_word: Signal<Local, Bits<32>>,
    line_index: Signal<Local, Bits<32>>,
    after: Signal<Local, Bits<5>>,
    last: Signal<Local, bool>,
    ends_line: Signal<Local, bool>,
    has_index: Signal<Local, bool>,
    moves_found: Signal<Local, bool>,
    moves_sum: Signal<Local, bool>,
    moves_raw: Signal<Local, bool>,
    reads: Signal<Local, bool>,
    hit: Signal<Local, bool>,
    hit_entry: Signal<Local, Bits<12>>,
    old_entry: Signal<Local, Bits<12>>,
    /// The place that is emptied, and its entry.
    top: Signal<Local, Bits<5>>,
    top_entry: Signal<Local, Bits<12>>,
    full: Signal<Local, bool>,
    takes_hit: Signal<Local, bool>,
    takes_miss: Signal<Local, bool>,
    /// A mark of a triangle that is left out goes.
    takes_skip: Signal<Local, bool>,
    is_skip: Signal<Local, bool>,
    empties: Signal<Local, bool>,
    ends: Signal<Local, bool>,
    batch_taken: Signal<Local, bool>,
    flush: Signal<Local, bool>,
    push: Signal<Local, bool>,
    has_corner: Signal<Local, bool>,
    has_drop: Signal<Local, bool>,
    new_entry: Signal<Local, Bits<12>>,
    freed_entry: Signal<Local, Bits<12>>,
    fields: Signal<Local, Bits<32>>,
    flags: Signal<Local, Bits<4>>,
    oldest: Signal<Local, Bits<32>>,
    some: Signal<Local, bool>,
    corner_out: Signal<Local, bool>,
    drop_out: Signal<Local, bool>,
    corner_done: Signal<Local, bool>,
    drop_done: Signal<Local, bool>,
    pop: Signal<Local, bool>,
    begins: Signal<Local, bool>,
    leaves: Signal<Local, bool>,
    old_context: Signal<Local, Bits<4>>,
    contexts_now: Signal<Local, Bits<16>>,
    all_freed: Signal<Local, bool>,
    fault_front_base: Planted,
    fault_front_wide: Planted,
    fault_front_restart: Planted,
    fault_front_separate: Planted,
    fault_front_stale: Planted,
    fault_front_drop: Planted,
    fault_front_stall: Planted,
    fault_front_line: Planted,
    fault_front_instance: Planted,
    fault_front_context: Planted,
    fault_front_bit: Vec<Planted>,
    fault_strip_chain: Vec<Planted>,
    fault_strip_restart: Vec<Planted>,
    /// 1: behind a cull pipeline.
    _behind: usize,
    _contexts: usize,
    _active: bool,
}

impl VertexFrontEnd {
    /// The block with that configuration's planted fault.
    pub fn new(config: &GpuConfig, role: FrontRole) -> Self {
        let planted = |fault| Planted::new(config.has(fault));
        let behind = usize::from(role == FrontRole::Behind);
        Self {
            strips: vector(behind),
            draw_bypass: vector(behind),
            cull_bit_valid: vector(behind),
            cull_bit_visible: vector(behind),
            cull_bit_take: vector(behind),
            cull_bit_waits: vector(behind),
            corner_skip: vector(behind),
            seeks: vector(behind),
            winds: vector(behind),
            before: vector(behind),
            two_before: vector(behind),
            again: vector(behind),
            chained: vector(behind),
            untouched: vector(behind),
            repeats: vector(behind),
            its_strips: vector(behind),
            third: vector(behind),
            omits: vector(behind),
            raw_skip: vector(behind),
            sum_skip: vector(behind),
            found_skip: vector(behind),
            is_first: vector(behind),
            knows: vector(behind),
            lacks: vector(behind),
            begins_omitted: vector(behind),
            sinks: vector(behind),
            fault_front_bit: (0..behind).map(|_| planted(Fault::FrontBit)).collect(),
            fault_strip_chain: (0..behind).map(|_| planted(Fault::StripChain)).collect(),
            fault_strip_restart: (0..behind).map(|_| planted(Fault::StripRestart)).collect(),
            _behind: behind,
            queue: ResponseQueue::new(),
            place_index: vector(PLACES),
            place_entry: vector(PLACES),
            place_valid: vector(PLACES),
            batch_index: vector(4),
            batch_entry: vector(4),
            draws: vector(config.contexts),
            _contexts: config.contexts,
            fault_front_base: planted(Fault::FrontBase),
            fault_front_wide: planted(Fault::FrontWide),
            fault_front_restart: planted(Fault::FrontRestart),
            fault_front_separate: planted(Fault::FrontSeparate),
            fault_front_stale: planted(Fault::FrontStale),
            fault_front_drop: planted(Fault::FrontDrop),
            fault_front_stall: planted(Fault::FrontStall),
            fault_front_line: planted(Fault::FrontLine),
            fault_front_instance: planted(Fault::FrontInstance),
            fault_front_context: planted(Fault::FrontContext),
            _active: true,
            ..Default::default()
        }
    }
}

kernel_of! { VertexFrontEnd:
    /// Lines of indices are asked for, instance after instance.
    IndexLines,
    /// The index that is next comes out of its line.
    Indices,
    /// Behind a cull pipeline an index waits for its triangle's bit.
    TriangleBits,
    /// Stages move if the last one is free; that looks up again behind a miss.
    Moves,
    /// A culled triangle's first index becomes a marker, and the others are dropped.
    CulledTriangles,
    /// A strip repeats the two indices before a triangle that follows a culled one.
    StripRepair,
    /// A draw begins without marks, and marks go along with their indices.
    DrawBegin,
    /// The cache, batches, the queue, steps.
    Vertices,
}

#[parts]
impl VertexFrontEnd {
    fn index_lines(&mut self) {
        comment!("module: vertex_front_end");
        dff_setup!(self, clock, step, context_now, indexed, wide, indices, first, base, address);
        dff_setup!(self, clock, instance_now, instances, restart);
        dff_setup!(self, clock, begin_at, last_line, fetching, fetch_line, fetch_instances, at, number, left, opens);
        dff_setup!(self, clock, raw_valid, raw, raw_opens, sum_valid, sum, sum_opens, found_valid, found);
        dff_setup!(self, clock, found_opens, found_hit, found_entry, waited, used, next, batch_count, batch_closed);
        dff_setup!(self, clock, context_of_batch, batch_instance, head, tail, corner_sent, drop_sent, contexts_r);
        clock!(self, clock, queue, items);
        // Lines of indices are asked for, instance after instance.
        self.size.next = bits::<5>(2);
        self.skip.next = self.first.q.val() << bits::<32>(1);
        self.length.next = self.indices.q.val() << bits::<32>(1);
        if self.wide.q.val() {
            self.size.next = bits::<5>(4);
            self.skip.next = self.first.q.val() << bits::<32>(2);
            self.length.next = self.indices.q.val() << bits::<32>(2);
        }
        self.start.next = self.address.q.val() + self.skip.val();
        self.stop.next = self.begin_at.q.val() + self.length.val() - bits::<32>(1);
        self.queue.req_valid.next = self.fetching.q.val();
        self.queue.m_req_ready.next = self.m_req.ready.val();
        self.m_req.valid.next = self.queue.m_req_valid.val();
        self.m_req.addr.next = bit_cast::<32, 28>(self.fetch_line.q.val()) << bits::<32>(4);
        LineIn::link(&mut self.m_rsp, &mut self.queue.m_rsp);
        self.fetch_taken.next = self.fetching.q.val() && self.queue.req_ready.val();
        if self.fetch_taken.val() {
            self.fetch_line.d.next = self.fetch_line.q.val() + bits::<28>(1);
            if self.fetch_line.q.val() == self.last_line.q.val() {
                self.fetch_line.d.next = self.begin_at.q.val().get_bits::<28>(4);
                self.fetch_instances.d.next = self.fetch_instances.q.val() - bits::<32>(1);
                if self.fetch_instances.q.val() == bits::<32>(1) {
                    self.fetching.d.next = false;
                }
            }
        }
    }

    fn indices(&mut self) {
        // The index that is next.
        self.line_word.next = self.queue.rsp.data[0].val();
        if self.at.q.val().get_bits::<2>(2) == bits::<2>(1) {
            self.line_word.next = self.queue.rsp.data[1].val();
        }
        if self.at.q.val().get_bits::<2>(2) == bits::<2>(2) {
            self.line_word.next = self.queue.rsp.data[2].val();
        }
        if self.at.q.val().get_bits::<2>(2) == bits::<2>(3) {
            self.line_word.next = self.queue.rsp.data[3].val();
        }
        self.line_index.next = self.line_word.val();
        if !self.wide.q.val() {
            self.line_index.next = bit_cast::<32, 16>(self.line_word.val().get_bits::<16>(0));
            if self.at.q.val().get_bit(1) {
                self.line_index.next = bit_cast::<32, 16>(self.line_word.val().get_bits::<16>(16));
            }
        }
        if self.fault_front_wide.val() {
            self.line_index.next = bit_cast::<32, 16>(self.line_word.val().get_bits::<16>(0));
        }
        if !self.indexed.q.val() {
            self.line_index.next = self.number.q.val();
        }
        self.separates.next = false;
        if self.restart.q.val() && self.indexed.q.val() && !self.fault_front_separate.val() {
            self.separates.next = self.line_index.val().get_bits::<16>(0).all()
                && (!self.wide.q.val() || self.line_index.val().get_bits::<16>(16).all());
        }
        self.after.next = bit_cast::<5, 4>(self.at.q.val()) + self.size.val();
        self.last.next = self.left.q.val() == bits::<32>(1);
        self.ends_line.next = self.after.val().get_bit(4) || (self.last.val() && !self.fault_front_line.val());
        self.has_index.next = (self.step.q.val() == FrontStep::Run)
            && self.left.q.val().any()
            && (!self.indexed.q.val() || self.queue.rsp.valid.val());
    }

    fn triangle_bits(&mut self) {
        for k in 0..self._behind {
            self.knows[k].next = !self.restart.q.val() || self.queue.rsp.valid.val();
            // A triangle needs three indices; what is left over at the end has no bit.
            self.is_first[k].next =
                self.seeks[k].q.val() && !self.third[k].q.val().any() && (self.left.q.val() > bits::<32>(2));
            if self.winds[k].q.val() {
                self.is_first[k].next = self.third[k].q.val().get_bit(1)
                    && self.left.q.val().any()
                    && self.knows[k].val()
                    && !self.separates.val();
            }
            self.lacks[k].next = self.is_first[k].val() && !self.cull_bit_valid[k].val();
            self.repeats[k].next = self.winds[k].q.val()
                && (self.step.q.val() == FrontStep::Run)
                && self.is_first[k].val()
                && self.cull_bit_valid[k].val()
                && self.cull_bit_visible[k].val()
                && !self.chained[k].q.val()
                && (!self.fault_strip_chain[k].val() || self.untouched[k].q.val() || self.again[k].q.val().any())
                && !self.again[k].q.val().get_bit(1);
            if self.lacks[k].val() || self.repeats[k].val() {
                self.has_index.next = false;
            }
        }
    }

    fn moves(&mut self) {
        // Who moves: the last stage is free behind a hit, and looks up again behind a miss.
        self.full.next = (self.tail.q.val() - self.head.q.val()) == bits::<5>(16);
        self.takes_skip.next = false;
        self.takes_hit.next = self.found_valid.q.val() && self.found_hit.q.val() && !self.full.val();
        self.takes_miss.next = self.found_valid.q.val()
            && !self.found_hit.q.val()
            && !self.full.val()
            && !self.batch_closed.q.val()
            && self.entry_ports.entry_valid.val();
        for k in 0..self._behind {
            if self.found_skip[k].q.val() {
                self.takes_skip.next = self.found_valid.q.val() && !self.full.val();
                self.takes_hit.next = false;
                self.takes_miss.next = false;
            }
        }
        self.moves_found.next = !self.found_valid.q.val() || self.takes_hit.val() || self.takes_skip.val();
        self.moves_sum.next = !self.sum_valid.q.val() || self.moves_found.val();
        self.moves_raw.next = !self.raw_valid.q.val() || self.moves_sum.val();
        self.reads.next = self.has_index.val() && self.moves_raw.val();
        self.queue.rsp.ready.next = self.reads.val() && self.indexed.q.val() && self.ends_line.val();
        if self.moves_raw.val() {
            self.raw_valid.d.next = self.reads.val() && !self.separates.val();
            self.raw.d.next = self.line_index.val();
            self.raw_opens.d.next = self.opens.q.val();
        }
    }

    fn vertices(&mut self) {
        if self.reads.val() {
            self.at.d.next = self.after.val().get_bits::<4>(0);
            self.number.d.next = self.number.q.val() + bits::<32>(1);
            self.left.d.next = self.left.q.val() - bits::<32>(1);
            self.opens.d.next = self.separates.val();
        }
        if self.moves_sum.val() {
            self.sum_valid.d.next = self.raw_valid.q.val();
            self.sum.d.next = self.raw.q.val() + self.base.q.val();
            if self.fault_front_base.val() {
                self.sum.d.next = self.raw.q.val();
            }
            self.sum_opens.d.next = self.raw_opens.q.val();
        }
        // The cache.
        self.top.next = self.used.q.val() - bits::<5>(1);
        self.hit.next = false;
        self.hit_entry.next = bits::<12>(0);
        self.old_entry.next = bits::<12>(0);
        self.top_entry.next = bits::<12>(0);
        for i in 0..PLACES {
            if self.place_valid[i].q.val() && (self.place_index[i].q.val() == self.sum.q.val()) {
                self.hit.next = true;
                self.hit_entry.next = self.hit_entry.val() | self.place_entry[i].q.val();
            }
            if self.next.q.val() == i.to_bits::<4>() {
                self.old_entry.next = self.place_entry[i].q.val();
            }
            if self.top.val() == i.to_bits::<5>() {
                self.top_entry.next = self.place_entry[i].q.val();
            }
        }
        if self.takes_miss.val() {
            self.found_valid.d.next = false;
        }
        if self.moves_found.val() {
            self.found_valid.d.next = self.sum_valid.q.val();
            self.found.d.next = self.sum.q.val();
            self.found_opens.d.next = self.sum_opens.q.val();
            self.found_hit.d.next = self.hit.val();
            self.found_entry.d.next = self.hit_entry.val();
        }
        self.entry_ports.entry_take.next = self.takes_miss.val();
        self.empties.next = (self.step.q.val() == FrontStep::Empty) && self.used.q.val().any() && !self.full.val();
        if self.takes_miss.val() {
            self.next.d.next = self.next.q.val() + bits::<4>(1);
            if !self.used.q.val().get_bit(4) {
                self.used.d.next = self.used.q.val() + bits::<5>(1);
            }
        }
        if self.empties.val() {
            self.used.d.next = self.top.val();
            self.next.d.next = bits::<4>(0);
        }
        for i in 0..PLACES {
            self.place_index[i].clock.next = self.clock.val();
            self.place_entry[i].clock.next = self.clock.val();
            self.place_valid[i].clock.next = self.clock.val();
            self.place_index[i].d.next = self.place_index[i].q.val();
            self.place_entry[i].d.next = self.place_entry[i].q.val();
            self.place_valid[i].d.next = self.place_valid[i].q.val();
            if self.takes_miss.val() && (self.next.q.val() == i.to_bits::<4>()) {
                self.place_index[i].d.next = self.found.q.val();
                self.place_entry[i].d.next = self.entry_ports.entry.val();
                self.place_valid[i].d.next = true;
            }
            if self.empties.val() && (self.top.val() == i.to_bits::<5>()) && !self.fault_front_stale.val() {
                self.place_valid[i].d.next = false;
            }
        }
        // The batch.
        self.batch_taken.next = self.batch_closed.q.val() && self.batch.ready.val();
        self.waited.d.next = bits::<4>(0);
        if self.found_valid.q.val() && !self.takes_hit.val() && !self.takes_miss.val() && !self.takes_skip.val() {
            self.waited.d.next = self.waited.q.val() + bits::<4>(1);
        }
        for k in 0..self._behind {
            // Nobody comes while a bit is waited for.
            self.cull_bit_waits[k].next = self.lacks[k].val()
                && (self.step.q.val() == FrontStep::Run)
                && !self.raw_valid.q.val()
                && !self.sum_valid.q.val()
                && !self.found_valid.q.val()
                && !self.batch_count.q.val().any()
                && (self.head.q.val() == self.tail.q.val());
            if self.lacks[k].val() && (self.step.q.val() == FrontStep::Run) && !self.found_valid.q.val() {
                self.waited.d.next = self.waited.q.val() + bits::<4>(1);
            }
        }
        self.flush.next =
            (self.waited.q.val().all() && !self.fault_front_stall.val()) || (self.step.q.val() == FrontStep::Empty);
        for i in 0..4 {
            self.batch_index[i].clock.next = self.clock.val();
            self.batch_entry[i].clock.next = self.clock.val();
            self.batch_index[i].d.next = self.batch_index[i].q.val();
            self.batch_entry[i].d.next = self.batch_entry[i].q.val();
            if self.takes_miss.val() && (self.batch_count.q.val() == i.to_bits::<3>()) {
                self.batch_index[i].d.next = self.found.q.val();
                self.batch_entry[i].d.next = self.entry_ports.entry.val();
            }
            self.batch.index[i].next = self.batch_index[i].q.val();
            self.batch.instance[i].next = self.batch_instance.q.val();
            self.batch.entry[i].next = self.batch_entry[i].q.val();
        }
        if self.flush.val() && self.batch_count.q.val().any() {
            self.batch_closed.d.next = true;
        }
        if self.takes_miss.val() {
            self.batch_count.d.next = self.batch_count.q.val() + bits::<3>(1);
            self.context_of_batch.d.next = self.context_now.q.val();
            self.batch_instance.d.next = self.instance_now.q.val();
            if self.batch_count.q.val() == bits::<3>(3) {
                self.batch_closed.d.next = true;
            }
        }
        if self.batch_taken.val() {
            self.batch_count.d.next = bits::<3>(0);
            self.batch_closed.d.next = false;
        }
        self.batch.valid.next = self.batch_closed.q.val();
        self.batch.context.next = self.context_of_batch.q.val();
        self.batch.mask.next = bits::<4>(15);
        if self.batch_count.q.val() == bits::<3>(1) {
            self.batch.mask.next = bits::<4>(1);
        }
        if self.batch_count.q.val() == bits::<3>(2) {
            self.batch.mask.next = bits::<4>(3);
        }
        if self.batch_count.q.val() == bits::<3>(3) {
            self.batch.mask.next = bits::<4>(7);
        }
        // A corner, a drop or both go into the queue.
        self.ends.next = (self.step.q.val() == FrontStep::End) && !self.full.val();
        self.has_corner.next =
            self.takes_hit.val() || self.takes_miss.val() || self.takes_skip.val() || self.ends.val();
        self.has_drop.next = self.empties.val()
            || (self.takes_miss.val() && self.used.q.val().get_bit(4) && !self.fault_front_drop.val());
        self.push.next = self.has_corner.val() || self.has_drop.val();
        self.new_entry.next = self.found_entry.q.val();
        if self.takes_miss.val() {
            self.new_entry.next = self.entry_ports.entry.val();
        }
        // A mark names none; it may be the first of its instance.
        if self.takes_skip.val() {
            self.new_entry.next = bits::<12>(0);
            if self.found_opens.q.val() {
                self.new_entry.next = bits::<12>(1);
            }
        }
        self.freed_entry.next = self.old_entry.val();
        if self.empties.val() {
            self.freed_entry.next = self.top_entry.val();
        }
        self.flags.next = bits::<4>(0);
        if self.has_corner.val() {
            self.flags.next = bits::<4>(1);
            if self.found_opens.q.val() && !self.ends.val() {
                self.flags.next = bits::<4>(3);
            }
        }
        if self.ends.val() {
            self.flags.next = bits::<4>(5);
        }
        // Restart and end together: a triangle is left out.
        if self.takes_skip.val() {
            self.flags.next = bits::<4>(7);
        }
        self.fields.next = bit_cast::<32, 4>(self.flags.val())
            | (bit_cast::<32, 4>(self.context_now.q.val()) << bits::<32>(4))
            | (bit_cast::<32, 12>(self.new_entry.val()) << bits::<32>(8))
            | (bit_cast::<32, 12>(self.freed_entry.val()) << bits::<32>(20));
        self.items.write_data.next = self.fields.val();
        if self.has_drop.val() {
            self.items.write_data.next = self.fields.val() | bits::<32>(8);
        }
        self.items.write_address.next = self.tail.q.val().get_bits::<4>(0);
        self.items.write_enable.next = self.push.val();
        if self.push.val() {
            self.tail.d.next = self.tail.q.val() + bits::<5>(1);
        }
        // The oldest item goes when both of its halves are gone.
        self.items.read_address.next = self.head.q.val().get_bits::<4>(0);
        self.oldest.next = self.items.read_data.val();
        self.some.next = self.head.q.val() != self.tail.q.val();
        self.corner_out.next = self.some.val() && self.oldest.val().get_bit(0) && !self.corner_sent.q.val();
        self.drop_out.next = self.some.val() && self.oldest.val().get_bit(3) && !self.drop_sent.q.val();
        self.corner_done.next = !self.corner_out.val() || self.corner.ready.val();
        self.drop_done.next = !self.drop_out.val() || self.drop_ready.val();
        self.pop.next = self.some.val() && self.corner_done.val() && self.drop_done.val();
        self.corner_sent.d.next = self.some.val() && self.corner_done.val() && !self.pop.val();
        self.drop_sent.d.next = self.some.val() && self.drop_done.val() && !self.pop.val();
        if self.pop.val() {
            self.head.d.next = self.head.q.val() + bits::<5>(1);
        }
        self.old_context.next = self.oldest.val().get_bits::<4>(4);
        self.corner.valid.next = self.corner_out.val();
        self.corner.context.next = self.old_context.val();
        self.is_skip.next = self.oldest.val().get_bit(1) && self.oldest.val().get_bit(2);
        self.corner.end.next = self.oldest.val().get_bit(2) && !self.is_skip.val();
        self.corner.restart.next = self.oldest.val().get_bit(1) && !self.is_skip.val();
        for k in 0..self._behind {
            self.corner_skip[k].next = self.is_skip.val();
        }
        self.corner.entry.next = self.oldest.val().get_bits::<12>(8);
        self.drop.valid.next = self.drop_out.val();
        self.drop.entry.next = self.oldest.val().get_bits::<12>(20);
        // Draws of each context.
        self.begins.next = (self.step.q.val() == FrontStep::Idle) && self.draw.valid.val();
        self.leaves.next = self.pop.val() && self.oldest.val().get_bit(2) && !self.is_skip.val();
        if self.fault_front_context.val() {
            self.leaves.next = self.ends.val();
        }
        self.contexts_now.next = bits::<16>(0);
        self.all_freed.next = true;
        for i in 0..self._contexts {
            dff_setup!(self, clock, draws[i]);
            if self.begins.val() && (self.draw.context.val() == i.to_bits::<4>()) {
                self.draws[i].d.next = self.draws[i].q.val() + bits::<5>(1);
            }
            if self.leaves.val() && (self.old_context.val() == i.to_bits::<4>()) {
                self.draws[i].d.next = self.draws[i].q.val() - bits::<5>(1);
                if self.begins.val() && (self.draw.context.val() == i.to_bits::<4>()) {
                    self.draws[i].d.next = self.draws[i].q.val();
                }
            }
            if self.draws[i].q.val().any()
                || (self.batch_count.q.val().any() && (self.context_of_batch.q.val() == i.to_bits::<4>()))
            {
                self.contexts_now.next = self.contexts_now.val() | (bits::<16>(1) << i.to_bits::<16>());
            }
        }
        self.contexts_r.d.next = self.contexts_now.val();
        self.contexts.next = self.contexts_now.val() | self.contexts_r.q.val();
        self.idle.next = (self.step.q.val() == FrontStep::Idle) && !self.some.val() && !self.batch_count.q.val().any();
        // Steps.
        self.draw.ready.next = self.step.q.val() == FrontStep::Idle;
        match self.step.q.val() {
            FrontStep::Idle => {
                self.context_now.d.next = self.draw.context.val();
                self.indexed.d.next = self.draw.indexed.val();
                self.wide.d.next = self.draw.wide.val();
                self.restart.d.next = self.draw.restart.val();
                self.indices.d.next = self.draw.count.val();
                self.first.d.next = self.draw.first.val();
                self.base.d.next = self.draw.base.val();
                self.address.d.next = self.draw.address.val();
                self.instance_now.d.next = self.draw.first_instance.val();
                if self.fault_front_instance.val() {
                    self.instance_now.d.next = bits::<32>(0);
                }
                self.instances.d.next = self.draw.instances.val();
                if self.draw.valid.val() {
                    self.step.d.next = FrontStep::Place;
                    if !self.draw.count.val().any() || !self.draw.instances.val().any() {
                        self.step.d.next = FrontStep::End;
                    }
                }
                self.opens.d.next = true;
            }
            FrontStep::Place => {
                self.begin_at.d.next = self.start.val();
                self.step.d.next = FrontStep::Begin;
            }
            FrontStep::Begin => {
                self.last_line.d.next = self.stop.val().get_bits::<28>(4);
                self.at.d.next = self.begin_at.q.val().get_bits::<4>(0);
                self.number.d.next = self.first.q.val();
                self.left.d.next = self.indices.q.val();
                // Of the first instance: lines are asked for from here on.
                if self.opens.q.val() {
                    self.fetching.d.next = self.indexed.q.val();
                    self.fetch_line.d.next = self.begin_at.q.val().get_bits::<28>(4);
                    self.fetch_instances.d.next = self.instances.q.val();
                }
                self.opens.d.next = true;
                if self.fault_front_restart.val() {
                    self.opens.d.next = self.opens.q.val();
                }
                self.step.d.next = FrontStep::Run;
            }
            FrontStep::Run => {
                if !self.left.q.val().any()
                    && !self.raw_valid.q.val()
                    && !self.sum_valid.q.val()
                    && !self.found_valid.q.val()
                {
                    self.step.d.next = FrontStep::Empty;
                }
            }
            FrontStep::Empty => {
                // The last index may have ended a strip; the next instance is not the first one.
                self.opens.d.next = false;
                if !self.used.q.val().any() {
                    self.step.d.next = FrontStep::Next;
                }
            }
            FrontStep::Next => {
                self.instance_now.d.next = self.instance_now.q.val() + bits::<32>(1);
                self.instances.d.next = self.instances.q.val() - bits::<32>(1);
                self.step.d.next = FrontStep::Begin;
                if self.instances.q.val() == bits::<32>(1) {
                    self.step.d.next = FrontStep::End;
                }
            }
            FrontStep::End => {
                if !self.full.val() {
                    self.step.d.next = FrontStep::Idle;
                }
            }
        }
    }
}
