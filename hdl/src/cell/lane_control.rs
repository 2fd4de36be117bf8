//! What a lane does with each opcode: how operands are routed in its first stage, which integer
//! function its second stage computes and which path delivers the result. Generated from the
//! instruction table: one `match` over each kind of [`Op`] makes both the Rust look-up and the
//! Verilog `case`.
//!
//! Combinational. It can be wrong in a row of [`control`]; every instruction's test in
//! `tests/lane_*.rs` goes through it.

use std::fmt::Write;
use std::sync::OnceLock;

use quadlock_hdl_macros::{QuietBlock, StateWord};
use quadlock_isa::{kind, Class, Kind, Op, TABLE};
use rust_hdl::prelude::*;

/// How the operand registers of the lane are filled from A, B, C.
#[derive(Clone, Copy, Debug, PartialEq, Eq, LogicState, StateWord)]
pub enum Route {
    /// A, B, C.
    Plain,
    /// A, 1.0, B: sum as a fused multiply and add.
    Sum,
    /// A, 1.0, -B.
    Difference,
    /// A, B and a zero with the sign of the product, which leaves the product as it is, -0
    /// included.
    Product,
    /// -A, B, C.
    NegatedProduct,
    /// |A|, and in the third register a zero with the sign of A.
    SignedInteger,
    /// A, and in the third register +0.
    UnsignedInteger,
    /// 0, 0, A.
    Third,
    /// A, B, A rounded to an integral value: below, above, towards zero, to nearest even.
    Floor,
    /// As `Floor`, rounded up.
    Ceil,
    /// As `Floor`, rounded towards zero.
    Truncate,
    /// As `Floor`, rounded to nearest, ties to even.
    RoundEven,
    /// A, 1.0, minus the integral value below A.
    Fraction,
    /// The f16 of A as a number too small by 2^112, 2^112, signed zero.
    Half,
    /// A held in the range of the format, the format's scale, 1/2.
    EncodeUnorm8,
    /// As `EncodeUnorm8`, for unsigned 16 bits.
    EncodeUnorm16,
    /// As `EncodeUnorm8`, for signed 8 bits.
    EncodeSnorm8,
    /// As `EncodeUnorm8`, for signed 16 bits.
    EncodeSnorm16,
    /// The format's integer, a factor that repeats its bits, a sticky bit with A's sign.
    DecodeUnorm8,
    /// As `DecodeUnorm8`, for unsigned 16 bits.
    DecodeUnorm16,
    /// As `DecodeUnorm8`, for signed 8 bits.
    DecodeSnorm8,
    /// As `DecodeUnorm8`, for signed 16 bits.
    DecodeSnorm16,
}

/// The path that delivers the result; only this path's registers move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, LogicState, StateWord)]
pub enum Path {
    /// The integer result of the second stage.
    Integer,
    /// Low word of the product plus the integer result.
    MulLow,
    /// High word of the product minus the integer result.
    MulHigh,
    /// Rounded fused multiply and add.
    Float,
    /// Integer magnitude, normalised and rounded.
    FromInteger,
    /// Aligned significand as a signed integer.
    ToSigned,
    /// Aligned significand as an unsigned integer.
    ToUnsigned,
    /// Integer product in units of 2^-48, normalised and rounded.
    FromFraction,
    /// The integer not above a fused multiply and add, its low 8 or 16 bits.
    Floor8,
    /// As `Floor8`, the low 16 bits.
    Floor16,
}

