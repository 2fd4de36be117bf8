//! Triangles through the rasteriser, tile by tile, with stalls on both sides; every beat is
//! compared with the [reference](super::reference). A stand-in for whoever knows depths may hide
//! groups and tiles: those of some numbers, so that the reference knows them, too.

use std::collections::BTreeMap;

use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::reference::{quads, Area, Beat, Depth, Shape};
use crate::common::machine::Machine;

/// Cycles without a beat, triangles at hand and the port open, after which it hangs: an empty tile
/// takes 20.
const PATIENCE: u64 = 3000;

/// What the pass record says.
#[derive(Clone, Copy, Debug)]
pub struct Pass {
    /// 0 one, 1 two, 2 four.
    pub samples: usize,
    /// Log2 of the tile's side.
    pub side: u32,
}

/// Probability that a triangle is offered, and that a beat is taken, in a cycle.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    pub offer: f64,
    pub take: f64,
}

pub const FULL: Pace = Pace { offer: 1.0, take: 1.0 };

/// A triangle with all that goes with it.
#[derive(Clone, Debug)]
pub struct Triangle {
    pub shape: Shape,
    pub depth: Depth,
    /// Bounding box, inside scissor and target.
    pub area: Area,
    pub context: u64,
    pub handle: u64,
    pub order: u64,
    pub back: u64,
    pub buffer: u64,
    pub vertex: [u64; 3],
}

impl Triangle {
    /// In `window`, with names from `rng`; nothing if no pixel of the box is in the window.
    pub fn new(shape: Shape, window: Area, rng: &mut ChaCha8Rng) -> Option<Self> {
        let area = shape.bounds().and(window);
        let depth = shape.depth();
        (!area.is_empty()).then(|| {
            let (context, handle, order) =
                (rng.random_range(0..8), rng.random_range(0..4096), rng.random_range(0..65536u64));
            let (back, buffer) = (rng.random_range(0..2), rng.random_range(0..2));
            let vertex = [3, 5, 7].map(|k| (k * order + handle) % 4096);
            Self { shape, depth, area, context, handle, order, back, buffer, vertex }
        })
    }

    /// The tiles of its box in raster order.
    pub fn tiles(&self, side: u32) -> Vec<(i128, i128)> {
        let Area { x0, y0, x1, y1 } = self.area;
        let row = |y: i128| (x0 >> side..=x1 >> side).map(move |x| (x << side, y << side));
        (y0 >> side..=y1 >> side).flat_map(row).collect()
    }
}

/// A triangle in a tile.
struct Item<'a> {
    triangle: &'a Triangle,
    tile: (i128, i128),
    last: bool,
}

/// What is still to come of the oldest item.
#[derive(Default)]
struct Due {
    quads: BTreeMap<(i128, i128), Vec<Beat>>,
    /// Beats of the quad that is coming.
    place: (i128, i128),
    beats: Vec<Beat>,
}

/// What a run has seen.
#[derive(Debug, Default)]
pub struct Seen {
    pub quads: u64,
    pub beats: u64,
    /// From the first triangle offered to the last beat.
    pub cycles: u64,
    pub most_tiles: usize,
    /// Cycles in which the stand-in said that a group is hidden.
    pub hidden: u64,
}

pub struct Run<'a> {
    machine: &'a mut Machine,
    pass: Pass,
    masks: [u64; 8],
    pace: Pace,
    /// So many of eight groups are hidden, and answers come late; 0: none, and at once.
    pub hidden: u64,
    /// So many of eight quads are hidden, too, in a machine that tests parts of groups.
    pub parts: u64,
    /// Rows of quads of which that is known.
    known: u64,
    /// The group that begins; the one that is covered: order, place.
    begun: Option<(u64, u64, u64)>,
    covered: (u64, u64, u64),
}

/// Whether the stand-in hides a group (or a tile) at that place of a triangle.
fn hides(hidden: u64, order: u64, x: u64, y: u64) -> bool {
    let mixed = (order << 32 ^ x << 16 ^ y).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed >> 61 < hidden
}

