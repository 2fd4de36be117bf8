//! Vertex and fragment warps in a core: assembled programs, a memory, a store of triangles, and
//! what is said to vertices and fragments, against what docs/graphics.md ("Programs") says. Every
//! case runs with quick ports and with slow ones.

use std::collections::{BTreeMap, HashMap, VecDeque};

use quadlock_hdl::base::testing::Bench;
use quadlock_hdl::config::{GpuConfig, WideResult};
use quadlock_hdl::core::Core;
use quadlock_hdl::fault::Fault;
use quadlock_isa::assemble;
use quadlock_testkit::tier;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rust_hdl::prelude::*;

use crate::memory_model::{Memory, Timing};

const CODE: u32 = 0x4000;
const UNITS: usize = 2;
const WARPS: usize = 4;
/// Opcode of DEMOTE.
const DEMOTE: u32 = 0x0A;

/// A warp to be launched; kind 0 compute, 1 vertex, 2 fragment.
#[derive(Clone, Copy, Debug)]
struct Launch {
    unit: usize,
    warp: usize,
    mask: u64,
    kind: u64,
    context: u64,
    covered: u64,
    place: [u32; 4],
    depth: [u32; 4],
    handle: [u32; 4],
}

impl Launch {
    fn fragments(unit: usize, warp: usize, covered: u64) -> Self {
        let ticket = ((unit * WARPS + warp) as u32) << 26;
        Self {
            unit,
            warp,
            mask: 15,
            kind: 2,
            context: 0,
            covered,
            place: [0x0100_A014, 0x0500_A015, 0x4400_B014, 0x4900_B015],
            depth: std::array::from_fn(|lane| ticket | (lane as u32) << 24 | (0x0012_3450 + lane as u32)),
            handle: [9, 9, 9, 9],
        }
    }
}

struct Machine {
    bench: Bench<Core>,
    memory: Memory,
    rng: ChaCha8Rng,
    stall: u32,
    launches: VecDeque<Launch>,
    fetches: VecDeque<(u64, usize, u32)>,
    /// Words of fragments by ticket, sample and number; of vertices by entry and number.
    results: BTreeMap<(u32, u32, u32), u32>,
    vertices: BTreeMap<(u32, u32), u32>,
    answers: VecDeque<(u64, u64, u64, u64, u32)>,
    /// Instructions in flight by unit and slot.
    in_flight: HashMap<(usize, usize), i32>,
    problems: Vec<String>,
}

/// What the store of triangles knows: edges and words are functions of handle and number.
fn edge(handle: u64, corner: u64) -> (u64, u64, u64) {
    (handle * 3 + corner + 1, 100 + corner, 5000 * handle)
}

fn word(handle: u32, corner: u32, number: u32) -> u32 {
    match number {
        63 => 0x3F80_0000 + 16 * corner + handle,
        7 => 0x4000_0000 + handle,
        _ => 1000 * handle + 10 * number + corner,
    }
}

impl Machine {
    fn new(fault: Option<Fault>, slow: bool, program: &str) -> Self {
        Self::with(fault, slow, program, WideResult::PerLane)
    }

    fn with(fault: Option<Fault>, slow: bool, program: &str, warp_wide_result: WideResult) -> Self {
        let config = GpuConfig { fault, warp_wide_result, ..GpuConfig::default() };
        Self::configured(config, slow, program)
    }

    fn configured(config: GpuConfig, slow: bool, program: &str) -> Self {
        let config = GpuConfig { units: UNITS, warps: WARPS, graphics: true, ..config };
        let mut bench = Bench::new(Core::new(&config), |c| &mut c.clock);
        let timing = if slow { Timing::rough(5) } else { Timing::FAST };
        let mut memory = Memory::new(0x10000, timing);
        let code = assemble("test.s", program).unwrap_or_else(|e| panic!("{e}")).code;
        for (i, w) in code.iter().enumerate() {
            memory.set_word(CODE + 8 * i as u32, *w as u32);
            memory.set_word(CODE + 8 * i as u32 + 4, (*w >> 32) as u32);
        }
        bench.code.base.next = u64::from(CODE).into();
        bench.code.length.next = bits(code.len() as u64);
        bench.first_unit.next = bits(4);
        bench.number[0].next = bits(2);
        bench.start.next = true;
        let mut machine = Self {
            bench,
            memory,
            rng: ChaCha8Rng::seed_from_u64(11),
            stall: if slow { 40 } else { 0 },
            launches: VecDeque::new(),
            fetches: VecDeque::new(),
            results: BTreeMap::new(),
            vertices: BTreeMap::new(),
            answers: VecDeque::new(),
            in_flight: HashMap::new(),
            problems: vec![],
        };
        machine.cycle();
        machine.bench.start.next = false;
        machine
    }

