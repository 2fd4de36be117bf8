struct Out { @location(0) c0: vec4f }
@fragment fn main(@location(0) colour: vec4f, @location(1) @interpolate(flat) number: u32, ) -> Out {
    var c = vec4f();

    c = vec4f(f32(number & 255u) / 255.0, f32(number >> 8u) / 7.0, colour.b, 1.0);
    return Out(c);
}
