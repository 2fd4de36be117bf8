//! What is written is read back, and damaged files are errors.

use super::*;
use crate::interface::{
    Assumption, Binding, BindingKind, BufferMember, Derived, Interface, Numbers, SemaphoreUse, Specialisation, Stage,
    Step,
};
use crate::ssa::Loc;
use rand::{Rng, SeedableRng};

fn sample() -> ShaderBinary {
    ShaderBinary {
        code: quadlock_isa::assemble("sample", "FDIV r1, r2, c[72]\nIADD r4, r1, r1\nEND").unwrap().code,
        interface: Interface {
            stage: Stage::Compute,
            entry: "main".into(),
            group_size: [8, 4, 1],
            bindings: vec![Binding {
                name: "data".into(),
                group: 0,
                binding: 1,
                kind: BindingKind::StorageReadWrite,
                index: 0,
                min_bytes: 4,
                stride: 4,
                const_at: 0,
                const_words: 0,
                members: vec![],
            }],
            shared_bytes: 64,
            pinned: true,
            stack_bytes: 16,
            registers: 9,
            public_cutoff: 9,
            public_bitmap: 0,
            alone: 0,
            position: 0,
            merge_at: None,
            split_at: None,
            constants: vec![(72, 0xDEAD_BEEF), (73, 1)],
            function_unit: true,
            semaphores: SemaphoreUse {
                polling: true,
                locks: true,
                dependencies: false,
                loops: vec![1, 2],
                done: Some(vec![2]),
            },
            warnings: vec!["a.wgsl:3:7: look out".into()],
            graphics: None,
            derived: None,
            specialisation: None,
            values: [("SIZE".to_string(), 16.into()), ("3".to_string(), true.into())].into(),
        },
        lines: vec![Loc::default(), Loc::at(0, 3, 7), Loc::at(1, 1, 1)],
        files: vec!["a.wgsl".into(), "b.glsl".into()],
        labels: vec![(0, "block0".into()), (2, "block1".into())],
    }
}

#[test]
fn derived_uniforms_and_assumptions_are_read_back() {
    assert_eq!(ShaderBinary::read(&with_parts()), Ok(whole()));
}

#[test]
fn what_is_written_is_read_back() {
    assert_eq!(ShaderBinary::read(&sample().write()), Ok(sample()));
    assert_eq!(sample().position(1).as_deref(), Some("a.wgsl:3:7"));
    assert_eq!(sample().position(0), None);
}

#[test]
fn another_machines_elf_is_refused_by_number() {
    let mut bytes = sample().write();
    bytes[18..20].copy_from_slice(&243u16.to_le_bytes());
    assert_eq!(ShaderBinary::read(&bytes), Err(BinaryError::Machine { found: 243 }));
    // A program of 64 bits, too.
    (bytes[4], bytes[18]) = (2, 62);
    assert_eq!(ShaderBinary::read(&bytes), Err(BinaryError::Machine { found: 62 }));
}

/// A binary without files has no debug sections, and one that lost them is still a program.
#[test]
fn without_debug_sections_positions_are_unknown() {
    let bare = ShaderBinary { files: vec![], lines: vec![Loc::default(); 3], ..sample() };
    let bytes = bare.write();
    assert!(!bytes.windows(6).any(|w| w == b".debug"));
    assert_eq!(ShaderBinary::read(&bytes), Ok(bare));
}

/// Lines without a file, words of SPIR-V, lines and columns without bounds, names as they come.
#[test]
fn positions_of_every_kind_are_read_back() {
    let lines = vec![Loc::at(1, 0, 70_000), Loc::at(1, u32::MAX, u32::MAX), Loc::at(0, 1, 0)];
    let files = vec!["".into(), "/ein langer/Weg/\u{fc}ber.wgsl".into(), "unused".into()];
    let all = ShaderBinary { lines, files, ..sample() };
    assert_eq!(ShaderBinary::read(&all.write()), Ok(all));
    // Files of one name are one file; a zero byte ends no name, and is not kept.
    let twins = vec!["a".to_owned(), "a\0".to_owned(), "b".to_owned()];
    let at = |file| Loc::at(file, 2, 1);
    let twice = ShaderBinary { files: twins, lines: vec![at(0), at(1), at(2)], ..sample() };
    let read = ShaderBinary::read(&twice.write()).unwrap();
    assert_eq!((read.files, read.lines), (vec!["a".to_owned(), "b".to_owned()], vec![at(0), at(0), at(1)]));
}

