//! The thread dispatcher on grids, against a model of warp units that run each warp for a random
//! time: every warp of every group exactly once, into a free slot, with its ids; pinned groups in
//! whole windows. The planted faults 37 and 38 must break it. (Thread lists:
//! `thread_dispatcher.rs`.)

use std::collections::{BTreeMap, VecDeque};

use quadlock_hdl::base::testing::Bench;
use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::dispatch::ThreadDispatcher;
use quadlock_hdl::fault::Fault;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

#[derive(Clone, Copy)]
struct Launch {
    grid: [u32; 3],
    size: [u32; 3],
    pinned: bool,
    group_slots: u32,
    shared_bytes: u32,
}

impl Launch {
    fn warps(&self) -> u32 {
        self.size.iter().product::<u32>().div_ceil(4)
    }
}

/// Runs a launch to its end; says what is wrong, if anything. Returns the cycles it took.
fn run(config: &GpuConfig, job: &Launch, seed: u64) -> Result<u64, String> {
    let mut bench = Bench::new(ThreadDispatcher::new(config), |b| &mut b.clock);
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    // Cycles that each slot's warp still runs; 0 is free.
    let mut slots = vec![vec![0u32; config.warps]; config.total_units()];
    let mut ends = vec![VecDeque::new(); config.rows];
    let registers = [0x1000, 9].into_iter().chain(job.grid).chain(job.size).chain([
        job.warps(),
        job.pinned.into(),
        job.group_slots,
        job.shared_bytes,
        16,
    ]);
    let mut writes: Vec<(u64, u64)> = registers.enumerate().map(|(i, v)| (0x1001 + i as u64, u64::from(v))).collect();
    writes.push((0x1000, 1));
    for (address, data) in writes {
        bench.host_valid.next = true;
        bench.host_addr.next = address.into();
        bench.host_data.next = data.into();
        bench.memory_idle.next = true;
        bench.messages_idle.next = true;
        bench.cycle();
    }
    bench.host_valid.next = false;
    let mut seen: BTreeMap<([u32; 3], u32), u32> = BTreeMap::new();
    let mut cycles = 0;
    while bench.busy.val() {
        for (row, ends) in ends.iter_mut().enumerate() {
            let end = ends.pop_front();
            bench.end[row].valid.next = end.is_some();
            if let Some((unit, slot)) = end {
                bench.end[row].unit.next = (unit as u64).into();
                bench.end[row].warp.next = (slot as u64).into();
            }
        }
        bench.settle();
        for (unit, slots) in slots.iter_mut().enumerate() {
            for (slot, left) in slots.iter_mut().enumerate().filter(|(_, left)| **left > 0) {
                *left -= 1;
                if *left == 0 {
                    ends[unit / (config.cores * config.units)].push_back((unit, slot));
                }
            }
        }
        if bench.launch.valid.val() {
            check(&bench, job, &mut slots, &mut seen, rng.random_range(5..60))?;
        }
        bench.cycle();
        cycles += 1;
        if cycles > 200_000 {
            return Err("does not end".into());
        }
    }
    if slots.iter().flatten().any(|&left| left > 0) || ends.iter().any(|e| !e.is_empty()) {
        return Err("busy fell while a warp ran".into());
    }
    let expected = job.warps() * job.grid.iter().product::<u32>();
    if seen.len() as u32 != expected {
        return Err(format!("{} of {expected} warps launched", seen.len()));
    }
    Ok(cycles)
}

