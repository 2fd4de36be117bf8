//! Arithmetic wider than the 32-bit words that the engine handles well: product, 96-bit shifts, sum
//! and leading-zero count. A 96-bit number is three words, `w0` the lowest. All are combinational;
//! the float stages register the results.
//!
//! They can be wrong at the ends of the shift ranges and in the carries between words;
//! `tests/wide_cells.rs` drives those and random values through both descriptions.

use rust_hdl::prelude::*;

use crate::leaf_cell;

/// Three 32-bit words as one number.
fn join(w0: Bits<32>, w1: Bits<32>, w2: Bits<32>) -> u128 {
    u128::from(w0.to_u32()) | u128::from(w1.to_u32()) << 32 | u128::from(w2.to_u32()) << 64
}

/// Word `index` of a number.
fn word(value: u128, index: u32) -> Bits<32> {
    bits(u64::from((value >> (32 * index)) as u32))
}

leaf_cell! {
    /// Unsigned product of two 32-bit words.
    Mul32 {
        in
            /// First factor.
            a: Bits<32>,
            /// Second factor.
            b: Bits<32>;
        out
            /// Product, bits 31:0.
            lo: Bits<32>,
            /// Product, bits 63:32.
            hi: Bits<32>
    }
}

impl Mul32 {
    const VERILOG: &'static str = "\
// module: mul32
reg [63:0] full;
always @(*) begin
   full = {32'd0, a} * {32'd0, b};
   lo = full[31:0];
   hi = full[63:32];
end
";

    fn compute(&mut self) {
        let product = u64::from(self.a.val().to_u32()) * u64::from(self.b.val().to_u32());
        self.lo.next = bits(product & 0xFFFF_FFFF);
        self.hi.next = bits(product >> 32);
    }
}

leaf_cell! {
    /// Puts a 24-bit significand at the top of a 96-bit window and shifts it right; what leaves the
    /// window is collected.
    AlignShift {
        in
            /// Significand that starts at the top of the window.
            significand: Bits<24>,
            /// Bits to shift right, 0 to 96.
            amount: Bits<7>;
        out
            /// Window, word 0 the lowest.
            w0: Bits<32>,
            /// Word 1 of the window.
            w1: Bits<32>,
            /// Word 2 of the window.
            w2: Bits<32>,
            /// A set bit left the window.
            sticky: bool
    }
}

