//! From three shaded vertices to triangles in the target: culls, clipping, viewport, depth bias.
//!
//! Written from docs/graphics.md with the machine's float operations in the page's order. Wrong
//! would be an edge that two triangles clip to different points: the ends are put in one order
//! first. Tests clip neighbours and compare.

use super::arith::{add, div, fma, less, mul, sub};
use super::records::State;
use super::triangle::{Corner, Triangle};
use crate::config::Fault;

/// Words of a vertex: the position, then the varyings.
pub type Vertex = [u32; 64];

/// Least w that is kept, 2^-76.
fn least_w(state: &State) -> u32 {
    (127 - if state.has(Fault::RuleLeastW) { 20 } else { 76 }) << 23
}
/// Magnitudes from here on, 2^100, infinity and NaNs among them, are out of range.
fn too_large(state: &State) -> u32 {
    (127 + if state.has(Fault::RuleLeastW) { 64 } else { 100 }) << 23
}
const ONE: u32 = 0x3F80_0000;

/// Why a triangle gives nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cull {
    /// A word of a position is no number or too large, or w above 0 is too small.
    Range,
    /// All corners are outside one plane.
    Frustum,
    /// It has no area, or clipping left nothing.
    Area,
    /// It shows the side that is culled.
    Face,
}

/// A triangle that is set up, with what its fragments ask for.
#[derive(Clone, Debug)]
pub struct Primitive {
    /// Edges and depth.
    pub triangle: Triangle,
    /// Its vertices in the triangle's order.
    pub vertices: [Vertex; 3],
    /// The vertex whose words are those of flat varyings.
    pub first: Vertex,
    /// 1 / w of the vertices.
    pub reciprocals: [u32; 3],
    /// 1 / twice the area.
    pub inverse_area: u32,
    /// It shows its front.
    pub front: bool,
}

/// What becomes of a triangle.
#[derive(Clone, Debug)]
pub struct Assembled {
    /// Nothing of it is left, and why.
    pub culled: Option<Cull>,
    /// It was cut by a plane.
    pub clipped: bool,
    /// What is drawn.
    pub primitives: Vec<Primitive>,
}

/// Culls, clips and sets up one triangle. `state` gives viewport, culled faces and bias.
pub fn assemble(vertices: [&Vertex; 3], state: &State) -> Assembled {
    let culled = |cull| Assembled { culled: Some(cull), clipped: false, primitives: vec![] };
    let (large, least) = (too_large(state), least_w(state));
    if vertices.iter().any(|v| v[..4].iter().any(|w| w & 0x7FFF_FFFF >= large) || (1..least).contains(&v[3])) {
        return culled(Cull::Range);
    }
    // The planted near plane lies before this one.
    let first = if state.has(Fault::RuleNearPlane) { 5 } else { 4 };
    if (0..4).chain(first..6).any(|plane| vertices.iter().all(|v| beyond(v, plane))) {
        return culled(Cull::Frustum);
    }
    let polygon = clip(vertices, state);
    let clipped = polygon.is_some();
    let polygon = polygon.unwrap_or_else(|| vertices.map(|v| *v).to_vec());
    let mut out = Assembled { culled: None, clipped, primitives: vec![] };
    let provoking = vertices[if state.has(Fault::RuleFlatLast) { 2 } else { 0 }];
    let mut last = Cull::Area;
    for k in 2..polygon.len() {
        match set_up([&polygon[0], &polygon[k - 1], &polygon[k]], provoking, state) {
            Ok(primitive) => out.primitives.push(primitive),
            Err(cull) => last = if last == Cull::Face { last } else { cull },
        }
    }
    if out.primitives.is_empty() {
        out.culled = Some(last);
    }
    out
}

/// Outside a plane of the view volume.
fn beyond(v: &Vertex, plane: usize) -> bool {
    let (w, negative) = (v[3], v[3] ^ 0x8000_0000);
    match plane {
        0 => less(v[0], negative),
        1 => less(w, v[0]),
        2 => less(v[1], negative),
        3 => less(w, v[1]),
        4 => less(v[2], 0),
        _ => less(w, v[2]),
    }
}

/// Distance from clip plane `plane`, in their order; negative outside.
fn distance(v: &Vertex, plane: usize, state: &State) -> u32 {
    let guard = |axis: usize| mul(state.viewport[6 + axis], v[3]);
    match plane {
        0 if state.has(Fault::RuleNearPlane) => add(v[2], v[3]),
        0 => v[2],
        1 => sub(v[3], v[2]),
        2 => sub(v[3], least_w(state)),
        3 => sub(guard(0), v[0]),
        4 => add(guard(0), v[0]),
        5 => sub(guard(1), v[1]),
        _ => add(guard(1), v[1]),
    }
}

