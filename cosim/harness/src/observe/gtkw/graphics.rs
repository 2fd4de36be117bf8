//! Groups of the graphics pipeline: triangles, what is shaded, what is written, tiles, each with
//! its event port in a closed group; what has no event port, from the ports of its blocks; and the
//! states of these. A machine without graphics has none of these variables, and no group.

use super::groups::{is_state, is_top, leaf, View};
use super::rows::{Format, Rows};
use crate::observe::wave::TracedSignal;
use crate::view::labels::Names;

/// Title, prefix of the event ports, and the rows: label and variable. The first variable says
/// whether the job used the group.
type Group = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

const GROUPS: [Group; 8] = [
    (
        "triangles",
        "tri_",
        &[
            ("triangle", "triangle"),
            ("number in the frame", "triangle_number"),
            ("context", "triangle_context"),
            ("record", "triangle_handle"),
            ("count", "triangle_count"),
            ("state of context", "state_of_context"),
            ("count of states", "state_count"),
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
            ("count", "shaded_count"),
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
            ("count", "written_count"),
        ],
    ),
    ("tiles", "tile_", &[("tile", "tile"), ("count", "tile_count")]),
    (
        "windows of triangles",
        "window_",
        &[
            ("ends, since", "window_end"),
            ("triangles in it", "window_triangles"),
            ("pairs in it", "window_pairs"),
            ("its last triangle", "window_last"),
            ("count", "window_count"),
        ],
    ),
    ("what is culled", "cull_", &[("culls in this cycle", "culls"), ("count", "cull_count")]),
    ("what the cull pipeline has found", "ahead_", &[("triangles in this cycle", "ahead"), ("count", "ahead_count")]),
    ("long work", "work_", &[("steps in this cycle", "work"), ("count", "work_count")]),
];

/// The bounds of Hi-Z, in either place.
const BOUNDS: &[(&str, &str)] = &[
    ("a beat is drawn", "quad_valid"),
    ("taken", "quad_ready"),
    ("quad x", "quad_x"),
    ("quad y", "quad_y"),
    ("sample", "quad_sample"),
    ("some of it passes", "seen"),
    ("group x", "read_x_0"),
    ("group y", "read_y_0"),
    ("group is known", "known_0"),
    ("its bound", "bound_0"),
    ("its draws go down", "bound_down_0"),
    ("its run", "bound_run_0"),
    ("group x of the second question", "read_x_1"),
    ("group y of the second question", "read_y_1"),
    ("group of the second question is known", "known_1"),
    ("bound of the second question", "bound_1"),
    ("quad x looked up", "lookup_x"),
    ("quad y looked up", "lookup_y"),
    ("its group is here", "lookup_resident"),
    ("it is known", "lookup_known"),
    ("bound of pixel 0", "lookup_bound_0"),
    ("bound of pixel 1", "lookup_bound_1"),
    ("bound of pixel 2", "lookup_bound_2"),
    ("bound of pixel 3", "lookup_bound_3"),
];

