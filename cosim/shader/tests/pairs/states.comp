#version 450
layout(local_size_x = 16) in;
layout(std430, binding = 0) readonly buffer Code { uint code[]; };
layout(std430, binding = 1) buffer Result { uint result[]; };

uint firstLarge(uint start) {
    for (uint k = 0u; k < 4u; k++) {
        if (code[start + k] > 0x80000000u) { return k; }
    }
    return 4u;
}

void main() {
    uint id = gl_GlobalInvocationID.x;
    uint word = code[id];
    uint value = bitfieldExtract(word, 4, 9);
    switch (word & 7u) {
        case 0u: value = value / 7u; break;
        case 1u:
        case 2u: value = value % 10u + uint(findMSB(word)); break;
        case 3u: value = bitfieldReverse(value) ^ word; break;
        case 5u:
            if ((word & 8u) != 0u) { value = uint(bitCount(word)); } else { value = ~value; }
            break;
        default: value = uint(int(word) >> 3u) * 5u; break;
    }
    result[id] = value + firstLarge(id);
}
