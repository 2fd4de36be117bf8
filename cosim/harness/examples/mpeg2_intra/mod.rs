//! Data of `examples/mpeg2-intra`: what the host finds in the streams (headers, places of the
//! slices), tables for the shader, and the picture. Streams and their decoded pictures are ffmpeg's
//! (`scripts/make-mpeg2-stream.sh`), so neither the encoder nor the judge is ours: the sequential
//! decoder of this folder, whose picture the shader must have bit for bit, may differ from ffmpeg's
//! by 1 in a sample, because the standard leaves the rounding of the inverse transform free. Wrong
//! would be a stream without what it is to test: `checked` counts.

mod decode;
mod tables;

use std::path::Path;

use super::{csv_rows, Grey};
use decode::{Header, Picture};

/// Every file of the example that is made: (path below `examples/`, content).
pub fn files(examples: &Path) -> Vec<(&'static str, Vec<u8>)> {
    let read = |name: String| {
        let path = examples.join("mpeg2-intra").join(name);
        std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
    };
    let mut files = vec![("mpeg2-intra/increments.csv", csv_rows(&tables::increments(), 16))];
    for (name, b15) in [("full", true), ("small", false)] {
        let stream = read(format!("{name}.m2v"));
        let header = Header::read(&stream);
        assert_eq!(header.b15, b15, "{name}: the other table of coefficients");
        let slices = slices(&stream);
        let picture = decode::decode(&stream, &header, &slices);
        checked(&picture, &header, &read(format!("ffmpeg-{name}.yuv")));
        let path = |stem: &str, kind: &str| -> &'static str { format!("mpeg2-intra/{stem}-{name}.{kind}").leak() };
        let offsets: Vec<u32> = slices.iter().map(|&s| s as u32).collect();
        let [luma, cb, cr] = &picture.planes;
        let (width, height) = (header.width, header.height);
        let grey = |width, height, pixels| Grey { width, height, pixels }.png();
        files.push((path("slices", "csv"), csv_rows(&offsets, 8)));
        files.push((path("codes", "csv"), csv_rows(&tables::lookup(b15), 16)));
        files.push((path("weights", "csv"), csv_rows(&header.scanned(), 8)));
        files.push((path("expected-luma", "png"), grey(width, height, luma.clone())));
        files.push((path("expected-chroma", "png"), grey(width / 2, height, [cb.clone(), cr.clone()].concat())));
    }
    files
}

/// Byte offsets of the slices' start codes.
fn slices(stream: &[u8]) -> Vec<usize> {
    let is_slice = |at: &usize| matches!(stream[*at..*at + 4], [0, 0, 1, 1..=0xAF]);
    (0..stream.len() - 3).filter(is_slice).collect()
}

/// Against ffmpeg's samples, and that the stream is worth decoding.
fn checked(picture: &Picture, header: &Header, ffmpeg: &[u8]) {
    let ours = picture.planes.concat();
    assert_eq!(ours.len(), ffmpeg.len(), "another number of samples");
    let off = |(a, b): (&u8, &u8)| a.abs_diff(*b);
    let (most, count) =
        (ours.iter().zip(ffmpeg).map(off).max(), ours.iter().zip(ffmpeg).filter(|(a, b)| a != b).count());
    assert!(most <= Some(1) && count * 20 <= ours.len(), "{count} samples differ from ffmpeg's, by up to {most:?}");
    let seen = &picture.seen;
    assert!(seen.blocks == header.width / 16 * header.height / 16 * 6, "macroblocks are missing");
    assert!(seen.escapes > 0 && seen.slices_in_a_row > 0 && (seen.quantisers > 0 || !header.b15), "{seen:?}");
}
