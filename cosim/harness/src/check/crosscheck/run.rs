//! The check itself: blocks side by side on the same seed, jobs on the whole core. In-process
//! engines run first and give the checksums that the peers' are compared with; the first cycle in
//! which any engine stands apart is run again to name the signals.

use std::time::Instant;

use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::export::export_named;
use rayon::prelude::*;

use super::cases::{BlockCase, JobCase};
use super::own::{start, Own};
use super::peer::{Peer, Printed};
use super::stimulus::Stimulus;
use super::subject::{fold, Subject};
use super::{Difference, Disagreement, EngineName, Outcome, Settings};
use crate::base::shell::quoted_path;
use crate::engine::record::{Recorder, Recording};
use crate::job::Size;
use crate::lockstep::Quiet;
use crate::peer::port_reader::PortReader;
use crate::peer::workload::Workload;
use crate::simulate;

/// The whole core.
pub const CORE: &str = "quadlock";

/// What the in-process engines made of a block.
struct Run {
    /// Checksum of each cycle, of the first engine.
    sums: Vec<u64>,
    /// First cycle in which they differ among themselves.
    apart: Option<u64>,
}

/// The configuration that an engine gets: with the fault if it is planted there.
fn config_of(engine: EngineName, config: &GpuConfig, settings: &Settings) -> GpuConfig {
    let fault = settings.fault.filter(|f| f.0 == engine).map(|f| f.1);
    GpuConfig { fault: fault.or(config.fault), ..config.clone() }
}

/// Engines of this process that run one subject.
type OwnEngines = Vec<(EngineName, Box<dyn Own>)>;

fn own_engines(subject: &Subject, settings: &Settings) -> Result<OwnEngines, String> {
    let own = settings.engines.iter().filter(|e| !e.is_peer());
    own.map(|&e| Ok((e, start(e, subject, &config_of(e, &subject.config, settings))?))).collect()
}

/// Runs the inputs on all in-process engines; `each` sees every cycle's values, engine by engine,
/// and says whether to go on.
fn drive(
    subject: &Subject,
    stimulus: &Stimulus,
    settings: &Settings,
    each: &mut dyn FnMut(u64, &[Vec<u64>]) -> bool,
) -> Result<(), String> {
    let mut engines = own_engines(subject, settings)?;
    let mut values: Vec<Vec<u64>> = vec![Vec::new(); engines.len()];
    for (cycle, inputs) in (0u64..).zip(&stimulus.cycles) {
        let memories = subject.memory_cycle(cycle, stimulus.len());
        for ((name, engine), values) in engines.iter_mut().zip(&mut values) {
            values.clear();
            let at = |e: String| format!("{} in cycle {cycle}: {name}: {e}", subject.name);
            engine.settle(inputs).map_err(at)?;
            engine.read(values);
            if memories {
                engine.read_memories(values);
            }
            let wanted = subject.signals.len() + if memories { subject.memory_words() } else { 0 };
            if values.len() != wanted {
                return Err(at(format!("{} values instead of {wanted}", values.len())));
            }
        }
        if !each(cycle, &values) {
            return Ok(());
        }
        for (_, engine) in &mut engines {
            engine.tick()?;
        }
    }
    Ok(())
}

/// Checksum of a cycle's values.
fn checksum(subject: &Subject, values: &[u64]) -> u64 {
    let (signals, memory) = values.split_at(subject.signals.len());
    fold(fold(0, subject.pack(signals)), memory.iter().copied())
}

fn run_own(subject: &Subject, stimulus: &Stimulus, settings: &Settings) -> Result<Run, String> {
    let mut run = Run { sums: Vec::with_capacity(stimulus.cycles.len()), apart: None };
    drive(subject, stimulus, settings, &mut |cycle, values| {
        let Some(first) = values.first() else { return false };
        run.sums.push(checksum(subject, first));
        if values.iter().any(|v| v != first) {
            run.apart = Some(cycle);
        }
        run.apart.is_none()
    })?;
    Ok(run)
}

/// The peers of the settings, built for these blocks.
fn peers(subjects: &[&Subject], name: &str, settings: &Settings) -> Result<Vec<Peer>, String> {
    let wanted = settings.engines.iter().copied().filter(|e| e.is_peer() && !subjects.is_empty());
    let build = |engine: EngineName| {
        let dir = settings.dir.join(format!("{name}-{engine}"));
        let configs: Vec<GpuConfig> = subjects.iter().map(|s| config_of(engine, &s.config, settings)).collect();
        Peer::build(engine, subjects, &configs, &dir, settings)
    };
    wanted.map(build).collect()
}

/// First cycle in which a peer's checksum of block `k` is not ours.
fn first_apart(run: &Run, printed: &Printed, k: usize) -> Option<u64> {
    let wrong = run.sums.iter().zip(&printed.sums).position(|(ours, row)| row[k] != Some(*ours));
    wrong.map(|c| c as u64)
}

/// One block of a list with its inputs.
struct Case<'a> {
    /// What a difference calls it.
    label: String,
    subject: &'a Subject,
    stimulus: &'a Stimulus,
    /// The command without `--cycles`.
    command: String,
}

