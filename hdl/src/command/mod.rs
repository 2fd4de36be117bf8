//! Who reads the command list and tells all blocks of graphics what to do.

pub mod lead;
pub mod streamer;

pub use lead::CommandLead;
pub use streamer::{CommandRole, CommandStreamer};

crate::blocks! {
    "command_streamer" "command/streamer.rs" "CommandStreamer" "command streamer"
        |c| CommandStreamer::new(c, CommandRole::Alone);
    "command_lead" "command/lead.rs" "CommandLead" "distance between the two command streamers"
        |c| CommandLead::new(c);
}
