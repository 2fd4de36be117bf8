//! Legal values of a sample: varyings, w, depth.
//!
//! Written from Vulkan 1.3: 28.12.1 (interpolation, in the target with and without perspective),
//! 28.13 (depth bias). A value is a quotient of sums that are linear in each corner's x and y, so
//! with all corners in their boxes its extremes lie at the boxes' corners: 64 evaluations. Corners
//! of a cut have larger boxes, and their depth and w are not exact ([`Off`]). Beside that there is
//! slack for the rounding of each renderer. It can be wrong by too much slack.

use std::cmp::Ordering;

use crate::number::{above, below, ulp32, Enclosure, Exact, Number};
use crate::polygon::{edge, moved, place_of, Corner, Off, Polygon};
use crate::scene::State;

/// Units of 24-bit depth.
pub const DEPTH: f64 = 16_777_215.0;

/// How a value goes over the polygon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// With perspective: of the vertices' values.
    Perspective,
    /// Linear in the target: of the vertices' values.
    Linear,
    /// 1 / w, linear in the target.
    Reciprocal,
    /// Depth, linear in the target, without bias.
    Depth,
}

/// Legal values, of which the inner ones are certain and those outside of the outer ones are not
/// legal for certain.
#[derive(Clone, Copy, Debug)]
struct Hull {
    inner: [f64; 2],
    outer: [f64; 2],
}

impl Hull {
    const EMPTY: Self = Self { inner: [f64::INFINITY, f64::NEG_INFINITY], outer: [f64::INFINITY, f64::NEG_INFINITY] };

    fn take(&mut self, [lo, hi]: [f64; 2]) {
        self.outer = [self.outer[0].min(lo), self.outer[1].max(hi)];
        self.inner = [self.inner[0].min(hi), self.inner[1].max(lo)];
    }

    fn join(&mut self, other: &Self) {
        self.outer = [self.outer[0].min(other.outer[0]), self.outer[1].max(other.outer[1])];
        self.inner = [self.inner[0].min(other.inner[0]), self.inner[1].max(other.inner[1])];
    }

    /// Whether a value with that slack is legal; `None` if that is not certain.
    fn holds(&self, x: f64, slack: f64) -> Option<bool> {
        if x >= above(self.inner[0] - slack) && x <= below(self.inner[1] + slack) {
            return Some(true);
        }
        let out = x < below(self.outer[0] - slack) || x > above(self.outer[1] + slack);
        (out || x.is_nan()).then_some(false)
    }
}

/// What there is of a corner's value.
fn own<N: Number>(corner: &Corner<N>, mode: Mode, values: &[f64; 3], w: &[f64; 3]) -> N {
    let sum = |part: &dyn Fn(usize) -> N| part(0).add(&part(1)).add(&part(2));
    match mode {
        Mode::Perspective => sum(&|i| corner.weights[i].mul(&N::of(values[i]))),
        // A vertex's weight in the target is that in clip space times its w, over the corner's.
        Mode::Linear => sum(&|i| corner.weights[i].mul(&N::of(w[i])).mul(&N::of(values[i]))).mul(&corner.r),
        Mode::Reciprocal => corner.r.clone(),
        Mode::Depth => corner.z.clone(),
    }
}

/// The edges' values at a place, each for the corner opposite.
fn edges<N: Number>(at: &[[N; 2]; 3], place: &[N; 2]) -> [N; 3] {
    std::array::from_fn(|i| {
        let (a, b) = (&at[(i + 1) % 3], &at[(i + 2) % 3]);
        edge([&a[0], &a[1]], [&b[0], &b[1]], [&place[0], &place[1]])
    })
}

/// A value at a place, of corners that stand there; `None`: not certain, or it has none.
fn value<N: Number>(at: &[[N; 2]; 3], own: &[N; 3], r: Option<&[N; 3]>, place: &[N; 2]) -> Option<(N, Ordering)> {
    let e = edges(at, place);
    let q: [N; 3] = std::array::from_fn(|i| r.map_or(e[i].clone(), |r| e[i].mul(&r[i])));
    let whole = q[0].add(&q[1]).add(&q[2]);
    let sum = q[0].mul(&own[0]).add(&q[1].mul(&own[1])).add(&q[2].mul(&own[2]));
    Some((sum.div(&whole)?, whole.sign()?))
}

