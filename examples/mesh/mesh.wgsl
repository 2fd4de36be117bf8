// A surface under a sky: light from above and below, a lamp, and spots from the place itself.

struct Scene { camera: mat4x4f, eye: vec4f }
@group(0) @binding(0) var<uniform> scene: Scene;

struct Varyings {
    @builtin(position) clip: vec4f,
    @location(0) place: vec3f,
    @location(1) normal: vec3f,
}

@vertex fn vertex(@location(0) position: vec3f, @location(1) normal: vec3f) -> Varyings {
    return Varyings(scene.camera * vec4f(position, 1.0), position, normal);
}

@fragment fn fragment(v: Varyings) -> @location(0) vec4f {
    let normal = normalize(v.normal);
    let to_eye = normalize(scene.eye.xyz - v.place);
    let lamp = normalize(vec3f(-0.4, 0.9, -0.5));
    let waves = sin(v.place.x * 9.0) + sin(v.place.y * 7.0 + 1.0) + sin(v.place.z * 8.0 + v.place.x * 3.0);
    let spot = smoothstep(0.9, 1.3, waves);
    let skin = mix(vec3f(0.93, 0.90, 0.86), vec3f(0.28, 0.20, 0.16), spot);
    let sky = mix(vec3f(0.30, 0.26, 0.22), vec3f(0.62, 0.70, 0.80), normal.y * 0.5 + 0.5);
    let direct = max(dot(normal, lamp), 0.0) * 0.55;
    let shine = pow(max(dot(normal, normalize(lamp + to_eye)), 0.0), 24.0) * 0.25;
    return vec4f(skin * (sky + direct) + shine, 1.0);
}
