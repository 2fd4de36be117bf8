//! A lane of a tile buffer: 1,024 words of 32 bits, one read and one write per cycle.
//!
//! Whoever reads a word in the cycle in which it is written gets what was read before, whatever
//! that was: blending and the depth test never trust such a read. A block RAM of an ECP5 has no
//! order of the two either. To promise one takes a second register and a multiplexer for each bit.
//!
//! Latency 1 cycle. Contents and output start at zero. It can be wrong where somebody does trust
//! such a read; `tests/blend.rs` and `tests/depth.rs` give both blocks a memory of this kind.

use quadlock_hdl_macros::QuietBlock;
use rust_hdl::prelude::*;

/// Words of the memory.
pub const WORDS: usize = 1024;

/// See the module documentation.
#[derive(QuietBlock)]
pub struct TileRam {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Word that is read.
    pub read_address: Signal<In, Bits<10>>,
    /// Its contents, one cycle later; as before if the word is written.
    #[state]
    pub read_data: Signal<Out, Bits<32>>,
    /// Word that is written.
    pub write_address: Signal<In, Bits<10>>,
    /// Data to write.
    pub write_data: Signal<In, Bits<32>>,
    /// Write the word.
    pub write_enable: Signal<In, bool>,
    #[state]
    _contents: Box<[u32]>,
    _active: bool,
}

impl Default for TileRam {
    fn default() -> Self {
        Self {
            clock: Signal::default(),
            read_address: Signal::default(),
            read_data: Signal::default(),
            write_address: Signal::default(),
            write_data: Signal::default(),
            write_enable: Signal::default(),
            _contents: vec![0; WORDS].into(),
            _active: true,
        }
    }
}

impl Logic for TileRam {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            let (from, to) = (self.read_address.val().index(), self.write_address.val().index());
            let writes = self.write_enable.val();
            if !writes || from != to {
                self.read_data.next = bits(u64::from(self._contents[from]));
            }
            if writes {
                self._contents[to] = self.write_data.val().to_u32();
            }
        }
    }

    fn connect(&mut self) {
        self.read_data.connect();
    }

    fn hdl(&self) -> Verilog {
        Verilog::Custom(
            "\
// module: tile_ram
reg [31:0] mem [0:1023];
integer fill;

initial begin
   for (fill = 0; fill < 1024; fill = fill + 1)
      mem[fill] = 32'd0;
   read_data = 32'd0;
end

always @(posedge clock) begin
   if (!(write_enable && write_address == read_address))
      read_data <= mem[read_address];
   if (write_enable)
      mem[write_address] <= write_data;
end
"
            .into(),
        )
    }

    fn timing(&self) -> Vec<TimingInfo> {
        let reads = TimingInfo {
            name: "ram_read".into(),
            clock: "clock".into(),
            inputs: vec!["read_address".into(), "write_address".into(), "write_enable".into()],
            outputs: vec!["read_data".into()],
        };
        let writes = TimingInfo {
            name: "ram_write".into(),
            clock: "clock".into(),
            inputs: vec!["write_address".into(), "write_data".into(), "write_enable".into()],
            outputs: vec![],
        };
        vec![reads, writes]
    }
}
