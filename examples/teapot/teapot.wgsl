// A mesh lit for each pixel: diffuse light from one side, a little from everywhere, a highlight.

struct Scene { camera: mat4x4f, eye: vec4f, light: vec4f }
@group(0) @binding(0) var<uniform> scene: Scene;

struct Varyings {
    @builtin(position) clip: vec4f,
    @location(0) place: vec3f,
    @location(1) normal: vec3f,
}

@vertex fn vertex(@location(0) position: vec3f, @location(1) normal: vec3f) -> Varyings {
    return Varyings(scene.camera * vec4f(position, 1.0), position, normal);
}

@fragment fn fragment(v: Varyings, @builtin(front_facing) front: bool) -> @location(0) vec4f {
    let outwards = normalize(v.normal);
    let normal = select(-outwards, outwards, dot(outwards, scene.eye.xyz - v.place) > 0.0);
    let light = normalize(scene.light.xyz);
    let half_way = normalize(light + normalize(scene.eye.xyz - v.place));
    let diffuse = max(dot(normal, light), 0.0);
    let highlight = pow(max(dot(normal, half_way), 0.0), 40.0);
    let colour = vec3f(0.80, 0.55, 0.32) * (0.18 + 0.75 * diffuse) + vec3f(0.6) * highlight;
    return vec4f(colour, 1.0);
}
