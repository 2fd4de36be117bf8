struct Out { @location(0) c0: vec4f }
@fragment fn main(@builtin(position) place: vec4f, @location(0) colour: vec4f, ) -> Out {
    var c = vec4f();

    var sum = 0.0;
    for (var n = 0u; n < 1u + (u32(place.x) + u32(place.y)) % 5u; n++) { sum += colour.r * 0.2; }
    c = vec4f(sum, colour.gba);
    return Out(c);
}
