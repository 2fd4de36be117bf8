//! Vertex and fragment programs compiled, and drawn by the golden model from records in memory.
//!
//! The picture is asked for at places where it can be worked out by hand. It would be wrong to
//! expect what the compiler made; so colours come from formulas of the test.

use crate::common::draw::In;
use crate::common::draw::{Buffer, Drawing as Drawn, Source, SIDE};
use quadlock_shader::front::linkage::TargetFormat;
use quadlock_shader::graphics::Pipeline;

struct Drawing<'a> {
    lang: In,
    vertex: &'a str,
    fragment: &'a str,
    attributes: &'a [(u32, &'static str, u32)],
    stride: u32,
    bytes: Vec<u8>,
    count: u32,
    samples: u32,
    alpha_to_coverage: bool,
}

impl Drawing<'_> {
    fn drawing(&self) -> Drawn {
        let buffer = Buffer {
            attributes: self.attributes.to_vec(),
            stride: self.stride,
            per_instance: false,
            bytes: self.bytes.clone(),
        };
        let vertex = Source::vertex(self.lang, self.vertex, self.vertex);
        let fragment = Source::fragment(self.lang, self.fragment, self.fragment);
        Drawn {
            targets: vec![TargetFormat::Rgba8Unorm],
            samples: self.samples,
            alpha_to_coverage: self.alpha_to_coverage,
            ..Drawn::new(vertex, fragment, vec![buffer], self.count)
        }
    }

    fn compile(&self) -> Result<Pipeline, String> {
        self.drawing().compile()
    }

    /// The pixels, as r, g, b, a; of several samples their mean.
    fn draw(&self) -> Vec<[u8; 4]> {
        let picture = self.drawing().draw();
        (0..SIDE * SIDE).map(|k| picture.resolved(0, (k % SIDE, k / SIDE))).collect()
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
        lang: In::Wgsl,
        vertex: PLAIN,
        fragment,
        attributes: &[(0, "float32x2", 0), (1, "unorm8x4", 8)],
        stride: 12,
        bytes,
        count: 3,
        samples: 1,
        alpha_to_coverage: false,
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
        lang: In::Glsl,
        vertex: "
layout(location = 0) in vec2 position; layout(location = 1) in vec4 colour; layout(location = 0) out vec3 c;
void main() { gl_Position = vec4(position.x, -position.y, 0.5, 1.0); c = colour.rgb; }",
        fragment: "
layout(location = 0) in vec3 c; layout(location = 0) out vec4 colour; void main() { colour = vec4(c.brg, 1.0); }",
        ..plain("")
    };
    assert_eq!(wgsl.draw(), glsl.draw());
}

#[test]
fn what_does_not_fit_is_refused_with_its_place() {
    let refused = |d: Drawing| d.compile().err().unwrap_or_default();
    let said =
        refused(plain("@fragment fn main(@location(3) c: vec3f) -> @location(0) vec4f { return vec4f(c, 1.0); }"));
    assert!(said.contains("w.wgsl:1:") && said.contains("gives no output for input `c` at location 3"), "{said}");
    let said = refused(plain(
        "@fragment fn main(@location(0) @interpolate(flat) c: vec3u) -> @location(0) vec4f { return vec4f(f32(c.x)); }",
    ));
    assert!(said.contains("of unsigned integers"), "{said}");
    let said = refused(plain(
        "struct O { @location(0) a: vec4f, @location(2) b: vec4f }\n@fragment fn main() -> O { return O(); }",
    ));
    assert!(said.contains("there is no such target"), "{said}");
    let fragment = "@fragment fn main(@location(0) c: vec3f) -> @location(0) vec4f { return vec4f(c, 1.0); }";
    let said = refused(Drawing { attributes: &[(0, "float32x2", 0)], ..plain(fragment) });
    assert!(said.contains("w.wgsl:") && said.contains("no vertex buffer has an attribute"), "{said}");
    let said = refused(Drawing { attributes: &[(0, "uint32x2", 0), (1, "unorm8x4", 8)], ..plain(fragment) });
    assert!(said.contains("is of floats and its attribute is of unsigned integers"), "{said}");
}
