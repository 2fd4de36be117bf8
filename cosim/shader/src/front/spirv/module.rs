//! A SPIR-V module by its parts: entry points, names, decorations, types and constants by id,
//! functions as blocks, and the source place of each instruction (OpLine, or the debug lines of
//! NonSemantic.Shader.DebugInfo.100). What later files rely on is checked here: each id is defined
//! once, each block ends with its terminator and each branch goes to a block of its function.
//! Errors carry the id and its OpName.

use super::words::{behind_string, string, Inst};
use crate::front::diag::Diagnostic;
use crate::front::text::edit::{blank_comments, identifiers};
use crate::front::text::words::{column, declared, position};
use crate::ssa::Loc;
use rspirv::spirv::{Decoration, ExecutionMode, ExecutionModel, Op};
use std::collections::{HashMap, HashSet};

/// An extended instruction set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Set {
    /// GLSL.std.450.
    Glsl,
    /// NonSemantic.Shader.DebugInfo.100.
    Debug,
    /// Quadlock.1: our functions.
    Quadlock,
    /// SPV_AMD_shader_trinary_minmax.
    Trinary,
    /// Any other NonSemantic set, which may be left out.
    NonSemantic,
    Unknown,
}

/// An entry point.
#[derive(Clone, Debug)]
pub struct Entry {
    pub model: ExecutionModel,
    pub function: u32,
    pub name: String,
    /// Ids of its interface: its inputs and outputs, and from SPIR-V 1.4 on all its variables.
    pub interface: HashSet<u32>,
    /// Execution modes with their operands, and whether those are ids.
    pub modes: Vec<(ExecutionMode, Vec<u32>, bool)>,
    pub at: usize,
}

/// A basic block: its label and its instructions, numbers in [`Module::insts`].
#[derive(Clone, Debug)]
pub struct Block {
    pub label: u32,
    /// Phis, body, merge instruction, terminator.
    pub insts: std::ops::Range<usize>,
    /// Merge block and, of a loop, continue target.
    pub merge: Option<(u32, Option<u32>)>,
    /// Where the terminator goes, in its order.
    pub succs: Vec<u32>,
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    pub id: u32,
    /// Its parameters' ids.
    pub params: Vec<u32>,
    /// In the file's order; the first is the entry. None of a function that is only imported.
    pub blocks: Vec<Block>,
    /// Number of each block, by label.
    pub numbers: HashMap<u32, usize>,
}

/// A decoration and its operands.
pub type Decorated = (u32, Vec<u32>);

/// A module.
#[derive(Clone, Debug, Default)]
pub struct Module {
    pub path: String,
    pub insts: Vec<Inst>,
    /// The place of each instruction in a source, or its word.
    pub locs: Vec<Loc>,
    /// Source files; the first is the binary itself.
    pub files: Vec<String>,
    /// By id: number of the instruction that defines it, plus 1.
    defs: Vec<u32>,
    pub names: HashMap<u32, String>,
    decorations: HashMap<u32, Vec<Decorated>>,
    members: HashMap<(u32, u32), Vec<Decorated>>,
    member_names: HashMap<(u32, u32), String>,
    /// Of a module that was made of a text: that text without comments.
    plain: Option<String>,
    pub entries: Vec<Entry>,
    pub functions: HashMap<u32, Function>,
    pub sets: HashMap<u32, Set>,
    /// Linkage names of imported functions.
    pub imports: HashMap<u32, String>,
}

pub type Res<T> = Result<T, Diagnostic>;

const CORRECT: &str = "the module is not valid; spirv-val says more";

impl Module {
    /// Sorts the instructions of a file, or of what another compiler made of `text`.
    pub fn new(path: &str, bound: u32, insts: Vec<Inst>, text: Option<&str>) -> Res<Module> {
        let mut m = Module { path: path.into(), files: vec![path.into()], ..Module::default() };
        m.defs = vec![0; bound as usize];
        // Words of a binary that nobody sees are no places.
        let word = |i: &Inst| if text.is_none() { i.at } else { 0 };
        m.locs = insts.iter().map(|i| Loc::at(0, 0, word(i))).collect();
        m.insts = insts;
        for (n, inst) in m.insts.iter().enumerate() {
            if inst.id != 0 && std::mem::replace(&mut m.defs[inst.id as usize], n as u32 + 1) != 0 {
                return Err(m.invalid(n, format!("%{} is defined twice", inst.id)));
            }
        }
        m.plain = text.map(blank_comments);
        m.annotations()?;
        m.places();
        m.read_functions()?;
        Ok(m)
    }

