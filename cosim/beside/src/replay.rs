//! Tests and blending of one sample, replayed from a renderer's own triangles.
//!
//! Written from Vulkan 1.3: 26 (fragment operations), 29.1. Where a triangle of the renderer covers
//! the sample, its own facing, depth and words are taken; so no legal difference of an earlier
//! stage grows here. It can be wrong by the order of operations; then every picture differs from
//! its replay.

use crate::blend::{written, Colour, Range};
use crate::number::ulp32;
use crate::scene::{Compare, Draw, Format, Kind, Scene, StencilOp};
use crate::value::DEPTH;
use crate::wgsl::word;
use crate::wire::{Picture, Stage};

/// What a sample holds after all draws.
#[derive(Clone, Debug)]
pub struct Replayed {
    /// Of each target.
    pub colours: Vec<Colour>,
    /// Of 24 bits.
    pub depth: [u32; 2],
    /// Of 8 bits.
    pub stencil: u8,
    /// A test went by a depth that is only known to lie between two: nothing is certain.
    pub is_open: bool,
}

fn passes(compare: Compare, new: u32, stored: u32) -> bool {
    match compare {
        Compare::Never => false,
        Compare::Less => new < stored,
        Compare::Equal => new == stored,
        Compare::LessEqual => new <= stored,
        Compare::Greater => new > stored,
        Compare::NotEqual => new != stored,
        Compare::GreaterEqual => new >= stored,
        Compare::Always => true,
    }
}

/// With depths that lie between two; `None`: it depends.
fn passes_all(compare: Compare, new: [u32; 2], stored: [u32; 2]) -> Option<bool> {
    let mut all = new.iter().flat_map(|&n| stored.map(|s| passes(compare, n, s)));
    let first = all.next()?;
    // Between two depths there may be an equal one, which the ends do not show.
    let fixed = new[0] == new[1] && stored[0] == stored[1];
    let overlap = new[0] <= stored[1] && stored[0] <= new[1];
    (all.all(|one| one == first) && (fixed || !overlap || matches!(compare, Compare::Always | Compare::Never)))
        .then_some(first)
}

fn operate(op: StencilOp, old: u8, reference: u8) -> u8 {
    match op {
        StencilOp::Keep => old,
        StencilOp::Zero => 0,
        StencilOp::Replace => reference,
        StencilOp::Invert => !old,
        StencilOp::IncrementClamp => old.saturating_add(1),
        StencilOp::DecrementClamp => old.saturating_sub(1),
        StencilOp::IncrementWrap => old.wrapping_add(1),
        StencilOp::DecrementWrap => old.wrapping_sub(1),
    }
}

/// The depth of a program, held to the viewport's depths as WebGPU has it: one unit of rounding on
/// both sides.
fn own_depth(draw: &Draw, z: f32) -> [u32; 2] {
    let [a, b] = draw.state.range.map(f64::from);
    let z = f64::from(z).clamp(a.min(b), a.max(b)) * DEPTH;
    [(z - 1.0).ceil().max(0.0) as u32, (z + 1.0).floor().min(DEPTH) as u32]
}

impl Replayed {
    fn new(scene: &Scene) -> Self {
        let clear = scene.clear.map(|c| Range::of(f64::from(c)));
        let of = |format: &Format| {
            let code = |k: usize| {
                let light = clear[k].lo;
                // Rounded to a code once.
                if *format == Format::Srgb8 && k < 3 {
                    let code = (crate::blend::to_code(light) * 255.0).round() / 255.0;
                    Range { lo: code - 1.0 / 255.0, hi: code + 1.0 / 255.0 }
                } else if matches!(format, Format::Unorm8 | Format::Srgb8) {
                    Range::of((light * 255.0).round() / 255.0)
                } else {
                    clear[k]
                }
            };
            let own: Colour = std::array::from_fn(code);
            match format {
                Format::Float16 => own.map(|r| {
                    let far = crate::number::ulp16(r.lo);
                    Range { lo: r.lo - far, hi: r.hi + far }
                }),
                _ => own,
            }
        };
        Self {
            colours: scene.formats.iter().map(of).collect(),
            depth: [scene.clear_depth * DEPTH as u32; 2],
            stencil: scene.clear_stencil,
            is_open: false,
        }
    }

