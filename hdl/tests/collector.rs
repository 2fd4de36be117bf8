//! The collector against a model of docs/graphics-blocks.md ("Results"): quads of one, two and four
//! samples of random contexts, in tiles that follow each other, with stalls on all sides and a
//! result store that is full at times. Compared are what the store is told, what is shaded, and
//! of which tiles quads are on their way. Rates are counted in cycles. Each planted fault is found.

use std::collections::VecDeque;

use quadlock_hdl::base::testing::Bench;
use quadlock_hdl::config::{GpuConfig, SplitShape};
use quadlock_hdl::fault::Fault;
use quadlock_hdl::raster::Collector;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::common::machine::{Machine, On};

/// Cycles in which nothing happens after which the block is taken to hang.
const HANG: u32 = 3000;
/// In place of a sample: the quad is of a pixel, whose samples have the depths.
const PIXEL: u64 = 8;
/// Places of the result store.
const PLACES: u64 = 64;

/// Whose quad it is, and where.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Owner {
    context: u64,
    handle: u64,
    order: u64,
    back: u64,
    buffer: u64,
    x: u64,
    y: u64,
}

/// What the rasteriser gives, in its order.
#[derive(Clone, Debug)]
enum Item {
    /// Lanes and depths of each sample; depths at the centre behind them, if there are samples.
    Quad(Owner, Vec<u64>, Vec<[u64; 4]>),
    End(Owner),
}

/// A beat on its way, with what the block says of it.
#[derive(Clone, Debug, Default)]
struct Beat {
    end: bool,
    owner: Owner,
    sample: u64,
    last: bool,
    lanes: u64,
    depth: [u64; 4],
    told: Vec<Told>,
    shades: Vec<Shade>,
}

#[derive(Clone, Debug, PartialEq)]
enum Told {
    Sample { ticket: u64, number: u64, lanes: u64, depth: [u64; 4] },
    Keep { ticket: u64, owner: Owner, warps: u64, alone: bool },
    End { handle: u64 },
}

#[derive(Clone, Debug, PartialEq)]
enum Shade {
    Quad { owner: Owner, ticket: u64, sample: Option<u64>, coverage: u64, depth: [u64; 4] },
    End { handle: u64 },
}

/// Contexts and pass.
#[derive(Clone, Debug)]
struct Setting {
    samples: usize,
    /// Whether it has a fragment program.
    runs: [bool; 8],
    /// Whether samples are shaded one by one.
    single: [bool; 8],
    /// Whether its program splits, and then whether lanes are apart behind it.
    splits: [Option<bool>; 8],
    /// Of which a split makes warps.
    shape: Option<SplitShape>,
}

impl Setting {
    fn plain(samples: usize) -> Self {
        Self { samples, runs: [true; 8], single: [false; 8], splits: [None; 8], shape: None }
    }

    fn random(rng: &mut impl Rng) -> Self {
        Self {
            samples: [1, 2, 4][rng.random_range(0..3)],
            runs: std::array::from_fn(|_| rng.random_bool(0.8)),
            single: std::array::from_fn(|_| rng.random_bool(0.3)),
            splits: [None; 8],
            shape: None,
        }
    }
}

/// The model: tickets are counted here.
struct Model<'a> {
    setting: &'a Setting,
    ticket: u64,
}

