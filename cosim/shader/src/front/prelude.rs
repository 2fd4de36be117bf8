//! The library for what has no instruction, written in WGSL (`src/prelude/*.wgsl`) and lowered by the same code as the user's functions. All files are one
//! module, parsed once. A few of its functions are *intrinsics*: their names stand for an instruction that WGSL cannot express, and their bodies, which
//! exist because WGSL wants one, are never lowered.

use super::diag::Diagnostics;
use super::lower::{Cx, Res};
use super::parse::{parse_library, Parsed};
use crate::ssa::Value;
use quadlock_isa::Op;
use std::sync::OnceLock;

const SOURCES: &[(&str, &str)] = &[
    ("prelude/intrinsics.wgsl", include_str!("../prelude/intrinsics.wgsl")),
    ("prelude/integer.wgsl", include_str!("../prelude/integer.wgsl")),
    ("prelude/rounding.wgsl", include_str!("../prelude/rounding.wgsl")),
    ("prelude/division.wgsl", include_str!("../prelude/division.wgsl")),
    ("prelude/exponential.wgsl", include_str!("../prelude/exponential.wgsl")),
    ("prelude/trigonometry.wgsl", include_str!("../prelude/trigonometry.wgsl")),
    ("prelude/packing.wgsl", include_str!("../prelude/packing.wgsl")),
];

/// What an intrinsic stands for.
#[derive(Clone, Copy)]
pub enum Intrinsic {
    Instruction(Op),
    Constant(u32),
}

pub fn intrinsic(name: &str) -> Option<Intrinsic> {
    Some(match name {
        "ql_umulhi" => Intrinsic::Instruction(Op::UMulHi),
        "ql_smulhi" => Intrinsic::Instruction(Op::SMulHi),
        "ql_nan" => Intrinsic::Constant(0x7FC0_0000),
        "ql_infinity" => Intrinsic::Constant(0x7F80_0000),
        _ => return None,
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
        let module = self.p.prelude.module;
        let found = module.functions.iter().find(|(_, f)| f.name.as_deref() == Some(name));
        let Some((handle, _)) = found else {
            return Err(self.refuse(format!("internal: the prelude has no `{name}`")));
        };
        let unit = self.p.prelude;
        self.call_plain(unit, handle, args.to_vec())
    }

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
