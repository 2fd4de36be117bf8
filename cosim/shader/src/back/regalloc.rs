//! Register allocation: graph colouring after Chaitin and Briggs.
//!
//! Copies are coalesced (first without restraint; if that does not colour, conservatively), classes
//! are removed from the graph easiest first and coloured in the reverse order, each taking the
//! lowest row of registers that is free. What finds none is spilled and everything begins again;
//! spill code has short lives, so this ends. Wrong if two live registers share one:
//! `interference::check` recomputes that for every result, spilled or not.

use super::bits::BitSet;
use super::error::BackError;
use super::groups::{self, Kept};
use super::interference::{check, mentioned, Graph};
use super::limits::Limits;
use super::mir::{MFunc, VReg};
use super::ranges;
use super::spill;
use crate::fault::CompilerFault;
use crate::ssa::Loc;
use std::collections::BTreeSet;

/// The fewest registers that any instruction sequence can be allocated in: a 128-bit store needs
/// five and the stack pointer, a copy one more.
pub const FEWEST: usize = 8;

#[derive(Clone, Debug, Default)]
pub struct Allocation {
    /// Register of each virtual register; `None` for one that does not appear.
    pub colour: Vec<Option<u8>>,
    pub registers: usize,
    pub spilled: usize,
    pub coalesced: usize,
    /// The program was coloured as it was.
    pub as_it_is: bool,
}

/// Gives every virtual register of `f` one of `registers` registers, adding spill code where they
/// are too few: groups come apart, live ranges are split, or values are spilled everywhere.
pub fn run(f: &mut MFunc, registers: usize, options: &Means) -> Result<Allocation, BackError> {
    let fault = options.fault;
    let fail = |message: String| Err(BackError { message, loc: Loc::default() });
    if !(FEWEST..=quadlock_isa::abi::REGISTERS).contains(&registers) {
        return fail(format!(
            "{registers} registers: at least {FEWEST} and at most {} can be used",
            quadlock_isa::abi::REGISTERS
        ));
    }
    let mut state = spill::State::new(fault);
    // Where much more is live than there are registers, colouring is a waste of time. Not where a
    // few are: copies of one value may share a register.
    let fits = !options.split_ranges || super::liveness::pressure(f) <= registers + registers / 4;
    let mut victims = None;
    if fits {
        victims = match coloured(f, registers, &state)? {
            Coloured::All(allocation) => return Ok(Allocation { as_it_is: true, ..allocation }),
            Coloured::Not(victims) => victims,
        };
        if let Some((g, allocation)) = with_groups_apart(f, registers, options)? {
            *f = g;
            return Ok(allocation);
        }
    }
    if options.split_ranges {
        if let Some((g, allocation)) = with_split_ranges(f, registers, options)? {
            *f = g;
            return Ok(allocation);
        }
    }
    // Values are spilled everywhere if all else fails.
    if !fits {
        victims = match coloured(f, registers, &state)? {
            Coloured::All(allocation) => return Ok(Allocation { as_it_is: true, ..allocation }),
            Coloured::Not(victims) => victims,
        };
    }
    let mut everywhere = f.clone();
    let mut spilled = 0;
    for _ in 0..MOST_ROUNDS {
        let Some(these) = victims else { break };
        spilled += these.len();
        spill::spill(&mut everywhere, &these, &mut state);
        victims = match coloured(&everywhere, registers, &state)? {
            Coloured::Not(victims) => victims,
            Coloured::All(allocation) => {
                *f = everywhere;
                return Ok(Allocation { spilled, ..allocation });
            }
        };
    }
    fail(format!("{registers} registers are too few for this program"))
}

/// By how much less than all registers ranges are split, one after the other.
const ROOMS: [usize; 7] = [0, 1, 2, 3, 4, 6, 8];

/// What the allocator may do, and a planted fault.
#[derive(Clone, Copy, Debug)]
pub struct Means {
    pub split_ranges: bool,
    pub load_groups: bool,
    pub fault: Option<CompilerFault>,
    /// What the best program so far costs: others are of no use. Infinite before.
    pub bound: f64,
}

