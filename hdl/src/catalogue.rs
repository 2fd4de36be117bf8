//! Rows of the table of blocks. Each folder has those of its blocks in its `mod.rs`, and
//! [`crate::export`] joins them. The sources are carried in the program, so that an exported port
//! has the meaning its field's doc comment gives it. Wrong if a row names another struct than the
//! one it makes; a test compares their ports.

use crate::base::drive::Drive;
use crate::config::GpuConfig;

/// Where a module comes from.
#[derive(Debug)]
pub struct Source {
    /// Verilog module; a RAM's has `_` and its depth behind it.
    pub module: &'static str,
    /// The file, from the repository's root.
    pub file: &'static str,
    /// The struct in it.
    pub rust: &'static str,
    /// The file's contents.
    pub(crate) text: &'static str,
}

/// A block that can be exported by itself.
pub struct Row {
    /// Its module in the Verilog.
    pub module: &'static str,
    /// What it is.
    pub what: &'static str,
    /// Where it is written.
    pub source: Source,
    /// One of a configuration that has been checked.
    pub make: fn(&GpuConfig) -> Box<dyn Drive>,
}

/// The rows of a folder: module, file, struct, what it is, and how one is made.
#[macro_export]
macro_rules! blocks {
    ($($module:literal $file:literal $rust:literal $what:literal |$config:ident| $make:expr;)*) => {
        /// Blocks of this folder that can be exported by themselves.
        pub(crate) const BLOCKS: &[$crate::catalogue::Row] = &[$($crate::catalogue::Row {
            module: $module,
            what: $what,
            source: $crate::catalogue::Source {
                module: $module,
                file: concat!("hdl/src/", $file),
                rust: $rust,
                text: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/", $file)),
            },
            make: |$config| $crate::catalogue::boxed(|| $make),
        }),*];
    };
}

/// A block on the heap. Each is made in a frame of its own: all of them in one were more than a
/// thread's stack.
#[inline(never)]
pub fn boxed<B: Drive + 'static>(make: impl FnOnce() -> B) -> Box<dyn Drive> {
    Box::new(make())
}
