//! The front end behind a cull pipeline: which indices go further, and where a mark goes. See the
//! module of the block. It can be wrong in a triangle that is left out for another one, and in a
//! corner that a triangle of a strip lacks behind one that is left out.

use quadlock_hdl_macros::parts;
use rust_hdl::prelude::*;

use super::{CulledTriangles, DrawBegin, FrontStep, StripRepair, VertexFrontEnd};

#[parts]
impl VertexFrontEnd {
    fn culled_triangles(&mut self) {
        for k in 0..self._behind {
            self.seeks[k].clock.next = self.clock.val();
            self.third[k].clock.next = self.clock.val();
            self.omits[k].clock.next = self.clock.val();
            self.raw_skip[k].clock.next = self.clock.val();
            self.sum_skip[k].clock.next = self.clock.val();
            self.found_skip[k].clock.next = self.clock.val();
            self.seeks[k].d.next = self.seeks[k].q.val();
            self.third[k].d.next = self.third[k].q.val();
            self.omits[k].d.next = self.omits[k].q.val();
            self.raw_skip[k].d.next = self.raw_skip[k].q.val();
            self.sum_skip[k].d.next = self.sum_skip[k].q.val();
            self.found_skip[k].d.next = self.found_skip[k].q.val();
            // The first index of a triangle that is left out becomes its mark; the others sink.
            self.begins_omitted[k].next = self.is_first[k].val() && !self.cull_bit_visible[k].val();
            self.sinks[k].next = self.omits[k].q.val() && self.third[k].q.val().any();
            if self.winds[k].q.val() {
                self.sinks[k].next = !self.third[k].q.val().get_bit(1);
            }
            self.cull_bit_take[k].next = self.reads.val() && self.is_first[k].val();
            if self.moves_raw.val() {
                self.raw_skip[k].d.next = self.begins_omitted[k].val();
                if self.sinks[k].val() {
                    self.raw_valid.d.next = false;
                }
            }
            if self.reads.val() {
                if self.is_first[k].val() {
                    self.omits[k].d.next = self.begins_omitted[k].val();
                }
                self.third[k].d.next = self.third[k].q.val() + bits::<2>(1);
                if self.third[k].q.val() == bits::<2>(2) {
                    self.third[k].d.next = bits::<2>(0);
                    self.omits[k].d.next = false;
                }
            }
        }
    }

    fn strip_repair(&mut self) {
        for k in 0..self._behind {
            self.before[k].clock.next = self.clock.val();
            self.two_before[k].clock.next = self.clock.val();
            self.again[k].clock.next = self.clock.val();
            self.chained[k].clock.next = self.clock.val();
            self.untouched[k].clock.next = self.clock.val();
            self.winds[k].clock.next = self.clock.val();
            self.before[k].d.next = self.before[k].q.val();
            self.two_before[k].d.next = self.two_before[k].q.val();
            self.again[k].d.next = self.again[k].q.val();
            self.chained[k].d.next = self.chained[k].q.val();
            self.untouched[k].d.next = self.untouched[k].q.val();
            self.winds[k].d.next = self.winds[k].q.val();
            if self.winds[k].q.val() {
                if self.moves_raw.val() {
                    self.raw_opens.d.next = self.untouched[k].q.val();
                    if self.repeats[k].val() {
                        self.raw_valid.d.next = true;
                        self.raw_skip[k].d.next = false;
                        self.raw.d.next = self.two_before[k].q.val();
                        if self.again[k].q.val().get_bit(0) {
                            self.raw.d.next = self.before[k].q.val();
                        }
                        self.again[k].d.next = self.again[k].q.val() + bits::<2>(1);
                        self.untouched[k].d.next = false;
                    }
                }
                if self.reads.val() {
                    self.before[k].d.next = self.line_index.val();
                    self.two_before[k].d.next = self.before[k].q.val();
                    self.again[k].d.next = bits::<2>(0);
                    self.chained[k].d.next = self.is_first[k].val() && self.cull_bit_visible[k].val();
                    self.omits[k].d.next = false;
                    if self.third[k].q.val().get_bit(1) {
                        self.third[k].d.next = bits::<2>(2);
                        self.untouched[k].d.next = false;
                    }
                    if self.separates.val() {
                        self.third[k].d.next = bits::<2>(0);
                        self.chained[k].d.next = false;
                        self.untouched[k].d.next = true;
                        if self.fault_strip_restart[k].val() {
                            self.third[k].d.next = bits::<2>(2);
                        }
                    }
                }
            }
        }
    }

    fn draw_begin(&mut self) {
        for k in 0..self._behind {
            if self.step.q.val() == FrontStep::Begin {
                self.third[k].d.next = bits::<2>(0);
                self.omits[k].d.next = false;
                self.again[k].d.next = bits::<2>(0);
                self.chained[k].d.next = false;
                self.untouched[k].d.next = true;
            }
            self.its_strips[k].next = self.strips[k].val() >> bit_cast::<16, 4>(self.draw.context.val());
            if self.step.q.val() == FrontStep::Idle {
                self.seeks[k].d.next = !self.draw_bypass[k].val();
                self.winds[k].d.next = !self.draw_bypass[k].val() && self.its_strips[k].val().get_bit(0);
            }
            if self.moves_sum.val() {
                self.sum_skip[k].d.next = self.raw_skip[k].q.val();
            }
            if self.moves_found.val() {
                self.found_skip[k].d.next = self.sum_skip[k].q.val();
            }
            if self.fault_front_bit[k].val() {
                self.cull_bit_take[k].next =
                    self.reads.val() && self.is_first[k].val() && self.cull_bit_visible[k].val();
            }
        }
    }
}
