//! Classes of a scene's samples, of what both renderers give.
//!
//! Triangles come first, each sample of each triangle: coverage and facing, then depth, then every
//! varying. Then come the samples of the picture, each replayed from the renderer's own triangles.
//! What is equal on both sides is not looked at: it can be wrong where both renderers err alike.

use std::collections::BTreeMap;

use crate::polygon::{Covered, Polygon};
use crate::replay::replay;
use crate::scene::{Draw, Interpolation, Place, Scene};
use crate::value::{is_depth, is_position_z, Mode, Unit, Varying};
use crate::wgsl::word;
use crate::wire::{Picture, Stage};

/// What a sample is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// The same on both sides.
    Equal,
    /// Different, and both are legal.
    Legal,
    /// Only lavapipe's is not legal.
    LavapipeWrong,
    /// Different, of a program that computes.
    NotJudged,
    /// The boxes leave the question open.
    Undecided,
    /// Ours is not legal.
    OursWrong,
}

impl Class {
    /// All of them.
    pub const ALL: [Class; 6] =
        [Class::Equal, Class::Legal, Class::LavapipeWrong, Class::NotJudged, Class::Undecided, Class::OursWrong];

    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Class::Equal => "equal",
            Class::Legal => "legal",
            Class::LavapipeWrong => "lavapipe wrong",
            Class::NotJudged => "not judged",
            Class::Undecided => "undecided",
            Class::OursWrong => "ours wrong",
        }
    }
}

/// One sample that is not legal, or undecided.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// Its class.
    pub class: Class,
    /// What of it: coverage, facing, depth, a varying, the picture.
    pub kind: String,
    /// Where, and what both sides have.
    pub text: String,
}

/// Samples of a scene by class and kind, and the first of each that is not legal.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tally {
    /// How many samples there are of a class and a kind; of equal and legal ones without a kind.
    pub counts: BTreeMap<(Class, String), u64>,
    /// The first of each class and kind.
    pub findings: Vec<Finding>,
}

impl Tally {
    fn add(&mut self, class: Class, kind: &str, text: impl FnOnce() -> String) {
        let named = class >= Class::LavapipeWrong;
        let kind = if named { kind } else { "" }.to_owned();
        let count = self.counts.entry((class, kind.clone())).or_default();
        *count += 1;
        if named && *count == 1 {
            self.findings.push(Finding { class, kind, text: text() });
        }
    }

    /// Samples of a class.
    pub fn of(&self, class: Class) -> u64 {
        self.counts.iter().filter(|((c, _), _)| *c == class).map(|(_, n)| n).sum()
    }

    /// Samples that were judged.
    pub fn judged(&self) -> u64 {
        Class::ALL.iter().filter(|c| **c != Class::NotJudged).map(|c| self.of(*c)).sum()
    }

    /// Adds those of another scene; findings stay apart.
    pub fn join(&mut self, other: &Tally) {
        for (key, n) in &other.counts {
            *self.counts.entry(key.clone()).or_default() += n;
        }
    }

    /// The first sample of ours that is not legal.
    pub fn wrong(&self) -> Option<&Finding> {
        self.findings.iter().find(|f| f.class == Class::OursWrong)
    }
}

/// What a renderer gives.
#[derive(Clone, Debug, Default)]
pub struct Drawn {
    /// The picture.
    pub picture: Picture,
    /// Of each draw its triangles, each alone.
    pub stages: Vec<Vec<Stage>>,
}

/// w of one triangle differs by more: its varyings are not decided.
const RATIO: f64 = 4096.0;

/// Units of depth bias, ours and lavapipe's.
const UNITS: [Unit; 2] = [Unit::Format, Unit::Vulkan];

/// One triangle on both sides.
struct Triangle<'a> {
    scene: &'a Scene,
    draw: &'a Draw,
    name: String,
    vertices: [usize; 3],
    polygon: Polygon,
    /// Ours, theirs.
    stages: [&'a Stage; 2],
}

/// The class of a difference, from what is legal on each side; `None`: that is not decided.
fn class_of(legal: [Option<bool>; 2], open: bool) -> Class {
    match legal {
        [Some(true), Some(true)] => Class::Legal,
        _ if open => Class::Undecided,
        [Some(false), _] => Class::OursWrong,
        [None, _] | [_, None] => Class::Undecided,
        [Some(true), Some(false)] => Class::LavapipeWrong,
    }
}

