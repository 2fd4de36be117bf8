//! Merge and split points at places where no compiler would put them: in branches and loops,
//! several in a row, before the first instruction and behind the last store (MS-10, MS-13, MS-40).
//! For tests of the machine and the model: `points = SEED` in `[machine]` of a scene.
//!
//! A *prologue* of random instructions may stand first: branches, a loop and derivatives, whose
//! values nobody uses. A point in it leaves it, so lanes of a quad come to different points.
//!
//! With merge points helpers end behind the prologue, and then every register but four is public.
//! So the rules of registers hold wherever a point is (MS-21, MS-22). With split points the
//! prologue is all that stands before them, and the program uses private registers only (MS-42). So
//! the picture is that without points. Programs that need helpers, the stack or all registers have
//! no merge points, as those that may have none (MS-32).
//!
//! `breaks = true` breaks one rule of registers at every point, in a way that changes no picture:
//! the model must tell of it by name.
//!
//! It can be wrong by breaking the program itself: the model draws the picture from the woven code,
//! so a test compares it with the picture of the plain one.

use std::fmt::Write as _;

use quadlock_isa::abi::{EventForm, PrivateSet, PublicRegisters, REGISTERS};
use quadlock_isa::{assemble, decode, encode, BMode, Event, Instr, Lanes, Op, Special};
use quadlock_shader::back::merge_check::{check_of, Rule};
use quadlock_shader::back::{forms, public};
use quadlock_shader::interface::Beside;
use quadlock_shader::ShaderBinary;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Registers of a prologue, of which the last counts turns.
const OWN: u8 = 4;
/// The first one in a program that splits.
const FIRST: u8 = REGISTERS as u8 - OWN;
/// What a program that merges has for itself.
struct Own {
    /// The first private register; those of a prologue begin here.
    cutoff: u8,
    /// It tells helpers: private, but public where a merged warp has no private ones.
    flag: u8,
    /// Two private registers that a merged warp may use, if it has any: where those of both members
    /// are one set, of each half one.
    late: Option<[u8; 2]>,
}

impl Own {
    fn new(set: PrivateSet, begins: bool) -> Own {
        let all = REGISTERS as u8;
        match (set, begins) {
            (PrivateSet::Old, true) => Own { cutoff: all - OWN, flag: all - 1, late: None },
            (PrivateSet::New, true) => Own { cutoff: all - OWN, flag: all - 1, late: Some([all - 2, all - 3]) },
            (PrivateSet::Old | PrivateSet::New, false) => Own { cutoff: all - 1, flag: all - 1, late: None },
            (PrivateSet::None, true) => Own { cutoff: all - OWN, flag: all - OWN - 1, late: None },
            (PrivateSet::None, false) => Own { cutoff: all - 1, flag: all - 2, late: None },
            // A member has half of the private ones.
            (PrivateSet::Joined, true) => {
                Own { cutoff: all - 2 * OWN, flag: all - OWN - 1, late: Some([all - 3, all - 3 - OWN]) }
            }
            (PrivateSet::Joined, false) => Own { cutoff: all - 4, flag: all - 4, late: Some([all - 1, all - 3]) },
        }
    }
}

/// The most registers that are public in a program that splits.
const SHARED: u8 = 4;

/// The output that is depth; behind it is the sample mask.
const DEPTH: u32 = 8;

/// A rule that is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Broken {
    /// A private register is read behind each merge point.
    StaleAfterMerge,
    /// A private register is read behind each merge point, and a merged warp has none.
    NoPrivate,
    /// A register is written before the merge points that only a merged warp has.
    Beyond,
    /// The program's own values are private, and it goes on with them behind the merge points: its
    /// colours are wrong, if a point is where it has some.
    Cutoff,
    /// A private register is read behind each split point.
    StaleAfterSplit,
    /// A public register is written behind each split point.
    PublicWrite,
    /// An output is given before the first split point.
    EarlyOutput,
}

