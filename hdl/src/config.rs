//! Every build parameter of the RTL; keys, values and ranges are rows of [`crate::parameters`]. All
//! are run-time values of the generator (no const generics), so that one compiled generator makes
//! every configuration. A value out of range is refused by [`GpuConfig::check`], never by the
//! generated Verilog.

use std::collections::BTreeMap;

use quadlock_hdl_macros::Options;
pub use quadlock_isa::abi::{EventForm, PrivateSet, PublicRegisters, SplitShape};

use crate::base::Planted;
use crate::fault::Fault;

/// Flip-flops between the operands of a lane and its result: the latency of every `Class::Alu`
/// instruction, in cycles.
pub const LANE_LATENCY: usize = 5;

/// How an operation that is executed once for a whole warp is executed (`WW-30` to `WW-32`). The
/// result is the same for all (`WW-36`); cycles and hardware differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Options)]
pub enum WarpWide {
    /// Not built: the warp-wide atomics are undefined operations.
    Off,
    /// One lane executes; the warp is masked until the result is written (`WW-30`).
    Representative,
    /// The warp unit executes for the warp; nothing is masked (`WW-31`).
    #[default]
    Collective,
    /// The core's scalar execution unit executes (`WW-32`).
    Scalar,
}

/// Where the result of a warp-wide operation is written (`WW-33`, `WW-34`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Options)]
pub enum WideResult {
    /// To the destination register of every active lane (`WW-33`).
    #[default]
    PerLane,
    /// Once, to a register that every lane can read (`WW-34`).
    Shared,
}

/// What a lane gets that comes late to a warp-wide operation (`WW-27`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Options)]
pub enum WideLate {
    /// It executes again.
    #[default]
    Again,
    /// The kept result of the last execution.
    Stored,
}

/// Cycles for a triangle in geometry, if no plane cuts it and one of its vertices is new.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Options)]
pub enum SetupRate {
    /// One divider.
    #[default]
    #[name = "64"]
    SixtyFour,
    /// Four dividers.
    #[name = "16"]
    Sixteen,
    /// Four view units and set-ups, each with four dividers.
    #[name = "4"]
    Four,
}

impl SetupRate {
    /// View units and set-ups that work side by side.
    pub fn setups(self) -> usize {
        if self == Self::Four {
            4
        } else {
            1
        }
    }

    /// Dividers of each set-up.
    pub fn dividers(self) -> usize {
        if self == Self::SixtyFour {
            1
        } else {
            4
        }
    }
}

/// How triangles go to tiles (HZ-10).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Options)]
pub enum Tbimr {
    /// One triangle after the other: immediate mode.
    #[default]
    Off,
    /// A window of triangles is sorted into tiles.
    Window,
    /// All triangles of a pass are, in memory.
    Full,
}

/// Who uses what is known of depths of groups of 8 by 8 pixels (HZ-12, HZ-13, HZ-24).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Options)]
pub enum HiZ {
    /// Nobody: it is not built.
    #[default]
    Off,
    /// The rasteriser alone: it keeps depths of its own quads, and asks (HZ-37).
    Rasteriser,
    /// The visibility unit keeps it, and culls nothing; the rasteriser asks.
    UpdateOnly,
    /// The visibility unit culls, too.
    Visibility,
    /// The binner asks, too, at its output (HZ-13).
    #[name = "visibility+binner"]
    VisibilityBinner,
}

/// Where the rasteriser's bounds of depth come from, if a visibility unit has some (HZ-37).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Options)]
pub enum HiZStructures {
    /// From the unit: they may come from later triangles of an opaque run (HZ-13).
    #[default]
    One,
    /// From its own quads: a second structure, which knows of no later triangle.
    Two,
}

/// Levels at which it is asked whether something is hidden (HZ-20).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Options)]
pub enum HiZLevels {
    /// Groups of 8 by 8 pixels, then pixels.
    #[default]
    Two,
    /// Blocks of 4 by 4 and of 2 by 2 between them, too.
    Four,
}

/// Where what is known of depths of groups comes from (HZ-22).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Options)]
pub enum HiZUpdate {
    /// From triangles that go past: the unit rasterises their depths, or the rasteriser's are kept.
    #[default]
    Forward,
    /// From depths that the pixel back end has written. The others ask, and nothing more.
    Back,
}

/// What the position-only pipeline does, which runs ahead of the one that draws (HZ-30).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Options)]
pub enum CullPipeline {
    /// It is not built.
    #[default]
    Off,
    /// It culls what is outside, has no area or shows its culled face.
    Positions,
    /// It rasterises to depth, too: the visibility unit is its own.
    Depth,
}

