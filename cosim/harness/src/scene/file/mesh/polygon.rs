//! Polygons as triangles: convex ones as fans, others by cutting ears off (crate `earcut`).
//!
//! A polygon is looked at along the axis that its normal is nearest to, so coordinates stay what
//! they are. The crate leaves out corners on straight edges. A neighbour may have a vertex there,
//! and the snapped edges would part: so these corners come back. It can be wrong about polygons
//! that cross themselves; [`Triangles::whole`] says that a polygon is one.

use earcut::Earcut;

type Flat = [f64; 2];

/// What became of a polygon.
#[derive(Debug, PartialEq)]
pub(super) struct Triangles {
    /// Numbers of its corners.
    pub corners: Vec<[u32; 3]>,
    /// The triangles cover the polygon's area once.
    pub whole: bool,
}

/// Triangles of a polygon with three corners or more.
pub(super) fn triangles(polygon: &[[f64; 3]]) -> Triangles {
    let fan = || (1..polygon.len() as u32 - 1).map(|k| [0, k, k + 1]).collect::<Vec<_>>();
    if polygon.len() == 3 {
        return Triangles { corners: fan(), whole: true };
    }
    let Some(flat) = flattened(polygon) else {
        // Without an area: all on a line, or as much of it on one side as on the other.
        let whole = (1..polygon.len() - 1).all(|k| newell(&[polygon[0], polygon[k], polygon[k + 1]]) == [0.0; 3]);
        return Triangles { corners: fan(), whole };
    };
    if convex(&flat) {
        return Triangles { corners: fan(), whole: true };
    }
    let mut found: Vec<u32> = vec![];
    Earcut::new().earcut(flat.iter().copied(), &[], &mut found);
    let mut corners: Vec<[u32; 3]> = found.chunks_exact(3).map(|t| [t[0], t[1], t[2]]).collect();
    // Whatever way round the crate gives them.
    let area = |t: &[u32; 3]| turn(t.map(|k| flat[k as usize]));
    if corners.iter().map(area).sum::<f64>() < 0.0 {
        corners.iter_mut().for_each(|t| t.swap(1, 2));
    }
    let all: f64 = (1..flat.len() - 1).map(|k| turn([flat[0], flat[k], flat[k + 1]])).sum();
    let covered: f64 = corners.iter().map(|t| area(t).abs()).sum();
    let whole = (covered - all).abs() <= 1e-9 * all;
    Triangles { corners: with_left_out(corners, &flat), whole }
}

/// The normal of a polygon by Newell's sum, as long as twice its area.
fn newell(polygon: &[[f64; 3]]) -> [f64; 3] {
    let next = polygon.iter().cycle().skip(1);
    polygon.iter().zip(next).fold([0.0; 3], |n, (a, b)| {
        let part = |k: usize, l: usize| (a[k] - b[k]) * (a[l] + b[l]);
        [n[0] + part(1, 2), n[1] + part(2, 0), n[2] + part(0, 1)]
    })
}

/// The polygon along the axis that its normal is nearest to, turned so that it runs anticlockwise.
fn flattened(polygon: &[[f64; 3]]) -> Option<Vec<Flat>> {
    let normal = newell(polygon);
    let axis = (0..3).max_by(|&a, &b| normal[a].abs().total_cmp(&normal[b].abs()))?;
    let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
    let (u, v) = if normal[axis] < 0.0 { (v, u) } else { (u, v) };
    (normal[axis] != 0.0).then(|| polygon.iter().map(|p| [p[u], p[v]]).collect())
}

/// Twice the area of a triangle, below zero if it runs clockwise.
fn turn([a, b, c]: [Flat; 3]) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

/// Whether an anticlockwise polygon turns left or not at all at each corner, and once round.
fn convex(flat: &[Flat]) -> bool {
    let sides = flat.iter().zip(flat.iter().cycle().skip(1)).map(|(a, b)| [b[0] - a[0], b[1] - a[1]]);
    let sides: Vec<Flat> = sides.filter(|s| *s != [0.0, 0.0]).collect();
    let upwards = |s: &Flat| s[1] > 0.0 || s[1] == 0.0 && s[0] > 0.0;
    let mut rounds = 0;
    for (s, t) in sides.iter().zip(sides.iter().cycle().skip(1)) {
        let (cross, dot) = (s[0] * t[1] - s[1] * t[0], s[0] * t[0] + s[1] * t[1]);
        if cross < 0.0 || cross == 0.0 && dot < 0.0 {
            return false;
        }
        rounds += usize::from(!upwards(s) && upwards(t));
    }
    rounds == 1
}

