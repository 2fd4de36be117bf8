//! Words of records by name: no kernel compares the number of a word of the state or pass record
//! with a bare number. The tables of `quadlock_isa::records` have the names; a number that stands
//! in a kernel is one that no page, model or host follows.
//!
//! Looked for by the syntax: comparisons of `word` of a stream of type `StateWriteIn` or
//! `StateWriteOut`, whole or in part, and of the signals in [`OTHERS`], which carry such numbers.
//! It can miss one that goes through a signal which is not listed. Formats of such words that a
//! block declares with `fields!` are compared with the tables, too.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use quadlock_isa::records::{state, thread, Field};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{BinOp, Expr, Lit, Member};

/// File, signal: it has the number of a word, or of a command.
const OTHERS: &[(&str, &str)] = &[("command/streamer.rs", "count"), ("command/streamer.rs", "code")];

const HELP: &str = "a word of a record by a bare number: write its name in quadlock_isa::records, as \
                    bits::<6>(state::STENCIL_FRONT); where the record has no such name, add a row to its table";

fn sources(folder: &Path, root: &Path, found: &mut BTreeMap<String, String>) {
    for entry in std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()) {
        if entry.is_dir() {
            sources(&entry, root, found);
        } else if entry.extension().is_some_and(|e| e == "rs") {
            let name = entry.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/");
            found.insert(name, std::fs::read_to_string(&entry).unwrap());
        }
    }
}

/// Names of the fields that are streams of words.
#[derive(Default)]
struct Streams(BTreeSet<String>);

impl<'a> Visit<'a> for Streams {
    fn visit_field(&mut self, field: &'a syn::Field) {
        let mut types = Types::default();
        types.visit_type(&field.ty);
        if let (Some(name), true) = (&field.ident, types.found) {
            self.0.insert(name.to_string());
        }
    }
}

#[derive(Default)]
struct Types {
    found: bool,
}

impl<'a> Visit<'a> for Types {
    fn visit_ident(&mut self, name: &'a syn::Ident) {
        self.found |= name == "StateWriteIn" || name == "StateWriteOut";
    }
}

/// Comparisons with bare numbers in one file.
struct Raw<'a> {
    streams: &'a BTreeSet<String>,
    signals: Vec<&'static str>,
    lines: Vec<usize>,
}

/// The last name of a place.
fn last(place: &Expr) -> Option<String> {
    match place {
        Expr::Field(field) => match &field.member {
            Member::Named(name) => Some(name.to_string()),
            Member::Unnamed(_) => None,
        },
        Expr::Index(index) => last(&index.expr),
        _ => None,
    }
}

/// A bare number: one that is there without a constant beside it.
fn is_bare(value: &Expr) -> bool {
    match value {
        Expr::Lit(literal) => matches!(literal.lit, Lit::Int(_)),
        Expr::Paren(inside) => is_bare(&inside.expr),
        Expr::Call(call) => call.args.iter().any(is_bare),
        Expr::MethodCall(call) => is_bare(&call.receiver),
        Expr::Binary(both) => {
            let sides = [&*both.left, &*both.right];
            !sides.iter().any(|side| matches!(side, Expr::Path(_))) && sides.iter().any(|side| is_bare(side))
        }
        _ => false,
    }
}

impl Raw<'_> {
    /// Whether a value is the number of a word, or a part of it.
    fn is_number_of_word(&self, value: &Expr) -> bool {
        match value {
            Expr::Paren(inside) => self.is_number_of_word(&inside.expr),
            Expr::MethodCall(call) => self.is_number_of_word(&call.receiver),
            Expr::Field(field) => {
                let stream = last(&field.base).is_some_and(|name| self.streams.contains(&name));
                let name = last(value).unwrap_or_default();
                let name = if name == "q" { last(&field.base).unwrap_or_default() } else { name };
                stream && name == "word" || self.signals.contains(&name.as_str())
            }
            _ => false,
        }
    }
}

