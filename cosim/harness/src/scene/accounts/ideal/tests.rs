//! The oracle beside its definition, written down pair by pair, on random frames of little
//! triangles; and the faults that are planted in it.

use std::collections::BTreeSet;

use quadlock_golden::frame_log::LoggedTriangle;

use super::*;

/// Pixels along a side of the frames here: four groups.
const SIDE: u16 = 16;

/// A frame of draws in passes, with what it covers and which samples pass: drawn here, with a depth
/// buffer of its own.
struct Made {
    log: FrameLog,
    list: Submitted,
    /// Where the machine's windows end.
    ends: Vec<usize>,
}

/// Numbers by a shift register.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % n
    }
}

/// A function of the depth test by its number: 1 less, 3 less or equal, 4 greater, 7 always.
fn passes(function: u32, new: u32, old: u32) -> bool {
    match function {
        1 => new < old,
        3 => new <= old,
        4 => new > old,
        _ => true,
    }
}

/// Draws triangles that are boxes of pixels. Blocks are of 1,024 triangles, so most of them are
/// tiny.
fn made(seed: u64, triangles: usize) -> Made {
    let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) + 1);
    let (mut log, mut list, mut ends) = (FrameLog::default(), Submitted::default(), vec![]);
    let mut depths = vec![0x80_0000u32; usize::from(SIDE * SIDE)];
    let (mut first, mut pass) = (0, 0);
    while first < triangles {
        let count = (1 + random.below(500) as usize).min(triangles - first);
        if first > 0 && random.below(8) == 0 {
            pass += 1;
            depths.fill(0x80_0000);
        }
        let function = [1, 1, 1, 3, 4, 7][random.below(6) as usize];
        let opaque = (function != 7 && random.below(4) != 0).then_some(function);
        let may_cull = opaque.is_some() || random.below(2) == 0;
        let class = if opaque.is_some() { DrawClass::Opaque } else { DrawClass::Blended };
        let range = first..first + count;
        list.draws.push(DrawAt {
            pass,
            triangles: range.clone(),
            opaque,
            class,
            may_cull,
            grows: function == 4,
            ..DrawAt::default()
        });
        for triangle in range {
            let is_set_up = random.below(4) != 0;
            let primitives = if is_set_up { triangle..triangle + 1 } else { triangle..triangle };
            log.triangles.push(LoggedTriangle { culled: None, clipped: false, primitives });
            if random.below(300) == 0 {
                ends.push(triangle);
            }
            if !is_set_up {
                continue;
            }
            let depth = 0x80_0000 + 16 * random.below(40) as u32 - 320;
            let (x, y) = (random.below(u64::from(SIDE)) as u16, random.below(u64::from(SIDE)) as u16);
            let (wide, high) = (1 + random.below(6) as u16, 1 + random.below(6) as u16);
            for (y, x) in (y..SIDE.min(y + high)).flat_map(|y| (x..SIDE.min(x + wide)).map(move |x| (y, x))) {
                let old = &mut depths[usize::from(y * SIDE + x)];
                let passes = passes(function, depth, *old);
                if passes && opaque.is_some() {
                    *old = depth;
                }
                let primitive = triangle as u32;
                log.covers.push(LoggedCover { triangle: primitive, primitive, x, y, sample: 0, passes, depth });
            }
        }
        first += count;
    }
    ends.push(triangles - 1);
    Made { log, list, ends }
}

