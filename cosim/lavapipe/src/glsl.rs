//! Random GLSL whose results are known: the generator evaluates what it writes, by GLSL's rules.
//!
//! glslang reads the text for both sides, lavapipe and us; the expected words come from walking
//! the generator's own tree, so neither glslang nor SPIR-V has a part in them. The texts have
//! functions with `inout` and `out` parameters, every kind of loop, `switch` that falls through,
//! `break`, `continue` and `return` everywhere, and compound assignments to `a[k++ & 7u]`. Wrong
//! would be text that GLSL leaves open: so only `k` has side effects within an expression, no other
//! expression reads it, and divisors, shifts and indices are masked.

use crate::case::{Case, Judge, Source};
use crate::valid;
use crate::vulkan::Buffer;
use quadlock_shader::front::Lang;
use quadlock_shader::interface::Stage;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::fmt::Write;

/// Invocations in a work group; two groups run.
const GROUP: u32 = 8;
/// Words that each invocation writes: `x`, `y`, `a`, `v`, `k`, and as many as statements may write.
const OUT: usize = 4 + 2 + 8 + 4 + 1 + 5;
/// Rounds of all `while` and `do` loops of an invocation.
const FUEL: u32 = 20;

/// A number; the flags say whether it is an `int`.
#[derive(Clone, Debug)]
enum Expr {
    Literal(bool, u32),
    X(usize),
    Y(usize),
    Round(usize),
    A(Box<Expr>),
    V(Box<Expr>),
    Binary(&'static str, bool, Box<[Expr; 2]>),
    Cast(bool, Box<Expr>),
    Choose(Box<(Cond, Expr, Expr)>),
    Call(&'static str, Vec<Expr>),
}

/// A truth value. `Bump` is `k++ < n`.
#[derive(Clone, Debug)]
enum Cond {
    Compare(&'static str, bool, Expr, Expr),
    Both(Box<[Cond; 2]>),
    Either(Box<[Cond; 2]>),
    Not(Box<Cond>),
    Bump(u32),
}

/// What is written to.
#[derive(Clone, Debug)]
enum Place {
    X(usize),
    Y(usize),
    A(Expr),
    ABump,
    V(Expr),
    Out(usize),
}

#[derive(Clone, Debug)]
enum Stmt {
    /// The operation is "" for an assignment.
    Set(Place, &'static str, Expr),
    Step(Place, &'static str),
    Swizzle([usize; 2], [Expr; 2]),
    If(Cond, Vec<Stmt>, Vec<Stmt>),
    For(usize, u32, Vec<Stmt>),
    While(Cond, Vec<Stmt>),
    Do(Vec<Stmt>, Cond),
    /// Labels, `None` for `default`.
    Switch(Expr, Vec<(Vec<Option<u32>>, Vec<Stmt>)>),
    Break,
    Continue,
    Return(Expr),
    /// `x[2] = fN(value, x[1], place)`
    Call(usize, Expr, Place),
}

/// Where a statement stands.
#[derive(Clone, Copy)]
struct At {
    depth: usize,
    rounds: usize,
    function: usize,
    in_loop: bool,
    in_switch: bool,
}

struct Generator(ChaCha8Rng);

impl Generator {
    fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.0.random_range(0..of.len())]
    }

    fn expr(&mut self, at: At, signed: bool, depth: usize) -> Expr {
        let deeper = |s: &mut Self, signed| Box::new(s.expr(at, signed, depth - 1));
        match if depth == 0 { self.0.random_range(0..4) } else { self.0.random_range(0..13) } {
            0 => {
                let small = self.0.random_range(0..9);
                let random = self.0.random();
                Expr::Literal(signed, self.pick(&[small, random, 0x8000_0000, u32::MAX]))
            }
            1 if at.rounds > 0 && !signed => Expr::Round(self.0.random_range(0..at.rounds)),
            1..=3 if signed => Expr::Y(self.0.random_range(0..2)),
            1..=3 => Expr::X(self.0.random_range(0..4)),
            4 if !signed => Expr::A(deeper(self, false)),
            5 if !signed => Expr::V(deeper(self, false)),
            4 | 5 => Expr::Call("abs", vec![*deeper(self, true)]),
            6 => Expr::Cast(signed, deeper(self, !signed)),
            7 => {
                let c = self.cond(at, depth - 1, false);
                Expr::Choose(Box::new((c, *deeper(self, signed), *deeper(self, signed))))
            }
            8 => {
                let name = self.pick(&["min", "max"]);
                Expr::Call(name, vec![*deeper(self, signed), *deeper(self, signed)])
            }
            9 => {
                let name = self.pick(&["bitfieldReverse", "bitCount", "findMSB", "findLSB"]);
                let of_int = name != "bitfieldReverse" && signed && self.0.random();
                let e = Expr::Call(name, vec![*deeper(self, of_int)]);
                match name {
                    "bitfieldReverse" if signed => Expr::Cast(true, Box::new(e)),
                    "bitfieldReverse" => e,
                    _ if signed => e,
                    _ => Expr::Cast(false, Box::new(e)),
                }
            }
            _ => {
                let op = self.pick(&["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"]);
                Expr::Binary(op, signed, Box::new([*deeper(self, signed), *deeper(self, signed)]))
            }
        }
    }

    fn cond(&mut self, at: At, depth: usize, bump: bool) -> Cond {
        let two = |s: &mut Self| Box::new([s.cond(at, depth - 1, bump), s.cond(at, depth - 1, bump)]);
        match self.0.random_range(0..8) {
            0 if depth > 0 => Cond::Both(two(self)),
            1 if depth > 0 => Cond::Either(two(self)),
            2 if depth > 0 => Cond::Not(Box::new(self.cond(at, depth - 1, bump))),
            3 | 4 if bump => Cond::Bump(self.0.random_range(1..6)),
            _ => {
                let signed = self.0.random();
                let op = self.pick(&["<", "<=", ">", ">=", "==", "!="]);
                Cond::Compare(op, signed, self.expr(at, signed, depth.min(1)), self.expr(at, signed, depth.min(1)))
            }
        }
    }

    fn place(&mut self, at: At) -> Place {
        match self.0.random_range(0..6) {
            0 => Place::Y(self.0.random_range(0..2)),
            1 => Place::A(self.expr(at, false, 1)),
            2 => Place::ABump,
            3 => Place::V(self.expr(at, false, 1)),
            4 if at.function == 2 => Place::Out(self.0.random_range(OUT - 5..OUT)),
            _ => Place::X(self.0.random_range(0..4)),
        }
    }

    fn block(&mut self, at: At) -> Vec<Stmt> {
        (0..self.0.random_range(1..4)).map(|_| self.stmt(at)).collect()
    }

    fn stmt(&mut self, at: At) -> Stmt {
        let inner = At { depth: at.depth.saturating_sub(1), ..at };
        let round = At { in_loop: true, in_switch: false, ..inner };
        match if at.depth == 0 { self.0.random_range(0..9) } else { self.0.random_range(0..16) } {
            0 if at.in_loop || at.in_switch => Stmt::Break,
            1 if at.in_loop => Stmt::Continue,
            2 if self.0.random_range(0..4) == 0 => Stmt::Return(self.expr(at, false, 1)),
            3 if at.function > 0 => {
                let place = self.place(at);
                let apart = !matches!(place, Place::X(_) | Place::Y(_));
                let place = if apart { place } else { Place::X(0) };
                Stmt::Call(self.0.random_range(0..at.function), self.expr(at, false, 2), place)
            }
            4 => Stmt::Step(self.place(at), self.pick(&["++", "--"])),
            5 => {
                let first = self.0.random_range(0..4);
                let second = (first + self.0.random_range(1..4)) % 4;
                Stmt::Swizzle([first, second], [self.expr(at, false, 1), self.expr(at, false, 1)])
            }
            9 | 10 => {
                let c = self.cond(at, 2, true);
                let other = if self.0.random() { self.block(inner) } else { vec![] };
                Stmt::If(c, self.block(inner), other)
            }
            11 => {
                let bound = self.0.random_range(1..4);
                Stmt::For(at.rounds, bound, self.block(At { rounds: at.rounds + 1, ..round }))
            }
            12 => Stmt::While(self.cond(at, 2, true), self.block(round)),
            13 => Stmt::Do(self.block(round), self.cond(at, 2, true)),
            14 | 15 => {
                let mut labels: Vec<Option<u32>> = vec![None, Some(0), Some(1), Some(2), Some(3)];
                for n in (1..labels.len()).rev() {
                    labels.swap(n, self.0.random_range(0..=n));
                }
                labels.truncate(self.0.random_range(2..=5));
                let mut cases = vec![];
                while !labels.is_empty() {
                    let of = labels.split_off(labels.len() - self.0.random_range(1..=labels.len().min(2)));
                    let mut block = self.block(At { in_switch: true, ..inner });
                    if self.0.random_range(0..3) > 0 {
                        block.push(Stmt::Break);
                    }
                    cases.push((of, block));
                }
                Stmt::Switch(self.expr(at, false, 1), cases)
            }
            _ => {
                let place = self.place(at);
                let signed = matches!(place, Place::Y(_));
                let op = self.pick(&["", "", "+", "-", "*", "^", "|"]);
                Stmt::Set(place, op, self.expr(at, signed, 3))
            }
        }
    }
}

/// The text of an expression.
fn text(e: &Expr) -> String {
    match e {
        Expr::Literal(true, v) => format!("int({v}u)"),
        Expr::Literal(false, v) => format!("{v}u"),
        Expr::X(n) => format!("x{n}"),
        Expr::Y(n) => format!("y{n}"),
        Expr::Round(n) => format!("i{n}"),
        Expr::A(i) => format!("a[{} & 7u]", text(i)),
        Expr::V(i) => format!("v[{} & 3u]", text(i)),
        Expr::Binary(op, signed, of) => {
            let (l, r) = (text(&of[0]), text(&of[1]));
            match (*op, signed) {
                ("<<" | ">>", true) => format!("({l} {op} ({r} & 31))"),
                ("<<" | ">>", false) => format!("({l} {op} ({r} & 31u))"),
                ("/", true) => format!("({l} / (({r} & 7) + 1))"),
                // The remainder of a negative operand is undefined.
                ("%", true) => format!("(({l} & 65535) % (({r} & 7) + 1))"),
                ("/" | "%", false) => format!("({l} {op} ({r} | 1u))"),
                _ => format!("({l} {op} {r})"),
            }
        }
        Expr::Cast(signed, of) => format!("{}({})", if *signed { "int" } else { "uint" }, text(of)),
        Expr::Choose(of) => format!("({} ? {} : {})", condition(&of.0), text(&of.1), text(&of.2)),
        Expr::Call(name, of) => format!("{name}({})", of.iter().map(text).collect::<Vec<_>>().join(", ")),
    }
}

fn condition(c: &Cond) -> String {
    match c {
        Cond::Compare(op, _, l, r) => format!("({} {op} {})", text(l), text(r)),
        Cond::Both(of) => format!("({} && {})", condition(&of[0]), condition(&of[1])),
        Cond::Either(of) => format!("({} || {})", condition(&of[0]), condition(&of[1])),
        Cond::Not(of) => format!("!{}", condition(of)),
        Cond::Bump(n) => format!("(k++ < {n}u)"),
    }
}

fn place(p: &Place) -> String {
    match p {
        Place::X(n) => format!("x{n}"),
        Place::Y(n) => format!("y{n}"),
        Place::A(i) => format!("a[{} & 7u]", text(i)),
        Place::ABump => "a[k++ & 7u]".into(),
        Place::V(i) => format!("v[{} & 3u]", text(i)),
        Place::Out(n) => format!("dst[at + {n}u]"),
    }
}

fn lines(out: &mut String, block: &[Stmt], main: bool) {
    for s in block {
        line(out, s, main);
    }
}

fn line(out: &mut String, s: &Stmt, main: bool) {
    const SPEND: &str = "fuel = max(fuel, 1u) - 1u;";
    let block = |b: &[Stmt]| {
        let mut inner = String::new();
        lines(&mut inner, b, main);
        inner
    };
    let line = match s {
        Stmt::Set(p, op, e) => format!("{} {op}= {};", place(p), text(e)),
        Stmt::Step(p, op) => format!("{}{op};", place(p)),
        Stmt::Swizzle(to, e) => {
            let names = ['x', 'y', 'z', 'w'];
            format!("v.{}{} = uvec2({}, {});", names[to[0]], names[to[1]], text(&e[0]), text(&e[1]))
        }
        Stmt::If(c, yes, no) if no.is_empty() => format!("if ({}) {{\n{}}}", condition(c), block(yes)),
        Stmt::If(c, yes, no) => format!("if ({}) {{\n{}}} else {{\n{}}}", condition(c), block(yes), block(no)),
        Stmt::For(n, bound, body) => format!("for (uint i{n} = 0u; i{n} < {bound}u; i{n}++) {{\n{}}}", block(body)),
        Stmt::While(c, body) => format!("while (fuel > 0u && {}) {{\n{SPEND}\n{}}}", condition(c), block(body)),
        Stmt::Do(body, c) => format!("do {{\n{SPEND}\n{}}} while (fuel > 0u && {});", block(body), condition(c)),
        Stmt::Switch(e, cases) => {
            let mut inner = String::new();
            for (labels, body) in cases {
                for label in labels {
                    match label {
                        Some(n) => writeln!(inner, "case {n}u:").unwrap(),
                        None => inner += "default:\n",
                    }
                }
                inner += &block(body);
            }
            format!("switch ({} & 3u) {{\n{inner}}}", text(e))
        }
        Stmt::Break => "break;".into(),
        Stmt::Continue => "continue;".into(),
        Stmt::Return(_) if main => "return;".into(),
        Stmt::Return(e) => format!("return {};", text(e)),
        Stmt::Call(f, e, p) => format!("x2 = f{f}({}, x1, {});", text(e), place(p)),
    };
    out.push_str(&line);
    out.push('\n');
}

/// How a statement ends.
enum Flow {
    Next,
    Break,
    Continue,
    Return(u32),
}

/// What holds a place.
#[derive(Clone, Copy)]
enum Array {
    X,
    Y,
    A,
    V,
    Out,
}

/// The variables of one function.
#[derive(Default)]
struct Frame {
    x: [u32; 4],
    y: [u32; 2],
    a: [u32; 8],
    v: [u32; 4],
    k: u32,
    rounds: [u32; 4],
}

impl Frame {
    /// Parameters given, the rest from them: `a[n] = n * x[0]`, `v[n] = x[0] + n`.
    fn new(x: [u32; 4], y: [u32; 2]) -> Frame {
        let a = std::array::from_fn(|n| x[0].wrapping_mul(n as u32));
        Frame { x, y, a, v: std::array::from_fn(|n| x[0].wrapping_add(n as u32)), ..Frame::default() }
    }

    /// Where a place is.
    fn place(&mut self, p: &Place) -> (Array, usize) {
        match p {
            Place::X(n) => (Array::X, *n),
            Place::Y(n) => (Array::Y, *n),
            Place::A(i) => (Array::A, self.value(i) as usize & 7),
            Place::ABump => (Array::A, self.bump() as usize & 7),
            Place::V(i) => (Array::V, self.value(i) as usize & 3),
            Place::Out(n) => (Array::Out, *n),
        }
    }

    fn bump(&mut self) -> u32 {
        self.k = self.k.wrapping_add(1);
        self.k.wrapping_sub(1)
    }

    fn value(&mut self, e: &Expr) -> u32 {
        match e {
            Expr::Literal(_, v) => *v,
            Expr::X(n) => self.x[*n],
            Expr::Y(n) => self.y[*n],
            Expr::Round(n) => self.rounds[*n],
            Expr::A(i) => self.a[(self.value(i) & 7) as usize],
            Expr::V(i) => self.v[(self.value(i) & 3) as usize],
            Expr::Binary(op, signed, of) => {
                let (l, r) = (self.value(&of[0]), self.value(&of[1]));
                let (sl, sr) = (l as i32, r as i32);
                match (*op, signed) {
                    (">>", true) => (sl >> (r & 31)) as u32,
                    (">>", false) => l >> (r & 31),
                    ("<<", _) => l << (r & 31),
                    ("/", true) => (sl / ((sr & 7) + 1)) as u32,
                    ("%", true) => ((sl & 65535) % ((sr & 7) + 1)) as u32,
                    ("/", false) => l / (r | 1),
                    ("%", false) => l % (r | 1),
                    _ => apply(op, l, r),
                }
            }
            Expr::Cast(_, of) => self.value(of),
            Expr::Choose(of) => match self.holds(&of.0) {
                true => self.value(&of.1),
                false => self.value(&of.2),
            },
            Expr::Call(name, of) => {
                let v: Vec<u32> = of.iter().map(|e| self.value(e)).collect();
                let signed = is_signed(&of[0]);
                match (*name, signed) {
                    ("abs", _) => (v[0] as i32).unsigned_abs(),
                    ("min", true) => (v[0] as i32).min(v[1] as i32) as u32,
                    ("max", true) => (v[0] as i32).max(v[1] as i32) as u32,
                    ("min", false) => v[0].min(v[1]),
                    ("max", false) => v[0].max(v[1]),
                    ("bitfieldReverse", _) => v[0].reverse_bits(),
                    ("bitCount", _) => v[0].count_ones(),
                    ("findLSB", _) if v[0] == 0 => u32::MAX,
                    ("findLSB", _) => v[0].trailing_zeros(),
                    // Of a negative number the highest zero.
                    (_, true) if (v[0] as i32) < 0 => (!v[0]).checked_ilog2().unwrap_or(u32::MAX),
                    _ => v[0].checked_ilog2().unwrap_or(u32::MAX),
                }
            }
        }
    }

    fn holds(&mut self, c: &Cond) -> bool {
        match c {
            Cond::Compare(op, signed, l, r) => {
                let (l, r) = (self.value(l), self.value(r));
                let order = if *signed { (l as i32).cmp(&(r as i32)) } else { l.cmp(&r) };
                match *op {
                    "<" => order.is_lt(),
                    "<=" => order.is_le(),
                    ">" => order.is_gt(),
                    ">=" => order.is_ge(),
                    "==" => order.is_eq(),
                    _ => order.is_ne(),
                }
            }
            Cond::Both(of) => self.holds(&of[0]) && self.holds(&of[1]),
            Cond::Either(of) => self.holds(&of[0]) || self.holds(&of[1]),
            Cond::Not(of) => !self.holds(of),
            Cond::Bump(n) => self.bump() < *n,
        }
    }
}

/// What wraps and has no sign.
fn apply(op: &str, l: u32, r: u32) -> u32 {
    match op {
        "+" => l.wrapping_add(r),
        "-" => l.wrapping_sub(r),
        "*" => l.wrapping_mul(r),
        "&" => l & r,
        "|" => l | r,
        "^" => l ^ r,
        _ => r,
    }
}

/// Whether an expression is an `int`.
fn is_signed(e: &Expr) -> bool {
    match e {
        Expr::Literal(signed, _) | Expr::Binary(_, signed, _) | Expr::Cast(signed, _) => *signed,
        Expr::Y(_) => true,
        Expr::Choose(of) => is_signed(&of.1),
        Expr::Call("min" | "max", of) => is_signed(&of[0]),
        Expr::Call(name, _) => *name != "bitfieldReverse",
        _ => false,
    }
}

/// One invocation.
struct Run<'a> {
    functions: &'a [Vec<Stmt>; 3],
    fuel: u32,
    out: &'a mut [u32],
}

impl Run<'_> {
    /// The word of a place; its index is evaluated once.
    fn word<'b>(&'b mut self, f: &'b mut Frame, p: &Place) -> &'b mut u32 {
        let place = f.place(p);
        self.placed(f, place)
    }

    fn placed<'b>(&'b mut self, f: &'b mut Frame, (array, n): (Array, usize)) -> &'b mut u32 {
        match array {
            Array::X => &mut f.x[n],
            Array::Y => &mut f.y[n],
            Array::A => &mut f.a[n],
            Array::V => &mut f.v[n],
            Array::Out => &mut self.out[n],
        }
    }

    fn block(&mut self, f: &mut Frame, block: &[Stmt]) -> Flow {
        for s in block {
            match self.stmt(f, s) {
                Flow::Next => {}
                end => return end,
            }
        }
        Flow::Next
    }

    /// The body of a loop once: `Some` ends the loop.
    fn round(&mut self, f: &mut Frame, body: &[Stmt]) -> Option<Flow> {
        match self.block(f, body) {
            Flow::Next | Flow::Continue => None,
            Flow::Break => Some(Flow::Next),
            end => Some(end),
        }
    }

    fn spend(&mut self) {
        self.fuel = self.fuel.max(1) - 1;
    }

    fn stmt(&mut self, f: &mut Frame, s: &Stmt) -> Flow {
        match s {
            Stmt::Set(p, op, e) => {
                let value = f.value(e);
                let word = self.word(f, p);
                *word = apply(op, *word, value);
            }
            Stmt::Step(p, op) => {
                let word = self.word(f, p);
                *word = apply(&op[..1], *word, 1);
            }
            Stmt::Swizzle(to, e) => {
                let values = [f.value(&e[0]), f.value(&e[1])];
                (f.v[to[0]], f.v[to[1]]) = (values[0], values[1]);
            }
            Stmt::If(c, yes, no) => return if f.holds(c) { self.block(f, yes) } else { self.block(f, no) },
            Stmt::For(n, bound, body) => {
                for round in 0..*bound {
                    f.rounds[*n] = round;
                    if let Some(end) = self.round(f, body) {
                        return end;
                    }
                }
            }
            Stmt::While(c, body) => {
                while self.fuel > 0 && f.holds(c) {
                    self.spend();
                    if let Some(end) = self.round(f, body) {
                        return end;
                    }
                }
            }
            Stmt::Do(body, c) => loop {
                self.spend();
                if let Some(end) = self.round(f, body) {
                    return end;
                }
                if self.fuel == 0 || !f.holds(c) {
                    break;
                }
            },
            Stmt::Switch(e, cases) => {
                let value = Some(f.value(e) & 3);
                let find = |wanted: Option<u32>| cases.iter().position(|c| c.0.contains(&wanted));
                let Some(first) = find(value).or_else(|| find(None)) else { return Flow::Next };
                for (_, body) in &cases[first..] {
                    match self.block(f, body) {
                        Flow::Next => {}
                        Flow::Break => return Flow::Next,
                        end => return end,
                    }
                }
            }
            Stmt::Break => return Flow::Break,
            Stmt::Continue => return Flow::Continue,
            Stmt::Return(e) => return Flow::Return(f.value(e)),
            Stmt::Call(n, e, p) => {
                let value = f.value(e);
                // Where the `out` argument goes is known before the call.
                let to = f.place(p);
                let mut inner = Frame::new([value, f.x[1], 0, 0], [0, 0]);
                let functions = self.functions;
                let result = match self.block(&mut inner, &functions[*n]) {
                    Flow::Return(v) => v,
                    _ => inner.x[3],
                };
                f.x[1] = inner.x[1];
                *self.placed(f, to) = inner.x[2];
                f.x[2] = result;
            }
        }
        Flow::Next
    }
}

/// A shader as text with its tree.
struct Shader([Vec<Stmt>; 3]);

impl Shader {
    fn draw(seed: u64) -> Shader {
        let mut g = Generator(ChaCha8Rng::seed_from_u64(seed));
        let mut function = |n, count| {
            let at = At { depth: 3, rounds: 0, function: n, in_loop: false, in_switch: false };
            (0..count).map(|_| g.stmt(at)).collect()
        };
        Shader([function(0, 4), function(1, 4), function(2, 6)])
    }

