//! WGSL's overrides with the values that are given for them. naga puts them in and folds what
//! depends on them, sizes of arrays and of the work group too; the values are matched here with
//! what the module declares, and naga's errors get a place.

use super::map::SourceMap;
use crate::front::constants::{choose, Chosen, Declared, Given, Kind, Place, Value};
use crate::front::diag::{Diagnostic, Diagnostics};
use naga::back::pipeline_constants::PipelineConstantError;
use naga::back::PipelineConstants;
use naga::{Module, ScalarKind, Span, TypeInner};

/// What the module's overrides are given: naga's table, and the same for the report. naga's numbers
/// are f64, which every 32-bit integer is.
pub fn values(map: &SourceMap, module: &Module, given: &[Given]) -> Result<(PipelineConstants, Chosen), Diagnostics> {
    let mut keys = vec![];
    let mut declared = vec![];
    for (handle, o) in module.overrides.iter() {
        let name = o.name.clone().unwrap_or_default();
        let Some(key) = o.id.map(|id| id.to_string()).or(o.name.clone()) else { continue };
        let TypeInner::Scalar(scalar) = module.types[o.ty].inner else { continue };
        let bits = 8 * u32::from(scalar.width);
        let kind = match scalar.kind {
            ScalarKind::Bool => Kind::Bool,
            ScalarKind::Float | ScalarKind::AbstractFloat => Kind::Float { bits },
            ScalarKind::Sint | ScalarKind::AbstractInt => Kind::Int { bits, signed: true },
            ScalarKind::Uint => Kind::Int { bits, signed: false },
        };
        let loc = map.loc(0, module.overrides.get_span(handle));
        let place = Place { file: map.path.clone(), line: loc.line, column: loc.col };
        keys.push(key);
        declared.push(Declared { name, id: o.id.map(u32::from), kind, place });
    }
    let chosen = choose(&map.path, given, &declared)?;
    let number = |value: &Value| match *value {
        Value::Bool(b) => f64::from(u8::from(b)),
        Value::Integer(n) => n as f64,
        Value::Float(x) => x,
    };
    let constants = chosen.values.iter().map(|(&d, value)| (keys[d].clone(), number(value))).collect();
    Ok((constants, chosen))
}

/// Gives the overrides without a name one: naga makes such of an array's length that is computed
/// from others, and its evaluation panics on those that stand before another override.
pub fn name_lengths(module: &mut Module) {
    for (_, o) in module.overrides.iter_mut().filter(|(_, o)| o.name.is_none() && o.id.is_none()) {
        // No name of the text's can be the same.
        o.name = Some("length of an array".into());
    }
}

/// Why the values do not do.
pub fn failed(
    map: &SourceMap,
    module: &Module,
    entry: &str,
    error: &PipelineConstantError,
    said: String,
) -> Diagnostic {
    match error {
        PipelineConstantError::MissingValue(key) => {
            let found = module.overrides.iter().find(|(_, o)| match o.id {
                Some(id) => id.to_string() == *key,
                None => o.name.as_ref() == Some(key),
            });
            let span = found.map_or(Span::UNDEFINED, |(handle, _)| module.overrides.get_span(handle));
            let name = found.and_then(|(_, o)| o.name.clone()).unwrap_or_else(|| key.clone());
            let help = format!("give it in [constants] of the job or with --constant {name}=VALUE, or a default");
            map.diagnostic(span, format!("the override `{name}` has no default and is given no value"), help)
        }
        PipelineConstantError::NegativeWorkgroupSize => {
            let help = "give the overrides of @workgroup_size values from 1 on";
            map.diagnostic(map.declaration(entry), "a dimension of the work group is less than 1", help)
        }
        PipelineConstantError::ValidationError(e) => {
            let span = e.spans().last().map_or(Span::UNDEFINED, |(span, _)| *span);
            map.diagnostic(span, said, "with the values of its overrides the shader is not valid: correct them")
        }
        _ => map.diagnostic(Span::UNDEFINED, said, "correct the values of the overrides"),
    }
}
