//! Of which pipeline a vertex front end is: parts that only one of them has are left out of others.

/// Whose vertices it reads.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum FrontRole {
    /// Of all draws, whole.
    Plain,
    /// Of triangles that the cull pipeline has left.
    Behind,
}
