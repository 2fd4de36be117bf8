//! What everything else stands on: errors that a user can mend, and files that a user names.

pub mod error;
pub mod files;
