//! Leaf cells of geometry: where a coordinate lies beside w, depth as an integer, an integer as a
//! float, and the memory of the engine's program.
//!
//! The functions are combinational. They can be wrong in a tie of a rounding and in the order of
//! negative floats; `tests/geometry.rs` and the cross-check drive them.

use quadlock_hdl_macros::QuietBlock;
use rust_hdl::prelude::*;

use crate::base::drive::{join, Contents, State, Storage};
use crate::leaf_cell;

leaf_cell! {
    /// A coordinate beside a limit, as floats.
    Outcode {
        in
            /// The coordinate.
            v: Bits<32>,
            /// The limit.
            w: Bits<32>;
        out
            /// v < -w in bit 0, v > w in bit 1, v no number or of magnitude 2^64 or more in bit 2,
            /// w likewise in bit 3, v < 0 in bit 4.
            code: Bits<5>
    }
}

impl Outcode {
    const VERILOG: &'static str = "\
// module: outcode
reg [32:0] kv;
reg [32:0] kw;
reg [32:0] kn;
always @(*) begin
   kv = v[31] ? 33'd0 - {2'd0, v[30:0]} : {2'd0, v[30:0]};
   kw = w[31] ? 33'd0 - {2'd0, w[30:0]} : {2'd0, w[30:0]};
   kn = 33'd0 - kw;
   code[0] = $signed(kv) < $signed(kn);
   code[1] = $signed(kw) < $signed(kv);
   code[2] = v[30:0] >= 31'h5F800000;
   code[3] = w[30:0] >= 31'h5F800000;
   code[4] = kv[32];
end
";

    fn compute(&mut self) {
        let key = |word: u64| if word >> 31 == 1 { -((word & 0x7FFF_FFFF) as i64) } else { word as i64 };
        let (v, w) = (self.v.val().to_u64(), self.w.val().to_u64());
        let (kv, kw) = (key(v), key(w));
        let large = |word: u64| u64::from(word & 0x7FFF_FFFF >= 0x5F80_0000);
        let code = u64::from(kv < -kw) | u64::from(kv > kw) << 1 | large(v) << 2 | large(w) << 3;
        self.code.next = bits(code | u64::from(kv < 0) << 4);
    }
}

leaf_cell! {
    /// The integer nearest to 64 (2^24 - 1) times a float in [0, 1], ties to the even one.
    FixedDepth {
        in
            /// The float.
            value: Bits<32>;
        out
            /// The integer.
            fixed: Bits<32>
    }
}

impl FixedDepth {
    const VERILOG: &'static str = "\
// module: fixed_depth
reg [47:0] product;
reg [7:0] distance;
reg [47:0] whole;
reg [47:0] part;
reg unused;
always @(*) begin
   product = {1'b1, value[22:0], 24'd0} - {24'd0, 1'b1, value[22:0]};
   distance = 8'd144 - value[30:23];
   whole = product >> distance;
   part = product << (8'd48 - distance);
   if (distance > 8'd48 || value[30:23] == 8'd0) begin
      whole = 48'd0;
      part = 48'd0;
   end
   fixed = whole[31:0] + {31'd0, part[47] && (part[46:0] != 47'd0 || whole[0])};
   unused = |{value[31], whole[47:32]};
end
";

    fn compute(&mut self) {
        let exponent = self.value.val().to_u64() >> 23 & 255;
        let mantissa = self.value.val().to_u64() & 0x7F_FFFF | 0x80_0000;
        let product = (mantissa << 24) - mantissa;
        let distance = 144u64.wrapping_sub(exponent) & 255;
        let depth = if distance > 48 || exponent == 0 {
            0
        } else {
            let whole = product.checked_shr(distance as u32).unwrap_or(0) & 0xFFFF_FFFF;
            let part = (product << (48 - distance)) & 0xFFFF_FFFF_FFFF;
            let up = part >> 47 == 1 && (part & 0x7FFF_FFFF_FFFF != 0 || whole & 1 == 1);
            (whole + u64::from(up)) & 0xFFFF_FFFF
        };
        self.fixed.next = bits(depth);
    }
}

leaf_cell! {
    /// A whole number without sign as f32, to the nearest, ties to the even one.
    WideFloat {
        in
            /// The number.
            value: Bits<64>;
        out
            /// The float.
            rounded: Bits<32>
    }
}

