struct Out { @location(0) c0: vec4f }
@fragment fn main() -> Out {
    var c = vec4f();

    c = vec4f(0.25, 0.5, 0.75, 0.5);
    return Out(c);
}
