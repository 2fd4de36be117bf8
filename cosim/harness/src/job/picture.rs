//! Pictures in PNG files: what jobs read as input, compare with and write as output.
//!
//! The `png` crate decodes and encodes; this adds what a job needs of a picture: four channels or
//! one grey channel of 8 bits, whatever the file holds. `image` would do the same with thirty more
//! seconds of compilation, most of it for colour profiles that nothing here reads.
//!
//! It can be wrong in a weight of grey or in the rounding of 16-bit samples; its tests compute
//! both by hand.

use std::io::Cursor;

use png::{BitDepth, ColorType, Compression, Filter, Transformations};

/// A picture as its file holds it, each sample widened to 16 bits.
pub struct Picture {
    /// Pixels of a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// The file has no colours.
    grey: bool,
    /// Red, green, blue and opacity per pixel, row by row from the top, 0 to 65,535.
    pixels: Vec<[u16; 4]>,
}

/// Most pixels of a picture; one of so many takes 1.5 GB while it is read.
const MOST_PIXELS: u64 = 1 << 26;

/// Colour and opacity from the samples of one pixel.
fn pixel(samples: &[u16]) -> [u16; 4] {
    match *samples {
        [l] => [l, l, l, u16::MAX],
        [l, a] => [l, l, l, a],
        [r, g, b] => [r, g, b, u16::MAX],
        [r, g, b, a, ..] => [r, g, b, a],
        [] => [0; 4],
    }
}

/// A sample of 16 bits to the nearest of 8 bits.
fn narrow(sample: u16) -> u8 {
    ((u32::from(sample) + 128) / 257) as u8
}

impl Picture {
    /// Decodes a PNG file, of an animation the first picture.
    ///
    /// # Errors
    /// What is wrong with the file, in the decoder's words.
    pub fn decode(file: &[u8]) -> Result<Self, String> {
        let mut decoder = png::Decoder::new(Cursor::new(file));
        decoder.set_transformations(Transformations::EXPAND);
        let mut reader = decoder.read_info().map_err(|e| e.to_string())?;
        let count = u64::from(reader.info().width) * u64::from(reader.info().height);
        if count > MOST_PIXELS {
            return Err(format!("{count} pixels are more than {MOST_PIXELS}"));
        }
        let size = reader.output_buffer_size().ok_or("the picture does not fit in memory")?;
        let mut data = vec![0; size];
        let frame = reader.next_frame(&mut data).map_err(|e| e.to_string())?;
        let data = &data[..frame.buffer_size()];
        let samples: Vec<u16> = match frame.bit_depth {
            BitDepth::Sixteen => data.chunks_exact(2).map(|b| u16::from_be_bytes([b[0], b[1]])).collect(),
            _ => data.iter().map(|&b| u16::from(b) * 257).collect(),
        };
        let pixels = samples.chunks_exact(frame.color_type.samples()).map(pixel).collect();
        let grey = matches!(frame.color_type, ColorType::Grayscale | ColorType::GrayscaleAlpha);
        Ok(Self { width: frame.width, height: frame.height, grey, pixels })
    }

    /// The rectangle of `width` x `height` pixels from (`x`, `y`); `None` if it is empty or not
    /// inside the picture.
    pub fn crop(&self, [x, y, width, height]: [u32; 4]) -> Option<Self> {
        let inside = |at: u32, size: u32, all: u32| size > 0 && at.checked_add(size).is_some_and(|end| end <= all);
        if !inside(x, width, self.width) || !inside(y, height, self.height) {
            return None;
        }
        let rows = self.pixels.chunks_exact(self.width as usize).skip(y as usize).take(height as usize);
        let pixels = rows.flat_map(|row| row[x as usize..][..width as usize].to_vec()).collect();
        Some(Self { width, height, grey: self.grey, pixels })
    }

    /// Red, green, blue and opacity per pixel.
    pub fn rgba8(&self) -> impl Iterator<Item = [u8; 4]> + '_ {
        self.pixels.iter().map(|p| p.map(narrow))
    }

    /// Brightness per pixel: of colours 21.26 % red, 71.52 % green and 7.22 % blue, rounded to
    /// nearest (the weights of ITU-R BT.709). Opacity is ignored.
    pub fn luma8(&self) -> impl Iterator<Item = u8> + '_ {
        let luma = |&[r, g, b, _]: &[u16; 4]| match self.grey {
            true => narrow(r),
            false => {
                let [r, g, b] = [r, g, b].map(|s| u64::from(narrow(s)));
                ((2126 * r + 7152 * g + 722 * b + 5_000) / 10_000) as u8
            }
        };
        self.pixels.iter().map(luma)
    }
}

/// A PNG file of a grey picture with one byte per pixel.
///
/// # Errors
/// The size is none, or not that of the pixels, in the encoder's words.
pub fn encode_luma(width: u32, height: u32, pixels: &[u8]) -> Result<Vec<u8>, String> {
    encode(width, height, ColorType::Grayscale, pixels)
}

/// A PNG file of a picture with red, green, blue and opacity per pixel, one byte each.
///
/// # Errors
/// As [`encode_luma`].
pub fn encode_rgba(width: u32, height: u32, pixels: &[u8]) -> Result<Vec<u8>, String> {
    encode(width, height, ColorType::Rgba, pixels)
}