/// The pairs that may be culled, by the words of HZ-13, HZ-25 and the report: for each sample,
/// every later sample of its place is asked.
fn defined(made: &Made) -> BTreeSet<Pair> {
    let (log, list) = (&made.log, &made.list);
    let draw_of = |t: u32| list.draws.iter().position(|d| d.triangles.contains(&(t as usize))).unwrap();
    // Which triangle of its pass one is, of those that are set up.
    let place = |t: u32| {
        let pass = list.draws[draw_of(t)].pass;
        let first = list.draws.iter().find(|d| d.pass == pass).unwrap().triangles.start;
        log.triangles[first..t as usize].iter().filter(|t| !t.primitives.is_empty()).count()
    };
    let same_run = |a: u32, b: u32| {
        let (first, last) = (draw_of(a), draw_of(b));
        let kind = |d: &DrawAt| (d.pass, d.opaque);
        let all = &list.draws[first..=last];
        all.iter().all(|d| d.opaque.is_some() && kind(d) == kind(&list.draws[first]))
    };
    let mut by_place: HashMap<(u16, u16), Vec<&LoggedCover>> = HashMap::new();
    log.covers.iter().for_each(|c| by_place.entry((c.x, c.y)).or_default().push(c));
    let mut shown = BTreeSet::new();
    let mut all = BTreeSet::new();
    for at_place in by_place.values() {
        for (n, cover) in at_place.iter().enumerate() {
            let pair = (cover.triangle as usize, (cover.x / 8, cover.y / 8));
            all.insert(pair);
            let draw = &list.draws[draw_of(cover.triangle)];
            let behind = |other: &&&LoggedCover| {
                let nearer = if draw.grows { other.depth > cover.depth } else { other.depth < cover.depth };
                other.passes
                    && nearer
                    && same_run(cover.triangle, other.triangle)
                    && place(cover.triangle) / 1024 == place(other.triangle) / 1024
            };
            let hidden = !cover.passes || at_place[n + 1..].iter().any(|other| behind(&other));
            if !(draw.may_cull && hidden) {
                shown.insert(pair);
            }
        }
    }
    all.difference(&shown).copied().collect()
}

fn allowed(made: &Made, fault: &'static str) -> BTreeSet<Pair> {
    let ideal = Ideal::by(&made.log, &made.list, Rules { fault, ends: &made.ends });
    ideal.pairs.keys().filter(|pair| ideal.allows(pair)).copied().collect()
}

/// HZ-13, HZ-25: the oracle is its definition, on frames of up to four blocks.
#[test]
fn hz_13_the_oracle_is_its_definition() {
    for seed in 1..25 {
        let made = made(seed, 300 + 150 * seed as usize);
        let (oracle, defined) = (allowed(&made, ""), defined(&made));
        assert!(defined.len() > 30, "seed {seed}: only {} pairs may be culled", defined.len());
        assert_eq!(oracle, defined, "seed {seed}");
    }
}

/// Each planted fault makes other pairs, on one of the same frames.
#[test]
fn hz_13_faults_of_the_oracle_are_found() {
    let frames: Vec<Made> = (1..25).map(|seed| made(seed, 300 + 150 * seed as usize)).collect();
    let right: Vec<BTreeSet<Pair>> = frames.iter().map(defined).collect();
    let faults = ["follows-windows", "counts-culled", "counts-on", "level", "any-draw", "long-runs", "one-sample"];
    for fault in faults {
        let found = frames.iter().zip(&right).any(|(made, right)| allowed(made, fault) != *right);
        assert!(found, "{fault} changes no pair of any frame");
    }
}

/// What the machine does changes what is found and beyond, and never what is allowed.
#[test]
fn figures_count_what_the_machine_culled() {
    let made = made(7, 1500);
    let ideal = Ideal::new(&made.log, &made.list);
    let all = ideal.figures(&made.list, |_| true);
    let none = ideal.figures(&made.list, |_| false);
    assert_eq!((all.found, none.found, none.beyond), (all.allowed, 0, 0));
    assert_eq!(all.allowed, defined(&made).len() as u64);
    assert_eq!(all.beyond, ideal.pairs.len() as u64 - all.allowed);
    let of = |figures: &IdealFigures| figures.classes.opaque.allowed + figures.classes.blended.allowed;
    assert_eq!(of(&all), all.allowed);
    let last = made.list.draws.last().unwrap().pass;
    assert!(all.blocks > last as u64);
}
