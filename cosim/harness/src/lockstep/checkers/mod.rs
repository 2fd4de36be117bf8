//! The checkers: one concern each, one file each, behind one small trait. The runner calls every checker at every step of the model with what
//! the machine showed; the first finding ends the run and carries its checker's name. A checker that compares too little lets bugs through:
//! `tests/must_fail` names for each planted fault the checker that has to find it.

pub mod atomic_order;
pub mod barrier;
pub mod end_state;
pub mod launch;
pub mod memory_writes;
pub mod retire;
pub mod semaphore;
pub mod trap;
pub mod wait;
pub mod warp_wide;

use std::fmt::Display;

use quadlock_golden::{Effect, Golden, Grid};
use quadlock_hdl::config::GpuConfig;
use quadlock_isa::Op;
use serde::Serialize;

use super::sequencer::{Completed, Retired};
use crate::lockstep::ownership::Ownership;
use crate::machine::launch::Launch;
use crate::machine::memory::{Image, WriteRecord};
use crate::machine::ports::{BusEvent, LaunchEvent, ListOp, Outputs, SharedWriteEvent};

/// A field in which machine and model differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Field {
    pub name: String,
    pub expected: String,
    pub seen: String,
}

/// What a checker found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What is wrong, in one line.
    pub what: String,
    pub fields: Vec<Field>,
}

impl Finding {
    pub fn new(what: impl Into<String>) -> Self {
        Self { what: what.into(), fields: Vec::new() }
    }
}

/// A finding, or none. Boxed: the good case is the one that happens.
pub type Check = Result<(), Box<Finding>>;

/// Collects differing fields.
#[derive(Debug, Default)]
pub struct Compare {
    fields: Vec<Field>,
}

impl Compare {
    /// Names are made only when needed: this runs for every retired instruction.
    pub fn field<T: PartialEq>(&mut self, name: impl Display, expected: T, seen: T, show: impl Fn(&T) -> String) {
        if expected != seen {
            self.fields.push(Field { name: name.to_string(), expected: show(&expected), seen: show(&seen) });
        }
    }

    pub fn hex(&mut self, name: impl Display, expected: u32, seen: u32) {
        self.field(name, expected, seen, |v| format!("{v:#010x}"));
    }

    pub fn finish(self, what: &str) -> Check {
        if self.fields.is_empty() {
            return Ok(());
        }
        Err(Box::new(Finding { what: what.to_owned(), fields: self.fields }))
    }
}

/// What every checker may look at.
pub struct Context<'a> {
    pub cycle: u64,
    /// The model, before the step (`launch`, `before_issue`) or after it.
    pub golden: &'a Golden,
    pub launch: &'a Launch,
    pub grid: &'a Grid,
    pub config: &'a GpuConfig,
    /// The machine's memory.
    pub image: &'a Image,
    pub outputs: &'a Outputs,
    /// Operation of each instruction of the program; `None` if it is none.
    pub ops: &'a [Option<Op>],
}

impl Context<'_> {
    /// Operation of the instruction at `pc`.
    pub fn op(&self, pc: u16) -> Option<Op> {
        self.ops.get(usize::from(pc)).copied().flatten()
    }
}

/// A semaphore that a thread waits for.
#[derive(Clone, Copy, Debug)]
pub struct Awaited {
    pub semaphore: u16,
    /// The thread at the head of its list.
    pub owner: Option<u16>,
    /// The thread has no entry in the list: its acquire waits for one.
    pub entry: bool,
}

/// Acquires wait for an entry of the pool and none is free (SE-12).
#[derive(Clone, Debug)]
pub struct Shortage {
    /// Threads whose acquires wait, in order of arrival.
    pub waiting: Vec<u16>,
    /// Entries in lists, and those of threads that have not begun.
    pub holders: usize,
    pub not_begun: usize,
}

/// One concern of lockstep. Everything defaults to "nothing to say".
pub trait Checker {
    fn name(&self) -> &'static str;

