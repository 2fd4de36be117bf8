//! Warp-wide operations on work-group memory from source to RTL (WW-26): one job, in lockstep with
//! the model, on every execution and result option and on a machine without the instructions. Four
//! warps of a group share a lock, counters and a pair of words. What the words hold afterwards is
//! computed here; that all lanes of a warp got one old value is computed by the shader.

use std::path::Path;

use quadlock::job::program::{self, CompilerOptions};
use quadlock::job::{Job, Size};
use quadlock::lockstep::{Options, Quiet};
use quadlock::machine::limits::Limits;
use quadlock::machine::memory::MemoryConfig;
use quadlock::report::Verdict;
use quadlock::simulate;
use quadlock_hdl::config::{GpuConfig, WarpWide, WideResult};

const GROUPS: u32 = 3;
const WARPS: u32 = 4;
const ROUNDS: u32 = 3;
/// Words of each group in the buffer, before those of its invocations.
const WORDS: u32 = 8;

const SHADER: &str = "@group(0) @binding(0) var<uniform> work: vec4<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;
struct W { lock: atomic<u32>, total: u32, sum: atomic<u32>, low: atomic<i32>, bits: atomic<u32>, first: atomic<u32>, automatic: atomic<u32>, pair: vec2<u32> }
var<workgroup> w: W;

fn equal(v: u32) -> u32 { return u32(subgroupMin(v) == subgroupMax(v)); }

@compute @workgroup_size(16)
fn main(@builtin(local_invocation_index) i: u32, @builtin(workgroup_id) group: vec3<u32>) {
    let g = group.x;
    let warp = i / 4u;
    if (((work.x >> (i % 4u)) & 1u) != 0u) {
        for (var round = 0u; round < work.y; round++) {
            while (warpLock(&w.lock) == 0u) {}
            w.total = w.total + subgroupAdd(1u);
            warpUnlock(&w.lock);
        }
        var same = equal(warpAtomicAdd(&w.sum, i + g));
        same &= equal(u32(warpAtomicMin(&w.low, -5 - i32(i))));
        same &= equal(warpAtomicOr(&w.bits, 1u << i));
        same &= equal(warpAtomicCompareExchange(&w.first, 0u, 9u));
        let old = warpAtomicAdd64(&w.pair, vec2(0xC0000000u + i, g));
        same &= equal(old.x) & equal(old.y);
        atomicAdd(&w.automatic, i);
        out[GROUP + i] = same;
    }
    workgroupBarrier();
    if (i == 0u) {
        let at = WORDS * g;
        out[at] = w.total;
        out[at + 1u] = atomicLoad(&w.sum);
        out[at + 2u] = u32(atomicLoad(&w.low));
        out[at + 3u] = atomicLoad(&w.bits);
        out[at + 4u] = atomicLoad(&w.first);
        out[at + 5u] = atomicLoad(&w.automatic);
        out[at + 6u] = w.pair.x;
        out[at + 7u] = w.pair.y;
    }
}";

fn shader() -> String {
    SHADER.replace("GROUP", &format!("{}u + 16u * g", WORDS * GROUPS)).replace("WORDS", &format!("{WORDS}u"))
}

/// The buffer after a run with these lanes of each warp.
fn after(lanes: u32) -> Vec<u32> {
    let lead = lanes.trailing_zeros();
    let invocations: Vec<u32> = (0..4 * WARPS).filter(|i| lanes >> (i % 4) & 1 == 1).collect();
    let leaders: Vec<u32> = (0..WARPS).map(|warp| 4 * warp + lead).collect();
    let mut words = vec![];
    for g in 0..GROUPS {
        let pair = leaders.iter().fold(0u64, |sum, i| sum + (u64::from(g) << 32 | u64::from(0xC000_0000 + i)));
        words.extend([
            invocations.len() as u32 * ROUNDS,
            leaders.iter().map(|i| i + g).sum(),
            (-5 - leaders[3] as i32) as u32,
            leaders.iter().map(|i| 1 << i).sum(),
            9,
            invocations.iter().sum(),
            pair as u32,
            (pair >> 32) as u32,
        ]);
    }
    words.extend((0..GROUPS * 4 * WARPS).map(|i| lanes >> (i % 4) & 1));
    words
}

fn run(directory: &Path, lanes: u32, warp_wide: WarpWide, warp_wide_result: WideResult) -> u64 {
    let expected = after(lanes);
    let list = expected.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
    let text = format!(
        "name = \"wide-shared\"\nshader = \"wide-shared.wgsl\"\ngrid = [{GROUPS}, 1, 1]
[[uniform]]\nname = \"work\"\nvalues = [{lanes}, {ROUNDS}, 0, 0]
[[buffer]]\nname = \"out\"\nfrom = {{ zero = {} }}\nexpect = {{ from = {{ inline = [{list}] }} }}\n",
        4 * expected.len()
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
    let job = Job::parse(&directory.join("wide-shared.toml"), text, Size::Whole).unwrap();
    let prepared = job.prepare(&program::of_job(&job, &compiler).unwrap(), &options.config).unwrap();
    let done = simulate::rtl(&prepared.launch, &options, &mut Quiet).unwrap();
    let place = format!("{warp_wide:?}, {warp_wide_result:?}, lanes {lanes:#06b}");
    assert_eq!(done.report.verdict, Verdict::Pass, "{place}:\n{}", done.report.text());
    let wrong = prepared.compare(&done.image);
    assert!(wrong.is_empty(), "{place}: {wrong:?}");
    // Shared storage is not at the memory port.
    assert_eq!(done.report.atomic_transactions, Some(0), "{place}");
    done.report.atomics.unwrap_or(0)
}

#[test]
fn ww26_every_option_gives_the_same_on_work_group_memory() {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR"));
    std::fs::write(directory.join("wide-shared.wgsl"), shader()).unwrap();
    use WarpWide::*;
    for lanes in [0b1111, 0b0110] {
        for execution in [Representative, Collective, Scalar] {
            for result in [WideResult::PerLane, WideResult::Shared] {
                assert!(run(directory, lanes, execution, result) > 0);
            }
        }
        run(directory, lanes, Off, WideResult::PerLane);
    }
}
