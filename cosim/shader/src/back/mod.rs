//! The back end: one SSA function, everything inlined, to instruction words.
//!
//! Addresses ([`lower_memory`]) -> selection ([`select`]) -> scheduling ([`schedule`]) -> registers
//! ([`regalloc`], [`spill`]) -> layout and encoding ([`emit`]). Merge points ([`merge`]) and split
//! points ([`split`]) come before scheduling, [`both`] too. Behind a vertex program may be its
//! [`position`] part, cut from what was selected. Each step can be wrong on its own and
//! says how; what holds them together is that compiled random programs do on the golden model what
//! the SSA interpreter does.

mod bits;
mod both;
mod cfg;
mod code;
mod emit;
mod error;
pub mod forms;
mod groups;
mod interference;
mod limits;
mod liveness;
mod lower_memory;
mod merge;
pub mod merge_check;
mod mir;
mod order;
mod parallel;
mod position;
pub mod public;
mod ranges;
mod regalloc;
mod schedule;
mod select;
mod spill;
mod split;
pub mod split_check;

use crate::binary::moved;
use crate::fault::CompilerFault;
use crate::interface::Beside;
use crate::ssa::{Func, Kind, Loc};
use cfg::{successors, Cfg};
use limits::Limits;
use quadlock_isa::abi::{EventForm, PrivateSet, PublicRegisters};
use quadlock_isa::{Event, Op};
use std::fmt;
use std::ops::RangeInclusive;

pub use error::BackError;
pub use merge::needs::{Need, Why};
pub use merge::{MergeRules, Merged, Point};
pub use spill::SpillCode;
pub use split::{Root, Splits};

/// Choices of the back end.
#[derive(Clone, Debug)]
pub struct BackOptions {
    /// Registers per lane that may be used, 8 to 32.
    pub max_registers: usize,
    /// Reorder instructions inside blocks.
    pub schedule: bool,
    /// Copy short loop tests to the end of the loop.
    pub rotate_loops: bool,
    /// Split live ranges where values do not fit into registers; else they are spilled everywhere.
    pub split_ranges: bool,
    /// Load groups come apart where they do not fit into registers.
    pub load_groups: bool,
    /// A program that does not fit into registers is also tried in the order that needs fewest.
    pub few_live: bool,
    /// Stores to the stack are those that helpers do too: for programs of graphics.
    pub helpers: bool,
    /// Merge points where they are worth it (MS-30): for programs of fragments only.
    pub merge: bool,
    /// With a merge point: a second program behind the first, for warps that are no members of a
    /// pair (MS-12), if both have no more instructions than this; 0: never.
    pub alone: usize,
    /// Which registers a cutoff makes public on the machine.
    pub public_registers: PublicRegisters,
    /// How the machine knows merge and split points.
    pub event_form: EventForm,
    /// What the private registers of a merged warp are.
    pub merge_private: PrivateSet,
    /// The machine ends helpers at a merge point in every warp.
    pub merge_helpers_end: bool,
    /// A split point where it is worth it (MS-43): for programs of fragments that run once for each
    /// sample only.
    pub split: Option<SplitFor>,
    /// The machine merges what splits: a merge point before the split point, if that pays.
    pub merge_split: bool,
    /// Behind the program its position part (HZ-30): for programs of vertices only.
    pub position: bool,
    /// A mistake to make on purpose, for must-fail tests.
    pub fault: Option<CompilerFault>,
}

impl Default for BackOptions {
    fn default() -> Self {
        BackOptions {
            max_registers: quadlock_isa::abi::REGISTERS,
            schedule: true,
            rotate_loops: true,
            split_ranges: true,
            load_groups: true,
            few_live: true,
            helpers: false,
            merge: false,
            alone: 0,
            public_registers: PublicRegisters::Below,
            event_form: EventForm::Instruction,
            merge_private: PrivateSet::Old,
            merge_helpers_end: false,
            split: None,
            merge_split: false,
            position: false,
            fault: None,
        }
    }
}

/// The position part of a vertex program, in numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PositionPart {
    /// Its first instruction, and how many it has.
    pub first: u32,
    /// Instructions.
    pub instructions: usize,
    /// Loads of the program, and of the part, as instructions.
    pub loads: [usize; 2],
    /// Why there is none.
    pub none: Option<String>,
}

