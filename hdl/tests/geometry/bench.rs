//! What stands around geometry, cycle by cycle: a vertex front end with a reuse cache, vertex warps
//! that take their time, a port that does not always take, fragments that ask, and records that
//! are freed later. The golden model says what becomes of each triangle; everything that geometry
//! says is compared with it, in order. An entry that is offered must be held by nobody.
//!
//! It can be wrong by not asking: the counts at the end say how much was compared.

use std::collections::{HashMap, HashSet, VecDeque};

use quadlock_golden::graphics::primitive::{assemble, Assembled, Cull, Primitive, Vertex};
use quadlock_golden::graphics::records::State;
use quadlock_golden::Memory;
use quadlock_hdl::config::GpuConfig;
use quadlock_rtlsim::{SignalHandle, Simulation};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::common::machine::simulation;

/// Pixels of the target's sides.
pub const SIDE: u32 = 64;
/// Words of varyings; the last one is flat, the second linear.
pub const VARYINGS: u32 = 3;
/// Cycles without an event after which nothing comes any more.
const PATIENCE: u64 = 60_000;
/// Places of the reuse cache.
const CACHE: usize = 16;

/// A state: what is culled and how, topology, bias.
#[derive(Clone, Copy, Debug, Default)]
pub struct Look {
    /// Bits of word 6.
    pub modes: u32,
    /// Constant, slope, clamp.
    pub bias: [f32; 3],
    /// Sides of the viewport in pixels; those of the target if they are 0.
    pub viewport: [u32; 2],
    /// Least and greatest depth, of 24 bits; all if they are 0.
    pub depth_range: [u32; 2],
}

/// Vertices of a draw, instance after instance.
#[derive(Clone, Debug)]
pub struct Draw {
    pub context: usize,
    pub instances: Vec<Vec<usize>>,
}

/// What is drawn.
#[derive(Clone, Debug, Default)]
pub struct Scene {
    pub looks: Vec<Look>,
    pub vertices: Vec<Vertex>,
    pub draws: Vec<Draw>,
}

/// How fast everything around is, in 64ths of all cycles.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    pub corner: u32,
    pub words: u32,
    pub taken: u32,
    pub freed: u32,
    pub asked: u32,
    /// Most cycles that a vertex warp takes.
    pub warp: u64,
    /// Words of a vertex that are written.
    pub written: usize,
}

impl Pace {
    /// Nothing waits for anything but geometry.
    pub const FAST: Pace = Pace { corner: 64, words: 64, taken: 64, freed: 64, asked: 0, warp: 1, written: 4 };
    /// Everything waits.
    pub const ROUGH: Pace = Pace { corner: 40, words: 50, taken: 30, freed: 3, asked: 30, warp: 60, written: 7 };
    /// The port is nearly always full.
    pub const BLOCKED: Pace = Pace { corner: 60, words: 60, taken: 1, freed: 2, asked: 60, warp: 5, written: 7 };
}

/// What was compared.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    pub cycles: u64,
    pub triangles: u64,
    pub clipped: u64,
    pub drawn: u64,
    /// Events by what became of a triangle.
    pub fates: [u64; 7],
    pub answers: u64,
    /// Most records that lived at a time; different entries that were taken, one after the other.
    pub most_records: usize,
    pub most_entries: usize,
    /// How far the newest number was from that of a triangle with a record, at most.
    pub span: u64,
    /// Cycles from the first quarter of the triangles to the last, and triangles between.
    pub steady: (u64, u64),
}

/// The words of a state's record.
fn state(look: &Look) -> (State, [u32; 44]) {
    let mut words = [0u32; 44];
    words[40..42].copy_from_slice(&if look.depth_range == [0; 2] { [0, 0xFF_FFFF] } else { look.depth_range });
    let [x, y] = look.viewport.map(|side| if side == 0 { SIDE } else { side } as f32 / 2.0);
    let [guard_x, guard_y] = [x, y].map(|half| ((8190.0 - f64::from(half)) / f64::from(half)) as f32);
    words[8..16].copy_from_slice(&[x, y, x, -y, 0.0, 1.0, guard_x, guard_y].map(f32::to_bits));
    (words[1], words[3], words[6], words[7]) = (1, 1, look.modes, VARYINGS);
    (words[16], words[17]) = (3 | 5 << 16, 60 | 62 << 16);
    (words[33], words[35]) = (4, 2);
    words[18..21].copy_from_slice(&look.bias.map(f32::to_bits));
    let mut memory = Memory::new(0x4000);
    for (k, &word) in words.iter().enumerate() {
        memory.write32(0x1000 + 4 * k as u32, word);
    }
    (State::read(&memory, 0x1000).unwrap(), words)
}

