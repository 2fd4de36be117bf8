//! Vertex and fragment programs compiled, and drawn by the golden model from records in memory.
//!
//! The picture is asked for at places where it can be worked out by hand. It would be wrong to
//! expect what the compiler made; so colours come from formulas of the test.

use quadlock_golden::{Config, Golden, Memory};
use quadlock_isa::abi::{CONST_BUFFERS, MAX_BUFFERS};
use quadlock_shader::front::linkage::{Attribute, AttributeFormat, TargetFormat};
use quadlock_shader::graphics::{compile_pipeline, Pipeline, PipelineRequest, StageSource};
use quadlock_shader::Options;

const SIDE: u32 = 16;
const COLOUR: u32 = 0x1_0000;
const VERTICES: u32 = 0x2_0000;

struct Drawing<'a> {
    vertex: (&'a str, &'a str),
    fragment: (&'a str, &'a str),
    attributes: &'a [(u32, &'a str, u32)],
    stride: u32,
    bytes: Vec<u8>,
    count: u32,
    samples: u32,
    alpha_to_coverage: bool,
    /// Bits of state word 6 besides those of the pipeline.
    flags: u32,
    write: u32,
}

impl Drawing<'_> {
    fn compile(&self) -> Result<Pipeline, String> {
        let source =
            |(path, text): (&'static str, &'static str)| StageSource { path, source: text.as_bytes(), entry: None };
        let leak = |(a, b): (&str, &str)| -> (&'static str, &'static str) {
            (Box::leak(a.to_owned().into_boxed_str()), Box::leak(b.to_owned().into_boxed_str()))
        };
        let attributes = self.attributes.iter().map(|&(location, format, offset)| Attribute {
            location,
            format: AttributeFormat::from_name(format).expect("a format"),
            slot: 0,
            offset,
            stride: self.stride,
            per_instance: false,
        });
        compile_pipeline(&PipelineRequest {
            vertex: source(leak(self.vertex)),
            fragment: Some(source(leak(self.fragment))),
            attributes: attributes.collect(),
            targets: vec![TargetFormat::Rgba8Unorm],
            samples: self.samples,
            alpha_to_coverage: self.alpha_to_coverage,
            options: Options::default(),
        })
        .map_err(|e| e.to_string())
    }

    /// The pixels, as r, g, b, a; of several samples their mean.
    fn draw(&self) -> Vec<[u8; 4]> {
        let p = self.compile().unwrap_or_else(|e| panic!("{e}"));
        let fragment = p.fragment.as_ref().expect("a fragment program");
        let mut memory = Memory::new(0x4_0000);
        let mut at = 0x1000;
        let mut put = |memory: &mut Memory, words: &[u32]| {
            let here = at;
            words.iter().for_each(|&w| {
                memory.write32(at, w);
                at += 4;
            });
            at = (at + 15) & !15;
            here
        };
        let (mut programs, mut code) = (vec![], vec![]);
        for stage in [&p.vertex, fragment] {
            let binary = &stage.binary;
            let mut constants = vec![0; 256];
            for &(word, value) in &binary.interface.constants {
                constants[word as usize] = value;
            }
            constants[CONST_BUFFERS + 2 * (MAX_BUFFERS - 1)] = VERTICES;
            let first = code.len() as u32;
            code.extend(binary.code_at(first));
            programs.push((first, binary.code.len() as u32, put(&mut memory, &constants)));
        }
        assert!(memory.write_slice(VERTICES, &self.bytes));
        if std::env::var("SHOW").is_ok() {
            println!("{}\n{}", p.vertex.asm, fragment.asm);
        }
        let half = SIDE as f32 / 2.0;
        let f = |x: f32| x.to_bits();
        let mut state = vec![0; 37];
        (state[0], state[1], state[4]) = programs[0];
        (state[2], state[3], state[5]) = programs[1];
        let flags =
            [(16, p.may_discard), (17, p.writes_depth), (18, p.writes_mask), (19, p.stores), (12, p.per_sample)];
        state[6] = self.flags | flags.iter().filter(|f| f.1).fold(0, |m, f| m | 1 << f.0);
        state[7] = p.varying_words;
        let hy = if p.y_up { -half } else { half };
        state[8..16].copy_from_slice(&[f(half), f(half), f(half), f(hy), f(0.0), f(1.0), f(1000.0), f(1000.0)]);
        state[17] = SIDE | SIDE << 16;
        state[28] = self.write;
        state[32] = 15;
        (state[33], state[34]) = (p.flat as u32, (p.flat >> 32) as u32);
        (state[35], state[36]) = (p.linear as u32, (p.linear >> 32) as u32);
        let state = put(&mut memory, &state);
        let lines = SIDE / 2 * (SIDE / 2);
        let mut pass = vec![0; 32];
        pass[0] = SIDE | SIDE << 16;
        pass[1] = self.samples.trailing_zeros() | 3 << 4 | 1 << 8;
        (pass[2], pass[3]) = (SIDE / 2, lines);
        pass[4] = COLOUR;
        pass[5] = 1 << 6;
        pass[6] = COLOUR;
        pass[24] = 0xFF00_0000;
        let pass = put(&mut memory, &pass);
        let list = put(&mut memory, &[1, pass, 0, 0, 2, state, 0, 0, 3, self.count, 0, 1, 0, 0, 0, 0, 7, 0, 0, 0]);
        let config = Config { graphics: true, ..Config::default() };
        let mut golden = Golden::new(config, code, vec![], memory);
        let stats = golden.run_frame(list, 100_000).unwrap_or_else(|e| panic!("{e}"));
        assert!(
            golden.traps().1 == 0 && golden.memory_faults().1 == 0,
            "{:?} {:?}",
            golden.traps(),
            golden.memory_faults()
        );
        assert!(stats.quads > 0, "{stats:?}");
        let memory = golden.into_memory();
        let pixel = |x: u32, y: u32| {
            memory.read32(COLOUR + 16 * (y / 2 * (SIDE / 2) + x / 2) + 4 * (2 * (y & 1) + (x & 1))).to_le_bytes()
        };
        (0..SIDE * SIDE).map(|k| pixel(k % SIDE, k / SIDE)).collect()
    }
}

