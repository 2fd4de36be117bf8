//! Merging of warps (MS-11 to MS-14, MS-21 to MS-23): each rule on the smallest pair that shows it,
//! and each planted bug of it on a pair that does. Wrong would be a rule that only holds for pairs
//! whose members are alike: members here differ in lanes, places and counters.

use crate::common::{code, launch, MEMORY};
use quadlock_golden::{Config, Fault, Golden, LaneState, Launch, LaunchError, Member, Memory, Merged, StepError, Tags};
use quadlock_golden::{MisuseKind, NO_MERGE_POINT};
use quadlock_isa::abi::{PrivateSet, PublicRegisters};

const OUT: u32 = 0x1000;

/// A machine that merges, with that program.
fn machine(text: &str, fault: Option<Fault>) -> Golden {
    machine_of(text, fault, PublicRegisters::Below, PrivateSet::Old)
}

/// The same with an option of public and private registers.
fn machine_of(
    text: &str,
    fault: Option<Fault>,
    public_registers: PublicRegisters,
    merge_private: PrivateSet,
) -> Golden {
    let config = Config { graphics: true, merge: true, public_registers, merge_private, fault, ..Config::default() };
    Golden::new(config, code(text), vec![], Memory::new(MEMORY))
}

/// A fragment warp in that slot with those lanes covered: pixels 10 * slot + lane.
fn fragments(warp: usize, covered: u8, cutoff: u32) -> Launch {
    let tags = Tags {
        fragments: true,
        x: std::array::from_fn(|l| (10 * warp + l) as u32),
        coverage: std::array::from_fn(|l| u32::from(covered >> l & 1)),
        cutoff,
        ..Tags::default()
    };
    Launch { graphics: Some(Box::new(tags)), ..launch(0, warp, 15) }
}

/// The same as a member of pair 5: member 0 in an even slot.
fn member(warp: usize, covered: u8, cutoff: u32) -> Launch {
    let mut launch = fragments(warp, covered, cutoff);
    if let Some(tags) = &mut launch.graphics {
        tags.pair = Some(Member { pair: 5, member: warp as u8 & 1, others: 1 });
    }
    launch
}

/// Steps a warp until it stops, ends or waits; the instructions executed, with their lanes.
fn go(g: &mut Golden, warp: usize) -> Vec<(u16, u8)> {
    let mut trace = vec![];
    while g.warp(0, warp).next().is_some() {
        let e = g.step(0, warp).unwrap();
        trace.push((e.pc, e.mask));
    }
    trace
}

fn states(g: &Golden, warp: usize) -> [LaneState; 4] {
    std::array::from_fn(|l| g.warp(0, warp).lane_state(l))
}

fn word(g: &Golden, n: u32) -> u32 {
    g.memory().read32(OUT + 4 * n)
}

/// What each lane knows goes through the merge in r0, its pixel comes from a special register.
const SMALL: &str = "S2R r8, pixel_x\nIADD r0, r8, #100\nMERGE\nS2R r9, pixel_x\nSHL r1, r9, #2
    ST.32 [r1+0x1000], r0\nEND";

#[test]
fn ms_11_two_members_go_on_as_one_warp() {
    let mut g = machine(SMALL, None);
    g.launch(&member(2, 0b0001, 2)).unwrap();
    g.launch(&member(3, 0b1100, 2)).unwrap();
    assert_eq!(go(&mut g, 3), [(0, 15), (1, 15), (2, 15)]);
    assert!(g.warp(0, 3).is_stopped() && !g.warp(0, 2).is_stopped());
    let early = g.merge(0, 2, 3);
    assert!(matches!(early, Err(StepError::NoMerge { why, .. }) if why.contains("has not reached")));
    assert_eq!(go(&mut g, 2).len(), 3);
    assert_eq!(g.merge(0, 2, 3), Ok(Merged { stayed: 0b0001, came: 0b1100 }));
    assert!(g.warp(0, 3).is_free(), "its slot may be launched into at once");
    assert_eq!(states(&g, 2)[1], LaneState::Ended, "nobody's lane ends");
    g.launch(&fragments(3, 0b1111, 2)).unwrap();
    assert_eq!(go(&mut g, 2), [(3, 0b1101), (4, 0b1101), (5, 0b1101), (6, 0b1101)]);
    assert!(g.warp(0, 2).is_ended());
    // Each lane is the pixel of the member that it was of.
    for x in [20, 32, 33] {
        assert_eq!(word(&g, x), 100 + x);
    }
    assert_eq!([21, 22, 23, 30, 31].map(|x| word(&g, x)), [0; 5]);
}

