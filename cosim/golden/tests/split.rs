//! Splitting of warps (MS-40 to MS-44): each rule on the smallest group that shows it, and each
//! planted bug of it on a group that does. Wrong would be a rule that only holds for groups whose
//! members cover alike: here each covers other lanes.

use crate::common::{code, launch, MEMORY};
use quadlock_golden::{
    Config, Events, Fault, Golden, GroupMember, LaneState, Launch, LaunchError, Member, Memory, MisuseKind, Split,
    StepError, Tags,
};
use quadlock_isa::abi::{EventForm, SplitShape};

pub const OUT: u32 = 0x1000;
const CUTOFF: u32 = 2;

pub fn configured(text: &str, change: impl Fn(&mut Config)) -> Golden {
    let mut config = Config { graphics: true, split: true, ..Config::default() };
    change(&mut config);
    Golden::new(config, code(text), vec![], Memory::new(MEMORY))
}

/// A machine that splits, with that program.
fn machine(text: &str) -> Golden {
    configured(text, |_| {})
}

/// A warp of a sample in that slot with those lanes covered, of no group: pixels are 0 to 3.
pub fn sample(warp: usize, sample: u32, covered: u8) -> Launch {
    let tags = Tags {
        fragments: true,
        x: [0, 1, 2, 3],
        sample: [sample; 4],
        coverage: std::array::from_fn(|l| u32::from(covered >> l & 1) << sample),
        cutoff: CUTOFF,
        splits: true,
        ..Tags::default()
    };
    Launch { graphics: Some(Box::new(tags)), ..launch(0, warp, 15) }
}

/// The members of a group from that slot on: sample m covers `covered[m]`.
pub fn members(base: usize, covered: &[u8]) -> Vec<Launch> {
    let union = covered.iter().fold(0, |all, c| all | c);
    let others = covered.len() as u8 - 1;
    let member = |(m, &covered): (usize, &u8)| {
        let mut launch = sample(base + m, m as u32, covered);
        if let Some(tags) = &mut launch.graphics {
            tags.group = Some(GroupMember { member: m as u8, others, union });
        }
        launch
    };
    covered.iter().enumerate().map(member).collect()
}

fn start(g: &mut Golden, base: usize, covered: &[u8]) {
    members(base, covered).iter().for_each(|launch| g.launch(launch).unwrap());
}

/// Steps a warp until it stops or ends; the instructions executed, with their lanes.
pub fn go(g: &mut Golden, warp: usize) -> Vec<(u16, u8)> {
    let mut trace = vec![];
    while g.warp(0, warp).next().is_some() {
        let e = g.step(0, warp).unwrap();
        trace.push((e.pc, e.mask));
    }
    trace
}

pub fn lanes(g: &Golden, warp: usize, register: usize) -> [u32; 4] {
    std::array::from_fn(|l| g.warp(0, warp).reg(l, register))
}

/// Registers of slots 0 to 3 hold what tells slot, register and lane.
pub fn fill(g: &mut Golden) {
    for (warp, register, lane) in (0..4).flat_map(|w| (0..32).flat_map(move |r| (0..4).map(move |l| (w, r, l)))) {
        g.warp_mut(0, warp).set_reg(lane, register, mark(warp, register, lane));
    }
}

pub fn mark(warp: usize, register: usize, lane: usize) -> u32 {
    (1000 * (warp + 1) + 10 * register + lane) as u32
}

/// What is computed for the pixel goes through the split in r0; each sample stores it in its word.
const SMALL: &str = "S2R r8, pixel_x\nIADD r0, r8, #100\nSPLIT\nS2R r9, pixel_x\nS2R r10, sample\nSHL r11, r9, #4
    SHL r12, r10, #2\nIADD r11, r11, r12\nST.32 [r11+0x1000], r0\nEND";

#[test]
fn ms_40_a_warp_becomes_one_for_each_covered_sample() {
    for covered in [&[0b0011u8, 0b0110, 0b1000, 0b0001][..], &[1, 2, 4], &[0b1100, 0b0100], &[0b0101]] {
        let mut g = machine(SMALL);
        start(&mut g, 4, covered);
        let union = covered.iter().fold(0, |all, c| all | c);
        assert_eq!(g.warp(0, 4).covered(), union);
        assert_eq!(go(&mut g, 4), [(0, 15), (1, 15), (2, 15)], "helpers stop, too");
        let others = covered.len() as u8 - 1;
        assert_eq!(g.split(0, 4), Ok(Split { others, lanes: 15, covered: union }));
        for (m, &own) in covered.iter().enumerate() {
            assert_eq!(g.warp(0, 4 + m).covered(), own);
            assert_eq!(go(&mut g, 4 + m), (3..10).map(|pc| (pc, 15)).collect::<Vec<_>>(), "helpers go on as helpers");
            assert!(m == 0 || g.warp(0, 4 + m).is_free());
            for pixel in 0..4u32 {
                let stored = g.memory().read32(OUT + 16 * pixel + 4 * m as u32);
                assert_eq!(stored, if own >> pixel & 1 == 1 { 100 + pixel } else { 0 });
            }
        }
        assert!(g.is_idle() && g.warp(0, 4).is_free() && g.open_groups().next().is_none());
    }
}

