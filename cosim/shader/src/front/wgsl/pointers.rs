//! Pointer parameters to storage, uniform and work-group memory (WGSL's
//! `unrestricted_pointer_parameters`), which naga's validator refuses.
//!
//! A function with such parameters is copied for each place that a call names: the variable and the
//! members on the way are the copy's own, indices of run time become parameters of type u32. Calls
//! inside of the copy are treated in the same way, from the entry points down. What naga can no
//! longer check is checked here: that the argument points to what the parameter says.

use super::rebuild::{prefixed, Expr, Prefix};
use crate::front::diag::{Diagnostic, Diagnostics};
use crate::front::text::map::SourceMap;
use naga::{
    AddressSpace, Arena, Block, Expression, Function, FunctionArgument, GlobalVariable, Handle, Module, Range, Scalar,
    ScalarKind, Span, Statement, Type, TypeInner,
};
use std::collections::HashMap;

/// Calls inside of each other.
const DEEPEST: usize = 200;

/// A step from a variable to a part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Step {
    Known(u32),
    /// By a parameter of the copy.
    RunTime,
}

/// Where a pointer argument leads.
type Place = (Handle<GlobalVariable>, Vec<Step>);
/// A function, and where each of its parameters leads that is such a pointer.
type Key = (usize, Vec<Option<Place>>);

/// What is put in a copy for a parameter.
fn is_ours(module: &Module, argument: &FunctionArgument) -> Option<(Handle<Type>, AddressSpace)> {
    match module.types[argument.ty].inner {
        TypeInner::Pointer { base, space } => match space {
            AddressSpace::Storage { .. } | AddressSpace::Uniform | AddressSpace::WorkGroup => Some((base, space)),
            _ => None,
        },
        _ => None,
    }
}

struct Work<'m> {
    map: &'m SourceMap,
    module: &'m mut Module,
    /// The functions as they were, with their places in the text.
    old: Vec<(Function, Span)>,
    new: Arena<Function>,
    made: HashMap<Key, Handle<Function>>,
    depth: usize,
}

/// Copies functions of `module` where they have such parameters.
pub fn run(map: &SourceMap, module: &mut Module) -> Result<(), Diagnostics> {
    let any = module.functions.iter().any(|(_, f)| f.arguments.iter().any(|a| is_ours(module, a).is_some()));
    if !any {
        return Ok(());
    }
    let old = module.functions.iter().map(|(h, f)| (f.clone(), module.functions.get_span(h))).collect();
    let mut work = Work { map, module, old, new: Arena::new(), made: HashMap::new(), depth: 0 };
    for number in 0..work.old.len() {
        let arguments = &work.old[number].0.arguments;
        if arguments.iter().all(|a| is_ours(work.module, a).is_none()) {
            work.copy((number, vec![None; arguments.len()]))?;
        }
    }
    for number in 0..work.module.entry_points.len() {
        let mut function = std::mem::take(&mut work.module.entry_points[number].function);
        work.calls_of(&mut function)?;
        work.module.entry_points[number].function = function;
    }
    let new = work.new;
    module.functions = new;
    Ok(())
}