/// The same whoever is launched first, and whoever stops first.
#[test]
fn ms_11_the_order_of_the_members_is_free() {
    for (first, second) in [(0, 1), (1, 0)] {
        let mut g = machine(SMALL, None);
        g.launch(&member(first, [0b0101, 0b1010][first], 2)).unwrap();
        go(&mut g, first);
        assert!(g.warp(0, first).is_stopped(), "it waits for the partner that is to come");
        assert!(matches!(g.launch(&fragments(second, 15, 2)), Err(LaunchError::Occupied { .. })), "MS-8");
        g.launch(&member(second, [0b0101, 0b1010][second], 2)).unwrap();
        go(&mut g, second);
        assert_eq!(g.merge(0, 0, 1), Ok(Merged { stayed: 0b0101, came: 0b1010 }));
        go(&mut g, 0);
        assert_eq!([0, 11, 2, 13].map(|x| word(&g, x)), [100, 111, 102, 113]);
    }
}

/// A lane that has ended before still covers what it covered; one that was discarded does not.
#[test]
fn ms_11_lanes_that_ended_before_the_merge_keep_their_results() {
    let text =
        "S2R r8, pixel_x\nISETNE r9, r8, #10\nBNZ r9, @4\nEND\nISETNE r9, r8, #1\nBNZ r9, @7\nDISCARD\nMERGE\nEND";
    let mut g = machine(text, None);
    g.launch(&member(0, 0b0110, 4)).unwrap();
    g.launch(&member(1, 0b1001, 4)).unwrap();
    go(&mut g, 0);
    go(&mut g, 1);
    // Pixel 1, lane 1 of member 0, is discarded; pixel 10, lane 0 of member 1, has ended.
    assert_eq!(g.merge(0, 0, 1), Ok(Merged { stayed: 0b0100, came: 0b1000 }));
    assert_eq!(g.warp(0, 0).covered(), 0b1101);
    assert_eq!(g.warp(0, 0).owned(), 0b1111);
}

#[test]
fn ms_12_other_warps_pass_a_merge_point() {
    let mut g = machine("MERGE\nMOV r0, #7\nEND", None);
    g.launch(&fragments(0, 0b0001, 2)).unwrap();
    assert_eq!(go(&mut g, 0), [(0, 15), (1, 15), (2, 15)]);
    g.launch(&launch(0, 0, 15)).unwrap();
    assert_eq!(go(&mut g, 0).len(), 3, "a compute warp");
}

/// Lanes stop at different points and go on where they stopped, the lowest counter first.
#[test]
fn ms_13_several_merge_points() {
    let text = "S2R r8, pixel_x\nAND r8, r8, #1\nBNZ r8, @5\nMERGE\nMOV r0, #3\nMERGE\nMOV r1, #4\nEND";
    let mut g = machine(text, None);
    g.launch(&member(0, 0b0011, 4)).unwrap();
    g.launch(&member(1, 0b1100, 4)).unwrap();
    for warp in [0, 1] {
        assert_eq!(g.step(0, warp).unwrap().pc, 0);
        (0..2).for_each(|_| drop(g.step(0, warp).unwrap()));
        let e = g.step(0, warp).unwrap();
        assert_eq!((e.pc, e.mask, e.next), (3, 0b0101, [4, 5, 4, 5]));
        assert!(!g.warp(0, warp).is_stopped(), "a covered lane is still to come");
        let e = g.step(0, warp).unwrap();
        assert_eq!((e.pc, e.mask), (5, 0b1010), "lanes that have stopped take no part");
        assert!(g.warp(0, warp).is_stopped());
    }
    assert_eq!(g.merge(0, 0, 1), Ok(Merged { stayed: 0b0011, came: 0b1100 }));
    // Further merge points are passed.
    assert_eq!(go(&mut g, 0), [(4, 0b0101), (5, 0b0101), (6, 15), (7, 15)]);
}

