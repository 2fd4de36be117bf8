//! The operands of naga's expressions and statements, and a function whose expressions get others
//! before them. naga has no such visitor in public. Wrong would be an operand that is left out: it
//! would name another expression afterwards; so both lists name every variant.

use naga::{
    Arena, AtomicFunction, Block, Expression, Function, GatherMode, Handle, Range, RayQueryFunction, SampleLevel, Span,
    Statement,
};

pub type Expr = Handle<Expression>;

/// Changes every operand of an expression. False if it is of a kind that is not known here.
pub fn operands(e: &mut Expression, f: &mut dyn FnMut(&mut Expr)) -> bool {
    use Expression as E;
    match e {
        E::Literal(_) | E::Constant(_) | E::Override(_) | E::ZeroValue(_) | E::FunctionArgument(_) => {}
        E::GlobalVariable(_) | E::LocalVariable(_) | E::CallResult(_) | E::AtomicResult { .. } => {}
        E::WorkGroupUniformLoadResult { .. } | E::RayQueryProceedResult | E::SubgroupBallotResult => {}
        E::SubgroupOperationResult { .. } => {}
        E::Compose { components, .. } => components.iter_mut().for_each(f),
        E::Access { base, index } => [base, index].into_iter().for_each(f),
        E::AccessIndex { base, .. } => f(base),
        E::Splat { value, .. } => f(value),
        E::Swizzle { vector, .. } => f(vector),
        E::Load { pointer } => f(pointer),
        E::ImageSample { image, sampler, coordinate, array_index, offset, level, depth_ref, .. } => {
            [image, sampler, coordinate].into_iter().for_each(&mut *f);
            [array_index, offset, depth_ref].into_iter().flatten().for_each(&mut *f);
            match level {
                SampleLevel::Auto | SampleLevel::Zero => {}
                SampleLevel::Exact(h) | SampleLevel::Bias(h) => f(h),
                SampleLevel::Gradient { x, y } => [x, y].into_iter().for_each(f),
            }
        }
        E::ImageLoad { image, coordinate, array_index, sample, level } => {
            [image, coordinate].into_iter().for_each(&mut *f);
            [array_index, sample, level].into_iter().flatten().for_each(f);
        }
        E::ImageQuery { image, query } => {
            f(image);
            if let naga::ImageQuery::Size { level: Some(level) } = query {
                f(level);
            }
        }
        E::Unary { expr, .. } | E::Derivative { expr, .. } | E::As { expr, .. } => f(expr),
        E::Binary { left, right, .. } => [left, right].into_iter().for_each(f),
        E::Select { condition, accept, reject } => [condition, accept, reject].into_iter().for_each(f),
        E::Relational { argument, .. } => f(argument),
        E::Math { arg, arg1, arg2, arg3, .. } => {
            f(arg);
            [arg1, arg2, arg3].into_iter().flatten().for_each(f);
        }
        E::ArrayLength(h) => f(h),
        _ => return false,
    }
    true
}

