//! Blending of intervals: a component is not one number but all those between two.
//!
//! Written from Vulkan 1.3, 29.1, and the Khronos data format's definition of sRGB. Each blended
//! layer adds what a renderer may round: 1/255 for 8 bits, and half a code of the fragment's
//! colour; two units in the last place of the largest term or of the result for f16. It can be
//! wrong by intervals that grow with each layer.

use crate::number::ulp16;
use crate::scene::{Equation, Factor, Format, Operation, Write};

/// All numbers between two.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// Least.
    pub lo: f64,
    /// Greatest.
    pub hi: f64,
}

/// Four components.
pub type Colour = [Range; 4];

/// Larger than what any target holds.
const ANY: f64 = 1e60;

impl Range {
    /// One number.
    pub const fn of(x: f64) -> Self {
        Self { lo: x, hi: x }
    }

    fn map(self, f: impl Fn(f64) -> f64) -> Self {
        Self { lo: f(self.lo), hi: f(self.hi) }
    }

    fn wider(self, by: f64) -> Self {
        Self { lo: self.lo - by, hi: self.hi + by }
    }

    fn held(self) -> Self {
        self.map(|x| x.clamp(0.0, 1.0))
    }

    fn add(self, other: Self) -> Self {
        Self { lo: self.lo + other.lo, hi: self.hi + other.hi }
    }

    fn sub(self, other: Self) -> Self {
        Self { lo: self.lo - other.hi, hi: self.hi - other.lo }
    }

    fn mul(self, other: Self) -> Self {
        let all = [self.lo * other.lo, self.lo * other.hi, self.hi * other.lo, self.hi * other.hi];
        Self {
            lo: all.into_iter().fold(f64::INFINITY, f64::min),
            hi: all.into_iter().fold(f64::NEG_INFINITY, f64::max),
        }
    }

    fn least(self, other: Self) -> Self {
        Self { lo: self.lo.min(other.lo), hi: self.hi.min(other.hi) }
    }

    fn greatest(self, other: Self) -> Self {
        Self { lo: self.lo.max(other.lo), hi: self.hi.max(other.hi) }
    }

    fn size(self) -> f64 {
        self.lo.abs().max(self.hi.abs())
    }

    /// A component of a fragment; of a NaN nothing is known.
    fn component(x: f32) -> Self {
        if x.is_nan() {
            return Self { lo: -ANY, hi: ANY };
        }
        Self::of(f64::from(x))
    }

    /// Whether a number is one of them, but for the rounding of this arithmetic.
    pub fn holds(self, x: f64) -> bool {
        if self.hi - self.lo >= ANY / 1e9 {
            return true;
        }
        let rounding = 1e-9 * (1.0 + self.size());
        x >= self.lo - rounding && x <= self.hi + rounding
    }
}

/// Light of a code of sRGB, both 0 to 1.
pub fn to_light(code: f64) -> f64 {
    if code <= 0.04045 {
        code / 12.92
    } else {
        ((code + 0.055) / 1.055).powf(2.4)
    }
}

/// The code of a light.
pub fn to_code(light: f64) -> f64 {
    if light <= 0.003_130_8 {
        light * 12.92
    } else {
        1.055 * light.powf(1.0 / 2.4) - 0.055
    }
}

fn factor(factor: Factor, k: usize, s: &Colour, d: &Colour, c: &Colour) -> Range {
    let one = Range::of(1.0);
    match factor {
        Factor::Zero => Range::of(0.0),
        Factor::One => one,
        Factor::Src => s[k],
        Factor::OneMinusSrc => one.sub(s[k]),
        Factor::SrcAlpha => s[3],
        Factor::OneMinusSrcAlpha => one.sub(s[3]),
        Factor::Dst => d[k],
        Factor::OneMinusDst => one.sub(d[k]),
        Factor::DstAlpha => d[3],
        Factor::OneMinusDstAlpha => one.sub(d[3]),
        Factor::SrcAlphaSaturated if k == 3 => one,
        Factor::SrcAlphaSaturated => s[3].least(one.sub(d[3])),
        Factor::Constant => c[k],
        Factor::OneMinusConstant => one.sub(c[k]),
    }
}

/// The result of an equation, and the size of its largest term.
fn blended(e: Equation, k: usize, s: &Colour, d: &Colour, c: &Colour) -> (Range, f64) {
    let (fs, fd) = (factor(e.src, k, s, d, c), factor(e.dst, k, s, d, c));
    let (ps, pd) = (s[k].mul(fs), d[k].mul(fd));
    let size = (s[k].size() * fs.size().max(1.0)).max(d[k].size() * fd.size().max(1.0));
    let out = match e.operation {
        Operation::Add => ps.add(pd),
        Operation::Subtract => ps.sub(pd),
        Operation::ReverseSubtract => pd.sub(ps),
        Operation::Min => s[k].least(d[k]),
        Operation::Max => s[k].greatest(d[k]),
    };
    (out, size)
}

