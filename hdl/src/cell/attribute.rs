//! Arithmetic of edge values at a place of a pixel (`BARY`), from the edge's record to an f32.
//! Places lie at multiples of an eighth of a pixel: 12 bits of pixel, 3 of eighth.
//!
//! All are combinational; the evaluator has a register behind each. They can be wrong in a sign, at
//! the carry of a rounding, and in a place of the table; `tests/attribute_unit.rs` compares with
//! exact integers, and the cross-check drives both descriptions.

use rust_hdl::prelude::*;

use super::plane::{low, signed};
use crate::leaf_cell;

leaf_cell! {
    /// Place of a fragment in eighths of a pixel from the target's corner.
    FragmentPlace {
        in
            /// First word of the fragment's tags: pixel x in 11:0, y in 23:12.
            pixel: Bits<24>,
            /// Samples of the pass: 0 one, 1 two, 2 four.
            samples: Bits<2>,
            /// Number of the sample.
            sample: Bits<2>,
            /// The pixel's centre, else the sample.
            centre: bool;
        out
            /// To the right.
            x: Bits<15>,
            /// Down.
            y: Bits<15>
    }
}

impl FragmentPlace {
    const VERILOG: &'static str = "\
// module: fragment_place
reg [5:0] eighths;
always @(*) begin
   eighths = {3'd4, 3'd4};
   if (~centre && samples == 2'd1) eighths = sample[0] ? {3'd2, 3'd2} : {3'd6, 3'd6};
   if (~centre && samples[1])
      case (sample)
         2'd0: eighths = {3'd3, 3'd1};
         2'd1: eighths = {3'd7, 3'd3};
         2'd2: eighths = {3'd1, 3'd5};
         default: eighths = {3'd5, 3'd7};
      endcase
   x = {pixel[11:0], eighths[5:3]};
   y = {pixel[23:12], eighths[2:0]};
end
";

    fn compute(&mut self) {
        let sample = self.sample.val().to_u64();
        let (x, y) = match (self.centre.val(), self.samples.val().to_u64()) {
            (true, _) | (_, 0) => (4, 4),
            (_, 1) if sample & 1 == 0 => (6, 6),
            (_, 1) => (2, 2),
            _ => [(3, 1), (7, 3), (1, 5), (5, 7)][sample as usize],
        };
        let pixel = self.pixel.val().to_u64();
        self.x.next = bits((pixel & 0xFFF) << 3 | x);
        self.y.next = bits((pixel >> 12) << 3 | y);
    }
}

leaf_cell! {
    /// Slope of an edge times a place.
    EdgeProduct {
        in
            /// Slope, with sign.
            slope: Bits<24>,
            /// Place.
            place: Bits<15>;
        out
            /// Product, with sign.
            product: Bits<39>
    }
}

impl EdgeProduct {
    const VERILOG: &'static str = "\
// module: edge_product
reg signed [39:0] whole;
reg unused;
always @(*) begin
   whole = $signed(slope) * $signed({1'b0, place});
   product = whole[38:0];
   unused = whole[39];
end
";

    fn compute(&mut self) {
        self.product.next = low(signed(self.slope.val()) * self.place.val().to_u64() as i64);
    }
}

leaf_cell! {
    /// Value of an edge at a place, modulo 2^48.
    EdgeAt {
        in
            /// Slope to the right times the place, in eighths.
            across: Bits<39>,
            /// Slope down times the place, in eighths.
            down: Bits<39>,
            /// Value at the target's corner.
            constant: Bits<48>;
        out
            /// The value: an eighth of a pixel is 32 units.
            value: Bits<48>
    }
}

impl EdgeAt {
    const VERILOG: &'static str = "\
// module: edge_at
reg [42:0] sum;
reg [42:0] upper;
always @(*) begin
   sum = {{4{across[38]}}, across} + {{4{down[38]}}, down};
   upper = constant[47:5] + sum;
   value = {upper, constant[4:0]};
end
";

    fn compute(&mut self) {
        let sum = signed(self.across.val()) + signed(self.down.val());
        self.value.next = low((sum << 5) + signed(self.constant.val()));
    }
}

leaf_cell! {
    /// Sign and magnitude of a value.
    EdgeMagnitude {
        in
            /// Value, with sign.
            value: Bits<48>;
        out
            /// It is below 0.
            negative: bool,
            /// Its magnitude.
            magnitude: Bits<48>
    }
}

impl EdgeMagnitude {
    const VERILOG: &'static str = "\
// module: edge_magnitude
always @(*) begin
   negative = value[47];
   magnitude = (value ^ {48{value[47]}}) + {47'd0, value[47]};
end
";

    fn compute(&mut self) {
        let value = signed(self.value.val());
        self.negative.next = value < 0;
        self.magnitude.next = bits(value.unsigned_abs());
    }
}

leaf_cell! {
    /// A magnitude up by whole groups of 8 bits, at most 40, until one of its upper 8 bits is set.
    CoarseShift {
        in
            /// Magnitude.
            magnitude: Bits<48>;
        out
            /// It, shifted.
            shifted: Bits<48>,
            /// By how many groups of 8.
            groups: Bits<3>
    }
}

impl CoarseShift {
    const VERILOG: &'static str = "\
// module: coarse_shift
reg [47:0] half;
reg [47:0] quarter;
always @(*) begin
   groups[2] = ~|magnitude[47:16];
   half = groups[2] ? {magnitude[15:0], 32'd0} : magnitude;
   groups[1] = ~|half[47:32];
   quarter = groups[1] ? {half[31:0], 16'd0} : half;
   groups[0] = ~|quarter[47:40];
   shifted = groups[0] ? {quarter[39:0], 8'd0} : quarter;
end
";

    fn compute(&mut self) {
        let (mut value, mut groups) = (self.magnitude.val().to_u64(), 0);
        for (bit, distance) in [(4, 32), (2, 16), (1, 8)] {
            if value >> (48 - distance) == 0 {
                value = value << distance & 0xFFFF_FFFF_FFFF;
                groups |= bit;
            }
        }
        self.shifted.next = bits(value);
        self.groups.next = bits(groups);
    }
}

leaf_cell! {
    /// A magnitude up by at most 7 bits, until its highest bit is set.
    FineShift {
        in
            /// Magnitude.
            magnitude: Bits<48>;
        out
            /// It, shifted.
            shifted: Bits<48>,
            /// By how many bits.
            places: Bits<3>
    }
}

impl FineShift {
    const VERILOG: &'static str = "\
// module: fine_shift
reg [47:0] half;
reg [47:0] quarter;
always @(*) begin
   places[2] = ~|magnitude[47:44];
   half = places[2] ? {magnitude[43:0], 4'd0} : magnitude;
   places[1] = ~|half[47:46];
   quarter = places[1] ? {half[45:0], 2'd0} : half;
   places[0] = ~quarter[47];
   shifted = places[0] ? {quarter[46:0], 1'b0} : quarter;
end
";

    fn compute(&mut self) {
        let (mut value, mut places) = (self.magnitude.val().to_u64(), 0);
        for distance in [4, 2, 1] {
            if value >> (48 - distance) == 0 {
                value = value << distance & 0xFFFF_FFFF_FFFF;
                places |= distance;
            }
        }
        self.shifted.next = bits(value);
        self.places.next = bits(places);
    }
}

leaf_cell! {
    /// An f32 of a magnitude with its highest bit set, or of 0: one rounding, ties to the even one.
    EdgeRound {
        in
            /// It is below 0.
            negative: bool,
            /// Magnitude, shifted up.
            magnitude: Bits<48>,
            /// By how many bits.
            distance: Bits<6>,
            /// Ties go up: a planted bug.
            half_up: bool;
        out
            /// The f32.
            word: Bits<32>
    }
}

impl EdgeRound {
    const VERILOG: &'static str = "\
// module: edge_round
reg up;
reg [7:0] exponent;
always @(*) begin
   up = magnitude[23] & (|magnitude[22:0] | magnitude[24] | half_up);
   exponent = 8'd174 - {2'd0, distance};
   word = {negative, exponent, magnitude[46:24]} + {31'd0, up};
   if (~magnitude[47]) word = 32'd0;
end
";

    fn compute(&mut self) {
        let magnitude = self.magnitude.val().to_u64();
        let exponent = 174 - self.distance.val().to_u64();
        let up =
            magnitude >> 23 & 1 == 1 && (magnitude & 0x7F_FFFF != 0 || magnitude >> 24 & 1 == 1 || self.half_up.val());
        let word = u64::from(self.negative.val()) << 31 | (exponent & 0xFF) << 23 | magnitude >> 24 & 0x7F_FFFF;
        self.word.next = bits(if magnitude >> 47 == 1 { word + u64::from(up) } else { 0 });
    }
}
