//! The body of a function and its local variables: slots, and the zeros that they start with.

use super::cx::{Cx, Res};

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
            let shape = self.type_shape(local.ty)?;
            let slot = self.variable_slot(shape, local.name.as_deref().unwrap_or("_"))?;
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
}
