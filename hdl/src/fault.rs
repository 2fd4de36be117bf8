//! Planted bugs of the RTL, for `tests/must_fail`: a block that can carry one has a `Constant<Bits<8>>` field `fault` (a localparam, folded away
//! by synthesis) and compares it with the numbers here. Each says which checker has to catch it.

macro_rules! faults { ($($n:ident $code:literal $name:literal $doc:literal;)*) => {
    /// A planted bug.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[repr(u8)]
    pub enum Fault { $( #[doc = $doc] $n = $code, )* }
    impl Fault {
        /// (fault, name on the command line, what is wrong).
        pub const ALL: &'static [(Fault, &'static str, &'static str)] = &[ $( (Fault::$n, $name, $doc), )* ];
        /// The fault of that command-line name.
        pub fn by_name(name: &str) -> Option<Fault> { Self::ALL.iter().find(|f| f.1 == name).map(|f| f.0) }
    }
} }

faults! {
    // Lanes.
    FmaRounding 1 "fma-rounding" "FMA rounds half up instead of half to even";
    FmaSticky 2 "fma-sticky" "FMA loses the sticky bit of the smaller operand";
    AddCarry 3 "add-carry" "integer add loses the carry from bit 15 to bit 16";
    ConvertSaturate 4 "convert-saturate" "float to integer wraps instead of saturating";
    SignedCompare 5 "signed-compare" "signed compare ignores the sign bits";
    IntegralTie 6 "integral-tie" "FRNE rounds ties up instead of to even";
    F16Subnormal 7 "f16-subnormal" "PK.F16 loses the sticky bits of subnormal results";
    NanSign 8 "nan-sign" "a NaN of the fused multiply and add keeps the operands' sign";
    EncodeTie 9 "encode-tie" "F2SN rounds negative ties down instead of up";
    SubnormalShift 10 "subnormal-shift" "a subnormal result of the fused multiply and add is shifted one place too few";
    // Warp unit.
    WriteMask 16 "write-mask" "register write mask ignored: inactive lanes are written too";
    StaleOperand 17 "stale-operand" "scoreboard does not check operand C";
    BranchMask 18 "branch-mask" "a branch that one lane takes is taken by all active lanes";
    LowestPc 19 "lowest-pc" "active mask takes the lane with the highest counter";
    BarrierEarly 20 "barrier-early" "barrier releases when one warp has arrived";
    StaleBypass 21 "stale-bypass" "register read in the cycle of its write returns the old value";
    WideDestination 22 "wide-destination" "second and later registers of a wide load are not in the scoreboard";
    // Memory and dispatch.
    CoalesceLine 32 "coalesce-line" "coalescing compares one address bit too few";
    DropResponse 33 "drop-response" "every 64th memory response is dropped";
    StoreMask 34 "store-mask" "byte enables of a 16-bit store cover one byte";
    SignExtend 35 "sign-extend" "signed byte loads are zero-extended";
    AtomicLostLane 36 "atomic-lost-lane" "the last active lane's atomic does not write";
    DispatchSkip 37 "dispatch-skip" "the last group of a row is skipped";
    DispatchTwice 38 "dispatch-twice" "the second warp of a group is launched twice";
    // Division and square root.
    DivideSticky 40 "divide-sticky" "the remainder of a division does not count as sticky bit";
    DivideSubnormal 41 "divide-subnormal" "a subnormal result of the function unit is shifted one place too few";
    SqrtRounding 42 "sqrt-rounding" "the last digit of a square root is lost: it is cut off, not rounded";
    // Function unit.
    RangeReduction 45 "range-reduction" "sin and cos of 2^30 and more take the bits of 2/pi one place off";
    TableLine 46 "table-line" "interval 21 of every table of approximated functions has the coefficients of interval 20";
    FunctionRounding 47 "function-rounding" "approximated functions truncate instead of rounding";
}
