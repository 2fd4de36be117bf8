// Water of which no two samples of a pixel have the same ripples. Light and mist are those of the
// pixel, so a machine that splits shades them once.

struct Frame { camera: mat4x4f, sun: vec4f, mist: vec4f }
struct Thing { model: mat4x4f, colour: vec4f }
@group(0) @binding(0) var<uniform> frame: Frame;
@group(0) @binding(1) var<uniform> thing: Thing;

struct Varyings {
    @invariant @builtin(position) clip: vec4f,
    @location(0) at: vec4f,
    @location(1) normal: vec3f,
    @location(2) @interpolate(perspective, sample) fine: vec2f,
}

@vertex fn vertex(@location(0) position: vec3f, @location(1) normal: vec3f) -> Varyings {
    let at = thing.model * vec4f(position, 1.0);
    let clip = frame.camera * at;
    return Varyings(clip, vec4f(at.xyz, clip.w), (thing.model * vec4f(normal, 0.0)).xyz, at.xz);
}

@fragment fn fragment(v: Varyings) -> @location(0) vec4f {
    let sun = max(dot(normalize(v.normal), frame.sun.xyz), 0.0);
    let light = frame.sun.w + (1.0 - frame.sun.w) * sun;
    let base = mix(thing.colour.rgb * light, frame.mist.rgb, min(v.at.w * frame.mist.w, 0.8));
    let ripples = sin(9.0 * v.fine.x + 4.0 * v.fine.y) * cos(13.0 * v.fine.y);
    return vec4f(base * (0.9 + 0.1 * ripples), 1.0);
}
