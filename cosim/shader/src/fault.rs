//! Planted faults of the compiler, for the must-fail tests: each is a mistake that a pass or the
//! back end makes on purpose when its option is set, and that a checker has to find. Without the
//! option nothing changes.

macro_rules! faults { ($($n:ident $name:literal $doc:literal;)*) => {
    /// A planted fault.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum CompilerFault { $( #[doc = $doc] $n, )* }
    impl CompilerFault {
        /// It shows only in programs of vertices and fragments.
        pub fn is_of_graphics(self) -> bool { self as u8 >= Self::AttributeSign as u8 && (self as u8) < Self::LinkOnce as u8 }
        /// It shows only in programs that are linked.
        pub fn is_of_linking(self) -> bool { self as u8 >= Self::LinkOnce as u8 && self as u8 <= Self::VariantStale as u8 }
        /// It shows only in the position part of a program of vertices.
        pub fn is_of_position(self) -> bool { matches!(self, Self::PositionSplitsFma | Self::PositionFusesByUse) }
        /// It shows only in what the compiler says of a program.
        pub fn is_of_report(self) -> bool { self == Self::FuseSites }
        /// It shows only in programs with a merge point.
        pub fn is_of_merging(self) -> bool { self as u8 >= Self::MergePrivateLive as u8 && !self.is_of_splitting() && !self.is_of_both() }
        /// It shows only in programs with a split point.
        pub fn is_of_splitting(self) -> bool { self as u8 >= Self::SplitTooLate as u8 && self != Self::BothOrder }
        /// It shows only in programs with both.
        pub fn is_of_both(self) -> bool { self == Self::BothOrder }
        /// (fault, name on the command line, what is wrong).
        pub const ALL: &'static [(CompilerFault, &'static str, &'static str)] = &[ $( (CompilerFault::$n, $name, $doc), )* ];
        /// The fault of that command-line name.
        pub fn by_name(name: &str) -> Option<CompilerFault> { Self::ALL.iter().find(|f| f.1 == name).map(|f| f.0) }
        /// Its command-line name.
        pub fn name(self) -> &'static str { Self::ALL.iter().find(|f| f.0 == self).map_or("", |f| f.1) }
    }
} }

faults! {
    // Passes.
    FoldSub "fold-sub" "constant folding takes 0 - x for x";
    CseLoadAcrossStore "cse-load-across-store" "value numbering takes two loads of one address for equal whatever was stored between them";
    DceDropsStore "dce-drops-store" "dead-code elimination drops a store whose address is used nowhere else";
    Mem2RegWrongPhi "mem2reg-wrong-phi" "mem2reg passes the value from before the branch to a merge with two or more parameters";
    FuseExact "fuse-exact" "fusion takes in operations that are exact";
    FuseSites "fuse-sites" "fusion does not record one of its sites";
    GvnStaleJoin "gvn-stale-join" "global value numbering takes the memory state after a join for that of its first predecessor";
    PreStaleWay "pre-stale-way" "partial redundancy elimination takes memory at the end of a way for that at its start";
    DeadStoresCopy "dead-stores-copy" "dead-store elimination does not count a load whose words are only stored, wherever they go";
    DeadLoopsStore "dead-loops-store" "a loop that only stores counts as one that does nothing";
    StrengthOverlap "strength-overlap" "words that have bits in common are put together by a sum";
    EarlyAcrossStore "early-across-store" "a load moves up to an earlier block whatever is stored between";
    // Back end.
    SpillSlotClash "spill-slot-clash" "two spilled values share a stack word";
    WrongBranchLayout "wrong-branch-layout" "a conditional branch whose first target follows is not inverted";
    SplitRangeStale "split-range-stale" "a value that a loop writes again is not stored again; a reload reads the earlier value";
    OrderAlias "order-alias" "of two accesses with one address register the order counts for nothing";
    GroupClobber "group-clobber" "a value of a load group is copied from its neighbour's register";
    // Stages of graphics.
    AttributeSign "attribute-sign" "normalised bytes with sign are read as without one";
    AttributeInteger "attribute-integer" "signed integers of attributes are not sign-extended";
    VaryingCorner "varying-corner" "a varying takes the second corner's value at the third one";
    VaryingLinear "varying-linear" "a linear varying is interpolated in perspective";
    PositionCorner "position-corner" "position is that of the pixel's corner";
    OutputOrder "output-order" "red and green of a colour change places";
    DepthRange "depth-range" "depth of a program is not held in the viewport's range";
    DepthScale "depth-scale" "depth of a program has half its value";
    MaskLost "mask-lost" "the sample mask of a program is not given away";
    AlphaMask "alpha-mask" "alpha to coverage keeps a sample more";
    DemoteLost "demote-lost" "discard does nothing";
    // Linking.
    LinkOnce "link-once" "linking stops after the first iteration";
    LinkOtherArm "link-other-arm" "linking decides a branch against its uniform";
    LinkScale "link-scale" "the reader of an output that is a multiple divides by the factor";
    LinkOneSite "link-one-site" "an output is what the first of the places says that give it";
    LinkFlatBranch "link-flat-branch" "an output is flat although the branch before it hangs on the vertex";
    LinkFlatInput "link-flat-input" "an output is flat although it hangs on what the program before gives";
    LinkLoopFirst "link-loop-first" "a value that a loop changes is the uniform that it is before the loop";
    LinkLinear "link-linear" "linking loses the perspective of inputs whatever w is";
    LinkSign "link-sign" "a sign that goes over to a uniform is lost";
    VariantStale "variant-stale" "a draw gets a variant whose assumptions do not hold for its uniforms";
    // Position part.
    PositionSplitsFma "position-splits-fma" "a multiply-add of the position part is a multiplication and an addition";
    PositionFusesByUse "position-fuses-by-use" "what the position depends on is fused by who else reads its products";
    // Merge points.
    MergePrivateLive "merge-private-live" "a value that lives across the merge point stays in a private register";
    MergePublicHelper "merge-public-helper" "a value that helpers need is in a public register";
    MergeTooEarly "merge-too-early" "the merge point is placed before the last operation that needs helpers";
    MergeInLoop "merge-in-loop" "the merge point is placed in a loop";
    // Options of public and private registers.
    MergeNoPrivate "merge-no-private" "values after the merge point are in private registers, which the merged warp does not have";
    MergeBeyond "merge-beyond" "values before the merge point are in registers that only the merged warp has";
    MergeBitmap "merge-bitmap" "the bitmap says what is public before registers change places";
    // Split points.
    SplitTooLate "split-too-late" "the split point is placed after an operation that is per sample";
    SplitPrivateLive "split-private-live" "a value that lives across the split point stays in a private register";
    SplitPublicWrite "split-public-write" "a register that is written after the split point is public";
    SplitInLoop "split-in-loop" "the split point is placed in a loop";
    BothOrder "both-order" "the merge point of a program that splits is placed after the split point";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_found() {
        for (f, name, _) in CompilerFault::ALL {
            assert_eq!(CompilerFault::by_name(name), Some(*f));
            assert_eq!(f.name(), *name);
        }
        assert_eq!(CompilerFault::by_name("none"), None);
    }
}