    fn launch(&mut self, _cycle: u64, _event: &LaunchEvent, _cx: &Context) -> Check {
        Ok(())
    }
    /// The machine retired an instruction that the model will execute now.
    fn before_issue(&mut self, _record: &Retired, _cx: &Context) -> Check {
        Ok(())
    }
    fn issued(&mut self, _record: &Retired, _effect: &Effect, _cx: &Context) -> Check {
        Ok(())
    }
    fn completed(&mut self, _done: &Completed, _effect: &Effect, _cx: &Context) -> Check {
        Ok(())
    }
    /// The model has launched what a launch event announced.
    fn launched(&mut self, _cycle: u64, _event: &LaunchEvent, _cx: &Context) -> Check {
        Ok(())
    }
    /// A message was transferred on the bus.
    fn bus(&mut self, _cycle: u64, _event: &BusEvent, _cx: &Context) -> Check {
        Ok(())
    }
    /// The semaphore entity has done something to a list.
    fn list_op(&mut self, _cycle: u64, _op: &ListOp, _cx: &Context) -> Check {
        Ok(())
    }
    /// The end of a cycle, whatever happened in it: the model has done what is due.
    fn cycle(&mut self, _cx: &Context) -> Check {
        Ok(())
    }
    /// An acknowledgement that was transferred in `cycle` has reached its thread in the model.
    fn acknowledged(&mut self, _cycle: u64, _unit: usize, _warp: usize) {}
    /// The model performs a memory transaction (core, byte address of the line, write) of an instruction, an atomic or not. Only with several cores.
    fn performed(
        &mut self,
        _transaction: (usize, u32, bool),
        _done: &Completed,
        _atomic: bool,
        _cx: &Context,
    ) -> Check {
        Ok(())
    }
    /// Asked now and then: something has been under way for too long. With `all` nothing has happened for long enough that nothing should be under way.
    fn overdue(&mut self, _all: bool, _cx: &Context) -> Check {
        Ok(())
    }
    /// What the program did wrong, on which machine and model agree, in words.
    fn problem(&self, _launch: &Launch) -> Option<String> {
        None
    }
    /// The lock words, if the checker follows them.
    fn ownership(&self) -> Option<&Ownership> {
        None
    }
    /// What a waiting thread waits for.
    fn waits_for(&self, _thread: u16) -> Vec<Awaited> {
        Vec::new()
    }
    /// Who waits for an entry of the semaphore entity's pool while none is free.
    fn shortage(&self) -> Option<Shortage> {
        None
    }
    /// A write at the core's memory port.
    fn memory_write(&mut self, _write: WriteRecord) {}
    /// A write into a unit's shared storage.
    fn shared_write(&mut self, _cycle: u64, _unit: usize, _write: SharedWriteEvent) {}
    fn end(&mut self, _cx: &Context) -> Check {
        Ok(())
    }

    /// A copy with its state, for going back to an earlier cycle.
    fn copy(&self) -> Box<dyn Checker>;
}

impl Clone for Box<dyn Checker> {
    fn clone(&self) -> Self {
        self.copy()
    }
}

/// All checkers, in the order in which they are asked. `model_fault`: the model's planted bug.
pub fn all(config: &GpuConfig, model_fault: Option<quadlock_golden::Fault>) -> Vec<Box<dyn Checker>> {
    vec![
        Box::new(launch::LaunchChecker::default()),
        Box::new(barrier::BarrierChecker::default()),
        Box::new(trap::TrapChecker::default()),
        Box::new(wait::WaitChecker::default()),
        Box::new(warp_wide::WarpWideChecker::default()),
        Box::new(retire::RetireChecker),
        Box::new(semaphore::SemaphoreChecker::new(config, model_fault)),
        Box::new(memory_writes::MemoryChecker::default()),
        Box::new(atomic_order::AtomicOrderChecker::default()),
        Box::new(end_state::EndStateChecker),
    ]
}

/// Lanes of a mask.
pub fn lanes(mask: u8) -> impl Iterator<Item = usize> {
    (0..quadlock_isa::abi::LANES).filter(move |l| mask >> l & 1 == 1)
}
