//! The merge queue (MS-2 to MS-9) before a judge that knows the rules, on both engines. Quads,
//! contexts, tiles, drains, limits and stalls are random, depths are 1 to 32, with and without
//! flips and pairs across triangles. Pairs are counted against a maximum matching. Rates are
//! counted in cycles. Each planted fault is found.

mod judge;
mod matching;
mod quads;

use quadlock_hdl::base::testing::Bench;
use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::fault::Fault;
use quadlock_hdl::raster::MergeQueue;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::common::machine::{Machine, On};
use judge::{run, Run};
use quads::{fits, random_stream, small_triangles, Quad, SPLITTING};

fn config() -> GpuConfig {
    GpuConfig { graphics: true, merge: true, ..GpuConfig::default() }
}

fn queue(on: On, config: &GpuConfig) -> Machine {
    Machine::new(on, config, "merge_queue", Bench::new(MergeQueue::new(config), |b| &mut b.clock))
}

fn rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// Pairs of a maximum matching, anew for each draw, tile or triangle that pairs may not leave.
fn possible(stream: &[Quad], config: &GpuConfig) -> usize {
    let batches = stream.chunk_by(|a, b| !a.foreign(b, config));
    batches.map(|batch| matching::maximum(batch.len(), |a, b| fits(&batch[a], &batch[b], config))).sum()
}

/// All rules on random streams.
fn rules(on: On, config: &GpuConfig, quads: usize) {
    let stalls = [(1.0, 1.0), (1.0, 0.3), (0.3, 1.0), (0.6, 0.6), (0.9, 0.8)];
    for (k, (give, take)) in stalls.into_iter().enumerate() {
        for (limit, drain) in [(0, 0.0), (3, 0.0), (40, 0.01), (5000, 0.002)] {
            let stream = random_stream(&mut rng(k as u64), quads);
            let how = Run { give, take, drain, limit, seed: 5 };
            let result = run(&mut queue(on, config), config, &stream, how);
            let (judge, ..) = result.unwrap_or_else(|e| {
                panic!("{on:?}, depth {}, {how:?}: {e}", config.merge_queue);
            });
            let quads = stream.iter().filter(|q| q.get("end") == 0).count();
            assert_eq!(judge.gone.len(), quads);
            println!("depth {}, {how:?}: {} pairs, {} over", config.merge_queue, judge.pairs(), judge.longest);
        }
    }
}

#[test]
fn rules_hold_at_every_depth() {
    for depth in [1, 2, 3, 16, 32] {
        rules(On::Verilog, &GpuConfig { merge_queue: depth, ..config() }, 1500);
    }
}

#[test]
fn rules_hold_without_flips_and_across_no_triangles() {
    rules(On::Verilog, &GpuConfig { merge_flip: false, ..config() }, 1500);
    rules(On::Verilog, &GpuConfig { merge_triangles: false, ..config() }, 1500);
    rules(On::Verilog, &GpuConfig { merge_ordered: false, ..config() }, 1500);
    rules(On::Verilog, &GpuConfig { merge_flip: false, merge_triangles: false, merge_queue: 2, ..config() }, 1500);
}

/// MS-42: quads that are shaded for each sample and split wait as one, and pair, beside others.
#[test]
fn rules_hold_of_quads_that_split() {
    for depth in [1, 2, 16] {
        rules(On::Verilog, &both(GpuConfig { merge_queue: depth, ..config() }), 500);
    }
    rules(On::Verilog, &both(GpuConfig { merge_flip: false, merge_queue: 3, ..config() }), 500);
    rules(On::Verilog, &both(GpuConfig { merge_ordered: false, merge_queue: 4, ..config() }), 500);
    rules(On::RustHdl, &both(GpuConfig { merge_queue: 2, ..config() }), 60);
}

fn both(config: GpuConfig) -> GpuConfig {
    GpuConfig { split: true, warps: 8, ..config }
}