    fn window(&mut self, address: u64, value: u32) {
        self.bench.window_write[0].valid.next = true;
        self.bench.window_write[0].addr.next = bits(address);
        self.bench.window_write[0].data.next = u64::from(value).into();
        self.cycle();
        self.bench.window_write[0].valid.next = false;
    }

    fn ready(&mut self) -> bool {
        self.rng.random_range(0..100) >= self.stall
    }

    fn covered(&self, unit: usize, warp: usize) -> u64 {
        self.bench.covered[unit].val().to_u64() >> (4 * warp) & 15
    }

    fn drive_launch(&mut self) {
        for unit in 0..UNITS {
            self.bench.launch_valid[unit].next = false;
        }
        let free = |m: &Self, l: &Launch| m.bench.slot_free[l.unit].val().get_bit(l.warp);
        let Some(l) = self.launches.front().copied().filter(|l| free(self, l)) else { return };
        self.launches.pop_front();
        let core = &mut *self.bench;
        core.launch_valid[l.unit].next = true;
        core.launch.warp.next = bits(l.warp as u64);
        core.launch.mask.next = bits(l.mask);
        core.launch.first.next = bits(l.warp as u64);
        core.launch.warps.next = bits(1);
        core.launch.group_x.next = bits(77);
        let tags = &mut core.tags[0];
        tags.kind.next = bits(l.kind);
        tags.context.next = bits(l.context);
        tags.covered.next = bits(l.covered);
        for lane in 0..4 {
            core.launch.index[lane].next = bits(lane as u64);
            let tags = &mut core.tags[0];
            tags.place[lane].next = u64::from(l.place[lane]).into();
            tags.depth[lane].next = u64::from(l.depth[lane]).into();
            tags.handle[lane].next = u64::from(l.handle[lane]).into();
        }
    }

    fn drive(&mut self) {
        let now = self.bench.cycles;
        let ready: [bool; 5] = std::array::from_fn(|_| self.ready());
        let fetched = self.fetches.front().copied().filter(|f| f.0 <= now);
        let response = self.memory.response().filter(|_| fetched.is_none());
        let line = fetched.map(|f| self.memory.line(f.2)).or(response).unwrap_or_default();
        let answer = self.answers.front().copied().filter(|a| a.0 <= now && ready[4]);
        let core = &mut *self.bench;
        for unit in 0..UNITS {
            core.f_req[unit].ready.next = ready[0];
            core.f_rsp_valid[unit].next = fetched.is_some_and(|f| f.1 == unit);
        }
        core.m_req.ready.next = self.memory.ready;
        core.m_rsp.valid.next = response.is_some();
        for (port, word) in core.m_rsp.data.iter_mut().zip(line) {
            port.next = u64::from(word).into();
        }
        core.vertex_word[0].ready.next = ready[1];
        core.result_word[0].ready.next = ready[2];
        core.store_req[0].ready.next = ready[3];
        core.store_rsp[0].valid.next = answer.is_some();
        if let Some((_, a, b, c, data)) = answer {
            core.store_rsp[0].source.next = bits(2);
            core.store_rsp[0].a.next = bits(a);
            core.store_rsp[0].b.next = bits(b);
            core.store_rsp[0].c.next = bits(c);
            core.store_rsp[0].data.next = u64::from(data).into();
            self.answers.pop_front();
        }
        if fetched.is_some() {
            self.fetches.pop_front();
        }
        self.drive_launch();
    }

    fn cycle(&mut self) {
        self.drive();
        self.bench.settle();
        self.watch();
        let core = &*self.bench;
        let request = core.m_req.valid.val().then(|| {
            let data = std::array::from_fn(|i| core.m_req.data[i].val().to_u32());
            (core.m_req.addr.val().to_u32(), core.m_req.write.val(), core.m_req.mask.val().to_u16(), data)
        });
        let taken = core.m_rsp.valid.next && core.m_rsp.ready.val();
        self.bench.cycle();
        self.memory.edge(request, taken);
    }

