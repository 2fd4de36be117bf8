//! Value numbers of a whole function: values with one number are equal wherever both are computed.
//!
//! Optimistic, by hashing in reverse post-order until nothing changes (Simpson, "Value-Driven
//! Redundancy Elimination", 1996): in the first round what comes by edges back is taken for equal
//! to anything, and later rounds take back what was wrong. So counters that step alike are one
//! number, which a pessimistic walk cannot see. A block parameter has its arguments' number if all
//! are equal; else it is equal to a parameter of its block with equal arguments.
//!
//! Memory is numbered too, for each space ("memory SSA"): every write makes a new *version*, and a
//! block that ways with different versions lead to has its own. Loads of one version and place are
//! equal; a store says what a load of its version gives. A load looks past stores to the same base
//! whose bytes are others. What is only read has one version. Another invocation may write in
//! between, but then the program has a race; fences are writes to all spaces. A version that
//! survives a write gives a stale load, which `GvnStaleJoin` plants.
//!
//! Two values with one number are equal at a place where both definitions dominate: then both have
//! been computed since the parameters of the innermost loop around got their values.

use crate::ops::predicate::cross_lane;
use crate::ssa::dominance::Dominance;
use crate::ssa::{Block, Func, Inst, Kind, Slot, Space, Value, Width};
use quadlock_isa::{Op, Special};
use std::collections::HashMap;

/// The number of a value; 0 is not known yet.
pub(crate) type Number = u32;
/// The version of a space; 0 is not known yet.
pub(crate) type Version = u32;
/// By `Space::written_as`.
pub(crate) type Versions = [Version; Space::WRITTEN];

/// The version of what the program does not write.
const FIXED: Version = 1;
/// The version of everything at the start.
const START: Version = 2;
/// More rounds than any program has needed. What needs more is left as it is.
const ROUNDS: usize = 30;

/// What is computed, of numbers.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) enum Key {
    Const(u32),
    Alu(Op, Vec<Number>),
    Special(Special),
    ConstWord(u32),
    SlotAddr(Slot),
    Load(Space, Width, Number, i32, Version),
    /// Parameter of a block with these arguments, in order of its ways in.
    Param(Block, Vec<Number>),
}

/// A store: what lies where and what was the version before.
#[derive(Clone, Copy)]
struct Written {
    addr: Number,
    offset: i32,
    width: Width,
    before: Version,
}

/// The numbers of a function.
pub(crate) struct Numbers {
    pub dom: Dominance,
    /// By value.
    of: Vec<Number>,
    known: HashMap<Key, Vec<Number>>,
    /// By block: versions at its start and its end.
    pub start: Vec<Versions>,
    pub end: Vec<Versions>,
    /// By version; `None` if it is not of a store.
    stores: Vec<Option<Written>>,
    next: Version,
    changed: bool,
    stale: bool,
}

impl Numbers {
    /// The numbers, or none if they were not found in time. `stale`: memory behind a join is wrong
    /// (a planted fault).
    pub fn new(func: &Func, stale: bool) -> Option<Numbers> {
        let dom = Dominance::new(func);
        let blocks = func.blocks.len();
        let mut n = Numbers {
            dom,
            of: vec![0; func.values as usize],
            known: HashMap::new(),
            start: vec![[0; Space::WRITTEN]; blocks],
            end: vec![[0; Space::WRITTEN]; blocks],
            stores: vec![],
            next: 0,
            changed: true,
            stale,
        };
        let order = n.dom.cfg.order.clone();
        let mut ways: Vec<Vec<(Block, usize)>> = vec![vec![]; blocks];
        for &b in &order {
            let last = func.blocks[b.index()].insts.last()?;
            last.kind.targets().iter().enumerate().for_each(|(i, t)| ways[t.block.index()].push((b, i)));
        }
        for _ in 0..ROUNDS {
            n.round(func, &order, &ways);
            if !n.changed {
                return Some(n);
            }
        }
        None
    }

