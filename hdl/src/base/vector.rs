//! Vectors of ports, registers and sub-blocks.

/// `count` instances, for ports and flip-flops per lane, warp or stage.
pub(crate) fn vector<T: Default>(count: usize) -> Vec<T> {
    // Not `collect`: that is a dozen functions for each type.
    let mut all = Vec::with_capacity(count);
    for _ in 0..count {
        all.push(T::default());
    }
    all
}
