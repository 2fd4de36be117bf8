// Colours of vertices in the light of one lamp, with a little from everywhere.

override ambient: f32 = 0.25;

struct Scene { camera: mat4x4f, light: vec4f }
@group(0) @binding(0) var<uniform> scene: Scene;

struct Varyings {
    @invariant @builtin(position) clip: vec4f,
    @location(0) normal: vec3f,
    @location(1) colour: vec3f,
}

@vertex fn vertex(
    @location(0) position: vec3f,
    @location(1) normal: vec3f,
    @location(3) colour: vec3f,
) -> Varyings {
    return Varyings(scene.camera * vec4f(position, 1.0), normal, colour);
}

@fragment fn fragment(v: Varyings) -> @location(0) vec4f {
    let light = max(dot(normalize(v.normal), normalize(scene.light.xyz)), 0.0);
    return vec4f(v.colour * (ambient + (1.0 - ambient) * light), 1.0);
}
