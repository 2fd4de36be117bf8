//! The response queue against a queue in plain Rust: random requests, a memory that answers in
//! order after random times, a pipeline that takes responses when it likes. A response is never
//! refused, none is lost or changes its place, and a lone one passes through in its cycle.

use std::collections::VecDeque;

use quadlock_hdl::base::testing::Bench;
use quadlock_hdl::memory::ResponseQueue;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rust_hdl::prelude::*;

#[test]
fn responses_come_in_order_and_always_have_a_place() {
    for (seed, taking) in [(1, 0.9), (2, 0.5), (3, 0.05)] {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut b = Bench::new(ResponseQueue::new(), |b| &mut b.clock);
        // At the memory, in the queue; the number of the next response and of the next one to be
        // taken.
        let (mut asked, mut queued, mut sent, mut expected) = (0u32, VecDeque::new(), 0u32, 0u32);
        let (mut full, mut through) = (0, 0);
        for cycle in 0..20_000 {
            let answer = asked > 0 && rng.random_bool(0.6);
            b.req_valid.next = rng.random_bool(0.7);
            b.m_req_ready.next = rng.random_bool(0.8);
            b.m_rsp.valid.next = answer;
            b.m_rsp.data[0].next = bits(sent.into());
            b.m_rsp.data[1].next = bits(u64::from(!sent));
            b.m_rsp.data[2].next = bits(u64::from(sent ^ 0x55));
            b.m_rsp.data[3].next = bits(u64::from(sent ^ 0xAA));
            b.rsp.ready.next = rng.random_bool(taking);
            b.settle();
            let room = (asked as usize + queued.len()) < 16;
            full += usize::from(!room);
            assert_eq!(b.m_req_valid.val(), b.req_valid.val() && room, "seed {seed} cycle {cycle}");
            assert_eq!(b.req_ready.val(), b.m_req_ready.val() && room, "seed {seed} cycle {cycle}");
            through += usize::from(answer && queued.is_empty() && b.rsp.ready.val());
            if b.m_req_valid.val() && b.m_req_ready.val() {
                asked += 1;
            }
            if answer {
                asked -= 1;
                queued.push_back(sent);
                sent += 1;
            }
            assert_eq!(b.rsp.valid.val(), !queued.is_empty(), "seed {seed} cycle {cycle}");
            if b.rsp.valid.val() {
                let words =
                    [&b.rsp.data[0], &b.rsp.data[1], &b.rsp.data[2], &b.rsp.data[3]].map(|w| w.val().to_u64() as u32);
                let n = queued[0];
                assert_eq!(words, [n, !n, n ^ 0x55, n ^ 0xAA], "seed {seed} cycle {cycle}");
                if b.rsp.ready.val() {
                    assert_eq!(queued.pop_front(), Some(expected));
                    expected += 1;
                }
            }
            b.cycle();
        }
        assert!(expected > 500 && (full > 500 || through > 50), "{expected} {full} {through}");
    }
}
