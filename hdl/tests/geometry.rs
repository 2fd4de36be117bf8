//! Geometry as one block, on its exported Verilog: random triangles, whole and clipped, with culls,
//! scissor and depth bias. Edges, gradients and depths are those of the golden model, whose own
//! tests hold it to exact integers; so are the words of vertices, made ones too, that fragments ask
//! for. At the end every entry and every record is free again.

use quadlock_golden::graphics::primitive::{assemble, Cull, Primitive, Vertex};
use quadlock_golden::graphics::records::State;
use quadlock_golden::Memory;
use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::export;
use quadlock_hdl::fault::Fault;
use quadlock_rtlsim::{Design, Options, Simulation, Source};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Context of the draws, and pixels of the target's sides.
const CONTEXT: u64 = 5;
const SIDE: u32 = 64;
/// Words of varyings; the last one is flat, the second linear.
const VARYINGS: u32 = 3;
/// Cycles after which nothing comes any more.
const PATIENCE: u64 = 20_000;

struct Machine {
    simulation: Simulation,
    cycles: u64,
}

impl Machine {
    fn new(config: &GpuConfig) -> Self {
        let text = export::export_named("geometry", config).unwrap();
        let design = Design::parse(&[Source::new("geometry.v", &text)], Some("geometry")).unwrap();
        Self { simulation: design.compile(&Options::default()).unwrap(), cycles: 0 }
    }

    fn set(&mut self, port: &str, value: u64) {
        let handle = self.simulation.input(port).unwrap();
        self.simulation.poke(handle, value);
    }

    fn get(&mut self, port: &str) -> u64 {
        let handle = self.simulation.signal(&format!("geometry.{port}")).unwrap();
        self.simulation.peek(handle)
    }

    fn step(&mut self) {
        self.simulation.step().unwrap();
        self.cycles += 1;
    }

    /// Cycles until `port` stands, and the one in which it does.
    fn until(&mut self, port: &str) -> Result<(), String> {
        let start = self.cycles;
        loop {
            self.simulation.settle();
            let there = self.get(port) == 1;
            if there {
                return Ok(());
            }
            self.step();
            if self.cycles > start + PATIENCE {
                return Err(format!("{port} does not come"));
            }
        }
    }

    /// Offers something until it is taken.
    fn offer(&mut self, valid: &str, ready: &str) -> Result<(), String> {
        self.set(valid, 1);
        self.until(ready)?;
        self.step();
        self.set(valid, 0);
        Ok(())
    }
}

fn signed(value: u64, bits: u32) -> i64 {
    (value as i64) << (64 - bits) >> (64 - bits)
}

/// What the block says of a triangle.
struct Seen {
    a: [i64; 3],
    b: [i64; 3],
    c: [i64; 3],
    z: i64,
    gradients: [i64; 2],
    range: [i64; 2],
    back: bool,
    handle: u64,
}

impl Seen {
    fn of(m: &mut Machine) -> Self {
        let mut edge = |name: &str, bits| [0, 1, 2].map(|i| signed(m.get(&format!("triangle_{name}{i}")), bits));
        let (a, b, c) = (edge("a", 24), edge("b", 24), edge("c", 48));
        Self {
            a,
            b,
            c,
            z: signed(m.get("triangle_z"), 52),
            gradients: ["gx", "gy"].map(|g| signed(m.get(&format!("triangle_{g}")), 50)),
            range: ["z_low", "z_high"].map(|z| m.get(&format!("triangle_{z}")) as i64),
            back: m.get("triangle_back") == 1,
            handle: m.get("triangle_handle"),
        }
    }

    fn compare(&self, p: &Primitive) -> Result<(), String> {
        let [here, right, down] = [(0, 0), (1, 0), (0, 1)].map(|at| p.triangle.edges(at));
        for i in 0..3 {
            let (expected, seen) =
                ([right[i] - here[i], down[i] - here[i], here[i]], [self.a[i], self.b[i], self.c[i]]);
            if expected != seen {
                return Err(format!("edge {i}: {seen:?}, it is {expected:?}"));
            }
        }
        if self.gradients != p.triangle.gradients() {
            return Err(format!("gradients {:?}, they are {:?}", self.gradients, p.triangle.gradients()));
        }
        if self.back == p.front {
            return Err("the other face".into());
        }
        for (x, y) in [(0, 0), (1000, 3000), (5000, 100)] {
            let z =
                self.z.wrapping_add(self.gradients[0].wrapping_mul(x)).wrapping_add(self.gradients[1].wrapping_mul(y));
            let depth = ((z << 12 >> 12) + (1 << 23)) >> 24;
            let (seen, expected) = (depth.clamp(self.range[0], self.range[1]), p.triangle.depth((x, y)));
            if seen != i64::from(expected) {
                return Err(format!("depth at {x}, {y}: {seen}, it is {expected}"));
            }
        }
        Ok(())
    }
}

