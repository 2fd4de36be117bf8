//! Size of the machine that the model imitates, and the planted bugs by which the checkers are
//! tested.

use quadlock_isa::abi::{EventForm, PrivateSet, PublicRegisters, SplitShape};

/// What a warp unit has, where units differ (SE-3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnitShape {
    /// Warp slots, at most [`Config::warps`].
    pub warps: usize,
    /// The function instructions are built; else they are undefined operations.
    pub functions: bool,
}

/// What the model has to know of the machine's build parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Warp units of all cores, 1 to 32.
    pub units: usize,
    /// Warp slots per unit, 2 to 16; of units that differ the most that one has.
    pub warps: usize,
    /// What each unit has, by its number; empty: all have `warps` slots and the function
    /// instructions.
    pub shapes: Vec<UnitShape>,
    /// 32-bit words of each unit's shared storage, a power of two.
    pub shared_words: usize,
    /// Semaphores of the entity.
    pub semaphores: usize,
    /// Option B of SE-22: any thread of a semaphore's list may release. Else option A: only the
    /// owner.
    pub any_may_release: bool,
    /// Warp-wide atomics are built; else they are undefined operations.
    pub warp_wide: bool,
    /// Lanes that come late to a warp-wide atomic get the kept result (WW-27); else they execute
    /// again.
    pub late_stored: bool,
    /// Graphics is built; else its instructions are undefined operations.
    pub graphics: bool,
    /// Fragment warps merge: cutoffs and merge points have their effect; else MERGE does nothing.
    pub merge: bool,
    /// Warps that are no members of a pair run the program of their own, if the record names one.
    pub merge_alone: bool,
    /// Which registers a cutoff makes public.
    pub public_registers: PublicRegisters,
    /// How programs say where lanes meet merge and split points (MS-10).
    pub event_form: EventForm,
    /// Lanes that cover nothing end at a merge point in a warp without partner, too (MS-35).
    pub merge_helpers_end: bool,
    /// The private registers of a merged warp.
    pub merge_private: PrivateSet,
    /// Fragment warps split: programs with a split point have its rules; else SPLIT does nothing.
    pub split: bool,
    /// What warps a split makes (MS-41).
    pub split_shape: SplitShape,
    /// Warps of programs with both points merge and then split, in pairs of groups (MS-42).
    pub merge_split: bool,
    /// A planted bug, for tests that must fail.
    pub fault: Option<Fault>,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            units: 2,
            warps: 8,
            shapes: Vec::new(),
            shared_words: 1024,
            semaphores: 64,
            any_may_release: true,
            warp_wide: true,
            late_stored: false,
            graphics: false,
            merge: false,
            merge_alone: true,
            public_registers: PublicRegisters::Below,
            event_form: EventForm::Instruction,
            merge_helpers_end: false,
            merge_private: PrivateSet::Old,
            split: false,
            split_shape: SplitShape::Samples,
            merge_split: false,
            fault: None,
        }
    }
}

impl Config {
    /// What the unit of that number has.
    pub fn shape(&self, unit: usize) -> UnitShape {
        self.shapes.get(unit).copied().unwrap_or(UnitShape { warps: self.warps, functions: true })
    }

    /// Warp slots of all units before the one of that number: units may differ.
    pub fn slots_before(&self, unit: usize) -> usize {
        (0..unit).map(|u| self.shape(u).warps).sum()
    }
}

macro_rules! faults { ($($n:ident $name:literal $doc:literal;)*) => {
    /// A planted bug of the model.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Fault { $( #[doc = $doc] $n, )* }

    impl Fault {
        /// (fault, name on the command line, what is wrong).
        pub const ALL: &'static [(Fault, &'static str, &'static str)] = &[ $( (Fault::$n, $name, $doc), )* ];

        /// The fault of that command-line name.
        pub fn by_name(name: &str) -> Option<Fault> {
            Self::ALL.iter().find(|f| f.1 == name).map(|f| f.0)
        }
    }
} }

