//! Results that are dear to make, kept on disk under a hash of everything that they are made of.
//! The harness keeps which text a configuration exports to, and the simulator keeps compiled
//! designs. Both see only the trait [`Store`]; [`Folder`] is the store on disk.
//!
//! A store may lose anything at any time, and gives back what was put under a key or nothing. It
//! can be wrong in two ways. A key that leaves out something that the result depends on gives a
//! result that is out of date: [`Key`] is made from parts, and each user's test changes each part.
//! A file that is damaged gives a wrong result: a checksum covers all of it.

#[cfg(feature = "folder")]
mod folder;
mod key;
pub mod sources;

use std::sync::Arc;

#[cfg(feature = "folder")]
pub use folder::{Folder, Usage, FOLDER_VARIABLE};
pub use key::{Key, KeyBuilder};

/// Keeps byte strings under keys.
pub trait Store: Send + Sync {
    /// What was kept under a key of that kind; `None` if nothing was, or if it cannot be read. A
    /// kind is a short word that names a file: letters and `-`.
    fn load(&self, kind: &str, key: Key) -> Option<Vec<u8>>;

    /// Keeps bytes under a key. A failure is silent: the result is made again next time.
    fn keep(&self, kind: &str, key: Key, bytes: &[u8]);
}

/// A store that many may use, or none: without one, everything is made again.
pub type Shared = Option<Arc<dyn Store>>;
