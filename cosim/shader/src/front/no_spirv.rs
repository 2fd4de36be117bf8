//! In place of the reader of SPIR-V, where the feature `spirv` is off: the first build of a
//! newcomer does without it. Each module is refused with a message that names the feature. It has
//! the names of [`super::spirv`], and would no longer compile if one were missing.

use super::constants::{Chosen, Given};
use super::diag::{Diagnostic, Diagnostics};
use super::emit::library::Library;
use super::linkage::Linkage;
use super::options::{Lowered, Options};
use crate::interface::Stage;
use crate::ssa::Loc;

/// A module that was read: there is none.
#[derive(Clone, Debug)]
pub struct Parsed {
    none: std::convert::Infallible,
    pub stage: Stage,
    pub(crate) chosen: Chosen,
}

impl Parsed {
    pub fn path(&self) -> &str {
        match self.none {}
    }
    pub fn entry_name(&self) -> &str {
        match self.none {}
    }
    pub fn entry_loc(&self) -> Loc {
        match self.none {}
    }
}

fn refused<T>(path: &str) -> Result<T, Diagnostics> {
    let message = "this build cannot read SPIR-V: it is without the feature `spirv`".into();
    let help = "build without --no-default-features, or give the shader as WGSL".into();
    Err(Diagnostic { file: path.into(), line: 0, column: 0, message, help }.into())
}

pub fn parse(
    path: &str,
    _: &[u8],
    _: Option<&str>,
    _: (Option<&str>, Option<Stage>),
    _: &[Given],
) -> Result<Parsed, Diagnostics> {
    refused(path)
}

pub fn entry_points(path: &str, _: &[u8]) -> Result<Vec<(String, Stage)>, Diagnostics> {
    refused(path)
}

pub fn lower(parsed: &Parsed, _: &Options, _: &'static Library, _: Option<&Linkage>) -> Result<Lowered, Diagnostics> {
    match parsed.none {}
}
