//! The binner with a window, between a pipeline that has few places for triangles, a rasteriser and
//! tile buffers that take their time, and stand-ins for the visibility unit and the query at the
//! output. The oracle knows nothing of windows: every pair of triangle and tile that may be seen
//! comes once, in the order of triangles for each tile, with every bit of its triangle, in a buffer
//! that is open for the tile; `last` comes once for each triangle, with its last pair. Windows keep
//! to their sizes, and everything ends though the pipeline before waits for what windows hold.

use std::collections::{BTreeMap, VecDeque};

use quadlock_hdl::base::bundle::Bundle;
use quadlock_hdl::base::testing::Bench;
use quadlock_hdl::config::{GpuConfig, Tbimr};
use quadlock_hdl::fault::Fault;
use quadlock_hdl::ports::{TriangleDataIn, TriangleDataOut, TriangleIn};
use quadlock_hdl::visibility::WindowBinner;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

type Tile = (u64, u64);

/// A triangle: its bounding box and all its bits, in the order of the bundle.
struct Triangle {
    bounds: [u64; 4],
    bits: Vec<u64>,
    /// Tiles of the box, whether it may be seen there, and whether the output's query says hidden.
    tiles: Vec<(Tile, bool, bool)>,
    /// What must still be given: visible tiles that are not hidden.
    due: Vec<Tile>,
    ended: bool,
}

struct Harness {
    binner: Bench<WindowBinner>,
    rng: ChaCha8Rng,
    side: u64,
    config: GpuConfig,
    /// Triangles that the pipeline has places for.
    places: usize,
    triangles: Vec<Triangle>,
    /// The one at the port, and its next tile.
    told: usize,
    next_tile: usize,
    /// Cycles until it is there.
    delay: u32,
    /// Pairs that were given, by tile: the newest triangle.
    newest: BTreeMap<Tile, usize>,
    rasteriser: VecDeque<u64>,
    buffers: [Option<Tile>; 2],
    closed: [u32; 2],
    /// Windows by cause.
    windows: [u64; 9],
    opened: u64,
}

impl Harness {
    fn new(config: &GpuConfig, side: u64, epochs: u64, seed: u64) -> Self {
        let mut binner = Bench::new(WindowBinner::with_epochs(config, epochs), |b| &mut b.clock);
        binner.state.pass.next = true;
        binner.state.word.next = 1u64.into();
        binner.state.data.next = ((u64::from(side.ilog2()) << 4) | 2).into();
        binner.cycle();
        binner.state.pass.next = false;
        Self {
            binner,
            rng: ChaCha8Rng::seed_from_u64(seed),
            side,
            config: config.clone(),
            places: 64,
            triangles: vec![],
            told: 0,
            next_tile: 0,
            delay: 0,
            newest: BTreeMap::new(),
            rasteriser: VecDeque::new(),
            buffers: [None; 2],
            closed: [0; 2],
            windows: [0; 9],
            opened: 0,
        }
    }

    /// Places of bounds in the bundle.
    fn bounds_at() -> [usize; 4] {
        ["x0", "y0", "x1", "y1"].map(|n| TriangleIn::TABLE.ports.iter().position(|p| p.name == n).unwrap())
    }