/// Puts corners that no triangle has, and that are on the edge between those around them, into the
/// triangle of that edge.
fn with_left_out(corners: Vec<[u32; 3]>, flat: &[Flat]) -> Vec<[u32; 3]> {
    let n = flat.len() as u32;
    let mut used = vec![false; flat.len()];
    corners.iter().flatten().for_each(|&k| used[k as usize] = true);
    if !used.contains(&false) {
        return corners;
    }
    // The corners left out between two others, if the polygon has nothing else there.
    let between = |a: u32, b: u32| -> Vec<u32> {
        let steps: Vec<u32> = (1..n).map(|s| (a + s) % n).take_while(|&k| !used[k as usize]).collect();
        let ends = (a + steps.len() as u32 + 1) % n == b;
        let along = |&k: &u32| {
            let [p, a, b] = [k, a, b].map(|k| flat[k as usize]);
            let dot = |q: Flat, r: Flat| (p[0] - q[0]) * (r[0] - q[0]) + (p[1] - q[1]) * (r[1] - q[1]);
            dot(a, b) > 0.0 && dot(b, a) > 0.0
        };
        steps.into_iter().filter(|k| ends && along(k)).collect()
    };
    let mut out = vec![];
    corners.into_iter().for_each(|t| divide(t, &between, &mut out));
    out
}

