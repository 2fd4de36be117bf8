//! `[graph]` of a job file: threads that depend on each other (SE-52). The graph is read or drawn
//! from a named pattern, planned (`graph`), and laid out in memory: thread records for the
//! dispatcher, lists of semaphores to release, and for a program compiled with polling semaphores
//! flags, lists of flags to wait for and the lock table.
//!
//! The dependency word, which each thread finds in its data word z (docs/semaphores.md), is wrong
//! in silence if its layout here differs from the compiler's
//! (`shader/src/front/lower/semaphores.rs`); the examples and the random graphs would hang or read
//! what is not there yet.

use std::collections::BTreeSet;

use quadlock_hdl::config::GpuConfig;
use quadlock_isa::thread::ThreadRecord;
use quadlock_shader::interface::Interface;

use super::data::{to_words, Source};
use super::own;
use super::spec::graph::{Coordinate, MappingSpec};
use super::Job;
use crate::base::error::Input;
use crate::machine::launch::{Launch, ThreadList};
use crate::machine::layout::Region;
use crate::report::GraphFigures;
use crate::threads::{Graph, GraphError, Mapping, Plan, PlanError, MAX_EDGES, MAX_THREADS};

/// Identifiers that the dependency word holds itself.
const INLINE_IDS: usize = 2;
const ID_BITS: u32 = 10;
const IN_LIST: u32 = 3;

/// Threads ready to be laid out.
#[derive(Clone, Debug)]
pub struct Threads {
    plan: Plan,
    /// By thread number.
    data: Vec<[u32; 2]>,
    polling: bool,
}

/// Sizes of the regions that a list of threads needs, in bytes: records, lists, flags.
pub type Sizes = [u32; 3];

impl Job {
    /// A thread of a graph or of a list is one warp.
    pub(super) fn check_one_warp(&self, interface: &Interface) -> Input<()> {
        if interface.group_size == [4, 1, 1] {
            return Ok(());
        }
        let what = format!("the program's work group is {:?}; a thread of a graph is one warp", interface.group_size);
        Err(self.error(self.spec.shader.span(), what, "write @workgroup_size(4, 1, 1)"))
    }