/// A triangle that must come, and what is left of it.
struct Expected {
    context: usize,
    order: u16,
    assembled: Assembled,
    scissor: [i64; 4],
    next: usize,
    entries: [u64; 3],
    /// Numbers of its vertices in the scene.
    corners: [usize; 3],
}

impl Expected {
    /// The box in target and scissor: x0, y0, x1, y1; nothing if it is empty.
    fn bounds(&self, p: &Primitive) -> Option<[i64; 4]> {
        let [x0, x1, y0, y1] = p.triangle.bounds().map(|v| v >> 8);
        let [sx0, sy0, sx1, sy1] = self.scissor;
        let all = [x0.max(sx0), y0.max(sy0), x1.min(sx1 - 1), y1.min(sy1 - 1)];
        (all[0] <= all[2] && all[1] <= all[3]).then_some(all)
    }
}

/// A triangle whose event has been, and which has not left yet.
struct Told {
    handle: u64,
    primitive: Primitive,
    context: usize,
    bounds: [i64; 4],
    entries: Option<[u64; 3]>,
    corners: [usize; 3],
    order: u16,
    /// Triangles before it.
    number: u64,
}

/// A record that lives.
struct Record {
    number: u64,
    handle: u64,
    primitive: Primitive,
    context: usize,
    entries: Option<[u64; 3]>,
    free_at: u64,
}

enum Item {
    Corner { entry: u64, vertex: usize, context: usize, restart: bool },
    Drop(u64),
    End(usize),
}

/// A vertex warp.
struct Warp {
    lanes: Vec<(u64, usize)>,
    ready_at: u64,
    word: usize,
}

fn signed(value: u64, bits: u32) -> i64 {
    (value as i64) << (64 - bits) >> (64 - bits)
}

/// The block, driven by names.
struct Machine {
    simulation: Simulation,
    signals: HashMap<String, SignalHandle>,
    cycles: u64,
}

impl Machine {
    fn new(config: &GpuConfig) -> Self {
        let simulation = simulation("geometry", config);
        Self { simulation, signals: HashMap::new(), cycles: 0 }
    }
    fn signal(&mut self, port: &str) -> SignalHandle {
        if let Some(&signal) = self.signals.get(port) {
            return signal;
        }
        let signal = self.simulation.signal(&format!("geometry.{port}")).unwrap_or_else(|_| panic!("no port {port}"));
        self.signals.insert(port.to_owned(), signal);
        signal
    }
    fn set(&mut self, port: &str, value: u64) {
        let handle = self.simulation.input(port).unwrap();
        self.simulation.poke(handle, value);
    }
    fn get(&mut self, port: &str) -> u64 {
        let signal = self.signal(port);
        self.simulation.peek(signal)
    }
    fn bit(&mut self, port: &str) -> bool {
        self.get(port) == 1
    }
    fn step(&mut self) {
        self.simulation.step().unwrap();
        self.cycles += 1;
        self.simulation.settle();
    }
}

/// What the block says of a triangle.
struct Seen {
    edges: [[i64; 3]; 3],
    z: i64,
    gradients: [i64; 2],
    range: [i64; 2],
    bounds: [i64; 4],
    back: bool,
    context: u64,
    order: u64,
    handle: u64,
    vertex: [u64; 3],
}

impl Seen {
    fn of(m: &mut Machine) -> Self {
        let mut edge = |name: &str, bits| [0, 1, 2].map(|i| signed(m.get(&format!("triangle_{name}{i}")), bits));
        let (a, b, c) = (edge("a", 24), edge("b", 24), edge("c", 48));
        Self {
            edges: [0, 1, 2].map(|i| [a[i], b[i], c[i]]),
            z: signed(m.get("triangle_z"), 60),
            gradients: ["gx", "gy"].map(|g| signed(m.get(&format!("triangle_{g}")), 50)),
            range: ["z_low", "z_high"].map(|z| m.get(&format!("triangle_{z}")) as i64),
            bounds: ["x0", "y0", "x1", "y1"].map(|z| m.get(&format!("triangle_{z}")) as i64),
            back: m.bit("triangle_back"),
            context: m.get("triangle_context"),
            order: m.get("triangle_order"),
            handle: m.get("triangle_handle"),
            vertex: [0, 1, 2].map(|k| m.get(&format!("triangle_vertex{k}"))),
        }
    }

