//! Every lane instruction against values written down independently of the model: integer ones by
//! hand, floating-point ones by `rustc_apfloat`, a software implementation of IEEE 754.

use std::cmp::Ordering;

use crate::common::Bench;
use quadlock_golden::Fault;
use quadlock_isa::{Class, Op, TABLE};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rustc_apfloat::ieee::Single;
use rustc_apfloat::{Float, Round};

const M: u32 = 0x8000_0000;
const F: u32 = 0xFFFF_FFFF;

/// (instruction, A, B, C, result).
const INTEGER: &[(&str, u32, u32, u32, u32)] = &[
    ("IADD", F, 1, 0, 0),
    ("IADD", 0x0000_FFFF, 1, 0, 0x0001_0000),
    ("IADD", M, M, 0, 0),
    ("ISUB", 0, 1, 0, F),
    ("ISUB", M, 1, 0, 0x7FFF_FFFF),
    ("IMUL", F, F, 0, 1),
    ("IMUL", 0x0001_0001, 0x0001_0001, 0, 0x0002_0001),
    ("UMULHI", F, F, 0, 0xFFFF_FFFE),
    ("UMULHI", M, 2, 0, 1),
    ("SMULHI", F, F, 0, 0),
    ("SMULHI", F, 1, 0, F),
    ("SMULHI", M, M, 0, 0x4000_0000),
    ("SMULHI", M, 2, 0, F),
    ("IMAD", F, 3, 5, 2),
    ("SMIN", F, 0, 0, F),
    ("SMIN", M, 0x7FFF_FFFF, 0, M),
    ("SMAX", F, 0, 0, 0),
    ("UMIN", F, 0, 0, 0),
    ("UMAX", F, 0, 0, F),
    ("AND", 0xF0F0, 0xFF00, 0, 0xF000),
    ("OR", 0xF0F0, 0xFF00, 0, 0xFFF0),
    ("XOR", 0xF0F0, 0xFF00, 0, 0x0FF0),
    ("SHL", 1, 31, 0, M),
    ("SHL", 3, 32, 0, 3),
    ("SHL", 3, 33, 0, 6),
    ("SHR", M, 31, 0, 1),
    ("SHR", M, F, 0, 1),
    ("SAR", M, 31, 0, F),
    ("SAR", M, 32, 0, M),
    ("SAR", 0x4000_0000, 30, 0, 1),
    ("POPC", F, 0, 0, 32),
    ("POPC", 0, 0, 0, 0),
    ("POPC", 0x8001_0101, 0, 0, 4),
    ("CLZ", 0, 0, 0, 32),
    ("CLZ", 1, 0, 0, 31),
    ("CLZ", M, 0, 0, 0),
    ("CTZ", 0, 0, 0, 32),
    ("CTZ", M, 0, 0, 31),
    ("CTZ", 12, 0, 0, 2),
    ("BREV", 1, 0, 0, M),
    ("BREV", 0x1234_5678, 0, 0, 0x1E6A_2C48),
    ("UBFE", 0x1234_5678, 0x0808, 0, 0x56),
    ("UBFE", F, 0x0000, 0, 0),
    ("UBFE", F, 0x2000, 0, F),
    ("UBFE", F, 0x3F1C, 0, 0xF),
    ("UBFE", 0x8000_0000, 0x011F, 0, 1),
    ("SBFE", 0x0000_8000, 0x0808, 0, 0xFFFF_FF80),
    ("SBFE", F, 0x0010, 0, 0),
    ("SBFE", 0x7FFF_FFFF, 0x2000, 0, 0x7FFF_FFFF),
    ("SBFE", M, 0x3F1F, 0, F),
    ("BFI", 0xFF, 0x0408, 0, 0x0F00),
    ("BFI", 0, 0x0408, F, 0xFFFF_F0FF),
    ("BFI", 0x5555_5555, 0x3F00, F, 0x5555_5555),
    ("BFI", F, 0x001F, 7, 7),
    ("ISETEQ", 5, 5, 0, 1),
    ("ISETEQ", 5, 4, 0, 0),
    ("ISETNE", 5, 4, 0, 1),
    ("ISETNE", 5, 5, 0, 0),
    ("SSETLT", F, 0, 0, 1),
    ("SSETLT", 0, 0, 0, 0),
    ("SSETLT", M, 0x7FFF_FFFF, 0, 1),
    ("SSETLE", 0, 0, 0, 1),
    ("SSETLE", 1, F, 0, 0),
    ("SSETGT", 0, F, 0, 1),
    ("SSETGT", M, M, 0, 0),
    ("SSETGE", M, M, 0, 1),
    ("SSETGE", M, 0, 0, 0),
    ("USETLT", F, 0, 0, 0),
    ("USETLT", 0, F, 0, 1),
    ("USETLE", 3, 3, 0, 1),
    ("USETLE", F, 3, 0, 0),
    ("USETGT", F, 0, 0, 1),
    ("USETGT", 3, 3, 0, 0),
    ("USETGE", 3, 3, 0, 1),
    ("USETGE", 0, M, 0, 0),
    ("MOV", 1, 0x7F80_0001, 0, 0x7F80_0001),
    ("SEL", 5, 6, M, 5),
    ("SEL", 5, 6, 0, 6),
];

