//! The semaphore entity as the specification has it (`SE-10` to `SE-25`): per semaphore a list of
//! entries, the head being the owner, and what an ACQ_MSG or REL_MSG does to it. Written from the
//! specification's words: no pool, no pointers, no cycles. The result of a message is the list of
//! operations in order, each with the ACK_MSG that it causes, so that a checker can follow the
//! machine operation by operation. It would be wrong where those words are read wrongly: every id
//! has its test by name in `tests/semaphores.rs`.

use std::collections::VecDeque;

use crate::config::Fault;

/// Warp slots that a unit has thread ids for: thread = unit * 16 + warp slot.
pub const SLOTS_PER_UNIT: usize = 16;

/// Thread id of a warp slot.
pub fn thread_id(unit: usize, warp: usize) -> u16 {
    (unit * SLOTS_PER_UNIT + warp) as u16
}

/// (unit, warp slot) of a thread id.
pub fn place_of(thread: u16) -> (usize, usize) {
    (usize::from(thread) / SLOTS_PER_UNIT, usize::from(thread) % SLOTS_PER_UNIT)
}

/// What a thread, or the dispatcher for it, sends to the entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MessageKind {
    /// ACQ_MSG (SE-20).
    Acquire {
        /// The entry goes as soon as it is at the head.
        auto_release: bool,
        /// The thread gets no acknowledgement.
        suppress: bool,
    },
    /// REL_MSG (SE-22).
    Release,
}

/// A message to the entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Message {
    /// What is asked.
    pub kind: MessageKind,
    /// Number of the semaphore, as sent; it may be one that does not exist.
    pub semaphore: u16,
    /// The thread that asks, as [`thread_id`] numbers it.
    pub thread: u16,
}

/// An entry of a list (SE-11).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Entry {
    /// The thread that waits or owns, as [`thread_id`] numbers it.
    pub thread: u16,
    /// Starts as auto-release.
    pub released: bool,
    /// The thread gets no acknowledgement when it is at the head.
    pub suppress: bool,
}

/// Why a message had no effect (SE-25).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[allow(missing_docs)] // The message of each variant says what it and its fields mean.
pub enum ProtocolError {
    #[error("the thread is not in the semaphore's list")]
    NotInList,
    #[error("the thread is not the semaphore's owner, who alone may release")]
    NotOwner,
    #[error("the thread has released the semaphore before")]
    DoubleRelease,
    #[error("there is no such semaphore")]
    NoSuchSemaphore,
}

impl ProtocolError {
    /// The reason as the machine numbers it. Not in the list and not the owner are one.
    pub fn code(self) -> u16 {
        match self {
            Self::NotInList | Self::NotOwner => 1,
            Self::DoubleRelease => 2,
            Self::NoSuchSemaphore => 3,
        }
    }
}

/// What a message did to a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Change {
    /// A new entry at the end.
    Appended,
    /// The head was removed.
    Removed,
    /// The release status of an entry that is not the head was set.
    Marked,
    /// Taken off again at once, or never put on: acquired with auto-release on an empty list.
    Passed,
    /// None: the message is an error.
    Error(ProtocolError),
}

/// One operation on a list, with the ACK_MSG that follows from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Operation {
    /// What it did.
    pub change: Change,
    /// Thread of the entry; of an error, of the message.
    pub thread: u16,
    /// The thread that is sent ACK_MSG: the new head (SE-21, SE-23).
    pub acknowledge: Option<u16>,
}

/// All lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Semaphores {
    lists: Vec<VecDeque<Entry>>,
    any_may_release: bool,
    fault: Option<Fault>,
}

impl Semaphores {
    /// `count` semaphores with empty lists. `any_may_release` is option B of SE-22, else option A.
    pub fn new(count: usize, any_may_release: bool, fault: Option<Fault>) -> Self {
        Self { lists: vec![VecDeque::new(); count], any_may_release, fault }
    }

    /// The entries of a semaphore, head first; empty for one that does not exist.
    pub fn list(&self, semaphore: u16) -> impl ExactSizeIterator<Item = &Entry> {
        const EMPTY: &VecDeque<Entry> = &VecDeque::new();
        self.lists.get(usize::from(semaphore)).unwrap_or(EMPTY).iter()
    }

