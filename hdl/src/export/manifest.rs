//! `manifest.json`: what is in an export, for scripts. Ports with direction, width and meaning;
//! build parameters; per module its file, Rust source and instances. The order of everything is
//! that of the design, so the text is the same from run to run.

use serde::Serialize;

use super::module::{Export, Port, FILE_LIST};
use crate::config::GpuConfig;
use crate::parameters::PARAMETERS;

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
    let row = |p: &'static crate::parameters::Parameter| Parameter {
        name: p.key,
        value: p.get(config),
        meaning: format!("{} Values: {}.", p.meaning, p.values),
    };
    PARAMETERS.iter().map(row).collect()
}
