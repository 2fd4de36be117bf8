//! What a checker is. The runner calls its hooks with what the machine showed, and each answers
//! with a finding or none; the first finding ends the run. Every hook has an empty default.
//!
//! # Order
//!
//! In one clock cycle the hooks come in this order, each for every checker before the next one. The
//! checkers are called in the order of [`super::all`], and those after a finding are not called.
//!
//! | when | hook | model |
//! | --- | --- | --- |
//! | for each write accepted at the memory port | [`memory_write`](Checker::memory_write) | has not moved |
//! | for each write into shared storage | [`shared_write`](Checker::shared_write) | has not moved |
//! | a launch event | [`launch`](Checker::launch) | has not moved |
//! | for each message on the bus | [`bus`](Checker::bus) | has not moved |
//! | a list operation of the semaphore entity | [`list_op`](Checker::list_op) | has not moved |
//! | the model's steps, until none is due: |  |  |
//! | - the last beat of a completion | [`completed`](Checker::completed) | after the step |
//! | - a transaction at the memory port | [`performed`](Checker::performed) | before the step |
//! | - two warps merge, a warp splits | [`merged`](Checker::merged), [`split`](Checker::split) | after the step |
//! | - an acknowledgement | [`acknowledged`](Checker::acknowledged) | after the step |
//! | - a launch | [`launched`](Checker::launched), [`launched_in_frame`](Checker::launched_in_frame) | after the step |
//! | - a retired instruction | [`before_issue`](Checker::before_issue) | before the step |
//! | | [`issued`](Checker::issued) | after the step |
//! | at the end of every cycle | [`cycle`](Checker::cycle) | has done what is due |
//! | at the end of every 64th cycle | [`overdue`](Checker::overdue) | the same |
//!
//! [`end`](Checker::end) comes once, after a run that ended well. The other methods answer
//! questions about a run that has ended or hangs.
//!
//! Steps of the model come when the [sequencer](crate::lockstep::sequencer) has them in program
//! order and the model can take them. So they may come later than their event, but never earlier:
//! [`Context::cycle`] is then the cycle of the event, and [`Context::outputs`] and
//! [`Context::image`] are those of the present. Hooks of events (`launch`, `bus`, `list_op`,
//! writes) come in the cycle of the event.
//!
//! For one instruction the order is fixed: `before_issue`, `issued`, then `performed` for each of
//! its transactions, then `completed`. Instructions of one warp are issued in program order.
//! Completions come in the order of their pipeline, which is not the order of issue.
//!
//! # Example: one atomic, from issue to its result
//!
//! A machine of two cores runs `ATOM32.ADD r5, [r2+16], r3` in unit 1, warp 3, with lane 2 active
//! and `r2 + 16 = 0x1234`.
//!
//! 1. *Cycle 500.* The warp unit issues the instruction and reports it at the retire port, with the
//!    flag that it completes later and the address 0x1234 as lane 2's value. Earlier records of the
//!    warp have been followed, so this one is due. `before_issue` sees the record and the model
//!    *before* the atomic: the barrier checker finds here a lane that the model has blocked. The
//!    model issues, and `issued` gets record and effect. The retire checker compares program
//!    counter, mask, word, address and next counters. The effect holds no result yet, and the
//!    model's memory has not changed.
//! 2. *Cycle 540.* The memory port accepts the read of line 0x1230. No hook is called. The
//!    sequencer keeps the transaction, because its instruction is not known before it completes.
//! 3. *Cycle 548.* The port accepts the write. `memory_write` gets line, byte enables and data, and
//!    the memory checker puts it into the queue of the core. Nothing can be compared yet.
//! 4. *Cycle 560.* The last beat of the completion delivers the old word to r5 of lane 2. Now the
//!    read is due: `performed` gets `(core, 0x1230, false)`, and the model performs the addition.
//!    Then `performed` gets `(core, 0x1230, true)`. The memory checker notes the core's atomic at
//!    the first and clears the note at the second; in between, another core's `performed` with this
//!    line is a finding. Last the model completes the instruction. `completed` gets the beats and
//!    the effect with its values: the retire checker compares r5, the memory checker takes the
//!    write of cycle 548 from its queue and compares it, and the checker of atomic order applies
//!    the addition to its own copy of the word, in the order of the
//!    [witness](crate::lockstep::witness).
//! 5. *End of the run.* `end`: the memory checker reports a write that no instruction caused, the
//!    end state compares the machine's memory with the model's.
//!
//! An instruction that does not complete later has only step 1: `issued` gets its result. With one
//! core `performed` is never called: the order of completions is the order at the port, and the
//! model performs the access when it completes it.
//!
//! # Rules for a checker
//!
//! - `before_issue` may be called several times for one record: a record that the model cannot take
//!   yet comes again. All other hooks are called once per event.
//! - `memory_write`, `shared_write` and `acknowledged` return no finding. They keep what they see,
//!   and a later hook judges it.
//! - All state is in `self`: after a mismatch the run goes back to a [copy](Checker::copy).

