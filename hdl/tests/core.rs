//! Whole-core tests: assembled programs on every shape of core, with rough memory timing; results
//! are compared with what the program must compute, launches with the grid, transactions with the
//! counts the machine page states.

use std::collections::BTreeMap;

use crate::memory_model::core::{Core, Job};
use crate::memory_model::Timing;
use quadlock_hdl::config::GpuConfig;

/// Stores the linear invocation number at 0x10000 and the packed local id at 0x14000, both indexed
/// by it. c[100] is the group size.
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
        assert_eq!(core.memory.word(0x14000 + 4 * id), x | (y << 10) | (z << 20), "local id of invocation {id}");
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

/// A grid in three dimensions with partial last warps: every invocation runs once, with its own
/// ids.
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

/// Every invocation adds to one counter, keeps the ticket it got, and adds its number to a 64-bit
/// sum. c[100] is the group size.
const COUNT: &str = "
    S2R r1, local_index
    S2R r2, group_x
    IMAD r3, r2, c[100], r1
    MOV r0, #0
    MOV r4, #1
    ATOM32.ADD r5, [r0+0x10000], r4
    SHL r6, r5, #2
    ST.32 [r6+0x14000], r3
    MOV r8, #0xC0000000
    MOV r9, r4
    ATOM64.ADD r10, [r0+0x10008], r8
    END
";

/// Atomics of all lanes of all units: nothing is lost, tickets are unique (WW-10).
#[test]
fn atomics_from_every_lane_of_every_unit() {
    for (units, seed) in [(1, 1), (2, 2), (4, 3)] {
        let config = GpuConfig { units, warps: 4, ..GpuConfig::default() };
        let job = Job::free([7, 1, 1], [6, 1, 1]);
        let mut core = Core::new(&config, Timing::rough(seed));
        core.run(COUNT, &job, &[(100, 6)], 60_000);
        assert_eq!(core.memory.word(0x10000), 42);
        let sum = u64::from(core.memory.word(0x10008)) | (u64::from(core.memory.word(0x1000C)) << 32);
        assert_eq!(sum, 42 * 0x1_C000_0000);
        let mut holders: Vec<u32> = (0..42).map(|t| core.memory.word(0x14000 + 4 * t)).collect();
        holders.sort_unstable();
        assert_eq!(holders, (0..42).collect::<Vec<_>>());
    }
}

/// WW-10 seen at the memory port: n active lanes of one atomic cost n line reads and n line writes.
#[test]
fn atomics_cost_one_pair_of_transactions_per_lane() {
    let text = "MOV r0, #0\nMOV r1, #5\nATOM32.ADD r2, [r0+0x10000], r1\nEND";
    for lanes in 1..=4 {
        let mut core = Core::new(&GpuConfig::default(), Timing::FAST);
        core.run(text, &Job::free([1, 1, 1], [lanes, 1, 1]), &[], 2_000);
        assert_eq!(core.memory.word(0x10000), 5 * lanes);
        let at = |write| core.memory.log.iter().filter(|t| t.addr == 0x10000 && t.write == write).count() as u32;
        assert_eq!((at(false), at(true)), (lanes, lanes));
    }
}

/// Lanes of one line are one transaction at the memory port; a stride of a line makes four.
#[test]
fn coalescing_at_the_memory_port() {
    for (shift, transactions) in [(2, 1), (3, 2), (4, 4)] {
        let text =
            format!("S2R r1, local_index\nSHL r2, r1, #{shift}\nLD.32 r3, [r2+0x10000]\nST.32 [r2+0x12000], r1\nEND");
        let mut core = Core::new(&GpuConfig::default(), Timing::FAST);
        core.run(&text, &Job::free([1, 1, 1], [4, 1, 1]), &[], 2_000);
        let data = |write| core.memory.log.iter().filter(|t| t.addr >= 0x10000 && t.write == write).count();
        assert_eq!((data(false), data(true)), (transactions, transactions), "stride {}", 1 << shift);
    }
}

