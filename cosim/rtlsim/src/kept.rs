//! What is kept on disk of a design: the graph that its text means, and the code it compiles to.
//! A [`Store`] has the bytes; here is what they are, and under which keys.
//!
//! The key of a graph has the hash of its text and of this crate's sources. The key of code has the
//! graph's, all [`Options`], Cranelift's version with its settings, and the instructions of this
//! machine. On a hit nothing is parsed, optimised or planned, and graphs are not even decoded until
//! somebody wants names. It is wrong if something is missing in a key: `tests/kept.rs` changes each
//! part.

use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use quadlock_cache::{Key, Store};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The hash of this crate's sources, its manifest and the lock file (`build.rs`).
pub const SOURCES: &str = env!("RTLSIM_SOURCES");

/// Plain data as bytes.
pub(crate) fn encode<T: Serialize>(value: &T) -> Vec<u8> {
    // Writing plain data into memory cannot fail.
    postcard::to_stdvec(value).expect("plain data")
}

/// The data of such bytes; `None` if they are of another type.
pub(crate) fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    postcard::from_bytes(bytes).ok()
}

/// Bytes that are compressed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Packed(#[serde(with = "raw")] Vec<u8>);

impl Packed {
    pub fn of(bytes: &[u8]) -> Self {
        Self(lz4_flex::compress_prepend_size(bytes))
    }

    pub fn bytes(&self) -> Option<Vec<u8>> {
        lz4_flex::decompress_size_prepended(&self.0).ok()
    }
}

/// Byte strings as one piece: serde's own way goes byte by byte.
pub(crate) mod raw {
    use serde::de::{Error, Visitor};
    use serde::{Deserializer, Serializer};

    pub fn serialize<S: Serializer>(bytes: &[u8], to: S) -> Result<S::Ok, S::Error> {
        to.serialize_bytes(bytes)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
        struct Bytes;

        impl Visitor<'_> for Bytes {
            type Value = Vec<u8>;

            fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                f.write_str("bytes")
            }

            fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
                Ok(bytes.to_vec())
            }
        }
        from.deserialize_bytes(Bytes)
    }
}

/// A value, or the packed bytes of one, which are decoded when somebody looks at it.
#[derive(Debug)]
pub struct Stored<T> {
    value: OnceLock<T>,
    packed: Option<Packed>,
}

impl<T> Stored<T> {
    pub(crate) fn new(value: T) -> Self {
        Self { value: OnceLock::from(value), packed: None }
    }

    pub(crate) fn packed(packed: Packed) -> Self {
        Self { value: OnceLock::new(), packed: Some(packed) }
    }
}

impl<T: DeserializeOwned> Deref for Stored<T> {
    type Target = T;

    /// # Panics
    /// Bytes that are of no such value. The store has checked that they are those that were
    /// written under a key which has the hash of this source, so that is a mistake here.
    fn deref(&self) -> &T {
        self.value.get_or_init(|| {
            let bytes = self.packed.as_ref().and_then(Packed::bytes);
            bytes.and_then(|b| decode(&b)).expect("a kept value of another type")
        })
    }
}

/// A store and the key of one thing in it.
#[derive(Clone)]
pub struct Place {
    store: Arc<dyn Store>,
    key: Key,
}

impl std::fmt::Debug for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.key)
    }
}

impl Place {
    /// Of what the Verilog of that hash means, with that module on top.
    pub(crate) fn of_text(store: &Arc<dyn Store>, text: Key, top: Option<&str>) -> Self {
        let key = Key::builder().part("sources", SOURCES).part("text", text.0.to_le_bytes());
        let key = key.part("top", top.unwrap_or("\0")).finish();
        Self { store: store.clone(), key }
    }

    /// Of something that is made of this and a part more.
    pub(crate) fn inside(&self, name: &str, part: impl AsRef<[u8]>) -> Self {
        let key = Key::builder().part("of", self.key.0.to_le_bytes()).part(name, part).finish();
        Self { store: self.store.clone(), key }
    }

    pub(crate) fn load(&self, kind: &str) -> Option<Vec<u8>> {
        self.store.load(kind, self.key)
    }

    pub(crate) fn keep(&self, kind: &str, bytes: &[u8]) {
        self.store.keep(kind, self.key, bytes);
    }
}
