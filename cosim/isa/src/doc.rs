//! `docs/isa.md`, generated: `cargo run -p quadlock-isa --example isa_doc > docs/isa.md`.
//!
//! The prose is here, every list comes from the table. A test compares the file in the repository
//! with this text, so the page cannot go stale; what it can be is wrong where the prose is.

use std::fmt::Write as _;

use crate::abi;
use crate::asm::{assemble, syntax};
use crate::disasm::disassemble;
use crate::records::window;
use crate::table::{Row, SPECIALS, TABLE};

const INTRODUCTION: &str = "\
# Instruction set

Generated from `cosim/isa/src/table.rs` by
`cargo run -p quadlock-isa --example isa_doc > docs/isa.md`; do not edit. How warps, memory, work
groups and traps behave is in [machine.md](machine.md).

A warp has four lanes; an instruction is executed for the warp's active lanes. Each lane has 32
registers of 32 bits, `r0` to `r31`; none is special. All integers are little endian in memory.

## Encoding

One instruction is one 64-bit word.

| bits | field | meaning |
|---|---|---|
| 7:0 | op | opcode number |
| 12:8 | d | destination register; first of a group for wide loads and 64-bit atomics |
| 17:13 | a | first source register; address register of memory instructions |
| 22:18 | b | second source register; store data, atomic operand |
| 27:23 | c | third source register; expected value of compare-and-exchange |
| 29:28 | bm | source of operand B: 0 register b, 1 `imm`, 2 constant-bank word `imm[9:0]`, 3 undefined |
| 30 | s | 1: shared storage instead of global memory, of warp-wide atomics; also by helpers, of stores; else zero |
| 31 | e | 1: an event behind the instruction, bit 30 says which (MS-10): 0 merge, 1 split; else zero |
| 63:32 | imm | immediate, constant-bank word, byte offset, branch target (`imm[15:0]`) or special-register number (`imm[5:0]`) |

Fields that an instruction does not use are ignored; the assembler writes zero. Modes 1 and 2 exist
only for instructions whose syntax below has an operand `B`.

An encoding is *undefined*, and traps, when

- its opcode number is not in the table below,
- bit 31 is zero, bit 30 is not, and the table has no such form of the instruction,
- bit 31 is not zero, and the machine has no such events or the instruction carries none,
- `bm` is 3, or is not 0 and the instruction has no operand `B`.

Where an instruction uses a *group* of registers (`d, d+1`, `b .. b+3`), register numbers wrap at
32: the register after r31 is r0. The group of a load or atomic may contain the address register;
all sources are read before any destination is written.

## Operands

| written | meaning |
|---|---|
| `d`, `a`, `b`, `c` | a register, `r0` to `r31` |
| `B` | a register, an immediate (`#5`, `#-1`, `#0x10`, `#1.5f`) or a constant-bank word (`c[12]`) |
| `[a+imm]` | byte address: register a + 32-bit offset, modulo 2^32 (`[r2+16]`, `[r2-4]`, `[r2]`) |
| `target` | a label, or an instruction index (`@12`) |
| `special` | a special register by name, or `sr0` to `sr63` |

A suffix `.MERGE` or `.SPLIT` of a mnemonic is an event behind the instruction.

Other lines: `label:`, `.word 0x0123456789abcdef` (a raw encoding), comments from `;` or `//` to the
end of the line. Mnemonics and register names may be in either case. Floating-point immediates end
in `f`; `#inff`, `#-inff` and `#nanf` exist.

A memory access is aligned down to its size: the low bits of `a+imm` are ignored.

## Registers: public and private (MS-20)

Every program states a *cutoff*, 0 to 32. Register r is *public* when r < cutoff, else *private*.
The build parameter `public_registers` may say otherwise: `above`, as many registers at the upper
end; `half`, registers 0 to 15 whatever the cutoff is; `bitmap`, those of the bits of word 38 of the
state record. If the cutoff is 0 no register is public in any case.
Two fragment warps that may merge are the *members* of a pair. With the build parameter
`merge_group` up to four are (MS-6). From their launch on one physical set of public registers
serves all of them. Private registers are each member's own.

A lane *owns* its registers if it covered something when its warp was launched, whatever was
discarded since. In a program with a merge point these rules hold, of members and of other warps
alike (MS-21):

- Private registers are read and written by all lanes, helpers included.
- Public registers are written only for lanes that own them. Other lanes read 0.
- After a merge what was in private registers is invalid (MS-22). Public ones keep their values.

The build parameter `merge_private` says what the private registers of a merged warp are (MS-22).
With cutoff c, p is half of 32 - c, rounded down to an even number.

- `old`: those of member 0.
- `none`: it has none. They read 0, and a write does nothing.
- `joined`: those of both members, as one set (MS-35). Before the merge a member uses registers c to
  c + p - 1 only. After it the warp uses registers c to c + 2 p - 1.
