//! Random pairs of a vertex and a fragment program with uniforms, for `quadlock fuzz --links`: the
//! picture of the pair linked is that of the pair compiled alone, bit for bit, and machine and
//! model draw it alike. A compute program goes with each pair ([`computes`]).
//!
//! Three draws A B A with uniforms of their own go to four targets of one 32-bit word, so that no
//! bit is lost. Values have corners: zeros of both signs, infinities, NaN, subnormals. Branches
//! hang on uniforms, on varyings, on both. Everything is exact, so every operation has one result
//! (LP-18). What is compared is the golden model's target of the unlinked pair with that of the
//! linked one, and the linked one's in lockstep. Then products and sums may be fused: each word
//! that differs must be traced to a fusion ([`crate::scene::roundings`]). A bug that both front
//! halves share, as in the language's front end, is not found here.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::computes;
use crate::base::error::{bad, Input};
use crate::base::files::write_atomic;
use crate::engine::Engine;
use crate::lockstep::Quiet;
use crate::scene::machine::on_rtl;
use crate::scene::roundings::{self, kept_words};
use crate::scene::{run, Scene};
use crate::simulate::Simulator;

/// Scalar uniforms.
const UNIFORMS: usize = 10;
/// Draws, and by which of two sets of uniforms.
const DRAWS: [usize; 3] = [0, 1, 0];

/// What a pair showed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    /// Warp instructions of pair and compute program: alone, linked.
    pub instructions: [u64; 2],
    /// Uniforms that the host derived.
    pub derived: u64,
    /// Draws whose programs assume something.
    pub variants: u64,
    /// Words that differ alone and linked if fusion is allowed, each traced to a fusion.
    pub rounded: u64,
}

/// Makes a pair's texts.
struct Maker {
    rng: ChaCha8Rng,
}

impl Maker {
    fn below(&mut self, n: usize) -> usize {
        self.rng.random_range(0..n)
    }

    fn constant(&mut self) -> String {
        const ALL: [&str; 8] = ["0.0", "1.0", "-1.0", "0.5", "2.0", "0.3333333", "1e-40", "65504.0"];
        ALL[self.below(ALL.len())].into()
    }

    /// A number of these atoms.
    fn scalar(&mut self, atoms: &[String], depth: usize) -> String {
        if depth == 0 || self.below(5) == 0 {
            return match self.below(6) {
                0 => self.constant(),
                1 | 2 => format!("u.f{}", self.below(UNIFORMS)),
                _ => atoms[self.below(atoms.len())].clone(),
            };
        }
        let (a, b) = (self.scalar(atoms, depth - 1), self.scalar(atoms, depth - 1));
        match self.below(12) {
            0..=2 => format!("({a} * {b})"),
            3..=5 => format!("({a} + {b})"),
            6 => format!("({a} - {b})"),
            7 => format!("min({a}, {b})"),
            8 => format!("max({a}, {b})"),
            9 => format!("abs({a})"),
            10 => format!("floor({a})"),
            _ => {
                let c = self.condition(atoms, depth - 1);
                format!("select({a}, {b}, {c})")
            }
        }
    }

    fn condition(&mut self, atoms: &[String], depth: usize) -> String {
        let sign = ["<", ">", "<=", ">=", "==", "!="][self.below(6)];
        // Most conditions hang on uniforms alone.
        let own: Vec<String> = (0..3).map(|_| format!("u.f{}", self.below(UNIFORMS))).collect();
        let of = if self.below(3) == 0 { atoms } else { &own[..] };
        let (a, b) = (self.scalar(of, depth.min(1)), self.scalar(of, depth.min(1)));
        format!("{a} {sign} {b}")
    }

