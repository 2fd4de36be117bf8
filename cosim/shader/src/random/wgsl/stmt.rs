//! The shader's frame and its statements. Loops have bounds that are known to end; a barrier stands
//! in uniform control flow only.

use super::generator::Scalar::{F, I, U};
use super::generator::{Function, Generator, Ty, Variable, BOOL, COUNTERS, INPUT, U32, WINDOW};
use rand::Rng;

impl Generator {
    pub fn shader(&mut self, size: [u32; 2]) -> String {
        let [x, y] = size;
        self.invocations = x * y;
        self.line(&format!("// Random shader, seed {}.", self.seed));
        self.line("struct Params { a: u32, b: i32, c: f32, d: u32 }");
        self.line("@group(0) @binding(0) var<uniform> params: Params;");
        self.line(&format!("@group(0) @binding(1) var<storage, read> input: array<u32, {INPUT}>;"));
        self.line("@group(0) @binding(2) var<storage, read_write> output: array<u32>;");
        self.line(&format!("@group(0) @binding(3) var<storage, read_write> counters: array<atomic<u32>, {COUNTERS}>;"));
        self.line(&format!("var<workgroup> tile: array<u32, {}>;", x * y));
        if self.exact {
            let usual = "abs(x) > 1e-20 && abs(x) < 1e20";
            self.line(&format!("fn tame(x: f32) -> f32 {{ return select(0.0, x, {usual}); }}"));
        }
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

    pub fn constant(&mut self, name: &str, ty: Ty) {
        self.scope.push(Variable { name: name.into(), ty, mutable: false, array: 0 });
    }

    pub fn function(&mut self) {
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

    pub fn ty(&mut self) -> Ty {
        let s = self.pick(&[U, I, F]);
        let n = self.pick(&[1, 1, 1, 2, 3, 4]);
        Ty { s, n }
    }

    /// One variable of each scalar type, some more, perhaps an array.
    pub fn variables(&mut self) {
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
    pub fn declare(&mut self, ty: Ty) {
        let (name, e) = (self.name("v"), self.expr(ty, 2));
        self.line(&format!("var {name}: {} = {e};", ty.name()));
        self.scope.push(Variable { name, ty, mutable: true, array: 0 });
    }

    pub fn block(&mut self, depth: u32, statements: u32) {
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
    pub fn inner(&mut self, depth: u32) {
        let statements = self.rng.random_range(1..4);
        self.block(depth - 1, statements);
    }

    pub fn assign(&mut self) {
        let candidates: Vec<usize> = (0..self.scope.len()).filter(|&i| self.scope[i].mutable).collect();
        let v = self.pick(&candidates);
        let Variable { name, ty, array, .. } = &self.scope[v];
        let (name, ty, array) = (name.clone(), *ty, *array);
        if array > 0 {
            // Sometimes out of bounds: the compiler clamps, and must clamp alike with and without
            // the passes.
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
        let op = if self.exact && ty.s == F { "=" } else { op };
        let e = self.expr(ty, 3);
        self.line(&format!("{name} {op} {e};"));
    }

    /// A constant index in bounds, or a computed one below `array + over`.
    pub fn index(&mut self, array: u32, over: u32) -> String {
        if self.chance(30) {
            return format!("{}", self.rng.random_range(0..array));
        }
        // A constant out of bounds is an error of the shader.
        let e = if over > 0 { self.left(U, 2) } else { self.expr(U32, 1) };
        format!("({e}) % {}u", array + over)
    }

    pub fn conditional(&mut self, depth: u32) {
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

    pub fn repeat(&mut self, depth: u32) {
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
    pub fn leave(&mut self) {
        let (c, what) = (self.expr(BOOL, 2), self.pick(&["break", "continue"]));
        self.line(&format!("if ({c}) {{ {what}; }}"));
    }
    pub fn early_return(&mut self) {
        let Some(ty) = self.returns else { return };
        let (c, e) = (self.expr(BOOL, 2), self.expr(ty, 2));
        self.line(&format!("if ({c}) {{ return {e}; }}"));
    }

    pub fn switch(&mut self, depth: u32) {
        let e = self.expr(U32, 2);
        self.open(&format!("switch (({e}) & 3u)"));
        // `break` in a case leaves the switch only; the statements inside may still `continue` the
        // loop around.
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
    pub fn effect(&mut self) {
        if self.chance(35) {
            let (i, e) = (self.rng.random_range(0..COUNTERS), self.word_expr());
            let op = ["Add", "Max", "Min", "Or", "And", "Xor", "Sub", "Add"][i];
            return self.line(&format!("atomic{op}(&counters[{i}], {e});"));
        }
        let (i, e) = (self.index(WINDOW, 0), self.word_expr());
        self.line(&format!("output[base + {i}] = {e};"));
    }

    /// Work-group memory, in uniform control flow.
    pub fn exchange(&mut self) {
        let (e, name) = (self.word_expr(), self.name("t"));
        let (by, n) = (self.rng.random_range(1..4), self.invocations);
        self.line(&format!("tile[index] = {e};"));
        self.line("workgroupBarrier();");
        self.line(&format!("var {name} = tile[(index + {by}u) % {n}u];"));
        self.line("workgroupBarrier();");
        self.scope.push(Variable { name, ty: U32, mutable: true, array: 0 });
    }
}
