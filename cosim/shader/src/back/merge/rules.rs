//! What a merge point does on the machine that a program is compiled for. It stands beside the
//! passes that go by it, and is wrong where it differs from the machine's build parameters.

use quadlock_isa::abi::PrivateSet;

/// What the machine does at a merge point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MergeRules {
    /// The private registers of a merged warp (MS-22).
    pub private: PrivateSet,
    /// Helpers end at the point in every warp (MS-35): no instruction has to end them.
    pub helpers_end: bool,
}

impl From<PrivateSet> for MergeRules {
    fn from(private: PrivateSet) -> Self {
        MergeRules { private, helpers_end: false }
    }
}
