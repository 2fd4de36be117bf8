//! Sum of two f32 with one rounding, and what becomes of it: `FADD`, `FSUB`, a share of a mean, and
//! `PK.F16` of docs/float.md, without NaNs and infinities, which the block around knows.
//!
//! The lesser operand is moved to the greater one's place in 27 bits, of which the lowest stands
//! for all that is lost. By 31 places or more it cannot change the sum but by that bit.
//!
//! Combinational. They can be wrong in a carry, in a cancellation, at subnormal numbers, and where
//! rounding to f32 makes a tie of f16; `tests/blend_cells.rs` compares with `rustc_apfloat`, and
//! runs both descriptions.

use rust_hdl::prelude::*;

use crate::leaf_cell;

/// Effective exponent and significand of the magnitude of an f32.
fn parts(magnitude: u64) -> (u64, u64) {
    let field = magnitude >> 23;
    (field.max(1), magnitude & 0x7F_FFFF | u64::from(field > 0) << 23)
}

/// Bits to the right of which a number is cut, with what is lost in the lowest bit.
fn cut(value: u64, places: u64) -> u64 {
    if places > 63 {
        return 0;
    }
    value >> places | u64::from(value & ((1 << places) - 1) != 0)
}

leaf_cell! {
    /// The greater of two magnitudes, and the lesser one moved to its place but for up to seven
    /// bits.
    SumAlign {
        in
            /// f32 without its sign, finite.
            a: Bits<31>,
            /// Another.
            b: Bits<31>;
        out
            /// Exponent field of the greater one, at least 1.
            field: Bits<8>,
            /// Its significand.
            big: Bits<24>,
            /// The lesser one in units of 1/8; the lowest bit stands for all that is lost, too.
            little: Bits<27>,
            /// By how many places it is still to be moved.
            places: Bits<3>,
            /// b is the greater one.
            swapped: bool
    }
}

