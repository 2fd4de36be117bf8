//! Arithmetic of blending on unsigned fractions of 8 bits: factor, product, sum, rounding, as
//! docs/graphics.md has them under "Tests and blending".
//!
//! Combinational. They can be wrong where a difference falls below 0 and where a sum passes the
//! largest value; `tests/blend_cells.rs` compares with exact quotients and runs both descriptions.

use rust_hdl::prelude::*;

use crate::leaf_cell;

leaf_cell! {
    /// A blend factor: 0, most, a colour, or most less a colour.
    ByteFactor {
        in
            /// Number of the factor, as a state record has it.
            code: Bits<4>,
            /// This component is alpha.
            alpha: bool,
            /// The fragment's component.
            source: Bits<8>,
            /// Its alpha.
            source_alpha: Bits<8>,
            /// The target's component.
            destination: Bits<8>,
            /// Its alpha.
            destination_alpha: Bits<8>,
            /// The constant's component.
            constant: Bits<8>;
        out
            /// The factor.
            factor: Bits<8>
    }
}

impl ByteFactor {
    const VERILOG: &'static str = "\
// module: byte_factor
reg [7:0] rest;
reg [7:0] lesser;
always @(*) begin
   rest = ~destination_alpha;
   lesser = source_alpha < rest ? source_alpha : rest;
   case (code)
      4'd1: factor = 8'hff;
      4'd2: factor = source;
      4'd3: factor = ~source;
      4'd4: factor = source_alpha;
      4'd5: factor = ~source_alpha;
      4'd6: factor = destination;
      4'd7: factor = ~destination;
      4'd8: factor = destination_alpha;
      4'd9: factor = rest;
      4'd10: factor = alpha ? 8'hff : lesser;
      4'd11: factor = constant;
      4'd12: factor = ~constant;
      default: factor = 8'h0;
   endcase
end
";

    fn compute(&mut self) {
        let most = 0xFFu64;
        let s = self.source.val().to_u64();
        let sa = self.source_alpha.val().to_u64();
        let d = self.destination.val().to_u64();
        let da = self.destination_alpha.val().to_u64();
        let c = self.constant.val().to_u64();
        self.factor.next = bits(match self.code.val().to_u64() {
            1 => most,
            2 => s,
            3 => most - s,
            4 => sa,
            5 => most - sa,
            6 => d,
            7 => most - d,
            8 => da,
            9 => most - da,
            10 if self.alpha.val() => most,
            10 => sa.min(most - da),
            11 => c,
            12 => most - c,
            _ => 0,
        });
    }
}

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
reg [15:0] first;
reg [15:0] second;
reg subtracts;
reg [16:0] total;
always @(*) begin
   first = operation[1] ? destination : source;
   second = operation[1] ? source : destination;
   subtracts = operation != 2'd0;
   total = {1'b0, first} + {subtracts, subtracts ? ~second : second} + {16'd0, subtracts};
   sum = subtracts && total[16] ? 17'd0 : total;
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
