//! Where a node of a glTF file stands: what its transform does to positions, normals and corners.
//!
//! A normal is multiplied by the cofactor matrix, times the sign of the determinant: the inverse's
//! transpose times the determinant's magnitude (glTF 2.0, section 3.7.4). It exists for singular
//! matrices, too. Cofactor matrices and signs are multiplied from node to node: those of the whole
//! product would be noise where one of its nodes is singular.

/// Columns.
type Three = [[f64; 3]; 3];

/// A node's transform, with those of the nodes above it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placement {
    /// Columns.
    matrix: [[f32; 4]; 4],
    /// The cofactor matrix of its upper left part, up to a positive factor.
    cofactors: Three,
    /// Sign of that part's determinant.
    sign: i8,
}

impl Default for Placement {
    fn default() -> Self {
        let one = |c: usize, r: usize| u8::from(c == r);
        Self {
            matrix: std::array::from_fn(|c| std::array::from_fn(|r| one(c, r).into())),
            cofactors: std::array::from_fn(|c| std::array::from_fn(|r| one(c, r).into())),
            sign: 1,
        }
    }
}

impl Placement {
    /// Of a child whose own transform is `local`.
    pub fn child(&self, local: &[[f32; 4]; 4]) -> Placement {
        let sum = |c: usize, r: usize| (0..4).map(|k| self.matrix[k][r] * local[c][k]).sum();
        let (a, b, c) = (column(local, 0), column(local, 1), column(local, 2));
        let own = [cross(b, c), cross(c, a), cross(a, b)];
        let determinant = dot(a, own[0]);
        let product: Three = own.map(|column| times(&self.cofactors, column));
        // Far down in a tree of small or large scales they would leave the range of f64.
        let most = product.iter().flatten().fold(0.0f64, |m, x| m.max(x.abs()));
        let scale = if most > 0.0 && most.is_finite() { most } else { 1.0 };
        Placement {
            matrix: std::array::from_fn(|c| std::array::from_fn(|r| sum(c, r))),
            cofactors: product.map(|column| column.map(|x| x / scale)),
            sign: self.sign * i8::from(determinant > 0.0) - self.sign * i8::from(determinant < 0.0),
        }
    }

    /// A position, in f32 as the file has it.
    pub fn position(&self, p: [f64; 3]) -> [f64; 3] {
        let (m, p) = (&self.matrix, p.map(|x| x as f32));
        std::array::from_fn(|r| f64::from(m[0][r] * p[0] + m[1][r] * p[1] + m[2][r] * p[2] + m[3][r]))
    }

    /// A normal, of length 1; zeros if the transform leaves no direction.
    pub fn normal(&self, n: [f64; 3]) -> [f64; 3] {
        let n = times(&self.cofactors, n);
        let length = dot(n, n).sqrt();
        let scale = if self.mirrors() { -length } else { length };
        n.map(|x| if length > 0.0 { x / scale } else { 0.0 })
    }

    /// Whether it turns left hands into right ones: corners then go round the other way.
    pub fn mirrors(&self) -> bool {
        self.sign < 0
    }
}

fn column(m: &[[f32; 4]; 4], c: usize) -> [f64; 3] {
    [m[c][0], m[c][1], m[c][2]].map(f64::from)
}

fn times(m: &Three, v: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|r| (0..3).map(|k| m[k][r] * v[k]).sum())
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scale(s: [f32; 3]) -> [[f32; 4]; 4] {
        let mut m = [[0.0; 4]; 4];
        (0..3).for_each(|k| m[k][k] = s[k]);
        m[3][3] = 1.0;
        m
    }

    /// A turn around an axis of length 1, by Rodrigues.
    fn turn(axis: [f64; 3], degrees: f64) -> [[f32; 4]; 4] {
        let (sin, cos) = degrees.to_radians().sin_cos();
        let mut m = scale([1.0; 3]);
        for c in 0..3 {
            let unit: [f64; 3] = std::array::from_fn(|r| f64::from(u8::from(r == c)));
            let across = cross(axis, unit);
            let part = |r: usize| cos * unit[r] + sin * across[r] + (1.0 - cos) * axis[c] * axis[r];
            (0..3).for_each(|r| m[c][r] = part(r) as f32);
        }
        m
    }

    fn of(nodes: &[[[f32; 4]; 4]]) -> Placement {
        nodes.iter().fold(Placement::default(), |p, n| p.child(n))
    }

    fn near(a: [f64; 3], b: [f64; 3]) {
        assert!((0..3).all(|k| (a[k] - b[k]).abs() < 1e-6), "{a:?} {b:?}");
    }

    const AXIS: [f64; 3] = [2.0 / 3.0, -1.0 / 3.0, 2.0 / 3.0];

    /// A normal is at right angles to what the tangents become, on the same side of the surface.
    #[test]
    fn normals_stand_on_carried_tangents() {
        for s in [[1.0, 2.0, 3.0], [-1.0, 2.0, 3.0], [-0.25, -4.0, 1.0], [-0.1, -10.0, -1.0]] {
            let p = of(&[turn(AXIS, 40.0), scale(s), turn([0.0, 0.6, 0.8], 110.0)]);
            let (t, u): ([f64; 3], [f64; 3]) = ([0.6, 0.8, 0.0], [0.0, 0.6, 0.8]);
            let n = cross(t, u);
            let zero = p.position([0.0; 3]);
            let carried = |v: [f64; 3]| {
                let moved = p.position(v);
                let w: [f64; 3] = std::array::from_fn(|k| moved[k] - zero[k]);
                w.map(|x| x / dot(w, w).sqrt())
            };
            let m = p.normal(n);
            assert!((dot(m, m) - 1.0).abs() < 1e-12, "{s:?}");
            assert!(dot(m, carried(t)).abs() < 1e-5 && dot(m, carried(u)).abs() < 1e-5, "{s:?}");
            assert!(dot(m, carried(n)) > 0.0, "{s:?}");
            assert_eq!(p.mirrors(), s.iter().product::<f32>() < 0.0);
        }
    }

    /// The determinant of the rounded product is noise of either sign, and the nodes know better.
    #[test]
    fn a_flat_node_between_turned_ones_does_not_mirror() {
        for k in 0..200 {
            let (above, below) = (turn(AXIS, 7.3 * f64::from(k)), turn([0.6, 0.0, 0.8], 3.1 * f64::from(k)));
            let p = of(&[above, scale([1.0, 1.0, 0.0]), below]);
            assert!(!p.mirrors());
            // What is left of a surface lies in the plane that the node above turns.
            let up = of(&[above]).normal([0.0, 0.0, 1.0]);
            let side = of(&[below]).normal([0.0, 0.0, 1.0])[2];
            if side.abs() > 1e-3 {
                near(p.normal([0.0, 0.0, 1.0]), up.map(|x| x * side.signum()));
            }
        }
        assert_eq!(of(&[scale([1.0, 0.0, 0.0])]).normal([0.0, 0.0, 1.0]), [0.0; 3]);
    }

    #[test]
    fn long_chains_of_small_and_large_nodes_keep_directions() {
        for size in [1e-30, 1e30] {
            let p = of(&[scale([size, 2.0 * size, size]); 30]);
            near(p.normal([1.0, 0.0, 0.0]), [1.0, 0.0, 0.0]);
        }
    }
}
