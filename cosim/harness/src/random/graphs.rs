//! Random dependency graphs with a program that notices every wrong order: a thread waits for its
//! predecessors, reads what each of them left, mixes it into its own word and leaves that. What
//! must be in memory afterwards is computed here in topological order; a thread that runs too early
//! reads a zero. Beside that each thread counts in a counter that a semaphore of its own protects
//! (associative: acquired by the program, in any order), with plain loads and stores, so that two
//! threads inside at once lose a count. Limits: one program, a warp's lanes do the same; threads
//! wait once, at their beginning, and are done at their end.

use std::fmt::Write as _;
use std::path::Path;

use quadlock_hdl::config::GpuConfig;
use quadlock_shader::fault::CompilerFault;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::base::error::Input;
use crate::job::prepare::Prepared;
use crate::job::program::{self, CompilerOptions};
use crate::job::{Job, Size};
use crate::random::wgsl::FILE;
use crate::threads::{Graph, Mapping, Plan, PlanError};

/// `LATE` is work before the wait, `WORK` behind it, so that threads arrive and end at any time.
const PROGRAM: &str = "
@group(0) @binding(0) var<storage, read_write> state: array<u32>;
@group(0) @binding(1) var<storage, read> before: array<u32>;
@group(0) @binding(2) var<storage, read_write> counters: array<u32>;
fn spend(turns: u32, seed: u32) -> u32 {
    var x = seed;
    for (var i = 0u; i < turns; i++) { x = x * 1664525u + 1013904223u; }
    return x;
}
@compute @workgroup_size(4)
fn main(@builtin(workgroup_id) thread: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let number = thread.x;
    var word = spend(thread.y & 15u, number * 4u + lane);
    dependencyWait();
    let first = before[number];
    let end = before[number + 1u];
    for (var i = first; i < end; i++) { word = (word ^ state[before[i] * 4u + lane]) * 16777619u; }
    word = spend(thread.y >> 4u, word);
    state[number * 4u + lane] = word | 1u;
    COUNT
    dependencyDone();
}
";

/// Counts in a counter that one of the machine's last semaphores protects.
const COUNT: &str = "let c = number % COUNTERSu;
    semaphoreAcquire(BASEu + c);
    if (lane == 0u) { counters[c] = counters[c] + 1u; }
    semaphoreRelease(BASEu + c);";

const COUNTERS: u32 = 2;

/// A random graph with its program.
#[derive(Clone, Debug)]
pub struct RandomGraph {
    /// Alone decides the graph, for a given machine.
    pub seed: u64,
    threads: u32,
    /// Predecessor, successor; predecessors have lower numbers.
    edges: Vec<(u32, u32)>,
    /// Work before and behind the wait, by thread.
    work: Vec<u32>,
    /// Semaphores for the dependencies.
    most: usize,
    hash: bool,
    /// Semaphore functions are loops that poll.
    pub(crate) polling: bool,
    /// The program counts in shared storage of memory how many threads ran.
    pub count: bool,
}

/// The graph of a seed for a machine with that many semaphores.
pub fn generate(seed: u64, semaphores: usize) -> RandomGraph {
    let mut rng = ChaCha8Rng::seed_from_u64(seed ^ 0x6EA9_4001);
    let largest = [6, 20, 48][rng.random_range(0..3)];
    let threads: u32 = rng.random_range(1..=largest);
    let density = [3, 10, 30, 80][rng.random_range(0..4)];
    let near = [2, 8, threads][rng.random_range(0..3)];
    let mut edges = Vec::new();
    for to in 0..threads {
        let some = (to.saturating_sub(near)..to).filter(|_| rng.random_range(0..100) < density);
        edges.extend(some.map(|from| (from, to)));
    }
    let work = (0..threads).map(|_| rng.random_range(0..16) | rng.random_range(0..16) << 4).collect();
    let count = rng.random_range(0..3) == 0;
    let free = semaphores.saturating_sub(if count { COUNTERS as usize } else { 0 }).max(1);
    let most = [1, 2, 5, free][rng.random_range(0..4)].min(free);
    RandomGraph {
        seed,
        threads,
        edges,
        work,
        most,
        hash: rng.random_range(0..4) == 0,
        polling: rng.random_range(0..5) == 0,
        count,
    }
}

/// The graph of a seed for a machine of that configuration. Where only the owner releases (SE-22,
/// option A) not every graph can be planned: one that is refused gets its edges replaced by chains
/// and 1:N, which always can. Hashed semaphores are left out there, since the hash would put
/// threads together that do not fit.
pub fn generate_for(seed: u64, config: &GpuConfig) -> RandomGraph {
    let mut graph = generate(seed, config.semaphores.semaphores);
    // A thread that acquires needs an entry beside those of the waiting threads, or all may wait
    // for one.
    graph.count &= config.semaphores.pool >= 256;
    // One with dependencies only ends if the pool has room for the requests of one thread (SE-12):
    // one for each semaphore at most.
    graph.most = graph.most.min(config.semaphores.pool);
    if config.semaphores.any_may_release || graph.polling {
        return graph;
    }
    graph.hash = false;
    if graph.is_refused_to_owners() {
        graph.take_simple_edges();
    }
    graph
}

