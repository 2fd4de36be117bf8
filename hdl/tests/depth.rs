//! Depth and stencil against the rules of docs/graphics.md ([`depth_model`](crate::depth_model)):
//! random quads of random contexts with stalls at every port; what leaves on either side, and the
//! depth memory at the end. The memory answers a read of a word that is being written with
//! nonsense. Rates are counted in cycles. Each planted fault is found.

use crate::depth_model::{Beat, Context, Pass, Story};
use quadlock_hdl::base::testing::Bench;
use quadlock_hdl::config::{GpuConfig, HiZ, HiZUpdate};
use quadlock_hdl::fault::Fault;
use quadlock_hdl::output::DepthStencil;
use quadlock_testkit::tier;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rust_hdl::prelude::*;

/// Cycles in which nothing comes out after which the block is taken to hang.
const HANG: u32 = 2000;

/// How often each port is willing.
#[derive(Clone, Copy)]
struct Will {
    early: f64,
    quad: f64,
    late: f64,
    commit: f64,
}

const ALWAYS: Will = Will { early: 1.0, quad: 1.0, late: 1.0, commit: 1.0 };

struct Run {
    /// Cycle of each beat that left, early and late.
    quads: Vec<u64>,
    commits: Vec<u64>,
}

fn block(config: &GpuConfig) -> Bench<DepthStencil> {
    Bench::new(DepthStencil::new(config), |b| &mut b.clock)
}

fn write(b: &mut Bench<DepthStencil>, pass: bool, context: usize, word: u64, data: u32) {
    b.state.valid.next = !pass;
    b.state.pass.next = pass;
    b.state.context.next = bits(context as u64);
    b.state.word.next = bits(word);
    b.state.data.next = bits(data.into());
    b.cycle();
    b.state.valid.next = false;
    b.state.pass.next = false;
}

fn set_up(b: &mut Bench<DepthStencil>, story: &Story) {
    write(b, true, 5, 1, story.pass.word1());
    // Words that are not for the block.
    write(b, true, 0, 6, 0xFFFF_FFFF);
    for (n, c) in story.contexts.iter().enumerate() {
        for (word, data) in [(6, c.word6), (21, c.front), (22, c.back), (23, c.masks), (1, u32::MAX), (7, u32::MAX)] {
            write(b, false, n, word, data);
        }
    }
}

fn offer_early(b: &mut Bench<DepthStencil>, beat: Option<&Beat>) {
    b.early_quad.valid.next = beat.is_some();
    let Some(q) = beat else { return };
    b.early_quad.end.next = q.end;
    b.early_quad.context.next = bits(q.context);
    b.early_quad.handle.next = bits(q.handle);
    b.early_quad.order.next = bits(q.order);
    b.early_quad.back.next = q.back;
    b.early_quad.buffer.next = bits(q.buffer);
    b.early_quad.x.next = bits(q.x);
    b.early_quad.y.next = bits(q.y);
    b.early_quad.sample.next = bits(q.sample);
    b.early_quad.last.next = q.last;
    b.early_quad.coverage.next = bits(q.coverage.into());
    for k in 0..4 {
        b.early_quad.depth[k].next = bits(q.depth[k]);
    }
}

fn offer_late(b: &mut Bench<DepthStencil>, beat: Option<&Beat>) {
    b.late_commit.valid.next = beat.is_some();
    let Some(q) = beat else { return };
    b.late_commit.context.next = bits(q.context);
    b.late_commit.order.next = bits(q.order);
    b.late_commit.back.next = q.back;
    b.late_commit.buffer.next = bits(q.buffer);
    b.late_commit.x.next = bits(q.x);
    b.late_commit.y.next = bits(q.y);
    b.late_commit.sample.next = bits(q.sample);
    b.late_commit.target.next = bits(q.target);
    b.late_commit.first.next = q.first;
    b.late_commit.last.next = q.last;
    b.late_commit.late.next = q.late;
    b.late_commit.coverage.next = bits(q.coverage.into());
    for k in 0..4 {
        b.late_commit.depth[k].next = bits(q.depth[k]);
        b.late_commit.low[k].next = bits(q.low[k]);
        b.late_commit.high[k].next = bits(q.high[k]);
    }
}

