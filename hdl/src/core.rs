//! One core: warp units, the load/store/atomic pipeline that they share, and the arbiter between
//! them. It is wiring only; units and pipeline are described in their own files. The core knows its
//! place in the machine from two ports, so that all cores are one module. It can be wrong in a
//! swapped or forgotten connection, which lockstep and the cross-check of the exported Verilog
//! find.
//!
//! Element *i* of a port vector belongs to the core's unit *i*, whose global number is
//! `first_unit` + i. The pipeline's requests carry the unit's number in the core.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::attribute::queue::BeatQueue;
use crate::attribute::AttributeUnit;
use crate::base::stream::{StreamIn, StreamOut};
use crate::base::Each;
use crate::comment;
use crate::config::{GpuConfig, WarpWide};
use crate::memory::{Lsa, ResponseQueue, ScalarUnit, UnitArbiter};
use crate::ports::{
    BeatDataOut, BeatOut, CodePlaceIn, CompletionOut, ConstantWriteIn, LaunchDataIn, LineDataIn, LineDataOut,
    LineFetchOut, LineRequestDataOut, LineRequestOut, MergeEventOut, RequestDataOut, RequestOut, ResultWordOut,
    RetireOut, SemaphoreMessageOut, SharedWriteOut, SplitEventOut, StateWriteIn, StoreAnswerIn, StoreReadOut, TagsIn,
    TrapOut, VertexWordOut, WindowWriteIn,
};
use crate::warp::WarpUnit;

/// The core.
#[derive(QuietBlock)]
pub struct Core {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Global number of the core's first unit, and the warp slots of the machine's units before it.
    /// Ports, so that all cores are one module.
    pub first_unit: Signal<In, Bits<6>>,
    /// Warp slots of the machine's units before the core's first one.
    pub first_slot: Signal<In, Bits<11>>,

    // Constant bank writes.
    /// Constant bank writes.
    pub constant_write: ConstantWriteIn,
    /// Place of the code in memory.
    pub code: CodePlaceIn,
    /// One cycle: a new run begins.
    pub start: Signal<In, bool>,
    /// Launch into unit i; the other `l_*` are common to all.
    pub launch_valid: Vec<Signal<In, bool>>,
    /// What the launched warp begins with, common to all units.
    pub launch: LaunchDataIn,
    /// Bit s of element i: warp slot s of unit i can be launched.
    pub slot_free: Vec<Signal<Out, Bits<16>>>,
    /// A read of a line of memory.
    pub f_req: Each<LineFetchOut>,
    /// Instruction fetch, response: the bundle holds one in this cycle.
    pub f_rsp_valid: Vec<Signal<In, bool>>,

    // Memory port of the load/store/atomic pipeline.
    /// Memory request: the bundle holds one in this cycle.
    /// Memory port of the load/store/atomic pipeline: requests.
    pub m_req: LineRequestOut,
    /// Memory response: the bundle holds one in this cycle.
    /// Data of a response, and of a fetched line.
    pub m_rsp: StreamIn<LineDataIn>,

    // Messages of unit i to the semaphore entity, and acknowledgements for it; always taken. See
    // [`WarpUnit`].
    /// Messages of unit i to the semaphore entity.
    pub sem_msg: Each<SemaphoreMessageOut>,
    /// An acknowledgement for a warp of unit i.
    pub ack_valid: Vec<Signal<In, bool>>,
    /// The warp's slot, common to all units.
    pub ack_warp: Signal<In, Bits<4>>,

    // An instruction of unit i trapped.
    /// An instruction of unit i trapped.
    pub trap: Each<TrapOut>,

    // Event ports per unit, as of the warp unit.
    /// Event: an instruction of unit i retires.
    pub ret: Each<RetireOut>,
    /// Event: a beat of a completion.
    pub mret: Each<CompletionOut>,
    /// Event: a line of shared storage is written.
    pub shw: Each<SharedWriteOut>,
    /// Event: unit i used its issue slot.
    pub issue_valid: Vec<Signal<Out, bool>>,
    /// Event: why unit i left its issue slot empty; bits as of the warp unit.
    pub stall: Vec<Signal<Out, Bits<5>>>,
    /// Event: warp slots of unit i that wait for a semaphore now.
    pub waiting: Vec<Signal<Out, Bits<16>>>,

