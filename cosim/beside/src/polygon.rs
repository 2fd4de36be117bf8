//! A triangle in the target: cut by the view volume, projected, and which samples it covers.
//!
//! Written from Vulkan 1.3: 27.2 (clip volume), 27.9 (viewport), 28.12 (facing, coverage). Each
//! corner may stand anywhere within 1/256 pixel of its exact place (4 sub-pixel bits are the least
//! that Vulkan allows; both renderers have 8). An edge is bilinear in its two corners, so its
//! extremes lie at the corners of their boxes. It can be wrong by a box that is too large.

use std::cell::OnceCell;
use std::cmp::Ordering;

use crate::number::{Enclosure, Exact, Number};
use crate::scene::State;

/// How far a corner may stand from its place, in pixels.
pub const BOX: f64 = 1.0 / 256.0;

/// A corner of a polygon.
#[derive(Clone, Debug)]
pub struct Corner<N> {
    /// It is this sum of the triangle's vertices, in clip space.
    pub weights: [N; 3],
    /// Pixels.
    pub x: N,
    /// Pixels, down.
    pub y: N,
    /// Depth in the target, without bias.
    pub z: N,
    /// 1 / w.
    pub r: N,
}

/// The greatest distance of a polygon's corners from the triangle's plane. It counts for all of
/// them: a value inside is a mean of those at corners, whatever their weights are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Off {
    /// Along x and along y, in pixels; [`BOX`] is in it.
    pub place: [f64; 2],
    /// Depth in the target.
    pub z: f64,
    /// Part of 1 / w.
    pub r: f64,
}

impl Off {
    /// Of vertices that no cut has made.
    const VERTEX: Self = Self { place: [BOX; 2], z: 0.0, r: 0.0 };

    fn max(self, other: Self) -> Self {
        let place = [0, 1].map(|k| self.place[k].max(other.place[k]));
        Self { place, z: self.z.max(other.z), r: self.r.max(other.r) }
    }

    /// There is a bound.
    pub fn is_finite(&self) -> bool {
        self.place.iter().all(|p| p.is_finite()) && self.z.is_finite() && self.r.is_finite()
    }
}

/// What is certain of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Covered {
    Yes,
    No,
    Either,
}

/// A triangle, cut and projected. Without corners nothing of it is left.
pub struct Polygon {
    positions: [[f32; 4]; 3],
    viewport: [f32; 4],
    range: [f32; 2],
    /// Near and far planes have cut it.
    pub clipped: bool,
    off: Off,
    exact: OnceCell<Vec<Corner<Exact>>>,
    near: Vec<Corner<Enclosure>>,
    clockwise: Option<bool>,
    wide: Option<Box<Polygon>>,
}

/// The six planes of the view volume; 0 and more is inside.
fn distance<N: Number>(p: &[N; 4], plane: usize) -> N {
    match plane {
        0 => p[2].clone(),
        1 => p[3].sub(&p[2]),
        2 => p[3].add(&p[0]),
        3 => p[3].sub(&p[0]),
        4 => p[3].add(&p[1]),
        _ => p[3].sub(&p[1]),
    }
}

/// The weighted sum of the vertices' positions.
fn mixed<N: Number>(weights: &[N; 3], positions: &[[f32; 4]; 3]) -> [N; 4] {
    std::array::from_fn(|k| {
        let part = |i: usize| weights[i].mul(&N::of(f64::from(positions[i][k])));
        part(0).add(&part(1)).add(&part(2))
    })
}

fn unit<N: Number>(i: usize) -> [N; 3] {
    std::array::from_fn(|k| N::of(f64::from(u8::from(k == i))))
}

/// A vertex of what a cut has left.
#[derive(Clone)]
struct Made {
    /// Of the triangle's vertices.
    weights: [Exact; 3],
    /// How far a renderer's vertex may be from the exact one, by word.
    errors: [f64; 4],
    /// How far it may be from a point of the triangle's plane, by word.
    off: [f64; 4],
    /// How far this point may be beyond the near and the far plane.
    beyond: [f64; 2],
}

impl Made {
    fn vertex(i: usize) -> Self {
        Self { weights: unit(i), errors: [0.0; 4], off: [0.0; 4], beyond: [0.0; 2] }
    }
}

/// The greatest relative error of rounding to f32: half a unit in the last place.
const ROUNDING: f64 = 1.0 / 16_777_216.0;

/// Covers products of errors, and the rounding of the bounds themselves in f64.
const PRODUCTS: f64 = 1.0 + 1.0 / 1_048_576.0;

