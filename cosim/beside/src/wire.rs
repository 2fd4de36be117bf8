//! Messages between `quadlock fuzz --beside` and the judge, which is a process of its own.
//!
//! A message is its length in four bytes, least first, and then its bytes by `postcard`. The judge
//! first says that it is ready; then it answers each request with one message. A message that is
//! too long, cut off or not readable is an error on either side, never a panic.

use std::io::{Read, Write};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::scene::Scene;
use crate::wgsl::STAGES;

/// Both sides must have the same.
pub const VERSION: u32 = 1;

/// Most bytes of a message.
pub const MOST: u32 = 1 << 28;

/// The package of Debian that has the judge's driver.
pub const PACKAGE: &str = "mesa-vulkan-drivers";

/// What the judge is asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Request {
    /// The picture of a scene.
    Picture(Scene),
    /// Every triangle of a draw alone, without tests and blending.
    Stages {
        /// The scene.
        scene: Scene,
        /// Number of the draw.
        draw: u32,
    },
}

/// What it answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Answer {
    /// It can draw.
    Ready {
        /// Its [`VERSION`].
        version: u32,
        /// The driver's name and version.
        name: String,
    },
    /// It cannot draw, and why.
    NoVulkan(String),
    /// Of [`Request::Picture`].
    Picture(Picture),
    /// Of [`Request::Stages`], in order of the triangles.
    Stages(Vec<Stage>),
    /// The scene was not drawn.
    Failed(String),
}

/// All samples of a scene's targets, by pixel and sample.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Picture {
    /// Of each target four components: of 8-bit formats the code, else the bits of an f32.
    pub targets: Vec<Vec<[u32; 4]>>,
    /// Of 24 bits.
    pub depth: Vec<u32>,
    /// Of 8 bits.
    pub stencil: Vec<u8>,
}

/// One triangle alone: the words of each sample, and its depth.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stage {
    /// Of each run the bits of four f32.
    pub words: [Vec<[u32; 4]>; STAGES],
    /// Of 24 bits.
    pub depth: Vec<u32>,
}

impl Stage {
    /// A word of a sample ([`crate::wgsl::word`]), as bits.
    pub fn bits(&self, sample: usize, word: usize) -> u32 {
        self.words[word / 4].get(sample).map_or(0, |words| words[word % 4])
    }

    /// The same as a number.
    pub fn word(&self, sample: usize, word: usize) -> f32 {
        f32::from_bits(self.bits(sample, word))
    }

    /// The triangle covers that sample.
    pub fn covers(&self, sample: usize) -> bool {
        self.word(sample, crate::wgsl::word::FACING) != 0.0
    }

    /// It shows its front there.
    pub fn front(&self, sample: usize) -> bool {
        self.word(sample, crate::wgsl::word::FACING) == 2.0
    }
}

/// Why a message was not read or written.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum WireError {
    #[error("{0}")]
    Io(#[from] std::io::Error),
    #[error("a message of {0} bytes, at most {MOST} are allowed")]
    Long(u32),
    #[error("a message that is none: {0}")]
    Form(#[from] postcard::Error),
}

/// Writes a message.
///
/// # Errors
/// The other side reads no more, or the message is too long.
pub fn send<T: Serialize>(to: &mut impl Write, message: &T) -> Result<(), WireError> {
    let bytes = postcard::to_stdvec(message)?;
    let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
    if length > MOST {
        return Err(WireError::Long(length));
    }
    to.write_all(&length.to_le_bytes())?;
    to.write_all(&bytes)?;
    Ok(to.flush()?)
}

/// Reads a message; `None` at the end of the input.
///
/// # Errors
/// The input is cut off, or what it has is no message.
pub fn receive<T: DeserializeOwned>(from: &mut impl Read) -> Result<Option<T>, WireError> {
    let mut length = [0; 4];
    match from.read(&mut length)? {
        0 => return Ok(None),
        n => from.read_exact(&mut length[n..])?,
    }
    let length = u32::from_le_bytes(length);
    if length > MOST {
        return Err(WireError::Long(length));
    }
    let mut bytes = vec![];
    from.take(length.into()).read_to_end(&mut bytes)?;
    if bytes.len() < length as usize {
        return Err(std::io::Error::from(std::io::ErrorKind::UnexpectedEof).into());
    }
    Ok(Some(postcard::from_bytes(&bytes)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::tests::plain;

    #[test]
    fn messages_come_back() {
        let request = Request::Stages { scene: plain(&[[0.0, 1.0, 0.5, 1.0]; 3]), draw: 0 };
        let mut bytes = vec![];
        send(&mut bytes, &request).unwrap();
        send(&mut bytes, &Answer::Failed("no".into())).unwrap();
        let input = &mut &bytes[..];
        assert_eq!(receive::<Request>(input).unwrap(), Some(request));
        assert_eq!(receive::<Answer>(input).unwrap(), Some(Answer::Failed("no".into())));
        assert_eq!(receive::<Answer>(input).unwrap(), None);
    }

    #[test]
    fn what_is_no_message_is_an_error() {
        for bytes in [&b"no"[..], b"not a message", &[4, 0, 0, 0, 9, 9, 9, 9], &[5, 0, 0, 0, 0]] {
            assert!(receive::<Answer>(&mut &*bytes).is_err(), "{bytes:?}");
        }
    }
}
