//! A sequential decoder of MPEG-2 intra pictures after the text of ISO/IEC 13818-2 (6.2, 7.2 to
//! 7.5): bit by bit, codes as strings. Frame pictures, 4:2:0, without field transforms, concealment
//! or the non-linear quantiser scale; `Header::read` refuses others. Its inverse transform is that
//! of `intra_decode`.

use std::collections::HashMap;

use super::super::intra_decode::decode::{inverse, matrix};
use super::super::intra_decode::zigzag;
use super::tables::{codes, Symbol};

/// What the headers say.
pub struct Header {
    pub width: usize,
    pub height: usize,
    /// DC steps are 8 >> this.
    pub precision: u32,
    pub b15: bool,
    /// Row by row.
    weights: [i64; 64],
    scan: Vec<usize>,
}

/// Decoded samples: luma, Cb, Cr.
pub struct Picture {
    pub planes: [Vec<u8>; 3],
    pub seen: Seen,
}

/// What the stream had.
#[derive(Debug, Default)]
pub struct Seen {
    pub blocks: usize,
    pub escapes: usize,
    /// Changes of the quantiser scale inside a slice.
    pub quantisers: usize,
    /// Slices that do not begin at the left edge.
    pub slices_in_a_row: usize,
}

struct Reader<'a> {
    stream: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn bit(&mut self) -> u32 {
        let byte = self.stream.get(self.at / 8).copied().unwrap_or(0);
        self.at += 1;
        u32::from(byte >> (7 - (self.at - 1) % 8) & 1)
    }

    fn bits(&mut self, count: usize) -> u32 {
        (0..count).fold(0, |value, _| value << 1 | self.bit())
    }

    /// The code that comes next, of a table.
    fn code<T: Copy>(&mut self, table: &HashMap<String, T>) -> T {
        let mut code = String::new();
        loop {
            code.push(if self.bit() == 1 { '1' } else { '0' });
            if let Some(&symbol) = table.get(&code) {
                return symbol;
            }
            assert!(code.len() < 17, "no code begins with {code} at bit {}", self.at);
        }
    }
}

/// Bytes behind the start code with that number (and, of extensions, that identifier).
fn part(stream: &[u8], number: u8, extension: Option<u8>) -> Reader<'_> {
    let is_it =
        |at: &usize| stream[*at..*at + 4] == [0, 0, 1, number] && extension.is_none_or(|e| stream[at + 4] >> 4 == e);
    let at = (0..stream.len() - 5).find(is_it).expect("the header");
    Reader { stream, at: 8 * (at + 4) }
}

/// 6.3.11, the matrix of intra blocks where none is sent.
const WEIGHTS: [i64; 64] = [
    8, 16, 19, 22, 26, 27, 29, 34, 16, 16, 22, 24, 27, 29, 34, 37, 19, 22, 26, 27, 29, 34, 34, 38, 22, 22, 26, 27, 29,
    34, 37, 40, 22, 26, 27, 29, 32, 35, 40, 48, 26, 27, 29, 32, 35, 40, 48, 58, 26, 27, 29, 34, 38, 46, 56, 69, 27, 29,
    35, 38, 46, 56, 69, 83,
];

impl Header {
    pub fn read(stream: &[u8]) -> Self {
        let mut sequence = part(stream, 0xB3, None);
        let [width, height] = [12, 12].map(|n| sequence.bits(n) as usize);
        // Aspect, rate, bit rate, marker, buffer size, constrained.
        sequence.bits(4 + 4 + 18);
        sequence.bits(1 + 10 + 1);
        assert_eq!(sequence.bit(), 0, "a matrix of its own");
        let mut extension = part(stream, 0xB5, Some(1));
        extension.bits(4 + 8 + 1);
        assert_eq!(extension.bits(2), 1, "not 4:2:0");
        let mut coding = part(stream, 0xB5, Some(8));
        coding.bits(4 + 16);
        let precision = coding.bits(2);
        assert_eq!(coding.bits(2), 3, "not a frame picture");
        coding.bit();
        assert_eq!([coding.bit(), coding.bit(), coding.bit()], [1, 0, 0], "field transforms, concealment, scale");
        let b15 = coding.bit() == 1;
        assert_eq!(coding.bit(), 0, "the alternate scan");
        assert!(width % 16 == 0 && height % 16 == 0 && width <= 128);
        Self { width, height, precision, b15, weights: WEIGHTS, scan: zigzag() }
    }

    /// Place and weight of each coefficient in the order of the scan: place in bits 5:0, weight
    /// from bit 8 on.
    pub fn scanned(&self) -> Vec<u32> {
        self.scan.iter().map(|&place| place as u32 | (self.weights[place] as u32) << 8).collect()
    }
}