impl fmt::Display for PositionPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [all, own] = self.loads;
        match &self.none {
            None => write!(f, "position part: {} instructions, {own} of {all} loads", self.instructions),
            Some(why) => write!(f, "no position part: {why}"),
        }
    }
}

/// What a program with a split point is for.
#[derive(Clone, Copy, Debug)]
pub struct SplitFor {
    /// Samples of a pixel.
    pub samples: u32,
    /// Bit n: nobody writes buffer n of the table while the program runs.
    pub read_only: u32,
}

/// A program and what it took to make it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Generated {
    /// Instruction words, in order of their counters.
    pub code: Vec<u64>,
    /// Source place of each instruction.
    pub lines: Vec<Loc>,
    /// (instruction index, block name).
    pub labels: Vec<(u32, String)>,
    /// Instructions of loops that wait for memory to change, ascending.
    pub polling: Vec<u32>,
    /// Releases of `dependencyDone`, ascending.
    pub done: Vec<u32>,
    /// Registers used, from 0 up.
    pub registers: u32,
    /// Stack bytes per thread, a multiple of 16.
    pub stack_bytes: u32,
    /// Registers below this are public (MS-20).
    pub public_cutoff: u32,
    /// The public registers, as bits, for a machine that goes by that; else 0.
    pub public_bitmap: u32,
    /// Where a warp begins that is no member of a pair; 0: where all do.
    pub alone: u32,
    /// Where lanes merge, if that stands beside the program.
    pub merge_at: Option<Beside>,
    /// Where they split.
    pub split_at: Option<Beside>,
    /// What became of merge points, if they were asked for.
    pub merge: Option<Merged>,
    /// What became of split points, if they were asked for.
    pub split: Option<Splits>,
    /// What became of the position part, if it was asked for.
    pub position: Option<PositionPart>,
    /// What it took.
    pub stats: BackStats,
}

impl Generated {
    /// Puts a second program behind this one. Its labels begin with `name`.
    fn append(&mut self, other: Generated, name: &str) {
        let first = self.code.len() as u32;
        self.code.extend(other.code.iter().map(|&word| moved(word, first)));
        self.lines.extend(other.lines);
        self.labels.extend(other.labels.into_iter().map(|(pc, label)| (first + pc, format!("{name}.{label}"))));
        self.polling.extend(other.polling.into_iter().map(|pc| first + pc));
        self.done.extend(other.done.into_iter().map(|pc| first + pc));
        self.registers = self.registers.max(other.registers);
        self.stack_bytes = self.stack_bytes.max(other.stack_bytes);
    }

    /// Puts registers where the machine has public ones. Returns these, as bits.
    fn place(&mut self, options: &BackOptions) -> u32 {
        let public = public::place(&mut self.code, self.public_cutoff, options.public_registers);
        let public = match options.fault {
            Some(CompilerFault::MergeBitmap) => code::lowest(self.public_cutoff),
            _ => public,
        };
        if options.public_registers == PublicRegisters::Bitmap {
            self.public_bitmap = public;
        }
        public
    }
}

/// What the back end counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct BackStats {
    /// Instructions of the program.
    pub instructions: usize,
    /// Values that live on the stack or are made again where they are used.
    pub spilled: usize,
    /// The stores, reloads and values made again that spilling added.
    pub spill: SpillCode,
    /// The most registers live at one place of the selected program, load groups counted whole.
    pub pressure: usize,
    /// Copies that vanished because both ends got one register.
    pub coalesced: usize,
    /// Register moves left in the program.
    pub moves: usize,
    /// Whether the scheduler's order was kept (it is given up if it needs spilling that the source
    /// order does not).
    pub scheduled: bool,
}

/// Generates code for `func`, the entry function without calls.
pub fn generate(func: &Func, options: &BackOptions) -> Result<Generated, BackError> {
    let mut func = func.clone();
    remove_unreachable(&mut func);
    let lowered = lower_memory::run(&mut func);
    lower_memory::split_edges(&mut func);
    let cfg = Cfg::new(&successors(&func), 0);
    let mut selected = select::run(&func, &cfg)?;
    selected.frame = lowered.frame;
    selected.stack_pointer = lowered.stack_pointer.map(|v| mir::VReg(v.0));

    let split = match options.split {
        Some(of) => match split(&selected, of, options)? {
            Ok(generated) => return Ok(generated),
            Err((why, at)) => Some(Splits { none: Some(why), at, ..Splits::default() }),
        },
        None => None,
    };
    let generated = match options.merge {
        true => {
            let plain = whole(&selected, options)?;
            // A program with points is no shorter than that without.
            let own = 2 * plain.code.len() <= options.alone && merge::place::all_together(&selected);
            match merged(&selected, own, options)? {
                Ok(generated) if own => with_alone(generated, plain, options.alone),
                Ok(generated) => generated,
                Err(why) => Generated { merge: Some(no_merge(why)), ..plain },
            }
        }
        false => whole(&selected, options)?,
    };
    let generated = if options.position { with_position(generated, &selected, options) } else { generated };
    Ok(Generated { split, ..generated })
}

