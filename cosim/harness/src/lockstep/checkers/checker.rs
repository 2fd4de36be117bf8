//! What a checker is: it is asked at every step of the model with what the machine showed, and
//! answers with a finding or none. Everything defaults to "nothing to say".

use quadlock_golden::{Effect, Golden, Grid, Merged, Split};
use quadlock_hdl::config::GpuConfig;
use quadlock_isa::Op;

use crate::lockstep::finding::{Check, Concern};
use crate::lockstep::ownership::Ownership;
use crate::lockstep::sequencer::{Completed, Retired};
use crate::lockstep::wrong::Protocol;
use crate::machine::launch::Launch;
use crate::machine::memory::{Image, WriteRecord};
use crate::machine::ports::{
    BusEvent, GraphicsLaunched, LaunchEvent, ListOp, MergeEvent, Outputs, SharedWriteEvent, SplitEvent,
};

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
    /// Colours of a frame depend on an order that the machine may choose, or on registers that held
    /// nothing.
    pub unordered: bool,
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
    /// The concern, which names the checker.
    fn concern(&self) -> Concern;

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
    /// The model has launched a warp of vertices or fragments.
    fn launched_in_frame(&mut self, _event: &GraphicsLaunched, _cx: &Context) -> Check {
        Ok(())
    }
    /// Two warps of the model have become one, as the machine's have.
    fn merged(&mut self, _event: &MergeEvent, _merged: Merged, _cx: &Context) -> Check {
        Ok(())
    }
    /// A warp of the model has become one for each sample, as the machine's has.
    fn split(&mut self, _event: &SplitEvent, _split: Split, _cx: &Context) -> Check {
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
    /// The model performs a memory transaction (core, byte address of the line, write) of an
    /// instruction, an atomic or not. Only with several cores.
    fn performed(
        &mut self,
        _transaction: (usize, u32, bool),
        _done: &Completed,
        _atomic: bool,
        _cx: &Context,
    ) -> Check {
        Ok(())
    }
    /// Asked now and then: something has been under way for too long. With `all` nothing has
    /// happened for long enough that nothing should be under way.
    fn overdue(&mut self, _all: bool, _cx: &Context) -> Check {
        Ok(())
    }
    /// What the program did wrong, on which machine and model agree.
    fn problem(&self) -> Option<Protocol> {
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
