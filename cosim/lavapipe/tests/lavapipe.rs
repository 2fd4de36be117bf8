//! Shaders on lavapipe and on us. Without lavapipe the tests say so and pass.

use quadlock_lavapipe::case::{Case, Outcome};
use quadlock_lavapipe::vulkan::Lavapipe;
use quadlock_lavapipe::wgsl;

fn lavapipe() -> Option<Lavapipe> {
    Lavapipe::open().map_err(|e| println!("skipped: no lavapipe ({e})")).ok()
}

fn check(cases: impl Iterator<Item = Case>) {
    let Some(reference) = lavapipe() else { return };
    for case in cases {
        let outcome = case.run(&reference);
        assert!(outcome == Outcome::Equal, "{}: {outcome:?}\n{}", case.name, case.text);
    }
}

#[test]
fn random_wgsl() {
    check((0..100).map(wgsl::case));
}
