//! `trace=off`: the event ports of the machine, of a core or of a warp unit are left out, and with
//! them everything that no other output needs: assignments, instances, ports of the modules below.
//! What stays is not changed, so every other output has the same value in every cycle.
//!
//! Needed is: an output of the top that is no event port; what an assignment to something needed
//! reads, and the conditions that it stands under; the output of an instance whose wire is needed;
//! the wire at a needed input of an instance of which some output is needed. That is followed over
//! all modules until nothing is added. A module is taken as the union of its instances: a port
//! stays if one of them needs it. Text that is not understood is needed whole, so a new form of
//! text costs a port and never a meaning. It can be wrong where an assignment reads something by
//! another name than is in its text; a run of both texts side by side and the lints of the exported
//! text would show it.

use std::collections::{BTreeSet, HashMap};

use crate::merge::{assigned, port, Line, Module, Unique};
use crate::names::is_word;

/// The modules without the event ports of the top (module number `root`), and the number of the top
/// module among them. `is_event`: whether a port (its name before `$` becomes `_`) is there for
/// observers only.
///
/// # Errors
/// Text around an instance that is not understood.
pub fn without_events(all: Unique, root: usize, is_event: &dyn Fn(&str) -> bool) -> Result<(Unique, usize), String> {
    let parts = all.modules.iter().map(Parts::of).collect::<Result<Vec<_>, _>>()?;
    if !parts[root].outputs.iter().any(|name| is_event(name)) {
        return Ok((all, root));
    }
    let mut needed = Needed { parts: &parts, names: vec![BTreeSet::new(); parts.len()] };
    needed.names[root] = parts[root].outputs.iter().filter(|name| !is_event(name)).cloned().collect();
    needed.names[root].extend(parts[root].inputs.iter().cloned());
    while needed.sweep() {}
    let mut kept = Unique::default();
    let mut numbers = HashMap::new();
    for (index, module) in all.modules.iter().enumerate() {
        if needed.anything(index) {
            let lines = needed.remaining(index, module, &numbers);
            numbers.insert(index, kept.intern(lines, module.wish.clone()));
        }
    }
    Ok((kept, numbers[&root]))
}

/// A run of lines that stay or go together: `if` to its last `end`, `case` to `endcase`.
struct Compound {
    /// The one that it stands in.
    outer: Option<usize>,
    /// Its conditions, labels, `begin` and `end`.
    frame: Vec<usize>,
}

/// An assignment of a kernel.
struct Assignment {
    line: usize,
    target: String,
    compound: Option<usize>,
}

/// An instance: its first line, the module, the lines of its ports with port and wire, its last
/// line.
struct Instance {
    begin: usize,
    module: usize,
    ports: Vec<(usize, String, String)>,
    end: usize,
}

/// What a module consists of.
struct Parts {
    inputs: BTreeSet<String>,
    outputs: BTreeSet<String>,
    words: Vec<Vec<String>>,
    instances: Vec<Instance>,
    /// The kernel; none of a module whose text is not a translated kernel, which stays or goes as a
    /// whole.
    kernel: Option<Kernel>,
}

#[derive(Default)]
struct Kernel {
    /// Lines of the block, from `always` to its `end`.
    begin: usize,
    end: usize,
    assignments: Vec<Assignment>,
    compounds: Vec<Compound>,
}

fn text(line: &Line) -> &str {
    line.text().trim()
}

/// The names in a line.
fn words(line: &str) -> Vec<String> {
    if line.trim_start().starts_with("//") {
        return Vec::new();
    }
    let name = |w: &&str| w.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    line.split(|c: char| !c.is_ascii() || !is_word(c as u8)).filter(name).map(Into::into).collect()
}

impl Parts {
    fn of(module: &Module) -> Result<Self, String> {
        let lines = &module.lines;
        let (mut inputs, mut outputs) = (BTreeSet::new(), BTreeSet::new());
        for (direction, name, _) in lines.iter().filter_map(|l| port(text(l))) {
            let names = if direction == "input" { &mut inputs } else { &mut outputs };
            names.insert(name.to_string());
        }
        let instances =
            instances(lines).ok_or_else(|| format!("module `{}`: an instance is not understood", module.wish))?;
        let words = lines.iter().map(|l| words(text(l))).collect();
        Ok(Self { inputs, outputs, words, instances, kernel: Kernel::of(lines) })
    }
}

/// The instances; nothing if the text around one is not understood.
fn instances(lines: &[Line]) -> Option<Vec<Instance>> {
    let mut found = Vec::new();
    for (begin, line) in lines.iter().enumerate() {
        let Line::Instance { module, .. } = line else { continue };
        let mut ports = Vec::new();
        let mut end = begin + 1;
        while text(lines.get(end)?) != ");" {
            let connection = text(&lines[end]).trim_end_matches(',').strip_prefix('.')?.strip_suffix(')')?;
            let (port, wire) = connection.split_once('(')?;
            ports.push((end, port.to_string(), wire.to_string()));
            end += 1;
        }
        found.push(Instance { begin, module: *module, ports, end });
    }
    Some(found)
}

