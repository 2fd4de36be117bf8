//! An error drawn for people: what is wrong, the lines of the text around it with the place marked,
//! and what to do.
//!
//! ```text
//! job.toml:2:1: error: no such key
//!   ┌─ job.toml:2:1
//!   │
//! 2 │ bb = 2
//!   │ ^^ here
//!   │
//!   = help: keys are a and b
//! ```
//!
//! The first line is that of compilers, which editors take apart. Lines are not cut to the width of
//! the terminal, so that names and paths stay whole for searches. The drawing is made by
//! `codespan-reporting`, which naga brings anyway. It can be wrong where a character is wider than
//! the terminal draws it: then the mark is beside its place.

use std::fmt::Write as _;
use std::ops::Range;

use codespan_reporting::diagnostic::{Diagnostic, Label, LabelStyle, Severity};
use codespan_reporting::files::SimpleFile;
use codespan_reporting::term::{emit_to_write_style, Config, GeneralWriteResult, WriteStyle};

const BOLD: &str = "\x1b[1m";
const RED: &str = "\x1b[1;31m";
const BLUE: &str = "\x1b[34m";
const CYAN: &str = "\x1b[36m";
const RESET: &str = "\x1b[0m";

/// What is drawn.
pub(super) struct Drawing<'a> {
    /// `file:line:column` of the place.
    pub location: Option<String>,
    pub message: &'a str,
    pub help: Option<&'a str>,
    pub place: Option<Place<'a>>,
}

/// The place in a text.
pub(super) struct Place<'a> {
    /// File name, as printed.
    pub name: &'a str,
    pub text: &'a str,
    pub span: Range<usize>,
    pub label: &'a str,
}

impl Drawing<'_> {
    /// The lines, each with its end; with escape sequences of colours, or without.
    pub fn lines(&self, colour: bool) -> String {
        let mut out = Painter { text: String::new(), colour };
        let at = self.location.as_ref().map_or_else(String::new, |at| format!("{at}: "));
        let (bold, red, reset) = if colour { (BOLD, RED, RESET) } else { ("", "", "") };
        // Writing to a string cannot fail.
        let _ = writeln!(out.text, "{bold}{at}{reset}{red}error{reset}{bold}: {}{reset}", self.message);
        let head = out.text.len();
        let notes = self.help.iter().map(|help| format!("help: {help}")).collect();
        let (file, labels) = match &self.place {
            Some(p) => {
                (SimpleFile::new(p.name, p.text), vec![Label::primary((), p.span.clone()).with_message(p.label)])
            }
            None => (SimpleFile::new("", ""), vec![]),
        };
        let drawn = Diagnostic::error().with_labels(labels).with_notes(notes);
        // It fails for places outside of the text alone; the message and its help are told all the
        // same.
        if emit_to_write_style(&mut out, &Config::default(), &file, &drawn).is_err() {
            out.text.truncate(head);
            out.text.push('\n');
            drawn.notes.iter().for_each(|note| out.text.push_str(&format!("  = {note}\n")));
        }
        // Its own first line has no message: ours is above it.
        if let Some(end) = out.text[head..].find('\n') {
            out.text.replace_range(head..=head + end, "");
        }
        out.text.truncate(out.text.trim_end().len());
        out.text.push('\n');
        out.text
    }
}

/// A text with colours.
struct Painter {
    text: String,
    colour: bool,
}

impl Painter {
    fn set(&mut self, escape: &str) -> GeneralWriteResult {
        if self.colour {
            self.text.push_str(escape);
        }
        Ok(())
    }
}

impl std::fmt::Write for Painter {
    fn write_str(&mut self, s: &str) -> std::fmt::Result {
        self.text.push_str(s);
        Ok(())
    }
}

impl WriteStyle for Painter {
    fn set_header(&mut self, _: Severity) -> GeneralWriteResult {
        self.set(RED)
    }

    fn set_header_message(&mut self) -> GeneralWriteResult {
        self.set(BOLD)
    }

    fn set_line_number(&mut self) -> GeneralWriteResult {
        self.set(BLUE)
    }

    fn set_note_bullet(&mut self) -> GeneralWriteResult {
        self.set(CYAN)
    }

    fn set_source_border(&mut self) -> GeneralWriteResult {
        self.set(BLUE)
    }

    fn set_label(&mut self, _: Severity, _: LabelStyle) -> GeneralWriteResult {
        self.set(RED)
    }

    fn reset(&mut self) -> GeneralWriteResult {
        self.set(RESET)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(text: &str, span: Range<usize>) -> String {
        let place = Some(Place { name: "job.toml", text, span, label: "here" });
        let (location, help) = (Some("job.toml:2:1".to_owned()), Some("keys are a and b"));
        Drawing { location, message: "no such key", help, place }.lines(false)
    }

    #[test]
    fn the_place_is_marked_in_its_line() {
        let expected = "\
job.toml:2:1: error: no such key
  ┌─ job.toml:2:1
  │
2 │ bb = 2
  │ ^^ here
  │
  = help: keys are a and b
";
        assert_eq!(drawn("a = 1\nbb = 2\n", 6..8), expected);
    }

    #[test]
    fn places_at_the_end_over_lines_and_of_wide_characters_are_drawn() {
        let end = drawn("a = 1", 5..5);
        assert!(end.contains("1 │ a = 1\n  │      ^ here\n"), "{end}");
        let empty = drawn("", 0..0);
        assert!(empty.contains("^ here"), "{empty}");
        let lines = drawn("a = [\n1\n]\n", 4..9);
        assert!(lines.contains("╰─^ here"), "{lines}");
        let wide = drawn("a = \"中\" x\n", 10..11);
        assert!(wide.contains("1 │ a = \"中\" x\n  │          ^ here\n"), "{wide}");
    }

    #[test]
    fn an_error_without_a_place_has_its_message_and_its_help() {
        let mut drawing = Drawing { location: None, message: "no such job", help: None, place: None };
        assert_eq!(drawing.lines(false), "error: no such job\n");
        drawing.help = Some("check the name\nor the folder");
        assert_eq!(drawing.lines(false), "error: no such job\n = help: check the name\n   or the folder\n");
    }

    #[test]
    fn a_place_outside_of_the_text_leaves_message_and_help() {
        let lost = drawn("a", 7..9);
        assert!(lost.contains("error: no such key\n") && lost.contains("keys are a and b"), "{lost}");
    }

    #[test]
    fn colours_change_no_character() {
        let place = Some(Place { name: "job.toml", text: "bb = 2", span: 0..2, label: "here" });
        let drawing = Drawing { location: None, message: "no such key", help: Some("none"), place };
        assert_ne!(drawing.lines(true), drawing.lines(false));
        assert_eq!(anstream::adapter::strip_str(&drawing.lines(true)).to_string(), drawing.lines(false));
    }
}
