//! The statements of programs full of atomics: atomics per lane and of the warp on words that all
//! threads share, locks that are given back by anybody or only by their owner, operations across
//! the lanes, and long runs of lane instructions behind a load. A lock that only its owner gives
//! back is a block: whoever does not get it goes round. It would be wrong if lanes that took it
//! came to its end one after the other, so there is no barrier inside.

use super::*;

impl Generator<'_> {
    pub(super) fn atomic_statement(&mut self, at: Place) {
        match self.options.owned_locks && at.depth < 4 && self.chance(0.15) {
            true => self.owned_lock(at),
            false => self.atomic_instruction(),
        }
    }

    /// An atomic, mostly where others have theirs, a lock, or an operation across the lanes.
    fn atomic_instruction(&mut self) {
        if self.chance(0.2) {
            let (row, d, a) = (pick(self.rng, |r| r.op.cross_lane().is_some()), self.data(), self.data());
            return self.line(format!("{} r{d}, r{a}", row.name));
        }
        let wide = self.chance(0.6);
        self.one_atomic(wide);
    }

    /// An atomic of the warp, or one per lane.
    fn one_atomic(&mut self, wide: bool) {
        let pinned = self.grid.pinned;
        let row = pick(self.rng, |r| {
            let fits = r.class == Class::Global || pinned && r.class == Class::Shared;
            r.op.is_atomic() && fits && (r.op.is_warp_wide() == wide)
        });
        let lock = !self.options.owned_locks && (row.op == Op::WALock || self.chance(0.08));
        let taken = lock || !self.options.owned_locks && row.op == Op::WALockS;
        let row = if lock { Op::WALock.row() } else { row };
        let bytes = row.op.access_bytes();
        let place = match self.below(4) {
            _ if lock => self.lock_word(),
            _ if row.op == Op::WALock => self.address(WINDOW, 0, WINDOW_BYTES),
            _ if row.class == Class::Shared => self.shared_address(),
            0 => self.global_address(row, bytes),
            1 => format!("[r{COMMON}]"),
            _ => self.address(COMMON, 0, COMMON_BYTES / 2),
        };
        let words = bytes.div_ceil(4);
        let (d, b, c) = (self.data_group(words), self.data_group(words), self.data_group(words));
        let b = match taken && self.chance(0.7) {
            true => {
                let take = self.below(2);
                self.line(format!("MOV r{CONDITION}, #{take}"));
                CONDITION
            }
            false => b,
        };
        self.line(match row.shape {
            Shape::AtomicCas { .. } => format!("{} r{d}, {place}, r{b}, r{c}", row.name),
            _ => format!("{} r{d}, {place}, r{b}", row.name),
        });
    }

    fn lock_word(&mut self) -> String {
        let word = self.below(LOCKS_BYTES / 4);
        format!("[r{COMMON}+{}]", COMMON_BYTES - LOCKS_BYTES + 4 * word)
    }

    /// Tries to take a lock; who gets it does something and gives it back. All lanes that took it
    /// come to the end of the block or end.
    fn owned_lock(&mut self, at: Place) {
        let (word, skip) = (self.lock_word(), self.new_label("unlocked"));
        let (taken, given) = (self.data(), self.data());
        let mark = format!("{LOCK_LINE}{skip}");
        self.line(format!("MOV r{CONDITION}, #1{mark}"));
        self.line(format!("WATOM32.LOCK r{taken}, {word}, r{CONDITION}{mark}"));
        self.line(format!("BZ r{taken}, {skip}{mark}"));
        self.block(Place { depth: at.depth + 1, convergent: false, locked: true, ..at }, 4);
        self.line(format!("MOV r{CONDITION}, #0{mark}"));
        self.line(format!("WATOM32.LOCK r{given}, {word}, r{CONDITION}{mark}"));
        self.label(&skip);
    }

    /// Lanes come late to an atomic of the warp: they jump past it, the others execute it and jump
    /// past them, and they jump back, one group or two. What stands between may end the encounter.
    pub(super) fn late_lanes(&mut self, at: Place) {
        let [place, far, beyond] = ["place", "far", "beyond"].map(|stem| self.new_label(stem));
        let inside = Place { depth: at.depth + 1, convergent: false, ..at };
        let condition = self.condition();
        self.line(format!("BNZ r{condition}, {far}"));
        self.label(&place);
        self.one_atomic(true);
        if self.chance(0.3) {
            self.block(inside, 2);
        }
        self.line(format!("BRA {beyond}"));
        self.label(&far);
        if self.chance(0.3) {
            self.block(inside, 2);
        }
        if self.chance(0.4) {
            let farther = self.new_label("farther");
            let condition = self.condition();
            self.line(format!("BNZ r{condition}, {farther}"));
            self.line(format!("BRA {place}"));
            self.label(&farther);
        }
        self.line(format!("BRA {place}"));
        self.label(&beyond);
    }

    /// A load that nobody waits for, at least 300 lane instructions, and an atomic of the warp
    /// behind it; then the load's result is needed. With a slow memory all of them are issued while
    /// the load is in flight: sequence numbers of 8 bits come round.
    pub(super) fn long_run(&mut self) {
        let (loaded, counter, head) = (self.data_base % REGISTERS as u8, COUNTERS[0], self.new_label("run"));
        let others = self.all_data()[1..].to_vec();
        let other = |g: &mut Self| others[g.rng.random_range(0..others.len())];
        let (offset, rounds) = (4 * self.below(WINDOW_BYTES / 4), 76 + self.below(60));
        self.line(format!("LD.32 r{loaded}, [r{WINDOW}+{offset}]"));
        self.line(format!("MOV r{counter}, #{rounds}"));
        self.label(&head);
        for name in ["IADD", "XOR"] {
            let (d, a, b) = (other(self), other(self), other(self));
            self.line(format!("{name} r{d}, r{a}, r{b}"));
        }
        self.line(format!("ISUB r{counter}, r{counter}, #1"));
        self.line(format!("BNZ r{counter}, {head}"));
        for _ in 0..self.below(4) {
            let (d, a) = (other(self), other(self));
            self.line(format!("IADD r{d}, r{a}, #1"));
        }
        let row = pick(self.rng, |r| {
            r.op.is_warp_wide()
                && r.op.is_atomic()
                && r.op.access_bytes() == 4
                && !r.op.is_shared()
                && r.op != Op::WALock
        });
        let (d, b, c) = (other(self), other(self), other(self));
        let compare = if matches!(row.shape, Shape::AtomicCas { .. }) { format!(", r{c}") } else { String::new() };
        self.line(format!("{} r{d}, [r{COMMON}], r{b}{compare}", row.name));
        self.line(format!("IADD r{loaded}, r{loaded}, r{d}"));
    }
}
