//! The state record of a draw, as docs/graphics.md states it.

use super::pipeline::Drawn;
use crate::base::error::Input;
use crate::scene::file::spec::{Compare, Cull, DrawSpec, Equation, FormatName, Front, StencilFace, Topology};
use crate::scene::Scene;
use quadlock_golden::float::{pack2x16float, unorm16_encode, unorm8_encode};
use quadlock_isa::Event;
use quadlock_shader::back::forms;
use quadlock_shader::interface::Beside;

/// Words of the record.
pub const STATE_WORDS: usize = 44;

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

fn equation(e: Equation) -> u32 {
    e.src as u32 | (e.dst as u32) << 4 | (e.operation as u32) << 8
}

/// The pixels of one axis whose centres are in a viewport, of a target of that size: the first, and
/// the first beyond. Exact where the viewport's edges are whole.
fn inside(at: f64, size: f64, target: u32) -> [u32; 2] {
    // A float above the range becomes the target's size, one below 0.
    [at, at + size].map(|edge| ((edge - 0.5).ceil() as u32).min(target))
}

fn stencil(f: StencilFace) -> u32 {
    f.compare as u32 | (f.fail as u32) << 4 | (f.depth_fail as u32) << 8 | (f.pass as u32) << 12
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
    ) -> Input<[u32; STATE_WORDS]> {
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
        let mut w = [0u32; STATE_WORDS];
        let vertex = placed[0];
        // Without a fragment program its length is 0; a window is read all the same.
        let fragment = placed.get(1).copied().unwrap_or(Placed { length: 0, ..vertex });
        (w[0], w[1], w[4]) = (vertex.first, vertex.length | vertex.position << 16, vertex.constants);
        (w[2], w[3], w[5]) = (fragment.first, fragment.length, fragment.constants);
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
            (0, s.topology == Topology::Strip),
            (2, culled[0]),
            (3, culled[1]),
            (4, front_clockwise),
            (8, s.depth.is_some()),
            (9, s.depth_write.unwrap_or(s.depth.is_some())),
            (10, s.stencil.is_some()),
            (11, p.early_tests),
            (12, p.per_sample),
            (13, p.per_sample && p.fragment.as_ref().is_some_and(|f| f.binary.splits())),
            (14, p.per_sample && p.fragment.as_ref().is_some_and(|f| f.binary.apart())),
            (15, p.fragment.as_ref().is_some_and(|f| f.binary.looks_at_coverage())),
            (16, p.may_discard),
            // With early tests a depth that the program writes counts for nothing.
            (17, p.writes_depth && !p.early_tests),
            (18, p.writes_mask),
            (19, p.stores),
        ];
        w[6] = bits.iter().filter(|b| b.1).fold(0, |word, b| word | 1 << b.0);
        w[6] |= (s.depth.unwrap_or(Compare::Always) as u32) << 5;
        let cutoff = |of: &quadlock_shader::Compiled| of.binary.interface.public_cutoff;
        // 63: neither merge nor split point.
        let has_point = |f: &&quadlock_shader::Compiled| f.binary.merges() || f.binary.splits();
        let fragment = p.fragment.as_ref().filter(has_point).map_or(63, cutoff);
        w[7] = p.varying_words | cutoff(&p.vertex) << 8 | fragment << 16;
        // Where the first merge point is; tools read it, the machine tells it at each launch.
        // Machines whose points stand beside the program are told of both so.
        if let Some(f) = p.fragment.as_ref().map(|f| &f.binary) {
            let begins = w[2];
            let told = |at: Option<Beside>| at.map_or(0, |at| at.told(begins) & 0xFFFF);
            let first = forms::points(&f.code, Event::Merge, f.interface.merge_at).first().map_or(0, |pc| begins + pc);
            let merges = if f.interface.merge_at.is_some() { told(f.interface.merge_at) } else { first };
            // Not 0 says, beside a split point, that warps merge before it (MS-42).
            let merges = if f.merges() && f.splits() { merges.max(1) } else { merges };
            w[37] = merges | told(f.interface.split_at) << 16;
        }
        w[38] = p.fragment.as_ref().map_or(0, |f| f.binary.interface.public_bitmap);
        let alone = p.fragment.as_ref().map_or(0, |f| f.binary.interface.alone);
        if alone > 0 {
            w[7] |= 1 << 22;
            w[39] = w[2] + alone;
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
            (w[16], w[17]) = (x | y << 16, right | bottom << 16);
        }
        let most = f64::from(0xFF_FFFF);
        w[18..21].copy_from_slice(&[s.bias[0], s.bias[1], s.bias[2] * most].map(|n| (n as f32).to_bits()));
        w[40..42].copy_from_slice(&depth_range(p.y_up, s.depth_range));
        if let Some(st) = &s.stencil {
            (w[21], w[22]) = (stencil(st.front), stencil(st.back.unwrap_or(st.front)));
            w[23] = u32::from(st.read) | u32::from(st.write) << 8 | u32::from(st.reference) << 16;
        }
        let sixteen = formats.contains(&FormatName::Rgba8unormSrgb);
        let form = if sixteen { FormatName::Rgba8unormSrgb } else { FormatName::Rgba8unorm };
        w[24..26].copy_from_slice(&colour(s.blend_constant, form, false));
        w[26..28].copy_from_slice(&colour(s.blend_constant, FormatName::Rgba16float, false));
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
            let equations = spec.map(|b| b.0).filter(|b| !b.off).map(|b| (b.color, b.alpha));
            if equations.is_some() && format == FormatName::R32float {
                return fail("blend", "blending of r32float".into(), "WebGPU has none; use rgba16float");
            }
            w[28 + t] = mask | equations.map_or(0, |(c, a)| 1 << 4 | equation(c) << 5 | equation(a) << 16);
        }
        w[32] = s.sample_mask & 15;
        (w[33], w[34]) = (p.flat as u32, (p.flat >> 32) as u32);
        (w[35], w[36]) = (p.linear as u32, (p.linear >> 32) as u32);
        Ok(w)
    }

    /// The viewport's words of a state record, and the pixels of both axes that it leaves:
    /// triangles end at its edges, which the clipper does not cut. `y_up`: y of clip space points
    /// up.
    fn viewport(&self, draw: &toml::Spanned<DrawSpec>, y_up: bool, w: &mut [u32; STATE_WORDS]) -> Input<[[u32; 2]; 2]> {
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
        w[8..16].copy_from_slice(&numbers.map(|n| (n as f32).to_bits()));
        let top = y + height.min(0.0);
        Ok([inside(x, width, target.width), inside(top, height.abs(), target.height)])
    }
}
