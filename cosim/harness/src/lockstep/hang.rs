//! A run that was given up: nothing happened for too long (stuck), or it took more cycles than the
//! job allows. What counts is a retirement, a message, a launch, a transaction of memory and every
//! event of graphics. What machine and model stand at is kept whole;
//! [`crate::report::hang`] says it warp by warp.

use std::collections::BTreeMap;

use quadlock_golden::Golden;
use serde::Serialize;

use super::checkers::checker::{Awaited, Shortage};
use super::finding::HeldSince;
use super::frame::left::Left;
use super::mismatch::History;
use super::ownership::Ownership;
use super::stalled::Stalled;
use super::waits::Wait;

/// How a run did not come to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum HangKind {
    /// Nothing happens any more.
    Stuck,
    /// Instructions still retire, but the job's limit of cycles is used up.
    CycleLimit,
}

/// A run that was given up.
#[derive(Clone, Debug)]
pub struct Hang {
    /// Which of the two.
    pub kind: HangKind,
    /// In which the run was given up.
    pub cycle: u64,
    /// Cycle in which something happened last.
    pub progress: u64,
    /// Where the model stands, if there is one.
    pub model: Option<Standing>,
    /// The last retirements of each warp.
    pub history: History,
    /// What the model could not follow.
    pub held: Option<HeldSince>,
    /// Of each unit the warp slots that wait for a semaphore, by bit, as the machine says.
    pub waiting: Vec<u16>,
    /// The lock words, if they are followed.
    pub locks: Option<Ownership>,
    /// Entries of the pool, if an acquire waits for one.
    pub exhausted_pool: Option<usize>,
    /// Of a machine that draws and stands still: streams that nobody takes.
    pub stalled: Vec<Stalled>,
    /// Who waits for whom among them.
    pub waits: Vec<Wait>,
    /// What the frame lacks, if the model knows.
    pub left: Vec<Left>,
}

/// The model of a run that was given up, and what its checkers know of who waits.
#[derive(Clone, Debug)]
pub struct Standing {
    /// The model at its last step.
    pub golden: Golden,
    /// By thread: the semaphores that it waits for.
    pub awaited: BTreeMap<u16, Vec<Awaited>>,
    /// Who waits for an entry of the semaphore pool, and who has them; `None` if nobody waits.
    pub shortage: Option<Shortage>,
}
