#version 450
// The fragment program of the source's example (LP-20). With u1 = 1 its first branch is decided at
// once, and its second one when the vertex program's outputs turn out uniform.
layout(set = 0, binding = 1) uniform Fragment {
    float u1;
    float u2;
    float u3;
    float u4;
    float u5;
};

layout(location = 0) in vec4 vector;
layout(location = 1) in float varying1;
layout(location = 2) in float varying2;
layout(location = 3) in float varying3;
layout(location = 4) in float varying4;

layout(location = 0) out vec4 result;

void main() {
    float t, k;
    if (u1 > 0.0) t = varying3 * (u3 + u4);
    else t = varying4 * (u5 - u1);
    if (varying1 > varying2) k = u2 * u2;
    else k = t * t;
    result = vector * t + vec4(k);
}
