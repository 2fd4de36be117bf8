//! Leaf cells of geometry's float unit: the stages of a fused multiply and add that take one cycle
//! each, and those of its way to integers. [`super::float`] has their registers and says how they
//! follow each other.
//!
//! The window has 76 bits. The product, 48 bits, has its lowest bit at bit 2. The addend has its
//! highest bit at bit 75 or lies further right. Where it would lie further left the product is less
//! than a quarter of its last place, and only counts as sticky. A result below the normal numbers
//! then never needs a shift to the right: what lies that low rounds to zero.
//!
//! They can be wrong at the ends of shift distances, in the borrow of lost bits and in ties;
//! `tests/geometry/float.rs` compares with the golden model's operations.

use rust_hdl::prelude::*;

use crate::leaf_cell;

const WINDOW: u128 = (1 << 76) - 1;

/// Two halves of 38 bits as one number.
fn join(w0: Bits<38>, w1: Bits<38>) -> u128 {
    u128::from(w0.to_u64()) | u128::from(w1.to_u64()) << 38
}

/// Half `index` of a number.
fn half(value: u128, index: u32) -> Bits<38> {
    bits((value >> (38 * index)) as u64 & 0x3F_FFFF_FFFF)
}

leaf_cell! {
    /// First stage: what the operands are. With `number` no operands: the number 17:0 of b and a,
    /// its exponent 9:0 and sign 31 of c.
    FusedUnpack {
        in
            /// First factor.
            a: Bits<32>,
            /// Second factor.
            b: Bits<32>,
            /// Addend.
            c: Bits<32>,
            /// There is no addend.
            product: bool,
            /// A number is to be rounded.
            number: bool;
        out
            /// Hidden bit of a.
            hidden_a: bool,
            /// Hidden bit of b.
            hidden_b: bool,
            /// Significand of the addend.
            addend: Bits<24>,
            /// Exponent of the window's highest bit beside the product, biased, with sign.
            top: Bits<10>,
            /// Exponent of the addend, biased, 1 and more.
            low: Bits<8>,
            /// The addend is zero.
            no_addend: bool,
            /// The product is zero.
            no_product: bool,
            /// Sign of the product, or of the result if that is infinite.
            negative: bool,
            /// Product and addend have different signs.
            subtract: bool,
            /// The result is an infinity.
            infinite: bool,
            /// The result is the NaN.
            nan: bool
    }
}

impl FusedUnpack {
    const VERILOG: &'static str = "\
// module: fused_unpack
reg [7:0] ea;
reg [7:0] eb;
reg sign;
reg other;
reg ia;
reg ib;
reg ic;
reg bad;
always @(*) begin
   hidden_a = |a[30:23];
   hidden_b = |b[30:23];
   no_addend = product || number || c[30:0] == 31'd0;
   addend = no_addend ? 24'd0 : {|c[30:23], c[22:0]};
   ea = hidden_a ? a[30:23] : 8'd1;
   eb = hidden_b ? b[30:23] : 8'd1;
   low = (|c[30:23]) ? c[30:23] : 8'd1;
   top = number ? c[9:0] : {2'b00, ea} + {2'b00, eb} - 10'd100;
   no_product = (a[30:0] == 31'd0 || b[30:0] == 31'd0) && !number;
   sign = number ? c[31] : a[31] ^ b[31];
   other = (product || number) ? sign : c[31];
   ia = &a[30:23] && !number;
   ib = &b[30:23] && !number;
   ic = &c[30:23] && !number && !product;
   bad = (ia && |a[22:0]) || (ib && |b[22:0]) || (ic && |c[22:0]);
   nan = bad || ((ia || ib) && no_product) || ((ia || ib) && ic && sign != other);
   infinite = ia || ib || ic;
   negative = (ic && !ia && !ib) ? other : sign;
   subtract = sign ^ other;
end
";

