//! The triangles of two windows, each in a line of its own: written while one window is filled,
//! read while the other is given to the rasteriser.
//!
//! Latency 1 cycle, one write and one read per cycle; a read of the line that is being written
//! gives the old one. It can be wrong in a field that lies over another; `tests/window.rs` compares
//! every bit of a triangle that goes through.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::cell::DeepRam;
use crate::comment;
use crate::config::GpuConfig;
use crate::ports::{TriangleDataIn, TriangleDataOut};

/// Bits of the words of a line: fields stand as the kernel says.
const WIDTHS: [usize; 7] = [64, 64, 60, 64, 62, 62, 57];
/// Of the words of an edge and its vertex.
const EDGE_WIDTH: usize = 60;

/// See the module documentation.
#[derive(QuietBlock)]
pub struct WindowRecords {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// The triangle is written.
    pub write_enable: Signal<In, bool>,
    /// Where.
    pub write_address: Signal<In, Bits<13>>,
    /// It.
    pub in_triangle: TriangleDataIn,
    /// Which one is read.
    pub read_address: Signal<In, Bits<13>>,
    /// It, a cycle later.
    pub triangle: TriangleDataOut,
    words: Vec<DeepRam>,
    edges: Vec<DeepRam>,
    _active: bool,
}

impl WindowRecords {
    /// For two windows of that configuration.
    pub fn new(config: &GpuConfig) -> Self {
        Self {
            clock: Signal::default(),
            write_enable: Signal::default(),
            write_address: Signal::default(),
            in_triangle: Default::default(),
            read_address: Signal::default(),
            triangle: Default::default(),
            words: WIDTHS.iter().map(|&width| DeepRam::new(2 * config.tbimr_window, width)).collect(),
            edges: (0..3).map(|_| DeepRam::new(2 * config.tbimr_window, EDGE_WIDTH)).collect(),
            _active: true,
        }
    }
}

impl Default for WindowRecords {
    fn default() -> Self {
        Self::new(&GpuConfig::default())
    }
}

#[kernel]
impl WindowRecords {
    /// A triangle is written into a line of words and edges.
    fn line_write(&mut self) {
        comment!("module: window_records");
        for k in 0..7 {
            clock!(self, clock, words[k]);
            self.words[k].write_enable.next = self.write_enable.val();
            self.words[k].write_address.next = self.write_address.val();
            self.words[k].read_address.next = self.read_address.val();
        }
        for k in 0..3 {
            clock!(self, clock, edges[k]);
            self.edges[k].write_enable.next = self.write_enable.val();
            self.edges[k].write_address.next = self.write_address.val();
            self.edges[k].read_address.next = self.read_address.val();
        }
        self.words[0].write_data.next = bit_cast::<64, 48>(self.in_triangle.c[0].val())
            | (bit_cast::<64, 16>(self.in_triangle.order.val()) << bits::<64>(48));
        self.words[1].write_data.next = bit_cast::<64, 48>(self.in_triangle.c[1].val())
            | (bit_cast::<64, 4>(self.in_triangle.context.val()) << bits::<64>(48))
            | (bit_cast::<64, 12>(self.in_triangle.handle.val()) << bits::<64>(52));
        self.words[2].write_data.next = bit_cast::<64, 48>(self.in_triangle.c[2].val())
            | (bit_cast::<64, 12>(self.in_triangle.x0.val()) << bits::<64>(48));
        self.words[3].write_data.next = bit_cast::<64, 52>(self.in_triangle.z.val().get_bits::<52>(0))
            | (bit_cast::<64, 12>(self.in_triangle.y0.val()) << bits::<64>(52));
        self.words[4].write_data.next = bit_cast::<64, 50>(self.in_triangle.gx.val())
            | (bit_cast::<64, 12>(self.in_triangle.x1.val()) << bits::<64>(50));
        self.words[5].write_data.next = bit_cast::<64, 50>(self.in_triangle.gy.val())
            | (bit_cast::<64, 12>(self.in_triangle.y1.val()) << bits::<64>(50));
        self.edges[0].write_data.next = bit_cast::<64, 24>(self.in_triangle.a[0].val())
            | (bit_cast::<64, 24>(self.in_triangle.b[0].val()) << bits::<64>(24))
            | (bit_cast::<64, 12>(self.in_triangle.vertex[0].val()) << bits::<64>(48));
        self.edges[1].write_data.next = bit_cast::<64, 24>(self.in_triangle.a[1].val())
            | (bit_cast::<64, 24>(self.in_triangle.b[1].val()) << bits::<64>(24))
            | (bit_cast::<64, 12>(self.in_triangle.vertex[1].val()) << bits::<64>(48));
        self.edges[2].write_data.next = bit_cast::<64, 24>(self.in_triangle.a[2].val())
            | (bit_cast::<64, 24>(self.in_triangle.b[2].val()) << bits::<64>(24))
            | (bit_cast::<64, 12>(self.in_triangle.vertex[2].val()) << bits::<64>(48));
        self.words[6].write_data.next = bit_cast::<64, 24>(self.in_triangle.z_low.val())
            | (bit_cast::<64, 24>(self.in_triangle.z_high.val()) << bits::<64>(24))
            | (bit_cast::<64, 8>(self.in_triangle.z.val().get_bits::<8>(52)) << bits::<64>(49));
        if self.in_triangle.back.val() {
            self.words[6].write_data.next = bit_cast::<64, 24>(self.in_triangle.z_low.val())
                | (bit_cast::<64, 24>(self.in_triangle.z_high.val()) << bits::<64>(24))
                | (bit_cast::<64, 8>(self.in_triangle.z.val().get_bits::<8>(52)) << bits::<64>(49))
                | (bits::<64>(1) << bits::<64>(48));
        }
    }

    /// The line that was read becomes a triangle again.
    fn line_read(&mut self) {
        for k in 0..3 {
            self.triangle.c[k].next = self.words[k].read_data.val().get_bits::<48>(0);
            self.triangle.a[k].next = self.edges[k].read_data.val().get_bits::<24>(0);
            self.triangle.b[k].next = self.edges[k].read_data.val().get_bits::<24>(24);
            self.triangle.vertex[k].next = self.edges[k].read_data.val().get_bits::<12>(48);
        }
        self.triangle.order.next = self.words[0].read_data.val().get_bits::<16>(48);
        self.triangle.context.next = self.words[1].read_data.val().get_bits::<4>(48);
        self.triangle.handle.next = self.words[1].read_data.val().get_bits::<12>(52);
        self.triangle.x0.next = self.words[2].read_data.val().get_bits::<12>(48);
        self.triangle.z.next = bit_cast::<60, 52>(self.words[3].read_data.val().get_bits::<52>(0))
            | (bit_cast::<60, 8>(self.words[6].read_data.val().get_bits::<8>(49)) << bits::<60>(52));
        self.triangle.y0.next = self.words[3].read_data.val().get_bits::<12>(52);
        self.triangle.gx.next = self.words[4].read_data.val().get_bits::<50>(0);
        self.triangle.x1.next = self.words[4].read_data.val().get_bits::<12>(50);
        self.triangle.gy.next = self.words[5].read_data.val().get_bits::<50>(0);
        self.triangle.y1.next = self.words[5].read_data.val().get_bits::<12>(50);
        self.triangle.z_low.next = self.words[6].read_data.val().get_bits::<24>(0);
        self.triangle.z_high.next = self.words[6].read_data.val().get_bits::<24>(24);
        self.triangle.back.next = self.words[6].read_data.val().get_bit(48);
    }
}
