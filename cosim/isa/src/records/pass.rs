//! The pass record (docs/graphics.md).

use super::layout::record;

record! {
    "pass record", 32 words;
    /// size of the targets in pixels, at most 4096
    SIZE = 0 {
        /// width
        WIDTH [12:0],
        /// height
        HEIGHT [28:16],
    };
    /// samples, tiles and targets
    KIND = 1 {
        /// samples (0 one, 1 two, 2 four)
        SAMPLES [1:0],
        /// log2 of the tile's side in pixels (3 to 5)
        TILE_SIDE [7:4],
        /// targets
        TARGETS [10:8],
        /// depth and stencil
        HAS_DEPTH [12],
        /// log2 of the slots of a bank (0 to 2)
        BANK_SLOTS [17:16],
        /// tiles are kept
        KEEPS_TILES [18],
    };
    /// lines of a row of quads in memory
    ROW_LINES = 2;
    /// lines of a plane
    PLANE_LINES = 3;
    /// byte address of target t
    TARGET_ADDRESS = 4, 4 every 4;
    /// target t
    TARGET_FLAGS = 5, 4 every 4 {
        /// format (0 rgba8unorm, 1 rgba8unorm-srgb, 2 rgba16float, 3 r32float)
        TARGET_FORMAT [1:0],
        /// load (else clear)
        TARGET_LOADS [4],
        /// store
        TARGET_STORES [5],
        /// resolve
        TARGET_RESOLVES [6],
    };
    /// byte address of what is resolved
    RESOLVE_ADDRESS = 6, 4 every 4;
    /// byte address of depth and stencil
    DEPTH_ADDRESS = 20;
    /// depth and stencil
    DEPTH_FLAGS = 21 {
        /// load depth (else clear)
        DEPTH_LOADS [4],
        /// store
        DEPTH_STORES [5],
        /// load stencil (else clear)
        STENCIL_LOADS [6],
    };
    /// clear values
    DEPTH_CLEAR = 22 {
        /// depth
        CLEAR_DEPTH [23:0],
        /// stencil
        CLEAR_STENCIL [31:24],
    };
    /// the area for full binning. Behind it is that of Hi-Z's bounds, with `hi-z-memory`: 8 bytes
    /// for each group of 8 by 8 pixels, in rows of a power of two, zero when the machine starts; 0
    /// if there is neither. A machine without either does not read the word
    BIN_AREA = 23 {
        /// its size in units of 16 KiB
        BIN_AREA_SIZE [13:0],
        /// byte address, a multiple of 16 KiB
        BIN_AREA_ADDRESS [31:14],
    };
    /// clear colour of target t as in the tile, first word
    CLEAR_COLOUR = 24, 4 every 2;
    /// second word
    CLEAR_COLOUR_HIGH = 25, 4 every 2;
}

/// From a word of a target to that of the next target.
pub const TARGET_STEP: u64 = 4;
/// From the clear colour of a target to that of the next target.
pub const CLEAR_STEP: u64 = 2;
/// Lines of the record.
pub const LINES: u64 = WORDS as u64 / 4;
/// Number of its last word.
pub const LAST: u64 = WORDS as u64 - 1;
