//! Pictures of targets: from quads in memory to pixels, PNG, and the comparison with a picture.

use quadlock_golden::float::{f16_to_f32, unorm8_encode};

use super::layout::{Frame, TargetAt};
use super::spec::FormatName;
use crate::job::picture::Picture;

impl Frame {
    /// Words of a pixel of a target that is not multisampled.
    fn words(&self, word: &dyn Fn(u32) -> u32, target: TargetAt, x: u32, y: u32) -> [u32; 2] {
        let at = target.address + 16 * (y / 2 * self.row + x / 2) + 4 * (2 * (y & 1) + (x & 1));
        let plane = 16 * self.row * self.height.div_ceil(2);
        [word(at), if target.format == FormatName::Rgba16float { word(at + plane) } else { 0 }]
    }

    /// A target as red, green, blue, alpha of 8 bits, row by row. `word` reads memory.
    pub fn pixels(&self, word: &dyn Fn(u32) -> u32, target: usize) -> Vec<[u8; 4]> {
        let target = self.targets[target];
        let places = (0..self.height).flat_map(|y| (0..self.width).map(move |x| (x, y)));
        places
            .map(|(x, y)| {
                let [low, high] = self.words(word, target, x, y);
                match target.format {
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
pub type Worst = (u32, u32, u8);

/// Compares with a picture: how many pixels differ by more than `tolerance`, and the worst one (x,
/// y, difference).
///
/// # Errors
/// The picture has another size.
pub fn differences(
    pixels: &[[u8; 4]],
    (width, height): (u32, u32),
    expected: &Picture,
    tolerance: u8,
) -> Result<(u32, Option<Worst>), String> {
    if (expected.width, expected.height) != (width, height) {
        return Err(format!("it has {} x {} pixels, the target {width} x {height}", expected.width, expected.height));
    }
    let (mut count, mut worst) = (0, None);
    for (k, (seen, wanted)) in pixels.iter().zip(expected.rgba8()).enumerate() {
        let off = seen.iter().zip(wanted).map(|(&a, b)| a.abs_diff(b)).max().unwrap_or(0);
        count += u32::from(off > tolerance);
        if worst.is_none_or(|(_, _, w)| off > w) {
            worst = Some((k as u32 % width, k as u32 / width, off));
        }
    }
    Ok((count, worst.filter(|w| w.2 > 0)))
}
