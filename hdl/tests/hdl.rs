//! All tests of the RTL in one program: one to compile and link instead of forty-one. A test's
//! name begins with its file: `cargo nextest run -p quadlock-hdl warp_unit::`. The kit's test of
//! the house fails if a file here is in no program.

mod common;
mod depth_model;
mod kernel_text;
mod divide {
    pub mod bench;
    pub mod hard;
}
mod memory_model;
mod raster {
    pub mod reference;
    pub mod run;
}
mod resolve_model;
mod roomy;
mod thread_list;
mod warp {
    pub mod bench;
}

mod arbiter;
mod attribute_queue;
mod attribute_unit;
mod back_visibility;
mod binner;
mod blend;
mod blend_cells;
mod blend_floats;
mod bundles;
mod cells;
mod collector;
mod command_streamer;
mod compute_machine;
mod configuration;
mod core;
mod cross_lane;
mod cull;
mod depth;
mod differences;
mod dispatch;
mod draw_classes;
mod edge_visibility;
mod encounters;
mod export_folder;
mod export_lint;
mod exports;
mod float_divide;
mod float_ends;
mod float_functions;
mod floors;
mod front_behind;
mod full;
mod function_cells;
mod function_unit;
mod geometry;
mod graphics_dispatcher;
mod graphics_warps;
mod hi_z;
mod hide_parts;
mod hide_test;
mod kernel;
mod lane_float;
mod lane_format;
mod lane_integer;
mod lane_integral;
mod late_bounds;
mod late_results;
mod lengths;
mod lsa;
mod meanings;
mod memory_sources;
mod merge_passage;
mod merge_queue;
mod message_bus;
mod message_queue;
mod number_queue;
mod parameters;
mod presets;
mod quad_filter;
mod raster_hi_z;
mod rasteriser;
mod recipe;
mod record_words;
mod register_banks;
mod response_queue;
mod result_store;
mod reused;
mod row_controller;
mod scalar_unit;
mod semaphore_entity;
mod semaphore_path;
mod shape;
mod shared_result;
mod shared_storage;
mod splits;
mod thread_dispatcher;
mod thread_view;
mod threads;
mod tile_buffers;
mod tile_test;
mod untraced;
mod vertex_front_end;
mod waiting_room;
mod warp_pairs;
mod warp_scheduler;
mod warp_semaphores;
mod warp_unit;
mod warp_wide;
mod wide_cells;
mod wide_combinations;
mod wide_late;
mod window;
mod wiring;
