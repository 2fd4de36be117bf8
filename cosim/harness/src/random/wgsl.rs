//! Random structured WGSL shaders with a known result: a statement tree (assignments, if, switch,
//! bounded loops with break and continue, buffer and work-group memory, barriers in uniform control
//! flow, atomics whose order cannot be seen) is printed as WGSL and, independently of compiler and
//! model, evaluated here. So a run checks the compiler as well: a wrong output is a failure even if
//! RTL and model agree. Limits: u32 arithmetic and f32 add, multiply, divide and square root (the
//! rounded ones, which the host has too) through bit casts; no functions, structs or vectors.

use std::fmt::Write as _;
use std::path::Path;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::base::error::Input;
use crate::job::program;
use crate::job::{Job, Size};
use quadlock_shader::binary::ShaderBinary;
use quadlock_shader::fault::CompilerFault;

/// The name of the program's file.
pub(crate) const FILE: &str = "random.wgsl";

/// Variables of a thread, words of the input, output words of a thread, atomic counters.
const VARS: usize = 5;
const INPUT: usize = 32;
const OUT: usize = 3;
const COUNTERS: usize = 4;

#[derive(Clone, Copy, Debug)]
enum Op {
    Add,
    Sub,
    Mul,
    And,
    Or,
    Xor,
    Shl,
    Shr,
    Min,
    Max,
    Div,
    Rem,
    FloatAdd,
    FloatMul,
    FloatDiv,
    /// Square root of the sum.
    FloatRoot,
}

const OPS: [Op; 16] = [
    Op::Add,
    Op::Sub,
    Op::Mul,
    Op::And,
    Op::Or,
    Op::Xor,
    Op::Shl,
    Op::Shr,
    Op::Min,
    Op::Max,
    Op::Div,
    Op::Rem,
    Op::FloatAdd,
    Op::FloatMul,
    Op::FloatDiv,
    Op::FloatRoot,
];

#[derive(Clone, Debug)]
enum Expr {
    Var(usize),
    /// Counter of the loop at this depth.
    Loop(usize),
    Thread,
    Lit(u32),
    Input(Box<Expr>),
    Bin(Op, Box<Expr>, Box<Expr>),
    Select(Box<Cond>, Box<Expr>, Box<Expr>),
}

#[derive(Clone, Debug)]
struct Cond {
    op: &'static str,
    signed: bool,
    a: Expr,
    b: Expr,
}

#[derive(Clone, Debug)]
enum Stmt {
    Assign(usize, Expr),
    Store(usize, Expr),
    Count(usize, Expr),
    If(Cond, Vec<Stmt>, Vec<Stmt>),
    For(usize, u32, Vec<Stmt>),
    /// `if cond { break; }` or continue; only in loops.
    Leave(Cond, bool),
    Switch(Expr, Vec<Vec<Stmt>>),
    /// Exchange through work-group memory: the variable of the thread `n` further on. Top level
    /// only.
    Exchange(usize, u32),
}

/// A random shader and what it must compute.
#[derive(Clone, Debug)]
pub struct Shader {
    pub seed: u64,
    pub text: String,
    body: Vec<Stmt>,
    group: u32,
    groups: u32,
    input: Vec<u32>,
}

struct Generator {
    rng: ChaCha8Rng,
    budget: i32,
}

impl Generator {
    fn literal(&mut self) -> u32 {
        match self.rng.random_range(0..4) {
            0 => self.rng.random_range(0..4),
            1 => self.rng.random_range(0..100),
            2 => [0x7FFF_FFFF, 0x8000_0000, u32::MAX, 0x3F80_0000, 0x0080_0000][self.rng.random_range(0..5)],
            _ => self.rng.random(),
        }
    }

    fn expr(&mut self, depth: u32, loops: usize) -> Expr {
        let pick = self.rng.random_range(0..if depth == 0 { 5 } else { 10 });
        let sub = |g: &mut Self| Box::new(g.expr(depth.saturating_sub(1), loops));
        match pick {
            0 | 1 => Expr::Var(self.rng.random_range(0..VARS)),
            2 => Expr::Lit(self.literal()),
            3 => Expr::Thread,
            4 if loops > 0 => Expr::Loop(self.rng.random_range(0..loops)),
            4 => Expr::Var(0),
            5 => Expr::Input(sub(self)),
            6 => {
                let cond = Box::new(self.cond(depth - 1, loops));
                Expr::Select(cond, sub(self), sub(self))
            }
            _ => {
                let op = OPS[self.rng.random_range(0..OPS.len())];
                Expr::Bin(op, sub(self), sub(self))
            }
        }
    }

