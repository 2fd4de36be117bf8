//! Keys: 128 bits of xxHash3 over named parts. The hash is no defence against somebody who makes
//! collisions on purpose; whoever can write into the folder can do worse than that.

use std::fmt;

use xxhash_rust::xxh3::{xxh3_128, Xxh3};

/// Names a result by what it was made of.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key(pub u128);

impl Key {
    /// Of one byte string.
    pub fn of(bytes: &[u8]) -> Self {
        Self(xxh3_128(bytes))
    }

    /// Begins a key of several parts.
    pub fn builder() -> KeyBuilder {
        KeyBuilder { hash: Xxh3::new() }
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A key in the making.
pub struct KeyBuilder {
    hash: Xxh3,
}

impl KeyBuilder {
    /// Adds a part with its name. Lengths are hashed too, so that no two lists of parts are alike.
    #[must_use]
    pub fn part(mut self, name: &str, bytes: impl AsRef<[u8]>) -> Self {
        for bytes in [name.as_bytes(), bytes.as_ref()] {
            self.hash.update(&(bytes.len() as u64).to_le_bytes());
            self.hash.update(bytes);
        }
        self
    }

    /// The key of the parts so far.
    pub fn finish(self) -> Key {
        Key(self.hash.digest128())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_counts_and_so_does_where_it_ends() {
        let of = |parts: &[(&str, &str)]| parts.iter().fold(Key::builder(), |k, (n, v)| k.part(n, v)).finish();
        let keys = [
            of(&[("a", "bc"), ("d", "e")]),
            of(&[("a", "b"), ("cd", "e")]),
            of(&[("a", "bc"), ("de", "")]),
            of(&[("abc", "de")]),
            of(&[("d", "e"), ("a", "bc")]),
            of(&[]),
        ];
        for (i, key) in keys.iter().enumerate() {
            assert!(!keys[..i].contains(key), "{i}: {key}");
        }
        assert_eq!(keys[0], of(&[("a", "bc"), ("d", "e")]));
        assert_eq!(Key(0xab).to_string(), format!("{:0>32}", "ab"));
    }
}
