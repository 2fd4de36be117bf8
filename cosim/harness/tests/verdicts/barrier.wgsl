// The first warp waits for a semaphore that it owns itself, the second one at the barrier for the first.
@group(0) @binding(0) var<storage, read_write> cell: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) lane: u32) {
    if lane < 4u { semaphoreAcquire(3u); semaphoreAcquire(3u); }
    workgroupBarrier();
    cell[lane] = 1u;
}
