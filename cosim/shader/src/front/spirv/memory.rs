//! Variables of functions, access chains, loads and stores, atomics, barriers, pointers that are
//! chosen at run time. An atomic is one by its opcode, a load too: another thread may change the
//! word, so a loop that waits for that reads it each time. Volatile and coherent accesses stay
//! where they are and as many as they are: fences stand around them.

use super::arith::Read;
use super::lower::{Lower, Operand};
use super::module::Res;
use crate::front::emit::place::{Base, Place};
use crate::front::emit::types::Shape;
use crate::ssa::{AtomicOp, Kind, Space, Value};
use quadlock_isa::abi::CONST_BUFFERS;
use quadlock_isa::Op as M;
use rspirv::spirv::{BuiltIn, Decoration, ExecutionModel, MemoryAccess, Op, Scope, StorageClass};

/// Buffers of one array at most: the buffer table has no more.
const MOST_BUFFERS: u32 = 32;

/// Which buffer of an array.
#[derive(Clone, Copy)]
enum Index {
    Known(u32),
    RunTime(Value),
}

impl Lower<'_, '_> {
    /// The last ones in the line of [`Lower::value`]: what is left is not supported.
    pub fn memory(&mut self) -> Res<Option<Operand>> {
        let m = self.m;
        let i = &m.insts[self.n];
        let a = &i.args;
        match i.op {
            Op::Variable => return self.function_variable().map(Some),
            Op::AccessChain | Op::InBoundsAccessChain => return self.chain(a[0], &a[1..]).map(Some),
            Op::PtrAccessChain | Op::InBoundsPtrAccessChain => {
                let base = self.stepped(a[0], a[1])?;
                return self.walk(base, &a[2..]).map(|p| Some(Operand::Place(p)));
            }
            Op::CopyObject => return self.operand(a[0]).map(Some),
            Op::Undef => {
                let count = self.words_of(i.ty)?;
                let zero = self.e.b.constant(0);
                let words = vec![zero; count as usize];
                return self.operand_of(i.ty, words).map(Some);
            }
            Op::Select => {
                let words = self.select(a[0], a[1], a[2])?;
                return self.operand_of(i.ty, words).map(Some);
            }
            Op::ConstantNull => return self.operand(i.id).map(Some),
            Op::Load if self.m.decoration(a[0], Decoration::BuiltIn) == Some(BuiltIn::HelperInvocation as u32) => {
                return Ok(Some(Operand::Words(vec![self.e.is_helper()])));
            }
            Op::Load => {
                let place = self.place(a[0])?;
                let words = self.guarded(a[0], a.get(1), |l| l.e.load(place))?;
                return self.operand_of(i.ty, words).map(Some);
            }
            Op::Store => {
                let (place, words) = (self.place(a[0])?, self.as_words(a[1])?);
                self.guarded(a[0], a.get(2), |l| l.store(place, &words))?;
            }
            Op::CopyMemory => {
                let (to, from) = (self.place(a[0])?, self.place(a[1])?);
                // Operands of the target, then, if there are two sets, of the source.
                let first = MemoryAccess::from_bits_truncate(a.get(2).copied().unwrap_or(0));
                let more = first.intersects(MemoryAccess::ALIGNED) as usize
                    + first.intersects(MemoryAccess::MAKE_POINTER_AVAILABLE) as usize
                    + first.intersects(MemoryAccess::MAKE_POINTER_VISIBLE) as usize;
                let words = self.guarded(a[1], a.get(3 + more).or(a.get(2)), |l| l.e.load(from))?;
                self.guarded(a[0], a.get(2), |l| l.store(to, &words))?;
            }
            Op::ArrayLength => {
                let place = self.place(a[0])?;
                let array = self.e.place_at(place, a[1])?;
                let length = self.e.array_length(array)?;
                return Ok(Some(Operand::Words(vec![length])));
            }
            Op::PtrEqual | Op::PtrNotEqual | Op::PtrDiff => return self.compare_pointers().map(Some),
            Op::ControlBarrier => {
                let scope = self.constant_word(a[0])?;
                if scope == Scope::Subgroup as u32 || scope == Scope::Invocation as u32 {
                    self.e.fence(false);
                } else {
                    self.e.barrier();
                }
            }
            Op::MemoryBarrier => self.e.fence(false),
            Op::AssumeTrueKHR => {}
            Op::ExtInst => {}
            Op::IsHelperInvocationEXT => return Ok(Some(Operand::Words(vec![self.e.is_helper()]))),
            Op::DemoteToHelperInvocation if self.entry.model == ExecutionModel::Fragment => self.e.demote(),
            Op::DemoteToHelperInvocation => return self.invalid("only a fragment has helper invocations"),
            op => match self.atomic(op)? {
                Some(words) => return Ok((i.id != 0).then_some(Operand::Words(words))),
                None => return self.refuse(format!("Op{op:?} is not supported"), "write it by other instructions"),
            },
        }
        Ok(None)
    }

