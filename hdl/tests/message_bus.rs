//! The message bus against queues in plain Rust (SE-2): random messages of all senders with stalls
//! at all receivers. Nothing is lost, doubled, sent astray or reordered between one sender and one
//! receiver; the wait is within the bound of the header; latency and throughput are those of the
//! header. Each planted fault is found.

use std::collections::VecDeque;

use quadlock_hdl::base::testing::Bench;
use quadlock_hdl::bus::MessageBus;
use quadlock_hdl::config::BusKind;
use quadlock_hdl::fault::Fault;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Message {
    to: usize,
    head: u64,
    body: u64,
}

/// Chances in 256 that a sender without a message gets one and that a receiver is ready, by number.
struct Rates {
    offer: fn(usize) -> u16,
    ready: fn(usize) -> u16,
}

const BUSY: Rates = Rates { offer: |_| 256, ready: |_| 256 };
const RATES: [Rates; 4] = [
    BUSY,
    Rates { offer: |_| 60, ready: |_| 200 },
    Rates { offer: |s| if s == 0 { 30 } else { 256 }, ready: |_| 90 },
    // One receiver hardly ever takes anything.
    Rates { offer: |_| 220, ready: |r| if r == 1 { 4 } else { 256 } },
];

/// What a run has shown.
#[derive(Debug, Default)]
struct Seen {
    /// Messages delivered per sender.
    delivered: Vec<u64>,
    /// The most others that went first, in cycles in which the message could have gone.
    waited: u64,
    /// The most cycles in which a message could have gone, nobody that excludes it went, and it did
    /// not go either.
    idled: u64,
}

struct Run {
    bench: Bench<MessageBus>,
    kind: BusKind,
    offered: Vec<Option<Message>>,
    /// Messages taken and not yet delivered, by receiver.
    inside: Vec<VecDeque<(usize, Message)>>,
    waits: Vec<u64>,
    seen: Seen,
    count: u64,
}

impl Run {
    fn new(senders: usize, receivers: usize, kind: BusKind, fault: Option<Fault>) -> Self {
        Self {
            bench: Bench::new(MessageBus::with_fault(senders, receivers, kind, fault), |b| &mut b.clock),
            kind,
            offered: vec![None; senders],
            inside: vec![VecDeque::new(); receivers],
            waits: vec![0; senders],
            seen: Seen { delivered: vec![0; senders], ..Seen::default() },
            count: 0,
        }
    }

    /// A message that exists once.
    fn message(&mut self, to: usize) -> Option<Message> {
        self.count += 1;
        Some(Message {
            to,
            head: self.count.wrapping_mul(0x9E37) & 0xFFFF,
            body: self.count.wrapping_mul(0x9E37_79B1) & 0xFFFF_FFFF,
        })
    }

    /// One cycle with those receivers ready; which senders' messages were taken.
    fn cycle(&mut self, ready: &[bool]) -> Result<Vec<bool>, String> {
        for (s, message) in self.offered.iter().enumerate() {
            self.bench.in_valid[s].next = message.is_some();
            if let Some(m) = message {
                self.bench.in_to[s].next = (m.to as u64).into();
                self.bench.in_head[s].next = m.head.into();
                self.bench.in_body[s].next = m.body.into();
            }
        }
        for (port, &ready) in self.bench.out_ready.iter_mut().zip(ready) {
            port.next = ready;
        }
        self.bench.settle();
        let now = self.bench.cycles;
        let full: Vec<bool> = self.inside.iter().map(|q| !q.is_empty()).collect();
        let idle = self.bench.idle.val();
        self.deliver(ready)?;
        if idle != full.iter().all(|f| !f) {
            return Err(format!("cycle {now}: idle is {}", idle));
        }
        let taken: Vec<bool> =
            (0..self.offered.len()).map(|s| self.offered[s].is_some() && self.bench.in_ready[s].val()).collect();
        self.account(&taken, &full, ready)?;
        for (s, _) in taken.iter().enumerate().filter(|t| *t.1) {
            let m = self.offered[s].take().expect("it was offered");
            self.inside[m.to].push_back((s, m));
        }
        self.bench.cycle();
        Ok(taken)
    }

