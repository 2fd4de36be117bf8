//! Geometry as one block, on its exported Verilog: meshes, strips and lists of several draws and
//! instances, whole triangles and clipped ones among them, culls, scissor and depth bias, while
//! everything around waits or hurries. Edges, gradients and depths are those of the golden model,
//! whose own tests hold it to exact integers; so are the words of vertices, made ones too, that
//! fragments ask for. At the end every entry and every record is free again.
//!
//! What stands around is in `geometry/bench.rs`, the arithmetic by itself in `geometry/float.rs`.

mod bench;
mod float;

use bench::{Bench, Counts, Draw, Look, Pace, Scene, VARYINGS};
use quadlock_golden::graphics::primitive::Vertex;
use quadlock_hdl::config::{GpuConfig, SetupRate, Tbimr};
use quadlock_hdl::fault::Fault;
use quadlock_testkit::tier;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

const STRIP: u32 = 1;

fn position(v: &mut Vertex, position: [f32; 4]) {
    v[..4].copy_from_slice(&position.map(f32::to_bits));
}

fn varyings(rng: &mut ChaCha8Rng, v: &mut Vertex) {
    (4..4 + VARYINGS as usize).for_each(|k| v[k] = rng.random_range(-4.0..4f32).to_bits());
}

/// A vertex anywhere; a wild one may be outside of everything.
fn vertex(rng: &mut ChaCha8Rng, wild: bool) -> Vertex {
    let mut v = [0u32; 64];
    let (reach, w) = match rng.random_range(0..3) {
        _ if !wild => (1f32, rng.random_range(0.5..2f32)),
        0 => (20.0, rng.random_range(-1.0..0.2f32)),
        _ => (3.0, rng.random_range(-0.5..2f32)),
    };
    let beyond = if wild { rng.random_range(-1.0..1f32) } else { 0.0 };
    let at = [rng.random_range(-reach..reach) * w, rng.random_range(-reach..reach) * w];
    position(&mut v, [at[0], at[1], rng.random_range(0.0..1f32) * w + beyond, w]);
    varyings(rng, &mut v);
    match rng.random_range(0..200) {
        0 => v[rng.random_range(0..4)] = *[0x7FC0_0000, 0x7F80_0000, 0x7180_0000].choose(rng).unwrap_or(&0),
        6 => v[3] = *[1, 0x197F_FFFF, 0x1980_0000, 0].choose(rng).unwrap_or(&0),
        // Beyond the guard band.
        1..4 => v[rng.random_range(0..2)] = (w * rng.random_range(-600.0..600f32)).to_bits(),
        4 => v[2] = 0x0000_1234,
        5 => v[4] = 0x7F80_0000,
        _ => {}
    }
    v
}

/// Draws of every kind: lists with vertices used again, strips, cut ones, corners that are left.
fn scene(seed: u64, wild: u32, draws: usize, modes: u32, bias: [f32; 3]) -> Scene {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut scene = Scene::default();
    for context in 0..8u32 {
        let strip = context & 1;
        let modes = if context < 4 { modes } else { rng.random_range(0..8) << 2 };
        let bias = if context < 6 { bias } else { [0.001, 1.5, [0.0005, -0.0005, 0.0][rng.random_range(0..3)]] };
        let depth_range = *[[0; 2], [0; 2], [0x20_0000, 0xD0_0000]].choose(&mut rng).unwrap_or(&[0; 2]);
        scene.looks.push(Look { modes: modes | strip, bias, depth_range, ..Look::default() });
    }
    for _ in 0..draws {
        let context = rng.random_range(0..8);
        let instances = (0..rng.random_range(1..3)).map(|_| instance(&mut rng, &mut scene, wild)).collect();
        scene.draws.push(Draw { context, instances });
    }
    scene
}