/// A vertex program, and behind it its position part (HZ-30).
fn with_position(mut full: Generated, selected: &mir::MFunc, options: &BackOptions) -> Generated {
    let first = full.code.len() as u32;
    let part = position::cut(selected, options.fault)
        .and_then(|f| Ok((whole(&f, options).map_err(|e| e.message)?, position::loads(&f))));
    let room = quadlock_isa::abi::MAX_PROGRAM;
    let part = part.and_then(|part| match full.code.len() + part.0.code.len() > room {
        true => Err(format!("both have more than {room} instructions")),
        false => Ok(part),
    });
    let position = match part {
        Ok((part, loads)) => {
            let (instructions, loads) = (part.code.len(), [position::loads(selected), loads]);
            full.append(part, "position");
            PositionPart { first, instructions, loads, none: None }
        }
        Err(why) => PositionPart { none: Some(why), ..PositionPart::default() },
    };
    full.public_cutoff = full.registers;
    full.position = Some(position);
    full
}

/// Why there is no merge point.
fn no_merge((why, at): (String, Loc)) -> Merged {
    Merged { none: Some(why), at, ..Merged::default() }
}

/// An order of a program's instructions.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Order {
    Source,
    /// Scheduled for so many registers.
    For(usize),
    /// With few values live.
    FewLive,
}

impl Order {
    /// The orders to try, in this order. A program that has to spill is scheduled for fewer
    /// registers, too: they end lives earlier.
    fn all(options: &BackOptions) -> Vec<Order> {
        let BackOptions { max_registers, schedule, split_ranges, few_live, .. } = *options;
        let mut all = vec![];
        all.extend(schedule.then_some(Order::For(max_registers)));
        all.extend(few_live.then_some(Order::FewLive));
        all.extend((schedule && split_ranges).then_some(Order::For(max_registers * 3 / 4)));
        all.push(Order::Source);
        all.extend((schedule && split_ranges).then_some(Order::For(max_registers / 2)));
        all
    }
}

/// The program without merge and split points, which may spill.
fn whole(selected: &mir::MFunc, options: &BackOptions) -> Result<Generated, BackError> {
    let mut best: Option<(f64, mir::MFunc, regalloc::Allocation, Order)> = None;
    let BackOptions { split_ranges, load_groups, fault, .. } = *options;
    for order in Order::all(options) {
        let mut f = selected.clone();
        match order {
            Order::Source => {}
            Order::For(registers) => schedule::run(&mut f, registers),
            Order::FewLive => order::run(&mut f, fault),
        }
        let bound = best.as_ref().map_or(f64::INFINITY, |best| best.0);
        // What spills is no better than what does not.
        let spills = best.as_ref().is_none_or(|best| best.2.spilled > 0);
        if split_ranges && !spills && liveness::pressure(&f) > options.max_registers {
            continue;
        }
        let means = regalloc::Means { split_ranges, load_groups, fault, bound };
        let allocation = regalloc::run(&mut f, options.max_registers, &means)?;
        let cost = match split_ranges {
            true => spill::cost(&f, &allocation.colour),
            false => allocation.spilled as f64,
        };
        // What fits as it is, is taken as it is.
        let fits = allocation.as_it_is;
        let less = allocation.spilled == 0 && spills;
        if less || cost < bound && (spills || allocation.spilled == 0) {
            best = Some((cost, f, allocation, order));
        }
        if fits {
            break;
        }
    }
    let Some((_, mut f, allocation, order)) = best else {
        return Err(BackError { message: "internal error: no allocation".into(), loc: Loc::default() });
    };
    let scheduled = order != Order::Source;
    if options.helpers {
        own_stores(&mut f)?;
    }
    let mut generated = finish(&f, &allocation, scheduled, None, options)?;
    generated.stats.pressure = liveness::pressure(selected);
    Ok(generated)
}

