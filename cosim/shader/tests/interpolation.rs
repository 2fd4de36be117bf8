//! Varyings in every way of interpolation, in every language and from one to another: the floats
//! of every sample against a calculation in f64 from the exact edge functions.
//!
//! The bound is docs/graphics.md's: four units of the last place of the largest corner. Places
//! outside of the triangle (a centre of which only other samples are covered) have a wider one.
//! Ways differ by far more: the corners' distances are 1, 4 and 1/2.

use crate::common::draw::{pixels, places, Buffer, Drawing, In, Known, Picture, Source, LANGUAGES};

/// How a varying is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    Centre,
    Centroid,
    Sample,
}

/// WGSL, GLSL, in perspective (else linear), place; `None` is flat.
type Way = (&'static str, &'static str, Option<(bool, At)>);

const WAYS: [Way; 7] = [
    ("flat", "flat", None),
    ("perspective", "", Some((true, At::Centre))),
    ("perspective, centroid", "centroid", Some((true, At::Centroid))),
    ("perspective, sample", "sample", Some((true, At::Sample))),
    ("linear", "noperspective", Some((false, At::Centre))),
    ("linear, centroid", "noperspective centroid", Some((false, At::Centroid))),
    ("linear, sample", "noperspective sample", Some((false, At::Sample))),
];

/// Of each corner four components.
const CORNERS: [[f32; 4]; 3] = [[0.1, -7.5, 1000.0, 3.0], [2.7, 0.3, -250.5, 3.0], [-0.9, 12.25, 8.0, 3.0]];

fn vertex(lang: In, way: Way) -> Source {
    Source::vertex(
        lang,
        &format!(
            "struct V {{ @builtin(position) p: vec4f, @location(2) @interpolate({}) c: vec4f }}
@vertex fn main(@location(0) p: vec4f, @location(1) c: vec4f) -> V {{ return V(p, c); }}",
            way.0
        ),
        &format!(
            "layout(location = 0) in vec4 p; layout(location = 1) in vec4 c;
layout(location = 2) {} out vec4 d; void main() {{ gl_Position = p; d = c; }}",
            way.1
        ),
    )
}

fn fragment(lang: In, way: Way) -> Source {
    Source::fragment(
        lang,
        &format!(
            "struct O {{ @location(0) a: f32, @location(1) b: f32, @location(2) c: f32, @location(3) d: f32 }}
@fragment fn main(@location(2) @interpolate({}) v: vec4f) -> O {{ return O(v.x, v.y, v.z, v.w); }}",
            way.0
        ),
        &format!(
            "layout(location = 2) {} in vec4 v; layout(location = 0) out float a; layout(location = 1) out float b;
layout(location = 2) out float c; layout(location = 3) out float d;
void main() {{ a = v.x; b = v.y; c = v.z; d = v.w; }}",
            way.1
        ),
    )
}

/// What is written where nothing is drawn.
const CLEAR: u32 = 0xFF00_0000;

fn check(picture: &Picture, samples: u32, way: Way, what: &str) {
    let known = Known::SLANTED;
    let mut seen = 0;
    for at in pixels() {
        let covered = known.covered(at, samples);
        let all = (1 << samples) - 1;
        for s in 0..samples {
            if covered >> s & 1 == 0 {
                assert_eq!(picture.sample(0, 0, s, at), CLEAR, "{what}: {at:?} {s} is not covered");
                continue;
            }
            seen += 1;
            let first = covered.trailing_zeros() as usize;
            let place = match way.2 {
                Some((_, At::Sample)) => places(samples)[s as usize],
                Some((_, At::Centroid)) if covered != all => places(samples)[first],
                _ => [8, 8],
            };
            let inside = known.edges(at, place).iter().all(|&e| e >= 0);
            for c in 0..4 {
                let corners = CORNERS.map(|v| v[c]);
                let got = f64::from(picture.float(c as u32, s, at));
                let Some((perspective, _)) = way.2 else {
                    assert_eq!(got, f64::from(corners[0]), "{what}: {at:?} {s}");
                    continue;
                };
                let want = known.value(corners, at, place, perspective);
                let most = corners.iter().fold(0f64, |m, &v| m.max(f64::from(v.abs())));
                let bound = if inside { 4.0 } else { 64.0 } * most * 2f64.powi(-23);
                assert!((got - want).abs() <= bound, "{what}: {at:?} sample {s}, component {c}: {got} {want}");
            }
            // Equal corners stay what they are.
            assert_eq!(picture.float(3, s, at), 3.0);
        }
    }
    assert!(seen > 100 * samples / 2, "{seen}");
}

fn draw(vertex: Source, fragment: Source, lang: In, samples: u32) -> Picture {
    let buffers = vec![Buffer::vec4(0, &Known::SLANTED.positions(lang)), Buffer::vec4(1, &CORNERS)];
    Drawing { samples, ..Drawing::new(vertex, fragment, buffers, 3) }.draw()
}

#[test]
fn every_way_in_every_language() {
    for lang in LANGUAGES {
        for way in WAYS {
            for samples in [1, 2, 4] {
                let picture = draw(vertex(lang, way), fragment(lang, way), lang, samples);
                let per_sample = matches!(way.2, Some((_, At::Sample))) && samples > 1;
                assert_eq!(picture.pipeline.per_sample, per_sample);
                check(&picture, samples, way, &format!("{lang:?} {}, {samples} samples", way.0));
            }
        }
    }
}

#[test]
fn every_language_to_every_other() {
    for from in LANGUAGES {
        for to in LANGUAGES {
            for way in WAYS {
                let picture = draw(vertex(from, way), fragment(to, way), from, 4);
                check(&picture, 4, way, &format!("{from:?} to {to:?}, {}", way.0));
            }
        }
    }
}

/// Between programs of Vulkan the input decides.
#[test]
fn a_flat_output_is_interpolated_if_the_input_says_so() {
    let picture = draw(vertex(In::Glsl, WAYS[0]), fragment(In::Spirv, WAYS[4]), In::Glsl, 4);
    check(&picture, 4, WAYS[4], "flat to linear");
    let picture = draw(vertex(In::Spirv, WAYS[4]), fragment(In::Glsl, WAYS[0]), In::Spirv, 4);
    check(&picture, 4, WAYS[0], "linear to flat");
}
