//! GLSL to SPIR-V for Vulkan 1.2 (SPIR-V 1.5), as glslang reads it, without its optimiser.
//!
//! glslang is C++ that reads whatever users have. It overflows its stack on deep expressions and
//! stops its process on inputs that its authors did not think of. So it runs in a process of its
//! own, with a limit of time and of memory: whatever happens there is an error here. That process
//! is the program itself, started again, if its `main` calls [`serve_if_asked`] first; otherwise
//! the program `quadlock-glsl` beside it. It stays for the next texts, because glslang spends most
//! of its first call with its own built-in declarations.
//!
//! What can go wrong: a helper of another version than this library would give other words for the
//! same text, so it says its edition first (`QUADLOCK_GLSL` names one by hand, for tests).
//! glslang's messages are parsed as text; what has no place in them has line 0 here. SPIR-V made
//! here has names (`OpName`) and source lines (`OpLine`); the crate `glslang` has no way to ask for
//! lines without `unsafe`, so a copy of it with that change is in `vendor`. The lines' file has no
//! name if it is the text itself.

#![warn(missing_docs)]

mod frame;
mod header;
mod log;
mod process;
/// The extended instruction set, shared with the reader of SPIR-V.
#[path = "../../shader/src/front/quadlock_set.rs"]
pub mod quadlock_set;
mod serve;

pub use serve::{serve, serve_if_asked};

/// Which of a pipeline's programs a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Stage {
    /// `.comp`
    Compute = b'c',
    /// `.vert`
    Vertex = b'v',
    /// `.frag`
    Fragment = b'f',
}

/// An error of the source, or of reading it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The source's path, or the name that its include was given.
    pub file: String,
    /// From 1; 0 if glslang names none.
    pub line: u32,
    /// From 1, in bytes; 0 if glslang names none. Exact in lines without macros if the message
    /// begins with a token, for the first token of a line, and in lines with single spaces: glslang
    /// reads its own preprocessed text.
    pub column: u32,
    /// In glslang's words.
    pub message: String,
}

/// Finds an included text: the name in the directive, the name of the file with the directive;
/// gives the name for messages and the text.
pub type Include<'a> = &'a dyn Fn(&str, &str) -> Option<(String, String)>;

/// Compiles a text whose entry point is `main`. `path` is for messages and for `include`.
/// Specialisation constants stay such. The same text gives the same words.
pub fn compile(path: &str, text: &str, stage: Stage, include: Include) -> Result<Vec<u32>, Vec<Error>> {
    if let Some(at) = text.find('\0') {
        let (line, column) = place(text, at);
        let message = "a NUL character; GLSL is text".to_string();
        return Err(vec![Error { file: path.to_string(), line, column, message }]);
    }
    process::compile(path, &header::add(text, path), stage, include).map_err(|mut errors| {
        let (line, column) = header::version_at(text).map_or((1, 1), |at| place(text, at));
        for e in errors.iter_mut().filter(|e| e.line == 0 && about_version(&e.message)) {
            (e.line, e.column) = (line, column);
        }
        errors.iter_mut().filter(|e| e.file == path).for_each(|e| e.column = exact(text, e));
        errors
    })
}

/// Whether glslang found fault with the version; it says so without a place.
fn about_version(message: &str) -> bool {
    message.starts_with("#version") || message == "version not supported"
}

/// The column of an error: glslang counts in a text without comments and with fewer spaces, so the
/// token that the message begins with may stand as much further right as the line has of them.
fn exact(text: &str, error: &Error) -> u32 {
    let token = error.message.strip_prefix('\'').and_then(|m| m.split_once("' : ")).map(|(token, _)| token);
    let line = text.lines().nth((error.line as usize).wrapping_sub(1));
    let (Some(token), Some(line)) = (token.filter(|t| !t.is_empty()), line) else { return error.column };
    let part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let whole = |at: usize| {
        let inside = |a: Option<char>, b: Option<char>| a.is_some_and(part) && b.is_some_and(part);
        let (before, behind) = (&line[..at], &line[at + token.len()..]);
        !inside(before.chars().next_back(), token.chars().next())
            && !inside(token.chars().next_back(), behind.chars().next())
    };
    let blanks = line.bytes().filter(u8::is_ascii_whitespace).count();
    let (mut comments, mut rest) = (0, line);
    while let Some((_, body)) = rest.split_once("/*") {
        let Some((comment, behind)) = body.split_once("*/") else { break };
        (comments, rest) = (comments + comment.len() + 4, behind);
    }
    let more = u32::try_from(blanks + comments).unwrap_or(u32::MAX);
    let mut places = line.match_indices(token).map(|(at, _)| at).filter(|&at| whole(at)).map(|at| at as u32 + 1);
    places.find(|&at| at >= error.column && at - error.column <= more).unwrap_or(error.column)
}

/// Line and column of a byte, from 1.
fn place(text: &str, at: usize) -> (u32, u32) {
    let before = &text.as_bytes()[..at];
    let line = before.iter().filter(|&&b| b == b'\n').count() + 1;
    let column = before.iter().rev().take_while(|&&b| b != b'\n').count() + 1;
    (line as u32, column as u32)
}
