//! From a naga module to SSA: the top level. What a lowering knows is in [`cx`]; each other file
//! lowers one kind of thing.

mod call;
mod cx;
mod expr;
mod globals;
mod locals;
mod math;
pub(super) mod prelude;
mod semaphores;
mod stmt;
mod subgroups;
mod types;
mod warp_atomics;

use crate::front::diag::Diagnostics;
use crate::front::emit::cx::Program;
use crate::front::linkage::Linkage;
use crate::front::options::{Lowered, Options};
use crate::front::text::parse::Parsed;
use crate::ssa::verify::verify_module;
use crate::ssa::{FuncId, Kind};
use cx::{Cx, Frame, Known, Ret, Unit};
use naga::Span;

/// Lowers the entry point that `parse` chose.
pub fn lower(parsed: &Parsed, options: &Options, linkage: Option<&Linkage>) -> Result<Lowered, Diagnostics> {
    let library = prelude::library(options)?;
    let module = &parsed.module;
    let unit = Unit { module, info: &parsed.info, map: &parsed.map, is_prelude: false };
    let entry = &parsed.module.entry_points[parsed.entry];
    let files = vec![parsed.map.path.clone()];
    let mut program = Program::new(*options, files, entry.workgroup_size, Some(library));
    program.link(parsed.stage, linkage);
    let mut known = Known::default();
    let info = parsed.info.get_entry_point(parsed.entry);
    let used = |g: naga::Handle<naga::GlobalVariable>| !info[g].is_empty();
    let (bindings, declared, shared_bytes) = known.place_globals(unit, &mut program.types, &used, linkage.is_some())?;

    let frame = Frame::new(unit, &entry.function, info, vec![], Ret::Func);
    let mut cx = Cx::new(&mut program, &mut known, &entry.name, frame);
    cx.at(parsed.map.declaration(&entry.name));
    cx.at(parsed.module.entry_points[parsed.entry]
        .function
        .body
        .span_iter()
        .next()
        .map_or(Span::UNDEFINED, |(_, s)| *s));
    cx.private_slots()?;
    if shared_bytes > 0 {
        cx.zero_shared(shared_bytes);
    }
    let body = cx.span;
    if linkage.is_some() {
        // Inputs are said where the program is declared.
        cx.at(parsed.map.declaration(&entry.name));
    }
    cx.declared_outputs(&entry.function)?;
    cx.f.args = cx.entry_inputs(&entry.function)?;
    cx.at(body);
    cx.body()?;
    cx.check_semaphores()?;
    cx.b.terminate(Kind::Return(vec![]));
    let func = cx.e.b.finish();
    program.out.funcs.push(func);
    let entry_id = FuncId(program.out.funcs.len() as u32 - 1);
    let interface = crate::interface::Interface {
        stage: parsed.stage,
        entry: entry.name.clone(),
        group_size: if parsed.stage == crate::interface::Stage::Compute { entry.workgroup_size } else { [1; 3] },
        bindings,
        shared_bytes,
        pinned: program.barrier || shared_bytes > 0,
        stack_bytes: 0,
        registers: 0,
        public_cutoff: 0,
        public_bitmap: 0,
        alone: 0,
        position: 0,
        merge_at: None,
        split_at: None,
        constants: vec![],
        function_unit: false,
        semaphores: crate::interface::SemaphoreUse {
            polling: options.polling,
            locks: program.semaphores.locks,
            dependencies: program.semaphores.dependencies,
            ..Default::default()
        },
        warnings: std::mem::take(&mut program.io.warnings),
        graphics: program.io.interface(),
        derived: None,
        specialisation: None,
        values: Default::default(),
    };
    // A guard against naga modules that use a value where it may not have been computed (behind a
    // `continue`, for example).
    if let Err(message) = verify_module(&program.out) {
        let message = format!("internal: the lowered program is malformed: {message}");
        return Err(parsed
            .map
            .diagnostic(Span::UNDEFINED, message, "declare the values used in `continuing` before any `continue`")
            .into());
    }
    let unwritten = program.io.unwritten;
    Ok(Lowered { module: program.out, entry: entry_id, interface, declared, unwritten })
}
