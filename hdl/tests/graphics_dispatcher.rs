//! The graphics dispatcher with warp units that take their time: every batch and every quad becomes
//! one warp in a free slot, with the tags of the page; every end is told once, with the warp's
//! tickets, samples, entries and the coverage that its slot has then.

use std::collections::{BTreeMap, VecDeque};

use quadlock_hdl::base::testing::Bench;
use quadlock_hdl::config::GpuConfig;
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
}

#[derive(Clone, Copy, Debug)]
enum Work {
    Batch(Batch),
    Quad(Quad),
}

/// What is launched: kind, context, mask, covered, counter, and of each lane three words.
type Warp = (u64, u64, u64, u64, u64, [[u64; 3]; 4]);

/// The program counters that were written into the states.
fn counter(context: u64, fragment: bool) -> u64 {
    100 * context + if fragment { 57 } else { 3 }
}

/// What the page says of the warp.
fn expected(work: Work) -> Warp {
    match work {
        Work::Batch((context, mask, lanes)) => (1, context, mask, mask, counter(context, false), lanes),
        Work::Quad(q) => {
            let lane = |k: u64| {
                let covered = q.coverage >> (4 * k) & 15;
                let mut place = (2 * q.x + k % 2) | (2 * q.y + k / 2) << 12 | covered << 26;
                place |= u64::from(!q.back) << 30 | u64::from(q.single) << 31;
                place |= if q.single { q.sample << 24 } else { 0 };
                [place, q.depth[k as usize] | (4 * q.ticket + k) << 24, q.handle]
            };
            let covered = (0..4).filter(|k| q.coverage >> (4 * k) & 15 != 0).map(|k| 1 << k).sum();
            (2, q.context, 15, covered, counter(q.context, true), [0, 1, 2, 3].map(lane))
        }
    }
}

struct Machine {
    dispatcher: Bench<GraphicsDispatcher>,
    rng: ChaCha8Rng,
    units: usize,
    warps: usize,
    batches: VecDeque<Batch>,
    quads: VecDeque<Quad>,
    /// By unit and slot: what runs there, its coverage at the end, cycles to go.
    running: BTreeMap<(usize, usize), (Warp, u64, u32)>,
    /// Ended, not told.
    ended: BTreeMap<(usize, usize), (Warp, u64)>,
    /// Taken, not launched.
    due: VecDeque<Warp>,
    launched: u64,
    told: u64,
}

impl Machine {
    fn new(config: &GpuConfig, seed: u64) -> Self {
        let mut dispatcher = Bench::new(GraphicsDispatcher::new(config), |b| &mut b.clock);
        dispatcher.start.next = true;
        dispatcher.cycle();
        dispatcher.start.next = false;
        for context in 0..8 {
            for word in 0..37u64 {
                dispatcher.state.valid.next = true;
                dispatcher.state.context.next = context.into();
                dispatcher.state.word.next = word.into();
                dispatcher.state.data.next = match word {
                    0 => counter(context, false),
                    2 => counter(context, true),
                    _ => 9,
                }
                .into();
                dispatcher.cycle();
            }
        }
        dispatcher.state.valid.next = false;
        let (units, warps) = (config.total_units(), config.warps);
        let rng = ChaCha8Rng::seed_from_u64(seed);
        let (batches, quads) = (VecDeque::new(), VecDeque::new());
        let (running, ended) = (BTreeMap::new(), BTreeMap::new());
        Self {
            dispatcher,
            rng,
            units,
            warps,
            batches,
            quads,
            running,
            ended,
            due: VecDeque::new(),
            launched: 0,
            told: 0,
        }
    }

    fn drive(&mut self) {
        let rng = &mut self.rng;
        let d = &mut self.dispatcher;
        d.batch_valid.next = !self.batches.is_empty();
        if let Some((context, mask, lanes)) = self.batches.front() {
            d.batch.context.next = (*context).into();
            d.batch.mask.next = (*mask).into();
            for (k, lane) in lanes.iter().enumerate() {
                d.batch.index[k].next = lane[0].into();
                d.batch.instance[k].next = lane[1].into();
                d.batch.entry[k].next = lane[2].into();
            }
        }
        d.shade_valid.next = !self.quads.is_empty();
        if let Some(q) = self.quads.front() {
            d.shade.context.next = q.context.into();
            d.shade.handle.next = q.handle.into();
            d.shade.order.next = (q.ticket + 1000).into();
            d.shade.back.next = q.back;
            (d.shade.x.next, d.shade.y.next) = (q.x.into(), q.y.into());
            d.shade.ticket.next = q.ticket.into();
            d.shade.single.next = q.single;
            d.shade.sample.next = q.sample.into();
            d.shade.coverage.next = q.coverage.into();
            for k in 0..4 {
                d.shade.depth[k].next = q.depth[k].into();
            }
        }
        d.fragment_ready.next = rng.random_range(0..3) > 0;
        let over = self.running.iter().find(|(_, w)| w.2 == 0).map(|(place, _)| *place);
        d.end_valid[0].next = over.is_some();
        if let Some((unit, slot)) = over {
            let (warp, left, _) = self.running.remove(&(unit, slot)).unwrap();
            self.ended.insert((unit, slot), (warp, left));
            (d.end_unit[0].next, d.end_warp[0].next) = ((unit as u64).into(), (slot as u64).into());
        }
        let covered = |unit: usize| {
            let of = |slot: usize| self.ended.get(&(unit, slot)).map_or(5, |w| w.1);
            (0..16).map(|slot| of(slot) << (4 * slot)).sum::<u64>()
        };
        for unit in 0..self.units {
            d.covered[unit].next = covered(unit).into();
        }
        self.running.values_mut().for_each(|w| w.2 = w.2.saturating_sub(1));
    }

