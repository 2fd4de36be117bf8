//! What happens in a cycle, as waves show it. The RTL's event ports keep their last values while
//! they are not valid, and a viewer draws them as if they were meant. The variables here are made
//! from the same ports: 0, which [`crate::view::labels`] names "-", in each cycle in which nothing
//! happens. They are in the scope [`SCOPE`] of the top; the number of the cycle is in [`TIME`], in
//! every trace whatever its scopes. Beside it is the number of the dispatch, in the trace of a job
//! with several. But for counts they have no memory: a value depends on the
//! cycle's outputs alone, so a trace may begin anywhere. They show what the machine said, right or
//! wrong; the ports themselves stay in the trace beside them.
//!
//! Two equal events in cycles that follow each other look like one of two cycles. So each kind of
//! event has a count, of those up to this cycle since the traced run began. A replay begins at its
//! snapshot, and so do its counts.

use crate::machine::ports::{BusEvent, LaunchEvent, ListOp, ListOpKind, MessageKind, Outputs, UnitOutputs};
use crate::machine::signals::{SignalKind, SignalTree};
use crate::view::labels::{self, Names};
use crate::view::lists;
use crate::view::pipeline;

/// Scope of the events, inside the top.
pub const SCOPE: &str = "events";
/// Scope of the number of the cycle, inside the top.
pub const TIME: &str = "time";
/// The number of the cycle; the first variable.
pub const CYCLE: &str = "cycle";
/// Its bits.
pub const CYCLE_WIDTH: u32 = 32;
/// The number of the dispatch, counted from 1; behind the cycle, in a run of several.
pub const DISPATCH: &str = "dispatch";
/// Its bits.
pub const DISPATCH_WIDTH: u32 = 32;

/// Variables of each receiver of the bus, of each unit, and of the machine, without the numbers of
/// receiver and unit. Those of an event end with its count, and the first says whether it is there.
const OF_MESSAGE: [(&str, Names); 5] = [
    ("kind", Names::Message),
    ("semaphore", Names::Semaphore),
    ("thread", Names::Thread),
    ("flags", Names::Flags),
    ("count", Names::Count),
];
const OF_UNIT: [(&str, Names); 8] = [
    ("retired", Names::Retired),
    ("retired_warp", Names::Warp),
    ("retired_lanes", Names::Lanes),
    ("retired_count", Names::Count),
    ("completed_by", Names::Pipeline),
    ("completed_warp", Names::Warp),
    ("completed_lanes", Names::Lanes),
    ("completed_count", Names::Count),
];
const OF_MACHINE: [(&str, Names); 12] = [
    ("operation", Names::ListOperation),
    ("operation_semaphore", Names::Semaphore),
    ("operation_thread", Names::Thread),
    ("operation_entry", Names::ListEntry),
    ("operation_error", Names::ListError),
    ("operation_count", Names::Count),
    ("launched_thread", Names::Thread),
    ("launched_lanes", Names::Lanes),
    ("launched_count", Names::Count),
    ("memory_access", Names::Access),
    ("memory_requester", Names::Requester),
    ("memory_count", Names::Count),
];

/// A variable: name and kind of its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    pub name: String,
    pub names: Names,
}

/// The events of a machine.
#[derive(Clone, Debug)]
pub struct EventView {
    receivers: usize,
    units: usize,
    graphics: bool,
    /// Of a run of several dispatches: the one that runs.
    dispatch: Option<u32>,
    counted: Vec<Counted>,
}

/// A count, by the numbers of its variable and of that which says whether there is an event.
#[derive(Clone, Debug)]
struct Counted {
    place: usize,
    event: usize,
    /// That one says how many there are.
    many: bool,
    count: u64,
}

fn thread(number: u16) -> u64 {
    u64::from(lists::PRESENT | number & (lists::RELEASED - 1))
}

fn lanes(mask: u8) -> u64 {
    0x10 | u64::from(mask & 15)
}

fn message(event: &BusEvent) -> [u64; 5] {
    let kind = match event.kind {
        MessageKind::Acquire => 4,
        MessageKind::Release => 5,
        MessageKind::Acknowledge => 6,
        MessageKind::Undefined => 7,
    };
    let flags = 4 | u64::from(event.auto) | u64::from(event.suppress) << 1;
    [kind, labels::semaphore(event.semaphore), thread(event.thread), flags, 0]
}

fn unit(outputs: &UnitOutputs) -> [u64; 8] {
    let [mut opcode, mut warp, mut mask] = [0; 3];
    if let Some(r) = &outputs.retire {
        [opcode, warp, mask] = [0x100 | (r.word() & 0xff), 0x10 | u64::from(r.warp & 15), lanes(r.mask)];
    }
    let Some(c) = &outputs.completion else { return [opcode, warp, mask, 0, 0, 0, 0, 0] };
    let by = 4 | u64::from(c.function) << 1 | u64::from(c.shared);
    [opcode, warp, mask, 0, by, 0x10 | u64::from(c.warp & 15), lanes(c.mask), 0]
}

