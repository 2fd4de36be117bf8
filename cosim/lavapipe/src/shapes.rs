//! Every shape of structured control flow, by name, and random nestings of them.

use crate::case::{Case, Judge, Source};
use crate::flow::{self, Block, Term};
use crate::vulkan::Buffer;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Shapes as [`flow::parse`] reads them.
pub const SHAPES: [(&str, &str); 32] = [
    ("if", "e: if m a m; a: br m; m: ret"),
    ("if-else", "e: if m a b; a: br m; b: br m; m: ret"),
    ("nested-if", "e: if m a b; a: if n c d; c: br n; d: br n; n: br m; b: br m; m: ret"),
    ("return-in-if", "e: if m a m; a: ret; m: ret"),
    ("both-return", "e: if m a b; a: ret; b: ret; m: unreachable"),
    ("switch", "e: switch m d 0:a 1:b; a: br m; b: br m; d: br m; m: ret"),
    ("fallthrough", "e: switch m d 0:a 1:b 2:c; a: br b; b: br c; c: br m; d: br m; m: ret"),
    ("fallthrough-some", "e: switch m m 0:a 1:b 2:c; a: if s b2 s; b2: br m; s: br b; b: br c; c: br m; m: ret"),
    ("several-literals", "e: switch m d 0,3,5:a 1,2:b; a: br m; b: br m; d: br m; m: ret"),
    ("default-is-merge", "e: switch m m 0,4:a 1:b; a: br b; b: br m; m: ret"),
    ("default-is-case", "e: switch m a 0,4:a 1:b; a: br m; b: br m; m: ret"),
    ("case-is-merge", "e: switch m d 0,4:m 1:b; b: br m; d: br m; m: ret"),
    ("default-falls-through", "e: switch m d 1:b; d: br b; b: br m; m: ret"),
    ("only-default", "e: switch m d; d: if - m x; x: br m; m: ret"),
    ("single-case-around", "e: switch m d; d: if i r i; r: br m; i: if j q j; q: br m; j: br m; m: ret"),
    ("while", "e: br h; h: loop m c exit - m b; b: br c; c: br h; m: ret"),
    ("do-while", "e: br h; h: loop m c br b; b: if s t s; t: br c; s: br c; c: exit - m h; m: ret"),
    ("single-block-loop", "e: br h; h: loop m h exit - m h; m: ret"),
    ("header-is-continue-twice", "e: br h; h: loop i h exit - i h; i: loop m i exit - m i; m: ret"),
    ("continue-of-blocks", "e: br h; h: loop m c br b; b: if - c d; d: br c; c: if s t s; t: br s; s: exit - m h; m: ret"),
    ("break-and-continue", "e: br h; h: loop m c exit - m b; b: if s t s; t: br m; s: if - c u; u: br c; c: br h; m: ret"),
    ("unreachable-merge", "e: br h; h: loop m c br b; b: exit s t s; t: ret; s: br c; c: br h; m: unreachable"),
    ("unreachable-continue", "e: br h; h: loop m c br b; b: if - m d; d: br m; c: br h; m: ret"),
    ("merge-is-header", "e: br h; h: loop i c exit - i b; b: br c; c: br h; i: loop m d exit - m f; f: br d; d: br i; m: ret"),
    ("selection-merge-is-header", "e: if h a h; a: br h; h: loop m c exit - m b; b: br c; c: br h; m: ret"),
    ("case-to-loop-merge", "e: br h; h: loop m c exit - m b; b: switch s d 0,1:x 2:f; x: br m; f: br s; d: br s; s: br c; c: br h; m: ret"),
    ("case-to-continue", "e: br h; h: loop m c exit - m b; b: switch s d 0,1,2:x 3:f; x: br c; f: br s; d: br s; s: br c; c: br h; m: ret"),
    ("break-from-case", "e: br h; h: loop m c exit - m b; b: switch s d 0:f 1:g; f: if - m k; k: br s; g: if - c l; l: br s; d: br s; s: br c; c: br h; m: ret"),
    ("nested-switches", "e: br h; h: loop m c exit - m b; b: switch s d 0:f 1,2:g; f: switch t u 0:x 1:y 2:v; x: br m; y: br c; v: if - t w; w: br m; u: br t; t: br s; g: br d; d: br s; s: br c; c: br h; m: ret"),
    ("nested-loops", "e: br h; h: loop m c exit - m b; b: br i; i: loop n d exit - n f; f: if - d g; g: if - n k; k: br d; d: br i; n: br c; c: br h; m: ret"),
    ("return-in-switch-in-loop", "e: br h; h: loop m c exit - m b; b: switch s d 0:f 1:g; f: ret; g: br s; d: br s; s: br c; c: br h; m: ret"),
    ("if-without-merge", "e: br h; h: loop m c exit - m b; b: if - c d; d: if - m f; f: br c; c: br h; m: ret"),
];

