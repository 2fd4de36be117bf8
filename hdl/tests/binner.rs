//! The binner with a rasteriser and tile buffers that take their time: every triangle goes to the
//! tiles of its box that may be seen, in raster order, each in a buffer that is open for that tile;
//! no buffer is closed before the rasteriser is done with it. A stand-in for the visibility unit
//! clears bits of its stream, and one for the query at the output answers late and says "hidden":
//! in such a tile a triangle has its end at most. The visibility unit passes triangles.

use std::collections::VecDeque;

use quadlock_hdl::base::drive::Drive;
use quadlock_hdl::base::testing::Bench;
use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::fault::Fault;
use quadlock_hdl::visibility::{Binner, Visibility};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A triangle in a tile: number of the triangle, tile, last, hidden.
type Item = (u64, (u64, u64), bool, bool);

struct Harness {
    binner: Bench<Binner>,
    rng: ChaCha8Rng,
    side: u64,
    /// Boxes by triangle: x0, y0, x1, y1.
    triangles: VecDeque<(u64, [u64; 4])>,
    /// Bits of the first triangle's stream, with the answers to queries, and what must be given.
    stream: VecDeque<(bool, bool)>,
    due: VecDeque<Item>,
    /// Buffers of the triangles that the rasteriser has.
    rasteriser: VecDeque<u64>,
    /// Tiles of the buffers; a closed one is free after a while.
    buffers: [Option<(u64, u64)>; 2],
    closed: [u32; 2],
    opened: u64,
    /// Tiles in which a triangle was hidden, by bit and by answer.
    hidden: [u64; 2],
}

impl Harness {
    fn new(config: &GpuConfig, side: u64, seed: u64) -> Self {
        let mut binner = Bench::new(Binner::new(config), |b| &mut b.clock);
        binner.state.pass.next = true;
        binner.state.word.next = 1u64.into();
        binner.state.data.next = ((u64::from(side.ilog2()) << 4) | 2).into();
        binner.cycle();
        binner.state.pass.next = false;
        let rng = ChaCha8Rng::seed_from_u64(seed);
        Self {
            binner,
            rng,
            side,
            triangles: VecDeque::new(),
            stream: VecDeque::new(),
            due: VecDeque::new(),
            rasteriser: VecDeque::new(),
            buffers: [None; 2],
            closed: [0; 2],
            opened: 0,
            hidden: [0; 2],
        }
    }

    /// The stream of the next triangle, and what follows from it.
    fn begin(&mut self) {
        let Some(&(number, [x0, y0, x1, y1])) = self.triangles.front() else { return };
        let side = self.side;
        let row = |y| (x0 / side..=x1 / side).map(move |x| (x * side, y * side));
        let tiles: Vec<_> = (y0 / side..=y1 / side).flat_map(row).collect();
        let all = self.rng.random();
        for (k, &tile) in tiles.iter().enumerate() {
            let (seen, last) = (all || self.rng.random(), k + 1 == tiles.len());
            let answer = self.rng.random_range(0..4) == 0;
            self.stream.push_back((seen, answer));
            let hidden = !seen || answer;
            self.hidden[usize::from(seen)] += u64::from(hidden);
            if !hidden || last {
                self.due.push_back((number, tile, last, hidden));
            }
        }
    }