    fn watch(&mut self) {
        let now = self.bench.cycles;
        let core = &*self.bench;
        for unit in 0..UNITS {
            if core.f_req[unit].valid.val() && core.f_req[unit].ready.next {
                self.fetches.push_back((now + 2, unit, core.f_req[unit].addr.val().to_u32()));
            }
            let ret = &core.ret[unit];
            if ret.valid.val() {
                let open = self.in_flight.entry((unit, ret.warp.val().index())).or_default();
                let op = ret.lo.val().to_u32() & 255;
                if ret.trap.val() {
                    self.problems.push(format!("trap at {}", ret.pc.val().to_u32()));
                }
                if op == DEMOTE && *open != 0 {
                    self.problems.push("DEMOTE before what is in flight".into());
                }
                *open += i32::from(ret.mem.val());
            }
            let mret = &core.mret[unit];
            if mret.valid.val() && mret.last.val() {
                let open = self.in_flight.entry((unit, mret.warp.val().index())).or_default();
                *open -= 1;
                if *open < 0 {
                    self.problems.push("a completion before its instruction retires".into());
                }
            }
        }
        if core.result_word[0].valid.val() && core.result_word[0].ready.next {
            let rw = &core.result_word[0];
            for lane in (0..4).filter(|&l| rw.mask.val().get_bit(l)) {
                let key = (rw.ticket[lane].val().to_u32(), rw.sample[lane].val().to_u32(), rw.word.val().to_u32());
                self.results.insert(key, rw.data[lane].val().to_u32());
            }
        }
        if core.vertex_word[0].valid.val() && core.vertex_word[0].ready.next {
            let vw = &core.vertex_word[0];
            for lane in (0..4).filter(|&l| vw.mask.val().get_bit(l)) {
                let key = (vw.entry[lane].val().to_u32(), vw.word.val().to_u32());
                self.vertices.insert(key, vw.data[lane].val().to_u32());
            }
        }
        if core.store_req[0].valid.val() && core.store_req[0].ready.next {
            let sr = &core.store_req[0];
            let (handle, corner) = (sr.handle.val().to_u64(), sr.corner.val().to_u64());
            let (a, b, c) = if sr.edge.val() { edge(handle, corner) } else { (0, 0, 0) };
            let data = word(handle as u32, corner as u32, sr.word.val().to_u32());
            self.answers.push_back((now + 3, a, b, c, data));
        }
    }

    fn run(&mut self) -> Result<(), String> {
        let all = (1 << WARPS) - 1;
        for _ in 0..6000 {
            self.cycle();
            let free = (0..UNITS).all(|u| self.bench.slot_free[u].val().to_u64() == all);
            if self.launches.is_empty() && free {
                return match self.problems.first() {
                    None => Ok(()),
                    Some(problem) => Err(problem.clone()),
                };
            }
        }
        Err("the core does not finish".into())
    }
}

/// Compares, and says what differs.
fn same<T: PartialEq + std::fmt::Debug>(what: &str, got: T, wanted: T) -> Result<(), String> {
    match got == wanted {
        true => Ok(()),
        false => Err(format!("{what}: {got:x?} instead of {wanted:x?}")),
    }
}

fn special_registers(fault: Option<Fault>, slow: bool) -> Result<(), String> {
    let names =
        ["pixel_x", "pixel_y", "sample", "sample_coverage", "primitive", "facing", "ticket", "depth", "helper", "lane"];
    let program: String = names.iter().enumerate().map(|(i, n)| format!("S2R r{i}, {n}\nOUT #{i}, r{i}\n")).collect();
    let mut m = Machine::new(fault, slow, &(program + "END"));
    for (unit, warp) in [(0, 1), (1, 3)] {
        let handle = [4095, 1, 2, 2081];
        m.launches.push_back(Launch { handle, ..Launch::fragments(unit, warp, 0b1011) });
    }
    m.run()?;
    for (unit, warp) in [(0u32, 1u32), (1, 3)] {
        for (lane, covered, facing, handle) in [(0u32, 0u32, 0u32, 4095u32), (1, 1, 0, 1), (3, 2, 1, 2081)] {
            let ticket = (unit * WARPS as u32 + warp) << 2 | lane;
            let (x, y) = (0x014 + (lane & 1), 0x00A + (lane >> 1));
            let wanted = [x, y, 1, covered, handle, facing, ticket, 0x12_3450 + lane, 0, lane];
            for (i, wanted) in wanted.into_iter().enumerate() {
                same(names[i], m.results.get(&(ticket, 0, i as u32)).copied(), Some(wanted))?;
            }
        }
        let helper = (unit * WARPS as u32 + warp) << 2 | 2;
        same("a helper's word", m.results.keys().filter(|k| k.0 == helper).count(), 0)?;
        same("covered", m.covered(unit as usize, warp as usize), 0b1011)?;
    }
    Ok(())
}

