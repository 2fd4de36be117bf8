//! What browsers take of WGSL and naga's validator does not, mended in naga's IR between parsing
//! and validation: each file one thing.
//!
//! In the IR and not in the text, because types and scopes are known there; before validation, so
//! that naga checks what the mending made. Patches of naga would have to come with a copy of it.
//! Wrong would be a mending that makes an invalid shader valid: what the validator can then no
//! longer see is checked here.

mod abstracts;
mod lanes;
mod lets;
mod pointers;
mod rebuild;
mod returns;

use super::diag::Diagnostics;
use super::text::map::SourceMap;
use naga::Module;

/// Mends a module that has just been parsed.
pub fn mend(map: &SourceMap, module: &mut Module) -> Result<(), Diagnostics> {
    abstracts::run(module);
    pointers::run(map, module)?;
    let Module { functions, entry_points, types, constants, .. } = module;
    let plain = functions.iter_mut().map(|(_, f)| f);
    for function in plain.chain(entry_points.iter_mut().map(|e| &mut e.function)) {
        returns::run(function);
        lanes::run(function);
        lets::run(function, types, constants);
    }
    Ok(())
}
