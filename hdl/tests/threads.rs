//! The whole machine with threads and semaphores: lists of threads in assembly, on one core and on
//! several, with rough memory timing. What they leave in memory shows the order in which they ran;
//! without the semaphores the order would be another one (the last test).

use crate::memory_model::core::Core;
use crate::memory_model::Timing;
use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::config::{BusKind, SemaphoreConfig};
use quadlock_hdl::fault::Fault;
use quadlock_isa::thread::{SemaphoreRequest, ThreadRecord};
use quadlock_testkit::tier;

/// Appends the thread's data word to a list: count at 0x10000, entries from 0x10100. Neither atomic
/// nor guarded: only one thread may be inside.
const APPEND: &str = "
    LD.32 r1, [r0+0x10000]
    S2R r2, group_x
    SHL r3, r1, #2
    ST.32 [r3+0x10100], r2
    IADD r1, r1, #1
    ST.32 [r0+0x10000], r1
";

fn program(before: &str, after: &str) -> String {
    format!("MOV r0, #0\n{before}\n{APPEND}\n{after}\nEND")
}

fn thread(number: u32, requests: &[(u16, bool, bool)]) -> ThreadRecord {
    let request = |&(semaphore, auto_release, suppress)| SemaphoreRequest { semaphore, auto_release, suppress };
    ThreadRecord { pc: 0, mask: 1, data: [number, 0, 0], requests: requests.iter().map(request).collect() }
}

fn machine(rows: usize, cores: usize) -> GpuConfig {
    GpuConfig { rows, cores, units: 1, warps: 4, icache_lines: 32, ..GpuConfig::default() }
}

/// What the threads appended.
fn appended(core: &Core) -> Vec<u32> {
    (0..core.memory.word(0x10000)).map(|i| core.memory.word(0x10100 + 4 * i)).collect()
}

const SHAPES: [(usize, usize); 3] = [(1, 1), (2, 2), (3, 3)];

/// SE-41, SE-50: an ordered chain. Every thread waits for its turn (WTS), appends, releases; the
/// order is that of the list.
#[test]
fn se_50_a_chain_of_threads_appends_in_order() {
    for (rows, cores) in tier::first(2, SHAPES) {
        for bus in [BusKind::Crossbar, BusKind::Shared] {
            let threads: Vec<_> = (0..8).map(|i| thread(i, &[(5, false, false)])).collect();
            let timing = if bus == BusKind::Shared { Timing::rough(3) } else { Timing::FAST };
            let mut machine = Core::new(&GpuConfig { bus, ..machine(rows, cores) }, timing);
            machine.run_threads(&program("WTS", "RLS #5"), &threads, 20_000);
            assert_eq!(appended(&machine), (0..8).collect::<Vec<_>>(), "{rows}x{cores}, {bus:?}");
            let units = machine.launches.iter().map(|l| l.0).collect::<std::collections::BTreeSet<_>>();
            assert!(rows * cores == 1 || units.len() > 1, "{rows}x{cores}: only units {units:?} get threads");
        }
    }
}

/// SE-40: associative. Threads acquire at run time, in whatever order they come; each is inside
/// alone. Entries are fewer than threads (SE-12).
#[test]
fn se_40_acquired_at_run_time_each_is_inside_alone() {
    for (rows, cores) in tier::first(2, SHAPES) {
        let semaphores = SemaphoreConfig { semaphores: 16, pool: 4, ..SemaphoreConfig::default() };
        let mut machine = Core::new(&GpuConfig { semaphores, ..machine(rows, cores) }, Timing::rough(8));
        let threads: Vec<_> = (0..12).map(|i| thread(i, &[])).collect();
        machine.run_threads(&program("MOV r9, #3\nACS r9", "RLS r9"), &threads, 30_000);
        let mut all = appended(&machine);
        all.sort_unstable();
        assert_eq!(all, (0..12).collect::<Vec<_>>(), "{rows}x{cores}");
    }
}

