//! The semaphore functions (docs/semaphores.md).
//!
//! A call becomes a [`Kind::Message`], or with [`Options::polling`](crate::front::Options) a loop
//! that waits for memory to change. In such a loop all active lanes read one and the same word in
//! one instruction, so they leave it together and none can wait for another lane of its own warp
//! (WW-11); a lock's value names the warp that holds it, so that the lanes that come second in the
//! compare-and-exchange see that it is theirs. Wrong would be a loop whose load a pass moves out of
//! it: [`Kind::Fence`] forbids that.

use super::cx::{Emit, Res};
use crate::ssa::{Kind, MessageOp, Space, Value, Width};
use quadlock_isa::{abi, Op, Special};

/// A semaphore function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    Message(MessageOp),
    DependencyWait,
    DependencyDone,
}

/// Their names.
pub const FUNCTIONS: [(&str, Call); 6] = [
    ("semaphoreAcquire", Call::Message(MessageOp::Acquire)),
    ("semaphoreAcquireRelease", Call::Message(MessageOp::AcquireRelease)),
    ("semaphoreWait", Call::Message(MessageOp::Wait)),
    ("semaphoreRelease", Call::Message(MessageOp::Release)),
    ("dependencyWait", Call::DependencyWait),
    ("dependencyDone", Call::DependencyDone),
];

impl Call {
    /// Whether the function names a semaphore.
    pub fn takes_id(self) -> bool {
        !matches!(self, Call::Message(MessageOp::Wait) | Call::DependencyWait | Call::DependencyDone)
    }
}

/// How many semaphore identifiers the dependency word holds itself (docs/semaphores.md), their
/// width in bits, and the number that says that they are in a list.
pub const INLINE_IDS: usize = 2;
const ID_BITS: u32 = 10;
const LIST: u32 = 3;

