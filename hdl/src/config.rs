//! What a configuration means: questions to the build parameters, whose keys, values and ranges are
//! rows of [`crate::parameters`]. All are run-time values of the generator (no const generics), so
//! that one compiled generator makes every configuration. A value out of range is refused by
//! [`GpuConfig::check`], never by the generated Verilog. A wrong answer builds other blocks than
//! the kernels connect, which the export refuses.

use crate::base::Planted;
use crate::fault::Fault;
pub use crate::options::*;
pub use crate::parameters::GpuConfig;

/// Flip-flops between the operands of a lane and its result: the latency of every `Class::Alu`
/// instruction, in cycles.
pub const LANE_LATENCY: usize = 5;

impl GpuConfig {
    /// Whether that bug is planted.
    pub fn has(&self, fault: Fault) -> bool {
        self.fault == Some(fault)
    }

    /// Banks of the register file of a unit, 1 or 2.
    pub fn banks(&self) -> usize {
        match self.register_banks {
            RegisterBanks::Auto if self.graphics && self.banks_can_be_two() => 2,
            RegisterBanks::Auto | RegisterBanks::One => 1,
            RegisterBanks::Two => 2,
        }
    }

    /// Fragment warps merge: the queue and the mapping of registers are built.
    pub fn merges(&self) -> bool {
        self.graphics && self.merge
    }

    /// More than two fragment warps may become one (MS-6): groups of up to four members are built.
    pub fn groups(&self) -> bool {
        self.merges() && self.merge_group > 2
    }

    /// Triangles are sorted into tiles before they are drawn.
    pub fn sorts(&self) -> bool {
        self.graphics && self.tbimr != Tbimr::Off
    }

    /// The window is the pass, and is in memory.
    pub fn bins(&self) -> bool {
        self.graphics && self.tbimr == Tbimr::Full
    }

    /// Depths of groups are kept, and what they hide is not drawn.
    pub fn hides(&self) -> bool {
        self.graphics && self.hi_z != HiZ::Off
    }

    /// The position-only pipeline is built.
    pub fn culls(&self) -> bool {
        self.graphics && self.cull_pipeline != CullPipeline::Off
    }

    /// The visibility unit is the position-only pipeline's.
    pub fn culls_depth(&self) -> bool {
        self.culls() && self.knows_ahead() && self.cull_pipeline == CullPipeline::Depth
    }

    /// Depths are known before triangles are binned: bounds may come from later triangles.
    pub fn knows_ahead(&self) -> bool {
        self.hides() && self.hi_z != HiZ::Rasteriser && self.hi_z_update == HiZUpdate::Forward
    }

    /// Bounds of depth come from what the pixel back end has written.
    pub fn updates_back(&self) -> bool {
        self.hides() && self.hi_z_update == HiZUpdate::Back
    }

    /// The binner asks at its output.
    pub fn binner_asks(&self) -> bool {
        self.graphics && self.hi_z == HiZ::VisibilityBinner
    }

    /// The visibility unit culls.
    pub fn unit_culls(&self) -> bool {
        self.graphics && matches!(self.hi_z, HiZ::Visibility | HiZ::VisibilityBinner)
    }

    /// The rasteriser has a structure of its own, beside the visibility unit's or as the only one.
    pub fn hides_late(&self) -> bool {
        self.hides() && !self.updates_back() && (!self.knows_ahead() || self.hi_z_structures == HiZStructures::Two)
    }

    /// Those who may hide something by a later triangle: bit 2 the binner, bit 3 the rasteriser.
    pub fn ahead(&self) -> u8 {
        let rasteriser = self.knows_ahead() && self.hi_z_structures == HiZStructures::One;
        let binner = self.knows_ahead() && self.binner_asks();
        u8::from(rasteriser) << 3 | u8::from(binner) << 2
    }

    /// Tiles of a box that a triangle does not reach are told apart by its edges: with windows, and
    /// behind a cull pipeline that has the depths.
    pub fn tests_edges(&self) -> bool {
        self.culls_depth() || (self.sorts() && !self.knows_ahead() && !self.updates_back())
    }

    /// Parts of groups that are not hidden are tested, too (HZ-20).
    pub fn tests_parts(&self) -> bool {
        self.hides() && !self.updates_back() && self.hi_z_levels == HiZLevels::Four
    }

    /// Bounds that do not fit on the chip are in memory.
    pub fn spills(&self) -> bool {
        self.hides() && self.hi_z_memory
    }

    /// Those who say that something is not drawn; the last one is the rasteriser of parts of
    /// groups, if these are tested.
    pub fn cullers(&self) -> usize {
        let edges = usize::from(self.tests_edges());
        let parts = usize::from(self.tests_parts());
        match self.hi_z {
            _ if !self.graphics => 0,
            _ if self.updates_back() => 1 + usize::from(self.unit_culls()) + usize::from(self.binner_asks()),
            HiZ::Off => edges,
            HiZ::Rasteriser => 1 + edges + parts,
            HiZ::UpdateOnly | HiZ::Visibility => 3 + parts,
            HiZ::VisibilityBinner => 4 + parts,
        }
    }

