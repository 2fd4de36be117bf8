//! Files named by `` `include ``. A file is looked for beside the one that includes it, then in the
//! folders that were given, in order. Every time a file is included it is a text of its own, with a
//! number of its own, so that places in it are told apart. How it can be wrong: a file of the same
//! name beside the source hides the one in a folder, as with other tools.

use std::path::{Path, PathBuf};

use super::fail::Fail;
use crate::ast::Span;
use crate::error::Error;
use crate::source::Source;

/// Most files included, each time counted, and most bytes of them: a file that includes others
/// twice doubles the text.
const MOST: usize = 1000;
const BYTES: usize = 1 << 27;

/// The file named at `span`. `sources`: all texts so far, those given first.
///
/// # Errors
/// With the place of the directive if the file is not found or there are too many; [`Error::Io`] if
/// it cannot be read.
pub(super) fn find(sources: &[&Source], span: Span, file: &str, folders: &[PathBuf]) -> Result<Source, Error> {
    let from = sources.get(span.source as usize).and_then(|s| Path::new(&s.name).parent()).unwrap_or(Path::new(""));
    let fail = |message: String| Err(Fail::syntax(span, message).at(sources));
    if sources.len() > MOST {
        return fail(format!("more than {MOST} files are included: give large parts as sources of their own"));
    }
    let places = || std::iter::once(from).chain(folders.iter().map(PathBuf::as_path)).map(|folder| folder.join(file));
    let Some(path) = places().find(|path| path.is_file()) else {
        let shown = |path: PathBuf| path.display().to_string();
        let tried: Vec<String> = places().map(shown).collect();
        return fail(format!(
            "the file \"{file}\" is not found (looked for {}): put it beside this one, or give its folder as an include path (-I)",
            tried.join(", ")
        ));
    };
    let name = path.display().to_string();
    let text = std::fs::read_to_string(&path).map_err(|e| Error::Io { file: name.clone(), message: e.to_string() })?;
    if sources.iter().map(|s| s.text.len()).sum::<usize>() + text.len() > BYTES {
        return fail(format!("sources and included files are larger than {BYTES} bytes together: include less"));
    }
    Ok(Source { name, text })
}
