//! A run as a Chrome trace (the JSON object format that ui.perfetto.dev opens): one track per warp
//! slot with its threads, inside them what they waited for, and arrows for semaphores handed over,
//! from the release to the thread that it woke; and one track per semaphore that was used, with its
//! owners one behind the other and a counter of the entries behind them; and tracks of the graphics
//! pipeline ([`super::pipeline`]). One clock cycle is one microsecond of the trace. Made from the
//! event ports alone.
//!
//! A thread's slice ends with its last retirement or completion, since the slot's becoming free is
//! no event; that of a warp that merges into another with the merge. A thread with lanes that have
//! not ended, and a wait that has not ended, go on to the last cycle of the run. None goes on after
//! the next launch into its slot: an END may retire in the very cycle of that launch. A wait is
//! shown from the cycle in which the unit says that the slot waits; the semaphore is that of the
//! acknowledgement that ended it; if none did, those are named that the thread has asked for. Which
//! release an arrow comes from is [`Grants`]' business, as it is in the report. Slices of a track
//! nest or are apart: two that overlap would be drawn as a tree that is not there. With assertions
//! a trace with such slices is not written.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::Write;
use std::path::Path;

use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::ports::GraphicsLaunched;
use quadlock_hdl::shape::UnitPlace;
use quadlock_isa::Op;
use serde_json::{json, Value};

use super::pipeline::Pipeline;
use crate::base::error::{io, Input};
use crate::base::files::AtomicFile;
use crate::figures::grants::{Grant, Grants};
use crate::machine::ports::{GraphicsOutputs, LaunchEvent, MessageKind, Outputs, RetireEvent};
use crate::view::lists::{Entry, ListView};

/// Warp slots per unit in thread ids and track numbers.
const SLOTS: usize = 16;
/// Process of the semaphores, behind all cores, and the number of the first one's track, behind all
/// warp slots.
const SEMAPHORES: usize = 64;
const FIRST_SEMAPHORE: usize = 1024;
/// Process of the dispatches, behind that of the pipeline, and its only track, behind those of the
/// semaphores.
const DISPATCHES: usize = 66;
const DISPATCH_TRACK: usize = 4096;

/// A thread that has a slot.
struct Running {
    launch: LaunchEvent,
    /// Of graphics: what it shades.
    what: Option<String>,
    /// It is of a group that splits: its slot sleeps after a merge.
    splits: bool,
    number: u64,
    since: u64,
    /// Lanes that have not ended.
    lanes: u8,
    /// Last cycle in which something of it retired.
    last: u64,
    /// Its slot waits since then.
    waits: Option<u64>,
    /// The ACS, ASR or WTS that it executed last: where it waits.
    wait_at: Option<u16>,
    /// Semaphore of its last acknowledgement.
    acknowledged: Option<u16>,
}

/// What a warp of graphics shades.
fn shaded(launch: &GraphicsLaunched) -> String {
    match launch.kind {
        2 => format!("quad ({}, {})", launch.place[0] & 0xFFF, launch.place[0] >> 12 & 0xFFF),
        _ => format!("vertices from {}", launch.place[0]),
    }
}

impl Running {
    /// END, DISCARD and traps end the lanes that they are executed for.
    fn retired(&mut self, retire: &RetireEvent) {
        let op = retire.word() & 0xFF;
        if retire.trap || op == Op::End as u64 || op == Op::Discard as u64 {
            self.lanes &= !retire.mask;
        }
        if [Op::Acs, Op::Asr, Op::Wts].iter().any(|&wait| op == wait as u64) {
            self.wait_at = Some(retire.pc);
        }
    }
}

/// Collects the events of a run.
pub struct Perfetto {
    /// Where each warp unit is.
    units: Vec<UnitPlace>,
    cores: usize,
    /// There are several cores.
    several: bool,
    slots: HashMap<usize, Running>,
    tracks: HashSet<usize>,
    launched: u64,
    grants: Grants,
    /// Semaphores that threads have asked for, to be told, and have not been told yet, oldest
    /// first.
    wanted: HashMap<usize, Vec<u16>>,
    arrows: u64,
    lists: ListView,
    /// How many semaphores the machine has.
    semaphores: usize,
    /// Of several dispatches the one that runs: its number and first cycle.
    dispatch: Option<(u32, u64)>,
    several_dispatches: bool,
    /// Semaphores that were used; the head of the list, and since when it is.
    heads: BTreeMap<u16, Option<(Entry, u64)>>,
    /// Source position of each instruction, where known.
    lines: Vec<Option<String>>,
    /// First and last cycle shown, and the last one seen.
    shown: (u64, u64),
    now: u64,
    pipeline: Pipeline,
    events: Vec<Value>,
}

