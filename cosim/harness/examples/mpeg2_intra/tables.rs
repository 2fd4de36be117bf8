//! Tables of ISO/IEC 13818-2 (MPEG-2 video): codes of coefficients B-14 and B-15 and of macroblock
//! addresses B-1. A code stands as run/level and its bits without the sign. From them `lookup`
//! makes what the shader uses. A wrong code makes a wrong picture (ffmpeg's is not wrong in the
//! same place); a missing one shows in `lookup`, which counts the patterns that no code explains.

/// Codes that both tables have, shortest first.
const COMMON: &str = "\
    3/1 00111, escape 000001, 5/1 000111, 8/2 000000010001, 4/3 000000010010, 7/2 000000010101,\
    21/1 000000010110, 20/1 000000010111, 19/1 000000011001, 18/1 000000011010, 3/3 000000011100,\
    6/2 000000011110, 17/1 000000011111, 10/2 0000000010000, 9/2 0000000010001, 5/3 0000000010010,\
    3/4 0000000010011, 2/5 0000000010100, 1/7 0000000010101, 1/6 0000000010110, 26/1 0000000011011,\
    25/1 0000000011100, 24/1 0000000011101, 23/1 0000000011110, 22/1 0000000011111,\
    0/31 00000000010000, 0/30 00000000010001, 0/29 00000000010010, 0/28 00000000010011,\
    0/27 00000000010100, 0/26 00000000010101, 0/25 00000000010110, 0/24 00000000010111,\
    0/23 00000000011000, 0/22 00000000011001, 0/21 00000000011010, 0/20 00000000011011,\
    0/19 00000000011100, 0/18 00000000011101, 0/17 00000000011110, 0/16 00000000011111,\
    0/40 000000000010000, 0/39 000000000010001, 0/38 000000000010010, 0/37 000000000010011,\
    0/36 000000000010100, 0/35 000000000010101, 0/34 000000000010110, 0/33 000000000010111,\
    0/32 000000000011000, 1/14 000000000011001, 1/13 000000000011010, 1/12 000000000011011,\
    1/11 000000000011100, 1/10 000000000011101, 1/9 000000000011110, 1/8 000000000011111,\
    1/18 0000000000010000, 1/17 0000000000010001, 1/16 0000000000010010, 1/15 0000000000010011,\
    6/3 0000000000010100, 16/2 0000000000010101, 15/2 0000000000010110, 14/2 0000000000010111,\
    13/2 0000000000011000, 12/2 0000000000011001, 11/2 0000000000011010, 31/1 0000000000011011,\
    30/1 0000000000011100, 29/1 0000000000011101, 28/1 0000000000011110, 27/1 0000000000011111";

/// Those of B-14 alone.
const B14: &str = "\
    end 10, 0/1 11, 1/1 011, 0/2 0100, 2/1 0101, 0/3 00101, 4/1 00110, 7/1 000100, 6/1 000101,\
    1/2 000110, 2/2 0000100, 9/1 0000101, 0/4 0000110, 8/1 0000111, 13/1 00100000, 0/6 00100001,\
    12/1 00100010, 11/1 00100011, 3/2 00100100, 1/3 00100101, 0/5 00100110, 10/1 00100111,\
    16/1 0000001000, 5/2 0000001001, 0/7 0000001010, 2/3 0000001011, 1/4 0000001100,\
    15/1 0000001101, 14/1 0000001110, 4/2 0000001111, 0/11 000000010000, 0/10 000000010011,\
    2/4 000000010100, 0/9 000000011000, 1/5 000000011011, 0/8 000000011101, 0/15 0000000010111,\
    0/14 0000000011000, 0/13 0000000011001, 0/12 0000000011010";

/// Those of B-15 alone.
const B15: &str = "\
    0/1 10, 1/1 010, 0/2 110, end 0110, 0/3 0111, 2/1 00101, 1/2 00110, 0/4 11100, 0/5 11101,\
    0/7 000100, 0/6 000101, 4/1 000110, 7/1 0000100, 8/1 0000101, 6/1 0000110, 2/2 0000111,\
    9/1 1111000, 1/3 1111001, 10/1 1111010, 0/8 1111011, 0/9 1111100, 1/5 00100000, 11/1 00100001,\
    0/11 00100010, 0/10 00100011, 13/1 00100100, 12/1 00100101, 3/2 00100110, 1/4 00100111,\
    0/12 11111010, 0/13 11111011, 2/3 11111100, 4/2 11111101, 0/14 11111110, 0/15 11111111,\
    5/2 000000100, 14/1 000000101, 15/1 000000111, 2/4 0000001100, 16/1 0000001101";

/// Codes of the macroblock address increments 1 to 8 (B-1); the pictures here are not wider.
const INCREMENTS: [&str; 8] = ["1", "011", "010", "0011", "0010", "00011", "00010", "0000111"];

/// What a code says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symbol {
    RunLevel(u32, u32),
    Escape,
    End,
}

/// The codes of table B-14, or B-15.
pub fn codes(b15: bool) -> Vec<(&'static str, Symbol)> {
    let text = [COMMON, if b15 { B15 } else { B14 }];
    let item = |item: &'static str| {
        let (what, code) = item.trim().split_once(' ').expect("what and code");
        let symbol = match what.split_once('/') {
            Some((run, level)) => Symbol::RunLevel(run.parse().expect("a run"), level.parse().expect("a level")),
            None if what == "escape" => Symbol::Escape,
            None => Symbol::End,
        };
        (code, symbol)
    };
    text.into_iter().flat_map(|t| t.split(',')).filter(|t| !t.trim().is_empty()).map(item).collect()
}

/// The shader's table: by the next 10 bits; behind it, for codes that begin with seven zeros, by
/// the next 16 bits. Bits of the code 4:0, run 13:8 (63: escape), level 23:16 (0: end of block, or
/// escape). 0: no code.
pub fn lookup(b15: bool) -> Vec<u32> {
    let mut table = vec![0u32; 1024 + 512];
    for (code, symbol) in codes(b15) {
        let (run, level) = match symbol {
            Symbol::RunLevel(run, level) => (run, level),
            Symbol::Escape => (63, 0),
            Symbol::End => (0, 0),
        };
        let entry = code.len() as u32 | run << 8 | level << 16;
        let (base, width) = if code.starts_with("0000000") { (1024, 16) } else { (0, 10) };
        let first = usize::from_str_radix(code, 2).expect("bits") << (width - code.len());
        for place in &mut table[base + first..base + first + (1 << (width - code.len()))] {
            assert_eq!(*place, 0, "two codes begin alike");
            *place = entry;
        }
    }
    // Both leave open what begins with twelve zeros; B-15 also the six codes of 12 bits and four of
    // 13 whose meaning has a shorter one.
    let open = table[8..].iter().filter(|&&e| e == 0).count();
    assert_eq!(open, if b15 { 16 + 6 * 16 + 4 * 8 } else { 16 }, "patterns without a code");
    table
}

/// By the next seven bits: increment, bits of its code from 8 on.
pub fn increments() -> Vec<u32> {
    let mut table = vec![0u32; 128];
    for (n, code) in INCREMENTS.iter().enumerate() {
        let first = usize::from_str_radix(code, 2).expect("bits") << (7 - code.len());
        table[first..first + (1 << (7 - code.len()))].fill((n as u32 + 1) | ((code.len() as u32) << 8));
    }
    table
}
