//! Types of build parameters that are not numbers: what each word stands for, the semaphore
//! entity's parameters, a core that differs. A word is its variant in small letters with dashes, or
//! its `#[name]`. It can be wrong in a word, which jobs write.

use quadlock_hdl_macros::Options;
pub use quadlock_isa::abi::{EventForm, PrivateSet, PublicRegisters, SplitShape};

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

/// `on` or `off`.
pub(crate) fn switch(key: &str, value: &str) -> Result<bool, String> {
    match value {
        "on" | "true" | "1" => Ok(true),
        "off" | "false" | "0" => Ok(false),
        _ => Err(format!("{key}={value}: write on or off")),
    }
}