faults! {
    FminNan "fmin-nan" "FMIN and FMAX return the NaN when one operand is a NaN";
    ShiftMask "shift-mask" "shifts by 32 and more give zero instead of using five bits of the amount";
    SubWordSign "sub-word-sign" "signed byte and half-word loads are zero-extended";
    BarrierEarly "barrier-early" "a barrier releases a warp without waiting for the rest of its group";
    SbfeZero "sbfe-zero" "SBFE with a count of zero gives the whole operand";
    FmaTwice "fma-twice" "FFMA and FNMA round the product before the sum";
    AtomicOrder "atomic-order" "atomics are performed from the highest lane down";
    StoreLowest "store-lowest" "where store bytes overlap the lowest lane wins";
    WideEveryLane "wide-every-lane" "a warp-wide atomic is performed once for every active lane";
    WideLeader "wide-leader" "a warp-wide atomic takes address and operands of the highest active lane";
    ScanInclusive "scan-inclusive" "WSCAN takes the lane's own value in";
    SemaphoreOrder "sem-fifo-order" "a new entry is inserted after the head of a semaphore's list instead of at its end";
    SemaphoreHeadOnly "sem-release-head-only" "a release by a thread that is not the head is an error, although any thread of the list may";
    WaitSkipped "wait-skipped" "WTS goes on although acknowledgements are outstanding";
    // Graphics.
    FrameStrip "frame-strip" "odd triangles of a strip keep the order of their vertices";
    FrameBase "frame-base" "the base vertex of a draw is not added to its indices";
    FrameInstance "frame-instance" "instances are counted from 0 whatever the first one is";
    FrameScissor "frame-scissor" "the scissor ends one pixel further to the right";
    FrameSampleMask "frame-sample-mask" "the sample mask of the state is ignored";
    FrameFacing "frame-facing" "a program gets the opposite facing";
    FrameDiscard "frame-discard" "what a program discards is written";
    FrameDepth "frame-depth" "depth that a program writes is ignored";
    FrameMask "frame-mask" "the sample mask that a program writes is ignored";
    FrameLate "frame-late" "late tests always pass";
    FrameTwice "frame-twice" "a sample is blended twice";
    FrameLoad "frame-load" "a pass clears the colours that it is to load";
    FrameLoadDepth "frame-load-depth" "a pass clears the depth that it is to load";
    FrameBypass "frame-bypass" "quads without a fragment program do not commit";
    // Wrong rules, which RTL and model could share: another renderer shows them.
    RuleStripOrder "rule-strip-order" "triangle k of a strip is k+1, k, k+2 for odd k";
    RuleBiasVertices "rule-bias-vertices" "depth bias is added to the vertices, and held there";
    RuleLeastW "rule-least-w" "what has w below 2^-20 is cut off, and words of 2^64 are no numbers";
    RuleSnapApart "rule-snap-apart" "the first vertex of a triangle is snapped 1/256 pixel further to the left";
    RuleSubPixel "rule-sub-pixel" "vertices are snapped to 1/16 pixel";
    RuleTopLeft "rule-top-left" "every edge takes the samples that it goes through";
    RuleSamplePlaces "rule-sample-places" "x and y of sample places are exchanged";
    RuleFlatLast "rule-flat-last" "flat varyings take the last vertex";
    RulePerspective "rule-perspective" "all varyings go without perspective";
    RuleNearPlane "rule-near-plane" "the near plane is at z = -w";
    RuleCutVaryings "rule-cut-varyings" "clipped vertices keep the varyings of one end of their edge";
    RuleDepthCentre "rule-depth-centre" "all samples of a pixel have the depth of its centre";
    RuleDepthRange "rule-depth-range" "the viewport's depths are 0 and 1";
    RuleSlope "rule-slope" "slope bias goes by the lesser of the changes along x and y";
    RuleBiasClamp "rule-bias-clamp" "depth bias has no clamp";
    RuleCull "rule-cull" "the other side is culled";
    RuleLessEqual "rule-less-equal" "less-equal fails for equal depths";
    RuleStencilBack "rule-stencil-back" "the back has the front's stencil test";
    RuleStencilFail "rule-stencil-fail" "a failed depth test changes the stencil as a failed stencil test does";
    RuleBlendAlpha "rule-blend-alpha" "alpha is blended by the colour's equation";
    RuleSrgb "rule-srgb" "colours of sRGB are blended as codes";
    RuleWriteMask "rule-write-mask" "write masks exchange red and blue";
    RuleRestart "rule-restart" "a strip that begins again keeps the parity of the one before";
    // Merging of warps.
    MergeRead "merge-read" "helpers read public registers instead of zero";
    MergeFlip "merge-flip" "derivatives and quad shuffles go by lane numbers instead of positions";
    MergeStop "merge-stop" "a member has stopped when one of its lanes has";
    MergeHelpers "merge-helpers" "helpers go on after the merge";
    MergePublic "merge-public" "lanes that come to another warp find its private and public registers there";
    MergeTags "merge-tags" "lanes that come to another warp get its special registers";
    MergeAlone "merge-alone" "a member waits on although its partner has ended";
    // Options of public and private registers.
    MergeNoPrivate "merge-no-private" "a merged warp without private registers has those of member 0";
    MergeJoined "merge-joined" "the upper half of a joined private set is member 0's";
    MergeNew "merge-new" "the private registers of a merged warp are member 0's, not a new set";
    MergeBitmap "merge-bitmap" "public registers are those below the cutoff, regardless of the bitmap";
    // Splitting of warps.
    SplitTwin "split-twin" "the first of two quads that merged keeps what the other one covers";
    SplitCovered "split-covered" "lanes that were discarded cover again after a split";
    SplitCounters "split-counters" "all lanes go on after a split at the lowest of their counters";
    SplitPublic "split-public" "members that wake read the public registers of their own slots";
    SplitWrite "split-write" "public registers are written after a split";
    SplitHelpers "split-helpers" "helpers end at a split";
    SplitEmpty "split-empty" "a member goes on though none of its lanes covers anything";
    SplitDead "split-dead" "members sleep on although member 0 has ended";
    ShapePublic "shape-public" "after a split into pixels each lane reads its own public registers";
    ShapeStops "shape-stops" "after a split into pixels a lane continues if its own pixel had stopped, and where that pixel stopped";
    ShapePlace "shape-place" "before a split into pixels all lanes have the place of the first pixel";
}

