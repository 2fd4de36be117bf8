//! Shaders on lavapipe, on us, and by the interpreter. Without lavapipe or spirv-val the tests say
//! so and pass, unless QUADLOCK_REQUIRE_PEERS is set.

use quadlock_lavapipe::case::{Case, Outcome, Source};
use quadlock_lavapipe::vulkan::Lavapipe;
use quadlock_lavapipe::{glsl, integers, shapes, valid, wgsl};
use quadlock_shader::front::Lang;
use quadlock_shader::interface::Stage;
use quadlock_testkit::peers;
use quadlock_testkit::tier::cases;

fn lavapipe() -> Option<Lavapipe> {
    let reference = Lavapipe::open().map_err(|e| peers::missing(&format!("lavapipe ({e})"))).ok()?;
    // Without spirv-val a module that is not valid is undefined: generated ones may be.
    peers::installed("spirv-val").then_some(reference)
}

/// Runs what is valid until `want` have run; returns how many have.
fn check(reference: &Lavapipe, cases: impl Iterator<Item = Case>, want: usize) -> usize {
    let mut run = 0;
    for case in cases {
        if valid::valid(&case.module).unwrap().is_err() {
            continue;
        }
        let outcome = case.run(reference);
        assert!(outcome.passed(), "{}: {outcome:?}\n{}", case.name, case.text);
        if outcome != Outcome::Equal {
            println!("{}: {outcome:?}", case.name);
        }
        run += 1;
        if run == want {
            break;
        }
    }
    run
}

#[test]
fn random_wgsl() {
    let Some(reference) = lavapipe() else { return };
    assert_eq!(check(&reference, (0..100).map(wgsl::case), cases(25, 100)), cases(25, 100));
}

/// Beside what the generator says without glslang and SPIR-V.
#[test]
fn random_glsl() {
    let Some(reference) = lavapipe() else { return };
    assert_eq!(check(&reference, (0..60).map(glsl::case), cases(12, 60)), cases(12, 60));
}

#[test]
fn what_an_optimiser_makes_of_glsl() {
    let Some(reference) = lavapipe() else { return };
    assert_eq!(check(&reference, (0..40).map(glsl::optimised), cases(10, 40)), cases(10, 40));
}

#[test]
fn random_nestings() {
    let Some(reference) = lavapipe() else { return };
    assert_eq!(check(&reference, (0..400).map(shapes::random), cases(25, 100)), cases(25, 100));
}

/// Each by name: valid, accepted by us, equal to the interpreter, run by lavapipe.
#[test]
fn every_shape() {
    let Some(reference) = lavapipe() else { return };
    for (name, _) in shapes::SHAPES {
        let run = check(&reference, (0..20).map(|seed| shapes::named(name, seed)), 3);
        assert_eq!(run, 3, "{name}: too few are valid");
    }
}

/// Eight signs of each opcode; spirv-val refuses what SPIR-V does not allow.
#[test]
fn integer_opcodes() {
    let Some(reference) = lavapipe() else { return };
    assert!(check(&reference, integers::all().into_iter(), usize::MAX) >= 280);
}

#[test]
fn the_same_seed_is_the_same_shader() {
    for seed in 0..20 {
        assert_eq!(wgsl::case(seed).module, wgsl::case(seed).module);
        assert_eq!(glsl::case(seed).module, glsl::case(seed).module);
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
/// exclusive or in the state of the control flow, a minus for a plus in WGSL and GLSL.
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
    let mut case = glsl::case(3);
    let text = case.text.replace(" + ", " - ");
    case.ours = vec![Source { lang: Lang::Glsl(Stage::Compute), bytes: text.into_bytes() }];
    assert!(matches!(case.run(&reference), Outcome::Different(_)));
}
