//! How large the state may be. Machine code addresses it by signed 32-bit offsets, and the argument
//! for its safety (`jit/call.rs`) is that every offset of the layout is inside the memory that was
//! made. So a design whose state could pass 2 GiB is refused before offsets are computed. The bound
//! is an upper one, with padding counted in full; it would be wrong if `lay_out` padded more than
//! is counted here, which `lay_out` checks at its end.

use super::types::{bytes_of, item_bytes, named_constants, word_bytes, Plan};
use crate::error::Error;

/// Most bytes of state.
pub(super) const MOST: u64 = i32::MAX as u64;

/// Padding of anything that has a place: alignment to 64 at most.
const PADDING: u64 = 64;

/// # Errors
/// [`Error::TooLarge`], with the largest memory by name.
pub(super) fn check(plan: &Plan) -> Result<(), Error> {
    let g = &plan.graph;
    let word = |width: u32| u64::from(word_bytes(width));
    let mut memories: Vec<(u64, &str)> =
        g.memories.iter().map(|m| (word(m.width) * (u64::from(m.depth) + 1) + PADDING, m.name.as_str())).collect();
    let tables = g.tables.iter().map(|t| u64::from(word_bytes(t.width)) * (t.words.len() as u64 + 1) + PADDING);
    let ports = plan.ports.iter().map(|&(m, p)| {
        let m = &g.memories[m.index()];
        let address = bytes_of(g.width(m.writes[p as usize].addr));
        u64::from(address) + 2 * u64::from(bytes_of(m.width)) + 4 * PADDING
    });
    // A register has a current and a next value; dirty, commit and change bits are less than the
    // padding.
    let items = plan.items.iter().map(|i| 2 * (u64::from(item_bytes(i)) + PADDING));
    let constants = named_constants(g).into_iter().map(|n| u64::from(bytes_of(g.width(n))) + PADDING);
    let parts = memories.iter().map(|m| m.0).chain(tables).chain(ports).chain(items).chain(constants);
    let total: u64 = parts.sum::<u64>() + 16 * PADDING;
    if total <= MOST {
        return Ok(());
    }
    memories.sort_unstable();
    let largest = match memories.last() {
        Some((bytes, name)) => format!("; memory {name} has {bytes} of them"),
        None => String::new(),
    };
    Err(Error::TooLarge(format!(
        "the state takes {total} bytes, at most {MOST} are supported{largest}: make memories smaller"
    )))
}