/// One tile of eight.
fn hides_tile(order: u64, (x, y): (i128, i128)) -> bool {
    hides(1, order, x as u64 ^ 0x3FFF, y as u64)
}

impl<'a> Run<'a> {
    /// State is written first.
    pub fn new(machine: &'a mut Machine, pass: Pass, masks: [u64; 8], pace: Pace) -> Self {
        let word = pass.samples as u64 | u64::from(pass.side) << 4 | 1 << 8;
        let state = |machine: &mut Machine, pass: bool, context: usize, word: u64, data: u64| {
            machine.set("state_valid", u64::from(!pass));
            machine.set("state_pass", u64::from(pass));
            machine.set("state_context", context as u64);
            machine.set("state_word", word);
            machine.set("state_data", data);
            machine.settle();
            machine.cycle();
        };
        state(machine, true, 7, 1, word);
        // Other words must change nothing.
        state(machine, true, 3, 32, 0xFFFF_FFFF);
        for (context, &mask) in masks.iter().enumerate() {
            state(machine, false, context, 32, mask | 0xFFFF_FFF0);
            state(machine, false, context, 1, 0);
            state(machine, false, context, 33, 0);
        }
        machine.set("state_valid", 0);
        machine.set("state_pass", 0);
        machine.set("answer_valid", 1);
        machine.set("hidden", 0);
        Self { machine, pass, masks, pace, hidden: 0, parts: 0, known: 0, begun: None, covered: (0, 0, 0) }
    }

    fn offer(&mut self, item: &Item) {
        let t = item.triangle;
        let field = |value: i128, width: u32| (value as u64) & u64::MAX >> (64 - width);
        let mut set = |port: &str, value: u64| self.machine.set(port, value);
        for i in 0..3 {
            let (a, b) = t.shape.slopes(i);
            set(&format!("triangle_a{i}"), field(a, 24));
            set(&format!("triangle_b{i}"), field(b, 24));
            set(&format!("triangle_c{i}"), field(t.shape.edge(i, 0, 0), 48));
        }
        set("triangle_z", field(t.depth.z, 60));
        set("triangle_gx", field(t.depth.gx, 50));
        set("triangle_gy", field(t.depth.gy, 50));
        set("triangle_z_low", field(t.depth.low, 24));
        set("triangle_z_high", field(t.depth.high, 24));
        for (port, value) in [("x0", t.area.x0), ("y0", t.area.y0), ("x1", t.area.x1), ("y1", t.area.y1)] {
            set(&format!("triangle_{port}"), field(value, 12));
        }
        set("triangle_context", t.context);
        set("triangle_handle", t.handle);
        set("triangle_order", t.order);
        set("triangle_back", t.back);
        set("tile_buffer", t.buffer);
        set("tile_x", field(item.tile.0, 12));
        set("tile_y", field(item.tile.1, 12));
        for k in 0..3 {
            set(&format!("triangle_vertex{k}"), t.vertex[k]);
        }
        set("tile_last", item.last.into());
        let hidden = self.hidden > 0 && hides_tile(t.order, item.tile);
        self.machine.set("tile_hidden", hidden.into());
    }

    fn due(&self, item: &Item) -> Due {
        let side = 1 << self.pass.side;
        let (x0, y0) = item.tile;
        let tile = Area { x0, y0, x1: x0 + side - 1, y1: y0 + side - 1 };
        let t = item.triangle;
        let mask = self.masks[t.context as usize];
        let mut quads = quads(&t.shape, &t.depth, t.area.and(tile), self.pass.samples, mask);
        if self.hidden > 0 {
            let area = t.area.and(tile);
            let whole = hides_tile(t.order, item.tile);
            let begin = |least: i128, at: i128| match self.parts {
                0 => ((least >> 1) + (at - (least >> 1)) / 4 * 4) as u64,
                // Then groups are aligned.
                _ => at as u64 & !3,
            };
            quads.retain(|&(y, x), _| !whole && !hides(self.hidden, t.order, begin(area.x0, x), begin(area.y0, y)));
            quads.retain(|&(y, x), _| !hides(self.parts, t.order ^ 0x5A5A, x as u64, y as u64));
        }
        Due { quads, ..Due::default() }
    }

