//! How often each pixel is shaded: `quadlock run SCENE --heatmap F.png`. A quad counts for each of
//! its four pixels, helper lanes too, since all four are executed; with samples shaded one by one
//! each counts. `--heatmap merged=F.png` counts something else ([`HeatKind`]). The colour of a
//! count is fixed, so two pictures can be compared.
//!
//! A tile that is loaded again is told without its place. The place is that of the line that the
//! tile buffers read next: what they did before has ended then.
//!
//! What merges and splits say has slots, and the pixels of a slot are those of its launch. A slot
//! whose next launch comes before such an event would count for the wrong pixels; the machine
//! forbids that.

use std::collections::{HashMap, HashSet};

use serde::Serialize;

use super::newest::Newest;
use crate::lockstep::submitted::Submitted;
use crate::machine::ports::{own_lanes, pixel_of, GraphicsOutputs, MergeEvent, Outputs, SplitEvent, TILES};

/// Kind of a fragment warp at the launch port.
const FRAGMENT: u8 = 2;

/// What is counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HeatKind {
    /// Lanes of shaded quads, helpers too.
    #[default]
    Quads,
    /// Helpers of them.
    Helpers,
    /// Lanes that went on in a merged warp (MS-11).
    Merged,
    /// Lanes that went on for a sample behind a split (MS-40).
    Split,
    /// Pairs of a triangle and a group of 8 by 8 pixels that were culled before the depth test.
    Culls,
    /// Tiles that were loaded again.
    Reloads,
}

impl HeatKind {
    const ALL: [(HeatKind, &'static str, &'static str); 6] = [
        (Self::Quads, "quads", "quads per pixel"),
        (Self::Helpers, "helpers", "helpers per pixel"),
        (Self::Merged, "merged", "merged lanes"),
        (Self::Split, "split", "split lanes"),
        (Self::Culls, "culls", "culled triangles"),
        (Self::Reloads, "reloads", "reloads of tiles"),
    ];

    /// By its name on the command line.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|k| k.1 == name).map(|k| k.0)
    }

    /// What a report calls it.
    pub fn words(self) -> &'static str {
        Self::ALL[self as usize].2
    }

    /// Names, for messages.
    pub fn names() -> String {
        Self::ALL.map(|k| k.1).join(", ")
    }
}

/// What a slot was launched with.
#[derive(Clone, Copy, Debug, Default)]
struct SlotPlaces {
    /// Of the lanes; behind a merge those of the lanes that came, too.
    places: [u32; 4],
    /// Lanes that cover something.
    covered: u8,
    /// The pixel that all lanes are of.
    pixel: Option<u8>,
    /// Of a member of a group that splits: how many others there are.
    others: Option<u8>,
    /// Slot of the first sample of the group that has merged into it (MS-42).
    second: Option<u8>,
}

/// Counts of pixels.
#[derive(Clone, Debug)]
pub struct Heat {
    width: u32,
    height: u32,
    kind: HeatKind,
    counts: Vec<u32>,
    /// By unit and slot.
    slots: HashMap<(u8, u8), SlotPlaces>,
    /// Slots whose warp has merged.
    merged: HashSet<(u8, u8)>,
    /// What is drawn, and the newest triangle of it.
    list: Submitted,
    newest: Newest,
    /// A tile is loaded again, and no line of it was read yet.
    reloading: bool,
}

/// What the report says of them.
#[derive(Clone, Debug, Serialize)]
pub struct HeatFigures {
    pub png: String,
    /// What is counted, in words.
    pub of: &'static str,
    /// The greatest count of a pixel.
    pub most: u32,
    /// Mean of all pixels.
    pub mean: f64,
}

/// Colours, each up to a count: docs/scenes.md shows them.
const SCALE: [(u32, [u8; 3]); 10] = [
    (0, [0, 0, 0]),
    (1, [24, 32, 96]),
    (2, [32, 80, 176]),
    (3, [32, 144, 192]),
    (4, [48, 176, 112]),
    (6, [144, 200, 48]),
    (8, [232, 208, 40]),
    (12, [240, 144, 32]),
    (16, [224, 56, 40]),
    (u32::MAX, [255, 255, 255]),
];

