//! Words of memory that a job declares as locks, and who may give them back (WW-28). The judge is
//! [`crate::lockstep::ownership`].

/// What a job says of lock words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockRule {
    /// Only who took it gives it back.
    Owned,
    /// Anybody may.
    Any,
}

/// Words that the job declares as locks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LockWords {
    /// Byte address of the first one.
    pub first: u32,
    /// How many.
    pub count: u32,
    /// Bytes from one to the next.
    pub step: u32,
    /// Who may give them back.
    pub rule: LockRule,
}

impl LockWords {
    /// Whether a byte address is that of one of the words.
    pub fn contains(&self, addr: u32) -> bool {
        addr >= self.first
            && (addr - self.first).is_multiple_of(self.step)
            && (addr - self.first) / self.step < self.count
    }
}
