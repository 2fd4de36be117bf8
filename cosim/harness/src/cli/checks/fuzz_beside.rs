//! `quadlock fuzz --scenes N --beside lavapipe`: random scenes on the golden model and on lavapipe,
//! with an exact arbiter between them (docs/beside.md). What is wrong with ours is kept, shrunk, as
//! a scene file, and printed with the command that finds it again.
//!
//! Each batch of seeds has a judge of its own, so results do not depend on the number of threads.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use quadlock_beside::verdict::{Class, Tally};
use rayon::prelude::*;

use super::fuzz_args::{fault, pool, Campaign, FuzzArgs};
use crate::base::error::{bad, Input};
use crate::base::files::write_atomic;
use crate::base::shell::quoted_path;
use crate::cli::outcome::{print, say, Outcome};
use crate::random::beside::{try_seed, Failure, Judge, Settings, Tried, BINARY};
use crate::simulate::{AnyFault, Simulator};

/// Drawings of a wrong scene that shrinking may use.
const ATTEMPTS: usize = 60;

/// Scenes of a batch, at most: a judge's memory grows with the programs that it compiles.
const BATCH: u64 = 50;

/// Most undecided samples: one in so many of those that are judged.
const UNDECIDED: u64 = 100;

fn settings(args: &FuzzArgs) -> Input<Settings> {
    let fault = match fault(args)? {
        None => None,
        Some(AnyFault::Model(fault)) => Some(fault),
        Some(_) => return bad("--set: the fault is not in the model", "--beside runs the model alone: model:NAME"),
    };
    if args.rtl != Simulator::default() {
        return bad("--rtl: no RTL runs beside lavapipe", "leave --rtl out");
    }
    Ok(Settings { fault, out: args.out.clone(), attempts: if args.no_shrink { 0 } else { ATTEMPTS } })
}

/// The judge: what was named, or the program beside this one.
fn program(named: Option<&Path>) -> Input<PathBuf> {
    let own = std::env::current_exe();
    match (named, own) {
        (Some(path), _) => Ok(path.to_owned()),
        (None, Ok(own)) => Ok(own.with_file_name(format!("{BINARY}{}", std::env::consts::EXE_SUFFIX))),
        (None, Err(e)) => bad(format!("cannot find this program: {e}"), "name the judge with --judge PATH"),
    }
}

fn again(args: &FuzzArgs, seed: u64) -> String {
    let judge = args.judge.as_ref().map_or(String::new(), |path| format!(" --judge {}", quoted_path(path)));
    let set = args.set.as_ref().map_or(String::new(), |set| format!(" --set {set}"));
    format!("quadlock fuzz --scenes 1 --seed {seed} --beside lavapipe{judge}{set}")
}

/// All that is printed of a scene with which ours is wrong.
fn told(args: &FuzzArgs, f: &Failure) -> String {
    let (seed, finding, file) = (f.seed, &f.finding, quoted_path(&f.file));
    let shrunk = if args.no_shrink { "" } else { " after shrinking" };
    let small = format!("{} draws and {} triangles{shrunk}", f.draws, f.triangles);
    let text = format!("seed {seed}: ours is wrong, {}; {small}:\n{}\nkept: {file}\n", finding.kind, finding.text);
    text + &format!("again: {}\n\n", again(args, seed))
}

/// Draws a batch with a judge of its own: the judge's name, and what came of each scene.
fn batch(
    seeds: std::ops::Range<u64>,
    (judge, limit): (&Path, Duration),
    settings: &Settings,
    done: &dyn Fn(&Tried),
) -> Input<(String, Vec<Tried>)> {
    let mut judge = Judge::start(judge, limit)?;
    let mut out = vec![];
    for seed in seeds {
        let one = try_seed(seed, settings, &mut judge).map_err(|e| Box::new(e.of(&format!("scene {seed}"))))?;
        done(&one);
        out.push(one);
    }
    Ok((judge.name.clone(), out))
}

