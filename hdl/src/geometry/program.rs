//! The program of the geometry engine: assembly of triangles, culls, clipping, viewport, set-up, as
//! docs/graphics.md has them. It is made here as words of the engine's ROM ([`super::engine`] says
//! what a word does).
//!
//! The float operations and their order are the page's. It can be wrong in any of them, and in a
//! reference that is not given back on some way through it; `tests/geometry.rs` compares with
//! floats and exact integers, and counts.

// Loops count corners and components, as the page's formulas do; several tables share the number.
#![allow(clippy::needless_range_loop)]

use std::collections::HashMap;

/// What an instruction does, bits 31:28 of the upper half.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // Said in engine.rs.
pub enum Kind {
    Nop,
    Lane,
    Literal,
    LoadVertex,
    StoreVertex,
    LoadState,
    Get,
    Cell,
    Wait,
    Do,
    BranchNot,
    BranchZero,
    Jump,
    SetIndex,
    Put,
    Record,
}

/// Where a lane's opcode comes from: the instruction set's numbers.
pub mod op {
    #![allow(missing_docs)] // Names of the instruction set.
    pub const IADD: u8 = 0x10;
    pub const ISUB: u8 = 0x11;
    pub const IMAD: u8 = 0x15;
    pub const SMIN: u8 = 0x16;
    pub const SMAX: u8 = 0x17;
    pub const AND: u8 = 0x20;
    pub const OR: u8 = 0x21;
    pub const XOR: u8 = 0x22;
    pub const SHL: u8 = 0x23;
    pub const SHR: u8 = 0x24;
    pub const SAR: u8 = 0x25;
    pub const ISETEQ: u8 = 0x30;
    pub const ISETNE: u8 = 0x31;
    pub const SSETLT: u8 = 0x32;
    pub const SSETGE: u8 = 0x35;
    pub const USETLT: u8 = 0x36;
    pub const USETLE: u8 = 0x37;
    pub const FSETEQ: u8 = 0x3A;
    pub const FSETLT: u8 = 0x3C;
    pub const FADD: u8 = 0x40;
    pub const FSUB: u8 = 0x41;
    pub const FMUL: u8 = 0x42;
    pub const FFMA: u8 = 0x43;
    pub const FMIN: u8 = 0x45;
    pub const FMAX: u8 = 0x46;
    pub const F2I: u8 = 0x48;
    pub const FRNE: u8 = 0x4F;
    pub const SEL: u8 = 0x51;
}

/// What [`Kind::Get`] reads.
pub mod get {
    #![allow(missing_docs)] // Said in engine.rs.
    pub const CORNER: u8 = 0;
    pub const CORNER_FLAGS: u8 = 1;
    pub const QUOTIENT: u8 = 2;
    pub const SETUP: u8 = 6;
    pub const AREA_LOW: u8 = 7;
    pub const AREA_HIGH: u8 = 8;
    pub const STEEP_LOW: u8 = 9;
    pub const STEEP_HIGH: u8 = 10;
    pub const SPARE: u8 = 11;
    pub const HANDLE: u8 = 12;
    pub const SHADED: u8 = 13;
    pub const CONTEXT: u8 = 14;
    pub const WIDTH: u8 = 15;
    pub const HEIGHT: u8 = 16;
}

/// What [`Kind::Wait`] waits for.
pub mod wait {
    #![allow(missing_docs)] // Said in engine.rs.
    pub const CORNER: u8 = 0;
    pub const QUOTIENT: u8 = 1;
    pub const KNOWN: u8 = 2;
    pub const DONE: u8 = 3;
    pub const SPARE: u8 = 4;
    pub const HANDLE: u8 = 5;
    pub const TAKEN: u8 = 6;
    pub const PLANE: u8 = 7;
    pub const COUNT: u8 = 8;
}

/// What [`Kind::Do`] does.
pub mod act {
    #![allow(missing_docs)] // Said in engine.rs.
    pub const TAKE: u8 = 0;
    pub const DIVIDE: u8 = 1;
    pub const SETUP: u8 = 2;
    pub const PLANE: u8 = 3;
    pub const SPARE: u8 = 4;
    pub const HANDLE: u8 = 5;
    pub const HOLD: u8 = 6;
    pub const DROP: u8 = 7;
    pub const EMIT: u8 = 8;
    pub const EVENT: u8 = 9;
    pub const ORDER: u8 = 10;
    pub const END: u8 = 11;
}

/// What [`Kind::Put`] keeps: corners 3 k + 0 to 2 for set-up, then the triangle's box and depths,
/// then dividends and divisors.
pub mod put {
    #![allow(missing_docs)] // Said in engine.rs.
    pub const CORNER: u8 = 0;
    pub const BOX: u8 = 9;
    pub const LOW: u8 = 13;
    pub const HIGH: u8 = 14;
    pub const BACK: u8 = 15;
    pub const PLANE_Z: u8 = 16;
    pub const DIVIDE: u8 = 20;
}

/// What [`Kind::Cell`] computes.
pub mod cell {
    #![allow(missing_docs)] // Said in engine.rs.
    pub const OUTCODE: u8 = 0;
    pub const DEPTH: u8 = 1;
    pub const FLOAT: u8 = 2;
}

/// A register, or an element of a row of them by an index register.
#[derive(Clone, Copy, Debug)]
struct R(u8, u8);

