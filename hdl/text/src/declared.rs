//! The names that a kernel can use, and the form in which a path of Rust is declared in the
//! Verilog. It can be wrong where two forms of a path are declared; the first that is found counts,
//! and the cross-check finds a wire that is another.

use rust_hdl::prelude::*;
use rustc_hash::FxHashSet;

use crate::record::{atoms, parts, Kind, Part};

/// The names that a kernel can use: of the block's own ports and registers, and of the ports of the
/// blocks in it.
#[derive(Default)]
pub struct Declared {
    names: FxHashSet<String>,
    /// Blocks around what is visited.
    path: Vec<String>,
}

impl Declared {
    /// Those of that block, by a visit of everything in it.
    pub fn of(block: &dyn Block) -> Self {
        let mut declared = Self::default();
        block.accept("", &mut declared);
        declared
    }

    /// Those of a block whose record that is.
    pub(crate) fn in_record(record: &[u8], kinds: &[Kind]) -> Self {
        let mut names = FxHashSet::default();
        for part in parts(record) {
            match part {
                Part::Atom(atom) => {
                    names.insert(atom.name.to_owned());
                }
                Part::Child { name, kind } => {
                    names.extend(atoms(&kinds[kind].record).map(|atom| format!("{name}${}", atom.name)));
                }
                Part::Label(_) => {}
            }
        }
        Self { names, path: Vec::new() }
    }

    /// Whether a port or register is called that.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// The name of a port in the form in which it is declared. A path gives `ret$2$value$1` for
    /// `ret[2].value[1]`; declared is `ret$value1$2`. The element of an array of ports belongs to
    /// the port's name, and the number of a bundle in a vector stands behind it.
    pub(crate) fn form(&self, name: String) -> String {
        let (base, next) = name.strip_suffix("$next").map_or((name.as_str(), ""), |base| (base, "$next"));
        if self.names.contains(base) {
            return name;
        }
        let parts: Vec<&str> = base.split('$').collect();
        let numbered = |parts: &[String], at: usize| parts[at].bytes().all(|b| b.is_ascii_digit());
        let whole: Vec<String> = parts.iter().map(|&p| p.to_owned()).collect();
        let last = whole.len() - 1;
        let mut forms = vec![whole.clone()];
        if last > 0 && numbered(&whole, last) {
            let mut joined = whole[..last].to_vec();
            joined[last - 1] += &whole[last];
            forms.push(joined);
        }
        for form in forms {
            let moved = (1..form.len()).filter(|&at| numbered(&form, at));
            let moved = moved.map(|at| [&form[..at], &form[at + 1..], &form[at..=at]].concat().join("$"));
            if let Some(found) = std::iter::once(form.join("$")).chain(moved).find(|f| self.names.contains(f)) {
                return found + next;
            }
        }
        name
    }
}

impl Probe for Declared {
    fn visit_start_scope(&mut self, name: &str, _node: &dyn Block) {
        self.path.push(name.to_owned());
    }
    fn visit_atom(&mut self, name: &str, _signal: &dyn Atom) {
        match self.path.as_slice() {
            [_] => self.names.insert(name.to_owned()),
            [_, part] => self.names.insert(format!("{part}${name}")),
            _ => false,
        };
    }
    fn visit_end_scope(&mut self, _name: &str, _node: &dyn Block) {
        self.path.pop();
    }
}
