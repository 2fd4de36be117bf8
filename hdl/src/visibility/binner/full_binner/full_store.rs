//! Records of the triangles that full binning draws: edges, reciprocals and words of corners, which
//! fragments ask for. A record is a triangle in one tile. It is written from the triangle's package
//! in memory, and read until the last quad of that tile is done.
//!
//! Lines stand as in the package: line 0 has the reciprocals, then come the words of corner 0, of
//! corner 1 and of corner 2 without a gap. Flat words are those of the first vertex in all three.
//! So an answer needs the number of words that a corner has, and nothing of the state.
//!
//! A question is answered two cycles later, one per cycle, as by the store of geometry. It can be
//! wrong in the place of a corner's words. Planted fault: `full-corner`.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::base::stream::FlowIn;
use crate::base::Planted;
use crate::cell::DeepRam;
use crate::comment;
use crate::config::GpuConfig;
use crate::fault::Fault;
use crate::ports::{LineDataIn, StoreAnswerOut, StoreReadDataIn};

/// See the module documentation.
#[derive(Default, QuietBlock)]
pub struct FullStore {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Record that is written.
    pub record: Signal<In, Bits<12>>,
    /// An edge is written.
    pub edge_write: Signal<In, bool>,
    /// Which one.
    pub edge_part: Signal<In, Bits<2>>,
    /// Per 1/256 pixel to the right.
    pub edge_a: Signal<In, Bits<24>>,
    /// Down.
    pub edge_b: Signal<In, Bits<24>>,
    /// At the target's corner.
    pub edge_c: Signal<In, Bits<48>>,
    /// A line is written.
    pub line_write: Signal<In, bool>,
    /// Its number in the record.
    pub line_number: Signal<In, Bits<6>>,
    /// It.
    pub put: LineDataIn,
    /// The number of a corner's words is written.
    pub count_write: Signal<In, bool>,
    /// It.
    pub count_of: Signal<In, Bits<6>>,
    /// Request for an edge or a word of a triangle's record.
    pub store_req: FlowIn<StoreReadDataIn>,
    /// Response, two cycles after the request.
    pub store_rsp: StoreAnswerOut,
    low: DeepRam<18, 32>,
    middle: DeepRam<18, 32>,
    high: DeepRam<18, 32>,
    counts: DeepRam,
    lines: Vec<DeepRam<18, 32>>,
    valid1: DFF<bool>,
    source1: DFF<Bits<4>>,
    handle1: DFF<Bits<12>>,
    corner1: DFF<Bits<2>>,
    word1: DFF<Bits<6>>,
    valid2: DFF<bool>,
    source2: DFF<Bits<4>>,
    which2: DFF<Bits<2>>,
    written: Signal<Local, Bits<18>>,
    asked: Signal<Local, Bits<18>>,
    count: Signal<Local, Bits<8>>,
    starts: Signal<Local, Bits<8>>,
    at: Signal<Local, Bits<8>>,
    is_special: Signal<Local, bool>,
    number: Signal<Local, Bits<6>>,
    fault_full_corner: Planted,
    _active: bool,
}

impl FullStore {
    /// As many records as geometry has, with that configuration's planted fault.
    pub fn new(config: &GpuConfig) -> Self {
        let records = config.records();
        Self {
            low: DeepRam::new(4 * records, 32),
            middle: DeepRam::new(4 * records, 32),
            high: DeepRam::new(4 * records, 32),
            counts: DeepRam::new(records, 6),
            lines: (0..4).map(|_| DeepRam::new(64 * records, 32)).collect(),
            fault_full_corner: Planted::new(config.has(Fault::FullCorner)),
            _active: true,
            ..Default::default()
        }
    }
}

#[kernel]
impl FullStore {
    /// Edges and the number of a corner's words are written.
    fn record_write(&mut self) {
        comment!("module: full_store");
        dff_setup!(self, clock, valid1, source1, handle1, corner1, word1, valid2, source2, which2);
        clock!(self, clock, low, middle, high, counts);
        // Written.
        self.written.next =
            (bit_cast::<18, 12>(self.record.val()) << bits::<18>(2)) | bit_cast::<18, 2>(self.edge_part.val());
        self.low.write_enable.next = self.edge_write.val();
        self.middle.write_enable.next = self.edge_write.val();
        self.high.write_enable.next = self.edge_write.val();
        self.low.write_address.next = self.written.val();
        self.middle.write_address.next = self.written.val();
        self.high.write_address.next = self.written.val();
        self.low.write_data.next = bit_cast::<32, 24>(self.edge_a.val())
            | (bit_cast::<32, 8>(self.edge_b.val().get_bits::<8>(0)) << bits::<32>(24));
        self.middle.write_data.next = bit_cast::<32, 16>(self.edge_b.val().get_bits::<16>(8))
            | (bit_cast::<32, 16>(self.edge_c.val().get_bits::<16>(0)) << bits::<32>(16));
        self.high.write_data.next = self.edge_c.val().get_bits::<32>(16);
        self.counts.write_enable.next = self.count_write.val();
        self.counts.write_address.next = bit_cast::<13, 12>(self.record.val());
        self.counts.write_data.next = bit_cast::<64, 6>(self.count_of.val());
    }