    /// Variables x0, x1, ..., some changed behind branches.
    fn body(&mut self, atoms: &mut Vec<String>, name: &str) -> String {
        let mut out = String::new();
        for k in 0..2 + self.below(4) {
            let value = self.scalar(atoms, 3);
            let _ = writeln!(out, "  var {name}{k} = {value};");
            atoms.push(format!("{name}{k}"));
            if self.below(2) == 0 {
                let c = self.condition(atoms, 2);
                let (then, other) = (self.scalar(atoms, 2), self.scalar(atoms, 2));
                let _ = writeln!(out, "  if ({c}) {{ {name}{k} = {then}; }} else {{ {name}{k} = {other}; }}");
            }
        }
        out
    }

    fn program(&mut self) -> String {
        let members: Vec<String> = (0..UNIFORMS).map(|k| format!("f{k}: f32")).collect();
        let outputs = 1 + self.below(7);
        let ways = ["", "@interpolate(flat) ", "@interpolate(linear) ", "@interpolate(perspective, centroid) "];
        let mut varyings = String::new();
        for k in 0..outputs {
            let way = ways[self.below(ways.len())];
            let _ = write!(varyings, ", @location({k}) {way}v{k}: f32");
        }
        let mut atoms: Vec<String> =
            ["p.x", "p.y", "w.x", "w.y", "c.r", "c.g", "f32(instance)"].map(String::from).into();
        let vertex = self.body(&mut atoms, "x");
        let mut given: Vec<String> = vec![];
        for _ in 0..outputs {
            // Some are uniform, some equal, some of the vertex.
            let depth = self.below(3);
            given.push(match self.below(5) {
                0 => self.scalar(&["u.f0".into()], depth),
                1 if !given.is_empty() => given[0].clone(),
                _ => self.scalar(&atoms, depth),
            });
        }
        // A reader does not read all.
        let mut read: Vec<String> = (0..outputs).filter(|_| self.below(4) > 0).map(|k| format!("v.v{k}")).collect();
        read.push("v.at.x".into());
        let fragment = self.body(&mut read, "y");
        let colour: Vec<String> = (0..4).map(|_| self.scalar(&read, 2)).collect();
        let discard = match self.below(3) {
            0 => format!("  if ({}) {{ discard; }}\n", self.condition(&read, 1)),
            _ => String::new(),
        };
        // Some are drawn in the plane of the target.
        let w = if self.below(4) == 0 { "1.0" } else { "1.0 + 0.5 * p.x * p.x" };
        format!(
            "struct U {{ {} }}\n@group(0) @binding(0) var<uniform> u: U;\n\
            struct V {{ @builtin(position) at: vec4f{varyings} }}\n\
            @vertex fn vertex(@location(0) p: vec2f, @location(1) w: vec2f, @location(2) c: vec2f, \
            @builtin(instance_index) instance: u32) -> V {{\n{vertex}  return V(vec4f(p, 0.25, {w}), {});\n}}\n\
            struct O {{ @location(0) r: f32, @location(1) g: f32, @location(2) b: f32, @location(3) a: f32 }}\n\
            @fragment fn fragment(v: V) -> O {{\n{fragment}{discard}  return O({});\n}}\n",
            members.join(", "),
            given.join(", "),
            colour.join(", ")
        )
    }

    /// A number that TOML can write, with corners.
    fn number(&mut self) -> String {
        match self.below(8) {
            0 => "0.0".into(),
            1 => "-0.0".into(),
            2 => "1.0".into(),
            _ => format!("{:?}", self.rng.random_range(-2.0f32..3.0)),
        }
    }

    /// Bits of uniforms: corners, or numbers.
    fn bits(&mut self) -> String {
        const CORNERS: [u32; 8] = [0, 0x8000_0000, 0x7F80_0000, 0xFF80_0000, 0x7FC0_0000, 1, 0x3F80_0000, 0x7F7F_FFFF];
        let bits = match self.below(4) {
            0 => CORNERS[self.below(CORNERS.len())],
            _ => self.rng.random_range(-2.0f32..3.0).to_bits(),
        };
        bits.to_string()
    }