/// The polygon that the clip planes leave; `None` if no vertex is outside one.
fn clip(vertices: [&Vertex; 3], state: &State) -> Option<Vec<Vertex>> {
    let outside = |v: &Vertex, plane| less(distance(v, plane, state), 0);
    if !vertices.iter().any(|v| (0..7).any(|plane| outside(v, plane))) {
        return None;
    }
    let mut polygon: Vec<Vertex> = vertices.map(|v| *v).to_vec();
    for plane in 0..7 {
        let mut kept = Vec::with_capacity(polygon.len() + 1);
        for (k, v) in polygon.iter().enumerate() {
            let next = &polygon[(k + 1) % polygon.len()];
            let here = !outside(v, plane);
            if here {
                kept.push(*v);
            }
            if here == outside(next, plane) {
                kept.push(crossing(v, next, plane, state));
            }
        }
        polygon = kept;
    }
    Some(polygon)
}

/// Where the edge between two vertices crosses a plane.
fn crossing(a: &Vertex, b: &Vertex, plane: usize, state: &State) -> Vertex {
    let (v1, v2) = if a[..4] <= b[..4] { (a, b) } else { (b, a) };
    let (d1, d2) = (distance(v1, plane, state), distance(v2, plane, state));
    let t = div(d1, sub(d1, d2));
    let mix = |t: u32, k: usize| if v1[k] == v2[k] { v1[k] } else { fma(t, sub(v2[k], v1[k]), v1[k]) };
    let mut out: Vertex = [0; 64];
    for (k, word) in out.iter_mut().enumerate().take(4) {
        *word = mix(t, k);
    }
    // What rounding makes of so small a number may as well be negative.
    if plane == 2 && !state.has(Fault::RuleLeastW) {
        out[3] = least_w(state);
    }
    if state.has(Fault::RuleCutVaryings) {
        out[4..].copy_from_slice(&v1[4..]);
        return out;
    }
    let along = div(mul(t, v2[3]), out[3]);
    for (k, word) in out.iter_mut().enumerate().skip(4).take(state.varyings) {
        *word = if state.linear >> (k - 4) & 1 == 1 { mix(along, k) } else { mix(t, k) };
    }
    out
}

/// The nearest integer to an exact multiple of a float; ties to the even one, NaN to 0.
fn nearest(x: u32, scale: f64) -> i64 {
    (f64::from(f32::from_bits(x)) * scale).round_ties_even() as i64
}

/// 64 units of depth for each of the format's.
const DEPTH: i64 = 64 * 0xFF_FFFF;

fn corner(v: &Vertex, state: &State) -> Corner {
    let [cx, cy, hx, hy, z0, dz, ..] = state.viewport;
    let r = div(ONE, v[3]);
    // What clipping makes may lie beyond the guard band, by rounding.
    let most = (1 << 21) - 1;
    let held = |place: i64| place.clamp(-1 - most, most);
    let snapped = |place: u32| match state.has(Fault::RuleSubPixel) {
        _ if f32::from_bits(place).is_nan() => most,
        true => held(16 * nearest(place, 16.0)),
        false => held(nearest(place, 256.0)),
    };
    let x = snapped(fma(mul(v[0], r), hx, cx));
    let y = snapped(fma(mul(v[1], r), hy, cy));
    let (dz, z0) = if state.has(Fault::RuleDepthRange) { (ONE, 0) } else { (dz, z0) };
    let z = fma(mul(v[2], r), dz, z0);
    let held = if less(0, z) { z } else { 0 };
    let held = if less(held, ONE) { held } else { ONE };
    Corner { x, y, z: nearest(held, DEPTH as f64) }
}

