//! The kernel of the clipper: what happens in each of its steps ([`super::ClipStep`]).
//!
//! Reads, operations of the float unit and quotients are steps of their own, which go on where
//! `back` says. It can be wrong in a register that such a step, or the next vertex, writes before
//! it was used.

use quadlock_hdl_macros::kernel;
use quadlock_isa::records::state;
use rust_hdl::prelude::*;

use super::{ClipStep, GeometryClip};
use crate::comment;

#[kernel]
impl GeometryClip {
    /// Registers get their clock, and corners keep what they have.
    fn registers(&mut self) {
        comment!("module: geometry_clip");
        dff_setup!(self, clock, step, back, context, order, half, plane, n, m, k, made_count, unviewed, counter, word);
        dff_setup!(
            self,
            clock,
            varyings,
            reads,
            reads_word,
            to_second,
            first,
            second,
            result,
            distance_here,
            one,
            two,
            t
        );
        dff_setup!(self, clock, along, mixing, linear, new_w, entry, form);
        clock!(self, clock, states, polygon, distances, made, quotient);
        for i in 0..3 {
            dff_setup!(self, clock, corners[i]);
        }
    }

    /// Words of state are stored for each context, and one of them is read.
    fn context_words(&mut self) {
        // Words 7, 14, 15, 35, 36 of each context, in places 7, 6, 1, 3, 4.
        self.keeps.next = (self.state.word.val() == bits::<6>(state::VARYINGS))
            || (self.state.word.val() == bits::<6>(state::GUARD_X))
            || (self.state.word.val() == bits::<6>(state::GUARD_Y))
            || (self.state.word.val() == bits::<6>(state::LINEAR_LOW))
            || (self.state.word.val() == bits::<6>(state::LINEAR_HIGH));
        self.stored.next = self.state.word.val().get_bits::<3>(0);
        if self.state.word.val() == bits::<6>(state::GUARD_Y) {
            self.stored.next = bits::<3>(1);
        }
        self.states.write_enable.next = self.state.valid.val() && !self.state.pass.val() && self.keeps.val();
        self.states.write_address.next =
            (bit_cast::<12, 4>(self.state.context.val()) << bits::<12>(3)) | bit_cast::<12, 3>(self.stored.val());
        self.states.write_data.next = self.state.data.val();
        self.varying.next = self.word.q.val() - bits::<6>(4);
        self.req_word.next = bits::<3>(6);
        if self.plane.q.val() >= bits::<3>(5) {
            self.req_word.next = bits::<3>(1);
        }
        if self.step.q.val() == ClipStep::Corners {
            self.req_word.next = bits::<3>(7);
        }
        if self.mixing.q.val() {
            self.req_word.next = bits::<3>(3);
            if self.varying.val().get_bit(5) {
                self.req_word.next = bits::<3>(4);
            }
        }
        self.states.read_address.next =
            (bit_cast::<12, 4>(self.context.q.val()) << bits::<12>(3)) | bit_cast::<12, 3>(self.req_word.val());
        self.lines.next = self.states.read_data.val() >> bit_cast::<32, 5>(self.varying.val().get_bits::<5>(0));
        self.linear.d.next =
            self.lines.val().get_bit(0) && (self.word.q.val() >= bits::<6>(4)) && !self.fault_geometry_linear.val();
    }

    /// The vertex at work is read from the polygon, with its distance.
    fn polygon(&mut self) {
        // The polygon, and its vertices' distances. What an edge leaves goes into the other half.
        self.after.next = self.k.q.val() + bits::<4>(1);
        self.last_vertex.next = self.after.val() == self.n.q.val();
        self.at.next = self.k.q.val();
        if self.step.q.val() == ClipStep::EdgeOther {
            self.at.next = self.after.val();
            if self.last_vertex.val() {
                self.at.next = bits::<4>(0);
            }
        }
        if self.step.q.val() == ClipStep::Count {
            if self.counter.q.val() == bits::<2>(0) {
                self.at.next = bits::<4>(0);
            }
            if self.counter.q.val() == bits::<2>(2) {
                self.at.next = self.after.val();
            }
        }
        self.polygon.read_address.next = bit_cast::<6, 4>(self.at.val());
        if self.half.q.val() {
            self.polygon.read_address.next = bit_cast::<6, 4>(self.at.val()) | bits::<6>(16);
        }
        self.listed.next = self.polygon.read_data.val().get_bits::<12>(0);
        self.distances.read_address.next = bit_cast::<6, 4>(self.at.val());
        self.distance.next = self.distances.read_data.val();
        self.outside.next = self.distance.val().get_bit(31) && self.distance.val().get_bits::<31>(0).any();
        self.outside_here.next =
            self.distance_here.q.val().get_bit(31) && self.distance_here.q.val().get_bits::<31>(0).any();
    }