/// Lane 2 is a helper from the start, lane 3 becomes one.
const HELPERS: &str = "
    S2R r1, lane
    SHL r4, r1, #2
    MOV r10, #7
    MOV r7, #100
    MOV r6, #1
    MOV r0, #0
    LDS.32 r11, [r4+0x40]
    USETLT r2, r1, #3
    ATOM32.ADD r12, [r0+0x1800], r6
    BNZ r2, skip
    DEMOTE
skip:
    S2R r3, helper
    ST.32 [r4+0x1000], r10
    ST.OWN.32 [r4+0x1100], r3
    ATOM32.ADD r7, [r0+0x1200], r6
    ST.OWN.32 [r4+0x1300], r7
    LD.32 r8, [r4+0x1400]
    ST.OWN.32 [r4+0x1500], r8
    STS.32 [r4+0x80], r10
    LDS.32 r9, [r4+0x80]
    ST.OWN.32 [r4+0x1600], r9
    MOV r13, #200
    ATOMS32.ADD r13, [r0+0xC0], r6
    ST.OWN.32 [r4+0x1700], r13
    MOV r14, #300
    WATOM32.ADD r14, [r0+0x1900], r6
    ST.OWN.32 [r4+0x1A00], r14
    OUT #1, r1
    END
";

fn helpers(fault: Option<Fault>, slow: bool) -> Result<(), String> {
    WideResult::ALL.into_iter().try_for_each(|(result, _)| helpers_of(fault, slow, result))
}

fn helpers_of(fault: Option<Fault>, slow: bool, result: WideResult) -> Result<(), String> {
    let mut m = Machine::with(fault, slow, HELPERS, result);
    (0..4).for_each(|lane| m.memory.set_word(0x1400 + 4 * lane, 500 + lane));
    m.launches.push_back(Launch::fragments(1, 2, 0b1011));
    m.run()?;
    let words = |at: u32| -> [u32; 4] { std::array::from_fn(|lane| m.memory.word(at + 4 * lane as u32)) };
    same("atomics before DEMOTE", m.memory.word(0x1800), 3)?;
    same("stores", words(0x1000), [7, 7, 0, 0])?;
    same("helper", words(0x1100), [0, 0, 1, 1])?;
    same("atomics", m.memory.word(0x1200), 2)?;
    same("registers of atomics", words(0x1300), [0, 1, 100, 100])?;
    same("loads", words(0x1500), [500, 501, 502, 503])?;
    same("shared stores", words(0x1600), [7, 7, 0, 0])?;
    same("registers of shared atomics", words(0x1700), [0, 1, 200, 200])?;
    same("atomics of the warp", m.memory.word(0x1900), 1)?;
    same("registers of atomics of the warp", words(0x1A00), [0, 0, 300, 300])?;
    let ticket = (WARPS as u32 + 2) << 2;
    same("words", m.results.iter().map(|(k, &v)| (k.0, v)).collect(), vec![(ticket, 0), (ticket | 1, 1)])?;
    same("covered", m.covered(1, 2), 0b0011)
}

/// How fragment warps end: (program, covered at launch, covered at the end, marks in memory by
/// lane).
const ENDS: [(&str, u64, u64, [u32; 4]); 6] = [
    ("S2R r1, lane\nSHL r2, r1, #2\nMOV r3, #9\nDEMOTE\nST.OWN.32 [r2+0x1000], r3\nEND", 15, 0, [0; 4]),
    // Helpers go round for ever; the others end.
    ("S2R r1, lane\nUSETLT r2, r1, #2\nBZ r2, loop\nEND\nloop: BRA loop", 3, 3, [0; 4]),
    ("S2R r1, lane\nUSETLT r2, r1, #2\nBZ r2, loop\nDISCARD\nloop: BRA loop", 3, 0, [0; 4]),
    // One of the two ends, the other is discarded.
    ("S2R r1, lane\nBZ r1, out\nUSETLT r2, r1, #2\nBZ r2, loop\nDISCARD\nout: END\nloop: BRA loop", 3, 1, [0; 4]),
    // Stores of nobody complete in their order.
    (
        "S2R r1, lane\nSHL r2, r1, #2\nUSETLT r3, r1, #1\nBNZ r3, on\nDEMOTE\nST.32 [r2+0x1000], r1\nATOM64.ADD r4, [r2+0x1000], r6\n\
         OUT #2, r1\nSTS.32 [r2+0], r1\nATOMS64.ADD r4, [r2+0], r6\nMOV r8, r5\nST.OWN.32 [r2+0x1000], r1\non: END",
        15,
        1,
        [0, 1, 2, 3],
    ),
    // A compute warp has no helpers, whatever its tags say.
    ("S2R r1, lane\nSHL r2, r1, #2\nS2R r3, helper\nIADD r3, r3, #4\nST.32 [r2+0x1000], r3\nEND", 0, 15, [4; 4]),
];

