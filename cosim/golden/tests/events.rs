//! Forms of merge and split points (MS-10, MS-35): in each form lanes stop at the same place of the
//! same program. Wrong would be a form that only works for lanes that are together: here they come
//! apart.

use crate::common::{code, launch, MEMORY};
use quadlock_golden::{
    Config, Events, Golden, GroupMember, LaneState, Launch, Member, Memory, Merged, Split, Tags, Trap,
};
use quadlock_isa::abi::EventForm;
use quadlock_isa::Undefined;

fn machine(text: &str, form: EventForm, ends: bool) -> Golden {
    let config = Config {
        graphics: true,
        merge: true,
        split: true,
        event_form: form,
        merge_helpers_end: ends,
        ..Config::default()
    };
    Golden::new(config, code(text), vec![], Memory::new(MEMORY))
}

/// A fragment warp with those lanes covered: pixels 10 * slot + lane.
fn fragments(warp: usize, covered: u8, events: Events) -> Launch {
    let tags = Tags {
        fragments: true,
        x: std::array::from_fn(|l| (10 * warp + l) as u32),
        coverage: std::array::from_fn(|l| u32::from(covered >> l & 1)),
        cutoff: 2,
        events,
        ..Tags::default()
    };
    Launch { graphics: Some(Box::new(tags)), ..launch(0, warp, 15) }
}

fn member(warp: usize, covered: u8, events: Events) -> Launch {
    let mut launch = fragments(warp, covered, events);
    if let Some(tags) = &mut launch.graphics {
        tags.pair = Some(Member { pair: 5, member: warp as u8 & 1, others: 1 });
    }
    launch
}