impl Broken {
    /// What the report says of it.
    pub fn words(self) -> &'static str {
        match self {
            Self::StaleAfterMerge | Self::Cutoff => "holds nothing since a merge (MS-22)",
            Self::NoPrivate => "a merged warp has none such (MS-22)",
            Self::Beyond => "behind the last private register that it has (MS-35)",
            Self::StaleAfterSplit => "holds nothing since a split (MS-42)",
            Self::PublicWrite => "only read behind a split (MS-42)",
            Self::EarlyOutput => "for pixels that split only later (MS-40)",
        }
    }
}

/// What is put into programs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Points {
    pub seed: u64,
    /// A rule is broken at each.
    pub breaks: bool,
    /// Where the machine has public registers.
    pub public: PublicRegisters,
    /// How it knows the points.
    pub form: EventForm,
    /// What private registers its merged warps have.
    pub private: PrivateSet,
}

/// A program that is put together.
struct Woven {
    code: Vec<Instr>,
    /// Of each instruction that of the plain program that it belongs to.
    of: Vec<usize>,
}

impl Woven {
    fn of_prologue(text: &str) -> Option<Self> {
        let code = assemble("points", text).ok()?.code;
        let code = code.iter().map(|&word| decode(word)).collect::<Result<Vec<_>, _>>().ok()?;
        Some(Self { of: vec![0; code.len()], code })
    }

    fn push(&mut self, i: Instr, of: usize) {
        self.code.push(i);
        self.of.push(of);
    }

    /// The program, with points; where its branches to each instruction go, and where it stands.
    fn program(&mut self, plain: &[Instr], mut before: impl FnMut(usize, &mut Vec<Instr>), rng: &mut ChaCha8Rng) {
        let (mut at, mut to) = (vec![], vec![]);
        for (pc, i) in plain.iter().enumerate() {
            let first = self.code.len() as u32;
            let mut points = vec![];
            before(pc, &mut points);
            points.into_iter().for_each(|point| self.push(point, pc));
            at.push(self.code.len());
            // A branch goes to the points, or past them.
            to.push(if rng.random() { first } else { self.code.len() as u32 });
            self.push(*i, pc);
        }
        for (pc, i) in plain.iter().enumerate().filter(|(_, i)| i.op.is_branch()) {
            self.code[at[pc]].imm = to.get(i.imm as usize).copied().unwrap_or(0);
        }
    }

    /// Becomes the program of a binary.
    fn give(self, binary: &mut ShaderBinary, cutoff: u8) {
        for (pc, _) in &mut binary.labels {
            *pc = self.of.iter().rposition(|&of| of == *pc as usize).unwrap_or(0) as u32;
        }
        binary.lines = self.of.iter().map(|&of| binary.lines[of]).collect();
        binary.code = self.code.iter().map(encode).collect();
        binary.interface.registers = REGISTERS as u32;
        binary.interface.public_cutoff = cutoff.into();
    }
}

/// Puts merge points into a fragment program, or split points if it may split; none if it has none.
pub fn weave(binary: &mut ShaderBinary, points: Points, splits: bool) -> Option<Vec<Broken>> {
    if binary.interface.stack_bytes > 0 {
        return None;
    }
    let plain = binary.code.iter().map(|&word| decode(word)).collect::<Result<Vec<_>, _>>().ok()?;
    let targets = plain.iter().filter(|i| i.op.is_branch()).map(|i| i.imm as usize);
    if targets.max().is_some_and(|last| last >= plain.len()) {
        return None;
    }
    // Programs differ, and so do their points.
    let mixed = binary.code.iter().fold(points.seed, |h, w| (h ^ w).wrapping_mul(0x100_0000_01B3));
    let mut rng = ChaCha8Rng::seed_from_u64(mixed);
    let before = binary.clone();
    let broken = match splits {
        true => split_points(binary, &plain, points, &mut rng),
        false => merge_points(binary, &plain, points, &mut rng),
    }?;
    if !form(binary, points, splits, &mut rng) {
        *binary = before;
        return None;
    }
    let public = public::place(&mut binary.code, binary.interface.public_cutoff, points.public);
    if points.public == PublicRegisters::Bitmap {
        binary.interface.public_bitmap = public;
    }
    Some(broken)
}