/// What has no event port: title, block, and rows of label and port. The first is the `valid`; a
/// machine without it has no such group.
const PORTS: [Group; 15] = [
    (
        "triangles of the cull pipeline",
        "cull",
        &[
            ("found", "ahead_valid"),
            ("0 or 7: may be seen", "ahead_what"),
            ("its number", "ahead_order"),
            ("its draw is offered", "draw_valid"),
            ("bit for the pipeline that draws", "cull_bit_valid"),
            ("may be seen", "cull_bit_visible"),
            ("taken", "cull_bit_take"),
            ("number of the bit's triangle", "cull_bit_order"),
        ],
    ),
    (
        "how far the cull pipeline is ahead",
        "command_lead",
        &[
            ("begins a command", "leads"),
            ("commands ahead", "commands.q"),
            ("states ahead", "states.q"),
            ("all before is drawn", "met"),
        ],
    ),
    (
        "triangles before the binner (Hi-Z)",
        "depth_visibility",
        &[
            ("bit for a tile", "visible_valid"),
            ("taken", "visible_ready"),
            ("may be seen", "visible"),
            ("not drawn in a tile", "culls_valid_0"),
            ("its triangle", "culls_order_0"),
            ("first pixel x", "culls_x_0"),
            ("first pixel y", "culls_y_0"),
            ("not drawn in a group", "culls_valid_1"),
            ("triangle of the group", "culls_order_1"),
            ("first pixel x of the group", "culls_x_1"),
            ("first pixel y of the group", "culls_y_1"),
            ("the binner asks", "pair_valid_0"),
            ("answer", "pair_answer_0"),
            ("hidden in the tile", "pair_hidden_0"),
            ("pair is taken", "pair_taken_0"),
        ],
    ),
    (
        "groups that leave the chip and come back (Hi-Z in memory)",
        "depth_visibility",
        &[
            ("memory is asked", "m_req_valid_0"),
            ("taken", "m_req_ready_0"),
            ("written", "m_req_write_0"),
            ("address", "m_req_addr_0"),
            ("a group is missing", "hi_z.missing_0.q"),
            ("its record is here", "hi_z.memory.done"),
            ("it is of this pass", "hi_z.memory.found"),
            ("its bound", "hi_z.memory.found_bound"),
        ],
    ),
    (
        "groups at the rasteriser (Hi-Z there alone)",
        "raster_hi_z",
        &[
            ("asked about", "query_valid"),
            ("answer", "answer_valid"),
            ("hidden", "hidden"),
            ("taken", "query_taken"),
            ("not drawn in a group", "cull_valid"),
            ("its triangle", "cull_order"),
            ("first pixel x", "cull_x"),
            ("first pixel y", "cull_y"),
        ],
    ),
    ("bounds of groups and quads (Hi-Z)", "depth_visibility.hi_z", BOUNDS),
    ("bounds of groups (Hi-Z at the rasteriser alone)", "raster_hi_z.hi_z", BOUNDS),
    (
        "depths that were written, and who asks (Hi-Z by back-propagation)",
        "back_visibility",
        &[
            ("depths are written", "update_valid"),
            ("quad x", "update_x"),
            ("quad y", "update_y"),
            ("sample", "update_sample"),
            ("lanes", "update_lanes"),
            ("more may be written", "update_room"),
            ("a triangle enters", "in_triangle_valid"),
            ("it is taken", "in_triangle_ready"),
            ("a triangle is drawn", "free_valid"),
            ("bit of a tile", "visible_valid"),
            ("may be seen", "visible"),
            ("a group is asked about", "query_valid"),
            ("hidden", "hidden"),
            ("taken", "query_taken"),
        ],
    ),
    (
        "tiles of windows that are opened and closed",
        "window_binner",
        &[
            ("asked for", "open_valid"),
            ("open now", "open_ready"),
            ("first pixel x", "open_x"),
            ("first pixel y", "open_y"),
            ("buffer", "open_buffer"),
            ("closed", "close_valid"),
            ("closed buffer", "close_buffer"),
        ],
    ),
    (
        "triangles and tiles in memory (full binning)",
        "full_binner",
        &[
            ("a triangle comes", "in_triangle_valid"),
            ("it is taken", "in_triangle_ready"),
            ("the window drains", "draining.q"),
            ("lines in use", "used.q"),
            ("memory is asked", "m_req_valid"),
            ("taken", "m_req_ready"),
            ("written", "m_req_write"),
            ("address", "m_req_addr"),
            ("tile is asked for", "open_valid"),
            ("open now", "open_ready"),
            ("first pixel x", "open_x"),
            ("first pixel y", "open_y"),
            ("closed", "close_valid"),
            ("closed buffer", "close_buffer"),
        ],
    ),
    (
        "tiles that a triangle reaches (edge test)",
        "edge_visibility",
        &[
            ("a triangle comes", "in_triangle_valid"),
            ("it is taken", "in_triangle_ready"),
            ("bit for a tile", "visible_valid"),
            ("taken", "visible_ready"),
            ("is reached", "visible"),
        ],
    ),
    (
        "tiles that are opened and closed",
        "binner",
        &[
            ("asked for", "open_valid"),
            ("open now", "open_ready"),
            ("first pixel x", "open_x"),
            ("first pixel y", "open_y"),
            ("buffer", "open_buffer"),
            ("closed", "close_valid"),
            ("closed buffer", "close_buffer"),
        ],
    ),
    (
        "quads out of the rasteriser",
        "rasteriser",
        &[
            ("given", "quad_valid"),
            ("taken", "quad_ready"),
            ("quad x", "quad_x"),
            ("quad y", "quad_y"),
            ("sample", "quad_sample"),
            ("covered lanes 3210", "quad_coverage"),
            ("triangle", "quad_order"),
            ("buffer", "quad_buffer"),
            ("last of the quad", "quad_last"),
            ("end of the triangle", "quad_end"),
        ],
    ),
    (
        "quads behind the early tests",
        "depth",
        &[
            ("given", "quad_valid"),
            ("taken", "quad_ready"),
            ("quad x", "quad_x"),
            ("quad y", "quad_y"),
            ("sample", "quad_sample"),
            ("lanes left 3210, 0 if culled", "quad_coverage"),
            ("triangle", "quad_order"),
            ("last of the quad", "quad_last"),
        ],
    ),
    (
        "merge queue",
        "merge",
        &[
            (WAITING, "waits.q"),
            ("a quad comes", "in_quad_valid"),
            ("taken", "in_quad_ready"),
            ("quad x", "in_quad_x"),
            ("quad y", "in_quad_y"),
            ("triangle", "in_quad_order"),
            ("ticket", "in_quad_ticket"),
            ("a quad goes", "shade_valid"),
            ("taken by the dispatcher", "shade_ready"),
            ("quad x that goes", "shade_x"),
            ("quad y that goes", "shade_y"),
            ("triangle that goes", "shade_order"),
            ("ticket that goes", "shade_ticket"),
            ("it may merge", "pairing_mergeable"),
            ("its pair", "pairing_pair"),
            ("its member", "pairing_member"),
            ("other members", "pairing_others"),
            ("the oldest is due", "due.q"),
            ("drains", "drain"),
        ],
    ),
];