    fn make(&mut self, count: usize) {
        let mut near = (0, 0);
        for n in 0..count {
            let wide = [6, 20, 60, 200][self.rng.random_range(0..4)];
            if self.rng.random_range(0..3) == 0 {
                near = (self.rng.random_range(0..300), 3500 + self.rng.random_range(0..300));
            }
            let (x1, y1) = (near.0 + self.rng.random_range(0..wide), near.1 + self.rng.random_range(0..wide));
            let bounds = [near.0, near.1, x1, y1];
            let mut bits: Vec<u64> = TriangleIn::TABLE
                .ports
                .iter()
                .map(|p| self.rng.random::<u64>() & (u64::MAX >> (64 - p.width)))
                .collect();
            for (at, value) in Self::bounds_at().into_iter().zip(bounds) {
                bits[at] = value;
            }
            let order = TriangleIn::TABLE.ports.iter().position(|p| p.name == "order").unwrap();
            bits[order] = n as u64;
            let side = self.side;
            let row = |y| (near.0 / side..=x1 / side).map(move |x| (x * side, y * side));
            let places: Vec<Tile> = (near.1 / side..=y1 / side).flat_map(row).collect();
            let (all, none) = (self.rng.random(), self.rng.random_range(0..8) == 0);
            let tiles: Vec<_> = places
                .into_iter()
                .map(|t| (t, !none && (all || self.rng.random()), self.rng.random_range(0..4) == 0))
                .collect();
            let due = tiles.iter().filter(|t| t.1 && !t.2).map(|t| t.0).collect();
            self.triangles.push(Triangle { bounds, bits, tiles, due, ended: false });
        }
    }

    fn cycle(&mut self) -> Result<(), String> {
        // Triangles that left their place free.
        let live = self.triangles[..self.told].iter().filter(|t| !t.ended).count();
        let starved = live >= self.places;
        self.delay = self.delay.saturating_sub(1);
        let b = &mut self.binner;
        // A triangle stays at the port.
        let there = self.told < self.triangles.len() && self.delay == 0 && (self.next_tile > 0 || !starved);
        let (mut visible, waits) = (false, self.rng.random_range(0..8) > 0);
        if there {
            let t = &self.triangles[self.told];
            let mut values = t.bits.iter().copied();
            let data: &mut TriangleDataIn = &mut b.in_triangle;
            for port in data.ports_mut() {
                port.set(&mut values);
            }
            visible = t.tiles.get(self.next_tile).is_some_and(|t| t.1);
        }
        b.in_triangle.valid.next = there;
        // What the pipeline before lacks: stores, a number, the end of a run, or that and stores.
        let lacks = if starved { 1 + (self.windows.iter().sum::<u64>() % 4) as usize } else { 0 };
        b.starved.next = lacks == 1 || lacks == 4;
        b.unnumbered.next = lacks == 2;
        b.held.next = lacks >= 3;
        b.visible_ports.visible_valid.next = there && waits && self.next_tile < self.triangles[self.told].tiles.len();
        b.visible_ports.visible.next = visible;
        let answers = self.rng.random_range(0..3) > 0;
        b.answer_valid.next = answers;
        b.triangle.ready.next = self.rng.random_range(0..3) == 0;
        let done = !self.rasteriser.is_empty() && self.rng.random_range(0..5) == 0;
        b.tile_done.next = done;
        let free = (0..2).find(|&k| self.buffers[k].is_none() && self.closed[k] == 0);
        b.open_ready.next = free.is_some() && self.rng.random();
        b.open_buffer.next = (free.unwrap_or_default() as u64).into();
        b.settle();
        // The answer depends on what is asked.
        let number = b.triangle.order.val().to_u64() as usize;
        let tile = (b.tile.x.val().to_u64(), b.tile.y.val().to_u64());
        let answer = self.triangles.get(number).and_then(|t| t.tiles.iter().find(|t| t.0 == tile)).is_some_and(|t| t.2);
        b.hidden.next = if answers { answer } else { self.rng.random() };
        b.settle();
        let given = b.triangle.valid.val() && b.triangle.ready.val();
        let mut bits = vec![];
        let data: &TriangleDataOut = &b.triangle;
        for port in data.ports() {
            port.read_outputs(&mut bits);
        }
        let (last, hidden) = (b.tile.last.val(), b.tile.hidden.val());
        let buffer = b.tile.buffer.val().to_u64();
        let opened = b.open_valid.val() && b.open_ready.val();
        let open_at = (b.open_x.val().to_u64(), b.open_y.val().to_u64());
        let closed = b.close_valid.val().then(|| b.close_buffer.val().to_u64());
        let bit_taken = b.visible_ports.visible_ready.val() && b.visible_ports.visible_valid.val();
        let gone = b.in_triangle.ready.val() && there;
        let window = b.window.event().map(|w| (u64::from(w.cause), u64::from(w.triangles), u64::from(w.pairs)));
        b.cycle();
        if let Some((cause, triangles, pairs)) = window {
            self.windows[cause as usize] += 1;
            if triangles > self.config.tbimr_window as u64 || pairs > self.config.tbimr_pairs as u64 || pairs == 0 {
                return Err(format!("a window of {triangles} triangles and {pairs} pairs"));
            }
            let of_lack = [4, 3, 8, 6, 6][lacks];
            if matches!(cause, 3 | 4 | 6 | 8) && cause != of_lack {
                return Err(format!("a window ends for cause {cause}, and what is lacking is {of_lack}"));
            }
            if cause == 5 && starved {
                return Err("a window ends late, while the pipeline before it starves".into());
            }
        }
        if let Some(k) = closed {
            if self.rasteriser.contains(&k) || self.buffers[k as usize].is_none() {
                return Err(format!("buffer {k} is closed: {:?}, rasteriser {:?}", self.buffers, self.rasteriser));
            }
            self.buffers[k as usize] = None;
            self.closed[k as usize] = self.rng.random_range(0..20);
        }
        self.closed = self.closed.map(|left: u32| left.saturating_sub(1));
        if done {
            self.rasteriser.pop_front();
        }
        if given {
            self.given(number, tile, &bits, (last, hidden), buffer)?;
        }
        if let (true, Some(k)) = (opened, free) {
            if self.buffers.contains(&Some(open_at)) {
                return Err(format!("{open_at:?} is open: {:?}", self.buffers));
            }
            // Only for a triangle that shows there, or for an end that finds no open tile.
            let due =
                self.triangles[..=self.told.min(self.triangles.len() - 1)].iter().any(|t| t.due.contains(&open_at));
            if !due && self.buffers != [None; 2] {
                return Err(format!("{open_at:?} is opened for nothing"));
            }
            self.buffers[k] = Some(open_at);
            self.opened += 1;
        }
        self.next_tile += usize::from(bit_taken);
        if gone {
            if self.next_tile != self.triangles[self.told].tiles.len() {
                return Err(format!("triangle {} goes before its tiles", self.told));
            }
            (self.told, self.next_tile) = (self.told + 1, 0);
            self.delay = [0, 0, 3, 100][self.rng.random_range(0..4)];
        }
        Ok(())
    }

