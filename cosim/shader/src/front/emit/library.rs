//! Functions that are called by name because the machine has no instruction for them
//! (`src/prelude`, written in WGSL), compiled once: a front end takes them from here, and with them
//! what they call. Some are *intrinsics*: their names stand for an instruction. Those of
//! `intrinsics.wgsl` are instructions that WGSL cannot express, and their bodies, which exist
//! because WGSL wants one, are never called. The others are the float unit's: their bodies do the
//! same in software and are called if the float unit is switched off (`Options::float_unit`).

use crate::ssa::Func;
use quadlock_isa::Op;
use std::collections::HashMap;

/// What an intrinsic stands for.
#[derive(Clone, Copy)]
pub enum Intrinsic {
    Instruction(Op),
    Constant(u32),
}

/// Functions of the prelude that are one instruction of the float unit (lane or function unit).
pub const FLOAT_UNIT: &[(&str, Op)] = &[
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

/// Compiled functions.
#[derive(Clone, Debug, Default)]
pub struct Library {
    /// By number; calls among them name these numbers.
    pub funcs: Vec<Func>,
    /// Names of their source files.
    pub files: Vec<String>,
    pub by_name: HashMap<String, usize>,
}