    /// The beat at the port as words, for comparison while it waits.
    fn beat(&self) -> Vec<u64> {
        ["end", "context", "handle", "order", "back", "buffer", "x", "y", "sample", "last", "coverage"]
            .iter()
            .map(|port| self.machine.get(&format!("quad_{port}")))
            .chain((0..4).map(|k| self.machine.get(&format!("quad_depth{k}"))))
            .chain((0..3).map(|k| self.machine.get(&format!("quad_vertex_{k}"))))
            .collect()
    }

    /// Compares a beat that is taken with what is due; true if that was all of the item.
    fn check(&self, beat: &[u64], item: &Item, due: &mut Due) -> Result<bool, String> {
        let t = item.triangle;
        let what = format!("{:?} in tile {:?} of {:?}, box {:?}", t.shape, item.tile, self.pass, t.area);
        let owner = [t.context, t.handle, t.order, t.back];
        if beat[1..5] != owner || beat[15..18] != t.vertex {
            let vertex = &beat[15..18];
            return Err(format!("owner {:?} {vertex:?} instead of {owner:?} {:?}: {what}", &beat[1..5], t.vertex));
        }
        if beat[0] == 1 {
            return match due.beats.is_empty() && due.quads.is_empty() {
                true => Ok(true),
                false => Err(format!("end before quads {:?}: {what}", due.quads.keys())),
            };
        }
        if beat[5] != t.buffer {
            return Err(format!("buffer {}: {what}", beat[5]));
        }
        let place = (beat[7] as i128, beat[6] as i128);
        if due.beats.is_empty() {
            let beats = due.quads.remove(&place);
            due.beats =
                beats.ok_or_else(|| format!("quad (y, x) {place:?} with coverage {} is not due: {what}", beat[10]))?;
            due.place = place;
        }
        let depths = [beat[11], beat[12], beat[13], beat[14]];
        let seen = (beat[8], beat[9] == 1, beat[10], depths);
        let expected = due.beats.remove(0);
        if (due.place, expected) != (place, seen) {
            return Err(format!("{place:?} {seen:x?} instead of {:?} {expected:x?}: {what}", due.place));
        }
        Ok(due.beats.is_empty() && due.quads.is_empty() && !item.last)
    }

    /// Runs the triangles in order, each over its tiles, until all beats have come.
    pub fn triangles(&mut self, triangles: &[Triangle], rng: &mut ChaCha8Rng) -> Result<Seen, String> {
        let mut items = Vec::new();
        let mut seen = Seen::default();
        for triangle in triangles {
            let tiles = triangle.tiles(self.pass.side);
            seen.most_tiles = seen.most_tiles.max(tiles.len());
            let last = tiles.len() - 1;
            items.extend(tiles.into_iter().enumerate().map(|(i, tile)| Item { triangle, tile, last: i == last }));
        }
        self.items(&items, seen, rng)
    }

    /// A triangle in one tile that need not be one of its box's.
    pub fn tile(&mut self, triangle: &Triangle, tile: (i128, i128), rng: &mut ChaCha8Rng) -> Result<Seen, String> {
        self.items(&[Item { triangle, tile, last: true }], Seen::default(), rng)
    }

    /// The stand-in answers, or does not yet.
    fn answer(&mut self, seen: &mut Seen, rng: &mut ChaCha8Rng) {
        let order = self.machine.get("query_facts_owner") >> 16 & 0xFFFF;
        let hidden = hides(self.hidden, order, self.machine.get("query_x"), self.machine.get("query_y"));
        let answers = rng.random_bool(0.7);
        seen.hidden += u64::from(hidden && answers && self.machine.get("query_valid") == 1);
        self.machine.set("answer_valid", answers.into());
        // Before the answer is there the port may say anything.
        self.machine.set("hidden", u64::from(if answers { hidden } else { rng.random() }));
        self.machine.settle();
        if self.parts > 0 && self.machine.get("part_begins_0") == 1 {
            self.begun = Some((order, self.machine.get("query_x"), self.machine.get("query_y")));
        }
    }

