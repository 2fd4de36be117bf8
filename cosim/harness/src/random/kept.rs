//! A failing random program as a job: what `quadlock run` takes, with waves if they are asked for.
//!
//! The job has the program, its data, the machine, the memory's timing and the limits that the seed
//! decided, after the program was made smaller. A planted fault is not in it, so that the job
//! passes once the bug is gone; the printed command has it. Failure mode: a job that runs otherwise
//! than the campaign did. The tests compare the launches of both.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::parameters;
use quadlock_isa::abi::CONST_USER;
use serde_json::Value;

use super::graphs::RandomGraph;
use super::isa::{self, RandomProgram};
use super::wgsl;
use crate::base::error::{io, Input};
use crate::base::files::write_atomic;
use crate::lockstep::Options;
use crate::machine::layout::BASE;

/// The name of the job's file.
pub const JOB: &str = "job.toml";

/// A job with its program.
#[derive(Clone, Debug)]
pub struct Kept {
    /// The job file.
    job: String,
    /// Name and text of the program's file.
    program: (&'static str, String),
    /// Settings of the run that no key of a job has.
    pub sets: Vec<String>,
}

impl Kept {
    /// An instruction sequence.
    pub fn isa(program: &RandomProgram, options: &Options) -> Self {
        const FILE: &str = "program.qasm";
        let grid = &program.grid;
        let mut job = head(program.seed, &format!("name = \"isa-{}\"\nshader = \"{FILE}\"\n", program.seed));
        let _ = writeln!(job, "grid = {:?}", grid.groups);
        let constants = program.consts.get(CONST_USER..).unwrap_or_default();
        let _ = write!(
            job,
            "\n[program]\ngroup-size = {:?}\npinned = {}\nshared-bytes = {}\ndata-first = true\nconstants = {constants:?}\n",
            grid.group_size, grid.pinned, grid.shared_bytes,
        );
        let data = program.memory.get(BASE as usize..).unwrap_or_default();
        let words = data.chunks(4).map(|c| c.iter().rev().fold(0u32, |word, &byte| word << 8 | u32::from(byte)));
        let words: Vec<u32> = words.collect();
        let _ = writeln!(job, "\n[[buffer]]\nbinding = 0\nfrom = {{ inline = {words:?} }}");
        if program.options.owned_locks {
            let (first, count) = ((isa::LOCKS - BASE) / 4, isa::LOCKS_BYTES / 4);
            let _ = writeln!(job, "locks = {{ rule = \"owned\", first = {first}, count = {count} }}");
        }
        Self { job: job + &machine(options), program: (FILE, program.asm()), sets: vec![] }
    }

    /// A WGSL shader.
    pub fn wgsl(shader: &wgsl::Shader, options: &Options) -> Self {
        // What it must compute is worked out operation by operation.
        let job = head(shader.seed, &format!("exact = true\n{}", shader.job_text())) + &machine(options);
        Self { job, program: (wgsl::FILE, shader.text.clone()), sets: vec![] }
    }

    /// Threads that depend on each other.
    pub fn graph(graph: &RandomGraph, options: &Options) -> Self {
        let job = head(graph.seed, &graph.job_text(&options.config)) + &machine(options);
        let text = graph.text(options.config.semaphores.semaphores);
        let sets = graph.polling.then(|| "semaphores=polling".to_owned());
        Self { job, program: (wgsl::FILE, text), sets: sets.into_iter().collect() }
    }

    /// The program's text.
    pub fn text(&self) -> &str {
        &self.program.1
    }

    /// Writes job and program into a folder; the job's file.
    ///
    /// # Errors
    /// The folder cannot be made or written to.
    pub fn write(&self, folder: &Path) -> Input<PathBuf> {
        std::fs::create_dir_all(folder).map_err(|e| io(folder, "create folder", &e))?;
        write_atomic(&folder.join(self.program.0), self.program.1.as_bytes())?;
        let file = folder.join(JOB);
        write_atomic(&file, self.job.as_bytes())?;
        Ok(file)
    }
}

fn head(seed: u64, rest: &str) -> String {
    format!("# A random program, of seed {seed}.\n{rest}")
}

/// The tables of machine, memory and limits: what differs from a job that has none.
fn machine(options: &Options) -> String {
    let (config, usual) = (&options.config, GpuConfig::default());
    let mut text = "\n[machine]\n".to_owned();
    for p in parameters::of_jobs().filter(|p| p.get(config) != p.get(&usual)) {
        match p.get(config) {
            Value::Null => {}
            Value::String(word) => text += &format!("{} = \"{word}\"\n", p.job_key()),
            value => text += &format!("{} = {value}\n", p.job_key()),
        }
    }
    for ((row, column), core) in &config.differing {
        let _ = writeln!(text, "\n[[machine.core]]\nrow = {row}\ncolumn = {column}");
        for (key, value) in [("units", core.units), ("warps", core.warps)] {
            text += &value.map_or(String::new(), |n| format!("{key} = {n}\n"));
        }
        text += &core.function_unit.map_or(String::new(), |on| format!("function-unit = {on}\n"));
    }
    let (m, l) = (options.memory, options.limits);
    let _ = write!(
        text,
        "\n[memory]\nlatency = {}\njitter = {}\nstall = {}\nseed = {}\n\n[limits]\ncycles = {}\nidle = {}\n",
        m.latency, m.jitter, m.stall, m.seed, l.cycles, l.idle
    );
    text
}

#[cfg(test)]
mod tests {
    use crate::job::dispatches::Dispatches;
    use crate::job::{Job, Size};
    use crate::machine::launch::Launch;
    use crate::random::campaign::{Case, Kind, Settings};

    /// What the machine gets.
    fn launched(l: &Launch) -> impl PartialEq + std::fmt::Debug {
        let threads = l.threads.as_ref().map(|list| (list.base, list.threads.clone()));
        let program = (l.code.clone(), l.code_base, l.constants.clone(), l.functions, l.cutoff);
        let groups = (l.grid, l.group_size, l.pinned, l.shared_bytes, l.locks.clone());
        (program, groups, threads, l.image.clone(), l.graph_semaphores.clone())
    }

    /// The kept job starts the machine as the campaign did: same bits in memory and registers.
    #[test]
    fn a_kept_job_is_the_run_of_the_campaign() {
        let dir = tempfile::tempdir().unwrap();
        let settings = Settings::default();
        let (mut polls, mut mixed) = (0, 0);
        for kind in [Kind::Isa, Kind::Atomics, Kind::Graph, Kind::Wgsl] {
            for seed in 0..12 {
                let case = Case::new(kind, seed, &settings).unwrap();
                let kept = case.kept();
                let job = Job::read(&kept.write(dir.path()).unwrap(), Size::Whole).unwrap();
                let (options, compiler) = job.options(true, &kept.sets, None).unwrap();
                assert_eq!(options.config, case.options.config, "{kind:?} {seed}");
                assert_eq!((options.memory, options.limits), (case.options.memory, case.options.limits));
                let linking = job.linking(&kept.sets).unwrap();
                let ready = Dispatches::of(&job, linking, &compiler, &options.config).unwrap();
                assert!(launched(&ready.first().launch) == launched(&case.launch), "{kind:?} {seed}");
                (polls, mixed) = (polls + kept.sets.len(), mixed + usize::from(options.config.is_mixed()));
            }
        }
        assert!(polls > 0 && mixed > 0, "{polls} {mixed}");
    }
}