impl Kernel {
    /// The kernel of a module; nothing if the module has other text that does something.
    fn of(lines: &[Line]) -> Option<Self> {
        let heading = lines.iter().position(|l| text(l) == "// Update code")?;
        let begin = (heading..lines.len()).find(|&k| text(&lines[k]) == "always @(*) begin")?;
        let shadows = |k: usize| text(&lines[k]).starts_with("reg ") || text(&lines[k]).is_empty();
        if !(heading + 1..begin).all(shadows) {
            return None;
        }
        let mut kernel = Self { begin, ..Self::default() };
        kernel.end = kernel.block(lines, begin + 1, None)?;
        (kernel.end + 1..lines.len()).all(|k| text(&lines[k]).is_empty()).then_some(kernel)
    }

    /// Statements from line `at` to the `end` that closes them, whose line is returned.
    fn block(&mut self, lines: &[Line], mut at: usize, compound: Option<usize>) -> Option<usize> {
        loop {
            let line = text(lines.get(at)?);
            at = match line {
                "end" => return Some(at),
                "" => at + 1,
                _ if line.starts_with("//") => at + 1,
                _ if line.starts_with("if (") && line.ends_with(" begin") => self.conditional(lines, at, compound)?,
                _ if line.starts_with("case (") => self.case(lines, at, compound)?,
                _ => {
                    let target = assigned(line).filter(|_| line.ends_with(';'))?;
                    self.assignments.push(Assignment { line: at, target: target.into(), compound });
                    at + 1
                }
            };
        }
    }

    fn open(&mut self, outer: Option<usize>) -> usize {
        self.compounds.push(Compound { outer, frame: Vec::new() });
        self.compounds.len() - 1
    }

    /// `if` and its `else`s; returns the line behind them.
    fn conditional(&mut self, lines: &[Line], mut at: usize, outer: Option<usize>) -> Option<usize> {
        let this = self.open(outer);
        loop {
            let end = self.block(lines, at + 1, Some(this))?;
            self.compounds[this].frame.extend([at, end]);
            at = end + 1;
            let next = text(lines.get(at)?);
            if !(next.starts_with("else ") && next.ends_with("begin")) {
                return Some(at);
            }
        }
    }

    /// `case` to `endcase`; returns the line behind it.
    fn case(&mut self, lines: &[Line], mut at: usize, outer: Option<usize>) -> Option<usize> {
        let this = self.open(outer);
        self.compounds[this].frame.push(at);
        loop {
            at += 1;
            let line = text(lines.get(at)?);
            self.compounds[this].frame.push(at);
            match line {
                "endcase" => return Some(at + 1),
                "begin" => {
                    at = self.block(lines, at + 1, Some(this))?;
                    self.compounds[this].frame.push(at);
                }
                _ if line.ends_with(':') => {}
                _ => return None,
            }
        }
    }

    /// The compounds that one stands in, itself too.
    fn around(&self, compound: Option<usize>) -> impl Iterator<Item = &Compound> {
        std::iter::successors(compound, |&c| self.compounds[c].outer).map(|c| &self.compounds[c])
    }
}

/// The needed names of every module.
struct Needed<'a> {
    parts: &'a [Parts],
    names: Vec<BTreeSet<String>>,
}

