//! What a shader is made with: the random numbers, the text so far, what is in scope. Statements
//! and expressions are methods of it, in files of their own.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::fmt::Write;

/// Words of an invocation's window of the output buffer.
pub const WINDOW: u32 = 16;
pub const INPUT: u32 = 64;
pub const COUNTERS: usize = 8;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    U,
    I,
    F,
    B,
}
pub use Scalar::{B, F, I, U};

/// A scalar (`n` 1) or vector type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ty {
    pub s: Scalar,
    pub n: usize,
}

pub const BOOL: Ty = Ty { s: B, n: 1 };
pub const U32: Ty = Ty { s: U, n: 1 };

impl Ty {
    pub fn name(self) -> String {
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

pub struct Variable {
    pub name: String,
    pub ty: Ty,
    pub mutable: bool,
    /// Elements of an array, 0 for none.
    pub array: u32,
}

pub struct Function {
    pub name: String,
    pub params: Vec<Ty>,
    pub result: Ty,
}

pub struct Generator {
    pub rng: ChaCha8Rng,
    pub seed: u64,
    /// Floats only as every implementation computes them: see [`super::generate_exact`].
    pub exact: bool,
    pub out: String,
    pub indent: usize,
    pub scope: Vec<Variable>,
    pub functions: Vec<Function>,
    pub names: usize,
    /// Result type of the helper function being written; `None` in the entry point.
    pub returns: Option<Ty>,
    pub loops: usize,
    pub invocations: u32,
}

impl Generator {
    pub fn new(seed: u64) -> Generator {
        Generator {
            rng: ChaCha8Rng::seed_from_u64(seed),
            seed,
            exact: false,
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

    pub fn chance(&mut self, percent: u32) -> bool {
        self.rng.random_range(0..100) < percent
    }
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.rng.random_range(0..from.len())]
    }
    /// An input word: small numbers, ordinary floats, corners.
    pub fn word(&mut self) -> u32 {
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
    pub fn name(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }
    pub fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{:1$}{text}", "", self.indent * 4);
    }
    pub fn open(&mut self, text: &str) {
        self.line(&format!("{text} {{"));
        self.indent += 1;
    }
    pub fn close(&mut self, text: &str) {
        self.indent -= 1;
        self.line(&format!("}}{text}"));
    }
}
