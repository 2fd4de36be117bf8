//! Variables of an invocation: slots, and the zeros that they start with.

use super::cx::{Emit, Res};
use super::types::{Shape, MAX_VARIABLE_WORDS};
use crate::ssa::{Slot, Space, Value, Width};
use quadlock_isa::Op;

impl Emit<'_> {
    /// A slot for a variable of this shape.
    pub fn variable_slot(&mut self, shape: Shape, name: &str) -> Res<Slot> {
        let words = self.words_in(shape)?;
        if words > MAX_VARIABLE_WORDS {
            let message =
                format!("the variable `{name}` has {words} words; a thread's variable may have {MAX_VARIABLE_WORDS}");
            return Err(self.refuse_help(message, "use a storage buffer"));
        }
        Ok(self.b.slot(words, name))
    }

    /// Writes zeros to a slot: word by word, or a loop for a large one (which is then kept in
    /// memory).
    pub fn clear_slot(&mut self, slot: Slot) {
        let words = self.b.func.slots[slot.index()].words;
        if words <= 64 {
            let zeros = self.zeros(words);
            self.b.slot_store_all(slot, &zeros);
            return;
        }
        let at = self.b.slot(1, "clear_at");
        let (header, exit) = (self.b.block(), self.b.block());
        let zero = self.b.constant(0);
        self.b.slot_store(at, 0, zero);
        self.b.jump(header);
        self.b.start(header);
        let offset = self.b.slot_load(at, 0);
        let frame = self.b.slot_addr(slot);
        let addr = self.b.alu2(Op::IAdd, frame, offset);
        let zero = self.b.constant(0);
        self.b.store(Space::Stack, Width::W32, addr, 0, vec![zero]);
        let next = self.b.alu_imm(Op::IAdd, offset, 4);
        self.b.slot_store(at, 0, next);
        let end = self.b.constant(words * 4);
        let more = self.b.alu2(Op::USetLt, next, end);
        self.b.branch(more, header, exit);
        self.b.start(exit);
    }

    pub fn zeros(&mut self, words: u32) -> Vec<Value> {
        (0..words).map(|_| self.b.constant(0)).collect()
    }
}
