//! The most pairs that quads can make: a maximum matching, exact. It is what the machine's queue is
//! measured against (MS-3), and knows nothing of that queue.
//!
//! Two quads can merge if their covered lanes do not overlap, after a flip if flips are built. So
//! all quads with the same lanes are alike, and a set of quads is a count for each mask. By the
//! formula of Tutte and Berge the most pairs are the least, over all sets U of quads, of half of
//! (quads + quads of U - odd parts of the rest). The Gallai-Edmonds set is one U of the least. It
//! is the same after any exchange of quads that are alike, so it has all quads of a mask or none.
//! It is enough to try the sets of masks: at most 2^14, with flips 2^5.
//!
//! Wrong would be a formula that lacks a case: a test tries every matching of small sets.

use quadlock_isa::abi::LANES;

use crate::machine::lanes::{has_lane, mask_of};

/// A mask's lanes after a flip: bit 0 of `flip` left and right, bit 1 top and bottom.
pub fn flipped(mask: u8, flip: u8) -> u8 {
    mask_of((0..LANES).filter(|lane| has_lane(mask, lane ^ usize::from(flip & 3))))
}

/// Two quads with those covered lanes can be one warp (MS-3, MS-5).
pub fn fit(one: u8, other: u8, flips: bool) -> bool {
    let most = if flips { 4 } else { 1 };
    (0..most).any(|flip| one & flipped(other, flip) == 0)
}

/// The most merges of quads, given how many there are of each mask of covered lanes, if up to
/// `group` of them may become one warp.
pub fn most(counts: &[usize; 16], flips: bool, group: usize) -> usize {
    if group == 2 {
        most_pairs(counts, flips)
    } else {
        most_merges(counts, flips, group)
    }
}

/// The most pairs of quads, given how many there are of each mask of covered lanes.
pub fn most_pairs(counts: &[usize; 16], flips: bool) -> usize {
    let mut kinds: Vec<(u8, usize)> = vec![];
    for (mask, &count) in (0u8..).zip(counts).filter(|(mask, count)| (1..15).contains(mask) && **count > 0) {
        // Under flips a mask stands for all that it can become.
        let kind = if flips { (0..4).map(|flip| flipped(mask, flip)).min().unwrap_or(mask) } else { mask };
        match kinds.iter_mut().find(|k| k.0 == kind) {
            Some(k) => k.1 += count,
            None => kinds.push((kind, count)),
        }
    }
    // By kind: those that it can merge with.
    let mates: Vec<u16> = kinds
        .iter()
        .map(|a| {
            let fits = kinds.iter().enumerate().filter(|(_, b)| fit(a.0, b.0, flips));
            fits.fold(0, |set, (k, _)| set | 1 << k)
        })
        .collect();
    let all: usize = kinds.iter().map(|k| k.1).sum();
    let least =
        (0..1u16 << kinds.len()).map(|taken| all + size(&kinds, taken) - odd_parts(&kinds, &mates, taken)).min();
    least.unwrap_or(0) / 2
}

/// The most merges of quads if up to `group` of them may become one warp, 3 or 4 (MS-6): quads less
/// the fewest warps. Each quad of three lanes has a warp, with room for one of one lane. Those of
/// two lanes fill a warp with one that fits, or take one each with room for two of one lane. What
/// is left of those of one lane goes together.
pub fn most_merges(counts: &[usize; 16], flips: bool, group: usize) -> usize {
    let all: usize = (1..15).map(|mask| counts[mask]).sum();
    let of = |mask: usize| counts[mask];
    // Pairs of masks that fill a warp: with flips any two of one shape.
    let twos: [(usize, usize); 3] = match flips {
        true => [(3, 12), (5, 10), (6, 9)].map(|(a, b)| ((of(a) + of(b)).div_ceil(2), (of(a) + of(b)) / 2)),
        false => [(3, 12), (5, 10), (6, 9)].map(|(a, b)| (of(a).max(of(b)), of(a).min(of(b)))),
    };
    let most = twos.map(|(a, b)| a.min(b).min(if group == 3 { 40 } else { 0 }));
    let mut least = usize::MAX;
    for split in (0..=most[0]).flat_map(|a| (0..=most[1]).flat_map(move |b| (0..=most[2]).map(move |c| [a, b, c]))) {
        // Warps so far, and free lanes in them: of each lane, and at all.
        let mut warps: usize = [7, 11, 13, 14].map(of).iter().sum();
        let mut room = [of(14), of(13), of(11), of(7)];
        for (k, (a, b)) in twos.into_iter().enumerate() {
            let (low, high) = [([0, 1], [2, 3]), ([0, 2], [1, 3]), ([1, 2], [0, 3])][k];
            let (full, alone) = (a.min(b) - split[k], a.max(b) - a.min(b));
            warps += full + 2 * split[k] + alone;
            // Which of the two masks is left says which lanes are free; with flips any are.
            let (first, second) = [(3, 12), (5, 10), (6, 9)][k];
            let (of_first, of_second) = if flips || of(first) > of(second) { (alone, 0) } else { (0, alone) };
            high.iter().for_each(|&l: &usize| room[l] += of_first + split[k]);
            low.iter().for_each(|&l: &usize| room[l] += of_second + split[k]);
        }
        let ones = [1, 2, 4, 8].map(of);
        let left = match flips {
            true => {
                let free: usize = room.iter().sum();
                ones.iter().sum::<usize>().saturating_sub(free).div_ceil(group)
            }
            false => {
                let left: [usize; 4] = std::array::from_fn(|l| ones[l].saturating_sub(room[l]));
                let most = left.into_iter().max().unwrap_or(0);
                most.max(left.iter().sum::<usize>().div_ceil(group))
            }
        };
        least = least.min(warps + left);
    }
    all - least
}

