//! Pairs of groups (MS-42): two quads that merge and then split, on the smallest ones that show
//! each rule, and the planted bug of it. Wrong would be a rule that holds only while both quads
//! live: here either ends before the merge point.

use quadlock_golden::graphics::samples::Samples;
use quadlock_golden::{Events, Fault, Golden, Launch, LaunchError, Member, Merged, Split};

use crate::split::{configured, fill, go, lanes, mark, members, sample, OUT};

/// For the pixels of two quads: 100 more than the place is public, then 1000 more for both quads.
const BOTH: &str = "S2R r8, pixel_x\nIADD r0, r8, #100\nMERGE\nIADD r1, r0, #1000\nSPLIT\nS2R r9, pixel_x
    S2R r10, sample\nSHL r11, r9, #4\nSHL r12, r10, #2\nIADD r11, r11, r12\nST.32 [r11+0x1000], r1\nEND";

fn merging(text: &str) -> Golden {
    configured(text, |c| (c.merge, c.merge_split) = (true, true))
}

/// The samples of one of two quads, from that slot on: pixels of the second are 4 to 7.
fn quad(base: usize, member: u8, covered: &[u8], samples: Samples) -> Vec<Launch> {
    let mut all = members(base, covered);
    for tags in all.iter_mut().filter_map(|launch| launch.graphics.as_mut()) {
        tags.x = [0, 1, 2, 3].map(|x| x + 4 * u32::from(member));
        tags.pair = Some(Member { pair: 7, member, others: 1 });
        tags.events = Events { merge: 1, split: 0 };
        tags.samples = samples;
    }
    all
}

/// MS-42, MS-43: what is left of two quads is one warp between the points.
#[test]
fn ms_42_two_quads_merge_and_then_split() {
    for (samples, first, apart) in [(Samples::Two, 4, 2), (Samples::Four, 0, 4)] {
        let second = first + apart;
        let mut g = merging(BOTH);
        let covered: [&[u8]; 2] = [&[0b0001, 0b0011], &[0b0100, 0b1000]];
        quad(first, 0, covered[0], samples).iter().for_each(|l| g.launch(l).unwrap());
        assert_eq!(go(&mut g, first), [(0, 15), (1, 15), (2, 15)], "it waits for its partner");
        assert!(g.split(0, first).unwrap_err().to_string().contains("its partner has not been launched"));
        let all = quad(second, 1, covered[1], samples);
        g.launch(&all[0]).unwrap();
        assert!(g.merge(0, first, second).unwrap_err().to_string().contains("has not been launched"));
        g.launch(&all[1]).unwrap();
        assert!(g.merge(0, first, second).is_err(), "the second one has not stopped");
        go(&mut g, second);
        assert_eq!(g.merge(0, first, second), Ok(Merged { stayed: 0b0011, came: 0b1100 }));
        assert!(g.warp(0, second).is_asleep() && g.split(0, second).is_err());
        assert_eq!(go(&mut g, first), [(3, 15), (4, 15)], "lanes of both");
        assert_eq!(g.split(0, first), Ok(Split { others: 1, lanes: 15, covered: 15 }));
        for (slot, own) in [(first, 0b0001), (first + 1, 0b0011), (second, 0b0100), (second + 1, 0b1000)] {
            assert_eq!(g.warp(0, slot).covered(), own);
            assert_eq!(go(&mut g, slot), (5..12).map(|pc| (pc, own)).collect::<Vec<_>>(), "covered lanes only");
            assert_eq!(g.warp(0, first).is_free(), slot == second + 1, "public registers of all are in its slot");
        }
        for (quad, covered) in covered.iter().enumerate() {
            for (sample, lane) in (0..2).flat_map(|s| (0..4).map(move |l| (s, l))) {
                let x = 4 * quad as u32 + lane;
                let word = g.memory().read32(OUT + 16 * x + 4 * sample as u32);
                let own = covered[sample] >> lane & 1 == 1;
                assert_eq!(word, if own { 1100 + x } else { 0 }, "pixel {x}, sample {sample}");
            }
        }
        assert!(g.is_idle() && g.misuses().1 == 0);
    }
}

/// MS-14, MS-42: if one quad ends before the merge point the other one splits by itself.
#[test]
fn ms_42_a_group_whose_partner_has_ended_splits_alone() {
    let text = "S2R r8, pixel_x\nMOV r0, #5\nSHR r9, r8, #2\nBNZ r9, @5\nEND\nMERGE\nSPLIT\nMOV r9, r0\nEND";
    for ends in [0, 1] {
        let text = if ends == 0 { text.to_owned() } else { text.replace("BNZ", "BZ") };
        let mut g = merging(&text);
        quad(0, 0, &[1, 2], Samples::Two).iter().for_each(|l| g.launch(l).unwrap());
        quad(2, 1, &[4, 8], Samples::Two).iter().for_each(|l| g.launch(l).unwrap());
        let (gone, stays) = if ends == 0 { (0, 2) } else { (2, 0) };
        go(&mut g, gone);
        g.split(0, gone).unwrap();
        assert!(!g.warp(0, 0).is_free(), "public registers of the second quad are in it");
        let union = if ends == 0 { 0b1100 } else { 0b0011 };
        assert_eq!(go(&mut g, stays).last(), Some(&(6, union)), "helpers have ended at the merge point");
        assert!(g.merge(0, 0, 2).is_err());
        assert_eq!(g.split(0, stays).unwrap().covered, union);
        (stays..stays + 2).for_each(|slot| assert_eq!(go(&mut g, slot).len(), 2));
        assert!((0..4).all(|slot| g.warp(0, slot).is_free()) && g.is_idle());
    }
}

