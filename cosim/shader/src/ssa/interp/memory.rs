//! Loads and stores of the interpreter, by the machine's rules: alignment down to the access's
//! size, bytes outside of global memory read zero and are counted.

use super::words::{read, write};
use super::Machine;
use crate::ssa::{Space, Width};

impl Machine<'_> {
    pub(super) fn load(&mut self, space: Space, width: Width, at: u32, stack: &[u8]) -> Result<Vec<u32>, String> {
        let at = at & !(width.bytes() - 1);
        let each = width.bytes().min(4);
        let mut out = Vec::with_capacity(width.words());
        for i in 0..width.words() as u32 {
            let at = self.place(space, at.wrapping_add(i * 4));
            let (v, inside) = match space {
                Space::Global | Space::ReadOnly => read(self.global, at, each),
                Space::Shared => read(&self.shared, at, each),
                Space::Stack => read(stack, at, each),
            };
            self.check(space, inside, at)?;
            out.push(match width {
                Width::S8 => v as u8 as i8 as u32,
                Width::S16 => v as u16 as i16 as u32,
                _ => v,
            });
        }
        Ok(out)
    }

    pub(super) fn store(
        &mut self,
        space: Space,
        width: Width,
        at: u32,
        values: &[u32],
        stack: &mut [u8],
    ) -> Result<(), String> {
        let at = at & !(width.bytes() - 1);
        let each = width.bytes().min(4);
        for (i, v) in values.iter().enumerate() {
            let at = self.place(space, at.wrapping_add(i as u32 * 4));
            let inside = match space {
                Space::Global | Space::ReadOnly => write(self.global, at, each, *v),
                Space::Shared => write(&mut self.shared, at, each, *v),
                Space::Stack => write(stack, at, each, *v),
            };
            self.check(space, inside, at)?;
        }
        Ok(())
    }

    /// Shared addresses wrap at the size of the window (the machine's wrap at the storage's size;
    /// programs may rely on neither).
    pub(super) fn place(&self, space: Space, at: u32) -> u32 {
        match space {
            Space::Shared if !self.shared.is_empty() => at % self.shared.len() as u32,
            _ => at,
        }
    }

    pub(super) fn check(&mut self, space: Space, inside: bool, at: u32) -> Result<(), String> {
        if !inside && matches!(space, Space::Global | Space::ReadOnly) {
            self.outcome.faults += 1;
        } else if !inside {
            return Err(format!("address {at:#x} is outside of {space}"));
        }
        Ok(())
    }
}