fn case(name: String, blocks: &[Block], seed: u64) -> Case {
    let module = flow::module(blocks, seed);
    let mut rng = ChaCha8Rng::seed_from_u64(!seed);
    let mut input: Vec<u32> = (0..3 * flow::LANES).map(|_| rng.random()).collect();
    input.extend([flow::FUEL; flow::LANES as usize]);
    let buffer = |binding, words| Buffer { set: 0, binding, uniform: false, words };
    Case {
        name,
        ours: vec![Source::spirv(&module)],
        module,
        entry: "main".into(),
        groups: [1, 1, 1],
        judge: Judge::Interpreter,
        buffers: vec![buffer(0, input), buffer(1, vec![0; 4 * flow::LANES as usize])],
        push: vec![],
        text: flow::text(blocks),
    }
}

/// A shape by its name.
pub fn named(name: &str, seed: u64) -> Case {
    let found = SHAPES.iter().find(|s| s.0 == name).unwrap_or_else(|| panic!("no shape {name}"));
    case(format!("shape {name} {seed}"), &flow::parse(found.1), seed)
}

/// A random nesting.
pub fn random(seed: u64) -> Case {
    let mut n = Nest { rng: ChaCha8Rng::seed_from_u64(seed), blocks: vec![], labels: 0 };
    let end = n.label();
    let start = n.label();
    n.sequence(3, &Around::default(), start, &end);
    n.block(&end, Term::Return);
    case(format!("flow {seed}"), &n.blocks, seed)
}

struct Nest {
    rng: ChaCha8Rng,
    blocks: Vec<Block>,
    labels: usize,
}

/// Where a block may leave its constructs to.
#[derive(Clone, Debug, Default)]
struct Around {
    /// Merge block and continue target of the loop around.
    in_loop: Option<(String, String)>,
    /// Merge block of the switch around, within that loop.
    in_switch: Option<String>,
}

impl Nest {
    fn label(&mut self) -> String {
        self.labels += 1;
        format!("b{}", self.labels)
    }
    fn block(&mut self, label: &str, term: Term) {
        self.blocks.push(Block { label: label.into(), merge: None, term });
    }
    fn branch(&mut self, label: &str, to: &str) {
        self.block(label, Term::Branch(to.into()));
    }
    fn chance(&mut self, percent: u32) -> bool {
        self.rng.random_range(0..100) < percent
    }

    /// Blocks from the label `start` on, that go on at `end`, which is written by the caller.
    fn sequence(&mut self, depth: u32, around: &Around, start: String, end: &str) {
        let count = self.rng.random_range(1..4);
        let mut at = start;
        for n in 0..count {
            // A label of one's own can be the merge block of what is before it.
            let next = if n + 1 == count { None } else { Some(self.label()) };
            let merge = match &next {
                Some(next) if self.chance(50) => next.clone(),
                _ => self.label(),
            };
            let after = next.clone().unwrap_or_else(|| end.to_string());
            match self.rng.random_range(0..10) {
                0..2 if depth > 0 => self.selection(depth, around, &at, &merge),
                2..5 if depth > 0 => self.switch(depth, around, &at, &merge),
                5..8 if depth > 0 => self.repeat(depth, &at, &merge),
                _ => self.leave(around, &at, &merge),
            }
            if merge != after {
                self.branch(&merge, &after);
            }
            at = after;
        }
    }

