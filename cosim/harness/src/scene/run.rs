//! A scene on the golden model alone, and what the run reports.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::time::Instant;

use quadlock_golden::frame::{FrameError, FrameStats};
use quadlock_golden::{Config, Fault, Golden, Memory};
use serde::Serialize;

use super::ahead::AheadFigures;
use super::culls::CullFigures;
use super::funnel::{self, Stage};
use super::heat::{Heat, HeatFigures, HeatKind};
use super::layout::Frame;
use super::merging::MergeFigures;
use super::splitting::SplitFigures;
use super::visits::{VisitFigures, WindowCounts};
use crate::linking::LinkFigures;
use crate::machine::layout::BASE;
use crate::report::hang::Hang;
use crate::report::mismatch::Mismatch;
use crate::report::{Report, Verdict};

/// Triangles of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Triangles {
    /// Drawn, of all instances.
    #[serde(rename = "in")]
    pub drawn: u64,
    pub culled: u64,
    /// Cut by a plane.
    pub clipped: u64,
    /// Set up, pieces of clipped ones each.
    pub set_up: u64,
}

/// What a run says.
#[derive(Clone, Debug, Default, Serialize)]
pub struct SceneReport {
    pub name: String,
    pub engine: String,
    pub verdict: Verdict,
    pub problems: Vec<String>,
    /// What is unusual and changes no verdict.
    pub warnings: Vec<String>,
    pub draws: u64,
    pub vertices_shaded: u64,
    pub triangles: Triangles,
    pub quads: u64,
    pub helper_lanes: u64,
    pub fragments_shaded: u64,
    pub samples_written: u64,
    /// Of the machine: tiles that were read back from memory, tiles written, clock cycles, bytes at
    /// the memory port by client.
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
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cycles: Option<u64>,
    /// Of all warp units: cycles with fragments in them, and those of them in which they issue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fragment_cycles: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fragment_issues: Option<u64>,
    /// Lane slots of fragment warps, and pairs of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub merge: Option<MergeFigures>,
    /// Of a machine with Hi-Z, beside the model.
    pub culls: Option<CullFigures>,
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
    /// Of a scene whose programs are linked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<LinkFigures>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<BTreeMap<&'static str, u64>>,
    pub retired: u64,
    pub seconds: f64,
    pub png: Option<String>,
    /// Of `--heatmap`: quads shaded per pixel.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heatmap: Option<HeatFigures>,
    pub outputs: Vec<String>,
    /// The first difference between machine and model, as of jobs (docs/report.md).
    pub mismatches: Vec<Mismatch>,
    /// Why the machine stood still.
    pub hang: Option<Hang>,
}

/// A finished run.
pub struct Drawn {
    pub report: SceneReport,
    pub memory: Memory,
    /// What the run of the machine reports, if there was one.
    pub run: Option<Report>,
    /// How often each pixel was shaded.
    pub heat: Heat,
}

/// Why a frame is not started, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotStarted {
    /// A program has no end; with its place.
    Endless(String),
    /// The model does not take the frame.
    Model(String),
}

impl fmt::Display for NotStarted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Endless(text) | Self::Model(text)) = self;
        f.write_str(text)
    }
}

/// Warp instructions that a program may take.
pub(super) const LIMIT: u64 = 10_000_000;

