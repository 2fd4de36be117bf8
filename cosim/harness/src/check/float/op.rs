//! The float operations of the machine and what each is compared with. Wrong if an operation is
//! missing, which a test compares with the instruction table, or if its operands are drawn from the
//! wrong kind.

use quadlock_isa::{Class, Op, TABLE};

use super::near::{self, Function};
use super::oracle;

/// What an operation's operands are, which decides its vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operands {
    /// So many f32, 1 to 3.
    Floats(usize),
    /// A 32-bit integer.
    Integer,
    /// The low 16 bits; those above must be ignored.
    Low16,
}

impl Operands {
    /// How many.
    pub fn count(self) -> usize {
        match self {
            Self::Floats(n) => n,
            Self::Integer | Self::Low16 => 1,
        }
    }
}

/// What the result must be.
#[derive(Clone, Copy, Debug)]
pub enum Meaning {
    /// These bits and no others.
    Exact(fn([u32; 3]) -> u32),
    /// Near the real value: the golden model within a bound, the RTL with the golden model's bits.
    Near(&'static Function),
}

/// A float operation.
#[derive(Clone, Copy, Debug)]
pub struct FloatOp {
    /// As the instruction table has it.
    pub op: Op,
    /// What its operands are, and how many.
    pub operands: Operands,
    /// What is right, bit for bit or within a bound.
    pub meaning: Meaning,
}

const fn exact(op: Op, operands: Operands, oracle: fn([u32; 3]) -> u32) -> FloatOp {
    FloatOp { op, operands, meaning: Meaning::Exact(oracle) }
}

const fn near(op: Op, function: &'static Function) -> FloatOp {
    FloatOp { op, operands: ONE, meaning: Meaning::Near(function) }
}

const ONE: Operands = Operands::Floats(1);
const TWO: Operands = Operands::Floats(2);
const THREE: Operands = Operands::Floats(3);

/// Every float operation, in order of opcode. DDX and DDY are FSUB with operands from other lanes:
/// lockstep runs them, nothing is added here.
pub const OPS: &[FloatOp] = &[
    exact(Op::FSetEq, TWO, oracle::equal),
    exact(Op::FSetNe, TWO, oracle::not_equal),
    exact(Op::FSetLt, TWO, oracle::less),
    exact(Op::FSetLe, TWO, oracle::less_equal),
    exact(Op::FSetGt, TWO, oracle::greater),
    exact(Op::FSetGe, TWO, oracle::greater_equal),
    exact(Op::FAdd, TWO, oracle::add),
    exact(Op::FSub, TWO, oracle::sub),
    exact(Op::FMul, TWO, oracle::mul),
    exact(Op::FFma, THREE, oracle::fma),
    exact(Op::FNma, THREE, oracle::fnma),
    exact(Op::FMin, TWO, oracle::min),
    exact(Op::FMax, TWO, oracle::max),
    exact(Op::FFract, ONE, oracle::fract),
    exact(Op::F2I, ONE, oracle::to_signed),
    exact(Op::F2U, ONE, oracle::to_unsigned),
    exact(Op::I2F, Operands::Integer, oracle::from_signed),
    exact(Op::U2F, Operands::Integer, oracle::from_unsigned),
    exact(Op::FFloor, ONE, oracle::floor),
    exact(Op::FCeil, ONE, oracle::ceil),
    exact(Op::FTrunc, ONE, oracle::trunc),
    exact(Op::FRne, ONE, oracle::round_even),
    exact(Op::PkF16, TWO, oracle::pack_half),
    exact(Op::UpkF16, Operands::Low16, oracle::unpack_half),
    exact(Op::F2UN8, ONE, oracle::unorm8_encode),
    exact(Op::F2UN16, ONE, oracle::unorm16_encode),
    exact(Op::F2SN8, ONE, oracle::snorm8_encode),
    exact(Op::F2SN16, ONE, oracle::snorm16_encode),
    exact(Op::UN2F8, Operands::Low16, oracle::unorm8_decode),
    exact(Op::UN2F16, Operands::Low16, oracle::unorm16_decode),
    exact(Op::SN2F8, Operands::Low16, oracle::snorm8_decode),
    exact(Op::SN2F16, Operands::Low16, oracle::snorm16_decode),
    exact(Op::FDiv, TWO, oracle::div),
    exact(Op::FSqrt, ONE, oracle::sqrt),
    near(Op::FRcp, &near::RCP),
    near(Op::FRsq, &near::RSQRT),
    near(Op::FExp2, &near::EXP2),
    near(Op::FLog2, &near::LOG2),
    near(Op::FSin, &near::SIN),
    near(Op::FCos, &near::COS),
];

impl FloatOp {
    /// The operation of that mnemonic, in any case.
    pub fn by_name(name: &str) -> Option<&'static Self> {
        OPS.iter().find(|o| o.name().eq_ignore_ascii_case(name))
    }

    /// Its mnemonic.
    pub fn name(&self) -> &'static str {
        TABLE.iter().find(|row| row.op == self.op).map_or("", |row| row.name)
    }

    /// Executed by the function unit; else by the lanes.
    pub fn in_function_unit(&self) -> bool {
        TABLE.iter().any(|row| row.op == self.op && row.class == Class::Function)
    }

    /// Whether its result is an f32.
    pub fn gives_float(&self) -> bool {
        !matches!(self.op as u8, 0x3A..=0x3F | 0x48 | 0x49 | 0x56 | 0x58..=0x5B)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The float part of the instruction table: names that begin with F, and conversions.
    #[test]
    fn every_float_instruction_is_here_once() {
        let float = |name: &str| {
            name.starts_with('F')
                || ["I2F", "U2F", "PK.", "UPK.", "UN2F", "SN2F"].iter().any(|start| name.starts_with(start))
        };
        let table: Vec<Op> = TABLE.iter().filter(|r| float(r.name)).map(|r| r.op).collect();
        let ours: Vec<Op> = OPS.iter().map(|o| o.op).collect();
        assert_eq!(ours, table);
        assert!(FloatOp::by_name("pk.f16").is_some_and(|o| o.op == Op::PkF16 && !o.gives_float()));
    }
}