/// A member stops when its covered lanes have, though helpers have not; it issues nothing more.
#[test]
fn ms_11_helpers_need_not_have_stopped() {
    let text = "S2R r8, helper\nBZ r8, @3\nIADD r9, r9, #1\nMERGE\nEND";
    let mut g = machine(text, None);
    g.launch(&member(0, 0b0001, 4)).unwrap();
    g.launch(&member(1, 0b1000, 4)).unwrap();
    // The helpers are behind: they catch up first.
    assert_eq!(go(&mut g, 0), [(0, 15), (1, 15), (2, 0b1110), (3, 15)]);
    let text = "S2R r8, helper\nBNZ r8, @3\nMERGE\nIADD r9, r9, #1\nMERGE\nEND";
    let mut g = machine(text, None);
    g.launch(&member(0, 0b0001, 4)).unwrap();
    assert_eq!(go(&mut g, 0), [(0, 15), (1, 15), (2, 0b0001)]);
    let refused = g.step(0, 0).unwrap_err().to_string();
    assert!(refused.contains("has stopped at its merge point"), "{refused}");
}

/// The partner ends: before the other has stopped, after it, and before it is launched.
#[test]
fn ms_14_nobody_waits_for_a_partner_that_has_ended() {
    let text = "S2R r8, pixel_x\nSSETLT r8, r8, #10\nBNZ r8, @4\nDISCARD\nMERGE\nMERGE\nMOV r0, #9\nEND";
    for order in [[0, 1], [1, 0]] {
        for late in [false, true] {
            let mut g = machine(text, None);
            g.launch(&member(order[0], 0b0011, 4)).unwrap();
            if late {
                go(&mut g, order[0]);
            }
            g.launch(&member(order[1], 0b1100, 4)).unwrap();
            order.iter().for_each(|&warp| drop(go(&mut g, warp)));
            assert!(g.warp(0, 1).is_ended());
            go(&mut g, 0);
            assert!(g.warp(0, 0).is_ended(), "{order:?} {late}");
            assert!(g.is_idle());
            assert!(matches!(g.merge(0, 0, 1), Err(StepError::NoMerge { .. })));
            g.launch(&fragments(0, 15, 4)).unwrap();
            g.launch(&fragments(1, 15, 4)).unwrap();
        }
    }
}

/// Lanes that wait while others of their warp run go on when the machine says so, at the latest
/// when all have stopped.
#[test]
fn ms_14_lanes_that_wait_go_on_after_the_partners_end() {
    let text = "S2R r8, pixel_x\nAND r8, r8, #1\nBNZ r8, @5\nMERGE\nMOV r0, #3\nMERGE\nEND";
    for at_once in [false, true] {
        let mut g = machine(text, None);
        g.launch(&member(0, 0b0011, 4)).unwrap();
        (0..4).for_each(|_| drop(g.step(0, 0).unwrap()));
        assert_eq!(g.warp(0, 0).merging(), 0b0101);
        g.go_on(0, 0);
        assert_eq!(g.warp(0, 0).merging(), 0b0101, "the partner is to come");
        g.launch(&Launch { pc: 6, ..member(1, 0b1100, 4) }).unwrap();
        go(&mut g, 1);
        assert_eq!(g.warp(0, 0).merging(), 0b0101);
        if at_once {
            g.go_on(0, 0);
        }
        let expected: &[(u16, u8)] =
            if at_once { &[(4, 0b0101), (5, 15), (6, 15)] } else { &[(5, 0b1010), (6, 0b1010)] };
        let trace = go(&mut g, 0);
        assert_eq!(trace[..expected.len()], *expected);
    }
}

