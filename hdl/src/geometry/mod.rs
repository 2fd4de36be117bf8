//! Geometry: from shaded vertices to triangles in the target (docs/graphics-blocks.md, "Vertices
//! and triangles"). The page of the block is `docs/blocks/geometry.md`.

pub mod assembly;
pub mod bias;
pub mod block;
pub mod cells;
pub mod clip;
pub mod contexts;
pub mod edges;
pub mod fetch;
pub mod finish;
pub mod float;
pub mod float_cells;
pub mod gradient;
pub mod intake;
pub mod quotient;
pub mod reciprocal;
pub mod references;
pub mod role;
pub mod store;
pub mod view;

pub use block::Geometry;
pub use role::GeometryRole;

crate::blocks! {
    "geometry" "geometry/block.rs" "Geometry" "geometry, from shaded vertices to triangles"
        |c| Geometry::new(c, GeometryRole::Plain);
    "geometry_store" "geometry/store.rs" "GeometryStore" "vertex and triangle records"
        |c| store::GeometryStore::new(c);
    "geometry_references" "geometry/references.rs" "GeometryReferences" "reference counts and free list of vertices"
        |c| references::GeometryReferences::new(c);
    "geometry_contexts" "geometry/contexts.rs" "GeometryContexts" "contexts in use by geometry"
        |c| contexts::GeometryContexts::new(c);
    "geometry_intake" "geometry/intake.rs" "GeometryIntake" "corners, held until their vertices are viewed"
        |c| intake::GeometryIntake::new(c, GeometryRole::Plain);
    "geometry_view" "geometry/view.rs" "GeometryView" "viewport transform of vertices"
        |c| view::GeometryView::new(c, 0);
    "geometry_float" "geometry/float.rs" "GeometryFloat" "float unit of geometry"
        |c| float::GeometryFloat::new(c);
    "reciprocal" "geometry/reciprocal.rs" "Reciprocal" "1 / v of a float"
        |c| reciprocal::Reciprocal::new(c);
    "geometry_assembly" "geometry/assembly.rs" "GeometryAssembly" "triangle assembly and whole-triangle culls"
        |c| assembly::GeometryAssembly::new(c, GeometryRole::Plain);
    "geometry_clip" "geometry/clip.rs" "GeometryClip" "clipper" |c| clip::GeometryClip::new(c);
    "geometry_quotient" "geometry/quotient.rs" "GeometryQuotient" "quotient of two floats, one digit per cycle"
        |_c| quotient::GeometryQuotient::new();
    "geometry_fetch" "geometry/fetch.rs" "GeometryFetch" "corners of a triangle and its bounding box"
        |c| fetch::GeometryFetch::new(c);
    "geometry_edges" "geometry/edges.rs" "GeometryEdges" "area, culls, edges of a triangle"
        |c| edges::GeometryEdges::new(c);
    "geometry_gradient" "geometry/gradient.rs" "GeometryGradient" "depth gradients and 1 / S"
        |c| gradient::GeometryGradient::new(c);
    "geometry_bias" "geometry/bias.rs" "GeometryBias" "depth bias" |c| bias::GeometryBias::new(c);
    "geometry_finish" "geometry/finish.rs" "GeometryFinish" "triangle records and output port"
        |c| finish::GeometryFinish::new(c);
    "reciprocal_step" "geometry/reciprocal.rs" "ReciprocalStep" "two digits of a reciprocal"
        |_c| reciprocal::ReciprocalStep::default();
    "fused_unpack" "geometry/float_cells.rs" "FusedUnpack" "operands of a fused multiply and add"
        |_c| float_cells::FusedUnpack::default();
    "fused_product" "geometry/float_cells.rs" "FusedProduct" "its product"
        |_c| float_cells::FusedProduct::default();
    "fused_place" "geometry/float_cells.rs" "FusedPlace" "position of its addend"
        |_c| float_cells::FusedPlace::default();
    "fused_align" "geometry/float_cells.rs" "FusedAlign" "its addend in the window"
        |_c| float_cells::FusedAlign::default();
    "fused_sum" "geometry/float_cells.rs" "FusedSum" "its sum"
        |_c| float_cells::FusedSum::default();
    "fused_magnitude" "geometry/float_cells.rs" "FusedMagnitude" "magnitude of its sum"
        |_c| float_cells::FusedMagnitude::default();
    "fused_zeros" "geometry/float_cells.rs" "FusedZeros" "normalising shift distance"
        |_c| float_cells::FusedZeros::default();
    "fused_coarse" "geometry/float_cells.rs" "FusedCoarse" "normalising shift by multiples of 16"
        |_c| float_cells::FusedCoarse::default();
    "fused_fine" "geometry/float_cells.rs" "FusedFine" "normalising shift by less than 16"
        |_c| float_cells::FusedFine::default();
    "fused_round" "geometry/float_cells.rs" "FusedRound" "its rounding"
        |_c| float_cells::FusedRound::default();
    "fixed_scale" "geometry/float_cells.rs" "FixedScale" "scaling of a float to an integer"
        |_c| float_cells::FixedScale::default();
    "fixed_coarse" "geometry/float_cells.rs" "FixedCoarse" "right shift of an integer by multiples of 8"
        |_c| float_cells::FixedCoarse::default();
    "fixed_round" "geometry/float_cells.rs" "FixedRound" "rounding of an integer"
        |_c| float_cells::FixedRound::default();
    "outcode" "geometry/cells.rs" "Outcode" "outcode of a coordinate at a limit"
        |_c| cells::Outcode::default();
    "bounds_track" "geometry/cells.rs" "BoundsTrack" "least and greatest pixel"
        |_c| cells::BoundsTrack::default();
    "bounds_hold" "geometry/cells.rs" "BoundsHold" "clamp of pixels to scissor and target"
        |_c| cells::BoundsHold::default();
    "corner_distance" "geometry/cells.rs" "CornerDistance" "distance between corners"
        |_c| cells::CornerDistance::default();
    "setup_product" "geometry/cells.rs" "SetupProduct" "product of two distances"
        |_c| cells::SetupProduct::default();
    "product_difference" "geometry/cells.rs" "ProductDifference" "difference of two products"
        |_c| cells::ProductDifference::default();
    "area_size" "geometry/cells.rs" "AreaSize" "area without sign" |_c| cells::AreaSize::default();
    "divide_step" "geometry/cells.rs" "DivideStep" "one digit of a gradient"
        |_c| cells::DivideStep::default();
    "steepest_size" "geometry/cells.rs" "SteepestSize" "magnitude of the greater gradient"
        |_c| cells::SteepestSize::default();
    "bias_hold" "geometry/cells.rs" "BiasHold" "clamp of the depth bias to its limit"
        |_c| cells::BiasHold::default();
    "depth_shift" "geometry/cells.rs" "DepthShift" "depth with its bias added"
        |_c| cells::DepthShift::default();
    "depth_track" "geometry/cells.rs" "DepthTrack" "least and greatest depth"
        |_c| cells::DepthTrack::default();
    "slope_product" "geometry/cells.rs" "SlopeProduct" "gradient times place"
        |_c| cells::SlopeProduct::default();
    "edge_slopes" "geometry/cells.rs" "EdgeSlopes" "slopes of an edge"
        |_c| cells::EdgeSlopes::default();
}