/// The pairs that a queue of a depth makes of quads in that order if each waits as long as there is
/// room, and all go at the end: what the time limit cannot be blamed for. Of a group of n it counts
/// n - 1.
pub fn queued_pairs(quads: &[u8], depth: usize, flips: bool, group: usize) -> usize {
    let lanes = |n: u8| n.count_ones();
    let add = |waits: &mut Vec<u8>, one: u8, other: u8| add_singles(waits, one, other, flips, group);
    // The best partner: that with most lanes, of those the oldest.
    let best = |waits: &[u8], quad: u8| {
        let fits = (0..waits.len()).filter(|&k| fit(quad, waits[k], flips));
        fits.max_by_key(|&k| (lanes(waits[k]), std::cmp::Reverse(k)))
    };
    let (mut waits, mut pairs) = (vec![], 0);
    for &quad in quads {
        let partner = best(&waits, quad);
        let fills = partner.is_some_and(|k| lanes(waits[k]) + lanes(quad) == 4);
        match partner {
            Some(k) if fills || waits.len() >= depth => {
                let other = waits.remove(k);
                pairs += 1 + add(&mut waits, quad, other);
                continue;
            }
            None if waits.len() >= depth => pairs += oldest_goes(&mut waits, &best, &add),
            _ => {}
        }
        waits.push(quad);
    }
    while !waits.is_empty() {
        pairs += oldest_goes(&mut waits, &best, &add);
    }
    pairs
}

/// Quads of one lane that go with a pair, the oldest first; how many.
fn add_singles(waits: &mut Vec<u8>, one: u8, other: u8, flips: bool, group: usize) -> usize {
    let mut taken = if flips { (1 << (one.count_ones() + other.count_ones())) - 1 } else { one | other };
    let mut members = 2;
    while members < group && taken != 15 {
        let fits = |w: &u8| w.count_ones() == 1 && (flips || w & taken == 0);
        let Some(k) = waits.iter().position(fits) else { break };
        let single = waits.remove(k);
        taken = if flips { taken << 1 | 1 } else { taken | single };
        members += 1;
    }
    members - 2
}

/// The oldest goes with its best partner and others of one lane, or alone; the pairs that this
/// makes.
fn oldest_goes(
    waits: &mut Vec<u8>,
    best: &dyn Fn(&[u8], u8) -> Option<usize>,
    add: &dyn Fn(&mut Vec<u8>, u8, u8) -> usize,
) -> usize {
    let oldest = waits.remove(0);
    let partner = best(waits, oldest);
    partner.map_or(0, |k| {
        let other = waits.remove(k);
        1 + add(waits, oldest, other)
    })
}

/// Quads of a set of kinds.
fn size(kinds: &[(u8, usize)], set: u16) -> usize {
    kinds.iter().enumerate().filter(|(k, _)| set >> k & 1 == 1).map(|(_, kind)| kind.1).sum()
}

/// Parts with an odd number of quads that are left when the kinds of `taken` are removed.
fn odd_parts(kinds: &[(u8, usize)], mates: &[u16], taken: u16) -> usize {
    let mut left = !taken & ((1u32 << kinds.len()) - 1) as u16;
    let mut odd = 0;
    while left != 0 {
        let mut part = left & left.wrapping_neg();
        loop {
            let reached = (0..kinds.len()).filter(|k| part >> k & 1 == 1).fold(part, |set, k| set | mates[k] & left);
            if reached == part {
                break;
            }
            part = reached;
        }
        let first = part.trailing_zeros() as usize;
        let quads = size(kinds, part);
        // Quads of a kind that merge with none that is left are parts of their own.
        odd += if mates[first] & left == 0 { quads } else { quads % 2 };
        left &= !part;
    }
    odd
}

