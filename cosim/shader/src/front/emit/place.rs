//! Pointers: where a variable or a part of it lies, how an access chain moves the place, and how a
//! value is loaded from it or stored to it. Local variables are slots of packed words; everything
//! else has its shape's memory layout. Consecutive words become one 64- or 128-bit access when the
//! address is known to be aligned; that knowledge starts at 16 for buffers (the host binds them so)
//! and for work-group memory, and shrinks with every offset and stride. A wrong alignment would be
//! silent, because the machine ignores low address bits: `align_at` is the only place that decides.

use super::cx::{Emit, Res};
use super::types::{Leaf, Shape};
use crate::ssa::{Slot, Space, Value, Width};
use quadlock_isa::abi::CONST_BUFFERS;
use quadlock_isa::Op;

/// Where a variable or a part of it lies.
#[derive(Clone, Copy, Debug)]
pub enum Base {
    /// Words of a slot from `word` on.
    Slot { slot: Slot, word: u32 },
    /// One component, chosen at run time, of a vector in a slot; a component is one word.
    SlotComponent { slot: Slot, word: u32, size: u32, index: Value },
    /// Packed words at a computed address of the thread's frame.
    Stack { addr: Value, offset: u32 },
    /// Byte `offset` of a uniform buffer.
    Uniform { buffer: u32, offset: u32, const_at: u32, const_words: u32 },
    /// `addr + offset`; `align`: what `addr` is a multiple of; `extent`: of what, for lengths.
    Memory { space: Space, addr: Value, offset: u32, align: u32, extent: Option<Extent> },
}

/// Where the buffer ends that a place lies in.
#[derive(Clone, Copy, Debug)]
pub enum Extent {
    /// An entry of the buffer table; `offset` counts from the buffer's start, as far as it matters.
    Entry(u32),
    /// Bytes from `addr` on.
    Bytes(Value),
}

/// A place and what lies there.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    pub base: Base,
    pub shape: Shape,
}

/// The largest power of two, up to `align`, that divides `addr + offset`.
fn align_at(align: u32, offset: u32) -> u32 {
    match offset {
        0 => align,
        _ => align.min(1 << offset.trailing_zeros()),
    }
}

impl Place {
    /// What the address is known to be a multiple of; 4 for variables that are not in memory.
    pub fn alignment(&self) -> u32 {
        match self.base {
            Base::Memory { offset, align, .. } => align_at(align, offset),
            _ => 4,
        }
    }
}