    /// What is known of the parts of the group that began last: of some rows nothing, yet.
    fn parts(&mut self, rng: &mut ChaCha8Rng) {
        if let Some(begun) = self.begun.take() {
            (self.covered, self.known) = (begun, 0);
        }
        self.known |= rng.random::<u64>() & rng.random::<u64>() & 15;
        let (order, x, y) = self.covered;
        let of = |q: u64| u64::from(hides(self.parts, order ^ 0x5A5A, x + (q & 3), y + (q >> 2)));
        let mask = (0..16).map(|q| of(q) << q).sum::<u64>();
        let rows = (0..4).filter(|r| self.known >> r & 1 == 1).map(|r| 15 << (4 * r)).sum::<u64>();
        // Of rows that are not known the port may say anything.
        self.machine.set("part_hidden_0", mask & rows | rng.random::<u64>() & 0xFFFF & !rows);
        self.machine.set("part_known_0", self.known);
    }

    /// Goes past tiles in which the triangle has nothing.
    fn skip(&self, items: &[Item], oldest: &mut usize, due: &mut Option<Due>) {
        while let Some(item) = items.get(*oldest) {
            let now = due.get_or_insert_with(|| self.due(item));
            if !now.quads.is_empty() || !now.beats.is_empty() || item.last {
                break;
            }
            (*oldest, *due) = (*oldest + 1, None);
        }
    }

    fn items(&mut self, items: &[Item], mut seen: Seen, rng: &mut ChaCha8Rng) -> Result<Seen, String> {
        let begin = self.machine.cycles;
        let (mut next, mut oldest, mut offered, mut idle, mut done) = (0, 0, false, 0, 0);
        let mut due: Option<Due> = None;
        let mut waiting: Option<Vec<u64>> = None;
        // A few cycles more, in which nothing may come.
        let mut rest = 60;
        while rest > 0 {
            if !offered && next < items.len() && rng.random_bool(self.pace.offer) {
                self.offer(&items[next]);
                offered = true;
            }
            let take = rng.random_bool(self.pace.take);
            self.machine.set("triangle_valid", offered.into());
            self.machine.set("quad_ready", take.into());
            self.machine.settle();
            if self.parts > 0 {
                self.parts(rng);
            }
            if self.hidden > 0 {
                self.answer(&mut seen, rng);
            }
            if offered && self.machine.get("triangle_ready") == 1 {
                (next, offered) = (next + 1, false);
            }
            idle += 1;
            if self.machine.get("tile_done") == 1 {
                self.skip(items, &mut oldest, &mut due);
                if done >= oldest {
                    return Err(format!("tile {done} is done while {oldest} gives quads"));
                }
                done += 1;
            }
            if self.machine.get("quad_valid") == 1 {
                let beat = self.beat();
                if *waiting.get_or_insert_with(|| beat.clone()) != beat {
                    return Err("a beat changes while it waits".into());
                }
                if take {
                    idle = 0;
                    waiting = None;
                    self.skip(items, &mut oldest, &mut due);
                    let (Some(item), Some(now)) = (items.get(oldest), due.as_mut()) else {
                        return Err(format!("a beat although nothing is due: {beat:x?}"));
                    };
                    seen.beats += 1;
                    seen.quads += beat[9] & !beat[0];
                    if self.check(&beat, item, now)? {
                        (oldest, due) = (oldest + 1, None);
                    }
                    seen.cycles = self.machine.cycles - begin;
                }
            } else if waiting.is_some() {
                return Err("a beat is gone before it was taken".into());
            }
            self.machine.cycle();
            if idle > PATIENCE {
                return Err(format!("no beat in {PATIENCE} cycles, {oldest} of {} are done", items.len()));
            }
            rest = if oldest < items.len() { 60 } else { rest - 1 };
        }
        match done == items.len() && next == items.len() && !offered {
            true => Ok(seen),
            false => Err(format!("{next} triangles are taken, {done} of {} done", items.len())),
        }
    }
}
