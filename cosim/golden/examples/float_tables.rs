//! Writes the data files of `docs/float.md`:
//! `cargo run -p quadlock-golden --example float_tables -- docs/float`.
//!
//! `tables.csv` (the coefficients) and `vectors.csv` (test vectors), both from the golden model.
//! The files are kept in git because they are the definition that the RTL reads;
//! `tests/float_tables.rs` fails if the generator departs from them.

#[path = "../tests/common/float_files.rs"]
mod float_files;

fn main() -> anyhow::Result<()> {
    let folder = std::path::PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| "docs/float".into()));
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join("tables.csv"), float_files::tables())?;
    std::fs::write(folder.join("vectors.csv"), float_files::vectors())?;
    Ok(())
}