impl WideFloat {
    const VERILOG: &'static str = "\
// module: wide_float
integer place;
reg [6:0] zeros;
reg found;
reg [63:0] normal;
reg up;
reg [8:0] exponent;
reg [23:0] sum;
always @(*) begin
   zeros = 7'd64;
   found = 1'b0;
   for (place = 63; place >= 0; place = place - 1)
      if (value[place] && !found) begin
         found = 1'b1;
         zeros = 7'd63 - place[6:0];
      end
   normal = value << zeros;
   up = normal[39] && (normal[38:0] != 39'd0 || normal[40]);
   sum = {1'b0, normal[62:40]} + {23'd0, up};
   exponent = 9'd190 - {2'd0, zeros} + {8'd0, sum[23]};
   rounded = {1'b0, exponent[7:0], sum[22:0]};
   if (!found) rounded = 32'd0;
end
";

    fn compute(&mut self) {
        self.rounded.next = bits(u64::from((self.value.val().to_u64() as f32).to_bits()));
    }
}

/// Words of the engine's program.
pub const PROGRAM_WORDS: usize = 1024;

/// The engine's program: 1,024 words of 64 bits, read in a cycle.
#[derive(QuietBlock)]
pub struct ProgramRom {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Word that is read.
    pub address: Signal<In, Bits<10>>,
    /// Its lower half, one cycle after the address.
    #[state]
    pub low: Signal<Out, Bits<32>>,
    /// Its upper half.
    #[state]
    pub high: Signal<Out, Bits<32>>,
    #[state]
    _words: Words,
    _active: bool,
}

/// Contents of a ROM.
#[derive(Clone, Default)]
pub struct Words(Vec<u64>);

impl State for Words {
    fn describe(&self, path: &str, _: &str, contents: &mut Contents) {
        for half in ["low", "high"] {
            contents.memories.push(Storage { name: join(path, &format!("mem_{half}")), depth: PROGRAM_WORDS });
        }
    }
    fn read_registers(&self, _: &mut Vec<u64>) {}
    fn read_memories(&self, values: &mut Vec<u64>) {
        values.extend(self.0.iter().map(|w| w & 0xFFFF_FFFF));
        values.extend(self.0.iter().map(|w| w >> 32));
    }
}

impl ProgramRom {
    /// A ROM of these words.
    ///
    /// # Panics
    /// They are more than fit: a mistake of the program.
    pub fn new(mut words: Vec<u64>) -> Self {
        assert!(words.len() <= PROGRAM_WORDS, "the engine's program has {} words", words.len());
        words.resize(PROGRAM_WORDS, 0);
        Self {
            clock: Signal::default(),
            address: Signal::default(),
            low: Signal::default(),
            high: Signal::default(),
            _words: Words(words),
            _active: true,
        }
    }
}

impl Default for ProgramRom {
    fn default() -> Self {
        Self::new(super::program::words())
    }
}

impl Logic for ProgramRom {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            let word = self._words.0[self.address.val().index()];
            self.low.next = bits(word & 0xFFFF_FFFF);
            self.high.next = bits(word >> 32);
        }
    }

    fn connect(&mut self) {
        self.low.connect();
        self.high.connect();
    }

    fn hdl(&self) -> Verilog {
        let top = PROGRAM_WORDS - 1;
        let mut text =
            format!("// module: geometry_program\nreg [31:0] mem_low [0:{top}];\nreg [31:0] mem_high [0:{top}];\n\n");
        text += "initial begin\n";
        for (at, word) in self._words.0.iter().enumerate() {
            text += &format!(
                "   mem_low[{at}] = 32'h{:08x}; mem_high[{at}] = 32'h{:08x};\n",
                word & 0xFFFF_FFFF,
                word >> 32
            );
        }
        text += "   low = 32'd0;\n   high = 32'd0;\nend\n\nalways @(posedge clock) begin\n";
        text += "   low <= mem_low[address];\n   high <= mem_high[address];\nend\n";
        Verilog::Custom(text)
    }

    fn timing(&self) -> Vec<TimingInfo> {
        vec![TimingInfo {
            name: "program_read".into(),
            clock: "clock".into(),
            inputs: vec!["address".into()],
            outputs: vec!["low".into(), "high".into()],
        }]
    }
}
