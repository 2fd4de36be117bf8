//! Where the cycles of a frame go: each belongs to the stage that was the limit in it.
//!
//! The event `stage` says which streams are offered and not taken. The stage behind the last of
//! them, seen from the end of the pipeline, is the limit: what is before it waits for it, and what
//! is behind it could take more. If every stream moves, the first stage that has work is the limit,
//! because all others wait for it.
//!
//! ```text
//! list > geometry > visibility > binner > rasteriser > early tests > shading > late tests, blend
//!                                   |                                               |
//!                                   +---- a tile is opened: tile buffers, memory ---+
//! ```
//!
//! A cycle of shading has the reason for which no unit issues, or `issue` if one does. Wrong would
//! be a stage that is left out: a test says of each bit whose cycle it makes. The sum of all stages
//! is `cycles`.

use serde::Serialize;

use crate::base::units::percent;
use crate::machine::ports::{Outputs, StageEvent};
use crate::report::text::Rows;

/// Cycles of shading, by what the units do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ShadingCycles {
    /// A unit issues an instruction.
    pub issue: u64,
    pub memory: u64,
    pub fetch: u64,
    pub port_conflict: u64,
    /// No unit has a warp that could issue.
    pub no_warp: u64,
    /// A result of an instruction is awaited.
    pub other: u64,
}

/// What the report says of where cycles go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct AccountFigures {
    /// Cycles in which the command list was run: the sum of the others.
    pub cycles: u64,
    /// The list itself: nothing else is at work.
    pub list: u64,
    /// Indices, vertices, assembly, clipping, set-up.
    pub geometry: u64,
    /// An opaque run waits until all triangles before it are drawn, and no unit issues.
    pub held: u64,
    /// The pipeline that draws waits for what the cull pipeline finds visible.
    pub cull_pipeline: u64,
    pub visibility: u64,
    pub binner: u64,
    pub rasteriser: u64,
    pub shading: ShadingCycles,
    /// Tests and blending.
    pub back_end: u64,
    /// Tiles are cleared, loaded or written.
    pub memory: u64,
    /// Contexts in use by draws: the most, and the mean.
    pub contexts_most: u64,
    pub contexts_mean: f64,
}

/// The stage that was the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Limit {
    List,
    Geometry,
    Held,
    CullPipeline,
    Visibility,
    Binner,
    Rasteriser,
    Shading,
    BackEnd,
    Memory,
}

fn limit(s: &StageEvent) -> Limit {
    // What waits for fragments in flight waits for shading.
    let in_flight = if s.quads { Limit::Shading } else { Limit::BackEnd };
    match () {
        () if s.commit || s.result => Limit::BackEnd,
        () if s.shade => Limit::Shading,
        () if s.tested => in_flight,
        () if s.rastered => Limit::BackEnd,
        () if s.binned => Limit::Rasteriser,
        () if s.opening && s.tiles => Limit::Memory,
        () if s.opening => in_flight,
        () if s.seen => Limit::Binner,
        () if s.held => Limit::Held,
        () if s.set_up => Limit::Visibility,
        () if s.ahead => Limit::CullPipeline,
        // Fragments free places.
        () if s.geometry && s.places && s.quads => Limit::Shading,
        () if s.geometry => Limit::Geometry,
        () if s.sorts => Limit::Binner,
        () if s.quads => Limit::Shading,
        () if s.tiles => Limit::Memory,
        () => Limit::List,
    }
}

/// Collects what the machine tells.
#[derive(Clone, Copy, Debug, Default)]
pub struct Account {
    figures: AccountFigures,
    contexts: u64,
}

impl Account {
    /// What a cycle showed.
    pub fn cycle(&mut self, outputs: &Outputs) {
        let Some(stage) = &outputs.graphics.stage else { return };
        let f = &mut self.figures;
        f.cycles += 1;
        let contexts = u64::from(stage.contexts.count_ones());
        self.contexts += contexts;
        f.contexts_most = f.contexts_most.max(contexts);
        // What a run waits for goes on meanwhile: a cycle in which it is shaded is not lost.
        let issues = outputs.units.iter().any(|unit| unit.issue);
        let found = match limit(stage) {
            Limit::Held if issues => Limit::Shading,
            other => other,
        };
        *match found {
            Limit::List => &mut f.list,
            Limit::Geometry => &mut f.geometry,
            Limit::Held => &mut f.held,
            Limit::CullPipeline => &mut f.cull_pipeline,
            Limit::Visibility => &mut f.visibility,
            Limit::Binner => &mut f.binner,
            Limit::Rasteriser => &mut f.rasteriser,
            Limit::Shading => f.shading.of(outputs),
            Limit::BackEnd => &mut f.back_end,
            Limit::Memory => &mut f.memory,
        } += 1;
    }

    /// The figures.
    pub fn figures(mut self) -> AccountFigures {
        self.figures.contexts_mean = self.contexts as f64 / self.figures.cycles.max(1) as f64;
        self.figures
    }
}

impl ShadingCycles {
    /// Whose cycle this is: a unit issues, or the first reason in this order that a unit has.
    fn of(&mut self, outputs: &Outputs) -> &mut u64 {
        let reasons = outputs.units.iter().fold(0, |all, unit| all | unit.stall);
        let is = |bit: u32| reasons >> bit & 1 == 1;
        match () {
            () if outputs.units.iter().any(|unit| unit.issue) => &mut self.issue,
            () if is(1) => &mut self.memory,
            () if is(2) => &mut self.fetch,
            () if is(3) => &mut self.port_conflict,
            () if reasons == 1 => &mut self.no_warp,
            () => &mut self.other,
        }
    }

