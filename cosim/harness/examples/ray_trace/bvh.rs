//! The mesh as the shader reads it: a bounding-volume hierarchy in depth-first order without a
//! stack, and triangles in the order of its leaves.
//!
//! A node is one 16-byte line, so that a lane that walks alone costs one memory transaction per
//! node: the box as six f16, rounded outwards from a box that is already `SLACK` wider than the
//! triangles, and where to go on when the box is missed. It can be wrong if a box excludes a point
//! that the triangle test would accept: the picture's reference tests every triangle and would
//! differ.

use super::scene::{add, cross, dot, scaled, sub, unit, V};

/// Triangles of a leaf, at most. The field has three bits.
const LEAF: usize = 4;
/// Widening of a box, in scene units: above the f32 error of the shader's box test (2^-24 of
/// distances below 20) and of points that the triangle test's own slack lets pass beside a
/// triangle.
const SLACK: f64 = 1e-3;
/// Number of the first triangle: the shader uses those below for what is not a triangle.
pub const FIRST: usize = 40;
/// Where to go on after the last node.
const END: u32 = 0xFFFF;

/// Buffers of the shader.
pub struct Hierarchy {
    pub nodes: Vec<[u32; 4]>,
    /// Three rows per triangle.
    pub rows: Vec<[f32; 4]>,
    pub normals: Vec<[u32; 4]>,
}

#[derive(Clone, Copy)]
struct Bounds {
    low: V,
    high: V,
}

impl Bounds {
    const EMPTY: Bounds = Bounds { low: [f64::INFINITY; 3], high: [f64::NEG_INFINITY; 3] };

    fn with(self, p: V) -> Bounds {
        Bounds {
            low: std::array::from_fn(|i| self.low[i].min(p[i])),
            high: std::array::from_fn(|i| self.high[i].max(p[i])),
        }
    }

    fn of<'a>(triangles: impl IntoIterator<Item = &'a Triangle>) -> Bounds {
        triangles.into_iter().flat_map(|t| t.corners).fold(Bounds::EMPTY, Bounds::with)
    }

    /// Half the surface.
    fn area(self) -> f64 {
        let d = sub(self.high, self.low);
        d[0] * d[1] + d[1] * d[2] + d[2] * d[0]
    }
}

#[derive(Clone, Copy)]
struct Triangle {
    corners: [V; 3],
    normals: [V; 3],
}

/// The buffers of a mesh of corner triples.
pub fn build(corners: &[[V; 3]]) -> Hierarchy {
    let normals = smooth_normals(corners);
    let mut triangles: Vec<Triangle> =
        corners.iter().zip(normals).map(|(&corners, normals)| Triangle { corners, normals }).collect();
    assert!(FIRST + triangles.len() < 1 << 13, "the leaf word has 13 bits for the first triangle");
    let mut nodes = Vec::new();
    subtree(&mut triangles, FIRST, &mut nodes);
    let count = nodes.len() as u32;
    assert!(count < END, "the link has 16 bits");
    for node in &mut nodes {
        // What comes after the whole tree ends the walk.
        if node[3] >> 16 == count {
            node[3] |= END << 16;
        }
    }
    let unused = [[0.0; 4]; 3];
    Hierarchy {
        nodes,
        rows: [unused; FIRST].into_iter().chain(triangles.iter().map(|t| rows(t.corners))).flatten().collect(),
        normals: [[0; 4]; FIRST].into_iter().chain(triangles.iter().map(|t| packed_normals(t.normals))).collect(),
    }
}

/// Smooth normals: at each point the sum of its triangles' normals, weighted by their area.
pub fn smooth_normals(corners: &[[V; 3]]) -> Vec<[V; 3]> {
    let key = |p: V| p.map(f64::to_bits);
    let mut sums = std::collections::BTreeMap::new();
    for &[a, b, c] in corners {
        let normal = cross(sub(b, a), sub(c, a));
        for p in [a, b, c] {
            let sum = sums.entry(key(p)).or_insert([0.0; 3]);
            *sum = add(*sum, normal);
        }
    }
    corners.iter().map(|corners| corners.map(|p| unit(sums[&key(p)]))).collect()
}