/// Legal by one of several, if one of them is certain.
fn any(mut all: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    all.try_fold(Some(false), |sum, legal| match legal {
        Some(true) => Err(Some(true)),
        Some(false) => Ok(sum),
        None => Ok(None),
    })
    .unwrap_or_else(|legal| legal)
}

/// What 64 corners of boxes give.
enum Corners {
    Hull(Hull),
    /// The value has no bound: its divisor changes its sign.
    Any,
    /// Enclosures do not tell.
    Unknown,
}

/// With a part of 1 / w by which it is off, each 1 / w is at one of its ends, too: a value is a
/// quotient of sums that are linear in each of them.
fn corners<N: Number>(three: [&Corner<N>; 3], own: &[N; 3], mode: Mode, place: [i32; 2], off: &Off) -> Corners {
    let place = place_of::<N>(place);
    let mut hull = Hull::EMPTY;
    let mut first = None;
    for number in 0..if off.r > 0.0 { 512 } else { 64 } {
        let at = std::array::from_fn(|i| moved(three[i], number >> (2 * i) & 3, off.place));
        let r: [N; 3] = std::array::from_fn(|i| match (number >> (6 + i) & 1, &three[i].r) {
            (_, r) if off.r == 0.0 => r.clone(),
            (0, r) => r.sub(&r.mul(&N::of(off.r))),
            (_, r) => r.add(&r.mul(&N::of(off.r))),
        });
        let own = if mode == Mode::Reciprocal { &r } else { own };
        match value(&at, own, (mode == Mode::Perspective).then_some(&r), &place) {
            Some((x, sign)) if *first.get_or_insert(sign) == sign => hull.take(x.bounds()),
            Some(_) => return Corners::Any,
            None => return Corners::Unknown,
        }
    }
    Corners::Hull(hull)
}

