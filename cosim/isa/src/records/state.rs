//! The state record of a draw (docs/graphics.md).

use super::layout::record;

record! {
    "state record", 44 words;
    /// vertex program: number of its first instruction in the code
    VERTEX_FIRST = 0;
    /// vertex program
    VERTEX_SIZE = 1 {
        /// its instructions
        VERTEX_LENGTH [15:0],
        /// number in the code of the first one of its position part, which lies in it; 0: it has
        /// none
        VERTEX_POSITION [31:16],
    };
    /// fragment program: number of its first instruction in the code
    FRAGMENT_FIRST = 2;
    /// fragment program: its instructions
    FRAGMENT_LENGTH = 3;
    /// byte address of the constant-bank image of the vertex program, 1,024 bytes
    VERTEX_CONSTANTS = 4;
    /// the same of the fragment program
    FRAGMENT_CONSTANTS = 5;
    /// topology, faces, tests and what the program does
    MODES = 6 {
        /// topology (0 list, 1 strip)
        TOPOLOGY [1:0],
        /// clockwise faces are culled
        CULL_CLOCKWISE [2],
        /// counter-clockwise faces are culled
        CULL_COUNTER_CLOCKWISE [3],
        /// front face is clockwise
        FRONT_CLOCKWISE [4],
        /// depth function
        DEPTH_FUNCTION [7:5],
        /// depth test
        DEPTH_TEST [8],
        /// depth write
        DEPTH_WRITE [9],
        /// stencil test
        STENCIL_TEST [10],
        /// early tests asked for
        EARLY_TESTS [11],
        /// one fragment per sample
        PER_SAMPLE [12],
        /// its program splits (only with bit 12)
        SPLITS [13],
        /// after its split points no lane looks at another (only with bit 13)
        APART [14],
        /// it looks at coverage
        LOOKS_AT_COVERAGE [15],
        /// may discard
        DISCARDS [16],
        /// writes depth
        WRITES_DEPTH [17],
        /// writes the sample mask
        WRITES_MASK [18],
        /// stores
        STORES [19],
    };
    /// varyings and cutoffs
    VARYINGS = 7 {
        /// words of varyings
        VARYING_WORDS [5:0],
        /// register cutoff of the vertex program
        VERTEX_CUTOFF [13:8],
        /// register cutoff of the fragment program; 63: it has neither merge nor split point
        FRAGMENT_CUTOFF [21:16],
        /// word 39 counts
        HAS_UNPAIRED [22],
    };
    /// cx
    VIEWPORT_X = 8;
    /// cy
    VIEWPORT_Y = 9;
    /// hx
    VIEWPORT_HALF_WIDTH = 10;
    /// hy
    VIEWPORT_HALF_HEIGHT = 11;
    /// z0
    VIEWPORT_NEAR = 12;
    /// dz
    VIEWPORT_DEPTH = 13;
    /// gx
    GUARD_X = 14;
    /// gy
    GUARD_Y = 15;
    /// scissor: its first pixel
    SCISSOR_START = 16 {
        /// x0
        SCISSOR_LEFT [15:0],
        /// y0
        SCISSOR_TOP [31:16],
    };
    /// scissor: its end, which is outside
    SCISSOR_END = 17 {
        /// x1
        SCISSOR_RIGHT [15:0],
        /// y1
        SCISSOR_BOTTOM [31:16],
    };
    /// depth bias: constant
    BIAS_CONSTANT = 18;
    /// depth bias: slope
    BIAS_SLOPE = 19;
    /// depth bias: clamp
    BIAS_CLAMP = 20;
    /// stencil of front
    STENCIL_FRONT = 21 {
        /// function
        STENCIL_FUNCTION [2:0],
        /// operation if the stencil test fails
        STENCIL_FAIL [6:4],
        /// operation if depth fails
        STENCIL_DEPTH_FAIL [10:8],
        /// operation if both pass
        STENCIL_PASS [14:12],
    };
    /// stencil of back: fields as of front
    STENCIL_BACK = 22;
    /// stencil of both sides
    STENCIL_MASKS = 23 {
        /// read mask
        STENCIL_READ [7:0],
        /// write mask
        STENCIL_WRITE [15:8],
        /// reference
        STENCIL_REFERENCE [23:16],
    };
    /// the blend constant in the program's form for 8-bit targets (one word) and for sRGB (two
    /// words)
    BLEND_CONSTANT = 24, 2 every 1;
    /// the blend constant for rgba16float, two words
    BLEND_CONSTANT_FLOAT = 26, 2 every 1;
    /// of each target
    TARGET_BLEND = 28, 4 every 1 {
        /// write mask (red first)
        TARGET_MASK [3:0],
        /// blend
        BLENDS [4],
        /// source factor of colour
        COLOUR_SOURCE [8:5],
        /// destination factor of colour
        COLOUR_DESTINATION [12:9],
        /// operation of colour
        COLOUR_OPERATION [15:13],
        /// source factor of alpha
        ALPHA_SOURCE [19:16],
        /// destination factor of alpha
        ALPHA_DESTINATION [23:20],
        /// operation of alpha
        ALPHA_OPERATION [26:24],
    };
    /// sample mask
    SAMPLE_MASK = 32;
    /// flat words of the varyings: bit n of this and the next is word n
    FLAT_LOW = 33;
    /// the upper half
    FLAT_HIGH = 34;
    /// linear words of the varyings likewise
    LINEAR_LOW = 35;
    /// the upper half
    LINEAR_HIGH = 36;
    /// merge and split points of the fragment program. In every form: beside a split point warps
    /// merge before it if 15:0 are not 0
    EVENTS = 37 {
        /// number of the first merge point, told at each launch; 0: none. With `event_form =
        /// counter` or `count`: counter or count of its merge point ([isa.md](isa.md))
        MERGE_AT [15:0],
        /// zero. With `event_form = counter` or `count`: that of its split point, not 0 if it has
        /// one
        SPLIT_AT [31:16],
    };
    /// with `public_registers = bitmap`: bit r says that register r of the fragment program is
    /// public, if the cutoff is not 0. Else 0
    PUBLIC_BITMAP = 38;
    /// with bit 22 of word 7: where a fragment warp begins that is no member of a pair; it has no
    /// public registers. It lies in the fragment program
    UNPAIRED_FIRST = 39;
    /// depth range: the least depth of a triangle, of 24 bits
    DEPTH_LEAST = 40;
    /// depth range: the greatest
    DEPTH_MOST = 41;
    /// 0
    RESERVED = 42, 2 every 1;
}

/// Lines of the record.
pub const LINES: u64 = WORDS as u64 / 4;
/// Number of its last word.
pub const LAST: u64 = WORDS as u64 - 1;
