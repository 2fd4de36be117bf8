//! The text of `docs/float/tables.csv` and `docs/float/vectors.csv`, for the example that writes
//! them and the test that compares them.
//!
//! Vectors are corner values, cases where a rule of `docs/float.md` decides, and seeded random
//! inputs. Their results come from the golden model: they detect a departure, they do not prove it
//! right (the oracle tests and the exhaustive run do).

use std::fmt::Write;

use quadlock_golden::float as f;
use quadlock_golden::float::table::Table;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Every table, one line per interval.
pub fn tables() -> String {
    let mut text = String::from("table,interval,c0,c1,c2\n");
    for table in Table::ALL {
        for (i, c) in table.coefficients().iter().enumerate() {
            writeln!(text, "{},{i},{},{},{}", table.name(), c.c0, c.c1, c.c2).expect("a string takes any text");
        }
    }
    text
}

/// Inputs that every one-operand f32 operation gets.
const COMMON: [u32; 24] = [
    0x0000_0000,
    0x8000_0000,
    0x0000_0001,
    0x8000_0001,
    0x007F_FFFF,
    0x0080_0000,
    0x7F80_0000,
    0xFF80_0000,
    0x7F80_0001,
    0x7FC0_0000,
    0xFFFF_FFFF,
    0x7F7F_FFFF,
    0xFF7F_FFFF,
    0x3F80_0000,
    0xBF80_0000,
    0x3F7F_FFFF,
    0x3F80_0001,
    0x4000_0000,
    0x3F00_0000,
    0xBF00_0000,
    0x3FC0_0000,
    0x4020_0000,
    0x3EFF_FFFF,
    0xC020_0000,
];

type One = fn(u32) -> u32;
type Two = fn(u32, u32) -> u32;

