//! Who reads the command list and tells all blocks of graphics what to do.

pub mod streamer;

pub use streamer::CommandStreamer;
