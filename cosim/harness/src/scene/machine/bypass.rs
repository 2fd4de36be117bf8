//! Which draws the cull pipeline does not look at (HZ-33), and why. The driver decides that once,
//! from the state record that it has written; a bit of the draw command says it to the machine.
//!
//! Some reasons are of right: the pipeline cannot know the vertices, or what it knows of depth
//! would be wrong behind the draw. Others are of worth only, and `bypass = false` in the scene file
//! overrules those. Wrong would be a reason of right that is missing: pictures differ then, and the
//! checkers of frames say by which triangle.

use quadlock_hdl::config::GpuConfig;
use quadlock_isa::abi::CONST_BUFFERS;
use quadlock_isa::records::state;
use quadlock_isa::{decode, BMode, Instr};
use quadlock_shader::interface::{Binding, BindingKind};

use super::pipeline::Drawn;
use crate::lockstep::submitted::{may_cull, updates};
use crate::scene::accounts::ahead::Bypassed;
use crate::scene::file::spec::{Compare, StateSpec};

/// Draws of fewer triangles that update no bounds are not worth a second look.
pub const FEW_TRIANGLES: u64 = 4;

/// Decides of one draw after the other.
#[derive(Clone, Debug, Default)]
pub(super) struct Driver {
    /// There is a cull pipeline; it knows depth, too.
    culls: bool,
    depth: bool,
    /// Depths that are written grow, as most of the pass's triangles that write some want.
    grows: Option<bool>,
    pub bypassed: Vec<Bypassed>,
}

/// A function of the depth test, as the state record numbers it.
fn direction(function: u32) -> Option<bool> {
    match function {
        1 | 3 => Some(false),
        4 | 6 => Some(true),
        _ => None,
    }
}

impl Driver {
    pub fn new(config: &GpuConfig) -> Self {
        Self { culls: config.culls(), depth: config.culls_depth(), ..Self::default() }
    }

    /// Another pass begins: its depth is its own. Of each draw its state, and how many vertices it
    /// names. As many one way as the other: the first draw decides.
    pub fn pass<'a>(&mut self, draws: impl Iterator<Item = (&'a StateSpec, u64)>) {
        let mut vertices = [0; 2];
        for (state, count) in draws.filter(|(state, _)| state.depth_write != Some(false)) {
            let way = match state.depth {
                Some(Compare::Less | Compare::LessEqual) => 0,
                Some(Compare::Greater | Compare::GreaterEqual) => 1,
                _ => continue,
            };
            vertices[way] += count;
        }
        self.grows = (vertices[0] != vertices[1]).then(|| vertices[1] > vertices[0]);
    }

    /// Whether the draw's command says so. `asked` is what the scene file says.
    pub fn draw(
        &mut self,
        draw: usize,
        asked: Option<bool>,
        drawn: &Drawn,
        state: &state::Words,
        triangles: u64,
    ) -> bool {
        if !self.culls {
            return false;
        }
        let against = self.against(state);
        let right = written(drawn).or_else(|| no_part(drawn)).or(against);
        // What updates bounds hides what comes behind it, however few triangles it has.
        let teaches = self.depth && updates(state[state::MODES]);
        let worth = || few(triangles).filter(|_| !teaches).or_else(|| all_visible(state));
        let reason = match asked {
            Some(true) => Some(right.unwrap_or_else(|| "the scene file asks for it".into())),
            Some(false) => right,
            None => right.or_else(worth),
        };
        let Some(reason) = reason else { return false };
        self.bypassed.push(Bypassed { draw, reason });
        true
    }

    /// The draw may move depth against what the pipeline holds to be its bound (HZ-25).
    fn against(&mut self, state: &state::Words) -> Option<String> {
        let function = state.get(state::DEPTH_FUNCTION);
        if !self.depth || !state.has(state::DEPTH_TEST) || !state.has(state::DEPTH_WRITE) {
            return None;
        }
        if matches!(function, 5 | 7) {
            return Some("it writes depth whatever is there".into());
        }
        if state.has(state::WRITES_DEPTH) {
            return Some("its program writes depth".into());
        }
        let own = direction(function)?;
        let first = *self.grows.get_or_insert(own);
        (first != own).then(|| "it moves depth against the direction of its pass".into())
    }
}

/// The position part reads what the draw's fragments write, in this frame or the one before.
fn written(drawn: &Drawn) -> Option<String> {
    let fragment = drawn.pipeline.fragment.as_ref().filter(|_| drawn.pipeline.stores)?;
    let vertex = &drawn.pipeline.vertex.binary;
    let part = vertex.code.get(vertex.interface.position as usize..).unwrap_or_default();
    // Who reads a buffer has its address from the table.
    let reads = |b: &&Binding| {
        let entry = (CONST_BUFFERS + 2 * b.index as usize) as u32;
        let named = |i: Instr| i.b_mode == BMode::Const && i.imm & 0x3FF == entry;
        part.iter().any(|&word| decode(word).is_ok_and(named))
    };
    let writes = |b: &&Binding| {
        let all = fragment.binary.interface.bindings.iter();
        all.filter(|w| w.kind == BindingKind::StorageReadWrite).any(|w| (w.group, w.binding) == (b.group, b.binding))
    };
    let read = vertex.interface.bindings.iter().find(|b| reads(b) && writes(b))?;
    Some(format!("its vertices read `{}`, which its fragments may write", read.name))
}

/// The compiler has made no position part.
fn no_part(drawn: &Drawn) -> Option<String> {
    match &drawn.pipeline.vertex.report.position {
        Some(part) => part.none.as_ref().map(|why| format!("its vertex program has no position part: {why}")),
        None => Some("its vertex program has no position part".into()),
    }
}

fn few(triangles: u64) -> Option<String> {
    (triangles < FEW_TRIANGLES).then(|| format!("it has {triangles} triangles, fewer than {FEW_TRIANGLES}"))
}

/// Neither depth nor side hides anything of it.
fn all_visible(state: &state::Words) -> Option<String> {
    let function = state.get(state::DEPTH_FUNCTION);
    let hides = may_cull(state[state::MODES], state.array(state::STENCIL_FRONT)) && !matches!(function, 5 | 7);
    let sides = state.has(state::CULL_CLOCKWISE) || state.has(state::CULL_COUNTER_CLOCKWISE);
    (!hides && !sides).then(|| "neither depth nor side can hide anything of it".into())
}

#[cfg(test)]
mod tests;
