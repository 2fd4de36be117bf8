//! The graphics dispatcher with warp units that take their time: every batch and every quad becomes
//! one warp in a free slot, with the tags of the page; every end is told once, with the warp's
//! tickets, samples, entries and the coverage that its slot has then. Stand-ins give the pairings
//! of a merge queue and the batches of a cull pipeline. With splitting the samples of a quad come
//! as a group: in slots one behind the other, the first with the lanes of all (MS-8, MS-40).

use std::collections::{BTreeMap, VecDeque};

use quadlock_hdl::base::testing::Bench;
use quadlock_hdl::config::{GpuConfig, SplitShape};
use quadlock_hdl::dispatch::GraphicsDispatcher;
use quadlock_hdl::fault::Fault;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A batch: context, mask, index, instance, entry of each lane.
type Batch = (u64, u64, [[u64; 3]; 4]);

#[derive(Clone, Copy, Debug, PartialEq)]
struct Quad {
    context: u64,
    handle: u64,
    back: bool,
    x: u64,
    y: u64,
    ticket: u64,
    single: bool,
    sample: u64,
    coverage: u64,
    depth: [u64; 4],
    /// Mergeable, pair, member, others, flip.
    pairing: [u64; 5],
    /// Its program splits: `coverage` is that of all samples.
    splits: bool,
}

impl Quad {
    /// Its warp becomes that of the pixel whose number `sample` is: lanes are samples.
    fn turned(&self) -> bool {
        self.splits && !self.single
    }

    /// Of a quad that splits: the number of its sample, or pixel, in the group, and of the others.
    fn group(&self) -> (u64, u64) {
        let of = |n: u64| if self.turned() { 15 << (4 * n) } else { 0x1111 << n };
        let present = (0..4).filter(|&n| self.coverage & of(n) != 0);
        (present.clone().filter(|s| *s < self.sample).count() as u64, present.count() as u64 - 1)
    }
}

#[derive(Clone, Copy, Debug)]
enum Work {
    Batch(Batch),
    Cull(Batch),
    Quad(Quad),
}

/// What is launched: kind, context, mask, covered, counter, and of each lane three words; pairing;
/// merge counter, split counter, cutoff.
type Warp = (u64, u64, u64, u64, u64, [[u64; 3]; 4], [u64; 5], [u64; 3]);

/// The program counters that were written into the states, by kind.
fn counter(context: u64, kind: u64) -> u64 {
    100 * context + [0, 3, 57, 81][kind as usize]
}

/// Merge and split counter of a context, cutoffs of its vertex and its fragment program.
fn events(context: u64) -> [u64; 4] {
    [7000 + context, 60000 - context, 5 + context, 40 - context]
}

/// What the page says of the warp.
fn expected(work: Work, splits: bool) -> Warp {
    match work {
        Work::Batch((context, mask, lanes)) => {
            (1, context, mask, mask, counter(context, 1), lanes, [0; 5], [0, 0, events(context)[2]])
        }
        Work::Cull((context, mask, lanes)) => {
            (3, context, mask, mask, counter(context, 3), lanes, [0; 5], [0, 0, events(context)[2]])
        }
        Work::Quad(q) => {
            let lane = |k: u64| {
                if q.turned() {
                    let (p, covered) = (q.sample, q.coverage >> (4 * q.sample) & 1 << k);
                    let place = (2 * q.x + p % 2) | (2 * q.y + p / 2) << 12 | k << 24 | covered << 26;
                    let place = place | u64::from(!q.back) << 30 | 1 << 31;
                    return [place, q.depth[k as usize] | (4 * q.ticket + p) << 24, q.handle];
                }
                let own = if q.splits { 1 << q.sample } else { 15 };
                let covered = q.coverage >> (4 * k) & own;
                let mut place = (2 * q.x + k % 2) | (2 * q.y + k / 2) << 12 | covered << 26;
                place |= u64::from(!q.back) << 30 | u64::from(q.single) << 31;
                place |= if q.single { q.sample << 24 } else { 0 };
                [place, q.depth[k as usize] | (4 * q.ticket + k) << 24, q.handle]
            };
            let [merge, split, _, cutoff] = events(q.context);
            let split = if splits { 0 } else { split };
            // Of members of pairs of groups lanes may have changed places.
            let flip = if q.splits { q.pairing[4] } else { 0 };
            let lanes = [0, 1, 2, 3].map(|k| lane(k ^ flip));
            let covers = |own: u64| (0..4).filter(|k| q.coverage >> (4 * (k ^ flip)) & own != 0).map(|k| 1 << k).sum();
            let covered = covers(15);
            if q.splits {
                let (rank, others) = q.group();
                let own = if q.turned() { q.coverage >> (4 * q.sample) & 15 } else { covers(1 << q.sample) };
                let covered = if rank == 0 { covered } else { own };
                let pairing = [q.pairing[0], q.pairing[1], rank, others, flip];
                return (2, q.context, 15, covered, counter(q.context, 2), lanes, pairing, [merge, 1, cutoff]);
            }
            (2, q.context, 15, covered, counter(q.context, 2), lanes, q.pairing, [merge, split, cutoff])
        }
    }
}

