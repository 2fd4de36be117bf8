// Build of a hash table with open addressing: keys go in by compare-and-exchange, in the first free slot from their hash on. One key in twenty is put in twice, the second must be found.
// Two counters that all threads share, of keys and of the slots that they passed, are ordinary atomics on one word: the compiler makes them operations of the warp (WW-41). The
// compare-and-exchange stays per lane, each has its own slot (WW-42).
// Which key is in which slot depends on the order. Which slots are taken does not, nor does the number of slots passed: in linear probing they are the same for every order of insertion.

struct Params {
    keys: u32,          // different keys, none 0
    insertions: u32,    // those behind the keys begin at the first key again
    shift: u32,         // 32 - log2 of the table's size
}

struct Counters {
    inserted: atomic<u32>,
    passed: atomic<u32>,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> keys: array<u32>;
@group(0) @binding(2) var<storage, read_write> table: array<atomic<u32>>;
@group(0) @binding(3) var<storage, read_write> taken: array<u32>;      // 1: the slot has a key
@group(0) @binding(4) var<storage, read_write> counters: Counters;

@compute @workgroup_size(32)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x >= params.insertions) {
        return;
    }
    let key = keys[select(id.x, id.x - params.keys, id.x >= params.keys)];
    let mask = (1u << (32u - params.shift)) - 1u;
    let home = (key * 2654435769u) >> params.shift;
    var passed = 0u;
    var found = key;
    loop {
        found = atomicLoad(&table[(home + passed) & mask]);
        if (found == 0u) {
            found = atomicCompareExchangeWeak(&table[(home + passed) & mask], 0u, key).old_value;
        }
        if (found == 0u || found == key) {
            break;
        }
        passed++;
    }
    let inserted = found == 0u;
    if (inserted) {
        taken[(home + passed) & mask] = 1u;
    }
    atomicAdd(&counters.inserted, select(0u, 1u, inserted));
    atomicAdd(&counters.passed, select(0u, passed, inserted));
}