- `new`: a set that is neither member's.

Warps that are no members may have a program of their own without the point (MS-30).
A program without a merge point has no such rules: its cutoff has no effect. Nor has that of compute
and vertex programs.

After the merge a lane keeps its program counter, its registers and what its special registers say.
It is of the member that owned it. Lanes that covered nothing when the two merged have ended. A
merged warp passes further merge points, and so does a member whose partner has ended (MS-14). Of
more than two members, member 0 is the partner of each other one. Each goes to member 0 when both
have stopped. Member 0 goes on when each of the others has come to it, or has ended. If member 0
ends before its merge point, the others go on by themselves.

A fragment program that runs once for each sample may have a split point (MS-40). The machine may
then launch the covered samples of a quad as a *group*. Member 0 runs first, with all lanes that
cover a sample of any member. It stands for the pixels, and the others sleep. At `SPLIT` it stops.
When none of its lanes runs any more the group splits: each member goes on for its own sample, with
the counters of member 0. A lane that was discarded before covers nothing in any member.

- All members have the public registers of member 0, physically one set (MS-42). Helpers own theirs,
  too, but for programs that merge before they split, which are described below.
- Behind the split public registers are only read. A write to one does nothing.
- Behind it private registers hold nothing, of all members.
- If all lanes of member 0 end before a split point, all members end.
- A program may have several split points. Lanes of a group may stop at different ones (MS-41).
- A warp splits once: behind that it passes further split points. They do nothing and wait for
  nothing. A warp that is of no group passes all of them.

With the build parameter `split_shape` the members of a group of four samples may be the covered
*pixels* of the quad instead (MS-41). Then the lanes of a member are the samples of its pixel.

- The program must let it: behind its split points no lane looks at another one. Bit 14 of word 6 of
  the state record says so. `pixels` takes this shape wherever it may. `either` takes it if fewer
  pixels than samples are covered.
- Before the split member 0 is as ever: its lanes are the quad's pixels.
- At the split all lanes of a member get the counter of the lane that was its pixel. If that lane
  did not stop, or covers nothing, the member ends. Lanes of samples that cover nothing end.
- In every lane a public register is what that lane had. `pixel_x` and `pixel_y` are the pixel's in
  every lane. `sample`, `sample_coverage` and `depth` are those of the lane's sample.

A program with a split point may have merge points before it (MS-42). Then member 0 of a group may
be a member of a pair, whose other member is member 0 of another quad's group. The two merge as
others do. What they are then splits: the members of both groups wake.

- The public registers of both groups are one physical set.
- In such a program helpers own none before the split: only lanes that cover a sample do.
- Helpers end at the merge point in every warp of it, of a pair or not.
- Behind the split only lanes run that the member's own sample covers.
- A group splits when its partner has merged with it, or has ended.

## Merge and split points: forms (MS-10, MS-35)

The build parameter `event_form` says how lanes come to a merge or split point. What they do there
is the same in every form, and is said above of `MERGE` and `SPLIT`.

| form | where the point is |
|---|---|
| `instruction` | at the instruction `MERGE` or `SPLIT` |
| `modifier` | behind an instruction with bit 31, of all its active lanes |
| `counter` | before the instruction at a counter that stands beside the program |
| `count` | behind as many instructions of a lane since its launch as stands beside the program |

- In the other forms `MERGE` and `SPLIT` do nothing. In the form `modifier` alone bit 31 is defined.
- END, DISCARD, BAR, BNZ, BZ, DEMOTE, MERGE, SPLIT and messages carry no event. Nor do
  instructions with bit 30 for another reason. BRA does: its lanes meet the event at the target.
- In the forms `counter` and `count` a program has one merge point and one split point at most. Word
  37 of the state record has it: bits 15:0 for a merge, 31:16 for a split; 0: there is none.
- A counter is that of a lane which would execute the instruction there next. Only lanes at the
  lowest counter of their warp meet a point.
- A count is of instructions that a lane took part in, those that did nothing among them.
- The point waits for nothing in flight, but the merge or split does, as in the form `instruction`.

With the build parameter `merge_helpers_end` lanes that cover nothing end at a merge point also in a
warp that has no partner there. In a member whose partner ends later they end when it goes on.
";

const NUMBERS: &str = "\
## Numbers

f32 is IEEE 754 binary32, round to nearest even, subnormals kept. Every NaN that an arithmetic
instruction gives is `0x7FC00000`; [float.md](float.md) states each operation to the bit. MOV, SEL,
QSHUF, S2R, loads, stores and atomics move bits unchanged. Integers wrap modulo 2^32 (2^64 for
64-bit atomics).

Quad: lanes 0 and 1 are the upper row, 2 and 3 the lower. QSHUF, DDX and DDY read the registers of
inactive and ended lanes as they are.
";

