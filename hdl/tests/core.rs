//! Whole-core tests: assembled programs on every shape of core, with rough memory timing; results are compared with what the program must
//! compute, launches with the grid, transactions with the counts the machine page states.

mod memory_model;

use std::collections::BTreeMap;

use memory_model::core::{Core, Job};
use memory_model::Timing;
use quadlock_hdl::config::GpuConfig;

/// Stores the linear invocation number at 0x10000 and the packed local id at 0x14000, both indexed by it. c[100] is the group size.
const IDS: &str = "
    S2R r1, group_x
    S2R r2, group_y
    S2R r3, group_z
    S2R r4, local_index
    S2R r5, local_id
    IMAD r6, r3, c[1], r2
    IMAD r6, r6, c[0], r1
    IMAD r6, r6, c[100], r4
    SHL r7, r6, #2
    ST.32 [r7+0x10000], r6
    ST.32 [r7+0x14000], r5
    END
";

fn check_ids(core: &Core, job: &Job) {
    let size: u32 = job.group.iter().product();
    for id in 0..job.threads() {
        let local = id % size;
        let (x, y, z) =
            (local % job.group[0], local / job.group[0] % job.group[1], local / (job.group[0] * job.group[1]));
        assert_eq!(core.memory.word(0x10000 + 4 * id), id, "invocation {id}");
        assert_eq!(core.memory.word(0x14000 + 4 * id), x | y << 10 | z << 20, "local id of invocation {id}");
    }
    assert_eq!(core.memory.word(0x10000 + 4 * job.threads()), 0, "nothing past the end");
    // Each warp of each group exactly once, with the lanes that exist.
    let mut seen = BTreeMap::new();
    for (_, _, mask, group, warp) in &core.launches {
        let lanes = (size - 4 * warp).min(4);
        assert_eq!(*mask, (1 << lanes) - 1, "mask of warp {warp}");
        *seen.entry((*group, *warp)).or_insert(0) += 1;
    }
    assert_eq!(seen.len() as u32, size.div_ceil(4) * job.grid.iter().product::<u32>());
    assert!(seen.values().all(|&n| n == 1));
}

/// A grid in three dimensions with partial last warps: every invocation runs once, with its own ids.
#[test]
fn ids_over_a_grid_with_partial_warps() {
    let job = Job::free([3, 2, 2], [3, 2, 1]);
    let mut core = Core::new(&GpuConfig::default(), Timing::FAST);
    core.run(IDS, &job, &[(100, 6)], 20_000);
    check_ids(&core, &job);
    let units: Vec<u32> = core.launches.iter().map(|l| l.0).collect();
    assert!(units.contains(&0) && units.contains(&1), "both units get work");
}

/// Any legal number of units and warps, rough memory timing: same results, no hang.
#[test]
fn any_shape_of_core() {
    for (units, warps) in [(1, 2), (1, 16), (2, 3), (3, 4), (8, 2)] {
        let config = GpuConfig { units, warps, icache_lines: 8, ..GpuConfig::default() };
        let job = Job::free([2, 3, 1], [5, 1, 2]);
        let mut core = Core::new(&config, Timing::rough(units as u64 * 16 + warps as u64));
        core.run(IDS, &job, &[(100, 10)], 40_000);
        check_ids(&core, &job);
    }
}
