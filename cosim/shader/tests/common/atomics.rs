//! Random shaders in which one warp has a region of counters of its own. With the lanes' atomics of
//! one instruction done in the order of their numbers, as the machine does them, such a shader has
//! one result: whatever form the compiler gives its atomics, every counter and every variable must
//! be the same at the end.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Variables of a thread.
const VARIABLES: usize = 4;
/// Counters of a warp.
pub const REGION: usize = 8;
/// Words of a thread's results.
pub const RESULTS: usize = VARIABLES + 1;

/// A shader for `invocations()` in a group, with counters at binding 0, results at 1 and parameters
/// (small numbers) at 2.
pub struct Generator {
    rng: ChaCha8Rng,
    text: String,
    loops: usize,
    statements: u32,
    /// Whether functions of the whole warp and subgroup operations occur.
    across: bool,
}

impl Generator {
    pub fn new(seed: u64, across: bool) -> Generator {
        Generator { rng: ChaCha8Rng::seed_from_u64(seed), text: String::new(), loops: 0, statements: 24, across }
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.rng.random_range(0..from.len())]
    }

    fn variable(&mut self) -> String {
        format!("u{}", self.rng.random_range(0..VARIABLES))
    }

    fn leaf(&mut self) -> String {
        match self.rng.random_range(0..8) {
            0..2 => format!("{}u", self.pick(&["0", "1", "2", "3", "4", "5", "8", "16"])),
            2 => self.pick(&["li", "id", "g.x", "wid"]).to_string(),
            3 => self.pick(&["p[0]", "p[1]", "p[g.x]", "p[li & 3u]"]).to_string(),
            _ => self.variable(),
        }
    }

    fn expr(&mut self, depth: u32) -> String {
        if depth == 0 {
            return self.leaf();
        }
        let a = self.expr(depth - 1);
        match self.rng.random_range(0..12) {
            0..5 => format!("({a} {} {})", self.pick(&["+", "-", "*", "&", "|", "^"]), self.expr(depth - 1)),
            5 => format!("({a} >> {}u)", self.pick(&["1", "2", "3"])),
            6 => format!("{}({a}, {})", self.pick(&["min", "max"]), self.expr(depth - 1)),
            7 => format!("select({a}, {}, {})", self.expr(depth - 1), self.condition()),
            8 => format!("atomicLoad(&c[base + ({a} & 7u)])"),
            9 if self.across => {
                let f = self.pick(&["subgroupAdd", "subgroupMax", "subgroupBroadcastFirst", "subgroupExclusiveAdd"]);
                format!("{f}({a})")
            }
            _ => a,
        }
    }

    fn condition(&mut self) -> String {
        let (a, b) = (self.expr(1), self.expr(1));
        match self.rng.random_range(0..8) {
            0 => format!("({a} & 1u) == 0u"),
            1 if self.across => "subgroupElect()".into(),
            _ => format!("{a} {} {b}", self.pick(&["<", "<=", ">", ">=", "==", "!="])),
        }
    }

    fn line(&mut self, text: &str) {
        self.text += text;
        self.text.push('\n');
    }

    fn block(&mut self, depth: u32, in_loop: bool) {
        for _ in 0..self.rng.random_range(1..4) {
            if self.statements > 0 {
                self.statements -= 1;
                self.statement(depth, in_loop);
            }
        }
    }

    fn statement(&mut self, depth: u32, in_loop: bool) {
        match self.rng.random_range(0..16) {
            0..4 if depth > 0 => {
                let condition = self.condition();
                self.line(&format!("if ({condition}) {{"));
                self.block(depth - 1, in_loop);
                if self.rng.random_bool(0.5) {
                    self.line("} else {");
                    self.block(depth - 1, in_loop);
                }
                self.line("}");
            }
            4..8 if depth > 0 => self.repeat(depth),
            8 if in_loop => {
                let (condition, what) = (self.condition(), self.pick(&["break", "continue"]));
                self.line(&format!("if ({condition}) {{ {what}; }}"));
            }
            8..10 => {
                let (to, value) = (self.variable(), self.expr(2));
                self.line(&format!("{to} = {value};"));
            }
            _ => self.atomic(),
        }
    }

    /// Every shape of loop: the test first, in the middle, last, in `continuing`.
    fn repeat(&mut self, depth: u32) {
        let k = format!("k{}", self.loops);
        self.loops += 1;
        let bound = self.pick(&["2u", "3u", "p[0]", "(li & 3u)", "(p[1] + 1u)"]);
        self.line(&format!("var {k} = 0u;"));
        let shape = self.rng.random_range(0..5);
        match shape {
            0 => self.line(&format!("for (; {k} < {bound}; {k}++) {{")),
            1 => self.line(&format!("while ({k} < {bound}) {{ {k}++;")),
            _ => self.line("loop {"),
        }
        if shape == 3 {
            self.line(&format!("{k}++;"));
        }
        // The body often begins with a branch, so that the loop's first block has one.
        if self.rng.random_bool(0.5) {
            let (condition, to) = (self.condition(), self.variable());
            self.line(&format!("if ({condition}) {{ {to} += {k}; }}"));
        }
        // Nothing may jump over the only test of a loop.
        self.block(depth - 1, shape != 3);
        match shape {
            0 | 1 => {}
            2 => {
                self.line(&format!("if ({k} >= {bound}) {{ break; }}"));
                self.block(depth - 1, true);
                self.line(&format!("continuing {{ {k}++; break if ({k} > 4u); }}"));
            }
            3 => self.line(&format!("if ({k} >= {bound}) {{ break; }}")),
            _ => {
                let condition = self.condition();
                self.line(&format!("continuing {{ {k}++; break if ({k} >= {bound} || {condition}); }}"));
            }
        }
        self.line("}");
        if self.rng.random_bool(0.5) {
            let to = self.variable();
            self.line(&format!("{to} = {k};"));
        }
    }

    fn atomic(&mut self) {
        let f = self.pick(&["Add", "Add", "Add", "Sub", "And", "Or", "Xor", "Min", "Max", "Exchange"]);
        let who = if self.across && self.rng.random_bool(0.2) { "warpAtomic" } else { "atomic" };
        let (index, value) = (self.expr(1), self.expr(2));
        let call = format!("{who}{f}(&c[base + ({index} & 7u)], {value});");
        match self.rng.random_range(0..3) {
            0 => self.line(&call),
            _ => {
                let to = self.variable();
                self.line(&format!("{to} = {call}"));
            }
        }
    }

    /// The text, and the number of invocations of a group.
    pub fn shader(mut self) -> (String, u32) {
        let size = [3, 4, 4, 6, 8][self.rng.random_range(0..5)];
        self.line(&format!(
            "@group(0) @binding(0) var<storage, read_write> c: array<atomic<u32>>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
@group(0) @binding(2) var<storage, read> p: array<u32>;
@compute @workgroup_size({size}) fn main(@builtin(local_invocation_index) li: u32, @builtin(workgroup_id) g: vec3<u32>) {{
let wid = li >> 2u; let base = (g.x * 2u + wid) * {REGION}u; let id = g.x * 8u + li;"
        ));
        for i in 0..VARIABLES {
            let start = self.pick(&["0u", "1u", "li", "g.x", "id", "p[3]"]);
            self.line(&format!("var u{i} = {start};"));
        }
        for _ in 0..4 {
            self.block(3, false);
        }
        for i in 0..VARIABLES {
            self.line(&format!("out[id * {RESULTS}u + {i}u] = u{i};"));
        }
        self.line(&format!("out[id * {RESULTS}u + {VARIABLES}u] = 1u + p[0];\n}}"));
        (self.text, size)
    }
}