struct Machine {
    dispatcher: Bench<GraphicsDispatcher>,
    rng: ChaCha8Rng,
    units: usize,
    warps: usize,
    batches: VecDeque<Batch>,
    culls: VecDeque<Batch>,
    quads: VecDeque<Quad>,
    /// By unit and slot: what runs there, its coverage at the end, cycles to go.
    running: BTreeMap<(usize, usize), (Warp, u64, u32)>,
    /// Ended, not told.
    ended: BTreeMap<(usize, usize), (Warp, u64)>,
    /// Taken, not launched.
    due: VecDeque<Warp>,
    launched: u64,
    told: u64,
    /// Samples become groups.
    splits: bool,
    /// Or pixels do.
    turns: bool,
    /// Slot of the first of the group that is being launched.
    group: (usize, usize),
    /// Pairs of groups: slots between the two, and the members that are launched of one.
    apart: usize,
    pair: Vec<(usize, usize)>,
}

impl Machine {
    fn new(config: &GpuConfig, seed: u64) -> Self {
        let mut dispatcher = Bench::new(GraphicsDispatcher::new(config), |b| &mut b.clock);
        dispatcher.start.next = true;
        dispatcher.cycle();
        dispatcher.start.next = false;
        for context in 0..8 {
            let [merge, split, vertex, fragment] = events(context);
            for word in 0..39u64 {
                dispatcher.state.valid.next = true;
                dispatcher.state.context.next = context.into();
                dispatcher.state.word.next = word.into();
                dispatcher.state.data.next = match word {
                    0 => counter(context, 1),
                    2 => counter(context, 2),
                    7 => vertex << 8 | fragment << 16 | 3,
                    37 => merge | split << 16,
                    1 => counter(context, 3) << 16 | 99,
                    _ => 9,
                }
                .into();
                dispatcher.cycle();
            }
        }
        // A pass of four samples, or of two.
        dispatcher.state.valid.next = false;
        dispatcher.state.pass.next = true;
        dispatcher.state.word.next = 1u64.into();
        dispatcher.state.data.next = (if seed % 2 == 1 { 2u64 } else { 1 }).into();
        dispatcher.cycle();
        dispatcher.state.pass.next = false;
        let (units, warps) = (config.total_units(), config.warps);
        let rng = ChaCha8Rng::seed_from_u64(seed);
        let (batches, culls, quads) = (VecDeque::new(), VecDeque::new(), VecDeque::new());
        let (running, ended) = (BTreeMap::new(), BTreeMap::new());
        Self {
            dispatcher,
            rng,
            units,
            warps,
            batches,
            culls,
            quads,
            running,
            ended,
            due: VecDeque::new(),
            launched: 0,
            told: 0,
            splits: config.splits(),
            turns: config.turns(),
            group: (0, 0),
            apart: if config.twins() { 2 + 2 * (seed as usize % 2) } else { 0 },
            pair: vec![],
        }
    }