    /// The thread at the head.
    pub fn owner(&self, semaphore: u16) -> Option<u16> {
        self.list(semaphore).next().map(|e| e.thread)
    }

    /// Semaphores whose list is not empty, with it.
    pub fn in_use(&self) -> impl Iterator<Item = (u16, &VecDeque<Entry>)> {
        self.lists.iter().enumerate().filter(|(_, l)| !l.is_empty()).map(|(s, l)| (s as u16, l))
    }

    /// Entries of all lists.
    pub fn entries(&self) -> usize {
        self.lists.iter().map(VecDeque::len).sum()
    }

    /// Semaphores in whose list the thread stands behind the head: what it waits for, if it waits.
    pub fn queued(&self, thread: u16) -> impl Iterator<Item = u16> + '_ {
        self.in_use().filter(move |(_, l)| l.iter().skip(1).any(|e| e.thread == thread && !e.suppress)).map(|(s, _)| s)
    }

    /// What a message does: its operations in order.
    pub fn apply(&mut self, message: &Message) -> Vec<Operation> {
        let Message { kind, semaphore, thread } = *message;
        let Some(list) = self.lists.get_mut(usize::from(semaphore)) else {
            return refused(ProtocolError::NoSuchSemaphore, thread);
        };
        match kind {
            MessageKind::Acquire { auto_release, suppress } => {
                let entry = Entry { thread, released: auto_release, suppress };
                vec![acquire(list, entry, self.fault)]
            }
            MessageKind::Release => match find(list, thread, self.any_may_release, self.fault) {
                Ok(0) => remove_heads(list),
                Ok(place) => {
                    list[place].released = true;
                    vec![Operation { change: Change::Marked, thread, acknowledge: None }]
                }
                Err(why) => refused(why, thread),
            },
        }
    }
}

/// SE-25: no effect on any list.
fn refused(why: ProtocolError, thread: u16) -> Vec<Operation> {
    vec![Operation { change: Change::Error(why), thread, acknowledge: None }]
}

/// SE-20, SE-21.
fn acquire(list: &mut VecDeque<Entry>, entry: Entry, fault: Option<Fault>) -> Operation {
    let thread = entry.thread;
    if !list.is_empty() {
        match fault {
            Some(Fault::SemaphoreOrder) => list.insert(1, entry),
            _ => list.push_back(entry),
        }
        return Operation { change: Change::Appended, thread, acknowledge: None };
    }
    let acknowledge = (!entry.suppress).then_some(thread);
    if entry.released {
        return Operation { change: Change::Passed, thread, acknowledge };
    }
    list.push_back(entry);
    Operation { change: Change::Appended, thread, acknowledge }
}

/// The place of the entry that a release by `thread` is for (SE-22).
fn find(
    list: &VecDeque<Entry>,
    thread: u16,
    any_may_release: bool,
    fault: Option<Fault>,
) -> Result<usize, ProtocolError> {
    if list.front().is_some_and(|head| head.thread == thread) {
        return Ok(0);
    }
    let own = |e: &&Entry| e.thread == thread;
    if !any_may_release || fault == Some(Fault::SemaphoreHeadOnly) {
        return Err(match list.iter().any(|e| own(&e)) {
            true => ProtocolError::NotOwner,
            false => ProtocolError::NotInList,
        });
    }
    match list.iter().position(|e| own(&e) && !e.released) {
        Some(place) => Ok(place),
        None if list.iter().any(|e| own(&e)) => Err(ProtocolError::DoubleRelease),
        None => Err(ProtocolError::NotInList),
    }
}

/// SE-23: the head goes, and every new head that has been released already.
fn remove_heads(list: &mut VecDeque<Entry>) -> Vec<Operation> {
    let mut operations = Vec::with_capacity(1);
    while let Some(gone) = list.pop_front() {
        let acknowledge = list.front().filter(|head| !head.suppress).map(|head| head.thread);
        operations.push(Operation { change: Change::Removed, thread: gone.thread, acknowledge });
        if !list.front().is_some_and(|head| head.released) {
            break;
        }
    }
    operations
}
