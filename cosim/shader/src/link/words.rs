//! Words of the constant bank for the uniforms of a linked program, and the program that computes
//! the derived ones on the host (LP-13).
//!
//! A word that a uniform buffer has in the bank already keeps its place. Every other expression
//! takes a word that is free: behind the buffers' words, and then those of the buffers' words that
//! the program does not read any more. If there are fewer than expressions, the least valuable are
//! computed by the lanes again, or loaded from their buffer: those that save the fewest operations,
//! where loops count more. A word of a buffer that only another program has cannot be computed, so
//! it goes first. A program is given no more of these than it has room for ([`has_room`]), so an
//! end is always found. Two expressions in one word would be wrong; a test fills the bank.

use std::collections::{BTreeMap, BTreeSet};

use super::chain::{Program, UniformWords};
use super::uniform::{Expr, Node, Table, Word};
use crate::interface::{Derived, Step};
use crate::ssa::dominance::Dominance;
use crate::ssa::{Block, Func, Inst, Kind, Space, Value, Width};

/// What a loop makes the uses in it count.
const LOOP: u64 = 8;
/// More loops around a use make no difference.
const MOST_LOOPS: u32 = 4;
/// Operations that a load counts as.
const LOAD: usize = 4;
/// Rounds in which what is computed again may bring expressions that take a word in its place.
/// Chains of expressions would need a round for each link.
const ROUNDS: usize = 12;

/// Bytes of a name that the program of derived uniforms keeps: it stands wherever it is read.
const MOST_NAME: usize = 100;

/// Gives every expression of program `p` its word; `bank` words are there, from `first` on for the
/// user. The program that computes the derived ones, if there are any.
///
/// # Errors
/// An expression that has to have a word gets none.
pub fn allocate(
    (p, program): (usize, &mut Program),
    table: &Table,
    first: u32,
    bank: u32,
) -> Result<Option<Derived>, String> {
    let mut costs: BTreeMap<Node, u64> = BTreeMap::new();
    // What the lanes compute again brings new words, so this is done until all have one. Behind the
    // first rounds it brings words of buffers only: those of the bank come once, others are loaded
    // in the next round.
    for round in 0..=ROUNDS + 2 * (bank as usize + 1) {
        let used = uses(&program.func);
        let own = |node: Node| match table.expr(node) {
            Expr::Word(w) => program.uniforms.iter().find_map(|u| u.place(*w)),
            _ => None,
        };
        let kept: BTreeMap<Node, u32> = used.keys().filter_map(|n| Some((*n, own(*n)?))).collect();
        let free = free_words(&program.uniforms, kept.values().copied().collect(), first, bank);
        let mut wanted: Vec<(Node, u64)> =
            used.iter().filter(|u| !kept.contains_key(u.0)).map(|(n, w)| (*n, *w)).collect();
        let must = |n: Node| matches!(table.expr(n), Expr::Word(w) if !reachable(program, *w));
        wanted.sort_by_cached_key(|(n, weight)| {
            let cost = *costs.entry(*n).or_insert_with(|| saved(program, table, *n) as u64);
            (!must(*n), u64::MAX - weight.saturating_mul(cost), *n)
        });
        if wanted.len() > free.len() {
            // All that are too many at once: each may bring others, which the next round sees.
            let out: BTreeSet<Node> = wanted[free.len()..].iter().map(|w| w.0).filter(|n| !must(*n)).collect();
            if out.is_empty() {
                return Err(format!("{} uniforms of other programs and {} constant words", wanted.len(), free.len()));
            }
            let kept: BTreeSet<Node> = wanted.iter().map(|w| w.0).filter(|n| !out.contains(n)).collect();
            compute_again(program, table, &out, (round >= ROUNDS).then_some(&kept));
            continue;
        }
        let places: BTreeMap<Node, u32> = kept.into_iter().chain(wanted.iter().map(|w| w.0).zip(free)).collect();
        let derived: Vec<(u32, Node)> = {
            let mut d: Vec<(u32, Node)> = wanted.iter().map(|(n, _)| (places[n], *n)).collect();
            d.sort_unstable();
            d
        };
        place(&mut program.func, &places);
        return Ok((!derived.is_empty()).then(|| {
            let (steps, numbers) = steps(table, &derived.iter().map(|d| d.1).collect::<Vec<Node>>());
            let (names, readings) = names(table, p, &numbers);
            let words = derived.iter().map(|(word, node)| (*word, numbers[node])).collect();
            Derived { steps, words, names, readings }
        }));
    }
    Err("internal error: expressions without an end".into())
}