/// Members sleep, and nobody splits before all are there and member 0 has stopped.
#[test]
fn ms_40_members_sleep_until_the_split() {
    let mut g = machine(SMALL);
    let all = members(0, &[0b0001, 0b0010]);
    g.launch(&all[0]).unwrap();
    go(&mut g, 0);
    let why = |e: StepError| e.to_string();
    assert!(why(g.split(0, 0).unwrap_err()).contains("a member has not been launched"));
    g.launch(&all[1]).unwrap();
    assert!(g.warp(0, 1).is_asleep() && !g.warp(0, 1).is_free() && !g.is_idle());
    assert!(why(g.step(0, 1).unwrap_err()).contains("sleeps until its group splits"));
    assert!(why(g.step(0, 0).unwrap_err()).contains("stopped at its split point"));
    assert!(why(g.split(0, 1).unwrap_err()).contains("no member 0"));
    let open = g.open_groups().next().unwrap();
    assert_eq!((open.warp, open.others, open.launched, open.split), (0, 1, 2, false));
    g.split(0, 0).unwrap();
    assert!(why(g.split(0, 0).unwrap_err()).contains("no member 0"), "it splits once");
    assert!(g.split(0, 99).is_err());
}

#[test]
fn ms_40_a_split_waits_for_what_is_in_flight() {
    let mut g = machine("MOV r8, #0x1000\nLD.32 r0, [r8]\nSPLIT\nEND");
    start(&mut g, 0, &[1, 2]);
    g.step(0, 0).unwrap();
    let load = g.issue(0, 0).unwrap();
    assert!(matches!(g.issue(0, 0), Err(StepError::NotDrained { name: "SPLIT", .. })));
    assert!(g.split(0, 0).unwrap_err().to_string().contains("neither reached a split point"));
    g.complete(0, 0, load.order).unwrap();
    go(&mut g, 0);
    g.split(0, 0).unwrap();
    // Behind the split, and of warps of no group, SPLIT waits for nothing.
    let mut g = machine("MOV r8, #0x1000\nLD.32 r0, [r8]\nSPLIT\nEND");
    g.launch(&sample(0, 0, 15)).unwrap();
    g.step(0, 0).unwrap();
    g.issue(0, 0).unwrap();
    assert_eq!(g.issue(0, 0).unwrap().pc, 2);
}

/// A discarded lane covers nothing in any member; one that has ended keeps what it covered.
#[test]
fn ms_40_what_is_left_of_the_pixels() {
    let text = "S2R r8, pixel_x\nBNZ r8, @3\nDISCARD\nISETNE r9, r8, #1\nBNZ r9, @6\nEND\nSPLIT\nMOV r8, #1\nEND";
    let mut g = machine(text);
    // Lane 0 is discarded, lane 1 ends, 2 and 3 stop.
    start(&mut g, 0, &[0b0111, 0b0011, 0b0001, 0b1000]);
    go(&mut g, 0);
    assert_eq!(g.split(0, 0), Ok(Split { others: 3, lanes: 0b1100, covered: 0b1110 }));
    assert_eq!([0, 1, 2, 3].map(|w| g.warp(0, w).covered()), [0b0110, 0b0010, 0, 0b1000]);
    assert_eq!(go(&mut g, 0), [(7, 0b1100), (8, 0b1100)]);
    assert!(g.warp(0, 1).is_free() && g.warp(0, 2).is_free(), "no lane of theirs runs");
    assert!(!g.warp(0, 0).is_free(), "it has ended, and member 3 reads its registers");
    assert_eq!(go(&mut g, 3), [(7, 0b1100), (8, 0b1100)]);
    assert!(g.warp(0, 0).is_free());
}

