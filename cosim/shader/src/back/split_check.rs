//! Checks finished code against the rules of split points (MS-40, MS-42, MS-43).
//!
//! It knows nothing of how the compiler chose: it follows every path of the instruction words and
//! what each register may hold on it. A register may be of a *sample*, or *gone*, which is private
//! and from before the point. What a load gives is of the pixel only if its address is surely that
//! of a buffer that is not written. Wrong if a path or an operand is missed: planted faults of the
//! compiler are its tests.

use super::code::{self, Code, REGISTERS};
use super::point_check::{self, Checked};
use quadlock_isa::abi::{CONST_BUFFERS, MAX_BUFFERS};
use quadlock_isa::{BMode, Instr, Lanes, Op, Special};

/// A rule that is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// A value of a sample is made or used before the point (MS-43).
    Sample,
    /// A store, an atomic or an output before the point (MS-42).
    Effect,
    /// A private register from before the point is read behind it (MS-42).
    Gone,
    /// A public register is written behind the point (MS-42).
    PublicWrite,
    /// The point is in a loop.
    Loop,
    /// A second point.
    Twice,
    /// Some lanes come here through the point, and others round it.
    Around,
    /// A derivative behind the point of what was made there, to which not every lane comes.
    Apart,
    /// A row of registers lies on both sides of the cutoff.
    Row,
    /// An operation that a program with a point may not have (MS-32).
    Forbidden,
}

impl point_check::Rule for Rule {
    fn text(self) -> &'static str {
        match self {
            Rule::Sample => "is per sample and stands before the split point",
            Rule::Effect => "has an effect of each sample and stands before the split point",
            Rule::Gone => "reads a private register from before the split point",
            Rule::PublicWrite => "writes a public register behind the split point",
            Rule::Loop => "is a split point in a loop",
            Rule::Twice => "is a second split point",
            Rule::Around => "can be reached through the split point and round it",
            Rule::Apart => "looks at lanes that may not be there, behind the split point",
            Rule::Row => "has registers on both sides of the cutoff",
            Rule::Forbidden => "may not be in a program with a split point",
        }
    }
}

/// An instruction that breaks a rule.
pub type Wrong = point_check::Wrong<Rule>;

/// What a register may hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Held {
    sample: bool,
    gone: bool,
    /// Buffers whose addresses may be in it.
    buffers: u32,
    /// One of them surely is.
    address: bool,
}

impl point_check::Held for Held {
    fn or(self, other: Self) -> Self {
        Self {
            sample: self.sample | other.sample,
            gone: self.gone | other.gone,
            buffers: self.buffers | other.buffers,
            address: self.address & other.address,
        }
    }
}

type State = point_check::State<Held>;

/// Instruction numbers of the split points.
pub fn points(code: &[u64]) -> Vec<u32> {
    code::places(code, Op::Split)
}

/// How many instructions can run behind a split point.
pub fn behind(code: &[u64]) -> usize {
    code::behind(code, Op::Split)
}

/// All that is wrong with a program whose registers below `cutoff` are public, in order. Bit n of
/// `read_only` says of buffer n of the table that nobody writes it while the program runs. A
/// program without a split point has no rules.
pub fn check(code: &[u64], cutoff: u32, read_only: u32) -> Vec<Wrong> {
    check_of(code, code::lowest(cutoff), read_only)
}

/// The same of a program with those public registers, as bits.
pub fn check_of(code: &[u64], public: u32, read_only: u32) -> Vec<Wrong> {
    if points(code).is_empty() {
        return vec![];
    }
    point_check::check(&Program { code: Code::new(code), public, read_only })
}

struct Program {
    code: Code,
    public: u32,
    read_only: u32,
}

impl Program {
    fn is_public(&self, r: u8) -> bool {
        self.public >> r & 1 == 1
    }