fn ends(fault: Option<Fault>, slow: bool) -> Result<(), String> {
    for (i, (program, covered, left, marks)) in ENDS.into_iter().enumerate() {
        let mut m = Machine::new(fault, slow, program);
        let kind = if i == 5 { 0 } else { 2 };
        m.launches.push_back(Launch { kind, ..Launch::fragments(0, 1, covered) });
        m.run().map_err(|e| format!("ending {i}: {e}"))?;
        same("covered", (i, m.covered(0, 1)), (i, left))?;
        let got = std::array::from_fn(|lane| m.memory.word(0x1000 + 4 * lane as u32));
        same("marks", (i, got), (i, marks))?;
    }
    Ok(())
}

/// Each warp reads word 5 and word 250 of its window; a compute warp words of its own 1,024.
fn windows(fault: Option<Fault>, slow: bool) -> Result<(), String> {
    windows_of(GpuConfig { fault, ..GpuConfig::default() }, slow)?;
    windows_of(GpuConfig { fault, contexts: 16, ..GpuConfig::default() }, slow)
}

fn windows_of(config: GpuConfig, slow: bool) -> Result<(), String> {
    let contexts = config.contexts as u64;
    let program = "S2R r9, lane\nSHL r9, r9, #2\nMOV r1, c[5]\nMOV r2, c[250]\nOUT #0, r1\nOUT #1, r2\nMOV r3, c[905]\nST.32 [r9+0x1000], r3\nEND";
    let mut m = Machine::configured(config, slow, program);
    for window in 0..2 * contexts {
        for at in [5, 250, 905 & 255] {
            m.window(window << 8 | at, (window << 8 | at) as u32 + 0x5_0000);
        }
    }
    for context in 0..contexts {
        let fragments = Launch::fragments(0, context as usize % WARPS, 15);
        m.launches.push_back(Launch { context, handle: [40 + context as u32; 4], ..fragments });
        m.run()?;
        let first = ((context as u32 % WARPS as u32) << 2, 0);
        let window = (2 * context as u32 + 1) << 8;
        same("fragment's 5", m.results[&(first.0, first.1, 0)], window + 5 + 0x5_0000)?;
        same("fragment's 250", m.results[&(first.0, first.1, 1)], window + 250 + 0x5_0000)?;
        m.launches.push_back(Launch { kind: 1, context, handle: [40 + context as u32; 4], ..fragments });
        m.run()?;
        same("vertex's 5", m.vertices[&(40 + context as u32, 0)], (2 * context as u32) << 8 | 0x5_0005)?;
    }
    m.launches.push_back(Launch { kind: 0, context: 3, ..Launch::fragments(1, 1, 15) });
    m.run()?;
    same("compute's 905", m.memory.word(0x1000), 0x5_0000 + 905)
}

/// Vertices: their registers, their words, lanes that are not there.
fn vertices(fault: Option<Fault>, slow: bool) -> Result<(), String> {
    let program =
        "S2R r1, vertex_index\nS2R r2, instance_index\nOUT #0, r1\nOUT #63, r2\nIADD r1, r1, #1\nOUT #0, r1\nEND";
    let mut m = Machine::new(fault, slow, program);
    let launch = Launch::fragments(1, 0, 0);
    let (place, depth) = ([70_000, 70_001, 3, u32::MAX], [8, 8, 9, 0x8000_0009]);
    m.launches.push_back(Launch { kind: 1, mask: 0b1101, place, depth, handle: [5, 6, 7, 4095], ..launch });
    m.run()?;
    let wanted = [((5, 0), 70_001), ((5, 63), 8), ((7, 0), 4), ((7, 63), 9), ((4095, 0), 0), ((4095, 63), 0x8000_0009)];
    same("words", m.vertices.clone(), BTreeMap::from(wanted))?;
    same("results", m.results.len(), 0)
}

