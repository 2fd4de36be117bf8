//! The choice of the warp that issues: woken warps first, else round robin, never the choice of the
//! last cycle, nothing on hold. The choices are compared with the rule written down again over bit
//! sets, and the order of woken warps with that of the same warps not woken.

use quadlock_hdl::base::testing::Bench;
use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::warp::scheduler::Scheduler;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rust_hdl::prelude::*;

fn bench() -> Bench<Scheduler> {
    Bench::new(Scheduler::new(&GpuConfig { warps: 16, ..GpuConfig::default() }), |b| &mut b.clock)
}

/// Choices of four cycles with these warps ready all the time.
fn choices(ready: u64, woken: [u64; 4]) -> Vec<u64> {
    let mut b = bench();
    b.slot_ports.ready.next = bits(ready);
    let mut seen = Vec::new();
    for woken in woken {
        b.slot_ports.woken.next = bits(woken);
        b.cycle();
        assert!(b.valid.val());
        seen.push(b.warp.val().to_u64());
    }
    seen
}

#[test]
fn a_woken_warp_comes_before_those_whose_turn_it_is() {
    assert_eq!(choices(0b1_1111, [0; 4]), [1, 2, 3, 4]);
    // Warp 4 is woken, and has issued after its choice.
    assert_eq!(choices(0b1_1111, [0b1_0000, 0, 0, 0]), [4, 0, 1, 2]);
    // A woken warp that cannot issue changes nothing.
    assert_eq!(choices(0b1111, [0b1_0000; 4]), [1, 2, 3, 0]);
}

#[test]
fn the_choice_follows_the_rule() {
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let mut b = bench();
    let (mut last, mut chosen, mut preferred) = (0u32, false, 0);
    for cycle in 0..5_000 {
        let (ready, woken): (u16, u16) =
            (rng.random(), rng.random::<u16>() & rng.random::<u16>() & rng.random::<u16>());
        let hold = rng.random_bool(0.1);
        b.slot_ports.ready.next = bits(ready.into());
        b.slot_ports.woken.next = bits(woken.into());
        b.hold.next = hold;
        b.cycle();
        let can = if chosen { ready & !(1 << last) } else { ready };
        let first = if can & woken != 0 { can & woken } else { can };
        preferred += u32::from(can & woken != 0);
        let pick = (1..=16).map(|i| (last + i) % 16).find(|w| first >> w & 1 == 1);
        assert_eq!(b.valid.val(), pick.is_some() && !hold, "cycle {cycle}");
        chosen = b.valid.val();
        if chosen {
            assert_eq!(
                Some(b.warp.val().to_u64() as u32),
                pick,
                "cycle {cycle}: ready {ready:016b} woken {woken:016b}"
            );
            last = b.warp.val().to_u64() as u32;
        }
    }
    assert!(preferred > 1_000);
}
