//! Words of the constant bank that the host gives to every program, from the first word of the bank
//! on, or of the program's window in it (docs/isa.md).

use super::layout::record;

record! {
    "window", 256 words;
    /// of a compute program: number of work groups along x, y, z
    GRID = 0, 3 every 1;
    /// of a fragment program: least and greatest depth that it may write, of 24 bits
    DEPTH_RANGE = 0, 2 every 1;
    /// byte address of the stacks (spills, indexed private arrays)
    STACK_BASE = 3;
    /// stack bytes per thread, a multiple of 16; a thread's stack starts at base + `thread_slot` *
    /// size
    STACK_SIZE = 4;
    /// byte address of the lock table, a word per semaphore, of a program compiled with polling
    /// semaphores
    LOCKS = 5;
    /// buffer table: byte address of buffer t
    BUFFER_ADDRESS = 8, 32 every 2;
    /// buffer table: its size in bytes
    BUFFER_SIZE = 9, 32 every 2;
    /// from here on: uniform data and constants that the compiler places
    USER = 72;
}
