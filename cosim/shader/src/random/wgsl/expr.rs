//! Expressions of a type, from what is in scope. The left operand of every operation is a run-time
//! value, so that nothing is a constant expression.

use super::generator::Scalar::{B, F, I, U};
use super::generator::{Generator, Scalar, Ty, Variable, INPUT};
use rand::Rng;

impl Generator {
    /// A u32 made from a value of any type.
    pub fn word_expr(&mut self) -> String {
        let s = self.pick(&[U, I, F]);
        let e = self.expr(Ty { s, n: 1 }, 2);
        match s {
            U => e,
            _ => format!("bitcast<u32>({e})"),
        }
    }

    pub fn literal(&mut self, s: Scalar) -> String {
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
    pub fn expr(&mut self, ty: Ty, depth: u32) -> String {
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
    pub fn scalar(&mut self, s: Scalar, depth: u32) -> String {
        self.expr(Ty { s, n: 1 }, depth.saturating_sub(1))
    }
    /// A run-time value, for the left of an operator.
    pub fn left(&mut self, s: Scalar, depth: u32) -> String {
        if depth > 1 && self.chance(60) {
            let e = self.operation(s, depth - 1);
            return format!("({e})");
        }
        self.leaf(s)
    }
    pub fn operation(&mut self, s: Scalar, depth: u32) -> String {
        match s {
            U => self.unsigned(depth),
            I => self.signed(depth),
            F => self.float(depth),
            B => self.boolean(depth),
        }
    }

    /// A value that is not a constant: a variable, a component, an element, an input word.
    pub fn leaf(&mut self, s: Scalar) -> String {
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
            (F, true) if self.exact => "tame(params.c)".into(),
            (F, true) => "params.c".into(),
            (U, _) => format!("input[{i}]"),
            (I, _) => format!("bitcast<i32>(input[{i}])"),
            (F, _) if self.exact => format!("tame(bitcast<f32>(input[{i}]))"),
            (F, _) => format!("bitcast<f32>(input[{i}])"),
            (B, _) => format!("(input[{i}] > 1000u)"),
        }
    }
    pub fn constant_or_variable_index(&mut self, array: u32) -> String {
        match self.chance(50) {
            true => format!("{}", self.rng.random_range(0..array)),
            false => format!("params.a % {}u", array + 1),
        }
    }

    pub fn call(&mut self, ty: Ty, depth: u32) -> Option<String> {
        let found: Vec<usize> = (0..self.functions.len()).filter(|&i| self.functions[i].result == ty).collect();
        if found.is_empty() {
            return None;
        }
        let f = self.pick(&found);
        let (name, params) = (self.functions[f].name.clone(), self.functions[f].params.clone());
        let args: Vec<String> = params.iter().map(|t| self.expr(*t, depth - 1)).collect();
        Some(format!("{name}({})", args.join(", ")))
    }

    pub fn unsigned(&mut self, d: u32) -> String {
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
                    _ if self.exact => format!("u32(clamp({f}, 0.0, 1e9))"),
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

    pub fn signed(&mut self, d: u32) -> String {
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
                match s == F && self.exact {
                    true => format!("i32(clamp({e}, -1e9, 1e9))"),
                    false => format!("i32({e})"),
                }
            }
        }
    }

    pub fn float(&mut self, d: u32) -> String {
        let e = self.float_operation(d);
        if self.exact {
            format!("tame({e})")
        } else {
            e
        }
    }

    pub fn float_operation(&mut self, d: u32) -> String {
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
                let f = self.pick(&["fma", "mix"]);
                match self.exact {
                    true => format!("max(min({a}, {b}), {c})"),
                    false => format!("{f}({a}, {b}, {c})"),
                }
            }
            10 => self.choose(F, &a, d),
            11 => {
                let n = self.pick(&[2, 3, 4]);
                let (x, y) = (self.vector(Ty { s: F, n }, d - 1), self.vector(Ty { s: F, n }, d - 1));
                if self.exact {
                    return format!("({x}).x - ({y}).y");
                }
                format!("dot({x}, {y})")
            }
            12 if self.exact => format!("sqrt(abs({a}))"),
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

    pub fn boolean(&mut self, d: u32) -> String {
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

    pub fn choose(&mut self, s: Scalar, a: &str, d: u32) -> String {
        let (b, c) = (self.scalar(s, d), self.scalar(B, d));
        format!("select({a}, {b}, {c})")
    }

    pub fn vector(&mut self, ty: Ty, d: u32) -> String {
        let usable: Vec<usize> = (0..self.scope.len()).filter(|&i| self.scope[i].ty == ty).collect();
        if d > 0 && self.chance(40) {
            let (a, b) = (self.vector(ty, d - 1), self.vector(ty, d - 1));
            let way = self.rng.random_range(0..4);
            return match if self.exact && ty.s == F { 1 + way % 2 } else { way } {
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