/// A helper that has stopped ends with the last covered lane.
#[test]
fn ms_40_all_end_before_the_split() {
    for (end, left) in [("END", 0b0110), ("DISCARD", 0)] {
        let text = format!("S2R r8, helper\nBNZ r8, @3\n{end}\nSPLIT\nEND");
        let mut g = machine(&text);
        start(&mut g, 0, &[0b0010, 0b0100, 0b0110]);
        go(&mut g, 0);
        assert!(g.warp(0, 0).is_ended() && !g.warp(0, 0).is_free() && !g.is_idle());
        assert_eq!(g.split(0, 0), Ok(Split { others: 2, lanes: 0, covered: left }));
        assert!((0..3).all(|w| g.warp(0, w).is_free()) && g.is_idle());
        assert_eq!([0, 1, 2].map(|w| g.warp(0, w).covered()), [0b0010 & left, 0b0100 & left, left]);
    }
    let mut g = machine("DISCARD");
    start(&mut g, 1, &[0b1000]);
    go(&mut g, 1);
    assert!(!g.warp(0, 1).is_free());
    assert_eq!(g.split(0, 1), Ok(Split { others: 0, lanes: 0, covered: 0 }));
    assert!(g.warp(0, 1).is_free());
}

/// A lane is demoted before the split; a helper stopped where covered lanes went on.
#[test]
fn ms_40_a_demoted_lane_goes_on_as_a_helper() {
    let mut g = machine("S2R r8, pixel_x\nBNZ r8, @3\nDEMOTE\nSPLIT\nS2R r9, helper\nEND");
    start(&mut g, 0, &[0b0011, 0b0001]);
    go(&mut g, 0);
    assert_eq!(g.split(0, 0), Ok(Split { others: 1, lanes: 15, covered: 0b0010 }));
    go(&mut g, 0);
    assert_eq!(lanes(&g, 0, 9), [1, 0, 1, 1]);
    assert!(g.warp(0, 1).is_ended(), "it covered the demoted lane only");
}

/// Lanes stop at two points and go on where they stopped, the lowest counter first, in every
/// member.
#[test]
fn ms_40_lanes_keep_their_counters() {
    let text = "S2R r8, pixel_x\nAND r8, r8, #1\nBNZ r8, @6\nSPLIT\nMOV r8, #3\nSPLIT\nSPLIT\nMOV r8, #4\nEND";
    let mut g = machine(text);
    start(&mut g, 0, &[0b0011, 0b1100]);
    assert_eq!(go(&mut g, 0), [(0, 15), (1, 15), (2, 15), (3, 0b0101), (6, 0b1010)]);
    assert_eq!(g.warp(0, 0).splitting(), 15);
    g.split(0, 0).unwrap();
    for warp in [0, 1] {
        // Further split points are passed.
        let expected = [(4, 0b0101), (5, 0b0101), (6, 0b0101), (7, 15), (8, 15)];
        assert_eq!(go(&mut g, warp), expected);
    }
}

#[test]
fn other_warps_pass_a_split_point() {
    let mut g = machine("SPLIT\nMOV r0, #7\nEND");
    g.launch(&sample(0, 0, 0b0001)).unwrap();
    assert_eq!(go(&mut g, 0), [(0, 15), (1, 15), (2, 15)]);
    assert_eq!(lanes(&g, 0, 0), [7; 4], "helpers own public registers");
    g.launch(&launch(0, 0, 15)).unwrap();
    assert_eq!(go(&mut g, 0).len(), 3, "a compute warp");
    assert_eq!(g.misuses().1, 0);
}

/// Without splitting in the machine a program that splits has no rules, whether it merges or not.
#[test]
fn a_machine_that_does_not_split_has_no_rules() {
    for merge in [false, true] {
        let mut g = configured("MOV r0, #7\nSPLIT\nMOV r0, #8\nEND", |c| (c.split, c.merge) = (false, merge));
        g.launch(&sample(0, 0, 0b0001)).unwrap();
        assert_eq!(go(&mut g, 0).len(), 4);
        assert_eq!(lanes(&g, 0, 0), [8; 4]);
        let refused = g.launch(&members(0, &[1, 2])[0]);
        assert!(matches!(refused, Err(LaunchError::NoGroup { why, .. }) if why.contains("does not split")));
    }
}