    /// Names, decorations, entry points, sets.
    fn annotations(&mut self) -> Res<()> {
        let insts = std::mem::take(&mut self.insts);
        for (n, i) in insts.iter().enumerate() {
            let a = &i.args;
            match i.op {
                Op::Name => drop(self.names.insert(a[0], string(&a[1..]))),
                Op::MemberName => drop(self.member_names.insert((a[0], a[1]), string(&a[2..]))),
                Op::ExtInstImport => {
                    let set = match string(a).as_str() {
                        "GLSL.std.450" => Set::Glsl,
                        "NonSemantic.Shader.DebugInfo.100" => Set::Debug,
                        "Quadlock.1" => Set::Quadlock,
                        "SPV_AMD_shader_trinary_minmax" => Set::Trinary,
                        "OpenCL.DebugInfo.100" => Set::NonSemantic,
                        name if name.starts_with("NonSemantic.") => Set::NonSemantic,
                        _ => Set::Unknown,
                    };
                    self.sets.insert(i.id, set);
                }
                Op::EntryPoint => {
                    let Some(model) = ExecutionModel::from_u32(a[0]) else { continue };
                    let name = string(&a[2..]);
                    let interface = behind_string(&a[2..]).iter().copied().collect();
                    self.entries.push(Entry { model, function: a[1], name, interface, modes: vec![], at: n });
                }
                Op::ExecutionMode | Op::ExecutionModeId => {
                    let Some(mode) = ExecutionMode::from_u32(a[1]) else { continue };
                    let ids = i.op == Op::ExecutionModeId;
                    let of = self.entries.iter_mut().filter(|e| e.function == a[0]);
                    of.for_each(|e| e.modes.push((mode, a[2..].to_vec(), ids)));
                }
                Op::Decorate | Op::DecorateId | Op::DecorateString => {
                    if a[1] == Decoration::LinkageAttributes as u32 {
                        self.imports.insert(a[0], string(&a[2..]));
                    }
                    self.decorations.entry(a[0]).or_default().push((a[1], a[2..].to_vec()));
                }
                Op::MemberDecorate | Op::MemberDecorateString => {
                    self.members.entry((a[0], a[1])).or_default().push((a[2], a[3..].to_vec()));
                }
                _ => {}
            }
        }
        for i in insts.iter() {
            match i.op {
                Op::GroupDecorate => {
                    let group = self.decorations.get(&i.args[0]).cloned().unwrap_or_default();
                    i.args[1..].iter().for_each(|&t| self.decorations.entry(t).or_default().extend(group.clone()));
                }
                Op::GroupMemberDecorate => {
                    let group = self.decorations.get(&i.args[0]).cloned().unwrap_or_default();
                    for pair in i.args[1..].chunks_exact(2) {
                        self.members.entry((pair[0], pair[1])).or_default().extend(group.clone());
                    }
                }
                _ => {}
            }
        }
        self.insts = insts;
        Ok(())
    }

