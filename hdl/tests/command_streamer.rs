//! The command streamer with lists made by chance, a memory that takes its time, and blocks behind
//! it that do. All that goes out must be what the list says, in order; no state may be told for a
//! context in use, and nothing may come before what a command waits for.

use std::collections::{HashMap, HashSet, VecDeque};

use quadlock_hdl::base::testing::Bench;
use quadlock_hdl::command::{CommandRole, CommandStreamer};
use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::fault::Fault;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

#[derive(Clone, Debug, PartialEq)]
enum Said {
    Pass(u64, u64),
    Begin,
    State(u64, u64, u64),
    Window(u64, u64, u64),
    Draw(Vec<u64>),
    End,
}

struct Harness {
    block: Bench<CommandStreamer>,
    rng: ChaCha8Rng,
    memory: HashMap<u64, [u32; 4]>,
    /// Next address of the list, of records, of images.
    at: u64,
    record: u64,
    /// Addresses that are read only when all is in memory, or when a pass is done.
    after_wait: HashSet<u64>,
    after_pass: HashSet<u64>,
    due: VecDeque<Said>,
    context: u64,
    /// Lines on their way, with the cycle in which they may come.
    lines: VecDeque<(u64, u64)>,
    latency: u64,
    stalls: bool,
    /// Cycles until a context, the pipeline, memory and the pass are done.
    busy: [u64; 16],
    contexts: u64,
    pipe: u64,
    writes: u64,
    pass: Option<u64>,
    now: u64,
}

impl Harness {
    fn new(config: &GpuConfig, seed: u64, latency: u64, stalls: bool) -> Self {
        Self {
            block: Bench::new(CommandStreamer::new(config, CommandRole::Alone), |b| &mut b.clock),
            rng: ChaCha8Rng::seed_from_u64(seed),
            memory: HashMap::new(),
            at: 0x100,
            record: 0x10_0000,
            after_wait: HashSet::new(),
            after_pass: HashSet::new(),
            due: VecDeque::new(),
            context: config.contexts as u64 - 1,
            contexts: config.contexts as u64,
            lines: VecDeque::new(),
            latency,
            stalls,
            busy: [0; 16],
            pipe: 0,
            writes: 0,
            pass: None,
            now: 0,
        }
    }

    fn line(&mut self, words: [u32; 4]) {
        self.memory.insert(self.at, words);
        self.at += 16;
    }

    /// Words of a record somewhere.
    fn words(&mut self, count: usize) -> (u32, Vec<u32>) {
        let words: Vec<u32> = (0..count.next_multiple_of(4)).map(|_| self.rng.random()).collect();
        self.record += 16 * self.rng.random_range(0..4u64);
        let address = self.record;
        for (k, line) in words.chunks(4).enumerate() {
            self.memory.insert(address + 16 * k as u64, [line[0], line[1], line[2], line[3]]);
        }
        self.record += 4 * words.len() as u64;
        (address as u32, words)
    }

    fn command(&mut self, code: u32) -> u32 {
        code | self.rng.random::<u32>() << 10
    }

    fn pass(&mut self) {
        let (address, words) = self.words(32);
        let head = self.command(1);
        self.line([head, address, 0, 0]);
        self.due.extend(words.iter().enumerate().map(|(k, &w)| Said::Pass(k as u64, w.into())));
        self.due.push_back(Said::Begin);
    }

    fn state(&mut self) {
        self.context = (self.context + 1) % self.contexts;
        let images = [self.words(256), self.words(256)];
        let (address, mut words) = self.words(44);
        for (stage, image) in images.iter().enumerate() {
            words[4 + stage] = image.0;
            let line = self.memory.get_mut(&(u64::from(address) + 16)).unwrap();
            line[stage] = image.0;
        }
        let head = self.command(2);
        self.line([head, address, 0, 0]);
        let context = self.context;
        let told = words.iter().take(44).enumerate().map(|(k, &w)| Said::State(context, k as u64, w.into()));
        self.due.extend(told);
        for (stage, image) in images.iter().enumerate() {
            let window = 2 * context + stage as u64;
            self.due.extend(image.1.iter().enumerate().map(|(k, &w)| Said::Window(window, k as u64, w.into())));
        }
    }

