//! The grid of a launch: how invocations become warps, and the numbers that each warp gets.
//!
//! Order: groups by linear number with x fastest, invocations of a group by linear number, four to
//! a warp (`docs/machine.md`, "Work groups and dispatch"). Wrong in a corner means wrong ids in the
//! last, partial warp of a group.

use crate::graphics::records::Events;
use crate::graphics::samples::Samples;
use quadlock_isa::abi::LANES;
use quadlock_isa::ThreadRecord;

/// A compute launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    /// Work groups along x, y, z, each at least 1.
    pub groups: [u32; 3],
    /// Invocations of a group along x, y, z; their product is at most 1024.
    pub group_size: [u32; 3],
    /// The program uses a barrier or shared storage: a group stays on one unit.
    pub pinned: bool,
    /// Group slots per unit that a pinned launch uses; 0 means as many as fit.
    pub group_slots: usize,
    /// Bytes of shared storage per group, rounded up to 16 by the model.
    pub shared_bytes: u32,
}

impl Grid {
    /// One group of `threads` invocations of a free program.
    pub fn linear(threads: u32) -> Self {
        Grid { groups: [1; 3], group_size: [threads, 1, 1], pinned: false, group_slots: 0, shared_bytes: 0 }
    }

    /// Work groups of the grid.
    pub fn group_count(&self) -> u64 {
        self.groups.iter().map(|&n| u64::from(n)).product()
    }

    /// Invocations of a work group.
    pub fn threads_per_group(&self) -> u32 {
        self.group_size.iter().fold(1, |p, &n| p.saturating_mul(n))
    }

    /// Warps of a work group; the last may have lanes without an invocation.
    pub fn warps_per_group(&self) -> u32 {
        self.threads_per_group().div_ceil(LANES as u32)
    }

    /// Bytes of a group's window in shared storage.
    pub fn window_bytes(&self) -> u32 {
        self.shared_bytes.saturating_add(15) & !15
    }

    /// Group slots that fit on a unit, before the `group_slots` limit; `Err` says why none does.
    pub fn fit(&self, warps: usize, shared_words: usize) -> Result<usize, String> {
        let threads = self.threads_per_group();
        if threads == 0 || threads > 1024 {
            return Err(format!("a group of {threads} invocations: 1 to 1024 are allowed"));
        }
        if self.groups.contains(&0) {
            return Err(format!("a grid of {:?} groups: each side must be at least 1", self.groups));
        }
        if !self.pinned {
            return Ok(warps);
        }
        let per_group = self.warps_per_group() as usize;
        if per_group > warps {
            return Err(format!("a pinned group needs {per_group} warp slots of one unit, a unit has {warps}"));
        }
        let by_warps = warps / per_group;
        let window = self.window_bytes() as usize;
        let by_shared = (shared_words * 4).checked_div(window).unwrap_or(by_warps);
        if by_shared == 0 {
            return Err(format!("a group needs {window} bytes of shared storage, a unit has {}", shared_words * 4));
        }
        if self.group_slots > by_warps.min(by_shared) {
            return Err(format!("{} group slots do not fit, {} do", self.group_slots, by_warps.min(by_shared)));
        }
        Ok(by_warps.min(by_shared))
    }

    /// What warp `warp_in_group` of group `linear_group` is launched with.
    pub fn launch_ids(&self, linear_group: u64, warp_in_group: u32) -> LaunchIds {
        let [gx, gy, _] = self.groups.map(|n| u64::from(n.max(1)));
        let [sx, sy, _] = self.group_size.map(|n| n.max(1));
        let group = [linear_group % gx, linear_group / gx % gy, linear_group / (gx * gy)].map(|n| n as u32);
        let threads = self.threads_per_group();
        let mut ids = LaunchIds { mask: 0, group, local_id: [0; LANES], local_index: [0; LANES] };
        for lane in 0..LANES {
            let index = warp_in_group.wrapping_mul(LANES as u32).wrapping_add(lane as u32);
            if index < threads {
                ids.mask |= 1 << lane;
            }
            let [x, y, z] = [index % sx, index / sx % sy, index / (sx * sy)];
            ids.local_index[lane] = index;
            ids.local_id[lane] = x | y << 10 | z << 20;
        }
        ids
    }
}