/// Function of the integer stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, LogicState, StateWord)]
pub enum Function {
    /// 0, for paths that do not use the stage.
    Zero,
    /// B as it is.
    OperandB,
    /// C as it is.
    OperandC,
    /// A + B modulo 2^32.
    Add,
    /// A - B modulo 2^32.
    Sub,
    /// What the high word of an unsigned product is too large by when the factors are signed.
    SignCorrection,
    /// Lesser of A and B, signed.
    SMin,
    /// Greater of A and B, signed.
    SMax,
    /// Lesser of A and B, unsigned.
    UMin,
    /// Greater of A and B, unsigned.
    UMax,
    /// A and B, bit by bit.
    And,
    /// A or B, bit by bit.
    Or,
    /// A exclusive or B, bit by bit.
    Xor,
    /// A shifted left by B[4:0].
    Shl,
    /// A shifted right by B[4:0], zeros from the left.
    Shr,
    /// A shifted right by B[4:0], copies of its sign from the left.
    Sar,
    /// Number of ones in A.
    Popc,
    /// Number of zeros above the highest one of A; 32 for zero.
    Clz,
    /// Number of zeros below the lowest one of A; 32 for zero.
    Ctz,
    /// A with its bits in reverse order.
    Brev,
    /// Field of A that B gives (offset B[4:0], count B[13:8]), zero-extended.
    UBfe,
    /// As `UBfe`, sign-extended.
    SBfe,
    /// C with the field that B gives replaced by low bits of A.
    Bfi,
    /// 1 if A is equal to B, else 0.
    SetEq,
    /// 1 if A is different from B, else 0.
    SetNe,
    /// 1 if A is less than B, signed, else 0.
    SSetLt,
    /// 1 if A is at most B, signed, else 0.
    SSetLe,
    /// 1 if A is greater than B, signed, else 0.
    SSetGt,
    /// 1 if A is at least B, signed, else 0.
    SSetGe,
    /// 1 if A is less than B, unsigned, else 0.
    USetLt,
    /// 1 if A is at most B, unsigned, else 0.
    USetLe,
    /// 1 if A is greater than B, unsigned, else 0.
    USetGt,
    /// 1 if A is at least B, unsigned, else 0.
    USetGe,
    /// 1 if A is equal to B, as floats, else 0.
    FSetEq,
    /// 1 if A is different from B, as floats, else 0.
    FSetNe,
    /// 1 if A is less than B, as floats, else 0.
    FSetLt,
    /// 1 if A is at most B, as floats, else 0.
    FSetLe,
    /// 1 if A is greater than B, as floats, else 0.
    FSetGt,
    /// 1 if A is at least B, as floats, else 0.
    FSetGe,
    /// Lesser of A and B as floats.
    FMin,
    /// Greater of A and B as floats.
    FMax,
    /// A if C is not 0, else B.
    Select,
    /// A and B as f16, A in the low half; computed beside the integer stage.
    PackHalf,
}

/// How the lane executes it: operand routing, path of the result, function of the integer stage.
type Control = (Route, Path, Function);

fn integer(function: Function) -> Control {
    (Route::Plain, Path::Integer, function)
}

fn float(route: Route) -> Control {
    (route, Path::Float, Function::Zero)
}

fn control(op: Op) -> Control {
    match op.kind() {
        Kind::Integer(op) => arithmetic(op),
        Kind::Bits(op) => bits(op),
        Kind::Compare(op) => compare(op),
        Kind::Float(op) => floating(op),
        Kind::Format(op) => format(op),
        Kind::Move(op) => movement(op),
        // They have no result of the lane.
        Kind::Control(_) | Kind::Message(_) | Kind::Across(_) | Kind::Function(_) => integer(Function::Zero),
        Kind::Graphics(_) => integer(Function::Zero),
        Kind::Load(_) | Kind::Store(_) | Kind::Atomic(_) | Kind::WarpAtomic(_) => integer(Function::Zero),
    }
}

fn arithmetic(op: kind::Integer) -> Control {
    use kind::Integer as Op;
    match op {
        Op::IAdd => integer(Function::Add),
        Op::ISub => integer(Function::Sub),
        Op::IMul => (Route::Plain, Path::MulLow, Function::Zero),
        Op::UMulHi => (Route::Plain, Path::MulHigh, Function::Zero),
        Op::SMulHi => (Route::Plain, Path::MulHigh, Function::SignCorrection),
        Op::IMad => (Route::Plain, Path::MulLow, Function::OperandC),
        Op::SMin => integer(Function::SMin),
        Op::SMax => integer(Function::SMax),
        Op::UMin => integer(Function::UMin),
        Op::UMax => integer(Function::UMax),
    }
}

fn bits(op: kind::Bits) -> Control {
    use kind::Bits as Op;
    match op {
        Op::And => integer(Function::And),
        Op::Or => integer(Function::Or),
        Op::Xor => integer(Function::Xor),
        Op::Shl => integer(Function::Shl),
        Op::Shr => integer(Function::Shr),
        Op::Sar => integer(Function::Sar),
        Op::Popc => integer(Function::Popc),
        Op::Clz => integer(Function::Clz),
        Op::Ctz => integer(Function::Ctz),
        Op::Brev => integer(Function::Brev),
        Op::UBfe => integer(Function::UBfe),
        Op::SBfe => integer(Function::SBfe),
        Op::Bfi => integer(Function::Bfi),
    }
}

fn compare(op: kind::Compare) -> Control {
    use kind::Compare as Op;
    match op {
        Op::ISetEq => integer(Function::SetEq),
        Op::ISetNe => integer(Function::SetNe),
        Op::SSetLt => integer(Function::SSetLt),
        Op::SSetLe => integer(Function::SSetLe),
        Op::SSetGt => integer(Function::SSetGt),
        Op::SSetGe => integer(Function::SSetGe),
        Op::USetLt => integer(Function::USetLt),
        Op::USetLe => integer(Function::USetLe),
        Op::USetGt => integer(Function::USetGt),
        Op::USetGe => integer(Function::USetGe),
        Op::FSetEq => integer(Function::FSetEq),
        Op::FSetNe => integer(Function::FSetNe),
        Op::FSetLt => integer(Function::FSetLt),
        Op::FSetLe => integer(Function::FSetLe),
        Op::FSetGt => integer(Function::FSetGt),
        Op::FSetGe => integer(Function::FSetGe),
    }
}

