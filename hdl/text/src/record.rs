//! A block as a row of bytes: its signals and constants, the blocks in it, its kernel. The text of
//! its module is made from these bytes and from the kernel that they hold, and from nothing else:
//! so two blocks with the same bytes have the same text, and the second one's is not made.
//!
//! It is wrong if text is made from something that is not in the bytes; only [`crate::print`] makes
//! any, from the [`parts`] and the kernel.

use std::rc::Rc;

use rust_hdl::prelude::*;

const ATOM: u8 = 0;
const LABEL: u8 = 1;
const CHILD: u8 = 2;
const KERNEL: u8 = 3;

/// A signal or constant.
#[derive(Clone, Copy)]
pub(crate) struct AtomPart<'a> {
    pub(crate) kind: AtomKind,
    pub(crate) signed: bool,
    pub(crate) width: usize,
    pub(crate) name: &'a str,
    /// Value of a constant; nothing for others.
    pub(crate) value: &'a str,
}

impl AtomPart<'_> {
    /// It is a port.
    pub(crate) fn is_port(&self) -> bool {
        self.kind.is_parameter()
    }
}

/// A variant of an enumeration that an atom's type names.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct LabelPart<'a> {
    pub(crate) enumeration: &'a str,
    pub(crate) label: &'a str,
    pub(crate) value: usize,
}

/// What a block consists of, besides its kernel.
pub(crate) enum Part<'a> {
    Atom(AtomPart<'a>),
    Label(LabelPart<'a>),
    /// A block in it, by the number of its kind.
    Child {
        name: &'a str,
        kind: usize,
    },
}

/// What is known of a kind of block when it is named in another one.
pub(crate) struct Kind {
    /// Its record.
    pub(crate) record: Rc<[u8]>,
    /// Number of its module.
    pub(crate) module: usize,
}

/// The bytes of a block, while it is visited.
#[derive(Default)]
pub(crate) struct Record(pub(crate) Vec<u8>);

/// Kinds of atoms, by their byte.
const KINDS: [AtomKind; 5] = [
    AtomKind::InputParameter,
    AtomKind::OutputParameter,
    AtomKind::InOutParameter,
    AtomKind::Constant,
    AtomKind::LocalSignal,
];

impl Record {
    /// Adds an atom, and the enumerations of its type before it, as rust-hdl does. False if its
    /// kind is none that a block declares.
    pub(crate) fn atom(&mut self, name: &str, signal: &dyn Atom) -> bool {
        let kind = signal.kind();
        let Some(code) = KINDS.iter().position(|k| *k == kind) else { return false };
        let descriptor = signal.descriptor();
        self.labels(&descriptor);
        self.0.extend([ATOM, code as u8, u8::from(matches!(descriptor.kind, TypeKind::Signed(_)))]);
        self.number(signal.bits());
        self.text(name);
        if kind == AtomKind::Constant {
            self.text(&signal.verilog().to_string());
        }
        true
    }

    fn labels(&mut self, descriptor: &TypeDescriptor) {
        match &descriptor.kind {
            TypeKind::Enum(labels) => {
                for (value, label) in labels.iter().enumerate() {
                    self.0.push(LABEL);
                    self.number(value);
                    self.text(&descriptor.name);
                    self.text(label);
                }
            }
            TypeKind::Composite(fields) => fields.iter().for_each(|field| self.labels(&field.kind)),
            TypeKind::Bits(_) | TypeKind::Signed(_) => {}
        }
    }

    /// Adds a block in it.
    pub(crate) fn child(&mut self, name: &str, kind: usize) {
        self.0.push(CHILD);
        self.number(kind);
        self.text(name);
    }

    /// Marks the beginning of the kernel.
    pub(crate) fn kernel(&mut self) {
        self.0.push(KERNEL);
    }

    /// Adds a byte that says what follows.
    pub(crate) fn tag(&mut self, tag: u8) {
        self.0.push(tag);
    }

    pub(crate) fn number(&mut self, number: usize) {
        let number = u32::try_from(number).expect("widths, counts and lengths are below 4 G");
        self.0.extend(number.to_le_bytes());
    }

    /// Adds a text with its length before it, so that two never read as one.
    pub(crate) fn text(&mut self, text: &str) {
        self.number(text.len());
        self.0.extend(text.as_bytes());
    }
}

/// Reads a record from its beginning.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn bytes(&mut self, count: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(count);
        self.0 = rest;
        taken
    }
    fn byte(&mut self) -> u8 {
        self.bytes(1)[0]
    }
    fn number(&mut self) -> usize {
        u32::from_le_bytes(self.bytes(4).try_into().expect("four bytes")) as usize
    }
    fn text(&mut self) -> &'a str {
        let length = self.number();
        std::str::from_utf8(self.bytes(length)).expect("a record holds text")
    }
}

/// The parts that a record holds, in the order in which they were visited.
pub(crate) fn parts(record: &[u8]) -> impl Iterator<Item = Part<'_>> {
    let mut reader = Reader(record);
    std::iter::from_fn(move || match reader.byte() {
        ATOM => {
            let (kind, signed) = (KINDS[usize::from(reader.byte())], reader.byte() == 1);
            let (width, name) = (reader.number(), reader.text());
            let value = if kind == AtomKind::Constant { reader.text() } else { "" };
            Some(Part::Atom(AtomPart { kind, signed, width, name, value }))
        }
        LABEL => {
            let (value, enumeration, label) = (reader.number(), reader.text(), reader.text());
            Some(Part::Label(LabelPart { enumeration, label, value }))
        }
        CHILD => {
            let (kind, name) = (reader.number(), reader.text());
            Some(Part::Child { name, kind })
        }
        // The kernel.
        _ => None,
    })
}

/// The atoms that a record holds.
pub(crate) fn atoms(record: &[u8]) -> impl Iterator<Item = AtomPart<'_>> {
    parts(record).filter_map(|part| match part {
        Part::Atom(atom) => Some(atom),
        _ => None,
    })
}
