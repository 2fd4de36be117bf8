//! What a blend factor is made of, and which of two colours an operation takes as it is
//! (docs/graphics.md, "Tests and blending").
//!
//! A factor is at most one colour, perhaps taken from one. So its colours need no priority: each
//! has a bit of the choice, and what is not chosen counts as 0.
//!
//! Combinational. They can be wrong in a number of a factor, and in the order of zeros and NaNs;
//! `tests/blend_cells.rs` drives all factors, and runs both descriptions.

use rust_hdl::prelude::*;

use crate::{fields, leaf_cell};

fields! {
    /// What a number of a factor asks for: at most one colour, and whether it is taken from one.
    /// Factor 0 is no colour, factor 1 one less no colour.
    pub trait FactorBits: 7 {
        /// The fragment's colour.
        of_source: bit @ 0,
        /// The fragment's alpha.
        of_source_alpha: bit @ 1,
        /// The target's colour.
        of_destination: bit @ 2,
        /// The target's alpha.
        of_destination_alpha: bit @ 3,
        /// The constant.
        of_constant: bit @ 4,
        /// One less that.
        inverts: bit @ 5,
        /// The lesser of the fragment's alpha and one less the target's: in place of the
        /// fragment's alpha.
        saturates: bit @ 6,
    }
}

fn is_nan(half: u32) -> bool {
    half & 0x7FFF > 0x7C00
}

leaf_cell! {
    /// What a number of a factor asks for.
    FactorChoice {
        in
            /// Number of the factor, as a state record has it.
            code: Bits<4>,
            /// Of alpha.
            alpha: bool;
        out
            /// What it asks for: bits of [`FactorBits`].
            choice: Bits<7>
    }
}

impl FactorChoice {
    const VERILOG: &'static str = "\
// module: factor_choice
reg limits;
reg constant;
always @(*) begin
   limits = code == 4'd10;
   constant = code == 4'd11 | code == 4'd12;
   choice[0] = code[3:1] == 3'd1;
   choice[1] = code[3:1] == 3'd2 | (limits & ~alpha);
   choice[2] = code[3:1] == 3'd3;
   choice[3] = code[3:1] == 3'd4;
   choice[4] = constant;
   choice[5] = (code[0] & code < 4'd10) | code == 4'd12 | (limits & alpha);
   choice[6] = limits & ~alpha;
end
";

    fn compute(&mut self) {
        let (code, alpha) = (self.code.val().to_u32(), self.alpha.val());
        let saturates = code == 10 && !alpha;
        let bits_of = [
            matches!(code, 2 | 3),
            matches!(code, 4 | 5) || saturates,
            matches!(code, 6 | 7),
            matches!(code, 8 | 9),
            matches!(code, 11 | 12),
            matches!(code, 1 | 3 | 5 | 7 | 9 | 12) || (code == 10 && alpha),
            saturates,
        ];
        self.choice.next = bits((0..7).map(|n| u64::from(bits_of[n]) << n).sum());
    }
}

leaf_cell! {
    /// A factor of 8 bits.
    ByteSelect {
        in
            /// The fragment's component.
            source: Bits<8>,
            /// Its alpha.
            source_alpha: Bits<8>,
            /// The target's component.
            destination: Bits<8>,
            /// Its alpha.
            destination_alpha: Bits<8>,
            /// The constant's component if it is chosen, else 0.
            constant: Bits<8>,
            /// What the factor asks for: bits of [`FactorBits`].
            choice: Bits<7>;
        out
            /// The factor.
            factor: Bits<8>
    }
}

impl ByteSelect {
    const VERILOG: &'static str = "\
// module: byte_select
reg [7:0] own;
reg [7:0] other;
reg unused;
always @(*) begin
   own = (source & {8{choice[0]}}) ^ (source_alpha & {8{choice[1]}});
   other = (destination & {8{choice[2]}}) ^ (destination_alpha & {8{choice[3]}});
   factor = own ^ other ^ constant ^ {8{choice[5]}};
   unused = choice[4] ^ choice[6];
end
";

    fn compute(&mut self) {
        let choice = self.choice.val();
        let colours =
            [self.source.val(), self.source_alpha.val(), self.destination.val(), self.destination_alpha.val()];
        let chosen = colours.into_iter().enumerate().filter(|c| choice.get_bit(c.0));
        let colour = chosen.fold(self.constant.val(), |all, c| all ^ c.1);
        self.factor.next = if choice.get_value_inverts() { !colour } else { colour };
    }
}

leaf_cell! {
    /// The colour of 16 bits that a factor is made of, or 0.
    WordSelect {
        in
            /// The fragment's component.
            source: Bits<16>,
            /// Its alpha.
            source_alpha: Bits<16>,
            /// The target's component.
            destination: Bits<16>,
            /// Its alpha.
            destination_alpha: Bits<16>,
            /// The constant's component.
            constant: Bits<16>,
            /// What the factor asks for: bits of [`FactorBits`].
            choice: Bits<7>;
        out
            /// The colour.
            colour: Bits<16>
    }
}

impl WordSelect {
    const VERILOG: &'static str = "\
// module: word_select
reg [15:0] own;
reg [15:0] other;
reg unused;
always @(*) begin
   own = (source & {16{choice[0]}}) ^ (source_alpha & {16{choice[1]}});
   other = (destination & {16{choice[2]}}) ^ (destination_alpha & {16{choice[3]}});
   colour = own ^ other ^ (constant & {16{choice[4]}});
   unused = choice[5] ^ choice[6];
end
";

    fn compute(&mut self) {
        let choice = self.choice.val();
        let colours = [
            self.source.val(),
            self.source_alpha.val(),
            self.destination.val(),
            self.destination_alpha.val(),
            self.constant.val(),
        ];
        let chosen = colours.into_iter().enumerate().filter(|c| choice.get_bit(c.0));
        self.colour.next = chosen.fold(bits(0), |all, c| all ^ c.1);
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

leaf_cell! {
    /// A byte that needs no rounding, if it is one.
    ByteOrder {
        in
            /// 0 to 2 a sum, 3 the lesser, 4 the greater, 7 the fragment's.
            operation: Bits<3>,
            /// The byte is written; else it is the target's.
            written: bool,
            /// The fragment's.
            source: Bits<8>,
            /// The target's.
            destination: Bits<8>;
        out
            /// The byte as it is.
            direct: Bits<8>,
            /// It is a sum instead.
            rounded: bool
    }
}

impl ByteOrder {
    const VERILOG: &'static str = "\
// module: byte_order
reg [8:0] up;
reg [8:0] down;
reg second;
reg unused;
always @(*) begin
   up = {1'b0, source} - {1'b0, destination};
   down = {1'b0, destination} - {1'b0, source};
   unused = |up[7:0] | |down[7:0];
   second = ~written | (operation == 3'd3 & down[8]) | (operation == 3'd4 & up[8]);
   direct = second ? destination : source;
   rounded = written & operation < 3'd3;
end
";

    fn compute(&mut self) {
        let (source, destination) = (self.source.val(), self.destination.val());
        let operation = self.operation.val().to_u32();
        self.direct.next = match (self.written.val(), operation) {
            (false, _) => destination,
            (_, 3) => source.min(destination),
            (_, 4) => source.max(destination),
            _ => source,
        };
        self.rounded.next = self.written.val() && operation < 3;
    }
}