    fn cond(&mut self, depth: u32, loops: usize) -> Cond {
        let op = ["<", "<=", ">", ">=", "==", "!="][self.rng.random_range(0..6)];
        let signed = self.rng.random();
        Cond { op, signed, a: self.expr(depth, loops), b: self.expr(depth, loops) }
    }

    fn block(&mut self, depth: u32, loops: usize, size: usize) -> Vec<Stmt> {
        (0..self.rng.random_range(1..=size)).map(|_| self.stmt(depth, loops)).collect()
    }

    fn stmt(&mut self, depth: u32, loops: usize) -> Stmt {
        self.budget -= 1;
        let nested = depth > 0 && self.budget > 0;
        match self.rng.random_range(0..if nested { 12 } else { 7 }) {
            0..=3 => Stmt::Assign(self.rng.random_range(0..VARS), self.expr(3, loops)),
            4 => Stmt::Store(self.rng.random_range(0..OUT), self.expr(2, loops)),
            5 => Stmt::Count(self.rng.random_range(0..COUNTERS), self.expr(1, loops)),
            6 if loops > 0 => Stmt::Leave(self.cond(1, loops), self.rng.random()),
            6 => Stmt::Assign(0, self.expr(2, loops)),
            7..=8 => Stmt::If(self.cond(1, loops), self.block(depth - 1, loops, 3), self.block(depth - 1, loops, 2)),
            9..=10 if loops < 2 => Stmt::For(loops, self.rng.random_range(1..5), self.block(depth - 1, loops + 1, 3)),
            9..=10 => Stmt::Assign(1, self.expr(2, loops)),
            _ => {
                let cases = (0..self.rng.random_range(2..4)).map(|_| self.block(depth - 1, loops, 2)).collect();
                Stmt::Switch(self.expr(1, loops), cases)
            }
        }
    }
}

/// The shader of a seed.
pub fn generate(seed: u64) -> Shader {
    let mut g = Generator { rng: ChaCha8Rng::seed_from_u64(seed ^ 0x7367_6C00), budget: 24 };
    let group = [4, 6, 8][g.rng.random_range(0..3)];
    let groups = g.rng.random_range(1..4);
    let exchange = g.rng.random();
    let mut body = Vec::new();
    for _ in 0..g.rng.random_range(3..8) {
        if exchange && g.rng.random_range(0..3) == 0 {
            body.push(Stmt::Exchange(g.rng.random_range(0..VARS), g.rng.random_range(0..group)));
        } else {
            body.push(g.stmt(3, 0));
        }
    }
    for slot in 0..OUT {
        body.push(Stmt::Store(slot, Expr::Var(slot)));
    }
    let input = (0..INPUT).map(|_| g.literal()).collect();
    let mut shader = Shader { seed, text: String::new(), body, group, groups, input };
    shader.text = shader.print();
    shader
}

// Printing.

fn expr_text(e: &Expr) -> String {
    let text = expr_text;
    match e {
        Expr::Var(i) => format!("v{i}"),
        Expr::Loop(i) => format!("i{i}"),
        Expr::Thread => "id.x".to_owned(),
        Expr::Lit(n) => format!("{n}u"),
        Expr::Input(at) => format!("input[{} % {INPUT}u]", text(at)),
        Expr::Select(c, a, b) => format!("select({}, {}, {})", text(b), text(a), cond_text(c)),
        Expr::Bin(op, a, b) => {
            // WGSL refuses an overflowing shift or a NaN in an expression of constants only; `id.y`
            // is 0 and makes it a run-time one.
            let fixed = constant(a)
                && constant(b)
                && matches!(op, Op::Shl | Op::FloatAdd | Op::FloatMul | Op::FloatDiv | Op::FloatRoot);
            let (a, b) = (if fixed { format!("({} + id.y)", text(a)) } else { text(a) }, text(b));
            match op {
                Op::Add => format!("({a} + {b})"),
                Op::Sub => format!("({a} - {b})"),
                Op::Mul => format!("({a} * {b})"),
                Op::And => format!("({a} & {b})"),
                Op::Or => format!("({a} | {b})"),
                Op::Xor => format!("({a} ^ {b})"),
                // WGSL refuses a constant whose set bits are shifted out: `zero` makes it a value
                // of the running program.
                Op::Shl => format!("(({a} | zero) << ({b} & 31u))"),
                Op::Shr => format!("({a} >> ({b} & 31u))"),
                Op::Min => format!("min({a}, {b})"),
                Op::Max => format!("max({a}, {b})"),
                Op::Div => format!("({a} / ({b} | 1u))"),
                Op::Rem => format!("({a} % ({b} | 1u))"),
                Op::FloatAdd => format!("bitcast<u32>(bitcast<f32>({a}) + bitcast<f32>({b}))"),
                Op::FloatMul => format!("bitcast<u32>(bitcast<f32>({a}) * bitcast<f32>({b}))"),
                Op::FloatDiv => format!("bitcast<u32>(bitcast<f32>({a}) / bitcast<f32>({b}))"),
                Op::FloatRoot => format!("bitcast<u32>(sqrt(bitcast<f32>({a}) + bitcast<f32>({b})))"),
            }
        }
    }
}

