//! What a random scene has: a seed decides it all.

use std::collections::BTreeMap;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::programs::{fragments, splitting, Program, LANGUAGES};
use super::shapes::shape;
use super::spec::{Draw, Machine, RandomScene, DEPTH_SAMPLES, FORMATS, SAMPLES, SEED};
use crate::machine::memory::MemoryConfig;

/// Machines, few because each is compiled once. The first is what a failing scene is shrunk to.
pub(super) const MACHINES: [Machine; 8] = [
    &[("units", "1"), ("warps", "2")],
    &[("units", "1"), ("warps", "8"), ("blend-lanes", "1")],
    &[("units", "2"), ("warps", "4"), ("setup-rate", "16")],
    &[("units", "3"), ("warps", "16"), ("register-banks", "1")],
    &[("cores", "2"), ("units", "1"), ("warps", "4"), ("setup-rate", "4")],
    &[("cores", "4"), ("units", "1"), ("warps", "2")],
    &[("rows", "2"), ("cores", "2"), ("units", "1"), ("warps", "4")],
    &[("rows", "2"), ("units", "2"), ("warps", "2"), ("blend-lanes", "1"), ("setup-rate", "4")],
];

/// Machines that merge, over the options of merging.
pub(super) const MERGING: [Machine; 9] = [
    &[("units", "1"), ("warps", "2"), ("merge", "true"), ("merge-queue", "1"), ("merge-limit", "8")],
    &[("units", "1"), ("warps", "8"), ("merge", "true")],
    &[("units", "2"), ("warps", "4"), ("merge", "true"), ("merge-queue", "4"), ("merge-flip", "false")],
    &[
        ("units", "3"),
        ("warps", "16"),
        ("register-banks", "1"),
        ("merge", "true"),
        ("merge-queue", "32"),
        ("merge-group", "3"),
    ],
    &[
        ("cores", "2"),
        ("units", "1"),
        ("warps", "5"),
        ("merge", "true"),
        ("merge-triangles", "false"),
        ("merge-alone", "false"),
    ],
    &[("rows", "2"), ("units", "2"), ("warps", "3"), ("merge", "true"), ("merge-queue", "2"), ("merge-limit", "1")],
    // Points where no compiler puts them.
    &[("units", "1"), ("warps", "4"), ("merge", "true"), ("points", "1")],
    &[("units", "2"), ("warps", "8"), ("merge", "true"), ("points", "2"), ("merge-group", "4")],
    &[("cores", "2"), ("units", "1"), ("warps", "16"), ("merge", "true"), ("points", "3"), ("merge-queue", "4")],
];

/// Machines that split, some of which merge.
pub(super) const SPLITTING: [Machine; 7] = [
    &[("units", "1"), ("warps", "4"), ("split", "true")],
    &[("units", "1"), ("warps", "8"), ("split", "true"), ("blend-lanes", "1")],
    &[("units", "2"), ("warps", "5"), ("split", "true"), ("register-banks", "1")],
    &[("units", "1"), ("warps", "16"), ("split", "true"), ("merge", "true")],
    &[("cores", "2"), ("units", "1"), ("warps", "7"), ("split", "true"), ("merge", "true"), ("merge-limit", "8")],
    &[("units", "1"), ("warps", "8"), ("split", "true"), ("merge", "true"), ("event-form", "\"counter\"")],
    &[("rows", "2"), ("units", "2"), ("warps", "4"), ("split", "true")],
];

/// Machines of sets of options, before the options. The first ones cannot split.
const SHAPES: [Machine; 5] = [
    &[("units", "1"), ("warps", "2")],
    &[("units", "1"), ("warps", "4")],
    &[("units", "1"), ("warps", "8")],
    &[("units", "2"), ("warps", "16")],
    &[("cores", "2"), ("units", "1"), ("warps", "5")],
];
/// Of them those with too few slots for samples, or for groups of more than two.
const SHAPES_TOO_SMALL: usize = 1;

/// Those of sets for pairs of groups, which need eight slots of each unit (MS-42).
const SHAPES_OF_PAIRS: [Machine; 3] = [
    &[("units", "1"), ("warps", "8")],
    &[("units", "2"), ("warps", "16")],
    &[("cores", "2"), ("units", "1"), ("warps", "8")],
];

/// Options of machines that merge or split, under a name: many scenes can be drawn with each.
#[derive(Debug)]
pub struct OptionSet {
    /// As `--options` takes it.
    pub name: &'static str,
    /// Build parameters, and points of programs.
    pub(super) options: Machine,
    /// Of scenes that split.
    samples: &'static [u32],
    /// Machines to which the options are added.
    pub(super) shapes: &'static [Machine],
}

const fn merging(name: &'static str, options: Machine) -> OptionSet {
    OptionSet { name, options, samples: &[], shapes: &SHAPES }
}

/// Groups of more than two.
const fn grouping(name: &'static str, options: Machine) -> OptionSet {
    OptionSet { shapes: SHAPES.split_at(SHAPES_TOO_SMALL).1, ..merging(name, options) }
}