/// MS-14, MS-42: the first quad ends before the merge point. The other splits alone, into a member
/// 0 that has nothing to do and another. When that has ended all slots can be launched into again.
#[test]
fn ms_42_a_pair_is_over_when_its_last_member_0_wakes_with_no_lane() {
    let mut g = merging(
        "S2R r8, pixel_x\nMOV r0, #5\nSHR r9, r8, #2\nBNZ r9, @5\nEND\nMERGE\nS2R r9, pixel_x
         XOR r9, r9, #6\nBNZ r9, @10\nDISCARD\nSPLIT\nMOV r9, r0\nEND",
    );
    quad(0, 0, &[1, 2], Samples::Two).iter().for_each(|l| g.launch(l).unwrap());
    quad(2, 1, &[4, 8], Samples::Two).iter().for_each(|l| g.launch(l).unwrap());
    go(&mut g, 0);
    g.split(0, 0).unwrap();
    go(&mut g, 2);
    assert_eq!(g.split(0, 2).unwrap().covered, 8);
    assert!(g.warp(0, 2).next().is_none(), "sample 0 covers what was discarded");
    assert_eq!(go(&mut g, 3), [(11, 8), (12, 8)]);
    assert!(g.is_idle());
    quad(0, 0, &[1, 2], Samples::Two).iter().for_each(|l| g.launch(l).unwrap());
}

/// MS-21, MS-42: of no pair it owns by the same rule, and its helpers end at the merge point.
#[test]
fn ms_42_a_group_of_no_pair_loses_its_helpers_at_the_merge_point() {
    let mut g = merging("MOV r0, #5\nMOV r8, #6\nMERGE\nMOV r9, r0\nSPLIT\nEND");
    fill(&mut g);
    for mut launch in quad(0, 0, &[1, 2], Samples::Two) {
        launch.graphics.as_mut().unwrap().pair = None;
        g.launch(&launch).unwrap();
    }
    assert_eq!(go(&mut g, 0), [(0, 15), (1, 15), (2, 15), (3, 3), (4, 3)]);
    assert_eq!(lanes(&g, 0, 0), [5, 5, mark(0, 0, 2), mark(0, 0, 3)]);
    assert_eq!(lanes(&g, 0, 8), [6; 4]);
    g.split(0, 0).unwrap();
    assert_eq!(go(&mut g, 1), [(5, 2)]);
}

/// MS-8, MS-42: where two groups can be, and that nobody else gets their slots.
#[test]
fn ms_42_slots_of_two_groups() {
    let mut g = merging(BOTH);
    let four = |base, member| quad(base, member, &[1, 2, 4], Samples::Four);
    let wrong = |e: Result<(), LaunchError>| matches!(e, Err(LaunchError::NoPair { .. }));
    assert!(wrong(g.launch(&four(4, 0)[0])) && wrong(g.launch(&quad(2, 0, &[1], Samples::Two)[0])));
    assert!(wrong(g.launch(&quad(4, 0, &[1, 2, 4], Samples::Two)[0])), "a third sample of two");
    assert!(g.launch(&four(4, 1)[0]).is_err(), "a second group without a first one");
    g.launch(&four(0, 0)[0]).unwrap();
    for slot in [1, 2, 4, 5, 7] {
        assert!(g.launch(&sample(slot, 0, 15)).is_err(), "slot {slot} is taken");
    }
    // There is no fourth sample.
    g.launch(&sample(3, 0, 15)).unwrap();
    assert!(g.launch(&four(4, 1)[0]).is_err(), "the first group is not complete");
    four(0, 0)[1..].iter().for_each(|l| g.launch(l).unwrap());
    four(4, 1).iter().for_each(|l| g.launch(l).unwrap());
    g.launch(&sample(7, 0, 15)).unwrap();
    let mut off = configured(BOTH, |c| c.merge = true);
    assert!(wrong(off.launch(&four(0, 0)[0])));
}

#[test]
fn ms_42_the_planted_bug_of_two_quads_shows() {
    let covered = |fault| {
        let mut g = configured(BOTH, |c| (c.merge, c.merge_split, c.fault) = (true, true, fault));
        quad(0, 0, &[1, 2], Samples::Two).iter().for_each(|l| g.launch(l).unwrap());
        quad(2, 1, &[4, 8], Samples::Two).iter().for_each(|l| g.launch(l).unwrap());
        [0, 2].iter().for_each(|&slot| drop(go(&mut g, slot)));
        g.merge(0, 0, 2).unwrap();
        go(&mut g, 0);
        g.split(0, 0).unwrap();
        g.warp(0, 0).covered()
    };
    assert_eq!((covered(None), covered(Some(Fault::SplitTwin))), (0b0001, 0b0101));
}
