//! Stores and loads of few words, for what removes stores that nobody reads.
//!
//! Words overlap: accesses of one to eight bytes in the same 16. Global memory is the host's and is
//! used in every way. What is read of shared memory and of the stack was drawn for the program, so
//! that in many programs nothing reads them, or copies alone do.

use super::{Generator, Reads};
use crate::ssa::{Kind, Space, Value, Width};
use rand::Rng;

const WIDTHS: &[Width] = &[Width::U8, Width::S16, Width::W32, Width::W32, Width::W64];

impl Generator {
    /// A store, or a load and what its words are for.
    pub(super) fn few_words(&mut self) {
        let Some([shared, stack]) = self.stores else { return };
        let uses = [(Space::Shared, shared), (Space::Stack, stack), (Space::Global, Reads::Use)];
        let (space, reads) = self.pick(&uses);
        if reads == Reads::None || self.chance(50) {
            return self.store_few(space, None);
        }
        let values = self.load_few(space);
        match reads {
            Reads::Use => self.pool.extend(values),
            Reads::Away => self.store_few(Space::Global, Some(values[0])),
            _ => self.store_few(space, Some(values[0])),
        }
    }

    fn store_few(&mut self, space: Space, value: Option<Value>) {
        let value = value.unwrap_or_else(|| self.value());
        if space == Space::Stack && self.chance(50) {
            let (slot, word) = (self.arrays[0], self.rng.random_range(0..4));
            self.emit(Kind::SlotStore { slot, word, value }, 0);
            return;
        }
        let (addr, offset, width) = self.place(space);
        let values = vec![value; width.words()];
        self.emit(Kind::Store { space, width, addr, offset, values }, 0);
    }

    fn load_few(&mut self, space: Space) -> Vec<Value> {
        if space == Space::Stack && self.chance(50) {
            let (slot, word) = (self.arrays[0], self.rng.random_range(0..4));
            return self.emit(Kind::SlotLoad { slot, word }, 1);
        }
        let (addr, offset, width) = self.place(space);
        self.emit(Kind::Load { space, width, addr, offset }, width.words())
    }

    fn place(&mut self, space: Space) -> (Value, i32, Width) {
        let addr = match space {
            Space::Shared => self.shared,
            Space::Stack => self.one(Kind::SlotAddr(self.arrays[0])),
            _ => self.window,
        };
        (addr, self.rng.random_range(0..4) * 4, self.pick(WIDTHS))
    }
}
