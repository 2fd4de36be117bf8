//! A half times a factor, rounded once to f32: `FMUL` of docs/graphics.md, "Tests and blending".
//!
//! A half has 11 bits and a factor 24, both with their leading bit at the top. So the product's
//! leading bit is one of two, and its exponent is within f32's.
//!
//! Combinational. They can be wrong in a tie, and where rounding makes the next binade;
//! `tests/blend_cells.rs` compares with `rustc_apfloat`, and runs both descriptions.

use rust_hdl::prelude::*;

use crate::leaf_cell;

leaf_cell! {
    /// Product of two significands.
    HalfProduct {
        in
            /// Significand of a half, as [`super::HalfNormal`] gives it.
            half: Bits<11>,
            /// Significand of a factor, as [`super::FactorNormal`] gives it.
            factor: Bits<24>;
        out
            /// Product.
            product: Bits<35>
    }
}

impl HalfProduct {
    const VERILOG: &'static str = "\
// module: half_product
always @(*) product = {24'd0, half} * {11'd0, factor};
";

    fn compute(&mut self) {
        self.product.next = bits(self.half.val().to_u64() * self.factor.val().to_u64());
    }
}

leaf_cell! {
    /// A product as f32, nearest, ties to even.
    ProductRound {
        in
            /// Product, 0 or with bit 34 or 33 set.
            product: Bits<35>,
            /// Sum of both exponents as two's complement, that of the factor less 1.
            exponent: Bits<7>;
        out
            /// f32 without its sign; +0 of product 0.
            magnitude: Bits<31>
    }
}

impl ProductRound {
    const VERILOG: &'static str = "\
// module: product_round
reg top;
reg guard;
reg sticky;
reg [22:0] fraction;
reg [30:0] rounded;
always @(*) begin
   top = product[34];
   fraction = top ? product[33:11] : product[32:10];
   guard = top ? product[10] : product[9];
   sticky = |product[8:0] | (top & product[9]);
   rounded = {{exponent[6], exponent} + {6'b011000, 1'b1, top}, fraction} + {30'd0, guard & (sticky | fraction[0])};
   magnitude = {rounded[30:23] & {8{|product[34:33]}}, rounded[22:0]};
end
";

    fn compute(&mut self) {
        let product = self.product.val().to_u64();
        let top = product >> 34;
        let (lost, half) = (product & ((1 << (10 + top)) - 1), 1 << (9 + top));
        let fraction = product >> (10 + top) & 0x7F_FFFF;
        let up = lost > half || (lost == half && fraction & 1 == 1);
        let exponent = self.exponent.val().to_u64();
        let field = (exponent | (exponent & 0x40) << 1) + 98 + top;
        let rounded = ((field & 0xFF) << 23 | fraction) + u64::from(up);
        let field = if product >> 33 == 0 { 0 } else { rounded & 0x7F80_0000 };
        self.magnitude.next = bits(field | rounded & 0x7F_FFFF);
    }
}