    /// The threads of `[graph]` for a program and a machine; `None` for a job with a grid.
    ///
    /// # Errors
    /// A graph that cannot be, or does not fit program or machine, with its place in the job file.
    pub fn graph_threads(&self, interface: &Interface, config: &GpuConfig) -> Input<Option<Threads>> {
        let Some(spec) = &self.spec.graph else {
            if interface.semaphores.polling && interface.semaphores.dependencies {
                let help =
                    "give the job a [graph], or leave out semaphores=polling: without it there is nothing to wait for";
                let what = "a program with dependencies and polling semaphores needs the flags of a graph";
                return Err(self.error(self.spec.shader.span(), what, help));
            }
            return Ok(None);
        };
        let (span, spec) = (spec.span(), spec.get_ref());
        let fail = |what: String, help: &str| self.error(span.clone(), what, help);
        self.check_one_warp(interface)?;
        let load = |source: &Source, most: usize| {
            if let Some(words) = source.made_words().filter(|&n| n > most as u64) {
                let help = format!("a graph has at most {MAX_THREADS} threads and {MAX_EDGES} edges, two words each");
                return Err(fail(format!("{words} words of threads or edges"), &help));
            }
            let loaded = source.load(&|p| self.resolve(p), 4 * most as u64);
            loaded.map(|b| to_words(&b)).map_err(|e| fail(e.message().to_owned(), "see [graph] in docs/jobs.md"))
        };
        let given = match &spec.data {
            Some(source) => Some(
                pairs(load(source, 2 * MAX_THREADS)?)
                    .ok_or_else(|| fail("`data` has an odd number of words".into(), "give x and y of each thread"))?,
            ),
            None => None,
        };
        let (graph, rank, drawn) = match spec.pattern {
            Some(name) => {
                if spec.threads.is_some() || spec.edges.is_some() || spec.edges_from.is_some() {
                    return Err(fail(
                        "a graph has either a pattern or threads and edges".into(),
                        "give one of the two",
                    ));
                }
                let drawn = spec.pattern(name).and_then(|p| p.draw(spec.copies.unwrap_or(1)));
                let drawn = drawn.map_err(|e| fail(e, "the patterns are in docs/jobs.md"))?;
                (Graph::new(drawn.threads, &drawn.edges), Some(drawn.rank), drawn.data)
            }
            None => {
                if let Some((name, _)) = spec.parameters().iter().find(|(_, given)| *given) {
                    return Err(fail(format!("`{name}` belongs to a pattern"), "add pattern = .., or remove it"));
                }
                let edges = match (&spec.edges, &spec.edges_from) {
                    (Some(edges), None) => edges.iter().map(|e| e.0).collect(),
                    (None, Some(source)) => pairs(load(source, 2 * MAX_EDGES)?).ok_or_else(|| {
                        fail(
                            "`edges-from` has an odd number of words".into(),
                            "give predecessor and successor of each edge",
                        )
                    })?,
                    (None, None) => Vec::new(),
                    _ => return Err(fail("edges are given twice".into(), "give `edges` or `edges-from`")),
                };
                let edges: Vec<(u32, u32)> = edges.into_iter().map(|[a, b]| (a, b)).collect();
                let count = spec.threads.map(|n| n as usize).or(given.as_ref().map(Vec::len));
                let Some(count) = count else {
                    return Err(fail("a graph without its number of threads".into(), "add threads = N, or data"));
                };
                if count > MAX_THREADS {
                    return Err(fail(GraphError::Size(count).to_string(), "threads and edges are counted from 0"));
                }
                (Graph::new(count, &edges), None, (0..count as u32).map(|t| [t, 0]).collect())
            }
        };
        let graph = graph.map_err(|e| fail(e.to_string(), "threads and edges are counted from 0"))?;
        let data = given.unwrap_or(drawn);
        if data.len() != graph.threads() {
            let what = format!("data of {} threads for {} threads", data.len(), graph.threads());
            return Err(fail(what, "give x and y of each thread"));
        }
        let keys: Vec<u32> = match spec.mapping {
            Some(MappingSpec::Hash(Coordinate::Y)) => data.iter().map(|d| d[1]).collect(),
            _ => data.iter().map(|d| d[0]).collect(),
        };
        let mapping = match spec.mapping {
            Some(MappingSpec::Hash(_)) => Mapping::Hash(&keys),
            _ => Mapping::Least,
        };
        let free = own::free(&spec.reserve, config.semaphores.semaphores);
        let free = free.map_err(|e| fail(e, "correct `reserve`, or set [machine] semaphores higher"))?;
        if free.is_empty() {
            return Err(fail("all semaphores are reserved".into(), "leave at least one to the graph"));
        }
        let most = spec.semaphores.unwrap_or(usize::MAX).min(free.len());
        if most == 0 {
            return Err(fail("`semaphores` is 0".into(), "give at least 1"));
        }
        let polling = interface.semaphores.polling;
        let owner_only = !polling && !config.semaphores.any_may_release;
        let plan = Plan::new(&graph, rank.as_deref(), mapping, most, owner_only).map_err(|e| {
            let help = match e {
                PlanError::Graph(_) => "remove an edge of the circle",
                PlanError::OwnerOnly(_) => "set [machine] semaphore-release = \"any\", or allow more semaphores",
            };
            fail(e.to_string(), help)
        })?;
        Ok(Some(Threads { plan: plan.numbered(&free), data, polling }))
    }
}

fn pairs(words: Vec<u32>) -> Option<Vec<[u32; 2]>> {
    let pairs = words.chunks_exact(2);
    pairs.remainder().is_empty().then(|| pairs.map(|p| [p[0], p[1]]).collect())
}

