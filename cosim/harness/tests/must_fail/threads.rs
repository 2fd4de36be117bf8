//! Programs of threads and semaphores for the planted faults of warp unit, semaphore entity, bus,
//! row controller, dispatcher and memory arbiter: small lists of threads with the shapes of
//! dependency that the fault needs. A program that is too regular hides a fault: each also passes
//! without it.

use quadlock_isa::{SemaphoreRequest, ThreadRecord};

use crate::programs::{one_warp, Program};

/// The parts that the file describes.
const PARTS: &str = include_str!("../programs/parts.asm");

/// Instruction at which each part begins.
const STARTS: [u16; 5] = [0, 3, 5, 8, 11];

const ONE_CORE: [usize; 4] = [1, 1, 2, 4];
const FOUR_CORES: [usize; 4] = [2, 2, 1, 4];

/// (semaphore, auto-release, acknowledge-suppress)
type Request = (u16, bool, bool);

fn thread(number: u32, pc: u16, release: u32, requests: &[Request]) -> ThreadRecord {
    let request =
        |&(semaphore, auto_release, suppress): &Request| SemaphoreRequest { semaphore, auto_release, suppress };
    ThreadRecord { pc, mask: 15, data: [number, release, 0], requests: requests.iter().map(request).collect() }
}

fn threads(text: &'static str, machine: [usize; 4], threads: Vec<ThreadRecord>) -> Program {
    Program { threads, machine, ..one_warp(text) }
}

fn chain_on(machine: [usize; 4]) -> Program {
    threads(PARTS, machine, (0..9).map(|n| thread(n, STARTS[0], 3, &[(3, false, false)])).collect())
}

/// A strict order through one semaphore.
pub fn chain() -> Program {
    chain_on(ONE_CORE)
}

pub fn chain_of_cores() -> Program {
    chain_on(FOUR_CORES)
}

/// Predecessors that release in any order, then successors; a thread with six requests.
pub fn fan() -> Program {
    let mut list: Vec<_> = (0..4).map(|n| thread(n, STARTS[1], 5, &[(5, false, true)])).collect();
    list.push(thread(4, STARTS[1], 7, &[(7, false, true)]));
    list.extend((5..8).map(|n| thread(n, STARTS[2], 0, &[(5, true, false), (7, true, false)])));
    let six = [8, 9, 10, 11, 12, 5].map(|s| (s, true, false));
    list.push(thread(8, STARTS[2], 0, &six));
    threads(PARTS, ONE_CORE, list)
}

/// Threads that acquire at run time, some with auto-release.
fn associative_on(machine: [usize; 4]) -> Program {
    let part = |n| if n % 3 == 2 { STARTS[4] } else { STARTS[3] };
    threads(PARTS, machine, (0..16).map(|n| thread(n, part(n), 6, &[])).collect())
}

pub fn associative() -> Program {
    associative_on(ONE_CORE)
}

pub fn associative_of_cores() -> Program {
    associative_on(FOUR_CORES)
}

/// The lowest active lane names semaphore 3, the others 4 to 6.
pub fn lanes() -> Program {
    let text = "S2R r1, lane\nIADD r1, r1, #3\nACS r1\nRLS r1\nEND";
    threads(text, ONE_CORE, vec![thread(0, 0, 0, &[])])
}

/// Each thread ends at once, before the acknowledgement that it does not wait for.
pub fn ends() -> Program {
    let text = "MOV r2, #20\nloop: ISUB r2, r2, #1\nBNZ r2, loop\nRLS #5\nEND\nEND";
    let mut list = vec![thread(0, 0, 0, &[(5, false, true)])];
    list.extend((1..16).map(|n| thread(n, 5, 0, &[(5, true, false)])));
    threads(text, [1, 1, 1, 2], list)
}

/// Atomics of four cores on one word.
pub fn contended() -> Program {
    let text =
        "MOV r1, #0x3000\nMOV r2, #1\nMOV r3, #6\nloop: ATOM32.ADD r4, [r1], r2\nISUB r3, r3, #1\nBNZ r3, loop\nEND";
    threads(text, FOUR_CORES, (0..4).map(|n| thread(n, 0, 0, &[])).collect())
}

/// Many short threads that end together.
pub fn short() -> Program {
    threads("END", ONE_CORE, (0..40).map(|n| thread(n, 0, 0, &[])).collect())
}

/// Auto-release of a free semaphore, by one thread alone.
pub fn passes() -> Program {
    threads("ASR #6\nASR #6\nEND", ONE_CORE, vec![thread(0, 0, 0, &[])])
}
