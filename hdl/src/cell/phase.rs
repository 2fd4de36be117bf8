//! Range reduction of sin and cos: the bits of 2/pi that a number of some exponent needs, and their
//! product with its significand, modulo four quadrants (see `docs/float.md`, "sin, cos"). A window
//! is two words, `hi` of 22 bits.
//!
//! Combinational. They can be wrong at the ends of the offset's range and in a digit of the
//! constant; `tests/function_cells.rs` takes every offset, and compares the constant with the
//! golden model's, which is proved by a series.

use std::sync::LazyLock;

use rust_hdl::prelude::*;

use crate::leaf_cell;

/// Bits of 2/pi after the binary point, first to last; the first 156 are used.
const TWO_OVER_PI: [u64; 3] = [0xA2F9_836E_4E44_1529, 0xFC27_57D1_F534_DDC0, 0xDB62_9599_3C43_9041];
/// Zeros before them: with a window of 54 bits, the first window that holds the bit of weight 1/2
/// has the offset 1.
const ZEROS: u32 = 54;
/// Bits of the constant that is shifted: the zeros and the 156 bits.
const LENGTH: u32 = ZEROS + 156;

/// Bit `index` of the constant, 0 behind its end.
fn bit(index: u32) -> u64 {
    match index.checked_sub(ZEROS) {
        Some(at) if index < LENGTH => TWO_OVER_PI[at as usize / 64] >> (63 - at % 64) & 1,
        _ => 0,
    }
}

/// The window at each offset.
static WINDOWS: LazyLock<[u64; 256]> =
    LazyLock::new(|| std::array::from_fn(|offset| (0..54).fold(0, |window, at| window << 1 | bit(offset as u32 + at))));

leaf_cell! {
    /// 54 bits of 2/pi.
    PhaseWindow {
        in
            /// The first bit has the weight 2^(53 - offset); bits of weight 1 and more are 0. At
            /// most 156.
            offset: Bits<8>;
        out
            /// The window, bits 53:32.
            hi: Bits<22>,
            /// The window, bits 31:0.
            lo: Bits<32>
    }
}

impl PhaseWindow {
    /// In two steps, the coarse one first: it shifts a constant by multiples of 16, which is one
    /// look-up table per bit.
    const VERILOG: &'static str = "\
// module: phase_window
reg [209:0] coarse;
reg [68:0] fine;
reg unused;
always @(*) begin
   coarse = {54'd0, 156'hA2F9836E4E441529FC2757D1F534DDC0DB62959} << {offset[7:4], 4'd0};
   fine = coarse[209:141] << offset[3:0];
   hi = fine[68:47];
   lo = fine[46:15];
   unused = |{coarse[140:0], fine[14:0]};
end
";

    fn compute(&mut self) {
        let window = WINDOWS[self.offset.val().index()];
        self.hi.next = bits(window >> 32);
        self.lo.next = bits(window & 0xFFFF_FFFF);
    }
}

leaf_cell! {
    /// Significand times window, modulo 2^54, without its low 22 bits: 2 bits of quadrant, 30 of
    /// fraction.
    PhaseProduct {
        in
            /// Significand.
            significand: Bits<24>,
            /// Window of 2/pi, bits 53:32.
            window_hi: Bits<22>,
            /// Window of 2/pi, bits 31:0.
            window_lo: Bits<32>;
        out
            /// Product, bits 53:22.
            phase: Bits<32>
    }
}

impl PhaseProduct {
    const VERILOG: &'static str = "\
// module: phase_product
reg [53:0] full;
reg unused;
always @(*) begin
   full = {30'd0, significand} * {window_hi, window_lo};
   phase = full[53:22];
   unused = |full[21:0];
end
";

    fn compute(&mut self) {
        let window = self.window_hi.val().to_u64() << 32 | self.window_lo.val().to_u64();
        let product = self.significand.val().to_u64().wrapping_mul(window);
        self.phase.next = bits(product >> 22 & 0xFFFF_FFFF);
    }
}
