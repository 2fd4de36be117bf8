//! Bad input, told so that it can be mended: which file, which line and column, what is wrong and
//! what to do. Everything a user can get wrong (job files, shaders, data files, command-line
//! settings) ends here and in exit status 2; a mismatch or a hang is not an error but a verdict.
//! Can be wrong only by pointing at the wrong place: spans are byte ranges of the text that was
//! parsed.

use std::fmt;
use std::path::Path;

use super::drawing::{Drawing, Place};

use super::manners::{verbosity, Verbosity};
use super::progress::tell;

/// An input that cannot be used.
#[derive(Debug)]
pub struct InputError {
    message: String,
    help: Option<String>,
    label: Option<String>,
    span: Option<std::ops::Range<usize>>,
    source: Option<Box<Source>>,
}

/// A text that has a mistake.
#[derive(Debug)]
struct Source {
    name: String,
    text: String,
}

/// Result of everything that reads what a user wrote.
pub type Input<T> = Result<T, Box<InputError>>;

impl InputError {
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), help: None, label: None, span: None, source: None }
    }

    /// What to do about it.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Of an option of the command, which the message then names.
    pub fn of(mut self, option: &str) -> Self {
        self.message = format!("{option}: {}", self.message);
        self
    }

    /// Where in `text`, the contents of `path`, the cause is.
    pub fn at(mut self, path: &Path, text: &str, span: std::ops::Range<usize>, label: impl Into<String>) -> Self {
        self.source = Some(Box::new(Source { name: path.display().to_string(), text: text.to_owned() }));
        let start = boundary(text, span.start);
        self.span = Some(start..boundary(text, span.end).max(start));
        self.label = Some(label.into());
        self
    }

    pub fn message(&self) -> &str {
        &self.message
    }

    /// `file:line:column` of the cause, lines and columns counted from 1.
    pub fn location(&self) -> Option<String> {
        let (source, span) = (self.source.as_ref()?, self.span.as_ref()?);
        let before = &source.text[..span.start];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().map_or(0, |l| l.chars().count()) + 1;
        Some(format!("{}:{line}:{column}", source.name))
    }

    /// Message, place and help, drawn for people; with escape sequences of colours, or without.
    pub fn drawing(&self, colour: bool) -> String {
        let place = self.source.as_ref().zip(self.span.clone()).map(|(source, span)| {
            let label = self.label.as_deref().unwrap_or_default();
            Place { name: &source.name, text: &source.text, span, label }
        });
        let (location, help) = (self.location(), self.help.as_deref());
        Drawing { location, message: &self.message, help, place }.lines(colour)
    }
}

/// The last place in `text`, not after `at`, where a character begins or the text ends.
fn boundary(text: &str, at: usize) -> usize {
    let at = at.min(text.len());
    (0..=at).rev().find(|&i| text.is_char_boundary(i)).unwrap_or(0)
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.location() {
            Some(at) => write!(f, "{at}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for InputError {}

/// Shorthand: an error without a place in a text.
pub fn bad<T>(message: impl Into<String>, help: impl Into<String>) -> Input<T> {
    Err(Box::new(InputError::new(message).help(help)))
}

/// An error of reading or writing `path`.
pub fn io(path: &Path, what: &str, error: &std::io::Error) -> Box<InputError> {
    let help = match error.kind() {
        std::io::ErrorKind::NotFound => "check the name; paths inside a job file are relative to that file",
        std::io::ErrorKind::PermissionDenied => "check the permissions of the file and its folder",
        _ => "check the path and the free space",
    };
    Box::new(InputError::new(format!("cannot {what} {}: {error}", path.display())).help(help))
}

/// Prints an error to standard error.
pub fn complain(text: &str) {
    tell(text);
}

/// Prints a warning to standard error, not with `-q`.
pub fn warn(text: &str) {
    if verbosity() > Verbosity::Quiet {
        tell(&format!("warning: {text}\n"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_names_file_line_and_column() {
        let text = "a = 1\nbb = 2\n";
        let e = InputError::new("no such key").at(Path::new("job.toml"), text, 6..8, "here");
        assert_eq!(e.to_string(), "job.toml:2:1: no such key");
        assert_eq!(InputError::new("plain").to_string(), "plain");
        let drawing = e.drawing(false);
        assert!(
            drawing.starts_with("job.toml:2:1: error: no such key\n") && drawing.contains("^^ here\n"),
            "{drawing}"
        );
    }

    #[test]
    fn a_place_inside_of_a_character_is_moved_to_its_begin() {
        let e = InputError::new("odd").at(Path::new("job.toml"), "a中b", 2..3, "here");
        assert_eq!(e.location().as_deref(), Some("job.toml:1:2"));
        assert!(e.drawing(false).contains("^ here\n"));
    }
}
