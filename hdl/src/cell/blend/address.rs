//! Where a quad's word stands in a tile buffer (docs/graphics-blocks.md, "Tile buffers").
//!
//! Combinational. It can be wrong in a side of tiles; `tests/blend_cells.rs` drives all.

use rust_hdl::prelude::*;

use crate::leaf_cell;

leaf_cell! {
    /// Address of a quad's word in a tile buffer: planes and samples are `index`, then row, column.
    QuadAddress {
        in
            /// log2 of the tile's side in pixels: 3 to 5; what is greater counts as 5.
            side: Bits<3>,
            /// Plane times samples, plus sample.
            index: Bits<5>,
            /// Column of the quad, in units of two pixels.
            x: Bits<4>,
            /// Row of the quad.
            y: Bits<4>;
        out
            /// Word of the memory.
            address: Bits<10>
    }
}

impl QuadAddress {
    const VERILOG: &'static str = "\
// module: quad_address
always @(*) begin
   address = {index[1:0], y, x};
   if (side == 3'd4)
      address = {index[3:0], y[2:0], x[2:0]};
   if (side < 3'd4)
      address = {1'b0, index, y[1:0], x[1:0]};
end
";

    fn compute(&mut self) {
        let column = match self.side.val().to_u32() {
            0..=3 => 2,
            4 => 3,
            _ => 4,
        };
        let low = (1 << column) - 1;
        let (x, y) = (self.x.val().to_u32() & low, self.y.val().to_u32() & low);
        let index = self.index.val().to_u32();
        self.address.next = bits(u64::from((index << (2 * column) | y << column | x) & 0x3FF));
    }
}
