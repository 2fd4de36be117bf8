//! What a command list submits: passes, states and draws, read from memory as docs/graphics.md
//! states them; for checkers that know nothing of the host that wrote the list.
//!
//! Triangles are numbered through a frame, so a triangle's number says its draw and its pass. A
//! list that cannot be read ends there: the model has refused it before. Wrong would be an index
//! that is read otherwise than by the machine; the model reads them a third time.

use std::collections::HashSet;
use std::ops::Range;

use quadlock_isa::records::{command as commands, draw, pass, state as states, Field};

use crate::machine::memory::Image;

/// Commands that a list has at most here.
const MOST: usize = 1 << 20;

/// A colour target of a pass.
#[derive(Clone, Copy, Debug)]
pub struct TargetAt {
    /// Byte address of its first plane.
    pub address: u32,
    /// Words of a sample: 1 or 2.
    pub words: u32,
    /// Byte address of what is resolved.
    pub resolved: Option<u32>,
    /// It is written at the end.
    pub stored: bool,
}

/// A pass.
#[derive(Clone, Debug)]
pub struct PassAt {
    /// Pixels.
    pub width: u32,
    pub height: u32,
    pub samples: u32,
    /// Of a tile, in pixels.
    pub side: u32,
    /// Lines of a row of quads, and of a plane.
    pub row: u32,
    pub plane: u32,
    pub targets: Vec<TargetAt>,
    /// Byte address of depth and stencil, if they are there and stored.
    pub depth: Option<u32>,
    /// The same, stored or not: tiles that come again are there meanwhile.
    pub depth_place: Option<u32>,
}

/// What a draw's state and program do to what is behind it: the first of these that is true.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DrawClass {
    Stencil,
    /// Discard, or a sample mask from the program.
    Discard,
    Blended,
    /// Of an opaque run by HZ-13.
    Opaque,
    /// It tests depth and does not write it.
    ReadOnly,
    #[default]
    Other,
}

/// A draw.
#[derive(Clone, Debug, Default)]
pub struct DrawAt {
    /// Numbers of its state and its pass in the list.
    pub state: usize,
    pub pass: usize,
    /// Numbers of its triangles in the frame, of all instances.
    pub triangles: Range<usize>,
    /// Indices of vertices, with the base vertex.
    pub indices: Vec<u32>,
    pub instances: Range<u32>,
    /// Bit 4 t + c: component c of target t is written.
    pub written: u32,
    /// Number of its opaque run (HZ-13), if it is in one.
    pub run: Option<usize>,
    /// Its depth function, if HZ-13 lets it be in an opaque run. The machine's runs have fewer
    /// draws: not those that run for each sample or look at their coverage.
    pub opaque: Option<u32>,
    pub class: DrawClass,
    /// What fails its depth test may be left out (HZ-25).
    pub may_cull: bool,
    /// Depths that pass grow: the test is greater, or greater or equal.
    pub grows: bool,
    /// What it covers hides what was there: it writes all of every target, and blends nothing.
    pub covers: bool,
    /// Pixels outside are not drawn: left, top, right, bottom, the last two beyond.
    pub scissor: [u32; 4],
    /// Where in `indices` each triangle of an instance begins.
    pub firsts: Vec<u32>,
    /// The cull pipeline does not look at it.
    pub bypassed: bool,
}

impl DrawAt {
    /// The vertices of a triangle, by its number in the frame, as (state, instance, index).
    pub fn corners(&self, triangle: usize) -> [(usize, u32, u32); 3] {
        let each = self.firsts.len().max(1);
        let n = triangle - self.triangles.start;
        let (instance, first) = (self.instances.start + (n / each) as u32, self.firsts[n % each] as usize);
        std::array::from_fn(|c| (self.state, instance, self.indices[first + c]))
    }

    /// Vertices that its triangles have, or all that are named.
    fn vertices(&self, all: bool) -> impl Iterator<Item = (usize, u32, u32)> {
        let of_triangles = self.firsts.iter().flat_map(|&first| &self.indices[first as usize..first as usize + 3]);
        let indices: HashSet<u32> =
            if all { self.indices.iter().copied().collect() } else { of_triangles.copied().collect() };
        let state = self.state;
        self.instances.clone().flat_map(move |i| indices.clone().into_iter().map(move |index| (state, i, index)))
    }
}

/// A list.
#[derive(Clone, Debug, Default)]
pub struct Submitted {
    pub passes: Vec<PassAt>,
    pub draws: Vec<DrawAt>,
    /// The depth function of the last draw, if it is opaque.
    opaque: Option<u32>,
    runs: usize,
}