fn at(image: &[[u8; 4]], x: u32, y: u32) -> [u8; 4] {
    image[(y * SIDE + x) as usize]
}

const PLAIN: &str = "
struct Out { @builtin(position) position: vec4f, @location(0) colour: vec3f }
@vertex fn main(@location(0) position: vec2f, @location(1) colour: vec4f) -> Out {
    return Out(vec4f(position, 0.5, 1.0), colour.rgb);
}";

fn corners(list: &[([f32; 2], [u8; 4])]) -> Vec<u8> {
    list.iter().flat_map(|(p, c)| p.iter().flat_map(|x| x.to_le_bytes()).chain(*c).collect::<Vec<u8>>()).collect()
}

fn plain<'a>(fragment: &'a str) -> Drawing<'a> {
    // Clockwise as seen, all of the target and more.
    let bytes =
        corners(&[([-1.0, 1.0], [255, 0, 0, 255]), ([3.0, 1.0], [0, 255, 0, 255]), ([-1.0, -3.0], [0, 0, 255, 255])]);
    Drawing {
        vertex: ("plain.wgsl", PLAIN),
        fragment: ("fragment.wgsl", fragment),
        attributes: &[(0, "float32x2", 0), (1, "unorm8x4", 8)],
        stride: 12,
        bytes,
        count: 3,
        samples: 1,
        alpha_to_coverage: false,
        flags: 0,
        write: 15,
    }
}

/// The colour at a pixel's centre: corners at the target's top left, twice its width right and
/// twice its height down.
fn expected(x: f32, y: f32) -> [f32; 3] {
    let (u, v) = (x / (2.0 * SIDE as f32), y / (2.0 * SIDE as f32));
    [1.0 - u - v, u, v]
}

fn close(got: [u8; 4], want: [f32; 3]) {
    for (g, w) in got.into_iter().zip(want) {
        assert!((f32::from(g) - 255.0 * w).abs() <= 0.51, "{got:?} {want:?}");
    }
}

#[test]
fn a_triangle_has_the_colours_of_its_corners() {
    let image =
        plain("@fragment fn main(@location(0) c: vec3f) -> @location(0) vec4f { return vec4f(c, 1.0); }").draw();
    for (x, y) in [(0, 0), (15, 0), (0, 15), (7, 9), (15, 15)] {
        close(at(&image, x, y), expected(x as f32 + 0.5, y as f32 + 0.5));
    }
}