    fn drive(&mut self) {
        let rng = &mut self.rng;
        let d = &mut self.dispatcher;
        d.batch.valid.next = !self.batches.is_empty();
        if let Some((context, mask, lanes)) = self.batches.front() {
            d.batch.context.next = (*context).into();
            d.batch.mask.next = (*mask).into();
            for (k, lane) in lanes.iter().enumerate() {
                d.batch.index[k].next = lane[0].into();
                d.batch.instance[k].next = lane[1].into();
                d.batch.entry[k].next = lane[2].into();
            }
        }
        d.cull.valid.next = !self.culls.is_empty();
        if let Some((context, mask, lanes)) = self.culls.front() {
            d.cull.context.next = (*context).into();
            d.cull.mask.next = (*mask).into();
            for (k, lane) in lanes.iter().enumerate() {
                d.cull.index[k].next = lane[0].into();
                d.cull.instance[k].next = lane[1].into();
                d.cull.entry[k].next = lane[2].into();
            }
        }
        d.shade.valid.next = !self.quads.is_empty();
        if let Some(q) = self.quads.front() {
            d.shade.context.next = q.context.into();
            d.shade.handle.next = q.handle.into();
            d.shade.order.next = (q.ticket + 1000).into();
            d.shade.back.next = q.back;
            (d.shade.x.next, d.shade.y.next) = (q.x.into(), q.y.into());
            d.shade.ticket.next = q.ticket.into();
            d.shade.single.next = q.single;
            d.shade.sample.next = q.sample.into();
            d.shade.splits.next = q.splits;
            d.shade.coverage.next = q.coverage.into();
            let [mergeable, pair, member, others, flip] = q.pairing;
            d.pairing.mergeable.next = mergeable == 1;
            (d.pairing.pair.next, d.pairing.member.next) = (pair.into(), member.into());
            (d.pairing.others.next, d.pairing.flip.next) = (others.into(), flip.into());
            for k in 0..4 {
                d.shade.depth[k].next = q.depth[k].into();
            }
        }
        d.fragment.ready.next = rng.random_range(0..3) > 0;
        let over = self.running.iter().find(|(_, w)| w.2 == 0).map(|(place, _)| *place);
        d.end[0].valid.next = over.is_some();
        if let Some((unit, slot)) = over {
            let (warp, left, _) = self.running.remove(&(unit, slot)).unwrap();
            self.ended.insert((unit, slot), (warp, left));
            (d.end[0].unit.next, d.end[0].warp.next) = ((unit as u64).into(), (slot as u64).into());
        }
        let covered = |unit: usize| {
            let of = |slot: usize| self.ended.get(&(unit, slot)).map_or(5, |w| w.1);
            (0..16).map(|slot| of(slot) << (4 * slot)).sum::<u64>()
        };
        for unit in 0..self.units {
            d.covered[unit].next = covered(unit).into();
        }
        self.running.values_mut().filter(|w| w.2 != u32::MAX).for_each(|w| w.2 = w.2.saturating_sub(1));
    }

    /// An end is told.
    fn tell(&mut self, kind: u64, words: [u64; 4], more: [u64; 4], covered: u64) -> Result<(), String> {
        let same = |warp: &Warp| {
            let lanes = 0..4usize;
            match kind == 2 {
                true => lanes.clone().all(|k| {
                    let sample = if warp.5[k][0] >> 31 == 1 { warp.5[k][0] >> 24 & 3 } else { 0 };
                    warp.0 == 2 && warp.5[k][1] >> 24 == words[k] && sample == more[k]
                }),
                false => warp.0 == kind && warp.2 == covered && lanes.clone().all(|k| warp.5[k][2] == words[k]),
            }
        };
        let found = self.ended.iter().find(|(_, w)| same(&w.0) && (kind != 2 || w.1 == covered)).map(|(p, _)| *p);
        let place = found.ok_or(format!("an end is told that is none: {kind} {words:?} {more:?} {covered}"))?;
        self.ended.remove(&place);
        self.told += 1;
        Ok(())
    }

