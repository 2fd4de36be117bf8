// The ball around the teapot: lit by one light, striped.

@group(0) @binding(0) var<uniform> scene: Scene;

struct Scene { camera: mat4x4f, eye: vec4f, light: vec4f }

struct Varyings {
    @builtin(position) clip: vec4f,
    @location(0) place: vec3f,
    @location(1) normal: vec3f,
}

// The ball has a radius of 24 about the teapot's middle.
@vertex fn vertex(@location(0) position: vec3f) -> Varyings {
    let at = position * 24.0 + vec3f(0.5, -0.6, 0.0);
    return Varyings(scene.camera * vec4f(at, 1.0), at, position);
}

@fragment fn fragment(v: Varyings) -> @location(0) vec4f {
    let light = 0.25 + 0.75 * max(dot(normalize(v.normal), scene.light.xyz), 0.0);
    let stripe = 0.9 + 0.1 * sin(v.place.y);
    return vec4f(vec3f(0.75, 0.55, 0.35) * light * stripe, 1.0);
}
