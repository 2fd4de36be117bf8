//! The state record of a draw, as docs/graphics.md states it.

use super::pipeline::Drawn;
use crate::base::error::Input;
use crate::scene::file::spec::{Compare, Cull, DrawSpec, Equation, FormatName, Front, StencilFace, Topology};
use crate::scene::Scene;
use quadlock_golden::float::{pack2x16float, unorm16_encode, unorm8_encode};
use quadlock_isa::records::state;
use quadlock_isa::Event;
use quadlock_shader::back::forms;
use quadlock_shader::interface::Beside;

/// Where programs and their constants are: first instruction, instructions, byte address; numbers
/// are those of the list's code.
#[derive(Clone, Copy, Debug)]
pub struct Placed {
    pub first: u32,
    pub length: u32,
    pub constants: u32,
    /// First instruction of the position part in it; 0: it has none.
    pub position: u32,
}

/// Pixels that the guard band keeps on both sides, less one for rounding.
const GUARD: f64 = 8190.0;

/// Pixels from the target's corner that an edge of a viewport may be: within the guard band, which
/// would cut what is beyond.
const MOST_EDGE: f64 = 8000.0;

/// Colour and alpha as a target blends them.
fn equations(colour: Equation, alpha: Equation) -> u32 {
    [
        state::BLENDS.put(1),
        state::COLOUR_SOURCE.put(colour.src as u32),
        state::COLOUR_DESTINATION.put(colour.dst as u32),
        state::COLOUR_OPERATION.put(colour.operation as u32),
        state::ALPHA_SOURCE.put(alpha.src as u32),
        state::ALPHA_DESTINATION.put(alpha.dst as u32),
        state::ALPHA_OPERATION.put(alpha.operation as u32),
    ]
    .iter()
    .fold(0, |word, field| word | field)
}

/// The pixels of one axis whose centres are in a viewport, of a target of that size: the first, and
/// the first beyond. Exact where the viewport's edges are whole.
fn inside(at: f64, size: f64, target: u32) -> [u32; 2] {
    // A float above the range becomes the target's size, one below 0.
    [at, at + size].map(|edge| ((edge - 0.5).ceil() as u32).min(target))
}

fn stencil(f: StencilFace) -> u32 {
    state::STENCIL_FUNCTION.put(f.compare as u32)
        | state::STENCIL_FAIL.put(f.fail as u32)
        | state::STENCIL_DEPTH_FAIL.put(f.depth_fail as u32)
        | state::STENCIL_PASS.put(f.pass as u32)
}

/// Least and greatest depth that a triangle has, of 24 bits: those of the viewport by WebGPU's
/// rule, else all.
pub(super) fn depth_range(web_gpu: bool, range: [f64; 2]) -> [u32; 2] {
    let [near, far] = if web_gpu { range } else { [0.0, 1.0] };
    let unit = |depth: f64| (f64::from(0xFF_FFFF) * f64::from(depth as f32) + 0.5).floor() as u32;
    [unit(near.min(far)), unit(near.max(far))]
}

/// A colour in the form that a target blends, two words.
pub fn colour(c: [f64; 4], format: FormatName, in_tile: bool) -> [u32; 2] {
    let f = c.map(|x| (x as f32).to_bits());
    let pair = |low: u32, high: u32| low | high << 16;
    match format {
        FormatName::Rgba8unorm => [f.iter().enumerate().fold(0, |word, (k, &x)| word | unorm8_encode(x) << (8 * k)), 0],
        FormatName::Rgba8unormSrgb if in_tile => {
            use quadlock_golden::graphics::srgb;
            let light = f.map(unorm16_encode);
            let codes =
                [srgb::encode(light[0]), srgb::encode(light[1]), srgb::encode(light[2]), srgb::narrow(light[3])];
            [codes.iter().enumerate().fold(0, |word, (k, &c)| word | c << (8 * k)), 0]
        }
        FormatName::Rgba8unormSrgb => {
            let light = f.map(unorm16_encode);
            [pair(light[0], light[1]), pair(light[2], light[3])]
        }
        FormatName::Rgba16float => [pack2x16float(f[0], f[1]), pack2x16float(f[2], f[3])],
        FormatName::R32float => [f[0], 0],
    }
}

