//! A frame in lockstep: what the machine shows of vertices, triangles, quads and samples, beside
//! the log of the model, which drew the same frame before, in order (docs/graphics.md). Of what
//! runs ahead [`ahead`] is the judge, [`culls`] of what is left out.
//!
//! The machine may choose when and where a quad is shaded, and how often a vertex is. It may not
//! choose what: each triangle is culled or set up as the model's, each quad is shaded once, with
//! the model's coverage and depth, and a quad's samples commit with the model's words, in order of
//! triangles for each place. Everything is found by triangle, quad and sample. Wrong would be a
//! lookup that finds another triangle's quad with the same contents: the number in the frame is a
//! part of every key.
//!
//! A fragment program may use the result of an atomic, or load what fragments store. Then its
//! colours depend on an order that the machine may choose. If one of them differs, colours of that
//! quad's place are not compared any more, and the report says so.

mod ahead;
mod culls;
mod following;
pub mod left;
mod stage;
mod tags;

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::sync::Arc;

use quadlock_golden::frame_log::{FrameLog, LoggedProgram, LoggedQuad};
use quadlock_golden::graphics::primitive::Cull;
use quadlock_golden::graphics::samples::Samples;
use quadlock_golden::{Golden, GroupMember, Member, Tags};
use quadlock_isa::abi::{SplitShape, LANES};
use quadlock_isa::{decode, Op};

use self::tags::{at_lanes, covered_pixels, lanes_of, of_pixel, own_samples};
use super::finding::{Concern, Finding, Key, Name, Value, What};
use super::submitted::Submitted;
use super::tiles::{compare, found, Found, TileFollow};
use crate::machine::lanes::lanes;
use crate::machine::launch::{FrameLaunch, Launch};
use crate::machine::memory::{Accepted, Image, WriteRecord};
use crate::machine::ports::{is_skipped, pixel_of, CommitEvent, GraphicsLaunched, GraphicsOutputs, TriangleEvent};

/// Places of the ring of contexts.
const CONTEXTS: usize = 16;
/// Kinds of warps at the launch port.
const FRAGMENT: u8 = 2;
const CULL: u8 = 3;
/// Output words of a fragment behind those of the targets: depth.
const DEPTH_WORD: u32 = 8;

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

/// What is known of a program.
#[derive(Clone, Debug, Default)]
struct Known {
    /// The last instruction that gives an output word, by word.
    outputs: HashMap<u32, u16>,
    /// What it computes may depend on the order of fragments: the first instruction by which.
    order: Option<u16>,
}

/// See the module documentation.
#[derive(Clone)]
pub struct FrameFollow {
    log: Arc<FrameLog>,
    frame: Arc<FrameLaunch>,
    list: Arc<Submitted>,
    /// Of the log's programs.
    known: Arc<Vec<Known>>,
    /// States that contexts have had, by context the newest.
    states: u64,
    context: [Option<usize>; CONTEXTS],
    /// Vertices as (state, instance, index): all that draws name, and those that must be shaded.
    vertices: Arc<HashSet<(usize, u32, u32)>>,
    unshaded_vertices: HashSet<(usize, u32, u32)>,
    /// Triangles that the machine numbered in starts before this one, in its pipeline and in its
    /// cull pipeline.
    first: [u16; 2],
    /// Numbers of the frame that are still to be told of, and pieces of the triangle there.
    triangle: usize,
    pieces: usize,
    /// What is known of the cull pipeline.
    ahead: following::Following,
    /// Quads to be shaded: by triangle, place and sample.
    unshaded: HashMap<(usize, Place, u32), VecDeque<usize>>,
    /// Groups whose members are pixels: their samples in the log, by unit and slot of member 0.
    turned: BTreeMap<(u8, u8), std::ops::Range<usize>>,
    /// Tickets to commit, by place, in order.
    uncommitted: BTreeMap<Place, VecDeque<Ticket>>,
    tiles: TileFollow,
    /// Who said that a triangle is not drawn in a group of 8 by 8 pixels: the last of the pipeline.
    culled: HashMap<(usize, Place), u8>,
    /// Samples that quads cover in the machine alone, by lane of the quad: they fail their test,
    /// but against what was not drawn because something later hides it.
    extra: HashMap<(usize, Place), [u8; LANES]>,
    /// The same of single quads.
    culled_quads: HashMap<(usize, Place), u8>,
    /// The newest triangle that something was seen of.
    newest: usize,
    /// Launches that the model has not made yet, by number, each with the state that its context
    /// had. The model makes those of a unit in order, but may hold one back while another unit's
    /// goes on.
    launches: BTreeMap<u64, (GraphicsLaunched, Option<usize>)>,
    seen: u64,
    /// Colours differ by the order of fragments: the instruction by which.
    unordered: Option<u16>,
    /// Quads where that was so.
    unordered_places: HashSet<Place>,
    /// A program has read a register that holds nothing (MS-22, MS-42). The run is wrong by that,
    /// and colours that differ say nothing of the machine.
    misused: bool,
}

