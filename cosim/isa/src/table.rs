//! The one table of instructions.
//!
//! Every product that needs to know an instruction reads it here: encoder, decoder, assembler,
//! disassembler, `docs/isa.md`, the opcode constants of the RTL, the GTKWave translate file and the
//! coverage points. The table gives encodings, operand shapes and the meaning in words; it holds no
//! executable semantics, because the RTL and the golden model each write those down on their own.
//! It can be wrong in two ways: two rows with one number (a test forbids it) and a description that
//! differs from what the machine does (lockstep and the isa page's reader find it).
//!
//! # Encoding (64 bits, little endian, one word per instruction)
//!
//! | bits    | field | meaning |
//! |---------|-------|---------|
//! | 7:0     | op    | opcode number |
//! | 12:8    | d     | destination register, first of a group for wide loads and 64-bit atomics |
//! | 17:13   | a     | first source register; the address register of memory instructions |
//! | 22:18   | b     | second source register; store data and atomic operand |
//! | 27:23   | c     | third source register; expected value of compare-and-exchange |
//! | 29:28   | bm    | where operand B comes from: 0 register b, 1 `imm`, 2 constant bank word `imm[9:0]`, 3 undefined |
//! | 30      | s     | 1: shared storage instead of global memory, of warp-wide atomics (WW-26); also by helpers, of stores |
//! | 31      | e     | 1: an event behind the instruction, bit 30 says which: 0 merge, 1 split (MS-10) |
//! | 63:32   | imm   | 32-bit immediate, constant-bank word, byte offset, branch target or special-register number |
//!
//! An encoding is *undefined* when the opcode number is not in the table, when bit 31 is zero, bit
//! 30 is not and the table has no such row, when bit 31 is not zero and the instruction carries no
//! events, when `bm` is 3, or when `bm` is not 0 for an opcode whose shape does not allow it
//! ([`Shape::b_modes`]). Only machines whose events are modifiers know bit 31. An undefined
//! encoding traps. Register fields that an opcode does not use are ignored; the assembler writes
//! zero. A branch target is `imm[15:0]`. Register numbers inside a group wrap at 32: the register
//! after r31 is r0.

use crate::abi::{LANES, MAX_GROUP, MAX_SHARED_WORDS, MAX_UNITS, MAX_WARPS};

/// What operands an instruction has and how they are written in assembler text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    /// No operands: `END`.
    None,
    /// `OP target`: instruction index in `imm`.
    Target,
    /// `OP a, target`: a condition register and an instruction index in `imm`.
    CondTarget,
    /// `OP B`: B is a register, an immediate or a constant-bank word.
    B,
    /// `OP d, B`.
    DB,
    /// `OP d, a`.
    DA,
    /// `OP d, a, B`.
    DAB,
    /// `OP d, a, B, c`.
    DABC,
    /// `OP d, sr`: special register, its number in `imm`.
    Special,
    /// `OP #n, a`: output word n, its number in `imm`.
    Output,
    /// `OP d, #n`: what `imm` names, to consecutive registers.
    Fetch {
        /// Registers written: 1, 3 or 4.
        words: u8,
    },
    /// `OP d, [a+imm]`: load of consecutive registers.
    Load {
        /// Bytes of the access: 1, 2, 4, 8 or 16.
        bytes: u8,
    },
    /// `OP [a+imm], b`: store from consecutive registers.
    Store {
        /// Bytes of the access: 1, 2, 4, 8 or 16.
        bytes: u8,
    },
    /// `OP d, [a+imm], b`: atomic of `bytes` 4 or 8.
    Atomic {
        /// Bytes of the word: 4 or 8.
        bytes: u8,
    },
    /// `OP d, [a+imm], b, c`: compare (with c) and exchange (by b).
    AtomicCas {
        /// Bytes of the word: 4 or 8.
        bytes: u8,
    },
}

impl Shape {
    /// The values of `bm` that are defined for this shape, as a bit set (bit n set: `bm == n` is
    /// defined).
    pub const fn b_modes(self) -> u8 {
        match self {
            Shape::B | Shape::DB | Shape::DAB | Shape::DABC => 0b0111,
            _ => 0b0001,
        }
    }
}

/// The unit that executes an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// Sequencing: branches, end, barrier.
    Control,
    /// Fixed-latency lane pipeline: integer, bit, compare, float, move, special, cross-lane.
    Alu,
    /// Global memory through the core's load/store/atomic pipeline.
    Global,
    /// The warp unit's shared storage.
    Shared,
    /// The warp unit's function unit, shared by its lanes: operands as for `Alu`, completion as of
    /// a memory instruction.
    Function,
    /// Graphics: words of vertices and fragments, through the attribute unit; completion as of a
    /// memory instruction. Not in a machine without graphics.
    Graphics,
    /// Semaphores: messages to the semaphore entity and waiting for its acknowledgements (SE-30 to
    /// SE-34).
    Message,
}

/// The lanes of a warp whose operands an instruction looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lanes {
    /// Each lane its own.
    Own,
    /// Every lane of the quad, active or not.
    Quad,
    /// The active lanes of the warp.
    Active,
    /// The lowest active lane, once for the warp.
    Lowest,
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Operation.
    pub op: Op,
    /// Opcode number, bits 7:0.
    pub code: u8,
    /// Bit 30 of the word: the instruction of that opcode number on shared storage, or also by
    /// helpers.
    pub in_shared: bool,
    /// Assembler mnemonic.
    pub name: &'static str,
    /// Which operands it has.
    pub shape: Shape,
    /// Which part of the machine executes it.
    pub class: Class,
    /// Whether A and B may be exchanged without a change of the result.
    pub commutes: bool,
    /// The lanes whose operands the result of a lane depends on.
    pub lanes: Lanes,
    /// The greatest number that the destination can hold afterwards, for all operands.
    pub greatest: u32,
    /// A load that extends the sign of a byte or half word.
    pub sign_extends: bool,
    /// Operands are f32: immediates are written as floating-point numbers.
    pub float: bool,
    /// The meaning, per active lane unless it says otherwise. `A`, `B`, `C` are the operand values,
    /// `d` the destination.
    pub doc: &'static str,
}

impl Row {
    const fn new(op: Op, name: &'static str, shape: Shape, class: Class, doc: &'static str) -> Row {
        let (code, in_shared) = (op as u16 as u8, op as u16 >> 8 == 1);
        let (commutes, sign_extends, float) = (false, false, false);
        let (lanes, greatest) = (Lanes::Own, u32::MAX);
        Row { op, code, in_shared, name, shape, class, commutes, lanes, greatest, sign_extends, float, doc }
    }

    const fn commutes(mut self) -> Row {
        self.commutes = true;
        self
    }

    const fn lanes(mut self, lanes: Lanes) -> Row {
        self.lanes = lanes;
        self
    }

    const fn greatest(mut self, greatest: u32) -> Row {
        self.greatest = greatest;
        self
    }

    const fn signed(mut self) -> Row {
        self.sign_extends = true;
        self
    }

    const fn float(mut self) -> Row {
        self.float = true;
        self
    }
}