    fn draw(&mut self) {
        let w: Vec<u32> = (0..6).map(|_| self.rng.random()).collect();
        let [indexed, wide, restart]: [bool; 3] = self.rng.random();
        // Bit 10 is the cull pipeline's; above bit 11 anything may be.
        let head =
            self.command(3) & !(1 << 11) | u32::from(indexed) << 8 | u32::from(wide) << 9 | u32::from(restart) << 11;
        self.line([head, w[0], w[1], w[2]]);
        self.line([w[3], w[4], w[5], 0]);
        let mut said = vec![self.context, indexed.into(), wide.into(), restart.into()];
        said.extend(w.iter().map(|&w| u64::from(w)));
        self.due.push_back(Said::Draw(said));
    }

    /// A list of passes with states, draws and waits.
    fn list(&mut self, passes: usize) {
        for _ in 0..passes {
            self.pass();
            for _ in 0..self.rng.random_range(1..20) {
                self.state();
                for _ in 0..self.rng.random_range(0..4) {
                    self.draw();
                }
                if self.rng.random_range(0..12) == 0 {
                    let head = self.command(5);
                    self.line([head, 0, 0, 0]);
                    self.after_wait.insert(self.at);
                }
            }
            let head = self.command(6);
            self.line([head, 0, 0, 0]);
            self.after_pass.insert(self.at);
            self.due.push_back(Said::End);
        }
        let head = self.command(7);
        self.line([head, 0, 0, 0]);
    }

    fn expect(&mut self, said: Said) -> Result<(), String> {
        let due = self.due.pop_front();
        match due.as_ref() == Some(&said) {
            true => Ok(()),
            false => Err(format!("{said:?} in cycle {}, {due:?} is due", self.now)),
        }
    }

    fn take_request(&mut self, address: u64) -> Result<(), String> {
        if !self.memory.contains_key(&address) {
            return Err(format!("line {address:#x} is read"));
        }
        if self.after_wait.contains(&address) && (self.pipe > 0 || self.writes > 0) {
            return Err("the list goes on before all is in memory".into());
        }
        if self.after_pass.contains(&address) && self.pass != Some(0) {
            return Err("the list goes on before the pass is done".into());
        }
        let jitter = if self.stalls { self.rng.random_range(0..=self.latency) } else { self.latency };
        let at = self.lines.back().map_or(0, |l| l.0 + 1).max(self.now + 1 + jitter);
        self.lines.push_back((at, address));
        match self.lines.len() {
            0..=16 => Ok(()),
            n => Err(format!("{n} lines on their way")),
        }
    }

    fn cycle(&mut self) -> Result<(), String> {
        let ready = !self.stalls || self.rng.random();
        let answer = self.lines.front().filter(|l| l.0 <= self.now).copied();
        let b = &mut self.block;
        b.m_req.ready.next = ready;
        b.m_rsp.valid.next = answer.is_some();
        let words = answer.map_or([0; 4], |a| self.memory[&a.1]);
        for (k, word) in words.into_iter().enumerate() {
            b.m_rsp.data[k].next = u64::from(word).into();
        }
        b.draw.ready.next = !self.stalls || self.rng.random_range(0..4) == 0;
        let in_use = (0..16).map(|k| u64::from(self.busy[k] > 0) << k).sum::<u64>();
        b.contexts_busy.next = in_use.into();
        b.pipe_idle.next = self.pipe == 0;
        b.memory_idle.next = self.writes == 0;
        b.pass_done.next = self.pass == Some(1);
        b.settle();
        let state = b.state.valid.val().then(|| (b.state.context.val().to_u64(), b.state.word.val().to_u64()));
        let data = b.state.data.val().to_u64();
        let pass = b.state.pass.val().then(|| Said::Pass(b.state.word.val().to_u64(), data));
        let (begin, end, finish) = (b.pass_ports.begin_pass.val(), b.pass_ports.end_pass.val(), b.finish.val());
        let window = b.constant_write_valid.val().then(|| {
            Said::Window(
                b.constant_write_window.val().to_u64(),
                b.constant_write_word.val().to_u64(),
                b.constant_write_data.val().to_u64(),
            )
        });
        let request = (b.m_req.valid.val() && ready).then(|| b.m_req.addr.val().to_u64());
        let d = &b.draw;
        let draw = (b.draw.valid.val() && b.draw.ready.val()).then(|| {
            let flags = [d.context.val().to_u64(), d.indexed.val().into(), d.wide.val().into(), d.restart.val().into()];
            let words = [&d.count, &d.first, &d.instances, &d.base, &d.first_instance, &d.address];
            flags.into_iter().chain(words.map(|w| w.val().to_u64())).collect::<Vec<_>>()
        });
        b.cycle();
        if answer.is_some() {
            self.lines.pop_front();
        }
        if let Some((context, word)) = state {
            self.expect(Said::State(context, word, data))?;
        }
        let in_window = window.as_ref().map(|w| if let Said::Window(w, ..) = w { w / 2 } else { 0 });
        if let Some(context) = state.map(|s| s.0).or(in_window).filter(|&c| self.busy[c as usize] > 0) {
            return Err(format!("context {context} is in use"));
        }
        for said in [pass, begin.then_some(Said::Begin), window].into_iter().flatten() {
            self.expect(said)?;
        }
        if (end || finish) && self.pipe > 0 {
            return Err("the pass ends with triangles under way".into());
        }
        self.busy = self.busy.map(|left| left.saturating_sub(1));
        self.pipe = self.pipe.saturating_sub(1);
        self.writes = self.writes.saturating_sub(1);
        self.pass = self.pass.map(|left| left.saturating_sub(1));
        if end {
            if !finish {
                return Err("the pass ends without `finish`".into());
            }
            self.expect(Said::End)?;
            self.pass = Some(self.rng.random_range(2..200));
        }
        if let Some(address) = request {
            self.take_request(address)?;
        }
        if let Some(draw) = draw {
            let context = draw[0] as usize;
            self.expect(Said::Draw(draw))?;
            self.busy[context] = self.busy[context].max(self.rng.random_range(1..9000));
            self.pipe = self.pipe.max(self.busy[context]);
            self.writes = self.pipe + self.rng.random_range(0..100);
        }
        self.now += 1;
        Ok(())
    }

