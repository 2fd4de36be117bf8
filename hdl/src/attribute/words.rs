//! Words of the attribute unit: which bits are what. It can be wrong in a place that two fields
//! have.

use crate::fields;

fields! {
    /// A completion beat that waits, without its values.
    pub(crate) trait BeatHead: 32 {
        /// Warp unit.
        unit: 3 @ 0,
        /// Warp slot.
        warp: 4 @ 3,
        /// Sequence number.
        seq: 8 @ 7,
        /// Lanes.
        mask: 4 @ 15,
        /// Register.
        dst: 5 @ 19,
        /// A register is written.
        wen: bit @ 24,
        /// Last beat of its instruction.
        last: bit @ 25,
    }
}

fields! {
    /// Tickets and handles of two lanes of a slot.
    pub(crate) trait TagPair: 64 {
        /// Ticket of the lower lane.
        ticket_low: 8 @ 0,
        /// Its handle or entry.
        handle_low: 12 @ 8,
        /// Ticket of the upper lane.
        ticket_high: 8 @ 20,
        /// Its handle or entry.
        handle_high: 12 @ 28,
        /// Kind of the warp.
        kind: 2 @ 40,
    }
}
