//! What samples become, from docs/graphics.md: bytes as integers, sRGB by the page's formula in
//! f64, floats by native f32 and, for halves, by `rustc_apfloat`.

use rustc_apfloat::ieee::{Half, Single};
use rustc_apfloat::{Float, FloatConvert, Round};

fn light(code: u32) -> u32 {
    let v = f64::from(code) / 255.0;
    let linear = if v <= 0.04045 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) };
    (65535.0 * linear).round() as u32
}

fn code(value: u32) -> u32 {
    let least = |c: u32| {
        let v = (f64::from(c) - 0.5) / 255.0;
        65535.0 * if v <= 0.04045 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) }
    };
    (1..256).filter(|&c| f64::from(value) >= least(c)).count() as u32
}

fn integer(samples: impl Iterator<Item = u32>, n: u32) -> u32 {
    (samples.sum::<u32>() + n / 2) / n
}

fn canonical(value: f32) -> f32 {
    if value.is_nan() {
        f32::from_bits(0x7FC0_0000)
    } else {
        value
    }
}

fn float(samples: impl Iterator<Item = f32>, n: u32) -> f32 {
    let sum = samples.reduce(|a, b| canonical(a + b)).unwrap();
    canonical(sum * (1.0 / n as f32))
}

fn widened(half: u32) -> f32 {
    let half = Half::from_bits(u128::from(half & 0xFFFF));
    let single: Single = half.convert(&mut false).value;
    canonical(f32::from_bits(single.to_bits() as u32))
}

fn narrowed(value: f32) -> u32 {
    if value.is_nan() {
        return 0x7E00;
    }
    let half: Half =
        Single::from_bits(u128::from(value.to_bits())).convert_r(Round::NearestTiesToEven, &mut false).value;
    half.to_bits() as u32
}

/// The mean of words of a pixel's samples; format as in the pass record, of rgba16float one of the
/// two words.
pub fn mean(format: u32, samples: &[u32]) -> u32 {
    let n = samples.len() as u32;
    let byte = |k: u32| samples.iter().map(move |w| w >> (8 * k) & 0xFF);
    match format {
        0 => (0..4).map(|k| integer(byte(k), n) << (8 * k)).sum(),
        1 => {
            let colour = |k: u32| code(integer(byte(k).map(light), n)) << (8 * k);
            let alpha = integer(byte(3).map(|a| 257 * a), n);
            (0..3).map(colour).sum::<u32>() | ((510 * alpha + 65535) / 131_070) << 24
        }
        2 => {
            let half = |shift: u32| narrowed(float(samples.iter().map(move |w| widened(w >> shift)), n));
            half(0) | half(16) << 16
        }
        _ => float(samples.iter().map(|&w| f32::from_bits(w)), n).to_bits(),
    }
}
