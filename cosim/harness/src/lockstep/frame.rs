//! A frame in lockstep: what the machine shows of triangles, quads and samples, beside the log of
//! the model, which drew the same frame before, in order (docs/graphics.md).
//!
//! The machine may choose when and where a quad is shaded, and how often a vertex is. It may not
//! choose what: each triangle is culled or set up as the model's, each quad is shaded once, with
//! the model's coverage and depth, and a quad's samples commit with the model's words, in order of
//! triangles for each place. Everything is found by triangle, quad and sample. Wrong would be a
//! lookup that finds another triangle's quad with the same contents: the number in the frame is a
//! part of every key.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;

use quadlock_golden::frame_log::{FrameLog, LoggedProgram, LoggedQuad};
use quadlock_golden::graphics::primitive::Cull;
use quadlock_golden::{Golden, Tags};
use quadlock_isa::abi::LANES;

use crate::machine::ports::{CommitEvent, GraphicsLaunched, GraphicsOutputs, TriangleEvent};

/// Places of the ring of contexts.
const CONTEXTS: usize = 16;
/// Kinds of warps at the launch port.
const FRAGMENT: u8 = 2;

/// A quad's place, in units of two pixels.
type Place = (u32, u32);

/// A quad that has one ticket, whether it is shaded whole or sample by sample.
#[derive(Clone, Debug)]
struct Ticket {
    triangle: usize,
    /// In the log's quads.
    quads: std::ops::Range<usize>,
    /// Beats seen: by sample and target.
    beats: usize,
}

/// See the module documentation.
#[derive(Clone)]
pub struct FrameFollow {
    log: Arc<FrameLog>,
    /// States that contexts have had, by context the newest.
    states: u64,
    context: [Option<usize>; CONTEXTS],
    /// Numbers of the frame that are still to be told of, and pieces of the triangle there.
    triangle: usize,
    pieces: usize,
    /// Quads to be shaded: by triangle, place and sample.
    unshaded: HashMap<(usize, Place, u32), VecDeque<usize>>,
    /// Tickets to commit, by place, in order.
    uncommitted: BTreeMap<Place, VecDeque<Ticket>>,
    /// The newest triangle that something was seen of.
    newest: usize,
    /// Launches that the model has not made yet, by number, each with the state that its context
    /// had. The model makes those of a unit in order, but may hold one back while another unit's
    /// goes on.
    launches: BTreeMap<u64, (GraphicsLaunched, Option<usize>)>,
    seen: u64,
}

impl FrameFollow {
    /// Before the first event.
    pub fn new(log: Arc<FrameLog>) -> Self {
        let mut unshaded: HashMap<_, VecDeque<usize>> = HashMap::new();
        let mut uncommitted: BTreeMap<Place, VecDeque<Ticket>> = BTreeMap::new();
        let mut before: Option<(usize, Place)> = None;
        for (n, quad) in log.quads.iter().enumerate() {
            let place = place(quad);
            if !log.programs.get(quad.program).is_some_and(LoggedProgram::is_empty) {
                unshaded.entry((quad.triangle, place, quad.tags.sample[0])).or_default().push_back(n);
            }
            let tickets = uncommitted.entry(place).or_default();
            match tickets.back_mut().filter(|_| before == Some((quad.primitive, place))) {
                Some(ticket) => ticket.quads.end = n + 1,
                None => tickets.push_back(Ticket { triangle: quad.triangle, quads: n..n + 1, beats: 0 }),
            }
            before = Some((quad.primitive, place));
        }
        Self {
            log,
            states: 0,
            context: [None; CONTEXTS],
            triangle: 0,
            pieces: 0,
            unshaded,
            uncommitted,
            newest: 0,
            launches: BTreeMap::new(),
            seen: 0,
        }
    }

    /// The model's programs get the numbers that its launches name.
    pub fn prepare(&self, golden: &mut Golden) {
        for (n, program) in self.log.programs.iter().enumerate() {
            golden.set_logged_program(n + 1, program);
        }
    }

    /// The number in the frame that 16 bits of it mean: the nearest to the newest that was seen.
    fn number(&mut self, order: u16) -> usize {
        let near = order.wrapping_sub(self.newest as u16) as i16;
        let number = self.newest.saturating_add_signed(near.into());
        self.newest = self.newest.max(number);
        number
    }