    fn all(&self) -> u64 {
        self.issue + self.memory + self.fetch + self.port_conflict + self.no_warp + self.other
    }
}

impl AccountFigures {
    /// For people: the stages that took cycles, the greatest first.
    pub(super) fn rows(&self, rows: &mut Rows) {
        let s = &self.shading;
        let stages = [
            ("list", self.list),
            ("geometry", self.geometry),
            ("waiting runs", self.held),
            ("cull pipeline", self.cull_pipeline),
            ("visibility", self.visibility),
            ("binner", self.binner),
            ("rasteriser", self.rasteriser),
            ("shading", s.all()),
            ("back end", self.back_end),
            ("memory", self.memory),
        ];
        rows.row("cycles by limit", shares(&stages, self.cycles));
        if s.all() > 0 {
            let reasons = [
                ("issue", s.issue),
                ("memory", s.memory),
                ("fetch", s.fetch),
                ("port conflict", s.port_conflict),
                ("no warp", s.no_warp),
                ("other", s.other),
            ];
            rows.row("of shading", shares(&reasons, s.all()));
        }
        let (most, mean) = (self.contexts_most, self.contexts_mean);
        rows.row("contexts", format!("{most} in use at most, {mean:.1} on average"));
    }
}

/// Parts of a whole in words, the greatest first.
fn shares(parts: &[(&str, u64)], whole: u64) -> String {
    let mut parts: Vec<_> = parts.iter().filter(|(_, n)| *n > 0).collect();
    parts.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    let words: Vec<String> = parts.iter().map(|(name, n)| format!("{name} {:.1} %", percent(*n, whole))).collect();
    words.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::ports::{GraphicsOutputs, UnitOutputs};

    /// Sets bits of a stage.
    type Set = fn(&mut StageEvent);

    fn stage(set: Set) -> StageEvent {
        let mut stage = StageEvent::default();
        set(&mut stage);
        stage
    }

    /// Each bit alone has its stage, and the one that is nearer to the end wins.
    #[test]
    fn the_last_stream_that_waits_says_the_limit() {
        let cases: [(Set, Limit); 20] = [
            (|_| {}, Limit::List),
            (|s| s.tiles = true, Limit::Memory),
            (|s| s.quads = true, Limit::Shading),
            (|s| s.sorts = true, Limit::Binner),
            (|s| s.geometry = true, Limit::Geometry),
            (|s| s.set_up = true, Limit::Visibility),
            (|s| (s.set_up, s.held) = (true, true), Limit::Held),
            (|s| (s.ahead, s.geometry) = (true, true), Limit::CullPipeline),
            (|s| (s.ahead, s.held) = (true, true), Limit::Held),
            (|s| (s.geometry, s.places) = (true, true), Limit::Geometry),
            (|s| (s.geometry, s.places, s.quads) = (true, true, true), Limit::Shading),
            (|s| s.seen = true, Limit::Binner),
            (|s| s.opening = true, Limit::BackEnd),
            (|s| (s.opening, s.quads) = (true, true), Limit::Shading),
            (|s| (s.opening, s.tiles) = (true, true), Limit::Memory),
            (|s| s.binned = true, Limit::Rasteriser),
            (|s| s.rastered = true, Limit::BackEnd),
            (|s| (s.tested, s.quads) = (true, true), Limit::Shading),
            (|s| s.shade = true, Limit::Shading),
            (|s| s.commit = true, Limit::BackEnd),
        ];
        for (n, (set, expected)) in cases.into_iter().enumerate() {
            assert_eq!(limit(&stage(set)), expected, "case {n}");
        }
        let all = |s: &mut StageEvent| (s.set_up, s.seen, s.binned, s.shade) = (true, true, true, true);
        assert_eq!(limit(&stage(all)), Limit::Shading);
    }

    #[test]
    fn the_sum_of_all_stages_is_the_cycles() {
        let mut account = Account::default();
        let mut cycle = |set: Set, issue: bool, stall: u8| {
            let graphics = GraphicsOutputs { stage: Some(stage(set)), ..GraphicsOutputs::default() };
            let units = vec![UnitOutputs { issue, stall, ..UnitOutputs::default() }];
            account.cycle(&Outputs { graphics, units, ..Outputs::default() });
        };
        cycle(|s| s.contexts = 0b101, false, 0);
        cycle(|s| (s.geometry, s.contexts) = (true, 1), false, 0);
        for (issue, stall) in [(true, 0), (false, 2), (false, 4), (false, 8), (false, 1), (false, 3), (false, 0)] {
            cycle(|s| s.shade = true, issue, stall);
        }
        // A run that waits while what it waits for is shaded, and while nothing is.
        let mut waits = |issue| {
            let graphics = GraphicsOutputs { stage: Some(stage(|s| s.held = true)), ..GraphicsOutputs::default() };
            let units = vec![UnitOutputs { issue, ..UnitOutputs::default() }];
            account.cycle(&Outputs { graphics, units, ..Outputs::default() });
        };
        waits(true);
        waits(false);
        account.cycle(&Outputs::default());
        let f = account.figures();
        let s = f.shading;
        assert_eq!((s.issue, s.memory, s.fetch, s.port_conflict, s.no_warp, s.other), (2, 2, 1, 1, 1, 1));
        assert_eq!((f.cycles, f.list, f.geometry, f.held, s.all()), (11, 1, 1, 1, 8));
        assert_eq!((f.contexts_most, f.contexts_mean), (2, 3.0 / 11.0));
        let mut rows = Rows::default();
        f.rows(&mut rows);
        assert!(rows.0.contains("shading 72.7 %, list 9.1 %, geometry 9.1 %, waiting runs 9.1 %"), "{}", rows.0);
    }
}
