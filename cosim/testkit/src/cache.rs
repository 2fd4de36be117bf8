//! The cache that tests share: that of the environment, which `make test` sets to an empty folder,
//! so that each design is compiled once in a run of all tests.

use std::sync::Arc;

use quadlock_cache::{Folder, Shared};

/// The store of this process.
///
/// # Panics
/// A cache folder that cannot be used: a run of all tests would take hours without it.
pub fn store() -> Shared {
    let folder = Folder::from_environment().unwrap_or_else(|why| panic!("{why}"));
    folder.map(|f| Arc::new(f) as _)
}