    fn compute(&mut self) {
        let [a, b, c] = [self.a.val(), self.b.val(), self.c.val()].map(|v| v.to_u64());
        let (number, product) = (self.number.val(), self.product.val());
        let field = |v: u64| v >> 23 & 255;
        let exponent = |v: u64| field(v).max(1);
        let all = |v: u64, counts: bool| counts && field(v) == 255;
        let rest = |v: u64| v & 0x7F_FFFF != 0;
        let zero = |v: u64| v & 0x7FFF_FFFF == 0;
        self.hidden_a.next = field(a) != 0;
        self.hidden_b.next = field(b) != 0;
        let no_addend = product || number || zero(c);
        self.no_addend.next = no_addend;
        let addend = u64::from(field(c) != 0) << 23 | c & 0x7F_FFFF;
        self.addend.next = bits(if no_addend { 0 } else { addend });
        let top = if number { c } else { (exponent(a) + exponent(b)).wrapping_sub(100) };
        self.top.next = bits(top & 0x3FF);
        self.low.next = bits(exponent(c));
        let no_product = (zero(a) || zero(b)) && !number;
        self.no_product.next = no_product;
        let sign = if number { c >> 31 == 1 } else { (a ^ b) >> 31 == 1 };
        let other = if product || number { sign } else { c >> 31 == 1 };
        let (ia, ib, ic) = (all(a, !number), all(b, !number), all(c, !number && !product));
        let bad = ia && rest(a) || ib && rest(b) || ic && rest(c);
        self.nan.next = bad || (ia || ib) && (no_product || ic && sign != other);
        self.infinite.next = ia || ib || ic;
        self.negative.next = if ic && !ia && !ib { other } else { sign };
        self.subtract.next = sign != other;
    }
}

leaf_cell! {
    /// Second stage: the product in the window's bits 49:0, or the number there.
    FusedProduct {
        in
            /// First factor.
            a: Bits<32>,
            /// Second factor, its lower bits.
            b: Bits<23>,
            /// Hidden bit of a.
            hidden_a: bool,
            /// Hidden bit of b.
            hidden_b: bool,
            /// A number is to be rounded.
            number: bool;
        out
            /// Bits 49:0 of the window.
            value: Bits<50>
    }
}

