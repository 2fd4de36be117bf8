//! Tests of the harness in one program: one to compile and link instead of twenty. A test's name
//! begins with its file: `cargo nextest run -p quadlock waves::`. Programs of their own are the
//! folders that somebody runs alone: bad input, planted bugs, pages. The kit's test of the house
//! fails if a file here is in no program.

mod before_runs;
mod beside;
mod both;
mod cache;
mod cli;
mod command;
mod cull_pipeline;
mod declared_outputs;
mod dispatches;
mod float_faults;
mod fuzz_kept;
mod fuzz_scenes;
mod handovers;
mod in_flight;
mod languages;
mod link_command;
mod link_errors;
mod link_variants;
mod linked_jobs;
mod linked_scenes;
mod lists_in_waves;
mod litmus;
mod lock_owner;
mod manners;
mod merging;
mod mixed_cores;
mod netlist;
mod own_semaphores;
mod plain;
mod push_constants;
mod regress;
mod scene_inputs;
mod scene_outputs;
mod scene_passes;
mod scene_rules;
mod scene_views;
mod scenes;
mod shader_check;
mod small_pool;
mod softfloat;
mod splitting;
mod stencil_culls;
mod suites;
mod traces;
mod unfinished;
mod untraced;
mod verdicts;
mod viewports;
mod warp_lock;
mod warp_wide_64;
mod warp_wide_late;
mod warp_wide_shared;
mod waves;