/// Divides a triangle at the corners on its sides.
fn divide([a, b, c]: [u32; 3], between: &impl Fn(u32, u32) -> Vec<u32>, out: &mut Vec<[u32; 3]>) {
    for [a, b, c] in [[a, b, c], [b, c, a], [c, a, b]] {
        let inner = between(a, b);
        if !inner.is_empty() {
            let mut from = a;
            for to in inner.into_iter().chain([b]) {
                divide([from, to, c], between, out);
                from = to;
            }
            return;
        }
    }
    out.push([a, b, c]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    fn solid(flat: &[[i32; 2]]) -> Vec<[f64; 3]> {
        flat.iter().map(|&[x, y]| [x.into(), y.into(), 0.0]).collect()
    }

    /// Twice the area, from integers.
    fn doubled(points: &[[i32; 2]]) -> i64 {
        let next = points.iter().cycle().skip(1);
        points
            .iter()
            .zip(next)
            .map(|(a, b)| i64::from(a[0]) * i64::from(b[1]) - i64::from(a[1]) * i64::from(b[0]))
            .sum()
    }

    /// Whether a point is inside by the number of edges that a ray crosses; exact.
    fn inside(points: &[[i32; 2]], [x, y]: [i64; 2]) -> bool {
        let next = points.iter().cycle().skip(1);
        let crossed = |(a, b): &(&[i32; 2], &[i32; 2])| {
            let [ax, ay, bx, by] = [a[0], a[1], b[0], b[1]].map(|n| 1000 * i64::from(n));
            (ay > y) != (by > y) && ((x - ax) * (by - ay) < (bx - ax) * (y - ay)) == (by > ay)
        };
        points.iter().zip(next).filter(crossed).count() % 2 == 1
    }

    /// Every point of a grid beside the edges is in as many triangles as the polygon has it.
    fn covers(points: &[[i32; 2]]) {
        let found = triangles(&solid(points));
        assert!(found.whole, "{points:?}");
        let sign = doubled(points).signum();
        let each: Vec<Vec<[i32; 2]>> =
            found.corners.iter().map(|t| t.iter().map(|&k| points[k as usize]).collect()).collect();
        assert!(each.iter().all(|t| doubled(t) * sign >= 0), "{points:?}: {each:?}");
        assert_eq!(each.iter().map(|t| doubled(t)).sum::<i64>(), doubled(points), "{points:?}");
        for x in -9..9i64 {
            for y in -9..9i64 {
                let at = [1000 * x + 317, 1000 * y + 459];
                let count = each.iter().filter(|t| inside(t, at)).count();
                assert_eq!(count, usize::from(inside(points, at)), "{points:?} at {at:?}: {each:?}");
            }
        }
    }

    const L: [[i32; 2]; 6] = [[8, -8], [8, -4], [-4, -4], [-4, 8], [-8, 8], [-8, -8]];

    #[test]
    fn an_angle_is_covered_from_each_corner_on_and_either_way_round() {
        for first in 0..L.len() {
            let mut points = L;
            points.rotate_left(first);
            covers(&points);
            points.reverse();
            covers(&points);
        }
    }

    #[test]
    fn convex_polygons_are_fans() {
        let fans: [&[[i32; 2]]; 4] = [
            &[[0, 0], [2, 0], [2, 2], [0, 2]],
            &[[0, 0], [0, 2], [2, 2], [2, 0]],
            // A corner on an edge, and one that is there twice.
            &[[0, 0], [1, 0], [2, 0], [2, 2], [0, 2]],
            &[[0, 0], [2, 0], [2, 0], [3, 1], [2, 2], [0, 2]],
        ];
        for points in fans {
            let fan: Vec<[u32; 3]> = (1..points.len() as u32 - 1).map(|k| [0, k, k + 1]).collect();
            assert_eq!(triangles(&solid(points)), Triangles { corners: fan, whole: true }, "{points:?}");
        }
        // On each plane of two axes, and seen from both sides.
        for axes in [[0, 1, 2], [1, 2, 0], [2, 0, 1], [1, 0, 2], [0, 2, 1], [2, 1, 0]] {
            let turned = solid(&L).iter().map(|p| axes.map(|a| p[a])).collect::<Vec<_>>();
            assert_eq!(triangles(&turned), triangles(&solid(&L)), "{axes:?}");
        }
    }

    /// A neighbour may have a vertex there.
    #[test]
    fn corners_on_straight_edges_stay() {
        let points =
            [[8, -8], [8, -6], [8, -4], [2, -4], [-4, -4], [-4, 2], [-4, 8], [-8, 8], [-8, -8], [-3, -8], [3, -8]];
        covers(&points);
        let found = triangles(&solid(&points)).corners;
        for k in 0..points.len() as u32 {
            assert!(found.iter().flatten().any(|&c| c == k), "{k}: {found:?}");
            let next = (k + 1) % points.len() as u32;
            let side = |t: &[u32; 3]| (0..3).any(|i| [t[i], t[(i + 1) % 3]] == [k, next]);
            assert_eq!(found.iter().filter(|t| side(t)).count(), 1, "edge {k}: {found:?}");
        }
    }

    /// Polygons around a middle: each direction has one corner, near or far.
    #[test]
    fn random_stars_are_covered_once() {
        let mut r = ChaCha8Rng::seed_from_u64(45);
        let ways: [[i32; 2]; 12] =
            [[4, 0], [4, 2], [2, 4], [0, 4], [-2, 4], [-4, 2], [-4, 0], [-4, -2], [-2, -4], [0, -4], [2, -4], [4, -2]];
        for _ in 0..200 {
            let mut points: Vec<[i32; 2]> = ways.iter().map(|w| w.map(|x| x * r.random_range(1..=2))).collect();
            points.rotate_left(r.random_range(0..12));
            if r.random() {
                points.reverse();
            }
            covers(&points);
        }
    }

    #[test]
    fn polygons_that_cross_themselves_are_told() {
        let pentagram = [[0, 9], [5, -7], [-8, 3], [8, 3], [-5, -7]];
        let bow = [[0, 0], [4, 4], [4, 0], [0, 4]];
        assert!(!triangles(&solid(&pentagram)).whole);
        assert!(!triangles(&solid(&bow)).whole);
        // On a line there is nothing to cover.
        let line = solid(&[[0, 0], [1, 1], [2, 2], [3, 3]]);
        assert_eq!(triangles(&line), Triangles { corners: vec![[0, 1, 2], [0, 2, 3]], whole: true });
    }
}
