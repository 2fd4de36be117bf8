//! One source to a lowered entry point: WGSL by way of naga, GLSL as SPIR-V, and that by our own
//! reader.

use super::constants::{Chosen, Given};
use super::diag::{Diagnostic, Diagnostics};
use super::glsl;
use super::linkage::Linkage;
use super::lower::{self, prelude::library};
use super::options::{Lang, Lowered, Options};
use super::spirv;
use super::text::caught::caught;
use super::text::parse as text;
use crate::interface::Stage;
use crate::ssa::Loc;

/// A source that was read, with one chosen entry point.
#[derive(Clone, Debug)]
pub enum Parsed {
    /// A text that naga read.
    Text(Box<text::Parsed>),
    /// A binary, or a text that became one.
    Spirv(Box<spirv::Parsed>),
}

impl Parsed {
    /// Stage of the entry point.
    pub fn stage(&self) -> Stage {
        match self {
            Parsed::Text(p) => p.stage,
            Parsed::Spirv(p) => p.stage,
        }
    }
    /// Name of the entry point that is compiled.
    pub fn entry_name(&self) -> &str {
        match self {
            Parsed::Text(p) => p.entry_name(),
            Parsed::Spirv(p) => p.entry_name(),
        }
    }
    /// Keys of constants that were given, and that it has.
    pub fn taken(&self) -> &[String] {
        &self.chosen().taken
    }
    /// Values of its constants that were given.
    fn chosen(&self) -> &Chosen {
        match self {
            Parsed::Text(p) => &p.chosen,
            Parsed::Spirv(p) => &p.chosen,
        }
    }
    /// Where the entry point is declared.
    pub fn entry_loc(&self) -> Loc {
        match self {
            Parsed::Text(p) => p.entry_loc(),
            Parsed::Spirv(p) => p.entry_loc(),
        }
    }
}

/// Reads one source. `source` is UTF-8 text, or the words of a SPIR-V binary in either byte order.
/// Without `entry` the source must have exactly one entry point.
/// Its overrides or specialisation constants have their defaults.
pub fn parse(path: &str, source: &[u8], lang: Lang, entry: Option<&str>) -> Result<Parsed, Diagnostics> {
    parse_with(path, source, lang, (entry, None), &[])
}

/// As [`parse`], with values of overrides or specialisation constants. Of two entry points of one
/// name, which SPIR-V may have, the one of that stage is taken.
pub fn parse_with(
    path: &str,
    source: &[u8],
    lang: Lang,
    entry: (Option<&str>, Option<Stage>),
    given: &[Given],
) -> Result<Parsed, Diagnostics> {
    match lang {
        Lang::Wgsl => Ok(Parsed::Text(Box::new(text::parse(path, source, entry.0, given)?))),
        Lang::Glsl(stage) => {
            let (text, binary) = glsl::spirv(path, source, stage)?;
            module(path, &binary, Some(text), entry, given)
        }
        Lang::Spirv => module(path, source, None, entry, given),
    }
}

fn module(
    path: &str,
    bytes: &[u8],
    text: Option<&str>,
    entry: (Option<&str>, Option<Stage>),
    given: &[Given],
) -> Result<Parsed, Diagnostics> {
    let read = caught(|| spirv::parse(path, bytes, text, entry, given)).map_err(|panic| ours(path, &panic))?;
    Ok(Parsed::Spirv(Box::new(read?)))
}

/// Entry points of the machine's stages that a source has, in its order. The one of a GLSL text is
/// told without looking at it.
pub fn entry_points(path: &str, source: &[u8], lang: Lang) -> Result<Vec<(String, Stage)>, Diagnostics> {
    match lang {
        Lang::Wgsl => text::entry_points(path, source),
        Lang::Glsl(stage) => Ok(vec![("main".into(), stage)]),
        Lang::Spirv => caught(|| spirv::entry_points(path, source)).map_err(|panic| ours(path, &panic))?,
    }
}

/// Lowers the entry point.
pub fn lower(parsed: &Parsed, options: &Options) -> Result<Lowered, Diagnostics> {
    lower_linked(parsed, options, None)
}

/// As [`lower`], for a stage of a pipeline. Without a linkage inputs are nothing and outputs go
/// nowhere.
pub fn lower_linked(parsed: &Parsed, options: &Options, linkage: Option<&Linkage>) -> Result<Lowered, Diagnostics> {
    let mut lowered = match parsed {
        Parsed::Text(p) => lower::lower(p, options, linkage)?,
        Parsed::Spirv(p) => {
            let library = library(options)?;
            caught(|| spirv::lower(p, options, library, linkage)).map_err(|panic| ours(p.path(), &panic))??
        }
    };
    lowered.interface.values.clone_from(&parsed.chosen().by_name);
    Ok(lowered)
}

/// A panic in our own reader: the module is not to blame.
fn ours(path: &str, panic: &str) -> Diagnostics {
    let message = format!("a mistake of the compiler: the SPIR-V reader failed inside: {panic}");
    let help = "please report it with the module; spirv-val says whether the module is valid".into();
    Diagnostic { file: path.into(), line: 0, column: 0, message, help }.into()
}
