//! A synchronous one-read, one-write RAM of 2 to 262,144 words of 32 bits. Read and write in one
//! cycle at one address: the read returns the old word. Upper bits of addresses wrap. Contents and
//! output start at zero, as FPGA block RAM does.
//!
//! Latency 1 cycle, one read and one write per cycle. It can be wrong where Rust and Verilog order
//! the read and the write of one edge differently; `tests/cells.rs` drives collisions.

use quadlock_hdl_macros::QuietBlock;
use rust_hdl::prelude::*;

/// The widest address: 4,096 vertices of 64 words.
const ADDRESS_BITS: usize = 18;

/// See the module documentation.
#[derive(QuietBlock)]
pub struct StoreRam {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Word that is read; wraps at the depth.
    pub read_address: Signal<In, Bits<ADDRESS_BITS>>,
    /// Its contents before this cycle's write, one cycle after the address.
    #[state]
    pub read_data: Signal<Out, Bits<32>>,
    /// Word that is written; wraps at the depth.
    pub write_address: Signal<In, Bits<ADDRESS_BITS>>,
    /// Data to write.
    pub write_data: Signal<In, Bits<32>>,
    /// Write the word.
    pub write_enable: Signal<In, bool>,
    #[state]
    _contents: Box<[u32]>,
    _active: bool,
}

impl StoreRam {
    /// A RAM of `words` words, rounded up to a power of two, at most 262,144.
    pub fn new(words: usize) -> Self {
        let depth = words.next_power_of_two().max(2);
        assert!(depth <= 1 << ADDRESS_BITS, "no such RAM: {words} words");
        Self {
            clock: Signal::default(),
            read_address: Signal::default(),
            read_data: Signal::default(),
            write_address: Signal::default(),
            write_data: Signal::default(),
            write_enable: Signal::default(),
            _contents: vec![0; depth].into(),
            _active: true,
        }
    }
}

impl Default for StoreRam {
    /// That of a store of 64 vertices.
    fn default() -> Self {
        Self::new(4096)
    }
}

impl Logic for StoreRam {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            let wrap = self._contents.len() - 1;
            self.read_data.next = bits(u64::from(self._contents[self.read_address.val().index() & wrap]));
            if self.write_enable.val() {
                self._contents[self.write_address.val().index() & wrap] = self.write_data.val().to_u32();
            }
        }
    }

    fn connect(&mut self) {
        self.read_data.connect();
    }

    fn hdl(&self) -> Verilog {
        let depth = self._contents.len();
        let (top, high, last) = (depth - 1, depth.trailing_zeros() as usize - 1, ADDRESS_BITS - 1);
        // A name that lint tools take as "unused on purpose".
        let unused = match last - high {
            0 => String::new(),
            _ => format!("wire unused = |{{read_address[{last}:{0}], write_address[{last}:{0}]}};\n", high + 1),
        };
        Verilog::Custom(format!(
            "\
// module: store_ram_{depth}
reg [31:0] mem [0:{top}];
integer fill;
{unused}
initial begin
   for (fill = 0; fill < {depth}; fill = fill + 1)
      mem[fill] = 32'd0;
   read_data = 32'd0;
end

always @(posedge clock) begin
   read_data <= mem[read_address[{high}:0]];
   if (write_enable)
      mem[write_address[{high}:0]] <= write_data;
end
"
        ))
    }

    fn timing(&self) -> Vec<TimingInfo> {
        vec![
            TimingInfo {
                name: "store_ram_read".into(),
                clock: "clock".into(),
                inputs: vec!["read_address".into()],
                outputs: vec!["read_data".into()],
            },
            TimingInfo {
                name: "store_ram_write".into(),
                clock: "clock".into(),
                inputs: vec!["write_address".into(), "write_data".into(), "write_enable".into()],
                outputs: vec![],
            },
        ]
    }
}
