//! The state of a compiled design: bytes at offsets that the plan chose, aligned for vectors. Everything here is safe code; only the call into machine
//! code ([`super::call`]) uses the address.

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

    /// 64-bit word at an offset that is a multiple of 8.
    #[inline]
    pub fn word(&self, offset: u32) -> u64 {
        (self.units[(offset / 16) as usize] >> (offset % 16 * 8)) as u64
    }

    /// Writes a 64-bit word at an offset that is a multiple of 8.
    #[inline]
    pub fn set_word(&mut self, offset: u32, value: u64) {
        let shift = offset % 16 * 8;
        let unit = &mut self.units[(offset / 16) as usize];
        *unit = *unit & !(u128::from(u64::MAX) << shift) | u128::from(value) << shift;
    }

    /// Value of `bytes` (1, 4 or 8) bytes at an offset that is a multiple of it.
    #[inline]
    pub fn get(&self, offset: u32, bytes: u32) -> u64 {
        let word = (self.units[(offset / 16) as usize] >> (offset % 16 * 8)) as u64;
        match bytes {
            1 => word & 0xff,
            4 => word & 0xffff_ffff,
            _ => word,
        }
    }

    /// Writes a value of 1, 4 or 8 bytes.
    #[inline]
    pub fn set(&mut self, offset: u32, bytes: u32, value: u64) {
        let shift = offset % 16 * 8;
        let mask = match bytes {
            1 => 0xff,
            4 => 0xffff_ffff,
            _ => u64::MAX,
        };
        let unit = &mut self.units[(offset / 16) as usize];
        *unit = *unit & !(u128::from(mask) << shift) | u128::from(value & mask) << shift;
    }
}