/// Codes of the size of a DC difference: B-12 (luma), B-13 (chroma).
fn sizes(luma: bool) -> HashMap<String, usize> {
    let first: &[&str] = if luma { &["100", "00", "01", "101", "110"] } else { &["00", "01", "10", "110"] };
    let mut table: Vec<String> = first.iter().map(|&c| c.to_owned()).collect();
    while table.len() < 11 {
        let last = table[table.len() - 1].clone();
        table.push(format!("1{last}"));
    }
    let last = table[10].replace('0', "1");
    table.push(last);
    table.into_iter().enumerate().map(|(size, code)| (code, size)).collect()
}

/// Everything that stays the same from slice to slice.
struct Decoder<'a> {
    header: &'a Header,
    symbols: HashMap<String, Symbol>,
    sizes: [HashMap<String, usize>; 2],
    matrix: [[i64; 8]; 8],
    picture: Picture,
}

pub fn decode(stream: &[u8], header: &Header, slices: &[usize]) -> Picture {
    let samples = header.width * header.height;
    let planes = [vec![0; samples], vec![0; samples / 4], vec![0; samples / 4]];
    let mut decoder = Decoder {
        header,
        symbols: codes(header.b15).into_iter().map(|(code, s)| (code.to_owned(), s)).collect(),
        sizes: [sizes(true), sizes(false)],
        matrix: matrix(),
        picture: Picture { planes, seen: Seen::default() },
    };
    for &start in slices {
        decoder.slice(Reader { stream, at: 8 * start });
    }
    decoder.picture
}

impl Decoder<'_> {
    fn slice(&mut self, mut r: Reader) {
        let row = r.bits(32) as usize - 0x101;
        let mut scale = 2 * i64::from(r.bits(5));
        while r.bit() == 1 {
            r.bits(8);
        }
        let mut column = 0;
        let mut predictions = [128i64 << self.header.precision; 3];
        let addresses: HashMap<String, usize> = ["1", "011", "010", "0011", "0010", "00011", "00010", "0000111"]
            .iter()
            .enumerate()
            .map(|(n, code)| (code.to_string(), n + 1))
            .collect();
        let mut first = true;
        // A slice ends where 23 zeros follow.
        while (Reader { stream: r.stream, at: r.at }).bits(23) != 0 {
            column += r.code(&addresses);
            self.picture.seen.slices_in_a_row += usize::from(first && column > 1);
            if r.bit() == 0 {
                assert_eq!(r.bit(), 1, "a macroblock that is not intra");
                scale = 2 * i64::from(r.bits(5));
                self.picture.seen.quantisers += usize::from(!first);
            }
            first = false;
            for block in 0..6 {
                let component = [0, 0, 0, 0, 1, 2][block];
                let pixels = self.block(&mut r, scale, component, &mut predictions[component]);
                let (x, y) = match component {
                    0 => (16 * (column - 1) + 8 * (block % 2), 16 * row + 8 * (block / 2)),
                    _ => (8 * (column - 1), 8 * row),
                };
                let width = self.header.width / if component == 0 { 1 } else { 2 };
                for (place, pixel) in pixels.into_iter().enumerate() {
                    self.picture.planes[component][(y + place / 8) * width + x + place % 8] = pixel;
                }
            }
        }
    }

    fn block(&mut self, r: &mut Reader, scale: i64, component: usize, prediction: &mut i64) -> [u8; 64] {
        self.picture.seen.blocks += 1;
        let size = r.code(&self.sizes[usize::from(component > 0)]);
        let value = i64::from(r.bits(size));
        let negative = size > 0 && value >> (size - 1) == 0;
        *prediction += if negative { value + 1 - (1 << size) } else { value };
        let mut coefficients = [0i64; 64];
        coefficients[0] = *prediction * (8 >> self.header.precision);
        let mut next = 1;
        loop {
            let (run, level) = match r.code(&self.symbols) {
                Symbol::End => break,
                Symbol::Escape => {
                    self.picture.seen.escapes += 1;
                    let (run, level) = (r.bits(6), i64::from(r.bits(12)));
                    (run, if level >= 2048 { level - 4096 } else { level })
                }
                Symbol::RunLevel(run, level) => (run, if r.bit() == 1 { -i64::from(level) } else { i64::from(level) }),
            };
            next += run as usize;
            let place = self.header.scan[next];
            coefficients[place] = (2 * level * self.header.weights[place] * scale / 32).clamp(-2048, 2047);
            next += 1;
        }
        // Mismatch control (7.4.4).
        if coefficients.iter().sum::<i64>() % 2 == 0 {
            coefficients[63] += if coefficients[63] % 2 == 0 { 1 } else { -1 };
        }
        inverse(&self.matrix, &coefficients)
    }
}