    /// Stores a value of the place's size.
    pub fn store(&mut self, place: Place, words: &[Value]) -> Res<()> {
        match self.counted(place.shape)? as usize == words.len() {
            true => self.e.store(place, words),
            false => self.invalid("what is stored has another type than its place"),
        }
    }

    /// A variable of a function begins with its initialiser, or with zeros.
    fn function_variable(&mut self) -> Res<Operand> {
        let i = &self.m.insts[self.n];
        let Some((_, pointee)) = self.pointer(i.ty) else { return self.invalid("a variable that is no pointer") };
        let shape = self.ty(pointee)?;
        let name = self.m.names.get(&i.id).map_or("_", String::as_str);
        let slot = self.e.variable_slot(shape, name)?;
        let place = Place { base: Base::Slot { slot, word: 0 }, shape };
        match i.args.get(1) {
            Some(&initial) if !self.is_null(initial) => {
                let words = self.as_words(initial)?;
                self.store(place, &words)?;
            }
            _ => self.e.clear_slot(slot),
        }
        Ok(Operand::Place(place))
    }

    /// Whether it is nothing but zeros, of any size.
    pub fn is_null(&self, id: u32) -> bool {
        self.m.def(id).is_some_and(|d| d.op == Op::ConstantNull)
    }

    /// An access chain.
    fn chain(&mut self, base: u32, indices: &[u32]) -> Res<Operand> {
        let place = match (self.operand(base)?, indices) {
            (Operand::Place(place), indices) => self.walk(place, indices)?,
            (all @ Operand::Buffers { .. }, []) => return Ok(all),
            (Operand::Buffers { first, count, space, shape }, indices) => {
                let lengths = self.lengths(base)?;
                let (own, rest) = indices.split_at(indices.len().min(lengths.len()));
                let index = self.flat(&lengths, own)?;
                let below: u32 = lengths[own.len()..].iter().product();
                match index {
                    Index::Known(k) if own.len() < lengths.len() => {
                        let first = first + k.saturating_mul(below).min(count - below);
                        return Ok(Operand::Buffers { first, count: below, space, shape });
                    }
                    Index::RunTime(_) if own.len() < lengths.len() => {
                        let message = "a part of an array of arrays of buffers, chosen at run time";
                        return self.refuse(message, "name the buffer in one access chain");
                    }
                    index => {
                        let place = self.one_of((first, count), space, shape, index)?;
                        self.walk(place, rest)?
                    }
                }
            }
            (Operand::Words(_), _) => return self.invalid(format!("{} is no pointer", self.m.called(base))),
        };
        Ok(Operand::Place(place))
    }

    fn walk(&mut self, mut place: Place, indices: &[u32]) -> Res<Place> {
        for &index in indices {
            place = match self.constant(index)? {
                Some(words) => {
                    if matches!(place.shape, Shape::Scalar(_) | Shape::Atomic(_)) {
                        return self.invalid("an index into a scalar");
                    }
                    self.e.place_at(place, words.first().copied().unwrap_or(0))?
                }
                None => {
                    let words = self.words(index)?;
                    let bits = self.bits_of(index);
                    let Some(&word) = words.first() else { return self.invalid("an index without a value") };
                    let word = if bits < 32 { self.extend(word, bits, true) } else { word };
                    self.e.place_dynamic(place, word)?
                }
            };
        }
        Ok(place)
    }

    /// Lengths of the arrays that a pointer to buffers points to, the outer one first.
    fn lengths(&mut self, pointer: u32) -> Res<Vec<u32>> {
        let mut ty = self.pointer(self.type_of(pointer)).map_or(0, |p| p.1);
        let mut out = vec![];
        let m = self.m;
        while let Some(array) = m.def(ty).filter(|d| d.op == Op::TypeArray) {
            out.push(self.constant_word(array.args[1])?.max(1));
            ty = array.args[0];
        }
        Ok(out)
    }