fn quad(b: &Bench<DepthStencil>) -> Beat {
    let q = &b.quad;
    Beat {
        end: q.end.val(),
        context: q.context.val().to_u64(),
        handle: q.handle.val().to_u64(),
        order: q.order.val().to_u64(),
        back: q.back.val(),
        buffer: q.buffer.val().to_u64(),
        x: q.x.val().to_u64(),
        y: q.y.val().to_u64(),
        sample: q.sample.val().to_u64(),
        last: q.last.val(),
        coverage: q.coverage.val().to_u32(),
        depth: std::array::from_fn(|k| q.depth[k].val().to_u64()),
        ..Beat::default()
    }
}

fn commit(b: &Bench<DepthStencil>) -> Beat {
    let q = &b.commit;
    Beat {
        end: false,
        context: q.context.val().to_u64(),
        handle: 0,
        order: q.order.val().to_u64(),
        back: q.back.val(),
        buffer: q.buffer.val().to_u64(),
        x: q.x.val().to_u64(),
        y: q.y.val().to_u64(),
        sample: q.sample.val().to_u64(),
        last: q.last.val(),
        coverage: q.coverage.val().to_u32(),
        depth: std::array::from_fn(|k| q.depth[k].val().to_u64()),
        target: q.target.val().to_u64(),
        first: q.first.val(),
        late: q.late.val(),
        low: std::array::from_fn(|k| q.low[k].val().to_u64()),
        high: std::array::from_fn(|k| q.high[k].val().to_u64()),
    }
}

/// What is told of depths that were written, if it is (HZ-24).
struct Told {
    /// Places of the buffers' tiles, in tiles.
    tiles: [(u64, u64); 8],
    columns: u64,
    /// Who hears has room; how much was told since it has none.
    room: bool,
    since: u32,
    /// What was written in the cycle before: buffer, address, lanes, depths of all lanes.
    written: Option<(u64, u64, u64, [u64; 4])>,
}

impl Told {
    /// Tiles are opened in all buffers.
    fn new(b: &mut Bench<DepthStencil>, side: u32, rng: &mut ChaCha8Rng) -> Self {
        let tiles = std::array::from_fn(|_| (rng.random_range(0..512 >> side), rng.random_range(0..512 >> side)));
        for (buffer, &(x, y)) in tiles.iter().enumerate() {
            b.opened_ports[0].opened.next = true;
            b.opened_ports[0].opened_buffer.next = bits(buffer as u64);
            b.opened_ports[0].opened_x.next = bits(x);
            b.opened_ports[0].opened_y.next = bits(y);
            b.cycle();
        }
        b.opened_ports[0].opened.next = false;
        Self { tiles, columns: 1 << (side - 1), room: true, since: 0, written: None }
    }

    fn willing(&mut self, b: &mut Bench<DepthStencil>, rng: &mut ChaCha8Rng) {
        if rng.random_range(0..12) == 0 {
            (self.room, self.since) = (!self.room, 0);
        }
        b.update_room[0].next = self.room;
    }

    /// The word that was written in the cycle before is told, all lanes of it.
    fn check(&mut self, b: &Bench<DepthStencil>) -> Result<(), String> {
        let u = &b.update;
        let seen = b.update.valid.val().then(|| {
            let place = [u.x.val().to_u64(), u.y.val().to_u64(), u.sample.val().to_u64()];
            (place, u.lanes.val().to_u64(), std::array::from_fn(|k| u.depth[k].val().to_u64()))
        });
        let want = self.written.map(|(buffer, address, lanes, depths)| {
            let (x, y) = self.tiles[buffer as usize];
            let (quad, sample) = (address % (self.columns * self.columns), address / (self.columns * self.columns));
            let place = [x * self.columns + quad % self.columns, y * self.columns + quad / self.columns, sample];
            (place, lanes, depths)
        });
        self.since += u32::from(!self.room && seen.is_some());
        if self.since > 7 {
            return Err("depths are written without room".into());
        }
        if seen == want {
            Ok(())
        } else {
            Err(format!("told {seen:?}, wanted {want:?}"))
        }
    }
}

