//! The lists of the semaphores as waves and Perfetto show them: followed from the event ports,
//! since in the machine a list is links in a memory, which no viewer can read. Per semaphore of the
//! machine there are two variables in the scope [`SCOPE`] of the top: `semaphore_N`, [`PLACES`]
//! places of [`PLACE`] bits with the owner in the lowest (bit 11: there is an entry, bit 10: it has
//! been released, 9:0: the thread), and `length_N`. They show a list as it is behind the operation
//! of the same cycle. It has to be fed from the machine's start on: a tracker that missed an
//! operation would go on showing threads that have left. It shows what the machine said, right or
//! wrong; whether that was right is for the checkers to say.

use std::collections::VecDeque;

use crate::machine::ports::{ListOp, ListOpKind, MessageKind, Outputs};
use crate::machine::signals::{SignalKind, SignalTree};

/// Scope of the variables, inside the top.
pub const SCOPE: &str = "lists";
/// Entries of a list that its variable shows.
pub const PLACES: u32 = 8;
/// Bits of a place.
pub const PLACE: u32 = 12;
/// There is an entry.
pub const PRESENT: u16 = 1 << 11;
/// It has been released, or was acquired with auto-release: it goes as soon as it is the head.
pub const RELEASED: u16 = 1 << 10;
/// Bits of `length_N`: the largest pool has 4,096 entries.
pub const LENGTH: u32 = 13;

/// An entry of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    pub thread: u16,
    pub released: bool,
    /// Its number in the pool.
    pub entry: u16,
}

/// The lists of all semaphores.
#[derive(Clone, Debug, Default)]
pub struct ListView {
    /// By semaphore, head first.
    lists: Vec<VecDeque<Entry>>,
    /// ACQ_MSGs at the entity: semaphore, thread, auto-release. An operation does not say the last.
    acquires: VecDeque<(u16, u16, bool)>,
    busy: bool,
    changed: Vec<u16>,
}

impl ListView {
    /// Empty lists of a machine with so many semaphores.
    pub fn new(semaphores: usize) -> Self {
        Self { lists: vec![VecDeque::new(); semaphores], ..Self::default() }
    }

    /// Takes in a cycle; the semaphores whose lists are others than before.
    pub fn observe(&mut self, outputs: &Outputs) -> &[u16] {
        self.changed.clear();
        if outputs.busy && !self.busy {
            // A start empties all lists.
            self.acquires.clear();
            for (list, semaphore) in self.lists.iter_mut().zip(0..).filter(|(list, _)| !list.is_empty()) {
                list.clear();
                self.changed.push(semaphore);
            }
        }
        self.busy = outputs.busy;
        // Before the operation: an acquire may have its effect in the cycle in which it comes.
        let acquires = outputs.bus.iter().filter(|e| e.kind == MessageKind::Acquire);
        self.acquires.extend(acquires.map(|e| (e.semaphore, e.thread, e.auto)));
        if let Some(op) = outputs.list_op {
            self.operation(&op);
        }
        &self.changed
    }

    /// The flag auto-release of the acquire that an operation is of: the oldest of its thread and
    /// semaphore. Acquires of other semaphores may overtake it (SE-12).
    fn taken(&mut self, op: &ListOp) -> bool {
        let place = self.acquires.iter().position(|a| (a.0, a.1) == (op.semaphore, op.thread));
        place.and_then(|place| self.acquires.remove(place)).is_some_and(|a| a.2)
    }

    fn operation(&mut self, op: &ListOp) {
        let known = usize::from(op.semaphore) < self.lists.len();
        match op.kind {
            ListOpKind::Appended if known => {
                let entry = Entry { thread: op.thread, released: self.taken(op), entry: op.entry };
                self.lists[usize::from(op.semaphore)].push_back(entry);
            }
            ListOpKind::Removed if known => {
                self.lists[usize::from(op.semaphore)].pop_front();
            }
            ListOpKind::Marked if known => {
                let list = &mut self.lists[usize::from(op.semaphore)];
                if let Some(entry) = list.iter_mut().find(|e| e.entry == op.entry) {
                    entry.released = true;
                }
            }
            ListOpKind::Passed => {
                self.taken(op);
                return;
            }
            ListOpKind::Error => {
                // Of an acquire only if there is no such semaphore; else of a release.
                if !known {
                    self.taken(op);
                }
                return;
            }
            _ => return,
        }
        self.changed.push(op.semaphore);
    }

