//! The report of a scene: what every run reports, and what the frame took and gave. The text has
//! the layout of all reports ([`crate::report::text`]); here are the rows that only a scene has.
//! Wrong would be a figure of the model that passes for one of the machine: what only the machine
//! has is none without one.

use std::collections::BTreeMap;

use serde::Serialize;

use super::account::AccountFigures;
use super::ahead::AheadFigures;
use super::culls::CullFigures;
use super::funnel::{self, Stage};
use super::heat::HeatFigures;
use super::ideal::IdealFigures;
use super::merging::MergeFigures;
use super::splitting::SplitFigures;
use super::visits::{VisitFigures, WindowCounts};
use crate::base::units::{percent, rate};
use crate::report::text::{Look, Own, Rows};
use crate::report::{Report, Verdict};

/// Triangles of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Triangles {
    /// Drawn, of all instances.
    #[serde(rename = "in")]
    pub drawn: u64,
    pub culled: u64,
    /// Culled, because a position is out of range.
    pub range: u64,
    /// Cut by a plane.
    pub clipped: u64,
    /// Set up, pieces of clipped ones each.
    pub set_up: u64,
}

/// What a run says.
#[derive(Clone, Debug, Default, Serialize)]
pub struct SceneReport {
    /// As of a job.
    #[serde(flatten)]
    pub run: Report,
    pub draws: u64,
    pub vertices_shaded: u64,
    pub triangles: Triangles,
    pub quads: u64,
    pub helper_lanes: u64,
    pub fragments_shaded: u64,
    pub samples_written: u64,
    /// Of the machine: tiles that were read back from memory, tiles written, bytes at the memory
    /// port by client.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tile_reloads: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tiles_written: Option<u64>,
    /// Beside the model: tiles that windows visit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tile_visits: Option<VisitFigures>,
    /// Of a machine with windows of triangles.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub windows: Option<WindowCounts>,
    /// Of all warp units: cycles with fragments in them, and those of them in which they issue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fragment_cycles: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fragment_issues: Option<u64>,
    /// Which stage was the limit, cycle by cycle.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub account: Option<AccountFigures>,
    /// Lane slots of fragment warps, and pairs of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub merge: Option<MergeFigures>,
    /// Of a machine with Hi-Z, beside the model.
    pub culls: Option<CullFigures>,
    /// Of a machine with Hi-Z, beside the model, and of the model with `--oracle`: what windows of
    /// 1,024 triangles could hide.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ideal: Option<IdealFigures>,
    /// Of a machine with a cull pipeline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cull_pipeline: Option<AheadFigures>,
    /// Beside the model: the least that must be shaded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub visible_samples: Option<u64>,
    /// Of a machine with Hi-Z, beside the model: what is left behind each stage.
    pub funnel: Option<Vec<Stage>>,
    /// Of a machine that splits warps.
    pub split: Option<SplitFigures>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<BTreeMap<&'static str, u64>>,
    pub png: Option<String>,
    /// Of `--heatmap`: quads shaded per pixel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heatmap: Option<HeatFigures>,
}

impl SceneReport {
    /// It ended as it should.
    pub fn passed(&self) -> bool {
        self.run.verdict == Verdict::Pass
    }

    /// One screen of text.
    pub fn text(&self) -> String {
        self.run.page(Look::default(), &self.own())
    }

    /// The same for standard output.
    pub fn shown(&self) -> String {
        self.run.page(Look::of_output(), &self.own())
    }

    /// A number of the report by its key, as in `cycles` or `triangles.culled`.
    pub fn figure(&self, name: &str) -> Option<f64> {
        let all = serde_json::to_value(self).ok()?;
        name.split('.').try_fold(&all, |value, key| value.get(key))?.as_f64()
    }

    /// For scripts.
    pub fn json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// What a scene has of its own.
    fn own(&self) -> Own {
        let mut own = Own { kind: "scene", work: self.work(), ..Own::default() };
        let rows = &mut own.details;
        self.of_tiles(rows);
        if let Some(m) = self.merge.as_ref().filter(|m| m.lane_slots > 0) {
            of_merges(m, rows);
        }
        self.of_culls(rows);
        if let Some(a) = &self.cull_pipeline {
            a.rows(rows);
        }
        if let Some(s) = self.split.as_ref().filter(|s| s.before > 0) {
            of_splits(s, rows);
        }
        if let Some(bytes) = &self.bytes {
            of_bytes(bytes, rows);
        }
        if self.run.seconds > 0.0 {
            own.speed = Some(rate(self.fragments_shaded as f64 / self.run.seconds, "fragments"));
        }
        if let Some(heat) = &self.heatmap {
            own.results.row(heat.of, format!("at most {}, {:.3} on average", heat.most, heat.mean));
        }
        own
    }