/// Runs the story; what is wrong, if something is.
fn run(config: &GpuConfig, story: &Story, will: Will, seed: u64) -> Result<Run, String> {
    let mut b = block(config);
    set_up(&mut b, story);
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut memory = story.start.clone();
    let mut run = Run { quads: vec![], commits: vec![] };
    let (mut asked, mut given, mut quiet) = (0, 0, 0);
    let (mut early, mut late) = (false, false);
    let mut told = config.updates_back().then(|| Told::new(&mut b, story.pass.side, &mut rng));
    for k in 0..4 {
        b.read_line.data[k].next = bits(0xDEAD_BEEF);
    }
    while run.quads.len() < story.early.len() || run.commits.len() < story.late.len() {
        // An offer stays until it is taken.
        early = asked < story.early.len() && (early || rng.random_bool(will.early));
        late =
            given < story.late.len() && story.late[given].0 <= run.quads.len() && (late || rng.random_bool(will.late));
        offer_early(&mut b, early.then(|| &story.early[asked].0));
        offer_late(&mut b, late.then(|| &story.late[given].1));
        b.quad.ready.next = rng.random_bool(will.quad);
        b.commit.ready.next = rng.random_bool(will.commit);
        told.iter_mut().for_each(|t| t.willing(&mut b, &mut rng));
        b.settle();
        told.as_mut().map_or(Ok(()), |t| t.check(&b))?;
        quiet += 1;
        if early && b.early_quad.ready.val() {
            (asked, early) = (asked + 1, false);
        }
        if late && b.late_commit.ready.val() {
            (given, late) = (given + 1, false);
        }
        if b.quad.valid.val() && b.quad.ready.val() {
            let want = story.early.get(run.quads.len()).map(|e| &e.1);
            if want != Some(&quad(&b)) {
                return Err(format!("early beat {}: {:?}, wanted {want:?}", run.quads.len(), quad(&b)));
            }
            run.quads.push(b.cycles);
            quiet = 0;
        }
        if b.commit.valid.val() && b.commit.ready.val() {
            // A handle goes no further than the result store.
            let want = story.late.get(run.commits.len()).map(|e| Beat { handle: 0, ..e.2.clone() });
            if want.as_ref() != Some(&commit(&b)) {
                return Err(format!("late beat {}: {:?}, wanted {want:?}", run.commits.len(), commit(&b)));
            }
            run.commits.push(b.cycles);
            quiet = 0;
        }
        let written = step(&mut b, &mut memory);
        told.iter_mut().for_each(|t| t.written = written);
        if quiet > HANG {
            return Err(format!("nothing leaves: {} early, {} late", run.quads.len(), run.commits.len()));
        }
    }
    for _ in 0..8 {
        offer_early(&mut b, None);
        offer_late(&mut b, None);
        b.settle();
        step(&mut b, &mut memory);
    }
    match memory == story.end {
        true => Ok(run),
        false => Err("the depth memory differs".into()),
    }
}

/// A cycle, with the depth memory. The word that was written: buffer, address, lanes, depths.
fn step(b: &mut Bench<DepthStencil>, memory: &mut crate::depth_model::Memory) -> Option<(u64, u64, u64, [u64; 4])> {
    let read = (b.read.buffer.val().index(), b.read.address.val().index());
    let written = (b.write.buffer.val().index(), b.write.address.val().index());
    let mask = b.write.mask.val().to_u32();
    let data: [u32; 4] = std::array::from_fn(|k| b.write.data[k].val().to_u32());
    let answer = memory[read.0][read.1];
    b.cycle();
    for k in 0..4 {
        let clash = read == written && mask >> k & 1 != 0;
        b.read_line.data[k].next = bits(if clash { 0xDEAD_BEEF } else { answer[k].into() });
        if mask >> k & 1 != 0 {
            memory[written.0][written.1][k] = data[k];
        }
    }
    let depths = memory[written.0][written.1].map(|word| u64::from(word & 0xFF_FFFF));
    (mask != 0).then_some((written.0 as u64, written.1 as u64, mask.into(), depths))
}

fn wills(seed: u64) -> Will {
    let some = |k: u64| [1.0f64, 0.8, 0.4, 0.15][(seed / 3 + k * (seed % 5)) as usize % 4];
    Will { early: f64::max(some(0), 0.4), quad: some(1), late: some(2), commit: some(3) }
}

/// Random contexts and quads at few places.
fn random(config: &GpuConfig, seed: u64, quads: usize) -> Result<Run, String> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let pass = Pass::random(&mut rng);
    let contexts = (0..8).map(|_| Context::random(&mut rng)).collect();
    let places = rng.random_range(1..=6);
    let story = Story::random(&mut rng, pass, contexts, quads, places);
    run(config, &story, wills(seed), seed).map_err(|e| format!("seed {seed}, {pass:?}: {e}"))
}

#[test]
fn random_quads_are_tested_in_order_of_triangles() {
    for seed in 0..tier::cases(10, 40) {
        random(&GpuConfig::default(), seed, 150).unwrap();
    }
}

