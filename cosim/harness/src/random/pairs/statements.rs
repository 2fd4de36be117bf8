//! Expressions and statements of a random stage program, in WGSL or GLSL.
//!
//! Loops have at most three turns, and their counters are written by nobody else. What can be read
//! and written is what is in scope. Wrong would be a text whose meaning its language leaves open.

use std::collections::BTreeMap;
use std::fmt::Write;

use rand::Rng;
use rand_chacha::ChaCha8Rng;

/// Scalar uniforms that are floats; behind them stand [`COUNTS`] integers.
pub(super) const UNIFORMS: usize = 10;
/// Uniforms that are integers: most bounds of loops are made of them.
pub(super) const COUNTS: usize = 2;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Lang {
    Wgsl,
    Glsl,
}

/// What an output is.
pub(super) enum Plan {
    /// This, wherever it is given.
    Always(String),
    /// What the first one is.
    First,
    /// What was computed where it is given.
    Any,
}

pub(super) struct Maker {
    pub(super) rng: ChaCha8Rng,
    pub(super) has: BTreeMap<&'static str, u64>,
    /// Of the program that is made.
    pub(super) lang: Lang,
    pub(super) is_fragment: bool,
    /// Floats and integers that can be read here.
    pub(super) atoms: Vec<String>,
    pub(super) integers: Vec<String>,
    /// Floats that can be written here.
    pub(super) variables: Vec<String>,
    /// What a variable's name begins with, and how many there are.
    pub(super) prefix: &'static str,
    pub(super) made: usize,
    /// Loops around the current place.
    pub(super) loops: usize,
    /// How the program returns: what stands before each output, if anything, and what each is.
    pub(super) outputs: Vec<(String, Plan)>,
    /// Outputs behind these many are integers.
    pub(super) floats: usize,
    /// In WGSL: what a return begins with.
    pub(super) opens: String,
}

impl Maker {
    pub(super) fn below(&mut self, n: usize) -> usize {
        self.rng.random_range(0..n)
    }