impl Emit<'_> {
    /// The element at a constant index (or struct member).
    pub fn place_at(&mut self, place: Place, index: u32) -> Res<Place> {
        let index = match (self.p.options.clamp_indices, place.shape.count(&self.p.types)) {
            (true, Some(count)) => index.min(count.saturating_sub(1)),
            (true, None) if index > 0 => {
                // A run-time array: even a constant index needs the length.
                let index = self.b.constant(index);
                return self.place_dynamic(place, index);
            }
            _ => index,
        };
        let (shape, word, byte) = self.named(place.shape.element(&self.p.types, index))?;
        let base = match place.base {
            Base::Slot { slot, word: w } => Base::Slot { slot, word: w + word },
            Base::Stack { addr, offset } => Base::Stack { addr, offset: offset + word * 4 },
            Base::Uniform { buffer, offset, const_at, const_words } => {
                Base::Uniform { buffer, offset: offset.wrapping_add(byte), const_at, const_words }
            }
            Base::Memory { space, addr, offset, align, extent } => {
                Base::Memory { space, addr, offset: offset.wrapping_add(byte), align, extent }
            }
            Base::SlotComponent { .. } => return Err(self.refuse("a component has no elements")),
        };
        Ok(Place { base, shape })
    }

    /// The element at an index known at run time only.
    pub fn place_dynamic(&mut self, place: Place, index: Value) -> Res<Place> {
        let runtime_array = matches!(place.shape, Shape::Array { count: None, .. });
        if let (Some(index), false) = (self.b.known(index), runtime_array) {
            return self.place_at(place, index);
        }
        let index = self.clamped(place, index)?;
        let (shape, _, _) = self.named(place.shape.element(&self.p.types, 0))?;
        let base = match place.base {
            Base::Slot { slot, word } => match place.shape {
                Shape::Vector { size, scalar, .. } if scalar.words() == 1 => {
                    Base::SlotComponent { slot, word, size, index }
                }
                _ => {
                    let frame = self.b.slot_addr(slot);
                    let words = self.named(shape.words(&self.p.types))?;
                    Base::Stack { addr: self.b.multiply_add(index, words * 4, Some(frame)), offset: word * 4 }
                }
            },
            Base::Stack { addr, offset } => {
                let words = self.named(shape.words(&self.p.types))?;
                Base::Stack { addr: self.b.multiply_add(index, words * 4, Some(addr)), offset }
            }
            Base::Uniform { .. } | Base::Memory { .. } => {
                let (space, addr, offset, align, extent) = self.in_memory(place)?;
                let stride = place.shape.stride();
                let base = if space == Space::Shared && self.b.known(addr) == Some(0) { None } else { Some(addr) };
                let addr = self.b.multiply_add(index, stride, base);
                Base::Memory { space, addr, offset, align: align_at(align, stride), extent }
            }
            Base::SlotComponent { .. } => return Err(self.refuse("a component has no elements")),
        };
        Ok(Place { base, shape })
    }

    /// A uniform or memory place as address and offset.
    fn in_memory(&mut self, place: Place) -> Res<(Space, Value, u32, u32, Option<Extent>)> {
        match place.base {
            Base::Memory { space, addr, offset, align, extent } => Ok((space, addr, offset, align, extent)),
            Base::Uniform { buffer, offset, .. } => {
                let addr = self.b.const_word(CONST_BUFFERS as u32 + 2 * buffer);
                Ok((Space::ReadOnly, addr, offset, 16, Some(Extent::Entry(buffer))))
            }
            _ => Err(self.refuse("this variable is not in memory")),
        }
    }

    fn clamped(&mut self, place: Place, index: Value) -> Res<Value> {
        if !self.p.options.clamp_indices {
            return Ok(index);
        }
        let last = match place.shape.count(&self.p.types) {
            Some(count) => self.b.constant(count.saturating_sub(1)),
            None => {
                let length = self.array_length(place)?;
                let one = self.b.constant(1);
                let length = self.b.alu2(Op::UMax, length, one);
                self.b.alu_imm(Op::ISub, length, 1)
            }
        };
        Ok(self.b.alu2(Op::UMin, index, last))
    }

    /// Elements of a run-time array: what fits in the buffer behind its start.
    pub fn array_length(&mut self, place: Place) -> Res<Value> {
        let Shape::Array { stride, .. } = place.shape else {
            return Err(self.refuse("arrayLength of something that is no array"));
        };
        if let Some(count) = place.shape.count(&self.p.types) {
            return Ok(self.b.constant(count));
        }
        let Base::Memory { offset, extent: Some(extent), .. } = place.base else {
            return Err(self.refuse("the length of this array is not known"));
        };
        let size = match extent {
            Extent::Entry(buffer) => self.b.const_word(CONST_BUFFERS as u32 + 2 * buffer + 1),
            Extent::Bytes(bytes) => bytes,
        };
        let bytes = self.b.alu_imm(Op::ISub, size, offset);
        Ok(self.udiv_constant(bytes, stride))
    }

    fn leaves(&mut self, shape: Shape) -> Res<Vec<Leaf>> {
        let mut leaves = Vec::new();
        self.named(shape.leaves(&self.p.types, 0, &mut leaves))?;
        Ok(leaves)
    }

    /// The width of the access that begins at `leaves[at]`, and how many leaves it covers.
    fn run(leaves: &[Leaf], at: usize, align: u32, offset: u32) -> (Width, usize) {
        let first = leaves[at];
        match first.bytes {
            1 => return (Width::U8, 1),
            2 => return (Width::U16, 1),
            _ => {}
        }
        let consecutive = |n: usize| {
            let words = leaves.get(at..at + n);
            words.is_some_and(|w| {
                w.iter().enumerate().all(|(i, l)| l.bytes == 4 && l.offset == first.offset + 4 * i as u32)
            })
        };
        let aligned = align_at(align, offset.wrapping_add(first.offset));
        match aligned {
            16.. if consecutive(4) => (Width::W128, 4),
            8.. if consecutive(2) => (Width::W64, 2),
            _ => (Width::W32, 1),
        }
    }

    /// All words of the value at a place, in packed order.
    pub fn load(&mut self, place: Place) -> Res<Vec<Value>> {
        let leaves = self.leaves(place.shape)?;
        let mut out = Vec::with_capacity(leaves.len());
        match place.base {
            Base::Slot { slot, word } => out.extend((0..leaves.len() as u32).map(|i| self.b.slot_load(slot, word + i))),
            Base::SlotComponent { slot, word, size, index } => {
                let mut value = self.b.slot_load(slot, word);
                for i in 1..size {
                    let number = self.b.constant(i);
                    let here = self.b.alu2(Op::ISetEq, index, number);
                    let component = self.b.slot_load(slot, word + i);
                    value = self.b.select(here, component, value);
                }
                out.push(value);
            }
            Base::Stack { addr, offset } => {
                for i in 0..leaves.len() as u32 {
                    out.extend(self.b.load(Space::Stack, Width::W32, addr, offset + i * 4));
                }
            }
            Base::Uniform { buffer, offset, const_at, const_words } => {
                for leaf in leaves {
                    let at = offset.wrapping_add(leaf.offset);
                    let width = match leaf.bytes {
                        1 => Width::U8,
                        2 => Width::U16,
                        _ => Width::W32,
                    };
                    if at / 4 < const_words {
                        let word = self.b.const_word(const_at + at / 4);
                        // The upper bits of a narrow number mean nothing.
                        out.push(self.b.alu_imm(Op::Shr, word, at % 4 * 8));
                    } else {
                        let addr = self.b.const_word(CONST_BUFFERS as u32 + 2 * buffer);
                        out.extend(self.b.load(Space::ReadOnly, width, addr, at));
                    }
                }
            }
            Base::Memory { space, addr, offset, align, .. } => {
                let mut at = 0;
                while at < leaves.len() {
                    let (width, count) = Self::run(&leaves, at, align, offset);
                    out.extend(self.b.load(space, width, addr, offset.wrapping_add(leaves[at].offset)));
                    at += count;
                }
            }
        }
        Ok(out)
    }

    /// Stores all words of a value; padding in memory is left as it is.
    pub fn store(&mut self, place: Place, values: &[Value]) -> Res<()> {
        let leaves = self.leaves(place.shape)?;
        if leaves.len() != values.len() {
            return Err(self.refuse("internal: value and variable differ in size"));
        }
        match place.base {
            Base::Slot { slot, word } => {
                for (i, &value) in values.iter().enumerate() {
                    self.b.slot_store(slot, word + i as u32, value);
                }
            }
            Base::SlotComponent { slot, word, size, index } => {
                for i in 0..size {
                    let number = self.b.constant(i);
                    let here = self.b.alu2(Op::ISetEq, index, number);
                    let old = self.b.slot_load(slot, word + i);
                    let new = self.b.select(here, values[0], old);
                    self.b.slot_store(slot, word + i, new);
                }
            }
            Base::Stack { addr, offset } => {
                for (i, &value) in values.iter().enumerate() {
                    self.b.store(Space::Stack, Width::W32, addr, offset + i as u32 * 4, vec![value]);
                }
            }
            Base::Uniform { .. } => return Err(self.refuse("a uniform buffer cannot be written")),
            Base::Memory { space, addr, offset, align, .. } => {
                let mut at = 0;
                while at < leaves.len() {
                    let (width, count) = Self::run(&leaves, at, align, offset);
                    self.b.store(
                        space,
                        width,
                        addr,
                        offset.wrapping_add(leaves[at].offset),
                        values[at..at + count].to_vec(),
                    );
                    at += count;
                }
            }
        }
        Ok(())
    }

    /// Space, address and offset of one or two words in memory, for atomics.
    pub fn atomic_address(&mut self, place: Place) -> Res<(Space, Value, u32)> {
        match place.base {
            Base::Memory { space, addr, offset, .. } => Ok((space, addr, offset)),
            _ => Err(self.refuse("an atomic must be in a storage buffer or in work-group memory")),
        }
    }

    /// A pointer as words: its address, and the bytes from there to the end of its buffer. Of
    /// work-group memory, and where the end is not known, all that can be.
    pub fn pointer_words(&mut self, place: Place) -> Res<Vec<Value>> {
        let (_, addr, offset, _, extent) = self.in_memory(place)?;
        let at = self.b.alu_imm(Op::IAdd, addr, offset);
        let bytes = match extent {
            Some(Extent::Bytes(bytes)) => self.b.alu_imm(Op::ISub, bytes, offset),
            Some(Extent::Entry(entry)) => {
                let start = self.b.const_word(CONST_BUFFERS as u32 + 2 * entry);
                let size = self.b.const_word(CONST_BUFFERS as u32 + 2 * entry + 1);
                let end = self.b.alu2(Op::IAdd, start, size);
                self.b.alu2(Op::ISub, end, at)
            }
            None => self.b.constant(i32::MAX as u32),
        };
        Ok(vec![at, bytes])
    }

    /// The place that a pointer's words are.
    pub fn pointed(&self, space: Space, words: [Value; 2], shape: Shape) -> Place {
        let extent = Some(Extent::Bytes(words[1]));
        Place { base: Base::Memory { space, addr: words[0], offset: 0, align: 4, extent }, shape }
    }

    /// The place `index` times `stride` bytes behind another one.
    pub fn place_behind(&mut self, place: Place, index: Value, stride: u32) -> Res<Place> {
        let words = self.pointer_words(place)?;
        let Base::Memory { space, .. } = place.base else {
            return Err(self.refuse("arithmetic on a pointer to a variable that is not in memory"));
        };
        let bytes = self.b.multiply_add(index, stride, None);
        let at = self.b.alu2(Op::IAdd, words[0], bytes);
        let rest = self.b.alu2(Op::ISub, words[1], bytes);
        Ok(self.pointed(space, [at, rest], place.shape))
    }
}