    fn text(&self) -> String {
        const REST: &str = "uint k = 0u;\nuint a[8];\nfor (uint n = 0u; n < 8u; n++) a[n] = x0 * n;\n\
                            uvec4 v = uvec4(x0, x0 + 1u, x0 + 2u, x0 + 3u);\n";
        let mut out = format!(
            "#version 450\nlayout(local_size_x = {GROUP}) in;\n\
             layout(std430, set = 0, binding = 0) readonly buffer S {{ uint src[]; }};\n\
             layout(std430, set = 0, binding = 1) buffer D {{ uint dst[]; }};\nuint fuel = {FUEL}u;\n"
        );
        for (n, body) in self.0[..2].iter().enumerate() {
            out += &format!("uint f{n}(uint x0, inout uint x1, out uint x2) {{\nx2 = 0u;\nuint x3 = 0u;\n");
            out += "int y0 = 0, y1 = 0;\n";
            out += REST;
            lines(&mut out, body, false);
            out += "return x3;\n}\n";
        }
        out += &format!("void main() {{\nuint at = gl_GlobalInvocationID.x * {OUT}u;\n");
        out += "uint from = gl_GlobalInvocationID.x * 6u;\n";
        out += "uint x0 = src[from], x1 = src[from + 1u], x2 = src[from + 2u], x3 = src[from + 3u];\n";
        out += "int y0 = int(src[from + 4u]), y1 = int(src[from + 5u]);\n";
        out += REST;
        lines(&mut out, &self.0[2], true);
        let names = ["x0", "x1", "x2", "x3", "uint(y0)", "uint(y1)", "v.x", "v.y", "v.z", "v.w", "k"];
        for (n, name) in names.iter().enumerate() {
            out += &format!("dst[at + {n}u] = {name};\n");
        }
        out += &format!("for (uint n = 0u; n < 8u; n++) dst[at + {}u + n] = a[n];\n}}\n", names.len());
        out
    }

