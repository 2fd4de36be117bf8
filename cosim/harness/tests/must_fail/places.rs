//! Planted faults that no row of the table shows: which other test catches each. The tests here
//! look into the sources: the named test is there, is a test, and names the fault. That it fails
//! without the fault's effect is its own assertion.

use std::path::Path;

use quadlock_hdl::fault::Fault;

use super::table;

/// (fault, file of tests, test in it).
type Elsewhere = (&'static str, &'static str, &'static str);

/// Those that lockstep cannot show.
const BLOCK_TESTS_ONLY: &[Elsewhere] = &[
    // An unreported protocol error shows only in a program that makes one, and such a program does
    // not pass without the fault.
    ("sem-silent-error", "hdl/tests/semaphore_entity.rs", "planted_faults_are_caught"),
    // The programs here do not bring these about; the blocks' own tests do.
    ("message-overflow", "hdl/tests/warp_semaphores.rs", "back_pressure_loses_nothing"),
    ("sem-lost-entry", "hdl/tests/semaphore_entity.rs", "planted_faults_are_caught"),
    ("bus-unfair", "hdl/tests/message_bus.rs", "planted_faults_are_caught"),
    // Messages that the pipeline overruns, or that always go last, come from another neighbour than
    // the machine's.
    ("sem-overrun", "hdl/tests/semaphore_entity.rs", "planted_faults_are_caught"),
    ("sem-release-first", "hdl/tests/semaphore_entity.rs", "planted_faults_are_caught"),
    // The machine starts once.
    ("sem-start-append", "hdl/tests/semaphore_entity.rs", "an_append_forgotten_at_start_is_caught"),
    // They show only while the pool is exhausted.
    ("sem-try-refused", "hdl/tests/semaphore_entity.rs", "planted_faults_are_caught"),
    ("sem-silent-empty", "hdl/tests/waiting_room.rs", "planted_faults_are_caught"),
    ("room-overtake", "hdl/tests/waiting_room.rs", "planted_faults_are_caught"),
    ("room-asleep", "hdl/tests/waiting_room.rs", "planted_faults_are_caught"),
    ("room-blocks", "hdl/tests/waiting_room.rs", "planted_faults_are_caught"),
    ("room-lost", "hdl/tests/waiting_room.rs", "planted_faults_are_caught"),
    ("room-straight", "hdl/tests/waiting_room.rs", "planted_faults_are_caught"),
    ("room-oldest-last", "hdl/tests/waiting_room.rs", "planted_faults_are_caught"),
    ("room-gaps", "hdl/tests/waiting_room.rs", "planted_faults_are_caught"),
    ("room-try-changed", "hdl/tests/waiting_room.rs", "planted_faults_are_caught"),
    ("row-lost-acquire", "hdl/tests/row_controller.rs", "planted_faults_are_caught"),
    ("dispatch-overtake", "hdl/tests/thread_dispatcher.rs", "planted_faults_are_caught"),
    ("dispatch-busy-early", "hdl/tests/thread_dispatcher.rs", "planted_faults_are_caught"),
    // Of graphics, in the blocks' own tests; some are shown by scenes too (tests/scenes.rs).
    ("attribute-order", "hdl/tests/attribute_unit.rs", "planted_faults_of_the_attribute_unit_are_caught"),
    ("attribute-handle", "hdl/tests/attribute_unit.rs", "planted_faults_of_the_attribute_unit_are_caught"),
    ("attribute-equal", "hdl/tests/attribute_unit.rs", "planted_faults_of_the_attribute_unit_are_caught"),
    ("attribute-overflow", "hdl/tests/attribute_unit.rs", "planted_faults_of_the_attribute_unit_are_caught"),
    ("beats-full", "hdl/tests/attribute_queue.rs", "a_beat_too_many_is_caught"),
    ("bary-round", "hdl/tests/attribute_unit.rs", "planted_faults_of_the_attribute_unit_are_caught"),
    ("bary-centroid", "hdl/tests/attribute_unit.rs", "planted_faults_of_the_attribute_unit_are_caught"),
    ("bary-sample", "hdl/tests/attribute_unit.rs", "planted_faults_of_the_attribute_unit_are_caught"),
    ("bary-sign", "hdl/tests/attribute_unit.rs", "planted_faults_of_the_attribute_unit_are_caught"),
    ("out-sample", "hdl/tests/attribute_unit.rs", "planted_faults_of_the_attribute_unit_are_caught"),
    ("demote-early", "hdl/tests/graphics_warps.rs", "planted_faults_of_graphics_warps_are_caught"),
    ("demote-kept", "hdl/tests/graphics_warps.rs", "planted_faults_of_graphics_warps_are_caught"),
    ("discard-covers", "hdl/tests/graphics_warps.rs", "planted_faults_of_graphics_warps_are_caught"),
    ("helpers-run", "hdl/tests/graphics_warps.rs", "planted_faults_of_graphics_warps_are_caught"),
    ("helper-stores", "hdl/tests/graphics_warps.rs", "planted_faults_of_graphics_warps_are_caught"),
    ("own-masked", "hdl/tests/graphics_warps.rs", "planted_faults_of_graphics_warps_are_caught"),
    ("window-wrong", "hdl/tests/graphics_warps.rs", "planted_faults_of_graphics_warps_are_caught"),
    ("special-ticket", "hdl/tests/graphics_warps.rs", "planted_faults_of_graphics_warps_are_caught"),
    ("out-helper", "hdl/tests/graphics_warps.rs", "planted_faults_of_graphics_warps_are_caught"),
    ("blend-alpha-operation", "hdl/tests/blend.rs", "planted_faults_are_caught"),
    ("blend-round", "hdl/tests/blend.rs", "planted_faults_are_caught"),
    ("blend-hazard", "hdl/tests/blend.rs", "planted_faults_are_caught"),
    ("blend-coverage", "hdl/tests/blend.rs", "planted_faults_are_caught"),
    ("blend-mask", "hdl/tests/blend.rs", "planted_faults_are_caught"),
    ("blend-sample", "hdl/tests/blend.rs", "planted_faults_are_caught"),
    ("blend-plane", "hdl/tests/blend.rs", "planted_faults_are_caught"),
    ("blend-done", "hdl/tests/blend.rs", "planted_faults_are_caught"),
    ("blend-constant", "hdl/tests/blend.rs", "planted_faults_are_caught"),
    ("blend-code", "hdl/tests/blend.rs", "planted_faults_are_caught"),
    ("blend-half", "hdl/tests/blend.rs", "planted_faults_are_caught"),
    ("blend-invert", "hdl/tests/blend.rs", "planted_faults_are_caught"),
    ("blend-second", "hdl/tests/blend.rs", "planted_faults_are_caught"),
    ("blend-wait", "hdl/tests/blend.rs", "planted_faults_are_caught"),
    ("blend-clash", "hdl/tests/blend.rs", "planted_faults_are_caught"),
    ("blend-saturate", "hdl/tests/blend.rs", "planted_faults_are_caught"),
    ("blend-infinite", "hdl/tests/blend.rs", "planted_faults_are_caught"),
    ("blend-zero", "hdl/tests/blend.rs", "planted_faults_are_caught"),
    ("geometry-swap", "hdl/tests/geometry.rs", "planted_faults_are_caught"),
    ("geometry-gradient", "hdl/tests/geometry.rs", "planted_faults_are_caught"),
    ("geometry-free-early", "hdl/tests/geometry.rs", "planted_faults_are_caught"),
    ("geometry-flat", "hdl/tests/geometry.rs", "planted_faults_are_caught"),
    ("geometry-leak", "hdl/tests/geometry.rs", "planted_faults_are_caught"),
    ("geometry-plane", "hdl/tests/geometry.rs", "planted_faults_are_caught"),
    ("geometry-count", "hdl/tests/geometry.rs", "planted_faults_are_caught"),
    ("number-stale", "hdl/tests/number_queue.rs", "planted_faults_are_caught"),
    ("geometry-stale", "hdl/tests/geometry.rs", "planted_faults_are_caught"),
    ("geometry-unviewed", "hdl/tests/geometry.rs", "planted_faults_are_caught"),
    ("geometry-context", "hdl/tests/geometry.rs", "planted_faults_are_caught"),
    ("geometry-order", "hdl/tests/geometry.rs", "planted_faults_are_caught"),
    ("geometry-parity", "hdl/tests/geometry.rs", "planted_faults_are_caught"),
    ("geometry-box", "hdl/tests/geometry.rs", "planted_faults_are_caught"),
    ("geometry-face", "hdl/tests/geometry.rs", "planted_faults_are_caught"),
    ("geometry-quotient", "hdl/tests/geometry.rs", "planted_faults_are_caught"),
    ("geometry-bias", "hdl/tests/geometry.rs", "planted_faults_are_caught"),
    ("geometry-edge", "hdl/tests/geometry.rs", "planted_faults_are_caught"),
    ("geometry-depth", "hdl/tests/geometry.rs", "planted_faults_are_caught"),
    ("geometry-first", "hdl/tests/geometry.rs", "planted_faults_are_caught"),
    ("geometry-canonical", "hdl/tests/geometry.rs", "planted_faults_are_caught"),
    ("geometry-linear", "hdl/tests/geometry.rs", "planted_faults_are_caught"),
    ("geometry-made", "hdl/tests/geometry.rs", "planted_faults_are_caught"),
    ("geometry-range", "hdl/tests/geometry.rs", "planted_faults_are_caught"),
    ("geometry-least-w", "hdl/tests/geometry.rs", "planted_faults_are_caught"),
    ("geometry-small", "hdl/tests/geometry.rs", "planted_faults_are_caught"),
    ("geometry-round", "hdl/tests/geometry/float.rs", "planted_faults_of_the_arithmetic_are_caught"),
    ("geometry-digit", "hdl/tests/geometry/float.rs", "planted_faults_of_the_arithmetic_are_caught"),
    ("graphics-end-early", "hdl/tests/graphics_dispatcher.rs", "planted_faults_are_caught"),
    ("graphics-lane-swap", "hdl/tests/graphics_dispatcher.rs", "planted_faults_are_caught"),
    ("graphics-wrong-program", "hdl/tests/graphics_dispatcher.rs", "planted_faults_are_caught"),
    ("binner-close-early", "hdl/tests/binner.rs", "planted_faults_are_caught"),
    ("binner-same-tile", "hdl/tests/binner.rs", "planted_faults_are_caught"),
    ("binner-row", "hdl/tests/binner.rs", "planted_faults_are_caught"),
    ("binner-last", "hdl/tests/binner.rs", "planted_faults_are_caught"),
    ("command-last-word", "hdl/tests/command_streamer.rs", "planted_faults_are_caught"),
    ("command-context", "hdl/tests/command_streamer.rs", "planted_faults_are_caught"),
    ("command-window", "hdl/tests/command_streamer.rs", "planted_faults_are_caught"),
    ("command-drain", "hdl/tests/command_streamer.rs", "planted_faults_are_caught"),
    ("command-wait", "hdl/tests/command_streamer.rs", "planted_faults_are_caught"),
    ("command-base", "hdl/tests/command_streamer.rs", "planted_faults_are_caught"),
    ("command-begin", "hdl/tests/command_streamer.rs", "planted_faults_are_caught"),
    ("command-image", "hdl/tests/command_streamer.rs", "planted_faults_are_caught"),
    ("front-base", "hdl/tests/vertex_front_end.rs", "planted_faults_are_caught"),
    ("front-wide", "hdl/tests/vertex_front_end.rs", "planted_faults_are_caught"),
    ("front-restart", "hdl/tests/vertex_front_end.rs", "planted_faults_are_caught"),
    ("front-stale", "hdl/tests/vertex_front_end.rs", "planted_faults_are_caught"),
    ("front-drop", "hdl/tests/vertex_front_end.rs", "planted_faults_are_caught"),
    ("front-stall", "hdl/tests/vertex_front_end.rs", "planted_faults_are_caught"),
    ("front-line", "hdl/tests/vertex_front_end.rs", "planted_faults_are_caught"),
    ("front-instance", "hdl/tests/vertex_front_end.rs", "planted_faults_are_caught"),
    ("front-context", "hdl/tests/vertex_front_end.rs", "planted_faults_are_caught"),
    ("raster-top-rule", "hdl/tests/rasteriser.rs", "planted_faults_are_caught"),
    ("raster-left-rule", "hdl/tests/rasteriser.rs", "planted_faults_are_caught"),
    ("raster-sample-place", "hdl/tests/rasteriser.rs", "planted_faults_are_caught"),
    ("raster-box-right", "hdl/tests/rasteriser.rs", "planted_faults_are_caught"),
    ("raster-box-top", "hdl/tests/rasteriser.rs", "planted_faults_are_caught"),
    ("raster-reach", "hdl/tests/rasteriser.rs", "planted_faults_are_caught"),
    ("raster-turn", "hdl/tests/rasteriser.rs", "planted_faults_are_caught"),
    ("raster-clamp", "hdl/tests/rasteriser.rs", "planted_faults_are_caught"),
    ("raster-rounding", "hdl/tests/rasteriser.rs", "planted_faults_are_caught"),
    ("raster-row-depth", "hdl/tests/rasteriser.rs", "planted_faults_are_caught"),
    ("raster-end-dropped", "hdl/tests/rasteriser.rs", "planted_faults_are_caught"),
    ("raster-mask-ignored", "hdl/tests/rasteriser.rs", "planted_faults_are_caught"),
    ("raster-stale-facts", "hdl/tests/rasteriser.rs", "planted_faults_are_caught"),
    ("raster-no-centre", "hdl/tests/rasteriser.rs", "planted_faults_are_caught"),
    ("tile-count", "hdl/tests/tile_buffers.rs", "planted_faults_are_caught"),
    ("tile-reload", "hdl/tests/tile_buffers.rs", "planted_faults_are_caught"),
    ("tile-edge", "hdl/tests/tile_buffers.rs", "planted_faults_are_caught"),
    ("tile-plane", "hdl/tests/tile_buffers.rs", "planted_faults_are_caught"),
    ("tile-stencil", "hdl/tests/tile_buffers.rs", "planted_faults_are_caught"),
    ("tile-sweep", "hdl/tests/tile_buffers.rs", "planted_faults_are_caught"),
    ("tile-same", "hdl/tests/tile_buffers.rs", "planted_faults_are_caught"),
    ("tile-room", "hdl/tests/tile_buffers.rs", "planted_faults_are_caught"),
    ("tile-stall", "hdl/tests/tile_buffers.rs", "planted_faults_are_caught"),
    ("resolve-round", "hdl/tests/tile_buffers.rs", "planted_faults_are_caught"),
    ("resolve-sample", "hdl/tests/tile_buffers.rs", "planted_faults_are_caught"),
    ("resolve-plane", "hdl/tests/tile_buffers.rs", "planted_faults_are_caught"),
    ("resolve-order", "hdl/tests/tile_buffers.rs", "planted_faults_are_caught"),
    ("resolve-early", "hdl/tests/tile_buffers.rs", "planted_faults_are_caught"),
    ("resolve-alpha", "hdl/tests/tile_buffers.rs", "planted_faults_are_caught"),
    ("resolve-share", "hdl/tests/tile_buffers.rs", "planted_faults_are_caught"),
    ("depth-equal", "hdl/tests/depth.rs", "planted_faults_are_found"),
    ("depth-unwanted", "hdl/tests/depth.rs", "planted_faults_are_found"),
    ("depth-stale", "hdl/tests/depth.rs", "planted_faults_are_found"),
    ("depth-stale-three", "hdl/tests/depth.rs", "planted_faults_are_found"),
    ("depth-overtakes", "hdl/tests/depth.rs", "planted_faults_are_found"),
    ("depth-pending-twice", "hdl/tests/depth.rs", "planted_faults_are_found"),
    ("depth-late-stores", "hdl/tests/depth.rs", "planted_faults_are_found"),
    ("depth-further", "hdl/tests/depth.rs", "planted_faults_are_found"),
    ("stencil-clamp", "hdl/tests/depth.rs", "planted_faults_are_found"),
    ("stencil-write-mask", "hdl/tests/depth.rs", "planted_faults_are_found"),
    ("stencil-read-mask", "hdl/tests/depth.rs", "planted_faults_are_found"),
    ("stencil-depth-fail", "hdl/tests/depth.rs", "planted_faults_are_found"),
    ("stencil-front", "hdl/tests/depth.rs", "planted_faults_are_found"),
    ("collector-drop", "hdl/tests/collector.rs", "planted_faults_are_caught"),
    ("collector-stale", "hdl/tests/collector.rs", "planted_faults_are_caught"),
    ("collector-ticket", "hdl/tests/collector.rs", "planted_faults_are_caught"),
    ("collector-room", "hdl/tests/collector.rs", "planted_faults_are_caught"),
    ("collector-close-early", "hdl/tests/collector.rs", "planted_faults_are_caught"),
    ("collector-enter", "hdl/tests/collector.rs", "planted_faults_are_caught"),
    ("collector-end-lost", "hdl/tests/collector.rs", "planted_faults_are_caught"),
    ("collector-bypass", "hdl/tests/collector.rs", "planted_faults_are_caught"),
    ("collector-warps", "hdl/tests/collector.rs", "planted_faults_are_caught"),
    ("graphics-cull-starves", "hdl/tests/graphics_dispatcher.rs", "vertices_of_the_cull_pipeline_and_quads_take_turns"),
    ("graphics-cull-end", "hdl/tests/graphics_dispatcher.rs", "planted_faults_are_caught"),
    ("graphics-pairing", "hdl/tests/graphics_dispatcher.rs", "planted_faults_are_caught"),
    ("window-place", "hdl/tests/window.rs", "planted_faults_are_caught"),
    ("window-split", "hdl/tests/window.rs", "planted_faults_are_caught"),
    ("window-end", "hdl/tests/window.rs", "planted_faults_are_caught"),
    ("window-starved", "hdl/tests/window.rs", "planted_faults_are_caught"),
    ("window-lost", "hdl/tests/window.rs", "planted_faults_are_caught"),
    ("full-link", "hdl/tests/full.rs", "planted_faults_are_caught"),
    ("full-rest", "hdl/tests/full.rs", "planted_faults_are_caught"),
    ("full-early", "hdl/tests/full.rs", "planted_faults_are_caught"),
    ("full-cut", "hdl/tests/full.rs", "planted_faults_are_caught"),
    ("full-context", "hdl/tests/full.rs", "planted_faults_are_caught"),
    ("full-stale", "hdl/tests/full.rs", "planted_faults_are_caught"),
    ("full-corner", "hdl/tests/full.rs", "planted_faults_are_caught"),
    ("lead-state", "hdl/tests/cull.rs", "hz_31_no_state_is_written_over_one_that_is_to_come"),
    ("lead-met", "hdl/tests/cull.rs", "hz_31_streamers_meet_at_a_pass"),
    ("cull-record", "hdl/tests/cull.rs", "hz_31_the_record_holds_corners_back_before_it_is_full"),
    ("edges-corner", "hdl/tests/edge_visibility.rs", "planted_faults_are_caught"),
    ("edges-samples", "hdl/tests/edge_visibility.rs", "planted_faults_are_caught"),
    ("edges-rule", "hdl/tests/edge_visibility.rs", "planted_faults_are_caught"),
    ("edges-row", "hdl/tests/edge_visibility.rs", "planted_faults_are_caught"),
    ("front-bit", "cosim/harness/tests/cull_pipeline.rs", "planted_faults_of_the_cull_pipeline_are_caught"),
    ("cull-crosses", "cosim/harness/tests/cull_pipeline.rs", "planted_faults_of_the_cull_pipeline_are_caught"),
    ("strip-chain", "hdl/tests/front_behind.rs", "planted_faults_are_caught"),
    ("strip-mark", "cosim/harness/tests/cull_pipeline.rs", "planted_faults_of_the_cull_pipeline_are_caught"),
    ("cull-mark", "cosim/harness/tests/cull_pipeline.rs", "planted_faults_of_the_cull_pipeline_are_caught"),
    ("cull-forget", "cosim/harness/tests/cull_pipeline.rs", "planted_faults_of_the_cull_pipeline_are_caught"),
    ("hi-z-discard", "hdl/tests/hi_z.rs", "planted_faults_are_caught"),
    ("hi-z-always", "hdl/tests/hi_z.rs", "planted_faults_are_caught"),
    ("hi-z-blend", "hdl/tests/hi_z.rs", "planted_faults_are_caught"),
    ("hi-z-coverage", "hdl/tests/hi_z.rs", "planted_faults_are_caught"),
    ("hi-z-hold", "hdl/tests/hi_z.rs", "hz_13_a_run_waits_for_the_one_before"),
    ("hi-z-claimed", "hdl/tests/hi_z.rs", "hz_21_a_draw_that_may_write_leaves_its_direction"),
    ("hi-z-claims", "hdl/tests/hi_z.rs", "planted_faults_are_caught"),
    ("hi-z-stencil", "hdl/tests/draw_classes.rs", "planted_faults_are_caught"),
    ("raster-part-row", "hdl/tests/rasteriser.rs", "hidden_quads_are_left_out_and_nothing_else"),
    ("hide-parts-child", "hdl/tests/hide_parts.rs", "planted_faults_are_caught"),
    ("hide-parts-bound", "hdl/tests/hide_parts.rs", "planted_faults_are_caught"),
    ("hide-parts-stale", "hdl/tests/hide_parts.rs", "planted_faults_are_caught"),
    ("hide-parts-early", "hdl/tests/hide_parts.rs", "planted_faults_are_caught"),
    ("hi-z-turned", "hdl/tests/raster_hi_z.rs", "hz_21_a_group_that_is_here_changes_its_direction"),
    ("hi-z-equal", "hdl/tests/hi_z.rs", "planted_faults_are_caught"),
    ("hi-z-corner", "hdl/tests/hi_z.rs", "planted_faults_are_caught"),
    ("hi-z-run", "hdl/tests/hi_z.rs", "planted_faults_are_caught"),
    ("hi-z-runs", "hdl/tests/hi_z.rs", "planted_faults_are_caught"),
    ("hi-z-uncovered", "hdl/tests/hi_z.rs", "planted_faults_are_caught"),
    ("hi-z-reset", "hdl/tests/hi_z.rs", "planted_faults_are_caught"),
    ("hi-z-unknown", "hdl/tests/hi_z.rs", "planted_faults_are_caught"),
    ("hi-z-pass", "hdl/tests/hi_z.rs", "planted_faults_are_caught"),
    ("hi-z-sweep", "hdl/tests/hi_z.rs", "passes_are_told_apart_when_their_numbers_begin_again"),
    ("hi-z-tag", "hdl/tests/hi_z.rs", "planted_faults_are_caught"),
    ("hi-z-copy", "hdl/tests/hi_z.rs", "planted_faults_are_caught"),
    ("hi-z-stale-record", "hdl/tests/hi_z.rs", "planted_faults_are_caught"),
    ("hi-z-quad", "hdl/tests/hi_z.rs", "planted_faults_are_caught"),
    ("hi-z-late", "hdl/tests/hi_z.rs", "planted_faults_are_caught"),
    ("hi-z-held", "hdl/tests/hide_test.rs", "planted_faults_are_caught"),
    ("tile-test-group", "hdl/tests/tile_test.rs", "planted_faults_are_caught"),
    ("tile-test-run", "hdl/tests/tile_test.rs", "planted_faults_are_caught"),
    ("tile-test-level", "hdl/tests/tile_test.rs", "planted_faults_are_caught"),
    ("tile-test-stale", "hdl/tests/tile_test.rs", "planted_faults_are_caught"),
    ("raster-hi-z-wait", "hdl/tests/raster_hi_z.rs", "planted_faults_are_caught"),
    ("raster-hi-z-draw", "hdl/tests/raster_hi_z.rs", "planted_faults_are_caught"),
    ("back-lane", "hdl/tests/back_visibility.rs", "planted_faults_are_caught"),
    ("back-unknown", "hdl/tests/back_visibility.rs", "planted_faults_are_caught"),
    ("back-row", "hdl/tests/back_visibility.rs", "planted_faults_are_caught"),
    ("back-turn", "hdl/tests/back_visibility.rs", "planted_faults_are_caught"),
    ("back-lost", "hdl/tests/back_visibility.rs", "planted_faults_are_caught"),
    ("back-wait", "hdl/tests/back_visibility.rs", "planted_faults_are_caught"),
    ("back-settle", "hdl/tests/back_visibility.rs", "planted_faults_are_caught"),
    ("back-tile", "hdl/tests/back_visibility.rs", "planted_faults_are_caught"),
    ("back-place", "hdl/tests/depth.rs", "a_written_depth_of_another_place_is_noticed"),
    ("filter-level", "hdl/tests/quad_filter.rs", "planted_faults_are_caught"),
    ("filter-run", "hdl/tests/quad_filter.rs", "planted_faults_are_caught"),
    ("filter-uncovered", "hdl/tests/quad_filter.rs", "planted_faults_are_caught"),
    ("filter-done", "hdl/tests/quad_filter.rs", "planted_faults_are_caught"),
    ("binner-answer", "hdl/tests/binner.rs", "planted_faults_are_caught"),
    ("raster-headless", "hdl/tests/rasteriser.rs", "hidden_groups_are_dropped_and_nothing_else"),
    ("raster-hidden-end", "hdl/tests/rasteriser.rs", "hidden_groups_are_dropped_and_nothing_else"),
    ("merge-lost", "hdl/tests/merge_passage.rs", "planted_faults_are_caught"),
    ("merge-overtake", "hdl/tests/merge_passage.rs", "planted_faults_are_caught"),
    ("merge-overlap", "hdl/tests/merge_queue.rs", "planted_faults_are_caught"),
    ("merge-context", "hdl/tests/merge_queue.rs", "planted_faults_are_caught"),
    ("merge-place", "hdl/tests/merge_queue.rs", "planted_faults_are_caught"),
    ("merge-limit", "hdl/tests/merge_queue.rs", "planted_faults_are_caught"),
    ("merge-flip", "hdl/tests/merge_queue.rs", "planted_faults_are_caught"),
    ("merge-full-lost", "hdl/tests/merge_queue.rs", "planted_faults_are_caught"),
    ("merge-unmarked", "hdl/tests/merge_queue.rs", "planted_faults_are_caught"),
    ("merge-order", "hdl/tests/merge_queue.rs", "planted_faults_are_caught"),
    ("group-size", "hdl/tests/merge_queue.rs", "planted_faults_are_caught"),
    ("group-overlap", "hdl/tests/merge_queue.rs", "planted_faults_are_caught"),
    ("group-tags", "cosim/harness/tests/merging.rs", "planted_faults_of_pairs_are_caught_by_name"),
    ("group-free", "cosim/harness/tests/merging.rs", "planted_faults_of_pairs_are_caught_by_name"),
    ("bank-clash", "hdl/tests/register_banks.rs", "a_lost_completion_is_caught"),
    ("public-helper", "hdl/tests/warp_pairs.rs", "planted_faults_of_pairs_are_caught"),
    ("public-own", "hdl/tests/warp_pairs.rs", "planted_faults_of_pairs_are_caught"),
    ("private-shared", "hdl/tests/warp_pairs.rs", "planted_faults_of_pairs_are_caught"),
    ("merged-bare", "hdl/tests/warp_pairs.rs", "planted_faults_of_pairs_are_caught"),
    ("public-bitmap", "cosim/harness/tests/merging.rs", "planted_faults_of_registers_are_caught_by_name"),
    ("merged-joined", "hdl/tests/warp_pairs.rs", "planted_faults_of_pairs_are_caught"),
    ("merged-new", "cosim/harness/tests/merging.rs", "planted_faults_of_registers_are_caught_by_name"),
    ("pair-joined", "cosim/harness/tests/merging.rs", "planted_faults_of_registers_are_caught_by_name"),
    ("pair-open", "hdl/tests/warp_pairs.rs", "planted_faults_of_pairs_are_caught"),
    ("pair-waits", "cosim/harness/tests/merging.rs", "planted_faults_of_pairs_are_caught_by_name"),
    ("pair-alone", "cosim/harness/tests/merging.rs", "planted_faults_of_pairs_are_caught_by_name"),
    ("pair-end", "cosim/harness/tests/merging.rs", "planted_faults_of_pairs_are_caught_by_name"),
    ("merge-early", "cosim/harness/tests/merging.rs", "planted_faults_of_pairs_are_caught_by_name"),
    ("merge-helpers", "cosim/harness/tests/merging.rs", "planted_faults_of_pairs_are_caught_by_name"),
    ("flip-derivative", "cosim/harness/tests/merging.rs", "planted_faults_of_pairs_are_caught_by_name"),
    ("pair-tags", "cosim/harness/tests/merging.rs", "planted_faults_of_pairs_are_caught_by_name"),
    ("pair-attributes", "cosim/harness/tests/merging.rs", "planted_faults_of_pairs_are_caught_by_name"),
    ("pair-slots", "cosim/harness/tests/merging.rs", "planted_faults_of_pairs_are_caught_by_name"),
    ("pair-free", "cosim/harness/tests/merging.rs", "planted_faults_of_pairs_are_caught_by_name"),
    ("pair-lanes", "cosim/harness/tests/merging.rs", "planted_faults_of_pairs_are_caught_by_name"),
    ("event-counter", "cosim/harness/tests/merging.rs", "planted_faults_of_forms_are_caught_by_name"),
    ("event-count", "cosim/harness/tests/merging.rs", "planted_faults_of_forms_are_caught_by_name"),
    ("event-modifier", "cosim/harness/tests/merging.rs", "planted_faults_of_forms_are_caught_by_name"),
    ("helpers-stay", "cosim/harness/tests/merging.rs", "planted_faults_of_forms_are_caught_by_name"),
    ("group-waits", "hdl/tests/graphics_dispatcher.rs", "planted_faults_of_groups_are_caught"),
    ("split-union", "hdl/tests/graphics_dispatcher.rs", "planted_faults_of_groups_are_caught"),
    ("split-rank", "hdl/tests/graphics_dispatcher.rs", "planted_faults_of_groups_are_caught"),
    ("split-slots", "hdl/tests/graphics_dispatcher.rs", "planted_faults_of_groups_are_caught"),
    ("split-write", "hdl/tests/warp_pairs.rs", "planted_faults_of_pairs_are_caught"),
    ("split-home", "hdl/tests/warp_pairs.rs", "planted_faults_of_pairs_are_caught"),
    ("split-early", "hdl/tests/splits.rs", "planted_faults_of_members_are_caught"),
    ("split-sleeps", "cosim/harness/tests/splitting.rs", "planted_faults_of_splits_are_caught_by_name"),
    ("split-discarded", "cosim/harness/tests/splitting.rs", "planted_faults_of_splits_are_caught_by_name"),
    ("split-free", "cosim/harness/tests/splitting.rs", "planted_faults_of_splits_are_caught_by_name"),
    ("shape-depth", "cosim/harness/tests/splitting.rs", "planted_faults_of_pixels_are_caught_by_name"),
    ("shape-count", "cosim/harness/tests/splitting.rs", "planted_faults_of_pixels_are_caught_by_name"),
    ("shape-choice", "cosim/harness/tests/splitting.rs", "planted_faults_of_pixels_are_caught_by_name"),
    ("shape-read", "cosim/harness/tests/splitting.rs", "planted_faults_of_pixels_are_caught_by_name"),
    ("shape-counters", "cosim/harness/tests/splitting.rs", "planted_faults_of_pixels_are_caught_by_name"),
    ("shape-place", "cosim/harness/tests/splitting.rs", "planted_faults_of_pixels_are_caught_by_name"),
    ("shape-bary", "cosim/harness/tests/splitting.rs", "planted_faults_of_pixels_are_caught_by_name"),
    ("twin-slots", "cosim/harness/tests/both.rs", "planted_faults_of_both_points_are_caught_by_name"),
    ("twin-free", "cosim/harness/tests/both.rs", "planted_faults_of_both_points_are_caught_by_name"),
    ("twin-home", "cosim/harness/tests/both.rs", "planted_faults_of_both_points_are_caught_by_name"),
    ("twin-sleeps", "cosim/harness/tests/both.rs", "planted_faults_of_both_points_are_caught_by_name"),
    ("twin-helpers", "cosim/harness/tests/both.rs", "planted_faults_of_both_points_are_caught_by_name"),
    ("twin-tags", "cosim/harness/tests/both.rs", "planted_faults_of_both_points_are_caught_by_name"),
    ("twin-attributes", "cosim/harness/tests/both.rs", "planted_faults_of_both_points_are_caught_by_name"),
    ("twin-depth", "cosim/harness/tests/both.rs", "planted_faults_of_both_points_are_caught_by_name"),
    ("twin-early", "hdl/tests/warp_pairs.rs", "planted_faults_of_two_groups_are_caught"),
    ("twin-release", "hdl/tests/graphics_dispatcher.rs", "planted_faults_of_pairs_of_groups_are_caught"),
    ("result-order", "hdl/tests/result_store.rs", "planted_faults_are_caught"),
    ("result-stale", "hdl/tests/result_store.rs", "planted_faults_are_caught"),
    ("result-swap", "hdl/tests/result_store.rs", "planted_faults_are_caught"),
    ("result-mask", "hdl/tests/result_store.rs", "planted_faults_are_caught"),
    ("result-depth", "hdl/tests/result_store.rs", "planted_faults_are_caught"),
    ("result-helper", "hdl/tests/result_store.rs", "planted_faults_are_caught"),
    ("result-alone", "hdl/tests/result_store.rs", "planted_faults_are_caught"),
    ("result-forget", "hdl/tests/result_store.rs", "planted_faults_are_caught"),
    ("result-free", "hdl/tests/result_store.rs", "planted_faults_are_caught"),
    ("result-late", "hdl/tests/result_store.rs", "planted_faults_are_caught"),
    ("result-target", "hdl/tests/result_store.rs", "planted_faults_are_caught"),
    ("result-waits", "hdl/tests/result_store.rs", "planted_faults_are_caught"),
];

/// Those that lockstep finds on a machine whose cores differ (SE-3).
const MIXED_CORES: &[Elsewhere] = &[
    ("dispatch-slot-missing", "cosim/harness/tests/mixed_cores.rs", "se_3_the_dispatchers_faults_are_found_by_name"),
    ("dispatch-unable", "cosim/harness/tests/mixed_cores.rs", "se_3_the_dispatchers_faults_are_found_by_name"),
];

/// Whether `text` has a test of that name which names the fault; what is wrong if not.
fn names_the_fault(text: &str, test: &str, fault: Fault) -> Result<(), String> {
    let head = format!("#[test]\nfn {test}() {{\n");
    let (_, rest) = text.split_once(&head).ok_or_else(|| format!("there is no test `{test}`"))?;
    let body = rest.split("\n}\n").next().unwrap_or_default();
    let variant = format!("{fault:?}");
    let named = body.split(|c: char| !c.is_alphanumeric()).any(|word| word == variant);
    named.then_some(()).ok_or_else(|| format!("the test `{test}` does not name {variant}"))
}

#[test]
fn faults_without_a_row_are_caught_by_the_named_test() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for &(name, file, test) in BLOCK_TESTS_ONLY.iter().chain(MIXED_CORES) {
        let fault = Fault::by_name(name).unwrap_or_else(|| panic!("no fault is called {name}"));
        let text = std::fs::read_to_string(root.join(file)).unwrap_or_else(|e| panic!("{name}: {file}: {e}"));
        names_the_fault(&text, test, fault).unwrap_or_else(|e| panic!("{name}: {file}: {e}"));
    }
}