impl R {
    /// Element of the row by the first index register.
    fn i(self) -> R {
        R(self.0, 1)
    }
    /// By the second.
    fn j(self) -> R {
        R(self.0, 2)
    }
    /// Element `k` of a row.
    fn at(self, k: u8) -> R {
        R(self.0 + k, 0)
    }
}

/// A program that grows.
struct Program {
    words: Vec<u64>,
    registers: u8,
    labels: HashMap<String, usize>,
    jumps: Vec<(usize, String)>,
    fresh: usize,
}

const NONE: R = R(0, 0);

impl Program {
    fn row(&mut self, count: u8) -> R {
        let first = self.registers;
        self.registers += count;
        R(first, 0)
    }

    fn r(&mut self) -> R {
        self.row(1)
    }

    fn put(&mut self, kind: Kind, op: u8, [d, a, b, c]: [R; 4]) {
        let high = (kind as u64) << 28 | u64::from(op) << 20 | u64::from(d.0) << 12 | u64::from(a.0) << 4;
        let high = high | u64::from(d.1) << 2 | u64::from(a.1);
        let low = u64::from(b.0) << 24 | u64::from(c.0) << 16 | u64::from(b.1) << 14 | u64::from(c.1) << 12;
        self.words.push(high << 32 | low);
    }

    fn lane(&mut self, op: u8, d: R, a: R, b: R) {
        self.put(Kind::Lane, op, [d, a, b, NONE]);
    }
    fn lane3(&mut self, op: u8, d: R, a: R, b: R, c: R) {
        self.put(Kind::Lane, op, [d, a, b, c]);
    }
    fn copy(&mut self, d: R, a: R) {
        self.lane(op::OR, d, a, a);
    }
    fn literal(&mut self, d: R, value: u32) {
        let high = (Kind::Literal as u64) << 28 | u64::from(d.0) << 12;
        self.words.push(high << 32 | u64::from(value));
    }
    fn get(&mut self, what: u8, d: R, a: R) {
        self.put(Kind::Get, what, [d, a, NONE, NONE]);
    }
    fn cell(&mut self, what: u8, d: R, a: R, b: R) {
        self.put(Kind::Cell, what, [d, a, b, NONE]);
    }
    fn wait(&mut self, what: u8) {
        self.put(Kind::Wait, what, [NONE; 4]);
    }
    fn act(&mut self, what: u8, a: R) {
        self.put(Kind::Do, what, [NONE, a, NONE, NONE]);
    }
    fn keep(&mut self, what: u8, a: R) {
        self.put(Kind::Put, what, [NONE, a, NONE, NONE]);
    }
    fn keep2(&mut self, what: u8, a: R, b: R) {
        self.put(Kind::Put, what, [NONE, a, b, NONE]);
    }
    fn state(&mut self, d: R, word: u8) {
        self.put(Kind::LoadState, word, [d, NONE, NONE, NONE]);
    }
    fn load(&mut self, d: R, entry: R, word: R) {
        self.put(Kind::LoadVertex, 0, [d, entry, word, NONE]);
    }
    fn store(&mut self, entry: R, word: R, value: R) {
        self.put(Kind::StoreVertex, 0, [NONE, entry, word, value]);
    }
    fn record(&mut self, part: u8, handle: R, value: R) {
        self.put(Kind::Record, part, [NONE, handle, value, NONE]);
    }
    fn index(&mut self, which: u8, a: R) {
        self.put(Kind::SetIndex, which, [NONE, a, NONE, NONE]);
    }
    fn label(&mut self, name: &str) {
        let before = self.labels.insert(name.to_owned(), self.words.len());
        assert!(before.is_none(), "the label {name} stands twice");
    }
    fn to(&mut self, kind: Kind, a: R, name: &str) {
        self.jumps.push((self.words.len(), name.to_owned()));
        self.put(kind, 0, [NONE, a, NONE, NONE]);
    }
    fn jump(&mut self, name: &str) {
        self.to(Kind::Jump, NONE, name);
    }
    fn if_zero(&mut self, a: R, name: &str) {
        self.to(Kind::BranchZero, a, name);
    }
    fn if_not(&mut self, a: R, name: &str) {
        self.to(Kind::BranchNot, a, name);
    }
    fn name(&mut self) -> String {
        self.fresh += 1;
        format!("#{}", self.fresh)
    }
    fn hold(&mut self, entry: R) {
        self.wait(wait::COUNT);
        self.act(act::HOLD, entry);
    }
    fn drop(&mut self, entry: R) {
        self.wait(wait::COUNT);
        self.act(act::DROP, entry);
    }
    fn finish(mut self) -> Vec<u64> {
        let mut edges: Vec<usize> = self.labels.values().copied().collect();
        edges.extend((0..self.words.len()).filter(|&at| stays(self.words[at])).flat_map(|at| [at, at + 1]));
        edges.push(self.words.len());
        edges.sort_unstable();
        edges.dedup();
        for pair in edges.windows(2) {
            let ordered = schedule(&self.words[pair[0]..pair[1]]);
            self.words[pair[0]..pair[1]].copy_from_slice(&ordered);
        }
        for (at, name) in &self.jumps {
            self.words[*at] |= self.labels[name] as u64;
        }
        self.words
    }
}

/// Cycles from an instruction to the first that may read its result.
const LATENCY: usize = 7;

fn kind(word: u64) -> u64 {
    word >> 60
}