impl<'a> Visit<'a> for Raw<'_> {
    fn visit_expr_binary(&mut self, both: &'a syn::ExprBinary) {
        use BinOp::{Eq, Ge, Gt, Le, Lt, Ne};
        let compares = matches!(both.op, Eq(_) | Ne(_) | Lt(_) | Le(_) | Gt(_) | Ge(_));
        let sides = [(&both.left, &both.right), (&both.right, &both.left)];
        if compares && sides.iter().any(|(word, number)| self.is_number_of_word(word) && is_bare(number)) {
            self.lines.push(both.span().start().line);
        }
        visit::visit_expr_binary(self, both);
    }

    fn visit_expr_match(&mut self, choice: &'a syn::ExprMatch) {
        if self.is_number_of_word(&choice.expr) {
            self.lines.push(choice.span().start().line);
        }
        visit::visit_expr_match(self, choice);
    }
}

/// Files and lines with words by bare numbers.
fn raw(files: &BTreeMap<String, String>) -> Vec<(String, usize)> {
    let parsed: Vec<(&String, syn::File)> =
        files.iter().map(|(f, text)| (f, super::kernel_text::parse(text).unwrap())).collect();
    let mut streams = Streams::default();
    parsed.iter().for_each(|(_, file)| streams.visit_file(file));
    let of = |(name, file): &(&String, syn::File)| {
        let signals = OTHERS.iter().filter(|other| other.0 == name.as_str()).map(|other| other.1).collect();
        let mut raw = Raw { streams: &streams.0, signals, lines: vec![] };
        raw.visit_file(file);
        raw.lines.into_iter().map(|line| ((*name).clone(), line)).collect::<Vec<_>>()
    };
    parsed.iter().flat_map(of).collect()
}

#[test]
fn words_of_records_have_their_names() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = BTreeMap::new();
    sources(&root, &root, &mut files);
    let found = raw(&files);
    let lines: Vec<String> = found.iter().map(|(file, line)| format!("hdl/src/{file}:{line}: {HELP}")).collect();
    assert!(files.len() > 150 && found.is_empty(), "{} raw words\n{}", found.len(), lines.join("\n"));
    for (file, signal) in OTHERS {
        let there = files.get(*file).is_some_and(|text| text.contains(&format!("self.{signal}.")));
        assert!(there, "{file} has no {signal}: take it out of OTHERS");
    }
}

/// Each line that says `raw` has one, the others have none.
const FIXTURE: &str = "
pub struct Block { pub state: StateWriteIn, pub others: Each<StateWriteOut>, pub corner: CornerIn, count: DFF<Bits<9>> }
impl Logic for Block {
    fn update(&mut self) {
        self.a.next = self.state.word.val() == bits::<6>(21); // raw
        self.a.next = self.state.pass.val() && (bits::<6>(0x15) != self.state.word.val()); // raw
        self.a.next = self.state.word.val().get_bits::<4>(2) >= bits::<4>(7); // raw
        self.a.next = self.others[1].word.val() == (bits::<6>(28) | t.to_bits::<6>()); // raw
        self.a.next = self.state.word.val() < 7; // raw
        self.a.next = self.state.word.val() == bits::<6>(20 + 1); // raw
        self.a.next = self.count.q.val() == bits::<9>(36); // raw
        match self.state.word.val() { _ => {} } // raw
        self.a.next = self.state.word.val() == bits::<6>(state::STENCIL_FRONT);
        self.a.next = self.state.word.val() < bits::<6>(state::BIAS_CLAMP + 1);
        self.a.next = self.state.word.val().get_bits::<4>(2) == bits::<4>(state::TARGET_BLEND / 4);
        self.a.next = self.state.word.val() == (bits::<6>(state::TARGET_BLEND) | t.to_bits::<6>());
        self.a.next = self.state.word.val().get_bits::<4>(2) == i.to_bits::<4>();
        self.a.next = self.state.word.val() == self.corner.word.val();
        self.a.next = self.corner.word.val() == bits::<6>(63);
        self.a.next = self.state.data.val().get_bits::<3>(4) == bits::<3>(5);
        self.a.next = self.counts.q.val() == bits::<9>(36);
    }
}
";

