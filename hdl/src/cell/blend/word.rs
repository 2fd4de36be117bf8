//! Arithmetic of blending on unsigned fractions of 16 bits: product, sum, rounding, as
//! docs/graphics.md has them under "Tests and blending".
//!
//! Combinational. They can be wrong where a difference falls below 0 and where a sum passes the
//! largest value; `tests/blend_cells.rs` compares with exact quotients and runs both descriptions.

use rust_hdl::prelude::*;

use crate::leaf_cell;

leaf_cell! {
    /// Product of two fractions.
    WordProduct {
        in
            /// Colour.
            a: Bits<16>,
            /// Factor.
            b: Bits<16>;
        out
            /// Product.
            product: Bits<32>
    }
}

impl WordProduct {
    const VERILOG: &'static str = "\
// module: word_product
always @(*) product = {16'd0, a} * {16'd0, b};
";

    fn compute(&mut self) {
        self.product.next = bits(self.a.val().to_u64() * self.b.val().to_u64());
    }
}

leaf_cell! {
    /// Sum of two products, or their difference held at 0.
    WordSum {
        in
            /// 0 the sum, 1 source less destination, 2 or 3 destination less source.
            operation: Bits<2>,
            /// Product of the source.
            source: Bits<32>,
            /// Product of the destination.
            destination: Bits<32>;
        out
            /// Sum.
            sum: Bits<33>
    }
}

impl WordSum {
    const VERILOG: &'static str = "\
// module: word_sum
reg [32:0] up;
reg [32:0] down;
always @(*) begin
   // Carry chains cost less than what would make one of three.
   up = {1'b0, source} - {1'b0, destination};
   down = {1'b0, destination} - {1'b0, source};
   case (operation)
      2'd0: sum = {1'b0, source} + {1'b0, destination};
      2'd1: sum = up[32] ? 33'd0 : up;
      default: sum = down[32] ? 33'd0 : down;
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
    /// 2^16 - 1 is a series of which two terms do.
    WordRound {
        in
            /// Sum of two products.
            sum: Bits<33>;
        out
            /// The fraction.
            value: Bits<16>
    }
}

impl WordRound {
    const VERILOG: &'static str = "\
// module: word_round
reg [33:0] half;
reg [33:0] full;
reg unused;
always @(*) begin
   half = {1'b0, sum} + 34'd32768;
   full = half + {16'd0, half[33:16]};
   unused = |full[15:0];
   value = |full[33:32] ? 16'hffff : full[31:16];
end
";

    fn compute(&mut self) {
        let most = 0xFFFFu64;
        self.value.next = bits(((2 * self.sum.val().to_u64() + most) / (2 * most)).min(most));
    }
}
