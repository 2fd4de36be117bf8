//! `quadlock fuzz --scenes`, `--merges`, `--splits`, `--hides` and `--frames`: random scenes in
//! lockstep on all cores. What fails is kept, shrunk, as a scene file, and printed with the command
//! that draws it.

use std::time::Instant;

use rayon::prelude::*;

use super::fuzz_args::{fault, pool, Campaign, FuzzArgs};
use super::share::Share;
use crate::base::error::{bad, Input};
use crate::base::files::write_atomic;
use crate::base::shell::quoted_path;
use crate::base::units::rate;
use crate::cli::outcome::{say, Outcome};
use crate::random::scenes::{
    frame_sets, try_seed, Counts, Failure, OptionSet, Settings, Tried, HIDE_SETS, MERGE_SETS, SPLIT_SETS,
};
use crate::simulate::{AnyFault, Simulator};

/// Runs of a failing scene that shrinking may use. rust-hdl's engine takes minutes for one.
const ATTEMPTS: [usize; 2] = [200, 20];

fn settings(args: &FuzzArgs) -> Input<Settings> {
    let fault = match fault(args)? {
        None => None,
        Some(AnyFault::Rtl(fault)) => Some(fault),
        Some(_) => return bad("--set: the fault is not in the RTL", "random scenes take rtl:NAME only"),
    };
    let attempts = ATTEMPTS[usize::from(args.rtl == Simulator::RustHdl)];
    let (merging, splitting, hiding) = (args.merges.is_some(), args.splits.is_some(), args.hides.is_some());
    let frames = args.frames.is_some();
    let (small, exact, out, simulator) = (args.small, args.exact, args.out.clone(), args.rtl);
    let (options, machines, starts) = (None, vec![], args.starts);
    Ok(Settings {
        merging,
        splitting,
        hiding,
        frames,
        small,
        exact,
        options,
        machines,
        simulator,
        starts,
        fault,
        out,
        attempts,
    })
}

fn again(args: &FuzzArgs, settings: &Settings, failure: &Failure) -> String {
    let exact = if settings.exact { " --exact" } else { "" };
    let rtl = if args.rtl == Simulator::RustHdl { " --rtl rust-hdl" } else { "" };
    let breaks = settings.options.is_some_and(|set| set.breaks());
    // What a run should tell of a scene that breaks rules, and several starts, only this command
    // has.
    if breaks || settings.starts > 1 {
        let is_scene = !(settings.merging || settings.splitting || settings.hiding || settings.frames);
        let kind = if is_scene { "scenes" } else { settings.kind() };
        let fault = args.set.as_ref().map_or(String::new(), |set| format!(" --set {set}"));
        let small = if settings.small { " --small" } else { "" };
        let set = settings.options.map_or(String::new(), |set| format!(" --options {}", set.name));
        let starts = if settings.starts > 1 { format!(" --starts {}", settings.starts) } else { String::new() };
        return format!(
            "quadlock fuzz --{kind} 1{small}{exact}{set} --seed {}{}{starts}{rtl}{fault}",
            failure.seed,
            args.same_machines(failure.seed)
        );
    }
    let mut command = format!("quadlock run {}{exact}{rtl}", quoted_path(&failure.file));
    if let Some((_, fault)) = args.set.as_deref().and_then(|s| s.split_once('=')) {
        command += &format!(" --set machine.fault={}", fault.trim_start_matches("rtl:"));
    }
    command
}

/// The sets of options that were asked for; none stands for machines over all options.
fn sets(args: &FuzzArgs) -> Input<Vec<Option<&'static OptionSet>>> {
    let Some(name) = args.options.as_deref() else { return Ok(vec![None]) };
    let all: Vec<&'static OptionSet> = match (args.merges, args.splits, args.frames) {
        (Some(_), ..) => MERGE_SETS.iter().collect(),
        (_, Some(_), _) => SPLIT_SETS.iter().collect(),
        (.., Some(_)) => frame_sets().collect(),
        _ => HIDE_SETS.iter().collect(),
    };
    let found: Vec<_> = match name.parse::<Share>() {
        Ok(share) => share.take(all.iter().copied().map(Some)),
        Err(_) => all.iter().copied().filter(|set| name == "all" || set.name == name).map(Some).collect(),
    };
    if found.is_empty() {
        let names: Vec<&str> = all.iter().map(|set| set.name).collect();
        let help = format!("write all, a share of all as 2/6, or one of {}", names.join(", "));
        return bad(format!("--options {name}: no such set"), help);
    }
    Ok(found)
}

