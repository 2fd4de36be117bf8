//! Verilog export. What ships is made from a block's tree by the crate `quadlock_hdl_text`, which
//! says what it does to rust-hdl's text. Here is what knows the blocks: the table of them, the
//! header with the configuration, the meaning of ports, the ports for observers that `trace=off`
//! leaves out, the folder.
//!
//! The text is the same byte for byte for the same configuration. It can be wrong where the text
//! crate is; the cross-check runs the exported text against rust-hdl's engine cycle by cycle.

mod blocks;
mod folder;
mod manifest;
mod meaning;
mod module;

use std::fmt::Write;

use quadlock_hdl_text::{modules, verilog_name, without_events, DeclaredPort, Text, Unique};
use rust_hdl::prelude::*;

pub use blocks::{make, TOPS};
// Public for hdl/tests alone, and so is `header`.
#[doc(hidden)]
pub use folder::put_in_place;
pub use folder::{write_file, write_folder};
#[doc(hidden)]
pub use meaning::{fields, meaning};
pub use module::{Export, ExportedModule, Port, FILE_LIST, MANIFEST};
use quadlock_cache::Key;

use crate::base::like::did_you_mean;
pub use crate::catalogue::Source;
use crate::config::{GpuConfig, WideLate};
use crate::parameters::PARAMETERS;
use crate::ports;

/// The block of that name (one of [`TOPS`]) in that configuration.
///
/// # Errors
/// An unknown name or a parameter out of range, in words.
pub fn build(top: &str, config: &GpuConfig) -> Result<Export, String> {
    config.check()?;
    let unknown = || {
        let like = did_you_mean(top, TOPS.iter().map(|t| t.0));
        format!("no block is called `{top}`{like}")
    };
    let make = || Export::new(&mut make(top, config).ok_or_else(unknown)?, top, config);
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, make);
        let thread = thread.map_err(|e| format!("cannot start a thread: {e}"))?;
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// Bytes of the stack on which a block is made: the machine with graphics needs more than a
/// thread's usual 2 MiB.
const STACK: usize = 64 << 20;

/// [`build`] as one text, for simulators.
///
/// # Errors
/// As [`build`].
pub fn export_named(top: &str, config: &GpuConfig) -> Result<String, String> {
    Ok(build(top, config)?.text())
}

/// Names everything that the text of [`export_named`] is made of: the sources of this crate and of
/// those that it is made with, the lock file, the profile, the block and its configuration. Equal
/// recipes give equal texts.
pub fn recipe(top: &str, config: &GpuConfig) -> Key {
    recipe_of(SOURCES, top, config)
}

/// [`recipe`] if that were the hash of the sources: for the test that it counts.
#[doc(hidden)]
pub fn recipe_of(sources: &str, top: &str, config: &GpuConfig) -> Key {
    Key::builder()
        .part("sources", sources)
        .part("profile", env!("HDL_PROFILE"))
        .part("top", top)
        // Every field is in what `Debug` prints.
        .part("configuration", format!("{config:?}"))
        .finish()
}

/// The hash of the sources (`build.rs`).
pub const SOURCES: &str = env!("HDL_SOURCES");

/// Exports any block as one text with top module `top`. The configuration only goes into the
/// header.
///
/// # Errors
/// As [`Export::new`].
pub fn export<B: Block>(block: &mut B, top: &str, config: &GpuConfig) -> Result<String, String> {
    Ok(Export::new(block, top, config)?.text())
}

/// Event ports of the blocks that have them as a matter of `trace`, besides those of
/// `#[bundle(event)]`; each name stands for every port that begins with it.
const EVENT_PORTS: &[(&str, &[&str])] = &[
    ("quadlock", &["mem_req_source", "issue_", "stall_", "waiting", "bus_", "pool_exhausted"]),
    ("core", &["issue_", "stall", "waiting"]),
    ("warp_unit", &["issue_", "stall", "waiting"]),
];

/// Whether a port of that block (its name with `$`) is there for observers only.
fn is_event(top: &str, port: &str) -> bool {
    let (names, written) = (EVENT_PORTS.iter().find(|t| t.0 == top), verilog_name(port));
    let bundle = port.split_once('$').is_some_and(|(field, _)| ports::is_event(field));
    names.is_some_and(|(_, names)| bundle || names.iter().any(|n| written.starts_with(n)))
}

impl Export {
    /// Exports any block with top module `top`. The configuration goes into the header and the
    /// manifest; of `trace=off` the event ports are left out.
    ///
    /// # Errors
    /// An unconnected port or a combinational loop inside one kernel (rust-hdl's checks), or two
    /// names that would become one.
    pub fn new<B: Block>(block: &mut B, top: &str, config: &GpuConfig) -> Result<Self, String> {
        block.connect_all();
        let (unique, root) = modules(block)?;
        Self::of(unique, root, top, config)
    }