/// Nothing moves across this instruction: it waits, branches, makes something happen, writes what
/// others read in another way, or names a register by an index.
fn stays(word: u64) -> bool {
    const FREE: [Kind; 7] =
        [Kind::Lane, Kind::Literal, Kind::LoadVertex, Kind::LoadState, Kind::Get, Kind::Cell, Kind::Put];
    let indexed = word >> 32 & 15 != 0 || kind(word) != Kind::Literal as u64 && word >> 12 & 15 != 0;
    indexed || !FREE.iter().any(|&k| k as u64 == kind(word))
}

/// Register that an instruction writes.
fn written(word: u64) -> Option<u64> {
    (kind(word) != Kind::Put as u64).then_some(word >> 44 & 255)
}

/// Registers that it reads; register 0 never changes.
fn read(word: u64) -> [u64; 3] {
    if kind(word) == Kind::Literal as u64 || kind(word) == Kind::LoadState as u64 {
        return [0; 3];
    }
    [word >> 36 & 255, word >> 24 & 255, word >> 16 & 255]
}

/// Cycles that must be between two instructions of which the second stands behind the first;
/// nothing if they may change places.
fn distance(first: u64, second: u64) -> Option<usize> {
    let reads = |word: u64, register: u64| register != 0 && read(word).contains(&register);
    match (written(first), written(second)) {
        (Some(d), _) if reads(second, d) => Some(LATENCY),
        (_, Some(d)) if reads(first, d) => Some(1),
        (a, b) if a.is_some() && a == b => Some(1),
        (None, None) => Some(1),
        _ => None,
    }
}

/// A straight piece in an order in which less is waited for: the one with the longest way behind it
/// goes first, of those whose operands are there.
fn schedule(words: &[u64]) -> Vec<u64> {
    let count = words.len();
    let mut behind = vec![0; count];
    for i in (0..count).rev() {
        for j in i + 1..count {
            if let Some(d) = distance(words[i], words[j]) {
                behind[i] = behind[i].max(d + behind[j]);
            }
        }
    }
    let mut ready: Vec<Option<usize>> = vec![Some(0); count];
    let mut waits: Vec<usize> =
        (0..count).map(|j| (0..j).filter(|&i| distance(words[i], words[j]).is_some()).count()).collect();
    let mut ordered = Vec::with_capacity(count);
    let mut now = 0;
    while ordered.len() < count {
        let open = |i: &usize| waits[*i] == 0 && ready[*i].is_some();
        let at = |i: usize| ready[i].unwrap_or_default().max(now);
        let Some(next) = (0..count).filter(open).min_by_key(|&i| (at(i), usize::MAX - behind[i], i)) else { break };
        now = at(next) + 1;
        let issued = now - 1;
        ready[next] = None;
        ordered.push(words[next]);
        for j in next + 1..count {
            if let Some(d) = distance(words[next], words[j]) {
                waits[j] -= 1;
                ready[j] = ready[j].map(|r| r.max(issued + d));
            }
        }
    }
    ordered
}

/// Registers that keep their meaning throughout.
struct Constants {
    zero: R,
    one: R,
    two: R,
    three: R,
    four: R,
    eight: R,
    fone: R,
    f256: R,
    least_w: R,
    /// 0 to 3: words of a position.
    word: [R; 4],
    /// For events.
    event: [R; 2],
}

/// The corners of a piece.
struct Piece {
    entries: [R; 3],
    first: R,
    clipped: R,
    last: R,
    /// Zero: it is the whole triangle; else a fan goes on.
    fan: R,
}

/// The program's words.
pub fn words() -> Vec<u64> {
    let mut p = Program { words: vec![], registers: 0, labels: HashMap::new(), jumps: vec![], fresh: 0 };
    let zero = p.r();
    let c = Constants {
        zero,
        one: p.r(),
        two: p.r(),
        three: p.r(),
        four: p.r(),
        eight: p.r(),
        fone: p.r(),
        f256: p.r(),
        least_w: p.r(),
        word: [NONE; 4],
        event: [p.r(), p.r()],
    };
    let c = Constants { word: [c.zero, c.one, c.two, c.three], ..c };
    for (r, value) in [(c.zero, 0), (c.one, 1), (c.two, 2), (c.three, 3), (c.four, 4), (c.eight, 8)] {
        p.literal(r, value);
    }
    p.literal(c.fone, 0x3F80_0000);
    p.literal(c.f256, 256f32.to_bits());
    p.literal(c.least_w, 0x3580_0000);
    let held = p.row(3);
    let (count, parity) = (p.r(), p.r());
    let corners = [p.r(), p.r(), p.r()];
    let piece = Piece { entries: [p.r(), p.r(), p.r()], first: p.r(), clipped: p.r(), last: p.r(), fan: p.r() };
    p.literal(count, 0);
    p.literal(parity, 0);
    assembly(&mut p, &c, held, count, parity, corners);
    // What the culls know is of no use later, and the clipper makes vertices before pieces are set
    // up.
    let shared = p.registers;
    whole(&mut p, &c, corners, &piece);
    p.registers = shared;
    set_up(&mut p, &c, &piece);
    clip(&mut p, &c, corners, &piece, shared);
    p.finish()
}