fn floating(op: kind::Float) -> Control {
    use kind::Float as Op;
    match op {
        Op::FAdd => float(Route::Sum),
        Op::FSub => float(Route::Difference),
        Op::FMul => float(Route::Product),
        Op::FFma => float(Route::Plain),
        Op::FNma => float(Route::NegatedProduct),
        Op::FMin => integer(Function::FMin),
        Op::FMax => integer(Function::FMax),
        Op::FFract => float(Route::Fraction),
        Op::F2I => (Route::Third, Path::ToSigned, Function::Zero),
        Op::F2U => (Route::Third, Path::ToUnsigned, Function::Zero),
        Op::I2F => (Route::SignedInteger, Path::FromInteger, Function::Zero),
        Op::U2F => (Route::UnsignedInteger, Path::FromInteger, Function::Zero),
        Op::FFloor => (Route::Floor, Path::Integer, Function::OperandC),
        Op::FCeil => (Route::Ceil, Path::Integer, Function::OperandC),
        Op::FTrunc => (Route::Truncate, Path::Integer, Function::OperandC),
        Op::FRne => (Route::RoundEven, Path::Integer, Function::OperandC),
    }
}

fn format(op: kind::Format) -> Control {
    use kind::Format as Op;
    match op {
        Op::PkF16 => integer(Function::PackHalf),
        Op::UpkF16 => float(Route::Half),
        Op::F2UN8 => (Route::EncodeUnorm8, Path::Floor8, Function::Zero),
        Op::F2UN16 => (Route::EncodeUnorm16, Path::Floor16, Function::Zero),
        Op::F2SN8 => (Route::EncodeSnorm8, Path::Floor8, Function::Zero),
        Op::F2SN16 => (Route::EncodeSnorm16, Path::Floor16, Function::Zero),
        Op::UN2F8 => (Route::DecodeUnorm8, Path::FromFraction, Function::Zero),
        Op::UN2F16 => (Route::DecodeUnorm16, Path::FromFraction, Function::Zero),
        Op::SN2F8 => (Route::DecodeSnorm8, Path::FromFraction, Function::Zero),
        Op::SN2F16 => (Route::DecodeSnorm16, Path::FromFraction, Function::Zero),
    }
}

fn movement(op: kind::Move) -> Control {
    use kind::Move as Op;
    match op {
        Op::Sel => integer(Function::Select),
        Op::Mov | Op::S2R | Op::QShuf => integer(Function::OperandB),
        // The other lane's value has been put into A, this pair's even value into B.
        Op::Ddx | Op::Ddy => float(Route::Difference),
    }
}

fn controls() -> &'static [(Route, Path, Function); 256] {
    static CONTROLS: OnceLock<[(Route, Path, Function); 256]> = OnceLock::new();
    CONTROLS.get_or_init(|| {
        let mut all = [(Route::Plain, Path::Integer, Function::Zero); 256];
        for row in TABLE {
            all[usize::from(row.code)] = control(row.op);
        }
        all
    })
}

/// Opcode to lane control.
#[derive(Default, QuietBlock)]
pub struct LaneControl {
    /// Opcode, bits 7:0 of the instruction.
    pub op: Signal<In, Bits<8>>,
    /// Operand routing: a number of [`Route`].
    pub route: Signal<Out, Route>,
    /// Path that delivers the result: a number of [`Path`].
    pub path: Signal<Out, Path>,
    /// Function of the integer stage.
    pub operation: Signal<Out, Function>,
    _active: bool,
}

impl Logic for LaneControl {
    fn update(&mut self) {
        let (route, path, operation) = controls()[self.op.val().index()];
        self.route.next = route;
        self.path.next = path;
        self.operation.next = operation;
    }

    fn connect(&mut self) {
        self.route.connect();
        self.path.connect();
        self.operation.connect();
    }

    fn hdl(&self) -> Verilog {
        let mut text = String::from("// module: lane_control\nalways @(*) begin\n   route = Route$Plain;\n   path = Path$Integer;\n   operation = Function$Zero;\n   case (op)\n");
        for row in TABLE.iter().filter(|row| row.class == Class::Alu) {
            let (route, path, operation) = control(row.op);
            write!(text, "      8'h{:02x}: begin // {}\n         route = Route${route:?};\n", row.code, row.name)
                .expect("write to a string");
            write!(text, "         path = Path${path:?};\n         operation = Function${operation:?};\n      end\n")
                .expect("write to a string");
        }
        text += "      default: begin end\n   endcase\nend\n";
        Verilog::Custom(text)
    }
}
