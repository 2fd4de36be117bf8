//! Data of `examples/ordered-z`: what is submitted (points, lines, triangles and strips of both),
//! the parts of each primitive in each region as threads, a chain of edges for each region, and the
//! picture and depths of drawing the primitives one after the other.
//!
//! The reference goes pixel by pixel over the whole screen in 64 bits: triangles by edge functions,
//! lines by the distance from the ideal line, points by the distance from the centre; no regions,
//! no steps from pixel to pixel, no packed colours. Wrong would be a rule for edges, depths or
//! rounding that it shares with the shader by misreading, or a scene in which order does not
//! matter: `checked` draws it backwards too.

mod primitive;
mod scene;

use primitive::Primitive;

/// Side of a region in pixels, and steps of a position in a pixel.
const REGION: i64 = 16;
const PIXEL: i64 = 16;
/// Half the side of a point.
const HALF_POINT: i64 = 24;
/// Depth of the plane of the backdrop; larger is nearer.
const BACKDROP: i64 = 200;

/// A picture and how finely its rings are cut: steps along, steps around; points and lines.
struct Size {
    name: &'static str,
    width: i64,
    height: i64,
    cut: [u32; 2],
    lines: u32,
    points: u32,
}

const SIZES: [Size; 2] = [
    Size { name: "full", width: 64, height: 48, cut: [10, 5], lines: 24, points: 16 },
    Size { name: "small", width: 32, height: 32, cut: [5, 3], lines: 12, points: 8 },
];

/// x and y in 1/16 pixel, depth; colour and opacity (in 1/256) of the primitive that begins here.
#[derive(Clone, Copy, Debug)]
struct Vertex {
    at: [i64; 3],
    colour: [i64; 3],
    opacity: i64,
}

/// How vertices become primitives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Topology {
    Points,
    Lines,
    LineStrip,
    Triangles,
    TriangleStrip,
}

/// What is submitted at once.
struct Draw {
    topology: Topology,
    vertices: Vec<Vertex>,
}

impl Draw {
    /// First vertex of each primitive.
    fn starts(&self) -> impl Iterator<Item = usize> {
        let (size, step) = match self.topology {
            Topology::Points => (1, 1),
            Topology::Lines => (2, 2),
            Topology::LineStrip => (2, 1),
            Topology::Triangles => (3, 3),
            Topology::TriangleStrip => (3, 1),
        };
        (0..(self.vertices.len() + 1).saturating_sub(size)).step_by(step)
    }

    fn primitive(&self, start: usize) -> Primitive {
        let v = |i: usize| self.vertices[start + i].at;
        match self.topology {
            Topology::Points => Primitive::Point(v(0)),
            Topology::Lines | Topology::LineStrip => Primitive::Line([v(0), v(1)]),
            Topology::Triangles | Topology::TriangleStrip => Primitive::Triangle([v(0), v(1), v(2)]),
        }
    }
}

/// A primitive in order of submission.
struct Item {
    primitive: Primitive,
    /// In the buffer of vertices.
    first_vertex: usize,
    colour: [i64; 3],
    opacity: i64,
}

/// Every file of the example that is made: (path below `examples/`, content).
pub fn files() -> Vec<(&'static str, Vec<u8>)> {
    let mut files = Vec::new();
    for size in &SIZES {
        let draws = scene::draws(size);
        let items = submitted(&draws);
        let (picture, depths) = draw(size, &items);
        checked(size, &draws, &items, &depths);
        let (threads, edges) = graph(size, &items);
        let path = |stem: &str, kind: &str| -> &'static str { format!("ordered-z/{stem}-{}.{kind}", size.name).leak() };
        files.push((path("vertices", "csv"), table(&draws)));
        files.push((path("threads", "csv"), threads));
        files.push((path("edges", "csv"), edges));
        files.push((path("expected", "png"), super::rgba_png(size.width as u32, size.height as u32, &picture)));
        files.push((path("expected-depths", "raw"), super::words(depths.iter().map(|&d| d as u32))));
    }
    files
}

fn submitted(draws: &[Draw]) -> Vec<Item> {
    let mut base = 0;
    let mut items = Vec::new();
    for draw in draws {
        items.extend(draw.starts().map(|start| {
            let Vertex { colour, opacity, .. } = draw.vertices[start];
            Item { primitive: draw.primitive(start), first_vertex: base + start, colour, opacity }
        }));
        base += draw.vertices.len();
    }
    items
}

