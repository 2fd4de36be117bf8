//! A third opinion: an interpreter of the SPIR-V that the generators of this crate write.
//!
//! Written from the SPIR-V specification, it shares nothing with our compiler: it reads the words
//! itself and walks the blocks as they stand, one invocation after the other. It knows one
//! function, 32-bit integers, truth values, private variables, and storage buffers of one array of
//! words. All else is an error. So is what the specification leaves undefined and a run can meet:
//! an index out of bounds, a value without a definition, `OpUnreachable`. It is wrong where two
//! invocations depend on each other, which the generators avoid.

use crate::vulkan::Buffer;
use rspirv::spirv::{BuiltIn, Decoration, ExecutionMode, Op};
use std::collections::HashMap;

/// Blocks that an invocation may go through.
const LIMIT: usize = 5000;

/// An instruction: its opcode and the words behind the first.
type Line<'a> = (Op, &'a [u32]);

#[derive(Clone, Copy)]
enum Value {
    /// An integer, or a truth value as 0 or 1.
    Word(u32),
    /// A word of a buffer.
    Place(usize, usize),
}

#[derive(Default)]
struct Module<'a> {
    constants: HashMap<u32, Value>,
    blocks: HashMap<u32, Vec<Line<'a>>>,
    first: u32,
    /// Set and binding of a variable.
    places: HashMap<u32, [u32; 2]>,
    index: Option<u32>,
    lanes: u32,
}

/// The buffers after one work group. Errors: see the file's head.
pub fn run(words: &[u32], buffers: &[Buffer]) -> Result<Vec<Vec<u32>>, String> {
    let module = Module::read(words)?;
    let mut memory: Vec<Vec<u32>> = buffers.iter().map(|b| b.words.clone()).collect();
    for lane in 0..module.lanes {
        let env = module.constants.clone();
        let mut run = Run { module: &module, buffers, memory: &mut memory, env, variables: HashMap::new(), lane };
        run.invocation().map_err(|e| format!("interpreter, invocation {lane}: {e}"))?;
    }
    Ok(memory)
}

impl<'a> Module<'a> {
    fn read(words: &'a [u32]) -> Result<Module<'a>, String> {
        let mut m = Module::default();
        let (mut at, mut block, mut functions) = (5, None, 0);
        while at < words.len() {
            let count = (words[at] >> 16).max(1) as usize;
            let op = Op::from_u32(words[at] & 0xFFFF).ok_or_else(|| format!("opcode {}", words[at] & 0xFFFF))?;
            let w = words.get(at + 1..at + count).ok_or("cut off")?;
            at += count;
            match (op, block) {
                (Op::Function, _) => functions += 1,
                (Op::FunctionEnd, _) => block = None,
                (Op::Label, _) => {
                    block = Some(w[0]);
                    m.blocks.insert(w[0], vec![]);
                    m.first = if m.first == 0 { w[0] } else { m.first };
                }
                (_, Some(label)) => m.blocks.entry(label).or_default().push((op, w)),
                (_, None) => m.declaration(op, w)?,
            }
        }
        if functions == 1 {
            Ok(m)
        } else {
            Err(format!("{functions} functions"))
        }
    }

    fn declaration(&mut self, op: Op, w: &[u32]) -> Result<(), String> {
        let is = |n: usize, d: Decoration| w[n] == d as u32;
        match op {
            Op::TypeInt if w[1] != 32 => return Err(format!("integers of {} bits", w[1])),
            Op::Constant => drop(self.constants.insert(w[1], Value::Word(w[2]))),
            Op::ExecutionMode if w[1] == ExecutionMode::LocalSize as u32 => self.lanes = w[2] * w[3] * w[4],
            Op::Decorate if is(1, Decoration::DescriptorSet) => self.places.entry(w[0]).or_default()[0] = w[2],
            Op::Decorate if is(1, Decoration::Binding) => self.places.entry(w[0]).or_default()[1] = w[2],
            Op::Decorate if is(1, Decoration::BuiltIn) && w[2] == BuiltIn::LocalInvocationIndex as u32 => {
                self.index = Some(w[0]);
            }
            Op::Decorate if is(1, Decoration::BuiltIn) => return Err(format!("built-in {}", w[2])),
            Op::SpecConstant | Op::SpecConstantOp | Op::ConstantComposite => return Err(format!("{op:?}")),
            _ => {}
        }
        Ok(())
    }
}

struct Run<'a> {
    module: &'a Module<'a>,
    buffers: &'a [Buffer],
    memory: &'a mut [Vec<u32>],
    env: HashMap<u32, Value>,
    variables: HashMap<u32, u32>,
    lane: u32,
}

