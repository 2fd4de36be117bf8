//! Forms of merge and split points (MS-10, MS-35). A finished program has its points as
//! instructions; here they become what the machine knows: a modifier of another instruction, a
//! counter beside the program, or a number of executed instructions.
//!
//! | form | what becomes of a point |
//! |---|---|
//! | modifier | the instruction before it carries it, if all that comes to the point comes from there; else a branch to the next instruction does |
//! | counter | the last point only: the counter of what follows it; the others are left out |
//! | count | the last point only, and only if every lane comes to it after the same number of instructions |
//!
//! A branch past the point must not meet it. So a branch to the next instruction stays in the place
//! of the point where others go to what follows it.
//!
//! [`expanded`] is the way back, for checkers: it knows the finished program and what stands beside
//! it, and puts an instruction where lanes meet the event. Wrong if the two are wrong together:
//! tests draw programs of each form on the machine and compare.

use std::collections::BTreeSet;

use quadlock_isa::abi::EventForm;
use quadlock_isa::{decode, encode, Event, Instr, Lanes, Op, Special};

use super::code::{places, Code};
use super::merge::MergeRules;
use super::{merge_check, split_check};
use crate::binary::ShaderBinary;
use crate::interface::Beside;

/// What became of the points of a program.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Converted {
    /// Where the point is, if that stands beside the program.
    pub at: Option<Beside>,
    /// Instructions that are left out, ascending, as they were numbered.
    pub removed: Vec<u32>,
}

impl Converted {
    /// The number of an instruction now; of one that is left out that of what follows it.
    pub fn number(&self, pc: u32) -> u32 {
        pc - self.removed.iter().filter(|&&gone| gone < pc).count() as u32
    }

    /// Leaves out what belonged to instructions that are left out.
    pub fn keep<T>(&self, of: &mut Vec<T>) {
        let mut pc = 0;
        of.retain(|_| {
            pc += 1;
            !self.removed.contains(&(pc - 1))
        });
    }
}

/// Gives the points of a program that form.
///
/// # Errors
/// Why the program cannot have a point in that form; then it is as it was.
pub fn convert(code: &mut Vec<u64>, event: Event, form: EventForm) -> Result<Converted, String> {
    let points = places(code, event.op());
    let Some((&last, others)) = points.split_last() else { return Ok(Converted::default()) };
    match form {
        EventForm::Instruction => Ok(Converted::default()),
        EventForm::Modifier => Ok(modified(code, event, &points)),
        EventForm::Counter => {
            let passed = targets(code).contains(&(last + 1));
            let (at, removed) = match passed {
                true => (last, others.to_vec()),
                false => (last + 1, points.clone()),
            };
            let converted = Converted { at: None, removed };
            if passed {
                code[last as usize] = encode(&next(last));
            }
            remove(code, &converted);
            Ok(Converted { at: Some(Beside::Counter(converted.number(at))), ..converted })
        }
        EventForm::Count => {
            let mut alone = code.clone();
            let others = Converted { at: None, removed: others.to_vec() };
            remove(&mut alone, &others);
            let point = others.number(last);
            let count = steps(&alone, point).ok_or("lanes come to it after different numbers of instructions")?;
            let stays = count == 0 || targets(&alone).contains(&(point + 1));
            *code = alone;
            let Converted { mut removed, .. } = others;
            if stays {
                code[point as usize] = encode(&next(point));
            } else {
                remove(code, &Converted { at: None, removed: vec![point] });
                removed.push(last);
            }
            Ok(Converted { at: Some(Beside::Count(count + u32::from(stays))), removed })
        }
    }
}

/// A branch to the next instruction: it does nothing.
fn next(pc: u32) -> Instr {
    Instr { imm: pc + 1, ..Instr::new(Op::Bra) }
}

fn targets(code: &[u64]) -> BTreeSet<u32> {
    code.iter().filter_map(|&w| decode(w).ok()?.target()).map(u32::from).collect()
}

fn modified(code: &mut Vec<u64>, event: Event, points: &[u32]) -> Converted {
    let targets = targets(code);
    let mut removed = vec![];
    for &pc in points {
        let before = pc.checked_sub(1).filter(|_| !targets.contains(&pc)).and_then(|at| decode(code[at as usize]).ok());
        let carrier = before.filter(|i| i.op.carries_events() && !i.op.is_branch() && i.event.is_none());
        match carrier {
            Some(i) => {
                code[pc as usize - 1] = encode(&Instr { event: Some(event), ..i });
                removed.push(pc);
            }
            None => code[pc as usize] = encode(&Instr { event: Some(event), ..next(pc) }),
        }
    }
    let converted = Converted { at: None, removed };
    remove(code, &converted);
    converted
}