/// Words of records on their way from the command streamer to the blocks: label, port, names. A
/// number is that of a word in both records, so it has two rows.
const RECORD_WORDS: [(&str, &str, Option<Names>); 6] = [
    ("a word of a state record", "state_valid", None),
    ("a word of the pass record", "state_pass", None),
    ("context", "state_context", None),
    ("word of a state record", "state_word", Some(Names::StateWord)),
    ("word of the pass record", "state_word", Some(Names::PassWord)),
    ("the word", "state_data", None),
];

/// Ranks of the merge queue, a bit each, the oldest lowest.
const WAITING: &str = "ranks that wait for a partner";

/// What a slot is to others with which it merges or splits: label and register.
const MEMBERS: [(&str, &str); 13] = [
    ("member of a pair", "is_member_0"),
    ("lanes stopped at MERGE 3210", "lanes_stopped_0"),
    ("lanes of member 1, of a group 1 and 3, 3210", "lanes_mate_0"),
    ("lanes of members 2 and 3 3210", "lanes_mate_high_0"),
    ("counter or count at which it merges", "merge_at_0"),
    ("counter or count at which it splits", "split_at_0"),
    ("asleep until a split", "is_asleep_0"),
    ("stands for the pixels", "is_unsplit_0"),
    ("lanes stopped at SPLIT 3210", "lanes_split_0"),
    ("its program merges and then splits", "is_both_0"),
    ("tags of lanes of member 1 stand two slots behind", "is_near_0"),
    ("tags of lanes of member 1 stand four slots behind", "is_far_0"),
    (WAKER, "woken_by_0"),
];

/// Bits of the event `stage`, from the start of the pipeline to its end.
const STAGES: [(&str, &str); 18] = [
    ("contexts in use", "contexts"),
    ("geometry has work", "geometry"),
    ("geometry has no free record or vertex entry", "places"),
    ("set-up waits for the visibility unit", "set_up"),
    ("which waits for the end of a run", "held"),
    ("geometry waits for the cull pipeline", "ahead"),
    ("the visibility unit waits for the binner", "seen"),
    ("the binner has work", "sorts"),
    ("the binner waits for a tile", "opening"),
    ("tile buffers move data", "tiles"),
    ("the binner waits for the rasteriser", "binned"),
    ("the rasteriser waits for early tests", "rastered"),
    ("early tests wait for the collector", "tested"),
    ("a quad waits for the dispatcher", "shade"),
    ("quads are in flight", "quads"),
    ("a result waits for late tests", "result"),
    ("a sample waits for blending", "commit"),
    ("a list is run", "valid"),
];

/// It stands in slots that do not sleep, too, so it says nothing of what the job used.
const WAKER: &str = "slot whose split wakes it, while it is asleep";

/// The remap of a quad's lanes: bit 0 left with right, bit 1 top with bottom.
const FLIP: &str = "flip: top with bottom, left with right";

/// Places of tiles in the buffers.
const PLACES: usize = 8;

