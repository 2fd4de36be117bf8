//! What all invocations have: the buffer table, work-group memory, their own numbers.

use super::cx::Emit;
use super::place::{Base, Extent, Place};
use super::stage_io::numbers;
use super::types::{NumberKind, Shape, Types, MAX_VALUE_WORDS};
use crate::interface::{BufferMember, Numbers};
use crate::ssa::{Kind, Space, Target, Value, Width};
use quadlock_isa::abi::{CONST_BUFFERS, CONST_WORDS, WINDOW_WORDS};
use quadlock_isa::{Op, Special};

/// Constant words left for constants that the back end places.
const RESERVED_WORDS: u32 = 128;
/// The most constant words that one uniform buffer gets; what lies behind is read from memory.
const MAX_UNIFORM_WORDS: u32 = 256;

/// Words of the bank that a program can have: a stage of a pipeline has a window.
pub fn bank_words(linked: bool) -> u32 {
    if linked {
        WINDOW_WORDS as u32
    } else {
        CONST_WORDS as u32 - RESERVED_WORDS
    }
}

/// How many constant words a uniform buffer of so many bytes gets if the first free one is `free`,
/// of `bank`.
pub fn uniform_words(bytes: u32, free: u32, bank: u32) -> u32 {
    let limit = bank.saturating_sub(free).min(MAX_UNIFORM_WORDS);
    bytes.div_ceil(4).min(limit)
}

/// The members of a uniform buffer for the host; `name` gives a member's name by its number, and
/// without a number the buffer's.
pub fn members(types: &Types, shape: Shape, name: &dyn Fn(Option<u32>) -> String) -> Vec<BufferMember> {
    let one = |number: Option<u32>, offset: u32, shape: Shape| {
        let mut leaves = vec![];
        // A value that is too large has no leaves; it is not named, and never read as a whole. Nor
        // is one whose words end before they begin, past the last address, or that is mostly holes.
        shape.leaves(types, offset, &mut leaves).ok()?;
        let (first, last) = (leaves.first()?, leaves.last()?);
        let numbers = leaf_kind(types, shape).and_then(numbers);
        let word = first.offset / 4;
        let words = (last.offset / 4 + 1).checked_sub(word).filter(|&n| n <= MAX_VALUE_WORDS)?;
        let mut kinds = String::new();
        if numbers.is_none() {
            let mut letters = vec![b'-'; words as usize];
            letter(types, shape, offset, word, &mut letters);
            kinds = letters.into_iter().map(char::from).collect();
        }
        Some(BufferMember { name: name(number), word, words, numbers, kinds })
    };
    match types.members(shape) {
        [] => one(None, 0, shape).into_iter().collect(),
        all => (0..).zip(all).filter_map(|(k, m)| one(Some(k), m.offset, m.shape)).collect(),
    }
}

/// The kind of the numbers that a vector, a matrix or an array is made of.
fn leaf_kind(types: &Types, mut shape: Shape) -> Option<NumberKind> {
    loop {
        match (shape.scalar(), shape) {
            (Some(scalar), _) => return Some(scalar.kind),
            (None, Shape::Array { base, .. }) => shape = types.get(base),
            _ => return None,
        }
    }
}

/// Writes a letter for each word of 32 bits that the shape at byte `offset` has, from word `first`.
fn letter(types: &Types, shape: Shape, offset: u32, first: u32, out: &mut [u8]) {
    let Some(scalar) = shape.scalar() else {
        for k in 0..shape.count(types).unwrap_or(0) {
            let Ok((element, _, byte)) = shape.element(types, k) else { return };
            letter(types, element, offset.wrapping_add(byte), first, out);
        }
        return;
    };
    let kind = match numbers(scalar.kind) {
        Some(Numbers::Float) if scalar.bits == 32 => b'f',
        Some(Numbers::Int) if scalar.bits == 32 => b'i',
        Some(Numbers::Uint) if scalar.bits == 32 => b'u',
        _ => return,
    };
    let mut leaves = vec![];
    if shape.leaves(types, offset, &mut leaves).is_ok() {
        let at = leaves.iter().filter_map(|leaf| (leaf.offset / 4).checked_sub(first));
        at.for_each(|k| out.iter_mut().skip(k as usize).take(1).for_each(|o| *o = kind));
    }
}

impl Emit<'_> {
    /// The buffer of an entry of the table.
    pub fn buffer_place(&mut self, entry: u32, space: Space, shape: Shape) -> Place {
        let addr = self.b.const_word(CONST_BUFFERS as u32 + 2 * entry);
        let extent = Some(Extent::Entry(entry));
        Place { base: Base::Memory { space, addr, offset: 0, align: 16, extent }, shape }
    }

    /// A variable of work-group memory.
    pub fn shared_place(&mut self, offset: u32, shape: Shape) -> Place {
        let addr = self.b.constant(0);
        Place { base: Base::Memory { space: Space::Shared, addr, offset, align: 16, extent: None }, shape }
    }

    /// Clears `bytes` (a multiple of 16) of work-group memory: thread i writes the 16-byte pieces
    /// i, i + threads, ...
    pub fn zero_shared(&mut self, bytes: u32) {
        let pieces = bytes / 16;
        let threads = self.p.group_size.iter().product::<u32>().max(1);
        let index = self.b.special(Special::LocalIndex);
        let exit = self.b.block();
        let first = self.b.block();
        if pieces > threads {
            // A loop: the offset is a slot, mem2reg makes it a block parameter.
            let slot = self.b.slot(1, "clear_at");
            let at = self.b.alu_imm(Op::Shl, index, 4);
            self.b.slot_store(slot, 0, at);
            self.b.jump(first);
            self.b.start(first);
            let at = self.b.slot_load(slot, 0);
            let zeros = self.zeros(4);
            self.b.store(Space::Shared, Width::W128, at, 0, zeros);
            let next = self.b.alu_imm(Op::IAdd, at, threads * 16);
            self.b.slot_store(slot, 0, next);
            let end = self.b.constant(bytes);
            let more = self.b.alu2(Op::USetLt, next, end);
            self.b.branch(more, first, exit);
        } else {
            let end = self.b.constant(pieces);
            let mine = self.b.alu2(Op::USetLt, index, end);
            self.b.branch(mine, first, exit);
            self.b.start(first);
            let at = self.b.alu_imm(Op::Shl, index, 4);
            let zeros = self.zeros(4);
            self.b.store(Space::Shared, Width::W128, at, 0, zeros);
            self.b.terminate(Kind::Jump(Target { block: exit, args: vec![] }));
        }
        self.b.start(exit);
        self.barrier();
    }

    /// LocalId holds x in bits 9:0, y in 19:10, z in 29:20. An axis of size 1 is always 0.
    pub fn local_id(&mut self, axis: usize) -> Value {
        let size = self.p.group_size;
        if size[axis] == 1 {
            return self.b.constant(0);
        }
        let packed = self.b.special(Special::LocalId);
        if size.iter().enumerate().all(|(i, &s)| i == axis || s == 1) && axis == 0 {
            return packed;
        }
        let field = self.b.constant((axis as u32 * 10) | (10 << 8));
        self.b.alu2(Op::UBfe, packed, field)
    }

    pub fn global_id(&mut self, axis: usize, group: Special) -> Value {
        let group = self.b.special(group);
        let size = self.p.group_size[axis];
        if size == 1 {
            return group;
        }
        let local = self.local_id(axis);
        self.b.multiply_add(group, size, Some(local))
    }
}
