//! The encoder: forward transform and quantisation of each block of 8x8 pixels, MPEG-4's prediction
//! of DC and of the first row or column of AC, runs and levels in zigzag order, Exp-Golomb codes.
//! AC prediction is used where it makes the sum of magnitudes smaller.

use super::{zigzag, Format, Grey, Stream};

/// Quantised coefficients of a block, row by row.
type Levels = [i64; 64];

const DC_STEP: i64 = 8;
/// DC level where there is no neighbour: 1024.
const NO_DC: i64 = 1024 / DC_STEP;

pub fn encode(source: &Grey, format: Format) -> Stream {
    let mut stream = Stream::default();
    let mut done: Vec<Levels> = Vec::new();
    for number in 0..format.width * format.height {
        let (row, column) = (number / format.width, number % format.width);
        let levels = quantised(&transformed(source, 8 * column, 8 * row), format.quantiser);
        let left = (column > 0).then(|| done[number - 1]);
        let above = (row > 0 && !format.slices).then(|| done[number - format.width]);
        let corner = (column > 0 && above.is_some()).then(|| done[number - format.width - 1]);
        done.push(levels);
        let dc = |neighbour: &Option<Levels>| neighbour.map_or(NO_DC, |l| l[0]);
        let vertical = (dc(&left) - dc(&corner)).abs() < (dc(&corner) - dc(&above)).abs();

        let mut differences = levels;
        differences[0] -= if vertical { dc(&above) } else { dc(&left) };
        let mut predicted = differences;
        if let Some(neighbour) = if vertical { above } else { left } {
            for i in 1..8 {
                let place = if vertical { i } else { 8 * i };
                predicted[place] -= neighbour[place];
            }
        }
        let size = |l: &Levels| l[1..].iter().map(|x| x.abs()).sum::<i64>();
        let predict = size(&predicted) < size(&differences);
        stream.starts.push(stream.bits as u32);
        stream.block(predict, if predict { &predicted } else { &differences });
    }
    stream
}

/// Forward transform of the block at (x, y): by its definition, in integers, rounded to nearest.
fn transformed(source: &Grey, x: usize, y: usize) -> Levels {
    // Scaled by 2^20: half the cosine, and for u = 0 that by the square root of 1/2.
    let weight = |u: usize, at: usize| {
        let angle = (2 * at + 1) as f64 * u as f64 * std::f64::consts::PI / 16.0;
        let scale = if u == 0 { std::f64::consts::FRAC_1_SQRT_2 } else { 1.0 };
        (libm::cos(angle) * scale * 524_288.0).round() as i64
    };
    let mut out = [0; 64];
    for (place, coefficient) in out.iter_mut().enumerate() {
        let (v, u) = (place / 8, place % 8);
        let mut sum = 0;
        for j in 0..8 {
            for i in 0..8 {
                sum += weight(v, j) * weight(u, i) * source.at((x + i) as i64, (y + j) as i64);
            }
        }
        *coefficient = (sum + (1 << 39)) >> 40;
    }
    out
}

fn quantised(coefficients: &Levels, quantiser: i64) -> Levels {
    let mut levels = coefficients.map(|c| c / (2 * quantiser));
    levels[0] = (coefficients[0] + DC_STEP / 2) / DC_STEP;
    levels
}

impl Stream {
    fn block(&mut self, predict: bool, levels: &Levels) {
        self.put(u32::from(predict), 1);
        self.signed(levels[0]);
        let mut run = 1;
        for place in zigzag().into_iter().skip(1) {
            if levels[place] == 0 {
                run += 1;
                continue;
            }
            self.golomb(run);
            self.signed(levels[place]);
            run = 1;
        }
        self.golomb(0);
    }

    fn signed(&mut self, level: i64) {
        self.golomb(if level > 0 { 2 * level - 1 } else { -2 * level } as u32);
    }

    /// As many zeros as `value + 1` has bits behind its first one, then `value + 1`.
    fn golomb(&mut self, value: u32) {
        let more = (value + 1).ilog2();
        self.put(0, more);
        self.put(value + 1, more + 1);
    }

    fn put(&mut self, value: u32, bits: u32) {
        for bit in (0..bits).rev() {
            if self.bits.is_multiple_of(32) {
                self.words.push(0);
            }
            if let Some(word) = self.words.last_mut() {
                *word |= (value >> bit & 1) << (31 - self.bits % 32);
            }
            self.bits += 1;
        }
    }
}
