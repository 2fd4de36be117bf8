//! GLSL as SPIR-V: what glslang makes of a text, by the crate `quadlock-glsl`.
//!
//! glslang is C++ that takes two minutes to build, so it is behind the feature `glsl`; without it a
//! text is refused with a message that names the feature. An `#include` names a file relative to
//! the one that it stands in. Wrong would be an optimiser in between: `spirv-opt` removes calls of
//! our functions with empty bodies, and says nothing.

use super::diag::Diagnostics;
use crate::interface::Stage;

/// The text, and the binary that it becomes.
#[cfg(feature = "glsl")]
pub fn spirv<'a>(path: &str, source: &'a [u8], stage: Stage) -> Result<(&'a str, Vec<u8>), Diagnostics> {
    use super::diag::Diagnostic;
    use super::glsl_whole;
    let at = |file: &str, (line, column): (u32, u32), message: String, help: &str| Diagnostic {
        file: file.into(),
        line,
        column,
        message,
        help: help.into(),
    };
    let text = std::str::from_utf8(source).map_err(|e| {
        let before = String::from_utf8_lossy(&source[..e.valid_up_to()]);
        let line = before.matches('\n').count() as u32 + 1;
        let column = before.chars().rev().take_while(|&c| c != '\n').count() as u32 + 1;
        at(path, (line, column), "the source is not UTF-8 text".into(), "save it as UTF-8")
    })?;
    let stage = match stage {
        Stage::Compute => quadlock_glsl::Stage::Compute,
        Stage::Vertex => quadlock_glsl::Stage::Vertex,
        Stage::Fragment => quadlock_glsl::Stage::Fragment,
    };
    let words = quadlock_glsl::compile(path, text, stage, &included).map_err(|errors| {
        let said = |e: quadlock_glsl::Error| {
            if let Some(whole) = glsl_whole::placed(text, &e.message).filter(|_| e.line == 0) {
                return at(&e.file, whole.at, whole.message, &whole.help);
            }
            let help = match e.message.starts_with("glslang ") {
                true => "if it is valid, make it smaller, or give it as SPIR-V",
                false => "correct the GLSL",
            };
            // What its parser says when its stack is full.
            let message = match e.message.as_str() {
                "memory exhausted" => "statements or expressions are nested too deeply here for glslang".into(),
                _ => e.message,
            };
            at(&e.file, (e.line, e.column), message, help)
        };
        Diagnostics(errors.into_iter().map(said).collect())
    })?;
    Ok((text, words.iter().flat_map(|w| w.to_le_bytes()).collect()))
}

/// The text of an included file, with its path.
#[cfg(feature = "glsl")]
fn included(name: &str, includer: &str) -> Option<(String, String)> {
    /// Bytes; a longer file is no header.
    const LONGEST: u64 = 16 << 20;
    let path = std::path::Path::new(includer).parent()?.join(name);
    // Neither a pipe nor a device, which need not end.
    std::fs::metadata(&path).ok().filter(|m| m.is_file() && m.len() <= LONGEST)?;
    Some((path.to_str()?.to_string(), std::fs::read_to_string(&path).ok()?))
}

/// The text, and the binary that it becomes: not in this build.
#[cfg(not(feature = "glsl"))]
pub fn spirv<'a>(path: &str, _: &'a [u8], _: Stage) -> Result<(&'a str, Vec<u8>), Diagnostics> {
    let message = "this build cannot read GLSL: it is without the feature `glsl`".into();
    let help = "build without --no-default-features (it needs a C++ compiler), or give the shader as WGSL".into();
    Err(super::diag::Diagnostic { file: path.into(), line: 0, column: 0, message, help }.into())
}