impl Perfetto {
    /// For a machine of that configuration.
    pub fn new(config: &GpuConfig) -> Self {
        Self {
            units: config.unit_places(),
            cores: config.cores,
            several: config.rows * config.cores > 1,
            slots: HashMap::new(),
            tracks: HashSet::new(),
            launched: 0,
            grants: Grants::default(),
            wanted: HashMap::new(),
            arrows: 0,
            lists: ListView::new(config.semaphores.semaphores),
            semaphores: config.semaphores.semaphores,
            dispatch: None,
            several_dispatches: false,
            heads: BTreeMap::new(),
            lines: Vec::new(),
            shown: (0, u64::MAX),
            now: 0,
            pipeline: Pipeline::new(),
            events: Vec::new(),
        }
    }

    /// Shows these cycles only: slices are cut to them, and an arrow is there if both its ends are.
    #[must_use]
    pub fn window(mut self, from: u64, to: Option<u64>) -> Self {
        self.shown = (from, to.unwrap_or(u64::MAX));
        self.pipeline.window(self.shown);
        self
    }

    /// Waits name their source positions from here on.
    pub fn set_lines(&mut self, lines: &[Option<String>]) {
        self.lines = lines.to_vec();
    }

    /// From here on dispatch `number` runs, counted from 1: what the machine had under way ends
    /// with the last cycle, and threads are counted from 0 again.
    pub fn begin_dispatch(&mut self, number: u32) {
        self.end_all();
        self.end_dispatch();
        self.dispatch = Some((number, if number > 1 { self.now + 1 } else { 0 }));
        (self.launched, self.grants) = (0, Grants::default());
        self.wanted.clear();
        self.lists = ListView::new(self.semaphores);
    }

    /// The slice of the dispatch that ran.
    fn end_dispatch(&mut self) {
        let Some((number, since)) = self.dispatch.take() else { return };
        self.several_dispatches = true;
        self.slice(format!("dispatch {number}"), "dispatch", DISPATCH_TRACK, since, self.now + 1, json!({}));
    }

    /// Threads that have not ended, and owners of semaphores, end with the last cycle.
    fn end_all(&mut self) {
        let mut left: Vec<usize> = self.slots.keys().copied().collect();
        left.sort_unstable();
        left.into_iter().for_each(|track| self.end(track, None));
        let heads: Vec<_> = self.heads.iter_mut().filter_map(|(s, h)| Some((*s, h.take()?))).collect();
        for (semaphore, (entry, since)) in heads {
            self.owned(semaphore, entry, since, self.now + 1);
        }
    }

    fn core(&self, track: usize) -> usize {
        self.units.get(track / SLOTS).map_or(0, |u| u.core)
    }

    /// Number of a track's unit in its core.
    fn unit(&self, track: usize) -> usize {
        self.units.get(track / SLOTS).map_or(track / SLOTS, |u| u.unit)
    }

    fn slice(&mut self, name: String, kind: &str, track: usize, from: u64, to: u64, args: Value) {
        let pid = match track {
            DISPATCH_TRACK => DISPATCHES,
            FIRST_SEMAPHORE.. => SEMAPHORES,
            _ => self.core(track),
        };
        let to = to.max(from + 1).min(self.shown.1.saturating_add(1));
        let from = from.max(self.shown.0);
        if from >= to {
            return;
        }
        let duration = to - from;
        self.events.push(
            json!({"name": name, "cat": kind, "ph": "X", "ts": from, "dur": duration, "pid": pid, "tid": track, "args": args}),
        );
    }