#[cfg(test)]
mod tests {
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    /// Every matching is tried.
    fn tried(quads: &[u8], flips: bool) -> usize {
        let Some((first, rest)) = quads.split_first() else { return 0 };
        let pairs = (0..rest.len()).filter(|&k| fit(*first, rest[k], flips)).map(|k| {
            let mut others = rest.to_vec();
            others.remove(k);
            1 + tried(&others, flips)
        });
        pairs.max().unwrap_or(0).max(tried(rest, flips))
    }

    #[test]
    fn a_flip_moves_lanes_in_the_quad() {
        assert_eq!([0, 1, 2, 3].map(|f| flipped(0b0001, f)), [0b0001, 0b0010, 0b0100, 0b1000]);
        assert_eq!([1, 2, 3].map(|f| flipped(0b0011, f)), [0b0011, 0b1100, 0b1100]);
        assert!(fit(0b0111, 0b0001, true) && !fit(0b0111, 0b0001, false));
        assert!(!fit(0b0011, 0b0101, true), "a row and a column always meet");
        assert!(fit(0b1001, 0b1001, true), "a diagonal and the other one");
    }

    #[test]
    fn a_queue_that_is_full_loses_pairs_and_a_deep_one_does_not() {
        // Of one row and one column each two: a queue of one sees a quad that does not fit.
        let quads = [0b0011, 0b0101, 0b0011, 0b0101];
        assert_eq!(queued_pairs(&quads, 16, true, 2), 2);
        assert_eq!(queued_pairs(&quads, 1, true, 2), 0);
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        for _ in 0..300 {
            let quads: Vec<u8> = (0..rng.random_range(0..12)).map(|_| rng.random_range(1..15)).collect();
            let mut counts = [0; 16];
            quads.iter().for_each(|&q| counts[usize::from(q)] += 1);
            let most = most_pairs(&counts, true);
            assert_eq!(queued_pairs(&quads, 16, true, 2), most, "{quads:?}: with flips and room it is a maximum");
            assert!(queued_pairs(&quads, 2, false, 2) <= most_pairs(&counts, false), "{quads:?}");
        }
    }

    /// The fewest warps, every way tried.
    fn fewest(quads: &[u8], flips: bool, group: usize) -> usize {
        let Some((first, rest)) = quads.split_first() else { return 0 };
        let mut least = usize::MAX;
        for chosen in 0..1u32 << rest.len() {
            let members: Vec<u8> = (0..rest.len()).filter(|k| chosen >> k & 1 == 1).map(|k| rest[k]).collect();
            if members.len() < group && packs(*first, &members, flips) {
                let others: Vec<u8> = (0..rest.len()).filter(|k| chosen >> k & 1 == 0).map(|k| rest[k]).collect();
                least = least.min(1 + fewest(&others, flips, group));
            }
        }
        least
    }

    /// Quads fit beside those lanes, each under some flip.
    fn packs(taken: u8, quads: &[u8], flips: bool) -> bool {
        let Some((first, rest)) = quads.split_first() else { return true };
        let most = if flips { 4 } else { 1 };
        (0..most).map(|f| flipped(*first, f)).any(|m| m & taken == 0 && packs(taken | m, rest, flips))
    }

    #[test]
    fn the_fewest_warps_of_groups_are_what_trying_gives() {
        let mut rng = ChaCha8Rng::seed_from_u64(9);
        for round in 0..600 {
            let quads: Vec<u8> = (0..rng.random_range(0..9)).map(|_| rng.random_range(1..15)).collect();
            let mut counts = [0; 16];
            quads.iter().for_each(|&q| counts[usize::from(q)] += 1);
            let (flips, group) = (round % 2 == 0, 3 + round / 2 % 2);
            let most = quads.len() - fewest(&quads, flips, group);
            assert_eq!(most_merges(&counts, flips, group), most, "{quads:?}, flips {flips}, groups of {group}");
            assert!(queued_pairs(&quads, 16, flips, group) <= most, "{quads:?}");
        }
    }

    #[test]
    fn what_three_single_lanes_can_make() {
        let mut counts = [0; 16];
        (counts[1], counts[2], counts[4]) = (1, 1, 1);
        assert_eq!(most_pairs(&counts, false), 1);
        (counts[1], counts[2], counts[4]) = (5, 1, 1);
        assert_eq!(most_pairs(&counts, false), 2);
        assert_eq!(most_pairs(&counts, true), 3);
        (counts[0], counts[15]) = (9, 9);
        assert_eq!(most_pairs(&counts, true), 3, "nothing and everything is no partner");
    }

    #[test]
    fn the_formula_is_what_trying_gives() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for round in 0..600 {
            let quads: Vec<u8> = (0..rng.random_range(0..9)).map(|_| rng.random_range(1..15)).collect();
            let mut counts = [0; 16];
            quads.iter().for_each(|&mask| counts[usize::from(mask)] += 1);
            let flips = round % 2 == 0;
            assert_eq!(most_pairs(&counts, flips), tried(&quads, flips), "{quads:?} {flips}");
        }
    }
}
