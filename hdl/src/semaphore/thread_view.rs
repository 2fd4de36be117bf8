//! What every thread of a warp unit does, for people who look at waves: one value per warp slot,
//! {state, semaphore}, that a translate file turns into "running" or "waiting on semaphore 17"
//! (`SE-24`, `SE-40`). Nothing in the machine reads it; without trace ports it is constant zero and
//! synthesis removes it.
//!
//! A slot is idle until its launch, then running, until its end is reported; while the unit says
//! that it waits it is waiting. The semaphore shown is that of the last request in the thread's
//! name that it is told of (ACQ_MSG without acknowledge-suppress); a thread that waits for several
//! shows the last. Each output follows its event one cycle later, `waiting` in the same cycle. It
//! can be wrong by showing a slot's last thread after the next was launched, which is why a launch
//! clears the semaphore.

use quadlock_hdl_macros::{kernel, QuietBlock};
use rust_hdl::prelude::*;

use crate::base::Parameter;
use crate::comment;
use crate::config::GpuConfig;

/// See the module documentation.
#[derive(QuietBlock)]
pub struct ThreadView {
    /// Clock; everything happens at its rising edge.
    pub clock: Signal<In, Clock>,
    /// Global number of the unit.
    pub unit: Signal<In, Bits<6>>,
    /// A thread is launched.
    pub launch_valid: Signal<In, bool>,
    /// Global number of its unit.
    pub launch_unit: Signal<In, Bits<6>>,
    /// Its warp slot.
    pub launch_warp: Signal<In, Bits<4>>,
    /// A thread of this unit's row has ended.
    pub end_valid: Signal<In, bool>,
    /// Global number of its unit.
    pub end_unit: Signal<In, Bits<6>>,
    /// Its warp slot.
    pub end_warp: Signal<In, Bits<4>>,
    /// An ACQ_MSG without acknowledge-suppress reaches the semaphore entity.
    pub acq_valid: Signal<In, bool>,
    /// Its thread.
    pub acq_thread: Signal<In, Bits<16>>,
    /// Its semaphore.
    pub acq_sem: Signal<In, Bits<16>>,
    /// Bit i: slot i waits for a semaphore.
    pub waiting: Signal<In, Bits<16>>,
    /// For each slot: state 11:10 (0 idle, 1 running, 2 waiting), semaphore 9:0 while it waits,
    /// else 0.
    pub thread: Vec<Signal<Out, Bits<12>>>,
    occupied: DFF<Bits<16>>,
    semaphore: Vec<DFF<Bits<12>>>,
    launched: Signal<Local, Bits<16>>,
    ended: Signal<Local, Bits<16>>,
    asked: Signal<Local, Bits<16>>,
    wanted: Signal<Local, Bits<12>>,
    trace: Parameter<1>,
    _warps: usize,
    _active: bool,
}

impl ThreadView {
    /// A view of a unit of that configuration.
    pub fn new(config: &GpuConfig) -> Self {
        Self {
            clock: Signal::default(),
            unit: Signal::default(),
            launch_valid: Signal::default(),
            launch_unit: Signal::default(),
            launch_warp: Signal::default(),
            end_valid: Signal::default(),
            end_unit: Signal::default(),
            end_warp: Signal::default(),
            acq_valid: Signal::default(),
            acq_thread: Signal::default(),
            acq_sem: Signal::default(),
            waiting: Signal::default(),
            thread: (0..config.warps).map(|_| Signal::default()).collect(),
            occupied: DFF::default(),
            semaphore: (0..config.warps).map(|_| DFF::default()).collect(),
            launched: Signal::default(),
            ended: Signal::default(),
            asked: Signal::default(),
            wanted: Signal::default(),
            trace: Parameter::new(u64::from(config.trace)),
            _warps: config.warps,
            _active: true,
        }
    }
}

impl Logic for ThreadView {
    #[kernel]
    fn update(&mut self) {
        comment!("module: thread_view");
        dff_setup!(self, clock, occupied);
        self.launched.next = bits::<16>(0);
        if self.launch_valid.val() && (self.launch_unit.val() == self.unit.val()) && (self.trace.val() == bits::<1>(1))
        {
            self.launched.next = bits::<16>(1) << self.launch_warp.val();
        }
        self.ended.next = bits::<16>(0);
        if self.end_valid.val() && (self.end_unit.val() == self.unit.val()) {
            self.ended.next = bits::<16>(1) << self.end_warp.val();
        }
        self.asked.next = bits::<16>(0);
        if self.acq_valid.val()
            && (self.acq_thread.val().get_bits::<6>(4) == self.unit.val())
            && (self.trace.val() == bits::<1>(1))
        {
            self.asked.next = bits::<16>(1) << self.acq_thread.val().get_bits::<4>(0);
        }
        self.wanted.next = bit_cast::<12, 10>(self.acq_sem.val().get_bits::<10>(0));
        self.occupied.d.next = (self.occupied.q.val() & !self.ended.val()) | self.launched.val();
        for i in 0..self._warps {
            dff_setup!(self, clock, semaphore[i]);
            if self.launched.val().get_bit(i) {
                self.semaphore[i].d.next = bits::<12>(0);
            }
            if self.asked.val().get_bit(i) {
                self.semaphore[i].d.next = self.wanted.val();
            }
            self.thread[i].next = bits::<12>(0);
            if self.occupied.q.val().get_bit(i) {
                self.thread[i].next = bits::<12>(0x400);
                if self.waiting.val().get_bit(i) {
                    self.thread[i].next = bits::<12>(0x800) | self.semaphore[i].q.val();
                }
            }
        }
    }
}