/// The program with load groups that come apart where they have to, and its registers.
fn with_groups_apart(f: &MFunc, registers: usize, options: &Means) -> Result<Option<(MFunc, Allocation)>, BackError> {
    if !options.load_groups || super::liveness::pressure(f) > registers {
        return Ok(None);
    }
    let Some(g) = groups::apart(f, options.fault) else { return Ok(None) };
    let costs = vec![1.0; g.vregs as usize];
    let mut kept = Kept::new();
    for _ in 0..MOST_UNDONE {
        let mut graph = Graph::new(&g, None);
        let coalesced = graph.coalesce(&g, None, &kept);
        let mut colouring = Colouring::new(&g, &graph, &costs, registers);
        if colouring.run().is_some_and(|victims| victims.is_empty()) {
            let allocation = allocation(&g, colouring.colours(&g), 0, coalesced)?;
            return Ok(Some((g, allocation)));
        }
        // What found no place, and if that has no copies, rows beside it.
        let mut more = Kept::new();
        for &class in &colouring.placeless {
            more.extend(groups::copies_of(&g, &colouring.members[class]));
        }
        if more.is_subset(&kept) {
            for &class in &colouring.placeless {
                let rows = colouring.adjacent[class].iter().filter(|&&c| colouring.len(c) > 1);
                rows.for_each(|&c| more.extend(groups::copies_of(&g, &colouring.members[c])));
            }
        }
        if more.is_subset(&kept) {
            return Ok(None);
        }
        kept.extend(more);
    }
    Ok(None)
}

/// How often copies are kept and colouring begins again.
const MOST_UNDONE: usize = 6;

/// More rounds of spilling everywhere than any program has needed.
const MOST_ROUNDS: usize = 200;

/// What became of a colouring.
enum Coloured {
    All(Allocation),
    /// What to spill, if that helps.
    Not(Option<Vec<(VReg, usize)>>),
}

fn coloured(f: &MFunc, registers: usize, state: &spill::State) -> Result<Coloured, BackError> {
    let costs = spill::costs(f, state);
    let mut victims = None;
    for conservative in [false, true] {
        let mut graph = Graph::new(f, None);
        let coalesced = graph.coalesce(f, conservative.then_some(registers), &Kept::new());
        let mut colouring = Colouring::new(f, &graph, &costs, registers);
        victims = colouring.run();
        if victims.as_ref().is_some_and(Vec::is_empty) {
            return allocation(f, colouring.colours(f), 0, coalesced).map(Coloured::All);
        }
    }
    Ok(Coloured::Not(victims))
}

/// The program with split live ranges and its registers. Room is taken away until it colours: where
/// registers are in rows, there have to be some to spare.
fn with_split_ranges(f: &MFunc, registers: usize, options: &Means) -> Result<Option<(MFunc, Allocation)>, BackError> {
    let fault = options.fault;
    for room in ROOMS.iter().filter_map(|less| registers.checked_sub(*less)) {
        let Some((g, spilled)) = ranges::split(f, room, fault) else { continue };
        if spill::paid(&g) >= options.bound {
            break;
        }
        if let Coloured::All(allocation) = coloured(&g, registers, &spill::State::new(fault))? {
            return Ok(Some((g, Allocation { spilled, ..allocation })));
        }
        if let Some((g, allocation)) = with_groups_apart(&g, registers, options)? {
            return Ok(Some((g, Allocation { spilled, ..allocation })));
        }
    }
    Ok(None)
}

/// Gives registers on the sides of the cutoff that `limits` wants; none if that needs spilling.
pub fn run_within(f: &MFunc, registers: usize, limits: &Limits) -> Result<Option<Allocation>, BackError> {
    for conservative in [false, true] {
        let mut graph = Graph::new(f, Some(limits));
        let coalesced = graph.coalesce(f, conservative.then_some(registers), &Kept::new());
        let costs = vec![1.0; f.vregs as usize];
        let mut colouring = Colouring::new(f, &graph, &costs, registers);
        if colouring.run().is_some_and(|victims| victims.is_empty()) {
            return allocation(f, colouring.colours(f), 0, coalesced).map(Some);
        }
    }
    Ok(None)
}

/// The finished allocation, checked.
fn allocation(f: &MFunc, colour: Vec<Option<u8>>, spilled: usize, coalesced: usize) -> Result<Allocation, BackError> {
    if let Err(e) = check(f, &colour) {
        let message = format!("internal error: register allocation: {e}");
        return Err(BackError { message, loc: Loc::default() });
    }
    let registers = colour.iter().flatten().max().map_or(0, |&c| usize::from(c) + 1);
    Ok(Allocation { colour, registers, spilled, coalesced, as_it_is: false })
}

struct Colouring<'a> {
    graph: &'a Graph<'a>,
    registers: usize,
    /// Classes that have members in the program, and their members.
    members: Vec<Vec<VReg>>,
    /// Cost of spilling a class; infinite if that would not help.
    cost: Vec<f64>,
    /// Classes that interfere, each once.
    adjacent: Vec<Vec<usize>>,
    /// First register of each coloured class.
    base: Vec<Option<usize>>,
    /// Classes that found no registers.
    placeless: Vec<usize>,
}

