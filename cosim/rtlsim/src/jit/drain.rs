//! Changed values for a trace, read out by a table of places: no name, no node and no allocation
//! per change. Code that is replaced has its own order of observed values; numbers outside stay
//! those of the first code. A place that is wrong shows another value's waves; the tests of traces
//! compare all of them with peeks, over a replacement of the code too.

use rustc_hash::FxHashMap as HashMap;

use super::memory::Memory;
use super::program::Program;
use crate::bits::limbs_of;
use crate::graph::SignalId;
use crate::plan::{bytes_of, Offset};

/// Where an observed value of the present code is.
#[derive(Clone, Copy)]
pub(super) struct Place {
    /// Its number outside.
    pub number: u32,
    /// Observed values have one.
    offset: Offset,
    /// 1, 4 or 8 if it has one limb.
    bytes: u32,
    limbs: u32,
}

/// The places of all observed values of a program, numbered as in `observed`.
pub(super) fn places(program: &Program, observed: &[SignalId]) -> Vec<Place> {
    let numbers: HashMap<SignalId, u32> = observed.iter().enumerate().map(|(i, s)| (*s, i as u32)).collect();
    let place = |s: &SignalId| {
        let signal = program.signals[s.index()];
        Place {
            number: numbers.get(s).copied().unwrap_or(0),
            offset: signal.slot.unwrap_or_default(),
            bytes: bytes_of(signal.width),
            limbs: limbs_of(signal.width) as u32,
        }
    };
    program.observed.iter().map(place).collect()
}

/// Calls `f` for each value whose change bit is set (or for all), and clears the bits.
pub(super) fn changed(l: &Program, places: &[Place], state: &mut Memory, all: bool, mut f: impl FnMut(&Memory, Place)) {
    for w in l.region_words..l.dirty_words {
        let at = l.dirty.word(w);
        let bits = state.word(at);
        state.set_word(at, 0);
        let mut bits = if all { u64::MAX } else { bits };
        let base = (w - l.region_words) as usize * 64;
        while bits != 0 {
            let i = base + bits.trailing_zeros() as usize;
            bits &= bits - 1;
            let Some(place) = places.get(i) else { break };
            f(state, *place);
        }
    }
}

/// Number and limbs of a value.
#[inline]
pub(super) fn append(state: &Memory, place: Place, out: &mut Vec<u64>) {
    if place.limbs == 1 {
        out.extend_from_slice(&[u64::from(place.number), state.get(place.offset, place.bytes)]);
    } else {
        out.push(u64::from(place.number));
        out.extend((0..place.limbs).map(|k| state.word(place.offset.word(k))));
    }
}