    /// Polygon, distances and new vertices are written in their places.
    fn lists(&mut self) {
        self.made.read_address.next = bit_cast::<6, 4>(self.k.q.val());
        self.write_half.next = !self.half.q.val();
        self.write_at.next = self.m.q.val();
        if self.step.q.val() == ClipStep::Corners {
            self.write_half.next = self.half.q.val();
            self.write_at.next = bit_cast::<4, 2>(self.counter.q.val());
        }
        self.list_address.next = bit_cast::<6, 4>(self.write_at.val());
        if self.write_half.val() {
            self.list_address.next = bit_cast::<6, 4>(self.write_at.val()) | bits::<6>(16);
        }
        self.polygon.write_address.next = self.list_address.val();
        self.distances.write_address.next = bit_cast::<6, 4>(self.k.q.val());
        self.distances.write_data.next = self.result.q.val();
        if self.plane.q.val() == bits::<3>(0) {
            self.distances.write_data.next = self.first.q.val();
        }
        self.made.write_address.next = bit_cast::<6, 4>(self.made_count.q.val());
        self.made.write_data.next = bit_cast::<32, 12>(self.spare_ports.spare_entry.val());
    }

    /// Bits and numbers say where varyings and pieces end, and which corner is counted.
    fn limits(&mut self) {
        self.limit.next = self.varyings.q.val() + bits::<6>(3);
        self.piece_end.next = self.after.val() + bits::<4>(1);
        self.last_piece.next = self.piece_end.val() == self.n.q.val();
        self.corner.next = self.corners[0].q.val();
        if self.counter.q.val() == bits::<2>(1) {
            self.corner.next = self.corners[1].q.val();
        }
        if self.counter.q.val() == bits::<2>(2) {
            self.corner.next = self.corners[2].q.val();
        }
        self.same.next = self.first.q.val() == self.second.q.val();
    }

    /// The float unit's operands.
    fn operands(&mut self) {
        // 0 first less 2^-76, 1 second less first, 2 first times the guard band, 3 result and
        // first, 4 result less first, 5 a new word, 6 first times t, 7 a quotient.
        self.factor.next = self.t.q.val();
        if self.linear.q.val() {
            self.factor.next = self.along.q.val();
        }
        self.float_req.a.next = self.first.q.val();
        self.float_req.b.next = self.minus_one.val();
        self.float_req.c.next = self.second.q.val();
        self.float_req.product.next = false;
        self.float_req.number.next = false;
        if self.form.q.val() == bits::<3>(0) {
            self.float_req.b.next = bits::<32>(0x3F80_0000);
            self.float_req.c.next = self.minus_least_w.val();
        }
        if self.form.q.val() == bits::<3>(2) {
            self.float_req.b.next = self.states.read_data.val();
            self.float_req.product.next = true;
        }
        if self.form.q.val() == bits::<3>(3) {
            self.float_req.b.next = bits::<32>(0x3F80_0000);
            self.float_req.c.next = self.result.q.val();
        }
        if self.form.q.val() == bits::<3>(4) {
            self.float_req.c.next = self.result.q.val();
        }
        if self.form.q.val() == bits::<3>(5) {
            self.float_req.a.next = self.result.q.val();
            self.float_req.b.next = self.factor.val();
            self.float_req.c.next = self.first.q.val();
        }
        if self.form.q.val() == bits::<3>(6) {
            self.float_req.b.next = self.t.q.val();
            self.float_req.product.next = true;
        }
        if self.form.q.val() == bits::<3>(7) {
            self.float_req.a.next = bit_cast::<32, 27>(self.quotient.number.val());
            self.float_req.b.next = bits::<32>(0);
            self.float_req.c.next = self.quotient.exponent.val();
            self.float_req.number.next = true;
        }
        // t is d1 over the difference; the other quotient that of products and the new w.
        self.quotient.a.next = self.second.q.val();
        self.quotient.b.next = self.result.q.val();
        if self.step.q.val() == ClipStep::AlongDivide {
            self.quotient.a.next = self.result.q.val();
            self.quotient.b.next = self.new_w.q.val();
        }
    }

