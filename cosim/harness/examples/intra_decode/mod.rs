//! Data of `examples/intra-decode`: a photograph coded by the encoder of this folder, and what its
//! sequential decoder makes of it. Encoder and decoder share the syntax of a block only by their
//! texts; where they disagree, the picture is not like the photograph, which `coded` checks.

pub mod decode;
mod encode;

use super::{csv_rows, words, Grey};

/// What both sides and the shader know of a coded picture besides its bits.
#[derive(Clone, Copy)]
struct Format {
    /// In blocks of 8x8 pixels.
    width: usize,
    height: usize,
    quantiser: i64,
    /// Rows of blocks that are not predicted from each other.
    slices: bool,
}

/// Bits, the first one in bit 31 of the first word, and the first bit of each block.
#[derive(Default)]
struct Stream {
    words: Vec<u32>,
    bits: usize,
    starts: Vec<u32>,
}

const QUANTISER: i64 = 6;

/// Places (8 * row + column) in zigzag order: along the diagonals, upwards on even ones.
pub fn zigzag() -> Vec<usize> {
    let mut places: Vec<usize> = (0..64).collect();
    places.sort_by_key(|place| {
        let (row, column) = (place / 8, place % 8);
        let diagonal = row + column;
        (diagonal, if diagonal % 2 == 0 { column } else { row })
    });
    places
}

/// Every file of the example that is made: (path below `examples/`, content).
pub fn files(photo: &Grey) -> Vec<(&'static str, Vec<u8>)> {
    let full = photo.crop(16, 16, 96, 64);
    let small = photo.crop(24, 22, 32, 32);
    let mut files = vec![("intra-decode/zigzag.csv", csv_rows(&zigzag(), 8))];
    for (name, source, slices) in
        [("full", &full, false), ("small", &small, false), ("slices-full", &full, true), ("slices-small", &small, true)]
    {
        let (stream, picture) = coded(source, slices);
        let path = |stem: &str, kind: &str| -> &'static str { format!("intra-decode/{stem}-{name}.{kind}").leak() };
        files.push((path("starts", "csv"), csv_rows(&stream.starts, source.width / 8)));
        files.push((path("stream", "raw"), words(stream.words)));
        files.push((path("expected", "png"), picture.png()));
    }
    files
}

/// The photograph coded, and decoded again.
fn coded(source: &Grey, slices: bool) -> (Stream, Grey) {
    let format = Format { width: source.width / 8, height: source.height / 8, quantiser: QUANTISER, slices };
    let mut stream = encode::encode(source, format);
    // The shader's window is two words wide.
    stream.words.push(0);
    let picture = decode::decode(&stream, format);
    let squares = source.pixels.iter().zip(&picture.pixels).map(|(&a, &b)| (i64::from(a) - i64::from(b)).pow(2));
    let mean = squares.sum::<i64>() as f64 / source.pixels.len() as f64;
    assert!(mean < 40.0, "the decoded picture is not like the photograph: mean square error {mean}");
    (stream, picture)
}
