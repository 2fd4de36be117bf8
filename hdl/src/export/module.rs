//! What an export consists of: modules with their text, and ports of the top module.

use serde::Serialize;

use crate::catalogue::Source;
use crate::config::GpuConfig;

/// Name of the file list in an exported folder.
pub const FILE_LIST: &str = "files.f";
/// Name of the manifest in an exported folder.
pub const MANIFEST: &str = "manifest.json";

/// A port of the exported top module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Port {
    /// Name in the Verilog.
    pub name: String,
    /// `input` or `output`.
    pub direction: &'static str,
    /// Bits.
    pub width: usize,
    /// What it carries; empty if nobody has written it down (a test excludes that for the blocks of
    /// this crate).
    pub meaning: String,
}

/// One module of an export.
#[derive(Clone, Debug)]
pub struct ExportedModule {
    /// Its name.
    pub name: String,
    /// `module` to `endmodule`.
    pub text: String,
    /// Where it comes from; nothing for rust-hdl's own flip-flop.
    pub source: Option<&'static Source>,
    /// Instances in it: name, module.
    pub instances: Vec<(String, String)>,
}

/// A block as Verilog.
#[derive(Clone, Debug)]
pub struct Export {
    /// Name of the top module.
    pub top: String,
    /// The configuration it was made with.
    pub config: GpuConfig,
    /// Modules, each after those it has instances of; the top module is the last.
    pub modules: Vec<ExportedModule>,
    /// Ports of the top module.
    pub ports: Vec<Port>,
}
