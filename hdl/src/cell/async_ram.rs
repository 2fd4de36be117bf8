//! A RAM with a clocked write port and a combinational read port, as FPGA look-up tables make it,
//! with addresses of `A` bits and data of `W`: 64 words of 32 bits, unless it says otherwise; 4,096
//! bytes of flags of vertices. Upper bits of addresses wrap; upper bits of data read 0. Contents
//! start at zero. A read of the word that is being written returns the old one until the
//! edge; it can be wrong where Rust and Verilog differ in that, which `tests/cells.rs` drives.

use quadlock_hdl_macros::QuietBlock;
use rust_hdl::prelude::*;

/// See the module documentation.
#[derive(QuietBlock)]
pub struct AsyncRam<const A: usize = 6, const W: usize = 32> {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Write the word.
    pub write_enable: Signal<In, bool>,
    /// Word that is written; wraps at the depth.
    pub write_address: Signal<In, Bits<A>>,
    /// Data to write, in its lowest bits.
    pub write_data: Signal<In, Bits<W>>,
    /// Word that is read; wraps at the depth.
    pub read_address: Signal<In, Bits<A>>,
    /// Its contents, in the same cycle.
    pub read_data: Signal<Out, Bits<W>>,
    #[state]
    _contents: Box<[u32]>,
    _width: usize,
    _active: bool,
}

impl<const A: usize, const W: usize> AsyncRam<A, W> {
    /// A RAM of `words` words, rounded up to a power of two, of `width` bits.
    pub fn new(words: usize, width: usize) -> Self {
        let depth = words.next_power_of_two().max(2);
        assert!(depth <= 1 << A && W <= 32 && (1..=W).contains(&width), "no such RAM: {words} words of {width} bits");
        Self {
            clock: Signal::default(),
            write_enable: Signal::default(),
            write_address: Signal::default(),
            write_data: Signal::default(),
            read_address: Signal::default(),
            read_data: Signal::default(),
            _contents: vec![0; depth].into(),
            _width: width,
            _active: true,
        }
    }
}

impl<const A: usize, const W: usize> Default for AsyncRam<A, W> {
    /// The largest one.
    fn default() -> Self {
        Self::new(1 << A, W)
    }
}

impl<const A: usize, const W: usize> Logic for AsyncRam<A, W> {
    fn update(&mut self) {
        let wrap = self._contents.len() - 1;
        if self.clock.pos_edge() && self.write_enable.val() {
            let data = self.write_data.val().to_u32() & (u32::MAX >> (32 - self._width));
            self._contents[self.write_address.val().index() & wrap] = data;
        }
        self.read_data.next = bits(u64::from(self._contents[self.read_address.val().index() & wrap]));
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
// module: async_ram_{depth}_{width}
reg [{bit}:0] mem [0:{top}];
integer fill;
{unused}
initial begin
   for (fill = 0; fill < {depth}; fill = fill + 1)
      mem[fill] = {width}'d0;
end

always @(posedge clock) begin
   if (write_enable)
      mem[write_address[{high}:0]] <= write_data[{bit}:0];
end

always @(*) read_data = {{{zeros}mem[read_address[{high}:0]]}};
"
        ))
    }

    fn timing(&self) -> Vec<TimingInfo> {
        vec![TimingInfo {
            name: "async_ram_write".into(),
            clock: "clock".into(),
            inputs: vec!["write_enable".into(), "write_address".into(), "write_data".into()],
            outputs: vec![],
        }]
    }
}