    fn compare(&self, p: &Primitive) -> Result<(), String> {
        let [here, right, down] = [(0, 0), (1, 0), (0, 1)].map(|at| p.triangle.edges(at));
        for i in 0..3 {
            let expected = [right[i] - here[i], down[i] - here[i], here[i]];
            if expected != self.edges[i] {
                return Err(format!("edge {i}: {:?}, it is {expected:?}", self.edges[i]));
            }
        }
        if self.gradients != p.triangle.gradients() {
            return Err(format!("gradients {:?}, they are {:?}", self.gradients, p.triangle.gradients()));
        }
        if self.back == p.front {
            return Err("the other face".into());
        }
        if self.range[0] > self.range[1] {
            return Err(format!("the least depth is above the greatest: {:?}", self.range));
        }
        for (x, y) in [(0, 0), (1000, 3000), (5000, 100)] {
            let along = |k: usize, d: i64| self.gradients[k].wrapping_mul(d);
            let z = self.z.wrapping_add(along(0, x)).wrapping_add(along(1, y));
            let depth = ((z << 4 >> 4) + (1 << 23)) >> 24;
            let (seen, expected) = (depth.clamp(self.range[0], self.range[1]), p.triangle.depth((x, y)));
            if seen != i64::from(expected) {
                return Err(format!("depth at {x}, {y}: {seen}, it is {expected}"));
            }
        }
        Ok(())
    }
}

/// The block and what stands around it.
pub struct Bench<'a> {
    m: Machine,
    scene: &'a Scene,
    pace: Pace,
    rng: ChaCha8Rng,
    states: Vec<State>,
    // The front end.
    stream: VecDeque<(usize, usize, Step)>,
    cache: VecDeque<(usize, u64)>,
    batch: Vec<(u64, usize)>,
    batch_waits: u64,
    items: VecDeque<Item>,
    /// What is offered has not been taken.
    offering: bool,
    /// Entries that were taken ever.
    taken: HashSet<u64>,
    warps: VecDeque<Warp>,
    writing: bool,
    // What must come.
    corners: Vec<(u64, usize)>,
    parity: bool,
    expected: VecDeque<Expected>,
    order: u16,
    seen: VecDeque<Seen>,
    told: VecDeque<Told>,
    records: Vec<Record>,
    questions: VecDeque<(u64, String, u64)>,
    latest: u64,
    marks: Vec<u64>,
    counts: Counts,
    /// Entries that can be taken when all are free, beside the one that is offered.
    entries: usize,
    /// Cycles in which all records give their references back.
    patience: usize,
    windows: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Step {
    Vertex { first: bool },
    EndOfInstance,
    EndOfDraw,
}

impl<'a> Bench<'a> {
    /// At rest, the states told.
    pub fn new(config: &GpuConfig, scene: &'a Scene, pace: Pace, seed: u64) -> Self {
        let mut m = Machine::new(config);
        let mut states = vec![];
        m.set("state_pass", 1);
        m.set("state_data", u64::from(SIDE | SIDE << 16));
        m.step();
        m.set("state_pass", 0);
        m.set("state_valid", 1);
        for (context, look) in scene.looks.iter().enumerate() {
            let (state, words) = state(look);
            states.push(state);
            m.set("state_context", context as u64);
            for (k, &word) in words.iter().enumerate() {
                m.set("state_word", k as u64);
                m.set("state_data", word.into());
                m.step();
            }
        }
        m.set("state_valid", 0);
        m.step();
        let mut stream = VecDeque::new();
        for draw in &scene.draws {
            for instance in &draw.instances {
                let steps = instance.iter().enumerate();
                stream.extend(steps.map(|(k, &v)| (v, draw.context, Step::Vertex { first: k == 0 })));
                stream.push_back((0, draw.context, Step::EndOfInstance));
            }
            stream.push_back((0, draw.context, Step::EndOfDraw));
        }
        Self {
            m,
            scene,
            pace,
            rng: ChaCha8Rng::seed_from_u64(seed),
            states,
            stream,
            cache: VecDeque::new(),
            batch: vec![],
            batch_waits: 0,
            items: VecDeque::new(),
            offering: false,
            taken: HashSet::new(),
            warps: VecDeque::new(),
            writing: false,
            corners: vec![],
            parity: false,
            expected: VecDeque::new(),
            order: 0,
            seen: VecDeque::new(),
            told: VecDeque::new(),
            records: vec![],
            questions: VecDeque::new(),
            latest: 0,
            marks: vec![],
            counts: Counts::default(),
            entries: config.vertices() - 17,
            patience: 2_000 + 4 * config.records(),
            windows: config.sorts(),
        }
    }

