//! The lists of semaphores in the waves of a real graph job, read by `wellen`, against lists that
//! the golden model's semaphores keep, fed from the same events: in every cycle of the trace each
//! place and length must be the model's. Also where a trace begins in mid-run, by a window or by
//! going back from a failure.

use std::collections::{BTreeMap, VecDeque};
use std::path::Path;

use quadlock::engine::Engine;
use quadlock::job::program::{self, CompilerOptions};
use quadlock::job::{Job, Size};
use quadlock::lockstep::{self, End, Observer, Options};
use quadlock::machine::launch::Launch;
use quadlock::machine::ports::{ListOpKind, MessageKind, Outputs};
use quadlock::machine::signals::Window;
use quadlock::observe::gtkw;
use quadlock::observe::wave::{Trace, CYCLE_TIME};
use quadlock::random::graphs;
use quadlock::simulate::Simulator;
use quadlock_golden::semaphores::{Message, MessageKind as Sent, Operation, Semaphores};
use quadlock_hdl::config::GpuConfig;

/// By semaphore: (thread, released), head first.
type Lists = BTreeMap<u16, Vec<(u16, bool)>>;

/// Keeps the model's lists beside the machine and writes a trace.
struct Watch {
    trace: Option<Trace>,
    model: Semaphores,
    /// Messages at the entity: acquires, releases.
    waiting: [VecDeque<Message>; 2],
    /// What the message in hand has still to do: a machine takes a cycle for each removed head.
    rest: VecDeque<Operation>,
    /// The lists behind the operation of a cycle, where no message is half done.
    seen: BTreeMap<u64, Lists>,
}

impl Watch {
    fn new(config: &GpuConfig, trace: Option<Trace>) -> Self {
        let s = &config.semaphores;
        let model = Semaphores::new(s.semaphores, s.any_may_release, None);
        Self { trace, model, waiting: Default::default(), rest: VecDeque::new(), seen: BTreeMap::new() }
    }

    fn follow(&mut self, cycle: u64, outputs: &Outputs) {
        for e in &outputs.bus {
            let kind = match e.kind {
                MessageKind::Acquire => Sent::Acquire { auto_release: e.auto, suppress: e.suppress },
                MessageKind::Release => Sent::Release,
                _ => continue,
            };
            let message = Message { kind, semaphore: e.semaphore, thread: e.thread };
            self.waiting[usize::from(kind == Sent::Release)].push_back(message);
        }
        if let Some(op) = outputs.list_op {
            if self.rest.is_empty() {
                let port = usize::from(matches!(op.kind, ListOpKind::Removed | ListOpKind::Marked));
                // Acquires of other semaphores may have been passed (SE-12); those of one keep
                // their order.
                let queue = &mut self.waiting[port];
                let place = queue.iter().position(|m| m.semaphore == op.semaphore);
                let message = place.and_then(|p| queue.remove(p)).expect("an operation has its message");
                self.rest.extend(self.model.apply(&message));
            }
            self.rest.pop_front();
        }
        if self.rest.is_empty() {
            let list =
                |l: &VecDeque<quadlock_golden::semaphores::Entry>| l.iter().map(|e| (e.thread, e.released)).collect();
            self.seen.insert(cycle, self.model.in_use().map(|(s, l)| (s, list(l))).collect());
        }
    }
}

impl Observer for Watch {
    fn cycle(&mut self, cycle: u64, engine: &mut dyn Engine) {
        if let Some(trace) = &mut self.trace {
            trace.cycle(cycle, engine);
        }
        self.follow(cycle, engine.outputs());
    }
}

/// Only writes a trace.
struct Tracing(Trace);

impl Observer for Tracing {
    fn cycle(&mut self, cycle: u64, engine: &mut dyn Engine) {
        self.0.cycle(cycle, engine);
    }
}

fn ordered_z() -> (Launch, Options) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/ordered-z/job.toml");
    let job = Job::read(&path, Size::Small).unwrap();
    let (memory, limits) = (job.spec.memory, job.spec.limits);
    let options = Options { config: job.config(None, None).unwrap(), memory, limits, model: true, model_fault: None };
    let binary = program::of_job(&job, &CompilerOptions::default()).unwrap();
    (job.prepare(&binary, &options.config).unwrap().launch, options)
}

/// Value of a variable in each cycle from `from` on.
fn values(wave: &mut wellen::simple::Waveform, name: &str, from: u64, to: u64) -> Vec<u128> {
    values_of(wave, &["quadlock", "lists"], name, from, to)
}

fn values_of(wave: &mut wellen::simple::Waveform, scope: &[&str], name: &str, from: u64, to: u64) -> Vec<u128> {
    let var = wave.hierarchy().lookup_var(scope, name).unwrap_or_else(|| panic!("no {name}"));
    let signal = wave.hierarchy()[var].signal_ref();
    wave.load_signals(&[signal]);
    let times = wave.time_table().to_vec();
    let changes: Vec<(u64, u128)> = wave
        .get_signal(signal)
        .unwrap()
        .iter_changes()
        .map(|(t, v)| (times[t as usize], u128::from_str_radix(&v.to_bit_string().unwrap(), 2).unwrap()))
        .collect();
    let at = |cycle: u64| changes[changes.partition_point(|c| c.0 <= cycle * CYCLE_TIME) - 1].1;
    (from..to).map(at).collect()
}

