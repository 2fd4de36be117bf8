//! The graphics pipeline in a Chrome trace: draws, the fate of each triangle, the quads in flight,
//! the tiles, pairs that merge, groups that split, and counters. From the event ports alone.
//!
//! A draw begins when its context has its state, and the slice of one ends where the next begins,
//! though its last quads may still be under way. Triangles are told of when they are done with, so
//! the slice of one begins where that of the one before ended: it includes what it waited for. A
//! quad's slice goes from the launch of its first warp to its last written sample; quads overlap,
//! so they are asynchronous events, which viewers draw in as many rows as they need. A quad without
//! a covered sample left writes nothing, and its slice ends with the run; wrong would be to guess
//! its end. A pair goes from the launch of its first member to its merge, a group to its split. Two
//! groups that merge before they split end in one cycle, each with the lanes of its own quad. A
//! pair of which one ends alone is not shown: no port tells when.

use std::collections::HashMap;

use serde_json::{json, Value};

use crate::machine::ports::GraphicsOutputs;

/// Process of the pipeline, behind cores and semaphores, and its tracks.
const PROCESS: usize = 65;
const TRACKS: [(usize, &str); 3] = [(1, "triangles"), (2, "draws"), (3, "tiles")];

/// What became of a triangle, by the number in its event.
const FATES: [&str; 8] = [
    "set up",
    "out of range",
    "outside the frustum",
    "without area",
    "culled by its face",
    "without a pixel",
    "clipped away",
    "skipped",
];

/// A pair or a group.
#[derive(Clone, Copy)]
struct Together {
    /// Cycle of the launch of member 0.
    since: u64,
    /// The first pixel of that member.
    place: (u32, u32),
    /// Of a group that splits: how many other members there are.
    others: Option<u8>,
    /// The group that has merged into it (MS-42): slot of its first sample, and its lanes.
    second: Option<(u8, u8)>,
}

/// Collects the events of the pipeline.
pub struct Pipeline {
    events: Vec<Value>,
    /// End of the triangle before.
    triangle: u64,
    /// The newest draw: its number, context and beginning.
    draw: Option<(u64, u8, u64)>,
    /// Quads in flight: triangle and place, and since when, with their numbers.
    quads: HashMap<(u16, u32, u32), (u64, u64)>,
    count: u64,
    /// Pairs and groups, by unit and slot of member 0.
    members: HashMap<(u8, u8), Together>,
    together: u64,
    /// First and last cycle shown.
    shown: (u64, u64),
}

impl Pipeline {
    /// Before the first cycle.
    pub fn new() -> Self {
        Self {
            events: vec![],
            triangle: 0,
            draw: None,
            quads: HashMap::new(),
            count: 0,
            members: HashMap::new(),
            together: 0,
            shown: (0, u64::MAX),
        }
    }

    /// Shows these cycles only.
    pub fn window(&mut self, shown: (u64, u64)) {
        self.shown = shown;
    }

    fn push(&mut self, cycle: u64, event: Value) {
        if (self.shown.0..=self.shown.1).contains(&cycle) {
            self.events.push(event);
        }
    }

    fn counter(&mut self, cycle: u64) {
        let args = json!({"quads": self.quads.len()});
        self.push(cycle, json!({"name": "quads in flight", "ph": "C", "ts": cycle, "pid": PROCESS, "args": args}));
    }

    fn instant(&mut self, cycle: u64, track: usize, name: &str, args: Value) {
        let event = json!({"name": name, "ph": "i", "s": "t", "ts": cycle, "pid": PROCESS, "tid": track, "args": args});
        self.push(cycle, event);
    }