/// Triangles of a polygon's corners of which a renderer may take the values of a sample: all that
/// hold the sample, and else the large ones.
fn threes(polygon: &Polygon, place: [i32; 2]) -> Vec<[usize; 3]> {
    let near = polygon.near();
    let n = near.len();
    if n <= 3 {
        return if n == 3 { vec![[0, 1, 2]] } else { vec![] };
    }
    let off = polygon.off().place;
    let middle = |e: &Enclosure| (e.lo + e.hi) / 2.0;
    let at: Vec<[f64; 2]> = near.iter().map(|c| [middle(&c.x), middle(&c.y)]).collect();
    let p = place.map(|p| f64::from(p) / 16.0);
    let twice = |a: [f64; 2], b: [f64; 2], c: [f64; 2]| (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    let mut all = vec![];
    for i in 0..n {
        for j in i + 1..n {
            all.extend((j + 1..n).map(|k| [i, j, k]));
        }
    }
    let holds = |three: &[usize; 3]| {
        let way = twice(at[three[0]], at[three[1]], at[three[2]]).signum();
        (0..3).all(|i| {
            let (a, b) = (at[three[i]], at[three[(i + 1) % 3]]);
            let margin = 4.0 * off[0].max(off[1]) * ((b[0] - a[0]).abs() + (b[1] - a[1]).abs() + 1.0);
            twice(a, b, p) * way > -margin
        })
    };
    let holding: Vec<[usize; 3]> = all.iter().copied().filter(holds).collect();
    if !holding.is_empty() {
        return holding;
    }
    let size = |t: &[usize; 3]| twice(at[t[0]], at[t[1]], at[t[2]]).abs();
    let most = all.iter().map(size).fold(0.0, f64::max);
    all.into_iter().filter(|t| size(t) >= most / 4.0).collect()
}

/// A varying's values and how it goes over the polygon.
#[derive(Clone, Copy, Debug)]
pub struct Varying {
    /// How.
    pub mode: Mode,
    /// Of the triangle's vertices.
    pub values: [f64; 3],
    /// Their w.
    pub w: [f64; 3],
}

impl Varying {
    /// Four units in the last place of the largest vertex's value.
    fn slack(&self, polygon: &Polygon) -> f64 {
        let largest = match self.mode {
            Mode::Reciprocal => polygon.near().iter().map(|c| c.r.hi).fold(0.0, f64::max),
            _ => self.values.iter().fold(0.0, |most: f64, v| most.max(v.abs())),
        };
        4.0 * ulp32(largest)
    }

    /// Whether a value of a sample is legal: one at these places, or between those of several.
    /// `None` is not decided: within the boxes the value of a triangle has no bound.
    pub fn is_legal(&self, polygon: &Polygon, sample: [i32; 2], places: &[[i32; 2]], got: f64) -> Option<bool> {
        any(polygon.both().map(|p| self.is_legal_of(p, sample, places, got)))
    }

    fn is_legal_of(&self, polygon: &Polygon, sample: [i32; 2], places: &[[i32; 2]], got: f64) -> Option<bool> {
        let slack = self.slack(polygon);
        let perspective = self.mode == Mode::Perspective;
        let near_own: Vec<Enclosure> =
            polygon.near().iter().map(|c| own(c, self.mode, &self.values, &self.w)).collect();
        // Most values are within the slack with the corners in their exact places.
        if let [a, b, c] = polygon.near() {
            let at = [a, b, c].map(|c| [c.x, c.y]);
            let r = [a, b, c].map(|c| c.r);
            let all = [near_own[0], near_own[1], near_own[2]];
            let of = |place: &[i32; 2]| value(&at, &all, perspective.then_some(&r), &place_of(*place));
            let exact: Option<Vec<[f64; 2]>> = places.iter().map(|p| of(p).map(|(x, _)| x.bounds())).collect();
            let mut hull = Hull::EMPTY;
            exact.into_iter().flatten().for_each(|bounds| hull.take(bounds));
            if hull.holds(got, slack) == Some(true) {
                return Some(true);
            }
        }
        let is_legal = |off: &Off| {
            let (mut whole, mut any) = (Hull::EMPTY, false);
            for &place in places {
                for [i, j, k] in threes(polygon, sample) {
                    let near = polygon.near();
                    let values = [near_own[i], near_own[j], near_own[k]];
                    match corners([&near[i], &near[j], &near[k]], &values, self.mode, place, off) {
                        Corners::Hull(hull) => whole.join(&hull),
                        Corners::Any => any = true,
                        Corners::Unknown => return self.is_legal_exactly(polygon, sample, places, [got, slack], off),
                    }
                }
            }
            match whole.holds(got, slack) {
                Some(true) => Some(true),
                _ if any => None,
                Some(false) => Some(false),
                None => self.is_legal_exactly(polygon, sample, places, [got, slack], off),
            }
        };
        // Few values need what 1 / w may be off, which takes eight times as long.
        let off = polygon.off();
        match off.is_finite().then(|| is_legal(&Off { r: 0.0, ..*off }))? {
            Some(false) if self.mode != Mode::Linear && off.r > 0.0 => is_legal(off),
            legal => legal,
        }
    }

    fn is_legal_exactly(
        &self,
        polygon: &Polygon,
        sample: [i32; 2],
        places: &[[i32; 2]],
        [got, slack]: [f64; 2],
        off: &Off,
    ) -> Option<bool> {
        let all = polygon.exact();
        let own: Vec<Exact> = all.iter().map(|c| own(c, self.mode, &self.values, &self.w)).collect();
        let (mut whole, mut any) = (Hull::EMPTY, false);
        for &place in places {
            for [i, j, k] in threes(polygon, sample) {
                let values = [own[i].clone(), own[j].clone(), own[k].clone()];
                match corners([&all[i], &all[j], &all[k]], &values, self.mode, place, off) {
                    Corners::Hull(hull) => whole.join(&hull),
                    Corners::Any | Corners::Unknown => any = true,
                }
            }
        }
        // Of the bounds the last unit of an f64 is left.
        match whole.holds(got, slack) {
            Some(false) if any => None,
            Some(false) => Some(false),
            Some(true) | None => Some(true),
        }
    }
}

/// Units of a depth bias that are legal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// That of the format, which this project promises: 2^-24, or one part of the greatest code.
    Format,
    /// Up to twice as much, which Vulkan allows.
    Vulkan,
}

