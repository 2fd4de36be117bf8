//! Who owns a lock, judged from the changes of lock words in the order in which memory had them
//! (WW-28). The instruction set has no rule of ownership: to the lock form a word is 0 or 1, and
//! anybody may write it. A rule is what somebody declared. The job says of words of a buffer that
//! only who took them gives them back (`locks = "owned"`: a change by another warp is a protocol
//! error) or that anybody may (`"any"`). Of other words only the lock form says something: given
//! back by another warp than took them so, they are worth a warning.
//!
//! A declared word may hold its owner's number: 0 is free, an exchange of 0 for anything else takes
//! it, and a change to 0 gives it back. What its owner writes in between changes nothing.
//!
//! One judge for every engine: the checker `warp-wide` of lockstep feeds it,
//! [`crate::lockstep::alone`] from the machine's event ports, [`crate::simulate::golden`] from the
//! model's log. Wrong would be another order than memory's, or a slot for a warp: a slot is
//! launched again while the last warp's lock is still taken.

use std::collections::BTreeMap;

use quadlock_isa::AtomicOp;

use crate::machine::launch::Launch;
use crate::machine::locks::LockRule;

/// A warp: unit, slot, number of its launch in that slot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Holder {
    pub unit: usize,
    pub warp: usize,
    pub launch: u64,
}

impl std::fmt::Display for Holder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "unit {} warp {}", self.unit, self.warp)
    }
}

/// How an instruction changes a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `WATOM32.LOCK`.
    Lock,
    /// Exchange or compare-and-exchange of 32 bits, of a lane or the warp: how a lock without the
    /// lock form is taken.
    Exchange,
    Other,
}

/// Who does it, and the instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct By {
    pub who: Holder,
    pub pc: u16,
}

#[derive(Clone, Copy, Debug, Default)]
struct Word {
    value: u32,
    owner: Option<By>,
    /// The warp that took it last, whether or not it still has it.
    last: Option<Holder>,
}

/// A change by a warp that is not the owner.
#[derive(Clone, Copy, Debug)]
pub struct Foreign {
    pub by: By,
    pub addr: u32,
    pub owner: By,
    /// What the word is changed to.
    pub new: u32,
}

/// Follows the lock words of a run.
#[derive(Clone, Debug, Default)]
pub struct Ownership {
    words: BTreeMap<u32, Word>,
    handovers: u64,
    /// Of owned words, and of words that nobody declared: how often, and the first time.
    errors: (u64, Option<Foreign>),
    warnings: (u64, Option<Foreign>),
}

/// The declared rule of a word.
fn rule(launch: &Launch, addr: u32) -> Option<LockRule> {
    launch.locks.iter().find(|l| l.contains(addr)).map(|l| l.rule)
}

impl Ownership {
    /// Bytes written by one instruction to one line, ascending.
    pub fn write(&mut self, launch: &Launch, by: By, form: Form, bytes: &[(u32, u8)]) {
        let mut rest = bytes;
        while let Some(&(first, _)) = rest.first() {
            let addr = first & !3;
            let (own, behind) = rest.split_at(rest.iter().take_while(|b| b.0 & !3 == addr).count());
            rest = behind;
            let rule = rule(launch, addr);
            if rule.is_none() && !self.words.contains_key(&addr) {
                continue;
            }
            let old = self.words.get(&addr).map_or_else(|| initial(launch, addr), |w| w.value);
            let mut new = old.to_le_bytes();
            own.iter().for_each(|&(at, byte)| new[(at % 4) as usize] = byte);
            self.change(launch, by, form, addr, (old, u32::from_le_bytes(new)));
        }
    }

    /// An execution of the lock form that changed its word to `new`.
    pub fn lock(&mut self, launch: &Launch, by: By, addr: u32, new: u32) {
        self.change(launch, by, Form::Lock, addr & !3, (1 - (new & 1), new));
    }

