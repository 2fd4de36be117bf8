//! A triangle in the target: its area and face, which samples it covers, and its depth there.
//!
//! Everything is an exact integer: places in 1/256 pixel, depth in 1/64 of the 24-bit format's
//! unit. Two triangles that share an edge cover each sample on it once. Wrong would be a rounding
//! before the comparison with zero; the tests count the coverage of whole meshes.

/// A corner in the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Corner {
    /// 1/256 pixel, 22 bits with sign.
    pub x: i64,
    /// 1/256 pixel, 22 bits with sign; down.
    pub y: i64,
    /// 1/64 of a unit of depth, 0 to 64 * (2^24 - 1); with a bias it may be beyond.
    pub z: i64,
}

/// The greatest depth of the format.
const MOST: i64 = 0xFF_FFFF;
/// Bits of a depth gradient, with sign.
const GRADIENT_BITS: u32 = 50;
/// Bits in which depth is summed up; what does not fit wraps.
const SUM_BITS: u32 = 60;
/// Fraction bits of gradients and sums.
const FRACTION: u32 = 18;

/// A triangle that is set up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Triangle {
    /// Clockwise as seen.
    corners: [Corner; 3],
    /// Twice the area, in units of fixed, at least 1.
    area: i64,
    /// Whether it was counter-clockwise as seen; corners 1 and 2 have changed places then.
    pub counter_clockwise: bool,
    /// Depth per unit of fixed, along x and y.
    gradients: [i64; 2],
    /// Least and greatest depth of the corners, held in the state's range, of 24 bits.
    range: [i64; 2],
}

/// Twice the area of a, b, c, positive if clockwise as seen.
fn area(a: Corner, b: Corner, c: Corner) -> i64 {
    (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)
}

/// Least and greatest depth of the corners, in units of the format, each held within `all`.
fn range(corners: [Corner; 3], all: [i64; 2]) -> [i64; 2] {
    let [a, b, c] = corners.map(|c| (c.z + 32) >> 6);
    [a.min(b).min(c), a.max(b).max(c)].map(|z| z.clamp(all[0], all[1]))
}

impl Triangle {
    /// Sets a triangle up; `None` if it has no area.
    pub fn new(mut corners: [Corner; 3]) -> Option<Triangle> {
        let mut twice = area(corners[0], corners[1], corners[2]);
        let counter_clockwise = twice < 0;
        if counter_clockwise {
            corners.swap(1, 2);
            twice = -twice;
        }
        if twice == 0 {
            return None;
        }
        let [a, b, c] = corners.map(|c| (i128::from(c.x), i128::from(c.y), i128::from(c.z)));
        let along_x = (b.2 - a.2) * (c.1 - a.1) - (c.2 - a.2) * (b.1 - a.1);
        let along_y = (c.2 - a.2) * (b.0 - a.0) - (b.2 - a.2) * (c.0 - a.0);
        let gradient = |n: i128| (n << FRACTION).div_euclid(i128::from(twice));
        let limit = 1i128 << (GRADIENT_BITS - 1);
        let both = [gradient(along_x), gradient(along_y)];
        let fit = both.iter().all(|g| (-limit..limit).contains(g));
        let gradients = if fit { both.map(|g| g as i64) } else { [0; 2] };
        Some(Triangle { corners, area: twice, counter_clockwise, gradients, range: range(corners, [0, MOST]) })
    }

    /// Depth per unit of fixed along x and y, with its fraction bits.
    pub fn gradients(&self) -> [i64; 2] {
        self.gradients
    }

    /// Adds to the depth of all places. What comes out is held within `all`, in units of the
    /// format.
    pub fn shift(&mut self, bias: i64, all: [i64; 2]) {
        self.corners.iter_mut().for_each(|c| c.z += bias);
        self.range = range(self.corners, all);
    }

    /// A planted bug: adds to the depth of the corners, each held in 0 to `most`.
    pub fn shift_vertices(&mut self, bias: i64, most: i64) {
        self.corners.iter_mut().for_each(|c| c.z = (c.z + bias).clamp(0, most));
        self.range = range(self.corners, [0, MOST]);
    }

    /// The box that holds its samples: least and greatest x, then y, in 1/256 pixel.
    pub fn bounds(&self) -> [i64; 4] {
        let of = |f: fn(&Corner) -> i64| {
            let all = self.corners.each_ref().map(f);
            [all[0].min(all[1]).min(all[2]), all[0].max(all[1]).max(all[2])]
        };
        let ([x0, x1], [y0, y1]) = (of(|c| c.x), of(|c| c.y));
        [x0, x1, y0, y1]
    }

    /// Twice the area: the sum of the edges' values everywhere.
    pub fn area(&self) -> i64 {
        self.area
    }