    fn fragment(&mut self, scene: &Scene, draw: &Draw, stage: &Stage, sample: usize) {
        let state = &draw.state;
        let number = scene.sample(sample).2;
        let front = stage.front(sample);
        if !stage.covers(sample) || state.mask >> number & 1 == 0 || state.cull == Some(front) {
            return;
        }
        if draw.kind == Kind::Discard && stage.word(sample, word::PAIR + 1) < 0.5 {
            return;
        }
        if draw.kind == Kind::Mask && stage.word(sample, word::NUMBER) as u32 >> number & 1 == 0 {
            return;
        }
        let depth = match draw.kind {
            Kind::Depth => own_depth(draw, stage.word(sample, word::PAIR + 1)),
            _ => [stage.depth.get(sample).copied().unwrap_or(0); 2],
        };
        let side = state.stencil.map(|s| if front { s.front } else { s.back });
        let masks = state.stencil.unwrap_or(crate::scene::Stencil {
            front: NOTHING,
            back: NOTHING,
            read: 0,
            write: 0,
            reference: 0,
        });
        let side = side.unwrap_or(NOTHING);
        let read = |v: u8| u32::from(v & masks.read);
        let stencil_ok = passes(side.compare, read(masks.reference), read(self.stencil));
        let Some(depth_ok) = state.depth.map_or(Some(true), |c| passes_all(c, depth, self.depth)) else {
            self.is_open = true;
            return;
        };
        let op = match (stencil_ok, depth_ok) {
            (false, _) => side.fail,
            (true, false) => side.depth_fail,
            (true, true) => side.pass,
        };
        let new = operate(op, self.stencil, masks.reference);
        self.stencil = self.stencil & !masks.write | new & masks.write;
        if !(stencil_ok && depth_ok) {
            return;
        }
        if state.depth.is_some() && state.depth_write {
            self.depth = depth;
        }
        if draw.kind == Kind::Plain && scene.formats.is_empty() {
            return;
        }
        let colour = [0, 1, 2, 3].map(|k| stage.word(sample, word::COLOUR + k));
        let pair = stage.word(sample, word::PAIR);
        for (t, (format, write)) in scene.formats.iter().zip(&state.writes).enumerate() {
            let new = if *format == Format::Float32 { [pair, 0.0, 0.0, 1.0] } else { colour };
            // The same value was rounded twice, perhaps with the vertices in another order.
            let vertices = draw.vertices.iter().map(|v| v.pair[0]).chain([pair]);
            let largest = vertices.fold(0.0, |most: f64, x| most.max(f64::from(x.abs())));
            self.colours[t] = written(*format, write, state.constant, new, self.colours[t], 8.0 * ulp32(largest));
        }
    }

    /// What of a picture's sample is another than this; `None`: nothing.
    pub fn differs(&self, scene: &Scene, picture: &Picture, sample: usize) -> Option<String> {
        if self.is_open {
            return None;
        }
        for (t, format) in scene.formats.iter().enumerate() {
            let got = picture.targets[t][sample];
            let components = if *format == Format::Float32 { 1 } else { 4 };
            for (k, range) in self.colours[t].iter().enumerate().take(components) {
                let x = match format {
                    Format::Unorm8 | Format::Srgb8 => f64::from(got[k]) / 255.0,
                    _ => f64::from(f32::from_bits(got[k])),
                };
                if !range.holds(x) {
                    let Range { lo, hi } = range;
                    return Some(format!("target {t}, component {k}: {x}, legal {lo} to {hi}"));
                }
            }
        }
        let (depth, stencil) = (picture.depth[sample], picture.stencil[sample]);
        if !(self.depth[0]..=self.depth[1]).contains(&depth) {
            return Some(format!("depth: {depth}, legal {} to {}", self.depth[0], self.depth[1]));
        }
        (stencil != self.stencil).then(|| format!("stencil: {stencil}, legal {}", self.stencil))
    }
}

