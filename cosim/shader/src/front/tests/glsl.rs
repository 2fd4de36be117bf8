//! GLSL: the same machine behind another front end.

use super::*;
use crate::interface::Stage;

#[test]
fn a_glsl_filter_with_blocks_shared_memory_and_functions() {
    let run = Run::glsl(
        "#version 450
         layout(local_size_x = 4, local_size_y = 2) in;
         layout(std140, set = 0, binding = 0) uniform Params { uvec2 size; float gain; };
         layout(std430, set = 0, binding = 1) readonly buffer Src { float src[]; };
         layout(std430, set = 0, binding = 2) writeonly buffer Dst { float dst[]; } result;
         shared float tile[8];
         float at(ivec2 p) {
             p = clamp(p, ivec2(0), ivec2(size) - 1);
             return src[p.y * int(size.x) + p.x];
         }
         void main() {
             uvec2 id = gl_GlobalInvocationID.xy;
             tile[gl_LocalInvocationIndex] = at(ivec2(id));
             barrier();
             if (id.x >= size.x || id.y >= size.y) return;
             float sum = tile[gl_LocalInvocationIndex];
             for (int dx = -1; dx <= 1; dx += 2) sum += at(ivec2(id) + ivec2(dx, 0));
             result.dst[id.y * size.x + id.x] = sum * gain + float(gl_WorkGroupSize.x);
         }",
    );
    let (w, h) = (6usize, 3usize);
    let src: Vec<f32> = (0..w * h).map(|i| (i * i % 17) as f32).collect();
    let uniform = [w as u32, h as u32, 0.5f32.to_bits(), 0];
    let run = run.grid(2, 2, 1).words(&uniform).floats(&src).zeros(w * h).go();
    let at = |x: i32, y: usize| src[y * w + x.clamp(0, w as i32 - 1) as usize];
    for y in 0..h {
        for x in 0..w {
            let x = x as i32;
            let expected = (at(x, y) + at(x - 1, y) + at(x + 1, y)) * 0.5 + 4.0;
            assert_eq!(run.float_buffer(2)[y * w + x as usize], expected, "{x} {y}");
        }
    }
    let names: Vec<&str> = run.lowered.interface.bindings.iter().map(|b| b.name.as_str()).collect();
    assert_eq!(names, ["Params", "Src", "result"]);
    assert_eq!(run.lowered.interface.group_size, [4, 2, 1]);
}

#[test]
fn glsl_inverse_mod_and_outputs_of_functions() {
    let run = Run::glsl(
        "#version 450
         layout(local_size_x = 4) in;
         layout(std430, binding = 0) buffer B { float m[4]; };
         void twice(in float x, out float y, inout float z) { y = 2.0 * x; z += y; }
         void main() {
             if (gl_LocalInvocationIndex == 0u) {
                 mat2 i = inverse(mat2(4.0, 2.0, 7.0, 6.0));
                 float y; float z = 1.0;
                 twice(3.0, y, z);
                 m[0] = i[0][0]; m[1] = i[1][1]; m[2] = y + z; m[3] = mod(-7.5, 2.0);
             }
         }",
    );
    let run = run.zeros(4).go();
    let m = &run.float_buffer(0);
    assert!((m[0] - 0.6).abs() < 1e-6 && (m[1] - 0.4).abs() < 1e-6, "{m:?}");
    assert_eq!(m[2..4], [13.0, 0.5]);
}

/// GLSL's names of the float unit's functions, each invocation one operand.
#[test]
fn glsl_functions_of_the_float_unit() {
    let run = Run::glsl(
        "#version 450
         layout(local_size_x = 4) in;
         layout(std430, binding = 0) readonly buffer A { float a[]; };
         layout(std430, binding = 1) writeonly buffer B { float f[]; };
         layout(std430, binding = 2) writeonly buffer C { uint packed[]; };
         void main() {
             uint i = gl_GlobalInvocationID.x;
             if (i >= uint(a.length())) return;
             float x = a[i];
             uint k = i * 8u;
             f[k] = inversesqrt(x); f[k + 1u] = roundEven(x); f[k + 2u] = fract(x); f[k + 3u] = mod(x, 2.5);
             f[k + 4u] = exp2(x); f[k + 5u] = log2(x);
             packed[i] = packHalf2x16(vec2(x, -x));
             vec2 halves = unpackHalf2x16(packHalf2x16(vec2(1.0, x)));
             f[k + 6u] = halves.x; f[k + 7u] = halves.y;
         }",
    );
    // Operand and its half-precision number, all with ties of roundEven, subnormal halves and a
    // number that rounds to one.
    let operands = [
        (4.0f32, 0x4400, 4.0f32),
        (2.5, 0x4100, 2.5),
        (3.5, 0x4300, 3.5),
        (0.25, 0x3400, 0.25),
        (0.1, 0x2E66, 0.099_975_586),
        (100.75, 0x564C, 100.75),
        (1e-6, 0x0011, 1.013_279e-6),
        (65504.0, 0x7BFF, 65504.0),
        (65520.0, 0x7C00, f32::INFINITY),
    ];
    let x = operands.map(|row| row.0);
    let run = run.grid(3, 1, 1).floats(&x).zeros(x.len() * 8).zeros(x.len()).go();
    for (i, (x, half, rounded)) in operands.into_iter().enumerate() {
        let f = &run.float_buffer(1)[i * 8..][..8];
        let wide = f64::from(x);
        for (seen, expected) in [(f[0], 1.0 / wide.sqrt()), (f[4], wide.exp2()), (f[5], wide.log2())] {
            let near = (f64::from(seen) / expected - 1.0).abs() < 2f64.powi(-23);
            assert!(near || seen == expected as f32, "{x}: {seen}, expected {expected}");
        }
        let modulo = (x / 2.5).floor().mul_add(-2.5, x);
        assert_eq!([f[1], f[2], f[3]], [x.round_ties_even(), x - x.floor(), modulo], "{x}");
        assert_eq!([f[6], f[7]], [1.0, rounded], "{x}");
        assert_eq!(run.buffer(2)[i], half | (half | 0x8000) << 16, "{x}");
    }
}