/// With Hi-Z from written depths: the same tests, and each word that is written is told.
fn back(fault: Option<Fault>) -> GpuConfig {
    GpuConfig { graphics: true, hi_z: HiZ::Visibility, hi_z_update: HiZUpdate::Back, fault, ..GpuConfig::default() }
}

#[test]
fn hz_24_written_depths_are_told() {
    for seed in 0..tier::cases(10, 40) {
        random(&back(None), seed, 150).unwrap();
    }
}

#[test]
fn a_written_depth_of_another_place_is_noticed() {
    let fault = Fault::BackPlace;
    let problem = (0..40).find_map(|seed| random(&back(Some(fault)), seed, 150).err());
    assert!(problem.as_ref().is_some_and(|p| p.contains("told")), "{fault:?}: {problem:?}");
}

/// Every place of every tile, with all samples.
#[test]
fn every_word_of_the_depth_memory_has_its_place() {
    for (seed, (samples, side)) in (0..).zip([(4, 5), (4, 4), (4, 3), (2, 5), (1, 5), (1, 3)]) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let pass = Pass { samples, side, targets: 1, depth: true };
        let contexts = vec![Context { word6: 0x300 | 7 << 5, ..Context::default() }];
        let story = Story::random(&mut rng, pass, contexts, 300, 256);
        run(&GpuConfig::default(), &story, ALWAYS, seed).unwrap();
    }
}

/// One function of each kind on every pair of a few depths, and every stencil operation on every
/// value.
#[test]
fn all_functions_and_operations_on_all_values() {
    let pass = Pass { samples: 1, side: 5, targets: 1, depth: true };
    for operation in 0..8 {
        let mut rng = ChaCha8Rng::seed_from_u64(operation.into());
        let stencil = operation << 4 | ((operation + 3) & 7) << 8 | ((operation + 5) & 7) << 12;
        let context = |n: u32| Context {
            word6: 0x700 | n << 5,
            front: stencil | (n + operation) & 7,
            back: stencil | 7,
            masks: rng.random::<u32>() | 0x80,
        };
        let contexts = (0..8).map(context).collect();
        let mut rng = ChaCha8Rng::seed_from_u64(100);
        let story = Story::random(&mut rng, pass, contexts, 600, 256);
        run(&GpuConfig::default(), &story, ALWAYS, 1).unwrap();
    }
}

/// Cycles from the first to the last of a stream, over beats.
fn cycles_per_beat(cycles: &[u64]) -> f64 {
    (cycles[cycles.len() - 1] - cycles[0]) as f64 / (cycles.len() - 1) as f64
}

/// 1x, everything ready: a quad per cycle, at one place or at many, early or late. Early quads that
/// are shaded at once take nothing from each other when they come back.
#[test]
fn one_quad_per_cycle_on_either_side() {
    for (word6, places) in [(0x320, 1), (0x320, 2), (0x720, 3), (0x320, 256), (0, 4)] {
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        let pass = Pass { samples: 1, side: 5, targets: 1, depth: true };
        let early = Context { word6, front: 0x0666_6667, back: 0x6667, masks: 0xFFFF };
        let mut story = Story::random(&mut rng, pass, vec![early], 1000, places);
        let run_of = run(&GpuConfig::default(), &story, ALWAYS, 1).unwrap();
        assert_eq!(cycles_per_beat(&run_of.quads), 1.0, "{word6:x} {places}");
        // The late side by itself: the same quads, all of them there.
        let late = Context { word6: word6 | 1 << 16, ..early };
        story = Story::random(&mut rng, pass, vec![late], 1000, places);
        story.early.clear();
        story.late.iter_mut().for_each(|l| l.0 = 0);
        let run_of = run(&GpuConfig::default(), &story, ALWAYS, 1).unwrap();
        assert_eq!(cycles_per_beat(&run_of.commits), 1.0, "{word6:x} {places} late");
    }
}

/// Each fault is found by the random quads.
#[test]
fn planted_faults_are_found() {
    for fault in [
        Fault::DepthEqual,
        Fault::DepthUnwanted,
        Fault::DepthStale,
        Fault::DepthStaleThree,
        Fault::DepthOvertakes,
        Fault::DepthPendingTwice,
        Fault::DepthLateStores,
        Fault::DepthFurther,
        Fault::StencilClamp,
        Fault::StencilWriteMask,
        Fault::StencilReadMask,
        Fault::StencilDepthFail,
        Fault::StencilFront,
    ] {
        let config = GpuConfig { fault: Some(fault), ..GpuConfig::default() };
        assert!((0..40).any(|seed| random(&config, seed, 150).is_err()), "{fault:?}");
    }
}
