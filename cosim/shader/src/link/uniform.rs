//! Expressions of uniforms and constants, as one table for a whole chain of programs.
//!
//! A word of a uniform buffer is the same for every program that the buffer is bound to, so an
//! expression of such words has one number in the chain, and can go from one program to the next.
//! In SSA it is a [`Kind::ConstWord`] with the number [`FIRST`] + its node, until
//! [`super::words`] gives it a word of the constant bank (LP-13). Equal expressions have one node.
//! Programs call a word by names of their own, so the text of an expression is that of a program,
//! and a word that a float operation reads has the name of a float there.
//! It would be wrong to evaluate one with other arithmetic than the machine's: [`eval`] is the
//! compiler's, the golden model has its own, and runs compare the two.
//!
//! [`Kind::ConstWord`]: crate::ssa::Kind::ConstWord

use std::collections::{BTreeMap, HashMap};

use crate::interface::{Numbers, PUSH_CONSTANTS};
use crate::ops::eval::eval;
use quadlock_isa::Op;

/// Constant words from here on are no words of the bank but nodes of the table.
pub const FIRST: u32 = 1 << 16;

/// A word of a uniform buffer: group, binding, number of the word.
pub type Word = (u32, u32, u32);

/// Bytes of an expression's text at most. A node may be read more than once, so its text can be
/// exponentially longer than the table, and names come from the source.
const MOST_TEXT: usize = 400;

/// Number of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Node(pub u32);

impl Node {
    /// As a constant word of SSA.
    pub fn word(self) -> u32 {
        FIRST + self.0
    }
    /// The node that a constant word of SSA stands for.
    pub fn of_word(word: u32) -> Option<Node> {
        word.checked_sub(FIRST).map(Node)
    }
}

/// An expression.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Expr {
    /// A constant.
    Const(u32),
    /// A word of a buffer.
    Word(Word),
    /// A pure operation on expressions.
    Op(Op, Vec<Node>),
}

/// What a program calls a word of a buffer, and what it takes its bits for. Two variables of one
/// binding have a name each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// In the source.
    pub text: String,
    /// None of a part that is no number.
    pub numbers: Option<Numbers>,
}

/// The names of words in a program.
pub type Names = BTreeMap<Word, Vec<Name>>;

/// The expressions of a chain. Operands have lower numbers than what reads them.
#[derive(Clone, Debug, Default)]
pub struct Table {
    exprs: Vec<Expr>,
    /// Of each, whether a word is in it.
    varies: Vec<bool>,
    known: HashMap<Expr, Node>,
    /// Of each program its names.
    pub names: Vec<Names>,
}

impl Table {
    /// A table without expressions.
    pub fn new(names: Vec<Names>) -> Table {
        Table { names, ..Table::default() }
    }

    /// The node of an expression.
    pub fn node(&mut self, mut expr: Expr) -> Node {
        if let Expr::Op(op, args) = &mut expr {
            if op.row().commutes && args[0] > args[1] {
                args.swap(0, 1);
            }
        }
        if let Some(&node) = self.known.get(&expr) {
            return node;
        }
        let node = Node(self.exprs.len() as u32);
        self.varies.push(match &expr {
            Expr::Const(_) => false,
            Expr::Word(_) => true,
            Expr::Op(_, args) => args.iter().any(|a| self.varies(*a)),
        });
        self.exprs.push(expr.clone());
        self.known.insert(expr, node);
        node
    }

    /// What a node is.
    pub fn expr(&self, node: Node) -> &Expr {
        &self.exprs[node.0 as usize]
    }

    /// Whether a word of a buffer is in it.
    pub fn varies(&self, node: Node) -> bool {
        self.varies[node.0 as usize]
    }