/// SE-51, 1:1, 1:N, N:1, N:M and N:1:N: a successor runs when all its predecessors have released.
/// The predecessors count up atomically; a successor, first to be able to run, reads the count. The
/// one in the middle of N:1:N waits for semaphore 2 and adds 100 before it releases semaphore 3.
#[test]
fn se_51_a_successor_starts_behind_all_its_predecessors() {
    let text = "
        MOV r0, #0
        MOV r1, #1
        S2R r2, group_x
        S2R r5, group_y
        BNZ r5, middle
        BNZ r2, successor
        ATOM32.ADD r3, [r0+0x10010], r1
        RLS #2
        END
    middle:
        WTS
        LD.32 r3, [r0+0x10010]
        ST.32 [r0+0x10200], r3
        MOV r1, #100
        ATOM32.ADD r3, [r0+0x10010], r1
        RLS #3
        END
    successor:
        WTS
        LD.32 r3, [r0+0x10010]
        SHL r4, r2, #2
        ST.32 [r4+0x10200], r3
        END";
    let shapes = [(1, 1), (1, 5), (5, 1), (6, 3), (3, 6), (2, 2)];
    let cases = shapes.iter().flat_map(|&s| [(s, false, (1, 1)), (s, true, (2, 2)), (s, s.0 == 1, (2, 2))]);
    for ((from, to), middle, (rows, cores)) in cases.chain([((6, 3), false, (3, 3)), ((4, 4), true, (3, 3))]) {
        let mut threads: Vec<_> = (0..from).map(|_| thread(0, &[(2, false, true)])).collect();
        let mut expected = from;
        if middle {
            let record = thread(0, &[(3, false, true), (2, true, false)]);
            threads.push(ThreadRecord { data: [0, 1, 0], ..record });
            expected += 100;
        }
        let semaphore = if middle { 3 } else { 2 };
        threads.extend((1..=to).map(|i| thread(i, &[(semaphore, true, false)])));
        let mut machine = Core::new(&machine(rows, cores), Timing::rough(5));
        machine.run_threads(text, &threads, 30_000);
        let seen: Vec<u32> = (1..=to).map(|i| machine.memory.word(0x10200 + 4 * i)).collect();
        assert_eq!(seen, vec![expected; to as usize], "{from}:{to}, middle {middle}, {rows}x{cores}");
        assert!(!middle || machine.memory.word(0x10200) == from, "{from}:1:{to}, {rows}x{cores}");
    }
}

/// Two lists one after the other, then a grid: the machine is as it was (semaphores free, slots
/// free).
#[test]
fn lists_and_grids_follow_each_other() {
    let mut machine = Core::new(&machine(2, 1), Timing::FAST);
    for round in 1..3 {
        let threads: Vec<_> = (0..5).map(|i| thread(10 * round + i, &[(1, false, false)])).collect();
        machine.run_threads(&program("WTS", "RLS #1"), &threads, 20_000);
    }
    assert_eq!(appended(&machine), [10, 11, 12, 13, 14, 20, 21, 22, 23, 24]);
    let job = crate::memory_model::core::Job::free([4, 1, 1], [4, 1, 1]);
    machine.run("S2R r1, group_x\nSHL r2, r1, #2\nST.32 [r2+0x10400], r1\nEND", &job, &[(0x100F, 0)], 5_000);
    assert_eq!((0..4).map(|i| machine.memory.word(0x10400 + 4 * i)).collect::<Vec<_>>(), [0, 1, 2, 3]);
}

/// What the tests above look for is there to be found: without waiting the appends of several cores
/// overwrite each other, and an acknowledgement that goes astray leaves a thread waiting for ever.
#[test]
fn without_semaphores_appends_are_lost_and_a_stray_acknowledgement_hangs() {
    let threads: Vec<_> = (0..8).map(|i| thread(i, &[])).collect();
    let mut free = Core::new(&machine(2, 2), Timing::FAST);
    free.run_threads(&program("", ""), &threads, 20_000);
    assert_ne!(appended(&free), (0..8).collect::<Vec<_>>());

    let threads: Vec<_> = (0..8).map(|i| thread(i, &[(5, false, false)])).collect();
    let config = GpuConfig { fault: Some(Fault::AckWrongCore), ..machine(2, 2) };
    let hang = std::panic::catch_unwind(|| {
        let mut stray = Core::new(&config, Timing::FAST);
        stray.run_threads(&program("WTS", "RLS #5"), &threads, 4_000);
        appended(&stray)
    });
    assert_ne!(hang.ok(), Some((0..8).collect::<Vec<_>>()));
}
