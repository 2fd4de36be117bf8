//! Lanes together: operations of the quad, and warps in step for what only a warp can do.
//!
//! Order is the machine's: the lanes at the lowest place of the layout go first. It is wrong if a
//! lane takes part that does not stand at the operation.

use super::words::{across, atomic, atomic_width};
use super::{Machine, State, Thread};
use crate::ops::eval::eval;
use crate::ops::predicate::cross_lane;
use crate::ssa::AtomicOp;
use crate::ssa::{Inst, Kind, Value};
use quadlock_isa::Op;

impl Machine<'_> {
    /// Runs the lanes of a quad until each has ended or is at a barrier.
    pub(super) fn quad(&mut self, quad: &mut [Thread]) -> Result<(), String> {
        loop {
            for t in quad.iter_mut() {
                while t.state == State::Running {
                    self.step(t)?;
                }
            }
            if quad.iter().all(|t| t.state != State::Quad) {
                return Ok(());
            }
            self.quad_operation(quad)?;
        }
    }

    pub(super) fn is_for_warp(kind: &Kind) -> bool {
        matches!(kind, Kind::CrossLane { .. } | Kind::Atomic { warp_wide: true, .. })
    }

    /// As `quad`, in the order of the machine: the lanes at the lowest place do one instruction,
    /// together.
    pub(super) fn warp(&mut self, warp: &mut [Thread]) -> Result<(), String> {
        loop {
            let Some(lockstep) = &self.lockstep else { return Err("not a program for warps".into()) };
            let places: Vec<_> = warp.iter().map(|t| (t.state == State::Running).then(|| lockstep.place(t))).collect();
            let Some(lowest) = places.iter().flatten().min() else { return Ok(()) };
            let active: Vec<usize> = (0..warp.len()).filter(|&l| places[l].as_ref() == Some(lowest)).collect();
            let Some(frame) = warp[active[0]].frames.last() else { return Err("a thread without a frame".into()) };
            let module = self.module;
            let func = &module.funcs[frame.func.index()];
            match func.blocks[frame.block.index()].insts.get(frame.at) {
                Some(inst) if Self::is_for_warp(&inst.kind) => self.warp_operation(inst, warp, &active)?,
                Some(Inst { kind: Kind::Alu(op, _), .. }) if cross_lane(*op) => {
                    active.iter().for_each(|&l| warp[l].state = State::Quad);
                    self.quad_operation(warp)?;
                }
                _ => active.iter().try_for_each(|&l| self.step(&mut warp[l]))?,
            }
        }
    }

    /// Does `inst` for the lanes `active`, which stand at it.
    pub(super) fn warp_operation(&mut self, inst: &Inst, warp: &mut [Thread], active: &[usize]) -> Result<(), String> {
        self.outcome.steps += active.len() as u64;
        if self.outcome.steps > self.launch.step_limit {
            return Err(format!("no end after {} steps", self.launch.step_limit));
        }
        let read = |lane: usize, v: Value| warp[lane].frames.last().map_or(0, |f| f.values[v.index()]);
        let one = |v: u32| vec![v];
        // By lane, then by result.
        let results: Vec<Vec<u32>> = match &inst.kind {
            Kind::CrossLane { op: Op::QShuf, args } => {
                let value = |&l: &usize| {
                    let from = (read(l, args[1]) & 3) as usize;
                    if active.contains(&from) {
                        read(from, args[0])
                    } else {
                        0
                    }
                };
                active.iter().map(value).map(one).collect()
            }
            Kind::CrossLane { op, args } => {
                let values: Vec<(usize, u32)> = active.iter().map(|&l| (l, read(l, args[0]))).collect();
                let each = across(*op, &values).ok_or_else(|| format!("{inst}: not an operation across lanes"))?;
                each.into_iter().map(one).collect()
            }
            Kind::Atomic { space, op, addr, offset, values, expected, .. } => {
                let leader = active[0];
                let at = read(leader, *addr).wrapping_add(*offset as u32);
                let all = |v: &[Value]| v.iter().map(|v| read(leader, *v)).collect::<Vec<u32>>();
                let (values, expected) = (all(values), all(expected));
                let width = atomic_width(&values);
                let old = self.load(*space, width, at, &[])?;
                let new = atomic(*op, &old, &values, &expected);
                self.store(*space, width, at, &new, &mut [])?;
                let result = if *op == AtomicOp::Lock { one(u32::from(old[0] == 1 - (values[0] & 1))) } else { old };
                vec![result; active.len()]
            }
            _ => return Err(format!("{inst}: not an operation of the warp")),
        };
        for (&l, r) in active.iter().zip(results) {
            if let Some(f) = warp[l].frames.last_mut() {
                inst.results.iter().zip(r).for_each(|(v, word)| f.values[v.index()] = word);
                f.at += 1;
            }
        }
        Ok(())
    }

    /// All four lanes are at the same derivative; anything else is refused.
    pub(super) fn quad_operation(&mut self, quad: &mut [Thread]) -> Result<(), String> {
        let place = |t: &Thread| t.frames.iter().map(|f| (f.func, f.block, f.at)).collect::<Vec<_>>();
        if quad.len() != 4 || quad.iter().any(|t| t.state != State::Quad || place(t) != place(&quad[0])) {
            return Err(
                "an operation on the quad is reached by some of its lanes only: not run by the interpreter".into()
            );
        }
        let Some(frame) = quad[0].frames.last() else { return Err("a thread without a frame".into()) };
        let inst = &self.function(frame.func)?.blocks[frame.block.index()].insts[frame.at];
        let Kind::Alu(op, args) = &inst.kind else { return Err(format!("{inst}: not a quad operation")) };
        let read = |lane: usize, v: Value| quad[lane].frames.last().map_or(0, |f| f.values[v.index()]);
        let a: Vec<u32> = (0..4).map(|l| read(l, args[0])).collect();
        let sub = |x: usize, y: usize| eval(Op::FSub, &[a[x], a[y]]).unwrap_or(0);
        let results: Vec<u32> = (0..4)
            .map(|l| match op {
                Op::Ddx => sub(l | 1, l & 2),
                _ => sub(l | 2, l & 1),
            })
            .collect();
        for (t, r) in quad.iter_mut().zip(results) {
            t.state = State::Running;
            if let Some(f) = t.frames.last_mut() {
                f.values[inst.results[0].index()] = r;
                f.at += 1;
            }
        }
        Ok(())
    }
}