/// Banks of a unit's register file: even and odd registers in one, or each in their own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Options)]
pub enum RegisterBanks {
    /// Two with graphics, else one; one where two are not built.
    #[default]
    Auto,
    /// One write per cycle.
    #[name = "1"]
    One,
    /// A lane result and a completion in one cycle, if their registers are even and odd.
    #[name = "2"]
    Two,
}

/// How the message bus joins its senders and receivers (`SE-2`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BusKind {
    /// Every receiver takes a message per cycle.
    #[default]
    Crossbar,
    /// One message per cycle in all.
    Shared,
}

/// Build parameters of the semaphore entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SemaphoreConfig {
    /// Semaphores: a power of two, 4 to 1024.
    pub semaphores: usize,
    /// Entries of the buffer pool, shared by all lists: a power of two, 4 to 4096.
    pub pool: usize,
    /// Entries carry a previous pointer, and a release is searched for from the tail (needs
    /// `tail_pointers`).
    pub double_links: bool,
    /// The table carries a tail pointer; without it an append walks the list.
    pub tail_pointers: bool,
    /// Option B of SE-22: any thread of the list may release. Else option A: only the owner.
    pub any_may_release: bool,
}

impl Default for SemaphoreConfig {
    fn default() -> Self {
        Self { semaphores: 64, pool: 256, double_links: false, tail_pointers: true, any_may_release: true }
    }
}

/// What one core has in place of what all have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CoreChange {
    /// Warp units; `None`: as the others.
    pub units: Option<usize>,
    /// Warp slots of each unit; `None`: as the others.
    pub warps: Option<usize>,
    /// Whether it has a function unit; `None`: as the others.
    pub function_unit: Option<bool>,
}

/// Build parameters of the core.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GpuConfig {
    /// Rows of cores, 1 to 4 (`SE-1`).
    pub rows: usize,
    /// Cores of a row, 1 to 4.
    pub cores: usize,
    /// Warp units of a core, 1 to 8; of all cores together at most 32.
    pub units: usize,
    /// Resident warps per unit, 2 to 16.
    pub warps: usize,
    /// Every unit has a function unit; without it the function instructions are undefined
    /// operations.
    pub function_unit: bool,
    /// Cores that have something else instead, by row and column (`SE-3`).
    pub differing: BTreeMap<(usize, usize), CoreChange>,
    /// Lines of 16 bytes (two instructions) in each unit's instruction cache: a power of two, 8
    /// to 1024.
    pub icache_lines: usize,
    /// 32-bit words of each unit's shared storage: a power of two, 64 to 4096.
    pub shared_words: usize,
    /// The semaphore entity.
    pub semaphores: SemaphoreConfig,
    /// The message bus between dispatcher, rows and semaphore entity.
    pub bus: BusKind,
    /// How warp-wide atomics are executed.
    pub warp_wide: WarpWide,
    /// Where their results are written; without effect if they are off.
    pub warp_wide_result: WideResult,
    /// What lanes get that come late to one; without effect if they are off.
    pub warp_wide_late: WideLate,
    /// Vertex and fragment warps: what graphics needs in cores, and the blocks of its pipeline.
    pub graphics: bool,
    /// Contexts: states that draws under way may have, 8 or 16; without effect without graphics.
    pub contexts: usize,
    /// Cycles for a triangle in geometry.
    pub setup_rate: SetupRate,
    /// Components of sRGB or of halves that blending does in a cycle: 4, a pixel, or 1.
    pub blend_lanes: usize,
    /// Banks of the register file of a unit.
    pub register_banks: RegisterBanks,
    /// Sparse fragment warps merge (MS-2 to MS-34); without effect without graphics.
    pub merge: bool,
    /// Quads that the merge queue holds, 1 to 32; without effect without merging, as what follows.
    pub merge_queue: usize,
    /// Quads that may become one warp, 2 to 4 (MS-6).
    pub merge_group: usize,
    /// Cycles in which the output is ready that a quad waits for a partner at most (MS-7).
    pub merge_limit: usize,
    /// Lanes may change places so that two quads fit (MS-5).
    pub merge_flip: bool,
    /// Quads of different triangles may pair (MS-4).
    pub merge_triangles: bool,
    /// A quad does not overtake one at its place that waits for a partner (MS-9).
    pub merge_ordered: bool,
    /// Warps that are no members of a pair may have a program of their own (MS-12).
    pub merge_alone: bool,
    /// Which registers are public; without effect without merging and splitting (MS-20).
    pub public_registers: PublicRegisters,
    /// How programs say where lanes merge and split (MS-10); without effect without merging and
    /// splitting, but that modifiers are no undefined encodings.
    pub event_form: EventForm,
    /// Lanes that cover nothing end at a merge point in a warp without partner, too (MS-35).
    pub merge_helpers_end: bool,
    /// The private registers of a merged warp; without effect without merging (MS-22).
    pub merge_private: PrivateSet,
    /// Warps of a pixel become one warp for each sample (MS-40); without effect without graphics.
    pub split: bool,
    /// What warps a split makes (MS-41); without effect without splitting.
    pub split_shape: SplitShape,
    /// Programs may merge and then split (MS-42, MS-43); see [`GpuConfig::twins`].
    pub merge_split: bool,
    /// Records of triangles that are set up, a power of two, 64 to 4,096 (HZ-10); as
    /// [`GpuConfig::records`] says if it is none.
    pub store_triangles: Option<usize>,
    /// Entries of the attribute store for vertices, 16 of them for clipping, a power of two, 64 to
    /// 4,096 (HZ-34); as [`GpuConfig::vertices`] says if it is none.
    pub store_vertices: Option<usize>,
    /// How triangles go to tiles (HZ-10); without effect without graphics.
    pub tbimr: Tbimr,
    /// Triangles of a window, 16 to 4,096; without effect without one, as what follows.
    pub tbimr_window: usize,
    /// Pairs of triangle and tile of a window.
    pub tbimr_pairs: usize,
    /// Places of tiles of a window.
    pub tbimr_tiles: usize,
    /// Cycles without a triangle after which a window ends.
    pub tbimr_limit: usize,
    /// KiB of memory for triangles and lists, with `tbimr = full`.
    pub tbimr_area: usize,
    /// Who uses the depths of groups.
    pub hi_z: HiZ,
    /// Where the rasteriser's bounds come from.
    pub hi_z_structures: HiZStructures,
    /// Where what is known of them comes from.
    pub hi_z_update: HiZUpdate,
    /// Groups of 8 by 8 pixels at one sample whose depths are kept; a power of two.
    pub hi_z_groups: usize,
    /// Levels at which it is asked whether something is hidden.
    pub hi_z_levels: HiZLevels,
    /// Groups beyond `hi_z_groups` are in memory.
    pub hi_z_memory: bool,
    /// What the position-only pipeline does.
    pub cull_pipeline: CullPipeline,
    /// Triangles that it may be ahead by: bits of the visibility record (HZ-31).
    pub cull_record: usize,
    /// Retire and event ports present; without them the Verilog of a machine, core or unit has
    /// neither them nor what only they need, and nothing else changes.
    pub trace: bool,
    /// A planted bug, for the tests that must fail.
    pub fault: Option<Fault>,
}