    fn change(&mut self, launch: &Launch, by: By, form: Form, addr: u32, (old, new): (u32, u32)) {
        let rule = rule(launch, addr);
        let word = self.words.entry(addr).or_default();
        word.value = new;
        if old == new {
            return;
        }
        let takes = match form {
            Form::Lock => (old, new) == (0, 1),
            Form::Exchange => rule.is_some() && old == 0,
            Form::Other => false,
        };
        if takes {
            self.handovers += u64::from(word.last.is_some_and(|last| last != by.who));
            (word.owner, word.last) = (Some(by), Some(by.who));
            return;
        }
        let owner = word.owner;
        // Of a word that nobody declared any change means that it is no lock any more.
        if new == 0 || rule.is_none() {
            word.owner = None;
        }
        let Some(owner) = owner.filter(|owner| owner.who != by.who) else { return };
        let foreign = Foreign { by, addr, owner, new };
        let list = match rule {
            Some(LockRule::Owned) => &mut self.errors,
            None if form == Form::Lock => &mut self.warnings,
            Some(LockRule::Any) | None => return,
        };
        list.0 += 1;
        list.1.get_or_insert(foreign);
    }

    /// Who has taken the word and not given it back, if that is known.
    pub fn owner(&self, addr: u32) -> Option<By> {
        self.words.get(&addr)?.owner
    }

    /// How often a lock was taken by another warp than the one that had it last.
    pub fn handovers(&self) -> u64 {
        self.handovers
    }

    /// What is against the job's declaration: how often, and the first time.
    pub fn problem(&self) -> Option<(u64, Foreign)> {
        Some((self.errors.0, self.errors.1?))
    }

    /// What is unusual and nobody's declaration: how often, and the first time.
    pub fn warning(&self) -> Option<(u64, Foreign)> {
        Some((self.warnings.0, self.warnings.1?))
    }
}

/// How an atomic of that operation and so many bytes changes a word; `None`: a store does.
pub fn form(atomic: Option<AtomicOp>, bytes: u8) -> Form {
    match (atomic, bytes) {
        (Some(AtomicOp::Lock), _) => Form::Lock,
        (Some(AtomicOp::Cas | AtomicOp::Xchg), 4) => Form::Exchange,
        _ => Form::Other,
    }
}

