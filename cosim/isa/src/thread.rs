//! Thread records: how the host hands threads to the thread dispatcher (`SE-1`, `SE-41`) in global
//! memory. The one place of their layout.
//!
//! A record begins at a multiple of 16 bytes and is one line, followed by a line for every four
//! semaphore requests:
//!
//! | word | bits | |
//! |---|---|---|
//! | 0 | 15:0 | program counter at which the thread starts |
//! | 0 | 19:16 | lane mask, not zero |
//! | 0 | 23:20 | number of semaphore requests, 0 to 15 |
//! | 0 | 31:24 | zero |
//! | 1, 2, 3 | | data words: special registers GROUP_X, GROUP_Y, GROUP_Z of the thread |
//! | 4 ... | 15:0 | semaphore |
//! | | 16 | auto-release |
//! | | 17 | acknowledge-suppress |
//!
//! Records lie one behind the other. Requests with acknowledge-suppress come first
//! ([`ThreadRecord::words`] sees to it). A thread asks at most once for one semaphore.

use crate::abi::LINE_BYTES;

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
        let mut words = vec![u32::from(self.pc) | u32::from(self.mask & 15) << 16 | count << 20];
        words.extend(self.data);
        for suppress in [true, false] {
            words.extend(
                self.requests
                    .iter()
                    .filter(|r| r.suppress == suppress)
                    .map(|r| u32::from(r.semaphore) | u32::from(r.auto_release) << 16 | u32::from(r.suppress) << 17),
            );
        }
        let line = LINE_BYTES as usize / 4;
        words.resize(words.len().next_multiple_of(line), 0);
        words
    }

    /// Reads the record at the beginning of `words`, and the number of words that it takes; `None`
    /// if they are too few.
    pub fn read(words: &[u32]) -> Option<(Self, usize)> {
        let (&[head, x, y, z], rest) = words.split_first_chunk()?;
        let count = (head >> 20 & 15) as usize;
        let requests = rest.get(..count)?.iter().map(|w| SemaphoreRequest {
            semaphore: *w as u16,
            auto_release: w >> 16 & 1 == 1,
            suppress: w >> 17 & 1 == 1,
        });
        let record =
            Self { pc: head as u16, mask: (head >> 16 & 15) as u8, data: [x, y, z], requests: requests.collect() };
        Some((record, 4 + count.next_multiple_of(4)))
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