    fn cycle(&mut self) -> Result<(), String> {
        self.drive();
        let d = &mut self.dispatcher;
        d.settle();
        if d.fragment.valid.val() && d.fragment.ready.val() {
            let words = [0, 1, 2, 3].map(|k| d.fragment.ticket[k].val().to_u64());
            let samples = [0, 1, 2, 3].map(|k| d.fragment.sample[k].val().to_u64());
            let covered = d.fragment.covered.val().to_u64();
            self.tell(2, words, samples, covered)?;
        }
        let d = &mut self.dispatcher;
        if d.shaded_ports.shaded_valid.val() && d.cull_shaded_valid.val() {
            return Err("an end is told twice".into());
        }
        if d.shaded_ports.shaded_valid.val() || d.cull_shaded_valid.val() {
            let kind = if d.cull_shaded_valid.val() { 3 } else { 1 };
            let entries = [0, 1, 2, 3].map(|k| d.shaded_ports.shaded_entry[k].val().to_u64());
            let mask = d.shaded_ports.shaded_mask.val().to_u64();
            self.tell(kind, entries, [0; 4], mask)?;
        }
        let d = &mut self.dispatcher;
        if d.launch.valid.val() {
            let place = (d.launch.unit.val().to_u64() as usize, d.launch.warp.val().to_u64() as usize);
            let lane = |k: usize| {
                [d.tags.place[k].val().to_u64(), d.tags.depth[k].val().to_u64(), d.tags.handle[k].val().to_u64()]
            };
            let warp = (
                d.tags.kind.val().to_u64(),
                d.tags.context.val().to_u64(),
                d.launch.mask.val().to_u64(),
                d.tags.covered.val().to_u64(),
                d.launch.pc.val().to_u64(),
                [0, 1, 2, 3].map(lane),
                [
                    u64::from(d.tags.mergeable.val()),
                    d.tags.pair.val().to_u64(),
                    d.tags.member.val().to_u64(),
                    d.tags.others.val().to_u64(),
                    d.tags.flip.val().to_u64(),
                ],
                [d.tags.merge.val().to_u64(), d.tags.split.val().to_u64(), d.tags.cutoff.val().to_u64()],
            );
            if place.0 >= self.units || place.1 >= self.warps {
                return Err(format!("there is no slot {place:?}"));
            }
            if self.running.contains_key(&place) || self.ended.contains_key(&place) {
                return Err(format!("slot {place:?} is taken"));
            }
            if warp.7[1] == 1 && self.splits {
                let (rank, others) = (warp.6[2] as usize, warp.6[3]);
                let whole = [1, 2, 4, 4][others as usize];
                let twin = if self.apart == 0 { 0 } else { d.launch_twin[0].val().to_u64() };
                let second = twin > 1;
                if (twin != 0) != (warp.6[0] == 1) || second && twin as usize != 1 + self.apart / 2 {
                    return Err(format!("{twin} is told of a pair of groups"));
                }
                if rank == 0 && twin == 1 && !place.1.is_multiple_of(2 * self.apart) {
                    return Err(format!("a pair of groups begins at {place:?}"));
                }
                if rank == 0 && second && self.pair.first() != Some(&(place.0, place.1.wrapping_sub(self.apart))) {
                    return Err(format!("a second group is at {place:?}, the first one at {:?}", self.pair.first()));
                }
                if twin == 1 && rank == 0 {
                    self.pair.clear();
                }
                if twin != 0 {
                    self.pair.push(place);
                }
                if rank == 0 && !place.1.is_multiple_of(whole) {
                    return Err(format!("a group of {} begins at {place:?}", others + 1));
                }
                if rank == 0 {
                    self.group = place;
                }
                if place != (self.group.0, self.group.1 + rank) {
                    return Err(format!("member {rank} of a group at {:?} is at {place:?}", self.group));
                }
            }
            self.launched += 1;
            let (left, time) = (self.rng.random_range(0..16), self.rng.random_range(2..40));
            self.running.insert(place, (warp, left & warp.3, time));
            if warp.7[1] == 1 && self.splits {
                // Nobody ends before all are there, and member 0 is the last.
                let (rank, others) = (warp.6[2] as usize, warp.6[3] as usize);
                let members = (0..=rank).map(|m| (self.group.0, self.group.1 + m));
                for (m, member) in members.enumerate() {
                    let time = if rank < others { u32::MAX } else { 2 + self.rng.random_range(0..30) };
                    self.running.entry(member).and_modify(|w| w.2 = if m == 0 { time.max(40) } else { time });
                }
                // Of a pair of groups all wait for the last one, and the first slot for all.
                let paired = warp.6[0] == 1;
                let all_there = paired && self.pair.first() != Some(&self.group) && rank == others;
                if paired {
                    for (m, member) in self.pair.iter().enumerate() {
                        let time = 2 + self.rng.random_range(0..30);
                        let time = if all_there { time + if m == 0 { 80 } else { 0 } } else { u32::MAX };
                        self.running.entry(*member).and_modify(|w| w.2 = time);
                    }
                }
            }
            if self.due.pop_front() != Some(warp) {
                return Err(format!("{warp:x?} is launched"));
            }
        }
        let d = &mut self.dispatcher;
        let (batch, quad) = (d.batch.valid.val() && d.batch.ready.val(), d.shade.valid.val() && d.shade.ready.val());
        let cull = d.cull.valid.val() && d.cull.ready.val();
        d.cycle();
        if usize::from(batch) + usize::from(cull) + usize::from(quad) > 1 {
            return Err(format!("batch {batch}, cull {cull}, quad {quad} are taken together"));
        }
        if cull {
            self.due.extend(self.culls.pop_front().map(|b| expected(Work::Cull(b), self.splits)));
        }
        if batch {
            self.due.extend(self.batches.pop_front().map(|b| expected(Work::Batch(b), self.splits)));
        }
        if quad {
            self.due.extend(self.quads.pop_front().map(|q| expected(Work::Quad(q), self.splits)));
        }
        Ok(())
    }

