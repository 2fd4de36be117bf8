//! Scenes: what `quadlock run` draws, as it runs a job. It can be wrong where its reading of
//! docs/graphics.md differs from the model's and the RTL's; then nothing is drawn right.
//!
//! The floors, from the ground up; `cosim/testkit/tests/house.rs` checks them.
//!
//! | floor | what |
//! | --- | --- |
//! | [`file`] | scene files, meshes, names |
//! | [`accounts`] | figures of what was drawn, and the report |
//! | [`machine`] | a scene in memory, on the golden model and on the RTL |
//! | [`pictures`] | targets as pictures, and what must come out |

pub mod accounts;
pub mod file;
pub mod machine;
pub mod pictures;

pub use file::{is_scene, Scene};
