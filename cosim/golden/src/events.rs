//! Where lanes meet merge and split points (MS-10, MS-35): at an instruction, behind one that
//! carries the event, or where the number beside the program says. What they do there is in
//! [`crate::merge`] and [`crate::split`].
//!
//! A point beside the program is met by the lanes at the lowest counter only, before they execute
//! anything else. So lanes are looked at after every instruction and at the launch. It would be
//! wrong to let lanes meet it before others that are behind them: those come first (MS-34).
//!
//! A model that runs alone knows no pairs and no groups, so no lane stops at a point. With
//! `merge_helpers_end` helpers end at a merge point as they do in the machine. It runs no program
//! as one that splits: there helpers own all registers, and may go on.

use quadlock_isa::abi::EventForm;
use quadlock_isa::Event;

use crate::lanes::lanes_of;
use crate::model::Golden;
use crate::program::{Action, Decoded, GraphicsForm};

impl Golden {
    /// The event that an instruction is, or carries.
    pub(crate) fn event_of(&self, i: &Decoded) -> Option<Event> {
        match (self.config.event_form, i.action) {
            (EventForm::Instruction, Action::Graphics(GraphicsForm::Merge)) => Some(Event::Merge),
            (EventForm::Instruction, Action::Graphics(GraphicsForm::Split)) => Some(Event::Split),
            (EventForm::Modifier, _) => i.instr.and_then(|i| i.event),
            (EventForm::Instruction | EventForm::Counter | EventForm::Count, _) => None,
        }
    }

    /// The lanes of `mask` have executed the instruction at `pc`.
    pub(crate) fn meet_events(&mut self, index: usize, pc: u16, mask: u8) {
        let slot = &self.warps[index];
        let i = self.programs[slot.program].at_unit(pc, self.config.shape(slot.launch.unit).functions);
        match self.event_of(&i) {
            Some(Event::Merge) => self.merge_point(index, mask),
            Some(Event::Split) => self.split_point(index, mask),
            None => false,
        };
        self.settle_events(index);
    }

    /// Lanes that are next meet what stands beside their program.
    pub(crate) fn settle_events(&mut self, index: usize) {
        if !self.config.event_form.is_beside() {
            return;
        }
        while let Some((pc, mask)) = self.warps[index].next() {
            let [merging, splitting] = {
                let slot = &self.warps[index];
                [slot.events.merge, slot.events.split].map(|at| match self.config.event_form {
                    _ if at == 0 => 0,
                    EventForm::Count => lanes_of(mask).filter(|&l| slot.executed[l] == at).fold(0, |m, l| m | 1 << l),
                    _ if pc == at => mask,
                    _ => 0,
                })
            };
            let merges = merging != 0 && self.merge_point(index, merging);
            // Lanes that stand at a merge point meet nothing else there.
            let splits = !merges && splitting != 0 && self.split_point(index, splitting);
            if !merges && !splits {
                break;
            }
        }
    }
}
