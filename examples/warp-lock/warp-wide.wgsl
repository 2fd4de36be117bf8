// The same work as per-lane.wgsl with the lock taken once for the warp (WW-22, WW-24): the warp's active lanes have it together, so none of them waits for another.

struct Work {
    lanes: u32,     // bit i: lane i of every warp takes part
    rounds: u32,    // how often each of them adds
}

@group(0) @binding(0) var<uniform> work: Work;
@group(0) @binding(1) var<storage, read_write> lock: atomic<u32>;
@group(0) @binding(2) var<storage, read_write> total: u32;      // not atomic: only who has the lock may touch it

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) lane: u32) {
    if ((work.lanes & (1u << lane)) != 0u) {
        for (var round = 0u; round < work.rounds; round++) {
            while (warpLock(&lock) == 0u) {}
            total = total + subgroupAdd(1u);
            warpUnlock(&lock);
        }
    }
}