/// Runs cases side by side on built peers and on the in-process engines. A peer may get fewer
/// cycles: `limits`.
fn compare(
    cases: &[Case],
    peers: &[Peer],
    limits: &dyn Fn(EngineName) -> u64,
    settings: &Settings,
) -> Result<Vec<Difference>, String> {
    let subjects: Vec<&Subject> = cases.iter().map(|c| c.subject).collect();
    let stimuli: Vec<&Stimulus> = cases.iter().map(|c| c.stimulus).collect();
    let runs =
        cases.par_iter().map(|c| run_own(c.subject, c.stimulus, settings)).collect::<Result<Vec<Run>, String>>()?;
    let mut apart: Vec<Option<u64>> = runs.iter().map(|r| r.apart).collect();
    let cycles = stimuli.iter().map(|s| s.len()).min().unwrap_or(0);
    for peer in peers {
        let printed = peer.run(&subjects, &stimuli, cycles.min(limits(peer.engine)), None)?;
        for (k, run) in runs.iter().enumerate() {
            let seen = first_apart(run, &printed, k);
            apart[k] = [apart[k], seen].into_iter().flatten().min();
        }
    }
    let mut differences = Vec::new();
    for (k, case) in cases.iter().enumerate() {
        if let Some(cycle) = apart[k] {
            differences.push(locate(case, k, cycle, &subjects, &stimuli, peers, settings)?);
        }
    }
    Ok(differences)
}

/// Every engine's values in the cycle in which one stands apart.
fn locate(
    case: &Case,
    k: usize,
    cycle: u64,
    subjects: &[&Subject],
    stimuli: &[&Stimulus],
    peers: &[Peer],
    settings: &Settings,
) -> Result<Difference, String> {
    let subject = case.subject;
    let mut all: Vec<(EngineName, Vec<Option<u64>>)> = Vec::new();
    let names: Vec<EngineName> = settings.engines.iter().copied().filter(|e| !e.is_peer()).collect();
    drive(subject, case.stimulus, settings, &mut |at, values| {
        if at == cycle {
            let rows = values.iter().map(|v| v.iter().map(|&x| Some(x)).collect());
            all = names.iter().copied().zip(rows).collect();
        }
        at < cycle
    })?;
    for peer in peers {
        let printed = peer.run(subjects, stimuli, cycle + 1, Some((k, cycle)))?;
        let (words, memory) = printed.dump.split_at(subject.words().min(printed.dump.len()));
        let mut values = subject.unpack(words);
        values.extend(memory);
        all.push((peer.engine, values));
    }
    let count = all.iter().map(|a| a.1.len()).max().unwrap_or(0);
    let mut signals = Vec::new();
    for i in 0..count {
        let values: Vec<(EngineName, Option<u64>)> =
            all.iter().map(|(e, v)| (*e, v.get(i).copied().flatten())).collect();
        if values.iter().any(|v| v.1 != values[0].1) {
            let width = subject.signals.get(i).map_or(32, |s| s.width);
            signals.push(Disagreement { signal: subject.value_name(i), width, values });
        }
    }
    let command = format!("{} --cycles {}", case.command, cycle + 1);
    Ok(Difference { block: case.label.clone(), cycle, signals, command })
}

/// The engines of a line of output.
fn engines(settings: &Settings) -> String {
    settings.engines.iter().map(EngineName::to_string).collect::<Vec<_>>().join(", ")
}

/// What follows `quadlock crosscheck` in a command that shows a difference again.
fn options(settings: &Settings) -> String {
    let mut text = settings.again.clone();
    if let Some((engine, fault)) = settings.fault {
        let name = quadlock_hdl::fault::Fault::ALL.iter().find(|f| f.0 == fault).map_or("", |f| f.1);
        text += &format!(" --plant {engine}:{name}");
    }
    text
}

/// Checks blocks on random inputs; all of them in one build of each peer.
///
/// # Errors
/// A block is unknown or refused by an engine.
pub fn blocks(blocks: &[BlockCase], settings: &Settings) -> Result<Outcome, String> {
    let begin = Instant::now();
    let subjects = blocks.iter().map(|b| Subject::new(&b.name, &b.config)).collect::<Result<Vec<_>, _>>()?;
    let stimuli: Vec<Stimulus> = subjects.iter().map(|s| Stimulus::random(s, settings.seed, settings.cycles)).collect();
    let cases: Vec<Case> = subjects
        .iter()
        .zip(&stimuli)
        .zip(blocks)
        .map(|((subject, stimulus), block)| {
            let (name, sets, seed, more) = (&block.name, &block.sets, settings.seed, options(settings));
            let command = format!("quadlock crosscheck --block {name} --seed {seed}{sets}{more}");
            Case { label: format!("{name}{sets}"), subject, stimulus, command }
        })
        .collect();
    let subjects: Vec<&Subject> = subjects.iter().collect();
    let peers = peers(&subjects, "blocks", settings)?;
    let differences = compare(&cases, &peers, &|_| u64::MAX, settings)?;
    let count = |f: fn(&Subject) -> usize| subjects.iter().map(|s| f(s)).sum::<usize>();
    let line = format!(
        "{} blocks on {}, {} cycles each on random inputs (seed {}): {} outputs, {} registers, {} words of memory; {} differ ({:.1} s)",
        subjects.len(),
        engines(settings),
        settings.cycles,
        settings.seed,
        count(|s| s.outputs),
        count(|s| s.signals.len() - s.outputs),
        count(Subject::memory_words),
        differences.len(),
        begin.elapsed().as_secs_f64()
    );
    let others = blocks.iter().filter(|b| b.other).map(|b| format!("of these {}{}", b.name, b.sets));
    Ok(Outcome { lines: [line].into_iter().chain(others).collect(), differences, job_cycles: 0 })
}