/// The greatest magnitude of a number.
fn size(n: &Exact) -> f64 {
    n.bounds().into_iter().fold(0.0, |most: f64, x| most.max(x.abs()))
}

/// The change of the distance from a plane by words of that size.
fn of_distance([x, y, z, w]: [f64; 4], plane: usize) -> f64 {
    [z, w + z, w + x, w + x, w + y, w + y][plane]
}

/// The vertex at `t` of an edge that crosses a plane. `a` and `b` are its ends' distances from it.
///
/// A renderer makes it in f32. From either end it computes t = a / (a - b) of the ends' distances,
/// and then the words as end + t * (other end - end). Each operation rounds.
///
/// - The distances, other than z, their difference and the quotient are rounded. Errors da and db
///   of the distances change t by ((1 - t) * da + t * db) / (a - b). So t is wrong, which moves the
///   vertex along its edge, and so in the plane of the triangle.
/// - The difference of the words, the product and the sum are rounded. This, and what the ends are
///   off, takes the vertex off the plane.
fn crossing(ends: [&Made; 2], [a, b]: [&Exact; 2], t: &Exact, positions: &[[f32; 4]; 3], plane: usize) -> Made {
    let [from, to] = ends.map(|end| &end.weights);
    let weights = std::array::from_fn(|i| from[i].add(&t.mul(&to[i].sub(&from[i]))));
    let (at, new) = ([from, to].map(|w| mixed(w, positions)), mixed(&weights, positions));
    let t = size(t).min(1.0);
    let apart = ends.map(|end| of_distance(end.errors, plane));
    let least = size(&a.sub(b)) - apart[0] - apart[1];
    let rounding = if plane == 0 { 0.0 } else { ROUNDING };
    let [da, db] = [apart[0] + rounding * size(a), apart[1] + rounding * size(b)];
    let along = match least > 0.0 {
        true => ((1.0 - t) * da + t * db) / least + 2.0 * ROUNDING * t.max(1.0 - t),
        false => f64::INFINITY,
    };
    let greater = |of: &dyn Fn(&Made) -> f64| of(ends[0]).max(of(ends[1]));
    let mut made = Made { weights, errors: [0.0; 4], off: [0.0; 4], beyond: [0.0; 2] };
    let mut rounded = [0.0; 4];
    for k in 0..4 {
        let way = size(&at[1][k].sub(&at[0][k]));
        let on_way = if way > 0.0 { along * way } else { 0.0 };
        let error = greater(&|end| end.errors[k]);
        // The way from an end to the vertex is at most the whole one.
        let part = (t.max(1.0 - t) * way + on_way + 2.0 * error).min(way + 2.0 * error);
        rounded[k] = PRODUCTS * ROUNDING * (2.0 * part + size(&new[k]) + on_way + error);
        made.errors[k] = PRODUCTS * (error + on_way) + rounded[k];
        made.off[k] = greater(&|end| end.off[k]) + rounded[k];
    }
    // With the erroneous distances taken as given, only the roundings of t remain.
    let most = (size(a) + apart[0]).max(size(b) + apart[1]);
    let cut = PRODUCTS * 2.0 * (ROUNDING + rounding) * most + greater(&|end| of_distance(end.off, plane));
    made.beyond = [0, 1].map(|p| if p == plane { cut } else { greater(&|end| end.beyond[p]) });
    made
}

/// What is left of a triangle within these planes.
fn cut(positions: &[[f32; 4]; 3], planes: std::ops::Range<usize>) -> Vec<Made> {
    let mut polygon: Vec<Made> = (0..3).map(Made::vertex).collect();
    for plane in planes {
        let far: Vec<Exact> = polygon.iter().map(|v| distance(&mixed(&v.weights, positions), plane)).collect();
        let inside = |k: usize| far[k].sign() != Some(Ordering::Less);
        let mut kept = vec![];
        for k in 0..polygon.len() {
            let next = (k + 1) % polygon.len();
            if inside(k) {
                kept.push(polygon[k].clone());
            }
            if inside(k) != inside(next) {
                // The signs differ, so the difference is not 0.
                let Some(t) = far[k].div(&far[k].sub(&far[next])) else { continue };
                kept.push(crossing([&polygon[k], &polygon[next]], [&far[k], &far[next]], &t, positions, plane));
            }
        }
        polygon = kept;
    }
    polygon
}