    /// The number of a value.
    pub fn of(&self, v: Value) -> Number {
        self.of[v.index()]
    }

    /// The number of a value, if it is not newer than the numbers.
    pub fn get(&self, v: Value) -> Option<Number> {
        self.of.get(v.index()).copied().filter(|&n| n != 0)
    }

    /// The numbers that a computation gives, if the function has it.
    pub fn known(&self, key: &Key) -> Option<&[Number]> {
        self.known.get(key).map(Vec::as_slice)
    }

    fn round(&mut self, func: &Func, order: &[Block], ways: &[Vec<(Block, usize)>]) {
        self.changed = false;
        self.known.clear();
        self.next = START + 1 + func.blocks.len() as u32;
        self.stores.clear();
        self.stores.resize(self.next as usize, None);
        for &b in order {
            let mut now = self.enter(b, &ways[b.index()]);
            self.start[b.index()] = now;
            self.params(func, b, &ways[b.index()]);
            for inst in &func.blocks[b.index()].insts {
                self.inst(inst, &mut now);
            }
            self.changed |= std::mem::replace(&mut self.end[b.index()], now) != now;
        }
    }

    /// Versions at the start of a block.
    fn enter(&self, b: Block, ways: &[(Block, usize)]) -> Versions {
        let mut now = [START; Space::WRITTEN];
        if ways.is_empty() {
            return now;
        }
        for (s, version) in now.iter_mut().enumerate() {
            let mut seen = ways.iter().map(|w| self.end[w.0.index()][s]).filter(|&v| v != 0);
            let first = seen.next().unwrap_or(0);
            let same = self.stale || seen.all(|v| v == first);
            *version = if same { first } else { START + 1 + b.0 };
        }
        now
    }

    fn params(&mut self, func: &Func, b: Block, ways: &[(Block, usize)]) {
        for (i, &p) in func.blocks[b.index()].params.iter().enumerate() {
            if ways.is_empty() {
                self.set(p, p.0 + 1);
                continue;
            }
            let arg = |&(from, t): &(Block, usize)| {
                let targets = func.blocks[from.index()].insts.last().map(|l| l.kind.targets()).unwrap_or_default();
                targets.get(t).and_then(|t| t.args.get(i)).map_or(0, |v| self.of[v.index()])
            };
            let args: Vec<Number> = ways.iter().map(arg).collect();
            let mut seen = args.iter().filter(|&&n| n != 0);
            let first = seen.next().copied().unwrap_or(0);
            let number = match seen.all(|&n| n == first) {
                true => first,
                false => self.known.entry(Key::Param(b, args)).or_insert_with(|| vec![p.0 + 1])[0],
            };
            self.set(p, number);
        }
    }

    fn set(&mut self, v: Value, number: Number) {
        self.changed |= std::mem::replace(&mut self.of[v.index()], number) != number;
    }

    fn inst(&mut self, inst: &Inst, now: &mut Versions) {
        let own = || inst.results.iter().map(|r| r.0 + 1).collect::<Vec<Number>>();
        let numbers = match self.key(&inst.kind, now) {
            Some(key) => self.known.entry(key).or_insert_with(own).clone(),
            None => own(),
        };
        inst.results.iter().zip(numbers).for_each(|(r, n)| self.set(*r, n));
        self.write(&inst.kind, now);
    }

    /// Versions behind an instruction.
    fn write(&mut self, kind: &Kind, now: &mut Versions) {
        let spaces: &[Space] = match kind {
            Kind::Store { space, .. } | Kind::Atomic { space, .. } => &[*space],
            Kind::SlotStore { .. } => &[Space::Stack],
            k if k.is_fence() || matches!(k, Kind::Call { .. }) => &[Space::Global, Space::Shared, Space::Stack],
            _ => return,
        };
        let mut written = None;
        if let Kind::Store { space, width, addr, offset, values } = kind {
            let (addr, width, offset) = (self.of(*addr), *width, *offset);
            written = Some(Written { addr, offset, width, before: now[space.written_as()] });
            if matches!(width, Width::W32 | Width::W64 | Width::W128) {
                let key = Key::Load(*space, width, addr, offset, self.next);
                let values = values.iter().map(|v| self.of(*v)).collect();
                self.known.insert(key, values);
            }
        }
        spaces.iter().for_each(|s| now[s.written_as()] = self.next);
        self.stores.push(written);
        self.next += 1;
    }