/// Draws one primitive after the other; pixels as red in bits 7:0, and depths.
fn draw<'a>(size: &Size, items: impl IntoIterator<Item = &'a Item>) -> (Vec<u32>, Vec<i64>) {
    let mut picture = vec![[0i64; 4]; (size.width * size.height) as usize];
    let mut depths = vec![0i64; picture.len()];
    for item in items {
        for (i, (pixel, deepest)) in picture.iter_mut().zip(&mut depths).enumerate() {
            let at = [i as i64 % size.width, i as i64 / size.width].map(|c| c * PIXEL + PIXEL / 2);
            if !item.primitive.covers(at) || item.primitive.depth(at) <= *deepest {
                continue;
            }
            if item.opacity == 256 {
                *deepest = item.primitive.depth(at);
            }
            for (channel, new) in pixel.iter_mut().zip(item.colour) {
                *channel = (*channel * (256 - item.opacity) + new * item.opacity) / 256;
            }
            pixel[3] = 255;
        }
    }
    (picture.iter().map(|p| p.iter().rev().fold(0, |word, &c| word << 8 | c as u32)).collect(), depths)
}

/// The scene is worth drawing in order: every topology is there and seen, all is covered, drawing
/// it backwards makes another picture, and nothing is without area.
fn checked(size: &Size, draws: &[Draw], items: &[Item], depths: &[i64]) {
    assert!(items.iter().all(|i| !i.primitive.is_empty()), "a primitive without area");
    assert!(depths.iter().all(|&d| d >= 64 * BACKDROP), "a pixel without backdrop");
    let forwards = draw(size, items).0;
    let backwards = draw(size, items.iter().rev()).0;
    let differing = |other: &[u32]| forwards.iter().zip(other).filter(|(a, b)| a != b).count();
    let count = differing(&backwards);
    assert!(count * 5 > forwards.len(), "order matters in {count} pixels only");
    use Topology::{LineStrip, Lines, Points, TriangleStrip, Triangles};
    for topology in [Points, Lines, LineStrip, Triangles, TriangleStrip] {
        let others = draws.iter().map(|d| (d.topology, d.starts().count()));
        let keep: Vec<bool> = others.flat_map(|(t, n)| vec![t != topology; n]).collect();
        let without = items.iter().zip(&keep).filter(|(_, keep)| **keep).map(|(item, _)| item);
        assert!(differing(&draw(size, without).0) >= 20, "{topology:?} are hardly seen");
    }
}

/// Threads (primitive, region), primitive by primitive, and the edge from each part to the next one
/// in its region.
fn graph(size: &Size, items: &[Item]) -> (Vec<u8>, Vec<u8>) {
    let (columns, rows) = (size.width / REGION, size.height / REGION);
    let mut last = vec![None; (columns * rows) as usize];
    let (mut threads, mut edges) = (Vec::new(), Vec::new());
    for item in items {
        // Whether the bounding box touches the region's pixels along an axis.
        let touches = |axis: usize, region: i64| {
            let [low, high] = item.primitive.bounds(axis);
            low < (region + 1) * REGION * PIXEL && high >= region * REGION * PIXEL
        };
        let word = item.primitive.kind() << 24 | item.first_vertex;
        for (row, column) in (0..rows).flat_map(|r| (0..columns).map(move |c| (r, c))) {
            if !touches(1, row) || !touches(0, column) {
                continue;
            }
            let before = last[(row * columns + column) as usize].replace(threads.len());
            edges.extend(before.map(|b| format!("{b},{}\n", threads.len())));
            threads.push(format!("{word},{}\n", column | row << 8));
        }
    }
    (threads.concat().into_bytes(), edges.concat().into_bytes())
}

/// The buffer of vertices, one in a row.
fn table(draws: &[Draw]) -> Vec<u8> {
    let row = |v: &Vertex| {
        let [red, green, blue] = v.colour;
        let w = (red | green << 8 | blue << 16 | (v.opacity - 1) << 24) as u32 as i32;
        let [x, y, z] = v.at;
        format!("{x},{y},{z},{w}\n")
    };
    draws.iter().flat_map(|d| &d.vertices).map(row).collect::<String>().into_bytes()
}
