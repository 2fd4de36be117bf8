//! The same shader in WGSL, GLSL and SPIR-V becomes the same number of instructions, within 3 %
//! ([`alike`]).
//! SPIR-V is what naga's writer makes of the WGSL: of the examples, and of the shaders in `pairs`,
//! beside which GLSL stands that was written by hand to do the same in the same order.
//!
//! Wrong would be pairs that do not do the same: their results on the golden model are compared.

use crate::common::run;
use crate::random_spirv::spirv;
use quadlock_shader::front::{self, Lang};
use quadlock_shader::{compile, CompileRequest, Compiled};
use std::path::{Path, PathBuf};

/// Shaders that have a pair, work groups, and words of each buffer.
const PAIRS: &[(&str, [u32; 3], &[usize])] = &[
    ("saxpy", [3, 1, 1], &[3, 40, 40]),
    ("blur", [3, 1, 1], &[97, 96]),
    ("escape", [2, 2, 1], &[256]),
    ("bins", [3, 1, 1], &[96, 16]),
    ("bodies", [1, 1, 1], &[64, 32]),
    ("states", [2, 1, 1], &[40, 32]),
];

fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn compiled(name: &str, source: &[u8], entry: Option<&str>) -> Compiled {
    let request = CompileRequest { entry, ..CompileRequest::new(name, source) };
    compile(&request).unwrap_or_else(|e| panic!("{name}: {e}"))
}

fn size(c: &Compiled) -> usize {
    c.binary.code.len()
}

/// Within 3 % of each other, or one instruction: the atomic load and store of SPIR-V are atomics by
/// their opcode and need a register for an operand, which WGSL's plain load and store do not.
fn alike(sizes: &[usize]) -> bool {
    let (least, most) = (sizes.iter().min().unwrap(), sizes.iter().max().unwrap());
    most - least <= 1 || (most - least) * 100 <= 3 * least
}

/// Words for a buffer, the same for each language: floats from -4 to 4 have small exponents, and as
/// integers they have bits of all kinds.
fn words(count: usize, seed: u32) -> Vec<u32> {
    let random = |k: usize| (k as u32).wrapping_mul(2_654_435_761).wrapping_add(seed * 40_503) >> 8;
    (0..count).map(|k| (random(k) as f32 / (1 << 21) as f32 - 4.0).to_bits()).collect()
}

#[test]
fn a_shader_is_as_long_and_does_the_same_in_each_language() {
    for (name, groups, buffers) in PAIRS {
        let text = |ending: &str| std::fs::read_to_string(here(&format!("tests/pairs/{name}.{ending}"))).unwrap();
        let (wgsl, glsl) = (text("wgsl"), text("comp"));
        let all = [
            compiled("a.wgsl", wgsl.as_bytes(), None),
            compiled("a.comp", glsl.as_bytes(), None),
            compiled("a.spv", &spirv(&wgsl), None),
        ];
        let sizes: Vec<usize> = all.iter().map(size).collect();
        println!("{name}: {sizes:?} instructions of WGSL, GLSL, SPIR-V");
        assert!(alike(&sizes), "{name}: {sizes:?}\n{}\n{}\n{}", all[0].asm, all[1].asm, all[2].asm);
        let data: Vec<(u32, Vec<u32>)> =
            buffers.iter().enumerate().map(|(k, &n)| (k as u32, words(n, k as u32 + 1))).collect();
        let done = all.each_ref().map(|c| run(c, *groups, &data).buffers);
        assert_ne!(done[0], data, "{name} does nothing");
        assert_eq!(done[0], done[1], "{name}: GLSL does something else");
        assert_eq!(done[0], done[2], "{name}: SPIR-V does something else");
    }
}

/// Entry points of a text.
fn entries(name: &str, source: &[u8]) -> Vec<String> {
    match front::parse(name, source, Lang::Wgsl, None) {
        Ok(p) => vec![p.entry_name().to_owned()],
        Err(e) => {
            let list = e.0[0].help.strip_prefix("name one of: ").unwrap_or_else(|| panic!("{e}"));
            list.split(", ").map(str::to_owned).collect()
        }
    }
}

/// Those that use no functions of ours: naga's writer knows none.
#[test]
fn the_examples_are_as_long_by_way_of_spirv() {
    let (mut found, mut longer) = (0, vec![]);
    for folder in std::fs::read_dir(here("../../examples")).unwrap().flatten().filter(|f| f.path().is_dir()) {
        for file in std::fs::read_dir(folder.path()).unwrap().flatten() {
            let path = file.path();
            let text = match path.extension() {
                Some(e) if e == "wgsl" => std::fs::read_to_string(&path).unwrap(),
                _ => continue,
            };
            // The stages of scenes are compiled for a pipeline.
            if !text.contains("@compute") || naga::front::wgsl::parse_str(&text).is_err() {
                continue;
            }
            let module = spirv(&text);
            for entry in entries("a.wgsl", text.as_bytes()) {
                let of = |name: &str, source: &[u8]| size(&compiled(name, source, Some(&entry)));
                let sizes = [of("a.wgsl", text.as_bytes()), of("a.spv", &module)];
                println!("{} {entry}: {sizes:?}", path.display());
                found += 1;
                if !alike(&sizes) {
                    longer.push(format!("{} {entry}: {sizes:?}", path.display()));
                }
            }
        }
    }
    assert!(found > 15, "{found}");
    assert!(longer.is_empty(), "{longer:#?}");
}