    fn batch(&mut self) -> Batch {
        let rng = &mut self.rng;
        let lane =
            |rng: &mut ChaCha8Rng| [rng.random::<u32>().into(), rng.random::<u32>().into(), rng.random_range(0..4096)];
        (rng.random_range(0..8), rng.random_range(1..16), [0; 4].map(|_: i32| lane(rng)))
    }

    fn quad(&mut self, number: u64) -> Quad {
        let rng = &mut self.rng;
        let (single, sample) = (rng.random(), rng.random_range(0..4));
        let coverage: u64 = rng.random_range(1..65536);
        Quad {
            context: rng.random_range(0..8),
            handle: rng.random_range(0..4096),
            back: rng.random(),
            x: rng.random_range(0..2048),
            y: rng.random_range(0..2048),
            ticket: number % 64,
            single,
            sample,
            coverage: if single { (coverage & 0x1111) << sample } else { coverage },
            depth: [0; 4].map(|_: i32| rng.random_range(0..1 << 24)),
            pairing: [2, 64, 4, 4, 4].map(|most| rng.random_range(0..most)),
            splits: false,
        }
    }

    /// The samples, or the pixels, of a quad whose program splits.
    fn group(&mut self, number: u64) -> Vec<Quad> {
        let few = if self.rng.random() { 0x3333 } else { 0xFFFF };
        let coverage = (self.rng.random_range(1..65536u64) & few).max(2);
        let quad = self.quad(number);
        let turned = self.turns && self.rng.random();
        let of = |sample| Quad { single: !turned, sample, coverage, splits: true, pairing: [0; 5], ..quad };
        (0..4).filter(|n| coverage & if turned { 15 << (4 * n) } else { 0x1111 << n } != 0).map(of).collect()
    }

