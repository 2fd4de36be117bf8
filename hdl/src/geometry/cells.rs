//! Leaf cells of geometry beside its float unit: where a coordinate lies beside w, bounding boxes,
//! differences and products of corners, steps of a division.
//!
//! They are combinational. They can be wrong in the order of negative floats, in a sign that is
//! not carried on, and where a box ends at the target's border; `tests/geometry.rs` and the
//! cross-check drive them.

use rust_hdl::prelude::*;

use crate::leaf_cell;

/// The lowest `width` bits as a number with sign.
fn signed(value: u64, width: u32) -> i64 {
    (value as i64) << (64 - width) >> (64 - width)
}

/// The lowest `N` bits of a number with sign.
fn low<const N: usize>(value: i64) -> Bits<N> {
    bits(value as u64 & u64::MAX >> (64 - N))
}

leaf_cell! {
    /// A coordinate beside a limit, as floats.
    Outcode {
        in
            /// The coordinate.
            v: Bits<32>,
            /// The limit.
            w: Bits<32>;
        out
            /// v < -w in bit 0, v > w in bit 1, v no number or of magnitude 2^100 or more in bit 2,
            /// w likewise in bit 3, v < 0 in bit 4, w > 0 in bit 5.
            code: Bits<6>
    }
}

impl Outcode {
    const VERILOG: &'static str = "\
// module: outcode
reg more;
reg less;
reg both;
always @(*) begin
   more = v[30:0] > w[30:0];
   less = v[30:0] < w[30:0];
   both = v[30:0] == 31'd0 && w[30:0] == 31'd0;
   code[0] = !both && (v[31] ? (w[31] || more) : (w[31] && less));
   code[1] = !both && (v[31] ? (w[31] && less) : (w[31] || more));
   code[2] = v[30:0] >= 31'h71800000;
   code[3] = w[30:0] >= 31'h71800000;
   code[4] = v[31] && v[30:0] != 31'd0;
   code[5] = !w[31] && w[30:0] != 31'd0;
end
";

    fn compute(&mut self) {
        let key = |word: u64| if word >> 31 == 1 { -((word & 0x7FFF_FFFF) as i64) } else { word as i64 };
        let (v, w) = (self.v.val().to_u64(), self.w.val().to_u64());
        let (kv, kw) = (key(v), key(w));
        let large = |word: u64| u64::from(word & 0x7FFF_FFFF >= 0x7180_0000);
        let code = u64::from(kv < -kw) | u64::from(kv > kw) << 1 | large(v) << 2 | large(w) << 3;
        self.code.next = bits(code | u64::from(kv < 0) << 4 | u64::from(kw > 0) << 5);
    }
}

leaf_cell! {
    /// Least and greatest of the pixels seen so far along one axis, with one more.
    BoundsTrack {
        in
            /// The first one.
            first: bool,
            /// Pixel, with sign.
            pixel: Bits<14>,
            /// The least so far.
            low: Bits<14>,
            /// The greatest.
            high: Bits<14>;
        out
            /// The least now.
            low_out: Bits<14>,
            /// The greatest.
            high_out: Bits<14>
    }
}

impl BoundsTrack {
    const VERILOG: &'static str = "\
// module: bounds_track
always @(*) begin
   low_out = (first || $signed(pixel) < $signed(low)) ? pixel : low;
   high_out = (first || $signed(high) < $signed(pixel)) ? pixel : high;
end
";

    fn compute(&mut self) {
        let [pixel, least, most] = [self.pixel.val(), self.low.val(), self.high.val()];
        let number = |v: Bits<14>| signed(v.to_u64(), 14);
        let first = self.first.val();
        self.low_out.next = if first || number(pixel) < number(least) { pixel } else { least };
        self.high_out.next = if first || number(most) < number(pixel) { pixel } else { most };
    }
}

