// Pool of 4 entries. Groups 0-3 hold one semaphore each for a long time; group 4 (if p.on) acquires semaphore 20, for which there is no entry; group 5 then passes semaphore 30, which is empty and needs none.
// Tickets say in which order things came.
struct P { on: u32 }
@group(0) @binding(0) var<uniform> p: P;
@group(0) @binding(1) var<storage, read_write> ticket: atomic<u32>;
@group(0) @binding(2) var<storage, read_write> got: array<u32>;
@compute @workgroup_size(4)
fn main(@builtin(workgroup_id) g: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    var x = g.x;
    var n = 1500u;
    if g.x == 4u { n = 300u; }
    if g.x == 5u { n = 600u; }
    if g.x < 4u {
        semaphoreAcquire(g.x);
        for (var i = 0u; i < n; i++) { x = x * 3u + 1u; }
        got[g.x] = warpAtomicAdd(&ticket, 1u + (x & 0u)) + 1u;
        semaphoreRelease(g.x);
    } else if g.x == 4u {
        if p.on == 1u {
            for (var i = 0u; i < n; i++) { x = x * 3u + 1u; }
            semaphoreAcquire(20u);
            got[g.x] = warpAtomicAdd(&ticket, 1u + (x & 0u)) + 1u;
            semaphoreRelease(20u);
        }
    } else {
        for (var i = 0u; i < n; i++) { x = x * 3u + 1u; }
        semaphoreAcquireRelease(30u);
        got[g.x] = warpAtomicAdd(&ticket, 1u + (x & 0u)) + 1u;
    }
}