/// Before the merge helpers neither read nor write public registers, whatever writes them.
#[test]
fn ms_21_public_registers_are_their_owners() {
    // r0 is public, r8 private. Lane 1 alone owns.
    let text = "MOV r8, #5\nMOV r0, #6\nIADD r8, r8, r0\nMOV r9, #0x1000\nLD.32 r0, [r9]\nFSQRT r1, r8
        QSHUF r10, r0, #0\nQSHUF r11, r0, #1\nST.32O [r0+0x40], r8\nMERGE\nEND";
    let text = text.replace("\nST.32O [r0+0x40], r8", "");
    for (pair, cutoff) in [(false, 2), (true, 2), (false, NO_MERGE_POINT)] {
        let mut g = machine(&text, None);
        g.memory_mut().write32(OUT, 77);
        (0..4).for_each(|l| g.warp_mut(0, 0).set_reg(l, 0, 1));
        g.launch(&if pair { member(0, 0b0010, cutoff) } else { fragments(0, 0b0010, cutoff) }).unwrap();
        go(&mut g, 0);
        let lanes = |r: usize| [0, 1, 2, 3].map(|l| g.warp(0, 0).reg(l, r));
        if cutoff == NO_MERGE_POINT {
            assert_eq!([lanes(8), lanes(0), lanes(10)], [[11; 4], [77; 4], [77; 4]]);
            continue;
        }
        assert_eq!(lanes(8), [5, 11, 5, 5], "others read 0");
        assert_eq!(lanes(0), [1, 77, 1, 1], "a load writes its owners' lanes");
        assert_eq!((lanes(1)[0], lanes(1)[2]), (0, 0), "so does the function unit");
        assert_ne!(lanes(1)[1], 0);
        assert_eq!([lanes(10), lanes(11)], [[0; 4], [77; 4]], "a quad shuffle reads by owner");
    }
}

/// Without merging in the machine the cutoff says nothing.
#[test]
fn ms_21_a_machine_that_does_not_merge_has_no_public_registers() {
    let text = "MOV r0, #6\nMERGE\nEND";
    let config = Config { graphics: true, ..Config::default() };
    let mut g = Golden::new(config, code(text), vec![], Memory::new(MEMORY));
    g.launch(&member(0, 0b0010, 2)).unwrap();
    assert_eq!(go(&mut g, 0).len(), 3);
    assert_eq!(g.warp(0, 0).reg(0, 0), 6);
}

/// A public register that member 1 does not write holds what the slot of member 0 held.
#[test]
fn ms_20_public_registers_are_one_set() {
    let text = "MERGE\nEND";
    for merges in [true, false] {
        let mut g = machine(text, None);
        for warp in [0, 1] {
            (0..4).for_each(|l| g.warp_mut(0, warp).set_reg(l, 0, 100 * (1 + warp as u32) + l as u32));
            (0..4).for_each(|l| g.warp_mut(0, warp).set_reg(l, 9, 500 + warp as u32));
        }
        g.launch(&member(0, 0b0011, 4)).unwrap();
        g.launch(&Launch { pc: u16::from(!merges), ..member(1, 0b1100, 4) }).unwrap();
        assert_eq!(g.warp(0, 1).reg(2, 0), 102);
        go(&mut g, 0);
        go(&mut g, 1);
        if merges {
            g.merge(0, 0, 1).unwrap();
        }
        assert_eq!([0, 1, 2, 3].map(|l| g.warp(0, 0).reg(l, 0)), [100, 101, 102, 103]);
        assert_eq!([0, 1, 2, 3].map(|l| g.warp(0, 1).reg(l, 0)), [200, 201, 202, 203], "each slot has its own back");
        assert_eq!(g.warp(0, 0).reg(2, 9), 500, "private registers are the kept slot's");
    }
}

/// A read of a private register that nobody has written since the merge is told.
#[test]
fn ms_22_private_registers_are_invalid_after_the_merge() {
    let mut g = machine("MERGE\nMOV r8, #1\nIADD r0, r8, r9\nIADD r0, r0, r8\nEND", None);
    g.launch(&member(0, 0b0011, 4)).unwrap();
    g.launch(&member(1, 0b0100, 4)).unwrap();
    go(&mut g, 0);
    go(&mut g, 1);
    g.merge(0, 0, 1).unwrap();
    go(&mut g, 0);
    let (misuses, count) = g.misuses();
    assert_eq!((count, misuses[0].pc, misuses[0].register, misuses[0].lanes), (1, 2, 9, 0b0111));
}

