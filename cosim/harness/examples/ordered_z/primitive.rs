//! A point, line or triangle on the screen: which pixels it covers, and how deep. A triangle is the
//! inside of its edges; a line all that is nearer than half a pixel to the ideal one, measured
//! across its longer axis; a point a square. Of what lies on a border, the left and the top one
//! belong to the primitive.

use super::{HALF_POINT, PIXEL};

#[derive(Clone, Copy, Debug)]
pub enum Primitive {
    Point([i64; 3]),
    Line([[i64; 3]; 2]),
    Triangle([[i64; 3]; 3]),
}

/// Twice the area of p, q, r; positive if they go round clockwise as seen on the screen (y grows
/// downwards).
fn twice_area(p: &[i64], q: &[i64], r: &[i64]) -> i64 {
    (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])
}

fn clockwise([a, b, c]: [[i64; 3]; 3]) -> [[i64; 3]; 3] {
    if twice_area(&a, &b, &c) < 0 {
        [a, c, b]
    } else {
        [a, b, c]
    }
}

/// The longer axis of a line (0: x), and its ends in ascending order along it.
fn along([a, b]: [[i64; 3]; 2]) -> (usize, [[i64; 3]; 2]) {
    let axis = usize::from((b[0] - a[0]).abs() < (b[1] - a[1]).abs());
    (axis, if a[axis] < b[axis] { [a, b] } else { [b, a] })
}

impl Primitive {
    /// The number by which the shader knows it.
    pub fn kind(&self) -> usize {
        match self {
            Self::Triangle(_) => 0,
            Self::Line(_) => 1,
            Self::Point(_) => 2,
        }
    }

    pub fn is_empty(&self) -> bool {
        match self {
            Self::Point(_) => false,
            Self::Line([a, b]) => a[..2] == b[..2],
            Self::Triangle([a, b, c]) => twice_area(a, b, c) == 0,
        }
    }

    /// Least and greatest position along an axis.
    pub fn bounds(&self, axis: usize) -> [i64; 2] {
        let (places, more) = match self {
            Self::Point(p) => (vec![p[axis]], HALF_POINT),
            Self::Line(ends) => (ends.map(|e| e[axis]).to_vec(), PIXEL / 2),
            Self::Triangle(corners) => (corners.map(|c| c[axis]).to_vec(), 0),
        };
        let least = places.iter().min().copied().unwrap_or(0);
        let greatest = places.iter().max().copied().unwrap_or(0);
        [least - more, greatest + more]
    }

    pub fn covers(&self, point: [i64; 2]) -> bool {
        match *self {
            Self::Point(centre) => (0..2).all(|i| (-HALF_POINT..HALF_POINT).contains(&(point[i] - centre[i]))),
            Self::Line(ends) => {
                let (axis, [a, b]) = along(ends);
                let other = 1 - axis;
                let (length, rise) = (b[axis] - a[axis], b[other] - a[other]);
                // Distance across from the ideal line, times the length; and half a pixel.
                let distance = (point[other] - a[other]) * length - rise * (point[axis] - a[axis]);
                let half = PIXEL / 2 * length;
                // Going down to the right, it is the lower border that looks to the left.
                let inside = match axis == 0 && rise > 0 {
                    true => -half < distance && distance <= half,
                    false => -half <= distance && distance < half,
                };
                inside && (a[axis]..b[axis]).contains(&point[axis])
            }
            Self::Triangle(corners) => {
                let corners = clockwise(corners);
                (0..3).all(|i| {
                    let (p, q) = (corners[i], corners[(i + 1) % 3]);
                    let side = twice_area(&p, &q, &point);
                    // On the line: only on an edge that goes up (a left one) or level to the right
                    // (a top one).
                    let top_left = q[1] < p[1] || (q[1] == p[1] && q[0] > p[0]);
                    side > 0 || side == 0 && top_left
                })
            }
        }
    }

    /// In 1/64, with slopes in whole 1/64 per 1/16 pixel, rounded towards 0. Of a line along its
    /// longer axis; of a point everywhere the same.
    pub fn depth(&self, point: [i64; 2]) -> i64 {
        match *self {
            Self::Point(centre) => 64 * centre[2],
            Self::Line([a, b]) => {
                let (axis, _) = along([a, b]);
                64 * a[2] + 64 * (b[2] - a[2]) / (b[axis] - a[axis]) * (point[axis] - a[axis])
            }
            Self::Triangle(corners) => {
                let [a, b, c] = clockwise(corners);
                let area = twice_area(&a, &b, &c);
                let slope_x = 64 * ((b[2] - a[2]) * (c[1] - a[1]) - (c[2] - a[2]) * (b[1] - a[1]));
                let slope_y = 64 * ((c[2] - a[2]) * (b[0] - a[0]) - (b[2] - a[2]) * (c[0] - a[0]));
                assert!(slope_x.abs() < 1 << 31 && slope_y.abs() < 1 << 31, "the shader's slopes overflow");
                64 * a[2] + slope_x / area * (point[0] - a[0]) + slope_y / area * (point[1] - a[1])
            }
        }
    }
}