/// Whether an expression is one that the WGSL front end evaluates itself.
fn constant(e: &Expr) -> bool {
    match e {
        Expr::Lit(_) => true,
        Expr::Bin(_, a, b) => constant(a) && constant(b),
        Expr::Select(c, a, b) => [a.as_ref(), b.as_ref(), &c.a, &c.b].iter().all(|e| constant(e)),
        _ => false,
    }
}

fn cond_text(c: &Cond) -> String {
    let side = |e: &Expr| if c.signed { format!("bitcast<i32>({})", expr_text(e)) } else { expr_text(e) };
    format!("({} {} {})", side(&c.a), c.op, side(&c.b))
}

impl Shader {
    fn print(&self) -> String {
        let mut t = String::new();
        let _ = writeln!(t, "@group(0) @binding(0) var<storage, read> input: array<u32, {INPUT}>;");
        let _ = writeln!(t, "@group(0) @binding(1) var<storage, read_write> result: array<u32>;");
        let _ = writeln!(t, "@group(0) @binding(2) var<storage, read_write> counters: array<atomic<u32>, {COUNTERS}>;");
        if self.body.iter().any(|s| matches!(s, Stmt::Exchange(..))) {
            let _ = writeln!(t, "var<workgroup> tile: array<u32, {}>;", self.group);
        }
        let _ = writeln!(t, "\n@compute @workgroup_size({})", self.group);
        let arguments = "@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32";
        let _ = writeln!(t, "fn main({arguments}) {{");
        for i in 0..VARS {
            let _ = writeln!(t, "    var v{i}: u32 = id.x * {}u + {i}u;", 2 * i + 1);
        }
        let _ = writeln!(t, "    let zero = id.y;");
        // Every buffer is used, so that every shader has the same bindings.
        let _ = writeln!(t, "    v0 += input[0];\n    atomicAdd(&counters[0], v0);");
        for s in &self.body {
            self.print_stmt(&mut t, s, 1);
        }
        t + "}\n"
    }

    fn print_block(&self, t: &mut String, body: &[Stmt], depth: usize) {
        body.iter().for_each(|s| self.print_stmt(t, s, depth));
    }

    fn print_stmt(&self, t: &mut String, s: &Stmt, depth: usize) {
        let pad = "    ".repeat(depth);
        let _ = match s {
            Stmt::Assign(v, e) => writeln!(t, "{pad}v{v} = {};", expr_text(e)),
            Stmt::Store(slot, e) => writeln!(t, "{pad}result[id.x * {OUT}u + {slot}u] = {};", expr_text(e)),
            Stmt::Count(c, e) => writeln!(t, "{pad}atomicAdd(&counters[{c}], {});", expr_text(e)),
            Stmt::Leave(c, is_break) => {
                writeln!(t, "{pad}if {} {{ {}; }}", cond_text(c), if *is_break { "break" } else { "continue" })
            }
            Stmt::If(c, yes, no) => {
                let _ = writeln!(t, "{pad}if {} {{", cond_text(c));
                self.print_block(t, yes, depth + 1);
                let _ = writeln!(t, "{pad}}} else {{");
                self.print_block(t, no, depth + 1);
                writeln!(t, "{pad}}}")
            }
            Stmt::For(level, n, body) => {
                let _ = writeln!(t, "{pad}for (var i{level} = 0u; i{level} < {n}u; i{level}++) {{");
                self.print_block(t, body, depth + 1);
                writeln!(t, "{pad}}}")
            }
            Stmt::Switch(e, cases) => {
                let _ = writeln!(t, "{pad}switch ({} % {}u) {{", expr_text(e), cases.len() + 1);
                for (i, case) in cases.iter().enumerate() {
                    let _ = writeln!(t, "{pad}case {i}u: {{");
                    // `break` inside would leave the switch, not the loop: a case has no Leave of
                    // its own loop.
                    self.print_block(t, &without_leave(case), depth + 1);
                    let _ = writeln!(t, "{pad}}}");
                }
                writeln!(t, "{pad}default: {{ }}\n{pad}}}")
            }
            Stmt::Exchange(v, n) => {
                let _ = writeln!(t, "{pad}tile[local] = v{v};\n{pad}workgroupBarrier();");
                let _ = writeln!(t, "{pad}v{v} = tile[(local + {n}u) % {}u];", self.group);
                writeln!(t, "{pad}workgroupBarrier();")
            }
        };
    }
}

