//! Every input of rcp, rsqrt, exp2, log2, sin or cos through the golden model, against f64
//! functions: maximum error, monotonicity, exact cases, special values.
//!
//! `cargo run --profile checked -p quadlock-golden --example float_exhaustive -- --op all --inputs reduced`
//! takes seconds, `--inputs all` runs the 2^32 inputs of each operation and can be interrupted:
//! `--state FILE` keeps where it was. The reference (crate `libm`, errors below 1 ulp of f64, that
//! is 2^-29 ulp of f32) decides nothing about rounding; it only measures, so its own error does not
//! matter. Exit status 1 if a bound of `docs/float.md` does not hold.

use std::path::{Path, PathBuf};

use anyhow::{bail, Context, Result};
use clap::{Parser, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};
use quadlock_golden::float;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Inputs per task; the state file is written every 64 of them.
const CHUNK: u64 = 1 << 18;
/// Goes up with every change of what is demanded: what was judged by other rules is run again.
const RULES: u32 = 1;

#[derive(Parser)]
struct Arguments {
    /// Operation.
    #[arg(long, default_value = "all")]
    op: Operation,
    /// Which inputs, if --from and --to do not say it.
    #[arg(long, default_value = "reduced")]
    inputs: Inputs,
    /// First input, bits in hexadecimal.
    #[arg(long, value_parser = hexadecimal)]
    from: Option<u64>,
    /// End of the inputs (not included), bits in hexadecimal, at most 100000000.
    #[arg(long, value_parser = hexadecimal)]
    to: Option<u64>,
    /// Keeps the progress; an interrupted run continues from it.
    #[arg(long)]
    state: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Inputs {
    /// The range that the reduction leaves, every input.
    Reduced,
    /// All 2^32.
    All,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
enum Operation {
    All,
    Rcp,
    Rsqrt,
    Exp2,
    Log2,
    Sin,
    Cos,
}

fn hexadecimal(text: &str) -> Result<u64, String> {
    match u64::from_str_radix(text, 16) {
        Ok(value) if value <= 1 << 32 => Ok(value),
        Ok(_) => Err("above 100000000".into()),
        Err(e) => Err(e.to_string()),
    }
}

impl Operation {
    const EACH: [Operation; 6] =
        [Operation::Rcp, Operation::Rsqrt, Operation::Exp2, Operation::Log2, Operation::Sin, Operation::Cos];

    fn golden(self) -> fn(u32) -> u32 {
        match self {
            Operation::Rcp | Operation::All => float::rcp,
            Operation::Rsqrt => float::rsqrt,
            Operation::Exp2 => float::exp2,
            Operation::Log2 => float::log2,
            Operation::Sin => float::sin,
            Operation::Cos => float::cos,
        }
    }

    fn reference(self) -> fn(f64) -> f64 {
        match self {
            Operation::Rcp | Operation::All => |x| 1.0 / x,
            Operation::Rsqrt => |x| 1.0 / libm::sqrt(x),
            Operation::Exp2 => libm::exp2,
            Operation::Log2 => libm::log2,
            Operation::Sin => libm::sin,
            Operation::Cos => libm::cos,
        }
    }

    /// Inputs after which the argument reduction repeats itself.
    fn reduced(self) -> &'static [(u64, u64)] {
        match self {
            Operation::Rcp | Operation::All => &[(0x3F80_0000, 0x4000_0000)],
            Operation::Rsqrt => &[(0x3F80_0000, 0x4080_0000)],
            Operation::Exp2 => &[(0x3180_0000, 0x3F80_0000), (0xB180_0000, 0xBF80_0000)],
            Operation::Log2 => &[(0x3F00_0000, 0x4080_0000)],
            Operation::Sin => &[(0x3980_0000, 0x4049_0FDC), (0xBF00_0000, 0xC049_0FDC)],
            Operation::Cos => &[(0x3980_0000, 0x4049_0FDC)],
        }
    }

    /// Ranges of bits (both ends included) over which the results must not fall (true) or not rise
    /// (false).
    fn monotonic(self) -> &'static [(u32, u32, bool)] {
        match self {
            Operation::Rcp | Operation::All => &[(0, 0x7F80_0000, false), (0x8000_0000, 0xFF80_0000, true)],
            Operation::Rsqrt => &[(0, 0x7F80_0000, false)],
            Operation::Exp2 => &[(0, 0x7F80_0000, true), (0x8000_0000, 0xFF80_0000, false)],
            Operation::Log2 => &[(0, 0x7F80_0000, true)],
            Operation::Sin => &[
                (0, 0x3FC9_0FDA, true),
                (0x3FC9_0FDB, 0x4049_0FDA, false),
                (0x8000_0000, 0xBFC9_0FDA, false),
                (0xBFC9_0FDB, 0xC049_0FDA, true),
            ],
            Operation::Cos => &[(0, 0x4049_0FDA, false), (0x8000_0000, 0xC049_0FDA, false)],
        }
    }