    /// Whether the result is each sample's own, whatever the operands of an operation are.
    fn is_own(&self, i: &Instr, state: &State) -> bool {
        let of_pixels = [Special::PixelX, Special::PixelY, Special::Primitive, Special::Facing];
        match i.op {
            Op::S2R => !of_pixels.iter().any(|&s| i.imm == s as u32),
            Op::Bary => i.imm != 0,
            op if op.is_load() => {
                let from = state.held[usize::from(i.a)];
                !from.address || from.buffers & !self.read_only != 0
            }
            op => op.is_atomic(),
        }
    }

    /// What an instruction writes.
    fn result(&self, i: &Instr, state: &State) -> Held {
        let mut result = Held { sample: self.is_own(i, state), ..Held::default() };
        for r in i.source_regs().iter() {
            let held = state.held[usize::from(*r)];
            result.sample |= held.sample;
            // What memory holds is no address, whatever the address of it is.
            if !i.op.is_memory() {
                result.buffers |= held.buffers;
                result.address |= held.address;
            }
        }
        let table = CONST_BUFFERS as u32..(CONST_BUFFERS + 2 * MAX_BUFFERS) as u32;
        if i.b_mode == BMode::Const && table.contains(&i.imm) && (i.imm - table.start).is_multiple_of(2) {
            result.buffers |= 1 << ((i.imm - table.start) / 2);
            result.address = true;
        }
        result
    }

    /// A lane can end without coming to an instruction: before the point, or behind it.
    fn is_apart(&self, pc: usize) -> bool {
        let mut seen = vec![false; self.code.instrs.len()];
        let mut work = vec![0];
        while let Some(at) = work.pop().filter(|_| !seen.is_empty()) {
            if at == pc || at >= seen.len() || std::mem::replace(&mut seen[at], true) {
                continue;
            }
            if matches!(self.code.instrs[at].op, Op::End | Op::Discard) {
                return true;
            }
            work.extend(self.code.next(at));
        }
        false
    }
}

impl Checked for Program {
    type Held = Held;
    type Rule = Rule;

    fn code(&self) -> &Code {
        &self.code
    }

    fn step(&self, pc: usize, state: &State) -> Vec<(usize, State)> {
        let i = &self.code.instrs[pc];
        let mut after = state.clone();
        let result = self.result(i, state);
        for r in code::dest(i) {
            after.held[usize::from(r)] = result;
        }
        if i.op == Op::Split {
            (0..REGISTERS).filter(|r| self.public >> r & 1 == 0).for_each(|r| after.held[r].gone = true);
            after.pass_point();
        }
        self.code.next(pc).into_iter().map(|to| (to, after.clone())).collect()
    }

    fn broken(&self, pc: usize, state: &State) -> Vec<Rule> {
        let i = &self.code.instrs[pc];
        let held: Vec<Held> = i.source_regs().iter().map(|&r| state.held[usize::from(r)]).collect();
        let mut rules = vec![];
        let mut rule = |broken: bool, rule: Rule| rules.extend(broken.then_some(rule));
        let sample = self.is_own(i, state) || held.iter().any(|h| h.sample);
        rule(state.before && sample, Rule::Sample);
        rule(state.before && (i.op.is_store() || i.op.is_atomic() || i.op == Op::Out), Rule::Effect);
        rule(held.iter().any(|h| h.gone), Rule::Gone);
        rule(state.behind && code::dest(i).iter().any(|&r| self.is_public(r)), Rule::PublicWrite);
        rule(i.op == Op::Split && self.code.looped[pc], Rule::Loop);
        rule(i.op == Op::Split && state.behind, Rule::Twice);
        rule(state.before && state.behind, Rule::Around);
        let private = i.source_regs().iter().any(|&r| !self.is_public(r));
        rule(state.behind && private && i.op.row().lanes == Lanes::Quad && self.is_apart(pc), Rule::Apart);
        rule(code::is_on_both_sides(i, self.public), Rule::Row);
        rule(code::is_forbidden(i), Rule::Forbidden);
        rules
    }
}
