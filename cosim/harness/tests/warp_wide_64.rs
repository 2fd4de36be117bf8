//! 64-bit warp-wide atomics from source to RTL: one job of eight warps, in lockstep with the model,
//! on every execution and result option and on a machine without the instructions. What the pairs
//! hold afterwards is computed here; that all lanes of a warp got one old value is computed by the
//! shader, and RTL and model compare the values themselves.

use std::path::Path;

use quadlock::job::program::{self, CompilerOptions};
use quadlock::job::{Job, Size};
use quadlock::lockstep::{Options, Quiet};
use quadlock::machine::limits::Limits;
use quadlock::machine::memory::MemoryConfig;
use quadlock::report::Verdict;
use quadlock::simulate;
use quadlock_hdl::config::{GpuConfig, WarpWide, WideResult};

const WARPS: u32 = 8;
/// A line read and a line write for each of nine atomics of each warp.
const TRANSACTIONS: u64 = 2 * 9 * WARPS as u64;

/// Operands of warp g differ from each other's; the lowest active lane's are taken.
const SHADER: &str = "@group(0) @binding(0) var<uniform> work: vec4<u32>;
struct B { pairs: array<vec2<u32>, 7>, own: array<vec2<u32>, 16>, same: array<u32> }
@group(0) @binding(1) var<storage, read_write> b: B;

fn equal(v: vec2<u32>) -> u32 {
    return u32(all(subgroupMin(v) == subgroupMax(v)));
}

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3<u32>) {
    let g = group.x;
    if (((work.x >> lane) & 1u) != 0u) {
        var same = equal(warpAtomicAdd64(&b.pairs[0], vec2(0x90000000u + lane, g)));
        same &= equal(warpAtomicSub64(&b.pairs[1], vec2(0x90000000u + lane, g)));
        same &= equal(warpAtomicOr64(&b.pairs[2], vec2(1u << g, 256u << g)));
        same &= equal(warpAtomicXor64(&b.pairs[3], vec2(g * 0x9E3779B9u, ~g)));
        same &= equal(warpAtomicAnd64(&b.pairs[4], vec2(~(1u << g), ~(2u << g))));
        same &= equal(warpAtomicMinI64(&b.pairs[5], vec2(g, 0u - g)));
        same &= equal(warpAtomicMaxU64(&b.pairs[6], vec2(g, 0u - g)));
        same &= equal(warpAtomicExchange64(&b.own[2u * g], vec2(g + lane, 7u)));
        same &= equal(warpAtomicCompareExchange64(&b.own[2u * g + 1u], vec2(g & ~1u, g), vec2(100u + lane, g)));
        b.same[4u * g + lane] = same;
    }
}";

fn words(pairs: &[u64]) -> Vec<u32> {
    pairs.iter().flat_map(|p| [*p as u32, (*p >> 32) as u32]).collect()
}

fn pair(low: u32, high: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

/// The buffer before.
fn before() -> Vec<u32> {
    let mut pairs = vec![0xFFFF_FFFF_FFFF_FF00, 0, 3, 9, u64::MAX, 5, 5];
    // The second pair of an even warp is what it expects, of an odd warp its low word is one more.
    pairs.extend((0..WARPS).flat_map(|g| [pair(5, 6), pair(g, g)]));
    [words(&pairs), vec![0; 4 * WARPS as usize]].concat()
}

/// The buffer after a run with these lanes.
fn after(lanes: u32) -> Vec<u32> {
    let lead = lanes.trailing_zeros();
    let [mut sum, mut less, mut or, mut xor, mut and, mut min, mut max] =
        [0xFFFF_FFFF_FFFF_FF00u64, 0, 3, 9, u64::MAX, 5, 5];
    let mut own = vec![];
    for g in 0..WARPS {
        sum = sum.wrapping_add(pair(0x9000_0000 + lead, g));
        less = less.wrapping_sub(pair(0x9000_0000 + lead, g));
        or |= pair(1 << g, 256 << g);
        xor ^= pair(g.wrapping_mul(0x9E37_79B9), !g);
        and &= pair(!(1 << g), !(2 << g));
        min = (min as i64).min(pair(g, g.wrapping_neg()) as i64) as u64;
        max = max.max(pair(g, g.wrapping_neg()));
        own.extend([pair(g + lead, 7), if g % 2 == 0 { pair(100 + lead, g) } else { pair(g, g) }]);
    }
    let pairs = [vec![sum, less, or, xor, and, min, max], own].concat();
    let same = (0..4 * WARPS).map(|i| lanes >> (i % 4) & 1);
    words(&pairs).into_iter().chain(same).collect()
}

fn run(directory: &Path, lanes: u32, warp_wide: WarpWide, warp_wide_result: WideResult) -> u64 {
    let list = |words: Vec<u32>| words.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
    let text = format!(
        "name = \"wide-64\"\nshader = \"wide-64.wgsl\"\ngrid = [{WARPS}, 1, 1]
[[uniform]]\nname = \"work\"\nvalues = [{lanes}, 0, 0, 0]
[[buffer]]\nname = \"b\"\nfrom = {{ inline = [{}] }}\nexpect = {{ from = {{ inline = [{}] }} }}\n",
        list(before()),
        list(after(lanes))
    );
    let config = GpuConfig {
        units: 2,
        warps: 4,
        icache_lines: 64,
        shared_words: 256,
        warp_wide,
        warp_wide_result,
        ..GpuConfig::default()
    };
    let options = Options {
        config,
        memory: MemoryConfig { latency: 4, jitter: 3, ..MemoryConfig::default() },
        limits: Limits { cycles: 400_000, idle: 2_000 },
        model: true,
        model_fault: None,
    };
    let compiler = CompilerOptions { warp_wide: warp_wide != WarpWide::Off, ..CompilerOptions::default() };
    let job = Job::parse(&directory.join("wide-64.toml"), text, Size::Whole).unwrap();
    let prepared = job.prepare(&program::of_job(&job, &compiler).unwrap(), &options.config).unwrap();
    let done = simulate::rtl(&prepared.launch, &options, &mut Quiet).unwrap();
    let place = format!("{warp_wide:?}, {warp_wide_result:?}, lanes {lanes:#06b}");
    assert_eq!(done.report.verdict, Verdict::Pass, "{place}:\n{}", done.report.text());
    let wrong = prepared.compare(&done.image);
    assert!(wrong.is_empty(), "{place}: {wrong:?}");
    done.report.atomic_transactions.unwrap_or(0)
}

#[test]
fn every_operation_on_every_option() {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR"));
    std::fs::write(directory.join("wide-64.wgsl"), SHADER).unwrap();
    use WarpWide::*;
    for lanes in [0b1111, 0b0110, 0b1000] {
        for execution in [Representative, Collective, Scalar] {
            for result in [WideResult::PerLane, WideResult::Shared] {
                assert_eq!(run(directory, lanes, execution, result), TRANSACTIONS);
            }
        }
        assert_eq!(run(directory, lanes, Off, WideResult::PerLane), TRANSACTIONS);
    }
}