impl Heat {
    /// Of a target of that size; nothing is shaded yet.
    pub fn new(width: u32, height: u32, kind: HeatKind) -> Self {
        let counts = vec![0; width as usize * height as usize];
        Self {
            width,
            height,
            kind,
            counts,
            slots: HashMap::new(),
            merged: HashSet::new(),
            list: Submitted::default(),
            newest: Newest::default(),
            reloading: false,
        }
    }

    /// With the list that says where tiles are.
    pub(crate) fn with_list(self, list: Submitted) -> Self {
        Self { list, ..self }
    }

    /// What is counted.
    pub fn kind(&self) -> HeatKind {
        self.kind
    }

    /// Takes in a cycle of the machine.
    pub fn cycle(&mut self, outputs: &Outputs) {
        self.lanes_of(&outputs.graphics);
        if self.kind == HeatKind::Reloads {
            self.reloads(outputs);
        }
    }

    /// Tiles that are loaded again.
    fn reloads(&mut self, outputs: &Outputs) {
        if let Some(t) = &outputs.graphics.triangle {
            self.newest.number(t.order);
        }
        self.reloading |= outputs.graphics.tile.as_ref().is_some_and(|t| t.reloaded);
        let read = outputs.mem_req.filter(|r| !r.write && outputs.mem_source == Some(TILES));
        let Some(read) = read.filter(|_| self.reloading) else { return };
        self.reloading = false;
        // A pass begins when nothing of the one before is left.
        let pass = self.list.draw_of(self.newest.triangle()).map(|d| self.list.draws[d].pass);
        let Some(pass) = pass.and_then(|n| self.list.passes.get(n)) else { return };
        let side = pass.side;
        if let Some(first) = pass.tile_of(read.addr) {
            self.square(first, side);
        }
    }

    /// Lanes of warps.
    fn lanes_of(&mut self, events: &GraphicsOutputs) {
        for MergeEvent { unit, kept, gone, stayed, came } in events.merges.iter().copied() {
            let from = self.slots.get(&(unit, gone)).copied().unwrap_or_default();
            let Some(home) = self.slots.get_mut(&(unit, kept)) else { continue };
            (0..4).filter(|l| came >> l & 1 == 1).for_each(|l| home.places[l] = from.places[l]);
            home.second = from.others.map(|_| gone);
            let places = home.places;
            // Of a group of more than two those that came before have been counted.
            let new = if self.merged.insert((unit, kept)) { stayed | came } else { came };
            self.lanes(HeatKind::Merged, places, new);
        }
        for SplitEvent { unit, warp, others, lanes, covered: all } in events.splits.iter().copied() {
            let second = self.slots.get_mut(&(unit, warp)).and_then(|home| home.second.take());
            let of_second = |slot: u8| self.slots.get(&(unit, slot)).and_then(|s| s.others).unwrap_or(0);
            let second = second.map_or(0..0, |slot| slot..slot + of_second(slot) + 1);
            for slot in (warp..warp + others + 1).chain(second) {
                let SlotPlaces { places, covered, pixel, .. } =
                    self.slots.get(&(unit, slot)).copied().unwrap_or_default();
                let goes_on = match pixel {
                    Some(pixel) if (lanes & all) >> pixel & 1 == 1 => covered,
                    Some(_) => 0,
                    None => lanes & covered & all,
                };
                self.lanes(HeatKind::Split, places, goes_on);
            }
        }
        if let Some(l) = events.launch.as_ref().filter(|l| l.kind == FRAGMENT) {
            let covered = own_lanes(l);
            self.lanes(HeatKind::Quads, l.place, 15);
            self.lanes(HeatKind::Helpers, l.place, !covered & 15);
            let others = (l.split != 0).then_some(l.others);
            let slot = SlotPlaces { places: l.place, covered, pixel: pixel_of(l), others, second: None };
            self.slots.insert((l.unit, l.warp), slot);
            self.merged.remove(&(l.unit, l.warp));
        }
    }