/// Layouts that WGSL has no types for; what it has, the tests of the front end run.
#[cfg(test)]
mod tests {
    use super::*;
    use crate::front::emit::cx::Program;
    use crate::front::emit::types::{NumberKind, Scalar};
    use crate::front::options::Options;
    use crate::ssa::interp::{self, Launch};
    use crate::ssa::{FuncId, Kind};
    use quadlock_isa::abi::CONST_USER;

    /// Where the input lies and where the results go.
    const INPUT: u32 = 0x40;
    const RESULTS: u32 = 0x100;

    /// Runs a function on the words of `input`, whose first one is a constant word too; gives the
    /// values that it made.
    fn run(input: &[u32], body: impl FnOnce(&mut Emit) -> Res<Vec<Value>>) -> Vec<u32> {
        let mut program = Program::new(Options::default(), vec!["test".into()], [1; 3], None);
        let mut e = Emit::new(&mut program, "test");
        let values = body(&mut e).unwrap();
        let count = values.len();
        let base = e.b.constant(RESULTS);
        for (i, value) in values.into_iter().enumerate() {
            e.b.store(Space::Global, Width::W32, base, 4 * i as u32, vec![value]);
        }
        e.b.terminate(Kind::Return(vec![]));
        let func = e.b.finish();
        program.out.funcs.push(func);
        let mut constants = vec![0; 1024];
        constants[CONST_BUFFERS] = INPUT;
        constants[CONST_BUFFERS + 1] = 4 * input.len() as u32;
        constants[CONST_USER] = input[0];
        let mut memory = vec![0; 0x200];
        for (i, word) in input.iter().enumerate() {
            memory[INPUT as usize + 4 * i..][..4].copy_from_slice(&word.to_le_bytes());
        }
        let launch = Launch { grid: [1; 3], group_size: [1; 3], constants, ..Launch::default() };
        interp::run(&program.out, FuncId(0), &launch, &mut memory).unwrap();
        let word = |i: usize| memory[RESULTS as usize + 4 * i..][..4].try_into().map(u32::from_le_bytes).unwrap();
        (0..count).map(word).collect()
    }

