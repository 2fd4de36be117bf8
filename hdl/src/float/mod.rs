//! Placeholder of the subsystem's module list.