fn instance(rng: &mut ChaCha8Rng, scene: &mut Scene, wild: u32) -> Vec<usize> {
    let first = scene.vertices.len();
    let count = rng.random_range(3..40usize);
    // All four words times a power of two: the picture is the same.
    let scale = 2f32.powi(*[0, 0, 0, -74, 97].choose(rng).unwrap_or(&0));
    let all_wild = rng.random_range(0..4u32) == 0;
    for _ in 0..count {
        let wild = rng.random_range(0..64) < if all_wild { 4 * wild } else { wild };
        let mut v = vertex(rng, wild);
        v[..4].iter_mut().for_each(|word| *word = (f32::from_bits(*word) * scale).to_bits());
        if rng.random_range(0..20) == 0 && scene.vertices.len() > first {
            // The place of another one: triangles without area.
            v[..4].copy_from_slice(&scene.vertices[first][..4]);
        }
        scene.vertices.push(v);
    }
    let length = rng.random_range(1..70usize);
    let mut next = 0;
    let mut indices = vec![];
    for k in 0..length {
        let fresh = next < count && (next == 0 || rng.random_range(0..3) == 0);
        indices.push(first + if fresh { next } else { rng.random_range(next.saturating_sub(10)..next) });
        next += usize::from(fresh);
        if k > 0 && rng.random_range(0..60) == 0 {
            indices[k] = indices[k - 1];
        }
    }
    indices
}

fn at_rate(setup_rate: SetupRate) -> GpuConfig {
    GpuConfig { setup_rate, ..GpuConfig::default() }
}

fn run(config: &GpuConfig, scene: &Scene, pace: Pace, seed: u64) -> Result<Counts, String> {
    Bench::new(config, scene, pace, seed).run()
}

/// One kind of everything at that rate.
fn compare(rate: SetupRate) {
    let mut all = [0; 7];
    let (mut clipped, mut answers, mut triangles) = (0, 0, 0);
    let none = [0.0; 3];
    let bias = [0.001f32, 1.5, 0.0005];
    // Culls clockwise, counter-clockwise; the front is clockwise.
    let kinds = [(1, 0, none), (2, 4, none), (3, 24, none), (4, 16, bias), (5, 0, bias), (6, 0, none)];
    for (seed, modes, bias) in kinds {
        let scene = scene(seed, 8, 14, modes, bias);
        // By day each scene has one of the paces.
        let paces = [Pace::ROUGH, Pace { written: 7, ..Pace::FAST }, Pace::BLOCKED].into_iter().enumerate();
        for (k, pace) in paces.filter(|&(k, _)| tier::is_night() || k as u64 == seed % 3) {
            let counts = run(&at_rate(rate), &scene, pace, 100 * seed + k as u64)
                .unwrap_or_else(|e| panic!("scene {seed}, {pace:?}: {e}"));
            (0..7).for_each(|f| all[f] += counts.fates[f]);
            clipped += counts.clipped;
            answers += counts.answers;
            triangles += counts.triangles;
        }
    }
    assert!(triangles > 2_000 && clipped > 300 && answers > 2_000, "{triangles}, {clipped} clipped, {answers} answers");
    assert!(all[..6].iter().all(|&f| f > 10) && all[6] > tier::cases(1, 2), "fates {all:?}");
}

#[test]
fn triangles_are_the_models() {
    compare(SetupRate::SixtyFour);
}

#[test]
fn triangles_are_the_models_at_16() {
    compare(SetupRate::Sixteen);
}

#[test]
fn triangles_are_the_models_at_4() {
    compare(SetupRate::Four);
}

/// A grid of small triangles inside the target, as a strip, as a list with one new vertex for each
/// triangle, and as a list in which all vertices are new.
fn grid(kind: usize, bias: bool) -> Scene {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let bias = if bias { [0.001, 1.5, 0.0005] } else { [0.0; 3] };
    let looks = vec![Look { modes: u32::from(kind == 0) * STRIP, bias, ..Look::default() }];
    let mut vertices = vec![];
    let mut add = |x: usize, y: usize| {
        let mut v = [0; 64];
        let [x, y] = [x, y].map(|p| p as f32 / 110.0 * 1.4 - 0.7);
        position(&mut v, [x, y, rng.random_range(0.1..0.9), 1.0]);
        varyings(&mut rng, &mut v);
        vertices.push(v);
        vertices.len() - 1
    };
    let mut indices = vec![];
    if kind < 2 {
        let zigzag: Vec<usize> = (0..200).map(|k| add(k / 2, 50 + k % 2 * 10)).collect();
        if kind == 0 {
            indices = zigzag;
        } else {
            zigzag.windows(3).for_each(|three| indices.extend(three));
        }
    } else {
        for k in 0..100 {
            indices.extend([add(k, 50), add(k, 60), add(k + 1, 50)]);
        }
    }
    Scene { looks, vertices, draws: vec![Draw { context: 0, instances: vec![indices] }] }
}