/// A target's colour after a fragment. Of sRGB red, green and blue of `old` are codes, 0 to 1, and
/// those of the fragment light. `slack` is what a value that is stored as f32 may be off.
pub fn written(format: Format, write: &Write, constant: [f32; 4], new: [f32; 4], old: Colour, slack: f64) -> Colour {
    let new = new.map(Range::component);
    let constant = constant.map(|x| Range::of(f64::from(x)));
    let fixed = matches!(format, Format::Unorm8 | Format::Srgb8);
    // A fragment's colour may be rounded to the target's codes before it is blended.
    let rounding = if format == Format::Unorm8 && write.blend.is_some() { 0.5 / 255.0 } else { 0.0 };
    let code = |x: Range| x.held().wider(rounding).held();
    let (s, c) = if fixed { (new.map(code), constant.map(code)) } else { (new, constant) };
    let is_code = |k: usize| format == Format::Srgb8 && k < 3;
    let d: Colour = std::array::from_fn(|k| if is_code(k) { old[k].map(to_light) } else { old[k] });
    std::array::from_fn(|k| {
        if write.mask >> k & 1 == 0 {
            return old[k];
        }
        if format == Format::Float32 {
            return if k == 0 { s[0].wider(slack) } else { old[k] };
        }
        let (out, size) = match write.blend {
            Some(equations) => blended(equations[usize::from(k == 3)], k, &s, &d, &c),
            None => (s[k], s[k].size()),
        };
        match format {
            Format::Unorm8 => out.held().wider(1.0 / 255.0).held(),
            Format::Srgb8 if k < 3 => out.held().map(to_code).wider(1.0 / 255.0).held(),
            Format::Srgb8 => out.held().wider(1.0 / 255.0).held(),
            // A sum of terms of one sign has a larger unit than each of them.
            _ => out.wider(2.0 * ulp16(size.max(out.size()))),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const OVER: [Equation; 2] =
        [Equation { src: Factor::SrcAlpha, dst: Factor::OneMinusSrcAlpha, operation: Operation::Add }; 2];

    fn all(x: f64) -> Colour {
        [Range::of(x); 4]
    }

    #[test]
    fn over_is_the_mean_by_alpha() {
        let write = Write { mask: 15, blend: Some(OVER) };
        let out = written(Format::Unorm8, &write, [0.0; 4], [1.0, 0.5, 0.0, 0.25], all(0.2), 0.0);
        for (k, want) in [0.4, 0.275, 0.15].into_iter().enumerate() {
            assert!(out[k].holds(want) && !out[k].holds(want + 0.01) && !out[k].holds(want - 0.01));
        }
        let masked = written(Format::Unorm8, &Write { mask: 2, ..write }, [0.0; 4], [1.0; 4], all(0.2), 0.0);
        assert!(masked[0] == Range::of(0.2) && masked[1].holds(1.0));
    }

    #[test]
    fn light_is_blended_and_codes_are_kept() {
        let write = Write { mask: 15, blend: None };
        let out = written(Format::Srgb8, &write, [0.0; 4], [0.5; 4], all(0.0), 0.0);
        assert!(out[0].holds(188.0 / 255.0) && out[3].holds(0.5) && !out[0].holds(0.5));
        assert!((to_light(to_code(0.3)) - 0.3).abs() < 1e-6);
    }

    #[test]
    fn floats_are_not_held() {
        let add = Equation { src: Factor::One, dst: Factor::One, operation: Operation::Add };
        let write = Write { mask: 15, blend: Some([add; 2]) };
        let out = written(Format::Float16, &write, [0.0; 4], [2.0; 4], all(1.5), 0.0);
        assert!(out[0].holds(3.5) && !out[0].holds(3.51));
        // 0.49 + 0.49: the sum's last place is twice that of its terms.
        let out = written(Format::Float16, &write, [0.0; 4], [0.49; 4], all(0.49), 0.0);
        assert!(out[0].holds(0.98 + 9e-4) && !out[0].holds(0.98 + 11e-4));
        let out = written(Format::Float32, &Write { mask: 1, blend: None }, [0.0; 4], [2.0; 4], all(0.0), 0.0);
        assert!(out[0].holds(2.0) && out[1] == Range::of(0.0));
    }
}
