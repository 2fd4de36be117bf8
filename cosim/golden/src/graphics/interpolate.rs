//! Varyings at a place: the sequence of the machine's float operations that docs/graphics.md
//! states.
//!
//! Values of edges are exact until they become one f32 each; none is negative where a sample is
//! covered, so nothing near is subtracted from another in the weights. Wrong would be to start from
//! rounded edges. The tests measure the error beside double precision.

use super::arith::{add, div, fma, mul};

/// Weights of the corners at a place, as bits; their sum is near 1.
pub type Weights = [u32; 3];

const ONE: u32 = 0x3F80_0000;

/// One rounding, to the nearest even.
pub fn rounded(edge: i64) -> u32 {
    (edge as f32).to_bits()
}

/// `FDIV(1, w)`.
pub fn reciprocal(w: u32) -> u32 {
    div(ONE, w)
}

/// Weights of perspective from the edges at a place and the reciprocals of w.
pub fn perspective(edges: [i64; 3], reciprocals: [u32; 3]) -> Weights {
    let q: [u32; 3] = std::array::from_fn(|i| mul(rounded(edges[i]), reciprocals[i]));
    weights(q)
}

/// Weights without perspective.
pub fn linear(edges: [i64; 3]) -> Weights {
    weights(edges.map(rounded))
}

fn weights(q: [u32; 3]) -> Weights {
    let sum = add(add(q[0], q[1]), q[2]);
    let r = div(ONE, sum);
    q.map(|q| mul(q, r))
}

/// A word of a varying from those of the three corners.
pub fn value(weights: Weights, words: [u32; 3]) -> u32 {
    if words[0] == words[1] && words[1] == words[2] {
        return words[0];
    }
    fma(weights[0], words[0], fma(weights[1], words[1], mul(weights[2], words[2])))
}

#[cfg(test)]
mod tests {
    use super::super::triangle::{Corner, Triangle};
    use super::*;
    use proptest::prelude::*;

    /// Equal words stay, whatever they are and wherever the place is.
    #[test]
    fn equal_words_are_the_value() {
        for word in [0x8000_0000, 0x7F80_0001, 0xFF80_0000, 0x7F80_0000, 1] {
            for weights in [[0x7FC0_0000, 0, 0], perspective([-5, 3, 9], [ONE, 0, ONE])] {
                assert_eq!(value(weights, [word; 3]), word);
            }
        }
        assert_ne!(value(linear([1, 1, 2]), [0, 0x8000_0000, 0]), 0x8000_0000);
    }

    #[test]
    fn corners_and_centres() {
        let words = [2.0f32, 4.0, 10.0].map(f32::to_bits);
        let at = |edges| f32::from_bits(value(linear(edges), words));
        assert_eq!([at([7, 0, 0]), at([0, 7, 0]), at([0, 0, 7])], [2.0, 4.0, 10.0]);
        assert_eq!(at([1, 1, 2]), 6.5);
        // The corner whose w is 1 counts three times as much as the one whose w is 3.
        let near = perspective([1, 1, 0], [ONE, reciprocal(3f32.to_bits()), ONE]);
        assert_eq!(f32::from_bits(value(near, [0, 4f32.to_bits(), 0])), 1.0);
    }

    fn coordinate() -> impl Strategy<Value = i64> {
        prop_oneof![-(1i64 << 19)..(1 << 19), -3000i64..3000]
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

        /// At most 4 units in the last place of the largest corner's value, at covered places, for
        /// ratios of w up to 2^12.
        #[test]
        fn the_error_is_bounded(
            places in [coordinate(), coordinate(), coordinate(), coordinate(), coordinate(), coordinate()],
            w in [1f32..4096., 1f32..4096., 1f32..4096.],
            words in [-100f32..100., -100f32..100., -100f32..100.],
            at in (0i64..=1000, 0i64..=1000),
        ) {
            let corner = |k: usize| Corner { x: places[2 * k], y: places[2 * k + 1], z: 0 };
            let Some(t) = Triangle::new([corner(0), corner(1), corner(2)]) else { return Ok(()) };
            let (u, v) = if at.0 + at.1 > 1000 { (1000 - at.0, 1000 - at.1) } else { at };
            let mix = |k: usize| (places[k] * (1000 - u - v) + places[2 + k] * u + places[4 + k] * v) / 1000;
            let place = (mix(0), mix(1));
            if !t.covers(place) {
                return Ok(());
            }
            let edges = t.edges(place);
            let got = value(perspective(edges, w.map(|w| reciprocal(w.to_bits()))), words.map(f32::to_bits));
            let q: Vec<f64> = (0..3).map(|i| edges[i] as f64 / f64::from(w[i])).collect();
            let exact = (0..3).map(|i| q[i] * f64::from(words[i])).sum::<f64>() / q.iter().sum::<f64>();
            let largest = words.iter().fold(0f32, |m, w| m.max(w.abs()));
            let ulp = f64::from(f32::from_bits(largest.to_bits() + 1) - largest);
            let error = (f64::from(f32::from_bits(got)) - exact).abs() / ulp;
            prop_assert!(error <= 4.0, "{error} ulp: {edges:?} {w:?} {words:?}");
        }
    }
}
