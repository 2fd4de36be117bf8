//! Where a place of naga's is in a source. Wrong would be a span that does not belong to the file
//! it is resolved against, which gives a position outside the text; such positions are clamped to
//! its end.

use super::edit::{apply, blank_comments, identifiers, Edit, Mark};
use crate::front::diag::Diagnostic;
use crate::ssa::{AtomicOp, Loc};
use naga::Span;

/// Resolves byte offsets of one source file.
#[derive(Clone, Debug)]
pub struct SourceMap {
    /// Name of the source, as it was given.
    pub path: String,
    /// The text.
    text: String,
    /// Byte offset at which each line begins.
    lines: Vec<u32>,
    /// How the text that the parser saw differs from the file's, by place.
    edits: Vec<Edit>,
    /// What is special about calls, by their place in the parsed text.
    marks: Vec<(u32, Mark)>,
    /// First line (from 0) and name of each file that the text was joined from; empty for a single
    /// file.
    parts: Vec<(u32, String)>,
}

impl SourceMap {
    /// A source text.
    pub fn text(path: &str, text: &str) -> Self {
        let lines = std::iter::once(0).chain(text.match_indices('\n').map(|(i, _)| i as u32 + 1)).collect();
        SourceMap { path: path.into(), text: text.into(), lines, edits: vec![], marks: vec![], parts: vec![] }
    }

    /// Several files joined to one text, which is returned too.
    pub fn joined(path: &str, files: &[(&str, &str)]) -> (Self, String) {
        let text: String = files.iter().map(|(_, text)| *text).collect();
        let mut map = SourceMap::text(path, &text);
        let mut line = 0;
        for (name, text) in files {
            map.parts.push((line, name.to_string()));
            line += text.matches('\n').count() as u32;
        }
        (map, text)
    }