/// All slots at once, lanes of one triangle and of four, every register of BARY, ATTR and
/// ATTR.FLAT.
fn triangles(fault: Option<Fault>, slow: bool) -> Result<(), String> {
    let program = "
        S2R r1, ticket
        SHL r1, r1, #6
        BARY r4, #0
        ATTR r8, #12
        LD.32 r20, [r1+0x1000]
        ATTR r12, #63
        ATTR.FLAT r16, #12
        ATTR r24, #7
        ST.OWN.128 [r1+0x1000], r4
        ST.OWN.128 [r1+0x1010], r8
        ST.OWN.128 [r1+0x1020], r12
        ST.OWN.64 [r1+0x1030], r16
        ST.OWN.32 [r1+0x1038], r27
        OUT #0, r4
        END";
    let mut m = Machine::new(fault, slow, program);
    m.bench.state[0].valid.next = true;
    m.bench.state[0].pass.next = true;
    m.bench.state[0].word.next = bits(1);
    m.bench.state[0].data.next = bits(2);
    m.cycle();
    m.bench.state[0].valid.next = false;
    let handles = |slot: usize| if slot.is_multiple_of(2) { [slot as u32 + 1; 4] } else { [3, 4, 4, 9] };
    for slot in 0..UNITS * WARPS {
        let launch = Launch::fragments(slot / WARPS, slot % WARPS, 0b0110);
        m.launches.push_back(Launch { handle: handles(slot), ..launch });
    }
    m.run()?;
    for (slot, lane) in (0..UNITS * WARPS).flat_map(|s| (0..4).map(move |l| (s, l))) {
        let handle = handles(slot)[lane];
        let at = 0x1000 + (((slot as u32) << 2 | lane as u32) << 6);
        let (x, y) = (256 * (0x14 + (lane as u64 & 1)) + 128, 256 * (0xA + (lane as u64 >> 1)) + 128);
        let edges = [0, 1, 2].map(|k| {
            let (a, b, c) = edge(u64::from(handle), k);
            ((a * x + b * y + c) as f32).to_bits()
        });
        let of = |n: u32| [0, 1, 2].map(|corner| word(handle, corner, n));
        same("edges", [0, 4, 8].map(|o| m.memory.word(at + o)), edges)?;
        same("words", [16, 20, 24, 28].map(|o| m.memory.word(at + o)), [of(12)[0], of(12)[1], of(12)[2], 0])?;
        let reciprocals = [0, 1, 2, 3].map(|corner| word(handle, corner, 63));
        same("reciprocals", [32, 36, 40, 44].map(|o| m.memory.word(at + o)), reciprocals)?;
        same("flat", m.memory.word(at + 48), of(12)[0])?;
        same("equal", m.memory.word(at + 56), 1)?;
    }
    same("words of fragments", m.results.len(), UNITS * WARPS * 2)
}

type Case = fn(Option<Fault>, bool) -> Result<(), String>;
const CASES: [(&str, Case); 6] = [
    ("special registers", special_registers),
    ("helpers", helpers),
    ("ends", ends),
    ("windows", windows),
    ("vertices", vertices),
    ("triangles", triangles),
];

fn everything(fault: Option<Fault>) -> Result<(), String> {
    for slow in [false, true] {
        for (name, case) in CASES {
            case(fault, slow).map_err(|e| format!("{name}, slow: {slow}: {e}"))?;
        }
    }
    Ok(())
}

#[test]
fn graphics_warps_do_what_the_page_says() {
    everything(None).unwrap_or_else(|e| panic!("{e}"));
}

#[test]
fn planted_faults_of_graphics_warps_are_caught() {
    let faults = [
        Fault::DemoteEarly,
        Fault::DemoteKept,
        Fault::DiscardCovers,
        Fault::HelpersRun,
        Fault::HelperStores,
        Fault::OwnMasked,
        Fault::WindowWrong,
        Fault::SpecialTicket,
        Fault::OutHelper,
    ];
    for fault in tier::first(1, faults) {
        assert!(everything(Some(fault)).is_err(), "{fault:?}");
    }
}
