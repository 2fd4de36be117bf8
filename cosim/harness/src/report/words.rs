//! The words of what lockstep finds. Nothing below this floor makes text of a finding, and every
//! text of one is here. Wrong would be words that name another thing than the finding's data: tests
//! compare whole sentences.

use quadlock_golden::semaphores::{Message, MessageKind};

use crate::lockstep::finding::{Field, Held, HeldSince, Impossible, Key, Name, Value, WaitShown, What};

/// Who culls, by the number of the event.
const CULLERS: [&str; 4] = ["nobody", "visibility unit", "binner", "rasteriser"];

/// What is wrong, in one line.
pub fn what(what: &What) -> String {
    match what {
        What::Launch(e) => e.to_string(),
        What::Step(e) => e.to_string(),
        What::Impossible(event) => impossible(event),
        What::Held { what, blocked: false } => held(what),
        What::Held { what, blocked: true } => format!("{}: its lanes are blocked at a barrier", held(what)),
        _ => launch(what)
            .or_else(|| instruction(what))
            .or_else(|| memory(what))
            .or_else(|| bus(what))
            .or_else(|| list(what))
            .or_else(|| frame(what))
            .or_else(|| merging(what))
            .or_else(|| splitting(what))
            .unwrap_or_else(|| format!("{what:?}")),
    }
}

fn launch(what: &What) -> Option<String> {
    let text = match what {
        What::NoUnit { unit, units } => format!("a warp is launched on unit {unit}; the machine has {units}"),
        What::NoSlot { unit, warp, row, core, slots } => format!(
            "a warp is launched into slot {warp} of unit {unit} (row {row} core {core}), which has {slots} slots"
        ),
        What::NoFunctionUnit { unit, row, core } => format!(
            "a program that needs the function unit is launched on unit {unit} (row {row} core {core}), which has none"
        ),
        What::AfterAll { threads } => format!("a thread is launched after all {threads} of the list"),
        What::AfterLast => "a thread is launched after the last of the list".into(),
        What::OutsideGrid { group, grid } => format!("group {group:?} is launched, but the grid is {grid:?}"),
        What::OutsideGroup { warp, per_group } => {
            format!("warp {warp} of a group is launched; a group has {per_group}")
        }
        What::LaunchedTwice { warp, group } => format!("warp {warp} of group {group:?} is launched twice"),
        What::GroupSlot { slot, allowed } => format!("group slot {slot} is used; the host allowed {allowed}"),
        What::ThreadDiffers => "the launch of a thread differs from its record".into(),
        What::LaunchDiffers => "a launch differs".into(),
        What::ThreadsMissing { launched, all } => format!("{launched} of {all} threads of the list were launched"),
        What::WarpsMissing { launched, all, first } => {
            format!("{launched} of {all} warps were launched; the first group not launched wholly is {first:?}")
        }
        What::LaunchedUnacknowledged => {
            "a slot is launched into before every acknowledgement for its last thread has come".into()
        }
        _ => return None,
    };
    Some(text)
}

fn instruction(what: &What) -> Option<String> {
    let text = match what {
        What::WentOnEarly => "a warp went on before the rest of its group had arrived at the barrier".into(),
        What::BlockedRetires => "a lane that is blocked at a barrier retires".into(),
        What::TrapsOnOneSide => "an instruction traps on one side only".into(),
        What::TrapOutputs => "the trap outputs are wrong".into(),
        What::Shown { unit, warp, how } => format!("unit {unit} warp {warp}: {}", shown(*how)),
        What::ExecutesWaiting { acknowledgements } => {
            format!("a thread executes while it waits for {acknowledgements} acknowledgement(s) of a semaphore")
        }
        What::GoesOnUnacknowledged => "a thread goes on before the acknowledgement that it waits for".into(),
        What::RetirementDiffers => "a retired instruction differs".into(),
        What::CompletionDiffers => "the result of a completed instruction differs".into(),
        What::ForeignBeat { register } => {
            format!("a completion beat writes r{register}, which the instruction does not write")
        }
        What::DeliveredTwice { lane, register } => format!("lane {lane} of r{register} is delivered twice"),
        What::Delivery => "the result of a warp-wide operation is not one value for exactly the active lanes".into(),
        What::Arrival => "lanes that come to a warp-wide operation are not taken for what they are, late or not".into(),
        What::ModelRuns { standing } => format!("the machine is idle, but the model has not ended:\n{standing}"),
        _ => return None,
    };
    Some(text)
}