    /// Names of the parts that the text was put together from.
    pub fn part_names(&self) -> impl Iterator<Item = String> + '_ {
        self.parts.iter().map(|(_, name)| name.clone())
    }

    /// Makes the edits, sorted by place: the text for the parser.
    pub fn edit(&mut self, edits: Vec<Edit>) -> String {
        let (text, marks) = apply(&self.text, &edits);
        (self.edits, self.marks) = (edits, marks);
        text
    }

    /// What the call is whose text the span begins.
    pub fn mark(&self, span: Span) -> Option<Mark> {
        let start = span.to_range()?.start as u32;
        self.marks.iter().find(|(at, _)| *at == start).map(|(_, mark)| *mark)
    }

    /// The operation of the call that a place lies in or behind, if that is one of 64 bits.
    pub fn wide_call(&self, span: Span) -> Option<AtomicOp> {
        let start = span.to_range()?.start as u32;
        match self.marks.iter().rev().find(|(at, _)| *at <= start)?.1 {
            Mark::Wide(op) => Some(op),
            _ => None,
        }
    }

    /// Offset in the source of one in the parsed text.
    fn in_source(&self, offset: usize) -> usize {
        let (mut parsed, mut source) = (0, 0);
        for e in &self.edits {
            let start = parsed + (e.at - source);
            if offset < start {
                break;
            }
            if offset < start + e.text.len() {
                return e.at + (offset - start).min(e.removed);
            }
            (parsed, source) = (start + e.text.len(), e.at + e.removed);
        }
        source + (offset - parsed)
    }

    /// Offset in the parsed text of one in the source.
    fn in_parsed(&self, offset: usize) -> usize {
        let before = self.edits.iter().filter(|e| e.at <= offset);
        before.fold(offset, |at, e| at + e.text.len() - e.removed.min(offset - e.at))
    }

    /// Line and column, both from 1, of a byte offset of the parsed text.
    pub fn position(&self, offset: usize) -> (u32, u32) {
        let mut offset = self.in_source(offset).min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.lines.partition_point(|&start| start as usize <= offset);
        let start = self.lines[line - 1] as usize;
        (line as u32, self.text[start..offset].chars().count() as u32 + 1)
    }

    /// Position of a span in the source text; nothing for undefined spans.
    pub fn loc(&self, file: u16, span: Span) -> Loc {
        match span.to_range() {
            Some(range) => {
                let (line, col) = self.position(range.start);
                let part = self.parts.partition_point(|(first, _)| *first < line);
                match self.parts.get(part.wrapping_sub(1)) {
                    Some((first, _)) => Loc::at(file + part as u16 - 1, line - first, col),
                    None => Loc::at(file, line, col),
                }
            }
            None => Loc::at(file, 0, 0),
        }
    }

    /// Where the function `name` is declared (`fn name` or `void name`), as a span of the parsed
    /// text. naga keeps no positions of functions.
    pub fn declaration(&self, name: &str) -> Span {
        for key in ["fn ", "void "] {
            for (i, _) in self.text.match_indices(key) {
                let rest = self.text[i + key.len()..].trim_start();
                let ends = |tail: &str| !tail.starts_with(|c: char| c.is_alphanumeric() || c == '_');
                if rest.strip_prefix(name).is_some_and(ends) {
                    let start = self.text.len() - rest.len();
                    let start = self.in_parsed(start);
                    return Span::new(start as u32, (start + name.len()) as u32);
                }
            }
        }
        Span::UNDEFINED
    }

    /// Where an argument of the function `of` is declared, or a member of the struct `of`: its
    /// name, behind which stands a colon.
    pub fn named_in(&self, of: &str, name: &str) -> Span {
        let plain = blank_comments(&self.text);
        let all = identifiers(&plain);
        let is = |k: usize, word: &str| all.get(k).is_some_and(|w| w.1 == word);
        let Some(start) = (1..all.len()).find(|&k| is(k, of) && (is(k - 1, "fn") || is(k - 1, "struct"))) else {
            return Span::UNDEFINED;
        };
        let colon = |w: &&(usize, &str)| plain[w.0 + w.1.len()..].trim_start().starts_with(':');
        let found = all[start + 1..].iter().filter(|w| w.1 == name).find(colon);
        found.map_or(Span::UNDEFINED, |&(at, word)| self.span_of(at, word.len()))
    }

    /// A name in a declaration; the declaration where it is not found.
    pub fn name_in(&self, declaration: Span, name: &str) -> Span {
        let Some(range) = declaration.to_range() else { return declaration };
        let plain = blank_comments(&self.text);
        let (from, to) = (self.in_source(range.start), self.in_source(range.end).min(plain.len()));
        let all = identifiers(&plain);
        let found = all.iter().find(|(at, word)| (from..to).contains(at) && *word == name);
        found.map_or(declaration, |&(at, word)| self.span_of(at, word.len()))
    }

    /// Where the result of the function `of` is declared: behind its arrow.
    pub fn result_of(&self, of: &str) -> Span {
        let Some(range) = self.declaration(of).to_range() else { return Span::UNDEFINED };
        let plain = blank_comments(&self.text);
        let from = self.in_source(range.start).min(plain.len());
        let Some(at) = plain.get(from..).and_then(|t| t.find("->")).map(|at| from + at + 2) else {
            return Span::UNDEFINED;
        };
        let space = plain[at..].len() - plain[at..].trim_start().len();
        self.span_of(at + space, 1)
    }

    /// A place of the source as a span of the parsed text.
    fn span_of(&self, at: usize, length: usize) -> Span {
        let start = self.in_parsed(at);
        Span::new(start as u32, (start + length) as u32)
    }

    /// An error at a place of the parsed text, with what to do.
    pub fn diagnostic(&self, span: Span, message: impl Into<String>, help: impl Into<String>) -> Diagnostic {
        let (line, column) = match span.to_range() {
            Some(range) => self.position(range.start),
            None => (0, 0),
        };
        Diagnostic { file: self.path.clone(), line, column, message: message.into(), help: help.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inserted_text_and_joined_files_keep_positions() {
        let mut map = SourceMap::text("a.comp", "#v\nabc\n");
        map.edit(vec![Edit::insert(3, "0123456789")]);
        assert_eq!((map.position(1), map.position(7), map.position(14)), ((1, 2), (2, 1), (2, 2)));
        let (map, text) = SourceMap::joined("all", &[("a", "x\ny\n"), ("b", "z\n")]);
        assert_eq!(text, "x\ny\nz\n");
        let loc = |at: u32| map.loc(3, Span::new(at, at + 1));
        assert_eq!(loc(2), Loc::at(3, 2, 1));
        assert_eq!(loc(4), Loc::at(4, 1, 1));
    }

    #[test]
    fn declarations_are_found() {
        let text =
            "/* fn f(a: i32) */ struct S { a: f32, b: f32 }\nfn f(@location(0) a: i32) ->\n @location(1) vec4f {}";
        let map = SourceMap::text("a.wgsl", text);
        let place = |span: Span| map.position(span.to_range().map_or(0, |r| r.start));
        assert_eq!((place(map.named_in("S", "b")), place(map.named_in("f", "a"))), ((1, 39), (2, 19)));
        assert_eq!(place(map.result_of("f")), (3, 2));
        assert_eq!(map.named_in("g", "a"), Span::UNDEFINED);
    }

    #[test]
    fn positions_count_lines_and_characters_from_one() {
        let map = SourceMap::text("a.wgsl", "ab\nµx\n");
        assert_eq!(map.position(0), (1, 1));
        assert_eq!(map.position(1), (1, 2));
        assert_eq!(map.position(3), (2, 1));
        assert_eq!(map.position(5), (2, 2));
        assert_eq!(map.position(999), (3, 1));
    }

    #[test]
    fn a_diagnostic_prints_place_message_and_help() {
        let map = SourceMap::text("a.wgsl", "let x;");
        let d = map.diagnostic(Span::new(4, 5), "no", "yes");
        assert_eq!(d.to_string(), "a.wgsl:1:5: no (yes)");
    }
}
