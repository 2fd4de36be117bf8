//! `[[thread]]` rows as they are written.

use quadlock_isa::SemaphoreRequest;
use serde::Deserialize;

/// A row: one thread, or `copies` of it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ThreadSpec {
    /// Data words x, y, z; those left out are 0. Without any, x is the thread's number.
    #[serde(default)]
    pub data: Vec<u32>,
    /// Lane mask; default: all four.
    pub lanes: Option<u8>,
    /// Instruction at which it starts; of assembly programs.
    pub start: Option<u16>,
    pub copies: Option<u32>,
    #[serde(default)]
    pub requests: Vec<RequestSpec>,
}

/// An ACQ_MSG on the thread's behalf.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RequestSpec {
    pub semaphore: u16,
    #[serde(default)]
    pub auto_release: bool,
    #[serde(default)]
    pub acknowledge_suppress: bool,
}

impl From<RequestSpec> for SemaphoreRequest {
    fn from(r: RequestSpec) -> Self {
        Self { semaphore: r.semaphore, auto_release: r.auto_release, suppress: r.acknowledge_suppress }
    }
}