/// The statements without breaks and continues of the loop around them.
fn without_leave(body: &[Stmt]) -> Vec<Stmt> {
    let keep = |s: &Stmt| match s {
        Stmt::Leave(..) => None,
        Stmt::If(c, a, b) => Some(Stmt::If(c.clone(), without_leave(a), without_leave(b))),
        Stmt::Switch(e, cases) => Some(Stmt::Switch(e.clone(), cases.iter().map(|c| without_leave(c)).collect())),
        other => Some(other.clone()),
    };
    body.iter().filter_map(keep).collect()
}

// Evaluation.

struct Thread<'a> {
    id: u32,
    vars: [u32; VARS],
    loops: [u32; 4],
    input: &'a [u32],
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Flow {
    Next,
    Break,
    Continue,
}

/// The bits, with the one NaN of the machine. Rust leaves a computed NaN's bits open and may drop
/// the replacement; behind the barrier it may not.
fn f32_bits(x: f32) -> u32 {
    let bits = std::hint::black_box(x.to_bits());
    if f32::from_bits(bits).is_nan() {
        0x7FC0_0000
    } else {
        bits
    }
}

impl Thread<'_> {
    fn expr(&self, e: &Expr) -> u32 {
        match e {
            Expr::Var(i) => self.vars[*i],
            Expr::Loop(i) => self.loops[*i],
            Expr::Thread => self.id,
            Expr::Lit(n) => *n,
            Expr::Input(at) => self.input[self.expr(at) as usize % INPUT],
            Expr::Select(c, a, b) => {
                if self.cond(c) {
                    self.expr(a)
                } else {
                    self.expr(b)
                }
            }
            Expr::Bin(op, a, b) => {
                let (a, b) = (self.expr(a), self.expr(b));
                let (x, y) = (f32::from_bits(a), f32::from_bits(b));
                match op {
                    Op::Add => a.wrapping_add(b),
                    Op::Sub => a.wrapping_sub(b),
                    Op::Mul => a.wrapping_mul(b),
                    Op::And => a & b,
                    Op::Or => a | b,
                    Op::Xor => a ^ b,
                    Op::Shl => a << (b & 31),
                    Op::Shr => a >> (b & 31),
                    Op::Min => a.min(b),
                    Op::Max => a.max(b),
                    Op::Div => a / (b | 1),
                    Op::Rem => a % (b | 1),
                    Op::FloatAdd => f32_bits(x + y),
                    Op::FloatMul => f32_bits(x * y),
                    Op::FloatDiv => f32_bits(x / y),
                    Op::FloatRoot => f32_bits((x + y).sqrt()),
                }
            }
        }
    }

    fn cond(&self, c: &Cond) -> bool {
        let (a, b) = (self.expr(&c.a), self.expr(&c.b));
        let order = if c.signed { (a as i32).cmp(&(b as i32)) } else { a.cmp(&b) };
        match c.op {
            "<" => order.is_lt(),
            "<=" => order.is_le(),
            ">" => order.is_gt(),
            ">=" => order.is_ge(),
            "==" => order.is_eq(),
            _ => order.is_ne(),
        }
    }

    fn block(&mut self, body: &[Stmt], memory: &mut Expected) -> Flow {
        for s in body {
            let flow = self.stmt(s, memory);
            if flow != Flow::Next {
                return flow;
            }
        }
        Flow::Next
    }

    fn stmt(&mut self, s: &Stmt, memory: &mut Expected) -> Flow {
        match s {
            Stmt::Assign(v, e) => self.vars[*v] = self.expr(e),
            Stmt::Store(slot, e) => memory.result[self.id as usize * OUT + slot] = self.expr(e),
            Stmt::Count(c, e) => memory.counters[*c] = memory.counters[*c].wrapping_add(self.expr(e)),
            Stmt::Leave(c, is_break) if self.cond(c) => return if *is_break { Flow::Break } else { Flow::Continue },
            Stmt::Leave(..) | Stmt::Exchange(..) => {}
            Stmt::If(c, yes, no) => return self.block(if self.cond(c) { yes } else { no }, memory),
            Stmt::For(level, n, body) => {
                for i in 0..*n {
                    self.loops[*level] = i;
                    if self.block(body, memory) == Flow::Break {
                        break;
                    }
                }
            }
            Stmt::Switch(e, cases) => {
                let n = self.expr(e) as usize % (cases.len() + 1);
                if let Some(case) = cases.get(n) {
                    return self.block(&without_leave(case), memory);
                }
            }
        }
        Flow::Next
    }
}

