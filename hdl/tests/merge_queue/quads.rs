//! Quads for the merge queue, and the rule by which two can pair (MS-3, MS-4, MS-5). Streams are
//! random ones, and those of small triangles: a triangle of one to three pixels is rasterised, and
//! its quads come in the order of rows.

use quadlock_hdl::config::GpuConfig;
use rand::Rng;

/// Fields of a quad with their widths.
pub const FIELDS: [(&str, u32); 16] = [
    ("end", 1),
    ("context", 4),
    ("handle", 6),
    ("order", 16),
    ("back", 1),
    ("buffer", 3),
    ("x", 11),
    ("y", 11),
    ("ticket", 6),
    ("single", 1),
    ("sample", 2),
    ("coverage", 16),
    ("depth0", 24),
    ("depth1", 24),
    ("depth2", 24),
    ("depth3", 24),
];

/// Contexts without a merge point in all tests here.
pub const UNMARKED: [u64; 2] = [2, 5];

/// Contexts whose quads are shaded for each sample and split, on a machine that merges those before
/// (MS-42). One of them does not merge.
pub const SPLITTING: [u64; 3] = [1, 3, 5];

/// Values of the fields. Of a quad that splits the sample is 0, and the depths are those of
/// sample 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quad(pub [u64; 16]);

impl Quad {
    pub fn random(rng: &mut impl Rng) -> Self {
        let mut quad = Self(FIELDS.map(|(_, width)| rng.random_range(0..1 << width)));
        quad.set("end", 0);
        quad
    }

    /// An ordinary quad of these lanes, one sample each.
    pub fn of(lanes: u64, rng: &mut impl Rng) -> Self {
        let mut quad = Self::random(rng);
        for (field, value) in [("context", 1), ("buffer", 3), ("single", 0), ("order", 7)] {
            quad.set(field, value);
        }
        quad.cover(lanes, |_| 1);
        quad
    }

    /// Covers these lanes, each with some samples.
    pub fn cover(&mut self, lanes: u64, mut samples: impl FnMut(u64) -> u64) {
        let bits = (0..4).filter(|k| lanes >> k & 1 != 0).map(|k| samples(k) << (4 * k)).sum();
        self.set("coverage", bits);
    }

    pub fn get(&self, field: &str) -> u64 {
        self.0[FIELDS.iter().position(|f| f.0 == field).unwrap()]
    }

    pub fn set(&mut self, field: &str, value: u64) {
        self.0[FIELDS.iter().position(|f| f.0 == field).unwrap()] = value;
    }

    /// Active lanes.
    pub fn lanes(&self) -> u64 {
        (0..4).filter(|k| self.get("coverage") >> (4 * k) & 15 != 0).map(|k| 1 << k).sum()
    }

    /// Where it is: place, and the sample if it is shaded for one.
    pub fn place(&self) -> [u64; 3] {
        [self.get("x"), self.get("y"), self.get("sample") * self.get("single")]
    }

    /// Samples that it covers.
    pub fn samples(&self) -> Vec<u64> {
        let coverage = self.get("coverage");
        (0..4).filter(|s| (0..4).any(|lane| coverage >> (4 * lane + s) & 1 != 0)).collect()
    }

    /// What is told of that sample; `back` makes it of sample 0 again.
    pub fn of_sample(&self, sample: u64, back: bool) -> Self {
        let mut quad = self.clone();
        quad.set("sample", if back { 0 } else { sample });
        for depth in ["depth0", "depth1", "depth2", "depth3"] {
            let step = 77 * sample;
            let value = if back { self.get(depth).wrapping_sub(step) } else { self.get(depth) + step };
            quad.set(depth, value & 0xFF_FFFF);
        }
        quad
    }

    /// It may pair at all.
    pub fn sparse(&self) -> bool {
        self.lanes() != 15 && !UNMARKED.contains(&self.get("context"))
    }

    /// Their draw, tile visit or kind differs.
    pub fn foreign(&self, other: &Self, config: &GpuConfig) -> bool {
        let all: &[&str] = &["context", "buffer", "single", "order"];
        let compared = if config.merge_triangles { &all[..3] } else { all };
        compared.iter().any(|field| self.get(field) != other.get(field))
    }
}