impl Model<'_> {
    fn quad(&mut self, owner: Owner, lanes: &[u64], depths: &[[u64; 4]]) -> Vec<Beat> {
        let (n, context) = (self.setting.samples, owner.context as usize);
        let ticket = self.ticket;
        let mut beats: Vec<Beat> = (0..depths.len())
            .map(|s| {
                let lanes = lanes.get(s).copied().unwrap_or_default();
                let sample = Told::Sample { ticket, number: s as u64, lanes, depth: depths[s] };
                let told = if s < n { vec![sample] } else { vec![] };
                Beat { owner, sample: s as u64, lanes, depth: depths[s], told, ..Beat::default() }
            })
            .collect();
        let last = beats.last_mut().unwrap();
        last.last = true;
        if lanes.iter().all(|&l| l == 0) {
            return beats;
        }
        self.ticket = (self.ticket + 1) % PLACES;
        let (runs, alone) = (self.setting.runs[context], self.setting.single[context]);
        let covered: Vec<usize> = (0..n).filter(|&s| lanes[s] != 0).collect();
        let pixels: Vec<usize> = (0..4).filter(|&p| lanes.iter().any(|l| l >> p & 1 != 0)).collect();
        let splits = self.setting.splits[context].filter(|_| alone && self.setting.shape.is_some());
        let turned = splits == Some(true)
            && n == 4
            && match self.setting.shape {
                Some(SplitShape::Pixels) => true,
                Some(SplitShape::Either) => pixels.len() < covered.len(),
                _ => false,
            };
        let warps = match (runs, alone) {
            (false, _) => 0,
            (true, false) => 1,
            (true, true) if turned => pixels.len() as u64,
            (true, true) => covered.len() as u64,
        };
        last.told.push(Told::Keep { ticket, owner, warps, alone });
        let bits = |s: usize| (0..4).filter(|k| lanes[s] >> k & 1 != 0).map(|k| 1 << (4 * k + s)).sum::<u64>();
        let shade = |sample: Option<u64>, coverage, depth| Shade::Quad { owner, ticket, sample, coverage, depth };
        let all = (0..n).map(bits).sum();
        if runs && turned {
            let depth = |p: usize| [0, 1, 2, 3].map(|s| depths[s][p]);
            last.shades = pixels.iter().map(|&p| shade(Some(PIXEL + p as u64), all, depth(p))).collect();
        } else if runs && splits.is_some() {
            last.shades = covered.iter().map(|&s| shade(Some(s as u64), all, depths[s])).collect();
        } else if runs && alone {
            last.shades = covered.iter().map(|&s| shade(Some(s as u64), bits(s), depths[s])).collect();
        } else if runs {
            last.shades = vec![shade(None, (0..n).map(bits).sum(), last.depth)];
        }
        beats
    }
}

/// Tiles in turn in some of the eight buffers, each with triangles of random quads.
fn story(rng: &mut impl Rng, setting: &Setting, tiles: usize, quads: usize, covered: f64) -> Vec<Item> {
    let mut items = vec![];
    let mut number = 0;
    let beats = if setting.samples == 1 { 1 } else { setting.samples + 1 };
    for tile in 0..tiles {
        for _ in 0..rng.random_range(1..6) {
            let mut owner = Owner {
                context: rng.random_range(0..8),
                handle: number * 61 % 4096,
                order: rng.random_range(0..1 << 16),
                back: rng.random_range(0..2),
                buffer: tile as u64 * 3 % 8,
                ..Owner::default()
            };
            number += 1;
            for _ in 0..rng.random_range(0..=quads) {
                (owner.x, owner.y) = (rng.random_range(0..1 << 11), rng.random_range(0..1 << 11));
                let lane =
                    |rng: &mut dyn rand::RngCore| if rng.random_bool(covered) { rng.random_range(0..16) } else { 0 };
                let lanes = (0..setting.samples).map(|_| lane(rng)).collect();
                let depths = (0..beats).map(|_| std::array::from_fn(|_| rng.random_range(0..1 << 24))).collect();
                items.push(Item::Quad(owner, lanes, depths));
            }
            items.push(Item::End(owner));
        }
    }
    items
}

/// How often each side is willing.
#[derive(Clone, Copy)]
struct Will {
    give: f64,
    beat: f64,
    shade: f64,
    commit: f64,
}

const ALWAYS: Will = Will { give: 1.0, beat: 1.0, shade: 1.0, commit: 1.0 };

fn collector(on: On, config: &GpuConfig) -> Machine {
    Machine::new(on, config, "collector", Bench::new(Collector::new(config), |b| &mut b.clock))
}

/// A run: what is on its way, and what the block has said.
struct Run<'a> {
    m: &'a mut Machine,
    setting: &'a Setting,
    fifo: VecDeque<Beat>,
    told: VecDeque<Told>,
    shades: VecDeque<Shade>,
    /// Quads of each buffer that are given and not taken, now and when the cycle began.
    between: [i64; 8],
    shown: [i64; 8],
    /// Buffer of the quad that was kept in the cycle before.
    entering: Option<u64>,
    /// Tickets that are given and have not committed, as of now and of the cycles before.
    inside: [u64; 3],
    /// Cycles in which a beat was taken, and a quad left.
    taken_at: Vec<u64>,
    cycles: Vec<u64>,
}

impl<'a> Run<'a> {
    fn new(m: &'a mut Machine, setting: &'a Setting) -> Self {
        m.state(true, 3, 1, (setting.samples as u64).ilog2().into());
        // Words of other records and numbers change nothing.
        for c in 0..8 {
            let splits = setting.splits[c].map_or(0, |apart| 1 << 13 | u64::from(apart) << 14);
            m.state(false, c, 6, if setting.single[c] { 1 << 12 | splits } else { !(1 << 12) & 0xFFFF_FFFF });
            m.state(false, c, 3, if setting.runs[c] { 0x40 << c } else { 0 });
            m.state(false, c, 4, 0x55);
            m.state(true, c, 3, u64::from(!setting.runs[c]));
        }
        Self {
            m,
            setting,
            fifo: VecDeque::new(),
            told: VecDeque::new(),
            shades: VecDeque::new(),
            between: [0; 8],
            shown: [0; 8],
            entering: None,
            inside: [0; 3],
            taken_at: vec![],
            cycles: vec![],
        }
    }

