//! The table of sRGB: codes of 8 bits to linear light of 16, and back. Both are rounded from the
//! formula once, so a code that is not blended comes back as itself.

use std::sync::LazyLock;

fn linear(v: f64) -> f64 {
    if v <= 0.04045 {
        v / 12.92
    } else {
        ((v + 0.055) / 1.055).powf(2.4)
    }
}

static LINEAR: LazyLock<[u32; 256]> =
    LazyLock::new(|| std::array::from_fn(|c| (65535.0 * linear(c as f64 / 255.0)).round_ties_even() as u32));

/// Least linear value that has a code, for each code from 1 up.
static LEAST: LazyLock<[u32; 255]> =
    LazyLock::new(|| std::array::from_fn(|k| (65535.0 * linear((k as f64 + 0.5) / 255.0)).ceil() as u32));

/// 16 bits of linear light for a code.
pub fn decode(code: u32) -> u32 {
    LINEAR[code as usize & 255]
}

/// The code of 16 bits of linear light.
pub fn encode(light: u32) -> u32 {
    LEAST.partition_point(|&least| least <= light) as u32
}

/// Alpha of 8 bits in 16.
pub fn widen(alpha: u32) -> u32 {
    257 * alpha
}

/// Alpha of 16 bits in 8.
pub fn narrow(alpha: u32) -> u32 {
    (510 * alpha + 65535) / 131_070
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_come_back_and_rise() {
        for c in 0..256 {
            assert_eq!(encode(decode(c)), c);
            assert_eq!(narrow(widen(c)), c);
        }
        assert!((0..65535).all(|l| encode(l) <= encode(l + 1)));
        assert_eq!((encode(0), encode(65535), decode(255)), (0, 255, 65535));
    }

    /// No threshold and no code is so near to an integer or a half that f64 could err.
    #[test]
    fn the_table_has_margins() {
        for k in 0..255 {
            let least = 65535.0 * linear((k as f64 + 0.5) / 255.0);
            assert!((least - least.round()).abs() > 1e-6, "{k}");
            let code = 65535.0 * linear(k as f64 / 255.0);
            assert!(((code - code.floor()) - 0.5).abs() > 1e-6, "{k}");
        }
    }
}