impl Threads {
    pub fn count(&self) -> usize {
        self.plan.threads.len()
    }

    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The numbers of the semaphores that the graph uses, ascending; none with polling.
    pub fn semaphores(&self) -> Vec<u16> {
        let requests = self.plan.threads.iter().flat_map(|t| &t.requests).filter(|_| !self.polling);
        requests.map(|r| r.semaphore).collect::<BTreeSet<u16>>().into_iter().collect()
    }

    /// For the report.
    pub fn figures(&self) -> GraphFigures {
        let semaphores = if self.polling { 0 } else { self.plan.semaphores };
        let semaphores_wanted = self.plan.wanted.filter(|_| !self.polling);
        let semaphore_numbers = own::ranges(&self.semaphores());
        GraphFigures { threads: self.count(), semaphores, semaphores_wanted, semaphore_numbers }
    }

    /// Bytes of records, lists and flags.
    pub fn sizes(&self) -> Sizes {
        let records = self.records(Region { addr: 0, size: 0 }, Region { addr: 0, size: 0 }).0;
        let bytes = |words: usize| 4 * words as u32;
        let (records, lists) = (records.iter().map(|r| r.words().len()).sum(), self.lists(0, 0).1.len());
        [bytes(records), bytes(lists), if self.polling { bytes(self.count()) } else { 0 }]
    }

    /// For each thread in the order of dispatch its dependency word, and the words of the lists,
    /// which begin at word address `lists`; flags begin at word address `flags`.
    fn lists(&self, lists: u32, flags: u32) -> (Vec<u32>, Vec<u32>) {
        let mut words = Vec::new();
        let mut dependency = Vec::new();
        for needs in &self.plan.threads {
            let here = lists + words.len() as u32;
            if self.polling {
                words.push(flags + needs.thread);
                words.push(needs.predecessors.len() as u32);
                words.extend(needs.predecessors.iter().map(|p| flags + p));
                dependency.push(here);
            } else if needs.releases.len() > INLINE_IDS {
                words.push(needs.releases.len() as u32);
                words.extend(needs.releases.iter().map(|&s| u32::from(s)));
                dependency.push(IN_LIST << 30 | here);
            } else {
                let ids = needs.releases.iter().enumerate();
                let packed = ids.fold(0, |w, (i, &s)| w | u32::from(s) << (ID_BITS * i as u32));
                dependency.push((needs.releases.len() as u32) << 30 | packed);
            }
        }
        (dependency, words)
    }

    fn records(&self, lists: Region, flags: Region) -> (Vec<ThreadRecord>, Vec<u32>) {
        let (dependency, words) = self.lists(lists.addr / 4, flags.addr / 4);
        let records = self.plan.threads.iter().zip(dependency).map(|(needs, z)| {
            let [x, y] = self.data[needs.thread as usize];
            // A polling thread asks for nothing: it finds what it waits for in memory.
            let requests = if self.polling { Vec::new() } else { needs.requests.clone() };
            ThreadRecord { pc: 0, mask: 15, data: [x, y, z], requests }
        });
        (records.collect(), words)
    }