#[test]
fn programs_end_where_the_next_begins() {
    let mut binary = ShaderBinary { code: vec![0; 10], ..sample() };
    let named = |list: &[(&str, std::ops::Range<u32>)]| -> Vec<_> {
        list.iter().map(|(name, extent)| ((*name).to_owned(), extent.clone())).collect()
    };
    assert_eq!(binary.functions(), named(&[("main", 0..10)]));
    (binary.interface.position, binary.interface.alone) = (4, 7);
    assert_eq!(binary.functions(), named(&[("main", 0..4), ("main.position", 4..7), ("main.alone", 7..10)]));
    // A damaged interface names no instruction of the program.
    binary.interface.alone = 10;
    assert_eq!(binary.functions(), named(&[("main", 0..4), ("main.position", 4..10)]));
}

/// With derived uniforms and assumptions.
pub(super) fn whole() -> ShaderBinary {
    let mut binary = sample();
    let member =
        BufferMember { name: "x".into(), word: 2, words: 1, numbers: Some(Numbers::Float), kinds: String::new() };
    binary.interface.bindings.push(Binding {
        name: "numbers".into(),
        group: 0,
        binding: 2,
        kind: BindingKind::Uniform,
        index: 1,
        min_bytes: 16,
        stride: 0,
        const_at: 74,
        const_words: 4,
        members: vec![member],
    });
    binary.interface.derived = Some(Derived {
        steps: vec![Step::Uniform(0, 2, 2), Step::Const(7), Step::Op("IADD".into(), vec![0, 1])],
        words: vec![(80, 2)],
        names: vec![(0, "x".into())],
        readings: vec![(2, 0, "y".into())],
    });
    let assumption = Assumption { step: 0, holds: true, place: "a.wgsl:3:7".into(), text: "flag".into() };
    binary.interface.specialisation =
        Some(Specialisation { steps: vec![Step::Uniform(0, 2, 3)], assumptions: vec![assumption] });
    binary
}

/// With every part of the interface that has a section of its own.
fn with_parts() -> Vec<u8> {
    whole().write()
}

#[test]
fn parts_of_the_interface_have_sections() {
    let bytes = with_parts();
    let there = names(&bytes);
    for (key, section) in parts::MOVED {
        assert!(there.iter().any(|n| n == section) && !names(&sample().write()).iter().any(|n| n == section), "{key}");
        let mut damaged = bytes.clone();
        damaged[place(&bytes, section).start] = b'}';
        let why = ShaderBinary::read(&damaged).unwrap_err().to_string();
        assert!(why.contains(section), "{why}");
    }
    assert!(ShaderBinary::read(&bytes).is_ok());
}

/// Every section of a file has a row in the table, and the page has the table.
#[test]
fn the_page_has_the_table_of_sections() {
    let mut page = std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    page.push("../../docs/shader-binary.md");
    let page = std::fs::read_to_string(page).unwrap();
    for (name, when, content) in SECTIONS {
        let names: Vec<String> = name.split(", ").map(|n| format!("`{n}`")).collect();
        let row = format!("| {} | {when} | {content} |", names.join(", "));
        assert!(page.contains(&row), "docs/shader-binary.md lacks the row\n{row}");
    }
    let known: Vec<&str> = SECTIONS.iter().flat_map(|s| s.0.split(", ")).collect();
    for name in names(&with_parts()) {
        assert!(known.contains(&name.as_str()), "{name} is not in the table");
    }
}

