//! Geometry's float unit and its quotients, on their exported Verilog, beside the host's IEEE
//! arithmetic: corner values of all kinds crossed, and random words. Operations come back to back,
//! so that what travels beside the numbers is tested too.

use quadlock_golden::graphics::arith;
use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::fault::Fault;
use quadlock_rtlsim::Simulation;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::common::machine::simulation;

const CORNERS: [u32; 24] = [
    0,
    0x8000_0000,
    1,
    0x8000_0001,
    0x0000_0002,
    0x007F_FFFF,
    0x807F_FFFF,
    0x0080_0000,
    0x0080_0001,
    0x00FF_FFFF,
    0x0C00_0000,
    0x3F7F_FFFF,
    0x3F80_0000,
    0xBF80_0000,
    0x3F80_0001,
    0x3380_0000,
    0x4B40_0000,
    0x4B7F_FFFF,
    0x7E80_0000,
    0x7F7F_FFFF,
    0xFF7F_FFFF,
    0x7F80_0000,
    0xFF80_0000,
    0x7FC0_0000,
];

struct Part {
    top: &'static str,
    simulation: Simulation,
}

impl Part {
    fn new(top: &'static str, config: &GpuConfig) -> Self {
        Self { top, simulation: simulation(top, config) }
    }
    fn set(&mut self, port: &str, value: u64) {
        let handle = self.simulation.input(port).unwrap();
        self.simulation.poke(handle, value);
    }
    fn get(&mut self, port: &str) -> u64 {
        let handle = self.simulation.signal(&format!("{}.{port}", self.top)).unwrap();
        self.simulation.peek(handle)
    }
    fn step(&mut self) {
        self.simulation.step().unwrap();
    }
}

/// An operation, what it must give, and what the integer of it must be.
#[derive(Clone, Copy, Debug)]
struct Case {
    words: [u32; 3],
    product: bool,
    number: bool,
    depth: bool,
    value: u32,
    fixed: u32,
}

fn case(words: [u32; 3], product: bool, depth: bool) -> Case {
    let [a, b, c] = words;
    let value = if product { arith::mul(a, b) } else { arith::fma(a, b, c) };
    let f = f64::from(f32::from_bits(value));
    let f = if f.is_nan() { 0.0 } else { f };
    let fixed = if depth {
        (f.clamp(0.0, 1.0) * 64.0 * f64::from(0xFF_FFFF)).round_ties_even()
    } else {
        (f.abs() * 64.0).round_ties_even().min(f64::from(1 << 30))
    };
    Case { words, product, number: false, depth, value, fixed: fixed as u32 }
}

/// A whole number times a power of two.
fn number(value: u64, weight: i32, negative: bool) -> Case {
    let c = (202 + weight) as u32 & 0x3FF | u32::from(negative) << 31;
    let exact = value as f64 * 2f64.powi(weight) * if negative { -1.0 } else { 1.0 };
    // 50 bits and the exponent fit f64 exactly.
    let rounded = exact as f32;
    let fixed = (f64::from(rounded).abs() * 64.0).round_ties_even().min(f64::from(1 << 30)) as u32;
    let words = [value as u32, (value >> 32) as u32, c];
    Case { words, product: false, number: true, depth: false, value: rounded.to_bits(), fixed }
}

fn random_word(rng: &mut ChaCha8Rng) -> u32 {
    match rng.random_range(0..4) {
        0 => CORNERS[rng.random_range(0..CORNERS.len())],
        1 => rng.random(),
        2 => rng.random::<u32>() & 0x807F_FFFF | rng.random_range(100..150) << 23,
        _ => rng.random::<u32>() & 0x8000_0FFF | rng.random_range(0..255) << 23,
    }
}

fn cases(random: usize) -> Vec<Case> {
    let mut cases = vec![];
    for a in CORNERS {
        for b in CORNERS {
            for c in CORNERS {
                cases.push(case([a, b, c], false, false));
            }
            cases.push(case([a, b, 0x1234_5678], true, true));
        }
    }
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    for n in 0..random {
        let words = std::array::from_fn(|_| random_word(&mut rng));
        cases.push(case(words, n % 3 == 0, n % 2 == 0));
        // Near cancellation, and depths.
        let a = f32::from_bits(0x3F80_0000 | rng.random_range(0..0x80_0000));
        let b = f32::from_bits(0x3F80_0000 | rng.random_range(0..0x80_0000));
        let c = -(a * b) * [1.0, 0.5, 2.0][rng.random_range(0..3)];
        cases.push(case([a, b, c].map(f32::to_bits), false, true));
        let z = rng.random_range(-0.1..1.1f32) * [1.0, 1e-3, 1e-6, 1e-9][rng.random_range(0..4)];
        cases.push(case([z.to_bits(), 0x3F80_0000, 0], false, true));
        let bias = rng.random_range(-1.0..1.0f32) * [1.0, 100.0, 3e6, 3e7, 1e10][rng.random_range(0..5)];
        cases.push(case([bias.to_bits(), 0x3F80_0000, 0], false, false));
        cases.push(number(rng.random::<u64>() >> rng.random_range(14..64), 0, false));
        cases.push(number(rng.random::<u64>() >> rng.random_range(14..64), rng.random_range(-190..70), n % 2 == 0));
    }
    cases
}