/// Derivatives and quad shuffles go by position under every flip; the sign is that of the quad.
#[test]
fn ms_5_a_flip_changes_no_derivative() {
    let text = "I2F r2, r1\nDDX r4, r2\nDDY r5, r2\nQSHUF r6, r1, #0\nQSHUF r7, r1, r3\nEND";
    let at = [3u32, 10, 25, 100];
    let partner = [2u32, 0, 3, 1];
    let run = |flip: usize| {
        let mut g = machine(text, None);
        let mut launch = member(0, 0b0111, 0);
        launch.graphics.iter_mut().for_each(|t| t.flip = flip as u8);
        g.launch(&launch).unwrap();
        for lane in 0..4 {
            g.warp_mut(0, 0).set_reg(lane, 1, at[lane ^ flip]);
            g.warp_mut(0, 0).set_reg(lane, 3, partner[lane ^ flip]);
        }
        go(&mut g, 0);
        // By position.
        [4, 5, 6, 7].map(|r| [0, 1, 2, 3].map(|p: usize| g.warp(0, 0).reg(p ^ flip, r)))
    };
    let expected = run(0);
    assert_eq!(expected[0].map(f32::from_bits), [7.0, 7.0, 75.0, 75.0]);
    assert_eq!(expected[1].map(f32::from_bits), [22.0, 90.0, 22.0, 90.0]);
    assert_eq!(expected[2..], [[3; 4], [25, 3, 100, 10]]);
    for flip in 1..4 {
        assert_eq!(run(flip), expected, "flip {flip}");
    }
}

/// Slots and launches that no pair may have.
#[test]
fn ms_8_both_slots_are_the_pairs() {
    let mut g = machine(SMALL, None);
    let mut odd = member(0, 1, 2);
    odd.graphics.iter_mut().for_each(|t| t.pair = Some(Member { pair: 5, member: 1, others: 1 }));
    assert!(matches!(g.launch(&odd), Err(LaunchError::NoPair { .. })));
    g.launch(&fragments(1, 15, 2)).unwrap();
    assert!(matches!(g.launch(&member(0, 1, 2)), Err(LaunchError::Occupied { .. })), "the other slot is not free");
    assert!(g.awaits_pair(0, 0, Some(Member { pair: 5, member: 0, others: 1 })));
    go(&mut g, 1);
    g.launch(&member(0, 1, 2)).unwrap();
    let mut other = member(1, 2, 2);
    other.graphics.iter_mut().for_each(|t| t.pair = Some(Member { pair: 6, member: 1, others: 1 }));
    assert!(matches!(g.launch(&other), Err(LaunchError::Occupied { .. })), "it is kept for pair 5");
    for (kept, gone) in [(1, 0), (0, 2), (2, 3)] {
        assert!(g.merge(0, kept, gone).is_err(), "{kept} {gone}");
    }
}

/// A program in which each rule matters: derivatives by position, what helpers read of a public
/// register, a lane that stops late, tags and public values behind the merge.
const ALL: &str = "S2R r8, pixel_x\nIADD r0, r8, #100\nMOV r9, r0\nI2F r10, r8\nDDX r11, r10\nIADD r1, r11, #0
    AND r12, r8, #1\nBNZ r12, @9\nMERGE\nMERGE\nS2R r13, pixel_x\nIADD r0, r0, r1\nIADD r0, r0, r13\nEND";

