//! What a fragment program is told and what it says, in every language: built-in inputs,
//! derivatives, discard, depth, sample masks, several targets, stores, and indices of vertices and
//! instances. Expected values are counted here, from the positions of the corners.

use crate::common::draw::{
    blocks, pixels, places, Buffer, Drawing, In, Known, Picture, Source, BLOCKS, DEPTH_ALWAYS, LANGUAGES, WHOLE,
};
use quadlock_shader::front::linkage::TargetFormat;

/// What is written where nothing is drawn.
const CLEAR: u32 = 0xFF00_0000;

/// A vertex program that gives a position, and a flat word of each triangle.
fn plain(lang: In) -> Source {
    Source::vertex(
        lang,
        "struct V { @builtin(position) p: vec4f, @location(0) @interpolate(flat) n: u32 }
@vertex fn main(@location(0) p: vec4f, @location(1) n: u32) -> V { return V(p, n); }",
        "layout(location = 0) in vec4 p; layout(location = 1) in uint n; layout(location = 0) flat out uint m;
void main() { gl_Position = p; m = n; }",
    )
}

/// A fragment program with bodies in WGSL and in GLSL that set `a`, `b`, `c` and `d`, floats of
/// four targets. Known are the pixel's place `p`, the triangle's word `n`, and what `more` names.
fn fragment(lang: In, more: [&str; 2], wgsl: &str, glsl: &str) -> Source {
    Source::fragment(
        lang,
        &format!(
            "struct O {{ @location(0) a: f32, @location(1) b: f32, @location(2) c: f32, @location(3) d: f32 }}
@fragment fn main(@builtin(position) p: vec4f, @location(0) @interpolate(flat) n: u32{}) -> O {{
    var a = 0.0; var b = 0.0; var c = 0.0; var d = 0.0;
    {wgsl}
    return O(a, b, c, d);
}}",
            more[0]
        ),
        &format!(
            "layout(location = 0) flat in uint n; layout(location = 0) out float a; layout(location = 1) out float b;
layout(location = 2) out float c; layout(location = 3) out float d;
{}
void main() {{ vec4 p = gl_FragCoord; a = 0.0; b = 0.0; c = 0.0; d = 0.0;
    {glsl}
}}",
            more[1]
        ),
    )
}

fn words(all: &[u32]) -> Buffer {
    Buffer::of(1, "uint32", all.iter().flat_map(|w| w.to_le_bytes()).collect())
}

/// Three vertices for each value.
fn each(values: &[u32]) -> Buffer {
    words(&values.iter().flat_map(|&v| [v; 3]).collect::<Vec<u32>>())
}

fn whole(lang: In, fragment: Source) -> Drawing {
    let positions = Buffer::vec4(0, &crate::common::draw::in_clip_space(lang, WHOLE.to_vec()));
    Drawing::new(plain(lang), fragment, vec![positions, each(&[7])], 3)
}

fn slanted(lang: In, fragment: Source, samples: u32) -> Drawing {
    let positions = Buffer::vec4(0, &Known::SLANTED.positions(lang));
    Drawing { samples, ..Drawing::new(plain(lang), fragment, vec![positions, each(&[7])], 3) }
}

/// Eight blocks, each with its word.
fn of_blocks(lang: In, fragment: Source, values: [u32; BLOCKS as usize]) -> Drawing {
    Drawing::new(plain(lang), fragment, vec![Buffer::vec4(0, &blocks(lang)), each(&values)], 3 * BLOCKS)
}

#[test]
fn position() {
    for lang in LANGUAGES {
        for samples in [1, 4] {
            let body = "a = p.x; b = p.y; c = p.z; d = p.w;";
            let picture = slanted(lang, fragment(lang, ["", ""], body, body), samples).draw();
            for at in pixels() {
                let covered = Known::SLANTED.covered(at, samples);
                for s in (0..samples).filter(|s| covered >> s & 1 == 1) {
                    let [x, y, z, w] = [0, 1, 2, 3].map(|t| f64::from(picture.float(t, s, at)));
                    assert_eq!((x, y), (f64::from(at.0) + 0.5, f64::from(at.1) + 0.5));
                    // One over w is linear in the target.
                    let inverse = Known::SLANTED.value([1.0, 0.25, 2.0], at, [8, 8], false);
                    assert!((w - inverse).abs() < 1e-5, "{lang:?} {at:?} {w} {inverse}");
                    assert!((z - 0.5).abs() < 1e-6, "{lang:?} {at:?} {z}");
                }
            }
        }
    }
}