impl FrameFollow {
    /// Before the first event; of a launch with the log of a model.
    pub fn new(launch: &Launch) -> Option<Self> {
        let frame = launch.frame.clone()?;
        let log = frame.log.clone()?;
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
        let list = Submitted::read(&launch.image, frame.list);
        Some(Self {
            known: Arc::new(programs(&log, &launch.code)),
            vertices: Arc::new(list.vertices(true)),
            unshaded_vertices: list.vertices(false),
            ahead: following::Following::new(&list),
            list: Arc::new(list),
            log,
            frame,
            states: 0,
            context: [None; CONTEXTS],
            first: launch.left().map_or([0; 2], |left| left.triangles),
            triangle: 0,
            pieces: 0,
            unshaded,
            turned: BTreeMap::new(),
            uncommitted,
            tiles: TileFollow::default(),
            culled: HashMap::new(),
            culled_quads: HashMap::new(),
            extra: HashMap::new(),
            newest: 0,
            launches: BTreeMap::new(),
            seen: 0,
            unordered: None,
            unordered_places: HashSet::new(),
            misused: false,
        })
    }

    /// The model's programs get the numbers that its launches name.
    pub fn prepare(&self, golden: &mut Golden) {
        for (n, program) in self.log.programs.iter().enumerate() {
            golden.set_logged_program(n + 1, program);
        }
    }

    /// The instruction by which colours depend on the order of fragments, if they are not compared.
    pub fn unordered(&self) -> Option<u16> {
        self.unordered
    }

    /// Colours need not be those of the model: they depend on an order, or on registers that held
    /// nothing.
    pub fn may_differ(&self) -> bool {
        self.unordered.is_some() || self.misused
    }

    /// What the model that runs beside the machine says of its programs up to now.
    pub fn heed(&mut self, golden: &Golden) {
        self.misused |= golden.misuses().1 > 0;
    }

    /// The number in the frame that 16 bits of it mean: the nearest to the newest that was seen.
    fn number(&mut self, order: u16) -> usize {
        let near = order.wrapping_sub(self.first[0]).wrapping_sub(self.newest as u16) as i16;
        let number = self.newest.saturating_add_signed(near.into());
        self.newest = self.newest.max(number);
        number
    }

    /// What the next start finds: how many triangles have numbers now, as of [`Self::first`].
    pub fn numbered(&self) -> [u16; 2] {
        let own = [self.log.triangles.len(), self.ahead.places.len()];
        [0, 1].map(|k| self.first[k].wrapping_add(own[k] as u16))
    }

    fn key(&self, triangle: usize) -> Key {
        Key { draw: self.list.draw_of(triangle), triangle: Some(triangle), ..Key::default() }
    }

    fn key_at(&self, triangle: usize, at: Place) -> Key {
        Key { x: Some(2 * at.0), y: Some(2 * at.1), ..self.key(triangle) }
    }

    /// What a cycle showed, but launches.
    ///
    /// # Errors
    /// What the machine must not do.
    pub fn cycle(&mut self, events: &GraphicsOutputs, accepted: Option<&Accepted>) -> Found {
        if let Some(state) = &events.state {
            self.context[usize::from(state.context)] = Some(self.states as usize);
            self.states += 1;
        }
        if let Some(launch) = &events.launch {
            let state = self.context[usize::from(launch.context)];
            self.launches.insert(self.seen, (*launch, state));
            self.seen += 1;
        }
        stage::agrees(events)?;
        if let Some(ahead) = &events.ahead {
            self.said_ahead(ahead)?;
        }
        if let Some(triangle) = &events.triangle {
            self.told(triangle)?;
        }
        for cull in &events.culls {
            self.culls(cull)?;
        }
        if let Some(commit) = &events.commit {
            self.commit(commit)?;
        }
        // What is not stored has a place, too, which nobody looks at.
        let shown = accepted.filter(|a| !self.frame.scratch.iter().any(|s| s.contains(&a.line)));
        shown.map_or(Ok(()), |a| self.tiles.accepted(&self.list, a))
    }