impl Work<'_> {
    fn refuse(&self, span: Span, message: String, help: &str) -> Diagnostic {
        self.map.diagnostic(span, message, help)
    }

    /// The copy of a function for some places.
    fn copy(&mut self, key: Key) -> Result<Handle<Function>, Diagnostic> {
        if let Some(&made) = self.made.get(&key) {
            return Ok(made);
        }
        let (mut function, span) = self.old[key.0].clone();
        self.depth += 1;
        if self.depth > DEEPEST {
            let message = format!("calls nest deeper than {DEEPEST}");
            return Err(self.refuse(span, message, "flatten the calls"));
        }
        if !self.placed(&mut function, &key.1) {
            let message = "a function with pointer parameters has something that is not supported".to_string();
            return Err(self.refuse(span, message, "pass values, or name the variables in the function itself"));
        }
        self.calls_of(&mut function)?;
        self.depth -= 1;
        let made = self.new.append(function, span);
        self.made.insert(key, made);
        Ok(made)
    }

    /// Puts places where the parameters were. False if the function has unknown expressions.
    fn placed(&mut self, function: &mut Function, places: &[Option<Place>]) -> bool {
        if places.iter().all(Option::is_none) {
            return true;
        }
        let index = Type { name: None, inner: TypeInner::Scalar(Scalar::U32) };
        let index = self.module.types.insert(index, Span::UNDEFINED);
        let mut kept = vec![];
        let mut numbers = vec![];
        for (argument, place) in std::mem::take(&mut function.arguments).into_iter().zip(places) {
            numbers.push(kept.len() as u32);
            if place.is_none() {
                kept.push(argument);
            }
        }
        // Variables and indices first, then the steps, which are computed.
        let mut out = Arena::new();
        let mut roots = vec![];
        for (parameter, (root, steps)) in places.iter().enumerate().filter_map(|(k, p)| Some((k, p.as_ref()?))) {
            let variable = out.append(Expression::GlobalVariable(*root), Span::UNDEFINED);
            let mut indices = vec![];
            for _ in steps.iter().filter(|s| **s == Step::RunTime) {
                let argument = Expression::FunctionArgument(kept.len() as u32);
                kept.push(FunctionArgument { name: None, ty: index, binding: None });
                indices.push(out.append(argument, Span::UNDEFINED));
            }
            roots.push((parameter, variable, indices, steps));
        }
        let computed = out.len();
        let mut pointers: HashMap<u32, Expr> = HashMap::new();
        for (parameter, variable, indices, steps) in roots {
            let mut indices = indices.into_iter();
            let mut base = variable;
            for step in steps {
                let access = match (step, step.eq(&Step::RunTime).then(|| indices.next()).flatten()) {
                    (Step::Known(index), _) => Expression::AccessIndex { base, index: *index },
                    (Step::RunTime, Some(index)) => Expression::Access { base, index },
                    (Step::RunTime, None) => continue,
                };
                base = out.append(access, Span::UNDEFINED);
            }
            pointers.insert(parameter as u32, base);
        }
        function.arguments = kept;
        let olds: Vec<Option<u32>> = function
            .expressions
            .iter()
            .map(|(_, e)| if let Expression::FunctionArgument(k) = e { Some(*k) } else { None })
            .collect();
        let place = |h: Expr| pointers.get(&olds[h.index()]?).copied();
        let mut adjust = |e: &mut Expression, _: Expr| {
            if let Expression::FunctionArgument(k) = e {
                match pointers.contains_key(k) {
                    // Nothing names it any more.
                    true => *e = Expression::Literal(naga::Literal::U32(0)),
                    false => *k = numbers[*k as usize],
                }
            }
        };
        prefixed(function, Prefix { expressions: out, computed }, &mut adjust, &mut { place })
    }

    /// The calls in a function: to copies, with indices for pointers.
    fn calls_of(&mut self, function: &mut Function) -> Result<(), Diagnostic> {
        let mut body = std::mem::take(&mut function.body);
        let result = self.calls(function, &mut body);
        function.body = body;
        result
    }

    fn calls(&mut self, function: &mut Function, block: &mut Block) -> Result<(), Diagnostic> {
        let mut out = Block::with_capacity(block.len());
        for (mut statement, span) in std::mem::take(block).span_into_iter() {
            match &mut statement {
                Statement::Block(b) => self.calls(function, b)?,
                Statement::If { accept, reject, .. } => {
                    self.calls(function, accept)?;
                    self.calls(function, reject)?;
                }
                Statement::Switch { cases, .. } => {
                    for case in cases {
                        self.calls(function, &mut case.body)?;
                    }
                }
                Statement::Loop { body, continuing, .. } => {
                    self.calls(function, body)?;
                    self.calls(function, continuing)?;
                }
                Statement::Call { function: callee, arguments, result } => {
                    let number = callee.index();
                    let parameters = self.old[number].0.arguments.clone();
                    let mut places = vec![];
                    let (mut kept, mut indices) = (vec![], vec![]);
                    for (parameter, &argument) in parameters.iter().zip(arguments.iter()) {
                        let Some(wanted) = is_ours(self.module, parameter) else {
                            kept.push(argument);
                            places.push(None);
                            continue;
                        };
                        let (place, mut found) = self.place(function, argument, wanted).ok_or_else(|| {
                            let name = parameter.name.as_deref().unwrap_or("_");
                            let message = format!("the argument for `{name}` is a pointer to something else");
                            self.refuse(span, message, "give a pointer of the parameter's type and address space")
                        })?;
                        places.push(Some(place));
                        indices.append(&mut found);
                    }
                    for index in indices {
                        let unsigned = Expression::As { expr: index, kind: ScalarKind::Uint, convert: None };
                        let unsigned = function.expressions.append(unsigned, span);
                        out.push(Statement::Emit(Range::new_from_bounds(unsigned, unsigned)), span);
                        kept.push(unsigned);
                    }
                    *callee = self.copy((number, places))?;
                    *arguments = kept;
                    if let Some(result) = *result {
                        *function.expressions.get_mut(result) = Expression::CallResult(*callee);
                    }
                }
                _ => {}
            }
            out.push(statement, span);
        }
        *block = out;
        Ok(())
    }

    /// Where a pointer leads, with its indices of run time; none if that is not what is wanted.
    fn place(
        &self,
        function: &Function,
        pointer: Expr,
        (wanted, space): (Handle<Type>, AddressSpace),
    ) -> Option<(Place, Vec<Expr>)> {
        let (mut steps, mut indices, mut at) = (vec![], vec![], pointer);
        let root = loop {
            match function.expressions[at] {
                Expression::AccessIndex { base, index } => {
                    steps.push(Step::Known(index));
                    at = base;
                }
                Expression::Access { base, index } => {
                    steps.push(Step::RunTime);
                    indices.push(index);
                    at = base;
                }
                Expression::GlobalVariable(root) => break root,
                _ => return None,
            }
        };
        steps.reverse();
        indices.reverse();
        let variable = &self.module.global_variables[root];
        let mut ty = variable.ty;
        for step in &steps {
            ty = match (&self.module.types[ty].inner, step) {
                (TypeInner::Struct { members, .. }, Step::Known(k)) => members.get(*k as usize)?.ty,
                (TypeInner::Array { base, .. }, _) => *base,
                (TypeInner::Matrix { rows, scalar, .. }, _) => {
                    let column = TypeInner::Vector { size: *rows, scalar: *scalar };
                    self.module.types.iter().find(|(_, t)| t.inner == column)?.0
                }
                // WGSL has no pointers to components.
                _ => return None,
            };
        }
        let same = |a: Handle<Type>| self.module.types[a].inner == self.module.types[wanted].inner;
        (variable.space == space && (ty == wanted || same(ty))).then_some(((root, steps), indices))
    }
}
