//! Where the vertices of a random draw stand, and which triangles they make.
//!
//! Places are chosen in pixels of the target and become clip coordinates by the draw's viewport.
//! On the grid they are multiples of 1/256 pixel with w = 1, so that no rounding moves them.

use rand::Rng;
use rand_chacha::ChaCha8Rng;

/// Vertices as positions, and their order.
pub(super) struct Shape {
    pub(super) positions: Vec<[f32; 4]>,
    pub(super) order: Vec<u32>,
    pub(super) strip: bool,
}

#[derive(Clone, Copy)]
enum W {
    One,
    Some,
    /// Up to 2^11 apart.
    Wide,
    /// Some behind the eye.
    Behind,
}

#[derive(Clone, Copy)]
enum Z {
    Same(f64),
    Between,
    /// On the near and far plane, and beyond.
    Planes,
    /// As a projection gives it: linear in w.
    Projected,
}

/// What all vertices of a shape have in common.
pub(super) struct Space {
    /// The target, in pixels.
    pub(super) size: [f64; 2],
    /// Of the draw.
    pub(super) viewport: [f32; 4],
    pub(super) on_grid: bool,
    w: W,
    z: Z,
    /// All words are multiplied by this power of two.
    scale: f64,
}

pub(super) fn of<T: Copy>(rng: &mut ChaCha8Rng, all: &[T]) -> T {
    all[rng.random_range(0..all.len())]
}

impl Space {
    pub(super) fn new(r: &mut ChaCha8Rng, size: [u32; 2], viewport: [f32; 4], on_grid: bool) -> Self {
        let z = match r.random_range(0..8) {
            0 | 1 => Z::Same(of(r, &[0.0, 0.25, 0.5, 1.0])),
            2..=4 => Z::Between,
            5 => Z::Planes,
            _ if on_grid => Z::Between,
            _ => Z::Projected,
        };
        let w = match r.random_range(0..12) {
            _ if on_grid => W::One,
            0..=3 => W::One,
            4..=7 => W::Some,
            8 => W::Wide,
            _ => W::Behind,
        };
        // What goes through the eye itself is rare: near planes keep it out.
        let z = if matches!(w, W::Behind) && r.random_bool(0.9) { Z::Projected } else { z };
        let scaled = !on_grid && matches!(w, W::One | W::Some) && r.random_bool(0.3);
        let power = if scaled { of(r, &[-70, -40, -24, -21, -8, 10, 40, 66, 84]) } else { 0 };
        Self { size: size.map(f64::from), viewport, on_grid, w, z, scale: 2f64.powi(power) }
    }

    /// A vertex at a place in pixels.
    fn at(&self, r: &mut ChaCha8Rng, place: [f64; 2]) -> [f32; 4] {
        let w: f64 = match self.w {
            W::One => 1.0,
            W::Some => r.random_range(0.2..8.0),
            W::Wide => 2f64.powf(r.random_range(-3.0..8.0)),
            W::Behind => r.random_range(-1.0..3.0),
        };
        let z = match self.z {
            Z::Same(z) => z * w,
            Z::Between => r.random_range(0.0..1.0) * w,
            Z::Planes => of(r, &[0.0, 1.0, 0.0, 1.0, -0.25, 1.5, 0.5]) * w,
            Z::Projected => 1.1 * (w - 0.25),
        };
        // On the grid edges go through samples now and then.
        let grid = if self.on_grid { of(r, &[256.0, 16.0, 2.0]) } else { 0.0 };
        let snap = |p: f64| if grid > 0.0 { (p * grid).round() / grid } else { p };
        let [x, y] = [0, 1].map(|k| {
            let (from, size) = (f64::from(self.viewport[k]), f64::from(self.viewport[k + 2]));
            (snap(place[k]) - from) * 2.0 / size - 1.0
        });
        [x * w, -y * w, z, w].map(|n| (n * self.scale) as f32)
    }

    /// Somewhere in the target, or a bit beside it.
    fn place(&self, r: &mut ChaCha8Rng) -> [f64; 2] {
        self.size.map(|s| r.random_range(-1.0..s + 1.0))
    }
}

fn around(r: &mut ChaCha8Rng, place: [f64; 2], far: f64) -> [f64; 2] {
    place.map(|p| p + r.random_range(-far..far))
}

