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
    // Semaphores in the warp unit.
    WaitIgnored 23 "wait-ignored" "WTS does not wait";
    AckLost 24 "ack-lost" "an acknowledgement that comes before the thread waits is lost";
    AckAnyWarp 25 "ack-any-warp" "an acknowledgement counts for every warp of the unit";
    ReleaseEarly 26 "release-early" "RLS does not wait for the warp's stores";
    MessageLane 27 "message-lane" "a message takes its semaphore from the highest active lane";
    FreeWhileWaiting 28 "free-while-waiting" "a slot is free with acknowledgements outstanding";
    AutoLost 29 "auto-lost" "ASR sends its message without auto-release";
    MessageOverflow 30 "message-overflow" "ACS, ASR and RLS issue when the queue of messages is full";
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
    // Semaphore entity.
    SemTwoOwners 64 "sem-two-owners" "an acquire is acknowledged although another thread owns the semaphore";
    SemLostEntry 65 "sem-lost-entry" "the entry of a list's only thread is not returned to the free list";
    SemFifoOrder 66 "sem-fifo-order" "an entry is put behind the head of a list instead of behind its tail";
    SemDoubleAck 67 "sem-double-ack" "an acknowledgement is sent twice if no other is waiting";
    SemSuppressIgnored 68 "sem-suppress-ignored" "acknowledge-suppress has no effect";
    SemAutoKept 69 "sem-auto-kept" "an acquire with auto-release of a free semaphore keeps it";
    SemForeignRelease 70 "sem-foreign-release" "a release by any thread removes the head";
    SemEarlyDone 71 "sem-early-done" "the completion signal of an acquire comes when it is taken";
    SemSilentError 79 "sem-silent-error" "protocol errors are not reported";
    // Waiting room of the semaphore entity.
    RoomOvertake 92 "room-overtake" "an acquire that needs no entry overtakes one of its semaphore that waits for an entry";
    RoomAsleep 93 "room-asleep" "an acquire that waits is not tried again when its semaphore becomes free";
    RoomBlocks 94 "room-blocks" "acquires that need no entry wait behind those that do";
    RoomLost 95 "room-lost" "an acquire that comes while those that wait are tried is lost";
    // Message bus.
    BusDrop 72 "bus-drop" "a message that arrives as another leaves is lost";
    BusDuplicate 73 "bus-duplicate" "a message stays in its register after it was taken";
    BusReorder 74 "bus-reorder" "a message overtakes the one in the register of its receiver";
    BusUnfair 75 "bus-unfair" "the sender of the smallest number always wins";
    // Row controller.
    RowLostEnd 76 "row-lost-end" "of two threads of a unit that end together one is not told";
    RowLostAcquire 77 "row-lost-acquire" "an acquire that a release passes is lost";
    RowWrongUnit 78 "row-wrong-unit" "acquires carry the unit's number in its row, not in the machine";
    // Top level and memory arbiter.
    LockIgnored 90 "lock-ignored" "the memory arbiter ignores line locks: atomics of different cores overlap";
    AckWrongCore 91 "ack-wrong-core" "acknowledgements of semaphores go to the neighbouring unit";
    // Thread dispatcher.
    DispatchSemEarly 80 "dispatch-sem-early" "requests without acknowledge-suppress are sent before the thread is launched";
    DispatchThreadEarly 81 "dispatch-thread-early" "a thread is launched before its requests with acknowledge-suppress have had their effect";
    DispatchSlotTwice 82 "dispatch-slot-twice" "warp slot 1 is not marked as occupied when it is taken";
    DispatchRecordSkip 83 "dispatch-record-skip" "threads with five to eight requests are passed over";
    DispatchOvertake 84 "dispatch-overtake" "a thread's requests overtake those of an earlier thread to the same semaphore";
    DispatchWaitCount 85 "dispatch-wait-count" "a thread waits for an acknowledgement of requests with acknowledge-suppress too";
    DispatchBusyEarly 86 "dispatch-busy-early" "the run ends while messages are on their way";
    DispatchEndLost 87 "dispatch-end-lost" "the end of a thread is lost if a slot of its unit is taken in the same cycle";
    DispatchSlotMissing 120 "dispatch-slot-missing" "in a machine of cores that differ every unit is taken for one with the most warp slots";
    DispatchUnable 121 "dispatch-unable" "threads that need the function unit go to cores without one too";
    // Warp-wide operations.
    WideInactive 100 "wide-inactive" "the result of a warp-wide atomic is given to inactive lanes too";
    WideTwice 101 "wide-twice" "a warp-wide atomic is executed for every active lane";
    WideNotBroadcast 102 "wide-not-broadcast" "lanes masked for their representative do not get its result";
    WideOldValue 103 "wide-old-value" "a warp-wide atomic delivers the new value";
    WideLockSteals 104 "wide-lock-steals" "an acquire of a taken lock reports success";
    ScalarWrongWarp 105 "scalar-wrong-warp" "the scalar unit's answer goes to the neighbouring warp slot";
    SharedStale 106 "shared-stale" "a lane's own write leaves its register marked as the shared one";
    ReduceInactive 107 "reduce-inactive" "reductions take inactive lanes in";
    LockForeign 108 "lock-foreign" "the release form of a lock swaps whatever the word is";
    WideMaskStuck 109 "wide-mask-stuck" "lanes masked for their representative stay masked after its result";
    LateForeign 110 "late-foreign" "the kept result of a warp-wide atomic is given to a lane of another encounter";
    LateAgain 111 "late-again" "a lane that comes late to a warp-wide atomic executes again";
    LateLanes 112 "late-lanes" "the kept result of a warp-wide atomic is written to all lanes";
    LateMemory 113 "late-memory" "a late lane gets the kept result of the other memory";
    LateMet 114 "late-met" "lanes that have met the others again count as late";
    LateTurn 115 "late-turn" "a turn of a loop does not end the encounter";
}
