//! Cells of the pixel back end.

pub mod address;
pub mod byte;
pub mod word;

pub use address::QuadAddress;
pub use byte::{ByteFactor, ByteProduct, ByteRound, ByteSum};
pub use word::{WordFactor, WordProduct, WordRound, WordSum};
