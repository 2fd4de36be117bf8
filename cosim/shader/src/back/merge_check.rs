//! Checks finished code against the rules of registers around merge points (MS-21, MS-22, MS-31,
//! MS-32, MS-34).
//!
//! It knows nothing of how the compiler chose: it follows every path of the instruction words and
//! what each register may hold on it. A register may be *stray*, which is a value that a helper
//! does not have right, or *gone*, which is private and from before the point. A public register is
//! stray wherever a helper reads it. Wrong if a path or an operand is missed: planted faults of the
//! compiler are its tests.

use super::code::{self, Code, REGISTERS};
use super::limits::part;
use super::merge::MergeRules;
use super::point_check::{self, Checked};
use quadlock_isa::abi::PrivateSet;
use quadlock_isa::{BMode, Lanes, Op, Special};

/// A rule that is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// A private register from before the point is read behind it (MS-22).
    Gone,
    /// A quad operation before the point looks at a stray value (MS-31).
    StrayOperand,
    /// A branch before the point, or of a loop behind it, tests a stray value.
    StrayBranch,
    /// An address before the point, or of a load behind it, is stray.
    StrayAddress,
    /// A quad operation behind a point (MS-30).
    LateQuad,
    /// A private register is used between two points (MS-34).
    Between,
    /// A private register is used behind a point, where a merged warp has none (MS-22).
    NoPrivate,
    /// A private register is used that a member, or a merged warp, has not (MS-35).
    Beyond,
    /// A point in a loop (MS-32).
    Loop,
    /// A split point that lanes come to before a merge point (MS-42).
    Order,
    /// A row has public and private registers.
    Row,
    /// An operation that a program with a point may not have (MS-32, MS-24).
    Forbidden,
}

impl point_check::Rule for Rule {
    fn text(self) -> &'static str {
        match self {
            Rule::Gone => "reads a private register from before the merge point",
            Rule::StrayOperand => "looks at neighbours whose value is not theirs",
            Rule::StrayBranch => "tests a value that helpers do not have",
            Rule::StrayAddress => "has an address that helpers do not have",
            Rule::LateQuad => "needs helper lanes behind a merge point",
            Rule::Between => "uses a private register between two merge points",
            Rule::NoPrivate => "uses a private register, of which a merged warp has none",
            Rule::Beyond => "uses a register behind the last private one",
            Rule::Loop => "is a merge point in a loop",
            Rule::Order => "is a split point before a merge point",
            Rule::Row => "has a row of registers that are public and private",
            Rule::Forbidden => "may not be in a program with a merge point",
        }
    }
}

/// An instruction that breaks a rule.
pub type Wrong = point_check::Wrong<Rule>;

/// What a register may hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Held {
    stray: bool,
    gone: bool,
    /// It is certainly the special register that tells helpers.
    flag: bool,
    /// It is certainly not 0 for lanes that own it, and public: helpers read 0.
    owner: bool,
}

impl point_check::Held for Held {
    fn or(self, other: Self) -> Self {
        Self {
            stray: self.stray | other.stray,
            gone: self.gone | other.gone,
            flag: self.flag & other.flag,
            owner: self.owner & other.owner,
        }
    }
}

type State = point_check::State<Held>;

/// Instruction numbers of the merge points.
pub fn points(code: &[u64]) -> Vec<u32> {
    code::places(code, Op::Merge)
}

/// How many instructions can run behind a merge point.
pub fn behind(code: &[u64]) -> usize {
    code::behind(code, Op::Merge)
}

/// All that is wrong with a program whose registers below `cutoff` are public, in order. A program
/// without a merge point has no rules.
pub fn check(code: &[u64], cutoff: u32) -> Vec<Wrong> {
    check_of(code, code::lowest(cutoff), PrivateSet::Old)
}

/// The same of a program with those public registers, as bits, for a machine with those rules.
pub fn check_of(code: &[u64], public: u32, rules: impl Into<MergeRules>) -> Vec<Wrong> {
    match points(code).is_empty() {
        true => vec![],
        false => point_check::check(&Program::new(code, public, rules.into())),
    }
}

/// The same of a program that splits behind its merge point. Helpers end at the point there, by the
/// machine (MS-42).
pub fn check_before_split(code: &[u64], public: u32) -> Vec<Wrong> {
    check_of(code, public, MergeRules { private: PrivateSet::Old, helpers_end: true })
}

