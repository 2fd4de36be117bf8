//! Shaders on lavapipe and on us. Without lavapipe the tests say so and pass.

use quadlock_lavapipe::case::{Case, Outcome, Source};
use quadlock_lavapipe::vulkan::Lavapipe;
use quadlock_lavapipe::{integers, shapes, valid, wgsl};
use quadlock_shader::front::Lang;

fn lavapipe() -> Option<Lavapipe> {
    Lavapipe::open().map_err(|e| println!("skipped: no lavapipe ({e})")).ok()
}

/// Runs what is valid; returns how many were equal.
fn check(cases: impl Iterator<Item = Case>) -> usize {
    let Some(reference) = lavapipe() else { return usize::MAX };
    let mut equal = 0;
    for case in cases {
        // Without spirv-val a module that is not valid is undefined: generated ones may be.
        match valid::valid(&case.module) {
            Some(Ok(())) => {}
            Some(Err(_)) => continue,
            None => {
                println!("skipped: no spirv-val");
                return usize::MAX;
            }
        }
        let outcome = case.run(&reference);
        assert!(outcome == Outcome::Equal, "{}: {outcome:?}\n{}", case.name, case.text);
        equal += 1;
    }
    equal
}

#[test]
fn random_wgsl() {
    assert!(check((0..100).map(wgsl::case)) >= 100);
}

#[test]
fn random_nestings() {
    assert!(check((0..160).map(shapes::random)) >= 60);
}

#[test]
fn every_shape() {
    let seeds = |name| (0..2).map(move |seed| shapes::named(name, seed));
    assert!(check(shapes::SHAPES.iter().flat_map(|s| seeds(s.0))) >= 50);
}

/// Eight signs of each opcode; spirv-val refuses what SPIR-V does not allow.
#[test]
fn integer_opcodes() {
    assert!(check(integers::all().into_iter()) >= 280);
}

#[test]
fn the_same_seed_is_the_same_shader() {
    for seed in 0..20 {
        assert_eq!(wgsl::case(seed).module, wgsl::case(seed).module);
        assert_eq!(shapes::random(seed).module, shapes::random(seed).module);
        assert_ne!(shapes::random(seed).module, shapes::random(seed + 1).module);
    }
}

/// A module with each opcode `from` turned into `to`.
fn changed(words: &[u32], from: u32, to: u32) -> Vec<u32> {
    let (mut out, mut at) = (words.to_vec(), 5);
    while at < out.len() {
        let (count, op) = ((out[at] >> 16) as usize, out[at] & 0xFFFF);
        if op == from {
            out[at] = out[at] & 0xFFFF_0000 | to;
        }
        at += count;
    }
    out
}

/// One side gets another module: an unsigned division for a signed one, an addition for an
/// exclusive or in the state of the control flow, a minus for a plus in WGSL.
#[test]
fn planted_mistakes_are_seen() {
    let Some(reference) = lavapipe() else { return };
    let differs = |mut case: Case, from, to| {
        let module = changed(&case.module, from, to);
        assert_ne!(module, case.module, "{}", case.name);
        case.ours = vec![Source::spirv(&module)];
        matches!(case.run(&reference), Outcome::Different(_))
    };
    let division = integers::all().into_iter().find(|c| c.text.starts_with("OpSDiv")).unwrap();
    assert!(differs(division, 135, 134));
    assert!(differs(shapes::named("while", 1), 198, 128));
    let mut case = wgsl::case(3);
    let text = case.text.replace(" + ", " - ");
    case.ours = vec![Source { lang: Lang::Wgsl, bytes: text.into_bytes() }];
    assert!(matches!(case.run(&reference), Outcome::Different(_)));
}