/// Draws on the golden model; `with_heat` counts how often each pixel is shaded, which takes time.
pub fn golden(name: &str, frame: &Frame, fault: Option<Fault>, with_heat: bool) -> Drawn {
    let start = Instant::now();
    let mut bytes = vec![0; BASE as usize];
    bytes.extend_from_slice(&frame.bytes);
    let config = Config {
        units: 1,
        graphics: true,
        merge: frame.merges,
        public_registers: frame.public_registers,
        merge_private: frame.merge_private,
        merge_helpers_end: frame.merge_helpers_end,
        event_form: frame.event_form,
        fault,
        ..Config::default()
    };
    let mut golden = Golden::new(config, frame.code.clone(), vec![], Memory::from_bytes(bytes));
    let mut heat = Heat::new(frame.width, frame.height, HeatKind::Quads);
    let result = if with_heat {
        golden.log_frame(frame.list, LIMIT, false).map(|(stats, log)| {
            let shaded = log.quads.iter().filter(|q| !log.programs[q.program].is_empty());
            shaded.for_each(|q| q.tags.x.iter().zip(q.tags.y).for_each(|(&x, y)| heat.shaded(x, y)));
            stats
        })
    } else {
        golden.run_frame(frame.list, LIMIT)
    };
    let seconds = start.elapsed().as_secs_f64();
    let mut problems = vec![];
    let mut verdict = Verdict::Pass;
    let stats = match result {
        Ok(stats) => stats,
        Err(e) => {
            verdict = if matches!(e, FrameError::Endless { .. }) { Verdict::Hang } else { Verdict::EngineFailure };
            problems.push(frame.not_started(&e).to_string());
            FrameStats::default()
        }
    };
    if let (Some(fault), count) = (golden.memory_faults().0.first(), golden.memory_faults().1) {
        verdict = Verdict::MemoryFault;
        let what = if fault.write { "writes" } else { "reads" };
        let place = frame.position(fault.pc).map_or(String::new(), |p| format!(" at {p}"));
        problems
            .push(format!("a program {what} {:#010x}{place}, outside the memory; {count} such accesses", fault.addr));
    }
    if let (Some(trap), count) = (golden.traps().0.first(), golden.traps().1) {
        verdict = Verdict::Trap;
        problems.push(format!("instruction {}: {}; {count} such", trap.pc, trap.trap));
    }
    let culled = stats.culled_nan + stats.culled_frustum + stats.culled_area + stats.culled_face;
    let report = SceneReport {
        name: name.into(),
        engine: "golden".into(),
        verdict,
        problems,
        warnings: vec![],
        draws: stats.draws,
        vertices_shaded: stats.vertices_shaded,
        triangles: Triangles { drawn: stats.triangles, culled, clipped: stats.clipped, set_up: stats.set_up },
        quads: stats.quads,
        helper_lanes: stats.helper_lanes,
        fragments_shaded: stats.fragments_shaded,
        samples_written: stats.samples_written,
        tile_reloads: None,
        tiles_written: None,
        tile_visits: None,
        windows: None,
        cycles: None,
        fragment_cycles: None,
        fragment_issues: None,
        merge: None,
        culls: None,
        cull_pipeline: None,
        visible_samples: None,
        funnel: None,
        split: None,
        link: frame.link.clone(),
        bytes: None,
        retired: stats.warp_instructions,
        seconds,
        png: None,
        heatmap: None,
        outputs: vec![],
        mismatches: vec![],
        hang: None,
    };
    Drawn { report, memory: golden.into_memory(), run: None, heat }
}

/// The run of a frame that the machine was not started for: a program has no end.
pub fn endless(name: &str, frame: &Frame, problem: String) -> Drawn {
    let mut bytes = vec![0; BASE as usize];
    bytes.extend_from_slice(&frame.bytes);
    let report = SceneReport {
        name: name.into(),
        engine: "lockstep".into(),
        verdict: Verdict::Hang,
        problems: vec![problem, "the model found it; --engine rtl runs the machine into it".into()],
        ..SceneReport::default()
    };
    let heat = Heat::new(frame.width, frame.height, HeatKind::Quads);
    Drawn { report, memory: Memory::from_bytes(bytes), run: None, heat }
}

impl Frame {
    /// What the model could not draw, with the place in a program's source.
    pub(super) fn not_started(&self, error: &FrameError) -> NotStarted {
        match error {
            FrameError::Endless { pc, .. } => {
                let place = self.position(*pc).map_or(String::new(), |p| format!(" ({p})"));
                NotStarted::Endless(format!("{error}{place}"))
            }
            FrameError::List { .. } => NotStarted::Model(error.to_string()),
        }
    }

    /// Where an instruction stands in its source.
    pub fn position(&self, pc: u16) -> Option<String> {
        let (first, binary) = self.binaries.iter().rev().find(|(first, _)| *first <= u32::from(pc))?;
        binary.position((u32::from(pc) - first) as usize)
    }
}

