//! The lane's conversions between formats (PK.F16, UPK.F16, F2xN, xN2F) against `rustc_apfloat` and
//! exact integer arithmetic: every narrow value decoded, every rounding boundary encoded, with a
//! neighbour to each side. And all new float operations on the vectors of `docs/float/vectors.csv`,
//! and mixed with older ones, back to back.

use crate::common::lane::{canonical, check, fault_shows, random_float, verilog_agrees, Operation, FLOAT_CORNERS};
use quadlock_golden::float;
use quadlock_hdl::fault::Fault;
use quadlock_isa::Op;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rustc_apfloat::ieee::{Half, Single};
use rustc_apfloat::{Float, FloatConvert};

fn single(word: u32) -> Single {
    Single::from_bits(word.into())
}

fn word(value: Single) -> u32 {
    canonical(f32::from_bits(value.to_bits() as u32))
}

fn to_half(a: u32) -> u32 {
    let half: Half = single(a).convert(&mut false).value;
    if half.is_nan() {
        float::NAN16
    } else {
        half.to_bits() as u32
    }
}

/// floor(1/2 + scale * a) in integers, a first held in [least, 1]: 2 * scale * significand in units
/// of 2^(exponent - 1).
fn encode(a: u32, scale: i128, signed: bool) -> i128 {
    let value = f32::from_bits(a);
    if value.is_nan() || (!signed && value < 0.0) {
        return 0;
    }
    if value.abs() >= 1.0 {
        return if value < 0.0 { -scale } else { scale };
    }
    let significand = i128::from(a & 0x7F_FFFF | if a << 1 >> 24 == 0 { 0 } else { 0x80_0000 });
    // Bits behind the point: 24 below 1, to 149.
    let places = 150 - (a << 1 >> 24).max(1);
    if places > 80 {
        return 0;
    }
    let product = scale * significand * if value < 0.0 { -1 } else { 1 };
    (2 * product + (1 << places)) >> (places + 1)
}

fn decode(n: i32, scale: i128) -> u32 {
    let quotient = (Single::from_i128(n.into()).value / Single::from_i128(scale).value).value;
    if quotient < -Single::from_i128(1).value {
        (-1f32).to_bits()
    } else {
        word(quotient)
    }
}

/// By apfloat or integers, and the same by the golden model.
fn reference((op, a, b, _): Operation) -> u32 {
    let (exact, golden) = match op {
        Op::PkF16 => (to_half(a) | to_half(b) << 16, float::pack2x16float(a, b)),
        Op::UpkF16 => (word(Half::from_bits(u128::from(a & 0xFFFF)).convert(&mut false).value), float::f16_to_f32(a)),
        Op::F2UN8 => (encode(a, 255, false) as u32, float::unorm8_encode(a)),
        Op::F2UN16 => (encode(a, 65535, false) as u32, float::unorm16_encode(a)),
        Op::F2SN8 => (encode(a, 127, true) as u32 & 0xFF, float::snorm8_encode(a)),
        Op::F2SN16 => (encode(a, 32767, true) as u32 & 0xFFFF, float::snorm16_encode(a)),
        Op::UN2F8 => (decode(i32::from(a as u8), 255), float::unorm8_decode(a)),
        Op::UN2F16 => (decode(i32::from(a as u16), 65535), float::unorm16_decode(a)),
        Op::SN2F8 => (decode(i32::from(a as i8), 127), float::snorm8_decode(a)),
        Op::SN2F16 => (decode(i32::from(a as i16), 32767), float::snorm16_decode(a)),
        _ => unreachable!("no reference for {op:?}"),
    };
    assert_eq!(exact, golden, "the references disagree on {op:?} {a:#x} {b:#x}");
    golden
}

const ENCODINGS: [(Op, u32); 4] = [(Op::F2UN8, 255), (Op::F2UN16, 65535), (Op::F2SN8, 127), (Op::F2SN16, 32767)];

/// All 2^16 values of each 16-bit format; the bits above them do not matter.
fn every_narrow_value(op: Op) {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let operations: Vec<Operation> =
        (0..1u32 << 16).map(|n| (op, rng.random::<u32>() << 16 | n, rng.random(), rng.random())).collect();
    check(&operations, reference);
}

#[test]
fn every_half_unpacks_exactly() {
    every_narrow_value(Op::UpkF16);
}

#[test]
fn every_unorm16_decodes() {
    every_narrow_value(Op::UN2F16);
}

#[test]
fn every_snorm16_decodes() {
    every_narrow_value(Op::SN2F16);
}

