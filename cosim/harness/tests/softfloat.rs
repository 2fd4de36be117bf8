//! Berkeley SoftFloat as a second oracle: on every vector of level 1 it must agree with the first
//! one (`check::float::oracle`), square root included, which `rustc_apfloat` does not have. Not in
//! the usual build, because the crate that wraps it needs CMake and a C compiler:
//! `cargo test --profile checked -p quadlock --features softfloat --test harness
//! softfloat::`.
//! `QUADLOCK_SOFTFLOAT_LEVEL=2` takes the vectors of level 2 (then with `--release`: 146 million).
#![cfg(feature = "softfloat")]

use quadlock::check::float::cases::{Corners, Level};
use quadlock::check::float::op::{FloatOp, Meaning, OPS};
use quadlock::check::float::oracle::NAN;
use quadlock::check::float::plan::{Plan, CHUNK};
use quadlock_isa::Op;
use softfloat_wrapper::{Float, RoundingMode, F16, F32};

fn single(bits: u32) -> F32 {
    F32::from_bits(bits)
}

/// The bits, with the machine's one NaN.
fn bits(value: F32) -> u32 {
    match value.to_bits() {
        b if b << 1 > 0xFF00_0000 => NAN,
        b => b,
    }
}

/// SoftFloat's result; nothing if it does not have the operation, or has another one (its
/// conversions to integers give other numbers for a NaN).
fn softfloat(op: Op, [a, b, c]: [u32; 3]) -> Option<u32> {
    let even = RoundingMode::TiesToEven;
    let (x, y) = (single(a), single(b));
    let integral = |mode| bits(x.round_to_integral(mode));
    Some(match op {
        Op::FAdd => bits(x.add(y, even)),
        Op::FSub => bits(x.sub(y, even)),
        Op::FMul => bits(x.mul(y, even)),
        Op::FDiv => bits(x.div(y, even)),
        Op::FFma => bits(x.fused_mul_add(y, single(c), even)),
        Op::FSqrt => bits(x.sqrt(even)),
        Op::FFloor => integral(RoundingMode::TowardNegative),
        Op::FCeil => integral(RoundingMode::TowardPositive),
        Op::FTrunc => integral(RoundingMode::TowardZero),
        Op::FRne => integral(even),
        Op::FSetEq => x.eq(y).into(),
        Op::FSetLt => x.lt(y).into(),
        Op::FSetLe => x.le(y).into(),
        Op::I2F => bits(F32::from_i32(a as i32, even)),
        Op::U2F => bits(F32::from_u32(a, even)),
        Op::UpkF16 => bits(F16::from_bits(a as u16).to_f32(even)),
        _ => return None,
    })
}

/// Vectors compared.
fn compare(op: &'static FloatOp, oracle: fn([u32; 3]) -> u32, level: Level, corners: &Corners) -> u64 {
    let plan = Plan::of(op, level, 1);
    let (mut vectors, mut count) = (Vec::new(), 0);
    for part in 0..plan.parts.len() {
        for chunk in 0..plan.part_len(part, corners).div_ceil(CHUNK) {
            plan.fill(part, chunk, 1, corners, &mut vectors);
            for v in &vectors {
                assert_eq!(softfloat(op.op, v.operands), Some(oracle(v.operands)), "{} {:08x?}", op.name(), v.operands);
            }
            count += vectors.len() as u64;
        }
    }
    count
}

#[test]
fn softfloat_and_the_oracle_agree() {
    let level = match std::env::var("QUADLOCK_SOFTFLOAT_LEVEL").as_deref() {
        Err(_) | Ok("1") => Level::One,
        Ok("2") => Level::Two,
        Ok(other) => panic!("QUADLOCK_SOFTFLOAT_LEVEL={other}: 1 or 2"),
    };
    let corners = Corners::default();
    let mut compared = 0;
    for op in OPS {
        if let (Meaning::Exact(oracle), Some(_)) = (op.meaning, softfloat(op.op, [0; 3])) {
            assert!(compare(op, oracle, level, &corners) > 0);
            compared += 1;
        }
    }
    assert_eq!(compared, 16);
}