    /// Whether the exact result is an f32 that must be hit.
    fn exact(self, x: f64) -> bool {
        let power = |x: f64| x.to_bits() & ((1 << 52) - 1) == 0;
        match self {
            Operation::Rcp | Operation::All => power(x),
            Operation::Rsqrt => x > 0.0 && power(x) && (x.to_bits() >> 52) & 1 == 1,
            Operation::Exp2 => x == x.floor() && x >= -149.0,
            Operation::Log2 => x > 0.0 && power(x),
            // sin(x) = x there.
            Operation::Sin => x.abs() < 2f64.powi(-12),
            Operation::Cos => x == 0.0,
        }
    }

    /// Magnitudes below which an error in ulp means something; beyond that a result may be as near
    /// to zero as one likes.
    fn ulp_up_to(self) -> f64 {
        match self {
            Operation::Sin => std::f64::consts::FRAC_PI_2,
            Operation::Cos => std::f64::consts::FRAC_PI_4,
            _ => f64::INFINITY,
        }
    }

    /// The bounds of the page: an ulp; for every finite operand of sin and cos 2^-24, an ulp of the
    /// results below 1.
    fn holds(self, tally: &Tally) -> bool {
        let angle = matches!(self, Operation::Sin | Operation::Cos);
        let accurate = tally.ulp.error <= 1.0 && (!angle || tally.absolute.error <= 2f64.powi(-24));
        accurate && tally.reversals == 0 && tally.inexact == 0 && tally.specials == 0
    }
}

/// The largest error and where it is.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Worst {
    error: f64,
    input: u32,
}

impl Worst {
    fn or(self, other: Worst) -> Worst {
        if other.error > self.error {
            other
        } else {
            self
        }
    }
}

#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Tally {
    inputs: u64,
    ulp: Worst,
    absolute: Worst,
    /// Neighbours in the wrong order.
    reversals: u64,
    /// Exact cases missed, the sign of a zero included.
    inexact: u64,
    /// Wrong NaN, infinity or sign.
    specials: u64,
    /// The last input that was reversed, inexact or wrong.
    example: Option<u32>,
}

impl Tally {
    fn merge(self, other: Tally) -> Tally {
        Tally {
            inputs: self.inputs + other.inputs,
            ulp: self.ulp.or(other.ulp),
            absolute: self.absolute.or(other.absolute),
            reversals: self.reversals + other.reversals,
            inexact: self.inexact + other.inexact,
            specials: self.specials + other.specials,
            example: other.example.or(self.example),
        }
    }

    fn compare(&mut self, op: Operation, input: u32, result: u32, expected: f64) {
        let value = f64::from(f32::from_bits(result));
        if expected.is_nan() || value.is_nan() {
            if !(expected.is_nan() && result == float::NAN) {
                self.specials += 1;
                self.example = Some(input);
            }
            return;
        }
        let x = f64::from(f32::from_bits(input));
        // As bits, so that a zero has its sign, and an infinity is no large number.
        let exact = expected == 0.0 || expected.is_infinite() || op.exact(x);
        if exact && result != (expected as f32).to_bits() {
            self.inexact += 1;
            self.example = Some(input);
        }
        // Where the error is absolute, a result next to zero may be on its other side.
        let absolute = x.abs() >= op.ulp_up_to();
        if !exact && !absolute && value.is_sign_negative() != expected.is_sign_negative() {
            self.specials += 1;
            self.example = Some(input);
        }
        if expected.is_infinite() || (expected as f32).is_infinite() || value.is_infinite() {
            // Overflow must agree with the rounding of the reference; it is within reach of 2^128
            // or not at all.
            let near = expected.abs() > 2f64.powi(128) * (1.0 - 2f64.powi(-24));
            if value != f64::from(expected as f32) && !near {
                self.specials += 1;
                self.example = Some(input);
            }
            return;
        }
        let exponent = (expected.abs().to_bits() >> 52) as i32 - 1023;
        let ulp = f64::from_bits(((1023 + exponent.max(-126) - 23) as u64) << 52);
        let error = (value - expected).abs();
        if !absolute {
            self.ulp = self.ulp.or(Worst { error: error / ulp, input });
        }
        self.absolute = self.absolute.or(Worst { error, input });
    }
}

fn chunk(op: Operation, from: u64, to: u64) -> Tally {
    let (golden, reference) = (op.golden(), op.reference());
    let mut tally = Tally { inputs: to - from, ..Tally::default() };
    let mut previous = golden((from as u32).wrapping_sub(1));
    for input in from..to {
        let input = input as u32;
        let result = golden(input);
        tally.compare(op, input, result, reference(f64::from(f32::from_bits(input))));
        let rising = op.monotonic().iter().find(|&&(low, high, _)| low < input && input <= high);
        if let Some(&(_, _, rising)) = rising {
            let (before, now) = (f32::from_bits(previous), f32::from_bits(result));
            if if rising { now < before } else { now > before } {
                tally.reversals += 1;
                tally.example = Some(input);
            }
        }
        previous = result;
    }
    tally
}

/// One range of one operation, as far as it is done.
#[derive(Debug, Serialize, Deserialize)]
struct Progress {
    /// The [`RULES`] that it was judged by; older files do not have it.
    #[serde(default)]
    rules: u32,
    op: Operation,
    from: u64,
    to: u64,
    next: u64,
    tally: Tally,
}

