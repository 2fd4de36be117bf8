//! What is checked: blocks with their build parameters, jobs with theirs. The default set has every
//! block as it is built by default, the blocks whose text depends on the options of warp-wide
//! operations, or on graphics, in every other text that these give them, and the whole core on
//! recorded jobs, one of them on all six combinations of the options (WW-36). Which texts there are
//! is found by exporting, so a block that begins to depend on the options comes in by itself.
//!
//! It can be wrong by leaving out [`IN_JOBS`]: what only random inputs would show of these in
//! another option is not seen.

use std::path::PathBuf;

use quadlock_hdl::config::{GpuConfig, WarpWide, WideResult};
use quadlock_hdl::export::{build, TOPS};
use rand::seq::SliceRandom;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use crate::base::shell::quoted;

/// Jobs of the whole core, unless others are named: the examples, then an assembly program with
/// every kind of memory access on the smallest and on the default core, in a memory of random
/// latency.
const JOBS: [&str; 6] = [
    "examples/matrix-multiply/job.toml",
    "examples/histogram/job.toml",
    "examples/mandelbrot/job.toml",
    "examples/edge-detect/job.toml",
    "cosim/harness/jobs/rough-small.toml",
    "cosim/harness/jobs/rough-default.toml",
];
/// The job of the whole core on all six combinations of the options of warp-wide operations.
const WIDE: &str = "cosim/harness/jobs/wide.toml";
/// The job of the whole core with lanes that come late to them (WW-27); it asks for the machine
/// itself.
const LATE: &str = "cosim/harness/jobs/late.toml";

/// Blocks that only the jobs run in other options of warp-wide operations: each holds a whole warp
/// unit, which takes a peer half a minute to build, and on random inputs little of it moves.
const IN_JOBS: [&str; 3] = ["quadlock", "core", "warp_unit"];

/// A block to check on random inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockCase {
    /// Block of the export table.
    pub name: String,
    /// Machine that the block is taken from.
    pub config: GpuConfig,
    /// The parameters that differ from the default, as options of the command line.
    pub sets: String,
    /// It is in the list a second time, in another option of warp-wide operations.
    pub other: bool,
}

/// A job to check the whole core on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JobCase {
    /// Job file (TOML).
    pub path: PathBuf,
    /// Changes of its machine: `KEY=VALUE`.
    pub sets: Vec<String>,
}

impl JobCase {
    /// The changes as options of the command line.
    pub fn options(&self) -> String {
        options(&self.sets)
    }

    /// The machine of the job with the changes.
    ///
    /// # Errors
    /// What is wrong with one of them.
    pub fn change(&self, config: &mut GpuConfig) -> Result<(), String> {
        change(config, &self.sets)
    }
}

/// `KEY=VALUE`s as options of the command line, each with a space before it.
pub fn options(sets: &[String]) -> String {
    sets.iter().map(|s| format!(" --set {}", quoted(s))).collect()
}

/// Changes a machine.
///
/// # Errors
/// What is wrong with a `KEY=VALUE` or with the machine, in words.
pub fn change(config: &mut GpuConfig, sets: &[String]) -> Result<(), String> {
    for set in sets {
        let (key, value) = set.split_once('=').ok_or_else(|| format!("{set}: not KEY=VALUE, as units=1 is"))?;
        config.set(key, value)?;
    }
    config.check()
}

/// These blocks in one configuration.
pub fn blocks(names: &[String], config: &GpuConfig, sets: &[String]) -> Vec<BlockCase> {
    let case =
        |name: &String| BlockCase { name: name.clone(), config: config.clone(), sets: options(sets), other: false };
    names.iter().map(case).collect()
}

/// All blocks of the export table.
pub fn all_blocks() -> Vec<String> {
    TOPS.iter().map(|t| t.0.to_owned()).collect()
}

/// The settings of the warp-wide options, each with its `KEY=VALUE`s. Without the operations there
/// are no results.
fn warp_wide() -> impl Iterator<Item = (WarpWide, [String; 2])> {
    let all = WarpWide::ALL.into_iter().flat_map(|(execution, name)| {
        WideResult::ALL
            .map(|(result, to)| (execution, result, [format!("warp-wide={name}"), format!("warp-wide-result={to}")]))
    });
    let differ = |o: &(WarpWide, WideResult, [String; 2])| o.0 != WarpWide::Off || o.1 == WideResult::PerLane;
    all.filter(differ).map(|(execution, _, sets)| (execution, sets))
}

/// The text of a block without the header that names its configuration.
fn text(name: &str, config: &GpuConfig) -> Result<String, String> {
    Ok(build(name, config)?.modules.iter().map(|m| m.text.as_str()).collect())
}

/// A block once more for every text that another option of warp-wide operations, or graphics, gives
/// it: the first such option for each text. What graphics is not built with is left out.
///
/// # Errors
/// The block cannot be exported.
pub fn other_options(name: &str, config: &GpuConfig, sets: &[String]) -> Result<Vec<BlockCase>, String> {
    let mut seen = vec![text(name, config)?];
    let mut found = Vec::new();
    let graphics = vec!["graphics=on".to_owned()];
    for option in warp_wide().map(|(_, sets)| sets.to_vec()).chain([graphics]) {
        let mut other = config.clone();
        if let Err(why) = change(&mut other, &option) {
            if other.graphics {
                continue;
            }
            return Err(why);
        }
        let text = text(name, &other)?;
        if !seen.contains(&text) {
            seen.push(text);
            let sets = options(sets) + &options(&option);
            found.push(BlockCase { name: name.to_owned(), config: other, sets, other: true });
        }
    }
    Ok(found)
}