    /// Ports to vertices and units, and writes into memories, say what the step is.
    fn quiet(&mut self) {
        self.in_triangle.ready.next = self.step.q.val() == ClipStep::Idle;
        self.idle.next = self.step.q.val() == ClipStep::Idle;
        self.works.next = self.step.q.val() == ClipStep::ReadKeep;
        self.read.next = self.step.q.val() == ClipStep::Read;
        self.read_address.next =
            (bit_cast::<18, 12>(self.reads.q.val()) << bits::<18>(6)) | bit_cast::<18, 6>(self.reads_word.q.val());
        self.write.next = self.step.q.val() == ClipStep::MixWrite;
        self.write_address.next =
            (bit_cast::<18, 12>(self.entry.q.val()) << bits::<18>(6)) | bit_cast::<18, 6>(self.word.q.val());
        // Where plane 2 cuts, w is its own: what rounding makes of so small a number may be
        // negative.
        self.new_word.next = self.result.q.val();
        if (self.word.q.val() == bits::<6>(3))
            && (self.plane.q.val() == bits::<3>(2))
            && !self.fault_geometry_least_w.val()
        {
            self.new_word.next = self.least_w.val();
        }
        self.write_data.next = self.new_word.val();
        self.float_req.valid.next = self.step.q.val() == ClipStep::Ask;
        self.made_ports.made_valid.next = self.step.q.val() == ClipStep::View;
        self.made_ports.made_entry.next = self.entry.q.val();
        self.made_ports.made_context.next = self.context.q.val();
        self.spare_ports.spare_take.next = false;
        self.quotient.start.next =
            (self.step.q.val() == ClipStep::ShareDivide) || (self.step.q.val() == ClipStep::AlongDivide);
        self.polygon.write_enable.next = false;
        self.polygon.write_data.next = bit_cast::<32, 12>(self.listed.val());
        self.distances.write_enable.next = self.step.q.val() == ClipStep::DistanceKeep;
        self.made.write_enable.next = false;
    }

    /// The ports count references, give them back, and offer a piece.
    fn outputs(&mut self) {
        self.ref_add_valid.next = self.step.q.val() == ClipStep::Count;
        self.ref_add_entry.next = self.listed.val();
        if self.counter.q.val() == bits::<2>(3) {
            self.ref_add_entry.next = self.corners[0].q.val();
        }
        self.ref_release_valid.next = self.step.q.val() == ClipStep::Drop;
        self.ref_release_entry.next = self.corner.val();
        if self.k.q.val() != self.made_count.q.val() {
            self.ref_release_entry.next = self.made.read_data.val().get_bits::<12>(0);
        }
        self.piece.valid.next = (self.step.q.val() == ClipStep::Piece) || (self.step.q.val() == ClipStep::Nothing);
        self.piece.what.next = bits::<3>(0);
        self.piece.last.next = self.last_piece.val();
        if self.step.q.val() == ClipStep::Nothing {
            self.piece.what.next = bits::<3>(6);
            self.piece.last.next = true;
        }
        self.piece.clipped.next = true;
        self.piece.context.next = self.context.q.val();
        self.piece.order.next = self.order.q.val();
        self.piece.entry[0].next = self.one.q.val();
        self.piece.entry[1].next = self.two.q.val();
        self.piece.entry[2].next = self.entry.q.val();
        self.piece.first.next = self.corners[0].q.val();
        self.piece.extra.next = true;
    }

    /// Vertices that are on their way through the view unit are counted.
    fn unviewed(&mut self) {
        if (self.step.q.val() == ClipStep::View) && self.made_ports.made_ready.val() && !self.made_done.val() {
            self.unviewed.d.next = self.unviewed.q.val() + bits::<4>(1);
        }
        if self.made_done.val() && ((self.step.q.val() != ClipStep::View) || !self.made_ports.made_ready.val()) {
            self.unviewed.d.next = self.unviewed.q.val() - bits::<4>(1);
        }
    }