/// An edge's value at a place: twice the area of both ends and the place, clockwise as seen.
pub(crate) fn edge<N: Number>(a: [&N; 2], b: [&N; 2], p: [&N; 2]) -> N {
    b[0].sub(a[0]).mul(&p[1].sub(a[1])).sub(&b[1].sub(a[1]).mul(&p[0].sub(a[0])))
}

/// A corner of a box, by number.
pub(crate) fn moved<N: Number>(corner: &Corner<N>, number: usize, far: [f64; 2]) -> [N; 2] {
    let by = |bit: usize| N::of(if number >> bit & 1 == 1 { far[bit] } else { -far[bit] });
    [corner.x.add(&by(0)), corner.y.add(&by(1))]
}

/// Sixteenths of a pixel as pixels.
pub(crate) fn place_of<N: Number>(place: [i32; 2]) -> [N; 2] {
    place.map(|p| N::of(f64::from(p) / 16.0))
}

impl Polygon {
    /// Cuts and projects a triangle.
    pub fn new(positions: [[f32; 4]; 3], state: &State) -> Self {
        let outside = |p: &[f32; 4]| p[2] < 0.0 || p[2] > p[3];
        let clipped = positions.iter().any(outside);
        let mut out = Self {
            positions,
            viewport: state.viewport,
            range: state.range,
            clipped,
            off: Off::VERTEX,
            exact: OnceCell::new(),
            near: vec![],
            clockwise: None,
            wide: None,
        };
        if clipped || positions.iter().any(|p| p[3] <= 0.0) {
            out.clipped = true;
            let wide = cut(&positions, 0..2);
            let is_outside = |v: &Made| {
                let p = mixed(&v.weights, &positions);
                (2..6).any(|plane| distance(&p, plane).sign() == Some(Ordering::Less))
            };
            if wide.iter().any(is_outside) {
                let mut other = Self { exact: OnceCell::new(), near: vec![], wide: None, ..out };
                other.take(&wide);
                out.take(&cut(&positions, 0..6));
                out.wide = Some(Box::new(other));
            } else {
                out.take(&wide);
            }
        } else {
            out.near = (0..3).filter_map(|i| out.corner(unit(i))).collect();
        }
        out.clockwise = out.faces();
        out
    }

    /// Takes the corners that a cut has left.
    fn take(&mut self, made: &[Made]) {
        let exact: Vec<Corner<Exact>> = made.iter().filter_map(|v| self.corner(v.weights.clone())).collect();
        self.off = made.iter().map(|v| self.off_of(v)).fold(Off::VERTEX, Off::max);
        let near = |n: &Exact| Enclosure::new(n.bounds());
        let of = |c: &Corner<Exact>| Corner {
            weights: c.weights.each_ref().map(near),
            x: near(&c.x),
            y: near(&c.y),
            z: near(&c.z),
            r: near(&c.r),
        };
        self.near = exact.iter().map(of).collect();
        self.exact = OnceCell::from(exact);
    }

    /// Projects a corner; `None` without a finite place.
    fn corner<N: Number>(&self, weights: [N; 3]) -> Option<Corner<N>> {
        let p = mixed(&weights, &self.positions);
        let r = N::of(1.0).div(&p[3])?;
        let [vx, vy, vw, vh] = self.viewport.map(|v| N::of(f64::from(v)));
        let half = N::of(0.5);
        let (hx, hy) = (vw.mul(&half), vh.mul(&half));
        // y of clip space points up.
        let x = vx.add(&hx).add(&hx.mul(&p[0].mul(&r)));
        let y = vy.add(&hy).sub(&hy.mul(&p[1].mul(&r)));
        let [near, far] = self.range.map(|v| N::of(f64::from(v)));
        let z = near.add(&far.sub(&near).mul(&p[2].mul(&r)));
        Some(Corner { weights, x, y, z, r })
    }

    /// How far a corner may be from the plane: words that are off by x and w change x / w by at
    /// most (x + |x / w| * w) / w. Beyond near or far plane its depth is held to the plane's, and
    /// so is what the point of the plane is beyond.
    fn off_of(&self, v: &Made) -> Off {
        let p = mixed(&v.weights, &self.positions);
        let w = p[3].bounds()[0] - v.errors[3] - v.off[3];
        if v.errors == [0.0; 4] {
            return Off::VERTEX;
        }
        if w <= 0.0 {
            return Off { place: [f64::INFINITY; 2], z: f64::INFINITY, r: f64::INFINITY };
        }
        let quotient = |k: usize| PRODUCTS * (v.off[k] + (size(&p[k]) + v.errors[k]) / w * v.off[3]) / w;
        let half = [2, 3].map(|k| f64::from(self.viewport[k]).abs() / 2.0);
        let [near, far] = self.range.map(f64::from);
        let beyond = PRODUCTS * v.beyond[0].max(v.beyond[1]) / w;
        Off {
            place: [0, 1].map(|k| BOX + half[k] * quotient(k)),
            z: (far - near).abs() * quotient(2).max(beyond),
            r: PRODUCTS * v.off[3] / w,
        }
    }