/// All that a machine shows of a pair: instructions with lanes and values, and the merge. Member 1
/// ends early if `dies`.
fn shown(fault: Option<Fault>, dies: bool) -> Vec<(u16, u8, [u32; 4])> {
    let mut g = machine(ALL, fault);
    let mut out = vec![];
    for (warp, lane) in (0..2).flat_map(|w| (0..4).map(move |l| (w, l))) {
        g.warp_mut(0, warp).set_reg(lane, 0, 900 + lane as u32);
    }
    g.launch(&member(0, 0b0011, 2)).unwrap();
    let mut second = member(1, 0b1100, 2);
    second.pc = if dies { 13 } else { 0 };
    second.graphics.iter_mut().for_each(|t| (t.flip, t.x) = (1, [11, 10, 13, 12]));
    g.launch(&second).unwrap();
    for warp in [0, 1] {
        while g.warp(0, warp).next().is_some() {
            let e = g.step(0, warp).unwrap();
            let value = e.values.map(|v| v[0]);
            out.push((e.pc, e.mask, std::array::from_fn(|l| if e.mask >> l & 1 == 1 { value[l] } else { 0 })));
        }
    }
    if let Ok(m) = g.merge(0, 0, 1) {
        out.push((m.stayed.into(), m.came, [0; 4]));
    }
    while g.warp(0, 0).next().is_some() {
        let e = g.step(0, 0).unwrap();
        out.push((e.pc, e.mask, e.values.map(|v| v[0])));
    }
    out
}

#[test]
fn every_planted_bug_of_merging_shows() {
    let right = [shown(None, false), shown(None, true)];
    assert_eq!(right[0].last().unwrap().0, 13);
    let of_merging = Fault::ALL.iter().map(|f| f.0).filter(|f| f.is_of_merging());
    for fault in of_merging {
        let wrong = [shown(Some(fault), false), shown(Some(fault), true)];
        assert_ne!(right, wrong, "{fault:?}");
        assert_eq!(wrong[0] == right[0], fault == Fault::MergeAlone, "{fault:?}");
    }
}

/// A member of group 9 of up to four, whose first slot is 4.
fn of_group(number: usize, covered: u8, others: u8) -> Launch {
    let mut launch = fragments(4 + number, covered, 2);
    let member = Member { pair: 9, member: number as u8, others };
    launch.graphics.iter_mut().for_each(|t| t.pair = Some(member));
    launch
}

/// Each goes to member 0 when both have stopped; that goes on when all have come.
#[test]
fn ms_6_four_members_become_one_warp() {
    let mut g = machine(SMALL, None);
    for number in 0..4 {
        g.launch(&of_group(number, 1 << number, 3)).unwrap();
    }
    for slot in [6, 4] {
        assert_eq!(go(&mut g, slot).len(), 3);
    }
    assert!(g.merge(0, 4, 5).is_err() && g.merge(0, 5, 6).is_err());
    assert_eq!(g.merge(0, 4, 6), Ok(Merged { stayed: 0b0001, came: 0b0100 }));
    assert!(g.warp(0, 4).is_stopped() && g.warp(0, 4).next().is_none(), "others are to come");
    assert!(g.warp(0, 6).is_free());
    g.launch(&fragments(6, 0b1111, 2)).unwrap();
    go(&mut g, 6);
    go(&mut g, 5);
    assert_eq!(g.merge(0, 4, 5), Ok(Merged { stayed: 0b0101, came: 0b0010 }));
    go(&mut g, 7);
    assert_eq!(g.merge(0, 4, 7), Ok(Merged { stayed: 0b0111, came: 0b1000 }));
    assert_eq!(go(&mut g, 4), [(3, 15), (4, 15), (5, 15), (6, 15)]);
    for x in [40, 51, 62, 73] {
        assert_eq!(word(&g, x), 100 + x);
    }
    assert!(g.merge(0, 4, 7).is_err(), "the group is no more");
}

/// Quads left of pixel 50 are discarded before the point.
const DISCARDS: &str = "S2R r8, pixel_x\nSSETLT r9, r8, #50\nBNZ r9, @4\nBRA @5\nDISCARD\nMERGE\nMOV r0, #7\nEND";