    /// Source places, as far as the module says them. Where it says no column that is the line's
    /// first word, if the text is there; of what writes memory the variable's name.
    fn places(&mut self) {
        let plain = self.plain.clone();
        let lines: Vec<&str> = plain.iter().flat_map(|t| t.lines()).collect();
        let indent = |line: &str| line.chars().take_while(|c| c.is_whitespace()).count() as u32 + 1;
        let mut files: HashMap<u32, u16> = HashMap::new();
        let mut now: Option<Loc> = None;
        for n in 0..self.insts.len() {
            let i = &self.insts[n];
            let debug = i.op == Op::ExtInst && self.sets.get(&i.args[0]) == Some(&Set::Debug);
            let line = match i.op {
                Op::Line => Some((i.args[0], i.args[1], i.args[2])),
                // DebugLine: source, first and last line, first and last column.
                Op::ExtInst if debug && i.args[1] == 103 && i.args.len() > 6 => {
                    let word = |k: usize| self.word(i.args[k]).unwrap_or(0);
                    // DebugSource's file.
                    let source = self.def(i.args[2]).and_then(|s| s.args.get(2)).copied().unwrap_or(0);
                    Some((source, word(3), word(5)))
                }
                _ => None,
            };
            if let Some((id, line, column)) = line {
                let name = self.def(id).filter(|s| s.op == Op::String).map(|s| string(&s.args));
                let next = self.files.len() as u16;
                // One without a name is the file itself; so is one of its name, of a text.
                let name = name.filter(|n| !n.is_empty() && (plain.is_none() || *n != self.path));
                let file = *files.entry(id).or_insert(if name.is_some() { next } else { 0 });
                self.files.extend(name.filter(|_| file == next));
                let first = lines.get(line.wrapping_sub(1) as usize).filter(|_| file == 0).map(|l| indent(l));
                let col = if column == 0 { first.unwrap_or(1) } else { column };
                now = (line > 0).then_some(Loc::at(file, line, col));
            }
            let ends = matches!(i.op, Op::NoLine | Op::FunctionEnd) || (debug && i.args[1] == 104);
            if ends {
                now = None;
            }
            if let Some(now) = now {
                self.locs[n] = now;
                let line = lines.get(now.line as usize - 1).filter(|_| now.file == 0);
                if let Some(column) = line.and_then(|line| self.written_at(n, line)) {
                    self.locs[n].col = column;
                }
            }
            if is_terminator(self.insts[n].op) {
                now = None;
            }
        }
        for n in 0..self.insts.len() {
            let i = &self.insts[n];
            let function = i.args.get(1).and_then(|&id| self.number(id)).filter(|_| i.op == Op::EntryPoint);
            if let Some(function) = function {
                self.locs[n] = self.locs[function];
            }
        }
    }

    /// The column of what a store or an atomic writes, in its line.
    fn written_at(&self, n: usize, line: &str) -> Option<u32> {
        let i = &self.insts[n];
        let is_atomic = format!("{:?}", i.op).starts_with("Atomic");
        if is_atomic {
            return column(line, |word| word.starts_with("atomic"));
        }
        let mut at = *i.args.first().filter(|_| i.op == Op::Store)?;
        let mut names: Vec<&String> = vec![];
        // A chain of a chain of a variable; a hostile one may have no end.
        for _ in 0..8 {
            names.extend(self.names.get(&at));
            let def = self.def(at)?;
            match def.op {
                Op::AccessChain | Op::InBoundsAccessChain => {
                    let pointer = self.def(*def.args.first()?).and_then(|d| self.def(d.ty));
                    let block = pointer.and_then(|p| p.args.get(1)).copied().unwrap_or(0);
                    let member = def.args.get(1).and_then(|&k| self.word(k));
                    names.extend(member.and_then(|k| self.member_names.get(&(block, k))));
                    at = def.args[0];
                }
                _ => break,
            }
        }
        column(line, |word| names.iter().any(|n| *n == word))
    }

    /// Where a variable, or the named member of its block, is declared: in the text, or the word
    /// of the variable.
    pub fn declared(&self, id: u32, name: &str) -> Loc {
        let place = self.plain.as_ref().and_then(|text| declared(text, name));
        match (place, self.number(id)) {
            (Some((line, col)), _) => Loc::at(0, line, col),
            (None, Some(n)) => self.locs[n],
            _ => Loc::default(),
        }
    }

    /// The name of a struct's member.
    pub fn member_name(&self, ty: u32, member: u32) -> Option<&String> {
        self.member_names.get(&(ty, member))
    }