    /// A write at the memory port.
    pub fn written(&mut self, write: &WriteRecord) {
        self.tiles.written(write);
    }

    /// The fate of a triangle.
    fn told(&mut self, event: &TriangleEvent) -> Found {
        let number = self.number(event.order);
        let fails = |this: &Self, what: What, name: &'static str, expected: Value, seen: Value| {
            let mut finding = Finding { key: this.key(number), ..Finding::new(what) };
            finding.differ(Name::Of(name), expected, seen);
            Err((Concern::Triangle, Box::new(finding)))
        };
        let flag = Value::Flag;
        let count = |n: usize| Value::Number(n as u64);
        let Some(triangle) = self.log.triangles.get(self.triangle).filter(|_| number == self.triangle) else {
            return fails(self, What::TriangleNext, "number in the frame", count(self.triangle), count(number));
        };
        if is_skipped(event) {
            return self.skipped(number);
        }
        if event.clipped != triangle.clipped {
            return fails(self, What::TriangleClipped, "clipped", flag(triangle.clipped), flag(event.clipped));
        }
        let set_up = matches!(event.what, 0 | 5);
        if !triangle.clipped {
            let expected: &[u8] = match triangle.culled {
                None => &[0, 5],
                Some(Cull::Range) => &[1],
                Some(Cull::Frustum) => &[2],
                Some(Cull::Area) => &[3],
                Some(Cull::Face) => &[4],
            };
            if !expected.contains(&event.what) {
                return fails(self, What::TriangleFate, "fate", Value::Fate(expected[0]), Value::Fate(event.what));
            }
        }
        let expected = triangle.primitives.len();
        self.pieces += usize::from(set_up);
        if event.last {
            let seen = std::mem::take(&mut self.pieces);
            if seen != expected {
                return fails(self, What::TrianglePieces, "pieces set up", count(expected), count(seen));
            }
            self.triangle += 1;
        }
        Ok(())
    }

    /// What launch number `number` is in a pair.
    pub fn pair_of(&self, number: u64) -> Option<Member> {
        let (event, _) = self.launches.get(&number)?;
        member(event)
    }

    /// Samples of a pixel in the pass of launch number `number`: the slots of two groups are as
    /// many apart.
    pub fn pass_samples(&mut self, number: u64) -> Samples {
        let Some((event, _)) = self.launches.get(&number) else { return Samples::One };
        let at = ((event.place[0] & 0xFFF) >> 1, (event.place[0] >> 12 & 0xFFF) >> 1);
        let (order, sample) = (event.order, event.place[0] >> 24 & 3);
        let place = (self.number(order), at, sample);
        let n = self.unshaded.get(&place).and_then(|waiting| waiting.front());
        n.map_or(Samples::One, |&n| self.log.quads[n].tags.samples)
    }

    /// What launch number `number` is in a group that splits, but for the lanes that its members
    /// cover.
    pub fn group_of(&self, number: u64) -> Option<GroupMember> {
        let (event, _) = self.launches.get(&number)?;
        (event.split != 0).then_some(GroupMember { member: event.member, others: event.others, union: 0 })
    }

    /// What the model is to launch for launch number `number` of the machine: its tags and the
    /// handles whose triangles it needs.
    ///
    /// # Errors
    /// The machine shades what the model does not.
    pub fn launch(&mut self, number: u64, golden: &mut Golden) -> Found<(Tags, GraphicsLaunched)> {
        let Some((event, state)) = self.launches.remove(&number) else {
            return found(Concern::Quad, What::NoGraphics, Key::default());
        };
        let concern = if event.kind == FRAGMENT { Concern::Quad } else { Concern::Vertex };
        let Some(state) = state else {
            return found(concern, What::NoState { context: event.context }, Key::default());
        };
        if event.kind != FRAGMENT {
            if event.kind == CULL {
                self.shaded_ahead(state, &event)?;
            } else {
                let key = Key { draw: self.list.draw_with(state), ..Key::default() };
                self.starts(2 * state, &event, concern, key)?;
                self.shaded(state, &event)?;
            }
            let (vertex, instance) = (event.place, event.depth);
            return Ok((Tags { program: 2 * state + 1, vertex, instance, ..Tags::default() }, event));
        }
        Ok((self.fragments(state, &event, golden)?, event))
    }

    /// The warp starts where its program does.
    fn starts(&self, program: usize, event: &GraphicsLaunched, concern: Concern, key: Key) -> Found {
        let of = |p: &LoggedProgram| if event.mergeable { p.first() } else { p.alone() };
        let first = self.log.programs.get(program).map(|p| u64::from(of(p)));
        if first == Some(event.pc.into()) {
            return Ok(());
        }
        let mut finding = Finding { key, ..Finding::new(What::WarpStart) };
        finding.differ(Name::Of("pc"), first.map_or(Value::Nothing, Value::Number), Value::Number(event.pc.into()));
        Err((concern, Box::new(finding)))
    }

    /// Vertices that are shaded.
    fn shaded(&mut self, state: usize, event: &GraphicsLaunched) -> Found {
        for lane in lanes(event.mask) {
            let (index, instance) = (event.place[lane], event.depth[lane]);
            self.unshaded_vertices.remove(&(state, instance, index));
            if !self.vertices.contains(&(state, instance, index)) {
                let draw = self.list.draw_with(state);
                let key = Key { draw, instance: Some(instance), index: Some(index), ..Key::default() };
                return found(Concern::Vertex, What::VertexUnknown, key);
            }
        }
        Ok(())
    }

    /// A quad that is shaded, or one sample of it.
    fn fragments(&mut self, state: usize, event: &GraphicsLaunched, golden: &mut Golden) -> Found<Tags> {
        let order = self.number(event.order);
        let single = event.place[0] >> 31 == 1;
        let pixel = pixel_of(event);
        let sample = if single && pixel.is_none() { event.place[0] >> 24 & 3 } else { 0 };
        let at = ((event.place[0] & 0xFFF) >> 1, (event.place[0] >> 12 & 0xFFF) >> 1);
        let key = Key { sample: Some(sample), ..self.key_at(order, at) };
        let log = self.log.clone();
        // Pieces of a clipped triangle share a quad, and quads that wait for a partner are launched
        // in any order: the piece that covers the same.
        let fits = |&n: &usize| {
            let tags = at_lanes(&log.quads[n].tags, event.flip);
            (0..LANES).all(|lane| tags.coverage[lane] == event.place[lane] >> 26 & 15)
        };
        let taken = match pixel {
            Some(_) => self.group_of_pixels((order, at), event),
            None => {
                let waiting = self.unshaded.get_mut(&(order, at, sample));
                waiting.and_then(|w| w.remove(w.iter().position(fits).unwrap_or(0)))
            }
        };
        let Some(n) = taken else {
            return found(Concern::Quad, What::QuadUnknown, key);
        };
        let quad = &log.quads[n];
        let mut tags = match pixel {
            Some(pixel) => of_pixel(&log.quads[self.samples_of(n)], pixel, event),
            None => at_lanes(&quad.tags, event.flip),
        };
        if quad.program / 2 != state {
            let mut finding = Finding { key, ..Finding::new(What::QuadState) };
            let value = |n: usize| Value::Number(n as u64);
            finding.differ(Name::Of("state"), value(quad.program / 2), value(state));
            return Err((Concern::Quad, Box::new(finding)));
        }
        self.starts(quad.program, event, Concern::Quad, key)?;
        tags.program = quad.program + 1;
        tags.primitive = event.handle.map(u32::from);
        tags.ticket = event.depth.map(|d| d >> 24);
        if event.mergeable {
            tags.cutoff = log.programs[quad.program].paired_cutoff().unwrap_or(tags.cutoff);
            tags.pair = member(event);
        }
        if tags.cutoff != u32::from(event.cutoff) {
            let mut finding = Finding { key, ..Finding::new(What::QuadState) };
            finding.differ(Name::Of("cutoff"), Value::Number(tags.cutoff.into()), Value::Number(event.cutoff.into()));
            return Err((Concern::Quad, Box::new(finding)));
        }
        if golden.config().event_form.is_beside() {
            let splits = tags.splits && golden.config().split;
            let split = if splits { tags.events.split } else { 0 };
            let told = [("merge point", tags.events.merge, event.merge), ("split point", split, event.split)];
            if let Some((name, model, seen)) = told.into_iter().find(|t| t.1 != t.2) {
                let mut finding = Finding { key, ..Finding::new(What::QuadState) };
                finding.differ(Name::Of(name), Value::Number(model.into()), Value::Number(seen.into()));
                return Err((Concern::Quad, Box::new(finding)));
            }
        }
        if pixel.is_none() && !single {
            self.more_is_covered((order, at), &mut tags, event, quad.primitive);
        }
        let mut covered = lanes_of(&tags);
        if event.split != 0 {
            let union = self.in_group(n, event, golden, key)?;
            tags.group = Some(GroupMember { member: event.member, others: event.others, union });
            covered = if event.member == 0 { union } else { covered };
        }
        if covered != event.covered {
            let mut finding = Finding { key, ..Finding::new(What::QuadPlace) };
            finding.differ(Name::Of("covered lanes"), Value::Mask(covered), Value::Mask(event.covered));
            return Err((Concern::Coverage, Box::new(finding)));
        }
        let flag = u32::from(event.place[0] >> 31 == 1) << 31;
        for lane in 0..LANES {
            let place = tags.x[lane]
                | tags.y[lane] << 12
                | tags.sample[lane] << 24
                | tags.coverage[lane] << 26
                | tags.facing[lane] << 30
                | flag;
            let here = Key { x: Some(tags.x[lane]), y: Some(tags.y[lane]), ..key };
            let (depth, seen) = (tags.depth[lane], event.depth[lane] & 0xFF_FFFF);
            let differs = [
                (place, event.place[lane], What::QuadPlace, Concern::Coverage, "place, samples and side"),
                (depth, seen, What::QuadDepth, Concern::Depth, "depth"),
            ];
            if let Some((model, seen, what, concern, name)) = differs.into_iter().find(|d| d.0 != d.1) {
                let mut finding = Finding { key: here, ..Finding::new(what) };
                finding.differ(Name::Lane(name, lane), Value::Hex(model), Value::Hex(seen));
                return Err((concern, Box::new(finding)));
            }
        }
        for handle in event.handle {
            golden.set_shared_primitive(handle.into(), &log.primitives[quad.primitive]);
        }
        Ok(tags)
    }

    /// Samples of the quad of which that one is a sample. They have one ticket, and stand in the
    /// log one behind the other.
    fn samples_of(&self, n: usize) -> std::ops::Range<usize> {
        let quads = &self.log.quads;
        let same = |m: &&LoggedQuad| m.primitive == quads[n].primitive && place(m) == place(&quads[n]);
        let first = n - quads[..n].iter().rev().take_while(same).count();
        first..n + 1 + quads[n + 1..].iter().take_while(same).count()
    }

    /// The first sample, in the log, of the quad that a member is launched for whose lanes are a
    /// pixel's samples. Member 0 takes all samples of it: the others must follow.
    fn group_of_pixels(&mut self, (order, at): (usize, Place), event: &GraphicsLaunched) -> Option<usize> {
        let home = (event.unit, event.warp.wrapping_sub(event.member));
        if event.member != 0 {
            return self.turned.get(&home).map(|samples| samples.start);
        }
        let waiting = (0..4).filter_map(|s| self.unshaded.get(&(order, at, s))).flatten().copied();
        let fits = |samples: &std::ops::Range<usize>| {
            let quads = &self.log.quads[samples.clone()];
            let pixel = pixel_of(event).unwrap_or(0);
            let own = own_samples(quads, pixel);
            covered_pixels(quads) == event.covered && (0..LANES).all(|s| own[s] == event.place[s] >> 26 & 15)
        };
        let groups: Vec<_> = waiting.map(|n| self.samples_of(n)).collect();
        let taken = groups.iter().find(|g| fits(g)).or(groups.first())?.clone();
        for n in taken.clone() {
            let sample = self.log.quads[n].tags.sample[0];
            self.unshaded.get_mut(&(order, at, sample))?.retain(|&m| m != n);
        }
        self.turned.insert(home, taken.clone());
        Some(taken.start)
    }

    /// A warp is the member of its group that it must be: its rank among the covered samples, or
    /// pixels, of the quad, and these are what the machine has to take (MS-41). Gives the pixels
    /// that cover something.
    fn in_group(&self, n: usize, event: &GraphicsLaunched, golden: &Golden, key: Key) -> Found<u8> {
        let samples = self.samples_of(n);
        let quads = &self.log.quads[samples.clone()];
        let pixels = covered_pixels(quads);
        let tags = &quads[0].tags;
        let turns = match golden.config().split_shape {
            _ if !tags.apart || tags.samples.places().len() != LANES => false,
            SplitShape::Samples => false,
            SplitShape::Pixels => true,
            SplitShape::Either => (pixels.count_ones() as usize) < quads.len(),
        };
        let pixel = pixel_of(event);
        if turns != pixel.is_some() {
            let why = match turns {
                true => "its members are samples, where pixels make fewer warps or are asked for",
                false => "its members are pixels, where the program or the machine has samples",
            };
            return Err((Concern::Split, Box::new(Finding { key, ..Finding::new(What::NoGroup { why }) })));
        }
        let (rank, others) = match pixel {
            Some(pixel) => ((pixels & ((1 << pixel) - 1)).count_ones(), pixels.count_ones() - 1),
            None => ((n - samples.start) as u32, quads.len() as u32 - 1),
        };
        let (rank, others) = (rank as usize, others as usize);
        let mut finding = Finding { key, ..Finding::new(What::GroupMember) };
        let value = |n: usize| Value::Number(n as u64);
        for (name, model, seen) in [("member", rank, event.member), ("other members", others, event.others)] {
            if model != usize::from(seen) {
                finding.differ(Name::Of(name), value(model), value(seen.into()));
                return Err((Concern::Split, Box::new(finding)));
            }
        }
        let flip = usize::from(event.flip & 3);
        Ok((0..LANES).fold(0, |lanes, l| lanes | (pixels >> (l ^ flip) & 1) << l))
    }

    /// A beat of a quad that commits.
    fn commit(&mut self, event: &CommitEvent) -> Found {
        let order = self.number(event.order);
        let at = (u32::from(event.x), u32::from(event.y));
        self.skip(at, Some(order))?;
        let next = self.uncommitted.get(&at).and_then(VecDeque::front);
        let colours = next.map_or(0, |t| self.log.quads[t.quads.start].targets);
        let target = (usize::from(event.target) < colours).then_some(event.target.into());
        let key = Key { sample: Some(event.sample.into()), target, ..self.key_at(order, at) };
        let Some(ticket) = self.uncommitted.get_mut(&at).and_then(|t| t.front_mut()) else {
            return found(Concern::SampleOrder, What::CommitUnknown, key);
        };
        if ticket.triangle != order {
            let mut finding = Finding { key, ..Finding::new(What::CommitOrder) };
            let value = |n: usize| Value::Number(n as u64);
            finding.differ(Name::Of("triangle"), value(ticket.triangle), value(order));
            return Err((Concern::SampleOrder, Box::new(finding)));
        }
        ticket.beats += 1;
        let quads = ticket.quads.clone();
        // A beat does not show what a discarded sample does to the stencil.
        if self.misused {
            self.unordered_places.insert(at);
        }
        let extra = self.extra.get(&(order, at)).copied().unwrap_or_default();
        if let Err(e) = self.compared(event, quads.clone(), extra, key) {
            let order = self.known[self.log.quads[quads.start].program].order;
            // What is drawn over such a colour may differ too, and nothing else.
            if order.is_some() {
                self.unordered_places.insert(at);
            } else if !self.unordered_places.contains(&at) {
                return Err(e);
            }
            self.unordered = self.unordered.or(order);
        }
        self.tiles.commit(&self.list, event, key)?;
        if event.last {
            if let Some(tickets) = self.uncommitted.get_mut(&at) {
                tickets.pop_front();
            }
        }
        Ok(())
    }

    /// The samples of a beat beside those of the model.
    fn compared(&self, event: &CommitEvent, quads: std::ops::Range<usize>, extra: [u8; LANES], key: Key) -> Found {
        let program = self.log.quads[quads.start].program;
        let pc = |word: u32| self.known[program].outputs.get(&word).copied();
        let log = &self.log;
        let samples = log.quads[quads].iter().flat_map(|q| &log.samples[q.samples.clone()]);
        let mut mask = 0u8;
        for s in samples.filter(|s| !s.lost && s.sample == usize::from(event.sample)) {
            mask |= 1 << s.lane;
            let lane = s.lane as u32;
            let here = Key { x: key.x.map(|x| x + (lane & 1)), y: key.y.map(|y| y + (lane >> 1)), ..key };
            let target = usize::from(event.target);
            let model = [s.words[2 * target], s.words[2 * target + 1]];
            let seen = [event.low[s.lane], event.high[s.lane]];
            if key.target.is_some() && model != seen {
                let key = Key { pc: pc(2 * u32::from(event.target)), ..here };
                let mut finding = Finding { key, ..Finding::new(What::Colour) };
                for (n, name) in
                    ["first word", "second word"].into_iter().enumerate().filter(|(n, _)| model[*n] != seen[*n])
                {
                    finding.differ(Name::Of(name), Value::Hex(model[n]), Value::Hex(seen[n]));
                }
                return Err((Concern::Colour, Box::new(finding)));
            }
            if s.depth != event.depth[s.lane] {
                let mut finding =
                    Finding { key: Key { pc: pc(DEPTH_WORD), ..here }, ..Finding::new(What::CommitDepth) };
                finding.differ(Name::Of("depth"), Value::Hex(s.depth), Value::Hex(event.depth[s.lane]));
                return Err((Concern::Depth, Box::new(finding)));
            }
        }
        let more = (0..LANES).filter(|&l| extra[l] >> event.sample & 1 == 1).fold(0, |m, l| m | 1 << l);
        if mask != event.coverage & !(more & !mask) {
            let mut finding = Finding { key, ..Finding::new(What::CommitLanes) };
            finding.differ(Name::Of("lanes written"), Value::Mask(mask), Value::Mask(event.coverage));
            return Err((Concern::Coverage, Box::new(finding)));
        }
        Ok(())
    }

    /// Everything that the model did must have been seen, and targets are the model's.
    ///
    /// # Errors
    /// What is missing.
    pub fn finish(&mut self, image: &Image) -> Found {
        let places: Vec<Place> = self.uncommitted.keys().copied().collect();
        for at in places {
            self.skip(at, None)?;
        }
        if self.triangle != self.log.triangles.len() {
            let mut finding = Finding { key: self.key(self.triangle), ..Finding::new(What::TrianglesMissing) };
            let value = |n: usize| Value::Number(n as u64);
            finding.differ(Name::Of("triangles"), value(self.log.triangles.len()), value(self.triangle));
            return Err((Concern::Triangle, Box::new(finding)));
        }
        if !self.unshaded_vertices.is_empty() && !self.skips_nothing() {
            let needed = self.vertices_of_others();
            self.unshaded_vertices.retain(|v| needed.contains(v));
        }
        if let Some(&(state, instance, index)) = self.unshaded_vertices.iter().min() {
            let draw = self.list.draw_with(state);
            let key = Key { draw, instance: Some(instance), index: Some(index), ..Key::default() };
            return found(Concern::Vertex, What::VertexMissing, key);
        }
        let missing = self.unshaded.iter().filter(|(_, q)| !q.is_empty()).map(|(key, _)| key).min();
        if let Some(&(triangle, at, sample)) = missing {
            return found(Concern::Quad, What::QuadMissing, Key { sample: Some(sample), ..self.key_at(triangle, at) });
        }
        if let Some((&at, tickets)) = self.uncommitted.iter().find(|(_, t)| !t.is_empty()) {
            return found(Concern::SampleOrder, What::CommitMissing, self.key_at(tickets[0].triangle, at));
        }
        self.tiles.finish()?;
        compare(&self.list, &self.frame, image, &self.unordered_places)
    }
}