fn apart(r: &mut ChaCha8Rng, space: &Space, count: u32, far: f64) -> Shape {
    let mut positions = vec![];
    for _ in 0..count {
        let middle = space.place(r);
        for _ in 0..3 {
            let place = around(r, middle, far);
            positions.push(space.at(r, place));
        }
    }
    let order = (0..positions.len() as u32).collect();
    Shape { positions, order, strip: false }
}

/// All three on nearly one line.
fn slivers(r: &mut ChaCha8Rng, space: &Space, count: u32) -> Shape {
    let mut positions = vec![];
    for _ in 0..count {
        let (a, b) = (space.place(r), space.place(r));
        let (part, thin) = (r.random_range(-0.5..1.5), of(r, &[0.05, 0.3, 0.8]));
        let c = [0, 1].map(|k| a[k] + (b[k] - a[k]) * part + r.random_range(-1.0..1.0) * thin);
        positions.extend([a, b, c].map(|place| space.at(r, place)));
    }
    let order = (0..positions.len() as u32).collect();
    Shape { positions, order, strip: false }
}

/// A middle and a closed rim, all triangles in the same direction.
fn fan(r: &mut ChaCha8Rng, space: &Space, count: u32) -> Shape {
    let middle = space.size.map(|s| r.random_range(0.2 * s..0.8 * s));
    let radius = r.random_range(2.0..space.size[0]);
    let mut positions = vec![space.at(r, middle)];
    let turn: f64 = r.random_range(0.0..6.3);
    for k in 0..count {
        let angle = turn + f64::from(k) * std::f64::consts::TAU / f64::from(count);
        let far = radius * r.random_range(0.9..1.1);
        positions.push(space.at(r, [middle[0] + far * angle.cos(), middle[1] + far * angle.sin()]));
    }
    let mut order = vec![];
    for k in 0..count {
        // The shared vertex is not always the first one.
        let mut three = [0, 1 + k, 1 + (k + 1) % count];
        three.rotate_left(r.random_range(0..3));
        order.extend(three);
    }
    Shape { positions, order, strip: false }
}

/// A band that goes to and fro between two lines.
fn band(r: &mut ChaCha8Rng, space: &Space, count: u32) -> Shape {
    let (from, step) = (space.place(r), r.random_range(1.0..space.size[0] / 2.0));
    let (high, shake) = (r.random_range(1.0..space.size[1]), r.random_range(0.1..2.0));
    let mut positions = vec![];
    for k in 0..count + 2 {
        let place = [from[0] + step * f64::from(k / 2) - step, from[1] + high * f64::from(k % 2)];
        let place = around(r, place, shake);
        positions.push(space.at(r, place));
    }
    let order = (0..positions.len() as u32).collect();
    Shape { positions, order, strip: true }
}

/// Two by two squares of two triangles each.
fn net(r: &mut ChaCha8Rng, space: &Space) -> Shape {
    let (origin, step) = (space.place(r), r.random_range(1.0..space.size[1] / 2.0));
    let mut positions = vec![];
    for k in 0..9 {
        let place = [origin[0] + step * f64::from(k % 3), origin[1] + step * f64::from(k / 3)];
        let place = around(r, place, 0.3 * step);
        positions.push(space.at(r, place));
    }
    let mut order = vec![];
    for k in [0, 1, 3, 4] {
        let (a, b, c, d) = (k, k + 1, k + 3, k + 4);
        order.extend(if r.random() { [a, b, c, b, d, c] } else { [a, b, d, a, d, c] });
    }
    Shape { positions, order, strip: false }
}

pub(super) fn shape(r: &mut ChaCha8Rng, space: &Space) -> Shape {
    let whole = space.size[0].max(space.size[1]);
    let count = r.random_range(1..6);
    match r.random_range(0..16) {
        0 => apart(r, space, 4, 1.0),
        1 | 2 => apart(r, space, count, 4.0),
        3..=5 => apart(r, space, count.min(3), whole),
        6 => {
            let far = of(r, &[200.0, 1000.0, 4000.0]);
            apart(r, space, count.min(3), far)
        }
        7 => slivers(r, space, count),
        8..=10 => fan(r, space, 2 + count),
        11..=14 => band(r, space, 1 + count),
        _ => net(r, space),
    }
}