    /// What a cycle showed, but launches.
    ///
    /// # Errors
    /// What the machine must not do, in words.
    pub fn cycle(&mut self, events: &GraphicsOutputs) -> Result<(), String> {
        if let Some(state) = &events.state {
            self.context[usize::from(state.context)] = Some(self.states as usize);
            self.states += 1;
        }
        if let Some(launch) = &events.launch {
            let state = self.context[usize::from(launch.context)];
            self.launches.insert(self.seen, (*launch, state));
            self.seen += 1;
        }
        if let Some(triangle) = &events.triangle {
            self.told(triangle)?;
        }
        if let Some(commit) = &events.commit {
            self.commit(commit)?;
        }
        Ok(())
    }

    /// The fate of a triangle.
    fn told(&mut self, event: &TriangleEvent) -> Result<(), String> {
        let number = self.number(event.order);
        let Some(triangle) = self.log.triangles.get(self.triangle).filter(|_| number == self.triangle) else {
            return Err(format!(
                "triangle {number} is told of; {} is next of {}",
                self.triangle,
                self.log.triangles.len()
            ));
        };
        if event.clipped != triangle.clipped {
            return Err(format!("triangle {number}: clipped {}, the model says {}", event.clipped, triangle.clipped));
        }
        let set_up = matches!(event.what, 0 | 5);
        self.pieces += usize::from(set_up);
        if !triangle.clipped {
            let expected: &[u8] = match triangle.culled {
                None => &[0, 5],
                Some(Cull::Nan) => &[1],
                Some(Cull::Frustum) => &[2],
                Some(Cull::Area) => &[3],
                Some(Cull::Face) => &[4],
            };
            if !expected.contains(&event.what) {
                return Err(format!("triangle {number}: {}, the model has {:?}", fate(event.what), triangle.culled));
            }
        }
        if event.last {
            let (seen, expected) = (std::mem::take(&mut self.pieces), triangle.primitives.len());
            if seen != expected {
                return Err(format!("triangle {number}: {seen} pieces are set up, the model has {expected}"));
            }
            self.triangle += 1;
        }
        Ok(())
    }

    /// What the model is to launch for launch number `number` of the machine: its tags and the
    /// handles whose triangles it needs.
    ///
    /// # Errors
    /// The machine shades what the model does not, in words.
    pub fn launch(&mut self, number: u64, golden: &mut Golden) -> Result<Tags, String> {
        let Some((event, state)) = self.launches.remove(&number) else {
            return Err("a warp is launched that is none of graphics".into());
        };
        let state = state.ok_or_else(|| format!("a warp of context {}, which has no state", event.context))?;
        let log = self.log.clone();
        let first = |program: usize| log.programs.get(program).map(|p| u32::from(p.first()));
        let expect_first = |program: usize| match first(program) == Some(event.pc.into()) {
            true => Ok(()),
            false => Err(format!("a warp starts at {}, its program at {:?}", event.pc, first(program))),
        };
        if event.kind != FRAGMENT {
            expect_first(2 * state)?;
            return Ok(Tags { program: 2 * state + 1, vertex: event.place, instance: event.depth, ..Tags::default() });
        }
        let order = self.number(event.order);
        let sample = if event.place[0] >> 31 == 1 { event.place[0] >> 24 & 3 } else { 0 };
        let at = ((event.place[0] & 0xFFF) >> 1, (event.place[0] >> 12 & 0xFFF) >> 1);
        let found = self.unshaded.get_mut(&(order, at, sample)).and_then(VecDeque::pop_front);
        let Some(n) = found else {
            return Err(format!(
                "triangle {order}, quad at {:?}, sample {sample} is shaded; the model does not, or has already",
                (2 * at.0, 2 * at.1)
            ));
        };
        let quad = &log.quads[n];
        let mut tags = quad.tags.clone();
        if quad.program / 2 != state {
            return Err(format!("triangle {order} is drawn with state {state}, the model's is {}", quad.program / 2));
        }
        expect_first(quad.program)?;
        tags.program = quad.program + 1;
        tags.primitive = event.handle.map(u32::from);
        tags.ticket = event.depth.map(|d| d >> 24);
        let flag = u32::from(event.place[0] >> 31 == 1) << 31;
        for lane in 0..LANES {
            let place = tags.x[lane]
                | tags.y[lane] << 12
                | tags.sample[lane] << 24
                | tags.coverage[lane] << 26
                | tags.facing[lane] << 30
                | flag;
            if place != event.place[lane] {
                return Err(format!(
                    "triangle {order}, lane {lane}: place word {:#010x}, the model has {place:#010x}",
                    event.place[lane]
                ));
            }
            if tags.depth[lane] != event.depth[lane] & 0xFF_FFFF {
                return Err(format!(
                    "triangle {order}, pixel ({}, {}): depth {:#08x}, the model has {:#08x}",
                    tags.x[lane],
                    tags.y[lane],
                    event.depth[lane] & 0xFF_FFFF,
                    tags.depth[lane]
                ));
            }
        }
        for handle in event.handle {
            golden.set_shared_primitive(handle.into(), &log.primitives[quad.primitive]);
        }
        Ok(tags)
    }