    fn read_functions(&mut self) -> Res<()> {
        let mut function: Option<Function> = None;
        let mut block: Option<Block> = None;
        for n in 0..self.insts.len() {
            let i = &self.insts[n];
            match i.op {
                Op::Function => {
                    if function.is_some() {
                        return Err(self.invalid(n, "a function inside of a function"));
                    }
                    function = Some(Function { id: i.id, params: vec![], blocks: vec![], numbers: HashMap::new() });
                }
                Op::FunctionParameter => match &mut function {
                    Some(f) if f.blocks.is_empty() => f.params.push(i.id),
                    _ => return Err(self.invalid(n, "a parameter outside of a function's head")),
                },
                Op::FunctionEnd => {
                    let (Some(f), None) = (function.take(), &block) else {
                        return Err(self.invalid(n, "a function ends where none, or a block, is open"));
                    };
                    self.functions.insert(f.id, f);
                }
                Op::Label => {
                    if function.is_none() || block.is_some() {
                        return Err(self.invalid(n, "a block begins outside of a function, or in a block"));
                    }
                    block = Some(Block { label: i.id, insts: n + 1..n + 1, merge: None, succs: vec![] });
                }
                op => {
                    let Some(b) = &mut block else {
                        if function.is_some() && !matches!(op, Op::Line | Op::NoLine | Op::ExtInst) {
                            return Err(self.invalid(n, "an instruction between the blocks of a function"));
                        }
                        continue;
                    };
                    match op {
                        Op::SelectionMerge => b.merge = Some((i.args[0], None)),
                        Op::LoopMerge => b.merge = Some((i.args[0], Some(i.args[1]))),
                        _ => {}
                    }
                    if is_terminator(op) {
                        b.insts.end = n + 1;
                        b.succs = self.successors(n)?;
                        if let (Some(f), Some(b)) = (&mut function, block.take()) {
                            f.numbers.insert(b.label, f.blocks.len());
                            f.blocks.push(b);
                        }
                    }
                }
            }
        }
        if function.is_some() || block.is_some() {
            return Err(self.invalid(self.insts.len().saturating_sub(1), "the last function does not end"));
        }
        self.check_branches()
    }

    fn check_branches(&self) -> Res<()> {
        for f in self.functions.values() {
            for b in &f.blocks {
                let merge = b.merge.iter().flat_map(|m| [Some(m.0), m.1]).flatten();
                if let Some(bad) = b.succs.iter().copied().chain(merge).find(|t| !f.numbers.contains_key(t)) {
                    return Err(self.invalid(b.insts.end - 1, format!("{} is no block here", self.called(bad))));
                }
            }
        }
        Ok(())
    }

    fn successors(&self, n: usize) -> Res<Vec<u32>> {
        let i = &self.insts[n];
        Ok(match i.op {
            Op::Branch => vec![i.args[0]],
            Op::BranchConditional => i.args[1..3].to_vec(),
            Op::Switch => {
                let mut all = vec![i.args[1]];
                all.extend(self.cases(n)?.iter().map(|c| c.1));
                all
            }
            _ => vec![],
        })
    }

    /// The literals of an OpSwitch and their targets; of a 64-bit literal the lower word.
    pub fn cases(&self, n: usize) -> Res<Vec<(u32, u32)>> {
        let i = &self.insts[n];
        let wide = self.def(i.args[0]).and_then(|d| self.def(d.ty)).is_some_and(|t| t.args.first() == Some(&64));
        if wide {
            return Err(self.error(n, "a switch on 64 bits is not supported", "switch on 32 bits"));
        }
        let pairs = &i.args[2..];
        if !pairs.len().is_multiple_of(2) {
            return Err(self.invalid(n, "a literal without a target"));
        }
        Ok(pairs.chunks_exact(2).map(|c| (c[0], c[1])).collect())
    }

    /// The instruction that defines an id.
    pub fn def(&self, id: u32) -> Option<&Inst> {
        Some(&self.insts[self.number(id)?])
    }

    /// Its number.
    pub fn number(&self, id: u32) -> Option<usize> {
        (*self.defs.get(id as usize)?).checked_sub(1).map(|n| n as usize)
    }

    /// The first operand of an id's decoration.
    pub fn decoration(&self, id: u32, which: Decoration) -> Option<u32> {
        of(self.decorations.get(&id)?, which)
    }

    pub fn is_decorated(&self, id: u32, which: Decoration) -> bool {
        self.decoration(id, which).is_some()
    }

    /// The first operand of a member's decoration.
    pub fn member(&self, ty: u32, member: u32, which: Decoration) -> Option<u32> {
        of(self.members.get(&(ty, member))?, which)
    }

    /// Whether any id or member has one of the decorations.
    pub fn any_decorated(&self, which: &[Decoration]) -> bool {
        let mut all = self.decorations.values().chain(self.members.values());
        all.any(|decorated| which.iter().any(|&d| of(decorated, d).is_some()))
    }

    /// What a type's numbers are: itself, or the components of a vector or a matrix.
    pub fn scalar(&self, ty: u32) -> Option<&Inst> {
        let mut def = self.def(ty)?;
        // A matrix of vectors; a hostile vector may be one of itself.
        for _ in 0..2 {
            if matches!(def.op, Op::TypeVector | Op::TypeMatrix) {
                def = self.def(def.args[0])?;
            }
        }
        Some(def)
    }