    /// Perhaps out of the construct around.
    fn leave(&mut self, around: &Around, at: &str, next: &str) {
        let mut targets: Vec<String> = around.in_switch.iter().cloned().collect();
        targets.extend(around.in_loop.iter().flat_map(|(m, c)| [m.clone(), c.clone()]));
        if targets.is_empty() || self.chance(30) {
            return self.branch(at, next);
        }
        let to = targets[self.rng.random_range(0..targets.len())].clone();
        if self.chance(50) {
            return self.block(at, Term::If(None, to, next.into(), false));
        }
        let inner = self.label();
        self.block(at, Term::If(Some(next.into()), inner.clone(), next.into(), false));
        match self.chance(15) {
            true => self.block(&inner, Term::Return),
            false => self.branch(&inner, &to),
        }
    }

    fn selection(&mut self, depth: u32, around: &Around, at: &str, merge: &str) {
        let (a, b) = (self.label(), self.label());
        let other = self.chance(60);
        let to = if other { b.clone() } else { merge.into() };
        self.block(at, Term::If(Some(merge.into()), a.clone(), to, false));
        self.sequence(depth - 1, around, a, merge);
        if other {
            self.sequence(depth - 1, around, b, merge);
        }
    }

    fn switch(&mut self, depth: u32, around: &Around, at: &str, merge: &str) {
        let count = self.rng.random_range(1..4);
        let labels: Vec<String> = (0..count).map(|_| self.label()).collect();
        let mut cases: Vec<(Vec<u32>, String)> = labels.iter().map(|l| (vec![], l.clone())).collect();
        let ways = around.in_loop.iter().flat_map(|(m, c)| [m.clone(), c.clone()]).collect::<Vec<_>>();
        let mut out = vec![];
        for literal in 0..6 {
            match self.rng.random_range(0..8) {
                0 => cases.push((vec![literal], merge.into())),
                1 if !ways.is_empty() => {
                    // A block of its own: a case has to be dominated by the switch.
                    let (label, to) = (self.label(), ways[self.rng.random_range(0..2)].clone());
                    cases.push((vec![literal], label.clone()));
                    out.push((label, to));
                }
                2 => {}
                _ => {
                    let n = self.rng.random_range(0..count);
                    cases[n].0.push(literal);
                }
            }
        }
        cases.retain(|c| !c.0.is_empty());
        let default = match self.rng.random_range(0..3) {
            0 => merge.to_string(),
            _ => labels[self.rng.random_range(0..count)].clone(),
        };
        // The order of the literals' targets is that of falling through.
        self.block(at, Term::Switch(merge.into(), default.clone(), cases.clone()));
        out.iter().for_each(|(label, to)| self.branch(label, to));
        let inside = Around { in_switch: Some(merge.into()), ..around.clone() };
        let used: Vec<String> =
            labels.into_iter().filter(|l| *l == default || cases.iter().any(|c| c.1 == *l)).collect();
        for (n, label) in used.iter().enumerate() {
            let falls = used.get(n + 1).filter(|_| self.chance(40)).cloned();
            let end = falls.unwrap_or_else(|| merge.into());
            self.sequence(depth - 1, &inside, label.clone(), &end);
        }
    }

    fn repeat(&mut self, depth: u32, at: &str, merge: &str) {
        let (head, body, next) = (self.label(), self.label(), self.label());
        self.branch(at, &head);
        let exit = |on: &str| Term::If(None, merge.into(), on.into(), true);
        let header = |next: &str, term| Block { label: head.clone(), merge: Some((merge.into(), next.into())), term };
        let inside = Around { in_loop: Some((merge.into(), next.clone())), in_switch: None };
        match self.rng.random_range(0..5) {
            0 => self.blocks.push(header(&head, exit(&head))),
            1 => {
                self.blocks.push(header(&next, exit(&body)));
                self.sequence(depth - 1, &inside, body, &next);
                self.branch(&next, &head);
            }
            2 => {
                self.blocks.push(header(&next, Term::Branch(body.clone())));
                self.sequence(depth - 1, &inside, body, &next);
                let (a, b) = (self.label(), self.label());
                self.block(&next, Term::If(Some(b.clone()), a.clone(), b.clone(), false));
                self.branch(&a, &b);
                self.block(&b, exit(&head));
            }
            _ => {
                self.blocks.push(header(&next, Term::Branch(body.clone())));
                self.sequence(depth - 1, &inside, body, &next);
                self.block(&next, exit(&head));
            }
        }
    }
}
