//! What happens in the graphics pipeline in a cycle, as waves show it: what became of a triangle,
//! which quad or which vertices are shaded, which sample is written, which tile goes to memory, how
//! many warps merge and split, what is culled, why a window ends, and steps of work that has no
//! other event.
//! From the event ports alone, as all of [`super::events`]; with the pipeline left out of the
//! machine these variables are not there.
//!
//! Numbers have their highest bit set where there is one. A number too great for a table of names
//! is shown by the view as its lower bits, in decimal.

use super::labels::Names;
use crate::machine::ports::{GraphicsOutputs, WorkEvent};

/// Variables and the kinds of their values. Those of an event end with its count, which is filled
/// in there.
pub const VARIABLES: [(&str, Names); 41] = [
    ("triangle", Names::Fate),
    ("triangle_number", Names::Number),
    ("triangle_context", Names::Context),
    ("triangle_handle", Names::Handle),
    ("triangle_count", Names::Count),
    ("state_of_context", Names::Context),
    ("state_count", Names::Count),
    ("shaded", Names::Stage),
    ("shaded_context", Names::Context),
    ("shaded_lanes", Names::Lanes),
    ("shaded_x", Names::Pixel),
    ("shaded_y", Names::Pixel),
    ("shaded_triangle", Names::Number),
    ("shaded_vertex", Names::Number),
    ("shaded_count", Names::Count),
    ("written_lanes", Names::Lanes),
    ("written_x", Names::Pixel),
    ("written_y", Names::Pixel),
    ("written_sample", Names::Sample),
    ("written_target", Names::Sample),
    ("written_triangle", Names::Number),
    ("written_depth", Names::Depth),
    ("quad_done", Names::Flag),
    ("written_count", Names::Count),
    ("tile", Names::Tile),
    ("tile_count", Names::Count),
    ("merges", Names::Amount),
    ("merge_count", Names::Count),
    ("splits", Names::Amount),
    ("split_count", Names::Count),
    ("culls", Names::Amount),
    ("cull_count", Names::Count),
    ("ahead", Names::Amount),
    ("ahead_count", Names::Count),
    ("window_end", Names::WindowEnd),
    ("window_triangles", Names::Number),
    ("window_pairs", Names::Pairs),
    ("window_last", Names::Number),
    ("window_count", Names::Count),
    ("work", Names::Work),
    ("work_count", Names::Count),
];

/// A value that is there, of a variable of `names`.
fn there(names: Names, value: u32) -> u64 {
    let top = 1 << (names.width() - 1);
    top | u64::from(value) & (top - 1)
}

/// Values of [`VARIABLES`] in a cycle with these outputs, in the same order.
pub fn values(events: &GraphicsOutputs, values: &mut Vec<u64>) {
    use Names::{
        Context, Depth, Fate, Flag, Handle, Lanes, Number, Pairs, Pixel, Sample, Stage, Tile, WindowEnd, Work,
    };
    match &events.triangle {
        Some(t) => values.extend([
            there(Fate, u32::from(t.what) << 1 | u32::from(t.clipped)),
            there(Number, t.order.into()),
            there(Context, t.context.into()),
            if t.what == 0 { there(Handle, t.handle.into()) } else { 0 },
            0,
        ]),
        None => values.extend([0; 5]),
    }
    values.extend([events.state.as_ref().map_or(0, |s| there(Context, s.context.into())), 0]);
    match &events.launch {
        Some(l) => {
            let fragments = l.kind == 2;
            let (quad, vertex) = if fragments { (l.place[0], None) } else { (0, Some(l.place[0])) };
            let of = |names, value| if fragments { there(names, value) } else { 0 };
            values.extend([
                there(Stage, l.kind.into()),
                there(Context, l.context.into()),
                there(Lanes, if fragments { l.covered } else { l.mask }.into()),
                of(Pixel, quad & 0xFFF),
                of(Pixel, quad >> 12 & 0xFFF),
                of(Number, l.order.into()),
                vertex.map_or(0, |v| there(Number, v)),
                0,
            ]);
        }
        None => values.extend([0; 8]),
    }
    match &events.commit {
        Some(c) => values.extend([
            there(Lanes, c.coverage.into()),
            there(Pixel, 2 * u32::from(c.x)),
            there(Pixel, 2 * u32::from(c.y)),
            there(Sample, c.sample.into()),
            there(Sample, c.target.into()),
            there(Number, c.order.into()),
            there(Depth, c.depth[c.coverage.trailing_zeros().min(3) as usize]),
            if c.last { there(Flag, 0) } else { 0 },
            0,
        ]),
        None => values.extend([0; 9]),
    }
    values.extend([events.tile.as_ref().map_or(0, |t| there(Tile, u32::from(t.reloaded))), 0]);
    let many = [events.merges.len(), events.splits.len(), events.culls.len(), usize::from(events.ahead.is_some())];
    values.extend(many.into_iter().flat_map(|many| [many as u64, 0]));
    match &events.window {
        Some(w) => values.extend([
            there(WindowEnd, w.cause.into()),
            there(Number, w.triangles.into()),
            there(Pairs, w.pairs),
            there(Number, w.order.into()),
            0,
        ]),
        None => values.extend([0; 5]),
    }
    let steps = |w: &WorkEvent| {
        let bits = [w.decided, w.rastered, w.tiled, w.clipped, w.cleared];
        bits.iter().rev().fold(0, |all, bit| all << 1 | u32::from(*bit))
    };
    values.extend([events.work.as_ref().map_or(0, |w| there(Work, steps(w))), 0]);
}
