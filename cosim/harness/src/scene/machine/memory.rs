//! The memory of a frame while it is laid out, and the buffers in it that a scene looks at
//! afterwards. Each part stands on a line of its own; wrong would be two parts that overlap.

use std::ops::Range;

use quadlock_golden::Memory;
use quadlock_isa::records::pass;

use crate::job::data::Out;
use crate::job::Expect;
use crate::machine::layout::BASE;

/// A buffer in memory.
#[derive(Clone, Debug)]
pub struct BufferAt {
    /// For messages.
    pub name: String,
    /// Byte address.
    pub address: u32,
    /// Bytes.
    pub size: u32,
    /// File for its contents after a run.
    pub(in crate::scene) out: Option<Out>,
    /// What these must be, loaded.
    pub(in crate::scene) expect: Option<(Expect, Vec<u8>)>,
    /// Where the file says so.
    pub(in crate::scene) span: Range<usize>,
}

impl BufferAt {
    /// Its bytes after a run.
    pub(in crate::scene) fn after<'m>(&self, memory: &'m Memory) -> &'m [u8] {
        memory.bytes().get(self.address as usize..(self.address + self.size) as usize).unwrap_or_default()
    }
}

/// Where an area for full binning begins, and in what it is counted.
const AREA_UNIT: u32 = 1 << 14;

/// Memory that grows.
#[derive(Default)]
pub(super) struct Placing {
    pub bytes: Vec<u8>,
    /// What nobody defines.
    pub scratch: Vec<Range<u32>>,
    /// Buffers of draws.
    pub buffers: Vec<BufferAt>,
}

impl Placing {
    pub fn next(&self) -> u32 {
        BASE + self.bytes.len() as u32
    }

    /// Puts bytes on a line of their own; their address.
    pub fn put(&mut self, bytes: &[u8]) -> u32 {
        let at = self.next();
        self.bytes.extend(bytes);
        self.bytes.resize(self.bytes.len().next_multiple_of(16), 0);
        at
    }

    pub fn words(&mut self, words: &[u32]) -> u32 {
        self.put(&words.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<u8>>())
    }

    /// Room for triangles and lists of full binning, and behind it for bounds of Hi-Z; what the
    /// pass record says of it.
    pub fn area(&mut self, kib: u32, bounds: u32) -> u32 {
        if kib == 0 && bounds == 0 {
            return 0;
        }
        let unit = AREA_UNIT as usize;
        let next = (self.next() as usize).next_multiple_of(unit);
        self.bytes.resize(next - BASE as usize, 0);
        let bytes = 1024 * kib + bounds;
        let at = self.zeros(bytes as usize);
        self.scratch.push(at..at + bytes);
        // The address is a multiple of the unit.
        at | pass::BIN_AREA_SIZE.put(1024 * kib / AREA_UNIT)
    }

    pub fn zeros(&mut self, bytes: usize) -> u32 {
        self.put(&vec![0; bytes])
    }
}
