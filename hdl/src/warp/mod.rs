//! The warp unit: [`unit::WarpUnit`] and its parts, one block per file. Cycle numbers of the
//! pipeline are in [`unit`].
//!
//! Formats of words that several of them know, an instruction's decoded kind among them, are in
//! `words.rs`.

pub mod context;
pub mod cross_lane;
pub mod encounter;
pub mod function_unit;
pub mod groups;
pub mod icache;
pub mod lane;
pub mod lane_operands;
pub mod late_results;
pub mod message_queue;
pub mod operand_map;
pub mod operands;
pub mod pairs;
pub mod public_bitmaps;
pub mod regfile;
pub mod register_map;
pub mod request_queue;
pub mod retire;
pub mod scheduler;
pub mod shared_result;
pub mod slot_tags;
pub mod special;
pub mod table;
pub mod twins;
pub mod unit;
mod words;
pub mod write_port;

pub use unit::WarpUnit;