    /// Puts everything into a launch's memory, at regions of [`Threads::sizes`].
    pub fn place(&self, launch: &mut Launch, [records, lists, flags]: [Region; 3]) {
        let (threads, words) = self.records(lists, flags);
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        if let Some(place) = launch.image.slice_mut(lists.addr, bytes.len()) {
            place.copy_from_slice(&bytes);
        }
        launch.threads = Some(ThreadList { base: records.addr, threads });
        launch.graph_semaphores = self.semaphores();
        launch.place_threads();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::program::{self, CompilerOptions};
    use crate::job::Size;
    use crate::simulate;
    use quadlock_hdl::config::SemaphoreConfig;
    use std::path::Path;

    const SHADER: &str = "@group(0) @binding(0) var<storage, read_write> m: array<u32>;
        @compute @workgroup_size(4) fn main(@builtin(workgroup_id) g: vec3<u32>, @builtin(local_invocation_index) l: u32) {
            dependencyWait();
            m[4u * g.x + l] = m[4u * max(g.x, 1u) - 4u + l] + 1u;
            dependencyDone();
        }";

    fn binary(polling: bool) -> quadlock_shader::ShaderBinary {
        let options = CompilerOptions { polling, ..Default::default() };
        program::compile(Path::new("a.wgsl"), SHADER.as_bytes(), None, &options).unwrap().binary
    }

    fn job(graph: &str) -> Input<Job> {
        let text = format!(
            "name = \"g\"\nshader = \"a.wgsl\"\n[[buffer]]\nbinding = 0\nfrom = {{ zero = 400 }}\n[graph]\n{graph}"
        );
        Job::parse(Path::new("job.toml"), text, Size::Whole)
    }

    fn refused(graph: &str) -> String {
        job(graph).and_then(|j| j.prepare(&binary(false), &GpuConfig::default())).unwrap_err().to_string()
    }

    fn words(launch: &Launch, word: u32, count: usize) -> Vec<u32> {
        to_words(launch.image.slice(word * 4, count * 4).unwrap())
    }

    #[test]
    fn a_chain_runs_in_order_with_semaphores_and_by_polling() {
        for polling in [false, true] {
            let job = job("pattern = \"chain\"\nlength = 25").unwrap();
            let options = crate::lockstep::Options::default();
            let prepared = job.prepare(&binary(polling), &options.config).unwrap();
            let done = simulate::golden(&prepared.launch, &options);
            assert!(done.report.passed(), "{}", done.report.text());
            let expected: Vec<u32> = (0..100).map(|i| i / 4 + 1).collect();
            assert_eq!(to_words(prepared.buffers[0].contents(&done.image)), expected, "polling {polling}");
            assert_eq!(prepared.launch.polling.is_empty(), !polling);
        }
    }

    #[test]
    fn records_hold_data_requests_and_the_dependency_word() {
        let job = job("threads = 3\nedges = [[0, 1], [1, 2]]\ndata = { inline = [5, 6, 7, 8, 9, 10] }").unwrap();
        let prepared = job.prepare(&binary(false), &GpuConfig::default()).unwrap();
        let list = prepared.launch.threads.as_ref().unwrap();
        assert_eq!(list.base % 16, 0);
        let z: Vec<[u32; 3]> = list.threads.iter().map(|t| t.data).collect();
        assert_eq!(z, [[5, 6, 1 << 30], [7, 8, 1 << 30], [9, 10, 0]]);
        assert_eq!(words(&prepared.launch, list.base / 4, 5), [0x001F_0000, 5, 6, 1 << 30, 1 << 17]);
    }

    /// More than two semaphores to release are in a list in memory.
    #[test]
    fn long_lists_are_in_memory() {
        // Thread 0 is in four pairs with a second predecessor each, which cannot share a semaphore.
        let edges = "edges = [[0, 5], [1, 5], [0, 6], [2, 6], [0, 7], [3, 7], [0, 8], [4, 8]]\nthreads = 9";
        let prepared = job(edges).unwrap().prepare(&binary(false), &GpuConfig::default()).unwrap();
        let list = prepared.launch.threads.as_ref().unwrap();
        let plan = prepared.threads.as_ref().unwrap().plan().clone();
        let long = plan.threads.iter().position(|t| t.releases.len() > 2).expect("a thread with many releases");
        let z = list.threads[long].data[2];
        assert_eq!(z >> 30, 3);
        let releases: Vec<u32> = plan.threads[long].releases.iter().map(|&s| u32::from(s)).collect();
        let found = words(&prepared.launch, z & 0x3FFF_FFFF, releases.len() + 1);
        assert_eq!((found[0] as usize, &found[1..]), (releases.len(), &releases[..]));
    }

    #[test]
    fn polling_threads_find_flags_and_ask_for_nothing() {
        let job = job("pattern = \"fan-in\"\ncount = 2").unwrap();
        let prepared = job.prepare(&binary(true), &GpuConfig::default()).unwrap();
        let list = prepared.launch.threads.as_ref().unwrap();
        assert!(list.threads.iter().all(|t| t.requests.is_empty()));
        let own = |t: usize| words(&prepared.launch, list.threads[t].data[2], 1)[0];
        assert_eq!(words(&prepared.launch, list.threads[2].data[2], 4), [own(2), 2, own(0), own(1)]);
        assert_eq!(words(&prepared.launch, own(0), 3), [0, 0, 0]);
    }

    #[test]
    fn what_cannot_be_is_refused_with_its_place() {
        for (graph, what) in [
            ("pattern = \"chain\"", "the pattern needs `length`"),
            ("pattern = \"chain\"\nlength = 3\ncount = 3", "the pattern has no `count`"),
            ("pattern = \"chain\"\nlength = 3\nthreads = 3", "either a pattern or threads"),
            ("threads = 3\nlength = 3", "`length` belongs to a pattern"),
            ("edges = [[0, 1]]", "without its number of threads"),
            ("threads = 3\nedges = [[0, 1], [1, 3]]", "edge 1: there is no thread 3"),
            ("threads = 3\nedges = [[0, 1], [1, 0]]", "in a circle: "),
            ("threads = 3\ndata = { inline = [1, 2] }", "data of 1 threads for 3 threads"),
            ("threads = 3\ndata = { inline = [1, 2, 3] }", "odd number of words"),
            ("threads = 3\nsemaphores = 0", "`semaphores` is 0"),
        ] {
            let e = refused(graph);
            assert!(e.starts_with("job.toml:6:1: ") && e.contains(what), "{graph}: {e}");
        }
        assert!(refused("threads = 3\nmapping = \"most\"").starts_with("job.toml:8:"));
        // Too large to lay out, found before memory is taken for it.
        for (graph, what) in [
            ("threads = 4000000000", "4000000000 threads; a graph has 1 to 32768"),
            ("threads = 3\nedges-from = { iota = 4294967295 }", "4294967295 words of threads or edges"),
            ("data = { zero = 4294967288 }", "1073741822 words of threads or edges"),
            ("pattern = \"all-to-all\"\nfrom = 16000\nto = 16000", "256000000 edges; a graph has at most"),
            ("threads = 3\nedges = [[0, 1, 9]]", "a list of 3 where 2 are needed"),
            ("threads = 3\nedges = [[0]]", "a list of 1 where 2 are needed"),
            ("pattern = \"wavefront\"\nsize = [2, 2, 5]", "a list of 3 where 2 are needed"),
        ] {
            let e = refused(graph);
            assert!(e.starts_with("job.toml:") && e.contains(what), "{e}");
        }
        let e = Job::parse(
            Path::new("j"),
            "name = \"g\"\nshader = \"a\"\ngrid = [1, 1, 1]\n[graph]\nthreads = 1".into(),
            Size::Whole,
        );
        assert!(e.unwrap_err().message().contains("exactly one of `grid`, `threads`, [graph]"));
    }

    #[test]
    fn where_only_the_owner_releases_a_fan_in_needs_a_semaphore_for_each() {
        let semaphores = SemaphoreConfig { semaphores: 4, any_may_release: false, ..Default::default() };
        let config = GpuConfig { semaphores, ..Default::default() };
        let with = |count: u32| {
            job(&format!("pattern = \"fan-in\"\ncount = {count}")).unwrap().prepare(&binary(false), &config)
        };
        assert!(with(4).is_ok());
        assert!(with(5).unwrap_err().to_string().contains("only the owner releases"));
    }

    #[test]
    fn a_program_that_polls_for_dependencies_needs_a_graph() {
        let text =
            "name = \"g\"\nshader = \"a.wgsl\"\ngrid = [1, 1, 1]\n[[buffer]]\nbinding = 0\nfrom = { zero = 400 }";
        let job = Job::parse(Path::new("job.toml"), text.into(), Size::Whole).unwrap();
        assert!(job.prepare(&binary(false), &GpuConfig::default()).is_ok());
        let e = job.prepare(&binary(true), &GpuConfig::default()).unwrap_err().to_string();
        assert!(e.starts_with("job.toml:2:10: ") && e.contains("needs the flags of a graph"), "{e}");
    }
}
