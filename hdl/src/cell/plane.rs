//! Arithmetic of a depth plane in the rasteriser, and of what it shares with edges: operands,
//! product, start value. A *floor* is a value without its five lowest bits: every sample lies at a
//! multiple of an eighth of a pixel, which is 32 units of fixed, so those bits never change within
//! a triangle. Floors have 55 bits, modulo 2^55; slopes are per eighth.
//!
//! All are combinational. They can be wrong in signs and at the carries between pieces; the
//! cross-check drives both descriptions, and `tests/rasteriser.rs` compares with exact planes.

use rust_hdl::prelude::*;

use crate::leaf_cell;

/// Value of a word of `width` bits with its sign.
pub(super) fn signed<const N: usize>(value: Bits<N>) -> i64 {
    (value.to_u64() as i64) << (64 - N) >> (64 - N)
}

/// The low bits of a number.
pub(super) fn low<const N: usize>(value: i64) -> Bits<N> {
    bits(value as u64 & u64::MAX >> (64 - N))
}

leaf_cell! {
    /// Slope of the plane of that number: edges 0 to 2 with their sign, 3 depth.
    PlaneSlope {
        in
            /// Number of the plane.
            plane: Bits<2>,
            /// Slope of edge 0.
            edge0: Bits<24>,
            /// Slope of edge 1.
            edge1: Bits<24>,
            /// Slope of edge 2.
            edge2: Bits<24>,
            /// Slope of the depth.
            depth: Bits<50>;
        out
            /// The slope.
            slope: Bits<55>
    }
}

impl PlaneSlope {
    const VERILOG: &'static str = "\
// module: plane_slope
always @(*) begin
   case (plane)
      2'd0: slope = {{31{edge0[23]}}, edge0};
      2'd1: slope = {{31{edge1[23]}}, edge1};
      2'd2: slope = {{31{edge2[23]}}, edge2};
      default: slope = {{5{depth[49]}}, depth};
   endcase
end
";

    fn compute(&mut self) {
        self.slope.next = low(match self.plane.val().to_u32() {
            0 => signed(self.edge0.val()),
            1 => signed(self.edge1.val()),
            2 => signed(self.edge2.val()),
            _ => signed(self.depth.val()),
        });
    }
}

leaf_cell! {
    /// Value at the target's corner of the plane of that number: edges 0 to 2 with their sign,
    /// 3 depth.
    PlaneConstant {
        in
            /// Number of the plane.
            plane: Bits<2>,
            /// Value of edge 0.
            edge0: Bits<48>,
            /// Value of edge 1.
            edge1: Bits<48>,
            /// Value of edge 2.
            edge2: Bits<48>,
            /// Depth.
            depth: Bits<60>;
        out
            /// The value.
            constant: Bits<60>
    }
}

impl PlaneConstant {
    const VERILOG: &'static str = "\
// module: plane_constant
always @(*) begin
   case (plane)
      2'd0: constant = {{12{edge0[47]}}, edge0};
      2'd1: constant = {{12{edge1[47]}}, edge1};
      2'd2: constant = {{12{edge2[47]}}, edge2};
      default: constant = depth;
   endcase
end
";

    fn compute(&mut self) {
        self.constant.next = low(match self.plane.val().to_u32() {
            0 => signed(self.edge0.val()),
            1 => signed(self.edge1.val()),
            2 => signed(self.edge2.val()),
            _ => self.depth.val().to_u64() as i64,
        });
    }
}

leaf_cell! {
    /// Floor of a plane at the target's corner. An edge that does not take its own line is lowered
    /// by 1, so that a sample is covered if the floor is not negative. Depth is rounded: + 2^23.
    PlaneFloor {
        in
            /// Value at the corner.
            constant: Bits<60>,
            /// It is a depth, else an edge.
            depth: bool,
            /// The edge takes its own line.
            takes: bool;
        out
            /// The floor.
            floor: Bits<55>
    }
}

impl PlaneFloor {
    const VERILOG: &'static str = "\
// module: plane_floor
reg [59:0] addend;
reg [59:0] sum;
reg unused;
always @(*) begin
   addend = depth ? 60'h800000 : {60{~takes}};
   sum = constant + addend;
   floor = sum[59:5];
   unused = |sum[4:0];
end
";

    fn compute(&mut self) {
        let addend = if self.depth.val() { 1 << 23 } else { i64::from(self.takes.val()) - 1 };
        self.floor.next = low(signed(self.constant.val()).wrapping_add(addend) >> 5);
    }
}

leaf_cell! {
    /// Slope times place, modulo 2^55.
    PlaneProduct {
        in
            /// Slope.
            slope: Bits<55>,
            /// Place, in units of half a pixel.
            place: Bits<13>;
        out
            /// Product.
            product: Bits<55>
    }
}

