//! Corners of triangles where they may go wrong: smaller than a pixel, thin, with shared edges,
//! around the guard band, behind the eye, on the near and far plane, at one depth.
//!
//! Places are chosen in pixels and become clip coordinates, so that sizes mean pixels.

use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::spec::Vertex;

/// Vertices and the triangles' corners.
pub(super) type Shape = (Vec<Vertex>, Vec<u32>);

/// What all corners of a shape have in common.
struct Space {
    size: [f64; 2],
    /// Places are multiples of this part of a pixel; 0: anywhere.
    grid: f64,
    w: W,
    z: Z,
    colour: Option<[u8; 4]>,
}

#[derive(Clone, Copy)]
enum W {
    One,
    Some,
    /// Near to 0 on both sides, or 0.
    Tiny,
    /// Some corners behind the eye.
    Behind,
}

#[derive(Clone, Copy)]
enum Z {
    /// All corners at this one.
    Same(f64),
    Between,
    /// On the near and the far plane, and beyond.
    Planes,
}

fn of<T: Copy>(rng: &mut ChaCha8Rng, all: &[T]) -> T {
    all[rng.random_range(0..all.len())]
}

impl Space {
    fn new(rng: &mut ChaCha8Rng, size: [u32; 2]) -> Self {
        let z = match rng.random_range(0..6) {
            0 | 1 => Z::Same(of(rng, &[0.0, 0.25, 0.5, 0.5, 1.0])),
            2..=4 => Z::Between,
            _ => Z::Planes,
        };
        let w = match rng.random_range(0..14) {
            0..=6 => W::One,
            7..=11 => W::Some,
            12 => W::Tiny,
            _ => W::Behind,
        };
        let grid = of(rng, &[0.0, 0.0, 0.5, 1.0, 0.25, 1.0 / 256.0]);
        let colour = rng.random_bool(0.15).then(|| rng.random());
        Self { size: size.map(f64::from), grid, w, z, colour }
    }

    /// A corner at a place in pixels.
    fn at(&self, rng: &mut ChaCha8Rng, place: [f64; 2]) -> Vertex {
        let w = match self.w {
            W::One => 1.0,
            W::Some => rng.random_range(0.1..8.0),
            W::Tiny => of(rng, &[0.0, -0.0, 1e-6, -1e-6, 1e-38, 1e-44, 1.0, 1.0]),
            W::Behind => rng.random_range(-1.0..3.0),
        };
        let z = match self.z {
            Z::Same(z) => z,
            Z::Between => rng.random_range(0.0..1.0),
            Z::Planes => of(rng, &[0.0, 1.0, 0.0, 1.0, -0.25, 1.5, 0.5, -1e-7, 1.000_000_1]),
        };
        let snap = |p: f64| if self.grid > 0.0 { (p / self.grid).round() * self.grid } else { p };
        let [x, y] = [0, 1].map(|k| snap(place[k]) * 2.0 / self.size[k] - 1.0);
        let position = [x * w, -y * w, z * w, w].map(|n| n as f32);
        Vertex { position, colour: self.colour.unwrap_or_else(|| rng.random()) }
    }

    /// Somewhere in the target or a bit beside it.
    fn place(&self, rng: &mut ChaCha8Rng) -> [f64; 2] {
        self.size.map(|s| rng.random_range(-2.0..s + 2.0))
    }

    fn around(&self, rng: &mut ChaCha8Rng, place: [f64; 2], far: f64) -> [f64; 2] {
        place.map(|p| p + rng.random_range(-far..far))
    }
}

fn apart(rng: &mut ChaCha8Rng, space: &Space, count: u32, far: &dyn Fn(&mut ChaCha8Rng) -> f64) -> Shape {
    let mut vertices = vec![];
    for _ in 0..count {
        let middle = space.place(rng);
        let far = far(rng);
        for _ in 0..3 {
            let place = space.around(rng, middle, far);
            vertices.push(space.at(rng, place));
        }
    }
    let corners = (0..vertices.len() as u32).collect();
    (vertices, corners)
}

/// Two corners near to each other or all three on nearly one line.
fn slivers(rng: &mut ChaCha8Rng, space: &Space, count: u32) -> Shape {
    let mut vertices = vec![];
    for _ in 0..count {
        let (a, b) = (space.place(rng), space.place(rng));
        let anywhere = rng.random_range(-0.5..1.5);
        let part = of(rng, &[0.0, 0.5, anywhere]);
        let thin = of(rng, &[0.0, 0.01, 0.1, 0.6]);
        let c = [0, 1].map(|k| a[k] + (b[k] - a[k]) * part + rng.random_range(-1.0..1.0) * thin);
        for place in [a, b, c] {
            vertices.push(space.at(rng, place));
        }
    }
    let corners = (0..vertices.len() as u32).collect();
    (vertices, corners)
}

/// A middle and a rim.
fn fan(rng: &mut ChaCha8Rng, space: &Space, count: u32) -> Shape {
    let middle = space.place(rng);
    let radius = rng.random_range(0.3..space.size[0]);
    let mut vertices = vec![space.at(rng, middle)];
    let turn: f64 = rng.random_range(0.0..6.3);
    for k in 0..count {
        let angle = turn + f64::from(k) * std::f64::consts::TAU / f64::from(count);
        vertices.push(space.at(rng, [middle[0] + radius * angle.cos(), middle[1] + radius * angle.sin()]));
    }
    let corners = (0..count).flat_map(|k| [0, 1 + k, 1 + (k + 1) % count]).collect();
    (vertices, corners)
}

/// Squares of two triangles each, with shared edges.
fn net(rng: &mut ChaCha8Rng, space: &Space, side: u32) -> Shape {
    let (origin, step) = (space.place(rng), rng.random_range(0.4..space.size[1] / 2.0));
    let shake = of(rng, &[0.01, 0.3]) * step;
    let mut vertices = vec![];
    for k in 0..(side + 1) * (side + 1) {
        let place = [origin[0] + step * f64::from(k % (side + 1)), origin[1] + step * f64::from(k / (side + 1))];
        let place = space.around(rng, place, shake);
        vertices.push(space.at(rng, place));
    }
    let mut corners = vec![];
    for k in (0..side * side).map(|k| k % side + k / side * (side + 1)) {
        let (a, b, c, d) = (k, k + 1, k + side + 1, k + side + 2);
        corners.extend(if rng.random() { [a, b, c, b, d, c] } else { [a, b, d, a, d, c] });
    }
    (vertices, corners)
}

/// Random triangles.
pub(super) fn shape(rng: &mut ChaCha8Rng, size: [u32; 2]) -> Shape {
    let space = Space::new(rng, size);
    let whole = space.size[0].max(space.size[1]);
    let count = rng.random_range(1..9);
    match rng.random_range(0..12) {
        // Smaller than a pixel, or a few pixels.
        0 => apart(rng, &space, 4 * count, &|r| of(r, &[0.02, 0.3, 0.6])),
        1 => apart(rng, &space, 2 * count, &|r| r.random_range(1.0..5.0)),
        2 | 3 | 10 => apart(rng, &space, count, &|r| r.random_range(2.0..whole)),
        // Up to the guard band (8190 pixels), at it and beyond.
        4 => apart(rng, &space, count.min(4), &|r| of(r, &[200.0, 4000.0, 8180.0, 8200.0, 17000.0, 1e6])),
        5 => slivers(rng, &space, count),
        6 | 7 | 11 => fan(rng, &space, 2 + count),
        _ => net(rng, &space, 1 + count / 3),
    }
}
