//! Which registers a value may have in a program with a merge point or a split point.
//!
//! Registers below the cutoff are public, the others private (MS-20, MS-42). A value is one of a
//! class; a row of registers of one instruction lies wholly on one side. Wrong if a class is
//! ignored where registers are chosen: `merge_check` and `split_check` read the finished code and
//! find it.

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

/// The classes of a program's values, and the cutoff.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// By virtual register; those behind the end are of either class.
    pub class: Vec<Class>,
    /// The lowest private register.
    pub cutoff: usize,
    /// By block: class of the spare register that its copies may use.
    pub spare: Vec<Class>,
}

impl Limits {
    pub fn class(&self, r: VReg) -> Class {
        self.class.get(r.index()).copied().unwrap_or_default()
    }
    /// Whether a row of `len` registers that begins at `base` is where the class wants it.
    pub fn allows(&self, class: Class, base: usize, len: usize) -> bool {
        let (public, private) = (base + len <= self.cutoff, base >= self.cutoff);
        match class {
            Class::Either => public || private,
            Class::Public => public,
            Class::Private => private,
        }
    }
    /// How many of `registers` registers the class has.
    pub fn room(&self, class: Class, registers: usize) -> usize {
        match class {
            Class::Either => registers,
            Class::Public => self.cutoff.min(registers),
            Class::Private => registers.saturating_sub(self.cutoff),
        }
    }
}
