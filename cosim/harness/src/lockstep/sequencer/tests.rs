//! The sequencer on events made by hand.

use super::*;
use crate::machine::ports::UnitOutputs;

fn outputs(retire: Option<RetireEvent>, completion: Option<CompletionEvent>) -> Outputs {
    let unit = UnitOutputs { retire, completion, ..UnitOutputs::default() };
    Outputs { units: vec![unit], ..Outputs::default() }
}

fn ret(warp: u8, seq: u8, mem: bool) -> Option<RetireEvent> {
    Some(RetireEvent { warp, seq, mem, ..RetireEvent::default() })
}

fn last(warp: u8, seq: u8) -> Option<CompletionEvent> {
    Some(CompletionEvent { warp, seq, last: true, ..CompletionEvent::default() })
}

/// (issue?, warp, seq) of everything done by feeding `events` one per cycle.
fn run(s: &mut Sequencer, events: &[(Option<RetireEvent>, Option<CompletionEvent>)]) -> Vec<(bool, u8, u8)> {
    let mut done = Vec::new();
    for (cycle, &(retire, completion)) in events.iter().enumerate() {
        s.observe(cycle as u64, &outputs(retire, completion)).unwrap();
        s.drain(&mut |action| {
            match action {
                Action::Issue(r) => done.push((true, r.event.warp, r.event.seq)),
                Action::Complete(c) => done.push((false, c.warp as u8, c.seq)),
                _ => {}
            }
            Step::Done
        });
    }
    done
}

#[test]
fn records_out_of_order_are_issued_in_program_order() {
    let mut s = Sequencer::new(1, 1, 2);
    let done = run(&mut s, &[(ret(0, 1, false), None), (ret(0, 2, false), None), (ret(0, 0, false), None)]);
    assert_eq!(done, [(true, 0, 0), (true, 0, 1), (true, 0, 2)]);
    assert!(s.is_empty());
}

#[test]
fn a_completion_before_its_retirement_holds_those_behind_it() {
    let mut s = Sequencer::new(1, 1, 2);
    let events = [(ret(1, 0, true), None), (None, last(0, 0)), (None, last(1, 0)), (ret(0, 0, true), None)];
    let done = run(&mut s, &events);
    assert_eq!(done, [(true, 1, 0), (true, 0, 0), (false, 0, 0), (false, 1, 0)]);
}

#[test]
fn sequence_numbers_wrap() {
    let mut s = Sequencer::new(1, 1, 1);
    let events: Vec<_> = (0..600u32).map(|i| (ret(0, i as u8, false), None)).collect();
    assert_eq!(run(&mut s, &events).len(), 600);
    assert!(s.observe(600, &outputs(ret(0, 87, false), None)).is_err(), "the same number again");
}

fn retired(seq: u32, text: &str) -> (Option<RetireEvent>, Option<CompletionEvent>) {
    let word = quadlock_isa::assemble("", text).unwrap().code[0];
    let mem = Pipeline::of(word) != Pipeline::Global || text.contains('[');
    (Some(RetireEvent { seq: seq as u8, mem, ..RetireEvent::default() }.with_word(word)), None)
}

/// (order number, in the unit's function unit) of everything that completes by feeding `events` one
/// per cycle.
fn completions(events: &[(Option<RetireEvent>, Option<CompletionEvent>)]) -> Result<Vec<(u64, bool)>, Impossible> {
    let (mut s, mut done) = (Sequencer::new(1, 1, 1), Vec::new());
    for (cycle, &(retire, completion)) in events.iter().enumerate() {
        s.observe(cycle as u64, &outputs(retire, completion))?;
        s.drain(&mut |action| {
            if let Action::Complete(c) = action {
                done.push((c.order, c.function));
            }
            Step::Done
        });
    }
    assert!(s.is_empty());
    Ok(done)
}

#[test]
fn a_completion_belongs_to_the_oldest_instruction_of_its_pipeline_however_far_behind() {
    let load = "LD.32 r1, [r2]";
    for behind in [100, 128, 200, 255, 256, 300, 1000] {
        // A load, then lane instructions, then a load and a division with the sequence number of
        // the first one, or near it.
        let mut events = vec![retired(0, load)];
        events.extend((1..behind).map(|n| retired(n, "IADD r3, r3, #1")));
        events.extend([retired(behind, load), retired(behind + 1, "FDIV r4, r5, r6")]);
        let function = CompletionEvent { seq: (behind + 1) as u8, function: true, last: true, ..Default::default() };
        events.extend([(None, Some(function)), (None, last(0, 0)), (None, last(0, behind as u8))]);
        let behind = u64::from(behind);
        assert_eq!(completions(&events), Ok(vec![(behind + 1, true), (0, false), (behind, false)]));
    }
}

#[test]
fn a_pipeline_that_completes_out_of_order_is_found() {
    let (load, store) = ("LD.32 r1, [r2]", "ST.32 [r2], r3");
    let events = [retired(0, load), retired(1, store), (None, last(0, 1))];
    assert!(matches!(completions(&events).unwrap_err(), Impossible::Overtakes { seq: 1, oldest: 0, .. }));
}

