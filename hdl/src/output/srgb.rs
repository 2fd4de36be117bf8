//! The table of sRGB (docs/graphics.md, "Tests and blending") as two synchronous ROMs: 16 bits of a
//! code, and the code of 16 bits.
//!
//! The second one is by interval. Intervals are so short that the code changes at most once in one:
//! 16 wide below 2^12, 64 below 2^14, then 256. A word has the code before the change and the
//! offset of the change in its interval; a word without a change has one at offset 0. Whoever reads
//! adds 1 from that offset on.
//!
//! Each has two ports, as a block RAM of the FPGA has: two reads per cycle, latency 1 cycle. The
//! tables are made from the formula in f64 when the program is built. No entry lies so near to a
//! border that this could matter, which `tests/blend.rs` checks. Wrong would be an interval in
//! which the code changes twice: building it fails.

use std::sync::LazyLock;

use quadlock_hdl_macros::QuietBlock;
use rust_hdl::prelude::*;

use crate::base::drive::{join, Contents, State, Storage};

/// lin(v) of the page.
fn linear(v: f64) -> f64 {
    if v <= 0.04045 {
        v / 12.92
    } else {
        ((v + 0.055) / 1.055).powf(2.4)
    }
}

/// 16 bits of a code.
fn decoded(code: usize) -> u32 {
    (65535.0 * linear(code as f64 / 255.0)).round() as u32
}

/// Where each code but 0 begins, in ascending order. A power for each value and code instead took
/// longer than everything else of making the machine.
static BEGINS: LazyLock<Vec<f64>> =
    LazyLock::new(|| (1..=255).map(|code| 65535.0 * linear((f64::from(code) - 0.5) / 255.0)).collect());

/// The code of 16 bits.
fn encoded(value: u32) -> u32 {
    BEGINS.partition_point(|&begin| f64::from(value) >= begin) as u32
}

/// First value and width of an interval.
fn interval(line: u32) -> (u32, u32) {
    match line {
        0..256 => (16 * line, 16),
        256..512 => (64 * (line - 256), 64),
        _ => (256 * (line - 512), 256),
    }
}

/// The word of an interval.
fn change(line: u32) -> u32 {
    let (first, width) = interval(line);
    // The low lines of the longer intervals belong to the shorter ones.
    let unused = (256..320).contains(&line) || (512..576).contains(&line) || line >= 768;
    if unused {
        return 0;
    }
    let (low, high) = (encoded(first), encoded(first + width - 1));
    assert!(high <= low + 1, "the code changes twice from {first} on");
    match (0..width).find(|&at| high > low && encoded(first + at) == high) {
        Some(at) => low << 8 | at,
        // Only the interval of code 0 has none before it, and a change.
        None => (low - 1) << 8,
    }
}

/// The words of a table.
pub struct Table(Vec<u32>);

static DECODE: LazyLock<Table> = LazyLock::new(|| Table((0..256).map(decoded).collect()));
static ENCODE: LazyLock<Table> = LazyLock::new(|| Table((0..1024).map(change).collect()));

impl State for &'static Table {
    fn describe(&self, path: &str, _: &str, contents: &mut Contents) {
        contents.memories.push(Storage { name: join(path, "mem"), depth: self.0.len() });
    }
    fn read_registers(&self, _: &mut Vec<u64>) {}
    fn read_memories(&self, values: &mut Vec<u64>) {
        values.extend(self.0.iter().map(|&word| u64::from(word)));
    }
}

impl Table {
    fn word(&self, line: usize) -> Bits<16> {
        bits(self.0[line].into())
    }

    fn verilog(&self, name: &str) -> Verilog {
        let mut text = format!("// module: {name}\nreg [15:0] mem [0:{}];\n\ninitial begin\n", self.0.len() - 1);
        for (line, word) in self.0.iter().enumerate() {
            text += &format!("   mem[{line}] = 16'h{word:x};\n");
        }
        text += "   first = 16'd0;\n   second = 16'd0;\nend\n\nalways @(posedge clock) begin\n";
        Verilog::Custom(text + "   first <= mem[first_line];\n   second <= mem[second_line];\nend\n")
    }
}

fn timing() -> Vec<TimingInfo> {
    let port = |name: &str| TimingInfo {
        name: format!("rom_{name}"),
        clock: "clock".into(),
        inputs: vec![format!("{name}_line")],
        outputs: vec![name.into()],
    };
    vec![port("first"), port("second")]
}

/// 16 bits of a code, which is the number of the line.
#[derive(QuietBlock)]
pub struct SrgbDecode {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Line that the first port reads.
    pub first_line: Signal<In, Bits<8>>,
    /// Its 16 bits, one cycle later.
    #[state]
    pub first: Signal<Out, Bits<16>>,
    /// Line that the second port reads.
    pub second_line: Signal<In, Bits<8>>,
    /// Its 16 bits, one cycle later.
    #[state]
    pub second: Signal<Out, Bits<16>>,
    #[state]
    _table: &'static Table,
    _active: bool,
}

impl Default for SrgbDecode {
    fn default() -> Self {
        Self {
            clock: Signal::default(),
            first_line: Signal::default(),
            first: Signal::default(),
            second_line: Signal::default(),
            second: Signal::default(),
            _table: &DECODE,
            _active: true,
        }
    }
}

impl Logic for SrgbDecode {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            self.first.next = self._table.word(self.first_line.val().index());
            self.second.next = self._table.word(self.second_line.val().index());
        }
    }
    fn connect(&mut self) {
        self.first.connect();
        self.second.connect();
    }
    fn hdl(&self) -> Verilog {
        self._table.verilog("srgb_decode")
    }
    fn timing(&self) -> Vec<TimingInfo> {
        timing()
    }
}

/// Where the code changes in an interval, by [`crate::cell::blend::CodePlace`]: the code before the
/// change in 15:8, the place of the change in 7:0.
#[derive(QuietBlock)]
pub struct SrgbEncode {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Line that the first port reads.
    pub first_line: Signal<In, Bits<10>>,
    /// Its 16 bits, one cycle later.
    #[state]
    pub first: Signal<Out, Bits<16>>,
    /// Line that the second port reads.
    pub second_line: Signal<In, Bits<10>>,
    /// Its 16 bits, one cycle later.
    #[state]
    pub second: Signal<Out, Bits<16>>,
    #[state]
    _table: &'static Table,
    _active: bool,
}

impl Default for SrgbEncode {
    fn default() -> Self {
        Self {
            clock: Signal::default(),
            first_line: Signal::default(),
            first: Signal::default(),
            second_line: Signal::default(),
            second: Signal::default(),
            _table: &ENCODE,
            _active: true,
        }
    }
}

impl Logic for SrgbEncode {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            self.first.next = self._table.word(self.first_line.val().index());
            self.second.next = self._table.word(self.second_line.val().index());
        }
    }
    fn connect(&mut self) {
        self.first.connect();
        self.second.connect();
    }
    fn hdl(&self) -> Verilog {
        self._table.verilog("srgb_encode")
    }
    fn timing(&self) -> Vec<TimingInfo> {
        timing()
    }
}
