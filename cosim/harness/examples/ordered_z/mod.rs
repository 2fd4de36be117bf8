//! Data of `examples/ordered-z`: the triangles, the parts of them in each region as threads, a chain of edges for each region, and the picture and depths of
//! drawing the triangles one after the other.
//!
//! The reference goes pixel by pixel over the whole screen with 64-bit edge functions: no regions, no steps from pixel to pixel, no packed colours. Wrong would be a
//! rule for edges, depths or rounding that it shares with the shader by misreading, or a scene in which order does not matter: `checked` draws it backwards too.

use std::f64::consts::TAU;

use libm::{cos, sin};

/// Side of a region in pixels, and steps of a position in a pixel.
const REGION: i64 = 16;
const PIXEL: i64 = 16;
/// Depth of the plane of the backdrop; larger is nearer.
const BACKDROP: i64 = 200;

/// A picture and how finely its rings are cut: steps along, steps around.
struct Size {
    name: &'static str,
    width: i64,
    height: i64,
    cut: [u32; 2],
}

const SIZES: [Size; 2] = [
    Size { name: "full", width: 64, height: 48, cut: [10, 5] },
    Size { name: "small", width: 32, height: 32, cut: [5, 3] },
];

struct Triangle {
    /// x and y in 1/16 pixel, depth.
    corners: [[i64; 3]; 3],
    colour: [i64; 3],
    /// In 1/256.
    opacity: i64,
}

/// Every file of the example that is made: (path below `examples/`, content).
pub fn files() -> Vec<(&'static str, Vec<u8>)> {
    let mut files = Vec::new();
    for size in &SIZES {
        let triangles = scene(size);
        let (picture, depths) = draw(size, &triangles);
        checked(size, &triangles, &depths);
        let (threads, edges) = graph(size, &triangles);
        let path = |stem: &str, kind: &str| -> &'static str { format!("ordered-z/{stem}-{}.{kind}", size.name).leak() };
        files.push((path("triangles", "csv"), table(&triangles)));
        files.push((path("threads", "csv"), threads));
        files.push((path("edges", "csv"), edges));
        files.push((path("expected", "png"), super::rgba_png(size.width as u32, size.height as u32, &picture)));
        files.push((path("expected-depths", "raw"), super::words(depths.iter().map(|&d| d as u32))));
    }
    files
}

/// Backdrop, two rings whose triangles come by turns, panes before and between them.
fn scene(size: &Size) -> Vec<Triangle> {
    let mut triangles = backdrop();
    let rings = [ring(size.cut, false), ring(size.cut, true)];
    let panes = panes();
    let (behind, before) = panes.split_at(3);
    let half = rings[0].len() / 2;
    for (i, (a, b)) in rings[0].iter().zip(&rings[1]).enumerate() {
        if i == half {
            triangles.extend(behind.iter().copied());
        }
        triangles.extend([*a, *b]);
    }
    triangles.extend(before.iter().copied());
    triangles.into_iter().map(|t| t.on_screen(size)).collect()
}

/// A triangle in the scene: x from -4 to 4 and y from -3 to 3 fill a screen of 4:3, z in steps of depth.
#[derive(Clone, Copy)]
struct Shape {
    corners: [[f64; 3]; 3],
    colour: [i64; 3],
    opacity: i64,
}

impl Shape {
    fn on_screen(self, size: &Size) -> Triangle {
        let scale = size.width as f64 / 8.0 * PIXEL as f64;
        let place = |[x, y, z]: [f64; 3]| {
            let at = |x: f64, middle: i64| (x * scale).round() as i64 + middle * PIXEL / 2;
            [at(x, size.width), at(y, size.height), z.round() as i64]
        };
        Triangle { corners: self.corners.map(place), colour: self.colour, opacity: self.opacity }
    }
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

/// A torus of `along` x `around` rectangles, cut into triangles and lit by a light from the top left. The second one lies across the first.
fn ring([along, around]: [u32; 2], second: bool) -> Vec<Shape> {
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
    let mut shapes = Vec::new();
    for i in 0..along {
        for j in 0..around {
            let quad = [point(i, j), point(i + 1, j), point(i + 1, j + 1), point(i, j + 1)];
            for half in [[0, 1, 2], [0, 2, 3]] {
                let corners = half.map(|k| quad[k]);
                let light = 0.35 + 0.65 * facing(&corners).max(0.0);
                shapes.push(Shape {
                    corners: corners.map(place),
                    colour: base.map(|c: f64| (c * light).round() as i64),
                    opacity: 256,
                });
            }
        }
    }
    shapes
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

/// Translucent triangles of several depths over each other: three among the rings' triangles, five after them.
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

/// Twice the area of p, q, r; positive if they go round clockwise as seen on the screen (y grows downwards).
fn twice_area(p: &[i64], q: &[i64], r: &[i64]) -> i64 {
    (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])
}

impl Triangle {
    /// Its corners in clockwise order.
    fn clockwise(&self) -> [[i64; 3]; 3] {
        let [a, b, c] = self.corners;
        if twice_area(&a, &b, &c) < 0 {
            [a, c, b]
        } else {
            [a, b, c]
        }
    }