    /// The number of an element of nested arrays, counted through.
    fn flat(&mut self, lengths: &[u32], indices: &[u32]) -> Res<Index> {
        let mut sum = Index::Known(0);
        for (&index, &length) in indices.iter().zip(lengths) {
            let known = self.constant(index)?.and_then(|w| w.first().copied());
            sum = match (sum, known) {
                (Index::Known(k), Some(index)) => {
                    Index::Known(k.saturating_mul(length).saturating_add(index.min(length - 1)))
                }
                (sum, known) => {
                    let before = match sum {
                        Index::Known(k) => self.e.b.constant(k.saturating_mul(length)),
                        Index::RunTime(v) => self.e.b.alu_imm(M::IMul, v, length),
                    };
                    let index = match known {
                        Some(k) => self.e.b.constant(k),
                        None => self.number(index)?,
                    };
                    let last = self.e.b.constant(length - 1);
                    let index = self.e.b.alu2(M::UMin, index, last);
                    Index::RunTime(self.e.b.alu2(M::IAdd, before, index))
                }
            };
        }
        Ok(sum)
    }

    /// One of an array of buffers. Chosen at run time, address and size are selected.
    fn one_of(&mut self, (first, count): (u32, u32), space: Space, shape: Shape, index: Index) -> Res<Place> {
        let index = match index {
            Index::Known(k) => return Ok(self.e.buffer_place(first + k.min(count - 1), space, shape)),
            Index::RunTime(index) => index,
        };
        if count > MOST_BUFFERS {
            return self.refuse(format!("an array of more than {MOST_BUFFERS} buffers"), "use fewer");
        }
        let entry = |k: u32| CONST_BUFFERS as u32 + 2 * (first + k);
        let addresses: Vec<Value> = (0..count).map(|k| self.e.b.const_word(entry(k))).collect();
        let sizes: Vec<Value> = (0..count).map(|k| self.e.b.const_word(entry(k) + 1)).collect();
        let (addr, size) = (self.chosen(&addresses, index), self.chosen(&sizes, index));
        Ok(self.e.pointed(space, [addr, size], shape))
    }

    /// The element `index` elements behind the one that a pointer points to.
    fn stepped(&mut self, base: u32, index: u32) -> Res<Place> {
        let place = self.place(base)?;
        let stride = match self.m.decoration(self.type_of(base), Decoration::ArrayStride) {
            Some(stride) => stride,
            None => self.tight(place.shape),
        };
        let index = match self.read(index, Read::Signed)?.first() {
            Some(&word) => word,
            None => return self.invalid("an index without a value"),
        };
        self.e.place_behind(place, index, stride)
    }

    /// An access with what its pointer and its operands say of it.
    fn guarded<T>(&mut self, pointer: u32, operands: Option<&u32>, f: impl FnOnce(&mut Self) -> Res<T>) -> Res<T> {
        let access = MemoryAccess::from_bits_truncate(operands.copied().unwrap_or(0));
        let flags = MemoryAccess::VOLATILE | MemoryAccess::MAKE_POINTER_AVAILABLE | MemoryAccess::MAKE_POINTER_VISIBLE;
        let shared = access.intersects(flags) || self.is_coherent(pointer);
        if shared {
            self.e.fence(false);
        }
        let result = f(self)?;
        if shared {
            self.e.fence(false);
        }
        Ok(result)
    }

    /// Whether the variable or a member on the way of a pointer is coherent or volatile.
    fn is_coherent(&self, pointer: u32) -> bool {
        let m = self.m;
        let marks = [Decoration::Coherent, Decoration::Volatile];
        let marked = |id: u32| marks.iter().any(|&d| m.is_decorated(id, d));
        let mut id = pointer;
        // Each step goes to an earlier id of a chain; a hostile module may go in a circle.
        for _ in 0..64 {
            if marked(id) {
                return true;
            }
            let Some(def) = m.def(id) else { return false };
            let indices = match def.op {
                Op::AccessChain | Op::InBoundsAccessChain | Op::CopyObject => &def.args[1..],
                // The first index is of the element that is pointed to.
                Op::PtrAccessChain | Op::InBoundsPtrAccessChain => &def.args[2..],
                Op::Variable => return false,
                // A parameter, or a pointer that was chosen or loaded: of any variable.
                _ => return m.any_decorated(&marks),
            };
            if self.member_on_the_way(def.args[0], indices, &marks) {
                return true;
            }
            id = def.args[0];
        }
        true
    }

