//! What the load/store/atomic pipeline must know when a line comes back, for who sends and who
//! unpacks; the completion register has the same word.

use crate::fields;

fields! {
    /// Word 0 of a transaction in flight. The instruction's own fields (unit to sign) are made when
    /// it is accepted, the others when the transaction is sent.
    pub(super) trait Flight: 32 {
        /// In the completion register: the beat writes its register.
        wen: bit @ 0,
        /// The instruction's last transaction; in the completion register, its last beat.
        last: bit @ 1,
        /// 0 load, 1 store, 2 atomic read, 3 atomic write.
        kind: 2 @ 2,
        /// Sub-words are signed.
        sign: bit @ 4,
        /// Log2 of the access size in bytes.
        size: 3 @ 5,
        /// Lanes of the transaction.
        mask: 4 @ 8,
        /// First destination register.
        dst: 5 @ 12,
        /// Sequence number.
        seq: 8 @ 17,
        /// Warp slot.
        warp: 4 @ 25,
        /// Unit.
        unit: 3 @ 29,
    }
}

fields! {
    /// Word 1: byte offset in the line, per lane.
    pub(super) trait Offsets: 32 {
        /// Lane 0.
        offset0: 4 @ 0,
        /// Lane 1.
        offset1: 4 @ 4,
        /// Lane 2.
        offset2: 4 @ 8,
        /// Lane 3.
        offset3: 4 @ 12,
    }
}
