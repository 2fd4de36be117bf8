//! The thread dispatcher on thread lists: each thread once, in order, with what its record says;
//! messages as the record says and in the order of SE-43; resources; rates. With each planted fault
//! something of it is violated.

use crate::thread_list::{random_list, run, Machine, FAST, LATE, ROUGH};
use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::config::SemaphoreConfig;
use quadlock_hdl::fault::Fault;
use quadlock_isa::thread::{SemaphoreRequest, ThreadRecord};

fn machine(rows: usize, cores: usize, units: usize, warps: usize) -> GpuConfig {
    GpuConfig { rows, cores, units, warps, ..GpuConfig::default() }
}

/// SE-1, SE-41, SE-43: machines of one to nine units, up to 15 requests per thread, all timings.
#[test]
fn every_thread_once_in_order_as_its_record_says() {
    for (seed, (config, most)) in (1..).zip([
        (machine(1, 1, 1, 2), 3),
        (machine(1, 1, 2, 8), 4),
        (machine(2, 2, 1, 4), 15),
        (machine(3, 3, 1, 16), 9),
    ]) {
        for (sorted, timing) in [(true, &ROUGH), (false, &ROUGH), (true, &FAST)] {
            let list = random_list(seed, 70, most, 24, sorted);
            let what = format!("{} units of {} slots, sorted {sorted}", config.total_units(), config.warps);
            run(&config, &list, timing, seed).unwrap_or_else(|e| panic!("{what}: {e}"));
        }
    }
}

/// A pool with fewer entries than eight threads ask for: requests wait (SE-12), nothing hangs. 40
/// semaphores, so that the filter of 32 meets others of the same number.
#[test]
fn a_small_pool_does_not_hang() {
    for (pool, most) in [(4, 4), (16, 15)] {
        let mut exhausted = 0;
        for seed in 1..5 {
            let semaphores = SemaphoreConfig { semaphores: 64, pool, ..SemaphoreConfig::default() };
            let config = GpuConfig { semaphores, ..machine(1, 1, 2, 8) };
            let list = random_list(seed, 60, most, 40, true);
            exhausted += run(&config, &list, &ROUGH, seed).unwrap_or_else(|e| panic!("seed {seed}: {e}")).exhausted;
        }
        assert!(exhausted > 0 || pool > 4, "the pool was never exhausted");
    }
}

/// A second list on the same machine begins from nothing.
#[test]
fn lists_follow_each_other() {
    let config = machine(1, 2, 1, 4);
    let list = random_list(5, 37, 6, 20, true);
    let mut machine = Machine::new(&config, &list, &ROUGH, 1);
    for _ in 0..3 {
        machine.run().unwrap();
    }
}

fn thread(requests: &[(u16, bool)]) -> ThreadRecord {
    let request = |&(semaphore, suppress): &(u16, bool)| SemaphoreRequest { semaphore, auto_release: true, suppress };
    ThreadRecord { pc: 1, mask: 15, data: [0; 3], requests: requests.iter().map(request).collect() }
}

/// Threads with these requests for thread i, one after the other, nobody releases: cycles per
/// thread.
fn cycles_per_thread(requests: impl Fn(u16) -> Vec<(u16, bool)>) -> f64 {
    let list: Vec<_> = (0..100).map(|i| thread(&requests(i))).collect();
    let launches = run(&machine(2, 2, 2, 16), &list, &FAST, 1).unwrap().launches;
    (launches[90] - launches[10]) as f64 / 80.0
}

/// The rates that the documentation of the set-up states: one cycle for a thread without requests;
/// with s requests with acknowledge-suppress and n without between the most of 1 + s, 1 + n, s + n
/// and 1 + s + n.
#[test]
fn independent_threads_are_pipelined() {
    let own = |i: u16, k: u16| (4 * i + k) % 32;
    assert_eq!(cycles_per_thread(|_| Vec::new()), 1.0);
    assert_eq!(cycles_per_thread(|i| vec![(own(i, 0), true)]), 2.0);
    assert_eq!(cycles_per_thread(|i| vec![(own(i, 0), false)]), 2.0);
    let both = cycles_per_thread(|i| vec![(own(i, 0), true), (own(i, 1), false)]);
    assert!((2.0..2.5).contains(&both), "{both} cycles per thread");
    let both = cycles_per_thread(|i| vec![(own(i, 0), true), (own(i, 1), true), (own(i, 2), false)]);
    assert!((3.0..=4.0).contains(&both), "{both} cycles per thread");
    // A thread that suppresses what the one before it waits for must come behind it.
    let dependent = cycles_per_thread(|i| vec![(i % 2, true), ((i + 1) % 2, false)]);
    assert!((7.0..=10.0).contains(&dependent), "{dependent} cycles per dependent thread");
}

