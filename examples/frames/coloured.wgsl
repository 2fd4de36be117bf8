// Meshes with colours of vertices, in the light of a sun.

struct Frame { camera: mat4x4f, sun: vec4f, mist: vec4f }
struct Thing { model: mat4x4f, colour: vec4f }
@group(0) @binding(0) var<uniform> frame: Frame;
@group(0) @binding(1) var<uniform> thing: Thing;

struct Varyings {
    @builtin(position) clip: vec4f,
    @location(0) colour: vec3f,
    @location(1) normal: vec3f,
}

@vertex fn vertex(
    @location(0) position: vec3f,
    @location(1) normal: vec3f,
    @location(3) colour: vec4f,
) -> Varyings {
    let clip = frame.camera * (thing.model * vec4f(position, 1.0));
    let mixed = mix(colour.rgb, thing.colour.rgb, thing.colour.a);
    return Varyings(clip, mixed, (thing.model * vec4f(normal, 0.0)).xyz);
}

@fragment fn fragment(v: Varyings) -> @location(0) vec4f {
    let sun = max(dot(normalize(v.normal), frame.sun.xyz), 0.0);
    return vec4f(v.colour * (frame.sun.w + (1.0 - frame.sun.w) * sun), 1.0);
}