    /// The value of a node; none if some word is not known.
    pub fn value(&self, node: Node, words: &dyn Fn(Word) -> Option<u32>) -> Option<u32> {
        let needed = self.needed(&[node]);
        let mut values: HashMap<Node, u32> = HashMap::new();
        for n in needed {
            let value = match self.expr(n) {
                Expr::Const(c) => Some(*c),
                Expr::Word(w) => words(*w),
                Expr::Op(op, args) => {
                    let args: Vec<u32> = args.iter().map(|a| values[a]).collect();
                    eval(*op, &args)
                }
            };
            values.insert(n, value?);
        }
        values.get(&node).copied()
    }

    /// The nodes that these need, themselves among them, operands first.
    pub fn needed(&self, roots: &[Node]) -> Vec<Node> {
        let end = roots.iter().map(|n| n.0 + 1).max().unwrap_or(0);
        let mut found = vec![false; end as usize];
        let mut seen: Vec<Node> = vec![];
        let mut left = roots.to_vec();
        while let Some(n) = left.pop() {
            if !std::mem::replace(&mut found[n.0 as usize], true) {
                seen.push(n);
                if let Expr::Op(_, args) = self.expr(n) {
                    left.extend(args);
                }
            }
        }
        seen.sort_unstable();
        seen
    }

    /// How many expressions there are.
    pub fn count(&self) -> usize {
        self.exprs.len()
    }

    /// Operations that evaluating a node takes.
    pub fn operations(&self, node: Node) -> usize {
        self.needed(&[node]).into_iter().filter(|n| matches!(self.expr(*n), Expr::Op(..))).count()
    }

    /// The expression as program `p` would write it, with ".." for what it is too long or too deep
    /// for. `numbers` are what its value is taken for, if somebody says.
    pub fn text(&self, node: Node, p: usize, numbers: Option<Numbers>) -> String {
        let mut out = String::new();
        self.append((node, p), numbers, 6, &mut out);
        if out.len() > MOST_TEXT {
            let end = (0..=MOST_TEXT).rev().find(|n| out.is_char_boundary(*n)).unwrap_or(0);
            out.truncate(end);
            out.push_str("..");
        }
        out
    }