/// Corners come, triangles begin.
fn assembly(p: &mut Program, c: &Constants, held: R, count: R, parity: R, corners: [R; 3]) {
    let (flags, entry, t, strip) = (p.r(), p.r(), p.r(), p.r());
    p.label("next");
    p.wait(wait::CORNER);
    p.get(get::CORNER_FLAGS, flags, NONE);
    p.get(get::CORNER, entry, NONE);
    p.if_zero(flags, "take");
    // Restart or end: what is held goes.
    for k in 0..2u8 {
        let name = p.name();
        let limit = if k == 0 { c.zero } else { c.one };
        p.lane(op::USETLE, t, count, limit);
        p.if_not(t, &name);
        // Its warp may still run: the entry must not go to another vertex.
        let waits = p.name();
        p.label(&waits);
        p.get(get::SHADED, t, held.at(k));
        p.if_zero(t, &waits);
        p.drop(held.at(k));
        p.label(&name);
    }
    p.literal(count, 0);
    p.literal(parity, 0);
    p.lane(op::AND, t, flags, c.two);
    p.if_zero(t, "take");
    p.act(act::END, NONE);
    p.jump("next");
    p.label("take");
    p.hold(entry);
    p.act(act::TAKE, NONE);
    p.index(0, count);
    p.copy(held.i(), entry);
    p.lane(op::IADD, count, count, c.one);
    p.lane(op::USETLT, t, count, c.three);
    p.if_not(t, "next");
    // A triangle.
    p.copy(corners[0], held);
    p.copy(corners[1], held.at(1));
    p.copy(corners[2], held.at(2));
    p.if_zero(parity, "triangle");
    p.copy(corners[0], held.at(1));
    p.copy(corners[1], held);
    p.jump("triangle");
    // It is done with.
    p.label("done");
    p.act(act::ORDER, NONE);
    p.state(strip, 6);
    p.lane(op::AND, strip, strip, c.one);
    p.drop(held);
    p.if_not(strip, "strip");
    p.drop(held.at(1));
    p.drop(held.at(2));
    p.literal(count, 0);
    p.jump("next");
    p.label("strip");
    p.copy(held, held.at(1));
    p.copy(held.at(1), held.at(2));
    p.literal(count, 2);
    p.lane(op::XOR, parity, parity, c.one);
    p.jump("next");
}

/// An event: its code, with the flags of a triangle that was clipped and of its last piece.
fn event(p: &mut Program, c: &Constants, what: u32, clipped: R, last: R) {
    let [t, code] = c.event;
    p.literal(t, what);
    p.lane3(op::IMAD, code, last, c.two, clipped);
    p.lane3(op::IMAD, t, code, c.eight, t);
    p.act(act::EVENT, t);
}

/// Culls of the whole triangle, and whether it must be clipped.
fn whole(p: &mut Program, c: &Constants, corners: [R; 3], piece: &Piece) {
    let position = p.row(12);
    let (gx, gy) = (p.r(), p.r());
    let codes = [p.r(), p.r(), p.r()];
    let (t, u, v) = (p.r(), p.r(), p.r());
    let scale = p.r();
    p.label("triangle");
    p.literal(scale, 32);
    p.literal(piece.clipped, 0);
    p.literal(piece.last, 1);
    p.literal(piece.fan, 0);
    p.copy(piece.first, corners[0]);
    p.state(gx, 14);
    p.state(gy, 15);
    for (k, corner) in corners.into_iter().enumerate() {
        let name = format!("shaded{k}");
        p.label(&name);
        p.get(get::SHADED, t, corner);
        p.if_zero(t, &name);
    }
    for (k, &corner) in corners.iter().enumerate() {
        for n in 0..4 {
            p.load(position.at((4 * k + n) as u8), corner, c.word[n]);
        }
    }
    let at = |k: usize, n: usize| position.at((4 * k + n) as u8);
    let parts: Vec<[R; 6]> = (0..3).map(|_| [0; 6].map(|_: u8| p.r())).collect();
    let guards: Vec<[R; 2]> = (0..3).map(|_| [p.r(), p.r()]).collect();
    for k in 0..3 {
        p.lane(op::FMUL, guards[k][0], gx, at(k, 3));
        p.lane(op::FMUL, guards[k][1], gy, at(k, 3));
        for n in 0..3 {
            p.cell(cell::OUTCODE, parts[k][n], at(k, n), at(k, 3));
        }
        p.cell(cell::OUTCODE, parts[k][3], c.least_w, at(k, 3));
    }
    for k in 0..3 {
        p.cell(cell::OUTCODE, parts[k][4], at(k, 0), guards[k][0]);
        p.cell(cell::OUTCODE, parts[k][5], at(k, 1), guards[k][1]);
    }
    // x in 4:0, y in 9:5, z in 14:10. Outside of the volume: bits 0, 1, 5, 6, 14, 11.
    for k in 0..3 {
        p.lane3(op::IMAD, codes[k], parts[k][2], scale, parts[k][1]);
    }
    for k in 0..3 {
        p.lane3(op::IMAD, codes[k], codes[k], scale, parts[k][0]);
    }
    p.lane(op::OR, t, codes[0], codes[1]);
    p.lane(op::OR, t, t, codes[2]);
    let bad = p.r();
    p.literal(bad, 0b01100_01100_01100);
    p.lane(op::AND, u, t, bad);
    p.if_not(u, "nan");
    let volume = p.r();
    p.literal(volume, 0b10010_00011_00011);
    p.lane(op::AND, u, codes[0], codes[1]);
    p.lane(op::AND, u, u, codes[2]);
    p.lane(op::AND, u, u, volume);
    p.if_not(u, "frustum");
    // Near, far: bits 14 and 11 of codes.
    let depth = p.r();
    p.literal(depth, 0b10010_00000_00000);
    p.lane(op::AND, u, t, depth);
    // w below its least, and the guard band, of each corner in one word.
    let (least, cut) = (p.r(), p.r());
    p.literal(least, 1024);
    p.literal(cut, 0b00010_00011_00011);
    for k in 0..3 {
        p.lane3(op::IMAD, parts[k][4], parts[k][5], scale, parts[k][4]);
    }
    for k in 0..3 {
        p.lane3(op::IMAD, parts[k][4], parts[k][3], least, parts[k][4]);
    }
    p.lane(op::OR, v, parts[0][4], parts[1][4]);
    p.lane(op::OR, v, v, parts[2][4]);
    p.lane(op::AND, v, v, cut);
    p.lane(op::OR, u, u, v);
    p.if_not(u, "clip");
    for (entry, corner) in piece.entries.into_iter().zip(corners) {
        p.copy(entry, corner);
    }
    p.jump("piece");
    p.label("nan");
    event(p, c, 1, c.zero, c.one);
    p.jump("done");
    p.label("frustum");
    event(p, c, 2, c.zero, c.one);
    p.jump("done");
}