fn names(bytes: &[u8]) -> Vec<String> {
    use object::{Object, ObjectSection};
    let elf = object::read::elf::ElfFile32::<object::Endianness>::parse(bytes).unwrap();
    let of_elf = [".shstrtab"];
    elf.sections().map(|s| s.name().unwrap().to_owned()).filter(|n| !of_elf.contains(&n.as_str())).collect()
}

/// Where a section's bytes are.
fn place(bytes: &[u8], name: &str) -> std::ops::Range<usize> {
    use object::{Object, ObjectSection};
    let elf = object::read::elf::ElfFile32::<object::Endianness>::parse(bytes).unwrap();
    let (at, size) = elf.section_by_name(name).unwrap().file_range().unwrap();
    at as usize..(at + size) as usize
}

/// Every position that is read back is one that can be shown.
fn taken(bytes: &[u8]) -> bool {
    let Ok(binary) = ShaderBinary::read(bytes) else { return false };
    assert_eq!(binary.lines.len(), binary.code.len());
    let known = binary.lines.iter().filter(|l| l.line != 0);
    assert!(known.clone().all(|l| usize::from(l.file) < binary.files.len()));
    let _ = disassembly(&binary, &|_| None);
    true
}

/// Cut and damaged files give an error or a binary, never a panic.
#[test]
fn damaged_files_are_errors() {
    let good = with_parts();
    for n in 0..good.len() {
        assert!(!taken(&good[..n]), "of {} bytes {n} are enough", good.len());
    }
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(1);
    for _ in 0..4000 {
        let mut bytes = good.clone();
        for _ in 0..rng.random_range(1..4) {
            let at = rng.random_range(0..bytes.len());
            bytes[at] = rng.random();
        }
        taken(&bytes);
    }
}

/// Damage in one section at a time, which few random bytes of a whole file are: most of a file is
/// JSON. Each byte of the line table is tried with values that mean much there.
#[test]
fn damaged_sections_are_errors() {
    let good = with_parts();
    let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(2);
    for name in names(&good) {
        let place = place(&good, &name);
        for _ in 0..1000 {
            let mut bytes = good.clone();
            for _ in 0..rng.random_range(1..6) {
                bytes[rng.random_range(place.clone())] = rng.random();
            }
            taken(&bytes);
        }
    }
    let mut refused = 0;
    for at in place(&good, ".debug_line") {
        for byte in [0, 1, 2, 0x7F, 0x80, 0xFF] {
            let mut bytes = good.clone();
            bytes[at] = byte;
            refused += u32::from(!taken(&bytes));
        }
    }
    assert!(refused > 100, "{refused} refused");
}

/// A table that asks for more memory than its header has bytes is refused before it is read.
#[test]
fn a_line_table_of_many_files_is_refused() {
    let names = (0..300_000).map(|n| n.to_string()).collect();
    let many = ShaderBinary { files: names, ..sample() };
    let why = ShaderBinary::read(&many.write()).unwrap_err().to_string();
    assert!(why.contains(".debug_line") && why.contains("are the most"), "{why}");
}

/// What the disassembly prints goes through the assembler, and the words are the same.
#[test]
fn the_disassembly_says_all_and_can_be_assembled() {
    let binary = sample();
    let source = |file: &str| (file == "a.wgsl").then(|| "one\ntwo\n  three = 3;\n".to_owned());
    let text = disassembly(&binary, &source);
    let said = [
        "compute, entry point main",
        "9 used, cutoff 9",
        "8 x 4 x 1, on one warp unit",
        "data",
        "storage, read and write",
        "c72   0xdeadbeef  -559038737",
        "a.wgsl:3 three = 3;",
        "b.glsl:1",
        "block1:",
        "; 1    column 7",
        "a.wgsl:3:7: look out",
        "SIZE = 16",
        "instructions 1, 2",
    ];
    for words in said {
        assert!(text.contains(words), "no `{words}` in\n{text}");
    }
    assert_eq!(quadlock_isa::assemble("text", &text).unwrap().code, binary.code, "{text}");
}
