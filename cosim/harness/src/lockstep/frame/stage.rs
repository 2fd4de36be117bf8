//! The event `stage`, from which the account of a frame is made, beside the other events of its
//! cycle. It says what waits, and the others say what goes on.
//!
//! Not every bit has an event that shows the contrary. Those that have none are tested with made-up
//! cycles, where the account is made.

use super::{found, Concern, Found, Key, What};
use crate::machine::ports::GraphicsOutputs;

/// Kind of a fragment warp at the launch port.
const FRAGMENT: u8 = 2;

/// What the event says fits the rest of the cycle.
///
/// # Errors
/// A contradiction.
pub(super) fn agrees(events: &GraphicsOutputs) -> Found {
    let Some(stage) = &events.stage else { return Ok(()) };
    let launch = events.launch.as_ref();
    let unnamed = launch.is_some_and(|l| stage.contexts >> l.context & 1 == 0);
    let contradictions = [
        (events.commit.is_some() && stage.commit, "blending takes a sample that it does not take"),
        (unnamed, "a warp is launched with a context that is not in use"),
        (launch.is_some_and(|l| l.kind == FRAGMENT) && !stage.quads, "a quad is launched, and none is there"),
    ];
    match contradictions.into_iter().find(|c| c.0) {
        Some((_, what)) => found(Concern::Stage, What::StageSays { what }, Key::default()),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::ports::{CommitEvent, GraphicsLaunched, StageEvent};

    #[test]
    fn each_contradiction_is_found() {
        let stage = |contexts, commit, quads| StageEvent { contexts, commit, quads, ..StageEvent::default() };
        let launch = |kind| Some(GraphicsLaunched { context: 3, kind, ..GraphicsLaunched::default() });
        let commit = Some(CommitEvent::default());
        let cycle = |stage, launch, commit| {
            let events = GraphicsOutputs { stage: Some(stage), launch, commit, ..GraphicsOutputs::default() };
            agrees(&events).is_ok()
        };
        assert!(cycle(stage(1 << 3, false, true), launch(FRAGMENT), commit));
        assert!(cycle(stage(1 << 3, false, false), launch(1), None));
        assert!(!cycle(stage(1 << 3, true, true), launch(FRAGMENT), commit));
        assert!(!cycle(stage(1 << 2, false, true), launch(FRAGMENT), None));
        assert!(!cycle(stage(1 << 3, false, false), launch(FRAGMENT), None));
    }
}