/// Legal depths of a sample at a place in units of 24 bits, without slack; with a unit after bias.
/// `None`: any.
///
/// The bias is m * slope + r * constant, held to the clamp. m is between the greater of the depth's
/// changes along x and y, and the root of the sum of their squares; r is the unit. The vertices'
/// depths, of which the changes are taken, may be [`VERTEX`] from the exact ones, and what they are
/// off. The sum is held to the viewport's depths, as WebGPU has it.
pub fn depths(
    polygon: &Polygon,
    state: &State,
    [sample, place]: [[i32; 2]; 2],
    unit: Option<Unit>,
) -> Option<[f64; 2]> {
    let (near, off) = (polygon.near(), polygon.off());
    if !off.is_finite() {
        return None;
    }
    let mut out: Option<Enclosure> = None;
    for three in threes(polygon, sample) {
        let change = off.z + VERTEX * near.iter().map(|c| ulp32(c.z.hi)).fold(0.0, f64::max);
        for number in 0..64 {
            let one = match depth_at(three.map(|i| &near[i]), number, place, off) {
                Some(found) => found,
                None => {
                    let exact = polygon.exact();
                    let found = depth_at(three.map(|i| &exact[i]), number, place, off)?;
                    found.map(|n| Enclosure::new(n.bounds()))
                }
            };
            let [z, error, gx, gy, dx, dy] = one;
            let mut z = z.sub(&error).hull(z.add(&error));
            let [gx, gy] = [(gx, dx), (gy, dy)].map(|(g, d)| g.add(&Enclosure { lo: -change, hi: change }.mul(&d)));
            if let Some(unit) = unit.filter(|_| state.bias != [0.0; 3]) {
                z = z.add(&bias(state, unit, gx, gy));
            }
            let [a, b] = state.range.map(f64::from);
            z = z.max(Enclosure::of(a.min(b))).min(Enclosure::of(a.max(b)));
            out = Some(out.map_or(z, |out| out.hull(z)));
        }
    }
    out.map(|z| [z.lo * DEPTH, z.hi * DEPTH])
}

/// For a corner of the boxes: depth at a place, and how far it may be from that by the vertices'
/// depths; its changes along x and y, and how much these change at most with the depth of one
/// vertex.
fn depth_at<N: Number>(three: [&Corner<N>; 3], number: usize, place: [i32; 2], off: &Off) -> Option<[N; 6]> {
    let at: [[N; 2]; 3] = std::array::from_fn(|i| moved(three[i], number >> (2 * i) & 3, off.place));
    let z = three.map(|c| c.z.clone());
    let place = place_of(place);
    let (depth, _) = value(&at, &z, None, &place)?;
    let [a, b, c] = &at;
    let area = edge([&a[0], &a[1]], [&b[0], &b[1]], [&c[0], &c[1]]);
    let (dz1, dz2) = (z[1].sub(&z[0]), z[2].sub(&z[0]));
    let along = |k: usize| dz1.mul(&c[k].sub(&a[k])).sub(&dz2.mul(&b[k].sub(&a[k])));
    let zero = N::of(0.0);
    let size = |n: N| if n.sign() == Some(Ordering::Less) { zero.sub(&n) } else { n };
    let sides = |k: usize| {
        let side = |a: &[N; 2], b: &[N; 2]| size(b[k].sub(&a[k]));
        side(a, b).add(&side(b, c)).add(&side(c, a))
    };
    let whole = size(area.clone());
    let (dx, dy) = (sides(1).div(&whole)?, sides(0).div(&whole)?);
    let [e0, e1, e2] = edges(&at, &place).map(size);
    let error = if off.z > 0.0 { e0.add(&e1).add(&e2).mul(&N::of(off.z)).div(&whole)? } else { zero.clone() };
    Some([depth, error, along(1).div(&area)?, zero.sub(&along(0)).div(&area)?, dx, dy])
}