    /// Takes in a cycle.
    pub fn cycle(&mut self, cycle: u64, outputs: &Outputs) {
        self.now = cycle;
        self.pipeline.cycle(cycle, &outputs.graphics);
        let changed = self.lists.observe(outputs).to_vec();
        changed.into_iter().for_each(|semaphore| self.list(cycle, semaphore));
        for (unit, events) in outputs.units.iter().enumerate() {
            let of = |warp: u8| unit * SLOTS + usize::from(warp);
            if let Some((retire, thread)) = events.retire.and_then(|r| Some((r, self.slots.get_mut(&of(r.warp))?))) {
                thread.last = cycle;
                thread.retired(&retire);
            }
            if let Some(thread) = events.completion.and_then(|c| self.slots.get_mut(&of(c.warp))) {
                thread.last = cycle;
            }
            self.waits(cycle, unit, events.waiting);
        }
        self.pairs(cycle, &outputs.graphics);
        for message in outputs.bus.iter().filter(|m| m.kind == MessageKind::Acquire && !m.suppress) {
            self.wanted.entry(usize::from(message.thread)).or_default().push(message.semaphore);
        }
        for grant in self.grants.observe(cycle, outputs) {
            self.acknowledged(cycle, &grant);
        }
        if let Some(launch) = outputs.launch {
            let track = usize::from(launch.unit) * SLOTS + usize::from(launch.warp);
            self.end(track, Some(cycle));
            let number = self.launched;
            self.launched += 1;
            self.tracks.insert(track);
            let lanes = launch.mask;
            let graphics = outputs.graphics.launch.as_ref();
            let thread = Running {
                launch,
                what: graphics.map(shaded),
                splits: graphics.is_some_and(|l| l.split != 0),
                number,
                since: cycle,
                lanes,
                last: cycle,
                waits: None,
                wait_at: None,
                acknowledged: None,
            };
            self.slots.insert(track, thread);
        }
    }

    /// Warps that end without an END: those that merge into others, and samples of a group that
    /// ends before its split.
    fn pairs(&mut self, cycle: u64, events: &GraphicsOutputs) {
        let track = |unit: u8, warp: u8| usize::from(unit) * SLOTS + usize::from(warp);
        for m in &events.merges {
            let gone = self.slots.get_mut(&track(m.unit, m.gone)).filter(|gone| !gone.splits);
            if let Some(gone) = gone {
                (gone.lanes, gone.last) = (0, cycle);
            }
            if let Some(kept) = self.slots.get_mut(&track(m.unit, m.kept)) {
                kept.lanes = m.stayed | m.came;
            }
        }
        for s in events.splits.iter().filter(|s| s.lanes == 0) {
            for warp in 1..=s.others {
                if let Some(member) = self.slots.get_mut(&track(s.unit, s.warp + warp)) {
                    (member.lanes, member.last) = (0, cycle);
                }
            }
        }
    }

    /// Waits that begin or end in a unit.
    fn waits(&mut self, cycle: u64, unit: usize, waiting: u16) {
        for warp in 0..SLOTS {
            let track = unit * SLOTS + warp;
            let now = waiting >> warp & 1 == 1;
            let Some(thread) = self.slots.get_mut(&track) else { continue };
            match (thread.waits, now) {
                (None, true) => thread.waits = Some(cycle),
                (Some(since), false) => {
                    thread.waits = None;
                    thread.last = thread.last.max(cycle);
                    let semaphores = thread.acknowledged.into_iter().collect::<Vec<_>>();
                    let at = thread.wait_at.take();
                    self.wait(track, since, cycle, &semaphores, at);
                }
                _ => {}
            }
        }
    }

    fn wait(&mut self, track: usize, since: u64, to: u64, semaphores: &[u16], at: Option<u16>) {
        let numbers: Vec<String> = semaphores.iter().map(u16::to_string).collect();
        let name = match numbers.len() {
            0 => "waits".to_owned(),
            1 => format!("waits for semaphore {}", numbers[0]),
            _ => format!("waits for semaphores {}", numbers.join(", ")),
        };
        let source = at.and_then(|pc| self.lines.get(usize::from(pc))?.clone());
        self.slice(name, "wait", track, since, to, json!({"semaphores": semaphores, "pc": at, "source": source}));
    }

    /// The list of a semaphore is another one than before.
    fn list(&mut self, cycle: u64, semaphore: u16) {
        let mut entries = self.lists.list(semaphore);
        let (length, head) = (entries.len(), entries.next());
        drop(entries);
        let before = self.heads.entry(semaphore).or_default();
        let number = |e: Entry| (e.thread, e.entry);
        if before.map(|b| number(b.0)) != head.map(number) {
            let gone = std::mem::replace(before, head.map(|head| (head, cycle)));
            if let Some((entry, since)) = gone {
                self.owned(semaphore, entry, since, cycle);
            }
        }
        if cycle < self.shown.0 || cycle > self.shown.1 {
            return;
        }
        self.events.push(json!({
            "name": format!("semaphore {semaphore}: waiting"), "cat": "list", "ph": "C", "ts": cycle, "pid": SEMAPHORES,
            "args": {"entries": length.saturating_sub(1)}
        }));
    }