    /// Records of triangles: as the parameter says, else of a window of triangles, else 64.
    pub fn records(&self) -> usize {
        self.store_triangles.unwrap_or_else(|| self.of_window())
    }

    /// Entries for vertices: as the parameter says, else as many as records.
    pub fn vertices(&self) -> usize {
        self.store_vertices.unwrap_or_else(|| self.of_window())
    }

    fn of_window(&self) -> usize {
        if self.sorts() && !self.bins() {
            self.tbimr_window.max(64)
        } else {
            64
        }
    }

    /// Fragment warps of pixels split: the launch of their members and the mapping of registers are
    /// built.
    pub fn splits(&self) -> bool {
        self.graphics && self.split
    }

    /// A split may make a warp for each pixel, with its samples as lanes (MS-41).
    pub fn turns(&self) -> bool {
        self.splits() && self.split_shape != SplitShape::Samples
    }

    /// Quads that are shaded for each sample merge before they split: pairs of groups are built.
    /// They need eight slots of each unit, pairs of two quads, the private registers of member 0,
    /// and splits into samples.
    pub fn twins(&self) -> bool {
        self.merge_split
            && self.merges()
            && self.splits()
            && !self.groups()
            && !self.turns()
            && self.merge_private == PrivateSet::Old
            && self.core_shapes().iter().all(|core| core.warps >= 8)
    }

    /// Fragment warps merge where a number beside the program says; 0 or 1.
    pub(crate) fn merges_beside(&self) -> usize {
        usize::from(self.merges() && self.event_form.is_beside())
    }

    /// Fragment warps split where a number beside the program says; 0 or 1.
    pub(crate) fn splits_beside(&self) -> usize {
        usize::from(self.splits() && self.event_form.is_beside())
    }

    /// Fragment warps have public registers: the mapping of registers is built.
    pub fn maps(&self) -> bool {
        self.merges() || self.splits()
    }

    /// 1 if warps merge, and merged ones have that private set; else 0.
    pub(crate) fn of_private(&self, set: PrivateSet) -> usize {
        usize::from(self.merges() && self.merge_private == set)
    }

    /// 1 if a word of bits says which registers are public; else 0.
    pub(crate) fn bitmaps(&self) -> usize {
        usize::from(self.maps() && self.public_registers == PublicRegisters::Bitmap)
    }

    /// Whether two can be built: flags of shared words and kept results know one write per cycle.
    pub fn banks_can_be_two(&self) -> bool {
        self.warp_wide == WarpWide::Off
            || (self.warp_wide_result == WideResult::PerLane && self.warp_wide_late == WideLate::Again)
    }

    /// The mark of a bug in what only merging needs; none without it.
    pub(crate) fn of_merging(&self, fault: Fault) -> Vec<Planted> {
        self.merges().then(|| Planted::new(self.has(fault))).into_iter().collect()
    }

    /// The mark of a bug in what only groups of more than two need; none without them.
    pub(crate) fn of_groups(&self, fault: Fault) -> Vec<Planted> {
        self.groups().then(|| Planted::new(self.has(fault))).into_iter().collect()
    }

    /// The mark of a bug in one form of merge and split points; none without it.
    pub(crate) fn of_form(&self, form: EventForm, fault: Fault) -> Vec<Planted> {
        let built = self.maps() && self.event_form == form;
        built.then(|| Planted::new(self.has(fault))).into_iter().collect()
    }

    /// The mark of a bug in what only splitting needs; none without it.
    pub(crate) fn of_splitting(&self, fault: Fault) -> Vec<Planted> {
        self.splits().then(|| Planted::new(self.has(fault))).into_iter().collect()
    }

    /// The mark of a bug in what only warps of a pixel's samples need; none without them.
    pub(crate) fn of_turning(&self, fault: Fault) -> Vec<Planted> {
        self.turns().then(|| Planted::new(self.has(fault))).into_iter().collect()
    }

    /// The mark of a bug in what only pairs of groups need; none without them.
    pub(crate) fn of_twins(&self, fault: Fault) -> Vec<Planted> {
        self.twins().then(|| Planted::new(self.has(fault))).into_iter().collect()
    }

    /// The mark of a bug in what merging or splitting needs; none without both.
    pub(crate) fn of_maps(&self, fault: Fault) -> Vec<Planted> {
        self.maps().then(|| Planted::new(self.has(fault))).into_iter().collect()
    }

    /// The mark of a bug in what only graphics needs; none without graphics.
    pub(crate) fn of_graphics(&self, fault: Fault) -> Vec<Planted> {
        self.graphics.then(|| Planted::new(self.has(fault))).into_iter().collect()
    }
}