    fn lanes(&mut self, kind: HeatKind, places: [u32; 4], mask: u8) {
        if kind == self.kind {
            let lanes = (0..4).filter(|l| mask >> l & 1 == 1);
            lanes.for_each(|l| self.shaded(places[l] & 0xFFF, places[l] >> 12 & 0xFFF));
        }
    }

    /// A lane shades the pixel. Helper lanes beside the target count for no pixel.
    pub fn shaded(&mut self, x: u32, y: u32) {
        if x < self.width && y < self.height {
            self.counts[(y * self.width + x) as usize] += 1;
        }
    }

    /// Each pixel of a square counts, from its first pixel on.
    pub(in crate::scene) fn square(&mut self, (left, top): (u32, u32), side: u32) {
        for y in top..top + side {
            (left..left + side).for_each(|x| self.shaded(x, y));
        }
    }

    /// What the report says of them, and the picture as red, green, blue, alpha.
    pub fn figures(&self, png: String) -> (HeatFigures, Vec<u8>) {
        let most = self.counts.iter().copied().max().unwrap_or(0);
        let sum: u64 = self.counts.iter().map(|&c| u64::from(c)).sum();
        let colour = |&count: &u32| {
            let [r, g, b] = SCALE.iter().find(|s| count <= s.0).map_or([255; 3], |s| s.1);
            [r, g, b, 255]
        };
        let mean = sum as f64 / self.counts.len().max(1) as f64;
        (HeatFigures { png, of: self.kind.words(), most, mean }, self.counts.iter().flat_map(colour).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lockstep::submitted::{DrawAt, PassAt, TargetAt};
    use crate::machine::ports::{GraphicsLaunched, MemoryRequest, TileEvent};

    #[test]
    fn counts_have_their_colours_and_what_is_outside_counts_nothing() {
        let mut heat = Heat::new(3, 1, HeatKind::Quads);
        for (x, y) in [(0, 0), (2, 0), (2, 0), (2, 0), (3, 0), (0, 1)] {
            heat.shaded(x, y);
        }
        let (figures, pixels) = heat.figures("h.png".into());
        assert_eq!((figures.most, figures.mean), (3, 4.0 / 3.0));
        assert_eq!(pixels, [24, 32, 96, 255, 0, 0, 0, 255, 32, 144, 192, 255]);
    }

    #[test]
    fn lanes_that_merge_and_split_count_where_they_were_launched() {
        let launch = |warp: u8, x: u32, covered: u8, split: u16| GraphicsOutputs {
            launch: Some(GraphicsLaunched {
                warp,
                covered,
                split,
                kind: FRAGMENT,
                place: [0, 1, 0x1000, 0x1001].map(|p| p + x + (1 << 26)),
                ..Default::default()
            }),
            ..Default::default()
        };
        let counted = |kind| {
            let mut heat = Heat::new(4, 2, kind);
            heat.lanes_of(&launch(0, 0, 0b0001, 0));
            heat.lanes_of(&launch(1, 2, 0b0010, 0));
            let merges = vec![MergeEvent { unit: 0, kept: 0, gone: 1, stayed: 0b0001, came: 0b0010 }];
            heat.lanes_of(&GraphicsOutputs { merges, ..Default::default() });
            heat.lanes_of(&launch(4, 0, 0b1111, 1));
            heat.lanes_of(&launch(5, 0, 0b0011, 1));
            let splits = vec![SplitEvent { unit: 0, warp: 4, others: 1, lanes: 0b0111, covered: 15 }];
            heat.lanes_of(&GraphicsOutputs { splits, ..Default::default() });
            heat.counts
        };
        assert_eq!(counted(HeatKind::Merged), [1, 0, 0, 1, 0, 0, 0, 0]);
        assert_eq!(counted(HeatKind::Split), [2, 2, 0, 0, 2, 0, 0, 0]);
        assert_eq!(counted(HeatKind::Helpers), [0, 1, 1, 0, 1, 1, 1, 1]);
        assert_eq!(counted(HeatKind::Quads), [3, 3, 1, 1, 3, 3, 1, 1]);
    }

    /// Two tiles of 8 by 8 pixels, four quads wide and high. What is loaded before, and other
    /// clients, count nothing.
    #[test]
    fn a_reload_counts_where_its_first_line_is() {
        let pass = PassAt {
            width: 16,
            height: 8,
            samples: 1,
            side: 8,
            row: 8,
            plane: 32,
            targets: vec![TargetAt { address: 0x1000, words: 1, resolved: None, stored: true }],
            depth: None,
            depth_place: Some(0x2000),
        };
        let draw = DrawAt {
            triangles: 0..1,
            instances: 0..1,
            written: 15,
            may_cull: true,
            covers: true,
            scissor: [0, 0, 16, 8],
            ..DrawAt::default()
        };
        let mut list = Submitted::default();
        list.passes.push(pass);
        list.draws.push(draw);
        let mut heat = Heat::new(16, 8, HeatKind::Reloads).with_list(list);
        let mut cycle = |reloaded: bool, source: u8, write: bool, addr: u32| {
            let tile = reloaded.then_some(TileEvent { written: false, reloaded });
            heat.cycle(&Outputs {
                mem_req: Some(MemoryRequest { addr, write, mask: 0, data: [0; 4] }),
                mem_source: Some(source),
                graphics: GraphicsOutputs { tile, ..GraphicsOutputs::default() },
                ..Outputs::default()
            });
        };
        cycle(false, TILES, false, 0x1000);
        cycle(true, 33, false, 0x1000);
        cycle(false, TILES, true, 0x1000);
        // Line 8 * 1 + 5 of depth is of the right tile; the next one is of the same reload.
        cycle(false, TILES, false, 0x2000 + 16 * 13);
        cycle(false, TILES, false, 0x1000);
        cycle(true, TILES, false, 0x1000 + 16 * 4);
        let row: Vec<u32> = [0; 8].into_iter().chain([2; 8]).collect();
        assert_eq!(heat.counts, row.repeat(8));
    }

    /// MS-42: behind the split each sample of both quads has a warp, and its pixels count.
    #[test]
    fn two_quads_that_merge_and_split_count_both() {
        let launch = |warp: u8, x: u32, covered: u32, others: u8| GraphicsOutputs {
            launch: Some(GraphicsLaunched {
                warp,
                others,
                covered: 15,
                split: 1,
                kind: FRAGMENT,
                place: [0, 1, 2, 3].map(|l| x + (l & 1) + (l >> 1 << 12) + ((covered >> l & 1) << 26)),
                ..Default::default()
            }),
            ..Default::default()
        };
        let mut heat = Heat::new(4, 2, HeatKind::Split);
        let quads = [launch(0, 0, 0b0011, 1), launch(1, 0, 0b0001, 1)];
        let others = [launch(4, 2, 0b0100, 2), launch(5, 2, 0b1100, 2), launch(6, 2, 0b1000, 2)];
        quads.iter().chain(&others).for_each(|events| heat.lanes_of(events));
        let merges = vec![MergeEvent { unit: 0, kept: 0, gone: 4, stayed: 0b0011, came: 0b1100 }];
        heat.lanes_of(&GraphicsOutputs { merges, ..Default::default() });
        // Lane 1 has ended before the split.
        let splits = vec![SplitEvent { unit: 0, warp: 0, others: 1, lanes: 0b1101, covered: 15 }];
        heat.lanes_of(&GraphicsOutputs { splits, ..Default::default() });
        assert_eq!(heat.counts, [2, 0, 0, 0, 0, 0, 2, 2]);
    }
}
