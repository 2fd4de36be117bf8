#version 450
#extension GL_EXT_demote_to_helper_invocation : require
layout(location = 0) in vec4 colour;
layout(location = 1) flat in uint number;
layout(binding = 0) buffer Counts { uint counts[64]; };
layout(location = 0) out vec4 c0;
void main() {
    vec4 c = vec4(0.0);
    vec4 place = gl_FragCoord;
    c = colour; atomicAdd(counts[uint(place.x) & 31u], (number & 255u) + 1u);
    atomicMax(counts[32u + (uint(place.y) & 15u)], number); atomicOr(counts[48u], 1u << (uint(place.x) & 31u));
    c0 = c;
}
