//! A warp unit with a behavioural stand-in for the rest of the core: line fetches, a
//! load/store/atomic pipeline that performs one instruction at a time in order, and a dispatcher
//! and a semaphore entity driven by the test. Latency and back-pressure on every port come from a
//! seed.
//!
//! It checks what must hold in every run: `seq` counts up per warp, a memory instruction's `ret`
//! comes before its `mret`, shared and global completions come in order. It knows the loads, stores
//! and atomics that the tests use, no others.

use std::collections::{HashMap, VecDeque};

use quadlock_hdl::base::testing::Bench;
use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::warp::WarpUnit;
use quadlock_isa::{assemble, Op};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rust_hdl::prelude::*;

/// Byte address at which every program lies.
pub const CODE_BASE: u32 = 0x4000;

/// How the stand-ins behave.
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    /// Cycles from a line request to its line, and from a memory instruction's acceptance to its
    /// completion.
    pub latency: u64,
    /// Chance of each port to stall in a cycle, in percent.
    pub stall: u32,
    pub seed: u64,
}

/// Ports always ready, short latency.
pub const QUICK: Timing = Timing { latency: 3, stall: 0, seed: 1 };

/// One retirement.
#[derive(Clone, Debug)]
pub struct Ret {
    pub cycle: u64,
    pub warp: usize,
    pub seq: u8,
    pub mask: u8,
    pub pc: u16,
    pub word: u64,
    pub trap: bool,
    pub mem: bool,
    pub wen: bool,
    pub dst: u8,
    pub value: [u32; 4],
    pub next: [u16; 4],
}

/// One completion beat.
#[derive(Clone, Copy, Debug)]
pub struct Mret {
    pub cycle: u64,
    pub warp: usize,
    pub seq: u8,
    pub mask: u8,
}

/// A message taken from the unit: kind 0 ACS, 1 ASR, 3 RLS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    pub cycle: u64,
    pub kind: u8,
    pub warp: usize,
    pub semaphore: u16,
}

#[derive(Clone, Debug, Default)]
struct Beat {
    warp: u64,
    seq: u64,
    mask: u64,
    dst: u64,
    wen: bool,
    last: bool,
    value: [u32; 4],
}

/// A launch of one warp.
#[derive(Clone, Debug)]
pub struct Launch {
    pub warp: usize,
    pub mask: u8,
    pub group: [u32; 3],
    pub first: usize,
    pub warps: usize,
    pub shared_base: u32,
    pub index: u32,
    pub pc: u16,
    pub wait: u8,
}

impl Launch {
    /// A warp of its own group, all lanes.
    pub fn of(warp: usize) -> Self {
        Self { warp, mask: 15, group: [0; 3], first: warp, warps: 1, shared_base: 0, index: 0, pc: 0, wait: 0 }
    }
}

pub struct Machine {
    pub bench: Bench<WarpUnit>,
    pub memory: Vec<u8>,
    pub rets: Vec<Ret>,
    /// Completion beats of memory and function unit.
    pub mrets: Vec<Mret>,
    /// Cycles in which an instruction was issued.
    pub issues: Vec<u64>,
    /// Warp slots of the same.
    pub issued_by: Vec<usize>,
    /// Messages in the order in which they were taken.
    pub messages: Vec<Message>,
    /// Messages are taken (subject to `Timing::stall`).
    pub taking: bool,
    /// Every acquire is acknowledged so many cycles after its message; the test does it if there is
    /// none.
    pub acknowledge_after: Option<u64>,
    acks: VecDeque<(u64, usize)>,
    /// Cycle of each acknowledgement, and its warp slot.
    pub acked: Vec<(u64, usize)>,
    /// (cycle, stall bits) of the others.
    pub stalls: Vec<(u64, u64)>,
    /// Shared storage as the write events tell it.
    pub shared: HashMap<u32, u8>,
    warps: usize,
    pub timing: Timing,
    rng: ChaCha8Rng,
    message_rng: ChaCha8Rng,
    fetch: Option<(u32, u64)>,
    beats: VecDeque<(u64, Beat)>,
    grsp: Option<Beat>,
    next_seq: HashMap<usize, u8>,
    in_memory: HashMap<(usize, u8), u32>,
    launches: VecDeque<Launch>,
}

impl Machine {
    pub fn new(config: &GpuConfig, timing: Timing, program: &str) -> Self {
        let code = assemble("test.s", program).unwrap_or_else(|e| panic!("{e}")).code;
        Self::with_code(config, timing, &code)
    }