    /// Takes in a cycle.
    pub fn cycle(&mut self, cycle: u64, events: &GraphicsOutputs) {
        if let Some(state) = &events.state {
            let number = self.draw.map_or(0, |d| d.0 + 1);
            self.draw_ends(cycle);
            self.draw = Some((number, state.context, cycle));
        }
        if let Some(t) = &events.triangle {
            let fate = FATES.get(usize::from(t.what)).copied().unwrap_or("undefined");
            let (from, to) = (self.triangle.max(self.shown.0), (cycle + 1).min(self.shown.1.saturating_add(1)));
            if from < to {
                let args = json!({"number": t.order, "context": t.context, "clipped": t.clipped, "record": t.handle});
                self.events.push(json!({
                    "name": format!("{} {fate}", t.order), "cat": "triangle", "ph": "X", "ts": from, "dur": to - from,
                    "pid": PROCESS, "tid": 1, "args": args
                }));
            }
            self.triangle = cycle + 1;
        }
        if let Some(l) = events.launch.as_ref().filter(|l| l.kind == 2) {
            let place = ((l.place[0] & 0xFFF) >> 1, (l.place[0] >> 12 & 0xFFF) >> 1);
            self.count += 1;
            self.quads.entry((l.order, place.0, place.1)).or_insert((self.count, cycle));
            self.counter(cycle);
            let at = (l.unit, l.warp);
            self.members.remove(&at);
            if l.member == 0 && (l.mergeable || l.split != 0) {
                let others = (l.split != 0).then_some(l.others);
                let place = (2 * place.0, 2 * place.1);
                self.members.insert(at, Together { since: cycle, place, others, second: None });
            }
        }
        for m in &events.merges {
            let args =
                json!({"unit": m.unit, "slot": m.kept, "lanes that stayed": m.stayed, "lanes that came": m.came});
            self.joined(cycle, "pair", (m.unit, m.kept), args);
            let splits = self.members.get(&(m.unit, m.gone)).is_some_and(|gone| gone.others.is_some());
            if let Some(kept) = self.members.get_mut(&(m.unit, m.kept)).filter(|_| splits) {
                kept.second = Some((m.gone, m.came));
            }
        }
        for s in &events.splits {
            let second = self.members.get(&(s.unit, s.warp)).and_then(|first| first.second);
            let came = second.map_or(0, |(_, lanes)| lanes);
            self.group(cycle, (s.unit, s.warp), s.others, s.lanes & !came);
            if let Some((slot, lanes)) = second {
                let others = self.members.get(&(s.unit, slot)).and_then(|m| m.others).unwrap_or(0);
                self.group(cycle, (s.unit, slot), others, s.lanes & lanes);
            }
        }
        if let Some(c) = events.commit.as_ref().filter(|c| c.last) {
            let key = (c.order, c.x.into(), c.y.into());
            if let Some((number, since)) = self.quads.remove(&key) {
                self.quad(key, number, since, cycle + 1);
            }
            self.counter(cycle);
        }
        if let Some(t) = &events.tile {
            self.instant(cycle, 3, if t.reloaded { "loaded again" } else { "written" }, json!({}));
        }
    }

    /// The newest draw goes up to that cycle: the next one has its state then.
    fn draw_ends(&mut self, cycle: u64) {
        let Some((number, context, since)) = self.draw else { return };
        let (from, to) = (since.max(self.shown.0), cycle.min(self.shown.1.saturating_add(1)));
        if from < to {
            self.events.push(json!({
                "name": format!("draw {number}"), "cat": "draw", "ph": "X", "ts": from, "dur": to - from,
                "pid": PROCESS, "tid": 2, "args": {"context": context}
            }));
        }
    }

    /// A group has split with those lanes of its quad.
    fn group(&mut self, cycle: u64, at: (u8, u8), others: u8, lanes: u8) {
        let args = json!({"unit": at.0, "slot": at.1, "members": others + 1, "lanes": lanes});
        self.joined(cycle, "group", at, args);
    }