    /// A beat of a quad that commits.
    fn commit(&mut self, event: &CommitEvent) -> Result<(), String> {
        let order = self.number(event.order);
        let at = (u32::from(event.x), u32::from(event.y));
        let pixels = (2 * at.0, 2 * at.1);
        let tickets = self.uncommitted.get_mut(&at);
        let Some(ticket) = tickets.and_then(|t| t.front_mut()) else {
            return Err(format!("triangle {order} commits the quad at {pixels:?}, which the model is done with"));
        };
        if ticket.triangle != order {
            let next = ticket.triangle;
            return Err(format!("triangle {order} commits the quad at {pixels:?}; the next in order is {next}"));
        }
        ticket.beats += 1;
        let log = &self.log;
        let colours = log.quads[ticket.quads.start].targets;
        let samples = log.quads[ticket.quads.clone()].iter().flat_map(|q| &log.samples[q.samples.clone()]);
        let mut mask = 0u8;
        for s in samples.filter(|s| !s.lost && s.sample == usize::from(event.sample)) {
            mask |= 1 << s.lane;
            let target = usize::from(event.target);
            let model = [s.words[2 * target], s.words[2 * target + 1]];
            let seen = [event.low[s.lane], event.high[s.lane]];
            if target < colours && model != seen {
                return Err(format!(
                    "triangle {order}, pixel ({}, {}), sample {}, target {target}: colour {seen:08x?}, the model has \
                     {model:08x?}",
                    pixels.0 + (s.lane as u32 & 1),
                    pixels.1 + (s.lane as u32 >> 1),
                    s.sample
                ));
            }
            if s.depth != event.depth[s.lane] {
                return Err(format!(
                    "triangle {order}, quad at {pixels:?}, lane {}, sample {}: depth {:#08x}, the model has {:#08x}",
                    s.lane, s.sample, event.depth[s.lane], s.depth
                ));
            }
        }
        if mask != event.coverage {
            return Err(format!(
                "triangle {order}, quad at {pixels:?}, sample {}: lanes {:#06b} are written, the model has {mask:#06b}",
                event.sample, event.coverage
            ));
        }
        if event.last {
            if let Some(tickets) = self.uncommitted.get_mut(&at) {
                tickets.pop_front();
            }
        }
        Ok(())
    }

    /// Everything that the model did must have been seen.
    ///
    /// # Errors
    /// What is missing, in words.
    pub fn finish(&self) -> Result<(), String> {
        if self.triangle != self.log.triangles.len() {
            return Err(format!("{} of {} triangles were seen", self.triangle, self.log.triangles.len()));
        }
        let missing = self.unshaded.iter().filter(|(_, q)| !q.is_empty()).map(|(key, _)| key).min();
        if let Some((triangle, at, sample)) = missing {
            return Err(format!(
                "triangle {triangle}, quad at ({}, {}), sample {sample} was not shaded",
                2 * at.0,
                2 * at.1
            ));
        }
        if let Some((at, tickets)) = self.uncommitted.iter().find(|(_, t)| !t.is_empty()) {
            let triangle = tickets[0].triangle;
            return Err(format!("triangle {triangle}, quad at ({}, {}) did not commit", 2 * at.0, 2 * at.1));
        }
        Ok(())
    }
}

fn place(quad: &LoggedQuad) -> Place {
    (quad.tags.x[0] / 2, quad.tags.y[0] / 2)
}

/// A triangle's fate in words.
fn fate(what: u8) -> &'static str {
    match what {
        0 => "set up",
        1 => "culled as not a number",
        2 => "outside the frustum",
        3 => "without area",
        4 => "culled by its face",
        5 => "without a pixel in target and scissor",
        6 => "clipped away",
        _ => "an unknown fate",
    }
}