    /// The samples of two quads that merge before they split.
    fn two_groups(&mut self, number: u64) -> Vec<Quad> {
        let flip = self.rng.random_range(0..4);
        let samples = if self.apart == 2 { 0x3333 } else { 0xFFFF };
        let mut both = vec![];
        for (member, flip) in [(0u64, 0), (1, flip)] {
            // Their tickets differ, so that their ends do.
            let quad = self.quad(number + 32 * member);
            let coverage = (self.rng.random_range(1..65536u64) & samples).max(2);
            let of = |sample| Quad {
                single: true,
                sample,
                coverage,
                splits: true,
                pairing: [1, number % 64, member, 1, flip],
                ..quad
            };
            both.extend((0..4).filter(|s| coverage & 0x1111 << s != 0).map(of));
        }
        both
    }

    /// That much work; the cycles it took.
    fn run(&mut self, count: u64) -> Result<u64, String> {
        let mut more = 0;
        for number in 0..count {
            match self.rng.random_range(0..5) {
                1 => {
                    let batch = self.batch();
                    self.culls.push_back(batch);
                }
                0 => {
                    let batch = self.batch();
                    self.batches.push_back(batch);
                }
                2 if self.splits => {
                    let pair = self.apart != 0 && self.rng.random();
                    let mut group = if pair { self.two_groups(number) } else { self.group(number) };
                    if self.apart == 2 {
                        group.retain(|q| q.sample < 2);
                        group.iter_mut().for_each(|q| q.coverage &= 0x3333);
                    }
                    more += group.len() as u64 - 1;
                    self.quads.extend(group);
                }
                _ => {
                    let quad = self.quad(number);
                    let pairing = if self.splits { [0; 5] } else { quad.pairing };
                    self.quads.push_back(Quad { pairing, ..quad });
                }
            }
        }
        let count = count + more;
        for cycle in 0..100 * count {
            self.cycle()?;
            if self.told == count {
                let idle = (0..4).any(|_| {
                    self.dispatcher.cycle();
                    self.dispatcher.idle.val()
                });
                return if idle { Ok(cycle) } else { Err("it is not idle".into()) };
            }
        }
        Err(format!("{} of {count} launched, {} told", self.launched, self.told))
    }
}

#[test]
fn warps_have_their_tags_and_ends_are_told_once() {
    for (units, warps) in [(1, 2), (1, 16), (3, 5)] {
        let config = GpuConfig { units, warps, ..GpuConfig::default() };
        for seed in 0..4 {
            Machine::new(&config, seed)
                .run(400)
                .unwrap_or_else(|e| panic!("{units} units, {warps} slots, {seed}: {e}"));
        }
    }
}

fn splitting(units: usize, warps: usize, fault: Option<Fault>) -> GpuConfig {
    GpuConfig { units, warps, fault, graphics: true, split: true, ..GpuConfig::default() }
}

#[test]
fn samples_of_a_quad_are_launched_as_a_group() {
    for (units, warps) in [(1, 4), (1, 16), (3, 7)] {
        for seed in 0..4 {
            Machine::new(&splitting(units, warps, None), seed)
                .run(400)
                .unwrap_or_else(|e| panic!("{units} units, {warps} slots, {seed}: {e}"));
        }
    }
}

/// MS-41: pixels of a quad are likewise.
#[test]
fn ms_41_pixels_of_a_quad_are_launched_as_a_group() {
    for (units, warps) in [(1, 4), (3, 7)] {
        for seed in 0..4 {
            let config = GpuConfig { split_shape: SplitShape::Either, ..splitting(units, warps, None) };
            Machine::new(&config, seed)
                .run(400)
                .unwrap_or_else(|e| panic!("{units} units, {warps} slots, {seed}: {e}"));
        }
    }
    let config = GpuConfig { split_shape: SplitShape::Either, ..splitting(2, 8, Some(Fault::SplitRank)) };
    assert!(Machine::new(&config, 1).run(200).is_err());
}