impl Triangle<'_> {
    fn sample(&self, n: usize) -> (Class, &'static str) {
        let covers = self.stages.map(|s| s.covers(n));
        if covers[0] != covers[1] {
            return (self.coverage(n, covers), "coverage");
        }
        let both = |of: &dyn Fn(&Stage) -> u32| self.stages.map(of);
        let mut worst = (Class::Equal, "");
        let mut take = |class: Class, kind: &'static str| {
            if class > worst.0 {
                worst = (class, kind);
            }
        };
        let fronts = self.stages.map(|s| s.front(n));
        if fronts[0] != fronts[1] {
            take(self.facing(fronts), "facing");
        }
        let depths = both(&|s| s.depth[n]);
        if depths[0] != depths[1] {
            let own = self.scene.place(n);
            let legal = [0, 1].map(|k| is_depth(&self.polygon, &self.draw.state, own, UNITS[k], depths[k]));
            take(class_of(legal, self.polygon.clockwise().is_none()), "depth");
        }
        for w in 1..12 {
            let bits = both(&|s| s.bits(n, w));
            if bits[0] == bits[1] {
                continue;
            }
            let legal = [0, 1].map(|side| self.is_legal(n, w, side));
            let open = legal != [Some(true); 2] && w != word::NUMBER && self.is_open();
            take(class_of(legal, open), kind(self.draw, w, self.polygon.clipped));
        }
        worst
    }

    /// The face, or w, leaves varyings undecided.
    fn is_open(&self) -> bool {
        self.polygon.clockwise().is_none() || self.polygon.is_steep(RATIO)
    }

    fn coverage(&self, n: usize, covers: [bool; 2]) -> Class {
        let (x, y, _) = self.scene.sample(n);
        let [left, top, width, height] = self.draw.state.scissor;
        let inside = (left..left + width).contains(&x) && (top..top + height).contains(&y);
        let must = match () {
            () if !inside || self.polygon.near().len() < 3 => Covered::No,
            () if self.polygon.clockwise().is_none() => return Class::Undecided,
            () => self.polygon.covers(self.scene.place(n), self.scene.on_grid),
        };
        class_of(covers.map(|c| Some(must == Covered::Either || c == (must == Covered::Yes))), false)
    }

    fn facing(&self, fronts: [bool; 2]) -> Class {
        match self.polygon.clockwise() {
            None => Class::Undecided,
            Some(clockwise) => {
                class_of(fronts.map(|f| Some(f == (clockwise == self.draw.state.front_clockwise))), false)
            }
        }
    }

    /// Places at which a renderer may take what is interpolated there.
    fn places(&self, n: usize, place: Place, side: usize) -> Vec<[i32; 2]> {
        let (x, y, _) = self.scene.sample(n);
        let centre = [16 * x as i32 + 8, 16 * y as i32 + 8];
        let samples = self.scene.samples as usize;
        let first = n / samples * samples;
        let covered: Vec<usize> = (first..first + samples).filter(|&s| self.stages[side].covers(s)).collect();
        let own = self.scene.place(n);
        match place {
            _ if samples == 1 => vec![centre],
            Place::Sample => vec![own],
            Place::Centre if self.draw.is_per_sample() => vec![centre, own],
            Place::Centre => vec![centre],
            Place::Centroid => {
                let mut all: Vec<[i32; 2]> = covered.iter().map(|&s| self.scene.place(s)).collect();
                if covered.len() == samples {
                    all.push(centre);
                }
                all
            }
        }
    }

    fn is_legal(&self, n: usize, w: usize, side: usize) -> Option<bool> {
        let got = self.stages[side].word(n, w);
        let vertex = |k: usize| &self.draw.vertices[self.vertices[k]];
        let ws = [0, 1, 2].map(|k| f64::from(vertex(k).position[3]));
        let of = |mode: Mode, values: [f32; 3], places: &[[i32; 2]]| {
            let varying = Varying { mode, values: values.map(f64::from), w: ws };
            varying.is_legal(&self.polygon, self.scene.place(n), places, f64::from(got))
        };
        let (x, y, _) = self.scene.sample(n);
        let own = self.scene.place(n).map(|p| p as f32 / 16.0);
        let centre = |pixel: u32, k: usize| got == pixel as f32 + 0.5 || self.draw.is_per_sample() && got == own[k];
        let anywhere = || {
            let mut all = self.places(n, Place::Centroid, side);
            all.push([16 * x as i32 + 8, 16 * y as i32 + 8]);
            all
        };
        let interpolated = |i: Interpolation, values: [f32; 3]| match i {
            Interpolation::Perspective(p) => of(Mode::Perspective, values, &self.places(n, p, side)),
            Interpolation::Linear(p) => of(Mode::Linear, values, &self.places(n, p, side)),
            Interpolation::Flat => Some(got.to_bits() == values[0].to_bits()),
        };
        let [colour, pair] = self.draw.interpolation;
        match w {
            1 => Some(centre(x, 0)),
            2 => Some(centre(y, 1)),
            3 => {
                let sample = self.scene.place(n);
                is_position_z(&self.polygon, &self.draw.state, sample, &anywhere(), UNITS[side], f64::from(got))
            }
            word::W => of(Mode::Reciprocal, [0.0; 3], &anywhere()),
            word::NUMBER => Some(got == vertex(0).number as f32),
            word::PAIR.. => interpolated(pair, [0, 1, 2].map(|k| vertex(k).pair[w - word::PAIR])),
            _ => interpolated(colour, [0, 1, 2].map(|k| vertex(k).colour[w - word::COLOUR])),
        }
    }

    /// What both sides have at a sample, in words.
    fn text(&self, n: usize) -> String {
        let (x, y, s) = self.scene.sample(n);
        let side = |stage: &Stage| {
            if !stage.covers(n) {
                return "not covered".to_owned();
            }
            let words: Vec<String> = (0..12).map(|w| format!("{:?}", stage.word(n, w))).collect();
            format!("depth {}, words {}", stage.depth[n], words.join(" "))
        };
        let [ours, theirs] = self.stages.map(side);
        format!("{} at pixel ({x}, {y}), sample {s}:\n  ours     {ours}\n  lavapipe {theirs}", self.name)
    }
}

