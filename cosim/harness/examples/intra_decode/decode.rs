//! The sequential decoder, after the text of MPEG-4 part 2 (7.4.3 to 7.4.5): block by block from
//! the stream alone (it does not use the table of starts, only checks it), prediction from stored
//! dequantised DC and quantised AC, inverse transform as a product with the matrix of cosines in
//! 13-bit fixed point. The sums are exact, so the matrix and the shader's butterflies must agree
//! bit for bit. Wrong would be a misreading that encoder and shader share; the photograph would
//! show it.

use super::{zigzag, Format, Grey, Stream};

/// What a block leaves for its neighbours: dequantised DC, quantised AC of its first row and
/// column.
#[derive(Clone, Copy)]
struct Kept {
    dc: i64,
    row: [i64; 8],
    column: [i64; 8],
}

const NOTHING: Kept = Kept { dc: 1024, row: [0; 8], column: [0; 8] };

struct Reader<'a> {
    stream: &'a Stream,
    at: usize,
}

impl Reader<'_> {
    fn bit(&mut self) -> i64 {
        let bit = self.stream.words[self.at / 32] >> (31 - self.at % 32) & 1;
        self.at += 1;
        bit.into()
    }

    fn unsigned(&mut self) -> i64 {
        let mut zeros = 0;
        while self.bit() == 0 {
            zeros += 1;
        }
        (0..zeros).fold(1, |value, _| 2 * value + self.bit()) - 1
    }

    fn signed(&mut self) -> i64 {
        let code = self.unsigned();
        if code % 2 == 1 {
            (code + 1) / 2
        } else {
            -code / 2
        }
    }
}

pub(super) fn decode(stream: &Stream, format: Format) -> Grey {
    let mut picture =
        Grey { width: 8 * format.width, height: 8 * format.height, pixels: vec![0; 64 * format.width * format.height] };
    let order = zigzag();
    let matrix = matrix();
    let mut reader = Reader { stream, at: 0 };
    let mut kept: Vec<Kept> = Vec::new();
    for number in 0..format.width * format.height {
        assert_eq!(reader.at, stream.starts[number] as usize, "the table of starts is wrong");
        let (y, x) = (number / format.width, number % format.width);
        let neighbour = |up: usize, back: usize| match up <= y && back <= x && !(up > 0 && format.slices) {
            true => kept[number - up * format.width - back],
            false => NOTHING,
        };
        let (a, b, c) = (neighbour(0, 1), neighbour(1, 1), neighbour(1, 0));
        let mut coefficients = [0i64; 64];
        let predict = reader.bit() == 1;
        let difference = reader.signed();
        let mut next = 1;
        loop {
            let run = reader.unsigned();
            if run == 0 {
                break;
            }
            next += run as usize;
            coefficients[order[next - 1]] = reader.signed();
        }

        let from_c = (a.dc - b.dc).abs() < (b.dc - c.dc).abs();
        if predict {
            for i in 1..8 {
                match from_c {
                    true => coefficients[i] += c.row[i],
                    false => coefficients[8 * i] += a.column[i],
                }
            }
        }
        let dc = 8 * (difference + if from_c { c.dc } else { a.dc } / 8);
        let (mut row, mut column) = ([0; 8], [0; 8]);
        for i in 1..8 {
            (row[i], column[i]) = (coefficients[i], coefficients[8 * i]);
        }
        kept.push(Kept { dc, row, column });

        for level in &mut coefficients {
            *level = dequantised(*level, format.quantiser);
        }
        coefficients[0] = dc;
        for (place, pixel) in inverse(&matrix, &coefficients).into_iter().enumerate() {
            picture.pixels[(8 * y + place / 8) * picture.width + 8 * x + place % 8] = pixel;
        }
    }
    picture
}

/// MPEG-4's second method.
fn dequantised(level: i64, quantiser: i64) -> i64 {
    let magnitude = match (level, quantiser % 2) {
        (0, _) => 0,
        (_, 1) => quantiser * (2 * level.abs() + 1),
        _ => quantiser * (2 * level.abs() + 1) - 1,
    };
    (level.signum() * magnitude).clamp(-2048, 2047)
}

/// `[u][x]`: half the cosine in steps of 1/8192, for u = 0 that by the square root of 1/2.
pub fn matrix() -> [[i64; 8]; 8] {
    let mut matrix = [[0; 8]; 8];
    for (u, row) in matrix.iter_mut().enumerate() {
        for (x, weight) in row.iter_mut().enumerate() {
            let scale = if u == 0 { 0.5f64.sqrt() } else { 1.0 };
            *weight = (4096.0 * scale * libm::cos((2 * x + 1) as f64 * u as f64 * std::f64::consts::PI / 16.0)).round()
                as i64;
        }
    }
    matrix
}

/// Rows, kept in 1/8; then columns, rounded to nearest and clamped.
pub fn inverse(matrix: &[[i64; 8]; 8], coefficients: &[i64; 64]) -> [u8; 64] {
    let sum = |f: &dyn Fn(usize) -> i64, x: usize| (0..8).map(|u| matrix[u][x] * f(u)).sum::<i64>();
    let mut rows = [0; 64];
    for (place, out) in rows.iter_mut().enumerate() {
        *out = (sum(&|u| coefficients[place / 8 * 8 + u], place % 8) + 512) >> 10;
    }
    let mut pixels = [0; 64];
    for (place, pixel) in pixels.iter_mut().enumerate() {
        let exact = sum(&|v| rows[8 * v + place % 8], place / 8);
        *pixel = ((exact + 32768) >> 16).clamp(0, 255) as u8;
    }
    pixels
}
