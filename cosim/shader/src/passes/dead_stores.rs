//! Stores that nobody can read go: to the work group's memory or the stack when the program reads
//! neither a word of it.
//!
//! Both are gone when the program ends, so a store is seen by loads and atomics of the same
//! program only. That holds for a whole program, not for a function that others call: the pipeline
//! runs it on the entry function behind the rest, and the rest again if something went. Not looked
//! at: which words are read, as soon as any is. A store that another function reads would be lost:
//! a function with calls is left alone.

use super::Options;
use crate::ssa::{Func, Kind, Space};

/// Its name in statistics and for `skip`.
pub const NAME: &str = "dead-stores";

/// Does it to an entry function; whether anything changed.
pub fn run(func: &mut Func, _: &Options) -> bool {
    let (mut shared, mut stack) = (false, false);
    for inst in func.layout.iter().flat_map(|b| &func.blocks[b.index()].insts) {
        match &inst.kind {
            Kind::Load { space, .. } | Kind::Atomic { space, .. } => {
                shared |= *space == Space::Shared;
                stack |= *space == Space::Stack;
            }
            Kind::SlotLoad { .. } => stack = true,
            Kind::Call { .. } => return false,
            _ => {}
        }
    }
    let read = |kind: &Kind| match kind {
        Kind::Store { space: Space::Shared, .. } => shared,
        Kind::Store { space: Space::Stack, .. } | Kind::SlotStore { .. } => stack,
        _ => true,
    };
    let mut changed = false;
    for b in func.layout.clone() {
        let insts = &mut func.blocks[b.index()].insts;
        let before = insts.len();
        insts.retain(|i| read(&i.kind));
        changed |= insts.len() != before;
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ssa::{Loc, Width};

    /// Stores to shared and to global memory; one load of `read`.
    fn left(read: Option<Space>) -> usize {
        let loc = Loc::default();
        let mut f = Func { name: "f".into(), ..Default::default() };
        let b = f.new_block();
        let addr = f.push(b, Kind::ConstWord(8), 1, loc)[0];
        for space in [Space::Shared, Space::Global] {
            f.push(b, Kind::Store { space, width: Width::W32, addr, offset: 0, values: vec![addr] }, 0, loc);
        }
        if let Some(space) = read {
            f.push(b, Kind::Load { space, width: Width::W32, addr, offset: 64 }, 1, loc);
        }
        f.push(b, Kind::Return(vec![]), 0, loc);
        let stores = |f: &Func| f.blocks[0].insts.iter().filter(|i| matches!(i.kind, Kind::Store { .. })).count();
        assert_eq!(run(&mut f, &Options::default()), read != Some(Space::Shared));
        stores(&f)
    }

    #[test]
    fn memory_that_is_never_read_is_not_written() {
        assert_eq!(left(None), 1, "global memory is the host's");
        assert_eq!(left(Some(Space::Global)), 1);
        assert_eq!(left(Some(Space::Shared)), 2);
    }
}
