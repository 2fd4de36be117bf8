//! The warp unit: [`unit::WarpUnit`] and its parts, one block per file. Cycle numbers of the pipeline are in [`unit`].
//!
//! An instruction's `kind`, decoded when it is fetched, is 21 bits: 0 global memory, 1 shared memory, 2 waits until nothing is in flight,
//! 3 conditional branch, 4 BRA, 5 BAR, 6 ends its lanes, 7 trap, 8 two beats of operands, 9 reads b+1 on port C, 10 S2R, 11 QSHUF,
//! 12 DDX, 13 DDY, 14 writes d from the lanes, 15 branches if zero,
//! 16 function unit, 17 sends a message to the semaphore entity, 18 waits for acknowledgements, 19 acquires (one more acknowledgement to come),
//! 20 warp-wide atomic.

pub mod context;
pub mod cross_lane;
pub mod encounter;
pub mod function_unit;
pub mod icache;
pub mod lane;
pub mod lane_operands;
pub mod late_results;
pub mod message_queue;
pub mod operands;
pub mod regfile;
pub mod request_queue;
pub mod retire;
pub mod scheduler;
pub mod shared_result;
pub mod special;
pub mod table;
pub mod unit;
pub mod write_port;

pub use unit::WarpUnit;
