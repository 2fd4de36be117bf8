//! The two lines of a draw in a command list (docs/graphics.md).

use super::layout::record;

record! {
    "draw command", 8 words;
    /// the command, 3 in bits 7:0
    HEAD = 0 {
        /// indexed
        INDEXED [8],
        /// u32 indices
        WIDE_INDICES [9],
        /// bypass
        BYPASS [10],
        /// restart
        RESTART [11],
    };
    /// count
    COUNT = 1;
    /// first
    FIRST = 2;
    /// instances
    INSTANCES = 3;
    /// base vertex
    BASE_VERTEX = 4;
    /// first instance
    FIRST_INSTANCE = 5;
    /// address of index 0
    INDEX_ADDRESS = 6;
    /// 0
    RESERVED = 7;
}
