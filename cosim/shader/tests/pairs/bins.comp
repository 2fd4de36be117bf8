#version 450
#extension GL_EXT_null_initializer : enable
#extension GL_KHR_memory_scope_semantics : enable
layout(local_size_x = 32) in;
layout(std430, binding = 0) readonly buffer Values { uint values[]; };
layout(std430, binding = 1) buffer Bins { uint bins[16]; };
shared uint here[16] = {};

void main() {
    uint l = gl_LocalInvocationIndex;
    if (l < 16u) { atomicStore(here[l], 0u, gl_ScopeWorkgroup, 0, 0); }
    barrier();
    atomicAdd(here[(values[gl_GlobalInvocationID.x] >> 4u) & 15u], 1u);
    barrier();
    if (l < 16u) { atomicAdd(bins[l], atomicLoad(here[l], gl_ScopeWorkgroup, 0, 0)); }
}