/// For how many registers to schedule programs with points, in the order of trying; none is the
/// source's order. `more` are registers that are tried too.
fn orders(options: &BackOptions, more: Option<usize>) -> Vec<Option<usize>> {
    let scheduled = [Some(options.max_registers), more].into_iter().filter(|o| options.schedule && o.is_some());
    scheduled.chain([None]).collect()
}

/// Registers and instruction words of a program.
fn finish(
    f: &mir::MFunc,
    allocation: &regalloc::Allocation,
    scheduled: bool,
    limits: Option<&Limits>,
    options: &BackOptions,
) -> Result<Generated, BackError> {
    let out = emit::run(f, allocation, options.max_registers, options.rotate_loops, limits, options.fault)?;
    let registers = allocation.registers.max(out.scratch_registers) as u32;
    Ok(Generated {
        registers,
        // Without a merge point public registers are always right (MS-20).
        public_cutoff: limits.map_or(registers, |l| l.cutoff as u32),
        public_bitmap: 0,
        stack_bytes: f.frame.next_multiple_of(16),
        stats: BackStats {
            instructions: out.code.len(),
            spilled: allocation.spilled,
            spill: SpillCode::of(f),
            pressure: 0,
            coalesced: allocation.coalesced,
            moves: out.moves,
            scheduled,
        },
        code: out.code,
        polling: out.polling,
        done: out.done,
        lines: out.lines,
        labels: out.labels,
        alone: 0,
        merge_at: None,
        split_at: None,
        merge: None,
        split: None,
        position: None,
    })
}

/// A program with a merge point, and behind it the one without, for warps that are no members of a
/// pair: those pay nothing for the point. If both are longer than `most` there is only the first.
fn with_alone(mut pair: Generated, alone: Generated, most: usize) -> Generated {
    let first = pair.code.len() as u32;
    if pair.code.len() + alone.code.len() > most.min(quadlock_isa::abi::MAX_PROGRAM) {
        return pair;
    }
    pair.alone = first;
    if let Some(merged) = &mut pair.merge {
        merged.alone = alone.code.len();
    }
    pair.append(alone, "alone");
    pair
}

/// The program with the best merge point that its registers allow, or why it has none. `own`: warps
/// without a partner have a program of their own.
fn merged(
    selected: &mir::MFunc,
    own: bool,
    options: &BackOptions,
) -> Result<Result<Generated, (String, Loc)>, BackError> {
    let rules = MergeRules { private: options.merge_private, helpers_end: options.merge_helpers_end };
    let candidates = match merge::candidates(selected, own, rules, options.fault) {
        Ok(candidates) => candidates,
        Err(why) => return Ok(Err(why)),
    };
    let orders = orders(options, None);
    let mut why = String::from(NO_ROOM);
    for c in candidates {
        let most = c.most.min(options.max_registers);
        let Some(cutoffs) = allowed(c.least.min(most)..=most, options.public_registers) else { continue };
        let Some(mut generated) = within(&c.f, &c.limits, cutoffs, &orders, options)? else { continue };
        let internal = |generated: &Generated, w: &merge_check::Wrong| {
            let loc = generated.lines.get(w.pc as usize).copied().unwrap_or_default();
            Err(BackError { message: format!("internal error: merge point: {w}"), loc })
        };
        let public = generated.place(options);
        let wrong = merge_check::check_of(&generated.code, public, rules);
        if let (None, Some(w)) = (options.fault, wrong.first()) {
            return internal(&generated, w);
        }
        let several = merge_check::points(&generated.code).len() > 1;
        match formed(&mut generated, Event::Merge, options.event_form) {
            Ok(at) => generated.merge_at = at,
            Err(other) => {
                why = other;
                continue;
            }
        }
        let at = generated.merge_at;
        let after = forms::behind(&generated.code, Event::Merge, at);
        let merged = Merged {
            points: points(&generated, Event::Merge, at),
            before: generated.code.len() - after,
            after,
            moves: c.moves,
            ends: c.ends,
            needs: c.needs,
            ..Merged::default()
        };
        generated.merge = Some(merged);
        let wrong = forms::check_merge(&generated.code, public, rules, at);
        match wrong.first().filter(|_| options.fault.is_none()) {
            // What stood between two points stands before the last one now.
            Some(_) if at.is_some() && several => {
                why = "it has several points, and not only the last one can be beside it".into();
                continue;
            }
            Some(w) => return internal(&generated, w),
            None => {}
        }
        return Ok(Ok(generated));
    }
    Ok(Err((why, Loc::default())))
}