    pub fn with_code(config: &GpuConfig, timing: Timing, code: &[u64]) -> Self {
        let mut bench = Bench::new(WarpUnit::new(config), |u| &mut u.clock);
        // Unit 1 of the core.
        bench.unit.next = bits(1);
        bench.first_slot.next = bits(config.warps as u64);
        let mut machine = Self {
            bench,
            memory: vec![0; 0x10000],
            rets: vec![],
            mrets: vec![],
            issues: vec![],
            issued_by: vec![],
            messages: vec![],
            taking: true,
            acknowledge_after: None,
            acks: VecDeque::new(),
            acked: vec![],
            stalls: vec![],
            shared: HashMap::new(),
            warps: config.warps,
            timing,
            rng: ChaCha8Rng::seed_from_u64(timing.seed),
            message_rng: ChaCha8Rng::seed_from_u64(timing.seed + 1000),
            fetch: None,
            beats: VecDeque::new(),
            grsp: None,
            next_seq: HashMap::new(),
            in_memory: HashMap::new(),
            launches: VecDeque::new(),
        };
        for (i, word) in code.iter().enumerate() {
            let at = CODE_BASE as usize + 8 * i;
            machine.memory[at..at + 8].copy_from_slice(&word.to_le_bytes());
        }
        machine.bench.code.base.next = bits(u64::from(CODE_BASE));
        machine.bench.code.length.next = bits(code.len() as u64);
        machine.bench.start.next = true;
        machine.cycle();
        machine.bench.start.next = false;
        machine
    }

    pub fn constant(&mut self, address: u64, value: u32) {
        self.bench.constant_write.valid.next = true;
        self.bench.constant_write.addr.next = bits(address);
        self.bench.constant_write.data.next = bits(u64::from(value));
        self.cycle();
        self.bench.constant_write.valid.next = false;
    }

    pub fn launch(&mut self, launch: Launch) {
        self.launches.push_back(launch);
    }

    /// Acknowledges an acquire of that slot in the next cycle that is free for it.
    pub fn acknowledge(&mut self, warp: usize) {
        self.acks.push_back((self.bench.cycles, warp));
    }

    pub fn word(&self, address: u32) -> u32 {
        let at = address as usize;
        u32::from_le_bytes(self.memory[at..at + 4].try_into().unwrap())
    }

    pub fn set_word(&mut self, address: u32, value: u32) {
        let at = address as usize;
        self.memory[at..at + 4].copy_from_slice(&value.to_le_bytes());
    }

    pub fn free(&self) -> u64 {
        self.bench.slot_free.val().to_u64()
    }

    /// Runs until every slot is free and every launch is done.
    pub fn run(&mut self) {
        let all = (1 << self.warps) - 1;
        for _ in 0..15_000 {
            self.cycle();
            if self.launches.is_empty() && self.free() == all {
                return;
            }
        }
        panic!("the unit does not finish; last retirements {:#x?}", self.rets.iter().rev().take(4).collect::<Vec<_>>());
    }

    fn stalls(&mut self) -> bool {
        self.rng.random_range(0..100) < self.timing.stall
    }

    fn drive(&mut self) {
        let now = self.bench.cycles;
        let ready = !self.stalls();
        self.bench.f_req.ready.next = ready;
        let line = self.fetch.filter(|&(_, at)| at <= now).map(|(address, _)| address);
        self.bench.f_rsp.valid.next = line.is_some();
        if let Some(address) = line {
            self.fetch = None;
            let [a, b, c, d] = [0, 4, 8, 12].map(|o| bits(u64::from(self.word(address + o))));
            self.bench.f_rsp.data[0].next = a;
            self.bench.f_rsp.data[1].next = b;
            self.bench.f_rsp.data[2].next = c;
            self.bench.f_rsp.data[3].next = d;
        }
        self.bench.global_req.ready.next = !self.stalls() && self.beats.len() < 8;
        let due = self.beats.front().is_some_and(|&(at, _)| at <= now);
        if self.grsp.is_none() && due && !self.stalls() {
            self.grsp = self.beats.pop_front().map(|(_, beat)| beat);
        }
        self.bench.global_rsp.valid.next = self.grsp.is_some();
        if let Some(beat) = self.grsp.clone() {
            self.bench.global_rsp.warp.next = bits(beat.warp);
            self.bench.global_rsp.seq.next = bits(beat.seq);
            self.bench.global_rsp.mask.next = bits(beat.mask);
            self.bench.global_rsp.dst.next = bits(beat.dst);
            self.bench.global_rsp.wen.next = beat.wen;
            self.bench.global_rsp.last.next = beat.last;
            let [a, b, c, d] = beat.value.map(|v| bits(u64::from(v)));
            self.bench.global_rsp.value[0].next = a;
            self.bench.global_rsp.value[1].next = b;
            self.bench.global_rsp.value[2].next = c;
            self.bench.global_rsp.value[3].next = d;
        }
        self.drive_messages(now);
        self.drive_launch();
    }