#[test]
fn every_8_bit_format_decodes() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let operations: Vec<Operation> = (0..4 * 256u32)
        .flat_map(|n| [Op::UN2F8, Op::SN2F8].map(|op| (op, n & 0xFF | rng.random::<u32>() << 8, 0, 0)))
        .collect();
    check(&operations, reference);
}

/// Every tie between neighbouring halves, subnormals, the smallest normal one and the step to
/// infinity included, with the f32 on both sides: up in A, the negative in B.
#[test]
fn every_half_boundary_rounds_to_even() {
    let value = |h: u32| if h == 0x7C00 { 65536.0 } else { f32::from_bits(float::f16_to_f32(h)) };
    let operations: Vec<Operation> = (0..0x7C00u32)
        .flat_map(|h| {
            let tie = ((value(h) + value(h + 1)) / 2.0).to_bits();
            [tie - 1, tie, tie + 1].map(|a| (Op::PkF16, a, a ^ 1 << 31, 0))
        })
        .collect();
    check(&operations, reference);
}

#[test]
fn halves_of_corners_and_random_values() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let mut operations = vec![];
    for a in FLOAT_CORNERS {
        for b in FLOAT_CORNERS {
            operations.push((Op::PkF16, a, b, 0));
        }
    }
    let near = |rng: &mut ChaCha8Rng| rng.random::<u32>() & 0x807F_FFFF | rng.random_range(98..146u32) << 23;
    for _ in 0..10_000 {
        operations.push((Op::PkF16, near(&mut rng), near(&mut rng), rng.random()));
        operations.push((Op::PkF16, random_float(&mut rng), random_float(&mut rng), rng.random()));
    }
    check(&operations, reference);
}

/// The f32 nearest to each boundary (n + 1/2) / scale and its neighbours; for the signed formats of
/// both signs.
fn every_boundary(op: Op, scale: u32) {
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let signed = matches!(op, Op::F2SN8 | Op::F2SN16);
    let operations: Vec<Operation> = (0..scale)
        .flat_map(|n| {
            let boundary = ((f64::from(n) + 0.5) / f64::from(scale)) as f32;
            [boundary.to_bits() - 1, boundary.to_bits(), boundary.to_bits() + 1]
        })
        .flat_map(|a| [Some(a), signed.then_some(a ^ 1 << 31)])
        .flatten()
        .map(|a| (op, a, rng.random(), rng.random()))
        .collect();
    check(&operations, reference);
}

#[test]
fn every_8_bit_boundary_encodes() {
    every_boundary(Op::F2UN8, 255);
    every_boundary(Op::F2SN8, 127);
}

#[test]
fn every_unorm16_boundary_encodes() {
    every_boundary(Op::F2UN16, 65535);
}

#[test]
fn every_snorm16_boundary_encodes() {
    every_boundary(Op::F2SN16, 32767);
}

/// Every exponent, values beyond the range, exact ties of both signs (multiples of 2^-k times 1/2),
/// random values.
#[test]
fn encodings_of_all_magnitudes() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let mut values = FLOAT_CORNERS.to_vec();
    for exponent in 0..256u32 {
        values.extend([0, 1, 0x40_0000, 0x7F_FFFF].map(|f| exponent << 23 | f));
    }
    values.extend((0..=512).map(|k| (k as f32 / 512.0).to_bits()));
    values.extend((0..5000).map(|_| random_float(&mut rng)));
    values.extend((0..5000).map(|_| rng.random_range(100..128u32) << 23 | rng.random::<u32>() & 0x7F_FFFF));
    let operations: Vec<Operation> = values
        .iter()
        .flat_map(|&a| [a, a ^ 1 << 31])
        .flat_map(|a| ENCODINGS.map(|(op, _)| (op, a, rng.random(), rng.random())))
        .collect();
    check(&operations, reference);
}

/// The lane's instruction of a function of `docs/float.md`; none for those of the function unit.
/// Single halves are packed with a zero.
fn instruction(name: &str) -> Option<Op> {
    Some(match name {
        "floor" => Op::FFloor,
        "ceil" => Op::FCeil,
        "trunc" => Op::FTrunc,
        "round_even" => Op::FRne,
        "fract" => Op::FFract,
        "f32_to_f16" | "pack2x16float" => Op::PkF16,
        "f16_to_f32" => Op::UpkF16,
        "unorm8_encode" => Op::F2UN8,
        "unorm16_encode" => Op::F2UN16,
        "snorm8_encode" => Op::F2SN8,
        "snorm16_encode" => Op::F2SN16,
        "unorm8_decode" => Op::UN2F8,
        "unorm16_decode" => Op::UN2F16,
        "snorm8_decode" => Op::SN2F8,
        "snorm16_decode" => Op::SN2F16,
        _ => return None,
    })
}

