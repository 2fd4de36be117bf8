//! The plain passage in the merge queue's place: quads and ends pass in order, unchanged, each
//! once, with stalls on both sides, and say that nothing merges. What it is told of draws and times
//! changes nothing. Rates are counted in cycles. The planted faults are found.

use std::collections::VecDeque;

use quadlock_hdl::base::testing::Bench;
use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::fault::Fault;
use quadlock_hdl::raster::MergePassage;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::common::machine::{Machine, On};

/// Fields of a quad with their widths.
const FIELDS: [(&str, u32); 16] = [
    ("end", 1),
    ("context", 4),
    ("handle", 12),
    ("order", 16),
    ("back", 1),
    ("buffer", 3),
    ("x", 11),
    ("y", 11),
    ("ticket", 6),
    ("single", 1),
    ("sample", 2),
    ("coverage", 16),
    ("depth0", 24),
    ("depth1", 24),
    ("depth2", 24),
    ("depth3", 24),
];

const PAIRING: [&str; 5] = ["mergeable", "pair", "member", "others", "flip"];

type Quad = Vec<u64>;

/// Runs quads through it, each side willing with its probability; the cycles it took.
fn run(m: &mut Machine, quads: u64, give: f64, take: f64, seed: u64) -> Result<u64, String> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut inside: VecDeque<Quad> = VecDeque::new();
    let (mut offered, mut told, mut left): (Option<Quad>, u64, u64) = (None, 0, 0);
    let start = m.cycles;
    while left < quads {
        if m.cycles - start > 100 * quads {
            return Err(format!("{left} of {quads} have left"));
        }
        if offered.is_none() && told < quads && rng.random_bool(give) {
            offered = Some(FIELDS.map(|(_, width)| rng.random_range(0..1 << width)).to_vec());
        }
        m.set("in_quad_valid", u64::from(offered.is_some()));
        for (k, (name, width)) in FIELDS.iter().enumerate() {
            let value = offered.as_ref().map_or_else(|| rng.random_range(0..1 << width), |q| q[k]);
            m.set(&format!("in_quad_{name}"), value);
        }
        let taken = rng.random_bool(take);
        m.set("shade_ready", u64::from(taken));
        // Say nothing to a passage.
        m.set("drain", rng.random_range(0..2));
        m.set("limit", rng.random_range(0..4));
        m.set("state_valid", rng.random_range(0..2));
        m.set("state_word", rng.random_range(0..37));
        m.settle();
        if m.get("idle") != u64::from(inside.is_empty()) {
            return Err(format!("idle is {} with {} inside", m.get("idle"), inside.len()));
        }
        if let Some(name) = PAIRING.iter().find(|name| m.get(&format!("pairing_{name}")) != 0) {
            return Err(format!("{name} is {}", m.get(&format!("pairing_{name}"))));
        }
        if m.get("in_quad_ready") == 1 {
            if let Some(quad) = offered.take() {
                inside.push_back(quad);
                told += 1;
            }
        }
        if m.get("shade_valid") == 1 {
            let quad = FIELDS.map(|(name, _)| m.get(&format!("shade_{name}"))).to_vec();
            let first = inside.front().or(offered.as_ref());
            if first != Some(&quad) {
                return Err(format!("{quad:?} leaves, not {first:?}"));
            }
            if taken {
                inside.pop_front();
                left += 1;
            }
        } else if !inside.is_empty() {
            return Err("a quad is inside and not shown".into());
        }
        m.cycle();
    }
    Ok(m.cycles - start)
}

fn passage(on: On, config: &GpuConfig) -> Machine {
    Machine::new(on, config, "merge_passage", Bench::new(MergePassage::new(config), |b| &mut b.clock))
}

#[test]
fn quads_pass_in_order_each_once() {
    let config = GpuConfig { graphics: true, ..GpuConfig::default() };
    for (give, take) in [(1.0, 0.3), (0.3, 1.0), (0.6, 0.6), (0.9, 0.8)] {
        for (on, quads) in [(On::Verilog, 2000), (On::RustHdl, 200)] {
            let result = run(&mut passage(on, &config), quads, give, take, 7);
            result.unwrap_or_else(|e| panic!("{on:?}, given {give}, taken {take}: {e}"));
        }
    }
}

/// Latency 0: each is taken in the cycle in which it comes.
#[test]
fn a_quad_per_cycle() {
    let mut m = passage(On::Verilog, &GpuConfig { graphics: true, ..GpuConfig::default() });
    assert_eq!(run(&mut m, 500, 1.0, 1.0, 3), Ok(500));
}

#[test]
fn planted_faults_are_caught() {
    for (fault, message) in [(Fault::MergeLost, "idle"), (Fault::MergeOvertake, "leaves")] {
        let config = GpuConfig { graphics: true, fault: Some(fault), ..GpuConfig::default() };
        let problem = run(&mut passage(On::Verilog, &config), 500, 0.8, 0.5, 5).expect_err("not caught");
        assert!(problem.contains(message), "{fault:?}: {problem}");
    }
}