/// The kind of a word that is wrong.
fn kind(draw: &Draw, w: usize, clipped: bool) -> &'static str {
    let of = |i: Interpolation| match (i, clipped) {
        (Interpolation::Flat, _) => "flat varying",
        (Interpolation::Perspective(Place::Centre), false) => "perspective varying",
        (Interpolation::Perspective(Place::Centre), true) => "perspective varying, clipped",
        (Interpolation::Perspective(_), false) => "perspective varying at centroid or sample",
        (Interpolation::Perspective(_), true) => "perspective varying at centroid or sample, clipped",
        (Interpolation::Linear(Place::Centre), false) => "linear varying",
        (Interpolation::Linear(_), false) => "linear varying at centroid or sample",
        (Interpolation::Linear(_), true) => "linear varying, clipped",
    };
    match w {
        1 | 2 => "position x and y",
        3 => "position z",
        word::W => "position w",
        word::NUMBER => "flat varying",
        word::PAIR.. => of(draw.interpolation[1]),
        _ => of(draw.interpolation[0]),
    }
}

/// The picture of a sample is the same on both sides.
fn is_same(a: &Picture, b: &Picture, n: usize) -> bool {
    a.targets.iter().zip(&b.targets).all(|(a, b)| a[n] == b[n])
        && a.depth[n] == b.depth[n]
        && a.stencil[n] == b.stencil[n]
}

/// Samples of a scene that is not judged, or whose pictures are the same. What holds what it was
/// cleared with counts as not covered.
pub fn compare(scene: &Scene, ours: &Picture, theirs: &Picture) -> Tally {
    let mut out = Tally::default();
    let clear = replay(scene, &[], 0);
    let covered = |n: &usize| [ours, theirs].iter().any(|p| clear.differs(scene, p, *n).is_some());
    for n in (0..scene.count()).filter(covered) {
        let class = if is_same(ours, theirs, n) { Class::Equal } else { Class::NotJudged };
        out.add(class, "program", || format!("sample {n}"));
    }
    out
}