/// Viewport and set-up of one piece.
fn set_up(p: &mut Program, c: &Constants, piece: &Piece) {
    let position = p.row(12);
    let at = |k: usize, n: usize| position.at((4 * k + n) as u8);
    let view = p.row(6);
    let r = [p.r(), p.r(), p.r()];
    let place: Vec<[R; 3]> = (0..3).map(|_| [p.r(), p.r(), p.r()]).collect();
    p.label("piece");
    for k in 0..3 {
        p.load(at(k, 3), piece.entries[k], c.three);
    }
    for k in 0..3 {
        for n in 0..3 {
            p.load(at(k, n), piece.entries[k], c.word[n]);
        }
    }
    for k in 0..3 {
        p.keep2(put::DIVIDE + k as u8, c.fone, at(k, 3));
    }
    p.act(act::DIVIDE, NONE);
    for n in 0..6 {
        p.state(view.at(n), 8 + n);
    }
    // What of the state is needed later.
    let (modes, low, high, bias, slope, clamp) = (p.r(), p.r(), p.r(), p.r(), p.r(), p.r());
    let limits = [p.r(), p.r(), p.r(), p.r()];
    let (sixteen, mask16) = (p.r(), p.r());
    let (width, height) = (p.r(), p.r());
    p.literal(sixteen, 16);
    p.literal(mask16, 0xFFFF);
    p.state(modes, 6);
    p.state(low, 16);
    p.state(high, 17);
    p.state(bias, 18);
    p.state(slope, 19);
    p.state(clamp, 20);
    p.get(get::WIDTH, width, NONE);
    p.get(get::HEIGHT, height, NONE);
    p.lane(op::AND, limits[0], low, mask16);
    p.lane(op::SHR, limits[1], low, sixteen);
    p.lane(op::AND, limits[2], high, mask16);
    p.lane(op::SHR, limits[3], high, sixteen);
    p.lane(op::SMIN, limits[2], limits[2], width);
    p.lane(op::SMIN, limits[3], limits[3], height);
    p.wait(wait::QUOTIENT);
    for k in 0..3 {
        p.get(get::QUOTIENT + k as u8, r[k], NONE);
    }
    for n in 0..3 {
        for k in 0..3 {
            p.lane(op::FMUL, place[k][n], at(k, n), r[k]);
        }
    }
    for n in 0..3u8 {
        let (factor, offset) = if n == 2 { (5, 4) } else { (2 + n, n) };
        for place in &place {
            let v = place[n as usize];
            p.lane3(op::FFMA, v, v, view.at(factor), view.at(offset));
        }
    }
    for n in 0..2 {
        for k in 0..3 {
            p.lane(op::FMUL, place[k][n], place[k][n], c.f256);
        }
    }
    for k in 0..3 {
        p.lane(op::FMAX, place[k][2], place[k][2], c.zero);
    }
    for n in 0..2 {
        for k in 0..3 {
            p.lane(op::FRNE, place[k][n], place[k][n], NONE);
        }
    }
    for k in 0..3 {
        p.lane(op::FMIN, place[k][2], place[k][2], c.fone);
    }
    for n in 0..2 {
        for k in 0..3 {
            p.lane(op::F2I, place[k][n], place[k][n], NONE);
        }
    }
    for k in 0..3 {
        p.cell(cell::DEPTH, place[k][2], place[k][2], NONE);
    }
    for n in 0..3 {
        for k in 0..3 {
            p.keep(put::CORNER + (3 * n + k) as u8, place[k][n]);
        }
    }
    p.act(act::SETUP, NONE);
    // The box, meanwhile.
    let bounds = [p.r(), p.r(), p.r(), p.r()];
    let empty = p.r();
    let t = p.r();
    for n in 0..2 {
        p.lane(op::SMIN, bounds[n], place[0][n], place[1][n]);
        p.lane(op::SMAX, bounds[2 + n], place[0][n], place[1][n]);
    }
    for n in 0..2 {
        p.lane(op::SMIN, bounds[n], bounds[n], place[2][n]);
        p.lane(op::SMAX, bounds[2 + n], bounds[2 + n], place[2][n]);
    }
    for bound in bounds {
        p.lane(op::SAR, bound, bound, c.eight);
    }
    for n in 2..4 {
        p.lane(op::ISUB, limits[n], limits[n], c.one);
    }
    for n in 0..2 {
        p.lane(op::SMAX, bounds[n], bounds[n], limits[n]);
        p.lane(op::SMIN, bounds[2 + n], bounds[2 + n], limits[2 + n]);
    }
    p.lane(op::SSETLT, empty, bounds[2], bounds[0]);
    p.lane(op::SSETLT, t, bounds[3], bounds[1]);
    p.lane(op::OR, empty, empty, t);
    // Area and face.
    p.wait(wait::KNOWN);
    let (setup, swapped, culled, back) = (p.r(), p.r(), p.r(), p.r());
    p.get(get::SETUP, setup, NONE);
    p.lane(op::AND, t, setup, c.two);
    p.if_not(t, "no area");
    p.lane(op::AND, swapped, setup, c.one);
    // Bit 2 culls clockwise, bit 3 counter-clockwise, bit 4 says that clockwise is the front.
    p.lane(op::IADD, t, swapped, c.two);
    p.lane(op::SHR, culled, modes, t);
    p.lane(op::AND, culled, culled, c.one);
    p.lane(op::SHR, back, modes, c.four);
    p.if_not(culled, "face");
    // Front: clockwise is what the state says it is. swapped = 1 is counter-clockwise.
    p.lane(op::XOR, back, back, swapped);
    p.lane(op::AND, back, back, c.one);
    p.lane(op::XOR, back, back, c.one);
    p.if_not(empty, "empty");
    p.wait(wait::DONE);
    // 1 / S.
    let (area_low, area_high, area, inverse) = (p.r(), p.r(), p.r(), p.r());
    p.get(get::AREA_LOW, area_low, NONE);
    p.get(get::AREA_HIGH, area_high, NONE);
    p.cell(cell::FLOAT, area, area_low, area_high);
    p.keep2(put::DIVIDE + 3, c.fone, area);
    p.act(act::DIVIDE, NONE);
    bias_of_depth(p, c, [bias, slope, clamp], [place[0][2], place[1][2], place[2][2]]);
    p.wait(wait::TAKEN);
    p.keep(put::PLANE_Z, place[0][2]);
    p.act(act::PLANE, NONE);
    let (least, most, half, six) = (p.r(), p.r(), p.r(), p.r());
    p.literal(half, 32);
    p.literal(six, 6);
    p.lane(op::SMIN, least, place[0][2], place[1][2]);
    p.lane(op::SMAX, most, place[0][2], place[1][2]);
    p.lane(op::SMIN, least, least, place[2][2]);
    p.lane(op::SMAX, most, most, place[2][2]);
    for v in [least, most] {
        p.lane(op::IADD, v, v, half);
        p.lane(op::SHR, v, v, six);
    }
    for (n, &bound) in bounds.iter().enumerate() {
        p.keep(put::BOX + n as u8, bound);
    }
    p.keep(put::LOW, least);
    p.keep(put::HIGH, most);
    p.keep(put::BACK, back);
    // The record.
    let (handle, packed, n64) = (p.r(), p.r(), p.r());
    let entry = [p.r(), p.r()];
    let reciprocal = [p.r(), p.r()];
    p.lane3(op::SEL, entry[0], piece.entries[2], piece.entries[1], swapped);
    p.lane3(op::SEL, entry[1], piece.entries[1], piece.entries[2], swapped);
    p.lane3(op::SEL, reciprocal[0], r[2], r[1], swapped);
    p.lane3(op::SEL, reciprocal[1], r[1], r[2], swapped);
    p.literal(n64, 64);
    p.get(get::CONTEXT, packed, NONE);
    for part in [piece.first, entry[1], entry[0], piece.entries[0]] {
        p.lane3(op::IMAD, packed, packed, n64, part);
    }
    p.wait(wait::HANDLE);
    p.get(get::HANDLE, handle, NONE);
    p.act(act::HANDLE, NONE);
    for k in 0..3 {
        p.record(k, handle, NONE);
    }
    p.record(3, handle, packed);
    p.record(4, handle, r[0]);
    p.record(5, handle, reciprocal[0]);
    p.record(6, handle, reciprocal[1]);
    for entry in [piece.entries[0], piece.entries[1], piece.entries[2], piece.first] {
        p.hold(entry);
    }
    p.wait(wait::QUOTIENT);
    p.get(get::QUOTIENT + 3, inverse, NONE);
    p.record(7, handle, inverse);
    p.wait(wait::PLANE);
    p.act(act::EMIT, handle);
    event(p, c, 0, piece.clipped, piece.last);
    p.label("piece done");
    p.if_zero(piece.fan, "done");
    p.jump("fan");
    for (name, what) in [("no area", 3), ("face", 4), ("empty", 5)] {
        p.label(name);
        event(p, c, what, piece.clipped, piece.last);
        // The dividers may still be busy with it.
        p.wait(wait::DONE);
        p.jump("piece done");
    }
}