/// Appends the nodes of `triangles` (the first of which has number `first`), sorting them into leaf
/// order.
fn subtree(triangles: &mut [Triangle], first: usize, nodes: &mut Vec<[u32; 4]>) {
    let own = nodes.len();
    nodes.push(box_words(Bounds::of(&*triangles)));
    match split(triangles) {
        Some(at) => {
            let (left, right) = triangles.split_at_mut(at);
            subtree(left, first, nodes);
            subtree(right, first + at, nodes);
        }
        None => nodes[own][3] |= (first << 3 | triangles.len()) as u32,
    }
    nodes[own][3] |= (nodes.len() as u32) << 16;
}

/// Sorts along the axis of the cheapest split by the surface-area heuristic and gives its place;
/// `None`: better a leaf.
fn split(triangles: &mut [Triangle]) -> Option<usize> {
    let n = triangles.len();
    let middle = |t: &Triangle, axis: usize| t.corners.iter().map(|p| p[axis]).sum::<f64>();
    let mut best: Option<(f64, usize, usize)> = None;
    for axis in 0..3 {
        triangles.sort_by(|a, b| middle(a, axis).total_cmp(&middle(b, axis)));
        let mut right = vec![0.0; n];
        let mut bounds = Bounds::EMPTY;
        for i in (1..n).rev() {
            bounds = triangles[i].corners.into_iter().fold(bounds, Bounds::with);
            right[i] = bounds.area();
        }
        bounds = Bounds::EMPTY;
        for i in 1..n {
            bounds = triangles[i - 1].corners.into_iter().fold(bounds, Bounds::with);
            let cost = bounds.area() * i as f64 + right[i] * (n - i) as f64;
            if best.is_none_or(|(least, ..)| cost < least) {
                best = Some((cost, axis, i));
            }
        }
    }
    let (cost, axis, at) = best?;
    // Visiting a node costs about as much as testing one triangle.
    let here = Bounds::of(&*triangles).area();
    if n <= LEAF && cost + 2.0 * here >= here * n as f64 {
        return None;
    }
    triangles.sort_by(|a, b| middle(a, axis).total_cmp(&middle(b, axis)));
    Some(at)
}

fn box_words(bounds: Bounds) -> [u32; 4] {
    let low = bounds.low.map(|x| u32::from(f16_below(x - SLACK)));
    let high = bounds.high.map(|x| u32::from(f16_below(-(x + SLACK)) ^ 0x8000));
    [low[0] | low[1] << 16, low[2] | high[0] << 16, high[1] | high[2] << 16, 0]
}

/// The greatest f16 not above `x`, which must be a number of f16's normal range or smaller.
fn f16_below(x: f64) -> u16 {
    assert!(x.abs() < 65504.0, "the scene is too large for f16 boxes");
    let magnitude = |bits: u16| {
        let (exponent, fraction) = (i32::from(bits >> 10), f64::from(bits & 0x3FF) / 1024.0);
        if exponent == 0 {
            fraction * 2f64.powi(-14)
        } else {
            (1.0 + fraction) * 2f64.powi(exponent - 15)
        }
    };
    // Bit by bit, the last magnitude for which `below` holds; it holds for 0.
    let last = |below: &dyn Fn(f64) -> bool| {
        (0..15).rev().fold(0u16, |bits, i| match bits | 1 << i {
            more if more < 0x7C00 && below(magnitude(more)) => more,
            _ => bits,
        })
    };
    match x >= 0.0 {
        true => last(&|m| m <= x),
        false => (last(&|m| m < -x) + 1) | 0x8000,
    }
}

/// Rows that take a point to its distance from the triangle's plane, and to its coordinates along
/// the edges from the first corner.
fn rows([a, b, c]: [V; 3]) -> [[f32; 4]; 3] {
    let (e1, e2) = (sub(b, a), sub(c, a));
    let normal = cross(e1, e2);
    let plane = unit(normal);
    let along = |v: V, edge: V| scaled(v, 1.0 / dot(v, edge));
    let row = |v: V| [v[0] as f32, v[1] as f32, v[2] as f32, -dot(v, a) as f32];
    [row(plane), row(along(cross(e2, normal), e1)), row(along(cross(normal, e1), e2))]
}

fn packed_normals(normals: [V; 3]) -> [u32; 4] {
    let byte = |x: f64| u32::from((x * 127.0).round() as i8 as u8);
    let word = |n: V| byte(n[0]) | byte(n[1]) << 8 | byte(n[2]) << 16;
    [word(normals[0]), word(normals[1]), word(normals[2]), 0]
}