/// The vectors that are part of the statement, in their order, so that operations of different
/// kinds follow each other.
#[test]
fn stated_vectors() {
    let mut vectors = vec![];
    for line in include_str!("../../docs/float/vectors.csv").lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let hexadecimal = |text| u32::from_str_radix(text, 16).unwrap_or(0);
        if let Some(op) = instruction(fields[0]) {
            vectors.push(((op, hexadecimal(fields[1]), hexadecimal(fields[2]), 0), hexadecimal(fields[3])));
        }
    }
    assert!(vectors.len() > 800, "vectors of the lane's operations: {}", vectors.len());
    let operations: Vec<Operation> = vectors.iter().map(|v| v.0).collect();
    let mut results = vectors.iter();
    check(&operations, |_| results.next().unwrap().1);
}

fn mixed_reference(operation: Operation) -> u32 {
    let (op, a, b, c) = operation;
    let (x, y, z) = (f32::from_bits(a), f32::from_bits(b), f32::from_bits(c));
    match op {
        Op::FFloor => float::floor(a),
        Op::FCeil => float::ceil(a),
        Op::FTrunc => float::trunc(a),
        Op::FRne => float::round_even(a),
        Op::FFract => float::fract(a),
        Op::FAdd => canonical(x + y),
        Op::FMul => canonical(x * y),
        Op::FFma => canonical(x.mul_add(y, z)),
        Op::F2I => x as i32 as u32,
        Op::F2U => x as u32,
        Op::I2F => (a as i32 as f32).to_bits(),
        Op::U2F => (a as f32).to_bits(),
        Op::IMul => a.wrapping_mul(b),
        Op::IAdd => a.wrapping_add(b),
        Op::Mov => b,
        _ => reference(operation),
    }
}

/// Operations of every kind; operands at random, one in two near or inside the formats' range.
fn mixed(count: usize, seed: u64) -> Vec<Operation> {
    let ops = [
        Op::FFloor,
        Op::FCeil,
        Op::FTrunc,
        Op::FRne,
        Op::FFract,
        Op::PkF16,
        Op::UpkF16,
        Op::F2UN8,
        Op::F2UN16,
        Op::F2SN8,
        Op::F2SN16,
        Op::UN2F8,
        Op::UN2F16,
        Op::SN2F8,
        Op::SN2F16,
        Op::FAdd,
        Op::FMul,
        Op::FFma,
        Op::F2I,
        Op::F2U,
        Op::I2F,
        Op::U2F,
        Op::IMul,
        Op::IAdd,
        Op::Mov,
    ];
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    (0..count)
        .map(|_| {
            let op = ops[rng.random_range(0..ops.len())];
            let operand = |rng: &mut ChaCha8Rng| match rng.random_range(0..4) {
                0 => rng.random(),
                1 => random_float(rng),
                2 => rng.random::<u32>() & 0x807F_FFFF | rng.random_range(98..130u32) << 23,
                _ => rng.random::<u32>() & 0x8000_0000 | (rng.random_range(0..=512) as f32 / 256.0).to_bits(),
            };
            (op, operand(&mut rng), operand(&mut rng), operand(&mut rng))
        })
        .collect()
}

/// Neighbours in the pipeline of every kind, at one operation per cycle: none disturbs another.
#[test]
fn mixed_back_to_back() {
    check(&mixed(100_000, 6), mixed_reference);
}

/// The Verilog that ships computes the same.
#[test]
fn exported_verilog_agrees_with_the_engine() {
    verilog_agrees("lane_format", &mixed(12_000, 7));
}

#[test]
fn format_faults_show() {
    let half = [(Op::PkF16, 0x3300_0001, 0, 0)];
    assert!(fault_shows(Fault::F16Subnormal, &half, reference));
    let normal = [(Op::PkF16, 0x3F80_1001, 0, 0)];
    assert!(!fault_shows(Fault::F16Subnormal, &normal, reference), "only subnormal results are faulty");
    let tie = [(Op::F2SN8, 0xBF00_0000, 0, 0), (Op::F2SN16, 0xBF00_0000, 0, 0)];
    assert!(fault_shows(Fault::EncodeTie, &tie, reference));
    let other = [(Op::F2SN8, 0x3F00_0000, 0, 0), (Op::F2UN16, 0x3F00_0000, 0, 0), (Op::F2SN8, 0xBF00_0001, 0, 0)];
    assert!(!fault_shows(Fault::EncodeTie, &other, reference), "only negative ties are faulty");
    let nan = [(Op::FMul, 0xFFC0_0000, 0x3F80_0000, 0)];
    assert!(fault_shows(Fault::NanSign, &nan, mixed_reference));
}
