//! `quadlock run`: a job from its file to verdict, outputs, report and waves.

mod args;
mod gauge;
pub(super) mod watched;

use std::path::Path;

pub use args::RunArgs;

use anyhow::Context;

use super::compare;
use super::outcome::{print, refuse, say, Outcome};
use crate::base::error::{bad, Input};
use crate::base::files::write_atomic;
use crate::base::phases::phase;
use crate::job::dispatches::Dispatches;
use crate::job::prepare::Prepared;
use crate::job::program::CompilerOptions;
use crate::job::{constants, Job, Size};
use crate::lockstep::Options;
use crate::report::{Report, Verdict};
use crate::simulate::{self, EngineKind, Finished};

/// The run's options: the job's, changed by `--set` and `--seed`. Also the compiler's, with the
/// values of `--constant`.
fn options(job: &Job, args: &RunArgs, sets: &[String]) -> Input<(Options, CompilerOptions)> {
    let (options, mut compiler) = job.options(args.engine == EngineKind::Lockstep, sets, args.seed)?;
    compiler.constants = constants::of_command_line(&args.constant)?;
    args.engine.refuse_fault(&options)?;
    Ok((options, compiler))
}

pub fn run(args: &RunArgs) -> anyhow::Result<Outcome> {
    let of_scenes = [("image", !args.image.is_empty()), ("heatmap", args.heatmap.is_some())];
    let mut of_scenes = of_scenes.into_iter().chain([("funnel", args.funnel.is_some()), ("oracle", args.oracle)]);
    if let Some((option, _)) = of_scenes.find(|(_, given)| *given) {
        return refuse(format!("--{option}: this file is a job and not a scene"), "leave it out; --png is for both");
    }
    args.check()?;
    let job = Job::read(&args.job, if args.small { Size::Small } else { Size::Whole })?;
    let folder = args.out.clone().unwrap_or_else(|| Path::new("out").join(&job.spec.name));
    let compared: Vec<String> = args.set.iter().chain(&args.compare).cloned().collect();
    if !args.compare.is_empty() {
        // What cannot run is said before the first run, which may be long.
        let (options, compiler) = options(&job, args, &compared)?;
        Dispatches::of(&job, job.linking(&compared)?, &compiler, &options.config)?;
    }
    let first = one(&job, args, &args.set, &folder).with_context(|| format!("running {}", args.job.display()))?;
    let mut reports = vec![first.report];
    if !args.compare.is_empty() {
        let setting = args.compare.join(" --compare ");
        let again = one(&job, args, &compared, &folder.join("compared"));
        reports.push(again.with_context(|| format!("running it again with --compare {setting}"))?.report);
        say(&format!("\n{}", compare::table(&reports[0], &reports[1], &args.compare.join(" "))));
    }
    if let Some(path) = &args.report {
        let json = match reports.as_slice() {
            [one] => one.json(),
            both => serde_json::to_string_pretty(both).unwrap_or_default() + "\n",
        };
        write_atomic(path, json.as_bytes()).context("writing the report")?;
    }
    Ok(if reports.iter().all(Report::passed) { Outcome::Pass } else { Outcome::Fail })
}

/// One run with these settings, its outputs and its printed report.
fn one(job: &Job, args: &RunArgs, sets: &[String], folder: &Path) -> Input<Finished> {
    let (options, compiler) = options(job, args, sets)?;
    let linking = job.linking(sets)?;
    let dispatches = phase("compile", || Dispatches::of(job, linking, &compiler, &options.config))?;
    dispatches.first().check_outputs(job, folder)?;
    let unbounded = job.unbounded(&dispatches, sets, &options, &compiler)?;
    let traced = watched::trace_file(args).is_some() || args.perfetto.is_some();
    if traced && args.engine == EngineKind::Golden {
        return bad("the golden model has no signals to trace", "leave out the trace, or choose another --engine");
    }
    let (prepared, mut done) = if args.engine == EngineKind::Golden {
        phase("run", || dispatches.run(&mut |prepared| Ok(simulate::golden(&prepared.launch, &options))))?
    } else {
        watched::job_on_rtl(dispatches, &options, args, folder)?
    };
    finish(job, &prepared, &mut done, args, folder)?;
    simulate::tell_unseen_fault(&mut done.report, &options, compiler.fault.is_some());
    if let Some(unbounded) = unbounded {
        phase("bounds", || unbounded.judge(&mut done.report))?;
    }
    watched::again(&mut done.report, args, sets, folder);
    print(&done.report.shown());
    Ok(done)
}

fn finish(job: &Job, prepared: &Prepared, done: &mut Finished, args: &RunArgs, folder: &Path) -> Input<()> {
    prepared.conclude(job, done, folder)?;
    let stopped = matches!(done.report.verdict, Verdict::Mismatch | Verdict::EngineFailure);
    if let Some(path) = args.png.as_ref().filter(|_| !stopped && done.report.hang.is_none()) {
        prepared.write_png(job, &done.image, path)?;
        done.report.outputs.push(watched::show(path));
    }
    Ok(())
}