struct Program {
    code: Code,
    /// The machine ends helpers at the point.
    helpers_end: bool,
    public: u32,
    private: PrivateSet,
    /// A merge point can still be reached from the instruction, itself included.
    ahead: Vec<bool>,
}

impl Program {
    fn new(words: &[u64], public: u32, rules: MergeRules) -> Program {
        let MergeRules { private, helpers_end } = rules;
        let code = Code::new(words);
        let ahead = code.reaching(&|pc| code.instrs[pc].op == Op::Merge);
        Program { code, helpers_end, public, private, ahead }
    }

    fn private(&self, r: u8) -> bool {
        self.public >> r & 1 == 0
    }

    /// Whether a private register is one that the warp has, in each of its states.
    fn has(&self, state: &State, r: u8) -> bool {
        let cutoff = self.public.count_ones() as usize;
        let parts = if state.before { 1 } else { 2 };
        self.private != PrivateSet::Joined || usize::from(r) < cutoff + parts * part(cutoff)
    }

    /// What a register gives to an instruction.
    fn read(&self, state: &State, r: u8) -> Held {
        let held = state.held[usize::from(r)];
        Held { stray: (held.stray || !self.private(r)) && !state.alone, ..held }
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
        let sources: Vec<Held> = i.source_regs().iter().map(|&r| self.read(state, r)).collect();
        let stray = sources.iter().any(|h| h.stray);
        let gone = sources.iter().any(|h| h.gone);
        let flag = i.op == Op::S2R && i.imm == Special::Helper as u32;
        let owner = i.op == Op::Mov && i.b_mode == BMode::Imm && i.imm != 0;
        for r in code::dest(i) {
            let (flag, owner) = (flag && self.private(r), owner && !self.private(r));
            after.held[usize::from(r)] = Held { stray, gone, flag, owner };
        }
        if i.op == Op::Merge {
            for r in (0..REGISTERS).filter(|&r| self.private(r as u8)) {
                after.held[r] = Held { gone: true, ..Held::default() };
            }
            after.pass_point();
            after.alone |= self.helpers_end;
        }
        let branch = matches!(i.op, Op::Bz | Op::Bnz);
        let told = state.held[usize::from(i.a)];
        let way = |to: usize| {
            let mut after = after.clone();
            let nonzero = (to == pc + 1) == (i.op == Op::Bz);
            after.alone |= branch && (told.flag && !nonzero || told.owner && nonzero);
            (to, after)
        };
        self.code.next(pc).into_iter().map(way).collect()
    }

    fn broken(&self, pc: usize, state: &State) -> Vec<Rule> {
        let i = &self.code.instrs[pc];
        let sources: Vec<u8> = i.source_regs().iter().copied().collect();
        let mut rules = vec![];
        let mut rule = |broken: bool, rule: Rule| rules.extend(broken.then_some(rule));
        let stray = |r: u8| self.read(state, r).stray;
        let quad = i.op.row().lanes == Lanes::Quad;
        rule(sources.iter().any(|&r| state.held[usize::from(r)].gone), Rule::Gone);
        rule(quad && state.before && stray(i.a), Rule::StrayOperand);
        rule(quad && state.behind, Rule::LateQuad);
        let branch = matches!(i.op, Op::Bz | Op::Bnz);
        let tells = state.held[usize::from(i.a)].owner;
        rule(branch && (state.before || self.code.looped[pc]) && stray(i.a) && !tells, Rule::StrayBranch);
        let address = i.op.is_memory() && (state.before || i.op.is_load());
        rule(address && stray(i.a), Rule::StrayAddress);
        rule(i.op == Op::Merge && self.code.looped[pc], Rule::Loop);
        rule(i.op == Op::Split && (state.before || self.ahead[pc]), Rule::Order);
        let between = state.behind && self.ahead[pc];
        rule(between && sources.iter().chain(&code::dest(i)).any(|&r| self.private(r)), Rule::Between);
        let named: Vec<u8> = sources.iter().copied().chain(code::dest(i)).filter(|&r| self.private(r)).collect();
        rule(self.private == PrivateSet::None && state.behind && !named.is_empty(), Rule::NoPrivate);
        rule(named.iter().any(|&r| !self.has(state, r)), Rule::Beyond);
        rule(code::is_on_both_sides(i, self.public), Rule::Row);
        rule(code::is_forbidden(i), Rule::Forbidden);
        rules
    }
}