impl RandomGraph {
    /// Whether no plan lets every release be by the owner.
    fn is_refused_to_owners(&self) -> bool {
        let plan = Graph::new(self.threads as usize, &self.edges)
            .map_err(PlanError::Graph)
            .and_then(|graph| Plan::new(&graph, None, Mapping::Least, self.most, true));
        matches!(plan, Err(PlanError::OwnerOnly(_)))
    }

    /// Takes chains and 1:N instead of its edges: at most as many as there are semaphores, of some
    /// threads in a row each.
    fn take_simple_edges(&mut self) {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed ^ 0x6EA9_4003);
        let parts = rng.random_range(1..=self.most.min(8)) as u32;
        let size = self.threads.div_ceil(parts);
        self.edges.clear();
        for first in (0..self.threads).step_by(size as usize) {
            let last = (first + size).min(self.threads);
            let chain = rng.random_range(0..2) == 0;
            self.edges.extend((first + 1..last).map(|to| (if chain { to - 1 } else { first }, to)));
        }
    }

    /// The program's text.
    pub fn text(&self, semaphores: usize) -> String {
        let count = if self.count { COUNT } else { "" };
        let base = semaphores.saturating_sub(COUNTERS as usize);
        PROGRAM
            .replace("COUNT\n", &format!("{count}\n"))
            .replace("COUNTERS", &COUNTERS.to_string())
            .replace("BASE", &base.to_string())
    }

    fn predecessors(&self, thread: u32) -> impl Iterator<Item = u32> + '_ {
        self.edges.iter().filter(move |e| e.1 == thread).map(|e| e.0)
    }

    /// Words that the threads leave, and the counters.
    fn expected(&self) -> (Vec<u32>, Vec<u32>) {
        let spend =
            |turns: u32, x: u32| (0..turns).fold(x, |x, _| x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223));
        let mut state = vec![0u32; 4 * self.threads as usize];
        for t in 0..self.threads {
            let work = self.work[t as usize];
            for lane in 0..4 {
                let mut word = spend(work & 15, t * 4 + lane);
                for p in self.predecessors(t) {
                    word = (word ^ state[(p * 4 + lane) as usize]).wrapping_mul(16_777_619);
                }
                state[(t * 4 + lane) as usize] = spend(work >> 4, word) | 1;
            }
        }
        let counters =
            (0..COUNTERS)
                .map(|c| if self.count { (c..self.threads).step_by(COUNTERS as usize).count() as u32 } else { 0 });
        (state, counters.collect())
    }

    /// The job: graph, data, and what must come out.
    ///
    /// # Errors
    /// Never, unless the generator is wrong.
    pub fn job(&self, config: &GpuConfig) -> Input<Job> {
        Job::parse(Path::new("random.toml"), self.job_text(config), Size::Whole)
    }

    /// The job's file, for a machine with those semaphores.
    pub(crate) fn job_text(&self, config: &GpuConfig) -> String {
        let (state, counters) = self.expected();
        let mut lists: Vec<u32> = Vec::new();
        let mut starts = vec![self.threads + 1];
        for t in 0..self.threads {
            lists.extend(self.predecessors(t));
            starts.push(self.threads + 1 + lists.len() as u32);
        }
        starts.extend(lists);
        let data: Vec<u32> = self.work.iter().enumerate().flat_map(|(t, &w)| [t as u32, w]).collect();
        let edges: Vec<[u32; 2]> = self.edges.iter().map(|&(a, b)| [a, b]).collect();
        let mapping = if self.hash { "{ hash = \"y\" }" } else { "\"least\"" };
        let mut t =
            format!("name = \"graph-{}\"\nshader = \"{FILE}\"\n[graph]\nthreads = {}\n", self.seed, self.threads);
        let _ = writeln!(t, "edges = {edges:?}\ndata = {{ inline = {data:?} }}\nsemaphores = {}", self.most);
        let _ = writeln!(t, "mapping = {mapping}");
        if self.count {
            let last = config.semaphores.semaphores as u32;
            let _ = writeln!(t, "reserve = {:?}", (last - COUNTERS..last).collect::<Vec<_>>());
        }
        for (binding, words) in [(0, &state), (2, &counters)] {
            let _ = writeln!(t, "[[buffer]]\nbinding = {binding}\nfrom = {{ zero = {} }}", 4 * words.len());
            let _ = writeln!(t, "expect = {{ from = {{ inline = {words:?} }} }}");
        }
        let _ = writeln!(t, "[[buffer]]\nbinding = 1\nfrom = {{ inline = {starts:?} }}");
        t
    }

    /// Compiles it and lays it out.
    ///
    /// # Errors
    /// The compiler refuses it: a mistake of the generator or of the compiler.
    pub fn prepare(&self, config: &GpuConfig, fault: Option<CompilerFault>) -> Input<(Job, Prepared)> {
        let job = self.job(config)?;
        let options = CompilerOptions { fault, polling: self.polling, ..Default::default() };
        let text = self.text(config.semaphores.semaphores);
        let binary = program::compile(Path::new(FILE), text.as_bytes(), None, &options)?.binary;
        let prepared = job.prepare(&binary, config)?;
        Ok((job, prepared))
    }

    /// The graph without its last threads, or without an edge, for shrinking: the `i`-th attempt;
    /// `None` behind the last.
    pub fn smaller(&self, i: usize) -> Option<RandomGraph> {
        let mut small = self.clone();
        match i {
            0 if self.threads > 1 => small.threads = self.threads.div_ceil(2),
            1 if self.threads > 1 => small.threads -= 1,
            2 if self.count => small.count = false,
            0..3 => return self.smaller(i + 1),
            _ => {
                small.edges.get(i - 3)?;
                small.edges.remove(i - 3);
            }
        }
        small.work.truncate(small.threads as usize);
        small.edges.retain(|e| e.1 < small.threads);
        Some(small)
    }

    /// What it is, for a report.
    pub fn describe(&self) -> String {
        let Self { threads, edges, work, most, hash, polling, count, .. } = self;
        format!("{threads} threads, at most {most} semaphores, hash {hash}, polling {polling}, counters {count}\nedges {edges:?}\nwork {work:?}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lockstep::Options;
    use crate::report::Verdict;
    use crate::simulate;

    /// The model alone keeps every graph, on machines of any size; the RTL's turn is
    /// `quadlock fuzz --graphs`.
    #[test]
    fn the_model_leaves_what_every_graph_must_leave() {
        let (mut polling, mut counting) = (0, 0);
        for seed in 0..60 {
            let mut options = Options::default();
            options.config.units = 1 + seed as usize % 2;
            options.config.warps = [2, 3, 8][seed as usize % 3];
            let graph = generate(seed, options.config.semaphores.semaphores);
            polling += u32::from(graph.polling);
            counting += u32::from(graph.count);
            let prepared = graph.prepare(&options.config, None).unwrap().1;
            let done = simulate::golden(&prepared.launch, &options);
            assert_eq!(done.report.verdict, Verdict::Pass, "seed {seed}\n{}", done.report.text());
            assert_eq!(prepared.compare(&done.image), Vec::<String>::new(), "seed {seed}");
        }
        assert!(polling > 5 && counting > 10, "{polling} {counting}");
    }

    /// Option A: what the planner refuses becomes chains and 1:N, never an error; some graphs stay
    /// as drawn.
    #[test]
    fn where_only_the_owner_releases_every_seed_has_a_graph() {
        let (mut drawn, mut replaced) = (0, 0);
        for seed in 0..120 {
            let mut config = GpuConfig::default();
            config.semaphores.semaphores = [4, 16, 64][seed as usize % 3];
            config.semaphores.any_may_release = false;
            let graph = generate_for(seed, &config);
            assert_eq!(graph.edges, generate_for(seed, &config).edges, "seed {seed}");
            if let Err(e) = graph.prepare(&config, None) {
                panic!("seed {seed}: {e}\n{}", graph.describe());
            }
            let same = graph.edges == generate(seed, config.semaphores.semaphores).edges;
            drawn += u32::from(same && !graph.polling && !graph.edges.is_empty());
            replaced += u32::from(!same);
        }
        assert!(drawn > 10 && replaced > 10, "{drawn} {replaced}");
    }

    /// A wait that does not wait is seen in memory.
    #[test]
    fn a_wait_that_is_skipped_changes_the_result() {
        let fault = quadlock_golden::Fault::ALL.iter().find(|f| f.1 == "wait-skipped").unwrap().0;
        let options = Options { model_fault: Some(fault), ..Options::default() };
        let wrong = (0..40).filter(|&seed| {
            let prepared = generate(seed, 64).prepare(&options.config, None).unwrap().1;
            let done = simulate::golden(&prepared.launch, &options);
            !done.report.passed() || !prepared.compare(&done.image).is_empty()
        });
        assert!(wrong.count() > 5);
    }

    #[test]
    fn shrinking_ends() {
        let mut graph = generate(3, 64);
        let mut steps = 0;
        while let Some(small) = graph.smaller(0) {
            assert!(small.prepare(&GpuConfig::default(), None).is_ok());
            graph = small;
            steps += 1;
            assert!(steps < 2000);
        }
    }
}
