//! A behavioural memory for the block and core tests: any latency, jitter and back-pressure from a
//! seed, answers in order. It can be wrong in being too friendly; its counters let a test see that
//! stalls did happen.

pub mod core;
pub mod model;
pub mod ports;

use std::collections::VecDeque;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// How the memory behaves.
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    /// Cycles from request to response, at least 1.
    pub latency: u64,
    /// Up to so many cycles more, at random.
    pub jitter: u64,
    /// Chance in 256 that the memory is not ready in a cycle.
    pub stall: u8,
    pub seed: u64,
}

impl Timing {
    pub const FAST: Timing = Timing { latency: 1, jitter: 0, stall: 0, seed: 0 };

    pub fn rough(seed: u64) -> Timing {
        Timing { latency: 3, jitter: 20, stall: 100, seed }
    }
}

/// What one request was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transaction {
    pub cycle: u64,
    pub addr: u32,
    pub write: bool,
    pub mask: u16,
}

/// Memory of `bytes.len()` bytes from address 0.
pub struct Memory {
    pub bytes: Vec<u8>,
    pub log: Vec<Transaction>,
    timing: Timing,
    rng: ChaCha8Rng,
    pending: VecDeque<(u64, [u32; 4])>,
    pub cycle: u64,
    pub ready: bool,
}

impl Memory {
    pub fn new(size: usize, timing: Timing) -> Self {
        let rng = ChaCha8Rng::seed_from_u64(timing.seed);
        Self { bytes: vec![0; size], log: Vec::new(), timing, rng, pending: VecDeque::new(), cycle: 0, ready: true }
    }

    pub fn line(&self, addr: u32) -> [u32; 4] {
        std::array::from_fn(|i| self.word(addr + 4 * i as u32))
    }

    pub fn word(&self, addr: u32) -> u32 {
        let at = addr as usize;
        self.bytes.get(at..at + 4).map_or(0, |b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
    }

    pub fn set_word(&mut self, addr: u32, value: u32) {
        self.bytes[addr as usize..addr as usize + 4].copy_from_slice(&value.to_le_bytes());
    }

    /// The response that is presented in this cycle.
    pub fn response(&self) -> Option<[u32; 4]> {
        self.pending.front().filter(|(due, _)| *due <= self.cycle).map(|(_, line)| *line)
    }

    /// The clock edge: `request` is (addr, write, mask, data) if one was valid; `taken` says
    /// whether the presented response was taken.
    pub fn edge(&mut self, request: Option<(u32, bool, u16, [u32; 4])>, taken: bool) {
        if taken && self.response().is_some() {
            self.pending.pop_front();
        }
        if let (true, Some((addr, write, mask, data))) = (self.ready, request) {
            assert_eq!(addr % 16, 0, "line address");
            self.log.push(Transaction { cycle: self.cycle, addr, write, mask });
            if write {
                for i in 0..16 {
                    if mask >> i & 1 == 1 {
                        if let Some(byte) = self.bytes.get_mut(addr as usize + i) {
                            *byte = data[i / 4].to_le_bytes()[i % 4];
                        }
                    }
                }
            }
            let extra = if self.timing.jitter == 0 { 0 } else { self.rng.random_range(0..=self.timing.jitter) };
            self.pending.push_back((self.cycle + self.timing.latency + extra, self.line(addr)));
        }
        self.cycle += 1;
        self.ready = self.rng.random_range(0..=255u8) >= self.timing.stall;
    }
}
