//! What a triangle covers in a tile, and its depths, in exact integers from docs/graphics.md:
//! pixel by pixel from the corners, without steps, groups or widths.

use std::collections::BTreeMap;

/// Places of samples in a pixel, in sixteenths.
const PLACES: [&[(i128, i128)]; 3] = [&[(8, 8)], &[(12, 12), (4, 4)], &[(6, 2), (14, 6), (2, 10), (10, 14)]];

/// The samples of each of the codes that a pass record has.
pub fn places(samples: usize) -> &'static [(i128, i128)] {
    PLACES[samples]
}

/// A triangle: corners in fixed, depth in units of 1/64; clockwise.
#[derive(Clone, Debug)]
pub struct Shape {
    pub x: [i128; 3],
    pub y: [i128; 3],
    pub z: [i128; 3],
}

/// Depth: value at (0, 0), modulo 2^60, and the gradients; least and greatest.
#[derive(Clone, Copy, Debug)]
pub struct Depth {
    pub z: i128,
    pub gx: i128,
    pub gy: i128,
    pub low: i128,
    pub high: i128,
}

/// Pixels from the first to the last, both inside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Area {
    pub x0: i128,
    pub y0: i128,
    pub x1: i128,
    pub y1: i128,
}

impl Area {
    pub fn and(self, other: Area) -> Area {
        Area {
            x0: self.x0.max(other.x0),
            y0: self.y0.max(other.y0),
            x1: self.x1.min(other.x1),
            y1: self.y1.min(other.y1),
        }
    }

    pub fn is_empty(self) -> bool {
        self.x0 > self.x1 || self.y0 > self.y1
    }
}

/// The lowest `width` bits, read with their sign.
pub fn wrap(value: i128, width: u32) -> i128 {
    value << (128 - width) >> (128 - width)
}

impl Shape {
    /// Clockwise, or nothing if the area is 0.
    pub fn new(x: [i128; 3], y: [i128; 3], z: [i128; 3]) -> Option<Self> {
        let mut shape = Self { x, y, z };
        if shape.area() < 0 {
            shape.x.swap(1, 2);
            shape.y.swap(1, 2);
            shape.z.swap(1, 2);
        }
        (shape.area() != 0).then_some(shape)
    }

    fn area(&self) -> i128 {
        let ([x0, x1, x2], [y0, y1, y2]) = (self.x, self.y);
        (x1 - x0) * (y2 - y0) - (y1 - y0) * (x2 - x0)
    }

    /// (Xb - Xa, Yb - Ya, a) of the edge opposite to corner i.
    fn side(&self, i: usize) -> (i128, i128, usize) {
        let (a, b) = ((i + 1) % 3, (i + 2) % 3);
        (self.x[b] - self.x[a], self.y[b] - self.y[a], a)
    }

    pub fn edge(&self, i: usize, x: i128, y: i128) -> i128 {
        let (dx, dy, a) = self.side(i);
        dx * (y - self.y[a]) - dy * (x - self.x[a])
    }

    /// Slopes of an edge, as the bundle has them.
    pub fn slopes(&self, i: usize) -> (i128, i128) {
        let (dx, dy, _) = self.side(i);
        (-dy, dx)
    }

    pub fn covers(&self, x: i128, y: i128) -> bool {
        (0..3).all(|i| {
            let (dx, dy, _) = self.side(i);
            let takes = dy < 0 || dy == 0 && dx > 0;
            let e = self.edge(i, x, y);
            e > 0 || e == 0 && takes
        })
    }

    /// The pixels that it may cover.
    pub fn bounds(&self) -> Area {
        let pixels = |v: [i128; 3]| (v.iter().min().unwrap() >> 8, v.iter().max().unwrap() >> 8);
        let ((x0, x1), (y0, y1)) = (pixels(self.x), pixels(self.y));
        Area { x0, y0, x1, y1 }
    }

    pub fn depth(&self) -> Depth {
        let ([x0, x1, x2], [y0, y1, y2], [z0, z1, z2]) = (self.x, self.y, self.z);
        let nx = (z1 - z0) * (y2 - y0) - (z2 - z0) * (y1 - y0);
        let ny = (z2 - z0) * (x1 - x0) - (z1 - z0) * (x2 - x0);
        let gradient = |n: i128| (n << 18).div_euclid(self.area());
        let (mut gx, mut gy) = (gradient(nx), gradient(ny));
        if wrap(gx, 50) != gx || wrap(gy, 50) != gy {
            (gx, gy) = (0, 0);
        }
        let bound = |z: i128| (z + 32) >> 6;
        Depth {
            z: wrap((z0 << 18) - gx * x0 - gy * y0, 60),
            gx,
            gy,
            low: bound(*self.z.iter().min().unwrap()),
            high: bound(*self.z.iter().max().unwrap()),
        }
    }
}

impl Depth {
    /// 24 bits at a place in fixed.
    pub fn at(&self, x: i128, y: i128) -> i128 {
        let z = wrap(self.z + self.gx * x + self.gy * y, 60);
        ((z + (1 << 23)) >> 24).clamp(self.low, self.high)
    }
}

/// A beat: sample, last, coverage, depths.
pub type Beat = (u64, bool, u64, [u64; 4]);

/// The quads of a triangle in an area, by (y, x) in units of two pixels, with their beats.
pub fn quads(shape: &Shape, depth: &Depth, area: Area, samples: usize, mask: u64) -> BTreeMap<(i128, i128), Vec<Beat>> {
    let mut found = BTreeMap::new();
    if area.is_empty() {
        return found;
    }
    for qy in area.y0 >> 1..=area.y1 >> 1 {
        for qx in area.x0 >> 1..=area.x1 >> 1 {
            let beats = quad(shape, depth, area, samples, mask, (qx, qy));
            if beats.iter().any(|beat| beat.2 != 0) {
                found.insert((qy, qx), beats);
            }
        }
    }
    found
}

fn quad(shape: &Shape, depth: &Depth, area: Area, samples: usize, mask: u64, (qx, qy): (i128, i128)) -> Vec<Beat> {
    let places = places(samples);
    let pixel = |lane: usize| (2 * qx + (lane & 1) as i128, 2 * qy + (lane >> 1) as i128);
    let at = |lane: usize, (sx, sy): (i128, i128)| {
        let (px, py) = pixel(lane);
        (256 * px + 16 * sx, 256 * py + 16 * sy)
    };
    let covered = |lane: usize, k: usize| {
        let ((px, py), (x, y)) = (pixel(lane), at(lane, places[k]));
        let inside = (area.x0..=area.x1).contains(&px) && (area.y0..=area.y1).contains(&py);
        inside && mask >> k & 1 == 1 && shape.covers(x, y)
    };
    let depths = |place| {
        [0, 1, 2, 3].map(|lane| {
            let (x, y) = at(lane, place);
            depth.at(x, y) as u64
        })
    };
    let mut beats: Vec<Beat> = (0..places.len())
        .map(|k| {
            let coverage = (0..4).map(|lane| u64::from(covered(lane, k)) << lane).sum();
            (k as u64, places.len() == 1, coverage, depths(places[k]))
        })
        .collect();
    if places.len() > 1 {
        beats.push((places.len() as u64, true, 0, depths((8, 8))));
    }
    beats
}
