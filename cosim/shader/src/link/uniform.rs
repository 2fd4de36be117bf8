//! Expressions of uniforms and constants, as one table for a whole chain of programs.
//!
//! A word of a uniform buffer is the same for every program that the buffer is bound to, so an
//! expression of such words has one number in the chain, and can go from one program to the next.
//! In SSA it is a [`Kind::ConstWord`] with the number [`FIRST`] + its node, until
//! [`super::words`] gives it a word of the constant bank (LP-13). Equal expressions have one node.
//! It would be wrong to evaluate one with other arithmetic than the machine's: [`eval`] is the
//! compiler's, the golden model has its own, and runs compare the two.
//!
//! [`Kind::ConstWord`]: crate::ssa::Kind::ConstWord

use std::collections::{BTreeMap, HashMap};

use crate::interface::PUSH_CONSTANTS;
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

/// The expressions of a chain. Operands have lower numbers than what reads them.
#[derive(Clone, Debug, Default)]
pub struct Table {
    exprs: Vec<Expr>,
    /// Of each, whether a word is in it.
    varies: Vec<bool>,
    known: HashMap<Expr, Node>,
    /// Names of words in the sources.
    pub names: BTreeMap<Word, String>,
}

impl Table {
    /// A table without expressions.
    pub fn new(names: BTreeMap<Word, String>) -> Table {
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

    /// The expression for people, with ".." for what it is too long or too deep for.
    pub fn text(&self, node: Node) -> String {
        let mut out = String::new();
        self.append(node, 6, &mut out);
        if out.len() > MOST_TEXT {
            let end = (0..=MOST_TEXT).rev().find(|n| out.is_char_boundary(*n)).unwrap_or(0);
            out.truncate(end);
            out.push_str("..");
        }
        out
    }

    /// The name of a word that has one.
    pub fn name(&self, node: Node) -> Option<&str> {
        match self.expr(node) {
            Expr::Word(w) => self.names.get(w).map(String::as_str),
            _ => None,
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
    fn append(&self, node: Node, depth: u32, out: &mut String) {
        if out.len() > MOST_TEXT {
            return;
        }
        match self.expr(node) {
            Expr::Const(c) => out.push_str(&number(*c)),
            Expr::Word(w) => match self.names.get(w) {
                Some(name) => out.push_str(name),
                None => out.push_str(&plain(*w)),
            },
            Expr::Op(..) if depth == 0 => out.push_str(".."),
            Expr::Op(Op::Xor, args) if args.iter().any(|a| *self.expr(*a) == Expr::Const(1 << 31)) => {
                out.push('-');
                let flipped = args.iter().find(|a| *self.expr(**a) != Expr::Const(1 << 31));
                flipped.into_iter().for_each(|a| self.append(*a, depth - 1, out));
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
                    self.append(*arg, depth - 1, out);
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

/// Bits as what they most likely are: whole numbers of small size are integers.
pub fn number(bits: u32) -> String {
    let f = f32::from_bits(bits);
    match bits {
        0..=0xFFFF => bits.to_string(),
        _ if f.is_finite() && (1e-6..1e9).contains(&f.abs()) => format!("{f:?}"),
        _ => format!("{bits:#x}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_have_a_greatest_length() {
        let word = (0, 0, 0);
        let mut table = Table::new(BTreeMap::from([(word, "\u{fc}".repeat(300))]));
        let x = table.node(Expr::Word(word));
        let sum = table.node(Expr::Op(Op::FAdd, vec![x, x]));
        let text = table.text(sum);
        assert!(text.len() <= MOST_TEXT + 2 && text.starts_with('(') && text.ends_with(".."), "{text}");
        table.names.clear();
        assert_eq!(table.text(sum), "(buffer(0, 0)[0] + buffer(0, 0)[0])");
        let sign = table.node(Expr::Const(1 << 31));
        let minus = table.node(Expr::Op(Op::Xor, vec![sum, sign]));
        assert_eq!(table.text(minus), "-(buffer(0, 0)[0] + buffer(0, 0)[0])");
        let one = table.node(Expr::Const(1));
        let all = table.node(Expr::Op(Op::Sel, vec![one, one, sum]));
        assert_eq!(table.text(all), "sel(1, 1, (buffer(0, 0)[0] + buffer(0, 0)[0]))");
        let same = table.node(Expr::Op(Op::ISetEq, vec![x, one]));
        assert_eq!(table.text(same), "(buffer(0, 0)[0] == 1)");
        assert_eq!(
            [same, x].map(|n| [true, false].map(|h| table.decided(n, h))),
            [["it is true", "it is false"], ["it is not 0", "it is 0"]]
        );
        // As a tree it has 2^60 leaves.
        let last = (0..60).fold(x, |n, _| table.node(Expr::Op(Op::FMul, vec![n, n])));
        assert!(table.text(last).len() <= MOST_TEXT + 2);
        assert!(table.varies(last) && !table.varies(one));
    }
}
