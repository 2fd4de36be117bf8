//! Builds glslang's C++ in four units, where `.cargo/config.toml` tells cargo not to run the build
//! script of `glslang-sys`. That script compiles 45 files one by one, each with the same headers,
//! and the reader of HLSL, which nothing here calls (times: docs/compile-time.md). The sources are
//! those of the crate, where cargo unpacked it. It can be wrong by a file that means something else
//! behind another one of its unit; `tests/reads.rs` reads GLSL of every kind through it.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Files and folders of each unit. Two files are units of their own: they define what others do.
const UNITS: [&[&str]; 4] = [
    &["SPIRV"],
    &["glslang/GenericCodeGen", "glslang/MachineIndependent"],
    &["glslang/CInterface/glslang_c_interface.cpp"],
    &[APART],
];
/// Bison's parser, whose macros hide names of the files around it.
const APART: &str = "glslang/MachineIndependent/glslang_tab.cpp";

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    // Has the version of `glslang-sys`.
    println!("cargo:rerun-if-changed=Cargo.toml");
    // Set by `.cargo/config.toml`, through the package that is overridden there.
    println!("cargo:rerun-if-env-changed=DEP_GLSLANG_OVERRIDDEN");
    if std::env::var_os("DEP_GLSLANG_OVERRIDDEN").is_none() {
        return;
    }
    let native = sources().join("native");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let mut build = cc::Build::new();
    build.cpp(true).std("c++17").opt_level(1).warnings(false).flag("-fno-exceptions");
    build.define("ENABLE_SPIRV", "ON").define("ENABLE_OPT", "OFF");
    build.include(native.join("glslang")).include(native.join("build_info"));
    for (number, parts) in UNITS.iter().enumerate() {
        let files = parts.iter().flat_map(|part| files(&native.join("glslang").join(part)));
        let text: String = files.map(|file| format!("#include \"{}\"\n", file.display())).collect();
        let unit = out.join(format!("unit{number}.cpp"));
        std::fs::write(&unit, text).expect("OUT_DIR can be written");
        build.file(unit);
    }
    // Whole: it is called by `glslang-sys`, which some linkers see behind it.
    build.cargo_metadata(false).compile("glslang");
    println!("cargo:rustc-link-search=native={}", out.display());
    println!("cargo:rustc-link-lib=static:+whole-archive=glslang");
    println!("cargo:rustc-link-lib=stdc++");
}

/// The C++ files of a unit at that place, in the order of their names.
fn files(at: &Path) -> Vec<PathBuf> {
    if at.is_file() {
        return vec![at.to_owned()];
    }
    let entries = std::fs::read_dir(at).unwrap_or_else(|e| panic!("{}: {e}", at.display()));
    let mut entries: Vec<PathBuf> = entries.map(|e| e.expect("a folder can be read").path()).collect();
    entries.sort();
    let inside = entries.iter().flat_map(|entry| match entry.is_dir() {
        true => files(entry),
        false => vec![entry.clone()],
    });
    inside.filter(|file| file.extension().is_some_and(|e| e == "cpp") && !file.ends_with(APART)).collect()
}

/// The folder of the crate `glslang-sys`, which cargo knows.
fn sources() -> PathBuf {
    let cargo = std::env::var_os("CARGO").expect("cargo sets CARGO");
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    let mut command = Command::new(cargo);
    command.args(["metadata", "--format-version", "1", "--offline", "--locked", "--manifest-path"]).arg(manifest);
    let said = command.output().expect("cargo can be started");
    let text = String::from_utf8_lossy(&said.stdout);
    // One line of JSON; of all packages this one alone has such a path.
    let paths = text.split('"').filter_map(|part| part.strip_suffix("/Cargo.toml"));
    let found = paths.map(PathBuf::from).find(|path| path.join("native/glslang/glslang").is_dir());
    found.unwrap_or_else(|| {
        panic!("cargo metadata does not name glslang-sys: {}", String::from_utf8_lossy(&said.stderr))
    })
}