/// Changes every operand of the statements of a block, those inside of others too. Results and the
/// ranges of `Emit` count as operands. False as of [`operands`].
pub fn statements(
    block: &mut Block,
    f: &mut dyn FnMut(&mut Expr),
    emit: &mut dyn FnMut(&mut Range<Expression>),
) -> bool {
    use Statement as S;
    for s in block.iter_mut() {
        match s {
            S::Emit(range) => emit(range),
            S::Block(b) => {
                if !statements(b, f, emit) {
                    return false;
                }
            }
            S::If { condition, accept, reject } => {
                f(condition);
                if !statements(accept, f, emit) || !statements(reject, f, emit) {
                    return false;
                }
            }
            S::Switch { selector, cases } => {
                f(selector);
                if !cases.iter_mut().all(|c| statements(&mut c.body, f, emit)) {
                    return false;
                }
            }
            S::Loop { body, continuing, break_if } => {
                if !statements(body, f, emit) || !statements(continuing, f, emit) {
                    return false;
                }
                break_if.iter_mut().for_each(&mut *f);
            }
            S::Break | S::Continue | S::Kill | S::ControlBarrier(_) | S::MemoryBarrier(_) => {}
            S::Return { value } => value.iter_mut().for_each(&mut *f),
            S::Store { pointer, value } => [pointer, value].into_iter().for_each(&mut *f),
            S::ImageStore { image, coordinate, array_index, value } => {
                [image, coordinate, value].into_iter().for_each(&mut *f);
                array_index.iter_mut().for_each(&mut *f);
            }
            S::Atomic { pointer, fun, value, result } => {
                [pointer, value].into_iter().for_each(&mut *f);
                exchanged(fun, f);
                result.iter_mut().for_each(&mut *f);
            }
            S::ImageAtomic { image, coordinate, array_index, fun, value } => {
                [image, coordinate, value].into_iter().for_each(&mut *f);
                array_index.iter_mut().for_each(&mut *f);
                exchanged(fun, f);
            }
            S::WorkGroupUniformLoad { pointer, result } => [pointer, result].into_iter().for_each(&mut *f),
            S::Call { arguments, result, .. } => arguments.iter_mut().chain(result).for_each(&mut *f),
            S::RayQuery { query, fun } => {
                f(query);
                match fun {
                    RayQueryFunction::Terminate | RayQueryFunction::ConfirmIntersection => {}
                    _ => return false,
                }
            }
            S::SubgroupBallot { result, predicate } => {
                f(result);
                predicate.iter_mut().for_each(&mut *f);
            }
            S::SubgroupGather { mode, argument, result } => {
                [argument, result].into_iter().for_each(&mut *f);
                lane(mode).into_iter().for_each(&mut *f);
            }
            S::SubgroupCollectiveOperation { argument, result, .. } => [argument, result].into_iter().for_each(&mut *f),
            _ => return false,
        }
    }
    true
}

fn exchanged(fun: &mut AtomicFunction, f: &mut dyn FnMut(&mut Expr)) {
    if let AtomicFunction::Exchange { compare: Some(h) } = fun {
        f(h);
    }
}

/// The lane that a gather names.
pub fn lane(mode: &mut GatherMode) -> Option<&mut Expr> {
    use GatherMode as G;
    match mode {
        G::BroadcastFirst | G::QuadSwap(_) => None,
        G::Broadcast(h) | G::Shuffle(h) | G::ShuffleDown(h) => Some(h),
        G::ShuffleUp(h) | G::ShuffleXor(h) | G::QuadBroadcast(h) => Some(h),
    }
}

/// Expressions to put before those of a function.
#[derive(Default)]
pub struct Prefix {
    pub expressions: Arena<Expression>,
    /// From here on they are computed, at the function's start; before, they need no computing.
    pub computed: usize,
}

/// Puts `prefix` before the expressions of a function. `adjust` gets each old expression with its
/// operands at their new places, the old one, and where an old handle is now. False, and nothing
/// changed, if the function has something that is not known here.
pub fn prefixed(
    fun: &mut Function,
    prefix: Prefix,
    adjust: &mut dyn FnMut(&mut Expression, Expr),
    place: &mut dyn FnMut(Expr) -> Option<Expr>,
) -> bool {
    let mut out = prefix.expressions;
    let computed = prefix.computed..out.len();
    let mut at: Vec<Expr> = Vec::with_capacity(fun.expressions.len());
    for (old, e) in fun.expressions.iter() {
        let mut e = e.clone();
        if !operands(&mut e, &mut |h| *h = at[h.index()]) {
            return false;
        }
        adjust(&mut e, old);
        let new = out.append(e, fun.expressions.get_span(old));
        at.push(place(old).unwrap_or(new));
    }
    let shift = (out.len() - fun.expressions.len()) as u32;
    let mut body = fun.body.clone();
    let moved = |r: &mut Range<Expression>| {
        let old = r.index_range();
        *r = Range::from_index_range(old.start + shift..old.end + shift, &out);
    };
    if !statements(&mut body, &mut |h| *h = at[h.index()], &mut { moved }) {
        return false;
    }
    if !computed.is_empty() {
        let range = Range::from_index_range(computed.start as u32..computed.end as u32, &out);
        let mut whole = Block::with_capacity(body.len() + 1);
        whole.push(Statement::Emit(range), Span::UNDEFINED);
        whole.extend_block(body);
        body = whole;
    }
    for (_, local) in fun.local_variables.iter_mut() {
        local.init = local.init.map(|h| at.get(h.index()).copied().unwrap_or(h));
    }
    fun.named_expressions = fun.named_expressions.iter().map(|(h, name)| (at[h.index()], name.clone())).collect();
    (fun.expressions, fun.body) = (out, body);
    true
}
