//! The test of a group by itself: a plane beyond the vertices. Bias that is held at an end of the
//! range leaves a vertex behind, and the plane through it lies beyond the others. A sample's depth
//! is held between the vertices (docs/graphics.md, "Depth"), and so must be what is compared. That
//! it is right for all planes is proved (docs/formal.md); the words here are one case each way.

use quadlock_hdl::base::testing::Bench;
use quadlock_hdl::config::{GpuConfig, HiZ};
use quadlock_hdl::fault::Fault;
use quadlock_hdl::visibility::HideTest;

use crate::common::machine::{Machine, On};

/// What the machine says of a level plane at `plane`, of vertices from 0x20_0000 to 0x40_0000,
/// with that depth function; the bound's depth is `stored`.
fn hidden(m: &mut Machine, function: u64, plane: u64, stored: u64) -> bool {
    m.state(true, 0, 1, 1 << 12);
    m.state(false, 0, 6, function << 5 | 3 << 8);
    m.set("state_valid", 0);
    m.set("state_pass", 0);
    let down = function == 4;
    for (name, value) in [
        ("query_z", plane << 19),
        ("facts_low", 0x20_0000),
        ("facts_high", 0x40_0000),
        ("known", 1),
        ("bound", if down { 0xFF_FFFF - stored } else { stored }),
        ("bound_down", u64::from(down)),
        ("query_valid", 1),
    ] {
        m.set(name, value);
    }
    m.settle();
    m.cycle();
    m.settle();
    assert_eq!(m.get("answer_valid"), 1);
    let out = m.get("hidden") == 1;
    m.set("query_taken", 1);
    m.settle();
    m.cycle();
    m.set("query_taken", 0);
    out
}

fn test(fault: Option<Fault>) -> Machine {
    let config = GpuConfig { graphics: true, hi_z: HiZ::Visibility, fault, ..GpuConfig::default() };
    Machine::new(On::Verilog, &config, "hide_test", Bench::new(HideTest::new(&config, true), |b| &mut b.clock))
}

#[test]
fn hz_21_a_plane_is_held_between_the_vertices() {
    let m = &mut test(None);
    // Less: the plane is far behind, the depth is 0x40_0000.
    assert!(!hidden(m, 1, 0x60_0000, 0x50_0000));
    assert!(hidden(m, 1, 0x60_0000, 0x3F_FFFF));
    // Greater: the plane is 0x10_0000, the depth is 0x20_0000.
    assert!(!hidden(m, 4, 0x10_0000, 0x18_0000));
    assert!(hidden(m, 4, 0x10_0000, 0x20_0001));
    // Between the vertices the plane counts.
    assert!(hidden(m, 1, 0x30_0000, 0x2F_FFFF));
    assert!(!hidden(m, 1, 0x30_0000, 0x30_0000));
}

#[test]
fn planted_faults_are_caught() {
    assert!(hidden(&mut test(Some(Fault::HiZHeld)), 1, 0x60_0000, 0x50_0000));
}