    fn scene(&mut self) -> String {
        let rows =
            |m: &mut Maker| -> Vec<String> { (0..3).map(|_| format!("[{}, {}]", m.number(), m.number())).collect() };
        let (weights, colours) = (rows(self), rows(self));
        let mut out = format!(
            "name = \"link\"\nexact = true\n[target]\nwidth = 16\nheight = 16\nformats = [\"r32float\", \"r32float\", \"r32float\", \"r32float\"]\n\
            [mesh.m]\nattributes.position = [[-1, -1], [2.5, -0.75], [-0.75, 2.5]]\n\
            attributes.w = [{}]\nattributes.c = [{}]\n",
            weights.join(", "),
            colours.join(", ")
        );
        let sets: Vec<Vec<String>> = (0..2).map(|_| (0..UNIFORMS).map(|_| self.bits()).collect()).collect();
        for (n, set) in DRAWS.iter().enumerate() {
            let _ = write!(
                out,
                "[[draw]]\nmesh = \"m\"\nvertex = {{ file = \"a.wgsl\", entry = \"vertex\" }}\n\
                fragment = {{ file = \"a.wgsl\", entry = \"fragment\" }}\n\
                attributes = {{ position = 0, w = 1, c = 2 }}\nstate = {{ scissor = [{}, 0, 8, 16] }}\n\
                instances = {}\n[[draw.binding]]\nbinding = 0\nvalues = [{{ u32 = [{}] }}]\n",
                4 * n,
                1 + n % 2,
                sets[*set].join(", ")
            );
        }
        out
    }
}

/// Draws one pair, kept in a folder if it fails. `rtl`: the linked pair in lockstep, too. `fault`:
/// a bug that is planted in what is linked.
///
/// # Errors
/// What failed, in words; the folder has the scene.
pub fn one(seed: u64, out: &Path, rtl: Option<Simulator>, fault: Option<&str>) -> Result<Counts, (PathBuf, String)> {
    let folder = out.join(format!("link-{seed}"));
    let done = try_one(seed, &folder, rtl, fault);
    let kept = |why: String| (folder.join("scene.toml"), why);
    match done {
        Ok(Ok(counts)) => {
            // A folder that cannot be removed is in nobody's way.
            let _ = std::fs::remove_dir_all(&folder);
            Ok(counts)
        }
        Ok(Err(why)) => Err(kept(why)),
        Err(e) => Err(kept(format!("{:?}", miette::Report::new(*e)))),
    }
}

/// Writes a pair's files; the scene.
fn written(seed: u64, folder: &Path) -> Input<PathBuf> {
    let mut maker = Maker { rng: ChaCha8Rng::seed_from_u64(seed) };
    if let Err(e) = std::fs::create_dir_all(folder) {
        return bad(format!("{}: {e}", folder.display()), "choose another folder with --out");
    }
    let (program, text) = (maker.program(), maker.scene());
    write_atomic(&folder.join("a.wgsl"), program.as_bytes())?;
    let file = folder.join("scene.toml");
    write_atomic(&file, text.as_bytes())?;
    Ok(file)
}