    // Graphics: each is one, or none; of `covered` one for each unit, or none.
    /// What a launched warp is, with `launch`.
    pub tags: Each<TagsIn>,
    /// Lanes of unit i's slots that are no helpers: bits 4 s + 3 : 4 s of slot s, until its next
    /// launch.
    pub covered: Vec<Signal<Out, Bits<64>>>,
    /// Merging: lanes of unit i's slots whose tags are those of member 1, bits 4 s + 3 : 4 s of
    /// slot s; none without it.
    pub mates: Vec<Signal<Out, Bits<64>>>,
    /// Pairs of groups: what the launched warp is in one; one, or none.
    pub twin: Vec<Signal<In, Bits<2>>>,
    /// Groups of more than two: bit 1 of the members' numbers, where `mates` is bit 0.
    pub mates_high: Vec<Signal<Out, Bits<64>>>,
    /// Event port: two warps of unit i have merged. Absent without merging.
    pub merge: Each<MergeEventOut>,
    /// Event port: a warp of unit i has split. Absent without splitting.
    pub split: Each<SplitEventOut>,
    /// Writes to the windows of the constant bank.
    pub window_write: Each<WindowWriteIn>,
    /// Number of the core, sent with its requests.
    pub number: Vec<Signal<In, Bits<4>>>,
    /// State of the pipeline.
    pub state: Each<StateWriteIn>,
    /// Word of vertices: the bundle holds one in this cycle.
    /// A word of vertices.
    pub vertex_word: Each<VertexWordOut>,
    /// With a cull pipeline: the word is of the cull pipeline's vertices. One element, or none.
    pub vertex_word_cull: Vec<Signal<Out, bool>>,
    /// Word of fragments: the bundle holds one in this cycle.
    /// A word of fragments.
    pub result_word: Each<ResultWordOut>,
    /// Request for an edge or a word of a triangle's record: the bundle holds one in this cycle.
    pub store_req: Each<StoreReadOut>,
    /// Response of the set-up store, for the core whose number it carries. No back-pressure.
    pub store_rsp: Each<StoreAnswerIn>,
    units: Vec<WarpUnit>,
    unit_arbiter: UnitArbiter,
    /// One if warp-wide atomics are executed by a scalar unit (WW-32), else none.
    scalar: Vec<ScalarUnit>,
    /// One if graphics is built, else none.
    attributes: Vec<AttributeUnit>,
    /// Of unit i, beats that wait for it.
    beats: Vec<BeatQueue>,
    lsa: Lsa,
    responses: ResponseQueue,
    /// Units of the core before unit i, and their warp slots.
    units_before: Vec<Constant<Bits<6>>>,
    slots_before: Vec<Constant<Bits<11>>>,
    _units: usize,
    _scalars: usize,
    _graphics: usize,
    #[size]
    _bitmap: usize,
    #[size]
    _culls: bool,
    #[size]
    _merges: usize,
    #[size]
    _threes: bool,
    #[size]
    _twins: bool,
    #[size]
    _splits: bool,
    #[size]
    _turns: bool,
    _active: bool,
}

fn signals<D: Direction, T: Synth>(n: usize) -> Vec<Signal<D, T>> {
    (0..n).map(|_| Signal::default()).collect()
}