/// Leaves instructions out. Branches to them go to what follows.
fn remove(code: &mut Vec<u64>, converted: &Converted) {
    converted.keep(code);
    for word in code {
        if let Some(i) = decode(*word).ok().filter(|i| i.op.is_branch()) {
            *word = encode(&Instr { imm: converted.number(i.imm), ..i });
        }
    }
}

/// After how many instructions every lane that has not ended comes to an instruction for the first
/// time.
fn steps(code: &[u64], point: u32) -> Option<u32> {
    let code = Code::new(code);
    let mut here = BTreeSet::from([0]);
    for count in 0..=code.instrs.len() as u32 {
        if here.contains(&(point as usize)) {
            return (here.len() == 1).then_some(count);
        }
        here = here.iter().flat_map(|&pc| code.next(pc)).filter(|&pc| pc < code.instrs.len()).collect();
    }
    None
}

/// Where lanes are after that many instructions.
fn after(code: &[u64], count: u32) -> BTreeSet<usize> {
    let code = Code::new(code);
    let step = |here: BTreeSet<usize>, _| here.iter().flat_map(|&pc| code.next(pc)).collect();
    (0..count).fold(BTreeSet::from([0]), step).into_iter().filter(|&pc| pc < code.instrs.len()).collect()
}

/// A program in which instructions are its points.
#[derive(Clone, Debug, PartialEq)]
pub struct Expanded {
    /// Its instructions.
    pub code: Vec<u64>,
    /// Of each the instruction of the finished program that it is, or where the point is.
    pub of: Vec<u32>,
}

/// The finished program, and where its event stands beside it, as one with instructions for points.
pub fn expanded(code: &[u64], event: Event, at: Option<Beside>) -> Expanded {
    let carries = |pc: usize| decode(code[pc]).ok().filter(|i| i.event == Some(event));
    let mut before: BTreeSet<usize> = match at {
        None => BTreeSet::new(),
        Some(Beside::Counter(pc)) => BTreeSet::from([pc as usize]),
        Some(Beside::Count(count)) => after(code, count),
    };
    // The lanes of a branch meet the event wherever they go: as if they met it before.
    before.extend((0..code.len()).filter(|&pc| carries(pc).is_some_and(|i| i.op.is_branch())));
    let point = encode(&Instr::new(event.op()));
    let mut out = Expanded { code: vec![], of: vec![] };
    let mut entry = vec![];
    for (pc, &word) in code.iter().enumerate() {
        entry.push(out.code.len() as u32);
        let carried = carries(pc);
        let behind = carried.is_some() && !before.contains(&pc);
        let plain = carried.map_or(word, |i| encode(&Instr { event: None, ..i }));
        for word in before.contains(&pc).then_some(point).into_iter().chain([plain]).chain(behind.then_some(point)) {
            out.code.push(word);
            out.of.push(pc as u32);
        }
    }
    for word in &mut out.code {
        if let Some(i) = decode(*word).ok().filter(|i| i.op.is_branch()) {
            let to = entry.get(i.imm as usize).copied().unwrap_or(out.of.len() as u32);
            *word = encode(&Instr { imm: to, ..i });
        }
    }
    out
}

/// Instructions before which lanes meet the event, or behind which if they carry it.
pub fn points(code: &[u64], event: Event, at: Option<Beside>) -> Vec<u32> {
    let expanded = expanded(code, event, at);
    places(&expanded.code, event.op()).into_iter().map(|pc| expanded.of[pc as usize]).collect()
}

/// How many instructions can run behind a point.
pub fn behind(code: &[u64], event: Event, at: Option<Beside>) -> usize {
    super::code::behind(&expanded(code, event, at).code, event.op())
}

/// What a program does may depend on which other samples of its quad are covered: it looks at
/// coverage, or at lanes of the warp that are active, or its varyings are those of the centroid.
pub fn looks_at_coverage(code: &[u64]) -> bool {
    let numbers = [Special::Coverage, Special::Helper].map(|s| s as u32);
    code.iter().filter_map(|&word| decode(word).ok()).any(|i| match i.op {
        Op::S2R => numbers.contains(&(i.imm & 63)),
        Op::Bary => i.imm == 1,
        _ => matches!(i.op.row().lanes, Lanes::Active | Lanes::Lowest),
    })
}

impl ShaderBinary {
    /// See [`looks_at_coverage`].
    pub fn looks_at_coverage(&self) -> bool {
        looks_at_coverage(&self.code)
    }

