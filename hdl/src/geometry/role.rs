//! Whose geometry it is: a machine with a cull pipeline has two, and each differs a little from
//! that of a machine without. Wrong would be a part that is told another role than its block.

/// Whose geometry it is.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum GeometryRole {
    /// Of a machine without a cull pipeline.
    Plain,
    /// Of the pipeline that draws, behind a cull pipeline: some triangles are marks alone.
    Behind,
    /// Of the cull pipeline: nothing is clipped.
    Positions,
}