    /// A triangle in a tile.
    fn given(
        &mut self,
        n: usize,
        tile: Tile,
        bits: &[u64],
        (last, hidden): (bool, bool),
        buffer: u64,
    ) -> Result<(), String> {
        let Some(t) = self.triangles.get_mut(n) else { return Err(format!("triangle {n} is none")) };
        if t.ended {
            return Err(format!("triangle {n} comes again in {tile:?} after its end"));
        }
        if t.bits != bits {
            return Err(format!("triangle {n} has other bits"));
        }
        let open = self.buffers[buffer as usize];
        if open.is_none() || (!hidden && open != Some(tile)) {
            return Err(format!("triangle {n} in {tile:?}, buffer {buffer} of {:?}", self.buffers));
        }
        if hidden && !last {
            return Err(format!("triangle {n} is hidden in {tile:?}, and not at its end"));
        }
        if !hidden {
            let Some(k) = t.due.iter().position(|&d| d == tile) else {
                return Err(format!("triangle {n} is not due in {tile:?}"));
            };
            t.due.swap_remove(k);
            if self.newest.insert(tile, n).is_some_and(|before| before >= n) {
                return Err(format!("triangle {n} comes too late in {tile:?}"));
            }
        }
        if last {
            t.ended = true;
            if !t.due.is_empty() {
                return Err(format!("triangle {n} ends, and is due in {:?}", t.due));
            }
        }
        self.rasteriser.push_back(buffer);
        Ok(())
    }