/// Gives the points the form that the machine knows. Beside a program there is one: any one of
/// them, or the first split point, which all lanes come to. A count that is no point's is as good,
/// where all registers are public: some instruction behind the end of helpers. Whether there is
/// one.
fn form(binary: &mut ShaderBinary, points: Points, splits: bool, rng: &mut ChaCha8Rng) -> bool {
    let event = if splits { Event::Split } else { Event::Merge };
    let is_point = |word: &u64| decode(*word).is_ok_and(|i| i.op == event.op());
    let places: Vec<usize> = (0..binary.code.len()).filter(|&pc| is_point(&binary.code[pc])).collect();
    if points.form.is_beside() && !places.is_empty() {
        // Those behind the chosen one do nothing then: it is the last.
        let last = places[if splits { 0 } else { rng.random_range(0..places.len()) }];
        for &pc in places.iter().filter(|&&pc| pc > last) {
            binary.code[pc] = encode(&Instr { imm: pc as u32 + 1, ..Instr::new(Op::Bra) });
        }
    }
    let at = match forms::convert(&mut binary.code, event, points.form) {
        Ok(converted) => {
            converted.keep(&mut binary.lines);
            binary.labels.iter_mut().for_each(|l| l.0 = converted.number(l.0));
            converted.at
        }
        // Helpers end with their third instruction.
        Err(_) if !splits && !points.breaks => {
            Some(Beside::Count(3 + rng.random_range(0..2 * binary.code.len() as u32)))
        }
        Err(_) => return false,
    };
    match splits {
        true => binary.interface.split_at = at,
        false => binary.interface.merge_at = at,
    }
    true
}