    /// How far corners may be from the triangle's plane.
    pub fn off(&self) -> &Off {
        &self.off
    }

    /// The polygons of whose triangles a renderer may take values: this one and, if the sides of
    /// the view volume cut it, what near and far plane alone leave. Renderers need not cut at the
    /// sides.
    pub fn both(&self) -> impl Iterator<Item = &Self> {
        std::iter::once(self).chain(self.wide.as_deref())
    }

    /// Its corners, enclosed.
    pub fn near(&self) -> &[Corner<Enclosure>] {
        &self.near
    }

    /// Its corners.
    pub fn exact(&self) -> &[Corner<Exact>] {
        self.exact.get_or_init(|| (0..3).filter_map(|i| self.corner(unit(i))).collect())
    }

    /// w differs by more than a ratio between near and far plane: there values have few good bits.
    pub fn is_steep(&self, ratio: f64) -> bool {
        let all: Vec<[f64; 2]> = match self.clipped {
            true => cut(&self.positions, 0..2).iter().map(|v| mixed(&v.weights, &self.positions)[3].bounds()).collect(),
            false => self.positions.iter().map(|p| [f64::from(p[3]); 2]).collect(),
        };
        let (lo, hi) = all.iter().fold((f64::INFINITY, 0f64), |(lo, hi), w| (lo.min(w[0]), hi.max(w[1])));
        hi > ratio * lo
    }

    /// Clockwise as seen; `None` if the boxes leave both ways, or there is no area.
    pub fn clockwise(&self) -> Option<bool> {
        self.clockwise
    }

    fn faces(&self) -> Option<bool> {
        fn area<N: Number>(corners: &[Corner<N>]) -> N {
            let zero = N::of(0.0);
            let product = |a: &Corner<N>, b: &Corner<N>| a.x.mul(&b.y).sub(&b.x.mul(&a.y));
            (0..corners.len()).fold(zero, |sum, k| sum.add(&product(&corners[k], &corners[(k + 1) % corners.len()])))
        }
        let n = self.near.len();
        if n < 3 {
            return None;
        }
        // Each corner that moves changes the sum by its neighbours' distance, along x and y.
        let mut change = 2.0 * n as f64 * BOX * BOX;
        for k in 0..n {
            let (a, b) = (&self.near[(k + n - 1) % n], &self.near[(k + 1) % n]);
            change += BOX * (a.x.sub(&b.x).abs().hi + a.y.sub(&b.y).abs().hi);
        }
        let [mut lo, mut hi] = area(&self.near).bounds();
        if hi - lo > 1e-3 * lo.abs().min(hi.abs()) {
            [lo, hi] = area(self.exact()).bounds();
        }
        (lo > change).then_some(true).or((hi < -change).then_some(false))
    }

    /// Whether a sample is covered; `on_grid`: corners are on the grid of places, so without
    /// tolerance, and edges through a sample go by the top-left rule. Only for a polygon whose face
    /// is known.
    pub fn covers(&self, place: [i32; 2], on_grid: bool) -> Covered {
        if self.clockwise.is_none() {
            return Covered::Either;
        }
        let mut out = self.is_in_viewport(place);
        if out == Covered::No {
            return out;
        }
        for k in 0..self.near.len() {
            match self.side(k, place, on_grid) {
                Covered::No => return Covered::No,
                Covered::Either => out = Covered::Either,
                Covered::Yes => {}
            }
        }
        out
    }

    /// Whether the edge from corner `k` to the next one takes a place, as of [`Self::covers`].
    pub fn side(&self, k: usize, place: [i32; 2], on_grid: bool) -> Covered {
        let Some(clockwise) = self.clockwise else { return Covered::Either };
        let next = (k + 1) % self.near.len();
        // So that the inside is on the right of each edge.
        let ends = if clockwise { [k, next] } else { [next, k] };
        let far = if on_grid && !self.clipped { 0.0 } else { BOX };
        let near = side(&self.near, ends, place, far);
        near.or_else(|| side(self.exact(), ends, place, far)).unwrap_or(Covered::Either)
    }

