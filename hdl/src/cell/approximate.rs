//! Fixed-point arithmetic of the approximated functions: the reduction of exp2, the quadratic and
//! what follows it (see `docs/float.md`). Products and sums of more than 32 bits, signed numbers,
//! truncations that are arithmetic shifts.
//!
//! Combinational. They can be wrong where a negative number is truncated and at the most negative
//! offset; `tests/function_cells.rs` drives those and random values through both descriptions.

use rust_hdl::prelude::*;

use crate::leaf_cell;

/// A two's-complement number of N bits.
fn signed<const N: usize>(value: Bits<N>) -> i64 {
    (value.to_u64() << (64 - N)) as i64 >> (64 - N)
}

/// The low N bits of a number.
fn low<const N: usize>(value: i64) -> Bits<N> {
    bits(value as u64 & ((1 << N) - 1))
}

leaf_cell! {
    /// A float as fixed point with 27 fraction bits, rounded down: (-1)^negative * significand *
    /// 2^(11 - amount).
    FixedPoint {
        in
            /// Significand.
            significand: Bits<24>,
            /// The number is negative.
            negative: bool,
            /// Places to shift right.
            amount: Bits<6>;
        out
            /// Integral part, two's complement.
            whole: Bits<9>,
            /// Fraction.
            fraction: Bits<27>
    }
}

impl FixedPoint {
    const VERILOG: &'static str = "\
// module: fixed_point
reg signed [24:0] number;
reg signed [35:0] wide;
reg signed [35:0] scaled;
always @(*) begin
   number = negative ? -$signed({1'b0, significand}) : $signed({1'b0, significand});
   wide = {number, 11'd0};
   scaled = wide >>> amount;
   whole = scaled[35:27];
   fraction = scaled[26:0];
end
";

    fn compute(&mut self) {
        let magnitude = self.significand.val().to_u64() as i64;
        let number = if self.negative.val() { -magnitude } else { magnitude };
        let fixed = number << 11 >> self.amount.val().to_u32();
        self.whole.next = low(fixed >> 27);
        self.fraction.next = low(fixed);
    }
}

leaf_cell! {
    /// Square of the upper 17 bits of an offset, truncated to units of 2^-16.
    OffsetSquare {
        in
            /// Offset in the interval, two's complement, units of 2^-21.
            offset: Bits<22>;
        out
            /// Its square, at most 2^16.
            square: Bits<17>
    }
}

impl OffsetSquare {
    const VERILOG: &'static str = "\
// module: offset_square
reg signed [16:0] upper;
reg signed [33:0] full;
reg unused;
always @(*) begin
   upper = offset[21:5];
   full = upper * upper;
   square = full[32:16];
   unused = |{offset[4:0], full[33], full[15:0]};
end
";

    fn compute(&mut self) {
        let upper = signed(self.offset.val()) >> 5;
        self.square.next = low((upper * upper) >> 16);
    }
}

leaf_cell! {
    /// The two products of the quadratic, each truncated (rounded down) to units of 2^-28.
    QuadraticTerms {
        in
            /// C1, two's complement.
            c1: Bits<23>,
            /// Offset in the interval, two's complement.
            offset: Bits<22>,
            /// C2, two's complement.
            c2: Bits<14>,
            /// Square of the offset.
            square: Bits<17>;
        out
            /// C1 * offset, two's complement.
            linear: Bits<24>,
            /// C2 * square, two's complement.
            curved: Bits<16>
    }
}

impl QuadraticTerms {
    const VERILOG: &'static str = "\
// module: quadratic_terms
reg signed [44:0] slope;
reg signed [31:0] bend;
reg unused;
always @(*) begin
   slope = $signed(c1) * $signed(offset);
   bend = $signed(c2) * $signed({1'b0, square});
   linear = slope[44:21];
   curved = bend[31:16];
   unused = |{slope[20:0], bend[15:0]};
end
";

    fn compute(&mut self) {
        self.linear.next = low((signed(self.c1.val()) * signed(self.offset.val())) >> 21);
        self.curved.next = low((signed(self.c2.val()) * self.square.val().to_u64() as i64) >> 16);
    }
}

leaf_cell! {
    /// The sum of the quadratic.
    QuadraticSum {
        in
            /// C0.
            c0: Bits<29>,
            /// C1 * offset, two's complement.
            linear: Bits<24>,
            /// C2 * square, two's complement.
            curved: Bits<16>;
        out
            /// Value of the quadratic, units of 2^-28; never negative for the lines of the tables.
            y: Bits<30>
    }
}

impl QuadraticSum {
    const VERILOG: &'static str = "\
// module: quadratic_sum
always @(*) begin
   y = {1'b0, c0} + {{6{linear[23]}}, linear} + {{14{curved[15]}}, curved};
end
";

    fn compute(&mut self) {
        self.y.next = low(self.c0.val().to_u64() as i64 + signed(self.linear.val()) + signed(self.curved.val()));
    }
}

leaf_cell! {
    /// Product with the quadratic, truncated.
    FactorProduct {
        in
            /// Factor.
            factor: Bits<30>,
            /// Value of the quadratic, units of 2^-28.
            y: Bits<30>;
        out
            /// factor * y, in the units of the factor.
            product: Bits<32>
    }
}

impl FactorProduct {
    const VERILOG: &'static str = "\
// module: factor_product
reg [59:0] full;
reg unused;
always @(*) begin
   full = {30'd0, factor} * {30'd0, y};
   product = full[59:28];
   unused = |full[27:0];
end
";

    fn compute(&mut self) {
        self.product.next = bits((self.factor.val().to_u64() * self.y.val().to_u64()) >> 28);
    }
}

leaf_cell! {
    /// Magnitude of base * 2^30 + product, or of their difference.
    BaseSum {
        in
            /// Base, two's complement.
            base: Bits<9>,
            /// Product.
            product: Bits<32>,
            /// Subtract the product, else add it.
            subtract: bool;
        out
            /// Magnitude, bits 39:8.
            hi: Bits<32>,
            /// Magnitude, bits 7:0.
            lo: Bits<8>,
            /// The sum is negative.
            negative: bool
    }
}

impl BaseSum {
    const VERILOG: &'static str = "\
// module: base_sum
reg [40:0] total;
reg [39:0] magnitude;
always @(*) begin
   total = subtract ? {{2{base[8]}}, base, 30'd0} - {9'd0, product} : {{2{base[8]}}, base, 30'd0} + {9'd0, product};
   negative = total[40];
   magnitude = negative ? ~total[39:0] + 40'd1 : total[39:0];
   hi = magnitude[39:8];
   lo = magnitude[7:0];
end
";

    fn compute(&mut self) {
        let product = self.product.val().to_u64() as i64;
        let total = (signed(self.base.val()) << 30) + if self.subtract.val() { -product } else { product };
        self.negative.next = total < 0;
        self.hi.next = low(total.abs() >> 8);
        self.lo.next = low(total.abs());
    }
}
