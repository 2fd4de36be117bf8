//! Halves as blending takes them apart: significand and exponent, a factor that may be one less a
//! half, and which of two halves is the lesser (docs/graphics.md, "Tests and blending").
//!
//! An exponent here is that of 1.xxx in units of 2^-25: a half's field plus 10, less what a
//! subnormal number lacks. Shifts by a known distance are products with a power of two, which a
//! multiplier of the FPGA makes for nothing.
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
            /// Exponent field plus 10, as if the field went below 1: 1 to 41. Of zero it means
            /// nothing.
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
   exponent = {1'b0, half[14:11], half[10] | ~|half[14:10]} + 6'd10 - {2'd0, zeros};
end
";

    fn compute(&mut self) {
        let (field, significand) = parts(self.half.val().to_u32());
        // The count of zero is that of the Verilog.
        let zeros = if significand == 0 { 15 } else { significand.leading_zeros() - 21 };
        self.significand.next = bits(u64::from(significand << zeros & 0x7FF));
        self.exponent.next = bits(u64::from((field + 10).wrapping_sub(zeros) & 63));
    }
}

leaf_cell! {
    /// What a number of a factor asks for: at most one colour, and whether it is taken from one.
    /// Factor 0 is no colour, factor 1 one less no colour.
    FactorChoice {
        in
            /// Number of the factor, as a state record has it.
            code: Bits<4>,
            /// Of alpha.
            alpha: bool;
        out
            /// The fragment's colour.
            source: bool,
            /// The fragment's alpha.
            source_alpha: bool,
            /// The target's colour.
            destination: bool,
            /// The target's alpha.
            destination_alpha: bool,
            /// The constant.
            constant: bool,
            /// One less that.
            inverts: bool,
            /// The lesser of the fragment's alpha and one less the target's: in place of the
            /// fragment's alpha.
            saturates: bool
    }
}

impl FactorChoice {
    const VERILOG: &'static str = "\
// module: factor_choice
reg limits;
always @(*) begin
   limits = code == 4'd10;
   source = code[3:1] == 3'd1;
   source_alpha = code[3:1] == 3'd2 | (limits & ~alpha);
   destination = code[3:1] == 3'd3;
   destination_alpha = code[3:1] == 3'd4;
   constant = code == 4'd11 | code == 4'd12;
   inverts = (code[0] & code < 4'd10) | code == 4'd12 | (limits & alpha);
   saturates = limits & ~alpha;
end
";

    fn compute(&mut self) {
        let (code, alpha) = (self.code.val().to_u32(), self.alpha.val());
        let saturates = code == 10 && !alpha;
        self.source.next = matches!(code, 2 | 3);
        self.source_alpha.next = matches!(code, 4 | 5) || saturates;
        self.destination.next = matches!(code, 6 | 7);
        self.destination_alpha.next = matches!(code, 8 | 9);
        self.constant.next = matches!(code, 11 | 12);
        self.inverts.next = matches!(code, 1 | 3 | 5 | 7 | 9 | 12) || (code == 10 && alpha);
        self.saturates.next = saturates;
    }
}

leaf_cell! {
    /// The colour that a factor is made of, 0 if none is wanted. At most one may be.
    WordSelect {
        in
            /// The fragment's colour.
            source: Bits<16>,
            /// Its alpha.
            source_alpha: Bits<16>,
            /// The target's colour.
            destination: Bits<16>,
            /// Its alpha.
            destination_alpha: Bits<16>,
            /// The constant.
            constant: Bits<16>,
            /// The first is wanted.
            of_source: bool,
            /// The second.
            of_source_alpha: bool,
            /// The third.
            of_destination: bool,
            /// The fourth.
            of_destination_alpha: bool,
            /// The fifth.
            of_constant: bool;
        out
            /// The colour.
            colour: Bits<16>
    }
}

impl WordSelect {
    const VERILOG: &'static str = "\
// module: word_select
always @(*)
   colour = (source & {16{of_source}}) ^ (source_alpha & {16{of_source_alpha}})
      ^ (destination & {16{of_destination}}) ^ (destination_alpha & {16{of_destination_alpha}})
      ^ (constant & {16{of_constant}});
";

    fn compute(&mut self) {
        let wanted = [
            (self.source.val(), self.of_source.val()),
            (self.source_alpha.val(), self.of_source_alpha.val()),
            (self.destination.val(), self.of_destination.val()),
            (self.destination_alpha.val(), self.of_destination_alpha.val()),
            (self.constant.val(), self.of_constant.val()),
        ];
        let colour = wanted.iter().filter(|w| w.1).fold(0, |all, w| all ^ w.0.to_u64());
        self.colour.next = bits(colour);
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
        self.negative.next = !below && (own > one || field == 31);
    }
}

leaf_cell! {
    /// A factor normalised and rounded to a significand of f32. It is a half or one less one, so at
    /// most the bit behind the significand is lost, a tie.
    FactorNormal {
        in
            /// Magnitude, as [`FactorStart`] gives it.
            sum: Bits<27>,
            /// Its exponent.
            exponent: Bits<5>;
        out
            /// Exponent field plus 10. Of zero it means nothing.
            field: Bits<6>,
            /// Significand, bit 23 set; 0 of zero.
            significand: Bits<24>
    }
}

impl FactorNormal {
    /// The lowest 14 bits are zeros wherever more than three places are missing.
    const VERILOG: &'static str = "\
// module: factor_normal
reg [3:0] zeros;
reg [12:0] top;
reg [26:0] all;
reg unused;
always @(*) begin
   top = sum[26:14];
   zeros = 4'd0;
   if (top[12:5] == 8'd0) begin zeros[3] = 1'b1; top = {top[4:0], 8'd0}; end
   if (top[12:9] == 4'd0) begin zeros[2] = 1'b1; top = {top[8:0], 4'd0}; end
   all = {top, zeros[3] | zeros[2] ? 14'd0 : sum[13:0]};
   if (all[26:25] == 2'd0) begin zeros[1] = 1'b1; all = {all[24:0], 2'd0}; end
   if (!all[26]) begin zeros[0] = 1'b1; all = {all[25:0], 1'b0}; end
   unused = |all[1:0];
   // The tie is only of numbers between 1 and 1 + 2^-13.
   significand = {all[26:15], all[14:3] + {11'd0, all[2] & all[3]}};
   field = {1'b0, exponent} + 6'd11 - {2'd0, zeros};
end
";

    fn compute(&mut self) {
        let (sum, exponent) = (self.sum.val().to_u32(), self.exponent.val().to_u32());
        let zeros = if sum >> 14 == 0 { 15 } else { sum.leading_zeros() - 5 };
        let low = if zeros > 3 { 0 } else { sum & 0x3FFF };
        let all = ((sum & !0x3FFF | low) << zeros) & 0x7FF_FFFF;
        let tie = u32::from(all >> 2 & 3 == 3);
        let rounded = all >> 3 & 0xFF_F000 | ((all >> 3 & 0xFFF) + tie) & 0xFFF;
        self.significand.next = bits(rounded.into());
        self.field.next = bits(u64::from((exponent + 11).wrapping_sub(zeros) & 63));
    }
}

leaf_cell! {
    /// Whether one less the target's alpha is the lesser, as `FMIN` has it of the fragment's alpha
    /// and that.
    HalfLesser {
        in
            /// The fragment's alpha.
            own: Bits<16>,
            /// The target's.
            other: Bits<16>,
            /// One less the target's, as [`FactorStart`] gives it.
            sum: Bits<27>,
            /// Its exponent.
            exponent: Bits<5>,
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
reg hidden;
reg [5:0] place;
reg [15:0] power;
reg [26:0] magnitude;
reg huge;
reg [27:0] above;
reg [27:0] below;
reg less;
always @(*) begin
   // The fragment's alpha in the units of the sum.
   hidden = |own[14:10];
   place = {1'b0, own[14:11], own[10] | ~hidden} + 6'd14 - {1'b0, exponent};
   huge = ~place[5] & place[4];
   power = 16'd1 << place[3:0];
   magnitude = place[5] ? 27'd0 : {15'd0, hidden, own[9:0], 1'b0} * {11'd0, power};
   above = {1'b0, sum} - {1'b0, magnitude};
   below = {1'b0, magnitude} - {1'b0, sum};
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
        let (own, other) = (self.own.val().to_u64(), self.other.val().to_u64());
        let (sum, negative) = (self.sum.val().to_u64(), self.negative.val());
        let (field, mantissa) = (own >> 10 & 31, own & 0x3FF);
        let hidden = u64::from(field != 0);
        // Without a meaning beyond what a sum can be; in the widths of the Verilog.
        let place = (field.max(1) + 14).wrapping_sub(self.exponent.val().to_u64()) & 63;
        let huge = place >> 4 == 1;
        let magnitude = match place {
            32.. => 0,
            _ => ((hidden << 11 | mantissa << 1) << (place & 15)) & 0x7FF_FFFF,
        };
        let mut less = match negative != (own >> 15 == 1) {
            true => negative,
            false if negative => !huge && magnitude < sum,
            false => huge || sum < magnitude,
        };
        if other >> 10 & 31 == 31 {
            less = other & 0x3FF == 0 && other >> 15 == 0;
        }
        self.lesser.next = less || field == 31 && mantissa != 0;
    }
}

leaf_cell! {
    /// Which of two colours is the lesser, or the greater: halves as `FMIN` and `FMAX` have it, or
    /// unsigned fractions.
    WordOrder {
        in
            /// The fragment's.
            source: Bits<16>,
            /// The target's.
            destination: Bits<16>,
            /// They are halves.
            halves: bool,
            /// The greater is wanted, else the lesser.
            greater: bool;
        out
            /// It is the target's.
            second: bool,
            /// Both are NaNs.
            nan: bool
    }
}

impl WordOrder {
    const VERILOG: &'static str = "\
// module: word_order
reg [15:0] up;
reg [15:0] down;
reg unused;
reg differ;
reg below;
reg source_less;
reg destination_less;
reg source_nan;
reg destination_nan;
always @(*) begin
   up = {1'b0, source[14:0]} - {1'b0, destination[14:0]};
   down = {1'b0, destination[14:0]} - {1'b0, source[14:0]};
   unused = |up[14:0] | |down[14:0];
   differ = source[15] ^ destination[15];
   below = halves & source[15];
   source_less = differ ? (halves ? source[15] : destination[15]) : below ? down[15] : up[15];
   destination_less = differ ? (halves ? destination[15] : source[15]) : below ? up[15] : down[15];
   source_nan = halves & &source[14:10] & |source[9:0];
   destination_nan = halves & &destination[14:10] & |destination[9:0];
   second = source_nan | (~destination_nan & (greater ? source_less : destination_less));
   nan = source_nan & destination_nan;
end
";

    fn compute(&mut self) {
        let (source, destination) = (self.source.val().to_u32(), self.destination.val().to_u32());
        let halves = self.halves.val();
        // Halves as numbers that rise with them.
        let rank = |h: u32| match halves {
            true if h & 0x8000 != 0 => 0xFFFF - h,
            true => h + 0x8000,
            false => h,
        };
        let nans = [source, destination].map(|h| halves && is_nan(h));
        let other = match self.greater.val() {
            true => rank(source) < rank(destination),
            false => rank(destination) < rank(source),
        };
        self.second.next = nans[0] || (!nans[1] && other);
        self.nan.next = nans == [true, true];
    }
}