fn place(quad: &LoggedQuad) -> Place {
    (quad.tags.x[0] / 2, quad.tags.y[0] / 2)
}

/// What is known of the programs of a log, from their instructions.
fn programs(log: &FrameLog, code: &[u64]) -> Vec<Known> {
    let mut firsts: Vec<usize> = log.programs.iter().map(|p| usize::from(p.first())).collect();
    firsts.push(code.len());
    firsts.sort_unstable();
    firsts.dedup();
    let code_of = |first: usize| {
        let next = firsts.iter().copied().find(|&n| n > first).unwrap_or(code.len());
        (first..next.min(code.len())).filter_map(|pc| Some((pc as u16, decode(code[pc]).ok()?)))
    };
    let changes = |op: Op| op.is_atomic() || op.is_store() && !op.is_own();
    let fragments: Vec<usize> = log.programs.iter().filter(|p| p.fragments).map(|p| p.first().into()).collect();
    let stores = fragments.iter().any(|&first| code_of(first).any(|(_, i)| changes(i.op)));
    let known = |first: usize| {
        let mut out = Known::default();
        for (pc, i) in code_of(first) {
            if i.op == Op::Out {
                out.outputs.insert(i.imm & 0x3F, pc);
            }
            let loads = i.op.is_load() && !i.op.is_own() && stores;
            if (i.op.is_atomic() || loads) && out.order.is_none() {
                out.order = Some(pc);
            }
        }
        out
    };
    log.programs.iter().map(|p| known(p.first().into())).collect()
}

