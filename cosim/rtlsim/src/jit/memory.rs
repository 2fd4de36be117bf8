//! The state of a compiled design: bytes at offsets that the plan chose, aligned to cache lines. Everything here is safe code; only the call into machine
//! code ([`super::call`]) uses the address.

/// A cache line.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line(pub [u64; 8]);

/// State memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Memory {
    pub lines: Vec<Line>,
}

impl Memory {
    pub fn new(bytes: u32) -> Self {
        Self { lines: vec![Line([0; 8]); bytes.div_ceil(64) as usize + 1] }
    }

    /// 64-bit word at an offset that is a multiple of 8.
    #[inline]
    pub fn word(&self, offset: u32) -> u64 {
        self.lines[(offset / 64) as usize].0[(offset / 8 % 8) as usize]
    }

    /// The same, to write.
    #[inline]
    pub fn word_mut(&mut self, offset: u32) -> &mut u64 {
        &mut self.lines[(offset / 64) as usize].0[(offset / 8 % 8) as usize]
    }

    /// Value of `bytes` (1, 4 or 8) bytes at an offset that is a multiple of it.
    #[inline]
    pub fn get(&self, offset: u32, bytes: u32) -> u64 {
        let word = self.word(offset & !7) >> (offset % 8 * 8);
        match bytes {
            1 => word & 0xff,
            4 => word & 0xffff_ffff,
            _ => word,
        }
    }

    /// Writes a value of 1, 4 or 8 bytes.
    #[inline]
    pub fn set(&mut self, offset: u32, bytes: u32, value: u64) {
        let shift = offset % 8 * 8;
        let mask = match bytes {
            1 => 0xff,
            4 => 0xffff_ffff,
            _ => u64::MAX,
        };
        let word = self.word_mut(offset & !7);
        *word = *word & !(mask << shift) | (value & mask) << shift;
    }
}
