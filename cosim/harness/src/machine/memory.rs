//! The memory behind the core's memory port: a flat image, answered in order after `latency` plus a
//! random part of `jitter` cycles, with ready and response withheld in a random `stall` percent of
//! the cycles. All choices come from the seed, so a run can be repeated bit for bit. Requests are
//! performed when they are accepted. Accesses outside the image read zero, write nothing and are
//! kept as memory faults. It would be wrong, and hide bugs of the RTL, if a raised response could
//! change or fall before it is taken: `drive` keeps it.

use std::collections::VecDeque;

use quadlock_isa::abi::LINE_BYTES;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Deserialize;

use crate::machine::ports::{Inputs, MemoryRequest, Outputs};

/// Timing of the memory. Cycles unless said otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct MemoryConfig {
    /// From the cycle a request is accepted to the earliest cycle of its response; at least 1.
    pub latency: u32,
    /// Random addition to it, 0 to `jitter`. Responses stay in order.
    pub jitter: u32,
    /// Percentage of the cycles in which requests are not accepted, and of those in which a new
    /// response is not begun; 0 to 95.
    pub stall: u32,
    /// Of the random delays and stalls.
    pub seed: u64,
}

impl Default for MemoryConfig {
    fn default() -> Self {
        Self { latency: 8, jitter: 0, stall: 0, seed: 1 }
    }
}

impl MemoryConfig {
    /// The first value out of its range, in words.
    pub fn check(&self) -> Result<(), String> {
        if !(1..=100_000).contains(&self.latency) {
            return Err(format!("memory latency = {} is out of range: 1 to 100000 cycles", self.latency));
        }
        if self.jitter > 100_000 {
            return Err(format!("memory jitter = {} is out of range: 0 to 100000 cycles", self.jitter));
        }
        if self.stall > 95 {
            return Err(format!("memory stall = {} is out of range: 0 to 95 percent", self.stall));
        }
        Ok(())
    }
}

/// Flat bytes from `base` up: what the core can address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Byte address of the first byte.
    pub base: u32,
    /// Global memory from `base` on; what is outside is a fault.
    pub bytes: Vec<u8>,
}

impl Image {
    /// Index of the byte at `addr`.
    fn index(&self, addr: u32) -> Option<usize> {
        let at = addr.checked_sub(self.base)? as usize;
        (at < self.bytes.len()).then_some(at)
    }

    /// Bytes from a byte address on; `None` if one of them is outside.
    pub fn slice(&self, addr: u32, length: usize) -> Option<&[u8]> {
        let at = self.index(addr)?;
        self.bytes.get(at..at + length)
    }

    /// As [`Image::slice`], to change.
    pub fn slice_mut(&mut self, addr: u32, length: usize) -> Option<&mut [u8]> {
        let at = self.index(addr)?;
        self.bytes.get_mut(at..at + length)
    }

    fn read_line(&self, addr: u32) -> ([u32; 4], bool) {
        let mut bytes = [0u8; LINE_BYTES as usize];
        let mut inside = true;
        for (i, byte) in bytes.iter_mut().enumerate() {
            match self.index(addr.wrapping_add(i as u32)) {
                Some(at) => *byte = self.bytes[at],
                None => inside = false,
            }
        }
        (words(&bytes), inside)
    }

    fn write_line(&mut self, addr: u32, mask: u16, data: [u32; 4]) -> bool {
        let mut inside = true;
        for i in (0..LINE_BYTES).filter(|i| mask >> i & 1 == 1) {
            match self.index(addr.wrapping_add(i)) {
                Some(at) => self.bytes[at] = (data[i as usize / 4] >> (8 * (i % 4))) as u8,
                None => inside = false,
            }
        }
        inside
    }
}

fn words(bytes: &[u8; 16]) -> [u32; 4] {
    std::array::from_fn(|i| u32::from_le_bytes([bytes[4 * i], bytes[4 * i + 1], bytes[4 * i + 2], bytes[4 * i + 3]]))
}

