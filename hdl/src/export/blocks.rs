//! The table of the blocks: Verilog module, Rust source, what it is, and how to make one by itself.
//! Each folder has the rows of its blocks ([`crate::catalogue`]), and this file joins them.

use crate::base::drive::Drive;
use crate::catalogue::{Row, Source};
use crate::config::GpuConfig;
use crate::core::Core;
use crate::gpu::Gpu;
use crate::graphics::GraphicsPipeline;
use crate::{
    attribute, bus, cell, command, cull, dispatch, float, geometry, integer, memory, output, raster, semaphore, vertex,
    visibility, warp,
};

/// The machine in a checked configuration: [`Gpu::new`] refuses what [`GpuConfig::check`] refuses,
/// and that has been asked.
fn machine(config: &GpuConfig) -> Gpu {
    Gpu::new(config).expect("the configuration was checked")
}

crate::blocks! {
    "quadlock" "gpu.rs" "Gpu" "the whole machine" |c| machine(c);
    "core" "core.rs" "Core" "one core" |c| Core::new(c);
    "graphics_pipeline" "graphics.rs" "GraphicsPipeline" "all graphics blocks except the warp units" |c| GraphicsPipeline::new(c);
}

/// The whole machine first.
const FOLDERS: &[&[Row]] = &[
    BLOCKS,
    dispatch::BLOCKS,
    command::BLOCKS,
    cull::BLOCKS,
    vertex::BLOCKS,
    geometry::BLOCKS,
    warp::BLOCKS,
    cell::BLOCKS,
    float::BLOCKS,
    integer::BLOCKS,
    memory::BLOCKS,
    attribute::BLOCKS,
    bus::BLOCKS,
    visibility::unit::BLOCKS,
    visibility::hi_z::BLOCKS,
    visibility::filter::BLOCKS,
    visibility::binner::BLOCKS,
    raster::BLOCKS,
    semaphore::BLOCKS,
    output::BLOCKS,
];

const COUNT: usize = {
    let (mut count, mut folder) = (0, 0);
    while folder < FOLDERS.len() {
        count += FOLDERS[folder].len();
        folder += 1;
    }
    count
};

/// Every row.
const ROWS: [&Row; COUNT] = {
    let mut rows = [&BLOCKS[0]; COUNT];
    let (mut at, mut folder) = (0, 0);
    while folder < FOLDERS.len() {
        let mut row = 0;
        while row < FOLDERS[folder].len() {
            rows[at] = &FOLDERS[folder][row];
            (at, row) = (at + 1, row + 1);
        }
        folder += 1;
    }
    rows
};

/// Every block that can be exported by itself, with what it is; the whole machine first.
pub const TOPS: &[(&str, &str)] = &{
    let mut tops = [("", ""); COUNT];
    let mut at = 0;
    while at < COUNT {
        tops[at] = (ROWS[at].module, ROWS[at].what);
        at += 1;
    }
    tops
};

/// The block of that name on rust-hdl's engine, not yet connected; nothing if there is none. The
/// configuration must have been checked.
pub fn make(top: &str, config: &GpuConfig) -> Option<Box<dyn Drive>> {
    ROWS.iter().find(|row| row.module == top).map(|row| (row.make)(config))
}

/// The source of a module that asked for this name.
pub(super) fn source(wish: &str) -> Option<&'static Source> {
    let stem = wish.trim_end_matches(|c: char| c.is_ascii_digit() || c == '_');
    let of = |name: &str| ROWS.iter().find(|row| row.module == name).map(|row| &row.source);
    of(wish).or_else(|| of(stem))
}
