//! Byte storage: global memory with unmapped ends, or a unit's shared storage that wraps.
//!
//! Accesses are aligned down to their size by the caller's contract ([`Memory::load`] does it), so
//! none crosses a 16-byte line. `version` counts writes that changed something: the deadlock
//! detector relies on it being exact.

/// Global addresses below this are never mapped.
pub const UNMAPPED_BELOW: u32 = 0x1000;

/// Little-endian byte storage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Memory {
    bytes: Vec<u8>,
    low: u32,
    wraps: bool,
    version: u64,
}

impl Memory {
    /// Global memory of `size` bytes, zero. Addresses below [`UNMAPPED_BELOW`] count in `size` but
    /// are not mapped.
    pub fn new(size: u32) -> Self {
        Self::from_bytes(vec![0; size as usize])
    }

    /// Global memory with this content from address 0.
    pub fn from_bytes(bytes: Vec<u8>) -> Self {
        Memory { bytes, low: UNMAPPED_BELOW, wraps: false, version: 0 }
    }

    /// Shared storage of `words` words, a power of two, at least four.
    pub fn shared(words: usize) -> Self {
        Memory { bytes: vec![0; words.next_power_of_two().max(4) * 4], low: 0, wraps: true, version: 0 }
    }

    /// Bytes.
    pub fn size(&self) -> usize {
        self.bytes.len()
    }

    /// The content from address 0.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The content from address 0.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Counts the writes that changed a byte.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// The byte at `addr`; 0 where nothing is mapped.
    pub fn read(&self, addr: u32) -> u8 {
        self.place(addr, 1).map_or(0, |at| self.bytes[at])
    }

    /// Writes a byte; without effect where nothing is mapped.
    pub fn write(&mut self, addr: u32, value: u8) {
        self.store(addr, 1, [u32::from(value), 0, 0, 0]);
    }

    /// The little-endian word at `addr`, aligned down; 0 where nothing is mapped.
    pub fn read32(&self, addr: u32) -> u32 {
        self.load(addr, 4).0[0]
    }

    /// Writes a little-endian word at `addr`, aligned down.
    pub fn write32(&mut self, addr: u32, value: u32) {
        self.store(addr, 4, [value, 0, 0, 0]);
    }

    /// Copies `data` to `addr` on; `false` if a part is not mapped (nothing is written then).
    pub fn write_slice(&mut self, addr: u32, data: &[u8]) -> bool {
        let end = addr as usize + data.len();
        if addr < self.low || end > self.bytes.len() {
            return false;
        }
        self.bytes[addr as usize..end].copy_from_slice(data);
        self.version += 1;
        true
    }

    /// `addr` aligned down to `bytes`, and wrapped if this storage wraps.
    pub fn effective(&self, addr: u32, bytes: u8) -> u32 {
        let aligned = addr & !(u32::from(bytes) - 1);
        if self.wraps {
            aligned & (self.bytes.len() as u32 - 1)
        } else {
            aligned
        }
    }

    /// Index of the first byte of an aligned access, if it is wholly mapped.
    fn place(&self, addr: u32, bytes: u8) -> Option<usize> {
        let at = self.effective(addr, bytes) as usize;
        (at >= self.low as usize && at + bytes as usize <= self.bytes.len()).then_some(at)
    }

    /// The `bytes` (1, 2, 4, 8, 16) at `addr` aligned down, as words, zero-extended; the flag is
    /// set if some are not mapped.
    pub fn load(&self, addr: u32, bytes: u8) -> ([u32; 4], bool) {
        let Some(at) = self.place(addr, bytes) else {
            return (self.load_partly(addr, bytes), true);
        };
        let word = |i: usize| {
            let at = at + 4 * i;
            u32::from_le_bytes([self.bytes[at], self.bytes[at + 1], self.bytes[at + 2], self.bytes[at + 3]])
        };
        let value = match bytes {
            1 => [u32::from(self.bytes[at]), 0, 0, 0],
            2 => [u32::from(self.bytes[at]) | u32::from(self.bytes[at + 1]) << 8, 0, 0, 0],
            4 => [word(0), 0, 0, 0],
            8 => [word(0), word(1), 0, 0],
            _ => [word(0), word(1), word(2), word(3)],
        };
        (value, false)
    }

    /// A load that crosses the end of memory: mapped bytes read, others zero.
    fn load_partly(&self, addr: u32, bytes: u8) -> [u32; 4] {
        let base = self.effective(addr, bytes);
        let mut value = [0; 4];
        for i in 0..u32::from(bytes) {
            let byte = self.place(base.wrapping_add(i), 1).map_or(0, |at| self.bytes[at]);
            value[i as usize / 4] |= u32::from(byte) << (8 * (i % 4));
        }
        value
    }

    /// Writes the low `bytes` of the words at `addr` aligned down; the flag is set if some are not
    /// mapped (those are dropped).
    pub fn store(&mut self, addr: u32, bytes: u8, value: [u32; 4]) -> bool {
        let mut raw = [0u8; 16];
        for (chunk, word) in raw.chunks_exact_mut(4).zip(value) {
            chunk.copy_from_slice(&word.to_le_bytes());
        }
        let raw = &raw[..bytes as usize];
        let Some(at) = self.place(addr, bytes) else {
            let base = self.effective(addr, bytes);
            for (i, &byte) in raw.iter().enumerate() {
                if let Some(at) = self.place(base.wrapping_add(i as u32), 1) {
                    self.version += u64::from(self.bytes[at] != byte);
                    self.bytes[at] = byte;
                }
            }
            return true;
        };
        let target = &mut self.bytes[at..at + raw.len()];
        if target != raw {
            target.copy_from_slice(raw);
            self.version += 1;
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accesses_align_down() {
        let mut m = Memory::new(0x2000);
        assert!(!m.store(0x1013, 16, [1, 2, 3, 4]));
        assert_eq!(m.load(0x101F, 8).0, [3, 4, 0, 0]);
        assert_eq!(m.load(0x1019, 2).0, [3, 0, 0, 0]);
        assert_eq!(m.read(0x1014), 2);
    }

    #[test]
    fn unmapped_bytes_read_zero_and_drop_writes() {
        let mut m = Memory::new(0x1008);
        assert!(m.store(0xFFC, 4, [7; 4]));
        assert_eq!(m.load(0xFFC, 4), ([0; 4], true));
        assert!(m.store(0x1000, 16, [5, 6, 7, 8]), "half of it is outside");
        assert_eq!(m.load(0x1000, 16), ([5, 6, 0, 0], true));
        assert!(m.load(0xFFFF_FFFF, 4).1);
        assert!(!m.write_slice(0x1004, &[0; 8]));
    }

    #[test]
    fn shared_storage_wraps() {
        let mut m = Memory::shared(64);
        assert!(!m.store(256 + 8, 4, [9, 0, 0, 0]));
        assert_eq!(m.load(8, 4), ([9, 0, 0, 0], false));
        assert_eq!(m.load(0xFFFF_FF08, 4).0[0], 9);
    }

    #[test]
    fn version_counts_changes_only() {
        let mut m = Memory::shared(64);
        m.store(0, 4, [0; 4]);
        assert_eq!(m.version(), 0);
        m.store(0, 4, [1; 4]);
        assert_eq!(m.version(), 1);
    }
}
