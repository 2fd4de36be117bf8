//! Integer, bit, compare and select instructions of a lane against native arithmetic, and the
//! lane's timing.

use crate::common::lane::{
    check, fault_shows, random_float, run, verilog_agrees, Operation, FLOAT_CORNERS, INTEGER_CORNERS,
};
use quadlock_hdl::base::testing::Bench;
use quadlock_hdl::config::{GpuConfig, LANE_LATENCY};
use quadlock_hdl::fault::Fault;
use quadlock_hdl::warp::lane::Lane;
use quadlock_isa::{Class, Op, TABLE};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rust_hdl::prelude::*;

/// Offset and width of the bit field that B describes.
fn field(b: u32) -> (u32, u32) {
    let offset = b & 31;
    (offset, (b >> 8 & 63).min(32 - offset))
}

fn mask(count: u32) -> u32 {
    (((1u64 << count) - 1) & 0xFFFF_FFFF) as u32
}

fn bit_operation((op, a, b, c): Operation) -> Option<u32> {
    let (offset, count) = field(b);
    let extracted = (a >> offset) & mask(count);
    Some(match op {
        Op::And => a & b,
        Op::Or => a | b,
        Op::Xor => a ^ b,
        Op::Shl => a << (b & 31),
        Op::Shr => a >> (b & 31),
        Op::Sar => ((a as i32) >> (b & 31)) as u32,
        Op::Popc => a.count_ones(),
        Op::Clz => a.leading_zeros(),
        Op::Ctz => a.trailing_zeros(),
        Op::Brev => a.reverse_bits(),
        Op::UBfe => extracted,
        Op::SBfe if count == 0 => 0,
        Op::SBfe => (((extracted << (32 - count)) as i32) >> (32 - count)) as u32,
        Op::Bfi => c & !(mask(count) << offset) | (a & mask(count)) << offset,
        _ => return None,
    })
}

fn compare((op, a, b, _): Operation) -> Option<u32> {
    let (i, j) = (a as i32, b as i32);
    let (x, y) = (f32::from_bits(a), f32::from_bits(b));
    let flag = match op {
        Op::ISetEq => a == b,
        Op::ISetNe => a != b,
        Op::SSetLt => i < j,
        Op::SSetLe => i <= j,
        Op::SSetGt => i > j,
        Op::SSetGe => i >= j,
        Op::USetLt => a < b,
        Op::USetLe => a <= b,
        Op::USetGt => a > b,
        Op::USetGe => a >= b,
        Op::FSetEq => x == y,
        Op::FSetNe => x != y,
        Op::FSetLt => x < y,
        Op::FSetLe => x <= y,
        Op::FSetGt => x > y,
        Op::FSetGe => x >= y,
        _ => return None,
    };
    Some(u32::from(flag))
}

fn float_pick(op: Op, a: u32, b: u32) -> u32 {
    let (x, y) = (f32::from_bits(a), f32::from_bits(b));
    match (x.is_nan(), y.is_nan()) {
        (true, true) => 0x7FC0_0000,
        (true, false) => b,
        (false, true) => a,
        // total_cmp orders -0 below +0.
        _ if (op == Op::FMin) == x.total_cmp(&y).is_lt() => a,
        _ => b,
    }
}

fn reference(operation: Operation) -> u32 {
    let (op, a, b, c) = operation;
    if let Some(value) = bit_operation(operation).or_else(|| compare(operation)) {
        return value;
    }
    match op {
        Op::IAdd => a.wrapping_add(b),
        Op::ISub => a.wrapping_sub(b),
        Op::IMul => a.wrapping_mul(b),
        Op::UMulHi => ((u64::from(a) * u64::from(b)) >> 32) as u32,
        Op::SMulHi => ((i64::from(a as i32) * i64::from(b as i32)) >> 32) as u32,
        Op::IMad => a.wrapping_mul(b).wrapping_add(c),
        Op::SMin => (a as i32).min(b as i32) as u32,
        Op::SMax => (a as i32).max(b as i32) as u32,
        Op::UMin => a.min(b),
        Op::UMax => a.max(b),
        Op::FMin | Op::FMax => float_pick(op, a, b),
        Op::Sel if c != 0 => a,
        // The cross-lane stage before the lane puts the value of MOV, SEL's other operand, S2R and
        // QSHUF into B.
        Op::Sel | Op::Mov | Op::S2R | Op::QShuf => b,
        _ => 0,
    }
}

/// Instructions of other tests: floating point that rounds (`lane_float.rs`, `lane_integral.rs`)
/// and conversions (`lane_format.rs`).
const ROUNDING: [Op; 26] = [
    Op::FAdd,
    Op::FSub,
    Op::FMul,
    Op::FFma,
    Op::FNma,
    Op::F2I,
    Op::F2U,
    Op::I2F,
    Op::U2F,
    Op::Ddx,
    Op::Ddy,
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
];

/// Instructions that [`reference`] covers: all of the lane's that do not round.
fn tested() -> Vec<Op> {
    TABLE.iter().filter(|row| row.class == Class::Alu && !ROUNDING.contains(&row.op)).map(|row| row.op).collect()
}

