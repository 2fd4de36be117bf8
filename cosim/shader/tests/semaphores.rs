//! Semaphore functions down to machine code: which instructions, where, and which of them count as
//! polling.

use crate::common::compiled;
use quadlock_isa::{abi, decode, Class, Op};
use quadlock_shader::interface::SemaphoreUse;
use quadlock_shader::{Options, ShaderBinary};

const PROGRAM: &str = "@group(0) @binding(0) var<storage, read_write> m: array<u32>;
@compute @workgroup_size(4) fn main(@builtin(workgroup_id) g: vec3<u32>, @builtin(local_invocation_index) i: u32) {
    m[4u * g.x + i] = g.x;
    CALLS
    m[64u + i] = m[i] + 1u;
}";

fn program(calls: &str, polling: bool) -> ShaderBinary {
    let options = Options { polling, ..Options::default() };
    let mut binary = compiled("a.wgsl", &PROGRAM.replace("CALLS", calls), options).binary;
    binary = ShaderBinary::read(&binary.write()).unwrap();
    binary
}

fn ops(binary: &ShaderBinary) -> Vec<Op> {
    binary.code.iter().map(|&w| decode(w).unwrap().op).collect()
}

#[test]
fn each_function_is_its_instruction_between_the_stores_around_it() {
    let binary =
        program("semaphoreAcquire(g.y); semaphoreAcquireRelease(5u); semaphoreWait(); semaphoreRelease(g.y);", false);
    let ops = ops(&binary);
    let at = |op| ops.iter().position(|&o| o == op).unwrap();
    let stores: Vec<usize> = (0..ops.len()).filter(|&i| ops[i].is_store()).collect();
    let order = [stores[0], at(Op::Acs), at(Op::Asr), at(Op::Wts), at(Op::Rls), at(Op::Ld32), stores[1]];
    assert!(order.is_sorted(), "{ops:?}");
    assert_eq!(ops.iter().filter(|o| o.class() == Class::Message).count(), 4);
    let asr = decode(binary.code[at(Op::Asr)]).unwrap();
    assert_eq!((asr.b_mode, asr.imm), (quadlock_isa::BMode::Imm, 5));
    let none_done = SemaphoreUse { done: Some(vec![]), ..SemaphoreUse::default() };
    assert_eq!(binary.interface.semaphores, none_done);
}

#[test]
fn dependency_functions_are_wait_and_release() {
    let binary = program("dependencyWait(); dependencyDone();", false);
    let ops = ops(&binary);
    assert_eq!(ops.iter().filter(|&&o| o == Op::Wts).count(), 1);
    assert_eq!(ops.iter().filter(|&&o| o == Op::Rls).count(), 3);
    assert!(binary.interface.semaphores.dependencies && binary.interface.semaphores.loops.is_empty());
}

/// The binary says which releases are `dependencyDone`'s, wherever the compiler has put them.
#[test]
fn releases_of_dependency_done_are_known_by_their_instructions() {
    let around =
        "for (var k = 0u; k < 3u; k++) { if g.x == k { semaphoreRelease(m[k]); } } CALL semaphoreRelease(m[9]);";
    let twice = "if g.y == 1u { dependencyDone(); } else { m[70] = 1u; dependencyDone(); }";
    for (call, expected) in [("dependencyDone();", 3), (twice, 6), ("", 0)] {
        for max_registers in [8, 32] {
            let options = Options { max_registers, ..Options::default() };
            let text = PROGRAM.replace("CALLS", &around.replace("CALL", call));
            let binary = compiled("a.wgsl", &text, options).binary;
            let binary = ShaderBinary::read(&binary.write()).unwrap();
            let releases = ops(&binary)
                .iter()
                .enumerate()
                .filter(|(_, &o)| o == Op::Rls)
                .map(|(pc, _)| pc as u32)
                .collect::<Vec<_>>();
            let done = binary.interface.semaphores.done.clone().unwrap();
            let (of_call, other): (Vec<u32>, Vec<u32>) = releases.iter().partition(|pc| done.contains(pc));
            assert_eq!((&of_call, of_call.len(), other.len()), (&done, expected, 2), "{call}");
            // Their columns say which they are, too.
            let columns = |pcs: &[u32]| pcs.iter().map(|&pc| binary.lines[pc as usize].col).collect::<Vec<_>>();
            let shared = columns(&of_call).iter().any(|c| columns(&other).contains(c));
            assert!(!shared, "{:?} {:?}", columns(&of_call), columns(&other));
        }
    }
}

/// A turn of a polling loop is a load and a branch back to it; both count.
#[test]
fn polling_loops_are_known_by_their_instructions() {
    let binary = program("dependencyWait(); dependencyDone();", true);
    let ops = ops(&binary);
    assert!(ops.iter().all(|o| o.class() != Class::Message));
    let loops = &binary.interface.semaphores.loops;
    let [load, branch] = loops[..] else { panic!("{loops:?} of {ops:?}") };
    assert_eq!((ops[load as usize], branch), (Op::Ld32, load + 1));
    let branch = decode(binary.code[branch as usize]).unwrap();
    assert!(matches!(branch.op, Op::Bz | Op::Bnz) && branch.imm == load, "{branch:?}");
    assert!(binary.interface.semaphores.polling && !binary.interface.semaphores.locks);
}

#[test]
fn locks_are_found_through_the_constant_bank() {
    let binary = program("semaphoreAcquire(g.y); semaphoreRelease(g.y);", true);
    let table = |w: &u64| {
        let i = decode(*w).unwrap();
        i.b_mode == quadlock_isa::BMode::Const && i.imm == abi::CONST_LOCKS as u32
    };
    assert!(binary.code.iter().any(table), "{:?}", ops(&binary));
    assert!(binary.interface.semaphores.locks);
    assert!(binary.interface.semaphores.loops.len() >= 4);
}

/// Semaphore operations are made as often as the source says, in loops too.
#[test]
fn loops_around_a_semaphore_operation_are_not_unrolled_or_rotated() {
    let binary = program("for (var k = 0u; k < 3u; k++) { semaphoreAcquire(k); semaphoreRelease(k); }", false);
    let count = |op| ops(&binary).iter().filter(|&&o| o == op).count();
    assert_eq!((count(Op::Acs), count(Op::Rls)), (1, 1));
}
