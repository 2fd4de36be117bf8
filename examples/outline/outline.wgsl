// A surface in three steps of light, and the line around it: the same mesh, made thicker.

struct Scene { camera: mat4x4f, thicker: vec4f }
@group(0) @binding(0) var<uniform> scene: Scene;

struct Varyings { @builtin(position) clip: vec4f, @location(0) normal: vec3f }

@vertex fn vertex(@location(0) position: vec3f, @location(1) normal: vec3f) -> Varyings {
    return Varyings(scene.camera * vec4f(position + normal * scene.thicker.x, 1.0), normal);
}

@fragment fn surface(v: Varyings) -> @location(0) vec4f {
    let light = abs(dot(normalize(v.normal), normalize(vec3f(-0.5, 0.8, 0.6))));
    let step = 0.55 + 0.45 * smoothstep(0.2, 0.8, light);
    return vec4f(vec3f(0.35, 0.62, 0.78) * step, 1.0);
}

@fragment fn line() -> @location(0) vec4f {
    return vec4f(0.08, 0.09, 0.12, 1.0);
}
