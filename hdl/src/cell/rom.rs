//! The coefficients of the approximated functions: a synchronous ROM of the lines of
//! `docs/float/tables.csv`, which is the definition, and one more line that is the constant 1. Its
//! contents are the file's, read when the program is built; nothing is computed here.
//!
//! A line's address is its table's first line with the interval's bits in the low places, so that
//! no adder stands before the ROM; the tables are therefore not in the order of the file. The
//! contents are initial values, which synthesis puts into block RAM.
//!
//! Latency 1 cycle, one read per cycle. It can be wrong in an address or in the sign of a field;
//! `tests/function_cells.rs` reads every line against the file.

use std::sync::LazyLock;

use quadlock_hdl_macros::QuietBlock;
use rust_hdl::prelude::*;

use crate::base::drive::{join, Contents, State, Storage};

const TABLES: &str = include_str!("../../../docs/float/tables.csv");

/// Words of the ROM: the whole range of its address. Those that no table has are 0.
const DEPTH: usize = 1024;

/// First address of each table. A table of 2^n lines begins at a multiple of 2^n.
pub const FIRST_LINE: [(&str, usize); 6] =
    [("rsqrt", 0), ("rcp", 256), ("log2", 384), ("exp2", 512), ("sin", 576), ("cos", 640)];

/// The line that is 1 whatever the offset: C0 = 2^28, C1 = C2 = 0.
pub const LINE_OF_ONE: usize = 704;

/// Width of C0 (unsigned), C1 and C2 (two's complement), in bits.
const WIDTHS: [u32; 3] = [29, 23, 14];

/// The three memories, C0, C1 and C2, in words of their widths.
pub struct Lines([Vec<u32>; 3]);

static LINES: LazyLock<Lines> = LazyLock::new(|| {
    let mut lines = Lines([vec![0; DEPTH], vec![0; DEPTH], vec![0; DEPTH]]);
    for row in TABLES.lines().skip(1) {
        let mut fields = row.split(',');
        let name = fields.next().unwrap_or_default();
        let numbers: Vec<i32> = fields.map(|f| f.parse().expect("tables.csv: a number")).collect();
        let first = FIRST_LINE.iter().find(|f| f.0 == name).expect("tables.csv: the name of a table").1;
        lines.set(first + numbers[0] as usize, &numbers[1..]);
    }
    lines.set(LINE_OF_ONE, &[1 << 28, 0, 0]);
    lines
});

impl Lines {
    fn set(&mut self, address: usize, coefficients: &[i32]) {
        for ((memory, width), &coefficient) in self.0.iter_mut().zip(WIDTHS).zip(coefficients) {
            memory[address] = coefficient as u32 & ((1 << width) - 1);
        }
    }
}

impl State for &'static Lines {
    fn describe(&self, path: &str, _: &str, contents: &mut Contents) {
        for at in 0..3 {
            contents.memories.push(Storage { name: join(path, &format!("mem_c{at}")), depth: DEPTH });
        }
    }
    fn read_registers(&self, _: &mut Vec<u64>) {}
    fn read_memories(&self, values: &mut Vec<u64>) {
        values.extend(self.0.iter().flatten().map(|&word| u64::from(word)));
    }
}

/// The ROM.
#[derive(QuietBlock)]
pub struct CoefficientRom {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Line that is read: [`FIRST_LINE`] of the table + number of the interval.
    pub address: Signal<In, Bits<10>>,
    /// C0 of the line, in units of 2^-28, one cycle after the address.
    #[state]
    pub c0: Signal<Out, Bits<29>>,
    /// C1, two's complement.
    #[state]
    pub c1: Signal<Out, Bits<23>>,
    /// C2, two's complement.
    #[state]
    pub c2: Signal<Out, Bits<14>>,
    #[state]
    _lines: &'static Lines,
    _active: bool,
}

impl Default for CoefficientRom {
    fn default() -> Self {
        Self {
            clock: Signal::default(),
            address: Signal::default(),
            c0: Signal::default(),
            c1: Signal::default(),
            c2: Signal::default(),
            _lines: &LINES,
            _active: true,
        }
    }
}

impl Logic for CoefficientRom {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            let [c0, c1, c2] = &self._lines.0;
            let line = self.address.val().index();
            self.c0.next = bits(u64::from(c0[line]));
            self.c1.next = bits(u64::from(c1[line]));
            self.c2.next = bits(u64::from(c2[line]));
        }
    }

    fn connect(&mut self) {
        self.c0.connect();
        self.c1.connect();
        self.c2.connect();
    }

    fn hdl(&self) -> Verilog {
        let mut text = String::from("// module: coefficient_rom\n");
        let memories = || (0..3).zip(WIDTHS);
        for (at, width) in memories() {
            text += &format!("reg [{}:0] mem_c{at} [0:{}];\n", width - 1, DEPTH - 1);
        }
        text += &format!("integer fill;\n\ninitial begin\n   for (fill = 0; fill < {DEPTH}; fill = fill + 1) begin\n");
        for (at, width) in memories() {
            text += &format!("      mem_c{at}[fill] = {width}'d0;\n");
        }
        text += "   end\n";
        for line in 0..=LINE_OF_ONE {
            let word =
                |(at, width): (usize, u32)| format!(" mem_c{at}[{line}] = {width}'h{:x};", self._lines.0[at][line]);
            text += &format!("  {}\n", memories().map(word).collect::<String>());
        }
        for (at, width) in memories() {
            text += &format!("   c{at} = {width}'d0;\n");
        }
        text += "end\n\nalways @(posedge clock) begin\n";
        for (at, _) in memories() {
            text += &format!("   c{at} <= mem_c{at}[address];\n");
        }
        Verilog::Custom(text + "end\n")
    }

    fn timing(&self) -> Vec<TimingInfo> {
        vec![TimingInfo {
            name: "rom_read".into(),
            clock: "clock".into(),
            inputs: vec!["address".into()],
            outputs: vec!["c0".into(), "c1".into(), "c2".into()],
        }]
    }
}
