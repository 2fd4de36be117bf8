//! An own machine for the tests of plans: lists of entries as SE-20 to SE-25 say, slots, and
//! threads that are dispatched, pass their wait and end in any order that a seed chooses.

use std::collections::VecDeque;

use rand::seq::IndexedRandom;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::{Graph, Plan};

struct Entry {
    place: usize,
    released: bool,
    suppress: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    /// Launched, with so many acknowledgements to come.
    Waits(usize),
    Runs,
    Done,
}

pub struct Lists<'a> {
    graph: &'a Graph,
    plan: &'a Plan,
    lists: Vec<VecDeque<Entry>>,
    /// By place in the order of dispatch.
    state: Vec<State>,
    place: Vec<usize>,
    /// Only the head may be released.
    owner_only: bool,
    /// No thread may wait when all that it depends on is done.
    exact: bool,
}

#[derive(Clone, Copy)]
enum Step {
    Dispatch(usize),
    Pass(usize),
    End(usize),
}

impl<'a> Lists<'a> {
    /// Runs the plan to its end and panics where it is wrong.
    pub fn run(graph: &'a Graph, plan: &'a Plan, slots: usize, seed: u64, exact: bool, owner_only: bool) {
        let n = plan.threads.len();
        let mut place = vec![usize::MAX; n];
        plan.threads.iter().enumerate().for_each(|(p, t)| place[t.thread as usize] = p);
        assert!(place.iter().all(|&p| p != usize::MAX), "a thread is missing");
        let ids = plan.threads.iter().flat_map(|t| &t.requests).map(|r| usize::from(r.semaphore) + 1);
        let lists = (0..ids.max().unwrap_or(0)).map(|_| VecDeque::new()).collect();
        let mut m = Lists { graph, plan, lists, state: vec![State::New; n], place, owner_only, exact };
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut next = 0;
        while m.state.iter().any(|&s| s != State::Done) {
            let mut steps = Vec::new();
            let busy = m.state.iter().filter(|s| !matches!(s, State::New | State::Done)).count();
            if next < n && busy < slots {
                steps.push(Step::Dispatch(next));
            }
            for p in 0..n {
                match m.state[p] {
                    State::Waits(0) => steps.push(Step::Pass(p)),
                    State::Runs => steps.push(Step::End(p)),
                    _ => {}
                }
            }
            let step = *steps.choose(&mut rng).unwrap_or_else(|| panic!("deadlock: {plan:?}"));
            next += usize::from(matches!(step, Step::Dispatch(_)));
            m.step(step);
            m.check_needless_waits();
        }
        assert!(m.lists.iter().all(VecDeque::is_empty), "entries are left");
    }

    fn done(&self, thread: u32) -> bool {
        self.state[self.place[thread as usize]] == State::Done
    }

    fn step(&mut self, step: Step) {
        match step {
            Step::Dispatch(p) => {
                let needs = &self.plan.threads[p];
                let (first, then): (Vec<_>, Vec<_>) = needs.requests.iter().partition(|r| r.suppress);
                let acquire = |m: &mut Self, r: &quadlock_isa::SemaphoreRequest| {
                    m.acquire(p, usize::from(r.semaphore), r.auto_release, r.suppress);
                };
                first.into_iter().for_each(|r| acquire(self, r));
                self.state[p] = State::Waits(then.len());
                then.into_iter().for_each(|r| acquire(self, r));
            }
            Step::Pass(p) => {
                let thread = self.plan.threads[p].thread;
                for &before in self.graph.predecessors(thread) {
                    assert!(self.done(before), "thread {thread} runs before {before} is done");
                }
                self.state[p] = State::Runs;
            }
            Step::End(p) => {
                for &s in &self.plan.threads[p].releases.clone() {
                    self.release(p, usize::from(s));
                }
                self.state[p] = State::Done;
            }
        }
    }

    fn acknowledge(&mut self, place: usize) {
        let State::Waits(n @ 1..) = self.state[place] else { panic!("an acknowledgement too many") };
        self.state[place] = State::Waits(n - 1);
    }

    fn acquire(&mut self, place: usize, s: usize, auto: bool, suppress: bool) {
        assert!(self.lists[s].iter().all(|e| e.place != place), "two entries of one thread");
        let empty = self.lists[s].is_empty();
        if empty && !suppress {
            self.acknowledge(place);
        }
        if !(empty && auto) {
            self.lists[s].push_back(Entry { place, released: auto, suppress });
        }
    }

    fn release(&mut self, place: usize, s: usize) {
        let at = self.lists[s].iter().position(|e| e.place == place).expect("release by a thread that is not listed");
        assert!(!self.owner_only || at == 0, "release by a thread that is not the owner");
        self.lists[s][at].released = true;
        while self.lists[s].front().is_some_and(|e| e.released) {
            self.lists[s].pop_front();
            if let Some(Entry { place, suppress: false, .. }) = self.lists[s].front() {
                let place = *place;
                self.acknowledge(place);
            }
        }
    }

    fn check_needless_waits(&self) {
        for (p, state) in self.state.iter().enumerate().filter(|_| self.exact) {
            if matches!(state, State::Waits(1..)) {
                let thread = self.plan.threads[p].thread;
                let open = self.graph.predecessors(thread).iter().any(|&b| !self.done(b));
                assert!(open, "thread {thread} waits for one that it does not depend on");
            }
        }
    }
}
