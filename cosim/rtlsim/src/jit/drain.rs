//! Changed values for a trace, read out by a table of places: no name, no node and no allocation per change. A place that is wrong shows another
//! value's waves; the tests of traces compare all of them with peeks.

use super::memory::Memory;
use crate::bits::limbs_of;
use crate::graph::SignalId;
use crate::plan::{bytes_of, Plan};

/// Where an observed value is: offset, and bytes (1, 4, 8) or else limbs.
#[derive(Clone, Copy)]
pub(super) struct Place {
    offset: u32,
    bytes: u32,
    limbs: u32,
}

/// The places of all observed values.
pub(super) fn places(plan: &Plan, slots: &[u32]) -> Vec<Place> {
    let place = |s: &SignalId| {
        let width = plan.graph.signals[s.index()].width;
        Place { offset: slots[s.index()], bytes: bytes_of(width), limbs: limbs_of(width) as u32 }
    };
    plan.observed.iter().map(place).collect()
}

/// Appends index and limbs of each value whose change bit is set (or of all), and clears the bits.
pub(super) fn drain(plan: &Plan, places: &[Place], state: &mut Memory, all: bool, out: &mut Vec<u64>) {
    let l = &plan.layout;
    for w in l.region_words..l.dirty_words {
        let bits = std::mem::take(state.word_mut(l.dirty + 8 * w));
        let mut bits = if all { u64::MAX } else { bits };
        let base = (w - l.region_words) as usize * 64;
        while bits != 0 {
            let i = base + bits.trailing_zeros() as usize;
            bits &= bits - 1;
            let Some(place) = places.get(i) else { break };
            if place.limbs == 1 {
                out.extend_from_slice(&[i as u64, state.get(place.offset, place.bytes)]);
            } else {
                out.push(i as u64);
                out.extend((0..place.limbs).map(|k| state.word(place.offset + 8 * k)));
            }
        }
    }
}