    fn scalar(kind: NumberKind, bits: u32) -> Scalar {
        Scalar { kind, bits }
    }

    fn in_uniform(shape: Shape) -> Place {
        Place { base: Base::Uniform { buffer: 0, offset: 0, const_at: CONST_USER as u32, const_words: 1 }, shape }
    }

    /// From the constant word and from memory behind it.
    #[test]
    fn narrow_numbers_of_a_uniform_buffer() {
        let input = [0x8433_2211, 0x88F7_6655];
        let all = |bits: u32, count: u32| {
            let words = run(&input, |e| {
                let base = e.p.types.intern(Shape::Scalar(scalar(NumberKind::Uint, bits)));
                e.load(in_uniform(Shape::Array { base, count: Some(count), stride: bits / 8 }))
            });
            words.into_iter().map(|w| w & (u32::MAX >> (32 - bits))).collect::<Vec<u32>>()
        };
        assert_eq!(all(8, 8), [0x11, 0x22, 0x33, 0x84, 0x55, 0x66, 0xF7, 0x88]);
        assert_eq!(all(16, 4), [0x2211, 0x8433, 0x6655, 0x88F7]);
        assert_eq!(all(32, 2), input);
    }

    #[test]
    fn a_component_of_64_bits_chosen_at_run_time() {
        for index in 0..3 {
            let got = run(&[index, 0], |e| {
                let double = scalar(NumberKind::Float, 64);
                let slot = e.b.slot(6, "v");
                let words: Vec<Value> = (1..=6).map(|w| e.b.constant(w)).collect();
                e.b.slot_store_all(slot, &words);
                let at = e.b.constant(INPUT);
                let index = e.b.load(Space::Global, Width::W32, at, 0)[0];
                let shape = Shape::Vector { size: 3, scalar: double, stride: 8 };
                let place = Place { base: Base::Slot { slot, word: 0 }, shape };
                let component = e.place_dynamic(place, index)?;
                let mut got = e.load(component)?;
                let new = [e.b.constant(70), e.b.constant(80)];
                e.store(component, &new)?;
                got.extend(e.load(place)?);
                Ok(got)
            });
            let mut after = vec![1, 2, 3, 4, 5, 6];
            let at = 2 * index as usize;
            let before = after[at..at + 2].to_vec();
            after[at..at + 2].copy_from_slice(&[70, 80]);
            assert_eq!(got, [before, after].concat(), "component {index}");
        }
    }

    /// Two columns, three rows, 16 bytes from row to row: whole, and one column.
    #[test]
    fn a_matrix_stored_by_rows() {
        let input = [11, 12, 0, 0, 21, 22, 0, 0, 31, 32];
        let shape =
            Shape::Matrix { columns: 2, rows: 3, scalar: scalar(NumberKind::Float, 32), stride: 16, row_major: true };
        let place = |e: &mut Emit| e.buffer_place(0, Space::Global, shape);
        let whole = run(&input, |e| {
            let place = place(e);
            e.load(place)
        });
        assert_eq!(whole, [11, 21, 31, 12, 22, 32]);
        let column = run(&input, |e| {
            let place = place(e);
            let column = e.place_at(place, 1)?;
            e.load(column)
        });
        assert_eq!(column, [12, 22, 32]);
    }
}