    /// A question finds the place of its word in the record.
    fn word_place(&mut self) {
        // A question: how many words a corner has.
        self.valid1.d.next = self.store_req.valid.val();
        self.source1.d.next = self.store_req.source.val();
        self.handle1.d.next = self.store_req.handle.val();
        self.corner1.d.next = self.store_req.corner.val();
        self.word1.d.next = self.store_req.word.val();
        self.counts.read_address.next = bit_cast::<13, 12>(self.store_req.handle.val());
        // Where its word is.
        self.count.next = bit_cast::<8, 6>(self.counts.read_data.val().get_bits::<6>(0));
        self.starts.next = bits::<8>(0);
        if (self.corner1.q.val() == bits::<2>(1)) && !self.fault_full_corner.val() {
            self.starts.next = self.count.val();
        }
        if self.corner1.q.val() == bits::<2>(2) {
            self.starts.next = self.count.val() + self.count.val();
        }
        self.at.next = self.starts.val() + bit_cast::<8, 6>(self.word1.q.val());
        self.is_special.next = self.word1.q.val() == bits::<6>(63);
        // Words of varyings begin at 4, and in line 1.
        self.number.next = self.at.val().get_bits::<6>(2);
        if self.is_special.val() {
            self.number.next = bits::<6>(0);
        }
    }

    /// Edges and lines are read at that place, and lines are written.
    fn line_memory(&mut self) {
        self.asked.next =
            (bit_cast::<18, 12>(self.handle1.q.val()) << bits::<18>(2)) | bit_cast::<18, 2>(self.corner1.q.val());
        self.low.read_address.next = self.asked.val();
        self.middle.read_address.next = self.asked.val();
        self.high.read_address.next = self.asked.val();
        for k in 0..4 {
            self.lines[k].clock.next = self.clock.val();
            self.lines[k].write_enable.next = self.line_write.val();
            self.lines[k].write_address.next =
                (bit_cast::<18, 12>(self.record.val()) << bits::<18>(6)) | bit_cast::<18, 6>(self.line_number.val());
            self.lines[k].write_data.next = self.put.data[k].val();
            self.lines[k].read_address.next =
                (bit_cast::<18, 12>(self.handle1.q.val()) << bits::<18>(6)) | bit_cast::<18, 6>(self.number.val());
        }
        self.valid2.d.next = self.valid1.q.val();
        self.source2.d.next = self.source1.q.val();
        self.which2.d.next = self.at.val().get_bits::<2>(0);
        if self.is_special.val() {
            self.which2.d.next = self.corner1.q.val();
        }
    }

    /// The answer has the edge, and one of the line's four words.
    fn store_answer(&mut self) {
        self.store_rsp.valid.next = self.valid2.q.val();
        self.store_rsp.source.next = self.source2.q.val();
        self.store_rsp.a.next = self.low.read_data.val().get_bits::<24>(0);
        self.store_rsp.b.next = bit_cast::<24, 8>(self.low.read_data.val().get_bits::<8>(24))
            | (bit_cast::<24, 16>(self.middle.read_data.val().get_bits::<16>(0)) << bits::<24>(8));
        self.store_rsp.c.next = bit_cast::<48, 16>(self.middle.read_data.val().get_bits::<16>(16))
            | (bit_cast::<48, 32>(self.high.read_data.val()) << bits::<48>(16));
        self.store_rsp.data.next = self.lines[0].read_data.val();
        if self.which2.q.val() == bits::<2>(1) {
            self.store_rsp.data.next = self.lines[1].read_data.val();
        }
        if self.which2.q.val() == bits::<2>(2) {
            self.store_rsp.data.next = self.lines[2].read_data.val();
        }
        if self.which2.q.val() == bits::<2>(3) {
            self.store_rsp.data.next = self.lines[3].read_data.val();
        }
    }
}