    /// What an instruction computes, if it is one that equal ones may stand for. `now`: versions in
    /// front of it.
    pub fn key(&self, kind: &Kind, now: &Versions) -> Option<Key> {
        self.key_with(kind, now, &|v| Some(self.of(v)))
    }

    /// The same, with other numbers for its operands.
    pub fn key_with(&self, kind: &Kind, now: &Versions, number: &dyn Fn(Value) -> Option<Number>) -> Option<Key> {
        Some(match kind {
            Kind::Const(c) => Key::Const(*c),
            Kind::Alu(op, _) if cross_lane(*op) => return None,
            Kind::Alu(op, args) => {
                let mut args = args.iter().map(|v| number(*v)).collect::<Option<Vec<Number>>>()?;
                if op.row().commutes && args[0] > args[1] {
                    args.swap(0, 1);
                }
                Key::Alu(*op, args)
            }
            Kind::Special(s) => Key::Special(*s),
            Kind::ConstWord(w) => Key::ConstWord(*w),
            Kind::SlotAddr(s) => Key::SlotAddr(*s),
            Kind::Load { space, width, addr, offset } => {
                let (addr, version) = (number(*addr)?, now[space.written_as()]);
                Key::Load(*space, *width, addr, *offset, self.seen_by(*space, *width, addr, *offset, version))
            }
            _ => return None,
        })
    }

    /// The version that a load sees: that of the last write that may be to its bytes.
    pub fn seen_by(&self, space: Space, width: Width, addr: Number, offset: i32, mut version: Version) -> Version {
        if space == Space::ReadOnly {
            return FIXED;
        }
        while let Some(Some(w)) = self.stores.get(version as usize) {
            // Both are aligned downwards: they are apart if the larger one's bytes lie between.
            let apart = w.offset.abs_diff(offset) >= w.width.bytes().max(width.bytes());
            if w.addr != addr || !apart {
                break;
            }
            version = w.before;
        }
        version
    }

    /// By number, the values that have it and the blocks of their definitions, in reverse
    /// post-order.
    pub fn members(&self, func: &Func) -> Vec<Vec<(Value, Block)>> {
        let mut out = vec![vec![]; self.of.len() + 1];
        for &b in &self.dom.cfg.order {
            let data = &func.blocks[b.index()];
            for v in data.params.iter().chain(data.insts.iter().flat_map(|i| &i.results)) {
                out[self.of(*v) as usize].push((*v, b));
            }
        }
        out
    }

    /// Versions in front of each load, by block and place in it.
    pub fn at_loads(&self, func: &Func) -> HashMap<(Block, usize), Versions> {
        let mut next = START + 1 + func.blocks.len() as u32;
        let mut out = HashMap::new();
        for &b in &self.dom.cfg.order {
            let mut now = self.start[b.index()];
            for (i, inst) in func.blocks[b.index()].insts.iter().enumerate() {
                if matches!(inst.kind, Kind::Load { .. }) {
                    out.insert((b, i), now);
                }
                let all = inst.kind.is_fence() || matches!(inst.kind, Kind::Call { .. });
                match &inst.kind {
                    Kind::Store { space, .. } | Kind::Atomic { space, .. } => now[space.written_as()] = next,
                    Kind::SlotStore { .. } => now[Space::Stack.written_as()] = next,
                    _ if all => now = [next; Space::WRITTEN],
                    _ => continue,
                }
                next += 1;
            }
        }
        out
    }
}
