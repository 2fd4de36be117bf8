//! The cull pipeline in numbers: vertices that it shades, what it finds of triangles, and by how
//! many triangles it is ahead of the one that replays. All of it is of the machine's event ports.

use serde::Serialize;

use crate::lockstep::submitted::Submitted;
use crate::machine::ports::GraphicsOutputs;
use crate::report::text::Rows;

/// Kind of its warps at the launch port.
pub const CULL: u8 = 3;

/// Triangles that it looked at, by what it found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct AheadTriangles {
    #[serde(rename = "in")]
    pub seen: u64,
    pub range: u64,
    pub frustum: u64,
    pub area: u64,
    pub face: u64,
    pub outside: u64,
    pub hidden: u64,
    /// Cut by a clip plane, and left to replay.
    pub left: u64,
    pub visible: u64,
}

/// A draw that the cull pipeline does not look at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Bypassed {
    /// Its number in the list of one frame.
    pub draw: usize,
    /// Why.
    pub reason: String,
}

/// What the report says of the cull pipeline.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct AheadFigures {
    pub bypassed: Vec<Bypassed>,
    pub vertices: u64,
    pub triangles: AheadTriangles,
    /// Triangles that replay skipped.
    pub skipped: u64,
    /// Triangles between both, when one is told of: the most, and the mean.
    pub ahead_most: u64,
    pub ahead_mean: f64,
}

impl AheadFigures {
    /// For people.
    pub(super) fn rows(&self, rows: &mut Rows) {
        let t = self.triangles;
        let culled = format!("{} culled ({} by face, {} hidden)", t.seen - t.visible - t.left, t.face, t.hidden);
        let triangles = format!("{} triangles in, {culled}, {} left alone", t.seen, t.left);
        rows.row("cull pipeline", format!("{} vertices; {triangles}", self.vertices));
        let (most, mean) = (self.ahead_most, self.ahead_mean);
        rows.row("ahead by", format!("{most} triangles at most, {mean:.1} on average"));
        for b in &self.bypassed {
            rows.row("bypassed", format!("draw {}: {}", b.draw, b.reason));
        }
    }
}

/// Collects what the machine tells.
#[derive(Clone, Debug, Default)]
pub struct AheadCounts {
    pub vertices: u64,
    /// By what was found.
    found: [u64; 8],
    pub skipped: u64,
    /// Triangles that replay has told of.
    replayed: u64,
    /// Of each triangle that is told of, its number among those that are looked at, and how many
    /// triangles replay had told of.
    distances: Vec<(usize, u64)>,
    newest: usize,
}

impl AheadCounts {
    /// What a cycle showed.
    pub fn cycle(&mut self, events: &GraphicsOutputs) {
        if let Some(l) = events.launch.as_ref().filter(|l| l.kind == CULL) {
            self.vertices += u64::from(l.mask.count_ones());
        }
        if let Some(a) = &events.ahead {
            let near = a.order.wrapping_sub(self.newest as u16) as i16;
            let number = self.newest.saturating_add_signed(near.into());
            self.newest = self.newest.max(number);
            self.found[usize::from(a.what & 7)] += 1;
            self.distances.push((number, self.replayed));
        }
        if let Some(t) = &events.triangle {
            self.replayed += u64::from(t.last);
            self.skipped += u64::from(crate::machine::ports::is_skipped(t));
        }
    }

    /// The figures, with the list that was drawn and the draws that bypass.
    pub fn figures(&self, list: &Submitted, bypassed: Vec<Bypassed>) -> AheadFigures {
        let places = list.places_ahead();
        let ahead = |&(number, replayed): &(usize, u64)| {
            let at = places.get(number).map_or(0, |&n| n as u64);
            at.saturating_sub(replayed)
        };
        let all: Vec<u64> = self.distances.iter().map(ahead).collect();
        let [visible, range, frustum, area, face, outside, hidden, left] = self.found;
        let seen = self.found.iter().sum();
        AheadFigures {
            bypassed,
            vertices: self.vertices,
            triangles: AheadTriangles { seen, range, frustum, area, face, outside, hidden, left, visible },
            skipped: self.skipped,
            ahead_most: all.iter().copied().max().unwrap_or(0),
            ahead_mean: all.iter().sum::<u64>() as f64 / all.len().max(1) as f64,
        }
    }
}
