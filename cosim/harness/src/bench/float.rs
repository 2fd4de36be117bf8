//! `quadlock bench float`: for each float operation its cycles on the RTL, and how many vectors a
//! second the RTL (on rtlsim), the golden model and a peer take, all on the same vectors, in turns,
//! on one thread. The peer is what `float-check` compares with: `rustc_apfloat`, where it has the
//! operation, else our own integers, and `libm` in f64 for the approximated functions. It can be
//! wrong by a machine that does something else meanwhile: the best of several rounds counts.

use std::fmt::Write;
use std::time::Instant;

use quadlock_isa::Op;
use serde::Serialize;

use crate::check::float::cases::{Corners, Level};
use crate::check::float::engine::{EngineName, Engines};
use crate::check::float::op::{FloatOp, Meaning};
use crate::check::float::plan::Plan;
use crate::check::float::report::grouped;
use crate::check::float::vector::Vector;

/// How to measure.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Measurements of each side; the best counts.
    pub rounds: u32,
    /// Least seconds of one.
    pub seconds: f64,
}

/// One operation. Rates are in vectors per second.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    pub op: &'static str,
    /// Latency of a warp instruction on the RTL, in clock cycles.
    pub cycles: u64,
    /// Clock cycles between two warp instructions of a long row.
    pub interval: f64,
    pub rtl: f64,
    pub golden: f64,
    pub peer: f64,
    /// golden / peer.
    pub ratio: f64,
    /// rtl / peer.
    pub rtl_ratio: f64,
    pub peer_name: &'static str,
}

/// What the operation's peer is.
fn peer_name(op: &FloatOp) -> &'static str {
    match (op.meaning, op.op) {
        (Meaning::Near(_), _) => "libm",
        (_, Op::FSqrt) => "integers",
        (_, op) if (Op::F2UN8..=Op::SN2F16).contains(&op) => "integers",
        _ => "rustc_apfloat",
    }
}

/// The peer's results, folded so that none can be left out.
fn peer(op: &FloatOp, vectors: &[Vector]) -> u64 {
    let fold = |sum: u64, value: u64| sum.rotate_left(7) ^ value;
    match op.meaning {
        Meaning::Exact(oracle) => vectors.iter().fold(0, |sum, v| fold(sum, oracle(v.operands).into())),
        Meaning::Near(function) => vectors
            .iter()
            .fold(0, |sum, v| fold(sum, (function.reference)(f32::from_bits(v.operands[0]).into()).to_bits())),
    }
}

/// Calls a second of `work`, measured over `seconds` at least.
fn rate(seconds: f64, mut work: impl FnMut() -> Result<(), String>) -> Result<f64, String> {
    let start = Instant::now();
    let mut calls = 0.0;
    loop {
        work()?;
        calls += 1.0;
        let spent = start.elapsed().as_secs_f64();
        if spent >= seconds {
            return Ok(calls / spent.max(1e-9));
        }
    }
}

/// Measures one operation.
///
/// # Errors
/// The RTL cannot be built or does not answer.
pub fn measure(op: &'static FloatOp, engines: &mut Engines, settings: &Settings) -> Result<Row, String> {
    let (corners, mut vectors) = (Corners::default(), Vec::new());
    let plan = Plan::of(op, Level::One, 1);
    // Random operands where there are some: corners end early.
    plan.fill(plan.speed_part(), 0, 1, &corners, &mut vectors);
    let count = vectors.len() as f64;
    let cycles = engines.measure(Vector::sample(op))?;
    let (mut results, mut best) = (Vec::new(), [0f64; 3]);
    for _ in 0..settings.rounds.max(1) {
        for (k, name) in [EngineName::Rtl, EngineName::Golden].into_iter().enumerate() {
            let calls = rate(settings.seconds, || engines.run(name, &vectors, &mut results).map(drop))?;
            best[k] = best[k].max(calls * count);
        }
        let calls = rate(settings.seconds, || {
            std::hint::black_box(peer(op, std::hint::black_box(&vectors)));
            Ok(())
        })?;
        best[2] = best[2].max(calls * count);
    }
    let [rtl, golden, peer] = best;
    Ok(Row {
        op: op.name(),
        cycles: cycles.latency,
        interval: cycles.interval,
        rtl,
        golden,
        peer,
        ratio: golden / peer,
        rtl_ratio: rtl / peer,
        peer_name: peer_name(op),
    })
}

/// The rows as a JSON list.
pub fn json(rows: &[Row]) -> String {
    // A list of plain numbers and strings always serialises.
    serde_json::to_string_pretty(rows).unwrap_or_default() + "\n"
}

/// The rows as a table.
pub fn text(rows: &[Row]) -> String {
    let mut out = format!(
        "{:<8} {:>7} {:>8} {:>12} {:>12} {:>12} {:>12} {:>9}  peer\n",
        "op", "cycles", "interval", "rtl /s", "golden /s", "peer /s", "golden/peer", "rtl/peer"
    );
    for row in rows {
        let [rtl, golden, peer] = [row.rtl, row.golden, row.peer].map(|r| grouped(r as u64));
        let _ = writeln!(
            out,
            "{:<8} {:>7} {:>8.2} {rtl:>12} {golden:>12} {peer:>12} {:>12.2} {:>9.4}  {}",
            row.op, row.cycles, row.interval, row.ratio, row.rtl_ratio, row.peer_name
        );
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_addition_is_measured() {
        let settings = Settings { rounds: 1, seconds: 0.0 };
        let op = FloatOp::by_name("FADD").unwrap();
        let row = measure(op, &mut Engines::default(), &settings).unwrap();
        assert_eq!((row.op, row.cycles, row.interval, row.peer_name), ("FADD", 5, 1.0, "rustc_apfloat"));
        assert!(row.golden > row.rtl, "a model that is slower than the RTL: {row:?}");
        let list: Vec<serde_json::Value> = serde_json::from_str(&json(std::slice::from_ref(&row))).unwrap();
        for key in ["op", "cycles", "interval", "rtl", "golden", "peer", "ratio", "rtl_ratio", "peer_name"] {
            assert!(!list[0][key].is_null(), "{key}");
        }
        assert!(text(&[row]).contains("FADD"));
    }
}