fn merge_points(
    binary: &mut ShaderBinary,
    plain: &[Instr],
    points: Points,
    rng: &mut ChaCha8Rng,
) -> Option<Vec<Broken>> {
    let used = binary.interface.registers;
    let (breaks, set) = (points.breaks, points.private);
    let fits = |own: &Own| used <= u32::from(own.flag.min(own.cutoff));
    if !fits(&Own::new(set, false)) || plain.iter().any(|i| i.op.row().lanes == Lanes::Quad) {
        return None;
    }
    // A count can be anywhere behind the end of helpers, which is then the beginning.
    let counts = points.form == EventForm::Count;
    let begins = fits(&Own::new(set, true)) && rng.random_bool(0.7) && !counts;
    let own = Own::new(set, begins);
    let Own { cutoff, flag, late } = own;
    // The last private register that a member has.
    let last = cutoff + if begins { OWN - 1 } else { 0 };
    let stale = Instr { d: last, b: last, b_mode: BMode::Reg, ..Instr::new(Op::Mov) };
    let beyond = set == PrivateSet::Joined && breaks && rng.random();
    let mut text = String::new();
    if beyond {
        let _ = writeln!(text, "MOV r{}, #1", cutoff + (REGISTERS as u8 - cutoff) / 2);
    }
    if begins {
        let behind = if breaks && !beyond { format!("MOV r{last}, r{last}\n") } else { String::new() };
        text += &(prologue("MERGE", &behind, cutoff, rng) + "on:\n");
    }
    let mut woven = Woven::of_prologue(&text)?;
    // Helpers end.
    let ends = woven.code.len()..woven.code.len() + 3;
    let target = ends.end as u32;
    let tells = match set {
        PrivateSet::None => {
            let one = Instr { d: flag, b_mode: BMode::Imm, imm: 1, ..Instr::new(Op::Mov) };
            [one, Instr { a: flag, imm: target, ..Instr::new(Op::Bnz) }]
        }
        _ => {
            let helper = Instr { d: flag, imm: Special::Helper as u32, ..Instr::new(Op::S2R) };
            [helper, Instr { a: flag, imm: target, ..Instr::new(Op::Bz) }]
        }
    };
    tells.into_iter().chain([Instr::new(Op::End)]).for_each(|i| woven.push(i, 0));
    let places: Vec<usize> = (0..rng.random_range(1..=4)).map(|_| rng.random_range(0..plain.len())).collect();
    // A merged warp writes and reads private registers; nobody reads them over another point.
    let late: Vec<Instr> = late.filter(|_| rng.random()).map_or(vec![], |[r, other]| {
        let sum = Instr { d: r, a: r, b: other, b_mode: BMode::Reg, ..Instr::new(Op::IAdd) };
        let mut word = |d| Instr { d, b_mode: BMode::Imm, imm: rng.random_range(1..999), ..Instr::new(Op::Mov) };
        vec![word(r), word(other), sum]
    });
    let before = |pc: usize, out: &mut Vec<Instr>| {
        for _ in places.iter().filter(|&&p| p == pc) {
            out.push(Instr::new(Op::Merge));
            out.extend((breaks && !beyond).then_some(stale));
            out.extend(&late);
        }
    };
    woven.program(plain, before, rng);
    let code: Vec<u64> = woven.code.iter().map(encode).collect();
    // Points in loops are what no compiler writes. Any other rule says that results could change,
    // but for what each lane writes before it reads it, whichever way it comes.
    let harmless = |pc: u32, rule| {
        let meant = breaks && woven.code[pc as usize] == stale;
        match rule {
            Rule::Loop => true,
            Rule::Between => meant || ends.contains(&(pc as usize)) || late.contains(&woven.code[pc as usize]),
            Rule::Gone | Rule::NoPrivate => meant,
            Rule::Beyond => beyond && pc == 0,
            _ => false,
        }
    };
    // Values that are wrong must not decide whether a loop ends, where memory is written, or which
    // quads the depth of others hides.
    let hides = |i: &Instr| matches!(i.op, Op::Discard | Op::Demote) || i.op == Op::Out && i.imm >= DEPTH;
    let straight = plain
        .iter()
        .enumerate()
        .all(|(pc, i)| !i.op.is_memory() && !hides(i) && (!i.op.is_branch() || i.imm as usize > pc));
    let whole = matches!(set, PrivateSet::Old | PrivateSet::New);
    if breaks && straight && whole && rng.random_bool(0.4) {
        let cutoff = rng.random_range(0..used.max(1)) as u8;
        woven.give(binary, cutoff);
        return Some(vec![Broken::Cutoff]);
    }
    if check_of(&code, (1 << cutoff) - 1, set).iter().any(|w| !harmless(w.pc, w.rule)) {
        return None;
    }
    woven.give(binary, cutoff);
    Some(match (breaks, beyond, set) {
        (false, ..) => vec![],
        (_, true, _) => vec![Broken::Beyond],
        (.., PrivateSet::None) => vec![Broken::NoPrivate],
        _ => vec![Broken::StaleAfterMerge],
    })
}