#[test]
fn ms_14_members_of_a_group_that_end() {
    // Member 0 ends: the others are warps like others, those that are still to come too.
    let mut g = machine(DISCARDS, None);
    g.launch(&of_group(0, 0b0001, 2)).unwrap();
    g.launch(&of_group(1, 0b0010, 2)).unwrap();
    go(&mut g, 5);
    assert!(g.warp(0, 5).is_stopped());
    go(&mut g, 4);
    assert!(g.warp(0, 4).is_ended() && !g.warp(0, 5).is_stopped() && !g.warp(0, 5).is_paired());
    assert!(matches!(g.launch(&fragments(4, 15, 2)), Err(LaunchError::Occupied { .. })), "others use its registers");
    g.launch(&of_group(2, 0b0100, 2)).unwrap();
    assert!(!g.warp(0, 6).is_paired());
    go(&mut g, 5);
    go(&mut g, 6);
    g.launch(&fragments(4, 15, 2)).unwrap();
    // Another one ends: member 0 goes on when the last has come or ended.
    let mut g = machine("S2R r8, pixel_x\nSSETLT r9, r8, #60\nBNZ r9, @4\nDISCARD\nMERGE\nMOV r0, #7\nEND", None);
    for number in 0..3 {
        g.launch(&of_group(number, 1 << number, 2)).unwrap();
    }
    go(&mut g, 4);
    go(&mut g, 5);
    assert_eq!(g.merge(0, 4, 5), Ok(Merged { stayed: 0b0001, came: 0b0010 }));
    assert!(g.warp(0, 4).is_stopped());
    go(&mut g, 6);
    assert!(g.warp(0, 6).is_ended() && !g.warp(0, 4).is_stopped());
    assert_eq!(go(&mut g, 4).last(), Some(&(6, 0b0011)));
}

#[test]
fn ms_8_groups_have_slots_of_their_own() {
    let mut g = machine(SMALL, None);
    let at = |slot: usize, number: u8, others: u8| {
        let mut launch = fragments(slot, 1, 2);
        launch.graphics.iter_mut().for_each(|t| t.pair = Some(Member { pair: 9, member: number, others }));
        launch
    };
    for (slot, number, others, words) in
        [(2, 0, 2, "four divides"), (6, 0, 2, "four divides"), (4, 2, 1, "numbered from 0")]
    {
        let error = g.launch(&at(slot, number, others));
        assert!(matches!(error, Err(LaunchError::NoPair { why, .. }) if why.contains(words)), "{slot} {error:?}");
    }
    g.launch(&at(4, 0, 2)).unwrap();
    for slot in [5, 6] {
        assert!(matches!(g.launch(&fragments(slot, 15, 2)), Err(LaunchError::Occupied { .. })), "{slot}");
    }
    g.launch(&fragments(7, 15, 2)).unwrap();
    g.launch(&at(0, 0, 3)).unwrap();
    assert!(matches!(g.launch(&at(2, 0, 1)), Err(LaunchError::Occupied { .. })));
}

/// Kinds and registers of what a program did wrong, of the merged warp in slot 0 and before.
fn told(g: &Golden) -> Vec<(MisuseKind, u16, u8, u8)> {
    g.misuses().0.iter().map(|m| (m.kind, m.pc, m.register, m.lanes)).collect()
}

/// A pair whose slots hold known words, and that merges; then it goes on to its end.
fn merged(text: &str, fault: Option<Fault>, set: PrivateSet) -> Golden {
    let mut g = machine_of(text, fault, PublicRegisters::Below, set);
    for (warp, r, lane) in (0..2).flat_map(|w| (0..32).flat_map(move |r| (0..4).map(move |l| (w, r, l)))) {
        g.warp_mut(0, warp).set_reg(lane, r, 1000 * (1 + warp as u32) + 10 * r as u32 + lane as u32);
    }
    g.launch(&member(0, 0b0011, 8)).unwrap();
    g.launch(&member(1, 0b0100, 8)).unwrap();
    go(&mut g, 0);
    go(&mut g, 1);
    g.merge(0, 0, 1).unwrap();
    go(&mut g, 0);
    g
}

/// A merged warp without private registers reads 0 there and writes nothing, and is told of.
#[test]
fn ms_22_a_merged_warp_may_have_no_private_registers() {
    let text = "MERGE\nMOV r9, #7\nIADD r0, r9, #1\nIADD r1, r0, #1\nEND";
    let of = |fault| {
        let g = merged(text, fault, PrivateSet::None);
        ([0, 1, 2].map(|l| g.warp(0, 0).reg(l, 1)), g.warp(0, 0).reg(0, 9), told(&g))
    };
    assert_eq!(of(None), ([2; 3], 1090, vec![(MisuseKind::NoPrivate, 2, 9, 0b0111)]));
    assert_eq!(of(Some(Fault::MergeNoPrivate)).0, [9; 3]);
    // A member that goes on alone has its own.
    let mut g = machine_of(text, None, PublicRegisters::Below, PrivateSet::None);
    g.launch(&fragments(0, 0b0011, 8)).unwrap();
    go(&mut g, 0);
    assert_eq!((g.warp(0, 0).reg(0, 1), told(&g)), (9, vec![]));
}