/// Depth bias: added to the depths, which are then held in their range.
fn bias_of_depth(p: &mut Program, c: &Constants, [bias, slope, clamp]: [R; 3], depths: [R; 3]) {
    let (t, m, b, other) = (p.r(), p.r(), p.r(), p.r());
    p.lane(op::OR, t, bias, slope);
    p.if_zero(t, "no bias");
    let (low, high, scale, most, least, n64, top) = (p.r(), p.r(), p.r(), p.r(), p.r(), p.r(), p.r());
    p.get(get::STEEP_LOW, low, NONE);
    p.get(get::STEEP_HIGH, high, NONE);
    p.literal(scale, (1.0f32 / 65536.0).to_bits());
    // 64 times it stays below 2^31, and beyond the greatest depth.
    p.literal(most, 33_000_000f32.to_bits());
    p.literal(least, (-33_000_000f32).to_bits());
    p.literal(n64, 64f32.to_bits());
    p.literal(top, 64 * 0xFF_FFFF);
    p.cell(cell::FLOAT, m, low, high);
    p.lane(op::FMUL, m, m, scale);
    p.lane3(op::FFMA, b, m, slope, bias);
    // A positive limit: the limit if it is below b. A negative one: if b is below it.
    p.lane(op::FSETLT, t, clamp, b);
    p.lane(op::FSETLT, other, c.zero, clamp);
    p.lane(op::AND, t, t, other);
    p.lane3(op::SEL, b, clamp, b, t);
    p.lane(op::FSETLT, t, b, clamp);
    p.lane(op::FSETLT, other, clamp, c.zero);
    p.lane(op::AND, t, t, other);
    p.lane3(op::SEL, b, clamp, b, t);
    p.lane(op::FSETEQ, t, b, b);
    p.lane3(op::SEL, b, b, c.zero, t);
    p.lane(op::FMAX, b, b, least);
    p.lane(op::FMIN, b, b, most);
    p.lane(op::FMUL, b, b, n64);
    p.lane(op::FRNE, b, b, NONE);
    p.lane(op::F2I, b, b, NONE);
    for depth in depths {
        // Below 0 before the top is reached: sums of 32 bits with sign do not wrap here.
        p.lane(op::SMIN, other, b, top);
        p.lane(op::IADD, depth, depth, other);
        p.lane(op::SMAX, depth, depth, c.zero);
        p.lane(op::SMIN, depth, depth, top);
    }
    p.label("no bias");
}

