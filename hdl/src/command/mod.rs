//! Who reads the command list and tells all blocks of graphics what to do.

pub mod lead;
pub mod streamer;

pub use lead::CommandLead;
pub use streamer::{CommandRole, CommandStreamer};
