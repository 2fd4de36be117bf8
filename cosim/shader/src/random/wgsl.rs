//! Random structured WGSL compute shaders with their input data, for the whole compiler and for lockstep.
//!
//! Every shader is valid, ends, and gives one result whatever the order of its invocations: each writes its own window of the output, shared counters are updated by operations that commute and
//! whose old value is not used, work-group memory is read only between barriers in uniform control flow. Literal operands are kept away from what WGSL forbids in constant expressions (shifts by
//! 32, division by zero): the left operand of every operation is a run-time value. What it does not make: textures, pointers as parameters, recursion, structs beyond the uniform one.
//! A mistake here is a shader that the front end refuses, which is tested over many seeds.

use crate::front::Lowered;
use crate::interface::BindingKind;
use crate::ssa::interp::{self, Launch, Outcome};
use crate::ssa::Module;
use quadlock_isa::abi;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::fmt::Write;

/// Words of an invocation's window of the output buffer.
pub const WINDOW: u32 = 16;
const INPUT: u32 = 64;
const COUNTERS: usize = 8;

/// A buffer of the shader, in group 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RandomBuffer {
    pub name: &'static str,
    pub binding: u32,
    pub words: Vec<u32>,
    /// Whether the shader may write it.
    pub written: bool,
}

/// A shader with everything a run needs. Its entry point is `main`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RandomShader {
    pub seed: u64,
    pub wgsl: String,
    /// Work groups along x, y, z.
    pub grid: [u32; 3],
    /// In order of binding.
    pub buffers: Vec<RandomBuffer>,
}

/// Written between the buffers; a changed byte is a stray write.
const GUARD: u8 = 0xEE;

impl RandomShader {
    /// Runs `module`, the lowered one or what the passes made of it, in the SSA interpreter; the host's part is as on the machine page. Returns the words of each buffer
    /// afterwards. Errors: those of the interpreter, accesses outside the memory, writes between the buffers.
    pub fn interpret(&self, lowered: &Lowered, module: &Module) -> Result<(Vec<Vec<u32>>, Outcome), String> {
        let mut constants = vec![0; abi::CONST_WORDS];
        constants[abi::CONST_GRID..abi::CONST_GRID + 3].copy_from_slice(&self.grid);
        let mut memory = vec![0; 0x1000];
        let mut places = vec![];
        for buffer in &self.buffers {
            places.push(memory.len());
            memory.extend(buffer.words.iter().flat_map(|w| w.to_le_bytes()));
            memory.resize((memory.len() + 16).next_multiple_of(16), GUARD);
        }
        for b in &lowered.interface.bindings {
            let at = b.binding as usize;
            let words = &self.buffers.get(at).ok_or_else(|| format!("no buffer for binding {at}"))?.words;
            constants[abi::CONST_BUFFERS + 2 * b.index as usize] = places[at] as u32;
            constants[abi::CONST_BUFFERS + 2 * b.index as usize + 1] = words.len() as u32 * 4;
            if b.kind == BindingKind::Uniform {
                let n = (b.const_words as usize).min(words.len());
                constants[b.const_at as usize..b.const_at as usize + n].copy_from_slice(&words[..n]);
            }
        }
        lowered.interface.constants.iter().for_each(|(w, v)| constants[*w as usize] = *v);
        let launch = Launch {
            grid: self.grid,
            group_size: lowered.interface.group_size,
            constants,
            shared_bytes: lowered.interface.shared_bytes,
            step_limit: 50_000_000,
        };
        let outcome = interp::run(module, lowered.entry, &launch, &mut memory)?;
        if outcome.faults > 0 {
            return Err(format!("{} accesses outside the memory", outcome.faults));
        }
        let mut out = vec![];
        for (buffer, &at) in self.buffers.iter().zip(&places) {
            let end = at + buffer.words.len() * 4;
            if memory[end..end + 16] != [GUARD; 16] {
                return Err(format!("write behind buffer `{}`", buffer.name));
            }
            let words = memory[at..end].chunks(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]]));
            out.push(words.collect());
        }
        Ok((out, outcome))
    }
}

