//! The oracle of pairs that does not follow the machine: the most pairs that the quads of each draw
//! can make, whatever tiles, windows and queues do to their order (MS-3).
//!
//! The quads are those that the model shades, so a machine that hides some of them has fewer, and
//! finds fewer pairs. They belong to one draw by the number of their triangle in the submitted
//! list. Quads that all four lanes cover make no pair, nor do those of a program without a merge
//! point. Programs that split are left out: what pairs there is a group of samples.
//!
//! Wrong would be a matching that is not maximal ([`super::super::matching`] has its own tests), or
//! quads of two draws in one group.

use std::collections::BTreeMap;

use quadlock_golden::frame_log::{FrameLog, LoggedProgram};
use quadlock_golden::NO_MERGE_POINT;
use quadlock_hdl::config::GpuConfig;
use quadlock_isa::abi::LANES;

use crate::lockstep::submitted::Submitted;
use crate::machine::lanes::mask_of;
use crate::scene::accounts::matching::most;

/// The most merges that the quads of all draws allow, with that machine's flips and group sizes.
pub fn most_pairs_of_draws(config: &GpuConfig, log: &FrameLog, list: &Submitted) -> u64 {
    let mut groups: BTreeMap<(usize, usize), [usize; 16]> = BTreeMap::new();
    for quad in &log.quads {
        let tags = &quad.tags;
        let program = log.programs.get(quad.program);
        let shaded = !program.is_some_and(LoggedProgram::is_empty);
        // The model's warps are no members, and may have a program of their own without a point.
        let merges = tags.cutoff != NO_MERGE_POINT || program.is_some_and(|p| p.paired_cutoff().is_some());
        let Some(draw) = list.draw_of(quad.triangle).filter(|_| shaded) else { continue };
        let mask = mask_of((0..LANES).filter(|&lane| tags.coverage[lane] != 0));
        if tags.splits || !merges || mask == 15 {
            continue;
        }
        let triangle = if config.merge_triangles { 0 } else { quad.triangle };
        groups.entry((draw, triangle)).or_default()[usize::from(mask)] += 1;
    }
    groups.values().map(|counts| most(counts, config.merge_flip, config.merge_group) as u64).sum()
}

#[cfg(test)]
mod tests {
    use quadlock_golden::frame_log::LoggedQuad;
    use quadlock_golden::Tags;

    use super::*;
    use crate::lockstep::submitted::DrawAt;

    fn quad(triangle: usize, lanes: u8) -> LoggedQuad {
        let coverage = std::array::from_fn(|lane| u32::from(lanes >> lane & 1));
        let tags = Tags { fragments: true, coverage, cutoff: 4, ..Tags::default() };
        LoggedQuad { triangle, primitive: 0, program: 0, targets: 1, tags, samples: 0..0 }
    }

    /// Draws of so many triangles each.
    fn list(draws: &[usize]) -> Submitted {
        let mut list = Submitted::default();
        let mut first = 0;
        for count in draws {
            list.draws.push(DrawAt { triangles: first..first + count, ..DrawAt::default() });
            first += count;
        }
        list
    }

    fn pairs(config: &GpuConfig, quads: Vec<LoggedQuad>, draws: &[usize]) -> u64 {
        most_pairs_of_draws(config, &FrameLog { quads, ..FrameLog::default() }, &list(draws))
    }

    /// MS-3: a draw is all that bounds a pair, and a triangle where the machine says so.
    #[test]
    fn ms_3_pairs_are_those_of_a_draw() {
        let config = GpuConfig { merge_flip: false, ..GpuConfig::default() };
        let quads = || vec![quad(0, 1), quad(1, 2), quad(2, 4), quad(3, 8)];
        assert_eq!(pairs(&config, quads(), &[4]), 2);
        assert_eq!(pairs(&config, quads(), &[1, 3]), 1);
        let apart = GpuConfig { merge_triangles: false, ..config };
        assert_eq!(pairs(&apart, quads(), &[4]), 0);
        // The same lanes fit after a flip only, and full quads never.
        let flips = GpuConfig { merge_flip: true, ..GpuConfig::default() };
        let same = || vec![quad(0, 1), quad(1, 1), quad(2, 15)];
        let plain = GpuConfig { merge_flip: false, ..GpuConfig::default() };
        assert_eq!((pairs(&plain, same(), &[3]), pairs(&flips, same(), &[3])), (0, 1));
    }

    #[test]
    fn programs_without_a_point_and_those_that_split_make_none() {
        let config = GpuConfig::default();
        let with = |change: fn(&mut Tags)| {
            let mut quads = vec![quad(0, 1), quad(1, 2)];
            quads.iter_mut().for_each(|q| change(&mut q.tags));
            pairs(&config, quads, &[2])
        };
        assert_eq!(with(|_| {}), 1);
        assert_eq!(with(|tags| tags.cutoff = NO_MERGE_POINT), 0);
        assert_eq!(with(|tags| tags.splits = true), 0);
    }
}
