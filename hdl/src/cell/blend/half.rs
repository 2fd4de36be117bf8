//! Halves as blending takes them apart: significand and exponent, a factor that may be one less a
//! half, and which of two alphas is the lesser (docs/graphics.md, "Tests and blending").
//!
//! An exponent here is a half's field, as if fields went on below 1 for subnormal numbers. Shifts
//! by a known distance are products with a power of two, which a multiplier of the FPGA makes for
//! nothing.
//!
//! Combinational. They can be wrong where one less a half cancels, at subnormal numbers, and at
//! zeros; `tests/blend_cells.rs` drives all halves through the factor, and runs both descriptions.

use rust_hdl::prelude::*;

use crate::leaf_cell;

/// Exponent field as a number and significand of a half: its value is s * 2^(e - 25).
fn parts(half: u32) -> (u32, u32) {
    let field = half >> 10 & 31;
    (field.max(1), half & 0x3FF | u32::from(field > 0) << 10)
}

fn is_nan(half: u32) -> bool {
    half & 0x7FFF > 0x7C00
}

leaf_cell! {
    /// A half with its leading bit at the top.
    HalfNormal {
        in
            /// The half.
            half: Bits<16>;
        out
            /// Exponent field, -9 to 31 as two's complement. Of zero it means nothing.
            exponent: Bits<6>,
            /// Significand, bit 10 set; 0 of zero.
            significand: Bits<11>
    }
}