/// The shader of a seed.
pub fn generate(seed: u64) -> RandomShader {
    let mut g = Generator::new(seed);
    let size: [u32; 2] = [[4, 1], [8, 1], [4, 2], [3, 2], [16, 1]][g.rng.random_range(0..5)];
    let groups = g.rng.random_range(1..3);
    let wgsl = g.shader(size);
    let invocations = size[0] * size[1] * groups;
    let words = |g: &mut Generator, n: u32| (0..n).map(|_| g.word()).collect::<Vec<u32>>();
    let buffer = |name, binding, words, written| RandomBuffer { name, binding, words, written };
    let buffers = vec![
        buffer("params", 0, words(&mut g, 4), false),
        buffer("input", 1, words(&mut g, INPUT), false),
        buffer("output", 2, words(&mut g, invocations * WINDOW), true),
        buffer("counters", 3, words(&mut g, COUNTERS as u32), true),
    ];
    RandomShader { seed, wgsl, grid: [groups, 1, 1], buffers }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scalar {
    U,
    I,
    F,
    B,
}
use Scalar::{B, F, I, U};

/// A scalar (`n` 1) or vector type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Ty {
    s: Scalar,
    n: usize,
}

const BOOL: Ty = Ty { s: B, n: 1 };
const U32: Ty = Ty { s: U, n: 1 };

impl Ty {
    fn name(self) -> String {
        let s = match self.s {
            U => "u32",
            I => "i32",
            F => "f32",
            B => "bool",
        };
        match self.n {
            1 => s.into(),
            n => format!("vec{n}<{s}>"),
        }
    }
}

struct Variable {
    name: String,
    ty: Ty,
    mutable: bool,
    /// Elements of an array, 0 for none.
    array: u32,
}

struct Function {
    name: String,
    params: Vec<Ty>,
    result: Ty,
}

struct Generator {
    rng: ChaCha8Rng,
    seed: u64,
    out: String,
    indent: usize,
    scope: Vec<Variable>,
    functions: Vec<Function>,
    names: usize,
    /// Result type of the helper function being written; `None` in the entry point.
    returns: Option<Ty>,
    loops: usize,
    invocations: u32,
}

impl Generator {
    fn new(seed: u64) -> Generator {
        Generator {
            rng: ChaCha8Rng::seed_from_u64(seed),
            seed,
            out: String::new(),
            indent: 0,
            scope: vec![],
            functions: vec![],
            names: 0,
            returns: None,
            loops: 0,
            invocations: 0,
        }
    }