/// Public registers are member 0's for all; a write behind the split changes no slot's.
#[test]
fn ms_42_public_registers_are_one_set_and_only_read() {
    let mut g = machine("MOV r0, #5\nSPLIT\nIADD r8, r0, r1\nMOV r0, #6\nLD.32 r1, [r9+0x1000]\nMOV r10, r0\nEND");
    fill(&mut g);
    start(&mut g, 0, &[0b0001, 0b0010]);
    (0..4).for_each(|l| (0..2).for_each(|w| g.warp_mut(0, w).set_reg(l, 9, 0)));
    go(&mut g, 0);
    g.split(0, 0).unwrap();
    for warp in [1, 0] {
        go(&mut g, warp);
        assert_eq!(lanes(&g, warp, 8), [0, 1, 2, 3].map(|l| 5 + mark(0, 1, l)), "r1 was never written");
        assert_eq!(lanes(&g, warp, 10), [5; 4]);
    }
    assert_eq!([lanes(&g, 0, 0), lanes(&g, 0, 1)], [[5; 4], [0, 1, 2, 3].map(|l| mark(0, 1, l))]);
    for register in [0, 1] {
        assert_eq!(lanes(&g, 1, register), [0, 1, 2, 3].map(|l| mark(1, register, l)), "its slot's own are back");
    }
    let (misuses, count) = g.misuses();
    let writes: Vec<_> = misuses.iter().filter(|m| m.kind == MisuseKind::PublicWrite).collect();
    assert_eq!(
        writes.iter().map(|m| (m.warp, m.pc, m.register)).collect::<Vec<_>>(),
        [(1, 3, 0), (1, 4, 1), (0, 3, 0), (0, 4, 1)]
    );
    // r9 was set by the test, which the model does not see.
    assert_eq!(count, 6);
}

/// Private registers hold nothing behind the split; each slot has its own, member 0 those of
/// before.
#[test]
fn ms_42_private_registers_hold_nothing_behind_the_split() {
    let mut g = machine("MOV r8, #1\nSPLIT\nIADD r9, r8, #0\nIADD r9, r9, #0\nEND");
    fill(&mut g);
    start(&mut g, 0, &[0b0001, 0b0010]);
    go(&mut g, 0);
    g.split(0, 0).unwrap();
    go(&mut g, 0);
    go(&mut g, 1);
    assert_eq!(lanes(&g, 0, 9), [1; 4]);
    assert_eq!(lanes(&g, 1, 9), [0, 1, 2, 3].map(|l| mark(1, 8, l)));
    let (misuses, count) = g.misuses();
    let of: Vec<_> = misuses.iter().map(|m| (m.kind, m.warp, m.pc, m.register, m.lanes)).collect();
    assert_eq!((count, of), (2, [0, 1].map(|w| (MisuseKind::StaleAfterSplit, w, 2, 8, 15)).to_vec()));
}

/// A derivative looks at a lane that has ended behind the split, and has not made the value.
#[test]
fn ms_42_derivatives_of_lanes_that_have_ended_are_found() {
    let mut g = machine("S2R r0, pixel_x\nSPLIT\nBNZ r0, @4\nEND\nMOV r9, #1\nDDX r10, r9\nEND");
    start(&mut g, 0, &[15]);
    go(&mut g, 0);
    g.split(0, 0).unwrap();
    go(&mut g, 0);
    let (misuses, count) = g.misuses();
    let of: Vec<_> = misuses.iter().map(|m| (m.kind, m.pc, m.register, m.lanes)).collect();
    assert_eq!((count, of), (1, vec![(MisuseKind::StaleAfterSplit, 5, 9, 0b0001)]));
}

/// The next warp of a slot sees what its slot's registers held before a group had it.
#[test]
fn ms_42_slots_keep_their_registers() {
    let mut g = machine("MOV r0, #5\nSPLIT\nEND");
    fill(&mut g);
    start(&mut g, 0, &[1, 2, 4]);
    go(&mut g, 0);
    g.split(0, 0).unwrap();
    assert_eq!(lanes(&g, 2, 0), [5; 4]);
    (0..3).for_each(|w| drop(go(&mut g, w)));
    for warp in [1, 2] {
        g.launch(&sample(warp, 0, 15)).unwrap();
        assert_eq!(lanes(&g, warp, 0), [0, 1, 2, 3].map(|l| mark(warp, 0, l)));
    }
}

/// A store before the split is of the pixel, once; an output there would be lost.
#[test]
fn outputs_are_of_samples() {
    let mut g = machine("MOV r8, #1\nMOV r9, #0x1000\nATOM32.ADD r10, [r9], r8\nOUT #3, r8\nSPLIT\nOUT #4, r0\nEND");
    start(&mut g, 0, &[0b0001, 0b0011]);
    (0..4).for_each(|_| drop(g.step(0, 0).unwrap()));
    go(&mut g, 0);
    g.split(0, 0).unwrap();
    go(&mut g, 0);
    go(&mut g, 1);
    assert_eq!(g.memory().read32(OUT), 2, "once for each covered pixel");
    let (misuses, count) = g.misuses();
    assert_eq!((count, misuses[0].kind, misuses[0].pc, misuses[0].register), (1, MisuseKind::EarlyOutput, 3, 3));
    // A warp of no group may give them at any time.
    let mut g = machine("OUT #3, r8\nSPLIT\nEND");
    g.launch(&sample(0, 0, 15)).unwrap();
    go(&mut g, 0);
    assert_eq!(g.misuses().1, 0);
}