/// Instructions of the table.
const COUNT: usize = BY_KIND.len();

/// The table in order of number.
const SORTED: [Row; COUNT] = {
    let mut rows = [BY_KIND[0]; COUNT];
    let mut n = 0;
    while n < COUNT {
        // The rows before n are in order: the new one goes up to its place.
        rows[n] = BY_KIND[n];
        let mut at = n;
        while at > 0 && rows[at - 1].op as u16 > rows[at].op as u16 {
            let greater = rows[at - 1];
            rows[at - 1] = rows[at];
            rows[at] = greater;
            at -= 1;
        }
        n += 1;
    }
    rows
};

/// The table itself, in order of bit 30 and opcode number.
pub const TABLE: &[Row] = &SORTED;

macro_rules! table {
    ($( $(#[$about:meta])* $kind:ident { $(
        $op:ident $code:literal $name:literal $shape:expr, $class:ident $( .$fact:ident($($argument:expr)?) )*, $doc:literal;
    )* } )*) => {
        /// Every defined instruction. The number is the opcode number, plus 256 where bit 30 of the
        /// word is set.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u16)]
        pub enum Op { $($( #[doc = $doc] $op = $code, )*)* }

        /// Instructions by kind: one enumeration each, so that who gives them a meaning can match
        /// them without a default arm. An instruction that is added here and nowhere else then does
        /// not compile.
        pub mod kind {
            $( $(#[$about])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
            pub enum $kind { $( #[doc = $doc] $op, )* } )*
        }

        /// The kind of an instruction, with the instruction.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Kind { $( $(#[$about])* $kind(kind::$kind), )* }

        impl Op {
            /// Its kind.
            pub const fn kind(self) -> Kind {
                match self { $($( Op::$op => Kind::$kind(kind::$kind::$op), )*)* }
            }
        }

        /// The rows in order of kind.
        const BY_KIND: &[Row] = &[ $($( Row::new(Op::$op, $name, $shape, Class::$class, $doc) $( .$fact($($argument)?) )*, )*)* ];
    };
}

table! {
    /// Sequencing: branches, end, barrier.
    Control {
        End 0x02 "END" Shape::None, Control, "The active lanes end. Waits until every earlier instruction of the warp has retired.";
        Discard 0x03 "DISCARD" Shape::None, Control, "The active lanes end and their coverage is cleared. In a compute program the same as END.";
        Bar 0x04 "BAR" Shape::None, Control, "Work-group barrier. Waits until every earlier instruction of the warp has retired; then the active lanes block until every lane of the work group that has not ended is blocked at a barrier.";
        Bra 0x05 "BRA" Shape::Target, Control, "Program counter = target.";
        Bnz 0x06 "BNZ" Shape::CondTarget, Control, "Program counter = target where A != 0, else the next instruction.";
        Bz 0x07 "BZ" Shape::CondTarget, Control, "Program counter = target where A == 0, else the next instruction.";
    }

    /// Integer arithmetic.
    Integer {
        IAdd 0x10 "IADD" Shape::DAB, Alu .commutes(), "d = A + B, modulo 2^32.";
        ISub 0x11 "ISUB" Shape::DAB, Alu, "d = A - B, modulo 2^32.";
        IMul 0x12 "IMUL" Shape::DAB, Alu .commutes(), "d = low 32 bits of A * B.";
        UMulHi 0x13 "UMULHI" Shape::DAB, Alu .commutes(), "d = high 32 bits of the unsigned product A * B.";
        SMulHi 0x14 "SMULHI" Shape::DAB, Alu .commutes(), "d = high 32 bits of the signed product A * B.";
        IMad 0x15 "IMAD" Shape::DABC, Alu .commutes(), "d = A * B + C, modulo 2^32.";
        SMin 0x16 "SMIN" Shape::DAB, Alu .commutes(), "d = the smaller of A and B as signed integers.";
        SMax 0x17 "SMAX" Shape::DAB, Alu .commutes(), "d = the larger of A and B as signed integers.";
        UMin 0x18 "UMIN" Shape::DAB, Alu .commutes(), "d = the smaller of A and B as unsigned integers.";
        UMax 0x19 "UMAX" Shape::DAB, Alu .commutes(), "d = the larger of A and B as unsigned integers.";
    }

    /// Logic, shifts, bits.
    Bits {
        And 0x20 "AND" Shape::DAB, Alu .commutes(), "d = A & B.";
        Or 0x21 "OR" Shape::DAB, Alu .commutes(), "d = A | B.";
        Xor 0x22 "XOR" Shape::DAB, Alu .commutes(), "d = A ^ B.";
        Shl 0x23 "SHL" Shape::DAB, Alu, "d = A << B[4:0].";
        Shr 0x24 "SHR" Shape::DAB, Alu, "d = A >> B[4:0], filling with zeros.";
        Sar 0x25 "SAR" Shape::DAB, Alu, "d = A >> B[4:0], filling with copies of A[31].";
        Popc 0x26 "POPC" Shape::DA, Alu .greatest(32), "d = number of set bits of A.";
        Clz 0x27 "CLZ" Shape::DA, Alu .greatest(32), "d = number of zero bits above the highest set bit of A; 32 for zero.";
        Ctz 0x28 "CTZ" Shape::DA, Alu .greatest(32), "d = number of zero bits below the lowest set bit of A; 32 for zero.";
        Brev 0x29 "BREV" Shape::DA, Alu, "d = A with its bits in reverse order.";
        UBfe 0x2A "UBFE" Shape::DAB, Alu, "Bit-field extract. offset = B[4:0], count = min(B[13:8], 32 - offset). d = the field A[offset+count-1:offset], zero-extended; 0 when count is 0.";
        SBfe 0x2B "SBFE" Shape::DAB, Alu, "As UBFE, but the field is sign-extended from its top bit; 0 when count is 0.";
        Bfi 0x2C "BFI" Shape::DABC, Alu, "Bit-field insert. offset = B[4:0], count = min(B[13:8], 32 - offset). d = C with bits offset+count-1:offset replaced by A[count-1:0].";
    }

    /// Comparisons: 1 or 0.
    Compare {
        ISetEq 0x30 "ISETEQ" Shape::DAB, Alu .commutes() .greatest(1), "d = 1 if A == B, else 0.";
        ISetNe 0x31 "ISETNE" Shape::DAB, Alu .commutes() .greatest(1), "d = 1 if A != B, else 0.";
        SSetLt 0x32 "SSETLT" Shape::DAB, Alu .greatest(1), "d = 1 if A < B as signed integers, else 0.";
        SSetLe 0x33 "SSETLE" Shape::DAB, Alu .greatest(1), "d = 1 if A <= B as signed integers, else 0.";
        SSetGt 0x34 "SSETGT" Shape::DAB, Alu .greatest(1), "d = 1 if A > B as signed integers, else 0.";
        SSetGe 0x35 "SSETGE" Shape::DAB, Alu .greatest(1), "d = 1 if A >= B as signed integers, else 0.";
        USetLt 0x36 "USETLT" Shape::DAB, Alu .greatest(1), "d = 1 if A < B as unsigned integers, else 0.";
        USetLe 0x37 "USETLE" Shape::DAB, Alu .greatest(1), "d = 1 if A <= B as unsigned integers, else 0.";
        USetGt 0x38 "USETGT" Shape::DAB, Alu .greatest(1), "d = 1 if A > B as unsigned integers, else 0.";
        USetGe 0x39 "USETGE" Shape::DAB, Alu .greatest(1), "d = 1 if A >= B as unsigned integers, else 0.";
        FSetEq 0x3A "FSETEQ" Shape::DAB, Alu .commutes() .greatest(1) .float(), "d = 1 if A == B as f32, else 0; 0 if either is a NaN; -0 equals +0.";
        FSetNe 0x3B "FSETNE" Shape::DAB, Alu .commutes() .greatest(1) .float(), "d = 1 if A != B as f32, else 0; 1 if either is a NaN.";
        FSetLt 0x3C "FSETLT" Shape::DAB, Alu .greatest(1) .float(), "d = 1 if A < B as f32, else 0; 0 if either is a NaN.";
        FSetLe 0x3D "FSETLE" Shape::DAB, Alu .greatest(1) .float(), "d = 1 if A <= B as f32, else 0; 0 if either is a NaN.";
        FSetGt 0x3E "FSETGT" Shape::DAB, Alu .greatest(1) .float(), "d = 1 if A > B as f32, else 0; 0 if either is a NaN.";
        FSetGe 0x3F "FSETGE" Shape::DAB, Alu .greatest(1) .float(), "d = 1 if A >= B as f32, else 0; 0 if either is a NaN.";
    }

    /// f32 arithmetic, rounding and conversion.
    Float {
        FAdd 0x40 "FADD" Shape::DAB, Alu .commutes() .float(), "d = A + B as f32, round to nearest even, subnormals kept; every NaN result is 0x7FC00000.";
        FSub 0x41 "FSUB" Shape::DAB, Alu .float(), "d = A - B as f32, rounded as FADD.";
        FMul 0x42 "FMUL" Shape::DAB, Alu .commutes() .float(), "d = A * B as f32, rounded as FADD.";
        FFma 0x43 "FFMA" Shape::DABC, Alu .commutes() .float(), "d = A * B + C as f32 with one rounding, as FADD.";
        FNma 0x44 "FNMA" Shape::DABC, Alu .commutes() .float(), "d = C - A * B as f32 with one rounding, as FADD.";
        FMin 0x45 "FMIN" Shape::DAB, Alu .commutes() .float(), "d = the smaller of A and B as f32; a NaN loses against a number; two NaNs give 0x7FC00000; -0 is smaller than +0.";
        FMax 0x46 "FMAX" Shape::DAB, Alu .commutes() .float(), "d = the larger of A and B as f32; a NaN loses against a number; two NaNs give 0x7FC00000; +0 is larger than -0.";
        FFract 0x47 "FFRACT" Shape::DA, Alu, "d = A - floor(A) as f32, rounded as FADD: 0 to 1, and 1.0 for A in [-2^-25, 0).";
        F2I 0x48 "F2I" Shape::DA, Alu, "d = A (f32) truncated towards zero to a signed integer, saturating; 0 for a NaN.";
        F2U 0x49 "F2U" Shape::DA, Alu, "d = A (f32) truncated towards zero to an unsigned integer, saturating; 0 for a NaN and for negative numbers.";
        I2F 0x4A "I2F" Shape::DA, Alu, "d = A (signed) as f32, round to nearest even.";
        U2F 0x4B "U2F" Shape::DA, Alu, "d = A (unsigned) as f32, round to nearest even.";
        FFloor 0x4C "FFLOOR" Shape::DA, Alu, "d = the greatest integral f32 not above A; a zero result has A's sign.";
        FCeil 0x4D "FCEIL" Shape::DA, Alu, "d = the least integral f32 not below A; a zero result has A's sign.";
        FTrunc 0x4E "FTRUNC" Shape::DA, Alu, "d = A with its fraction removed; a zero result has A's sign.";
        FRne 0x4F "FRNE" Shape::DA, Alu, "d = the integral f32 nearest to A, ties to even; a zero result has A's sign.";
    }

    /// Moves, selection, special registers, and the lanes of the quad.
    Move {
        Mov 0x50 "MOV" Shape::DB, Alu, "d = B.";
        Sel 0x51 "SEL" Shape::DABC, Alu, "d = A if C != 0, else B.";
        S2R 0x52 "S2R" Shape::Special, Alu, "d = special register imm[5:0]; an unassigned number reads 0.";
        QShuf 0x53 "QSHUF" Shape::DAB, Alu .lanes(Lanes::Quad), "d = A of lane B[1:0] of the warp (operand B is each reading lane's own), whether or not that lane is active.";
        Ddx 0x54 "DDX" Shape::DA, Alu .lanes(Lanes::Quad), "Derivative along x in the quad (lanes 0 1 above 2 3): d = A of the odd lane of this row - A of the even lane, rounded as FADD; inactive lanes are read too.";
        Ddy 0x55 "DDY" Shape::DA, Alu .lanes(Lanes::Quad), "Derivative along y in the quad: d = A of the lower lane of this column - A of the upper lane, rounded as FADD; inactive lanes are read too.";
    }

    /// Half precision and normalised integers.
    Format {
        PkF16 0x56 "PK.F16" Shape::DAB, Alu, "d[15:0] = A as f16, d[31:16] = B as f16, each rounded to nearest even, subnormals kept; a NaN gives 0x7E00.";
        UpkF16 0x57 "UPK.F16" Shape::DA, Alu, "d = the f16 A[15:0] as f32, exactly; a NaN gives 0x7FC00000.";
        F2UN8 0x58 "F2UN.8" Shape::DA, Alu .greatest(0xFF), "d = floor(1/2 + 255 * A), A held in [0, 1], before any rounding; 0 for a NaN.";
        F2UN16 0x59 "F2UN.16" Shape::DA, Alu .greatest(0xFFFF), "d = floor(1/2 + 65535 * A), A held in [0, 1], before any rounding; 0 for a NaN.";
        F2SN8 0x5A "F2SN.8" Shape::DA, Alu .greatest(0xFF), "d[7:0] = floor(1/2 + 127 * A), A held in [-1, 1], before any rounding, two's complement; d[31:8] = 0; 0 for a NaN.";
        F2SN16 0x5B "F2SN.16" Shape::DA, Alu .greatest(0xFFFF), "d[15:0] = floor(1/2 + 32767 * A), A held in [-1, 1], before any rounding, two's complement; d[31:16] = 0; 0 for a NaN.";
        UN2F8 0x5C "UN2F.8" Shape::DA, Alu, "d = A[7:0] / 255 as f32, round to nearest even.";
        UN2F16 0x5D "UN2F.16" Shape::DA, Alu, "d = A[15:0] / 65535 as f32, round to nearest even.";
        SN2F8 0x5E "SN2F.8" Shape::DA, Alu, "d = A[7:0] (signed) / 127 as f32, round to nearest even, not below -1.";
        SN2F16 0x5F "SN2F.16" Shape::DA, Alu, "d = A[15:0] (signed) / 32767 as f32, round to nearest even, not below -1.";
    }

    /// Loads of global memory and shared storage.
    Load {
        LdU8 0x60 "LD.U8" Shape::Load { bytes: 1 }, Global .greatest(0xFF), "d = the byte at A + imm, zero-extended.";
        LdS8 0x61 "LD.S8" Shape::Load { bytes: 1 }, Global .signed(), "d = the byte at A + imm, sign-extended.";
        LdU16 0x62 "LD.U16" Shape::Load { bytes: 2 }, Global .greatest(0xFFFF), "d = the 16 bits at A + imm, zero-extended.";
        LdS16 0x63 "LD.S16" Shape::Load { bytes: 2 }, Global .signed(), "d = the 16 bits at A + imm, sign-extended.";
        Ld32 0x64 "LD.32" Shape::Load { bytes: 4 }, Global, "d = the 32 bits at A + imm.";
        Ld64 0x65 "LD.64" Shape::Load { bytes: 8 }, Global, "d, d+1 = the 64 bits at A + imm, low word first.";
        Ld128 0x66 "LD.128" Shape::Load { bytes: 16 }, Global, "d .. d+3 = the 128 bits at A + imm, low word first.";

        LdsU8 0x70 "LDS.U8" Shape::Load { bytes: 1 }, Shared .greatest(0xFF), "As LD.U8, from shared storage.";
        LdsS8 0x71 "LDS.S8" Shape::Load { bytes: 1 }, Shared .signed(), "As LD.S8, from shared storage.";
        LdsU16 0x72 "LDS.U16" Shape::Load { bytes: 2 }, Shared .greatest(0xFFFF), "As LD.U16, from shared storage.";
        LdsS16 0x73 "LDS.S16" Shape::Load { bytes: 2 }, Shared .signed(), "As LD.S16, from shared storage.";
        Lds32 0x74 "LDS.32" Shape::Load { bytes: 4 }, Shared, "As LD.32, from shared storage.";
        Lds64 0x75 "LDS.64" Shape::Load { bytes: 8 }, Shared, "As LD.64, from shared storage.";
        Lds128 0x76 "LDS.128" Shape::Load { bytes: 16 }, Shared, "As LD.128, from shared storage.";
    }

    /// Stores to global memory and shared storage.
    Store {
        St8 0x68 "ST.8" Shape::Store { bytes: 1 }, Global, "The byte at A + imm = b[7:0]. Where lanes overlap the highest lane wins.";
        St16 0x69 "ST.16" Shape::Store { bytes: 2 }, Global, "The 16 bits at A + imm = b[15:0]. Where lanes overlap the highest lane wins.";
        St32 0x6A "ST.32" Shape::Store { bytes: 4 }, Global, "The 32 bits at A + imm = b. Where lanes overlap the highest lane wins.";
        St64 0x6B "ST.64" Shape::Store { bytes: 8 }, Global, "The 64 bits at A + imm = b, b+1. Where lanes overlap the highest lane wins.";
        St128 0x6C "ST.128" Shape::Store { bytes: 16 }, Global, "The 128 bits at A + imm = b .. b+3. Where lanes overlap the highest lane wins.";

        St32Own 0x16A "ST.OWN.32" Shape::Store { bytes: 4 }, Global, "As ST.32, also by helpers: to the thread's own stack.";
        St64Own 0x16B "ST.OWN.64" Shape::Store { bytes: 8 }, Global, "As ST.64, also by helpers: to the thread's own stack.";
        St128Own 0x16C "ST.OWN.128" Shape::Store { bytes: 16 }, Global, "As ST.128, also by helpers: to the thread's own stack.";

        Sts8 0x78 "STS.8" Shape::Store { bytes: 1 }, Shared, "As ST.8, to shared storage.";
        Sts16 0x79 "STS.16" Shape::Store { bytes: 2 }, Shared, "As ST.16, to shared storage.";
        Sts32 0x7A "STS.32" Shape::Store { bytes: 4 }, Shared, "As ST.32, to shared storage.";
        Sts64 0x7B "STS.64" Shape::Store { bytes: 8 }, Shared, "As ST.64, to shared storage.";
        Sts128 0x7C "STS.128" Shape::Store { bytes: 16 }, Shared, "As ST.128, to shared storage.";
    }

    /// Atomics of each lane (WW-10).
    Atomic {
        AAdd 0x80 "ATOM32.ADD" Shape::Atomic { bytes: 4 }, Global, "Per lane, in order of lane, indivisibly: old = word at A + imm; word = old + b; d = old (WW-10).";
        AAnd 0x81 "ATOM32.AND" Shape::Atomic { bytes: 4 }, Global, "As ATOM32.ADD with old & b.";
        AOr 0x82 "ATOM32.OR" Shape::Atomic { bytes: 4 }, Global, "As ATOM32.ADD with old | b.";
        AXor 0x83 "ATOM32.XOR" Shape::Atomic { bytes: 4 }, Global, "As ATOM32.ADD with old ^ b.";
        ASMin 0x84 "ATOM32.SMIN" Shape::Atomic { bytes: 4 }, Global, "As ATOM32.ADD with the smaller of old and b, signed.";
        ASMax 0x85 "ATOM32.SMAX" Shape::Atomic { bytes: 4 }, Global, "As ATOM32.ADD with the larger of old and b, signed.";
        AUMin 0x86 "ATOM32.UMIN" Shape::Atomic { bytes: 4 }, Global, "As ATOM32.ADD with the smaller of old and b, unsigned.";
        AUMax 0x87 "ATOM32.UMAX" Shape::Atomic { bytes: 4 }, Global, "As ATOM32.ADD with the larger of old and b, unsigned.";
        AXchg 0x88 "ATOM32.XCHG" Shape::Atomic { bytes: 4 }, Global, "As ATOM32.ADD with b.";
        ACas 0x89 "ATOM32.CAS" Shape::AtomicCas { bytes: 4 }, Global, "As ATOM32.ADD with b if old == c, else old.";
        ASub 0x8A "ATOM32.SUB" Shape::Atomic { bytes: 4 }, Global, "As ATOM32.ADD with old - b.";

        AAdd64 0x90 "ATOM64.ADD" Shape::Atomic { bytes: 8 }, Global, "Per lane, in order of lane, indivisibly, on the 64 bits at A + imm: operand in b, b+1, old value to d, d+1 (low word first).";
        AAnd64 0x91 "ATOM64.AND" Shape::Atomic { bytes: 8 }, Global, "As ATOM64.ADD with old & operand.";
        AOr64 0x92 "ATOM64.OR" Shape::Atomic { bytes: 8 }, Global, "As ATOM64.ADD with old | operand.";
        AXor64 0x93 "ATOM64.XOR" Shape::Atomic { bytes: 8 }, Global, "As ATOM64.ADD with old ^ operand.";
        ASMin64 0x94 "ATOM64.SMIN" Shape::Atomic { bytes: 8 }, Global, "As ATOM64.ADD with the smaller, signed.";
        ASMax64 0x95 "ATOM64.SMAX" Shape::Atomic { bytes: 8 }, Global, "As ATOM64.ADD with the larger, signed.";
        AUMin64 0x96 "ATOM64.UMIN" Shape::Atomic { bytes: 8 }, Global, "As ATOM64.ADD with the smaller, unsigned.";
        AUMax64 0x97 "ATOM64.UMAX" Shape::Atomic { bytes: 8 }, Global, "As ATOM64.ADD with the larger, unsigned.";
        AXchg64 0x98 "ATOM64.XCHG" Shape::Atomic { bytes: 8 }, Global, "As ATOM64.ADD with the operand itself.";
        ACas64 0x99 "ATOM64.CAS" Shape::AtomicCas { bytes: 8 }, Global, "As ATOM64.ADD with the operand if old == c, c+1, else old.";
        ASub64 0x9A "ATOM64.SUB" Shape::Atomic { bytes: 8 }, Global, "As ATOM64.ADD with old - operand.";

        SAAdd 0xA0 "ATOMS32.ADD" Shape::Atomic { bytes: 4 }, Shared, "As ATOM32.ADD, in shared storage.";
        SAAnd 0xA1 "ATOMS32.AND" Shape::Atomic { bytes: 4 }, Shared, "As ATOM32.AND, in shared storage.";
        SAOr 0xA2 "ATOMS32.OR" Shape::Atomic { bytes: 4 }, Shared, "As ATOM32.OR, in shared storage.";
        SAXor 0xA3 "ATOMS32.XOR" Shape::Atomic { bytes: 4 }, Shared, "As ATOM32.XOR, in shared storage.";
        SASMin 0xA4 "ATOMS32.SMIN" Shape::Atomic { bytes: 4 }, Shared, "As ATOM32.SMIN, in shared storage.";
        SASMax 0xA5 "ATOMS32.SMAX" Shape::Atomic { bytes: 4 }, Shared, "As ATOM32.SMAX, in shared storage.";
        SAUMin 0xA6 "ATOMS32.UMIN" Shape::Atomic { bytes: 4 }, Shared, "As ATOM32.UMIN, in shared storage.";
        SAUMax 0xA7 "ATOMS32.UMAX" Shape::Atomic { bytes: 4 }, Shared, "As ATOM32.UMAX, in shared storage.";
        SAXchg 0xA8 "ATOMS32.XCHG" Shape::Atomic { bytes: 4 }, Shared, "As ATOM32.XCHG, in shared storage.";
        SACas 0xA9 "ATOMS32.CAS" Shape::AtomicCas { bytes: 4 }, Shared, "As ATOM32.CAS, in shared storage.";
        SASub 0xAA "ATOMS32.SUB" Shape::Atomic { bytes: 4 }, Shared, "As ATOM32.SUB, in shared storage.";

        SAAdd64 0xB0 "ATOMS64.ADD" Shape::Atomic { bytes: 8 }, Shared, "As ATOM64.ADD, in shared storage.";
        SAAnd64 0xB1 "ATOMS64.AND" Shape::Atomic { bytes: 8 }, Shared, "As ATOM64.AND, in shared storage.";
        SAOr64 0xB2 "ATOMS64.OR" Shape::Atomic { bytes: 8 }, Shared, "As ATOM64.OR, in shared storage.";
        SAXor64 0xB3 "ATOMS64.XOR" Shape::Atomic { bytes: 8 }, Shared, "As ATOM64.XOR, in shared storage.";
        SASMin64 0xB4 "ATOMS64.SMIN" Shape::Atomic { bytes: 8 }, Shared, "As ATOM64.SMIN, in shared storage.";
        SASMax64 0xB5 "ATOMS64.SMAX" Shape::Atomic { bytes: 8 }, Shared, "As ATOM64.SMAX, in shared storage.";
        SAUMin64 0xB6 "ATOMS64.UMIN" Shape::Atomic { bytes: 8 }, Shared, "As ATOM64.UMIN, in shared storage.";
        SAUMax64 0xB7 "ATOMS64.UMAX" Shape::Atomic { bytes: 8 }, Shared, "As ATOM64.UMAX, in shared storage.";
        SAXchg64 0xB8 "ATOMS64.XCHG" Shape::Atomic { bytes: 8 }, Shared, "As ATOM64.XCHG, in shared storage.";
        SACas64 0xB9 "ATOMS64.CAS" Shape::AtomicCas { bytes: 8 }, Shared, "As ATOM64.CAS, in shared storage.";
        SASub64 0xBA "ATOMS64.SUB" Shape::Atomic { bytes: 8 }, Shared, "As ATOM64.SUB, in shared storage.";
    }

    /// Atomics once for the warp (WW-20 to WW-36).
    WarpAtomic {
        WAAdd 0xC0 "WATOM32.ADD" Shape::Atomic { bytes: 4 }, Global .lanes(Lanes::Lowest), "Once for the warp (WW-20, WW-23), indivisibly: address, b and c are those of the lowest active lane; old = word at A + imm; word = old + b; d = old in every active lane.";
        WAAnd 0xC1 "WATOM32.AND" Shape::Atomic { bytes: 4 }, Global .lanes(Lanes::Lowest), "As WATOM32.ADD with old & b.";
        WAOr 0xC2 "WATOM32.OR" Shape::Atomic { bytes: 4 }, Global .lanes(Lanes::Lowest), "As WATOM32.ADD with old | b.";
        WAXor 0xC3 "WATOM32.XOR" Shape::Atomic { bytes: 4 }, Global .lanes(Lanes::Lowest), "As WATOM32.ADD with old ^ b.";
        WASMin 0xC4 "WATOM32.SMIN" Shape::Atomic { bytes: 4 }, Global .lanes(Lanes::Lowest), "As WATOM32.ADD with the smaller of old and b, signed.";
        WASMax 0xC5 "WATOM32.SMAX" Shape::Atomic { bytes: 4 }, Global .lanes(Lanes::Lowest), "As WATOM32.ADD with the larger of old and b, signed.";
        WAUMin 0xC6 "WATOM32.UMIN" Shape::Atomic { bytes: 4 }, Global .lanes(Lanes::Lowest), "As WATOM32.ADD with the smaller of old and b, unsigned.";
        WAUMax 0xC7 "WATOM32.UMAX" Shape::Atomic { bytes: 4 }, Global .lanes(Lanes::Lowest), "As WATOM32.ADD with the larger of old and b, unsigned.";
        WAXchg 0xC8 "WATOM32.XCHG" Shape::Atomic { bytes: 4 }, Global .lanes(Lanes::Lowest), "As WATOM32.ADD with b.";
        WACas 0xC9 "WATOM32.CAS" Shape::AtomicCas { bytes: 4 }, Global .lanes(Lanes::Lowest), "As WATOM32.ADD with b if old == c, else old.";
        WASub 0xCA "WATOM32.SUB" Shape::Atomic { bytes: 4 }, Global .lanes(Lanes::Lowest), "As WATOM32.ADD with old - b.";
        WALock 0xCB "WATOM32.LOCK" Shape::Atomic { bytes: 4 }, Global .lanes(Lanes::Lowest), "Lock word at A + imm, once for the warp (WW-22), operands as of WATOM32.ADD. b[0] = 1 takes the lock: expects 0, swaps in 1. b[0] = 0 gives it back: expects 1, swaps in 0. Where the word is not what is expected it stays. d = 1 in every active lane if the swap was done, else 0.";

        WAAdd64 0xE0 "WATOM64.ADD" Shape::Atomic { bytes: 8 }, Global .lanes(Lanes::Lowest), "As WATOM32.ADD on the 64 bits at A + imm: operand in b, b+1, old value to d, d+1 of every active lane (low word first).";
        WAAnd64 0xE1 "WATOM64.AND" Shape::Atomic { bytes: 8 }, Global .lanes(Lanes::Lowest), "As WATOM64.ADD with old & b.";
        WAOr64 0xE2 "WATOM64.OR" Shape::Atomic { bytes: 8 }, Global .lanes(Lanes::Lowest), "As WATOM64.ADD with old | b.";
        WAXor64 0xE3 "WATOM64.XOR" Shape::Atomic { bytes: 8 }, Global .lanes(Lanes::Lowest), "As WATOM64.ADD with old ^ b.";
        WASMin64 0xE4 "WATOM64.SMIN" Shape::Atomic { bytes: 8 }, Global .lanes(Lanes::Lowest), "As WATOM64.ADD with the smaller of old and b, signed.";
        WASMax64 0xE5 "WATOM64.SMAX" Shape::Atomic { bytes: 8 }, Global .lanes(Lanes::Lowest), "As WATOM64.ADD with the larger of old and b, signed.";
        WAUMin64 0xE6 "WATOM64.UMIN" Shape::Atomic { bytes: 8 }, Global .lanes(Lanes::Lowest), "As WATOM64.ADD with the smaller of old and b, unsigned.";
        WAUMax64 0xE7 "WATOM64.UMAX" Shape::Atomic { bytes: 8 }, Global .lanes(Lanes::Lowest), "As WATOM64.ADD with the larger of old and b, unsigned.";
        WAXchg64 0xE8 "WATOM64.XCHG" Shape::Atomic { bytes: 8 }, Global .lanes(Lanes::Lowest), "As WATOM64.ADD with operand.";
        WACas64 0xE9 "WATOM64.CAS" Shape::AtomicCas { bytes: 8 }, Global .lanes(Lanes::Lowest), "As WATOM64.ADD with b if old == c, else old.";
        WASub64 0xEA "WATOM64.SUB" Shape::Atomic { bytes: 8 }, Global .lanes(Lanes::Lowest), "As WATOM64.ADD with old - b.";

        WAAddS 0x1C0 "WATOMS32.ADD" Shape::Atomic { bytes: 4 }, Shared .lanes(Lanes::Lowest), "As WATOM32.ADD, in shared storage.";
        WAAndS 0x1C1 "WATOMS32.AND" Shape::Atomic { bytes: 4 }, Shared .lanes(Lanes::Lowest), "As WATOM32.AND, in shared storage.";
        WAOrS 0x1C2 "WATOMS32.OR" Shape::Atomic { bytes: 4 }, Shared .lanes(Lanes::Lowest), "As WATOM32.OR, in shared storage.";
        WAXorS 0x1C3 "WATOMS32.XOR" Shape::Atomic { bytes: 4 }, Shared .lanes(Lanes::Lowest), "As WATOM32.XOR, in shared storage.";
        WASMinS 0x1C4 "WATOMS32.SMIN" Shape::Atomic { bytes: 4 }, Shared .lanes(Lanes::Lowest), "As WATOM32.SMIN, in shared storage.";
        WASMaxS 0x1C5 "WATOMS32.SMAX" Shape::Atomic { bytes: 4 }, Shared .lanes(Lanes::Lowest), "As WATOM32.SMAX, in shared storage.";
        WAUMinS 0x1C6 "WATOMS32.UMIN" Shape::Atomic { bytes: 4 }, Shared .lanes(Lanes::Lowest), "As WATOM32.UMIN, in shared storage.";
        WAUMaxS 0x1C7 "WATOMS32.UMAX" Shape::Atomic { bytes: 4 }, Shared .lanes(Lanes::Lowest), "As WATOM32.UMAX, in shared storage.";
        WAXchgS 0x1C8 "WATOMS32.XCHG" Shape::Atomic { bytes: 4 }, Shared .lanes(Lanes::Lowest), "As WATOM32.XCHG, in shared storage.";
        WACasS 0x1C9 "WATOMS32.CAS" Shape::AtomicCas { bytes: 4 }, Shared .lanes(Lanes::Lowest), "As WATOM32.CAS, in shared storage.";
        WASubS 0x1CA "WATOMS32.SUB" Shape::Atomic { bytes: 4 }, Shared .lanes(Lanes::Lowest), "As WATOM32.SUB, in shared storage.";
        WALockS 0x1CB "WATOMS32.LOCK" Shape::Atomic { bytes: 4 }, Shared .lanes(Lanes::Lowest), "As WATOM32.LOCK, in shared storage.";

        WAAdd64S 0x1E0 "WATOMS64.ADD" Shape::Atomic { bytes: 8 }, Shared .lanes(Lanes::Lowest), "As WATOM64.ADD, in shared storage.";
        WAAnd64S 0x1E1 "WATOMS64.AND" Shape::Atomic { bytes: 8 }, Shared .lanes(Lanes::Lowest), "As WATOM64.AND, in shared storage.";
        WAOr64S 0x1E2 "WATOMS64.OR" Shape::Atomic { bytes: 8 }, Shared .lanes(Lanes::Lowest), "As WATOM64.OR, in shared storage.";
        WAXor64S 0x1E3 "WATOMS64.XOR" Shape::Atomic { bytes: 8 }, Shared .lanes(Lanes::Lowest), "As WATOM64.XOR, in shared storage.";
        WASMin64S 0x1E4 "WATOMS64.SMIN" Shape::Atomic { bytes: 8 }, Shared .lanes(Lanes::Lowest), "As WATOM64.SMIN, in shared storage.";
        WASMax64S 0x1E5 "WATOMS64.SMAX" Shape::Atomic { bytes: 8 }, Shared .lanes(Lanes::Lowest), "As WATOM64.SMAX, in shared storage.";
        WAUMin64S 0x1E6 "WATOMS64.UMIN" Shape::Atomic { bytes: 8 }, Shared .lanes(Lanes::Lowest), "As WATOM64.UMIN, in shared storage.";
        WAUMax64S 0x1E7 "WATOMS64.UMAX" Shape::Atomic { bytes: 8 }, Shared .lanes(Lanes::Lowest), "As WATOM64.UMAX, in shared storage.";
        WAXchg64S 0x1E8 "WATOMS64.XCHG" Shape::Atomic { bytes: 8 }, Shared .lanes(Lanes::Lowest), "As WATOM64.XCHG, in shared storage.";
        WACas64S 0x1E9 "WATOMS64.CAS" Shape::AtomicCas { bytes: 8 }, Shared .lanes(Lanes::Lowest), "As WATOM64.CAS, in shared storage.";
        WASub64S 0x1EA "WATOMS64.SUB" Shape::Atomic { bytes: 8 }, Shared .lanes(Lanes::Lowest), "As WATOM64.SUB, in shared storage.";
    }

    /// Semaphores (SE-30 to SE-34).
    Message {
        Acs 0xD0 "ACS" Shape::B, Message .lanes(Lanes::Lowest), "Acquire semaphore (SE-30). Once per warp: sends ACQ_MSG {semaphore B of the lowest active lane, this thread} with auto-release and acknowledge-suppress clear, adds one to the warp's wait count, and waits as WTS does. A B of 65536 or more is sent as 65535.";
        Asr 0xD1 "ASR" Shape::B, Message .lanes(Lanes::Lowest), "As ACS with auto-release set (SE-31).";
        Wts 0xD2 "WTS" Shape::None, Message, "Wait for semaphores (SE-32). The warp issues nothing until its wait count is 0: every acquire of its own, and every one that the dispatcher sent for it without acknowledge-suppress, has been acknowledged.";
        Rls 0xD3 "RLS" Shape::B, Message .lanes(Lanes::Lowest), "Release semaphore (SE-33). Waits until every earlier instruction of the warp has completed, then, once per warp, sends REL_MSG {semaphore B of the lowest active lane, this thread}. A B of 65536 or more is sent as 65535.";
    }

    /// Across the active lanes of a warp (WW-21).
    Across {
        WBallot 0xD4 "WBALLOT" Shape::DA, Alu .greatest(0xF) .lanes(Lanes::Active), "d = mask of the active lanes whose A is not 0: bit i for lane i; the same in every active lane.";
        WRedAdd 0xD8 "WRED.ADD" Shape::DA, Alu .lanes(Lanes::Active), "d = the sum, modulo 2^32, of A over the active lanes, the same in every active lane (WW-21).";
        WRedAnd 0xD9 "WRED.AND" Shape::DA, Alu .lanes(Lanes::Active), "d = the bitwise and of A over the active lanes, the same in every active lane (WW-21).";
        WRedOr 0xDA "WRED.OR" Shape::DA, Alu .lanes(Lanes::Active), "d = the bitwise or of A over the active lanes, the same in every active lane (WW-21).";
        WRedXor 0xDB "WRED.XOR" Shape::DA, Alu .lanes(Lanes::Active), "d = the bitwise exclusive or of A over the active lanes, the same in every active lane (WW-21).";
        WRedSMin 0xDC "WRED.SMIN" Shape::DA, Alu .lanes(Lanes::Active), "d = the smallest, signed, of A over the active lanes, the same in every active lane (WW-21).";
        WRedSMax 0xDD "WRED.SMAX" Shape::DA, Alu .lanes(Lanes::Active), "d = the largest, signed, of A over the active lanes, the same in every active lane (WW-21).";
        WRedUMin 0xDE "WRED.UMIN" Shape::DA, Alu .lanes(Lanes::Active), "d = the smallest, unsigned, of A over the active lanes, the same in every active lane (WW-21).";
        WRedUMax 0xDF "WRED.UMAX" Shape::DA, Alu .lanes(Lanes::Active), "d = the largest, unsigned, of A over the active lanes, the same in every active lane (WW-21).";

        WScanAdd 0xF8 "WSCAN.ADD" Shape::DA, Alu .lanes(Lanes::Active), "d = the sum, modulo 2^32, of A over the active lanes below this one; 0 in the lowest active lane.";
        WScanAnd 0xF9 "WSCAN.AND" Shape::DA, Alu .lanes(Lanes::Active), "d = the bitwise and of A over the active lanes below this one; all ones in the lowest active lane.";
        WScanOr 0xFA "WSCAN.OR" Shape::DA, Alu .lanes(Lanes::Active), "d = the bitwise or of A over the active lanes below this one; 0 in the lowest active lane.";
        WScanXor 0xFB "WSCAN.XOR" Shape::DA, Alu .lanes(Lanes::Active), "d = the bitwise exclusive or of A over the active lanes below this one; 0 in the lowest active lane.";
        WScanSMin 0xFC "WSCAN.SMIN" Shape::DA, Alu .lanes(Lanes::Active), "d = the smallest, signed, of A over the active lanes below this one; 0x7FFFFFFF in the lowest active lane.";
        WScanSMax 0xFD "WSCAN.SMAX" Shape::DA, Alu .lanes(Lanes::Active), "d = the largest, signed, of A over the active lanes below this one; 0x80000000 in the lowest active lane.";
        WScanUMin 0xFE "WSCAN.UMIN" Shape::DA, Alu .lanes(Lanes::Active), "d = the smallest, unsigned, of A over the active lanes below this one; 0xFFFFFFFF in the lowest active lane.";
        WScanUMax 0xFF "WSCAN.UMAX" Shape::DA, Alu .lanes(Lanes::Active), "d = the largest, unsigned, of A over the active lanes below this one; 0 in the lowest active lane.";
    }

    /// Vertices and fragments (docs/graphics.md).
    Graphics {
        Merge 0x08 "MERGE" Shape::None, Graphics, "Merge point: a lane of a member of a pair stops here. When every covered lane of both members has stopped, or has ended, the two go on as one warp (MS-11). Of a member it waits until every earlier instruction of the warp has completed. Of any other warp it does nothing. Nor does it do anything on machines with another form of the point (MS-10).";
        Split 0x09 "SPLIT" Shape::None, Graphics, "Split point: a lane of a warp that stands for a pixel stops here. When every lane of the warp has stopped, or has ended, it becomes one warp for each covered sample (MS-40), or pixel (MS-41). Of such a warp it waits until every earlier instruction of the warp has completed. Of any other warp it does nothing. Nor does it do anything on machines with another form of the point (MS-10).";
        Demote 0x0A "DEMOTE" Shape::None, Graphics, "The active lanes become helpers: they cover nothing from here on, and run on; their stores and atomics are not done. Waits until every earlier instruction of the warp has completed. If no running lane covers anything then, the warp ends.";
        Out 0x0B "OUT" Shape::Output, Graphics, "Word imm of the lane's output is A. Of a vertex: 0 to 3 the position, then the varyings. Of a fragment: 2 t and 2 t + 1 are the words of target t, 8 is depth of 24 bits, 9 the sample mask. What a helper writes is lost.";
        Bary 0x0C "BARY" Shape::Fetch { words: 3 }, Graphics .lanes(Lanes::Own), "d, d+1, d+2 = values of the triangle's edges 0, 1, 2 as f32 at place imm of the pixel: 0 its centre, 1 the centroid, 2 the lane's sample.";
        Attr 0x0D "ATTR" Shape::Fetch { words: 4 }, Graphics, "d, d+1, d+2 = output word imm of the triangle's vertices 0, 1, 2; d+3 = 1 if the three are equal, else 0. Of imm 63: 1 / w of the three, and 1 / twice the area.";
        AttrFlat 0x0E "ATTR.FLAT" Shape::Fetch { words: 1 }, Graphics, "d = output word imm of the first vertex that the triangle was drawn with.";
    }

    /// The function unit.
    Function {
        FDiv 0xF0 "FDIV" Shape::DAB, Function, "d = A / B as f32, round to nearest even, subnormals kept; every NaN result is 0x7FC00000.";
        FSqrt 0xF1 "FSQRT" Shape::DA, Function, "d = square root of A as f32, round to nearest even; -0 for -0, the NaN for other negative numbers.";
        FRcp 0xF2 "FRCP" Shape::DA, Function, "d = 1 / A to 1 ulp, as docs/float.md states it.";
        FRsq 0xF3 "FRSQ" Shape::DA, Function, "d = 1 / square root of A to 1 ulp, as docs/float.md states it.";
        FExp2 0xF4 "FEXP2" Shape::DA, Function, "d = 2^A to 1 ulp, as docs/float.md states it.";
        FLog2 0xF5 "FLOG2" Shape::DA, Function, "d = binary logarithm of A to 1 ulp, as docs/float.md states it.";
        FSin 0xF6 "FSIN" Shape::DA, Function, "d = sin(A), A in radians, within 2^-24 absolute near 0 and 2^-24.6 elsewhere, as docs/float.md states it.";
        FCos 0xF7 "FCOS" Shape::DA, Function, "d = cos(A), A in radians, within 2^-24.6 absolute, as docs/float.md states it.";
    }
}

/// Special registers, read with `S2R d, name`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Special {
    /// Lane in the warp, 0 to 3.
    Lane = 0,
    /// Warp slot in the unit, 0 to 15.
    Warp = 1,
    /// Warp unit in the machine, 0 to 31.
    Unit = 2,
    /// Invocation in its work group, packed: x in bits 9:0, y in 19:10, z in 29:20.
    LocalId = 3,
    /// Work group along x.
    GroupX = 4,
    /// Work group along y.
    GroupY = 5,
    /// Work group along z.
    GroupZ = 6,
    /// Invocation in its work group, linear.
    LocalIndex = 7,
    /// Lanes that the launch covers, one bit each.
    Coverage = 8,
    /// First byte of the work group's window in shared storage.
    SharedBase = 9,
    /// Warp slot in the machine.
    ThreadSlot = 10,
    /// Index of the lane's vertex.
    VertexIndex = 11,
    /// Number of the lane's instance.
    InstanceIndex = 12,
    /// The lane's pixel along x.
    PixelX = 13,
    /// The lane's pixel along y.
    PixelY = 14,
    /// The lane's sample.
    Sample = 15,
    /// Samples that the lane covered at its start.
    SampleCoverage = 16,
    /// Handle of the lane's triangle.
    Primitive = 17,
    /// Whether the lane's triangle shows its front.
    Facing = 18,
    /// Place of the lane's results in the order.
    Ticket = 19,
    /// Depth of the lane.
    Depth = 20,
    /// Whether the lane is a helper now.
    Helper = 21,
}

/// One row of the table of special registers.
#[derive(Clone, Copy, Debug)]
pub struct SpecialRow {
    /// The register.
    pub special: Special,
    /// Name in assembler text.
    pub name: &'static str,
    /// The greatest number that it can hold on any machine: what the compiler may count on.
    pub greatest: u32,
    /// What it holds, as on the page of the instruction set.
    pub doc: &'static str,
}

/// Greatest number of a counter of `count` things.
const fn last(count: usize) -> u32 {
    count as u32 - 1
}

const fn special(special: Special, name: &'static str, greatest: u32, doc: &'static str) -> SpecialRow {
    SpecialRow { special, name, greatest, doc }
}

/// Every special register, in order of number.
pub const SPECIALS: &[SpecialRow] = &[
    special(Special::Lane, "lane", last(LANES), "Lane number in the warp, 0 to 3."),
    special(Special::Warp, "warp", last(MAX_WARPS), "Warp slot in the warp unit, 0 to 15."),
    special(Special::Unit, "unit", last(MAX_UNITS), "Warp unit in the machine, 0 to 31: (row * cores per row + core) * units per core + unit."),
    special(Special::LocalId, "local_id", 0x3FFF_FFFF, "Invocation in the work group: x in bits 9:0, y in 19:10, z in 29:20."),
    special(Special::GroupX, "group_x", u32::MAX, "Work group number along x."),
    special(Special::GroupY, "group_y", u32::MAX, "Work group number along y."),
    special(Special::GroupZ, "group_z", u32::MAX, "Work group number along z."),
    special(Special::LocalIndex, "local_index", last(MAX_GROUP), "Linear invocation number in the work group: x + y * size_x + z * size_x * size_y."),
    special(Special::Coverage, "coverage", (1 << LANES) - 1, "Lanes that the warp was started with, as a 4-bit mask."),
    special(Special::SharedBase, "shared_base", last(4 * MAX_SHARED_WORDS), "First byte of the work group's window in shared storage."),
    special(Special::ThreadSlot, "thread_slot", last(MAX_UNITS * MAX_WARPS * LANES), "Hardware thread number in the machine, (warp slots of the units before this one + warp) * 4 + lane: the index of the thread's stack."),
    special(Special::VertexIndex, "vertex_index", u32::MAX, "Vertex program: the lane's index, plus the draw's base vertex."),
    special(Special::InstanceIndex, "instance_index", u32::MAX, "Vertex program: the lane's instance, counted from the draw's first one."),
    special(Special::PixelX, "pixel_x", last(4096), "Fragment program: the lane's pixel along x."),
    special(Special::PixelY, "pixel_y", last(4096), "Fragment program: the lane's pixel along y."),
    special(Special::Sample, "sample", 3, "Fragment program that runs once per sample: the sample; else 0."),
    special(Special::SampleCoverage, "sample_coverage", 15, "Fragment program: samples that the lane covered at its start, bit k of sample k; 0 of a helper."),
    special(Special::Primitive, "primitive", 63, "Fragment program: handle of the triangle that the lane belongs to."),
    special(Special::Facing, "facing", 1, "Fragment program: 1 if the triangle shows its front, else 0."),
    special(Special::Ticket, "ticket", 255, "Fragment program: place of the lane's results in the order, 4 times the quad's plus the lane in its quad."),
    special(Special::Depth, "depth", 0xFF_FFFF, "Fragment program: depth at the pixel's centre, or at the lane's sample if it runs once per sample, 24 bits."),
    special(Special::Helper, "helper", 1, "Fragment program: 1 if the lane covers nothing now, else 0."),
];

impl Special {
    /// The row of the register.
    pub fn row(self) -> &'static SpecialRow {
        &SPECIALS[self as usize]
    }

    /// The greatest number that it can hold on any machine.
    pub fn greatest(self) -> u32 {
        self.row().greatest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `Special::row` goes by position, and `local_id` is three fields of which each counts to the
    /// size of a group.
    #[test]
    fn special_registers_are_in_order_of_number() {
        for (i, row) in SPECIALS.iter().enumerate() {
            assert_eq!((row.special as usize, row.special.row().name), (i, row.name));
        }
        let field = last(MAX_GROUP);
        assert_eq!(Special::LocalId.greatest(), field | field << 10 | field << 20);
    }
}