fn split_points(
    binary: &mut ShaderBinary,
    plain: &[Instr],
    points: Points,
    rng: &mut ChaCha8Rng,
) -> Option<Vec<Broken>> {
    let breaks = points.breaks;
    // Behind the points all registers of the program are private. Those of the prologue may be
    // among them.
    let shared = (REGISTERS as u8).checked_sub(binary.interface.registers as u8)?.min(SHARED);
    let moved: Vec<Instr> = plain.iter().map(|i| moved(i, shared)).collect();
    let output = plain.iter().find(|i| i.op == Op::Out).map(|i| i.imm);
    let mut kinds = vec![Broken::StaleAfterSplit];
    kinds.extend((shared > 0).then_some(Broken::PublicWrite));
    kinds.extend(output.map(|_| Broken::EarlyOutput));
    let broken = breaks.then(|| kinds[rng.random_range(0..kinds.len())]);
    let behind = match broken {
        Some(Broken::StaleAfterSplit) => "MOV r31, r28\n",
        Some(Broken::PublicWrite) => "MOV r0, #5\n",
        _ => "",
    };
    let mut text = String::new();
    // What is the pixel's, in public registers.
    let specials = ["pixel_x", "pixel_y", "primitive", "facing"];
    for (r, special) in specials.iter().enumerate().take(shared.into()) {
        let _ = writeln!(text, "S2R r{r}, {special}");
    }
    if let Some(word) = output.filter(|_| broken == Some(Broken::EarlyOutput)) {
        let _ = writeln!(text, "OUT #{word}, r{FIRST}");
    }
    match points.form {
        // All lanes come to one point, after as many instructions if those count.
        EventForm::Count => text += &(straight(rng) + "SPLIT\n" + behind),
        EventForm::Counter => text += &(prologue("", "", FIRST, rng) + "on:\nSPLIT\n" + behind),
        EventForm::Instruction | EventForm::Modifier => {
            text += &prologue("SPLIT", behind, FIRST, rng);
            if rng.random_bool(0.7) {
                text += &forks(behind, rng);
            }
            // Who comes here has not split; the prologue's points go on behind it.
            text += &format!("SPLIT\n{behind}on:\n");
        }
    }
    for r in 0..rng.random_range(0..=shared) {
        let _ = writeln!(text, "XOR r{}, r{r}, #{}", FIRST + r % 3, rng.random_range(0..9));
    }
    let mut woven = Woven::of_prologue(&text)?;
    // Behind a split a warp passes further points.
    let places: Vec<usize> = (0..rng.random_range(0..=2)).map(|_| rng.random_range(0..plain.len())).collect();
    let before = |pc: usize, out: &mut Vec<Instr>| {
        out.extend(places.iter().filter(|&&p| p == pc).map(|_| Instr::new(Op::Split)));
    };
    woven.program(&moved, before, rng);
    woven.give(binary, shared);
    Some(broken.into_iter().collect())
}

/// The same on registers that are `by` further on.
fn moved(i: &Instr, by: u8) -> Instr {
    Instr { d: i.d + by, a: i.a + by, b: i.b + by, c: i.c + by, ..*i }.canonical()
}

/// Random instructions on the first three of those registers, without branches.
fn straight(rng: &mut ChaCha8Rng) -> String {
    let mut p = Prologue { text: String::new(), labels: 0, point: "", behind: "", first: FIRST, rng };
    for (k, special) in ["pixel_x", "pixel_y", "primitive"].iter().enumerate() {
        let _ = writeln!(p.text, "S2R r{}, {special}", FIRST + k as u8);
    }
    for _ in 0..p.rng.random_range(0..9) {
        p.work();
    }
    p.text
}

/// Split points to which some of a quad's pixels come, but not all: lanes of one group stop at
/// several points, and each goes on behind its own (MS-41).
fn forks(behind: &str, rng: &mut ChaCha8Rng) -> String {
    let mut text = String::new();
    let axes = if rng.random() { ["pixel_x", "pixel_y"] } else { ["pixel_y", "pixel_x"] };
    for (n, axis) in axes.iter().enumerate().take(rng.random_range(1..=2)) {
        let branch = if rng.random() { "BZ" } else { "BNZ" };
        let _ = write!(text, "S2R r{FIRST}, {axis}\nAND r{FIRST}, r{FIRST}, #1\n{branch} r{FIRST}, fork{n}\n");
        let _ = write!(text, "SPLIT\n{behind}BRA on\nfork{n}:\n");
    }
    text
}