    /// The name of a word that has one, in program `p`, as what one of these expressions reads it.
    pub fn name<'a>(&self, node: Node, p: usize, mut readers: impl Iterator<Item = &'a Node>) -> Option<String> {
        let Expr::Word(word) = self.expr(node) else { return None };
        let as_operand = |reader: &Node| match self.expr(*reader) {
            Expr::Op(op, args) => self.operand(*op, args, args.iter().position(|a| *a == node)?, p),
            _ => None,
        };
        self.called(*word, p, readers.find_map(as_operand))
    }

    /// What a program calls a word that it takes for such numbers. The names of others count too,
    /// since words go from one program to the next; its own go first, but for one of other numbers.
    fn called(&self, word: Word, p: usize, numbers: Option<Numbers>) -> Option<String> {
        let is_integer = |n: Option<Numbers>| n.is_some_and(Numbers::is_integer);
        let rank = |own: bool, name: &Name| {
            let (near, far) = if own { (0, 6) } else { (3, 7) };
            match name.numbers {
                n if numbers.is_none() || n == numbers => near,
                n if is_integer(n) && is_integer(numbers) => near + 1,
                None => near + 2,
                Some(_) => far,
            }
        };
        let of = |(program, names): (usize, &'_ Names)| {
            let named = names.get(&word).cloned().unwrap_or_default();
            named.into_iter().map(move |name| (rank(program == p, &name), program, name.text)).collect::<Vec<_>>()
        };
        let all: Vec<(u32, usize, String)> = self.names.iter().enumerate().flat_map(of).collect();
        let best = all.iter().map(|n| (n.0, n.1)).min()?;
        let mut texts: Vec<&str> = all.iter().filter(|n| (n.0, n.1) == best).map(|n| n.2.as_str()).collect();
        texts.dedup();
        match texts.split_first() {
            Some((first, [])) => Some((*first).into()),
            Some((first, others)) => Some(format!("{first} (or {})", others.join(", "))),
            None => None,
        }
    }

    /// What an operand is. Where a sign makes no difference, the words beside it say whether there
    /// is one.
    fn operand(&self, op: Op, args: &[Node], k: usize, p: usize) -> Option<Numbers> {
        let numbers = Numbers::of_operand(op, k)?;
        let of = |word: &Word| self.names.get(p).and_then(|names| names.get(word)).into_iter().flatten();
        let unsigned = |a: &Node| match self.expr(*a) {
            Expr::Word(w) => {
                let integers = || of(w).filter_map(|n| n.numbers).filter(|n| n.is_integer());
                integers().next().is_some() && integers().all(|n| n == Numbers::Uint)
            }
            _ => false,
        };
        match Numbers::is_signless(op) && args.iter().any(unsigned) {
            true => Some(Numbers::Uint),
            false => Some(numbers),
        }
    }

    /// What a condition is, beside its text: a number that stands where a truth value does is 0 or
    /// not.
    pub fn decided(&self, node: Node, holds: bool) -> &'static str {
        match (self.expr(node), holds) {
            (Expr::Op(op, _), true) if compared(*op).is_some() => "it is true",
            (Expr::Op(op, _), false) if compared(*op).is_some() => "it is false",
            (_, true) => "it is not 0",
            (_, false) => "it is 0",
        }
    }

    /// Appends a text. Nothing more is visited once the text is too long.
    fn append(&self, (node, p): (Node, usize), numbers: Option<Numbers>, depth: u32, out: &mut String) {
        if out.len() > MOST_TEXT {
            return;
        }
        match self.expr(node) {
            Expr::Const(c) => out.push_str(&Numbers::text(numbers, *c)),
            Expr::Word(w) => match self.called(*w, p, numbers) {
                Some(name) => out.push_str(&name),
                None => out.push_str(&plain(*w)),
            },
            Expr::Op(..) if depth == 0 => out.push_str(".."),
            Expr::Op(Op::Xor, args) if args.iter().any(|a| *self.expr(*a) == Expr::Const(1 << 31)) => {
                out.push('-');
                let flipped = args.iter().find(|a| *self.expr(**a) != Expr::Const(1 << 31));
                let float = Some(Numbers::Float);
                flipped.into_iter().for_each(|a| self.append((*a, p), float, depth - 1, out));
            }
            Expr::Op(op, args) => {
                let between = match sign(*op) {
                    Some(sign) => format!(" {sign} "),
                    None => {
                        out.push_str(&format!("{op:?}").to_lowercase());
                        ", ".into()
                    }
                };
                out.push('(');
                for (n, arg) in args.iter().enumerate() {
                    if n > 0 {
                        out.push_str(&between);
                    }
                    // What is chosen is what the choice is.
                    let chosen = if *op == Op::Sel && n < 2 { numbers } else { None };
                    let numbers = self.operand(*op, args, n, p).or(chosen);
                    self.append((*arg, p), numbers, depth - 1, out);
                }
                out.push(')');
            }
        }
    }
}

/// What stands between the operands of an operation, if something does.
fn sign(op: Op) -> Option<&'static str> {
    Some(match op {
        Op::FAdd | Op::IAdd => "+",
        Op::FSub | Op::ISub => "-",
        Op::FMul | Op::IMul => "*",
        Op::FDiv => "/",
        _ => return compared(op),
    })
}

/// The sign of a comparison.
fn compared(op: Op) -> Option<&'static str> {
    Some(match op {
        Op::FSetEq | Op::ISetEq => "==",
        Op::FSetNe | Op::ISetNe => "!=",
        Op::FSetGt | Op::SSetGt | Op::USetGt => ">",
        Op::FSetGe | Op::SSetGe | Op::USetGe => ">=",
        Op::FSetLt | Op::SSetLt | Op::USetLt => "<",
        Op::FSetLe | Op::SSetLe | Op::USetLe => "<=",
        _ => return None,
    })
}