/// The clipper: seven planes, one after the other, then a fan.
fn clip(p: &mut Program, c: &Constants, corners: [R; 3], piece: &Piece, shared: u8) {
    let polygon = p.row(12);
    let kept = p.row(12);
    let distance = p.row(12);
    let outside = p.row(12);
    let made = p.row(16);
    let (n, m, made_count, plane, k, next, t, u) = (p.r(), p.r(), p.r(), p.r(), p.r(), p.r(), p.r(), p.r());
    let (gx, gy) = (p.r(), p.r());
    let v = [p.r(), p.r(), p.r(), p.r()];
    let seven = p.r();
    p.label("clip");
    p.state(gx, 14);
    p.state(gy, 15);
    p.literal(seven, 7);
    p.literal(made_count, 0);
    p.literal(plane, 0);
    p.literal(n, 3);
    p.literal(piece.clipped, 1);
    p.literal(piece.last, 0);
    p.literal(piece.fan, 1);
    for (slot, &corner) in corners.iter().enumerate() {
        p.copy(polygon.at(slot as u8), corner);
    }
    p.label("plane");
    p.literal(k, 0);
    // Distances of all vertices.
    p.label("distances");
    p.index(0, k);
    for (word, &v) in v.iter().enumerate() {
        p.load(v, polygon.i(), c.word[word]);
    }
    let d: Vec<R> = (0..7).map(|_| p.r()).collect();
    let (guard_x, guard_y) = (p.r(), p.r());
    p.lane(op::FMUL, guard_x, gx, v[3]);
    p.lane(op::FMUL, guard_y, gy, v[3]);
    p.lane(op::FSUB, d[0], v[3], c.least_w);
    p.copy(d[1], v[2]);
    p.lane(op::FSUB, d[2], v[3], v[2]);
    p.lane(op::FSUB, d[3], guard_x, v[0]);
    p.lane(op::FADD, d[4], guard_x, v[0]);
    p.lane(op::FSUB, d[5], guard_y, v[1]);
    p.lane(op::FADD, d[6], guard_y, v[1]);
    let number = p.r();
    for (at, &one) in d.iter().enumerate().skip(1) {
        p.literal(number, at as u32);
        p.lane(op::ISETEQ, t, plane, number);
        p.lane3(op::SEL, d[0], one, d[0], t);
    }
    p.copy(distance.i(), d[0]);
    p.lane(op::FSETLT, outside.i(), d[0], c.zero);
    p.lane(op::IADD, k, k, c.one);
    p.lane(op::USETLT, t, k, n);
    p.if_not(t, "distances");
    // Edges.
    p.literal(k, 0);
    p.literal(m, 0);
    p.if_zero(n, "kept all");
    p.label("edges");
    p.lane(op::IADD, next, k, c.one);
    p.lane(op::ISETEQ, t, next, n);
    p.lane3(op::SEL, next, c.zero, next, t);
    p.index(0, k);
    p.index(1, m);
    p.if_not(outside.i(), "not kept");
    p.copy(kept.j(), polygon.i());
    p.lane(op::IADD, m, m, c.one);
    p.label("not kept");
    p.index(1, next);
    p.lane(op::XOR, t, outside.i(), outside.j());
    p.if_zero(t, "no crossing");
    let own = std::mem::replace(&mut p.registers, shared);
    crossing(p, c, (polygon, distance), (kept, m), (made, made_count));
    p.registers = own;
    p.label("no crossing");
    p.lane(op::IADD, k, k, c.one);
    p.lane(op::USETLT, t, k, n);
    p.if_not(t, "edges");
    p.label("kept all");
    p.copy(n, m);
    for slot in 0..12 {
        p.copy(polygon.at(slot), kept.at(slot));
    }
    p.lane(op::IADD, plane, plane, c.one);
    p.lane(op::USETLT, t, plane, seven);
    p.if_not(t, "plane");
    // The fan: from the first vertex, by pairs.
    p.lane(op::USETLT, t, n, c.three);
    p.if_not(t, "nothing");
    p.literal(k, 1);
    p.label("fan next");
    p.lane(op::IADD, next, k, c.one);
    p.index(0, k);
    p.index(1, next);
    p.copy(piece.entries[0], polygon);
    p.copy(piece.entries[1], polygon.i());
    p.copy(piece.entries[2], polygon.j());
    p.lane(op::IADD, u, next, c.one);
    p.lane(op::ISETEQ, piece.last, u, n);
    p.jump("piece");
    p.label("fan");
    p.lane(op::IADD, k, k, c.one);
    p.lane(op::IADD, next, k, c.one);
    p.lane(op::USETLT, t, next, n);
    p.if_not(t, "fan next");
    p.jump("clipped");
    p.label("nothing");
    event(p, c, 6, c.one, c.one);
    // What was made is held by records only.
    p.label("clipped");
    p.literal(k, 0);
    p.label("drop made");
    p.lane(op::USETLT, t, k, made_count);
    p.if_zero(t, "done");
    p.index(0, k);
    p.drop(made.i());
    p.lane(op::IADD, k, k, c.one);
    p.jump("drop made");
}

