//! GLSL's subgroup functions and built-in variables, which naga's GLSL front end lacks
//! (docs/warp-wide.md): the ones that a text names are declared to it as ordinary functions and
//! found by name; a built-in variable becomes a call of such a function ([`super::rewrite`]). The
//! lowering of the calls is [`crate::front::lower::subgroups`].

use super::edit::{blank_comments, mentions};
use naga::{CollectiveOperation as Collect, SubgroupOperation as Operation};
use quadlock_isa::Op;

/// A function of GLSL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    Elect,
    Collective(Operation, Collect),
    /// The size of a cluster is the second argument.
    Clustered(Operation),
    AllEqual,
    BroadcastFirst,
    /// The lane is the second argument.
    Lane,
    /// The distance from the own lane is the second argument.
    Relative(Op),
    Swap(u32),
    Ballot,
    InverseBallot,
    BallotBit,
    BallotCount(Collect),
    BallotEnd(Op),
    Barrier,
    LaneNumber,
    Number,
    Count,
    /// Comparison of other lanes' numbers with the own one.
    Mask(Op),
}

/// Name, what it is, its types: the value's (f, i, u, b: scalar and vectors of it) or that of a
/// fixed signature.
const FUNCTIONS: &[(&str, Call, &str)] = &[
    ("subgroupElect", Call::Elect, "bool ()"),
    ("subgroupAll", Call::Collective(Operation::All, Collect::Reduce), "bool (bool v)"),
    ("subgroupAny", Call::Collective(Operation::Any, Collect::Reduce), "bool (bool v)"),
    ("subgroupAllEqual", Call::AllEqual, "=fiub"),
    ("subgroupAdd", Call::Collective(Operation::Add, Collect::Reduce), "fiu"),
    ("subgroupMul", Call::Collective(Operation::Mul, Collect::Reduce), "fiu"),
    ("subgroupMin", Call::Collective(Operation::Min, Collect::Reduce), "fiu"),
    ("subgroupMax", Call::Collective(Operation::Max, Collect::Reduce), "fiu"),
    ("subgroupAnd", Call::Collective(Operation::And, Collect::Reduce), "iub"),
    ("subgroupOr", Call::Collective(Operation::Or, Collect::Reduce), "iub"),
    ("subgroupXor", Call::Collective(Operation::Xor, Collect::Reduce), "iub"),
    ("subgroupInclusiveAdd", Call::Collective(Operation::Add, Collect::InclusiveScan), "fiu"),
    ("subgroupInclusiveMul", Call::Collective(Operation::Mul, Collect::InclusiveScan), "fiu"),
    ("subgroupInclusiveMin", Call::Collective(Operation::Min, Collect::InclusiveScan), "fiu"),
    ("subgroupInclusiveMax", Call::Collective(Operation::Max, Collect::InclusiveScan), "fiu"),
    ("subgroupInclusiveAnd", Call::Collective(Operation::And, Collect::InclusiveScan), "iub"),
    ("subgroupInclusiveOr", Call::Collective(Operation::Or, Collect::InclusiveScan), "iub"),
    ("subgroupInclusiveXor", Call::Collective(Operation::Xor, Collect::InclusiveScan), "iub"),
    ("subgroupExclusiveAdd", Call::Collective(Operation::Add, Collect::ExclusiveScan), "fiu"),
    ("subgroupExclusiveMul", Call::Collective(Operation::Mul, Collect::ExclusiveScan), "fiu"),
    ("subgroupExclusiveMin", Call::Collective(Operation::Min, Collect::ExclusiveScan), "fiu"),
    ("subgroupExclusiveMax", Call::Collective(Operation::Max, Collect::ExclusiveScan), "fiu"),
    ("subgroupExclusiveAnd", Call::Collective(Operation::And, Collect::ExclusiveScan), "iub"),
    ("subgroupExclusiveOr", Call::Collective(Operation::Or, Collect::ExclusiveScan), "iub"),
    ("subgroupExclusiveXor", Call::Collective(Operation::Xor, Collect::ExclusiveScan), "iub"),
    ("subgroupClusteredAdd", Call::Clustered(Operation::Add), "+fiu"),
    ("subgroupClusteredMul", Call::Clustered(Operation::Mul), "+fiu"),
    ("subgroupClusteredMin", Call::Clustered(Operation::Min), "+fiu"),
    ("subgroupClusteredMax", Call::Clustered(Operation::Max), "+fiu"),
    ("subgroupClusteredAnd", Call::Clustered(Operation::And), "+iub"),
    ("subgroupClusteredOr", Call::Clustered(Operation::Or), "+iub"),
    ("subgroupClusteredXor", Call::Clustered(Operation::Xor), "+iub"),
    ("subgroupBroadcastFirst", Call::BroadcastFirst, "fiub"),
    ("subgroupBroadcast", Call::Lane, "+fiub"),
    ("subgroupShuffle", Call::Lane, "+fiub"),
    ("subgroupShuffleXor", Call::Relative(Op::Xor), "+fiub"),
    ("subgroupShuffleUp", Call::Relative(Op::ISub), "+fiub"),
    ("subgroupShuffleDown", Call::Relative(Op::IAdd), "+fiub"),
    ("subgroupQuadBroadcast", Call::Lane, "+fiub"),
    ("subgroupQuadSwapHorizontal", Call::Swap(1), "fiub"),
    ("subgroupQuadSwapVertical", Call::Swap(2), "fiub"),
    ("subgroupQuadSwapDiagonal", Call::Swap(3), "fiub"),
    ("subgroupBallot", Call::Ballot, "uvec4 (bool v)"),
    ("subgroupInverseBallot", Call::InverseBallot, "bool (uvec4 v)"),
    ("subgroupBallotBitExtract", Call::BallotBit, "bool (uvec4 v, uint i)"),
    ("subgroupBallotBitCount", Call::BallotCount(Collect::Reduce), "uint (uvec4 v)"),
    ("subgroupBallotInclusiveBitCount", Call::BallotCount(Collect::InclusiveScan), "uint (uvec4 v)"),
    ("subgroupBallotExclusiveBitCount", Call::BallotCount(Collect::ExclusiveScan), "uint (uvec4 v)"),
    ("subgroupBallotFindLSB", Call::BallotEnd(Op::Ctz), "uint (uvec4 v)"),
    ("subgroupBallotFindMSB", Call::BallotEnd(Op::Clz), "uint (uvec4 v)"),
    ("subgroupBarrier", Call::Barrier, "void ()"),
    ("subgroupMemoryBarrier", Call::Barrier, "void ()"),
    ("subgroupMemoryBarrierBuffer", Call::Barrier, "void ()"),
    ("subgroupMemoryBarrierShared", Call::Barrier, "void ()"),
];