    fn covers(&self, point: [i64; 2]) -> bool {
        let corners = self.clockwise();
        (0..3).all(|i| {
            let (p, q) = (corners[i], corners[(i + 1) % 3]);
            let side = twice_area(&p, &q, &point);
            // On the line: only on an edge that goes up (a left one) or level to the right (a top one).
            let top_left = q[1] < p[1] || (q[1] == p[1] && q[0] > p[0]);
            side > 0 || side == 0 && top_left
        })
    }

    /// In 1/64, with slopes in whole 1/64 per 1/16 pixel, rounded towards 0.
    fn depth(&self, point: [i64; 2]) -> i64 {
        let [a, b, c] = self.clockwise();
        let area = twice_area(&a, &b, &c);
        let slope_x = 64 * ((b[2] - a[2]) * (c[1] - a[1]) - (c[2] - a[2]) * (b[1] - a[1]));
        let slope_y = 64 * ((c[2] - a[2]) * (b[0] - a[0]) - (b[2] - a[2]) * (c[0] - a[0]));
        assert!(slope_x.abs() < 1 << 31 && slope_y.abs() < 1 << 31, "the shader's slopes overflow");
        64 * a[2] + slope_x / area * (point[0] - a[0]) + slope_y / area * (point[1] - a[1])
    }
}

/// Draws one triangle after the other; pixels as red in bits 7:0, and depths.
fn draw(size: &Size, triangles: &[Triangle]) -> (Vec<u32>, Vec<i64>) {
    let mut picture = vec![[0i64; 4]; (size.width * size.height) as usize];
    let mut depths = vec![0i64; picture.len()];
    for triangle in triangles {
        for (i, (pixel, deepest)) in picture.iter_mut().zip(&mut depths).enumerate() {
            let at = [i as i64 % size.width, i as i64 / size.width].map(|c| c * PIXEL + PIXEL / 2);
            if !triangle.covers(at) || triangle.depth(at) <= *deepest {
                continue;
            }
            if triangle.opacity == 256 {
                *deepest = triangle.depth(at);
            }
            for (channel, new) in pixel.iter_mut().zip(triangle.colour) {
                *channel = (*channel * (256 - triangle.opacity) + new * triangle.opacity) / 256;
            }
            pixel[3] = 255;
        }
    }
    (picture.iter().map(|p| p.iter().rev().fold(0, |word, &c| word << 8 | c as u32)).collect(), depths)
}

/// The scene is worth drawing in order: all is covered, drawing it backwards makes another picture, and no triangle is without area.
fn checked(size: &Size, triangles: &[Triangle], depths: &[i64]) {
    assert!(triangles.iter().all(|t| twice_area(&t.corners[0], &t.corners[1], &t.corners[2]) != 0));
    assert!(depths.iter().all(|&d| d >= 64 * BACKDROP), "a pixel without backdrop");
    let backwards: Vec<Triangle> = scene(size).into_iter().rev().collect();
    let (forwards, backwards) = (draw(size, triangles).0, draw(size, &backwards).0);
    let differing = forwards.iter().zip(&backwards).filter(|(a, b)| a != b).count();
    assert!(differing * 5 > forwards.len(), "order matters in {differing} pixels only");
}

/// Threads (triangle, region), triangle by triangle, and the edge from each part to the next one in its region.
fn graph(size: &Size, triangles: &[Triangle]) -> (Vec<u8>, Vec<u8>) {
    let (columns, rows) = (size.width / REGION, size.height / REGION);
    let mut last = vec![None; (columns * rows) as usize];
    let (mut threads, mut edges) = (Vec::new(), Vec::new());
    for (number, triangle) in triangles.iter().enumerate() {
        // Whether the bounding box touches the region's pixels along an axis.
        let touches = |axis: usize, region: i64| {
            let ends = triangle.corners.map(|c| c[axis]);
            let (low, high) = (ends.iter().min().copied().unwrap_or(0), ends.iter().max().copied().unwrap_or(0));
            low < (region + 1) * REGION * PIXEL && high >= region * REGION * PIXEL
        };
        for (row, column) in (0..rows).flat_map(|r| (0..columns).map(move |c| (r, c))) {
            if !touches(1, row) || !touches(0, column) {
                continue;
            }
            let before = last[(row * columns + column) as usize].replace(threads.len());
            edges.extend(before.map(|b| format!("{b},{}\n", threads.len())));
            threads.push(format!("{number},{}\n", column | row << 8));
        }
    }
    (threads.concat().into_bytes(), edges.concat().into_bytes())
}

/// The buffer of triangles, one in a row.
fn table(triangles: &[Triangle]) -> Vec<u8> {
    let row = |t: &Triangle| {
        let [red, green, blue] = t.colour;
        let extra = [red | green << 8 | blue << 16, t.opacity, 0];
        let corners = t.corners.iter().zip(extra).map(|([x, y, z], w)| format!("{x},{y},{z},{w}"));
        corners.collect::<Vec<_>>().join(",") + "\n"
    };
    triangles.iter().map(row).collect::<String>().into_bytes()
}
