//! A second opinion on the reference: the scene drawn once more in f64 straight from
//! `objects.toml`, with other formulas (Möller and Trumbore's triangle test, spheres by the
//! quadratic formula, refraction by the angles' sines, normals from the mesh itself) and as one
//! recursive function of a ray, without segments. The two pictures must be the same but for
//! rounding: nearly all pixels within two steps of 255, and a few at edges of things, where a ray
//! passes on the other side. A formula that is wrong in shader and reference alike shows here.

use super::bvh::smooth_normals;
use super::scene::{add, cross, dot, scaled, sub, unit, SceneFile, V};

const NEAR: f64 = 2e-3;
const BOUNCES: u32 = 4;
const BOUNDARIES: u32 = 6;

enum Thing {
    Table,
    Ball,
    Mirror,
    Glass,
    Teapot(V),
}

struct Checker<'a> {
    scene: &'a SceneFile,
    triangles: &'a [[V; 3]],
    normals: Vec<[V; 3]>,
}

/// Compares a picture (red in the lowest byte) with the scene. Gives the pixels that differ by more
/// than two steps.
pub fn differing(scene: &SceneFile, triangles: &[[V; 3]], [width, height]: [u32; 2], picture: &[u32]) -> usize {
    let checker = Checker { scene, triangles, normals: smooth_normals(triangles) };
    let forward = unit(sub(scene.camera.to, scene.camera.from));
    let right = unit(cross(forward, [0.0, 1.0, 0.0]));
    let up = cross(right, forward);
    let pixel = 2.0 * scene.camera.half_width / f64::from(width);
    let differs = |i: usize| {
        let (x, y) = (i % width as usize, i / width as usize);
        let across = (x as f64 + 0.5 - f64::from(width) / 2.0) * pixel;
        let down = (y as f64 + 0.5 - f64::from(height) / 2.0) * pixel;
        let d = unit(add(forward, sub(scaled(right, across), scaled(up, down))));
        let colour = checker.seen(scene.camera.from, d, 0);
        (0..3).any(|c| (colour[c].clamp(0.0, 1.0).sqrt() * 255.0 - f64::from(picture[i] >> (8 * c) & 255)).abs() > 2.5)
    };
    (0..picture.len()).filter(|&i| differs(i)).count()
}