#[test]
fn planted_faults_of_quads_that_split_are_caught() {
    for (fault, message) in [
        (Fault::TwinDepth, "not inside"),
        (Fault::MergeOverlap, "overlap"),
        (Fault::MergeContext, "across contexts"),
        (Fault::MergePlace, "not inside"),
        (Fault::MergeOrder, "overtakes"),
    ] {
        let config = both(GpuConfig { fault: Some(fault), ..config() });
        let mut stream = random_stream(&mut rng(3), 3000);
        stream.retain(|quad| SPLITTING.contains(&quad.get("context")));
        let how = Run { give: 0.9, take: 0.9, limit: 60, ..Run::default() };
        let problem = run(&mut queue(On::Verilog, &config), &config, &stream, how).err();
        let problem = problem.unwrap_or_else(|| panic!("{fault:?} is not caught"));
        assert!(problem.contains(message), "{fault:?}: {problem}");
    }
}

/// MS-6: groups of up to three or four.
#[test]
fn rules_hold_of_groups() {
    for (depth, merge_group) in [(1, 4), (2, 3), (3, 4), (16, 3), (16, 4), (32, 4)] {
        rules(On::Verilog, &GpuConfig { merge_queue: depth, merge_group, ..config() }, 1500);
    }
    for merge_group in [3, 4] {
        rules(On::Verilog, &GpuConfig { merge_flip: false, merge_group, ..config() }, 1500);
        rules(On::Verilog, &GpuConfig { merge_triangles: false, merge_group, merge_queue: 5, ..config() }, 1500);
    }
}

/// MS-6: of what fits into the queue groups of four leave as few warps as there can be. Those of
/// three nearly: two quads of two lanes that fit go at once, and might each have taken two others.
#[test]
fn a_drain_makes_as_few_warps_as_can_be() {
    for merge_group in [3, 4] {
        let config = GpuConfig { merge_group, ..config() };
        let mut m = queue(On::Verilog, &config);
        let mut rng = rng(8);
        let (mut warps, mut fewest) = (0, 0);
        for k in 0..400 {
            let some: Vec<u64> = (0..rng.random_range(1..4)).map(|_| rng.random_range(1..15)).collect();
            let mut stream = vec![];
            for ticket in 0..12 {
                let mut quad = Quad::of(some[rng.random_range(0..some.len())], &mut rng);
                quad.set("ticket", ticket);
                stream.push(quad);
            }
            let (judge, ..) = run(&mut m, &config, &stream, Run { seed: k, ..Run::default() }).unwrap();
            let lanes: Vec<u64> = stream.iter().map(Quad::lanes).collect();
            let least = matching::warps(&lanes, merge_group);
            let seen = stream.len() - judge.pairs();
            assert!(seen == least || merge_group == 3 && seen > least, "{seen}, {least}: {lanes:?}");
            (warps, fewest) = (warps + seen, fewest + least);
        }
        println!("groups of {merge_group}: {warps} warps, {fewest} at least");
        assert!(warps * 100 <= fewest * 103, "groups of {merge_group}: {warps} instead of {fewest}");
    }
}

#[test]
fn rules_hold_on_the_engine_of_rust_hdl() {
    for depth in [1, 2, 16] {
        rules(On::RustHdl, &GpuConfig { merge_queue: depth, ..config() }, 60);
    }
    rules(On::RustHdl, &GpuConfig { merge_flip: false, merge_triangles: false, ..config() }, 60);
    rules(On::RustHdl, &GpuConfig { merge_group: 4, ..config() }, 60);
    rules(On::RustHdl, &GpuConfig { merge_group: 3, merge_flip: false, ..config() }, 60);
}

/// MS target: pairs found against a maximum matching that begins anew with each tile.
#[test]
fn small_triangles_find_nearly_all_pairs() {
    for (depth, least) in [(16, 0.99), (32, 0.99), (2, 0.95), (1, 0.9)] {
        let config = GpuConfig { merge_queue: depth, ..config() };
        for seed in 0..3 {
            let stream = small_triangles(&mut rng(seed), 8, 120);
            let most = possible(&stream, &config);
            let how = Run { limit: 5000, ..Run::default() };
            let (judge, ..) = run(&mut queue(On::Verilog, &config), &config, &stream, how).unwrap();
            let ratio = judge.pairs() as f64 / most as f64;
            println!("depth {depth}: {} quads, {} of {most} pairs, {ratio:.4}", stream.len(), judge.pairs());
            assert!(ratio >= least, "depth {depth}: {ratio}");
        }
    }
}