impl<'a> Colouring<'a> {
    fn new(f: &MFunc, graph: &'a Graph<'a>, costs: &[f64], registers: usize) -> Colouring<'a> {
        let n = graph.classes.len();
        let mut members = vec![Vec::new(); n];
        let mut cost = vec![0.0; n];
        for r in mentioned(f).iter() {
            let class = graph.seat(VReg(r as u32)).0;
            members[class].push(VReg(r as u32));
            cost[class] += costs[r];
        }
        let adjacent = (0..n)
            .map(|class| {
                let mut set = BitSet::new(n);
                for &cell in graph.classes[class].iter().flatten() {
                    for other in graph.neighbours(cell) {
                        set.insert(graph.seat(VReg(other as u32)).0);
                    }
                }
                set.remove(class);
                set.iter().filter(|&c| !members[c].is_empty()).collect()
            })
            .collect();
        Colouring { graph, registers, members, cost, adjacent, base: vec![None; n], placeless: vec![] }
    }

    fn len(&self, class: usize) -> usize {
        self.graph.classes[class].len()
    }

    /// Colours all classes. Returns the registers to spill with their cells, or `None` if nothing
    /// that could be spilled would help.
    fn run(&mut self) -> Option<Vec<(VReg, usize)>> {
        let mut victims: Vec<usize> = Vec::new();
        let mut stuck = false;
        for class in self.order().into_iter().rev() {
            if let Some(base) = self.free_row(class) {
                self.base[class] = Some(base);
                continue;
            }
            self.placeless.push(class);
            let candidates = self.adjacent[class].iter().copied().filter(|&c| self.base[c].is_some());
            let best = std::iter::once(class)
                .chain(candidates)
                .filter(|&c| self.cost[c].is_finite())
                .min_by(|&a, &b| self.weight(a).total_cmp(&self.weight(b)));
            match best {
                Some(v) if !victims.contains(&v) => victims.push(v),
                Some(_) => {}
                None => stuck = true,
            }
        }
        if victims.is_empty() && stuck {
            return None;
        }
        Some(victims.into_iter().flat_map(|v| &self.members[v]).map(|&r| (r, self.graph.cell(r))).collect())
    }

    /// How bad it is to spill a class: cost per interference that goes away.
    fn weight(&self, class: usize) -> f64 {
        self.cost[class] / (1 + self.adjacent[class].len()) as f64
    }

    /// Classes in the order of removal: as long as there is one that can certainly be coloured,
    /// that one; else the cheapest to spill.
    fn order(&self) -> Vec<usize> {
        let blocked = |class: usize, by: usize| self.len(class) + self.len(by) - 1;
        let present = (0..self.members.len()).filter(|&c| !self.members[c].is_empty());
        let mut load: Vec<usize> =
            (0..self.members.len()).map(|c| self.adjacent[c].iter().map(|&o| blocked(c, o)).sum()).collect();
        let is_easy = |c: usize, load: usize| load + self.len(c) <= self.graph.room(c, self.registers);
        // What is easy once stays so, since loads only become less.
        let mut easy: BTreeSet<usize> = present.clone().filter(|&c| is_easy(c, load[c])).collect();
        let mut cheapest: Vec<usize> = present.collect();
        cheapest.sort_by(|&a, &b| self.weight(a).total_cmp(&self.weight(b)));
        let mut cheapest = cheapest.into_iter();
        let mut order = Vec::with_capacity(cheapest.len());
        let mut removed = vec![false; self.members.len()];
        while let Some(class) = easy.pop_first().or_else(|| cheapest.find(|&c| !removed[c])) {
            removed[class] = true;
            order.push(class);
            for &o in self.adjacent[class].iter().filter(|&&o| !removed[o]) {
                load[o] -= blocked(o, class);
                if is_easy(o, load[o]) {
                    easy.insert(o);
                }
            }
        }
        order
    }

    /// The lowest first register at which no cell of the class meets a coloured neighbour, from
    /// where the class is tried first, else of all.
    fn free_row(&self, class: usize) -> Option<usize> {
        let taken: Vec<u64> = self.graph.classes[class]
            .iter()
            .map(|cell| {
                let others = cell.iter().flat_map(|&c| self.graph.neighbours(c));
                others.fold(0, |mask, o| {
                    let (oc, op) = self.graph.seat(VReg(o as u32));
                    self.base[oc].map_or(mask, |b| mask | 1 << (b + op))
                })
            })
            .collect();
        let (last, first) = (self.registers.checked_sub(taken.len())?, self.graph.first(class));
        (first..=last)
            .chain(0..first.min(last + 1))
            .filter(|&b| self.graph.allows(class, b))
            .find(|b| taken.iter().enumerate().all(|(i, t)| t >> (b + i) & 1 == 0))
    }

    fn colours(&self, f: &MFunc) -> Vec<Option<u8>> {
        let used = mentioned(f);
        (0..f.vregs)
            .map(|r| {
                let (class, position) = self.graph.seat(VReg(r));
                used.contains(r as usize).then_some(())?;
                Some((self.base[class]? + position) as u8)
            })
            .collect()
    }
}