impl Checker<'_> {
    /// The light that arrives at `o` against direction `d`.
    fn seen(&self, o: V, d: V, bounce: u32) -> V {
        let Some((t, thing)) = self.nearest(o, d, true) else { return self.sky(d) };
        let p = add(o, scaled(d, t));
        let scene = self.scene;
        let outward = |centre| unit(sub(p, centre));
        let (n, colour, gloss) = match thing {
            Thing::Table => {
                let odd = (p[0].floor() + p[2].floor()).rem_euclid(2.0) == 1.0;
                ([0.0, 1.0, 0.0], if odd { scene.table.dark } else { scene.table.light }, 0.0)
            }
            Thing::Ball => (outward(scene.ball.centre), scene.ball.colour, scene.ball.gloss),
            Thing::Mirror => (outward(scene.mirror.centre), [0.0; 3], 1.0),
            Thing::Glass => (outward(scene.glass.centre), [0.0; 3], 1.0),
            Thing::Teapot(n) => (n, scene.teapot.colour, scene.teapot.gloss),
        };
        let n = if !matches!(thing, Thing::Teapot(_)) && dot(n, d) > 0.0 { scaled(n, -1.0) } else { n };
        let off = add(p, scaled(n, NEAR));
        let mut light = [0.0; 3];
        // The eye sees highlights on mirror and glass; other rays see them only when they follow no
        // further.
        if matches!(thing, Thing::Mirror | Thing::Glass) && bounce < BOUNCES {
            if bounce == 0 {
                light = add(light, self.lit(off, d, n, colour, gloss, true));
            }
            let r0 = ((scene.glass.index - 1.0) / (scene.glass.index + 1.0)).powi(2);
            let fresnel = r0 + (1.0 - r0) * (1.0 + dot(n, d)).powi(5);
            let reflected = || self.seen(off, reflect(d, n), bounce + 1);
            return match thing {
                Thing::Mirror => add(light, times(scene.mirror.reflectance, reflected())),
                _ => {
                    let (o, out) = self.through(p, d, n);
                    let beyond = scaled(self.seen(o, out, bounce + 1), 1.0 - fresnel);
                    // Glass reflects only towards the eye.
                    let front = if bounce == 0 { scaled(reflected(), fresnel) } else { [0.0; 3] };
                    add(light, add(beyond, front))
                }
            };
        }
        let sky = &scene.sky;
        let (low, high) = (scaled(sky.ground, sky.ambient), scaled(add(sky.horizon, sky.top), sky.ambient / 2.0));
        let rise = (1.0 + n[1]) / 2.0;
        let ambient = add(scaled(low, 1.0 - rise), scaled(high, rise));
        light = add(light, times(colour, ambient));
        add(light, self.lit(off, d, n, colour, gloss, bounce == 0))
    }

    /// Light of sun and fill on a surface; the latter with shadow and highlight only where the eye
    /// sees it.
    fn lit(&self, off: V, d: V, n: V, colour: V, gloss: f64, eye: bool) -> V {
        let mut sum = [0.0; 3];
        for (light, is_sun) in [(&self.scene.sun, true), (&self.scene.fill, false)] {
            let l = unit(light.direction);
            let facing = dot(n, l);
            let whole = is_sun || eye;
            if facing <= 0.0 || whole && self.nearest(off, l, false).is_some() {
                continue;
            }
            let shine = if whole { gloss * dot(reflect(d, n), l).max(0.0).powi(32) } else { 0.0 };
            let glass = sphere(off, l, self.scene.glass.centre, self.scene.glass.radius).is_some();
            let through = if whole && glass { self.scene.glass.shadow } else { 1.0 };
            sum = add(sum, times(light.colour, colour.map(|c| (c * facing + shine) * through)));
        }
        sum
    }

    fn sky(&self, d: V) -> V {
        let up = d[1].clamp(0.0, 1.0);
        add(scaled(self.scene.sky.horizon, 1.0 - up), scaled(self.scene.sky.top, up))
    }

    fn nearest(&self, o: V, d: V, glass: bool) -> Option<(f64, Thing)> {
        let scene = self.scene;
        let mut all: Vec<(f64, Thing)> = Vec::new();
        let t = -o[1] / d[1];
        let p = add(o, scaled(d, t));
        if t > NEAR && (p[0] * p[0] + p[2] * p[2]).sqrt() < scene.table.radius {
            all.push((t, Thing::Table));
        }
        all.extend(sphere(o, d, scene.ball.centre, scene.ball.radius).map(|t| (t, Thing::Ball)));
        all.extend(sphere(o, d, scene.mirror.centre, scene.mirror.radius).map(|t| (t, Thing::Mirror)));
        if glass {
            all.extend(sphere(o, d, scene.glass.centre, scene.glass.radius).map(|t| (t, Thing::Glass)));
        }
        for (corners, normals) in self.triangles.iter().zip(&self.normals) {
            if let Some((t, u, v)) = triangle(o, d, corners) {
                let n = [1.0 - u - v, u, v].iter().zip(normals).fold([0.0; 3], |n, (w, c)| add(n, scaled(*c, *w)));
                let outside = dot(cross(sub(corners[1], corners[0]), sub(corners[2], corners[0])), d) <= 0.0;
                all.push((t, Thing::Teapot(scaled(unit(n), if outside { 1.0 } else { -1.0 }))));
            }
        }
        all.into_iter().min_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// Where and in which direction a ray that enters the glass at `p` leaves it.
    fn through(&self, mut p: V, d: V, n: V) -> (V, V) {
        let glass = &self.scene.glass;
        let mut d = refract(d, n, 1.0, glass.index).expect("glass is the denser side");
        let mut in_bubble = false;
        for _ in 1..BOUNDARIES {
            let out = sphere(p, d, glass.centre, glass.radius);
            let bubble = sphere(p, d, glass.bubble.centre, glass.bubble.radius);
            let at_bubble = bubble.unwrap_or(f64::INFINITY) < out.unwrap_or(f64::INFINITY);
            let Some(t) = (if at_bubble { bubble } else { out }) else { break };
            p = add(p, scaled(d, t));
            let n = unit(sub(p, if at_bubble { glass.bubble.centre } else { glass.centre }));
            let n = if dot(n, d) > 0.0 { scaled(n, -1.0) } else { n };
            let (here, there) = if in_bubble { (1.0, glass.index) } else { (glass.index, 1.0) };
            match refract(d, n, here, there) {
                Some(bent) => {
                    d = bent;
                    if !at_bubble {
                        break;
                    }
                    in_bubble = !in_bubble;
                }
                None => d = reflect(d, n),
            }
        }
        (add(p, scaled(d, NEAR)), d)
    }
}

fn times(a: V, b: V) -> V {
    [a[0] * b[0], a[1] * b[1], a[2] * b[2]]
}

fn reflect(d: V, n: V) -> V {
    sub(d, scaled(n, 2.0 * dot(d, n)))
}

/// Snell's law by the part of the direction along the surface; `None`: total reflection.
fn refract(d: V, n: V, here: f64, there: f64) -> Option<V> {
    let flat = sub(d, scaled(n, dot(d, n)));
    let sine = scaled(flat, here / there);
    let rest = 1.0 - dot(sine, sine);
    (rest >= 0.0).then(|| sub(sine, scaled(n, rest.sqrt())))
}

fn sphere(o: V, d: V, centre: V, radius: f64) -> Option<f64> {
    let c = sub(o, centre);
    let (a, b, c) = (dot(d, d), 2.0 * dot(c, d), dot(c, c) - radius * radius);
    let root = (b * b - 4.0 * a * c).sqrt();
    [(-b - root) / (2.0 * a), (-b + root) / (2.0 * a)].into_iter().find(|t| *t > NEAR)
}

/// Möller and Trumbore: distance and barycentric coordinates.
fn triangle(o: V, d: V, [a, b, c]: &[V; 3]) -> Option<(f64, f64, f64)> {
    let (e1, e2) = (sub(*b, *a), sub(*c, *a));
    let across = cross(d, e2);
    let det = dot(e1, across);
    let from = sub(o, *a);
    let u = dot(from, across) / det;
    let q = cross(from, e1);
    let (v, t) = (dot(d, q) / det, dot(e2, q) / det);
    (u >= 0.0 && v >= 0.0 && u + v <= 1.0 && t > NEAR).then_some((t, u, v))
}
