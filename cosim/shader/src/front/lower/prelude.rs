//! The library for what is not one instruction, written in WGSL (`src/prelude/*.wgsl`) and lowered
//! by the same code as the user's functions. All files are one module, parsed once. Some of its
//! functions are *intrinsics*: their names stand for an instruction. Those of `intrinsics.wgsl` are
//! instructions that WGSL cannot express, and their bodies, which exist because WGSL wants one, are
//! never lowered. The others are the float unit's: their bodies do the same in software and are
//! lowered if the float unit is switched off (`Options::float_unit`).

use super::cx::{Cx, Res};
use crate::front::text::diag::Diagnostics;
use crate::front::text::parse::{parse_library, Parsed};
use crate::ssa::Value;
use quadlock_isa::Op;
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

/// What an intrinsic stands for.
#[derive(Clone, Copy)]
pub enum Intrinsic {
    Instruction(Op),
    Constant(u32),
}

/// Functions of the prelude that are one instruction of the float unit (lane or function unit).
const FLOAT_UNIT: &[(&str, Op)] = &[
    ("ql_div", Op::FDiv),
    ("ql_sqrt", Op::FSqrt),
    ("ql_inversesqrt", Op::FRsq),
    ("ql_exp2", Op::FExp2),
    ("ql_log2", Op::FLog2),
    ("ql_sin", Op::FSin),
    ("ql_cos", Op::FCos),
    ("ql_fract", Op::FFract),
    ("ql_floor", Op::FFloor),
    ("ql_ceil", Op::FCeil),
    ("ql_trunc", Op::FTrunc),
    ("ql_round", Op::FRne),
    ("ql_pkf16", Op::PkF16),
    ("ql_upkf16", Op::UpkF16),
    ("ql_f2un8", Op::F2UN8),
    ("ql_f2un16", Op::F2UN16),
    ("ql_f2sn8", Op::F2SN8),
    ("ql_f2sn16", Op::F2SN16),
    ("ql_un2f8", Op::UN2F8),
    ("ql_un2f16", Op::UN2F16),
    ("ql_sn2f8", Op::SN2F8),
    ("ql_sn2f16", Op::SN2F16),
];

/// What a function of the prelude stands for, if it is an intrinsic on a machine with (or without)
/// the float unit.
pub fn intrinsic(name: &str, float_unit: bool) -> Option<Intrinsic> {
    let unit = || FLOAT_UNIT.iter().find(|(n, _)| *n == name).map(|&(_, op)| Intrinsic::Instruction(op));
    Some(match name {
        "ql_umulhi" => Intrinsic::Instruction(Op::UMulHi),
        "ql_smulhi" => Intrinsic::Instruction(Op::SMulHi),
        "ql_nan" => Intrinsic::Constant(0x7FC0_0000),
        "ql_infinity" => Intrinsic::Constant(0x7F80_0000),
        _ => return unit().filter(|_| float_unit),
    })
}

/// The parsed prelude. An error here is an error in this crate; the tests parse it.
pub fn prelude() -> Result<&'static Parsed, Diagnostics> {
    static PRELUDE: OnceLock<Result<Parsed, Diagnostics>> = OnceLock::new();
    PRELUDE.get_or_init(|| parse_library(SOURCES)).as_ref().map_err(Clone::clone)
}

impl<'a> Cx<'_, 'a> {
    /// Calls a function of the prelude.
    pub fn prelude(&mut self, name: &str, args: &[Value]) -> Res<Vec<Value>> {
        if let Some(intrinsic) = intrinsic(name, self.p.options.float_unit) {
            return Ok(vec![self.intrinsic(intrinsic, args)]);
        }
        let module = self.p.prelude.module;
        let found = module.functions.iter().find(|(_, f)| f.name.as_deref() == Some(name));
        let Some((handle, _)) = found else {
            return Err(self.refuse(format!("internal: the prelude has no `{name}`")));
        };
        let unit = self.p.prelude;
        self.call_plain(unit, handle, args.to_vec())
    }

    /// The instruction or constant instead of a call.
    pub fn intrinsic(&mut self, intrinsic: Intrinsic, args: &[Value]) -> Value {
        match intrinsic {
            Intrinsic::Instruction(op) => self.b.alu(op, args),
            Intrinsic::Constant(word) => self.b.constant(word),
        }
    }

    pub fn prelude1(&mut self, name: &str, args: &[Value]) -> Res<Value> {
        let results = self.prelude(name, args)?;
        match results[..] {
            [value] => Ok(value),
            _ => Err(self.refuse(format!("internal: `{name}` has more than one result"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