/// Compares a trace with the model's lists in the cycles `from` to `to`; the most entries that a
/// list had, and whether one behind the head was released.
fn compare(path: &Path, config: &GpuConfig, seen: &BTreeMap<u64, Lists>, from: u64, to: u64) -> (usize, bool) {
    let mut wave = wellen::simple::read(path).unwrap();
    let (mut longest, mut released) = (0, false);
    for semaphore in 0..config.semaphores.semaphores as u16 {
        let places = values(&mut wave, &format!("semaphore_{semaphore}"), from, to);
        let lengths = values(&mut wave, &format!("length_{semaphore}"), from, to);
        for (cycle, lists) in seen.range(from..to) {
            let list = lists.get(&semaphore).map_or(&[][..], Vec::as_slice);
            let text = format!("semaphore {semaphore} in cycle {cycle}: {list:?}");
            assert_eq!(lengths[(cycle - from) as usize], list.len() as u128, "{text}");
            for place in 0..8 {
                let shown = places[(cycle - from) as usize] >> (12 * place) & 0xFFF;
                let expected = list.get(place).map_or(0, |&(t, r)| 0x800 | u128::from(r) << 10 | u128::from(t));
                assert_eq!(shown, expected, "place {place} of {text}");
            }
            longest = longest.max(list.len());
            released |= list.iter().skip(1).any(|e| e.1);
        }
    }
    (longest, released)
}

#[test]
fn lists_in_the_waves_are_the_models_from_any_cycle_on() {
    let dir = tempfile::tempdir().unwrap();
    let (launch, options) = ordered_z();
    for (name, from, to) in [("a.vcd", 0, 8000), ("b.fst", 6000, 12_000)] {
        let path = dir.path().join(name);
        let mut engine = Simulator::Rtlsim.engine(&options.config).unwrap();
        let scopes = vec!["quadlock.lists".to_owned()];
        let window = Window { from, to: Some(to - 1), scopes, limit: None };
        let trace = Trace::create(&path, &mut *engine, window).unwrap();
        let mut watch = Watch::new(&options.config, Some(trace));
        let mut short = options.clone();
        short.limits.cycles = to + 10;
        lockstep::run(&mut *engine, &launch, &short, &mut watch);
        let traced = watch.trace.take().unwrap().finish(&mut *engine).unwrap();
        // The number of the cycle is in every trace.
        assert_eq!(traced.signals.len(), 2 * options.config.semaphores.semaphores + 1);
        let (longest, _) = compare(&path, &options.config, &watch.seen, from, to);
        assert!(longest >= 3, "{longest}");
        // The view has a group of them, made again from the header too.
        gtkw::write(&path, &traced, None).unwrap();
        let view = || std::fs::read_to_string(path.with_extension("gtkw")).unwrap();
        let first = view();
        assert!(
            first.contains("@800200\n-lists\n")
                && first.contains("#{semaphore 3: next} (72)quadlock.lists.semaphore_3[95:0]")
        );
        gtkw::write(&path, &gtkw::read_traced(&path).unwrap(), None).unwrap();
        assert_eq!(view(), first);
    }
}

#[test]
fn a_replay_of_a_failure_knows_the_lists() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("failure.fst");
    let (launch, mut options) = ordered_z();
    options.limits.cycles = 12_500;
    let mut engine = Simulator::Rtlsim.engine(&options.config).unwrap();
    let mut watch = Watch::new(&options.config, None);
    let (result, checkpoint) = lockstep::run_kept(&mut *engine, &launch, &options, &mut watch);
    assert!(matches!(result.end, End::Hang(_)), "{:?}", result.end);
    let checkpoint = checkpoint.unwrap();
    let from = checkpoint.cycle();
    assert!(from > 0 && watch.seen[&from].values().any(|l| l.len() > 1));
    let window = Window { from, ..Window::default() };
    let mut twin = checkpoint.traced(&mut *engine, &window).unwrap().unwrap();
    let mut tracing = Tracing(Trace::create(&path, &mut *twin, window).unwrap());
    checkpoint.replay(&mut *twin, &mut tracing);
    tracing.0.finish(&mut *twin).unwrap();
    compare(&path, &options.config, &watch.seen, from, 12_500);
}