/// What the buffers hold afterwards.
struct Expected {
    result: Vec<u32>,
    counters: Vec<u32>,
}

impl Shader {
    fn evaluate(&self) -> Expected {
        let threads = self.group * self.groups;
        let mut memory = Expected { result: vec![0; threads as usize * OUT], counters: vec![0; COUNTERS] };
        for group in 0..self.groups {
            let start = |id: u32| {
                let vars = std::array::from_fn(|i| id.wrapping_mul(2 * i as u32 + 1).wrapping_add(i as u32));
                Thread { id, vars, loops: [0; 4], input: &self.input }
            };
            let mut all: Vec<Thread> = (0..self.group).map(|l| start(group * self.group + l)).collect();
            for t in &mut all {
                t.vars[0] = t.vars[0].wrapping_add(self.input[0]);
                memory.counters[0] = memory.counters[0].wrapping_add(t.vars[0]);
            }
            for s in &self.body {
                if let Stmt::Exchange(v, n) = s {
                    let tile: Vec<u32> = all.iter().map(|t| t.vars[*v]).collect();
                    for (local, t) in all.iter_mut().enumerate() {
                        t.vars[*v] = tile[(local + *n as usize) % tile.len()];
                    }
                } else {
                    all.iter_mut().for_each(|t| {
                        t.stmt(s, &mut memory);
                    });
                }
            }
        }
        memory
    }

    /// The job that runs the shader and expects what it must compute.
    ///
    /// # Errors
    /// Never, unless the generator is wrong.
    pub fn job(&self) -> Input<Job> {
        Job::parse(Path::new("random.toml"), self.job_text(), Size::Whole)
    }

    /// The job's file.
    pub(crate) fn job_text(&self) -> String {
        let expected = self.evaluate();
        let mut t = format!("name = \"wgsl-{}\"\nshader = \"{FILE}\"\ngrid = [{}, 1, 1]\n", self.seed, self.groups);
        let _ = writeln!(t, "[[buffer]]\nbinding = 0\nfrom = {{ inline = {:?} }}", self.input);
        for (binding, words) in [(1, &expected.result), (2, &expected.counters)] {
            let _ = writeln!(t, "[[buffer]]\nbinding = {binding}\nfrom = {{ zero = {} }}", 4 * words.len());
            let _ = writeln!(t, "expect = {{ from = {{ inline = {words:?} }} }}");
        }
        t
    }

    /// The compiled shader.
    ///
    /// # Errors
    /// The compiler refuses it: a mistake of the generator or of the compiler.
    pub fn compile(&self, fault: Option<CompilerFault>) -> Input<ShaderBinary> {
        // What it must compute is worked out operation by operation.
        let options = program::CompilerOptions { fault, exact: true, ..Default::default() };
        Ok(program::compile(Path::new(FILE), self.text.as_bytes(), None, &options)?.binary)
    }

    /// The shader without its top-level statement `i`, for shrinking; `None` behind the last.
    pub fn without(&self, i: usize) -> Option<Shader> {
        let mut small = self.clone();
        if i >= small.body.len() {
            return None;
        }
        small.body.remove(i);
        small.text = small.print();
        Some(small)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lockstep::Options;
    use crate::simulate;

    #[test]
    fn random_shaders_compile_and_the_model_computes_what_they_must() {
        for seed in 0..30 {
            let shader = generate(seed);
            let options = Options::default();
            let job = shader.job().unwrap();
            let binary = shader.compile(None).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{}", shader.text));
            let prepared = job.prepare(&binary, &options.config).unwrap();
            let done = simulate::golden(&prepared.launch, &options);
            assert!(done.report.passed(), "seed {seed}\n{}\n{}", shader.text, done.report.text());
            let wrong = prepared.compare(&done.image);
            assert!(wrong.is_empty(), "seed {seed}: {wrong:?}\n{}", shader.text);
        }
    }
}