/// What fragments are told of a triangle.
fn questions(m: &mut Machine, handle: u64, p: &Primitive) -> Result<(), String> {
    for corner in 0..4usize {
        for word in [0usize, 4, 5, 6, 63] {
            if corner == 3 && word != 63 {
                continue;
            }
            m.set("sr_valid", 1);
            m.set("sr_handle", handle);
            m.set("sr_corner", corner as u64);
            m.set("sr_word", word as u64);
            m.step();
            m.set("sr_valid", 0);
            m.step();
            m.simulation.settle();
            let expected = match (word, corner) {
                (63, 3) => p.inverse_area,
                (63, _) => p.reciprocals[corner],
                (6, _) => p.first[6],
                _ => p.vertices[corner][word],
            };
            let seen = m.get("sa_data") as u32;
            if m.get("sa_valid") != 1 || seen != expected {
                return Err(format!("word {word} of corner {corner}: {seen:#x}, it is {expected:#x}"));
            }
        }
    }
    Ok(())
}

/// A state with those modes, and the words of its record.
fn state(modes: u32, bias: bool) -> (State, [u32; 37]) {
    let mut words = [0u32; 37];
    let half = SIDE as f32 / 2.0;
    let guard = 8190.0 / half - 1.0;
    words[8..16].copy_from_slice(&[half, half, half, -half, 0.0, 1.0, guard, guard].map(f32::to_bits));
    (words[1], words[3], words[6], words[7]) = (1, 1, modes, VARYINGS);
    (words[16], words[17]) = (3 | 5 << 16, 60 | 62 << 16);
    (words[33], words[35]) = (4, 2);
    if bias {
        words[18..21].copy_from_slice(&[0.001f32, 1.5, 0.0005].map(f32::to_bits));
    }
    let mut memory = Memory::new(0x4000);
    for (k, &word) in words.iter().enumerate() {
        memory.write32(0x1000 + 4 * k as u32, word);
    }
    (State::read(&memory, 0x1000).unwrap(), words)
}

fn vertex(rng: &mut ChaCha8Rng, wild: bool) -> Vertex {
    let mut v = [0u32; 64];
    let (reach, w) = if wild { (3f32, rng.random_range(-0.5..2f32)) } else { (1.0, rng.random_range(0.5..2f32)) };
    let beyond = if wild { rng.random_range(-1.0..1f32) } else { 0.0 };
    let at = [rng.random_range(-reach..reach) * w, rng.random_range(-reach..reach) * w];
    let position = [at[0], at[1], rng.random_range(0.0..1f32) * w + beyond, w];
    v[..4].copy_from_slice(&position.map(f32::to_bits));
    (4..4 + VARYINGS as usize).for_each(|k| v[k] = rng.random_range(-4.0..4f32).to_bits());
    v
}

/// Three shaded vertices in entries of the store.
fn shade(m: &mut Machine, vertices: &[Vertex; 3]) -> Result<[u64; 3], String> {
    let mut entries = [0; 3];
    for entry in &mut entries {
        m.until("entry_valid")?;
        *entry = m.get("entry");
        m.set("entry_take", 1);
        m.step();
        m.set("entry_take", 0);
    }
    for word in 0..4 + VARYINGS as usize {
        for (k, vertex) in vertices.iter().enumerate() {
            m.set(&format!("vw_entry{k}"), entries[k]);
            m.set(&format!("vw_data{k}"), vertex[word].into());
        }
        m.set("vw_mask", 7);
        m.set("vw_word", word as u64);
        m.offer("vw_valid", "vw_ready")?;
    }
    m.set("shaded_valid", 1);
    m.set("shaded_mask", 7);
    (0..3).for_each(|k| m.set(&format!("shaded_entry_{k}"), entries[k]));
    m.step();
    m.set("shaded_valid", 0);
    Ok(entries)
}

