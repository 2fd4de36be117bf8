struct V {
    @builtin(position) place: vec4f,
    @location(0) colour: vec4f,
    @location(1) @interpolate(flat) number: u32,
    @location(2) @interpolate(linear) even: vec2f,
    @location(3) @interpolate(perspective, centroid) near: vec2f,
    @location(4) @interpolate(linear, sample) fine: vec2f,
}
@vertex fn main(@location(0) position: vec4f, @location(1) colour: vec4f, @builtin(vertex_index) v: u32,
                @builtin(instance_index) i: u32) -> V {
    let moved = position + vec4f(f32(i) * 0.11 * position.w, 0.0, 0.0, 0.0);
    return V(moved, colour, v * 37u + i * 101u, moved.xy * 0.25, colour.rb * 0.5, moved.yx * 0.3);
}