/// The numbers of one warp of a grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchIds {
    /// Lanes that have an invocation.
    pub mask: u8,
    /// Work group along x, y, z.
    pub group: [u32; 3],
    /// Packed: x in bits 9:0, y in 19:10, z in 29:20.
    pub local_id: [u32; LANES],
    /// Linear number of each lane's invocation in its work group.
    pub local_index: [u32; LANES],
}

/// The start of one warp.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Launch {
    /// Global number of the warp unit.
    pub unit: usize,
    /// Warp slot.
    pub warp: usize,
    /// Covered lanes; not zero.
    pub mask: u8,
    /// Work group along x, y, z; of a thread of a list its data words.
    pub group: [u32; 3],
    /// Number of the warp in its work group.
    pub warp_in_group: u32,
    /// First warp slot of the group; `warp` itself for a free program.
    pub first_warp: usize,
    /// Warp slots that the group occupies, all of which will be launched; 1 for a free program.
    pub warps_in_group: usize,
    /// First byte of the group's window in shared storage.
    pub shared_base: u32,
    /// As [`LaunchIds::local_id`].
    pub local_id: [u32; LANES],
    /// As [`LaunchIds::local_index`].
    pub local_index: [u32; LANES],
    /// Counter at which the lanes start.
    pub pc: u16,
    /// Acknowledgements that the warp gets for requests of the dispatcher.
    pub wait: u8,
    /// Semaphores that the dispatcher has acquired for it, or will, without auto-release.
    pub holds: Vec<u16>,
    /// What its lanes are vertices or fragments of; nothing of a compute warp.
    pub graphics: Option<Box<Tags>>,
}

/// What the lanes of a graphics warp are (docs/graphics.md, special registers).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tags {
    /// Number of the program, as [`Golden::set_program`](crate::Golden::set_program) got it.
    pub program: usize,
    /// Lanes are fragments, else vertices.
    pub fragments: bool,
    /// Index of the vertex.
    pub vertex: [u32; LANES],
    /// Instance of the vertex.
    pub instance: [u32; LANES],
    /// Pixel along x.
    pub x: [u32; LANES],
    /// Pixel along y.
    pub y: [u32; LANES],
    /// Samples of a pixel.
    pub samples: Samples,
    /// Sample, of a fragment of one.
    pub sample: [u32; LANES],
    /// Samples covered; 0 of a helper.
    pub coverage: [u32; LANES],
    /// Handle of the triangle.
    pub primitive: [u32; LANES],
    /// It shows its front.
    pub facing: [u32; LANES],
    /// Place in the order.
    pub ticket: [u32; LANES],
    /// Depth at the centre or sample.
    pub depth: [u32; LANES],
    /// First private register of its program (MS-20); [`NO_MERGE_POINT`] of one without.
    pub cutoff: u32,
    /// Its public registers, as bits, on a machine that goes by that.
    pub bitmap: u32,
    /// Its program has a split point, and the cutoff is of that (MS-42); else of a merge point.
    pub splits: bool,
    /// Behind its split points no lane looks at another: the members of a group may be pixels.
    pub apart: bool,
    /// Of a member of a group: its lanes are the samples of that pixel of the quad (MS-41).
    pub pixel: Option<u8>,
    /// Where its lanes meet a merge and a split point, if that stands beside the program (MS-10): a
    /// counter, or a number of executed instructions; 0: nowhere.
    pub events: Events,
    /// It is a member of a group that splits (MS-40).
    pub group: Option<GroupMember>,
    /// It is a member of a pair (MS-8).
    pub pair: Option<Member>,
    /// Lane l stands at position l ^ flip of its quad (MS-5): bit 0 left and right, bit 1 top and
    /// bottom.
    pub flip: u8,
}