impl Core {
    /// A core of that configuration.
    pub fn new(config: &GpuConfig) -> Self {
        let n = config.units;
        let scalars = usize::from(config.warp_wide == WarpWide::Scalar);
        let graphics = usize::from(config.graphics);
        let merges = usize::from(config.merges());
        Self {
            mates: signals(merges * n),
            mates_high: signals(usize::from(config.groups()) * n),
            _threes: config.groups(),
            twin: signals(usize::from(config.twins())),
            _twins: config.twins(),
            merge: Each::new(merges * n),
            split: Each::new(usize::from(config.splits()) * n),
            _splits: config.splits(),
            _turns: config.turns(),
            _merges: merges,
            clock: Signal::default(),
            first_unit: Signal::default(),
            first_slot: Signal::default(),
            constant_write: ConstantWriteIn::default(),
            code: Default::default(),
            start: Signal::default(),
            launch_valid: signals(n),
            launch: Default::default(),
            slot_free: signals(n),
            f_req: Each::new(n),
            f_rsp_valid: signals(n),
            m_req: LineRequestOut::default(),
            m_rsp: Default::default(),
            sem_msg: Each::new(n),
            ack_valid: signals(n),
            ack_warp: Signal::default(),
            trap: Each::new(n),
            ret: Each::new(n),
            mret: Each::new(n),
            shw: Each::new(n),
            issue_valid: signals(n),
            stall: signals(n),
            waiting: signals(n),
            tags: Each::new(graphics),
            covered: signals(graphics * n),
            window_write: Each::new(graphics),
            number: signals(graphics),
            state: Each::new(graphics),
            vertex_word: Each::new(graphics),
            vertex_word_cull: signals(usize::from(config.culls())),
            _culls: config.culls(),
            result_word: Each::new(graphics),
            store_req: Each::new(graphics),
            store_rsp: Each::new(graphics),
            attributes: (0..graphics).map(|_| AttributeUnit::new(config)).collect(),
            beats: (0..graphics * config.units).map(|_| BeatQueue::new(config)).collect(),
            units: (0..n).map(|_| WarpUnit::new(config)).collect(),
            unit_arbiter: UnitArbiter::new(config),
            scalar: (0..scalars).map(|_| ScalarUnit::new(config)).collect(),
            lsa: Lsa::new(config),
            responses: ResponseQueue::new(),
            units_before: (0..n).map(|unit| Constant::new(bits(unit as u64))).collect(),
            slots_before: (0..n).map(|unit| Constant::new(bits((unit * config.warps) as u64))).collect(),
            _units: n,
            _scalars: scalars,
            _graphics: graphics,
            _bitmap: config.bitmaps(),
            _active: true,
        }
    }
}

#[kernel(wired)]
impl Core {
    /// Each unit has its ports, and the granted one's request goes to the pipeline.
    fn units(&mut self) {
        comment!("module: core");
        clock!(self, clock, unit_arbiter, lsa, responses);

        // The request of the granted unit goes to the pipeline, the completion to its unit.
        self.unit_arbiter.ready.next = self.lsa.req.ready.val();
        self.lsa.req.valid.next = false;
        self.lsa.req_unit.next = self.unit_arbiter.grant.val();
        RequestDataOut::join(&mut self.units[0].global_req, &mut self.lsa.req);
        self.lsa.req_lock.next = false;
        self.lsa.rsp.ready.next = false;
        for i in 0..self._units {
            clock!(self, clock, units[i]);
            self.units[i].unit.next = self.first_unit.val() + self.units_before[i].val();
            self.units[i].first_slot.next = self.first_slot.val() + self.slots_before[i].val();
            ConstantWriteIn::link(&mut self.constant_write, &mut self.units[i].constant_write);
            CodePlaceIn::link(&mut self.code, &mut self.units[i].code);
            self.units[i].start.next = self.start.val();
            self.units[i].launch.valid.next = self.launch_valid[i].val();
            LaunchDataIn::link(&mut self.launch, &mut self.units[i].launch);
            self.slot_free[i].next = self.units[i].slot_free.val();

            LineFetchOut::link(&mut self.f_req[i], &mut self.units[i].f_req);
            self.units[i].f_rsp.valid.next = self.f_rsp_valid[i].val();
            LineDataIn::link(&mut self.m_rsp, &mut self.units[i].f_rsp);

            self.unit_arbiter.request[i].next = self.units[i].global_req.valid.val();
            self.units[i].global_req.ready.next = false;
            if self.unit_arbiter.grant.val() == i.to_bits::<3>() {
                RequestOut::join(&mut self.units[i].global_req, &mut self.lsa.req);
            }
            self.units[i].global_rsp.valid.next = false;
            if self.lsa.rsp_unit.val() == i.to_bits::<3>() {
                self.units[i].global_rsp.valid.next = self.lsa.rsp.valid.val();
                self.lsa.rsp.ready.next = self.units[i].global_rsp.ready.val();
            }
            BeatDataOut::join(&mut self.lsa.rsp, &mut self.units[i].global_rsp);

            SemaphoreMessageOut::link(&mut self.sem_msg[i], &mut self.units[i].sem_msg);
            self.units[i].ack_valid.next = self.ack_valid[i].val();
            self.units[i].ack_warp.next = self.ack_warp.val();

            TrapOut::link(&mut self.trap[i], &mut self.units[i].trap);
            RetireOut::link(&mut self.ret[i], &mut self.units[i].ret);
            CompletionOut::link(&mut self.mret[i], &mut self.units[i].mret);
            SharedWriteOut::link(&mut self.shw[i], &mut self.units[i].shw);
            self.issue_valid[i].next = self.units[i].issue_valid.val();
            self.stall[i].next = self.units[i].stall.val();
            self.waiting[i].next = self.units[i].waiting.val();
        }
    }