/// Every block, then those that have other texts in other options, without [`IN_JOBS`].
///
/// # Errors
/// A block cannot be exported.
pub fn default_blocks(config: &GpuConfig, sets: &[String]) -> Result<Vec<BlockCase>, String> {
    let names = all_blocks();
    let others = |name: &String| match IN_JOBS.contains(&name.as_str()) {
        true => Ok(Vec::new()),
        false => other_options(name, config, sets),
    };
    let others = names.par_iter().map(others).collect::<Result<Vec<_>, String>>()?;
    Ok(blocks(&names, config, sets).into_iter().chain(others.into_iter().flatten()).collect())
}

/// One in `n` of the blocks, rounded up, which `seed` chooses, and the others; both in their order.
pub fn sample(blocks: Vec<BlockCase>, n: usize, seed: u64) -> (Vec<BlockCase>, Vec<BlockCase>) {
    let mut order: Vec<usize> = (0..blocks.len()).collect();
    order.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
    order.truncate(blocks.len().div_ceil(n));
    let mut number = 0..;
    blocks.into_iter().partition(|_| number.next().is_some_and(|k| order.contains(&k)))
}

/// The jobs of the default set.
pub fn default_jobs() -> Vec<JobCase> {
    let usual = JOBS.iter().map(|path| JobCase { path: path.into(), sets: Vec::new() });
    let built = warp_wide().filter(|(execution, _)| *execution != WarpWide::Off);
    let late = JobCase { path: LATE.into(), sets: Vec::new() };
    usual.chain(built.map(|(_, sets)| JobCase { path: WIDE.into(), sets: sets.into() })).chain([late]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn other(name: &str, config: &GpuConfig, sets: &[String]) -> Vec<String> {
        other_options(name, config, sets).unwrap().into_iter().map(|c| c.sets).collect()
    }

    #[test]
    fn blocks_come_again_for_every_text_that_the_options_give_them() {
        let config = GpuConfig::default();
        let off = " --set warp-wide=off --set warp-wide-result=per-lane";
        let representative = " --set warp-wide=representative --set warp-wide-result=per-lane";
        let graphics = " --set graphics=on";
        // Collective is the default. The pipeline of the scalar option is that without warp-wide
        // operations.
        for (name, sets) in [
            ("decoder", &[off, graphics][..]),
            ("instruction_cache", &[off, graphics]),
            ("lsa", &[off]),
            ("warp_context", &[representative, graphics]),
            ("special_registers", &[graphics]),
        ] {
            assert_eq!(other(name, &config, &[]), sets, "{name}");
        }
        // These are the same text wherever they are built.
        for name in ["scalar_unit", "shared_result", "atomic_alu", "integer_alu"] {
            assert!(other(name, &config, &[]).is_empty(), "{name}");
        }
        // From another base the others are others.
        let base = vec!["warp-wide=scalar".to_owned()];
        let mut config = GpuConfig::default();
        change(&mut config, &base).unwrap();
        let sets = " --set warp-wide=scalar --set warp-wide=representative --set warp-wide-result=per-lane";
        assert_eq!(other("lsa", &config, &base), [sets]);
    }

    #[test]
    fn the_default_set_has_every_block_and_then_the_other_options() {
        let cases = default_blocks(&GpuConfig::default(), &[]).unwrap();
        let (usual, others) = cases.split_at(TOPS.len());
        assert!(usual.iter().zip(TOPS).all(|(c, t)| c.name == t.0 && c.sets.is_empty() && !c.other));
        assert!(others.iter().all(|c| c.other && !IN_JOBS.contains(&c.name.as_str())));
        for name in ["decoder", "lsa", "warp_context", "warp_table"] {
            assert!(others.iter().any(|c| c.name == name), "{name}");
        }
    }

    /// One seed is one tenth, the same in each run; every block is in the tenth of some seed.
    #[test]
    fn a_seed_chooses_a_tenth_of_the_blocks() {
        let all = blocks(&all_blocks(), &GpuConfig::default(), &[]);
        let tenth = |seed| -> Vec<String> {
            let (chosen, others) = sample(all.clone(), 10, seed);
            assert_eq!((chosen.len(), others.len()), (all.len().div_ceil(10), all.len() - all.len().div_ceil(10)));
            chosen.into_iter().map(|c| c.name).collect()
        };
        assert_eq!(tenth(1), tenth(1));
        assert_ne!(tenth(1), tenth(2));
        let ever: std::collections::BTreeSet<String> = (0..200).flat_map(tenth).collect();
        assert_eq!(ever.len(), all.len());
        assert_eq!(sample(all.clone(), 1, 1), (all, vec![]));
    }

    /// WW-36: all six combinations, on one small core.
    #[test]
    fn the_default_jobs_run_every_combination_of_warp_wide_options() {
        let jobs = default_jobs();
        let mut seen = Vec::new();
        for job in jobs.iter().filter(|j| j.path == std::path::Path::new(WIDE)) {
            let mut config = GpuConfig { warp_wide: WarpWide::Off, ..GpuConfig::default() };
            job.change(&mut config).unwrap();
            seen.push((config.warp_wide.name(), config.warp_wide_result.name()));
        }
        seen.sort_unstable();
        let wanted: Vec<(&str, &str)> = ["collective", "representative", "scalar"]
            .into_iter()
            .flat_map(|execution| [(execution, "per-lane"), (execution, "shared")])
            .collect();
        assert_eq!(seen, wanted);
        assert_eq!(jobs.len(), JOBS.len() + 7, "and one with late lanes");
    }
}
