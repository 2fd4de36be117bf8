//! The message queue of the warp unit against a plain queue, and its Verilog on Icarus: order,
//! latency of one cycle, credit, stalls of every length. The driver keeps the scheduler's distance:
//! a choice on the credit of this cycle issues in the next one and pushes in the one after it.

use std::collections::VecDeque;

use crate::common::{icarus_agrees, Port};
use quadlock_hdl::base::testing::Bench;
use quadlock_hdl::config::GpuConfig;
use quadlock_hdl::warp::message_queue::MessageQueue;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rust_hdl::prelude::*;

const IN: [Port; 6] = [("issue", 1), ("push", 1), ("push_kind", 2), ("push_warp", 4), ("push_sem", 16), ("ready", 1)];
const OUT: [Port; 5] = [("credit", 1), ("valid", 1), ("kind", 2), ("warp", 4), ("sem", 16)];

#[test]
fn messages_leave_in_order() {
    let mut uut = Bench::new(MessageQueue::new(&GpuConfig::default()), |q| &mut q.clock);
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let mut queue: VecDeque<[u32; 3]> = VecDeque::new();
    let (mut issue, mut push, mut outstanding, mut fullest) = (false, false, 0, 0);
    let (mut vectors, mut expected) = (vec![], vec![]);
    for cycle in 0..6000u32 {
        // Stretches of back-pressure, of single messages and of full rate.
        let (wish, taken) = [(95, 5), (10, 90), (100, 100), (60, 50)][(cycle / 80 % 4) as usize];
        let choice = uut.credit.val() && rng.random_range(0..100) < wish;
        let ready = rng.random_range(0..100) < taken;
        let word = [rng.random_range(0..4), rng.random_range(0..16), rng.random_range(0..0x1_0000)];
        uut.issue.next = issue;
        uut.push.next = push;
        uut.push_kind.next = bits(word[0].into());
        uut.push_warp.next = bits(word[1].into());
        uut.push_sem.next = bits(word[2].into());
        uut.ready.next = ready;
        uut.cycle();
        if ready && queue.pop_front().is_some() {
            outstanding -= 1;
        }
        if push {
            queue.push_back(word);
        }
        outstanding += u32::from(issue);
        fullest = fullest.max(outstanding);
        let front = queue.front();
        assert_eq!(uut.valid.val(), front.is_some(), "cycle {cycle}");
        assert_eq!(uut.credit.val(), outstanding < 14, "cycle {cycle}");
        if let Some(&front) = front {
            let seen = [uut.kind.val().to_u32(), uut.warp.val().to_u32(), uut.sem.val().to_u32()];
            assert_eq!(seen, front, "cycle {cycle}");
        }
        vectors.push(vec![issue.into(), push.into(), word[0], word[1], word[2], ready.into()]);
        let fields = [0, 1, 2].map(|i| front.map(|f| f[i]));
        expected.push([vec![Some((outstanding < 14).into()), Some(front.is_some().into())], fields.to_vec()].concat());
        (push, issue) = (issue, choice);
    }
    assert_eq!(fullest, 15, "the credit was exhausted, one choice on its way");
    let mut top = MessageQueue::new(&GpuConfig::default());
    top.clock.connect();
    top.issue.connect();
    top.push.connect();
    top.push_kind.connect();
    top.push_warp.connect();
    top.push_sem.connect();
    top.ready.connect();
    top.connect_all();
    icarus_agrees("message_queue", &generate_verilog(&top), true, &IN, &OUT, &vectors, &expected);
}
