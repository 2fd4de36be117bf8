#version 450
// Things of the harbour: matrix, colour and sun are push constants.

layout(push_constant) uniform Push { mat4 camera; vec4 colour; vec4 sun; } push;

layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 0) out vec3 light;

void main() {
    float sun = max(dot(normal, push.sun.xyz), 0.0);
    light = push.colour.rgb * (push.sun.w + (1.0 - push.sun.w) * sun);
    gl_Position = push.camera * vec4(position, 1.0);
}
