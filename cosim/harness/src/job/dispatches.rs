//! The dispatches of a job, each with its program: one behind the other on the machine, which finds
//! what the one before left in it and in the buffers.
//!
//! With `link` the program is compiled for uniforms (docs/linked-programs.md). Each dispatch gets a
//! variant that is right for its own; which one depends on the job alone. All programs are made,
//! and all dispatches bound to theirs, before the first one runs. Wrong would be a program for
//! another dispatch's uniforms: binding judges what a program takes for granted.

use std::ops::Range;

use quadlock_hdl::config::GpuConfig;
use quadlock_shader::binary::ShaderBinary;
use quadlock_shader::compile::Uniforms;
use quadlock_shader::fault::CompilerFault;
use toml::Spanned;

use super::graph::Threads;
use super::prepare::Prepared;
use super::program::{self, CompilerOptions, JobSource};
use super::spec::dispatch::DispatchSpec;
use super::Job;
use crate::base::error::{bad, Input};
use crate::linking::{LinkFigures, LinkMode, Variants, Wanted};
use crate::machine::launch::Dispatch;
use crate::simulate::Finished;

/// How programs are linked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Linking {
    pub mode: LinkMode,
    /// At most so many variants assume something.
    pub variants: usize,
}

impl Linking {
    /// Changes it by `--set link=VALUE` or `--set variants=VALUE`.
    pub fn set(&mut self, key: &str, value: &str) -> Input<()> {
        let numbers = "the whole numbers from 0 on";
        let (done, values) = match key {
            "link" => (value.parse().map(|mode| self.mode = mode).is_ok(), LinkMode::VALUES),
            _ => (value.parse().map(|n| self.variants = n).is_ok(), numbers),
        };
        if !done {
            return bad(format!("--set {key}={value}: not one of {values}"), format!("values: {values}"));
        }
        Ok(())
    }
}

/// A job's dispatches, with their programs.
#[derive(Clone)]
pub struct Dispatches {
    all: Vec<(Job, ShaderBinary)>,
    first: Prepared,
    figures: Option<LinkFigures>,
    config: GpuConfig,
}

impl Dispatches {
    /// Makes the programs, and binds every dispatch to its own.
    ///
    /// # Errors
    /// What cannot run, with its place.
    pub(crate) fn of(job: &Job, linking: Linking, compiler: &CompilerOptions, config: &GpuConfig) -> Input<Dispatches> {
        let (all, figures) = programs(job, linking, compiler)?;
        let mut first = None;
        for (job, binary) in &all {
            let prepared = job.prepare(binary, config)?;
            first.get_or_insert(prepared);
        }
        match first {
            Some(first) => Ok(Dispatches { all, first, figures, config: config.clone() }),
            None => bad("a job without a dispatch", "write a [[dispatch]], or leave them out"),
        }
    }

    /// The first one.
    pub fn first(&self) -> &Prepared {
        &self.first
    }

    /// Whether the programs of both have the same instructions.
    pub(crate) fn has_code_of(&self, other: &Self) -> bool {
        let code = |all: &Self| all.all.iter().map(|(_, binary)| binary.code.clone()).collect::<Vec<_>>();
        code(self) == code(other)
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.all.len()
    }

    /// Runs them as `run` does; none behind one that fails. The last one that ran, and all of them
    /// in one report.
    ///
    /// # Errors
    /// Those of `run`.
    pub fn run(self, run: &mut dyn FnMut(&Prepared) -> Input<Finished>) -> Input<(Prepared, Finished)> {
        let Dispatches { all, first, figures, config } = self;
        let mut before = first;
        if all.len() > 1 {
            before.launch.dispatch = Some(Dispatch { number: 1, first_cycle: 0, left: None });
        }
        let mut done = run(&before)?;
        for (number, (job, binary)) in (1..).zip(&all).skip(1) {
            if !done.report.passed() || done.report.hang.is_some() {
                let what = format!("dispatch {} of {} was the last that ran", number - 1, all.len());
                done.report.problems.push(what);
                break;
            }
            let mut prepared = job.prepare(binary, &config)?;
            prepared.carry(&before, &done.image);
            let first_cycle = done.report.cycles.unwrap_or(0);
            prepared.launch.dispatch = Some(Dispatch { number, first_cycle, left: done.left.take() });
            let next = run(&prepared)?;
            done.report.add(next.report);
            (done.image, done.left, before) = (next.image, next.left, prepared);
        }
        done.report.link = figures;
        done.report.graph = before.threads.as_ref().map(Threads::figures);
        Ok((before, done))
    }
}

