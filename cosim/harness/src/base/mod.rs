//! What everything else stands on: errors that a user can mend, files that a user names, and how
//! the process talks: how much, in colour or not, how far it is; its threads, and how it ends.

pub(crate) mod bits;
pub(crate) mod caught;
pub(crate) mod drawing;
pub(crate) mod error;
pub(crate) mod files;
pub(crate) mod interrupt;
pub(crate) mod manners;
pub(crate) mod names;
pub(crate) mod phases;
pub(crate) mod progress;
pub(crate) mod shell;
pub(crate) mod stack;
pub(crate) mod units;