/// One set of both members: the upper half is that of member 1, whose slot is not free before the
/// merged warp has ended, and has its registers then.
#[test]
fn ms_35_private_registers_of_both_become_one_set() {
    // Of 24 private registers each member has r8 to r19.
    let text = "MOV r19, #1\nMERGE\nIADD r0, r8, #0\nIADD r1, r20, #0\nMOV r20, #5\nIADD r2, r20, r20\nEND";
    let of = |fault| {
        let g = merged(text, fault, PrivateSet::Joined);
        let words = [0, 1, 2].map(|r| g.warp(0, 0).reg(1, r));
        (words, told(&g))
    };
    let stale = |pc, r| (MisuseKind::StaleAfterMerge, pc, r, 0b0111);
    assert_eq!(of(None), ([1081, 2081, 10], vec![stale(2, 8), stale(3, 20)]));
    assert_eq!(of(Some(Fault::MergeJoined)).0, [1081, 1201, 10]);
    let text = "MOV r20, #1\nMERGE\nIADD r31, r31, #1\nEND";
    let mut g = machine_of(text, None, PublicRegisters::Below, PrivateSet::Joined);
    (0..4).for_each(|l| g.warp_mut(0, 1).set_reg(l, 19, 70 + l as u32));
    g.launch(&member(0, 0b0011, 8)).unwrap();
    g.launch(&member(1, 0b0100, 8)).unwrap();
    go(&mut g, 0);
    go(&mut g, 1);
    assert_eq!(told(&g), [0b0011, 0b0100].map(|_| (MisuseKind::Beyond, 0, 20, 15)));
    g.merge(0, 0, 1).unwrap();
    assert!(matches!(g.launch(&fragments(1, 15, 8)), Err(LaunchError::Occupied { .. })), "its registers are in use");
    go(&mut g, 0);
    g.launch(&fragments(1, 15, 8)).unwrap();
    assert_eq!(g.warp(0, 1).reg(2, 19), 73, "r31 of the merged warp");
}

/// A set that is neither member's: theirs stay, and the pair's next merged warp finds it.
#[test]
fn ms_22_a_merged_warp_may_have_a_new_private_set() {
    let text = "MERGE\nIADD r0, r9, #0\nMOV r9, #5\nIADD r1, r9, r9\nEND";
    let of = |fault| {
        let mut g = merged(text, fault, PrivateSet::New);
        let words = [0, 1].map(|r| g.warp(0, 0).reg(1, r));
        g.launch(&fragments(0, 15, 8)).unwrap();
        (words, [0, 1].map(|w| g.warp(0, w).reg(1, 9)))
    };
    assert_eq!(of(None), ([0, 10], [1091, 2091]));
    assert_eq!(of(Some(Fault::MergeNew)).0, [1091, 10]);
}

/// Bits say which registers are public; none if the cutoff is 0.
#[test]
fn ms_20_a_bitmap_says_which_registers_are_public() {
    let of = |cutoff, fault| {
        let mut g = machine_of("MOV r3, #6\nMOV r9, #6\nMERGE\nEND", fault, PublicRegisters::Bitmap, PrivateSet::Old);
        let mut launch = fragments(0, 0b0010, cutoff);
        launch.graphics.iter_mut().for_each(|t| t.bitmap = 1 << 9 | 1);
        g.launch(&launch).unwrap();
        go(&mut g, 0);
        [3, 9].map(|r| [0, 1].map(|l| g.warp(0, 0).reg(l, r)))
    };
    assert_eq!(of(4, None), [[6, 6], [0, 6]]);
    assert_eq!(of(0, None), [[6, 6], [6, 6]]);
    assert_eq!(of(4, Some(Fault::MergeBitmap)), [[0, 6], [6, 6]]);
}
