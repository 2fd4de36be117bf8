//! Two renderers draw the same scene, and an arbiter decides which of them is right where they
//! differ (docs/beside.md).
//!
//! The arbiter is written from the text of the Vulkan specification, in exact arithmetic. It shares
//! no code with the golden model, and this crate depends on no other crate of Quadlock. It can be
//! wrong by an interval that is too wide: then a wrong picture counts as legal. Planted rules in
//! the golden model show how much it still finds.
//!
//! | module | what |
//! | --- | --- |
//! | [`scene`] | a scene, and the triangles that its draws assemble |
//! | [`wgsl`] | the programs of a draw, for its picture and for its stages |
//! | [`wire`] | messages between the command and the judge |
//! | [`number`] | enclosures in f64, and exact rationals behind them |
//! | [`polygon`] | a triangle cut by the view volume, in the target |
//! | [`value`] | legal intervals of depth and varyings |
//! | [`blend`] | blending of intervals |
//! | [`replay`] | tests and blending, from a renderer's own triangles |
//! | [`verdict`] | classes of the samples of a scene |

#![warn(missing_docs)]

pub mod blend;
pub mod number;
pub mod polygon;
pub mod replay;
pub mod scene;
pub mod value;
pub mod verdict;
pub mod wgsl;
pub mod wire;