    fn member_on_the_way(&self, base: u32, indices: &[u32], marks: &[Decoration]) -> bool {
        let m = self.m;
        let Some((_, mut ty)) = self.pointer(self.type_of(base)) else { return false };
        for &index in indices {
            let Some(def) = m.def(ty) else { return false };
            ty = match def.op {
                Op::TypeStruct => {
                    let k = m.word(index).unwrap_or(0);
                    if marks.iter().any(|&d| m.member(ty, k, d).is_some()) {
                        return true;
                    }
                    def.args.get(k as usize).copied().unwrap_or(0)
                }
                Op::TypeArray | Op::TypeRuntimeArray | Op::TypeMatrix | Op::TypeVector => def.args[0],
                _ => return false,
            };
        }
        false
    }

    fn compare_pointers(&mut self) -> Res<Operand> {
        let i = &self.m.insts[self.n];
        let (x, y) = (self.as_words(i.args[0])?, self.as_words(i.args[1])?);
        if x.is_empty() || y.is_empty() {
            return self.invalid("a pointer without words");
        }
        let word = match i.op {
            Op::PtrEqual => self.e.b.alu2(M::ISetEq, x[0], y[0]),
            Op::PtrNotEqual => self.e.b.alu2(M::ISetNe, x[0], y[0]),
            _ => {
                let stride = self.m.decoration(self.type_of(i.args[0]), Decoration::ArrayStride).unwrap_or(4);
                let bytes = self.e.b.alu2(M::ISub, x[0], y[0]);
                let stride = self.e.b.constant(stride);
                self.e.int_divide(bytes, stride, true)?
            }
        };
        Ok(Operand::Words(vec![word]))
    }

    /// Atomics by opcode, on 32 or 64 bits.
    fn atomic(&mut self, op: Op) -> Res<Option<Vec<Value>>> {
        let a = &self.m.insts[self.n].args;
        let operation = match op {
            Op::AtomicLoad | Op::AtomicOr => AtomicOp::Or,
            Op::AtomicStore | Op::AtomicExchange => AtomicOp::Xchg,
            Op::AtomicCompareExchange => AtomicOp::Cas,
            Op::AtomicIIncrement | Op::AtomicIAdd => AtomicOp::Add,
            Op::AtomicIDecrement | Op::AtomicISub => AtomicOp::Sub,
            Op::AtomicSMin => AtomicOp::SMin,
            Op::AtomicUMin => AtomicOp::UMin,
            Op::AtomicSMax => AtomicOp::SMax,
            Op::AtomicUMax => AtomicOp::UMax,
            Op::AtomicAnd => AtomicOp::And,
            Op::AtomicXor => AtomicOp::Xor,
            Op::AtomicFAddEXT | Op::AtomicFMinEXT | Op::AtomicFMaxEXT => {
                return self.refuse("atomics on floats are not supported", "use a compare-and-exchange of its bits")
            }
            _ => return Ok(None),
        };
        let place = self.place(a[0])?;
        let words = self.counted(place.shape)?;
        if !matches!(words, 1 | 2) {
            return self.invalid("an atomic on something else than a number");
        }
        let (space, addr, offset) = match place.base {
            Base::Memory { space: Space::Shared, addr, offset, .. } => (Space::Shared, addr, offset),
            Base::Memory { addr, offset, .. } => (Space::Global, addr, offset),
            _ => return self.refuse("an atomic on a variable of the invocation", "use a storage buffer"),
        };
        let some = |l: &mut Self, word: u32| {
            let zero = l.e.b.constant(0);
            let mut value = vec![zero; words as usize];
            value[0] = l.e.b.constant(word);
            value
        };
        let (values, expected) = match op {
            Op::AtomicLoad => (some(self, 0), vec![]),
            Op::AtomicIIncrement | Op::AtomicIDecrement => (some(self, 1), vec![]),
            // Pointer, scope, two semantics, value, what is compared.
            Op::AtomicCompareExchange => (self.words(a[4])?, self.words(a[5])?),
            _ => (self.words(a[3])?, vec![]),
        };
        if values.len() != words as usize {
            return self.invalid("an atomic's value has another type than its memory");
        }
        let count = values.len();
        let kind =
            Kind::Atomic { space, warp_wide: false, op: operation, addr, offset: offset as i32, values, expected };
        Ok(Some(self.e.b.push(kind, count)))
    }

    /// Whether a storage class is memory that the host gives.
    pub fn is_buffer(class: StorageClass) -> bool {
        matches!(class, StorageClass::StorageBuffer | StorageClass::Uniform | StorageClass::PushConstant)
    }
}