#[test]
fn derivatives_coarse_fine_and_plain() {
    let value = |x: f32, y: f32| 3.0 * x * x + 5.0 * y * y + x * y;
    let at = |x: u32, y: u32| value(x as f32 + 0.5, y as f32 + 0.5);
    for lang in LANGUAGES {
        let text = "let v = 3.0 * p.x * p.x + 5.0 * p.y * p.y + p.x * p.y;";
        let glsl = text.replace("let v", "float v");
        for (names, exact) in [(["Fine"; 2], true), (["Coarse"; 2], false), ([""; 2], false)] {
            let w = format!("{text} a = dpdx{0}(v); b = dpdy{0}(v); c = fwidth{0}(v);", names[0]);
            let g = format!("{glsl} a = dFdx{0}(v); b = dFdy{0}(v); c = fwidth{0}(v);", names[1]);
            let picture = whole(lang, fragment(lang, ["", ""], &w, &g)).draw();
            for (x, y) in pixels() {
                let (l, t) = (x & !1, y & !1);
                let rows = [t, t + 1].map(|y| at(l + 1, y) - at(l, y));
                let columns = [l, l + 1].map(|x| at(x, t + 1) - at(x, t));
                let [a, b, c] = [0, 1, 2].map(|t| picture.float(t, 0, (x, y)));
                let fine = a == rows[(y & 1) as usize] && b == columns[(x & 1) as usize];
                // The languages leave it open which row a coarse one takes.
                assert!(fine || !exact && rows.contains(&a) && columns.contains(&b), "{lang:?} {names:?} {x} {y}");
                assert_eq!(c, a.abs() + b.abs());
            }
        }
    }
}

/// `discard` of GLSL ends the invocation, and what differences are behind it is open; `demote` and
/// WGSL's `discard` leave a helper.
#[test]
fn a_derivative_behind_discard_has_its_neighbours() {
    for lang in LANGUAGES {
        let w = "if ((u32(p.x) + u32(p.y)) % 2u == 0u) { discard; } a = dpdx(p.x * p.x); b = dpdy(p.y * 3.0); c = 1.0;";
        let g =
            "if ((uint(p.x) + uint(p.y)) % 2u == 0u) { demote; } a = dFdx(p.x * p.x); b = dFdy(p.y * 3.0); c = 1.0;";
        let more = ["", "#extension GL_EXT_demote_to_helper_invocation : require"];
        // naga writes WGSL's `discard` as OpKill, which is GLSL's.
        let wgsl = lang == In::Wgsl;
        for (g, exact) in [(g.to_owned(), lang != In::Spirv), (g.replace("demote", "discard"), wgsl)] {
            let picture = whole(lang, fragment(lang, more, w, &g)).draw();
            assert!(picture.pipeline.may_discard);
            for (x, y) in pixels() {
                if (x + y) % 2 == 0 {
                    assert_eq!(picture.sample(2, 0, 0, (x, y)), CLEAR);
                    continue;
                }
                let l = (x & !1) as f32 + 0.5;
                let all = [0, 1, 2].map(|t| picture.float(t, 0, (x, y)));
                assert_eq!(all[2], 1.0);
                if exact {
                    assert_eq!(all, [(l + 1.0) * (l + 1.0) - l * l, 3.0, 1.0], "{lang:?} {x} {y}");
                }
            }
        }
    }
}