    /// No triangle gets a number until the window ends.
    fn unnumbered(&mut self) -> bool {
        self.windows && self.m.bit("unnumbered_0")
    }

    fn chance(&mut self, of64: u32) -> bool {
        self.rng.random_range(0..64) < of64
    }

    /// An index goes through the reuse cache.
    fn front_end(&mut self) -> Result<(), String> {
        self.m.set("entry_take", 0);
        if self.batch.len() == 4 || (self.batch_waits > 16 && !self.batch.is_empty()) {
            self.shade();
        }
        self.batch_waits += 1;
        if self.items.len() > 14 {
            return Ok(());
        }
        let Some(&(vertex, context, step)) = self.stream.front() else { return Ok(()) };
        match step {
            Step::Vertex { first } => {
                let hit = self.cache.iter().find(|e| e.0 == vertex).map(|e| e.1);
                let entry = match hit {
                    Some(entry) => entry,
                    None if self.m.bit("entry_valid") => self.miss(vertex)?,
                    None => return Ok(()),
                };
                self.items.push_back(Item::Corner { entry, vertex, context, restart: first });
                if self.cache.len() > CACHE {
                    let (_, old) = self.cache.pop_front().unwrap_or_default();
                    self.items.push_back(Item::Drop(old));
                }
            }
            Step::EndOfInstance => {
                if !self.batch.is_empty() {
                    self.shade();
                }
                let drops = std::mem::take(&mut self.cache).into_iter().map(|e| Item::Drop(e.1));
                self.items.extend(drops);
            }
            Step::EndOfDraw => self.items.push_back(Item::End(context)),
        }
        self.stream.pop_front();
        Ok(())
    }

    fn miss(&mut self, vertex: usize) -> Result<u64, String> {
        let entry = self.m.get("entry");
        self.m.set("entry_take", 1);
        let queued = |i: &Item| matches!(i, Item::Corner { entry: e, .. } | Item::Drop(e) if *e == entry);
        let held = self.cache.iter().any(|e| e.1 == entry)
            || self.items.iter().any(queued)
            || self.corners.iter().any(|c| c.0 == entry)
            || self.expected.iter().any(|e| e.entries.contains(&entry))
            || self.told.iter().any(|t| t.entries.is_some_and(|e| e.contains(&entry)))
            || self.records.iter().any(|r| r.entries.is_some_and(|e| e.contains(&entry)));
        if held {
            return Err(format!("entry {entry} is offered, and held"));
        }
        self.taken.insert(entry);
        self.counts.most_entries = self.taken.len();
        self.cache.push_back((vertex, entry));
        self.batch.push((entry, vertex));
        self.batch_waits = 0;
        Ok(entry)
    }

    fn shade(&mut self) {
        let ready_at = self.m.cycles + self.rng.random_range(0..self.pace.warp.max(1));
        self.warps.push_back(Warp { lanes: std::mem::take(&mut self.batch), ready_at, word: 0 });
    }

