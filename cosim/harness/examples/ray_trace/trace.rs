//! The reference: the same picture by a sequential tracer that knows no threads, no hierarchy and
//! no state machine. A ray is followed from hit to hit by plain calls and tests every triangle. It
//! computes in f32 with the operations that the shader's text fixes (fma where the shader says
//! fma), all of which round correctly on both sides: the pictures must agree bit for bit, with no
//! tolerance.
//!
//! It can be wrong together with the shader where both state the same formula; `check` in this
//! folder draws the scene with other formulas in f64.

use super::bvh::{Hierarchy, FIRST};
use super::scene::{Row, Scene};

type V = [f32; 3];

const FAR: f32 = 1e30;
const NEAR: f32 = 2e-3;
const EDGE: f32 = 1e-4;
const BOUNCES: u32 = 4;
const REFRACTIONS: u32 = 6;

fn dot(a: V, b: V) -> f32 {
    a[2].mul_add(b[2], a[1].mul_add(b[1], a[0] * b[0]))
}

fn along(v: V, a: f32, b: V) -> V {
    std::array::from_fn(|i| a.mul_add(b[i], v[i]))
}

fn times(v: V, a: f32) -> V {
    v.map(|x| x * a)
}

fn minus(a: V, b: V) -> V {
    std::array::from_fn(|i| a[i] - b[i])
}

fn product(a: V, b: V) -> V {
    std::array::from_fn(|i| a[i] * b[i])
}

fn plus(a: V, b: V) -> V {
    std::array::from_fn(|i| a[i] + b[i])
}

fn unit(v: V) -> V {
    times(v, 1.0 / dot(v, v).sqrt())
}

fn mirrored(d: V, n: V) -> V {
    along(d, -2.0 * dot(d, n), n)
}

/// `n` or its opposite: the one against the ray.
fn against(n: V, d: V) -> V {
    if dot(n, d) > 0.0 {
        n.map(|x| -x)
    } else {
        n
    }
}

fn sphere(o: V, d: V, [x, y, z, square_of_radius]: [f32; 4]) -> f32 {
    let c = minus(o, [x, y, z]);
    let b = dot(c, d);
    let square = b.mul_add(b, square_of_radius - dot(c, c));
    if square <= 0.0 {
        return FAR;
    }
    let root = square.sqrt();
    [-b - root, root - b].into_iter().find(|t| *t > NEAR).unwrap_or(FAR)
}

#[derive(Clone, Copy, PartialEq)]
enum Hit {
    Table,
    Ball,
    Mirror,
    Glass,
    Mesh(usize),
}

/// Which part of the light is followed.
#[derive(Clone, Copy, PartialEq)]
pub enum Segment {
    Direct,
    Ambient,
    Reflected,
    Refracted,
}

pub const SEGMENTS: [Segment; 4] = [Segment::Direct, Segment::Ambient, Segment::Reflected, Segment::Refracted];

pub struct Tracer<'a> {
    pub scene: &'a Scene,
    pub mesh: &'a Hierarchy,
}

