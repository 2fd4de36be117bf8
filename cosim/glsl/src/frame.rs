//! Messages between the two processes: a tag, a length, bytes. What comes is not trusted: C++ that
//! was led astray may write anything, so a length beyond the limit is an error, not an allocation.

use std::io::{Error, ErrorKind, Read, Result, Write};

/// No message is longer. A shader of 64 MB is none.
const LONGEST: usize = 64 << 20;

/// What a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Tag {
    /// From the reader, first: its edition.
    Hello = b'H',
    /// To the reader: stage (one byte), text.
    Compile = b'C',
    /// From it: header, NUL, includer. The answer is `Found` or `Missing`.
    Include = b'I',
    /// Name, NUL, text.
    Found = b'F',
    Missing = b'M',
    /// From it, at the end: the words, low byte first.
    Words = b'W',
    /// From it, at the end: glslang's log.
    Log = b'L',
    /// From it, at the end: it took too long.
    Late = b'T',
}

impl Tag {
    fn of(byte: u8) -> Option<Tag> {
        use Tag::*;
        [Hello, Compile, Include, Found, Missing, Words, Log, Late].into_iter().find(|&t| t as u8 == byte)
    }
}

/// The edition of a reader: a number of the texts that its words depend on. A program that was left
/// by another build would give other words for the same text.
pub fn edition() -> [u8; 8] {
    let texts = [
        include_str!("serve.rs"),
        include_str!("frame.rs"),
        include_str!("../Cargo.toml"),
        include_str!("../vendor/glslang/src/program.rs"),
        include_str!("../vendor/glslang/src/shader.rs"),
    ];
    // FNV-1a.
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
    texts.iter().flat_map(|t| t.bytes()).fold(0xCBF2_9CE4_8422_2325, step).to_le_bytes()
}

/// Writes a message.
pub fn write(out: &mut impl Write, tag: Tag, bytes: &[u8]) -> Result<()> {
    let length = u32::try_from(bytes.len()).ok().filter(|_| bytes.len() <= LONGEST);
    let length = length.ok_or_else(|| Error::new(ErrorKind::InvalidInput, "longer than 64 MB"))?;
    let mut message = Vec::with_capacity(bytes.len() + 5);
    message.push(tag as u8);
    message.extend(length.to_le_bytes());
    message.extend(bytes);
    out.write_all(&message)?;
    out.flush()
}

/// Reads a message. The end of the input is an error too.
pub fn read(input: &mut impl Read) -> Result<(Tag, Vec<u8>)> {
    let mut head = [0; 5];
    input.read_exact(&mut head)?;
    let length = u32::from_le_bytes([head[1], head[2], head[3], head[4]]) as usize;
    let tag = Tag::of(head[0]).filter(|_| length <= LONGEST);
    let tag = tag.ok_or_else(|| Error::new(ErrorKind::InvalidData, "no message"))?;
    let mut bytes = vec![0; length];
    input.read_exact(&mut bytes)?;
    Ok((tag, bytes))
}

/// Two texts as one message's bytes.
pub fn pair(first: &str, second: &str) -> Vec<u8> {
    [first.as_bytes(), &[0], second.as_bytes()].concat()
}

/// The two texts of a message's bytes.
pub fn split(bytes: &[u8]) -> (String, String) {
    let at = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
    let text = |part: &[u8]| String::from_utf8_lossy(part).into_owned();
    (text(&bytes[..at]), text(bytes.get(at + 1..).unwrap_or(&[])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_come_as_they_went() {
        let mut bytes = Vec::new();
        write(&mut bytes, Tag::Include, &pair("a.glsl", "b")).unwrap();
        let (tag, payload) = read(&mut &bytes[..]).unwrap();
        assert_eq!((tag, split(&payload)), (Tag::Include, ("a.glsl".into(), "b".into())));
    }

    #[test]
    fn rubbish_is_an_error() {
        assert!(read(&mut &b"W\xff\xff\xff\xff"[..]).is_err());
        assert!(read(&mut &b"?\0\0\0\0"[..]).is_err());
        assert!(read(&mut &b"W\x05\0\0\0ab"[..]).is_err());
    }
}