impl SumAlign {
    const VERILOG: &'static str = "\
// module: sum_align
reg [31:0] less;
reg unused;
reg a_hidden;
reg b_hidden;
reg [7:0] a_field;
reg [7:0] b_field;
reg [7:0] up;
reg [7:0] down;
reg [7:0] apart;
reg [4:0] distance;
reg [23:0] least;
reg [23:0] by16;
reg lost;
always @(*) begin
   less = {1'b0, a} - {1'b0, b};
   unused = |less[30:0];
   swapped = less[31];
   a_hidden = |a[30:23];
   b_hidden = |b[30:23];
   a_field = {a[30:24], a[23] | ~a_hidden};
   b_field = {b[30:24], b[23] | ~b_hidden};
   up = a_field - b_field;
   down = b_field - a_field;
   apart = swapped ? down : up;
   distance = apart[4:0] | {5{|apart[7:5]}};
   field = swapped ? b_field : a_field;
   big = swapped ? {b_hidden, b[22:0]} : {a_hidden, a[22:0]};
   least = swapped ? {a_hidden, a[22:0]} : {b_hidden, b[22:0]};
   by16 = distance[4] ? {16'd0, least[23:16]} : least;
   little = distance[3] ? {8'd0, by16[23:5]} : {by16, least[15:13] & {3{distance[4]}}};
   lost = (distance[4] & |least[12:0]) | (distance[3] & (|by16[4:0] | (distance[4] & |least[15:13])));
   little[0] = little[0] | lost;
   places = distance[2:0];
end
";

    fn compute(&mut self) {
        let (a, b) = (self.a.val().to_u64(), self.b.val().to_u64());
        let ((field, big), (below, least)) = (parts(a.max(b)), parts(a.min(b)));
        let distance = (field - below).min(31);
        self.swapped.next = b > a;
        self.field.next = bits(field);
        self.big.next = bits(big);
        self.little.next = bits(cut(least << 3, distance & 24));
        self.places.next = bits(distance & 7);
    }
}

leaf_cell! {
    /// The lesser operand of a sum at its place: a product with a power of two, which is negative
    /// for a difference.
    SumPart {
        in
            /// The lesser one, as [`SumAlign`] gives it.
            little: Bits<27>,
            /// By how many places it is still to be moved.
            places: Bits<3>,
            /// It is taken away.
            lessens: bool;
        out
            /// What is added, in units of 1/1024 of the greater one's last place, modulo 2^35.
            part: Bits<35>
    }
}

impl SumPart {
    const VERILOG: &'static str = "\
// module: sum_part
reg [8:0] power;
always @(*) begin
   power = 9'h80 >> places;
   if (lessens)
      power = ~power + 9'd1;
   part = $signed({8'd0, little}) * $signed({{26{power[8]}}, power});
end
";

    fn compute(&mut self) {
        let part = (self.little.val().to_u64() << 7) >> self.places.val().to_u64();
        let part = if self.lessens.val() { part.wrapping_neg() } else { part };
        self.part.next = bits(part & 0x7_FFFF_FFFF);
    }
}

leaf_cell! {
    /// Sum or difference of what [`SumAlign`] and [`SumPart`] give.
    SumTotal {
        in
            /// Significand of the greater one.
            big: Bits<24>,
            /// The lesser one.
            part: Bits<35>;
        out
            /// The sum, in units of 1/8; the lowest bit stands for all below, too.
            total: Bits<28>
    }
}

impl SumTotal {
    const VERILOG: &'static str = "\
// module: sum_total
reg [34:0] all;
always @(*) begin
   all = {1'b0, big, 10'd0} + part;
   total = {all[34:8], |all[7:0]};
end
";

    fn compute(&mut self) {
        let all = ((self.big.val().to_u64() << 10) + self.part.val().to_u64()) & 0x7_FFFF_FFFF;
        self.total.next = bits((all >> 8) << 1 | u64::from(all & 0xFF != 0));
    }
}

leaf_cell! {
    /// A sum with its leading bit at the top. Sums of less than 2^-100 do not come. If more than
    /// three places are missing, the operands were near each other and the lowest two bits are 0.
    SumNormal {
        in
            /// The sum.
            total: Bits<28>,
            /// Exponent field of bit 26.
            field: Bits<8>;
        out
            /// The sum, bit 27 set; 0 of zero.
            normal: Bits<28>,
            /// Exponent field of bit 27 less 1. Of zero it means nothing.
            exponent: Bits<8>
    }
}

impl SumNormal {
    const VERILOG: &'static str = "\
// module: sum_normal
reg [27:0] rest;
reg [4:0] zeros;
always @(*) begin
   rest = total;
   zeros = 5'd0;
   if (rest[27:12] == 16'd0) begin zeros[4] = 1'b1; rest = {rest[11:2], 18'd0}; end
   if (rest[27:20] == 8'd0) begin zeros[3] = 1'b1; rest = {rest[19:2], 10'd0}; end
   if (rest[27:24] == 4'd0) begin zeros[2] = 1'b1; rest = {rest[23:2], 6'd0}; end
   if (rest[27:26] == 2'd0) begin zeros[1] = 1'b1; rest = {rest[25:0], 2'd0}; end
   if (!rest[27]) begin zeros[0] = 1'b1; rest = {rest[26:0], 1'b0}; end
   normal = rest;
   exponent = field - {3'd0, zeros};
end
";

    fn compute(&mut self) {
        let total = self.total.val().to_u32();
        let zeros = if total < 4 { 31 } else { total.leading_zeros() - 4 };
        let kept = if zeros > 3 { total & !3 } else { total };
        self.normal.next = bits(if total < 4 { 0 } else { u64::from(kept << zeros) });
        self.exponent.next = bits(u64::from(self.field.val().to_u32().wrapping_sub(zeros) & 0xFF));
    }
}

leaf_cell! {
    /// How many places a sum is moved up to be an f32: to its leading bit, or to the least
    /// exponent.
    SumPlaces {
        in
            /// The sum.
            total: Bits<28>,
            /// Exponent field of bit 26, at least 1.
            field: Bits<8>;
        out
            /// Places; at most `field`.
            places: Bits<5>
    }
}

impl SumPlaces {
    const VERILOG: &'static str = "\
// module: sum_places
reg [27:0] rest;
reg [4:0] zeros;
reg [8:0] below;
reg unused;
always @(*) begin
   rest = total;
   zeros = 5'd0;
   if (rest[27:12] == 16'd0) begin zeros[4] = 1'b1; rest = {rest[11:0], 16'd0}; end
   if (rest[27:20] == 8'd0) begin zeros[3] = 1'b1; rest = {rest[19:0], 8'd0}; end
   if (rest[27:24] == 4'd0) begin zeros[2] = 1'b1; rest = {rest[23:0], 4'd0}; end
   if (rest[27:26] == 2'd0) begin zeros[1] = 1'b1; rest = {rest[25:0], 2'd0}; end
   zeros[0] = ~rest[27];
   below = {1'b0, field} - {4'd0, zeros};
   unused = |below[7:0] | |rest[26:0];
   places = below[8] ? field[4:0] : zeros;
end
";

    fn compute(&mut self) {
        let (total, field) = (self.total.val().to_u32(), self.field.val().to_u32());
        let zeros = if total == 0 { 31 } else { total.leading_zeros() - 4 };
        self.places.next = bits(zeros.min(field).into());
    }
}

leaf_cell! {
    /// A sum as f32, nearest, ties to even; from 2^128 on infinity.
    SumPack {
        in
            /// The sum.
            total: Bits<28>,
            /// Exponent field of bit 26, at least 1.
            field: Bits<8>,
            /// As [`SumPlaces`] gives it.
            places: Bits<5>;
        out
            /// f32 without its sign.
            magnitude: Bits<31>
    }
}

impl SumPack {
    const VERILOG: &'static str = "\
// module: sum_pack
reg [27:0] moved;
reg [7:0] exponent;
reg [30:0] rounded;
always @(*) begin
   moved = total << places;
   exponent = moved[27] ? field + 8'd1 - {3'd0, places} : 8'd0;
   rounded = {exponent, moved[26:4]} + {30'd0, moved[3] & (|moved[2:0] | moved[4])};
   magnitude = {rounded[30:23], &rounded[30:23] ? 23'd0 : rounded[22:0]};
end
";

    fn compute(&mut self) {
        let (field, places) = (self.field.val().to_u64(), self.places.val().to_u64());
        let moved = self.total.val().to_u64() << places & 0xFFF_FFFF;
        let exponent = if moved >> 27 == 1 { (field + 1).wrapping_sub(places) & 0xFF } else { 0 };
        let kept = exponent << 23 | moved >> 4 & 0x7F_FFFF;
        let up = moved & 15 > 8 || moved & 31 == 24;
        let rounded = (kept + u64::from(up)) & 0x7FFF_FFFF;
        self.magnitude.next = bits(if rounded >> 23 == 255 { 255 << 23 } else { rounded });
    }
}

leaf_cell! {
    /// A number divided by 2 or by 4, as f32: nearest, ties to even. Infinity and NaN stay.
    FloatShare {
        in
            /// f32 without its sign.
            magnitude: Bits<31>,
            /// By 4, else by 2.
            quarter: bool;
        out
            /// f32 without its sign.
            share: Bits<31>
    }
}

impl FloatShare {
    const VERILOG: &'static str = "\
// module: float_share
reg [7:0] field;
reg hidden;
reg [1:0] places;
reg [25:0] moved;
reg up;
always @(*) begin
   field = magnitude[30:23];
   hidden = |field;
   // How many places a result that becomes subnormal is moved down.
   places = 2'd0;
   if (field < 8'd2)
      places = {quarter, ~quarter};
   else if (field == 8'd2 & quarter)
      places = 2'd1;
   moved = {hidden, magnitude[22:0], 2'd0};
   if (places[1])
      moved = {2'd0, moved[25:2]};
   if (places[0])
      moved = {1'b0, moved[25:1]};
   up = moved[1] & (moved[2] | moved[0]);
   if (&field)
      share = magnitude;
   else if (|places)
      share = {7'd0, moved[25:2]} + {30'd0, up};
   else
      share = {field - (quarter ? 8'd2 : 8'd1), magnitude[22:0]};
end
";

    fn compute(&mut self) {
        let magnitude = self.magnitude.val().to_u64();
        let by = 1 + u64::from(self.quarter.val());
        let (field, significand) = parts(magnitude);
        self.share.next = bits(if magnitude >> 23 == 255 {
            magnitude
        } else if field > by {
            magnitude - (by << 23)
        } else {
            // In units of the least subnormal number, a quarter of it the lowest bit.
            let wide = significand << 2 >> (by + 1 - field);
            (wide + 1 + (wide >> 2 & 1)) >> 2
        });
    }
}

leaf_cell! {
    /// A sum rounded to f32, and that to f16: both to the nearest, ties to even.
    ///
    /// The f32 is not made, since its carry would be in front of everything else. What it carries
    /// into the bits that are lost decides with them; if all of them are set it is a tie, or more.
    RoundHalf {
        in
            /// The sum, bit 27 set; 0 of zero.
            normal: Bits<28>,
            /// Exponent field of f32 of bit 27, less 1.
            exponent: Bits<8>,
            /// It is infinite.
            infinite: bool,
            /// It is a NaN.
            nan: bool;
        out
            /// f16 without its sign.
            half: Bits<15>
    }
}

impl RoundHalf {
    const VERILOG: &'static str = "\
// module: round_half
reg up;
reg more;
reg [8:0] above;
reg [8:0] beyond;
reg [4:0] field;
reg tiny;
reg [7:0] places;
reg [11:0] kept;
reg lost;
reg full;
reg [14:0] rounded;
reg unused;
always @(*) begin
   // f32 is one more in its last place.
   up = normal[3] & (|normal[2:0] | normal[4]);
   // f16's least normal number has field 113 of f32.
   above = {1'b0, exponent} - 9'd112;
   beyond = {1'b0, exponent} - 9'd142;
   field = exponent[4:0] - 5'd15;
   tiny = above[8] | ~normal[27];
   places = 8'd112 - exponent;
   // Behind the bits that are kept: one of them is set, all are.
   kept = normal[27:16];
   lost = |normal[15:4];
   full = &normal[15:4];
   if (tiny) begin
      if (places[3]) begin lost = lost | |kept[7:0]; full = full & &kept[7:0]; kept = {8'd0, kept[11:8]}; end
      if (places[2]) begin lost = lost | |kept[3:0]; full = full & &kept[3:0]; kept = {4'd0, kept[11:4]}; end
      if (places[1]) begin lost = lost | |kept[1:0]; full = full & &kept[1:0]; kept = {2'd0, kept[11:2]}; end
      if (places[0]) begin lost = lost | kept[0]; full = full & kept[0]; kept = {1'b0, kept[11:1]}; end
      if (|places[7:4]) kept = 12'd0;
   end
   // Half a place or more is left, or would be if f32 was rounded up to that.
   more = kept[0] ? lost | up | kept[1] : full & up & kept[1];
   rounded = {tiny ? 5'd0 : field, kept[10:1]} + {14'd0, more};
   half = infinite | nan | (~beyond[8] & ~tiny) ? {5'h1f, nan, 9'd0} : rounded;
   unused = |beyond[7:0] | |above[7:0] | kept[11];
end
";

    fn compute(&mut self) {
        let (normal, exponent) = (self.normal.val().to_u64(), self.exponent.val().to_u64());
        let (significand, hidden) = (normal >> 4, normal >> 27 == 1);
        let up = normal & 15 > 8 || normal & 31 == 24;
        let tiny = exponent < 112 || !hidden;
        // Bits that a half has no place for, with the carry of f32's rounding in them.
        let places = 13 + if tiny { (112u64.wrapping_sub(exponent) & 0xFF).min(40) } else { 0 };
        let rest = (significand & ((1 << places) - 1)) + u64::from(up);
        let kept = (significand >> places) + if tiny { 0 } else { (exponent - 112) << 10 };
        let middle = 1 << (places - 1);
        let rounded = kept + u64::from(rest > middle || (rest == middle && kept & 1 == 1));
        let infinite = exponent >= 142 && hidden;
        self.half.next = bits(match (self.nan.val(), self.infinite.val() || infinite) {
            (true, _) => 0x7E00,
            (_, true) => 0x7C00,
            _ => rounded & 0x7FFF,
        });
    }
}
