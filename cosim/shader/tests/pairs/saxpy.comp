#version 450
layout(local_size_x = 16) in;
layout(binding = 0) uniform Line { float a; float b; uint n; } line;
layout(std430, binding = 1) readonly buffer X { float x[]; };
layout(std430, binding = 2) buffer Y { float y[]; };

void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i >= line.n) { return; }
    y[i] = line.a * x[i] + line.b * y[i];
}
