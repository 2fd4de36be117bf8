//! Every number of a good binary is damaged in turn, and the file is refused with the section and
//! the item. A rule that does not refuse is wrong, and so is one that names another item.

use super::parts::{CONSTANTS, INTERFACE, SYMBOLS, TEXT};
use super::tests::whole;
use super::{disassembly, BinaryError, ShaderBinary};
use crate::interface::{Beside, Binding, BindingKind, Derived, GraphicsInterface, Interpolation, Numbers};
use crate::interface::{Sampling, Stage, Step, Varying};

const DERIVED: &str = ".quadlock.derived";
const ASSUMED: &str = ".quadlock.specialisation";

/// The file of a changed binary is refused, for what is wrong in that section.
fn refused(good: &ShaderBinary, section: &str, says: &str, damage: impl FnOnce(&mut ShaderBinary)) {
    let mut bad = good.clone();
    damage(&mut bad);
    refused_file(&bad.write(), section, says);
}

fn refused_file(bytes: &[u8], section: &str, says: &str) {
    match ShaderBinary::read(bytes) {
        Err(BinaryError::Damaged { section: found, what }) => {
            assert!(found == section && what.contains(says), "{section}: {says}\n{found}: {what}");
        }
        other => panic!("{section}, {says}: {other:?}"),
    }
}

