//! Where code, buffers and stacks lie in the flat memory. One straight line from `BASE` up: code,
//! then every buffer in order of the buffer table, then the stacks; each starts on a 256-byte
//! boundary with at least one unused line before it. An assembly program may ask for its data
//! first. The layout is the host's free choice; the
//! program learns it from the constant bank.

use quadlock_isa::abi::{CONST_BUFFERS, CONST_GRID, CONST_STACK_BASE, CONST_STACK_SIZE, LANES};

/// First mapped byte address: below it nothing is ever mapped, so that a null pointer is a memory
/// fault.
pub const BASE: u32 = 0x1000;
const ALIGN: u64 = 256;
const GUARD: u64 = 16;
/// The most bytes of memory a job may ask for.
pub const MAX_BYTES: u64 = 1 << 30;

/// A part of the memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Region {
    pub addr: u32,
    /// Bytes.
    pub size: u32,
}

/// Addresses of a launch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    pub code: Region,
    /// In order of the buffer table.
    pub buffers: Vec<Region>,
    pub stacks: Region,
    /// One past the last mapped byte.
    pub end: u32,
}

impl Layout {
    /// Lays out `code_bytes` of code, buffers of the given sizes in bytes, and `threads` stacks of
    /// `stack_bytes` each. With `data_first` the buffers lie before the code: the first one then is
    /// at [`BASE`], whatever the program.
    ///
    /// # Errors
    /// The bytes needed, if they are more than [`MAX_BYTES`].
    pub fn ordered(
        data_first: bool,
        code_bytes: u32,
        buffers: &[u32],
        stack_bytes: u32,
        threads: u32,
    ) -> Result<Self, u64> {
        let mut next = u64::from(BASE);
        let mut place = |size: u64| {
            let addr = next;
            next = (addr + size + GUARD).next_multiple_of(ALIGN);
            Region { addr: addr as u32, size: size as u32 }
        };
        let mut code = if data_first { Region::default() } else { place(u64::from(code_bytes)) };
        let buffers: Vec<Region> = buffers.iter().map(|&b| place(u64::from(b))).collect();
        if data_first {
            code = place(u64::from(code_bytes));
        }
        let total = u64::from(stack_bytes) * u64::from(threads);
        let stacks = place(total);
        if next > MAX_BYTES {
            return Err(next);
        }
        Ok(Self { code, buffers, stacks, end: next as u32 })
    }

    /// Places more regions of the given sizes behind everything else; one of size 0 takes no room.
    ///
    /// # Errors
    /// As [`Layout::ordered`].
    pub fn more<const N: usize>(&mut self, sizes: [u32; N]) -> Result<[Region; N], u64> {
        let mut next = u64::from(self.end);
        let place = |size: u32| {
            let addr = next;
            if size > 0 {
                next = (addr + u64::from(size) + GUARD).next_multiple_of(ALIGN);
            }
            Region { addr: addr as u32, size }
        };
        let regions = sizes.map(place);
        if next > MAX_BYTES {
            return Err(next);
        }
        self.end = next as u32;
        Ok(regions)
    }

    /// (word, value) of the constant bank that tell a program its grid and its addresses.
    pub fn constants(&self, grid: [u32; 3], stack_bytes: u32) -> Vec<(u32, u32)> {
        let mut words: Vec<(u32, u32)> = (0..3).map(|i| ((CONST_GRID + i) as u32, grid[i])).collect();
        words.push((CONST_STACK_BASE as u32, self.stacks.addr));
        words.push((CONST_STACK_SIZE as u32, stack_bytes));
        for (i, buffer) in self.buffers.iter().enumerate() {
            words.push(((CONST_BUFFERS + 2 * i) as u32, buffer.addr));
            words.push(((CONST_BUFFERS + 2 * i + 1) as u32, buffer.size));
        }
        words
    }
}

/// Hardware threads of that many warp slots: one stack each.
pub fn threads(slots: usize) -> u32 {
    (slots * LANES) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_do_not_touch() {
        let l = Layout::ordered(false, 100, &[256, 0, 1], 32, 64).unwrap();
        assert_eq!(l.code, Region { addr: BASE, size: 100 });
        let mut all = vec![l.code];
        all.extend(&l.buffers);
        all.push(l.stacks);
        for pair in all.windows(2) {
            assert!(pair[0].addr + pair[0].size + 16 <= pair[1].addr, "{pair:?}");
            assert_eq!(pair[1].addr % 256, 0);
        }
        assert_eq!(l.stacks.size, 32 * 64);
        assert!(l.end >= l.stacks.addr + l.stacks.size);
        assert!(l.constants([3, 2, 1], 32).contains(&(3, l.stacks.addr)));
    }

    #[test]
    fn data_may_be_first() {
        let l = Layout::ordered(true, 100, &[300, 16], 0, 0).unwrap();
        let addresses = [l.buffers[0].addr, l.buffers[1].addr, l.code.addr, l.stacks.addr];
        assert_eq!(addresses, [BASE, BASE + 512, BASE + 768, BASE + 1024]);
        assert_eq!((l.code.size, l.end), (100, BASE + 1280));
    }

    #[test]
    fn more_regions_stand_behind_the_others() {
        let mut l = Layout::ordered(false, 100, &[256], 32, 64).unwrap();
        let end = l.end;
        let more = l.more([300, 0, 16]).unwrap();
        assert_eq!((more[0].addr, more[1].addr, more[2].addr), (end, end + 512, end + 512));
        assert_eq!(l.end, end + 768);
        assert!(l.more([u32::MAX]).is_err());
    }

    #[test]
    fn too_much_memory_is_refused() {
        assert!(Layout::ordered(false, 16, &[u32::MAX, 1], 0, 64).is_err());
    }
}