    /// The value of each edge at a place in 1/256 pixel; edge i is opposite to corner i.
    pub fn edges(&self, (x, y): (i64, i64)) -> [i64; 3] {
        std::array::from_fn(|i| {
            let (a, b) = self.edge(i);
            (b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x)
        })
    }

    /// Whether a sample at a place is covered.
    pub fn covers(&self, place: (i64, i64)) -> bool {
        self.edges(place).into_iter().enumerate().all(|(i, value)| {
            let (a, b) = self.edge(i);
            let top = b.y == a.y && b.x > a.x;
            let left = b.y < a.y;
            value > 0 || (value == 0 && (top || left))
        })
    }

    /// Depth of 24 bits at a place.
    pub fn depth(&self, (x, y): (i64, i64)) -> u32 {
        let first = self.corners[0];
        // Modulo 2^64 here, and so modulo 2^60.
        let along = |g: i64, d: i64| g.wrapping_mul(d);
        let sum = (first.z << FRACTION)
            .wrapping_add(along(self.gradients[0], x - first.x))
            .wrapping_add(along(self.gradients[1], y - first.y));
        let sum = (sum << (64 - SUM_BITS)) >> (64 - SUM_BITS);
        let depth = (sum + (1 << (FRACTION + 5))) >> (FRACTION + 6);
        depth.clamp(self.range[0], self.range[1]) as u32
    }

