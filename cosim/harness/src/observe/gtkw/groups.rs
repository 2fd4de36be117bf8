//! What the view shows: the cycle, and groups of rows, each with what it is about in its title. A
//! group that the job used is open and comes first; the others are closed behind them. Used means
//! that something happens in it in this trace ([`Activity`]). Three kinds stay closed, since
//! something happens there in every job: issue slots, states of the graphics pipeline, and counters
//! and masks of warps without masked lanes.

use std::collections::BTreeMap;

use quadlock_isa::wave::opcode_name;
use quadlock_rtlsim::trace::has_table;

use super::activity::Activity;
use super::rows::{Format, Rows};
use crate::observe::wave::{Traced, TracedSignal};
use crate::view::events::{self, EventView};
use crate::view::labels::{Names, Table};
use crate::view::lists::{self, ListView};

/// Semaphores whose lists have rows in the view.
const SHOWN: usize = 16;
/// Names of the places of a list that have rows.
const LIST_PLACES: [&str; 4] = ["owner", "next", "third", "fourth"];

/// A group and whether the job used it.
struct Section {
    title: String,
    used: bool,
    rows: Rows,
}

/// A unit of the machine, as the scopes have it.
struct Unit {
    /// Global number, and that of its core.
    number: usize,
    core: usize,
    /// `.cores_0.units_1.`
    scope: String,
    /// As titles have it.
    name: String,
}

/// The view of a trace while it is put together.
pub struct View<'a> {
    traced: &'a Traced,
    activity: &'a Activity,
    /// The trace is an FST file, which has names of values itself.
    fst: bool,
    states: BTreeMap<&'a str, Table>,
    tables: BTreeMap<Names, Table>,
    sections: Vec<Section>,
}

pub fn leaf(signal: &TracedSignal) -> &str {
    signal.path.rsplit('.').next().unwrap_or(&signal.path)
}

/// A signal of the top level: of the shortest scope.
pub(super) fn is_top(signal: &TracedSignal) -> bool {
    signal.path.matches('.').count() == 1
}

/// Number in the last `_n` of a name: the unit, or the element.
fn element(path: &str) -> Option<usize> {
    path.rsplit_once('_')?.1.parse().ok()
}

/// Whether it is the register of a state by name; the same wire has more names.
pub fn is_state(signal: &TracedSignal) -> bool {
    signal.enumeration.is_some() && signal.path.ends_with(".q") && !signal.path.contains(".lanes_")
}

/// Whether it is a variable of that scope of the top.
fn is_in(signal: &TracedSignal, scope: &str) -> bool {
    signal.path.split('.').nth(1) == Some(scope) && signal.path.matches('.').count() == 2
}

/// Whether the value of an event "retired" is a warp-wide operation on memory.
pub fn is_wide(value: u128) -> bool {
    value & 0x100 != 0 && opcode_name(value as u8).starts_with("WATOM")
}

impl<'a> View<'a> {
    pub fn new(traced: &'a Traced, activity: &'a Activity, fst: bool) -> Self {
        let states = traced.enums.iter().map(|(name, states)| (name.as_str(), Table::of_states(name, states)));
        let tables = crate::view::labels::ALL.into_iter().map(|n| (n, n.table())).collect();
        Self { traced, activity, fst, states: states.collect(), tables, sections: Vec::new() }
    }

