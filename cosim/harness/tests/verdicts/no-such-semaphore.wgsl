// What may be wrong with a semaphore, by p.what.
struct P { what: u32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read_write> cell: array<u32>;
@compute @workgroup_size(4)
fn main(@builtin(workgroup_id) g: vec3<u32>) {
    if p.what == 0u { semaphoreAcquire(64u); cell[g.x] = 1u; }
    if p.what == 1u { semaphoreAcquire(5u); cell[g.x] = 1u; semaphoreRelease(5u); semaphoreRelease(5u); }
    if p.what == 2u { semaphoreRelease(7u); cell[g.x] = 1u; }
    if p.what == 3u { semaphoreAcquire(5u + g.x); cell[g.x] = 1u; }
    if p.what == 4u { semaphoreRelease(70000u); cell[g.x] = 1u; }
    if p.what == 5u { semaphoreAcquireRelease(3u); cell[g.x] = 1u; semaphoreRelease(3u); }
    if p.what == 6u { semaphoreWait(); cell[g.x] = 1u; }
}