impl HalfNormal {
    const VERILOG: &'static str = "\
// module: half_normal
reg [10:0] rest;
reg [3:0] zeros;
always @(*) begin
   rest = {|half[14:10], half[9:0]};
   zeros = 4'd0;
   if (rest[10:3] == 8'd0) begin zeros[3] = 1'b1; rest = {rest[2:0], 8'd0}; end
   if (rest[10:7] == 4'd0) begin zeros[2] = 1'b1; rest = {rest[6:0], 4'd0}; end
   if (rest[10:9] == 2'd0) begin zeros[1] = 1'b1; rest = {rest[8:0], 2'd0}; end
   if (!rest[10]) begin zeros[0] = 1'b1; rest = {rest[9:0], 1'b0}; end
   significand = rest;
   exponent = {1'b0, half[14:11], half[10] | ~|half[14:10]} - {2'd0, zeros};
end
";

    fn compute(&mut self) {
        let (field, significand) = parts(self.half.val().to_u32());
        // The count of zero is that of the Verilog.
        let zeros = if significand == 0 { 15 } else { significand.leading_zeros() - 21 };
        self.significand.next = bits(u64::from(significand << zeros & 0x7FF));
        self.exponent.next = bits(u64::from(field.wrapping_sub(zeros) & 63));
    }
}

leaf_cell! {
    /// A half, or one less it, as a sum that is not normalised. The half must be finite.
    FactorStart {
        in
            /// The half.
            half: Bits<16>,
            /// One less it.
            inverts: bool;
        out
            /// Magnitude in units of 2^(exponent - 40).
            sum: Bits<27>,
            /// Exponent field of what is at bit 25: 1 to 30.
            exponent: Bits<5>,
            /// It is below 0, or the half -0.
            negative: bool
    }
}

impl FactorStart {
    const VERILOG: &'static str = "\
// module: factor_start
reg hidden;
reg least;
reg great;
reg lessens;
reg [3:0] distance;
reg [10:0] big;
reg [11:0] little;
reg [15:0] place;
reg [26:0] part;
always @(*) begin
   hidden = |half[14:10];
   least = half[10] | ~hidden;
   great = half[14] | &half[13:10];
   // Of 1 and the half the greater one stays where it is; the other is moved right by the distance.
   distance = great ? half[13:10] + 4'd1 : {~half[13:11], ~least};
   big = great | ~inverts ? {hidden, half[9:0]} : 11'd1024;
   lessens = inverts & ~half[15];
   little = {1'b0, great | ~inverts ? {inverts, 10'd0} : {hidden, half[9:0]}} ^ {12{lessens}};
   little = little + {11'd0, lessens};
   place = 16'h8000 >> distance;
   part = $signed({{15{little[11]}}, little}) * $signed({11'd0, place});
   sum = {1'b0, big, 15'd0} + part;
   exponent = great | ~inverts ? {half[14:11], least} : 5'd15;
   negative = inverts ? lessens & (half[14] | (great & |half[9:0])) : half[15];
end
";

    fn compute(&mut self) {
        let half = self.half.val().to_u32();
        let (field, significand) = parts(half);
        let (field, significand) = (field as usize, u64::from(significand));
        let below = half & 0x8000 != 0;
        if !self.inverts.val() {
            self.sum.next = bits(significand << 15);
            self.exponent.next = bits(field as u64);
            self.negative.next = below;
            return;
        }
        // Both in units of 2^(exponent - 40). An infinity would be moved by a place in all.
        let exponent = field.max(15);
        let one = (1u64 << 25) >> ((exponent - 15) & 15);
        let own = significand << (15 - (exponent - field));
        self.sum.next = bits(if below { one + own } else { one.abs_diff(own) });
        self.exponent.next = bits(exponent as u64);
        self.negative.next = !(below || own <= one && field != 31);
    }
}

leaf_cell! {
    /// A factor normalised and rounded to a significand of f32. It is a half or one less one, so at
    /// most the bit behind the significand is lost, a tie.
    FactorNormal {
        in
            /// Magnitude, as [`FactorStart`] gives it: 0, or 2^14 at least.
            sum: Bits<27>,
            /// Its exponent.
            exponent: Bits<5>;
        out
            /// Exponent field less 1, -12 to 30 as two's complement. Of zero it means nothing.
            field: Bits<6>,
            /// Significand, bit 23 set; 0 of zero.
            significand: Bits<24>,
            /// It is zero.
            zero: bool
    }
}

impl FactorNormal {
    /// The places are those of a product with a power of two: the leading bit, turned round.
    const VERILOG: &'static str = "\
// module: factor_normal
reg [3:0] any;
reg [3:0] above;
reg [12:0] power;
reg [3:0] zeros;
reg [26:0] all;
reg unused;
always @(*) begin
   // Groups of three: any bit of it, any of those above.
   any = {|sum[17:15], |sum[20:18], |sum[23:21], |sum[26:24]};
   above = {|any, |any[2:0], |any[1:0], any[0]};
   power[2:0] = {sum[24] & ~|sum[26:25], sum[25] & ~sum[26], sum[26]};
   power[5:3] = {sum[21] & ~|sum[23:22], sum[22] & ~sum[23], sum[23]} & {3{~above[0]}};
   power[8:6] = {sum[18] & ~|sum[20:19], sum[19] & ~sum[20], sum[20]} & {3{~above[1]}};
   power[11:9] = {sum[15] & ~|sum[17:16], sum[16] & ~sum[17], sum[17]} & {3{~above[2]}};
   power[12] = sum[14] & ~above[3];
   zero = ~above[3] & ~sum[14];
   zeros[0] = power[1] | power[3] | power[5] | power[7] | power[9] | power[11];
   zeros[1] = power[2] | power[3] | power[6] | power[7] | power[10] | power[11];
   zeros[2] = power[4] | power[5] | power[6] | power[7] | power[12];
   zeros[3] = power[8] | power[9] | power[10] | power[11] | power[12];
   all = sum * {14'd0, power};
   unused = |all[1:0];
   // The tie is only of numbers between 1 and 1 + 2^-13.
   significand = {all[26:15], all[14:3] + {11'd0, all[2] & all[3]}};
   field = {1'b0, exponent} - {2'd0, zeros};
end
";

    fn compute(&mut self) {
        let (sum, exponent) = (self.sum.val().to_u32(), self.exponent.val().to_u32());
        let (all, zeros) = match sum >> 14 {
            0 => (0, 0),
            _ => (sum << (sum.leading_zeros() - 5), sum.leading_zeros() - 5),
        };
        let tie = u32::from(all >> 2 & 3 == 3);
        let rounded = all >> 3 & 0xFF_F000 | ((all >> 3 & 0xFFF) + tie) & 0xFFF;
        self.significand.next = bits(rounded.into());
        self.zero.next = sum >> 14 == 0;
        self.field.next = bits(u64::from(exponent.wrapping_sub(zeros) & 63));
    }
}

leaf_cell! {
    /// A half in the units of a sum of [`FactorStart`].
    HalfScale {
        in
            /// The half.
            half: Bits<16>,
            /// Exponent of the sum, at least 15.
            exponent: Bits<5>;
        out
            /// Its magnitude. What is less than a unit of the sum is 0: the sum is greater then.
            magnitude: Bits<27>,
            /// It is greater than every sum.
            huge: bool
    }
}

impl HalfScale {
    const VERILOG: &'static str = "\
// module: half_scale
reg hidden;
reg [6:0] place;
reg [15:0] power;
always @(*) begin
   hidden = |half[14:10];
   place = {2'd0, half[14:11], half[10] | ~hidden} + 7'd14 - {2'd0, exponent};
   huge = ~place[6] & |place[5:4];
   power = 16'd1 << place[3:0];
   magnitude = place[6] ? 27'd0 : {15'd0, hidden, half[9:0], 1'b0} * {11'd0, power};
end
";

    fn compute(&mut self) {
        let (field, significand) = parts(self.half.val().to_u32());
        let place = i64::from(field) + 14 - self.exponent.val().to_u32() as i64;
        let magnitude = if place < 0 { 0 } else { u64::from(significand) << ((place & 15) + 1) };
        self.magnitude.next = bits(magnitude);
        self.huge.next = place > 15;
    }
}

leaf_cell! {
    /// Whether one less the target's alpha is the lesser, as `FMIN` has it of the fragment's alpha
    /// and that.
    HalfLesser {
        in
            /// The fragment's alpha.
            own: Bits<16>,
            /// It, as [`HalfScale`] gives it.
            magnitude: Bits<27>,
            /// It is greater than every sum.
            huge: bool,
            /// The target's.
            other: Bits<16>,
            /// One less the target's, as [`FactorStart`] gives it.
            sum: Bits<27>,
            /// Its sign.
            negative: bool;
        out
            /// It is taken.
            lesser: bool
    }
}

impl HalfLesser {
    const VERILOG: &'static str = "\
// module: half_lesser
reg [27:0] above;
reg [27:0] below;
reg unused;
reg less;
always @(*) begin
   above = {1'b0, sum} - {1'b0, magnitude};
   below = {1'b0, magnitude} - {1'b0, sum};
   unused = |above[26:0] | |below[26:0];
   if (negative ^ own[15])
      less = negative;
   else
      less = negative ? ~huge & below[27] : huge | above[27];
   if (&other[14:10])
      less = ~|other[9:0] & ~other[15];
   lesser = less | (&own[14:10] & |own[9:0]);
end
";

    fn compute(&mut self) {
        let (own, other) = (self.own.val().to_u32(), self.other.val().to_u32());
        let (sum, huge) = (self.sum.val().to_u64(), self.huge.val());
        let magnitude = if huge { 1 << 28 } else { self.magnitude.val().to_u64() };
        let less = match (self.negative.val(), own & 0x8000 != 0) {
            (true, false) => true,
            (false, true) => false,
            (true, true) => sum > magnitude,
            (false, false) => sum < magnitude,
        };
        let infinite = other & 0x7C00 == 0x7C00;
        self.lesser.next = is_nan(own) || if infinite { other == 0x7C00 } else { less };
    }
}