    /// An end is told.
    fn tell(&mut self, fragment: bool, words: [u64; 4], more: [u64; 4], covered: u64) -> Result<(), String> {
        let same = |warp: &Warp| {
            let lanes = 0..4usize;
            match fragment {
                true => lanes.clone().all(|k| {
                    let sample = if warp.5[k][0] >> 31 == 1 { warp.5[k][0] >> 24 & 3 } else { 0 };
                    warp.0 == 2 && warp.5[k][1] >> 24 == words[k] && sample == more[k]
                }),
                false => warp.0 == 1 && warp.2 == covered && lanes.clone().all(|k| warp.5[k][2] == words[k]),
            }
        };
        let found = self.ended.iter().find(|(_, w)| same(&w.0) && (!fragment || w.1 == covered)).map(|(p, _)| *p);
        let place = found.ok_or(format!("an end is told that is none: {fragment} {words:?} {more:?} {covered}"))?;
        self.ended.remove(&place);
        self.told += 1;
        Ok(())
    }

    fn cycle(&mut self) -> Result<(), String> {
        self.drive();
        let d = &mut self.dispatcher;
        d.settle();
        if d.fragment_valid.val() && d.fragment_ready.val() {
            let words = [0, 1, 2, 3].map(|k| d.fragment.ticket[k].val().to_u64());
            let samples = [0, 1, 2, 3].map(|k| d.fragment.sample[k].val().to_u64());
            let covered = d.fragment.covered.val().to_u64();
            self.tell(true, words, samples, covered)?;
        }
        let d = &mut self.dispatcher;
        if d.shaded_valid.val() {
            let entries = [0, 1, 2, 3].map(|k| d.shaded_entry[k].val().to_u64());
            let mask = d.shaded_mask.val().to_u64();
            self.tell(false, entries, [0; 4], mask)?;
        }
        let d = &mut self.dispatcher;
        if d.launch_valid.val() {
            let place = (d.launch_unit.val().to_u64() as usize, d.launch_warp.val().to_u64() as usize);
            let lane = |k: usize| {
                [d.tags.place[k].val().to_u64(), d.tags.depth[k].val().to_u64(), d.tags.handle[k].val().to_u64()]
            };
            let warp = (
                d.tags.kind.val().to_u64(),
                d.tags.context.val().to_u64(),
                d.launch_mask.val().to_u64(),
                d.tags.covered.val().to_u64(),
                d.launch_pc.val().to_u64(),
                [0, 1, 2, 3].map(lane),
            );
            if place.0 >= self.units || place.1 >= self.warps {
                return Err(format!("there is no slot {place:?}"));
            }
            if self.running.contains_key(&place) || self.ended.contains_key(&place) {
                return Err(format!("slot {place:?} is taken"));
            }
            self.launched += 1;
            let (left, time) = (self.rng.random_range(0..16), self.rng.random_range(2..40));
            self.running.insert(place, (warp, left & warp.3, time));
            if self.due.pop_front() != Some(warp) {
                return Err(format!("{warp:x?} is launched"));
            }
        }
        let d = &mut self.dispatcher;
        let (batch, quad) = (d.batch_valid.val() && d.batch_ready.val(), d.shade_valid.val() && d.shade_ready.val());
        d.cycle();
        if batch {
            self.due.extend(self.batches.pop_front().map(|b| expected(Work::Batch(b))));
        }
        if quad {
            self.due.extend(self.quads.pop_front().map(|q| expected(Work::Quad(q))));
        }
        Ok(())
    }

    fn batch(&mut self) -> Batch {
        let rng = &mut self.rng;
        let lane =
            |rng: &mut ChaCha8Rng| [rng.random::<u32>().into(), rng.random::<u32>().into(), rng.random_range(0..64)];
        (rng.random_range(0..8), rng.random_range(1..16), [0; 4].map(|_: i32| lane(rng)))
    }

    fn quad(&mut self, number: u64) -> Quad {
        let rng = &mut self.rng;
        let (single, sample) = (rng.random(), rng.random_range(0..4));
        let coverage: u64 = rng.random_range(1..65536);
        Quad {
            context: rng.random_range(0..8),
            handle: rng.random_range(0..64),
            back: rng.random(),
            x: rng.random_range(0..2048),
            y: rng.random_range(0..2048),
            ticket: number % 64,
            single,
            sample,
            coverage: if single { (coverage & 0x1111) << sample } else { coverage },
            depth: [0; 4].map(|_: i32| rng.random_range(0..1 << 24)),
        }
    }

    /// That much work; the cycles it took.
    fn run(&mut self, count: u64) -> Result<u64, String> {
        for number in 0..count {
            match self.rng.random_range(0..4) {
                0 => {
                    let batch = self.batch();
                    self.batches.push_back(batch);
                }
                _ => {
                    let quad = self.quad(number);
                    self.quads.push_back(quad);
                }
            }
        }
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

#[test]
fn planted_faults_are_caught() {
    for fault in [Fault::GraphicsEndEarly, Fault::GraphicsLaneSwap, Fault::GraphicsWrongProgram] {
        let config = GpuConfig { units: 2, warps: 8, fault: Some(fault), ..GpuConfig::default() };
        assert!(Machine::new(&config, 1).run(200).is_err(), "{fault:?}");
    }
}
