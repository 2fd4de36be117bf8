//! What a blended pixel is, from docs/graphics.md: exact quotients of integers, tables of sRGB from
//! the formula with a margin, floats by the host's IEEE operations and an independent f16.

use rustc_apfloat::ieee::{Half, Single};
use rustc_apfloat::{Float, FloatConvert, Round};

pub const UNORM: u32 = 0;
pub const SRGB: u32 = 1;
pub const HALF: u32 = 2;
pub const R32: u32 = 3;

/// Nearest byte or word to p / most, halves up, at most `most`.
fn quotient(p: u64, most: u64) -> u64 {
    ((2 * p + most) / (2 * most)).min(most)
}

/// One component of integers; `s` and `d` are whole pixels.
fn unorm(code: [u32; 3], k: usize, s: [u64; 4], d: [u64; 4], c: [u64; 4], most: u64) -> u64 {
    let factor = |code: u32| match code {
        0 => 0,
        1 => most,
        2 => s[k],
        3 => most - s[k],
        4 => s[3],
        5 => most - s[3],
        6 => d[k],
        7 => most - d[k],
        8 => d[3],
        9 => most - d[3],
        10 if k == 3 => most,
        10 => s[3].min(most - d[3]),
        11 => c[k],
        12 => most - c[k],
        _ => panic!("factor {code}"),
    };
    let (ps, pd) = (s[k] * factor(code[0]), d[k] * factor(code[1]));
    match code[2] {
        0 => quotient(ps + pd, most),
        1 => quotient(ps.saturating_sub(pd), most),
        2 => quotient(pd.saturating_sub(ps), most),
        3 => s[k].min(d[k]),
        4 => s[k].max(d[k]),
        other => panic!("operation {other}"),
    }
}

/// Source factor, destination factor, operation of component k.
fn code(equation: u32, k: usize) -> [u32; 3] {
    if k < 3 {
        [equation >> 5 & 15, equation >> 9 & 15, equation >> 13 & 7]
    } else {
        [equation >> 16 & 15, equation >> 20 & 15, equation >> 24 & 7]
    }
}

/// lin(v) of docs/graphics.md.
fn lin(v: f64) -> f64 {
    if v <= 0.04045 {
        v / 12.92
    } else {
        ((v + 0.055) / 1.055).powf(2.4)
    }
}

/// A number of which the rounding is beyond doubt.
fn sure(x: f64, border: f64) -> f64 {
    let from = (x - border).rem_euclid(1.0);
    assert!(from > 1e-6 && from < 1.0 - 1e-6, "{x} is too near to its border");
    x
}

/// 16 bits of code c.
pub fn decoded(c: u32) -> u64 {
    match c {
        0 => 0,
        255 => 65535,
        c => sure(65535.0 * lin(f64::from(c) / 255.0), 0.5).round() as u64,
    }
}

/// The least 16 bits of code c, for c from 1 on.
fn least(c: u32) -> u64 {
    sure(65535.0 * lin((f64::from(c) - 0.5) / 255.0), 0.0).ceil() as u64
}

/// Both tables.
pub struct Tables {
    pub decode: [u64; 256],
    least: [u64; 256],
}

impl Tables {
    pub fn new() -> Self {
        Self {
            decode: std::array::from_fn(|c| decoded(c as u32)),
            least: std::array::from_fn(|c| if c == 0 { 0 } else { least(c as u32) }),
        }
    }

    /// The code of 16 bits.
    pub fn encode(&self, l: u64) -> u64 {
        (1..256).filter(|&c| l >= self.least[c]).count() as u64
    }
}

fn widen(h: u16) -> f32 {
    let mut lost = false;
    let single: Single = Half::from_bits(h.into()).convert(&mut lost).value;
    f32::from_bits(single.to_bits() as u32)
}

