//! Hashes the sources of the simulator: what it compiles is kept on disk under that hash
//! (`src/kept.rs`). It can be wrong by leaving a place out; `tests/kept.rs` compares.

use std::path::Path;

fn main() -> Result<(), String> {
    let here = std::env::var("CARGO_MANIFEST_DIR").map_err(|e| e.to_string())?;
    let root = Path::new(&here).join("../..");
    let places = ["cosim/rtlsim/src", "cosim/rtlsim/build.rs", "cosim/rtlsim/Cargo.toml", "Cargo.lock"];
    quadlock_cache::sources::announce("RTLSIM_SOURCES", &root, &places)
}
