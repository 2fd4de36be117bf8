//! A small RAM with a clocked write port and a combinational read port, as FPGA look-up tables make
//! it: 16 words of 32 bits. It holds the queues of things in flight, whose head must be visible
//! without a cycle of delay. Contents start at zero. A read of the word that is being written
//! returns the old one until the edge; it can be wrong where Rust and Verilog differ in that, which
//! the cross-check drives.

use quadlock_hdl_macros::QuietBlock;
use rust_hdl::prelude::*;

/// Words of a [`LutRam`].
pub const LUTRAM_WORDS: usize = 16;

/// 16 words of 32 bits, one write (clocked) and one read (combinational) per cycle.
#[derive(QuietBlock)]
pub struct LutRam {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Write the word.
    pub write_enable: Signal<In, bool>,
    /// Word that is written.
    pub write_address: Signal<In, Bits<4>>,
    /// Data to write.
    pub write_data: Signal<In, Bits<32>>,
    /// Word that is read.
    pub read_address: Signal<In, Bits<4>>,
    /// Its contents, in the same cycle.
    pub read_data: Signal<Out, Bits<32>>,
    #[state]
    _contents: [Bits<32>; LUTRAM_WORDS],
    _active: bool,
}

impl Default for LutRam {
    fn default() -> Self {
        Self {
            clock: Signal::default(),
            write_enable: Signal::default(),
            write_address: Signal::default(),
            write_data: Signal::default(),
            read_address: Signal::default(),
            read_data: Signal::default(),
            _contents: [Bits::default(); LUTRAM_WORDS],
            _active: true,
        }
    }
}

impl Logic for LutRam {
    fn update(&mut self) {
        if self.clock.pos_edge() && self.write_enable.val() {
            self._contents[self.write_address.val().index()] = self.write_data.val();
        }
        self.read_data.next = self._contents[self.read_address.val().index()];
    }

    fn connect(&mut self) {
        self.read_data.connect();
    }

    fn hdl(&self) -> Verilog {
        Verilog::Custom(
            "\
// module: lutram
reg [31:0] mem [0:15];
integer fill;

initial begin
   for (fill = 0; fill < 16; fill = fill + 1)
      mem[fill] = 32'd0;
end

always @(posedge clock) begin
   if (write_enable)
      mem[write_address] <= write_data;
end

always @(*) read_data = mem[read_address];
"
            .into(),
        )
    }

    fn timing(&self) -> Vec<TimingInfo> {
        vec![TimingInfo {
            name: "lutram_write".into(),
            clock: "clock".into(),
            inputs: vec!["write_enable".into(), "write_address".into(), "write_data".into()],
            outputs: vec![],
        }]
    }
}