    /// An entry was the head of a list.
    fn owned(&mut self, semaphore: u16, entry: Entry, since: u64, to: u64) {
        let track = usize::from(entry.thread);
        let (core, unit, warp) = (self.core(track), self.unit(track), track % SLOTS);
        let mut name = format!("unit {unit} warp {warp} {}", if entry.released { "passes" } else { "owns" });
        if self.several {
            name = format!("row {} core {} {name}", core / self.cores, core % self.cores);
        }
        let args = json!({"semaphore": semaphore, "row": core / self.cores, "core": core % self.cores, "unit": unit, "warp": warp});
        self.slice(name, "semaphore", FIRST_SEMAPHORE + usize::from(semaphore), since, to, args);
    }

    /// A thread owns a semaphore: an arrow from the release that made it so, if there was one.
    fn acknowledged(&mut self, cycle: u64, grant: &Grant) {
        let (track, semaphore) = (usize::from(grant.thread), grant.semaphore);
        if let Some(thread) = self.slots.get_mut(&track) {
            thread.acknowledged = Some(semaphore);
        }
        let wanted = self.wanted.entry(track).or_default();
        if let Some(at) = wanted.iter().position(|&s| s == semaphore) {
            wanted.remove(at);
        }
        let Some(release) = grant.after else { return };
        if release.cycle < self.shown.0 || cycle > self.shown.1 {
            return;
        }
        self.arrows += 1;
        let name = format!("semaphore {semaphore}");
        for (phase, ts, at) in [("s", release.cycle, usize::from(release.thread)), ("f", cycle, track)] {
            let pid = self.core(at);
            self.events.push(json!({
                "name": name, "cat": "hand-over", "ph": phase, "bp": "e", "id": self.arrows, "ts": ts, "pid": pid, "tid": at
            }));
        }
    }

    /// The thread of a slot has ended, or the run has. Another one has the slot from `next` on.
    fn end(&mut self, track: usize, next: Option<u64>) {
        let Some(thread) = self.slots.remove(&track) else { return };
        let open = thread.lanes != 0 || thread.waits.is_some();
        let to = (if open { self.now } else { thread.last } + 1).min(next.unwrap_or(u64::MAX));
        if let Some(since) = thread.waits.filter(|&since| since < to) {
            let wanted = self.wanted.get(&track).cloned().unwrap_or_default();
            self.wait(track, since, to, &wanted, thread.wait_at);
        }
        let (LaunchEvent { mask, pc, .. }, [x, y, z]) = (thread.launch, thread.launch.group());
        let args = json!({"x": x, "y": y, "z": z, "lanes": format!("{mask:04b}"), "pc": pc});
        let name = thread.what.unwrap_or_else(|| format!("thread {}", thread.number));
        self.slice(name, "thread", track, thread.since, to, args);
    }

    /// The trace so far as JSON; threads that have not ended end with the last cycle.
    pub fn finish(mut self) -> Value {
        self.end_all();
        self.end_dispatch();
        let used: Vec<u16> = self.heads.keys().copied().collect();
        let mut tracks: Vec<usize> = self.tracks.iter().copied().collect();
        tracks.sort_unstable();
        let mut names = Vec::new();
        let mut named = HashSet::new();
        for track in tracks {
            let core = self.core(track);
            let (unit, warp) = (self.unit(track), track % SLOTS);
            if named.insert(core) {
                let name = format!("row {} core {}", core / self.cores, core % self.cores);
                names.push(json!({"name": "process_name", "ph": "M", "pid": core, "args": {"name": name}}));
            }
            let name = format!("unit {unit} warp {warp}");
            names.push(json!({"name": "thread_name", "ph": "M", "pid": core, "tid": track, "args": {"name": name}}));
            let order = json!({"sort_index": track});
            names.push(json!({"name": "thread_sort_index", "ph": "M", "pid": core, "tid": track, "args": order}));
        }
        if self.several_dispatches {
            names.push(json!({"name": "process_name", "ph": "M", "pid": DISPATCHES, "args": {"name": "dispatches"}}));
        }
        if !used.is_empty() {
            names.push(json!({"name": "process_name", "ph": "M", "pid": SEMAPHORES, "args": {"name": "semaphores"}}));
        }
        for semaphore in used {
            let track = FIRST_SEMAPHORE + usize::from(semaphore);
            let name = json!({"name": format!("semaphore {semaphore}")});
            names.push(json!({"name": "thread_name", "ph": "M", "pid": SEMAPHORES, "tid": track, "args": name}));
            let order = json!({"sort_index": track});
            names.push(json!({"name": "thread_sort_index", "ph": "M", "pid": SEMAPHORES, "tid": track, "args": order}));
        }
        self.events.extend(self.pipeline.finish(self.now));
        // By time, the longer slice first: that is how slices nest.
        self.events.sort_by_key(|e| (e["ts"].as_u64(), std::cmp::Reverse(e["dur"].as_u64())));
        debug_assert_eq!(overlap(&self.events), None, "slices of a track overlap");
        names.extend(self.events);
        json!({"displayTimeUnit": "ns", "otherData": {"one microsecond": "one clock cycle"}, "traceEvents": names})
    }

