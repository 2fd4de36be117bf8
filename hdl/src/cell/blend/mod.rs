//! Cells of the pixel back end.

pub mod address;
pub mod byte;
pub mod code;
pub mod half;
pub mod product;
pub mod sum;
pub mod word;

pub use address::QuadAddress;
pub use byte::{ByteFactor, ByteProduct, ByteRound, ByteSum};
pub use code::{ByteNarrow, CodeChange, CodePlace};
pub use half::{FactorChoice, FactorNormal, FactorStart, HalfLesser, HalfNormal, WordOrder, WordSelect};
pub use product::{HalfProduct, ProductRound};
pub use sum::{FloatShare, RoundHalf, SumAlign, SumNormal, SumPack, SumPlaces, SumTotal};
pub use word::{WordFactor, WordProduct, WordRound, WordSum};
