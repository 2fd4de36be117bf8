//! The scene of a random pair: four draws A B A C that change uniforms and fragment programs.

use std::fmt::Write;

use rand::Rng;

use super::statements::{Maker, COUNTS, UNIFORMS};

/// Draws, and by which set of uniforms.
const DRAWS: [usize; 4] = [0, 1, 0, 2];

impl Maker {
    /// A number that TOML can write, with corners.
    pub(super) fn number(&mut self) -> String {
        match self.below(8) {
            0 => "0.0".into(),
            1 => "-0.0".into(),
            2 => "1.0".into(),
            _ => format!("{:?}", self.rng.random_range(-2.0f32..3.0)),
        }
    }

    /// Bits of uniforms: corners, or numbers.
    pub(super) fn bits(&mut self) -> String {
        const CORNERS: [u32; 8] = [0, 0x8000_0000, 0x7F80_0000, 0xFF80_0000, 0x7FC0_0000, 1, 0x3F80_0000, 0x7F7F_FFFF];
        let bits = match self.below(4) {
            0 => CORNERS[self.below(CORNERS.len())],
            _ => self.rng.random_range(-2.0f32..3.0).to_bits(),
        };
        bits.to_string()
    }

    /// A scene with these files and entry points of vertices and fragments.
    pub(super) fn scene(&mut self, programs: &[(String, &str)], samples: u32) -> String {
        let rows =
            |m: &mut Maker| -> Vec<String> { (0..3).map(|_| format!("[{}, {}]", m.number(), m.number())).collect() };
        let (weights, colours) = (rows(self), rows(self));
        // A pixel has as much work as four with four samples.
        let (step, height) = if samples == 1 { (4, 16) } else { (2, 8) };
        let width = DRAWS.len() * step;
        let top = self.pick(&["2.5", "1.0"]);
        let limit = self.pick(&["1", "2", "8"]);
        let mut out = format!(
            "name = \"link\"\nexact = true\nvariants = {limit}\n[target]\nwidth = {width}\nheight = {height}\n\
            samples = {samples}\nformats = [\"r32float\", \"r32float\", \"r32float\", \"r32float\"]\n\
            [mesh.m]\nattributes.position = [[-1, -1], [2.5, -0.75], [-0.75, {top}]]\n\
            attributes.w = [{}]\nattributes.c = [{}]\n",
            weights.join(", "),
            colours.join(", ")
        );
        let mut sets: Vec<Vec<String>> = vec![];
        for n in 0..3 {
            let floats: Vec<String> = match n {
                // C is B with some other words, so that one variant may be right for both.
                2 => sets[1][..UNIFORMS].to_vec(),
                _ => (0..UNIFORMS).map(|_| self.bits()).collect(),
            };
            let counts = (0..COUNTS).map(|_| self.rng.random_range(0..9u32).to_string());
            let mut set: Vec<String> = floats.into_iter().chain(counts).collect();
            for _ in 0..2 * (n / 2) {
                let at = self.below(UNIFORMS);
                set[at] = self.bits();
            }
            sets.push(set);
        }
        let (vertex, mut before) = (&programs[0], usize::MAX);
        for (n, &set) in DRAWS.iter().enumerate() {
            let fragment = &programs[1 + self.below(programs.len() - 1)];
            if before != usize::MAX && sets[before] != sets[set] {
                self.count("uniforms change between draws");
            }
            before = set;
            let _ = write!(
                out,
                "[[draw]]\nmesh = \"m\"\nvertex = {{ file = \"{}\", entry = \"{}\" }}\n\
                fragment = {{ file = \"{}\", entry = \"{}\" }}\n\
                attributes = {{ position = 0, w = 1, c = 2 }}\nstate = {{ scissor = [{}, 0, {}, {height}] }}\n\
                instances = {}\n[[draw.binding]]\nbinding = 0\nvalues = [{{ u32 = [{}] }}]\n",
                vertex.0,
                vertex.1,
                fragment.0,
                fragment.1,
                step * n,
                (step + 2).min(width - step * n),
                1 + n % 2,
                sets[set].join(", ")
            );
        }
        out
    }
}