    /// Corners and drops of the queue.
    fn corner(&mut self) {
        self.m.set("drop_valid", 0);
        let go = self.offering || self.chance(self.pace.corner);
        self.offering = false;
        self.m.set("corner_valid", 0);
        if !go {
            return;
        }
        match self.items.front() {
            None => {}
            Some(&Item::Drop(entry)) => {
                self.m.set("drop_valid", 1);
                self.m.set("drop_entry", entry);
                self.offering = !self.m.bit("drop_ready");
                if !self.offering {
                    self.items.pop_front();
                }
            }
            Some(&Item::End(context)) => {
                self.m.set("corner_valid", 1);
                self.m.set("corner_end", 1);
                self.m.set("corner_restart", 0);
                self.m.set("corner_context", context as u64);
                self.offering = !self.m.bit("corner_ready");
                if !self.offering {
                    self.items.pop_front();
                    self.corners.clear();
                }
            }
            Some(&Item::Corner { entry, vertex, context, restart }) => {
                self.m.set("corner_valid", 1);
                self.m.set("corner_end", 0);
                self.m.set("corner_restart", restart.into());
                self.m.set("corner_context", context as u64);
                self.m.set("corner_entry", entry);
                self.offering = !self.m.bit("corner_ready");
                if !self.offering {
                    self.items.pop_front();
                    self.assemble(entry, vertex, context, restart);
                }
            }
        }
    }

    /// What a corner makes, by the golden model.
    fn assemble(&mut self, entry: u64, vertex: usize, context: usize, restart: bool) {
        if restart {
            self.corners.clear();
            self.parity = false;
        }
        self.corners.push((entry, vertex));
        if self.corners.len() < 3 {
            return;
        }
        let strip = self.scene.looks[context].modes & 1 == 1;
        let mut three = [self.corners[0], self.corners[1], self.corners[2]];
        if strip && self.parity {
            three.swap(1, 2);
        }
        let vertices = three.map(|c| &self.scene.vertices[c.1]);
        let side = i64::from(SIDE);
        self.expected.push_back(Expected {
            context,
            order: self.order,
            assembled: assemble(vertices, &self.states[context]),
            scissor: [3, 5, side.min(60), side.min(62)],
            next: 0,
            entries: three.map(|c| c.0),
            corners: three.map(|c| c.1),
        });
        self.order = self.order.wrapping_add(1);
        if strip {
            self.corners.remove(0);
            self.parity = !self.parity;
        } else {
            self.corners.clear();
        }
    }

    /// Vertex warps write words, and end. Either of the two oldest may be first.
    fn warp(&mut self) {
        self.m.set("vertex_word_valid", 0);
        self.m.set("shaded_valid", 0);
        let now = self.m.cycles;
        if !self.writing && self.warps.len() > 1 && self.warps[0].word == 0 && self.chance(8) {
            self.warps.swap(0, 1);
        }
        let Some(warp) = self.warps.front() else { return };
        if warp.ready_at > now || !(self.writing || self.rng.random_range(0..64) < self.pace.words) {
            return;
        }
        if warp.word == self.pace.written {
            self.m.set("shaded_valid", 1);
            let warp = self.warps.pop_front().unwrap_or(Warp { lanes: vec![], ready_at: 0, word: 0 });
            self.m.set("shaded_mask", (1 << warp.lanes.len()) - 1);
            for (k, &(entry, _)) in warp.lanes.iter().enumerate() {
                self.m.set(&format!("shaded_entry_{k}"), entry);
            }
            return;
        }
        let (lanes, word) = (warp.lanes.clone(), warp.word);
        for (k, &(entry, vertex)) in lanes.iter().enumerate() {
            self.m.set(&format!("vertex_word_entry{k}"), entry);
            self.m.set(&format!("vertex_word_data{k}"), self.scene.vertices[vertex][word].into());
        }
        self.m.set("vertex_word_mask", (1 << lanes.len()) - 1);
        self.m.set("vertex_word_word", word as u64);
        self.m.set("vertex_word_valid", 1);
        self.writing = true;
        self.m.simulation.settle();
        if self.m.bit("vertex_word_ready") {
            self.warps[0].word += 1;
            self.writing = false;
        }
    }

    /// Triangles that leave, and events.
    fn leaves(&mut self) -> Result<(), String> {
        let take = self.chance(self.pace.taken);
        self.m.set("triangle_ready", take.into());
        if take && self.m.bit("triangle_valid") {
            let seen = Seen::of(&mut self.m);
            self.seen.push_back(seen);
        }
        if self.m.bit("triangle_event_valid") {
            self.latest = self.m.cycles;
            self.event()?;
        }
        while !self.seen.is_empty() && !self.told.is_empty() {
            let (Some(seen), Some(told)) = (self.seen.pop_front(), self.told.pop_front()) else { break };
            self.triangle(&seen, told)?;
        }
        Ok(())
    }

