// Two threads own a semaphore each and acquire the other one.
@group(0) @binding(0) var<storage, read_write> cell: array<u32>;
@compute @workgroup_size(4)
fn main(@builtin(workgroup_id) g: vec3<u32>) {
    let a = g.x & 1u;
    semaphoreAcquire(10u + a);
    var x = g.x;
    for (var i = 0u; i < 200u; i++) { x = x * 3u + 1u; }
    semaphoreAcquire(11u - a);
    cell[g.x] = x | 1u;
    semaphoreRelease(11u - a);
    semaphoreRelease(10u + a);
}
