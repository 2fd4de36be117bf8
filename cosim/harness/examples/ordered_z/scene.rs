//! What is drawn in `examples/ordered-z`: a backdrop, two rings as triangle strips that come by
//! turns, panes before and between them, a line strip that winds through the rings, single lines,
//! and points.

use std::f64::consts::TAU;

use libm::{cos, sin};

use super::{Draw, Size, Topology, Vertex, BACKDROP, PIXEL};

/// A corner in the scene: x from -4 to 4 and y from -3 to 3 fill a screen of 4:3, z in steps of
/// depth.
#[derive(Clone, Copy)]
struct Corner {
    at: [f64; 3],
    colour: [i64; 3],
    opacity: i64,
}

/// A triangle in the scene.
#[derive(Clone, Copy)]
struct Shape {
    corners: [[f64; 3]; 3],
    colour: [i64; 3],
    opacity: i64,
}

pub fn draws(size: &Size) -> Vec<Draw> {
    let on_screen = |c: &Corner| {
        let scale = size.width as f64 / 8.0 * PIXEL as f64;
        let place = |x: f64, middle: i64| (x * scale).round() as i64 + middle * PIXEL / 2;
        let at = [place(c.at[0], size.width), place(c.at[1], size.height), c.at[2].round() as i64];
        Vertex { at, colour: c.colour, opacity: c.opacity }
    };
    let draw =
        |topology: Topology, corners: Vec<Corner>| Draw { topology, vertices: corners.iter().map(on_screen).collect() };
    let triangles = |shapes: &[Shape]| {
        let corner = |s: &Shape| s.corners.map(|at| Corner { at, colour: s.colour, opacity: s.opacity });
        draw(Topology::Triangles, shapes.iter().flat_map(corner).collect())
    };
    let panes = panes();
    let (behind, before) = panes.split_at(3);
    let mut draws = vec![triangles(&backdrop())];
    let strips = [ring(size.cut, false), ring(size.cut, true)];
    let half = strips[0].len() / 2;
    for (i, (a, b)) in strips[0].iter().zip(&strips[1]).enumerate() {
        if i == half {
            draws.push(triangles(behind));
            draws.push(draw(Topology::LineStrip, winding(size.lines)));
        }
        draws.push(draw(Topology::TriangleStrip, a.clone()));
        draws.push(draw(Topology::TriangleStrip, b.clone()));
    }
    draws.push(draw(Topology::Lines, rays(size.lines)));
    draws.push(triangles(before));
    draws.push(draw(Topology::Points, points(size.points)));
    draws
}

/// A closed curve that goes through both rings, before and behind them.
fn winding(steps: u32) -> Vec<Corner> {
    let corner = |i: u32| {
        let t = f64::from(i) * TAU / f64::from(steps);
        let at = [3.1 * cos(t + 0.2), 1.9 * sin(2.0 * t + 0.3), 2000.0 + 900.0 * sin(3.0 * t)];
        let opacity = if i % 4 == 3 { 140 } else { 256 };
        Corner { at, colour: [255, 224 - 6 * i64::from(i % 16), 64], opacity }
    };
    (0..=steps).map(corner).collect()
}

/// Translucent and opaque lines from near the middle outwards, nearer at one end, in all
/// directions.
fn rays(count: u32) -> Vec<Corner> {
    let ray = |i: u32| {
        let t = f64::from(i) * TAU / f64::from(count) + 0.05;
        let (colour, opacity) =
            ([96 + 6 * i64::from(i % 16), 255, 255 - 9 * i64::from(i % 16)], [256, 120][i as usize % 2]);
        let end = |radius: f64, z: f64| Corner { at: [radius * cos(t), 0.75 * radius * sin(t), z], colour, opacity };
        [end(0.5, 2700.0), end(3.7, 1500.0)]
    };
    (0..count).flat_map(ray).collect()
}

/// Points on two circles, some translucent, at several depths.
fn points(count: u32) -> Vec<Corner> {
    let point = |i: u32| {
        let t = f64::from(i) * TAU / f64::from(count) * 3.0 + 0.15;
        let radius = if i.is_multiple_of(2) { 1.3 } else { 2.6 };
        let at = [radius * cos(t), 0.9 * radius * sin(t), 1700.0 + 150.0 * f64::from(i % 9)];
        Corner { at, colour: [255, 64 + 8 * i64::from(i % 16), 160], opacity: [256, 130, 256][i as usize % 3] }
    };
    (0..count).map(point).collect()
}