fn try_one(seed: u64, folder: &Path, rtl: Option<Simulator>, fault: Option<&str>) -> Input<Result<Counts, String>> {
    let file = written(seed, folder)?;
    let mut counts = Counts::default();
    let mut want: Option<Vec<u32>> = None;
    for (n, set) in ["link=off", "link=on", "link=values"].into_iter().enumerate() {
        let planted = fault.filter(|_| n > 0).map(|f| format!("machine.fault={f}"));
        let sets: Vec<String> = [set.to_owned()].into_iter().chain(planted).collect();
        let scene = Scene::read(&file, false, &sets)?;
        let frame = scene.frame(&scene.compiler()?)?;
        let drawn = run::golden("link", &frame, None, false);
        if !drawn.report.passed() {
            return Ok(Err(format!("{set}: {}", drawn.report.problems.join("\n"))));
        }
        let got = kept_words(&frame, &drawn.memory);
        counts.instructions[usize::from(n > 0)] = drawn.report.retired;
        match &want {
            None => want = Some(got),
            Some(want) if *want == got => {}
            Some(want) => {
                let at = want.iter().zip(&got).position(|(a, b)| a != b).unwrap_or(0);
                return Ok(Err(format!(
                    "{set}: word {at} of the target is {:#010x}, alone {:#010x}",
                    got[at], want[at]
                )));
            }
        }
        let (Some(simulator), "link=values") = (rtl, set) else { continue };
        if let Some(link) = &frame.link {
            (counts.derived, counts.variants) = (link.derived, link.variants);
        }
        let options = scene.options(true, Some(seed))?;
        let engine = simulator.engine(&options.config);
        let mut engine: Box<dyn Engine> = engine.or_else(|e| bad(e, "a mistake in the machines of random scenes"))?;
        let launch = frame.launch("link", &options).or_else(|e| bad(e.to_string(), "the model does not draw it"))?;
        let (done, _) = on_rtl(&mut *engine, &frame, &launch, &options, &mut Quiet);
        if !done.report.passed() {
            return Ok(Err(done.run.map_or(done.report.problems.join("\n"), |run| run.text())));
        }
    }
    let planted = fault.map(|f| format!("machine.fault={f}"));
    let [alone, linked] = ["link=off", "link=values"].map(|set| vec![set.to_owned(), "exact=off".into()]);
    let linked: Vec<String> = linked.into_iter().chain(planted).collect();
    let traced = roundings::trace(&file, false, [("alone", &alone), ("linked", &linked)])?;
    counts.rounded = traced.differ as u64;
    if traced.untraced > 0 {
        return Ok(Err(format!("with fusion, link=values: {traced}")));
    }
    let compute = match computes::one(seed, folder, rtl, fault)? {
        Ok(compute) => compute,
        Err(why) => return Ok(Err(format!("{}: {why}", folder.join("job.toml").display()))),
    };
    counts.instructions[0] += compute.instructions[0];
    counts.instructions[1] += compute.instructions[1];
    counts.derived += compute.derived;
    counts.variants += compute.variants;
    Ok(Ok(counts))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// On the model alone; `quadlock fuzz --links` draws them in lockstep.
    #[test]
    fn random_pairs_give_the_same_linked() {
        let dir = tempfile::tempdir().unwrap();
        let mut all = Counts::default();
        for seed in 0..60 {
            let c = one(seed, dir.path(), None, None).unwrap_or_else(|(_, why)| panic!("seed {seed}: {why}"));
            all.instructions[0] += c.instructions[0];
            all.instructions[1] += c.instructions[1];
            all.rounded += c.rounded;
        }
        assert!(all.instructions[1] * 10 < all.instructions[0] * 9, "{all:?}");
        assert!(all.rounded > 0, "{all:?}");
    }

    /// Two forms that differ by what they draw: no fusion is blamed.
    #[test]
    fn what_is_no_rounding_has_no_trace() {
        let dir = tempfile::tempdir().unwrap();
        let one = ["exact=off".to_owned()];
        let other = ["exact=off".to_owned(), "draw.0.state.scissor=[0, 0, 1, 1]".into()];
        let mut found = 0;
        for seed in 0..8 {
            let file = written(seed, dir.path()).unwrap();
            let traced = roundings::trace(&file, false, [("one", &one), ("other", &other)]).unwrap();
            assert!(traced.untraced >= traced.differ, "{traced}");
            found += usize::from(traced.differ > 0);
            let same = roundings::trace(&file, false, [("one", &one), ("again", &one)]).unwrap();
            assert_eq!((same.differ, same.untraced), (0, 0));
        }
        assert!(found > 2, "{found} of 8");
    }

    /// A branch that is decided against its uniform, and a variant for other uniforms.
    #[test]
    fn planted_bugs_of_linking_are_found() {
        let dir = tempfile::tempdir().unwrap();
        for fault in ["compiler:link-other-arm", "compiler:variant-stale"] {
            let found = (0..20).any(|seed| one(seed, dir.path(), None, Some(fault)).is_err());
            assert!(found, "{fault}");
        }
    }
}
