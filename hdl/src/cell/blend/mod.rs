//! Cells of the pixel back end.

pub mod address;
pub mod byte;
pub mod code;
pub mod half;
pub mod product;
pub mod select;
pub mod sum;
pub mod word;

pub use address::QuadAddress;
pub use byte::{ByteProduct, ByteRound, ByteSum};
pub use code::{ByteNarrow, CodeChange, CodePlace};
pub use half::{FactorNormal, FactorStart, HalfLesser, HalfNormal, HalfScale};
pub use product::{HalfProduct, ProductRound};
pub use select::{ByteOrder, ByteSelect, FactorBits, FactorChoice, WordOrder, WordSelect};
pub use sum::{FloatShare, RoundHalf, SumAlign, SumNormal, SumPack, SumPart, SumPlaces, SumTotal};
pub use word::{WordProduct, WordRound, WordSum};