/// Quads of any lanes: too many of three lanes for those of one, so many wait in vain.
#[test]
fn quads_of_any_lanes_find_nearly_all_pairs() {
    for (flip, triangles, least) in [(true, true, 0.99), (false, true, 0.9), (true, false, 0.99)] {
        let config = GpuConfig { merge_flip: flip, merge_triangles: triangles, ..config() };
        let mut rng = rng(6);
        let mut stream = vec![];
        for k in 0..1200 {
            let lanes = rng.random_range(1..16);
            let mut quad = Quad::of(lanes, &mut rng);
            for (field, value) in [("buffer", k / 300), ("order", k / 20), ("ticket", k % 64)] {
                quad.set(field, value);
            }
            stream.push(quad);
        }
        let most = possible(&stream, &config);
        let how = Run { limit: 5000, ..Run::default() };
        let (judge, ..) = run(&mut queue(On::Verilog, &config), &config, &stream, how).unwrap();
        let ratio = judge.pairs() as f64 / most as f64;
        println!("flip {flip}, triangles {triangles}: {} of {most} pairs, {ratio:.4}", judge.pairs());
        assert!(ratio >= least, "flip {flip}, triangles {triangles}: {ratio}");
    }
}

/// MS-7: what fits into the queue loses no pair by the order in which it comes.
#[test]
fn a_drain_pairs_all_that_can_pair() {
    let config = config();
    let mut m = queue(On::Verilog, &config);
    let mut rng = rng(8);
    for k in 0..400 {
        let some: Vec<u64> = (0..rng.random_range(1..4)).map(|_| rng.random_range(1..15)).collect();
        let mut stream = vec![];
        for ticket in 0..16 {
            let lanes = some[rng.random_range(0..some.len())];
            let mut quad = Quad::of(lanes, &mut rng);
            quad.set("ticket", ticket);
            stream.push(quad);
        }
        let (judge, ..) = run(&mut m, &config, &stream, Run { seed: k, ..Run::default() }).unwrap();
        let lanes: Vec<u64> = stream.iter().map(Quad::lanes).collect();
        assert_eq!(judge.pairs(), possible(&stream, &config), "{lanes:?}");
    }
}

/// Quads of these lanes, over and over.
fn repeated(lanes: &[u64], quads: usize) -> Vec<Quad> {
    let mut rng = rng(2);
    (0..quads)
        .map(|k| {
            let mut quad = Quad::of(lanes[k % lanes.len()], &mut rng);
            quad.set("ticket", k as u64 % 64);
            quad
        })
        .collect()
}

/// A quad per cycle: full ones, pairs, and sparse ones that find no partner.
#[test]
fn a_quad_per_cycle() {
    let config = config();
    for (lanes, limit) in
        [(&[15][..], 1000), (&[3, 12], 1000), (&[1, 14], 1000), (&[7], 1000), (&[7], 0), (&[7, 15], 1000)]
    {
        let stream = repeated(lanes, 1000);
        let how = Run { limit, ..Run::default() };
        let (judge, taken, gone) = run(&mut queue(On::Verilog, &config), &config, &stream, how).unwrap();
        println!("{lanes:?}, limit {limit}: {} pairs, taken in {taken} cycles, gone in {gone}", judge.pairs());
        assert!(taken <= 1004, "{lanes:?}, limit {limit}: {taken} cycles");
    }
}

