//! Codes of 8 bits and what they stand for in 16: where an sRGB code is looked up, what the look-up
//! gives, and the bytes of fractions.
//!
//! Combinational. They can be wrong at the borders of the table's intervals and of codes;
//! `tests/blend_cells.rs` drives all 65,536 values.

use rust_hdl::prelude::*;

use crate::leaf_cell;

leaf_cell! {
    /// Line of the table of codes for 16 bits, and the place in its interval. Intervals are 16 wide
    /// below 2^12, 64 below 2^14, then 256.
    CodePlace {
        in
            /// 16 bits.
            value: Bits<16>;
        out
            /// Line of the table.
            line: Bits<10>,
            /// Place in the interval.
            offset: Bits<8>
    }
}

impl CodePlace {
    const VERILOG: &'static str = "\
// module: code_place
reg low;
reg middle;
always @(*) begin
   low = ~|value[15:12];
   middle = ~|value[15:14];
   line = low ? {2'd0, value[11:4]} : middle ? {2'd1, value[13:6]} : {2'd2, value[15:8]};
   offset = {value[7:6] & {2{~middle}}, value[5:4] & {2{~low}}, value[3:0]};
end
";

    fn compute(&mut self) {
        let value = self.value.val().to_u64();
        let (first, width) = match value {
            0..0x1000 => (0, 16),
            0x1000..0x4000 => (256, 64),
            _ => (512, 256),
        };
        self.line.next = bits(first + value / width);
        self.offset.next = bits(value % width);
    }
}

leaf_cell! {
    /// The code of 16 bits: that before the change in their interval, or the next one.
    CodeChange {
        in
            /// Word of the table: code before the change in 15:8, place of the change in 7:0.
            word: Bits<16>,
            /// Place in the interval.
            offset: Bits<8>;
        out
            /// The code.
            code: Bits<8>
    }
}

impl CodeChange {
    const VERILOG: &'static str = "\
// module: code_change
reg [8:0] beyond;
reg unused;
always @(*) begin
   beyond = {1'b0, offset} - {1'b0, word[7:0]};
   unused = |beyond[7:0];
   code = word[15:8] + {7'd0, ~beyond[8]};
end
";

    fn compute(&mut self) {
        let word = self.word.val().to_u64();
        let next = u64::from(self.offset.val().to_u64() >= word & 0xFF);
        self.code.next = bits(((word >> 8) + next) & 0xFF);
    }
}

leaf_cell! {
    /// The byte that is nearest to a fraction of 16 bits. A division by 257 is a series of which
    /// two terms do.
    ByteNarrow {
        in
            /// 16 bits.
            value: Bits<16>;
        out
            /// The byte.
            code: Bits<8>
    }
}

impl ByteNarrow {
    const VERILOG: &'static str = "\
// module: byte_narrow
reg [16:0] half;
reg [16:0] full;
reg unused;
always @(*) begin
   half = {1'b0, value} + 17'd128;
   full = half - {8'd0, half[16:8]};
   unused = full[16] | |full[7:0];
   code = full[15:8];
end
";

    fn compute(&mut self) {
        self.code.next = bits((510 * self.value.val().to_u64() + 65535) / 131_070);
    }
}
