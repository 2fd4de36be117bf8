//! From three shaded vertices to triangles in the target: culls, clipping, viewport, depth bias.
//!
//! Written from docs/graphics.md with the machine's float operations in the page's order. Wrong
//! would be an edge that two triangles clip to different points: the ends are put in one order
//! first. Tests clip neighbours and compare.

use super::arith::{add, div, fma, less, mul, sub};
use super::records::State;
use super::triangle::{Corner, Triangle};

/// Words of a vertex: the position, then the varyings.
pub type Vertex = [u32; 64];

/// Least w that is kept, 2^-20.
const LEAST_W: u32 = 0x3580_0000;
/// Magnitudes from 2^64 on are not numbers here.
const TOO_LARGE: u32 = (127 + 64) << 23;
const ONE: u32 = 0x3F80_0000;

/// Why a triangle gives nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cull {
    /// A position is no number, or too large.
    Nan,
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
    if vertices.iter().any(|v| v[..4].iter().any(|w| w & 0x7FFF_FFFF >= TOO_LARGE)) {
        return culled(Cull::Nan);
    }
    if (0..6).any(|plane| vertices.iter().all(|v| beyond(v, plane))) {
        return culled(Cull::Frustum);
    }
    let polygon = clip(vertices, state);
    let clipped = polygon.is_some();
    let polygon = polygon.unwrap_or_else(|| vertices.map(|v| *v).to_vec());
    let mut out = Assembled { culled: None, clipped, primitives: vec![] };
    let mut last = Cull::Area;
    for k in 2..polygon.len() {
        match set_up([&polygon[0], &polygon[k - 1], &polygon[k]], vertices[0], state) {
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
        0 => sub(v[3], LEAST_W),
        1 => v[2],
        2 => sub(v[3], v[2]),
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
    let x = nearest(fma(mul(v[0], r), hx, cx), 256.0);
    let y = nearest(fma(mul(v[1], r), hy, cy), 256.0);
    let z = fma(mul(v[2], r), dz, z0);
    let held = if less(0, z) { z } else { 0 };
    let held = if less(held, ONE) { held } else { ONE };
    Corner { x, y, z: nearest(held, DEPTH as f64) }
}

fn set_up(vertices: [&Vertex; 3], first: &Vertex, state: &State) -> Result<Primitive, Cull> {
    let corners = vertices.map(|v| corner(v, state));
    let mut triangle = Triangle::new(corners).ok_or(Cull::Area)?;
    let clockwise = !triangle.counter_clockwise;
    if if clockwise { state.cull_clockwise } else { state.cull_counter_clockwise } {
        return Err(Cull::Face);
    }
    let [constant, slope, limit] = state.bias;
    if constant | slope != 0 {
        let steepest = triangle.gradients().map(i64::abs).into_iter().max().unwrap_or(0);
        // Two powers of two: exact.
        let m = mul((steepest as f32).to_bits(), (1.0f32 / 65536.0).to_bits());
        let b = fma(m, slope, constant);
        let b = match limit {
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
        let most = f64::from(1 << 26);
        let bias = (f64::from(f32::from_bits(b)).clamp(-most, most) * 64.0).round_ties_even() as i64;
        triangle.shift(bias, DEPTH);
    }
    let mut ordered = vertices.map(|v| *v);
    if !clockwise {
        ordered.swap(1, 2);
    }
    Ok(Primitive {
        reciprocals: ordered.map(|v| div(ONE, v[3])),
        inverse_area: div(ONE, (triangle.area() as f32).to_bits()),
        front: clockwise == state.front_clockwise,
        triangle,
        vertices: ordered,
        first: *first,
    })
}