impl Fault {
    /// Shows only in a frame.
    pub fn is_of_graphics(self) -> bool {
        self as u8 >= Fault::FrameStrip as u8
    }

    /// A wrong rule of graphics: found by `quadlock fuzz --beside lavapipe`.
    pub fn is_of_rules(self) -> bool {
        (Fault::RuleStripOrder as u8..=Fault::RuleRestart as u8).contains(&(self as u8))
    }

    /// Shows only where warps merge.
    pub fn is_of_merging(self) -> bool {
        (Fault::MergeRead as u8..=Fault::MergeAlone as u8).contains(&(self as u8))
    }

    /// Shows only with an option of public and private registers.
    pub fn is_of_registers(self) -> bool {
        (Fault::MergeNoPrivate as u8..=Fault::MergeBitmap as u8).contains(&(self as u8))
    }

    /// Shows only where warps split.
    pub fn is_of_splitting(self) -> bool {
        self as u8 >= Fault::SplitCovered as u8
    }

    /// Shows only where warps of pixels come of a split.
    pub fn is_of_shapes(self) -> bool {
        self as u8 >= Fault::ShapePublic as u8
    }

    /// Shows only where warps merge and then split.
    pub fn is_of_twins(self) -> bool {
        self == Fault::SplitTwin
    }

    /// Shows only in programs with semaphores.
    pub fn is_of_semaphores(self) -> bool {
        matches!(self, Fault::SemaphoreOrder | Fault::SemaphoreHeadOnly | Fault::WaitSkipped)
    }
}
