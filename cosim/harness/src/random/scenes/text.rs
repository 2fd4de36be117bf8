//! A random scene as a scene file (docs/scenes.md).

use std::fmt::Write as _;

use crate::base::error::Input;

use super::spec::{Draw, RandomScene, Vertex, SEED};

impl Draw {
    /// Vertices and indices as they are drawn, those that no corner has left out.
    fn mesh(&self) -> (Vec<Vertex>, Option<Vec<u32>>) {
        let (first, base) = (self.first as usize, self.base_vertex as usize);
        let Some(_) = self.indexed else {
            let drawn = self.corners.iter().map(|&c| self.vertices[c as usize]);
            return (vec![self.vertices[0]; first].into_iter().chain(drawn).collect(), None);
        };
        let mut used: Vec<u32> = self.corners.clone();
        used.sort_unstable();
        used.dedup();
        let kept = used.iter().map(|&c| self.vertices[c as usize]);
        let vertices = vec![self.vertices[0]; base].into_iter().chain(kept).collect();
        let place = |c: &u32| used.binary_search(c).unwrap_or_default() as u32;
        let mark = if self.indexed == Some(4) { u32::MAX } else { 0xFFFF };
        let corners = self.corners.iter().enumerate().flat_map(|(k, c)| {
            let ends = self.ends.contains(&(k as u32)).then_some(mark);
            ends.into_iter().chain([place(c)])
        });
        (vertices, Some(vec![0; first].into_iter().chain(corners).collect()))
    }

    /// Leaves the program out that does nothing without targets, of every second such draw.
    fn has_fragments(&self, number: usize, targets: usize) -> bool {
        let colours = ["blend", "write", "alpha-to-coverage"];
        let plain = !self.state.iter().any(|(key, _)| colours.contains(&&**key));
        !(targets == 0 && self.fragment.name == "constant" && plain && number.is_multiple_of(2))
    }

    /// `table` is what the draw is in the file: `draw`, or `pass.draw`.
    fn write(&self, number: usize, targets: usize, table: &str, mesh_text: &mut String, draw_text: &mut String) {
        let (vertices, indices) = self.mesh();
        let positions = vertices.iter().map(|v| format!("    {:?},\n", v.position.map(f64::from)));
        let colours = vertices.iter().map(|v| format!("    {:?},\n", v.colour.map(|c| f64::from(c) / 255.0)));
        let _ = write!(
            mesh_text,
            "\n[mesh.m{number}]\nattributes.position = [\n{}]\nattributes.colour = [\n{}]\n",
            positions.collect::<String>(),
            colours.collect::<String>()
        );
        if let (Some(bytes), Some(indices)) = (self.indexed, indices) {
            let _ = writeln!(mesh_text, "indices = {indices:?}\nindex-bytes = {bytes}");
        }
        let fragment = match self.has_fragments(number, targets) {
            true => format!("fragment = \"{}\"\n", self.fragment.file(Some(targets))),
            false => String::new(),
        };
        let _ = write!(
            draw_text,
            "\n[[{table}]]\nmesh = \"m{number}\"\n\
             vertex = \"{}\"\n\
             {}attributes = {{ position = 0, colour = {{ location = 1, format = \"{}\" }} }}\n",
            self.vertex.file(None),
            fragment,
            self.colour_format
        );
        if let Some(bypass) = self.bypass {
            let _ = writeln!(draw_text, "bypass = {bypass}");
        }
        let numbers = [
            ("first", self.first, 0),
            ("base-vertex", self.base_vertex, 0),
            ("instances", self.instances, 1),
            ("first-instance", self.first_instance, 0),
        ];
        for (key, value, _) in numbers.iter().filter(|n| n.1 != n.2) {
            let _ = writeln!(draw_text, "{key} = {value}");
        }
        for (name, binding, bytes) in BUFFERS {
            if self.fragment.uses(name) {
                let _ = writeln!(draw_text, "\n[[{table}.binding]]\nbinding = {binding}\nzero = {bytes}");
            }
        }
        if self.strip || !self.state.is_empty() {
            let _ = write!(draw_text, "\n[{table}.state]\n");
        }
        if self.strip {
            draw_text.push_str("topology = \"strip\"\n");
            if !self.ends.is_empty() {
                draw_text.push_str("restart = true\n");
            }
        }
        for (key, value) in &self.state {
            let _ = writeln!(draw_text, "{key} = {value}");
        }
    }
}