    /// A pair has merged, a member of a group has come to member 0, or a group has split.
    fn joined(&mut self, cycle: u64, what: &str, at: (u8, u8), args: Value) {
        let Some(&Together { since, place: (x, y), .. }) = self.members.get(&at) else { return };
        self.together += 1;
        let (from, to) = (since.max(self.shown.0), (cycle + 1).min(self.shown.1.saturating_add(1)));
        if from >= to {
            return;
        }
        let name = format!("{what} at ({x}, {y})");
        for (phase, ts) in [("b", from), ("e", to)] {
            self.events.push(json!({
                "name": name, "cat": what, "ph": phase, "id": self.together, "ts": ts, "pid": PROCESS, "tid": 5,
                "args": args
            }));
        }
    }

    fn quad(&mut self, (order, x, y): (u16, u32, u32), number: u64, since: u64, to: u64) {
        let (from, to) = (since.max(self.shown.0), to.min(self.shown.1.saturating_add(1)));
        if from >= to {
            return;
        }
        let name = format!("quad ({}, {})", 2 * x, 2 * y);
        for (phase, ts) in [("b", from), ("e", to)] {
            self.events.push(json!({
                "name": name, "cat": "quad", "ph": phase, "id": number, "ts": ts, "pid": PROCESS, "tid": 4,
                "args": {"triangle": order, "x": 2 * x, "y": 2 * y}
            }));
        }
    }

    /// All events, and the names of the tracks; none if nothing was drawn.
    pub fn finish(mut self, now: u64) -> Vec<Value> {
        self.draw_ends(now + 1);
        let mut left: Vec<_> = self.quads.drain().collect();
        left.sort_unstable();
        for (key, (number, since)) in left {
            self.quad(key, number, since, now + 1);
        }
        if self.events.is_empty() {
            return vec![];
        }
        let mut names = vec![json!({"name": "process_name", "ph": "M", "pid": PROCESS, "args": {"name": "graphics"}})];
        for (track, name) in TRACKS {
            names.push(json!({"name": "thread_name", "ph": "M", "pid": PROCESS, "tid": track, "args": {"name": name}}));
        }
        names.extend(self.events);
        names
    }
}

#[cfg(test)]
mod tests {
    use quadlock_hdl::ports::{CommitEvent, GraphicsLaunched, MergeEvent, SplitEvent, StateEvent, TriangleEvent};

    use super::*;

    /// A triangle that is set up in cycle 5, its quad from 8 to 20, another quad that does not end.
    fn sample(shown: (u64, u64)) -> Vec<Value> {
        let mut p = Pipeline::new();
        p.window(shown);
        for cycle in 0..30 {
            let mut o = GraphicsOutputs::default();
            let launch = |x: u32| GraphicsLaunched { kind: 2, place: [x | 4 << 12; 4], order: 7, ..Default::default() };
            match cycle {
                1 => o.state = Some(StateEvent { context: 3 }),
                11 => o.state = Some(StateEvent { context: 4 }),
                5 => o.triangle = Some(TriangleEvent { order: 7, last: true, ..Default::default() }),
                8 => o.launch = Some(launch(2)),
                9 => o.launch = Some(launch(6)),
                20 => o.commit = Some(CommitEvent { order: 7, x: 1, y: 2, last: true, ..Default::default() }),
                _ => {}
            }
            p.cycle(cycle, &o);
        }
        p.finish(29)
    }