    fn deliver(&mut self, ready: &[bool]) -> Result<(), String> {
        let (b, now) = (&self.bench, self.bench.cycles);
        for (r, queue) in self.inside.iter_mut().enumerate() {
            // A message taken in the last cycle is here now: the latency.
            if b.out_valid[r].val() == queue.is_empty() {
                return Err(format!(
                    "cycle {now}: receiver {r} has {} message, expected {:?}",
                    b.out_valid[r].val(),
                    queue.front()
                ));
            }
            if !b.out_valid[r].val() || !ready[r] {
                continue;
            }
            let got = (
                b.out_from[r].val().index(),
                Message { to: r, head: b.out_head[r].val().to_u64(), body: b.out_body[r].val().to_u64() },
            );
            let expected = queue.pop_front();
            if expected != Some(got) {
                return Err(format!("cycle {now}: receiver {r} is given {got:?}, expected {expected:?}"));
            }
            self.seen.delivered[got.0] += 1;
        }
        Ok(())
    }

    /// The bounds: whoever could have gone has waited for the others that went.
    fn account(&mut self, taken: &[bool], full: &[bool], ready: &[bool]) -> Result<(), String> {
        let to: Vec<Option<usize>> = self.offered.iter().map(|m| m.map(|m| m.to)).collect();
        let went = |r: Option<usize>| (0..to.len()).filter(|&s| taken[s] && (r.is_none() || to[s] == r)).count() as u64;
        if to.iter().any(|t| t.is_some() && went(*t) > 1) || (self.kind == BusKind::Shared && went(None) > 1) {
            return Err(format!("cycle {}: too many messages at once", self.bench.cycles));
        }
        for s in 0..to.len() {
            let Some(r) = to[s] else { continue };
            let could = !full[r] || ready[r];
            if taken[s] {
                if !could {
                    return Err(format!("cycle {}: taken for a receiver that is full", self.bench.cycles));
                }
                self.waits[s] = 0;
            } else if could {
                let others = if self.kind == BusKind::Shared { went(None) } else { went(Some(r)) };
                self.waits[s] += others;
                self.seen.waited = self.seen.waited.max(self.waits[s]);
                self.seen.idled += u64::from(others == 0);
                if self.waits[s] >= to.len() as u64 || self.seen.idled > 0 {
                    return Err(format!(
                        "cycle {}: sender {s} has waited for {} others",
                        self.bench.cycles, self.waits[s]
                    ));
                }
            }
        }
        Ok(())
    }

    /// Random traffic, then everything is delivered.
    fn random(mut self, seed: u64, rates: &Rates, cycles: u64) -> Result<Seen, String> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        for cycle in 0..cycles + 200 {
            for s in 0..self.offered.len() {
                if cycle < cycles && self.offered[s].is_none() && rng.random_range(0..256) < (rates.offer)(s) {
                    // Some receivers more often than others.
                    let to = rng.random_range(0..self.inside.len()).min(rng.random_range(0..self.inside.len()));
                    self.offered[s] = self.message(to);
                }
            }
            let ready: Vec<bool> = (0..self.inside.len())
                .map(|r| cycle >= cycles || rng.random_range(0..256) < (rates.ready)(r))
                .collect();
            self.cycle(&ready)?;
        }
        match self.offered.iter().flatten().count() + self.inside.iter().map(VecDeque::len).sum::<usize>() {
            0 => Ok(self.seen),
            left => Err(format!("{left} messages are never delivered")),
        }
    }
}