fn merging_too(units: usize, warps: usize, fault: Option<Fault>) -> GpuConfig {
    GpuConfig { merge: true, ..splitting(units, warps, fault) }
}

/// With two samples in a pass and with four: which of them goes by the seed.
#[test]
fn ms_42_samples_of_two_quads_are_launched_as_a_pair_of_groups() {
    for (units, warps) in [(1, 8), (1, 16), (3, 10)] {
        for seed in 0..4 {
            Machine::new(&merging_too(units, warps, None), seed)
                .run(400)
                .unwrap_or_else(|e| panic!("{units} units, {warps} slots, {seed}: {e}"));
        }
    }
}

#[test]
fn planted_faults_of_pairs_of_groups_are_caught() {
    for fault in [Fault::TwinSlots, Fault::TwinRelease] {
        assert!(Machine::new(&merging_too(1, 16, Some(fault)), 1).run(400).is_err(), "{fault:?}");
    }
}

#[test]
fn planted_faults_of_groups_are_caught() {
    for fault in [Fault::SplitUnion, Fault::SplitRank, Fault::SplitSlots] {
        assert!(Machine::new(&splitting(2, 8, Some(fault)), 1).run(200).is_err(), "{fault:?}");
    }
    // A group that has all slots waits for its last members, and those for vertices without a slot.
    assert!(Machine::new(&splitting(1, 4, Some(Fault::GroupWaits)), 1).run(400).is_err());
}

#[test]
fn a_launch_per_cycle_while_slots_are_free() {
    let config = GpuConfig { units: 4, warps: 16, ..GpuConfig::default() };
    let mut machine = Machine::new(&config, 1);
    for number in 0..60 {
        let quad = machine.quad(number);
        machine.quads.push_back(quad);
    }
    (0..62).for_each(|_| machine.cycle().unwrap());
    assert_eq!(machine.launched, 60);
}

/// Quads and vertices of the cull pipeline that wait, with slots free: who is taken, cycle by
/// cycle.
fn turns(config: &GpuConfig) -> String {
    let mut machine = Machine::new(config, 2);
    for number in 0..30 {
        let (quad, batch) = (machine.quad(number), machine.batch());
        machine.quads.push_back(quad);
        machine.culls.push_back(batch);
    }
    let mut turns = String::new();
    for cycle in 0..24 {
        // A batch that replays goes before both.
        if cycle == 10 {
            let batch = machine.batch();
            machine.batches.push_back(batch);
        }
        let before = (machine.batches.len(), machine.culls.len(), machine.quads.len());
        machine.cycle().unwrap();
        let after = (machine.batches.len(), machine.culls.len(), machine.quads.len());
        turns.push(match (before.0 - after.0, before.1 - after.1, before.2 - after.2) {
            (1, 0, 0) => 'v',
            (0, 1, 0) => 'c',
            (0, 0, 1) => 'q',
            _ => '-',
        });
    }
    turns
}

/// HZ-31: neither starves the other.
#[test]
fn vertices_of_the_cull_pipeline_and_quads_take_turns() {
    let config = GpuConfig { units: 4, warps: 16, ..GpuConfig::default() };
    assert_eq!(turns(&config), "cqcqcqcqcqvcqcqcqcqcqcqc");
    let faulty = GpuConfig { fault: Some(Fault::GraphicsCullStarves), ..config };
    assert_eq!(turns(&faulty), "qqqqqqqqqqvqqqqqqqqqqqqq");
}

#[test]
fn planted_faults_are_caught() {
    for fault in [
        Fault::GraphicsEndEarly,
        Fault::GraphicsLaneSwap,
        Fault::GraphicsWrongProgram,
        Fault::GraphicsCullEnd,
        Fault::GraphicsPairing,
    ] {
        let config = GpuConfig { units: 2, warps: 8, fault: Some(fault), ..GpuConfig::default() };
        assert!(Machine::new(&config, 1).run(200).is_err(), "{fault:?}");
    }
}
