//! Faults planted in the compiled engine, to show that the checks of `docs/rtlsim/design.md` find
//! them. A fault is a change of the finished plan, before machine code is made of it: code without
//! a fault is the same, and a faulty plan stays within its own layout, so every fault is safe in
//! memory. How it can be wrong: a fault that changes nothing would make its test fail, not pass.

use crate::graph::Op;
use crate::plan::{Kind, Plan};

/// A fault of the compiled engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fault {
    /// A computed value does not wake the last region that reads it.
    LostReader,
    /// The same, in the second code only.
    LostReaderReplanned,
    /// A memory write does not wake the last region that reads the memory.
    LostMemoryReader,
    /// Registers without an enable are not marked for the edge.
    LostCommit,
    /// Nobody watches the signals of asynchronous edges.
    LostTrigger,
    /// Readers of a pack get the value of the neighbouring lane.
    WrongLane,
    /// Memory indices are clamped to the last word instead of the zero word behind it.
    ShortClamp,
    /// Multiplexers take the other arm.
    SwappedArms,
    /// Changes of every second observed value are not noted.
    LostChange,
}

impl Fault {
    /// Every fault with its name and the test that finds it.
    pub const ALL: [(Self, &'static str, &'static str); 9] = [
        (Self::LostReader, "lost-reader", "tests/jit.rs nothing_is_stale"),
        (Self::LostReaderReplanned, "lost-reader-replanned", "tests/jit.rs nothing_is_stale_in_replanned_code"),
        (Self::LostMemoryReader, "lost-memory-reader", "tests/jit.rs nothing_is_stale"),
        (Self::LostCommit, "lost-commit", "tests/jit.rs compiled_agrees_with_interpreted"),
        (Self::LostTrigger, "lost-trigger", "tests/jit.rs compiled_agrees_with_interpreted"),
        (Self::WrongLane, "wrong-lane", "tests/jit.rs identical_logic_side_by_side_agrees"),
        (Self::ShortClamp, "short-clamp", "tests/jit.rs compiled_agrees_with_interpreted"),
        (Self::SwappedArms, "swapped-arms", "tests/jit.rs compiled_agrees_with_interpreted"),
        (Self::LostChange, "lost-change", "tests/jit.rs changes_are_reported"),
    ];

    /// The fault of a name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|f| f.1 == name).map(|f| f.0)
    }
}

/// Changes a plan; `replanned`: it is that of the second code.
pub(crate) fn plant(plan: &mut Plan, fault: Option<Fault>, replanned: bool) {
    let Some(fault) = fault else { return };
    match fault {
        Fault::LostReaderReplanned if !replanned => {}
        Fault::LostReader | Fault::LostReaderReplanned => {
            for item in plan.items.iter_mut().filter(|i| !i.kind.is_source()) {
                item.readers.pop();
            }
        }
        Fault::LostMemoryReader => {
            for readers in &mut plan.memory_readers {
                readers.pop();
            }
        }
        Fault::LostCommit => plan.regions.iter_mut().for_each(|r| r.blocks.retain(|b| b.0.is_some())),
        Fault::LostTrigger => {
            let bit = plan.watcher();
            plan.items.iter_mut().for_each(|i| i.readers.retain(|&r| Some(r) != bit));
        }
        Fault::WrongLane => {
            for (lane, item) in plan.lane_of.iter_mut().zip(&plan.item_of) {
                if item.is_some_and(|i| matches!(plan.items[i].kind, Kind::Pack(_))) {
                    *lane = lane.map(|l| l ^ 1);
                }
            }
        }
        // The layout is done: what is clamped too low stays inside.
        Fault::ShortClamp => plan.graph.memories.iter_mut().filter(|m| m.depth > 1).for_each(|m| m.depth -= 1),
        Fault::SwappedArms => {
            plan.graph.nodes.iter_mut().filter(|n| n.op == Op::Mux).for_each(|n| n.args.swap(1, 2));
        }
        Fault::LostChange => plan.items.iter_mut().for_each(|i| {
            i.observed = i.observed.filter(|o| o.number() % 2 != 0);
        }),
    }
}
