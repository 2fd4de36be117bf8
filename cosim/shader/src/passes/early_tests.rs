//! Tests of `early`: what moves, how far, and what stays.

use super::early::run;
use super::validation::lanes_miss_nothing;
use super::{mem2reg, Options};
use crate::fault::CompilerFault;
use crate::random::ssa::check;
use crate::ssa::{Block, Func, Inst, Kind, Loc, MessageOp, Space, Target, Value, Width};
use quadlock_isa::Op;

const LOC: Loc = Loc::at(0, 0, 0);

fn to(block: Block) -> Target {
    Target { block, args: vec![] }
}

fn load(space: Space, addr: Value) -> Kind {
    Kind::Load { space, width: Width::W32, addr, offset: 4 }
}

fn store(space: Space, addr: Value, offset: i32) -> Kind {
    Kind::Store { space, width: Width::W32, addr, offset, values: vec![addr] }
}

/// A branch over one arm, and a load behind it, whose address is computed there. In the arm stands
/// `between`. `leaves`: the arm ends the invocation.
fn program(between: Option<Kind>, space: Space, leaves: bool) -> Func {
    let mut f = Func { name: "f".into(), results: 1, ..Default::default() };
    let b: Vec<Block> = (0..3).map(|_| f.new_block()).collect();
    let a = f.push(b[0], Kind::ConstWord(8), 1, LOC)[0];
    let first = f.push(b[0], load(Space::ReadOnly, a), 1, LOC)[0];
    f.push(b[0], Kind::Branch { cond: first, then: to(b[1]), other: to(b[2]) }, 0, LOC);
    if let Some(kind) = between {
        let n = usize::from(!kind.has_effect());
        f.push(b[1], kind, n, LOC);
    }
    f.push(b[1], if leaves { Kind::Return(vec![a]) } else { Kind::Jump(to(b[2])) }, 0, LOC);
    let addr = f.push(b[2], Kind::Alu(Op::Shl, vec![a, a]), 1, LOC)[0];
    let x = f.push(b[2], load(space, addr), 1, LOC)[0];
    f.push(b[2], Kind::Return(vec![x]), 0, LOC);
    f
}

fn moved(f: &mut Func) -> bool {
    crate::ssa::verify::verify(f).unwrap();
    let before = f.clone();
    let did = run(f, &Options::default());
    crate::ssa::verify::verify(f).unwrap();
    assert_eq!(did, before != *f);
    did
}

/// The first value of [`program`], an address.
const A: Value = Value(0);

#[test]
fn a_load_and_its_address_begin_before_a_branch() {
    let mut f = program(None, Space::Global, false);
    assert!(moved(&mut f));
    assert_eq!(f.blocks[0].insts.len(), 5, "{f}");
    assert_eq!(f.blocks[2].insts.len(), 1, "{f}");
    assert!(!moved(&mut f), "once is enough");
}

#[test]
fn a_load_sees_what_it_saw() {
    let of = |between, space| moved(&mut program(Some(between), space, false));
    assert!(!of(store(Space::Global, A, 0), Space::Global), "it may be the same word");
    assert!(of(store(Space::Shared, A, 0), Space::Global));
    assert!(of(store(Space::Global, A, 0), Space::Shared) && of(store(Space::Global, A, 0), Space::ReadOnly));
}

#[test]
fn nothing_passes_a_fence_or_an_operation_across_lanes() {
    let message = Kind::Message { op: MessageOp::Wait, id: None };
    let across = Kind::CrossLane { op: Op::QShuf, args: vec![A, A] };
    for between in [Kind::Barrier, message, Kind::Fence { polling: false }, Kind::Demote, across] {
        assert!(!moved(&mut program(Some(between.clone()), Space::ReadOnly, false)), "{between:?}");
    }
}

/// A turn of a loop that waits for memory stays as short as it is.
#[test]
fn nothing_moves_to_where_memory_is_polled() {
    let mut f = program(None, Space::ReadOnly, false);
    let kind = Kind::Fence { polling: true };
    f.blocks[0].insts.insert(0, Inst { exact: true, kind, results: vec![], loc: LOC });
    assert!(!moved(&mut f), "{f}");
}

#[test]
fn a_path_that_does_not_need_a_load_does_not_execute_it() {
    assert!(!moved(&mut program(None, Space::ReadOnly, true)));
    // In a loop, where the upper block may run more often.
    let mut f = program(None, Space::ReadOnly, false);
    f.blocks[1].insts.pop();
    f.push(Block(1), Kind::Jump(to(Block(0))), 0, LOC);
    f.new_block();
    f.layout.rotate_right(1);
    f.push(Block(3), Kind::Jump(to(Block(0))), 0, LOC);
    // The address comes from outside, so it could stand in front of the loop.
    let insts = std::mem::take(&mut f.blocks[0].insts);
    let (word, rest) = insts.split_at(1);
    f.blocks[0].insts = rest.to_vec();
    f.blocks[3].insts.splice(0..0, word.to_vec());
    assert!(moved(&mut f));
    assert_eq!((f.blocks[0].insts.len(), f.blocks[3].insts.len()), (2, 4), "in front, not inside\n{f}");
}

#[test]
fn the_warp_does_not_wait_in_front_of_the_branch_for_an_address() {
    // The address of the second load is the first one's word; the branch waits for it or not.
    let with = |waits: bool| {
        let mut f = program(None, Space::ReadOnly, false);
        let word = f.blocks[0].insts[1].results[0];
        f.blocks[2].insts[0].kind = Kind::Alu(Op::Shl, vec![word, A]);
        if let (false, Some(last)) = (waits, f.blocks[0].insts.last_mut()) {
            last.kind = Kind::Branch { cond: A, then: to(Block(1)), other: to(Block(2)) };
        }
        moved(&mut f)
    };
    assert!(with(true) && !with(false));
}

#[test]
fn nothing_moves_where_registers_are_short() {
    let live = |n: usize| {
        let mut f = program(None, Space::Global, false);
        f.results = n + 1;
        let words: Vec<Value> = (0..n).map(|_| f.push(Block(0), load(Space::Global, A), 1, LOC)[0]).collect();
        // Behind the terminator: it goes back to the end.
        let branch = f.blocks[0].insts.remove(2);
        f.blocks[0].insts.push(branch);
        if let Some(Inst { kind: Kind::Return(values), .. }) = f.blocks[2].insts.last_mut() {
            values.extend(words);
        }
        moved(&mut f)
    };
    assert!(live(10) && !live(24));
}

#[test]
fn what_is_free_to_be_joined_stays_so_and_what_is_exact_stays_exact() {
    for exact in [false, true] {
        let mut f = program(None, Space::Global, false);
        f.blocks[2].insts[0].exact = exact;
        moved(&mut f);
        assert_eq!(f.blocks[0].insts[2].exact, exact, "{f}");
    }
}

#[test]
fn random_programs_do_the_same() {
    check::same_behaviour(&[mem2reg::run], run, 0..600);
    check::same_behaviour(&[mem2reg::run, super::gvn::run, super::cfg::run], run, 600..1000);
}

#[test]
fn what_operations_across_lanes_read_is_computed_in_all_lanes() {
    lanes_miss_nothing(&[("mem2reg", mem2reg::run), (super::early::NAME, run)], 0..300);
}

#[test]
fn the_planted_fault_is_found() {
    let options = Options { fault: Some(CompilerFault::EarlyAcrossStore), ..Default::default() };
    assert!(check::run(&[mem2reg::run], run, 0..400, &options).1.is_some());
}