/// The jobs of single dispatches, each with its program; and what became of variants.
type Programs = (Vec<(Job, ShaderBinary)>, Option<LinkFigures>);

fn programs(job: &Job, linking: Linking, compiler: &CompilerOptions) -> Input<Programs> {
    let jobs = job.dispatched();
    if linking.mode == LinkMode::Off {
        let binary = program::of_job(job, compiler)?;
        return Ok((jobs.into_iter().map(|job| (job, binary.clone())).collect(), None));
    }
    let source = JobSource::of(job, compiler)?;
    let interface = source.interface()?;
    let mut variants = Variants::new(linking.mode);
    let mut all = vec![];
    for job in jobs {
        let known = match linking.mode {
            LinkMode::Values => job.known(&interface)?,
            _ => Uniforms::new(),
        };
        // All dispatches have one source, with the same options.
        let wanted = Wanted {
            key: String::new(),
            known: &known,
            limit: linking.variants,
            stale: compiler.fault == Some(CompilerFault::VariantStale),
        };
        let compiled = variants.get(wanted, &|link| source.compiled(link)).map_err(|e| source.wrong(&e))?;
        all.push((job, compiled.binary));
    }
    Ok((all, Some(variants.figures)))
}

impl Job {
    /// How the job says that its program is linked, changed by these settings.
    ///
    /// # Errors
    /// A value that there is not.
    pub(crate) fn linking(&self, sets: &[String]) -> Input<Linking> {
        let mut linking = Linking { mode: self.spec.link, variants: self.spec.variants };
        for (key, value) in sets.iter().filter_map(|text| text.split_once('=')) {
            if key == "link" || key == "variants" {
                linking.set(key, value)?;
            }
        }
        Ok(linking)
    }

    /// A job for each dispatch.
    fn dispatched(&self) -> Vec<Job> {
        if self.spec.dispatch.is_empty() {
            return vec![self.clone()];
        }
        let one = |d: &Spanned<DispatchSpec>| {
            let (mut job, d) = (self.clone(), d.get_ref());
            if d.grid.is_some() || d.threads.is_some() {
                (job.spec.grid, job.spec.threads) = (d.grid, d.threads);
            }
            for new in &d.uniform {
                match job.spec.uniform.iter_mut().find(|u| u.get_ref().key() == new.get_ref().key()) {
                    Some(old) => *old = new.clone(),
                    None => job.spec.uniform.push(new.clone()),
                }
            }
            job
        };
        self.spec.dispatch.iter().map(one).collect()
    }

    /// Dispatches of a job that can have some.
    pub(super) fn check_dispatches(&self) -> Input<()> {
        let spec = &self.spec;
        let Some(first) = spec.dispatch.first() else { return Ok(()) };
        let refuse = |span: Range<usize>, what: &str, help: &str| Err(self.error(span, what, help));
        if spec.graph.is_some() || !spec.thread.is_empty() || spec.litmus.is_some() {
            let what = "a job with [graph], [[thread]] or [litmus] has one dispatch";
            return refuse(first.span(), what, "leave out [[dispatch]], or use `grid` or `threads`");
        }
        match spec.dispatch.iter().find(|d| d.get_ref().grid.is_some() && d.get_ref().threads.is_some()) {
            Some(both) => refuse(both.span(), "a dispatch has `grid` or `threads`, not both", "remove one"),
            None => Ok(()),
        }
    }
}