#[test]
fn the_look_into_sources_can_fail() {
    let text =
        "#[test]\nfn here() {\n    x(Fault::BusDrop);\n}\n\n#[test]\nfn there() {\n    x(Fault::BusUnfair);\n}\n";
    assert!(names_the_fault(text, "here", Fault::BusDrop).is_ok());
    assert!(names_the_fault(text, "here", Fault::BusUnfair).is_err(), "it is in the next test");
    assert!(names_the_fault(text, "gone", Fault::BusDrop).is_err());
}

/// Names all faults without a row at once, and those with two places.
#[test]
fn every_fault_of_the_rtl_has_one_place() {
    let rows: Vec<String> =
        [table::core::names(), table::thread::names(), table::warp_wide::names()].into_iter().flatten().collect();
    let places = |name: &str| {
        rows.iter().filter(|r| **r == format!("rtl:{name}")).count()
            + BLOCK_TESTS_ONLY.iter().chain(MIXED_CORES).filter(|e| e.0 == name).count()
    };
    let wrong: Vec<_> = Fault::ALL.iter().map(|f| (f.1, places(f.1))).filter(|p| p.1 != 1).collect();
    assert!(wrong.is_empty(), "faults and their places, of which each should have one: {wrong:?}");
    assert!(rows.iter().all(|r| Fault::by_name(&r["rtl:".len()..]).is_some()), "a row for no fault: {rows:?}");
}

#[test]
fn every_fault_of_the_model_has_a_row() {
    let rows: Vec<String> = table::model::names().into_iter().chain(table::model_alone::names()).collect();
    for (_, name, _) in quadlock_golden::Fault::ALL.iter().filter(|f| !f.0.is_of_graphics()) {
        assert!(rows.contains(&format!("model:{name}")), "no row for {name}");
    }
}