/// The slow engine is sampled; its trace holds the same. A scope of the core alone has no lists.
#[test]
fn both_engines_show_the_same_lists() {
    let dir = tempfile::tempdir().unwrap();
    let mut config = GpuConfig { units: 1, warps: 4, icache_lines: 8, shared_words: 64, ..GpuConfig::default() };
    config.semaphores.semaphores = 16;
    config.semaphores.pool = 16;
    let chosen = |text: String| text.contains("polling false") && text.matches('(').count() > 12;
    let random = (0..).map(|seed| graphs::generate(seed, 16)).find(|g| chosen(g.describe())).unwrap();
    let (_, prepared) = random.prepare(&config, None).unwrap();
    let mut options = Options { config: config.clone(), model: true, ..Options::default() };
    options.limits.cycles = 900;
    let mut longest = Vec::new();
    for (simulator, name) in [(Simulator::Rtlsim, "a.vcd"), (Simulator::RustHdl, "b.vcd")] {
        let path = dir.path().join(name);
        let mut engine = simulator.engine(&config).unwrap();
        let inside = Window { scopes: vec!["quadlock.cores_0".to_owned()], ..Window::default() };
        let traced =
            Trace::create(&dir.path().join("c.vcd"), &mut *engine, inside).unwrap().finish(&mut *engine).unwrap();
        let own = |p: &str| p.starts_with("quadlock.cores_0.") || p == "quadlock.time.cycle";
        assert!(traced.signals.iter().all(|s| own(&s.path)));
        let window = Window { scopes: vec!["quadlock.list*".to_owned()], ..Window::default() };
        let trace = Trace::create(&path, &mut *engine, window).unwrap();
        let mut watch = Watch::new(&config, Some(trace));
        let result = lockstep::run(&mut *engine, &prepared.launch, &options, &mut watch);
        watch.trace.take().unwrap().finish(&mut *engine).unwrap();
        longest.push(compare(&path, &config, &watch.seen, 0, result.cycles));
    }
    assert_eq!(longest[0], longest[1]);
    assert!(longest[0].0 > 1, "{longest:?}");
}

/// Events in the waves against the ports that they are made from: what a message says while one is
/// transferred, and nothing while none is, though the ports keep the last one. Both engines, since
/// each makes them itself.
#[test]
fn messages_and_operations_show_nothing_where_there_is_none() {
    let dir = tempfile::tempdir().unwrap();
    let mut config = GpuConfig { units: 1, warps: 4, icache_lines: 8, shared_words: 64, ..GpuConfig::default() };
    (config.semaphores.semaphores, config.semaphores.pool) = (16, 16);
    let chosen = |text: String| text.contains("polling false") && text.matches('(').count() > 12;
    let random = (0..).map(|seed| graphs::generate(seed, 16)).find(|g| chosen(g.describe())).unwrap();
    let (_, prepared) = random.prepare(&config, None).unwrap();
    let mut options = Options { config: config.clone(), model: true, ..Options::default() };
    options.limits.cycles = 600;
    for (simulator, name) in [(Simulator::Rtlsim, "a.vcd"), (Simulator::Rtlsim, "a.fst"), (Simulator::RustHdl, "b.vcd")]
    {
        let path = dir.path().join(name);
        let mut engine = simulator.engine(&config).unwrap();
        let window = Window { from: 100, ..Window::default() };
        let mut tracing = Tracing(Trace::create(&path, &mut *engine, window).unwrap());
        let result = lockstep::run(&mut *engine, &prepared.launch, &options, &mut tracing);
        tracing.0.finish(&mut *engine).unwrap();
        let mut wave = wellen::simple::read(&path).unwrap();
        let mut port = |name: &str| values_of(&mut wave, &["quadlock"], name, 100, result.cycles);
        let (mut expected, mut stale) = (Vec::new(), 0);
        for k in 0..config.rows + 2 {
            let [valid, head, body] = ["valid", "head", "body"].map(|p| port(&format!("bus_{p}_{k}")));
            let fields = (0..valid.len()).map(|c| match valid[c] {
                0 => [0; 4],
                _ => {
                    let (semaphore, thread) = (body[c] & 0xffff, body[c] >> 16);
                    [4 | head[c] & 3, 0x800 | semaphore.min(1024), 0x800 | thread, 4 | head[c] >> 2 & 3]
                }
            });
            let fields: Vec<[u128; 4]> = fields.collect();
            stale += (0..valid.len()).filter(|&c| valid[c] == 0 && body[c] != 0).count();
            for (i, field) in ["kind", "semaphore", "thread", "flags"].into_iter().enumerate() {
                expected.push((format!("message_{k}_{field}"), fields.iter().map(|f| f[i]).collect::<Vec<_>>()));
            }
        }
        let [valid, kind, thread] = ["op_valid", "op_kind", "op_thread"].map(&mut port);
        let when = |value: &dyn Fn(usize) -> u128| (0..valid.len()).map(|c| valid[c] * value(c)).collect::<Vec<_>>();
        expected.push(("operation".to_owned(), when(&|c| kind[c] + 1)));
        expected.push(("operation_thread".to_owned(), when(&|c| 0x800 | thread[c])));
        for (event, values) in expected {
            let seen = values_of(&mut wave, &["quadlock", "events"], &event, 100, result.cycles);
            assert!(seen == values, "{event} in {name}");
        }
        assert!(stale > 50, "{stale}");
    }
}
