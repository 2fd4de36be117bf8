//! Stores that nobody can read go: to the work group's memory or the stack when the program reads
//! neither a word of it.
//!
//! Both are gone when the program ends, so a store is seen by loads and atomics of the same program
//! only. A load whose words are only stored to the same memory again does not count. That holds for
//! a whole program, not for a function that others call: the pipeline runs it on the entry function
//! behind the rest, and the rest again if something went. Not looked at: which words are read, as
//! soon as any is. A store that another function reads would be lost: a function with calls is left
//! alone. So would one whose words go elsewhere: the planted fault is `dead-stores-copy`.

use super::Options;
use crate::fault::CompilerFault;
use crate::ssa::{Func, Kind, Space, Value};

/// Its name in statistics and for `skip`.
pub const NAME: &str = "dead-stores";

/// Does it to an entry function; whether anything changed.
pub fn run(func: &mut Func, options: &Options) -> bool {
    let insts = || func.layout.iter().flat_map(|b| &func.blocks[b.index()].insts);
    if insts().any(|i| matches!(i.kind, Kind::Call { .. })) {
        return false;
    }
    // By value: the space to which it is only stored; `None` if something else reads it.
    let mut only: Vec<Option<Option<Space>>> = vec![None; func.values as usize];
    let mut note = |v: Value, to: Option<Space>| {
        let seen = &mut only[v.index()];
        *seen = Some(to.filter(|_| seen.is_none_or(|s| s == to)));
    };
    for inst in insts() {
        match &inst.kind {
            Kind::Store { space, addr, values, .. } => {
                note(*addr, None);
                values.iter().for_each(|v| note(*v, Some(*space)));
            }
            Kind::SlotStore { value, .. } => note(*value, Some(Space::Stack)),
            kind => kind.uses().into_iter().for_each(|v| note(v, None)),
        }
    }
    let (mut shared, mut stack) = (false, false);
    for inst in insts() {
        let space = match &inst.kind {
            Kind::Load { space, .. } => *space,
            Kind::SlotLoad { .. } => Space::Stack,
            Kind::Atomic { space, .. } => {
                shared |= *space == Space::Shared;
                continue;
            }
            _ => continue,
        };
        let any_copy = options.fault == Some(CompilerFault::DeadStoresCopy);
        let is_copy = |to: Option<Space>| to == Some(space) || any_copy && to.is_some();
        let read = inst.results.iter().any(|r| only[r.index()].is_some_and(|to| !is_copy(to)));
        shared |= read && space == Space::Shared;
        stack |= read && space == Space::Stack;
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
    use crate::random::ssa::{check, generate_stores};
    use crate::ssa::{Loc, Width};

    /// Stores to shared and to global memory; a word of `read` is stored to `back`. How many stores
    /// are left.
    fn left(read: Option<Space>, back: Space) -> usize {
        let loc = Loc::default();
        let mut f = Func { name: "f".into(), ..Default::default() };
        let b = f.new_block();
        let addr = f.push(b, Kind::ConstWord(8), 1, loc)[0];
        for space in [Space::Shared, Space::Global] {
            f.push(b, Kind::Store { space, width: Width::W32, addr, offset: 0, values: vec![addr] }, 0, loc);
        }
        if let Some(space) = read {
            let v = f.push(b, Kind::Load { space, width: Width::W32, addr, offset: 64 }, 1, loc)[0];
            let to = Kind::Store { space: back, width: Width::W32, addr, offset: 4, values: vec![v] };
            f.push(b, to, 0, loc);
        }
        f.push(b, Kind::Return(vec![]), 0, loc);
        let stores = |f: &Func| f.blocks[0].insts.iter().filter(|i| matches!(i.kind, Kind::Store { .. })).count();
        let before = stores(&f);
        assert_eq!(run(&mut f, &Options::default()), stores(&f) < before);
        crate::ssa::verify::verify(&f).unwrap();
        stores(&f)
    }

    #[test]
    fn memory_that_is_never_read_is_not_written() {
        assert_eq!(left(None, Space::Global), 1, "global memory is the host's");
        assert_eq!(left(Some(Space::Global), Space::Global), 2);
        assert_eq!(left(Some(Space::Shared), Space::Global), 3);
        assert_eq!(left(Some(Space::Shared), Space::Shared), 1, "read only to be stored there again");
    }

    #[test]
    fn random_programs_leave_the_same_memory() {
        let (changed, difference) = check::run_on(generate_stores, &[], run, 0..400, &Options::default());
        assert_eq!(difference, None);
        assert!((100..350).contains(&changed), "{changed} of 400 programs lost a store");
    }

    #[test]
    fn the_planted_copy_is_found() {
        let options = Options { fault: Some(CompilerFault::DeadStoresCopy), ..Default::default() };
        assert!(check::run_on(generate_stores, &[], run, 0..400, &options).1.is_some());
    }
}