type Readings = Vec<(u32, u32, String)>;

/// What program `p` calls the words among these steps, and where a step takes a word for another
/// variable than the first that reads it.
fn names(table: &Table, p: usize, numbers: &BTreeMap<Node, u32>) -> (Vec<(u32, String)>, Readings) {
    let short = |name: &String| name.len() <= MOST_NAME;
    let name = |(n, step): (&Node, &u32)| Some((*step, table.name(*n, p, numbers.keys()).filter(short)?));
    let mut names: Vec<(u32, String)> = numbers.iter().filter_map(name).collect();
    names.sort_unstable();
    let mut readings = vec![];
    for (reader, at) in numbers {
        let Expr::Op(_, args) = table.expr(*reader) else { continue };
        for arg in args {
            let Ok(first) = names.binary_search_by_key(&numbers[arg], |n| n.0) else { continue };
            let here = table.name(*arg, p, [*reader].iter()).filter(short);
            readings.extend(here.filter(|name| *name != names[first].1).map(|name| (*at, numbers[arg], name)));
        }
    }
    readings.sort_unstable();
    readings.dedup();
    (names, readings)
}

/// The steps that compute these nodes, and the number of each node's step.
pub fn steps(table: &Table, roots: &[Node]) -> (Vec<Step>, BTreeMap<Node, u32>) {
    let needed = table.needed(roots);
    let numbers: BTreeMap<Node, u32> = needed.iter().copied().zip(0..).collect();
    let step = |n: &Node| match table.expr(*n) {
        Expr::Const(c) => Step::Const(*c),
        Expr::Word((group, binding, word)) => Step::Uniform(*group, *binding, *word),
        Expr::Op(op, args) => Step::Op(op.row().name.into(), args.iter().map(|a| numbers[a]).collect()),
    };
    (needed.iter().map(step).collect(), numbers)
}

/// Words that nothing has, the free ones first.
fn free_words(uniforms: &[UniformWords], kept: BTreeSet<u32>, first: u32, bank: u32) -> Vec<u32> {
    let end = uniforms.iter().map(|u| u.at + u.words).max().unwrap_or(first).max(first);
    (end..bank).chain((first..end.min(bank)).rev()).filter(|w| !kept.contains(w)).collect()
}

/// The nodes that a function reads, each with how much its uses count.
fn uses(func: &Func) -> BTreeMap<Node, u64> {
    let dom = Dominance::new(func);
    let mut reads: BTreeMap<Value, Node> = BTreeMap::new();
    let mut out: BTreeMap<Node, u64> = BTreeMap::new();
    for inst in func.layout.iter().flat_map(|b| &func.blocks[b.index()].insts) {
        if let (Kind::ConstWord(w), Some(r)) = (&inst.kind, inst.results.first()) {
            if let Some(n) = Node::of_word(*w) {
                reads.insert(*r, n);
                out.entry(n).or_default();
            }
        }
    }
    for (&b, depth) in func.layout.iter().zip(depths(&dom, func)) {
        let weight = LOOP.saturating_pow(depth.min(MOST_LOOPS));
        for v in func.blocks[b.index()].insts.iter().flat_map(|i| i.kind.uses()) {
            if let Some(n) = reads.get(&v) {
                *out.entry(*n).or_default() += weight;
            }
        }
    }
    out
}

/// Loops around each block, as far as the layout shows them: a jump back to a block before it.
fn depths(dom: &Dominance, func: &Func) -> Vec<u32> {
    let mut place: Vec<Option<usize>> = vec![None; func.blocks.len()];
    func.layout.iter().enumerate().for_each(|(i, b)| place[b.index()] = Some(i));
    // Loops that end behind each place.
    let mut ends = vec![0; func.layout.len()];
    let (mut depth, mut out) = (0, vec![]);
    for (at, h) in func.layout.iter().enumerate() {
        let last = dom.cfg.preds[h.index()].iter().filter_map(|p| place[p.index()]).max();
        if let Some(last) = last.filter(|l| *l >= at) {
            depth += 1;
            ends[last] += 1;
        }
        out.push(depth);
        depth -= ends[at];
    }
    out
}

/// Whether lanes can have a word of a buffer: it is in the bank, or in a buffer of the program.
fn reachable(program: &Program, word: Word) -> bool {
    in_bank(program, word) || program.buffers.iter().any(|b| b.offset(word).is_some())
}

fn in_bank(program: &Program, word: Word) -> bool {
    program.uniforms.iter().any(|u| u.place(word).is_some())
}