use quadlock_golden::{Effect, Golden, Grid, Merged, Split};
use quadlock_hdl::config::GpuConfig;
use quadlock_isa::Op;

use crate::lockstep::finding::{Check, Concern};
use crate::lockstep::ownership::Ownership;
use crate::lockstep::sequencer::{Completed, Retired};
use crate::lockstep::witness::Step;
use crate::lockstep::wrong::Protocol;
use crate::machine::launch::Launch;
use crate::machine::memory::{Image, WriteRecord};
use crate::machine::ports::{
    BusEvent, GraphicsLaunched, LaunchEvent, ListOp, MergeEvent, Outputs, SharedWriteEvent, SplitEvent,
};

/// What every checker may look at.
pub struct Context<'a> {
    /// Of the event that the hook is about. It may lie before the present one when the model has
    /// had to wait. In `before_issue` it is the present one.
    pub cycle: u64,
    /// The model, before or after the step: see the table above.
    pub golden: &'a Golden,
    pub launch: &'a Launch,
    pub grid: &'a Grid,
    pub config: &'a GpuConfig,
    /// The machine's memory at present, with all writes that the port has accepted.
    pub image: &'a Image,
    /// The machine's ports in the present cycle.
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

/// One concern of lockstep: see the module for the order of the hooks.
pub trait Checker {
    /// The concern, which names the checker.
    fn concern(&self) -> Concern;

    /// A launch event, in its cycle. The slot of the model may still hold the warp before.
    fn launch(&mut self, _cycle: u64, _event: &LaunchEvent, _cx: &Context) -> Check {
        Ok(())
    }
    /// The machine retired an instruction that the model will execute now. The model is still
    /// before the instruction. Called again if the model cannot take it yet.
    fn before_issue(&mut self, _record: &Retired, _cx: &Context) -> Check {
        Ok(())
    }
    /// The model has executed the instruction. If the effect is deferred, the results come with
    /// `completed`.
    fn issued(&mut self, _record: &Retired, _effect: &Effect, _cx: &Context) -> Check {
        Ok(())
    }
    /// A memory or function instruction is complete in machine and model: all beats, and the effect
    /// with its values. `steps` are the stores and atomics whose effects are known since this
    /// completion, in the order in which they had them; with several cores they may be those of
    /// earlier completions.
    fn completed(&mut self, _done: &Completed, _effect: &Effect, _steps: &[Step], _cx: &Context) -> Check {
        Ok(())
    }
    /// The model has launched what a launch event announced in that cycle.
    fn launched(&mut self, _cycle: u64, _event: &LaunchEvent, _cx: &Context) -> Check {
        Ok(())
    }
    /// The model has launched a warp of vertices or fragments; then `launched` is not called.
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
    /// The model will now perform a memory transaction (core, byte address of the line, write) of
    /// an instruction, an atomic or not. Only with several cores. The instruction has been issued
    /// and its last beat was seen.
    fn performed(
        &mut self,
        _transaction: (usize, u32, bool),
        _done: &Completed,
        _atomic: bool,
        _cx: &Context,
    ) -> Check {
        Ok(())
    }
    /// Every 64 cycles: a finding if something has been under way for too long. With `all` the
    /// machine has stopped making progress, so nothing should be under way.
    fn overdue(&mut self, _all: bool, _cx: &Context) -> Check {
        Ok(())
    }
    /// What the program did wrong, on which machine and model agree. Asked after the run.
    fn problem(&self) -> Option<Protocol> {
        None
    }
    /// The lock words, if the checker follows them. Asked after the run.
    fn ownership(&self) -> Option<&Ownership> {
        None
    }
    /// What a waiting thread waits for. Asked when the run hangs.
    fn waits_for(&self, _thread: u16) -> Vec<Awaited> {
        Vec::new()
    }
    /// Who waits for an entry of the semaphore entity's pool while none is free. Asked when the run
    /// hangs.
    fn shortage(&self) -> Option<Shortage> {
        None
    }
    /// A write that the memory port accepted, in its cycle; writes of tiles are not among them.
    fn memory_write(&mut self, _write: WriteRecord) {}
    /// A write into a unit's shared storage, in its cycle.
    fn shared_write(&mut self, _cycle: u64, _unit: usize, _write: SharedWriteEvent) {}
    /// The run has ended well, and nothing is held for the model.
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