    fn chance(&mut self, percent: u32) -> bool {
        self.rng.random_range(0..100) < percent
    }
    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.rng.random_range(0..from.len())]
    }
    /// An input word: small numbers, ordinary floats, corners.
    fn word(&mut self) -> u32 {
        match self.rng.random_range(0..4) {
            0 => self.rng.random_range(0..20),
            1 => self.rng.random_range(-100.0f32..100.0).to_bits(),
            2 => self.pick(&[
                0,
                0x8000_0000,
                0x7F80_0000,
                0x7FC0_0001,
                1,
                0xFFFF_FFFF,
                0x7FFF_FFFF,
                0x3F80_0000,
                0x007F_FFFF,
            ]),
            _ => self.rng.random(),
        }
    }
    fn name(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{:1$}{text}", "", self.indent * 4);
    }
    fn open(&mut self, text: &str) {
        self.line(&format!("{text} {{"));
        self.indent += 1;
    }
    fn close(&mut self, text: &str) {
        self.indent -= 1;
        self.line(&format!("}}{text}"));
    }

    fn shader(&mut self, size: [u32; 2]) -> String {
        let [x, y] = size;
        self.invocations = x * y;
        self.line(&format!("// Random shader, seed {}.", self.seed));
        self.line("struct Params { a: u32, b: i32, c: f32, d: u32 }");
        self.line("@group(0) @binding(0) var<uniform> params: Params;");
        self.line(&format!("@group(0) @binding(1) var<storage, read> input: array<u32, {INPUT}>;"));
        self.line("@group(0) @binding(2) var<storage, read_write> output: array<u32>;");
        self.line(&format!("@group(0) @binding(3) var<storage, read_write> counters: array<atomic<u32>, {COUNTERS}>;"));
        self.line(&format!("var<workgroup> tile: array<u32, {}>;", x * y));
        for _ in 0..self.rng.random_range(0..3) {
            self.function();
        }
        self.line("");
        self.line(&format!("@compute @workgroup_size({x}, {y})"));
        self.open("fn main(@builtin(local_invocation_index) index: u32, @builtin(workgroup_id) group: vec3<u32>)");
        self.line(&format!("let base = (group.x * {}u + index) * {WINDOW}u;", x * y));
        self.constant("index", U32);
        self.constant("base", U32);
        self.variables();
        let statements = self.rng.random_range(5..14);
        self.block(2, statements);
        for i in 0..WINDOW / 2 {
            let e = self.word_expr();
            self.line(&format!("output[base + {i}u] = {e};"));
        }
        self.close("");
        std::mem::take(&mut self.out)
    }

    fn constant(&mut self, name: &str, ty: Ty) {
        self.scope.push(Variable { name: name.into(), ty, mutable: false, array: 0 });
    }

    fn function(&mut self) {
        let name = self.name("helper");
        let params: Vec<Ty> = (0..self.rng.random_range(1..4)).map(|_| self.ty()).collect();
        let result = self.ty();
        let names: Vec<String> = params.iter().map(|_| self.name("p")).collect();
        let list: Vec<String> = names.iter().zip(&params).map(|(n, t)| format!("{n}: {}", t.name())).collect();
        self.line("");
        self.open(&format!("fn {name}({}) -> {}", list.join(", "), result.name()));
        for (n, t) in names.iter().zip(&params) {
            self.constant(n, *t);
        }
        self.returns = Some(result);
        self.variables();
        let statements = self.rng.random_range(1..4);
        self.block(1, statements);
        let e = self.expr(result, 2);
        self.line(&format!("return {e};"));
        self.close("");
        self.returns = None;
        self.scope.clear();
        self.functions.push(Function { name, params, result });
    }

    fn ty(&mut self) -> Ty {
        let s = self.pick(&[U, I, F]);
        let n = self.pick(&[1, 1, 1, 2, 3, 4]);
        Ty { s, n }
    }

    /// One variable of each scalar type, some more, perhaps an array.
    fn variables(&mut self) {
        for s in [U, I, F] {
            self.declare(Ty { s, n: 1 });
        }
        for _ in 0..self.rng.random_range(0..3) {
            let ty = self.ty();
            self.declare(ty);
        }
        if self.chance(50) {
            let (name, ty) = (self.name("a"), Ty { s: self.pick(&[U, I, F]), n: 1 });
            let n = self.pick(&[3, 4, 8]);
            self.line(&format!("var {name}: array<{}, {n}>;", ty.name()));
            self.scope.push(Variable { name, ty, mutable: true, array: n });
        }
    }
    fn declare(&mut self, ty: Ty) {
        let (name, e) = (self.name("v"), self.expr(ty, 2));
        self.line(&format!("var {name}: {} = {e};", ty.name()));
        self.scope.push(Variable { name, ty, mutable: true, array: 0 });
    }

    fn block(&mut self, depth: u32, statements: u32) {
        let length = self.scope.len();
        for _ in 0..statements {
            match self.rng.random_range(0..100) {
                0..14 if depth > 0 => self.conditional(depth),
                14..26 if depth > 0 => self.repeat(depth),
                26..31 if depth > 0 => self.switch(depth),
                31..36 if self.loops > 0 => self.leave(),
                36..40 if self.returns.is_some() && depth == 0 => self.early_return(),
                40..48 if self.returns.is_none() => self.effect(),
                48..54 if self.returns.is_none() && depth == 2 => self.exchange(),
                54..60 => {
                    let ty = self.ty();
                    self.declare(ty);
                }
                _ => self.assign(),
            }
        }
        self.scope.truncate(length);
    }
    fn inner(&mut self, depth: u32) {
        let statements = self.rng.random_range(1..4);
        self.block(depth - 1, statements);
    }

    fn assign(&mut self) {
        let candidates: Vec<usize> = (0..self.scope.len()).filter(|&i| self.scope[i].mutable).collect();
        let v = self.pick(&candidates);
        let Variable { name, ty, array, .. } = &self.scope[v];
        let (name, ty, array) = (name.clone(), *ty, *array);
        if array > 0 {
            // Sometimes out of bounds: the compiler clamps, and must clamp alike with and without the passes.
            let over = if self.chance(20) { 2 } else { 0 };
            let (i, e) = (self.index(array, over), self.expr(ty, 3));
            return self.line(&format!("{name}[{i}] = {e};"));
        }
        if ty.n > 1 && self.chance(40) {
            let c = self.pick(&["x", "y", "z", "w"][..ty.n]);
            let e = self.expr(Ty { s: ty.s, n: 1 }, 3);
            return self.line(&format!("{name}.{c} = {e};"));
        }
        let op = if self.chance(30) { self.pick(&["+=", "-=", "*="]) } else { "=" };
        let e = self.expr(ty, 3);
        self.line(&format!("{name} {op} {e};"));
    }

    /// A constant index in bounds, or a computed one below `array + over`.
    fn index(&mut self, array: u32, over: u32) -> String {
        if self.chance(30) {
            return format!("{}", self.rng.random_range(0..array));
        }
        // A constant out of bounds is an error of the shader.
        let e = if over > 0 { self.left(U, 2) } else { self.expr(U32, 1) };
        format!("({e}) % {}u", array + over)
    }

    fn conditional(&mut self, depth: u32) {
        let c = self.expr(BOOL, 2);
        self.open(&format!("if ({c})"));
        self.inner(depth);
        if self.chance(50) {
            self.close(" else {");
            self.indent += 1;
            self.inner(depth);
        }
        self.close("");
    }

    fn repeat(&mut self, depth: u32) {
        let i = self.name("count");
        let bound = if self.chance(50) {
            format!("{}u", self.rng.random_range(1..5))
        } else {
            let e = self.expr(U32, 1);
            format!("(({e}) & 3u)")
        };
        self.loops += 1;
        match self.rng.random_range(0..4) {
            0 => {
                self.open(&format!("for (var {i} = 0u; {i} < {bound}; {i}++)"));
                self.constant(&i, U32);
                self.inner(depth);
                self.close("");
            }
            1 => {
                self.line(&format!("var {i} = 0u;"));
                self.open(&format!("while ({i} < {bound})"));
                self.line(&format!("{i} += 1u;"));
                self.constant(&i, U32);
                self.inner(depth);
                self.close("");
            }
            // The only test stands last, so nothing inside may jump over it.
            2 => {
                self.line(&format!("var {i} = 0u;"));
                self.open("loop");
                self.constant(&i, U32);
                let around = std::mem::take(&mut self.loops);
                self.inner(depth);
                self.loops = around;
                self.line(&format!("{i} += 1u;"));
                self.line(&format!("if ({i} >= {bound}) {{ break; }}"));
                self.close("");
            }
            _ => {
                self.line(&format!("var {i} = 0u;"));
                self.open("loop");
                self.constant(&i, U32);
                self.inner(depth);
                self.open("continuing");
                self.line(&format!("{i} += 1u;"));
                self.line(&format!("break if {i} >= {bound};"));
                self.close("");
                self.close("");
            }
        }
        self.loops -= 1;
        self.scope.pop();
    }

    /// `break` or `continue`, under a condition.
    fn leave(&mut self) {
        let (c, what) = (self.expr(BOOL, 2), self.pick(&["break", "continue"]));
        self.line(&format!("if ({c}) {{ {what}; }}"));
    }
    fn early_return(&mut self) {
        let Some(ty) = self.returns else { return };
        let (c, e) = (self.expr(BOOL, 2), self.expr(ty, 2));
        self.line(&format!("if ({c}) {{ return {e}; }}"));
    }

    fn switch(&mut self, depth: u32) {
        let e = self.expr(U32, 2);
        self.open(&format!("switch (({e}) & 3u)"));
        // `break` in a case leaves the switch only; the statements inside may still `continue` the loop around.
        self.open("case 0u:");
        self.inner(depth);
        self.close("");
        self.open("case 1u, 2u:");
        self.inner(depth);
        self.close("");
        self.open("default:");
        if self.chance(70) {
            self.inner(depth);
        }
        self.close("");
        self.close("");
    }

    /// Buffers: the own window, or a counter that everybody updates.
    fn effect(&mut self) {
        if self.chance(35) {
            let (i, e) = (self.rng.random_range(0..COUNTERS), self.word_expr());
            let op = ["Add", "Max", "Min", "Or", "And", "Xor", "Sub", "Add"][i];
            return self.line(&format!("atomic{op}(&counters[{i}], {e});"));
        }
        let (i, e) = (self.index(WINDOW, 0), self.word_expr());
        self.line(&format!("output[base + {i}] = {e};"));
    }

    /// Work-group memory, in uniform control flow.
    fn exchange(&mut self) {
        let (e, name) = (self.word_expr(), self.name("t"));
        let (by, n) = (self.rng.random_range(1..4), self.invocations);
        self.line(&format!("tile[index] = {e};"));
        self.line("workgroupBarrier();");
        self.line(&format!("var {name} = tile[(index + {by}u) % {n}u];"));
        self.line("workgroupBarrier();");
        self.scope.push(Variable { name, ty: U32, mutable: true, array: 0 });
    }

    /// A u32 made from a value of any type.
    fn word_expr(&mut self) -> String {
        let s = self.pick(&[U, I, F]);
        let e = self.expr(Ty { s, n: 1 }, 2);
        match s {
            U => e,
            _ => format!("bitcast<u32>({e})"),
        }
    }

    fn literal(&mut self, s: Scalar) -> String {
        match s {
            U => format!(
                "{}u",
                self.pick(&[0u32, 1, 2, 3, 7, 16, 31, 255, 65_535, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF])
            ),
            I => format!("i32({})", self.pick(&[0i32, 1, -1, 2, 5, -7, 100, i32::MAX, i32::MIN])),
            F => format!("f32({:?})", self.pick(&[0.0f32, 1.0, -1.0, 0.5, 2.0, 3.25, -10.0, 1e6, 1e-6])),
            B => self.pick(&["true", "false"]).into(),
        }
    }

    /// An expression. Leaves are variables, inputs and (not on the left of an operator) literals.
    fn expr(&mut self, ty: Ty, depth: u32) -> String {
        if ty.n > 1 {
            return self.vector(ty, depth);
        }
        if depth == 0 || self.chance(15) {
            return if ty.s != B && self.chance(30) { self.literal(ty.s) } else { self.leaf(ty.s) };
        }
        if self.chance(8) {
            if let Some(call) = self.call(ty, depth) {
                return call;
            }
        }
        match ty.s {
            U => self.unsigned(depth),
            I => self.signed(depth),
            F => self.float(depth),
            B => self.boolean(depth),
        }
    }
    fn scalar(&mut self, s: Scalar, depth: u32) -> String {
        self.expr(Ty { s, n: 1 }, depth.saturating_sub(1))
    }
    /// A run-time value, for the left of an operator.
    fn left(&mut self, s: Scalar, depth: u32) -> String {
        if depth > 1 && self.chance(60) {
            let e = self.operation(s, depth - 1);
            return format!("({e})");
        }
        self.leaf(s)
    }
    fn operation(&mut self, s: Scalar, depth: u32) -> String {
        match s {
            U => self.unsigned(depth),
            I => self.signed(depth),
            F => self.float(depth),
            B => self.boolean(depth),
        }
    }

    /// A value that is not a constant: a variable, a component, an element, an input word.
    fn leaf(&mut self, s: Scalar) -> String {
        let usable: Vec<usize> = (0..self.scope.len()).filter(|&i| self.scope[i].ty.s == s).collect();
        if !usable.is_empty() && self.chance(85) {
            let v = self.pick(&usable);
            let Variable { name, ty, array, .. } = &self.scope[v];
            let (name, n, array) = (name.clone(), ty.n, *array);
            return match (n, array) {
                (1, 0) => name,
                (1, n) => format!("{name}[{}]", self.constant_or_variable_index(n)),
                _ => format!("{name}.{}", self.pick(&["x", "y", "z", "w"][..n])),
            };
        }
        let i = self.rng.random_range(0..INPUT);
        match (s, self.chance(30)) {
            (U, true) => self.pick(&["params.a", "params.d"]).into(),
            (I, true) => "params.b".into(),
            (F, true) => "params.c".into(),
            (U, _) => format!("input[{i}]"),
            (I, _) => format!("bitcast<i32>(input[{i}])"),
            (F, _) => format!("bitcast<f32>(input[{i}])"),
            (B, _) => format!("(input[{i}] > 1000u)"),
        }
    }
    fn constant_or_variable_index(&mut self, array: u32) -> String {
        match self.chance(50) {
            true => format!("{}", self.rng.random_range(0..array)),
            false => format!("params.a % {}u", array + 1),
        }
    }

    fn call(&mut self, ty: Ty, depth: u32) -> Option<String> {
        let found: Vec<usize> = (0..self.functions.len()).filter(|&i| self.functions[i].result == ty).collect();
        if found.is_empty() {
            return None;
        }
        let f = self.pick(&found);
        let (name, params) = (self.functions[f].name.clone(), self.functions[f].params.clone());
        let args: Vec<String> = params.iter().map(|t| self.expr(*t, depth - 1)).collect();
        Some(format!("{name}({})", args.join(", ")))
    }

    fn unsigned(&mut self, d: u32) -> String {
        let a = self.left(U, d);
        match self.rng.random_range(0..14) {
            0..5 => {
                let (op, b) = (self.pick(&["+", "-", "*", "&", "|", "^"]), self.scalar(U, d));
                format!("{a} {op} ({b})")
            }
            5 => {
                let (op, b) = (self.pick(&["/", "%"]), self.left(U, d));
                format!("{a} {op} ({b} | 1u)")
            }
            6 => {
                let (op, b) = (self.pick(&["<<", ">>"]), self.left(U, d));
                format!("{a} {op} ({b} & 31u)")
            }
            7 => {
                let (f, b) = (self.pick(&["min", "max"]), self.scalar(U, d));
                format!("{f}({a}, {b})")
            }
            8 => format!("{}({a})", self.pick(&["countOneBits", "reverseBits", "firstLeadingBit", "firstTrailingBit"])),
            9 => {
                let (o, c) = (self.left(U, d), self.left(U, d));
                format!("extractBits({a}, {o} & 31u, {c} & 15u)")
            }
            10 => {
                let (b, o) = (self.scalar(U, d), self.left(U, d));
                format!("insertBits({a}, {b}, {o} & 31u, {}u)", self.rng.random_range(0..20))
            }
            11 => self.choose(U, &a, d),
            12 => {
                let f = self.left(F, d);
                match self.rng.random_range(0..6) {
                    0 => format!("pack2x16float(vec2({f}, 0.5))"),
                    1 => format!("pack4x8unorm(vec4({f}))"),
                    2 => format!("pack2x16snorm(vec2(0.25, {f}))"),
                    _ => format!("u32({f})"),
                }
            }
            _ => {
                let s = self.pick(&[I, F]);
                let e = self.left(s, d);
                format!("bitcast<u32>({e})")
            }
        }
    }

    fn signed(&mut self, d: u32) -> String {
        let a = self.left(I, d);
        match self.rng.random_range(0..10) {
            0..4 => {
                let (op, b) = (self.pick(&["+", "-", "*", "&", "|", "^"]), self.scalar(I, d));
                format!("{a} {op} ({b})")
            }
            4 => {
                let (op, b) = (self.pick(&["/", "%"]), self.left(I, d));
                format!("{a} {op} ({b} | 1)")
            }
            5 => {
                let b = self.left(U, d);
                format!("{a} {} ({b} & 31u)", self.pick(&["<<", ">>"]))
            }
            6 => {
                let (f, b) = (self.pick(&["min", "max"]), self.scalar(I, d));
                format!("{f}({a}, {b})")
            }
            7 => format!("{}({a})", self.pick(&["abs", "-", "~", "sign", "countTrailingZeros"])),
            8 => self.choose(I, &a, d),
            _ => {
                let s = self.pick(&[U, F]);
                let e = self.left(s, d);
                format!("i32({e})")
            }
        }
    }

    fn float(&mut self, d: u32) -> String {
        let a = self.left(F, d);
        match self.rng.random_range(0..14) {
            0..6 => {
                let (op, b) = (self.pick(&["+", "-", "*"]), self.scalar(F, d));
                format!("{a} {op} ({b})")
            }
            6 => {
                let b = self.left(F, d);
                format!("{a} / {b}")
            }
            7 => {
                let (f, b) = (self.pick(&["min", "max"]), self.scalar(F, d));
                format!("{f}({a}, {b})")
            }
            8 => format!(
                "{}({a})",
                self.pick(&["abs", "-", "floor", "ceil", "trunc", "fract", "sign", "saturate", "round"])
            ),
            9 => {
                let (b, c) = (self.scalar(F, d), self.scalar(F, d));
                format!("{}({a}, {b}, {c})", self.pick(&["fma", "mix"]))
            }
            10 => self.choose(F, &a, d),
            11 => {
                let n = self.pick(&[2, 3, 4]);
                let (x, y) = (self.vector(Ty { s: F, n }, d - 1), self.vector(Ty { s: F, n }, d - 1));
                format!("dot({x}, {y})")
            }
            12 => format!(
                "{}({a})",
                self.pick(&["sqrt", "sqrt", "inverseSqrt", "exp2", "log2", "exp", "log", "sin", "cos", "tan"])
            ),
            _ => {
                let s = self.pick(&[U, I]);
                let e = self.left(s, d);
                match (s, self.rng.random_range(0..4)) {
                    (U, 0) => format!("unpack2x16float({e}).y"),
                    (U, 1) => format!("unpack4x8snorm({e}).z"),
                    _ => format!("f32({e})"),
                }
            }
        }
    }

    fn boolean(&mut self, d: u32) -> String {
        match self.rng.random_range(0..8) {
            0 => {
                let (a, b) = (self.scalar(B, d), self.scalar(B, d));
                format!("({a}) {} ({b})", self.pick(&["&&", "||"]))
            }
            1 => {
                let a = self.scalar(B, d);
                format!("!({a})")
            }
            _ => {
                let s = self.pick(&[U, I, F]);
                let (a, b) = (self.left(s, d), self.scalar(s, d));
                format!("{a} {} ({b})", self.pick(&["==", "!=", "<", "<=", ">", ">="]))
            }
        }
    }

    fn choose(&mut self, s: Scalar, a: &str, d: u32) -> String {
        let (b, c) = (self.scalar(s, d), self.scalar(B, d));
        format!("select({a}, {b}, {c})")
    }

    fn vector(&mut self, ty: Ty, d: u32) -> String {
        let usable: Vec<usize> = (0..self.scope.len()).filter(|&i| self.scope[i].ty == ty).collect();
        if d > 0 && self.chance(40) {
            let (a, b) = (self.vector(ty, d - 1), self.vector(ty, d - 1));
            return match self.rng.random_range(0..4) {
                0 => {
                    let s = self.scalar(ty.s, d);
                    format!("({a} * ({s}))")
                }
                1 => format!("{}({a}, {b})", self.pick(&["min", "max"])),
                2 => {
                    let c = self.scalar(B, d);
                    format!("select({a}, {b}, {c})")
                }
                _ => format!("({a} {} {b})", self.pick(&["+", "-", "*"])),
            };
        }
        if !usable.is_empty() && self.chance(60) {
            let v = self.pick(&usable);
            let name = self.scope[v].name.clone();
            if self.chance(25) {
                let letters = ["x", "y", "z", "w"];
                let swizzle: String = (0..ty.n).map(|_| self.pick(&letters[..ty.n])).collect();
                return format!("{name}.{swizzle}");
            }
            return name;
        }
        let mut parts: Vec<String> = (1..ty.n).map(|_| self.scalar(ty.s, d)).collect();
        // One run-time component keeps the whole out of constant expressions.
        parts.insert(0, self.leaf(ty.s));
        format!("{}({})", ty.name(), parts.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::front::{self, Lang};
    use crate::passes::{pipeline, Options};

    fn lower(shader: &RandomShader) -> Lowered {
        let parsed = front::parse("random.wgsl", shader.wgsl.as_bytes(), Lang::Wgsl, None);
        let lowered = parsed.and_then(|p| front::lower(&p, &Default::default()));
        lowered.unwrap_or_else(|e| panic!("seed {}: {e}\n{}", shader.seed, shader.wgsl))
    }

    #[test]
    fn the_front_end_accepts_every_shader() {
        for seed in 0..300 {
            lower(&generate(seed));
        }
    }

    #[test]
    fn shaders_do_the_same_before_and_after_the_passes() {
        let (mut before, mut after) = (0, 0);
        for seed in 0..60 {
            let shader = generate(seed);
            let lowered = lower(&shader);
            let run = |module| {
                let result = shader.interpret(&lowered, module);
                result.unwrap_or_else(|e| panic!("seed {seed}: {e}\n{}", shader.wgsl))
            };
            let (want, outcome) = run(&lowered.module);
            before += outcome.steps;
            let mut module = lowered.module.clone();
            pipeline::optimise(&mut module, lowered.entry, &Options::default())
                .unwrap_or_else(|e| panic!("seed {seed}: {e}"));
            let (got, outcome) = run(&module);
            after += outcome.steps;
            assert!(got == want, "seed {seed} computes something else\n{}", shader.wgsl);
        }
        assert!(after * 2 < before, "{before} steps became {after}");
    }
}