    /// Operations that come back.
    fn operations(&mut self) {
        if (self.step.q.val() == ClipStep::Ask) && self.float_req.ready.val() {
            self.step.d.next = ClipStep::Answer;
        }
        if (self.step.q.val() == ClipStep::Answer) && self.float_rsp_valid.val() {
            self.result.d.next = self.float_rsp.val();
            self.step.d.next = self.back.q.val();
        }
        if (self.step.q.val() == ClipStep::Divide) && self.quotient.done.val() {
            self.form.d.next = bits::<3>(7);
            self.step.d.next = ClipStep::Ask;
            if self.quotient.special.val() {
                self.result.d.next = self.quotient.value.val();
                self.step.d.next = self.back.q.val();
            }
        }
        if (self.step.q.val() == ClipStep::Read) && self.read_ready.val() {
            self.step.d.next = ClipStep::ReadKeep;
        }
        if self.step.q.val() == ClipStep::ReadKeep {
            self.first.d.next = self.read_data.val();
            if self.to_second.q.val() {
                self.first.d.next = self.first.q.val();
                self.second.d.next = self.read_data.val();
            }
            self.step.d.next = self.back.q.val();
        }
    }

    /// A triangle comes; planes and distances.
    fn distances(&mut self) {
        match self.step.q.val() {
            ClipStep::Idle => {
                self.counter.d.next = bits::<2>(0);
                self.made_count.d.next = bits::<4>(0);
                self.plane.d.next = bits::<3>(0);
                self.n.d.next = bits::<4>(3);
                if self.in_triangle.valid.val() {
                    self.context.d.next = self.in_triangle.context.val();
                    self.order.d.next = self.in_triangle.order.val();
                    self.corners[0].d.next = self.in_triangle.entry[0].val();
                    self.corners[1].d.next = self.in_triangle.entry[1].val();
                    self.corners[2].d.next = self.in_triangle.entry[2].val();
                    self.step.d.next = ClipStep::Corners;
                }
            }
            ClipStep::Corners => {
                self.polygon.write_enable.next = true;
                self.polygon.write_data.next = bit_cast::<32, 12>(self.corner.val());
                self.counter.d.next = self.counter.q.val() + bits::<2>(1);
                if self.counter.q.val() == bits::<2>(2) {
                    self.varyings.d.next = self.states.read_data.val().get_bits::<6>(0);
                    self.counter.d.next = bits::<2>(0);
                    self.step.d.next = ClipStep::Plane;
                }
            }
            ClipStep::Plane => {
                self.k.d.next = bits::<4>(0);
                self.m.d.next = bits::<4>(0);
                self.step.d.next = ClipStep::Distance;
                if !self.n.q.val().any() {
                    self.step.d.next = ClipStep::Viewed;
                }
            }
            ClipStep::Distance => {
                self.reads.d.next = self.listed.val();
                self.reads_word.d.next = bits::<6>(3);
                self.to_second.d.next = false;
                self.back.d.next = ClipStep::Guard;
                if self.plane.q.val() == bits::<3>(2) {
                    self.back.d.next = ClipStep::DistanceSum;
                }
                if self.plane.q.val() == bits::<3>(0) {
                    self.reads_word.d.next = bits::<6>(2);
                    self.back.d.next = ClipStep::DistanceKeep;
                }
                if self.plane.q.val() == bits::<3>(1) {
                    self.reads_word.d.next = bits::<6>(2);
                    self.back.d.next = ClipStep::DistanceSecond;
                }
                self.step.d.next = ClipStep::Read;
            }
            ClipStep::DistanceSecond => {
                self.reads_word.d.next = bits::<6>(3);
                self.to_second.d.next = true;
                self.back.d.next = ClipStep::DistanceSum;
                self.step.d.next = ClipStep::Read;
            }
            ClipStep::Guard => {
                self.form.d.next = bits::<3>(2);
                self.back.d.next = ClipStep::GuardWord;
                self.step.d.next = ClipStep::Ask;
            }
            ClipStep::GuardWord => {
                self.reads_word.d.next = bits::<6>(0);
                if self.plane.q.val() >= bits::<3>(5) {
                    self.reads_word.d.next = bits::<6>(1);
                }
                self.back.d.next = ClipStep::DistanceSum;
                self.step.d.next = ClipStep::Read;
            }
            ClipStep::DistanceSum => {
                self.form.d.next = bits::<3>(3);
                if self.plane.q.val() == bits::<3>(2) {
                    self.form.d.next = bits::<3>(0);
                }
                if self.plane.q.val() == bits::<3>(1) {
                    self.form.d.next = bits::<3>(1);
                }
                if (self.plane.q.val() == bits::<3>(3)) || (self.plane.q.val() == bits::<3>(5)) {
                    self.form.d.next = bits::<3>(4);
                }
                self.back.d.next = ClipStep::DistanceKeep;
                self.step.d.next = ClipStep::Ask;
            }
            ClipStep::DistanceKeep => {
                self.k.d.next = self.after.val();
                self.step.d.next = ClipStep::Distance;
                if self.last_vertex.val() {
                    self.k.d.next = bits::<4>(0);
                    self.step.d.next = ClipStep::Edge;
                }
            }
            _ => {}
        }
    }

