//! Running a lane: one operation per cycle in, results five cycles later; and reference semantics
//! that share nothing with the RTL.

use quadlock_hdl::base::testing::Bench;
use quadlock_hdl::config::{GpuConfig, LANE_LATENCY};
use quadlock_hdl::export::export;
use quadlock_hdl::fault::Fault;
use quadlock_hdl::warp::lane::Lane;
use quadlock_isa::Op;
use rand::Rng;
use rust_hdl::prelude::*;

use super::icarus_agrees;

/// One operation: opcode and operands A, B, C.
pub type Operation = (Op, u32, u32, u32);

/// Runs the operations back to back, one per cycle; the result of each, in order.
pub fn run(config: &GpuConfig, operations: &[Operation]) -> Vec<u32> {
    let mut lane = Bench::new(Lane::new(config), |b| &mut b.clock);
    let idle = [(Op::End, 0, 0, 0); LANE_LATENCY - 1];
    let mut results = vec![];
    for &(op, a, b, c) in operations.iter().chain(&idle) {
        lane.op.next = bits(u64::from(op as u8));
        lane.a.next = bits(a.into());
        lane.b.next = bits(b.into());
        lane.c.next = bits(c.into());
        lane.cycle();
        results.push(lane.value.val().to_u32());
    }
    results.split_off(LANE_LATENCY - 1)
}

/// Runs the operations and compares each result with `reference`.
pub fn check(operations: &[Operation], mut reference: impl FnMut(Operation) -> u32) {
    let results = run(&GpuConfig::default(), operations);
    for (&operation, seen) in operations.iter().zip(results) {
        let (op, a, b, c) = operation;
        let wanted = reference(operation);
        assert_eq!(seen, wanted, "{op:?} {a:#010x} {b:#010x} {c:#010x}: seen {seen:#010x}, wanted {wanted:#010x}");
    }
}

/// Runs the operations through the exported Verilog too, in Icarus: it gives what rust-hdl's engine
/// gives.
pub fn verilog_agrees(name: &str, operations: &[Operation]) {
    let config = GpuConfig::default();
    let vectors: Vec<Vec<u32>> = operations.iter().map(|&(op, a, b, c)| vec![u32::from(op as u8), a, b, c]).collect();
    let mut expected = vec![vec![None]; LANE_LATENCY - 1];
    expected.extend(run(&config, operations).into_iter().map(|value| vec![Some(value)]));
    expected.truncate(vectors.len());
    let mut lane = Lane::new(&config);
    lane.clock.connect();
    lane.op.connect();
    lane.a.connect();
    lane.b.connect();
    lane.c.connect();
    let verilog = export(&mut lane, "top", &config).unwrap();
    let inputs = [("op", 8), ("a", 32), ("b", 32), ("c", 32)];
    icarus_agrees(name, &verilog, true, &inputs, &[("value", 32)], &vectors, &expected);
}

/// Whether a lane with a planted fault gives a wrong result for one of the operations.
pub fn fault_shows(fault: Fault, operations: &[Operation], reference: impl Fn(Operation) -> u32) -> bool {
    let config = GpuConfig { fault: Some(fault), ..GpuConfig::default() };
    run(&config, operations).into_iter().zip(operations).any(|(seen, &operation)| seen != reference(operation))
}

/// f32 values at which something changes: zeros, subnormals, smallest and largest normals, around
/// 1, halves, integer limits, infinities, NaNs.
pub const FLOAT_CORNERS: [u32; 44] = [
    0x0000_0000,
    0x8000_0000,
    0x0000_0001,
    0x8000_0001,
    0x0000_0002,
    0x0000_0003,
    0x0040_0000,
    0x007F_FFFF,
    0x807F_FFFF,
    0x0080_0000,
    0x8080_0000,
    0x0080_0001,
    0x00FF_FFFF,
    0x0100_0000,
    0x3380_0000,
    0x3380_0001,
    0x3400_0000,
    0x3F00_0000,
    0xBF00_0000,
    0x3F00_0001,
    0x3F7F_FFFF,
    0xBF7F_FFFF,
    0x3F80_0000,
    0xBF80_0000,
    0x3F80_0001,
    0x3FC0_0000,
    0x4000_0000,
    0x4020_0000,
    0x4B00_0000,
    0x4B7F_FFFF,
    0x4B80_0000,
    0xCB80_0001,
    0x4EFF_FFFF,
    0x4F00_0000,
    0xCF00_0000,
    0xCF00_0001,
    0x4F7F_FFFF,
    0x4F80_0000,
    0x7F7F_FFFF,
    0xFF7F_FFFF,
    0x7F80_0000,
    0xFF80_0000,
    0x7FC0_0000,
    0xFF80_0001,
];

/// Integers at which something changes.
pub const INTEGER_CORNERS: [u32; 20] = [
    0,
    1,
    2,
    3,
    31,
    32,
    33,
    0x7FFF,
    0x8000,
    0xFFFF,
    0x1_0000,
    0x00FF_FFFF,
    0x0100_0001,
    0x5555_5555,
    0x7FFF_FFFE,
    0x7FFF_FFFF,
    0x8000_0000,
    0x8000_0001,
    0xFFFF_FFFE,
    0xFFFF_FFFF,
];

/// A random f32: any bits, or of a chosen exponent range, subnormal, or with few significant bits,
/// so that ties and cancellation are common.
pub fn random_float(rng: &mut impl Rng) -> u32 {
    let word: u32 = rng.random();
    let sign = word & 0x8000_0000;
    match rng.random_range(0..6) {
        0 => word,
        1 => sign | word & 0x007F_FFFF,
        2 => sign | (rng.random_range(120..136u32) << 23) | word & 0x007F_FFFF,
        3 => sign | (rng.random_range(120..136u32) << 23) | word & 0x007F_0000,
        4 => sign | (rng.random_range(0..30u32) << 23) | word & 0x007F_FFFF & !0 << rng.random_range(0..23),
        _ => FLOAT_CORNERS[rng.random_range(0..FLOAT_CORNERS.len())],
    }
}

/// The one NaN for any NaN.
pub fn canonical(value: f32) -> u32 {
    if value.is_nan() {
        0x7FC0_0000
    } else {
        value.to_bits()
    }
}