/// Name, function, further directed inputs, range of exponent fields for random inputs.
type OneOperand = (&'static str, One, &'static [u32], (u32, u32));
type TwoOperands = (&'static str, Two, (u32, u32));

const ONE_OPERAND: [OneOperand; 21] = [
    ("sqrt", f::sqrt, &[0x4080_0000, 0x4110_0000, 0x407F_FFFF, 0x0000_0002], (0, 255)),
    ("floor", f::floor, &[0xBF7F_FFFF, 0x4B00_0000, 0x4AFF_FFFF, 0xCAFF_FFFF], (120, 152)),
    ("ceil", f::ceil, &[0xBF7F_FFFF, 0x4B00_0000, 0x4AFF_FFFF, 0xCAFF_FFFF], (120, 152)),
    ("trunc", f::trunc, &[0xBF7F_FFFF, 0x4B00_0000, 0x4AFF_FFFF, 0xCAFF_FFFF], (120, 152)),
    ("round_even", f::round_even, &[0x3F00_0001, 0x4060_0000, 0x4AFF_FFFF, 0x4B00_0001], (120, 152)),
    ("fract", f::fract, &[0xB300_0000, 0xB300_0001, 0xBF7F_FFFF, 0xC0A0_0001, 0x4B00_0001], (100, 152)),
    (
        "f32_to_f16",
        f::f32_to_f16,
        &[
            0x477F_EFFF,
            0x477F_F000,
            0x477F_E000,
            0x3300_0000,
            0x3300_0001,
            0x3380_0000,
            0x387F_E000,
            0x387F_F000,
            0x3F80_1000,
            0x3F80_3000,
        ],
        (100, 144),
    ),
    (
        "f16_to_f32",
        f::f16_to_f32,
        &[0x0001, 0x03FF, 0x0400, 0x3C00, 0x7BFF, 0x7C00, 0xFC00, 0x7C01, 0x7E00, 0x8000, 0xABCD_3C01],
        (0, 0),
    ),
    ("unorm8_encode", f::unorm8_encode, &[0x3B00_8080, 0x3B00_8081, 0x3F7F_7F7F, 0x3F00_8081], (110, 127)),
    ("unorm16_encode", f::unorm16_encode, &[0x3700_0080, 0x3700_0081, 0x3F7F_FF7F], (105, 127)),
    ("snorm8_encode", f::snorm8_encode, &[0x3B81_0204, 0xBB81_0204, 0xBB81_0205, 0xBB81_0203, 0xC000_0000], (110, 127)),
    ("snorm16_encode", f::snorm16_encode, &[0x3780_0100, 0xB780_0100, 0xB780_0101, 0xC000_0000], (105, 127)),
    ("unorm8_decode", f::unorm8_decode, &[0x0000_0080, 0x0000_00FF, 0x1234_5601], (0, 0)),
    ("unorm16_decode", f::unorm16_decode, &[0x0000_8000, 0x0000_FFFF, 0x1234_0001], (0, 0)),
    ("snorm8_decode", f::snorm8_decode, &[0x0000_0080, 0x0000_0081, 0x0000_007F, 0x0000_00FF], (0, 0)),
    ("snorm16_decode", f::snorm16_decode, &[0x0000_8000, 0x0000_8001, 0x0000_7FFF, 0x0000_FFFF], (0, 0)),
    ("rcp", f::rcp, &[0x0020_0000, 0x0020_0001, 0x7E80_0000, 0x7F00_0000, 0x3FFF_FFFF], (0, 254)),
    ("rsqrt", f::rsqrt, &[0x4080_0000, 0x0000_0002, 0x407F_FFFF], (0, 254)),
    (
        "exp2",
        f::exp2,
        &[0x42FF_FFFF, 0x4300_0000, 0xC315_FFFF, 0xC316_0000, 0xC315_0000, 0xC2FC_0000, 0x33FF_FFFF, 0xB300_0000],
        (100, 134),
    ),
    ("log2", f::log2, &[0x3FBF_FFFF, 0x3FC0_0001, 0x3F40_0000, 0x3F3F_FFFF, 0x4700_0000], (0, 254)),
    (
        "sin",
        f::sin,
        &[
            0x397F_FFFF,
            0x3980_0000,
            0x3EFF_FFFF,
            0x3F49_0FDA,
            0x3F49_0FDB,
            0x3FC9_0FDA,
            0x3FC9_0FDB,
            0x4049_0FDB,
            0x40C9_0FDB,
            0x7F5D_5F6A,
        ],
        (110, 254),
    ),
];

const COS: [u32; 10] = [
    0x3980_0000,
    0x38FF_FFFF,
    0x3F49_0FDA,
    0x3F49_0FDB,
    0x3FC9_0FDA,
    0x3FC9_0FDB,
    0x4049_0FDB,
    0x40C9_0FDB,
    0x4B00_0000,
    0x7F5D_5F6A,
];

const DIVISIONS: [(u32, u32); 16] = [
    (0x3F80_0000, 0x4040_0000),
    (0x0000_0000, 0x0000_0000),
    (0x8000_0000, 0x3F80_0000),
    (0x3F80_0000, 0x8000_0000),
    (0x7F80_0000, 0x7F80_0000),
    (0x7F80_0000, 0xBF80_0000),
    (0x3F80_0000, 0xFF80_0000),
    (0x7FC0_0001, 0x3F80_0000),
    (0x7F7F_FFFF, 0x0000_0001),
    (0x0000_0001, 0x4000_0000),
    (0x0000_0003, 0x4000_0000),
    (0x0080_0001, 0x4000_0000),
    (0x00FF_FFFF, 0x4000_0000),
    (0x3F7F_FFFF, 0x3F7F_FFFE),
    (0x3FFF_FFFF, 0x3F80_0001),
    (0x0000_0001, 0x7F7F_FFFF),
];

/// The vectors: operation, operands, result, all in hexadecimal; the second operand is empty if
/// there is none.
pub fn vectors() -> String {
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let mut text = String::from("op,a,b,result\n");
    let mut line = |op: &str, a: u32, b: Option<u32>, result: u32| {
        let b = b.map(|b| format!("{b:08x}")).unwrap_or_default();
        writeln!(text, "{op},{a:08x},{b},{result:08x}").expect("a string takes any text");
    };
    let mut random = |(low, high): (u32, u32)| match high {
        0 => rng.random(),
        _ => rng.random::<u32>() & 0x807F_FFFF | rng.random_range(low..=high) << 23,
    };
    let cos: OneOperand = ("cos", f::cos, &COS, (110, 254));
    for (op, function, directed, fields) in ONE_OPERAND.into_iter().chain([cos]) {
        let random: Vec<u32> = (0..32).map(|_| random(fields)).collect();
        for a in COMMON.iter().chain(directed).copied().chain(random) {
            line(op, a, None, function(a));
        }
    }
    let two: [TwoOperands; 2] = [("div", f::div, (64, 190)), ("pack2x16float", f::pack2x16float, (100, 144))];
    for (op, function, fields) in two {
        let random: Vec<(u32, u32)> = (0..32).map(|_| (random(fields), random(fields))).collect();
        for (a, b) in DIVISIONS.into_iter().chain(random) {
            line(op, a, Some(b), function(a, b));
        }
    }
    text
}
