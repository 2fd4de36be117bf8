//! Counts of the cull pipeline: how many states one streamer may be ahead, and how many bits the
//! visibility record holds.

use quadlock_hdl::base::testing::Bench;
use quadlock_hdl::command::CommandLead;
use quadlock_hdl::config::{CullPipeline, GpuConfig};
use quadlock_hdl::cull::VisibilityRecord;
use quadlock_hdl::fault::Fault;

use crate::common::machine::{Machine, On};

fn config(fault: Option<Fault>) -> GpuConfig {
    GpuConfig { graphics: true, cull_pipeline: CullPipeline::Positions, cull_record: 256, fault, ..Default::default() }
}

/// States that are written before there is no room for another one.
fn states(fault: Option<Fault>) -> usize {
    let config = config(fault);
    let block = Bench::new(CommandLead::new(&config), |b| &mut b.clock);
    let mut m = Machine::new(On::Verilog, &config, "command_lead", block);
    m.set("wrote", 1);
    let room = |m: &mut Machine| {
        m.settle();
        m.get("state_room") == 1
    };
    (0..20).take_while(|_| room(&mut m).then(|| m.cycle()).is_some()).count()
}

/// Of eight contexts one is that of draws which follow, so seven may be ahead.
#[test]
fn hz_31_no_state_is_written_over_one_that_is_to_come() {
    assert_eq!(states(None), 7);
    assert_ne!(states(Some(Fault::LeadState)), 7);
}

/// Whether the streamers have met while the one that follows is behind by that many commands,
/// beside the one at which they meet.
fn met(fault: Option<Fault>, behind: u64) -> bool {
    let config = config(fault);
    let block = Bench::new(CommandLead::new(&config), |b| &mut b.clock);
    let mut m = Machine::new(On::Verilog, &config, "command_lead", block);
    m.set("between", 1);
    for (port, times) in [("leads", 6), ("follows", 5 - behind)] {
        m.set(port, 1);
        m.settle();
        (0..times).for_each(|_| m.cycle());
        m.set(port, 0);
        m.settle();
    }
    m.get("met") == 1
}

/// The one that leads is at a pass when the other one has done all before it.
#[test]
fn hz_31_streamers_meet_at_a_pass() {
    assert_eq!([0, 1, 2, 5].map(|n| met(None, n)), [true, false, false, false]);
    assert!(met(Some(Fault::LeadMet), 2));
}

/// Triangles that geometry tells of while there is room for more, nobody reading.
fn triangles(fault: Option<Fault>) -> usize {
    let config = config(fault);
    let block = Bench::new(VisibilityRecord::new(&config), |b| &mut b.clock);
    let mut m = Machine::new(On::Verilog, &config, "visibility_record", block);
    m.cycle();
    m.set("triangle_event_valid", 1);
    let mut told = 0;
    while told < 400 {
        m.set("triangle_event_order", told);
        m.settle();
        if m.get("room") == 0 {
            break;
        }
        m.cycle();
        told += 1;
    }
    told as usize
}

/// 64 corners may be on their way when it is told, each with a triangle, and some are set up.
#[test]
fn hz_31_the_record_holds_corners_back_before_it_is_full() {
    let most = triangles(None);
    assert!((126..=256 - 124).contains(&most), "{most}");
    assert_eq!(triangles(Some(Fault::CullRecord)), 400);
}

/// Bits come in the order of triangles, whatever the order in which they are found.
#[test]
fn hz_31_bits_are_read_in_order_of_triangles() {
    let config = config(None);
    let block = Bench::new(VisibilityRecord::new(&config), |b| &mut b.clock);
    let mut m = Machine::new(On::Verilog, &config, "visibility_record", block);
    let what = |n: u64| [0, 2, 3, 0, 7, 4, 5, 1][n as usize % 8];
    for block in 0..200 {
        // Four at a time, the second pair first.
        for n in [2, 3, 0, 1].map(|k| 4 * block + k) {
            m.set("triangle_event_valid", 1);
            m.set("triangle_event_order", n);
            m.set("triangle_event_what", what(n));
            m.settle();
            m.cycle();
        }
        m.set("triangle_event_valid", 0);
        let mut n = 4 * block;
        for _ in 0..40 {
            m.settle();
            let there = m.get("bit_valid") == 1;
            if there {
                assert_eq!(m.get("bit_order"), n & 0xFFFF);
                assert_eq!(m.get("bit_shows") == 1, matches!(what(n), 0 | 7), "{n}");
                n += 1;
            }
            m.set("bit_take", there.into());
            m.settle();
            m.cycle();
            m.set("bit_take", 0);
        }
        assert_eq!(n, 4 * block + 4);
    }
}