    fn drive_messages(&mut self, now: u64) {
        let stalled = self.message_rng.random_range(0..100) < self.timing.stall;
        self.bench.sem_msg.ready.next = self.taking && !stalled;
        let due = self.acks.front().is_some_and(|&(at, _)| at <= now);
        let ack = if due { self.acks.pop_front() } else { None };
        self.bench.ack_valid.next = ack.is_some();
        if let Some((_, warp)) = ack {
            self.bench.ack_warp.next = bits(warp as u64);
            self.acked.push((now, warp));
        }
    }

    fn drive_launch(&mut self) {
        let free = self.free();
        let next = self.launches.front().filter(|l| free >> l.warp & 1 == 1).cloned();
        self.bench.launch.valid.next = next.is_some();
        let Some(l) = next else { return };
        self.launches.pop_front();
        let unit = &mut self.bench;
        unit.launch.warp.next = bits(l.warp as u64);
        unit.launch.mask.next = bits(u64::from(l.mask));
        unit.launch.pc.next = bits(u64::from(l.pc));
        unit.launch.wait.next = bits(u64::from(l.wait));
        unit.launch.group_x.next = bits(u64::from(l.group[0]));
        unit.launch.group_y.next = bits(u64::from(l.group[1]));
        unit.launch.group_z.next = bits(u64::from(l.group[2]));
        unit.launch.first.next = bits(l.first as u64);
        unit.launch.warps.next = bits(l.warps as u64);
        unit.launch.shared_base.next = bits(u64::from(l.shared_base));
        let index = u64::from(l.index);
        unit.launch.local_id[0].next = bits(index | 5 << 10);
        unit.launch.local_id[1].next = bits((index + 1) | 5 << 10);
        unit.launch.local_id[2].next = bits((index + 2) | 5 << 10);
        unit.launch.local_id[3].next = bits((index + 3) | 5 << 10);
        unit.launch.index[0].next = bits(index);
        unit.launch.index[1].next = bits(index + 1);
        unit.launch.index[2].next = bits(index + 2);
        unit.launch.index[3].next = bits(index + 3);
    }

    /// One clock cycle.
    pub fn cycle(&mut self) {
        self.drive();
        self.bench.settle();
        let now = self.bench.cycles;
        if self.bench.f_req.valid.val() && self.bench.f_req.ready.next {
            assert!(self.fetch.is_none(), "two line fetches outstanding");
            let address = self.bench.f_req.addr.val().to_u32();
            assert_eq!(address % 16, 0);
            self.fetch = Some((address, now + self.timing.latency));
        }
        if self.bench.global_req.valid.val() && self.bench.global_req.ready.next {
            self.perform(now + self.timing.latency);
        }
        if self.grsp.is_some() && self.bench.global_rsp.ready.val() {
            self.grsp = None;
        }
        self.watch(now);
        self.bench.cycle();
        self.bench.launch.valid.next = false;
    }

