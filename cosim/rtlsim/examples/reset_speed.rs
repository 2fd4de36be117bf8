//! Speed of asynchronous resets and of reads of output ports, each as a ratio to what it should
//! cost as much as: chains of registers with an asynchronous reset against the same with a
//! synchronous one, and reads of ports that passes have changed against reads of a register. Run it
//! as `cargo run --release -p quadlock-rtlsim --example reset_speed`. Both sides of a ratio run in
//! turn, and each is the best of several rounds. With `-- TOP CLOCK RESET CYCLES FILE...` it runs a
//! design instead, reset (active high) for 8 cycles, every output read in every cycle, and prints
//! the rate.

use std::fmt::Write as _;
use std::time::Instant;

use quadlock_rtlsim::{Design, Options, Simulation, Source};

/// Rounds of each measurement; the best counts.
const ROUNDS: usize = 7;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn simulation(text: &str) -> Outcome<Simulation> {
    Ok(Design::parse(&[Source::new("top.v", text)], None)?.compile(&Options::default())?)
}

/// A chain of registers that add; `own`: each has a reset that its neighbour's value takes part in.
fn chain(registers: usize, asynchronous: bool, own: bool) -> String {
    let mut text = String::from("module p(input clk, input rst, input [31:0] d, output [31:0] q);\n");
    for i in 0..registers {
        let before = if i == 0 { "d".into() } else { format!("r{}", i - 1) };
        let reset = if own { format!("s{i}") } else { "rst".into() };
        let edge = if asynchronous { format!(" or posedge {reset}") } else { String::new() };
        if own {
            let _ = writeln!(text, "  wire s{i} = rst | {before}[31:4] == 28'h{:x};", 0xabc_d000 + i);
        }
        let _ = writeln!(
            text,
            "  reg [31:0] r{i}; always @(posedge clk{edge}) if ({reset}) r{i} <= 0; else r{i} <= {before} + 32'd{i};"
        );
    }
    text + &format!("  assign q = r{};\nendmodule\n", registers - 1)
}

/// Nanoseconds per cycle: the input changes in every cycle, the reset is poked at its value, the
/// output read.
fn cycle(sim: &mut Simulation, cycles: u32) -> Outcome<f64> {
    let (rst, d, q) = (sim.input("rst")?, sim.input("d")?, sim.signal("q")?);
    let mut sum = 0u64;
    let start = Instant::now();
    for i in 0..cycles {
        sim.poke(d, u64::from(i));
        sim.poke(rst, 0);
        sim.step()?;
        sum = sum.wrapping_add(sim.peek(q));
    }
    std::hint::black_box(sum);
    Ok(start.elapsed().as_secs_f64() * 1e9 / f64::from(cycles))
}

fn read(sim: &mut Simulation, port: &str, times: u32) -> Outcome<f64> {
    let signal = sim.signal(port)?;
    sim.settle();
    let mut sum = 0u64;
    let start = Instant::now();
    for _ in 0..times {
        sum = sum.wrapping_add(sim.peek(signal));
    }
    std::hint::black_box(sum);
    Ok(start.elapsed().as_secs_f64() * 1e9 / f64::from(times))
}

/// The best of each, the two in turn.
fn both(mut a: impl FnMut() -> Outcome<f64>, mut b: impl FnMut() -> Outcome<f64>) -> Outcome<(f64, f64)> {
    let mut best = (f64::INFINITY, f64::INFINITY);
    for _ in 0..ROUNDS {
        best = (best.0.min(a()?), best.1.min(b()?));
    }
    Ok(best)
}

/// Runs a design from files and prints cycles per second, the best of several rounds.
fn files(top: &str, clock: &str, reset: &str, cycles: u32, files: &[String]) -> Outcome<()> {
    let mut sim = Design::parse_files(files, Some(top))?.compile(&Options::default())?;
    let names: Vec<String> = sim.graph().outputs.iter().map(|o| o.0.clone()).collect();
    let outputs: Vec<_> = names.iter().map(|name| sim.signal(name)).collect::<Result<_, _>>()?;
    let (clock, reset) = (sim.input(clock)?, sim.input(reset)?);
    let (mut best, mut sum) = (f64::INFINITY, 0u64);
    for _ in 0..ROUNDS {
        let start = Instant::now();
        for cycle in 0..cycles {
            sim.poke(reset, u64::from(cycle < 8));
            sim.step_clock(clock)?;
            outputs.iter().for_each(|&o| sum = sum.rotate_left(1) ^ sim.peek(o));
        }
        best = best.min(start.elapsed().as_secs_f64());
    }
    println!("{top}: {:.0} cycles per second, checksum {sum:016x}", f64::from(cycles) / best);
    Ok(())
}

fn main() -> Outcome<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if let [top, clock, reset, cycles, paths @ ..] = &args[..] {
        return files(top, clock, reset, cycles.parse()?, paths);
    }
    println!("{:<44}{:>12}{:>12}{:>8}", "", "ns", "against ns", "ratio");
    let row = |what: &str, (a, b): (f64, f64)| println!("{what:<44}{a:>12.1}{b:>12.1}{:>8.2}", a / b);
    for own in [false, true] {
        for registers in [10, 50, 200] {
            let mut a = simulation(&chain(registers, true, own))?;
            let mut b = simulation(&chain(registers, false, own))?;
            let cycles = 4_000_000 / registers as u32;
            // Into the code that long runs spend their time in.
            cycle(&mut a, 20_000)?;
            cycle(&mut b, 20_000)?;
            let found = both(|| cycle(&mut a, cycles), || cycle(&mut b, cycles))?;
            let kind = if own { "a reset each" } else { "one reset" };
            row(&format!("cycle, {registers} registers, {kind}, asynchronous"), found);
        }
    }
    let text = "module p(input clk, input [23:0] a, b, output [31:0] addr, output [23:0] n, output zero);
        reg [23:0] x; initial x = 0; always @(posedge clk) x <= x + a;
        wire [31:0] s = {8'b0, x} + {8'b0, b}; assign addr = {8'b0, s[23:0]}; assign n = x; assign zero = 1'b0; endmodule";
    let (mut a, mut b) = (simulation(text)?, simulation(text)?);
    for (port, what) in [("addr", "narrowed sum"), ("zero", "constant")] {
        let found = both(|| read(&mut a, port, 1_000_000), || read(&mut b, "n", 1_000_000))?;
        row(&format!("read of an output, {what}, against a register"), found);
    }
    Ok(())
}
