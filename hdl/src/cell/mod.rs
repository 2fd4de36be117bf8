//! Leaf cells: what rust-hdl cannot say in a kernel, as a Rust `update` beside literal Verilog.
//! Each cell is small enough that the two can be compared by eye, and `tests/cells.rs`,
//! `tests/wide_cells.rs`, `tests/function_cells.rs` and `tests/blend_cells.rs` run both on the same
//! vectors. A cell holds no design decisions, only a primitive.

pub mod approximate;
pub mod async_ram;
pub mod attribute;
pub mod blend;
pub mod decoder;
pub mod deep_ram;
pub mod edge;
pub mod lane_control;
pub mod phase;
pub mod plane;
pub mod ram;
pub mod rom;
pub mod wide;

pub use approximate::{BaseSum, FactorProduct, FixedPoint, OffsetSquare, QuadraticSum, QuadraticTerms};
pub use async_ram::AsyncRam;
pub use attribute::{CoarseShift, EdgeAt, EdgeMagnitude, EdgeProduct, EdgeRound, FineShift, FragmentPlace};
pub use decoder::Decoder;
pub use deep_ram::DeepRam;
pub use edge::{EdgeOffsets, EdgeReach, EdgeStep, GroupTest, QuadCover, RowBase, RowSigns, RowStep, SamplePlace};
pub use lane_control::{Function, LaneControl, Path, Route};
pub use phase::{PhaseProduct, PhaseWindow};
pub use plane::{
    DepthClamp, DepthOffsets, DepthRow, DepthStep, LaneDepths, PlaneConstant, PlaneFloor, PlaneProduct, PlaneSlope,
    PlaneStart, SampleDepth,
};
pub use ram::{Ram, RamByte};
pub use rom::CoefficientRom;
pub use wide::{AlignShift, BitCount, LeadingZeros, Mul32, NormalShift, WideAddSub};