    /// The word of a plain 32-bit constant.
    pub fn word(&self, id: u32) -> Option<u32> {
        let def = self.def(id)?;
        match def.op {
            Op::Constant | Op::SpecConstant => def.args.first().copied(),
            Op::ConstantNull => Some(0),
            _ => None,
        }
    }

    /// An id as messages write it.
    pub fn called(&self, id: u32) -> String {
        match self.names.get(&id).filter(|n| !n.is_empty()) {
            Some(name) => format!("%{id} `{name}`"),
            None => format!("%{id}"),
        }
    }

    /// An error at an instruction. A type or a variable has no line of a source: there, the line of
    /// its first use, and the name of the variable.
    pub fn error(&self, n: usize, message: impl Into<String>, help: &str) -> Diagnostic {
        let mut loc = self.locs.get(n).copied().unwrap_or_default();
        let mut at = self.insts.get(n).map_or(0, |i| i.id);
        if loc.line == 0 {
            let (variable, used) = self.first_use(at);
            at = variable.unwrap_or(at);
            loc = used.unwrap_or(loc);
        }
        let file = self.files.get(usize::from(loc.file)).unwrap_or(&self.path).clone();
        let message = message.into();
        let message = if at == 0 { message } else { format!("{}: {message}", self.called(at)) };
        self.refine(&mut loc, &message);
        Diagnostic { file, line: loc.line, column: loc.col, message, help: help.into() }
    }

    /// The column of the first word of a message that stands in its line, if the column is only
    /// that of the line's first word. SPIR-V begins names with a capital letter.
    fn refine(&self, loc: &mut Loc, message: &str) {
        let line = self.plain.as_ref().filter(|_| loc.file == 0 && loc.line > 0);
        let Some(line) = line.and_then(|t| t.lines().nth(loc.line as usize - 1)) else { return };
        let first = line.len() - line.trim_start().len();
        if position(line, first).1 != loc.col {
            return;
        }
        let same = |a: &str, b: &str| a.eq_ignore_ascii_case(b) && a[1..] == b[1..];
        let name = |at: usize, word: &str| {
            message[..at].ends_with('`') || word.contains(|c: char| c.is_ascii_uppercase() || c == '_')
        };
        for (_, said) in identifiers(message).into_iter().filter(|&(at, word)| name(at, word)) {
            if let Some(column) = column(line, |word| word.is_ascii() && said.is_ascii() && same(word, said)) {
                loc.col = column;
                return;
            }
        }
    }

    /// The first named variable of a type made of the id, and the first place in a source that
    /// loads from one.
    fn first_use(&self, id: u32) -> (Option<u32>, Option<Loc>) {
        let (mut made, mut variable) = (HashSet::from([id]), None);
        for (i, loc) in self.insts.iter().zip(&self.locs) {
            let of = match i.op {
                Op::TypeStruct => &i.args[..],
                Op::TypeArray | Op::TypeRuntimeArray | Op::TypeSampledImage => &i.args[..1],
                Op::TypePointer => &i.args[1..],
                Op::Variable => std::slice::from_ref(&i.ty),
                Op::Load | Op::AccessChain | Op::ImageTexelPointer if made.contains(&i.args[0]) && loc.line != 0 => {
                    return (variable, Some(*loc));
                }
                _ => continue,
            };
            if of.iter().any(|id| made.contains(id)) {
                made.insert(i.id);
                let named = self.names.get(&i.id).is_some_and(|n| !n.is_empty());
                variable = variable.or((i.op == Op::Variable && named).then_some(i.id));
            }
        }
        (variable, None)
    }

    /// A module that breaks SPIR-V's rules.
    pub fn invalid(&self, n: usize, message: impl Into<String>) -> Diagnostic {
        self.error(n, message, CORRECT)
    }
}

fn of(all: &[Decorated], which: Decoration) -> Option<u32> {
    all.iter().find(|d| d.0 == which as u32).map(|d| d.1.first().copied().unwrap_or(0))
}

/// Whether it ends a block.
pub fn is_terminator(op: Op) -> bool {
    matches!(
        op,
        Op::Branch
            | Op::BranchConditional
            | Op::Switch
            | Op::Return
            | Op::ReturnValue
            | Op::Kill
            | Op::TerminateInvocation
            | Op::Unreachable
            | Op::IgnoreIntersectionKHR
            | Op::TerminateRayKHR
            | Op::EmitMeshTasksEXT
    )
}