impl Scene {
    /// The state record.
    ///
    /// # Errors
    /// State that cannot be, with the draw's place.
    pub(super) fn state(
        &self,
        formats: &[FormatName],
        draw: &toml::Spanned<DrawSpec>,
        drawn: &Drawn,
        placed: &[Placed],
    ) -> Input<state::Words> {
        let (target, d) = (&self.spec.target, draw.get_ref());
        let (s, p) = (&d.state, &drawn.pipeline);
        // At the key, where the draw has it.
        let fail =
            |key: &str, message: String, help: &str| Err(self.error(self.key_of(draw.span(), key), message, help));
        for (key, numbers) in [("blend-constant", &s.blend_constant[..]), ("bias", &s.bias[..])] {
            if !numbers.iter().all(|&n| (n as f32).is_finite()) {
                return fail(key, format!("`{key}` has a number that is no finite f32"), "write finite numbers");
            }
        }
        if s.sample_mask > 15 && s.sample_mask != u32::MAX {
            let message = format!("sample mask {}: bits beyond the four samples", s.sample_mask);
            return fail("sample-mask", message, "bit k is sample k: 0 to 15");
        }
        let mut w = state::Words::default();
        let vertex = placed[0];
        // Without a fragment program its length is 0; a window is read all the same.
        let fragment = placed.get(1).copied().unwrap_or(Placed { length: 0, ..vertex });
        w[state::VERTEX_FIRST] = vertex.first;
        w.set(state::VERTEX_LENGTH, vertex.length);
        w.set(state::VERTEX_POSITION, vertex.position);
        w[state::VERTEX_CONSTANTS] = vertex.constants;
        w[state::FRAGMENT_FIRST] = fragment.first;
        w[state::FRAGMENT_LENGTH] = fragment.length;
        w[state::FRAGMENT_CONSTANTS] = fragment.constants;
        if p.fragment.is_none() && (s.alpha_to_coverage || !s.blend.is_empty() || !s.write.is_empty()) {
            let message = "a draw without `fragment` writes no colours";
            return fail(
                "alpha-to-coverage",
                message.into(),
                "remove `blend`, `write` and `alpha-to-coverage`, or name a program",
            );
        }
        // Which sides as seen: the front's direction, and what is culled.
        let front_clockwise = s.front == Front::Cw;
        let culled = match s.cull {
            Cull::None => [false; 2],
            Cull::Front => [front_clockwise, !front_clockwise],
            Cull::Back => [!front_clockwise, front_clockwise],
        };
        let bits = [
            (state::TOPOLOGY, s.topology == Topology::Strip),
            (state::CULL_CLOCKWISE, culled[0]),
            (state::CULL_COUNTER_CLOCKWISE, culled[1]),
            (state::FRONT_CLOCKWISE, front_clockwise),
            (state::DEPTH_TEST, s.depth.is_some()),
            (state::DEPTH_WRITE, s.depth_write.unwrap_or(s.depth.is_some())),
            (state::STENCIL_TEST, s.stencil.is_some()),
            (state::EARLY_TESTS, p.early_tests),
            (state::PER_SAMPLE, p.per_sample),
            (state::SPLITS, p.per_sample && p.fragment.as_ref().is_some_and(|f| f.binary.splits())),
            (state::APART, p.per_sample && p.fragment.as_ref().is_some_and(|f| f.binary.apart())),
            (state::LOOKS_AT_COVERAGE, p.fragment.as_ref().is_some_and(|f| f.binary.looks_at_coverage())),
            (state::DISCARDS, p.may_discard),
            // With early tests a depth that the program writes counts for nothing.
            (state::WRITES_DEPTH, p.writes_depth && !p.early_tests),
            (state::WRITES_MASK, p.writes_mask),
            (state::STORES, p.stores),
        ];
        bits.into_iter().for_each(|(field, is)| w.set(field, u32::from(is)));
        w.set(state::DEPTH_FUNCTION, s.depth.unwrap_or(Compare::Always) as u32);
        let cutoff = |of: &quadlock_shader::Compiled| of.binary.interface.public_cutoff;
        // 63: neither merge nor split point.
        let has_point = |f: &&quadlock_shader::Compiled| f.binary.merges() || f.binary.splits();
        let fragment = p.fragment.as_ref().filter(has_point).map_or(63, cutoff);
        w.set(state::VARYING_WORDS, p.varying_words);
        w.set(state::VERTEX_CUTOFF, cutoff(&p.vertex));
        w.set(state::FRAGMENT_CUTOFF, fragment);
        // Where the first merge point is; tools read it, the machine tells it at each launch.
        // Machines whose points stand beside the program are told of both so.
        if let Some(f) = p.fragment.as_ref().map(|f| &f.binary) {
            let begins = w[state::FRAGMENT_FIRST];
            let told = |at: Option<Beside>| at.map_or(0, |at| at.told(begins) & 0xFFFF);
            let first = forms::points(&f.code, Event::Merge, f.interface.merge_at).first().map_or(0, |pc| begins + pc);
            let merges = if f.interface.merge_at.is_some() { told(f.interface.merge_at) } else { first };
            // Not 0 says, beside a split point, that warps merge before it (MS-42).
            let merges = if f.merges() && f.splits() { merges.max(1) } else { merges };
            w.set(state::MERGE_AT, merges);
            w.set(state::SPLIT_AT, told(f.interface.split_at));
        }
        w[state::PUBLIC_BITMAP] = p.fragment.as_ref().map_or(0, |f| f.binary.interface.public_bitmap);
        let alone = p.fragment.as_ref().map_or(0, |f| f.binary.interface.alone);
        if alone > 0 {
            w.set(state::HAS_UNPAIRED, 1);
            w[state::UNPAIRED_FIRST] = w[state::FRAGMENT_FIRST] + alone;
        }
        let [columns, lines] = self.viewport(draw, p.y_up, &mut w)?;
        let [x, y, width, height] = s.scissor.unwrap_or([0, 0, target.width, target.height]);
        let (right, bottom) = (x.saturating_add(width), y.saturating_add(height));
        if right > target.width || bottom > target.height {
            return fail("scissor", "a scissor beyond the target".into(), "x, y, width, height in pixels");
        }
        let (x, right) = (x.max(columns[0]), right.min(columns[1]));
        let (y, bottom) = (y.max(lines[0]), bottom.min(lines[1]));
        if x < right && y < bottom {
            w.set(state::SCISSOR_LEFT, x);
            w.set(state::SCISSOR_TOP, y);
            w.set(state::SCISSOR_RIGHT, right);
            w.set(state::SCISSOR_BOTTOM, bottom);
        }
        let most = f64::from(0xFF_FFFF);
        w.replace(state::BIAS_CONSTANT, &[s.bias[0], s.bias[1], s.bias[2] * most].map(|n| (n as f32).to_bits()));
        w.replace(state::DEPTH_LEAST, &depth_range(p.y_up, s.depth_range));
        if let Some(st) = &s.stencil {
            w[state::STENCIL_FRONT] = stencil(st.front);
            w[state::STENCIL_BACK] = stencil(st.back.unwrap_or(st.front));
            w.set(state::STENCIL_READ, st.read.into());
            w.set(state::STENCIL_WRITE, st.write.into());
            w.set(state::STENCIL_REFERENCE, st.reference.into());
        }
        let sixteen = formats.contains(&FormatName::Rgba8unormSrgb);
        let form = if sixteen { FormatName::Rgba8unormSrgb } else { FormatName::Rgba8unorm };
        w.replace(state::BLEND_CONSTANT, &colour(s.blend_constant, form, false));
        w.replace(state::BLEND_CONSTANT_FLOAT, &colour(s.blend_constant, FormatName::Rgba16float, false));
        if sixteen && formats.contains(&FormatName::Rgba8unorm) && s.blend_constant != [0.0; 4] {
            let message = "a blend constant for targets of rgba8unorm and of rgba8unorm-srgb";
            return fail("blend-constant", message.into(), "use one format");
        }
        for (key, entries) in [("blend", s.blend.len()), ("write", s.write.len())] {
            let targets = formats.len();
            if entries > targets.max(1) {
                let message = format!("`{key}` has {entries} entries, and there are {targets} colour targets");
                return fail(key, message, "one entry is for all targets; else each has its own");
            }
        }
        for (t, &format) in formats.iter().enumerate() {
            let letters = s.write.get(t).or(s.write.first()).map_or("rgba", String::as_str);
            let mut mask = 0;
            for letter in letters.chars() {
                match "rgba".find(letter) {
                    Some(k) if mask >> k & 1 == 0 => mask |= 1 << k,
                    _ => return fail("write", format!("write mask `{letters}`"), "each of r, g, b, a once at most"),
                }
            }
            if p.fragment.is_none() {
                mask = 0;
            }
            let spec = s.blend.get(t).or(s.blend.first()).copied();
            let blended = spec.map(|b| b.0).filter(|b| !b.off).map(|b| (b.color, b.alpha));
            if blended.is_some() && format == FormatName::R32float {
                return fail("blend", "blending of r32float".into(), "WebGPU has none; use rgba16float");
            }
            let blended = blended.map_or(0, |(colour, alpha)| equations(colour, alpha));
            w[state::TARGET_BLEND + t as u64] = state::TARGET_MASK.put(mask) | blended;
        }
        w[state::SAMPLE_MASK] = s.sample_mask & 15;
        w.replace(state::FLAT_LOW, &[p.flat as u32, (p.flat >> 32) as u32]);
        w.replace(state::LINEAR_LOW, &[p.linear as u32, (p.linear >> 32) as u32]);
        Ok(w)
    }