    fn triangle(&mut self, seen: &Seen, told: Told) -> Result<(), String> {
        let Told { handle, primitive, context, bounds, entries, corners, order, number } = told;
        let at = |e: String| format!("triangle {order}: {e}");
        seen.compare(&primitive).map_err(at)?;
        if (seen.handle, seen.context, seen.order) != (handle, context as u64, order.into()) {
            return Err(at(format!("record {}, context {}, order {}", seen.handle, seen.context, seen.order)));
        }
        // Each handle is the entry of the vertex that the edges call by its number.
        for (k, vertex) in seen.vertex.into_iter().enumerate() {
            let Some(entries) = entries else { break };
            let found = entries
                .iter()
                .zip(corners)
                .find(|(e, c)| **e == vertex && self.scene.vertices[*c] == primitive.vertices[k]);
            if found.is_none() {
                return Err(at(format!("vertex {k} is entry {vertex} of {entries:?}")));
            }
        }
        if seen.bounds != bounds {
            return Err(at(format!("box {:?}, it is {bounds:?}", seen.bounds)));
        }
        if self.records.iter().any(|r| r.handle == handle) {
            return Err(at(format!("record {handle} lives already")));
        }
        self.records.push(Record { number, handle, primitive, context, entries, free_at: u64::MAX });
        self.counts.most_records = self.counts.most_records.max(self.records.len() + self.told.len());
        Ok(())
    }

    fn event(&mut self) -> Result<(), String> {
        let [context, order, what, clipped, last, handle] = ["context", "order", "what", "clipped", "last", "handle"]
            .map(|p| self.m.get(&format!("triangle_event_{p}")));
        let Some(now) = self.expected.front_mut() else { return Err(format!("triangle {order} was not given")) };
        let at = |e: String| format!("triangle {}: {e}", now.order);
        self.counts.fates[what as usize] += 1;
        if (context, order) != (now.context as u64, now.order.into()) {
            return Err(at(format!("an event of {order} in context {context}")));
        }
        if (clipped == 1) != now.assembled.clipped {
            return Err(at(format!("clipped {clipped}")));
        }
        let fate = match now.assembled.culled {
            Some(Cull::Range) => Some(1),
            Some(Cull::Frustum) => Some(2),
            Some(Cull::Area) if clipped == 0 => Some(3),
            Some(Cull::Face) if clipped == 0 => Some(4),
            _ => None,
        };
        if fate.is_some_and(|f| f != what) {
            return Err(at(format!("fate {what}, it is {fate:?}")));
        }
        if matches!(what, 0 | 5) {
            let primitive = now.assembled.primitives.get(now.next).ok_or_else(|| at("a piece too many".into()))?;
            let bounds = now.bounds(primitive);
            if bounds.is_some() != (what == 0) {
                return Err(at(format!("fate {what}, its box is {bounds:?}")));
            }
            if let Some(bounds) = bounds {
                let entries = (clipped == 0).then_some(now.entries);
                let (primitive, context, order) = (primitive.clone(), now.context, now.order);
                let corners = now.corners;
                let number = self.counts.triangles;
                self.told.push_back(Told { handle, primitive, context, bounds, entries, corners, order, number });
                self.counts.drawn += 1;
            }
            now.next += 1;
        }
        if clipped == 0 && last == 0 {
            return Err(at("not its last piece".into()));
        }
        let oldest = self.records.iter().map(|r| r.number).chain(self.told.iter().map(|t| t.number)).min();
        self.counts.span = self.counts.span.max(self.counts.triangles - oldest.unwrap_or(self.counts.triangles));
        if last == 1 {
            if now.next != now.assembled.primitives.len() {
                return Err(at(format!("{} pieces, it has {}", now.next, now.assembled.primitives.len())));
            }
            self.counts.clipped += u64::from(now.assembled.clipped);
            self.counts.triangles += 1;
            self.marks.push(self.m.cycles);
            self.expected.pop_front();
        }
        Ok(())
    }

