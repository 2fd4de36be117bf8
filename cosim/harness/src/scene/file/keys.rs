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
const WINDOWS: &[&str] =
    &["all", "triangles", "pairs", "places", "starved", "list", "time", "run", "contexts", "numbers"];

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
    "pairs_ideal",
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

/// Numbers of `ideal`.
const IDEAL: &[&str] = &[
    "allowed",
    "found",
    "beyond",
    "blocks",
    "pairs",
    "classes.opaque.allowed",
    "classes.opaque.found",
    "classes.blended.allowed",
    "classes.blended.found",
    "classes.discard.allowed",
    "classes.discard.found",
    "classes.stencil.allowed",
    "classes.stencil.found",
    "classes.read_only.allowed",
    "classes.read_only.found",
    "classes.other.allowed",
    "classes.other.found",
];

/// Numbers of `account`.
const ACCOUNT: &[&str] = &[
    "cycles",
    "list",
    "geometry",
    "held",
    "cull_pipeline",
    "visibility",
    "binner",
    "rasteriser",
    "shading.issue",
    "shading.memory",
    "shading.fetch",
    "shading.port_conflict",
    "shading.no_warp",
    "shading.other",
    "back_end",
    "memory",
    "contexts_most",
    "contexts_mean",
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
    number(&["draws"], "draws in all frames"),
    number(&["vertices_shaded"], "vertices that were shaded. The machine may shade a vertex several times; the model shades each index of a draw and instance once"),
    numbers(&["triangles"], &["in", "culled", "range", "clipped", "set_up"], "triangles of all instances\n\
         `in`: drawn.\n\
         `culled`: nothing is left of the triangle.\n\
         `range`: those of the culled ones with a position out of range ([graphics.md](graphics.md#culls-and-clipping)).\n\
         `clipped`: cut by a plane.\n\
         `set_up`: set up; each piece of a clipped triangle counts."),
    number(&["quads"], "quads that were shaded; with sample-rate shading each sample counts. Quads without a fragment program are not shaded"),
    number(&["helper_lanes"], "helper lanes of shaded quads"),
    number(&["fragments_shaded"], "covered lanes of shaded quads"),
    number(&["samples_written"], "samples that commit and pass all tests"),
    number(&["tile_reloads"], "tiles that were read back from memory by the machine"),
    number(&["tiles_written"], "tiles that the machine wrote when they were closed or evicted"),
    numbers(&["tile_visits"], VISITS, "pairs of a window and a tile that it draws in, in lockstep\n\
         Without windows each triangle counts as one ([hi-z.md](blocks/hi-z.md#views)).\n\
         `all` is the sum of `first`, `open` and `again`. `first`: the first visit of the tile in the pass.\n\
         `open`: the previous visit was of the same tile, for example if a window begins with the last tile of the previous one.\n\
         With `keep-tiles = false` each of `again` is a reload, so `tile_reloads` is the same. Otherwise the others found their tile in a buffer.\n\
         The key is absent if the machine's events do not add up."),
    numbers(&["windows"], WINDOWS, "windows of triangles, by the reason of their end; on a machine that has windows\n\
         `all`: the number of windows.\n\
         `triangles` and `pairs`: the window is full of them. With full binning `pairs` means that the area of memory is full.\n\
         `places`: a tile without a place.\n\
         `starved`: geometry has no free entry or record. `numbers`: it has no number for a triangle.\n\
         `contexts`: the command list waits for a context. `list`: it waits for something else.\n\
         `run`: an opaque run of Hi-Z waits. `time`: the window's time limit.\n\
         With full binning a pass has one window; each further one is a partial render."),
    number(&["fragment_cycles"], "cycles of all warp units that hold fragments, of the machine"),
    number(&["fragment_issues"], "those of `fragment_cycles` in which the unit issues"),
    numbers(&["account"], ACCOUNT, "cycles by the stage that was the limit, of the machine\n\
         A stage is the limit if the last stream that is offered and not taken ends at it. If every stream moves, it is the first stage that has work.\n\
         `cycles`: those in which the command list was run, the sum of the others.\n\
         `list`: nothing else has work. `geometry`: from indices to set-up. `held`: an opaque run of Hi-Z waits, and no unit issues. `cull_pipeline`: nothing comes until it says what is visible.\n\
         `visibility`, `binner`, `rasteriser`. `back_end`: tests and blending. `memory`: tiles are cleared, loaded or written.\n\
         `shading`: by what the units do. `issue`: one issues an instruction. `memory`, `fetch`, `port_conflict`, `no_warp`: the first of them that a unit waits for. `other`: results of instructions.\n\
         `contexts_most`, `contexts_mean`: contexts in use by draws."),
    numbers(&["merge"], MERGE, "figures of merging, of the machine ([verification.md](verification.md#merging))\n\
         `lane_slots`: four per instruction of a fragment warp. `lane_slots_useful`: those whose lane is owned and not discarded.\n\
         `after_lane_slots`, `after_lane_slots_useful`: those after a merge point. Without a merge point: those after the last operation that needs helpers.\n\
         `instructions`: instructions of fragment warps.\n\
         `saved_instructions`: those of merged warps while lanes of both members are neither discarded nor ended. Each replaces two.\n\
         `pairs_found`: merges. `pairs_launched`: pairs that were launched. `pairs_ended`: pairs of which one member ended too early.\n\
         `pairs_possible`: the most that any queue finds between two drains. It is a maximum matching on the quads in ticket order.\n\
         `pairs_possible_whole`: the same over whole draws.\n\
         `pairs_ideal`: the same of the quads that the model shades in each draw, in lockstep; not of programs that split.\n\
         `lost_depth`, `lost_time`, `lost_ended`: reasons for the missing pairs ([merging.md](merging.md#pairs-that-are-lost)).\n\
         `wait_cycles`: slot cycles of members that have stopped at a merge point."),
    numbers(&["culls"], CULLS, "figures of Hi-Z, on a machine that has it, in lockstep; else `null`\n\
         The unit is a pair of a triangle and a group of 8 by 8 pixels in which it covers a sample. Each pair counts once.\n\
         `submitted`: all pairs. `oracle`: those that can be culled.\n\
         `found`: those of the oracle's that were culled before the depth test. `beyond`: others that were culled ([hi-z.md](blocks/hi-z.md#what-is-found)).\n\
         `stale`: those that were not culled, although every sample later fails the depth test.\n\
         `update`: source of the bounds, `forward` or `back`.\n\
         `by`: the block that culled a pair first: `cull_pipeline`, `visibility`, `binner`, `rasteriser`. `early_z` are pairs that no block culled and of which no sample passes.\n\
         `levels`: quads that the rasteriser drops, by the level that finds them. The unit is a pair of a triangle and a quad in which it covers a sample.\n\
         `windows`: nine counts of windows by the reason of their end, in the order of the key `windows`."),
    numbers(&["ideal"], IDEAL, "what windows of 1,024 triangles could hide, whatever the machine's windows are, in lockstep on a machine with Hi-Z, and of the model with `--oracle` ([hi-z.md](blocks/hi-z.md#ideal-windows)); the unit is that of `culls`\n\
         `allowed`: pairs that could be culled. `found`: those that were, before the depth test; 0 without a machine.\n\
         `beyond`: pairs that were culled and that the oracle does not allow. They count nowhere.\n\
         `blocks`: blocks of 1,024 triangles, of all passes.\n\
         `pairs`: on a machine that merges, the most pairs of the quads that the model shades in each draw, as `merge.pairs_ideal`.\n\
         `classes`: `allowed` and `found` by the draw's class: `opaque`, `blended`, `discard`, `stencil`, `read_only` (depth is not written), `other`. The first of stencil, discard, blended, opaque that is true counts."),
    numbers(&["cull_pipeline"], CULL_PIPELINE, "figures of the cull pipeline, on a machine that has it, from its event ports\n\
         `bypassed`: the draws that bypass it, each with a reason ([scenes.md](scenes.md#draws-that-bypass-the-cull-pipeline)).\n\
         `vertices`: vertices that it shaded.\n\
         `triangles`: triangles that it processed, by result.\n\
         `range` (out of range), `frustum` (outside), `area` (none), `face` (culled), `outside` (no pixel in target and scissor), `hidden`.\n\
         `left` (cut by a clip plane, and left to replay) and `visible`.\n\
         `skipped`: triangles that replay skipped.\n\
         `ahead_most`, `ahead_mean`: triangles between both pipelines when the cull pipeline reports one."),
    number(&["visible_samples"], "pairs of a triangle and a pixel of which a sample is visible in the end: the least that must be shaded; in lockstep"),
    other(&["funnel"], "what remains after each stage of culling, under the conditions of `culls`; else `null`\n\
         The stages in order: `submitted`, `cull pipeline`, `visibility unit`, `binner`, `rasteriser`, `early Z`, `shaded`, `visible`.\n\
         Each has `stage`, `groups` (the pairs of `culls`) and `triangles` (those with a pair). The last two have `fragments` instead.\n\
         An unknown figure is `null`. A stage that the machine does not have repeats the figures before it."),
    numbers(&["split"], SPLIT, "figures of splitting, on a machine that splits; else `null`\n\
         `groups`: groups that split. `pixel_groups`: those that split into pixels.\n\
         `warps`: warps that splits started in addition to the per-pixel warps.\n\
         `ended`: groups of which no lane reached a split point.\n\
         `before`: per-pixel instructions. `after`: per-sample instructions after a split.\n\
         `saved`: estimate of the instructions saved compared with running at sample rate from the start.\n\
         `asleep_cycles`: slot cycles of sleeping members.\n\
         `merged`: pairs of groups that merged before they split."),
    numbers(&["bytes"], CLIENTS, "bytes at the machine's memory port, by client\n\
         `commands` (list, records and constants), `indices`, `instructions`, `programs` (loads, stores and atomics), `tiles`.\n\
         `colour` and `depth` split `tiles` by address. `colour` is all targets and their resolved copies, `depth` is depth and stencil.\n\
         `bins`: full binning, the sum of `bins_read` and `bins_written`.\n\
         `hi_z`: bounds of Hi-Z with `hi-z-memory = on`, the sum of `hi_z_read` and `hi_z_written`. Otherwise bounds stay on chip, and it is 0."),
    other(&["png"], "file of the first picture, or `null`"),
    other(&["heatmap"], "with `--heatmap`: `png`, `of` (what is counted), `most` (the greatest count of a pixel), `mean`"),
];

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;
    use crate::figures::counters::Counters;
    use crate::scene::accounts::heat::{Heat, HeatKind};
    use crate::scene::accounts::report::{SceneReport, Triangles};

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
            tile_visits: Some(crate::scene::accounts::visits::VisitFigures::default()),
            windows: Some(crate::scene::accounts::visits::WindowCounts::default()),
            fragment_cycles: Some(0),
            fragment_issues: Some(0),
            account: Some(crate::scene::accounts::account::AccountFigures::default()),
            ideal: Some(crate::scene::accounts::ideal::IdealFigures { pairs: Some(0), ..Default::default() }),
            merge: Some(crate::scene::accounts::merging::MergeFigures { pairs_ideal: Some(0), ..Default::default() }),
            culls: Some(crate::scene::accounts::culls::CullFigures::default()),
            cull_pipeline: Some(crate::scene::accounts::ahead::AheadFigures::default()),
            visible_samples: Some(0),
            funnel: Some(vec![]),
            split: Some(crate::scene::accounts::splitting::SplitFigures::default()),
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