/// Gives the points of a program the form that the machine knows.
fn formed(g: &mut Generated, event: Event, form: EventForm) -> Result<Option<Beside>, String> {
    let converted = forms::convert(&mut g.code, event, form)?;
    converted.keep(&mut g.lines);
    let pcs = g.labels.iter_mut().map(|l| &mut l.0).chain(&mut g.polling).chain(&mut g.done);
    pcs.for_each(|pc| *pc = converted.number(*pc));
    g.stats.instructions = g.code.len();
    Ok(converted.at)
}

/// The points of a finished program.
fn points(g: &Generated, event: Event, at: Option<Beside>) -> Vec<Point> {
    let loc = |pc: u32| g.lines.get(pc as usize).copied().unwrap_or_default();
    forms::points(&g.code, event, at).into_iter().map(|pc| Point { pc, loc: loc(pc) }).collect()
}

/// The cutoff of a machine that has no other; a program may have no public registers there, too.
const HALF: usize = quadlock_isa::abi::REGISTERS / 2;

/// Of these cutoffs those that the machine can have, if there are any.
fn allowed(cutoffs: RangeInclusive<usize>, option: PublicRegisters) -> Option<RangeInclusive<usize>> {
    match option {
        PublicRegisters::Half => [HALF, 0].into_iter().find(|c| cutoffs.contains(c)).map(|c| c..=c),
        PublicRegisters::Below | PublicRegisters::Above | PublicRegisters::Bitmap => Some(cutoffs),
    }
}

const NO_ROOM: &str = "its values do not fit in the registers on both sides of a cutoff";

/// Registers that rows leave free below the cutoff of a split point, at most.
const HOLES: usize = 4;

/// The program with the best split point that its registers allow, or why it has none.
fn split(
    selected: &mir::MFunc,
    of: SplitFor,
    options: &BackOptions,
) -> Result<Result<Generated, (String, Loc)>, BackError> {
    let registers = options.max_registers;
    let merges = options.merge && options.merge_split;
    let candidates = match split::candidates(selected, of.samples, (registers, merges), options.fault) {
        Ok(candidates) => candidates,
        Err(why) => return Ok(Err(why)),
    };
    // The scheduler does not see that public registers are of no use behind the point.
    let orders = orders(options, Some(registers * 3 / 4));
    let mut why = String::from(NO_ROOM);
    let mut no_merge_point = ("it splits".into(), Loc::default());
    for c in candidates {
        match c.both {
            Some(Ok(both)) => match both_points(both, (c.moves, &c.roots), of, &orders, options)? {
                Ok(generated) => return Ok(Ok(generated)),
                Err(other) => no_merge_point = (other, Loc::default()),
            },
            Some(Err(other)) => no_merge_point = other,
            None => {}
        }
        let cutoffs = c.classed.least..=registers.min(c.classed.least + HOLES);
        let Some(cutoffs) = allowed(cutoffs, options.public_registers) else { continue };
        let Some(mut generated) = within(&c.classed.f, &c.classed.limits, cutoffs, &orders, options)? else { continue };
        let public = generated.place(options);
        match formed(&mut generated, Event::Split, options.event_form) {
            Ok(at) => generated.split_at = at,
            Err(other) => {
                why = other;
                continue;
            }
        }
        check_split(&generated, public, of, options)?;
        let splits = splits(&generated, c.moves, c.roots);
        let merge = options.merge.then(|| no_merge(no_merge_point));
        return Ok(Ok(Generated { split: Some(splits), merge, ..generated }));
    }
    Ok(Err((why, Loc::default())))
}

/// Refuses a program whose split point is not right.
fn check_split(g: &Generated, public: u32, of: SplitFor, options: &BackOptions) -> Result<(), BackError> {
    let wrong = forms::check_split(&g.code, public, of.read_only, g.split_at);
    match (options.fault, wrong.first()) {
        (None, Some(w)) => {
            let loc = g.lines.get(w.pc as usize).copied().unwrap_or_default();
            Err(BackError { message: format!("internal error: split point: {w}"), loc })
        }
        _ => Ok(()),
    }
}