fn is_float(op: Op) -> bool {
    matches!(op, Op::FSetEq | Op::FSetNe | Op::FSetLt | Op::FSetLe | Op::FSetGt | Op::FSetGe | Op::FMin | Op::FMax)
}

/// Corner values crossed and random values, for one instruction.
fn operations(op: Op, random: usize) -> Vec<Operation> {
    let mut rng = ChaCha8Rng::seed_from_u64(op as u64);
    let corners: &[u32] = if is_float(op) { &FLOAT_CORNERS } else { &INTEGER_CORNERS };
    let mut all = vec![];
    for &a in corners {
        for &b in corners {
            all.push((op, a, b, corners[rng.random_range(0..corners.len())]));
        }
    }
    for _ in 0..random {
        let operands = if is_float(op) {
            let a = random_float(&mut rng);
            (a, if rng.random_range(0..8) == 0 { a } else { random_float(&mut rng) })
        } else {
            (rng.random(), if rng.random_range(0..4) == 0 { rng.random_range(0..0x2100) } else { rng.random() })
        };
        all.push((op, operands.0, operands.1, if rng.random_range(0..4) == 0 { 0 } else { rng.random() }));
    }
    all
}

/// The instructions mixed at random, so that neighbours in the pipeline take different paths.
fn mixed(count: usize, seed: u64) -> Vec<Operation> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let ops: Vec<Op> = TABLE.iter().map(|row| row.op).collect();
    (0..count)
        .map(|_| {
            let mut operand =
                || if rng.random() { random_float(&mut rng) } else { INTEGER_CORNERS[rng.random_range(0..20)] };
            let operands = (operand(), operand(), operand());
            (ops[rng.random_range(0..ops.len())], operands.0, operands.1, operands.2)
        })
        .collect()
}

#[test]
fn arithmetic_and_compare_are_exact() {
    for op in tested().into_iter().filter(|&op| bit_operation((op, 0, 0, 0)).is_none()) {
        check(&operations(op, 3000), reference);
    }
}

#[test]
fn bit_operations_are_exact() {
    for op in tested().into_iter().filter(|&op| bit_operation((op, 0, 0, 0)).is_some()) {
        check(&operations(op, 3000), reference);
    }
}

/// Every offset and every count, also counts that reach beyond bit 31.
#[test]
fn bit_fields_of_every_offset_and_count() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut all = vec![];
    for offset in 0..32u32 {
        for count in 0..64u32 {
            for op in [Op::UBfe, Op::SBfe, Op::Bfi] {
                let b = rng.random::<u32>() & !0x3F1F | count << 8 | offset;
                all.push((op, rng.random(), b, rng.random()));
            }
        }
    }
    check(&all, reference);
}

/// A result stands after exactly `LANE_LATENCY` edges, and the operations behind and before it do
/// not disturb it.
#[test]
fn latency_is_five_cycles_and_throughput_one_per_cycle() {
    let mut lane = Bench::new(Lane::new(&GpuConfig::default()), |b| &mut b.clock);
    for (op, a, b, wanted) in
        [(Op::IAdd, 2, 3, 5), (Op::IMul, 6, 7, 42), (Op::FAdd, 0x3F80_0000, 0x4000_0000, 0x4040_0000)]
    {
        lane.op.next = bits(op as u64);
        lane.a.next = bits(a);
        lane.b.next = bits(b);
        lane.cycle();
        lane.op.next = bits(Op::End as u64);
        for edge in 1..=2 * LANE_LATENCY {
            let seen = lane.value.val().to_u32();
            assert_eq!(seen, if edge == LANE_LATENCY { wanted } else { 0 }, "{op:?} after edge {edge}");
            lane.cycle();
        }
    }
    let operations = mixed(3000, 2);
    let alone: Vec<u32> =
        operations.iter().take(150).map(|&operation| run(&GpuConfig::default(), &[operation])[0]).collect();
    assert_eq!(run(&GpuConfig::default(), &operations)[..150], alone, "an operation depends on its neighbours");
}

/// Control and memory instructions have no result.
#[test]
fn other_classes_give_zero() {
    let others: Vec<Operation> =
        TABLE.iter().filter(|row| row.class != Class::Alu).map(|row| (row.op, !0, 0x3F80_0000, 7)).collect();
    check(&others, |_| 0);
}

#[test]
fn integer_faults_show() {
    assert!(fault_shows(Fault::AddCarry, &operations(Op::IAdd, 100), reference));
    assert!(!fault_shows(Fault::AddCarry, &operations(Op::ISub, 100), reference), "only sums are faulty");
    assert!(fault_shows(Fault::SignedCompare, &operations(Op::SSetLt, 100), reference));
    assert!(fault_shows(Fault::SignedCompare, &operations(Op::SMin, 100), reference));
    assert!(
        !fault_shows(Fault::SignedCompare, &operations(Op::USetLt, 100), reference),
        "only signed compares are faulty"
    );
}

/// The Verilog that ships computes what rust-hdl's engine computes, on every instruction.
#[test]
fn exported_verilog_agrees_with_the_engine() {
    verilog_agrees("lane", &mixed(6000, 3));
}
