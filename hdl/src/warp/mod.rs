//! Placeholder of the subsystem's module list.
pub mod lane;