/// Slots and launches that no group may have.
#[test]
fn ms_8_all_slots_are_the_groups() {
    let refused = |g: &mut Golden, launch: &Launch, words: &str| {
        let why = g.launch(launch).unwrap_err().to_string();
        assert!(why.contains(words), "{words}: {why}");
    };
    let mut g = machine(SMALL);
    refused(&mut g, &members(1, &[1, 2])[0], "multiple of 2");
    refused(&mut g, &members(2, &[1, 2, 4])[0], "of more of 4");
    refused(&mut g, &members(1, &[1, 2])[1], "multiple of 2");
    let mut few = configured(SMALL, |c| c.warps = 2);
    refused(&mut few, &members(0, &[1, 2, 4])[0], "no slot for each member");
    let mut plain = members(0, &[1, 2]);
    plain[0].graphics.iter_mut().for_each(|t| t.splits = false);
    refused(&mut g, &plain[0], "no split point");
    plain[1].graphics.iter_mut().for_each(|t| t.group = Some(GroupMember { member: 2, others: 1, union: 3 }));
    refused(&mut g, &plain[1], "at most four members");
    // A slot is occupied: everybody waits.
    g.launch(&sample(2, 0, 15)).unwrap();
    let all = members(0, &[1, 2, 4]);
    let awaits = |g: &Golden, launch: &Launch| {
        g.awaits_group(0, launch.warp, launch.graphics.as_ref().and_then(|tags| tags.group))
    };
    assert!(all.iter().all(|launch| awaits(&g, launch)));
    refused(&mut g, &all[0], "occupied");
    go(&mut g, 2);
    assert!(!awaits(&g, &all[0]) && awaits(&g, &all[1]), "member 0 is first");
    g.launch(&all[0]).unwrap();
    refused(&mut g, &all[2], "order of their numbers");
    refused(&mut g, &sample(2, 0, 15), "occupied");
    refused(&mut g, &members(0, &[1, 2])[1], "how many they are");
    assert!(g.awaits_group(0, 1, None) && !g.awaits_group(0, 3, None), "slot 3 is not theirs");
    g.launch(&all[1]).unwrap();
    g.launch(&all[2]).unwrap();
    go(&mut g, 0);
    g.split(0, 0).unwrap();
    go(&mut g, 0);
    go(&mut g, 1);
    // The slot of a member that has ended is free, that of member 0 is not.
    assert!(awaits(&g, &members(0, &[1])[0]));
    g.launch(&sample(1, 0, 15)).unwrap();
    go(&mut g, 1);
    start(&mut g, 1, &[1]);
    assert_eq!(g.open_groups().count(), 2);
    go(&mut g, 2);
    assert!(g.warp(0, 0).is_free());
}

/// Pairs and groups do not take each other's slots.
#[test]
fn ms_8_pairs_and_groups_in_one_machine() {
    let text = "MERGE\nSPLIT\nEND";
    let mut g = configured(text, |c| c.merge = true);
    let mut pair = sample(3, 0, 1);
    pair.graphics.iter_mut().for_each(|t| (t.splits, t.pair) = (false, Some(Member { pair: 7, member: 1, others: 1 })));
    let all = members(0, &[1, 2, 4]);
    g.launch(&all[0]).unwrap();
    assert!(matches!(g.launch(&pair), Err(LaunchError::Occupied { .. })), "slot 2 is a member's");
    let mut g = configured(text, |c| c.merge = true);
    g.launch(&pair).unwrap();
    assert!(matches!(g.launch(&all[0]), Err(LaunchError::Occupied { .. })), "slot 2 is the partner's");
    start(&mut g, 0, &[1, 2]);
    go(&mut g, 0);
    g.split(0, 0).unwrap();
    assert_eq!(g.warp(0, 3).lane_state(0), LaneState::Running);
}