#[test]
fn bare_numbers_of_words_are_found() {
    let files = BTreeMap::from([("command/streamer.rs".to_owned(), FIXTURE.to_owned())]);
    let found: Vec<usize> = raw(&files).into_iter().map(|f| f.1).collect();
    let lines = FIXTURE.lines().zip(1..).filter(|(line, _)| line.ends_with("// raw"));
    assert_eq!(found, lines.map(|(_, n)| n).collect::<Vec<usize>>());
    // The signals of one file are no words in another.
    let elsewhere = BTreeMap::from([("raster/other.rs".to_owned(), FIXTURE.to_owned())]);
    assert_eq!(raw(&elsewhere).len(), found.len() - 1);
}

/// File, format, bit of the word at which the format begins, and the field of the table that each
/// of its fields is.
type Format = (&'static str, &'static str, u32, &'static [(&'static str, Field)]);

const FORMATS: &[Format] = &[
    ("dispatch/records.rs", "Thread", 0, &[("pc", thread::PC), ("mask", thread::MASK), ("count", thread::REQUESTS)]),
    (
        "dispatch/records.rs",
        "ListRequest",
        0,
        &[("wanted", thread::SEMAPHORE), ("auto", thread::AUTO_RELEASE), ("suppress", thread::SUPPRESS)],
    ),
    (
        "raster/modes.rs",
        "ModeWord",
        5,
        &[
            ("function", state::DEPTH_FUNCTION),
            ("depth_test", state::DEPTH_TEST),
            ("depth_write", state::DEPTH_WRITE),
            ("stencil_test", state::STENCIL_TEST),
            ("asked", state::EARLY_TESTS),
            ("single", state::PER_SAMPLE),
            ("splits", state::SPLITS),
            ("apart", state::APART),
            ("discards", state::DISCARDS),
            ("moves", state::WRITES_DEPTH),
            ("masks", state::WRITES_MASK),
            ("stores", state::STORES),
        ],
    ),
    (
        "output/depth/test_unit.rs",
        "StencilWord",
        0,
        &[
            ("word_function", state::STENCIL_FUNCTION),
            ("word_fails", state::STENCIL_FAIL),
            ("word_depth_fails", state::STENCIL_DEPTH_FAIL),
            ("word_passes", state::STENCIL_PASS),
        ],
    ),
    (
        "output/blend/word.rs",
        "Equation",
        0,
        &[
            ("mask", state::TARGET_MASK),
            ("blends", state::BLENDS),
            ("source", state::COLOUR_SOURCE),
            ("destination", state::COLOUR_DESTINATION),
            ("operation", state::COLOUR_OPERATION),
            ("alpha_source", state::ALPHA_SOURCE),
            ("alpha_destination", state::ALPHA_DESTINATION),
            ("alpha_operation", state::ALPHA_OPERATION),
        ],
    ),
];

/// Fields of a `fields!` format in a source: name, highest and lowest bit.
fn format(source: &str, name: &str) -> Vec<(String, u32, u32)> {
    let (_, body) = source.split_once(&format!("trait {name}: ")).unwrap_or_else(|| panic!("no format {name}"));
    let (body, _) = body.split_once("\n    }").unwrap();
    let field = |line: &str| {
        let (name, place) = line.trim().strip_suffix(',')?.split_once(": ")?;
        let (width, low) = place.split_once(" @ ")?;
        let (width, low): (u32, u32) = (if width == "bit" { 1 } else { width.parse().ok()? }, low.parse().ok()?);
        Some((name.to_owned(), low + width - 1, low))
    };
    body.lines().filter(|line| !line.trim_start().starts_with("//")).filter_map(field).collect()
}

/// Fields of words that kernels name with `fields!` are those of the tables.
#[test]
fn formats_of_words_are_those_of_the_tables() {
    for (file, name, lowest, fields) in FORMATS {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(file);
        let found = format(&std::fs::read_to_string(path).unwrap(), name);
        let of = |(name, field): &(&str, Field)| ((*name).to_owned(), field.high - lowest, field.low - lowest);
        assert_eq!(found, fields.iter().map(of).collect::<Vec<_>>(), "{file}: {name}");
    }
}