/// Each invocation reads, after a barrier, what its mirror image in the group wrote to shared
/// storage before it; twice. c[100] is the group size.
const MIRROR: &str = "
    S2R r1, local_index
    S2R r2, shared_base
    S2R r3, group_x
    SHL r4, r1, #2
    IADD r4, r4, r2
    MOV r6, c[100]
    ISUB r6, r6, r1
    ISUB r6, r6, #1
    SHL r6, r6, #2
    IADD r6, r6, r2
    IMAD r5, r3, #1000, r1
    STS.32 [r4+0], r5
    BAR
    LDS.32 r7, [r6+0]
    BAR
    IADD r7, r7, #7
    STS.32 [r4+0], r7
    BAR
    LDS.32 r7, [r6+0]
    IMAD r8, r3, c[100], r1
    SHL r8, r8, #2
    ST.32 [r8+0x10000], r7
    END
";

/// Pinned groups: one unit each, adjacent slots, own windows of shared storage, barriers that hold
/// until all warps have arrived.
#[test]
fn pinned_groups_with_barrier_and_shared_storage() {
    for (size, group_slots, warps, seed) in [(24, 1, 8, 1), (8, 4, 8, 2), (6, 2, 5, 3), (64, 1, 16, 4), (4, 2, 2, 5)] {
        let config = GpuConfig { warps, ..GpuConfig::default() };
        let job = Job {
            grid: [5, 1, 1],
            group: [size, 1, 1],
            pinned: true,
            group_slots,
            shared_bytes: size.div_ceil(4) * 16,
        };
        let mut core = Core::new(&config, if seed == 1 { Timing::FAST } else { Timing::rough(seed) });
        core.run(MIRROR, &job, &[(100, size)], 60_000);
        for id in 0..job.threads() {
            assert_eq!(
                core.memory.word(0x10000 + 4 * id),
                id / size * 1000 + id % size + 7,
                "invocation {id} of groups of {size}"
            );
        }
        for launch in core.launches.chunks(size.div_ceil(4) as usize) {
            let (unit, first) = (launch[0].0, launch[0].1);
            assert_eq!(first % size.div_ceil(4), 0, "window starts at a multiple of its size");
            assert!(launch.iter().enumerate().all(|(i, l)| l.0 == unit && l.1 == first + i as u32 && l.4 == i as u32));
        }
    }
}

/// A second launch runs other code: `start` makes the instruction caches forget. An undefined
/// encoding sets the trap report, until the next start.
#[test]
fn second_launch_and_trap_report() {
    let mut core = Core::new(&GpuConfig::default(), Timing::FAST);
    let job = Job::free([1, 1, 1], [4, 1, 1]);
    core.run("MOV r0, #0\nMOV r1, #1\nST.32 [r0+0x10000], r1\nEND", &job, &[], 2_000);
    assert_eq!(core.memory.word(0x10000), 1);
    assert!(!core.bench.trapped.val());
    core.run("MOV r0, #0\n.word 0x0f\nEND", &job, &[], 2_000);
    assert!(core.bench.trapped.val());
    assert_eq!(core.bench.trap.pc.val().to_u32(), 1);
    assert_eq!(core.bench.trap.unit.val().to_u32(), core.launches[1].0);
    assert_eq!(core.bench.trap.warp.val().to_u32(), core.launches[1].1);
    core.run("MOV r0, #0\nMOV r1, #2\nST.32 [r0+0x10000], r1\nEND", &job, &[], 2_000);
    assert_eq!(core.memory.word(0x10000), 2);
    assert!(!core.bench.trapped.val());
}

/// Without event ports the core does the same at its memory port, cycle by cycle, and the event
/// ports are zero.
#[test]
fn event_ports_change_nothing() {
    let job = Job::free([3, 1, 1], [6, 1, 1]);
    let run = |trace| {
        let mut core = Core::new(&GpuConfig { trace, ..GpuConfig::default() }, Timing::rough(4));
        core.run(COUNT, &job, &[(100, 6)], 20_000);
        (core.cycles, core.memory.log, core.retired)
    };
    let (with, without) = (run(true), run(false));
    assert_eq!((&with.0, &with.1), (&without.0, &without.1));
    assert!(with.2 > 0 && without.2 == 0);
}
