//! Planted bugs of the RTL. Each is a row of the table here: a name on the command line
//! (`--set fault=`), and what is wrong.
//!
//! There is one way to plant a bug, for lockstep, block tests and formal proofs:
//! `GpuConfig::fault`. A block that can carry a bug has a field [`Planted`](crate::base::Planted)
//! named after it, as `fault_add_carry`, which is a `localparam` of one bit: 0 is folded away by
//! synthesis. `cosim/harness/tests/must_fail` says which checker has to catch each.

macro_rules! faults { ($($n:ident $name:literal $doc:literal;)*) => {
    /// A planted bug.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Fault { $( #[doc = $doc] $n, )* }
    impl Fault {
        /// (fault, name on the command line, what is wrong).
        pub const ALL: &'static [(Fault, &'static str, &'static str)] = &[ $( (Fault::$n, $name, $doc), )* ];
        /// The fault of that command-line name.
        pub fn by_name(name: &str) -> Option<Fault> { Self::ALL.iter().find(|f| f.1 == name).map(|f| f.0) }
    }
} }

faults! {
    // Lanes.
    FmaRounding "fma-rounding" "FMA rounds half up instead of half to even";
    FmaSticky "fma-sticky" "FMA loses the sticky bit of the smaller operand";
    AddCarry "add-carry" "integer add loses the carry from bit 15 to bit 16";
    ConvertSaturate "convert-saturate" "float to integer wraps instead of saturating";
    SignedCompare "signed-compare" "signed compare ignores the sign bits";
    IntegralTie "integral-tie" "FRNE rounds ties up instead of to even";
    F16Subnormal "f16-subnormal" "PK.F16 loses the sticky bits of subnormal results";
    NanSign "nan-sign" "a NaN of the fused multiply and add keeps the operands' sign";
    EncodeTie "encode-tie" "F2SN rounds negative ties down instead of up";
    SubnormalShift "subnormal-shift" "a subnormal result of the fused multiply and add is shifted one place too few";
    // Warp unit.
    WriteMask "write-mask" "register write mask ignored: inactive lanes are written too";
    BankClash "bank-clash" "a completion is taken beside a lane result of the same bank of registers";
    StaleOperand "stale-operand" "scoreboard does not check operand C";
    BranchMask "branch-mask" "a branch that one lane takes is taken by all active lanes";
    LowestPc "lowest-pc" "active mask takes the lane with the highest counter";
    BarrierEarly "barrier-early" "barrier releases when one warp has arrived";
    StaleBypass "stale-bypass" "register read in the cycle of its write returns the old value";
    WideDestination "wide-destination" "second and later registers of a wide load are not in the scoreboard";
    // Semaphores in the warp unit.
    WaitIgnored "wait-ignored" "WTS does not wait";
    AckLost "ack-lost" "an acknowledgement that comes before the thread waits is lost";
    AckAnyWarp "ack-any-warp" "an acknowledgement counts for every warp of the unit";
    ReleaseEarly "release-early" "RLS does not wait for the warp's stores";
    MessageLane "message-lane" "a message takes its semaphore from the highest active lane";
    FreeWhileWaiting "free-while-waiting" "a slot is free with acknowledgements outstanding";
    AutoLost "auto-lost" "ASR sends its message without auto-release";
    MessageOverflow "message-overflow" "ACS, ASR and RLS issue when the queue of messages is full";
    // Memory and dispatch.
    CoalesceLine "coalesce-line" "coalescing compares one address bit too few";
    DropResponse "drop-response" "every 64th memory response is dropped";
    StoreMask "store-mask" "byte enables of a 16-bit store cover one byte";
    SignExtend "sign-extend" "signed byte loads are zero-extended";
    AtomicLostLane "atomic-lost-lane" "the last active lane's atomic does not write";
    DispatchSkip "dispatch-skip" "the last group of a row is skipped";
    DispatchTwice "dispatch-twice" "the second warp of a group is launched twice";
    // Command streamer.
    CommandLastWord "command-last-word" "word 36 of a state record is not sent";
    CommandContext "command-context" "a state is written to a context that is in use";
    CommandWindow "command-window" "the constant windows of the stages change places";
    CommandDrain "command-drain" "the end of a pass does not wait for its triangles";
    CommandWait "command-wait" "the wait command does not wait";
    CommandBase "command-base" "the base vertex of a draw is its first instance";
    CommandBegin "command-begin" "a pass begins before its last word is sent";
    CommandImage "command-image" "the constants of the second stage are read from the addresses after those of the first stage";
    // The cull pipeline.
    LeadState "lead-state" "a state is written over one whose draws are still to come";
    LeadMet "lead-met" "the leading streamer continues after a pass or a wait before the other one reaches it";
    FrontBit "front-bit" "the bit of a triangle that is skipped is read again for the next triangle";
    CullCrosses "cull-crosses" "a triangle that crosses a clip plane is culled by the cull pipeline";
    CullRecord "cull-record" "the visibility record overtakes itself: a bit is written before the old one is read";
    LateUpdate "late-update" "a draw that bypassed the cull pipeline lowers bounds that a later one has moved back";
    LateSought "late-sought" "a triangle for which the binner finds no bound is not learned";
    LateWay "late-way" "a group of which the visibility unit knows nothing counts as cleared in any direction";
    LateRun "late-run" "an opaque run goes on over a draw that bypassed the cull pipeline";
    CullForget "cull-forget" "bounds stay although a draw that bypassed the cull pipeline changes depths";
    EdgesCorner "edges-corner" "an edge is tested at the wrong corner of a tile";
    EdgesSamples "edges-samples" "a tile is tested only at the centres of its pixels";
    EdgesRule "edges-rule" "a tile whose samples an edge only touches counts as reached, for every kind of edge";
    EdgesRow "edges-row" "the second row of tiles begins where the first one ends";
    CullMark "cull-mark" "assembly does not count a triangle that is skipped";
    StripMark "strip-mark" "after a skipped triangle of a strip the winding order starts again";
    StripChain "strip-chain" "after a skipped triangle of a strip the two previous corners are missing";
    StripRestart "strip-restart" "after the index that ends a strip a triangle with corners of that strip is expected";
    // Vertex front end.
    FrontBase "front-base" "the base vertex is not added";
    FrontWide "front-wide" "indices of 32 bits lose their upper half";
    FrontRestart "front-restart" "only the first instance of a draw restarts assembly";
    FrontSeparate "front-separate" "the index that ends a strip is a vertex";
    FrontStale "front-stale" "the reuse cache keeps the vertices of the previous instance";
    FrontDrop "front-drop" "a vertex that is replaced in the reuse cache is not dropped";
    FrontStall "front-stall" "a partial batch waits while the front end is stalled";
    FrontLine "front-line" "the last line of indices of an instance stays in the queue";
    FrontInstance "front-instance" "instances are counted from 0";
    FrontContext "front-context" "a draw's context counts as free when its last index is read";
    // Geometry.
    GeometrySwap "geometry-swap" "corners change places in a counter-clockwise triangle, their depths do not";
    GeometryGradient "geometry-gradient" "a negative gradient of depth is rounded up";
    GeometryFreeEarly "geometry-free-early" "a vertex with one holder left is free";
    GeometryFlat "geometry-flat" "a flat word is taken from the corner that is requested";
    GeometryLeak "geometry-leak" "records are never freed";
    GeometryRound "geometry-round" "geometry's float unit loses the sticky bit";
    GeometryDigit "geometry-digit" "1 / w and 1 / S have two digits too few";
    GeometryPlane "geometry-plane" "a vertex below the guard band in y is not clipped";
    GeometryStale "geometry-stale" "a vertex counts as viewed if its entry had one that was";
    GeometryCount "geometry-count" "two references to one vertex in consecutive cycles count as one";
    NumberStale "number-stale" "a free number that is passed on at once is another one's";
    GeometryUnviewed "geometry-unviewed" "a corner does not wait until its vertex is viewed";
    GeometryContext "geometry-context" "the end of a draw frees its context";
    GeometryOrder "geometry-order" "a triangle overtakes the pieces of the one before";
    GeometryParity "geometry-parity" "every triangle of a strip has its corners in their order";
    GeometryBox "geometry-box" "the third corner does not count for the right side of the box";
    GeometryFace "geometry-face" "the other face is culled";
    GeometryQuotient "geometry-quotient" "gradients of depth have a digit too few";
    GeometryBias "geometry-bias" "a bias of depth is held to a limit of the other sign, too";
    GeometryEdge "geometry-edge" "edge 0 is one too low";
    GeometryDepth "geometry-depth" "depth at the target's corner has no part along y";
    GeometryFirst "geometry-first" "the vertex of a clipped piece's flat words is not released";
    GeometryCanonical "geometry-canonical" "an edge is clipped from its first end, not from the lower one";
    GeometryLinear "geometry-linear" "linear words are clipped like the others";
    GeometryMade "geometry-made" "the clipper keeps the vertices that it made";
    GeometryRange "geometry-range" "the greatest depth is not held in the range of the state";
    GeometryLeastW "geometry-least-w" "where the clipper cuts at the least w, w is what rounding leaves";
    GeometrySmall "geometry-small" "a w above 0 that is too small is clipped, and not out of range";
    GeometrySpan "geometry-span" "triangles get numbers regardless of the distance to the oldest live one";
    // Merge passage and merge queue.
    MergeLost "merge-lost" "a quad takes the place of the one that waits in the merge passage";
    MergeOvertake "merge-overtake" "a quad overtakes the one that waits in the merge passage";
    MergeOverlap "merge-overlap" "quads of two lanes pair although their lanes overlap";
    MergeContext "merge-context" "quads of different contexts pair";
    MergePlace "merge-place" "the second member of a pair is the quad of the first one's place";
    MergeLimit "merge-limit" "a quad waits in the merge queue without a time limit";
    MergeFlip "merge-flip" "a flip is reported as a flip about the other axis";
    MergeFullLost "merge-full-lost" "a quad that finds the merge queue full and has no partner is lost";
    MergeUnmarked "merge-unmarked" "quads of contexts without a merge point pair";
    MergeOrder "merge-order" "a quad overtakes one at its place that waits for a partner";
    GroupSize "group-size" "a group of three or four quads is issued as a pair";
    GroupOverlap "group-overlap" "a third quad is flipped against the first one only";
    // Graphics dispatcher.
    GroupTags "group-tags" "a merged warp reports the ends of its third and fourth quads with the second quad's tickets";
    GroupFree "group-free" "a first member's slot is free although a third or fourth member runs";
    GraphicsEndEarly "graphics-end-early" "every lane of a fragment warp that ended still covers something";
    GraphicsLaneSwap "graphics-lane-swap" "coverage of a fragment warp is a lane off";
    GraphicsWrongProgram "graphics-wrong-program" "a quad runs the program of its vertices";
    GraphicsCullStarves "graphics-cull-starves" "vertices of the cull pipeline wait while there are quads";
    GraphicsCullEnd "graphics-cull-end" "the end of the cull pipeline's vertices is reported for replayed ones too";
    GraphicsPairing "graphics-pairing" "a vertex warp is launched with the pairing of the quad that waits";
    // Division and square root.
    DivideSticky "divide-sticky" "the remainder of a division does not count as sticky bit";
    DivideSubnormal "divide-subnormal" "a subnormal result of the function unit is shifted one place too few";
    SqrtRounding "sqrt-rounding" "the last digit of a square root is lost: it is cut off, not rounded";
    // Function unit.
    RangeReduction "range-reduction" "sin and cos of 2^30 and more take the bits of 2/pi one place off";
    TableLine "table-line" "interval 21 of every table of approximated functions has the coefficients of interval 20";
    FunctionRounding "function-rounding" "approximated functions truncate instead of rounding";
    // Semaphore entity.
    SemTwoOwners "sem-two-owners" "an acquire is acknowledged although another thread owns the semaphore";
    SemLostEntry "sem-lost-entry" "the entry of a list's only thread is not returned to the free list";
    SemFifoOrder "sem-fifo-order" "an entry is inserted after the head of a list instead of at its tail";
    SemDoubleAck "sem-double-ack" "an acknowledgement is sent twice if no other is waiting";
    SemSuppressIgnored "sem-suppress-ignored" "acknowledge-suppress has no effect";
    SemAutoKept "sem-auto-kept" "an acquire with auto-release of a free semaphore keeps it";
    SemForeignRelease "sem-foreign-release" "a release by any thread removes the head";
    SemEarlyDone "sem-early-done" "the completion signal of an acquire is asserted when the acquire is accepted";
    SemSilentError "sem-silent-error" "protocol errors are not reported";
    SemOldHead "sem-old-head" "the acknowledgement of a new head goes to the thread before it";
    SemOverrun "sem-overrun" "a message is accepted although stage 1 holds one that cannot move on";
    SemReleaseFirst "sem-release-first" "releases go before acquires, always";
    SemTryRefused "sem-try-refused" "a try of a semaphore that does not exist is rejected";
    SemSilentEmpty "sem-silent-empty" "`emptied` is not asserted for a head that is removed automatically";
    SemReleasedAck "sem-released-ack" "a successor that was released early gets no acknowledgement";
    SemSkippedAck "sem-skipped-ack" "the acknowledgement after a head that is removed automatically is lost";
    SemStartAppend "sem-start-append" "an append in the cycle of `start` is lost";
    // Waiting room of the semaphore entity.
    RoomOvertake "room-overtake" "an acquire that needs no entry overtakes one of its semaphore that waits for an entry";
    RoomAsleep "room-asleep" "a waiting acquire is not retried when its semaphore becomes free";
    RoomBlocks "room-blocks" "acquires that need no entry are held up by those that do";
    RoomLost "room-lost" "an acquire that arrives while the waiting ones are retried is lost";
    RoomStraight "room-straight" "a message goes directly to the entity although others wait";
    RoomOldestLast "room-oldest-last" "the oldest waiting acquire is not retried while a round is due";
    RoomGaps "room-gaps" "a round does not close its gaps";
    RoomTryChanged "room-try-changed" "a try becomes an acquire for an entry";
    // Message bus.
    BusDrop "bus-drop" "a message that arrives as another leaves is lost";
    BusDuplicate "bus-duplicate" "a message stays in its register after it was taken";
    BusReorder "bus-reorder" "a message overtakes the one in the register of its receiver";
    BusUnfair "bus-unfair" "the sender of the smallest number always wins";
    // Row controller.
    RowLostEnd "row-lost-end" "one of two threads of a unit that end in the same cycle is not reported";
    RowLostAcquire "row-lost-acquire" "an acquire that a release passes is lost";
    RowWrongUnit "row-wrong-unit" "acquires carry the unit's number in its row, not in the machine";
    // Top level and memory arbiter.
    LockIgnored "lock-ignored" "the memory arbiter ignores line locks: atomics of different cores overlap";
    AckWrongCore "ack-wrong-core" "acknowledgements of semaphores go to the neighbouring unit";
    // Thread dispatcher.
    DispatchSemEarly "dispatch-sem-early" "requests without acknowledge-suppress are sent before the thread is launched";
    DispatchThreadEarly "dispatch-thread-early" "a thread is launched before its requests with acknowledge-suppress have had their effect";
    DispatchSlotTwice "dispatch-slot-twice" "warp slot 1 is not marked as occupied when it is taken";
    DispatchRecordSkip "dispatch-record-skip" "threads with five to eight requests are passed over";
    DispatchOvertake "dispatch-overtake" "a thread's requests overtake those of an earlier thread to the same semaphore";
    DispatchWaitCount "dispatch-wait-count" "a thread waits for an acknowledgement of requests with acknowledge-suppress too";
    DispatchBusyEarly "dispatch-busy-early" "the run ends while messages are on their way";
    DispatchEndLost "dispatch-end-lost" "the end of a thread is lost if a slot of its unit is taken in the same cycle";
    DispatchSlotMissing "dispatch-slot-missing" "in a machine of cores that differ every unit is taken for one with the most warp slots";
    DispatchUnable "dispatch-unable" "threads that need the function unit go to cores without one too";
    // Warp-wide operations.
    WideInactive "wide-inactive" "the result of a warp-wide atomic is given to inactive lanes too";
    WideTwice "wide-twice" "a warp-wide atomic is executed for every active lane";
    WideNotBroadcast "wide-not-broadcast" "lanes masked for their representative do not get its result";
    WideOldValue "wide-old-value" "a warp-wide atomic delivers the new value";
    WideLockSteals "wide-lock-steals" "an acquire of a taken lock reports success";
    ScalarWrongWarp "scalar-wrong-warp" "the scalar unit's answer goes to the neighbouring warp slot";
    SharedStale "shared-stale" "a lane's own write leaves its register marked as the shared one";
    ReduceInactive "reduce-inactive" "reductions take inactive lanes in";
    LockForeign "lock-foreign" "the release form of a lock swaps whatever the word is";
    WideMaskStuck "wide-mask-stuck" "lanes masked for their representative stay masked after its result";
    LateForeign "late-foreign" "the kept result of a warp-wide atomic is given to a lane of another encounter";
    LateAgain "late-again" "a lane that comes late to a warp-wide atomic executes again";
    LateLanes "late-lanes" "the kept result of a warp-wide atomic is written to all lanes";
    LateMemory "late-memory" "a late lane gets the kept result of the other memory";
    LateMet "late-met" "lanes that have met the others again count as late";
    LateTurn "late-turn" "a turn of a loop does not end the encounter";
    // Vertex and fragment warps.
    DemoteEarly "demote-early" "DEMOTE does not wait for what is in flight";
    DemoteKept "demote-kept" "DEMOTE leaves its lanes covered";
    DiscardCovers "discard-covers" "DISCARD leaves its lanes covered";
    HelpersRun "helpers-run" "a fragment warp continues when no running lane is covered";
    HelperStores "helper-stores" "stores and atomics of helpers are done";
    OwnMasked "own-masked" "ST.OWN of helpers is not done";
    WindowWrong "window-wrong" "a fragment warp reads the constants of its context's vertex warps";
    SpecialTicket "special-ticket" "special register 19 is the place without the lane";
    // Warps that merge.
    PairOpen "pair-open" "member 0 treats its partner as ended before the partner is launched";
    PairWaits "pair-waits" "a member whose partner has ended waits for it";
    EventCounter "event-counter" "lanes meet the point beside their program one instruction late";
    EventCount "event-count" "branches do not count as instructions that a lane has executed";
    EventModifier "event-modifier" "an event modifier of an instruction is lost";
    HelpersStay "helpers-stay" "helpers continue after a merge point in a warp without a partner";
    MergeEarly "merge-early" "a member can merge when one of its covered lanes has stopped";
    MergeHelpers "merge-helpers" "helpers that have stopped continue in the merged warp";
    PublicHelper "public-helper" "helpers read public registers";
    PublicOwn "public-own" "helpers write public registers";
    PrivateShared "private-shared" "member 1's private registers are member 0's";
    PublicBitmap "public-bitmap" "registers below the cutoff are public regardless of the bitmap";
    MergedBare "merged-bare" "a merged warp without private registers has those of member 0";
    MergedJoined "merged-joined" "the upper half of a joined private set stands where the lower half does";
    MergedNew "merged-new" "all merged warps of a unit have one new private set";
    FlipDerivative "flip-derivative" "derivatives ignore that lanes have changed places";
    PairTags "pair-tags" "lanes that moved into a merged warp keep the special registers of member 0";
    PairAttributes "pair-attributes" "lanes that moved into a merged warp request member 0's triangle";
    PairSlots "pair-slots" "a pair gets two slots that are not of one bank";
    PairFree "pair-free" "the slot of a member 0 that has ended is free while member 1 runs";
    PairLanes "pair-lanes" "lanes of a member that changed places are launched as they were";
    PairEnd "pair-end" "the end of a merged warp is reported for member 0 alone";
    PairJoined "pair-joined" "a slot whose registers are in use by a merged warp counts as free";
    PairAlone "pair-alone" "a warp that is not in a pair runs the program of paired warps";
    // Warps that split.
    GroupWaits "group-waits" "vertices are launched before a member whose slot is taken";
    SplitEarly "split-early" "a group splits before all its members are launched";
    SplitSleeps "split-sleeps" "members stay asleep after their group has split";
    SplitDiscarded "split-discarded" "discarded lanes are covered again after the split";
    SplitFree "split-free" "the slot of member 0 is free while other members run";
    SplitWrite "split-write" "public registers are written after the split";
    SplitHome "split-home" "members 2 and 3 have the public registers of the slot before them, or their own";
    SplitUnion "split-union" "member 0 runs for the lanes of its own sample only";
    SplitRank "split-rank" "a group's member gets the number of its sample";
    ShapeDepth "shape-depth" "a warp of a pixel gets the depths of one sample";
    ShapeCount "shape-count" "the result store waits for warps of samples although warps of pixels arrive";
    ShapeChoice "shape-choice" "with shape `either` pixels are taken, even where samples give fewer warps";
    ShapeRead "shape-read" "after a split into pixels each lane reads its own public registers";
    ShapeCounters "shape-counters" "after a split into pixels each lane continues where its own pixel stopped";
    ShapePlace "shape-place" "before a split into pixels all lanes have the place of the first pixel";
    ShapeBary "shape-bary" "before a split into pixels the edge values are those of the first pixel";
    // Pairs of groups, which merge and then split.
    TwinSlots "twin-slots" "a pair of groups of eight slots gets some that do not begin at a multiple of eight";
    TwinRelease "twin-release" "slots that a pair of groups does not need are never freed";
    TwinEarly "twin-early" "a group merges or splits before all of its partner is launched";
    TwinFree "twin-free" "the slot with the public registers of two groups is free while the second runs";
    TwinHome "twin-home" "the second group of a pair has public registers of its own";
    TwinSleeps "twin-sleeps" "members of the second group stay asleep after the merged warp has split";
    TwinHelpers "twin-helpers" "helpers continue after the merge point of a program that splits too";
    TwinTags "twin-tags" "lanes of the second group have the special registers of the first";
    TwinAttributes "twin-attributes" "lanes of the second group request the first group's triangle";
    TwinDepth "twin-depth" "a quad in the merge queue has the depths of its last sample in all samples";
    SplitSlots "split-slots" "a group of three or four gets slots that do not begin at a multiple of four";
    // Attribute unit.
    AttributeOrder "attribute-order" "a request goes to the other side while answers of its unit are to come";
    AttributeHandle "attribute-handle" "lanes of different triangles get what is lane 0's";
    AttributeEqual "attribute-equal" "the word of vertex 2 does not count for `equal`";
    AttributeOverflow "attribute-overflow" "more requests are sent than there are places for responses";
    BeatsFull "beats-full" "a queue of beats takes one more than it has places for";
    BaryRound "bary-round" "values of edges are rounded half up";
    BaryCentroid "bary-centroid" "the centroid is the last covered sample";
    BarySample "bary-sample" "sample 1 of four lies where sample 2 does";
    BarySign "bary-sign" "a negative edge value loses its sign";
    OutHelper "out-helper" "helpers write results";
    OutSample "out-sample" "a word of a sample goes to the sample above";
    // Blending.
    BlendAlphaOperation "blend-alpha-operation" "alpha is blended by the operation of colour";
    BlendRound "blend-round" "the lowest bit of a sum of products is lost in blending";
    BlendHazard "blend-hazard" "a quad does not wait for a blended one of its place in the pipeline's last stage";
    BlendCoverage "blend-coverage" "lanes that are not covered are written as lane 0 is";
    BlendMask "blend-mask" "the write mask of alpha is that of blue";
    BlendSample "blend-sample" "samples of a quad are blended at sample 0";
    BlendPlane "blend-plane" "a target that follows one of two words begins a plane early";
    BlendDone "blend-done" "a quad without coverage is not reported as committed";
    BlendConstant "blend-constant" "the blend constant of another context is taken";
    BlendCode "blend-code" "an sRGB code blends as a fraction";
    BlendHalf "blend-half" "rgba16float: green keeps its value when it is blended";
    BlendInvert "blend-invert" "rgba16float: one minus the constant is the constant";
    BlendSecond "blend-second" "the second word of a pixel that blends is its first";
    BlendWait "blend-wait" "a beat does not wait for one of its place that is blended pixel by pixel";
    BlendClash "blend-clash" "bytes are written in a cycle in which the other pipeline writes";
    BlendSaturate "blend-saturate" "rgba16float: the lesser of two alphas is always the fragment's";
    BlendInfinite "blend-infinite" "rgba16float: infinity times zero is infinity";
    BlendZero "blend-zero" "rgba16float: a difference of 0 has the sign of its first operand";
    // Rasteriser.
    RasterTopRule "raster-top-rule" "a top edge does not take the samples on it";
    RasterLeftRule "raster-left-rule" "a left edge does not take the samples on it";
    RasterSamplePlace "raster-sample-place" "sample 1 of four lies where sample 2 does";
    RasterBoxRight "raster-box-right" "the bounding box has a column of pixels more";
    RasterBoxTop "raster-box-top" "the first row of pixels counts although the bounding box begins below it";
    RasterReach "raster-reach" "a group is empty if an edge does not take its first pixel's centre";
    RasterTurn "raster-turn" "the second row of groups begins one group to the left";
    RasterClamp "raster-clamp" "depth is not held to the greatest one";
    RasterRounding "raster-rounding" "depth is cut off, not rounded";
    RasterRowDepth "raster-row-depth" "the depth of a group's second row and on is that of the first";
    RasterEndDropped "raster-end-dropped" "a triangle whose last group is empty has no end";
    RasterMaskIgnored "raster-mask-ignored" "the sample mask has no effect";
    RasterStaleFacts "raster-stale-facts" "a tile's facts of depth do not wait for the tile before";
    RasterNoCentre "raster-no-centre" "the beat of the pixel centres is missing";
    RasterHeadless "raster-headless" "the group after a hidden first one does not begin its triangle";
    RasterHiddenEnd "raster-hidden-end" "the end of a triangle is lost with a hidden last group";
    // Binner.
    BinnerCloseEarly "binner-close-early" "a tile is closed while triangles of it are in the rasteriser";
    BinnerSameTile "binner-same-tile" "a tile below or above the open one is taken for it";
    BinnerRow "binner-row" "the second row of tiles begins where the first ended";
    BinnerAnswer "binner-answer" "the binner does not wait for the answer to its query";
    WindowPlace "window-place" "a tile takes the place of another tile of the window";
    WindowSplit "window-split" "a triangle whose tiles are in two windows has its `end` in both";
    WindowEnd "window-end" "a triangle's `end` is in the tile reported last, which the window may send before others";
    WindowStarved "window-starved" "a window does not end when the previous stage waits for what the window holds";
    WindowLost "window-lost" "the last triangle of a tile is not sent";
    FullLink "full-link" "a node of a list in memory names itself as the next one";
    FullRest "full-rest" "triangles of a list that are only on chip are not sent";
    FullEarly "full-early" "a window is read while its last lines are on their way to memory";
    FullCut "full-cut" "a triangle whose tile finds no place is not in the next window";
    FullContext "full-context" "contexts that a window names are not in use";
    FullStale "full-stale" "lines of the window before stay in the cache";
    FullCorner "full-corner" "words of corner 1 are those of corner 0";
    HiZDiscard "hi-z-discard" "a draw that discards lowers bounds of depth";
    HiZAlways "hi-z-always" "a draw that raises depth leaves the bounds unchanged";
    HiZBlend "hi-z-blend" "draws that blend are in opaque runs";
    HiZTurned "hi-z-turned" "bounds of a group that is here outlive a draw of the other direction";
    HiZStencil "hi-z-stencil" "draws are culled whose stencil changes where depth fails";
    HiZClaimed "hi-z-claimed" "a draw that may write depths leaves no record of a group that is here already";
    HiZClaims "hi-z-claims" "bounds outlive a draw that writes depths of the other direction";
    HiZCoverage "hi-z-coverage" "draws whose programs look at coverage are in opaque runs";
    RasterPartRow "raster-part-row" "quads of another row than the hidden ones are left out";
    HidePartsChild "hide-parts-child" "a part's nearest depth is that of the group's first part";
    HidePartsBound "hide-parts-bound" "a block of 4 by 4 pixels has the bound of its first quad";
    HidePartsStale "hide-parts-stale" "hidden quads stay hidden in the next group";
    HidePartsEarly "hide-parts-early" "a row of quads does not wait for its tests";
    HiZEqual "hi-z-equal" "equal depths count as hidden for every depth function";
    HiZCorner "hi-z-corner" "a plane's nearest depth in a group is searched on the left side only";
    HiZRun "hi-z-run" "bounds from later triangles count outside of their opaque run";
    HiZHeld "hi-z-held" "a plane beyond the farthest vertex is not held there when a group is tested";
    HiZRuns "hi-z-runs" "an opaque run continues when the depth function changes";
    HiZHold "hi-z-hold" "a run begins while triangles of the one before are being drawn";
    HiZUncovered "hi-z-uncovered" "pixels that a triangle does not cover get its depth as a bound";
    HiZReset "hi-z-reset" "a group that was reset is as far as the clear value";
    HiZUnknown "hi-z-unknown" "a quad that was not drawn in this pass has its old depths";
    HiZPass "hi-z-pass" "bounds of the pass before count";
    HiZSweep "hi-z-sweep" "records of old passes are not swept when the numbers of passes begin again";
    HiZTag "hi-z-tag" "a group takes the bound of another group at its place";
    HiZCopy "hi-z-copy" "a query gets the copied bound of another group at its place";
    HiZStaleRecord "hi-z-stale-record" "a record in memory counts that an earlier pass has written";
    HiZQuad "hi-z-quad" "a quad's bound is that of its last sample";
    HiZLate "hi-z-late" "a tile's bit is sent before its quads have been compared";
    TileTestGroup "tile-test-group" "the binner queries only the first column of groups of a tile";
    TileTestRun "tile-test-run" "the binner hides triangles by bounds of other runs";
    TileTestLevel "tile-test-level" "at the binner's output a triangle at the depth of a bound counts as hidden";
    TileTestStale "tile-test-stale" "the answer about a pair stays for the next one";
    RasterHiZWait "raster-hi-z-wait" "a query meets bounds of before a triangle that raises depths";
    RasterHiZDraw "raster-hi-z-draw" "beats of all draws are compared as those of context 0";
    BackTile "back-tile" "the bit of a tile of a box is sent for the next tile too";
    BackPlace "back-place" "depths of the lower rows of a tile are reported as written in its first row";
    BackLane "back-lane" "a bound from written depths leaves two lanes of a quad out";
    BackUnknown "back-unknown" "depths of the previous pass count as written in this one";
    BackRow "back-row" "with more samples than one a group's bound is that of the row that was written last";
    BackTurn "back-turn" "bounds are not discarded when the depth direction changes";
    BackLost "back-lost" "a depth that is written is lost if eight others wait";
    BackWait "back-wait" "bounds of written depths count while something on its way may move depths against them";
    BackSettle "back-settle" "the flag of a triangle that raised depths is cleared before its depths are in the bounds";
    FilterLevel "filter-level" "a sample at the depth of its bound counts as hidden";
    FilterRun "filter-run" "bounds of pixels are used outside of the opaque run";
    FilterUncovered "filter-uncovered" "a quad is dropped when one of its samples is hidden";
    FilterDone "filter-done" "a triangle is reported as done in a tile while quads of it are in the filter";
    BinnerLast "binner-last" "the last tile of a triangle is passed over if it cannot be seen";
    // Tile buffers.
    TileCount "tile-count" "a closed tile is written while fragments of it are under way";
    TileReload "tile-reload" "a tile that is opened again is cleared";
    TileEdge "tile-edge" "columns of quads right of the target are written";
    TilePlane "tile-plane" "planes of a target begin a row of quads late";
    TileStencil "tile-stencil" "stencil is loaded where depth is, and depth where stencil is";
    TileSweep "tile-sweep" "the last tile is not cleared if it was never opened";
    TileSame "tile-same" "a tile is loaded while a buffer still has it";
    TileRoom "tile-room" "more than sixteen lines are requested";
    TileStall "tile-stall" "the word of a line that memory does not take is replaced by the next one";
    ResolveRound "resolve-round" "the mean of integers is rounded down";
    ResolveSample "resolve-sample" "the first sample counts for all";
    ResolvePlane "resolve-plane" "second words are read from the addresses after the first words of sample 0";
    ResolveOrder "resolve-order" "samples are added from the last down";
    ResolveEarly "resolve-early" "a target is done before its last line is in memory";
    ResolveAlpha "resolve-alpha" "alpha of the second pixel of a pair is resolved as an sRGB code of blue";
    ResolveShare "resolve-share" "the sum of four floats is halved";
    // Depth and stencil.
    DepthEqual "depth-equal" "a depth function that takes less takes equal depths too";
    DepthUnwanted "depth-unwanted" "depth is written although the depth test is off";
    DepthStale "depth-stale" "a sample that is tested directly after itself sees the old depth";
    DepthStaleThree "depth-stale-three" "a sample that is tested three cycles after itself sees the old depth";
    DepthOvertakes "depth-overtakes" "an early quad does not wait for an older one that is tested late";
    DepthPendingTwice "depth-pending-twice" "two quads in a row that are to be tested late at one place count as one";
    DepthLateStores "depth-late-stores" "requested early tests are late if the program has stores";
    DepthFurther "depth-further" "what the late tests take away is there again for the second target";
    StencilClamp "stencil-clamp" "the clamped increment of the stencil value wraps";
    StencilWriteMask "stencil-write-mask" "bits outside the stencil's write mask become 0";
    StencilReadMask "stencil-read-mask" "the stencil's reference is not masked";
    StencilDepthFail "stencil-depth-fail" "the operation for both passing is done if depth fails";
    StencilFront "stencil-front" "backs are tested with the stencil state of fronts";
    // Collector.
    CollectorDrop "collector-drop" "a quad whose first sample is not covered is dropped";
    CollectorStale "collector-stale" "coverage of a quad stays for the next one";
    CollectorTicket "collector-ticket" "a dropped quad takes a ticket";
    CollectorRoom "collector-room" "tickets are given although all are taken";
    CollectorCloseEarly "collector-close-early" "a tile is closed while quads of it are in the early tests";
    CollectorEnter "collector-enter" "a dropped quad counts as one under way in its tile buffer";
    CollectorEndLost "collector-end-lost" "the end of a triangle is not sent to the result store";
    CollectorBypass "collector-bypass" "quads of contexts without a program are sent to shading";
    CollectorWarps "collector-warps" "samples shaded alone that nothing covers count as warps";
    // The account of a cycle.
    StageCommit "stage-commit" "the event `stage` says of each sample for blending that it waits";
    StageContexts "stage-contexts" "the event `stage` leaves out contexts that geometry names";
    // Result store.
    ResultOrder "result-order" "a quad commits before its warps have ended";
    ResultStale "result-stale" "a word that is not written is that of an older quad";
    ResultSwap "result-swap" "lanes of a warp count as the lanes of their quads";
    ResultMask "result-mask" "the sample mask of programs has no effect";
    ResultDepth "result-depth" "depth of a program replaces that of sample 0 alone";
    ResultHelper "result-helper" "lanes that ended as helpers are still covered";
    ResultAlone "result-alone" "samples shaded alone get the words of sample 0";
    ResultForget "result-forget" "the written flags of a committed quad stay set";
    ResultFree "result-free" "a handle is free when its triangle's end has come";
    ResultEarly "result-early" "a handle is free when its last quad goes to blending, not when that is written";
    ResultLate "result-late" "no quad is marked for late tests";
    ResultTarget "result-target" "a quad commits its last target only for its last sample";
    ResultWaits "result-waits" "a word waits until its quad is the oldest";
}