/// A program in which each rule matters: lanes that stop apart, one that is discarded, a derivative
/// and a write of a public register behind the split.
const ALL: &str = "S2R r8, pixel_x\nIADD r0, r8, #100\nBNZ r8, @4\nDISCARD\nAND r9, r8, #1\nBNZ r9, @8\nSPLIT
    BRA @9\nSPLIT\nS2R r10, sample\nMOV r0, #7\nIADD r10, r10, r0\nI2F r11, r10\nDDX r12, r11\nEND";

/// All that a machine shows of a group: instructions with lanes and values, and the split. Lanes
/// end at once if `dies`.
fn shown(fault: Option<Fault>, dies: bool) -> Vec<(u16, u8, [u32; 4])> {
    let mut g = configured(if dies { "END" } else { ALL }, |c| c.fault = fault);
    fill(&mut g);
    start(&mut g, 0, &[0b0011, 0b0110, 0b0001]);
    let mut out = vec![];
    let mut run = |g: &mut Golden, warp: usize| {
        while g.warp(0, warp).next().is_some() {
            let e = g.step(0, warp).unwrap();
            let value = e.values.map(|v| v[0]);
            out.push((e.pc, e.mask, std::array::from_fn(|l| if e.mask >> l & 1 == 1 { value[l] } else { 0 })));
        }
    };
    run(&mut g, 0);
    let split = g.split(0, 0).unwrap();
    (0..3).for_each(|warp| run(&mut g, warp));
    let covered = [0, 1, 2, 3].map(|w| g.warp(0, w).covered().into());
    out.push((split.lanes.into(), split.covered, covered));
    out.push((u16::from(g.is_idle()), 0, [0; 4]));
    out
}

#[test]
fn every_planted_bug_of_splitting_shows() {
    let right = [shown(None, false), shown(None, true)];
    assert_eq!(right[0].last().unwrap().0, 1);
    for fault in Fault::ALL.iter().map(|f| f.0).filter(|f| f.is_of_splitting() && !f.is_of_shapes()) {
        let wrong = [shown(Some(fault), false), shown(Some(fault), true)];
        assert_ne!(right, wrong, "{fault:?}");
        assert_eq!(wrong[0] == right[0], fault == Fault::SplitDead, "{fault:?}");
    }
}

/// A machine that splits into pixels, with that program.
fn of_pixels(text: &str, change: impl Fn(&mut Config)) -> Golden {
    configured(text, |c| {
        c.split_shape = SplitShape::Pixels;
        change(c);
    })
}

/// The members of a group of pixels from slot 0 on: pixel p of a quad covers the samples
/// `covered[p]`. Those that cover none have no warp.
fn pixels(covered: [u32; 4], events: Events) -> Vec<Launch> {
    let present: Vec<usize> = (0..4).filter(|&p| covered[p] != 0).collect();
    let union = present.iter().fold(0, |all, p| all | 1 << p);
    let others = present.len() as u8 - 1;
    let member = |(m, &p): (usize, &usize)| {
        let tags = Tags {
            fragments: true,
            x: [p as u32 & 1; 4],
            y: [p as u32 >> 1; 4],
            sample: [0, 1, 2, 3],
            coverage: std::array::from_fn(|s| covered[p] & 1 << s),
            cutoff: CUTOFF,
            splits: true,
            apart: true,
            events,
            pixel: Some(p as u8),
            group: Some(GroupMember { member: m as u8, others, union }),
            ..Tags::default()
        };
        Launch { graphics: Some(Box::new(tags)), ..launch(0, m, 15) }
    };
    present.iter().enumerate().map(member).collect()
}

fn start_pixels(g: &mut Golden, covered: [u32; 4]) {
    pixels(covered, Events::default()).iter().for_each(|launch| g.launch(launch).unwrap());
}

/// What is the pixel's in r0, by its number in the quad; each sample stores it in its word.
const PLACES: &str = "S2R r8, pixel_x\nS2R r9, pixel_y\nSHL r9, r9, #1\nIADD r8, r8, r9\nIADD r0, r8, #100\nSPLIT
    S2R r9, pixel_x\nS2R r12, pixel_y\nSHL r12, r12, #1\nIADD r9, r9, r12\nS2R r10, sample\nSHL r11, r9, #4
    SHL r12, r10, #2\nIADD r11, r11, r12\nST.32 [r11+0x1000], r0\nEND";

