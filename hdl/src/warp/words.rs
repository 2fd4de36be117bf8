//! Words that travel through the warp unit: each format once, for who writes and who reads it.

use crate::fields;

fields! {
    /// What an instruction is, decoded when it is fetched.
    pub(crate) trait Kind: 21 {
        /// Goes to global memory.
        global: bit @ 0,
        /// Goes to shared memory.
        shared: bit @ 1,
        /// Waits until nothing of its slot is in flight.
        drains: bit @ 2,
        /// Conditional branch, by a register.
        conditional: bit @ 3,
        /// BRA: all its lanes leave for the target.
        jumps: bit @ 4,
        /// BAR.
        barrier: bit @ 5,
        /// Ends its lanes.
        ends: bit @ 6,
        /// Traps: it is not defined.
        traps: bit @ 7,
        /// Two beats of operands.
        two_beats: bit @ 8,
        /// Reads the register behind b on port C.
        reads_pair: bit @ 9,
        /// S2R.
        special: bit @ 10,
        /// QSHUF.
        shuffles: bit @ 11,
        /// DDX.
        ddx: bit @ 12,
        /// DDY.
        ddy: bit @ 13,
        /// Writes d from the lanes.
        writes: bit @ 14,
        /// A conditional branch is taken by lanes whose register is zero.
        if_zero: bit @ 15,
        /// Goes to the function unit.
        function: bit @ 16,
        /// Sends a message to the semaphore entity.
        message: bit @ 17,
        /// Waits for acknowledgements.
        waits: bit @ 18,
        /// Acquires: one more acknowledgement is to come.
        acquires: bit @ 19,
        /// Warp-wide atomic.
        wide: bit @ 20,
    }
}

fields! {
    /// A request to memory or the function unit, beside its operands.
    pub(crate) trait Request: 32 {
        /// Warp slot.
        warp: 4 @ 0,
        /// Sequence number.
        seq: 8 @ 4,
        /// Active lanes.
        mask: 4 @ 12,
        /// First destination register.
        dst: 5 @ 16,
        /// Opcode.
        op: 8 @ 21,
    }
}

fields! {
    /// An instruction on its way beside the lanes to retirement.
    pub(super) trait Record: 32 {
        /// There is one.
        valid: bit @ 0,
        /// It traps.
        trap: bit @ 1,
        /// A memory or function instruction: it completes elsewhere.
        memory: bit @ 2,
        /// It writes its destination.
        write: bit @ 3,
        /// Warp slot.
        warp: 4 @ 4,
        /// Sequence number.
        seq: 8 @ 8,
        /// Active lanes.
        mask: 4 @ 16,
        /// Destination register.
        destination: 5 @ 20,
        /// Lanes that leave for the target.
        taken: 4 @ 25,
    }
}

fields! {
    /// Lower half of an instruction (`docs/isa.md`, "Encoding").
    pub(crate) trait Instruction: 32 {
        /// Opcode.
        opcode: 8 @ 0,
        /// Destination register.
        d: 5 @ 8,
        /// Registers of the operands.
        a: 5 @ 13,
        b: 5 @ 18,
        c: 5 @ 23,
        /// Operand B is the upper half.
        immediate: bit @ 28,
        /// Operand B is a word of the constant bank.
        constant: bit @ 29,
    }
}

fields! {
    /// An arrival on its way to the register file: a request's fields, except the opcode.
    pub(super) trait Late: 24 {
        /// Warp slot.
        warp: 4 @ 0,
        /// Sequence number.
        seq: 8 @ 4,
        /// Active lanes.
        mask: 4 @ 12,
        /// First destination register.
        dst: 5 @ 16,
        /// There is one.
        valid: bit @ 21,
        /// A 64-bit form.
        two: bit @ 22,
        /// Of shared storage.
        shared: bit @ 23,
    }
}

fields! {
    /// Why no warp was chosen: at most one bit is set.
    pub(crate) trait Stall: 5 {
        /// No resident warp.
        no_warp: bit @ 0,
        /// Instructions wait (scoreboard, drain, credit).
        memory: bit @ 1,
        /// All are in fetch.
        fetch: bit @ 2,
        /// Port conflict.
        port: bit @ 3,
        /// Every running warp waits for a semaphore.
        semaphore: bit @ 4,
    }
}

fields! {
    /// What a slot of the function unit waits for.
    pub(super) trait Work: 32 {
        /// Opcode.
        work_op: 8 @ 0,
        /// Active lanes.
        work_mask: 4 @ 8,
    }
}

fields! {
    /// What the pipeline of table functions carries beside an operand.
    pub(super) trait LaneTag: 8 {
        /// Slot of the function unit.
        slot: 4 @ 0,
        /// Lane.
        lane: 2 @ 4,
        /// The last lane of its instruction.
        last: bit @ 6,
    }
}

fields! {
    /// A message that waits in its unit.
    pub(super) trait Message: 22 {
        /// Semaphore.
        sem: 16 @ 0,
        /// Warp slot.
        warp: 4 @ 16,
        /// 0 ACS, 1 ASR, 2 RLS.
        message_kind: 2 @ 20,
    }
}
