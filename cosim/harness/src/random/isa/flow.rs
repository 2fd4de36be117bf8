//! Finds reads of registers that nothing has written: what such a read gives is not defined, so no
//! random or shrunk program may hold one.
//!
//! Each lane walks the program on its own, so this is the textbook forward analysis per lane: a
//! register is written at an instruction if it is on every path to it. Cross-lane reads see other
//! lanes, wherever those are; for them the register must be written before the first branch of the
//! program, which every lane has passed.

use quadlock_isa::{decode, group_register, Instr, Op};

/// The first (instruction index, register) that may be read before it is written. Undefined words
/// read nothing and end the lane.
pub fn unwritten_read(code: &[u64]) -> Option<(usize, u8)> {
    let program: Vec<Option<Instr>> = code.iter().map(|&w| decode(w).ok()).collect();
    let written = written_before(&program);
    let first_branch = program.iter().position(|i| i.is_none_or(|i| i.op.is_branch())).unwrap_or(code.len());
    let prologue = program[..first_branch].iter().flatten().fold(0, |set, i| set | destinations(i));
    for (pc, instr) in program.iter().enumerate() {
        let (Some(i), Some(mut set)) = (instr, written[pc]) else { continue };
        if matches!(i.op, Op::QShuf | Op::Ddx | Op::Ddy) && pc >= first_branch {
            let own = i.source_regs().iter().skip(1).find(|&&r| set >> r & 1 == 0).copied();
            if let Some(register) = own {
                return Some((pc, register));
            }
            set = prologue | set & !(1 << i.a);
        }
        if let Some(&register) = i.source_regs().iter().find(|&&r| set >> r & 1 == 0) {
            return Some((pc, register));
        }
    }
    None
}

fn destinations(i: &Instr) -> u32 {
    let Some((first, count)) = i.dest_regs() else { return 0 };
    (0..count).fold(0, |set, k| set | 1 << group_register(first, k))
}

/// Registers written on every path to each instruction; `None` where no path leads.
fn written_before(program: &[Option<Instr>]) -> Vec<Option<u32>> {
    let mut before: Vec<Option<u32>> = vec![None; program.len()];
    let mut work = vec![(0usize, 0u32)];
    while let Some((pc, set)) = work.pop() {
        let Some(slot) = before.get_mut(pc) else { continue };
        let merged = slot.map_or(set, |old| old & set);
        if *slot == Some(merged) {
            continue;
        }
        *slot = Some(merged);
        let Some(i) = program[pc] else { continue };
        let after = merged | destinations(&i);
        if let Some(target) = i.target() {
            work.push((target as usize, after));
        }
        if !i.op.is_terminator() {
            work.push((pc + 1, after));
        }
    }
    before
}

#[cfg(test)]
mod tests {
    use super::*;
    use quadlock_isa::assemble;

    fn first(text: &str) -> Option<(usize, u8)> {
        unwritten_read(&assemble("t", text).unwrap().code)
    }

    #[test]
    fn paths_are_joined() {
        assert_eq!(first("IADD r1, r2, #1\nEND"), Some((0, 2)));
        assert_eq!(first("MOV r1, #1\nBZ r1, @3\nMOV r2, #1\nMOV r3, r2\nEND"), Some((3, 2)));
        assert_eq!(first("MOV r1, #1\nMOV r2, #1\nBZ r1, @4\nMOV r2, #2\nMOV r3, r2\nEND"), None);
        assert_eq!(first("MOV r1, #1\nl: BNZ r1, l\nEND\nMOV r1, r9"), None, "not reached");
        assert_eq!(first("MOV r1, #0x1000\nLD.64 r4, [r1]\nST.64 [r1], r5\nEND"), Some((2, 6)));
    }

    #[test]
    fn cross_lane_reads_need_the_prologue() {
        assert_eq!(first("MOV r1, #1\nBZ r1, @3\nMOV r1, #2\nDDX r2, r1\nEND"), None);
        assert_eq!(first("MOV r1, #1\nBZ r1, @2\nMOV r3, #2\nDDX r2, r3\nEND"), Some((3, 3)));
    }
}
