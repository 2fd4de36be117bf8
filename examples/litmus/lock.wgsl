// Lock, add to a counter by a read and a write, unlock. The lock is an exchange of each lane, or the warp's own. The counter ends as the number of lanes if no
// addition was lost, which proves exclusion.

@group(0) @binding(0) var<storage, read_write> lock: atomic<u32>;
@group(0) @binding(1) var<storage, read_write> counter: atomic<u32>;

fn add(n: u32) {
    atomicStore(&counter, atomicLoad(&counter) + n);
}

// One lane of each work group.
@compute @workgroup_size(1)
fn one_lane_per_lane() {
    while (atomicExchange(&lock, 1u) != 0u) {}
    add(1u);
    atomicStore(&lock, 0u);
}

@compute @workgroup_size(1)
fn one_lane_warp_wide() {
    while (warpLock(&lock) == 0u) {}
    add(1u);
    warpUnlock(&lock);
}

// Two lanes of each work group.
@compute @workgroup_size(2)
fn two_lanes_per_lane() {
    while (atomicExchange(&lock, 1u) != 0u) {}
    add(1u);
    atomicStore(&lock, 0u);
}

@compute @workgroup_size(2)
fn two_lanes_warp_wide() {
    while (warpLock(&lock) == 0u) {}
    add(subgroupAdd(1u));
    warpUnlock(&lock);
}

// Two lanes, and the work stands inside of the loop: it ends only if the compiler sends the lane without the lock past the work before it tries again, and it does not.
@compute @workgroup_size(2)
fn two_lanes_work_inside() {
    var done = false;
    while (!done) {
        if (atomicExchange(&lock, 1u) == 0u) {
            add(1u);
            atomicStore(&lock, 0u);
            done = true;
        }
    }
}

// Two lanes, each in its turn: no two of a warp want the lock at once.
@compute @workgroup_size(2)
fn two_lanes_in_turn(@builtin(local_invocation_index) lane: u32) {
    for (var turn = 0u; turn < 2u; turn++) {
        if (lane == turn) {
            while (atomicExchange(&lock, 1u) != 0u) {}
            add(1u);
            atomicStore(&lock, 0u);
        }
    }
}