impl View<'_> {
    /// What happens in the pipeline, and where its blocks stand.
    pub(super) fn graphics(&mut self) {
        if self.event("triangle").is_none() {
            return;
        }
        let has_ports = !self.signals(|s| is_top(s) && leaf(s).starts_with("tri_")).is_empty();
        for (title, ports, labels) in GROUPS {
            let mut rows = Rows::default();
            labels.iter().for_each(|(label, name)| self.event_row(&mut rows, label, name));
            let port = self.ports(|s| is_top(s) && leaf(s).starts_with(ports));
            let used = labels.first().and_then(|l| self.event(l.1)).is_some_and(|s| self.happens(&[s]));
            // Some machines have no windows, or cull nothing. A trace may have no ports at all.
            if used || !port.is_empty() || !has_ports {
                rows.group("ports", false, port);
                self.section(title, used, rows);
            }
        }
        for (title, block, labels) in PORTS {
            let mut rows = Rows::default();
            let mut used = false;
            for (k, (label, port)) in labels.iter().enumerate() {
                let path = format!(".graphics_0.{block}.{port}");
                for signal in self.signals(|s| s.path.ends_with(&path)) {
                    used |= k == 0 && self.happens(&[signal]);
                    let bits = signal.width == 1 || label.contains("3210") || *label == WAITING;
                    rows.alias(label, signal, if bits { &Format::Plain } else { &Format::Decimal });
                }
                if rows.is_empty() {
                    break;
                }
            }
            self.section(title, used, rows);
        }
        self.stages();
        self.record_words();
        self.members();
        self.places();
        let state = |s: &TracedSignal| s.path.contains(".graphics_0.") && is_state(s);
        self.section("states of the pipeline", false, self.inside(".graphics_0.", state));
    }

    /// What waits for what: the bits from which the report's account of cycles is made.
    fn stages(&mut self) {
        let mut rows = Rows::default();
        let mut used = false;
        for (label, port) in STAGES {
            let name = format!("stage_{port}_0");
            for signal in self.signals(|s| is_top(s) && leaf(s) == name) {
                used |= self.happens(&[signal]);
                rows.alias(label, signal, &Format::Plain);
            }
        }
        self.section("what waits for what", used, rows);
    }

    /// Words of state and pass records, by their names.
    fn record_words(&mut self) {
        let mut rows = Rows::default();
        let mut used = false;
        for (label, port, names) in RECORD_WORDS {
            let path = format!(".graphics_0.streamer.{port}");
            for signal in self.signals(|s| s.path.ends_with(&path)) {
                used |= signal.width == 1 && self.happens(&[signal]);
                let plain = if port == "state_context" { Format::Decimal } else { Format::Plain };
                let table = names.and_then(|names| self.table(names));
                rows.alias(label, signal, &table.map_or(plain, Format::Named));
            }
        }
        self.section("words of state and pass records", used, rows);
    }

    /// Warps that merge or split: what each slot is, and the events.
    fn members(&mut self) {
        let mut rows = Rows::default();
        let (mut used, mut built) = (false, false);
        for (what, register) in MEMBERS {
            let end = format!(".{register}.q");
            for signal in self.signals(|s| s.path.ends_with(&end) && s.path.contains(".contexts.contexts_")) {
                // ...cores_C.units_U.contexts.contexts_S.REGISTER.q
                let numbers: Vec<&str> =
                    signal.path.split('.').filter_map(|part| part.rsplit_once('_')).map(|p| p.1).collect();
                let [.., core, unit, slot, _] = numbers[..] else { continue };
                built = true;
                used |= what != WAKER && self.happens(&[signal]);
                let format = if what == WAKER { Format::Decimal } else { Format::Plain };
                rows.alias(&format!("core {core} unit {unit} slot {slot}: {what}"), signal, &format);
            }
        }
        if !built {
            return;
        }
        // What is launched, and whose operands are read.
        for signal in self.signals(|s| is_top(s) && leaf(s) == "glaunch_flip_0") {
            rows.alias(&format!("launch: {FLIP}"), signal, &Format::Plain);
        }
        for signal in self.signals(|s| s.path.ends_with(".s2_flip_0.q")) {
            // ...cores_C.units_U.s2_flip_0.q
            let numbers: Vec<&str> =
                signal.path.split('.').filter_map(|part| part.rsplit_once('_')).map(|p| p.1).collect();
            let [.., core, unit, _] = numbers[..] else { continue };
            rows.alias(&format!("core {core} unit {unit} operands: {FLIP}"), signal, &Format::Plain);
        }
        let event = |s: &TracedSignal| is_top(s) && ["merge_", "split_"].iter().any(|port| leaf(s).starts_with(port));
        let events = [("merges", "merge"), ("splits", "split")];
        for (label, what) in events {
            self.event_row(&mut rows, &format!("{label} in this cycle"), label);
            self.event_row(&mut rows, &format!("count of {label}"), &format!("{what}_count"));
        }
        rows.group("ports", false, self.ports(event));
        self.section("warps that merge or split", used, rows);
    }

    /// What each place of a tile buffer holds.
    fn places(&mut self) {
        let mut rows = Rows::default();
        let mut used = false;
        for place in 0..PLACES {
            for (what, cell) in [("", "buffer_state"), (": tile column", "tile_x"), (": tile row", "tile_y")] {
                let path = format!(".graphics_0.tiles.{cell}_{place}.q");
                for signal in self.signals(|s| s.path.ends_with(&path)) {
                    used |= what.is_empty() && self.happens(&[signal]);
                    let format = if what.is_empty() { self.format(signal) } else { Format::Decimal };
                    rows.alias(&format!("place {place}{what}"), signal, &format);
                }
            }
        }
        self.section("places of tiles", used, rows);
    }
}
