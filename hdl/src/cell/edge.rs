//! Arithmetic of the rasteriser's edges. Values are floors as in [`super::plane`]: edges in units
//! of 32, slopes per eighth of a pixel. A sample is covered if no edge's floor is negative there.
//!
//! Widths: corners of triangles have 22 bits with sign, so slopes are below 2^22 in magnitude.
//! Across eight pixels, 64 eighths, an edge changes by less than 2^29.
//!
//! All are combinational. They can be wrong at the ends of a range, and in a multiple of a slope;
//! the cross-check drives both descriptions, and `tests/rasteriser.rs` compares with exact edges.

use rust_hdl::prelude::*;

use super::plane::{low, signed};
use crate::leaf_cell;

leaf_cell! {
    /// By how much an edge can be greater in a square than at its first pixel's centre. The square
    /// reaches from that pixel's corner.
    EdgeReach {
        in
            /// Slope to the right.
            a: Bits<24>,
            /// Slope down.
            b: Bits<24>;
        out
            /// In a square of eight pixels.
            group: Bits<31>,
            /// In a square of 32 pixels.
            whole: Bits<31>
    }
}

impl EdgeReach {
    /// The greatest corner less the centre: 64 or 256 times the slopes that rise, less 4 times all.
    const VERILOG: &'static str = "\
// module: edge_reach
reg [24:0] rise;
reg [24:0] centre;
reg [32:0] low;
reg [32:0] group_sum;
reg [32:0] whole_sum;
reg unused;
always @(*) begin
   rise = {1'b0, a & {24{~a[23]}}} + {1'b0, b & {24{~b[23]}}};
   centre = {a[23], a} + {b[23], b};
   low = {{6{centre[24]}}, centre, 2'd0};
   group_sum = {2'd0, rise, 6'd0} - low;
   whole_sum = {rise, 8'd0} - low;
   group = group_sum[30:0];
   whole = whole_sum[30:0];
   unused = |{group_sum[32:31], whole_sum[32:31]};
end
";

    fn compute(&mut self) {
        let (a, b) = (signed(self.a.val()), signed(self.b.val()));
        let (rise, centre) = (a.max(0) + b.max(0), a + b);
        self.group.next = low(64 * rise - 4 * centre);
        self.whole.next = low(256 * rise - 4 * centre);
    }
}

leaf_cell! {
    /// Whether an edge takes anything in a square, and the edge for use within eight pixels.
    GroupTest {
        in
            /// Edge at the first pixel's centre.
            value: Bits<44>,
            /// By how much it can be greater in the square.
            reach: Bits<31>;
        out
            /// It is not negative everywhere.
            touched: bool,
            /// The edge with sign; one that cannot become negative in the square is 2^30 - 1.
            held: Bits<32>
    }
}

impl GroupTest {
    const VERILOG: &'static str = "\
// module: group_test
reg [43:0] most;
reg far;
reg unused;
always @(*) begin
   most = value + {13'd0, reach};
   touched = ~most[43];
   far = ~value[43] & |value[42:30];
   held = far ? 32'h3FFFFFFF : value[31:0];
   unused = |most[42:0];
end
";

    fn compute(&mut self) {
        let value = signed(self.value.val());
        let most: Bits<44> = low(value + self.reach.val().to_u64() as i64);
        self.touched.next = signed(most) >= 0;
        self.held.next = if value >= 1 << 30 { bits(0x3FFF_FFFF) } else { low(value) };
    }
}

leaf_cell! {
    /// Edge eight pixels on: to the right, to the left or down.
    EdgeStep {
        in
            /// Edge.
            value: Bits<44>,
            /// Slope to the right.
            a: Bits<24>,
            /// Slope down.
            b: Bits<24>,
            /// Down, else sideways.
            down: bool,
            /// Sideways: to the left.
            back: bool;
        out
            /// The edge there.
            onward: Bits<44>
    }
}

impl EdgeStep {
    /// The digit below the lowest one carries the 1 of a difference.
    const VERILOG: &'static str = "\
// module: edge_step
reg less;
reg [23:0] slope;
reg [44:0] sum;
reg unused;
always @(*) begin
   less = back & ~down;
   slope = down ? b : a ^ {24{less}};
   sum = {value, 1'b1} + {{14{slope[23]}}, slope, {7{less}}};
   onward = sum[44:1];
   unused = sum[0];
end
";

    fn compute(&mut self) {
        let slope = match (self.down.val(), self.back.val()) {
            (true, _) => signed(self.b.val()),
            (false, false) => signed(self.a.val()),
            (false, true) => -signed(self.a.val()),
        };
        self.onward.next = low(signed(self.value.val()) + 64 * slope);
    }
}

leaf_cell! {
    /// Distances of samples from a pixel's centre, in an edge's value.
    EdgeOffsets {
        in
            /// Slope to the right.
            a: Bits<24>,
            /// Slope down.
            b: Bits<24>;
        out
            /// a + 3 b, with sign.
            u: Bits<26>,
            /// 3 a - b, with sign.
            v: Bits<26>,
            /// 2 a + 2 b, with sign.
            w: Bits<26>
    }
}

impl EdgeOffsets {
    const VERILOG: &'static str = "\
// module: edge_offsets
reg [25:0] right;
reg [25:0] down;
reg [25:0] sum;
always @(*) begin
   right = {{2{a[23]}}, a};
   down = {{2{b[23]}}, b};
   sum = right + down;
   u = sum + {down[24:0], 1'b0};
   v = right - down + {right[24:0], 1'b0};
   w = {sum[24:0], 1'b0};
end
";

    fn compute(&mut self) {
        let (a, b) = (signed(self.a.val()), signed(self.b.val()));
        self.u.next = low(a + 3 * b);
        self.v.next = low(3 * a - b);
        self.w.next = low(2 * (a + b));
    }
}

leaf_cell! {
    /// Where a sample lies from its pixel's centre: bits 1:0 are 0 there, 1 two right and two down,
    /// 2 one right and three down, 3 three right and one up, in eighths; bit 2 the other way.
    SamplePlace {
        in
            /// 0 one sample, 1 two, 2 four.
            samples: Bits<2>,
            /// Number of the sample; the number of samples for the centre.
            sample: Bits<3>;
        out
            /// The place.
            place: Bits<3>
    }
}

impl SamplePlace {
    const VERILOG: &'static str = "\
// module: sample_place
always @(*) begin
   case ({samples, sample})
      5'o10: place = 3'd1;
      5'o11: place = 3'd5;
      5'o20: place = 3'd6;
      5'o21: place = 3'd3;
      5'o22: place = 3'd7;
      5'o23: place = 3'd2;
      default: place = 3'd0;
   endcase
end
";

    fn compute(&mut self) {
        self.place.next = bits(match (self.samples.val().to_u32(), self.sample.val().to_u32()) {
            (1, 0) => 1,
            (1, 1) => 5,
            (2, 0) => 6,
            (2, 1) => 3,
            (2, 2) => 7,
            (2, 3) => 2,
            _ => 0,
        });
    }
}

leaf_cell! {
    /// Edge at a sample of the first pixels of both rows of a row of quads, without its three
    /// lowest bits: whole pixels do not change them.
    RowBase {
        in
            /// Edge at the centre of the first pixel.
            value: Bits<32>,
            /// a + 3 b.
            u: Bits<26>,
            /// 3 a - b.
            v: Bits<26>,
            /// 2 a + 2 b.
            w: Bits<26>,
            /// Slope down.
            b: Bits<24>,
            /// Place of the sample, as `sample_place` says it.
            place: Bits<3>;
        out
            /// Edge in the upper row.
            top: Bits<29>,
            /// Edge in the lower row.
            bottom: Bits<29>
    }
}

impl RowBase {
    const VERILOG: &'static str = "\
// module: row_base
reg [25:0] chosen;
reg [25:0] offset;
reg [32:0] sum;
reg unused;
always @(*) begin
   case (place[1:0])
      2'd0: chosen = 26'd0;
      2'd1: chosen = w;
      2'd2: chosen = u;
      default: chosen = v;
   endcase
   offset = chosen ^ {26{place[2]}};
   sum = {value, 1'b1} + {{6{offset[25]}}, offset, place[2]};
   top = sum[32:4];
   bottom = sum[32:4] + {{5{b[23]}}, b};
   unused = |sum[3:0];
end
";

    fn compute(&mut self) {
        let offset = match self.place.val().to_u32() & 3 {
            0 => 0,
            1 => signed(self.w.val()),
            2 => signed(self.u.val()),
            _ => signed(self.v.val()),
        };
        let offset = if self.place.val().get_bit(2) { -offset } else { offset };
        let sum: Bits<32> = low(signed(self.value.val()) + offset);
        self.top.next = low(signed(sum) >> 3);
        self.bottom.next = low((signed(sum) >> 3) + signed(self.b.val()));
    }
}

leaf_cell! {
    /// Edge one row of quads on.
    RowStep {
        in
            /// Edge.
            value: Bits<32>,
            /// Slope down.
            b: Bits<24>;
        out
            /// The edge there.
            onward: Bits<32>
    }
}

impl RowStep {
    const VERILOG: &'static str = "\
// module: row_step
always @(*) onward = value + {{4{b[23]}}, b, 4'd0};
";

    fn compute(&mut self) {
        self.onward.next = low(signed(self.value.val()) + 16 * signed(self.b.val()));
    }
}

leaf_cell! {
    /// Which of eight pixels in each of two rows an edge takes.
    RowSigns {
        in
            /// Edge at the first pixel of the upper row, in units of a pixel's slope.
            top: Bits<29>,
            /// Edge at the first pixel of the lower row.
            bottom: Bits<29>,
            /// Slope to the right.
            a: Bits<24>;
        out
            /// Pixels of the upper row, the first in bit 0.
            upper: Bits<8>,
            /// Pixels of the lower row.
            lower: Bits<8>
    }
}

impl RowSigns {
    const VERILOG: &'static str = "\
// module: row_signs
reg [28:0] x1;
reg [28:0] x3;
reg [28:0] x5;
reg [28:0] x7;
reg [28:0] t1;
reg [28:0] t2;
reg [28:0] t3;
reg [28:0] t4;
reg [28:0] t5;
reg [28:0] t6;
reg [28:0] t7;
reg [28:0] b1;
reg [28:0] b2;
reg [28:0] b3;
reg [28:0] b4;
reg [28:0] b5;
reg [28:0] b6;
reg [28:0] b7;
reg unused;
always @(*) begin
   x1 = {{5{a[23]}}, a};
   x3 = x1 + {x1[27:0], 1'b0};
   x5 = x1 + {x1[26:0], 2'd0};
   x7 = {x1[25:0], 3'd0} - x1;
   t1 = top + x1;
   t2 = top + {x1[27:0], 1'b0};
   t3 = top + x3;
   t4 = top + {x1[26:0], 2'd0};
   t5 = top + x5;
   t6 = top + {x3[27:0], 1'b0};
   t7 = top + x7;
   b1 = bottom + x1;
   b2 = bottom + {x1[27:0], 1'b0};
   b3 = bottom + x3;
   b4 = bottom + {x1[26:0], 2'd0};
   b5 = bottom + x5;
   b6 = bottom + {x3[27:0], 1'b0};
   b7 = bottom + x7;
   upper = ~{t7[28], t6[28], t5[28], t4[28], t3[28], t2[28], t1[28], top[28]};
   lower = ~{b7[28], b6[28], b5[28], b4[28], b3[28], b2[28], b1[28], bottom[28]};
   unused = |{t1[27:0], t2[27:0], t3[27:0], t4[27:0], t5[27:0], t6[27:0], t7[27:0], b1[27:0],
              b2[27:0], b3[27:0], b4[27:0], b5[27:0], b6[27:0], b7[27:0]};
end
";

    fn compute(&mut self) {
        let a = signed(self.a.val());
        let signs = |first: Bits<29>| {
            let taken = |x: i64| u64::from(signed(low::<29>(signed(first) + x * a)) >= 0) << x;
            bits((0..8).map(taken).sum())
        };
        self.upper.next = signs(self.top.val());
        self.lower.next = signs(self.bottom.val());
    }
}

leaf_cell! {
    /// Coverage of four quads that stand side by side: what all three edges take, of the pixels
    /// that count.
    QuadCover {
        in
            /// Pixels of the upper row that edge 0 takes.
            upper0: Bits<8>,
            /// Pixels of the upper row that edge 1 takes.
            upper1: Bits<8>,
            /// Pixels of the upper row that edge 2 takes.
            upper2: Bits<8>,
            /// Pixels of the lower row that edge 0 takes.
            lower0: Bits<8>,
            /// Pixels of the lower row that edge 1 takes.
            lower1: Bits<8>,
            /// Pixels of the lower row that edge 2 takes.
            lower2: Bits<8>,
            /// Columns that count.
            columns: Bits<8>,
            /// The upper row counts.
            above: bool,
            /// The lower row counts.
            below: bool;
        out
            /// Coverage, bit 4 * quad + lane.
            cover: Bits<16>
    }
}

impl QuadCover {
    const VERILOG: &'static str = "\
// module: quad_cover
reg [7:0] upper;
reg [7:0] lower;
always @(*) begin
   upper = upper0 & upper1 & upper2 & columns & {8{above}};
   lower = lower0 & lower1 & lower2 & columns & {8{below}};
   cover = {lower[7:6], upper[7:6], lower[5:4], upper[5:4], lower[3:2], upper[3:2], lower[1:0], upper[1:0]};
end
";

    fn compute(&mut self) {
        let row = |edges: [Bits<8>; 3], counts: bool| {
            let all = edges.into_iter().fold(self.columns.val(), |all, edge| all & edge);
            if counts {
                all.to_u64()
            } else {
                0
            }
        };
        let upper = row([self.upper0.val(), self.upper1.val(), self.upper2.val()], self.above.val());
        let lower = row([self.lower0.val(), self.lower1.val(), self.lower2.val()], self.below.val());
        let quad = |q: u64| (upper >> (2 * q) & 3 | (lower >> (2 * q) & 3) << 2) << (4 * q);
        self.cover.next = bits((0..4).map(quad).sum());
    }
}
