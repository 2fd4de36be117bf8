//! Calls of functions, by executing the body in place: inputs get the values of the arguments, the
//! statements run as those of the process at hand (or of one of their own, in an `assign` or a
//! constant), the result is read, and all that was assigned is taken back. So a function sees the
//! module's signals as its caller does. Locals that no path assigned are zero, and nothing stays
//! from call to call: every function is as if `automatic`.

use std::rc::Rc;

use super::builder::Map;
use super::cover::Cover;
use super::execution::Value;
use super::unit::{Callee, Result, Unit};
use crate::ast::{self, Expr, Function, Item, Module, NetKind, Stmt, StmtKind};
use crate::graph::NodeId;

/// Deepest nesting of calls: recursion must end by constants, and executing takes native stack.
const MAX_NESTING: u32 = 32;
/// Most calls inside one call, those inside these included: functions that each call another twice
/// double the work.
const MAX_CALLS: u32 = 1 << 16;

impl<'a> Unit<'_, 'a> {
    /// Makes the functions of the module known.
    pub fn know_functions(&mut self, module: &'a Module) -> Result<()> {
        for item in &module.items {
            let Item::Function(f) = item else { continue };
            if self.functions.insert(f.name.clone(), f).is_some() {
                return self.error(f.span, format!("function {} is declared twice", f.name));
            }
        }
        Ok(())
    }

    /// Width and sign of a call.
    pub fn size_of_function(&mut self, e: &Expr, name: &str) -> Result<(u32, bool)> {
        let callee = self.callee(e, name)?.1;
        let net = &self.nets[callee.result as usize];
        Ok((net.width, net.signed))
    }

    /// The function of a name, its own names declared.
    fn callee(&mut self, e: &Expr, name: &str) -> Result<(&'a Function, Rc<Callee>)> {
        let Some(&f) = self.functions.get(name) else {
            return self.error(e.span, format!("{name} is not a function of this module"));
        };
        match self.callees.get(name) {
            Some(Some(known)) => return Ok((f, known.clone())),
            Some(None) => return self.error(e.span, format!("the widths of function {name} depend on itself")),
            None => {}
        }
        self.callees.insert(name.to_string(), None);
        // Its names stand before the module's; those of blocks around the call are not its
        // business.
        let around = self.names.split_off(1);
        self.names.push(Map::default());
        let order = self.order.len();
        let first = self.nets.len() as u32;
        let declared = self.declare_function(f);
        self.order.truncate(order);
        let names = self.names.pop().unwrap_or_default();
        self.names.extend(around);
        declared?;
        let inputs = first..first + f.inputs.len() as u32;
        let nets = first..self.nets.len() as u32;
        let callee = Rc::new(Callee { names, result: inputs.end, inputs: inputs.collect(), nets });
        self.callees.insert(name.to_string(), Some(callee.clone()));
        Ok((f, callee))
    }

    /// Inputs, then the result, then locals.
    fn declare_function(&mut self, f: &Function) -> Result<()> {
        let prefix = format!("{}.", f.name);
        let result = ast::Net {
            name: f.name.clone(),
            span: f.span,
            direction: None,
            kind: Some(NetKind::Reg),
            signed: f.signed,
            range: f.range.clone(),
            array: None,
            init: None,
        };
        for n in f.inputs.iter().chain([&result]).chain(&f.nets) {
            if n.array.is_some() {
                return self.unsupported(n.span, "memory in a function", "declare it in the module");
            }
            let kind = if n.kind == Some(NetKind::Integer) { NetKind::Integer } else { NetKind::Reg };
            self.net(&ast::Net { direction: None, kind: Some(kind), ..n.clone() }, &prefix)?;
        }
        self.declare_blocks(&f.body)
    }

    /// Variables of the blocks in a function are its own, so they are known before it is executed.
    fn declare_blocks(&mut self, s: &Stmt) -> Result<()> {
        match &s.kind {
            StmtKind::Block { name, nets, body } => {
                if let Some(n) = nets.iter().find(|n| n.array.is_some()) {
                    return self.unsupported(n.span, "memory in a function", "declare it in the module");
                }
                let scoped = self.enter_block(s.span, name.as_deref(), nets)?;
                let declared = body.iter().try_for_each(|s| self.declare_blocks(s));
                if scoped {
                    self.names.pop();
                }
                declared
            }
            StmtKind::If { then, otherwise, .. } => {
                self.declare_blocks(then)?;
                otherwise.as_ref().map_or(Ok(()), |s| self.declare_blocks(s))
            }
            StmtKind::Case { arms, .. } => arms.iter().try_for_each(|arm| self.declare_blocks(&arm.body)),
            StmtKind::For { body, .. } => self.declare_blocks(body),
            StmtKind::Null | StmtKind::Assign { .. } | StmtKind::Task { .. } => Ok(()),
        }
    }

    /// Value of a call.
    pub fn call_function(&mut self, e: &Expr, name: &str, arguments: &[Expr]) -> Result<NodeId> {
        let (f, callee) = self.callee(e, name)?;
        if arguments.len() != callee.inputs.len() {
            let (has, given) = (callee.inputs.len(), arguments.len());
            return self.error(e.span, format!("function {name} has {has} inputs, and {given} arguments are given"));
        }
        if self.calls.0 >= MAX_NESTING {
            return self.error(e.span, format!("calls of function {name} are nested more than {MAX_NESTING} deep"));
        }
        if self.calls.0 == 0 {
            self.calls.1 = 0;
            // A loop counts the rounds of all calls inside it; a call those of all loops inside it.
            self.loops.1 = if self.loops.0 == 0 { 0 } else { self.loops.1 };
        }
        self.calls.1 += 1;
        if self.calls.1 > MAX_CALLS {
            return self
                .error(e.span, format!("a call with more than {MAX_CALLS} calls of {name} and others inside it"));
        }
        let mut values = Vec::with_capacity(callee.nets.len());
        for (argument, &net) in arguments.iter().zip(&callee.inputs) {
            let width = self.nets[net as usize].width;
            values.push(self.assigned(argument, width)?);
        }
        for net in callee.nets.clone().skip(values.len()) {
            let width = self.nets[net as usize].width;
            values.push(self.b.zero(width));
        }
        let alone = self.process.is_none();
        if alone {
            self.begin(false, false);
        }
        let (mark, writes) = self.running().marks();
        for (net, node) in callee.nets.clone().zip(values) {
            self.running().set(2 * net, Value { node, def: Cover::All, may: Cover::All, span: e.span });
        }
        let around = self.names.split_off(1);
        self.names.push(callee.names.clone());
        self.calls.0 += 1;
        let done = self.execute(&f.body);
        self.calls.0 -= 1;
        self.names.truncate(1);
        self.names.extend(around);
        done?;
        let result = self.running().get(2 * callee.result).map(|v| v.node);
        let wrote = self.running().marks().1 > writes;
        let changed = self.running().undo(mark);
        if alone {
            self.process = None;
        }
        if let Some(slot) = changed.keys().find(|&&s| s % 2 == 1 || !callee.nets.contains(&(s / 2))) {
            let target = &self.nets[(slot / 2) as usize].name;
            let message =
                format!("function {name} assigns {target}: a function assigns its own variables only, with =");
            return self.error(changed[slot].span, message);
        }
        match result {
            Some(node) if !wrote => Ok(node),
            _ => self.error(f.span, format!("function {name} writes a memory: only processes can")),
        }
    }
}
