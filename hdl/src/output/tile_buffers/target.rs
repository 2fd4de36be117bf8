//! Words of the pass record that say what is done with a target, or with depth and stencil.

use crate::fields;

fields! {
    /// Bits of word 5 + 4 t of the pass record, and of word 21.
    pub(super) trait TargetFlags: 7 {
        /// Format; of depth 0.
        format: 2 @ 0,
        /// It is loaded, else cleared; of depth without stencil.
        load: bit @ 4,
        /// It is stored.
        store: bit @ 5,
        /// Its samples become one; of depth: stencil is loaded, else cleared.
        resolve: bit @ 6,
    }
}