    fn watch(&mut self, cycle: u64) {
        let u = &self.bench;
        if u.issue_valid.val() {
            self.issues.push(cycle);
            self.issued_by.push(u.issue_warp.val().index());
        } else {
            self.stalls.push((cycle, u.stall.val().to_u64()));
        }
        if u.sem_msg.valid.val() && u.sem_msg.ready.next {
            let message = Message {
                cycle,
                kind: u.sem_msg.kind.val().to_u8(),
                warp: u.sem_msg.warp.val().index(),
                semaphore: u.sem_msg.sem.val().to_u16(),
            };
            if let Some(after) = self.acknowledge_after.filter(|_| message.kind != 3) {
                self.acks.push_back((cycle + after, message.warp));
            }
            self.messages.push(message);
        }
        if u.ret.valid.val() {
            let value = u.ret.value.each_ref().map(|port| port.val()).map(Bits::to_u32);
            let next = u.ret.next.each_ref().map(|port| port.val()).map(Bits::to_u16);
            let ret = Ret {
                cycle,
                warp: u.ret.warp.val().index(),
                seq: u.ret.seq.val().to_u8(),
                mask: u.ret.mask.val().to_u8(),
                pc: u.ret.pc.val().to_u16(),
                word: u64::from(u.ret.lo.val().to_u32()) | u64::from(u.ret.hi.val().to_u32()) << 32,
                trap: u.ret.trap.val(),
                mem: u.ret.mem.val(),
                wen: u.ret.wen.val(),
                dst: u.ret.dst.val().to_u8(),
                value,
                next,
            };
            let expected = self.next_seq.entry(ret.warp).or_insert(0);
            assert_eq!(ret.seq, *expected, "seq of warp {}", ret.warp);
            *expected = expected.wrapping_add(1);
            if ret.mem {
                *self.in_memory.entry((ret.warp, ret.seq)).or_default() += 1;
            }
            self.rets.push(ret);
        }
        let u = &self.bench;
        if u.mret.valid.val() {
            self.mrets.push(Mret {
                cycle,
                warp: u.mret.warp.val().index(),
                seq: u.mret.seq.val().to_u8(),
                mask: u.mret.mask.val().to_u8(),
            });
            let key = (u.mret.warp.val().index(), u.mret.seq.val().to_u8());
            let open = self.in_memory.entry(key).or_default();
            assert!(*open > 0, "mret of {key:?} before its ret");
            *open -= u32::from(u.mret.last.val());
        }
        if u.shw.valid.val() {
            let address = u.shw.addr.val().to_u32();
            let data = u.shw.data.each_ref().map(|port| port.val()).map(|d| d.to_u32().to_le_bytes());
            for byte in 0..16 {
                if u.shw.mask.val().get_bit(byte) {
                    self.shared.insert(address + byte as u32, data[byte / 4][byte % 4]);
                }
            }
        }
    }

    /// Performs the memory instruction at the request port.
    fn perform(&mut self, at: u64) {
        let u = &self.bench;
        let address = u.global_req.addr.each_ref().map(|port| port.val()).map(Bits::to_u32);
        let words = [
            u.global_req.w0_.each_ref().map(|port| port.val()).map(Bits::to_u32),
            u.global_req.w1_.each_ref().map(|port| port.val()).map(Bits::to_u32),
            u.global_req.w2_.each_ref().map(|port| port.val()).map(Bits::to_u32),
            u.global_req.w3_.each_ref().map(|port| port.val()).map(Bits::to_u32),
        ];
        let op = Op::from_code(u.global_req.op.val().to_u8()).expect("a defined opcode");
        let beat = Beat {
            warp: u.global_req.warp.val().to_u64(),
            seq: u.global_req.seq.val().to_u64(),
            mask: u.global_req.mask.val().to_u64(),
            dst: u.global_req.dst.val().to_u64(),
            ..Beat::default()
        };
        let count = (op.access_bytes() as usize).div_ceil(4);
        let mut old = [[0; 4]; 4];
        // A warp-wide atomic is the lowest lane's, and its result that of all.
        let lead = if op.is_warp_wide() { beat.mask & beat.mask.wrapping_neg() } else { beat.mask };
        for lane in (0..4).filter(|lane| lead >> lane & 1 == 1) {
            for k in 0..count {
                let place = address[lane] + 4 * k as u32;
                old[k][lane] = self.word(place);
                let new = match op {
                    _ if op.is_load() => continue,
                    _ if op.is_store() => words[k][lane],
                    Op::AAdd | Op::WAAdd => old[k][lane].wrapping_add(words[k][lane]),
                    Op::WAXchg64 => words[k][lane],
                    Op::ACas | Op::ACas64 | Op::WACas64 if old[k][lane] == words[2 + k][lane] => words[k][lane],
                    Op::ACas | Op::ACas64 | Op::WACas64 => continue,
                    _ => panic!("{} is not known here", op.name()),
                };
                self.set_word(place, new);
            }
        }
        if op.is_store() {
            self.beats.push_back((at, Beat { last: true, ..beat }));
            return;
        }
        if op.is_warp_wide() {
            let lane = lead.trailing_zeros() as usize;
            old = old.map(|register| [register[lane]; 4]);
        }
        for (k, value) in old.into_iter().enumerate().take(count) {
            let dst = (beat.dst + k as u64) % 32;
            self.beats.push_back((at, Beat { dst, wen: true, last: k + 1 == count, value, ..beat.clone() }));
        }
    }
}
