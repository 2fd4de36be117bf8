//! Lane masks: bit k of a mask is lane k. Bits above the lanes mean nothing here. Wrong would be a
//! mask that is read in the other direction: this is the one place that says which bit is which.

use bitvec::prelude::{BitArray, Lsb0};
use bitvec::view::BitView;
use quadlock_isa::abi::LANES;

/// The lanes of a mask, in ascending order.
pub fn lanes(mask: u8) -> impl Iterator<Item = usize> {
    let bits = BitArray::<[u8; 1], Lsb0>::new([mask]);
    (0..LANES).filter(move |&lane| bits[lane])
}

/// The mask has that lane.
pub fn has_lane(mask: u8, lane: usize) -> bool {
    mask.view_bits::<Lsb0>()[lane]
}

/// The mask of these lanes.
pub fn mask_of(lanes: impl IntoIterator<Item = usize>) -> u8 {
    let mut mask = 0u8;
    lanes.into_iter().for_each(|lane| mask.view_bits_mut::<Lsb0>().set(lane, true));
    mask
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mask_is_its_lanes() {
        for mask in 0..16u8 {
            assert_eq!(mask_of(lanes(mask)), mask);
            (0..LANES).for_each(|lane| assert_eq!(has_lane(mask, lane), mask & 1 << lane != 0));
        }
        assert_eq!(lanes(0b1010).collect::<Vec<_>>(), [1, 3]);
        // What is above the lanes is none.
        assert_eq!(lanes(0xF0).count(), 0);
    }
}
