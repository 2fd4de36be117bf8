//! The checkers: one concern each, one file each, behind one small trait. The runner calls every
//! checker at every step of the model with what the machine showed; the first finding ends the run
//! and carries its checker's name. A checker that compares too little lets bugs through:
//! `tests/must_fail` names for each planted fault the checker that has to find it.

pub(crate) mod atomic_order;
pub(crate) mod barrier;
pub(crate) mod checker;
pub(crate) mod end_state;
pub(crate) mod launch;
pub(crate) mod memory_writes;
pub(crate) mod merge;
pub(crate) mod retire;
pub(crate) mod semaphore;
pub(crate) mod split;
pub(crate) mod trap;
pub(crate) mod wait;
pub(crate) mod warp_wide;

use quadlock_hdl::config::GpuConfig;

use super::finding::Concern;
use checker::Checker;

/// All checkers, in the order in which they are asked. `model_fault`: the model's planted bug.
pub fn all(config: &GpuConfig, model_fault: Option<quadlock_golden::Fault>) -> Vec<Box<dyn Checker>> {
    vec![
        Box::new(launch::LaunchChecker::default()),
        Box::new(barrier::BarrierChecker::default()),
        Box::new(trap::TrapChecker::default()),
        Box::new(wait::WaitChecker::default()),
        Box::new(warp_wide::WarpWideChecker::default()),
        Box::new(retire::RetireChecker),
        Box::new(semaphore::SemaphoreChecker::new(config, model_fault)),
        Box::new(memory_writes::MemoryChecker::default()),
        Box::new(atomic_order::AtomicOrderChecker::default()),
        Box::new(merge::MergeChecker::default()),
        Box::new(split::SplitChecker::default()),
        Box::new(end_state::EndStateChecker),
    ]
}

/// What all are for, in order; last those of frames, which are [`super::frame`]'s.
fn concerns() -> Vec<Concern> {
    let all = all(&GpuConfig::default(), None);
    all.iter().map(|c| c.concern()).chain(Concern::OF_FRAMES).collect()
}

/// The names of all, in order.
pub fn names() -> Vec<&'static str> {
    concerns().into_iter().map(Concern::name).collect()
}

/// The checkers with what each compares, as Markdown.
pub fn markdown() -> String {
    let mut text = String::from("| checker | what it compares |\n|---|---|\n");
    for concern in concerns() {
        text += &format!("| `{}` | {} |\n", concern.name(), concern.about());
    }
    text
}