fn operation(op: &ListOp) -> [u64; 6] {
    let kind = match op.kind {
        ListOpKind::Appended => 1,
        ListOpKind::Removed => 2,
        ListOpKind::Marked => 3,
        ListOpKind::Passed => 4,
        ListOpKind::Error => 5,
        ListOpKind::Undefined => 6,
    };
    // The port of the entry has another meaning in an error, and none where an acquire passed.
    let (entry, error) = match op.kind {
        ListOpKind::Error => (0, u64::from(op.entry.clamp(1, 4))),
        ListOpKind::Passed => (0, 0),
        _ => (0x1000 | u64::from(op.entry & 0xfff), 0),
    };
    [kind, labels::semaphore(op.semaphore), thread(op.thread), entry, error, 0]
}

impl EventView {
    /// Of a machine with so many receivers on its message bus, and units; with graphics or without.
    pub fn new(receivers: usize, units: usize, graphics: bool) -> Self {
        let mut view = Self { receivers, units, graphics, dispatch: None, counted: vec![] };
        let (variables, mut event) = (view.variables(), 0);
        for (place, _) in variables.iter().enumerate().filter(|(_, v)| v.names == Names::Count) {
            let many = variables[event].names == Names::Amount;
            view.counted.push(Counted { place, event, many, count: 0 });
            event = place + 1;
        }
        view
    }

    /// Counts the events of a cycle, to be called once for each before [`EventView::values`].
    pub fn count(&mut self, outputs: &Outputs) {
        let mut now = Vec::new();
        self.values(outputs, &mut now);
        for c in &mut self.counted {
            c.count += if c.many { now[c.event] } else { u64::from(now[c.event] != 0) };
        }
    }

    /// From here on dispatch `number` runs.
    pub fn begin_dispatch(&mut self, number: u32) {
        self.dispatch = Some(number);
    }

    /// The dispatch that runs, of a run of several.
    pub fn dispatch(&self) -> Option<u32> {
        self.dispatch
    }

    /// The variables of [`SCOPE`], in order.
    pub fn variables(&self) -> Vec<Variable> {
        let of = |list: &[(&str, Names)], prefix: &str, end: &str| -> Vec<Variable> {
            let name = |(name, names): &(&str, Names)| Variable { name: format!("{prefix}{name}{end}"), names: *names };
            list.iter().map(name).collect()
        };
        let messages = (0..self.receivers).flat_map(|k| of(&OF_MESSAGE, &format!("message_{k}_"), ""));
        let units = (0..self.units).flat_map(|u| of(&OF_UNIT, "", &format!("_{u}")));
        let graphics = if self.graphics { of(&pipeline::VARIABLES, "", "") } else { vec![] };
        of(&OF_MACHINE, "", "").into_iter().chain(messages).chain(units).chain(graphics).collect()
    }

    /// Values of all variables in a cycle with these outputs, in the same order.
    pub fn values(&self, outputs: &Outputs, values: &mut Vec<u64>) {
        values.clear();
        values.extend(outputs.list_op.as_ref().map_or([0; 6], operation));
        let launch = outputs.launch.as_ref();
        let launched = |l: &LaunchEvent| [thread(u16::from(l.unit) << 4 | u16::from(l.warp)), lanes(l.mask), 0];
        values.extend(launch.map_or([0; 3], launched));
        values.push(outputs.mem_req.as_ref().map_or(0, |r| 2 | u64::from(r.write)));
        values.push(outputs.mem_source.map_or(0, |s| 0x40 | u64::from(s & 63)));
        values.push(0);
        for receiver in 0..self.receivers {
            let event = outputs.bus.iter().find(|e| usize::from(e.receiver) == receiver);
            values.extend(event.map_or([0; 5], message));
        }
        for u in 0..self.units {
            values.extend(outputs.units.get(u).map_or([0; 8], unit));
        }
        if self.graphics {
            pipeline::values(&outputs.graphics, values);
        }
        for c in &self.counted {
            values[c.place] = c.count & u64::from(u32::MAX);
        }
    }