fn text(op: Op) -> String {
    use quadlock_isa::Shape::*;
    match op.shape() {
        DB => format!("{} r0, r2", op.name()),
        DA => format!("{} r0, r1", op.name()),
        DAB => format!("{} r0, r1, r2", op.name()),
        DABC => format!("{} r0, r1, r2, r3", op.name()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn integer_instructions() {
    for &(name, a, b, c, want) in INTEGER {
        let op = Op::from_name(name).unwrap();
        assert_eq!(Bench::new(&text(op)).one(a, b, c), want, "{name} {a:#x} {b:#x} {c:#x}");
    }
}

/// No lane instruction is left out of this file.
#[test]
fn every_lane_instruction_is_tested() {
    for row in TABLE.iter().filter(|r| matches!(r.class, Class::Alu | Class::Function)) {
        let elsewhere = matches!(row.op, Op::S2R | Op::QShuf | Op::Ddx | Op::Ddy)
            || FLOAT.contains(&row.op)
            || row.op.cross_lane().is_some();
        let listed = INTEGER.iter().chain(UNIT).any(|t| t.0 == row.name);
        assert!(elsewhere || listed, "{}", row.name);
    }
}

/// The float unit's instructions reach the functions of `quadlock_golden::float`, which
/// `float_exact.rs` and `float_approx.rs` test.
#[test]
fn float_unit_instructions() {
    for &(name, a, b, c, want) in UNIT {
        let op = Op::from_name(name).unwrap();
        assert_eq!(Bench::new(&text(op)).one(a, b, c), want, "{name} {a:#x} {b:#x} {c:#x}");
    }
}

/// name, A, B, C, result; two or more rows tell each instruction from its neighbours.
const UNIT: &[(&str, u32, u32, u32, u32)] = &[
    ("FFRACT", 0xBFA0_0000, 0, 0, 0x3F40_0000),
    ("FFRACT", 0x8000_0001, 0, 0, 0x3F80_0000),
    ("FFLOOR", 0xBFA0_0000, 0, 0, 0xC000_0000),
    ("FCEIL", 0xBFA0_0000, 0, 0, 0xBF80_0000),
    ("FCEIL", 0xBE80_0000, 0, 0, 0x8000_0000),
    ("FTRUNC", 0xBFE0_0000, 0, 0, 0xBF80_0000),
    ("FTRUNC", 0x3FE0_0000, 0, 0, 0x3F80_0000),
    ("FRNE", 0x4020_0000, 0, 0, 0x4000_0000),
    ("FRNE", 0x4060_0000, 0, 0, 0x4080_0000),
    ("PK.F16", 0x3F80_0000, 0xC000_0000, 0, 0xC000_3C00),
    ("PK.F16", 0x7F80_0001, 0x477F_F000, 0, 0x7C00_7E00),
    ("UPK.F16", 0xFFFF_0001, 0, 0, 0x3380_0000),
    ("UPK.F16", 0x0000_FC01, 0, 0, 0x7FC0_0000),
    ("F2UN.8", 0x3F00_0000, 0, 0, 128),
    ("F2UN.16", 0x3F00_0000, 0, 0, 32768),
    ("F2SN.8", 0xBF80_0000, 0, 0, 0x81),
    ("F2SN.16", 0xBF80_0000, 0, 0, 0x8001),
    ("UN2F.8", 0xFFFF_FFFF, 0, 0, 0x3F80_0000),
    ("UN2F.8", 0x0000_0001, 0, 0, 0x3B80_8081),
    ("UN2F.16", 0x0000_0001, 0, 0, 0x3780_0080),
    ("SN2F.8", 0x0000_0080, 0, 0, 0xBF80_0000),
    ("SN2F.8", 0x0000_0001, 0, 0, 0x3C01_0204),
    ("SN2F.16", 0x0000_0001, 0, 0, 0x3800_0100),
    ("FDIV", 0x3F80_0000, 0x4040_0000, 0, 0x3EAA_AAAB),
    ("FDIV", 0x8000_0000, 0, 0, 0x7FC0_0000),
    ("FSQRT", 0x4000_0000, 0, 0, 0x3FB5_04F3),
    ("FRCP", 0x4080_0000, 0, 0, 0x3E80_0000),
    ("FRCP", 0x8000_0000, 0, 0, 0xFF80_0000),
    ("FRSQ", 0x4080_0000, 0, 0, 0x3F00_0000),
    ("FEXP2", 0xC040_0000, 0, 0, 0x3E00_0000),
    ("FLOG2", 0x3E00_0000, 0, 0, 0xC040_0000),
    ("FSIN", 0x3000_0000, 0, 0, 0x3000_0000),
    ("FCOS", 0x8000_0000, 0, 0, 0x3F80_0000),
];

const FLOAT: &[Op] = &[
    Op::FAdd,
    Op::FSub,
    Op::FMul,
    Op::FFma,
    Op::FNma,
    Op::FMin,
    Op::FMax,
    Op::F2I,
    Op::F2U,
    Op::I2F,
    Op::U2F,
    Op::FSetEq,
    Op::FSetNe,
    Op::FSetLt,
    Op::FSetLe,
    Op::FSetGt,
    Op::FSetGe,
];

const CORNERS: &[u32] = &[
    0,
    1,
    2,
    0x007F_FFFF,
    0x0080_0000,
    0x0080_0001,
    0x3380_0000,
    0x3F00_0000,
    0x3F7F_FFFF,
    0x3F80_0000,
    0x3F80_0001,
    0x3FFF_FFFF,
    0x4000_0000,
    0x4B00_0000,
    0x4B7F_FFFF,
    0x4EFF_FFFF,
    0x4F00_0000,
    0x4F7F_FFFF,
    0x4F80_0000,
    0x7F7F_FFFF,
    0x7F80_0000,
    0x7F80_0001,
    0x7FC0_0000,
    0x7FFF_FFFF,
];

fn single(bits: u32) -> Single {
    Single::from_bits(u128::from(bits))
}

fn bits(x: Single) -> u32 {
    if x.is_nan() {
        0x7FC0_0000
    } else {
        x.to_bits() as u32
    }
}

fn minimum(a: Single, b: Single, want: Ordering) -> u32 {
    match (a.is_nan(), b.is_nan()) {
        (true, _) => bits(b),
        (_, true) => bits(a),
        _ if a.is_zero() && b.is_zero() => bits(if a.is_negative() == (want == Ordering::Less) { a } else { b }),
        _ => bits(if a.partial_cmp(&b) == Some(want) { a } else { b }),
    }
}

fn expected(op: Op, a: u32, b: u32, c: u32) -> u32 {
    let (x, y, z) = (single(a), single(b), single(c));
    let order = x.partial_cmp(&y);
    let mut exact = false;
    match op {
        Op::FAdd => bits((x + y).value),
        Op::FSub => bits((x - y).value),
        Op::FMul => bits((x * y).value),
        Op::FFma => bits(x.mul_add(y, z).value),
        Op::FNma => bits((-x).mul_add(y, z).value),
        Op::FMin => minimum(x, y, Ordering::Less),
        Op::FMax => minimum(x, y, Ordering::Greater),
        Op::F2I if x.is_nan() => 0,
        Op::F2U if x.is_nan() => 0,
        Op::F2I => x.to_i128_r(32, Round::TowardZero, &mut exact).value as u32,
        Op::F2U => x.to_u128_r(32, Round::TowardZero, &mut exact).value as u32,
        Op::I2F => bits(Single::from_i128(i128::from(a as i32)).value),
        Op::U2F => bits(Single::from_u128(u128::from(a)).value),
        Op::FSetEq => u32::from(order == Some(Ordering::Equal)),
        Op::FSetNe => u32::from(order != Some(Ordering::Equal)),
        Op::FSetLt => u32::from(order == Some(Ordering::Less)),
        Op::FSetLe => u32::from(matches!(order, Some(Ordering::Less | Ordering::Equal))),
        Op::FSetGt => u32::from(order == Some(Ordering::Greater)),
        Op::FSetGe => u32::from(matches!(order, Some(Ordering::Greater | Ordering::Equal))),
        other => panic!("{other:?}"),
    }
}

fn check(bench: &mut Bench, op: Op, a: [u32; 4], b: [u32; 4], c: [u32; 4]) {
    let got = bench.lanes(a, b, c);
    for l in 0..4 {
        let want = expected(op, a[l], b[l], c[l]);
        assert_eq!(
            got[l], want,
            "{op:?} {:#010x} {:#010x} {:#010x}: {:#010x}, not {want:#010x}",
            a[l], b[l], c[l], got[l]
        );
    }
}

#[test]
fn floating_point_corners() {
    let signed: Vec<u32> = CORNERS.iter().flat_map(|&x| [x, x | M]).collect();
    for &op in FLOAT {
        let mut bench = Bench::new(&text(op));
        let three = matches!(op, Op::FFma | Op::FNma);
        for &a in &signed {
            for &b in &signed {
                let thirds: Vec<u32> = if three { signed.clone() } else { vec![0; 4] };
                for c in thirds.chunks_exact(4) {
                    check(&mut bench, op, [a; 4], [b; 4], [c[0], c[1], c[2], c[3]]);
                }
            }
        }
    }
}

/// Random operands, half of them with exponents near each other, where rounding and cancellation
/// happen.
#[test]
fn floating_point_random() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for &op in FLOAT {
        let mut bench = Bench::new(&text(op));
        for _ in 0..5000 {
            let near: bool = rng.random();
            let mut value = || match near {
                true => (rng.random::<u32>() & 0x807F_FFFF) | rng.random_range(100..150) << 23,
                false => rng.random(),
            };
            let mut lanes = || [value(), value(), value(), value()];
            let (a, b, c) = (lanes(), lanes(), lanes());
            check(&mut bench, op, a, b, c);
        }
    }
}

#[test]
fn conversions_saturate() {
    let f2i = |x: f32| Bench::new("F2I r0, r1").one(x.to_bits(), 0, 0) as i32;
    assert_eq!([f2i(1e20), f2i(-1e20), f2i(-1.9), f2i(f32::NAN)], [i32::MAX, i32::MIN, -1, 0]);
    let f2u = |x: f32| Bench::new("F2U r0, r1").one(x.to_bits(), 0, 0);
    assert_eq!([f2u(1e20), f2u(-1e20), f2u(3.9), f2u(f32::NAN), f2u(4294967040.0)], [F, 0, 3, 0, 4294967040]);
}

#[test]
fn operand_b_modes() {
    assert_eq!(Bench::new("IADD r0, r1, #-3").one(10, 99, 99), 7);
    assert_eq!(Bench::new("IADD r0, r1, c[2]").one(10, 99, 99), 17);
    assert_eq!(Bench::new("IADD r0, r1, c[1000]").one(10, 99, 99), 10);
    assert_eq!(Bench::new("MOV r0, #1.5f").one(0, 0, 0), 0x3FC0_0000);
    assert_eq!(Bench::new("BFI r0, r1, #0x0408, r3").one(0xFF, 0, 0), 0x0F00);
}

/// Cross-lane instructions read inactive lanes, and write active ones only.
#[test]
fn cross_lane() {
    let mut shuffle = Bench::new("QSHUF r0, r1, r2");
    assert_eq!(shuffle.lanes([10, 11, 12, 13], [3, 2, 5, 0xFFFF_FFFC], [0; 4]), [13, 12, 11, 10]);
    let effect = shuffle.effect(0b0001, [10, 11, 12, 13], [3; 4], [0; 4]);
    assert_eq!(effect.values.map(|v| v[0]), [13, 0, 0, 0]);
    assert_eq!(shuffle.golden.warp(0, 0).reg(1, 0), 0xDEAD_BEEF);
    let f = |x: [f32; 4]| x.map(f32::to_bits);
    assert_eq!(Bench::new("DDX r0, r1").lanes(f([1.0, 4.0, 10.0, 30.0]), [0; 4], [0; 4]), f([3.0, 3.0, 20.0, 20.0]));
    assert_eq!(Bench::new("DDY r0, r1").lanes(f([1.0, 4.0, 10.0, 30.0]), [0; 4], [0; 4]), f([9.0, 26.0, 9.0, 26.0]));
    assert_eq!(Bench::new("DDX r0, r1").lanes(f([f32::INFINITY; 4]), [0; 4], [0; 4]), [0x7FC0_0000; 4]);
}

/// Each planted bug of the arithmetic changes a result.
#[test]
fn planted_bugs_show() {
    for (fault, instruction, a, b, c) in [
        (Fault::FminNan, "FMIN r0, r1, r2", 0x7FC0_0000, 0x3F80_0000, 0),
        (Fault::ShiftMask, "SHL r0, r1, r2", 1, 32, 0),
        (Fault::SbfeZero, "SBFE r0, r1, r2", 5, 0, 0),
        (Fault::FmaTwice, "FFMA r0, r1, r2, r3", 0x3F80_0001, 0x3F80_0001, 0xBF80_0002),
    ] {
        let good = Bench::new(instruction).one(a, b, c);
        assert_ne!(Bench::with_fault(instruction, Some(fault)).one(a, b, c), good, "{fault:?}");
        let name = Fault::ALL.iter().find(|f| f.0 == fault).unwrap().1;
        assert_eq!(Fault::by_name(name), Some(fault));
    }
}
