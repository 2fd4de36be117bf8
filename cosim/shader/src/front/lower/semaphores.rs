//! Calls of the semaphore functions: what is declared of them, and their argument.

use super::cx::{Cx, Res, Unit};
use crate::front::emit::semaphores::Call;
use crate::ssa::Value;
use naga::{Expression, Function, Handle, Statement};

/// Whether a function of the shader is no more than a declaration of `call`.
fn is_declaration(unit: Unit, fun: &Function, call: Call) -> bool {
    let word = |a: &naga::FunctionArgument| matches!(unit.module.types[a.ty].inner, naga::TypeInner::Scalar(s) if s.width == 4 && s.kind != naga::ScalarKind::Float);
    let arguments = fun.arguments.len() == usize::from(call.takes_id()) && fun.arguments.iter().all(word);
    let nothing = |s: &Statement| matches!(s, Statement::Return { value: None } | Statement::Emit(_));
    let empty = fun.body.iter().all(nothing);
    arguments && empty && fun.result.is_none()
}

impl<'a> Cx<'_, 'a> {
    /// A call of a semaphore function.
    pub fn semaphore(
        &mut self,
        call: Call,
        handle: Handle<Function>,
        arguments: &[Handle<Expression>],
    ) -> Res<Vec<Value>> {
        let fun = &self.unit.module.functions[handle];
        let name = fun.name.as_deref().unwrap_or("").to_string();
        if !is_declaration(self.unit, fun, call) {
            let arguments = if call.takes_id() { "one u32" } else { "no argument" };
            let message = format!("`{name}` is a function of the compiler, with {arguments}, no result and no body");
            return Err(self.refuse_help(message, "give your function another name, or leave out its declaration"));
        }
        let id = match arguments.first() {
            Some(&id) => Some(self.word(id)?),
            None => None,
        };
        self.semaphore_call(call, id, &name)?;
        Ok(vec![])
    }
}