    fn edge(&self, i: usize) -> (Corner, Corner) {
        (self.corners[(i + 1) % 3], self.corners[(i + 2) % 3])
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::Samples;
    use super::*;
    use proptest::prelude::*;

    /// Covered by both kinds of corner order alike: every sample of a box, cut by a point anywhere
    /// into four triangles, each again by a point, is covered once by all of them together.
    fn once(points: [(i64, i64); 5], samples: Samples) {
        const END: i64 = 12 * 256;
        let at = |(x, y): (i64, i64)| Corner { x, y, z: 0 };
        let boxes = [(0, 0), (END, 0), (END, END), (0, END)];
        let mut triangles = vec![];
        for k in 0..4 {
            let outer = [boxes[k], boxes[(k + 1) % 4], points[0]];
            // A point of the triangle, by weights of another point.
            let (u, v) = (points[k + 1].0, points[k + 1].1);
            let (u, v) = if u + v > END { (END - u, END - v) } else { (u, v) };
            let mix = |f: fn((i64, i64)) -> i64| {
                f(outer[0]) + ((f(outer[1]) - f(outer[0])) * u + (f(outer[2]) - f(outer[0])) * v).div_euclid(END)
            };
            let inner = (mix(|p| p.0), mix(|p| p.1));
            for j in 0..3 {
                let three = [outer[j], outer[(j + 1) % 3], inner].map(at);
                // A rounded point may lie beyond its edge: then the mesh overlaps, and is left out.
                if area(three[0], three[1], three[2]) < 0 {
                    return;
                }
                let reversed = [three[2], three[1], three[0]];
                triangles.extend(Triangle::new(if (j + k) % 2 == 0 { three } else { reversed }));
            }
        }
        for y in -1..13 {
            for x in -1..13 {
                for k in 0..samples.places().len() {
                    let place = samples.at((x, y), k);
                    let count = triangles.iter().filter(|t| t.covers(place)).count();
                    let inside = (0..12).contains(&x) && (0..12).contains(&y);
                    assert_eq!(count, usize::from(inside), "{place:?} {points:?}");
                }
            }
        }
    }

    fn point() -> impl Strategy<Value = (i64, i64)> {
        // Places of samples and corners of pixels are likely.
        (0i64..=12 * 16, 0i64..=12 * 16, any::<bool>(), 0i64..16, 0i64..16).prop_map(|(x, y, fine, dx, dy)| {
            if fine {
                ((x * 16 + dx).min(12 * 256), (y * 16 + dy).min(12 * 256))
            } else {
                (x * 16, y * 16)
            }
        })
    }

    fn corner() -> impl Strategy<Value = Corner> {
        let place = prop_oneof![-(1i64 << 21)..(1 << 21), -1000i64..1000];
        (place.clone(), place, 0i64..=64 * 0xFF_FFFF).prop_map(|(x, y, z)| Corner { x, y, z })
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_mesh_covers_each_sample_once(a in point(), b in point(), c in point(), d in point(), e in point()) {
            for samples in [Samples::One, Samples::Two, Samples::Four] {
                once([a, b, c, d, e], samples);
            }
        }

        /// Beside the exact plane: half a unit of rounding, half of the corners', and what the
        /// gradients' fractions sum up to over the triangle.
        #[test]
        fn depth_is_the_planes(three in [corner(), corner(), corner()], at in (0i128..=1000, 0i128..=1000)) {
            let Some(t) = Triangle::new(three) else { return Ok(()) };
            let [a, b, c] = t.corners;
            let (u, v) = if at.0 + at.1 > 1000 { (1000 - at.0, 1000 - at.1) } else { at };
            let mix = |a: i64, b: i64, c: i64| {
                (i128::from(a) * (1000 - u - v) + i128::from(b) * u + i128::from(c) * v).div_euclid(1000) as i64
            };
            let place = (mix(a.x, b.x, c.x), mix(a.y, b.y, c.y));
            let depth = t.depth(place);
            prop_assert!((t.range[0]..=t.range[1]).contains(&i64::from(depth)));
            if t.gradients == [0; 2] || !t.covers(place) {
                return Ok(());
            }
            let exact: i128 = t.edges(place).iter().zip(t.corners).map(|(&e, c)| i128::from(e) * i128::from(c.z)).sum();
            // Both in 1/64 of a unit, times twice the area.
            let error = (i128::from(depth) * 64 * i128::from(t.area) - exact).abs();
            let far = (place.0 - a.x).abs() + (place.1 - a.y).abs();
            let fractions = (i128::from(far) * i128::from(t.area)) >> FRACTION;
            prop_assert!(error <= 33 * i128::from(t.area) + fractions + i128::from(t.area), "{error} {t:?} {place:?}");
        }

        /// Slivers have the steepest planes. At every pixel of a quad that has a covered sample,
        /// the depth is that of a plane without any number range.
        #[test]
        fn planes_do_not_go_round_within_a_quad(
            first in (0i64..4096, 0i64..4096),
            long in (-2000i64..2000, -2000i64..2000, 0i64..=8),
            off in (-2i64..=2, -2i64..=2),
            z in [0i64..=64 * 0xFF_FFFF, 0i64..=64 * 0xFF_FFFF, 0i64..=64 * 0xFF_FFFF],
            away in (-352i64..=352, -352i64..=352),
        ) {
            let along = |k: i64| (first.0 + long.0 * k / 8, first.1 + long.1 * k / 8);
            let (far, near) = (along(8), along(long.2));
            let at = |(x, y): (i64, i64), z| Corner { x, y, z };
            let three = [at(first, z[0]), at(far, z[1]), at((near.0 + off.0, near.1 + off.1), z[2])];
            let Some(t) = Triangle::new(three) else { return Ok(()) };
            let inside = t.corners[1];
            let place = (inside.x + away.0, inside.y + away.1);
            let slope = |g: i64, d: i64| i128::from(g) * i128::from(d);
            let sum = (i128::from(t.corners[0].z) << FRACTION)
                + slope(t.gradients[0], place.0 - t.corners[0].x)
                + slope(t.gradients[1], place.1 - t.corners[0].y);
            let depth = ((sum + (1 << (FRACTION + 5))) >> (FRACTION + 6)).clamp(t.range[0].into(), t.range[1].into());
            prop_assert_eq!(i128::from(t.depth(place)), depth, "{:?} {:?}", t, place);
        }

        #[test]
        fn depth_does_not_fall_where_the_plane_rises(three in [corner(), corner(), corner()], y in -1000i64..1000) {
            let Some(t) = Triangle::new(three) else { return Ok(()) };
            let covered: Vec<u32> = (-8..8).map(|x| (x * 256, y)).filter(|&p| t.covers(p)).map(|p| t.depth(p)).collect();
            let rises = t.gradients[0] >= 0;
            for pair in covered.windows(2) {
                prop_assert!(if rises { pair[0] <= pair[1] } else { pair[0] >= pair[1] }, "{covered:?} {t:?}");
            }
        }
    }

    #[test]
    fn faces_and_areas() {
        let at = |x: i64, y: i64| Corner { x: x * 256, y: y * 256, z: 64 };
        let t = Triangle::new([at(0, 0), at(4, 0), at(0, 4)]).unwrap();
        assert!(!t.counter_clockwise && t.area() == 16 << 16);
        let t = Triangle::new([at(0, 0), at(0, 4), at(4, 0)]).unwrap();
        assert!(t.counter_clockwise && t.area() == 16 << 16 && t.depth((256, 256)) == 1);
        assert_eq!(Triangle::new([at(0, 0), at(1, 1), at(2, 2)]), None);
        // The diagonal's samples belong to one side: top and left edges cover.
        let pixels = |t: &Triangle| (0..16).filter(|k| t.covers(Samples::One.at((k % 4, k / 4), 0))).count();
        assert_eq!(pixels(&t) + pixels(&Triangle::new([at(4, 0), at(4, 4), at(0, 4)]).unwrap()), 16);
    }
}
