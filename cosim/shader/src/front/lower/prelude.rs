//! The library's source (`src/prelude/*.wgsl`), lowered by the same code as the user's functions:
//! all of it, once for each choice of options that its code depends on.

use super::call::lower_plain;
use super::cx::{Known, Unit};
use crate::front::diag::Diagnostics;
use crate::front::emit::cx::Program;
use crate::front::emit::library::Library;
use crate::front::options::Options;
use crate::front::text::parse::{parse_library, Parsed};
use std::sync::OnceLock;

const SOURCES: &[(&str, &str)] = &[
    ("prelude/intrinsics.wgsl", include_str!("../../prelude/intrinsics.wgsl")),
    ("prelude/integer.wgsl", include_str!("../../prelude/integer.wgsl")),
    ("prelude/rounding.wgsl", include_str!("../../prelude/rounding.wgsl")),
    ("prelude/division.wgsl", include_str!("../../prelude/division.wgsl")),
    ("prelude/exponential.wgsl", include_str!("../../prelude/exponential.wgsl")),
    ("prelude/trigonometry.wgsl", include_str!("../../prelude/trigonometry.wgsl")),
    ("prelude/packing.wgsl", include_str!("../../prelude/packing.wgsl")),
    ("prelude/software.wgsl", include_str!("../../prelude/software.wgsl")),
];

/// The parsed prelude. An error here is an error in this crate; the tests parse it.
fn prelude() -> Result<&'static Parsed, Diagnostics> {
    static PRELUDE: OnceLock<Result<Parsed, Diagnostics>> = OnceLock::new();
    PRELUDE.get_or_init(|| parse_library(SOURCES)).as_ref().map_err(Clone::clone)
}

/// The functions that a front end may call by name.
pub fn library(options: &Options) -> Result<&'static Library, Diagnostics> {
    static LIBRARIES: [OnceLock<Result<Library, Diagnostics>>; 4] = [const { OnceLock::new() }; 4];
    let of = usize::from(options.float_unit) + 2 * usize::from(options.clamp_indices);
    LIBRARIES[of].get_or_init(|| compile(options)).as_ref().map_err(Clone::clone)
}

fn compile(options: &Options) -> Result<Library, Diagnostics> {
    let prelude = prelude()?;
    let module = &prelude.module;
    let unit = Unit { module, info: &prelude.info, map: &prelude.map, is_prelude: true };
    let files: Vec<String> = prelude.map.part_names().collect();
    let mut program = Program::new(*options, files.clone(), [1; 3], None);
    let mut known = Known::default();
    let mut by_name = std::collections::HashMap::new();
    for (handle, function) in module.functions.iter() {
        let id = lower_plain(&mut program, &mut known, unit, handle)?;
        by_name.insert(function.name.clone().unwrap_or_default(), id.index());
    }
    Ok(Library { funcs: program.out.funcs, files, by_name })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::front::emit::library::FLOAT_UNIT;
    use crate::ops::predicate::arity;

    #[test]
    fn every_instruction_of_the_float_unit_has_a_stand_in_of_the_same_shape() {
        let module = prelude().unwrap().module.clone();
        for (name, op) in FLOAT_UNIT {
            let found = module.functions.iter().find(|(_, f)| f.name.as_deref() == Some(name));
            assert_eq!(found.map(|(_, f)| f.arguments.len()), arity(*op), "{name}");
        }
    }
}
