//! The back end: one SSA function, everything inlined, to instruction words.
//!
//! Addresses ([`lower_memory`]) -> selection ([`select`]) -> scheduling ([`schedule`]) -> registers
//! ([`regalloc`], [`spill`]) -> layout and encoding ([`emit`]). Merge points ([`merge`]) and split
//! points ([`split`]) come before scheduling, [`both`] too; [`pointed`] makes programs with them.
//! Behind a vertex program may be its [`position`] part, cut from what was selected. Each step can
//! be wrong on its own and says how; what holds them together is that compiled random programs do
//! on the golden model what the SSA interpreter does.

mod bits;
mod both;
mod cfg;
mod code;
mod emit;
mod error;
pub mod forms;
mod generated;
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
mod point_check;
mod pointed;
mod position;
pub mod public;
mod ranges;
mod regalloc;
mod schedule;
mod select;
mod spill;
mod split;
pub mod split_check;

use crate::ssa::{Func, Kind, Loc};
use cfg::{successors, Cfg};
use generated::finish;
use quadlock_isa::Op;

pub use error::BackError;
pub use generated::{BackOptions, BackStats, Generated, PositionPart, SplitFor};
pub use merge::needs::{Need, Why};
pub use merge::{MergeRules, Merged, Point};
pub use spill::SpillCode;
pub use split::{Root, Splits};

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
        Some(of) => match pointed::split(&selected, of, options)? {
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
            match pointed::merged(&selected, own, options)? {
                Ok(generated) if own => pointed::with_alone(generated, plain, options.alone),
                Ok(generated) => generated,
                Err(why) => Generated { merge: Some(pointed::no_merge(why)), ..plain },
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

/// Drops blocks that cannot be reached.
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