    pub(super) fn signals(&self, choose: impl Fn(&TracedSignal) -> bool) -> Vec<&'a TracedSignal> {
        self.traced.signals.iter().filter(|s| choose(s)).collect()
    }

    pub(super) fn format(&self, signal: &TracedSignal) -> Format<'_> {
        let state = signal.enumeration.as_deref().and_then(|name| self.states.get(name));
        let event = || EventView::names_of(leaf(signal)).filter(|_| is_in(signal, events::SCOPE));
        match state.or_else(|| self.tables.get(&event()?)) {
            Some(table) if self.fst && has_table(&table.enumeration()) => Format::Tabled,
            Some(table) => Format::Named(table),
            None => Format::Plain,
        }
    }

    pub(super) fn table(&self, names: Names) -> Option<&Table> {
        self.tables.get(&names)
    }

    pub(super) fn event(&self, name: &str) -> Option<&'a TracedSignal> {
        self.traced.signals.iter().find(|s| is_in(s, events::SCOPE) && leaf(s) == name)
    }

    pub(super) fn happens(&self, signals: &[&TracedSignal]) -> bool {
        signals.iter().any(|s| self.activity.happens(&s.path))
    }

    /// Signals under their own names.
    pub(super) fn ports(&self, choose: impl Fn(&TracedSignal) -> bool) -> Rows {
        let mut rows = Rows::default();
        self.signals(choose).into_iter().for_each(|s| rows.signal(s, &self.format(s)));
        rows
    }

    /// Signals inside a block under the names of what they are in: `lsa: atomic_step` for the
    /// register's `q`.
    pub(super) fn inside(&self, scope: &str, choose: impl Fn(&TracedSignal) -> bool) -> Rows {
        self.named(scope, &self.signals(choose))
    }

    /// The same of signals that are given.
    fn named(&self, scope: &str, signals: &[&TracedSignal]) -> Rows {
        let mut rows = Rows::default();
        for signal in signals {
            let inner = signal.path.split_once(scope).map_or(signal.path.as_str(), |(_, inner)| inner);
            // GTKWave would show of a name with dots what is behind the last.
            let name = inner.strip_suffix(".q").unwrap_or(inner).replace('.', ": ");
            rows.alias(&name, signal, &self.format(signal));
        }
        rows
    }

    /// Events under these labels; those that the trace has.
    fn events(&self, labels: &[(String, String)]) -> Rows {
        let mut rows = Rows::default();
        labels.iter().for_each(|(label, name)| self.event_row(&mut rows, label, name));
        rows
    }

    /// An event under a label, if the trace has it.
    pub(super) fn event_row(&self, rows: &mut Rows, label: &str, name: &str) {
        let Some(signal) = self.event(name) else { return };
        match EventView::names_of(name) {
            // Of a number that is there the highest bit is set.
            Some(Names::Number | Names::Pixel | Names::Depth | Names::Pairs) => {
                rows.field(label, signal, signal.width - 2, 0, &Format::Decimal);
            }
            Some(Names::Amount | Names::Count) => rows.alias(label, signal, &Format::Decimal),
            _ => rows.alias(label, signal, &self.format(signal)),
        }
    }

    pub(super) fn section(&mut self, title: impl Into<String>, used: bool, rows: Rows) {
        self.sections.push(Section { title: title.into(), used, rows });
    }

    /// The rows of the whole view.
    pub fn rows(mut self) -> Rows {
        let units = self.units();
        let mut rows = Rows::default();
        for signal in self.signals(|s| is_in(s, events::TIME)) {
            rows.alias(leaf(signal), signal, &Format::Decimal);
        }
        self.signals(|s| is_top(s) && leaf(s) == "clock").iter().for_each(|s| rows.signal(s, &Format::Plain));
        self.graphics();
        self.threads(units.len());
        self.lists();
        self.messages();
        self.operations();
        for (i, unit) in units.iter().enumerate() {
            if i == 0 || units[i - 1].core != unit.core {
                self.core(unit.core);
            }
            self.unit(unit);
        }
        self.machine();
        if units.is_empty() && self.sections.iter().all(|s| s.rows.is_empty()) {
            // A trace of a scope inside: show what there is, states first.
            let inner = |s: &TracedSignal| !is_in(s, events::TIME);
            self.section("states", true, self.inside("", |s| inner(s) && s.enumeration.is_some()));
            self.section("signals", true, self.inside("", |s| inner(s) && s.enumeration.is_none()));
        }
        let (used, unused): (Vec<Section>, Vec<Section>) = self.sections.into_iter().partition(|s| s.used);
        used.into_iter().chain(unused).for_each(|s| rows.group(&s.title, s.used, s.rows));
        rows
    }

    /// The units, from the scopes that there are and the ports of the top level.
    fn units(&self) -> Vec<Unit> {
        let local = |s: &TracedSignal| {
            let (_, inside) = s.path.split_once(".cores_")?;
            let (core, inside) = inside.split_once(".units_")?;
            Some((core.parse::<usize>().ok()?, inside.split('.').next()?.parse::<usize>().ok()?))
        };
        let mut places: Vec<(usize, usize)> = self.traced.signals.iter().filter_map(local).collect();
        places.sort_unstable();
        places.dedup();
        let ports = self.signals(|s| is_top(s) && leaf(s).starts_with("ret_valid_"));
        let count = ports.into_iter().filter_map(|s| element(&s.path)).max().map_or(0, |last| last + 1);
        let cores = places.last().map_or(1, |p| p.0 + 1);
        let unit = |number: usize| {
            let (core, local) = places.get(number).copied().unwrap_or((0, number));
            let name = if cores == 1 { format!("unit {number}") } else { format!("core {core} unit {number}") };
            Unit { number, core, scope: format!(".cores_{core}.units_{local}."), name }
        };
        (0..count).map(unit).collect()
    }

    /// What each thread does, one row per warp slot.
    fn threads(&mut self, units: usize) {
        let (mut rows, mut idle, mut waits) = (Rows::default(), Rows::default(), false);
        for (unit, warp) in (0..units).flat_map(|unit| (0..16).map(move |warp| (unit, warp))) {
            let end = format!(".views_{unit}.thread_{warp}");
            let found = self.traced.signals.iter().find(|s| s.path.ends_with(&end) && s.width == 12);
            let Some(signal) = found else { continue };
            waits |= self.activity.values(&signal.path).any(|v| v >= 0x800);
            let rows = if self.activity.happens(&signal.path) { &mut rows } else { &mut idle };
            rows.alias(&format!("unit {unit} warp {warp}"), signal, &Format::Named(&self.tables[&Names::ThreadState]));
        }
        if rows.is_empty() {
            rows = idle;
        } else {
            rows.group("slots without a thread", false, idle);
        }
        let used = waits || self.event("operation").is_some_and(|s| self.activity.happens(&s.path));
        self.section("semaphores", used, rows);
    }

    /// Who is in the lists of the semaphores that are used, or of the first ones.
    fn lists(&mut self) {
        let variables = self.signals(|s| is_in(s, lists::SCOPE));
        let find = |index: usize| {
            let (name, width) = ListView::variable(index);
            variables.iter().copied().find(|s| s.width == width && leaf(s) == name)
        };
        let all: Vec<(usize, &TracedSignal, &TracedSignal)> =
            (0..).map_while(|n| Some((n, find(2 * n)?, find(2 * n + 1)?))).collect();
        let used: Vec<_> = all.iter().filter(|(_, _, length)| self.activity.happens(&length.path)).copied().collect();
        let mut rows = Rows::default();
        for (n, places, length) in if used.is_empty() { &all } else { &used }.iter().take(SHOWN) {
            for (place, name) in (0..).zip(LIST_PLACES) {
                let low = lists::PLACE * place;
                let table = &self.tables[if place == 0 { &Names::Owner } else { &Names::Waiting }];
                let label = format!("semaphore {n}: {name}");
                rows.field(&label, places, low + lists::PLACE - 1, low, &Format::Named(table));
            }
            rows.alias(&format!("semaphore {n}: length"), length, &Format::Decimal);
        }
        self.section("lists", !used.is_empty(), rows);
    }

    /// Messages on the bus with their fields.
    fn messages(&mut self) {
        let kinds: Vec<&TracedSignal> = (0..).map_while(|k| self.event(&format!("message_{k}_kind"))).collect();
        let receivers = kinds.len();
        let fields = |k: usize| {
            let to = match receivers - k {
                1 => "to entity, release".to_owned(),
                2 => "to entity, acquire".to_owned(),
                _ => format!("to row {k}"),
            };
            ["kind", "semaphore", "thread", "flags", "count"]
                .map(|f| (format!("{to}: {f}"), format!("message_{k}_{f}")))
        };
        let labels: Vec<(String, String)> = (0..receivers).flat_map(fields).collect();
        let mut rows = self.events(&labels);
        rows.group("message ports", false, self.ports(|s| is_top(s) && leaf(s).starts_with("bus_")));
        self.section("messages", self.happens(&kinds), rows);
    }

    /// Operations of the semaphore entity on lists.
    fn operations(&mut self) {
        let label = |(label, name): (&str, &str)| (label.to_owned(), name.to_owned());
        let labels = [
            ("operation", "operation"),
            ("semaphore", "operation_semaphore"),
            ("thread", "operation_thread"),
            ("entry", "operation_entry"),
            ("protocol error", "operation_error"),
            ("count", "operation_count"),
        ];
        let mut rows = self.events(&labels.map(label));
        rows.group("operation ports", false, self.ports(|s| is_top(s) && leaf(s).starts_with("op_")));
        let used = self.event("operation").is_some_and(|s| self.activity.happens(&s.path));
        self.section("list operations", used, rows);
    }

    /// What a core has beside its units.
    fn core(&mut self, core: usize) {
        let scope = format!(".cores_{core}.");
        let state = |s: &TracedSignal| s.path.contains(&scope) && !s.path.contains(".units_") && is_state(s);
        let used = self.signals(state).iter().any(|s| self.activity.moves(&s.path));
        self.section(format!("core {core}: states"), used, self.inside(&scope, state));
        let operation = ["step", "unit", "warp", "seq", "mask", "dst", "operation", "address", "old_lo", "old_hi"];
        let answer = ["rsp_valid", "rsp_ready", "rsp_unit", "rsp_warp", "rsp_mask", "rsp_dst", "rsp_wen", "rsp_value0"];
        let scalar = format!("{scope}scalar_0.");
        let shown = |s: &TracedSignal| {
            let inside = s.path.split_once(&scalar).map(|(_, inside)| inside);
            let register = |i: &str| i.strip_suffix(".q").is_some_and(|i| operation.contains(&i));
            inside.is_some_and(|i| answer.contains(&i) || register(i))
        };
        let used = self.signals(|s| shown(s) && is_state(s)).iter().any(|s| self.activity.moves(&s.path));
        self.section(format!("core {core}: scalar unit"), used, self.inside(&scalar, shown));
    }

    /// Events, states and warps of a unit.
    fn unit(&mut self, unit: &Unit) {
        let (number, name, scope) = (unit.number, &unit.name, unit.scope.as_str());
        let port = |s: &TracedSignal, prefixes: &[&str]| {
            is_top(s) && prefixes.iter().any(|p| leaf(s).starts_with(p)) && element(&s.path) == Some(number)
        };
        let label = |(label, event): (&str, &str)| (label.to_owned(), format!("{event}_{number}"));
        let labels = [
            ("retired instruction", "retired"),
            ("warp", "retired_warp"),
            ("lanes 3210", "retired_lanes"),
            ("count", "retired_count"),
        ];
        let mut rows = self.events(&labels.map(label));
        rows.group("retire port", false, self.ports(|s| port(s, &["ret_"])));
        let retired = self.event(&format!("retired_{number}"));
        let used = retired.is_some_and(|s| self.activity.happens(&s.path));
        self.section(format!("{name}: retire"), used, rows);
        let labels = [
            ("completion by", "completed_by"),
            ("warp", "completed_warp"),
            ("lanes 3210", "completed_lanes"),
            ("count", "completed_count"),
        ];
        let mut rows = self.events(&labels.map(label));
        rows.group("completion port", false, self.ports(|s| port(s, &["mret_"])));
        let used = self.event(&format!("completed_by_{number}")).is_some_and(|s| self.happens(&[s]));
        self.section(format!("{name}: completions"), used, rows);
        // A machine has many units: the signals of this one are looked for once.
        let own = self.signals(|s| s.path.contains(scope));
        let of = |choose: &dyn Fn(&TracedSignal) -> bool| -> Vec<&TracedSignal> {
            own.iter().copied().filter(|s| choose(s)).collect()
        };
        // A write of a register: whether it goes to the word that all lanes read, and to which
        // lanes.
        let write = ["write_warp", "write_register", "write_mask", "write_wide", "share", "set", "lanes", "value"];
        let results = format!("{scope}shared_result_0.");
        let written = of(&|s| s.path.split_once(&results).is_some_and(|(_, i)| write.contains(&i)));
        let used = self.happens(&of(&|s| s.path.contains(&results) && leaf(s) == "share"));
        self.section(format!("{name}: shared results"), used, self.named(&results, &written));
        self.late_lanes(unit, &own);
        let states = of(&is_state);
        let used = states.iter().any(|s| self.activity.moves(&s.path));
        self.section(format!("{name}: states"), used, self.named(scope, &states));
        self.warps(unit, &own);
        let used = self.happens(&self.signals(|s| port(s, &["shw_valid_"])));
        self.section(format!("{name}: shared writes"), used, self.ports(|s| port(s, &["shw_"])));
        self.section(format!("{name}: issue"), false, self.ports(|s| port(s, &["issue_", "stall_", "waiting_"])));
    }

    /// Lanes that come late to warp-wide atomics (WW-27): who is to come and where, which arrivals
    /// are late, and what is written for them.
    fn late_lanes(&mut self, unit: &Unit, own: &[&TracedSignal]) {
        let (encounters, results) = (format!("{}encounters.", unit.scope), format!("{}late_results.", unit.scope));
        let inside = |s: &TracedSignal, scope: &str, ports: &[&str], registers: &[&str]| {
            s.path.split_once(scope).is_some_and(|(_, name)| {
                let register = |name: &str| registers.iter().any(|r| name.starts_with(r));
                ports.contains(&name) || name.strip_suffix(".q").is_some_and(register)
            })
        };
        let waits = |s: &&&TracedSignal| inside(s, &encounters, &["late", "stored"], &["place_", "late_lanes_"]);
        let words = ["write", "last", "warp", "mask", "dst", "value"];
        let (waits, written): (Vec<_>, Vec<_>) = (
            own.iter().filter(waits).copied().collect(),
            own.iter().filter(|s| inside(s, &results, &words, &[])).copied().collect(),
        );
        let used = waits.iter().any(|s| leaf(s) == "stored" && self.activity.happens(&s.path));
        self.section(format!("{}: late lanes", unit.name), used, self.named(&encounters, &waits));
        self.section(format!("{}: kept results", unit.name), used, self.named(&results, &written));
    }

    /// Counters and masks of the warps of a unit with these signals. `masked_now` and `saved_mask`
    /// are of warp-wide atomics by a representative.
    fn warps(&mut self, unit: &Unit, own: &[&TracedSignal]) {
        let kinds = ["pc", "mask", "running", "blocked"];
        let register = |s: &&TracedSignal| s.path.ends_with(".q") && kinds.iter().any(|k| s.path.contains(k));
        let registers: Vec<&TracedSignal> = own.iter().copied().filter(register).collect();
        for warp in 0..16 {
            let context = format!(".contexts_{warp}.");
            let of: Vec<&TracedSignal> = registers.iter().copied().filter(|s| s.path.contains(&context)).collect();
            let masked = of.iter().any(|s| s.path.ends_with(".masked_now.q") && self.activity.happens(&s.path));
            let title = format!("{} warp {warp}: counters and masks", unit.name);
            self.section(title, masked, self.named(&context, &of));
        }
    }

    fn machine(&mut self) {
        let starts = |s: &TracedSignal, prefixes: &[&str]| is_top(s) && prefixes.iter().any(|p| leaf(s).starts_with(p));
        let label = |(label, name): (&str, &str)| (label.to_owned(), name.to_owned());
        let launches =
            [("launched thread", "launched_thread"), ("lanes 3210", "launched_lanes"), ("count", "launched_count")];
        let accesses = [("access", "memory_access"), ("requester", "memory_requester"), ("count", "memory_count")];
        for (title, ports, prefix, labels) in
            [("launches", "launch ports", "launch_", launches), ("memory port", "memory ports", "mem_", accesses)]
        {
            let mut rows = self.events(&labels.map(label));
            rows.group(ports, false, self.ports(|s| starts(s, &[prefix])));
            let used = self.event(labels[0].1).is_some_and(|s| self.happens(&[s]));
            self.section(title, used, rows);
        }
        let trapped = self.happens(&self.signals(|s| is_top(s) && leaf(s) == "trapped"));
        let mut rows = self.ports(|s| starts(s, &["busy", "trap", "host_"]));
        rows.group("dispatcher", true, self.inside(".dispatcher.", |s| s.path.contains(".dispatcher.") && is_state(s)));
        self.section("machine", trapped, rows);
    }
}