    /// Edges, and which end is the first.
    fn edges(&mut self) {
        match self.step.q.val() {
            ClipStep::Edge => {
                self.distance_here.d.next = self.distance.val();
                self.one.d.next = self.listed.val();
                if !self.outside.val() {
                    self.polygon.write_enable.next = true;
                    self.m.d.next = self.m.q.val() + bits::<4>(1);
                }
                self.step.d.next = ClipStep::EdgeOther;
            }
            ClipStep::EdgeOther => {
                self.result.d.next = self.distance.val();
                self.two.d.next = self.listed.val();
                self.reads_word.d.next = bits::<6>(0);
                self.step.d.next = ClipStep::NextEdge;
                if self.outside.val() ^ self.outside_here.val() {
                    self.step.d.next = ClipStep::OrderFirst;
                }
            }
            ClipStep::OrderFirst => {
                self.reads.d.next = self.one.q.val();
                self.to_second.d.next = false;
                self.back.d.next = ClipStep::OrderSecond;
                self.step.d.next = ClipStep::Read;
            }
            ClipStep::OrderSecond => {
                self.reads.d.next = self.two.q.val();
                self.to_second.d.next = true;
                self.back.d.next = ClipStep::OrderCompare;
                self.step.d.next = ClipStep::Read;
            }
            ClipStep::OrderCompare => {
                self.step.d.next = ClipStep::Share;
                if self.same.val() && (self.reads_word.q.val() != bits::<6>(3)) {
                    self.reads_word.d.next = self.reads_word.q.val() + bits::<6>(1);
                    self.step.d.next = ClipStep::OrderFirst;
                }
                if (self.second.q.val() < self.first.q.val()) && !self.fault_geometry_canonical.val() {
                    self.one.d.next = self.two.q.val();
                    self.two.d.next = self.one.q.val();
                    self.distance_here.d.next = self.result.q.val();
                    self.result.d.next = self.distance_here.q.val();
                }
            }
            ClipStep::Share => {
                self.first.d.next = self.result.q.val();
                self.second.d.next = self.distance_here.q.val();
                self.form.d.next = bits::<3>(1);
                self.back.d.next = ClipStep::ShareDivide;
                self.step.d.next = ClipStep::Ask;
            }
            ClipStep::ShareDivide => {
                self.back.d.next = ClipStep::Entry;
                self.step.d.next = ClipStep::Divide;
            }
            ClipStep::NextEdge => {
                self.k.d.next = self.after.val();
                self.step.d.next = ClipStep::Edge;
                if self.last_vertex.val() {
                    self.n.d.next = self.m.q.val();
                    self.half.d.next = !self.half.q.val();
                    self.plane.d.next = self.plane.q.val() + bits::<3>(1);
                    self.step.d.next = ClipStep::Plane;
                    if self.plane.q.val() == bits::<3>(6) {
                        self.step.d.next = ClipStep::Viewed;
                    }
                }
            }
            _ => {}
        }
    }

