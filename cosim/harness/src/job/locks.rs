//! The key `locks` of a buffer: which of its words are locks, and who may give them back (WW-28).
//! Checked against the buffer's size before anything runs, so that a declaration that meets nothing
//! is no silent one.

use serde::Deserialize;

use crate::machine::layout::Region;
use crate::machine::locks::{LockRule, LockWords};

/// `locks = "owned"`, or `locks = { rule = "owned", first = 0, count = 8, every = 4 }`.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(untagged, expecting = "`locks` is \"owned\", \"any\", or a table with rule, first, count and every")]
pub enum LockSpec {
    Whole(Rule),
    Part(Part),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// Only who took one gives it back.
    Owned,
    /// Anybody may.
    Any,
}

/// Words of a buffer.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    rule: Rule,
    /// The first lock, in words from the buffer's start.
    #[serde(default)]
    first: u32,
    /// How many; without it all to the buffer's end.
    count: Option<u32>,
    /// Words from one lock to the next.
    #[serde(default = "one")]
    every: u32,
}

fn one() -> u32 {
    1
}

impl LockSpec {
    /// The words in a buffer that is placed there.
    ///
    /// # Errors
    /// What is not possible, and what to do.
    pub fn words(self, region: Region) -> Result<LockWords, (String, &'static str)> {
        let Part { rule, first, count, every } = match self {
            Self::Whole(rule) => Part { rule, first: 0, count: None, every: 1 },
            Self::Part(part) => part,
        };
        if every == 0 {
            return Err(("locks: every = 0".into(), "give the words from one lock to the next, at least 1"));
        }
        let there = (region.size / 4).saturating_sub(first).div_ceil(every);
        let count = count.unwrap_or(there);
        if count == 0 || count > there {
            let what = format!(
                "locks: {count} words from word {first} on, every {every}, in a buffer of {} bytes",
                region.size
            );
            return Err((what, "declare words that the buffer has: first, count and every are in words of 4 bytes"));
        }
        let rule = if rule == Rule::Owned { LockRule::Owned } else { LockRule::Any };
        Ok(LockWords { first: region.addr + 4 * first, count, step: every.saturating_mul(4), rule })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Deserialize)]
    struct Buffer {
        locks: LockSpec,
    }

    fn words(text: &str) -> Result<LockWords, String> {
        let buffer: Buffer = toml::from_str(text).map_err(|e| e.message().to_owned())?;
        buffer.locks.words(Region { addr: 0x1000, size: 64 }).map_err(|e| e.0)
    }

    #[test]
    fn a_buffer_is_all_locks_or_some_of_its_words_are() {
        let all = LockWords { first: 0x1000, count: 16, step: 4, rule: LockRule::Owned };
        assert_eq!(words("locks = \"owned\""), Ok(all));
        assert_eq!(words("locks = \"any\""), Ok(LockWords { rule: LockRule::Any, ..all }));
        let some = words("locks = { rule = \"owned\", first = 1, every = 4 }").unwrap();
        assert_eq!(some, LockWords { first: 0x1004, count: 4, step: 16, ..all });
        assert!(some.contains(0x1014) && !some.contains(0x1010) && !some.contains(0x1044) && !some.contains(0x1000));
    }

    #[test]
    fn what_the_buffer_has_not_is_refused() {
        for (text, what) in [
            ("locks = \"mine\"", "`locks` is \"owned\", \"any\""),
            ("locks = { first = 0 }", "`locks` is"),
            ("locks = { rule = \"owned\", at = 0 }", "`locks` is"),
            ("locks = { rule = \"owned\", every = 0 }", "every = 0"),
            ("locks = { rule = \"owned\", first = 16 }", "0 words from word 16"),
            ("locks = { rule = \"owned\", count = 5, every = 4 }", "5 words"),
        ] {
            let error = words(text).unwrap_err();
            assert!(error.contains(what), "{text}: {error}");
        }
    }
}
