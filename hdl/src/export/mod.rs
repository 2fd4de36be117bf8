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

use quadlock_hdl_text::{modules, without_events, DeclaredPort, Text, Unique};
use rust_hdl::prelude::*;

pub use blocks::{make, TOPS};
pub use folder::{write_file, write_folder};
use meaning::meaning;
pub use module::{Export, ExportedModule, Port, Source, FILE_LIST, MANIFEST};
use quadlock_cache::Key;

use crate::config::{GpuConfig, RegisterBanks, SetupRate, WideLate};
use crate::ports;

/// The block of that name (one of [`TOPS`]) in that configuration.
///
/// # Errors
/// An unknown name or a parameter out of range, in words.
pub fn build(top: &str, config: &GpuConfig) -> Result<Export, String> {
    config.check()?;
    let unknown = || {
        let known: Vec<_> = TOPS.iter().map(|t| t.0).collect();
        format!("no block is called `{top}`; known: {}", known.join(", "))
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
    Key::builder()
        .part("sources", SOURCES)
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

/// Whether a port of that block (its name before `$` becomes `_`) is there for observers only.
fn is_event(top: &str, port: &str) -> bool {
    let names = EVENT_PORTS.iter().find(|t| t.0 == top);
    let bundle = port.split_once('$').is_some_and(|(field, _)| ports::is_event(field));
    names.is_some_and(|(_, names)| bundle || names.iter().any(|n| port.starts_with(n)))
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

fn header(config: &GpuConfig, module: Option<&ExportedModule>) -> String {
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
        if config.contexts != 8 {
            text.push_str(&format!("// contexts = {}\n", config.contexts));
        }
    }
    if config.setup_rate != SetupRate::default() {
        text += &format!("// setup_rate = {}\n", config.setup_rate.name());
    }
    if config.contexts != GpuConfig::default().contexts {
        let _ = writeln!(text, "// contexts = {}", config.contexts);
    }
    if config.blend_lanes != GpuConfig::default().blend_lanes {
        let _ = writeln!(text, "// blend_lanes = {}", config.blend_lanes);
    }
    if config.register_banks != RegisterBanks::default() {
        let _ = writeln!(text, "// register_banks = {}", config.register_banks.name());
    }
    let of_warps = [
        "merge",
        "merge_queue",
        "merge_group",
        "merge_limit",
        "merge_flip",
        "merge_triangles",
        "merge_ordered",
        "merge_alone",
    ];
    for key in of_warps.into_iter().chain(
        ["public_registers", "merge_private", "event_form", "merge_helpers_end", "split", "split_shape", "merge_split"]
            .into_iter()
            .chain(["store_triangles", "store_vertices"])
            .chain(["tbimr", "tbimr_window", "tbimr_pairs", "tbimr_tiles", "tbimr_limit", "tbimr_area"])
            .chain(["hi_z", "hi_z_structures", "hi_z_groups", "hi_z_levels", "hi_z_memory"])
            .chain(["hi_z_update", "cull_pipeline", "cull_record"]),
    ) {
        let of = |c: &GpuConfig| crate::parameters::by_key(key).map(|p| p.text(c)).unwrap_or_default();
        if of(config) != of(&GpuConfig::default()) {
            let _ = writeln!(text, "// {key} = {}", of(config));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The header is text of its own: each parameter of the table must show in it where it is not
    /// the default.
    #[test]
    fn a_parameter_that_differs_shows_in_the_header() {
        use crate::parameters::{Values, PARAMETERS};
        let default = GpuConfig::default();
        for p in PARAMETERS {
            let all = match p.values {
                Values::Range(low, high) | Values::Power(low, high) => vec![low.to_string(), high.to_string()],
                Values::Switch => vec!["on".into(), "off".into()],
                Values::Words(words) => words().iter().map(|w| (*w).to_owned()).collect(),
                Values::Other(_) => vec![if p.key == "fault" { "add-carry" } else { "1" }.to_owned()],
            };
            let value = all.iter().find(|v| **v != p.text(&default)).unwrap();
            let mut config = default.clone();
            config.set(if p.key == "core" { "core.0.0.units" } else { p.key }, value).unwrap();
            assert_ne!(header(&config, None), header(&default, None), "{} = {value}", p.key);
        }
    }

    /// Who gets a folder must be able to see how it was built.
    #[test]
    fn every_build_parameter_is_in_the_manifest() {
        let export = build("lutram", &GpuConfig::default()).unwrap();
        let manifest: serde_json::Value = serde_json::from_str(&manifest::text(&export)).unwrap();
        let names: Vec<&str> =
            manifest["parameters"].as_array().unwrap().iter().map(|p| p["name"].as_str().unwrap()).collect();
        assert_eq!(names, crate::parameters::PARAMETERS.iter().map(|p| p.key).collect::<Vec<_>>());
        assert!(manifest["parameters"].as_array().unwrap().iter().all(|p| p["meaning"] != ""), "{manifest}");
        let header = header(&export.config, None);
        for wanted in ["warp_wide = collective", "warp_wide_result = per-lane"] {
            assert!(header.contains(wanted), "{header}");
        }
    }

    #[test]
    fn identical_modules_are_merged_and_the_text_is_reproducible() {
        let config = GpuConfig::default();
        let text = export_named("shared_storage", &config).unwrap();
        assert_eq!(text, export_named("shared_storage", &config).unwrap());
        let count = |name: &str| text.lines().filter(|l| l.starts_with("module ") && l.contains(name)).count();
        assert_eq!(count("module dff_32("), 1);
        assert_eq!(count("module lutram("), 1);
        assert_eq!(count("module lsa("), 1);
        assert!(text.lines().any(|l| l.starts_with("module shared_storage(")));
        assert!(export_named("nonsense", &config).unwrap_err().contains("known: quadlock"));
    }

    /// Every port of every block that can be exported has a meaning, and the table's row names the
    /// struct that it makes.
    #[test]
    fn every_port_of_every_block_has_a_meaning() {
        let mut missing = Vec::new();
        for (top, _) in TOPS {
            let block = build(top, &GpuConfig::default()).unwrap();
            assert!(!block.ports.is_empty());
            let silent = block.ports.iter().filter(|p| p.meaning.is_empty());
            missing.extend(silent.map(|p| format!("{top}.{}", p.name)));
        }
        assert!(missing.is_empty(), "{} ports without a doc comment: {}", missing.len(), missing.join(" "));
    }

    #[test]
    fn a_folder_has_one_file_per_module_a_list_and_a_manifest() {
        let block = build("lane", &GpuConfig::default()).unwrap();
        let files = block.files();
        assert_eq!(files, build("lane", &GpuConfig::default()).unwrap().files());
        let list = &files.iter().find(|f| f.0 == FILE_LIST).unwrap().1;
        assert_eq!(list.lines().count() + 2, files.len());
        assert_eq!(list.lines().last(), Some("lane.v"));
        for name in list.lines() {
            let text = &files.iter().find(|f| f.0 == name).unwrap().1;
            assert!(
                text.starts_with("// Quadlock ") && text.contains("\n// rows = 1, cores = 1, units = 2,"),
                "{name}"
            );
            assert_eq!(text.lines().filter(|l| l.starts_with("module ")).count(), 1, "{name}");
        }
        let manifest: serde_json::Value =
            serde_json::from_str(&files.iter().find(|f| f.0 == MANIFEST).unwrap().1).unwrap();
        assert_eq!(manifest["top"], "lane");
        let op = &manifest["ports"][1];
        assert_eq!((&op["name"], &op["direction"], &op["width"]), (&"op".into(), &"input".into(), &8.into()));
        assert_eq!(op["meaning"], "Opcode, bits 7:0 of the instruction.");
        let lane = manifest["modules"].as_array().unwrap().last().unwrap();
        assert_eq!((&lane["file"], &lane["source"]), (&"lane.v".into(), &"hdl/src/warp/lane.rs".into()));
        let instances = lane["instances"].as_array().unwrap();
        assert!(instances.iter().any(|i| i["name"] == "alu" && i["module"] == "integer_alu"));
    }

    #[test]
    fn every_module_but_the_flip_flops_has_a_source() {
        let core = build("quadlock", &GpuConfig::default()).unwrap();
        for module in &core.modules {
            assert_eq!(module.source.is_none(), module.name.starts_with("dff_"), "{}", module.name);
        }
    }
}
