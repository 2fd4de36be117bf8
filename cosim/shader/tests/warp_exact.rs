//! The automatic form of atomics changes no result (WW-41): random shaders whose warps have
//! counters of their own do the same to the word with and without it, in every shape of loop.

use crate::common::atomics::{Generator, REGION, RESULTS};
use crate::common::{compiled, try_run};
use quadlock_shader::Options;
use quadlock_testkit::tier::cases;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

const GROUPS: usize = 2;

/// Runs one source compiled so; counters, then results.
fn words(source: &str, seed: u64, options: Options) -> (Vec<u32>, usize) {
    let c = compiled("random.wgsl", source, options);
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let counters = (0..GROUPS * 2 * REGION).map(|_| [0, 1, 5, 100, 1 << 31, u32::MAX][rng.random_range(0..6)]);
    let counters: Vec<u32> = counters.collect();
    let parameters: Vec<u32> = (0..4).map(|_| rng.random_range(0..4)).collect();
    let buffers = [(0, counters), (1, vec![0; GROUPS * 8 * RESULTS]), (2, parameters)];
    let run = try_run(&c, [GROUPS as u32, 1, 1], &buffers);
    let run = run.unwrap_or_else(|e| panic!("seed {seed}: {e}\n{source}\n{}", c.asm));
    let mut all: Vec<u32> = run.buffers.iter().find(|b| b.0 == 0).map(|b| b.1.clone()).unwrap_or_default();
    all.extend(run.buffer(1));
    (all, c.report.atomics.iter().filter(|a| a.1.starts_with("warp-wide")).count())
}

fn check(seeds: std::ops::Range<u64>, across: bool) {
    let mut wide = 0;
    let n = seeds.end - seeds.start;
    for seed in seeds {
        let (source, _) = Generator::new(seed, across).shader();
        let (with, automatic) = words(&source, seed, Options::default());
        wide += automatic;
        let skip = |names: &[&str]| names.iter().map(|n| n.to_string()).collect();
        let others = [
            Options { warp_wide: false, ..Options::default() },
            Options { skip_passes: skip(&["warp-aggregate", "rotate"]), ..Options::default() },
        ];
        for (i, options) in others.into_iter().enumerate() {
            let (without, _) = words(&source, seed, options);
            let at = with.iter().zip(&without).position(|(a, b)| a != b);
            assert_eq!(at, None, "seed {seed}, variant {i}: {with:?}\n{without:?}\n{source}");
        }
    }
    assert!(wide as u64 > n / 2, "{wide} atomics of {n} shaders are warp-wide: the test proves little");
}

#[test]
fn atomics_of_each_lane() {
    check(0..cases(30, 100), false);
}

#[test]
fn with_functions_of_the_warp_and_subgroup_operations() {
    check(1000..1000 + cases(30, 100), true);
}
