//! Groups of the graphics pipeline: triangles, what is shaded, what is written, tiles, each with
//! its event port in a closed group; and the states of its blocks. A machine without graphics has
//! none of these variables, and no group.

use super::groups::{is_state, is_top, leaf, View};
use super::rows::{Format, Rows};
use crate::observe::wave::TracedSignal;
use crate::view::events::EventView;
use crate::view::labels::Names;

/// Title, prefix of the event ports, and the rows: label and variable. The first variable says
/// whether the job used the group.
type Group = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

const GROUPS: [Group; 4] = [
    (
        "triangles",
        "tri_",
        &[
            ("triangle", "triangle"),
            ("number in the frame", "triangle_number"),
            ("context", "triangle_context"),
            ("record", "triangle_handle"),
            ("state of context", "state_of_context"),
        ],
    ),
    (
        "shaded quads and vertices",
        "glaunch_",
        &[
            ("shaded", "shaded"),
            ("context", "shaded_context"),
            ("covered lanes 3210", "shaded_lanes"),
            ("pixel x", "shaded_x"),
            ("pixel y", "shaded_y"),
            ("triangle", "shaded_triangle"),
            ("vertex index", "shaded_vertex"),
        ],
    ),
    (
        "written samples",
        "pix_",
        &[
            ("lanes 3210", "written_lanes"),
            ("pixel x", "written_x"),
            ("pixel y", "written_y"),
            ("sample", "written_sample"),
            ("target", "written_target"),
            ("triangle", "written_triangle"),
            ("depth", "written_depth"),
            ("last of the quad", "quad_done"),
        ],
    ),
    ("tiles", "tile_", &[("tile", "tile")]),
];

impl View<'_> {
    /// What happens in the pipeline, and where its blocks stand.
    pub(super) fn graphics(&mut self) {
        if self.event("triangle").is_none() {
            return;
        }
        for (title, ports, labels) in GROUPS {
            let mut rows = Rows::default();
            for (label, name) in labels {
                let Some(signal) = self.event(name) else { continue };
                match EventView::names_of(name) {
                    // Of a number that is there the highest bit is set.
                    Some(Names::Number | Names::Pixel | Names::Depth) => {
                        rows.field(label, signal, signal.width - 2, 0, &Format::Decimal);
                    }
                    _ => rows.alias(label, signal, &self.format(signal)),
                }
            }
            rows.group("ports", false, self.ports(|s| is_top(s) && leaf(s).starts_with(ports)));
            let used = labels.first().and_then(|l| self.event(l.1)).is_some_and(|s| self.happens(&[s]));
            self.section(title, used, rows);
        }
        let state = |s: &TracedSignal| s.path.contains(".graphics_0.") && is_state(s);
        self.section("states of the pipeline", false, self.inside(".graphics_0.", state));
    }
}