/// Random instructions on four registers from `first` on, of which the last counts turns. Points go
/// on at the label `on`, which is still to be written.
fn prologue(point: &str, behind: &str, first: u8, rng: &mut ChaCha8Rng) -> String {
    let mut p = Prologue { text: String::new(), labels: 0, point, behind, first, rng };
    if p.rng.random_bool(0.15) {
        p.point();
    }
    for (k, special) in ["pixel_x", "pixel_y", "primitive"].iter().enumerate() {
        let _ = writeln!(p.text, "S2R r{}, {special}", first + k as u8);
    }
    let _ = writeln!(p.text, "MOV r{}, #0", p.turns());
    for _ in 0..p.rng.random_range(1..=4) {
        p.statement(0, false);
    }
    p.text
}

struct Prologue<'a> {
    text: String,
    labels: usize,
    point: &'a str,
    /// What stands behind each point.
    behind: &'a str,
    first: u8,
    rng: &'a mut ChaCha8Rng,
}

impl Prologue<'_> {
    fn point(&mut self) {
        let _ = write!(self.text, "{}\n{}BRA on\n", self.point, self.behind);
    }

    fn register(&mut self) -> u8 {
        self.rng.random_range(self.first..self.turns())
    }

    /// The register that counts turns.
    fn turns(&self) -> u8 {
        self.first + OWN - 1
    }

    fn label(&mut self) -> String {
        self.labels += 1;
        format!("l{}", self.labels)
    }

    fn work(&mut self) {
        let [d, a, b] = [0; 3].map(|_| self.register());
        let line = match self.rng.random_range(0..7) {
            0 => format!("IADD r{d}, r{a}, r{b}"),
            1 => format!("XOR r{d}, r{a}, r{b}"),
            2 => format!("IMUL r{d}, r{a}, #{}", self.rng.random_range(3..99)),
            3 => format!("DDX r{d}, r{a}"),
            4 => format!("DDY r{d}, r{a}"),
            5 => format!("QSHUF r{d}, r{a}, #{}", self.rng.random_range(0..4)),
            _ => format!("SHR r{d}, r{a}, #{}", self.rng.random_range(1..5)),
        };
        self.text += &(line + "\n");
    }

    /// Something that ends, for every lane.
    fn statement(&mut self, depth: u32, in_loop: bool) {
        match self.rng.random_range(0..if depth < 2 { 6 } else { 3 }) {
            0 | 1 => self.work(),
            2 if depth > 0 => self.point(),
            2 => self.work(),
            3 if !in_loop => {
                let (top, turns, count) = (self.label(), self.rng.random_range(1..5), self.turns());
                let _ = write!(self.text, "MOV r{count}, #{turns}\n{top}:\n");
                self.statement(depth + 1, true);
                self.statement(depth + 1, true);
                let _ = write!(self.text, "ISUB r{count}, r{count}, #1\nBNZ r{count}, {top}\n");
            }
            _ => {
                let (other, end) = (self.label(), self.label());
                // By what differs among lanes, or by the turn.
                let (by, to) = match in_loop && self.rng.random() {
                    true => (self.turns(), self.register()),
                    false => (self.register(), self.register()),
                };
                let bit = 1 << self.rng.random_range(0..3);
                let _ = write!(self.text, "AND r{to}, r{by}, #{bit}\nBZ r{to}, {other}\n");
                self.statement(depth + 1, in_loop);
                let _ = write!(self.text, "BRA {end}\n{other}:\n");
                if self.rng.random() {
                    self.statement(depth + 1, in_loop);
                }
                let _ = writeln!(self.text, "{end}:");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever is written is a program, and ends.
    #[test]
    fn prologues_can_be_assembled() {
        let mut points = 0;
        for seed in 0..300 {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let text = prologue("MERGE", "", FIRST, &mut rng) + "on:\n";
            let woven = Woven::of_prologue(&text).unwrap_or_else(|| panic!("{seed}:\n{text}"));
            points += woven.code.iter().filter(|i| i.op == Op::Merge).count();
        }
        assert!(points > 100, "{points} points in 300 programs");
    }
}
