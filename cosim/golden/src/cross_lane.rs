//! Operations across the lanes of a warp (WW-21): reductions, exclusive scans and the ballot, over
//! the active lanes only. Wrong would be to let an inactive lane's register take part: it may hold
//! anything.

use quadlock_isa::abi::LANES;
use quadlock_isa::{AtomicOp, CrossLane};

use crate::config::Fault;
use crate::lanes::{lanes_of, Lanes};

/// The value that combined with any other gives that one.
fn identity(kind: AtomicOp) -> u32 {
    match kind {
        AtomicOp::And | AtomicOp::UMin => u32::MAX,
        AtomicOp::SMin => i32::MAX as u32,
        AtomicOp::SMax => i32::MIN as u32,
        _ => 0,
    }
}

/// Two values combined. The kinds from exchange on have no reduction and are never asked for.
fn combine(kind: AtomicOp, x: u32, y: u32) -> u32 {
    match kind {
        AtomicOp::And => x & y,
        AtomicOp::Or => x | y,
        AtomicOp::Xor => x ^ y,
        AtomicOp::SMin => (x as i32).min(y as i32) as u32,
        AtomicOp::SMax => (x as i32).max(y as i32) as u32,
        AtomicOp::UMin => x.min(y),
        AtomicOp::UMax => x.max(y),
        _ => x.wrapping_add(y),
    }
}

/// Result in every lane, with the planted bug if it concerns this operation; of the inactive lanes
/// it has no meaning.
pub fn value(kind: CrossLane, a: &Lanes, mask: u8, fault: Option<Fault>) -> Lanes {
    let over = |kind, lanes: u8| lanes_of(lanes).fold(identity(kind), |sum, lane| combine(kind, sum, a[lane]));
    match kind {
        CrossLane::Reduce(kind) => [over(kind, mask); LANES],
        CrossLane::Scan(kind) => {
            let own = u8::from(fault == Some(Fault::ScanInclusive));
            std::array::from_fn(|lane| over(kind, mask & ((1 << (lane as u8 + own)) - 1)))
        }
        CrossLane::Ballot => {
            let set = lanes_of(mask).filter(|&lane| a[lane] != 0);
            [set.fold(0, |ballot, lane| ballot | 1 << lane); LANES]
        }
    }
}
