//! The thread record of a thread list (docs/machine.md).

use super::layout::record;

record! {
    "thread record", 20 words;
    /// start of the thread
    HEAD = 0 {
        /// start counter
        PC [15:0],
        /// lane mask; a record whose mask is 0 is passed over, requests included
        MASK [19:16],
        /// number of semaphore requests, 0 to 15
        REQUESTS [23:20],
    };
    /// data words: special registers GROUP_X, GROUP_Y, GROUP_Z
    DATA = 1, 3 every 1;
    /// a request
    REQUEST = 4, 15 every 1 {
        /// semaphore
        SEMAPHORE [15:0],
        /// auto-release
        AUTO_RELEASE [16],
        /// acknowledge-suppress
        SUPPRESS [17],
    };
}