fn bias(state: &State, unit: Unit, gx: Enclosure, gy: Enclosure) -> Enclosure {
    let [constant, slope, clamp] = state.bias.map(f64::from);
    let (gx, gy) = (gx.abs(), gy.abs());
    let m = gx.max(gy).hull(gx.mul(&gx).add(&gy.mul(&gy)).sqrt());
    let most = if unit == Unit::Format { above(1.0 / DEPTH) } else { 2.0 / DEPTH };
    let r = Enclosure { lo: 2f64.powi(-24), hi: most };
    let b = m.mul(&Enclosure::of(slope)).add(&r.mul(&Enclosure::of(constant)));
    match clamp {
        c if c > 0.0 => b.min(Enclosure::of(c)),
        c if c < 0.0 => b.max(Enclosure::of(c)),
        _ => b,
    }
}

/// How far a vertex's depth may be from the exact one, in units in the last place of f32: division,
/// scale and offset are rounded.
const VERTEX: f64 = 2.0;

/// Units of slack of a depth, beside the interval.
pub const SLACK: f64 = 2.0;

/// Whether a 24-bit depth is legal; `None`: it has no bound.
pub fn is_depth(polygon: &Polygon, state: &State, sample: [i32; 2], unit: Unit, got: u32) -> Option<bool> {
    let got = f64::from(got);
    any(polygon.both().map(|p| {
        let [lo, hi] = depths(p, state, [sample; 2], Some(unit))?;
        Some(got >= below(lo - SLACK) && got <= above(hi + SLACK))
    }))
}