const fn split_into(samples: &'static [u32], name: &'static str, options: Machine) -> OptionSet {
    OptionSet { name, options, samples, shapes: SHAPES.split_at(SHAPES_TOO_SMALL).1 }
}

/// Pairs of groups.
const fn both(name: &'static str, options: Machine) -> OptionSet {
    OptionSet { name, options, samples: &[2, 4], shapes: &SHAPES_OF_PAIRS }
}

/// Sets of `fuzz --merges`.
pub static MERGE_SETS: [OptionSet; 40] = [
    merging("queue-1", &[("merge", "true"), ("merge-queue", "1")]),
    merging("queue-2", &[("merge", "true"), ("merge-queue", "2")]),
    merging("queue-16", &[("merge", "true"), ("merge-queue", "16")]),
    merging("queue-32", &[("merge", "true"), ("merge-queue", "32")]),
    grouping("groups-3", &[("merge", "true"), ("merge-group", "3")]),
    grouping("groups-4", &[("merge", "true"), ("merge-group", "4")]),
    grouping("groups-queue-2", &[("merge", "true"), ("merge-group", "4"), ("merge-queue", "2")]),
    grouping("groups-flips-off", &[("merge", "true"), ("merge-group", "4"), ("merge-flip", "false")]),
    grouping("groups-points", &[("merge", "true"), ("merge-group", "4"), ("points", SEED)]),
    grouping("groups-above", &[("merge", "true"), ("merge-group", "4"), ("public-registers", "\"above\"")]),
    merging("flips-off", &[("merge", "true"), ("merge-flip", "false")]),
    merging("triangles-off", &[("merge", "true"), ("merge-triangles", "false")]),
    merging("limit-1", &[("merge", "true"), ("merge-limit", "1")]),
    merging("limit-8", &[("merge", "true"), ("merge-limit", "8")]),
    merging("alone-off", &[("merge", "true"), ("merge-alone", "false")]),
    merging("public-above", &[("merge", "true"), ("public-registers", "\"above\"")]),
    merging("public-half", &[("merge", "true"), ("public-registers", "\"half\"")]),
    merging("points-above", &[("merge", "true"), ("points", SEED), ("public-registers", "\"above\"")]),
    merging("private-none", &[("merge", "true"), ("merge-private", "\"none\"")]),
    merging("private-joined", &[("merge", "true"), ("merge-private", "\"joined\"")]),
    merging("private-new", &[("merge", "true"), ("merge-private", "\"new\"")]),
    merging("points-none", &[("merge", "true"), ("points", SEED), ("merge-private", "\"none\"")]),
    merging("points-joined", &[("merge", "true"), ("points", SEED), ("merge-private", "\"joined\"")]),
    merging("points-new", &[("merge", "true"), ("points", SEED), ("merge-private", "\"new\"")]),
    merging("broken-none", &[("merge", "true"), ("points", SEED), ("breaks", "true"), ("merge-private", "\"none\"")]),
    merging(
        "broken-joined",
        &[("merge", "true"), ("points", SEED), ("breaks", "true"), ("merge-private", "\"joined\"")],
    ),
    merging("public-bitmap", &[("merge", "true"), ("public-registers", "\"bitmap\"")]),
    merging("points-bitmap", &[("merge", "true"), ("points", SEED), ("public-registers", "\"bitmap\"")]),
    merging(
        "broken-bitmap",
        &[("merge", "true"), ("points", SEED), ("breaks", "true"), ("public-registers", "\"bitmap\"")],
    ),
    merging(
        "none-bitmap",
        &[
            ("merge", "true"),
            ("merge-private", "\"none\""),
            ("public-registers", "\"bitmap\""),
            ("merge-alone", "false"),
        ],
    ),
    merging("points", &[("merge", "true"), ("points", SEED)]),
    merging("counter", &[("merge", "true"), ("event-form", "\"counter\"")]),
    merging("modifier", &[("merge", "true"), ("event-form", "\"modifier\"")]),
    merging("count", &[("merge", "true"), ("event-form", "\"count\"")]),
    merging("points-counter", &[("merge", "true"), ("points", SEED), ("event-form", "\"counter\"")]),
    merging("points-modifier", &[("merge", "true"), ("points", SEED), ("event-form", "\"modifier\"")]),
    merging("points-count", &[("merge", "true"), ("points", SEED), ("event-form", "\"count\"")]),
    merging("helpers-end", &[("merge", "true"), ("merge-alone", "false"), ("merge-helpers-end", "true")]),
    merging("broken", &[("merge", "true"), ("points", SEED), ("breaks", "true")]),
    merging("banks-1", &[("merge", "true"), ("register-banks", "1"), ("blend-lanes", "1"), ("setup-rate", "4")]),
];