impl FusedProduct {
    const VERILOG: &'static str = "\
// module: fused_product
reg [47:0] full;
always @(*) begin
   full = {hidden_a, a[22:0]} * {hidden_b, b};
   value = number ? {b[17:0], a} : {full, 2'b00};
end
";

    fn compute(&mut self) {
        let (a, b) = (self.a.val().to_u64(), self.b.val().to_u64());
        let factor = |v: u64, hidden: bool| v & 0x7F_FFFF | u64::from(hidden) << 23;
        let full = factor(a, self.hidden_a.val()) * factor(b, self.hidden_b.val());
        self.value.next = bits(if self.number.val() { (b & 0x3_FFFF) << 32 | a } else { full << 2 });
    }
}

leaf_cell! {
    /// Second stage: where the addend lies, and the exponent of the window's highest bit.
    FusedPlace {
        in
            /// Exponent beside the product, with sign.
            top: Bits<10>,
            /// Exponent of the addend.
            low: Bits<8>,
            /// The addend is zero.
            no_addend: bool,
            /// The product is zero.
            no_product: bool;
        out
            /// Bits that the addend is shifted right, at most 76 if it is not zero.
            distance: Bits<7>,
            /// Biased exponent of the highest bit, less 1.
            rest: Bits<10>,
            /// It is below that of normal numbers: the result is zero.
            tiny: bool
    }
}

impl FusedPlace {
    const VERILOG: &'static str = "\
// module: fused_place
reg [10:0] gap;
reg far;
reg [9:0] exponent;
always @(*) begin
   gap = {top[9], top} - {3'd0, low};
   far = !no_addend && (no_product || gap[10] || gap == 11'd0);
   distance = far ? 7'd0 : (gap[9:0] > 10'd76) ? 7'd76 : gap[6:0];
   exponent = far ? {2'd0, low} : top;
   rest = exponent - 10'd1;
   tiny = exponent[9] || exponent == 10'd0;
end
";

    fn compute(&mut self) {
        let (top, low) = (self.top.val().to_u64(), self.low.val().to_u64());
        let signed = (top as i64) << 54 >> 54;
        let gap = signed - low as i64;
        let far = !self.no_addend.val() && (self.no_product.val() || gap <= 0);
        let field = gap as u64 & 0x3FF;
        let distance = if field > 76 { 76 } else { field };
        self.distance.next = bits(if far { 0 } else { distance });
        let exponent = if far { low } else { top };
        self.rest.next = bits(exponent.wrapping_sub(1) & 0x3FF);
        self.tiny.next = exponent >> 9 & 1 == 1 || exponent == 0;
    }
}

leaf_cell! {
    /// Third stage: the addend in the window.
    FusedAlign {
        in
            /// Significand.
            addend: Bits<24>,
            /// Bits to shift right, 0 to 76.
            distance: Bits<7>;
        out
            /// Lower half of the window.
            w0: Bits<38>,
            /// Upper half.
            w1: Bits<38>,
            /// Something left the window.
            lost: bool
    }
}

impl FusedAlign {
    const VERILOG: &'static str = "\
// module: fused_align
reg [99:0] moved;
always @(*) begin
   moved = {addend, 76'd0} >> distance;
   w1 = moved[99:62];
   w0 = moved[61:24];
   lost = |moved[23:0];
end
";

    fn compute(&mut self) {
        let moved = u128::from(self.addend.val().to_u64()) << 76 >> self.distance.val().to_u64();
        self.w1.next = half(moved >> 24, 1);
        self.w0.next = half(moved >> 24, 0);
        self.lost.next = moved & 0xFF_FFFF != 0;
    }
}

leaf_cell! {
    /// Fourth stage: the sum; of a difference one less, and its sign.
    FusedSum {
        in
            /// The product.
            value: Bits<50>,
            /// Lower half of the addend.
            w0: Bits<38>,
            /// Upper half.
            w1: Bits<38>,
            /// The addend is subtracted.
            subtract: bool;
        out
            /// Lower half.
            t0: Bits<38>,
            /// Upper half.
            t1: Bits<38>,
            /// It is below zero.
            below: bool
    }
}

impl FusedSum {
    const VERILOG: &'static str = "\
// module: fused_sum
always @(*) {below, t1, t0} = {27'd0, value} + {subtract, {w1, w0} ^ {76{subtract}}};
";

    fn compute(&mut self) {
        let (a, b) = (u128::from(self.value.val().to_u64()), join(self.w0.val(), self.w1.val()));
        let total = if self.subtract.val() { a.wrapping_sub(b).wrapping_sub(1) } else { a + b };
        self.t0.next = half(total, 0);
        self.t1.next = half(total, 1);
        self.below.next = total >> 76 & 1 == 1;
    }
}

leaf_cell! {
    /// Fifth stage: the magnitude. One is added to a difference from which nothing was lost.
    FusedMagnitude {
        in
            /// Lower half of the sum.
            t0: Bits<38>,
            /// Upper half.
            t1: Bits<38>,
            /// It is below zero.
            below: bool,
            /// It is a difference.
            subtract: bool,
            /// Something of the addend was lost.
            lost: bool;
        out
            /// Lower half.
            m0: Bits<38>,
            /// Upper half.
            m1: Bits<38>
    }
}

impl FusedMagnitude {
    const VERILOG: &'static str = "\
// module: fused_magnitude
reg up;
always @(*) begin
   up = subtract && !below && !lost;
   {m1, m0} = ({t1, t0} ^ {76{below}}) + {75'd0, up};
end
";

    fn compute(&mut self) {
        let total = join(self.t0.val(), self.t1.val());
        let up = self.subtract.val() && !self.below.val() && !self.lost.val();
        let total = if self.below.val() { total ^ WINDOW } else { total } + u128::from(up);
        self.m0.next = half(total, 0);
        self.m1.next = half(total, 1);
    }
}

leaf_cell! {
    /// Sixth stage: how far the magnitude goes up: to its leading bit, not beyond the exponent.
    FusedZeros {
        in
            /// Lower half of the magnitude.
            m0: Bits<38>,
            /// Upper half.
            m1: Bits<38>,
            /// Exponent of the highest bit, less 1.
            rest: Bits<10>;
        out
            /// Bits to shift left, at most 76.
            left: Bits<7>,
            /// The magnitude is zero.
            zero: bool
    }
}

impl FusedZeros {
    /// Pairs, then pairs of pairs: a bit for "something is set", and the place of the first.
    const VERILOG: &'static str = "\
// module: fused_zeros
integer i;
reg [127:0] s0;
reg [63:0] s1;
reg [31:0] s2;
reg [15:0] s3;
reg [7:0] s4;
reg [3:0] s5;
reg [1:0] s6;
reg [63:0] p1;
reg [63:0] p2;
reg [47:0] p3;
reg [31:0] p4;
reg [19:0] p5;
reg [11:0] p6;
reg [6:0] count;
always @(*) begin
   s0 = {m1, m0, 1'b1, 51'd0};
   for (i = 0; i < 64; i = i + 1) begin
      s1[i] = s0[2*i+1] | s0[2*i];
      p1[i] = ~s0[2*i+1];
   end
   for (i = 0; i < 32; i = i + 1) begin
      s2[i] = s1[2*i+1] | s1[2*i];
      p2[2*i +: 2] = {~s1[2*i+1], s1[2*i+1] ? p1[2*i+1] : p1[2*i]};
   end
   for (i = 0; i < 16; i = i + 1) begin
      s3[i] = s2[2*i+1] | s2[2*i];
      p3[3*i +: 3] = {~s2[2*i+1], s2[2*i+1] ? p2[4*i+2 +: 2] : p2[4*i +: 2]};
   end
   for (i = 0; i < 8; i = i + 1) begin
      s4[i] = s3[2*i+1] | s3[2*i];
      p4[4*i +: 4] = {~s3[2*i+1], s3[2*i+1] ? p3[6*i+3 +: 3] : p3[6*i +: 3]};
   end
   for (i = 0; i < 4; i = i + 1) begin
      s5[i] = s4[2*i+1] | s4[2*i];
      p5[5*i +: 5] = {~s4[2*i+1], s4[2*i+1] ? p4[8*i+4 +: 4] : p4[8*i +: 4]};
   end
   for (i = 0; i < 2; i = i + 1) begin
      s6[i] = s5[2*i+1] | s5[2*i];
      p6[6*i +: 6] = {~s5[2*i+1], s5[2*i+1] ? p5[10*i+5 +: 5] : p5[10*i +: 5]};
   end
   count = {~s6[1], s6[1] ? p6[11:6] : p6[5:0]};
   zero = count == 7'd76;
   left = (rest[9:7] == 3'd0 && rest[6:0] < count) ? rest[6:0] : count;
end
";

    fn compute(&mut self) {
        let value = join(self.m0.val(), self.m1.val());
        let count = u64::from((value << 1 | 1).leading_zeros()) - 51;
        self.zero.next = count == 76;
        self.left.next = bits(count.min(self.rest.val().to_u64()));
    }
}

leaf_cell! {
    /// Seventh stage: up by multiples of 16.
    FusedCoarse {
        in
            /// Lower half of the magnitude.
            m0: Bits<38>,
            /// Upper half.
            m1: Bits<38>,
            /// Sixteens to shift left, at most 4.
            left: Bits<3>;
        out
            /// The 40 highest bits.
            upper: Bits<40>,
            /// Something is below them.
            sticky: bool
    }
}

impl FusedCoarse {
    const VERILOG: &'static str = "\
// module: fused_coarse
reg [75:0] a;
reg [75:0] b;
reg [55:0] c;
always @(*) begin
   a = left[2] ? {m0[11:0], 64'd0} : {m1, m0};
   b = left[1] ? {a[43:0], 32'd0} : a;
   c = left[0] ? {b[59:20], 16'd0} : b[75:20];
   upper = c[55:16];
   sticky = |b[19:0] || |c[15:0];
end
";

    fn compute(&mut self) {
        let value = join(self.m0.val(), self.m1.val());
        let left = self.left.val().to_u64();
        let by = |value: u128, bit: u32| if left >> bit & 1 == 1 { value << (16 << bit) & WINDOW } else { value };
        let b = by(by(value, 2), 1);
        let upper = if left & 1 == 1 { b >> 20 << 16 & ((1 << 56) - 1) } else { b >> 20 };
        self.upper.next = bits((upper >> 16) as u64);
        self.sticky.next = b & 0xF_FFFF != 0 || upper & 0xFFFF != 0;
    }
}

leaf_cell! {
    /// Eighth stage: up by 0 to 15, and the exponent.
    FusedFine {
        in
            /// The 40 highest bits.
            upper: Bits<40>,
            /// Bits to shift left.
            left: Bits<7>,
            /// Exponent of the highest bit before all shifts, less 1.
            rest: Bits<10>;
        out
            /// Significand and the bit below it.
            significand: Bits<25>,
            /// Something is below that.
            sticky: bool,
            /// Exponent less 1.
            exponent: Bits<9>
    }
}

impl FusedFine {
    const VERILOG: &'static str = "\
// module: fused_fine
reg [39:0] a;
reg [31:0] b;
reg [27:0] c;
reg [25:0] d;
reg unused;
always @(*) begin
   a = left[3] ? {upper[31:0], 8'd0} : upper;
   b = left[2] ? {a[35:8], 4'd0} : a[39:8];
   c = left[1] ? {b[29:4], 2'd0} : b[31:4];
   d = left[0] ? {c[26:2], 1'd0} : c[27:2];
   significand = d[25:1];
   sticky = |a[7:0] || |b[3:0] || |c[1:0] || d[0];
   {unused, exponent} = rest - {3'd0, left};
end
";

    fn compute(&mut self) {
        let left = self.left.val().to_u64();
        let shifted = (self.upper.val().to_u64() << (left & 15)) & 0xFF_FFFF_FFFF;
        self.significand.next = bits(shifted >> 15);
        self.sticky.next = shifted & 0x7FFF != 0;
        self.exponent.next = bits(self.rest.val().to_u64().wrapping_sub(left) & 0x1FF);
    }
}

leaf_cell! {
    /// Ninth stage: rounded to the nearest, ties to the even one; special values.
    FusedRound {
        in
            /// Significand and the bit below it.
            significand: Bits<25>,
            /// Something is below that.
            sticky: bool,
            /// Exponent less 1.
            exponent: Bits<9>,
            /// Sign.
            negative: bool,
            /// The result is zero.
            none: bool,
            /// The result is an infinity.
            infinite: bool,
            /// The result is the NaN.
            nan: bool;
        out
            /// The float.
            value: Bits<32>
    }
}

impl FusedRound {
    const VERILOG: &'static str = "\
// module: fused_round
reg up;
reg [31:0] sum;
always @(*) begin
   up = significand[0] && (sticky || significand[1]);
   sum = {exponent, 23'd0} + {8'd0, significand[24:1]} + {31'd0, up};
   value = {negative, sum[30:0]};
   if (sum[31] || &sum[30:23] || infinite) value = {negative, 31'h7F800000};
   if (none && !infinite) value = {negative, 31'd0};
   if (nan) value = 32'h7FC00000;
end
";

    fn compute(&mut self) {
        let s = self.significand.val().to_u64();
        let up = s & 1 == 1 && (self.sticky.val() || s & 2 != 0);
        let sum = ((self.exponent.val().to_u64() << 23) + (s >> 1) + u64::from(up)) & 0xFFFF_FFFF;
        let sign = u64::from(self.negative.val()) << 31;
        let value = if self.nan.val() {
            0x7FC0_0000
        } else if self.infinite.val() {
            sign | 0x7F80_0000
        } else if self.none.val() {
            sign
        } else if sum >= 0x7F80_0000 {
            sign | 0x7F80_0000
        } else {
            sign | sum
        };
        self.value.next = bits(value);
    }
}

leaf_cell! {
    /// A float on its way to an integer. With `depth` it is held in 0 to 1, a NaN as 0, and
    /// becomes 64 (2^24 - 1) times it, else the magnitude of 64 times it, 2^30 at most.
    FixedScale {
        in
            /// The float.
            value: Bits<32>,
            /// It is a depth.
            depth: bool;
        out
            /// Integer in bits 47:17 before `right`.
            product: Bits<48>,
            /// Bits to shift right.
            right: Bits<5>,
            /// The integer is 0.
            none: bool,
            /// It is 2^30.
            most: bool
    }
}

impl FixedScale {
    const VERILOG: &'static str = "\
// module: fixed_scale
reg number;
reg one;
reg [23:0] significand;
reg [7:0] base;
reg [7:0] away;
always @(*) begin
   number = !(&value[30:23] && |value[22:0]);
   one = depth && value[30:23] >= 8'd127;
   significand = {1'b1, one ? 23'd0 : value[22:0]};
   product = {significand, 24'd0} - {24'd0, significand & {24{depth}}};
   base = depth ? 8'd127 : 8'd151;
   away = one ? 8'd0 : base - value[30:23];
   most = !depth && number && value[30:23] >= 8'd151;
   none = !number || (depth && value[31]) || (away[7:5] != 3'd0 && !most);
   right = away[4:0];
end
";

    fn compute(&mut self) {
        let value = self.value.val().to_u64();
        let (exponent, depth) = (value >> 23 & 255, self.depth.val());
        let number = exponent != 255 || value & 0x7F_FFFF == 0;
        let one = depth && exponent >= 127;
        let significand = 0x80_0000 | if one { 0 } else { value & 0x7F_FFFF };
        self.product.next = bits((significand << 24) - if depth { significand } else { 0 });
        let base: u64 = if depth { 127 } else { 151 };
        let away = if one { 0 } else { base.wrapping_sub(exponent) & 255 };
        let most = !depth && number && exponent >= 151;
        self.most.next = most;
        self.none.next = !number || depth && value >> 31 == 1 || away > 31 && !most;
        self.right.next = bits(away & 31);
    }
}

leaf_cell! {
    /// Right by multiples of 8: an integer, the bit below it, and what is below that.
    FixedCoarse {
        in
            /// Integer in bits 47:17.
            product: Bits<48>,
            /// Eights to shift right.
            right: Bits<2>;
        out
            /// Integer, and the bit below it.
            upper: Bits<32>,
            /// Something is below that.
            sticky: bool
    }
}

impl FixedCoarse {
    const VERILOG: &'static str = "\
// module: fixed_coarse
reg [31:0] a;
always @(*) begin
   a = right[1] ? {16'd0, product[47:32]} : product[47:16];
   upper = right[0] ? {8'd0, a[31:8]} : a;
   sticky = |product[15:0] || (right[1] && |product[31:16]) || (right[0] && |a[7:0]);
end
";

    fn compute(&mut self) {
        let (product, places) = (self.product.val().to_u64(), 16 + 8 * self.right.val().to_u64());
        self.upper.next = bits(product >> places);
        self.sticky.next = product & ((1 << places) - 1) != 0;
    }
}

leaf_cell! {
    /// Right by 0 to 7, then rounded to the nearest, ties to the even one.
    FixedRound {
        in
            /// Integer, and the bit below it.
            upper: Bits<32>,
            /// Something is below that.
            sticky: bool,
            /// Bits to shift right.
            right: Bits<3>,
            /// The result is 0.
            none: bool,
            /// It is 2^30.
            most: bool;
        out
            /// The integer.
            fixed: Bits<31>
    }
}

impl FixedRound {
    const VERILOG: &'static str = "\
// module: fixed_round
reg [38:0] moved;
reg up;
always @(*) begin
   moved = {upper, 7'd0} >> right;
   up = moved[7] && (sticky || moved[6:0] != 7'd0 || moved[8]);
   fixed = none ? 31'd0 : most ? 31'h40000000 : moved[38:8] + {30'd0, up};
end
";

    fn compute(&mut self) {
        let moved = (self.upper.val().to_u64() << 7) >> self.right.val().to_u64();
        let up = moved >> 7 & 1 == 1 && (self.sticky.val() || moved & 0x7F != 0 || moved >> 8 & 1 == 1);
        let rounded = (moved >> 8) + u64::from(up);
        self.fixed.next = bits(if self.none.val() {
            0
        } else if self.most.val() {
            1 << 30
        } else {
            rounded & 0x7FFF_FFFF
        });
    }
}