/// From a thread's last suppressed request at the port to its launch 4 cycles (one of them is the
/// bus), from the launch to the first other request at the port 2.
#[test]
fn latency_of_a_set_up() {
    let list = [thread(&[(1, true), (2, true), (3, false)])];
    let outcome = run(&machine(1, 1, 1, 2), &list, &FAST, 1).unwrap();
    let (launch, messages) = (outcome.launches[0], outcome.messages);
    assert_eq!([launch - messages[0], launch - messages[1], messages[2] - launch], [5, 4, 2]);
}

/// Successive threads go to different cores, then to different units of a core.
#[test]
fn successive_threads_go_to_different_cores() {
    let list: Vec<_> = (0..16).map(|_| thread(&[])).collect();
    let units = run(&machine(2, 2, 2, 8), &list, &FAST, 1).unwrap().units;
    assert_eq!(units, [0, 2, 4, 6, 1, 3, 5, 7, 0, 2, 4, 6, 1, 3, 5, 7]);
}

/// A record without lanes takes no slot and asks for nothing; a list of nothing else ends.
#[test]
fn a_record_without_lanes_is_passed_over() {
    let mut list = vec![thread(&[]), thread(&[(1, true), (2, false), (3, true), (4, false), (5, false)]), thread(&[])];
    list[1].mask = 0;
    assert_eq!(run(&machine(1, 1, 1, 2), &list, &FAST, 1).unwrap().units.len(), 2);
    let list = vec![list[1].clone(); 9];
    assert_eq!(run(&machine(1, 1, 1, 2), &list, &FAST, 1).unwrap().units.len(), 0);
}

/// The first error that a fault gives on random lists.
fn first_error(fault: Option<Fault>, strict: bool) -> Option<String> {
    (1..=12).find_map(|seed| {
        let config = GpuConfig { fault, ..machine(2, 1, 2, 4) };
        let list = random_list(seed, 60, 8, 20, true);
        let mut machine = Machine::new(&config, &list, if seed % 2 == 1 { &ROUGH } else { &LATE }, seed);
        machine.strict = strict;
        machine.run().err()
    })
}

/// SE-43: what goes wrong when thread and semaphore are set up in the wrong order, by its effect
/// alone: nobody looks at the order of the messages.
#[test]
fn the_wrong_order_of_set_up_shows_its_hazard() {
    let error = first_error(Some(Fault::DispatchSemEarly), false).expect("no hazard");
    assert!(error.starts_with("ACK_MSG") && error.ends_with("there is no such thread"), "{error}");
    let error = first_error(Some(Fault::DispatchThreadEarly), false).expect("no hazard");
    assert!(error.starts_with("protocol error"), "{error}");
}

/// SE-43: the order that ships has no hazard.
#[test]
fn the_right_order_of_set_up_has_no_hazard() {
    assert_eq!(first_error(None, false), None);
    assert_eq!(first_error(None, true), None);
}

#[test]
fn planted_faults_are_caught() {
    for (fault, message) in [
        (Fault::DispatchSemEarly, "before the launch"),
        (Fault::DispatchSlotTwice, "behind its launch"),
        (Fault::DispatchRecordSkip, "launched with"),
        (Fault::DispatchOvertake, "was asked for in the order"),
        (Fault::DispatchWaitCount, "launched with"),
        (Fault::DispatchBusyEarly, "busy fell too early"),
        (Fault::DispatchEndLost, "does not end"),
    ] {
        let error = first_error(Some(fault), true).unwrap_or_else(|| panic!("{fault:?} is not caught"));
        assert!(error.contains(message), "{fault:?}: {error}");
    }
}