    /// The scalar unit takes warp-wide atomics and passes everything else.
    fn scalars(&mut self) {
        for k in 0..self._scalars {
            clock!(self, clock, scalar[k]);
            self.scalar[k].req.valid.next = false;
            self.scalar[k].req_unit.next = self.unit_arbiter.grant.val();
            RequestDataOut::join(&mut self.units[0].global_req, &mut self.scalar[k].req);
            self.scalar[k].rsp.ready.next = false;
            self.unit_arbiter.ready.next = self.scalar[k].req.ready.val();
            for i in 0..self._units {
                self.units[i].global_req.ready.next = false;
                if self.unit_arbiter.grant.val() == i.to_bits::<3>() {
                    RequestOut::join(&mut self.units[i].global_req, &mut self.scalar[k].req);
                }
                self.units[i].global_rsp.valid.next = false;
                if self.scalar[k].rsp_unit.val() == i.to_bits::<3>() {
                    self.units[i].global_rsp.valid.next = self.scalar[k].rsp.valid.val();
                    self.scalar[k].rsp.ready.next = self.units[i].global_rsp.ready.val();
                }
                BeatDataOut::join(&mut self.scalar[k].rsp, &mut self.units[i].global_rsp);
            }
            // Addresses and data of the other lanes, and the further words, are those of the
            // granted unit.
            self.lsa.req.valid.next = self.scalar[k].l_req_valid.val();
            self.scalar[k].l_req_ready.next = self.lsa.req.ready.val();
            self.lsa.req_lock.next = self.scalar[k].l_req_lock.val();
            self.lsa.req_unit.next = self.scalar[k].l_req_unit.val();
            self.lsa.req.warp.next = self.scalar[k].l_req_warp.val();
            self.lsa.req.seq.next = self.scalar[k].l_req_seq.val();
            self.lsa.req.mask.next = self.scalar[k].l_req_mask.val();
            self.lsa.req.dst.next = self.scalar[k].l_req_dst.val();
            self.lsa.req.op.next = self.scalar[k].l_req_op.val();
            self.lsa.req.addr[0].next = self.scalar[k].l_req_addr0.val();
            self.lsa.req.w0_[0].next = self.scalar[k].l_req_w0_0.val();
            self.lsa.req.w1_[0].next = self.scalar[k].l_req_w1_0.val();
            self.scalar[k].l_rsp_unit.next = self.lsa.rsp_unit.val();
            BeatOut::join(&mut self.lsa.rsp, &mut self.scalar[k].l_rsp);
        }
    }

    /// Units hear of launched tags and states, and tell who merges and splits.
    fn graphics(&mut self) {
        for k in 0..self._graphics {
            for i in 0..self._units {
                TagsIn::link(&mut self.tags[k], &mut self.units[i].tags[k]);
                WindowWriteIn::link(&mut self.window_write[k], &mut self.units[i].window_write[k]);
                self.covered[i].next = self.units[i].covered[k].val();
                for b in 0..self._bitmap {
                    StateWriteIn::link(&mut self.state[k], &mut self.units[i].state[b]);
                }
            }
        }

        if self._turns {
            for i in 0..self._units {
                self.attributes[0].whole[i].next = self.units[i].whole[0].val();
            }
        }
        if self._splits {
            for i in 0..self._units {
                SplitEventOut::link(&mut self.split[i], &mut self.units[i].split[0]);
            }
        }
        for _m in 0..self._merges {
            for i in 0..self._units {
                fan_out!(self.units[i].mates[0] => self.mates[i], self.attributes[0].mates[i]);
                MergeEventOut::link(&mut self.merge[i], &mut self.units[i].merge[0]);
            }
        }
        if self._twins {
            for i in 0..self._units {
                self.units[i].twin[0].next = self.twin[0].val();
                self.attributes[0].twins[i].next = self.units[i].twins[0].val();
            }
        }
        if self._threes {
            for i in 0..self._units {
                fan_out!(self.units[i].mates_high[0] => self.mates_high[i], self.attributes[0].mates_high[i]);
            }
        }
    }