    /// It has a split point, and behind it no lane looks at another (MS-41).
    pub fn apart(&self) -> bool {
        self.splits() && apart(&self.code, self.interface.split_at)
    }
}

/// Behind its split points no lane looks at another, nor at what tells one from another. So the
/// lanes of the warps there may be a pixel's samples as well as a sample's pixels (MS-41).
pub fn apart(code: &[u64], at: Option<Beside>) -> bool {
    let expanded = expanded(code, Event::Split, at);
    let code = Code::new(&expanded.code);
    let after = |pc: usize| code.next(pc).into_iter().filter(|&next| next < expanded.code.len());
    let mut found = BTreeSet::new();
    let mut left: Vec<usize> =
        places(&expanded.code, Event::Split.op()).into_iter().flat_map(|pc| after(pc as usize)).collect();
    while let Some(pc) = left.pop() {
        if found.insert(pc) {
            left.extend(after(pc));
        }
    }
    let numbers = [Special::Lane, Special::Coverage, Special::ThreadSlot].map(|s| s as u32);
    let looks = |i: Instr| i.op.row().lanes != Lanes::Own || i.op == Op::S2R && numbers.contains(&(i.imm & 63));
    !found.iter().any(|&pc| decode(expanded.code[pc]).is_ok_and(looks))
}

/// As [`merge_check::check_of`], of a program of any form.
pub fn check_merge(
    code: &[u64],
    public: u32,
    rules: impl Into<MergeRules>,
    at: Option<Beside>,
) -> Vec<merge_check::Wrong> {
    let expanded = expanded(code, Event::Merge, at);
    let mut wrong = merge_check::check_of(&expanded.code, public, rules);
    wrong.iter_mut().for_each(|w| w.pc = expanded.of[w.pc as usize]);
    wrong
}

/// As [`merge_check::check_before_split`], of a program of any form.
pub fn check_merge_before_split(code: &[u64], public: u32, at: Option<Beside>) -> Vec<merge_check::Wrong> {
    let expanded = expanded(code, Event::Merge, at);
    let mut wrong = merge_check::check_before_split(&expanded.code, public);
    wrong.iter_mut().for_each(|w| w.pc = expanded.of[w.pc as usize]);
    wrong
}

/// As [`split_check::check_of`], of a program of any form.
pub fn check_split(code: &[u64], public: u32, read_only: u32, at: Option<Beside>) -> Vec<split_check::Wrong> {
    let expanded = expanded(code, Event::Split, at);
    let mut wrong = split_check::check_of(&expanded.code, public, read_only);
    wrong.iter_mut().for_each(|w| w.pc = expanded.of[w.pc as usize]);
    wrong
}

#[cfg(test)]
mod tests {
    use super::*;
    use quadlock_isa::abi::PrivateSet;
    use quadlock_isa::assemble;

    fn words(text: &str) -> Vec<u64> {
        assemble("t", text).unwrap().code
    }

    /// MS-41: only what can run behind a point counts, in every form of it.
    #[test]
    fn lanes_behind_a_point_are_apart_or_not() {
        let is = |text: &str, at| apart(&words(text), at);
        assert!(is("DDX r0, r1\nSPLIT\nIADD r0, r0, #1\nEND", None));
        assert!(!is("SPLIT\nIADD r0, r0, #1\nDDX r0, r1\nEND", None));
        assert!(!is("QSHUF r0, r0, #1\nSPLIT\nIADD r0, r0, #1\nBNZ r0, @0\nEND", None), "by a branch back");
        assert!(!is("BNZ r0, @3\nSPLIT\nEND\nSPLIT\nWBALLOT r0, r0\nEND", None), "of several points each");
        assert!(!is("SPLIT\nS2R r0, lane\nEND", None));
        assert!(is("SPLIT\nS2R r0, sample\nEND", None));
        assert!(is("DDX r0, r1\nIADD.SPLIT r0, r0, #1\nEND", None));
        assert!(!is("IADD.SPLIT r0, r0, #1\nDDX r0, r1\nEND", None));
        assert!(is("DDX r0, r1\nIADD r0, r0, #1\nEND", Some(Beside::Counter(1))));
        assert!(!is("IADD r0, r0, #1\nDDX r0, r1\nEND", Some(Beside::Counter(1))));
        assert!(is("DDX r0, r1\nIADD r0, r0, #1\nEND", Some(Beside::Count(1))));
        assert!(!is("IADD r0, r0, #1\nDDX r0, r1\nEND", Some(Beside::Count(1))));
    }

