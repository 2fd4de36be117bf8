//! Pictures of targets: from quads in memory to pixels, PNG, and the comparison with a picture.
//!
//! A picture shows a colour target, depth or stencil, and of several samples one, or of colours
//! what is resolved. Depth is a colour of 24 bits, so that nothing of it is lost. Wrong would be a
//! plane taken for another, which the comparison with another renderer shows.

use quadlock_golden::float::{f16_to_f32, unorm8_encode};

use crate::job::picture::Picture;
use crate::scene::file::shown::{Part, Shown};
use crate::scene::file::spec::FormatName;
use crate::scene::machine::layout::Frame;

impl Frame {
    /// Whether there is such a picture at the end.
    ///
    /// # Errors
    /// What is missing, in words.
    pub fn can_show(&self, shown: Shown) -> Result<(), String> {
        let none = || format!("the scene has no {shown}");
        let kept = match shown.part {
            Part::Colour(n) => {
                let [resolved, samples] = self.targets.get(n).ok_or_else(none)?.kept;
                if shown.sample.is_some() {
                    samples
                } else {
                    resolved
                }
            }
            Part::Depth | Part::Stencil => self.depth.ok_or_else(none)?.kept,
        };
        if shown.sample.is_some_and(|s| s >= self.samples) {
            return Err(format!("{} samples, and no {shown}", self.samples));
        }
        if !kept {
            return Err(format!("the last pass with {shown} discards it"));
        }
        Ok(())
    }

    /// Words of a pixel, low and high.
    pub(crate) fn words(&self, word: &dyn Fn(u32) -> u32, shown: Shown, x: u32, y: u32) -> [u32; 2] {
        let at = 16 * (y / 2 * self.row + x / 2) + 4 * (2 * (y & 1) + (x & 1));
        let plane = 16 * self.row * self.height.div_ceil(2);
        let sample = shown.sample.unwrap_or(0);
        match (shown.part, shown.sample) {
            (Part::Colour(n), sample) => {
                let target = self.targets[n];
                let (address, sample, samples) = match sample {
                    None => (target.address, 0, 1),
                    Some(s) => (target.samples, s, self.samples),
                };
                let high = target.format == FormatName::Rgba16float;
                let of = |w: u32| word(address + plane * (w * samples + sample) + at);
                [of(0), if high { of(1) } else { 0 }]
            }
            _ => [word(self.depth.map_or(0, |d| d.address) + plane * sample + at), 0],
        }
    }

    /// A picture as red, green, blue, alpha of 8 bits, row by row. `word` reads memory.
    pub fn pixels(&self, word: &dyn Fn(u32) -> u32, shown: Shown) -> Vec<[u8; 4]> {
        let places = (0..self.height).flat_map(|y| (0..self.width).map(move |x| (x, y)));
        places
            .map(|(x, y)| {
                let [low, high] = self.words(word, shown, x, y);
                let format = match shown.part {
                    Part::Depth => return [(low >> 16) as u8, (low >> 8) as u8, low as u8, 255],
                    Part::Stencil => {
                        let grey = (low >> 24) as u8;
                        return [grey, grey, grey, 255];
                    }
                    Part::Colour(n) => self.targets[n].format,
                };
                match format {
                    FormatName::Rgba8unorm | FormatName::Rgba8unormSrgb => low.to_le_bytes(),
                    FormatName::Rgba16float => {
                        [low & 0xFFFF, low >> 16, high & 0xFFFF, high >> 16].map(|h| unorm8_encode(f16_to_f32(h)) as u8)
                    }
                    FormatName::R32float => {
                        let grey = unorm8_encode(low) as u8;
                        [grey, grey, grey, 255]
                    }
                }
            })
            .collect()
    }
}

/// The worst pixel: x, y, difference.
pub type Worst = (u32, u32, u32);

/// How far two pixels are apart: in the worst component, of depth in units of 24 bits.
fn apart(part: Part, a: [u8; 4], b: [u8; 4]) -> u32 {
    let depth = |p: [u8; 4]| u32::from_be_bytes([0, p[0], p[1], p[2]]);
    match part {
        Part::Depth => depth(a).abs_diff(depth(b)),
        _ => a.iter().zip(b).map(|(&a, b)| u32::from(a.abs_diff(b))).max().unwrap_or(0),
    }
}

/// Compares with a picture: how many pixels differ by more than `tolerance`, and the worst one (x,
/// y, difference).
///
/// # Errors
/// The picture has another size.
pub fn differences(
    part: Part,
    pixels: &[[u8; 4]],
    (width, height): (u32, u32),
    expected: &Picture,
    tolerance: u32,
) -> Result<(u32, Option<Worst>), String> {
    if (expected.width, expected.height) != (width, height) {
        return Err(format!("it has {} x {} pixels, the target {width} x {height}", expected.width, expected.height));
    }
    let (mut count, mut worst) = (0, None);
    for (k, (&seen, wanted)) in pixels.iter().zip(expected.rgba8()).enumerate() {
        let off = apart(part, seen, wanted);
        count += u32::from(off > tolerance);
        if worst.is_none_or(|(_, _, w)| off > w) {
            worst = Some((k as u32 % width, k as u32 / width, off));
        }
    }
    Ok((count, worst.filter(|w| w.2 > 0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_is_compared_as_a_number() {
        assert_eq!(apart(Part::Depth, [1, 0, 0, 255], [0, 255, 255, 255]), 1);
        assert_eq!(apart(Part::Colour(0), [1, 0, 0, 255], [0, 255, 255, 255]), 255);
    }
}