#[test]
fn every_message_arrives_once_in_order_within_the_bound() {
    for kind in [BusKind::Crossbar, BusKind::Shared] {
        for (senders, receivers) in [(2, 2), (3, 3), (6, 6), (5, 3), (16, 16)] {
            let mut waited = 0;
            for (seed, rates) in (1..).zip(&RATES) {
                let run = Run::new(senders, receivers, kind, None);
                let seen = run
                    .random(seed, rates, 1500)
                    .unwrap_or_else(|e| panic!("{kind:?} {senders}x{receivers} rates {seed}: {e}"));
                assert!(seen.delivered.iter().all(|&d| d > 5), "{kind:?} {senders}x{receivers} rates {seed}: {seen:?}");
                waited = waited.max(seen.waited);
            }
            // The bound is met, not only kept.
            assert_eq!(waited, senders as u64 - 1, "{kind:?} {senders}x{receivers}");
        }
    }
}

/// The case that a round robin pointer gets wrong: receiver 0 is free only just after sender 0 was
/// served elsewhere, so that sender 1 would always come before sender 2.
#[test]
fn a_receiver_that_stalls_in_step_starves_nobody() {
    for kind in [BusKind::Crossbar, BusKind::Shared] {
        let mut run = Run::new(3, 2, kind, None);
        for cycle in 0..600 {
            for (s, to) in [1, 0, 0].into_iter().enumerate() {
                if run.offered[s].is_none() {
                    run.offered[s] = run.message(to);
                }
            }
            run.cycle(&[cycle % 2 == 0, true]).unwrap();
        }
        assert!(run.seen.delivered[1].abs_diff(run.seen.delivered[2]) <= 1, "{kind:?}: {:?}", run.seen);
        assert!(run.seen.delivered[2] > 90, "{kind:?}: {:?}", run.seen);
    }
}

/// A crossbar gives every receiver a message per cycle, a shared bus one of them; a lone sender has
/// all of it.
#[test]
fn throughput_is_that_of_the_header() {
    for (kind, senders, per_cycle) in
        [(BusKind::Crossbar, 4, 4), (BusKind::Shared, 4, 1), (BusKind::Crossbar, 1, 1), (BusKind::Shared, 1, 1)]
    {
        let mut run = Run::new(4, 4, kind, None);
        for cycle in 0..50 {
            for s in 0..senders {
                if run.offered[s].is_none() {
                    run.offered[s] = run.message((s + cycle) % 4);
                }
            }
            let taken = run.cycle(&[true; 4]).unwrap();
            // The crossbar's senders all ask for different receivers, in every cycle.
            assert_eq!(taken.iter().filter(|t| **t).count(), per_cycle, "{kind:?}, {senders} senders, cycle {cycle}");
        }
    }
}

/// A stalled receiver holds back nothing that goes elsewhere.
#[test]
fn a_stalled_receiver_blocks_only_itself() {
    for kind in [BusKind::Crossbar, BusKind::Shared] {
        let mut run = Run::new(3, 3, kind, None);
        for cycle in 0..60 {
            for (s, to) in [0, 0, 2].into_iter().enumerate() {
                if run.offered[s].is_none() {
                    run.offered[s] = run.message(to);
                }
            }
            let taken = run.cycle(&[false, true, true]).unwrap();
            assert!(cycle < 2 || taken[2], "{kind:?}: cycle {cycle}");
        }
        assert_eq!(run.inside[0].len(), 1);
    }
}

#[test]
fn planted_faults_are_caught() {
    for (fault, message) in [
        (Fault::BusDrop, "expected"),
        (Fault::BusDuplicate, "expected None"),
        (Fault::BusReorder, "is given"),
        (Fault::BusUnfair, "has waited for"),
    ] {
        for kind in [BusKind::Crossbar, BusKind::Shared] {
            let found = RATES.iter().find_map(|rates| Run::new(4, 4, kind, Some(fault)).random(3, rates, 400).err());
            let found = found.unwrap_or_else(|| panic!("{fault:?} on {kind:?} is not caught"));
            assert!(found.contains(message), "{fault:?} on {kind:?}: {found}");
        }
    }
}
