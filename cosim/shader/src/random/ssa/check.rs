//! The property that every pass must have, as a test harness.

use super::{generate, RandomSsa};
use crate::passes::{Options, Pass};
use crate::ssa::verify::verify_module;

/// Applies `pass` to every function of the programs of `seeds`, after the passes of `before`,
/// and compares what the programs do. The pass must have changed something somewhere, else the
/// test would prove nothing.
pub fn same_behaviour(before: &[Pass], pass: Pass, seeds: std::ops::Range<u64>) {
    let (changed, difference) = run(before, pass, seeds, &Options::default());
    assert!(difference.is_none(), "{}", difference.unwrap_or_default());
    assert!(changed > 0, "the pass never did anything");
}

/// Programs changed by the pass, and the first difference in behaviour.
pub fn run(before: &[Pass], pass: Pass, seeds: std::ops::Range<u64>, options: &Options) -> (usize, Option<String>) {
    run_on(generate, before, pass, seeds, options)
}

/// The same of another kind of programs.
pub fn run_on(
    program: fn(u64) -> RandomSsa,
    before: &[Pass],
    pass: Pass,
    seeds: std::ops::Range<u64>,
    options: &Options,
) -> (usize, Option<String>) {
    let mut changed = 0;
    for seed in seeds {
        let program = program(seed);
        let mut module = program.module.clone();
        for p in before {
            module.funcs.iter_mut().for_each(|f| {
                p(f, &Options::default());
            });
        }
        verify_module(&module).unwrap_or_else(|e| panic!("seed {seed}, before the pass: {e}"));
        let want = program.run(&module).unwrap_or_else(|e| panic!("seed {seed}, before the pass: {e}")).0;
        let old = module.clone();
        let did = module.funcs.iter_mut().map(|f| pass(f, options)).fold(false, |a, b| a | b);
        assert_eq!(did, module != old, "seed {seed}: the pass says {did} about having changed something");
        changed += usize::from(did);
        verify_module(&module).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{old}\n{module}"));
        match program.run(&module) {
            Ok((got, _)) if got == want => {}
            Ok(_) => return (changed, Some(format!("seed {seed} computes something else\n{old}\n{module}"))),
            Err(e) => return (changed, Some(format!("seed {seed}: {e}\n{old}\n{module}"))),
        }
    }
    (changed, None)
}