fn encode(width: u32, height: u32, color: ColorType, pixels: &[u8]) -> Result<Vec<u8>, String> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(color);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_compression(Compression::Fast);
    encoder.set_filter(Filter::Adaptive);
    let mut writer = encoder.write_header().map_err(|e| e.to_string())?;
    writer.write_image_data(pixels).map_err(|e| e.to_string())?;
    writer.finish().map_err(|e| e.to_string())?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file of that kind, encoded by the library alone.
    fn file(size: [u32; 2], color: ColorType, depth: BitDepth, palette: Option<&[u8]>, data: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, size[0], size[1]);
        encoder.set_color(color);
        encoder.set_depth(depth);
        if let Some(palette) = palette {
            encoder.set_palette(palette.to_vec());
        }
        encoder.write_header().unwrap().write_image_data(data).unwrap();
        bytes
    }

    /// The check sum of a chunk: CRC-32 of its type and data.
    fn png_crc(bytes: &[u8]) -> u32 {
        !bytes.iter().fold(u32::MAX, |crc, &byte| {
            (0..8).fold(crc ^ u32::from(byte), |c, _| c >> 1 ^ (0xedb8_8320 & (c & 1).wrapping_neg()))
        })
    }

    fn rgba(picture: &Picture) -> Vec<[u8; 4]> {
        picture.rgba8().collect()
    }

    #[test]
    fn what_was_written_is_read() {
        let pixels: Vec<u8> = (0..3 * 2 * 4).map(|i| i * 7).collect();
        let picture = Picture::decode(&encode_rgba(3, 2, &pixels).unwrap()).unwrap();
        assert_eq!((picture.width, picture.height), (3, 2));
        assert_eq!(rgba(&picture).concat(), pixels);
        let grey = Picture::decode(&encode_luma(3, 2, &pixels[..6]).unwrap()).unwrap();
        assert_eq!(grey.luma8().collect::<Vec<_>>(), pixels[..6]);
        assert_eq!(rgba(&grey)[1], [7, 7, 7, 255]);
    }

    #[test]
    fn grey_of_colours_has_the_weights_of_bt_709() {
        let pixels = [255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255, 10, 20, 30];
        let data = file([5, 1], ColorType::Rgb, BitDepth::Eight, None, &pixels);
        let luma: Vec<u8> = Picture::decode(&data).unwrap().luma8().collect();
        // 54.213, 182.376, 18.411, 255, 18.596.
        assert_eq!(luma, [54, 182, 18, 255, 19]);
    }

    #[test]
    fn palettes_few_bits_and_sixteen_bits_are_read() {
        let palette = [1, 2, 3, 4, 5, 6];
        let data = file([4, 1], ColorType::Indexed, BitDepth::One, Some(&palette), &[0b0110_0000]);
        let expected = [[1, 2, 3, 255], [4, 5, 6, 255], [4, 5, 6, 255], [1, 2, 3, 255]];
        assert_eq!(rgba(&Picture::decode(&data).unwrap()), expected);
        let data = file([2, 1], ColorType::Grayscale, BitDepth::Two, None, &[0b0110_0000]);
        assert_eq!(Picture::decode(&data).unwrap().luma8().collect::<Vec<_>>(), [85, 170]);
        // 128 of 257 parts is rounded down, 129 up.
        let wide = [0x00, 0x80, 0x00, 0x81, 0xff, 0x7f, 0xff, 0x7e];
        let data = file([4, 1], ColorType::Grayscale, BitDepth::Sixteen, None, &wide);
        assert_eq!(Picture::decode(&data).unwrap().luma8().collect::<Vec<_>>(), [0, 1, 255, 254]);
    }

    #[test]
    fn a_rectangle_is_cut_out_or_refused() {
        let picture = Picture::decode(&encode_luma(4, 3, &(0..12).collect::<Vec<u8>>()).unwrap()).unwrap();
        let cut = picture.crop([1, 1, 2, 2]).unwrap();
        assert_eq!((cut.width, cut.height), (2, 2));
        assert_eq!(cut.luma8().collect::<Vec<_>>(), [5, 6, 9, 10]);
        for outside in [[3, 0, 2, 1], [0, 3, 1, 1], [0, 0, 0, 1], [1, 0, u32::MAX, 1]] {
            assert!(picture.crop(outside).is_none(), "{outside:?}");
        }
    }

    #[test]
    fn what_is_no_picture_is_refused_in_words() {
        let whole = encode_luma(4, 3, &[0; 12]).unwrap();
        for bad in [&b"hello"[..], &[], &whole[..whole.len() / 2]] {
            assert!(Picture::decode(bad).err().is_some_and(|e| !e.is_empty()));
        }
        // A header alone that promises 2^30 pixels.
        let mut huge = whole.clone();
        huge[16..24].copy_from_slice(&[0, 0, 0x80, 0, 0, 0, 0x80, 0]);
        let crc = png_crc(&huge[12..29]);
        huge[29..33].copy_from_slice(&crc.to_be_bytes());
        let error = Picture::decode(&huge).err().unwrap();
        assert!(error.contains("1073741824 pixels"), "{error}");
        assert!(encode_luma(0, 3, &[]).is_err());
        assert!(encode_rgba(2, 2, &[0; 15]).is_err());
    }
}