    /// New vertices.
    fn mix(&mut self) {
        match self.step.q.val() {
            ClipStep::Entry => {
                self.t.d.next = self.result.q.val();
                self.word.d.next = bits::<6>(0);
                self.polygon.write_data.next = bit_cast::<32, 12>(self.spare_ports.spare_entry.val());
                if self.spare_ports.spare.val() {
                    self.spare_ports.spare_take.next = true;
                    self.entry.d.next = self.spare_ports.spare_entry.val();
                    self.made.write_enable.next = true;
                    self.made_count.d.next = self.made_count.q.val() + bits::<4>(1);
                    self.polygon.write_enable.next = true;
                    self.m.d.next = self.m.q.val() + bits::<4>(1);
                    self.mixing.d.next = true;
                    self.step.d.next = ClipStep::MixFirst;
                }
            }
            ClipStep::MixFirst => {
                self.reads.d.next = self.one.q.val();
                self.reads_word.d.next = self.word.q.val();
                self.to_second.d.next = false;
                self.back.d.next = ClipStep::MixSecond;
                self.step.d.next = ClipStep::Read;
            }
            ClipStep::MixSecond => {
                self.reads.d.next = self.two.q.val();
                self.to_second.d.next = true;
                self.back.d.next = ClipStep::MixDifference;
                self.step.d.next = ClipStep::Read;
            }
            ClipStep::MixDifference => {
                self.form.d.next = bits::<3>(1);
                self.back.d.next = ClipStep::MixSum;
                self.step.d.next = ClipStep::Ask;
                if self.same.val() {
                    self.result.d.next = self.first.q.val();
                    self.step.d.next = ClipStep::MixWrite;
                }
            }
            ClipStep::MixSum => {
                self.form.d.next = bits::<3>(5);
                self.back.d.next = ClipStep::MixWrite;
                self.step.d.next = ClipStep::Ask;
            }
            ClipStep::MixWrite => {
                self.word.d.next = self.word.q.val() + bits::<6>(1);
                self.step.d.next = ClipStep::MixFirst;
                if self.word.q.val() == bits::<6>(3) {
                    self.new_w.d.next = self.new_word.val();
                    self.step.d.next = ClipStep::AlongWord;
                }
                if (self.word.q.val() != bits::<6>(3)) && (self.word.q.val() == self.limit.val()) {
                    self.step.d.next = ClipStep::View;
                }
            }
            ClipStep::AlongWord => {
                self.reads.d.next = self.two.q.val();
                self.reads_word.d.next = bits::<6>(3);
                self.to_second.d.next = false;
                self.back.d.next = ClipStep::AlongProduct;
                self.step.d.next = ClipStep::Read;
            }
            ClipStep::AlongProduct => {
                self.form.d.next = bits::<3>(6);
                self.back.d.next = ClipStep::AlongDivide;
                self.step.d.next = ClipStep::Ask;
            }
            ClipStep::AlongDivide => {
                self.back.d.next = ClipStep::Varying;
                self.step.d.next = ClipStep::Divide;
            }
            ClipStep::Varying => {
                self.along.d.next = self.result.q.val();
                self.step.d.next = ClipStep::MixFirst;
                if !self.varyings.q.val().any() {
                    self.step.d.next = ClipStep::View;
                }
            }
            ClipStep::View => {
                self.mixing.d.next = false;
                if self.made_ports.made_ready.val() {
                    self.step.d.next = ClipStep::NextEdge;
                }
            }
            _ => {}
        }
    }

    /// Pieces, and references.
    // A guard in a match is not translated.
    #[allow(clippy::collapsible_match)]
    fn pieces(&mut self) {
        match self.step.q.val() {
            ClipStep::Viewed => {
                self.counter.d.next = bits::<2>(0);
                self.k.d.next = bits::<4>(1);
                if !self.unviewed.q.val().any() {
                    self.step.d.next = ClipStep::Count;
                    if self.n.q.val() < bits::<4>(3) {
                        self.step.d.next = ClipStep::Nothing;
                    }
                }
            }
            ClipStep::Count => {
                if self.ref_add_ready.val() {
                    self.counter.d.next = self.counter.q.val() + bits::<2>(1);
                    if self.counter.q.val() == bits::<2>(0) {
                        self.one.d.next = self.listed.val();
                    }
                    if self.counter.q.val() == bits::<2>(1) {
                        self.two.d.next = self.listed.val();
                    }
                    if self.counter.q.val() == bits::<2>(2) {
                        self.entry.d.next = self.listed.val();
                    }
                    if self.counter.q.val() == bits::<2>(3) {
                        self.step.d.next = ClipStep::Piece;
                    }
                }
            }
            ClipStep::Piece => {
                if self.piece.ready.val() {
                    self.k.d.next = self.after.val();
                    self.step.d.next = ClipStep::Count;
                    if self.last_piece.val() {
                        self.k.d.next = bits::<4>(0);
                        self.step.d.next = ClipStep::Drop;
                    }
                }
            }
            ClipStep::Nothing => {
                self.k.d.next = bits::<4>(0);
                if self.piece.ready.val() {
                    self.step.d.next = ClipStep::Drop;
                }
            }
            ClipStep::Drop => {
                if self.ref_release_ready.val() {
                    if self.k.q.val() != self.made_count.q.val() {
                        self.k.d.next = self.after.val();
                    } else {
                        self.counter.d.next = self.counter.q.val() + bits::<2>(1);
                        if self.counter.q.val() == bits::<2>(2) {
                            self.counter.d.next = bits::<2>(0);
                            self.step.d.next = ClipStep::Idle;
                        }
                    }
                }
                if self.fault_geometry_made.val() {
                    self.k.d.next = self.made_count.q.val();
                }
            }
            _ => {}
        }
    }
}
