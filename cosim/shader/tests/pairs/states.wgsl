@group(0) @binding(0) var<storage, read> code: array<u32>;
@group(0) @binding(1) var<storage, read_write> result: array<u32>;

fn first_large(start: u32) -> u32 {
    for (var k = 0u; k < 4u; k++) {
        if (code[start + k] > 0x80000000u) { return k; }
    }
    return 4u;
}

@compute @workgroup_size(16)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let word = code[id.x];
    var value = extractBits(word, 4u, 9u);
    switch (word & 7u) {
        case 0u: { value = value / 7u; }
        case 1u, 2u: { value = value % 10u + firstLeadingBit(word); }
        case 3u: { value = reverseBits(value) ^ word; }
        case 5u: {
            if ((word & 8u) != 0u) { value = countOneBits(word); } else { value = ~value; }
        }
        default: { value = u32(i32(word) >> 3u) * 5u; }
    }
    result[id.x] = value + first_large(id.x);
}