/// A word without a name.
fn plain((group, binding, word): Word) -> String {
    match (group, binding) {
        PUSH_CONSTANTS => format!("push[{word}]"),
        _ => format!("buffer({group}, {binding})[{word}]"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_have_a_greatest_length() {
        let word = (0, 0, 0);
        let long = Name { text: "\u{fc}".repeat(300), numbers: None };
        let mut table = Table::new(vec![Names::from([(word, vec![long])])]);
        let x = table.node(Expr::Word(word));
        let sum = table.node(Expr::Op(Op::FAdd, vec![x, x]));
        let text = table.text(sum, 0, None);
        assert!(text.len() <= MOST_TEXT + 2 && text.starts_with('(') && text.ends_with(".."), "{text}");
        table.names.clear();
        assert_eq!(table.text(sum, 0, None), "(buffer(0, 0)[0] + buffer(0, 0)[0])");
        let sign = table.node(Expr::Const(1 << 31));
        let minus = table.node(Expr::Op(Op::Xor, vec![sum, sign]));
        assert_eq!(table.text(minus, 0, None), "-(buffer(0, 0)[0] + buffer(0, 0)[0])");
        let one = table.node(Expr::Const(1));
        let all = table.node(Expr::Op(Op::Sel, vec![one, one, sum]));
        assert_eq!(table.text(all, 0, None), "sel(1, 1, (buffer(0, 0)[0] + buffer(0, 0)[0]))");
        let same = table.node(Expr::Op(Op::ISetEq, vec![x, one]));
        assert_eq!(table.text(same, 0, None), "(buffer(0, 0)[0] == 1)");
        assert_eq!(
            [same, x].map(|n| [true, false].map(|h| table.decided(n, h))),
            [["it is true", "it is false"], ["it is not 0", "it is 0"]]
        );
        // As a tree it has 2^60 leaves.
        let last = (0..60).fold(x, |n, _| table.node(Expr::Op(Op::FMul, vec![n, n])));
        assert!(table.text(last, 0, None).len() <= MOST_TEXT + 2);
        assert!(table.varies(last) && !table.varies(one));
    }

    /// Program 0 has a float there, program 1 two variables, program 2 nothing.
    #[test]
    fn a_word_has_the_name_of_its_program_and_of_its_reading() {
        let word = (0, 0, 0);
        let name = |text: &str, numbers| Name { text: text.into(), numbers: Some(numbers) };
        let scale = name("scale", Numbers::Float);
        let aliases = vec![name("f", Numbers::Float), name("i", Numbers::Uint)];
        let mut table =
            Table::new(vec![Names::from([(word, vec![scale])]), Names::from([(word, aliases)]), Names::new()]);
        let x = table.node(Expr::Word(word));
        let three = table.node(Expr::Const(3));
        let half = table.node(Expr::Const(0.5f32.to_bits()));
        let minus = table.node(Expr::Const(u32::MAX));
        let mut of = |op, c| table.node(Expr::Op(op, vec![x, c]));
        let (whole, real, equal) = (of(Op::SSetGt, three), of(Op::FSetGt, half), of(Op::ISetEq, minus));
        let text = |node| [0, 1, 2].map(|p| table.text(node, p, None));
        assert_eq!(text(whole), ["(i > 3)"; 3], "a float is not what an integer comparison reads");
        assert_eq!(text(real), ["(scale > 0.5)", "(f > 0.5)", "(scale > 0.5)"]);
        assert_eq!(text(equal)[1], "(i == 4294967295)");
        assert_eq!(text(x), ["scale", "f (or i)", "scale"]);
        assert_eq!(table.text(x, 1, Some(Numbers::Int)), "i");
        assert_eq!(table.name(x, 1, [whole].iter()).as_deref(), Some("i"));
        assert_eq!(table.name(x, 1, [half, real].iter()).as_deref(), Some("f"));
        assert_eq!(table.name(half, 1, [real].iter()), None);
        let other = table.node(Expr::Op(Op::FMul, vec![real, half]));
        assert_eq!(table.text(other, 0, None), "(0.5 * (scale > 0.5))");
    }
}