fn check(
    b: &ThreadDispatcher,
    job: &Launch,
    slots: &mut [Vec<u32>],
    seen: &mut BTreeMap<([u32; 3], u32), u32>,
    runs: u32,
) -> Result<(), String> {
    let (unit, slot) = (b.place_ports.launch_unit.val().index(), b.launch.warp.val().index());
    let group = [b.launch.group_x.val(), b.launch.group_y.val(), b.launch.group_z.val()].map(|v| v.to_u32());
    let warp = b.place_ports.launch_warp_in_group.val().to_u32();
    let what = format!("group {group:?} warp {warp} in unit {unit} slot {slot}");
    if slots[unit][slot] != 0 {
        return Err(format!("{what}: slot is not free"));
    }
    slots[unit][slot] = runs + 4;
    if seen.insert((group, warp), 1).is_some() {
        return Err(format!("{what}: launched twice"));
    }
    let total: u32 = job.size.iter().product();
    let ids = b.launch.local_id.each_ref().map(|port| port.val());
    let indices = b.launch.index.each_ref().map(|port| port.val());
    for lane in 0..4 {
        let linear = 4 * warp + lane as u32;
        let inside = linear < total;
        if b.launch.mask.val().get_bit(lane) != inside {
            return Err(format!("{what}: mask {:x}", b.launch.mask.val()));
        }
        let [sx, sy, _] = job.size;
        let id = (linear % sx) | ((linear / sx % sy) << 10) | ((linear / (sx * sy)) << 20);
        if inside && (ids[lane].to_u32() != id || indices[lane].to_u32() != linear) {
            return Err(format!("{what}: lane {lane} id {:x} index {:x}", ids[lane], indices[lane]));
        }
    }
    if b.launch.pc.val().any() || b.launch.wait.val().any() {
        return Err(format!(
            "{what}: program counter {:x}, {:x} acknowledgements",
            b.launch.pc.val(),
            b.launch.wait.val()
        ));
    }
    let (first, warps) = (b.launch.first.val().to_u32(), b.launch.warps.val().to_u32());
    let group_slot = b.place_ports.launch_group_slot.val().to_u32();
    let (expected, base) = if job.pinned {
        ((group_slot * job.warps(), job.warps(), slot as u32 - warp), group_slot * job.shared_bytes)
    } else {
        ((slot as u32, 1, slot as u32), 0)
    };
    if (first, warps, first) != expected
        || b.launch.shared_base.val().to_u32() != base
        || (job.pinned && group_slot >= job.group_slots)
    {
        return Err(format!(
            "{what}: group slot {group_slot} first {first} warps {warps} base {:x}",
            b.launch.shared_base.val()
        ));
    }
    Ok(())
}

const FREE: Launch = Launch { grid: [3, 2, 2], size: [5, 3, 1], pinned: false, group_slots: 1, shared_bytes: 0 };

/// Grids and groups of all shapes, cores of all shapes.
#[test]
fn every_warp_once_with_its_ids() {
    let sizes = [[1, 1, 1], [4, 1, 1], [5, 3, 1], [2, 3, 5], [1, 1, 7], [16, 16, 1], [32, 32, 1], [1, 1, 1024]];
    for (k, size) in sizes.into_iter().enumerate() {
        for (units, warps) in [(1, 2), (2, 8), (8, 16)] {
            let config = GpuConfig { units, warps, ..GpuConfig::default() };
            let grid = if size.iter().product::<u32>() > 64 { [2, 1, 1] } else { [3, 2, 2] };
            let job = Launch { grid, size, ..FREE };
            run(&config, &job, k as u64)
                .unwrap_or_else(|e| panic!("{units} units, {warps} warps, group {size:?}: {e}"));
        }
    }
}

/// Pinned groups sit in windows that start at a multiple of their size, with their share of shared
/// storage.
#[test]
fn pinned_groups_get_whole_windows() {
    for (size, warps, group_slots) in [
        ([8, 1, 1], 8, 4),
        ([8, 1, 1], 8, 2),
        ([3, 3, 3], 8, 1),
        ([4, 4, 4], 16, 1),
        ([4, 1, 1], 16, 16),
        ([5, 2, 1], 7, 2),
    ] {
        let job = Launch { grid: [4, 3, 1], size, pinned: true, group_slots, shared_bytes: 48 };
        let config = GpuConfig { units: 2, warps, ..GpuConfig::default() };
        run(&config, &job, 9).unwrap_or_else(|e| panic!("group {size:?} on {warps} warps: {e}"));
    }
}

/// The same with several cores in several rows.
#[test]
fn grids_run_on_several_cores() {
    for (rows, cores, units) in [(2, 2, 1), (3, 2, 2)] {
        let config = GpuConfig { rows, cores, units, warps: 4, ..GpuConfig::default() };
        let pinned = Launch { grid: [5, 4, 2], size: [8, 1, 1], pinned: true, group_slots: 2, shared_bytes: 48 };
        for job in [Launch { grid: [5, 4, 2], ..FREE }, pinned] {
            run(&config, &job, 3).unwrap_or_else(|e| panic!("{rows} rows, {cores} cores, pinned {}: {e}", job.pinned));
        }
    }
}

/// With slots to spare a launch takes six cycles.
#[test]
fn six_cycles_per_launch() {
    let config = GpuConfig { units: 8, warps: 16, ..GpuConfig::default() };
    let job = Launch { grid: [100, 1, 1], size: [4, 1, 1], ..FREE };
    let cycles = run(&config, &job, 1).unwrap();
    assert!((600..=600 + 80).contains(&cycles), "{cycles} cycles for 100 launches and the drain");
}

/// The planted faults of the dispatcher are seen.
#[test]
fn planted_faults_are_caught() {
    for (fault, message) in [(Fault::DispatchSkip, "warps launched"), (Fault::DispatchTwice, "launched twice")] {
        let config = GpuConfig { fault: Some(fault), ..GpuConfig::default() };
        let error = run(&config, &FREE, 1).expect_err("not caught");
        assert!(error.contains(message), "{fault:?}: {error}");
    }
}