    fn offer(&mut self, offered: bool) {
        self.m.set("quad_valid", offered.into());
        let Some(q) = self.fifo.front().filter(|_| offered) else { return };
        let o = q.owner;
        for (port, value) in [
            ("end", q.end.into()),
            ("context", o.context),
            ("handle", o.handle),
            ("order", o.order),
            ("back", o.back),
            ("buffer", o.buffer),
            ("x", o.x),
            ("y", o.y),
            ("sample", q.sample),
            ("last", q.last.into()),
            ("coverage", q.lanes),
        ] {
            self.m.set(&format!("quad_{port}"), value);
        }
        for k in 0..4 {
            self.m.set(&format!("quad_depth{k}"), q.depth[k]);
        }
    }

    fn owner(&self, bundle: &str) -> Owner {
        let get = |port: &str| self.m.get(&format!("{bundle}_{port}"));
        Owner {
            context: get("context"),
            handle: get("handle"),
            order: get("order"),
            back: get("back"),
            buffer: get("buffer"),
            x: get("x"),
            y: get("y"),
        }
    }

    fn depths(&self, bundle: &str) -> [u64; 4] {
        std::array::from_fn(|k| self.m.get(&format!("{bundle}_depth{k}")))
    }

    /// What the store hears in this cycle.
    fn hear(&mut self) -> Result<(), String> {
        let ticket = self.m.get("collected_ticket");
        let number = self.m.get("collected_number");
        let mut heard = vec![];
        if self.m.get("collected_sample") != 0 && number < self.setting.samples as u64 {
            let (lanes, depth) = (self.m.get("collected_lanes"), self.depths("collected"));
            heard.push(Told::Sample { ticket, number, lanes, depth });
        }
        if self.m.get("collected_keep") != 0 {
            let (warps, alone) = (self.m.get("collected_warps"), self.m.get("collected_alone") != 0);
            heard.push(Told::Keep { ticket, owner: self.owner("collected"), warps, alone });
            self.inside[0] += 1;
        }
        if self.m.get("collected_end") != 0 {
            heard.push(Told::End { handle: self.m.get("collected_handle") });
        }
        for h in heard {
            let want = self.told.pop_front();
            if want.as_ref() != Some(&h) {
                return Err(format!("the store hears {h:?}, wanted {want:?}"));
            }
        }
        if self.inside[0] > PLACES {
            return Err("more tickets than places".into());
        }
        Ok(())
    }

    fn tiles(&mut self) -> Result<(), String> {
        let enters = (self.m.get("tile_enter") != 0).then(|| self.m.get("tile_enter_buffer"));
        let want = self.entering.take();
        if want != enters {
            return Err(format!("a quad enters buffer {enters:?}, wanted {want:?}"));
        }
        let waiting = (0..8).filter(|&b| self.shown[b] != 0).map(|b| 1 << b).sum::<u64>();
        match self.m.get("waiting") {
            seen if seen != waiting => Err(format!("quads of {seen:#x} are on their way, wanted {waiting:#x}")),
            _ => Ok(()),
        }
    }

    fn shade(&mut self) -> Result<(), String> {
        if self.m.get("shade_valid") == 0 {
            return Ok(());
        }
        let seen = match self.m.get("shade_end") {
            1 => Shade::End { handle: self.m.get("shade_handle") },
            _ => Shade::Quad {
                owner: self.owner("shade"),
                ticket: self.m.get("shade_ticket"),
                sample: match (self.m.get("shade_single"), self.m.get("shade_splits")) {
                    (0, 0) => None,
                    (0, _) => Some(PIXEL + self.m.get("shade_sample")),
                    _ => Some(self.m.get("shade_sample")),
                },
                coverage: self.m.get("shade_coverage"),
                depth: self.depths("shade"),
            },
        };
        let want = self.shades.pop_front();
        if want.as_ref() != Some(&seen) {
            return Err(format!("shaded {seen:?}, wanted {want:?}"));
        }
        self.cycles.push(self.m.cycles);
        Ok(())
    }

