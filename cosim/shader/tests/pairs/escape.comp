#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(std430, binding = 0) buffer Steps { uint steps[]; };

void main() {
    uvec3 id = gl_GlobalInvocationID;
    vec2 c = vec2(float(id.x) * 0.15625 - 2.0, float(id.y) * 0.15625 - 1.25);
    vec2 z = vec2(0.0);
    uint n = 0u;
    while (n < 40u) {
        vec2 square = z * z;
        if (square.x + square.y > 4.0) { break; }
        z = vec2(square.x - square.y, 2.0 * z.x * z.y) + c;
        n++;
    }
    steps[id.y * 16u + id.x] = n;
}