/// Behind the split a warp is a pixel and its lanes are the samples: as many warps as pixels are
/// covered, and every lane reads what lane `pixel` wrote before.
#[test]
fn ms_41_a_warp_becomes_one_for_each_covered_pixel() {
    for covered in [[15, 15, 15, 15], [0b0110, 0, 0b1001, 0b0100], [0, 0, 0, 0b1111], [0, 8, 1, 0]] {
        let mut g = of_pixels(PLACES, |_| {});
        fill(&mut g);
        start_pixels(&mut g, covered);
        let present: Vec<usize> = (0..4).filter(|&p| covered[p] != 0).collect();
        let union = present.iter().fold(0, |all, p| all | 1 << p);
        assert_eq!(g.warp(0, 0).covered(), union, "before, lanes are pixels");
        assert_eq!(go(&mut g, 0), (0..6).map(|pc| (pc, 15)).collect::<Vec<_>>());
        assert_eq!(lanes(&g, 0, 0), [100, 101, 102, 103], "each has its own place");
        let others = present.len() as u8 - 1;
        assert_eq!(g.split(0, 0), Ok(Split { others, lanes: 15, covered: union }));
        for (m, &p) in present.iter().enumerate() {
            let own = covered[p] as u8;
            assert_eq!(g.warp(0, m).covered(), own);
            assert_eq!(
                go(&mut g, m),
                (6..16).map(|pc| (pc, own)).collect::<Vec<_>>(),
                "samples that cover nothing end"
            );
        }
        for (p, s) in (0..4u32).flat_map(|p| (0..4u32).map(move |s| (p, s))) {
            let stored = g.memory().read32(OUT + 16 * p + 4 * s);
            assert_eq!(stored, if covered[p as usize] >> s & 1 == 1 { 100 + p } else { 0 }, "pixel {p} sample {s}");
        }
        assert!(g.is_idle() && g.warp(0, 0).is_free() && g.misuses().1 == 0);
    }
}

/// A pixel that is discarded before the split has no warp behind it, nor one whose lane has ended.
#[test]
fn ms_41_a_pixel_whose_lane_is_gone_has_ended() {
    for (ends, left) in [("DISCARD", 0b1110), ("END", 0b1111)] {
        let text = format!("S2R r8, pixel_x\nS2R r9, pixel_y\nIADD r8, r8, r9\nBNZ r8, @5\n{ends}\nSPLIT\nEND");
        let mut g = of_pixels(&text, |_| {});
        start_pixels(&mut g, [3, 7, 1, 15]);
        go(&mut g, 0);
        assert_eq!(g.split(0, 0), Ok(Split { others: 3, lanes: 0b1110, covered: left }));
        assert!(g.warp(0, 0).is_ended() && !g.warp(0, 0).is_free(), "its slot has the public registers");
        assert_eq!([1, 2, 3].map(|m| g.warp(0, m).next()), [Some((6, 7)), Some((6, 1)), Some((6, 15))]);
        (1..4).for_each(|m| drop(go(&mut g, m)));
        assert!(g.is_idle() && g.warp(0, 0).is_free());
    }
}

/// The program in each form of the point: pixels of even x come to one, those of odd x to another,
/// both go on behind their own, and whoever has split passes a third one.
fn several_points(form: EventForm) -> (&'static str, u16, u16) {
    match form {
        EventForm::Instruction => (
            "S2R r8, pixel_x\nBNZ r8, @4\nSPLIT\nBRA @5\nSPLIT\nS2R r9, sample\nSPLIT\nIADD r9, r9, r9\nEND",
            3,
            0,
        ),
        EventForm::Modifier => (
            "S2R r8, pixel_x\nBNZ r8, @4\nIADD.SPLIT r0, r8, #1\nBRA @5\nIADD.SPLIT r0, r8, #2\nS2R r9, sample
             IADD.SPLIT r9, r9, #0\nIADD r9, r9, r0\nEND",
            3,
            0,
        ),
        // There is one point.
        EventForm::Counter => (
            "S2R r8, pixel_x\nIADD r0, r8, #1\nMOV r20, #0\nMOV r20, #0\nMOV r20, #0\nS2R r9, sample\nIADD r10, r10, #1\nMOV r20, #0\nEND",
            5,
            5,
        ),
        // Both arms have as many instructions.
        EventForm::Count => (
            "S2R r8, pixel_x\nBNZ r8, @4\nIADD r0, r8, #1\nBRA @5\nIADD r0, r8, #2\nS2R r9, sample\nMOV r20, #0\nMOV r20, #0\nEND",
            3,
            3,
        ),
    }
}