fn narrow(x: f32) -> u16 {
    if x.is_nan() {
        return 0x7E00;
    }
    let mut lost = false;
    let half: Half = Single::from_bits(x.to_bits().into()).convert_r(Round::NearestTiesToEven, &mut lost).value;
    half.to_bits() as u16
}

/// The lesser or the greater as `FMIN` and `FMAX` have it: a NaN loses, -0 is below +0.
fn extreme(a: f32, b: f32, greater: bool) -> f32 {
    match (a.is_nan(), b.is_nan()) {
        (true, _) => b,
        (_, true) => a,
        _ => {
            let a_first = a < b || (a == b && a.is_sign_negative());
            if a_first == greater {
                b
            } else {
                a
            }
        }
    }
}

fn float(code: [u32; 3], k: usize, s: [f32; 4], d: [f32; 4], c: [f32; 4]) -> f32 {
    let factor = |code: u32| match code {
        0 => 0.0,
        1 => 1.0,
        2 => s[k],
        3 => 1.0 - s[k],
        4 => s[3],
        5 => 1.0 - s[3],
        6 => d[k],
        7 => 1.0 - d[k],
        8 => d[3],
        9 => 1.0 - d[3],
        10 if k == 3 => 1.0,
        10 => extreme(s[3], 1.0 - d[3], false),
        11 => c[k],
        12 => 1.0 - c[k],
        _ => panic!("factor {code}"),
    };
    let (ps, pd) = (s[k] * factor(code[0]), d[k] * factor(code[1]));
    match code[2] {
        0 => ps + pd,
        1 => ps - pd,
        2 => pd - ps,
        3 => extreme(s[k], d[k], false),
        4 => extreme(s[k], d[k], true),
        other => panic!("operation {other}"),
    }
}

/// A pixel's components of n bits out of its words.
fn parts(words: [u32; 2], n: u32) -> [u64; 4] {
    let all = u64::from(words[0]) | u64::from(words[1]) << 32;
    std::array::from_fn(|k| all >> (n * k as u32) & ((1 << n) - 1))
}

fn joined(parts: [u64; 4], n: u32) -> [u32; 2] {
    let all = (0..4).fold(0, |all, k| all | parts[k] << (n * k as u32));
    [all as u32, (all >> 32) as u32]
}

/// The words of the pixel after a fragment of words `s` came to words `d`.
pub fn pixel(tables: &Tables, format: u32, equation: u32, s: [u32; 2], d: [u32; 2], constant: [u32; 2]) -> [u32; 2] {
    let blends = equation >> 4 & 1 == 1;
    let n = if format == HALF { 16 } else { 8 };
    let old = parts(d, n);
    let new: [u64; 4] = match format {
        UNORM if blends => {
            let (s, c) = (parts(s, 8), parts(constant, 8));
            std::array::from_fn(|k| unorm(code(equation, k), k, s, old, c, 255))
        }
        SRGB => {
            let (s, c) = (parts(s, 16), parts(constant, 16));
            let wide = [
                tables.decode[old[0] as usize],
                tables.decode[old[1] as usize],
                tables.decode[old[2] as usize],
                257 * old[3],
            ];
            let value = |k| if blends { unorm(code(equation, k), k, s, wide, c, 65535) } else { s[k] };
            std::array::from_fn(|k| if k < 3 { tables.encode(value(k)) } else { (510 * value(3) + 65535) / 131070 })
        }
        HALF if blends => {
            let f = |p: [u64; 4]| p.map(|h| widen(h as u16));
            let (s, c) = (f(parts(s, 16)), f(parts(constant, 16)));
            std::array::from_fn(|k| u64::from(narrow(float(code(equation, k), k, s, f(old), c))))
        }
        R32 => return [if equation & 1 == 1 { s[0] } else { d[0] }, d[1]],
        _ => parts(s, n),
    };
    joined(std::array::from_fn(|k| if equation >> k & 1 == 1 { new[k] } else { old[k] }), n)
}
