//! Types of abstract numbers that are left over: naga keeps `transpose(mat2x2(1, 2, 3, 4))` in
//! abstract numbers when its result meets a value of run time, and then refuses the type. They
//! become f32 and i32, the types that abstract numbers have at run time.

use naga::{Expression, Handle, Literal, Module, Scalar, ScalarKind, Type, TypeInner, UniqueArena};

fn concrete(scalar: &mut Scalar) -> bool {
    let new = match scalar.kind {
        ScalarKind::AbstractInt => Scalar::I32,
        ScalarKind::AbstractFloat => Scalar::F32,
        _ => return false,
    };
    *scalar = new;
    true
}

fn scalar_of(inner: &mut TypeInner) -> Option<&mut Scalar> {
    match inner {
        TypeInner::Scalar(scalar) | TypeInner::Vector { scalar, .. } | TypeInner::Matrix { scalar, .. } => Some(scalar),
        _ => None,
    }
}

pub fn run(module: &mut Module) {
    let is_abstract = |t: &Type| scalar_of(&mut t.inner.clone()).is_some_and(concrete);
    if !module.types.iter().any(|(_, t)| is_abstract(t)) {
        return;
    }
    let mut types: UniqueArena<Type> = UniqueArena::new();
    let mut at: Vec<Handle<Type>> = vec![];
    for (old, ty) in module.types.iter() {
        let mut ty = ty.clone();
        scalar_of(&mut ty.inner).map(concrete);
        match &mut ty.inner {
            TypeInner::Pointer { base, .. } | TypeInner::Array { base, .. } | TypeInner::BindingArray { base, .. } => {
                *base = at[base.index()];
            }
            TypeInner::Struct { members, .. } => members.iter_mut().for_each(|m| m.ty = at[m.ty.index()]),
            _ => {}
        }
        at.push(types.insert(ty, module.types.get_span(old)));
    }
    module.types = types;
    let moved = |ty: &mut Handle<Type>| *ty = at[ty.index()];
    let special = &mut module.special_types;
    let named = [&mut special.ray_desc, &mut special.ray_intersection, &mut special.ray_vertex_return];
    let external = [&mut special.external_texture_params, &mut special.external_texture_transfer_function];
    named.into_iter().chain(external).flatten().for_each(moved);
    special.predeclared_types.values_mut().for_each(moved);
    module.constants.iter_mut().for_each(|(_, c)| moved(&mut c.ty));
    module.overrides.iter_mut().for_each(|(_, o)| moved(&mut o.ty));
    module.global_variables.iter_mut().for_each(|(_, v)| moved(&mut v.ty));
    let expression = |e: &mut Expression| match e {
        Expression::Compose { ty, .. } | Expression::ZeroValue(ty) | Expression::AtomicResult { ty, .. } => moved(ty),
        Expression::WorkGroupUniformLoadResult { ty } | Expression::SubgroupOperationResult { ty } => moved(ty),
        Expression::Literal(literal) => match *literal {
            Literal::AbstractInt(i) => *literal = Literal::I32(i as i32),
            Literal::AbstractFloat(f) => *literal = Literal::F32(f as f32),
            _ => {}
        },
        _ => {}
    };
    module.global_expressions.iter_mut().for_each(|(_, e)| expression(e));
    let entries = module.entry_points.iter_mut().map(|e| &mut e.function);
    for f in module.functions.iter_mut().map(|(_, f)| f).chain(entries) {
        f.arguments.iter_mut().for_each(|a| moved(&mut a.ty));
        f.result.iter_mut().for_each(|r| moved(&mut r.ty));
        f.local_variables.iter_mut().for_each(|(_, v)| moved(&mut v.ty));
        f.expressions.iter_mut().for_each(|(_, e)| expression(e));
    }
}
