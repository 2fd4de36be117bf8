//! Warps as threads: what ACS, ASR, WTS and RLS send and wait for (`SE-30` to `SE-34`), and what an
//! ACK_MSG does. A warp's *wait count* is the number of its acknowledgements outstanding; it waits
//! when it has executed ACS, ASR or WTS and the count is not 0. Who delivers a message decides when
//! it has its effect: a machine that is followed, or [`Golden::deliver`] at once. It would be wrong
//! to count an acquire later than its message can be acknowledged.

use crate::effect::{Asked, ProtocolRecord, Unreleased};
use crate::grid::Launch;
use crate::lanes::lanes_of;
use crate::model::{operand_b, Golden, StepError, KEPT};
use crate::program::{Decoded, MessageForm};
use crate::semaphores::{place_of, thread_id, Change, Message, MessageKind};

impl Golden {
    /// An ACK_MSG reaches its thread (SE-24).
    ///
    /// # Errors
    /// The thread has no acknowledgement outstanding.
    pub fn acknowledge(&mut self, thread: u16) -> Result<(), StepError> {
        let (unit, warp) = place_of(thread);
        let index = self.index(unit, warp).ok_or(StepError::NoSuchSlot { unit, warp })?;
        let slot = &mut self.warps[index];
        if slot.wait_count == 0 {
            return Err(StepError::NotAwaited { unit, warp });
        }
        slot.wait_count -= 1;
        slot.waiting &= slot.wait_count != 0;
        Ok(())
    }

    /// Delivers a message to the lists, and at once what they send. `pc`: of the instruction that
    /// sent it, if one did. For running without a machine whose messages are to be followed.
    pub fn deliver(&mut self, message: &Message, pc: Option<u16>) {
        for operation in self.semaphores.apply(message) {
            if let Change::Error(error) = operation.change {
                self.protocol_error_count += 1;
                if self.protocol_errors.len() < KEPT {
                    self.protocol_errors.push(ProtocolRecord { message: *message, error, pc });
                }
            }
            if let Some(thread) = operation.acknowledge {
                // Every entry without acknowledge-suppress was counted in its thread's wait count
                // before its message was sent.
                let awaited = self.acknowledge(thread);
                debug_assert_eq!(awaited, Ok(()));
            }
        }
    }

    /// Executes ACS, ASR, WTS or RLS but for the sending: its message (SE-30 to SE-34).
    pub(crate) fn message(
        &mut self,
        index: usize,
        pc: u16,
        mask: u8,
        i: &Decoded,
        form: MessageForm,
    ) -> Option<Message> {
        let slot = &mut self.warps[index];
        if matches!(form, MessageForm::Acquire { .. } | MessageForm::Wait) {
            slot.wait_place = (pc, mask);
        }
        let lane = lanes_of(mask).next()?;
        let semaphore = operand_b(slot, i)[lane].min(0xFFFF) as u16;
        let thread = thread_id(slot.launch.unit, slot.launch.warp);
        match form {
            MessageForm::Acquire { auto_release } => {
                let Launch { unit, warp, .. } = slot.launch;
                self.acquired.entry(semaphore).or_insert(Asked { unit, warp, pc });
                slot.wait_count = slot.wait_count.saturating_add(1);
                slot.waiting = true;
                if !auto_release {
                    slot.holds.push(semaphore);
                }
                Some(Message { kind: MessageKind::Acquire { auto_release, suppress: false }, semaphore, thread })
            }
            MessageForm::Wait => {
                slot.waiting = slot.wait_count != 0;
                None
            }
            MessageForm::Release => {
                let Launch { unit, warp, .. } = slot.launch;
                self.released.entry((semaphore, pc)).or_insert(Asked { unit, warp, pc });
                if let Some(at) = slot.holds.iter().position(|&s| s == semaphore) {
                    slot.holds.remove(at);
                }
                Some(Message { kind: MessageKind::Release, semaphore, thread })
            }
            MessageForm::Nothing => None,
        }
    }

    /// A thread that has ended must have released what it acquired.
    pub(crate) fn note_unreleased(&mut self, index: usize, pc: u16) {
        let slot = &mut self.warps[index];
        if slot.holds.is_empty() || !slot.is_ended() {
            return;
        }
        let semaphores = std::mem::take(&mut slot.holds);
        if self.unreleased.len() < KEPT {
            let Launch { unit, warp, .. } = slot.launch;
            self.unreleased.push(Unreleased { unit, warp, pc, semaphores });
        }
    }
}