    fn run(&mut self) -> Result<u64, String> {
        self.block.start.next = true;
        self.block.list.next = 0x100u64.into();
        self.cycle()?;
        self.block.start.next = false;
        for cycle in 0..1_000_000 {
            if !self.block.busy.val() {
                return match self.due.front() {
                    None => Ok(cycle),
                    due => Err(format!("the list ends, {due:?} is due")),
                };
            }
            self.cycle()?;
        }
        Err(format!("the list does not end: {:?}", self.due.front()))
    }
}

#[test]
fn all_that_goes_out_is_in_the_list() {
    for (seed, latency) in [(1, 0), (2, 7), (3, 60)] {
        // Of either number of contexts.
        let config = GpuConfig { contexts: if seed == 2 { 16 } else { 8 }, ..GpuConfig::default() };
        let mut harness = Harness::new(&config, seed, latency, true);
        harness.list(if seed == 2 { 14 } else { 6 });
        harness.run().unwrap_or_else(|e| panic!("seed {seed}: {e}"));
    }
}

/// 512 words of windows at one per cycle, ten lines of record at four cycles each; three times the
/// latency of memory (the list's line, the record, the windows), and what the steps take.
#[test]
fn a_state_takes_a_cycle_for_each_word() {
    for latency in [4, 12] {
        let mut harness = Harness::new(&GpuConfig::default(), 7, latency, false);
        for _ in 0..4 {
            harness.state();
        }
        harness.line([7, 0, 0, 0]);
        let cycles = harness.run().unwrap();
        let most = 4 * (552 + 3 * latency + 16) + latency + 8;
        assert!(cycles <= most, "{cycles} cycles with latency {latency}, at most {most}");
    }
}

#[test]
fn planted_faults_are_caught() {
    for (fault, message) in [
        (Fault::CommandLastWord, "is due"),
        (Fault::CommandContext, "is in use"),
        (Fault::CommandWindow, "is due"),
        (Fault::CommandDrain, "with triangles under way"),
        (Fault::CommandWait, "before all is in memory"),
        (Fault::CommandBase, "is due"),
        (Fault::CommandBegin, "is due"),
        (Fault::CommandImage, "is due"),
    ] {
        let config = GpuConfig { fault: Some(fault), ..GpuConfig::default() };
        let mut harness = Harness::new(&config, 4, 7, true);
        harness.list(8);
        let problem = harness.run().err().unwrap_or_else(|| panic!("{fault:?} is not caught"));
        assert!(problem.contains(message) || problem.contains("is read"), "{fault:?}: {problem}");
    }
}
