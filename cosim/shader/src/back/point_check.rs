//! What the checks of finished code around merge points and around split points share: rules, the
//! state of the registers over all paths, and the walk. The rules themselves are written twice, in
//! `merge_check` and `split_check`, because they are different rules. Wrong if a join forgets what
//! one path says.

use super::code::{self, Code, REGISTERS};
use std::fmt::{self, Display, Formatter};

/// A rule of instructions.
pub trait Rule: Copy {
    /// What is said of an instruction that breaks it.
    fn text(self) -> &'static str;
}

/// An instruction that breaks a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wrong<R> {
    /// Its number.
    pub pc: u32,
    /// The rule.
    pub rule: R,
}

impl<R: Rule> Display for Wrong<R> {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        write!(f, "instruction {} {}", self.pc, self.rule.text())
    }
}

/// What a register may hold.
pub trait Held: Copy + Default + PartialEq {
    /// What it may hold if another path leaves `other` in it.
    fn or(self, other: Self) -> Self;
}

/// What is true where an instruction begins, over all paths to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State<H> {
    pub held: [H; REGISTERS],
    /// A path has no point behind it.
    pub before: bool,
    /// A path has one.
    pub behind: bool,
    /// Helpers have ended on every path. Rules of split points do not need it.
    pub alone: bool,
}

impl<H: Held> State<H> {
    /// At the first instruction.
    pub fn start() -> Self {
        Self { held: [H::default(); REGISTERS], before: true, behind: false, alone: false }
    }

    /// Behind a point.
    pub fn pass_point(&mut self) {
        (self.before, self.behind) = (false, true);
    }
}

impl<H: Held> code::State for State<H> {
    fn join(&mut self, other: &Self) -> bool {
        let old = self.clone();
        for (a, b) in self.held.iter_mut().zip(&other.held) {
            *a = a.or(*b);
        }
        self.before |= other.before;
        self.behind |= other.behind;
        self.alone &= other.alone;
        *self != old
    }
}

/// A program with the rules for it.
pub trait Checked {
    type Held: Held;
    type Rule: Rule;

    fn code(&self) -> &Code;
    /// The states behind an instruction, by where it goes.
    fn step(&self, pc: usize, state: &State<Self::Held>) -> Vec<(usize, State<Self::Held>)>;
    /// The rules that an instruction breaks.
    fn broken(&self, pc: usize, state: &State<Self::Held>) -> Vec<Self::Rule>;
}

/// All that is wrong with a program, in order.
pub fn check<P: Checked>(program: &P) -> Vec<Wrong<P::Rule>> {
    let states = program.code().states(State::start(), &|pc, state| program.step(pc, state));
    let reached = states.iter().enumerate().filter_map(|(pc, state)| Some((pc, state.as_ref()?)));
    let rules = reached.flat_map(|(pc, state)| program.broken(pc, state).into_iter().map(move |rule| (pc, rule)));
    rules.map(|(pc, rule)| Wrong { pc: pc as u32, rule }).collect()
}