/// Lanes after a flip: lane k goes to lane k ^ flip.
pub fn flipped(lanes: u64, flip: u64) -> u64 {
    (0..4).filter(|k| lanes >> k & 1 != 0).map(|k| 1 << (k ^ flip)).sum()
}

/// Whether two quads can pair.
pub fn fits(a: &Quad, b: &Quad, config: &GpuConfig) -> bool {
    let flips = if config.merge_flip { 4 } else { 1 };
    a.sparse()
        && b.sparse()
        && !a.foreign(b, config)
        && (0..flips).any(|flip| a.lanes() & flipped(b.lanes(), flip) == 0)
}

/// Random quads: contexts, buffers and triangles that last for a while.
pub fn random_stream(rng: &mut impl Rng, quads: usize) -> Vec<Quad> {
    let mut now = Quad::of(1, rng);
    let mut stream = vec![];
    for k in 0..quads {
        let mut quad = Quad::random(rng);
        if rng.random_bool(0.03) {
            now.set("context", rng.random_range(0..8));
        }
        if rng.random_bool(0.03) {
            now.set("buffer", rng.random_range(0..8));
        }
        if rng.random_bool(0.3) {
            now.set("order", rng.random_range(0..1 << 16));
        }
        for field in ["context", "buffer", "order"] {
            quad.set(field, now.get(field));
        }
        quad.set("single", now.get("context") & 1);
        // Often at a place where another one waits.
        quad.set("x", rng.random_range(0..12));
        quad.set("y", 5);
        quad.set("ticket", k as u64 % 64);
        quad.set("end", u64::from(rng.random_bool(0.1)));
        let lanes = rng.random_range(1..16);
        quad.cover(lanes, |_| rng.random_range(1..16));
        stream.push(quad);
    }
    stream
}

/// Quads of tiles with small triangles; each tile has a buffer of its own.
pub fn small_triangles(rng: &mut impl Rng, tiles: u64, triangles: u64) -> Vec<Quad> {
    let mut stream = vec![];
    for tile in 0..tiles {
        for order in 0..triangles {
            for (x, y, lanes) in triangle(rng) {
                let mut quad = Quad::of(lanes, rng);
                let ticket = stream.len() as u64 % 64;
                for (field, value) in [("buffer", tile % 8), ("order", order), ("x", x), ("y", y), ("ticket", ticket)] {
                    quad.set(field, value);
                }
                stream.push(quad);
            }
        }
    }
    stream
}

/// Quads of a random triangle of one to three pixels in a tile of 32: place, lanes. Corners are in
/// sixteenths of a pixel.
fn triangle(rng: &mut impl Rng) -> Vec<(u64, u64, u64)> {
    let (size, x, y) = (rng.random_range(16..64), rng.random_range(0..28 * 16), rng.random_range(0..28 * 16));
    let mut corner = || (x + rng.random_range(0..=size), y + rng.random_range(0..=size));
    let (a, mut b, mut c): ((i64, i64), (i64, i64), (i64, i64)) = (corner(), corner(), corner());
    let side = |p: (i64, i64), q: (i64, i64), r: (i64, i64)| (q.0 - p.0) * (r.1 - p.1) - (q.1 - p.1) * (r.0 - p.0);
    if side(a, b, c) < 0 {
        (b, c) = (c, b);
    }
    let covered = |x: u64, y: u64| {
        let at = (x as i64 * 16 + 8, y as i64 * 16 + 8);
        // What lies on an edge belongs to it here; two triangles are never compared.
        side(a, b, c) != 0 && [(a, b), (b, c), (c, a)].iter().all(|&(p, q)| side(p, q, at) >= 0)
    };
    let quads = (0..16).flat_map(|y| (0..16).map(move |x| (x, y)));
    quads
        .map(|(x, y)| (x, y, (0..4).filter(|k| covered(2 * x + k % 2, 2 * y + k / 2)).map(|k| 1 << k).sum()))
        .filter(|&(_, _, lanes): &(u64, u64, u64)| lanes != 0)
        .collect()
}
