//! Programs with a merge point or a split point or both (MS-30, MS-43): of the candidates the first
//! whose values fit in the registers on both sides of a cutoff.
//!
//! Each finished program is read again by the checkers ([`merge_check`], [`super::split_check`]):
//! an error of theirs is an internal one. A program that fits nowhere says why. Wrong would be a
//! point that the checkers let pass: tests merge and split warps of such programs on the model.

use super::generated::{finish, BackOptions, Generated, SplitFor};
use super::limits::Limits;
use super::merge::{MergeRules, Merged, Point};
use super::split::{Root, Splits};
use super::{both, forms, merge, merge_check, mir, regalloc, schedule, BackError};
use crate::interface::Beside;
use crate::ssa::Loc;
use quadlock_isa::abi::{EventForm, PublicRegisters};
use quadlock_isa::Event;
use std::ops::RangeInclusive;

const NO_ROOM: &str = "its values do not fit in the registers on both sides of a cutoff";

/// The cutoff of a machine that has no other; a program may have no public registers there, too.
const HALF: usize = quadlock_isa::abi::REGISTERS / 2;

/// Registers that rows leave free below the cutoff of a split point, at most.
const HOLES: usize = 4;

/// Why there is no merge point.
pub(super) fn no_merge((why, at): (String, Loc)) -> Merged {
    Merged { none: Some(why), at, ..Merged::default() }
}

/// For how many registers to schedule programs with points, in the order of trying; none is the
/// source's order. `more` are registers that are tried too.
fn orders(options: &BackOptions, more: Option<usize>) -> Vec<Option<usize>> {
    let scheduled = [Some(options.max_registers), more].into_iter().filter(|o| options.schedule && o.is_some());
    scheduled.chain([None]).collect()
}

/// A program with a merge point, and behind it the one without, for warps that are no members of a
/// pair: those pay nothing for the point. If both are longer than `most` there is only the first.
pub(super) fn with_alone(mut pair: Generated, alone: Generated, most: usize) -> Generated {
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
pub(super) fn merged(
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

/// The program with the best split point that its registers allow, or why it has none.
pub(super) fn split(
    selected: &mir::MFunc,
    of: SplitFor,
    options: &BackOptions,
) -> Result<Result<Generated, (String, Loc)>, BackError> {
    let registers = options.max_registers;
    let merges = options.merge && options.merge_split;
    let candidates = match super::split::candidates(selected, of.samples, (registers, merges), options.fault) {
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

/// Of these cutoffs those that the machine can have, if there are any.
fn allowed(cutoffs: RangeInclusive<usize>, option: PublicRegisters) -> Option<RangeInclusive<usize>> {
    match option {
        PublicRegisters::Half => [HALF, 0].into_iter().find(|c| cutoffs.contains(c)).map(|c| c..=c),
        PublicRegisters::Below | PublicRegisters::Above | PublicRegisters::Bitmap => Some(cutoffs),
    }
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
