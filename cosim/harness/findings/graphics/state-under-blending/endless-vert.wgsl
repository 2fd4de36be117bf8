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
    let far = select(1.0, 3e38, v % 5u == 4u);
    return V(position * far * far, colour, v, position.xy, position.xy, position.yx);
}