    /// Fragments ask; records are freed.
    fn fragments(&mut self) -> Result<(), String> {
        self.m.set("store_req_valid", 0);
        self.m.set("free_valid", 0);
        if let Some((_, what, expected)) = self.questions.front().filter(|q| q.0 == self.m.cycles).cloned() {
            self.questions.pop_front();
            let seen = self.m.get("store_rsp_data");
            if !self.m.bit("store_rsp_valid") || seen != expected {
                return Err(format!("{what}: {seen:#x}, it is {expected:#x}"));
            }
            self.counts.answers += 1;
        }
        if self.records.is_empty() {
            return Ok(());
        }
        let at_end = self.expected.is_empty() && self.stream.is_empty();
        if !at_end && self.chance(self.pace.asked) {
            let k = self.rng.random_range(0..self.records.len());
            let corner = self.rng.random_range(0..4usize);
            let words: &[usize] = if corner == 3 { &[63] } else { &[0, 1, 2, 3, 4, 5, 6, 63] };
            let word = words[self.rng.random_range(0..words.len())];
            let r = &self.records[k];
            let p = &r.primitive;
            let expected = match (word, corner) {
                (63, 3) => p.inverse_area,
                (63, _) => p.reciprocals[corner],
                (6, _) => p.first[6],
                _ => p.vertices[corner][word],
            };
            let what = format!("word {word} of corner {corner} of record {}", r.handle);
            let handle = r.handle;
            self.questions.push_back((self.m.cycles + 2, what, expected.into()));
            self.m.set("store_req_valid", 1);
            self.m.set("store_req_handle", handle);
            self.m.set("store_req_corner", corner as u64);
            self.m.set("store_req_word", word as u64);
            self.records[k].free_at = self.m.cycles + 3;
        } else if at_end || self.unnumbered() || self.chance(self.pace.freed) {
            let k = self.rng.random_range(0..self.records.len());
            if self.records[k].free_at == u64::MAX || self.records[k].free_at <= self.m.cycles {
                self.m.set("free_valid", 1);
                let record = self.records.swap_remove(k);
                self.m.set("free_handle", record.handle);
            }
        }
        Ok(())
    }

    /// The contexts that must be in use are.
    fn contexts(&mut self) -> Result<(), String> {
        let named = self.m.get("contexts");
        let expected = self.expected.iter().map(|e| e.context);
        let live = self.records.iter().map(|r| r.context).chain(self.told.iter().map(|t| t.context));
        for context in expected.chain(live) {
            if named >> context & 1 == 0 {
                return Err(format!("context {context} counts as free"));
            }
        }
        Ok(())
    }

    /// The whole scene.
    ///
    /// # Errors
    /// The first difference.
    pub fn run(mut self) -> Result<Counts, String> {
        self.m.simulation.settle();
        self.latest = self.m.cycles;
        let start = self.m.cycles;
        let done = |b: &Self| {
            b.stream.is_empty() && b.items.is_empty() && b.expected.is_empty() && b.told.is_empty() && b.seen.is_empty()
        };
        while !done(&self) || !self.records.is_empty() || !self.questions.is_empty() {
            self.leaves()?;
            self.contexts()?;
            self.fragments()?;
            self.front_end()?;
            self.corner();
            self.warp();
            self.m.step();
            if self.m.cycles > self.latest + PATIENCE {
                return Err(format!("nothing comes any more after {} triangles", self.counts.triangles));
            }
        }
        self.counts.cycles = self.m.cycles - start;
        for port in [
            "corner_valid",
            "drop_valid",
            "vertex_word_valid",
            "shaded_valid",
            "free_valid",
            "store_req_valid",
            "entry_take",
        ] {
            self.m.set(port, 0);
        }
        self.quiet()?;
        let quarter = self.marks.len() / 4;
        if let (Some(&first), Some(&last)) = (self.marks.get(quarter), self.marks.last()) {
            self.counts.steady = (last - first, (self.marks.len() - quarter - 1) as u64);
        }
        Ok(self.counts)
    }

    /// Nothing is left, and all entries can be taken that are not kept for clipping.
    fn quiet(&mut self) -> Result<(), String> {
        for _ in 0..self.patience {
            self.m.step();
            if self.m.bit("idle") {
                break;
            }
        }
        if !self.m.bit("idle") || self.m.get("contexts") != 0 {
            return Err(format!("it is not idle at the end, contexts {:#x}", self.m.get("contexts")));
        }
        let mut left = 4 * self.entries;
        for n in 0..self.entries {
            while !self.m.bit("entry_valid") {
                self.m.step();
                left -= 1;
                if left == 0 {
                    return Err(format!("an entry is lost: {n} can be taken"));
                }
            }
            self.m.set("entry_take", 1);
            self.m.step();
            self.m.set("entry_take", 0);
        }
        Ok(())
    }
}
