//! Synchronous one-read, one-write RAMs of 32-bit words with a depth chosen when the design is
//! built. Read and write in one cycle at one address: the read returns the old word (read first).
//! The depth is rounded up to a power of two and addresses wrap at it. Contents and output start at
//! zero, as FPGA block RAM does.
//!
//! Latency 1 cycle, one read and one write per cycle. They can be wrong where Rust and Verilog
//! order the read and the write of one edge differently; `tests/cells.rs` drives collisions.

use quadlock_hdl_macros::QuietBlock;
use rust_hdl::prelude::*;

/// The widest address: 4096 words.
const ADDRESS_BITS: usize = 12;

fn depth(words: usize) -> usize {
    let depth = words.next_power_of_two().max(2);
    assert!(depth <= 1 << ADDRESS_BITS, "a RAM of {words} words is larger than its {ADDRESS_BITS}-bit address");
    depth
}

/// The Verilog that both RAMs share: storage, zero fill and the read port; `write` is the body of
/// the write port.
fn verilog(name: &str, depth: usize, write: &str) -> Verilog {
    let top = depth - 1;
    let high = depth.trailing_zeros() - 1;
    let wraps = match ADDRESS_BITS - 1 - high as usize {
        0 => String::new(),
        // A name that lint tools take as "unused on purpose".
        _ => format!("wire unused = |{{read_address[{0}:{1}], write_address[{0}:{1}]}};\n", ADDRESS_BITS - 1, high + 1),
    };
    Verilog::Custom(format!(
        "\
// module: {name}_{depth}
reg [31:0] mem [0:{top}];
integer fill;
{wraps}
initial begin
   for (fill = 0; fill < {depth}; fill = fill + 1)
      mem[fill] = 32'd0;
   read_data = 32'd0;
end

always @(posedge clock) begin
   read_data <= mem[read_address[{high}:0]];
{write}
end
",
        write = write.replace("$ADDRESS", &format!("write_address[{high}:0]"))
    ))
}

fn timing(enable: &str) -> Vec<TimingInfo> {
    vec![
        TimingInfo {
            name: "ram_read".into(),
            clock: "clock".into(),
            inputs: vec!["read_address".into()],
            outputs: vec!["read_data".into()],
        },
        TimingInfo {
            name: "ram_write".into(),
            clock: "clock".into(),
            inputs: vec!["write_address".into(), "write_data".into(), enable.into()],
            outputs: vec![],
        },
    ]
}

/// RAM with a whole-word write enable.
#[derive(QuietBlock)]
pub struct Ram {
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

impl Ram {
    /// A RAM of `words` 32-bit words, rounded up to a power of two; at most 4096.
    pub fn new(words: usize) -> Self {
        Self {
            clock: Signal::default(),
            read_address: Signal::default(),
            read_data: Signal::default(),
            write_address: Signal::default(),
            write_data: Signal::default(),
            write_enable: Signal::default(),
            _contents: vec![0; depth(words)].into(),
            _active: true,
        }
    }
}

impl Default for Ram {
    /// The largest one.
    fn default() -> Self {
        Self::new(1 << ADDRESS_BITS)
    }
}

impl Logic for Ram {
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
        verilog("ram", self._contents.len(), "   if (write_enable)\n      mem[$ADDRESS] <= write_data;")
    }

    fn timing(&self) -> Vec<TimingInfo> {
        timing("write_enable")
    }
}

/// RAM with one write enable per byte: bit i of `write_mask` writes bits 8i+7:8i.
#[derive(QuietBlock)]
pub struct RamByte {
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
    /// Bit i writes bits 8i+7:8i.
    pub write_mask: Signal<In, Bits<4>>,
    #[state]
    _contents: Box<[u32]>,
    _active: bool,
}

impl RamByte {
    /// A RAM of `words` 32-bit words, rounded up to a power of two; at most 4096.
    pub fn new(words: usize) -> Self {
        Self {
            clock: Signal::default(),
            read_address: Signal::default(),
            read_data: Signal::default(),
            write_address: Signal::default(),
            write_data: Signal::default(),
            write_mask: Signal::default(),
            _contents: vec![0; depth(words)].into(),
            _active: true,
        }
    }
}

impl Default for RamByte {
    /// The largest one.
    fn default() -> Self {
        Self::new(1 << ADDRESS_BITS)
    }
}

impl Logic for RamByte {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            let wrap = self._contents.len() - 1;
            self.read_data.next = bits(u64::from(self._contents[self.read_address.val().index() & wrap]));
            let enables = self.write_mask.val().to_u32();
            let mask = (0..4).map(|byte| ((enables >> byte) & 1) * (0xFF << (8 * byte))).sum::<u32>();
            let word = &mut self._contents[self.write_address.val().index() & wrap];
            *word = (*word & !mask) | (self.write_data.val().to_u32() & mask);
        }
    }

    fn connect(&mut self) {
        self.read_data.connect();
    }

    fn hdl(&self) -> Verilog {
        let write = (0..4)
            .map(|byte| {
                let (high, low) = (8 * byte + 7, 8 * byte);
                format!("   if (write_mask[{byte}])\n      mem[$ADDRESS][{high}:{low}] <= write_data[{high}:{low}];")
            })
            .collect::<Vec<_>>()
            .join("\n");
        verilog("ram_byte", self._contents.len(), &write)
    }

    fn timing(&self) -> Vec<TimingInfo> {
        timing("write_mask")
    }
}