impl Emit<'_> {
    /// A call of a semaphore function; `name` for messages.
    pub fn semaphore_call(&mut self, call: Call, id: Option<Value>, name: &str) -> Res<()> {
        let polling = self.p.options.polling;
        self.p.semaphores.dependencies |= matches!(call, Call::DependencyWait | Call::DependencyDone);
        match call {
            Call::DependencyWait if polling => self.poll_dependencies(),
            Call::DependencyDone if polling => self.set_own_flag(),
            Call::DependencyWait => self.message(MessageOp::Wait, None),
            Call::DependencyDone => self.release_dependencies(),
            Call::Message(op) if polling => self.polled(op, id, name)?,
            Call::Message(op) => self.message(op, id),
        }
        Ok(())
    }

    pub fn message(&mut self, op: MessageOp, id: Option<Value>) {
        self.b.push(Kind::Message { op, id }, 0);
    }

    /// RLS of every identifier of the dependency word: 31:30 how many, 9:0 and 19:10; or 3, and
    /// 29:0 the word address of a list: count, then identifiers.
    pub fn release_dependencies(&mut self) {
        let [list, next, body, first, one, second, exit] = std::array::from_fn(|_| self.b.block());
        let word = self.b.special(Special::GroupZ);
        let count = self.b.alu_imm(Op::Shr, word, 30);
        let three = self.b.constant(LIST);
        let in_list = self.b.alu2(Op::ISetEq, count, three);
        self.b.branch(in_list, list, first);

        self.b.start(list);
        let at = self.b.slot(1, "dependency");
        let base = self.b.alu_imm(Op::Shl, word, 2);
        let entries = self.load_word(base, 0);
        let bytes = self.b.alu_imm(Op::Shl, entries, 2);
        let end = self.b.alu2(Op::IAdd, base, bytes);
        self.b.slot_store(at, 0, base);
        self.b.jump(next);
        self.b.start(next);
        let here = self.b.slot_load(at, 0);
        let more = self.b.alu2(Op::USetLt, here, end);
        self.b.branch(more, body, exit);
        self.b.start(body);
        let id = self.load_word(here, 4);
        self.message(MessageOp::Done, Some(id));
        let following = self.b.alu_imm(Op::IAdd, here, 4);
        self.b.slot_store(at, 0, following);
        self.b.jump(next);

        self.b.start(first);
        self.b.branch(count, one, exit);
        self.b.start(one);
        let mask = (1 << ID_BITS) - 1;
        let id = self.b.alu_imm(Op::And, word, mask);
        self.message(MessageOp::Done, Some(id));
        let two = self.b.constant(INLINE_IDS as u32);
        let has_second = self.b.alu2(Op::ISetEq, count, two);
        self.b.branch(has_second, second, exit);
        self.b.start(second);
        let id = self.b.alu_imm(Op::Shr, word, ID_BITS);
        let id = self.b.alu_imm(Op::And, id, mask);
        self.message(MessageOp::Done, Some(id));
        self.b.jump(exit);
        self.b.start(exit);
    }

    pub fn load_word(&mut self, addr: Value, offset: u32) -> Value {
        self.b.load(Space::Global, Width::W32, addr, offset)[0]
    }

    /// Spins until each predecessor's flag is set. The dependency word is the word address of: own
    /// flag, count, flags of the predecessors (all word addresses).
    pub fn poll_dependencies(&mut self) {
        let [next, body, spin, step, exit] = std::array::from_fn(|_| self.b.block());
        let at = self.b.slot(1, "flag");
        let word = self.b.special(Special::GroupZ);
        let base = self.b.alu_imm(Op::Shl, word, 2);
        let count = self.load_word(base, 4);
        let bytes = self.b.alu_imm(Op::Shl, count, 2);
        let end = self.b.alu2(Op::IAdd, base, bytes);
        self.b.slot_store(at, 0, base);
        self.b.jump(next);
        self.b.start(next);
        let here = self.b.slot_load(at, 0);
        let more = self.b.alu2(Op::USetLt, here, end);
        self.b.branch(more, body, exit);
        self.b.start(body);
        let flag = self.load_word(here, 8);
        let flag = self.b.alu_imm(Op::Shl, flag, 2);
        self.b.jump(spin);
        self.b.start(spin);
        self.fence(true);
        let set = self.load_word(flag, 0);
        self.b.branch(set, step, spin);
        self.b.start(step);
        let following = self.b.alu_imm(Op::IAdd, here, 4);
        self.b.slot_store(at, 0, following);
        self.b.jump(next);
        self.b.start(exit);
        self.fence(false);
    }

    pub fn set_own_flag(&mut self) {
        self.fence(false);
        let word = self.b.special(Special::GroupZ);
        let base = self.b.alu_imm(Op::Shl, word, 2);
        let flag = self.load_word(base, 0);
        let flag = self.b.alu_imm(Op::Shl, flag, 2);
        let one = self.b.constant(1);
        self.b.store(Space::Global, Width::W32, flag, 0, vec![one]);
        self.fence(false);
    }

    /// The lock that stands for a semaphore.
    pub fn lock(&mut self, id: Value) -> Value {
        self.p.semaphores.locks = true;
        let table = self.b.const_word(abi::CONST_LOCKS as u32);
        let offset = self.b.alu_imm(Op::Shl, id, 2);
        self.b.alu2(Op::IAdd, table, offset)
    }

    pub fn polled(&mut self, op: MessageOp, id: Option<Value>, name: &str) -> Res<()> {
        let Some(id) = id else {
            let message = format!(
                "{name} waits for semaphores of the job's thread list, which do not exist with semaphores=polling"
            );
            return Err(self.refuse_help(message, "write dependencyWait(), which both variants know"));
        };
        let lock = self.lock(id);
        if op == MessageOp::Release {
            let here = self.b.loc;
            self.p.semaphores.release.get_or_insert(here);
            self.fence(false);
            let zero = self.b.constant(0);
            self.b.store(Space::Global, Width::W32, lock, 0, vec![zero]);
            self.fence(false);
            return Ok(());
        }
        let [wait, exit] = std::array::from_fn(|_| self.b.block());
        let slot = self.b.special(Special::ThreadSlot);
        let warp = self.b.alu_imm(Op::Shr, slot, abi::LANES.trailing_zeros());
        let token = self.b.alu_imm(Op::IAdd, warp, 1);
        let zero = self.b.constant(0);
        self.b.jump(wait);
        self.b.start(wait);
        self.fence(true);
        let held = self.load_word(lock, 0);
        if op == MessageOp::AcquireRelease {
            self.b.branch(held, wait, exit);
        } else {
            self.p.semaphores.acquires = true;
            let take = self.b.block();
            // With several cores the holder can let go between two lanes' attempts: then a later
            // lane has taken the lock for this warp, and the lanes before it follow.
            let nobody = self.b.alu2(Op::ISetEq, held, zero);
            let mine = self.b.alu2(Op::ISetEq, held, token);
            let open = self.b.alu2(Op::Or, nobody, mine);
            self.b.branch(open, take, wait);
            self.b.start(take);
            self.fence(true);
            let cas = Kind::Atomic {
                warp_wide: false,
                space: Space::Global,
                op: crate::ssa::AtomicOp::Cas,
                addr: lock,
                offset: 0,
                values: vec![token],
                expected: vec![zero],
            };
            let old = self.b.push(cas, 1)[0];
            let free = self.b.alu2(Op::ISetEq, old, zero);
            let ours = self.b.alu2(Op::ISetEq, old, token);
            let taken = self.b.alu2(Op::Or, free, ours);
            self.b.branch(taken, exit, wait);
        }
        self.b.start(exit);
        self.fence(false);
        Ok(())
    }

    /// What can be told only when the whole entry point has been lowered.
    pub fn check_semaphores(&mut self) -> Res<()> {
        let seen = &self.p.semaphores;
        let Some(loc) = seen.release.filter(|_| !seen.acquires) else { return Ok(()) };
        let message = "semaphoreRelease without semaphoreAcquire releases a semaphore of the job's thread list, which does not exist with semaphores=polling";
        Err(self.refuse_at(loc, message, "write dependencyDone(), which both variants know"))
    }
}
