// The lock per lane, reordered: work and unlock stand inside the branch that the winner takes, before the loop goes back. They are at a lower counter than the end of the turn,
// where those that failed wait, so the winner goes first and the loop ends. One lane after the other, but without a deadlock.

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
            var waiting = true;
            while (waiting) {
                if (atomicCompareExchangeWeak(&lock, 0u, 1u).exchanged) {
                    total = total + 1u;
                    atomicStore(&lock, 0u);
                    waiting = false;
                }
            }
        }
    }
}
