//! The planner's numbers, each a type of its own: an item is no cluster, and a byte offset is no
//! dirty bit. A number that may be missing is an `Option`, of the same four bytes: the number is
//! kept plus one, and 0 is left for `None`.

use std::marker::PhantomData;
use std::num::NonZeroU32;
use std::ops::{Add, Index, IndexMut};

use serde::{Deserialize, Serialize};

/// A number that indexes a list of its own.
pub trait Id: Copy {
    /// The id of a place in its list.
    fn new(number: u32) -> Self;
    /// The place in its list.
    fn number(self) -> u32;
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub struct $name(NonZeroU32);

        impl $name {
            /// Of this number, which is below `u32::MAX`.
            pub fn new(number: u32) -> Self {
                Self(NonZeroU32::MIN.saturating_add(number))
            }

            pub fn number(self) -> u32 {
                self.0.get() - 1
            }

            #[allow(dead_code)] // Not every kind of number is an index.
            pub fn index(self) -> usize {
                self.number() as usize
            }
        }

        impl Id for $name {
            fn new(number: u32) -> Self {
                Self::new(number)
            }

            fn number(self) -> u32 {
                self.number()
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, "{}{}", stringify!($name), self.number())
            }
        }
    )*};
}

ids! {
    /// An item of [`Plan::items`](super::Plan::items).
    ItemId,
    /// A cluster of [`Plan::clusters`](super::Plan::clusters).
    ClusterId,
    /// A region of [`Plan::regions`](super::Plan::regions).
    RegionId,
    /// A block of registers of [`Plan::blocks`](super::Plan::blocks).
    BlockId,
    /// A write port of [`Plan::ports`](super::Plan::ports).
    PortId,
    /// A domain of [`Plan::domains`](super::Plan::domains).
    DomainId,
    /// An observed value: a place in [`Plan::observed`](super::Plan::observed).
    ObservedId,
    /// A dirty bit: of a gated region, or of the watcher for asynchronous edges.
    DirtyBit,
    /// A place in the state, in bytes.
    Offset,
}

impl DirtyBit {
    /// The first bit of the 64-bit word behind `bits` bits.
    pub fn of_next_word(bits: u32) -> Self {
        Self::new(64 * bits.div_ceil(64))
    }

    /// Its word among the dirty words.
    pub fn word(self) -> u32 {
        self.number() / 64
    }
}

impl Offset {
    /// As machine code has it: [`size`](super::size) keeps every offset below 2^31.
    pub fn displacement(self) -> i32 {
        self.number() as i32
    }

    /// The 64-bit word of that number from here on.
    pub fn word(self, number: u32) -> Self {
        self + 8 * number
    }
}

impl Default for Offset {
    fn default() -> Self {
        Self::new(0)
    }
}

impl Add<u32> for Offset {
    type Output = Self;

    fn add(self, bytes: u32) -> Self {
        Self(self.0.saturating_add(bytes))
    }
}

/// A list that is indexed by ids of one kind.
#[derive(Clone, Debug)]
pub struct List<I, T> {
    list: Vec<T>,
    ids: PhantomData<I>,
}

impl<I: Id, T> List<I, T> {
    /// Of so many equal elements.
    pub fn filled(value: T, count: usize) -> Self
    where
        T: Clone,
    {
        Self::from(vec![value; count])
    }

    /// The id that the next element gets.
    pub fn next(&self) -> I {
        I::new(self.list.len() as u32)
    }

    pub fn push(&mut self, value: T) -> I {
        let id = self.next();
        self.list.push(value);
        id
    }

    pub fn len(&self) -> usize {
        self.list.len()
    }

    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + 'static
    where
        I: 'static,
    {
        (0..self.list.len() as u32).map(I::new)
    }

    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.list.iter()
    }

    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.list.iter_mut()
    }

    /// Every element with its id.
    pub fn entries(&self) -> impl DoubleEndedIterator<Item = (I, &T)> + ExactSizeIterator {
        self.list.iter().enumerate().map(|(k, v)| (I::new(k as u32), v))
    }

    /// Those of a 64-bit word of one bit for each, with their ids.
    pub fn of_word(&self, word: u32) -> impl Iterator<Item = (I, &T)> {
        self.entries().skip(64 * word as usize).take(64)
    }
}

impl<I, T> Default for List<I, T> {
    fn default() -> Self {
        Self { list: Vec::new(), ids: PhantomData }
    }
}

impl<I, T> From<Vec<T>> for List<I, T> {
    fn from(list: Vec<T>) -> Self {
        Self { list, ids: PhantomData }
    }
}

impl<I: Id, T> Index<I> for List<I, T> {
    type Output = T;

    fn index(&self, id: I) -> &T {
        &self.list[id.number() as usize]
    }
}

impl<I: Id, T> IndexMut<I> for List<I, T> {
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.list[id.number() as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_number_costs_nothing() {
        assert_eq!(std::mem::size_of::<Option<ItemId>>(), std::mem::size_of::<u32>());
        assert_eq!((ItemId::new(0).number(), ItemId::new(7).index()), (0, 7));
        assert_eq!((Offset::new(8) + 5, Offset::new(8).word(2)), (Offset::new(13), Offset::new(24)));
        assert_eq!([0, 1, 64, 65].map(|n| DirtyBit::of_next_word(n).number()), [0, 64, 64, 128]);
    }
}