/// Of a frame; where it is stands beside it.
fn frame(what: &What) -> Option<String> {
    let text = match what {
        What::NoState { context } => format!("a warp of context {context}, which has no state"),
        What::NoGraphics => "a warp is launched that is none of graphics".into(),
        What::WarpStart => "a warp starts at another instruction than its program".into(),
        What::VertexUnknown => "a vertex is shaded that no draw names".into(),
        What::VertexMissing => "a vertex of a triangle was not shaded".into(),
        What::VertexBypassed => "the cull pipeline shades a vertex of a draw that bypasses it".into(),
        What::PositionDiffers => "the cull pipeline's position of a vertex is not the vertex's".into(),
        What::AheadUnknown => "the cull pipeline tells of a triangle that none of its draws has".into(),
        What::AheadFate => "the cull pipeline finds another fate of a triangle than the model".into(),
        What::SkipBypassed => "a triangle is skipped of a draw that bypasses the cull pipeline".into(),
        What::SkipVisible => "a triangle is skipped that the cull pipeline has left visible".into(),
        What::SkipWrong => "a triangle is skipped of which something is seen; by the cull pipeline".into(),
        What::TriangleNext => "another triangle is told of than the next one".into(),
        What::TriangleClipped => "a triangle is clipped on one side only".into(),
        What::TriangleFate => "a triangle is culled or set up otherwise".into(),
        What::TrianglePieces => "another number of a triangle's pieces is set up".into(),
        What::TrianglesMissing => "not all triangles were seen".into(),
        What::QuadUnknown => "a quad is shaded that the model does not shade, or has already".into(),
        What::CullWrong { kind } => {
            format!("a quad was culled that is seen; by the {}", CULLERS[usize::from(kind & 3)])
        }
        What::QuadMissing => "a quad was not shaded".into(),
        What::QuadState => "a quad is drawn with another state".into(),
        What::QuadPlace => "place, covered samples or side of a shaded pixel differ".into(),
        What::QuadDepth => "depth of a shaded pixel differs".into(),
        What::CommitUnknown => "a quad commits of whose place the model has no samples left".into(),
        What::CommitOrder => "a quad commits before an older one of its place".into(),
        What::CommitMissing => "a quad did not commit".into(),
        What::CommitLanes => "other lanes of a quad commit".into(),
        What::Colour => "the colour of a sample differs".into(),
        What::CommitDepth => "the depth of a sample differs".into(),
        What::TileUnwritten { line } => {
            format!("a sample was committed, and its line at {line:#010x} not written before the end of the pass")
        }
        What::TileStale { line } => {
            format!("a tile is read at {line:#010x} before samples that were committed there are written")
        }
        What::TileElsewhere { line } => format!("tile buffers write {line:#010x}, which is in no target"),
        What::TargetWord => "a target in memory differs".into(),
        _ => return None,
    };
    Some(text)
}

/// Of pairs of warps.
fn merging(what: &What) -> Option<String> {
    let text = match what {
        What::NoPair { why } => format!("two warps must not be a pair: {why}"),
        What::MergedLanes => "other lanes go on after a merge".into(),
        What::PartnerMissing { pair } => format!("a member of pair {pair} was launched, and its partner never"),
        What::StoppedRetires => "a member of a pair executes though it has stopped at its merge point".into(),
        _ => return None,
    };
    Some(text)
}

/// Of groups of samples.
fn splitting(what: &What) -> Option<String> {
    let text = match what {
        What::StageSays { what } => format!("the event `stage` contradicts another event of the cycle: {what}"),
        What::NoGroup { why } => format!("warps must not be a group that splits: {why}"),
        What::GroupMember => "a warp of a sample is another member of its quad's group".into(),
        What::SplitLanes => "a split leaves other lanes or members".into(),
        What::GroupIncomplete { launched, members } => {
            format!("{launched} of the {members} members of a group that splits were launched, and the others never")
        }
        What::NeverSplit => "a group was launched and never split".into(),
        What::UnsplitRetires { asleep: true } => "a warp executes though it sleeps until its group splits".into(),
        What::UnsplitRetires { asleep: false } => "a warp executes though it has stopped at its split point".into(),
        _ => return None,
    };
    Some(text)
}