/// Whether the z of a fragment's position is legal: depth at one of these places. Ours has the bias
/// (docs/graphics.md). Vulkan leaves it open, so another's may be without.
pub fn is_position_z(
    polygon: &Polygon,
    state: &State,
    sample: [i32; 2],
    places: &[[i32; 2]],
    unit: Unit,
    got: f64,
) -> Option<bool> {
    // Beside that of a depth, the slack of a rounding to f32.
    let slack = SLACK + DEPTH * ulp32(got);
    let got = got * DEPTH;
    any(polygon.both().map(|p| {
        let mut all = [f64::INFINITY, f64::NEG_INFINITY];
        for &place in places {
            for unit in [Some(unit), None].into_iter().take(if unit == Unit::Format { 1 } else { 2 }) {
                let [lo, hi] = depths(p, state, [sample, place], unit)?;
                all = [all[0].min(lo), all[1].max(hi)];
            }
        }
        Some(got >= all[0] - slack && got <= all[1] + slack)
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::tests::plain;

    fn state() -> State {
        plain(&[]).draws[0].state.clone()
    }

    /// 0, 1 and 0 at the corners: x goes from 0 to 1 over 8 pixels.
    const HALF: [[f32; 4]; 3] = [[-1.0, 1.0, 0.5, 1.0], [1.0, 1.0, 0.5, 1.0], [-1.0, -1.0, 0.5, 1.0]];

    fn ramp(mode: Mode) -> Varying {
        Varying { mode, values: [0.0, 1.0, 0.0], w: [1.0; 3] }
    }

    #[test]
    fn a_ramp_is_legal_within_its_boxes() {
        let p = Polygon::new(HALF, &state());
        let at = [16 * 2 + 8, 8];
        for mode in [Mode::Linear, Mode::Perspective] {
            let v = ramp(mode);
            let legal = |places: &[[i32; 2]], got: f64| v.is_legal(&p, at, places, got) == Some(true);
            assert!(legal(&[at], 2.5 / 8.0));
            // A corner 1/256 pixel aside moves it by up to 1/256 of 1/8.
            assert!(legal(&[at], 2.5 / 8.0 + 0.9 / 2048.0));
            assert_eq!(v.is_legal(&p, at, &[at], 2.5 / 8.0 + 2.5 / 2048.0), Some(false));
            assert_eq!(v.is_legal(&p, at, &[at], f64::NAN), Some(false));
            assert!(legal(&[at, [16 * 3 + 8, 8]], 3.0 / 8.0), "between two places");
        }
    }

    #[test]
    fn perspective_is_that_of_clip_space() {
        // w is 3 at the right: half way on the screen is a quarter in space.
        let mut positions = HALF;
        positions[1] = positions[1].map(|x| 3.0 * x);
        let p = Polygon::new(positions, &state());
        let w = [1.0, 3.0, 1.0];
        let of = |mode| Varying { mode, values: [0.0, 1.0, 0.0], w };
        let at = [16 * 4, 0];
        let legal = |mode, got| of(mode).is_legal(&p, at, &[at], got);
        assert_eq!([0.25, 0.5].map(|x| legal(Mode::Perspective, x)), [Some(true), Some(false)]);
        assert_eq!([0.25, 0.5].map(|x| legal(Mode::Linear, x)), [Some(false), Some(true)]);
        assert_eq!(legal(Mode::Reciprocal, 2.0 / 3.0), Some(true));
    }

    /// A triangle of no area within its boxes has any values beside its plane, and none is judged.
    #[test]
    fn what_has_no_bound_is_not_decided() {
        let thin = [[-1.0, 1.0, 0.5, 1.0], [1.0, 1.0, 0.5, 1.0], [0.0, 1.0, 0.5, 1.0]];
        let at = [16 * 2 + 8, 0];
        let v = ramp(Mode::Linear);
        assert_eq!(v.is_legal(&Polygon::new(thin, &state()), at, &[at], 77.0), None);
    }

    /// Ours has the bias in z of a position; of another renderer both are legal.
    #[test]
    fn z_of_a_position_has_the_bias_on_our_side() {
        let mut state = state();
        state.bias = [4_194_304.0, 0.0, 0.0];
        let (p, at) = (Polygon::new(HALF, &state), [16 * 2 + 8, 8]);
        let z = |unit, got| is_position_z(&p, &state, at, &[at], unit, got);
        assert_eq!([0.5, 0.75].map(|x| z(Unit::Format, x)), [Some(false), Some(true)]);
        assert_eq!([0.5, 0.75].map(|x| z(Unit::Vulkan, x)), [Some(true), Some(true)]);
    }

    /// Seed 6605: a depth at the end of its slack, which f32 rounds to beyond it.
    #[test]
    fn z_of_a_position_is_rounded_to_f32() {
        let (p, at) = (Polygon::new(HALF, &state()), [16 * 2 + 8, 8]);
        let z = |units: f64| is_position_z(&p, &state(), at, &[at], Unit::Format, 0.5 - units / DEPTH);
        assert_eq!([2.4, 3.1].map(z), [Some(true), Some(false)]);
    }

    /// Seeds 7963 and 8005: a factor of 40 multiplies the rounding of the vertices' depths.
    #[test]
    fn slopes_are_those_of_rounded_depths() {
        let mut state = state();
        state.bias = [0.0, 40.0, 0.0];
        let flat = HALF.map(|[x, y, _, w]| [x, y, 0.25, w]);
        let (p, at) = (Polygon::new(flat, &state), [16 * 2 + 8, 8]);
        let depth = |units: u32| is_depth(&p, &state, at, Unit::Format, 4_194_304 + units);
        assert_eq!([8, 40].map(depth), [Some(true), Some(false)]);
    }

    /// Seed 5003: the sample is in a sliver that near and far plane leave, and in no triangle of
    /// the polygon that the sides cut, too.
    #[test]
    fn values_may_be_those_of_triangles_that_reach_beyond_the_sides() {
        let positions = [
            [1.367_059_1, 3.765_519_4, 2.933_085, 2.916_441],
            [-0.085_732_065, -0.114_423_834, -0.591_934_86, -0.288_122_56],
            [-1.148_810_7, 0.571_832, 0.973_531_7, 1.135_028_8],
        ];
        let mut state = state();
        state.viewport = [0.0, 0.0, 30.0, 46.0];
        let p = Polygon::new(positions, &state);
        assert_eq!(p.both().map(|p| p.near().len()).collect::<Vec<_>>(), [3, 5]);
        let v = Varying {
            mode: Mode::Perspective,
            values: [0.5, f64::from(0.138_022_78f32), 1.0],
            w: positions.map(|p| f64::from(p[3])),
        };
        let legal = |got: f64| v.is_legal(&p, [16 * 12 + 6, 16 + 2], &[[16 * 12 + 8, 16 + 8]], got);
        assert_eq!([0.944_398_8, 0.98].map(legal), [Some(true), Some(false)]);
    }

    /// Seed 2026120106270: the second vertex is close to the near plane, the third far beyond the
    /// far one. Where their edge meets the near plane f32 is 15/256 and 21/256 pixel off. That is
    /// 75 units of depth at this sample, and 77 with the other vertices.
    #[test]
    fn depths_may_be_those_of_rounded_vertices_of_a_cut() {
        let positions = [
            [10.419_214, -58.385_834, 0.306_298_32, 0.528_453],
            [-36.378_74, 37.430_134, -0.104_355_9, 0.155_131],
            [37_255.094, 46_142.098, 160.702_65, 146.343_32],
        ];
        let mut state = state();
        state.viewport = [0.0, 0.0, 20.0, 20.0];
        let p = Polygon::new(positions, &state);
        let depth = |units: u32| is_depth(&p, &state, [8, 8], Unit::Format, units);
        assert_eq!([6_834_542, 6_834_465].map(depth), [Some(true); 2]);
        // The bounds are some 4,200 units from the exact depth, 2^-12 of all.
        assert_eq!([6_829_465, 6_839_465].map(depth), [Some(false); 2]);
    }

    /// Clipping changes no value: neither with perspective nor without.
    #[test]
    fn a_cut_triangle_has_the_values_of_the_whole() {
        let positions = [[-1.0, 1.0, -0.5, 1.0], [3.0, 3.0, 1.5, 3.0], [-1.0, -1.0, 0.25, 1.0]];
        let p = Polygon::new(positions, &state());
        assert!(p.clipped);
        let w = [1.0, 3.0, 1.0];
        let at = [16 * 4, 8];
        // The plane of values through the places of the three vertices on the target.
        let (l1, l2) = (4.0 / 8.0, 0.5 / 8.0);
        let linear = Varying { mode: Mode::Linear, values: [0.0, 1.0, 2.0], w };
        assert_eq!(linear.is_legal(&p, at, &[at], l1 + 2.0 * l2), Some(true));
        assert_eq!(linear.is_legal(&p, at, &[at], l1 + 2.0 * l2 + 0.02), Some(false));
        let perspective = Varying { mode: Mode::Perspective, ..linear };
        let (q0, q1, q2) = (1.0 - l1 - l2, l1 / 3.0, l2);
        assert_eq!(perspective.is_legal(&p, at, &[at], (q1 + 2.0 * q2) / (q0 + q1 + q2)), Some(true));
        assert_eq!(perspective.is_legal(&p, at, &[at], l1 + 2.0 * l2), Some(false));
    }

    #[test]
    fn bias_is_added_to_samples_and_held() {
        let mut state = state();
        let positions = [[-1.0, 1.0, 0.0, 1.0], [1.0, 1.0, 1.0, 1.0], [-1.0, -1.0, 0.0, 1.0]];
        let depth = |state: &State, x: i32| {
            depths(&Polygon::new(positions, state), state, [[16 * x + 8, 8]; 2], Some(Unit::Format)).unwrap()
        };
        let near = |[lo, hi]: [f64; 2], want: f64| lo - 1.0 <= want && want <= hi + 1.0 && hi - lo < 0.01 * DEPTH;
        assert!(near(depth(&state, 4), 4.5 / 8.0 * DEPTH));
        state.bias = [-2_097_152.0, 0.0, 0.0];
        assert!(near(depth(&state, 4), 3.5 / 8.0 * DEPTH));
        assert_eq!(depth(&state, 0), [0.0; 2]);
        // A slope of 1/8 a pixel, held to 1/16.
        state.bias = [0.0, 1.0, 0.0];
        assert!(near(depth(&state, 4), 5.5 / 8.0 * DEPTH));
        state.bias[2] = 0.0625;
        assert!(near(depth(&state, 4), 5.0 / 8.0 * DEPTH));
    }
}
