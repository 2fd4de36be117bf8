// Producer and consumer: the consumer looks at the flag until it is set, then reads the data. Which of the two stands first in the program decides between lanes of one warp
// (lowest counter first, WW-11), which is dispatched first between work groups that do not all fit the machine.

@group(0) @binding(0) var<storage, read_write> flag: atomic<u32>;
@group(0) @binding(1) var<storage, read_write> data: atomic<u32>;
@group(0) @binding(2) var<storage, read_write> seen: array<u32>;

// Lane 0 spins at a lower place of the program than lane 1's stores.
@compute @workgroup_size(2)
fn spinning_first(@builtin(local_invocation_index) lane: u32) {
    if (lane == 0u) {
        while (atomicLoad(&flag) == 0u) {}
        seen[0] = atomicLoad(&data);
    } else {
        atomicStore(&data, 7u);
        atomicStore(&flag, 1u);
    }
}

// The same with the producer's branch before the consumer's.
@compute @workgroup_size(2)
fn producing_first(@builtin(local_invocation_index) lane: u32) {
    if (lane == 1u) {
        atomicStore(&data, 7u);
        atomicStore(&flag, 1u);
    } else {
        while (atomicLoad(&flag) == 0u) {}
        seen[0] = atomicLoad(&data);
    }
}

// Work groups: the last produces, all others wait for it.
@compute @workgroup_size(1)
fn last_group_produces(@builtin(workgroup_id) g: vec3<u32>, @builtin(num_workgroups) n: vec3<u32>) {
    if (g.x + 1u == n.x) {
        atomicStore(&data, 7u);
        atomicStore(&flag, 1u);
        seen[g.x] = 7u;
    } else {
        while (atomicLoad(&flag) == 0u) {}
        seen[g.x] = atomicLoad(&data);
    }
}

// Work groups: the first produces.
@compute @workgroup_size(1)
fn first_group_produces(@builtin(workgroup_id) g: vec3<u32>) {
    if (g.x == 0u) {
        atomicStore(&data, 7u);
        atomicStore(&flag, 1u);
        seen[g.x] = 7u;
    } else {
        while (atomicLoad(&flag) == 0u) {}
        seen[g.x] = atomicLoad(&data);
    }
}
