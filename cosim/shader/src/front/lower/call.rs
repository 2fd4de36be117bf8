//! Calls. A *plain* function (no pointer arguments, no private variables, directly or through what
//! it calls) is lowered once and called. Any other is expanded at the call: its arguments are the
//! caller's places and its `return` jumps to the block behind the call.

use super::cx::{Cx, Frame, Known, Operand, Res, Ret, Unit};
use crate::front::emit::cx::Program;
use crate::front::emit::library::intrinsic;
use crate::front::text::edit::Mark;
use crate::front::text::semaphores;
use crate::ssa::{FuncId, Kind, Value};
use naga::{AddressSpace, Expression, Function, Handle};

/// How deep calls may nest: naga refuses recursion, this bounds the compiler's own stack.
const MAX_DEPTH: usize = 200;
/// Values of one function from which on no call is expanded: a program has at most 65,536
/// instructions.
const MAX_VALUES: u32 = 1 << 18;

fn is_plain(unit: Unit, handle: Handle<Function>) -> bool {
    let fun = &unit.module.functions[handle];
    let info = &unit.info[handle];
    let pointers = fun.arguments.iter().any(|a| unit.module.types[a.ty].inner.pointer_space().is_some());
    let mut globals = unit.module.global_variables.iter();
    let private = globals.any(|(h, var)| var.space == AddressSpace::Private && !info[h].is_empty());
    !pointers && !private
}

impl<'a> Cx<'_, 'a> {
    /// A call statement; gives the words of the result.
    pub fn call(&mut self, handle: Handle<Function>, arguments: &[Handle<Expression>]) -> Res<Vec<Value>> {
        let unit = self.unit;
        let name = unit.module.functions[handle].name.as_deref().unwrap_or("");
        if let Some(Mark::Wide(op)) = unit.map.mark(self.span) {
            return self.wgsl_wide(op, arguments);
        }
        if let (false, Some(call)) = (unit.is_prelude, semaphores::by_name(name)) {
            return self.semaphore(call, handle, arguments);
        }
        let mut args = Vec::new();
        for &argument in arguments {
            args.push(self.operand(argument)?);
        }
        if let (true, Some(intrinsic)) = (unit.is_prelude, intrinsic(name, self.p.options.float_unit)) {
            let args: Vec<Value> = args.into_iter().flat_map(words_of).collect();
            return Ok(vec![self.intrinsic(intrinsic, &args)]);
        }
        if is_plain(unit, handle) {
            return self.call_plain(unit, handle, args.into_iter().flat_map(words_of).collect());
        }
        self.expand(unit, handle, args)
    }

    pub fn call_plain(&mut self, unit: Unit<'a>, handle: Handle<Function>, args: Vec<Value>) -> Res<Vec<Value>> {
        let func = lower_plain(self.e.p, self.k, unit, handle)?;
        let results = self.p.out.funcs[func.index()].results;
        Ok(self.b.push(Kind::Call { func, args }, results))
    }

    fn expand(&mut self, unit: Unit<'a>, handle: Handle<Function>, args: Vec<Operand>) -> Res<Vec<Value>> {
        let fun = &unit.module.functions[handle];
        let exit = self.b.block();
        let slot = match &fun.result {
            Some(result) => {
                let shape = self.type_shape(result.ty)?;
                let words = self.words_in(shape)?;
                Some(self.b.slot(words, &format!("{}.result", fun.name.as_deref().unwrap_or("_"))))
            }
            None => None,
        };
        self.k.depth += 1;
        if self.k.depth > MAX_DEPTH {
            return Err(self.refuse_help(format!("calls nest deeper than {MAX_DEPTH}"), "flatten the calls"));
        }
        if self.b.func.values > MAX_VALUES {
            let message = "the program is too large after its calls have been expanded";
            return Err(self.refuse_help(message, "call functions that use pointers or private variables less often"));
        }
        let (span, loc) = (self.span, self.e.b.loc);
        let frame = Frame::new(unit, fun, &unit.info[handle], args, Ret::Expanded { slot, exit });
        let caller = std::mem::replace(&mut self.f, frame);
        let caller_unit = std::mem::replace(&mut self.unit, unit);
        self.body()?;
        self.b.jump(exit);
        self.b.start(exit);
        self.f = caller;
        self.unit = caller_unit;
        (self.span, self.e.b.loc) = (span, loc);
        self.k.depth -= 1;
        Ok(slot.map(|slot| self.b.slot_load_all(slot)).unwrap_or_default())
    }
}

fn words_of(operand: Operand) -> Vec<Value> {
    match operand {
        Operand::Words(words) => words,
        Operand::Place(_) => vec![],
    }
}

/// The SSA function of a plain naga function, lowered on first use.
pub fn lower_plain<'a>(p: &mut Program, k: &mut Known, unit: Unit<'a>, handle: Handle<Function>) -> Res<FuncId> {
    if let Some(&id) = k.funcs.get(&handle) {
        return Ok(id);
    }
    let fun = &unit.module.functions[handle];
    k.depth += 1;
    let frame = Frame::new(unit, fun, &unit.info[handle], vec![], Ret::Func);
    let depth = k.depth;
    let mut cx = Cx::new(p, k, fun.name.as_deref().unwrap_or("function"), frame);
    cx.at(unit.module.functions.get_span(handle));
    if depth > MAX_DEPTH {
        return Err(cx.refuse_help(format!("calls nest deeper than {MAX_DEPTH}"), "flatten the calls"));
    }
    for argument in &fun.arguments {
        let shape = cx.type_shape(argument.ty)?;
        let words = cx.words_in(shape)?;
        let values: Vec<Value> = (0..words).map(|_| cx.b.func.new_value()).collect();
        let entry = cx.b.func.entry();
        cx.b.func.blocks[entry.index()].params.extend(&values);
        cx.f.args.push(Operand::Words(values));
    }
    if let Some(result) = &fun.result {
        let shape = cx.type_shape(result.ty)?;
        cx.b.func.results = cx.words_in(shape)? as usize;
    }
    cx.body()?;
    if fun.result.is_none() {
        cx.b.terminate(Kind::Return(vec![]));
    }
    let func = cx.e.b.finish();
    p.out.funcs.push(func);
    let id = FuncId(p.out.funcs.len() as u32 - 1);
    k.funcs.insert(handle, id);
    k.depth -= 1;
    Ok(id)
}