impl Tracer<'_> {
    /// The picture, row by row, as red in the lowest byte, green, blue, 255; and the segments'
    /// weighted colours of each pixel.
    pub fn picture(&self, width: u32, height: u32) -> (Vec<u32>, Vec<[V; 4]>) {
        let pixels = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
        let colours: Vec<[V; 4]> = pixels
            .map(|(x, y)| {
                let d =
                    along(self.scene.xyz(Row::Corner), (x as f32 + 0.5) / width as f32, self.scene.xyz(Row::Across));
                let d = unit(along(d, (y as f32 + 0.5) / height as f32, self.scene.xyz(Row::Down)));
                SEGMENTS.map(|s| self.segment(self.scene.xyz(Row::Eye), d, s))
            })
            .collect();
        (colours.iter().map(pixel).collect(), colours)
    }

    fn segment(&self, o: V, d: V, segment: Segment) -> V {
        let hit = self.nearest(o, d);
        match (segment, hit) {
            (Segment::Ambient, None) => self.sky(d),
            (_, None) => [0.0; 3],
            (Segment::Direct, Some((t, hit))) => {
                let at = self.surface(o, d, t, hit);
                self.lit(&at, d, [1.0; 3], Row::Sun, Row::SunColour, [0.0; 3])
            }
            (Segment::Ambient, Some((t, hit))) => {
                let at = self.surface(o, d, t, hit);
                let base = product(at.colour, self.ambient(at.n));
                self.lit(&at, d, [1.0; 3], Row::Fill, Row::FillColour, base)
            }
            (Segment::Reflected, Some((t, hit @ (Hit::Mirror | Hit::Glass)))) => {
                let at = self.surface(o, d, t, hit);
                let weight = if hit == Hit::Mirror { self.scene.xyz(Row::Tint) } else { [self.fresnel(at.n, d); 3] };
                self.path(along(at.p, NEAR, at.n), mirrored(d, at.n), weight, 1)
            }
            (Segment::Refracted, Some((t, Hit::Glass))) => {
                let at = self.surface(o, d, t, Hit::Glass);
                let (o, out) = self.through(at.p, d, at.n);
                self.path(o, out, [1.0 - self.fresnel(at.n, d); 3], 1)
            }
            _ => [0.0; 3],
        }
    }

    /// All light along a ray that has already met `bounce` mirrors or glasses.
    fn path(&self, o: V, d: V, weight: V, bounce: u32) -> V {
        let Some((t, hit)) = self.nearest(o, d) else { return product(weight, self.sky(d)) };
        let at = self.surface(o, d, t, hit);
        match hit {
            Hit::Mirror if bounce < BOUNCES => {
                let weight = product(weight, self.scene.xyz(Row::Tint));
                self.path(along(at.p, NEAR, at.n), mirrored(d, at.n), weight, bounce + 1)
            }
            Hit::Glass if bounce < BOUNCES => {
                let (o, out) = self.through(at.p, d, at.n);
                self.path(o, out, times(weight, 1.0 - self.fresnel(at.n, d)), bounce + 1)
            }
            _ => {
                let facing = dot(at.n, self.scene.xyz(Row::Fill)).max(0.0);
                let light = along(self.ambient(at.n), facing, self.scene.xyz(Row::FillColour));
                let base = product(product(weight, at.colour), light);
                self.lit(&at, d, weight, Row::Sun, Row::SunColour, base)
            }
        }
    }

    /// `base`, and what the light adds to it if it is seen from the surface.
    fn lit(&self, at: &Surface, d: V, weight: V, light: Row, colour: Row, base: V) -> V {
        let light = self.scene.xyz(light);
        let facing = dot(at.n, light);
        if facing <= 0.0 {
            return base;
        }
        let shine = at.gloss * (0..5).fold(dot(mirrored(d, at.n), light).max(0.0), |c, _| c * c);
        let flat = at.colour.map(|c| c.mul_add(facing, shine));
        let mut added = product(product(weight, flat), self.scene.xyz(colour));
        let o = along(at.p, NEAR, at.n);
        if self.opaque(o, light).is_some() {
            return base;
        }
        if sphere(o, light, self.scene.row(Row::Glass)) < FAR {
            added = times(added, self.scene.row(Row::Tint)[3]);
        }
        plus(base, added)
    }

    fn nearest(&self, o: V, d: V) -> Option<(f32, Hit)> {
        let glass = sphere(o, d, self.scene.row(Row::Glass));
        let other = self.opaque(o, d);
        // Glass is tested after the other spheres and before the mesh, and must be nearer than the
        // former.
        match other {
            Some((t, Hit::Mesh(_))) if glass <= t => Some((glass, Hit::Glass)),
            Some((t, hit)) if glass >= t => Some((t, hit)),
            None if glass >= FAR => None,
            _ => Some((glass, Hit::Glass)),
        }
    }

    /// The nearest of everything but the glass.
    fn opaque(&self, o: V, d: V) -> Option<(f32, Hit)> {
        let mut best = None;
        let mut t = FAR;
        let mut offer = |distance: f32, hit| {
            if distance < t {
                t = distance;
                best = Some((t, hit));
            }
        };
        let fall = -o[1] / d[1];
        if fall > NEAR {
            let (x, z) = (fall.mul_add(d[0], o[0]), fall.mul_add(d[2], o[2]));
            if x.mul_add(x, z * z) < self.scene.row(Row::TableLight)[3] {
                offer(fall, Hit::Table);
            }
        }
        offer(sphere(o, d, self.scene.row(Row::Ball)), Hit::Ball);
        offer(sphere(o, d, self.scene.row(Row::Mirror)), Hit::Mirror);
        for (i, rows) in self.mesh.rows.chunks(3).enumerate().skip(FIRST) {
            let [plane, u, v] = [rows[0], rows[1], rows[2]];
            let distance = -(dot(xyz(plane), o) + plane[3]) / dot(xyz(plane), d);
            if distance > NEAR {
                let p = along(o, distance, d);
                let (u, v) = (dot(xyz(u), p) + u[3], dot(xyz(v), p) + v[3]);
                if u >= -EDGE && v >= -EDGE && u + v <= 1.0 + EDGE {
                    offer(distance, Hit::Mesh(i));
                }
            }
        }
        best
    }

    fn surface(&self, o: V, d: V, t: f32, hit: Hit) -> Surface {
        let p = along(o, t, d);
        let ball = |row, i: usize| times(minus(p, self.scene.xyz(row)), self.scene.row(Row::Radius)[i]);
        let [r, g, b, gloss] = self.scene.row(if hit == Hit::Ball { Row::BallColour } else { Row::Teapot });
        let (n, colour, gloss) = match hit {
            Hit::Table => {
                let odd = (p[0].floor() as i32 + p[2].floor() as i32) & 1 == 1;
                ([0.0, 1.0, 0.0], self.scene.xyz(if odd { Row::TableDark } else { Row::TableLight }), 0.0)
            }
            Hit::Ball => (ball(Row::Ball, 0), [r, g, b], gloss),
            Hit::Mirror => (ball(Row::Mirror, 1), [0.0; 3], 1.0),
            Hit::Glass => (ball(Row::Glass, 2), [0.0; 3], 1.0),
            Hit::Mesh(i) => (self.mesh_normal(p, d, i), [r, g, b], gloss),
        };
        let n = if matches!(hit, Hit::Mesh(_)) { n } else { against(n, d) };
        Surface { p, n, colour, gloss }
    }

    /// Smooth normal, on that side of the triangle from which the ray comes.
    fn mesh_normal(&self, p: V, d: V, triangle: usize) -> V {
        let [plane, u, v] = [0, 1, 2].map(|i| self.mesh.rows[3 * triangle + i]);
        let (u, v) = (dot(xyz(u), p) + u[3], dot(xyz(v), p) + v[3]);
        let [a, b, c, _] = self.mesh.normals[triangle].map(snorm);
        let n = unit(along(along(times(a, 1.0 - u - v), u, b), v, c));
        if dot(xyz(plane), d) > 0.0 {
            n.map(|x| -x)
        } else {
            n
        }
    }

    fn sky(&self, d: V) -> V {
        along(self.scene.xyz(Row::Horizon), d[1].clamp(0.0, 1.0), self.scene.xyz(Row::Top))
    }

    fn ambient(&self, n: V) -> V {
        along(self.scene.xyz(Row::Ambient), 0.5f32.mul_add(n[1], 0.5), self.scene.xyz(Row::AmbientRise))
    }

    fn fresnel(&self, n: V, d: V) -> f32 {
        let c = 1.0 + dot(n, d);
        let c2 = c * c;
        let [_, _, least, rise] = self.scene.row(Row::Optics);
        rise.mul_add(c2 * c2 * c, least)
    }

    /// Into the glass at `o`, through its bubble or past it, and out: where and in which direction.
    fn through(&self, mut o: V, mut d: V, mut n: V) -> (V, V) {
        let [index, inverse, ..] = self.scene.row(Row::Optics);
        let [_, _, outer, inner] = self.scene.row(Row::Radius);
        let (glass, bubble) = (self.scene.row(Row::Glass), self.scene.row(Row::Bubble));
        let mut ratio = inverse;
        let mut in_bubble = false;
        // At the glass's own surface; the first time from outside.
        let mut at_glass = true;
        for boundary in 0..REFRACTIONS {
            let cosine = -dot(d, n);
            let square = (-ratio * ratio).mul_add((-cosine).mul_add(cosine, 1.0), 1.0);
            if square < 0.0 {
                d = mirrored(d, n);
            } else {
                d = along(times(d, ratio), ratio.mul_add(cosine, -square.sqrt()), n);
                if at_glass && boundary > 0 {
                    break;
                }
                in_bubble ^= !at_glass;
            }
            let (t_bubble, t_out) = (sphere(o, d, bubble), sphere(o, d, glass));
            at_glass = t_bubble >= t_out;
            let (t, [x, y, z, _], r) = if at_glass { (t_out, glass, outer) } else { (t_bubble, bubble, inner) };
            o = along(o, t, d);
            n = against(times(minus(o, [x, y, z]), r), d);
            ratio = if in_bubble { inverse } else { index };
        }
        (along(o, NEAR, d), d)
    }
}

struct Surface {
    p: V,
    n: V,
    colour: V,
    gloss: f32,
}

fn xyz([x, y, z, _]: [f32; 4]) -> V {
    [x, y, z]
}

/// Three signed bytes over 127.
fn snorm(word: u32) -> V {
    [0, 8, 16].map(|shift| (f32::from((word >> shift) as i8) / 127.0).max(-1.0))
}

/// The sum of the segments' colours, for a display with a gamma of 2.
fn pixel(segments: &[V; 4]) -> u32 {
    let sum = segments[1..].iter().fold(segments[0], |sum, &s| plus(sum, s));
    let byte = |x: f32| (0.5 + 255.0 * f64::from(x.clamp(0.0, 1.0).sqrt())).floor() as u32;
    byte(sum[0]) | byte(sum[1]) << 8 | byte(sum[2]) << 16 | 255 << 24
}