/// Full quads, and sparse ones that may not wait, go 3 cycles after they came.
#[test]
fn latency_of_quads_that_do_not_wait() {
    let config = config();
    for (lanes, limit) in [(15, 1000), (1, 0)] {
        let mut m = queue(On::Verilog, &config);
        let stream = repeated(&[lanes], 1);
        // Taken in the second cycle: the first has found a place.
        let (_, taken, gone) = run(&mut m, &config, &stream, Run { limit, ..Run::default() }).unwrap();
        assert_eq!(gone - taken, 3, "{lanes:04b}");
    }
}

/// MS-9: H at P, V at R, V at P, H at R. In order, the first goes alone when another comes to its
/// place. Else both pairs go, and their quads are ordered both ways.
#[test]
fn pairs_that_are_ordered_both_ways_go() {
    for (merge_ordered, pairs, order) in [(true, 1, [0, 1, 2, 3]), (false, 2, [1, 2, 0, 3])] {
        ordered_both_ways(&GpuConfig { merge_ordered, ..config() }, pairs, &order);
    }
}

fn ordered_both_ways(config: &GpuConfig, pairs: usize, expected: &[u64]) {
    let mut stream = repeated(&[0b0011, 0b0101, 0b0101, 0b0011], 4);
    for (quad, x) in stream.iter_mut().zip([4, 9, 4, 9]) {
        quad.set("x", x);
        quad.set("y", 1);
    }
    for limit in [40, 1000] {
        let how = Run { limit, ..Run::default() };
        let (judge, ..) = run(&mut queue(On::Verilog, config), config, &stream, how).unwrap();
        let order: Vec<u64> = judge.gone.iter().map(|(quad, _)| quad.get("ticket")).collect();
        assert_eq!((judge.pairs(), &order[..]), (pairs, expected), "limit {limit}");
    }
}

/// MS-7: a queue whose quads find nobody lets them go when their time is over, and no later.
#[test]
fn the_limit_is_kept() {
    let config = config();
    let mut m = queue(On::Verilog, &config);
    judge::contexts(&mut m, false);
    let quad = repeated(&[7], 1).remove(0);
    m.set("limit", 20);
    m.set("shade_ready", 1);
    for (name, value) in quads::FIELDS.iter().map(|f| f.0).zip(quad.0) {
        m.set(&format!("in_quad_{name}"), value);
    }
    m.set("in_quad_valid", 1);
    m.settle();
    m.cycle();
    m.set("in_quad_valid", 0);
    let mut waited = 0;
    loop {
        m.settle();
        if m.get("shade_valid") == 1 {
            break;
        }
        waited += 1;
        assert!(waited < 100);
        m.cycle();
    }
    // A cycle as the head, one to see that it is due, one in the output's list.
    assert_eq!(waited, 20 + 3);
}

#[test]
fn planted_faults_are_caught() {
    for (fault, message) in [
        (Fault::MergeOverlap, "overlap"),
        (Fault::MergeContext, "across contexts"),
        (Fault::MergePlace, "not inside"),
        (Fault::MergeLimit, "waits longer"),
        (Fault::MergeFlip, "overlap"),
        (Fault::MergeFullLost, "waits longer"),
        (Fault::MergeUnmarked, "no merge point"),
        (Fault::MergeOrder, "overtakes"),
        (Fault::GroupSize, "not the next member"),
        (Fault::GroupOverlap, "overlap"),
    ] {
        let groups = matches!(fault, Fault::GroupSize | Fault::GroupOverlap);
        let config = GpuConfig { fault: Some(fault), merge_group: if groups { 4 } else { 2 }, ..config() };
        // Three lanes fit nobody of three lanes: the queue becomes full, or they wait for ever.
        let (stream, give) = match fault {
            Fault::MergeFullLost => (repeated(&[7], 100), 1.0),
            Fault::MergeLimit => (repeated(&[7], 40), 0.03),
            _ => (random_stream(&mut rng(3), 3000), 0.9),
        };
        let how = Run { give, take: 0.9, limit: 60, ..Run::default() };
        let problem = run(&mut queue(On::Verilog, &config), &config, &stream, how).err();
        let problem = problem.unwrap_or_else(|| panic!("{fault:?} is not caught"));
        assert!(problem.contains(message), "{fault:?}: {problem}");
    }
}