    /// Writes the trace.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(self, path: &Path) -> Input<()> {
        let mut file = AtomicFile::create(path)?;
        let text = self.finish().to_string();
        file.write_all(text.as_bytes()).map_err(|e| io(path, "write", &e))?;
        file.commit()
    }
}

/// Two slices of one track of which neither is inside the other, though they are not apart; of
/// events in order.
fn overlap(events: &[Value]) -> Option<(&Value, &Value)> {
    let end = |e: &Value| e["ts"].as_u64().zip(e["dur"].as_u64()).map(|(from, length)| from + length);
    let mut open: HashMap<(Option<u64>, Option<u64>), Vec<&Value>> = HashMap::new();
    for event in events.iter().filter(|e| e["ph"] == "X") {
        let around = open.entry((event["pid"].as_u64(), event["tid"].as_u64())).or_default();
        while around.last().is_some_and(|last| end(last) <= event["ts"].as_u64()) {
            around.pop();
        }
        if let Some(last) = around.last().filter(|last| end(last) < end(event)) {
            return Some((last, event));
        }
        around.push(event);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::ports::{BusEvent, ListOp, ListOpKind, MergeEvent, RetireEvent, SplitEvent, UnitOutputs};

    fn outputs(waiting: u16) -> Outputs {
        let unit = UnitOutputs { waiting, ..UnitOutputs::default() };
        Outputs { units: vec![unit], ..Outputs::default() }
    }

    fn launch(warp: u8) -> Option<LaunchEvent> {
        Some(LaunchEvent { warp, mask: 15, ..LaunchEvent::default() })
    }

    /// An END of all lanes.
    fn retire(warp: u8) -> Option<RetireEvent> {
        Some(RetireEvent { warp, mask: 15, ..RetireEvent::default() }.with_word(Op::End as u64))
    }

    /// Thread 0 has semaphore 5 and releases it in cycle 20; thread 1, which waits from cycle 10
    /// on, owns it in 26 and runs from 27 on.
    fn sample(from: u64, to: Option<u64>) -> Value {
        let mut trace = Perfetto::new(&GpuConfig { units: 1, warps: 2, ..GpuConfig::default() }).window(from, to);
        for cycle in 0..40 {
            let mut o = outputs(if (10..27).contains(&cycle) { 0b10 } else { 0 });
            let message = |kind, thread| vec![BusEvent { kind, thread, semaphore: 5, ..BusEvent::default() }];
            let list = |kind, thread| Some(ListOp { kind, semaphore: 5, thread, entry: thread });
            match cycle {
                1 => o.launch = launch(0),
                2 => o.launch = launch(1),
                3 => o.bus = message(MessageKind::Acquire, 0),
                5 => o.list_op = list(ListOpKind::Appended, 0),
                6 => o.bus = message(MessageKind::Acknowledge, 0),
                7 => o.bus = message(MessageKind::Acquire, 1),
                9 => o.list_op = list(ListOpKind::Appended, 1),
                20 => o.bus = message(MessageKind::Release, 0),
                22 => o.list_op = list(ListOpKind::Removed, 0),
                24 => o.units[0].retire = retire(0),
                26 => o.bus = message(MessageKind::Acknowledge, 1),
                35 => o.units[0].retire = retire(1),
                _ => {}
            }
            trace.cycle(cycle, &o);
        }
        trace.finish()
    }

    /// What there is of cycles 12 to 21: the slices cut, no arrow, since only one end is inside.
    #[test]
    fn a_window_cuts_slices_and_leaves_arrows_out() {
        let trace = sample(12, Some(21));
        let events = trace["traceEvents"].as_array().unwrap();
        let slices: Vec<_> = events.iter().filter(|e| e["ph"] == "X").collect();
        // Two threads, a wait, and the owner of the semaphore.
        assert_eq!(slices.len(), 4);
        assert!(slices.iter().all(|e| e["ts"] == 12 && e["dur"] == 10), "{slices:?}");
        let arrows = |from, to| {
            let trace = sample(from, to);
            trace["traceEvents"].as_array().unwrap().iter().filter(|e| e["cat"] == "hand-over").count()
        };
        assert_eq!([arrows(12, Some(25)), arrows(21, None), arrows(20, Some(26))], [0, 0, 2]);
    }

    /// Two threads that wait in vain: both slices end with the last cycle, and name what was asked
    /// for and not given.
    #[test]
    fn what_has_not_ended_goes_on_to_the_last_cycle() {
        let mut trace = Perfetto::new(&GpuConfig { units: 1, warps: 2, ..GpuConfig::default() });
        for cycle in 0..50 {
            let mut o = outputs(if cycle >= 12 { 1 } else { 0 });
            let acquire = |semaphore| vec![BusEvent { semaphore, ..BusEvent::default() }];
            match cycle {
                1 => o.launch = launch(0),
                3 => o.bus = acquire(5),
                5 => o.list_op = Some(ListOp { semaphore: 5, ..ListOp::default() }),
                6 => {
                    o.bus = acquire(5);
                    o.bus[0].kind = MessageKind::Acknowledge;
                }
                10 => o.bus = acquire(6),
                11 => o.bus = acquire(7),
                _ => {}
            }
            trace.cycle(cycle, &o);
        }
        let trace = trace.finish();
        let events = trace["traceEvents"].as_array().unwrap();
        let slices: Vec<_> =
            events.iter().filter(|e| e["ph"] == "X").map(|e| (&e["name"], &e["ts"], &e["dur"])).collect();
        let (owner, wait) = (json!("unit 0 warp 0 owns"), json!("waits for semaphores 6, 7"));
        let (thread, owned) = ((&json!("thread 0"), &json!(1), &json!(49)), (&owner, &json!(5), &json!(45)));
        assert_eq!(slices, [thread, owned, (&wait, &json!(12), &json!(38))]);
    }

    #[test]
    fn threads_waits_and_hand_overs_are_in_the_trace() {
        let trace = sample(0, None);
        let events = trace["traceEvents"].as_array().unwrap();
        let of = |name: &str| events.iter().filter(|e| e["name"] == name).collect::<Vec<_>>();
        let wait = of("waits for semaphore 5");
        assert_eq!(wait.len(), 1);
        assert_eq!((&wait[0]["ts"], &wait[0]["dur"], &wait[0]["tid"]), (&json!(10), &json!(17), &json!(1)));
        let thread = of("thread 1");
        assert_eq!((&thread[0]["ts"], &thread[0]["dur"]), (&json!(2), &json!(34)));
        let arrows: Vec<_> = of("semaphore 5").into_iter().filter(|e| e["cat"] == "hand-over").collect();
        assert_eq!(arrows.len(), 2);
        assert_eq!((&arrows[0]["ph"], &arrows[0]["ts"], &arrows[0]["tid"]), (&json!("s"), &json!(20), &json!(0)));
        assert_eq!((&arrows[1]["ph"], &arrows[1]["ts"], &arrows[1]["tid"]), (&json!("f"), &json!(26), &json!(1)));
        assert_eq!(of("process_name")[0]["args"]["name"], "row 0 core 0");
        assert_eq!(of("thread_name").len(), 3);
    }

    fn assert_nested(trace: &Value, count: usize) {
        let events = trace["traceEvents"].as_array().unwrap();
        let slices: Vec<(u64, u64, u64)> = events
            .iter()
            .filter(|e| e["ph"] == "X")
            .map(|e| {
                let n = |key: &str| e[key].as_u64().unwrap();
                (n("tid"), n("ts"), n("ts") + n("dur"))
            })
            .collect();
        assert_eq!(slices.len(), count);
        for a in &slices {
            for b in slices.iter().filter(|b| b.0 == a.0) {
                let apart = a.2 <= b.1 || b.2 <= a.1;
                let inside = (a.1 <= b.1 && b.2 <= a.2) || (b.1 <= a.1 && a.2 <= b.2);
                assert!(apart || inside, "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn slices_of_a_track_nest() {
        assert_nested(&sample(0, None), 5);
    }

    /// Semaphore 5: thread 0 owns it from cycle 3, behind it are thread 17 and, released meanwhile,
    /// thread 1; semaphore 9 is thread 2's to the end.
    #[test]
    fn semaphores_have_tracks_of_their_owners_and_counters() {
        let mut trace = Perfetto::new(&GpuConfig { units: 1, cores: 2, warps: 4, ..GpuConfig::default() });
        let operations = [
            (3, ListOpKind::Appended, 5, 0, 10),
            (4, ListOpKind::Appended, 5, 17, 11),
            (5, ListOpKind::Appended, 5, 1, 12),
            (6, ListOpKind::Appended, 9, 2, 13),
            (7, ListOpKind::Marked, 5, 1, 12),
            (20, ListOpKind::Removed, 5, 0, 10),
            (30, ListOpKind::Removed, 5, 17, 11),
            (31, ListOpKind::Removed, 5, 1, 12),
        ];
        for cycle in 0..40 {
            let mut o = outputs(0);
            let op = operations.iter().find(|op| op.0 == cycle);
            o.list_op = op.map(|&(_, kind, semaphore, thread, entry)| ListOp { kind, semaphore, thread, entry });
            trace.cycle(cycle, &o);
        }
        let trace = trace.finish();
        assert_nested(&trace, 4);
        let events = trace["traceEvents"].as_array().unwrap();
        let slices: Vec<_> = events.iter().filter(|e| e["ph"] == "X").collect();
        let seen: Vec<_> = slices
            .iter()
            .map(|e| (e["name"].as_str().unwrap(), e["tid"].as_u64(), e["ts"].as_u64(), e["dur"].as_u64()))
            .collect();
        let slice = |name, track, from, length| (name, Some(track), Some(from), Some(length));
        assert_eq!(
            seen,
            [
                slice("row 0 core 0 unit 0 warp 0 owns", 1029, 3, 17),
                slice("row 0 core 0 unit 0 warp 2 owns", 1033, 6, 34),
                slice("row 0 core 1 unit 0 warp 1 owns", 1029, 20, 10),
                slice("row 0 core 0 unit 0 warp 1 passes", 1029, 30, 1),
            ]
        );
        assert!(slices.iter().all(|e| e["pid"] == SEMAPHORES));
        let counter: Vec<_> = events
            .iter()
            .filter(|e| e["ph"] == "C" && e["name"] == "semaphore 5: waiting")
            .map(|e| (e["ts"].as_u64().unwrap(), e["args"]["entries"].as_u64().unwrap()))
            .collect();
        assert_eq!(counter, [(3, 0), (4, 1), (5, 2), (7, 2), (20, 1), (30, 0), (31, 0)]);
        let named =
            |kind: &str| events.iter().filter(|e| e["name"] == kind && e["pid"] == SEMAPHORES).collect::<Vec<_>>();
        assert_eq!(named("process_name")[0]["args"]["name"], "semaphores");
        assert_eq!((named("thread_name").len(), &named("thread_name")[1]["args"]["name"]), (2, &json!("semaphore 9")));
    }

    /// SE-24: the place of a wait is its own instruction, whatever the thread does next.
    #[test]
    fn a_wait_names_its_place_in_the_source() {
        let mut p = Perfetto::new(&GpuConfig::default());
        p.set_lines(&[None, Some("a.wgsl:7:5".to_owned())]);
        p.cycle(0, &Outputs { launch: launch(0), ..outputs(0) });
        let acquire = RetireEvent { mask: 15, pc: 1, ..RetireEvent::default() }.with_word(Op::Acs as u64);
        let unit = UnitOutputs { waiting: 1, retire: Some(acquire), ..UnitOutputs::default() };
        p.cycle(1, &Outputs { units: vec![unit], ..Outputs::default() });
        p.cycle(9, &outputs(0));
        let trace = p.finish();
        let wait = trace["traceEvents"].as_array().unwrap().iter().find(|e| e["cat"] == "wait").unwrap().clone();
        assert_eq!((&wait["args"]["pc"], &wait["args"]["source"]), (&json!(1), &json!("a.wgsl:7:5")), "{wait}");
    }

    #[test]
    fn a_slot_used_again_has_two_threads() {
        let mut trace = Perfetto::new(&GpuConfig::default());
        for cycle in 0..30 {
            let mut o = outputs(0);
            if cycle == 3 || cycle == 20 {
                o.launch = launch(4);
            }
            if cycle == 12 {
                o.units[0].retire = retire(4);
            }
            trace.cycle(cycle, &o);
        }
        let trace = trace.finish();
        let events = trace["traceEvents"].as_array().unwrap();
        let slices: Vec<_> =
            events.iter().filter(|e| e["ph"] == "X").map(|e| (&e["name"], &e["ts"], &e["dur"])).collect();
        assert_eq!(slices, [(&json!("thread 0"), &json!(3), &json!(10)), (&json!("thread 1"), &json!(20), &json!(10))]);
    }

    /// A warp of fragments; of a group that splits if `split` is not 0.
    fn fragments(warp: u8, split: u16) -> Outputs {
        let shaded = GraphicsLaunched { kind: 2, warp, split, ..GraphicsLaunched::default() };
        let graphics = GraphicsOutputs { launch: Some(shaded), ..GraphicsOutputs::default() };
        Outputs { launch: launch(warp), graphics, ..outputs(0) }
    }

    /// Track, start and length of each slice, as they come in the trace.
    fn spans(trace: &Value) -> Vec<(u64, u64, u64)> {
        let slices = trace["traceEvents"].as_array().unwrap().iter().filter(|e| e["ph"] == "X");
        slices.map(|e| ["tid", "ts", "dur"].map(|key| e[key].as_u64().unwrap()).into()).collect()
    }

    /// Slot 1 merges into slot 0 and is launched into again; slot 0 is, in the cycle in which its
    /// END retires.
    #[test]
    fn a_pair_whose_slots_are_used_again_overlaps_nothing() {
        let mut trace = Perfetto::new(&GpuConfig::default());
        for cycle in 0..30 {
            let mut o = match cycle {
                3 | 20 => fragments(0, 0),
                4 | 12 => fragments(1, 0),
                _ => outputs(0),
            };
            match cycle {
                9 => o.graphics.merges = vec![MergeEvent { unit: 0, kept: 0, gone: 1, stayed: 1, came: 2 }],
                20 => o.units[0].retire = retire(0),
                _ => {}
            }
            trace.cycle(cycle, &o);
        }
        let spans = spans(&trace.finish());
        assert_eq!(spans, [(0, 3, 17), (1, 4, 6), (1, 12, 18), (0, 20, 10)]);
    }

    /// A group of two samples that ends before its split, and one of which the other has merged
    /// into it: that one sleeps, and goes on after the split.
    #[test]
    fn samples_end_with_their_group_and_sleep_after_a_merge() {
        let mut trace = Perfetto::new(&GpuConfig::default());
        for cycle in 0..30 {
            let mut o = match cycle {
                1..=2 => fragments(cycle as u8 - 1, 1),
                3..=4 => fragments(cycle as u8, 1),
                _ => outputs(0),
            };
            match cycle {
                9 => o.graphics.splits = vec![SplitEvent { unit: 0, warp: 0, others: 1, lanes: 0, covered: 15 }],
                10 => o.graphics.merges = vec![MergeEvent { unit: 0, kept: 3, gone: 4, stayed: 1, came: 2 }],
                _ => {}
            }
            if cycle == 8 {
                o.units[0].retire = retire(0);
            }
            trace.cycle(cycle, &o);
        }
        let spans = spans(&trace.finish());
        assert_eq!(spans, [(0, 1, 8), (1, 2, 8), (3, 3, 27), (4, 4, 26)]);
    }

    #[test]
    fn slices_that_overlap_are_seen() {
        let slice = |tid: u64, ts: u64, dur: u64| json!({"ph": "X", "pid": 0, "tid": tid, "ts": ts, "dur": dur});
        let inside = [slice(0, 1, 9), slice(0, 1, 4), slice(0, 5, 5), slice(0, 10, 2), slice(1, 9, 9)];
        assert_eq!(overlap(&inside), None);
        let across = [slice(0, 1, 9), slice(0, 9, 2)];
        assert_eq!(overlap(&across), Some((&across[0], &across[1])));
    }
}