/// Cycles for a triangle in the steady state.
fn measured(rate: SetupRate, kind: usize, bias: bool) -> f64 {
    let counts = run(&at_rate(rate), &grid(kind, bias), Pace::FAST, 1).unwrap();
    let (cycles, triangles) = counts.steady;
    cycles as f64 / triangles as f64
}

/// The figures of docs/blocks/geometry.md.
#[test]
fn rates_are_reached() {
    let rows = [
        (SetupRate::SixtyFour, false, [64.0, 64.0, 64.0]),
        (SetupRate::SixtyFour, true, [64.0, 64.0, 64.0]),
        (SetupRate::Sixteen, false, [16.0, 16.0, 48.0]),
        (SetupRate::Sixteen, true, [16.0, 16.0, 48.0]),
        (SetupRate::Four, false, [4.5, 4.5, 13.1]),
        (SetupRate::Four, true, [5.0, 5.0, 14.0]),
    ];
    let mut wrong = vec![];
    for (rate, bias, limits) in rows {
        for (kind, limit) in limits.into_iter().enumerate() {
            let cycles = measured(rate, kind, bias);
            let line = format!("{} kind {kind} bias {bias}: {cycles:.2} cycles", rate.name());
            println!("{line}");
            if cycles > limit {
                wrong.push(line);
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// HZ-34: stores of other sizes, which are full for long. Records and entries wrap several times;
/// none is given twice, and all are free at the end.
#[test]
fn stores_are_used_to_their_limits() {
    for (triangles, vertices) in tier::first(1, [(64, 256), (256, 64), (128, 128)]) {
        let config =
            GpuConfig { store_triangles: Some(triangles), store_vertices: Some(vertices), ..at_rate(SetupRate::Four) };
        let scene = scene(11, 4, 50, 0, [0.0; 3]);
        let counts = run(&config, &scene, Pace { freed: 1, asked: 40, written: 7, ..Pace::FAST }, 11)
            .unwrap_or_else(|e| panic!("{triangles}, {vertices}: {e}"));
        assert!(counts.drawn > triangles.min(vertices) as u64, "{} triangles", counts.drawn);
        assert!(
            triangles >= vertices || counts.most_records + 16 >= triangles,
            "{} of {triangles} records lived at a time",
            counts.most_records
        );
        assert!(counts.most_entries + 16 >= vertices.min(200), "{} entries were taken", counts.most_entries);
    }
}

/// So many triangles around one vertex; the rim has twelve, all in the reuse cache.
fn fan(triangles: usize) -> Scene {
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    let mut vertices = vec![];
    for k in 0..13 {
        let mut v = [0; 64];
        let angle = k as f32 / 12.0 * std::f32::consts::TAU;
        let reach = if k == 0 { 0.0 } else { 0.8 };
        position(&mut v, [reach * angle.cos(), reach * angle.sin(), 0.25 + 0.03 * k as f32, 1.0]);
        varyings(&mut rng, &mut v);
        vertices.push(v);
    }
    let indices = (0..triangles).flat_map(|k| [0, 1 + k % 12, 1 + (k + 1) % 12]).collect();
    Scene { looks: vec![Look::default()], vertices, draws: vec![Draw { context: 0, instances: vec![indices] }] }
}

/// HZ-10: a window of 4,096 triangles that have one vertex. All their records live at a time, and
/// the vertex has a reference for each. A count of references that is too narrow frees it early.
#[test]
fn a_fan_of_4096_triangles_holds_its_vertex() {
    let config = GpuConfig { store_triangles: Some(4096), store_vertices: Some(4096), ..at_rate(SetupRate::Four) };
    let counts = run(&config, &fan(4096), Pace { freed: 0, ..Pace::FAST }, 1).unwrap();
    assert_eq!((counts.drawn, counts.most_records), (4096, 4096));
    // Of the default stores every record is used some 64 times.
    let counts = run(&at_rate(SetupRate::Four), &fan(4096), Pace { freed: 10, ..Pace::FAST }, 2).unwrap();
    assert_eq!((counts.drawn, counts.most_records), (4096, 64));
}

/// A triangle in the target, then 36,000 outside of the frustum: how far their numbers go while the
/// first one's record lives. It lives until geometry asks for its end.
fn span(fault: Option<Fault>) -> u64 {
    let mut scene = Scene { looks: vec![Look::default()], ..Scene::default() };
    for at in [[-0.5, -0.5], [0.5, -0.5], [0.0, 0.5], [-9.0, -0.5], [-8.0, -0.5], [-8.0, 0.5]] {
        let mut v = [0; 64];
        position(&mut v, [at[0], at[1], 0.5, 1.0]);
        scene.vertices.push(v);
    }
    let indices = (0..3).chain((0..36_000).flat_map(|_| 3..6)).chain(0..3).collect();
    scene.draws.push(Draw { context: 0, instances: vec![indices] });
    let config = GpuConfig { fault, graphics: true, tbimr: Tbimr::Window, ..at_rate(SetupRate::Four) };
    let counts = run(&config, &scene, Pace { freed: 0, ..Pace::FAST }, 1).unwrap();
    assert_eq!((counts.drawn, counts.fates[2]), (2, 36_000));
    counts.span
}

/// Numbers have 16 bits, and the nearest is meant: none is given that is 2^15 from one that lives.
#[test]
fn numbers_stay_near_the_oldest_that_lives() {
    let span_of = span(None);
    assert!((28_656..=28_672).contains(&span_of), "{span_of}");
    let unbounded = span(Some(Fault::GeometrySpan));
    assert!(unbounded > 1 << 15, "{unbounded}");
}

/// A scene in which the planted fault shows.
fn caught(fault: Option<Fault>) -> Result<(), String> {
    let config = GpuConfig { fault, ..GpuConfig::default() };
    for seed in 1..5 {
        let bias = if seed > 2 { [0.001f32, 1.5, -0.0005] } else { [0.0; 3] };
        let scene = scene(seed, 12, 12, [0, 4, 16, 24][seed as usize % 4], bias);
        run(&config, &scene, Pace::ROUGH, seed)?;
        run(&config, &scene, Pace { written: 7, ..Pace::FAST }, seed)?;
    }
    Ok(())
}

#[test]
fn planted_faults_are_caught() {
    let faults = [
        Fault::GeometrySwap,
        Fault::GeometryGradient,
        Fault::GeometryFreeEarly,
        Fault::GeometryFlat,
        Fault::GeometryLeak,
        Fault::GeometryPlane,
        Fault::GeometryStale,
        Fault::GeometryCount,
        Fault::NumberStale,
        Fault::GeometryUnviewed,
        Fault::GeometryContext,
        Fault::GeometryOrder,
        Fault::GeometryParity,
        Fault::GeometryBox,
        Fault::GeometryFace,
        Fault::GeometryQuotient,
        Fault::GeometryBias,
        Fault::GeometryEdge,
        Fault::GeometryDepth,
        Fault::GeometryFirst,
        Fault::GeometryCanonical,
        Fault::GeometryLinear,
        Fault::GeometryMade,
        Fault::GeometryRange,
        Fault::GeometryLeastW,
        Fault::GeometrySmall,
    ];
    caught(None).unwrap();
    let missed: Vec<Fault> = tier::first(3, faults).filter(|&f| caught(Some(f)).is_ok()).collect();
    assert!(missed.is_empty(), "{missed:?}");
}

/// Two corners behind the eye, all three on the near plane.
#[test]
fn corners_behind_the_eye_on_the_near_plane() {
    let corners = [
        [-0.453_196_76f32, 0.925_101_34, -0.0, -0.796_975_7],
        [-0.308_723_84, 0.231_673_75, -0.0, -0.162_771_03],
        [1.412_955_6, -2.907_410_1, 0.0, 1.162_408_7],
    ];
    let looks = vec![Look { viewport: [17, 15], ..Look::default() }];
    let mut scene = Scene { looks, ..Scene::default() };
    for corner in corners {
        let mut v = [0; 64];
        position(&mut v, corner);
        scene.vertices.push(v);
    }
    for turn in 0..3 {
        scene.draws.push(Draw { context: 0, instances: vec![vec![turn, (turn + 1) % 3, (turn + 2) % 3]] });
        scene.draws.push(Draw { context: 0, instances: vec![vec![turn, (turn + 2) % 3, (turn + 1) % 3]] });
    }
    let counts = run(&GpuConfig::default(), &scene, Pace::FAST, 1).unwrap();
    assert_eq!(counts.clipped, 6);
}