/// Built-in variable of GLSL, what is written in its place, the function's name, what it is, its
/// type.
const VARIABLES: &[(&str, &str, &str, Call, &str)] = &[
    ("gl_SubgroupInvocationID", "subgroupLane_()", "subgroupLane_", Call::LaneNumber, "uint ()"),
    ("gl_SubgroupID", "subgroupNumber_()", "subgroupNumber_", Call::Number, "uint ()"),
    ("gl_NumSubgroups", "subgroupCount_()", "subgroupCount_", Call::Count, "uint ()"),
    ("gl_SubgroupEqMask", "subgroupEq_()", "subgroupEq_", Call::Mask(Op::ISetEq), "uvec4 ()"),
    ("gl_SubgroupGeMask", "subgroupGe_()", "subgroupGe_", Call::Mask(Op::USetGe), "uvec4 ()"),
    ("gl_SubgroupGtMask", "subgroupGt_()", "subgroupGt_", Call::Mask(Op::USetGt), "uvec4 ()"),
    ("gl_SubgroupLeMask", "subgroupLe_()", "subgroupLe_", Call::Mask(Op::USetLe), "uvec4 ()"),
    ("gl_SubgroupLtMask", "subgroupLt_()", "subgroupLt_", Call::Mask(Op::USetLt), "uvec4 ()"),
];

/// What stands for a built-in variable of GLSL.
pub fn glsl_variable(name: &str) -> Option<&'static str> {
    if name == "gl_SubgroupSize" {
        return Some("4u");
    }
    VARIABLES.iter().find(|v| v.0 == name).map(|v| v.1)
}

/// The function of that name, or the one that stands for a built-in variable.
pub fn by_name(name: &str) -> Option<Call> {
    let function = FUNCTIONS.iter().find(|f| f.0 == name).map(|f| f.1);
    function.or_else(|| VARIABLES.iter().find(|v| v.2 == name).map(|v| v.3))
}

/// Whether GLSL has a function of the subgroup by that name.
pub fn is_function(name: &str) -> bool {
    FUNCTIONS.iter().any(|f| f.0 == name)
}

/// The declarations that a GLSL text needs.
pub fn declare_glsl(text: &str) -> String {
    if !text.contains("ubgroup") {
        return String::new();
    }
    let plain = blank_comments(text);
    let functions = FUNCTIONS.iter().map(|&(name, _, types)| (name, name, types));
    let all = functions.chain(VARIABLES.iter().map(|&(name, _, function, _, types)| (name, function, types)));
    all.filter(|(name, ..)| mentions(&plain, name)).map(|(_, function, types)| declaration(function, types)).collect()
}

fn declaration(name: &str, types: &str) -> String {
    if let Some((result, parameters)) = types.split_once(' ') {
        let value = match result {
            "void" => "",
            "bool" => "return false;",
            "uvec4" => "return uvec4(0u);",
            _ => "return 0u;",
        };
        return format!("{result} {name}{parameters} {{ {value} }} ");
    }
    let mut out = String::new();
    // naga does not choose among functions that all need the lane's number converted.
    let seconds: &[&str] = if types.contains('+') { &[", uint i", ", int i"] } else { &[""] };
    let vote = types.contains('=');
    for (letter, scalar, prefix) in [('f', "float", ""), ('i', "int", "i"), ('u', "uint", "u"), ('b', "bool", "b")] {
        let vectors = (2..=4).map(|n| format!("{prefix}vec{n}"));
        for ty in std::iter::once(scalar.to_string()).chain(vectors).filter(|_| types.contains(letter)) {
            let (result, value) = if vote { ("bool", "false") } else { (ty.as_str(), "v") };
            for second in seconds {
                out += &format!("{result} {name}({ty} v{second}) {{ return {value}; }} ");
            }
        }
    }
    out
}
