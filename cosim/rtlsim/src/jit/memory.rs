//! The state of a compiled design: bytes at offsets that the plan chose, aligned for vectors.
//! Everything here is safe code; only the call into machine code ([`super::call`]) uses the
//! address.

use crate::plan::Offset;

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