/// Operations that a word of the bank saves the lanes.
fn saved(program: &Program, table: &Table, node: Node) -> usize {
    let loads = |n: &Node| matches!(table.expr(*n), Expr::Word(w) if !in_bank(program, *w));
    let loads = table.needed(&[node]).iter().filter(|n| loads(n)).count();
    (table.operations(node) + LOAD * loads).max(1)
}

/// Whether a program that reads these expressions, and one more, has words for all of them that are
/// in no buffer of its own. Then every expression can be computed, however few words there are.
pub fn has_room(program: &Program, table: &Table, more: Node) -> bool {
    let mut roots: Vec<Node> = uses(&program.func).into_keys().collect();
    roots.push(more);
    let foreign = |n: &&Node| matches!(table.expr(**n), Expr::Word(w) if !reachable(program, *w));
    table.needed(&roots).iter().filter(foreign).count() <= program.spare as usize
}

/// Expressions are their operations again, on expressions; words are loaded. The host would have
/// rounded each operation, so they are exact. What is at hand already, in the block or in one that
/// dominates it, is not computed another time: a copy for each use would make 2^n operations of
/// x1 = x0 + x0, x2 = x1 + x1 and so on. With `kept` the operands that are not among these are
/// computed too, down to words of buffers.
fn compute_again(program: &mut Program, table: &Table, nodes: &BTreeSet<Node>, kept: Option<&BTreeSet<Node>>) {
    let buffers = &program.buffers;
    let load = |w: Word| buffers.iter().find_map(|b| Some((b.base, b.offset(w)?)));
    let inner = |n: &Node| kept.is_some_and(|k| !k.contains(n)) && matches!(table.expr(*n), Expr::Op(..));
    let func = &mut program.func;
    let dom = Dominance::new(func);
    let mut here: BTreeMap<Node, Value> = BTreeMap::new();
    let mut same: BTreeMap<Value, Value> = BTreeMap::new();
    // A block, or how many of the nodes at hand stay when it is left.
    let mut left: Vec<Result<Block, usize>> = vec![Ok(func.entry())];
    let mut added: Vec<Node> = vec![];
    while let Some(next) = left.pop() {
        let b = match next {
            Ok(b) => b,
            Err(stay) => {
                added.drain(stay..).for_each(|n| {
                    here.remove(&n);
                });
                continue;
            }
        };
        left.push(Err(added.len()));
        left.extend(dom.children[b.index()].iter().rev().copied().map(Ok));
        let mut out = vec![];
        for mut inst in std::mem::take(&mut func.blocks[b.index()].insts) {
            inst.kind.map_uses(&mut |v| same.get(&v).copied().unwrap_or(v));
            let node = if let Kind::ConstWord(w) = inst.kind { Node::of_word(w) } else { None };
            let at_hand = node.and_then(|n| here.get(&n)).copied();
            if let (Some(value), Some(result)) = (at_hand, inst.results.first()) {
                same.insert(*result, value);
                continue;
            }
            if let Some(node) = node.filter(|n| nodes.contains(n)) {
                let loc = inst.loc;
                let mut push = |kind: Kind| {
                    let v = func.new_value();
                    out.push(Inst { exact: true, kind, results: vec![v], loc });
                    v
                };
                let (mut todo, mut look) = (BTreeSet::from([node]), vec![node]);
                while let Some(Expr::Op(_, args)) = look.pop().map(|n| table.expr(n)) {
                    look.extend(args.iter().filter(|a| inner(a) && !here.contains_key(a) && todo.insert(**a)));
                }
                // Operands have lower numbers, so the node itself is the last one.
                for n in todo {
                    let kind = match table.expr(n) {
                        Expr::Op(op, args) => {
                            let mut operands = vec![];
                            for a in args {
                                let value = *here.entry(*a).or_insert_with(|| {
                                    added.push(*a);
                                    match table.expr(*a) {
                                        Expr::Const(c) => push(Kind::Const(*c)),
                                        _ => push(Kind::ConstWord(a.word())),
                                    }
                                });
                                operands.push(value);
                            }
                            Kind::Alu(*op, operands)
                        }
                        Expr::Word(w) => match load(*w) {
                            Some((base, offset)) => {
                                let addr = push(Kind::ConstWord(base));
                                Kind::Load { space: Space::ReadOnly, width: Width::W32, addr, offset }
                            }
                            None => Kind::ConstWord(n.word()),
                        },
                        Expr::Const(c) => Kind::Const(*c),
                    };
                    if n == node {
                        inst.exact = true;
                        inst.kind = kind;
                    } else {
                        here.insert(n, push(kind));
                        added.push(n);
                    }
                }
            }
            if let (Some(node), Some(result)) = (node, inst.results.first()) {
                here.entry(node).or_insert_with(|| {
                    added.push(node);
                    *result
                });
            }
            out.push(inst);
        }
        func.blocks[b.index()].insts = out;
    }
}