    /// Whether a place is inside the viewport, which the view volume ends at.
    pub fn is_in_viewport(&self, place: [i32; 2]) -> Covered {
        let [vx, vy, vw, vh] = self.viewport.map(f64::from);
        let mut out = Covered::Yes;
        for (at, from, size) in [(place[0], vx, vw), (place[1], vy, vh)] {
            let at = f64::from(at) / 16.0;
            if at < from - BOX || at > from + size + BOX {
                return Covered::No;
            }
            if at < from + BOX || at > from + size - BOX {
                out = Covered::Either;
            }
        }
        out
    }
}

/// On which side of an edge a place is, for all corners of both boxes; `None` if an enclosure does
/// not decide.
fn side<N: Number>(corners: &[Corner<N>], [i, j]: [usize; 2], place: [i32; 2], far: f64) -> Option<Covered> {
    let (a, b) = (corners.get(i)?, corners.get(j)?);
    let p = place_of::<N>(place);
    if far == 0.0 {
        let value = edge([&a.x, &a.y], [&b.x, &b.y], [&p[0], &p[1]]);
        return Some(match value.sign()? {
            Ordering::Greater => Covered::Yes,
            Ordering::Less => Covered::No,
            Ordering::Equal => {
                let (dx, dy) = (b.x.sub(&a.x).sign()?, b.y.sub(&a.y).sign()?);
                let takes = dy == Ordering::Less || dy == Ordering::Equal && dx == Ordering::Greater;
                [Covered::No, Covered::Yes][usize::from(takes)]
            }
        });
    }
    let (mut inside, mut outside) = (false, false);
    for number in 0..16 {
        let (a, b) = (moved(a, number & 3, [far; 2]), moved(b, number >> 2, [far; 2]));
        let value = edge([&a[0], &a[1]], [&b[0], &b[1]], [&p[0], &p[1]]);
        match value.sign()? {
            Ordering::Less => outside = true,
            Ordering::Equal => (inside, outside) = (true, true),
            Ordering::Greater => inside = true,
        }
    }
    Some(match (inside, outside) {
        (true, false) => Covered::Yes,
        (false, true) => Covered::No,
        _ => Covered::Either,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::tests::plain;
    use proptest::prelude::*;

    /// Of a target of 8 by 8 pixels.
    fn polygon(p: [[f32; 4]; 3]) -> Polygon {
        Polygon::new(p, &plain(&[]).draws[0].state)
    }

    const HALF: [[f32; 4]; 3] = [[-1.0, 1.0, 0.5, 1.0], [1.0, 1.0, 0.5, 1.0], [-1.0, -1.0, 0.5, 1.0]];

    #[test]
    fn a_half_covers_its_side_of_the_diagonal() {
        let p = polygon(HALF);
        assert_eq!(p.clockwise(), Some(true));
        let at = |x: i32, y: i32, exact| p.covers([16 * x + 8, 16 * y + 8], exact);
        assert_eq!((at(1, 1, true), at(6, 6, true)), (Covered::Yes, Covered::No));
        // The diagonal goes through the centre: with tolerance both, on the grid by the rule.
        assert_eq!(at(3, 4, false), Covered::Either);
        // It goes down and left, which is no left edge and no top one.
        assert_eq!(at(3, 4, true), Covered::No);
        let other = polygon([HALF[2], HALF[1], [1.0, -1.0, 0.5, 1.0]]);
        assert_eq!(other.covers([16 * 3 + 8, 16 * 4 + 8], true), Covered::Yes);
    }

    #[test]
    fn scaling_all_words_changes_nothing() {
        for power in [-70, -21, 66, 99] {
            let s = 2f32.powi(power);
            let p = polygon(HALF.map(|v| v.map(|x| x * s)));
            assert_eq!((p.clockwise(), p.covers([24, 24], true)), (Some(true), Covered::Yes), "{power}");
        }
    }

    #[test]
    fn what_is_behind_the_eye_is_cut() {
        // Depth rises from 0 at the left edge; the left corner is behind the near plane.
        let p = polygon([[-1.0, 1.0, -0.5, 1.0], [1.0, 1.0, 0.5, 1.0], [1.0, -1.0, 0.5, 1.0]]);
        assert!(p.clipped && p.near().len() == 4);
        assert_eq!(p.clockwise(), Some(true));
        assert_eq!(p.covers([8 + 16 * 2, 8], false), Covered::No);
        assert_eq!(p.covers([8 + 16 * 6, 8 + 16], false), Covered::Yes);
        let p = polygon([[0.0, 0.5, 0.5, 1.0], [0.5, -0.5, 0.5, 1.0], [-0.5, -0.5, 0.5, -1.0]]);
        assert!(p.clipped && p.near().iter().all(|c| c.r.lo > 0.0));
        assert!(polygon([[0.0, 0.0, 2.0, 1.0], [1.0, 0.0, 2.0, 1.0], [0.0, 1.0, 2.0, 1.0]]).near().is_empty());
    }

    /// The vertex that f32 makes of an edge, from its first end; `None` if it does not cross there.
    fn made(a: [f32; 4], b: [f32; 4], plane: usize) -> Option<[f32; 4]> {
        let far = |p: [f32; 4]| [p[2], p[3] - p[2], p[3] + p[0], p[3] - p[0], p[3] + p[1], p[3] - p[1]][plane];
        let t = far(a) / (far(a) - far(b));
        ((far(a) < 0.0) != (far(b) < 0.0)).then(|| std::array::from_fn(|k| a[k] + t * (b[k] - a[k])))
    }

    fn position() -> impl Strategy<Value = [f32; 4]> {
        let word = || prop_oneof![-2f32..2.0, -60f32..60.0, -40000f32..40000.0];
        [word(), word(), word(), word()]
    }

    /// What f32 makes is as far from the exact vertex, from the line of the first edge and from the
    /// planes as bounds say.
    fn holds(v: &Made, words: [f32; 4], positions: &[[f32; 4]; 3], plane: usize) -> bool {
        let at = words.map(|x| Exact::of(f64::from(x)));
        let exact = mixed(&v.weights, positions);
        let near = |a: &Exact, b: &Exact, most: f64| size(&a.sub(b)) <= most;
        // Points of the line that are near enough in each word: the parts of it, between bounds.
        let (mut lo, mut hi) = (f64::NEG_INFINITY, f64::INFINITY);
        let on_line = (0..4).all(|k| {
            let [a, b] = [0, 1].map(|i| Exact::of(f64::from(positions[i][k])));
            let way = b.sub(&a);
            let ends = [-v.off[k], v.off[k]].map(|off| at[k].add(&Exact::of(off)).sub(&a).div(&way));
            let [Some(p), Some(q)] = ends else { return near(&at[k], &a, v.off[k]) };
            let (p, q) = (p.bounds()[0], q.bounds()[1]);
            (lo, hi) = (lo.max(p.min(q)), hi.min(p.max(q)));
            true
        });
        let beyond = |p: usize| distance(&at, p).bounds()[0] >= -v.beyond[p] - of_distance(v.off, p);
        on_line && lo <= hi && (0..4).all(|k| near(&at[k], &exact[k], v.errors[k])) && (plane > 1 || beyond(plane))
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

        /// Bounds hold what f32 makes of an edge from either end, and of what is left of it.
        #[test]
        fn bounds_hold_what_f32_makes_of_an_edge(p in [position(), position()], first in 0..6usize, then in 0..6usize) {
            let [a, b] = p;
            let positions = [a, b, b];
            let of = |ends: [&Made; 2], plane: usize| {
                let [far, other] = ends.map(|end| distance(&mixed(&end.weights, &positions), plane));
                let signs = [far.sign(), other.sign()];
                let crosses = signs[0] != signs[1] && !signs.contains(&Some(Ordering::Equal));
                let t = crosses.then(|| far.div(&far.sub(&other)))??;
                Some(crossing(ends, [&far, &other], &t, &positions, plane))
            };
            let ends = [0, 1].map(Made::vertex);
            let Some(once) = of([&ends[0], &ends[1]], first) else { return Ok(()) };
            for (from, to) in [(a, b), (b, a)] {
                let Some(words) = made(from, to, first) else { continue };
                prop_assert!(holds(&once, words, &positions, first), "{words:?}");
                let Some(twice) = of([&once, &ends[1]], then) else { continue };
                for again in [made(words, b, then), made(b, words, then)].into_iter().flatten() {
                    prop_assert!(holds(&twice, again, &positions, then), "{again:?}");
                }
            }
        }
    }

    #[test]
    fn a_sliver_has_no_face() {
        let y = 1.0 - 1.0 / 2048.0;
        assert_eq!(polygon([[-1.0, 1.0, 0.5, 1.0], [1.0, 1.0, 0.5, 1.0], [0.0, y, 0.5, 1.0]]).clockwise(), None);
    }
}