    /// Kind of the values of a variable of [`SCOPE`] by its name.
    pub fn names_of(name: &str) -> Option<Names> {
        let of = |list: &[(&str, Names)], name: &str| list.iter().find(|v| v.0 == name).map(|v| v.1);
        let numbered = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        if let Some((receiver, field)) = name.strip_prefix("message_").and_then(|rest| rest.split_once('_')) {
            return of(&OF_MESSAGE, field).filter(|_| numbered(receiver));
        }
        let unit = name.rsplit_once('_').filter(|(_, number)| numbered(number));
        let known = of(&OF_MACHINE, name).or_else(|| of(&pipeline::VARIABLES, name));
        known.or_else(|| of(&OF_UNIT, unit?.0))
    }

    /// Describes the variables: the cycle, the dispatch, then the events.
    pub fn describe(&self, tree: &mut dyn SignalTree) {
        tree.enter(TIME);
        tree.signal(CYCLE, CYCLE_WIDTH, SignalKind::Bits);
        if self.dispatch.is_some() {
            tree.signal(DISPATCH, DISPATCH_WIDTH, SignalKind::Bits);
        }
        tree.leave();
        tree.enter(SCOPE);
        for variable in self.variables() {
            tree.signal(&variable.name, variable.names.width(), SignalKind::Bits);
        }
        tree.leave();
    }
}

#[cfg(test)]
mod tests {
    use quadlock_hdl::ports::{
        CommitEvent, GraphicsLaunched, ListOperation, MergeEvent, TileEvent, TriangleEvent, WindowEvent, WorkEvent,
    };

    use super::*;
    use crate::machine::ports::{CompletionEvent, GraphicsOutputs, MemoryRequest, RetireEvent};

    fn busy() -> Outputs {
        let unit = UnitOutputs {
            retire: Some(RetireEvent { warp: 3, mask: 0b1011, ..RetireEvent::default() }.with_word(0x1_0000_0002)),
            completion: Some(CompletionEvent { warp: 2, mask: 0b0100, shared: true, ..CompletionEvent::default() }),
            ..UnitOutputs::default()
        };
        let acquire = BusEvent::of(1, 0, 0b0100, 0x0014_0011);
        let acknowledge = BusEvent::of(0, 3, 2, 0x0014_FFFF);
        Outputs {
            units: vec![UnitOutputs::default(), unit],
            bus: vec![acquire, acknowledge],
            list_op: Some(ListOp::of(&ListOperation { kind: 1, sem: 17, thread: 0x14, entry: 9 })),
            launch: Some(LaunchEvent { unit: 1, warp: 4, mask: 15, ..LaunchEvent::default() }),
            mem_req: Some(MemoryRequest { write: true, ..MemoryRequest::default() }),
            mem_source: Some(33),
            ..Outputs::default()
        }
    }

    /// Every variable of a busy cycle by the name of its value; and every value has one.
    fn shown(outputs: &Outputs) -> Vec<(String, String)> {
        let view = EventView::new(3, 2, true);
        let mut values = Vec::new();
        view.values(outputs, &mut values);
        let variables = view.variables();
        assert_eq!(variables.len(), values.len());
        let name = |(variable, value): (Variable, u64)| {
            assert_eq!(EventView::names_of(&variable.name), Some(variable.names), "{}", variable.name);
            let table = variable.names.table();
            assert!(value >> table.width == 0);
            if table.labels.is_empty() {
                let number = value & ((1 << (table.width - 1)) - 1);
                return (variable.name, if value == 0 { "-".into() } else { number.to_string() });
            }
            let label = table.labels.iter().find(|l| l.0 == value);
            (variable.name, label.unwrap_or_else(|| panic!("{value} has no name")).1.clone())
        };
        variables.into_iter().zip(values).map(name).collect()
    }

    #[test]
    fn a_cycle_without_events_shows_nothing_stale() {
        let quiet = Outputs { units: vec![UnitOutputs::default(); 2], ..Outputs::default() };
        assert!(shown(&quiet).iter().all(|(_, name)| name == "-"));
    }

    #[test]
    fn events_are_shown_by_name() {
        let shown = shown(&busy());
        for (variable, name) in [
            ("operation", "remove head"),
            ("operation_semaphore", "17"),
            ("operation_thread", "unit 1 warp 4"),
            ("operation_entry", "9"),
            ("operation_error", "-"),
            ("launched_thread", "unit 1 warp 4"),
            ("launched_lanes", "1111"),
            ("memory_access", "write"),
            ("memory_requester", "pipeline of core 1"),
            ("message_0_kind", "ACK_MSG"),
            ("message_0_semaphore", "no such semaphore"),
            ("message_1_kind", "ACQ_MSG"),
            ("message_1_flags", "auto-release"),
            ("message_1_semaphore", "17"),
            ("message_2_kind", "-"),
            ("message_2_thread", "-"),
            ("retired_0", "-"),
            ("retired_1", "END"),
            ("retired_warp_1", "3"),
            ("retired_lanes_1", "1011"),
            ("completed_by_1", "shared"),
            ("completed_warp_1", "2"),
            ("completed_lanes_1", "0100"),
        ] {
            assert!(shown.contains(&(variable.to_owned(), name.to_owned())), "{variable}: {shown:?}");
        }
        assert_eq!(EventView::names_of("retired_x"), None);
        assert_eq!(EventView::names_of("message_0_body"), None);
    }