impl Needed<'_> {
    /// One pass over all modules, those on top first; whether it added a name.
    fn sweep(&mut self) -> bool {
        let count = |names: &[BTreeSet<String>]| names.iter().map(BTreeSet::len).sum::<usize>();
        let before = count(&self.names);
        for module in (0..self.parts.len()).rev() {
            if !self.names[module].is_empty() {
                self.inside(module);
                self.below(module);
            }
        }
        count(&self.names) > before
    }

    /// What the kernel of a module reads for what is needed of it.
    fn inside(&mut self, module: usize) {
        let parts = &self.parts[module];
        let names = &mut self.names[module];
        let Some(kernel) = &parts.kernel else {
            names.extend(parts.words.iter().flatten().cloned());
            names.extend(parts.instances.iter().flat_map(|i| i.ports.iter().map(|p| p.2.clone())));
            return;
        };
        loop {
            let before = names.len();
            for assignment in kernel.assignments.iter().rev().filter(|a| a.needed(names)).collect::<Vec<_>>() {
                names.extend(parts.words[assignment.line].iter().cloned());
                let frames = kernel.around(assignment.compound).flat_map(|c| &c.frame);
                names.extend(frames.flat_map(|&line| parts.words[line].iter().cloned()));
            }
            if names.len() == before {
                return;
            }
        }
    }

    /// What the instances of a module need, and what is needed of them.
    fn below(&mut self, module: usize) {
        let parts = &self.parts[module];
        for instance in &parts.instances {
            let child = &self.parts[instance.module];
            let outputs = || instance.ports.iter().filter(|p| child.outputs.contains(&p.1));
            let wanted: Vec<_> = outputs().filter(|p| self.names[module].contains(&p.2)).map(|p| p.1.clone()).collect();
            if wanted.is_empty() {
                continue;
            }
            self.names[instance.module].extend(wanted);
            for (_, port, wire) in instance.ports.iter().filter(|p| child.inputs.contains(&p.1)) {
                if self.names[instance.module].contains(port) {
                    self.names[module].insert(wire.clone());
                }
            }
        }
    }

    /// Whether some output of a module is needed.
    fn anything(&self, module: usize) -> bool {
        self.parts[module].outputs.iter().any(|o| self.names[module].contains(o))
    }

    /// Whether a port stays: every one of a module that stays as a whole.
    fn has_port(&self, module: usize, name: &str) -> bool {
        self.parts[module].kernel.is_none() || self.names[module].contains(name)
    }

    /// The lines of a module that stay. `numbers`: new numbers of the modules below.
    fn remaining(&self, index: usize, module: &Module, numbers: &HashMap<usize, usize>) -> Vec<Line> {
        let parts = &self.parts[index];
        let mut lines: Vec<Option<Line>> = module.lines.iter().cloned().map(Some).collect();
        for instance in &parts.instances {
            self.instance(index, instance, &mut lines, numbers);
        }
        if let Some(kernel) = &parts.kernel {
            self.kernel(index, kernel, &mut lines);
            self.declarations(index, kernel, &mut lines);
        }
        lines.into_iter().flatten().collect()
    }

    /// An instance without the ports that went, or not at all.
    fn instance(&self, index: usize, instance: &Instance, lines: &mut [Option<Line>], numbers: &HashMap<usize, usize>) {
        let child = &self.parts[instance.module];
        let needed = |p: &&(usize, String, String)| child.outputs.contains(&p.1) && self.names[index].contains(&p.2);
        if !instance.ports.iter().any(|p| needed(&p)) {
            lines[instance.begin..=instance.end].fill(None);
            return;
        }
        if let Some(Line::Instance { module, .. }) = &mut lines[instance.begin] {
            *module = numbers[&instance.module];
        }
        let mut last = None;
        for (line, port, _) in &instance.ports {
            if self.has_port(instance.module, port) {
                last = Some(*line);
            } else {
                lines[*line] = None;
            }
        }
        if let Some(Some(Line::Text(t))) = last.map(|line| &mut lines[line]) {
            t.truncate(t.trim_end_matches(',').len());
        }
    }

    /// The kernel without assignments that nobody needs and conditions that nothing stands under
    /// any more.
    fn kernel(&self, index: usize, kernel: &Kernel, lines: &mut [Option<Line>]) {
        let mut stays = vec![false; lines.len()];
        for assignment in kernel.assignments.iter().filter(|a| a.needed(&self.names[index])) {
            stays[assignment.line] = true;
            for compound in kernel.around(assignment.compound) {
                compound.frame.iter().for_each(|&line| stays[line] = true);
            }
        }
        for line in kernel.begin + 1..kernel.end {
            let comment = lines[line].as_ref().is_some_and(|l| text(l).starts_with("//"));
            if !stays[line] && !comment {
                lines[line] = None;
            }
        }
    }

    /// Ports, wires, variables and constants that are still named somewhere.
    fn declarations(&self, index: usize, kernel: &Kernel, lines: &mut [Option<Line>]) {
        let parts = &self.parts[index];
        let lists = |k: usize| parts.instances.iter().any(|i| (i.begin..=i.end).contains(&k));
        let body = |k: usize| (kernel.begin..=kernel.end).contains(&k) || lists(k);
        let mut used = BTreeSet::new();
        let mut was_used = BTreeSet::new();
        for k in (0..lines.len()).filter(|&k| body(k)) {
            was_used.extend(parts.words[k].iter().cloned());
            if lines[k].is_some() {
                used.extend(parts.words[k].iter().cloned());
            }
        }
        for k in (0..lines.len()).filter(|&k| !body(k)) {
            let Some(line) = &mut lines[k] else { continue };
            let declaration = text(line).to_string();
            let names_port = port(&declaration).map(|p| p.1.to_string());
            let constant = declaration.strip_prefix("localparam ").and_then(|d| d.trim().split(' ').next());
            let wire = declaration.starts_with("reg ") || declaration.starts_with("wire ");
            let wire = declaration.strip_suffix(';').filter(|_| wire).and_then(|d| d.rsplit(' ').next());
            if k == 0 {
                *line = Line::Text(header(&declaration, |name| self.has_port(index, name)));
            } else if names_port.is_some_and(|name| !self.has_port(index, &name))
                || constant.is_some_and(|name| was_used.contains(name) && !used.contains(name))
                || wire.is_some_and(|name| !used.contains(name))
            {
                lines[k] = None;
            }
        }
    }
}

impl Assignment {
    fn needed(&self, names: &BTreeSet<String>) -> bool {
        names.contains(&self.target)
    }
}

/// The port list of a module, `(a,b,c);`, with those ports only that stay.
fn header(line: &str, stays: impl Fn(&str) -> bool) -> String {
    let ports = line.trim_start_matches('(').trim_end_matches(");");
    format!("({});", ports.split(',').filter(|p| stays(p)).collect::<Vec<_>>().join(","))
}