/// Triangles in one plane that overlap each other: the first one drawn stays.
fn backdrop() -> Vec<Shape> {
    let centre = |i: u32| f64::from(i) * TAU / 8.0 + 0.2;
    let point = |angle: f64, radius: f64| [radius * cos(angle), radius * sin(angle), BACKDROP as f64];
    let dark = [
        [24, 40, 88],
        [16, 72, 96],
        [40, 32, 80],
        [24, 56, 72],
        [56, 40, 96],
        [16, 40, 64],
        [32, 64, 104],
        [40, 24, 64],
    ];
    (0..8u32)
        .map(|i| Shape {
            corners: [[0.0, 0.0, BACKDROP as f64], point(centre(i) - 0.6, 7.0), point(centre(i) + 0.6, 7.0)],
            colour: dark[i as usize],
            opacity: 256,
        })
        .collect()
}

/// A torus of `along` x `around` rectangles, a strip of triangles for each step along, lit by a
/// light from the top left. The second one lies across the first.
fn ring([along, around]: [u32; 2], second: bool) -> Vec<Vec<Corner>> {
    let point = |i: u32, j: u32| -> [f64; 3] {
        let (u, v) = (f64::from(i) * TAU / f64::from(along) + 0.1, f64::from(j) * TAU / f64::from(around) + 0.3);
        let r = 1.55 + 0.5 * cos(v);
        let [x, y, z] = [r * cos(u), r * sin(u), 0.5 * sin(v)];
        // Turned about x, so that they are seen at an angle, and beside each other by their radius.
        let turn = |a: f64| [x, y * cos(a) - z * sin(a), y * sin(a) + z * cos(a)];
        match second {
            false => turn(0.5),
            true => turn(1.9),
        }
    };
    let place = |[x, y, z]: [f64; 3]| {
        let beside = if second { 0.85 } else { -0.85 };
        [(x + beside) * 1.1, y * 1.1, 2000.0 + 700.0 * z]
    };
    let base = if second { [72.0, 168.0, 216.0] } else { [232.0, 144.0, 56.0] };
    let strip = |i: u32| {
        let points: Vec<[f64; 3]> = (0..=around).flat_map(|j| [point(i, j), point(i + 1, j)]).collect();
        let corner = |n: usize| {
            // The colour of the triangle that begins here; the last two begin none.
            let light = points.get(n..n + 3).map_or(0.0, |p| 0.35 + 0.65 * facing(&[p[0], p[1], p[2]]).max(0.0));
            Corner { at: place(points[n]), colour: base.map(|c: f64| (c * light).round() as i64), opacity: 256 }
        };
        (0..points.len()).map(corner).collect()
    };
    (0..along).map(strip).collect()
}

/// Cosine between a triangle's normal, on the side that is seen, and the light.
fn facing([a, b, c]: &[[f64; 3]; 3]) -> f64 {
    let d = |p: &[f64; 3]| [p[0] - a[0], p[1] - a[1], p[2] - a[2]];
    let (u, v) = (d(b), d(c));
    let n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    let length = (n[0] * n[0] + n[1] * n[1] + n[2] * n[2]).sqrt();
    let side = if n[2] < 0.0 { -1.0 } else { 1.0 };
    side * (-0.45 * n[0] - 0.6 * n[1] + 0.66 * n[2]) / length
}

/// Translucent triangles of several depths over each other: three among the rings' triangles, five
/// after them.
fn panes() -> Vec<Shape> {
    let pane = |corners: [[f64; 3]; 3], colour, opacity| Shape { corners, colour, opacity };
    vec![
        pane([[-3.6, -2.6, 1500.0], [0.4, -1.8, 2600.0], [-2.8, 1.0, 1900.0]], [224, 48, 64], 120),
        pane([[-0.6, 0.2, 2100.0], [3.4, 0.6, 1700.0], [0.8, 2.8, 2500.0]], [64, 224, 96], 110),
        pane([[-3.2, 0.4, 900.0], [-0.4, 2.7, 900.0], [-3.6, 2.7, 900.0]], [240, 240, 128], 150),
        pane([[1.0, -2.8, 3000.0], [3.7, -2.4, 3000.0], [2.6, 0.9, 3000.0]], [255, 255, 255], 90),
        pane([[1.6, -2.0, 3000.0], [3.9, -0.4, 3000.0], [0.7, 0.1, 3000.0]], [224, 32, 224], 100),
        pane([[-1.4, -2.9, 2300.0], [1.2, -2.9, 1300.0], [0.0, -0.2, 2000.0]], [96, 128, 255], 140),
        pane([[-2.6, 1.4, 3200.0], [0.2, 1.0, 2800.0], [-0.6, 2.9, 3000.0]], [255, 160, 0], 128),
        pane([[-3.9, -0.6, 3300.0], [-2.0, -0.2, 1800.0], [-3.3, 1.9, 2600.0]], [0, 255, 224], 100),
    ]
}