/// Triangles that were clipped, and pieces that were set up.
fn run(config: &GpuConfig, seed: u64, modes: u32, bias: bool, count: usize) -> Result<(u64, u64), String> {
    let mut m = Machine::new(config);
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (state, words) = state(modes, bias);
    m.set("state_pass", 1);
    m.set("state_data", u64::from(SIDE | SIDE << 16));
    m.step();
    m.set("state_pass", 0);
    m.set("state_valid", 1);
    m.set("state_context", CONTEXT);
    for (k, &word) in words.iter().enumerate() {
        m.set("state_word", k as u64);
        m.set("state_data", word.into());
        m.step();
    }
    m.set("state_valid", 0);
    let (mut clipped, mut pieces) = (0, 0);
    let mut held: Vec<(u64, Primitive)> = vec![];
    for n in 0..count {
        let wild = rng.random_range(0..4) == 0;
        let vertices: [Vertex; 3] = std::array::from_fn(|_| vertex(&mut rng, wild));
        let expected = assemble([&vertices[0], &vertices[1], &vertices[2]], &state);
        let entries = shade(&mut m, &vertices)?;
        // What the triangle before has is still there.
        for (handle, p) in held.drain(..) {
            questions(&mut m, handle, &p).map_err(|e| format!("triangle {n}, of the one before: {e}"))?;
            m.set("free_valid", 1);
            m.set("free_handle", handle);
            m.step();
            m.set("free_valid", 0);
        }
        for (k, &entry) in entries.iter().enumerate() {
            m.set("corner_context", CONTEXT);
            m.set("corner_restart", u64::from(k == 0));
            m.set("corner_entry", entry);
            m.offer("corner_valid", "corner_ready")?;
        }
        for entry in entries {
            m.set("drop_entry", entry);
            m.offer("drop_valid", "drop_ready")?;
        }
        let (mut seen, mut fates) = (vec![], vec![]);
        m.set("triangle_ready", 1);
        let start = m.cycles;
        loop {
            m.simulation.settle();
            if m.get("triangle_valid") == 1 {
                seen.push(Seen::of(&mut m));
            }
            let event = m.get("tri_valid") == 1;
            let last = event && m.get("tri_last") == 1;
            if event {
                fates.push(m.get("tri_what"));
            }
            m.step();
            if last {
                break;
            }
            if m.cycles > start + PATIENCE {
                return Err(format!("triangle {n} has no end"));
            }
        }
        let drawn: Vec<u64> = fates.iter().copied().filter(|f| matches!(f, 0 | 5)).collect();
        if drawn.len() != expected.primitives.len() {
            return Err(format!("triangle {n}: fates {fates:?}, {} pieces", expected.primitives.len()));
        }
        let cull = match expected.culled {
            Some(Cull::Nan) => 1,
            Some(Cull::Frustum) => 2,
            Some(Cull::Area) => 3,
            Some(Cull::Face) => 4,
            None => 0,
        };
        if !expected.clipped && cull != 0 && fates != [cull] {
            return Err(format!("triangle {n}: fates {fates:?}, {:?}", expected.culled));
        }
        let here = expected.primitives.iter().zip(&drawn).filter(|(_, &fate)| fate == 0).map(|(p, _)| p);
        let here: Vec<&Primitive> = here.collect();
        if here.len() != seen.len() {
            return Err(format!("triangle {n}: {} pieces are given, {} are drawn", seen.len(), here.len()));
        }
        for (seen, p) in seen.iter().zip(here) {
            seen.compare(p).map_err(|e| format!("triangle {n}: {e}"))?;
            held.push((seen.handle, p.clone()));
        }
        clipped += u64::from(expected.clipped);
        pieces += drawn.len() as u64;
    }
    for (handle, _) in held {
        m.set("free_valid", 1);
        m.set("free_handle", handle);
        m.step();
        m.set("free_valid", 0);
    }
    m.set("corner_end", 1);
    m.offer("corner_valid", "corner_ready")?;
    m.until("idle")?;
    // All entries can be taken that are not kept for clipping.
    for _ in 0..47 {
        m.until("entry_valid").map_err(|_| "an entry is lost")?;
        m.set("entry_take", 1);
        m.step();
        m.set("entry_take", 0);
    }
    Ok((clipped, pieces))
}

#[test]
fn triangles_are_the_models() {
    // Culls clockwise, counter-clockwise; the front is clockwise.
    for (seed, modes, bias) in [(1, 0, false), (2, 4, false), (3, 24, false), (4, 16, true), (5, 0, true)] {
        let (clipped, pieces) = run(&GpuConfig::default(), seed, modes, bias, 200).unwrap();
        assert!(clipped > 20 && pieces > 50, "{clipped} clipped, {pieces} pieces");
    }
}

#[test]
fn planted_faults_are_caught() {
    let faults = [
        Fault::GeometrySwap,
        Fault::GeometryGradient,
        Fault::GeometryFreeEarly,
        Fault::GeometryFlat,
        Fault::GeometryLeak,
    ];
    for fault in faults {
        let config = GpuConfig { fault: Some(fault), ..GpuConfig::default() };
        assert!(run(&config, 1, 0, false, 150).is_err(), "{fault:?}");
    }
}
