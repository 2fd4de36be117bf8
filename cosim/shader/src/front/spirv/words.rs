//! The words of a SPIR-V binary as instructions: header, byte order, and for each instruction its
//! opcode, result type, result id and operands. The grammar (which opcode has a result, how many
//! operands it has at least) is `rspirv`'s table; its parser is not used, because it prints what it
//! does not know and asserts what a file may break. Every index into operands is safe behind
//! [`read`]: an instruction has at least the operands that its grammar demands.

use rspirv::grammar::{Instruction, OperandKind, OperandQuantifier, INSTRUCTION_TABLE};
use rspirv::spirv::Op;
use std::sync::OnceLock;

const MAGIC: u32 = 0x0723_0203;
const HEADER: usize = 5;
/// The specification's limit of ids.
const MOST_IDS: u32 = 4_194_303;

/// One instruction. Ids are 0 where there are none.
#[derive(Clone, Debug)]
pub struct Inst {
    pub op: Op,
    /// Result type.
    pub ty: u32,
    /// Result.
    pub id: u32,
    /// Operands behind type and result.
    pub args: Vec<u32>,
    /// The first word's place in the file.
    pub at: u32,
}

impl Inst {
    /// Its operands that are ids, as far as one of them can be a variable's: not behind operands
    /// whose bits say what follows, as of a memory access, nor behind pairs.
    pub fn ids(&self) -> Vec<u32> {
        let mut out = vec![];
        let mut words = self.args.iter().copied();
        for operand in grammar(self.op as u32).map_or(&[][..], |g| g.operands) {
            let is_id = match operand.kind {
                OperandKind::IdResultType | OperandKind::IdResult => continue,
                OperandKind::IdRef | OperandKind::IdScope | OperandKind::IdMemorySemantics => true,
                OperandKind::LiteralInteger
                | OperandKind::LiteralFloat
                | OperandKind::LiteralExtInstInteger
                | OperandKind::StorageClass
                | OperandKind::GroupOperation => false,
                OperandKind::PairIdRefIdRef => {
                    out.extend(words);
                    break;
                }
                _ => break,
            };
            match operand.quantifier {
                OperandQuantifier::ZeroOrMore if is_id => out.extend(words.by_ref()),
                OperandQuantifier::ZeroOrMore => break,
                _ => out.extend(words.next().filter(|_| is_id)),
            }
        }
        out
    }
}

/// What is wrong with a file: the word, and what it is.
pub struct Malformed {
    pub at: u32,
    pub message: String,
}

/// The ids' bound and the instructions, in the file's order.
pub fn read(bytes: &[u8]) -> Result<(u32, Vec<Inst>), Malformed> {
    let words = to_words(bytes)?;
    let bound = words[3];
    if bound == 0 || bound > MOST_IDS {
        return Err(malformed(3, format!("the bound of the ids is {bound}: not 1 to {MOST_IDS}")));
    }
    let mut out = Vec::with_capacity(words.len() / 4);
    let mut at = HEADER;
    while at < words.len() {
        let (count, number) = ((words[at] >> 16) as usize, words[at] & 0xFFFF);
        let Some(rest) = words.get(at + 1..at + count).filter(|_| count > 0) else {
            return Err(malformed(at, format!("an instruction of {count} words does not fit in the file")));
        };
        out.push(instruction(number, rest, at, bound)?);
        at += count;
    }
    Ok((bound, out))
}

fn instruction(number: u32, words: &[u32], at: usize, bound: u32) -> Result<Inst, Malformed> {
    let Some(grammar) = grammar(number) else {
        return Err(malformed(at, format!("there is no instruction with the number {number}")));
    };
    let (mut ty, mut id, mut rest) = (0, 0, words);
    let mut least = 0;
    for operand in grammar.operands {
        match operand.kind {
            OperandKind::IdResultType | OperandKind::IdResult => {
                let Some((&first, behind)) = rest.split_first() else {
                    return Err(malformed(at, format!("Op{} lacks its result", grammar.opname)));
                };
                if first == 0 || first >= bound {
                    return Err(malformed(at, format!("%{first} is no id below the bound {bound}")));
                }
                *if operand.kind == OperandKind::IdResult { &mut id } else { &mut ty } = first;
                rest = behind;
            }
            _ if operand.quantifier == OperandQuantifier::One => least += 1,
            _ => {}
        }
    }
    if rest.len() < least {
        return Err(malformed(at, format!("Op{} has {} operands, not {least}", grammar.opname, rest.len())));
    }
    Ok(Inst { op: grammar.opcode, ty, id, args: rest.to_vec(), at: at as u32 })
}

/// `rspirv`'s table by number; its own search is linear.
fn grammar(number: u32) -> Option<&'static Instruction<'static>> {
    static BY_NUMBER: OnceLock<Vec<Option<&'static Instruction<'static>>>> = OnceLock::new();
    let table = BY_NUMBER.get_or_init(|| {
        let mut table = vec![None; 1 << 16];
        INSTRUCTION_TABLE.iter().for_each(|i| table[i.opcode as usize] = Some(i));
        table
    });
    *table.get(number as usize)?
}

fn to_words(bytes: &[u8]) -> Result<Vec<u32>, Malformed> {
    if bytes.len() < HEADER * 4 || !bytes.len().is_multiple_of(4) {
        let message = "its length is not a whole number of words, or less than a header";
        return Err(malformed(0, format!("not a SPIR-V binary: {message}")));
    }
    let word = |from: fn([u8; 4]) -> u32| move |c: &[u8]| from([c[0], c[1], c[2], c[3]]);
    let little: Vec<u32> = bytes.chunks_exact(4).map(word(u32::from_le_bytes)).collect();
    match little[0] {
        MAGIC => Ok(little),
        first if first.swap_bytes() == MAGIC => Ok(bytes.chunks_exact(4).map(word(u32::from_be_bytes)).collect()),
        _ => Err(malformed(0, "not a SPIR-V binary: the first word is not 0x07230203".into())),
    }
}

fn malformed(at: usize, message: String) -> Malformed {
    Malformed { at: at as u32, message }
}

/// A string operand.
pub fn string(words: &[u32]) -> String {
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    let end = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

/// The operands behind a string.
pub fn behind_string(words: &[u32]) -> &[u32] {
    let last = words.iter().position(|w| w.to_le_bytes().contains(&0));
    last.map_or(&[], |last| &words[last + 1..])
}