/// The cutoff of a program without a merge point: it has no public registers.
pub const NO_MERGE_POINT: u32 = 63;

/// What a warp is in a pair, or in a group of up to four that merge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Member {
    /// Number of the pair: the ticket of its first member.
    pub pair: u32,
    /// 0: its slot goes on after the merge; others: the slot's warp is no more then.
    pub member: u8,
    /// Other members: 1 of a pair, up to 3 (MS-6).
    pub others: u8,
}

/// What a warp of one sample, or of one pixel, is in a group that splits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GroupMember {
    /// Its rank among the covered samples, or pixels, of the quad; 0 stands for all pixels before
    /// the split.
    pub member: u8,
    /// Other members.
    pub others: u8,
    /// Lanes that cover a sample of any member.
    pub union: u8,
}

impl Launch {
    /// The launch of a thread of a list.
    pub fn thread(record: &ThreadRecord, unit: usize, warp: usize) -> Self {
        const LANE: [u32; LANES] = [0, 1, 2, 3];
        Launch {
            unit,
            warp,
            mask: record.mask,
            group: record.data,
            first_warp: warp,
            warps_in_group: 1,
            local_id: LANE,
            local_index: LANE,
            pc: record.pc,
            wait: record.requests.iter().filter(|r| !r.suppress).count() as u8,
            holds: record.requests.iter().filter(|r| !r.auto_release).map(|r| r.semaphore).collect(),
            ..Launch::default()
        }
    }

    /// The launch of `ids` into a slot. `group_slot` is ignored for a free program.
    pub fn new(grid: &Grid, ids: &LaunchIds, unit: usize, warp: usize, warp_in_group: u32, group_slot: usize) -> Self {
        let per_group = grid.warps_per_group() as usize;
        Launch {
            unit,
            warp,
            mask: ids.mask,
            group: ids.group,
            warp_in_group,
            first_warp: if grid.pinned { group_slot * per_group } else { warp },
            warps_in_group: if grid.pinned { per_group } else { 1 },
            shared_base: if grid.pinned { group_slot as u32 * grid.window_bytes() } else { 0 },
            local_id: ids.local_id,
            local_index: ids.local_index,
            ..Launch::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_walk_x_then_y_then_z() {
        let grid = Grid { groups: [3, 2, 2], group_size: [3, 2, 1], pinned: true, group_slots: 0, shared_bytes: 20 };
        assert_eq!(grid.warps_per_group(), 2);
        assert_eq!(grid.window_bytes(), 32);
        let ids = grid.launch_ids(10, 1);
        assert_eq!(ids.group, [1, 1, 1]);
        assert_eq!(ids.mask, 0b0011);
        assert_eq!(&ids.local_index[..2], [4, 5]);
        assert_eq!(&ids.local_id[..2], [1 | 1 << 10, 2 | 1 << 10]);
        let launch = Launch::new(&grid, &ids, 1, 5, 1, 2);
        assert_eq!((launch.first_warp, launch.warps_in_group, launch.shared_base), (4, 2, 64));
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let grid = Grid { groups: [1; 3], group_size: [64, 1, 1], pinned: true, group_slots: 0, shared_bytes: 1024 };
        assert_eq!(grid.fit(16, 1024), Ok(1));
        assert!(grid.fit(8, 1024).unwrap_err().contains("16 warp slots"));
        let small = Grid { group_size: [4, 1, 1], ..grid.clone() };
        assert_eq!(small.fit(8, 1024), Ok(4));
        assert!(small.fit(8, 128).unwrap_err().contains("shared storage"));
        assert!(Grid { group_slots: 5, ..small }.fit(8, 1024).is_err());
        assert!(Grid { groups: [1, 0, 1], ..grid.clone() }.fit(16, 1024).is_err());
        assert!(Grid { group_size: [32, 33, 1], ..grid }.fit(16, 1024).is_err());
    }
}