    /// What an invocation writes into its words.
    fn run(&self, input: &[u32], out: &mut [u32]) {
        let mut f = Frame::new([input[0], input[1], input[2], input[3]], [input[4], input[5]]);
        let mut run = Run { functions: &self.0, fuel: FUEL, out };
        if let Flow::Return(_) = run.block(&mut f, &self.0[2]) {
            return;
        }
        let end = [&f.x[..], &f.y, &f.v, &[f.k], &f.a].concat();
        out[..end.len()].copy_from_slice(&end);
    }
}

/// The shader of a seed. Panics where glslang refuses it: then this generator is wrong.
pub fn case(seed: u64) -> Case {
    let shader = Shader::draw(seed);
    let text = shader.text();
    let words = quadlock_glsl::compile("random.comp", &text, quadlock_glsl::Stage::Compute, &|_, _| None)
        .unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    let mut random = ChaCha8Rng::seed_from_u64(!seed);
    let invocations = 2 * GROUP as usize;
    let mut word = || if random.random() { random.random_range(0..12) } else { random.random() };
    let input: Vec<u32> = (0..6 * invocations).map(|_| word()).collect();
    let before = vec![0x5EED_5EED; OUT * invocations];
    let mut after = before.clone();
    input.chunks(6).zip(after.chunks_mut(OUT)).for_each(|(i, o)| shader.run(i, o));
    let buffer = |binding, words| Buffer { set: 0, binding, uniform: false, words };
    Case {
        name: format!("glsl {seed}"),
        ours: vec![Source { lang: Lang::Glsl(Stage::Compute), bytes: text.as_bytes().to_vec() }, Source::spirv(&words)],
        module: words,
        entry: "main".into(),
        groups: [2, 1, 1],
        judge: Judge::Known(vec![input.clone(), after]),
        buffers: vec![buffer(0, input), buffer(1, before)],
        push: vec![],
        text,
    }
}

/// Passes of spirv-opt that restructure a program. Not `--loop-invariant-code-motion`: version
/// 2023.1 moves loads of variables out of loops that store to them.
const PASSES: [&str; 23] = [
    "-O",
    "-Os",
    "--ccp",
    "--cfg-cleanup",
    "--code-sink",
    "--combine-access-chains",
    "--convert-local-access-chains",
    "--eliminate-dead-branches",
    "--eliminate-dead-code-aggressive",
    "--eliminate-local-single-block",
    "--eliminate-local-multi-store",
    "--if-conversion",
    "--inline-entry-points-exhaustive",
    "--loop-peeling",
    "--loop-unroll",
    "--loop-unroll-partial=2",
    "--loop-unswitch",
    "--merge-blocks",
    "--merge-return",
    "--private-to-local",
    "--redundancy-elimination",
    "--scalar-replacement=100",
    "--simplify-instructions",
];

/// The shader of a seed after some passes of spirv-opt, drawn by the seed; unchanged without it.
pub fn optimised(seed: u64) -> Case {
    let mut case = case(seed);
    let mut random = ChaCha8Rng::seed_from_u64(seed ^ 0x0617);
    let passes: Vec<&str> =
        (0..random.random_range(1..7)).map(|_| PASSES[random.random_range(0..PASSES.len())]).collect();
    case.name = format!("glsl-opt {seed}");
    case.text += &format!("// spirv-opt {}\n", passes.join(" "));
    if let Some(words) = valid::optimised(&case.module, &passes) {
        case.ours = vec![Source::spirv(&words)];
        case.module = words;
    }
    case
}
