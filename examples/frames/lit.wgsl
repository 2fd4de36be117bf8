// Solid things in the light of a sun, in mist that the distance brings.

struct Frame { camera: mat4x4f, sun: vec4f, mist: vec4f }
struct Thing { model: mat4x4f, colour: vec4f }
@group(0) @binding(0) var<uniform> frame: Frame;
@group(0) @binding(1) var<uniform> thing: Thing;

struct Varyings {
    @invariant @builtin(position) clip: vec4f,
    @location(0) at: vec4f,
    @location(1) normal: vec3f,
}

@vertex fn vertex(@location(0) position: vec3f, @location(1) normal: vec3f) -> Varyings {
    let at = thing.model * vec4f(position, 1.0);
    let clip = frame.camera * at;
    return Varyings(clip, vec4f(at.xyz, clip.w), (thing.model * vec4f(normal, 0.0)).xyz);
}

fn shade(colour: vec3f, v: Varyings) -> vec4f {
    let sun = max(dot(normalize(v.normal), frame.sun.xyz), 0.0);
    let light = frame.sun.w + (1.0 - frame.sun.w) * sun;
    return vec4f(mix(colour * light, frame.mist.rgb, min(v.at.w * frame.mist.w, 0.8)), 1.0);
}

@fragment fn lit(v: Varyings) -> @location(0) vec4f {
    return shade(thing.colour.rgb, v);
}

// Rows of bricks; mortar between them.
@fragment fn brick(v: Varyings) -> @location(0) vec4f {
    let row = floor(v.at.y * 3.0);
    let along = fract((v.at.x + v.at.z) * 1.5 + 0.5 * (row - 2.0 * floor(row * 0.5)));
    let mortar = select(1.0, 1.3, along < 0.08 || fract(v.at.y * 3.0) < 0.14);
    return shade(thing.colour.rgb * mortar, v);
}

// A floor of squares.
@fragment fn tiles(v: Varyings) -> @location(0) vec4f {
    let odd = fract(0.5 * (floor(v.at.x) + floor(v.at.z)));
    return shade(thing.colour.rgb * select(1.0, 0.8, odd > 0.25), v);
}

// One colour, with its alpha.
@fragment fn plain(v: Varyings) -> @location(0) vec4f {
    return thing.colour;
}

// A pane: less is seen through it from the side.
@fragment fn glass(v: Varyings) -> @location(0) vec4f {
    let sun = abs(dot(normalize(v.normal), frame.sun.xyz));
    return vec4f(thing.colour.rgb + 0.25 * sun, thing.colour.a + 0.1 * sun);
}

// A lattice: what is between the bars is not there.
@fragment fn lattice(v: Varyings) -> @location(0) vec4f {
    let bars = fract(vec2f(v.at.x + v.at.z, v.at.y) * 2.0);
    if (bars.x > 0.25 && bars.y > 0.25) { discard; }
    return shade(thing.colour.rgb, v);
}

struct Surface { @location(0) colour: vec4f, @location(1) normal: vec4f }

// Colour and normal into two targets, for a later pass to light.
@fragment fn both(v: Varyings) -> Surface {
    return Surface(thing.colour, vec4f(normalize(v.normal), v.at.w));
}