fn set_up(vertices: [&Vertex; 3], first: &Vertex, state: &State) -> Result<Primitive, Cull> {
    let mut corners = vertices.map(|v| corner(v, state));
    corners[0].x -= i64::from(state.has(Fault::RuleSnapApart));
    let mut triangle = Triangle::new(corners).ok_or(Cull::Area)?;
    let clockwise = !triangle.counter_clockwise;
    if if clockwise != state.has(Fault::RuleCull) { state.cull_clockwise } else { state.cull_counter_clockwise } {
        return Err(Cull::Face);
    }
    let [constant, slope, limit] = state.bias;
    let mut shift = 0;
    if constant | slope != 0 {
        let changes = triangle.gradients().map(i64::abs);
        let steepest =
            if state.has(Fault::RuleSlope) { changes[0].min(changes[1]) } else { changes[0].max(changes[1]) };
        // Two powers of two: exact.
        let m = mul((steepest as f32).to_bits(), (1.0f32 / 65536.0).to_bits());
        let b = fma(m, slope, constant);
        let b = match limit {
            _ if state.has(Fault::RuleBiasClamp) => b,
            l if less(0, l) => {
                if less(l, b) {
                    l
                } else {
                    b
                }
            }
            l if less(l, 0) => {
                if less(b, l) {
                    l
                } else {
                    b
                }
            }
            _ => b,
        };
        // What is more moves every depth to an end.
        let most = f64::from(1 << 24);
        shift = (f64::from(f32::from_bits(b)).clamp(-most, most) * 64.0).round_ties_even() as i64;
    }
    if state.has(Fault::RuleBiasVertices) {
        triangle.shift_vertices(shift, DEPTH);
    } else {
        triangle.shift(shift, state.depth_range.map(i64::from));
    }
    let mut ordered = vertices.map(|v| *v);
    if !clockwise {
        ordered.swap(1, 2);
    }
    Ok(Primitive {
        reciprocals: ordered.map(|v| if state.has(Fault::RulePerspective) { ONE } else { div(ONE, v[3]) }),
        inverse_area: div(ONE, (triangle.area() as f32).to_bits()),
        front: clockwise == state.front_clockwise,
        triangle,
        vertices: ordered,
        first: *first,
    })
}

#[cfg(test)]
mod tests {
    use super::super::samples::Samples;
    use super::*;
    use proptest::prelude::*;

    const SIDE: i64 = 16;

    fn state() -> State {
        let half = SIDE as f32 / 2.0;
        let guard = 8190.0 / half - 1.0;
        let mut state = State::read(&crate::memory::Memory::new(0x2000), 0x1000).expect("zeros are a record");
        state.viewport = [half, half, half, -half, 0.0, 1.0, guard, guard].map(f32::to_bits);
        state.depth_range = [0, 0xFF_FFFF];
        state.varyings = 2;
        state
    }

    fn vertex(position: [f32; 4], varyings: [f32; 2]) -> Vertex {
        let mut v = [0; 64];
        v[..4].copy_from_slice(&position.map(f32::to_bits));
        v[4..6].copy_from_slice(&varyings.map(f32::to_bits));
        v
    }

