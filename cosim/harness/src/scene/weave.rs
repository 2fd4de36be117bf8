//! Merge points at places where no compiler would put them: in branches and loops, several in a
//! row, before the first instruction and behind the last store (MS-10, MS-13). For tests of the
//! machine and the model: `points = SEED` in `[machine]` of a scene.
//!
//! Helpers end first, and then every register but one is public. So the rules of registers hold
//! wherever a point is (MS-21, MS-22), and the picture is that without points. Programs that need
//! helpers, the stack or all registers stay without points, as those that may have none (MS-32).
//!
//! It can be wrong by breaking the program itself: the model draws the picture from the woven code,
//! so a test compares it with the picture of the plain one.

use quadlock_isa::abi::REGISTERS;
use quadlock_isa::{decode, encode, Instr, Lanes, Op, Special};
use quadlock_shader::back::merge_check::{check, Rule};
use quadlock_shader::ShaderBinary;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The one register that stays private: it tells helpers.
const FLAG: u8 = REGISTERS as u8 - 1;

/// Puts points into a fragment program; whether it has some now.
pub fn weave(binary: &mut ShaderBinary, seed: u64) -> bool {
    let interface = &binary.interface;
    if interface.registers > u32::from(FLAG) || interface.stack_bytes > 0 {
        return false;
    }
    let Ok(plain) = binary.code.iter().map(|&word| decode(word)).collect::<Result<Vec<_>, _>>() else { return false };
    if plain.iter().any(|i| i.op.row().lanes == Lanes::Quad) {
        return false;
    }
    // Programs differ, and so do their points.
    let mixed = binary.code.iter().fold(seed, |h, w| (h ^ w).wrapping_mul(0x100_0000_01B3));
    let mut rng = ChaCha8Rng::seed_from_u64(mixed);
    let points: Vec<usize> = (0..rng.random_range(1..=4)).map(|_| rng.random_range(0..plain.len())).collect();
    let mut woven = vec![
        Instr { d: FLAG, imm: Special::Helper as u32, ..Instr::new(Op::S2R) },
        Instr { a: FLAG, imm: 3, ..Instr::new(Op::Bz) },
        Instr::new(Op::End),
    ];
    // Where each instruction stands, and where branches to it go: to a point before it, or past
    // that.
    let (mut lines, mut at, mut to) = (vec![binary.lines[0]; 3], vec![], vec![]);
    for (pc, i) in plain.iter().enumerate() {
        let first = woven.len() as u32;
        for _ in points.iter().filter(|&&p| p == pc) {
            woven.push(Instr::new(Op::Merge));
            lines.push(binary.lines[pc]);
        }
        at.push(woven.len() as u32);
        to.push(if rng.random() { first } else { woven.len() as u32 });
        woven.push(*i);
        lines.push(binary.lines[pc]);
    }
    for (pc, i) in plain.iter().enumerate().filter(|(_, i)| i.op.is_branch()) {
        let Some(&target) = to.get(i.imm as usize) else { return false };
        woven[at[pc] as usize].imm = target;
    }
    let code: Vec<u64> = woven.iter().map(encode).collect();
    // Points in loops are what no compiler writes; any other rule says that results could change.
    if check(&code, FLAG.into()).iter().any(|w| w.rule != Rule::Loop) {
        return false;
    }
    for (pc, _) in &mut binary.labels {
        *pc = at[*pc as usize];
    }
    (binary.code, binary.lines) = (code, lines);
    binary.interface.registers = REGISTERS as u32;
    binary.interface.public_cutoff = FLAG.into();
    true
}
