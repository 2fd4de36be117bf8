//! Specialisation constants with the values that job and command line give: which ones a module
//! has, by SpecId and OpName, and their words.

use super::module::{Module, Res};
use crate::front::constants::{choose, Chosen, Declared, Given, Kind, Place};
use crate::front::diag::Diagnostics;
use rspirv::spirv::{Decoration, Op};
use std::collections::BTreeMap;

/// The values as they are told in the report, and as packed words by id of the constant.
pub fn specialise(m: &Module, given: &[Given]) -> Result<(Chosen, BTreeMap<u32, Vec<u32>>), Diagnostics> {
    if given.is_empty() {
        return Ok(Default::default());
    }
    let mut declared = vec![];
    let mut ids = vec![];
    for (n, i) in m.insts.iter().enumerate() {
        let Some(id) = m.decoration(i.id, Decoration::SpecId).filter(|_| i.id != 0) else { continue };
        let kind = match i.op {
            Op::SpecConstantTrue | Op::SpecConstantFalse => Kind::Bool,
            Op::SpecConstant => kind(m, n)?,
            _ => return Err(m.invalid(n, "SpecId is for OpSpecConstant, OpSpecConstantTrue and -False").into()),
        };
        let loc = m.locs[n];
        let file = m.files.get(usize::from(loc.file)).unwrap_or(&m.path).clone();
        let place = Place { file, line: loc.line, column: loc.col };
        let name = m.names.get(&i.id).cloned().unwrap_or_default();
        declared.push(Declared { name, id: Some(id), kind, place });
        ids.push(i.id);
    }
    let chosen = choose(&m.path, given, &declared)?;
    let words = chosen.values.iter().map(|(&d, &value)| (ids[d], declared[d].kind.words(value))).collect();
    Ok((chosen, words))
}

/// The type of a scalar constant.
fn kind(m: &Module, n: usize) -> Res<Kind> {
    match m.def(m.insts[n].ty).map(|ty| (ty.op, &ty.args[..])) {
        Some((Op::TypeInt, &[bits @ (8 | 16 | 32 | 64), signed])) => Ok(Kind::Int { bits, signed: signed != 0 }),
        Some((Op::TypeFloat, &[bits @ (16 | 32 | 64), ..])) => Ok(Kind::Float { bits }),
        _ => Err(m.invalid(n, "a specialisation constant that is no number")),
    }
}
