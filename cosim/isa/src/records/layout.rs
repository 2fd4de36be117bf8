//! What a record is: words, fields of words, and the macro that declares a table of them.

use std::ops::{Index, IndexMut};

/// Some bits of a word of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Number of the word. Where each target has such a word, it is that of target 0.
    pub word: u64,
    /// Highest bit.
    pub high: u32,
    /// Lowest bit.
    pub low: u32,
}

impl Field {
    const fn ones(self) -> u32 {
        u32::MAX >> (31 - (self.high - self.low))
    }

    /// The field's value in its word.
    pub const fn of(self, word: u32) -> u32 {
        word >> self.low & self.ones()
    }

    /// Whether it is not 0 in its word.
    pub const fn is_set(self, word: u32) -> bool {
        self.of(word) != 0
    }

    /// A word with this value in the field, and zeros.
    pub const fn put(self, value: u32) -> u32 {
        (value & self.ones()) << self.low
    }

    /// The same field, `words` words further on.
    pub const fn after(self, words: u64) -> Self {
        Self { word: self.word + words, ..self }
    }
}

/// A field in a table.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// Name of the constant.
    pub name: &'static str,
    /// Where it is.
    pub field: Field,
    /// What it says.
    pub meaning: &'static str,
}

/// A word in a table, or one word for each of several targets or buffers.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Name of the constant.
    pub name: &'static str,
    /// Number of the word, or of the first of several.
    pub word: u64,
    /// How many there are.
    pub count: u64,
    /// From one to the next.
    pub step: u64,
    /// What it says.
    pub meaning: &'static str,
    /// Fields of the word; none if it is one number.
    pub parts: &'static [Part],
}

impl Row {
    /// The numbers of its words.
    pub fn words(&self) -> impl Iterator<Item = u64> + '_ {
        (0..self.count).map(|n| self.word + n * self.step)
    }

    /// The numbers as a page says them: `6`, `24, 25`, `28 to 31`, `4 + 4 t`.
    pub fn numbers(&self) -> String {
        let (first, last) = (self.word, self.word + self.step * (self.count - 1));
        match (self.count, self.step) {
            (1, _) => first.to_string(),
            (2, 1) => format!("{first}, {last}"),
            (_, 1) => format!("{first} to {last}"),
            (_, step) => format!("{first} + {step} t"),
        }
    }
}

/// A table: all words of a record that say something.
#[derive(Clone, Copy, Debug)]
pub struct Record {
    /// What it is.
    pub title: &'static str,
    /// Words that it has.
    pub words: usize,
    /// Its words, in order.
    pub rows: &'static [Row],
}

impl Record {
    /// The name of a word. Where each target has such a word, the target's number is behind the
    /// name.
    pub fn name(&self, word: u64) -> Option<String> {
        self.rows.iter().find_map(|row| {
            let n = row.words().position(|w| w == word)?;
            Some(if row.count > 1 { format!("{} {n}", row.name) } else { row.name.to_owned() })
        })
    }

    /// The table of a page. It has a column for bits if a word has fields.
    pub fn markdown(&self) -> String {
        let fields = self.rows.iter().any(|row| !row.parts.is_empty());
        let (bits, line, none) = if fields { (" bits |", " --- |", " |") } else { ("", "", "") };
        let mut text = format!("| word | name |{bits} meaning |\n| --- | --- |{line} --- |\n");
        let bits = |f: Field| if f.high == f.low { f.low.to_string() } else { format!("{}:{}", f.high, f.low) };
        for row in self.rows {
            text += &format!("| {} | `{}` |{none} {} |\n", row.numbers(), row.name, row.meaning.trim());
            for part in row.parts {
                text += &format!("| | `{}` | {} | {} |\n", part.name, bits(part.field), part.meaning.trim());
            }
        }
        text
    }

    /// The numbers of the words as macros of Verilog, for the proofs.
    pub fn verilog(&self, prefix: &str) -> String {
        self.rows.iter().map(|row| format!("`define {prefix}_{} {}\n", row.name, row.word)).collect()
    }
}

/// The words of a record, by the numbers of its table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Words<const N: usize>(pub [u32; N]);

impl<const N: usize> Default for Words<N> {
    fn default() -> Self {
        Self([0; N])
    }
}

impl<const N: usize> Words<N> {
    /// The value of a field.
    pub fn get(&self, field: Field) -> u32 {
        field.of(self[field.word])
    }

    /// Whether a field is not 0.
    pub fn has(&self, field: Field) -> bool {
        field.is_set(self[field.word])
    }

    /// Replaces the value of a field.
    pub fn set(&mut self, field: Field, value: u32) {
        let others = self[field.word] & !field.put(u32::MAX);
        self[field.word] = others | field.put(value);
    }

    /// So many words from one on.
    pub fn array<const K: usize>(&self, first: u64) -> [u32; K] {
        std::array::from_fn(|k| self.0[first as usize + k])
    }

    /// Replaces words from one on.
    pub fn replace(&mut self, first: u64, words: &[u32]) {
        self.0[first as usize..][..words.len()].copy_from_slice(words);
    }
}

impl<const N: usize> Index<u64> for Words<N> {
    type Output = u32;

    fn index(&self, word: u64) -> &u32 {
        &self.0[word as usize]
    }
}

impl<const N: usize> IndexMut<u64> for Words<N> {
    fn index_mut(&mut self, word: u64) -> &mut u32 {
        &mut self.0[word as usize]
    }
}

/// Declares a record: of each word `/// meaning` and `NAME = number`, then `, count every step` if
/// there is one for each of several things, then its fields, `NAME [high:low]` or `NAME [bit]`. The
/// names become constants: of words their numbers, of fields a [`Field`]. `RECORD` is the table,
/// `WORDS` the length, `Words` the type of its words.
macro_rules! record {
    ($title:literal, $words:literal words;
        $(
            $(#[doc = $meaning:literal])+
            $name:ident = $word:literal $(, $count:literal every $step:literal)? $({
                $($(#[doc = $says:literal])+ $field:ident [$high:literal $(: $low:literal)?],)+
            })?;
        )+
    ) => {
        /// Words of the record.
        pub const WORDS: usize = $words;
        /// The words of one such record.
        pub type Words = $crate::records::Words<$words>;
        $(
            $(#[doc = $meaning])+
            pub const $name: u64 = $word;
            $($(
                $(#[doc = $says])+
                pub const $field: $crate::records::Field =
                    $crate::records::Field { word: $word, high: $high, low: record!(@last $high $($low)?) };
            )+)?
        )+
        /// The table.
        pub const RECORD: $crate::records::Record = $crate::records::Record {
            title: $title,
            words: $words,
            rows: &[$($crate::records::Row {
                name: stringify!($name),
                word: $word,
                count: record!(@last 1 $($count)?),
                step: record!(@last 1 $($step)?),
                meaning: concat!($($meaning),+),
                parts: &[$($($crate::records::Part {
                    name: stringify!($field),
                    field: $field,
                    meaning: concat!($($says),+),
                }),+)?],
            }),+],
        };
    };
    (@last $usual:literal) => { $usual };
    (@last $usual:literal $given:literal) => { $given };
}

pub(crate) use record;
