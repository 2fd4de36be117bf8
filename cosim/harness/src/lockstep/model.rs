//! The golden model of a machine, with a launch in its memory.

use quadlock_golden::{Config as GoldenConfig, Golden, Grid, Memory as GoldenMemory, UnitShape};
use quadlock_hdl::config::{GpuConfig, WarpWide, WideLate};

use crate::machine::launch::Launch;

/// The model's view of a launch.
pub fn grid(launch: &Launch, config: &GpuConfig) -> Grid {
    Grid {
        groups: launch.grid,
        group_size: launch.group_size,
        pinned: launch.pinned,
        group_slots: if launch.pinned { launch.group_slots(config) as usize } else { 0 },
        shared_bytes: launch.shared_bytes,
    }
}

/// The model of a machine of that configuration with `launch` in its memory.
pub fn golden(launch: &Launch, config: &GpuConfig, fault: Option<quadlock_golden::Fault>) -> Golden {
    let mut bytes = vec![0; launch.image.base as usize];
    bytes.extend_from_slice(&launch.image.bytes);
    let config = GoldenConfig {
        units: config.total_units(),
        warps: config.most_warps(),
        shapes: config.unit_places().iter().map(|u| UnitShape { warps: u.warps, functions: u.function_unit }).collect(),
        shared_words: config.shared_words,
        semaphores: config.semaphores.semaphores,
        any_may_release: config.semaphores.any_may_release,
        warp_wide: config.warp_wide != WarpWide::Off,
        late_stored: config.warp_wide_late == WideLate::Stored,
        graphics: config.graphics,
        merge: config.merges(),
        merge_alone: config.merge_alone,
        public_registers: config.public_registers,
        event_form: config.event_form,
        merge_helpers_end: config.merge_helpers_end,
        merge_private: config.merge_private,
        split: config.splits(),
        split_shape: config.split_shape,
        merge_split: config.twins(),
        fault,
    };
    let (code, bank, memory) = (launch.code.clone(), launch.constant_bank(), GoldenMemory::from_bytes(bytes));
    match launch.left().and_then(|left| left.golden.clone()) {
        Some(before) => before.started_again(code, bank, memory),
        None => Golden::new(config, code, bank, memory),
    }
}