/// Sets of `fuzz --splits`.
pub static SPLIT_SETS: [OptionSet; 36] = [
    split_into(&[2], "samples-2", &[("split", "true")]),
    split_into(&[4], "samples-4", &[("split", "true")]),
    split_into(&[2, 4], "points", &[("split", "true"), ("points", SEED)]),
    split_into(&[2, 4], "public-above", &[("split", "true"), ("public-registers", "\"above\"")]),
    split_into(&[2, 4], "public-half", &[("split", "true"), ("public-registers", "\"half\"")]),
    split_into(&[2, 4], "public-bitmap", &[("split", "true"), ("public-registers", "\"bitmap\"")]),
    split_into(
        &[2, 4],
        "points-bitmap",
        &[("split", "true"), ("merge", "true"), ("points", SEED), ("public-registers", "\"bitmap\"")],
    ),
    split_into(&[2, 4], "points-above", &[("split", "true"), ("points", SEED), ("public-registers", "\"above\"")]),
    split_into(&[2, 4], "counter", &[("split", "true"), ("event-form", "\"counter\"")]),
    split_into(&[2, 4], "modifier", &[("split", "true"), ("event-form", "\"modifier\"")]),
    split_into(&[2, 4], "count", &[("split", "true"), ("event-form", "\"count\"")]),
    split_into(&[2, 4], "points-counter", &[("split", "true"), ("points", SEED), ("event-form", "\"counter\"")]),
    split_into(&[2, 4], "points-modifier", &[("split", "true"), ("points", SEED), ("event-form", "\"modifier\"")]),
    split_into(&[2, 4], "points-count", &[("split", "true"), ("points", SEED), ("event-form", "\"count\"")]),
    split_into(&[2, 4], "broken", &[("split", "true"), ("merge", "true"), ("points", SEED), ("breaks", "true")]),
    split_into(&[2, 4], "merge-on", &[("split", "true"), ("merge", "true")]),
    split_into(&[4], "pixels", &[("split", "true"), ("split-shape", "\"pixels\"")]),
    split_into(&[2, 4], "either", &[("split", "true"), ("split-shape", "\"either\"")]),
    split_into(&[4], "points-pixels", &[("split", "true"), ("points", SEED), ("split-shape", "\"pixels\"")]),
    split_into(
        &[4],
        "pixels-counter",
        &[("split", "true"), ("split-shape", "\"pixels\""), ("event-form", "\"counter\"")],
    ),
    split_into(
        &[4],
        "points-either",
        &[
            ("split", "true"),
            ("merge", "true"),
            ("points", SEED),
            ("split-shape", "\"either\""),
            ("event-form", "\"modifier\""),
        ],
    ),
    split_into(
        &[2, 4],
        "banks-1",
        &[("split", "true"), ("register-banks", "1"), ("blend-lanes", "1"), ("setup-rate", "4")],
    ),
    both("both-counter", &[("split", "true"), ("merge", "true"), ("event-form", "\"counter\"")]),
    both("both-modifier", &[("split", "true"), ("merge", "true"), ("event-form", "\"modifier\"")]),
    both("both-count", &[("split", "true"), ("merge", "true"), ("event-form", "\"count\"")]),
    both("both-above", &[("split", "true"), ("merge", "true"), ("public-registers", "\"above\"")]),
    both("both-half", &[("split", "true"), ("merge", "true"), ("public-registers", "\"half\"")]),
    both("both-bitmap", &[("split", "true"), ("merge", "true"), ("public-registers", "\"bitmap\"")]),
    both("both-flips-off", &[("split", "true"), ("merge", "true"), ("merge-flip", "false")]),
    both("both-triangles-off", &[("split", "true"), ("merge", "true"), ("merge-triangles", "false")]),
    both("both-order-off", &[("split", "true"), ("merge", "true"), ("merge-ordered", "false")]),
    both("both-queue-1", &[("split", "true"), ("merge", "true"), ("merge-queue", "1")]),
    both("both-limit-1", &[("split", "true"), ("merge", "true"), ("merge-limit", "1")]),
    both("both-helpers-end", &[("split", "true"), ("merge", "true"), ("merge-helpers-end", "true")]),
    both(
        "both-banks-1",
        &[("split", "true"), ("merge", "true"), ("register-banks", "1"), ("blend-lanes", "1"), ("setup-rate", "4")],
    ),
    both("both-off", &[("split", "true"), ("merge", "true"), ("merge-split", "false")]),
];

const fn hiding(name: &'static str, options: Machine) -> OptionSet {
    OptionSet { name, options, samples: &[], shapes: &SHAPES }
}

