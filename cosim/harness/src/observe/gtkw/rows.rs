//! Lines of GTKWave's save file. A row is a signal under a name that a reader knows, in its format;
//! a group can be open or closed. GTKWave shows of a signal without a name of its own only the last
//! part of its path, which for a register is `q`.

use crate::observe::wave::TracedSignal;
use crate::view::labels::Table;

// Flags of a row in GTKWave's save file.
const HEX: u32 = 0x22;
const BINARY: u32 = 0x28;
const DECIMAL: u32 = 0x24;
const TRANSLATED: u32 = 0x2000;
/// By the table of names in the file, which GTKWave looks up in binary.
const TABLED: u64 = 1 << 32;
const GROUP_BEGIN: u32 = 0x80_0200;
const GROUP_END: u32 = 0x100_0200;
/// Of a closed group: at its beginning, and at its end.
const CLOSED: u32 = 0x40_0000;
const CLOSED_END: u32 = 0x40_1000;

/// How the value of a row is written.
#[derive(Clone, Debug)]
pub enum Format<'a> {
    /// Binary to four bits, above that hexadecimal.
    Plain,
    Decimal,
    /// By the names of a translate file.
    Named(&'a Table),
    /// By the names that an FST file has for the variable. GTKWave uses no translate file with such
    /// a variable.
    Tabled,
}

impl Format<'_> {
    fn line(&self, width: u32) -> String {
        match self {
            Self::Plain if width <= 4 => format!("@{BINARY:x}\n"),
            Self::Plain => format!("@{HEX:x}\n"),
            Self::Decimal => format!("@{DECIMAL:x}\n"),
            Self::Tabled => format!("@{:x}\n", u64::from(BINARY) | TABLED),
            Self::Named(table) => {
                let radix = if table.binary { BINARY } else { HEX };
                format!("@{:x}\n^1 {}\n", radix | TRANSLATED, table.translate_file())
            }
        }
    }
}

/// Rows, in order.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    text: String,
    /// What GTKWave shows as the names of the rows, and the paths of the signals.
    pub shown: Vec<(String, String)>,
}

fn reference(signal: &TracedSignal) -> String {
    match signal.width {
        1 => signal.path.clone(),
        w => format!("{}[{}:0]", signal.path, w - 1),
    }
}

impl Rows {
    pub fn is_empty(&self) -> bool {
        self.shown.is_empty()
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// A signal under its own name.
    pub fn signal(&mut self, signal: &TracedSignal, format: &Format) {
        let reference = reference(signal);
        self.text += &format!("{}{reference}\n", format.line(signal.width));
        let leaf = reference.rsplit('.').next().unwrap_or(&reference).to_owned();
        self.shown.push((leaf, signal.path.clone()));
    }

    /// A signal under another name.
    pub fn alias(&mut self, name: &str, signal: &TracedSignal, format: &Format) {
        self.text += &format!("{}+{{{name}}} {}\n", format.line(signal.width), reference(signal));
        self.shown.push((name.to_owned(), signal.path.clone()));
    }

    /// Bits `high` to `low` of a signal. GTKWave counts the bits of a vector from the left.
    pub fn field(&mut self, name: &str, signal: &TracedSignal, high: u32, low: u32, format: &Format) {
        let reference = reference(signal);
        let bits = (signal.width - 1 - high..signal.width - low).map(|i| format!(" ({i}){reference}"));
        self.text += &format!("{}#{{{name}}}{}\n", format.line(high - low + 1), bits.collect::<String>());
        self.shown.push((name.to_owned(), signal.path.clone()));
    }

    /// A group, if it has rows.
    pub fn group(&mut self, title: &str, open: bool, rows: Rows) {
        if rows.is_empty() {
            return;
        }
        let (begin, end) = if open { (0, 0) } else { (CLOSED, CLOSED_END) };
        self.text += &format!("@{:x}\n-{title}\n{}", GROUP_BEGIN | begin, rows.text);
        self.text += &format!("@{:x}\n-{title}\n", GROUP_END | end);
        self.shown.extend(rows.shown);
    }
}