fn initial(launch: &Launch, addr: u32) -> u32 {
    let bytes = launch.image.slice(addr, 4).and_then(|b| b.try_into().ok());
    bytes.map_or(0, u32::from_le_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lockstep::wrong::{Protocol, Warning, Wrong};
    use crate::machine::locks::LockWords;
    use crate::report::problems;

    const LOCK: u32 = 0x1800;

    fn launch(rule: Option<LockRule>) -> Launch {
        let mut launch = Launch::bare("locks", vec![2], 0x1000);
        launch.locks.extend(rule.map(|rule| LockWords { first: LOCK, count: 2, step: 8, rule }));
        launch.buffers.push(("mail".into(), LOCK, 32));
        launch
    }

    fn by(warp: usize, pc: u16) -> By {
        By { who: Holder { unit: 0, warp, launch: 1 }, pc }
    }

    fn word(addr: u32, value: u32) -> Vec<(u32, u8)> {
        (addr..).zip(value.to_le_bytes()).collect()
    }

    /// Warp 0 takes a lock, warp 1 gives it back: an error, nothing or a warning, by what the job
    /// says of the word.
    #[test]
    fn ww_28_only_a_declared_owner_is_an_error() {
        for (rule, error, warning) in
            [(Some(LockRule::Owned), true, false), (Some(LockRule::Any), false, false), (None, false, true)]
        {
            let (launch, mut o) = (launch(rule), Ownership::default());
            o.lock(&launch, by(0, 3), LOCK + 8, 1);
            assert_eq!(o.owner(LOCK + 8), Some(by(0, 3)));
            o.lock(&launch, by(1, 7), LOCK + 8, 0);
            assert_eq!((o.problem().is_some(), o.warning().is_some()), (error, warning), "{rule:?}");
            let wrong = Wrong { protocol_error: Protocol::foreign(&o), ..Wrong::default() };
            let error_text = problems::verdict(&wrong, &launch, false).1.pop();
            let warning_text = o.warning().map(|(n, first)| problems::warning(&Warning::Foreign(n, first), &launch));
            let text = error_text.or(warning_text).unwrap_or_default();
            let words = "unit 0 warp 1 pc 7 releases the lock at 0x00001808 (`mail` word 2), which unit 0 warp 0 owns since pc 3";
            assert_eq!(text.contains(words), error || warning, "{text}");
            assert_eq!(o.owner(LOCK + 8), None);
        }
    }

    /// A store or an exchange by somebody else is the same to an owned lock; of other words, and of
    /// those between declared ones, anybody may write what he likes.
    #[test]
    fn ww_28_every_change_of_an_owned_word_counts() {
        for (rule, addr, errors) in
            [(Some(LockRule::Owned), LOCK, 1), (Some(LockRule::Owned), LOCK + 4, 0), (None, LOCK, 0)]
        {
            for form in [Form::Exchange, Form::Other] {
                let (launch, mut o) = (launch(rule), Ownership::default());
                o.lock(&launch, by(0, 3), addr, 1);
                o.write(&launch, by(1, 4), form, &word(addr, 1));
                o.write(&launch, by(1, 5), form, &word(addr, 0));
                assert_eq!((o.errors.0, o.warnings.0), (errors, 0), "{rule:?} {addr:#x} {form:?}");
                // By its owner.
                o.write(&launch, by(0, 6), Form::Exchange, &word(addr, 1));
                o.write(&launch, by(0, 7), form, &word(addr, 0));
                assert_eq!((o.errors.0, o.warnings.0), (errors, 0));
            }
        }
    }

    /// To a declared word any number but 0 is taken, and its owner may change the number. Of other
    /// words an exchange says nothing.
    #[test]
    fn ww_28_a_declared_word_may_hold_its_owners_number() {
        for (rule, errors) in [(Some(LockRule::Owned), 1), (Some(LockRule::Any), 0), (None, 0)] {
            for (from, to) in [(7, 0), (7, 9), (0x8000_0000, 1)] {
                let (launch, mut o) = (launch(rule), Ownership::default());
                o.write(&launch, by(0, 3), Form::Exchange, &word(LOCK, from));
                assert_eq!(o.owner(LOCK), rule.map(|_| by(0, 3)));
                o.write(&launch, by(0, 4), Form::Other, &word(LOCK, from + 1));
                assert_eq!(o.owner(LOCK), rule.map(|_| by(0, 3)), "its owner writes it");
                o.write(&launch, by(1, 5), Form::Exchange, &word(LOCK, to));
                assert_eq!((o.errors.0, o.warnings.0), (errors, 0), "{rule:?} {from} {to}");
                // Taken until it is 0, whoever has written what.
                assert_eq!(o.owner(LOCK), rule.filter(|_| to != 0).map(|_| by(0, 3)));
                o.write(&launch, by(0, 6), Form::Other, &word(LOCK, 0));
                assert_eq!((o.errors.0, o.owner(LOCK)), (errors, None));
                // A store takes nothing.
                o.write(&launch, by(0, 7), Form::Other, &word(LOCK, from));
                assert_eq!(o.owner(LOCK), None);
            }
        }
    }

    /// Exchanges 0 -> 1 hand a lock over only where the job says that the word is one; the lock
    /// form always does.
    #[test]
    fn ww_28_hand_overs_are_of_lock_words() {
        for (rule, handovers) in [(Some(LockRule::Any), 2), (None, 0)] {
            let (launch, mut o) = (launch(rule), Ownership::default());
            for warp in 0..3 {
                o.write(&launch, by(warp, 1), Form::Exchange, &word(LOCK, 1));
                o.write(&launch, by(warp, 2), Form::Other, &word(LOCK, 0));
            }
            assert_eq!(o.handovers(), handovers);
            o.lock(&launch, by(4, 1), LOCK + 16, 1);
            o.lock(&launch, by(4, 1), LOCK + 16, 0);
            o.lock(&launch, by(5, 1), LOCK + 16, 1);
            assert_eq!(o.handovers(), handovers + 1);
        }
    }

    /// Half a word changes it too, and what it was at the start counts.
    #[test]
    fn bytes_are_put_together() {
        let (mut launch, mut o) = (launch(Some(LockRule::Owned)), Ownership::default());
        launch.image.slice_mut(LOCK, 4).unwrap().copy_from_slice(&1u32.to_le_bytes());
        o.write(&launch, by(1, 1), Form::Other, &[(LOCK, 0)]);
        assert_eq!(o.errors.0, 0, "nobody had taken it");
        o.write(&launch, by(0, 1), Form::Exchange, &word(LOCK, 1));
        o.write(&launch, by(1, 2), Form::Other, &[(LOCK + 1, 0)]);
        assert_eq!(o.errors.0, 0, "it is as it was");
        o.write(&launch, by(1, 3), Form::Other, &[(LOCK + 1, 1)]);
        assert_eq!(o.errors.0, 1);
        let wrong = Wrong { protocol_error: Protocol::foreign(&o), ..Wrong::default() };
        assert!(problems::verdict(&wrong, &launch, false).1[0].contains("writes 0x101 to the lock"));
    }
}