/// A job's recording on rtlsim, in the size for slow simulators and at most `limit` cycles. A
/// machine without event ports gets the recording of the one with them, for which the host loop is
/// written: it must do the same.
fn record(job: &JobCase, limit: u64) -> Result<Recording, String> {
    let mut workload = Workload::changed(&job.path, Size::Small, |c| job.change(c)).map_err(|e| e.to_string())?;
    workload.options.limits.cycles = workload.options.limits.cycles.min(limit);
    let trace = std::mem::replace(&mut workload.options.config.trace, true);
    let config = &workload.options.config;
    let mut recorder = Recorder::new(PortReader::new(config, &export_named(CORE, config)?)?, config);
    // Whether the job ends or is cut off does not matter here.
    simulate::on_engine(&mut recorder, &workload.launch, &workload.options, &mut Quiet);
    let mut recording = recorder.finish();
    recording.config.trace = trace;
    Ok(recording)
}

/// Checks the whole core on recorded jobs. Each machine that the jobs ask for is built once;
/// machines are built and run side by side.
///
/// # Errors
/// A job is refused, or the core by an engine.
pub fn jobs(jobs: &[JobCase], settings: &Settings) -> Result<Outcome, String> {
    let recordings =
        jobs.par_iter().map(|j| record(j, settings.job_cycles)).collect::<Result<Vec<Recording>, String>>()?;
    let mut machines: Vec<Vec<usize>> = Vec::new();
    for (i, recording) in recordings.iter().enumerate() {
        match machines.iter_mut().find(|m| recordings[m[0]].config == recording.config) {
            Some(machine) => machine.push(i),
            None => machines.push(vec![i]),
        }
    }
    let done = machines
        .par_iter()
        .enumerate()
        .map(|(number, machine)| {
            let subject = Subject::new(CORE, &recordings[machine[0]].config)?;
            let begin = Instant::now();
            let peers = peers(&[&subject], &format!("core{number}"), settings)?;
            let built = begin.elapsed().as_secs_f64();
            let run = |&i: &usize| Ok((i, on_machine(&jobs[i], &recordings[i], &subject, &peers, built, settings)?));
            machine.iter().map(run).collect::<Result<Vec<_>, String>>()
        })
        .collect::<Result<Vec<_>, String>>()?;
    let mut done: Vec<(usize, Outcome)> = done.into_iter().flatten().collect();
    done.sort_by_key(|d| d.0);
    let mut outcome = Outcome::default();
    for (_, one) in done {
        outcome.lines.extend(one.lines);
        outcome.differences.extend(one.differences);
        outcome.job_cycles += one.job_cycles;
    }
    Ok(outcome)
}

/// One recorded job on the whole core of its machine, which the peers have built in `built`
/// seconds.
fn on_machine(
    job: &JobCase,
    recording: &Recording,
    subject: &Subject,
    peers: &[Peer],
    built: f64,
    settings: &Settings,
) -> Result<Outcome, String> {
    let begin = Instant::now();
    let stimulus = Stimulus::recorded(subject, recording, settings.job_cycles)?;
    let name = format!("{}{}", job.path.display(), job.options());
    let command = format!("quadlock crosscheck --job {}{}{}", quoted_path(&job.path), job.options(), options(settings));
    let cases = [Case { label: format!("{CORE} on {name}"), subject, stimulus: &stimulus, command }];
    let limit = |e| if e == EngineName::Icarus { settings.icarus_cycles } else { u64::MAX };
    let differences = compare(&cases, peers, &limit, settings)?;
    let icarus = match settings.engines.contains(&EngineName::Icarus) {
        true => format!(" (Icarus {})", stimulus.len().min(settings.icarus_cycles)),
        false => String::new(),
    };
    let line = format!(
        "{name}: whole core on {}, {} cycles{icarus}: {} outputs, {} registers, {} words of memory; {} (built in {built:.1} s, run in {:.1} s)",
        engines(settings),
        stimulus.len(),
        subject.outputs,
        subject.signals.len() - subject.outputs,
        subject.memory_words(),
        if differences.is_empty() { "agree" } else { "DIFFER" },
        begin.elapsed().as_secs_f64()
    );
    Ok(Outcome { lines: vec![line], differences, job_cycles: stimulus.len() })
}
