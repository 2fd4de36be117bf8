//! A synchronous one-read, one-write RAM with addresses of `A` bits and data of `W`: 13 and 64 of
//! the window binner, 18 and 64 of Hi-Z's pixels, 18 and 32 of the stores of geometry. Read and
//! write in one cycle at one address: the read returns the old word. Upper bits of addresses wrap;
//! upper bits of data read 0. Contents and output start at zero, as FPGA block RAM does.
//!
//! Latency 1 cycle, one read and one write per cycle. It can be wrong where Rust and Verilog order
//! the read and the write of one edge differently. Neither the window binner nor Hi-Z reads what it
//! writes; `quadlock crosscheck --block deep_ram` compares all engines, and seldom meets such an
//! edge.

use quadlock_hdl_macros::QuietBlock;
use rust_hdl::prelude::*;

/// See the module documentation.
#[derive(QuietBlock)]
pub struct DeepRam<const A: usize = 13, const W: usize = 64> {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Word that is read; wraps at the depth.
    pub read_address: Signal<In, Bits<A>>,
    /// Its contents before this cycle's write, one cycle after the address.
    #[state]
    pub read_data: Signal<Out, Bits<W>>,
    /// Word that is written; wraps at the depth.
    pub write_address: Signal<In, Bits<A>>,
    /// Data to write, in its lowest bits.
    pub write_data: Signal<In, Bits<W>>,
    /// Write the word.
    pub write_enable: Signal<In, bool>,
    #[state]
    _contents: Box<[u64]>,
    _width: usize,
    _active: bool,
}

impl<const A: usize, const W: usize> DeepRam<A, W> {
    /// A RAM of `words` words, rounded up to a power of two, of `width` bits.
    pub fn new(words: usize, width: usize) -> Self {
        let depth = words.next_power_of_two().max(2);
        assert!(depth <= 1 << A && W <= 64 && (1..=W).contains(&width), "no such RAM: {words} words of {width} bits");
        Self {
            clock: Signal::default(),
            read_address: Signal::default(),
            read_data: Signal::default(),
            write_address: Signal::default(),
            write_data: Signal::default(),
            write_enable: Signal::default(),
            _contents: vec![0; depth].into(),
            _width: width,
            _active: true,
        }
    }
}

impl<const A: usize, const W: usize> Default for DeepRam<A, W> {
    /// The largest one.
    fn default() -> Self {
        Self::new(1 << A, W)
    }
}

impl<const A: usize, const W: usize> Logic for DeepRam<A, W> {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            let wrap = self._contents.len() - 1;
            self.read_data.next = bits(self._contents[self.read_address.val().index() & wrap]);
            if self.write_enable.val() {
                let data = self.write_data.val().to_u64() & (u64::MAX >> (64 - self._width));
                self._contents[self.write_address.val().index() & wrap] = data;
            }
        }
    }

    fn connect(&mut self) {
        self.read_data.connect();
    }

    fn hdl(&self) -> Verilog {
        let (depth, width) = (self._contents.len(), self._width);
        let (top, high, bit) = (depth - 1, depth.trailing_zeros() - 1, width - 1);
        let mut unused = vec![];
        if (high as usize) < A - 1 {
            let upper = format!("{}:{}", A - 1, high + 1);
            unused.push(format!("read_address[{upper}], write_address[{upper}]"));
        }
        let mut zeros = String::new();
        if width < W {
            unused.push(format!("write_data[{}:{width}]", W - 1));
            zeros = format!("{}'d0, ", W - width);
        }
        // A name that lint tools take as "unused on purpose".
        let unused = match unused.is_empty() {
            true => String::new(),
            false => format!("wire unused = |{{{}}};\n", unused.join(", ")),
        };
        Verilog::Custom(format!(
            "\
// module: deep_ram_{depth}_{width}
reg [{bit}:0] mem [0:{top}];
integer fill;
{unused}
initial begin
   for (fill = 0; fill < {depth}; fill = fill + 1)
      mem[fill] = {width}'d0;
   read_data = {W}'d0;
end

always @(posedge clock) begin
   read_data <= {{{zeros}mem[read_address[{high}:0]]}};
   if (write_enable)
      mem[write_address[{high}:0]] <= write_data[{bit}:0];
end
"
        ))
    }

    fn timing(&self) -> Vec<TimingInfo> {
        vec![
            TimingInfo {
                name: "deep_ram_read".into(),
                clock: "clock".into(),
                inputs: vec!["read_address".into()],
                outputs: vec!["read_data".into()],
            },
            TimingInfo {
                name: "deep_ram_write".into(),
                clock: "clock".into(),
                inputs: vec!["write_address".into(), "write_data".into(), "write_enable".into()],
                outputs: vec![],
            },
        ]
    }
}
