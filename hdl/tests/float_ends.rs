//! The two ends of the function unit: an f32 taken apart and normalised, and put together again
//! with rounding, against native conversions.

use crate::common::lane::{random_float, FLOAT_CORNERS};
use quadlock_hdl::base::testing::Bench;
use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::fault::Fault;
use quadlock_hdl::float::pack::Pack;
use quadlock_hdl::float::unpack_normal::UnpackNormal;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Cycles from the operand to what it gives, of both blocks.
const LATENCY: usize = 2;

/// Back to back: significand * 2^(exponent - 23) is the operand, and the flags say what is none.
#[test]
fn operands_are_normalised() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut words = FLOAT_CORNERS.to_vec();
    // Every place of the leading one of a subnormal.
    words.extend((0..23).flat_map(|k| [1 << k, 1 << k | 1, (2 << k) - 1, 1 << 31 | 1 << k]));
    words.extend((0..20_000).map(|_| random_float(&mut rng)));
    let mut bench = Bench::new(UnpackNormal::default(), |b| &mut b.clock);
    for (cycle, &next) in words.iter().chain(&[0; LATENCY - 1]).enumerate() {
        bench.word.next = u64::from(next).into();
        bench.cycle();
        let Some(at) = (cycle + 1).checked_sub(LATENCY) else { continue };
        let (word, value) = (words[at], f64::from(f32::from_bits(words[at])));
        assert_eq!(bench.number_ports.sign.val(), word >> 31 == 1, "{word:#x}");
        assert_eq!(bench.number_ports.zero.val(), value == 0.0, "{word:#x}");
        assert_eq!(bench.number_ports.infinite.val(), value.is_infinite(), "{word:#x}");
        assert_eq!(bench.number_ports.nan.val(), value.is_nan(), "{word:#x}");
        if value.is_finite() && value != 0.0 {
            let significand = bench.number_ports.significand.val().to_u32();
            let exponent = (bench.number_ports.exponent.val().to_u32() as i32) << 22 >> 22;
            assert_eq!(significand >> 23, 1, "{word:#x}");
            assert_eq!(f64::from(significand) * 2f64.powi(exponent - 23), value.abs(), "{word:#x}");
        }
    }
}

/// Sign, exponent, significand with guard bit, sticky bit.
type Parts = (bool, i32, u32, bool);

/// The f32 by the host's conversion from f64, which is exact: the sticky bit stands for half of the
/// guard bit, which rounds the same.
fn packed((sign, exponent, significand, sticky): Parts) -> u32 {
    let magnitude = f64::from(significand << 1 | u32::from(sticky)) * 2f64.powi(exponent - 25);
    (if sign { -magnitude } else { magnitude } as f32).to_bits()
}

fn pack(config: &GpuConfig, parts: &[Parts]) -> Vec<u32> {
    let mut bench = Bench::new(Pack::new(config), |b| &mut b.clock);
    let mut values = vec![];
    for &(sign, exponent, significand, sticky) in parts.iter().chain(&[parts[0]; LATENCY - 1]) {
        bench.sign.next = sign;
        bench.exponent.next = (exponent as u64 & 0x3FF).into();
        bench.significand.next = u64::from(significand).into();
        bench.sticky.next = sticky;
        bench.cycle();
        values.push(bench.value.val().to_u32());
    }
    values.split_off(LATENCY - 1)
}

/// Every exponent with ties, their neighbours and carries at every place where rounding can happen.
fn all_parts() -> Vec<Parts> {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let mut parts = vec![];
    for exponent in -200..=140 {
        let mut significands = vec![1 << 24, 1 << 24 | 1, 1 << 24 | 2, 1 << 24 | 3, 0x1FF_FFFF, 0x1FF_FFFE, 0x1FF_FFFD];
        for place in 0..25 {
            let tie = (1 << 24) | ((rng.random::<u32>() & 0xFF_FFFF) >> place << place) | (1 << place);
            significands.extend([tie, tie.wrapping_add(1), tie - 1].map(|s| s & 0x1FF_FFFF | 1 << 24));
        }
        parts.extend(
            significands
                .into_iter()
                .flat_map(|s| [(rng.random(), exponent, s, false), (rng.random(), exponent, s, true)]),
        );
    }
    for exponent in [-512, -400, -384, -256, 141, 200, 256, 385] {
        parts.extend([(false, exponent, 1 << 24, false), (true, exponent, 0x1FF_FFFF, true)]);
    }
    parts
}

#[test]
fn results_are_rounded_once() {
    let parts = all_parts();
    for (&parts, seen) in parts.iter().zip(pack(&GpuConfig::default(), &parts)) {
        assert_eq!(seen, packed(parts), "{parts:x?}: seen {seen:#x}");
    }
}

/// NaN before infinity before zero; sign of all but the NaN.
#[test]
fn special_results_ignore_the_magnitude() {
    let mut bench = Bench::new(Pack::new(&GpuConfig::default()), |b| &mut b.clock);
    for case in 0..1 << 4 {
        let flag = |bit: u32| case >> bit & 1 == 1;
        bench.sign.next = flag(0);
        bench.zero.next = flag(1);
        bench.infinite.next = flag(2);
        bench.nan.next = flag(3);
        bench.exponent.next = 0x3F0u64.into();
        bench.significand.next = 0x1FF_FFFFu64.into();
        bench.sticky.next = true;
        (0..LATENCY).for_each(|_| bench.cycle());
        let sign = case << 31;
        let wanted = match case >> 1 {
            0 => sign | packed((false, -16, 0x1FF_FFFF, true)),
            1 => sign,
            2 | 3 => sign | 0x7F80_0000,
            _ => 0x7FC0_0000,
        };
        assert_eq!(bench.value.val().to_u32(), wanted, "case {case:#b}");
    }
}

#[test]
fn subnormal_fault_shows() {
    let config = GpuConfig { fault: Some(Fault::DivideSubnormal), ..GpuConfig::default() };
    let parts = all_parts();
    let wrong = |p: &&(Parts, u32)| packed(p.0) != p.1;
    let seen: Vec<_> = parts.iter().copied().zip(pack(&config, &parts)).collect();
    assert!(seen.iter().any(|p| wrong(&p)));
    assert!(seen.iter().filter(wrong).all(|p| p.0 .1 < -126));
}
