// Blocks of a city, many in one draw: place, size and colour are those of the instance.

struct Frame { camera: mat4x4f, sun: vec4f, mist: vec4f }
@group(0) @binding(0) var<uniform> frame: Frame;

struct Varyings {
    @builtin(position) clip: vec4f,
    @location(0) at: vec4f,
    @location(1) @interpolate(flat) normal: vec3f,
    @location(2) @interpolate(flat) colour: vec3f,
}

@vertex fn vertex(
    @location(0) position: vec3f,
    @location(1) normal: vec3f,
    @location(4) place: vec3f,
    @location(5) size: vec3f,
    @location(6) colour: vec3f,
) -> Varyings {
    let at = position * size + place;
    let clip = frame.camera * vec4f(at, 1.0);
    return Varyings(clip, vec4f(at, clip.w), normal, colour);
}

@fragment fn fragment(v: Varyings) -> @location(0) vec4f {
    let light = frame.sun.w + (1.0 - frame.sun.w) * max(dot(v.normal, frame.sun.xyz), 0.0);
    return vec4f(mix(v.colour * light, frame.mist.rgb, min(v.at.w * frame.mist.w, 0.8)), 1.0);
}

// The same with floors of windows.
@fragment fn windows(v: Varyings) -> @location(0) vec4f {
    let light = frame.sun.w + (1.0 - frame.sun.w) * max(dot(v.normal, frame.sun.xyz), 0.0);
    let row = fract(v.at.y * 1.2) > 0.5 && v.normal.y < 0.5;
    let dark = row && fract((v.at.x + v.at.z) * 1.5) > 0.5;
    let colour = select(v.colour, v.colour * 0.45, dark);
    return vec4f(mix(colour * light, frame.mist.rgb, min(v.at.w * frame.mist.w, 0.8)), 1.0);
}
