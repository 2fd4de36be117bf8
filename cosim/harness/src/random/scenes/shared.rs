//! Machines that all scenes of a campaign share (`quadlock fuzz --machines N`). They are of those
//! that the campaign's scenes may be drawn on, so a scene is legal on each of them.

use super::make::{frame_sets, OptionSet, HIDE_SETS, MACHINES, MERGING, SPLITTING};
use super::spec::{Machine, RandomScene};
use crate::random::machines::{one_of, seeds, spread, Value};

/// A machine, with the options that a set adds to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shared {
    machine: &'static Machine,
    options: Machine,
}

impl Shared {
    fn values(&self) -> Vec<Value> {
        self.machine.iter().chain(self.options).map(|&(key, value)| (key.to_owned(), value.to_owned())).collect()
    }
}

/// Scenes that have machines of their own.
#[derive(Clone, Copy, Debug)]
pub(super) enum Of {
    Scenes,
    Merging,
    Splitting,
    Hiding,
    Frames,
    Set(&'static OptionSet),
}

/// Every machine that such a scene may be drawn on.
fn possible(scenes: Of) -> Vec<Shared> {
    let plain = |all: &'static [Machine]| all.iter().map(|machine| Shared { machine, options: &[] }).collect();
    let of = |set: &'static OptionSet| set.shapes.iter().map(move |machine| Shared { machine, options: set.options });
    match scenes {
        Of::Set(set) => of(set).collect(),
        Of::Merging => plain(&MERGING),
        Of::Splitting => plain(&SPLITTING),
        Of::Hiding => HIDE_SETS.iter().flat_map(of).collect(),
        Of::Frames => frame_sets().flat_map(of).collect(),
        Of::Scenes => plain(&MACHINES),
    }
}

/// At most `count` of them, which `seed` draws.
pub(super) fn shared(scenes: Of, count: usize, seed: u64) -> Vec<Shared> {
    let all = possible(scenes);
    let drawn: Vec<Shared> = seeds(seed, count).filter_map(|s| one_of(&all, s).copied()).collect();
    spread(drawn.into_iter().chain(all), Shared::values, count)
}

/// The scene on its machine of those that are shared, if any are; shrinking keeps that machine.
pub(super) fn on_shared(scene: RandomScene, machines: &[Shared]) -> RandomScene {
    let Some(&Shared { machine, options }) = one_of(machines, scene.seed) else { return scene };
    RandomScene { machine, options, machines: std::slice::from_ref(machine), limited: false, ..scene }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::make::{make, make_hiding};
    use super::super::{MERGE_SETS, SPLIT_SETS};
    use super::*;

    /// Twelve of the two hundred machines that hide have every value of every option that a set
    /// has; of the others there are fewer than twelve, and all are taken.
    #[test]
    fn few_machines_have_every_option() {
        let all: BTreeSet<Value> = possible(Of::Hiding).iter().flat_map(Shared::values).collect();
        for seed in 1..4 {
            let chosen = shared(Of::Hiding, 12, seed);
            let have: BTreeSet<Value> = chosen.iter().flat_map(Shared::values).collect();
            assert_eq!((chosen.len(), have.len()), (12, all.len()), "{:?}", all.difference(&have));
        }
        for (scenes, count) in [(Of::Scenes, 8), (Of::Merging, 9), (Of::Splitting, 7)] {
            assert_eq!(shared(scenes, 12, 1).len(), count, "{scenes:?}");
        }
    }

    /// A set's options stay, and each machine is one of the set's.
    #[test]
    fn a_set_keeps_its_machines() {
        for set in MERGE_SETS.iter().chain(&SPLIT_SETS).chain(HIDE_SETS) {
            let chosen = shared(Of::Set(set), 3, 1);
            assert_eq!(chosen.len(), 3, "{}", set.name);
            assert!(chosen.iter().all(|m| m.options == set.options && set.shapes.contains(m.machine)), "{}", set.name);
        }
    }

    /// The machine follows from the scene's seed, and no smaller scene has another.
    #[test]
    fn shrinking_keeps_the_machine() {
        let chosen = shared(Of::Hiding, 12, 1);
        for seed in 0..24 {
            let scene = on_shared(make_hiding(seed, None), &chosen);
            assert_eq!(
                (scene.machine, scene.options),
                (*chosen[seed as usize % 12].machine, chosen[seed as usize % 12].options)
            );
            assert!(scene.smaller().iter().all(|s| (s.machine, s.options) == (scene.machine, scene.options)));
            let free = make(seed);
            assert_eq!(on_shared(free.clone(), &[]), free);
        }
    }
}
