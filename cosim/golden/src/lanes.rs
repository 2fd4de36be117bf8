//! A value for each lane, and masks of lanes.

use quadlock_isa::abi::LANES;

/// One 32-bit value per lane.
pub type Lanes = [u32; LANES];

/// Lane numbers of a mask, ascending.
pub(crate) fn lanes_of(mask: u8) -> impl DoubleEndedIterator<Item = usize> {
    (0..LANES).filter(move |l| mask >> l & 1 == 1)
}
