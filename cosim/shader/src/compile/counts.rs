//! Counts of a compiled stage for the reports of linking (LP-20): operations, and machine
//! instructions by what they are for.
//!
//! An instruction's role comes from the front end with its place; what works on the source's data
//! is told apart by its operation. It would be wrong to count one twice or not at all: a test adds
//! them up.

use crate::link::operations;
use crate::ssa::{Func, Loc, Role};
use quadlock_isa::{decode, Class, Op};
use serde::Serialize;

/// Machine instructions by what they are for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct By {
    /// Attributes and other loads, special registers.
    pub fetch: usize,
    /// Varyings at their place.
    pub interpolation: usize,
    /// Work on data.
    pub arithmetic: usize,
    /// Outputs, their conversion, stores and atomics.
    pub export: usize,
    /// Branches, ends, barriers, messages.
    pub control: usize,
}

/// Counts of a stage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Operations as a four-wide machine counts them.
    pub operations: usize,
    /// Machine instructions.
    pub by: By,
}

impl Counts {
    /// Counts a program: its SSA behind all passes, and its code with places.
    pub fn new(func: &Func, code: &[u64], lines: &[Loc]) -> Counts {
        let mut by = By::default();
        for (i, &word) in code.iter().enumerate() {
            let role = lines.get(i).map_or(Role::Work, |l| l.role);
            *by.of(word, role) += 1;
        }
        Counts { operations: operations::count(func), by }
    }
}

impl By {
    fn of(&mut self, word: u64, role: Role) -> &mut usize {
        let Ok(op) = decode(word).map(|i| i.op) else { return &mut self.control };
        match (op.class(), role) {
            (Class::Control | Class::Message, _) => &mut self.control,
            _ if op == Op::Out || op.is_store() || op.is_atomic() => &mut self.export,
            (_, Role::Export) => &mut self.export,
            (_, Role::Interpolation) => &mut self.interpolation,
            (_, Role::Fetch) => &mut self.fetch,
            _ if op.is_load() || op == Op::S2R => &mut self.fetch,
            _ => &mut self.arithmetic,
        }
    }

    /// All of them.
    pub fn all(&self) -> usize {
        self.fetch + self.interpolation + self.arithmetic + self.export + self.control
    }
}