const EXAMPLE: &str = "\
\x20   S2R r0, local_index
    S2R r1, group_x
    IMAD r0, r1, #64, r0        ; 64 invocations per group
    USETGE r1, r0, c[9]         ; c[9]: size of buffer 0
    BNZ r1, end
    SHL r2, r0, #2
    IADD r2, r2, c[8]           ; c[8]: address of buffer 0
    LD.32 r3, [r2+0]
    FMUL r3, r3, #0.5f
    ST.32 [r2], r3
end:
    END
";

/// The whole page.
pub fn isa_page() -> String {
    let mut out = INTRODUCTION.to_string();
    special_registers(&mut out);
    constant_bank(&mut out);
    out.push_str(NUMBERS);
    instructions(&mut out);
    example(&mut out);
    out
}

fn special_registers(out: &mut String) {
    out.push_str("\n## Special registers\n\nRead with `S2R d, name`. Numbers that are not listed read 0.\n\n| number | name | meaning |\n|---|---|---|\n");
    for row in SPECIALS {
        let _ = writeln!(out, "| {} | `{}` | {} |", row.special as u8, row.name, row.doc);
    }
    out.push('\n');
}

fn constant_bank(out: &mut String) {
    let _ = write!(
        out,
        "## Constant bank\n\n{} words, written by the host before a launch, the same for all threads. A stage of a pipeline\nhas a window of {} words. Layout:\n\n{}\n",
        abi::CONST_WORDS,
        abi::WINDOW_WORDS,
        window::RECORD.markdown()
    );
}

fn instructions(out: &mut String) {
    let groups: [(&str, &dyn Fn(u8) -> bool); 14] = [
        ("Control", &|c| c < 0x0A),
        ("Vertices and fragments", &|c| (0x0A..0x10).contains(&c)),
        ("Integer arithmetic", &|c| c & 0xF0 == 0x10),
        ("Logic, shifts, bits", &|c| c & 0xF0 == 0x20),
        ("Compare", &|c| c & 0xF0 == 0x30),
        ("Floating point and conversion", &|c| c & 0xF0 == 0x40),
        ("Move, select, cross-lane, half precision, normalised integers", &|c| c & 0xF0 == 0x50),
        ("Global memory", &|c| c & 0xF0 == 0x60),
        ("Shared storage", &|c| c & 0xF0 == 0x70),
        ("Atomics (WW-10)", &|c| (0x80..0xC0).contains(&c)),
        ("Atomics once for the warp (WW-20 to WW-36)", &|c| matches!(c & 0xF0, 0xC0 | 0xE0)),
        ("Semaphores (SE-30 to SE-34)", &|c| (0xD0..0xD4).contains(&c)),
        ("Across the lanes of a warp (WW-21); QSHUF is the permute", &|c| matches!(c, 0xD4..=0xDF | 0xF8..=0xFF)),
        ("Function unit (shared by the lanes of a warp unit)", &|c| (0xF0..0xF8).contains(&c)),
    ];
    out.push_str("\n## Instructions\n\n`A`, `B`, `C` are the operand values.\n");
    for (title, is_in) in groups {
        let _ = write!(out, "\n### {title}\n\n| op | syntax | meaning |\n|---|---|---|\n");
        for row in TABLE.iter().filter(|r| is_in(r.code)) {
            let _ = writeln!(out, "| {} | `{}` | {} |", number(row), syntax(row.op), row.doc.replace('|', "\\|"));
        }
    }
}

/// The opcode number, with the bit beside it where it is set.
fn number(row: &Row) -> String {
    format!("0x{:02X}{}", row.code, if row.in_shared { ", s" } else { "" })
}

fn example(out: &mut String) {
    out.push_str(
        "\n## Example\n\nHalves each element of a buffer of f32, with the encoding of each instruction:\n\n```\n",
    );
    match assemble("example", EXAMPLE) {
        Ok(program) => {
            for (pc, word) in program.code.iter().enumerate() {
                let _ = writeln!(out, "{pc:3}  {word:016x}  {}", disassemble(*word, None));
            }
        }
        Err(e) => out.push_str(&e.to_string()),
    }
    out.push_str("```\n\nAs source:\n\n```\n");
    out.push_str(EXAMPLE);
    out.push_str("```\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The page in the repository is the one that the table gives.
    #[test]
    fn isa_page_is_current() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/isa.md");
        let file = std::fs::read_to_string(path).unwrap_or_default();
        assert!(file == isa_page(), "docs/isa.md is stale: cargo run -p quadlock-isa --example isa_doc > docs/isa.md");
    }

    #[test]
    fn page_lists_every_instruction() {
        let page = isa_page();
        for row in TABLE {
            assert!(page.contains(&format!("| {} | `{}` |", number(row), syntax(row.op))), "{}", row.name);
        }
    }
}
