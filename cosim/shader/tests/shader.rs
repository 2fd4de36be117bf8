//! All tests of the shader compiler in one program: one to compile and link instead of eleven. A
//! test's name begins with its file: `cargo nextest run -p quadlock-shader own_lock::`. The kit's
//! test of the house fails if a file here is in no program.

mod common;

mod binary;
mod declared;
mod driver;
mod examples;
mod floors;
mod formats;
mod fragments;
mod interpolation;
mod link_reasons;
mod linking;
mod loop_shape;
mod memory_order;
mod merge;
mod own_lock;
mod pipelines;
mod position;
mod random_spirv;
mod random_wgsl;
mod same_code;
mod semaphores;
mod split;
mod stages;
mod warp_aggregate;
mod warp_exact;
mod warp_wide;
mod warp_wide_64;
