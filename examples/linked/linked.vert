#version 450
// The vertex program of the source's example (LP-20). With a = 2, b = 1, c = 1 linking leaves the
// position, one product and the colour of it.
layout(set = 0, binding = 0) uniform Vertex {
    mat4 mvp;
    float a;
    float b;
    float c;
};

layout(location = 0) in vec4 position;
layout(location = 1) in float weight; // only for varying4
layout(location = 2) in vec4 colour;

layout(location = 0) out vec4 vector;
layout(location = 1) out float varying1;
layout(location = 2) out float varying2;
layout(location = 3) out float varying3;
layout(location = 4) out float varying4;
layout(location = 5) out float varying5;

void main() {
    gl_Position = mvp * position;         // 4 operations
    vector = colour;                      // 1
    varying1 = a + b;                     // 1
    varying2 = c;                         // 1
    varying3 = position.z * colour.w;     // 1
    varying4 = weight * a;                // 1
    varying5 = position.x * position.y;   // 1, nobody reads it
}