const NOTHING: crate::scene::StencilFace = crate::scene::StencilFace {
    compare: Compare::Always,
    fail: StencilOp::Keep,
    depth_fail: StencilOp::Keep,
    pass: StencilOp::Keep,
};

/// What a sample holds after all draws of a scene, from the triangles of each.
pub fn replay(scene: &Scene, stages: &[Vec<Stage>], sample: usize) -> Replayed {
    let mut out = Replayed::new(scene);
    for (draw, all) in scene.draws.iter().zip(stages) {
        for stage in all {
            out.fragment(scene, draw, stage, sample);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::tests::plain;
    use crate::scene::{Stencil, StencilFace};

    /// One sample that a triangle covers, with that depth and second word of the pair.
    fn stage(depth: u32, second: f32) -> Stage {
        let bits = |w: [f32; 4]| vec![w.map(f32::to_bits); 64];
        Stage {
            words: [bits([2.0, 0.5, 0.5, 0.0]), bits([0.5, 0.25, 0.0, 1.0]), bits([0.75, second, 1.0, 1.0])],
            depth: vec![depth; 64],
        }
    }

    fn one(scene: &Scene, stages: Vec<Stage>) -> Replayed {
        replay(scene, &[stages], 0)
    }

    #[test]
    fn tests_go_by_the_renderers_own_depth() {
        let mut scene = plain(&[[0.0; 4]; 6]);
        scene.draws[0].state.depth = Some(Compare::Less);
        scene.draws[0].state.depth_write = true;
        let out = one(&scene, vec![stage(70, 1.0), stage(80, 1.0), stage(70, 1.0)]);
        assert_eq!((out.depth, out.is_open), ([70, 70], false));
        assert!(out.colours[0][0].holds(0.5) && !out.colours[0][0].holds(0.0));
        scene.draws[0].state.cull = Some(true);
        assert_eq!(one(&scene, vec![stage(70, 1.0)]).depth, [0xFF_FFFF; 2]);
    }

    #[test]
    fn programs_discard_and_give_depth() {
        let mut scene = plain(&[[0.0; 4]; 3]);
        scene.draws[0].state.depth = Some(Compare::Less);
        scene.draws[0].state.depth_write = true;
        scene.draws[0].kind = Kind::Discard;
        assert_eq!(one(&scene, vec![stage(70, 0.25)]).depth, [0xFF_FFFF; 2]);
        scene.draws[0].kind = Kind::Depth;
        let out = one(&scene, vec![stage(70, 0.5)]);
        assert_eq!(out.depth, [8_388_607, 8_388_608]);
        // Nearly the same depth again: nothing is certain.
        assert!(one(&scene, vec![stage(70, 0.5), stage(70, 0.5)]).is_open);
        scene.draws[0].state.range = [0.75, 0.25];
        assert_eq!(one(&scene, vec![stage(70, 0.9)]).depth[1], (0.75 * DEPTH + 1.0) as u32);
    }

    #[test]
    fn sides_have_their_stencils() {
        let mut scene = plain(&[[0.0; 4]; 3]);
        let face = |pass| StencilFace { pass, ..NOTHING };
        let (front, back) = (face(StencilOp::IncrementWrap), face(StencilOp::Invert));
        scene.draws[0].state.stencil = Some(Stencil { front, back, read: 255, write: 15, reference: 1 });
        scene.clear_stencil = 15;
        let mut other = stage(1, 1.0);
        other.words[0].iter_mut().for_each(|w| w[0] = 1f32.to_bits());
        assert_eq!(one(&scene, vec![stage(1, 1.0)]).stencil, 0);
        assert_eq!(one(&scene, vec![other]).stencil, 0);
        assert_eq!(one(&scene, vec![stage(1, 1.0), stage(1, 1.0)]).stencil, 1);
    }
}
