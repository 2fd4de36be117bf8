//! `manifest.json`: what is in an export, for scripts. Ports with direction, width and meaning; build parameters; per module its file, Rust source and
//! instances. The order of everything is that of the design, so the text is the same from run to run.

use serde::Serialize;

use super::meaning;
use super::module::{Export, Port, FILE_LIST};
use crate::config::GpuConfig;
use crate::fault::Fault;

/// Format number of the manifest; it rises when a field changes its meaning or goes.
const FORMAT: u32 = 1;

#[derive(Serialize)]
struct Manifest<'a> {
    format: u32,
    tool: &'static str,
    version: &'static str,
    top: &'a str,
    file_list: &'static str,
    parameters: Vec<Parameter>,
    ports: &'a [Port],
    modules: Vec<ModuleEntry<'a>>,
}

#[derive(Serialize)]
struct Parameter {
    name: &'static str,
    value: serde_json::Value,
    meaning: String,
}

#[derive(Serialize)]
struct ModuleEntry<'a> {
    name: &'a str,
    file: String,
    source: &'a str,
    #[serde(rename = "struct")]
    rust: &'a str,
    instances: Vec<Instance<'a>>,
}

#[derive(Serialize)]
struct Instance<'a> {
    name: &'a str,
    module: &'a str,
}

/// The manifest's text.
pub(super) fn text(export: &Export) -> String {
    let manifest = Manifest {
        format: FORMAT,
        tool: "quadlock export",
        version: env!("CARGO_PKG_VERSION"),
        top: &export.top,
        file_list: FILE_LIST,
        parameters: parameters(&export.config),
        ports: &export.ports,
        modules: export
            .modules
            .iter()
            .map(|m| ModuleEntry {
                name: &m.name,
                file: format!("{}.v", m.name),
                source: m.source.map_or("crate rust-hdl", |s| s.file),
                rust: m.source.map_or("DFF", |s| s.rust),
                instances: m.instances.iter().map(|(name, module)| Instance { name, module }).collect(),
            })
            .collect(),
    };
    // Serialising strings and numbers cannot fail.
    serde_json::to_string_pretty(&manifest).expect("plain data") + "\n"
}

fn parameters(config: &GpuConfig) -> Vec<Parameter> {
    let docs = meaning::fields(include_str!("../config.rs"), "GpuConfig");
    let row = |name: &'static str, value: serde_json::Value| Parameter {
        name,
        value,
        meaning: docs.iter().find(|d| d.0 == name).and_then(|d| d.1.clone()).unwrap_or_default(),
    };
    let entity_docs = meaning::fields(include_str!("../config.rs"), "SemaphoreConfig");
    let entity = |name: &'static str, field: &str, value: serde_json::Value| Parameter {
        name,
        value,
        meaning: entity_docs.iter().find(|d| d.0 == field).and_then(|d| d.1.clone()).unwrap_or_default(),
    };
    let e = &config.semaphores;
    vec![
        row("rows", config.rows.into()),
        row("cores", config.cores.into()),
        row("units", config.units.into()),
        row("warps", config.warps.into()),
        row("function_unit", config.function_unit.into()),
        Parameter {
            name: "core",
            meaning: "Cores that have something else instead, as core.ROW.COLUMN.KEY=VALUE.".into(),
            value: config.differing_text().into(),
        },
        row("icache_lines", config.icache_lines.into()),
        row("shared_words", config.shared_words.into()),
        entity("semaphores", "semaphores", e.semaphores.into()),
        entity("semaphore_pool", "pool", e.pool.into()),
        entity("semaphore_links", "double_links", if e.double_links { "double" } else { "single" }.into()),
        entity("semaphore_tail", "tail_pointers", e.tail_pointers.into()),
        entity("semaphore_release", "any_may_release", if e.any_may_release { "any" } else { "owner" }.into()),
        row("bus", format!("{:?}", config.bus).to_lowercase().into()),
        row("warp_wide", config.warp_wide.name().into()),
        row("warp_wide_result", config.warp_wide_result.name().into()),
        row("warp_wide_late", config.warp_wide_late.name().into()),
        row("trace", config.trace.into()),
        row("fault", config.fault.and_then(|f| Fault::ALL.iter().find(|a| a.0 == f)).map(|a| a.1).into()),
    ]
}