    fn work(&self) -> Rows {
        let (mut rows, t) = (Rows::default(), self.triangles);
        rows.row("draws, warps", format!("{}, {}", self.draws, self.run.warps));
        rows.row("vertices shaded", self.vertices_shaded);
        let triangles = format!("{} in, {} culled, {} clipped, {} set up", t.drawn, t.culled, t.clipped, t.set_up);
        rows.row("triangles", triangles);
        rows.row("quads", self.quads);
        rows.row("fragments shaded", format!("{} ({} helper lanes)", self.fragments_shaded, self.helper_lanes));
        rows.row("samples written", self.samples_written);
        rows
    }

    fn of_tiles(&self, rows: &mut Rows) {
        if let (Some(tiles), Some(reloads)) = (self.tiles_written, self.tile_reloads) {
            rows.row("tiles", format!("{tiles} written, {reloads} reloaded"));
            if let Some(v) = self.tile_visits {
                let kept = v.again.saturating_sub(reloads);
                let again = format!("{} again, of which {kept} found theirs in a buffer", v.again);
                rows.row(
                    "visits of tiles",
                    format!("{}: {} first, {} of the open tile, {again}", v.all, v.first, v.open),
                );
            }
            if let Some(w) = self.windows {
                let by = format!("{} by triangles, {} by pairs, {} by places", w.triangles, w.pairs, w.places);
                let early =
                    format!("{} starved of stores, {} of numbers, {} of contexts", w.starved, w.numbers, w.contexts);
                let late = format!("{} by waiting runs, {} by the list, {} by time", w.run, w.list, w.time);
                rows.row("windows", format!("{}: {by}, {early}, {late}", w.all));
            }
        }
        if let Some(account) = self.account.as_ref().filter(|a| a.cycles > 0) {
            account.rows(rows);
        }
        if let (Some(cycles @ 1..), Some(issues)) = (self.fragment_cycles, self.fragment_issues) {
            let share = percent(issues, cycles);
            rows.row("issues", format!("in {share:.1} % of {cycles} cycles with fragments in a unit"));
        }
    }

    fn of_culls(&self, rows: &mut Rows) {
        if let Some(visible) = self.visible_samples {
            let share = self.fragments_shaded as f64 / visible.max(1) as f64;
            rows.row("visible", format!("{visible} fragments are seen in the end; {share:.3} of them are shaded"));
        }
        if let Some(i) = self.ideal.as_ref() {
            let share = percent(i.found, i.allowed);
            let found = match self.culls {
                Some(_) => format!("{} of {} ({share:.1} %), and {} beyond", i.found, i.allowed, i.beyond),
                None => format!("{} groups of 8 by 8 pixels could be culled", i.allowed),
            };
            let pairs = i.pairs.map_or(String::new(), |pairs| format!("; {pairs} pairs of quads in whole draws"));
            rows.row("ideal windows", format!("{found}; {} blocks of triangles{pairs}", i.blocks));
        }
        let Some(c) = self.culls.as_ref().filter(|c| c.submitted > 0) else { return };
        let share = percent(c.found, c.oracle);
        let found = format!("{} of {} groups of 8 by 8 pixels that could be ({share:.1} %)", c.found, c.oracle);
        rows.row("culled", format!("{found}, and {} more; of {} of triangles", c.beyond, c.submitted));
        let by = c.by;
        let first = format!("{} cull pipeline, {} visibility unit", by.cull_pipeline, by.visibility);
        let then = format!("{} binner, {} rasteriser, {} left to the depth test", by.binner, by.rasteriser, by.early_z);
        rows.row("culled by", format!("{first}, {then}"));
        let l = c.levels;
        let large = format!("{} with groups of 8x8 pixels, {} with blocks of 4x4", l.groups, l.blocks);
        rows.row("quads left out", format!("{large}, {} by themselves, {} by their pixels", l.quads, l.pixels));
        let from = if c.update == "back" { "written depths" } else { "triangles" };
        let stale = format!("{} groups were not known to be hidden when they were asked about", c.stale);
        rows.row("bounds from", format!("{from}; {stale}"));
        if let Some(stages) = &self.funnel {
            funnel::rows(stages, rows);
        }
    }
}