    /// All triangles, then the end of the pass.
    fn run(&mut self, count: usize) -> Result<(), String> {
        self.make(count);
        for _ in 0..2000 * count {
            self.cycle()?;
            let told = self.told == self.triangles.len();
            self.binner.waits.next = told;
            self.binner.finish.next = told && self.triangles.iter().all(|t| t.ended);
            if told && !self.binner.busy.val() {
                let lost = self.triangles.iter().position(|t| !t.ended);
                return match (self.buffers, lost) {
                    ([None, None], None) => Ok(()),
                    _ => Err(format!("{:?} is open at the end, triangle {lost:?} has none", self.buffers)),
                };
            }
        }
        let at = self.triangles.get(self.told).map(|t| t.bounds);
        Err(format!("triangles do not end: {} of {count} are told, {at:?}", self.told))
    }
}

fn config(window: usize, pairs: usize, tiles: usize) -> GpuConfig {
    GpuConfig {
        graphics: true,
        tbimr: Tbimr::Window,
        tbimr_window: window,
        tbimr_pairs: pairs,
        tbimr_tiles: tiles,
        ..GpuConfig::default()
    }
}

/// HZ-10: by number, by pairs, by places of tiles, by stores of the pipeline before, by the end.
#[test]
fn every_pair_comes_once_and_in_order() {
    let mut windows = [0; 9];
    for (seed, side, sizes, places) in [
        (1, 8, (16, 4096, 1024), 64),
        (2, 16, (1024, 4096, 1024), 12),
        (3, 32, (64, 64, 1024), 200),
        (4, 16, (256, 4096, 16), 200),
        (5, 8, (1024, 128, 64), 9),
        (6, 16, (32, 512, 1024), 200),
    ] {
        // The table is swept often, or never.
        let epochs = if seed % 2 == 0 { 3 } else { (1 << 14) - 1 };
        let mut harness = Harness::new(&config(sizes.0, sizes.1, sizes.2), side, epochs, seed);
        harness.places = places;
        harness.run(120).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        assert!(harness.opened > 40, "{} tiles", harness.opened);
        (0..9).for_each(|k| windows[k] += harness.windows[k]);
    }
    assert!([0, 1, 2, 4].iter().all(|&k| windows[k] > 2), "windows by cause: {windows:?}");
    assert!([3, 6, 8].iter().all(|&k| windows[k] > 0), "windows by cause: {windows:?}");
}

/// A window ends when nothing has come for its time, though nobody waits for it.
#[test]
fn a_window_ends_when_its_time_is_over() {
    let config = GpuConfig { tbimr_limit: 80, ..config(1024, 4096, 1024) };
    let mut harness = Harness::new(&config, 16, 100, 7);
    harness.places = 1000;
    harness.run(80).unwrap();
    assert!(harness.windows[5] > 0, "{:?}", harness.windows);
}

#[test]
fn planted_faults_are_caught() {
    for (fault, sizes, message) in [
        (Fault::WindowPlace, (256, 4096, 16), "is not due in"),
        (Fault::WindowSplit, (256, 64, 1024), "ends, and is due"),
        (Fault::WindowEnd, (256, 4096, 1024), "ends, and is due"),
        (Fault::WindowStarved, (256, 4096, 1024), "starves"),
        (Fault::WindowLost, (256, 4096, 1024), "ends, and is due"),
    ] {
        let config = GpuConfig { fault: Some(fault), ..config(sizes.0, sizes.1, sizes.2) };
        let mut harness = Harness::new(&config, 16, 100, 4);
        harness.places = 20;
        let problem = harness.run(80).err().unwrap_or_else(|| panic!("{fault:?} is not caught"));
        assert!(problem.contains(message), "{fault:?}: {problem}");
    }
}