    #[test]
    fn the_pipeline_of_graphics_is_shown_by_name() {
        let triangle = TriangleEvent { context: 3, order: 700, what: 0, clipped: true, last: true, handle: 9 };
        let place = [6 | 10 << 12 | 3 << 24; 4];
        let launch = GraphicsLaunched { kind: 2, context: 2, covered: 6, place, order: 65535, ..Default::default() };
        let commit = CommitEvent { order: 5, x: 3, y: 4, sample: 1, coverage: 2, last: true, ..Default::default() };
        let graphics = GraphicsOutputs {
            triangle: Some(triangle),
            launch: Some(launch),
            commit: Some(CommitEvent { depth: [1, 77, 1, 1], ..commit }),
            tile: Some(TileEvent { written: false, reloaded: true }),
            merges: vec![MergeEvent::default(); 2],
            splits: vec![],
            culls: vec![],
            ahead: None,
            work: Some(WorkEvent { tiled: true, clipped: true, ..Default::default() }),
            window: Some(WindowEvent { cause: 4, triangles: 12, pairs: 70_000, order: 9 }),
            state: None,
            stage: None,
        };
        let shown = shown(&Outputs { graphics, ..busy() });
        for (variable, name) in [
            ("triangle", "set up, clipped"),
            ("triangle_number", "700"),
            ("triangle_context", "3"),
            ("triangle_handle", "9"),
            ("state_of_context", "-"),
            ("shaded", "quad"),
            ("shaded_lanes", "0110"),
            ("shaded_x", "6"),
            ("shaded_y", "10"),
            ("shaded_triangle", "65535"),
            ("shaded_vertex", "-"),
            ("written_lanes", "0010"),
            ("written_x", "6"),
            ("written_y", "8"),
            ("written_sample", "1"),
            ("written_target", "0"),
            ("written_triangle", "5"),
            ("written_depth", "77"),
            ("quad_done", "yes"),
            ("tile", "loaded again"),
            ("merges", "2"),
            ("splits", "-"),
            ("window_end", "the list waits"),
            ("window_triangles", "12"),
            ("window_pairs", "70000"),
            ("window_last", "9"),
            ("work", "tile buffers, clipper"),
        ] {
            assert!(shown.contains(&(variable.to_owned(), name.to_owned())), "{variable}: {shown:?}");
        }
    }

    /// Equal events in cycles that follow each other; two merges in one cycle.
    #[test]
    fn each_event_is_counted() {
        let mut view = EventView::new(3, 2, true);
        let merges = GraphicsOutputs { merges: vec![MergeEvent::default(); 2], ..GraphicsOutputs::default() };
        let quiet = Outputs { units: vec![UnitOutputs::default(); 2], ..Outputs::default() };
        for outputs in [&busy(), &busy(), &quiet, &Outputs { graphics: merges, ..quiet.clone() }] {
            view.count(outputs);
        }
        let mut values = Vec::new();
        view.values(&quiet, &mut values);
        let counted = view.variables().into_iter().zip(values).filter(|(v, _)| v.names == Names::Count);
        let counts: std::collections::BTreeMap<String, u64> = counted.map(|(v, count)| (v.name, count)).collect();
        let twice = ["operation_count", "launched_count", "memory_count", "message_0_count", "message_1_count"];
        let units = ["retired_count_1", "completed_count_1", "merge_count"];
        for (name, count) in &counts {
            let is_counted = twice.iter().chain(&units).any(|n| n == name);
            assert_eq!(*count, if is_counted { 2 } else { 0 }, "{name}: {counts:?}");
        }
        assert_eq!(counts.len(), 3 + 3 + 2 * 2 + 11, "{counts:?}");
    }

    #[test]
    fn an_error_has_a_reason_and_no_entry() {
        let outputs =
            Outputs { list_op: Some(ListOp::of(&ListOperation { kind: 4, sem: 2000, thread: 5, entry: 3 })), ..busy() };
        let shown = shown(&outputs);
        for (variable, name) in [
            ("operation", "protocol error"),
            ("operation_semaphore", "no such semaphore"),
            ("operation_error", "no such semaphore"),
            ("operation_entry", "-"),
        ] {
            assert!(shown.contains(&(variable.to_owned(), name.to_owned())), "{variable}: {shown:?}");
        }
    }
}