#[test]
fn the_largest_machine_has_512_slots() {
    let mut s = Sequencer::new(16, 32, 16);
    let mut o = Outputs { units: vec![UnitOutputs::default(); 32], ..Outputs::default() };
    (0..32).for_each(|u| o.units[u].retire = ret(15, 0, false));
    s.observe(0, &o).unwrap();
    let mut units = Vec::new();
    s.drain(&mut |action| {
        if let Action::Issue(r) = action {
            units.push(r.unit);
        }
        Step::Done
    });
    assert_eq!(units, (0..32).collect::<Vec<_>>());
    assert!(s.is_empty());
}

#[test]
fn what_is_held_is_offered_again_and_named() {
    let mut s = Sequencer::new(1, 1, 1);
    s.observe(5, &outputs(ret(0, 0, false), None)).unwrap();
    assert!(s.drain(&mut |_| Step::Hold));
    assert!(!s.is_empty());
    assert_eq!(s.oldest().unwrap().cycle, 5);
    assert!(s.drain(&mut |_| Step::Done));
    assert!(s.is_empty());
}

fn global(unit: usize, seq: u8, outputs: &mut Outputs) {
    let event = CompletionEvent { seq, last: true, ..CompletionEvent::default() };
    outputs.units[unit].completion = Some(event);
}

#[test]
fn with_several_cores_the_memory_port_gives_the_order() {
    let mut s = Sequencer::new(2, 2, 1);
    let mut both = Outputs { units: vec![UnitOutputs::default(); 2], ..Outputs::default() };
    (0..2).for_each(|u| both.units[u].retire = ret(0, 0, true));
    s.observe(0, &both).unwrap();
    for (cycle, core) in [(1, 1), (2, 0), (3, 1)] {
        s.transaction(Transaction { cycle, core, line: 0x1000 + 16 * cycle as u32, write: false });
    }
    // Core 0 completes first; its transaction waits for that of core 1 before it.
    let mut done = Vec::new();
    let mut left = [1, 2];
    for unit in [0, 1] {
        let mut o = Outputs { units: vec![UnitOutputs::default(); 2], ..Outputs::default() };
        global(unit, 0, &mut o);
        s.observe(5, &o).unwrap();
        s.drain(&mut |action| {
            match action {
                Action::Perform(t, c) => {
                    assert_eq!(t.core, c.unit);
                    left[t.core] -= 1;
                    done.push((t.cycle, t.core));
                }
                Action::Complete(c) if left[c.unit] > 0 => return Step::Hold,
                Action::Complete(c) => done.push((99, c.unit)),
                _ => {}
            }
            Step::Done
        });
    }
    assert_eq!(done, [(1, 1), (2, 0), (99, 0), (3, 1), (99, 1)]);
    assert!(s.is_empty());
}

#[test]
fn acknowledgements_reach_their_slot_before_its_next_instruction() {
    use crate::machine::ports::BusEvent;
    let mut s = Sequencer::new(1, 2, 2);
    let ack = BusEvent { kind: MessageKind::Acknowledge, thread: 17, ..BusEvent::default() };
    let mut o = Outputs { units: vec![UnitOutputs::default(); 2], bus: vec![ack], ..Outputs::default() };
    o.units[1].retire = ret(1, 0, false);
    assert!(s.observe(3, &o).unwrap());
    let mut done = Vec::new();
    s.drain(&mut |action| {
        match action {
            Action::Acknowledge { cycle, unit, warp } => done.push((*cycle, *unit, *warp)),
            Action::Issue(r) => done.push((100, r.unit, r.event.warp.into())),
            _ => {}
        }
        Step::Done
    });
    assert_eq!(done, [(3, 1, 1), (100, 1, 1)]);
    o.bus[0].thread = 18;
    o.units[1].retire = None;
    assert!(matches!(s.observe(4, &o).unwrap_err(), Impossible::Acknowledgement { thread: 18, .. }));
}

#[test]
fn a_missing_sequence_number_is_named() {
    let mut s = Sequencer::new(1, 1, 1);
    s.observe(5, &outputs(ret(0, 1, false), None)).unwrap();
    s.drain(&mut |_| Step::Done);
    assert!(matches!(s.oldest().unwrap().what, Held::NeverRetired { missing: 0, .. }));
}

/// A pair of groups takes all its slots when its first warp is launched. So a later warp must not
/// come into one of them before, and one of another unit may.
#[test]
fn launches_of_a_unit_are_made_in_their_order() {
    let mut s = Sequencer::new(1, 2, 4);
    let launch = |unit, warp| Outputs {
        units: vec![UnitOutputs::default(); 2],
        launch: Some(LaunchEvent { unit, warp, ..LaunchEvent::default() }),
        ..Outputs::default()
    };
    for (cycle, (unit, warp)) in [(0, 3), (0, 0), (1, 2)].into_iter().enumerate() {
        s.observe(cycle as u64, &launch(unit, warp)).unwrap();
    }
    let mut launched = vec![];
    for third_is_free in [false, true] {
        s.drain(&mut |action| {
            let Action::Launch { event, .. } = action else { return Step::Done };
            if (event.unit, event.warp) == (0, 3) && !third_is_free {
                return Step::Hold;
            }
            launched.push((event.unit, event.warp));
            Step::Done
        });
    }
    assert_eq!(launched, [(1, 2), (0, 3), (0, 0)]);
    assert!(s.is_empty());
}
