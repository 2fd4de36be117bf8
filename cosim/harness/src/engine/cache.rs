//! The cache of this process: which store compiled designs come from. It is the folder of the
//! environment, opened when somebody needs it first, unless `--no-cache` came before. A folder that
//! cannot be used is no error of a run: a line says so, and everything is made again.

use std::sync::{Arc, OnceLock};

use quadlock_cache::{Folder, Shared};
use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::export::{export_named, recipe};
use quadlock_rtlsim::{Design, Source};

use crate::base::error::warn;

static FOLDER: OnceLock<Option<Arc<Folder>>> = OnceLock::new();

/// No cache in this process, from before its first use on.
pub fn switch_off() {
    // Once it is open it stays: what came from it is in use.
    let _ = FOLDER.set(None);
}

/// The folder, if there is one.
pub fn folder() -> Option<&'static Arc<Folder>> {
    let open = || match Folder::from_environment() {
        Ok(folder) => folder.map(Arc::new),
        Err(why) => {
            warn(&format!("no cache: {why}"));
            None
        }
    };
    FOLDER.get_or_init(open).as_ref()
}

/// The store of designs.
pub fn store() -> Shared {
    folder().map(|f| f.clone() as _)
}

/// The design of a block of the export: from the store, or exported, parsed and elaborated.
///
/// # Errors
/// A build parameter out of range, or Verilog that the simulator does not take, in words.
pub fn design(top: &str, config: &GpuConfig) -> Result<Design, String> {
    config.check()?;
    design_in(&store(), top, config)
}

/// The same with a store of the caller's.
///
/// # Errors
/// As [`design`].
pub fn design_in(store: &Shared, top: &str, config: &GpuConfig) -> Result<Design, String> {
    let text = || export_named(top, config).map(|text| Source::new(format!("{top}.v"), text));
    Design::made_of(store, recipe(top, config), Some(top), text)
}