    /// The block has taken the beat: it says so from the next cycle on.
    fn taken(&mut self) {
        let beat = self.fifo.pop_front().unwrap();
        self.taken_at.push(self.m.cycles);
        if beat.last {
            self.between[beat.owner.buffer as usize] -= 1;
        }
        self.entering = beat.told.iter().find_map(|t| match t {
            Told::Keep { owner, .. } => Some(owner.buffer),
            _ => None,
        });
        self.told.extend(beat.told);
        self.shades.extend(beat.shades);
    }

    fn nothing_left(&self) -> bool {
        self.fifo.is_empty() && self.told.is_empty() && self.shades.is_empty() && self.entering.is_none()
    }

    fn all(&mut self, items: &[Item], will: Will, seed: u64) -> Result<(), String> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut model = Model { setting: self.setting, ticket: 0 };
        let mut items: VecDeque<&Item> = items.iter().collect();
        let (mut offered, mut quiet) = (false, 0);
        while !(items.is_empty() && self.nothing_left() && self.m.get("idle") != 0) {
            // What is given in this cycle comes in the next one at the earliest.
            self.shown = self.between;
            offered = !self.fifo.is_empty() && (offered || rng.random_bool(will.beat));
            self.offer(offered);
            self.give(&mut items, &mut model, will, &mut rng);
            let open = rng.random_bool(will.shade);
            self.m.set("shade_ready", open.into());
            self.m.set("room", u64::from(self.inside[2] < PLACES - 2));
            self.m.settle();
            if self.m.get("idle") != 0 && !(self.shades.is_empty() && self.entering.is_none()) {
                return Err("idle with something to say".into());
            }
            self.hear()?;
            self.tiles()?;
            if open {
                self.shade()?;
            }
            quiet += 1;
            if offered && self.m.get("quad_ready") != 0 {
                self.taken();
                (offered, quiet) = (false, 0);
            }
            self.inside = [self.inside[0], self.inside[0], self.inside[1]];
            if self.inside[0] > 0 && rng.random_bool(will.commit) {
                self.inside[0] -= 1;
            }
            self.m.cycle();
            self.m.settle();
            if quiet > HANG {
                return Err(format!("it hangs with {} items, {} beats", items.len(), self.fifo.len()));
            }
        }
        Ok(())
    }

    /// The rasteriser and the binner, in this cycle.
    fn give(&mut self, items: &mut VecDeque<&Item>, model: &mut Model, will: Will, rng: &mut impl Rng) {
        self.m.set("rastered", 0);
        if self.fifo.len() > 80 || !rng.random_bool(will.give) {
            return;
        }
        match items.front() {
            Some(Item::Quad(owner, lanes, depths)) => {
                self.m.set("rastered", 1);
                self.m.set("rastered_buffer", owner.buffer);
                self.between[owner.buffer as usize] += 1;
                self.fifo.extend(model.quad(*owner, lanes, depths));
            }
            Some(Item::End(owner)) => {
                let (told, shades) =
                    (vec![Told::End { handle: owner.handle }], vec![Shade::End { handle: owner.handle }]);
                self.fifo.push_back(Beat { end: true, owner: *owner, told, shades, ..Beat::default() });
            }
            _ => return,
        }
        items.pop_front();
    }
}

fn wills(seed: u64) -> Will {
    let some = |k: u64| [1.0f64, 0.8, 0.4, 0.15][(seed / 3 + k * (seed % 5)) as usize % 4];
    Will { give: some(0), beat: some(1), shade: some(2), commit: [1.0, 0.5, 0.1, 0.04][seed as usize % 4] }
}

fn random(on: On, config: &GpuConfig, seed: u64, tiles: usize) -> Result<(), String> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut setting = Setting::random(&mut rng);
    if config.splits() {
        setting.shape = Some(config.split_shape);
        setting.single = std::array::from_fn(|_| rng.random_bool(0.7));
        setting.splits = std::array::from_fn(|_| rng.random_bool(0.8).then(|| rng.random_bool(0.7)));
    }
    let items = story(&mut rng, &setting, tiles, 20, [0.3, 0.9][seed as usize / 2 % 2]);
    let mut m = collector(on, config);
    Run::new(&mut m, &setting).all(&items, wills(seed), seed).map_err(|e| format!("seed {seed}, {setting:?}: {e}"))
}

#[test]
fn random_quads_get_their_tickets() {
    for seed in 0..24 {
        random(On::Verilog, &GpuConfig::default(), seed, 12).unwrap();
    }
}

#[test]
fn rust_hdl_says_the_same() {
    for seed in 0..4 {
        random(On::RustHdl, &GpuConfig::default(), seed, 2).unwrap();
    }
}