/// Sets of `fuzz --hides`: Hi-Z, windows of triangles, both.
pub static HIDE_SETS: &[OptionSet] = &[
    hiding("window", &[("tbimr", "\"window\"")]),
    hiding("window-16", &[("tbimr", "\"window\""), ("tbimr-window", "16"), ("tbimr-limit", "64")]),
    hiding("window-pairs", &[("tbimr", "\"window\""), ("tbimr-pairs", "64"), ("tbimr-tiles", "16")]),
    hiding("update-only", &[("hi-z", "\"update-only\"")]),
    hiding("visibility", &[("hi-z", "\"visibility\"")]),
    hiding("visibility-16", &[("hi-z", "\"visibility\""), ("hi-z-groups", "16")]),
    hiding("both", &[("hi-z", "\"visibility\""), ("tbimr", "\"window\"")]),
    hiding("both-16", &[("hi-z", "\"visibility\""), ("tbimr", "\"window\""), ("tbimr-window", "16")]),
    hiding("both-pairs", &[("hi-z", "\"update-only\""), ("tbimr", "\"window\""), ("tbimr-pairs", "64")]),
    hiding("binner", &[("hi-z", "\"visibility+binner\"")]),
    hiding("binner-window", &[("hi-z", "\"visibility+binner\""), ("tbimr", "\"window\"")]),
    hiding(
        "binner-window-16",
        &[("hi-z", "\"visibility+binner\""), ("tbimr", "\"window\""), ("tbimr-window", "16"), ("hi-z-groups", "16")],
    ),
    hiding("rasteriser", &[("hi-z", "\"rasteriser\"")]),
    hiding("rasteriser-window", &[("hi-z", "\"rasteriser\""), ("tbimr", "\"window\"")]),
    hiding("two", &[("hi-z", "\"visibility\""), ("hi-z-structures", "\"two\"")]),
    hiding("two-window", &[("hi-z", "\"visibility+binner\""), ("hi-z-structures", "\"two\""), ("tbimr", "\"window\"")]),
    hiding(
        "two-depth",
        &[
            ("cull-pipeline", "\"depth\""),
            ("hi-z", "\"visibility\""),
            ("hi-z-structures", "\"two\""),
            ("tbimr", "\"window\""),
        ],
    ),
    hiding("back", &[("hi-z", "\"visibility\""), ("hi-z-update", "\"back\"")]),
    hiding("back-window", &[("hi-z", "\"visibility+binner\""), ("hi-z-update", "\"back\""), ("tbimr", "\"window\"")]),
    hiding(
        "back-rasteriser",
        &[("hi-z", "\"rasteriser\""), ("hi-z-update", "\"back\""), ("hi-z-groups", "16"), ("merge", "true")],
    ),
    hiding(
        "back-depth",
        &[
            ("cull-pipeline", "\"depth\""),
            ("hi-z", "\"visibility+binner\""),
            ("hi-z-update", "\"back\""),
            ("tbimr", "\"window\""),
            ("tbimr-window", "16"),
        ],
    ),
    hiding("positions", &[("cull-pipeline", "\"positions\"")]),
    hiding("positions-window", &[("cull-pipeline", "\"positions\""), ("tbimr", "\"window\""), ("tbimr-window", "16")]),
    hiding("depth", &[("cull-pipeline", "\"depth\""), ("hi-z", "\"visibility\"")]),
    hiding("depth-update", &[("cull-pipeline", "\"depth\""), ("hi-z", "\"update-only\""), ("hi-z-groups", "16")]),
    hiding(
        "depth-window",
        &[("cull-pipeline", "\"depth\""), ("hi-z", "\"visibility+binner\""), ("tbimr", "\"window\"")],
    ),
    hiding(
        "depth-window-16",
        &[
            ("cull-pipeline", "\"depth\""),
            ("cull-record", "256"),
            ("hi-z", "\"visibility\""),
            ("tbimr", "\"window\""),
            ("tbimr-window", "16"),
        ],
    ),
    hiding("levels", &[("hi-z", "\"visibility\""), ("hi-z-levels", "\"four\"")]),
    hiding("levels-window", &[("hi-z", "\"visibility\""), ("hi-z-levels", "\"four\""), ("tbimr", "\"window\"")]),
    hiding("levels-rasteriser", &[("hi-z", "\"rasteriser\""), ("hi-z-levels", "\"four\"")]),
    hiding("memory", &[("hi-z", "\"visibility\""), ("hi-z-memory", "true"), ("hi-z-groups", "16")]),
    hiding(
        "memory-window",
        &[
            ("hi-z", "\"visibility+binner\""),
            ("hi-z-memory", "true"),
            ("hi-z-groups", "16"),
            ("tbimr", "\"window\""),
            ("tbimr-window", "16"),
        ],
    ),
    hiding(
        "memory-full",
        &[
            ("cull-pipeline", "\"positions\""),
            ("hi-z", "\"visibility\""),
            ("hi-z-memory", "true"),
            ("hi-z-groups", "16"),
            ("tbimr", "\"full\""),
        ],
    ),
    hiding(
        "memory-depth",
        &[
            ("cull-pipeline", "\"depth\""),
            ("hi-z", "\"visibility+binner\""),
            ("hi-z-memory", "true"),
            ("hi-z-groups", "16"),
            ("tbimr", "\"window\""),
        ],
    ),
    hiding("both-merge", &[("hi-z", "\"visibility\""), ("tbimr", "\"window\""), ("merge", "true")]),
    hiding("full", &[("tbimr", "\"full\"")]),
    hiding("full-64", &[("tbimr", "\"full\""), ("tbimr-area", "64"), ("tbimr-tiles", "16"), ("merge", "true")]),
    hiding("full-visibility", &[("tbimr", "\"full\""), ("hi-z", "\"visibility\"")]),
    hiding("full-binner", &[("tbimr", "\"full\""), ("hi-z", "\"visibility+binner\""), ("tbimr-area", "64")]),
    hiding("full-depth", &[("cull-pipeline", "\"depth\""), ("hi-z", "\"visibility+binner\""), ("tbimr", "\"full\"")]),
];

