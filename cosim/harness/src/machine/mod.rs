//! The machine as the harness sees it, whoever simulates it: its ports, its memory, what is
//! launched on it. Nothing here knows an engine or the golden model.

pub(crate) mod lanes;
pub mod launch;
pub(crate) mod layout;
pub mod limits;
pub mod locks;
pub mod memory;
pub mod ports;
pub mod signals;