fn word(image: &Image, address: u32, n: u64) -> Option<u32> {
    let bytes = image.slice(address.wrapping_add(4 * n as u32), 4)?;
    Some(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
}

/// The depth function of a draw with those modes, if it belongs to an opaque run by HZ-13: what it
/// covers is written in all targets, at the depth that was tested, and nothing else. `covers` is
/// that of its targets.
fn opaque(modes: u32, covers: bool) -> Option<u32> {
    let function = states::DEPTH_FUNCTION.of(modes);
    (updates(modes) && !states::STORES.is_set(modes) && covers).then_some(function)
}

/// The class of a draw with those modes.
fn class(modes: u32, opaque: bool, blends: bool) -> DrawClass {
    let is = |field: Field| field.is_set(modes);
    match () {
        () if is(states::STENCIL_TEST) => DrawClass::Stencil,
        () if is(states::DISCARDS) || is(states::WRITES_MASK) => DrawClass::Discard,
        () if blends => DrawClass::Blended,
        () if opaque => DrawClass::Opaque,
        () if is(states::DEPTH_TEST) && !is(states::DEPTH_WRITE) => DrawClass::ReadOnly,
        () => DrawClass::Other,
    }
}

/// What a draw of that state covers hides what was there: it writes all of every target, and blends
/// nothing.
fn covers(image: &Image, state: u32, targets: usize) -> Option<bool> {
    let mut is = true;
    for t in 0..targets as u64 {
        let blend = word(image, state, states::TARGET_BLEND + t)?;
        is &= states::TARGET_MASK.of(blend) == 15 && !states::BLENDS.is_set(blend);
    }
    Some(is)
}

/// Whether what fails the depth test of a draw of that state may be left out (HZ-25): nothing else
/// happens to it, and its depth is known before its program. `stencil` are the words from
/// `STENCIL_FRONT` on.
pub fn may_cull(modes: u32, stencil: [u32; 3]) -> bool {
    let is = |field: Field| field.is_set(modes);
    let writes = is(states::STENCIL_TEST) && states::STENCIL_WRITE.is_set(stencil[2]);
    let front_is_clockwise = is(states::FRONT_CLOCKWISE);
    // Of a side that is drawn: an operation that happens, and is not keep.
    let marks = |side: u32, clockwise: bool| {
        let culled = is(if clockwise { states::CULL_CLOCKWISE } else { states::CULL_COUNTER_CLOCKWISE });
        let [function, fail, depth_fail] =
            [states::STENCIL_FUNCTION, states::STENCIL_FAIL, states::STENCIL_DEPTH_FAIL].map(|field| field.of(side));
        let (always, never) = (function == 7, function == 0);
        !culled && (!always && fail != 0 || !never && depth_fail != 0)
    };
    let marks = writes && (marks(stencil[0], front_is_clockwise) || marks(stencil[1], !front_is_clockwise));
    let stores = is(states::STORES) && !is(states::EARLY_TESTS);
    is(states::DEPTH_TEST) && !marks && !is(states::WRITES_DEPTH) && !stores
}

/// Whether a draw of that state brings bounds of depth nearer (HZ-25): each sample that passes its
/// test by an order is written, at the depth that was tested.
pub fn updates(modes: u32) -> bool {
    let all = |fields: &[Field], set: bool| fields.iter().all(|field| field.is_set(modes) == set);
    matches!(states::DEPTH_FUNCTION.of(modes), 1 | 3 | 4 | 6)
        && all(&[states::DEPTH_TEST, states::DEPTH_WRITE], true)
        && all(&[states::STENCIL_TEST, states::DISCARDS, states::WRITES_DEPTH, states::WRITES_MASK], false)
}

impl Submitted {
    /// Reads the list at a byte address.
    pub fn read(image: &Image, list: u32) -> Self {
        let mut out = Self::default();
        let _ = out.commands(image, list);
        out
    }

    fn commands(&mut self, image: &Image, list: u32) -> Option<()> {
        let (mut at, mut states, mut state) = (list, 0usize, 0);
        for _ in 0..MOST {
            let code = commands::CODE.of(word(image, at, commands::HEAD)?);
            let record = word(image, at, commands::RECORD_ADDRESS)?;
            let mut lines = 1;
            match code.into() {
                commands::PASS => self.passes.push(PassAt::read(image, record)?),
                commands::STATE => {
                    state = record;
                    states += 1;
                }
                commands::DRAW => {
                    lines = 2;
                    self.draw(image, at, state, states.checked_sub(1)?)?;
                }
                commands::END => return Some(()),
                _ => {}
            }
            at = at.wrapping_add(16 * lines);
        }
        None
    }

    fn draw(&mut self, image: &Image, at: u32, state: u32, number: usize) -> Option<()> {
        let w = |n| word(image, at, n);
        let (head, count, first) = (w(draw::HEAD)?, w(draw::COUNT)?, w(draw::FIRST)?);
        let (instances, first_instance) = (w(draw::INSTANCES)?, w(draw::FIRST_INSTANCE)?);
        let (base, address) = (w(draw::BASE_VERTEX)?, w(draw::INDEX_ADDRESS)?);
        let (indexed, wide) = (draw::INDEXED.is_set(head), draw::WIDE_INDICES.is_set(head));
        let index = |n: u32| {
            let n = first.wrapping_add(n);
            match (indexed, wide) {
                (false, _) => Some(n),
                (_, true) => word(image, address.wrapping_add(4 * n), 0),
                _ => Some(word(image, address.wrapping_add(2 * n) & !3, 0)? >> (16 * ((address / 2 + n) & 1)) & 0xFFFF),
            }
        };
        let modes = word(image, state, states::MODES)?;
        let strip = states::TOPOLOGY.of(modes) == 1;
        // The index that ends a strip is no vertex.
        let mark = draw::RESTART.is_set(head).then_some(if wide { u32::MAX } else { 0xFFFF });
        let (mut indices, mut firsts, mut run_of) = (vec![], vec![], 0u32);
        for n in 0..count {
            let index = index(n)?;
            if mark == Some(index) {
                run_of = 0;
                continue;
            }
            indices.push(index.wrapping_add(base));
            run_of += 1;
            if run_of >= 3 && (strip || run_of % 3 == 0) {
                firsts.push(indices.len() as u32 - 3);
            }
        }
        let start = self.draws.last().map_or(0, |d| d.triangles.end);
        let of_target = |t: u64| word(image, state, states::TARGET_BLEND + t);
        let masks = (0..4).map(|t| of_target(t).map(|w| states::TARGET_MASK.of(w) << (4 * t)));
        let pass = self.passes.len().checked_sub(1)?;
        let targets = self.passes[pass].targets.len();
        let covers = covers(image, state, targets)?;
        let opaque = opaque(modes, covers);
        let looks = states::PER_SAMPLE.is_set(modes) || states::LOOKS_AT_COVERAGE.is_set(modes);
        let in_run = opaque.filter(|_| !looks);
        // A draw that bypasses the cull pipeline is a run by itself (HZ-13).
        let bypassed = draw::BYPASS.is_set(head);
        let goes_on =
            !bypassed && self.draws.last().is_some_and(|d| d.pass == pass && !d.bypassed) && self.opaque == in_run;
        self.runs += usize::from(!goes_on);
        self.opaque = in_run;
        let run = in_run.map(|_| self.runs);
        let of = |n: u64| word(image, state, n);
        let corner = |field: Field| of(field.word).map(|word| field.of(word));
        let blends = (0..targets as u64).any(|t| of_target(t).is_some_and(|w| states::BLENDS.is_set(w)));
        self.draws.push(DrawAt {
            state: number,
            pass,
            triangles: start..start + firsts.len() * instances as usize,
            indices,
            firsts,
            instances: first_instance..first_instance.saturating_add(instances),
            written: masks.sum::<Option<u32>>()?,
            run,
            opaque,
            class: class(modes, opaque.is_some(), blends),
            may_cull: may_cull(
                modes,
                [of(states::STENCIL_FRONT)?, of(states::STENCIL_BACK)?, of(states::STENCIL_MASKS)?],
            ),
            grows: matches!(states::DEPTH_FUNCTION.of(modes), 4 | 6),
            covers,
            scissor: [
                corner(states::SCISSOR_LEFT)?,
                corner(states::SCISSOR_TOP)?,
                corner(states::SCISSOR_RIGHT)?,
                corner(states::SCISSOR_BOTTOM)?,
            ],
            bypassed,
        });
        Some(())
    }

    /// Byte addresses of all passes' colour targets, and of their depth and stencil, each once.
    pub fn places(&self) -> [Vec<Range<u32>>; 2] {
        let colours = self.passes.iter().flat_map(PassAt::colours).collect();
        let depths = self.passes.iter().flat_map(PassAt::depths).collect();
        [colours, depths].map(|mut places: Vec<Range<u32>>| {
            places.sort_unstable_by_key(|place| (place.start, place.end));
            places.dedup();
            places
        })
    }

    /// The number of the draw that a triangle belongs to.
    pub fn draw_of(&self, triangle: usize) -> Option<usize> {
        let n = self.draws.partition_point(|d| d.triangles.end <= triangle);
        self.draws.get(n).filter(|d| d.triangles.contains(&triangle)).map(|_| n)
    }

    /// The number of the draw that a state was set for: the first with it.
    pub fn draw_with(&self, state: usize) -> Option<usize> {
        self.draws.iter().position(|d| d.state == state)
    }

    /// Vertices as (state, instance, index): those of triangles, or all that are named.
    pub fn vertices(&self, all: bool) -> HashSet<(usize, u32, u32)> {
        self.draws.iter().flat_map(|d| d.vertices(all)).collect()
    }

    /// Those of draws that the cull pipeline looks at.
    pub fn vertices_ahead(&self) -> HashSet<(usize, u32, u32)> {
        self.draws.iter().filter(|d| !d.bypassed).flat_map(|d| d.vertices(true)).collect()
    }

    /// The numbers in the frame of the triangles of such draws, in order.
    pub fn places_ahead(&self) -> Vec<usize> {
        self.draws.iter().filter(|d| !d.bypassed).flat_map(|d| d.triangles.clone()).collect()
    }
}

impl PassAt {
    fn read(image: &Image, record: u32) -> Option<Self> {
        let w = |n| word(image, record, n);
        let (size, kind) = (w(pass::SIZE)?, w(pass::KIND)?);
        let target = |t: u32| {
            let after = pass::TARGET_STEP * u64::from(t);
            let flags = w(pass::TARGET_FLAGS + after)?;
            let resolves = pass::TARGET_RESOLVES.is_set(flags);
            Some(TargetAt {
                address: w(pass::TARGET_ADDRESS + after)?,
                words: if pass::TARGET_FORMAT.of(flags) == 2 { 2 } else { 1 },
                resolved: if resolves { Some(w(pass::RESOLVE_ADDRESS + after)?) } else { None },
                stored: pass::TARGET_STORES.is_set(flags),
            })
        };
        let depth_place = if pass::HAS_DEPTH.is_set(kind) { Some(w(pass::DEPTH_ADDRESS)?) } else { None };
        let stored = depth_place.is_some() && pass::DEPTH_STORES.is_set(w(pass::DEPTH_FLAGS)?);
        Some(Self {
            width: pass::WIDTH.of(size),
            height: pass::HEIGHT.of(size),
            samples: 1 << pass::SAMPLES.of(kind),
            side: 1 << pass::TILE_SIDE.of(kind),
            row: w(pass::ROW_LINES)?,
            plane: w(pass::PLANE_LINES)?,
            targets: (0..pass::TARGETS.of(kind)).map(target).collect::<Option<_>>()?,
            depth: depth_place.filter(|_| stored),
            depth_place,
        })
    }

    /// Byte addresses of colour targets, and of what is resolved.
    pub fn colours(&self) -> impl Iterator<Item = Range<u32>> + '_ {
        let of = |t: &TargetAt| [Some((t.address, t.words * self.samples)), t.resolved.map(|r| (r, t.words))];
        self.targets.iter().flat_map(of).flatten().map(|(address, planes)| self.planes(address, planes))
    }

    /// Byte addresses of depth and stencil, stored or not.
    pub fn depths(&self) -> impl Iterator<Item = Range<u32>> + '_ {
        self.depth_place.iter().map(|&address| self.planes(address, self.samples))
    }

    fn planes(&self, address: u32, planes: u32) -> Range<u32> {
        address..address.saturating_add(16 * planes * self.plane)
    }

    /// The first pixel of the tile that a line at a byte address is of, if it is one of the pass's.
    pub fn tile_of(&self, line: u32) -> Option<(u32, u32)> {
        let place = self.colours().chain(self.depths()).find(|place| place.contains(&line))?;
        let quad = ((line - place.start) / 16).checked_rem(self.plane)?;
        let (x, y) = (quad.checked_rem(self.row)?, quad / self.row);
        let first = |quad: u32| (2 * quad) & !(self.side - 1);
        Some((first(x), first(y)))
    }

    /// Byte address of the line of a quad in a plane of a target at `address`.
    pub fn line(&self, address: u32, plane: u32, (x, y): (u32, u32)) -> u32 {
        address.wrapping_add(16 * (plane * self.plane + y * self.row + x))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(words: &[u32]) -> Image {
        Image { base: 0, bytes: words.iter().flat_map(|w| w.to_le_bytes()).collect() }
    }

    /// HZ-25: what fails its depth test leaves the stencil, or it is not culled.
    #[test]
    fn hz_25_draws_that_mark_the_stencil_are_not_culled() {
        // Function, operation if the stencil fails, if depth fails; the last one does not matter.
        let side = |function: u32, fail: u32, depth_fail: u32| function | fail << 4 | depth_fail << 8 | 2 << 12;
        let (keeps, fails, depth_fails) = (side(1, 0, 0), side(1, 2, 0), side(1, 0, 2));
        let tests = 1 << 10 | 3 << 8 | 1 << 5;
        let of = |modes: u32, front, back, write: u32| may_cull(tests | modes, [front, back, write << 8 | 0xFF_00FF]);
        assert!(of(0, keeps, keeps, 255));
        for marks in [fails, depth_fails, side(7, 0, 1), side(0, 1, 0)] {
            assert!(!of(0, marks, keeps, 1) && !of(0, keeps, marks, 1));
            assert!(of(0, marks, marks, 0));
            // Clockwise ones are culled, then the others; then the front is clockwise.
            assert_eq!([1 << 2, 2 << 2].map(|faces| of(faces, marks, keeps, 1)), [false, true]);
            assert_eq!([1 << 2, 2 << 2].map(|faces| of(faces, keeps, marks, 1)), [true, false]);
            assert_eq!([5 << 2, 6 << 2].map(|faces| of(faces, marks, keeps, 1)), [true, false]);
            assert!(may_cull(tests & !(1 << 10), [marks, marks, 255 << 8]));
        }
        // An operation that never happens.
        assert!(of(0, side(7, 1, 0), side(0, 0, 1), 1));
    }

    /// A strip of four indices of two bytes, from an odd place on, then a list without indices.
    #[test]
    fn draws_are_read_with_their_triangles() {
        let mut words = vec![0; 128];
        words[..28].copy_from_slice(&[
            1,
            256,
            0,
            0,
            2,
            0x180,
            0,
            0,
            3 | 1 << 8,
            4,
            1,
            2,
            10,
            5,
            0x70,
            0,
            2,
            0,
            0,
            0,
            3,
            7,
            0,
            1,
            0,
            0,
            0,
            0,
        ]);
        words[28..31].copy_from_slice(&[0x0001_FFFF, 0x0003_0002, 0x0000_0004]);
        words[31] = 7;
        words[64] = 8 | 8 << 16;
        words[65] = 1 | 1 << 8;
        (words[69], words[96 + 6], words[96 + 28]) = (2 | 1 << 5, 1, 5);
        // The list's end is on a line of its own.
        words[28 + 3] = 0;
        let list = Submitted::read(&image(&words), 0);
        assert_eq!(list.draws.len(), 2, "{list:?}");
        let (strip, plain) = (&list.draws[0], &list.draws[1]);
        assert_eq!((&strip.indices[..], &strip.firsts[..]), (&[11, 12, 13, 14][..], &[0, 1][..]));
        assert_eq!((strip.triangles.clone(), strip.instances.clone(), strip.written), (0..4, 5..7, 5));
        assert_eq!((plain.triangles.clone(), &plain.firsts[..], plain.indices.len()), (4..6, &[0, 3][..], 7));
        assert_eq!((list.draw_of(3), list.draw_of(4), list.draw_of(6)), (Some(0), Some(1), None));
        assert_eq!((list.vertices(false).len(), list.vertices(true).len()), (8 + 6, 8 + 7));
        assert_eq!((list.passes[0].samples, list.passes[0].targets[0].words), (2, 2));
        // Two samples of two words, and of one of depth that is not stored; each place once.
        let mut pass = list.passes[0].clone();
        (pass.plane, pass.depth_place, pass.targets[0].address) = (4, Some(0x800), 0x400);
        pass.targets[0].resolved = Some(0x600);
        let list = Submitted { passes: vec![pass.clone(), pass], ..Submitted::default() };
        let [colours, depths] = list.places();
        assert_eq!(colours, vec![0x400..0x500, 0x600..0x680]);
        assert_eq!(depths.iter().map(|d| (d.start, d.end)).collect::<Vec<_>>(), [(0x800, 0x880)]);
    }
}