    /// The export that consists of these modules, of which number `root` is the top.
    fn of(mut unique: Unique, mut root: usize, top: &str, config: &GpuConfig) -> Result<Self, String> {
        if !config.trace {
            (unique, root) = without_events(unique, root, &|port| is_event(top, port))?;
        }
        let names = unique.names(root, top);
        let mut modules = Vec::with_capacity(names.len());
        for (module, name) in unique.modules.iter().zip(&names) {
            let Text { text, instances } = module.named(&names, name)?;
            modules.push(ExportedModule { name: name.clone(), text, source: blocks::source(&module.wish), instances });
        }
        let source = blocks::source(top).or(modules.last().and_then(|m| m.source));
        let port = |p: DeclaredPort| {
            let meaning = source.and_then(|s| meaning(s.text, s.rust, &p.field, &p.element)).unwrap_or_default();
            Port { name: p.name, direction: p.direction, width: p.width, meaning }
        };
        let ports = unique.modules[root].ports(top)?.into_iter().map(port).collect();
        Ok(Self { top: top.into(), config: config.clone(), modules, ports })
    }

    /// All modules as one text with one header.
    pub fn text(&self) -> String {
        let mut text = header(&self.config, None);
        for module in &self.modules {
            text.push('\n');
            text += &module.text;
        }
        text
    }

    /// What goes into a folder, by file name: one `NAME.v` per module, [`FILE_LIST`] (the modules
    /// in an order in which each comes after those it uses), [`MANIFEST`].
    pub fn files(&self) -> Vec<(String, String)> {
        let mut files: Vec<_> = self
            .modules
            .iter()
            .map(|m| (format!("{}.v", m.name), format!("{}\n{}", header(&self.config, Some(m)), m.text)))
            .collect();
        let list: String = files.iter().map(|f| format!("{}\n", f.0)).collect();
        files.push((FILE_LIST.into(), list));
        files.push((MANIFEST.into(), manifest::text(self)));
        files
    }
}

/// Parameters that the header names in lines of its own.
const IN_WORDS: &[&str] = &[
    "rows",
    "cores",
    "units",
    "warps",
    "icache_lines",
    "shared_words",
    "trace",
    "fault",
    "semaphores",
    "semaphore_pool",
    "semaphore_links",
    "semaphore_tail",
    "semaphore_release",
    "bus",
    "function_unit",
    "core",
    "warp_wide",
    "warp_wide_result",
    "warp_wide_late",
    "graphics",
];

#[doc(hidden)]
pub fn header(config: &GpuConfig, module: Option<&ExportedModule>) -> String {
    let from = match module.map(|m| m.source) {
        None => "the rust-hdl sources".into(),
        Some(Some(source)) => format!("{} ({})", source.file, source.rust),
        Some(None) => "rust-hdl's DFF".to_string(),
    };
    let version = env!("CARGO_PKG_VERSION");
    let mut text = format!("// Quadlock {version}. Generated from {from} by `quadlock export`; do not edit.\n");
    let fault = config.fault.map_or("none".into(), |f| format!("{f:?}: NOT FOR USE"));
    let _ = writeln!(
        text,
        "// rows = {}, cores = {}, units = {}, warps = {}, icache_lines = {}, shared_words = {}, trace = {}, planted fault = {fault}",
        config.rows, config.cores, config.units, config.warps, config.icache_lines, config.shared_words, config.trace
    );
    let e = &config.semaphores;
    let _ = writeln!(
        text,
        "// semaphores = {}, pool = {}, double links = {}, tail pointers = {}, any may release = {}, bus = {:?}",
        e.semaphores, e.pool, e.double_links, e.tail_pointers, e.any_may_release, config.bus
    );
    if !config.function_unit || !config.differing.is_empty() {
        let _ = writeln!(text, "// function_unit = {}, core = {}", config.function_unit, config.differing_text());
    }
    let _ = writeln!(
        text,
        "// warp_wide = {}, warp_wide_result = {}",
        config.warp_wide.name(),
        config.warp_wide_result.name()
    );
    if config.warp_wide_late != WideLate::default() {
        let _ = writeln!(text, "// warp_wide_late = {}", config.warp_wide_late.name());
    }
    if config.graphics {
        text.push_str("// graphics = true\n");
    }
    // Of all others what is not the default, in the order of the table.
    let default = GpuConfig::default();
    for p in PARAMETERS.iter().filter(|p| !IN_WORDS.contains(&p.key)) {
        if p.text(config) != p.text(&default) {
            let _ = writeln!(text, "// {} = {}", p.key, p.text(config));
        }
    }
    text
}