impl AlignShift {
    const VERILOG: &'static str = "\
// module: align_shift
reg [119:0] shifted;
always @(*) begin
   shifted = {significand, 96'd0} >> amount;
   w2 = shifted[119:88];
   w1 = shifted[87:56];
   w0 = shifted[55:24];
   sticky = |shifted[23:0];
end
";

    fn compute(&mut self) {
        let amount = self.amount.val().to_u32();
        let window = u128::from(self.significand.val().to_u32()) << 72;
        let shifted = window >> amount;
        self.w0.next = word(shifted, 0);
        self.w1.next = word(shifted, 1);
        self.w2.next = word(shifted, 2);
        self.sticky.next = shifted << amount != window;
    }
}

leaf_cell! {
    /// With a = the product `p1`, `p0` times 2^20: 96-bit a + b, or the magnitude of a - b -
    /// borrow.
    WideAddSub {
        in
            /// Product, bits 31:0.
            p0: Bits<32>,
            /// Product, bits 63:32.
            p1: Bits<32>,
            /// Second operand, word 0 the lowest.
            b0: Bits<32>,
            /// Word 1 of the second operand.
            b1: Bits<32>,
            /// Word 2 of the second operand.
            b2: Bits<32>,
            /// Subtract, else add.
            subtract: bool,
            /// Subtracts one more; only with `subtract`, and only where the difference stays
            /// positive.
            borrow: bool;
        out
            /// Result, word 0 the lowest.
            w0: Bits<32>,
            /// Word 1 of the result.
            w1: Bits<32>,
            /// Word 2 of the result.
            w2: Bits<32>,
            /// The difference was negative and has been negated.
            negative: bool
    }
}

impl WideAddSub {
    const VERILOG: &'static str = "\
// module: wide_add_sub
reg [96:0] total;
reg [95:0] magnitude;
always @(*) begin
   total = subtract ? {13'd0, p1, p0, 20'd0} - {1'b0, b2, b1, b0} - {96'd0, borrow}
                    : {13'd0, p1, p0, 20'd0} + {1'b0, b2, b1, b0};
   negative = subtract & total[96];
   magnitude = negative ? ~total[95:0] + 96'd1 : total[95:0];
   w2 = magnitude[95:64];
   w1 = magnitude[63:32];
   w0 = magnitude[31:0];
end
";

    fn compute(&mut self) {
        let a = join(self.p0.val(), self.p1.val(), bits(0)) << 20;
        let b = join(self.b0.val(), self.b1.val(), self.b2.val());
        let (total, negative) = if self.subtract.val() {
            let b = b + u128::from(self.borrow.val());
            (a.abs_diff(b), a < b)
        } else {
            (a + b, false)
        };
        self.negative.next = negative;
        self.w0.next = word(total, 0);
        self.w1.next = word(total, 1);
        self.w2.next = word(total, 2);
    }
}

leaf_cell! {
    /// Zero bits above the highest set bit of a 96-bit number; 96 for zero.
    LeadingZeros {
        in
            /// The number, word 0 the lowest.
            w0: Bits<32>,
            /// Word 1 of the number.
            w1: Bits<32>,
            /// Word 2 of the number.
            w2: Bits<32>;
        out
            /// Leading zeros.
            count: Bits<7>
    }
}

impl LeadingZeros {
    /// Binary search, so that the depth is logarithmic; the 1 appended below ends the search for
    /// zero.
    const VERILOG: &'static str = "\
// module: leading_zeros
reg [127:0] rest;
always @(*) begin
   rest = {w2, w1, w0, 32'h80000000};
   count[6] = ~|rest[127:64];
   if (count[6]) rest = rest << 64;
   count[5] = ~|rest[127:96];
   if (count[5]) rest = rest << 32;
   count[4] = ~|rest[127:112];
   if (count[4]) rest = rest << 16;
   count[3] = ~|rest[127:120];
   if (count[3]) rest = rest << 8;
   count[2] = ~|rest[127:124];
   if (count[2]) rest = rest << 4;
   count[1] = ~|rest[127:126];
   if (count[1]) rest = rest << 2;
   count[0] = ~rest[127];
end
";

    fn compute(&mut self) {
        let value = join(self.w0.val(), self.w1.val(), self.w2.val());
        self.count.next = bits(u64::from(value.leading_zeros() - 32));
    }
}

leaf_cell! {
    /// Shifts a 96-bit number left or right and returns its top 24 bits, the next one, and whether
    /// anything is set below that.
    NormalShift {
        in
            /// The number, word 0 the lowest.
            w0: Bits<32>,
            /// Word 1 of the number.
            w1: Bits<32>,
            /// Word 2 of the number.
            w2: Bits<32>,
            /// 0 to 96.
            left: Bits<7>,
            /// 0 to 127, applied after `left`.
            right: Bits<7>;
        out
            /// Top 24 bits.
            significand: Bits<24>,
            /// The next bit.
            guard: bool,
            /// A bit below that is set.
            sticky: bool
    }
}

impl NormalShift {
    /// The second shifter is narrow: 27 places are enough to bring all of the top 25 bits below the
    /// guard bit.
    const VERILOG: &'static str = "\
// module: normal_shift
reg [95:0] upper;
reg [4:0] places;
reg [51:0] shifted;
always @(*) begin
   upper = {w2, w1, w0} << left;
   places = (right > 7'd27) ? 5'd27 : right[4:0];
   shifted = {upper[95:71], 27'd0} >> places;
   significand = shifted[51:28];
   guard = shifted[27];
   sticky = |shifted[26:0] | |upper[70:0];
end
";

    fn compute(&mut self) {
        const WINDOW: u128 = (1 << 96) - 1;
        let value = join(self.w0.val(), self.w1.val(), self.w2.val());
        let upper = (value << self.left.val().to_u32()) & WINDOW;
        let right = self.right.val().to_u32();
        let shifted = upper >> right;
        let lost = shifted << right != upper;
        self.significand.next = bits((shifted >> 72) as u64);
        self.guard.next = shifted & (1 << 71) != 0;
        self.sticky.next = lost || shifted & ((1 << 71) - 1) != 0;
    }
}

leaf_cell! {
    /// Counts of set bits, leading zeros and trailing zeros (32 for zero), and the word reversed.
    BitCount {
        in
            /// The word.
            a: Bits<32>;
        out
            /// Set bits.
            popc: Bits<6>,
            /// Leading zeros.
            clz: Bits<6>,
            /// Trailing zeros.
            ctz: Bits<6>,
            /// The word reversed.
            brev: Bits<32>
    }
}

impl BitCount {
    const VERILOG: &'static str = "\
// module: bit_count
integer i;
reg [31:0] high;
reg [31:0] low;
reg [5:0] zeros_above;
reg [5:0] zeros_below;
always @(*) begin
   popc = 6'd0;
   for (i = 0; i < 32; i = i + 1) begin
      popc = popc + {5'd0, a[i]};
      brev[i] = a[31 - i];
   end
   high = a;
   zeros_above = 6'd0;
   if (high[31:16] == 16'd0) begin zeros_above[4] = 1'b1; high = high << 16; end
   if (high[31:24] == 8'd0) begin zeros_above[3] = 1'b1; high = high << 8; end
   if (high[31:28] == 4'd0) begin zeros_above[2] = 1'b1; high = high << 4; end
   if (high[31:30] == 2'd0) begin zeros_above[1] = 1'b1; high = high << 2; end
   zeros_above[0] = ~high[31];
   low = a;
   zeros_below = 6'd0;
   if (low[15:0] == 16'd0) begin zeros_below[4] = 1'b1; low = low >> 16; end
   if (low[7:0] == 8'd0) begin zeros_below[3] = 1'b1; low = low >> 8; end
   if (low[3:0] == 4'd0) begin zeros_below[2] = 1'b1; low = low >> 4; end
   if (low[1:0] == 2'd0) begin zeros_below[1] = 1'b1; low = low >> 2; end
   zeros_below[0] = ~low[0];
   clz = (a == 32'd0) ? 6'd32 : zeros_above;
   ctz = (a == 32'd0) ? 6'd32 : zeros_below;
end
";

    fn compute(&mut self) {
        let a = self.a.val().to_u32();
        self.popc.next = bits(u64::from(a.count_ones()));
        self.clz.next = bits(u64::from(a.leading_zeros()));
        self.ctz.next = bits(u64::from(a.trailing_zeros()));
        self.brev.next = bits(u64::from(a.reverse_bits()));
    }
}
