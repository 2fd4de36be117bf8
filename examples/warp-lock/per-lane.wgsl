// The spin lock of every text book, one lane at a time: wait for the lock, do the work, give it back. Where two lanes of a warp want the lock it never ends (WW-11): the
// lanes that failed stand at the lower counter, so they are chosen again and again, and the lane that has the lock waits behind the loop.

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
            while (!atomicCompareExchangeWeak(&lock, 0u, 1u).exchanged) {}
            total = total + 1u;
            atomicStore(&lock, 0u);
        }
    }
}