const COMPARES: [&str; 8] = ["never", "less", "equal", "less-equal", "greater", "not-equal", "greater-equal", "always"];
const STENCILS: [&str; 8] =
    ["keep", "zero", "replace", "invert", "increment-clamp", "decrement-clamp", "increment-wrap", "decrement-wrap"];
const FACTORS: [&str; 13] = [
    "zero",
    "one",
    "src",
    "one-minus-src",
    "src-alpha",
    "one-minus-src-alpha",
    "dst",
    "one-minus-dst",
    "dst-alpha",
    "one-minus-dst-alpha",
    "src-alpha-saturated",
    "constant",
    "one-minus-constant",
];
const OPERATIONS: [&str; 5] = ["add", "subtract", "reverse-subtract", "min", "max"];

fn of<T: Copy>(rng: &mut ChaCha8Rng, all: &[T]) -> T {
    all[rng.random_range(0..all.len())]
}

/// What campaigns add to a seed, so that one seed gives each kind of machine a scene of its own:
/// triangles, states and programs differ. Upper halves, so that the scenes of one kind are not
/// those of another with a seed nearby. Machines that merge have the scenes of `--scenes`: tests
/// name seeds of these that once failed.
const OF_SPLITS: u64 = 0x5350_4C54 << 32;
const OF_HIDES: u64 = 0x4849_4445 << 32;
const OF_FRAMES: u64 = 0x4652_414D << 32;

/// The scene of a seed.
pub fn make(seed: u64) -> RandomScene {
    make_of(seed, 0, None)
}

/// `kind` is that of the campaign. With `splits` it has several samples, one of those numbers, and
/// most programs run for each.
fn make_of(seed: u64, kind: u64, splits: Option<&[u32]>) -> RandomScene {
    let mut rng = ChaCha8Rng::seed_from_u64(seed ^ kind ^ 0x5CE4_E000);
    let r = &mut rng;
    let targets = of(r, &[0, 1, 1, 1, 1, 1, 2, 2, 3, 4]);
    let formats: Vec<&str> = (0..targets).map(|_| of(r, FORMATS)).collect();
    let samples = match splits {
        Some(numbers) => of(r, numbers),
        None => of(r, if targets > 0 { SAMPLES } else { DEPTH_SAMPLES }),
    };
    let (width, height) = (r.random_range(8..=48), r.random_range(8..=48));
    let draws = 1 + of(r, &[0, 0, 1, 1, 2, 3]);
    let mut scene = RandomScene {
        seed,
        width,
        height,
        samples,
        formats,
        tile: of(r, &[None, Some(8), Some(16), Some(32)]),
        keep_tiles: r.random_bool(0.75),
        clear: [[0; 4]; 4].map(|target| target.map(|_| of(r, &[0.0, 1.0, 0.3]))),
        clear_depth: of(r, &[1.0, 1.0, 1.0, 1.0, 0.5, 0.0]),
        clear_stencil: of(r, &[0, 1, 255, 0x5A]),
        frames: of(r, &[1, 1, 1, 1, 2]),
        machine: of(r, &MACHINES),
        machines: &MACHINES,
        options: &[],
        // Drawn apart: scenes whose seeds tests name stay as they are.
        limited: ChaCha8Rng::seed_from_u64(seed ^ 0x0E5A_3B1E).random_bool(0.25),
        memory: MemoryConfig {
            latency: of(r, &[1, 2, 5, 10, 40]),
            jitter: of(r, &[0, 0, 3, 30]),
            stall: of(r, &[0, 0, 10, 40, 75]),
            seed,
        },
        draws: vec![],
    };
    scene.tile = scene.tile.filter(|&side| scene.fits(side));
    for _ in 0..draws {
        let draw = draw(r, &scene, splits.is_some());
        scene.draws.push(draw);
    }
    scene
}

/// The scene of a seed on a machine that merges, with a set's options or with any.
pub fn make_merging(seed: u64, set: Option<&OptionSet>) -> RandomScene {
    let r = &mut ChaCha8Rng::seed_from_u64(seed ^ 0x3E26_E000);
    let machines = set.map_or(&MERGING[..], |s| s.shapes);
    let machine = of(r, machines);
    RandomScene { machine, machines, options: set.map_or(&[], |s| s.options), ..make(seed) }
}