/// MS-41: lanes of a group stop at different points, each goes on with its own counter, in both
/// shapes; a warp that has split passes every later point without effect.
#[test]
fn ms_41_lanes_stop_at_several_points_and_a_later_one_does_nothing() {
    for form in [EventForm::Instruction, EventForm::Modifier, EventForm::Counter, EventForm::Count] {
        let (text, even, at) = several_points(form);
        let events = Events { split: at, ..Events::default() };
        // Samples: every member has all lanes, at their own counters.
        let mut g = configured(text, |c| c.event_form = form);
        for mut launch in members(0, &[0b1111, 0b0110]) {
            let tags = launch.graphics.as_mut().unwrap();
            (tags.x, tags.events) = ([0, 1, 0, 1], events);
            g.launch(&launch).unwrap();
        }
        go(&mut g, 0);
        assert_eq!(g.warp(0, 0).splitting(), 15, "{form:?}");
        assert_eq!(g.split(0, 0), Ok(Split { others: 1, lanes: 15, covered: 15 }), "{form:?}");
        for m in [0, 1] {
            assert_eq!([0, 1, 2, 3].map(|l| g.warp(0, m).pc(l)), [even, 5, even, 5], "{form:?}");
            let trace = go(&mut g, m);
            assert_eq!(trace.last(), Some(&(8, 15)), "{form:?}: {trace:?}");
        }
        assert!(g.is_idle());
        // Pixels: every member has one of the counters.
        let mut g = of_pixels(text, |c| c.event_form = form);
        pixels([15, 6, 1, 9], events).iter().for_each(|launch| g.launch(launch).unwrap());
        go(&mut g, 0);
        assert_eq!(g.split(0, 0), Ok(Split { others: 3, lanes: 15, covered: 15 }), "{form:?}");
        for (m, own) in [15, 6, 1, 9].into_iter().enumerate() {
            let begins = if m % 2 == 0 { even } else { 5 };
            let trace = go(&mut g, m);
            assert_eq!((trace[0], trace.last()), ((begins, own), Some(&(8, own))), "{form:?} {m}");
        }
        assert!(g.is_idle() && g.warp(0, 0).is_free());
    }
}

/// What a machine must not launch.
#[test]
fn ms_41_groups_of_pixels_are_checked() {
    let refused = |shape: SplitShape, change: &dyn Fn(&mut Tags)| {
        let mut g = configured(PLACES, |c| c.split_shape = shape);
        let mut launch = pixels([15, 15, 15, 15], Events::default()).remove(0);
        change(launch.graphics.as_mut().unwrap());
        g.launch(&launch).err().map_or(String::new(), |e| e.to_string())
    };
    assert_eq!(refused(SplitShape::Pixels, &|_| {}), "");
    assert_eq!(refused(SplitShape::Either, &|_| {}), "");
    assert!(refused(SplitShape::Samples, &|_| {}).contains("does not split into pixels"));
    assert!(refused(SplitShape::Pixels, &|t| t.apart = false).contains("looks at other lanes"));
    assert!(refused(SplitShape::Pixels, &|t| t.sample = [1; 4]).contains("its four samples"));
}

/// Behind a split into pixels lanes are samples: to look at another one is the program's error.
#[test]
fn ms_42_lanes_of_a_pixel_do_not_look_at_each_other() {
    let mut g = of_pixels("MOV r0, #1\nSPLIT\nDDX r8, r0\nQSHUF r9, r0, #1\nEND", |_| {});
    start_pixels(&mut g, [15, 0, 0, 3]);
    go(&mut g, 0);
    g.split(0, 0).unwrap();
    (0..2).for_each(|m| drop(go(&mut g, m)));
    let (misuses, count) = g.misuses();
    assert_eq!((count, misuses[0].kind, misuses[0].pc), (4, MisuseKind::AcrossPixel, 2));
}

/// Pixels of even x and of odd x stop apart.
const APART: &str = "S2R r8, pixel_x\nIADD r0, r8, #100\nBNZ r8, @5\nSPLIT\nBRA @6\nSPLIT\nIADD r8, r0, #1\nEND";

#[test]
fn every_planted_bug_of_pixels_shows() {
    let shown = |fault| {
        let mut g = of_pixels(APART, |c| c.fault = fault);
        start_pixels(&mut g, [15, 15, 0, 7]);
        let mut out = go(&mut g, 0);
        g.split(0, 0).unwrap();
        (0..3).for_each(|m| out.extend(go(&mut g, m)));
        (out, [0, 1, 2].map(|m| lanes(&g, m, 8)))
    };
    let right = shown(None);
    assert_eq!(right.1, [[101; 4], [102; 4], [102, 102, 102, 0]]);
    for fault in Fault::ALL.iter().map(|f| f.0).filter(|f| f.is_of_shapes()) {
        assert_ne!(right, shown(Some(fault)), "{fault:?}");
    }
}
