//! Blending and resolving, to the bit, as docs/graphics.md states them. Colours of rgba8unorm are
//! blended as bytes, so every result is one rounding of an exact quotient; the tests compare with
//! that quotient over all operands.

/// What a colour is multiplied by. The alpha of `One` to `OneMinusConstant` is alpha's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Factor {
    /// 0.
    Zero,
    /// 1.
    One,
    /// The fragment's colour.
    Source,
    /// 1 less that.
    OneMinusSource,
    /// The fragment's alpha.
    SourceAlpha,
    /// 1 less that.
    OneMinusSourceAlpha,
    /// The target's colour.
    Destination,
    /// 1 less that.
    OneMinusDestination,
    /// The target's alpha.
    DestinationAlpha,
    /// 1 less that.
    OneMinusDestinationAlpha,
    /// The lesser of the fragment's alpha and 1 less the target's; 1 for alpha.
    SourceAlphaSaturated,
    /// The constant colour.
    Constant,
    /// 1 less that.
    OneMinusConstant,
}

/// How two products become one colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Their sum.
    Add,
    /// The fragment's less the target's.
    Subtract,
    /// The target's less the fragment's.
    ReverseSubtract,
    /// The lesser of the colours, without factors.
    Min,
    /// The greater of the colours, without factors.
    Max,
}

/// Blending of colour or of alpha.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Equation {
    /// Of the fragment's colour.
    pub source: Factor,
    /// Of the target's.
    pub destination: Factor,
    /// What is done with the products.
    pub operation: Operation,
}

/// The colours of one pixel: red, green, blue, alpha, as numbers of 0 to `most`.
#[derive(Clone, Copy, Debug)]
pub struct Colours {
    /// The fragment's.
    pub source: [u32; 4],
    /// The target's.
    pub destination: [u32; 4],
    /// The constant.
    pub constant: [u32; 4],
}

/// Blends integers of 0 to `most`, 255 or 65535.
pub fn unorm(colours: &Colours, colour: Equation, alpha: Equation, most: u32) -> [u32; 4] {
    std::array::from_fn(|k| {
        let equation = if k == 3 { alpha } else { colour };
        let (s, d) = (u64::from(colours.source[k]), u64::from(colours.destination[k]));
        let of = |factor| u64::from(self::factor(factor, colours, k, most));
        let (ps, pd) = (s * of(equation.source), d * of(equation.destination));
        let product = match equation.operation {
            Operation::Add => ps + pd,
            Operation::Subtract => ps.saturating_sub(pd),
            Operation::ReverseSubtract => pd.saturating_sub(ps),
            Operation::Min => return s.min(d) as u32,
            Operation::Max => return s.max(d) as u32,
        };
        let most = u64::from(most);
        ((2 * product + most) / (2 * most)).min(most) as u32
    })
}

fn factor(factor: Factor, c: &Colours, k: usize, most: u32) -> u32 {
    match factor {
        Factor::Zero => 0,
        Factor::One => most,
        Factor::Source => c.source[k],
        Factor::OneMinusSource => most - c.source[k],
        Factor::SourceAlpha => c.source[3],
        Factor::OneMinusSourceAlpha => most - c.source[3],
        Factor::Destination => c.destination[k],
        Factor::OneMinusDestination => most - c.destination[k],
        Factor::DestinationAlpha => c.destination[3],
        Factor::OneMinusDestinationAlpha => most - c.destination[3],
        Factor::SourceAlphaSaturated if k == 3 => most,
        Factor::SourceAlphaSaturated => c.source[3].min(most - c.destination[3]),
        Factor::Constant => c.constant[k],
        Factor::OneMinusConstant => most - c.constant[k],
    }
}

/// The mean of a pixel's samples, halves up.
pub fn resolve(samples: &[u32]) -> u32 {
    let count = samples.len().max(1) as u32;
    (samples.iter().sum::<u32>() + count / 2) / count
}

#[cfg(test)]
mod tests {
    use super::*;

    const OVER: Equation =
        Equation { source: Factor::SourceAlpha, destination: Factor::OneMinusSourceAlpha, operation: Operation::Add };

    fn one(source: u32, alpha: u32, destination: u32, equation: Equation) -> u32 {
        let c = Colours { source: [source, 0, 0, alpha], destination: [destination, 0, 0, 9], constant: [7; 4] };
        unorm(&c, equation, equation, 255)[0]
    }

    /// The nearest byte to the exact value, halves up, for all operands of the usual equation.
    #[test]
    fn over_is_rounded_once() {
        for s in 0..256 {
            for a in 0..256 {
                for d in (0..256).step_by(5) {
                    let exact = s * a + d * (255 - a);
                    let got = one(s, a, d, OVER);
                    // got - 1/2 <= exact / 255 < got + 1/2
                    assert!(2 * 255 * got <= 2 * exact + 255 && 2 * exact < 2 * 255 * got + 255, "{s} {a} {d}");
                }
            }
        }
    }

    #[test]
    fn what_changes_nothing_changes_nothing() {
        for d in 0..256 {
            assert_eq!(one(77, 0, d, OVER), d);
            assert_eq!(one(d, 255, 77, OVER), d);
        }
    }

    #[test]
    fn operations_hold_at_both_ends() {
        let with = |operation| Equation { source: Factor::One, destination: Factor::One, operation };
        let all = [Operation::Add, Operation::Subtract, Operation::ReverseSubtract, Operation::Min, Operation::Max];
        assert_eq!(all.map(|o| one(200, 0, 100, with(o))), [255, 100, 0, 100, 200]);
        let saturated =
            Equation { source: Factor::SourceAlphaSaturated, destination: Factor::Zero, operation: Operation::Add };
        // The lesser of 250 and 255 - 9 is 246.
        assert_eq!(one(255, 250, 0, saturated), 246);
    }

    #[test]
    fn a_mean_is_rounded_up_at_a_half() {
        assert_eq!(
            [resolve(&[1, 2]), resolve(&[0, 1, 0, 1]), resolve(&[0, 0, 0, 1]), resolve(&[255; 4])],
            [2, 1, 0, 255]
        );
    }
}