fn shaped(split_shape: SplitShape, fault: Option<Fault>) -> GpuConfig {
    GpuConfig { graphics: true, split: true, split_shape, fault, ..GpuConfig::default() }
}

/// MS-41: quads whose programs split are sent by samples or by pixels, with the depths of those,
/// and the store waits for as many warps.
#[test]
fn ms_41_quads_are_sent_by_samples_or_by_pixels() {
    for shape in [SplitShape::Samples, SplitShape::Pixels, SplitShape::Either] {
        for seed in 0..12 {
            random(On::Verilog, &shaped(shape, None), seed, 8).unwrap_or_else(|e| panic!("{shape:?}: {e}"));
        }
    }
    random(On::RustHdl, &shaped(SplitShape::Either, None), 1, 2).unwrap();
}

/// Two triangles, H and V, meet in two places: H at P, V at R, V at P, H at R. If the second and
/// third were merged, and the first and fourth, each pair would have to be shaded before the other.
#[test]
fn mutually_ordered_pairs_stay_in_order() {
    let setting = Setting::plain(1);
    let owner = |handle, x| Owner { context: 1, handle, order: handle, x, y: 7, ..Owner::default() };
    let (p, r) = (10, 11);
    // Halves that would fit together.
    let stream = [(owner(1, p), 3), (owner(2, r), 3), (owner(2, p), 12), (owner(1, r), 12)];
    for (seed, will) in [ALWAYS, Will { shade: 0.2, ..ALWAYS }, Will { beat: 0.3, ..ALWAYS }].into_iter().enumerate() {
        let mut items = vec![];
        for _ in 0..40 {
            items.extend(stream.map(|(o, lanes)| Item::Quad(o, vec![lanes], vec![[9; 4]])));
        }
        let mut m = collector(On::Verilog, &GpuConfig::default());
        let mut run = Run::new(&mut m, &setting);
        run.all(&items, will, seed as u64).unwrap();
        assert_eq!(run.cycles.len(), 160, "none is merged, none is lost");
    }
}

/// Cycles from one quad to the next with everything ready, for samples and whether they are shaded
/// one by one.
#[test]
fn a_beat_per_cycle() {
    for (samples, single, cycles) in [(1, false, 1), (2, false, 3), (4, false, 5), (1, true, 2), (4, true, 9)] {
        let setting = Setting { single: [single; 8], ..Setting::plain(samples) };
        let beats = if samples == 1 { 1 } else { samples + 1 };
        let quad = Item::Quad(Owner::default(), vec![15; samples], vec![[1; 4]; beats]);
        let items = vec![quad; 200];
        let mut m = collector(On::Verilog, &GpuConfig::default());
        let mut run = Run::new(&mut m, &setting);
        run.all(&items, ALWAYS, 1).unwrap();
        let shades = if single { samples } else { 1 };
        let took = run.cycles[199 * shades] - run.cycles[0];
        assert_eq!(took, 199 * cycles, "{samples} samples, one by one: {single}");
        let latency = run.cycles[0] - run.taken_at[beats - 1];
        assert_eq!(latency, if single { 2 } else { 1 }, "from the last beat to the quad");
    }
}

/// Nobody takes quads, and nothing commits: 64 tickets, then it stands still, and goes on later.
#[test]
fn a_full_store_holds_quads_back() {
    let setting = Setting::plain(1);
    let items = vec![Item::Quad(Owner::default(), vec![15], vec![[1; 4]]); 500];
    let mut m = collector(On::Verilog, &GpuConfig::default());
    Run::new(&mut m, &setting).all(&items, Will { commit: 0.01, ..ALWAYS }, 3).unwrap();
}

/// Each fault is found by the random quads.
#[test]
fn planted_faults_are_caught() {
    for fault in [
        Fault::CollectorDrop,
        Fault::CollectorStale,
        Fault::CollectorTicket,
        Fault::CollectorRoom,
        Fault::CollectorCloseEarly,
        Fault::CollectorEnter,
        Fault::CollectorEndLost,
        Fault::CollectorBypass,
        Fault::CollectorWarps,
    ] {
        let config = GpuConfig { fault: Some(fault), ..GpuConfig::default() };
        assert!((0..24).any(|seed| random(On::Verilog, &config, seed, 12).is_err()), "{fault:?}");
    }
    for fault in [Fault::ShapeDepth, Fault::ShapeCount, Fault::ShapeChoice] {
        let config = shaped(SplitShape::Either, Some(fault));
        assert!((0..24).any(|seed| random(On::Verilog, &config, seed, 8).is_err()), "{fault:?}");
    }
}