fn of_merges(m: &MergeFigures, rows: &mut Rows) {
    let (all, after) = (m.lane_slots, m.after_lane_slots);
    let what = if m.merges { "merge point" } else { "last use of helpers" };
    let later = match after {
        0 => String::new(),
        _ => format!("; after the {what} {after}, {:.1} % useful", percent(m.after_lane_slots_useful, after)),
    };
    rows.row("lane slots", format!("{all}, {:.1} % useful{later}", percent(m.lane_slots_useful, all)));
    if m.pairs_possible_whole == 0 {
        return;
    }
    let (found, of, whole) = (m.pairs_found, m.pairs_possible, m.pairs_possible_whole);
    let ideal = m.pairs_ideal.map_or(String::new(), |ideal| format!(", {ideal} of all quads of the model"));
    let share = percent(found, of);
    rows.row("merges", format!("{found} of {of} possible ({share:.1} %), {whole} in whole draws{ideal}"));
    if m.pairs_launched > 0 {
        let lost = format!("{} in a full queue, {} by time, {} ended early", m.lost_depth, m.lost_time, m.lost_ended);
        rows.row("lost merges", lost);
    }
    rows.row("waiting", format!("{} cycles of slots at the merge point", m.wait_cycles));
    if m.saved_instructions > 0 {
        let of = m.instructions + m.saved_instructions;
        let fall = percent(m.saved_instructions, of);
        rows.row("merging saved", format!("{} of {of} fragment instructions, {fall:.1} %", m.saved_instructions));
    }
}

fn of_splits(s: &SplitFigures, rows: &mut Rows) {
    let all = s.before + s.after;
    let share = percent(s.saved, all + s.saved);
    let pixels = if s.pixel_groups > 0 { format!(" ({} by pixels)", s.pixel_groups) } else { String::new() };
    let groups = format!("{} groups{pixels} into {} more warps, {} ended before", s.groups, s.warps, s.ended);
    let instructions = format!("{} instructions for pixels, {} for samples", s.before, s.after);
    rows.row("splits", format!("{groups}; {instructions}: {share:.1} % fewer than from the start"));
}

fn of_bytes(bytes: &BTreeMap<&'static str, u64>, rows: &mut Rows) {
    // Colour and depth are those of tiles.
    let part = |client: &str| {
        matches!(client, "colour" | "depth" | "bins_read" | "bins_written" | "hi_z_read" | "hi_z_written")
    };
    let clients = bytes.iter().filter(|(client, n)| !part(client) && (!matches!(**client, "bins" | "hi_z") || **n > 0));
    let list: Vec<String> = clients.map(|(client, n)| format!("{client} {n}")).collect();
    let parts = ["colour", "depth"].map(|part| bytes.get(part).copied().unwrap_or(0));
    rows.row("bytes", format!("{} (colour {}, depth {})", list.join(", "), parts[0], parts[1]));
    for client in ["bins", "hi_z"] {
        let [read, written] = ["read", "written"].map(|part| bytes.get(&*format!("{client}_{part}")).copied());
        if let (Some(1..), Some(read), Some(written)) = (bytes.get(client), read, written) {
            rows.row(client, format!("{read} bytes read, {written} written"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_that_does_not_merge_has_no_merge_point() {
        let figures = MergeFigures {
            lane_slots: 200,
            lane_slots_useful: 100,
            after_lane_slots: 80,
            after_lane_slots_useful: 20,
            ..MergeFigures::default()
        };
        for (merges, place) in [(false, "last use of helpers"), (true, "merge point")] {
            let mut rows = Rows::default();
            of_merges(&MergeFigures { merges, ..figures }, &mut rows);
            let wanted = format!("lane slots              200, 50.0 % useful; after the {place} 80, 25.0 % useful\n");
            assert_eq!(rows.0, wanted);
        }
    }
}