fn run_float(config: &GpuConfig, random: usize) -> Result<(), String> {
    let mut part = Part::new("geometry_float", config);
    let cases = cases(random);
    for at in 0..cases.len() + 13 {
        if let Some(c) = cases.get(at) {
            for (port, word) in ["a", "b", "c"].into_iter().zip(c.words) {
                part.set(port, word.into());
            }
            part.set("product", c.product.into());
            part.set("number", c.number.into());
            part.set("depth", c.depth.into());
            part.set("tag", at as u64 & 15);
        }
        part.simulation.settle();
        if let Some(c) = at.checked_sub(10).and_then(|k| cases.get(k)) {
            let (seen, tag) = (part.get("value") as u32, part.get("value_tag"));
            if seen != c.value || tag != (at as u64 - 10) & 15 {
                return Err(format!("{c:08x?}: {seen:#x}, tag {tag}"));
            }
        }
        if let Some(c) = at.checked_sub(13).and_then(|k| cases.get(k)) {
            let (seen, tag) = (part.get("fixed") as u32, part.get("fixed_tag"));
            if seen != c.fixed || tag != (at as u64 - 13) & 15 {
                return Err(format!("{c:08x?}: integer {seen:#x}, tag {tag}"));
            }
        }
        part.step();
    }
    Ok(())
}

#[test]
fn operations_are_the_hosts() {
    run_float(&GpuConfig::default(), 60_000).unwrap();
}

fn run_reciprocal(config: &GpuConfig) -> Result<(), String> {
    let mut part = Part::new("reciprocal", config);
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    for n in 0..20_000u32 {
        // Zero, infinite, NaN, and where operand or result becomes subnormal.
        const ENDS: [u32; 16] = [
            0,
            1,
            0x001F_FFFF,
            0x0020_0000,
            0x0020_0001,
            0x003F_FFFF,
            0x0040_0000,
            0x007F_FFFF,
            0x0080_0000,
            0x7E80_0000,
            0x7E80_0001,
            0x7F00_0000,
            0x7F00_0001,
            0x7F7F_FFFF,
            0x7F80_0000,
            0x7FC0_0001,
        ];
        let word = match n % 8 {
            0 => rng.random_range(2..252u32) << 23,
            1 => rng.random_range(2..252u32) << 23 | 0x7F_FFFF,
            2 => ENDS[n as usize / 8 % 16] | (n & 128) << 24,
            3 => rng.random_range(0..0x0100_0000u32) | (n & 8) << 28,
            4 => rng.random_range(0x7E00_0000..0x8000_0000u32) | (n & 8) << 28,
            _ => rng.random_range(0x0100_0000..0x7E00_0000u32) | (n & 8) << 28,
        };
        part.set("start", 1);
        part.set("operand", word.into());
        part.step();
        part.set("start", 0);
        part.set("operand", rng.random::<u32>().into());
        for _ in 0..14 {
            part.step();
        }
        part.simulation.settle();
        let (seen, expected) = (part.get("value") as u32, arith::div(0x3F80_0000, word));
        if seen != expected {
            return Err(format!("1 / {word:#x}: {seen:#x}, it is {expected:#x}"));
        }
        part.step();
    }
    Ok(())
}

#[test]
fn reciprocals_are_the_hosts() {
    run_reciprocal(&GpuConfig::default()).unwrap();
}

/// The quotient unit, and behind it the float unit that rounds.
#[test]
fn quotients_are_the_hosts() {
    let config = GpuConfig::default();
    let (mut divide, mut float) = (Part::new("geometry_quotient", &config), Part::new("geometry_float", &config));
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let mut pairs: Vec<(u32, u32)> = CORNERS.iter().flat_map(|&a| CORNERS.map(|b| (a, b))).collect();
    pairs.extend((0..6_000).map(|_| (random_word(&mut rng), random_word(&mut rng))));
    for (a, b) in pairs {
        divide.set("start", 1);
        divide.set("a", a.into());
        divide.set("b", b.into());
        divide.step();
        divide.set("start", 0);
        divide.simulation.settle();
        let mut cycles = 1;
        while divide.get("done") == 0 {
            divide.step();
            divide.simulation.settle();
            cycles += 1;
            assert!(cycles < 80, "{a:#x} / {b:#x} does not end");
        }
        let seen = if divide.get("special") == 1 {
            divide.get("value") as u32
        } else {
            float.set("number", 1);
            let (number, exponent) = (divide.get("number"), divide.get("exponent"));
            float.set("a", number);
            float.set("b", 0);
            float.set("c", exponent);
            for _ in 0..10 {
                float.step();
            }
            float.simulation.settle();
            float.get("value") as u32
        };
        assert_eq!(seen, arith::div(a, b), "{a:#x} / {b:#x}");
    }
}

#[test]
fn planted_faults_of_the_arithmetic_are_caught() {
    let with = |fault| GpuConfig { fault: Some(fault), ..GpuConfig::default() };
    assert!(run_float(&with(Fault::GeometryRound), 100).is_err());
    assert!(run_reciprocal(&with(Fault::GeometryDigit)).is_err());
}
