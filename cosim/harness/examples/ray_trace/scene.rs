//! The ray tracer's scene: `objects.toml` as a person writes it, the OBJ mesh, and the constants
//! that shader and reference start from. It can be wrong if a constant's rounding depends on the
//! machine it is made on: everything is f64 + - * / sqrt, rounded to f32 once at the end.

use std::path::Path;

use serde::Deserialize;

/// A point, direction or colour while the data are made.
pub type V = [f64; 3];

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SceneFile {
    pub camera: Camera,
    pub sun: Light,
    pub fill: Light,
    pub sky: Sky,
    pub table: Table,
    pub teapot: Mesh,
    pub ball: Ball,
    pub mirror: Mirror,
    pub glass: Glass,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Camera {
    pub from: V,
    pub to: V,
    pub half_width: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Light {
    pub direction: V,
    pub colour: V,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sky {
    pub horizon: V,
    pub top: V,
    pub ground: V,
    pub ambient: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    pub radius: f64,
    pub light: V,
    pub dark: V,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mesh {
    pub mesh: String,
    pub scale: f64,
    /// Cosine and sine of the turn about y.
    pub turn: [f64; 2],
    pub at: V,
    pub colour: V,
    pub gloss: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ball {
    pub centre: V,
    pub radius: f64,
    pub colour: V,
    pub gloss: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mirror {
    pub centre: V,
    pub radius: f64,
    pub reflectance: V,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Glass {
    pub centre: V,
    pub radius: f64,
    pub index: f64,
    pub shadow: f64,
    pub bubble: Sphere,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sphere {
    pub centre: V,
    pub radius: f64,
}

pub fn sub(a: V, b: V) -> V {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub fn add(a: V, b: V) -> V {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

pub fn dot(a: V, b: V) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub fn cross(a: V, b: V) -> V {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub fn scaled(a: V, s: f64) -> V {
    a.map(|x| x * s)
}

pub fn unit(a: V) -> V {
    scaled(a, 1.0 / dot(a, a).sqrt())
}

/// The shader's `Scene` uniform, one row per member.
#[derive(Clone, Copy)]
pub struct Scene {
    pub rows: [[f32; 4]; 23],
}

impl Scene {
    /// The whole row, and its first three numbers.
    pub fn row(&self, row: Row) -> [f32; 4] {
        self.rows[row as usize]
    }

    pub fn xyz(&self, row: Row) -> [f32; 3] {
        let [x, y, z, _] = self.row(row);
        [x, y, z]
    }
}

/// Members of [`Scene`], in the shader's order.
#[derive(Clone, Copy)]
pub enum Row {
    Eye,
    Corner,
    Across,
    Down,
    Sun,
    SunColour,
    Fill,
    FillColour,
    Horizon,
    Top,
    Ambient,
    AmbientRise,
    TableLight,
    TableDark,
    Teapot,
    BallColour,
    Ball,
    Mirror,
    Glass,
    Bubble,
    Radius,
    Tint,
    Optics,
}

impl SceneFile {
    pub fn read(path: &Path) -> SceneFile {
        let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        toml::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
    }

    /// The constants for a picture of `aspect` = width / height.
    pub fn constants(&self, aspect: f64) -> Scene {
        let forward = unit(sub(self.camera.to, self.camera.from));
        let right = scaled(unit(cross(forward, [0.0, 1.0, 0.0])), self.camera.half_width);
        let up = scaled(cross(scaled(right, 1.0 / self.camera.half_width), forward), self.camera.half_width / aspect);
        let corner = add(sub(forward, right), up);
        let square = |s: V, r: f64| four(s, r * r);
        let ground = scaled(self.sky.ground, self.sky.ambient);
        let high = scaled(add(self.sky.horizon, self.sky.top), 0.5 * self.sky.ambient);
        let normal_incidence = ((self.glass.index - 1.0) / (self.glass.index + 1.0)).powi(2);
        Scene {
            rows: [
                four(self.camera.from, 0.0),
                four(corner, 0.0),
                four(scaled(right, 2.0), 0.0),
                four(scaled(up, -2.0), 0.0),
                four(unit(self.sun.direction), 0.0),
                four(self.sun.colour, 0.0),
                four(unit(self.fill.direction), 0.0),
                four(self.fill.colour, 0.0),
                four(self.sky.horizon, 0.0),
                four(sub(self.sky.top, self.sky.horizon), 0.0),
                four(ground, 0.0),
                four(sub(high, ground), 0.0),
                four(self.table.light, self.table.radius * self.table.radius),
                four(self.table.dark, 0.0),
                four(self.teapot.colour, self.teapot.gloss),
                four(self.ball.colour, self.ball.gloss),
                square(self.ball.centre, self.ball.radius),
                square(self.mirror.centre, self.mirror.radius),
                square(self.glass.centre, self.glass.radius),
                square(self.glass.bubble.centre, self.glass.bubble.radius),
                four(
                    [1.0 / self.ball.radius, 1.0 / self.mirror.radius, 1.0 / self.glass.radius],
                    1.0 / self.glass.bubble.radius,
                ),
                four(self.mirror.reflectance, self.glass.shadow),
                four([self.glass.index, 1.0 / self.glass.index, normal_incidence], 1.0 - normal_incidence),
            ],
        }
    }

    /// The mesh's triangles, placed in the scene: three corners each.
    pub fn triangles(&self, folder: &Path) -> Vec<[V; 3]> {
        let path = folder.join(&self.teapot.mesh);
        let (points, faces) = read_obj(&path);
        let [c, s] = self.teapot.turn;
        let place =
            |p: V| add(scaled([c * p[0] + s * p[2], p[1], c * p[2] - s * p[0]], self.teapot.scale), self.teapot.at);
        faces.iter().map(|f| f.map(|i| place(points[i]))).collect()
    }
}

fn four(v: V, w: f64) -> [f32; 4] {
    [v[0] as f32, v[1] as f32, v[2] as f32, w as f32]
}

/// Points and triangles of an OBJ file; of its statements only `v` and `f` are used, faces with
/// more corners become fans.
fn read_obj(path: &Path) -> (Vec<V>, Vec<[usize; 3]>) {
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let (mut points, mut faces) = (Vec::new(), Vec::new());
    for (number, line) in text.lines().enumerate() {
        let wrong = |what: &str| -> ! { panic!("{}:{}: {what}", path.display(), number + 1) };
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v") => {
                let p: Vec<f64> = words.map(|w| w.parse().unwrap_or_else(|_| wrong("a number is expected"))).collect();
                points.push(p[..3].try_into().unwrap_or_else(|_| wrong("three coordinates are expected")));
            }
            Some("f") => {
                let corner = |w: &str| match w.split('/').next().and_then(|i| i.parse::<usize>().ok()) {
                    Some(i) if (1..=points.len()).contains(&i) => i - 1,
                    _ => wrong("a corner is the number of a point above"),
                };
                let corners: Vec<usize> = words.map(corner).collect();
                faces.extend((1..corners.len().saturating_sub(1)).map(|i| [corners[0], corners[i], corners[i + 1]]));
            }
            _ => {}
        }
    }
    (points, faces)
}
