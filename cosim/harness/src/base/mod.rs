//! What everything else stands on: errors that a user can mend, and files that a user names.

pub(crate) mod drawing;
pub(crate) mod error;
pub(crate) mod files;