/// What a launch is in a pair. Of two groups that split, `member` of the event is the sample: the
/// first group is that after whose ticket the pair is named.
fn member(event: &GraphicsLaunched) -> Option<Member> {
    let first = event.depth[0] >> 26 & 63 == u32::from(event.pair);
    let (member, others) = if event.split == 0 { (event.member, event.others) } else { (u8::from(!first), 1) };
    event.mergeable.then(|| Member { pair: event.pair.into(), member, others })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two triangles of which each has a quad at one place.
    pub(super) fn follow() -> FrameFollow {
        let quad = |triangle| LoggedQuad {
            triangle,
            primitive: triangle,
            program: 0,
            tags: Tags::default(),
            targets: 1,
            samples: 0..0,
        };
        let log = FrameLog { quads: vec![quad(0), quad(1)], ..FrameLog::default() };
        let mut launch = Launch::bare("frame", vec![0], 64);
        launch.frame = Some(Arc::new(FrameLaunch {
            list: 0,
            log: Some(Arc::new(log)),
            instructions: None,
            after: vec![],
            undefined: vec![],
            drawn: vec![],
            scratch: vec![],
            ahead: 12,
        }));
        let mut follow = FrameFollow::new(&launch).unwrap();
        follow.known = Arc::new(vec![Known::default()]);
        follow
    }

    fn commit(follow: &mut FrameFollow, order: u16) -> Result<(), (Concern, What)> {
        commit_lanes(follow, order, 0)
    }

    pub(super) fn commit_lanes(follow: &mut FrameFollow, order: u16, coverage: u8) -> Result<(), (Concern, What)> {
        let event = CommitEvent {
            order,
            x: 0,
            y: 0,
            sample: 0,
            target: 0,
            last: true,
            coverage,
            depth: [0; 4],
            low: [0; 4],
            high: [0; 4],
        };
        follow.commit(&event).map_err(|(concern, finding)| (concern, finding.what))
    }

    #[test]
    fn commits_of_a_place_are_in_order_of_triangles() {
        let mut right = follow();
        assert_eq!(commit(&mut right, 0), Ok(()));
        assert_eq!(commit(&mut right, 1), Ok(()));
        assert_eq!(commit(&mut right, 1), Err((Concern::SampleOrder, What::CommitUnknown)));
        let mut wrong = follow();
        assert_eq!(commit(&mut wrong, 1), Err((Concern::SampleOrder, What::CommitOrder)));
        let mut early = follow();
        assert_eq!(commit(&mut early, 0), Ok(()));
        let missing =
            early.finish(&Image { base: 0, bytes: vec![] }).map_err(|(concern, finding)| (concern, finding.what));
        // Neither has it been shaded.
        assert_eq!(missing, Err((Concern::Quad, What::QuadMissing)));
        early.unshaded.clear();
        let missing =
            early.finish(&Image { base: 0, bytes: vec![] }).map_err(|(concern, finding)| (concern, finding.what));
        assert_eq!(missing, Err((Concern::SampleOrder, What::CommitMissing)));
    }
}