#[test]
fn depth_of_the_program() {
    let lists = [
        [0.0f32, 1.0, 0.5, 0.25, 1.0 / 3.0, 2f32.powi(-25), 2f32.powi(-24), 0.999_999_94],
        [-1.0, 2.0, f32::NAN, f32::INFINITY, 1e-30, 0.123_456_79, 3.0 * 2f32.powi(-25), 0.7],
    ];
    for lang in LANGUAGES {
        for list in lists {
            let wgsl =
                "struct O { @builtin(frag_depth) f: f32, @location(0) a: f32, @location(1) b: f32, @location(2) c: f32,
    @location(3) d: f32 }
@fragment fn main(@location(0) @interpolate(flat) n: u32) -> O { return O(bitcast<f32>(n), 1.0, 0.0, 0.0, 0.0); }";
            let g = "gl_FragDepth = uintBitsToFloat(n); a = 1.0;";
            let f = match lang {
                In::Glsl => fragment(lang, ["", ""], "", g),
                _ => Source::fragment(lang, wgsl, ""),
            };
            for depth_range in [[0, 0xFF_FFFF], [0x10_0000, 0xA0_0000], [0x80_0000, 0x80_0000]] {
                let drawing = of_blocks(lang, f.clone(), list.map(f32::to_bits));
                let picture = Drawing { flags: DEPTH_ALWAYS, depth_range, ..drawing }.draw();
                assert!(picture.pipeline.writes_depth);
                for (k, f) in (0..).zip(list) {
                    let held = if f.is_nan() { 0.0 } else { f64::from(f).clamp(0.0, 1.0) };
                    // 24 bits times 24 bits and a half are exact in f64.
                    let all = (held * 16_777_215.0 + 0.5).floor() as u32;
                    // WebGPU holds it in the viewport's range.
                    let held = all.clamp(depth_range[0], depth_range[1]);
                    let want = if lang == In::Wgsl { held } else { all };
                    let got = picture.depth(0, (2 * k, 9));
                    assert_eq!(got, want, "{lang:?} {f:e} {depth_range:x?}");
                }
            }
        }
    }
}

#[test]
fn sample_masks_in_and_out() {
    for lang in LANGUAGES {
        let more = [", @builtin(sample_mask) mask: u32", ""];
        let f = fragment(lang, more, "a = f32(mask);", "a = float(gl_SampleMaskIn[0]);");
        for samples in [1, 2, 4] {
            let picture = slanted(lang, f.clone(), samples).draw();
            for at in pixels() {
                let covered = Known::SLANTED.covered(at, samples);
                for s in 0..samples {
                    let want = if covered >> s & 1 == 1 { (covered as f32).to_bits() } else { CLEAR };
                    assert_eq!(picture.sample(0, 0, s, at), want, "{lang:?} {samples} {at:?}");
                }
            }
        }
        let wgsl =
            "struct O { @builtin(sample_mask) m: u32, @location(0) a: f32, @location(1) b: f32, @location(2) c: f32,
    @location(3) d: f32 }
@fragment fn main(@location(0) @interpolate(flat) n: u32) -> O { return O(n, f32(n), 0.0, 0.0, 0.0); }";
        let f = match lang {
            In::Glsl => fragment(lang, ["", ""], "", "gl_SampleMask[0] = int(n); a = float(n);"),
            _ => Source::fragment(lang, wgsl, ""),
        };
        // Blocks lie over those before, so what a mask leaves out is theirs.
        let masks = [15, 1, 2, 4, 8, 6, 9, 0];
        let picture = Drawing { samples: 4, ..of_blocks(lang, f, masks) }.draw();
        for k in 0..BLOCKS {
            for s in 0..4 {
                let newest = masks[..=k as usize].iter().rev().find(|&&m| m >> s & 1 == 1);
                assert_eq!(picture.float(0, s, (2 * k + 1, 3)), newest.map_or(0.0, |&m| m as f32), "{lang:?} {k} {s}");
            }
        }
    }
}

#[test]
fn a_fragment_for_each_sample() {
    for lang in LANGUAGES {
        for samples in [2, 4] {
            let more = [", @builtin(sample_index) s: u32", ""];
            let f = fragment(lang, more, "a = f32(s); b = p.x; c = p.y;", "a = float(gl_SampleID); b = p.x; c = p.y;");
            let picture = slanted(lang, f, samples).draw();
            assert!(picture.pipeline.per_sample);
            for at in pixels() {
                let covered = Known::SLANTED.covered(at, samples);
                for s in (0..samples).filter(|s| covered >> s & 1 == 1) {
                    let place = places(samples)[s as usize].map(|c| c as f32 / 16.0);
                    let want = [s as f32, at.0 as f32 + place[0], at.1 as f32 + place[1]];
                    assert_eq!([0, 1, 2].map(|t| picture.float(t, s, at)), want, "{lang:?} {at:?}");
                }
            }
        }
    }
}

