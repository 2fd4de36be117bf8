//! The pixel back end: depth and stencil, results of fragments, blending and the tile buffers. See
//! `docs/blocks/depth.md`, `blend.md` and `tile-buffers.md`.

pub mod blend;
pub mod depth;
pub mod resolve;
pub mod results;
pub mod srgb;
pub mod sum;
pub mod tile_buffers;

pub use blend::Blend;
pub use depth::DepthStencil;
pub use resolve::TileResolve;
pub use results::ResultStore;
pub use tile_buffers::TileBuffers;

crate::blocks! {
    "blend" "output/blend.rs" "Blend" "blending" |c| Blend::new(c);
    "blend_lane" "output/blend/lane.rs" "BlendLane" "blending of four bytes of a lane"
        |c| blend::lane::BlendLane::new(c);
    "blend_wide" "output/blend/wide.rs" "BlendWide" "blending of 16 bits"
        |c| blend::wide::BlendWide::new(c);
    "blend_feed" "output/blend/feed.rs" "BlendFeed" "serialiser of a beat's pixels"
        |c| blend::feed::BlendFeed::new(c);
    "blend_component" "output/blend/component.rs" "BlendComponent" "blending of one 16-bit component"
        |c| blend::component::BlendComponent::new(c);
    "blend_float" "output/blend/float.rs" "BlendFloat" "two products of halves and their sum"
        |c| blend::float::BlendFloat::new(c);
    "blend_product" "output/blend/product.rs" "BlendProduct" "a half times a factor"
        |c| blend::product::BlendProduct::new(c);
    "blend_gather" "output/blend/gather.rs" "BlendGather" "collection of blended pixels"
        |c| blend::gather::BlendGather::new(c);
    "commit_queue" "output/blend/beat.rs" "CommitQueue" "queue of commits"
        |_c| blend::beat::CommitQueue::new();
    "tile_buffers" "output/tile_buffers.rs" "TileBuffers" "tile buffers" |c| TileBuffers::new(c);
    "tile_resolve" "output/resolve.rs" "TileResolve" "resolve of samples" |c| TileResolve::new(c);
    "resolve_integer" "output/resolve/integer.rs" "ResolveInteger" "means of bytes and of sRGB codes"
        |c| resolve::integer::ResolveInteger::new(c);
    "resolve_component" "output/resolve/component.rs" "ResolveComponent" "mean of a component of integers"
        |c| resolve::component::ResolveComponent::new(c);
    "resolve_float" "output/resolve/float.rs" "ResolveFloat" "means of floats"
        |c| resolve::float::ResolveFloat::new(c);
    "float_sum" "output/sum.rs" "FloatSum" "sum of two f32" |_c| sum::FloatSum::new();
    "srgb_decode" "output/srgb.rs" "SrgbDecode" "16 bits of an sRGB code"
        |_c| srgb::SrgbDecode::default();
    "srgb_encode" "output/srgb.rs" "SrgbEncode" "the sRGB code of 16 bits"
        |_c| srgb::SrgbEncode::default();
    "tile_memories" "output/tile_buffers/memories.rs" "TileMemories" "memories of the tile buffers"
        |_c| tile_buffers::memories::TileMemories::new();
    "tile_walk" "output/tile_buffers/walk.rs" "TileWalk" "address walk over the lines of a tile"
        |_c| tile_buffers::walk::TileWalk::new();
    "tile_ram" "output/tile_buffers/tile_ram.rs" "TileRam" "a lane of a tile buffer"
        |_c| tile_buffers::tile_ram::TileRam::default();
    "quad_ram" "output/tile_buffers/quad_ram.rs" "QuadRam" "memory of four lanes"
        |_c| tile_buffers::quad_ram::QuadRam::default();
    "depth_stencil" "output/depth.rs" "DepthStencil" "depth and stencil, early and late"
        |c| DepthStencil::new(c);
    "early_side" "output/depth/early.rs" "EarlySide" "early side of depth and stencil"
        |c| depth::early::EarlySide::new(c);
    "late_side" "output/depth/late.rs" "LateSide" "late side of depth and stencil"
        |c| depth::late::LateSide::new(c);
    "depth_test" "output/depth/test_unit.rs" "DepthTest" "test and write of a sample of a quad"
        |c| depth::test_unit::DepthTest::new(c);
    "written_depths" "output/depth/written.rs" "WrittenDepths" "written depths with their positions"
        |c| depth::written::WrittenDepths::new(c);
    "depth_lane" "output/depth/lane.rs" "DepthLane" "depth and stencil of a lane"
        |c| depth::lane::DepthLane::new(c);
    "pending_late" "output/depth/pending.rs" "PendingLate" "quads with a pending late test, by position"
        |c| depth::pending::PendingLate::new(c);
    "result_store" "output/results.rs" "ResultStore" "fragment results, in ticket order"
        |c| ResultStore::new(c);
}