impl SceneReport {
    /// It ended as it should.
    pub fn passed(&self) -> bool {
        self.verdict == Verdict::Pass
    }

    /// For people.
    pub fn text(&self) -> String {
        let verdict = serde_json::to_value(self.verdict).ok().and_then(|v| v.as_str().map(str::to_uppercase));
        let verdict = verdict.unwrap_or_default();
        let mut out = format!("{}: {} ({})\n", self.name, verdict, self.engine);
        for problem in &self.problems {
            let _ = writeln!(out, "  {problem}");
        }
        for warning in &self.warnings {
            let _ = writeln!(out, "  warning: {warning}");
        }
        let t = self.triangles;
        let rows = [
            ("draws", self.draws.to_string()),
            ("vertices shaded", self.vertices_shaded.to_string()),
            ("triangles", format!("{} in, {} culled, {} clipped, {} set up", t.drawn, t.culled, t.clipped, t.set_up)),
            ("quads", self.quads.to_string()),
            ("fragments shaded", format!("{} ({} helper lanes)", self.fragments_shaded, self.helper_lanes)),
            ("samples written", self.samples_written.to_string()),
            ("warp instructions", self.retired.to_string()),
            (
                "time",
                format!(
                    "{:.3} s, {:.2} million fragments/s",
                    self.seconds,
                    self.fragments_shaded as f64 / self.seconds / 1e6
                ),
            ),
        ];
        for (name, value) in rows {
            let _ = writeln!(out, "  {name:<18} {value}");
        }
        if let (Some(cycles), Some(tiles), Some(reloads)) = (self.cycles, self.tiles_written, self.tile_reloads) {
            let _ = writeln!(out, "  {:<18} {cycles}", "cycles");
            let _ = writeln!(out, "  {:<18} {tiles} written, {reloads} reloaded", "tiles");
            if let Some(v) = self.tile_visits {
                let kept = v.again.saturating_sub(reloads);
                let _ = writeln!(
                    out,
                    "  {:<18} {}: {} first, {} of the open tile, {} again, of which {kept} found theirs in a buffer",
                    "visits of tiles", v.all, v.first, v.open, v.again
                );
            }
            if let Some(w) = self.windows {
                let _ = writeln!(
                    out,
                    "  {:<18} {}: {} by triangles, {} by pairs, {} by places, {} starved, {} by the list, {} by time",
                    "windows", w.all, w.triangles, w.pairs, w.places, w.starved, w.list, w.time
                );
            }
        }
        if let (Some(cycles @ 1..), Some(issues)) = (self.fragment_cycles, self.fragment_issues) {
            let share = 100.0 * issues as f64 / cycles as f64;
            let _ = writeln!(out, "  {:<18} in {share:.1} % of {cycles} cycles with fragments in a unit", "issues");
        }
        if let Some(m) = self.merge.as_ref().filter(|m| m.lane_slots > 0) {
            let share = |useful: u64, of: u64| 100.0 * useful as f64 / of.max(1) as f64;
            let (all, after) = (m.lane_slots, m.after_lane_slots);
            let _ = write!(out, "  {:<18} {all}, {:.1} % useful", "lane slots", share(m.lane_slots_useful, all));
            let behind = share(m.after_lane_slots_useful, after);
            let _ = match after {
                0 => writeln!(out),
                _ => writeln!(out, "; behind the merge point {after}, {behind:.1} % useful"),
            };
            if m.pairs_possible_whole > 0 {
                let (found, of) = (m.pairs_found, m.pairs_possible);
                let share = share(found, of);
                let _ = writeln!(
                    out,
                    "  {:<18} {found} of {of} possible ({share:.1} %), {} in whole draws",
                    "merges", m.pairs_possible_whole
                );
                if m.pairs_launched > 0 {
                    let _ = writeln!(
                        out,
                        "  {:<18} {} in a full queue, {} by time, {} ended early",
                        "lost merges", m.lost_depth, m.lost_time, m.lost_ended
                    );
                }
                let _ = writeln!(out, "  {:<18} {} cycles of slots at the merge point", "waiting", m.wait_cycles);
                if m.saved_instructions > 0 {
                    let of = m.instructions + m.saved_instructions;
                    let fall = 100.0 * m.saved_instructions as f64 / of as f64;
                    let _ = writeln!(
                        out,
                        "  {:<18} {} of {of} fragment instructions, {fall:.1} %",
                        "merging saved", m.saved_instructions
                    );
                }
            }
        }
        if let Some(visible) = self.visible_samples {
            let share = self.fragments_shaded as f64 / visible.max(1) as f64;
            let _ = writeln!(
                out,
                "  {:<18} {visible} fragments are seen in the end; {share:.3} of them are shaded",
                "visible"
            );
        }
        if let Some(c) = self.culls.as_ref().filter(|c| c.submitted > 0) {
            let share = 100.0 * c.found as f64 / c.oracle.max(1) as f64;
            let _ = writeln!(
                out,
                "  {:<18} {} of {} groups of 8 by 8 pixels that could be ({share:.1} %), and {} more; of {} of triangles",
                "culled", c.found, c.oracle, c.beyond, c.submitted
            );
            let by = c.by;
            let _ = writeln!(
                out,
                "  {:<18} {} cull pipeline, {} visibility unit, {} binner, {} rasteriser, {} left to the depth test",
                "culled by", by.cull_pipeline, by.visibility, by.binner, by.rasteriser, by.early_z
            );
            let l = c.levels;
            let _ = writeln!(
                out,
                "  {:<18} {} with groups of 8x8 pixels, {} with blocks of 4x4, {} by themselves, {} by their pixels",
                "quads left out", l.groups, l.blocks, l.quads, l.pixels
            );
            let _ = writeln!(
                out,
                "  {:<18} {}; {} groups were not known to be hidden when they were asked about",
                "bounds from",
                if c.update == "back" { "written depths" } else { "triangles" },
                c.stale
            );
        }
        if let Some(stages) = self.funnel.as_ref().filter(|_| self.culls.is_some_and(|c| c.submitted > 0)) {
            out += &funnel::text(stages);
        }
        if let Some(a) = &self.cull_pipeline {
            out += &a.text();
        }
        if let Some(s) = self.split.as_ref().filter(|s| s.before > 0) {
            let all = s.before + s.after;
            let share = 100.0 * s.saved as f64 / (all + s.saved).max(1) as f64;
            let pixels = if s.pixel_groups > 0 { format!(" ({} by pixels)", s.pixel_groups) } else { String::new() };
            let _ = writeln!(
                out,
                "  {:<18} {} groups{} into {} more warps, {} ended before; {} instructions for pixels, {} for samples: \
                 {share:.1} % fewer than from the start",
                "splits", s.groups, pixels, s.warps, s.ended, s.before, s.after
            );
        }
        if let Some(bytes) = &self.bytes {
            // Colour and depth are those of tiles.
            let part = |client: &str| {
                matches!(client, "colour" | "depth" | "bins_read" | "bins_written" | "hi_z_read" | "hi_z_written")
            };
            let clients =
                bytes.iter().filter(|(client, n)| !part(client) && (!matches!(**client, "bins" | "hi_z") || **n > 0));
            let list: Vec<String> = clients.map(|(client, n)| format!("{client} {n}")).collect();
            let parts = ["colour", "depth"].map(|part| bytes.get(part).copied().unwrap_or(0));
            let _ = writeln!(out, "  {:<18} {} (colour {}, depth {})", "bytes", list.join(", "), parts[0], parts[1]);
            for client in ["bins", "hi_z"] {
                let [read, written] = ["read", "written"].map(|part| bytes.get(&*format!("{client}_{part}")).copied());
                if let (Some(1..), Some(read), Some(written)) = (bytes.get(client), read, written) {
                    let _ = writeln!(out, "  {client:<18} {read} bytes read, {written} written");
                }
            }
        }
        if let Some(heat) = &self.heatmap {
            let _ = writeln!(out, "  {:<18} at most {}, {:.3} on average", heat.of, heat.most, heat.mean);
        }
        for output in &self.outputs {
            let _ = writeln!(out, "  wrote {output}");
        }
        out
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
}
