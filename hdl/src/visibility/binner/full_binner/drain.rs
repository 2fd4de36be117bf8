//! Full binning, second phase, first half: tiles of the window one after the other, the nodes of
//! their lists, the lines of the packages that they name. Lines are asked for as far ahead as the
//! cache takes them. It can be wrong in the triangles of a list that are only on the chip.

use quadlock_hdl_macros::parts;
use rust_hdl::prelude::*;

use super::{DrainPort, FullBinner, FullList, FullWalk, WalkNext, WalkNode, WalkPackage, WalkTile};
use crate::ports::LineDataIn;

#[parts]
impl FullBinner {
    fn walk_tile(&mut self) {
        self.places.read_address.next = self.out_tile.q.val();
        self.jobs_used.next = self.jobs_tail.q.val() - self.jobs_head.q.val();
        self.job_room.next = !self.jobs_used.val().get_bit(3);
        self.has_job.next = self.jobs_used.val().any();
        if (self.walk.q.val() == FullWalk::Idle)
            && self.draining.q.val()
            && !self.walked.q.val()
            && (!self.flying.q.val().any() || self.fault_full_early.val())
        {
            self.walk.d.next = FullWalk::Place;
            self.out_tile.d.next = bits::<13>(0);
        }
        if self.walk.q.val() == FullWalk::Place {
            self.walk.d.next = FullWalk::Rest;
        }
        if self.walk.q.val() == FullWalk::Rest {
            self.list_x.d.next = self.place.val().get_bits::<9>(12);
            self.list_y.d.next = self.place.val().get_bits::<9>(21);
            self.walk.d.next = FullWalk::Begin;
        }
        if self.walk.q.val() == FullWalk::Begin {
            self.node.d.next = self.list.val().get_value_list_head();
            self.open_node.d.next = self.list.val().get_value_list_open();
            self.rest_count.d.next = self.list.val().get_value_list_count();
            self.rest.d.next = self.rests.read_data.val();
            self.walk.d.next = FullWalk::Node;
        }
    }

    fn walk_node(&mut self) {
        self.has_node.next = self.node.q.val() == self.open_node.q.val();
        self.cache.req_valid.next = false;
        self.cache.req_node.next = false;
        self.cache.req_line.next = self.node.q.val();
        self.sent.d.next = bits::<6>(0);
        if self.walk.q.val() == FullWalk::Node {
            self.final_node.d.next = self.has_node.val();
            if self.has_node.val() {
                self.entry[0].d.next = self.rest.q.val().get_bits::<32>(0);
                self.entry[1].d.next = self.rest.q.val().get_bits::<32>(32);
                self.entries.d.next = self.rest_count.q.val();
                self.walk.d.next = FullWalk::Package;
                if !self.rest_count.q.val().any() || self.fault_full_rest.val() {
                    self.walk.d.next = FullWalk::Next;
                }
            } else {
                self.cache.req_valid.next = true;
                self.cache.req_node.next = true;
                if self.cache.req_ready.val() {
                    self.walk.d.next = FullWalk::Wait;
                }
            }
        }
        self.takes_node.next = self.cache.rsp.valid.val() && self.cache.rsp_node.val();
        if self.takes_node.val() {
            for k in 0..3 {
                self.entry[k].d.next = self.cache.rsp.data[k].val();
            }
            self.entries.d.next = bits::<2>(3);
            self.node.d.next = self.cache.rsp.data[3].val().get_bits::<24>(0);
            self.walk.d.next = FullWalk::Package;
        }
    }

    fn walk_package(&mut self) {
        self.line_of_package.next = self.entry[0].q.val().get_bits::<24>(0) + bit_cast::<24, 6>(self.sent.q.val());
        self.last_line.next = self.sent.q.val() == (self.entry[0].q.val().get_bits::<6>(24) + bits::<6>(4));
        self.sends.next = false;
        if self.walk.q.val() == FullWalk::Package {
            self.cache.req_line.next = self.line_of_package.val();
            self.cache.req_valid.next = self.job_room.val() || self.sent.q.val().any();
            self.sends.next = (self.job_room.val() || self.sent.q.val().any()) && self.cache.req_ready.val();
            self.sent.d.next = self.sent.q.val();
        }
        self.jobs.write_enable.next = self.sends.val() && !self.sent.q.val().any();
        self.jobs.write_address.next = bit_cast::<6, 3>(self.jobs_tail.q.val().get_bits::<3>(0));
        self.jobs.write_data.next = bit_cast::<32, 9>(self.list_x.q.val())
            | (bit_cast::<32, 9>(self.list_y.q.val()) << bits::<32>(9))
            | (bit_cast::<32, 6>(self.entry[0].q.val().get_bits::<6>(24)) << bits::<32>(18));
        if self.sends.val() {
            self.sent.d.next = self.sent.q.val() + bits::<6>(1);
            if !self.sent.q.val().any() {
                self.jobs_tail.d.next = self.jobs_tail.q.val() + bits::<4>(1);
            }
            if self.last_line.val() {
                self.sent.d.next = bits::<6>(0);
                self.entry[0].d.next = self.entry[1].q.val();
                self.entry[1].d.next = self.entry[2].q.val();
                self.entries.d.next = self.entries.q.val() - bits::<2>(1);
                if self.entries.q.val() == bits::<2>(1) {
                    self.walk.d.next = FullWalk::Node;
                    if self.final_node.q.val() {
                        self.walk.d.next = FullWalk::Next;
                    }
                }
            }
        }
    }

    fn walk_next(&mut self) {
        if self.walk.q.val() == FullWalk::Next {
            self.out_tile.d.next = self.out_tile.q.val() + bits::<13>(1);
            self.walk.d.next = FullWalk::Place;
            if (self.out_tile.q.val() + bits::<13>(1)) == self.tiles.q.val() {
                self.walk.d.next = FullWalk::Idle;
                self.walked.d.next = true;
            }
        }
    }

    fn drain_port(&mut self) {
        self.cache.base.next = self.base.q.val();
        self.cache.read_ready.next = self.draining.q.val() && self.m_req.ready.val() && !self.flying.q.val().get_bit(4);
        // Answers of writes came before.
        self.cache.m_rsp.valid.next =
            self.m_rsp.valid.val() && ((self.walk.q.val() != FullWalk::Idle) || self.walked.q.val());
        LineDataIn::link(&mut self.m_rsp, &mut self.cache.m_rsp);
        self.m_req.addr.next = bit_cast::<32, 28>(self.write_address.val()) << bits::<32>(4);
        self.m_req.write.next = true;
        self.m_req.lock.next = false;
        self.m_req.mask.next = bits::<16>(0xFFFF);
        for k in 0..4 {
            self.m_req.data[k].next = self.write_word[k].val();
        }
        self.m_req.valid.next = self.wants_write.val() && self.may_write.val();
        if self.draining.q.val() {
            self.m_req.valid.next = self.cache.read_valid.val() && !self.flying.q.val().get_bit(4);
            self.m_req.addr.next = self.cache.read_address.val();
            self.m_req.write.next = false;
            self.m_req.mask.next = bits::<16>(0);
        }
    }
}
