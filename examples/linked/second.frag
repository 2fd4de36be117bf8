#version 450
// A second fragment program for linked.vert: it reads what the first one does not (LP-20). Linked
// with both, the vertex program has to keep varying5.
layout(location = 5) in float varying5;

layout(location = 0) out vec4 result;

void main() {
    result = vec4(varying5, 1.0 - varying5, 0.0, 1.0);
}