#[test]
fn the_side_that_faces() {
    for lang in LANGUAGES {
        let more = [", @builtin(front_facing) front: bool", ""];
        let w = "a = select(2.0, 1.0, front);";
        let f = fragment(lang, more, w, "a = gl_FrontFacing ? 1.0 : 2.0;");
        let mut positions = blocks(lang);
        // Every other one goes round the other way.
        positions.chunks_mut(3).step_by(2).for_each(|t| t.swap(1, 2));
        let drawing = Drawing::new(plain(lang), f, vec![Buffer::vec4(0, &positions), each(&[0; 8])], 3 * BLOCKS);
        let picture = drawing.draw();
        // As they come they go clockwise as seen; a front face is counter-clockwise.
        for k in 0..BLOCKS {
            assert_eq!(picture.float(0, 0, (2 * k, 4)), if k % 2 == 0 { 1.0 } else { 2.0 }, "{lang:?} {k}");
        }
    }
}

/// An index counts from the base vertex, an instance from the first one; attributes follow both.
#[test]
fn indices_of_vertices_and_instances() {
    for lang in LANGUAGES {
        let vertex = Source::vertex(
            lang,
            "struct V { @builtin(position) p: vec4f, @location(0) @interpolate(flat) n: u32 }
@vertex fn main(@location(0) p: vec4f, @location(1) n: u32, @location(2) shift: f32, @builtin(vertex_index) v: u32,
    @builtin(instance_index) i: u32) -> V { return V(p + vec4f(shift, 0.0, 0.0, 0.0), n + 10u * v + 1000u * i); }",
            "layout(location = 0) in vec4 p; layout(location = 1) in uint n; layout(location = 2) in float shift;
layout(location = 0) flat out uint m;
void main() { gl_Position = p + vec4(shift, 0, 0, 0); m = n + 10u * gl_VertexIndex + 1000u * gl_InstanceIndex; }",
        );
        let f = fragment(lang, ["", ""], "a = f32(n);", "a = float(n);");
        // Vertices 3 to 5 are the triangle; index 2 with base 3 is vertex 5.
        let triangle = crate::common::draw::in_clip_space(lang, WHOLE.to_vec());
        let positions = [[[9.0; 4]; 3].to_vec(), triangle].concat();
        let shifts = Buffer {
            per_instance: true,
            ..Buffer::of(2, "float32", [9.0f32, 9.0, 0.0, 0.5, 1.0].iter().flat_map(|x| x.to_le_bytes()).collect())
        };
        let numbers = words(&[0, 0, 0, 3, 4, 5]);
        let drawing = Drawing {
            indices: Some(vec![7, 7, 2, 0, 1]),
            first: 2,
            base: 3,
            instances: (2, 3),
            ..Drawing::new(vertex, f, vec![Buffer::vec4(0, &positions), numbers, shifts], 3)
        };
        let picture = drawing.draw();
        for (x, instance) in [(0, 2), (4, 3), (8, 4), (15, 4)] {
            assert_eq!(picture.float(0, 0, (x, 2)), (5 + 10 * 5 + 1000 * instance) as f32, "{lang:?} {x}");
        }
    }
}

/// The bits of the half nearest to a number, by looking at all of them; of two the even one.
fn half(x: f64) -> u32 {
    let value = |h: u32| {
        let (exponent, fraction) = (h >> 10 & 31, f64::from(h & 0x3FF));
        match exponent {
            0 => fraction * 2f64.powi(-24),
            31 => 65_536.0,
            e => (1024.0 + fraction) * 2f64.powi(e as i32 - 25),
        }
    };
    let off = |h: u32| (value(h) - x.abs()).abs();
    let best = (0..=0x7C00).min_by(|&a, &b| off(a).total_cmp(&off(b)).then((a & 1).cmp(&(b & 1)))).unwrap_or(0);
    best | u32::from(x.is_sign_negative()) << 15
}

/// The code of sRGB as docs/graphics.md counts it, of 16 bits.
fn srgb(x: f64) -> u32 {
    let lin = |v: f64| if v <= 0.040_45 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) };
    let l = (x.clamp(0.0, 1.0) * 65_535.0).round();
    (1..=255).filter(|&c| l >= 65_535.0 * lin((f64::from(c) - 0.5) / 255.0)).count() as u32
}

