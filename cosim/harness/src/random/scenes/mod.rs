//! Random scenes in lockstep: a seed decides target, draws, state, machine and memory timing. A
//! scene is kept as what it was made of, so that it can be shrunk; it is run from its text, the
//! same file that `quadlock run` draws.
//!
//! [`make`] chooses, [`shapes`] places corners, [`programs`] writes programs and [`text`] the scene
//! file, [`run`] draws and shrinks; in short campaigns all are on a few machines ([`shared`]). The
//! model and the RTL are compared, and nothing else: what both do wrong is not seen here (`make
//! image-check` is for that).

mod make;
mod programs;
mod run;
mod shapes;
mod shared;
mod spec;
mod text;

pub use make::{frame_sets, make, OptionSet, HIDE_SETS, MERGE_SETS, SPLIT_SETS};
pub use run::{try_seed, Counts, Failure, Settings, Tried};
pub use shared::Shared;

#[cfg(test)]
mod tests {
    use super::make::{make_frame, make_hiding, make_merging, make_splitting};
    use super::spec::RandomScene;
    use super::*;

    /// So that one scene of many can be drawn alone.
    #[test]
    fn a_seed_decides_everything() {
        for seed in 0..50 {
            assert_eq!(make(seed).text(), make(seed).text());
        }
        assert_ne!(make(1).text(), make(2).text());
    }

    /// One seed draws other triangles for each kind of campaign; before, all kinds tried the same.
    #[test]
    fn kinds_of_campaigns_have_scenes_of_their_own() {
        // Also of seeds that are near to each other: no scene is drawn twice.
        let places = |scene: &RandomScene| {
            let corners = scene.draws.iter().flat_map(|d| &d.vertices).flat_map(|v| v.position);
            corners.map(f32::to_bits).collect::<Vec<_>>()
        };
        let mut seen = std::collections::BTreeSet::new();
        for seed in 0..40 {
            let kinds = [make_merging(seed, None), make_splitting(seed, None), make_hiding(seed, None)];
            assert!(kinds.iter().all(|scene| scene.seed == seed && seen.insert(places(scene))), "seed {seed}");
        }
    }

    /// Frames have as many draws as people make, and every set of options is drawn by some seed.
    #[test]
    fn frames_have_many_draws_and_any_set() {
        let mut sets = std::collections::BTreeSet::new();
        for seed in 0..1500 {
            let scene = make_frame(seed, None);
            assert!((20..=60).contains(&scene.draws.len()) && scene.can_be(), "seed {seed}");
            assert!(scene.machines.contains(&scene.machine), "seed {seed}");
            sets.insert(format!("{:?}", scene.options));
            if seed < 40 {
                assert_eq!(scene.text(), make_frame(seed, None).text());
            }
        }
        let missing: Vec<_> = frame_sets().filter(|set| !sets.contains(&format!("{:?}", set.options))).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }

    /// In little there is one draw, and the scene can be: the model draws it in lockstep with the
    /// machine in `fuzz --small`.
    #[test]
    fn scenes_in_little_are_small_and_can_be() {
        for (set, seed) in SPLIT_SETS.iter().flat_map(|set| (0..20).map(move |seed| (set, seed))) {
            let whole = make_splitting(seed, Some(set));
            let scene = whole.clone().in_little();
            assert!((8..=16).contains(&scene.width) && (8..=16).contains(&scene.height));
            assert!(scene.draws.len() == 1 && scene.draws[0].corners.len() <= 12 && scene.frames == 1);
            assert!(scene.can_be() && scene.options == whole.options, "{} {seed}", set.name);
        }
    }

    /// With fewer slots no groups merge (MS-42), and a set of theirs would test nothing.
    #[test]
    fn pairs_of_groups_have_eight_slots() {
        for (set, seed) in SPLIT_SETS.iter().flat_map(|set| (0..20).map(move |seed| (set, seed))) {
            let scene = make_splitting(seed, Some(set));
            let value = |key| scene.machine.iter().find(|option| option.0 == key).map(|option| option.1);
            let warps: u32 = value("warps").unwrap().parse().unwrap();
            assert!(warps >= if set.name.starts_with("both-") { 8 } else { 4 }, "{} {seed}: {warps}", set.name);
        }
    }

    /// A scene is shrunk to a machine of those that it may be drawn on.
    #[test]
    fn sets_know_their_machines() {
        for seed in 0..20 {
            let merging = MERGE_SETS.iter().map(|set| make_merging(seed, Some(set)));
            let splitting = SPLIT_SETS.iter().map(|set| make_splitting(seed, Some(set)));
            let free = [make(seed), make_merging(seed, None), make_splitting(seed, None)];
            for scene in merging.chain(splitting).chain(free) {
                assert!(scene.machines.contains(&scene.machine), "seed {seed}: {:?}", scene.options);
            }
        }
    }

    /// Each smaller scene has another text, and one with nothing to leave out ends the list.
    #[test]
    fn smaller_scenes_are_smaller() {
        for seed in 0..20 {
            let scene = make(seed);
            let all = scene.smaller();
            assert!(!all.is_empty());
            assert!(all.iter().all(|s| s.text() != scene.text()), "seed {seed}");
            let mut least = scene;
            for _ in 0..100_000 {
                let Some(next) = least.smaller().into_iter().next() else { break };
                least = next;
            }
            assert!(least.smaller().is_empty(), "seed {seed} does not end");
        }
    }
}