fn group(covered: [u8; 2], events: Events) -> [Launch; 2] {
    [0, 1].map(|m| {
        let mut launch = fragments(m, covered[m], events);
        if let Some(tags) = &mut launch.graphics {
            tags.splits = true;
            tags.group = Some(GroupMember { member: m as u8, others: 1, union: covered[0] | covered[1] });
        }
        launch
    })
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

fn merge_at(at: u16) -> Events {
    Events { merge: at, split: 0 }
}

const PLAIN: &str = "S2R r8, pixel_x\nIADD r0, r8, #100\nS2R r9, pixel_x\nEND";
const CARRIED: &str = "S2R r8, pixel_x\nIADD.MERGE r0, r8, #100\nS2R r9, pixel_x\nEND";

#[test]
fn ms_10_lanes_stop_at_the_same_place_in_every_form() {
    let forms = [
        (EventForm::Modifier, CARRIED, merge_at(0)),
        (EventForm::Counter, PLAIN, merge_at(2)),
        (EventForm::Count, PLAIN, merge_at(2)),
    ];
    for (form, text, events) in forms {
        let mut g = machine(text, form, false);
        g.launch(&member(2, 0b0001, events)).unwrap();
        g.launch(&member(3, 0b1100, events)).unwrap();
        for warp in [3, 2] {
            assert_eq!(go(&mut g, warp), [(0, 15), (1, 15)], "{form:?}");
            assert!(g.warp(0, warp).is_stopped());
        }
        assert_eq!(g.merge(0, 2, 3), Ok(Merged { stayed: 0b0001, came: 0b1100 }));
        // It does not meet the point again.
        assert_eq!(go(&mut g, 2), [(2, 0b1101), (3, 0b1101)]);
        // Nor does a warp without a partner stop (MS-12), helpers included.
        g.launch(&fragments(3, 0b0001, events)).unwrap();
        assert_eq!(go(&mut g, 3), [(0, 15), (1, 15), (2, 15), (3, 15)]);
    }
}

/// Lanes at lower counters come first, so lanes that wait at the point's counter have not met it.
#[test]
fn ms_34_the_lowest_counter_comes_first() {
    let text = "S2R r8, pixel_x\nAND r8, r8, #1\nBNZ r8, @4\nMOV r1, #2\nMOV r0, #1\nEND";
    let mut g = machine(text, EventForm::Counter, false);
    g.launch(&member(0, 0b0011, merge_at(4))).unwrap();
    for _ in 0..3 {
        g.step(0, 0).unwrap();
    }
    assert_eq!(g.warp(0, 0).merging(), 0, "two lanes are at the point, and two before it");
    assert_eq!(go(&mut g, 0), [(3, 0b0101)]);
    assert_eq!(g.warp(0, 0).merging(), 15);
}

/// Lanes that took the short way have executed less: they come to the point further on.
#[test]
fn ms_35_instructions_are_counted_by_lane() {
    let text = "S2R r8, pixel_x\nAND r8, r8, #1\nBNZ r8, @4\nMOV r1, #2\nMOV r0, #1\nMOV r0, #2\nEND";
    let mut g = machine(text, EventForm::Count, false);
    g.launch(&member(0, 0b0011, merge_at(4))).unwrap();
    assert_eq!(go(&mut g, 0), [(0, 15), (1, 15), (2, 15), (3, 0b0101), (4, 0b1010)]);
    let at: [u16; 4] = std::array::from_fn(|l| g.warp(0, 0).pc(l));
    assert_eq!((at, g.warp(0, 0).merging()), ([4, 5, 4, 5], 15));
}

/// A member whose partner has ended goes on, and passes the point.
#[test]
fn ms_14_nobody_waits_for_a_partner_that_has_ended() {
    for (form, text, at) in [
        (EventForm::Counter, "S2R r8, pixel_x\nISETEQ r9, r8, #2\nBNZ r9, @4\nMOV r0, #1\nMOV r1, #1\nEND", 3),
        (EventForm::Count, "S2R r8, pixel_x\nISETEQ r9, r8, #2\nBNZ r9, @4\nMOV r0, #1\nMOV r1, #1\nEND", 3),
        (EventForm::Modifier, "S2R r8, pixel_x\nMOV.MERGE r9, r8\nMOV r0, #1\nEND", 0),
    ] {
        let mut g = machine(&(text.to_owned() + "\nDISCARD"), form, false);
        let gone = Launch { pc: text.lines().count() as u16, ..member(1, 0b0010, merge_at(at)) };
        g.launch(&member(0, 0b0001, merge_at(at))).unwrap();
        g.launch(&gone).unwrap();
        go(&mut g, 0);
        assert!(g.warp(0, 0).is_stopped(), "{form:?}");
        go(&mut g, 1);
        assert!(g.warp(0, 1).is_ended() && !g.warp(0, 0).is_stopped());
        go(&mut g, 0);
        assert!(g.warp(0, 0).is_ended(), "{form:?}");
    }
}

#[test]
fn ms_40_warps_split_in_every_form() {
    let at = Events { merge: 0, split: 2 };
    let forms = [
        (EventForm::Modifier, "S2R r8, pixel_x\nMOV.SPLIT r0, r8\nMOV r9, #1\nEND", Events::default()),
        (EventForm::Counter, PLAIN, at),
        (EventForm::Count, PLAIN, at),
    ];
    for (form, text, events) in forms {
        let mut g = machine(text, form, false);
        for launch in group([0b0011, 0b0110], events) {
            g.launch(&launch).unwrap();
        }
        assert_eq!(go(&mut g, 0), [(0, 15), (1, 15)], "{form:?}");
        assert_eq!(g.split(0, 0), Ok(Split { others: 1, lanes: 15, covered: 0b0111 }));
        assert_eq!(go(&mut g, 0), [(2, 15), (3, 15)]);
        assert_eq!(go(&mut g, 1), [(2, 15), (3, 15)]);
    }
}

/// What is a point in one form is none in another.
#[test]
fn ms_10_a_machine_knows_one_form() {
    let text = "S2R r8, pixel_x\nMERGE\nEND";
    for form in [EventForm::Modifier, EventForm::Counter, EventForm::Count] {
        let mut g = machine(text, form, false);
        g.launch(&member(0, 0b0001, Events::default())).unwrap();
        assert_eq!(go(&mut g, 0).len(), 3, "{form:?}");
    }
    for form in [EventForm::Instruction, EventForm::Counter, EventForm::Count] {
        let mut g = machine(CARRIED, form, false);
        g.launch(&fragments(0, 0b0001, Events::default())).unwrap();
        let traps: Vec<_> = [g.step(0, 0), g.step(0, 0)].into_iter().map(|e| e.unwrap().trap).collect();
        assert_eq!(traps, [None, Some(Trap::Undefined(Undefined::NoEvent))]);
    }
}

/// MS-35: in a warp that has no partner helpers end at the point, too; in one whose partner ends
/// later they end when it goes on.
#[test]
fn ms_35_helpers_end_without_a_partner() {
    let forms = [
        (EventForm::Instruction, "S2R r8, pixel_x\nMERGE\nMOV r0, #1\nEND", 0, 2),
        (EventForm::Modifier, "S2R.MERGE r8, pixel_x\nMOV r0, #1\nEND", 0, 1),
        (EventForm::Counter, "S2R r8, pixel_x\nMOV r0, #1\nEND", 1, 1),
        (EventForm::Count, "S2R r8, pixel_x\nMOV r0, #1\nEND", 1, 1),
    ];
    for (form, text, at, behind) in forms {
        let mut g = machine(&(text.to_owned() + "\nDISCARD"), form, true);
        g.launch(&fragments(0, 0b0101, merge_at(at))).unwrap();
        let masks: Vec<u8> = go(&mut g, 0).iter().map(|i| i.1).collect();
        let expected: Vec<u8> = (0..behind + 2).map(|n| if n < behind { 15 } else { 0b0101 }).collect();
        assert_eq!(masks, expected, "{form:?}");
        // A program of its own has no point.
        let mut own = fragments(0, 0b0101, merge_at(at));
        if let Some(tags) = &mut own.graphics {
            tags.cutoff = quadlock_golden::NO_MERGE_POINT;
        }
        if form == EventForm::Counter || form == EventForm::Count {
            g.launch(&own).unwrap();
            assert!(go(&mut g, 0).iter().all(|i| i.1 == 15));
        }
        let gone = Launch { pc: text.lines().count() as u16, ..member(1, 0b0010, merge_at(at)) };
        g.launch(&member(0, 0b0001, merge_at(at))).unwrap();
        g.launch(&gone).unwrap();
        go(&mut g, 0);
        go(&mut g, 1);
        assert_eq!(g.warp(0, 0).lane_state(1), LaneState::Ended, "{form:?}");
        assert!(go(&mut g, 0).iter().all(|i| i.1 == 0b0001), "{form:?}");
    }
}