leaf_cell! {
    /// Pixels along one axis, held in scissor and target.
    BoundsHold {
        in
            /// The least, with sign.
            low: Bits<14>,
            /// The greatest.
            high: Bits<14>,
            /// First pixel of the scissor.
            from: Bits<16>,
            /// First one behind it.
            to: Bits<16>,
            /// Pixels of the target.
            size: Bits<13>;
        out
            /// The least.
            least: Bits<12>,
            /// The greatest.
            most: Bits<12>,
            /// There is none.
            empty: bool
    }
}

impl BoundsHold {
    const VERILOG: &'static str = "\
// module: bounds_hold
reg [16:0] limit;
reg [16:0] a;
reg [16:0] b;
always @(*) begin
   limit = ((to < {3'd0, size}) ? {1'b0, to} : {4'd0, size}) - 17'd1;
   a = ($signed({{3{low[13]}}, low}) < $signed({1'b0, from})) ? {1'b0, from} : {{3{low[13]}}, low};
   b = ($signed(limit) < $signed({{3{high[13]}}, high})) ? limit : {{3{high[13]}}, high};
   least = a[11:0];
   most = b[11:0];
   empty = $signed(b) < $signed(a);
end
";

    fn compute(&mut self) {
        let limit = self.to.val().to_u64().min(self.size.val().to_u64()) as i64 - 1;
        let a = signed(self.low.val().to_u64(), 14).max(self.from.val().to_u64() as i64);
        let b = signed(self.high.val().to_u64(), 14).min(limit);
        self.least.next = low(a);
        self.most.next = low(b);
        self.empty.next = b < a;
    }
}

leaf_cell! {
    /// How far a corner is from another one along one axis.
    CornerDistance {
        in
            /// The corner, with sign.
            a: Bits<22>,
            /// The other one.
            b: Bits<22>;
        out
            /// a - b, with sign.
            distance: Bits<23>
    }
}

impl CornerDistance {
    const VERILOG: &'static str = "\
// module: corner_distance
always @(*) distance = {a[21], a} - {b[21], b};
";

    fn compute(&mut self) {
        self.distance.next = low(signed(self.a.val().to_u64(), 22) - signed(self.b.val().to_u64(), 22));
    }
}

leaf_cell! {
    /// Product of two differences with sign.
    SetupProduct {
        in
            /// First factor: of places or of depths.
            a: Bits<31>,
            /// Second factor: of places.
            b: Bits<23>;
        out
            /// Product, with sign.
            product: Bits<54>
    }
}

impl SetupProduct {
    const VERILOG: &'static str = "\
// module: setup_product
always @(*) product = $signed(a) * $signed(b);
";

    fn compute(&mut self) {
        self.product.next = low(signed(self.a.val().to_u64(), 31) * signed(self.b.val().to_u64(), 23));
    }
}

leaf_cell! {
    /// Difference of two products.
    ProductDifference {
        in
            /// The product that came first.
            a: Bits<54>,
            /// The other one.
            b: Bits<54>;
        out
            /// a - b, with sign.
            difference: Bits<55>
    }
}

impl ProductDifference {
    const VERILOG: &'static str = "\
// module: product_difference
always @(*) difference = {a[53], a} - {b[53], b};
";

    fn compute(&mut self) {
        self.difference.next = low(signed(self.a.val().to_u64(), 54) - signed(self.b.val().to_u64(), 54));
    }
}

leaf_cell! {
    /// Twice an area without its sign.
    AreaSize {
        in
            /// With sign.
            value: Bits<46>;
        out
            /// Without.
            size: Bits<46>
    }
}

impl AreaSize {
    const VERILOG: &'static str = "\
// module: area_size
always @(*) size = (value ^ {46{value[45]}}) + {45'd0, value[45]};
";

    fn compute(&mut self) {
        self.size.next = low(signed(self.value.val().to_u64(), 46).abs());
    }
}

leaf_cell! {
    /// One digit of a quotient of a gradient.
    DivideStep {
        in
            /// Remainder, below the divisor.
            remainder: Bits<46>,
            /// Next digit of the dividend.
            digit: bool,
            /// Divisor.
            divisor: Bits<46>;
        out
            /// The next remainder.
            rest: Bits<46>,
            /// Digit of the quotient.
            quotient: bool
    }
}

impl DivideStep {
    const VERILOG: &'static str = "\
// module: divide_step
reg [47:0] difference;
always @(*) begin
   difference = {1'b0, remainder, digit} - {2'b00, divisor};
   quotient = !difference[47];
   rest = difference[47] ? {remainder[44:0], digit} : difference[45:0];
end
";

    fn compute(&mut self) {
        let value = self.remainder.val().to_u64() << 1 | u64::from(self.digit.val());
        let divisor = self.divisor.val().to_u64();
        self.quotient.next = value >= divisor;
        self.rest.next = low(if value >= divisor { value - divisor } else { value } as i64);
    }
}

leaf_cell! {
    /// The greater of the magnitudes of two gradients, of which it is known which.
    SteepestSize {
        in
            /// Gradient along x, with sign.
            x: Bits<50>,
            /// Along y.
            y: Bits<50>,
            /// That along y is the greater.
            second: bool,
            /// One more: of equal digits the other one is below zero.
            more: bool;
        out
            /// The magnitude.
            size: Bits<50>
    }
}

impl SteepestSize {
    const VERILOG: &'static str = "\
// module: steepest_size
reg sign;
always @(*) begin
   sign = second ? y[49] : x[49];
   size = ((second ? y : x) ^ {50{sign}}) + {49'd0, sign || more};
end
";

    fn compute(&mut self) {
        let value = if self.second.val() { self.y.val() } else { self.x.val() }.to_u64();
        let sign = value >> 49 & 1 == 1;
        let digits = if sign { !value } else { value };
        self.size.next = low((digits & ((1 << 50) - 1)) as i64 + i64::from(sign || self.more.val()));
    }
}

leaf_cell! {
    /// The bias of depth held to its limit: magnitudes in 1/64 of a unit.
    BiasHold {
        in
            /// The bias.
            bias: Bits<31>,
            /// The limit.
            limit: Bits<31>,
            /// It counts.
            limited: bool;
        out
            /// The bias, held.
            held: Bits<31>
    }
}

impl BiasHold {
    const VERILOG: &'static str = "\
// module: bias_hold
always @(*) held = (limited && limit < bias) ? limit : bias;
";

    fn compute(&mut self) {
        let (bias, limit) = (self.bias.val(), self.limit.val());
        self.held.next = if self.limited.val() && limit.to_u64() < bias.to_u64() { limit } else { bias };
    }
}

leaf_cell! {
    /// Depth of a corner with its bias.
    DepthShift {
        in
            /// Depth, 1/64 of a unit.
            z: Bits<30>,
            /// Magnitude of the bias, at most 2^30.
            bias: Bits<31>,
            /// The bias is below 0.
            down: bool;
        out
            /// The sum, with sign.
            shifted: Bits<32>
    }
}

impl DepthShift {
    const VERILOG: &'static str = "\
// module: depth_shift
always @(*) shifted = {2'b00, z} + ({1'b0, bias} ^ {32{down}}) + {31'd0, down};
";

    fn compute(&mut self) {
        let (z, bias) = (self.z.val().to_u64() as i64, self.bias.val().to_u64() as i64);
        self.shifted.next = low(if self.down.val() { z - bias } else { z + bias });
    }
}

leaf_cell! {
    /// Least and greatest depth so far, in units of the format, with one more. All have a sign.
    DepthTrack {
        in
            /// The first one.
            first: bool,
            /// Depth, 1/64 of a unit, at most 2^31 - 64; rounding wraps from 2^31 - 32.
            z: Bits<32>,
            /// The least so far.
            low: Bits<26>,
            /// The greatest.
            high: Bits<26>;
        out
            /// The least now.
            low_out: Bits<26>,
            /// The greatest.
            high_out: Bits<26>
    }
}

impl DepthTrack {
    const VERILOG: &'static str = "\
// module: depth_track
reg signed [25:0] unit;
always @(*) begin
   unit = z[31:6] + {25'd0, z[5]};
   low_out = (first || unit < $signed(low)) ? unit : low;
   high_out = (first || $signed(high) < unit) ? unit : high;
end
";

    fn compute(&mut self) {
        let unit = signed((self.z.val().to_u64() + 32) >> 6, 26);
        let (least, most) = (signed(self.low.val().to_u64(), 26), signed(self.high.val().to_u64(), 26));
        let first = self.first.val();
        self.low_out.next = low(if first || unit < least { unit } else { least });
        self.high_out.next = low(if first || most < unit { unit } else { most });
    }
}

leaf_cell! {
    /// A depth held in the range that a state has.
    DepthHold {
        in
            /// The depth, in units of the format, with sign.
            unit: Bits<26>,
            /// The least.
            least: Bits<24>,
            /// The greatest, not below it.
            most: Bits<24>;
        out
            /// It, held.
            held: Bits<24>
    }
}

impl DepthHold {
    const VERILOG: &'static str = "\
// module: depth_hold
always @(*) begin
   held = unit[23:0];
   if (unit[24] || unit[23:0] > most) held = most;
   if (unit[25] || (!unit[24] && unit[23:0] < least)) held = least;
end
";

    fn compute(&mut self) {
        let (least, most) = (self.least.val().to_u64() as i64, self.most.val().to_u64() as i64);
        self.held.next = low(signed(self.unit.val().to_u64(), 26).min(most).max(least));
    }
}

leaf_cell! {
    /// Gradient times place, modulo 2^60.
    SlopeProduct {
        in
            /// Gradient, with sign.
            slope: Bits<50>,
            /// Place, with sign.
            place: Bits<22>;
        out
            /// Product.
            product: Bits<60>
    }
}

impl SlopeProduct {
    const VERILOG: &'static str = "\
// module: slope_product
always @(*) product = $signed({{10{slope[49]}}, slope}) * $signed({{38{place[21]}}, place});
";

    fn compute(&mut self) {
        let (slope, place) = (signed(self.slope.val().to_u64(), 50), signed(self.place.val().to_u64(), 22));
        self.product.next = low(slope.wrapping_mul(place));
    }
}

leaf_cell! {
    /// An edge as the triangle has it, of the way between its corners.
    EdgeSlopes {
        in
            /// Way of corner 1 from corner 0, in x.
            x1: Bits<23>,
            /// In y.
            y1: Bits<23>,
            /// Of corner 2.
            x2: Bits<23>,
            /// In y.
            y2: Bits<23>,
            /// It is edge 1, by corner 2; else edge 2, by corner 1.
            one: bool,
            /// Corners 1 and 2 have changed places.
            swapped: bool;
        out
            /// To the right, with sign.
            a: Bits<24>,
            /// Down.
            b: Bits<24>
    }
}

impl EdgeSlopes {
    const VERILOG: &'static str = "\
// module: edge_slopes
reg second;
reg [22:0] x;
reg [22:0] y;
always @(*) begin
   second = one ^ swapped;
   x = (second ? x2 : x1) ^ {23{one}};
   y = (second ? y2 : y1) ^ {23{!one}};
   a = {y[22], y} + {23'd0, !one};
   b = {x[22], x} + {23'd0, one};
end
";

    fn compute(&mut self) {
        let second = self.one.val() != self.swapped.val();
        let (x, y) = if second { (self.x2.val(), self.y2.val()) } else { (self.x1.val(), self.y1.val()) };
        let (x, y) = (signed(x.to_u64(), 23), signed(y.to_u64(), 23));
        self.a.next = low(if self.one.val() { y } else { -y });
        self.b.next = low(if self.one.val() { -x } else { x });
    }
}