impl PlaneProduct {
    const VERILOG: &'static str = "\
// module: plane_product
always @(*) product = slope * {42'd0, place};
";

    fn compute(&mut self) {
        self.product.next = low(self.slope.val().to_u64().wrapping_mul(self.place.val().to_u64()) as i64);
    }
}

leaf_cell! {
    /// Floor at a place: both products are per half a pixel, which is four eighths.
    PlaneStart {
        in
            /// Product to the right.
            x: Bits<55>,
            /// Product down.
            y: Bits<55>,
            /// Floor at the corner.
            floor: Bits<55>;
        out
            /// Floor at the place.
            start: Bits<55>
    }
}

impl PlaneStart {
    const VERILOG: &'static str = "\
// module: plane_start
reg [54:0] sum;
reg unused;
always @(*) begin
   sum = x + y;
   start = floor + {sum[52:0], 2'd0};
   unused = |sum[54:53];
end
";

    fn compute(&mut self) {
        let sum = self.x.val().to_u64() + self.y.val().to_u64();
        self.start.next = low((self.floor.val().to_u64() + 4 * sum) as i64);
    }
}

leaf_cell! {
    /// Depth eight pixels on: to the right, to the left or down.
    DepthStep {
        in
            /// Floor.
            value: Bits<55>,
            /// Slope to the right.
            x: Bits<55>,
            /// Slope down.
            y: Bits<55>,
            /// Down, else sideways.
            down: bool,
            /// Sideways: to the left.
            back: bool;
        out
            /// The floor there.
            onward: Bits<55>
    }
}

impl DepthStep {
    /// The digit below the lowest one carries the 1 of a difference.
    const VERILOG: &'static str = "\
// module: depth_step
reg less;
reg [48:0] slope;
reg [55:0] sum;
reg unused;
always @(*) begin
   less = back & ~down;
   slope = down ? y[48:0] : x[48:0] ^ {49{less}};
   sum = {value, 1'b1} + {slope, {7{less}}};
   onward = sum[55:1];
   unused = |{x[54:49], y[54:49], sum[0]};
end
";

    fn compute(&mut self) {
        let slope = match (self.down.val(), self.back.val()) {
            (true, _) => signed(self.y.val()),
            (false, false) => signed(self.x.val()),
            (false, true) => -signed(self.x.val()),
        };
        self.onward.next = low(signed(self.value.val()).wrapping_add(slope << 6));
    }
}

leaf_cell! {
    /// Depth one row of quads on.
    DepthRow {
        in
            /// Floor.
            value: Bits<55>,
            /// Slope down.
            y: Bits<55>;
        out
            /// The floor there.
            onward: Bits<55>
    }
}

impl DepthRow {
    const VERILOG: &'static str = "\
// module: depth_row
reg unused;
always @(*) begin
   onward = value + {y[50:0], 4'd0};
   unused = |y[54:51];
end
";

    fn compute(&mut self) {
        self.onward.next = low(signed(self.value.val()).wrapping_add(signed(self.y.val()) << 4));
    }
}

leaf_cell! {
    /// Multiples of a depth's slopes: three x, and the distances of samples from a pixel's centre.
    DepthOffsets {
        in
            /// Slope to the right.
            x: Bits<55>,
            /// Slope down.
            y: Bits<55>;
        out
            /// Three x.
            triple: Bits<55>,
            /// x + 3 y.
            u: Bits<55>,
            /// 3 x - y.
            v: Bits<55>,
            /// 2 x + 2 y.
            w: Bits<55>
    }
}

impl DepthOffsets {
    const VERILOG: &'static str = "\
// module: depth_offsets
reg [54:0] sum;
reg unused;
always @(*) begin
   sum = x + y;
   triple = x + {x[53:0], 1'b0};
   u = sum + {y[53:0], 1'b0};
   v = triple - y;
   w = {sum[53:0], 1'b0};
   unused = |{x[54], y[54], sum[54]};
end
";

    fn compute(&mut self) {
        let (x, y) = (signed(self.x.val()), signed(self.y.val()));
        self.triple.next = low(3 * x);
        self.u.next = low(x + 3 * y);
        self.v.next = low(3 * x - y);
        self.w.next = low(2 * (x + y));
    }
}

leaf_cell! {
    /// Depth of a sample of the top left pixel of one of four quads.
    SampleDepth {
        in
            /// Floor at the centre of the first quad's top left pixel.
            value: Bits<55>,
            /// Slope to the right.
            x: Bits<55>,
            /// Three x.
            triple: Bits<55>,
            /// x + 3 y.
            u: Bits<55>,
            /// 3 x - y.
            v: Bits<55>,
            /// 2 x + 2 y.
            w: Bits<55>,
            /// Number of the quad.
            quad: Bits<2>,
            /// Place of the sample, as `sample_place` says it.
            place: Bits<3>;
        out
            /// The floor there.
            sample: Bits<55>
    }
}

impl SampleDepth {
    const VERILOG: &'static str = "\
// module: sample_depth
reg [50:0] right;
reg [54:0] corner;
reg [54:0] offset;
reg [55:0] sum;
reg unused;
always @(*) begin
   case (quad)
      2'd0: right = 51'd0;
      2'd1: right = x[50:0];
      2'd2: right = {x[49:0], 1'b0};
      default: right = triple[50:0];
   endcase
   corner = value + {right, 4'd0};
   case (place[1:0])
      2'd0: offset = 55'd0;
      2'd1: offset = w;
      2'd2: offset = u;
      default: offset = v;
   endcase
   sum = {corner, 1'b1} + {offset ^ {55{place[2]}}, place[2]};
   sample = sum[55:1];
   unused = |{x[54:51], triple[54:51], sum[0]};
end
";

    fn compute(&mut self) {
        let right = match self.quad.val().to_u32() {
            0 => 0,
            1 => signed(self.x.val()),
            2 => 2 * signed(self.x.val()),
            _ => signed(self.triple.val()),
        };
        let offset = match self.place.val().to_u32() & 3 {
            0 => 0,
            1 => signed(self.w.val()),
            2 => signed(self.u.val()),
            _ => signed(self.v.val()),
        };
        let offset = if self.place.val().get_bit(2) { -offset } else { offset };
        self.sample.next = low(signed(self.value.val()) + (right << 4) + offset);
    }
}

leaf_cell! {
    /// Depths of the four pixels of a quad without their fraction but its highest bit.
    LaneDepths {
        in
            /// Floor of lane 0.
            value: Bits<55>,
            /// Slope to the right.
            x: Bits<55>,
            /// Slope down.
            y: Bits<55>,
            /// 2 x + 2 y.
            w: Bits<55>;
        out
            /// Bits 54:18 of lane 0.
            lane0: Bits<37>,
            /// Bits 54:18 of lane 1.
            lane1: Bits<37>,
            /// Bits 54:18 of lane 2.
            lane2: Bits<37>,
            /// Bits 54:18 of lane 3.
            lane3: Bits<37>
    }
}

impl LaneDepths {
    const VERILOG: &'static str = "\
// module: lane_depths
reg [54:0] right;
reg [54:0] below;
reg [54:0] across;
reg unused;
always @(*) begin
   right = value + {x[51:0], 3'd0};
   below = value + {y[51:0], 3'd0};
   across = value + {w[52:0], 2'd0};
   lane0 = value[54:18];
   lane1 = right[54:18];
   lane2 = below[54:18];
   lane3 = across[54:18];
   unused = |{x[54:52], y[54:52], w[54:53], right[17:0], below[17:0], across[17:0]};
end
";

    fn compute(&mut self) {
        let value = signed(self.value.val());
        let lane = |offset: i64| low(value.wrapping_add(offset) >> 18);
        self.lane0.next = lane(0);
        self.lane1.next = lane(signed(self.x.val()) << 3);
        self.lane2.next = lane(signed(self.y.val()) << 3);
        self.lane3.next = lane(signed(self.w.val()) << 2);
    }
}

leaf_cell! {
    /// Depth of a lane, held between two bounds.
    DepthClamp {
        in
            /// Depth with sign, and below it the highest bit of its fraction. 2^23 is in it.
            value: Bits<37>,
            /// Least depth.
            low: Bits<24>,
            /// Greatest depth.
            high: Bits<24>;
        out
            /// The depth.
            depth: Bits<24>
    }
}

impl DepthClamp {
    /// The plane is modulo 2^60 before 2^23 is added, so a sum that has gone round was above.
    const VERILOG: &'static str = "\
// module: depth_clamp
reg round;
always @(*) begin
   round = value == 37'h1000000000;
   depth = value[24:1];
   if (value[36] | (value[35:1] < {11'd0, low}))
      depth = low;
   if (round | (~value[36] & (value[35:1] > {11'd0, high})))
      depth = high;
end
";

    fn compute(&mut self) {
        let (low, high) = (self.low.val(), self.high.val());
        let value = signed(self.value.val());
        let depth = value >> 1;
        self.depth.next = if value == -1 << 36 || depth > high.to_u64() as i64 {
            high
        } else if depth < low.to_u64() as i64 {
            low
        } else {
            bits(depth as u64)
        };
    }
}
