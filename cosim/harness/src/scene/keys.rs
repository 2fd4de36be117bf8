//! The one table of the keys that a scene's report has beside those of every report: what
//! docs/report.md explains and what a scene's `[claims]` may name. A test compares both tables with
//! the keys that reports have, in both directions.

use crate::report;
use crate::report::keys::{number, numbers, other, table, Key};

/// Whether a scene's report has a number of that name: a key, or a key, a point and a part.
pub fn is_figure(name: &str) -> bool {
    report::is_figure(name) || report::keys::is_figure_of(KEYS, name)
}

/// The table as Markdown.
pub fn markdown() -> String {
    table(KEYS)
}

/// Clients of the memory port, as `bytes` names them.
const CLIENTS: &[&str] = &[
    "commands",
    "indices",
    "instructions",
    "programs",
    "tiles",
    "colour",
    "depth",
    "bins",
    "bins_read",
    "bins_written",
    "hi_z",
    "hi_z_read",
    "hi_z_written",
];

/// Numbers of `windows`.
const WINDOWS: &[&str] = &["all", "triangles", "pairs", "places", "starved", "list", "time"];

/// Numbers of `tile_visits`.
const VISITS: &[&str] = &["all", "first", "open", "again"];

/// Numbers of `merge`.
const MERGE: &[&str] = &[
    "lane_slots",
    "lane_slots_useful",
    "after_lane_slots",
    "after_lane_slots_useful",
    "instructions",
    "saved_instructions",
    "pairs_found",
    "pairs_launched",
    "pairs_ended",
    "pairs_possible",
    "pairs_possible_whole",
    "lost_depth",
    "lost_time",
    "lost_ended",
    "wait_cycles",
];

/// Numbers of `culls`.
const CULLS: &[&str] = &[
    "submitted",
    "oracle",
    "found",
    "beyond",
    "stale",
    "by.cull_pipeline",
    "by.visibility",
    "by.binner",
    "by.rasteriser",
    "by.early_z",
    "levels.8x8",
    "levels.4x4",
    "levels.2x2",
    "levels.pixels",
];

/// Numbers of `cull_pipeline`.
const CULL_PIPELINE: &[&str] = &[
    "vertices",
    "triangles.in",
    "triangles.range",
    "triangles.frustum",
    "triangles.area",
    "triangles.face",
    "triangles.outside",
    "triangles.hidden",
    "triangles.left",
    "triangles.visible",
    "skipped",
    "ahead_most",
    "ahead_mean",
];

/// Numbers of `split`.
const SPLIT: &[&str] =
    &["groups", "pixel_groups", "warps", "ended", "before", "after", "saved", "asleep_cycles", "merged"];

