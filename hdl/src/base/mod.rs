//! The ground floor: what every block is written with, and nothing of the GPU. Build parameters and
//! vectors of ports, the engine that skips what does not move, parts that may be left out, kernels
//! with two indices, and driving a block by name or by its ports.

pub mod bundle;
pub mod drive;
pub mod fan;
pub mod fields;
pub mod fitted;
pub mod kernel;
pub mod like;
pub mod members;
pub mod parameter;
pub mod parts;
pub mod quiet;
pub mod stream;
pub mod testing;
pub mod vector;
pub mod wiring;

pub use bundle::{Bundle, BundleTable, Each, Nothing, Quiet};
pub use fitted::Fitted;
pub use parameter::{Flag, Parameter, Planted};
pub use quadlock_hdl_text::verilog_name;
pub(crate) use vector::vector;

/// A comment in the generated Verilog; nothing in Rust. `comment!("module: lsa")` names the module
/// in the export.
#[macro_export]
macro_rules! comment {
    ($text:literal) => {};
}