/// The scene of a seed on a machine that splits, likewise.
pub fn make_splitting(seed: u64, set: Option<&OptionSet>) -> RandomScene {
    let r = &mut ChaCha8Rng::seed_from_u64(seed ^ 0x5917_E000);
    let machines = set.map_or(&SPLITTING[..], |s| s.shapes);
    let machine = of(r, machines);
    let scene = make_of(seed, OF_SPLITS, Some(set.map_or(&[2, 4, 4], |s| s.samples)));
    RandomScene { machine, machines, options: set.map_or(&[], |s| s.options), ..scene }
}

/// The scene of a seed on a machine that hides what nobody sees, likewise. Most of its draws are
/// such that something can be hidden.
pub fn make_hiding(seed: u64, set: Option<&'static OptionSet>) -> RandomScene {
    let r = &mut ChaCha8Rng::seed_from_u64(seed ^ 0x41DE_E000);
    let set = set.unwrap_or_else(|| &HIDE_SETS[r.random_range(0..HIDE_SETS.len())]);
    let machine = of(r, set.shapes);
    let scene = make_of(seed, OF_HIDES, None);
    let mut scene = RandomScene { machine, machines: set.shapes, options: set.options, ..scene };
    let depth = of(r, &["less", "less", "less-equal", "greater", "greater-equal"]);
    let of_stencil = &mut ChaCha8Rng::seed_from_u64(seed ^ 0x57E4_C110);
    let of_bypass = &mut ChaCha8Rng::seed_from_u64(seed ^ 0xB9A5_5000);
    for draw in &mut scene.draws {
        draw.bypass = Some(of_bypass.random_bool(0.3));
        if r.random_bool(0.3) {
            continue;
        }
        for key in ["stencil", "blend", "blend-constant", "write", "depth-write"] {
            draw.state.remove(key);
        }
        let other = r.random_bool(0.2);
        draw.state.insert("depth", quoted(if other { of(r, &COMPARES) } else { depth }));
        if of_stencil.random_bool(0.25) {
            draw.state.insert("stencil", stencil(of_stencil, true));
        }
    }
    if depth.starts_with("greater") && r.random() {
        scene.clear_depth = 0.0;
    }
    scene
}

/// Every set that a frame of many draws may have: of hiding, merging and splitting, but for those
/// whose programs break rules.
pub fn frame_sets() -> impl Iterator<Item = &'static OptionSet> {
    HIDE_SETS.iter().chain(&MERGE_SETS).chain(&SPLIT_SETS).filter(|set| !set.breaks())
}

/// A frame of 20 to 60 draws, with the options of that set or of one that the seed draws. Draws
/// share a few states, most of them in rows; some are walls of two triangles that hide much.
pub fn make_frame(seed: u64, set: Option<&'static OptionSet>) -> RandomScene {
    let r = &mut ChaCha8Rng::seed_from_u64(seed ^ 0xF4A3_E000);
    let sets: Vec<&OptionSet> = frame_sets().collect();
    let drawn = of(r, &sets);
    let set = set.unwrap_or(drawn);
    let machine = of(r, set.shapes);
    let splits = Some(set.samples).filter(|samples| !samples.is_empty());
    let mut base = make_of(seed, OF_FRAMES, splits);
    (base.width, base.height) = (base.width.min(24), base.height.min(24));
    base.draws.clear();
    let mut scene = RandomScene { machine, machines: set.shapes, options: set.options, frames: 1, ..base };
    let depth = of(r, &["less", "less", "less-equal", "greater"]);
    let states: Vec<_> = (0..r.random_range(2..=6)).map(|n| frame_state(r, &scene, (n > 0).then_some(depth))).collect();
    let draws = r.random_range(20..=60);
    let mut state = 0;
    while scene.draws.len() < draws {
        let draw = draw(r, &scene, splits.is_some());
        scene.draws.push(draw);
    }
    for draw in &mut scene.draws {
        if r.random_bool(0.4) {
            state = r.random_range(0..states.len());
        }
        draw.state.clone_from(&states[state]);
        draw.instances = 1;
        draw.bypass = of(r, &[None, None, Some(false), Some(true)]);
        // Few triangles, so that many draws take no longer than a few of many.
        let most = if draw.strip { 6 } else { 12 };
        draw.corners.truncate(most);
        draw.ends.retain(|&end| (end as usize) < draw.corners.len());
        if r.random_bool(0.15) {
            wall(r, draw);
        }
    }
    if depth == "greater" && r.random_bool(0.7) {
        scene.clear_depth = 0.0;
    }
    // Each state is read from memory, and slow memory would be all that such a frame sees.
    let MemoryConfig { latency, jitter, stall, seed } = scene.memory;
    scene.memory = MemoryConfig { latency: latency.min(5), jitter: jitter.min(10), stall: stall.min(10), seed };
    scene
}

