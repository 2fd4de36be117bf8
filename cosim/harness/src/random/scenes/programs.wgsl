// Programs of random scenes. Which of them a draw has is in the scene file.

struct V {
    @builtin(position) place: vec4f,
    @location(0) colour: vec4f,
    @location(1) @interpolate(flat) number: u32,
    @location(2) @interpolate(linear) even: vec2f,
}

// Positions are clip coordinates. Each instance is a bit beside the one before.
@vertex fn plain(@location(0) position: vec4f, @location(1) colour: vec4f, @builtin(vertex_index) v: u32,
                 @builtin(instance_index) i: u32) -> V {
    let moved = position + vec4f(f32(i) * 0.11 * position.w, 0.0, 0.0, 0.0);
    return V(moved, colour, v * 37u + i * 101u, moved.xy * 0.25);
}

// Beyond the floats: infinite, and not a number where a coordinate is 0.
@vertex fn endless(@location(0) position: vec4f, @location(1) colour: vec4f, @builtin(vertex_index) v: u32) -> V {
    let far = select(1.0, 3e38, v % 5u == 4u);
    return V(position * far * far, colour, v, position.xy);
}

@fragment fn colours(v: V) -> @location(0) vec4f { return v.colour; }

// Of every kind of varying.
@fragment fn mixture(v: V) -> @location(0) vec4f {
    return vec4f(v.colour.rg, f32(v.number & 63u) / 63.0, fract(v.even.x + v.even.y));
}

@fragment fn constant() -> @location(0) vec4f { return vec4f(0.25, 0.5, 0.75, 0.5); }

@fragment fn beyond(v: V) -> @location(0) vec4f { return v.colour * 3.0 - 1.0; }

@fragment fn flats(v: V) -> @location(0) vec4f {
    return vec4f(f32(v.number & 255u) / 255.0, f32(v.number >> 8u) / 7.0, v.colour.b, 1.0);
}

@fragment fn linears(v: V) -> @location(0) vec4f { return vec4f(fract(v.even), v.colour.ga); }

@fragment fn places(v: V) -> @location(0) vec4f { return vec4f(v.place.xy / 64.0, v.place.z, fract(v.place.w)); }

@fragment fn discards(v: V) -> @location(0) vec4f {
    let wide = fwidth(v.colour.r);
    if ((u32(v.place.x) + 3u * u32(v.place.y) + v.number) % 3u == 0u) { discard; }
    return vec4f(wide, dpdxFine(v.even.x), dpdyCoarse(v.colour.g), v.colour.a);
}

@fragment fn discards_all() -> @location(0) vec4f { discard; }

struct Deep { @location(0) colour: vec4f, @builtin(frag_depth) depth: f32 }
@fragment fn depths(v: V) -> Deep { return Deep(v.colour, v.colour.r * 1.25 - 0.125); }

struct Masked { @location(0) colour: vec4f, @builtin(sample_mask) mask: u32 }
@fragment fn masks(v: V, @builtin(sample_mask) covered: u32) -> Masked {
    return Masked(vec4f(v.colour.rgb, f32(covered) / 15.0), (u32(v.place.x) * 5u + v.number) % 16u);
}

struct All { @location(0) colour: vec4f, @builtin(frag_depth) depth: f32, @builtin(sample_mask) mask: u32 }
@fragment fn everything(v: V, @builtin(front_facing) front: bool) -> All {
    if (v.colour.g < 0.2) { discard; }
    return All(select(v.colour.bgra, v.colour, front), v.place.z * 0.5, select(5u, 15u, front));
}

@fragment fn sides(v: V, @builtin(front_facing) front: bool) -> @location(0) vec4f {
    return select(vec4f(1.0, v.colour.gba), vec4f(0.0, v.colour.gba), front);
}

// Lanes that part and meet again.
@fragment fn loops(v: V) -> @location(0) vec4f {
    var sum = 0.0;
    for (var n = 0u; n < 1u + (u32(v.place.x) + u32(v.place.y)) % 5u; n++) { sum += v.colour.r * 0.2; }
    return vec4f(sum, v.colour.gba);
}

@fragment fn samples(v: V, @builtin(sample_index) s: u32) -> @location(0) vec4f {
    return vec4f(f32(s) / 3.0, v.colour.gba);
}

// Without a colour.
@fragment fn nothing() {}

@fragment fn some_of_nothing(v: V) {
    if ((u32(v.place.x) ^ u32(v.place.y)) % 2u == 1u) { discard; }
}

@fragment fn depth_of_nothing(v: V) -> @builtin(frag_depth) f32 { return v.colour.r; }
