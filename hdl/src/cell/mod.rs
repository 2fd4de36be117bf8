//! Leaf cells: what rust-hdl cannot say in a kernel, as a Rust `update` beside literal Verilog. Each cell is small enough that the two can be
//! compared by eye, and `tests/cells.rs` and `tests/wide_cells.rs` run both on the same vectors. A cell holds no design decisions, only a primitive.

pub mod decoder;
pub mod lane_control;
pub mod quiet;
pub mod ram;
pub mod wide;

pub use decoder::Decoder;
pub use lane_control::{Function, LaneControl, Path, Route};
pub use ram::{Ram, RamByte};
pub use wide::{AlignShift, BitCount, LeadingZeros, Mul32, NormalShift, WideAddSub};