/// A state of a frame. With a depth function most are opaque, and the others differ in one thing.
fn frame_state(r: &mut ChaCha8Rng, scene: &RandomScene, depth: Option<&str>) -> BTreeMap<&'static str, String> {
    let mut out = state(r, scene);
    let Some(depth) = depth else { return out };
    let kept = of(r, &["", "", "", "stencil", "blend", "write", "depth-write", "sample-mask", "scissor"]);
    for key in ["stencil", "blend", "blend-constant", "write", "depth-write", "sample-mask", "alpha-to-coverage"] {
        let goes_with = kept == "blend" && key == "blend-constant";
        if key != kept && !goes_with {
            out.remove(key);
        }
    }
    for key in ["scissor", "viewport", "depth-range", "bias"] {
        if key != kept && r.random_bool(0.8) {
            out.remove(key);
        }
    }
    let other = r.random_bool(0.2);
    out.insert("depth", quoted(if other { of(r, &COMPARES) } else { depth }));
    out
}

/// Makes a draw a rectangle of two triangles over much of the target, at one depth.
fn wall(r: &mut ChaCha8Rng, draw: &mut Draw) {
    let [left, top] = [0; 2].map(|_| of(r, &[-1.0, -1.0, -0.7, -0.2]));
    let [right, bottom] = [0; 2].map(|_| of(r, &[1.0, 1.0, 0.8, 0.3]));
    let z = of(r, &[0.1, 0.3, 0.5, 0.7, 0.9]);
    let colour = r.random();
    let corner = |x: f32, y: f32| super::spec::Vertex { position: [x, y, z, 1.0], colour };
    draw.vertices = vec![corner(left, top), corner(right, top), corner(left, bottom), corner(right, bottom)];
    draw.corners = if draw.strip { vec![0, 1, 2, 3] } else { vec![0, 1, 2, 2, 1, 3] };
    draw.ends.clear();
}

impl RandomScene {
    /// The same in little, so that many can be drawn: its first draw, once, on a target of at most
    /// 16 pixels a side, with fast memory.
    pub fn in_little(mut self) -> Self {
        let scale = |side: u32| 8 + side % 9;
        (self.width, self.height, self.frames) = (scale(self.width), scale(self.height), 1);
        self.draws.truncate(1);
        for draw in &mut self.draws {
            (draw.instances, draw.first) = (1, 0);
            draw.corners.truncate(4 * 3);
            // A rectangle in pixels of the larger target.
            draw.state.remove("scissor");
            draw.state.remove("viewport");
        }
        self.memory = MemoryConfig { latency: self.memory.latency.min(5), stall: 0, ..self.memory };
        self
    }
}

impl OptionSet {
    /// Programs break rules: a run must tell of it.
    pub fn breaks(&self) -> bool {
        self.options.iter().any(|option| option.0 == "breaks")
    }
}

fn draw(r: &mut ChaCha8Rng, scene: &RandomScene, splits: bool) -> Draw {
    let (mut vertices, mut corners) = shape(r, [scene.width, scene.height]);
    let strip = r.random_bool(0.2);
    if strip && r.random() {
        // The vertices as they come.
        corners = (0..vertices.len() as u32).collect();
    }
    let indexed = of(r, &[None, Some(2), Some(4)]);
    // A stream of its own, so that everything else of a seed stays what it was.
    let mut apart = r.clone();
    apart.set_stream(1);
    let restarts = strip && indexed.is_some() && apart.random_bool(0.6);
    let ends = (0..corners.len() as u32).filter(|_| restarts && apart.random_bool(0.2)).collect();
    // All words of the positions times a power of two: the picture is the same, or all is out of
    // range.
    let power: i32 = of(&mut apart, &[0, 0, 0, 0, 0, 0, -60, 80, -74, 99]);
    vertices.iter_mut().for_each(|v| v.position = v.position.map(|x| x * 2f32.powi(power)));
    let names: Vec<_> = match splits && r.random_bool(0.7) {
        true => splitting().collect(),
        false => fragments(scene.samples).collect(),
    };
    Draw {
        vertices,
        corners,
        strip,
        indexed,
        ends,
        first: of(r, &[0, 0, 0, 1, 5]),
        base_vertex: if indexed.is_some() { of(r, &[0, 0, 0, 3]) } else { 0 },
        vertex: Program { lang: of(r, LANGUAGES), name: if r.random_bool(0.04) { "endless" } else { "plain" } },
        fragment: Program { lang: of(r, LANGUAGES), name: of(r, &names) },
        colour_format: of(r, &["unorm8x4", "float32x4", "float16x4", "unorm16x4", "snorm8x4"]),
        instances: of(r, &[1, 1, 1, 2, 3]),
        first_instance: of(r, &[0, 0, 2]),
        // Few triangles are worth a second look here.
        bypass: Some(false),
        state: state(r, scene),
    }
}

fn quoted(text: &str) -> String {
    format!("\"{text}\"")
}

/// With `keeps` most operations keep the stencil where a test fails.
fn face(r: &mut ChaCha8Rng, keeps: bool) -> String {
    let compare = if r.random_bool(0.6) { "always" } else { of(r, &COMPARES) };
    let [mut fail, mut depth_fail, pass] = [0; 3].map(|_| of(r, &STENCILS));
    for operation in [&mut fail, &mut depth_fail].into_iter().filter(|_| keeps) {
        if r.random_bool(0.8) {
            *operation = "keep";
        }
    }
    format!("{{ compare = \"{compare}\", fail = \"{fail}\", depth-fail = \"{depth_fail}\", pass = \"{pass}\" }}")
}