impl RandomScene {
    /// Files of its programs, with their contents.
    pub fn programs(&self) -> Input<Vec<(String, Vec<u8>)>> {
        let targets = self.formats.len();
        let of = |d: &Draw| [(d.vertex, None), (d.fragment, Some(targets))];
        self.draws.iter().flat_map(of).map(|(program, t)| Ok((program.file(t), program.contents(t)?))).collect()
    }

    /// The draw that begins a second pass, which loads what the first one stored: of every fourth
    /// scene with several draws.
    fn second_pass(&self) -> Option<usize> {
        (self.seed % 4 == 1 && self.draws.len() > 1).then_some(self.draws.len() / 2)
    }

    /// The scene file.
    pub fn text(&self) -> String {
        let mut out = format!("# A random scene, of seed {}.\nname = \"random-{}\"\n", self.seed, self.seed);
        let _ = writeln!(
            out,
            "\n[target]\nwidth = {}\nheight = {}\nsamples = {}\nformats = {:?}",
            self.width, self.height, self.samples, self.formats
        );
        match self.formats.len() {
            0 => out.push_str("depth = true\n"),
            count => {
                let _ = writeln!(out, "clear = {:?}", &self.clear[..count]);
            }
        }
        if !self.keep_tiles {
            out.push_str("keep-tiles = false\n");
        }
        let _ = writeln!(out, "clear-depth = {:?}\nclear-stencil = {}", self.clear_depth, self.clear_stencil);
        if let Some(side) = self.tile {
            let _ = writeln!(out, "tile = {side}");
        }
        if self.frames > 1 {
            let _ = writeln!(out, "frames = {}", self.frames);
        }
        out.push_str("\n[machine]\n");
        for (key, value) in self.machine.iter().chain(self.options) {
            let _ = match *value {
                SEED => writeln!(out, "{key} = {}", self.seed >> 1),
                value => writeln!(out, "{key} = {value}"),
            };
        }
        if let Some((samples, targets)) = self.limits() {
            let _ = writeln!(out, "max-samples = {samples}\nmax-targets = {targets}");
        }
        let m = self.memory;
        let _ = writeln!(
            out,
            "\n[memory]\nlatency = {}\njitter = {}\nstall = {}\nseed = {}\n\n[limits]\ncycles = {CYCLES}\nidle = {IDLE}",
            m.latency, m.jitter, m.stall, m.seed
        );
        let mut draws = String::new();
        let split = self.second_pass();
        for (number, draw) in self.draws.iter().enumerate() {
            if split.is_some() && number == 0 {
                draws.push_str("\n[[pass]]\n");
            }
            if split == Some(number) {
                draws.push_str("\n[[pass]]\nload = [");
                draws.push_str(if !self.formats.is_empty() { "\"load\"" } else { "" });
                draws.push_str("]\ndepth-load = \"load\"\nstencil-load = \"load\"\n");
            }
            draw.write(
                number,
                self.formats.len(),
                if split.is_some() { "pass.draw" } else { "draw" },
                &mut out,
                &mut draws,
            );
        }
        out + &draws
    }
}

/// Buffers of programs that store: name, binding and bytes.
const BUFFERS: [(&str, u32, u32); 2] = [("counts", 0, 256), ("marks", 1, 16_384)];
/// Far more than any of these scenes takes.
const CYCLES: u64 = 10_000_000;
/// Clipping a triangle at many planes takes thousands of cycles in which nothing else moves.
const IDLE: u64 = 100_000;