    fn of<'a>(events: &'a [Value], name: &str) -> Vec<&'a Value> {
        events.iter().filter(|e| e["name"] == name).collect()
    }

    #[test]
    fn triangles_quads_and_their_number_are_shown() {
        let events = sample((0, u64::MAX));
        let triangle = of(&events, "7 set up");
        assert_eq!((&triangle[0]["ts"], &triangle[0]["dur"]), (&json!(0), &json!(6)));
        let times = |name| of(&events, name).iter().map(|e| e["ts"].as_u64().unwrap()).collect::<Vec<_>>();
        assert_eq!((times("quad (2, 4)"), times("quad (6, 4)")), (vec![8, 21], vec![9, 30]));
        let draw = |name| of(&events, name).iter().map(|e| (e["ts"].as_u64(), e["dur"].as_u64())).collect::<Vec<_>>();
        assert_eq!((draw("draw 0"), draw("draw 1")), (vec![(Some(1), Some(10))], vec![(Some(11), Some(19))]));
        let counts: Vec<_> = of(&events, "quads in flight").iter().map(|e| e["args"]["quads"].as_u64()).collect();
        assert_eq!(counts, [Some(1), Some(2), Some(1)]);
    }

    #[test]
    fn pairs_go_to_their_merge_and_groups_to_their_split() {
        let mut p = Pipeline::new();
        let launch = |warp, mergeable, split, member| GraphicsOutputs {
            launch: Some(GraphicsLaunched { kind: 2, warp, mergeable, split, member, ..Default::default() }),
            ..Default::default()
        };
        p.cycle(3, &launch(0, true, 0, 0));
        p.cycle(4, &launch(1, true, 0, 1));
        p.cycle(5, &launch(4, false, 1, 0));
        let merges = vec![MergeEvent { unit: 0, kept: 0, gone: 1, stayed: 1, came: 2 }];
        p.cycle(9, &GraphicsOutputs { merges, ..Default::default() });
        let splits = vec![SplitEvent { unit: 0, warp: 4, others: 3, lanes: 15, covered: 15 }];
        p.cycle(12, &GraphicsOutputs { splits, ..Default::default() });
        let events = p.finish(20);
        let times = |name| of(&events, name).iter().map(|e| e["ts"].as_u64().unwrap()).collect::<Vec<_>>();
        assert_eq!((times("pair at (0, 0)"), times("group at (0, 0)")), (vec![3, 10], vec![5, 13]));
    }

    /// MS-42: two groups merge and then split, and each is shown up to its split.
    #[test]
    fn both_groups_of_a_pair_are_shown() {
        let mut p = Pipeline::new();
        let launch = |warp, x: u32, member, others| GraphicsOutputs {
            launch: Some(GraphicsLaunched {
                kind: 2,
                place: [x; 4],
                warp,
                mergeable: true,
                split: 1,
                member,
                others,
                ..Default::default()
            }),
            ..Default::default()
        };
        p.cycle(3, &launch(0, 0, 0, 0));
        p.cycle(4, &launch(4, 6, 0, 1));
        p.cycle(5, &launch(5, 6, 1, 1));
        let merges = vec![MergeEvent { unit: 0, kept: 0, gone: 4, stayed: 1, came: 2 }];
        p.cycle(9, &GraphicsOutputs { merges, ..Default::default() });
        let splits = vec![SplitEvent { unit: 0, warp: 0, others: 0, lanes: 3, covered: 15 }];
        p.cycle(12, &GraphicsOutputs { splits, ..Default::default() });
        let events = p.finish(20);
        let times = |name| of(&events, name).iter().map(|e| e["ts"].as_u64().unwrap()).collect::<Vec<_>>();
        assert_eq!((times("pair at (0, 0)"), times("group at (0, 0)")), (vec![3, 10], vec![3, 13]));
        assert_eq!((times("pair at (6, 0)"), times("group at (6, 0)")), (vec![], vec![4, 13]));
        let args = |name| of(&events, name)[0]["args"].clone();
        assert_eq!(args("group at (0, 0)"), json!({"unit": 0, "slot": 0, "members": 1, "lanes": 1}));
        assert_eq!(args("group at (6, 0)"), json!({"unit": 0, "slot": 4, "members": 2, "lanes": 2}));
    }

    #[test]
    fn a_window_cuts_them() {
        let events = sample((10, 15));
        assert!(of(&events, "7 set up").is_empty());
        assert_eq!(
            of(&events, "quad (2, 4)").iter().map(|e| e["ts"].as_u64()).collect::<Vec<_>>(),
            [Some(10), Some(16)]
        );
        let draws = of(&events, "draw 1");
        assert_eq!((&draws[0]["ts"], &draws[0]["dur"]), (&json!(11), &json!(5)));
        assert!(sample((100, 200)).is_empty());
    }
}