/// Draws them, with each set of options.
///
/// # Errors
/// A setting that cannot be, or a report that cannot be written.
pub(super) fn run(args: &FuzzArgs, scenes: u64) -> Input<Outcome> {
    let (mut settings, sets) = (settings(args)?, sets(args)?);
    let (mut reports, mut outcome) = (vec![], Outcome::Pass);
    // One for all sets: a set by itself may be too short to say how far it is.
    let campaign = Campaign::new(scenes.saturating_mul(sets.len() as u64), "scenes");
    for set in sets {
        settings.options = set;
        if let Some((count, seed)) = args.shared() {
            settings.share(count, seed);
        }
        let (json, passed) = draw(args, scenes, &settings, &campaign)?;
        reports.push(json);
        if !passed {
            outcome = Outcome::Fail;
        }
    }
    campaign.end();
    if let Some(path) = &args.report {
        let json = match reports.as_slice() {
            [one] => one.clone(),
            all => serde_json::json!(all),
        };
        write_atomic(path, format!("{json:#}\n").as_bytes())?;
    }
    Ok(outcome)
}

/// All that is printed of a scene that fails.
fn told(args: &FuzzArgs, settings: &Settings, f: &Failure) -> String {
    let small = format!("{} draws and {} triangles after shrinking", f.draws, f.triangles);
    format!("seed {} fails; {small}:\n{}\nagain: {}\n\n", f.seed, f.report, again(args, settings, f))
}

/// Draws scenes with one set of options: what is reported, and whether all pass.
fn draw(args: &FuzzArgs, scenes: u64, settings: &Settings, campaign: &Campaign) -> Input<(serde_json::Value, bool)> {
    let start = Instant::now();
    let tried: Vec<Tried> = pool(args)?.install(|| {
        let seeds = (0..scenes).into_par_iter().map(|k| args.seed.wrapping_add(k));
        seeds
            .map(|seed| {
                let tried = try_seed(seed, settings, &|what| campaign.found(seed, what));
                tried.failure.iter().for_each(|f| campaign.failed(&told(args, settings, f)));
                campaign.done();
                tried
            })
            .collect()
    });
    let failures: Vec<&Failure> = tried.iter().filter_map(|t| t.failure.as_ref()).collect();
    let c = tried.iter().fold(Counts::default(), |sum, t| sum.and(t.counts));
    let seconds = start.elapsed().as_secs_f64();
    if let Some(set) = settings.options {
        say(&format!("options {}: ", set.name));
    }
    if !settings.machines.is_empty() {
        let count = settings.machines.len();
        say(&format!("the scenes share {count} machine{}\n", if count == 1 { "" } else { "s" }));
    }
    if args.merges.is_some() {
        say(&format!("{} pairs launched, {} merged\n", c.pairs, c.merges));
    }
    if args.hides.is_some() || args.frames.is_some() {
        say(&format!("{} groups of 8 by 8 pixels culled\n", c.hidden));
    }
    if args.splits.is_some() {
        say(&format!(
            "{} groups of samples split, {} pairs merged, {} merged and then split\n",
            c.splits, c.merges, c.both
        ));
    }
    if c.broken > 0 {
        say(&format!("{} scenes with programs that break rules, told of {}\n", c.broken, c.told));
    }
    say(&format!(
        "{scenes} scenes, {} failed; {} draws, {} triangles ({} culled, {} clipped), {} quads, {} fragments, \
         {} samples written in {} cycles; {seconds:.1} s, {}\n",
        failures.len(),
        c.draws,
        c.triangles,
        c.culled,
        c.clipped,
        c.quads,
        c.fragments,
        c.samples,
        c.cycles,
        rate(c.cycles as f64 / seconds.max(1e-9), "cycles")
    ));
    let json = serde_json::json!({
        "options": settings.options.map(|set| set.name),
        "machines": args.machines.map(|_| settings.machines.len()),
        "scenes": scenes, "seed": args.seed, "failed": failures.len(),
        "failed_seeds": failures.iter().map(|f| f.seed).collect::<Vec<_>>(),
        "files": failures.iter().map(|f| f.file.display().to_string()).collect::<Vec<_>>(),
        "draws": c.draws, "triangles": {"in": c.triangles, "culled": c.culled, "clipped": c.clipped},
        "pairs": c.pairs, "merges": c.merges, "splits": c.splits, "both": c.both, "hidden": c.hidden,
        "broken": c.broken, "told": c.told,
        "quads": c.quads, "fragments_shaded": c.fragments, "samples_written": c.samples,
        "cycles": c.cycles, "seconds": seconds,
    });
    Ok((json, failures.is_empty()))
}
