@group(0) @binding(0) var<storage, read_write> counts: array<atomic<u32>, 64>;
struct Out { @location(0) c0: vec4f }
@early_depth_test(force)
@fragment fn main(@builtin(position) place: vec4f, @location(0) colour: vec4f, @location(2) @interpolate(linear) even: vec2f, ) -> Out {
    var c = vec4f();

    c = vec4f(even, colour.rg); atomicAdd(&counts[u32(place.y) & 63u], 1u);
    return Out(c);
}
