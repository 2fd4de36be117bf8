#version 450
// Light was computed for each corner.

layout(location = 0) in vec3 light;
layout(location = 0) out vec4 colour;

void main() {
    colour = vec4(light, 1.0);
}
