//! Speed of the golden model alone: lane instructions per second on one core, over a loop of ALU
//! and memory work.
//!
//! `cargo run --release -p quadlock-golden --example speed`. The figure is for people
//! (`docs/verification.md`); no test depends on it.

use std::time::Instant;

use quadlock_golden::{Config, Golden, Grid, Memory};
use quadlock_isa::assemble;

const ALU: &str = "
    S2R r0, local_index
    MOV r1, #20000
    U2F r2, r0
loop:
    FFMA r3, r2, #1.5f, r3
    IADD r4, r4, r0
    XOR r5, r4, r1
    FADD r6, r3, r2
    SHL r7, r5, #3
    FMUL r8, r6, #0.5f
    IMAD r9, r7, r0, r4
    ISUB r1, r1, #1
    BNZ r1, loop
    END";

const MEMORY: &str = "
    S2R r0, local_index
    S2R r2, group_x
    IMAD r0, r2, #64, r0
    SHL r0, r0, #4
    IADD r0, r0, #4096
    MOV r1, #20000
loop:
    LD.32 r3, [r0+0]
    FFMA r4, r3, r3, r4
    IADD r3, r3, r1
    ST.32 [r0+4], r3
    AND r5, r1, #3
    BNZ r5, skip
    IADD r6, r6, #1
skip:
    ISUB r1, r1, #1
    BNZ r1, loop
    END";

fn measure(name: &str, text: &str) {
    let code = assemble(name, text).expect("the program above assembles").code;
    let mut golden = Golden::new(Config::default(), code, vec![], Memory::new(1 << 20));
    let grid = Grid { groups: [4, 1, 1], ..Grid::linear(64) };
    let start = Instant::now();
    let stats = golden.run_grid(&grid, u64::MAX).expect("the program above ends");
    let seconds = start.elapsed().as_secs_f64();
    let rate = stats.lane_instructions as f64 / seconds / 1e6;
    println!("{name:8} {:>12} lane instructions  {seconds:.3} s  {rate:.0} million/s", stats.lane_instructions);
}

fn main() {
    measure("alu", ALU);
    measure("memory", MEMORY);
}
