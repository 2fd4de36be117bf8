//! Which registers a value may have in a program with a merge point or a split point.
//!
//! Registers below the cutoff are public, the others private (MS-20, MS-42). A value is one of a
//! class; a row of registers of one instruction lies wholly on one side. Wrong if a class is
//! ignored where registers are chosen: `merge_check` and `split_check` read the finished code and
//! find it.

use quadlock_isa::abi::{PrivateSet, REGISTERS};

use super::mir::VReg;

/// The side of the cutoff that a value has to be on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Class {
    /// Any one.
    #[default]
    Either,
    /// Below the cutoff: it lives across the point.
    Public,
    /// From the cutoff up: helper lanes need it before the merge point, or it is written behind the
    /// split point.
    Private,
}

impl Class {
    /// The class of a register that two values share, if there is one.
    pub fn both(self, other: Class) -> Option<Class> {
        match (self, other) {
            (Class::Either, c) | (c, Class::Either) => Some(c),
            (a, b) => (a == b).then_some(a),
        }
    }
}

/// Where a value has to be: its class, and whether it is there before the merge point. A member has
/// fewer private registers than a merged warp, where that has those of both (MS-35).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Side {
    pub class: Class,
    pub early: bool,
}

impl Side {
    /// The side of a register that two values share, if there is one.
    pub fn both(self, other: Side) -> Option<Side> {
        Some(Side { class: self.class.both(other.class)?, early: self.early || other.early })
    }
}

/// Private registers of a member in a program with that cutoff, where those of two become one set:
/// half, and an even number, since registers have banks.
pub fn part(cutoff: usize) -> usize {
    REGISTERS.saturating_sub(cutoff) / 4 * 2
}

/// The classes of a program's values, and the cutoff.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// By virtual register; those behind the end are of either class.
    pub class: Vec<Class>,
    /// The lowest private register.
    pub cutoff: usize,
    /// By block: class of the spare register that its copies may use.
    pub spare: Vec<Class>,
    /// What the private registers of a merged warp are.
    pub private: PrivateSet,
    /// By virtual register: it is there before the merge point.
    pub early: Vec<bool>,
}

impl Limits {
    pub fn side(&self, r: VReg) -> Side {
        let class = self.class.get(r.index()).copied().unwrap_or_default();
        Side { class, early: self.early.get(r.index()).copied().unwrap_or(true) }
    }

    /// Behind the last private register.
    fn end(&self, early: bool) -> usize {
        match self.private {
            PrivateSet::Joined => self.cutoff + part(self.cutoff) * if early { 1 } else { 2 },
            _ => REGISTERS,
        }
    }

    /// Whether a row of `len` registers that begins at `base` is where it has to be.
    pub fn allows(&self, side: Side, base: usize, len: usize) -> bool {
        let public = base + len <= self.cutoff;
        let private = base >= self.cutoff && base + len <= self.end(side.early);
        match side.class {
            Class::Either => public || private,
            Class::Public => public,
            Class::Private => private,
        }
    }

    /// How many of `registers` registers there are.
    pub fn room(&self, side: Side, registers: usize) -> usize {
        let end = self.end(side.early).min(registers);
        match side.class {
            Class::Either => end,
            Class::Public => self.cutoff.min(registers),
            Class::Private => end.saturating_sub(self.cutoff),
        }
    }

    /// Registers that are tried first: those that only a merged warp has, so that they are used.
    pub fn first(&self, side: Side) -> usize {
        match self.private {
            PrivateSet::Joined if !side.early && side.class != Class::Public => self.end(true),
            _ => 0,
        }
    }

    /// Whether the copies of a block may use a register that is free.
    pub fn may_use(&self, block: usize, register: usize) -> bool {
        let class = self.spare.get(block).copied().unwrap_or_default();
        self.allows(Side { class, early: true }, register, 1)
    }
}
