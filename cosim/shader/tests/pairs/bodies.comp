#version 450
layout(local_size_x = 8) in;
struct Body { vec3 place; float mass; vec3 speed; float spin; };
layout(std430, binding = 0) readonly buffer Bodies { Body bodies[]; };
layout(std430, binding = 1) buffer Forces { vec4 forces[]; };

vec3 pull(Body a, Body b) {
    vec3 d = b.place - a.place;
    float r = dot(d, d) + 0.0625;
    return normalize(d + vec3(0.5)) * (b.mass / r) + cross(a.speed, b.speed) * sqrt(r);
}

void main() {
    uint id = gl_GlobalInvocationID.x;
    Body mine = bodies[id];
    vec3 sum = vec3(0.0);
    for (uint k = 0u; k < 8u; k++) {
        if (k == id) { continue; }
        sum += pull(mine, bodies[k]);
    }
    forces[id] = vec4(clamp(sum, vec3(-8.0), vec3(8.0)), mix(mine.mass, length(sum), 0.25));
}
