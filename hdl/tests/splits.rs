//! A warp slot as a member of a group that splits, alone, on both engines: member 0 waits for all
//! members before it splits and keeps its slot until they have ended; a member sleeps until it is
//! woken, and has then what member 0 had (MS-40 to MS-42).
//!
//! It can be wrong by stand-ins that do what the table does not; lockstep with the model is for
//! that. What several slots do together is tested there.

use quadlock_hdl::base::testing::Bench;
use quadlock_hdl::config::{GpuConfig, SplitShape};
use quadlock_hdl::fault::Fault;
use quadlock_hdl::warp::context::WarpContext;

use crate::common::machine::{Machine, On};

/// Bits of the kind of an instruction: it drains, it ends lanes.
const DRAINS: u64 = 1 << 2;
const ENDS: u64 = 1 << 6;
const SPLIT: u64 = 0x09;

fn slot(on: On, fault: Option<Fault>) -> Machine {
    shaped(on, fault, SplitShape::Samples)
}

fn shaped(on: On, fault: Option<Fault>, split_shape: SplitShape) -> Machine {
    let config = GpuConfig { graphics: true, split: true, split_shape, fault, ..GpuConfig::default() };
    let bench = Bench::new(WarpContext::new(&config), |b| &mut b.clock);
    Machine::new(on, &config, "warp_context", bench)
}

/// A cycle with these inputs, which are 0 in the next one.
fn pulse(m: &mut Machine, inputs: &[(&str, u64)]) {
    inputs.iter().for_each(|(name, value)| m.set(name, *value));
    m.settle();
    m.cycle();
    inputs.iter().for_each(|(name, _)| m.set(name, 0));
    m.settle();
}

fn launch(m: &mut Machine, rank: u64, others: u64, covered: u64, after: u64) {
    let all = [
        ("launch", 1),
        ("launch_mask", 15),
        ("launch_pc", 40),
        ("launch_covered_0", covered),
        ("launch_window_0", 33),
        ("launch_splits_0", 1),
        ("launch_rank_0", rank),
        ("launch_others_0", others),
        ("launch_after_0", after),
    ];
    pulse(m, &all);
}

fn expect(m: &mut Machine, values: &[(&str, u64)]) -> Result<(), String> {
    m.settle();
    for (name, value) in values {
        let seen = m.get(name);
        if seen != *value {
            return Err(format!("{name} is {seen}, not {value}"));
        }
    }
    Ok(())
}

/// Executes an instruction for all its lanes, once the slot asks for it.
fn execute(m: &mut Machine, word: u64, kind: u64) -> Result<(), String> {
    let asked = (0..6).any(|_| {
        m.settle();
        let asks = m.get("need_fetch") == 1;
        if !asks {
            m.cycle();
        }
        asks
    });
    if !asked {
        return Err("it fetches nothing".into());
    }
    pulse(m, &[("fill", 1), ("fill_lo", word), ("fill_kind", kind)]);
    expect(m, &[("ready", 1)])?;
    pulse(m, &[("issue", 1)]);
    pulse(m, &[("retire", 1)]);
    Ok(())
}

/// Member 0 of three: it covers lanes 0, 1, 3 for all of them and 0, 1 for its own sample.
fn first(on: On, fault: Option<Fault>) -> Result<(), String> {
    let mut m = slot(on, fault);
    launch(&mut m, 0, 2, 0b1011, 0b0011);
    expect(&mut m, &[("free", 0), ("locked_0", 0), ("covered_0", 0b1011), ("any_running", 1)])?;
    pulse(&mut m, &[("arrives_0", 1)]);
    execute(&mut m, SPLIT, DRAINS)?;
    // The last member is not there.
    for _ in 0..10 {
        expect(&mut m, &[("any_running", 0), ("ready_to_split_0", 0), ("free", 0)])?;
        m.cycle();
    }
    pulse(&mut m, &[("arrives_0", 1)]);
    let pcs = [("split_pc0_0", 41), ("split_pc1_0", 41), ("split_pc2_0", 41), ("split_pc3_0", 41)];
    expect(&mut m, &pcs)?;
    expect(&mut m, &[("ready_to_split_0", 1), ("others_0", 2), ("split_lanes_0", 15)])?;
    pulse(&mut m, &[("split_0", 1)]);
    expect(&mut m, &[("covered_0", 0b0011), ("locked_0", 1), ("any_running", 1), ("ready_to_split_0", 0)])?;
    // A second point does nothing, and waits for nothing.
    execute(&mut m, SPLIT, DRAINS)?;
    expect(&mut m, &[("any_running", 1)])?;
    // END, for all lanes: the slot is free when the others' are.
    execute(&mut m, 0x02, ENDS | DRAINS)?;
    expect(&mut m, &[("any_running", 0), ("free", 0)])?;
    pulse(&mut m, &[("freed_0", 0b101)]);
    expect(&mut m, &[("free", 0)])?;
    pulse(&mut m, &[("freed_0", 0b010)]);
    expect(&mut m, &[("free", 1)])
}