#[test]
fn four_targets_of_four_formats() {
    let formats =
        [TargetFormat::Rgba8Unorm, TargetFormat::Rgba16Float, TargetFormat::R32Float, TargetFormat::Rgba8UnormSrgb];
    for lang in LANGUAGES {
        let f = Source::fragment(
            lang,
            "struct O { @location(3) s: vec4f, @location(0) a: vec4f, @location(1) h: vec4f, @location(2) f: f32 }
@fragment fn main(@builtin(position) p: vec4f, @location(0) @interpolate(flat) n: u32) -> O {
    let v = floor(p.x) * 16.0 + floor(p.y);
    return O(vec4f(v, 255.0 - v, v * 0.5, v) / 255.0, vec4f(v, 255.0 - v, 300.0, -v) / 255.0,
        vec4f(v * 0.3, -v, v * v * 3.0, 1.0 / (v + 1.0)), v * 0.1);
}",
            "layout(location = 0) flat in uint n; layout(location = 0) out vec4 a; layout(location = 1) out vec4 h;
layout(location = 2) out float f; layout(location = 3) out vec4 s;
void main() { float v = floor(gl_FragCoord.x) * 16.0 + floor(gl_FragCoord.y);
    a = vec4(v, 255.0 - v, 300.0, -v) / 255.0; h = vec4(v * 0.3, -v, v * v * 3.0, 1.0 / (v + 1.0));
    f = v * 0.1; s = vec4(v, 255.0 - v, v * 0.5, v) / 255.0; }",
        );
        for count in 1..=4 {
            let mut drawing = whole(lang, f.clone());
            drawing.targets = formats[..count].to_vec();
            // Outputs without a target are refused.
            if count < 4 {
                assert!(drawing.compile().err().is_some_and(|e| e.contains("no such target")));
                continue;
            }
            let picture = drawing.draw();
            for at in pixels() {
                let v = at.0 * 16 + at.1;
                let x = v as f32;
                assert_eq!(picture.sample(0, 0, 0, at), v | (255 - v) << 8 | 255 << 16, "{lang:?} {v}");
                let halves = [x * 0.3, -x, x * x * 3.0, 1.0 / (x + 1.0)].map(|c| half(c.into()));
                let two = [0, 1].map(|n| picture.sample(1, n, 0, at));
                assert_eq!(two, [halves[0] | halves[1] << 16, halves[2] | halves[3] << 16], "{lang:?} {v}");
                assert_eq!(picture.float(2, 0, at), x * 0.1);
                let [a, b, c] = [x, 255.0 - x, x * 0.5].map(|c| srgb(f64::from(c / 255.0)));
                assert_eq!(picture.sample(3, 0, 0, at), a | b << 8 | c << 16 | v << 24, "{lang:?} {v}");
            }
        }
    }
}

/// Stores of covered pixels alone: neither a helper's nor a discarded one's.
#[test]
fn stores_and_atomics_of_fragments() {
    for lang in LANGUAGES {
        let more = ["", "layout(binding = 0) buffer B { uint sum; uint seen[]; };"];
        // naga has no variable that is partly atomic, so only GLSL counts a sum.
        let w = "let k = u32(p.y) * 16u + u32(p.x); data[1u + k] = k + n;
    if (k % 3u == 0u) { discard; } data[257u + k] = 1u; a = 1.0;";
        let g = "uint k = uint(p.y) * 16u + uint(p.x); seen[k] = k + n; atomicAdd(sum, k);
    if (k % 3u == 0u) { discard; } seen[256u + k] = 1u; a = 1.0;";
        let text = format!(
            "@group(0) @binding(0) var<storage, read_write> data: array<u32>;
struct O {{ @location(0) a: f32, @location(1) b: f32, @location(2) c: f32, @location(3) d: f32 }}
@fragment fn main(@builtin(position) p: vec4f, @location(0) @interpolate(flat) n: u32) -> O {{ var a = 0.0;
{w}
    return O(a, a, a, a); }}"
        );
        let f = match lang {
            In::Glsl => fragment(lang, more, "", g),
            _ => Source::fragment(lang, &text, ""),
        };
        let picture = Drawing { storage: 4 * 513, ..slanted(lang, f, 1) }.draw();
        assert!(picture.pipeline.stores);
        let (mut sum, mut kept) = (0, 0);
        for at in pixels() {
            let k = at.1 * 16 + at.0;
            let covered = Known::SLANTED.covered(at, 1) == 1;
            sum += if covered { k } else { 0 };
            assert_eq!(picture.stored(1 + k), if covered { k + 7 } else { 0 }, "{lang:?} {k}");
            let here = covered && k % 3 != 0;
            kept += u32::from(here);
            assert_eq!(picture.stored(257 + k), u32::from(here), "{lang:?} {k}");
            assert_eq!(picture.sample(0, 0, 0, at), if here { 1f32.to_bits() } else { CLEAR });
        }
        assert!(kept > 50);
        assert_eq!(picture.stored(0), if lang == In::Glsl { sum } else { 0 });
    }
}