#[test]
fn positions_derivatives_and_discard() {
    // The upper left quarter is discarded; derivatives right behind it are the neighbours'.
    let image = plain(
        "@fragment fn main(@builtin(position) p: vec4f, @location(0) c: vec3f) -> @location(0) vec4f {
            if (p.x < 8.0 && p.y < 7.0) { discard; }
            return vec4f(dpdx(p.x) * 0.5, dpdy(c.z) * 16.0, p.z, p.x / 16.0);
        }",
    )
    .draw();
    assert_eq!(at(&image, 3, 3), [0, 0, 0, 255]);
    assert_eq!(at(&image, 8, 7)[0], 128);
    assert_eq!(at(&image, 7, 7)[0], 128);
    assert_eq!(at(&image, 7, 7)[1], 128);
    assert_eq!(at(&image, 9, 1)[2], 128);
    assert_eq!(at(&image, 9, 1)[3], 151);
}

#[test]
fn coverage_of_four_samples_is_a_mean() {
    // A vertical edge at x = 8.25: samples at 2/16, 6/16, 10/16 and 14/16 of pixel 8.
    let e = 8.25 / 8.0 - 1.0;
    let white = [255; 4];
    let bytes = corners(&[
        ([-1.0, 1.0], white),
        ([e, 1.0], white),
        ([-1.0, -1.0], white),
        ([e, 1.0], white),
        ([e, -1.0], white),
        ([-1.0, -1.0], white),
    ]);
    let fragment = "@fragment fn main(@location(0) c: vec3f) -> @location(0) vec4f { return vec4f(c, 1.0); }";
    let image = Drawing { samples: 4, bytes, count: 6, ..plain(fragment) }.draw();
    assert_eq!([7, 8, 9].map(|x| at(&image, x, 5)[0]), [255, 64, 0]);
    // Half of the samples by alpha.
    let half = "@fragment fn main(@location(0) c: vec3f) -> @location(0) vec4f { return vec4f(c, 0.5); }";
    let image = Drawing { samples: 4, alpha_to_coverage: true, ..plain(half) }.draw();
    assert_eq!(at(&image, 0, 0)[0], (at(&plain(fragment).draw(), 0, 0)[0] as u32).div_ceil(2) as u8);
}

#[test]
fn glsl_draws_the_same() {
    let wgsl = plain("@fragment fn main(@location(0) c: vec3f) -> @location(0) vec4f { return vec4f(c.brg, 1.0); }");
    let glsl = Drawing {
        // y points down in GLSL.
        vertex: (
            "plain.vert",
            "#version 450
layout(location = 0) in vec2 position; layout(location = 1) in vec4 colour; layout(location = 0) out vec3 c;
void main() { gl_Position = vec4(position.x, -position.y, 0.5, 1.0); c = colour.rgb; }",
        ),
        fragment: (
            "fragment.frag",
            "#version 450
layout(location = 0) in vec3 c; layout(location = 0) out vec4 colour; void main() { colour = vec4(c.brg, 1.0); }",
        ),
        ..plain("")
    };
    assert_eq!(wgsl.draw(), glsl.draw());
}

#[test]
fn what_does_not_fit_is_refused_with_its_place() {
    let refused = |d: Drawing| d.compile().err().unwrap_or_default();
    let said =
        refused(plain("@fragment fn main(@location(3) c: vec3f) -> @location(0) vec4f { return vec4f(c, 1.0); }"));
    assert!(
        said.contains("fragment.wgsl:1:") && said.contains("gives no output for input `c` at location 3"),
        "{said}"
    );
    let said = refused(plain(
        "@fragment fn main(@location(0) @interpolate(flat) c: vec3u) -> @location(0) vec4f { return vec4f(f32(c.x)); }",
    ));
    assert!(said.contains("of unsigned integers"), "{said}");
    let said = refused(plain("@fragment fn main() -> @location(2) vec4f { return vec4f(); }"));
    assert!(said.contains("there is no such target"), "{said}");
    let fragment = "@fragment fn main(@location(0) c: vec3f) -> @location(0) vec4f { return vec4f(c, 1.0); }";
    let said = refused(Drawing { attributes: &[(0, "float32x2", 0)], ..plain(fragment) });
    assert!(said.contains("plain.wgsl:") && said.contains("no vertex buffer has an attribute"), "{said}");
    let said = refused(Drawing { attributes: &[(0, "uint32x2", 0), (1, "unorm8x4", 8)], ..plain(fragment) });
    assert!(said.contains("is of floats and its attribute is of unsigned integers"), "{said}");
}