/// What is reported of a split point.
fn splits(g: &Generated, moves: usize, roots: Vec<Root>) -> Splits {
    let after = forms::behind(&g.code, Event::Split, g.split_at);
    let point = points(g, Event::Split, g.split_at).first().copied();
    Splits { point, before: g.code.len() - after, after, moves, roots, ..Splits::default() }
}

/// The program with a merge point and then a split point, or why its values do not allow that.
fn both_points(
    both: both::Both,
    (moves, roots): (usize, &[Root]),
    of: SplitFor,
    orders: &[Option<usize>],
    options: &BackOptions,
) -> Result<Result<Generated, String>, BackError> {
    let cutoffs = both.least..=options.max_registers.min(both.least + HOLES);
    let Some(cutoffs) = allowed(cutoffs, options.public_registers) else { return Ok(Err(NO_ROOM.into())) };
    let Some(mut generated) = within(&both.f, &both.limits, cutoffs, orders, options)? else {
        return Ok(Err(NO_ROOM.into()));
    };
    let public = generated.place(options);
    let internal = |generated: &Generated, w: &merge_check::Wrong| {
        let loc = generated.lines.get(w.pc as usize).copied().unwrap_or_default();
        Err(BackError { message: format!("internal error: merge point: {w}"), loc })
    };
    // With both points as instructions: their order shows there.
    if let (None, Some(w)) = (options.fault, merge_check::check_before_split(&generated.code, public).first()) {
        return internal(&generated, w);
    }
    match formed(&mut generated, Event::Merge, options.event_form) {
        Ok(at) => generated.merge_at = at,
        Err(why) => return Ok(Err(why)),
    }
    match formed(&mut generated, Event::Split, options.event_form) {
        Ok(at) => generated.split_at = at,
        Err(why) => return Ok(Err(why)),
    }
    check_split(&generated, public, of, options)?;
    let at = generated.merge_at;
    let wrong = forms::check_merge_before_split(&generated.code, public, at);
    if let (None, Some(w)) = (options.fault, wrong.first()) {
        return internal(&generated, w);
    }
    let after = forms::behind(&generated.code, Event::Merge, at);
    let merge = Merged {
        points: points(&generated, Event::Merge, at),
        before: generated.code.len() - after,
        after,
        moves: both.moves,
        needs: both.needs,
        ..Merged::default()
    };
    let split = Some(splits(&generated, moves, roots.to_vec()));
    Ok(Ok(Generated { split, merge: Some(merge), ..generated }))
}

/// The program with the lowest of some cutoffs that does without spilling, if there is one.
fn within(
    f: &mir::MFunc,
    limits: &Limits,
    cutoffs: RangeInclusive<usize>,
    orders: &[Option<usize>],
    options: &BackOptions,
) -> Result<Option<Generated>, BackError> {
    for &order in orders {
        let mut f = f.clone();
        if let Some(registers) = order {
            schedule::run(&mut f, registers);
        }
        for cutoff in cutoffs.clone() {
            let limits = Limits { cutoff, ..limits.clone() };
            if let Some(allocation) = regalloc::run_within(&f, options.max_registers, &limits)? {
                return finish(&f, &allocation, order.is_some(), Some(&limits), options).map(Some);
            }
        }
    }
    Ok(None)
}

/// Stores to the stack become those that helpers do too: a helper runs on for its neighbours.
fn own_stores(f: &mut mir::MFunc) -> Result<(), BackError> {
    for m in f.blocks.iter_mut().flat_map(|b| &mut b.insts).filter(|m| m.own) {
        m.op = match m.op {
            Op::St32 => Op::St32Own,
            Op::St64 => Op::St64Own,
            Op::St128 => Op::St128Own,
            other => {
                let message = format!("internal error: {} to the stack of a stage of graphics", other.name());
                return Err(BackError { message, loc: m.loc });
            }
        };
    }
    Ok(())
}

/// Drops blocks that cannot be reached, and turns branches on constants into jumps so that more
/// cannot.
fn remove_unreachable(func: &mut Func) {
    let cfg = Cfg::new(&successors(func), 0);
    let mut at = 0;
    func.layout.retain(|_| {
        at += 1;
        cfg.idom[at - 1].is_some()
    });
    debug_assert!(func
        .layout
        .iter()
        .all(|b| func.blocks[b.index()].insts.last().is_some_and(|i: &crate::ssa::Inst| Kind::is_terminator(&i.kind))));
}

#[cfg(test)]
mod tests;