fn place(func: &mut Func, places: &BTreeMap<Node, u32>) {
    for b in func.layout.clone() {
        for inst in &mut func.blocks[b.index()].insts {
            if let Kind::ConstWord(w) = &mut inst.kind {
                if let Some(at) = Node::of_word(*w).and_then(|n| places.get(&n)) {
                    *w = *at;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::random_chains::{stage, USER, WORDS};
    use super::*;
    use crate::ssa::{Loc, Target};
    use quadlock_isa::{Op, Special};

    /// x1 = x0 + x0, x2 = x1 + x1 and so on, without a free word: the lanes add as often as the
    /// source did, and a buffer's word is read once.
    #[test]
    fn what_is_computed_again_is_shared() {
        let mut table = Table::default();
        let first = table.node(Expr::Word((0, 0, 0)));
        let last = (0..60).fold(first, |n, _| table.node(Expr::Op(Op::FAdd, vec![n, n])));
        let mut func = Func { name: "stage".into(), ..Func::default() };
        let block = func.new_block();
        for word in 0..WORDS {
            let node = table.node(Expr::Word((0, 0, word)));
            let value = func.push(block, Kind::ConstWord(node.word()), 1, Loc::default())[0];
            func.push(block, Kind::Output { word, value }, 0, Loc::default());
        }
        let value = func.push(block, Kind::ConstWord(last.word()), 1, Loc::default())[0];
        func.push(block, Kind::Output { word: WORDS, value }, 0, Loc::default());
        func.push(block, Kind::Return(vec![]), 0, Loc::default());
        let mut program = stage(func);
        assert_eq!(allocate((0, &mut program), &table, USER, USER + WORDS), Ok(None));
        let count = |is: &dyn Fn(&Kind) -> bool| program.insts().filter(|i| is(&i.kind)).count();
        assert_eq!(count(&|k| matches!(k, Kind::Alu(..))), 60);
        assert_eq!(count(&|k| matches!(k, Kind::ConstWord(_))), WORDS as usize);
    }

    /// Outputs of the expressions of a chain, the last one first, in each block of a diamond.
    fn diamond(links: usize) -> (Program, Table) {
        let mut table = Table::default();
        let mut nodes = vec![table.node(Expr::Word((0, 0, 0)))];
        for k in 0..links {
            nodes.push(table.node(Expr::Op(Op::FAdd, vec![nodes[k], nodes[k]])));
        }
        let mut func = Func { name: "stage".into(), ..Func::default() };
        let blocks: Vec<Block> = (0..4).map(|_| func.new_block()).collect();
        let loc = Loc::default();
        for (k, &b) in blocks.iter().enumerate() {
            for word in 0..WORDS {
                let node = table.node(Expr::Word((0, 0, word)));
                let value = func.push(b, Kind::ConstWord(node.word()), 1, loc)[0];
                func.push(b, Kind::Output { word, value }, 0, loc);
            }
            for node in nodes.iter().rev() {
                let value = func.push(b, Kind::ConstWord(node.word()), 1, loc)[0];
                func.push(b, Kind::Output { word: WORDS, value }, 0, loc);
            }
            let to = |n: usize| Target { block: blocks[n], args: vec![] };
            let end = match k {
                0 => {
                    let cond = func.push(b, Kind::Special(Special::VertexIndex), 1, loc)[0];
                    Kind::Branch { cond, then: to(1), other: to(2) }
                }
                1 | 2 => Kind::Jump(to(3)),
                _ => Kind::Return(vec![]),
            };
            func.push(b, end, 0, loc);
        }
        (stage(func), table)
    }

    /// A round for each link of a chain would take hours. A copy for each block would make programs
    /// too long; the first rounds still bring some copies where the last link is read first.
    #[test]
    fn long_chains_are_computed_soon() {
        for (links, copies) in [(8, 3), (1000, ROUNDS)] {
            let (mut program, table) = diamond(links);
            assert_eq!(allocate((0, &mut program), &table, USER, USER + WORDS), Ok(None));
            let adds = program.insts().filter(|i| matches!(i.kind, Kind::Alu(..))).count();
            assert!(adds <= copies * links, "{adds} sums of {links}");
        }
    }
}