/// A write that the memory port performed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriteRecord {
    /// In which the port accepted it.
    pub cycle: u64,
    /// Byte address of the line.
    pub addr: u32,
    /// Byte enables: bit i for byte i of the line.
    pub mask: u16,
    /// The whole line, first word first.
    pub data: [u32; 4],
    /// Requester, see [`Outputs::mem_source`].
    pub source: Option<u8>,
}

/// A request that the port accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Accepted {
    /// Byte address of the line.
    pub line: u32,
    /// A write; otherwise a read of the whole line.
    pub write: bool,
    /// Requester, see [`Outputs::mem_source`].
    pub source: Option<u8>,
}

/// An access outside the image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryFault {
    /// In which the port accepted it.
    pub cycle: u64,
    /// Byte address of the line.
    pub addr: u32,
    /// A write, which has no effect; otherwise a read, which gives zeros.
    pub write: bool,
}

#[derive(Clone, Debug)]
struct Response {
    ready_at: u64,
    data: [u32; 4],
}

/// The memory and the state of its port.
#[derive(Clone, Debug)]
pub struct Memory {
    config: MemoryConfig,
    rng: ChaCha8Rng,
    /// What reads see: accepted writes are in it at once.
    pub image: Image,
    responses: VecDeque<Response>,
    /// The response being offered.
    offered: bool,
    ready: bool,
    /// Writes not yet taken by the checker.
    pub writes: VecDeque<WriteRecord>,
    /// What was accepted in the last cycle observed.
    pub accepted: Option<Accepted>,
    /// The first 64 accesses outside the image.
    pub faults: Vec<MemoryFault>,
    /// Lines read.
    pub reads: u64,
    /// Lines written.
    pub written: u64,
    /// Bytes written: those that the masks enable.
    pub bytes_written: u64,
}

/// Faults kept; the count of the rest is of no use.
const MAX_FAULTS: usize = 64;
/// Requests in flight at most; more are not accepted.
const MAX_IN_FLIGHT: usize = 256;

impl Memory {
    /// Nothing in flight.
    pub fn new(config: MemoryConfig, image: Image) -> Self {
        Self {
            config,
            rng: ChaCha8Rng::seed_from_u64(config.seed),
            image,
            responses: VecDeque::new(),
            offered: false,
            ready: true,
            writes: VecDeque::new(),
            accepted: None,
            faults: Vec::new(),
            reads: 0,
            written: 0,
            bytes_written: 0,
        }
    }

    fn lucky(&mut self) -> bool {
        self.config.stall == 0 || self.rng.random_range(0..100) >= self.config.stall
    }

    /// Sets the memory side of the inputs of cycle `cycle`.
    pub fn drive(&mut self, cycle: u64, inputs: &mut Inputs) {
        self.ready = self.lucky() && self.responses.len() < MAX_IN_FLIGHT;
        inputs.mem_req_ready = self.ready;
        if !self.offered {
            let due = self.responses.front().is_some_and(|r| r.ready_at <= cycle);
            self.offered = due && self.lucky();
        }
        inputs.mem_rsp = self.responses.front().filter(|_| self.offered).map(|r| r.data);
    }

    /// Performs what was transferred in `cycle`.
    pub fn observe(&mut self, cycle: u64, outputs: &Outputs) {
        if self.offered && outputs.mem_rsp_ready {
            self.responses.pop_front();
            self.offered = false;
        }
        self.accepted = None;
        if let Some(request) = outputs.mem_req.filter(|_| self.ready) {
            self.accept(cycle, request, outputs.mem_source);
        }
    }

    fn accept(&mut self, cycle: u64, request: MemoryRequest, source: Option<u8>) {
        let MemoryRequest { addr, write, mask, data } = request;
        let line = addr & !(LINE_BYTES - 1);
        self.accepted = Some(Accepted { line, write, source });
        let (data, inside) = if write {
            self.written += 1;
            self.bytes_written += u64::from(mask.count_ones());
            self.writes.push_back(WriteRecord { cycle, addr: line, mask, data, source });
            ([0; 4], self.image.write_line(line, mask, data))
        } else {
            self.reads += 1;
            self.image.read_line(line)
        };
        if !inside && self.faults.len() < MAX_FAULTS {
            self.faults.push(MemoryFault { cycle, addr: line, write });
        }
        let jitter = if self.config.jitter == 0 { 0 } else { self.rng.random_range(0..=self.config.jitter) };
        let ready_at = cycle + u64::from(self.config.latency.max(1)) + u64::from(jitter);
        self.responses.push_back(Response { ready_at, data });
    }