/// An array of the thread's own, read at a place that is only known while it runs.
#[test]
fn arrays_in_the_stack() {
    for lang in LANGUAGES {
        let w = "var s = array<f32, 24>(); for (var i = 0u; i < 24u; i++) { s[i] = f32(i * i) + p.y; }
    for (var i = 0u; i < u32(p.x); i++) { a += s[(i * 7u) % 24u]; }";
        let g = "float s[24]; for (uint i = 0u; i < 24u; i++) { s[i] = float(i * i) + p.y; }
    for (uint i = 0u; i < uint(p.x); i++) { a += s[(i * 7u) % 24u]; }";
        let picture = whole(lang, fragment(lang, ["", ""], w, g)).draw();
        assert!(picture.pipeline.fragment.as_ref().expect("a fragment program").binary.interface.stack_bytes > 0);
        for at in pixels() {
            let of = |i: u32| (i * i) as f32 + at.1 as f32 + 0.5;
            let want: f32 = (0..at.0).map(|i| of(i * 7 % 24)).sum();
            assert_eq!(picture.float(0, 0, at), want, "{lang:?} {at:?}");
        }
    }
}

/// Every kind of varying from each language to each other.
#[test]
fn programs_of_two_languages() {
    let check = |picture: &Picture, what: &str| {
        for at in pixels() {
            let all = [0, 1, 2].map(|t| picture.float(t, 0, at));
            let x = (f64::from(at.0) + 0.5) / 32.0;
            let (perspective, linear) = (f64::from(all[1]), f64::from(all[2]));
            assert_eq!(all[0], 8_388_607.0, "{what}");
            assert!(
                (perspective - x).abs() < 1e-6 && (linear - x).abs() < 1e-6,
                "{what} {at:?} {perspective} {linear}"
            );
        }
    };
    for from in LANGUAGES {
        for to in LANGUAGES {
            let vertex = Source::vertex(
                from,
                "struct V { @builtin(position) p: vec4f, @location(3) @interpolate(flat) n: i32, @location(1) v: vec2f,
    @location(0) @interpolate(linear) l: f32 }
@vertex fn main(@location(0) p: vec4f) -> V { return V(p, -8388607, p.xy, p.x); }",
                "layout(location = 0) in vec4 p; layout(location = 3) flat out int n; layout(location = 1) out vec2 v;
layout(location = 0) noperspective out float l;
void main() { gl_Position = p; n = -8388607; v = p.xy; l = p.x; }",
            );
            let f = Source::fragment(
                to,
                "struct O { @location(0) a: f32, @location(1) b: f32, @location(2) c: f32, @location(3) d: f32 }
@fragment fn main(@location(0) @interpolate(linear) l: f32, @location(3) @interpolate(flat) n: i32,
    @location(1) v: vec2f) -> O { return O(f32(-n), v.x * 0.25 + 0.25, l * 0.25 + 0.25, 0.0); }",
                "layout(location = 3) flat in int n; layout(location = 1) in vec2 v;
layout(location = 0) noperspective in float l; layout(location = 0) out float a; layout(location = 1) out float b;
layout(location = 2) out float c; layout(location = 3) out float d;
void main() { a = float(-n); b = v.x * 0.25 + 0.25; c = l * 0.25 + 0.25; d = 0.0; }",
            );
            let positions = crate::common::draw::in_clip_space(from, WHOLE.to_vec());
            let picture = Drawing::new(vertex, f, vec![Buffer::vec4(0, &positions)], 3).draw();
            check(&picture, &format!("{from:?} to {to:?}"));
        }
    }
}