#[test]
fn glsl_atomics() {
    let run = Run::glsl(
        "#version 450
         #extension GL_ARB_gpu_shader5 : enable
         layout(local_size_x = 4) in;
         layout(std430, binding = 0) buffer B { uint n; uint swapped; int low; uint bins[4]; };
         layout(std430, binding = 1) buffer R { uint old[4]; } r;
         shared uint all;
         void main() {
             uint i = gl_LocalInvocationIndex;
             if (i == 0u) all = 0u;
             barrier();
             r.old[i] = atomicAdd(n, i + 1u);
             atomicOr(all, 1u << i);
             atomicCompSwap(swapped, 5u, 9u);
             atomicMin(low, -int(i));
             atomicAdd(bins[i & 1u], 1u); atomicMax(bins[2], i); uint x = atomicExchange(bins[3], 77u);
             barrier();
             if (i == 0u) n += all * 100u;
         }",
    );
    let run = run.words(&[0, 5, 0, 0, 0, 0, 0]).zeros(4).go();
    assert_eq!(run.buffer(0), [1510, 9, -3i32 as u32, 2, 2, 3, 77]);
    assert_eq!(run.buffer(1), [0, 1, 3, 6]);
    let source = "#version 450\nlayout(local_size_x = 1) in;\nvoid main() {\n uint n = 0u;\n   atomicAdd(n, 1u); }\n";
    let message = refused(source, Lang::Glsl(Stage::Compute))[0].clone();
    assert!(message.starts_with("t.wgsl:5:19: 'atomicAdd' : Only l-values"), "{message}");
}

#[test]
fn glsl_errors_have_positions() {
    let source = "#version 450\nlayout(local_size_x = 1) in;\nvoid main() {\n  float x = y;\n}\n";
    let error = parse("a.comp", source.as_bytes(), Lang::Glsl(Stage::Compute), None).unwrap_err();
    assert_eq!((error.0[0].line, error.0[0].column), (4, 13), "{error}");
    // The same place behind the declarations of the atomic functions.
    let source = source.replace("}\n", "} // atomicAdd\n");
    let error = parse("a.comp", source.as_bytes(), Lang::Glsl(Stage::Compute), None).unwrap_err();
    assert_eq!((error.0[0].line, error.0[0].column), (4, 13), "{error}");
}

#[test]
fn vertex_shaders_are_lowered_up_to_their_interface() {
    let source = "#version 450
         layout(location = 0) in vec3 position;
         layout(location = 1) out vec2 uv;
         layout(binding = 0) uniform U { mat4 m; };
         void main() { gl_Position = m * vec4(position, 1.0); uv = position.xy; }";
    let lowered = compile(source, Lang::Glsl(Stage::Vertex));
    let names: Vec<&str> = lowered.module.funcs[lowered.entry.index()].slots.iter().map(|s| s.name.as_str()).collect();
    assert!(names.contains(&"in.location0") && names.contains(&"out.location1"), "{names:?}");
}

/// What has no line of its own is reported at its first use, by the variable's name.
#[test]
fn a_texture_is_refused_where_it_is_used() {
    let source = "#version 450\nlayout(local_size_x = 1) in;\nlayout(binding = 0) uniform sampler2D t;\n\
                  layout(binding = 1) buffer B { vec4 x; };\nvoid main() {\n  x = texture(t, vec2(0));\n}\n";
    let message = refused(source, Lang::Glsl(Stage::Compute))[0].clone();
    assert!(message.starts_with("t.wgsl:6:15: ") && message.contains("`t`: images and textures"), "{message}");
}