    /// Requests accepted so far: the measure of progress for the hang detector.
    pub fn transactions(&self) -> u64 {
        self.reads + self.written
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory(config: MemoryConfig) -> Memory {
        Memory::new(config, Image { base: 0x1000, bytes: (0..64).collect() })
    }

    fn request(addr: u32, write: bool) -> Outputs {
        Outputs {
            mem_req: Some(MemoryRequest { addr, write, mask: 0x00F0, data: [1, 0xAABB_CCDD, 3, 4] }),
            mem_rsp_ready: true,
            ..Outputs::default()
        }
    }

    #[test]
    fn a_read_is_answered_after_the_latency() {
        let mut m = memory(MemoryConfig { latency: 3, ..MemoryConfig::default() });
        let mut inputs = Inputs::default();
        m.drive(10, &mut inputs);
        m.observe(10, &request(0x1010, false));
        for cycle in 11..13 {
            m.drive(cycle, &mut inputs);
            assert_eq!(inputs.mem_rsp, None, "cycle {cycle}");
            m.observe(cycle, &Outputs::default());
        }
        m.drive(13, &mut inputs);
        assert_eq!(inputs.mem_rsp, Some([0x1312_1110, 0x1716_1514, 0x1B1A_1918, 0x1F1E_1D1C]));
    }

    #[test]
    fn a_response_stays_until_it_is_taken_even_when_the_memory_stalls() {
        let mut m = memory(MemoryConfig { latency: 1, stall: 80, seed: 3, ..MemoryConfig::default() });
        let mut inputs = Inputs::default();
        let mut cycle = 0;
        while m.reads == 0 {
            m.drive(cycle, &mut inputs);
            m.observe(cycle, &request(0x1000, false));
            cycle += 1;
        }
        let idle = Outputs::default();
        while inputs.mem_rsp.is_none() {
            m.drive(cycle, &mut inputs);
            m.observe(cycle, &idle);
            cycle += 1;
        }
        for _ in 0..50 {
            m.drive(cycle, &mut inputs);
            assert!(inputs.mem_rsp.is_some());
            m.observe(cycle, &idle);
            cycle += 1;
        }
    }

    #[test]
    fn a_write_obeys_its_byte_mask_and_is_logged() {
        let mut m = memory(MemoryConfig::default());
        m.drive(0, &mut Inputs::default());
        m.observe(0, &request(0x1020, true));
        assert_eq!(m.image.slice(0x1020, 8).unwrap(), &[32, 33, 34, 35, 0xDD, 0xCC, 0xBB, 0xAA]);
        assert_eq!(m.image.bytes[0x28..], (0x28..64).collect::<Vec<u8>>()[..]);
        assert_eq!(m.writes.len(), 1);
        assert!(m.faults.is_empty());
    }

    #[test]
    fn an_access_outside_is_a_fault_reads_zero_and_writes_nothing() {
        let mut m = memory(MemoryConfig { latency: 1, ..MemoryConfig::default() });
        let before = m.image.clone();
        let mut inputs = Inputs::default();
        m.drive(0, &mut inputs);
        m.observe(0, &request(0x1040, true));
        m.drive(1, &mut inputs);
        m.observe(1, &request(0x0FF0, false));
        m.drive(2, &mut inputs);
        assert_eq!(inputs.mem_rsp, Some([0; 4]));
        assert_eq!(m.image, before);
        assert_eq!(m.faults.iter().map(|f| (f.addr, f.write)).collect::<Vec<_>>(), [(0x1040, true), (0x0FF0, false)]);
    }
}