    fn cycle(&mut self) -> Result<(), String> {
        let waits = self.rng.random_range(0..8) > 0;
        let b = &mut self.binner;
        if let Some(&(number, [x0, y0, x1, y1])) = self.triangles.front() {
            b.in_triangle.order.next = number.into();
            (b.in_triangle.x0.next, b.in_triangle.y0.next) = (x0.into(), y0.into());
            (b.in_triangle.x1.next, b.in_triangle.y1.next) = (x1.into(), y1.into());
        }
        b.in_triangle.valid.next = !self.triangles.is_empty();
        b.visible_ports.visible_valid.next = waits && !self.stream.is_empty();
        let (bit, answer) = self.stream.front().copied().unwrap_or_default();
        b.visible_ports.visible.next = bit;
        let answers = self.rng.random_range(0..3) > 0;
        b.answer_valid.next = answers;
        // Before the answer is there the port may say anything.
        b.hidden.next = if answers { answer } else { self.rng.random() };
        b.triangle.ready.next = self.rng.random_range(0..3) == 0;
        let done = !self.rasteriser.is_empty() && self.rng.random_range(0..5) == 0;
        b.tile_done.next = done;
        let free = (0..2).find(|&k| self.buffers[k].is_none() && self.closed[k] == 0);
        b.open_ready.next = free.is_some() && self.rng.random();
        b.open_buffer.next = (free.unwrap_or_default() as u64).into();
        b.settle();
        let tile = (b.tile.x.val().to_u64(), b.tile.y.val().to_u64());
        let item = (b.triangle.order.val().to_u64(), tile, b.tile.last.val(), b.tile.hidden.val());
        let asked = b.query_valid.val().then(|| (b.query_x.val().to_u64(), b.query_y.val().to_u64()));
        if asked.is_some_and(|at| at != tile) || (asked.is_some() && !bit) {
            return Err(format!("{asked:?} is asked about in tile {tile:?}, whose bit is {bit}"));
        }
        let given = b.triangle.valid.val() && b.triangle.ready.val();
        let opened = b.open_valid.val() && b.open_ready.val();
        let open_at = (b.open_x.val().to_u64(), b.open_y.val().to_u64());
        let closed = b.close_valid.val().then(|| b.close_buffer.val().to_u64());
        let (bit_taken, gone) = (
            b.visible_ports.visible_ready.val() && b.visible_ports.visible_valid.val(),
            b.in_triangle.ready.val() && b.in_triangle.valid.val(),
        );
        let buffer = b.tile.buffer.val().to_u64();
        b.cycle();
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
            // A hidden one's end may go to any open tile.
            let open = self.buffers[buffer as usize];
            if self.due.pop_front() != Some(item) || open.is_none() || (!item.3 && open != Some(item.1)) {
                return Err(format!("{item:?} in buffer {buffer} of {:?} is not due", self.buffers));
            }
            self.rasteriser.push_back(buffer);
        }
        if let (true, Some(k)) = (opened, free) {
            if self.buffers.contains(&Some(open_at)) {
                return Err(format!("{open_at:?} is open: {:?}", self.buffers));
            }
            self.buffers[k] = Some(open_at);
            self.opened += 1;
        }
        if bit_taken {
            self.stream.pop_front();
        }
        if gone {
            if !self.stream.is_empty()
                || self.due.iter().any(|item| Some(item.0) == self.triangles.front().map(|t| t.0))
            {
                return Err(format!("a triangle goes with {:?} to do", self.due));
            }
            self.triangles.pop_front();
            self.begin();
        }
        Ok(())
    }

    /// All triangles, then the end of the pass.
    fn run(&mut self, count: u64) -> Result<u64, String> {
        for number in 0..count {
            let wide = [6, 40, 90][self.rng.random_range(0..3)];
            let (x0, y0) = (self.rng.random_range(0..4090), self.rng.random_range(0..4090));
            let near = self.triangles.back().filter(|_| self.rng.random()).map(|t| (t.1[0], t.1[1]));
            let (x0, y0) = near.unwrap_or((x0, y0));
            let (x1, y1) = (x0 + self.rng.random_range(0..wide), y0 + self.rng.random_range(0..wide));
            self.triangles.push_back((number, [x0, y0, x1.min(4095), y1.min(4095)]));
        }
        self.begin();
        for cycle in 0..2000 * count {
            self.cycle()?;
            self.binner.finish.next = self.triangles.is_empty();
            if self.triangles.is_empty() && !self.binner.busy.val() {
                return match (self.buffers, self.due.is_empty()) {
                    ([None, None], true) => Ok(cycle),
                    _ => Err(format!("{:?} is open at the end, {:?} due", self.buffers, self.due)),
                };
            }
        }
        Err(format!("triangles do not end: {:?}, {:?}", self.triangles.front(), self.due.front()))
    }
}

#[test]
fn triangles_go_to_their_tiles_in_open_buffers() {
    for (seed, side) in [(1, 8), (2, 16), (3, 32)] {
        let mut harness = Harness::new(&GpuConfig::default(), side, seed);
        harness.run(60).unwrap_or_else(|e| panic!("side {side}: {e}"));
        assert!(harness.opened > 40, "{} tiles", harness.opened);
        assert!(harness.hidden.iter().all(|&n| n > 20), "hidden {:?}", harness.hidden);
    }
}

#[test]
fn planted_faults_are_caught() {
    for (fault, message) in [
        (Fault::BinnerCloseEarly, "is closed"),
        (Fault::BinnerSameTile, "is not due"),
        (Fault::BinnerRow, "is not due"),
        (Fault::BinnerLast, "to do"),
        (Fault::BinnerAnswer, "is not due"),
    ] {
        let config = GpuConfig { fault: Some(fault), ..GpuConfig::default() };
        let problem = Harness::new(&config, 16, 4).run(60).err().unwrap_or_else(|| panic!("{fault:?} is not caught"));
        assert!(problem.contains(message), "{fault:?}: {problem}");
    }
}

/// Every field of the triangle passes; the stream is all ones.
#[test]
fn the_visibility_unit_passes_triangles() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let mut unit = Visibility::default();
    rust_hdl::prelude::Block::connect_all(&mut unit);
    let (inputs, outputs) = (unit.inputs(), unit.outputs());
    for _ in 0..50 {
        let values: Vec<u64> = inputs.iter().map(|i| rng.random::<u64>() & (u64::MAX >> (64 - i.width))).collect();
        unit.set_inputs(&mut values.iter().copied());
        quadlock_hdl::base::testing::settle(&mut unit);
        let mut seen = Vec::new();
        unit.read_outputs(&mut seen);
        let told = |name: &str| values[inputs.iter().position(|i| i.name == name).unwrap()];
        for (port, seen) in outputs.iter().zip(seen) {
            let expected = match port.name.as_str() {
                "in_triangle_ready" => told("triangle_ready"),
                "visible_valid" | "triangle_valid" => told("in_triangle_valid"),
                "visible" => 1,
                name if name.starts_with("query_") => 0,
                name => told(&name.replace("triangle_", "in_triangle_")),
            };
            assert_eq!(seen, expected, "{}", port.name);
        }
    }
}
