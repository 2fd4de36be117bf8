// A lock whose word holds its owner's number, without the lock form: 0 is free, and an exchange or
// a compare-and-exchange of one lane takes it. p.x says what group 1 does with the lock of group 0.
@group(0) @binding(0) var<storage, read_write> owner: array<atomic<u32>>;
@group(0) @binding(1) var<storage, read_write> got: array<u32>;
@group(0) @binding(2) var<uniform> p: vec4<u32>;
@compute @workgroup_size(4)
fn main(@builtin(workgroup_id) g: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    if lane == 0u {
        if p.x == 3u {
            loop {
                let r = atomicCompareExchangeWeak(&owner[0], 0u, g.x + 7u);
                if r.exchanged { break; }
            }
            got[0] = got[0] + 1u;
            atomicStore(&owner[0], 0u);
        } else if g.x == 0u {
            atomicExchange(&owner[0], 7u);
        } else {
            while (atomicLoad(&owner[0]) == 0u) {}
            if p.x == 0u { atomicStore(&owner[0], 0u); }
            if p.x == 1u { atomicExchange(&owner[0], 0u); }
            if p.x == 2u { atomicExchange(&owner[0], 9u); }
            got[0] = 2u;
        }
    }
}