    /// Determinants of the homogeneous triangle at a pixel's centre: a point is inside if the three
    /// have the sign of the whole; their sum over the whole is 1 / w there.
    fn weights(v: &[[f64; 4]; 3], x: f64, y: f64) -> [f64; 3] {
        let p = [x, y, 1.0];
        let xyw = v.map(|v| [v[0], v[1], v[3]]);
        let det = |a: [f64; 3], b: [f64; 3], c: [f64; 3]| {
            a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0])
        };
        let whole = det(xyw[0], xyw[1], xyw[2]);
        [det(p, xyw[1], xyw[2]), det(xyw[0], p, xyw[2]), det(xyw[0], xyw[1], p)].map(|d| d / whole)
    }

    fn coordinate() -> impl Strategy<Value = f32> {
        prop_oneof![4 => -2f32..2.0, 1 => -60f32..60.0, 1 => -20000f32..20000.0]
    }

    fn position() -> impl Strategy<Value = [f32; 4]> {
        (coordinate(), coordinate(), -0.5f32..1.5, prop_oneof![2 => 0.1f32..2.0, 1 => -1f32..1.0])
            .prop_map(|(x, y, z, w)| [x, y, z * w.abs().max(0.05), w])
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

        /// Where the exact homogeneous triangle, cut by depth, says clearly inside or outside, so
        /// does what is left of it after culls, clipping and rounding. Depth and varyings there are
        /// the exact ones, nearly.
        #[test]
        fn what_is_drawn_is_the_homogeneous_triangle(p in [position(), position(), position()]) {
            let state = state();
            let f = p.map(|p| p.map(f64::from));
            let vertices = [vertex(p[0], [0.0, 1.0]), vertex(p[1], [1.0, 1.0]), vertex(p[2], [0.25, 1.0])];
            let assembled = assemble([&vertices[0], &vertices[1], &vertices[2]], &state);
            for y in 0..SIDE {
                for x in 0..SIDE {
                    let place = Samples::One.at((x, y), 0);
                    let ndc = |(dx, dy): (f64, f64)| {
                        let half = SIDE as f64 / 2.0;
                        weights(&f, (x as f64 + 0.5 - half + dx) / half, (half - y as f64 - 0.5 + dy) / half)
                    };
                    // The pixel's centre and eight places 2/100 pixel around it: corners are
                    // rounded to 1/256 pixel.
                    let margin = [-0.02, 0.0, 0.02];
                    let all = margin.map(|dx| margin.map(|dy| ndc((dx, dy)))).concat();
                    let depth = |l: &[f64; 3]| {
                        let w = l.iter().sum::<f64>();
                        (0..3).map(|i| l[i] * f[i][2]).sum::<f64>() / (0..3).map(|i| l[i] * f[i][3]).sum::<f64>() * if w > 0.0 { 1.0 } else { f64::NAN }
                    };
                    let clear = |l: &[f64; 3]| l.iter().all(|&w| w > 1e-3) && (0.01..0.99).contains(&depth(l));
                    // One edge or plane has all nine places outside. Outside each of another is a
                    // sliver or a steep one, which rounding may move over the centre.
                    let edge = |k: usize| all.iter().all(|l| l[k] < -1e-3);
                    let out = (0..3).any(edge)
                        || all.iter().all(|l| depth(l) < -0.01)
                        || all.iter().all(|l| depth(l) > 1.01);
                    let covering: Vec<&Primitive> =
                        assembled.primitives.iter().filter(|p| p.triangle.covers(place)).collect();
                    if all.iter().all(clear) {
                        prop_assert_eq!(covering.len(), 1, "pixel {} {} of {:?}: {:?}", x, y, p, assembled.culled);
                    } else if out {
                        prop_assert!(covering.is_empty(), "pixel {} {} of {:?}", x, y, p);
                    }
                }
            }
        }

        /// Two triangles on both sides of an edge are cut to the same points on it, whichever way
        /// each goes along it.
        #[test]
        fn neighbours_are_cut_alike(p in [position(), position(), position(), position()]) {
            let state = state();
            let v = p.map(|p| vertex(p, [0.5, 2.0]));
            for plane in 0..7 {
                let cut = crossing(&v[0], &v[1], plane, &state);
                prop_assert_eq!(cut, crossing(&v[1], &v[0], plane, &state));
            }
            let both = [[&v[0], &v[1], &v[2]], [&v[1], &v[0], &v[3]]].map(|t| assemble(t, &state));
            // Nothing is covered twice if the neighbours lie on different sides, as seen.
            if both.iter().all(|b| b.primitives.len() == 1 && !b.clipped) {
                let same = both[0].primitives[0].triangle.counter_clockwise == both[1].primitives[0].triangle.counter_clockwise;
                for k in (0..SIDE * SIDE).filter(|_| same) {
                    let place = Samples::One.at((k % SIDE, k / SIDE), 0);
                    prop_assert!(!both.iter().all(|b| b.primitives[0].triangle.covers(place)));
                }
            }
        }
    }

    #[test]
    fn culls_by_their_reason() {
        let state = state();
        let of = |p: [[f32; 4]; 3], state: &State| {
            let v = p.map(|p| vertex(p, [0.0; 2]));
            assemble([&v[0], &v[1], &v[2]], state).culled
        };
        let good = [[-0.5, -0.5, 0.5, 1.0], [0.5, -0.5, 0.5, 1.0], [0.0, 0.5, 0.5, 1.0]];
        assert_eq!(of(good, &state), None);
        for bad in [f32::NAN, f32::INFINITY] {
            assert_eq!(of([[bad, 0.0, 0.0, 1.0], good[1], good[2]], &state), Some(Cull::Range));
        }
        let (large, small) = (2f32.powi(100), 2f32.powi(-76));
        for bad in
            [[large, 0.0, 0.0, 1.0], [0.0, 0.0, -large, 1.0], [0.0, 0.0, 0.0, large], [0.0, 0.0, 0.0, 0.99 * small]]
        {
            assert_eq!(of([bad, good[1], good[2]], &state), Some(Cull::Range), "{bad:?}");
        }
        assert_eq!(of(good.map(|p| [p[0] + 4.0, p[1], p[2], p[3]]), &state), Some(Cull::Frustum));
        assert_eq!(of([good[0], good[0], good[2]], &state), Some(Cull::Area));
        // It is counter-clockwise as seen.
        assert_eq!(of(good, &State { cull_counter_clockwise: true, ..state.clone() }), Some(Cull::Face));
        assert_eq!(of(good, &State { cull_clockwise: true, ..state }), None);
    }
}
