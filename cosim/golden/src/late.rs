//! Late lanes of warp-wide atomics (WW-27), from the words of docs/machine.md: a warp keeps the
//! place of the last execution, what it gave, and who is still to come to it.
//!
//! The rules look at one instruction at a time: where it is, who executes it, who branches, and
//! whether it is a warp-wide atomic or a barrier. It would be wrong to look at memory or at
//! registers here: the same place is the same operation, whatever its operands are.

use quadlock_isa::abi::LANES;

use crate::access::Outcome;
use crate::lanes::lanes_of;

/// The encounter of a warp. A launch begins without one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Encounter {
    /// Counter of the atomic that was executed last.
    place: u16,
    /// Which lanes are still to come to it; none: there is no encounter.
    expected: [bool; LANES],
    /// Order number of that execution.
    order: u64,
    /// What it gave to each of its lanes, low word first; not known while it is in flight.
    result: Option<[u32; 2]>,
}

/// What a late arrival finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kept {
    /// The result of the execution.
    Words([u32; 2]),
    /// The execution has not completed: the arrival has to wait.
    NotYet,
}

impl Encounter {
    /// A warp-wide atomic at `pc` by the lanes of `mask`: what they get if they are late, else
    /// nothing. Changes nothing.
    pub fn find(&self, pc: u16, mask: u8) -> Option<Kept> {
        let late = pc == self.place && lanes_of(mask).all(|lane| self.expected[lane]);
        late.then(|| self.result.map_or(Kept::NotYet, Kept::Words))
    }

    /// Late lanes have got the result: nobody gets it twice.
    pub fn delivered(&mut self, mask: u8) {
        lanes_of(mask).for_each(|lane| self.expected[lane] = false);
    }

    /// The lanes of `mask` execute the atomic at `pc`: it is the warp's instruction number `order`.
    pub fn executed(&mut self, pc: u16, mask: u8, order: u64) {
        let expected = std::array::from_fn(|lane| mask >> lane & 1 == 0);
        *self = Self { place: pc, expected, order, result: None };
    }

    /// An execution has completed.
    pub fn completed(&mut self, order: u64, mask: u8, outcome: &Outcome) {
        if let (true, Some(lane)) = (order == self.order, lanes_of(mask).next()) {
            let [low, high, ..] = outcome.values[lane];
            self.result = Some([low, high]);
        }
    }

    /// The lanes of `mask` execute some other instruction together; those of `taken` go to
    /// `target`.
    pub fn other(&mut self, mask: u8, taken: u8, target: u16) {
        if !lanes_of(mask).all(|lane| self.expected[lane]) {
            self.delivered(mask);
        }
        let took_part = lanes_of(taken).any(|lane| !self.expected[lane]);
        if took_part && target <= self.place {
            self.end();
        }
    }

    /// A barrier, or a launch.
    pub fn end(&mut self) {
        self.expected = [false; LANES];
    }

    /// What it says of the further course of the run: without it, nothing remains.
    pub fn state(&self) -> Option<(u16, [bool; LANES], Option<[u32; 2]>)> {
        self.expected.contains(&true).then_some((self.place, self.expected, self.result))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(words: [u32; 2]) -> Outcome {
        Outcome { values: [[words[0], words[1], 0, 0]; LANES], ..Outcome::default() }
    }

    /// Lanes 0 and 1 execute at 7, as instruction number 3, with that result.
    fn begun() -> Encounter {
        let mut e = Encounter::default();
        e.executed(7, 0b0011, 3);
        e.completed(3, 0b0011, &outcome([5, 6]));
        e
    }

    #[test]
    fn ww_27_each_late_lane_gets_the_result_once() {
        let mut e = begun();
        assert_eq!(e.find(7, 0b1100), Some(Kept::Words([5, 6])));
        assert_eq!((e.find(8, 0b1100), e.find(7, 0b0001), e.find(7, 0b0101)), (None, None, None));
        e.delivered(0b0100);
        assert_eq!((e.find(7, 0b0100), e.find(7, 0b1000)), (None, Some(Kept::Words([5, 6]))));
    }

    #[test]
    fn ww_27_what_ends_an_encounter() {
        let after = |event: &dyn Fn(&mut Encounter)| {
            let mut e = begun();
            event(&mut e);
            e.expected.iter().rev().fold(0, |mask, &late| mask << 1 | u8::from(late))
        };
        assert_eq!(after(&|e| e.other(0b1100, 0b1100, 2)), 0b1100, "late lanes may turn a loop");
        assert_eq!(after(&|e| e.other(0b0110, 0, 0)), 0b1000, "lane 2 has met lane 1");
        assert_eq!(after(&|e| e.other(0b0011, 0b0001, 8)), 0b1100, "forward");
        assert_eq!(after(&|e| e.other(0b0011, 0b0001, 7)), 0, "a turn of a loop");
        assert_eq!(after(&|e| e.other(0b0110, 0b0100, 7)), 0, "lane 2 is not late any more when it turns");
        assert_eq!(after(&|e| e.executed(9, 0b0100, 4)), 0b1011, "another operation");
        assert_eq!(after(&Encounter::end), 0);
    }

    #[test]
    fn ww_27_an_older_result_is_not_taken_for_the_last_one() {
        let mut e = begun();
        e.executed(7, 0b0001, 9);
        e.completed(3, 0b0011, &outcome([1, 1]));
        assert_eq!(e.find(7, 0b0010), Some(Kept::NotYet));
        e.completed(9, 0b0001, &outcome([2, 3]));
        assert_eq!(e.find(7, 0b0010), Some(Kept::Words([2, 3])));
    }
}