    /// The list of a semaphore, head first.
    pub fn list(&self, semaphore: u16) -> impl ExactSizeIterator<Item = Entry> + '_ {
        self.lists.get(usize::from(semaphore)).map(VecDeque::iter).unwrap_or_default().copied()
    }

    /// Number of variables in a trace: for each semaphore its list, then its length.
    pub fn variables(&self) -> usize {
        2 * self.lists.len()
    }

    /// Indices of the variables of a semaphore.
    pub fn variables_of(semaphore: u16) -> [usize; 2] {
        let first = 2 * usize::from(semaphore);
        [first, first + 1]
    }

    /// Name and width of a variable.
    pub fn variable(index: usize) -> (String, u32) {
        match index % 2 {
            0 => (format!("semaphore_{}", index / 2), PLACES * PLACE),
            _ => (format!("length_{}", index / 2), LENGTH),
        }
    }

    /// Value of a variable.
    pub fn value(&self, index: usize) -> u128 {
        let Some(list) = self.lists.get(index / 2) else { return 0 };
        if index % 2 == 1 {
            return list.len() as u128;
        }
        list.iter().zip(0..PLACES).fold(0, |value, (e, place)| {
            let released = if e.released { RELEASED } else { 0 };
            value | u128::from(PRESENT | released | e.thread & (RELEASED - 1)) << (PLACE * place)
        })
    }

    /// Describes the variables, in the order of their indices.
    pub fn describe(&self, tree: &mut dyn SignalTree) {
        tree.enter(SCOPE);
        for (name, width) in (0..self.variables()).map(Self::variable) {
            tree.signal(&name, width, SignalKind::Bits);
        }
        tree.leave();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::ports::BusEvent;

    struct Machine(ListView);

    impl Machine {
        fn cycle(&mut self, acquire: Option<(u16, u16, bool)>, op: Option<(ListOpKind, u16, u16, u16)>) -> Vec<u16> {
            let message = |(semaphore, thread, auto)| BusEvent {
                kind: MessageKind::Acquire,
                semaphore,
                thread,
                auto,
                ..BusEvent::default()
            };
            let outputs = Outputs {
                busy: true,
                bus: acquire.map(message).into_iter().collect(),
                list_op: op.map(|(kind, semaphore, thread, entry)| ListOp { kind, semaphore, thread, entry }),
                ..Outputs::default()
            };
            self.0.observe(&outputs).to_vec()
        }

        /// An acquire and its effect in the cycle after it.
        fn append(&mut self, semaphore: u16, thread: u16, auto: bool, entry: u16) {
            self.cycle(Some((semaphore, thread, auto)), None);
            assert_eq!(self.cycle(None, Some((ListOpKind::Appended, semaphore, thread, entry))), [semaphore]);
        }
    }

    #[test]
    fn a_list_is_followed_from_its_first_entry_to_its_last() {
        let mut m = Machine(ListView::new(4));
        m.append(3, 0x20, false, 7);
        m.append(3, 0x01, true, 8);
        m.append(3, 0x12, false, 9);
        m.append(1, 0x12, false, 10);
        assert_eq!(m.0.value(6), 0x812 << 24 | 0xC01 << 12 | 0x820);
        assert_eq!((m.0.value(7), m.0.value(2), m.0.value(3), m.0.value(0)), (3, 0x812, 1, 0));
        assert_eq!(m.cycle(None, Some((ListOpKind::Marked, 3, 0x12, 9))), [3]);
        assert_eq!(m.0.value(6), 0xC12 << 24 | 0xC01 << 12 | 0x820);
        for (thread, left) in [(0x20, 0xC12 << 12 | 0xC01), (0x01, 0xC12), (0x12, 0)] {
            m.cycle(None, Some((ListOpKind::Removed, 3, thread, 0)));
            assert_eq!(m.0.value(6), left);
        }
        assert_eq!(m.0.list(1).collect::<Vec<_>>(), [Entry { thread: 0x12, released: false, entry: 10 }]);
        assert_eq!(m.0.list(4).len(), 0);
    }

    /// The auto-release of an acquire is its own, though others of the same thread passed or were
    /// refused before.
    #[test]
    fn auto_release_belongs_to_its_acquire() {
        let mut m = Machine(ListView::new(2));
        m.cycle(Some((0, 5, true)), None);
        m.cycle(Some((9, 5, true)), None);
        m.cycle(Some((0, 5, false)), Some((ListOpKind::Passed, 0, 5, 0)));
        assert!(m.cycle(None, Some((ListOpKind::Error, 9, 5, 3))).is_empty());
        // of a release
        assert!(m.cycle(None, Some((ListOpKind::Error, 1, 5, 1))).is_empty());
        m.cycle(None, Some((ListOpKind::Appended, 0, 5, 0)));
        assert_eq!(m.0.value(0), 0x805);
        // in the cycle in which it comes
        m.cycle(Some((0, 6, true)), Some((ListOpKind::Appended, 0, 6, 1)));
        assert_eq!(m.0.value(0), 0xC06 << 12 | 0x805);
    }

    #[test]
    fn long_lists_show_their_first_places_and_a_start_empties_all() {
        let mut m = Machine(ListView::new(1));
        (0..20).for_each(|n| m.append(0, n, false, n));
        let places = (0..8).fold(0u128, |v, n| v | (0x800 + n) << (12 * n));
        assert_eq!((m.0.value(0), m.0.value(1)), (places, 20));
        assert!(places >> 96 == 0 && places >> 84 == 0x807);
        assert!(m.0.observe(&Outputs::default()).is_empty());
        assert_eq!(m.cycle(None, None), [0]);
        assert_eq!((m.0.value(0), m.0.value(1)), (0, 0));
        // no machine has it
        assert!(m.cycle(None, Some((ListOpKind::Appended, 1, 0, 0))).is_empty());
    }
}