/// What became of a triangle.
fn fate(what: u8) -> &'static str {
    match what {
        0 => "set up",
        1 => "culled as out of range",
        2 => "outside the frustum",
        3 => "without area",
        4 => "culled by its face",
        5 => "without a pixel in target and scissor",
        6 => "clipped away",
        _ => "skipped",
    }
}

/// What the cull pipeline has found of a triangle.
fn fate_ahead(what: u8) -> &'static str {
    match what {
        0 => "visible",
        1..=5 => fate(what),
        6 => "hidden",
        _ => "cut by a clip plane",
    }
}

/// Where in a frame something is: draw 0, triangle 3, pixel (4, 5), and so on.
pub fn place_in_frame(key: &Key) -> String {
    let number = |name: &str, n: Option<u64>| n.map(|n| format!("{name} {n}"));
    let pixel = key.x.zip(key.y).map(|(x, y)| format!("pixel ({x}, {y})"));
    let parts = [
        number("draw", key.draw.map(|n| n as u64)),
        number("triangle", key.triangle.map(|n| n as u64)),
        pixel,
        number("sample", key.sample.map(u64::from)),
        number("target", key.target.map(u64::from)),
        number("instance", key.instance.map(u64::from)),
        number("vertex", key.index.map(u64::from)),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn shown(how: WaitShown) -> &'static str {
    match how {
        WaitShown::Running => "a thread waits, and the machine shows it as running",
        WaitShown::Waiting => "the machine shows a thread as waiting that waits for nothing",
        WaitShown::IssuesWaiting => "a thread issues while the machine shows it as waiting",
    }
}

fn memory(what: &What) -> Option<String> {
    let text = match what {
        What::BytesDiffer => "bytes written to memory differ".into(),
        What::WritesMissing { seen, expected } => {
            format!("an instruction completed with {seen} of its {expected} write transactions")
        }
        What::Locked { core, line, other } => {
            format!("core {core} accesses line {line:#010x}, which an atomic of core {other} has locked")
        }
        What::ForeignWrite { unit, addr, cycle } => {
            let place = unit.map_or("memory".to_owned(), |u| format!("shared storage of unit {u}"));
            format!("a write to {place} at {addr:#x} in cycle {cycle} that no instruction made")
        }
        What::AtomicValue => "an atomic returned a value that its place in memory order does not explain".into(),
        What::AtomicMemory => "memory is not what the order of the atomics leaves".into(),
        What::EndMemory => "memory differs at the end".into(),
        What::TwoOwners { addr } => format!("lock has two owners: the lock word at {addr:#010x}"),
        What::NobodysLock { addr } => {
            format!("a lock is given back that nobody holds: the lock word at {addr:#010x}")
        }
        What::Unjudged { count, unit, warp, order, number } => format!(
            "{count} transactions of stores and atomics are left unjudged; the first: unit {unit} warp {warp}, its instruction number {order}, read number or line {number:#x}"
        ),
        _ => return None,
    };
    Some(text)
}

fn bus(what: &What) -> Option<String> {
    let text = match what {
        What::NoReceiver { receiver } => {
            format!("a message for receiver {receiver} of the bus, which does not exist")
        }
        What::ReceiverKind { receiver, seen, takes } => {
            format!("receiver {receiver} of the bus gets {seen:?}, it takes {takes:?}")
        }
        What::WrongSender { from, thread, row } => {
            format!("sender {from} of the bus sends for thread {thread}, which is in row {row}")
        }
        What::DispatchersFlags { thread } => format!("a message of thread {thread} has flags of the dispatcher"),
        What::DispatcherSends { kind } => format!("the dispatcher sends {kind:?}"),
        What::NoRequest { semaphore } => {
            format!("the dispatcher acquires semaphore {semaphore}, for which no request is left in the list")
        }
        What::RequestDiffers { semaphore, thread } => {
            format!("the dispatcher's next request for semaphore {semaphore} is that of thread {thread}")
        }
        What::RequestAfterLaunch { thread, launched, semaphore } => format!(
            "thread {thread} was launched in cycle {launched}, before its suppressed request for semaphore {semaphore}"
        ),
        What::RequestBeforeLaunch { semaphore, thread } => {
            format!("semaphore {semaphore} is acquired for thread {thread} before its launch")
        }
        What::ThreadSlot { thread } => {
            format!("thread {thread} is launched into another slot than its messages say")
        }
        What::LaunchBeforeRequests { thread, requests } => {
            format!("thread {thread} is launched before {requests} of its suppressed requests had their effect")
        }
        What::NotExecuted { thread, message, cycle } => {
            format!("thread {thread} sent {} in cycle {cycle}, which its program does not", text_of(message))
        }
        What::NotSent { thread, message, pc, cycle } => {
            format!("{} of thread {thread}, pc {pc}, cycle {cycle}, was not sent on the bus", text_of(message))
        }
        What::RequestsNotSent { thread, requests } => {
            format!("thread {thread} was launched and {requests} of its requests were not sent")
        }
        What::RequestsLeft { requests, semaphore } => {
            format!("{requests} request(s) of the list for semaphore {semaphore} were not sent")
        }
        What::MessageDiffers { pc } => format!("the message of the instruction at pc {pc} differs"),
        What::AcknowledgementsWay => "an acknowledgement goes a wrong way".into(),
        What::AcknowledgementsOrder => "an acknowledgement that is not the next that the lists call for".into(),
        _ => return None,
    };
    Some(text)
}

fn list(what: &What) -> Option<String> {
    let text = match what {
        What::NoMessage { op, acquire, release } => {
            let front = |a: &Option<(u16, u16)>| {
                a.map_or("none".to_owned(), |(s, t)| format!("semaphore {s} thread {t}"))
            };
            format!(
                "{:?} of thread {} in the list of semaphore {}, for which no message is at the entity, or not next (oldest acquire: {}; next release: {})",
                op.kind, op.thread, op.semaphore, front(acquire), front(release)
            )
        }
        What::OperationDiffers => "a list operation differs".into(),
        What::EntryOutside { entry, pool } => format!("entry {entry} is taken from a pool of {pool}"),
        What::EntryTaken { entry, semaphore, thread } => {
            format!("entry {entry} is taken while it is thread {thread}'s in the list of semaphore {semaphore}")
        }
        What::EntryNotHead => "another entry than the head's is removed".into(),
        What::EntryMarked { entry, thread } => {
            format!("entry {entry} is marked as released, which is not that of thread {thread} behind the head")
        }
        What::HalfReleased { semaphore, thread } => {
            format!("a release of semaphore {semaphore} by thread {thread} stopped half-way: released heads stay")
        }
        What::NoEffect { semaphore, thread, cycle } => format!(
            "the message of thread {thread} for semaphore {semaphore}, at the entity since cycle {cycle}, has no effect"
        ),
        What::NotAcknowledged { semaphore, thread, cycle } => format!(
            "thread {thread} is at the head of semaphore {semaphore} since cycle {cycle} and gets no acknowledgement"
        ),
        What::PoolNotExhausted { used, pool, waiting } => format!(
            "an acquire waits for an entry of the pool, but only {used} of {pool} are in lists, and {waiting} acquires wait at the entity"
        ),
        What::EntriesLeft { used, model } => {
            format!("{used} entries are in use at the end, the model's lists have {model}")
        }
        What::ListLeft { semaphore, entries } => {
            format!("the list of semaphore {semaphore} has {entries} entries at the end")
        }
        _ => return None,
    };
    Some(text)
}

fn impossible(event: &Impossible) -> String {
    match event {
        Impossible::Launch { unit, warp } => format!("launch into unit {unit} warp {warp}, which does not exist"),
        Impossible::Merge { unit, warp } => {
            format!("merge of unit {unit} warp {warp}, which does not exist")
        }
        Impossible::Split { unit, warp } => {
            format!("split of unit {unit} warp {warp}, which does not exist")
        }
        Impossible::Retirement { unit, warp } => {
            format!("retirement of unit {unit} warp {warp}, which does not exist")
        }
        Impossible::Completion { unit, warp } => {
            format!("completion for unit {unit} warp {warp}, which does not exist")
        }
        Impossible::Acknowledgement { semaphore, thread } => {
            format!("acknowledgement of semaphore {semaphore} for thread {thread}, which does not exist")
        }
        Impossible::RetiresTwice { unit, warp, seq } => {
            format!("unit {unit} warp {warp} retires sequence number {seq} twice")
        }
        Impossible::Overtakes { unit, warp, seq, oldest } => format!(
            "unit {unit} warp {warp}: instruction {seq} completes before {oldest}, which is older and in the same pipeline"
        ),
    }
}

fn held(what: &Held) -> String {
    match what {
        Held::Acknowledgement => "an acknowledgement that the thread does not await".into(),
        Held::Completed { seq } => format!("instruction {seq} completed without having retired"),
        Held::Launch { group } => format!("launch of group {group:?} into a slot that is not free"),
        Held::NeverRetired { missing, seen } => format!("sequence number {missing} never retired, {seen} did"),
        Held::Instruction { pc } => format!("the instruction at pc {pc} cannot be executed by the model"),
        Held::Merge { gone } => {
            format!("it merges with warp {gone}, and they are no pair that has stopped at its merge points")
        }
        Held::Split => "it splits, and is no member 0 of a group that has stopped at its split points".into(),
        Held::Transaction { write, line, core } => {
            let what = if *write { "write" } else { "read" };
            format!("the {what} of line {line:#010x} by core {core} belongs to no instruction")
        }
    }
}

/// What the model waits for, with its place.
pub fn held_since(held_since: &HeldSince) -> String {
    let HeldSince { cycle, unit, warp, what } = held_since;
    format!("unit {unit} warp {warp}, since cycle {cycle}: {}", held(what))
}

fn text_of(message: &Message) -> String {
    let what = match message.kind {
        MessageKind::Acquire { auto_release: true, .. } => "an acquire with auto-release",
        MessageKind::Acquire { .. } => "an acquire",
        MessageKind::Release => "a release",
    };
    format!("{what} of semaphore {}", message.semaphore)
}

fn name(name: Name) -> String {
    match name {
        Name::Of(name) => name.to_owned(),
        Name::Lane("", lane) => format!("lane {lane}"),
        Name::Lane(name, lane) => format!("{name}, lane {lane}"),
        Name::Register(register, lane) => format!("r{register}, lane {lane}"),
        Name::AsLowest(register, lane) => format!("r{register}, lane {lane}, as in the lowest lane"),
        Name::LanesOf(register) => format!("lanes that get r{register}"),
        Name::Thread(number, name) => format!("thread {number}: {name}"),
        Name::Byte(addr) => format!("byte {addr:#010x}"),
        Name::Word(addr) => format!("word {addr:#010x}"),
        Name::Atomic { op, addr, lane } => format!("{op:?} at {addr:#010x}, lane {lane}"),
    }
}

fn value(value: Value) -> String {
    match value {
        Value::Number(n) => n.to_string(),
        Value::Hex(v) => format!("{v:#010x}"),
        Value::Byte(v) => format!("{v:#04x}"),
        Value::Word(w) => format!("{w:#018x}"),
        Value::Wide(v) => format!("{v:#x}"),
        Value::Mask(m) => format!("{:04b}", m & 15),
        Value::Flag(b) => b.to_string(),
        Value::Register(r) => format!("r{r}"),
        Value::Fate(what) => fate(what).into(),
        Value::FateAhead(what) => fate_ahead(what).into(),
        Value::Cycle(cycle) => format!("cycle {cycle}"),
        Value::CycleOrLater(cycle) => format!("in cycle {cycle} or later"),
        Value::Operation(kind) => format!("{kind:?}"),
        Value::Message(message) => text_of(&message),
        Value::Acknowledgement(semaphore, thread) => format!("semaphore {semaphore} to thread {thread}"),
        Value::Trap(t) => format!("unit {} warp {} pc {}", t.unit, t.warp, t.pc),
        Value::Holder(holder) => format!("unit {} warp {}", holder.unit, holder.warp),
        Value::Nobody => "nobody that is known".into(),
        Value::Nothing => "(none)".into(),
        Value::NotWritten => "(not written)".into(),
        Value::Blocked => "blocked at a barrier".into(),
        Value::Retires => "retires".into(),
        Value::Kept(true) => "kept result".into(),
        Value::Kept(false) => "execution".into(),
    }
}

/// Name, expected and seen of a field.
pub fn field(field: &Field) -> [String; 3] {
    [name(field.name), value(field.expected), value(field.seen)]
}
