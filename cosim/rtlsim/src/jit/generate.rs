//! Code generation: every function of a plan as bytes. Functions of regions are compiled on all
//! cores; the result does not depend on how many there are.

use cranelift_codegen::control::ControlPlane;
use cranelift_codegen::ir::{ExtFuncData, ExternalName, FuncRef, Function, UserExternalName, UserFuncName};
use cranelift_codegen::isa::OwnedTargetIsa;
use cranelift_codegen::settings::{self, Configurable};
use cranelift_codegen::Context;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_module::{FuncId, ModuleReloc};
use rayon::prelude::*;

use super::code::Code;
use super::pieces::{signature, Piece, Pieces, Relocation};
use crate::error::internal;
use crate::plan::{DomainId, RegionId};
use crate::Error;

/// The machine that runs this, with all its instructions; `verify`: code is checked before it is
/// compiled.
pub(super) fn isa(verify: bool) -> Result<OwnedTargetIsa, Error> {
    let mut flags = settings::builder();
    for (name, value) in [
        // Its reordering lengthens live ranges: a third more code, of spills, and a third slower.
        ("opt_level", "none"),
        ("enable_verifier", if verify { "true" } else { "false" }),
        ("is_pic", "false"),
        ("use_colocated_libcalls", "false"),
        ("enable_probestack", "false"),
        ("unwind_info", "false"),
    ] {
        flags.set(name, value).map_err(internal)?;
    }
    cranelift_native::builder().map_err(internal)?.finish(settings::Flags::new(flags)).map_err(internal)
}

/// What the bytes of code depend on beside the plan: Cranelift's version, the instructions of this
/// machine, the settings.
pub(super) fn target(isa: &OwnedTargetIsa) -> String {
    let mut text = format!("{} {} {}", cranelift_codegen::VERSION, isa.triple(), isa.flags());
    for flag in isa.isa_flags() {
        text += &format!("{} = {}\n", flag.name, flag.value_string());
    }
    text
}

/// Compiles one function; `id` is its place in the list.
pub(super) fn compile(isa: &OwnedTargetIsa, func: Function, id: u32) -> Result<Piece, Error> {
    let mut context = Context::for_function(func);
    let dump = std::env::var("RTLSIM_DUMP").ok().is_some_and(|d| d == id.to_string());
    context.set_disasm(dump);
    if dump {
        eprintln!("{}", context.func);
    }
    let code = match context.compile(&**isa, &mut ControlPlane::default()) {
        Ok(code) => code,
        Err(e) => return Err(Error::Internal(format!("code generation: {:?}", e.inner))),
    };
    if let Some(text) = &code.vcode {
        eprintln!("{text}");
    }
    let (align, bytes) = (code.buffer.alignment, code.buffer.data().to_vec());
    let relocations = code.buffer.relocs().to_vec();
    let relocation = |r| Relocation::new(&ModuleReloc::from_mach_reloc(r, &context.func, FuncId::from_u32(id)));
    let relocations = relocations.iter().map(relocation).collect::<Result<_, _>>()?;
    Ok(Piece { bytes, align, relocations })
}

/// Compiles every function of a plan.
///
/// # Errors
/// [`Error::Internal`] if code generation fails.
pub(super) fn generate(isa: &OwnedTargetIsa, code: &Code) -> Result<Pieces, Error> {
    let call_conv = isa.default_call_conv();
    let new = |id: u32| Function::with_name_signature(UserFuncName::user(0, id), signature(call_conv));
    let build = |mut func: Function, f: &dyn Fn(&mut FunctionBuilder)| {
        let mut context = FunctionBuilderContext::new();
        let mut builder = FunctionBuilder::new(&mut func, &mut context);
        f(&mut builder);
        builder.seal_all_blocks();
        builder.finalize(isa.frontend_config());
        func
    };
    let regions: Vec<RegionId> = code.plan.regions.ids().collect();
    let mut functions: Vec<Piece> = regions
        .par_iter()
        .map(|&r| compile(isa, build(new(r.number()), &|b| code.region(b, r)), r.number()))
        .collect::<Result<_, _>>()?;
    let id = functions.len() as u32;
    let mut func = new(id);
    let callee = func.import_signature(signature(call_conv));
    let refs: Vec<FuncRef> = (0..id)
        .map(|index| {
            let name = func.declare_imported_user_function(UserExternalName { namespace: 0, index });
            let name = ExternalName::user(name);
            func.import_function(ExtFuncData { name, signature: callee, colocated: true, patchable: false })
        })
        .collect();
    functions.push(compile(isa, build(func, &|b| code.evaluate(b, &refs)), id)?);
    let domains = code.plan.domains.len() as u32;
    for domain in 0..domains {
        let id = functions.len() as u32;
        functions.push(compile(isa, build(new(id), &|b| code.commit(b, DomainId::new(domain))), id)?);
    }
    Ok(Pieces { functions, domains })
}

/// Where the functions of a plan lie, for `perf`: written to the file that `RTLSIM_PERF_MAP` names.
pub(super) fn write_perf_map(code: &Code, pieces: &Pieces, addresses: &[usize]) {
    let Ok(path) = std::env::var("RTLSIM_PERF_MAP") else { return };
    let mut names: Vec<String> = Vec::new();
    for (r, region) in code.plan.regions.entries() {
        let items = || region.clusters.iter().flat_map(|&c| &code.plan.clusters[c].items);
        let name = items().last().map(|&i| code.plan.graph.scope_path(code.plan.items[i].scope)).unwrap_or_default();
        names.push(format!("region{}_{name}_n{}", r.number(), items().count()));
    }
    names.push("evaluate".into());
    names.extend((0..pieces.domains).map(|k| format!("commit{k}")));
    let lines = names.iter().zip(addresses).zip(&pieces.functions);
    let map: String = lines.map(|((name, at), f)| format!("{at:x} {:x} {name}\n", f.bytes.len())).collect();
    // A file that cannot be written is missed by whoever asked for it.
    let _ = std::fs::write(path, map);
}