impl Run<'_> {
    fn invocation(&mut self) -> Result<(), String> {
        let module = self.module;
        let (mut at, mut before) = (module.first, 0);
        for _ in 0..LIMIT {
            let lines = module.blocks.get(&at).ok_or_else(|| format!("no block %{at}"))?;
            self.phis(lines, before)?;
            let (end, body) = lines.split_last().ok_or("an empty block")?;
            for (op, w) in body {
                self.line(*op, w).map_err(|e| format!("{op:?}: {e}"))?;
            }
            match self.next(*end)? {
                Some(next) => (before, at) = (at, next),
                None => return Ok(()),
            }
        }
        Err(format!("no end after {LIMIT} blocks"))
    }

    /// All phis of a block read before any is written.
    fn phis(&mut self, lines: &[Line], before: u32) -> Result<(), String> {
        let mut new = vec![];
        for (_, w) in lines.iter().filter(|l| l.0 == Op::Phi) {
            let pair = w[2..].chunks(2).find(|p| p[1] == before).ok_or("OpPhi: no such predecessor")?;
            new.push((w[1], Value::Word(self.word(pair[0])?)));
        }
        self.env.extend(new);
        Ok(())
    }

    fn next(&self, (op, w): Line) -> Result<Option<u32>, String> {
        Ok(match op {
            Op::Return => None,
            Op::Branch => Some(w[0]),
            Op::BranchConditional => Some(if self.word(w[0])? != 0 { w[1] } else { w[2] }),
            Op::Switch => {
                let selector = self.word(w[0])?;
                Some(w[2..].chunks(2).find(|c| c[0] == selector).map_or(w[1], |c| c[1]))
            }
            Op::Unreachable => return Err("OpUnreachable is reached".into()),
            _ => return Err(format!("a block ends with {op:?}")),
        })
    }

    fn word(&self, id: u32) -> Result<u32, String> {
        match self.env.get(&id) {
            Some(Value::Word(w)) => Ok(*w),
            _ => Err(format!("%{id} has no value")),
        }
    }

    fn line(&mut self, op: Op, w: &[u32]) -> Result<(), String> {
        let value = match op {
            Op::Phi | Op::LoopMerge | Op::SelectionMerge | Op::Variable => return Ok(()),
            Op::Store => return self.store(w[0], self.word(w[1])?),
            Op::Load => Value::Word(self.load(w[2])?),
            Op::AccessChain => self.place(&w[2..])?,
            Op::ExtInst => {
                let operands = w[4..].iter().map(|&id| self.word(id)).collect::<Result<Vec<_>, _>>()?;
                Value::Word(extended(w[3], &operands).ok_or_else(|| format!("GLSL.std.450 {}", w[3]))?)
            }
            _ => {
                let operands = w[2..].iter().map(|&id| self.word(id)).collect::<Result<Vec<_>, _>>()?;
                Value::Word(operation(op, &operands).ok_or("not known, or not defined here")?)
            }
        };
        self.env.insert(w[1], value);
        Ok(())
    }

    fn load(&self, pointer: u32) -> Result<u32, String> {
        match self.env.get(&pointer) {
            Some(&Value::Place(b, at)) => Ok(self.memory[b][at]),
            _ if self.module.index == Some(pointer) => Ok(self.lane),
            _ => self.variables.get(&pointer).copied().ok_or_else(|| format!("%{pointer} is not written")),
        }
    }

    fn store(&mut self, pointer: u32, value: u32) -> Result<(), String> {
        match self.env.get(&pointer) {
            Some(&Value::Place(b, at)) => self.memory[b][at] = value,
            _ => drop(self.variables.insert(pointer, value)),
        }
        Ok(())
    }

    /// A buffer's only member, and an index into it.
    fn place(&self, w: &[u32]) -> Result<Value, String> {
        let &[base, member, index] = w else { return Err(format!("{} operands", w.len())) };
        let place = self.module.places.get(&base).ok_or_else(|| format!("%{base} is no buffer"))?;
        let found = self.buffers.iter().position(|b| [b.set, b.binding] == *place);
        let buffer = found.ok_or_else(|| format!("no buffer {place:?}"))?;
        let (member, index) = (self.word(member)?, self.word(index)? as usize);
        if member != 0 || index >= self.memory[buffer].len() {
            return Err(format!("member {member}, word {index} is out of bounds"));
        }
        Ok(Value::Place(buffer, index))
    }
}

