//! Vectors of ports, registers and sub-blocks.

/// `count` instances, for ports and flip-flops per lane, warp or stage.
pub(crate) fn vector<T: Default>(count: usize) -> Vec<T> {
    (0..count).map(|_| T::default()).collect()
}