    pub(super) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub(super) fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }

    pub(super) fn count(&mut self, what: &'static str) {
        *self.has.entry(what).or_default() += 1;
    }

    pub(super) fn glsl(&self) -> bool {
        self.lang == Lang::Glsl
    }

    pub(super) fn constant(&mut self) -> String {
        self.pick(&["0.0", "1.0", "-1.0", "0.5", "2.0", "0.3333333", "1e-40", "65504.0"]).into()
    }

    pub(super) fn float_uniform(&mut self) -> String {
        format!("u.f{}", self.below(UNIFORMS))
    }

    pub(super) fn any(&mut self) -> String {
        let at = self.below(self.atoms.len());
        self.atoms[at].clone()
    }

    pub(super) fn any_integer(&mut self) -> String {
        let at = self.below(self.integers.len());
        self.integers[at].clone()
    }

    /// One of two values by a condition.
    pub(super) fn select(&self, no: &str, yes: &str, condition: &str) -> String {
        match self.lang {
            Lang::Wgsl => format!("select({no}, {yes}, {condition})"),
            Lang::Glsl => format!("(({condition}) ? {yes} : {no})"),
        }
    }

    pub(super) fn as_float(&self, integer: &str) -> String {
        format!("{}({integer})", if self.glsl() { "float" } else { "f32" })
    }

    /// A number of what is here; if `known`, of uniforms and constants alone.
    pub(super) fn scalar(&mut self, depth: usize, known: bool) -> String {
        if depth == 0 || self.below(5) == 0 {
            return match self.below(6) {
                0 => self.constant(),
                3.. if !known => self.any(),
                _ => self.float_uniform(),
            };
        }
        let (a, b) = (self.scalar(depth - 1, known), self.scalar(depth - 1, known));
        match self.below(13) {
            0..=2 => format!("({a} * {b})"),
            3..=5 => format!("({a} + {b})"),
            6 => format!("({a} - {b})"),
            7 => format!("min({a}, {b})"),
            8 => format!("max({a}, {b})"),
            9 => format!("abs({a})"),
            10 => format!("floor({a})"),
            11 if !known => {
                let of = self.integer(1);
                self.as_float(&format!("{of} & 255u"))
            }
            _ => {
                let c = self.condition(depth - 1);
                self.select(&a, &b, &c)
            }
        }
    }

    pub(super) fn integer(&mut self, depth: usize) -> String {
        if depth == 0 || self.below(4) == 0 {
            return match self.below(5) {
                0 => self.pick(&["0u", "1u", "3u", "255u"]).into(),
                1 | 2 => format!("u.n{}", self.below(COUNTS)),
                _ => self.any_integer(),
            };
        }
        let a = self.integer(depth - 1);
        if self.below(6) == 0 {
            let of = self.any();
            return format!("{}({of})", if self.glsl() { "floatBitsToUint" } else { "bitcast<u32>" });
        }
        let b = self.integer(depth - 1);
        match self.below(4) {
            0 => format!("({a} + {b})"),
            1 => format!("({a} * ({b} & 15u))"),
            2 => format!("({a} ^ {b})"),
            _ => format!("({a} >> ({b} & 7u))"),
        }
    }

    /// More often than not of uniforms alone.
    pub(super) fn condition(&mut self, depth: usize) -> String {
        let sign = self.pick(&["<", ">", "<=", ">=", "==", "!="]);
        let known = self.below(3) > 0;
        if self.below(6) == 0 {
            let (a, b) = (self.integer(depth.min(1)), self.integer(0));
            return format!("({a} & 3u) {sign} ({b} & 3u)");
        }
        let (a, b) = (self.scalar(depth.min(1), known), self.scalar(depth.min(1), known));
        format!("{a} {sign} {b}")
    }

    /// A statement that writes a variable.
    pub(super) fn assign(&mut self, depth: usize) -> String {
        let at = self.below(self.variables.len());
        let to = self.variables[at].clone();
        format!("{to} = {}; ", self.scalar(depth, false))
    }

    /// A new variable, and the statement that declares it.
    pub(super) fn declare(&mut self, value: &str) -> String {
        let name = format!("{}{}", self.prefix, self.made);
        self.made += 1;
        let precise = self.glsl() && self.chance(15);
        if precise {
            self.count("precise");
        }
        let kind = match self.lang {
            Lang::Wgsl => "var",
            Lang::Glsl if precise => "precise float",
            Lang::Glsl => "float",
        };
        self.atoms.push(name.clone());
        self.variables.push(name.clone());
        format!("{kind} {name} = {value}; ")
    }

    /// The end of a fragment program's work for its pixel.
    pub(super) fn discard(&mut self) -> String {
        self.count(if self.loops > 0 { "discard in a loop" } else { "discard" });
        let demote = self.glsl() && self.chance(50);
        let condition = self.condition(1);
        format!("if ({condition}) {{ {}; }} ", if demote { "demote" } else { "discard" })
    }

    /// Gives all outputs, and returns.
    pub(super) fn end(&mut self) -> String {
        let plans = std::mem::take(&mut self.outputs);
        let mut values: Vec<String> = vec![];
        for (k, (_, plan)) in plans.iter().enumerate() {
            let depth = self.below(3);
            values.push(match plan {
                Plan::Always(value) => value.clone(),
                Plan::First if k > 0 && k < self.floats => values[0].clone(),
                _ if k < self.floats => {
                    let known = self.chance(15);
                    self.scalar(depth, known)
                }
                _ => self.integer(depth),
            });
        }
        let text = match self.lang {
            Lang::Wgsl => format!("return {}{}); ", self.opens, values.join(", ")),
            Lang::Glsl => {
                let given = plans.iter().zip(&values).map(|((name, _), value)| format!("{name} = {value}; "));
                format!("{}{}return; ", self.opens, given.collect::<String>())
            }
        };
        self.outputs = plans;
        text
    }

    /// Up to three turns.
    pub(super) fn bounded_loop(&mut self) -> String {
        self.count("loop");
        let bound = match self.below(5) {
            0 => {
                self.count("turns: constant");
                format!("{}u", self.below(4))
            }
            1 | 2 => {
                self.count("turns: uniform");
                format!("(u.n{} & 3u)", self.below(COUNTS))
            }
            _ => {
                self.count(if self.is_fragment { "turns: flat input" } else { "turns: of the vertex" });
                format!("({} & 3u)", self.any_integer())
            }
        };
        let (kind, counter) = (if self.glsl() { "uint" } else { "var" }, format!("i{}", self.made));
        self.made += 1;
        let scope = (self.atoms.len(), self.variables.len(), self.integers.len());
        self.loops += 1;
        self.integers.push(counter.clone());
        let mut body = self.assign(2);
        for _ in 0..1 + self.below(2) {
            body += &match self.below(10) {
                0 | 1 => {
                    let to = self.pick(&["break", "continue"]);
                    self.count(if to == "break" { "break" } else { "continue" });
                    format!("if ({}) {{ {to}; }} ", self.condition(1))
                }
                2 | 3 if self.is_fragment => self.discard(),
                4 if self.chance(50) => self.early_return(),
                5 if self.loops < 2 => {
                    self.count("loop in a loop");
                    self.bounded_loop()
                }
                6 => {
                    let condition = self.condition(1);
                    format!("if ({condition}) {{ {}}} ", self.assign(1))
                }
                _ => self.assign(1),
            };
        }
        self.loops -= 1;
        self.atoms.truncate(scope.0);
        self.variables.truncate(scope.1);
        self.integers.truncate(scope.2);
        format!("for ({kind} {counter} = 0u; {counter} < {bound}; {counter}++) {{ {body}}} ")
    }

    pub(super) fn early_return(&mut self) -> String {
        self.count(if self.loops > 0 { "return in a loop" } else { "early return" });
        format!("if ({}) {{ {}}} ", self.condition(1), self.end())
    }

    /// Statements, each on a line of its own.
    pub(super) fn body(&mut self) -> String {
        let mut out = String::new();
        for _ in 0..2 + self.below(3) {
            let value = self.scalar(3, false);
            let _ = writeln!(out, "  {}", self.declare(&value));
            let more = match self.below(20) {
                0..8 => {
                    let condition = self.condition(2);
                    let (then, other) = (self.assign(2), self.assign(2));
                    format!("if ({condition}) {{ {then}}} else {{ {other}}} ")
                }
                8..13 => self.bounded_loop(),
                13 => self.early_return(),
                14 | 15 if self.is_fragment => self.discard(),
                _ => continue,
            };
            let _ = writeln!(out, "  {more}");
        }
        let _ = writeln!(out, "  {}", self.end());
        out
    }

    pub(super) fn starts(&mut self, lang: Lang, fragment: bool) {
        (self.lang, self.is_fragment, self.made) = (lang, fragment, 0);
        self.prefix = if fragment { "y" } else { "x" };
        self.atoms.clear();
        self.integers.clear();
        self.variables.clear();
        if lang == Lang::Glsl {
            self.count("GLSL");
        }
    }
}