    /// The viewport's words of a state record, and the pixels of both axes that it leaves:
    /// triangles end at its edges, which the clipper does not cut. `y_up`: y of clip space points
    /// up.
    fn viewport(&self, draw: &toml::Spanned<DrawSpec>, y_up: bool, w: &mut state::Words) -> Input<[[u32; 2]; 2]> {
        let (target, s) = (&self.spec.target, &draw.get_ref().state);
        let fail = |key: &str, message: &str, help: &str| Err(self.error(self.key_of(draw.span(), key), message, help));
        let all = s.viewport.unwrap_or([0.0, 0.0, f64::from(target.width), f64::from(target.height)]);
        let [x, y, width, height] = all;
        let near_enough = [x, y, x + width, y + height].iter().all(|n| n.abs() <= MOST_EDGE);
        let has_area = width as f32 > 0.0 && height as f32 != 0.0;
        if !all.iter().all(|n| n.is_finite()) || !near_enough || !has_area {
            let help =
                format!("x, y, width, height: every edge is at most {MOST_EDGE} pixels from the target's corner");
            return fail("viewport", "a viewport without area, or too large", &help);
        }
        if height < 0.0 && y_up {
            let help = format!(
                "write viewport = [{x:?}, {:?}, {width:?}, {:?}] and negate y of the position, or write the vertex program in GLSL or SPIR-V",
                y + height,
                -height
            );
            return fail("viewport", "a viewport of negative height, which WGSL and WebGPU do not have", &help);
        }
        if !s.depth_range.iter().all(|n| (0.0..=1.0).contains(n)) {
            return fail("depth-range", "a depth range beyond 0 to 1", "both ends are 0 to 1");
        }
        let (cx, cy) = (x + width / 2.0, y + height / 2.0);
        let guard = |centre: f64, half: f64| (GUARD - centre).min(GUARD + centre) / half;
        // A negative height turns y around, as in Vulkan: hy alone has its sign.
        let (hx, hy) = (width / 2.0, height.abs() / 2.0);
        let turned = y_up || height < 0.0;
        let [near, far] = s.depth_range;
        let numbers = [cx, cy, hx, if turned { -hy } else { hy }, near, far - near, guard(cx, hx), guard(cy, hy)];
        w.replace(state::VIEWPORT_X, &numbers.map(|n| (n as f32).to_bits()));
        let top = y + height.min(0.0);
        Ok([inside(x, width, target.width), inside(top, height.abs(), target.height)])
    }
}