    /// The program in that form, where its point is, and that the way back is where it was.
    fn formed(text: &str, form: EventForm) -> Result<(Vec<u64>, Option<Beside>), String> {
        let mut code = words(text);
        let converted = convert(&mut code, Event::Merge, form)?;
        assert_eq!(code.len() + converted.removed.len(), words(text).len());
        Ok((code, converted.at))
    }

    const STRAIGHT: &str = "MOV r0, #1\nMERGE\nMOV r1, #2\nEND\n";

    #[test]
    fn ms_10_a_point_leaves_a_straight_program() {
        let plain = words("MOV r0, #1\nMOV r1, #2\nEND\n");
        assert_eq!(formed(STRAIGHT, EventForm::Counter), Ok((plain.clone(), Some(Beside::Counter(1)))));
        assert_eq!(formed(STRAIGHT, EventForm::Count), Ok((plain, Some(Beside::Count(1)))));
        let carried = words("MOV.MERGE r0, #1\nMOV r1, #2\nEND\n");
        assert_eq!(formed(STRAIGHT, EventForm::Modifier), Ok((carried, None)));
        assert_eq!(formed(STRAIGHT, EventForm::Instruction), Ok((words(STRAIGHT), None)));
    }

    /// Of two arms one is longer.
    const ARMS: &str = "S2R r0, facing\nBZ r0, on\nMERGE\nMOV r1, #2\non:\nMERGE\nMOV r1, #2\nEND\n";

    #[test]
    fn ms_35_one_point_stands_beside_the_program_the_last() {
        let plain = words("S2R r0, facing\nBZ r0, on\nMOV r1, #2\non:\nMOV r1, #2\nEND\n");
        assert_eq!(formed(ARMS, EventForm::Counter), Ok((plain.clone(), Some(Beside::Counter(3)))));
        assert!(formed(ARMS, EventForm::Count).is_err());
        // What comes to the second point comes from two places; the first one follows a branch.
        let carried = "S2R r0, facing\nBZ r0, on\nBRA.MERGE @3\nMOV r1, #2\non:\nBRA.MERGE @5\nMOV r1, #2\nEND\n";
        assert_eq!(formed(ARMS, EventForm::Modifier), Ok((words(carried), None)));
        assert_eq!(points(&words(carried), Event::Merge, None), [2, 4]);
        assert_eq!(points(&plain, Event::Merge, Some(Beside::Counter(3))), [3]);
    }

    /// Who goes past the point does not meet it: an instruction stays for those that do.
    #[test]
    fn ms_10_a_branch_past_the_point_does_not_meet_it() {
        let past = "BZ r0, on\nMERGE\non: MOV r0, #1\nBNZ r0, on\nEND\n";
        let kept = words("BZ r0, on\nBRA on\non: MOV r0, #1\nBNZ r0, on\nEND\n");
        assert_eq!(formed(past, EventForm::Counter), Ok((kept, Some(Beside::Counter(1)))));
        let first = "MERGE\nEND\n";
        assert_eq!(formed(first, EventForm::Count), Ok((words("BRA @1\nEND\n"), Some(Beside::Count(1)))));
    }

    /// A lane that has ended counts for nothing, and a loop has no number of instructions.
    #[test]
    fn ms_35_a_count_is_the_same_on_all_ways() {
        let ends = "BZ r0, on\nEND\non: MOV r0, #1\nMERGE\nEND\n";
        assert_eq!(formed(ends, EventForm::Count).map(|f| f.1), Ok(Some(Beside::Count(2))));
        let turns = "on: MOV r0, #1\nBNZ r0, on\nMERGE\nEND\n";
        assert!(formed(turns, EventForm::Count).is_err());
    }

    /// The checker sees a point that is one instruction off, in each form.
    #[test]
    fn ms_35_the_checker_knows_where_the_point_is() {
        let code = words("MOV r0, #1\nDDX r1, r0\nMOV r2, r1\nEND\n");
        let wrong =
            |at| check_merge(&code, 0b11, PrivateSet::Old, Some(at)).iter().map(|w| (w.pc, w.rule)).collect::<Vec<_>>();
        let late = [(1, merge_check::Rule::LateQuad)];
        assert!(wrong(Beside::Counter(1)).contains(&late[0]));
        assert!(wrong(Beside::Count(1)).contains(&late[0]));
        assert!(!wrong(Beside::Counter(2)).contains(&late[0]));
        assert!(!wrong(Beside::Count(2)).contains(&late[0]));
        let code = words("MOV.MERGE r0, #1\nDDX r1, r0\nEND\n");
        assert!(check_merge(&code, 0b11, PrivateSet::Old, None).iter().any(|w| (w.pc, w.rule) == late[0]));
    }
}