/// Every key, in the order of the page.
pub const KEYS: &[Key] = &[
    number(&["draws"], "draws, of all frames"),
    number(&["vertices_shaded"], "vertices that were shaded. The machine may shade one several times; the model shades each index of a draw and instance once"),
    numbers(&["triangles"], &["in", "culled", "range", "clipped", "set_up"], "of all instances: `in` (drawn), `culled` (nothing is left), `range` (of these: a position is out of range, [graphics.md](graphics.md#culls-and-clipping)), `clipped` (cut by a plane), `set_up` (pieces of clipped ones each)"),
    number(&["quads"], "quads that were shaded; of samples that are shaded one by one each counts. Those without a fragment program are not shaded"),
    number(&["helper_lanes"], "lanes of shaded quads that cover nothing"),
    number(&["fragments_shaded"], "lanes of shaded quads that cover something"),
    number(&["samples_written"], "samples that commit and pass all tests"),
    number(&["tile_reloads"], "tiles that were read back from memory; of the machine"),
    number(&["tiles_written"], "tiles that were written when closed or displaced; of the machine"),
    numbers(&["tile_visits"], VISITS, "pairs of a window and a tile that it draws in, beside the model; without windows each triangle is one ([hi-z.md](blocks/hi-z.md#views)). `all` are `first`, `open` and `again`. `first` is the first of its tile in the pass. `open`: the visit before was of the same tile, as when a window begins with the tile that the one before ended with. With `keep-tiles = false` each of `again` is a reload, so `tile_reloads` is the same. Else the others found their tile in a buffer. Not there if the machine's events do not add up"),
    numbers(&["windows"], WINDOWS, "windows of triangles, of a machine that has them, by the reason of their end: all `triangles` (with full binning: numbers), all `pairs` (with full binning: its area of memory), a tile without a place (`places`), `starved`, the `list` waits, their `time`. With full binning a pass has one window; more are partial renders"),
    number(&["fragment_cycles"], "cycles of all warp units with fragments in them; of the machine"),
    number(&["fragment_issues"], "those of them in which the unit issues; of the machine"),
    numbers(&["merge"], MERGE, "of merging warps, of the machine ([verification.md](verification.md#merging)). `lane_slots` are four for each instruction that a fragment warp executes, `lane_slots_useful` those whose lane is owned and not discarded; `after_lane_slots` and `after_lane_slots_useful` of these behind a merge point, or, in a program without one, behind the last operation that needs helpers. `instructions` are those of fragment warps, `saved_instructions` those of merged warps while lanes of both members are neither discarded nor ended: each would have been two. `pairs_found` are merges, `pairs_launched` pairs that were launched, `pairs_ended` pairs of which one member ended too early. `pairs_possible` is the most that any queue could find between two drains, a maximum matching on the quads in the order of their tickets; `pairs_possible_whole` the same on whole draws. `lost_depth`, `lost_time` and `lost_ended` say where the rest is ([merging.md](merging.md#pairs-that-are-lost)). `wait_cycles` are cycles of slots with a member that has stopped at a merge point"),
    numbers(&["culls"], CULLS, "of Hi-Z, of a machine that has it, beside the model, else `null`. Counted are pairs of a triangle and a group of 8 by 8 pixels in which it covers a sample, each once: `submitted` all; `oracle` those that could be culled; `found` of these those that were, before the depth test; `beyond` others that were ([hi-z.md](blocks/hi-z.md#what-is-found)); `stale` those that were not, although each sample fails in its turn. `update` is the rule that makes bounds, `forward` or `back`. `by` says who culled a pair first: `cull_pipeline`, `visibility` unit, `binner`, `rasteriser`; `early_z` are pairs that nobody culled and of which no sample passes. `levels` are quads that the rasteriser leaves out, by the level that says so: pairs of a triangle and a quad in which it covers a sample. `windows` are windows of triangles by the reason of their end: all triangles, all pairs, a tile without a place, starved, the list waits, their time"),
    numbers(&["cull_pipeline"], CULL_PIPELINE, "of a machine with a cull pipeline, from its event ports. `bypassed` are the draws that it does not look at, each with a reason ([scenes.md](scenes.md#draws-that-bypass-the-cull-pipeline)). `vertices` are those that it shaded. `triangles` are those that it looked at, by what it found: `range` (out of range), `frustum` (outside), `area` (none), `face` (culled), `outside` (no pixel in target and scissor), `hidden`, `left` (cut by a clip plane, and left to replay), `visible`. `skipped` are triangles that replay skipped. `ahead_most` and `ahead_mean` are triangles between both when the pipeline tells of one"),
    number(&["visible_samples"], "pairs of a triangle and a pixel of which a sample is seen in the end: the least that must be shaded; beside the model"),
    other(&["funnel"], "of Hi-Z, as `culls`, else `null`: the stages in their order: `submitted`, `cull pipeline`, `visibility unit`, `binner`, `rasteriser`, `early Z`, `shaded`, `visible`. Each has `stage` and what is left behind it. `groups` are the pairs of `culls`, and `triangles` those that have one. The last two have `fragments` instead. What a stage does not know is `null`. A stage that the machine does not have leaves what was there"),
    numbers(&["split"], SPLIT, "of splitting warps, of a machine that does, else `null`. `groups` that split, `pixel_groups` of them into pixels, `warps` that splits started beside those that stood for pixels, `ended`: groups of which no lane came to a split point. `before`: instructions that were executed for pixels; `after`: those of samples behind a split; `saved`: about how many more there would be from the start on, for each sample. `asleep_cycles` are cycles of slots with a member that sleeps. `merged`: pairs of groups that merged before they split"),
    numbers(&["bytes"], CLIENTS, "at the memory port, by client: `commands` (list, records and constants), `indices`, `instructions`, `programs` (loads, stores and atomics), `tiles`; of the machine. `colour` and `depth` are those of `tiles` by address, and `tiles` is their sum. `colour` is of all targets and of what is resolved of them, `depth` of depth and stencil. `bins` are those of full binning, the sum of `bins_read` and `bins_written`. `hi_z` are those of Hi-Z's bounds with `hi-z-memory = on`, the sum of `hi_z_read` and `hi_z_written`; else they stay on the chip, and there are none"),
    other(&["png"], "the file of the first picture, or `null`"),
    other(&["heatmap"], "of `--heatmap`: `png`, `of` (what is counted), `most` (the greatest count of a pixel), `mean`"),
];

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;
    use crate::figures::counters::Counters;
    use crate::scene::heat::{Heat, HeatKind};
    use crate::scene::report::{SceneReport, Triangles};

    fn full() -> serde_json::Value {
        let bytes: BTreeMap<&'static str, u64> = Counters::new(1).graphics_bytes();
        let code = quadlock_isa::assemble("t", "END").unwrap().code;
        let options = crate::lockstep::Options::default();
        let mut run = crate::simulate::golden(&crate::machine::launch::Launch::bare("t", code, 0x200), &options).report;
        run.cycles = Some(0);
        let report = SceneReport {
            run,
            draws: 0,
            vertices_shaded: 0,
            triangles: Triangles::default(),
            quads: 0,
            helper_lanes: 0,
            fragments_shaded: 0,
            samples_written: 0,
            tile_reloads: Some(0),
            tiles_written: Some(0),
            tile_visits: Some(crate::scene::visits::VisitFigures::default()),
            windows: Some(crate::scene::visits::WindowCounts::default()),
            fragment_cycles: Some(0),
            fragment_issues: Some(0),
            merge: Some(crate::scene::merging::MergeFigures::default()),
            culls: Some(crate::scene::culls::CullFigures::default()),
            cull_pipeline: Some(crate::scene::ahead::AheadFigures::default()),
            visible_samples: Some(0),
            funnel: Some(vec![]),
            split: Some(crate::scene::splitting::SplitFigures::default()),
            bytes: Some(bytes),
            png: None,
            heatmap: Some(Heat::new(1, 1, HeatKind::Quads).figures("h.png".into()).0),
        };
        serde_json::to_value(&report).unwrap()
    }

    /// Names of the numbers below a key.
    fn numbers_of(value: &serde_json::Value, before: &str) -> BTreeSet<String> {
        let of = |(key, value): (&String, &serde_json::Value)| match value {
            serde_json::Value::Number(_) => BTreeSet::from([format!("{before}{key}")]),
            other => numbers_of(other, &format!("{before}{key}.")),
        };
        value.as_object().map_or(BTreeSet::new(), |all| all.iter().flat_map(of).collect())
    }

    #[test]
    fn the_table_has_the_keys_of_scene_reports_and_no_others() {
        let full = full();
        let seen: BTreeSet<&str> = full.as_object().unwrap().keys().map(String::as_str).collect();
        let listed: Vec<&str> = KEYS.iter().chain(report::keys::KEYS).flat_map(|k| k.names).copied().collect();
        assert_eq!(seen, listed.iter().copied().collect());
        assert_eq!(listed.len(), seen.len(), "a key is listed twice");
        for key in KEYS.iter().filter(|k| !k.parts.is_empty()) {
            let parts: BTreeSet<&str> = key.parts.iter().copied().collect();
            let seen = numbers_of(&full[key.names[0]], "");
            assert_eq!(parts, seen.iter().map(String::as_str).collect(), "{}", key.names[0]);
        }
        for key in KEYS {
            key.names.iter().for_each(|n| assert_eq!(full[n].is_number(), key.number, "{n}"));
        }
        assert!(
            is_figure("cycles")
                && is_figure("triangles.clipped")
                && is_figure("bytes.tiles")
                && is_figure("culls.by.binner")
        );
        assert!(!is_figure("triangles") && is_figure("ipc") && !is_figure("verdict") && !is_figure("bytes.food"));
    }
}
