//! The body of a function and its local variables: slots, and the zeros that they start with.

use super::cx::{Cx, Res};
use super::types::MAX_VARIABLE_WORDS;
use crate::ssa::{Slot, Space, Value, Width};
use naga::Handle;
use quadlock_isa::Op;

impl Cx<'_, '_> {
    /// The body: locals, statements and the closing return.
    pub fn body(&mut self) -> Res<()> {
        self.declare_locals()?;
        let fun = self.f.fun;
        self.block(&fun.body)?;
        Ok(())
    }

    fn declare_locals(&mut self) -> Res<()> {
        let fun = self.f.fun;
        for (handle, local) in fun.local_variables.iter() {
            self.at(fun.local_variables.get_span(handle));
            let slot = self.variable_slot(local.ty, local.name.as_deref())?;
            self.f.locals.push(slot);
            match local.init {
                Some(init) => {
                    let value = self.words(init)?;
                    self.b.slot_store_all(slot, &value);
                }
                None => self.clear_slot(slot),
            }
        }
        Ok(())
    }

    /// A slot for a variable of this type.
    pub fn variable_slot(&mut self, ty: Handle<naga::Type>, name: Option<&str>) -> Res<Slot> {
        let shape = self.type_shape(ty)?;
        let words = self.named(shape.words(self.unit.module))?;
        let name = name.unwrap_or("_");
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
