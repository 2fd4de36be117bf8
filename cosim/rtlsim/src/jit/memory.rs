//! The state of a compiled design: bytes at offsets that the plan chose, aligned for vectors.
//! Everything here is safe code; only the call into machine code ([`super::call`]) uses the
//! address.

use crate::bits::{limbs_of, Bits};
use crate::plan::{bytes_of, word_bytes, Offset};

/// State memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Memory {
    /// 16 bytes each, because machine code reads vectors at multiples of 16.
    pub units: Vec<u128>,
}

impl Memory {
    pub fn new(bytes: u32) -> Self {
        Self { units: vec![0; bytes.div_ceil(16) as usize + 1] }
    }

    fn words(&self) -> &[u64] {
        bytemuck::cast_slice(&self.units)
    }

    /// 64-bit word at an offset that is a multiple of 8.
    #[inline]
    pub fn word(&self, offset: Offset) -> u64 {
        self.words()[offset.index() / 8]
    }

    /// Writes a 64-bit word at an offset that is a multiple of 8.
    #[inline]
    pub fn set_word(&mut self, offset: Offset, value: u64) {
        bytemuck::cast_slice_mut::<u128, u64>(&mut self.units)[offset.index() / 8] = value;
    }

    /// Value of `bytes` (1, 4 or 8) bytes at an offset that is a multiple of it.
    #[inline]
    pub fn get(&self, offset: Offset, bytes: u32) -> u64 {
        self.masked(offset, mask(bytes))
    }

    /// Value at an offset that is a multiple of its bytes; `mask` is that of its bytes.
    #[inline]
    pub fn masked(&self, offset: Offset, mask: u64) -> u64 {
        self.words()[offset.index() / 8] >> (offset.number() % 8 * 8) & mask
    }

    /// Writes a value of 1, 4 or 8 bytes.
    #[inline]
    pub fn set(&mut self, offset: Offset, bytes: u32, value: u64) {
        let (shift, mask) = (offset.number() % 8 * 8, mask(bytes));
        let word = &mut bytemuck::cast_slice_mut::<u128, u64>(&mut self.units)[offset.index() / 8];
        *word = *word & !(mask << shift) | (value & mask) << shift;
    }

    /// A value of any width.
    pub fn take(&self, offset: Offset, width: u32) -> Bits {
        if width <= 64 {
            return Bits::new(width, self.get(offset, bytes_of(width)));
        }
        let limbs: Vec<u64> = (0..limbs_of(width) as u32).map(|i| self.word(offset.word(i))).collect();
        Bits::from_limbs(width, &limbs)
    }

    /// Writes a value of any width.
    pub fn put(&mut self, offset: Offset, width: u32, value: &Bits) {
        if width <= 64 {
            self.set(offset, bytes_of(width), value.to_u64());
        } else {
            for (i, l) in value.limbs().iter().enumerate() {
                self.set_word(offset.word(i as u32), *l);
            }
        }
    }

    /// A word of a memory or table that begins at `base`.
    pub fn take_word(&self, base: Offset, width: u32, word: u32) -> Bits {
        self.take(base + word * word_bytes(width), width.max(2)).zext(width)
    }

    /// Writes a word of a memory or table.
    pub fn put_word(&mut self, base: Offset, width: u32, word: u32, value: &Bits) {
        self.put(base + word * word_bytes(width), width.max(2), &value.zext(width.max(2)));
    }
}

/// All ones in 1, 4 or 8 bytes.
#[inline]
pub fn mask(bytes: u32) -> u64 {
    match bytes {
        1 => 0xff,
        4 => 0xffff_ffff,
        _ => u64::MAX,
    }
}