fn load(path: Option<&Path>) -> Result<Vec<Progress>> {
    match path {
        Some(path) if path.exists() => {
            let text = std::fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?;
            serde_json::from_str(&text)
                .with_context(|| format!("{} is not a state file of this program; remove it", path.display()))
        }
        _ => Ok(Vec::new()),
    }
}

fn save(path: Option<&Path>, state: &[Progress]) -> Result<()> {
    let Some(path) = path else { return Ok(()) };
    // Write beside and rename: an interruption leaves the old state or the new one.
    let beside = path.with_extension("new");
    std::fs::write(&beside, serde_json::to_string(state)?).with_context(|| format!("writing {}", beside.display()))?;
    std::fs::rename(&beside, path).with_context(|| format!("writing {}", path.display()))
}

fn run(op: Operation, (from, to): (u64, u64), state: &mut Vec<Progress>, path: Option<&Path>) -> Result<Tally> {
    let at = state.iter().position(|p| (p.rules, p.op, p.from, p.to) == (RULES, op, from, to)).unwrap_or_else(|| {
        state.push(Progress { rules: RULES, op, from, to, next: from, tally: Tally::default() });
        state.len() - 1
    });
    let style = ProgressStyle::with_template("{prefix} {wide_bar} {percent}% {per_sec} {eta}")?;
    let bar = ProgressBar::new(to - from).with_style(style).with_prefix(format!("{op:?}"));
    while state[at].next < to {
        let first = state[at].next;
        let end = to.min(first + 64 * CHUNK);
        let starts: Vec<u64> = (first..end).step_by(CHUNK as usize).collect();
        let tally =
            starts.into_par_iter().map(|s| chunk(op, s, end.min(s + CHUNK))).reduce(Tally::default, Tally::merge);
        state[at].tally = state[at].tally.merge(tally);
        state[at].next = end;
        save(path, state)?;
        bar.set_position(end - from);
    }
    bar.finish_and_clear();
    Ok(state[at].tally)
}

fn ranges(arguments: &Arguments, op: Operation) -> Result<Vec<(u64, u64)>> {
    match (arguments.from, arguments.to) {
        (Some(from), Some(to)) if from < to => Ok(vec![(from, to)]),
        (None, None) if arguments.inputs == Inputs::All => Ok(vec![(0, 1 << 32)]),
        (None, None) => Ok(op.reduced().to_vec()),
        _ => bail!("--from and --to belong together, and --from must be below --to"),
    }
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let path = arguments.state.as_deref();
    let mut state = load(path)?;
    let chosen = Operation::EACH.into_iter().filter(|&op| arguments.op == Operation::All || arguments.op == op);
    let mut good = true;
    println!("op            inputs  max ulp  at input   max absolute  at input   reversals  inexact  specials");
    for op in chosen {
        let mut tally = Tally::default();
        for range in ranges(&arguments, op)? {
            tally = tally.merge(run(op, range, &mut state, path)?);
        }
        let name = format!("{op:?}").to_lowercase();
        let Tally { inputs, ulp, absolute, reversals, inexact, specials, example } = tally;
        print!(
            "{name:6} {inputs:13} {:8.3}  {:08x}   {:12.3e}  {:08x}",
            ulp.error, ulp.input, absolute.error, absolute.input
        );
        println!(" {reversals:11} {inexact:8} {specials:9}");
        if !op.holds(&tally) {
            println!("{name}: a bound of docs/float.md does not hold (last such input: {example:08x?})");
            good = false;
        }
    }
    if !good {
        std::process::exit(1);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wrong exact cases and wrong special values or signs of one result.
    fn wrong(op: Operation, input: f32, result: f32) -> (u64, u64) {
        let mut tally = Tally::default();
        tally.compare(op, input.to_bits(), result.to_bits(), op.reference()(f64::from(input)));
        (tally.inexact, tally.specials)
    }

    #[test]
    fn a_wrong_sign_is_seen() {
        assert_eq!((wrong(Operation::Sin, -0.0, -0.0), wrong(Operation::Sin, -0.0, 0.0)), ((0, 0), (1, 0)));
        assert_eq!(wrong(Operation::Rcp, f32::NEG_INFINITY, -0.0), (0, 0));
        assert_eq!(wrong(Operation::Rcp, f32::NEG_INFINITY, 0.0), (1, 0));
        assert_eq!((wrong(Operation::Exp2, -152.5, 0.0), wrong(Operation::Exp2, -152.5, -0.0)), ((0, 0), (0, 1)));
        assert_eq!(wrong(Operation::Rcp, -0.0, f32::NEG_INFINITY), (0, 0));
        assert_eq!(wrong(Operation::Rcp, -0.0, f32::INFINITY), (1, 0));
        assert_eq!(wrong(Operation::Log2, 0.0, f32::MIN), (1, 0));
        assert_eq!(wrong(Operation::Log2, 1.0, -0.0), (1, 0));
    }
}