/// Draws them.
///
/// # Errors
/// The judge does not draw, or a setting cannot be.
pub(super) fn run(args: &FuzzArgs, scenes: u64) -> Input<Outcome> {
    let (settings, judge) = (settings(args)?, program(args.judge.as_deref())?);
    if args.seed.checked_add(scenes).is_none() {
        return bad(
            format!("--seed {}: {scenes} scenes from there have no numbers", args.seed),
            "choose a smaller seed",
        );
    }
    let start = Instant::now();
    // Before all others: a judge that cannot draw is told of once.
    let limit = Duration::from_secs(args.judge_seconds);
    drop(Judge::start(&judge, limit)?);
    let threads = pool(args)?;
    let most = scenes.div_ceil(threads.current_num_threads() as u64).clamp(1, BATCH);
    let campaign = Campaign::new(scenes, "scenes");
    let tell = |tried: &Tried| {
        tried.failure.iter().for_each(|failure| campaign.failed(&told(args, failure)));
        campaign.done();
    };
    let batches = (0..scenes.div_ceil(most)).into_par_iter().map(|k| {
        let seeds = args.seed + k * most..args.seed + scenes.min((k + 1) * most);
        batch(seeds, (&judge, limit), &settings, &tell)
    });
    let done: Vec<Input<(String, Vec<Tried>)>> = threads.install(|| batches.collect());
    campaign.end();
    let done: Vec<(String, Vec<Tried>)> = done.into_iter().collect::<Input<_>>()?;
    let name = done.first().map_or(String::new(), |(name, _)| name.clone());
    let tried: Vec<Tried> = done.into_iter().flat_map(|(_, tried)| tried).collect();
    let failures: Vec<&Failure> = tried.iter().filter_map(|t| t.failure.as_ref()).collect();
    let mut tally = Tally::default();
    tried.iter().for_each(|t| tally.join(&t.tally));
    let (judged, undecided) = (tally.judged(), tally.of(Class::Undecided));
    let few = undecided * UNDECIDED <= judged;
    say(&table(&tally));
    if !few {
        print(&format!("{undecided} of {judged} samples are undecided, more than one in {UNDECIDED}\n"));
    }
    let (same, not_judged) = (tried.iter().filter(|t| t.same).count(), tried.iter().filter(|t| t.not_judged).count());
    let seconds = start.elapsed().as_secs_f64();
    say(&format!(
        "{scenes} scenes beside {name}, {} with ours wrong; {same} pictures are the same, {not_judged} scenes compute; \
         {seconds:.1} s\n",
        failures.len()
    ));
    if let Some(path) = &args.report {
        let kinds = tally.counts.iter().filter(|((_, kind), _)| !kind.is_empty()).map(
            |((class, kind), samples)| serde_json::json!({"class": class.name(), "kind": kind, "samples": samples}),
        );
        let classes: serde_json::Map<String, serde_json::Value> =
            Class::ALL.iter().map(|c| (c.name().to_owned(), tally.of(*c).into())).collect();
        let seeds = (0..).map(|k: u64| args.seed.wrapping_add(k));
        let findings = seeds.zip(&tried).flat_map(|(seed, t)| t.tally.findings.iter().map(move |f| (seed, f)));
        let mut examples: std::collections::BTreeMap<(Class, &str), serde_json::Value> = Default::default();
        for (seed, f) in findings {
            let own = || serde_json::json!({"class": f.class.name(), "kind": f.kind, "scene": seed, "text": f.text});
            examples.entry((f.class, &f.kind)).or_insert_with(own);
        }
        let json = serde_json::json!({
            "examples": examples.into_values().collect::<Vec<_>>(),
            "scenes": scenes, "seed": args.seed, "beside": name, "failed": failures.len(),
            "failed_seeds": failures.iter().map(|f| f.seed).collect::<Vec<_>>(),
            "files": failures.iter().map(|f| f.file.display().to_string()).collect::<Vec<_>>(),
            "failed_kinds": failures.iter().map(|f| f.finding.kind.clone()).collect::<Vec<_>>(),
            "same": same, "computing": not_judged, "judged": judged, "classes": classes,
            "kinds": kinds.collect::<Vec<_>>(), "seconds": seconds,
        });
        write_atomic(path, format!("{json:#}\n").as_bytes())?;
    }
    Ok(if failures.is_empty() && few { Outcome::Pass } else { Outcome::Fail })
}

/// Samples by class, then by kind.
fn table(tally: &Tally) -> String {
    let all: u64 = Class::ALL.iter().map(|c| tally.of(*c)).sum();
    let mut out = format!("{:<16} {:>12} {:>9}  kinds\n", "class", "samples", "share");
    for class in Class::ALL {
        let count = tally.of(class);
        let kinds = tally.counts.iter().filter(|((c, kind), _)| *c == class && !kind.is_empty());
        let kinds: Vec<String> = kinds.map(|((_, kind), n)| format!("{kind} {n}")).collect();
        let share = 100.0 * count as f64 / all.max(1) as f64;
        out += &format!("{:<16} {count:>12} {share:>8.3}%  {}\n", class.name(), kinds.join("; "));
    }
    out
}
