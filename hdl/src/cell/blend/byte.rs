//! Arithmetic of blending on unsigned fractions of 8 bits: product, sum, rounding, as
//! docs/graphics.md has them under "Tests and blending".
//!
//! Combinational. They can be wrong where a difference falls below 0 and where a sum passes the
//! largest value; `tests/blend_cells.rs` compares with exact quotients and runs both descriptions.

use rust_hdl::prelude::*;

use crate::leaf_cell;

leaf_cell! {
    /// Product of two fractions.
    ByteProduct {
        in
            /// Colour.
            a: Bits<8>,
            /// Factor.
            b: Bits<8>;
        out
            /// Product.
            product: Bits<16>
    }
}

impl ByteProduct {
    const VERILOG: &'static str = "\
// module: byte_product
always @(*) product = {8'd0, a} * {8'd0, b};
";

    fn compute(&mut self) {
        self.product.next = bits(self.a.val().to_u64() * self.b.val().to_u64());
    }
}

leaf_cell! {
    /// Sum of two products, or their difference held at 0.
    ByteSum {
        in
            /// 0 the sum, 1 source less destination, 2 or 3 destination less source.
            operation: Bits<2>,
            /// Product of the source.
            source: Bits<16>,
            /// Product of the destination.
            destination: Bits<16>;
        out
            /// Sum.
            sum: Bits<17>
    }
}

impl ByteSum {
    const VERILOG: &'static str = "\
// module: byte_sum
reg [16:0] up;
reg [16:0] down;
always @(*) begin
   // Carry chains cost less than what would make one of three.
   up = {1'b0, source} - {1'b0, destination};
   down = {1'b0, destination} - {1'b0, source};
   case (operation)
      2'd0: sum = {1'b0, source} + {1'b0, destination};
      2'd1: sum = up[16] ? 17'd0 : up;
      default: sum = down[16] ? 17'd0 : down;
   endcase
end
";

    fn compute(&mut self) {
        let (s, d) = (self.source.val().to_u64(), self.destination.val().to_u64());
        self.sum.next = bits(match self.operation.val().to_u64() {
            0 => s + d,
            1 => s.saturating_sub(d),
            _ => d.saturating_sub(s),
        });
    }
}

leaf_cell! {
    /// The nearest fraction to a sum of products, halves up, at most the largest. A division by
    /// 2^8 - 1 is a series of which two terms do.
    ByteRound {
        in
            /// Sum of two products.
            sum: Bits<17>;
        out
            /// The fraction.
            value: Bits<8>
    }
}

impl ByteRound {
    const VERILOG: &'static str = "\
// module: byte_round
reg [17:0] half;
reg [17:0] full;
reg unused;
always @(*) begin
   half = {1'b0, sum} + 18'd128;
   full = half + {8'd0, half[17:8]};
   unused = |full[7:0];
   value = |full[17:16] ? 8'hff : full[15:8];
end
";

    fn compute(&mut self) {
        let most = 0xFFu64;
        self.value.next = bits(((2 * self.sum.val().to_u64() + most) / (2 * most)).min(most));
    }
}