/// Judges a scene.
pub fn judge(scene: &Scene, ours: &Drawn, theirs: &Drawn) -> Tally {
    let mut out = Tally::default();
    let mut touched = vec![false; scene.count()];
    for (d, draw) in scene.draws.iter().enumerate() {
        for (t, vertices) in draw.triangles().into_iter().enumerate() {
            let vertices = vertices.map(|v| v as usize);
            let stages = [&ours.stages[d][t], &theirs.stages[d][t]];
            let positions = vertices.map(|v| draw.vertices[v].position);
            let polygon = Polygon::new(positions, &draw.state);
            let name = format!("draw {d}, triangle {t}");
            let triangle = Triangle { scene, draw, name, vertices, polygon, stages };
            for n in (0..scene.count()).filter(|&n| stages.iter().any(|s| s.covers(n))) {
                touched[n] = true;
                let (class, kind) = triangle.sample(n);
                out.add(class, kind, || triangle.text(n));
            }
        }
    }
    for (n, touched) in touched.into_iter().enumerate() {
        let (class, side, what) = match is_same(&ours.picture, &theirs.picture, n) {
            true if !touched => continue,
            true => (Class::Equal, "", None),
            false => {
                let [mine, other] = [ours, theirs].map(|drawn| {
                    let replayed = replay(scene, &drawn.stages, n);
                    (replayed.differs(scene, &drawn.picture, n), replayed.is_open)
                });
                match (mine, other) {
                    ((Some(what), _), _) => (Class::OursWrong, "ours", Some(what)),
                    ((_, true), _) | (_, (_, true)) => (Class::Undecided, "", None),
                    (_, (Some(what), _)) => (Class::LavapipeWrong, "lavapipe", Some(what)),
                    _ => (Class::Legal, "", None),
                }
            }
        };
        let stage = what.as_deref().map_or("picture", |w| match w.split([':', ' ']).next() {
            Some("depth") => "picture: depth",
            Some("stencil") => "picture: stencil",
            _ => "picture: colour",
        });
        out.add(class, stage, || {
            let (x, y, s) = scene.sample(n);
            format!("picture at pixel ({x}, {y}), sample {s}, {side}: {}", what.unwrap_or_default())
        });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::tests::plain;

    const HALF: [[f32; 4]; 3] = [[-1.0, 1.0, 0.5, 1.0], [1.0, 1.0, 0.5, 1.0], [-1.0, -1.0, 0.5, 1.0]];

    /// What a renderer without faults gives of [`HALF`], and a picture of one colour.
    fn drawn(scene: &Scene, covered: impl Fn(i32, i32) -> bool) -> Drawn {
        let mut stage = Stage { depth: vec![8_388_608; 64], ..Stage::default() };
        let mut target = vec![];
        for n in 0..64 {
            let (x, y, _) = scene.sample(n);
            let (fx, fy) = ((x as f32 + 0.5) / 8.0, (y as f32 + 0.5) / 8.0);
            let front = if covered(x as i32, y as i32) { 1.0 } else { 0.0 };
            let ramp = fx + 2.0 * fy;
            let words = [[front, x as f32 + 0.5, y as f32 + 0.5, 0.5], [ramp, 0.25, 0.5, 1.0], [ramp, 1.0, 0.0, 1.0]];
            for (run, words) in stage.words.iter_mut().zip(words) {
                run.push(words.map(f32::to_bits));
            }
            let byte = |v: f32| (v.clamp(0.0, 1.0) * 255.0).round() as u32;
            target.push(if front > 0.0 { [ramp, 0.25, 0.5, 1.0].map(byte) } else { [0; 4] });
        }
        let picture = Picture { targets: vec![target], depth: vec![0xFF_FFFF; 64], stencil: vec![0; 64] };
        Drawn { picture, stages: vec![vec![stage]] }
    }

    fn inside(x: i32, y: i32) -> bool {
        x + y < 7
    }

    #[test]
    fn equal_pictures_are_equal_and_a_tie_is_legal() {
        let scene = plain(&HALF);
        let tally = judge(&scene, &drawn(&scene, inside), &drawn(&scene, inside));
        assert_eq!(tally.counts.keys().map(|k| k.0).collect::<Vec<_>>(), [Class::Equal]);
        // The diagonal goes through centres.
        let wide = drawn(&scene, |x, y| x + y < 8);
        let tally = judge(&scene, &wide, &drawn(&scene, inside));
        assert_eq!((tally.of(Class::Legal), tally.of(Class::OursWrong)), (16, 0), "{tally:?}");
    }

    #[test]
    fn each_side_can_be_wrong() {
        let scene = plain(&HALF);
        let good = drawn(&scene, inside);
        let less = drawn(&scene, |x, y| x + y < 6);
        let tally = judge(&scene, &less, &good);
        assert_eq!(tally.wrong().map(|f| f.kind.as_str()), Some("coverage"), "{tally:?}");
        let tally = judge(&scene, &good, &less);
        assert_eq!((tally.of(Class::LavapipeWrong), tally.of(Class::OursWrong)), (7, 0), "{tally:?}");
        let mut bad = good.clone();
        bad.stages[0][0].words[1][0][0] = 0.9f32.to_bits();
        assert_eq!(judge(&scene, &bad, &good).wrong().unwrap().kind, "perspective varying");
        let mut bad = good.clone();
        bad.picture.targets[0][0][1] += 3;
        let tally = judge(&scene, &bad, &good);
        assert_eq!(tally.wrong().unwrap().kind, "picture: colour");
        let mut bad = good.clone();
        bad.stages[0][0].depth[0] += 60_000;
        assert_eq!(judge(&scene, &bad, &good).wrong().unwrap().kind, "depth");
    }
}