/// The vertex where the edge between the vertices of both index registers crosses the plane.
fn crossing(
    p: &mut Program,
    c: &Constants,
    (polygon, distance): (R, R),
    (kept, m): (R, R),
    (made, made_count): (R, R),
) {
    let (a, b, d1, d2, t, along, entry) = (p.r(), p.r(), p.r(), p.r(), p.r(), p.r(), p.r());
    let (x, y, less, same, u) = (p.r(), p.r(), p.r(), p.r(), p.r());
    p.copy(a, polygon.i());
    p.copy(b, polygon.j());
    // a is the first if its position is not after that of b: the last word decides first.
    p.literal(less, 1);
    for word in (0..4).rev() {
        p.load(x, a, c.word[word]);
        p.load(y, b, c.word[word]);
        p.lane(op::ISETEQ, same, x, y);
        p.lane(op::USETLT, u, x, y);
        p.lane3(op::SEL, less, less, u, same);
    }
    let (v1, v2) = (p.r(), p.r());
    p.lane3(op::SEL, v1, a, b, less);
    p.lane3(op::SEL, v2, b, a, less);
    p.lane3(op::SEL, d1, distance.i(), distance.j(), less);
    p.lane3(op::SEL, d2, distance.j(), distance.i(), less);
    p.lane(op::FSUB, d2, d1, d2);
    divide(p, t, d1, d2);
    p.wait(wait::SPARE);
    p.get(get::SPARE, entry, NONE);
    p.act(act::SPARE, NONE);
    let (saved, word) = (p.r(), p.r());
    // The index registers are used for the lists, and put back.
    p.index(1, m);
    p.copy(kept.j(), entry);
    p.index(1, made_count);
    p.copy(made.j(), entry);
    p.lane(op::IADD, m, m, c.one);
    p.lane(op::IADD, made_count, made_count, c.one);
    let (mixed, difference, new_w, w2) = (p.r(), p.r(), p.r(), p.r());
    let mix = |p: &mut Program, word: R, factor: R| {
        p.load(x, v1, word);
        p.load(y, v2, word);
        p.lane(op::ISETEQ, same, x, y);
        p.lane(op::FSUB, difference, y, x);
        p.lane3(op::FFMA, mixed, factor, difference, x);
        p.lane3(op::SEL, mixed, x, mixed, same);
        p.store(entry, word, mixed);
    };
    for n in 0..4 {
        mix(p, c.word[n], t);
    }
    p.copy(new_w, mixed);
    p.copy(w2, y);
    p.lane(op::FMUL, along, t, w2);
    divide(p, along, along, new_w);
    let (varyings, mask, linear_low, linear_high, limit, thirty_two, bit, factor) =
        (p.r(), p.r(), p.r(), p.r(), p.r(), p.r(), p.r(), p.r());
    p.literal(mask, 63);
    p.literal(thirty_two, 32);
    p.state(varyings, 7);
    p.state(linear_low, 35);
    p.state(linear_high, 36);
    p.lane(op::AND, varyings, varyings, mask);
    p.lane(op::IADD, limit, varyings, c.four);
    p.literal(word, 4);
    p.label("varying");
    p.lane(op::USETLT, u, word, limit);
    p.if_zero(u, "varyings done");
    p.lane(op::ISUB, bit, word, c.four);
    p.lane(op::USETLT, u, bit, thirty_two);
    p.lane3(op::SEL, saved, linear_low, linear_high, u);
    p.lane(op::SHR, saved, saved, bit);
    p.lane(op::AND, saved, saved, c.one);
    p.lane3(op::SEL, factor, along, t, saved);
    mix(p, word, factor);
    p.lane(op::IADD, word, word, c.one);
    p.jump("varying");
    p.label("varyings done");
}

/// A quotient, waited for.
fn divide(p: &mut Program, d: R, a: R, b: R) {
    p.keep2(put::DIVIDE, a, b);
    p.act(act::DIVIDE, NONE);
    p.wait(wait::QUOTIENT);
    p.get(get::QUOTIENT, d, NONE);
}
