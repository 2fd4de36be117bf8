//! Words of the state that blending reads: the equation of a target, a constant of bytes.

use crate::fields;

fields! {
    /// Word 28 + t of a state record.
    pub(super) trait Equation: 32 {
        /// Components that are written, red first.
        mask: 4 @ 0,
        /// The target blends.
        blends: bit @ 4,
        /// Factor of the source's colour.
        source: 4 @ 5,
        /// Factor of the destination's colour.
        destination: 4 @ 9,
        /// Operation of colour.
        operation: 3 @ 13,
        /// Factor of the source's alpha.
        alpha_source: 4 @ 16,
        /// Factor of the destination's alpha.
        alpha_destination: 4 @ 20,
        /// Operation of alpha.
        alpha_operation: 3 @ 24,
    }
}

fields! {
    /// A colour of four bytes.
    pub(super) trait Colour: 32 {
        /// Its alpha.
        alpha: 8 @ 24,
    }
}