    /// The attribute unit takes what is for vertices and fragments.
    fn attributes(&mut self) {
        for k in 0..self._graphics {
            clock!(self, clock, attributes[k]);
            self.attributes[k].source.next = self.number[k].val();
            self.attributes[k].launch_ports.launch.next = false;
            self.attributes[k].launch_ports.launch_unit.next = bits::<3>(0);
            self.attributes[k].launch_ports.launch_warp.next = self.launch.warp.val();
            TagsIn::link(&mut self.tags[k], &mut self.attributes[k].tags);
            StateWriteIn::link(&mut self.state[k], &mut self.attributes[k].state);
            self.attributes[k].req.valid.next = false;
            self.attributes[k].req_unit.next = self.unit_arbiter.grant.val();
            RequestDataOut::join(&mut self.units[0].global_req, &mut self.attributes[k].req);
            self.attributes[k].rsp.ready.next = false;
            self.unit_arbiter.ready.next = self.attributes[k].req.ready.val();
            for i in 0..self._units {
                if self.launch_valid[i].val() {
                    self.attributes[k].launch_ports.launch.next = true;
                    self.attributes[k].launch_ports.launch_unit.next = i.to_bits::<3>();
                }
                self.units[i].global_req.ready.next = false;
                if self.unit_arbiter.grant.val() == i.to_bits::<3>() {
                    RequestOut::join(&mut self.units[i].global_req, &mut self.attributes[k].req);
                }
                clock!(self, clock, beats[i]);
                // Beats of the LSA do not wait in a queue: units have them in memory's order.
                self.beats[i].in_valid.next = false;
                self.units[i].global_rsp.valid.next = self.beats[i].out_valid.val();
                BeatDataOut::join(&mut self.beats[i].oldest, &mut self.units[i].global_rsp);
                if self.attributes[k].rsp_unit.val() == i.to_bits::<3>() {
                    if self.attributes[k].rsp_own.val() {
                        self.beats[i].in_valid.next = self.attributes[k].rsp.valid.val();
                        self.attributes[k].rsp.ready.next = self.beats[i].in_ready.val();
                    } else if !self.beats[i].out_valid.val() {
                        BeatOut::join(&mut self.attributes[k].rsp, &mut self.units[i].global_rsp);
                    }
                }
                BeatDataOut::join(&mut self.attributes[k].rsp, &mut self.beats[i].beat);
                self.beats[i].out_ready.next = self.units[i].global_rsp.ready.val();
                self.attributes[k].own_done[i].next = self.beats[i].out_valid.val()
                    && self.units[i].global_rsp.ready.val()
                    && self.beats[i].oldest.last.val();
            }
            self.lsa.req.valid.next = self.attributes[k].lsa_req_valid.val();
            self.attributes[k].lsa_req_ready.next = self.lsa.req.ready.val();
            self.attributes[k].lsa_rsp_unit.next = self.lsa.rsp_unit.val();
            BeatOut::join(&mut self.lsa.rsp, &mut self.attributes[k].lsa_rsp);
            VertexWordOut::link(&mut self.vertex_word[k], &mut self.attributes[k].vertex_word);
            if self._culls {
                self.vertex_word_cull[0].next = self.attributes[k].vertex_word_cull[0].val();
            }
            ResultWordOut::link(&mut self.result_word[k], &mut self.attributes[k].result_word);
            StoreReadOut::link(&mut self.store_req[k], &mut self.attributes[k].store_req);
            StoreAnswerIn::link(&mut self.store_rsp[k], &mut self.attributes[k].store_rsp);
        }
    }

    /// Lines of the pipeline go to memory, and answers come back through a queue.
    fn memory_port(&mut self) {
        self.responses.req_valid.next = self.lsa.m_req.valid.val();
        self.lsa.m_req.ready.next = self.responses.req_ready.val();
        self.m_req.valid.next = self.responses.m_req_valid.val();
        self.responses.m_req_ready.next = self.m_req.ready.val();
        LineRequestDataOut::link(&mut self.m_req, &mut self.lsa.m_req);
        self.responses.m_rsp.valid.next = self.m_rsp.valid.val();
        self.m_rsp.ready.next = true;
        LineDataIn::link(&mut self.m_rsp, &mut self.responses.m_rsp);
        StreamOut::<LineDataOut>::join(&mut self.responses.rsp, &mut self.lsa.m_rsp);
    }
}