impl Default for GpuConfig {
    fn default() -> Self {
        Self {
            rows: 1,
            cores: 1,
            units: 2,
            warps: 8,
            function_unit: true,
            differing: BTreeMap::new(),
            icache_lines: 256,
            shared_words: 1024,
            semaphores: SemaphoreConfig::default(),
            bus: BusKind::default(),
            warp_wide: WarpWide::default(),
            warp_wide_result: WideResult::default(),
            warp_wide_late: WideLate::default(),
            graphics: false,
            contexts: 8,
            setup_rate: SetupRate::default(),
            blend_lanes: 4,
            register_banks: RegisterBanks::default(),
            merge: false,
            merge_queue: 16,
            merge_group: 2,
            merge_limit: 128,
            merge_flip: true,
            merge_triangles: true,
            merge_ordered: true,
            merge_alone: true,
            public_registers: PublicRegisters::default(),
            event_form: EventForm::default(),
            merge_helpers_end: false,
            merge_private: PrivateSet::default(),
            split: false,
            split_shape: SplitShape::default(),
            merge_split: true,
            store_triangles: None,
            store_vertices: None,
            tbimr: Tbimr::default(),
            tbimr_window: 1024,
            tbimr_pairs: 4096,
            tbimr_tiles: 1024,
            tbimr_limit: 4095,
            tbimr_area: 2048,
            hi_z: HiZ::default(),
            hi_z_structures: HiZStructures::default(),
            hi_z_update: HiZUpdate::default(),
            hi_z_groups: 1024,
            hi_z_levels: HiZLevels::default(),
            hi_z_memory: false,
            cull_pipeline: CullPipeline::default(),
            cull_record: 4096,
            trace: true,
            fault: None,
        }
    }
}

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

/// `on` or `off`.
pub(crate) fn switch(key: &str, value: &str) -> Result<bool, String> {
    match value {
        "on" | "true" | "1" => Ok(true),
        "off" | "false" | "0" => Ok(false),
        _ => Err(format!("{key}={value}: write on or off")),
    }
}
