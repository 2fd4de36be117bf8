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

crate::blocks! {
    "decoder" "cell/decoder.rs" "Decoder" "instruction decoder" |c| Decoder::new(c);
    "lane_control" "cell/lane_control.rs" "LaneControl" "control of a lane by opcode"
        |_c| LaneControl::default();
    "bit_count" "cell/wide.rs" "BitCount" "bit counts and bit reversal" |_c| BitCount::default();
    "coefficient_rom" "cell/rom.rs" "CoefficientRom" "coefficients of the approximated functions"
        |_c| CoefficientRom::default();
    "phase_window" "cell/phase.rs" "PhaseWindow" "54 bits of 2/pi" |_c| PhaseWindow::default();
    "phase_product" "cell/phase.rs" "PhaseProduct" "product modulo four quadrants"
        |_c| PhaseProduct::default();
    "fixed_point" "cell/approximate.rs" "FixedPoint" "float to fixed point, rounded down"
        |_c| FixedPoint::default();
    "offset_square" "cell/approximate.rs" "OffsetSquare" "square of an offset"
        |_c| OffsetSquare::default();
    "quadratic_terms" "cell/approximate.rs" "QuadraticTerms" "products of the quadratic"
        |_c| QuadraticTerms::default();
    "quadratic_sum" "cell/approximate.rs" "QuadraticSum" "sum of the quadratic"
        |_c| QuadraticSum::default();
    "factor_product" "cell/approximate.rs" "FactorProduct" "product with the quadratic"
        |_c| FactorProduct::default();
    "base_sum" "cell/approximate.rs" "BaseSum" "magnitude of a sum with an integral part"
        |_c| BaseSum::default();
    "mul32" "cell/wide.rs" "Mul32" "product of two words" |_c| Mul32::default();
    "align_shift" "cell/wide.rs" "AlignShift" "right shift into the window"
        |_c| AlignShift::default();
    "wide_add_sub" "cell/wide.rs" "WideAddSub" "96-bit sum and difference"
        |_c| WideAddSub::default();
    "leading_zeros" "cell/wide.rs" "LeadingZeros" "leading zeros of 96 bits"
        |_c| LeadingZeros::default();
    "normal_shift" "cell/wide.rs" "NormalShift" "normalising shift of 96 bits"
        |_c| NormalShift::default();
    "fragment_place" "cell/attribute.rs" "FragmentPlace" "position of a fragment"
        |_c| FragmentPlace::default();
    "edge_product" "cell/attribute.rs" "EdgeProduct" "slope of an edge times a position"
        |_c| EdgeProduct::default();
    "edge_at" "cell/attribute.rs" "EdgeAt" "value of an edge at a position" |_c| EdgeAt::default();
    "edge_magnitude" "cell/attribute.rs" "EdgeMagnitude" "sign and magnitude of an edge value"
        |_c| EdgeMagnitude::default();
    "coarse_shift" "cell/attribute.rs" "CoarseShift" "shift by groups of 8 bits"
        |_c| CoarseShift::default();
    "fine_shift" "cell/attribute.rs" "FineShift" "shift by up to 7 bits" |_c| FineShift::default();
    "edge_round" "cell/attribute.rs" "EdgeRound" "edge value rounded to f32"
        |_c| EdgeRound::default();
    "plane_slope" "cell/plane.rs" "PlaneSlope" "slope of one of four planes"
        |_c| PlaneSlope::default();
    "plane_constant" "cell/plane.rs" "PlaneConstant" "constant of one of four planes"
        |_c| PlaneConstant::default();
    "plane_floor" "cell/plane.rs" "PlaneFloor" "a plane without its constant low bits"
        |_c| PlaneFloor::default();
    "plane_product" "cell/plane.rs" "PlaneProduct" "slope times position"
        |_c| PlaneProduct::default();
    "plane_start" "cell/plane.rs" "PlaneStart" "plane at a position" |_c| PlaneStart::default();
    "depth_step" "cell/plane.rs" "DepthStep" "depth eight pixels on" |_c| DepthStep::default();
    "depth_row" "cell/plane.rs" "DepthRow" "depth one row of quads on" |_c| DepthRow::default();
    "depth_offsets" "cell/plane.rs" "DepthOffsets" "multiples of a depth's slopes"
        |_c| DepthOffsets::default();
    "sample_depth" "cell/plane.rs" "SampleDepth" "depth of a sample" |_c| SampleDepth::default();
    "lane_depths" "cell/plane.rs" "LaneDepths" "depths of a quad's pixels"
        |_c| LaneDepths::default();
    "depth_clamp" "cell/plane.rs" "DepthClamp" "depth between its bounds"
        |_c| DepthClamp::default();
    "edge_reach" "cell/edge.rs" "EdgeReach" "range of an edge over a square"
        |_c| EdgeReach::default();
    "group_test" "cell/edge.rs" "GroupTest" "test whether an edge covers anything in a square"
        |_c| GroupTest::default();
    "edge_step" "cell/edge.rs" "EdgeStep" "edge eight pixels on" |_c| EdgeStep::default();
    "edge_offsets" "cell/edge.rs" "EdgeOffsets" "distances of samples in an edge's value"
        |_c| EdgeOffsets::default();
    "sample_place" "cell/edge.rs" "SamplePlace" "sample position in its pixel"
        |_c| SamplePlace::default();
    "row_base" "cell/edge.rs" "RowBase" "edge at a sample" |_c| RowBase::default();
    "row_step" "cell/edge.rs" "RowStep" "edge one row of quads on" |_c| RowStep::default();
    "row_signs" "cell/edge.rs" "RowSigns" "coverage of 16 pixels by an edge"
        |_c| RowSigns::default();
    "quad_cover" "cell/edge.rs" "QuadCover" "coverage of four quads" |_c| QuadCover::default();
    "byte_product" "cell/blend/byte.rs" "ByteProduct" "product of two fractions of 8 bits"
        |_c| blend::ByteProduct::default();
    "byte_sum" "cell/blend/byte.rs" "ByteSum" "sum of two products of 8 bits"
        |_c| blend::ByteSum::default();
    "byte_round" "cell/blend/byte.rs" "ByteRound" "nearest fraction of 8 bits"
        |_c| blend::ByteRound::default();
    "word_product" "cell/blend/word.rs" "WordProduct" "product of two fractions of 16 bits"
        |_c| blend::WordProduct::default();
    "word_sum" "cell/blend/word.rs" "WordSum" "sum of two products of 16 bits"
        |_c| blend::WordSum::default();
    "word_round" "cell/blend/word.rs" "WordRound" "nearest fraction of 16 bits"
        |_c| blend::WordRound::default();
    "code_place" "cell/blend/code.rs" "CodePlace" "line and index in the table of codes"
        |_c| blend::CodePlace::default();
    "code_change" "cell/blend/code.rs" "CodeChange" "conversion to an sRGB code by table"
        |_c| blend::CodeChange::default();
    "byte_narrow" "cell/blend/code.rs" "ByteNarrow" "byte from a 16-bit fraction"
        |_c| blend::ByteNarrow::default();
    "half_normal" "cell/blend/half.rs" "HalfNormal" "normalised half"
        |_c| blend::HalfNormal::default();
    "factor_choice" "cell/blend/select.rs" "FactorChoice" "selection of a blend factor"
        |_c| blend::FactorChoice::default();
    "byte_select" "cell/blend/select.rs" "ByteSelect" "blend factor of 8 bits"
        |_c| blend::ByteSelect::default();
    "byte_order" "cell/blend/select.rs" "ByteOrder" "byte that needs no rounding"
        |_c| blend::ByteOrder::default();
    "word_select" "cell/blend/select.rs" "WordSelect" "colour for a blend factor"
        |_c| blend::WordSelect::default();
    "factor_start" "cell/blend/half.rs" "FactorStart" "a half, or one minus it"
        |_c| blend::FactorStart::default();
    "factor_normal" "cell/blend/half.rs" "FactorNormal" "blend factor normalised"
        |_c| blend::FactorNormal::default();
    "half_scale" "cell/blend/half.rs" "HalfScale" "half in the units of a factor"
        |_c| blend::HalfScale::default();
    "half_lesser" "cell/blend/half.rs" "HalfLesser" "lesser of two alphas"
        |_c| blend::HalfLesser::default();
    "word_order" "cell/blend/select.rs" "WordOrder" "lesser or greater of two colours"
        |_c| blend::WordOrder::default();
    "half_product" "cell/blend/product.rs" "HalfProduct" "product of a half and a factor"
        |_c| blend::HalfProduct::default();
    "product_round" "cell/blend/product.rs" "ProductRound" "product as f32"
        |_c| blend::ProductRound::default();
    "sum_align" "cell/blend/sum.rs" "SumAlign" "operands of a sum of f32"
        |_c| blend::SumAlign::default();
    "sum_total" "cell/blend/sum.rs" "SumTotal" "sum or difference" |_c| blend::SumTotal::default();
    "sum_part" "cell/blend/sum.rs" "SumPart" "aligned lesser operand of a sum"
        |_c| blend::SumPart::default();
    "sum_normal" "cell/blend/sum.rs" "SumNormal" "normalisation of a sum"
        |_c| blend::SumNormal::default();
    "sum_places" "cell/blend/sum.rs" "SumPlaces" "shift distance of a sum"
        |_c| blend::SumPlaces::default();
    "sum_pack" "cell/blend/sum.rs" "SumPack" "sum as f32" |_c| blend::SumPack::default();
    "float_share" "cell/blend/sum.rs" "FloatShare" "half or quarter of an f32"
        |_c| blend::FloatShare::default();
    "round_half" "cell/blend/sum.rs" "RoundHalf" "sum as f16" |_c| blend::RoundHalf::default();
    "quad_address" "cell/blend/address.rs" "QuadAddress" "address of a quad's word in a tile buffer"
        |_c| blend::QuadAddress::default();
    "async_ram" "cell/async_ram.rs" "AsyncRam" "RAM with asynchronous read, of 64 words"
        |_c| AsyncRam::<6, 32>::default();
    "ram" "cell/ram.rs" "Ram" "RAM, as deep as the instruction cache has lines"
        |c| Ram::new(c.icache_lines);
    "ram_byte" "cell/ram.rs" "RamByte" "RAM with byte enables, as deep as a bank of shared storage"
        |c| RamByte::new(c.shared_words / 4);
    "deep_ram" "cell/deep_ram.rs" "DeepRam" "RAM of 8,192 words of 64 bits"
        |_c| DeepRam::<13, 64>::default();
}