/// An operation by its opcode; types never matter, as all are 32 bits wide.
fn operation(op: Op, operands: &[u32]) -> Option<u32> {
    let (a, b) = (operands[0], operands.get(1).copied().unwrap_or(0));
    let (s, t) = (a as i32, b as i32);
    Some(match op {
        Op::Bitcast => a,
        Op::Not => !a,
        Op::SNegate => a.wrapping_neg(),
        Op::BitCount => a.count_ones(),
        Op::BitReverse => a.reverse_bits(),
        Op::IAdd => a.wrapping_add(b),
        Op::ISub => a.wrapping_sub(b),
        Op::IMul => a.wrapping_mul(b),
        Op::UDiv => a.checked_div(b)?,
        Op::UMod => a.checked_rem(b)?,
        Op::SDiv => s.checked_div(t)? as u32,
        // The remainder has the sign of the dividend, the modulus that of the divisor.
        Op::SRem => s.checked_rem(t)? as u32,
        Op::SMod => match s.checked_rem(t)? {
            r if r != 0 && (r < 0) != (t < 0) => (r + t) as u32,
            r => r as u32,
        },
        Op::ShiftRightLogical => a.checked_shr(b)?,
        Op::ShiftRightArithmetic => s.checked_shr(b)? as u32,
        Op::ShiftLeftLogical => a.checked_shl(b)?,
        Op::BitwiseAnd | Op::LogicalAnd => a & b,
        Op::BitwiseOr | Op::LogicalOr => a | b,
        Op::BitwiseXor => a ^ b,
        Op::LogicalNot => 1 - a,
        Op::BitFieldUExtract | Op::BitFieldSExtract => field(op == Op::BitFieldSExtract, a, b, operands[2])?,
        Op::Select if a != 0 => b,
        Op::Select => operands[2],
        Op::IEqual => u32::from(a == b),
        Op::INotEqual => u32::from(a != b),
        Op::ULessThan => u32::from(a < b),
        Op::ULessThanEqual => u32::from(a <= b),
        Op::UGreaterThan => u32::from(a > b),
        Op::UGreaterThanEqual => u32::from(a >= b),
        Op::SLessThan => u32::from(s < t),
        Op::SLessThanEqual => u32::from(s <= t),
        Op::SGreaterThan => u32::from(s > t),
        Op::SGreaterThanEqual => u32::from(s >= t),
        _ => return None,
    })
}

/// Bits of a word, with its sign or without.
fn field(signed: bool, word: u32, offset: u32, count: u32) -> Option<u32> {
    match (offset.checked_add(count)?, count) {
        (33.., _) => None,
        (_, 0) => Some(0),
        (end, _) if signed => Some(((word << (32 - end)) as i32 >> (32 - count)) as u32),
        (end, _) => Some(word << (32 - end) >> (32 - count)),
    }
}

/// An instruction of GLSL.std.450 by its number.
fn extended(number: u32, operands: &[u32]) -> Option<u32> {
    let a = operands[0];
    let b = operands.get(1).copied().unwrap_or(0);
    let (s, t) = (a as i32, b as i32);
    let highest = |w: u32| 31u32.wrapping_sub(w.leading_zeros());
    Some(match number {
        5 => s.wrapping_abs() as u32,
        7 => s.signum() as u32,
        38 => a.min(b),
        39 => s.min(t) as u32,
        41 => a.max(b),
        42 => s.max(t) as u32,
        44 => a.max(b).min(*operands.get(2)?),
        73 if a == 0 => u32::MAX,
        73 => a.trailing_zeros(),
        74 => highest(if s < 0 { !a } else { a }),
        75 => highest(a),
        _ => return None,
    })
}
