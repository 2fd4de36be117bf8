//! Hashes the sources that the exported text depends on: which text a configuration gives is kept
//! on disk under that hash (`export::recipe`). It can be wrong by leaving a place out; the test of
//! `recipe` compares with what the crate is compiled from.

use std::path::Path;

fn main() -> Result<(), String> {
    let variable = |name: &str| std::env::var(name).map_err(|e| format!("{name}: {e}"));
    let root = Path::new(&variable("CARGO_MANIFEST_DIR")?).join("..");
    let places = [
        "hdl/src",
        "hdl/build.rs",
        "hdl/Cargo.toml",
        "hdl/macros/src",
        "hdl/macros/Cargo.toml",
        "hdl/text/src",
        "hdl/text/Cargo.toml",
        "cosim/isa/src",
        "cosim/isa/Cargo.toml",
        "Cargo.lock",
    ];
    quadlock_cache::sources::announce("HDL_SOURCES", &root, &places)?;
    // target/PROFILE/build/quadlock-hdl-HASH/out
    let out = variable("OUT_DIR")?;
    let profile = Path::new(&out).ancestors().nth(3).and_then(Path::file_name).map(|n| n.to_string_lossy());
    println!("cargo:rustc-env=HDL_PROFILE={} {}", profile.unwrap_or_default(), variable("OPT_LEVEL")?);
    Ok(())
}
