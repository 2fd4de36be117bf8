//! Bad input, told so that it can be mended: which file, which line and column, what is wrong and
//! what to do. Everything a user can get wrong (job files, shaders, data files, command-line
//! settings) ends here and in exit status 2; a mismatch or a hang is not an error but a verdict.
//! Can be wrong only by pointing at the wrong place: spans are byte ranges of the text that was
//! parsed.

use std::fmt;
use std::path::Path;

use miette::{LabeledSpan, NamedSource, SourceCode};

use super::manners::{verbosity, Verbosity};
use super::progress::tell;

/// An input that cannot be used.
#[derive(Debug)]
pub struct InputError {
    message: String,
    help: Option<String>,
    label: Option<String>,
    span: Option<std::ops::Range<usize>>,
    source: Option<Box<NamedSource<String>>>,
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
        self.source = Some(Box::new(NamedSource::new(path.display().to_string(), text.to_owned())));
        self.span = Some(span.start.min(text.len())..span.end.min(text.len()));
        self.label = Some(label.into());
        self
    }

    pub fn message(&self) -> &str {
        &self.message
    }

    /// `file:line:column` of the cause, lines and columns counted from 1.
    pub fn location(&self) -> Option<String> {
        let (source, span) = (self.source.as_ref()?, self.span.as_ref()?);
        let text = source.inner();
        let before = &text[..span.start];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().map_or(0, |l| l.chars().count()) + 1;
        Some(format!("{}:{line}:{column}", source.name()))
    }
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

impl miette::Diagnostic for InputError {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.help.as_ref().map(|h| Box::new(h) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.source.as_ref().map(|s| s.as_ref() as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let span = self.span.clone()?;
        Some(Box::new(std::iter::once(LabeledSpan::new(self.label.clone(), span.start, span.len()))))
    }
}

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
    }
}