fn stencil(r: &mut ChaCha8Rng, keeps: bool) -> String {
    let mut out = format!("{{ front = {}", face(r, keeps));
    if r.random() {
        out += &format!(", back = {}", face(r, keeps));
    }
    let [read, mut write] = [0; 2].map(|_| of(r, &[255, 255, 15, 0x81]));
    if keeps && r.random_bool(0.1) {
        write = 0;
    }
    out + &format!(", read = {read}, write = {write}, reference = {} }}", of(r, &[0, 1, 2, 127, 255]))
}

fn blend(r: &mut ChaCha8Rng, format: &str) -> String {
    // WebGPU blends no r32float.
    if format == "r32float" {
        return quoted("none");
    }
    if r.random_bool(0.3) {
        return quoted(of(r, &["none", "alpha", "premultiplied", "add"]));
    }
    let mut equation = || {
        let (src, dst, operation) = (of(r, &FACTORS), of(r, &FACTORS), of(r, &OPERATIONS));
        format!("{{ src = \"{src}\", dst = \"{dst}\", operation = \"{operation}\" }}")
    };
    format!("{{ color = {}, alpha = {} }}", equation(), equation())
}

/// A list with an entry for each target.
fn for_each(scene: &RandomScene, entry: impl FnMut(&&'static str) -> String) -> String {
    format!("[{}]", scene.formats.iter().map(entry).collect::<Vec<_>>().join(", "))
}

fn state(r: &mut ChaCha8Rng, scene: &RandomScene) -> BTreeMap<&'static str, String> {
    let mut out = BTreeMap::new();
    // Half of the draws have little that hides their triangles.
    let calm = if r.random() { 0.25 } else { 1.0 };
    let some = |r: &mut ChaCha8Rng, share: f64| r.random_bool(share * calm);
    let blended = r.random_bool(0.45);
    if some(r, 0.4) {
        out.insert("cull", quoted(of(r, &["front", "back"])));
    }
    if some(r, 0.4) {
        out.insert("front", quoted("cw"));
    }
    if some(r, 0.65) {
        let usual = some(r, 0.5);
        out.insert("depth", quoted(if usual { "less" } else { of(r, &COMPARES) }));
        if some(r, 0.25) {
            out.insert("depth-write", "false".into());
        }
        if some(r, 0.25) {
            let constant = of(r, &[0.0, 1.0, -1.0, 1000.0, 4e6, -4e6]);
            let (slope, clamp) = (of(r, &[0.0, 1.0, -2.5, 1e3]), of(r, &[0.0, 0.0, 0.01, -0.01]));
            out.insert("bias", format!("[{constant:?}, {slope:?}, {clamp:?}]"));
        }
    }
    if some(r, 0.35) {
        out.insert("stencil", stencil(r, false));
    }
    if blended && scene.formats.iter().any(|&f| f != "r32float") {
        out.insert("blend", for_each(scene, |f| blend(r, f)));
        let constant = [0; 4].map(|_| of(r, &[0.0, 0.25, 0.5, 1.0]));
        // The constant has one form for bytes.
        let both = ["rgba8unorm", "rgba8unorm-srgb"].iter().all(|f| scene.formats.contains(f));
        let constant = if both { [0.0; 4] } else { constant };
        out.insert("blend-constant", format!("{constant:?}"));
    }
    let masked = if scene.formats.len() > 1 { 0.4 } else { 0.2 };
    if !scene.formats.is_empty() && some(r, masked) {
        out.insert("write", for_each(scene, |_| quoted(of(r, &["r", "gb", "rgb", "a", "", "rgba"]))));
    }
    if some(r, 0.2) {
        let (w, h) = (f64::from(scene.width), f64::from(scene.height));
        let [x, y] = [w, h].map(|s| (r.random_range(-0.6..0.8f64) * s * 4.0).round() / 4.0);
        let size = [w, h].map(|s| (r.random_range(0.1..2.5f64) * s * 4.0).ceil() / 4.0);
        out.insert("viewport", format!("[{x:?}, {y:?}, {:?}, {:?}]", size[0], size[1]));
    }
    if some(r, 0.15) {
        out.insert("depth-range", of(r, &["[0.25, 0.75]", "[1.0, 0.0]", "[0.5, 0.5]"]).into());
    }
    if some(r, 0.3) {
        let (x, y) = (r.random_range(0..scene.width / 2), r.random_range(0..scene.height / 2));
        let (w, h) = (r.random_range(0..=scene.width - x), r.random_range(0..=scene.height - y));
        out.insert("scissor", format!("[{x}, {y}, {w}, {h}]"));
    }
    if some(r, 0.15) {
        out.insert("sample-mask", of(r, &[0, 1, 5, 10, 14]).to_string());
    }
    if scene.samples > 1 && !scene.formats.is_empty() && some(r, 0.2) {
        out.insert("alpha-to-coverage", "true".into());
    }
    out
}