/// Another member: it sleeps, then has the lanes and counters that it is woken with.
fn other(on: On, fault: Option<Fault>) -> Result<(), String> {
    for (lanes, covered, runs) in [(0b0111, 0b1011, 1), (0b0001, 0b1011, 0), (0, 0b1111, 0)] {
        let mut m = slot(on, fault);
        launch(&mut m, 1, 2, 0b0110, 0b0110);
        for _ in 0..5 {
            expect(&mut m, &[("free", 0), ("any_running", 0), ("need_fetch", 0)])?;
            m.cycle();
        }
        let pcs = [("wake_pc0_0", 50), ("wake_pc1_0", 51), ("wake_pc2_0", 52), ("wake_pc3_0", 53)];
        let rest = [("wake_0", 1), ("wake_lanes_0", lanes), ("wake_covered_0", covered)];
        pulse(&mut m, &[pcs.as_slice(), rest.as_slice()].concat());
        expect(&mut m, &[("covered_0", 0b0110 & covered), ("any_running", runs), ("free", 1 - runs), ("locked_0", 1)])?;
        if runs == 1 {
            m.cycle();
            expect(&mut m, &[("need_fetch", 1), ("next_pc", 50), ("mask", 1), ("split_pc2_0", 52)])?;
        }
    }
    Ok(())
}

/// A member that is pixel 2, of which samples 1, 2, 3 are covered: it has what lane 2 of member 0
/// had, in all lanes that cover something.
fn pixel(on: On, fault: Option<Fault>) -> Result<(), String> {
    for (lanes, covered, own) in [(0b0100, 0b1111, 0b1110), (0b1011, 0b1111, 0b1110), (0b0111, 0b1011, 0)] {
        let mut m = shaped(on, fault, SplitShape::Pixels);
        m.set("launch_turned_0", 1);
        m.set("launch_pixel_0", 2);
        launch(&mut m, 1, 2, 0b1110, 0b1110);
        m.set("launch_turned_0", 0);
        m.set("launch_pixel_0", 0);
        expect(&mut m, &[("whole_0", 0), ("any_running", 0)])?;
        let pcs = [("wake_pc0_0", 50), ("wake_pc1_0", 51), ("wake_pc2_0", 52), ("wake_pc3_0", 53)];
        let rest = [("wake_0", 1), ("wake_lanes_0", lanes), ("wake_covered_0", covered)];
        pulse(&mut m, &[pcs.as_slice(), rest.as_slice()].concat());
        let runs = u64::from(lanes & covered & 4 != 0);
        expect(&mut m, &[("covered_0", own), ("any_running", runs), ("free", 1 - runs), ("locked_0", 1)])?;
        if runs == 1 {
            m.cycle();
            expect(&mut m, &[("need_fetch", 1), ("next_pc", 52), ("mask", 0b1110)])?;
        }
    }
    // Member 0 is pixel 1.
    let mut m = shaped(on, fault, SplitShape::Either);
    m.set("launch_turned_0", 1);
    m.set("launch_pixel_0", 1);
    launch(&mut m, 0, 0, 0b0010, 0b0101);
    expect(&mut m, &[("whole_0", 1), ("covered_0", 0b0010)])?;
    execute(&mut m, SPLIT, DRAINS)?;
    expect(&mut m, &[("ready_to_split_0", 1), ("split_lanes_0", 15)])?;
    pulse(&mut m, &[("split_0", 1)]);
    expect(&mut m, &[("whole_0", 0), ("covered_0", 0b0101), ("any_running", 1)])?;
    m.cycle();
    expect(&mut m, &[("next_pc", 41), ("mask", 0b0101)])
}

#[test]
fn ms_41_a_member_that_is_a_pixel_goes_on_where_that_had_stopped() {
    [On::Verilog, On::RustHdl].into_iter().for_each(|on| pixel(on, None).unwrap_or_else(|e| panic!("{on:?}: {e}")));
}

#[test]
fn ms_40_member_0_waits_for_all_and_keeps_its_slot() {
    [On::Verilog, On::RustHdl].into_iter().for_each(|on| first(on, None).unwrap_or_else(|e| panic!("{on:?}: {e}")));
}

#[test]
fn ms_40_other_members_sleep_until_they_are_woken() {
    [On::Verilog, On::RustHdl].into_iter().for_each(|on| other(on, None).unwrap_or_else(|e| panic!("{on:?}: {e}")));
}

#[test]
fn planted_faults_of_members_are_caught() {
    for fault in [Fault::SplitEarly, Fault::SplitFree] {
        first(On::Verilog, Some(fault)).expect_err(&format!("{fault:?} is not caught"));
    }
    for fault in [Fault::SplitSleeps, Fault::SplitDiscarded] {
        other(On::Verilog, Some(fault)).expect_err(&format!("{fault:?} is not caught"));
    }
    pixel(On::Verilog, Some(Fault::ShapeCounters)).expect_err("shape-counters is not caught");
}