/// What a refusal says, and the damage.
type Damages<'a, T> = &'a [(&'a str, fn(&mut T))];

fn op(name: &str, args: &[u32]) -> Step {
    Step::Op(name.into(), args.to_vec())
}

fn with_steps(b: &mut ShaderBinary) -> &mut Derived {
    b.interface.derived.as_mut().unwrap()
}

#[test]
fn steps_that_are_no_program_are_refused() {
    let no = |says: &str, step: Step| refused(&whole(), DERIVED, says, |b| with_steps(b).steps[2] = step);
    no("`x` is no operation", op("x", &[0, 1]));
    no("`LD` is no operation", op("LD", &[0]));
    no("`QSHUF` is no operation", op("QSHUF", &[0, 1]));
    no("number 2: it reads step 65536", op("FADD", &[0, 65536]));
    no("it reads step 2,", op("FADD", &[0, 2]));
    no("it reads step 4294967295", op("FADD", &[0, u32::MAX]));
    no("FADD of 3 operands, it has 2", op("FADD", &[0, 1, 0]));
    no("FADD of 60 operands", op("FADD", &[1; 60]));
    no("FFMA of 2 operands", op("FFMA", &[0, 0]));
    no("word 1000000000 of a uniform buffer", Step::Uniform(0, 2, 1_000_000_000));
    no("`data` (group 0 binding 1) is no uniform buffer", Step::Uniform(0, 1, 0));
    // A buffer of another program of the draw.
    let mut good = whole();
    with_steps(&mut good).steps[0] = Step::Uniform(3, 4, 5);
    assert_eq!(ShaderBinary::read(&good.write()), Ok(good));
}

#[test]
fn words_of_derived_uniforms_are_free_words() {
    let no = |says: &str, words: &[(u32, u32)]| {
        refused(&whole(), DERIVED, says, |b| with_steps(b).words = words.to_vec());
    };
    no("c65536 is outside", &[(65536, 2)]);
    no("c1024 is outside", &[(1024, 2)]);
    no("c0 is outside", &[(0, 2)]);
    no("c71 is outside", &[(71, 2)]);
    no("c80 is step 4294967295 of 3", &[(80, u32::MAX)]);
    no("c80 is step 3 of 3", &[(80, 3)]);
    no("c80 has two values", &[(80, 2), (81, 2), (80, 2)]);
    no("c80 has two values", &[(80, 2), (80, 1)]);
    no("c72 has two values", &[(72, 2)]);
    // A word of a buffer that the program does not need.
    let mut good = whole();
    with_steps(&mut good).words = vec![(75, 2), (1023, 1)];
    assert_eq!(ShaderBinary::read(&good.write()), Ok(good));
}

#[test]
fn assumptions_are_steps() {
    let no = |says: &str, damage: fn(&mut crate::interface::Specialisation)| {
        refused(&whole(), ASSUMED, says, |b| damage(b.interface.specialisation.as_mut().unwrap()));
    };
    no("number 0: step 1000000000 of 1", |s| s.assumptions[0].step = 1_000_000_000);
    no("number 0: step 0 of 0", |s| s.steps.clear());
    no("it reads step 0,", |s| s.steps[0] = op("FSQRT", &[0]));
}

#[test]
fn constants_have_one_value_each() {
    let no = |says: &str, word: u32| {
        refused(&whole(), CONSTANTS, says, |b| b.interface.constants = vec![(72, 1), (word, 2)]);
    };
    no("c4 is outside", 4);
    no("c4294967295 is outside", u32::MAX);
    no("c72 has two values", 72);
    no("c77 has two values", 77);
}

#[test]
fn numbers_of_the_interface_have_bounds() {
    let all: Damages<crate::interface::Interface> = &[
        ("`registers` is 65536", |i| i.registers = 65536),
        ("`registers` is 33", |i| i.registers = 33),
        ("`public_cutoff` is 1000000000", |i| i.public_cutoff = 1_000_000_000),
        ("`stack_bytes` is 2147483648", |i| i.stack_bytes = 1 << 31),
        ("`stack_bytes` is 8", |i| i.stack_bytes = 8),
        ("`group_size`: 0 invocations", |i| i.group_size = [4, 0, 1]),
        ("`group_size`: 2048 invocations", |i| i.group_size = [64, 32, 1]),
        ("`group_size`: 18446744073709551615", |i| i.group_size = [u32::MAX; 3]),
        ("`pinned`", |i| i.pinned = false),
        ("`alone`: instruction 3 of 3", |i| i.alone = 3),
        ("`position`: instruction 4000000000", |i| i.position = 4_000_000_000),
        ("both instruction 1", |i| (i.alone, i.position) = (1, 1)),
        ("`position` of a compute program", |i| i.position = 1),
        ("`merge_at`: instruction 4", |i| i.merge_at = Some(Beside::Counter(4))),
        ("`merge_at` of a compute program", |i| i.merge_at = Some(Beside::Count(4))),
        ("`split_at` of a compute program", |i| i.split_at = Some(Beside::Counter(1))),
        ("`graphics` of a compute program", |i| i.graphics = Some(GraphicsInterface::default())),
        ("`semaphores.loops`: instruction 3", |i| i.semaphores.loops = vec![1, 3]),
        ("`semaphores.done`: instruction 70000", |i| i.semaphores.done = Some(vec![70_000])),
    ];
    for (says, damage) in all {
        refused(&whole(), INTERFACE, says, |b| damage(&mut b.interface));
    }
    refused(&whole(), TEXT, "65537 instructions", |b| {
        b.code = vec![0; 65537];
        b.lines = vec![crate::ssa::Loc::default(); 65537];
    });
}

#[test]
fn buffers_have_places_of_their_own() {
    let all: Damages<Vec<Binding>> = &[
        ("c74 to c1000000073", |b| b[1].const_words = 1_000_000_000),
        ("c4294967295 to c4294967298", |b| b[1].const_at = u32::MAX),
        ("c8 to c11", |b| b[1].const_at = 8),
        ("`const_words` 5 of 16 bytes", |b| b[1].const_words = 5),
        ("of a storage buffer", |b| (b[0].const_at, b[0].const_words) = (80, 1)),
        ("`index` 32, entries", |b| b[1].index = 32),
        ("`index` 0 is another", |b| b[1].index = 0),
        ("`numbers` (group 0 binding 1): its number is another", |b| b[1].binding = 1),
        ("its number is another", |b| (b[1].binding, b[1].kind, b[1].const_words) = (1, BindingKind::StorageRead, 0)),
        ("`x`: up to word 4294967296", |b| b[1].members[0].word = u32::MAX),
        ("`x`: up to word 5 of 16 bytes", |b| b[1].members[0].words = 3),
        ("33 buffers", |b| *b = vec![b[0].clone(); 33]),
        ("c77 is another buffer's", |b| {
            let more = Binding { binding: 3, index: 2, const_at: 77, ..b[1].clone() };
            b.push(more);
        }),
    ];
    for (says, damage) in all {
        refused(&whole(), INTERFACE, says, |b| damage(&mut b.interface.bindings));
    }
}

/// An array of buffers has one number, and its elements follow each other.
#[test]
fn an_array_of_buffers_is_taken() {
    let mut good = whole();
    let element =
        |n: u32| Binding { name: format!("all[{n}]"), binding: 7, index: 2 + n, ..good.interface.bindings[0].clone() };
    let elements: Vec<Binding> = (0..3).map(element).collect();
    good.interface.bindings.extend(elements);
    assert_eq!(ShaderBinary::read(&good.write()), Ok(good.clone()));
    refused(&good, INTERFACE, "its number is another", |b| b.interface.bindings[4].name = "all[7]".into());
    refused(&good, INTERFACE, "its number is another", |b| b.interface.bindings[3].name = "other[1]".into());
}

/// A program of that text, with an output or an input.
fn program(stage: Stage, text: &str) -> ShaderBinary {
    let mut binary = whole();
    binary.code = quadlock_isa::assemble("text", text).unwrap().code;
    binary.lines = vec![crate::ssa::Loc::default(); binary.code.len()];
    binary.labels.clear();
    let interface = &mut binary.interface;
    (interface.stage, interface.group_size) = (stage, [1; 3]);
    (interface.semaphores, interface.pinned, interface.shared_bytes) = (Default::default(), false, 0);
    if stage != Stage::Compute {
        let varying = Varying {
            location: 0,
            component: 1,
            word: 4,
            numbers: Numbers::Float,
            interpolation: Interpolation::Perspective,
            sampling: Sampling::Centre,
        };
        interface.graphics = Some(GraphicsInterface { varyings: vec![varying], ..GraphicsInterface::default() });
    }
    binary
}

#[test]
fn the_code_shows_the_stage() {
    let fragment = program(Stage::Fragment, "ATTR r0, #4\nOUT #0, r0\nEND");
    let vertex = program(Stage::Vertex, "OUT #0, r0\nOUT #12, r0\nEND");
    for good in [&fragment, &vertex] {
        assert_eq!(ShaderBinary::read(&good.write()).as_ref(), Ok(good));
    }
    let says = "`stage` is vertex, but instruction 0 is ATTR 4";
    refused(&fragment, INTERFACE, says, |b| b.interface.stage = Stage::Vertex);
    let says = "`stage` is fragment, but instruction 1 is OUT 12";
    refused(&vertex, INTERFACE, says, |b| b.interface.stage = Stage::Fragment);
    let compute = |b: &mut ShaderBinary| (b.interface.stage, b.interface.graphics) = (Stage::Compute, None);
    refused(&fragment, INTERFACE, "is compute, but instruction 0 is ATTR", compute);
    refused(&vertex, INTERFACE, "is compute, but instruction 0 is OUT", compute);
    let divides = program(Stage::Compute, "FDIV r0, r1, r2\nEND");
    refused(&divides, INTERFACE, "`function_unit` is false", |b| b.interface.function_unit = false);
}

#[test]
fn varyings_are_words_that_can_be_named() {
    let good = program(Stage::Fragment, "ATTR r0, #4\nOUT #0, r0\nEND");
    let all: Damages<Vec<Varying>> = &[
        ("location 0 component 4: components", |v| v[0].component = 4),
        ("`word` 63, not 4 to 62", |v| v[0].word = 63),
        ("`word` 3,", |v| v[0].word = 3),
        ("it is there twice", |v| v.push(v[0])),
    ];
    for (says, damage) in all {
        refused(&good, INTERFACE, says, |b| damage(&mut b.interface.graphics.as_mut().unwrap().varyings));
    }
}

#[test]
fn symbols_are_those_of_the_interface() {
    let named = |key: &str, value: serde_json::Value| {
        let mut interface = serde_json::to_value(&whole().interface).unwrap();
        interface["constants"] = serde_json::json!([]);
        interface[key] = value;
        whole().bytes(interface)
    };
    refused_file(&named("entry", "other".into()), SYMBOLS, "the table has a program `main` at 0x0");
    refused_file(&named("alone", 1.into()), SYMBOLS, "the interface has a program `main.alone` at 0x8");
    refused(&whole(), SYMBOLS, "a label's name of 257 bytes", |b| b.labels[0].1 = "a".repeat(257));
    // Names of files are cut where they are written, so a file has none that are longer.
    let long = ShaderBinary { files: vec!["\u{fc}".repeat(5000), "b".into()], ..whole() };
    let read = ShaderBinary::read(&long.write()).unwrap();
    assert_eq!((read.files[0].len(), &read.lines), (4096, &long.lines));
}

/// The text of what is taken is as long as the file, times a number that does not grow.
#[test]
fn texts_are_in_proportion_to_the_file() {
    let mut long = whole();
    let doubled = (3..4000).map(|n| op("FADD", &[n - 1, n - 1]));
    with_steps(&mut long).steps.extend(doubled);
    with_steps(&mut long).words = vec![(80, 3999), (81, 2)];
    long.interface.entry = "e".repeat(100_000);
    long.interface.values = (0..4000).map(|n| (n.to_string(), n.into())).collect();
    let file = long.write();
    assert_eq!(ShaderBinary::read(&file).as_ref(), Ok(&long));
    let text = disassembly(&long, &|_| None);
    assert!(text.len() < 4 * file.len(), "{} bytes of {}", text.len(), file.len());
}
