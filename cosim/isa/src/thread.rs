//! Thread records: how the host hands threads to the thread dispatcher (`SE-1`, `SE-41`) in global
//! memory. [`crate::records::thread`] has their words.
//!
//! A record begins at a multiple of 16 bytes and is one line, followed by a line for every four
//! semaphore requests. Bits without a meaning are zero.
//!
//! Records lie one after the other. Requests with acknowledge-suppress come first
//! ([`ThreadRecord::words`] sees to it). A thread asks at most once for one semaphore.

use crate::abi::LINE_BYTES;
use crate::records::thread;

/// The most semaphore requests of one thread.
pub const MAX_REQUESTS: usize = 15;

/// An ACQ_MSG that the dispatcher sends on a thread's behalf.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SemaphoreRequest {
    /// Number of the semaphore.
    pub semaphore: u16,
    /// The entry goes as soon as it is at the head.
    pub auto_release: bool,
    /// The thread is not told when it is at the head, and does not wait for it.
    pub suppress: bool,
}

/// One thread (a warp) of a thread list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadRecord {
    /// Instruction at which the lanes start.
    pub pc: u16,
    /// Lanes that run, one bit each; not zero.
    pub mask: u8,
    /// Words that the thread finds in `group_x`, `group_y`, `group_z`.
    pub data: [u32; 3],
    /// Semaphores that the dispatcher asks for on its behalf, in this order; at most
    /// [`MAX_REQUESTS`].
    pub requests: Vec<SemaphoreRequest>,
}

impl ThreadRecord {
    /// Words of the record.
    pub fn words(&self) -> Vec<u32> {
        let count = self.requests.len() as u32;
        let (pc, mask) = (thread::PC.put(u32::from(self.pc)), thread::MASK.put(u32::from(self.mask)));
        let mut words = vec![pc | mask | thread::REQUESTS.put(count)];
        words.extend(self.data);
        for suppress in [true, false] {
            words.extend(self.requests.iter().filter(|r| r.suppress == suppress).map(|r| {
                thread::SEMAPHORE.put(u32::from(r.semaphore))
                    | thread::AUTO_RELEASE.put(u32::from(r.auto_release))
                    | thread::SUPPRESS.put(u32::from(r.suppress))
            }));
        }
        let line = LINE_BYTES as usize / 4;
        words.resize(words.len().next_multiple_of(line), 0);
        words
    }

    /// Reads the record at the beginning of `words`, and the number of words that it takes; `None`
    /// if they are too few.
    pub fn read(words: &[u32]) -> Option<(Self, usize)> {
        let (&[head, x, y, z], rest) = words.split_first_chunk()?;
        let count = thread::REQUESTS.of(head) as usize;
        let requests = rest.get(..count)?.iter().map(|&w| SemaphoreRequest {
            semaphore: thread::SEMAPHORE.of(w) as u16,
            auto_release: thread::AUTO_RELEASE.is_set(w),
            suppress: thread::SUPPRESS.is_set(w),
        });
        let (pc, mask) = (thread::PC.of(head) as u16, thread::MASK.of(head) as u8);
        let record = Self { pc, mask, data: [x, y, z], requests: requests.collect() };
        Some((record, thread::REQUEST as usize + count.next_multiple_of(4)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_read_as_it_was_written_with_suppressed_requests_first() {
        let request = |semaphore, auto_release, suppress| SemaphoreRequest { semaphore, auto_release, suppress };
        let requests = vec![request(7, true, false), request(9, false, true), request(1, false, false)];
        let record = ThreadRecord { pc: 5, mask: 0b0111, data: [1, 2, 3], requests: requests.clone() };
        let words = record.words();
        assert_eq!(words, [0x0037_0005, 1, 2, 3, 0x2_0009, 0x1_0007, 1, 0]);
        let (read, length) = ThreadRecord::read(&words).unwrap();
        assert_eq!((length, read.pc, read.mask, read.data), (8, 5, 7, [1, 2, 3]));
        assert_eq!(read.requests, [requests[1], requests[0], requests[2]]);
        assert_eq!(ThreadRecord::read(&words[..5]), None);
    }
}
