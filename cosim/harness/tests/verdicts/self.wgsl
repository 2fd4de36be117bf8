// A thread acquires a semaphore that it owns.
@group(0) @binding(0) var<storage, read_write> cell: array<u32>;
@compute @workgroup_size(4)
fn main(@builtin(workgroup_id) g: vec3<u32>) {
    let a = (g.x * 40503u) % 4u;
    let b = (g.x * 40503u + 4u) % 4u;
    semaphoreAcquire(a);
    semaphoreAcquire(b);
    cell[0] = 1u;
    semaphoreRelease(b);
    semaphoreRelease(a);
}
